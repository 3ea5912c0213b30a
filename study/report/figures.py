"""The figures of a report: a chart of each, from what the analysis found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from eic_core import wording
from eic_core.drawing.chart import (
    SHARES,
    Bars,
    Chart,
    ChartAxis,
    Colour,
    Dash,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
    pieces,
    whole_ticks,
)
from study.report.analysis import StudyReport
from study.report.phrases.limits import limit
from study.statistics.exclusions import Unit
from study.statistics.limits import Limit
from study.statistics.preference import Interval
from study.statistics.threats.sensitivity import SensitivityPoint

LOOKS: tuple[tuple[Colour, str, Dash], ...] = (
    ("blue", "circle", "solid"),
    ("orange", "square", "dash"),
)
"""Of the formulas of lower and of higher EIC, or of two curves."""
SHARE_LIMITS = (-0.01, 1.01)
"""Fixed, so that two studies can be laid side by side."""
FOR_LOWER = "votes for the formula of lower EIC"
ENDS = ("← higher EIC preferred", "lower EIC preferred →")
NO_VOTES = "There is no vote that decides."
UNITS: dict[Unit, str] = {"session": "whole sessions", "vote": "single votes"}
FEW = 10
"""A rate of fewer deciding votes says nothing, and is in no table and on no curve."""
COEFFICIENTS = ("raw agreement", "Fleiss' kappa", "Gwet's AC1")
"""Those of the page; all are in report.json and numbers.csv."""
PAPERS_PEOPLE, PAPERS_MODELS = 0.698, 0.7219
"""What Yu et al. report, appendix ``app:expert_rating``: of people, and of their two models."""
QUANTITIES = ("complexity", "R²", "EIC (digits)")
BINS = 20
PAIRS = "alike in complexity and R², apart in EIC"


class RateRow(NamedTuple):
    name: str
    value: float | None  # None: there is none, and `text` says so
    # low, high: ends of the interval; None without one
    low: float | None = None
    high: float | None = None
    # The number in words, such as "69.8 %, interval 65.0 to 75.0 %"; lines more where a reader asks
    # for it
    text: str = ""
    check: bool = False  # To compare with, and not the number that counts
    weight: float = 1.0  # Share of the votes behind it, in [0, 1]: the more, the thicker

    @property
    def hint(self) -> str:
        return f"{self.name}\n{self.text}"


class Curve(NamedTuple):
    name: str
    at: tuple[float, ...]  # Ascending, one for each row
    rows: tuple[RateRow, ...]  # The name of a row is the first line of what is said of it
    below: tuple[float, ...]  # What is drawn below each row
    chosen: int | None = None  # Place of the row to point out


def intervals(
    rows: Sequence[RateRow],
    axis: str = "",
    limits: tuple[float, float] = SHARE_LIMITS,
    *,
    middle: float = 0.5,
    beside: bool = True,
    ends: tuple[str, str] = ("", ""),
    total: bool = False,
    empty: str = "",
) -> Chart:
    """Rows from top to bottom. Names stand `beside` the axis or, with their texts, above a row;
    `ends` say what the ends of the axis mean; the last row is the `total` of the others.
    """
    count, marks = len(rows), list[Mark]([Guide(middle, colour="muted")])
    for y, row in enumerate(reversed(rows)):
        colour: Colour = "muted" if row.check else "blue"
        if row.low is not None and row.high is not None:
            whole = [row.low, row.high], [y, y]
            marks.append(
                Stroke(*whole, colour=colour, width=2 + 3 * row.weight, hints=[row.hint] * 2)
            )
        if row.value is not None:
            size = 10 if row.check else 8 + 5 * row.weight**0.5
            symbol = "circle-open" if row.check else "circle"
            hints = [row.hint]
            marks.append(
                Points([row.value], [y], colour=colour, symbol=symbol, size=size, hints=hints)
            )
        elif beside:
            marks.append(Label(row.text, 0.5, y, "x", "center", colour="muted"))
        if not beside:
            name, bold = wording.shorten(row.name, 24), row.weight == 1 and not row.check
            marks.append(Label(name, 0, y + 0.3, "x", bold=bold))
            marks.append(Label(row.text, 1, y + 0.3, "x", "right", colour="muted"))
    if rows and any(ends):
        marks.append(Label(ends[0], 0, count, "x", colour="orange"))
        marks.append(Label(ends[1], 1, count, "x", "right", colour="blue"))
    if total and count > 1:
        marks.append(Guide(0.5, level=True, dash="solid", colour="faint"))
    if not rows:
        marks.append(_reason(empty))
    names = tuple((y, row.name) for y, row in enumerate(reversed(rows))) if beside else ()
    top = max(2, count) - 0.4 + 0.8 * bool(rows and any(ends))
    across = ChartAxis(axis, limits, SHARES if limits == SHARE_LIMITS else None)
    height = max(80, 34 * count) if beside else 60 * count + 40
    words = "; ".join(f"{row.name}: {row.text}" for row in rows)
    return Chart(
        (Panel(tuple(marks), across, ChartAxis("", (-0.6, top), names), height),), words or empty
    )


def curves(
    parts: Sequence[Curve],
    axis: str,
    *,
    below: str = "",
    chosen: str = "",
    joined: bool = True,
) -> Chart:
    """One or two curves of shares, with what is counted `below` them. The rows of a curve are
    `joined` by a line, and their intervals by a band; `chosen` is said of the rows pointed out.
    """
    shares, counted = list[Mark]([Guide(0.5, level=True, colour="muted")]), list[Mark]()
    for part, (colour, symbol, dash) in zip(parts, LOOKS, strict=False):
        known = [
            (at, row) for at, row in zip(part.at, part.rows, strict=True) if row.value is not None
        ]
        banded = [(at, row.low, row.high) for at, row in known if row.low is not None]
        ends, lows, highs = zip(*banded, strict=True) if banded else ((), (), ())
        at, values = [at for at, _ in known], [row.value or 0.0 for _, row in known]
        if joined:
            area = [*ends, *ends[::-1]], [*lows, *highs[::-1]]
            shares.append(Stroke(*area, filled=True, colour=colour, opacity=0.16))
            shares.append(Stroke(at, values, dash=dash, colour=colour))
            counted.append(Stroke(part.at, part.below, dash=dash, steps=True, colour=colour))
        else:
            strokes = pieces([(x, x) for x in ends]), pieces([*zip(lows, highs, strict=True)])
            shares.append(Stroke(*strokes, colour=colour))
            hints = [row.hint for row in part.rows]
            counted.append(Bars(part.at, part.below, colour="faint", hints=hints))
        name, hints = part.name if len(parts) > 1 else "", [row.hint for _, row in known]
        size = 7 if joined else 9
        shares.append(Points(at, values, symbol, size, colour=colour, name=name, hints=hints))
        if part.chosen is not None:
            place, row = part.at[part.chosen], part.rows[part.chosen]
            shares += [Guide(place, colour="muted"), Label(chosen, place, 0.05, colour="muted")]
            if row.value is not None:
                shares.append(Points([place], [row.value], "diamond", 12))
    if not any(row.value is not None for part in parts for row in part.rows):
        shares.append(_reason(NO_VOTES, 0.75))
    places = [at for part in parts for at in part.at] or [0.0]
    ticks = whole_ticks(max(places), 6, min(places), (1, 2, 3, 6))
    top = max((n for part in parts for n in part.below), default=0)
    counts = ChartAxis(below, (0, 1.05 * top or 1), whole_ticks(top, 3))
    words = "; ".join(f"{row.name}: {row.text}" for part in parts for row in part.rows)
    return Chart(
        (
            Panel(
                tuple(shares),
                ChartAxis(),
                ChartAxis("for the lower EIC", SHARE_LIMITS, SHARES),
                230,
            ),
            Panel(tuple(counted), ChartAxis(axis, ticks=ticks), counts, 80),
        ),
        words.replace("\n", ", ") or NO_VOTES,
        joined=True,
    )


def share_row(
    name: str,
    rate: float | None,
    interval: Interval | None,
    *,
    reason: str = "",
    more: str = "",
    weight: float = 1.0,
) -> RateRow:
    """A share with its interval, in words too.

    >>> share_row("all", 0.7, Interval(0.65, 0.75, 0.95, "t")).text
    '70.0 %, interval 65.0 % to 75.0 %'
    >>> share_row("none", None, None, reason="no votes").text
    'no votes'
    """
    if rate is None:
        return RateRow(name, None, text=reason or "no rate", weight=weight)
    if interval is None:
        return RateRow(name, rate, text=wording.percent(rate, 1) + more, weight=weight)
    text = f"{wording.percent(rate, 1)}, interval {_span(interval)}{more}"
    return RateRow(name, rate, interval.low, interval.high, text, weight=weight)


def _preference(report: StudyReport) -> Chart:
    """People, each model that was asked, and what Yu et al. report, without intervals."""
    found, level = report.inference, report.level
    if found.rate is None and not report.models.runs:
        return intervals((), beside=False, empty=_why(found.reason))
    why = _why(found.reason) if found.rate is None else ""
    marks = [share_row("people", found.rate, found.interval(level), reason=why)]
    marks += [
        share_row(
            f"{each.run.label}{' (exploratory)' if each.run.undeclared else ''}",
            each.found.rate.value,
            each.found.rate.interval(level),
            reason=_why(each.found.rate.reason),
            weight=0.3,
        )
        for each in report.models.runs
    ]
    theirs = [("people, Yu et al.", PAPERS_PEOPLE)]
    if report.models.runs:
        theirs.append(("models, Yu et al.", PAPERS_MODELS))
    marks += [
        RateRow(name, value, text=f"{100 * value:.4g} %, as they report it", check=True)
        for name, value in theirs
    ]
    return intervals(tuple(marks), beside=False, ends=ENDS)


def _agreement(report: StudyReport) -> Chart:
    """A line for each coefficient; 0 is chance, or no agreement at all, and 1 is complete."""
    marks = []
    for each in report.agreement.coefficients:
        if each.value is None or each.name not in COEFFICIENTS:
            continue
        text, interval = f"{each.value:.2f}", each.interval
        if interval is None:
            marks.append(RateRow(each.name, each.value, text=text))
        else:
            text += f", interval {interval.low:.2f} to {interval.high:.2f}"
            marks.append(RateRow(each.name, each.value, interval.low, interval.high, text))
    lowest = min([0.0, *(mark.low if mark.low is not None else mark.value or 0 for mark in marks)])
    return intervals(
        tuple(marks),
        "agreement (1 is complete)",
        (lowest - 0.05, 1.03),
        middle=0.0,
        empty=_why(report.agreement.raw_agreement.reason),
    )


def _problems(report: StudyReport) -> Chart:
    """A line for each problem, the highest rate on top; all votes below, set apart."""
    overall = report.inference
    if overall.rate is None:
        return intervals((), FOR_LOWER, empty=_why(overall.reason))
    rates = report.threats.problems.with_votes
    marks = [
        share_row(f"{p.problem} ({p.votes:,})", p.rate, p.interval, weight=p.votes / overall.votes)
        for p in sorted(rates, key=lambda p: (-(p.rate or 0), p.problem))
    ]
    marks.append(
        share_row(f"all ({overall.votes:,})", overall.rate, overall.interval(report.level))
    )
    return intervals(tuple(marks), FOR_LOWER, total=True)


def _sensitivity(report: StudyReport) -> Chart:
    """The rate and the valid votes had the exclusion threshold been another one."""

    def mark(point: SensitivityPoint) -> RateRow:
        few = 0 < point.rate.votes < FEW and not point.frozen
        if few:
            said = f"{wording.count(point.rate.votes, 'deciding vote')}: too few for a rate"
            return RateRow(f"under {point.threshold_seconds:g} s left out", None, text=said)
        return share_row(
            f"under {point.threshold_seconds:g} s left out",
            point.rate.rate,
            point.interval(report.level),
            reason=_why(point.rate.reason),
            more=f"\n{wording.count(point.valid, 'vote')} of "
            f"{wording.count(point.raters, 'rater')}",
        )

    def curve(unit: Unit) -> Curve:
        points = report.threats.sensitivity.of_unit(unit)
        return Curve(
            UNITS[unit],
            tuple(p.threshold_seconds for p in points),
            tuple(map(mark, points)),
            tuple(float(p.valid) for p in points),
            next((place for place, p in enumerate(points) if p.frozen), None),
        )

    return curves(
        tuple(map(curve, UNITS)), "under … s left out", below="valid votes", chosen="frozen rule"
    )


def _ballots(report: StudyReport) -> Chart:
    numbers = report.threats.ballots.numbers
    marks = tuple(
        share_row(
            f"ballot {each.first}",
            each.rate.rate,
            each.rate.interval(report.level),
            reason=_why(each.rate.reason),
            more=f"\n{wording.count(each.votes, 'vote')}, "
            f"median {wording.seconds(each.median_seconds)}",
        )
        for each in numbers
    )
    seconds = tuple(each.median_seconds or 0.0 for each in numbers)
    curve = Curve("votes", tuple(float(each.first) for each in numbers), marks, seconds)
    return curves((curve,), "number of the ballot", below="median s", joined=False)


def _distributions(report: StudyReport) -> Chart:
    pairs = report.export.pairs
    return pair_histograms(
        [(p.lower_complexity, p.lower_r2, p.lower_eic) for p in pairs],
        [(p.higher_complexity, p.higher_r2, p.higher_eic) for p in pairs],
    )


def pair_histograms(
    lower: Sequence[tuple[float, float, float]], higher: Sequence[tuple[float, float, float]]
) -> Chart:
    """The pairs of a study, frozen or not, as in the left panels of Figure ``fig:LLM_rating`` of Yu
    et al. `lower` and `higher` hold complexity, R² and EIC of the formula of lower and higher EIC
    of each pair; values that are not finite are left out.

    >>> chart = pair_histograms([(5, 0.9, 0.2)], [(6, float("nan"), 3.2)])
    >>> [bars.high.tolist() for bars in chart.panels[0].marks], len(chart.panels[1].marks[0].at)
    ([[1, 0], [0, 1]], 1)
    """
    empty = "nothing known" if len(lower) else "no pairs"
    panels = [
        _histogram(name, [m[i] for m in lower], [m[i] for m in higher], empty)
        for i, name in enumerate(QUANTITIES)
    ]
    return Chart(tuple(panels), f"{len(lower):,} pairs: {PAIRS}", columns=len(panels))


def _votes_per_pair(report: StudyReport) -> Chart:
    found = Counter(report.votes_per_pair.values())
    counts = tuple(found[n] for n in range(max(found, default=-1) + 1))
    bars = Bars([*range(len(counts))], counts, colour="blue", opacity=0.75)
    x = ChartAxis(
        "valid votes on a pair", (-0.6, max(1, len(counts)) - 0.4), whole_ticks(len(counts), 12)
    )
    top = max(counts, default=0)
    y = ChartAxis("pairs", (0, 1.05 * top or 1), whole_ticks(top))
    words = "; ".join(f"{count:,} with {votes}" for votes, count in enumerate(counts) if count)
    return Chart(
        (Panel((bars if counts else _reason("no pairs"),), x, y, 140),), words or "no pairs"
    )


def _why(reason: Limit | None) -> str:
    return "" if reason is None else str(limit(reason))


def _span(interval: Interval) -> str:
    return wording.percent_range(interval.low, interval.high, 1)


def _histogram(axis: str, lower: Sequence[float], higher: Sequence[float], empty: str) -> Panel:
    sides = [np.array([v for v in side if np.isfinite(v)]) for side in (lower, higher)]
    both = np.concatenate(sides)
    if not len(both):
        return Panel((_reason(empty),), ChartAxis(axis, ticks=()), ChartAxis(ticks=()), 170)
    low, high = float(both.min()), float(both.max())
    if axis == QUANTITIES[0]:
        step = max(1, int(np.ceil((high - low + 1) / BINS)))
        edges = np.arange(low - 0.5, high + step, step)
    else:
        edges = np.linspace(low, high, BINS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    middles, wide = (edges[:-1] + edges[1:]) / 2, float(edges[1] - edges[0])
    marks = []
    for side, (colour, *_), name in zip(sides, LOOKS, ("lower EIC", "higher EIC"), strict=True):
        counts = np.histogram(side, edges)[0]
        hints = [
            f"{name}\n{wording.count(n, 'pair')} at {axis} {x:.3g}"
            for n, x in zip(counts.tolist(), middles, strict=True)
        ]
        marks.append(
            Bars(middles, counts, wide, colour=colour, opacity=0.5, name=name, hints=hints)
        )
    top = max(float(np.max(bars.high)) for bars in marks)
    up = ChartAxis("pairs" if axis == QUANTITIES[0] else "", (0, 1.05 * top), whole_ticks(top))
    return Panel(tuple(marks), ChartAxis(axis), up, 170)


def _reason(text: str, height: float = 0.5) -> Label:
    """A sentence in place of a picture."""
    return Label(text, 0.5, height, "xy", "center", colour="muted")


@dataclass(frozen=True)
class FigureKind:
    title: str
    caption: str
    # Never fails: where there is nothing to draw, the description says why
    describe: Callable[[StudyReport], Chart]
    wide: bool = False  # Whether it needs the width of a page; a phone lets it scroll

    def chart(self, report: StudyReport) -> Chart:
        """What is described, its caption in its words."""
        drawn = self.describe(report)
        return replace(drawn, words=f"{self.caption} {drawn.words}")


FIGURES: dict[str, FigureKind] = {
    "preference": FigureKind(
        "Preference for the lower EIC",
        "Share of votes for the formula of lower EIC, with its interval; hollow, what Yu et al. "
        "report of their pairs. The dashed line is no preference.",
        _preference,
    ),
    "agreement": FigureKind(
        "Agreement between raters",
        "Agreement on the pairs with two or more deciding votes, with intervals. "
        "For all but raw agreement the dashed line is what chance would give.",
        _agreement,
    ),
    "sensitivity": FigureKind(
        "Exclusion thresholds",
        "The rate with its clustered interval, and how many votes are left, had the exclusion "
        "threshold been another one. The diamond is the frozen rule.",
        _sensitivity,
        wide=True,
    ),
    "ballots": FigureKind(
        "The course of a session",
        "Rate with its clustered interval, and median active seconds, by number of the ballot.",
        _ballots,
    ),
    "problems": FigureKind(
        "Preference by problem",
        "Share of valid votes for the formula of lower EIC in each problem, with intervals that "
        "allow for clusters; votes in brackets. The dashed line is no preference.",
        _problems,
    ),
    "distributions": FigureKind(
        "The pairs",
        f"The two formulas of each pair: {PAIRS}.",
        _distributions,
        wide=True,
    ),
    "votes-per-pair": FigureKind(
        "Votes on each pair", "How many pairs have how many valid votes.", _votes_per_pair
    ),
}
"""The figures of a report by name, in the order of reading."""
