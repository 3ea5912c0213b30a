"""Figures: pure functions from an inspection to a Plotly figure; no Streamlit."""

from pages.ui.figures.data import (
    curve_figure,
    residual_figure,
    slice_defaults,
    slice_figure,
    surface_figure,
    worst_sample,
)
from pages.ui.figures.layout import VisibleTree, visible_tree
from pages.ui.figures.ruler import ruler_figure
from pages.ui.figures.scale import (
    SCALE,
    colour,
    digits_text,
    paint,
    text_on,
)
from pages.ui.figures.tree import tree_figure, tree_svg

__all__ = [
    "SCALE",
    "VisibleTree",
    "colour",
    "curve_figure",
    "digits_text",
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
