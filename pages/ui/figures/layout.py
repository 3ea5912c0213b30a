"""Where the nodes of a tree stand, and which of them are shown.

`tidy` is the drawing of E. M. Reingold and J. S. Tilford ("Tidier drawings of trees",
IEEE TSE 7, 1981) for nodes of different widths: subtrees are pushed together until
their contours touch, a parent stands over the middle of its children.  Contours are
merged into the longer of the two, so the time is linear in the number of nodes, and
nothing recurses.

`visible_tree` folds cool subtrees until what is left can be read.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from eic_core.measure import Inspection

MAX_VISIBLE = {False: 40, True: 20}
"""How many nodes are shown before folding begins, by `narrow`."""

MAX_UNFOLDED = 12
"""How many nodes one click on a folded node brings to light."""

GAP = 10.0
"""Least distance between two neighbouring nodes, in the unit of the widths."""


@dataclass(frozen=True)
class VisibleTree:
    """The part of a tree that is drawn.

    Attributes
    ----------
    order : tuple of int
        Ids of the nodes shown, in post-order.
    children : mapping of id to tuple of id
        Operands shown; empty at leaves and folded nodes.
    folded : mapping of id to int
        Folded nodes and how many nodes each hides (itself not counted).
    """

    order: tuple[int, ...]
    children: Mapping[int, tuple[int, ...]]
    folded: Mapping[int, int]


def focus_node(inspection: Inspection) -> int:
    """The node to look at first: the bottleneck, or where most samples have no value."""
    if math.isnan(inspection.eic):
        worst = max(inspection.nodes, key=lambda n: (n.invalid, n.node.id))
        return worst.node.id
    return inspection.bottleneck


def heat(inspection: Inspection) -> list[float]:
    """For each node the largest local EIC in its subtree; undefined counts as 0.

    Subtrees where samples have no value count at least 3, so that they are not
    the first to be folded.
    """
    hottest: list[float] = []
    for n in inspection.nodes:
        own = 0.0 if math.isnan(n.local_eic) else n.local_eic
        own = max(own, 3.0) if n.invalid else own
        hottest.append(max([own, *(hottest[child] for child in n.node.children)]))
    return hottest


def visible_tree(
    inspection: Inspection,
    unfolded: frozenset[int] = frozenset(),
    *,
    selected: int | None = None,
    narrow: bool = False,
    fits: Callable[[VisibleTree], bool] | None = None,
) -> VisibleTree:
    """Decide which nodes are shown.

    The path to the bottleneck is always open.  The rest opens from the hottest
    subtree to the coolest until `MAX_VISIBLE` nodes are shown or the drawing no
    longer `fits`.  What the user unfolded, and the way to the selected node, is
    opened on top of that and never closes anything else.

    Parameters
    ----------
    inspection : Inspection
    unfolded : frozenset of int
        Nodes that the user opened.
    selected : int, optional
    narrow : bool
        Show about half as many nodes.
    fits : callable (VisibleTree) -> bool, optional

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> visible_tree(inspect(read("x+1").formula, samples)).order
    (0, 1, 2)
    """
    nodes = inspection.formula.nodes
    parents = inspection.formula.parents
    hottest = heat(inspection)
    opened = _ancestors(parents, focus_node(inspection))
    opened |= {len(nodes) - 1}
    steps = _hottest_first(inspection, opened, hottest, MAX_VISIBLE[narrow])
    count = len(steps)
    if fits is not None and count and not fits(_tree(inspection, opened | set(steps))):
        low, high = 0, count  # the largest number of steps that still fits
        while high - low > 1:
            middle = (low + high) // 2
            if fits(_tree(inspection, opened | set(steps[:middle]))):
                low = middle
            else:
                high = middle
        count = low
    opened |= set(steps[:count])
    for asked in sorted(unfolded, reverse=True):
        if 0 <= asked < len(nodes) and asked not in opened:
            opened |= _ancestors(parents, asked) | {asked}
            opened |= set(_hottest_first(inspection, {asked}, hottest, MAX_UNFOLDED, asked))
    if selected is not None and 0 <= selected < len(nodes):
        opened |= _ancestors(parents, selected)
    return _tree(inspection, opened)


def _ancestors(parents: tuple[int | None, ...], node_id: int) -> set[int]:
    above: set[int] = set()
    parent = parents[node_id]
    while parent is not None:
        above.add(parent)
        parent = parents[parent]
    return above


def _hottest_first(
    inspection: Inspection,
    opened: set[int],
    hottest: list[float],
    limit: int,
    top: int | None = None,
) -> list[int]:
    """Nodes to open after `opened`, in order, until `limit` nodes are shown below `top`."""
    nodes = inspection.formula.nodes
    depths = inspection.formula.depths
    start = len(nodes) - 1 if top is None else top
    shown = 1
    heap: list[tuple[float, int, int]] = []

    def offer(node_id: int) -> None:
        if nodes[node_id].children:
            heapq.heappush(heap, (-hottest[node_id], depths[node_id], node_id))

    pending = [start]
    while pending:
        k = pending.pop()
        if k in opened:
            shown += len(nodes[k].children)
            pending.extend(nodes[k].children)
        else:
            offer(k)
    steps: list[int] = []
    while heap:
        _, _, k = heapq.heappop(heap)
        if shown + len(nodes[k].children) > limit:
            continue
        shown += len(nodes[k].children)
        steps.append(k)
        for child in nodes[k].children:
            offer(child)
    return steps


def _tree(inspection: Inspection, opened: set[int]) -> VisibleTree:
    formula = inspection.formula
    children: dict[int, tuple[int, ...]] = {}
    folded: dict[int, int] = {}
    pending = [len(formula) - 1]
    while pending:
        k = pending.pop()
        node = formula.nodes[k]
        if k in opened:
            children[k] = node.children
            pending.extend(node.children)
        else:
            children[k] = ()
            if node.children:
                folded[k] = k - formula.first[k]
    return VisibleTree(tuple(sorted(children)), children, folded)


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
