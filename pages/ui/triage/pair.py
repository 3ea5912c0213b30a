"""Two formulas side by side: inputs, sentence, differences, trees, curves."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from eic_core.drawing.layout import focus_node
from eic_core.drawing.scale import digits_text
from eic_core.errors import DataError, FormulaError
from pages.ui.device import is_dark, is_narrow, plotly_config
from pages.ui.figures import tree_figure
from pages.ui.organising.desk import heading, quiet, show_error
from pages.ui.outcome import request_of
from pages.ui.service import InspectorService, Request, Result
from pages.ui.text import clean, escape, prose
from pages.ui.triage.pair_figure import INKS, Side, pair_figure, shared_columns
from pages.ui.triage.pair_maps import pair_maps
from pages.ui.triage.state import CompareState
from pages.ui.triage.words import differences, pair_sentence
from pages.ui.undisturbed import undisturbed
from pages.ui.unfinished import unfinished_view
from pages.ui.visit import Visit, change, follow, visit
from pages.ui.widgets_page import patient_progress
from pages.ui.widgets_plots import telling_first
from pages.ui.widgets_share import link
from pages.ui.wiring import figure_cache


@dataclass(frozen=True)
class Pair:
    """What came of A and of B: a result, an error, or nothing yet."""

    a: Result | FormulaError | DataError | None
    b: Result | FormulaError | DataError | None

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of what could be measured."""
        names: list[str] = []
        for side in (self.a, self.b):
            if isinstance(side, Result):
                names += side.reading.formula.variables
        return tuple(dict.fromkeys(names))


def requests_of(state: CompareState) -> tuple[Request, Request]:
    """What is asked of the inspector's service for A and for B."""
    first = request_of(state)
    second = Request(
        formula=state.other,
        syntax=state.other_syntax,
        domains=first.domains,
        samples=first.samples,
        seed=first.seed,
        base=state.other_base,
        upload=first.upload,
        mapping=first.mapping,
        target=first.target,
    )
    return first, second


def measured_pair(here: Visit, state: CompareState, service: InspectorService) -> Pair:
    """Inspect A and B on the data of the page."""
    waiting = bool(state.upload) and here.table is None
    requests = requests_of(state)
    aside = here.asking(*requests)
    found: list[Result | FormulaError | DataError | None] = []
    with patient_progress() as progress:
        for request in requests:
            if not request.formula.strip() or waiting:
                found.append(None)
                continue
            try:
                found.append(service.inspect(request, here.table, progress, aside=aside))
            except (FormulaError, DataError) as error:
                found.append(error)
    return Pair(*found)


def pair_inputs(state: CompareState) -> None:
    """The two fields."""
    left, right = st.columns(2, gap="medium")
    left.text_area("Formula A", state.formula, key=follow("formula_a", state.formula), height=80,
                   placeholder="sqrt(x+1) - sqrt(x)", on_change=_typed_a)  # fmt: skip
    right.text_area("Formula B", state.other, key=follow("formula_b", state.other), height=80,
                    placeholder="1/(sqrt(x+1) + sqrt(x))", on_change=_typed_b)  # fmt: skip
    if state.formula or state.other:
        with st.container(horizontal=True, gap="small", key="pair-buttons"):
            st.button("Swap", key="swap", icon=":material/swap_horiz:", on_click=_swap)
            with st.popover("Copy link", icon=":material/link:", key="copy-pair-link"):
                quiet("Restores both formulas, the data’s ranges and the seed; not the list.")
                st.code(link(), language=None, wrap_lines=True)
            st.button("Clear", key="clear_pair", type="tertiary", on_click=_clear)


def _typed_a() -> None:
    change(formula=st.session_state["formula_a"], syntax="auto", base=None, node=None)


def _typed_b() -> None:
    change(other=st.session_state["formula_b"], other_syntax="auto", other_base=None)


@undisturbed()
def _clear() -> None:
    change(formula="", syntax="auto", base=None, node=None,
           other="", other_syntax="auto", other_base=None)  # fmt: skip


@undisturbed()
def _swap() -> None:
    state = visit().state
    assert isinstance(state, CompareState)
    change(formula=state.other, syntax=state.other_syntax, base=state.other_base, node=None,
           other=state.formula, other_syntax=state.syntax, other_base=state.base)  # fmt: skip


def pair_view(pair: Pair) -> None:
    """What A and B come to, once both can be measured."""
    left, right = st.columns(2, gap="medium")
    for column, side in ((left, pair.a), (right, pair.b)):
        with column:
            if isinstance(side, FormulaError):
                _formula_error(side)
            elif isinstance(side, DataError):
                show_error(side)
    unfinished = {
        name: side
        for name, side in (("A", pair.a), ("B", pair.b))
        if isinstance(side, Result) and not side.complete
    }
    if unfinished:
        unfinished_view(unfinished)
    elif isinstance(pair.a, Result) and isinstance(pair.b, Result):
        _both(pair.a, pair.b)
    elif isinstance(pair.a, Result) or isinstance(pair.b, Result):
        quiet("Give the other formula to compare it with.")


def _formula_error(error: FormulaError) -> None:
    hint = f"<p>{prose(error.hint)}</p>" if error.hint else ""
    st.html(
        f'<div class="eic-error" role="alert"><p class="eic-error-title">{prose(error.message)}'
        f"</p><pre>{escape(error.caret())}</pre>{hint}</div>"
    )


@st.fragment
def _both(a: Result, b: Result) -> None:
    with st.container(key="pair-box", gap="small"):
        st.html(
            f'<p class="eic-sentence">{prose(pair_sentence(a.inspection, b.inspection))}</p>'
            + _table(a, b)
        )
        notices = dict.fromkeys([*a.notices, *b.notices])
        for text in notices:
            st.html(f'<p class="eic-note">{prose(text)}</p>')
        left, right = st.columns(2, gap="medium")
        for column, name, result in ((left, "A", a), (right, "B", b)):
            with column:
                _tree(name, result)
        _curves(a, b)


def _table(a: Result, b: Result) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(row.name)}</th><td>{escape(row.a, 120)}</td>'
        f"<td>{escape(row.b, 120)}</td><td>{escape(row.change)}</td></tr>"
        for row in differences(a.inspection, b.inspection)
    )
    first, second = INKS[is_dark()]
    return (
        '<div class="eic-pair-box"><table class="eic-pair"><thead><tr><td></td>'
        f'<th scope="col" style="color:{first}">A</th><th scope="col" style="color:{second}">B</th>'
        f'<th scope="col">B − A</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _tree(name: str, result: Result) -> None:
    dark, narrow = is_dark(), is_narrow()
    inspection = result.inspection
    heading(f"{name}: EIC {digits_text(inspection.eic)}")
    figure = figure_cache().get(
        ("tree", result.request, focus_node(inspection), frozenset(), dark, narrow),
        lambda: tree_figure(inspection, selected=focus_node(inspection), dark=dark, narrow=narrow),
        lambda _: 1.0,
    )
    st.plotly_chart(
        figure, key=f"tree-{name}", theme=None, config=plotly_config(f"eic-tree-{name.lower()}"),
        alt=f"The tree of formula {name}, coloured by the digits lost on the scale from 0 to 8",
    )  # fmt: skip


def _curves(a: Result, b: Result) -> None:
    first, second = _side(a), _side(b)
    worse = max((first, second), key=lambda side: side.inspection.eic)
    telling = [worse.column(v) for v in telling_first(worse.inspection)]
    columns = tuple(dict.fromkeys([*telling[:1], *shared_columns(first, second)]))
    if not columns:
        quiet("Neither formula has a variable: every sample is the same.")
        return
    along = columns[0]
    with st.container(horizontal=True, vertical_alignment="center", key="pair-along"):
        st.html('<h3 class="eic-h">On the data</h3>', width="content")
        if len(columns) > 1:
            along = st.selectbox("Across", columns, key="pair-across", format_func=clean, width=160,
                                 label_visibility="collapsed")  # fmt: skip
            quiet("across; the other variables are held at their medians")
    dark, narrow = is_dark(), is_narrow()
    figure = figure_cache().get(
        ("pair", a.request, b.request, along, dark, narrow),
        lambda: pair_figure(first, second, along, dark=dark, narrow=narrow),
        lambda _: 1.0,
    )
    st.plotly_chart(
        figure, key="pair-plot", theme=None, config=plotly_config("eic-pair"),
        alt="The values of both formulas over the data, and the error amplification s at the "
        "bottleneck of each",
    )  # fmt: skip
    if len(columns) == 2 and st.toggle("Maps over both variables", key="pair-maps"):
        _maps(a, b, first, second, columns)


def _maps(a: Result, b: Result, first: Side, second: Side, columns: tuple[str, ...]) -> None:
    dark, narrow = is_dark(), is_narrow()
    x_name, y_name = columns
    figure = figure_cache().get(
        ("pair-maps", a.request, b.request, dark, narrow),
        lambda: pair_maps(first, second, x_name, y_name, dark=dark, narrow=narrow),
        lambda _: 2.0,
    )
    st.plotly_chart(
        figure, key="pair-maps-plot", theme=None, config=plotly_config("eic-pair-maps"),
        alt="Maps of both formulas' values on one scale, and of s at both bottlenecks",
    )  # fmt: skip


def _side(result: Result) -> Side:
    return Side(result.inspection, dict(result.match.mapping) if result.match else {})
