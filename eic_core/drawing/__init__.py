"""Pictures without a screen library: the colour scale, a tree's layout and its SVG."""

from eic_core.drawing.layout import VisibleTree, visible_tree
from eic_core.drawing.scale import SCALE, colour, paint, text_on
from eic_core.drawing.svg import tree_svg

__all__ = [
    "SCALE",
    "VisibleTree",
    "colour",
    "paint",
    "text_on",
    "tree_svg",
    "visible_tree",
]
