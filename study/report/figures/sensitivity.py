"""The rate had the exclusion threshold been another one."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from study.report.analysis import StudyReport
from study.report.figures.style import HIGHER, INK, LOWER, PALE, WIDE, say, style
from study.statistics.exclusions import Unit
from study.statistics.threats.sensitivity import SensitivityPoint

PANELS: tuple[tuple[Unit, str], ...] = (
    ("session", "whole sessions under … s left out"),
    ("vote", "single votes under … s left out"),
)


def sensitivity_figure(report: StudyReport) -> Figure:
    """Rate with its clustered interval above, valid votes below; the frozen rule marked."""
    found = report.threats.sensitivity
    with style():
        figure = Figure(figsize=(WIDE, 3.4), layout="constrained")
        axes = figure.subplots(2, 2, sharex="col", sharey="row", height_ratios=(3, 1.2))
        for column, (unit, label) in enumerate(PANELS):
            points = found.of_unit(unit)
            _rates(axes[0][column], points, report.level)
            _votes(axes[1][column], points)
            axes[1][column].set_xlabel(label)
        axes[0][0].set_ylabel("for the lower EIC")
        axes[0][0].set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
        axes[0][0].set_ylim(0, 1)
        axes[1][0].set_ylabel("valid votes")
        axes[1][0].yaxis.set_major_locator(MaxNLocator(3, integer=True))
        axes[1][0].set_ylim(bottom=0)
    return figure


def _rates(ax: Axes, points: tuple[SensitivityPoint, ...], level: float) -> None:
    ax.axhline(0.5, color=INK, linewidth=0.8, linestyle="--", zorder=0)
    some = [(p.threshold_seconds, p.rate.rate) for p in points if p.rate.rate is not None]
    if not some:
        say(ax, "no valid votes")
        return
    ends = [(p.threshold_seconds, p.interval(level)) for p in points]
    known = [(x, i) for x, i in ends if i is not None]
    ax.fill_between(
        [x for x, _ in known], [i.low for _, i in known], [i.high for _, i in known],
        color=LOWER, alpha=0.2, linewidth=0,
    )  # fmt: skip
    ax.plot(*zip(*some, strict=True), color=LOWER, marker="o", markersize=3)
    for p in points:
        if p.frozen and p.rate.rate is not None:
            ax.axvline(p.threshold_seconds, color=HIGHER, linewidth=1, linestyle=":")
            ax.plot([p.threshold_seconds], [p.rate.rate], "D", color=HIGHER, markersize=7,
                    markeredgecolor="white")  # fmt: skip
            ax.annotate("frozen rule", (p.threshold_seconds, 0), (4, 4), color=HIGHER,
                        textcoords="offset points", fontsize=8)  # fmt: skip


def _votes(ax: Axes, points: tuple[SensitivityPoint, ...]) -> None:
    seconds = [p.threshold_seconds for p in points]
    ax.fill_between(seconds, [p.valid for p in points], step="post", color=PALE, linewidth=0)
    ax.set_xticks([0, 60, 120, 180])
