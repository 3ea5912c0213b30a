"""A node's loss, measured in four ways."""

from __future__ import annotations

import math
from dataclasses import dataclass

from eic_core import wording
from eic_core.drawing.chart import (
    Bars,
    Chart,
    ChartAxis,
    Colour,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
)
from eic_core.drawing.scale import END
from eic_core.explain.triangulation import LIKELY, TriangulatedNode
from eic_core.measure.observed import DIGITS, Observed

_LEAST = -1.0
"""Left end in digits: a rounding is 0.4 units of roundoff, and many are smaller."""

_LOOKS: dict[str, tuple[Colour, str]] = {
    "recursion": ("ink", "diamond"),
    "shaken": ("blue", "circle"),
    "observed": ("orange", "square"),
}


@dataclass(frozen=True)
class Lane:
    label: str
    way: str  # "recursion", "shaken" or "observed"
    value: float  # Digits; nan and infinite values stand in words alone
    low: float = math.nan  # Lower end of the interval; nan without one
    high: float = math.nan
    words: str = ""  # The value in words
    limit: float = math.nan  # Digits of the format, where none remains; nan for a prediction
    short: str = ""  # The label where there is little room


def lanes(node: TriangulatedNode) -> tuple[Lane, ...]:
    """The lines of a node's figure, from theory to observation."""
    theory = [
        Lane(
            label,
            "recursion",
            value,
            words=wording.digits_lost(value) if math.isfinite(value) else "no digit is left",
            short=short,
        )
        for label, short, value in (
            ("predicted, independent noise", "independent noise", node.recursion),
            ("predicted, shared noise", "shared noise", node.shared),
        )
    ]
    shaken = [
        Lane(
            f"tried, errors of {wording.significant(s.sigma)}",
            "shaken",
            s.local_eic,
            s.low,
            s.high,
            "shows nothing"
            if math.isnan(s.low)
            else f"{wording.number(s.local_eic)} "
            f"({wording.number(s.low)} to {wording.number(s.high)})",
            short=f"tried, {wording.significant(s.sigma)}",
        )
        for s in node.shaken
    ]
    observed = [
        Lane(
            f"measured in {o.kind}",
            "observed",
            o.digits,
            words=observed_text(o),
            limit=DIGITS[o.kind],
            short=f"measured, {o.kind}",
        )
        for o in (node.float32, node.float64)
    ]
    return (*theory, *shaken, *observed)


def observed_text(observed: Observed) -> str:
    """An observed error in digits, or why there is none."""
    if math.isnan(observed.digits):
        return "no value"
    if math.isinf(observed.digits):
        return "exact"
    return wording.number(observed.digits)


def triangulated(node: TriangulatedNode, *, narrow: bool = False) -> Chart:
    """The recursion, Algorithm 2 at falling sigma with 95 % intervals, and observed errors."""
    lines = lanes(node)
    values = [v for lane in lines for v in (lane.value, lane.high) if math.isfinite(v)]
    top = max(END, min(20.0, math.ceil(max(values, default=0.0) + 0.3))) + 0.25
    ticks = tuple((float(at), str(at)) for at in range(0, int(top) + 1, 2))
    marks: list[Mark] = [Guide(at, dash="dot", colour="faint") for at, _ in ticks]
    if math.isfinite(node.recursion):
        marks.append(Guide(node.recursion, dash="solid", colour="muted"))
    for y, lane in enumerate(reversed(lines)):
        colour, symbol = _LOOKS[lane.way]
        if lane.way == "observed" and math.isfinite(node.rounded):
            # A band at the likely error: 0.1 to 1.5 times that predicted for roundings of one unit.
            low, high = (node.rounded + math.log10(factor) for factor in LIKELY)
            band = Bars([y], [high], 0.72, [low], lying=True, colour="data", opacity=0.25)
            marks.append(band)
        if not math.isfinite(lane.value) or lane.value > top:
            marks.append(Label(lane.words, 0, y, "x", colour="muted"))
            continue
        if lane.way == "observed":  # beside words it would be taken for a measured value
            marks.append(Stroke([lane.limit] * 2, [y - 0.4, y + 0.4], 3))
        marks.append(Stroke([lane.low, lane.high], [y, y], colour=colour))
        hints = [f"{lane.label}: {lane.words}"]
        marks.append(Points([lane.value], [y], symbol, 10, colour=colour, hints=hints))
    labels = (lane.short if narrow else lane.label for lane in reversed(lines))
    names = tuple((float(y), label) for y, label in enumerate(labels))
    x = ChartAxis("local EIC of this step, digits", (_LEAST - 0.15, top), ticks)
    up = ChartAxis("", (-0.6, len(lines) - 0.4), names)
    parts = "; ".join(f"{lane.label}: {lane.words}" for lane in lines)
    words = f"Digits up to this step (its local EIC, and as measured): {parts}"
    return Chart((Panel(tuple(marks), x, up, 26 * len(lines)),), words)
