"""Two formulas side by side: inputs, a sentence, differences, trees, curves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from eic_core import wording
from eic_core.drawing.scale import THEMES
from eic_core.errors import DataError, FormulaError, UserError
from eic_core.explain.losses import NAMES, RESULT, WORST_STEP
from eic_core.explain.verdict import verdict
from eic_core.measure import Inspection
from eic_core.measure.double_range import double_range
from eic_core.measure.fit import fit_of
from eic_core.pool.traits import short_latex
from pages.ui.compare.desk import CompareState
from pages.ui.compare.pair_figure import LOOKS, Side, pair_figure, pair_maps, shared_columns
from pages.ui.inspector.share import link
from pages.ui.kit.browser import is_dark, uninterrupted
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult, InspectorService
from pages.ui.kit.messages import quiet_note, show_error, show_heading, show_note
from pages.ui.kit.pictures import show_chart, show_tree
from pages.ui.kit.progress import patient_progress
from pages.ui.kit.text import clean, escape, prose
from pages.ui.kit.visit import Visit, change_state, current_visit, request_of, sync_widget
from pages.ui.questions.where import blamed_variables_first

# EICs that differ by fewer digits count as the same.
SAME_DIGITS = 0.05

# Errors 1 - R² that differ by a smaller share count as the same.
SAME_FIT = 0.05

# Errors 1 - R² below this are rounding.
_FLOOR = 1e-9


@dataclass(frozen=True)
class Difference:
    """One line of the table: a quantity of A, of B, and B minus A; HTML-free text."""

    name: str
    a: str
    b: str
    change: str


def r2_of(inspection: Inspection) -> float:
    """R² on the samples' target; nan without one."""
    return math.nan if inspection.samples.target is None else fit_of(inspection).r2


def pair_sentence(a: Inspection, b: Inspection) -> str:
    """In which of two formulas errors grow less on the same data, and its cost in fit and nodes.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> a, b = (inspect(read(t).formula, samples) for t in ("10000*x-9999*x", "x"))
    >>> pair_sentence(a, b)
    'EIC of B is 4.4 digits less than that of A, with 6 nodes fewer.'
    """
    without = [name for name, each in (("A", a), ("B", b)) if math.isnan(each.eic)]
    if len(without) == 2:
        return "Neither formula has a real value on these data, so they cannot be compared."
    if without:
        return f"{without[0]} has no real value on these data, so they cannot be compared."
    comparison = f"{_digits(a.eic, b.eic)}{_fit(r2_of(a), r2_of(b))}{_size(a, b)}."
    return " ".join([comparison, *_range_sentences("A", a), *_range_sentences("B", b)])


def _range_sentences(name: str, inspection: Inspection) -> list[str]:
    missing = double_range(inspection)
    if not missing.count:
        return []
    total = wording.count(missing.rows, "sample")
    return [f"{name} has no double-precision value at {missing.count:,} of {total}."]


def _digits(a: float, b: float) -> str:
    if math.isinf(a) and math.isinf(b):
        return "EIC of both is infinite: at some sample a step keeps no digit"
    if math.isinf(a) or math.isinf(b):
        safe, bad = ("B", "A") if math.isinf(a) else ("A", "B")
        return (
            f"EIC of {bad} is infinite, as a step keeps no digit at some sample; that of {safe} is "
            f"{wording.digits_lost(min(a, b))} digits"
        )
    if abs(a - b) < SAME_DIGITS:
        return f"EIC of both is {wording.number(b, 1)} digits"
    more = "less" if b < a else "more"
    return f"EIC of B is {wording.number(abs(a - b), 1)} digits {more} than that of A"


def _fit(a: float, b: float) -> str:
    if math.isnan(a) and math.isnan(b):
        return ""
    if math.isnan(a) or math.isnan(b):
        which = "A" if math.isnan(a) else "B"
        return f"; {which} has no R², as it has no value at some row"
    # Fits are compared by their errors: R² of 0.999 and 0.9999 differ tenfold.
    worse, better = max(1 - a, _FLOOR), max(1 - b, _FLOOR)
    values = f"(R² {wording.r_squared(b)} against {wording.r_squared(a)})"
    if abs(better - worse) <= SAME_FIT * max(worse, better):
        return f", at the same accuracy {values}"
    return f", and fits {'better' if b > a else 'worse'} {values}"


def _size(a: Inspection, b: Inspection) -> str:
    more = b.formula.complexity - a.formula.complexity
    if not more:
        return f", with {b.formula.complexity} nodes each"
    return f", with {wording.count(abs(more), 'node')} {'more' if more > 0 else 'fewer'}"


def differences(a: Inspection, b: Inspection) -> tuple[Difference, ...]:
    rows = [_row(NAMES[WORST_STEP], a.eic, b.eic)]
    if math.isinf(a.eic) or math.isinf(b.eic):
        rows.append(_row(f"{NAMES[WORST_STEP]}, where finite", a.eic_finite, b.eic_finite))
    rows.append(_row(NAMES[RESULT], a.nodes[-1].local_eic, b.nodes[-1].local_eic))
    first, second = verdict(a), verdict(b)
    rows += [
        _row(
            "Sensitivity, nine in ten rows",
            first.sensitivity.nine_in_ten,
            second.sensitivity.nine_in_ten,
        ),
        _row(
            "Measured, nine in ten rows",
            first.measured.nine_in_ten,
            second.measured.nine_in_ten,
        ),
    ]
    missing = double_range(a).count, double_range(b).count
    if any(missing):
        rows.append(_row("No double-precision value", *missing, 0))
    rows.append(_row("Noise figure, dB", a.noise_figure_db, b.noise_figure_db, 0))
    rows.append(_row("Nodes", a.formula.complexity, b.formula.complexity, 0))
    if a.samples.target is not None or b.samples.target is not None:
        of_a, of_b = r2_of(a), r2_of(b)
        texts = wording.r_squared(of_a), wording.r_squared(of_b)
        rows.append(Difference("R²", *texts, _change(of_a, of_b, None)))
    if a.counts.invalid or b.counts.invalid:
        rows.append(_row("Samples without a value", a.counts.invalid, b.counts.invalid, 0))
    rows.append(
        Difference("Worst step", a.nodes[a.worst_step].text, b.nodes[b.worst_step].text, "")
    )
    return tuple(rows)


def _row(name: str, a: float, b: float, digits: int = 2) -> Difference:
    values = wording.number(a, digits), wording.number(b, digits)
    return Difference(name, *values, _change(a, b, digits))


def _change(a: float, b: float, digits: int | None) -> str:
    if not (math.isfinite(a) and math.isfinite(b)):
        return "—"
    return wording.signed(b - a, digits, least=_FLOOR)


@dataclass(frozen=True)
class Pair:
    """The results of A and B; None for an empty field."""

    a: InspectionResult | FormulaError | DataError | None
    b: InspectionResult | FormulaError | DataError | None

    @property
    def measured(self) -> bool:
        """Whether there are two results."""
        return isinstance(self.a, InspectionResult) and isinstance(self.b, InspectionResult)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the formulas that could be measured."""
        names: list[str] = []
        for side in (self.a, self.b):
            if isinstance(side, InspectionResult):
                names += side.reading.formula.variables
        return tuple(dict.fromkeys(names))


def requests_of(state: CompareState) -> tuple[InspectionRequest, InspectionRequest]:
    first = request_of(state)
    second = InspectionRequest(
        formula=state.other,
        syntax=state.other_syntax,
        domains=first.domains,
        samples=first.samples,
        seed=first.seed,
        base=state.other_base,
        upload=first.upload,
        mapping=first.mapping,
        target=first.target,
        exponents=first.exponents,
    )
    return first, second


def measure_pair(visit: Visit, state: CompareState, service: InspectorService) -> Pair:
    waiting = bool(state.upload) and visit.table is None
    requests = requests_of(state)
    results: list[InspectionResult | FormulaError | DataError | None] = []
    with patient_progress() as progress:
        for request in requests:
            if not request.formula.strip() or waiting:
                results.append(None)
                continue
            try:
                results.append(service.inspect(request, visit.table, progress))
            except (FormulaError, DataError) as error:
                results.append(error)
    return Pair(*results)


def pair_inputs(state: CompareState, pair: Pair) -> None:
    """The fields of A and B, folded until they are wanted and again when both are measured."""
    with st.expander(
        "Formulas A and B" if pair.measured else "Two formulas side by side",
        expanded=bool(state.other) and not pair.measured,
        key=f"pair-fold-{pair.measured}",
    ):
        _fields(state)
    if state.formula and state.other and "b" not in state.to_query():
        quiet_note(
            "These formulas are too long for a web address: a shared link will not hold both."
        )


def _fields(state: CompareState) -> None:
    left, right = st.columns(2, gap="medium")
    left.text_area(
        "Formula A",
        state.formula,
        key=sync_widget("formula_a", state.formula),
        height=80,
        placeholder="sqrt(x+1) - sqrt(x)",
        on_change=lambda: change_state(
            formula=st.session_state["formula_a"], syntax="auto", base=None, node=None
        ),
    )
    right.text_area(
        "Formula B",
        state.other,
        key=sync_widget("formula_b", state.other),
        height=80,
        placeholder="1/(sqrt(x+1) + sqrt(x))",
        on_change=lambda: change_state(
            other=st.session_state["formula_b"], other_syntax="auto", other_base=None
        ),
    )
    if state.formula or state.other:
        with st.container(horizontal=True, gap="small", key="pair-buttons"):
            st.button("Swap", key="swap", icon=":material/swap_horiz:", on_click=_swap)
            with st.popover("Copy link", icon=":material/link:", key="copy-pair-link"):
                quiet_note("Restores both formulas, the data’s ranges and the seed; not the list.")
                st.code(link(), language=None, wrap_lines=True)
            st.button("Clear", key="clear_pair", type="tertiary", on_click=_clear)


@uninterrupted()
def _clear() -> None:
    change_state(
        formula="",
        syntax="auto",
        base=None,
        node=None,
        other="",
        other_syntax="auto",
        other_base=None,
    )


@uninterrupted()
def _swap() -> None:
    state = current_visit().state
    assert isinstance(state, CompareState)
    change_state(
        formula=state.other,
        syntax=state.other_syntax,
        base=state.other_base,
        node=None,
        other=state.formula,
        other_syntax=state.syntax,
        other_base=state.base,
    )


def pair_view(pair: Pair) -> None:
    sides = {"A": pair.a, "B": pair.b}
    for column, side in zip(st.columns(2, gap="medium"), sides.values(), strict=True):
        if isinstance(side, UserError):
            with column:
                show_error(side)
    results = {name: s for name, s in sides.items() if isinstance(s, InspectionResult)}
    if len(results) == 2:
        _both(*results.values())
    elif results:
        quiet_note("Give the other formula to compare it with.")


@st.fragment
def _both(a: InspectionResult, b: InspectionResult) -> None:
    with st.container(key="pair-box", gap="small"):
        st.html(f'<p class="eic-sentence">{prose(pair_sentence(a.inspection, b.inspection))}</p>')
        for text in dict.fromkeys([*a.notices, *b.notices]):
            show_note(text)
        for column, name, result in zip(st.columns(2, gap="medium"), "AB", (a, b), strict=True):
            with column.container(key=f"preview-{name}", gap=None):
                digits = wording.digits_lost(result.inspection.eic)
                show_heading(f"{name}: worst step (EIC) {digits} digits")
                st.latex(short_latex(result.inspection.formula), width="stretch")
        table, curves = st.columns(2, gap="medium")
        table.html(_table(a, b))
        with curves:
            _curves(a, b)
        for column, name, result in zip(st.columns(2, gap="medium"), "AB", (a, b), strict=True):
            with column:
                _tree(name, result)


def _table(a: InspectionResult, b: InspectionResult) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(row.name)}</th><td>{escape(row.a, 120)}</td>'
        f"<td>{escape(row.b, 120)}</td><td>{escape(row.change)}</td></tr>"
        for row in differences(a.inspection, b.inspection)
    )
    theme = THEMES[is_dark()]
    first, second = (getattr(theme, colour) for _, colour, _ in LOOKS)
    return (
        '<div class="eic-pair-box"><table class="eic-pair"><thead><tr><td></td>'
        f'<th scope="col" style="color:{first}">A</th><th scope="col" style="color:{second}">B</th>'
        f'<th scope="col">B − A</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _tree(name: str, result: InspectionResult) -> None:
    inspection = result.inspection
    with st.container(key=f"tree-{name}"):
        show_tree(inspection, result.request)


def _curves(a: InspectionResult, b: InspectionResult) -> None:
    first, second = _side(a), _side(b)
    # The first axis offered is a variable of the worse worst.
    worse, result = max(((first, a), (second, b)), key=lambda pair: pair[1].inspection.eic)
    telling = [worse.column(v) for v in blamed_variables_first(result)]
    columns = tuple(dict.fromkeys([*telling[:1], *shared_columns(first, second)]))
    if not columns:
        quiet_note("Neither formula has a variable: every sample is the same.")
        return
    along = columns[0]
    if len(columns) > 1:
        with st.container(horizontal=True, vertical_alignment="center", key="pair-along"):
            along = st.selectbox(
                "Across",
                columns,
                key="pair-across",
                format_func=clean,
                width=160,
                label_visibility="collapsed",
            )
            quiet_note("across; the other variables are held at their medians")
    show_chart(
        lambda: pair_figure(first, second, along),
        key="pair-plot",
        what=("pair", a.request, b.request, along),
        file_name="eic-pair",
    )
    both = all(len(side.inspection.formula.variables) == 2 for side in (first, second))
    if both and len(columns) == 2 and st.toggle("Maps over both variables", key="pair-maps"):
        show_chart(
            lambda: pair_maps(a.inspection, b.inspection), key="pair-maps-AB", file_name="eic-maps"
        )


def _side(result: InspectionResult) -> Side:
    return Side(result.inspection, dict(result.match.mapping) if result.match else {})
