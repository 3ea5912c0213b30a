"""The figures of an inspection that a report and a page share: a chart of each answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from eic_core import wording
from eic_core.drawing.chart import (
    SHARES,
    Array,
    Bars,
    Chart,
    ChartAxis,
    Colour,
    Dash,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
    even_ticks,
    whole_ticks,
)
from eic_core.drawing.scale import END
from eic_core.explain import phrases
from eic_core.explain.ledger import Bar, Ledger
from eic_core.explain.losses import NAMES, RESULT_SHARED, WORST_STEP
from eic_core.explain.settling import Growth
from eic_core.explain.writing import WritingLoss
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.inspection import Inspection
from eic_core.measure.measured import measured_loss, quantiles_of
from eic_core.report.rulers import Ruler
from eic_core.rewriting.results import Repairs

ROW = 44
"""Pixels from one bar to the next: a line of text and the bar."""

BARS = 8
NOBODY = -1
"""The node of a bar that groups several."""

INTRODUCED, INHERITED, MASKED = "◆", "▲", "○"
"""Shapes of noise that arises at the node, below it, and below it but hidden by the result."""

_KINDS: dict[str, tuple[Colour, str]] = {
    "rounding": ("blue", ""),
    "input": ("orange", "/"),
    "constant": ("muted", "."),
}
_REST: tuple[Colour, str] = ("muted", "x")
"""Colour and hatching of the kinds of noise."""

DIGITS = tuple((float(at), str(at)) for at in range(0, 17, 4))
"""Marks of a scale of digits: as long as a gauge."""


def _track(y: float, end: float, heading: str, number: str, key: int = NOBODY) -> list[Mark]:
    """What stands over a bar and behind it: a thin bar is hit anywhere on it."""
    return [
        Bars([y], [end], 0.26, lying=True, colour="faint", opacity=0.35, keys=[key]),
        Label(heading, 0, y + 0.2, "x", raised=True),
        Label(number, 1, y + 0.2, "x", "right", raised=True, bold=True),
    ]


def _rows(marks: Sequence[Mark], count: int, x: ChartAxis, words: str) -> Chart:
    y = ChartAxis("", (-count + 0.7, 0.95), ())
    return Chart((Panel(tuple(marks), x, y, ROW * count),), words)


def shape_of(ledger: Ledger, node_id: int) -> str:
    """The shape of a row of the ledger.

    >>> from eic_core.explain.ledger import blame
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> inspection = inspect(read("x + 2").formula, Samples.from_columns({"x": [2.0]}))
    >>> [shape_of(blame(inspection, 2), k) for k in range(3)]
    ['▲', '▲', '◆']
    """
    if node_id == ledger.target:
        return INTRODUCED
    return MASKED if node_id in ledger.masked else INHERITED


def waterfall(ledger: Ledger, *, mean: bool = False) -> Chart:
    """Shares of the noise of a node, each beginning where the one above ends; or the means of the
    samples' shares. The key of a bar is its node, or `NOBODY`.

    >>> from eic_core.explain.ledger import blame
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> inspection = inspect(read("x + 2").formula, Samples.from_columns({"x": [2.0]}))
    >>> waterfall(blame(inspection, 2)).words
    'Shares of the noise: x + 2, its own rounding: 67 %; x, error of the input: 17 %; 2, error of the constant: 17 %'
    """  # noqa: E501
    bars = ledger.waterfall(BARS, mean=mean)
    names = Counter(bar.label for bar in bars)
    marks, words = list[Mark](), list[str]()
    for row, bar in enumerate(bars):
        share, y = wording.percent(bar.end - bar.start), -row
        name, kind, what, inside = _source(ledger, bar, names[bar.label] > 1)
        whole = f"{name}, {what}{inside and f', in {inside}'}: {share}"
        key = bar.nodes[0] if len(bar.nodes) == 1 else NOBODY
        short = f"{kind} in {inside}" if inside else what
        shape = shape_of(ledger, key)
        marks += _track(y, 1, f"{shape} {wording.shorten(name, 24)}: {short}", share, key)
        colour, hatch = _KINDS.get(kind, _REST)
        marks.append(
            Bars(
                [y], [bar.end], 0.26, [bar.start], lying=True, colour=colour, hatch=hatch,
                hints=[whole], keys=[key],
            )
        )  # fmt: skip
        if row + 1 < len(bars):
            marks.append(Stroke([bar.end] * 2, [y - 0.13, y - 0.87], 1, "dot", colour="muted"))
        words.append(whole)
    x = ChartAxis("share of the noise", (0, 1), SHARES)
    return _rows(marks, len(bars), x, f"Shares of the noise: {'; '.join(words)}")


def _source(ledger: Ledger, bar: Bar, twin: bool) -> tuple[str, str, str, str]:
    """Name, kind and words of a bar; where it stands if another has the same name."""
    if len(bar.nodes) > 1:
        return str(bar.label), "rest", "together", ""
    formula, (node_id,) = ledger.inspection.formula, bar.nodes
    operator = formula.nodes[node_id].operator
    kind = {VARIABLE: "input", CONSTANT: "constant"}.get(operator, "rounding")
    what = "rounding" if kind == "rounding" else f"error of the {kind}"
    if node_id == ledger.target:
        what = "its own rounding" if kind == "rounding" else "its own error"
    parent = formula.parents[node_id]
    inside = short_text(formula, parent, 24) if twin and parent is not None else ""
    return short_text(formula, node_id, phrases.TEXT_LIMIT), kind, what, inside


NOT_COMPARED = "not compared: the result keeps no digit at any sample"


def losses(writing: WritingLoss) -> Chart:
    """The function's own conditioning, the result as written, and the worst step, in digits."""
    inspection = writing.inspection
    nowhere = math.isnan(writing.q) and writing.singular > 0
    lost = nowhere and writing.singular_function == writing.singular
    constant = nowhere and not writing.singular_function and not inspection.formula.variables
    own = 0.0 if constant else writing.own
    step = wording.shorten(inspection.nodes[inspection.finite_worst_step].text, 26)
    part = min(own, writing.q) if math.isfinite(writing.q) else math.nan
    rows: tuple[tuple[str, float, bool, tuple[tuple[float, float, Colour, str], ...]], ...] = (
        ("the function itself, in any writing", own, lost, ((0, own, "data", ""),)),
        (
            f"{NAMES[RESULT_SHARED]}, as written",
            writing.q,
            nowhere,
            ((0, part, "data", ""), (part, writing.q, "orange", "added by the writing")),
        ),
        (
            f"{NAMES[WORST_STEP]}: {step}",
            inspection.eic_finite,
            math.isinf(inspection.eic),
            ((0, inspection.eic_finite, "muted", ""),),
        ),
    )
    marks, words = list[Mark](), list[str]()
    for row, (heading, digits, endless, parts) in enumerate(rows):
        number = wording.digits_lost(digits)
        if endless:
            number = "∞" if math.isnan(digits) else f"{number}, and ∞"
        elif nowhere and math.isnan(digits):
            number = NOT_COMPARED
        marks += _track(-row, END, heading, number)
        marks += [
            Bars(
                [-row], [min(high, END)], 0.3, [min(low, END)], lying=True, colour=colour,
                hatch="/" if row == 2 else "", name=name, hints=[f"{name or heading}: {number}"],
            )
            for low, high, colour, name in parts
            if math.isfinite(high) and high > low
        ]  # fmt: skip
        if endless:
            low, high, bottom, top = END + 0.3, END + 1.1, -row - 0.15, -row + 0.15
            box = [low, high, high, low, low], [bottom, bottom, top, top, bottom]
            marks.append(Stroke(*box, 1.2, "dot"))
        words.append(f"{heading}: {number}")
    # Whatever the values, there is room for ∞: figures can be compared
    title = "digits by which errors grow, in the mean"
    axis = ChartAxis(title, (0, END + 1.2), DIGITS)
    return _rows(marks, len(rows), axis, f"{wording.capital(title)}: {'; '.join(words)}")


def growth(curve: Growth) -> Chart:
    """Local EIC on parts of the rows, with the middle 80 % of the parts, and beyond.

    >>> flat = Growth((10, 100), (1.0, 2.0), (0.5, 2.0), (1.5, 2.0), 1.0)
    >>> [list(mark.x) for mark in growth(flat).panels[0].marks[1:3]]
    [[10, 100], [10, 100]]
    """
    counts, digits = list(curve.counts), list(curve.local_eic)
    last = [counts[-1], 10 * counts[-1]], [digits[-1], digits[-1] + max(0, curve.per_decade)]
    band = counts + counts[::-1], [*curve.high, *reversed(curve.low)]
    pairs = zip(counts, digits, strict=True)
    hints = [f"{count:,} rows\nlocal EIC {eic:.2f}" for count, eic in pairs]
    marks = (
        Stroke(*band, filled=True, colour="data", opacity=0.25, name="80 of 100 random parts"),
        Stroke(counts, digits, colour="accent", name="on average"),
        Points(counts, digits, colour="accent", hints=hints),
        Stroke(*last, dash="dash", colour="accent", name="if it goes on"),
        Points(last[0][1:], last[1][1:], "circle-open", 9, colour="accent"),
    )
    ticks = tuple((float(count), f"{count:,}") for count in [*counts[::2], last[0][1]])
    top = max(1.0, max(*curve.high, last[1][1]) * 1.12)
    x = ChartAxis("rows used", (0.8 * counts[0], 12 * counts[-1]), ticks, log=True)
    y = ChartAxis("local EIC of this step, digits", (0, top), whole_ticks(top, 4))
    return Chart((Panel(marks, x, y, 170),), str(curve.sentence), free=True)


def forms(repairs: Repairs) -> Chart:
    """What each form loses at nine in ten rows, over its nodes and over its time: as written a
    ring, the leading one named. The keys are the places in `Repairs.forms`.
    """
    each = repairs.forms
    lost = [form.numbers.measured.nine_in_ten for form in each]
    leading = None if repairs.leading is None else repairs.leading.text
    names = ["as written" if form.is_original else form.text for form in each]
    panels = []
    for title, sizes in (
        ("nodes", [float(len(form.formula)) for form in each]),
        ("ns a call, NumPy", [form.nanoseconds.numpy for form in each]),
    ):
        marks: list[Mark] = []
        middle = (min(sizes) + max(sizes)) / 2
        for place, (form, size, digits) in enumerate(zip(each, sizes, lost, strict=True)):
            hint = (
                f"{names[place]}\n{digits:.1f} digits lost\n{wording.significant(size, 2)} {title}"
            )
            symbol = "circle-open" if form.is_original else "circle"
            best = form.text == leading
            look: dict[str, Any] = {"colour": "accent" if best else "ink", "hints": [hint]}
            marks.append(Points([size], [digits], symbol, 11, keys=[place], **look))
            if best or form.is_original:
                side: Literal["left", "right"] = "left" if size <= middle else "right"
                text = wording.shorten(names[place], 18)
                marks.append(Label(text, size, digits, side=side, bold=best, colour=look["colour"]))
        room = 0.1 * (max(sizes) - min(sizes)) or 1.0
        ends = max(0.0, min(sizes) - room), max(sizes) + room
        x = ChartAxis(title, ends, even_ticks(*ends, 4))
        y = ChartAxis("digits lost, nine in ten rows", (-0.5, END + 0.5), DIGITS)
        panels.append(Panel(tuple(marks), x, y, 170))
    said = (f"{name} {digits:.1f}" for name, digits in zip(names, lost, strict=True))
    words = f"Digits lost by each form, over its nodes and its time: {'; '.join(said)}."
    return Chart(tuple(panels), words, columns=2)


GROUPS, FEWEST = 16, 8
"""Most groups of neighbouring rows, and the fewest rows of one."""


def loss_along(inspection: Inspection, name: str) -> Chart | None:
    """What a program loses along a variable: typically, at nine in ten rows and at the worst, in
    groups of neighbouring rows; None where too few rows can be compared.
    """
    loss = measured_loss(inspection)
    column = inspection.samples.columns[name][loss.positions]
    usable = np.flatnonzero(~np.isnan(loss.lost) & np.isfinite(column))
    order = usable[np.argsort(column[usable], kind="stable")]
    count = min(GROUPS, len(order) // FEWEST)
    if count < 2 or column[order[0]] == column[order[-1]]:
        return None
    ruler = Ruler.of(column[order])
    groups = np.array_split(order, count)
    x = ruler.place(np.array([np.median(column[rows]) for rows in groups]))
    each = [quantiles_of(loss.lost[rows], loss.weights[rows]) for rows in groups]
    typical, high, worst = np.array([(q.typical, q.nine_in_ten, q.worst) for q in each]).T
    band = np.concatenate([x, x[::-1]]), np.concatenate([typical, high[::-1]])
    spans = [f"{column[rows[0]]:.4g} … {column[rows[-1]]:.4g}" for rows in groups]
    marks: list[Mark] = [Stroke(*band, filled=True, colour="blue", opacity=0.2)]
    looks: tuple[tuple[str, Array, Dash, Colour], ...] = (
        ("worst", worst, "dot", "orange"),
        ("nine in ten rows", high, "solid", "blue"),
        ("typical", typical, "dash", "ink"),
    )
    for title, digits, dash, colour in looks:
        hints = [
            f"{name} {span}\n{title}: {d:.1f} digits lost"
            for span, d in zip(spans, digits.tolist(), strict=True)
        ]
        marks.append(Stroke(x, digits, 2, dash, colour=colour, name=title, hints=hints))
    across = ChartAxis(name, ruler.limits(), ruler.ticks())
    y = ChartAxis("digits lost", (-0.5, END + 0.5), DIGITS)
    place = int(np.argmax(high))
    words = (
        f"Digits that a program loses along {name}, at {len(order):,} rows. Nine in ten rows lose "
        f"at most {high[place]:.1f} where it is {spans[place]}, and {high.min():.1f} at the best."
    )
    return Chart((Panel(tuple(marks), across, y, 170),), words)
