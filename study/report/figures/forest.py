"""The preference in each problem."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from study.report.analysis import StudyReport
from study.report.figures.style import LOWER, NARROW, QUIET, rate_axis, say, style
from study.statistics.preference import Interval


def forest_figure(report: StudyReport) -> Figure:
    """A line for each problem, in the order of rates; all votes below, with their own interval."""
    found = sorted(report.threats.problems.judged, key=lambda p: (p.rate or 0.0, p.problem))
    with style():
        figure = Figure(figsize=(NARROW, 1.0 + 0.25 * (len(found) + 1)), layout="constrained")
        ax = figure.subplots()
        rate_axis(ax)
        ax.set_xlabel("votes for the formula of lower EIC")
        overall = report.inference
        if overall.rate is None:
            say(ax, overall.reason)
            ax.set_yticks([])
            return figure
        most = max(p.votes for p in found)
        for y, p in enumerate(found, start=1):
            _line(ax, y, p.rate or 0.0, p.interval, 3 + 5 * (p.votes / most) ** 0.5, 1.5)
        _line(ax, 0, overall.rate, overall.interval(report.level), 9, 4)
        ax.axhline(0.5, color=QUIET, linewidth=0.5)
        names = [f"all ({overall.votes:,})", *(f"{p.problem} ({p.votes:,})" for p in found)]
        ax.set_yticks(range(len(names)), names, parse_math=False)
        ax.set_ylim(-0.6, len(names) - 0.4)
    return figure


def _line(
    ax: Axes, y: float, rate: float, interval: Interval | None, size: float, width: float
) -> None:
    if interval is not None:
        ax.plot([interval.low, interval.high], [y, y], color=LOWER, linewidth=width,
                solid_capstyle="butt")  # fmt: skip
    ax.plot([rate], [y], "o", color=LOWER, markersize=size, markeredgecolor="white", clip_on=False)
