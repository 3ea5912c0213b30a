"""A refusal has a kind, by which lists are grouped, and the facts that its message names."""

from __future__ import annotations

import pytest

from eic_core.errors import RefusalKind
from tests.core.formula.refusals import refusal

REFUSED = {
    "": (RefusalKind.MISSING_OPERAND, ("", "")),
    "x+*y": (RefusalKind.MISSING_OPERAND, ("*", "+")),
    "(x": (RefusalKind.UNBALANCED, ()),
    "(x]": (RefusalKind.MISMATCHED, ("(", "1", "]", ")")),
    "lg(x)": (RefusalKind.UNKNOWN_FUNCTION, ("lg",)),
    "max(1)": (RefusalKind.ARGUMENTS, ("max", "2 or more arguments", "1")),
    "(x, y)": (RefusalKind.SEVERAL, (",", "")),
    "x if x > 0": (RefusalKind.CONDITION, ()),
    "m.a": (RefusalKind.NOT_SUPPORTED, ("m", "a")),
    "x << 2": (RefusalKind.NOT_SUPPORTED, ()),
    "factorial(x)": (RefusalKind.NOT_SUPPORTED, ()),
    "∂x": (RefusalKind.DERIVATIVE, ("∂",)),
    "d/dx x^2": (RefusalKind.DERIVATIVE, ()),
    "x ⊕ y": (RefusalKind.BAD_CHARACTER, ("⊕",)),
    "(" * 9_000: (RefusalKind.LIMIT, ()),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:12] or "nothing")
def test_a_refusal_has_its_kind_and_the_facts_that_it_names(text: str) -> None:
    error = refusal(text)
    assert (error.kind, error.fields) == REFUSED[text]


@pytest.mark.parametrize("text", [r"\sqrt[", r";\text{if }x"])
def test_latex_that_ends_where_a_part_is_wanted_is_refused(text: str) -> None:
    refusal(text)
