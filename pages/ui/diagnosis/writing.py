"""Function or writing: what no form keeps, and what this one loses on top."""

from __future__ import annotations

import math

import streamlit as st

from eic_core.drawing import digits_text
from eic_core.explain import words
from eic_core.explain.writing import WritingLoss
from pages.ui import glossary
from pages.ui.device import is_dark, is_narrow
from pages.ui.figures.losses import losses_figure, worst_step
from pages.ui.service import Result
from pages.ui.text import escape, number, prose
from pages.ui.wiring import diagnosis_service, figure_cache

_LISTED = 12


def writing_panel(result: Result, node: int) -> None:
    """The verdict, three bars, what they mean, and which inputs count; about the whole formula."""
    found = diagnosis_service().writing(result)
    st.html(f'<p class="eic-answer">{prose(found.sentence)}</p>')
    for note in found.notes:
        st.html(f'<p class="eic-quiet">{prose(note)}</p>')
    if not (math.isnan(found.q) and math.isnan(result.inspection.eic)):
        _bars(result, found)
    if not math.isnan(found.q):
        with st.expander("What the three bars mean"):
            st.html(_meanings(found))
        if found.conditioning.variables:
            with st.expander("Which inputs the result is sensitive to"):
                st.html(_inputs(found))


def _bars(result: Result, found: WritingLoss) -> None:
    dark, narrow = is_dark(), is_narrow()
    figure = figure_cache().get(
        ("losses", result.request, dark, narrow),
        lambda: losses_figure(found, dark=dark, narrow=narrow),
        lambda _: 1.0,
    )
    st.plotly_chart(
        figure,
        key="losses",
        theme=None,
        config={"displayModeBar": False},
        alt=f"Digits lost: the function itself {number(found.own)}, the result as written "
        f"{number(found.q)}, the worst step inside {number(result.inspection.eic)}",
    )


def _meanings(found: WritingLoss) -> str:
    inspection = found.inspection
    worst = worst_step(inspection)
    where = f"<code>{escape(inspection.nodes[worst].text, 80)}</code>"
    at_root = worst == len(inspection.formula) - 1
    inside = f"{digits_text(inspection.eic_finite)} at {where}"
    if math.isinf(inspection.eic):
        singular = words.samples(inspection.counts.singular)
        inside = f"all digits at {singular}, where a value is 0 or infinitely steep" + (
            f" ({where})" if math.isnan(inspection.eic_finite) else f"; elsewhere {inside}"
        )
    last = "What is lost there need not reach the result."
    if at_root:
        last = "It is the last step, so all of it reaches the result."
    more = (
        " It is less than the result loses: EIC takes repeated inputs for independent, and here "
        "their errors add up."
        if found.q > inspection.eic_finite + 0.05
        else ""
    )
    items = (
        ("The function itself", digits_text(found.own), glossary.OWN,
         "Take inputs that are right to one rounding, compute without any further error, and "
         "round the result once: so many digits go, whoever writes the formula and however."),
        ("The result, as written", digits_text(found.q), glossary.CORRELATED,
         "Now every step of this form rounds, too. What goes beyond the first bar is the fault "
         "of the writing, and another form may keep it."),
        ("The worst step inside", inside, glossary.EIC,
         f"The most that is lost anywhere on the way. {last}{more}"),
    )  # fmt: skip
    rows = "".join(
        f'<dt title="{escape(tip, 1000)}">{name}: {value}</dt><dd>{text}</dd>'
        for name, value, tip, text in items
    )
    compared = (
        f'<p class="eic-quiet">The first two over the {words.samples(found.compared)} at which '
        "both are finite.</p>"
        if found.singular
        else ""
    )
    return f'<dl class="eic-meanings">{rows}</dl>{compared}'


def _inputs(found: WritingLoss) -> str:
    """How much of a relative error of each input arrives, the strongest first."""
    ranked = sorted(found.conditioning.variables, key=lambda v: -v.share)
    rows = "".join(
        f'<tr><th scope="row">{prose(words.input_name(v.name))}</th>'
        f"<td>{words.number(v.rms)}</td><td>{words.number(v.largest)}</td>"
        f"<td>{words.percent(v.share)}</td></tr>"
        for v in ranked[:_LISTED]
    )
    left = len(ranked) - _LISTED
    more = f'<p class="eic-quiet">{left} more inputs count less.</p>' if left > 0 else ""
    tip = escape(glossary.CONDITION, 1000)
    return (
        '<p class="eic-quiet">If an input is wrong by 1 %, the result is wrong by so many per '
        "cent.</p>"
        '<div class="eic-wide"><table class="eic-repair"><tr><th></th>'
        f'<th scope="col" title="{tip}">typical (rms)</th><th scope="col">at most</th>'
        '<th scope="col">share of the first bar</th></tr>'
        f"{rows}</table></div>{more}"
    )
