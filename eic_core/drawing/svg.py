"""A scene as a standalone SVG document; all text escaped."""

from __future__ import annotations

from html import escape

from eic_core import wording
from eic_core.drawing.layout import TAG_GAP, TAG_SIZE, Card, Edge, Scene, compose, tag_side
from eic_core.drawing.scale import HIGH, LOW, SCALE, SCALE_TITLE, THEMES
from eic_core.measure import Inspection

_FONT = "Source Sans Pro, Segoe UI, Helvetica, Arial, sans-serif"


def tree_svg(
    inspection: Inspection,
    *,
    selected: int | None = None,
    unfolded: frozenset[int] = frozenset(),
    dark: bool = False,
    width: float = 1000,
) -> str:
    """A formula's tree as a standalone SVG document, its colours on the fixed scale.

    Parameters
    ----------
    inspection
        The formula on its samples.
    selected
        Node to ring; the way to it is open.
    unfolded
        Folded nodes to open (see `layout.visible_tree`).
    dark
        For a dark page.
    width
        Pixels to fit into, as far as cards of readable size can.

    Returns
    -------
    str
        With ids that end in ``-light`` or ``-dark``, so that one page may hold both.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> tree_svg(inspect(read("x+1").formula, samples)).startswith("<svg")
    True
    """
    scene = compose(inspection, selected=selected, unfolded=unfolded, dark=dark, width=width)
    return scene_svg(scene, wording.shorten(inspection.nodes[-1].text, 120), dark=dark)


def scene_svg(scene: Scene, title: str, *, dark: bool = False) -> str:
    """A scene as SVG; `title` is for screen readers and window titles."""
    theme = THEMES[dark]
    bar_height = 56.0
    width = max(scene.width, 340.0) + 32
    height = scene.height + bar_height + 24
    left = (width - scene.width) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FONT}" role="img">',
        f"<title>{_text(title)}</title>",
        f'<defs><pattern id="hatch-{_mark(dark)}" width="7" height="7" '
        'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<line x1="0" y1="0" x2="0" y2="7" '
        f'stroke="{theme.ink}" stroke-opacity="0.35"/></pattern>{_gradient(dark)}</defs>',
        f'<rect width="100%" height="100%" fill="{theme.paper}"/>',
        f'<g transform="translate({left:.1f},8)">',
    ]
    parts += [_edge(edge, theme.muted) for edge in scene.edges]
    for card in scene.cards:
        parts += _card(card, scene.scale, dark)
        if card.bottleneck:
            parts.append(_tag(card, scene, left, dark))
    parts.append("</g>")
    parts += _bar(width, scene.height + 20, dark)
    parts.append("</svg>\n")
    return "\n".join(parts)


def _text(text: str) -> str:
    # without the control characters and lone surrogates that XML forbids
    return escape("".join(c for c in text if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF))


def _mark(dark: bool) -> str:
    return "dark" if dark else "light"


def _gradient(dark: bool) -> str:
    stops = "".join(
        f'<stop offset="{share:.4f}" stop-color="{colour}"/>' for share, colour in SCALE[dark]
    )
    return f'<linearGradient id="scale-{_mark(dark)}">{stops}</linearGradient>'


def _edge(edge: Edge, colour: str) -> str:
    middle = (edge.y0 + edge.y1) / 2
    return (
        f'<path d="M{edge.x0:.1f},{edge.y0:.1f} C{edge.x0:.1f},{middle:.1f} '
        f'{edge.x1:.1f},{middle:.1f} {edge.x1:.1f},{edge.y1:.1f}" fill="none" '
        f'stroke="{colour}" stroke-opacity="0.55" stroke-width="{edge.width:.2f}"/>'
    )


def _card(card: Card, scale: float, dark: bool) -> list[str]:
    theme, paint = THEMES[dark], card.paint
    dashes = {"solid": "", "dash": ' stroke-dasharray="6 4"', "dot": ' stroke-dasharray="2 3"'}
    x, y = card.x - card.width / 2, card.y - card.height / 2
    box = f'width="{card.width:.1f}" height="{card.height:.1f}" rx="9"'
    stroke, thick = (theme.ink, 3.0) if card.bottleneck else (paint.outline, 1.2)
    out = []
    if card.folded:
        out.append(
            f'<rect x="{x + 4:.1f}" y="{y + 4:.1f}" {box} fill="{paint.fill}" '
            f'stroke="{paint.outline}"/>'
        )
    out.append(
        f'<rect x="{x:.1f}" y="{y:.1f}" {box} fill="{paint.fill}" stroke="{stroke}" '
        f'stroke-width="{thick}"{dashes[paint.dash]}/>'
    )
    if paint.hatched:
        out.append(f'<rect x="{x:.1f}" y="{y:.1f}" {box} fill="url(#hatch-{_mark(dark)})"/>')
    if card.selected:
        out.append(
            f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="{card.width + 10:.1f}" '
            f'height="{card.height + 10:.1f}" rx="13" fill="none" stroke="{theme.accent}" '
            'stroke-width="3"/>'
        )
    for text, size, down, weight in (
        (card.title, 15, -3.0, "600"),
        (card.value, 12, 13.5, "400"),
    ):
        out.append(
            f'<text x="{card.x:.1f}" y="{card.y + down * scale:.1f}" text-anchor="middle" '
            f'font-size="{size * scale:.1f}" font-weight="{weight}" '
            f'fill="{paint.ink}">{_text(text)}</text>'
        )
    return out


def _tag(card: Card, scene: Scene, spare: float, dark: bool) -> str:
    theme, size = THEMES[dark], TAG_SIZE * scene.scale
    x, y, anchor = card.x, card.y - card.height / 2 - (9 if card.selected else 5), "middle"
    if (side := tag_side(card, scene, spare)) != "above":
        sign, anchor = (1, "start") if side == "right" else (-1, "end")
        x, y = card.x + sign * (card.width / 2 + TAG_GAP), card.y + size / 3
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:.1f}" '
        f'font-weight="700" fill="{theme.ink}" stroke="{theme.paper}" stroke-width="4" '
        f'paint-order="stroke">{card.tag}</text>'
    )


def _bar(width: float, top: float, dark: bool) -> list[str]:
    theme = THEMES[dark]
    length = 300.0
    left = (width - length) / 2
    out = [
        f'<text x="{width / 2:.1f}" y="{top:.1f}" text-anchor="middle" font-size="12" '
        f'fill="{theme.ink}">{SCALE_TITLE}</text>',
        f'<rect x="{left:.1f}" y="{top + 8:.1f}" width="{length}" height="10" '
        f'fill="url(#scale-{_mark(dark)})"/>',
    ]
    for tick in range(int(LOW), int(HIGH) + 1):
        x = left + length * (tick - LOW) / (HIGH - LOW)
        out.append(
            f'<text x="{x:.1f}" y="{top + 32:.1f}" text-anchor="middle" font-size="11" '
            f'fill="{theme.muted}">{tick}</text>'
        )
    return out
