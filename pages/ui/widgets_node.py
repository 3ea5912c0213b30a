"""The selected node in words, and the buttons that walk the tree."""

from __future__ import annotations

import math

import streamlit as st

from eic_core.drawing.layout import focus_node
from eic_core.explain import words
from eic_core.explain.origin import origin_of
from eic_core.measure import Inspection
from pages.ui import glossary
from pages.ui.figures import colour
from pages.ui.service import Result
from pages.ui.text import code_label, escape, number
from pages.ui.visit import change
from pages.ui.widgets_verdict import metric

_TEXT = 300


def heading(text: str) -> None:
    """A section's small heading."""
    st.html(f'<h3 class="eic-h">{text}</h3>')


def blame(result: Result) -> None:
    """Buttons that select the bottleneck, and the node it inherits its loss from."""
    inspection = result.inspection
    bottleneck = focus_node(inspection)
    origin = origin_of(inspection, bottleneck)
    name = "No real value at" if math.isnan(inspection.eic) else "Bottleneck"
    places = [(name, bottleneck, glossary.BOTTLENECK, "B")]
    if origin != bottleneck:
        places.append(("Inherited from", origin, glossary.ORIGIN, "O"))
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
                    on_click=change,
                    kwargs={"node": node},
                )


def node_buttons(result: Result, node: int) -> None:
    """Walk the tree, with the mouse or with one key each."""
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
                on_click=change,
                kwargs={"node": goal},
            )


def node_detail(result: Result, node: int, dark: bool) -> None:
    """Text, amplification, and where the selected node's noise comes from."""
    inspection = result.inspection
    n = inspection.nodes[node]
    tag = '<span class="eic-tag">bottleneck</span>' if node == inspection.bottleneck else ""
    facts = [
        ("Digits lost up to here", number(n.local_eic, 3), glossary.EIC),
        ("Mean amplification s̄", _magnitude(n.s_bar), glossary.S_BAR),
    ]
    if n.singular:
        facts.append(("Without singular samples", number(n.local_eic_finite, 3), glossary.FINITE))
        facts.append(("Singular here", f"{n.singular:,}", glossary.SINGULAR))
    if n.invalid:
        facts.append(("No real value here", f"{n.invalid:,}", glossary.VALID))
    cells = "".join(metric(name, value, why) for name, value, why in facts)
    st.html(
        f'<div class="eic-node-block"><p class="eic-node"><code>{escape(n.text, _TEXT)}</code> '
        f'{tag}</p><div class="eic-metrics">{cells}</div>{_sources(inspection, node, dark)}</div>'
    )
    node_buttons(result, node)


def _magnitude(value: float) -> str:
    return words.number(value) if math.isfinite(value) else number(value)


def _sources(inspection: Inspection, node: int, dark: bool) -> str:
    n = inspection.nodes[node]
    if not n.node.children:
        return (
            '<p class="eic-quiet">A leaf: it carries its own rounding only, so no digit is lost '
            "yet.</p>"
        )
    if not n.edge_shares or any(math.isnan(share) for share in n.edge_shares):
        return '<p class="eic-quiet">Where its noise comes from is undefined here.</p>'
    rows = []
    for child, share in zip(n.node.children, n.edge_shares, strict=True):
        value = inspection.nodes[child].local_eic
        fill = colour(value, dark) if math.isfinite(value) else "currentColor"
        rows.append(_bar(f"<code>{escape(inspection.nodes[child].text, 60)}</code>", share, fill))
    rows.append(_bar("its own rounding", max(0.0, 1 - sum(n.edge_shares)), colour(0, dark)))
    return (
        '<div><p class="eic-overline">Where its noise comes from</p>'
        f'<div class="eic-bars">{"".join(rows)}</div></div>'
    )


def _bar(name: str, share: float, fill: str) -> str:
    percent = 100 * share
    shown = f"{percent:.0f} %" if percent >= 1 or percent == 0 else "&lt; 1 %"
    return (
        f'<div class="eic-bar"><span class="eic-bar-name">{name}</span>'
        f'<span class="eic-bar-track"><span style="width:{percent:.1f}%;background:{fill}">'
        f'</span></span><span class="eic-bar-value">{shown}</span></div>'
    )
