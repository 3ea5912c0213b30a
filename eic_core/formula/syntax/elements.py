"""Elements that are written like calls: ``x(1) + x(2)``, as MATLAB and Fortran write them."""

from __future__ import annotations

from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.products import is_factor
from eic_core.formula.syntax.reading import Report, insert
from eic_core.formula.syntax.tokens import CALL, CLOSE, NAME, NUMBER, TokenRow
from eic_core.formula.tree import VARIABLE

_MOST_DIGITS = 4

Element = tuple[int, str]
"""The place of ``x(1)`` among the tokens, and its number."""


def find_elements(names: Names, tokens: list[TokenRow]) -> dict[str, list[Element]]:
    """The variables that stand before a whole number in parentheses, wherever they stand.

    A name that is also used by itself is a factor, and so is the name of a column.

    >>> from eic_core.formula.syntax.infix import tokenize
    >>> from eic_core.formula.syntax.reading import Report
    >>> def found(text):
    ...     return find_elements(Names((), {}), tokenize(Report(text), 0, len(text)))
    >>> found("x(1) + x(12)*y(z)"), found("x(2) + x"), found("pi(2)")
    ({'x': [(0, '1'), (4, '12')]}, {}, {})
    """
    found: dict[str, list[Element]] = {}
    others: set[str] = set()
    for place, (kind, name, *_) in enumerate(tokens):
        if kind == NAME:
            others.add(name)
        if kind != CALL or name in others:
            continue
        number, closing = tokens[place + 1 : place + 3] if place + 2 < len(tokens) else (None, None)
        if (
            number is not None
            and closing is not None
            and number[0] == NUMBER
            and closing[0] == CLOSE
            and number[1].isdigit()
            and len(number[1]) <= _MOST_DIGITS
            and _is_variable(names, tokens[place])
        ):
            found.setdefault(name, []).append((place, number[1]))
        else:
            others.add(name)
    return {name: elements for name, elements in found.items() if name not in others}


def _is_variable(names: Names, token: TokenRow) -> bool:
    """Whether a name before a parenthesis is no function, no constant and no column."""
    _, name, start, _, _ = token
    if not is_factor(names, token) or (names.has_columns and names.is_known(name)):
        return False
    return names.leaf(name, (start, start)).operator == VARIABLE


def with_elements(
    report: Report, tokens: list[TokenRow], found: dict[str, list[Element]]
) -> list[TokenRow]:
    """The tokens with one variable for each element."""
    numbers = {place: number for each in found.values() for place, number in each}
    kept: list[TokenRow] = []
    for place, token in enumerate(tokens):
        if place in numbers:
            _, name, start, _, _ = token
            end = tokens[place + 2][3]
            kept.append((NAME, f"{name}[{numbers[place]}]", start, end, None))
        elif place - 1 not in numbers and place - 2 not in numbers:
            kept.append(token)
    first = min(numbers)
    name, number = tokens[first][1], numbers[first]
    report.note(
        f"`{name}({number})` is read as the variable `{name}{number}`, an element of `{name}`",
        (tokens[first][2], tokens[first + 2][3]),
    )
    if all(int(number) for number in numbers.values()):
        report.index_base = 1
    return kept


def offer_products(report: Report, tokens: list[TokenRow], found: dict[str, list[Element]]) -> None:
    """Offer the reading of ``x(1)`` as a product."""
    name, ((_, number), *_) = next(iter(found.items()))
    ends = [tokens[place][2] + len(name) for name, each in found.items() for place, _ in each]
    report.alternative(
        f"{name}({number}) as the product {name}*{number}",
        lambda: insert(report.text, [(end, "*") for end in ends]),
    )
