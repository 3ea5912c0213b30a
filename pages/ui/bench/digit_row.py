"""One row of the data, digit under digit: the exact value and what a program computes."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from eic_core.explain.digit_rows import DigitRows
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import Formula
from pages.ui.bench import source
from pages.ui.figures.plotting import label_of, plain_text
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.wiring import diagnosis_service

KEY = "digit-row"

# Streamlit draws a key once a run; the row is drawn twice if a better form comes meanwhile.
_KEY_SEARCHING = "digit-row-searching"

_KIND = "digit-row-kind"

KINDS = ("float64", "float32")

_UNSEEN = ("created", "sentence")

# Characters of a form to write instead; where they have no room, its hover text has them.
_FORM = 160


_component = st.components.v2.component(
    "eic_digit_row",
    css=source("digit_row.css"),
    js=source("bus.js", "links.js", "digit_row.js"),
    isolate_styles=False,
)


def chosen_kind() -> str:
    """The format whose digits the visitor wants to see: "float64" or "float32"."""
    kind: str = st.session_state.get(_KIND, KINDS[0])
    return kind


def digit_row(
    result: InspectionResult,
    better: Formula | None = None,
    *,
    searching: bool = False,
    complete: bool = True,
) -> None:
    """Draw the row that carries the verdict, with a slider to the others.

    Parameters
    ----------
    result
        A complete one.
    better
        The form to write instead.
    searching
        Whether it is still looked for.
    complete
        Whether that search came to its end.
    """
    rows = diagnosis_service().digit_rows(result, better, chosen_kind())
    key = _KEY_SEARCHING if searching else KEY
    _component(
        key=key,
        data=record_of(result, rows, better, searching=searching, complete=complete),
        default={"kind": KINDS[0]},
        on_kind_change=partial(_choose_kind, key),
    )


@uninterrupted()
def _choose_kind(key: str) -> None:
    if (kind := st.session_state[key]["kind"]) in KINDS:
        st.session_state[_KIND] = kind


def record_of(
    result: InspectionResult,
    rows: DigitRows,
    better: Formula | None,
    *,
    searching: bool,
    complete: bool = True,
) -> dict[str, Any]:
    """What the browser gets: texts and numbers, at most some 40 kB."""
    labels = dict(result.match.mapping) if result.match is not None else None
    record = {key: value for key, value in rows.to_json().items() if key not in _UNSEEN}
    return record | {
        "of": f"{hash(result.request):x}",
        "titles": {
            name: plain_text(label_of(name, labels)) for name in result.inspection.formula.variables
        },
        "better": "" if better is None else short_text(better, better.root.id, _FORM),
        "searching": searching,
        "without": "no better form known" if complete else "no better form yet",
    }
