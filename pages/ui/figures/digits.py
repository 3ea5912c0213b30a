"""Bars of the digits that each number needs."""

from __future__ import annotations

from collections.abc import Sequence

from eic_core import wording
from eic_core.drawing.chart import Bars, Chart, ChartAxis, Label, Mark, Panel, Points
from eic_core.explain.shortening import MOST_DIGITS, Need
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import Formula, variable

MOST_ROWS = 14
"""Most rows drawn; the table has all."""


def needed_digits(needs: Sequence[Need]) -> Chart:
    """A row for each number: a light bar of its given digits, a dark one of the needed digits."""
    rows = needs[:MOST_ROWS]
    places = [float(-row) for row in range(len(rows))]
    lengths = [min(need.given, MOST_DIGITS) for need in rows]
    counts = [f"{need.together} of {need.given}" for need in rows]
    alone = [f"needs {need.alone} if nothing else is rounded" for need in rows]
    together = [need.together for need in rows]
    marks: tuple[Mark, ...] = (
        Bars(places, lengths, 0.62, lying=True, colour="faint"),
        Bars(places, together, 0.34, lying=True, colour="accent", hints=counts),
        Points([need.alone for need in rows], places, "line-ns", 15, hints=alone),
        *(Label(*each) for each in zip(counts, lengths, places, strict=True)),
    )
    ticks = tuple((float(at), str(at)) for at in (0, 5, 10, 15))
    x = ChartAxis("significant digits", (0, MOST_DIGITS + 4), ticks)
    names = tuple((place, _name(need)) for place, need in zip(places, rows, strict=True))
    y = ChartAxis("", (-len(rows) + 0.4, 0.6), names)
    pairs = zip(names, counts, strict=True)
    words = "; ".join(f"{name} needs {count}" for (_, name), count in pairs)
    return Chart((Panel(marks, x, y, min(26 * len(rows), 254)),), f"Significant digits: {words}")


def _name(need: Need) -> str:
    if need.kind == "constant":
        return wording.short_constant(need.name)
    return wording.shorten(short_text(Formula.from_draft(variable(need.name))), 12)
