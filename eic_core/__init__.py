"""EIC Lab's numerics: formulas as trees, and where they lose their digits.

The package knows nothing of Streamlit, SQL or studies.  Start at
:func:`eic_core.formula.syntax.read` (text to tree) and
:func:`eic_core.measure.inspect` (tree and data to amplification).
"""

__version__ = "0.1.0"
"""Of EIC Lab, as in ``pyproject.toml``: printed on every output."""
