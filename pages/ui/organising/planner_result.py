"""What a simulation found, in sentences first, then as a picture and a table."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import streamlit as st

from pages.ui.device import is_dark, is_narrow
from pages.ui.figures.planning import Point, planning_figure
from pages.ui.organising.desk import heading, quiet, warn
from pages.ui.organising.planner_inputs import Request
from pages.ui.organising.tables import table_html
from pages.ui.text import prose
from study.planning import Advice, Estimate, Grid, Plan
from study.planning.words import (
    advice_sentences,
    compare_sentence,
    design_sentence,
    headline,
    points,
    route_sentence,
    sentences,
    share_text,
    small_sentence,
)

_ADDRESSES = {
    "pairs": "more pairs", "raters": "more raters", "pairs and raters": "more of both",
    "problems": "more problems",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Planned:
    """A request and its answer."""

    request: Request
    plan: Plan
    grid: Grid
    advice: Advice | None


def draw(planned: Planned, *, changed: bool) -> None:
    """All of it; `changed` says that the fields have moved on since."""
    found = planned.plan
    if changed:
        warn("The numbers above have changed since this was simulated: simulate again.")
    small = small_sentence(found)
    rest = [text for text in sentences(found) if text not in (headline(found), small)]
    st.html(
        '<section class="eic-plan" role="status">'
        f'<p class="eic-plan-first">{_told(headline(found))}</p>'
        + "".join(f"<p>{_told(text)}</p>" for text in rest)
        + "</section>"
    )
    if small:
        warn(small)
    if planned.advice is not None:
        _advice(planned.advice)
    _figure(planned)
    _table(found)
    quiet(f"{design_sentence(found.model)} {found.studies:,} simulated studies, seed {found.seed}.")


def _told(text: str) -> str:
    """A sentence for HTML, with its percents on the line of their numbers."""
    return prose(text).replace(" %", "&nbsp;%")


def _advice(advice: Advice) -> None:
    first = advice_sentences(advice)[0]
    heading("What would be enough")
    items = "".join(
        f"<li>{_told(route_sentence(advice.model, route, advice.target))}</li>"
        for route in advice.routes
    )
    ways = f'<ul class="eic-list eic-plan-ways">{items}</ul>' if items else ""
    last = f"<p>{_told(compare_sentence(advice))}</p>" if items else ""
    st.html(f'<section class="eic-plan-advice"><p>{_told(first)}</p>{ways}{last}</section>')


def _figure(planned: Planned) -> None:
    grid = planned.grid
    if not any(isfinite(width) for row in grid.half_width for width in row):
        return
    heading("Pairs, or raters?")
    diamonds = "; diamonds are designs that would be enough" if planned.advice else ""
    quiet(
        "Each line is a number of raters. To the right the same votes are spread over more pairs; "
        "from one line to the next the same pairs get more votes. The lines are arithmetic. The "
        f"dot is this design, simulated{diamonds}."
    )
    target = planned.request.target
    figure = planning_figure(
        grid, _points(planned), target.half_width if target else None,
        dark=is_dark(), narrow=is_narrow(),
    )  # fmt: skip
    st.plotly_chart(figure, key="plan-figure", theme=None, config={"displayModeBar": False},
                    alt="Half-width of the interval against pairs, a line for each number of "
                    "raters")  # fmt: skip


def _points(planned: Planned) -> list[Point]:
    found = [("this design", planned.plan)]
    if planned.advice is not None:
        found += [
            (_ADDRESSES[route.way], route.simulated)
            for route in planned.advice.routes
            if route.simulated is not None and route.met
        ]
    return [
        Point(p.model.pairs, p.model.raters, p.half_width.value, p.half_width.error, name)
        for name, p in found
        if p.half_width is not None
    ]  # fmt: skip


def _table(found: Plan) -> None:
    heading("Clusters allowed for, or not")
    rows = [
        ("Half-width of the interval, points", _points_of(found.half_width),
         _points_of(found.naive_half_width)),
        (f"Holds the truth (should be {share_text(found.level)})", _share(found.coverage),
         _share(found.naive_coverage)),
        (f"Finds a preference, test at {share_text(found.alpha)}", _share(found.power),
         _share(found.naive_power)),
        ("Worth, in independent votes", _plain(found.effective_votes), f"{found.votes:,.0f}"),
    ]  # fmt: skip
    st.html(table_html(rows, ("", "allowed for (report’s headline)", "taken as independent")))
    quiet("After ±: the Monte-Carlo standard error, by which another seed would move the number.")


def _points_of(value: Estimate | None) -> str:
    return "none" if value is None else f"{points(value.value)} ± {100 * value.error:.2f}"


def _share(value: Estimate | None) -> str:
    if value is None:
        return "none"
    return f"{100 * value.value:.1f} % ± {100 * value.error:.1f}"


def _plain(value: Estimate | None) -> str:
    return "none" if value is None else f"{value.value:,.0f} ± {value.error:.1f}"
