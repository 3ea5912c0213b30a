"""The branches of a formula that has conditions of its own: each may be inspected on its rows."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from eic_core import wording
from eic_core.exports import csv_text
from eic_core.formula.rendering import to_python
from eic_core.measure import Inspection
from eic_core.measure.table import Table, read_table
from eic_core.operators import OPERATORS
from pages.ui.kit.browser import is_narrow, uninterrupted
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import code_label
from pages.ui.kit.visit import change_state, keep_upload

# Most branches with a button.
_BRANCHES = 8

# Most rows in the table of a branch.
_BRANCH_ROWS = 100_000


def outermost_branches(inspection: Inspection) -> list[int]:
    """The outermost branches that compute something from inputs at some row, in post-order."""
    formula = inspection.formula
    branches = [
        child
        for node in formula.nodes
        if node.children and OPERATORS[node.operator].chooses
        for child in node.children[1:]
        if formula.nodes[child].children
        and formula.subtree(child).variables
        and inspection.nodes[child].evaluated > 0
    ]
    inside = {k for b in branches for k in range(formula.first[b], b)}
    return sorted(b for b in branches if b not in inside)[:_BRANCHES]


def inspect_branch_button(result: InspectionResult, branch: int) -> None:
    node = result.inspection.nodes[branch]
    rows = wording.count(node.evaluated, "row")
    if st.button(
        f"Inspect {code_label(node.text, 28 if is_narrow() else 60)} on its {rows}",
        key=f"branch-{branch}",
        icon=":material/call_split:",
        help="Puts the branch into the editor, and the rows that take it into a table, at most "
        f"{_BRANCH_ROWS:,}; “Previous formula” brings yours back. The table stays in this tab: a "
        "link or a reload does not carry it.",
        on_click=_inspect_branch,
        args=(result, branch),
    ):
        st.rerun()


@uninterrupted()
def _inspect_branch(result: InspectionResult, branch: int) -> None:
    table = branch_table(result.inspection, branch)
    keep_upload(table)
    change_state(
        formula=to_python(result.inspection.formula, branch),
        syntax="infix",
        base=None,
        node=None,
        upload=table.digest,
        upload_name=table.source,
        target="",
        mapping=tuple((name, name) for name in table.names),
    )


def branch_table(inspection: Inspection, branch: int) -> Table:
    """The inputs of a branch at the rows that take it, as they were written."""
    names = inspection.formula.subtree(branch).variables
    rows = np.flatnonzero(inspection.amplification.evaluated(branch))
    # Evenly spread: the first rows alone may be one end of a sorted table.
    rows = rows[:: math.ceil(len(rows) / _BRANCH_ROWS)]
    # The cells' own decimals; the nearest doubles would be another table.
    decimal = inspection.samples.decimal
    text = csv_text(names, ([decimal(name, k) for name in names] for k in rows.tolist()))
    return read_table(text.encode(), source="rows-of-the-branch.csv")
