"""Which formulas of a list are shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from eic_core.pool.listing import ListedScore
from pages.ui.device import is_narrow
from pages.ui.text import clean
from pages.ui.triage.desk import Scored


@dataclass(frozen=True)
class Filter:
    """What the filters ask for; None and empty let everything through."""

    text: str = ""
    most_eic: float | None = None
    most_nodes: int | None = None
    methods: frozenset[str] = frozenset()
    front_only: bool = False

    def lets_through(self, scored: ListedScore) -> bool:
        """Whether a formula passes all filters but `front_only`; refused ones never do.

        Examples
        --------
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
        )


def filtered(scored: Scored, on_front: np.ndarray) -> np.ndarray:
    """Places of the formulas that the filters let through."""
    scores = scored.scores
    methods = list(dict.fromkeys(s.listed.method for s in scores if s.listed.method))
    if is_narrow():
        with st.expander("Filter", key="filter-box"):
            wanted = _filters(methods)
    else:
        wanted = _filters(methods)
    keep = np.array([wanted.lets_through(s) for s in scores], dtype=bool)
    return np.flatnonzero(keep & on_front if wanted.front_only else keep)


def _filters(methods: list[str]) -> Filter:
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters", gap="small"):
        text = st.text_input("Find", key="filter-text", placeholder="part of a formula", width=180)
        most = st.number_input("EIC at most", min_value=0.0, value=None, step=0.5, width=120,
                               key="filter-eic", placeholder="any")  # fmt: skip
        nodes = st.number_input("Nodes at most", min_value=1, value=None, step=5, width=120,
                                key="filter-nodes", placeholder="any")  # fmt: skip
        chosen: list[str] = []
        if len(methods) > 1:
            chosen = st.multiselect("Methods", methods, key="filter-methods", format_func=clean,
                                    width=260, placeholder="all")  # fmt: skip
        only = st.toggle("Front only", key="filter-front")
    return Filter(text, most, nodes, frozenset(chosen), only)
