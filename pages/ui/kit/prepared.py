"""Style sheets, written down once and sent as they are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from streamlit.delta_generator_singletons import get_dg_singleton_instance
from streamlit.proto.Html_pb2 import Html


@cache
def _style(style_sheet: Path) -> Html:
    return Html(body=f"<style>{style_sheet.read_text(encoding='utf-8')}</style>")


def draw_style(style_sheet: Path) -> None:
    """Use a file of CSS, as `st.html` does; it is read once."""
    # `st.html` searches its text for indents, styles and comments: more work than twenty widgets.
    get_dg_singleton_instance().event_dg._enqueue("html", _style(style_sheet))
