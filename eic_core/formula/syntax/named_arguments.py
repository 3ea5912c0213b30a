"""Calls that are written as in Python inside a text of any infix notation: ``clip(x, a_max=1)``,
``log(base=2, x)``, ``x.pow(2)``, ``df['x']``, R's ``df$x``. The whole text is read as Python's.
"""

from __future__ import annotations

from eic_core.formula.syntax.build import Function
from eic_core.formula.syntax.conditions import ASKING
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.tokens import (
    BAD,
    CALL,
    CLOSE,
    COMMA,
    NAME,
    OPEN,
    TokenRow,
)

Read = tuple[list[TokenRow], dict[str, str]]
"""Tokens, and the texts of other readings by their labels."""


def as_python(report: Report, names: Names, tokens: list[TokenRow]) -> Read | None:
    """The tokens as one leaf that holds what they say in Python, and the other readings; None if
    they are no Python.
    """
    from eic_core.formula.syntax.python_source import read_tokens  # loaded where it is needed

    return read_tokens(report, names, tokens)


def with_named_arguments(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens as one leaf where an argument of theirs is given by name, or left out by `None`;
    else the same list. Raises `FormulaError` if an argument does not exist, stands twice or lacks
    one before it.
    """
    opened: list[TokenRow] = []
    for place, row in enumerate(tokens):
        if row[0] in (OPEN, CALL):
            opened.append(row)
        elif row[0] == CLOSE and opened:
            opened.pop()
        elif row[0] == NAME and opened and tokens[place - 1][0] in (OPEN, CALL, COMMA):
            behind = tokens[place + 1]
            left_out = row[1] == "None" and behind[0] in (COMMA, CLOSE)
            named = behind[:2] == (BAD, "=") and not _compares(names, opened, row[1])
            if left_out or named:
                read = as_python(report, names, tokens)
                return read[0] if read is not None else tokens
    return tokens


def _compares(names: Names, opened: list[TokenRow], name: str) -> bool:
    """Whether an equals sign behind a name compares, as in ``if(x = 1, a, b)``."""
    if name == "evaluate":  # of SymPy
        return False
    functions = [_function(names, row) for row in opened]
    function = functions[-1]
    if function is not None and function.place_of(name) >= 0:
        return names.is_known(name) and function.name in ASKING
    asks = any(each is not None and each.name in ASKING for each in functions)
    return function is None or asks


def _function(names: Names, row: TokenRow) -> Function | None:
    if row[0] != CALL:
        return None
    try:
        return row[4] if isinstance(row[4], Function) else names.function(row[1])
    except Refusal:
        return None
