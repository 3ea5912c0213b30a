"""The field "My own form": a form that the user proposes is judged, and drawn with the others."""

from __future__ import annotations

import streamlit as st

from eic_core.errors import UserError
from eic_core.formula.rendering import to_latex, to_python
from eic_core.rewriting import OwnForm
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.messages import show_error
from pages.ui.kit.text import prose
from pages.ui.kit.visit import current_visit
from pages.ui.kit.wiring import diagnosis_service, inspector_service
from pages.ui.questions.copy_as import copy_as
from pages.ui.questions.form_curves import curves
from pages.ui.questions.form_numbers import further_numbers, numbers_table
from pages.ui.questions.replacing import replace_formula_button

FIELD = "own-form"


def judged_form(result: InspectionResult) -> OwnForm | UserError | None:
    """What the user has proposed for this formula, compared with it, or why it cannot be."""
    visit, written = current_visit(), result.request.formula
    text = visit.own_form[1] if visit.own_form[0] == written else ""
    if not text.strip():
        return None
    try:
        formula = result.inspection.formula
        form = (
            inspector_service()
            .read(text, columns=formula.variables, exponents=formula.exponents)
            .formula
        )
        with st.spinner("Comparing both forms at high precision…"):
            return diagnosis_service().own_form(result, form)
    except UserError as error:
        return error


def own_form_card(
    result: InspectionResult, judged: OwnForm | UserError | None, *, alone: bool
) -> None:
    """The field, and what came of it; its curves too where it is `alone`, without a better form."""
    visit, written = current_visit(), result.request.formula

    def keep() -> None:
        visit.own_form = (written, st.session_state[FIELD])

    with st.container(border=True, key="own-form-card", gap="xsmall"):
        st.session_state[FIELD] = visit.own_form[1] if visit.own_form[0] == written else ""
        st.text_input(
            "My own form",
            key=FIELD,
            placeholder="a rewriting of yours, in any notation",
            help="Verified at high precision on these samples, and measured beside the formula. "
            "It may have conditions: `where(x < 1, …, …)`.",
            on_change=keep,
        )
        match judged:
            case UserError():
                show_error(judged)
            case OwnForm():
                _verdict(result, judged, alone)


def _verdict(result: InspectionResult, judged: OwnForm, alone: bool) -> None:
    kind = "eic-quiet" if judged.is_equal else "eic-note"
    st.html(f'<p class="{kind}" role="status">{prose(str(judged.sentence))}</p>')
    if judged.before is None or judged.after is None:
        return
    with st.container(key="own-form-typeset"):
        st.latex(to_latex(judged.formula))
    if alone:
        curves(result, judged.formula, None, "yours")
    numbers = numbers_table(judged.written, judged.instead)
    st.html(numbers + further_numbers(judged.before, judged.after))
    with st.container(horizontal=True, gap="xsmall"):
        replace_formula_button(result, to_python(judged.formula), "apply-own-form")
        copy_as(judged.formula, "own-form")
