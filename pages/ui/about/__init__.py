"""The page *About*."""
