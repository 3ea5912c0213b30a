"""Schema changes, oldest first; each file is complete in itself."""
