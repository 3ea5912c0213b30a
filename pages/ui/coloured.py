"""The formula typeset with each sub-expression on its colour in the tree.

Written for KaTeX and, with other box commands, for LaTeX.  Calm by intent: a box is
drawn only where the digits lost differ visibly from what surrounds the box; leaves
never get one.  Large formulas are cut to what the tree shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from eic_core.drawing.layout import VisibleTree, heat, visible_tree
from eic_core.drawing.scale import THEMES, colour, digits_text, text_on
from eic_core.formula.rendering import form_of, math_style, to_latex
from eic_core.formula.tree import Formula, Node
from eic_core.measure import Inspection

CALM = 0.3
"""Digits by which a node must differ from the box around it to get its own."""

MAX_BOXES = 30
"""How many boxes are drawn at most, the hottest first."""

MAX_NODES = 110
"""Larger formulas are shortened around the bottleneck and the selected node."""

MAX_SOURCE = 20_000
"""Longest result in characters; beyond, boxes are dropped."""


@dataclass(frozen=True)
class _Dialect:
    """How boxes are written."""

    box: Callable[[str, str], str]
    frame: Callable[[str, str, str], str]
    ink: Callable[[str, str], str]


_KATEX = _Dialect(
    lambda fill, body: rf"\colorbox{{{fill}}}{{${body}$}}",
    lambda line, fill, body: rf"\fcolorbox{{{line}}}{{{fill}}}{{${body}$}}",
    lambda ink, body: rf"\textcolor{{{ink}}}{{{body}}}",
)
_XCOLOR = _Dialect(
    lambda fill, body: rf"\colorbox[HTML]{{{fill[1:].upper()}}}{{${body}$}}",
    lambda line, fill, body: (
        rf"\fcolorbox[HTML]{{{line[1:].upper()}}}{{{fill[1:].upper()}}}{{${body}$}}"
    ),
    lambda ink, body: rf"\textcolor[HTML]{{{ink[1:].upper()}}}{{{body}}}",
)


def coloured_latex(
    inspection: Inspection, *, selected: int | None = None, dark: bool = False
) -> str:
    r"""The formula in KaTeX's LaTeX, sub-expressions on the tree's colours.

    Parameters
    ----------
    inspection : Inspection
    selected : int, optional
        Node to mark with a brace and its digits.
    dark : bool
        For a dark page.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> print(coloured_latex(inspect(read("x+1").formula, samples)))
    x + 1
    """
    return _coloured(inspection, _KATEX, selected, dark)


def coloured_tex(inspection: Inspection, *, selected: int | None = None) -> str:
    """The same as a standalone LaTeX document that compiles with xcolor and amsmath."""
    body = _coloured(inspection, _XCOLOR, selected, False)
    return (
        "\\documentclass[border=6pt]{standalone}\n"
        "\\usepackage{amsmath}\n"
        "\\usepackage{xcolor}\n"
        "\\setlength{\\fboxsep}{2pt}\n"
        "% Background: digits lost, log10 of the mean amplification, from 0 (pale) to 8 (dark).\n"
        f"% EIC = {digits_text(inspection.eic)} on {inspection.counts.valid} valid samples.\n"
        "\\begin{document}\n"
        f"$\\displaystyle {body}$\n"
        "\\end{document}\n"
    )


def _coloured(inspection: Inspection, dialect: _Dialect, selected: int | None, dark: bool) -> str:
    tree = None
    if len(inspection.nodes) > MAX_NODES:
        tree = visible_tree(inspection, selected=selected, narrow=True)
    for boxes in (MAX_BOXES, MAX_BOXES // 3, 0):
        text = _write(inspection, dialect, selected, dark, tree, boxes)
        if len(text) <= MAX_SOURCE:
            return text
    return to_latex(inspection.formula, inspection.bottleneck)[: MAX_SOURCE // 2]


def _write(
    inspection: Inspection,
    dialect: _Dialect,
    selected: int | None,
    dark: bool,
    tree: VisibleTree | None,
    limit: int,
) -> str:
    theme = THEMES[dark]
    boxed = _boxed(inspection, tree, limit)
    inside = selected is not None and _stands_in_box(inspection.formula, selected, boxed)
    styles = _styles(inspection.formula)
    shown = None if tree is None else set(tree.order)
    kept: dict[int, str] = {}  # LaTeX of the node where a skipped stretch ends

    def decorate(node: Node, latex: str) -> str:
        k = node.id
        if tree is not None and shown is not None:
            if k not in shown:
                return ""
            if k in tree.skipped:
                latex = rf"\left[\,\cdots {kept.pop(tree.children[k][0])} \cdots\,\right]"
            elif k in tree.folded:
                latex = r"\left[\cdots\right]"
        if k in boxed:
            value = boxed[k]
            style = styles.get(k, r"\displaystyle")
            if math.isinf(value):
                latex = dialect.frame(
                    theme.ink, theme.paper, f"{style} {dialect.ink(theme.ink, latex)}"
                )
            else:
                fill = colour(value, dark)
                latex = dialect.box(fill, f"{style} {dialect.ink(text_on(fill), latex)}")
        if k == selected:
            latex = _brace(inspection, node, latex, dialect, "" if inside else theme.accent)
        if tree is not None and k in ends:
            kept[k] = latex
        return latex

    ends = set() if tree is None else {tree.children[k][0] for k in tree.skipped}
    return to_latex(inspection.formula, None, decorate)


def _brace(inspection: Inspection, node: Node, latex: str, dialect: _Dialect, accent: str) -> str:
    value = inspection.nodes[node.id].local_eic
    said = {math.inf: r"\infty"}.get(value, digits_text(value))
    said = rf"\text{{{said}}}" if math.isnan(value) else said
    return rf"\underbrace{{{latex}}}_{{{dialect.ink(accent, said) if accent else said}}}"


def _stands_in_box(formula: Formula, node_id: int, boxed: dict[int, float]) -> bool:
    parent = formula.parents[node_id]
    while parent is not None and parent not in boxed:
        parent = formula.parents[parent]
    return parent is not None


def _boxed(inspection: Inspection, tree: VisibleTree | None, limit: int) -> dict[int, float]:
    """Which nodes get a box, and the value that colours it."""
    nodes = inspection.formula.nodes
    parents = inspection.formula.parents
    hottest = heat(inspection) if tree is not None else []
    around: dict[int | None, float] = {None: 0.0}  # value of the box that a node stands in
    wanted: list[tuple[float, int, float]] = []
    order = range(len(nodes)) if tree is None else tree.order
    for k in reversed(order):
        parent = parents[k]
        while tree is not None and parent is not None and parent not in around:
            parent = parents[parent]
        outside = around[parent]
        value = inspection.nodes[k].local_eic
        if tree is not None and k in tree.folded and not math.isnan(value):
            value = hottest[k]
        around[k] = outside
        if math.isnan(value) or not nodes[k].children:
            continue
        differs = value != outside if math.isinf(value) else abs(value - outside) >= CALM
        if differs:
            around[k] = value
            wanted.append((-value, k, value))
    wanted.sort()
    return {k: value for _, k, value in wanted[:limit]}


def _styles(formula: Formula) -> dict[int, str]:
    """The math style inside a box, where it is not display style."""
    styles: dict[int, str] = {}
    for node in reversed(formula.nodes):
        for place, child in enumerate(node.children):
            style = math_style(form_of(formula, node), place, styles.get(node.id, ""))
            if style:
                styles[child] = style
    return styles
