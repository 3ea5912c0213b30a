"""Results that show themselves: in a notebook, as a picture, as a table of pandas (ADR 0027)."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Displayed:
    """Base of results that `eic_core.notebook` knows how to show.

    >>> from eic_core import Samples, inspect, read
    >>> inspect(read("x + 1").formula, Samples.from_columns({"x": [1.0, 2.0]}))
    <Inspection of x + 1: EIC 0.09, 2 rows>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(_notebook().line_of(self))

    def _repr_html_(self) -> str:
        return str(_notebook().html_of(self))

    def plot(self, **options: Any) -> Any:
        """Draw it with Matplotlib (`pip install eic-lab[notebook]`).

        Parameters
        ----------
        **options
            `ax`, the axes to draw on; for one formula also `over`, the variable along which digits
            are drawn, and `node`, the id of the step.

        Returns
        -------
        Any
            Matplotlib's axes.
        """
        return _notebook().plot_with(self, options)

    def to_pandas(self) -> Any:
        """Its rows as a data frame of pandas (`pip install eic-lab[notebook]`), not rounded.

        Returns
        -------
        Any
            Of an inspection the steps, of a diagnosis the findings, of repairs the forms, of a
            scored list the formulas.
        """
        return _notebook().frame_of(self)


def _notebook() -> Any:
    # by name: what shows a result imports what made it, and no page or command waits for it
    return import_module("eic_core.notebook")
