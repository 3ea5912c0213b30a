"""What a search finds with EIC and without: the tables that `make bench-search` prints."""
