"""The tree as SVG: one picture for the page, the report and files; all text escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from eic_core import wording
from eic_core.drawing.layout import (
    FLAT_SPACE,
    SHADOW,
    TAG_GAP,
    TAG_SIZE,
    Card,
    Edge,
    Scene,
    bound_text,
    compose,
    hidden_nodes,
    tag_side,
    text_width,
)
from eic_core.drawing.scale import (
    HIGH,
    LEVEL_WORDS,
    LOW,
    SCALE,
    SCALE_TITLES,
    THEMES,
    level_ramp,
)
from eic_core.errors import require
from eic_core.measure import Inspection

_FONT = "Source Sans Pro, Segoe UI, Helvetica, Arial, sans-serif"

PADDING = 16.0
"""Pixels at each side of the tree, and below it where it has no legend."""

LEGEND, LEGEND_WIDTH = 80.0, 400.0
"""Height and width of the legend in pixels; in less width its levels take a line more."""

_LINE = 15.0


def tree_svg(
    inspection: Inspection,
    *,
    selected: int | None = None,
    unfolded: frozenset[int] = frozenset(),
    dark: bool = False,
    narrow: bool = False,
    width: float = 1000,
    height: float | None = None,
    by: str = "eic",
    values: Sequence[float] | None = None,
    legend: bool = True,
    interactive: bool = False,
    identity: str = "",
) -> str:
    """A formula's tree as a standalone SVG document, its colours on the fixed scale.

    Every node is a ``<g class="node" data-node="k">`` with its card (``class="fill"``), title and
    value inside, ``data-nodes`` (``"3-7,9-9"``) for the nodes that it stands for and
    ``data-folded`` for how many it hides; every edge a ``<path data-edge="k">`` by the node at its
    lower end.

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
    narrow
        For a phone: fewer nodes, shorter texts.
    width
        Pixels to fit into, as far as cards of readable size can.
    height
        The same, legend included; without one the picture is as high as it likes.
    by
        "eic": colours and numbers are each node's local EIC. "created": they are `values`.
    values
        The digits that each node creates, by node. Where they are given the node that creates most
        is shown whatever the colours, beside the worst step.
    legend
        Whether the scale is drawn below the tree.
    interactive
        For a script: an ARIA tree in pre-order, flat, with levels. Only the selected node, else
        the result, has ``tabindex="0"``. Every node has a hidden ``class="ring"``, and the selected
        one the class ``selected``; the page shows rings by its own style.
    identity
        Part of every id, where a page holds several trees.

    Returns
    -------
    str
        With ids that end in ``-light`` or ``-dark``, so that one page may hold both.

    Raises
    ------
    ValueError
        For another `by`, or "created" without `values`.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> picture = tree_svg(inspect(read("x+1").formula, samples))
    >>> picture.startswith("<svg"), picture.count('class="node"')
    (True, 3)
    """
    require(inspection, Inspection)
    below = PADDING if not legend else LEGEND + _LINE * (width < LEGEND_WIDTH + 2 * PADDING)
    scene = compose(
        inspection,
        selected=selected,
        unfolded=unfolded,
        dark=dark,
        narrow=narrow,
        width=width - 2 * PADDING,
        height=None if height is None else height - below,
        by=by,
        values=values,
    )
    picture = _Picture(inspection, scene, by, dark, interactive, identity)
    return picture.text(width, below, legend=legend)


def title_of(inspection: Inspection, by: str = "eic") -> str:
    """What the picture of a tree is, for who hears it."""
    whole = wording.shorten(inspection.nodes[-1].text, 120)
    return f"The tree of {whole}, coloured by {SCALE_TITLES[by]}"


class _Picture:
    """A scene on its way to SVG."""

    def __init__(
        self,
        inspection: Inspection,
        scene: Scene,
        by: str,
        dark: bool,
        interactive: bool,
        identity: str,
    ) -> None:
        self.inspection = inspection
        self.scene = scene
        self.by = by
        self.dark = dark
        self.theme = THEMES[dark]
        self.interactive = interactive
        theme = "dark" if dark else "light"
        self.mark = f"{_text(identity)}-{theme}" if identity else theme
        self.cards = {card.node_id: card for card in scene.cards}

    def text(self, room: float, below: float, *, legend: bool) -> str:
        scene, theme = self.scene, self.theme
        # also where the legend is left out, so that the guilty node's tag has room beside it
        width = max(scene.width, min(LEGEND_WIDTH, room - 2 * PADDING)) + 2 * PADDING
        height = scene.height + below
        left = (width - scene.width) / 2
        name = _text(title_of(self.inspection, self.by))
        role = f'role="tree" aria-label="{name}"' if self.interactive else 'role="img"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FONT}" {role}>',
            *([] if self.interactive else [f"<title>{name}</title>"]),
            f'<defs><pattern id="hatch-{self.mark}" width="7" height="7" '
            'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            '<line x1="0" y1="0" x2="0" y2="7" '
            f'stroke="{theme.ink}" stroke-opacity="0.35"/></pattern>{self._gradient()}</defs>',
            f'<rect class="paper" width="100%" height="100%" fill="{theme.paper}"/>',
            f'<g class="nodes" transform="translate({left:.1f},8)"{self._no_role()}>',
            '<g class="edges" aria-hidden="true">',
            *(_edge(edge, theme.muted) for edge in scene.edges),
            "</g>",
        ]
        for card, level, place, siblings in self._reading_order():
            parts.append(f"<g {self._attributes(card, level, place, siblings)}>")
            if not self.interactive:  # what a pointer over the node is told
                parts.append(f"<title>{_text(self._label(card))}</title>")
            parts += self._card(card)
            if card.tag:
                parts.append(self._tag(card, left))
            parts.append("</g>")
        parts.append("</g>")
        if legend:
            parts += self._legend(width, scene.height + 20, broken=below > LEGEND)
        parts.append("</svg>\n")
        return "\n".join(parts)

    def _no_role(self) -> str:
        return ' role="presentation"' if self.interactive else ""

    def _reading_order(self) -> Iterator[tuple[Card, int, int, int]]:
        """The cards in pre-order, each with its level, its place among its siblings, and these."""
        tree = self.scene.tree
        pending = [(tree.order[-1], 1, 1, 1)]
        while pending:
            k, level, place, siblings = pending.pop()
            yield self.cards[k], level, place, siblings
            children = tree.children[k]
            pending += [
                (child, level + 1, i, len(children))
                for i, child in reversed(list(enumerate(children, 1)))
            ]

    def _attributes(self, card: Card, level: int, place: int, siblings: int) -> str:
        k, tree = card.node_id, self.scene.tree
        parts = hidden_nodes(self.inspection, tree, k)
        spans = ",".join(f"{part[0]}-{part[-1]}" for part in parts)
        classes = "node" + " selected" * (card.selected and self.interactive)
        out = f'class="{classes}" data-node="{k}" data-nodes="{spans}" data-folded="{card.folded}"'
        if not self.interactive:
            return out
        chosen = any(other.selected for other in self.scene.cards)
        first = card.selected if chosen else level == 1
        # a stretch that is skipped has its end as its child, so that it is expanded
        state = "true" if tree.children[k] else "false"
        expanded = f' aria-expanded="{state}"' if card.folded or tree.children[k] else ""
        return (
            f'{out} id="node-{k}-{self.mark}" role="treeitem" aria-level="{level}" '
            f'aria-posinset="{place}" aria-setsize="{siblings}"{expanded} '
            f'aria-selected="{"true" if card.selected else "false"}" '
            f'tabindex="{0 if first else -1}" aria-label="{_text(self._label(card))}"'
        )

    def _label(self, card: Card) -> str:
        """A node in words, for who hears the tree."""
        run = self.scene.tree.skipped.get(card.node_id, ())
        parts = [
            f"{len(run)} operators on the way down"
            if run
            else wording.shorten(self.inspection.nodes[card.node_id].text, 60)
        ]
        if card.value == "not taken":
            parts.append("in a branch that no sample takes")
        else:
            number = bound_text(card.loss) if card.folded else wording.digits_lost(card.loss)
            what = "local EIC" if self.by == "eic" else "digits created"
            parts.append(f"{what} {number}")
        if card.tag:
            parts.append(card.tag)
        if card.folded:
            parts.append(f"{card.folded + 1} nodes, folded")
        return ", ".join(parts)

    def _gradient(self) -> str:
        """The scale, and the part of it that each level of the legend is."""
        whole = "".join(
            f'<stop offset="{share:.4f}" stop-color="{colour}"/>'
            for share, colour in SCALE[self.dark]
        )
        gradients = [f'<linearGradient id="scale-{self.mark}">{whole}</linearGradient>']
        for level, _ in LEVEL_WORDS:
            ramp = level_ramp(level, self.dark)
            stops = "".join(
                f'<stop offset="{i / (len(ramp) - 1):.4f}" stop-color="{colour}"/>'
                for i, colour in enumerate(ramp)
            )
            gradients.append(f'<linearGradient id="{level}-{self.mark}">{stops}</linearGradient>')
        return "".join(gradients)

    def _card(self, card: Card) -> list[str]:
        theme, paint = self.theme, card.paint
        x, y = card.x - card.width / 2, card.y - card.height / 2
        box = f'width="{card.width:.1f}" height="{card.height:.1f}" rx="9"'
        stroke, thick = (theme.ink, 3.0) if card.tag else (paint.outline, 1.2)
        out = []
        if card.folded:  # a second card behind says that there is more
            out.append(
                f'<rect class="fill" x="{x + SHADOW:.1f}" y="{y + SHADOW:.1f}" {box} '
                f'fill="{paint.fill}" stroke="{paint.outline}"/>'
            )
        out.append(
            f'<rect class="fill card" x="{x:.1f}" y="{y:.1f}" {box} fill="{paint.fill}" '
            f'stroke="{stroke}" stroke-width="{thick}"{_DASHES[paint.dash]}/>'
        )
        if paint.hatched or self.interactive:
            visibility = "" if paint.hatched else ' visibility="hidden"'
            out.append(
                f'<rect class="hatch" x="{x:.1f}" y="{y:.1f}" {box} '
                f'fill="url(#hatch-{self.mark})"{visibility}/>'
            )
        if card.selected or self.interactive:
            visibility = ' visibility="hidden"' if self.interactive else ""
            out.append(
                f'<rect class="ring" x="{x - 5:.1f}" y="{y - 5:.1f}" '
                f'width="{card.width + 10:.1f}" height="{card.height + 10:.1f}" rx="13" '
                f'fill="none" stroke="{theme.accent}" stroke-width="3"{visibility}/>'
            )
        return out + self._texts(card)

    def _texts(self, card: Card) -> list[str]:
        scale, ink = self.scene.scale, card.paint.ink
        title = f'class="title" font-size="{15 * scale:.1f}" font-weight="600" fill="{ink}"'
        value = f'class="value" font-size="{12 * scale:.1f}" fill="{ink}"'
        middle = f'x="{card.x:.1f}" text-anchor="middle"'
        if self.scene.flat:
            space = f' dx="{FLAT_SPACE * scale:.1f}"' if card.value else ""
            return [
                f'<text {middle} y="{card.y + 5 * scale:.1f}">'
                f"<tspan {title}>{_text(card.title)}</tspan>"
                f"<tspan {value}{space}>{_text(card.value)}</tspan></text>"
            ]
        return [
            f'<text {middle} y="{card.y - 3 * scale:.1f}" {title}>{_text(card.title)}</text>',
            f'<text {middle} y="{card.y + 13.5 * scale:.1f}" {value}>{_text(card.value)}</text>',
        ]

    def _tag(self, card: Card, spare: float) -> str:
        theme, size = self.theme, TAG_SIZE * self.scene.scale
        x, y, anchor = card.x, card.y - card.height / 2 - 9, "middle"
        if (side := tag_side(card, self.scene, spare)) != "above":
            sign, anchor = (1, "start") if side == "right" else (-1, "end")
            x, y = card.x + sign * (card.width / 2 + TAG_GAP), card.y + size / 3
        return (
            f'<text class="tag" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size:.1f}" font-weight="700" fill="{theme.ink}" '
            f'stroke="{theme.paper}" stroke-width="4" paint-order="stroke">{card.tag}</text>'
        )

    def _legend(self, width: float, top: float, *, broken: bool) -> list[str]:
        """The legend: what the colours are, the scale with its ticks, and the levels in words."""
        theme = self.theme
        length = min(300.0, width - 2 * PADDING)
        left = (width - length) / 2
        out = [
            '<g class="legend" aria-hidden="true">',
            f'<text x="{width / 2:.1f}" y="{top:.1f}" text-anchor="middle" font-size="12" '
            f'fill="{theme.ink}">{SCALE_TITLES[self.by]}</text>',
            f'<rect x="{left:.1f}" y="{top + 7:.1f}" width="{length}" height="10" '
            f'fill="url(#scale-{self.mark})" stroke="{theme.faint}" stroke-width="0.8"/>',
        ]
        for tick in range(int(LOW), int(HIGH) + 1):
            x = left + length * (tick - LOW) / (HIGH - LOW)
            out.append(
                f'<text x="{x:.1f}" y="{top + 29:.1f}" text-anchor="middle" font-size="11" '
                f'fill="{theme.muted}">{tick}</text>'
            )
        lines = (LEVEL_WORDS[:2], LEVEL_WORDS[2:]) if broken else (LEVEL_WORDS,)
        for i, line in enumerate(lines):
            out += self._levels(line, width, top + 46 + _LINE * i)
        return [*out, "</g>"]

    def _levels(self, levels: Sequence[tuple[str, str]], width: float, y: float) -> list[str]:
        theme, out = self.theme, []
        spaces = [_SWATCHES[level] + 12 + text_width(words, 11) for level, words in levels]
        x = (width - sum(spaces)) / 2
        for (level, words), space in zip(levels, spaces, strict=True):
            swatch = _SWATCHES[level]
            out += [
                f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="{swatch}" height="10" rx="2" '
                f'fill="url(#{level}-{self.mark})" stroke="{theme.muted}" stroke-width="0.8"/>',
                f'<text x="{x + swatch + 4:.1f}" y="{y:.1f}" font-size="11" '
                f'fill="{theme.ink}">{words}</text>',
            ]
            x += space
        return out


_DASHES = {"solid": "", "dash": ' stroke-dasharray="6 4"', "dot": ' stroke-dasharray="2 3"'}

_SWATCHES = {"stable": 10, "sensitive": 10, "very-sensitive": 36}
"""Width in pixels of a level's colours in the legend."""


def _text(text: str) -> str:
    # without the control characters and lone surrogates that XML forbids
    return escape("".join(c for c in text if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF))


def _edge(edge: Edge, colour: str) -> str:
    middle = (edge.y0 + edge.y1) / 2
    return (
        f'<path data-edge="{edge.child}" d="M{edge.x0:.1f},{edge.y0:.1f} '
        f"C{edge.x0:.1f},{middle:.1f} "
        f'{edge.x1:.1f},{middle:.1f} {edge.x1:.1f},{edge.y1:.1f}" fill="none" '
        f'stroke="{colour}" stroke-opacity="0.55" stroke-width="{edge.width:.2f}"/>'
    )
