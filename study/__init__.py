"""The study: matched pairs, ballots, statistics and reports; knows nothing of SQL or pages."""
