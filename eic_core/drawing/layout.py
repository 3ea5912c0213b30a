"""A tree as it is drawn, before it becomes Plotly or SVG: which nodes are shown, what their cards
say, and where they stand.

One card for each node shown: the operator's sign or the leaf's text, and under it the digits
lost.  Cool subtrees are folded (`visible_tree`); cards are sized by their text, and the tree is
laid out for these sizes (`tidy`), so that labels do not collide (`compose`).

`tidy` is the drawing of E. M. Reingold and J. S. Tilford ("Tidier drawings of trees",
IEEE TSE 7, 1981) for nodes of different widths: subtrees are pushed together until
their contours touch, a parent stands over the middle of its children.  Contours are
merged into the longer of the two, so the time is linear in the number of nodes, and
nothing recurses.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from eic_core import wording
from eic_core.drawing.scale import Paint, paint
from eic_core.formula.tree import CONSTANT, VARIABLE, Node
from eic_core.measure import Inspection
from eic_core.operators import OPERATORS

MAX_VISIBLE = {False: 40, True: 20}
"""How many nodes are shown before folding begins, by `narrow`."""

MAX_LEVELS = {False: 11, True: 9}
"""How many levels are shown before folding begins, by `narrow`."""

MAX_UNFOLDED = 12
"""How many nodes one click on a folded node brings to light."""

UNFOLDED_LEVELS = 5
"""How many levels one click on a skipped stretch brings to light."""

MORE_TRIES = 12
"""How many more subtrees are tried, one by one, after the hottest that fit together."""

MANY_UNFOLDED = 60
"""With more nodes unfolded than this they are opened exactly, each without more below it."""


@dataclass(frozen=True)
class VisibleTree:
    """The part of a tree that is drawn."""

    order: tuple[int, ...]  # Ids of the nodes shown, in post-order
    children: Mapping[int, tuple[int, ...]]  # Operands shown; empty at leaves and folded nodes
    # Nodes that stand for more than themselves, and how many nodes each hides (itself not counted)
    folded: Mapping[int, int]
    # Of the folded nodes, those that stand for a stretch of the way down: the operators of the
    # stretch from the top. The one child shown is where it ends.
    skipped: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def focus_node(inspection: Inspection) -> int:
    """The node to look at first: the bottleneck, or where most samples have no value."""
    if math.isnan(inspection.eic):
        worst = max(inspection.nodes, key=lambda n: (n.invalid, n.node.id))
        return worst.node.id
    return inspection.bottleneck


def largest_loss_below(inspection: Inspection) -> list[float]:
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
    levels: int | None = None,
    fits: Callable[[VisibleTree], bool] | None = None,
) -> VisibleTree:
    """Decide which nodes are shown.

    The bottleneck and the path to it are always open, its middle skipped if it is long.
    The rest opens from the hottest subtree to the coolest until `MAX_VISIBLE`
    nodes or `MAX_LEVELS` levels are shown or the drawing no longer `fits`.  What
    the user unfolded, and the way to the selected node, is opened on top of that
    and never closes anything else.

    - `unfolded`: nodes that the user opened.
    - `selected`: a node that must be shown.
    - `narrow`: show about half as many nodes.
    - `levels`: instead of `MAX_LEVELS`.
    - `fits`: whether a drawing of these nodes is small enough; by default any is.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> visible_tree(inspect(read("x+1").formula, samples)).order
    (0, 1, 2)
    """
    opening = _Opening(inspection, levels or MAX_LEVELS[narrow])
    focus = focus_node(inspection)
    opening.open_path_to(focus)
    if 0 < len(inspection.formula.nodes[focus].children) <= 3:
        opening.open([focus])
    steps = opening.hottest_first(len(inspection.nodes) - 1, MAX_VISIBLE[narrow])
    if fits is not None and steps and not fits(opening.tree(steps)):
        steps = opening.fitting(steps, fits)
    opening.open(steps)
    asked_for = sorted(unfolded, reverse=True)
    if len(unfolded) > MANY_UNFOLDED:  # everything at once: no partial openings
        opening.open(k for k in asked_for if 0 <= k < len(inspection.nodes))
        asked_for = []
    for asked in asked_for:
        if 0 <= asked < len(inspection.nodes) and inspection.formula.nodes[asked].children:
            opening.unfold(asked)
    if selected is not None and 0 <= selected < len(inspection.nodes):
        opening.open_path_to(selected)
    return opening.tree()


class _Opening:
    """Which nodes are open (their operands shown or skipped), and which must not be skipped."""

    def __init__(self, inspection: Inspection, levels: int) -> None:
        self.formula = inspection.formula
        self.hottest = largest_loss_below(inspection)
        self.levels = levels
        root = len(self.formula) - 1
        self.opened = {root}
        self.kept = {root}

    def open_path_to(self, node_id: int) -> None:
        """Open the way from the root to a node; skip its middle if it is long."""
        way = self._ancestors(node_id)
        fresh = [k for k in way if k not in self.opened]
        self.opened |= set(way)
        ends = (1, 3)  # levels kept at the top of what is new and above the node
        if len(way) > self.levels - 2 and len(fresh) > sum(ends) + 1:
            self.kept |= {*fresh[: ends[0]], *fresh[-ends[1] :]}
        else:
            self.kept |= set(fresh)
        self.kept |= set(way[-1:])

    def unfold(self, node_id: int) -> None:
        """Open a node that the user clicked: a folded subtree or a skipped stretch."""
        if node_id in self.opened and node_id not in self.kept:
            k: int | None = node_id
            for _ in range(UNFOLDED_LEVELS):
                if k is None:
                    break
                self.kept.add(k)
                k = next((c for c in self.formula.nodes[k].children if c in self.opened), None)
        elif node_id not in self.opened:
            self.open_path_to(node_id)
            self.open([node_id])
            self.open(self.hottest_first(node_id, MAX_UNFOLDED))

    def open(self, node_ids: Iterable[int]) -> None:
        """Show the operands of these nodes."""
        self.opened.update(node_ids)
        self.kept.update(node_ids)

    def hottest_first(self, top: int, limit: int) -> list[int]:
        """What to open below `top`, hottest first, until `limit` nodes are shown."""
        nodes = self.formula.nodes
        skipped = self._skipped()
        shown = 1
        heap: list[tuple[float, int, int]] = []
        pending = [(top, 0)]
        steps: list[int] = []
        while pending or heap:
            if not pending:
                _, level, k = heapq.heappop(heap)
                if shown + len(nodes[k].children) > limit or level + 1 >= self.levels:
                    continue
                steps.append(k)
            else:
                k, level = pending.pop()
                if k in skipped:
                    pending.append((skipped[k][1], level + 1))
                    shown += 1
                    continue
                if k not in self.opened:
                    if (
                        len(nodes[k].children) == 1
                        and nodes[k].children[0] == k - 1 == (self.formula.first[k])
                    ):
                        steps.append(k)  # one operator on a leaf: folding it saves nothing
                        shown += 1
                    elif nodes[k].children:
                        heapq.heappush(heap, (-self.hottest[k], level, k))
                    continue
            shown += len(nodes[k].children)
            pending.extend((child, level + 1) for child in nodes[k].children)
        return steps

    def fitting(self, steps: list[int], fits: Callable[[VisibleTree], bool]) -> list[int]:
        """Of the steps, as many of the first as fit, and of the next few those that fit, too."""
        low, high = 0, len(steps)
        while high - low > 1:
            middle = (low + high) // 2
            if fits(self.tree(steps[:middle])):
                low = middle
            else:
                high = middle
        kept = steps[:low]
        shown = set(self.tree(kept).order)
        for k in steps[low + 1 : low + 1 + MORE_TRIES]:
            if k in shown and fits(self.tree([*kept, k])):
                kept.append(k)
                shown.update(self.formula.nodes[k].children)
        return kept

    def tree(self, more: Iterable[int] = ()) -> VisibleTree:
        """What is shown if the nodes `more` were open, too."""
        nodes, first = self.formula.nodes, self.formula.first
        opened = self.opened | set(more)
        runs = self._skipped()
        children: dict[int, tuple[int, ...]] = {}
        folded: dict[int, int] = {}
        skipped: dict[int, tuple[int, ...]] = {}
        pending = [len(nodes) - 1]
        while pending:
            k = pending.pop()
            if k in runs:
                skipped[k], end = runs[k]
                children[k] = (end,)
                folded[k] = k - first[k] - (end - first[end] + 1)
            elif k in opened:
                children[k] = nodes[k].children
            else:
                children[k] = ()
                if nodes[k].children:
                    folded[k] = k - first[k]
            pending.extend(children[k])
        return VisibleTree(tuple(sorted(children)), children, folded, skipped)

    def _ancestors(self, node_id: int) -> list[int]:
        """The ancestors of a node, from the root down."""
        way: list[int] = []
        parent = self.formula.parents[node_id]
        while parent is not None:
            way.append(parent)
            parent = self.formula.parents[parent]
        return way[::-1]

    def _skipped(self) -> dict[int, tuple[tuple[int, ...], int]]:
        """Stretches to skip: by their top, their operators and the node where they end."""
        runs: dict[int, tuple[tuple[int, ...], int]] = {}
        nodes, parents = self.formula.nodes, self.formula.parents
        way_on: dict[int, list[int]] = {}
        for k in self.opened:
            parent = parents[k]
            if parent is not None:
                way_on.setdefault(parent, []).append(k)

        def skippable(k: int) -> bool:
            return k in self.opened and k not in self.kept and len(way_on.get(k, ())) == 1

        for k in self.opened:
            parent = parents[k]
            if not skippable(k) or (parent is not None and skippable(parent)):
                continue
            run = [k]
            while skippable(way_on[run[-1]][0]):
                run.append(way_on[run[-1]][0])
            if len(run) > 1 and all(len(nodes[j].children) > 0 for j in run):
                runs[k] = (tuple(run), way_on[run[-1]][0])
        return runs


GAP = 10.0
"""Least distance between two neighbouring nodes, in the unit of the widths."""


@dataclass(frozen=True)
class Placement:
    """Centres of the nodes shown."""

    x: Mapping[int, float]  # From 0 at the left edge of the leftmost node
    level: Mapping[int, int]  # 0 at the root
    width: float  # From the left edge of the leftmost node to the right edge of the rightmost
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
            outline, shift = other.left, other.left_shift + move
            for i in range(1, shared + 1):
                outline[-i] = self.left[-i] + self.left_shift - shift
            self.left, self.left_shift = outline, shift
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

    >>> tree = VisibleTree((0, 1, 2), {0: (), 1: (), 2: (0, 1)}, {})
    >>> sorted(tidy(tree, {0: 20, 1: 20, 2: 20}).x.items())
    [(0, 10.0), (1, 40.0), (2, 25.0)]
    """
    contours: dict[int, _Contour] = {}
    centre: dict[int, float] = {}  # in the frame of the node's own subtree
    shifts: dict[int, float] = {}  # of a child's frame within its parent's
    for k in tree.order:
        children = tree.children[k]
        if not children:
            contour, middle = _Contour(), 0.0
        else:
            contour = contours.pop(children[0])
            shifts[children[0]] = 0.0
            for child in children[1:]:
                shifts[child] = contour.push_right(contours.pop(child))
            last = children[-1]
            middle = (centre[children[0]] + centre[last] + shifts[last]) / 2
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
            frame[child] = frame[k] + shifts[child]
            level[child] = level[k] + 1
    return Placement(x, level, right - left, max(level.values()) + 1)


HEIGHT = 42.0
"""Height of a card in pixels."""

LEVEL, CLOSE_LEVEL = 70.0, 62.0
"""Distance between two levels in pixels; and the least, where a tree has to be low."""

FLAT_HEIGHT, FLAT_LEVEL, FLAT_SPACE = 26.0, 40.0, 8.0
"""Height of a card whose two texts stand side by side, the distance of its levels, and the space
between the texts: of a tree that would be too high otherwise."""

SHADOW = 4.0
"""How far the second card behind a folded node sticks out, in pixels."""

SMALLEST = {False: 0.8, True: 0.92}
"""Cards shrink by at most this factor before cool subtrees fold instead, by `narrow`."""

FOLDED_TEXT = {False: 16, True: 11}
"""Characters shown of a folded sub-expression, by `narrow`."""

WIDTH = {False: 556.0, True: 332.0}
"""Width in pixels that a tree is fitted to, by `narrow`: half a desk's page, a phone."""

_SUPERSCRIPT = str.maketrans("0123456789-/.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᐟ·")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_WIDE = set("mwMW@%—∞×÷√−+=<>≤≥QGOD▸…")
_SLIM = set("iljtfrI.,:;'|()[] !1")


def node_sign(node: Node) -> str:
    """The short text on a node: ``×``, ``ln``, ``( )²``, ``x0``, ``3.1416``.

    >>> from fractions import Fraction
    >>> node_sign(Node(1, "power", (0,), "", Fraction(2), (0, 0)))
    '( )²'
    >>> node_sign(Node(0, "constant", (), "3.14159265", None, (0, 0)))
    '3.1416'
    """
    if node.operator == VARIABLE:
        return wording.shorten(node.label, 12)
    if node.operator == CONSTANT:
        return wording.short_constant(node.label)
    text = "" if node.parameter is None else str(node.parameter)
    own = OPERATORS[node.operator].form_with(node.parameter).sign or node.operator
    raised, lowered = text.translate(_SUPERSCRIPT), text.translate(_SUBSCRIPT)
    return own.replace("<^>", raised).replace("<_>", lowered)


def text_width(text: str, size: float) -> float:
    """Estimated width in pixels, a little too large rather than too small."""
    em = sum(0.82 if c in _WIDE else 0.36 if c in _SLIM else 0.58 for c in text)
    return em * size


@dataclass(frozen=True, slots=True)
class Card:
    """One node as drawn; centre and size in pixels, y downwards."""

    node_id: int
    x: float
    y: float
    width: float
    height: float
    # title, value: two lines of text
    title: str
    value: str
    paint: Paint
    folded: int  # How many nodes it hides
    bottleneck: bool
    selected: bool

    @property
    def tag(self) -> str:
        """What is written above the bottleneck."""
        return "no real value" if self.paint.dash == "dot" else "bottleneck"


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from an operand's card up to its operator's."""

    # x0, y0, x1, y1: its ends in pixels; y grows downwards
    x0: float
    y0: float
    x1: float
    y1: float
    width: float  # Thickness in pixels
    share: float  # Part of the operator's s^2 that comes through it, 0 to 1; nan if it is not known


@dataclass(frozen=True)
class Scene:
    """A whole picture."""

    cards: tuple[Card, ...]
    edges: tuple[Edge, ...]
    # width, height: extent in pixels at `scale`
    width: float
    height: float
    scale: float  # Factor already applied to all sizes, texts included
    focus: float  # The x around which a picture too wide to show at once is opened
    tree: VisibleTree
    # Whether the two texts of a card stand beside one another, in a tree too high otherwise
    flat: bool = False


TAG_ROOM, RING_ROOM = 20.0, 8.0
"""Pixels above the result's card: for the bottleneck's tag, or for the ring of what is selected."""

TAG_SIZE = 12.0


def tag_side(card: Card, scene: Scene, spare: float) -> str:
    """Where the bottleneck's tag covers nothing: "above" the result, else "right" or "left" of it.

    Over a card that is not the result the tag would hide the digits of the one above; it still
    stands there where neighbours leave no room beside it.

    - `spare`: pixels that the picture has free on either side of the scene.
    """
    row = [other for other in scene.cards if abs(other.y - card.y) < 1]
    if min(other.y for other in scene.cards) == card.y:
        return "above"
    needed = card.width / 2 + TAG_GAP + text_width(card.tag, TAG_SIZE * scene.scale) + 8
    for side, sign in (("right", 1), ("left", -1)):
        free = all(
            sign * (other.x - card.x) - other.width / 2 > needed
            for other in row
            if sign * (other.x - card.x) > 0
        )
        if free and -spare <= card.x + sign * needed <= scene.width + spare:
            return side
    return "above"


TAG_GAP = 8.0
"""Pixels between a card, ring included, and a tag beside it."""


def compose(
    inspection: Inspection,
    *,
    selected: int | None = None,
    unfolded: frozenset[int] = frozenset(),
    dark: bool = False,
    narrow: bool = False,
    width: float | None = None,
    height: float | None = None,
) -> Scene:
    """Lay out what is to be drawn.

    - `selected`: node to highlight; the way to it is kept open.
    - `unfolded`: nodes that the user opened.
    - `dark`, `narrow`: for a dark background; for a phone.
    - `width`: pixels to fit into, as far as cards of readable size can; default `WIDTH`.
    - `height`: pixels to fit into, as far as levels can come closer; by default they keep their
      distance.
    """
    room = width or WIDTH[narrow]
    hottest = largest_loss_below(inspection)
    texts: dict[tuple[int, int], tuple[str, str, float]] = {}

    def card_width(tree: VisibleTree, k: int, flat: bool) -> float:
        key = (k, tree.folded.get(k, 0))
        if key not in texts:
            texts[key] = _texts(inspection, k, tree, hottest, narrow)
        title, value, _ = texts[key]
        both = text_width(title, 15), text_width(value, 12)
        beside = both[1] + FLAT_SPACE if says_loss(k, value) else 0.0
        wide = both[0] + beside if flat else max(both)
        return max(38.0, 18 + wide + (SHADOW if k in tree.folded else 0))

    def says_loss(k: int, value: str) -> bool:
        """Whether a flat card does: beside a number the 0 of a leaf would look like its end."""
        return bool(inspection.formula.nodes[k].children) or value != "0"

    def measure(tree: VisibleTree, flat: bool = False) -> Placement:
        return tidy(tree, {k: card_width(tree, k, flat) for k in tree.order})

    tree = visible_tree(
        inspection,
        unfolded,
        selected=selected,
        narrow=narrow,
        fits=lambda t: measure(t).width * SMALLEST[narrow] <= room,
    )
    placement = measure(tree)
    scale = min(1.0, max(SMALLEST[narrow], room / placement.width))
    main = focus_node(inspection)
    top = TAG_ROOM if main == tree.order[-1] else RING_ROOM
    above, tall, level, close, flat = placement.levels - 1, HEIGHT, LEVEL, CLOSE_LEVEL, False
    lowest = (above * CLOSE_LEVEL + HEIGHT + top + 20) * SMALLEST[narrow]
    if height is not None and lowest > height:
        flattened = measure(tree, flat=True)
        if flattened.width * SMALLEST[narrow] <= room:
            placement, tall, level, close, flat = (
                flattened,
                FLAT_HEIGHT,
                FLAT_LEVEL,
                FLAT_LEVEL,
                True,
            )
            scale = min(1.0, max(SMALLEST[narrow], room / placement.width))
    rest = tall + top + 20
    if height is not None and above:
        scale = min(scale, max(SMALLEST[narrow], height / (above * close + rest)))
        level = min(level, max(close, (height / scale - rest) / above))
    cards: dict[int, Card] = {}
    for k in tree.order:
        hidden = tree.folded.get(k, 0)
        title, value, shown = texts[k, hidden]
        cards[k] = Card(
            k,
            placement.x[k] * scale,
            (placement.level[k] * level + tall / 2 + top) * scale,
            card_width(tree, k, flat) * scale,
            tall * scale,
            title,
            value if not flat or says_loss(k, value) else "",
            paint(shown, dark),
            hidden,
            k == main and len(inspection.nodes) > 1,
            k == selected,
        )
    edges = [
        _edge(inspection, cards[child], cards[k], place)
        for k in tree.order
        for place, child in enumerate(tree.children[k])
    ]
    focus = cards[selected if selected in cards else main].x
    full = (above * level + rest) * scale
    ordered = tuple(cards[k] for k in tree.order)
    return Scene(ordered, tuple(edges), placement.width * scale, full, scale, focus, tree, flat)


def _texts(
    inspection: Inspection, k: int, tree: VisibleTree, hottest: list[float], narrow: bool
) -> tuple[str, str, float]:
    """The two lines of a card, and the digits that colour it."""
    n = inspection.nodes[k]
    if k not in tree.folded:
        title = wording.shorten(n.text, 12) if n.node.operator == VARIABLE else node_sign(n.node)
        skipped = n.evaluated == 0 and inspection.counts.valid
        return title, "not taken" if skipped else wording.digits_lost(n.local_eic), n.local_eic
    top = n.local_eic if math.isnan(n.local_eic) else hottest[k]
    run = tree.skipped.get(k, ())
    if run and not math.isnan(top):
        way_on = {*run, *tree.children[k]}
        top = max(
            max(inspection.nodes[j].local_eic for j in run),
            *(
                hottest[c]
                for j in run
                for c in inspection.nodes[j].node.children
                if c not in way_on
            ),
            0.0,
        )
    bound = "≤ " if math.isfinite(top) else ""
    hidden = f" ▸ {tree.folded[k] + 1}" + ("" if narrow else " nodes")
    title = f"⋯ {len(run)} levels" if run else wording.shorten(n.text, FOLDED_TEXT[narrow])
    return title, f"{bound}{wording.digits_lost(top)}{hidden}", top


def _edge(inspection: Inspection, child: Card, parent: Card, place: int) -> Edge:
    shares: Mapping[int, float] = dict(enumerate(inspection.nodes[parent.node_id].edge_shares))
    share = shares.get(place, math.nan)
    known = 0.0 if math.isnan(share) else min(1.0, max(0.0, share))
    return Edge(
        child.x,
        child.y - child.height / 2,
        parent.x,
        parent.y + parent.height / 2,
        1.0 + 8.0 * known,
        share,
    )
