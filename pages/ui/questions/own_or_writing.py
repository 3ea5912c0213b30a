""" "Function or writing?": whose digits are lost, the function's own or those of its writing."""

from __future__ import annotations

import math

import streamlit as st

from eic_core import wording
from eic_core.explain import phrases
from eic_core.explain.writing import WritingLoss
from eic_core.report.charts import losses
from pages.ui.kit import glossary
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import escape, prose, table_box
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.questions.answer_parts import answer, chart, note

_LISTED = 12


def writing_panel(result: InspectionResult, node: int) -> None:
    writing = diagnosis_service().writing(result)
    answer(writing.sentence)
    if not (math.isnan(writing.q) and math.isnan(result.inspection.eic)):
        chart(result, ("losses",), lambda: losses(writing), key="losses")
    note(*writing.notes)
    if not math.isnan(writing.q):
        with st.expander("What the three bars mean"):
            st.html(_meanings(writing))
        if writing.conditioning.variables:
            with st.expander("Which inputs the result is sensitive to"):
                st.html(_inputs(writing))


def _meanings(writing: WritingLoss) -> str:
    inspection = writing.inspection
    worst = inspection.finite_worst_step
    where = f"<code>{escape(inspection.nodes[worst].text, 80)}</code>"
    at_root = worst == len(inspection.formula) - 1
    inside = f"{wording.digits_lost(inspection.eic_finite)}, most of them at {where}"
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
            "The digits in doubt if the inputs are right to one rounding, the computation"
            " adds no error, and the result is rounded once. No way of writing the "
            "formula has fewer.",
        ),
        (
            "The result, shared noise",
            wording.digits_lost(writing.q),
            glossary.CORRELATED,
            "The same if every step of this form rounds, too. What goes beyond the first "
            "bar is due to the writing: another form may keep those digits.",
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
