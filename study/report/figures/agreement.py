"""Coefficients of agreement with their intervals."""

from __future__ import annotations

from matplotlib.figure import Figure

from study.report.analysis import StudyReport
from study.report.figures.style import INK, LOWER, NARROW, say, style


def agreement_figure(report: StudyReport) -> Figure:
    """A line for each coefficient; 0 is chance, or no agreement at all, and 1 is complete."""
    found = [(c.value, c) for c in report.agreement.coefficients if c.value is not None]
    with style():
        figure = Figure(figsize=(NARROW, 0.8 + 0.32 * max(2, len(found))), layout="constrained")
        ax = figure.subplots()
        for y, (value, each) in enumerate(reversed(found)):
            if each.interval is not None:
                ends = [each.interval.low, each.interval.high]
                ax.plot(ends, [y, y], color=LOWER, linewidth=2, solid_capstyle="butt")
            ax.plot([value], [y], "o", color=LOWER, markersize=6, markeredgecolor="white")
        lows = [c.interval.low if c.interval else value for value, c in found]
        ax.set_xlim(min([-0.05, *(low - 0.05 for low in lows)]), 1.03)
        ax.axvline(0, color=INK, linewidth=0.8, linestyle="--", zorder=0)
        ax.set_yticks(range(len(found)), [each.name for _, each in reversed(found)])
        ax.set_ylim(-0.6, max(1, len(found)) - 0.4)
        ax.set_xlabel("agreement (1 is complete)")
        if not found:
            say(ax, report.agreement.raw_agreement.reason)
    return figure
