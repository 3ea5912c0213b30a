"""What the readers note of gplearn's protected functions, and the pool of a whole list of them."""

from __future__ import annotations

from collections.abc import Collection

from eic_core.phrasing import Phrase, say, say_count


def protected_functions(names: Collection[str], *, too_long: bool) -> Phrase:
    """What gplearn computes otherwise than the plain functions that are read."""
    meanings = _meanings(names)
    if too_long:
        return say(
            "gplearn protects some functions: there {meanings}; here the plain functions are read "
            "(written out with conditions, the formula would be too long)",
            meanings=meanings,
        )
    return say(
        "gplearn protects some functions: there {meanings}; here the plain functions are read",
        meanings=meanings,
    )


def protected_functions_written_out() -> Phrase:
    """What the other reading is called."""
    return say("gplearn's protected functions")


def protected_functions_of_list(names: Collection[str], formulas: int) -> Phrase:
    return say_count(
        "gplearn protects some functions of {count} formula: there {meanings}; here the plain "
        "functions are measured.",
        "gplearn protects some functions of {count} formulas: there {meanings}; here the plain "
        "functions are measured.",
        formulas,
        meanings=_meanings(names),
    )


def _meanings(names: Collection[str]) -> str:
    """What gplearn's functions of these names are.

    >>> _meanings({"inv", "sqrt"})
    '`sqrt(x)` is sqrt(abs(x)); `inv(x)` is 0 where abs(x) ≤ 0.001'
    """
    meanings = {
        "sqrt": say("`sqrt(x)` is sqrt(abs(x))"),
        "log": say("`log(x)` is log(abs(x)), and 0 where abs(x) ≤ 0.001"),
        "div": say("`div(a, b)` is 1 where abs(b) ≤ 0.001"),
        "inv": say("`inv(x)` is 0 where abs(x) ≤ 0.001"),
    }
    return "; ".join([str(meaning) for name, meaning in meanings.items() if name in names])
