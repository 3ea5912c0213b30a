"""The figures of a report as data: marks, curves and counts, drawn by Matplotlib or Plotly
elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core import wording
from study.report.analysis import StudyReport
from study.report.phrases.limits import limit
from study.statistics.exclusions import Unit
from study.statistics.limits import Limit
from study.statistics.preference import Interval
from study.statistics.threats.sensitivity import SensitivityPoint

COLOURS = {False: ("#0072B2", "#D55E00"), True: ("#5CB8F0", "#F0A03C")}
"""Blue and vermilion after Okabe and Ito by `dark`: of the lower and of the higher EIC.

They are told apart with any colour vision.
"""
SHARES, SHARE_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0), ("0", "25", "50", "75", "100 %")
"""Where the axis of a share is marked, and how."""
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


@dataclass(frozen=True)
class Mark:
    name: str  # Said beside it
    value: float | None  # None: there is none, and `text` says so
    # low, high: ends of the interval; None without one
    low: float | None = None
    high: float | None = None
    # The number in words, such as "69.8 %, interval 65.0 to 75.0 %"; lines more where a reader asks
    # for it
    text: str = ""
    check: bool = False  # To compare with, and not the number that counts
    weight: float = 1.0  # Share of the votes behind it, in [0, 1]: the more, the thicker


@dataclass(frozen=True)
class Intervals:
    marks: tuple[Mark, ...]  # From top to bottom
    axis: str = ""  # Title of the axis; "" without one
    limits: tuple[float, float] = (0.0, 1.0)  # Ends of the axis; (0, 1) is written in percent
    middle: float = 0.5  # A line to compare with
    # Names stand at the left; else, with the text of their mark, above the interval
    beside: bool = True
    ends: tuple[str, str] = ("", "")  # What the two ends of the axis mean; "" where nothing is said
    total: bool = False  # The last mark is of all others together, and set apart
    empty: str = ""  # Said where there is no mark


@dataclass(frozen=True)
class Curve:
    name: str
    at: tuple[float, ...]  # Ascending, one for each mark
    marks: tuple[Mark, ...]  # The name of a mark is the first line of what is said of it
    below: tuple[float, ...]  # What is drawn below each mark
    chosen: int | None = None  # Place of the mark to point out

    @property
    def known_marks(self) -> tuple[tuple[float, Mark], ...]:
        """Marks that have a value, with their places."""
        pairs = zip(self.at, self.marks, strict=True)
        return tuple((at, mark) for at, mark in pairs if mark.value is not None)


@dataclass(frozen=True)
class Curves:
    """One or two curves of shares, 0 to 100 % upwards, with something counted below."""

    curves: tuple[Curve, ...]
    # axis, upwards, below: titles of the axes: of what lies across, of the shares, and of what is
    # counted
    axis: str
    upwards: str = "for the lower EIC"
    below: str = ""
    chosen: str = ""  # Said of the marks that the curves point out
    joined: bool = True  # The marks of a curve are joined by lines, and their intervals by a band
    empty: str = NO_VOTES  # Said where there is no share


@dataclass(frozen=True)
class Histogram:
    """How often values of two kinds fall into bins that they share."""

    axis: str
    edges: tuple[float, ...]  # One more than there are bins
    # lower, higher: counts of the formulas of lower and of higher EIC
    lower: tuple[int, ...]
    higher: tuple[int, ...]
    empty: str = ""  # Said where nothing is counted; "" where something is


@dataclass(frozen=True)
class Histograms:
    panels: tuple[Histogram, ...]
    names: tuple[str, str] = ("lower EIC", "higher EIC")
    upwards: str = "pairs"


@dataclass(frozen=True)
class Counts:
    counts: tuple[int, ...]
    # axis, upwards: titles of the axes
    axis: str
    upwards: str
    empty: str = ""  # Said where there is nothing to count


Picture = Intervals | Curves | Histograms | Counts


def share_mark(
    name: str,
    rate: float | None,
    interval: Interval | None,
    *,
    reason: str = "",
    more: str = "",
    weight: float = 1.0,
) -> Mark:
    """A share with its interval, in words too.

    >>> share_mark("all", 0.7, Interval(0.65, 0.75, 0.95, "t")).text
    '70.0 %, interval 65.0 % to 75.0 %'
    >>> share_mark("none", None, None, reason="no votes").text
    'no votes'
    """
    if rate is None:
        return Mark(name, None, text=reason or "no rate", weight=weight)
    if interval is None:
        return Mark(name, rate, text=wording.percent(rate, 1) + more, weight=weight)
    text = f"{wording.percent(rate, 1)}, interval {_span(interval)}{more}"
    return Mark(name, rate, interval.low, interval.high, text, weight=weight)


def _preference(report: StudyReport) -> Intervals:
    """People, each model that was asked, and what Yu et al. report, without intervals."""
    found, level = report.inference, report.level
    if found.rate is None and not report.models.runs:
        return Intervals((), beside=False, empty=_why(found.reason))
    why = _why(found.reason) if found.rate is None else ""
    marks = [share_mark("people", found.rate, found.interval(level), reason=why)]
    marks += [
        share_mark(
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
        Mark(name, value, text=f"{100 * value:.4g} %, as they report it", check=True)
        for name, value in theirs
    ]
    return Intervals(tuple(marks), beside=False, ends=ENDS)


def _agreement(report: StudyReport) -> Intervals:
    """A line for each coefficient; 0 is chance, or no agreement at all, and 1 is complete."""
    marks = []
    for each in report.agreement.coefficients:
        if each.value is None or each.name not in COEFFICIENTS:
            continue
        text, interval = f"{each.value:.2f}", each.interval
        if interval is None:
            marks.append(Mark(each.name, each.value, text=text))
        else:
            text += f", interval {interval.low:.2f} to {interval.high:.2f}"
            marks.append(Mark(each.name, each.value, interval.low, interval.high, text))
    lowest = min([0.0, *(mark.low if mark.low is not None else mark.value or 0 for mark in marks)])
    return Intervals(
        tuple(marks),
        "agreement (1 is complete)",
        (lowest - 0.05, 1.03),
        middle=0.0,
        empty=_why(report.agreement.raw_agreement.reason),
    )


def _problems(report: StudyReport) -> Intervals:
    """A line for each problem, the highest rate on top; all votes below, set apart."""
    overall = report.inference
    if overall.rate is None:
        return Intervals((), FOR_LOWER, empty=_why(overall.reason))
    rates = report.threats.problems.with_votes
    marks = [
        share_mark(f"{p.problem} ({p.votes:,})", p.rate, p.interval, weight=p.votes / overall.votes)
        for p in sorted(rates, key=lambda p: (-(p.rate or 0), p.problem))
    ]
    marks.append(
        share_mark(f"all ({overall.votes:,})", overall.rate, overall.interval(report.level))
    )
    return Intervals(tuple(marks), FOR_LOWER, total=True)


def _sensitivity(report: StudyReport) -> Curves:
    """The rate and the valid votes had the exclusion threshold been another one."""

    def mark(point: SensitivityPoint) -> Mark:
        few = 0 < point.rate.votes < FEW and not point.frozen
        if few:
            said = f"{wording.count(point.rate.votes, 'deciding vote')}: too few for a rate"
            return Mark(f"under {point.threshold_seconds:g} s left out", None, text=said)
        return share_mark(
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

    return Curves(
        tuple(map(curve, UNITS)), "under … s left out", below="valid votes", chosen="frozen rule"
    )


def _ballots(report: StudyReport) -> Curves:
    numbers = report.threats.ballots.numbers
    marks = tuple(
        share_mark(
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
    return Curves((curve,), "number of the ballot", below="median s", joined=False)


def _distributions(report: StudyReport) -> Histograms:
    pairs = report.export.pairs
    return pair_histograms(
        [(p.lower_complexity, p.lower_r2, p.lower_eic) for p in pairs],
        [(p.higher_complexity, p.higher_r2, p.higher_eic) for p in pairs],
    )


def pair_histograms(
    lower: Sequence[tuple[float, float, float]], higher: Sequence[tuple[float, float, float]]
) -> Histograms:
    """The pairs of a study, frozen or not, as in the left panels of Figure ``fig:LLM_rating`` of Yu
    et al. `lower` and `higher` hold complexity, R² and EIC of the formula of lower and higher EIC
    of each pair; values that are not finite are left out.

    >>> found = pair_histograms([(5, 0.9, 0.2)], [(6, float("nan"), 3.2)]).panels
    >>> found[0].edges, found[0].lower, found[0].higher
    ((4.5, 5.5, 6.5), (1, 0), (0, 1))
    >>> found[1].edges, found[1].lower, found[1].higher
    ((0.4, 1.4), (1,), (0,))
    """
    empty = "nothing known" if len(lower) else "no pairs"
    return Histograms(
        tuple(
            _histogram(name, [float(m[i]) for m in lower], [float(m[i]) for m in higher], empty)
            for i, name in enumerate(QUANTITIES)
        )
    )


def _votes_per_pair(report: StudyReport) -> Counts:
    found = Counter(report.votes_per_pair.values())
    counts = tuple(found[n] for n in range(max(found, default=-1) + 1))
    return Counts(counts, "valid votes on a pair", "pairs", empty="no pairs")


def _why(reason: Limit | None) -> str:
    return "" if reason is None else str(limit(reason))


def _span(interval: Interval) -> str:
    return wording.percent_range(interval.low, interval.high, 1)


def _histogram(axis: str, lower: Sequence[float], higher: Sequence[float], empty: str) -> Histogram:
    sides = [np.array([v for v in side if np.isfinite(v)]) for side in (lower, higher)]
    both = np.concatenate(sides)
    if not len(both):
        return Histogram(axis, (0.0, 1.0), (0,), (0,), empty)
    low, high = float(both.min()), float(both.max())
    if axis == QUANTITIES[0]:
        step = max(1, int(np.ceil((high - low + 1) / BINS)))
        edges = np.arange(low - 0.5, high + step, step)
    else:
        edges = np.linspace(low, high, BINS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    below, above = (tuple(map(int, np.histogram(side, edges)[0])) for side in sides)
    return Histogram(axis, tuple(map(float, edges)), below, above)


@dataclass(frozen=True)
class FigureKind:
    title: str
    caption: str
    # Never fails: where there is nothing to draw, the description says why
    describe: Callable[[StudyReport], Picture]
    wide: bool = False  # Whether it needs the width of a page; a phone lets it scroll


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
        "The two formulas of each pair: alike in complexity and R², apart in EIC.",
        _distributions,
        wide=True,
    ),
    "votes-per-pair": FigureKind(
        "Votes on each pair", "How many pairs have how many valid votes.", _votes_per_pair
    ),
}
"""The figures of a report by name, in the order of reading."""
