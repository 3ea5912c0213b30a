"""Text that fits the page: harmless, short, readable."""

from __future__ import annotations

import html
import re
import unicodedata

from eic_core.phrasing import Phrase


def file_name(formula: str, suffix: str) -> str:
    """A file name that every system takes, from a formula's text.

    >>> file_name("10000*x - 9999*x", "csv"), file_name("../<b>", "json"), file_name("", "svg")
    ('eic-10000_x-9999_x.csv', 'eic-b.json', 'eic-formula.svg')
    """
    stem = re.sub(r"[^A-Za-z0-9-]+", "_", formula.replace(" ", ""))[:40].strip("_-")
    return f"eic-{stem or 'formula'}.{suffix}"


def table_box(table: str, css: str = "eic-table-box") -> str:
    """A table in a box that scrolls sideways where it is too wide, by the keyboard too.

    >>> table_box("<table></table>")
    '<div class="eic-table-box" tabindex="0" role="group" aria-label="Table"><table></table></div>'
    """
    return f'<div class="{css}" tabindex="0" role="group" aria-label="Table">{table}</div>'


_CODE = re.compile(r"`([^`]*)`")
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def clean(text: str, limit: int = 400) -> str:
    """Text without control or direction-changing characters, cut to a length.

    >>> clean("a\\x00b\\u202ec")
    'a b c'
    """
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    if cut.isprintable():  # the usual case: no such character
        return cut
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co") else " "
        for c in cut
    )


def escape(text: str | Phrase, limit: int = 400) -> str:
    return html.escape(clean(str(text), limit))


def prose(text: str | Phrase, limit: int = 2_000) -> str:
    """A sentence for HTML; backticks become code.

    >>> prose("unknown name `<b>`")
    'unknown name <code>&lt;b&gt;</code>'
    """
    return _CODE.sub(r"<code>\1</code>", escape(text, limit))


def unbroken_prose(text: str | Phrase) -> str:
    """A sentence for HTML, without a line break before a percent sign or inside a difference.

    >>> unbroken_prose("0.9 − 0.2, or 5 %")
    '0.9&nbsp;−&nbsp;0.2, or 5&nbsp;%'
    """
    return prose(text).replace(" %", "&nbsp;%").replace(" − ", "&nbsp;−&nbsp;")


def label(text: str, limit: int = 120) -> str:
    """Text for a Streamlit label, with every character that Markdown reads escaped.

    >>> label("a*b :red[x]")
    'a\\\\*b \\\\:red\\\\[x\\\\]'
    """
    return _PUNCTUATION.sub(r"\\\1", clean(text, limit).replace("\n", " "))


def prose_label(text: str, limit: int = 120) -> str:
    """A phrase for a Streamlit label; backticks stay code.

    >>> prose_label("after a `/` or *")
    'after a `/` or \\\\*'
    """
    parts = clean(text, limit).split("`")
    if len(parts) % 2 == 0:
        return label(text, limit)
    return "".join(code_label(part) if k % 2 else label(part) for k, part in enumerate(parts))


def code_label(text: str, limit: int = 80) -> str:
    plain = " ".join(clean(text, limit).split()) or " "
    # Markdown ends code at a run of backticks as long as the first: make it longer than any.
    runs = [len(run) for run in re.findall(r"`+", plain)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}"
