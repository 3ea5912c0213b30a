"""The study: matched pairs, ballots, statistics and reports.

Imports `eic_core`; knows nothing of SQL or of the screen.
"""

__version__ = "0.1.0"
"""Of EIC Lab, as in ``pyproject.toml``: printed on every output of a study."""
