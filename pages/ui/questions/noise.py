""" "Whose noise?": the ledger of the selected node as a waterfall and a table, and masked noise."""

from __future__ import annotations

import math

import pyarrow as pa
import streamlit as st

from eic_core import wording
from eic_core.errors import UserError
from eic_core.explain.ledger import Ledger, LedgerRow
from eic_core.report.charts import INHERITED, INTRODUCED, MASKED, NOBODY, shape_of, waterfall
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_narrow, uninterrupted
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult
from pages.ui.kit.text import code_label, escape, prose
from pages.ui.kit.visit import change_state
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.questions.answer_parts import answer, chart, note
from pages.ui.questions.replacing import replace_formula_button

_WHAT_IFS = "noise-tried"
_MOST = 6


def outermost_masked_nodes(whole: Ledger) -> tuple[int, ...]:
    """The nodes that `masked_view` lists."""
    return tuple(row.node_id for row in whole.outermost_masked[:_MOST])


def masked_view(result: InspectionResult, whole: Ledger) -> None:
    """The masked nodes of the whole formula, each with a what-if."""
    rows = whole.outermost_masked
    st.html(f'<h3 class="eic-h" title="{glossary.MASKED}">{MASKED} What the result hides</h3>')
    for row in rows[:_MOST]:
        with st.container(key=f"masked-{row.node_id}", gap="xsmall"):
            note(whole.masked_sentence(row))
            if (result.request, row.node_id) in _what_ifs():
                _answer(result, row.node_id)
            else:
                st.button(
                    "What if it were its mean?",
                    key=f"what-if-{row.node_id}",
                    help="Replaces this part of the formula by its mean over the data, and "
                    "measures the fit and EIC again.",
                    on_click=_ask_what_if,
                    args=(result, row.node_id),
                )
    if len(rows) > _MOST:
        st.html(f'<p class="eic-quiet">{len(rows) - _MOST} more in the table below.</p>')


# Remembered for the tab: a button's click lasts one run, its answer should stay.
def _what_ifs() -> frozenset[tuple[object, int]]:
    requests: frozenset[tuple[object, int]] = st.session_state.get(_WHAT_IFS, frozenset())
    return requests


@uninterrupted()
def _ask_what_if(result: InspectionResult, node: int) -> None:
    st.session_state[_WHAT_IFS] = _what_ifs() | {(result.request, node)}


def _answer(result: InspectionResult, node: int) -> None:
    try:
        answer = diagnosis_service().what_if(result, node)
    except UserError as error:
        st.html(f'<p class="eic-note">{prose(str(error))}</p>')
        return
    st.html(f'<p class="eic-note">{prose(str(answer.sentence))}</p>')
    replace_formula_button(result, answer.text, f"take-mean-{node}")


_HEIGHT = 420
_TEXT = 200


def ledger_table(ledger: Ledger) -> None:
    config, narrow = st.column_config, is_narrow()
    percent = "%.3g %%"
    st.dataframe(
        _columns(ledger, ledger.ranked),
        key=f"noise-table-{ledger.target}",
        hide_index=True,
        column_order=_order(narrow),
        height=min(_HEIGHT, 37 + 35 * len(ledger.rows)),
        column_config={
            "expression": config.TextColumn("Noise", width=150 if narrow else 260),
            "how": config.TextColumn(
                "How",
                width=80 if narrow else 110,
                help=f"{glossary.INTRODUCED} {glossary.INHERITED} {glossary.MASKED}",
            ),
            "share": config.NumberColumn("Share", format=percent, width=72, help=glossary.SHARE),
            "mean": config.NumberColumn("Mean of shares", format=percent, help=glossary.MEAN_SHARE),
            "below": config.NumberColumn(
                "Through here from below", format=percent, help=glossary.INHERITED
            ),
            "gain": config.NumberColumn("Amplified", format="%.3g ×", help=glossary.GAIN),
            "largest": config.NumberColumn("At most", format="%.3g ×", help=glossary.LARGEST_GAIN),
            "at": config.TextColumn("Most at", width=160, help=glossary.AMPLIFIER),
            "node": config.NumberColumn("#", width=45, help="Order of computation"),
        },
        placeholder="—",
        alt="Every node's share of the noise, and how much it is amplified",
    )


def _order(narrow: bool) -> list[str]:
    """The columns in order; a phone shows the first few without scrolling."""
    first = ["expression", "share", "how"] if narrow else ["expression", "how", "share"]
    return [*first, "mean", "below", "gain", "largest", "at", "node"]


def _columns(ledger: Ledger, rows: tuple[LedgerRow, ...]) -> pa.Table:
    texts = ledger.inspection.nodes
    return pa.table(
        {
            "expression": [str(ledger.source(row)).replace("`", "")[:_TEXT] for row in rows],
            "how": [_how(ledger, row) for row in rows],
            "share": [100 * row.share for row in rows],
            "mean": [100 * row.mean_share for row in rows],
            "below": [100 * row.inherited for row in rows],
            "gain": [_finite_or_none(row.gain) for row in rows],
            "largest": [_finite_or_none(row.largest) for row in rows],
            "at": [texts[row.amplifier].text[:_TEXT] for row in rows],
            "node": [row.node_id for row in rows],
        }
    )


def _how(ledger: Ledger, row: LedgerRow) -> str:
    shape = shape_of(ledger, row.node_id)
    return f"{shape} {'masked' if shape == MASKED else 'here' if shape == INTRODUCED else 'below'}"


def _finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


_CHART, _MEAN, _BACK = "noise-waterfall", "noise-mean", "noise-back"
_SHAPES = (
    (INTRODUCED, "introduced here", glossary.INTRODUCED),
    (INHERITED, "inherited from below", glossary.INHERITED),
    (MASKED, "masked", glossary.MASKED),
)


def noise_panel(result: InspectionResult, node: int) -> None:
    service = diagnosis_service()
    ledger = service.blame(result, node)
    root = len(result.inspection.formula) - 1
    whole = service.blame(result, root)
    # `masked_view` says the others, each beside its button.
    first, *more = map(str, ledger.unmasked_sentences)
    answer(first)
    if len(ledger.rows) > 1:
        _waterfall(result, ledger)
    if node != root and whole.rows and node not in outermost_masked_nodes(whole):
        more.append(_in_the_result(whole, node))
    _way_back(result, node)
    note(*more)
    if whole.masked:
        masked_view(result, whole)
    if len(ledger.rows) > 1:
        with st.expander(f"All {len(ledger.rows):,} nodes in numbers"):
            ledger_table(ledger)


def _in_the_result(whole: Ledger, node: int) -> str:
    """The part of the selected node in the noise of the whole formula."""
    row = whole.rows[node]
    share = wording.percent(row.share)
    if row.masked:
        return f"{MASKED} Masked: {share} of the noise of the result arises at this node."
    if not whole.inspection.formula.nodes[node].children:
        return f"{INTRODUCED} This error makes {share} of the noise of the result."
    most = wording.capital(wording.percent(row.through))
    through = f"{most} of the noise of the result comes through this step"
    if wording.percent(row.inherited) == "0 %":
        return f"{through}, all of it from its own rounding ({INTRODUCED})."
    return (
        f"{through}. That is {share} from its own rounding ({INTRODUCED}) and "
        f"{wording.percent(row.inherited)} from the steps below it ({INHERITED})."
    )


def _waterfall(result: InspectionResult, ledger: Ledger) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="noise-toolbar"):
        shapes = "".join(
            f'<span title="{escape(explained)}">{shape} {name}</span>'
            for shape, name, explained in _SHAPES[: 3 if ledger.masked else 2]
        )
        st.html(f'<p class="eic-shapes">{shapes}</p>', width="stretch")
        mean = st.toggle("Mean of shares", key=_MEAN, help=glossary.MEAN_SHARE)
    chart(
        result,
        ("waterfall", ledger.target, mean),
        lambda: waterfall(ledger, mean=mean),
        key=f"{_CHART}-{ledger.target}",
        on_select=lambda: _select_clicked(result.request, ledger.target),
        selection_mode="points",
    )


def _select_clicked(request: InspectionRequest, target: int) -> None:
    points = st.session_state[f"{_CHART}-{target}"].selection.points
    if not points:
        return
    clicked = points[0]["customdata"]
    node = int(clicked[0] if isinstance(clicked, list) else clicked)
    if node not in (NOBODY, target):
        st.session_state[_BACK] = (request, target)
        change_state(node=node)


def _way_back(result: InspectionResult, node: int) -> None:
    request, target = st.session_state.get(_BACK, (None, node))
    if request != result.request or target == node:
        return
    st.button(
        f"Back to the noise of {code_label(result.inspection.nodes[target].text, 40)}",
        key=_BACK + "-button",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=change_state,
        kwargs={"node": target},
    )
