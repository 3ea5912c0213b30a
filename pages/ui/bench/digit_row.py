"""One row of the data, digit under digit: the exact value and what a program computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from eic_core.explain.digit_rows import DigitRows
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import Formula
from pages.ui.figures.plotting import label_of
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.wiring import diagnosis_service

_FOLDER = Path(__file__).parent

KEY = "digit-row"

KINDS = ("float64", "float32")

_UNSEEN = ("created", "sentence")

# Characters of a form to write instead.
_FORM = 60


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "eic_digit_row",
    css=_text("digit_row.css"),
    js="\n".join(_text(name) for name in ("bus.js", "links.js", "digit_row.js")),
    isolate_styles=False,
)


def chosen_kind() -> str:
    """The format whose digits the visitor wants to see: "float64" or "float32"."""
    kind = st.session_state.get(KEY, {}).get("kind")
    return kind if kind in KINDS else KINDS[0]


def digit_row(
    result: InspectionResult, better: Formula | None = None, *, searching: bool = False
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
    """
    rows = diagnosis_service().digit_rows(result, better, chosen_kind())
    _component(
        key=f"{KEY}-early" if searching else KEY,  # drawn again in the same run
        data=record_of(result, rows, better, searching=searching),
        default={"kind": KINDS[0]},
        on_kind_change=_read_kind,
    )


def _read_kind() -> None:
    """Streamlit holds a state only where something listens; the next run reads it."""


def record_of(
    result: InspectionResult, rows: DigitRows, better: Formula | None, *, searching: bool
) -> dict[str, Any]:
    """What the browser gets: texts and numbers, at most some 40 kB."""
    labels = dict(result.match.mapping) if result.match is not None else None
    record = {key: value for key, value in rows.to_json().items() if key not in _UNSEEN}
    return record | {
        "of": f"{hash(result.request):x}",
        "titles": {name: label_of(name, labels) for name in result.inspection.formula.variables},
        "better": "" if better is None else short_text(better, better.root.id, _FORM),
        "searching": searching,
    }
