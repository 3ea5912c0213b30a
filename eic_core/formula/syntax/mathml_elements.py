"""The elements of MathML, by a small scanner of its own. Nothing in the text can grow: no document
type, no entities but names of characters, and nesting is limited as for brackets.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NamedTuple

from eic_core.formula.syntax.names import LOWERED
from eic_core.formula.syntax.reading import MAX_DEPTH, Report

_TAG = re.compile(
    r"<(?P<close>/?+)\s*+(?P<tag>[A-Za-z_][\w:.-]*+)"
    r"(?P<attributes>(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+)>"
)
_ATTRIBUTE = re.compile(r"\b(open|close|type|base|form)\s*+=\s*+[\"']([^\"']{0,20}+)[\"']")


class Element(NamedTuple):
    tag: str  # Its name without a prefix
    attributes: str  # As written
    children: list[Element]  # A text is a child without a tag
    text: str  # The characters of a child without a tag; "" for an element
    # start, end: the place in the source, its tags included
    start: int
    end: int

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end

    @property
    def elements(self) -> list[Element]:
        return [child for child in self.children if child.tag]

    @property
    def content(self) -> str:
        """The text in it, at any depth, joined."""
        parts, pending = [], [self]
        while pending:
            element = pending.pop()
            parts.append(element.text)
            pending.extend(reversed(element.children))
        return "".join(parts).strip()

    def attribute(self, name: str, default: str) -> str:
        return dict(_ATTRIBUTE.findall(self.attributes)).get(name, default)


def unescaped(text: str) -> str:
    """A text without references to characters, as `html.unescape` gives it.

    >>> unescaped("x &lt; 1"), unescaped("&#" + "9" * 5_000 + ";")
    ('x < 1', '\ufffd')
    """
    return html.unescape(_NO_CHARACTER.sub("\ufffd", text))


_NO_CHARACTER = re.compile(r"&#\d{8,};?")
"""A number that no character has, and that may be too long to become one."""


def read_elements(report: Report, start: int, end: int) -> list[Element]:
    """The elements at the top of the text. Raises `FormulaError` if a tag is not closed or not of
    MathML, or words stand beside the tags.
    """
    text = report.text
    levels: list[tuple[str, str, list[Element], int]] = [("", "", [], start)]
    place = start
    while place < end:
        opened = text.find("<", place, end)
        stop = end if opened < 0 else opened
        words = unescaped(text[place:stop]).strip()
        if words:
            if len(levels) == 1:
                report.fail("text beside MathML", place, stop, "paste only `<math>…</math>`")
            levels[-1][2].append(Element("", "", [], words, place, stop))
        if opened < 0:
            break
        if text.startswith(("<!--", "<?"), opened):
            closer = "-->" if text[opened + 1] == "!" else "?>"
            closed = text.find(closer, opened, end)
            if closed < 0:
                report.fail(
                    "this comment is not closed", opened, opened + 4, f"close it with `{closer}`"
                )
            place = closed + len(closer)
            continue
        match = _TAG.match(text, opened, end)
        if match is None:
            report.fail(
                "this is no tag of MathML",
                opened,
                opened + 1,
                "paste only `<math>…</math>`, without a document type",
            )
        place = match.end()
        tag = match["tag"].rpartition(":")[2].lower()
        attributes = match["attributes"]
        if match["close"]:
            name, given, children, begun = levels[-1]
            if name != tag or len(levels) == 1:
                wanted = f"`</{name}>` belongs here" if name else "remove it"
                report.fail(f"`</{tag[:40]}>` closes nothing", opened, place, wanted)
            levels.pop()
            levels[-1][2].append(Element(name, given, children, "", begun, place))
        elif attributes.rstrip().endswith("/"):
            levels[-1][2].append(Element(tag, attributes, [], "", opened, place))
        else:
            levels.append((tag, attributes, [], opened))
            if len(levels) > MAX_DEPTH:
                report.fail(f"tags are nested more than {MAX_DEPTH:,} deep", opened, place)
    if len(levels) > 1:
        name, begun = levels[-1][0], levels[-1][3]
        report.fail(
            f"`<{name[:40]}>` is not closed", begun, begun + 1, f"close it with `</{name[:40]}>`"
        )
    return levels[0][2]


def plain_letters(text: str) -> str:
    """A name in letters of print as plain letters.

    >>> plain_letters("𝑥"), plain_letters("α")
    ('x', 'α')
    """
    if text.isascii():
        return text
    # low digits are part of a name, here as in every notation
    return "".join([c if c in LOWERED else unicodedata.normalize("NFKC", c) for c in text])
