"""What the visitor's browser is like: dark or light, phone or desk."""

from __future__ import annotations

from typing import Any

import streamlit as st


def is_dark() -> bool:
    """Whether the page is shown in its dark theme."""
    return bool(st.context.theme.type == "dark")


def is_narrow() -> bool:
    """Whether the browser says that it runs on a phone."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")


def plotly_config(file_name: str) -> dict[str, Any]:
    """Settings of a chart whose toolbar saves a PNG of that name."""
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        "toImageButtonOptions": {"format": "png", "scale": 3, "filename": file_name},
    }
