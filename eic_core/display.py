"""Results that show themselves: in a notebook, as a picture, as a table of pandas (ADR 0027)."""

# `import eic_core` loads this, and this loads nothing
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LOADERS: "dict[str, Callable[[str], Any]]" = {}
"""By class: given its name, loads what shows its results: `line`, `html`, `draw` and `frame`."""


class Displayed:
    """Base of results with a row in `LOADERS`.

    >>> from eic_core import Samples, inspect, read
    >>> inspect(read("x + 1").formula, Samples.from_columns({"x": [1.0, 2.0]}))
    <Inspection of x + 1: EIC 0.09, 2 rows>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(_display(self).line(self))

    def _repr_html_(self) -> str:
        return str(_display(self).html(self))

    def plot(self, **options: "Any") -> "Any":
        """Draw it with Matplotlib (`pip install matplotlib`).

        Parameters
        ----------
        **options
            `ax`, the axes to draw on; for one formula also `over`, the variable along which digits
            are drawn, `node`, the id of the step, and `quantiles`, true for those of what a program
            loses; for repairs `all_forms`, true for each form by its nodes.

        Returns
        -------
        Any
            Matplotlib's axes.
        """
        return _display(self).draw(self, options)

    def to_pandas(self) -> "Any":
        """Its rows as a data frame of pandas (`pip install pandas`), not rounded.

        Returns
        -------
        Any
            Of an inspection the steps, of a diagnosis the findings, of repairs the forms, of a
            scored list the formulas.
        """
        return _display(self).frame(self)


def _display(result: Displayed) -> "Any":
    names = (kind.__name__ for kind in type(result).__mro__)
    return next(LOADERS[name](name) for name in names if name in LOADERS)
