"""The data: a range for each variable, or a table that is kept for this tab."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import streamlit as st

from eic_core import wording
from eic_core.errors import DataError, UserError
from eic_core.formula.syntax import canonical_name
from eic_core.measure.table import Table
from eic_core.samples import Domain
from pages.ui.kit.browser import is_narrow, uninterrupted
from pages.ui.kit.heavy import QUICK_TABLE, upload_table
from pages.ui.kit.inspector_service import (
    DEFAULT_DOMAIN,
    Answer,
    InspectionResult,
    describe,
    domains_in_use,
)
from pages.ui.kit.messages import table_html
from pages.ui.kit.text import clean, code_label, escape, prose
from pages.ui.kit.visit import (
    MAX_SAMPLES,
    MAX_SEED,
    TypedEnds,
    Visit,
    change_state,
    choose_domains,
    current_visit,
    keep_upload,
    sync_widget,
)
from pages.ui.kit.wiring import workers
from pages.ui.kit.workers import InThread

_NO_TARGET = "— none —"
_LISTED = 50
_LISTED_COLUMNS = 12
_PREVIEWED_ROWS, _PREVIEWED_COLUMNS = 4, 12


def table_panel(visit: Visit, variables: tuple[str, ...], result: InspectionResult | None) -> None:
    table = visit.table
    if table is None:
        _upload(visit)
        return
    info, remove = st.columns([4, 1], vertical_alignment="center")
    info.html(
        f'<p class="eic-file"><b>{escape(table.source or "table", 60)}</b> '
        f"<span>{table.rows:,} rows × {len(table.names)} columns</span> "
        f'<span class="eic-hash" title="The file is known by this hash">{table.digest}</span></p>'
    )
    remove.button("Remove", key="remove_table", on_click=_remove, type="tertiary", width="stretch")
    for note in table.notes:
        st.html(f'<p class="eic-note">{prose(note)}</p>')
    used = _columns(visit, table, variables, result)
    _bad_cells(table, used)
    st.html(f'<p class="eic-overline">First rows</p>{_first_rows(table)}')


def _upload(visit: Visit) -> None:
    state = visit.state
    if visit.refused is not None:
        link_digest, table = state.upload, visit.refused
        st.html(
            f'<div class="eic-error" role="alert"><p class="eic-error-title">This is another '
            f"file.</p><p><code>{escape(table.source, 60)}</code> has the hash "
            f"<code>{table.digest}</code>; the link was made with "
            f"<code>{escape(link_digest)}</code>. "
            "Its numbers would differ from those that were shared.</p></div>"
        )
        with st.container(horizontal=True):
            st.button("Use it anyway", key="use_anyway", on_click=_use, args=(table,))
            st.button("Discard it", key="discard", on_click=_discard, type="tertiary")
    elif state.upload:
        name = escape(state.upload_name or "a table", 60)
        st.html(
            '<div class="eic-ask"><p><b>This link needs its file.</b></p>'
            f"<p>It was made with <code>{name}</code>, hash <code>{escape(state.upload)}</code>. "
            "Files stay with whoever uploaded them: choose yours to see the picture.</p></div>"
        )
    if visit.upload_error is not None:
        show_upload_error(visit.upload_error)
    table_uploader(visit, "CSV, TSV or semicolon-separated, one column for each variable")


def table_uploader(visit: Visit, label: str, place: str = "uploader") -> None:
    key = f"{place}-{visit.uploader}"
    st.file_uploader(
        label,
        type=["csv", "tsv", "txt"],
        key=key,
        on_change=_read_upload,
        args=(key,),
        help="Kept in memory for this tab only, and forgotten when you close it.",
    )


def show_upload_error(error: UserError) -> None:
    problems = getattr(error, "problems", ())[:8]
    listed = "".join(f"<li>{prose(p)}</li>" for p in problems)
    st.html(
        f'<div class="eic-error" role="alert"><p class="eic-error-title">{prose(str(error))}</p>'
        f"{'<ul>' + listed + '</ul>' if listed else ''}</div>"
    )


@uninterrupted()
def _read_upload(key: str) -> None:
    visit = current_visit()
    file = st.session_state.get(key)
    visit.upload_error = visit.refused = None
    if file is None:
        return
    visit.uploader += 1
    try:
        raw = file.getvalue()
        run = workers().run if len(raw) > QUICK_TABLE else InThread().run
        table = run(upload_table, raw, file.name, keep=True)
    except DataError as error:
        visit.upload_error = error
        visit.wants_table |= bool(visit.state.formula.strip())
        return
    if table.digest == visit.state.upload:
        keep_upload(table)
        change_state(upload_name=table.source[:200])
    elif (
        visit.state.upload and visit.table is None
    ):  # a link's file is missing, and this is another
        visit.refused = table
    else:
        _use(table)


@uninterrupted()
def _use(table: Table) -> None:
    current_visit().refused = None
    keep_upload(table)
    change_state(
        upload=table.digest,
        upload_name=table.source[:200],
        mapping=(),
        target=None,
        best_target=True,
        node=None,
    )


@uninterrupted()
def _discard() -> None:
    current_visit().refused = None


@uninterrupted()
def _remove() -> None:
    visit = current_visit()
    visit.uploads.pop(visit.state.upload, None)
    change_state(upload="", upload_name="", mapping=(), target=None, base=None)
    visit.wants_table = True


def _bad_cells(table: Table, used: tuple[str, ...]) -> None:
    """Cells without a number in the columns that count; which columns hold text alone."""
    missing = {name: int(np.count_nonzero(np.isnan(table.values[name]))) for name in table.names}
    empty = [name for name in table.names if missing[name] == table.rows and name not in used]
    if empty:
        some = ", ".join(f"`{clean(name, 24)}`" for name in empty[:_LISTED_COLUMNS])
        st.html(f'<p class="eic-quiet">{prose(f"Not read, as they hold no number: {some}")}</p>')
    counts = [(name, missing[name]) for name in used if missing[name]]
    if not counts:
        return
    total = wording.count(sum(count for _, count in counts), "cell")
    where = ", ".join(f"{code_label(name, 24)} {count:,}" for name, count in counts)
    with st.expander(f"{total} without a number: {where}", key="bad-cells"):
        listed = [problem for problem in table.problems if problem.column in used]
        items = "".join(f"<li>{prose(str(p))}</li>" for p in listed[:_LISTED])
        more = len(listed) - _LISTED
        items += f"<li>and {more:,} more</li>" if more > 0 else ""
        st.html(
            '<p class="eic-quiet">A row is left out if a column that is used has no number in '
            f'it. Rows count from 1, below the header.</p><ul class="eic-list">{items}</ul>'
        )


def _first_rows(table: Table) -> str:
    names = table.names[:_PREVIEWED_COLUMNS]

    def cells(row: int) -> tuple[str, ...]:
        values = [float(table.values[name][row]) for name in names]
        return tuple([wording.significant(value, 6, missing="—") for value in values])

    count = min(_PREVIEWED_ROWS, table.rows)
    rows: list[list[str | int]] = [[row + 1, *cells(row)] for row in range(count)]
    return table_html(rows, ["row", *(clean(table.header(name), 24) for name in names)])


def _columns(
    visit: Visit, table: Table, variables: tuple[str, ...], result: InspectionResult | None
) -> tuple[str, ...]:
    """Which column each variable is; those that count, in their order."""
    match = result.match if result is not None else None
    mapping = dict(match.mapping) if match is not None else dict(visit.state.mapping)
    target = result.target if result is not None else (visit.state.target or "")
    names = list(table.names)
    with st.container(horizontal=True, key="columns", gap="small"):
        for name in variables[:60]:
            column = mapping.get(name)
            selection = column if column in names else None
            st.selectbox(
                code_label(name, 24),
                names,
                index=None if selection is None else names.index(selection),
                key=sync_widget(f"column:{name}", selection),
                on_change=_change_column,
                args=(name,),
                format_func=table.header,
                placeholder="choose a column",
                width=150,
            )
        # A link may name another table's column.
        target_name = table.column(target) or _NO_TARGET
        st.selectbox(
            "compare with",
            [_NO_TARGET, *names],
            index=[_NO_TARGET, *names].index(target_name),
            key=sync_widget("target", target_name),
            on_change=_change_target,
            format_func=table.header,
            width=150,
            help="A column that the formula should reproduce: gives R² and residuals.",
        )
    if match is not None and match.index_base is not None and _indexed(variables):
        st.segmented_control(
            "Columns are counted from",
            [0, 1],
            default=match.index_base,
            key=sync_widget("base", match.index_base),
            on_change=lambda: change_state(base=st.session_state["base"], mapping=()),
            required=True,
            help="Whether x1 is the first column (1, as Operon counts) or the second (0, as "
            "Python counts).",
        )
    chosen = {*mapping.values(), target_name}
    return tuple(name for name in names if name in chosen or not variables)


def _indexed(variables: tuple[str, ...]) -> bool:
    return any(name[:1] == "x" and name[1:].isdecimal() for name in map(canonical_name, variables))


def _change_column(name: str) -> None:
    column = st.session_state[f"column:{name}"]
    chosen = {**dict(current_visit().state.mapping), name: column}
    change_state(mapping=tuple((k, v) for k, v in chosen.items() if v))


def _change_target() -> None:
    chosen = st.session_state["target"]
    change_state(target="" if chosen == _NO_TARGET else chosen)


KINDS = {
    "uniform": ("Uniform", "from", "to"),
    "normal": ("Normal", "mean", "std. dev."),
    "loguniform": ("Log-uniform", "from", "to"),
    "fixed": ("Fixed", "value", ""),
}

PRESETS = {
    "Textbook, 1 to 5": Domain("uniform", 1.0, 5.0),
    "Unit interval, 0 to 1": Domain("uniform", 0.0, 1.0),
    "Around zero, −1 to 1": Domain("uniform", -1.0, 1.0),
    "Six decades, 0.001 to 1000": Domain("loguniform", 1e-3, 1e3),
    "Standard normal": Domain("normal", 0.0, 1.0),
}

_SCROLL_AFTER = 5


def data_panel(visit: Visit, answer: Answer, *, one_formula: bool = True) -> None:
    """The panel, an expander whose title sums up the data.

    For a list of formulas (not `one_formula`) columns are not matched by hand.
    """
    variables = answer.variables
    needed = answer.waiting or answer.data_error is not None
    needed |= visit.wants_table and visit.table is None
    floats = one_formula and not needed  # over the page, which then keeps its layout
    with (
        st.container(key="data-panel"),
        st.container(key="data-floats" if floats else "data-stands"),
        st.expander(
            f"**Data**\u2003{_summary(visit, answer)}",
            expanded=needed or visit.shows_data or (not one_formula and not is_narrow()),
            key=f"data-expander-{visit.folded}",
        ),
    ):
        mode_name = "Table" if visit.wants_table else "Ranges"
        mode = st.segmented_control(
            "Where the samples come from",
            ["Ranges", "Table"],
            default=mode_name,
            key=sync_widget("data_mode", mode_name),
            on_change=_change_mode,
            required=True,
            label_visibility="collapsed",
        )
        if mode == "Table":
            table_panel(visit, variables if one_formula else (), answer.result)
        else:
            _ranges(visit, answer)


def _summary(visit: Visit, answer: Answer) -> str:
    state, variables = visit.state, answer.variables
    if state.upload:
        return code_label(state.upload_name or state.upload, 40)
    domains = domains_in_use(answer.reading, state.domains, state.carried)
    parts = [
        f"{code_label(name, 16)} {describe(domains.get(name, DEFAULT_DOMAIN))}"
        for name in variables[:3]
    ]
    if len(variables) > 3:
        parts.append(f"and {len(variables) - 3} more")
    return "\u2002·\u2002".join([*parts, wording.count(state.samples, "sample")])


def _change_mode() -> None:
    visit = current_visit()
    visit.wants_table = st.session_state["data_mode"] == "Table"
    visit.refused = visit.upload_error = None
    if not visit.wants_table:
        change_state(upload="", upload_name="", mapping=(), target=None, base=None)
    elif visit.uploads and not visit.state.upload:
        _use(list(visit.uploads.values())[-1])


def _ranges(visit: Visit, answer: Answer) -> None:
    variables = answer.variables
    domains = domains_in_use(answer.reading, visit.state.domains, visit.state.carried)
    if answer.reading is None and not variables:
        st.html('<p class="eic-quiet">A range for each variable, once there is a formula.</p>')
    elif not variables:
        st.html('<p class="eic-quiet">The formula has no variables: one sample says it all.</p>')
    scroll: int | Literal["content"] = 390 if len(variables) > _SCROLL_AFTER else "content"
    with st.container(height=scroll, border=False, gap="xsmall", key="ranges"):
        for name in variables[:200]:
            _range(visit, name, domains.get(name, DEFAULT_DOMAIN))
    samples, seed, preset = st.columns([1.2, 0.8, 1.2], vertical_alignment="bottom")
    samples.number_input(
        "Samples",
        value=visit.state.samples,
        min_value=1,
        max_value=MAX_SAMPLES,
        step=1000,
        key=sync_widget("samples", visit.state.samples),
        on_change=lambda: _change_number("samples"),
        help=f"How many rows are drawn, at most {MAX_SAMPLES:,}. Where the tail is heavy, EIC "
        "grows with their number.",
    )
    seed.number_input(
        "Seed",
        value=visit.state.seed,
        min_value=0,
        max_value=MAX_SEED,
        step=1,
        key=sync_widget("seed", visit.state.seed),
        on_change=lambda: _change_number("seed"),
        help="The same seed draws the same rows: numbers and links are reproducible.",
    )
    preset.menu_button(
        "Set all to…",
        list(PRESETS),
        key="preset",
        width="stretch",
        disabled=not variables,
        help="Give every variable the same range",
        on_click=_apply_preset,
        args=(variables,),
    )


def _range(visit: Visit, name: str, domain: Domain) -> None:
    _, first, second = KINDS[domain.kind]
    kind, low, high = st.columns([1.3, 1, 1], vertical_alignment="bottom", gap="small")
    kind.selectbox(
        code_label(name, 24),
        list(KINDS),
        index=list(KINDS).index(domain.kind),
        format_func=lambda key: KINDS[key][0],
        key=sync_widget(f"kind:{name}", domain.kind),
        on_change=_change_kind,
        args=(name,),
    )
    typed = visit.typed_ends.get(name)
    if typed is not None and not typed.about(visit.state.formula, domain):
        del visit.typed_ends[name]
        typed = None
    ends = typed or domain
    for column, side, caption in ((low, "low", first), (high, "high", second)):
        if caption:
            column.number_input(
                caption,
                value=getattr(ends, side),
                key=sync_widget(f"{side}:{name}", getattr(ends, side)),
                format=number_format(getattr(ends, side)),
                step=_step(domain),
                on_change=_change_ends,
                args=(name,),
            )
    if typed is not None:
        until = f"Until that is mended, {describe(domain)} counts."
        message = f"`{clean(name, 24)}`: {typed.problem}. {until}"
        st.html(f'<p class="eic-note eic-bad" role="alert">{prose(message)}</p>')


def number_format(value: float) -> str:
    """The printf format of a range's end: 1e+8 and 1e-7 as powers of ten, others in full.

    >>> number_format(1e8), number_format(2.5e-7), number_format(120.0)
    ('%.0e', '%.1e', '%.10g')
    """
    digits, _, power = f"{value:.9e}".partition("e")
    if value == 0 or -4 <= int(power) < 6:
        return "%.10g"
    return f"%.{len(digits.rstrip('0').partition('.')[2])}e"


def _step(domain: Domain) -> float:
    # A step moves the second significant digit, within the range of doubles.
    size = max(abs(domain.low), abs(domain.high)) or 1.0
    return float(10.0 ** min(300, max(-300, math.floor(math.log10(size)) - 1)))


def _domain_of(name: str) -> Domain:
    """The domain on the page: the user's choice, else the formula's own range, else the default."""
    visit = current_visit()
    state, last = visit.state, visit.last_good
    same_formula = last is not None and last.request.formula == state.formula
    reading = last.reading if last is not None and same_formula else None
    return domains_in_use(reading, state.domains, state.carried).get(name, DEFAULT_DOMAIN)


def _change_kind(name: str) -> None:
    choose_domains({name: _domain_of(name).as_kind(st.session_state[f"kind:{name}"])})


def _change_ends(name: str) -> None:
    """Apply the typed ends; invalid ones stay in the fields until they are corrected."""
    visit = current_visit()
    before = _domain_of(name)
    low = st.session_state.get(f"low:{name}")
    high = st.session_state.get(f"high:{name}", low)
    visit.typed_ends.pop(name, None)
    if low is None or high is None:
        return
    low, high = float(low), float(low if before.kind == "fixed" else high)
    if problem := _problem_of_ends(before, low, high):
        visit.typed_ends[name] = TypedEnds(visit.state.formula, before, low, high, problem)
        return
    choose_domains({name: replace(before, low=low, high=high)})


def _problem_of_ends(domain: Domain, low: float, high: float) -> str:
    """Why these ends are invalid, or ""."""
    if domain.kind in ("uniform", "loguniform") and low > high:
        return "from is above to"
    try:
        replace(domain, low=low, high=high)
    except DataError as error:
        return str(error)
    return ""


def _change_number(key: str) -> None:
    value = st.session_state[key]
    if value is not None:
        change_state(**{key: int(value)})


@uninterrupted()
def _apply_preset(variables: tuple[str, ...]) -> None:
    domain = PRESETS.get(st.session_state.get("preset", ""))
    if domain is not None:
        current_visit().typed_ends.clear()
        choose_domains(dict.fromkeys(variables, domain))
