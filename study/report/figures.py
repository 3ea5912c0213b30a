"""Printed figures of a report, drawn with Matplotlib and without a display."""

from __future__ import annotations

import io
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from study.report.analysis import StudyReport
from study.report.exported import ExportedPair

LOWER, HIGHER, INK = "#0072B2", "#D55E00", "#333333"
"""Okabe and Ito's blue and vermilion, told apart with any colour vision."""

_STYLE: Any = {
    "svg.hashsalt": "eic-lab",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
Quantity = Literal["complexity", "r2", "eic"]
_LABELS: dict[Quantity, str] = {"complexity": "complexity", "r2": "R²", "eic": "EIC (digits)"}


def to_svg(figure: Figure) -> str:
    """A figure as an SVG element to put into a page; the same bytes each time."""
    buffer = io.StringIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def pair_distributions(pairs: tuple[ExportedPair, ...]) -> Figure:
    """Complexity, R² and EIC of the lower and the higher members.

    After Yu et al., Figure ``fig:LLM_rating``, left panels.
    """
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8.4, 2.6), layout="constrained")
        axes = figure.subplots(1, 3)
        for ax, (quantity, label) in zip(axes, _LABELS.items(), strict=True):
            _distribution(ax, pairs, quantity)
            ax.set_xlabel(label)
            ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes[0].set_ylabel("pairs")
        handles, labels = axes[0].get_legend_handles_labels()
        if handles:
            figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    return figure


def _distribution(ax: Axes, pairs: tuple[ExportedPair, ...], quantity: Quantity) -> None:
    sides = {
        "lower EIC": [float(getattr(p, f"lower_{quantity}")) for p in pairs],
        "higher EIC": [float(getattr(p, f"higher_{quantity}")) for p in pairs],
    }
    both = np.array([v for values in sides.values() for v in values if np.isfinite(v)])
    if not len(both):
        ax.text(0.5, 0.5, "no pairs", ha="center", va="center", transform=ax.transAxes)
        return
    if quantity == "complexity":
        step = max(1, int(np.ceil((both.max() - both.min() + 1) / 20)))
        edges = np.arange(both.min() - 0.5, both.max() + step + 0.5, step)
    else:
        low, high = float(both.min()), float(both.max())
        edges = np.linspace(low, high, 21) if high > low else np.array([low - 0.5, low + 0.5])
    for (name, values), colour in zip(sides.items(), (LOWER, HIGHER), strict=True):
        ax.hist(values, bins=edges.tolist(), histtype="stepfilled", alpha=0.35, color=colour)
        ax.hist(values, bins=edges.tolist(), histtype="step", color=colour, label=name)


def preference_figure(report: StudyReport) -> Figure:
    """The rate with its Wilson interval, for all votes and for each problem."""
    rows = [("all", report.preference), *((p.problem, p.preference) for p in report.by_problem)]
    shown = [(name, p) for name, p in rows if p.votes]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8.4, 0.9 + 0.28 * max(len(shown), 1)), layout="constrained")
        ax = figure.subplots()
        for y, (name, p) in enumerate(reversed(shown)):
            interval, rate = p.wilson(report.level), p.rate
            assert interval is not None and rate is not None
            width = 3.0 if name == "all" and y == len(shown) - 1 else 1.5
            ax.plot([interval.low, interval.high], [y, y], color=LOWER, linewidth=width)
            ax.plot([rate], [y], "o", color=LOWER, markersize=2 + 1.5 * width)
        ax.axvline(0.5, color=INK, linewidth=0.8, linestyle="--")
        ax.set_xlim(0, 1)
        ax.set_yticks(
            range(len(shown)), [f"{name} ({p.votes})" for name, p in reversed(shown)],
            parse_math=False,
        )
        ax.set_xlabel("share of votes for the lower EIC (votes)")
        if not shown:
            ax.text(0.5, 0.5, "no valid votes", ha="center", transform=ax.transAxes)
    return figure


def votes_figure(report: StudyReport) -> Figure:
    """How many pairs have how many valid votes."""
    votes = list(report.votes_per_pair.values())
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8.4, 2.0), layout="constrained")
        ax = figure.subplots()
        counts = np.bincount(votes) if votes else np.zeros(1, dtype=int)
        ax.bar(range(len(counts)), counts, color=LOWER, width=0.8)
        ax.set_xlabel("valid votes")
        ax.set_ylabel("pairs")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return figure
