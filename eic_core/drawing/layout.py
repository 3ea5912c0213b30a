"""Where the nodes of a tree stand.

`tidy` is the drawing of E. M. Reingold and J. S. Tilford ("Tidier drawings of trees",
IEEE TSE 7, 1981) for nodes of different widths: subtrees are pushed together until
their contours touch, a parent stands over the middle of its children.  Contours are
merged into the longer of the two, so the time is linear in the number of nodes, and
nothing recurses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from eic_core.drawing.folding import VisibleTree, focus_node, heat, visible_tree

__all__ = ["GAP", "Placement", "VisibleTree", "focus_node", "heat", "tidy", "visible_tree"]

GAP = 10.0
"""Least distance between two neighbouring nodes, in the unit of the widths."""


@dataclass(frozen=True)
class Placement:
    """Centres of the nodes shown.

    Attributes
    ----------
    x : mapping of id to float
        From 0 at the left edge of the leftmost node.
    level : mapping of id to int
        0 at the root.
    width : float
        From the left edge of the leftmost node to the right edge of the rightmost.
    levels : int
    """

    x: Mapping[int, float]
    level: Mapping[int, int]
    width: float
    levels: int


class _Contour:
    """Left and right outline of a subtree, deepest level first, plus a shift."""

    __slots__ = ("left", "left_shift", "right", "right_shift")

    def __init__(self) -> None:
        self.left: list[float] = []
        self.right: list[float] = []
        self.left_shift = 0.0
        self.right_shift = 0.0

    def push_right(self, other: _Contour) -> float:
        """Put `other` to the right of this one; returns by how much it was moved."""
        shared = min(len(self.right), len(other.left))
        move = -math.inf
        for i in range(1, shared + 1):
            room = self.right[-i] + self.right_shift - other.left[-i] - other.left_shift
            move = max(move, room)
        move += GAP
        if len(other.left) > len(self.left):
            taken, shift = other.left, other.left_shift + move
            for i in range(1, shared + 1):
                taken[-i] = self.left[-i] + self.left_shift - shift
            self.left, self.left_shift = taken, shift
        if len(other.right) >= len(self.right):
            self.right, self.right_shift = other.right, other.right_shift + move
        else:
            for i in range(1, shared + 1):
                self.right[-i] = other.right[-i] + other.right_shift + move - self.right_shift
        return move

    def cover(self, centre: float, width: float) -> None:
        """Put a node on top."""
        self.left.append(centre - width / 2 - self.left_shift)
        self.right.append(centre + width / 2 - self.right_shift)


def tidy(tree: VisibleTree, widths: Mapping[int, float]) -> Placement:
    """Place the nodes of a tree.

    Parameters
    ----------
    tree : VisibleTree
    widths : mapping of id to float

    Examples
    --------
    >>> tree = VisibleTree((0, 1, 2), {0: (), 1: (), 2: (0, 1)}, {})
    >>> sorted(tidy(tree, {0: 20, 1: 20, 2: 20}).x.items())
    [(0, 10.0), (1, 40.0), (2, 25.0)]
    """
    contours: dict[int, _Contour] = {}
    centre: dict[int, float] = {}  # in the frame of the node's own subtree
    moved: dict[int, float] = {}  # of a child's frame within its parent's
    for k in tree.order:
        children = tree.children[k]
        if not children:
            contour, middle = _Contour(), 0.0
        else:
            contour = contours.pop(children[0])
            moved[children[0]] = 0.0
            for child in children[1:]:
                moved[child] = contour.push_right(contours.pop(child))
            last = children[-1]
            middle = (centre[children[0]] + centre[last] + moved[last]) / 2
        contour.cover(middle, widths[k])
        contours[k], centre[k] = contour, middle
    root = tree.order[-1]
    outline = contours[root]
    left = min(outline.left) + outline.left_shift
    right = max(outline.right) + outline.right_shift
    frame = {root: -left}
    level = {root: 0}
    x: dict[int, float] = {}
    for k in reversed(tree.order):
        x[k] = frame[k] + centre[k]
        for child in tree.children[k]:
            frame[child] = frame[k] + moved[child]
            level[child] = level[k] + 1
    return Placement(x, level, right - left, max(level.values()) + 1)
