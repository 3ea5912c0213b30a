""" "What to write instead?": better forms, of the kinds that are asked for, and what they save."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from eic_core.rewriting import OwnForm, Repair, Repairs
from pages.ui.kit import glossary
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.visit import BRANCHES, SERIES, current_visit
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.questions.answer_parts import answer, note
from pages.ui.questions.branches import inspect_branch_button, outermost_branches
from pages.ui.questions.form_card import form_card
from pages.ui.questions.form_front import form_front
from pages.ui.questions.own_form import judged_form, own_form_card


def instead_panel(result: InspectionResult, node: int) -> None:
    with st.spinner("Looking for a form that keeps more digits…"):
        everything = diagnosis_service().repairs(result)
    place = st.container()
    repairs = of_kinds(everything, _kinds(everything))
    with place:
        _answer(everything, repairs)
    for branch in outermost_branches(result.inspection):
        inspect_branch_button(result, branch)
    judged = judged_form(result)
    own = judged if isinstance(judged, OwnForm) else None
    leading = repairs.leading
    if leading is not None:
        form_card(result, leading, own)
    form_front(result, repairs, own)
    own_form_card(result, judged, alone=leading is None)


def _answer(everything: Repairs, repairs: Repairs) -> None:
    """What is offered of the kinds that are switched on, and what was not tried."""
    if repairs is everything or repairs.leading is not None:
        answer(repairs.offer or "No form has been measured yet.")
    else:
        answer("Of the kinds that are switched on, no form keeps more digits.")
    note(repairs.advice or "", *everything.left_out_sentences)


def of_kinds(repairs: Repairs, kinds: frozenset[str]) -> Repairs:
    """Without the forms that choose, or those with a series, where these are not asked for."""
    exact = tuple(form for form in repairs.repairs if BRANCHES in kinds or not form.branches)
    near = tuple(form for form in repairs.approximations if _is_of(form, kinds))
    if (exact, near) == (repairs.repairs, repairs.approximations):
        return repairs
    return replace(repairs, repairs=exact, approximations=near)


def _is_of(form: Repair, kinds: frozenset[str]) -> bool:
    return SERIES in kinds and (BRANCHES in kinds or len(form.branches) < 2)


_LABELS = {BRANCHES: "Branches", SERIES: "Approximations"}


def _kinds(repairs: Repairs) -> frozenset[str]:
    """Which kinds of forms are wanted beside the plain ones; asked where there are any."""
    visit = current_visit()
    available = [BRANCHES] if any(form.branches for form in repairs.repairs) else []
    if repairs.approximations:
        available = [BRANCHES, SERIES]
    if not available:
        return visit.kinds

    def keep() -> None:
        chosen = frozenset(st.session_state["kinds"])
        visit.kinds = (visit.kinds - frozenset(available)) | chosen

    st.session_state["kinds"] = [kind for kind in available if kind in visit.kinds]
    st.pills(
        "Kinds of forms",
        available,
        selection_mode="multi",
        format_func=_LABELS.__getitem__,
        key="kinds",
        on_change=keep,
        help=glossary.KINDS,
        label_visibility="collapsed",
    )
    return visit.kinds
