"""The preference in each problem."""

from __future__ import annotations

from matplotlib.figure import Figure

from study.report.analysis import StudyReport
from study.report.figures.style import INK, LOWER, NARROW, rate_axis, say, style


def forest_figure(report: StudyReport) -> Figure:
    """The rate with its Wilson interval, for all votes and for each problem."""
    rows = [("all", report.preference), *((p.problem, p.preference) for p in report.by_problem)]
    shown = [(name, p) for name, p in rows if p.votes]
    with style():
        figure = Figure(figsize=(NARROW, 0.9 + 0.28 * max(len(shown), 1)), layout="constrained")
        ax = figure.subplots()
        for y, (name, p) in enumerate(reversed(shown)):
            interval, rate = p.wilson(report.level), p.rate
            assert interval is not None and rate is not None
            width = 3.0 if name == "all" and y == len(shown) - 1 else 1.5
            ax.plot([interval.low, interval.high], [y, y], color=LOWER, linewidth=width)
            ax.plot([rate], [y], "o", color=LOWER, markersize=2 + 1.5 * width)
        rate_axis(ax)
        ax.set_yticks(
            range(len(shown)), [f"{name} ({p.votes})" for name, p in reversed(shown)],
            parse_math=False,
        )
        ax.set_xlabel("share of votes for the lower EIC (votes in brackets)", color=INK)
        if not shown:
            say(ax, "no valid votes")
    return figure
