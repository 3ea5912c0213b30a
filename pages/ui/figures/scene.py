"""What a picture of a tree consists of: cards and edges, before they become Plotly or SVG.

One card for each node shown: the operator's sign or the leaf's text, and under it the
digits lost.  Cards are sized by their text, and the tree is laid out for these sizes,
so that labels do not collide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from eic_core.formula.tree import CONSTANT, VARIABLE, Node
from eic_core.measure import Inspection
from pages.ui.figures.layout import Placement, VisibleTree, focus_node, heat, tidy, visible_tree
from pages.ui.figures.scale import Paint, digits_text, paint

HEIGHT = 42.0
"""Height of a card in pixels."""

LEVEL = 74.0
"""Distance between two levels in pixels."""

SMALLEST = 0.8
"""Cards shrink by at most this factor before cool subtrees fold instead."""

WIDTH = {False: 600.0, True: 336.0}
"""Width in pixels that a tree is fitted to, by `narrow`."""

_SIGNS = {
    "add": "+", "sub": "−", "mul": "×", "div": "÷", "neg": "−( )", "abs": "| |",
    "sqrt": "√", "cbrt": "∛", "pow": "^", "floor": "⌊ ⌋", "ceil": "⌈ ⌉", "log": "ln",
}  # fmt: skip
_SUPERSCRIPT = str.maketrans("0123456789-/.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᐟ·")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_WIDE = set("mwMW@%—∞×÷√−+=<>≤≥QGOD▸…")
_SLIM = set("iljtfrI.,:;'|()[] !1")


def sign(node: Node) -> str:
    """The short text on a node: ``×``, ``ln``, ``( )²``, ``x0``, ``3.1416``.

    Examples
    --------
    >>> from fractions import Fraction
    >>> sign(Node(1, "power", (0,), "", Fraction(2), (0, 0)))
    '( )²'
    >>> sign(Node(0, "constant", (), "3.14159265", None, (0, 0)))
    '3.1416'
    """
    if node.operator == VARIABLE:
        return node.label if len(node.label) <= 12 else node.label[:11] + "…"
    if node.operator == CONSTANT:
        return short_number(node.label)
    text = "" if node.parameter is None else str(node.parameter)
    if node.operator == "power":
        return "( )" + text.translate(_SUPERSCRIPT)
    if node.operator == "root":
        return text.translate(_SUPERSCRIPT) + "√"
    if node.operator == "log" and text:
        return "log" + text.translate(_SUBSCRIPT)
    return _SIGNS.get(node.operator, node.operator)


def short_number(label: str) -> str:
    """A constant in at most about seven characters, with a real minus sign.

    Examples
    --------
    >>> short_number("-0.000123456"), short_number("10000"), short_number("pi")
    ('−1.2346e−4', '10000', 'π')
    """
    if label == "pi":
        return "π"
    if len(label) > 7 and label != "e":
        if "/" in label:
            label = label if len(label) <= 11 else label[:10] + "…"
        else:
            short = f"{float(label):.5g}"
            mantissa, _, exponent = short.partition("e")
            label = f"{mantissa}e{int(exponent)}" if exponent else short
    return label.replace("-", "−")


def pretty(text: str, limit: int) -> str:
    """A sub-expression's Python text for reading: real minus, dots for products, cut.

    Examples
    --------
    >>> pretty("10000*x-9999*x", 30), pretty("x**2*sin(y)", 8)
    ('10000·x−9999·x', 'x^2·sin…')
    """
    shown = text.replace("**", "^").replace("*", "·").replace("-", "−")
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"


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


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from an operand's card up to its operator's, `width` pixels thick."""

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
    dark, narrow : bool
    width : float, optional
        Pixels to fit into, as far as cards of readable size can; default `WIDTH`.
    """
    room = width or WIDTH[narrow]
    hottest = heat(inspection)
    titles: dict[int, tuple[str, str]] = {}
    sizes: dict[int, float] = {}

    def measure(tree: VisibleTree) -> Placement:
        widths: dict[int, float] = {}
        for k in tree.order:
            key = ~k if k in tree.folded else k
            if key not in sizes:
                titles[key] = _texts(inspection, k, tree.folded.get(k, 0), hottest[k])
                title, value = titles[key]
                text = max(text_width(title, 15), text_width(value, 12))
                sizes[key] = max(38.0, text + 18)
            widths[k] = sizes[key]
        return tidy(tree, widths)

    tree = visible_tree(
        inspection,
        unfolded,
        selected=selected,
        narrow=narrow,
        fits=lambda t: measure(t).width * SMALLEST <= room,
    )
    placement = measure(tree)
    scale = min(1.0, max(SMALLEST, room / placement.width))
    main = focus_node(inspection)
    cards: dict[int, Card] = {}
    for k in tree.order:
        hidden = tree.folded.get(k, 0)
        key = ~k if hidden else k
        own = inspection.nodes[k].local_eic
        value = hottest[k] if hidden and not math.isnan(own) else own
        cards[k] = Card(
            k,
            placement.x[k] * scale,
            (placement.level[k] * LEVEL + HEIGHT / 2 + 20) * scale,
            sizes[key] * scale,
            HEIGHT * scale,
            *titles[key],
            paint(value, dark),
            hidden,
            k == main and len(inspection.nodes) > 1,
            k == selected,
        )
    edges = [
        _edge(inspection, cards[child], cards[k], place)
        for k in tree.order
        for place, child in enumerate(tree.children[k])
    ]
    focus = cards[selected if selected in cards else main].x  # type: ignore[index]
    height = ((placement.levels - 1) * LEVEL + HEIGHT + 40) * scale
    ordered = tuple(cards[k] for k in tree.order)
    return Scene(ordered, tuple(edges), placement.width * scale, height, scale, focus, tree)


def _texts(inspection: Inspection, k: int, hidden: int, hottest: float) -> tuple[str, str]:
    n = inspection.nodes[k]
    if not hidden:
        return sign(n.node), digits_text(n.local_eic)
    top = n.local_eic if math.isnan(n.local_eic) else hottest
    bound = "" if math.isnan(top) or math.isinf(top) else "≤ "
    return pretty(n.text, 16), f"{bound}{digits_text(top)} ▸ {hidden + 1} nodes"


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
