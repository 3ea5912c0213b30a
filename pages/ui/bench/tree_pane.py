"""The left pane of the workbench: the formula on its colours, its tree or table, one node's facts.

Selection, hover, colours, pan, zoom and folding happen in the browser (ADR 0022); the server is
asked for the plots of another node, and for a part of the tree that it has not laid out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from eic_core import wording
from eic_core.drawing.scale import HIGH, LEVEL_WORDS, THEMES, colour, level_ramp, text_on
from eic_core.drawing.svg import tree_svg
from eic_core.explain.created import digits_created
from eic_core.exports import Plain
from eic_core.measure import Inspection
from eic_core.operators import OPERATORS
from pages.ui.bench import source
from pages.ui.figures.plotting import not_checked, without_value
from pages.ui.figures.typeset import formula_picture
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_dark, is_narrow, uninterrupted
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import clean
from pages.ui.kit.visit import change_state, current_visit
from pages.ui.kit.wiring import figure_cache

ROOM = {False: (560.0, 270.0), True: (332.0, 320.0)}
"""Width and height in pixels into which the tree is laid out, by `narrow`; the browser scales it to
the pane."""

LISTED = 600
"""Most rows of the table, and most nodes that are unfolded at once."""

_TEXT = 300
_STEPS = 64
# Larger amplifications have too many digits to be read; the column of digits says the same.
_LEGIBLE = 1e9
_KEY = "tree_pane"
_SHOWN = re.compile(r'data-node="(\d+)"')


@dataclass(frozen=True, slots=True)
class PaneNode(Plain):
    """What the browser knows of a node; numbers that are infinite or undefined go as words."""

    text: str
    parent: int | None
    children: tuple[int, ...]
    digits: float  # local EIC
    finite: float  # the same without singular samples
    s: float  # mean amplification
    s_text: str
    created: float  # digits of the worst step's that arise here; nan beside its subtree
    shares: tuple[float, ...]  # of its noise, by operand; () if undefined
    singular: int
    invalid: int
    unchecked: int
    evaluated: int  # -1: at all samples

    _JSON = (
        "text",
        "parent",
        "children",
        "digits",
        "finite",
        "s",
        "s_text",
        "created",
        "shares",
        "singular",
        "invalid",
        "unchecked",
        "evaluated",
    )


@dataclass(frozen=True)
class TreePane(Plain):
    """All that the pane draws, but for the selected node."""

    name: str  # Another formula, or other samples, have another
    formula: Mapping[str, Any]  # SVG of the glyphs, the boxes of every node, its text and MathML
    tree: str  # SVG
    nodes: tuple[PaneNode, ...]
    places: tuple[Mapping[str, Any], ...]  # Nodes with a button of their own
    worst_step: int  # or where most rows have no value
    valid: int
    columns: tuple[tuple[str, str, str], ...]  # Key, header and explanation, of the table
    words: Mapping[str, str]  # Explanations
    unfolded: bool
    colours: Mapping[str, Any]
    legend: tuple[tuple[str, tuple[str, ...]], ...]  # Words and colours of the levels

    _JSON = (
        "name",
        "formula",
        "tree",
        "nodes",
        "places",
        "worst_step",
        "valid",
        "columns",
        "words",
        "unfolded",
        "colours",
        "legend",
        ("listed", lambda _: LISTED),
    )

    def shows(self, node: int) -> bool:
        """Whether the tree has a card for a node."""
        return str(node) in _SHOWN.findall(self.tree)


def pane_of(
    result: InspectionResult,
    unfolded: frozenset[int] = frozenset(),
    *,
    dark: bool = False,
    narrow: bool = False,
) -> TreePane:
    inspection = result.inspection
    picture, nodes = formula_picture(inspection, narrow=narrow), _nodes(inspection)
    width, height = ROOM[narrow]
    return TreePane(
        name=f"{hash(result.request):x}",
        formula={
            "svg": picture.svg,
            "boxes": {
                str(k): [[round(v, 1) for v in box] for box in boxes]
                for k, boxes in picture.boxes.items()
            },
            "text": clean(picture.text),
            "mathml": picture.mathml,
        },
        tree=tree_svg(
            inspection,
            unfolded=unfolded,
            dark=dark,
            narrow=narrow,
            width=width,
            height=height,
            values=[node.created for node in nodes],
            legend=False,
            interactive=True,
            identity="pane",
        ),
        nodes=nodes,
        places=_places(result),
        worst_step=inspection.worst_step,
        valid=inspection.counts.valid,
        columns=_columns(inspection),
        words=_WORDS,
        unfolded=bool(unfolded),
        colours=_colours(dark),
        legend=_legend(inspection, dark),
    )


def _legend(inspection: Inspection, dark: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The levels in words, with their colours; paper and hatching only where a node is infinite."""
    levels = [(words, level_ramp(level, dark)) for level, words in LEVEL_WORDS]
    if any(node.local_eic == math.inf for node in inspection.nodes):
        levels.append(("infinite", (THEMES[dark].paper, THEMES[dark].muted)))
    return tuple(levels)


def _nodes(inspection: Inspection) -> tuple[PaneNode, ...]:
    worst = inspection.worst_step
    created = digits_created(inspection, worst)
    first = worst + 1 - len(created)
    return tuple(
        PaneNode(
            text=clean(n.text, _TEXT),
            parent=inspection.formula.parents[k],
            children=tuple(n.node.children),
            digits=n.local_eic,  # in full: what is rounded twice may differ from the card
            finite=n.local_eic_finite,
            s=n.s_bar,
            s_text=wording.significant(n.s_bar, missing="—"),
            created=created[k - first] if 0 <= k - first < len(created) else math.nan,
            shares=_shares(n.edge_shares),
            singular=n.singular,
            invalid=without_value(inspection, k),
            unchecked=not_checked(inspection, k),
            evaluated=n.evaluated,
        )
        for k, n in enumerate(inspection.nodes)
    )


def _shares(shares: tuple[float, ...]) -> tuple[float, ...]:
    return () if any(math.isnan(s) for s in shares) else tuple(round(s, 4) for s in shares)


def _places(result: InspectionResult) -> tuple[Mapping[str, Any], ...]:
    """The worst step, and the node from which it inherits its digits."""
    inspection = result.inspection
    worst, origin = inspection.worst_step, result.origin
    name = "No real value" if math.isnan(inspection.eic) else "Worst step"
    places = [{"name": name, "node": worst, "why": glossary.WORST_STEP, "key": "W"}]
    if origin != worst:
        chooses = OPERATORS[inspection.formula.nodes[worst].operator].chooses
        name = "In its branch" if chooses else "Inherited from"
        places.append({"name": name, "node": origin, "why": glossary.ORIGIN, "key": "O"})
    return tuple(places)


_WORDS = {
    "digits": glossary.LOCAL_EIC,
    "s": glossary.S_BAR,
    "finite": glossary.FINITE,
    "singular": glossary.SINGULAR,
    "invalid": glossary.VALID,
    "unchecked": glossary.NOT_CHECKED,
    "evaluated": glossary.EVALUATED,
}


def _columns(inspection: Inspection) -> tuple[tuple[str, str, str], ...]:
    nodes = inspection.nodes
    shown = {
        "s": ("s̄", all(n.s_bar < _LEGIBLE or not n.evaluated for n in nodes)),
        "finite": ("finite", any(n.singular for n in nodes)),
        "singular": ("singular", any(n.singular for n in nodes)),
        "invalid": ("no real value", any(without_value(inspection, k) for k in range(len(nodes)))),
        "unchecked": ("not checked", inspection.counts.left_out > 0),
        "evaluated": ("evaluated", nodes[-1].evaluated >= 0),
    }
    return (
        ("id", "#", "Order of computation"),
        ("text", "Sub-expression", ""),
        ("digits", "Local EIC", glossary.LOCAL_EIC),
        *((key, name, _WORDS[key]) for key, (name, has) in shown.items() if has),
    )


def _colours(dark: bool) -> dict[str, Any]:
    theme = THEMES[dark]
    ramp = [colour(HIGH * i / _STEPS, dark) for i in range(_STEPS + 1)]
    return {
        "ramp": ramp,
        "inks": [text_on(fill) for fill in ramp],
        "high": HIGH,
        "ink": theme.ink,
        "paper": theme.paper,
        "muted": theme.muted,
        "accent": theme.accent,
    }


_draw = st.components.v2.component(
    "eic-tree-pane",
    html='<div class="eic-pane"></div>',
    css=source("tree_pane.css", "links.css"),
    js=source("bus.js", "links.js", "tree_pane.js"),
    isolate_styles=False,
)


def tree_pane(result: InspectionResult, node: int) -> None:
    """Draw the pane with `node` selected."""
    pane = _laid_out(result)
    if not pane.shows(node):
        current_visit().unfolded |= {result.inspection.formula.parents[node] or node}
        pane = _laid_out(result)
    _draw(
        key=_KEY,
        data={**pane.to_json(), "node": node},
        on_select_change=_select,
        on_unfold_change=_unfold,
    )


def _laid_out(result: InspectionResult) -> TreePane:
    unfolded, dark, narrow = current_visit().unfolded, is_dark(), is_narrow()
    return figure_cache().get(
        ("pane", result.request, unfolded, dark, narrow),
        lambda: pane_of(result, unfolded, dark=dark, narrow=narrow),
    )


@uninterrupted()
def _select() -> None:
    chosen = st.session_state[_KEY].select
    if isinstance(chosen, int) and chosen >= 0:
        change_state(node=chosen)


@uninterrupted()
def _unfold() -> None:
    """Unfold one node, or the list of nodes that the browser names; none folds all."""
    chosen = st.session_state[_KEY].unfold
    visit = current_visit()
    if isinstance(chosen, int) and chosen >= 0:
        visit.unfolded |= {chosen}
    elif isinstance(chosen, list):
        visit.unfolded = frozenset(k for k in chosen[:LISTED] if isinstance(k, int))
    # The first click of two has selected the node: the second may come before its address is known.
    visit.pressed = True
