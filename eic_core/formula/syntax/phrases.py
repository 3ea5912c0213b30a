"""What the readers note of remainders and of tools' protected functions, and the pool of a whole
list of them.
"""

from __future__ import annotations

from collections.abc import Collection

from eic_core.phrasing import Phrase, say, say_count

REMAINDERS = {
    "mod": "`%` is read as Python's remainder, with the sign of the divisor; C's is `fmod(x, y)`",
    "fmod": "`%` is read as C's remainder, with the sign of the dividend; Python's is `mod(x, y)`",
}
"""What is read as a `%`, by operator."""


def protected_functions(names: Collection[str]) -> Phrase:
    """What the tool computes otherwise than the plain functions."""
    return say("read as {tool} computes: {meanings}", tool=_tool(names), meanings=_meanings(names))


def plain_functions(names: Collection[str]) -> Phrase:
    """What the other reading is called."""
    return say("the plain functions, not {tool}'s", tool=_tool(names))


def protected_functions_of_list(names: Collection[str], formulas: int) -> Phrase:
    return say_count(
        "{count} formula is read as {tool} computes: {meanings}.",
        "{count} formulas are read as {tool} computes: {meanings}.",
        formulas,
        tool=_tool(names),
        meanings=_meanings(names),
    )


def _tool(names: Collection[str]) -> str:
    return "DEAP" if "protectedDiv" in names else "gplearn"


def _meanings(names: Collection[str]) -> str:
    """What the functions of these names are.

    >>> _meanings({"inv", "sqrt"})
    '`sqrt(x)` is sqrt(abs(x)); `inv(x)` is 0 where abs(x) ≤ 0.001'
    """
    meanings = {
        "sqrt": say("`sqrt(x)` is sqrt(abs(x))"),
        "log": say("`log(x)` is log(abs(x)), and 0 where abs(x) ≤ 0.001"),
        "div": say("`div(a, b)` is 1 where abs(b) ≤ 0.001"),
        "inv": say("`inv(x)` is 0 where abs(x) ≤ 0.001"),
        "protectedDiv": say("`protectedDiv(a, b)` is 1 where b = 0"),
    }
    return "; ".join([str(meaning) for name, meaning in meanings.items() if name in names])
