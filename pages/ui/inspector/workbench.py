"""The workbench: the tree and one question at a time about one selected node."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from eic_core import wording
from eic_core.drawing.layout import focus_node
from eic_core.drawing.scale import colour
from eic_core.errors import UserError
from eic_core.measure import Inspection
from eic_core.operators import OPERATORS
from pages.ui.figures.plotting import not_checked, without_value
from pages.ui.figures.tree import tree_figure
from pages.ui.inspector.share import COPY_SCRIPT, share_panel
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_dark, is_narrow, plotly_config, uninterrupted
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.messages import metric, show_refusal
from pages.ui.kit.text import code_label, escape
from pages.ui.kit.visit import ASKED_FIRST, change_state, current_visit, sync_widget
from pages.ui.kit.wiring import figure_cache
from pages.ui.questions.digits import digits_panel
from pages.ui.questions.instead import instead_panel, writing_panel
from pages.ui.questions.noise import noise_panel
from pages.ui.questions.rows import rows_panel
from pages.ui.questions.truth import truth_panel
from pages.ui.questions.where import coloured_latex, node_table, plots

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    key: str  # Stands in the URL
    label: str
    panel: Callable[[InspectionResult, int], None]  # Draws the answer; may raise `UserError`


# The questions besides "Where?", which the workbench itself answers.
QUESTIONS = (
    Question("noise", "Whose noise?", noise_panel),
    Question("rows", "Which rows?", rows_panel),
    Question("writing", "Function or writing?", writing_panel),
    Question("instead", "What to write instead?", instead_panel),
    Question("truth", "Is it true?", truth_panel),
    Question("digits", "How many digits do I need?", digits_panel),
)

_BY_KEY = {question.key: question for question in QUESTIONS}


def current_question() -> Question | None:
    """The question of the state; None for "Where?", which the workbench itself answers."""
    return _BY_KEY.get(current_visit().state.ask)


def question_row() -> None:
    labels = {ASKED_FIRST: "Where?"} | {q.key: q.label for q in QUESTIONS}
    with st.container(key="questions"):
        st.segmented_control(
            "One question at a time",
            list(labels),
            format_func=labels.__getitem__,
            default=current_visit().state.ask,
            key=sync_widget("ask", current_visit().state.ask),
            on_change=_change_question,
            required=True,
            label_visibility="collapsed",
        )


def _change_question() -> None:
    # The browser sends no choice where the page itself has set it.
    if (chosen := st.session_state["ask"]) is not None:
        change_state(ask=chosen)


def answer_panel(question: Question, result: InspectionResult, node: int) -> None:
    """Draw the answer; a failure is reported in its place and leaves the page alone."""
    with st.container(key=f"answer-{question.key}", gap="small"):
        try:
            question.panel(result, node)
        except UserError as error:
            show_refusal(error)
        except Exception:
            _log.exception("the panel %s failed", question.key)
            st.html(
                '<div class="eic-error" role="alert"><p class="eic-error-title">This answer could '
                "not be computed, for a reason of ours</p><p>The other questions still work. "
                "The log has the details.</p></div>"
            )


_TEXT = 300
_LIGHTING = Path(__file__).with_name("lighting.js").read_text(encoding="utf-8")


def workbench_scripts() -> tuple[str, ...]:
    """The scripts of the page; its content security policy lets a browser run these alone."""
    return COPY_SCRIPT, f"<script>{_LIGHTING}</script>"


def heading(text: str) -> None:
    st.html(f'<h3 class="eic-h">{text}</h3>')


def blame(result: InspectionResult) -> None:
    """Buttons that select the bottleneck, and the node it inherits its digits from."""
    inspection = result.inspection
    bottleneck = focus_node(inspection)
    origin = result.origin
    name = "No real value at" if math.isnan(inspection.eic) else "Bottleneck"
    places = [(name, bottleneck, glossary.BOTTLENECK, "B")]
    if origin != bottleneck:
        chooses = OPERATORS[inspection.formula.nodes[bottleneck].operator].chooses
        name = "In its branch" if chooses else "Inherited from"
        places.append((name, origin, glossary.ORIGIN, "O"))
    with st.container(horizontal=True, vertical_alignment="center", key="blame", width="stretch"):
        for name, node, explained, key in places:
            with st.container(
                horizontal=True, vertical_alignment="center", width="content", gap="xsmall"
            ):
                st.html(f'<span class="eic-overline">{name}</span>', width="content")
                st.button(
                    code_label(inspection.nodes[node].text, 60),
                    key=f"go-{name}",
                    help=explained,
                    shortcut=key,
                    on_click=change_state,
                    kwargs={"node": node},
                )


def node_buttons(result: InspectionResult, node: int) -> None:
    """Buttons that walk the tree, each with a key."""
    formula = result.inspection.formula
    parent = formula.parents[node]
    children = formula.nodes[node].children
    last = len(formula) - 1
    steps: list[tuple[str, str, int | None, str]] = [
        ("Up", "U", parent, "To the operation that uses this node"),
        ("Down", "D", children[0] if children else None, "To its first operand"),
        ("Previous", "K", node - 1 if node > 0 else None, "The node computed before"),
        ("Next", "J", node + 1 if node < last else None, "The node computed after"),
    ]
    with st.container(horizontal=True, gap="xsmall", key="node-buttons"):
        for name, key, goal, explained in steps:
            st.button(
                name,
                key=f"go-{name}",
                shortcut=key,
                help=explained,
                disabled=goal is None,
                on_click=change_state,
                kwargs={"node": goal},
            )


def node_detail(result: InspectionResult, node: int, dark: bool) -> None:
    inspection = result.inspection
    n = inspection.nodes[node]
    tag = '<span class="eic-tag">bottleneck</span>' if node == inspection.bottleneck else ""
    facts = [
        ("Local EIC: digits up to here", wording.number(n.local_eic, 3), glossary.LOCAL_EIC),
        ("Mean amplification s̄", wording.significant(n.s_bar, missing="—"), glossary.S_BAR),
    ]
    if 0 <= n.evaluated < inspection.counts.valid:
        facts.append(("Evaluated at", f"{n.evaluated:,}", glossary.EVALUATED))
    if n.singular:
        rest = wording.number(n.local_eic_finite, 3)
        facts.append(("Local EIC without singular samples", rest, glossary.FINITE))
        facts.append(("Singular here", f"{n.singular:,}", glossary.SINGULAR))
    if missing := without_value(inspection, node):
        facts.append(("No real value here", f"{missing:,}", glossary.VALID))
    if unchecked := not_checked(inspection, node):
        facts.append(("Not checked here", f"{unchecked:,}", glossary.NOT_CHECKED))
    cells = "".join(metric(name, value, why) for name, value, why in facts)
    st.html(
        f'<div class="eic-node-block"><p class="eic-node"><code>{escape(n.text, _TEXT)}</code> '
        f'{tag}</p><div class="eic-metrics">{cells}</div>{_sources(inspection, node, dark)}</div>'
    )
    node_buttons(result, node)


def _sources(inspection: Inspection, node: int, dark: bool) -> str:
    n = inspection.nodes[node]
    if not n.node.children:
        return (
            '<p class="eic-quiet">A leaf: it carries its own rounding only, so no error '
            "has grown yet.</p>"
        )
    if not n.edge_shares or any(math.isnan(share) for share in n.edge_shares):
        return '<p class="eic-quiet">Where its noise comes from is undefined here.</p>'
    rows = []
    for child, share in zip(n.node.children, n.edge_shares, strict=True):
        value = inspection.nodes[child].local_eic
        fill = colour(value, dark) if math.isfinite(value) else "currentColor"
        rows.append(_bar(f"<code>{escape(inspection.nodes[child].text, 60)}</code>", share, fill))
    # All shares sum to 1; the clamp is for rounding.
    rows.append(_bar("its own rounding", max(0.0, 1 - sum(n.edge_shares)), colour(0, dark)))
    return (
        '<div><p class="eic-overline">Where its noise comes from</p>'
        f'<div class="eic-bars">{"".join(rows)}</div></div>'
    )


def _bar(name: str, share: float, fill: str) -> str:
    return (
        f'<div class="eic-bar"><span class="eic-bar-name">{name}</span>'
        f'<span class="eic-bar-track"><span style="width:{100 * share:.1f}%;background:{fill}">'
        f'</span></span><span class="eic-bar-value">{wording.percent(share)}</span></div>'
    )


# Number of nodes from which the coloured formula is set smaller.
_SMALL_FROM = 14


def coloured_formula(result: InspectionResult, node: int) -> None:
    size = "small" if result.inspection.formula.complexity >= _SMALL_FROM else "normal"
    with st.container(key="coloured"), st.container(key=f"coloured-{size}"):
        st.latex(coloured_latex(result.inspection, selected=node, dark=is_dark(), marked=True))


_UNFOLD_LIMIT = 600

# Pixels of a tree's height on the first screen of a desktop.
TREE_HEIGHT = 330.0

# Widest tree, in pixels, that a narrow window shows whole; a wider one scrolls.
NARROW_WINDOW = 360.0

# Pixels of a tree's width beside an answer on a desktop.
BESIDE_ANSWER = 490.0


def tree_view(result: InspectionResult, node: int, width: float | None = None) -> None:
    """The tree with its buttons, `width` pixels wide if given."""
    _toolbar(result)
    _tree(result, node, width)


def _toolbar(result: InspectionResult) -> None:
    nodes = result.inspection.formula.nodes
    with st.container(horizontal=True, vertical_alignment="center", key="tree-toolbar"):
        blame(result)
        if len(nodes) > 15:
            large = len(nodes) > _UNFOLD_LIMIT
            st.button(
                "Unfold all",
                key="unfold_all",
                type="tertiary",
                on_click=_unfold,
                args=(frozenset(n.id for n in nodes if n.children),),
                disabled=large,
                help=f"More than {_UNFOLD_LIMIT} nodes: unfold them one by one, with a click"
                if large
                else "Show every node",
            )
            if current_visit().unfolded:
                st.button(
                    "Fold",
                    key="fold_all",
                    type="tertiary",
                    on_click=_unfold,
                    args=(frozenset(),),
                    help="Fold the cool parts again",
                )


@uninterrupted()
def _unfold(nodes: frozenset[int]) -> None:
    current_visit().unfolded = nodes


def _tree(result: InspectionResult, node: int, width: float | None) -> None:
    dark, narrow = is_dark(), is_narrow()
    unfolded = current_visit().unfolded
    key = ("tree", result.request, node, unfolded, dark, narrow, width)
    figure = figure_cache().get(
        key,
        lambda: tree_figure(
            result.inspection,
            selected=node,
            unfolded=unfolded,
            dark=dark,
            narrow=narrow,
            width=None if narrow else width,
            height=None if narrow else TREE_HEIGHT,
        ),
        lambda _: 1.0,
    )
    low, high = figure.layout.xaxis.range
    wide = not narrow and high - low > NARROW_WINDOW
    with st.container(key="tree-scrolls" if wide else "tree-fits"):
        _tree_chart(figure)


def _tree_chart(figure: go.Figure) -> None:
    st.plotly_chart(
        figure,
        key="tree",
        theme=None,
        on_select=_select_clicked,
        selection_mode="points",
        config=plotly_config("eic-tree"),
        alt="The formula's tree, coloured by the local EIC of each node; the table below says "
        "the same in words.",
    )


def _select_clicked() -> None:
    points = st.session_state["tree"].selection.points
    if not points:
        return
    clicked = points[0].get("customdata")
    node = int(clicked[0] if isinstance(clicked, list) else clicked)
    current_visit().unfolded |= {node}
    change_state(node=node)


def selected_node(result: InspectionResult) -> int:
    """The node that the state selects, or the bottleneck."""
    node = current_visit().state.node
    inspection = result.inspection
    # A link may name a node of a formula that was longer.
    return node if node is not None and node < len(inspection.nodes) else focus_node(inspection)


@st.fragment
def workbench(result: InspectionResult) -> None:
    """Everything that follows the selected node; a selection reruns only this."""
    node = selected_node(result)
    with st.container(key="workbench", gap="xsmall"):
        coloured_formula(result, node)
        with st.container(horizontal=True, vertical_alignment="center", key="toolbar"):
            question_row()
            share_panel(result, node)
        question = current_question()
        if question is None:
            _where_view(result, node)
        else:
            _answer_view(question, result, node)
        st.html("".join(workbench_scripts()), unsafe_allow_javascript=True)


def _answer_view(question: Question, result: InspectionResult, node: int) -> None:
    with st.container(key="answered"):
        left, right = st.columns([4, 5], gap="medium")
        with left:
            tree_view(result, node, BESIDE_ANSWER)
            node_buttons(result, node)
        with right:
            answer_panel(question, result, node)


def _where_view(result: InspectionResult, node: int) -> None:
    dark = is_dark()
    left, right = st.columns([1, 1], gap="medium")
    with left:
        tree_view(result, node)
    with right:
        plots(result, node)
    heading("Selected node")
    node_detail(result, node, dark)
    heading("All nodes")
    node_table(result, node)
