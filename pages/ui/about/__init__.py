"""The page that explains: what EIC is in five pictures, what it is not, what leaves the machine."""
