"""How many pairs have how many valid votes."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from study.report.analysis import StudyReport
from study.report.figures.style import LOWER, NARROW, say, style


def votes_figure(report: StudyReport) -> Figure:
    """A bar for each number of valid votes."""
    votes = list(report.votes_per_pair.values())
    with style():
        figure = Figure(figsize=(NARROW, 2.0), layout="constrained")
        ax = figure.subplots()
        if votes:
            counts = np.bincount(votes)
            ax.bar(range(len(counts)), counts, color=LOWER, width=0.8)
        else:
            say(ax, "no pairs")
        ax.set_xlabel("valid votes on a pair")
        ax.set_ylabel("pairs")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return figure
