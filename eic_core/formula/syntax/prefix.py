"""Reads Polish notation: words in a row, operators before their operands."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

from eic_core.formula.syntax.build import FUNCTIONS, Span, fold, number_label
from eic_core.formula.syntax.euler import with_arguments
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.policy import WordRule
from eic_core.formula.syntax.products import letter_products
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.tokens import DECIMAL, NAME
from eic_core.formula.tree import Draft, constant

_WORDS = re.compile(r"[^\s,]+")
_NUMBER = re.compile(rf"([+-]?)({DECIMAL})\Z")
_MANTISSA = re.compile(r"N([0-9]{1,20})\Z")
_EXPONENT = re.compile(r"E([+-]?[0-9]{1,4})\Z")
_SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "**": "pow"}


def read_prefix(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of a prefix list. Raises `FormulaError` if operands are missing or left over."""
    stack: list[Draft] = []
    items = _items(report, start, end)
    for draft_or_name, span in reversed(items):
        if isinstance(draft_or_name, Draft):
            stack.append(draft_or_name)
            continue
        name = draft_or_name
        try:
            function = FUNCTIONS.get(_SYMBOLS.get(name, name.lower()))
            if function is None or names.is_column(name):
                by_hand = len(items) == 2 and names.policy.words is not WordRule.NAME
                stack.append(
                    _applied(report, names, name, start, span)
                    if by_hand
                    else names.leaf(name, span)
                )
                continue
            arity = function.low
            if len(stack) < arity:
                report.fail(f"missing operand after `{name}`", *span, f"it takes {arity}")
            args = [stack.pop() for _ in range(arity)]
            if function.note:
                report.note(function.note, span)
            stack.append(function.build(args, (span[0], args[-1].span[1])))
        except Refusal as refusal:
            report.refuse(refusal, *span)
    if not stack:
        report.fail("there is no formula", start, end, "write one, such as `add x 1`")
    if len(stack) > 1:
        report.fail("an operand is left over", *stack[-2].span, "check the number of operands")
    return stack[0]


def _applied(report: Report, names: Names, name: str, start: int, span: Span) -> Draft:
    """The leaf of the name in ``sin xy``, which people write, or the product of its letters."""
    words = letter_products(names, [(NAME, name, *span, None)])
    parts = (words.certain | words.likely | words.possible).get(name, ())
    written = f"{report.text[start : span[0]].strip()}({'*'.join(parts)})"
    if name in words.certain:
        report.note(f"`{name}` is the product {'·'.join(parts)}: read as `{written}`", span)
        whole = with_arguments(report.text, [name], start, span[1])
        report.alternative(f"one variable called {name}", lambda: whole)
        places = accumulate(map(len, parts), initial=span[0])
        leaves = [names.leaf(*leaf) for leaf in zip(parts, pairwise(places), strict=True)]
        return fold("mul", leaves, span)
    if name in words.likely or parts and not names.has_columns:
        report.note(f"`{name}` is read as one variable", span)
        other = f"{report.text[:start]}{written}{report.text[span[1] :]}"
        report.alternative(f"{name} as the product {'·'.join(parts)}", lambda: other)
    return names.leaf(name, span)


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
