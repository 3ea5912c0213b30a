"""The rate with the interval that the votes support, and the paper's narrower ones beneath."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eic_core import wording
from study.report.analysis import StudyReport
from study.report.figures.style import HIGHER, INK, LOWER, NARROW, QUIET, rate_axis, say, style
from study.statistics.preference import Interval

Line = tuple[str, Interval, str, float]
SMALL = 8


def preference_figure(report: StudyReport) -> Figure:
    """The headline interval, thick; below it those that take votes as independent."""
    rate, lines = report.inference.rate, _lines(report)
    with style():
        figure = Figure(figsize=(NARROW, 1.0 + 0.5 * max(1, len(lines))), layout="constrained")
        ax = figure.subplots()
        ax.spines["left"].set_visible(False)
        ax.set_yticks([])
        rate_axis(ax)
        ax.set_xlabel("votes for the formula of lower EIC")
        if rate is None:
            say(ax, report.inference.reason)
            return figure
        for y, line in enumerate(reversed(lines)):
            _draw(ax, y, line, rate)
        if not lines:
            ax.plot([rate], [0], "o", color=LOWER, markersize=7)
        top = max(1, len(lines)) - 0.15
        ax.set_ylim(-0.4, top + 0.5)
        ax.text(0, top, "← higher EIC preferred", color=HIGHER, va="bottom")
        ax.text(1, top, "lower EIC preferred →", color=LOWER, va="bottom", ha="right")
    return figure


def _lines(report: StudyReport) -> list[Line]:
    """The intervals that there are, as (what, interval, colour, width)."""
    clusters = " and ".join(kind for kind, _ in report.inference.clusters)
    drawn = report.inference.clusters[0][0] + "s" if report.inference.clusters else ""
    found: tuple[tuple[str, Interval | None, str, float], ...] = (
        (f"what the votes support ({clusters} clusters)",
         report.inference.interval(report.level), LOWER, 5.0),
        (f"check, {drawn} drawn again (bootstrap)", report.bootstrap, QUIET, 2.0),
        ("as in the paper, votes taken as independent",
         report.preference.wilson(report.level), QUIET, 2.0),
    )  # fmt: skip
    return [(name, i, colour, width) for name, i, colour, width in found if i is not None]


def _draw(ax: Axes, y: float, line: Line, rate: float) -> None:
    """One interval with its name and its ends above it."""
    name, interval, colour, width = line
    ax.plot([interval.low, interval.high], [y, y], color=colour, linewidth=width,
            solid_capstyle="butt")  # fmt: skip
    ax.plot([rate], [y], "o", color=colour, markersize=4 + width, markeredgecolor="white",
            clip_on=False)  # fmt: skip
    right = rate >= 0.5
    text = f"{name}: {wording.percent_range(interval.low, interval.high, 1)}"
    ax.annotate(text, (1 if right else 0, y), (0, 5 + width / 2), textcoords="offset points",
                va="bottom", ha="right" if right else "left", fontsize=SMALL, color=INK,
                fontweight="bold" if width > 3 else "normal",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
