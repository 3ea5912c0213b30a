"""Reads Polish notation: words in a row, operators before their operands."""

from __future__ import annotations

import re

from eic_core.formula.syntax.build import FUNCTIONS, number_label
from eic_core.formula.syntax.names import LETTERS, Names
from eic_core.formula.syntax.products import ways_of
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.tokens import DECIMAL
from eic_core.formula.tree import Draft, constant

_WORDS = re.compile(r"[^\s,]+")
_NUMBER = re.compile(rf"([+-]?)({DECIMAL})\Z")
_BRACKET = re.compile(r"[()\[\]{}|=]")
_MANTISSA = re.compile(r"N([0-9]{1,20})\Z")
_EXPONENT = re.compile(r"E([+-]?[0-9]{1,4})\Z")
_SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "**": "pow"}


def looks_like_prefix(text: str, start: int, end: int) -> bool:
    """Whether the text is a list of words that begins with an operator.

    >>> looks_like_prefix("add,mul,x_0,2.0,x_1", 0, 19), looks_like_prefix("x + 1", 0, 5)
    (True, False)
    """
    match = _WORDS.search(text, start, end)
    if match is None or match.end() == end or _BRACKET.search(text, start, end):
        return False
    word = match[0].strip("'\"")
    if text.find(" of ", start, end) >= 0:  # `square root of x`
        return False
    if word in LETTERS or not (word in _SYMBOLS or word.lower() in FUNCTIONS):
        return False
    return text.isascii() or not any(ways_of(word) for word in text[start:end].split())


_SIGNED_PAIR = re.compile(r"\s*+(?P<sign>[+-])\s++(?P<one>[\w.]++)[ \t]++(?P<two>[^\W\d]\w*+)\s*+")
_APPLIED_WORD = re.compile(r"\s*+(?P<function>[^\W\d_][^\W_]*+)(?P<gap>[ \t]++)[^\W\d]\w++\s*+")


def signed_pair(text: str, start: int, end: int) -> tuple[int, str] | None:
    """Where the sign of ``- k x`` stands, which people write before a product, and the text in
    Polish notation; None for any other text.

    >>> signed_pair("- k x", 0, 5), signed_pair("- x 2", 0, 5), signed_pair("+ N12 E3", 0, 8)
    ((0, 'k - x'), None, None)
    """
    match = _SIGNED_PAIR.fullmatch(text, start, end)
    if match is None or _MANTISSA.match(match["one"]) is not None:
        return None
    if match["one"].lower() in FUNCTIONS or match["two"].lower() in FUNCTIONS:
        return None
    return match.start("sign"), f"{match['one']} {match['sign']} {match['two']}"


def gap_of_applied_word(text: str, start: int, end: int) -> int:
    """The place before the word of ``sin xy``, a function and a word of several letters; else -1.

    >>> gap_of_applied_word("sin xy", 0, 6), gap_of_applied_word("sin x", 0, 5)
    (3, -1)
    """
    match = _APPLIED_WORD.fullmatch(text, start, end)
    if match is None or match["function"] in LETTERS:
        return -1
    function = FUNCTIONS.get(match["function"].lower())
    return match.start("gap") if function and function.low == 1 else -1


def read_prefix(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of a prefix list. Raises `FormulaError` if operands are missing or left over."""
    stack: list[Draft] = []
    for draft_or_name, span in reversed(_items(report, start, end)):
        if isinstance(draft_or_name, Draft):
            stack.append(draft_or_name)
            continue
        name = draft_or_name
        try:
            function = FUNCTIONS.get(_SYMBOLS.get(name, name.lower()))
            if function is None or names.is_column(name):
                stack.append(names.leaf(name, span))
                continue
            arity = function.low
            if len(stack) < arity:
                report.fail(f"missing operand after `{name}`", *span, f"it takes {arity}")
            args = [stack.pop() for _ in range(arity)]
            stack.append(function.build(args, (span[0], args[-1].span[1])))
        except Refusal as refusal:
            report.refuse(refusal, *span)
    if not stack:
        report.fail("there is no formula", start, end, "write one, such as `add x 1`")
    if len(stack) > 1:
        report.fail("an operand is left over", *stack[-2].span, "check the number of operands")
    return stack[0]


def _items(report: Report, start: int, end: int) -> list[tuple[Draft | str, tuple[int, int]]]:
    """Numbers as leaves (``+ N1234 E-3`` is one), other words as they stand."""
    words = [(m[0].strip("'\""), m.span()) for m in _WORDS.finditer(report.text, start, end)]
    items: list[tuple[Draft | str, tuple[int, int]]] = []
    index = 0
    while index < len(words):
        word, span = words[index]
        index += 1
        match = _NUMBER.match(word)
        try:
            if match:
                label = match[1].replace("+", "") + number_label(match[2])
                items.append((constant(label, span), span))
                continue
            if word in ("+", "-") and index + 1 < len(words):
                mantissa, exponent = (
                    _MANTISSA.match(words[index][0]),
                    _EXPONENT.match(words[index + 1][0]),
                )
                if mantissa and exponent:
                    span = (span[0], words[index + 1][1][1])
                    label = number_label(f"{mantissa[1]}e{exponent[1]}")
                    items.append((constant(("-" if word == "-" else "") + label, span), span))
                    index += 2
                    continue
        except Refusal as refusal:
            report.refuse(refusal, *span)
        if word not in _SYMBOLS and not re.match(r"[^\W\d]", word):
            report.fail(f"`{word[:40]}` is neither a number nor a name", *span, "correct it")
        items.append((word, span))
    return items
