"""The tokens that every infix notation shares, and the decimals that all notations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eic_core.formula.syntax.build import Function
from eic_core.formula.tree import Draft

# Kinds of token.
NUMBER, NAME, CALL, OPEN, CLOSE, COMMA, OPERATOR, BAR, SUPERSCRIPT, LEAF, PREFIX, END = range(12)
BAD = 12

PLAIN_DECIMAL = r"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)"
"""A decimal without sign and exponent, as a pattern."""
DECIMAL = rf"{PLAIN_DECIMAL}(?:[eE][+-]?[0-9]++)?+"
r"""A decimal without a sign, as a pattern.

Its parts are possessive, as in every pattern here that could else try each way of dividing a
run between two neighbours: `[0-9]+\.?[0-9]*` before a failure takes time quadratic in the digits.
"""

CLOSERS = {"(": ")", "[": "]", "{": "}", "|": "|", "⌊": "⌋", "⌈": "⌉"}


TokenRow = tuple[int, str, int, int, Function | Draft | None]
"""A token as a list of them holds it: what `Token` has, at a third of the cost of making one."""

PendingRow = tuple[int, str, int, int, Function | None, int]
"""What waits as the stack holds it: what `Pending` has."""


MINUS = str.maketrans("−–—", "---")
"""Signs of the exponent of a number that are no hyphen: ``1.2e−05``."""


class Token(NamedTuple):
    """One token; ``Token._make(row)`` names the parts of a `TokenRow`."""

    kind: int  # `NUMBER` to `BAD`
    text: str  # As written, or what it stands for
    # start, end: [start, end) in the source
    start: int
    end: int
    extra: Function | Draft | None = None  # What a `PREFIX` builds; the leaf that a `LEAF` is


class Pending(NamedTuple):
    """An operator that waits for its right operand, or an open bracket."""

    precedence: int  # How tightly it binds; 0 for a bracket
    name: str  # A key of the operator table, or the bracket as written
    # start, end: [start, end) in the source
    start: int
    end: int
    extra: Function | None  # What a call or a prefix builds
    base: int  # How many operands there were when it was put here


def with_runs(tokens: list[TokenRow], runs: Sequence[TokenRow]) -> list[TokenRow]:
    """The tokens with each run, in their order, in place of those that it covers."""
    if not runs:
        return tokens
    kept: list[TokenRow] = []
    coming = iter([*runs, tokens[-1]])
    run = next(coming)
    for row in tokens[:-1]:
        while row[2] >= run[3] and run[0] != END:
            run = next(coming)
        if row[2] < run[2] or run[0] == END:
            kept.append(row)
        elif not kept or kept[-1] is not run:
            kept.append(run)
    return [*kept, tokens[-1]]
