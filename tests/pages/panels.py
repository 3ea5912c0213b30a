"""What the tests of the inspector's answers share."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
from streamlit.testing.v1 import AppTest

from eic_core.measure.table import read_table
from tests.pages.test_app_inspector import open_page


def answer(page: AppTest) -> str:
    """The sentence that answers, as HTML."""
    (said,) = [e.proto.body for e in page.get("html") if 'class="eic-answer"' in e.proto.body]
    return str(said)


def chart(page: AppTest, key: str) -> Any:
    """The figure drawn under a key."""
    for element in page.get("plotly_chart"):
        if element.proto.id.endswith(f"-{key}"):
            found = json.loads(element.proto.spec)
            go.Figure(found)  # Plotly takes it
            return found
    return None


def parts(page: AppTest) -> set[str]:
    """The own components drawn on the page: "eic-tree-pane" and "eic_digit_row"."""
    return {element.proto.component_name for element in page.get("bidi_component")}


def open_with_table(text: str, **query: str | list[str]) -> AppTest:
    """The page with a table in place of ranges."""
    page = open_page(**query)
    table = read_table(text, source="rows.csv")
    here = page.session_state["visit"]
    here.uploads[table.digest] = table
    here.state = replace(here.state, upload=table.digest, upload_name="rows.csv", domains=())
    here.wants_table = True
    return page.run()


def select_node(page: AppTest, node: int) -> AppTest:
    """Select a node, as the tree does in a browser."""
    visit = page.session_state["visit"]
    visit.state = replace(visit.state, node=node)
    return page.run()
