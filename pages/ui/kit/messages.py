"""Small pieces that every room draws: headings, notes, errors, metrics, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from eic_core import wording
from eic_core.errors import FormulaError, UserError
from eic_core.formula.syntax import SYNTAXES
from pages.ui.kit.text import escape, prose, table_box


def show_refusal(error: UserError) -> None:
    """An error that the user can mend, as two sentences."""
    st.html(f'<p class="eic-answer">{prose(as_sentence(error.message))}</p>')
    if error.hint:
        st.html(f'<p class="eic-quiet">What helps: {prose(ended(error.hint))}</p>')
    offer_again(error, "again-answer")


def offer_again(error: UserError, key: str) -> None:
    """A button that runs the page again, where a second attempt may well succeed."""
    if getattr(error, "again", False):
        st.button("Try again", key=key, icon=":material/refresh:")


def as_sentence(text: str) -> str:
    """The text with a capital letter and a full stop, unless it ends as a sentence does.

    >>> as_sentence("the table is empty"), as_sentence("which side?")
    ('The table is empty.', 'Which side?')
    """
    return wording.capital(ended(text))


def ended(text: str) -> str:
    """The text with a full stop, unless it ends as a sentence does."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def show_error(error: UserError) -> None:
    """An error with its place, if it has one, and its hint."""
    place = error.caret() if isinstance(error, FormulaError) else ""
    place = f"<pre>{escape(place)}</pre>" if place else ""
    hint = f"<p>{prose(as_sentence(error.hint))}</p>" if error.hint else ""
    lines = "".join(f"<li>{prose(line)}</li>" for line in getattr(error, "problems", ())[:20])
    lines = f'<ul class="eic-list">{lines}</ul>' if lines else ""
    st.html(
        f'<div class="eic-error" role="alert"><p class="eic-error-title">'
        f"{prose(as_sentence(error.message))}</p>{place}{hint}{lines}</div>"
    )


_PLAIN_NAMES = {
    "prefix": "prefix notation (sin x, add x y)",
    "e2e_prefix": "prefix notation of E2E (sin x, add x y)",
    "tir": "NumPy columns, x[:, 0]",
}
"""Notations whose own names say nothing to those who do not know the tool."""


def notation_name(notation: str, choice: str = "auto") -> str:
    """The name of a notation, in plain words unless the visitor chose it (`choice`).

    >>> notation_name("latex"), notation_name("tir"), notation_name("tir", "tir")
    ('LaTeX', 'NumPy columns, x[:, 0]', 'TIR')
    """
    name = SYNTAXES.get(notation, notation)
    return name if choice != "auto" else _PLAIN_NAMES.get(notation, name)


def quiet_note(text: str) -> None:
    """A sentence in muted type; user text in backticks."""
    st.html(f'<p class="eic-quiet">{prose(text)}</p>')


def show_note(text: str) -> None:
    """A sentence that should be read, without alarm."""
    st.html(f'<p class="eic-note">{prose(text)}</p>')


def show_warning(text: str) -> None:
    """A sentence that should be heeded."""
    st.html(f'<p class="eic-note eic-bad">{prose(text)}</p>')


def show_heading(text: str, level: int = 3) -> None:
    st.html(f'<h{level} class="eic-h">{escape(text)}</h{level}>')


def show_empty_state(title: str, text: str) -> None:
    st.html(
        f'<div class="eic-empty eic-small"><p class="eic-empty-title">{prose(title)}</p>'
        f"<p>{prose(text)}</p></div>"
    )


def table_html(
    rows: Iterable[Sequence[str | int]], heads: Sequence[str] = (), *, caption: str = ""
) -> str:
    """A table; numbers to the right, text inert.

    >>> table_html([("<b>", 3)])
    '<div class="eic-table-box" tabindex="0" role="group" aria-label="Table"><table class="eic-table"><tbody><tr><th scope="row">&lt;b&gt;</th><td class="n">3</td></tr></tbody></table></div>'
    """  # noqa: E501
    rows = [tuple(row) for row in rows]
    numeric = [not isinstance(cell, str) for cell in rows[0]] if rows else []
    head = "".join(
        f'<th scope="col"{" class=" + chr(34) + "n" + chr(34) if n else ""}>{escape(h)}</th>'
        for h, n in zip(heads, numeric or [False] * len(heads), strict=False)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row, range(len(row))))}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    return table_box(f'<table class="eic-table">{title}{head}<tbody>{body}</tbody></table>')


def _cell(value: str | int, place: int) -> str:
    if place == 0:
        return f'<th scope="row">{escape(str(value), 300)}</th>'
    if isinstance(value, str):
        return f"<td>{escape(value, 10_000)}</td>"
    return f'<td class="n">{value:,}</td>'


def metric(name: str, value: str, explained: str) -> str:
    """One figure with its name, explained on hover and on focus; `value` is HTML."""
    return (
        f'<div class="eic-metric" tabindex="0"><span class="name">{name}</span>'
        f'<span class="value">{value}</span><span class="eic-tip" role="tooltip">'
        f"{escape(explained, 1000)}</span></div>"
    )
