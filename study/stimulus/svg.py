"""The SVG of Typst, made small: outlines that formulas share, and where they stand."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_TRANSLATED = re.compile(r"(?:matrix\(1 0 0 -1|translate\() ?(\S+?)(?: (\S+))?\)\Z")
_BAR = re.compile(r"M 0 0 ?h (\S+)\s*\Z")
UNIT = 100
"""Steps in a pixel: places and outlines are whole numbers of them."""


class NodeBox(NamedTuple):
    """Where something that a node has written stands, in pixels."""

    node: int
    x: float
    y: float
    width: float
    height: float


def compact(pages: Sequence[bytes], scales: Sequence[float]) -> tuple[str, list[str]]:
    """The outlines of all pages as ``<defs>``, and each page, scaled, as an ``<svg>`` of them.

    An outline's name is a hash of it, and they are sorted by name: their order tells nothing.
    """
    outlines: dict[str, str] = {}
    drawings = [
        _drawing(ElementTree.fromstring(page), scale, outlines, [])
        for page, scale in zip(pages, scales, strict=True)
    ]
    return _defs(outlines), drawings


def placed(page: bytes, scale: float) -> tuple[str, str, list[NodeBox]]:
    """The outlines of a page, its ``<svg>``, and what its marks say of places."""
    outlines: dict[str, str] = {}
    places: list[NodeBox] = []
    drawing = _drawing(ElementTree.fromstring(page), scale, outlines, places)
    boxes = [NodeBox(place.node, *(scale * side for side in place[1:])) for place in places]
    return _defs(outlines), drawing, boxes


def _defs(outlines: Mapping[str, str]) -> str:
    paths = "".join(f'<path id="{name}" d="{outlines[name]}"/>' for name in sorted(outlines))
    return f"<defs>{paths}</defs>"


def _drawing(
    root: ElementTree.Element, scale: float, outlines: dict[str, str], places: list[NodeBox]
) -> str:
    names = {}
    for symbol in root.iter(f"{_SVG}symbol"):
        outline = _outline(symbol[0].attrib["d"])
        name = f"g{hashlib.sha256(outline.encode()).hexdigest()[:8]}"
        names[f"#{symbol.attrib['id']}"], outlines[name] = name, outline
    letters: list[str] = []
    bars: list[str] = []
    _collect(root, (0.0, 0.0), names, letters, bars, places)
    size = [math.ceil(scale * float(n)) for n in root.attrib["viewBox"].split()[2:]]
    inside = " ".join(f"{side / scale:.6g}" for side in size)
    return (
        f'<svg width="{size[0]}" height="{size[1]}" viewBox="0 0 {inside}"'
        ' fill="currentColor" aria-hidden="true" focusable="false">'
        f'<g transform="scale({1 / UNIT} {-1 / UNIT})">{"".join(letters)}</g>{"".join(bars)}</svg>'
    )


def _collect(
    group: ElementTree.Element,
    origin: tuple[float, float],
    names: Mapping[str, str],
    letters: list[str],
    bars: list[str],
    places: list[NodeBox],
) -> None:
    """What a group draws; groups of letters are upside down, all others are moved alone."""
    for element in group:
        if element.tag == f"{_SVG}g":
            _collect(element, _place(element, origin), names, letters, bars, places)
        elif element.tag == f"{_SVG}use":
            right = origin[0] + float(element.attrib["x"])
            up = float(element.attrib["y"]) - origin[1]
            name, place = names[element.attrib[_HREF]], (round(UNIT * right), round(UNIT * up))
            letters.append(f'<use href="#{name}" x="{place[0]}" y="{place[1]}"/>')
        elif element.tag == f"{_SVG}path":
            bars.append(_bar(element, origin))
        elif element.tag == f"{_SVG}a":
            _add_place(places, element, _place(element, origin))


def _add_place(places: list[NodeBox], link: ElementTree.Element, at: tuple[float, float]) -> None:
    width, height = (float(link[0].attrib[side]) for side in ("width", "height"))
    place = NodeBox(int(link.attrib["href"].removeprefix("n:")), *at, width, height)
    if places and places[-1].height > height and _same_stretch(places[-1], place):
        places.pop()  # The box of a line around a letter's own
    places.append(place)


def _same_stretch(one: NodeBox, other: NodeBox) -> bool:
    return (one.node, one.x, one.width) == (other.node, other.x, other.width)


def _place(element: ElementTree.Element, origin: tuple[float, float]) -> tuple[float, float]:
    match = _TRANSLATED.match(element.attrib.get("transform", "translate(0)"))
    assert match, element.attrib
    return origin[0] + float(match[1]), origin[1] + float(match[2] or 0)


def _bar(path: ElementTree.Element, origin: tuple[float, float]) -> str:
    """The line of a fraction or a root."""
    x, y = _place(path, origin)
    match = _BAR.match(path.attrib["d"])
    assert match, path.attrib
    thick = float(path.attrib["stroke-width"])
    places = (x, y - thick / 2, float(match[1]), thick)
    x_text, y_text, width, height = (f"{round(number, 2):g}" for number in places)
    return f'<rect x="{x_text}" y="{y_text}" width="{width}" height="{height}"/>'


@lru_cache(maxsize=2048)
def _outline(path: str) -> str:
    """A path in whole steps, each from where the one before has come to: nothing adds up.

    >>> _outline("M 0 0m 0.014 1c 0.004 0 0.004 0 0.004 1v 1.006h -0.018Z ")
    'm1 100c1 0 1 0 1 100v101h-2z'
    """
    written: list[str] = []
    x = y = begun_x = begun_y = 0.0
    for command, text in _STEP.findall(path):
        numbers = [UNIT * float(number) for number in text.split()]
        if command == "Z":
            x, y = begun_x, begun_y
        elif command == "h":
            numbers, x = [round(x + numbers[0]) - round(x)], x + numbers[0]
        elif command == "v":
            numbers, y = [round(y + numbers[0]) - round(y)], y + numbers[0]
        elif command in "mlqc":
            *_, to_x, to_y = numbers
            places = zip(numbers, itertools.cycle((x, y)))
            numbers = [round(start + number) - round(start) for number, start in places]
            x, y = x + to_x, y + to_y
            if command == "m":
                begun_x, begun_y = x, y
        else:
            assert (command, text) == ("M", " 0 0"), path
            continue
        written.append(f"{command.lower()}{' '.join(map(str, numbers))}".replace(" -", "-"))
    return "".join(written)
