"""What all Plotly figures share: how they are built, their text, layout and hidden axes."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from eic_core.drawing.scale import FONT, THEMES

TITLE = {"size": 13}
"""Font of the titles of axes."""

_AXIS = {"title": {"font": TITLE}}


def build(data: list[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    """A figure from plain dictionaries, unvalidated: validation costs ten times the rest.

    The tests validate what is built here.
    """
    return go.Figure({"data": data, "layout": layout}, _validate=False)


def plain_text(text: str) -> str:
    """Text that Plotly takes for text: neither tags nor entities.

    Examples
    --------
    >>> plain_text("a < b & <b>c</b>")
    'a &lt; b &amp; &lt;b>c&lt;/b>'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;")


def hidden_axis(limits: list[float]) -> dict[str, Any]:
    """An axis that fixes a range and draws nothing."""
    return {"range": limits, "visible": False, "fixedrange": True}


def base_layout(dark: bool) -> dict[str, Any]:
    """What all figures share: transparent page, own fonts, no template but for axis titles."""
    theme = THEMES[dark]
    return {
        "template": {"layout": {"xaxis": _AXIS, "yaxis": _AXIS}},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "color": theme.ink, "size": 13},
        "showlegend": False,
        "hoverlabel": {
            "bgcolor": "#ffffff" if not dark else "#262b36",
            "bordercolor": theme.faint,
            "font": {"color": theme.ink, "family": FONT, "size": 13},
            "align": "left",
        },
        "dragmode": "pan",
    }
