"""The card of the form that is offered first: its branches, curves, numbers and derivation."""

from __future__ import annotations

import streamlit as st

from eic_core import wording
from eic_core.formula.rendering import to_latex
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection
from eic_core.rewriting import Branch, OwnForm, Repair
from eic_core.rewriting.phrases import bound_text
from pages.ui.kit import glossary
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.pictures import show_tree
from pages.ui.kit.text import escape
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.questions.answer_parts import note
from pages.ui.questions.copy_as import copy_as
from pages.ui.questions.form_curves import curves
from pages.ui.questions.form_numbers import (
    box_text,
    condition_html,
    further_numbers,
    letter_html,
    numbers_table,
    series_brief,
    steps_html,
)
from pages.ui.questions.replacing import replace_formula_button


def form_card(result: InspectionResult, form: Repair, own: OwnForm | None) -> None:
    """The form that leads; the user's own is drawn with it if it can be compared."""
    with st.container(border=True, key="repair-0", gap="xsmall"):
        if not form.is_exact:
            st.html(f"<div>{approximation_tag(form.branches)}</div>")
        if all(len(branch.text) <= _TYPESET for branch in form.branches):
            with st.container(key="repair-form-0"):
                st.latex(_with_room(to_latex(form.formula)))
        st.html(numbers_table(form.written, form.instead))
        note(*_why(form), *form.conditions)
        if form.branches:
            st.html(_branches(form.branches))
        curves(result, form.formula, own)
        st.code(form.text, language=None, wrap_lines=True)
        with st.container(horizontal=True, gap="xsmall"):
            replace_formula_button(result, form.text, "apply-repair-0")
            copy_as(form.formula, "repair-0")
        with st.expander("How it follows"):
            steps = steps_html(form.steps, form.branches, form.before.loss)
            st.html(steps + further_numbers(form.before, form.after) + _checks(form))
        with st.expander("See both trees", key="repair-trees-0", on_change="rerun") as trees:
            if trees.open:
                _both_trees(result, form.formula)


# Characters of a branch that a card has room for, typeset; the list of branches shows any.
_TYPESET = 60


def _with_room(latex: str) -> str:
    """Cases with fractions of full size, and room between them."""
    return latex.replace("{cases}", "{dcases}").replace(r"\\", r"\\[8pt]")


def approximation_tag(branches: tuple[Branch, ...]) -> str:
    """The word, with what it means here on hover, focus and touch."""
    series = [branch.series for branch in branches if branch.series is not None]
    bounds = "; ".join(f"within {bound_text(one.bound)} {box_text(one)}" for one in series)
    return (
        '<span class="eic-term eic-tag eic-approximation" tabindex="0">approximation'
        f'<span class="eic-tip" role="tooltip">{escape(glossary.APPROXIMATION, 1000)} Proved: '
        f"{bounds}.</span></span>"
    )


def _why(form: Repair) -> list[str]:
    """By which rules, under which assumptions, and what was checked."""
    lines = []
    text = ""
    if form.rules:
        text = f"Rule{'s' if len(form.rules) > 1 else ''}: {', then '.join(form.rules)}. "
    needs = ""
    if form.assumptions:
        where = "where such a branch is taken" if form.branches else "on this data"
        needs = f"Needs {', '.join(f'`{a}`' for a in form.assumptions)}, true {where}. "
    text += needs
    checked = form.verification
    if not form.is_exact:
        lines.append(
            f"{needs}Not the same function: where a series stands it differs by at most "
            f"{bound_text(form.bound)} relatively, which is proved; elsewhere it is the formula."
        )
    elif form.branches:
        lines.append(
            f"{text}The same whichever branch is taken (to {checked.agreement} digits "
            f"at the {checked.rows:,} rows checked): a threshold can only cost digits, never make "
            "it wrong."
        )
    else:
        lines.append(
            f"{text}The same to {checked.agreement} digits at the {checked.rows:,} rows checked, "
            "and defined wherever the formula is."
        )
    return lines


def _branches(branches: tuple[Branch, ...]) -> str:
    """Each branch: where, the form, the rows that take it and what they lose, and why it holds."""
    count = len(branches)
    items = "".join(
        f"<li>{letter_html(place, count)} {condition_html(branch)}"
        f'<code class="eic-form">{escape(branch.text, 1000)}</code>'
        f'<span class="eic-after">{_summary(branch)}</span></li>'
        for place, branch in enumerate(branches)
    )
    return f'<ul class="eic-branches" aria-label="Branches">{items}</ul>'


def _summary(branch: Branch) -> str:
    rows = wording.count(branch.rows, "row")
    lost = f"{wording.number(branch.before, 1)} → {wording.number(branch.after, 1)} digits lost"
    if branch.series is not None:
        why = series_brief(branch.series)
    elif branch.rules:
        why = ", then ".join(map(escape, branch.rules))
    else:
        why = "as written"
    return f"{rows}; {lost if branch.rows else 'no row of the data'}; {why}"


def _checks(form: Repair) -> str:
    checked = form.verification
    digits = f"Both were computed with up to {checked.digits} digits at {checked.rows:,} samples"
    domain = f"the form has a value at all {checked.domain_rows:,} where the formula has one"
    if checked.widened:
        domain += f", and at {checked.widened:,} more"
    return f'<p class="eic-quiet">{digits}; {domain}.</p>'


# Pixels of each tree: about half the width of an answer, and the width of a phone.
_WIDTH = 280.0


def _both_trees(result: InspectionResult, form: Formula) -> None:
    after = diagnosis_service().repaired(result, form)
    left, right = st.columns(2, gap="small")
    with left:
        _tree(result, result.inspection, "As written")
    with right:
        _tree(result, after, "Instead")


def _tree(result: InspectionResult, inspection: Inspection, name: str) -> None:
    st.html(f'<h4 class="eic-h">{name}: EIC {wording.number(inspection.eic)}</h4>')
    what = result.request, inspection.formula.source
    show_tree(inspection, what, width=_WIDTH, small=True)
