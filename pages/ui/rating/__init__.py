"""The rating page, blind by construction: no engine, pool or database is imported here."""
