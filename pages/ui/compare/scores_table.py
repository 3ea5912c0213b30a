"""The table of scores: filters, order, columns, and the file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import streamlit as st

from eic_core import wording
from eic_core.exports import csv_text, safe_cell
from eic_core.pool import FINDING_COLUMNS, SCORE_COLUMNS
from eic_core.pool.left_out import reason_of
from eic_core.pool.listing import ListedScore
from eic_core.pool.traits import first_of
from pages.ui.compare.desk import Scored, compare_desk
from pages.ui.compare.front_figure import FrontView
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_narrow
from pages.ui.kit.messages import quiet_note
from pages.ui.kit.text import clean
from pages.ui.questions.where import number_or_none

COLUMNS = (
    "row",
    "problem",
    "method",
    "formula",
    "syntax",
    "extra",
    "exponents",
    *SCORE_COLUMNS,
    "front",
    *FINDING_COLUMNS,
    "left_out",
)


def scored_csv(scores: Sequence[ListedScore], on_front: np.ndarray) -> str:
    """A row for each row of the list, in order, refused ones included.

    >>> from eic_core.pool import Score
    >>> from eic_core.pool.importers import Listed
    >>> row = ListedScore(Listed(1, "-x"), Score(2, 0.5, 0.25, 0.25), "infix")
    >>> print(scored_csv([row], np.array([True])).splitlines()[1])
    1,,,'-x,infix,,exact,2,0.5,0.25,0.25,0,0,0,,yes,,,,
    """
    return csv_text(COLUMNS, map(_cells, scores, on_front))


def _cells(scored: ListedScore, member: bool) -> list[object]:
    listed, cells = scored.listed, scored.score.cells()
    values = (listed.parameters[f"t{i}"] for i in range(len(listed.parameters)))
    texts = (
        listed.problem,
        listed.method,
        listed.formula,
        listed.syntax or scored.syntax,
        "theta=" + ";".join(values) if listed.parameters else "",
    )
    return [
        listed.row,
        *map(safe_cell, texts),
        listed.exponents,
        *(cells[name] for name in SCORE_COLUMNS[:-1]),
        safe_cell(cells["error"]),
        "yes" if member else "",
        *(safe_cell(cells[name]) for name in FINDING_COLUMNS),
        safe_cell(reason_of(scored.score)),
    ]


@dataclass(frozen=True)
class Filter:
    """The filters; None and empty let everything through."""

    text: str = ""
    most_eic: float | None = None
    most_nodes: int | None = None
    methods: frozenset[str] = frozenset()
    causes: frozenset[str] = frozenset()
    front_only: bool = False

    def lets_through(self, scored: ListedScore) -> bool:
        """Whether a formula passes all filters but `front_only`; refused ones never do.

        >>> from eic_core.pool import Score
        >>> from eic_core.pool.importers import Listed
        >>> row = ListedScore(Listed(1, "Sin(x)"), Score(2, 0.5, 1.5, 1.5))
        >>> Filter("sin(").lets_through(row), Filter(most_eic=1.0).lets_through(row)
        (True, False)
        """
        score = scored.score
        return (
            not score.error
            and self.text.lower() in scored.listed.formula.lower()
            and (self.most_eic is None or score.eic <= self.most_eic)
            and (self.most_nodes is None or (score.complexity or 0) <= self.most_nodes)
            and (not self.methods or scored.listed.method in self.methods)
            and (not self.causes or score.cause in self.causes)
        )


def filter_scores(scored: Scored, on_front: np.ndarray) -> np.ndarray:
    scores = scored.scores
    methods = list(dict.fromkeys(s.listed.method for s in scores if s.listed.method))
    causes = sorted({s.score.cause for s in scores if s.score.cause})
    with st.expander("Filter", key="filter-box") if is_narrow() else nullcontext():
        filters = _filters(methods, causes)
    keep = first_of(scored.groups) & [filters.lets_through(s) for s in scores]
    return np.flatnonzero(keep & on_front if filters.front_only else keep)


_FIELDS = "text", "eic", "nodes", "methods", "causes", "front"


def keep_filters() -> None:
    """Let the filters of a list outlast a run that does not draw them, for it is scored anew."""
    for key in (f"filter-{field}" for field in _FIELDS):
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def _filters(methods: list[str], causes: list[str]) -> Filter:
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters", gap="small"):
        text = st.text_input("Find", key="filter-text", placeholder="part of a formula", width=180)
        most = st.number_input(
            "EIC at most",
            min_value=0.0,
            value=None,
            step=0.5,
            width=120,
            key="filter-eic",
            placeholder="any",
        )
        nodes = st.number_input(
            "Nodes at most",
            min_value=1,
            value=None,
            step=5,
            width=120,
            key="filter-nodes",
            placeholder="any",
        )
        chosen = _several("Methods", methods if len(methods) > 1 else [], "filter-methods", clean)
        why = _several(
            "Causes" if compare_desk().findings else "Causes, on the front",
            causes,
            "filter-causes",
            cause_words,
            help="A cause is known for formulas on the front whose EIC is a digit or more, or "
            "that lack a value somewhere. *Say the cause of each formula*, among the "
            "inputs above, diagnoses all.",
        )
        only = st.toggle("Front only", key="filter-front")
    return Filter(text, most, nodes, frozenset(chosen), frozenset(why), only)


def _several(
    name: str, options: list[str], key: str, words: Callable[[str], str], help: str | None = None
) -> list[str]:
    """A choice of several options; none without any."""
    chosen = st.session_state.get(key, [])
    if not {*chosen} <= {*options}:  # only then: a value that is set here may be lost (ADR 0012)
        st.session_state[key] = [each for each in chosen if each in options]
    return options and st.multiselect(
        name, options, key=key, format_func=words, width=260, placeholder="all", help=help
    )


def cause_words(cause: str) -> str:
    """A cause's name for a reader.

    >>> cause_words("large_argument")
    'large argument'
    """
    return cause.replace("_", " ")


# Most rows that the table shows; the file has all.
_MOST_ROWS = 20_000


def scores_table(view: FrontView, scored: Scored, name: str) -> None:
    """The formulas that pass the filters, the front first, then by error and EIC."""
    order = sorted(view.visible.tolist(), key=lambda i: _rank(view, i))[:_MOST_ROWS]
    key = f"front-table-{compare_desk().number}"
    rows = [k for k, i in enumerate(order) if i in view.picked]
    current = st.session_state.get(key)
    if current is not None and sorted(current["selection"]["rows"]) != sorted(rows):
        st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.dataframe(
        _columns(scored, view, order),
        key=key,
        on_select=partial(_pick_rows, key, tuple(order)),
        selection_mode="multi-row",
        hide_index=True,
        height=min(440, 38 + 35 * max(1, len(order))),
        column_order=_visible_columns(view, scored, name),
        column_config=_settings(view.accuracy_name),
        placeholder="—",
        alt="The formulas with their scores, the front first",
    )
    if len(view.visible) > _MOST_ROWS:
        quiet_note(f"The first {_MOST_ROWS:,} of {len(view.visible):,}; the file has all.")


def _rank(view: FrontView, place: int) -> tuple[bool, float, float]:
    error = math.nan if view.accuracy is None else float(view.accuracy[place])
    eic = view.scores[place].score.eic
    return (
        not view.on_front[place],
        math.inf if math.isnan(error) else error,
        math.inf if math.isnan(eic) else eic,
    )


def _pick_rows(key: str, order: tuple[int, ...]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    desk = compare_desk()
    chosen = [order[r] for r in rows if r < len(order)]
    still_picked = [p for p in desk.picked if p in chosen]
    # At most two are picked: the newest pushes out the oldest.
    desk.picked = tuple([*still_picked, *(p for p in chosen if p not in still_picked)][-2:])


def _columns(scored: Scored, view: FrontView, order: list[int]) -> pa.Table:
    accuracy, scores = view.accuracy, [scored.scores[i] for i in order]
    return pa.table(
        {
            "row": [s.listed.row for s in scores],
            "front": ["●" if view.on_front[i] else "" for i in order],
            "eic": [number_or_none(s.score.eic) for s in scores],
            "finite": [number_or_none(s.score.eic_finite) for s in scores],
            "r2": [number_or_none(s.score.r2) for s in scores],
            "error": [
                None if accuracy is None else number_or_none(float(accuracy[i])) for i in order
            ],
            "nodes": [s.score.complexity for s in scores],
            "method": [clean(s.listed.method, 60) for s in scores],
            "formula": [one_line(s.listed.formula) for s in scores],
            "also": [scored.also(i) for i in order],
            "invalid": [s.score.invalid for s in scores],
            "cause": [cause_words(s.score.cause) for s in scores],
            "step": [clean(s.score.step, 80) for s in scores],
        }
    )


def _visible_columns(view: FrontView, scored: Scored, name: str) -> list[str]:
    scores = scored.scores
    names = ["row", "front", "eic"]
    losses = [(s.score.eic, s.score.eic_finite) for s in scores if not s.score.error]
    if any(eic != finite and not math.isnan(finite) for eic, finite in losses):
        names.append("finite")
    if not all(math.isnan(s.score.r2) for s in scores):
        names.append("r2")
    if name and name != "1 − R²":
        names.append("error")
    names += ["nodes", "formula"]
    if is_narrow():
        names.remove("formula")
        names.insert(3, "formula")
    if any(len(group) > 1 for group in scored.groups):
        names.append("also")
    if any(s.listed.method for s in scores):
        names.append("method")
    if any(s.score.invalid for s in scores):
        names.append("invalid")
    if any(s.score.cause for s in scores):
        place = names.index("formula")  # both stand in sight
        names[place:place] = ["cause", "step"]
    return names


def one_line(formula: str) -> str:
    """The beginning of a formula, in a line that can be read.

    >>> len(one_line("x + " * 100))
    60
    """
    return wording.shorten(" ".join(clean(formula, 300).split()), 60)


def _settings(accuracy_name: str) -> dict[str, Any]:
    config = st.column_config
    return {
        "front": config.TextColumn("Front", width=52, help="● : on the front"),
        "eic": config.NumberColumn("EIC", format="%.2f", width=62, help=glossary.EIC),
        "finite": config.NumberColumn("EIC, finite", format="%.2f", width=92, help=glossary.FINITE),
        "r2": config.NumberColumn("R²", format="%.5g", width=82, help=glossary.R2),
        "error": config.NumberColumn(accuracy_name or "Error", format="%.4g", width=110),
        "nodes": config.NumberColumn("Nodes", width=62, help=glossary.COMPLEXITY),
        "formula": config.TextColumn(
            "Formula", width=470, help="Its beginning; choose a row to see it typeset below"
        ),
        "also": config.TextColumn("Counts once", width=130, help="Other rows of the same formula"),
        "method": config.TextColumn("Method", width=90),
        "invalid": config.NumberColumn("No value", width=76, help=glossary.VALID),
        "cause": config.TextColumn("Cause", width=130, help=glossary.CAUSE),
        "step": config.TextColumn("Step", width=180, help="The part of the formula it is about"),
        "row": config.NumberColumn("Row", width=56, help="In the list, from 1"),
    }
