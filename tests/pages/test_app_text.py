"""User text is inert wherever it is shown."""

from __future__ import annotations

import html

from hypothesis import given
from hypothesis import strategies as st

from pages.ui.kit.text import clean, code_label, escape, label, prose


@given(st.text(max_size=300))
def test_escaped_text_has_no_markup_of_its_own(text: str) -> None:
    assert "<" not in escape(text)
    assert html.unescape(escape(text)) == clean(text)


@given(st.text(max_size=300))
def test_prose_has_no_element_but_code(text: str) -> None:
    rest = prose(text).replace("<code>", "").replace("</code>", "")
    assert "<" not in rest


@given(st.text(max_size=100))
def test_a_code_label_is_one_code_span(text: str) -> None:
    shown = code_label(text)
    fence = len(shown) - len(shown.lstrip("`"))
    inside = shown[fence:-fence]
    assert "`" * fence not in inside.replace("`" * (fence + 1), "")
    assert "\n" not in shown


@given(st.text("*_`[]()<>#:$!|~\\x", max_size=60))
def test_every_sign_that_markdown_reads_is_escaped_in_labels(text: str) -> None:
    shown = label(text)
    assert all(c.isalnum() or c in "\\ …" or shown[i - 1] == "\\" for i, c in enumerate(shown))


def test_control_and_direction_characters_vanish() -> None:
    assert clean("a\u202eb\x00c\u200bd\ud800e") == "a b c d e"
