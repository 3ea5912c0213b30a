"""Losses that the result hides, and what becomes of it without them."""

from __future__ import annotations

import streamlit as st

from eic_core.errors import UserError
from eic_core.explain.ledger import Ledger
from pages.ui import glossary
from pages.ui.diagnosis.taking import take_button
from pages.ui.figures.waterfall import MASKED
from pages.ui.service import Result
from pages.ui.text import prose
from pages.ui.undisturbed import undisturbed
from pages.ui.wiring import diagnosis_service

_TRIED = "noise-tried"
_MOST = 6


def named_masked(whole: Ledger) -> tuple[int, ...]:
    """The nodes that `masked_view` names."""
    return tuple(row.node_id for row in whole.outermost_masked[:_MOST])


def masked_view(result: Result, whole: Ledger) -> None:
    """The masked nodes of the whole formula, each with a what-if whose answer stays."""
    rows = whole.outermost_masked
    st.html(f'<h3 class="eic-h" title="{glossary.MASKED}">{MASKED} What the result hides</h3>')
    for row in rows[:_MOST]:
        with st.container(key=f"masked-{row.node_id}", gap="xsmall"):
            st.html(f'<p class="eic-quiet">{prose(whole.masked_sentence(row))}</p>')
            if (result.request, row.node_id) in _tried():
                _answer(result, row.node_id)
            else:
                st.button(
                    "What if it were its mean?",
                    key=f"what-if-{row.node_id}",
                    help="Replaces this part of the formula by its mean over the data, and "
                    "measures the fit and the loss again.",
                    on_click=_try,
                    args=(result, row.node_id),
                )
    if len(rows) > _MOST:
        st.html(f'<p class="eic-quiet">{len(rows) - _MOST} more in the table below.</p>')


def _tried() -> frozenset[tuple[object, int]]:
    """The what-ifs asked for in this tab."""
    tried: frozenset[tuple[object, int]] = st.session_state.get(_TRIED, frozenset())
    return tried


@undisturbed()
def _try(result: Result, node: int) -> None:
    st.session_state[_TRIED] = _tried() | {(result.request, node)}


def _answer(result: Result, node: int) -> None:
    try:
        found = diagnosis_service().what_if(result, node)
    except UserError as error:
        st.html(f'<p class="eic-note">{prose(str(error))}</p>')
        return
    st.html(f'<p class="eic-note">{prose(found.sentence)}</p>')
    take_button(result, found.text, f"take-mean-{node}")
