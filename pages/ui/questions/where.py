""" "Where?": the data with s(x), and the formula typeset on its colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from eic_core import wording
from eic_core.drawing.layout import VisibleTree, largest_loss_below, visible_tree
from eic_core.drawing.scale import THEMES, colour, text_on
from eic_core.formula.rendering import form_of, math_style, to_latex
from eic_core.formula.tree import Formula, Node
from eic_core.measure import Inspection
from eic_core.operators.writing import NEG
from pages.ui.figures.data import (
    HEIGHT,
    curve_figure,
    residual_figure,
    slice_figure,
    surface_figure,
    telling_variables,
)
from pages.ui.figures.plotting import slice_defaults
from pages.ui.kit import glossary
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import clean, code_label
from pages.ui.kit.wiring import figure_cache
from pages.ui.questions.parts import chart, note

# Digits by which a node must differ from the box around it to get its own.
CALM = 0.3

# Most boxes that are drawn, the largest losses first.
MAX_BOXES = 30

# Larger formulas are shortened around the bottleneck and the selected node.
MAX_NODES = 110

# Longest result in characters; beyond, boxes are dropped.
MAX_SOURCE = 20_000


@dataclass(frozen=True)
class _Dialect:
    """The box commands of one LaTeX dialect."""

    box: Callable[[str, str], str]
    frame: Callable[[str, str, str], str]
    ink: Callable[[str, str], str]
    marks: bool = False


_KATEX = _Dialect(
    lambda fill, body: rf"\colorbox{{{fill}}}{{${body}$}}",
    lambda line, fill, body: rf"\fcolorbox{{{line}}}{{{fill}}}{{${body}$}}",
    lambda ink, body: rf"\textcolor{{{ink}}}{{{body}}}",
)
_MARKED = replace(_KATEX, marks=True)


def coloured_latex(
    inspection: Inspection,
    *,
    selected: int | None = None,
    dark: bool = False,
    marked: bool = False,
) -> str:
    r"""The formula in KaTeX's LaTeX, sub-expressions on the tree's colours, `selected` in a brace.

    `marked` adds invisible marks by which a script finds every part (``lighting.js``).

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> inspection = inspect(read("x+1").formula, samples)
    >>> print(coloured_latex(inspection))
    x + 1
    >>> print(coloured_latex(inspection, marked=True))
    \kern0.0003em {\kern0.0001em x\kern-0.0001em} + {\kern0.0002em 1\kern-0.0002em}\kern-0.0003em
    """
    return _coloured(inspection, _MARKED if marked else _KATEX, selected, dark)


def _coloured(inspection: Inspection, dialect: _Dialect, selected: int | None, dark: bool) -> str:
    tree = None
    if len(inspection.nodes) > MAX_NODES:
        tree = visible_tree(inspection, selected=selected, narrow=True)
    # Boxes make most of the text; without any the plain formula may still be too long, and is cut.
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
    boxed = _boxed(inspection, tree, limit)
    inside = selected is not None and _stands_in_box(inspection.formula, selected, boxed)
    styles = _styles(inspection.formula)
    visible = None if tree is None else set(tree.order)
    inner_latex: dict[int, str] = {}  # LaTeX of the node where a skipped stretch ends

    def decorate(node: Node, latex: str) -> str:
        k = node.id
        if tree is not None and visible is not None:
            if k not in visible:
                return ""
            if k in tree.skipped:
                latex = rf"\left[\,\cdots {inner_latex.pop(tree.children[k][0])} \cdots\,\right]"
            elif k in tree.folded:
                latex = r"\left[\cdots\right]"
        if dialect.marks and k < _MAX_MARKED:
            latex = _marked(inspection.formula, node, latex)
        if k in boxed:
            latex = _box(dialect, boxed[k], styles.get(k, r"\displaystyle"), latex, dark)
        if k == selected:
            latex = _brace(inspection, node, latex, dialect, "" if inside else THEMES[dark].accent)
        if tree is not None and k in ends:
            inner_latex[k] = latex
        return latex

    ends = set() if tree is None else {tree.children[k][0] for k in tree.skipped}
    return to_latex(inspection.formula, None, decorate)


def _box(dialect: _Dialect, value: float, style: str, latex: str, dark: bool) -> str:
    theme = THEMES[dark]
    if math.isinf(value):
        return dialect.frame(theme.ink, theme.paper, f"{style} {dialect.ink(theme.ink, latex)}")
    fill = colour(value, dark)
    return dialect.box(fill, f"{style} {dialect.ink(text_on(fill), latex)}")


# Most nodes with a mark: the last one is a tenth of an em wide, and wider ones would be seen.
_MAX_MARKED = 1000


def _marked(formula: Formula, node: Node, latex: str) -> str:
    """A part of the formula between two spaces that cancel and whose width tells its number."""
    # The page's script finds a node by this width (`lighting.js`): KaTeX keeps no other attribute
    # that could carry a number.
    width = (node.id + 1) / 10_000
    text = rf"\kern{width:.4f}em {latex}\kern-{width:.4f}em"
    # Sums and products stay without braces, for KaTeX breaks lines in them.
    breaks = node.children and form_of(formula, node).latex_precedence <= NEG
    return text if breaks else f"{{{text}}}"


def _brace(inspection: Inspection, node: Node, latex: str, dialect: _Dialect, accent: str) -> str:
    value = inspection.nodes[node.id].local_eic
    text = {math.inf: r"\infty"}.get(value, wording.digits_lost(value))
    text = rf"\text{{local EIC {text}}}" if math.isnan(value) else rf"\text{{local EIC }}{text}"
    return rf"\underbrace{{{latex}}}_{{{dialect.ink(accent, text) if accent else text}}}"


def _stands_in_box(formula: Formula, node_id: int, boxed: dict[int, float]) -> bool:
    parent = formula.parents[node_id]
    while parent is not None and parent not in boxed:
        parent = formula.parents[parent]
    return parent is not None


def _boxed(inspection: Inspection, tree: VisibleTree | None, limit: int) -> dict[int, float]:
    """The nodes that get a box, and the local EIC that colours it."""
    nodes = inspection.formula.nodes
    parents = inspection.formula.parents
    hottest = largest_loss_below(inspection) if tree is not None else []
    around: dict[int | None, float] = {None: 0.0}  # Value of the box around a node
    candidates: list[tuple[float, int, float]] = []
    order = range(len(nodes)) if tree is None else tree.order
    for k in reversed(order):
        parent = parents[k]
        while tree is not None and parent is not None and parent not in around:
            parent = parents[parent]
        outside = around[parent]
        value = inspection.nodes[k].local_eic
        if tree is not None and k in tree.folded and not math.isnan(value):
            # A folded node stands for its subtree: it has the colour of the worst step in it.
            value = hottest[k]
        around[k] = outside
        if math.isnan(value) or not nodes[k].children:
            continue
        # Calm by intent: a box only where local EIC differs visibly from the box around it.
        differs = value != outside if math.isinf(value) else abs(value - outside) >= CALM
        if differs:
            around[k] = value
            candidates.append((-value, k, value))
    candidates.sort()
    return {k: value for _, k, value in candidates[:limit]}


def _styles(formula: Formula) -> dict[int, str]:
    """The math style inside a box; display style has no entry."""
    styles: dict[int, str] = {}
    for node in reversed(formula.nodes):
        for place, child in enumerate(node.children):
            style = math_style(form_of(formula, node), place, styles.get(node.id, ""))
            if style:
                styles[child] = style
    return styles


_MAX_SLIDERS = 12

# Pixels of a gap, the line of switches with one, and the line of sliders, which scrolls inside.
_GAP, _SWITCHES, _SLIDERS = 8, 45, 68

_CURVE = "— curve —"


@st.fragment
def plots(result: InspectionResult, node: int) -> None:
    """The data of one variable as curves, of more as a map of the two that matter."""
    with st.container(key="data-plot", gap="xsmall"):
        _plots(result, node)


def _plots(result: InspectionResult, node: int) -> None:
    inspection = result.inspection
    names = inspection.formula.variables
    labels = dict(result.match.mapping) if result.match is not None else None
    target, several = inspection.samples.target is not None, len(names) > 2
    height, view, along = HEIGHT, "Values", [_CURVE]
    if target or several:
        height -= _SWITCHES
        with st.container(
            horizontal=True, vertical_alignment="center", key="plot-toolbar", gap="small"
        ):
            if target:
                view = st.segmented_control(
                    "What is plotted",
                    ["Values", "Residuals"],
                    key="plot-view",
                    default="Values",
                    required=True,
                    label_visibility="collapsed",
                    help=glossary.R2,
                )
            if several and view == "Values":
                along = _axes(blamed_variables_first(result))
    if view == "Residuals":
        return _draw(result, ("residuals",), partial(residual_figure, inspection), height)
    if not several:
        draw = surface_figure if len(names) == 2 else curve_figure
        make = partial(draw, inspection, node, labels=labels)
        return _draw(result, ("surface" if len(names) == 2 else "curve", node), make, height)
    picture = st.container()
    fixed = _held_values(inspection, [name for name in names if name not in along])
    x_name, y_name = along[0], None if along[1] == _CURVE else along[1]
    what = ("slice", node, x_name, y_name, tuple(fixed.items()))
    make = partial(slice_figure, inspection, node, x_name, y_name, fixed, labels=labels)
    with picture:
        _draw(result, what, make, height - _SLIDERS - _GAP)
    return None


def _axes(names: Sequence[str]) -> list[str]:
    """The variables chosen across and up, the two that matter most to begin with."""
    x_name = _axis("across", "axis-x", names, 0)
    others = [name for name in names if name != x_name]
    return [x_name, _axis("up", "axis-y", [_CURVE, *others], 1)]


def _axis(way: str, key: str, options: Sequence[str], first: int) -> str:
    return st.selectbox(
        way,
        options,
        index=first,
        key=key,
        format_func=lambda name: f"{way}: {clean(name)}",
        label_visibility="collapsed",
        width=150,
    )


def _held_values(inspection: Inspection, names: Sequence[str]) -> dict[str, float]:
    """Sliders of the variables that no axis shows, from their medians."""
    start, fixed = slice_defaults(inspection), {}
    with st.container(horizontal=True, gap="small", key="sliders", height=_SLIDERS, border=False):
        for name in names[:_MAX_SLIDERS]:
            column = inspection.samples.columns[name]
            low, high = float(column.min()), float(column.max())
            # A slider cannot hold a constant column, nor a range near the limit of doubles.
            if not low < high or not (high - low) < 1e300:
                continue
            fixed[name] = st.slider(
                code_label(name, 20),
                low,
                high,
                min(max(start[name], low), high),
                step=(high - low) / 200,
                key=f"hold:{name}:{low!r}:{high!r}",
                format="%.4g",
                width=150,
                help="Held at this value in the picture above; starts at its median.",
            )
        if len(names) > _MAX_SLIDERS:
            note("The other variables are held at their medians.")
    return fixed


def _draw(
    result: InspectionResult, what: tuple[object, ...], make: Callable[..., go.Figure], height: int
) -> None:
    chart(
        result,
        what,
        make,
        "The formula's value over the data, and the error amplification of the selected node",
        key=f"plot-{what[0]}",
        file_name="eic-data",
        height=height,
    )


def blamed_variables_first(result: InspectionResult) -> tuple[str, ...]:
    """The variables, the ones below the node to blame first, those that move s most first."""
    return figure_cache().get(
        ("telling variables", result.request),
        lambda: telling_variables(result.inspection, result.origin),
        lambda _: 0.1,
    )


def number_or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
