"""Tree, plots, typeset formula, node detail and table: one fragment, one selected node."""

from __future__ import annotations

import streamlit as st

from pages.ui.coloured import coloured_latex
from pages.ui.device import is_dark, is_narrow, plotly_config
from pages.ui.figures import tree_figure
from pages.ui.figures.layout import focus_node
from pages.ui.service import Result
from pages.ui.visit import change, visit
from pages.ui.widgets_node import blame, heading, node_detail, tree_toolbar
from pages.ui.widgets_plots import plots
from pages.ui.widgets_share import share
from pages.ui.widgets_table import node_table
from pages.ui.wiring import figure_cache


def selected_node(result: Result) -> int:
    """The node that the state selects, or the bottleneck."""
    node = visit().state.node
    inspection = result.inspection
    return node if node is not None and node < len(inspection.nodes) else focus_node(inspection)


@st.fragment
def workbench(result: Result) -> None:
    """Everything that follows the selected node; a selection reruns only this."""
    node = selected_node(result)
    dark = is_dark()
    with st.container(key="workbench"):
        with st.container(horizontal=True, vertical_alignment="center", key="toolbar"):
            blame(result)
            share(result, node)
        left, right = st.columns([1, 1], gap="medium")
        with left:
            tree_toolbar(result)
            _tree(result, node)
            heading("Selected node")
            node_detail(result, node, dark)
        with right:
            plots(result, node)
        heading("The formula, on the colours of its tree")
        with st.container(key="coloured"):
            st.latex(coloured_latex(result.inspection, selected=node, dark=dark))
        heading("All nodes")
        node_table(result, node)


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
