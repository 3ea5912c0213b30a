"""The data panel: a range for each variable, or a table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import streamlit as st

from eic_core.errors import DataError
from eic_core.samples import Domain
from pages.ui.device import is_narrow
from pages.ui.inputs_table import table_panel
from pages.ui.outcome import Outcome
from pages.ui.service import DEFAULT_DOMAIN
from pages.ui.state import MAX_SAMPLES, MAX_SEED
from pages.ui.text import code_label, prose, six_digits
from pages.ui.undisturbed import undisturbed
from pages.ui.visit import Visit, change, follow, visit

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


def data_panel(here: Visit, outcome: Outcome, *, one_formula: bool = True) -> None:
    """The panel, as an expander that says in its title what it holds.

    For a list of formulas (not `one_formula`) columns are not matched by hand.
    """
    variables = outcome.variables
    needed = outcome.waiting or outcome.data_error is not None
    with st.expander(
        f"**Data**\u2003{_summary(here, variables)}",
        expanded=needed or not is_narrow(),
        key="data-panel",
    ):
        shown = "Table" if here.wants_table else "Ranges"
        mode = st.segmented_control(
            "Where the samples come from",
            ["Ranges", "Table"],
            default=shown,
            key=follow("data_mode", shown),
            on_change=_mode_changed,
            required=True,
            label_visibility="collapsed",
        )
        if mode == "Table":
            table_panel(here, variables if one_formula else (), outcome.result)
        else:
            _ranges(here, outcome)


def _summary(here: Visit, variables: tuple[str, ...]) -> str:
    state = here.state
    if state.upload:
        return code_label(state.upload_name or state.upload, 40)
    known = dict(state.domains)
    parts = [
        f"{code_label(name, 16)} {describe(known.get(name, DEFAULT_DOMAIN))}"
        for name in variables[:3]
    ]
    if len(variables) > 3:
        parts.append(f"and {len(variables) - 3} more")
    return "\u2002·\u2002".join([*parts, f"{state.samples:,} samples"])


def describe(domain: Domain) -> str:
    """A domain in a few characters.

    Examples
    --------
    >>> describe(Domain("uniform", 1.0, 5.0)), describe(Domain("loguniform", 1e-8, 25e7))
    ('1 … 5', '10⁻⁸ … 2.5·10⁸ (log)')
    """
    low, high = (six_digits(v) for v in (domain.low, domain.high))
    if domain.kind == "fixed":
        return f"= {low}"
    if domain.kind == "normal":
        return f"{low} ± {high}"
    return f"{low} … {high}" + (" (log)" if domain.kind == "loguniform" else "")


def _mode_changed() -> None:
    here = visit()
    here.wants_table = st.session_state["data_mode"] == "Table"
    here.refused = here.upload_error = None
    if not here.wants_table:
        change(upload="", upload_name="", mapping=(), target=None, base=None)
    elif here.uploads and not here.state.upload:
        table = list(here.uploads.values())[-1]
        change(upload=table.digest, upload_name=table.source)


def _ranges(here: Visit, outcome: Outcome) -> None:
    variables = outcome.variables
    known = dict(here.state.domains)
    if outcome.reading is None and not variables:
        st.html('<p class="eic-quiet">A range for each variable, once there is a formula.</p>')
    elif not variables:
        st.html('<p class="eic-quiet">The formula has no variables: one sample says it all.</p>')
    scroll: int | Literal["content"] = 390 if len(variables) > _SCROLL_AFTER else "content"
    with st.container(height=scroll, border=False, gap="xsmall", key="ranges"):
        for name in variables[:200]:
            _range(name, known.get(name, DEFAULT_DOMAIN))
    if here.data_error:
        st.html(f'<p class="eic-note eic-bad" role="alert">{prose(here.data_error)}</p>')
    samples, seed, preset = st.columns([1.2, 0.8, 1.2], vertical_alignment="bottom")
    samples.number_input(
        "Samples",
        value=here.state.samples,
        min_value=1,
        max_value=MAX_SAMPLES,
        step=1000,
        key=follow("samples", here.state.samples),
        on_change=lambda: _number_changed("samples"),
        help=f"How many rows are drawn, at most {MAX_SAMPLES:,}. Where the tail is heavy, EIC "
        "grows with their number.",
    )
    seed.number_input(
        "Seed",
        value=here.state.seed,
        min_value=0,
        max_value=MAX_SEED,
        step=1,
        key=follow("seed", here.state.seed),
        on_change=lambda: _number_changed("seed"),
        help="The same seed draws the same rows: numbers and links are reproducible.",
    )
    chosen = preset.menu_button(
        "Set all to…",
        list(PRESETS),
        key="preset",
        width="stretch",
        disabled=not variables,
        help="Give every variable the same range",
        on_click=_preset_chosen,
        args=(variables,),
    )
    del chosen


def _range(name: str, domain: Domain) -> None:
    _, first, second = KINDS[domain.kind]
    kind, low, high = st.columns([1.3, 1, 1], vertical_alignment="bottom", gap="small")
    kind.selectbox(
        code_label(name, 24),
        list(KINDS),
        index=list(KINDS).index(domain.kind),
        format_func=lambda key: KINDS[key][0],
        key=follow(f"kind:{name}", domain.kind),
        on_change=_kind_changed,
        args=(name,),
    )
    for column, side, caption in ((low, "low", first), (high, "high", second)):
        if caption:
            column.number_input(
                caption,
                value=getattr(domain, side),
                key=follow(f"{side}:{name}", getattr(domain, side)),
                format="%.10g",
                step=_step(domain),
                on_change=_ends_changed,
                args=(name,),
            )


def _step(domain: Domain) -> float:
    size = max(abs(domain.low), abs(domain.high)) or 1.0
    return float(10.0 ** min(300, max(-300, math.floor(math.log10(size)) - 1)))


def _domain_of(name: str) -> Domain:
    return dict(visit().state.domains).get(name, DEFAULT_DOMAIN)


def _set_domain(name: str, domain: Domain) -> None:
    here = visit()
    here.data_error = ""
    change(domains=tuple({**dict(here.state.domains), name: domain}.items()))


def _kind_changed(name: str) -> None:
    _set_domain(name, converted(_domain_of(name), st.session_state[f"kind:{name}"]))


def converted(domain: Domain, kind: str) -> Domain:
    """A domain of another kind at about the same place.

    Examples
    --------
    >>> converted(Domain("uniform", 2.0, 4.0), "fixed")
    Domain(kind='fixed', low=3.0, high=3.0)
    """
    low, high = domain.low, domain.high
    if domain.kind == "normal":
        low, high = domain.low - 2 * domain.high, domain.low + 2 * domain.high
    centre = low / 2 + high / 2
    if kind == "fixed":
        return Domain(kind, centre, centre)
    if low == high:
        low, high = centre - 1, centre + 1
    if kind == "normal":
        return Domain(kind, centre, float(f"{(high - low) / 4:.3g}"))
    if kind == "loguniform" and low <= 0:
        high = high if high > 0 else 1.0
        low = float(f"{high / 1000:.3g}")
    return Domain(kind, low, high)


def _ends_changed(name: str) -> None:
    here = visit()
    before = _domain_of(name)
    low = st.session_state.get(f"low:{name}")
    high = st.session_state.get(f"high:{name}", low)
    if low is None or high is None:
        return
    if before.kind == "fixed":
        high = low
    elif before.kind != "normal" and low > high:
        low, high = high, low
    try:
        _set_domain(name, replace(before, low=float(low), high=float(high)))
    except DataError as error:
        here.data_error = f"`{name}`: {error}. The range is unchanged."


def _number_changed(key: str) -> None:
    value = st.session_state[key]
    if value is not None:
        change(**{key: int(value)})


@undisturbed()
def _preset_chosen(variables: tuple[str, ...]) -> None:
    domain = PRESETS.get(st.session_state.get("preset", ""))
    if domain is not None:
        visit().data_error = ""
        change(domains=tuple((name, domain) for name in variables))
