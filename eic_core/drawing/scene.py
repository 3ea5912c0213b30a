"""What a picture of a tree consists of: cards and edges, before they become Plotly or SVG.

One card for each node shown: the operator's sign or the leaf's text, and under it the
digits lost.  Cards are sized by their text, and the tree is laid out for these sizes,
so that labels do not collide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from eic_core import wording
from eic_core.drawing.layout import (
    Placement,
    VisibleTree,
    focus_node,
    largest_loss_below,
    tidy,
    visible_tree,
)
from eic_core.drawing.scale import Paint, paint
from eic_core.formula.tree import CONSTANT, VARIABLE, Node
from eic_core.measure import Inspection
from eic_core.operators import OPERATORS

HEIGHT = 42.0
"""Height of a card in pixels."""

LEVEL = 70.0
"""Distance between two levels in pixels."""

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

    Examples
    --------
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
    """One node as drawn; centre and size in pixels, y downwards.

    Attributes
    ----------
    node_id : int
    x, y, width, height : float
    title, value : str
        Two lines of text.
    paint : Paint
    folded : int
        How many nodes it hides.
    bottleneck, selected : bool
    """

    node_id: int
    x: float
    y: float
    width: float
    height: float
    title: str
    value: str
    paint: Paint
    folded: int
    bottleneck: bool
    selected: bool

    @property
    def tag(self) -> str:
        """What is written above the bottleneck."""
        return "no real value" if self.paint.dash == "dot" else "bottleneck"


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from an operand's card up to its operator's.

    Attributes
    ----------
    x0, y0, x1, y1 : float
        Its ends in pixels; y grows downwards.
    width : float
        Thickness in pixels.
    share : float
        Part of the operator's s^2 that comes through it, 0 to 1; nan if it is not known.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    share: float


@dataclass(frozen=True)
class Scene:
    """A whole picture.

    Attributes
    ----------
    cards, edges
    width, height : float
        Extent in pixels at `scale`.
    scale : float
        Factor already applied to all sizes, texts included.
    focus : float
        The x around which a picture too wide to show at once is opened.
    tree : VisibleTree
    """

    cards: tuple[Card, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float
    scale: float
    focus: float
    tree: VisibleTree


def compose(
    inspection: Inspection,
    *,
    selected: int | None = None,
    unfolded: frozenset[int] = frozenset(),
    dark: bool = False,
    narrow: bool = False,
    width: float | None = None,
) -> Scene:
    """Lay out what is to be drawn.

    Parameters
    ----------
    inspection : Inspection
    selected : int, optional
        Node to highlight; the way to it is kept open.
    unfolded : frozenset of int
        Nodes that the user opened.
    dark, narrow : bool
        For a dark background; for a phone.
    width : float, optional
        Pixels to fit into, as far as cards of readable size can; default `WIDTH`.
    """
    room = width or WIDTH[narrow]
    hottest = largest_loss_below(inspection)
    texts: dict[tuple[int, int], tuple[str, str, float]] = {}
    sizes: dict[tuple[int, int], float] = {}

    def measure(tree: VisibleTree) -> Placement:
        widths: dict[int, float] = {}
        for k in tree.order:
            key = (k, tree.folded.get(k, 0))
            if key not in sizes:
                texts[key] = _texts(inspection, k, tree, hottest, narrow)
                title, value, _ = texts[key]
                sizes[key] = max(
                    38.0,
                    18
                    + max(text_width(title, 15), text_width(value, 12))
                    + (SHADOW if k in tree.folded else 0),
                )
            widths[k] = sizes[key]
        return tidy(tree, widths)

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
    cards: dict[int, Card] = {}
    for k in tree.order:
        hidden = tree.folded.get(k, 0)
        title, value, shown = texts[k, hidden]
        cards[k] = Card(
            k,
            placement.x[k] * scale,
            (placement.level[k] * LEVEL + HEIGHT / 2 + 20) * scale,
            sizes[k, hidden] * scale,
            HEIGHT * scale,
            title,
            value,
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
    height = ((placement.levels - 1) * LEVEL + HEIGHT + 40) * scale
    ordered = tuple(cards[k] for k in tree.order)
    return Scene(ordered, tuple(edges), placement.width * scale, height, scale, focus, tree)


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
            *(hottest[c] for j in run for c in inspection.nodes[j].node.children
              if c not in way_on),
            0.0,
        )  # fmt: skip
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
