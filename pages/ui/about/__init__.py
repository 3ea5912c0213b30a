"""The page *About*: EIC in pictures."""
