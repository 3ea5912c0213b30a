"""Draws numbers with their intervals, on the axes that all such figures share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eic_core.drawing.scale import THEMES, Theme
from pages.ui.figures.pairs import COLOURS
from pages.ui.figures.plotting import axis_style, plain_text


@dataclass(frozen=True)
class EstimateMark:
    """A number with its interval, as a figure draws it.

    Attributes
    ----------
    name : str
        Said beside it.
    value : float or None
        None: there is none, and `text` says so.
    low, high : float or None
        Ends of the interval; None without one.
    text : str
        Said at its right, such as "69.8 %, 65 to 75 %".
    plain : bool
        Drawn thinner and open: not the number that counts.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    text: str = ""
    plain: bool = False


def estimate_marks(rows: Sequence[EstimateMark], dark: bool, axis: str) -> list[dict[str, Any]]:
    """Points with their intervals, the first row on top."""
    theme, (strong, _) = THEMES[dark], COLOURS[dark]
    data: list[dict[str, Any]] = []
    for place, row in enumerate(rows):
        if row.value is None:
            continue
        y = len(rows) - 1 - place
        colour = theme.muted if row.plain else strong
        said = f"<b>{plain_text(row.name)}</b><br>{safe_lines(row.text)}<extra></extra>"
        if row.low is not None and row.high is not None:
            data.append(
                {
                    "type": "scatter", "mode": "lines+markers", axis: [row.low, row.high],
                    "y": [y, y], "line": {"color": colour, "width": 2 if row.plain else 5},
                    "marker": {"symbol": "line-ns", "size": 10,
                               "line": {"color": colour, "width": 2}},
                    "hovertemplate": said,
                }
            )  # fmt: skip
        symbol = "circle-open" if row.plain else "circle"
        data.append(
            {
                "type": "scatter", "mode": "markers", axis: [row.value], "y": [y],
                "marker": {"symbol": symbol, "size": 10 if row.plain else 13, "color": colour,
                           "line": {"color": colour if row.plain else theme.paper, "width": 2}},
                "hovertemplate": said,
            }
        )  # fmt: skip
    return data


def share_axis(theme: Theme, title: str = "") -> dict[str, Any]:
    """0 to 100 %."""
    axis = axis_style(theme) | {
        "range": [-0.01, 1.01], "fixedrange": True,
        "tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0 %", "25 %", "50 %", "75 %", "100 %"],
    }  # fmt: skip
    return axis | ({"title": axis_title(title)} if title else {})


def axis_title(text: str) -> dict[str, Any]:
    return {"text": plain_text(text), "standoff": 6, "font": {"size": 13}}


def dashed_line(at: float, theme: Theme, *, across: bool = False) -> dict[str, Any]:
    """A dashed line through the whole figure."""
    along, over = ("y", "x") if across else ("x", "y")
    return {
        "type": "line", f"{along}ref": along, f"{over}ref": "paper", f"{along}0": at,
        f"{along}1": at, f"{over}0": 0, f"{over}1": 1, "layer": "below",
        "line": {"color": theme.muted, "width": 1, "dash": "dash"},
    }  # fmt: skip


def safe_lines(text: str) -> str:
    """Text of several lines, safe."""
    return "<br>".join(plain_text(line) for line in text.split("\n"))
