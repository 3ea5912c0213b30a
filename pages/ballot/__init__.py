"""The volunteer's pages, from consent to thanks: HTML made here of what the rating service gives.

Blind by construction: no engine, pool, database or screen library is imported.
"""
