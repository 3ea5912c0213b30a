"""Rate and time in the course of a session."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from study.report.analysis import StudyReport
from study.report.figures.style import INK, LOWER, NARROW, PALE, say, style


def ballots_figure(report: StudyReport) -> Figure:
    """Rate with its interval for each ballot number above, median active seconds below."""
    numbers = report.threats.ballots.numbers
    with style():
        figure = Figure(figsize=(NARROW, 3.0), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        upper.axhline(0.5, color=INK, linewidth=0.8, linestyle="--", zorder=0)
        upper.set_ylim(0, 1)
        upper.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
        upper.set_ylabel("for the lower EIC")
        lower.set_ylabel("median s")
        lower.set_xlabel("number of the ballot")
        lower.xaxis.set_major_locator(MaxNLocator(integer=True))
        if not numbers:
            say(upper, "no valid votes")
        for each in numbers:
            interval, rate = each.rate.interval(report.level), each.rate.rate
            if interval is not None:
                ends = [interval.low, interval.high]
                upper.plot([each.first] * 2, ends, color=LOWER, linewidth=2, alpha=0.4)
            if rate is not None:
                upper.plot([each.first], [rate], "o", color=LOWER, markersize=5)
            lower.bar([each.first], [each.median_seconds or 0.0], color=PALE, width=0.8)
    return figure
