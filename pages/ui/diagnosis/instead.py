"""What to write instead: equivalent forms that keep more digits."""

from __future__ import annotations

import math

import streamlit as st

from eic_core.explain.rewriting import Measured, ObservedError, Repair, Repairs
from eic_core.formula.rendering import to_latex
from pages.ui import glossary
from pages.ui.diagnosis.service import DiagnosisService
from pages.ui.diagnosis.taking import take_button
from pages.ui.diagnosis.trees import both_trees
from pages.ui.jobs import Job
from pages.ui.service import Progress, Result
from pages.ui.text import escape, number, prose
from pages.ui.unfinished import begin, way_on
from pages.ui.visit import Visit, visit
from pages.ui.wiring import diagnosis_service


def instead_panel(result: Result, node: int) -> None:
    """Equivalent forms that keep more digits, the best first, or why there is none."""
    with st.spinner("Looking for a form that keeps more digits…"):
        repairs = diagnosis_service().repairs(result, aside=visit().aside)
    st.html(f'<p class="eic-answer">{prose(repairs.sentence)}</p>')
    if repairs.advice:
        st.html(f'<p class="eic-quiet">{prose(repairs.advice)}</p>')
    if not repairs.finished:
        way_on(
            "Search to the end",
            "Searching on for a form that keeps more digits…",
            lambda: finish_search(visit(), diagnosis_service(), result),
        )
    for place, form in enumerate(repairs.repairs):
        _card(result, form, place, repairs.measured_rows)


def finish_search(here: Visit, service: DiagnosisService, result: Result) -> Job:
    """Search again without a time limit, beside the page."""
    aside = here.aside

    def work(progress: Progress) -> Repairs:
        found = service.repairs(result, math.inf, progress)
        aside.put(("repairs", result.request), found)
        return found

    return begin(here, work)


def _card(result: Result, form: Repair, place: int, rows: int) -> None:
    """One form: typeset, why it is the same, its numbers on so many rows, its text."""
    with st.container(border=True, key=f"repair-{place}", gap="xsmall"):
        with st.container(key=f"repair-form-{place}"):
            st.latex(to_latex(form.formula))
        st.html(f'<p class="eic-quiet">{prose(_why(form))}</p>')
        st.html(_table(form.before, form.after) + _measured_on(rows, result))
        st.code(form.text, language=None, wrap_lines=True)
        take_button(result, form.text, f"apply-repair-{place}")
        with st.expander("How it follows"):
            st.html(_derivation(form))
        with st.expander("See both trees", key=f"repair-trees-{place}", on_change="rerun") as trees:
            if trees.open:
                both_trees(result, form.formula, f"repair-{place}")


def _measured_on(rows: int, result: Result) -> str:
    total = len(result.inspection.samples)
    if rows == total:
        return ""
    return f'<p class="eic-quiet">Measured on {rows:,} of the {total:,} samples.</p>'


def _why(form: Repair) -> str:
    checked = form.verification
    said = f"Rule{'s' if len(form.rules) > 1 else ''}: {', then '.join(form.rules)}. "
    if form.assumptions:
        said += f"Needs {', '.join(f'`{a}`' for a in form.assumptions)}, true on this data. "
    return said + (
        f"The same to {checked.agreement} digits at {checked.rows:,} samples, and defined wherever "
        "the formula is."
    )


def _derivation(form: Repair) -> str:
    """Every rewrite, and what was checked."""
    steps = "".join(
        f"<li><b>{escape(step.rule)}</b>: <code>{escape(step.before)}</code> → "
        f"<code>{escape(step.after)}</code>{_needing(step.assumptions)}</li>"
        for step in form.steps
    )
    checked = form.verification
    digits = f"Both were computed with up to {checked.digits} digits at {checked.rows:,} samples"
    domain = f"the form has a value at all {checked.domain_rows:,} where the formula has one"
    if checked.widened:
        domain += f", and at {checked.widened:,} more"
    return f'<ol class="eic-steps">{steps}</ol><p class="eic-quiet">{digits}; {domain}.</p>'


def _needing(assumptions: tuple[str, ...]) -> str:
    return f", needs {escape(', '.join(assumptions))}" if assumptions else ""


def _table(before: Measured, after: Measured) -> str:
    rows = (
        _row("lost in the result", before.q, after.q, glossary.CORRELATED),
        _row("lost at the worst step (EIC)", before.eic, after.eic, glossary.EIC),
        _observed_row("observed in double precision", before.float64, after.float64),
        _observed_row("observed in single precision", before.float32, after.float32),
        ("nodes", str(before.complexity), str(after.complexity),
         _signed(after.complexity - before.complexity, 0), glossary.COMPLEXITY),
    )  # fmt: skip
    cells = "".join(
        f'<tr><th scope="row" title="{escape(explained, 1000)}">{name}</th>'
        f"<td>{old}</td><td>{new}</td><td>{change}</td></tr>"
        for name, old, new, change, explained in rows
    )
    head = (
        '<tr><th scope="row">digits</th><th scope="col">as written</th><th scope="col">instead</th>'
        '<th scope="col">change</th></tr>'
    )
    return f'<table class="eic-repair">{head}{cells}</table>'


def _row(name: str, old: float, new: float, explained: str) -> tuple[str, str, str, str, str]:
    return name, number(old), number(new), _signed(new - old), explained


def _observed_row(
    name: str, old: ObservedError, new: ObservedError
) -> tuple[str, str, str, str, str]:
    change = new.digits_lost - old.digits_lost
    shown = _signed(change) if math.isfinite(change) else "—"
    return name, _observed(old), _observed(new), shown, glossary.OBSERVED


def _signed(change: float, decimals: int = 2) -> str:
    """A change for reading.

    Examples
    --------
    >>> _signed(-7.344), _signed(2, 0), _signed(0.001)
    ('−7.34', '+2', '0.00')
    """
    if round(change, decimals) == 0:
        return number(0, decimals)
    return ("+" if change > 0 else "") + number(change, decimals)


def _observed(error: ObservedError) -> str:
    if error.failed:
        return f"no value at {error.failed:,} of {error.rows:,}"
    lost = error.digits_lost
    return "—" if math.isnan(lost) else number(lost)
