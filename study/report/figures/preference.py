"""The rate with the interval that the votes support, and the paper's narrower ones beneath."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from study.report.analysis import StudyReport
from study.report.figures.style import HIGHER, INK, LOWER, NARROW, QUIET, rate_axis, say, style
from study.report.words import percent
from study.statistics.preference import Interval

Line = tuple[str, Interval, str, float]


def preference_figure(report: StudyReport) -> Figure:
    """The headline interval, thick; below it those that take votes as independent."""
    found, preference = report.inference, report.preference
    rate = found.rate
    lines = _lines(report)
    with style():
        figure = Figure(figsize=(NARROW, 1.3 + 0.42 * max(1, len(lines))), layout="constrained")
        ax = figure.subplots()
        ax.spines["left"].set_visible(False)
        ax.set_yticks([])
        rate_axis(ax)
        ax.set_xlabel("share of votes for the formula of lower EIC")
        if rate is None:
            say(ax, found.reason or preference.reason)
            return figure
        for y, line in enumerate(reversed(lines)):
            _draw(ax, y, line, rate)
        ax.set_ylim(-0.5, len(lines) + 0.25)
        top = len(lines) - 0.2
        ax.text(0.02, top, "← higher EIC preferred", color=HIGHER, va="bottom")
        ax.text(0.98, top, "lower EIC preferred →", color=LOWER, va="bottom", ha="right")
    return figure


def _lines(report: StudyReport) -> list[Line]:
    """The intervals that there are, as (what, interval, colour, width)."""
    level, preference = report.level, report.preference
    clusters = " and ".join(kind for kind, _ in report.inference.clusters)
    found: list[tuple[str, Interval | None, str, float]] = [
        (f"What the votes support: clustered by {clusters}", report.inference.interval(level),
         LOWER, 4.0),
        ("Check: pairs drawn again (bootstrap)", report.bootstrap, QUIET, 1.5),
        ("As in the paper: votes taken as independent (Wilson)", preference.wilson(level),
         QUIET, 1.5),
    ]  # fmt: skip
    return [(name, i, colour, width) for name, i, colour, width in found if i is not None]


def _draw(ax: Axes, y: float, line: Line, rate: float) -> None:
    name, interval, colour, width = line
    ax.plot([interval.low, interval.high], [y, y], color=colour, linewidth=width,
            solid_capstyle="butt")  # fmt: skip
    ax.plot([rate], [y], "o", color=colour, markersize=3 + 1.2 * width,
            markeredgecolor="white")  # fmt: skip
    ends = f"{percent(rate)}  ({100 * interval.low:.1f} to {100 * interval.high:.1f})"
    place = min(max(rate, 0.36), 0.64)
    ax.text(place, y + 0.2, f"{name}", ha="center", va="bottom", fontsize=7.5, color=INK)
    far = interval.low > 0.35
    ax.text(interval.low - 0.02 if far else interval.high + 0.02, y, ends,
            ha="right" if far else "left", va="center", fontsize=7.5, color=INK)  # fmt: skip
