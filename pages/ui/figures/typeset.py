"""The formula typeset, and where every part of it stands: what colours and hover are laid under."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from eic_core.drawing.layout import VisibleTree, visible_tree
from eic_core.formula.rendering import printable, short_text, to_latex, to_mathml, to_python
from eic_core.formula.tree import Formula, Node
from eic_core.measure import Inspection
from study.errors import StudyError
from study.stimulus.typesetting import typeset_marked

WIDTH = {False: 540, True: 330}
"""Pixels in which a formula breaks into lines, by `narrow`; a part that does not break is wider."""

MAX_NODES = 110
"""Larger formulas are shortened around the worst step and the selected node."""

_MATHML = ("<mrow><mo>[</mo>{}<mo>]</mo></mrow>", "<mo>⋯</mo>")
_SIZE = re.compile(r'(?:width|height)="([0-9]+)"')
_GAP = 6.0  # Pixels of air between lines, and more than between the signs of one
_LETTER, _LINE, _MOST_LINES = 8.0, 22.0, 40  # Of plain text


class Box(NamedTuple):
    """Pixels from the upper left corner of a picture."""

    x: float
    y: float
    width: float
    height: float


_Place = tuple[int, int, Box]  # A node, a line, and where something of it stands there


@dataclass(frozen=True)
class FormulaPicture:
    svg: str  # Letters in ``currentColor`` and nothing else, hidden from screen readers
    # Of every node that is drawn, whole formula first: a box in each line that it stands in
    boxes: Mapping[int, tuple[Box, ...]]
    width: float
    height: float
    text: str  # In one line, shortened
    mathml: str  # A ``<math>`` for those who do not see it


def formula_picture(
    inspection: Inspection, *, selected: int | None = None, narrow: bool = False
) -> FormulaPicture:
    """The formula of an inspection, shortened where it is long.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> picture = formula_picture(inspect(read("x+1").formula, samples))
    >>> list(picture.boxes), picture.text
    ([2, 1, 0], 'x + 1')
    """
    formula = inspection.formula
    tree = shown_tree(inspection, selected)
    try:
        svg, places = _typeset(formula, tree, WIDTH[narrow])
    except StudyError:
        svg, places = _in_plain_text(formula, tree, WIDTH[narrow])
    width, height = map(float, _SIZE.findall(svg)[:2])
    return FormulaPicture(
        svg,
        _boxes(formula, tree, places),
        width,
        height,
        short_text(formula, limit=200),
        to_mathml(formula, None, None if tree is None else shortened(tree, *_MATHML)),
    )


def shown_tree(inspection: Inspection, selected: int | None = None) -> VisibleTree | None:
    """What is written of a long formula; None: all."""
    if len(inspection.nodes) <= MAX_NODES:
        return None
    return visible_tree(inspection, selected=selected, narrow=True)


def shortened(
    tree: VisibleTree | None,
    brackets: str,
    dots: str,
    mark: Callable[[Node, str], str] = lambda node, text: text,
) -> Callable[[Node, str], str]:
    """A mark on every node that a tree shows, and dots in brackets for those that it does not."""
    if tree is None:
        return mark
    visible = set(tree.order)
    ends = {tree.children[k][0] for k in tree.skipped}
    inner: dict[int, str] = {}  # Of the node where a skipped stretch ends

    def decorate(node: Node, text: str) -> str:
        k = node.id
        if k not in visible:
            return ""
        if k in tree.skipped:
            text = brackets.format(f"{dots}{inner.pop(tree.children[k][0])}{dots}")
        elif k in tree.folded:
            text = brackets.format(dots)
        text = mark(node, text)
        if k in ends:
            inner[k] = text
        return text

    return decorate


def _typeset(formula: Formula, tree: VisibleTree | None, width: float) -> tuple[str, list[_Place]]:
    def mark(node: Node, latex: str) -> str:
        return rf"\node{{{node.id}}}{{{latex}}}"

    decorate = shortened(tree, r"\left[{}\right]", r"\cdots ", mark)
    drawing = typeset_marked(to_latex(formula, None, decorate), width)
    places: list[_Place] = []
    line, bottom = 0, math.inf
    for node, *box in sorted(drawing.places, key=lambda place: place.y):
        place = Box(*box)
        line += place.y > bottom + _GAP
        bottom = max(bottom if bottom < math.inf else 0.0, place.y + place.height)
        places.append((node, line, place))
    return drawing.svg, places


_MARK = re.compile("\x02([0-9]+)\x03|\x04")


def _in_plain_text(
    formula: Formula, tree: VisibleTree | None, width: float
) -> tuple[str, list[_Place]]:
    """What cannot be typeset, as code."""

    def mark(node: Node, text: str) -> str:
        return f"\x02{node.id}\x03{text}\x04"

    marked = to_python(formula, None, shortened(tree, "[{}]", "…", mark))
    columns = int(width // _LETTER)
    letters, around = "", []
    places: list[_Place] = []
    place = 0
    for match in _MARK.finditer(marked):
        letters += marked[place : match.start()]
        place = match.end()
        if match[1]:
            around.append((int(match[1]), len(letters)))
        else:
            node, start = around.pop()
            places += _stretches(node, start, min(len(letters), columns * _MOST_LINES), columns)
    rows = [letters[n : n + columns] for n in range(0, len(letters), columns)][:_MOST_LINES]
    texts = "".join(
        f'<text x="0" y="{_LINE * n + 16}" textLength="{_LETTER * len(row)}"'
        f' lengthAdjust="spacingAndGlyphs">{escape(printable(row))}</text>'
        for n, row in enumerate(rows)
    )
    right, bottom = int(_LETTER * min(columns, len(letters))), int(_LINE * len(rows))
    return (
        f'<svg width="{right}" height="{bottom}" viewBox="0 0 {right} {bottom}"'
        ' aria-hidden="true" focusable="false"><g fill="currentColor" font-family="monospace"'
        f' font-size="13" xml:space="preserve">{texts}</g></svg>'
    ), places


def _stretches(node: int, start: int, end: int, columns: int) -> Iterator[_Place]:
    """The pieces of a text in lines."""
    while start < end:
        line = start // columns
        stop = min(end, columns * (line + 1))
        left = start - columns * line
        yield node, line, Box(_LETTER * left, _LINE * line, _LETTER * (stop - start), _LINE - 2)
        start = stop


def _boxes(
    formula: Formula, tree: VisibleTree | None, places: Iterable[_Place]
) -> dict[int, tuple[Box, ...]]:
    """The boxes of all nodes: around what each has written, and its operands."""
    order = range(len(formula.nodes)) if tree is None else tree.order
    bounds: dict[int, dict[int, Box]] = {k: {} for k in order}
    for node, line, box in places:
        _enlarge(bounds[node], line, box)
    for k in order:
        for child in formula.nodes[k].children if tree is None else tree.children[k]:
            for line, box in bounds[child].items():
                _enlarge(bounds[k], line, box)
    return {k: tuple(bounds[k][line] for line in sorted(bounds[k])) for k in reversed(order)}


def _enlarge(lines: dict[int, Box], line: int, box: Box) -> None:
    before = lines.get(line, box)
    x, y = min(before.x, box.x), min(before.y, box.y)
    right = max(one.x + one.width for one in (before, box))
    bottom = max(one.y + one.height for one in (before, box))
    lines[line] = Box(*(round(number, 2) for number in (x, y, right - x, bottom - y)))
