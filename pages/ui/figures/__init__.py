"""Figures: pure functions from an inspection to a Plotly figure; no Streamlit."""

from eic_core.drawing.layout import VisibleTree, visible_tree
from eic_core.drawing.scale import SCALE, colour, paint, text_on
from eic_core.drawing.svg import tree_svg
from pages.ui.figures.data import curve_figure, residual_figure, slice_figure, surface_figure
from pages.ui.figures.plotting import slice_defaults, worst_sample
from pages.ui.figures.tree import ruler_figure, tree_figure

__all__ = [
    "SCALE",
    "VisibleTree",
    "colour",
    "curve_figure",
    "paint",
    "residual_figure",
    "ruler_figure",
    "slice_defaults",
    "slice_figure",
    "surface_figure",
    "text_on",
    "tree_figure",
    "tree_svg",
    "visible_tree",
    "worst_sample",
]
