"""Complexity, R² and EIC of the two formulas of each pair."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from study.report.exported import ExportedPair
from study.report.figures.style import HIGHER, LOWER, WIDE, say, style

Quantity = Literal["complexity", "r2", "eic"]
_LABELS: dict[Quantity, str] = {"complexity": "complexity", "r2": "R²", "eic": "EIC (digits)"}


def pair_distributions(pairs: tuple[ExportedPair, ...]) -> Figure:
    """Histograms of the lower and the higher members.

    After Yu et al., Figure ``fig:LLM_rating``, left panels.
    """
    with style():
        figure = Figure(figsize=(WIDE, 2.5), layout="constrained")
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
        f"{side} EIC": [value for value in known if np.isfinite(value)]
        for side in ("lower", "higher")
        for known in [[float(getattr(pair, f"{side}_{quantity}")) for pair in pairs]]
    }
    both = np.array([value for values in sides.values() for value in values])
    if not len(both):
        say(ax, "nothing known" if pairs else "no pairs")
        return
    if quantity == "complexity":
        step = max(1, int(np.ceil((both.max() - both.min() + 1) / 20)))
        edges = np.arange(both.min() - 0.5, both.max() + step + 0.5, step)
    else:
        low, high = float(both.min()), float(both.max())
        edges = np.linspace(low, high, 21) if high > low else np.array([low - 0.5, low + 0.5])
    lines = (LOWER, "-"), (HIGHER, "--")
    for (name, values), (colour, dash) in zip(sides.items(), lines, strict=True):
        ax.hist(values, bins=edges.tolist(), histtype="stepfilled", alpha=0.3, color=colour)
        ax.hist(
            values, bins=edges.tolist(), histtype="step", color=colour, linestyle=dash, label=name
        )
