"""The study: matched pairs, ballots, statistics and reports.

Imports `eic_core`; knows nothing of SQL or of the screen.
"""

from eic_core import __version__

__all__ = ["__version__"]
