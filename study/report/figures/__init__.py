"""Printed figures of a report, drawn with Matplotlib and without a display."""

from study.report.figures.distributions import pair_distributions
from study.report.figures.forest import preference_figure
from study.report.figures.style import to_svg
from study.report.figures.votes_per_pair import votes_figure

__all__ = ["pair_distributions", "preference_figure", "to_svg", "votes_figure"]
