"""The tree: fold, unfold, and a click that selects a node everywhere."""

from __future__ import annotations

import streamlit as st

from pages.ui.device import is_dark, is_narrow, plotly_config
from pages.ui.figures import tree_figure
from pages.ui.service import Result
from pages.ui.undisturbed import undisturbed
from pages.ui.visit import change, visit
from pages.ui.wiring import figure_cache

_UNFOLD_LIMIT = 600


def tree_view(result: Result, node: int) -> None:
    """The tree with its buttons, `node` selected."""
    _toolbar(result)
    _tree(result, node)


def _toolbar(result: Result) -> None:
    """Fold and unfold, where there is enough to fold."""
    nodes = result.inspection.formula.nodes
    with st.container(horizontal=True, vertical_alignment="center", key="tree-toolbar"):
        st.html('<h3 class="eic-h">Tree</h3>', width="stretch")
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
            st.button(
                "Fold",
                key="fold_all",
                type="tertiary",
                on_click=_unfold,
                args=(frozenset(),),
                disabled=not visit().unfolded,
                help="Fold the cool parts again",
            )


@undisturbed()
def _unfold(nodes: frozenset[int]) -> None:
    visit().unfolded = nodes


def _tree(result: Result, node: int) -> None:
    dark, narrow = is_dark(), is_narrow()
    unfolded = visit().unfolded
    key = ("tree", result.request, node, unfolded, dark, narrow)
    figure = figure_cache().get(
        key,
        lambda: tree_figure(
            result.inspection, selected=node, unfolded=unfolded, dark=dark, narrow=narrow
        ),
        lambda _: 1.0,
    )
    st.plotly_chart(
        figure,
        key="tree",
        theme=None,
        on_select=_tree_clicked,
        selection_mode="points",
        config=plotly_config("eic-tree"),
        alt="The formula's tree, coloured by the digits lost at each node; the table below says "
        "the same in words.",
    )


def _tree_clicked() -> None:
    points = st.session_state["tree"].selection.points
    if not points:
        return
    clicked = points[0].get("customdata")
    node = int(clicked[0] if isinstance(clicked, list) else clicked)
    visit().unfolded |= {node}
    change(node=node)
