"""Text that others wrote, where it is printed: it moves no cursor, and no CI runner obeys it."""

from __future__ import annotations

import json
import re

_CONTROLS = "\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
# Runners of GitHub, Azure and TeamCity obey `##[error]`, `##vso[…]`, wherever it stands in a line
_COMMAND = r"#(?=#\w*\[)"
_SIGN = re.compile(f"[{_CONTROLS}]|{_COMMAND}")
_SIGN_OR_NOT_ASCII = re.compile(f"[{_CONTROLS}\x80-\U0010ffff]|{_COMMAND}")


def printable(text: str) -> str:
    r"""A text as part of one line: what is no text, or commands, is written by its code.

    >>> print(printable("a\x1b[2J\n::error::b ##[debug]"), printable("\udcff.py"))
    a\x1b[2J\n::error::b \x23#[debug] \xff.py
    """
    return _SIGN.sub(lambda match: _code(match[0]), text)


def _code(sign: str) -> str:
    if "\udc80" <= sign <= "\udcff":  # A byte of a file name that is not UTF-8
        return f"\\x{ord(sign) - 0xDC00:02x}"
    return r"\x23" if sign == "#" else sign.encode("unicode_escape").decode()


def printable_json(text: str, *, ascii_alone: bool = False) -> str:
    r"""JSON with the same values, whose text is printable; half a pair is no text, and is changed.

    >>> print(printable_json('["##[debug]", "\x9b", "\udcff.py"]'))
    ["\u0023#[debug]", "\u009b", "\\xff.py"]
    """
    return (_SIGN_OR_NOT_ASCII if ascii_alone else _SIGN).sub(_in_json, text)


def _in_json(match: re.Match[str]) -> str:
    sign = match[0]
    if sign == "\n":  # Between values: in a string it has its code already
        return sign
    if sign == "#":
        return r"\u0023"
    return "\\" + _code(sign) if "\ud800" <= sign <= "\udfff" else json.dumps(sign)[1:-1]
