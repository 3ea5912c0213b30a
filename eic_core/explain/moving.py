"""Where the bottleneck goes when the same formula is measured on other data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from eic_core.explain import words
from eic_core.measure.inspection import Inspection


@dataclass(frozen=True)
class Landmark:
    """The bottleneck on some data.

    Attributes
    ----------
    node_id : int
    eic : float
        nan if no sample was valid.
    """

    node_id: int
    eic: float

    @classmethod
    def of(cls, inspection: Inspection) -> Landmark:
        """The bottleneck of an inspection."""
        return cls(inspection.bottleneck, inspection.eic)


def moved(before: Landmark, inspection: Inspection) -> str:
    """Where the bottleneck was, and where it is now.

    Parameters
    ----------
    before : Landmark
        Of the same formula on other data.
    inspection : Inspection

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> formula = read("1/(x-2)").formula
    >>> near, far = (
    ...     inspect(formula, Samples.from_columns({"x": x})) for x in ([2.001, 2.002], [8.0, 9.0])
    ... )
    >>> moved(Landmark.of(near), far)
    'The bottleneck stays at `1/(x − 2)`: 3.3 digits before, 0.3 digits now.'
    """
    formula = inspection.formula
    was, now = words.digits(before.eic), words.digits(inspection.eic)
    there = words.quoted(formula, before.node_id)
    here = words.quoted(formula, inspection.bottleneck)
    if math.isnan(inspection.eic):
        return "On these ranges no sample has a real value at every node."
    if math.isnan(before.eic):
        return f"Now there are samples with a value: the bottleneck is {here} ({now})."
    if before.node_id == inspection.bottleneck:
        return f"The bottleneck stays at {here}: {was} before, {now} now."
    return f"Bottleneck moved from {there} ({was}) to {here} ({now})."
