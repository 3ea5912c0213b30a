"""What two or more rooms share; a room imports the kit, and the kit imports no room."""
