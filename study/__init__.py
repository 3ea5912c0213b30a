"""The study: matched pairs, ballots, statistics and reports.

Imports `eic_core`; knows nothing of SQL or of the screen.
"""
