"""From a report to the figures that its page draws.  No Streamlit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import plotly.graph_objects as go

from eic_core import wording
from pages.ui.figures.estimates import EstimateMark
from pages.ui.figures.pairs import pairs_figure
from pages.ui.figures.results import Curve, counts_figure, curve_figure, forest_figure, rate_figure
from study.report.analysis import StudyReport
from study.statistics.exclusions import Unit
from study.statistics.preference import Interval

UNITS: Mapping[Unit, str] = {"session": "whole sessions", "vote": "single votes"}
Draw = Callable[[StudyReport, bool, bool], go.Figure]


def estimate(
    name: str, rate: float | None, interval: Interval | None, *, reason: str = "",
    plain: bool = False, note: str = "",
) -> EstimateMark:
    """A share with its interval, and what is written beside it.

    Examples
    --------
    >>> estimate("all", 0.7, Interval(0.65, 0.75, 0.95, "t")).text
    '70.0 %, interval 65.0 % to 75.0 %'
    >>> estimate("none", None, None, reason="no votes").text
    'no votes'
    """
    if rate is None:
        return EstimateMark(name, None, text=reason or "no rate", plain=plain)
    said = wording.percent(rate, 1)
    if interval is None:
        return EstimateMark(name, rate, text=f"{said}{note}", plain=plain)
    span = wording.percent_range(interval.low, interval.high, 1)
    return EstimateMark(
        name, rate, interval.low, interval.high, f"{said}, interval {span}{note}", plain
    )


def headline_figure(report: StudyReport, *, dark: bool) -> go.Figure:
    """The rate with the interval that the votes support, and the paper's beneath it."""
    level = wording.level_percent(report.level)
    found, paper = report.inference, report.preference
    rows = [
        estimate(f"What the votes support ({level})", found.rate, found.interval(report.level),
                 reason=found.reason),
        estimate("As the paper computes it", paper.rate, paper.wilson(report.level),
                 reason=paper.reason, plain=True),
    ]  # fmt: skip
    return rate_figure([_short(row) for row in rows], dark=dark)


def interactive(
    report: StudyReport, name: str, *, dark: bool = False, narrow: bool = False
) -> go.Figure | None:
    """The figure of that name (of `study.report.figures.FIGURES`); None if it is only printed."""
    draw = FIGURES.get(name)
    return None if draw is None else draw(report, dark, narrow)


def _short(row: EstimateMark) -> EstimateMark:
    """Only the interval beside the name: the rate stands in the sentence above."""
    if row.value is None or row.low is None or row.high is None:
        return row
    text = wording.percent_range(row.low, row.high)
    return EstimateMark(row.name, row.value, row.low, row.high, text, row.plain)


def _preference(report: StudyReport, dark: bool, narrow: bool) -> go.Figure:
    del narrow
    level = wording.level_percent(report.level)
    found, paper = report.inference, report.preference
    rate = found.rate
    rows = [
        estimate(f"What the votes support ({level})", rate, found.interval(report.level),
                 reason=found.reason),
        *_drawn_again(report),
        estimate("Wilson, votes as independent", paper.rate, paper.wilson(report.level),
                 reason=paper.reason, plain=True),
    ]  # fmt: skip
    return rate_figure([_short(row) for row in rows], dark=dark)


def _drawn_again(report: StudyReport) -> tuple[EstimateMark, ...]:
    """The bootstrap of the pairs; none about these pairs alone, which are not drawn."""
    if report.estimand == "these pairs":
        return ()
    rate = report.inference.rate
    return (estimate("Pairs drawn again (bootstrap)", rate, report.bootstrap, plain=True),)


def _distributions(report: StudyReport, dark: bool, narrow: bool) -> go.Figure:
    values = {
        (side, quantity): [
            value
            for pair in report.export.pairs
            if math.isfinite(value := float(getattr(pair, f"{side}_{quantity}")))
        ]
        for side in ("lower", "higher")
        for quantity in ("complexity", "r2", "eic")
    }
    return pairs_figure(values, dark=dark, narrow=narrow)  # type: ignore[arg-type]


def _votes_per_pair(report: StudyReport, dark: bool, narrow: bool) -> go.Figure:
    del narrow
    counts = list(report.votes_per_pair.values())
    return counts_figure(counts, title="valid votes", upwards="pairs", dark=dark)


def _problems(report: StudyReport, dark: bool, narrow: bool) -> go.Figure:
    judged = report.threats.problems.judged
    rows = [
        estimate(f"{p.problem} ({p.votes})", p.rate, p.interval)
        for p in sorted(judged, key=lambda p: (-(p.rate or 0.0), p.problem))
    ]
    found = report.inference
    everything = estimate(
        f"all ({found.votes})", found.rate, found.interval(report.level), reason=found.reason
    )
    return forest_figure(
        [everything, *rows], dark=dark, narrow=narrow, title="votes for the lower EIC"
    )


def _sensitivity(report: StudyReport, dark: bool, narrow: bool) -> go.Figure:
    found = report.threats.sensitivity
    curves = []
    for unit, name in UNITS.items():
        points = found.of_unit(unit)
        drawn = tuple(
            estimate(
                f"under {p.threshold_seconds:g} s left out", p.rate.rate,
                p.interval(report.level), reason=p.rate.reason,
                note=f"\n{wording.count(p.valid, 'vote')} of {wording.count(p.raters, 'rater')}",
            )
            for p in points
        )  # fmt: skip
        curves.append(Curve(name, tuple(p.threshold_seconds for p in points), drawn))
    frozen = found.frozen
    return curve_figure(
        curves, title="left out if under … seconds", dark=dark, narrow=narrow,
        mark=(frozen.threshold_seconds, frozen.rate.rate, "frozen rule"),
    )  # fmt: skip


def _ballots(report: StudyReport, dark: bool, narrow: bool) -> go.Figure:
    numbers = report.threats.ballots.numbers
    points = tuple(
        estimate(
            f"ballot {each.first}", each.rate.rate, each.rate.interval(report.level),
            reason=each.rate.reason,
            note=f"\n{wording.count(each.votes, 'vote')}, "
            f"median {wording.seconds(each.median_seconds)}",
        )
        for each in numbers
    )  # fmt: skip
    curve = Curve("votes for the lower EIC", tuple(float(n.first) for n in numbers), points)
    return curve_figure([curve], title="number of the ballot", dark=dark, narrow=narrow)


def _agreement(report: StudyReport, dark: bool, narrow: bool) -> go.Figure:
    rows = []
    for each in report.agreement.coefficients:
        interval = each.interval
        if each.value is None or interval is None:
            said = each.reason if each.value is None else wording.number(each.value)
            rows.append(EstimateMark(each.name, each.value, text=said))
            continue
        low, high = wording.number(interval.low), wording.number(interval.high)
        said = f"{wording.number(each.value)}, interval {low} to {high}"
        rows.append(EstimateMark(each.name, each.value, interval.low, interval.high, said))
    lowest = min([0.0, *(row.low for row in rows if row.low is not None)])
    return forest_figure(
        rows, dark=dark, narrow=narrow, limits=(min(-0.25, lowest - 0.05), 1.02), middle=0.0,
        title="agreement: 0 is chance, 1 is complete",
    )  # fmt: skip


FIGURES: Mapping[str, Draw] = {
    "preference": _preference,
    "agreement": _agreement,
    "sensitivity": _sensitivity,
    "ballots": _ballots,
    "distributions": _distributions,
    "problems": _problems,
    "votes-per-pair": _votes_per_pair,
}
