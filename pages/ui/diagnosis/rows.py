"""Which rows carry the noise of the selected node, and what other ranges would change."""

from __future__ import annotations

from functools import partial

import streamlit as st

from eic_core.explain.where import NOISE, Where
from pages.ui import glossary
from pages.ui.device import is_dark, is_narrow, plotly_config
from pages.ui.diagnosis.domain_sliders import domain_sliders, follow_domain
from pages.ui.diagnosis.rows_table import listed_rows, rows_table
from pages.ui.figures.across import ROW, VALUE, Across, ways_across
from pages.ui.figures.growth import growth_figure
from pages.ui.figures.rows import rows_figure
from pages.ui.service import Result
from pages.ui.text import clean, escape, prose
from pages.ui.wiring import diagnosis_service, figure_cache


def rows_panel(result: Result, node: int) -> None:
    """The answer, the share of each row, sliders for the ranges; rows and growth on demand."""
    follow_domain(result)
    with st.spinner("Looking at every row…"):
        found = diagnosis_service().where(result, node)
    with_data = (found.interval.sentence, found.growth.sentence if found.growth else "")
    first, *more = [said for said in found.sentences if said not in with_data]
    st.html(f'<p class="eic-answer">{_with_term(prose(first))}</p>')
    if more:
        st.html(f'<p class="eic-quiet">{prose(" ".join(more))}</p>')
    if found.carriers:
        _picture(result, found)
    domain_sliders(result)
    rows = listed_rows(found)
    if rows:
        _rows(result, found, len(rows) - len(found.singular))
    if found.carriers:
        _more_data(result, found)


def _with_term(sentence: str) -> str:
    """The sentence with its one technical term explained on hover, focus and touch."""
    noise = NOISE.removeprefix("the ")
    term = (
        f'<span class="eic-term" tabindex="0">{noise}<span class="eic-tip" role="tooltip">'
        f"{escape(glossary.AMPLIFIED_NOISE, 1000)}</span></span>"
    )
    return sentence.replace(noise, term, 1)


def _picture(result: Result, found: Where) -> None:
    ways = ways_across(found)
    labels = dict(result.match.mapping) if result.match is not None else None
    across = ways[0]
    if len(ways) > 1:
        across = st.selectbox(
            "Drawn against",
            ways,
            key=f"rows-across:{found.node_id}:{ways[0].kind}:{ways[0].name}",
            format_func=partial(_way, labels=labels or {}),
            label_visibility="collapsed",
            width=280,
        )
    dark, narrow = is_dark(), is_narrow()
    key = (result.request, "rows", found.node_id, across, dark, narrow)
    figure = figure_cache().get(
        key,
        lambda: rows_figure(found, across, dark=dark, narrow=narrow, labels=labels),
        lambda _: 1.0,
    )
    st.plotly_chart(
        figure,
        key="rows-plot",
        theme=None,
        config=plotly_config("eic-rows"),
        alt=f"Share of each row in {NOISE}. {clean(found.sentences[0])}",
    )


def _way(way: Across, labels: dict[str, str]) -> str:
    if way.kind == ROW:
        return "against the row number"
    if way.kind == VALUE:
        return f"against the value of {clean(way.name, 40)}"
    return f"against {clean(labels.get(way.name, way.name), 40)}"


def _rows(result: Result, found: Where, count: int) -> None:
    parts = []
    if found.singular:
        parts.append(f"{len(found.singular):,} without a digit")
    if count:
        parts.append(f"{count:,} that {'carries' if count == 1 else 'carry'} 99 %")
    with st.expander(f"The rows: {', '.join(parts)}", key="rows-list"):
        rows_table(result, found)


def _more_data(result: Result, found: Where) -> None:
    """Whether more data would change the number: the curve where it would, else the interval."""
    growth, interval = found.growth, found.interval
    unsettled = growth is not None and interval.heavy
    with st.expander(f"Would more data change it? {_short(found)}", key="rows-growth"):
        if unsettled:
            assert growth is not None
            st.html(f"<p>{prose(growth.sentence)}</p>")
            dark, narrow = is_dark(), is_narrow()
            figure = figure_cache().get(
                (result.request, "growth", found.node_id, dark, narrow),
                lambda: growth_figure(growth, dark=dark, narrow=narrow),
                lambda _: 0.3,
            )
            st.plotly_chart(
                figure,
                key="growth-plot",
                theme=None,
                config=plotly_config("eic-growth"),
                alt=f"Digits lost against the number of rows. {clean(growth.sentence)}",
            )
        st.html(
            f'<p class="eic-quiet" title="{escape(glossary.BOOTSTRAP, 1000)}">'
            f"{prose(interval.sentence)}</p>"
        )


def _short(found: Where) -> str:
    growth, interval = found.growth, found.interval
    if interval.heavy and growth is not None and growth.per_decade >= 0.05:
        return f"Yes: about {growth.per_decade:.1f} digits more for ten times as many rows."
    if interval.heavy:
        return "Perhaps: the mean is not settled."
    if interval.reason:
        return "Too few rows to tell."
    return "Hardly."
