"""Shared by two or more rooms; a room imports the kit, and the kit imports no room."""
