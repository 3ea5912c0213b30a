"""What surrounds a formula in a paste: code fences, quotes, prompts, closing punctuation."""

from __future__ import annotations

import re

_FENCE = re.compile(r"(?P<mark>`{3,8}|~{3,8})[ \t]*+(?P<language>[\w+#.-]{0,30})[^\n`]{0,80}\n")
_PROMPT = re.compile(
    r">>>(?=\s)|>>(?=\s)|(?:In|Out) ?\[[0-9]{0,6}\]:(?!=)|julia>|sage:"
    r"|(?:octave:[0-9]{1,6})?>(?=\s)|[╭├╰│─┌└]++"
)
_QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "‹": "›"}
_BEGINS_A_FORMULA = "-.(0123456789"
"""What no wrapper begins with."""
_MOST_WRAPPERS = 6


def unwrap(text: str, start: int, end: int) -> tuple[int, int, str]:
    """The formula's place within what surrounds it, and the language that a code fence names.

    Parameters
    ----------
    text : str
    start, end : int
        The part of the text to look at, as character offsets.

    Returns
    -------
    start, end : int
        The place without fences, quotes that close on each other, and prompts.
    language : str
        The word behind the opening fence, "" if there is none.

    Examples
    --------
    >>> unwrap("```python\\nx**2\\n```", 0, 18), unwrap(">>> 'x'", 0, 7), unwrap("'x'*'y'", 0, 7)
    ((10, 14, 'python'), (5, 6, ''), (0, 7, ''))
    """
    language = ""
    if text[start : start + 1] in _BEGINS_A_FORMULA:
        return start, end, language
    if not text[start:end].strip():
        return start, end, language
    for _ in range(_MOST_WRAPPERS):
        start, end = _stripped(text, start, end)
        before = (start, end)
        fence = _FENCE.match(text, start, end)
        if fence is not None and text.endswith(fence["mark"], fence.end(), end):
            start, end = fence.end(), end - len(fence["mark"])
            language = language or fence["language"]
            continue
        prompt = _PROMPT.match(text, start, end)
        if prompt is not None:
            start = prompt.end()
            continue
        width = _quote_width(text, start, end)
        start, end = start + width, end - width
        if (start, end) == before:
            break
    return start, end, language


def _quote_width(text: str, start: int, end: int) -> int:
    """How many quotes enclose the whole, and no other of their kind within; 0 if none do."""
    closer = _QUOTES.get(text[start]) if end - start > 2 else None
    if closer is None:
        return 0
    width = 1
    if closer == "`":
        while start + width < end and text[start + width] == "`":
            width += 1
    closing = text.find(closer * width, start + width, end)
    return width if closing == end - width else 0


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def without_closing_marks(text: str, start: int, end: int) -> int:
    """Where a formula ends that a comma, a semicolon or a full stop closes.

    Parameters
    ----------
    text : str
    start, end : int
        The part of the text to look at, as character offsets.

    Examples
    --------
    >>> [without_closing_marks(t, 0, len(t)) for t in ("x*y;", "x ,", "x.", "x**2.", "2.;")]
    [3, 1, 1, 5, 2]
    """
    while end > start:
        last = text[end - 1]
        full_stop = last == "." and end - start > 1 and not text[end - 2].isdigit()
        if not (full_stop or last in ",;" or last.isspace()):
            break
        end -= 1
    return end
