"""The table "Digits and time": what each form loses and costs, the user's own among them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from eic_core import wording
from eic_core.formula.rendering import to_latex
from eic_core.report import charts
from eic_core.rewriting import FrontForm, OwnForm, Repairs
from eic_core.rewriting.phrases import NUMBER_NAMES, number_cells
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_narrow
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import code_label, escape
from pages.ui.questions.answer_parts import chart
from pages.ui.questions.copy_as import copy_as
from pages.ui.questions.form_card import approximation_tag
from pages.ui.questions.form_numbers import needing, steps_html
from pages.ui.questions.replacing import replace_formula_button


def form_front(result: InspectionResult, repairs: Repairs, own: OwnForm | None) -> None:
    """What each form loses and costs, and how to get at those that do not lead."""
    yours = None
    if own is not None and own.after is not None:
        yours = FrontForm(own.formula, own.instead, own.after.nanoseconds, ())
    if len(repairs.front) + (yours is not None) < 2:
        return
    leading = "" if repairs.leading is None else repairs.leading.text
    forms, picked = repairs.forms, st.session_state.get(_PICKED)
    with st.container(border=True, key="front", gap="xsmall"):
        st.html(f'<h4 class="eic-h">Digits and time</h4>{_table(forms, leading, own, yours)}')
        if len(forms) > 1:
            chart(
                result,
                ("forms", tuple(form.text for form in forms)),
                lambda: charts.forms(repairs),
                key=_CHART,
                on_select=lambda: _pick_clicked(forms),
                selection_mode="points",
            )
        for place, form in enumerate(forms):
            if form.is_original or form.text == leading != picked:
                continue
            code = code_label(form.text, 28 if is_narrow() else 60)
            is_picked = form.text == picked
            title = f"How {code} follows"
            key = f"steps-{place}-{is_picked}"  # another one, for only a new one opens by itself
            with st.expander(title, expanded=is_picked, key=key):
                with st.container(key=f"repair-form-front-{place}"):
                    st.latex(to_latex(form.formula))
                if repairs.before is not None:
                    st.html(steps_html(form.steps, form.branches, repairs.before.loss))
                st.code(form.text, language=None, wrap_lines=True)
                with st.container(horizontal=True, gap="xsmall"):
                    replace_formula_button(result, form.text, f"apply-front-{place}")
                    copy_as(form.formula, f"front-{place}")


_CHART, _PICKED = "forms-figure", "forms-picked"


def _pick_clicked(forms: Sequence[FrontForm]) -> None:
    points = st.session_state[_CHART].selection.points
    if points and (data := points[0].get("customdata")) is not None:
        place = int(data[0] if isinstance(data, list) else data)
        st.session_state[_PICKED] = forms[place].text


def _table(
    forms: Sequence[FrontForm], leading: str, own: OwnForm | None, yours: FrontForm | None
) -> str:
    groups = (
        ("digits lost", 3, glossary.FRONT_DIGITS),
        ("nanoseconds a call", 2, glossary.NANOSECONDS),
    )
    head = "".join(
        f'<th scope="colgroup" colspan="{columns}" title="{escape(explained, 1000)}">'
        f"<span>{name}</span></th>"
        for name, columns, explained in groups
    )
    *lost, _, _, _ = NUMBER_NAMES
    columns = "".join(f'<th scope="col">{name}</th>' for name in (*lost, "NumPy", "C"))
    body = "".join(_rows(form, _name(form, leading), form.text == leading) for form in forms)
    if yours is not None and own is not None:
        tags = ' <span class="eic-tag">yours</span>'
        tags += "" if own.is_equal else ' <span class="eic-tag">approximation</span>'
        body += _rows(yours, f"<code>{escape(yours.text, 1000)}</code>{tags}", False)
    return (
        f'<table class="eic-repair eic-front"><thead><tr>{head}</tr><tr>{columns}</tr></thead>'
        f"{body}</table>"
    )


def _name(form: FrontForm, leading: str) -> str:
    if form.is_original:
        return "as written"
    name = f"<code>{escape(form.text, 1000)}</code>"
    name += needing(form.assumptions)
    if form.text == leading:
        name += ' <span class="eic-tag">offered</span>'
    if any(branch.series is not None for branch in form.branches):
        name += f" {approximation_tag(form.branches)}"
    return name


def _rows(form: FrontForm, name: str, best: bool) -> str:
    *lost, _, _, _ = number_cells(form.numbers)
    numbers = (
        *lost,
        wording.significant(form.nanoseconds.numpy, 2),
        wording.significant(form.nanoseconds.c, 2),
    )
    cells = "".join(f"<td>{number}</td>" for number in numbers)
    css = ' class="best"' if best else ""
    head = f'<tr><th scope="rowgroup" colspan="5">{name}</th></tr>'
    return f"<tbody{css}>{head}<tr>{cells}</tr></tbody>"
