""" "How many digits do I need?": the tolerance, and what each constant and input needs for it."""

from __future__ import annotations

import math

import streamlit as st

from eic_core import wording
from eic_core.drawing.scale import THEMES
from eic_core.errors import UserError
from eic_core.explain import phrases
from eic_core.explain.budget import Budget, output_scale
from eic_core.explain.phrases.budget import scale_name
from eic_core.explain.shortening import Need, OutputScale
from pages.ui.figures.digits import MOST_ROWS, needed_digits
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_dark
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.messages import show_refusal
from pages.ui.kit.progress import patient_progress
from pages.ui.kit.text import clean, escape, prose, table_box
from pages.ui.kit.visit import change_state, current_visit, sync_widget
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.questions.answer_parts import answer, chart, note
from pages.ui.questions.replacing import replace_formula_button

# Tolerances to choose from; others may be typed.
PRESETS = {"1 %": 1e-2, "0.1 %": 1e-3, "10⁻⁶": 1e-6}


def read_tolerance(text: str) -> float:
    """A tolerance above 0 and at most 1; `UserError` for other text.

    >>> read_tolerance("0.1 %"), read_tolerance("5e-4"), read_tolerance("10⁻⁶")
    (0.001, 0.0005, 1e-06)
    """
    if text in PRESETS:
        return PRESETS[text]
    bare = text.strip()
    try:
        value = float(bare.removesuffix("%")) / (100 if bare.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise UserError(
            f"`{clean(text, 40)}` is no tolerance",
            hint="give a number above 0 and at most 1, such as 5e-4, or per cent, such as 2 %",
        )
    return value


def tolerance_text(value: float) -> str:
    """A tolerance as text that `read_tolerance` reads, in per cent where that is short.

    >>> tolerance_text(1e-3), tolerance_text(5e-4), tolerance_text(1e-6), tolerance_text(3e-9)
    ('0.1 %', '0.05 %', '10⁻⁶', '3e-09')
    """
    for text, preset in PRESETS.items():
        if preset == value:
            return text
    percent = f"{100 * value:.12g} %"
    return percent if value >= 1e-6 and read_tolerance(percent) == value else repr(value)


_TOLERANCE = "digits-tolerance"


def digits_panel(result: InspectionResult, node: int) -> None:
    summary = st.container(gap="xsmall")
    try:
        tolerance = _tolerance(output_scale(result.inspection))
        with patient_progress("Rounding each constant and input, one at a time…") as progress:
            budget = diagnosis_service().budget(result, tolerance, progress)
    except UserError as error:
        with summary:
            show_refusal(error)
        return
    *sentences, verified = map(str, budget.sentences)
    with summary:
        answer(" ".join(sentences or [verified]))
        note(verified if sentences else "")
    if not budget.needs:
        return
    _bars(result, budget)
    _shortened(result, budget)
    with st.expander("Number by number", expanded=len(budget.needs) > MOST_ROWS):
        st.html(_table(budget.needs))


def _tolerance(scale: OutputScale) -> float:
    """The tolerance in the field, which the state remembers, as a part of `scale`.

    Raises `UserError` for text that is no tolerance.
    """
    choice = tolerance_text(current_visit().state.tolerance)
    typed: str = st.session_state.get(_TOLERANCE) or choice
    refused = _tolerance_or_none(typed) is None
    choice = typed if refused else choice
    options = list(PRESETS) if choice in PRESETS else [*PRESETS, choice]
    st.selectbox(
        f"The output may move, relative to {scale_name(scale)}, by",
        options,
        index=options.index(choice),
        # A refused text stays in the field, to be corrected; any other value follows the state.
        key=_TOLERANCE if refused else sync_widget(_TOLERANCE, choice),
        accept_new_options=True,
        on_change=_save_tolerance,
        help=f"{glossary.DEVIATION} Type another, such as 5e-4 or 2 %.",
        width=300,
    )
    return read_tolerance(choice)


def _save_tolerance() -> None:
    tolerance = _tolerance_or_none(st.session_state[_TOLERANCE])
    if tolerance is not None:
        change_state(tolerance=tolerance)


def _tolerance_or_none(text: str) -> float | None:
    try:
        return read_tolerance(text)
    except UserError:
        return None


def _bars(result: InspectionResult, budget: Budget) -> None:
    theme = THEMES[is_dark()]
    parts = (
        ("given", theme.faint, "", ""),
        ("needed", theme.accent, "", glossary.TOGETHER),
        ("needed alone", theme.ink, "mark", glossary.ALONE),
    )
    legend = "".join(
        f'<span title="{escape(tip, 1000)}"><i class="{shape}" style="background:{ink}"></i>'
        f"{name}</span>"
        for name, ink, shape, tip in parts
    )
    st.html(f'<p class="eic-key">{legend}</p>')
    what = "digits", budget.tolerance
    chart(result, what, lambda: needed_digits(budget.needs), key="digits")
    if len(budget.needs) > MOST_ROWS:
        note(f"The first {MOST_ROWS} of {len(budget.needs):,} numbers; the table has all.")


def _shortened(result: InspectionResult, budget: Budget) -> None:
    # No constant has a digit to spare.
    if all(n.together >= n.given for n in budget.needs if n.kind == "constant"):
        return
    st.html('<h3 class="eic-h">The formula with shorter constants</h3>')
    st.code(budget.text, language=None, wrap_lines=True)
    note(_effects(budget))
    replace_formula_button(result, budget.text, "apply-shortened")


def _effects(budget: Budget) -> str:
    parts = []
    if not math.isnan(budget.r2_before):
        was, now = wording.r_squared(budget.r2_before), wording.r_squared(budget.r2_after)
        change = wording.signed(budget.r2_after - budget.r2_before, None, least=1e-12)
        parts.append(f"R² {was} → {now} ({change})")
    more = budget.eic_after - budget.eic_before
    change_text = "" if math.isnan(more) else f" ({wording.signed(more)})"
    before, after = wording.number(budget.eic_before), wording.number(budget.eic_after)
    parts.append(f"EIC {before} → {after}{change_text}")
    return "; ".join(parts) + "."


def _table(needs: tuple[Need, ...]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_name(n)}</th><td>{n.given}</td><td>{n.alone}</td>'
        f"<td>{n.together}</td><td>{_short(n)}</td></tr>"
        for n in needs
    )
    alone, together = escape(glossary.ALONE, 1000), escape(glossary.TOGETHER, 1000)
    return table_box(
        '<table class="eic-repair"><tr><th></th><th scope="col">given</th>'
        f'<th scope="col" title="{alone}">needed alone</th>'
        f'<th scope="col" title="{together}">needed together</th>'
        f'<th scope="col">shortened</th></tr>{rows}</table>',
        "eic-wide",
    )


def _name(need: Need) -> str:
    times = f" ({len(need.nodes)} times)" if len(need.nodes) > 1 else ""
    if need.kind == "constant":
        return f"<code>{escape(need.name, 40)}</code>{times}"
    return f"{prose(phrases.input_name(need.name))}, input"


def _short(need: Need) -> str:
    if need.kind == "input" or need.together >= need.given:
        return ""
    return f"<code>{escape(need.shortened, 40)}</code>"
