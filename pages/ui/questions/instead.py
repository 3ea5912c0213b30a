"""Answers "Function or writing?" and "What to write instead?": better forms and what they save."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from eic_core import wording
from eic_core.errors import UserError
from eic_core.explain import phrases
from eic_core.explain.writing import WritingLoss
from eic_core.exports import csv_text
from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection
from eic_core.measure.table import Table, read_table
from eic_core.operators import OPERATORS
from eic_core.rewriting import FrontForm, Measured, ObservedError, Repair, Repairs, RepairStep
from pages.ui.figures.digits import losses_figure, own_loss, worst_step
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_narrow, uninterrupted
from pages.ui.kit.caches import Progress
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.jobs import Job
from pages.ui.kit.messages import show_error
from pages.ui.kit.pictures import show_tree
from pages.ui.kit.progress import finish_button, start_finishing
from pages.ui.kit.text import code_label, escape, prose, table_box
from pages.ui.kit.visit import Visit, change_state, current_visit, keep_upload
from pages.ui.kit.wiring import diagnosis_service, inspector_service
from pages.ui.questions.answer_parts import answer, chart, note
from pages.ui.questions.copy_as import copy_as


def replace_formula_button(
    result: InspectionResult, text: str, key: str, verb: str = "Inspect"
) -> None:
    """Puts `text`, in Python's notation, into the editor, with the same data."""
    if st.button(
        f"{verb} {code_label(text, 28 if is_narrow() else 60)}",
        key=key,
        icon=":material/build:",
        help="Puts it into the editor; “Previous formula” brings yours back.",
        on_click=change_state,
        kwargs=state_after_replacement(result, text),
    ):
        st.rerun()  # the whole page, not only the fragment around the answer


def state_after_replacement(result: InspectionResult, text: str) -> dict[str, Any]:
    # Indexed variables of the new text keep the columns of the old text.
    base = current_visit().state.base
    if base is None:
        base = result.reading.index_base if result.match is None else result.match.index_base
    return {"formula": text, "syntax": "infix", "base": base, "node": None}


# Pixels of each tree: about half the width of an answer, and the width of a phone.
_WIDTH = 280.0


def both_trees(result: InspectionResult, form: Formula) -> None:
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


def instead_panel(result: InspectionResult, node: int) -> None:
    with st.spinner("Looking for a form that keeps more digits…"):
        repairs = diagnosis_service().repairs(result, aside=current_visit().aside)
    answer(repairs.sentence)
    note(repairs.advice or "")
    if not repairs.finished:
        finish_button(
            "Search to the end",
            "Searching on for a form that keeps more digits…",
            lambda: finish_search(current_visit(), diagnosis_service(), result),
        )
    for branch in outermost_branches(result.inspection):
        _inspect_branch_button(result, branch)
    if repairs.best is not None:
        _card(result, repairs)
    _front(result, repairs)
    _own_form(result)


def _own_form(result: InspectionResult) -> None:
    visit, formula = current_visit(), result.request.formula

    def keep() -> None:
        visit.own_form = (formula, st.session_state["own-form"])

    with st.container(border=True, key="own-form-card", gap="xsmall"):
        st.session_state["own-form"] = visit.own_form[1] if visit.own_form[0] == formula else ""
        text = st.text_input(
            "My own form",
            key="own-form",
            placeholder="a rewriting of yours, in any notation",
            help="Verified at high precision on these samples, and measured beside the formula.",
            on_change=keep,
        )
        if text and text.strip():
            _judge(result, text)


def _judge(result: InspectionResult, text: str) -> None:
    try:
        formula = result.inspection.formula
        form = (
            inspector_service()
            .read(text, columns=formula.variables, exponents=formula.exponents)
            .formula
        )
        with st.spinner("Comparing both forms at high precision…"):
            comparison = diagnosis_service().own_form(result, form)
    except UserError as error:
        show_error(error)
        return
    equal = comparison.before is not None and comparison.after is not None
    kind = "eic-quiet" if equal else "eic-note"
    st.html(f'<p class="{kind}" role="status">{prose(str(comparison.sentence))}</p>')
    if comparison.before is not None and comparison.after is not None:
        with st.container(key="own-form-typeset"):
            st.latex(to_latex(form))
        table = _table(comparison.before, comparison.after)
        st.html(table + _measured_on(comparison.measured_rows, result))
        with st.container(horizontal=True, gap="xsmall"):
            replace_formula_button(result, to_python(form), "apply-own-form")
            copy_as(form, "own-form")


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


def _inspect_branch_button(result: InspectionResult, branch: int) -> None:
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


def finish_search(visit: Visit, service: DiagnosisService, result: InspectionResult) -> Job:
    """Search again without a time limit, beside the page."""
    aside = visit.aside

    def work(progress: Progress) -> Repairs:
        repairs = service.repairs(result, math.inf, progress)
        aside.put(("repairs", result.request), repairs)
        return repairs

    return start_finishing(visit, work)


def _card(result: InspectionResult, repairs: Repairs) -> None:
    form = repairs.repairs[0]
    with st.container(border=True, key="repair-0", gap="xsmall"):
        with st.container(key="repair-form-0"):
            st.latex(to_latex(form.formula))
        note(_why(form))
        st.html(_table(form.before, form.after) + _measured_on(repairs.measured_rows, result))
        st.code(form.text, language=None, wrap_lines=True)
        with st.container(horizontal=True, gap="xsmall"):
            replace_formula_button(result, form.text, "apply-repair-0")
            copy_as(form.formula, "repair-0")
        with st.expander("How it follows"):
            st.html(_steps(form.steps, repairs) + _checks(form))
        with st.expander("See both trees", key="repair-trees-0", on_change="rerun") as trees:
            if trees.open:
                both_trees(result, form.formula)


def _front(result: InspectionResult, repairs: Repairs) -> None:
    """What each form loses and costs, and how to get at those that are not the best."""
    if len(repairs.front) < 2:
        return
    with st.container(border=True, key="front", gap="xsmall"):
        st.html(f'<h4 class="eic-h">Digits and time</h4>{_front_table(repairs)}')
        for place, form in enumerate(repairs.forms):
            if form.is_original or form.text == _best_text(repairs):
                continue
            code = code_label(form.text, 28 if is_narrow() else 60)
            with st.expander(f"How {code} follows"):
                with st.container(key=f"repair-form-front-{place}"):
                    st.latex(to_latex(form.formula))
                st.html(_steps(form.steps, repairs))
                st.code(form.text, language=None, wrap_lines=True)
                with st.container(horizontal=True, gap="xsmall"):
                    replace_formula_button(result, form.text, f"apply-front-{place}")
                    copy_as(form.formula, f"front-{place}")


def _best_text(repairs: Repairs) -> str | None:
    return None if repairs.best is None else repairs.best.text


def _front_table(repairs: Repairs) -> str:
    groups = (("digits lost", glossary.FRONT_DIGITS), ("nanoseconds a call", glossary.NANOSECONDS))
    head = "".join(
        f'<th scope="colgroup" colspan="2" title="{escape(explained, 1000)}">'
        f"<span>{name}</span></th>"
        for name, explained in groups
    )
    columns = "".join(
        f'<th scope="col">{name}</th>' for name in ("nine in ten rows", "worst row", "NumPy", "C")
    )
    best = _best_text(repairs)
    forms = "".join(_front_rows(form, form.text == best) for form in repairs.forms)
    return (
        f'<table class="eic-repair eic-front"><thead><tr>{head}</tr><tr>{columns}</tr></thead>'
        f"{forms}</table>"
    )


def _front_rows(form: FrontForm, best: bool) -> str:
    mark = ' <span class="eic-tag">best</span>' if best else ""
    name = "as written" if form.is_original else f"<code>{escape(form.text, 1000)}</code>{mark}"
    numbers = (
        wording.number(form.digits.nine_in_ten, 1),
        wording.number(form.digits.worst, 1),
        wording.significant(form.nanoseconds.numpy, 2),
        wording.significant(form.nanoseconds.c, 2),
    )
    cells = "".join(f"<td>{number}</td>" for number in numbers)
    css = ' class="best"' if best else ""
    head = f'<tr><th scope="rowgroup" colspan="4">{name}</th></tr>'
    return f"<tbody{css}>{head}<tr>{cells}</tr></tbody>"


def _measured_on(rows: int, result: InspectionResult) -> str:
    total = len(result.inspection.samples)
    if rows == total:
        return ""
    return f'<p class="eic-quiet">Measured on {rows:,} of the {total:,} samples.</p>'


def _why(form: Repair) -> str:
    checked = form.verification
    text = f"Rule{'s' if len(form.rules) > 1 else ''}: {', then '.join(form.rules)}. "
    if form.assumptions:
        text += f"Needs {', '.join(f'`{a}`' for a in form.assumptions)}, true on this data. "
    return text + (
        f"The same to {checked.agreement} digits at {checked.rows:,} samples, and defined wherever "
        "the formula is."
    )


def _steps(steps: Sequence[RepairStep], repairs: Repairs) -> str:
    """Each step, and the digits that the whole formula loses after it."""
    written = next(form for form in repairs.front if form.is_original)
    items = "".join(
        f"<li><b>{escape(step.rule)}</b>: <code>{escape(step.before)}</code> → "
        f"<code>{escape(step.after)}</code>{_needing(step.assumptions)}"
        f'<span class="eic-after">{wording.number(step.digits, 1)} digits lost</span></li>'
        for step in steps
    )
    lost = f"As written {wording.number(written.digits.mean, 1)} digits are lost in the mean."
    return f'<p class="eic-quiet">{lost} After each step:</p><ol class="eic-steps">{items}</ol>'


def _checks(form: Repair) -> str:
    checked = form.verification
    digits = f"Both were computed with up to {checked.digits} digits at {checked.rows:,} samples"
    domain = f"the form has a value at all {checked.domain_rows:,} where the formula has one"
    if checked.widened:
        domain += f", and at {checked.widened:,} more"
    return f'<p class="eic-quiet">{digits}; {domain}.</p>'


def _needing(assumptions: tuple[str, ...]) -> str:
    return f", needs {escape(', '.join(assumptions))}" if assumptions else ""


def _table(before: Measured, after: Measured) -> str:
    rows = (
        _row("the result, shared noise", before.q, after.q, glossary.CORRELATED),
        _row("the worst step (EIC)", before.eic, after.eic, glossary.EIC),
        _observed_row("measured in float64", before.float64, after.float64),
        _observed_row("measured in float32", before.float32, after.float32),
        (
            "nodes",
            str(before.complexity),
            str(after.complexity),
            wording.signed(after.complexity - before.complexity, 0),
            glossary.COMPLEXITY,
        ),
    )
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
    """Means over the samples that keep a digit; without any, they are infinite."""
    was, now = ("∞" if math.isnan(value) else wording.number(value) for value in (old, new))
    change = "—" if math.isnan(new - old) else wording.signed(new - old)
    return name, was, now, change, explained


def _observed_row(
    name: str, old: ObservedError, new: ObservedError
) -> tuple[str, str, str, str, str]:
    change = new.digits_lost - old.digits_lost
    change_text = wording.signed(change) if math.isfinite(change) else "—"
    return name, _observed(old), _observed(new), change_text, glossary.OBSERVED


def _observed(error: ObservedError) -> str:
    if error.failed:
        return f"no value at {error.failed:,} of {error.rows:,}"
    lost = error.digits_lost
    return "—" if math.isnan(lost) else wording.number(lost)


_LISTED = 12


def writing_panel(result: InspectionResult, node: int) -> None:
    writing = diagnosis_service().writing(result)
    answer(writing.sentence)
    if not (math.isnan(writing.q) and math.isnan(result.inspection.eic)):
        _bars(result, writing)
    note(*writing.notes)
    if not math.isnan(writing.q):
        with st.expander("What the three bars mean"):
            st.html(_meanings(writing))
        if writing.conditioning.variables:
            with st.expander("Which inputs the result is sensitive to"):
                st.html(_inputs(writing))


def _bars(result: InspectionResult, writing: WritingLoss) -> None:
    # nan with singular samples: no sample keeps a digit.
    shared = math.inf if math.isnan(writing.q) and writing.singular else writing.q
    words = (
        f"Digits by which errors grow: the function itself {wording.number(own_loss(writing))}, "
        f"the result as written with shared noise {wording.number(shared)}, the worst step (EIC) "
        f"{wording.number(result.inspection.eic)}"
    )
    chart(result, ("losses",), partial(losses_figure, writing), words, key="losses")


def _meanings(writing: WritingLoss) -> str:
    inspection = writing.inspection
    worst = worst_step(inspection)
    where = f"<code>{escape(inspection.nodes[worst].text, 80)}</code>"
    at_root = worst == len(inspection.formula) - 1
    inside = f"{wording.digits_lost(inspection.eic_finite)} at {where}"
    if math.isinf(inspection.eic):
        singular = wording.count(inspection.counts.singular, "sample")
        inside = f"all digits at {singular}, where a value is 0 or infinitely steep" + (
            f" ({where})" if math.isnan(inspection.eic_finite) else f"; elsewhere {inside}"
        )
    last = "An error there need not reach the result."
    if at_root:
        last = "It is the last step: the result itself, with independent noise."
    more = (
        " It is less than that of the result: EIC takes repeated inputs for independent, and here "
        "their errors add up."
        if writing.q > inspection.eic_finite + 0.05
        else ""
    )
    items = (
        (
            "The function itself",
            wording.digits_lost(writing.own),
            glossary.OWN,
            "Take inputs that are right to one rounding, compute without any further error, and "
            "round the result once: so many digits are in doubt, whoever writes the formula and "
            "however.",
        ),
        (
            "The result, shared noise",
            wording.digits_lost(writing.q),
            glossary.CORRELATED,
            "Now every step of this form rounds, too. What goes beyond the first bar is the fault "
            "of the writing, and another form may keep it.",
        ),
        (
            "The worst step (EIC)",
            inside,
            glossary.EIC,
            f"The most by which errors grow anywhere on the way. {last}{more}",
        ),
    )
    rows = "".join(
        f'<dt title="{escape(tip, 1000)}">{name}: {value}</dt><dd>{text}</dd>'
        for name, value, tip, text in items
    )
    compared = (
        f'<p class="eic-quiet">The first two over the '
        f"{wording.count(writing.compared, 'sample')} at which "
        "both are finite.</p>"
        if writing.singular
        else ""
    )
    return f'<dl class="eic-meanings">{rows}</dl>{compared}'


def _inputs(writing: WritingLoss) -> str:
    ranked = sorted(writing.conditioning.variables, key=lambda v: -v.share)
    rows = "".join(
        f'<tr><th scope="row">{prose(phrases.input_name(v.name))}</th>'
        f"<td>{wording.significant(v.rms)}</td><td>{wording.significant(v.largest)}</td>"
        f"<td>{wording.percent(v.share)}</td></tr>"
        for v in ranked[:_LISTED]
    )
    omitted = len(ranked) - _LISTED
    more = f'<p class="eic-quiet">{omitted} more inputs count less.</p>' if omitted > 0 else ""
    tip = escape(glossary.CONDITION, 1000)
    table = (
        f'<table class="eic-repair"><tr><th></th><th scope="col" title="{tip}">typical (rms)</th>'
        '<th scope="col">at most</th><th scope="col">share of the first bar</th></tr>'
        f"{rows}</table>"
    )
    return (
        '<p class="eic-quiet">If an input is wrong by 1 %, the result is wrong by so many per '
        f"cent.</p>{table_box(table, 'eic-wide')}{more}"
    )
