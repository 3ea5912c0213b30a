"""What to write instead: equivalent forms that keep more digits."""

from __future__ import annotations

import math

import streamlit as st

from eic_core.explain.rewriting import Measured, ObservedError, Repair
from eic_core.formula.rendering import to_latex
from pages.ui import glossary
from pages.ui.service import Result
from pages.ui.text import escape, number, prose
from pages.ui.visit import change
from pages.ui.wiring import diagnosis_service


def instead_panel(result: Result, node: int) -> None:
    """Equivalent forms that keep more digits, the best first, or why there is none."""
    service = diagnosis_service()
    with st.spinner("Looking for a form that keeps more digits…"):
        repairs, writing = service.repairs(result), service.writing(result)
    st.html(f'<p class="eic-answer">{prose(repairs.sentence)}</p>')
    st.html(f'<p class="eic-quiet">{prose(writing.sentence)}</p>')
    if repairs.measured_rows < len(repairs.samples):
        st.html(
            f'<p class="eic-quiet">Measured on {repairs.measured_rows:,} of '
            f"{len(repairs.samples):,} samples.</p>"
        )
    if not repairs.finished:
        st.html('<p class="eic-note">The search ended at its time limit; more may be found.</p>')
    for place, form in enumerate(repairs.repairs):
        _card(form, place)


def _card(form: Repair, place: int) -> None:
    """One form: typeset, why it is the same, and its numbers before and after."""
    with st.container(border=True, key=f"repair-{place}", gap="xsmall"):
        st.latex(to_latex(form.formula))
        checked = form.verification
        how = f"By {', then '.join(form.rules)}; the same to 30 digits at {checked.rows:,} samples."
        if form.assumptions:
            how += f" Needs {', '.join(form.assumptions)}."
        st.html(f'<p class="eic-quiet">{escape(how, 1000)}</p>')
        st.html(_table(form.before, form.after))
        st.button(
            "Inspect this form",
            key=f"apply-repair-{place}",
            help="Puts it into the editor; “Previous formula” brings yours back.",
            on_click=change,
            kwargs={"formula": form.text, "syntax": "infix", "node": None},
        )


def _table(before: Measured, after: Measured) -> str:
    rows = (
        ("EIC, digits", number(before.eic), number(after.eic), glossary.EIC),
        ("lost in the result, digits", number(before.q), number(after.q), glossary.CORRELATED),
        ("nodes", str(before.complexity), str(after.complexity), glossary.COMPLEXITY),
        ("observed in double precision, digits", _observed(before.float64),
         _observed(after.float64), glossary.OBSERVED),
        ("observed in single precision, digits", _observed(before.float32),
         _observed(after.float32), glossary.OBSERVED),
    )  # fmt: skip
    cells = "".join(
        f'<tr><th scope="row" title="{escape(explained, 1000)}">{name}</th>'
        f"<td>{old}</td><td>{new}</td></tr>"
        for name, old, new, explained in rows
    )
    head = '<tr><th></th><th scope="col">as written</th><th scope="col">instead</th></tr>'
    return f'<table class="eic-repair">{head}{cells}</table>'


def _observed(error: ObservedError) -> str:
    if error.failed:
        return f"no value at {error.failed:,} of {error.rows:,}"
    lost = error.digits_lost
    return "—" if math.isnan(lost) else number(lost)
