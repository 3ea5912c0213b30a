"""The drawing of a tree before it becomes SVG: nodes, cards and their places."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from eic_core import wording
from eic_core.drawing.scale import Paint, paint
from eic_core.formula.tree import CONSTANT, VARIABLE, Node
from eic_core.measure import Inspection
from eic_core.operators import OPERATORS

MAX_VISIBLE = {False: 40, True: 20}
"""Nodes before folding begins, by `narrow`."""

MAX_LEVELS = {False: 11, True: 9}
"""Levels before folding begins, by `narrow`."""

MAX_UNFOLDED = 12
"""Nodes that one click on a folded node adds."""

FEWEST_LEVELS = 6
"""Levels that are shown however low the picture must be."""

UNFOLDED_LEVELS = 5
"""Levels that one click on a skipped stretch adds."""

MORE_TRIES = 12
"""Subtrees that are tried one by one after the hottest that fit together."""

MANY_UNFOLDED = 60
"""With more nodes unfolded than this they are opened exactly, each without more below it."""


@dataclass(frozen=True)
class VisibleTree:
    order: tuple[int, ...]  # Ids of the visible nodes, in post-order
    children: Mapping[int, tuple[int, ...]]  # Visible operands; empty at leaves and folded nodes
    # Nodes that stand for more than themselves, and how many nodes each hides (itself not counted)
    folded: Mapping[int, int]
    # Folded nodes that stand for a stretch of the way down, with its operators from the top; the
    # one visible child is its end.
    skipped: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def hidden_nodes(inspection: Inspection, tree: VisibleTree, node_id: int) -> tuple[range, ...]:
    """The ids for which a folded card stands, its own included; of another card its own alone."""
    first = inspection.formula.first
    if node_id in tree.skipped:
        (end,) = tree.children[node_id]
        both = range(first[node_id], first[end]), range(end + 1, node_id + 1)
        return tuple(part for part in both if part)
    return (range(first[node_id] if node_id in tree.folded else node_id, node_id + 1),)


def largest_loss_below(inspection: Inspection) -> list[float]:
    """For each node the largest local EIC in its subtree; undefined counts as 0."""
    return largest_below(inspection, [n.local_eic for n in inspection.nodes])


def largest_below(inspection: Inspection, digits: Sequence[float]) -> list[float]:
    """For each node the largest of its subtree's `digits`, given by node; nan counts as 0."""
    hottest: list[float] = []
    for n, value in zip(inspection.nodes, digits, strict=True):
        own = 0.0 if math.isnan(value) else value
        # where samples have no value, a subtree must not be the first to be folded
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
    guilty: int | None = None,
) -> VisibleTree:
    """The nodes to draw: the worst step's path, then the hottest subtrees while the drawing `fits`.

    `guilty`, a node that creates most digits, is shown like the worst step.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> visible_tree(inspect(read("x+1").formula, samples)).order
    (0, 1, 2)
    """
    opening = _Opening(inspection, levels or MAX_LEVELS[narrow])
    focus = inspection.worst_step
    opening.open_path_to(focus)
    if 0 < len(inspection.formula.nodes[focus].children) <= 3:
        opening.open([focus])
    if guilty is not None:
        opening.open_path_to(guilty)
    # the hottest first, so that folded subtrees lose least
    steps = opening.hottest_first(len(inspection.nodes) - 1, MAX_VISIBLE[narrow])
    if fits is not None and steps and not fits(opening.tree(steps)):
        steps = opening.fitting(steps, fits)
    opening.open(steps)
    requested = sorted(unfolded, reverse=True)
    if len(unfolded) > MANY_UNFOLDED:  # everything at once: no partial openings
        opening.open(k for k in requested if 0 <= k < len(inspection.nodes))
        requested = []
    # on top of the rest, and closing nothing of it
    for node_id in requested:
        if 0 <= node_id < len(inspection.nodes) and inspection.formula.nodes[node_id].children:
            opening.unfold(node_id)
    if selected is not None and 0 <= selected < len(inspection.nodes):
        opening.open_path_to(selected)
    return opening.tree()


class _Opening:
    """Nodes that are open (operands shown or skipped), and those that must not be skipped."""

    def __init__(self, inspection: Inspection, levels: int) -> None:
        self.formula = inspection.formula
        self.hottest = largest_loss_below(inspection)
        self.levels = levels
        root = len(self.formula) - 1
        self.opened = {root}
        self.pinned = {root}

    def open_path_to(self, node_id: int) -> None:
        """Open the way from the root to a node; skip its middle if it is long."""
        way = self._ancestors(node_id)
        fresh = [k for k in way if k not in self.opened]
        self.opened |= set(way)
        ends = (1, 3)  # levels that stay: at the top of the new ones, and above the node
        if len(way) > self.levels - 2 and len(fresh) > sum(ends) + 1:
            self.pinned |= {*fresh[: ends[0]], *fresh[-ends[1] :]}
        else:
            self.pinned |= set(fresh)
        self.pinned |= set(way[-1:])

    def unfold(self, node_id: int) -> None:
        """Open a node that the user clicked: a folded subtree or a skipped stretch."""
        if node_id in self.opened and node_id not in self.pinned:
            k: int | None = node_id
            for _ in range(UNFOLDED_LEVELS):
                if k is None:
                    break
                self.pinned.add(k)
                k = next((c for c in self.formula.nodes[k].children if c in self.opened), None)
        elif node_id not in self.opened:
            self.open_path_to(node_id)
            self.open([node_id])
            self.open(self.hottest_first(node_id, MAX_UNFOLDED))

    def open(self, node_ids: Iterable[int]) -> None:
        self.opened.update(node_ids)
        self.pinned.update(node_ids)

    def hottest_first(self, top: int, limit: int) -> list[int]:
        """Nodes to open below `top`, hottest first, until `limit` are visible."""
        nodes = self.formula.nodes
        skipped = self._skipped()
        visible_count = 1
        heap: list[tuple[float, int, int]] = []
        pending = [(top, 0)]
        steps: list[int] = []
        while pending or heap:
            if not pending:
                _, level, k = heapq.heappop(heap)
                if visible_count + len(nodes[k].children) > limit or level + 1 >= self.levels:
                    continue
                steps.append(k)
            else:
                k, level = pending.pop()
                if k in skipped:
                    pending.append((skipped[k][1], level + 1))
                    visible_count += 1
                    continue
                if k not in self.opened:
                    if (
                        len(nodes[k].children) == 1
                        and nodes[k].children[0] == k - 1 == (self.formula.first[k])
                    ):
                        steps.append(k)  # one operator on a leaf: folding it saves nothing
                        visible_count += 1
                    elif nodes[k].children:
                        heapq.heappush(heap, (-self.hottest[k], level, k))
                    continue
            visible_count += len(nodes[k].children)
            pending.extend((child, level + 1) for child in nodes[k].children)
        return steps

    def fitting(self, steps: list[int], fits: Callable[[VisibleTree], bool]) -> list[int]:
        """The first steps, as many as fit, and those of the next few that fit, too."""
        low, high = 0, len(steps)
        while high - low > 1:
            middle = (low + high) // 2
            if fits(self.tree(steps[:middle])):
                low = middle
            else:
                high = middle
        fitting_steps = steps[:low]
        visible = set(self.tree(fitting_steps).order)
        for k in steps[low + 1 : low + 1 + MORE_TRIES]:
            if k in visible and fits(self.tree([*fitting_steps, k])):
                fitting_steps.append(k)
                visible.update(self.formula.nodes[k].children)
        return fitting_steps

    def tree(self, more: Iterable[int] = ()) -> VisibleTree:
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
            return k in self.opened and k not in self.pinned and len(way_on.get(k, ())) == 1

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
        shared = min(len(self.right), len(other.left))
        move = -math.inf
        for i in range(1, shared + 1):
            room = self.right[-i] + self.right_shift - other.left[-i] - other.left_shift
            move = max(move, room)
        move += GAP
        if len(other.left) > len(self.left):
            outline, shift = other.left, other.left_shift + move
            # the longer list stays and gets the shorter one written over it: linear in all
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
        self.left.append(centre - width / 2 - self.left_shift)
        self.right.append(centre + width / 2 - self.right_shift)


def tidy(tree: VisibleTree, widths: Mapping[int, float]) -> Placement:
    """Place the nodes of a tree in linear time.

    >>> tree = VisibleTree((0, 1, 2), {0: (), 1: (), 2: (0, 1)}, {})
    >>> sorted(tidy(tree, {0: 20, 1: 20, 2: 20}).x.items())
    [(0, 10.0), (1, 40.0), (2, 25.0)]
    """
    # E. M. Reingold and J. S. Tilford, "Tidier drawings of trees", IEEE TSE 7, 1981, for nodes of
    # different widths: subtrees are pushed together until their contours touch, a parent stands
    # over the middle of its children
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

SQUEEZED = 0.6
"""Cards shrink further, by at most this factor, where the nodes that must be shown need it."""

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
    # rather too large than too small: a text must not leave its card
    em = sum(0.82 if c in _WIDE else 0.36 if c in _SLIM else 0.58 for c in text)
    return em * size


@dataclass(frozen=True, slots=True)
class Card:
    """One drawn node; centre and size in pixels, y downwards."""

    node_id: int
    x: float
    y: float
    width: float
    height: float
    title: str
    value: str
    loss: float  # Digits that it is painted for; in a folded one a bound
    paint: Paint
    folded: int  # How many nodes it hides
    tag: str  # What stands beside it, where it is the guilty one; else empty
    selected: bool


@dataclass(frozen=True, slots=True)
class Edge:
    child: int  # The node at its lower end
    x0: float  # In pixels, as all but `share`; y grows downwards
    y0: float
    x1: float
    y1: float
    width: float  # Thickness in pixels
    share: float  # Share of the operator's s^2, from 0 to 1; nan if unknown


@dataclass(frozen=True)
class Scene:
    cards: tuple[Card, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float
    scale: float  # Factor of all sizes, texts included; applied already
    focus: float  # The x to scroll to in a picture that is too wide
    tree: VisibleTree
    flat: bool = False  # Whether the two texts of a card stand side by side, to save height


BY = {"eic": "worst step", "created": "creates most"}
"""What a tree may be coloured by: the local EIC, or the digits that each step creates; and the tag
of the node that has most of it."""

TAG_ROOM, RING_ROOM = 20.0, 8.0
"""Pixels above the result's card: for the worst step's tag, or for the ring of the selection."""

TAG_SIZE = 12.0


def tag_side(card: Card, scene: Scene, spare: float) -> str:
    """The side of the worst step's tag: "above", "right" or "left"; `spare` pixels are beside."""
    row = [other for other in scene.cards if abs(other.y - card.y) < 1]
    # over a card that is not the result the tag would hide the digits of the one above
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


TAG_GAP = 12.0
"""Pixels between a card and a tag beside it: the selection's ring takes the first 7."""


def compose(
    inspection: Inspection,
    *,
    selected: int | None = None,
    unfolded: frozenset[int] = frozenset(),
    dark: bool = False,
    narrow: bool = False,
    width: float | None = None,
    height: float | None = None,
    by: str = "eic",
    values: Sequence[float] | None = None,
) -> Scene:
    """Lay out the picture of a tree; `width` and `height` are pixels to fit into where it can.

    `values` are the digits that each node creates, by node: the node of most is shown, and with
    `by` "created" cards have their colours and numbers.
    """
    room, smallest = width or WIDTH[narrow], SMALLEST[narrow]
    digits = _digits(inspection, by, values)
    guilty = None if values is None else _most(values)
    sizes = _Sizes(inspection, narrow, digits)
    low = None if height is None else height / smallest
    tree = visible_tree(
        inspection,
        unfolded,
        selected=selected,
        narrow=narrow,
        levels=None if low is None else _levels_within(low, narrow),
        fits=lambda t: sizes.fits(t, room / smallest, math.inf if low is None else low),
        guilty=guilty,
    )
    # to fit, cards shrink to `SMALLEST`, then subtrees fold; levels come closer, then cards become
    # flat; what has to be shown all the same shrinks to `SQUEEZED`
    main = inspection.worst_step if by == "eic" or guilty is None else guilty
    top = TAG_ROOM if main == tree.order[-1] else RING_ROOM
    placement, flat = sizes.place(tree), False
    above, tall, level, close = placement.levels - 1, HEIGHT, LEVEL, CLOSE_LEVEL
    rest = tall + top + 20
    share = room / placement.width
    if height is not None and (squeezed := min(share, height / (above * close + rest))) < smallest:
        flattened, rest_flat = sizes.place(tree, flat=True), FLAT_HEIGHT + top + 20
        share_flat = room / flattened.width
        if min(share_flat, height / (above * FLAT_LEVEL + rest_flat)) > squeezed:
            placement, flat, share, rest = flattened, True, share_flat, rest_flat
            tall, level, close = FLAT_HEIGHT, FLAT_LEVEL, FLAT_LEVEL
    least = smallest if height is None else SQUEEZED
    scale = min(1.0, max(least, share))
    if height is not None:
        scale = min(scale, max(least, height / (above * close + rest)))
        level = min(level, max(close, (height / scale - rest) / max(above, 1)))
    tag = "no real value" if math.isnan(digits[main]) else BY[by]
    cards: dict[int, Card] = {}
    for k in tree.order:
        title, value, loss = sizes.texts(tree, k)
        cards[k] = Card(
            k,
            placement.x[k] * scale,
            (placement.level[k] * level + tall / 2 + top) * scale,
            sizes.width(tree, k, flat) * scale,
            tall * scale,
            title,
            sizes.flat_value(tree, k) if flat else value,
            loss,
            paint(loss, dark),
            tree.folded.get(k, 0),
            tag if k == main and len(inspection.nodes) > 1 else "",
            k == selected,
        )
    edges = tuple(
        _edge(inspection, cards[child], cards[k], place)
        for k in tree.order
        for place, child in enumerate(tree.children[k])
    )
    focus = cards[selected if selected in cards else main].x
    full = (above * level + rest) * scale
    return Scene(
        tuple(cards.values()), edges, placement.width * scale, full, scale, focus, tree, flat
    )


def _digits(inspection: Inspection, by: str, values: Sequence[float] | None) -> Sequence[float]:
    """The digits that colour each node."""
    if by == "eic":
        return [n.local_eic for n in inspection.nodes]
    if by not in BY or values is None:
        raise ValueError(f"{by!r} is none of {', '.join(BY)}, or lacks its values")
    return values


def _most(values: Sequence[float]) -> int | None:
    """The node of the largest value, the first of equals; None if no node has any."""
    creating = [(value, -k) for k, value in enumerate(values) if value > 0]
    return -max(creating)[1] if creating else None


def _levels_within(height: float, narrow: bool) -> int:
    """Levels that a tree of unscaled cards has at most to keep within a height."""
    room = height - FLAT_HEIGHT - TAG_ROOM - 20
    return max(FEWEST_LEVELS, min(MAX_LEVELS[narrow], 1 + int(room / FLAT_LEVEL)))


class _Sizes:
    """Texts and sizes of cards; texts are made once, since many trees are tried."""

    def __init__(self, inspection: Inspection, narrow: bool, digits: Sequence[float]) -> None:
        self.inspection = inspection
        self.narrow = narrow
        self.digits = digits
        self.hottest = largest_below(inspection, digits)
        self._texts: dict[tuple[int, int], tuple[str, str, float]] = {}

    def texts(self, tree: VisibleTree, k: int) -> tuple[str, str, float]:
        key = (k, tree.folded.get(k, 0))
        if key not in self._texts:
            self._texts[key] = _texts(
                self.inspection, k, tree, self.digits, self.hottest, self.narrow
            )
        return self._texts[key]

    def flat_value(self, tree: VisibleTree, k: int) -> str:
        value = self.texts(tree, k)[1]
        # beside a number the 0 of a leaf would look like its end
        return value if self.inspection.formula.nodes[k].children or value != "0" else ""

    def width(self, tree: VisibleTree, k: int, flat: bool) -> float:
        title, value, _ = self.texts(tree, k)
        both = text_width(title, 15), text_width(value, 12)
        beside = both[1] + FLAT_SPACE if self.flat_value(tree, k) else 0.0
        wide = both[0] + beside if flat else max(both)
        return max(38.0, 18 + wide + (SHADOW if k in tree.folded else 0))

    def place(self, tree: VisibleTree, flat: bool = False) -> Placement:
        return tidy(tree, {k: self.width(tree, k, flat) for k in tree.order})

    def fits(self, tree: VisibleTree, width: float, height: float) -> bool:
        """Whether the tree, with cards of either kind, keeps within the size."""
        placement = self.place(tree)
        if (placement.levels - 1) * CLOSE_LEVEL + HEIGHT + TAG_ROOM + 20 > height:
            placement = self.place(tree, flat=True)
            if (placement.levels - 1) * FLAT_LEVEL + FLAT_HEIGHT + TAG_ROOM + 20 > height:
                return False
        return placement.width <= width


def _texts(
    inspection: Inspection,
    k: int,
    tree: VisibleTree,
    digits: Sequence[float],
    hottest: list[float],
    narrow: bool,
) -> tuple[str, str, float]:
    """The two lines of a card, and the digits that colour it."""
    n = inspection.nodes[k]
    if k not in tree.folded:
        title = wording.shorten(n.text, 12) if n.node.operator == VARIABLE else node_sign(n.node)
        skipped = n.evaluated == 0 and inspection.counts.valid
        return title, "not taken" if skipped else wording.digits_lost(digits[k]), digits[k]
    top = digits[k] if math.isnan(digits[k]) else hottest[k]
    run = tree.skipped.get(k, ())
    if run and not math.isnan(top):
        # subtrees beside the stretch are hidden with it, so that their losses count as well
        way_on = {*run, *tree.children[k]}
        top = max(
            max(digits[j] for j in run),
            *(
                hottest[c]
                for j in run
                for c in inspection.nodes[j].node.children
                if c not in way_on
            ),
            0.0,
        )
    hidden = f" ▸ {tree.folded[k] + 1}" + ("" if narrow else " nodes")
    title = f"⋯ {len(run)} levels" if run else wording.shorten(n.text, FOLDED_TEXT[narrow])
    return title, f"{bound_text(top)}{hidden}", top


def bound_text(loss: float) -> str:
    """The largest digits of hidden nodes."""
    return f"{'≤ ' if math.isfinite(loss) else ''}{wording.digits_lost(loss)}"


def _edge(inspection: Inspection, child: Card, parent: Card, place: int) -> Edge:
    shares: Mapping[int, float] = dict(enumerate(inspection.nodes[parent.node_id].edge_shares))
    share = shares.get(place, math.nan)
    clamped = 0.0 if math.isnan(share) else min(1.0, max(0.0, share))
    return Edge(
        child.node_id,
        child.x,
        child.y - child.height / 2,
        parent.x,
        parent.y + parent.height / 2,
        1.0 + 8.0 * clamped,
        share,
    )
