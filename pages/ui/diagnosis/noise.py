"""Whose noise it is: the ledger of the selected node."""

from __future__ import annotations

import streamlit as st

from eic_core.explain import words
from eic_core.explain.ledger import Ledger
from pages.ui import glossary
from pages.ui.device import is_dark, is_narrow
from pages.ui.diagnosis.noise_masked import masked_view, named_masked
from pages.ui.diagnosis.noise_table import ledger_table
from pages.ui.figures.waterfall import (
    INHERITED,
    INTRODUCED,
    MASKED,
    NOBODY,
    waterfall_figure,
    waterfall_words,
)
from pages.ui.service import Request, Result
from pages.ui.text import code_label, escape, prose
from pages.ui.visit import change
from pages.ui.wiring import diagnosis_service, figure_cache

_CHART, _MEAN, _BACK = "noise-waterfall", "noise-mean", "noise-back"
_SHAPES = (
    (INTRODUCED, "introduced here", glossary.INTRODUCED),
    (INHERITED, "inherited from below", glossary.INHERITED),
    (MASKED, "masked", glossary.MASKED),
)


def noise_panel(result: Result, node: int) -> None:
    """Answer for the selected node."""
    service = diagnosis_service()
    ledger = service.blame(result, node)
    root = len(result.inspection.formula) - 1
    whole = service.blame(result, root)
    _way_back(result, node)
    st.html(f'<p class="eic-answer">{prose(ledger.sentences[0])}</p>')
    if len(ledger.rows) > 1:
        _waterfall(result, ledger)
    masked = {ledger.masked_sentence(row) for row in ledger.outermost_masked}
    more = [sentence for sentence in ledger.sentences[1:] if sentence not in masked]
    if node != root and whole.rows and node not in named_masked(whole):
        more.append(_in_the_result(whole, node))
    for sentence in more:
        st.html(f'<p class="eic-quiet">{prose(sentence)}</p>')
    if whole.masked:
        masked_view(result, whole)
    if len(ledger.rows) > 1:
        with st.expander(f"All {len(ledger.rows):,} nodes in numbers"):
            ledger_table(ledger)


def _in_the_result(whole: Ledger, node: int) -> str:
    """What the selected node contributes to the noise of the whole formula."""
    row = whole.rows[node]
    share = words.percent(row.share)
    if row.masked:
        return f"{MASKED} Masked: {share} of the noise of the result arises at this node."
    if not whole.inspection.formula.nodes[node].children:
        return f"{INTRODUCED} This error makes {share} of the noise of the result."
    return (
        f"Of the noise of the result, {share} is introduced here ({INTRODUCED}) and "
        f"{words.percent(row.inherited)} is inherited ({INHERITED}): it arises below and passes "
        "through here."
    )


def _waterfall(result: Result, ledger: Ledger) -> None:
    """The figure with its switch; a click on a bar selects the bar's node."""
    with st.container(horizontal=True, vertical_alignment="center", key="noise-toolbar"):
        shapes = "".join(
            f'<span title="{escape(explained)}">{shape} {name}</span>'
            for shape, name, explained in _SHAPES[: 3 if ledger.masked else 2]
        )
        st.html(f'<p class="eic-shapes">{shapes}</p>', width="stretch")
        mean = st.toggle("Mean of shares", key=_MEAN, help=glossary.MEAN_SHARE)
    dark, narrow = is_dark(), is_narrow()
    figure = figure_cache().get(
        ("waterfall", result.request, ledger.target, mean, dark, narrow),
        lambda: waterfall_figure(ledger, mean=mean, dark=dark, narrow=narrow),
        lambda _: 1.0,
    )
    st.plotly_chart(
        figure,
        key=f"{_CHART}-{ledger.target}",
        theme=None,
        on_select=lambda: _clicked(result.request, ledger.target),
        selection_mode="points",
        config={"displayModeBar": False},
        alt=waterfall_words(ledger, mean=mean),
    )


def _clicked(request: Request, target: int) -> None:
    points = st.session_state[f"{_CHART}-{target}"].selection.points
    if not points:
        return
    clicked = points[0]["customdata"]
    node = int(clicked[0] if isinstance(clicked, list) else clicked)
    if node not in (NOBODY, target):
        st.session_state[_BACK] = (request, target)
        change(node=node)


def _way_back(result: Result, node: int) -> None:
    """Back to the node whose bar was clicked."""
    request, target = st.session_state.get(_BACK, (None, node))
    if request != result.request or target == node:
        return
    st.button(
        f"Back to the noise of {code_label(result.inspection.nodes[target].text, 40)}",
        key=_BACK + "-button",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=change,
        kwargs={"node": target},
    )
