"""One row of the data, digit under digit: the exact value and what a program computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from eic_core import wording
from eic_core.explain.digit_rows import DigitRows
from pages.ui.figures.plotting import label_of
from pages.ui.kit.inspector_service import InspectionResult

_FOLDER = Path(__file__).parent

KEY = "digit-row"

KINDS = ("float64", "float32")

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
    result: InspectionResult, rows: DigitRows, better: str = "", *, searching: bool = False
) -> None:
    """Draw the row that carries the verdict, with a slider to the others.

    Parameters
    ----------
    result
        A complete one.
    rows
        Its rows in the format of `chosen_kind`.
    better
        The form to write instead whose digits the rows hold, "" without one.
    searching
        Whether a better form is still looked for.
    """
    _component(
        key=KEY,
        data=record_of(result, rows, better, searching=searching),
        default={"kind": KINDS[0]},
        on_kind_change=_no_more,
    )


def _no_more() -> None:
    """A choice of format is read by the run that it starts."""


def record_of(
    result: InspectionResult, rows: DigitRows, better: str, *, searching: bool
) -> dict[str, Any]:
    """What the browser gets: texts and numbers, at most some 40 kB."""
    labels = dict(result.match.mapping) if result.match is not None else None
    record = rows.to_json()
    return {
        "of": f"{hash(result.request):x}",
        "kind": record["kind"],
        "rows": record["rows"],
        "steps": record["steps"],
        "typical": record["typical"],
        "nine_in_ten": record["nine_in_ten"],
        "worst": record["worst"],
        "titles": {name: label_of(name, labels) for name in result.inspection.formula.variables},
        "better": wording.shorten(better, _FORM),
        "searching": searching,
    }
