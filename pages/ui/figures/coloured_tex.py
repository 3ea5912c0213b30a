r"""The formula on the colours of its tree as a document of LaTeX, to be downloaded."""

from __future__ import annotations

import math

from eic_core import wording
from eic_core.drawing.layout import VisibleTree, largest_loss_below
from eic_core.drawing.scale import THEMES, colour, text_on
from eic_core.formula.rendering import form_of, math_style, to_latex
from eic_core.formula.tree import Formula, Node
from eic_core.measure import Inspection
from pages.ui.figures.typeset import shortened, shown_tree

MAX_BOXES = 30
"""The largest losses first."""

CALM = 0.3
"""Digits by which a node must differ from the box around it to get its own."""

MAX_SOURCE = 20_000
"""Characters; beyond, boxes are dropped."""


def coloured_tex(inspection: Inspection, *, selected: int | None = None) -> str:
    """A standalone document, `selected` in a brace; it needs xcolor and amsmath."""
    # Boxes make most of the text; without any the plain formula may still be too long, and is cut.
    bodies = (_written(inspection, selected, boxes) for boxes in (MAX_BOXES, MAX_BOXES // 3, 0))
    plain = to_latex(inspection.formula, inspection.worst_step)[: MAX_SOURCE // 2]
    body = next((text for text in bodies if len(text) <= MAX_SOURCE), plain)
    return (
        "\\documentclass[border=6pt]{standalone}\n"
        "\\usepackage{amsmath}\n"
        "\\usepackage{xcolor}\n"
        "\\setlength{\\fboxsep}{2pt}\n"
        "% Background: local EIC, the digits by which errors grow up to a node, log10 of the mean "
        "amplification, from 0 (pale) to 8 (dark).\n"
        f"% EIC = {wording.digits_lost(inspection.eic)} "
        f"on {inspection.counts.valid} valid samples.\n"
        "\\begin{document}\n"
        f"$\\displaystyle {body}$\n"
        "\\end{document}\n"
    )


def _written(inspection: Inspection, selected: int | None, limit: int) -> str:
    formula = inspection.formula
    tree = shown_tree(inspection, selected)
    boxed = _boxed(inspection, tree, limit)
    styles = _styles(formula)

    def mark(node: Node, latex: str) -> str:
        k = node.id
        if k in boxed:
            latex = _box(boxed[k], styles.get(k, r"\displaystyle"), latex)
        if k == selected:
            inside = _stands_in_box(formula, k, boxed)
            latex = _brace(inspection, node, latex, "" if inside else THEMES[False].accent)
        return latex

    return to_latex(formula, None, shortened(tree, r"\left[\,{}\,\right]", r"\cdots ", mark))


def _boxed(inspection: Inspection, tree: VisibleTree | None, limit: int) -> dict[int, float]:
    """The nodes that get a box, the largest losses first, and the local EIC that colours it."""
    nodes, parents = inspection.formula.nodes, inspection.formula.parents
    hottest = largest_loss_below(inspection) if tree is not None else []
    around: dict[int | None, float] = {None: 0.0}  # Value of the box around a node
    candidates: list[tuple[float, int, float]] = []
    for k in reversed(range(len(nodes)) if tree is None else tree.order):
        parent = parents[k]
        while tree is not None and parent is not None and parent not in around:
            parent = parents[parent]
        around[k] = outside = around[parent]
        value = inspection.nodes[k].local_eic
        if tree is not None and k in tree.folded and not math.isnan(value):
            # A folded node stands for its subtree: it has the colour of the worst step in it.
            value = hottest[k]
        if math.isnan(value) or not nodes[k].children:
            continue
        # Calm by intent: a box only where local EIC differs visibly from the box around it.
        differs = value != outside if math.isinf(value) else abs(value - outside) >= CALM
        if differs:
            around[k] = value
            candidates.append((-value, k, value))
    candidates.sort()
    return {k: value for _, k, value in candidates[:limit]}


def _box(value: float, style: str, latex: str) -> str:
    theme = THEMES[False]
    fill = theme.paper if math.isinf(value) else colour(value)
    ink = theme.ink if math.isinf(value) else text_on(fill)
    body = rf"{{{_code(fill)}}}{{${style} {_inked(ink, latex)}$}}"
    if math.isinf(value):
        return rf"\fcolorbox[HTML]{{{_code(ink)}}}{body}"
    return rf"\colorbox[HTML]{body}"


def _inked(ink: str, latex: str) -> str:
    return rf"\textcolor[HTML]{{{_code(ink)}}}{{{latex}}}"


def _code(colour_name: str) -> str:
    return colour_name[1:].upper()


def _brace(inspection: Inspection, node: Node, latex: str, accent: str) -> str:
    value = inspection.nodes[node.id].local_eic
    text = {math.inf: r"\infty"}.get(value, wording.digits_lost(value))
    text = rf"\text{{local EIC {text}}}" if math.isnan(value) else rf"\text{{local EIC }}{text}"
    return rf"\underbrace{{{latex}}}_{{{_inked(accent, text) if accent else text}}}"


def _stands_in_box(formula: Formula, node_id: int, boxed: dict[int, float]) -> bool:
    parent = formula.parents[node_id]
    while parent is not None and parent not in boxed:
        parent = formula.parents[parent]
    return parent is not None


def _styles(formula: Formula) -> dict[int, str]:
    """The math style inside a box; display style has no entry."""
    styles: dict[int, str] = {}
    for node in reversed(formula.nodes):
        for place, child in enumerate(node.children):
            style = math_style(form_of(formula, node), place, styles.get(node.id, ""))
            if style:
                styles[child] = style
    return styles
