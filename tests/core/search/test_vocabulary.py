"""Terms: always well-formed, never mistaken for another, split into what a linear fit needs."""

from __future__ import annotations

import random

import numpy as np
import pytest

from eic_core.engine.values import values
from eic_core.errors import DataError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.operators import OPERATORS
from eic_core.samples import Samples
from eic_core.search.vocabulary import (
    ARITY,
    STEPS,
    Term,
    Vocabulary,
    cross,
    formula_of,
    has_variable,
    parts_of,
)

VOCABULARY = Vocabulary(("x", "y"), tuple(STEPS))


def is_whole(term: Term) -> bool:
    """Whether a term is one tree in post-order."""
    height = 0
    for token in term:
        height += 1 - ARITY.get(token, 0)
        if height < 1:
            return False
    return height == 1


def some_terms(count: int) -> list[Term]:
    rng = random.Random(5)
    found = [VOCABULARY.grow(rng, 3) for _ in range(count)]
    found += [VOCABULARY.vary(term, rng) for term in found]
    return found + [cross(term, rng.choice(found), rng) for term in found]


def test_growth_variation_and_crossover_make_whole_trees() -> None:
    terms = some_terms(400)
    assert all(map(is_whole, terms))
    assert {token for term in terms for token in term if token in STEPS} == STEPS.keys()


def test_a_term_is_the_formula_that_is_read_from_its_text() -> None:
    for term in some_terms(100):
        formula = formula_of(term)
        assert formula.complexity == len(term)
        again = read(to_python(formula), columns=("x", "y")).formula
        at = Samples.from_columns({"x": [0.7, 1.3, 2.9], "y": [0.4, 1.1, 3.3]})
        one, other = values(formula, at), values(again, at)
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_every_step_is_an_operator_of_that_many_operands() -> None:
    for step in STEPS.values():
        assert OPERATORS[step.operator].arity in (step.arity, None)


def test_the_second_variable_is_not_the_number_one() -> None:
    assert len({("$x", 1.0, "mul"), ("$x", "$y", "mul")}) == 2
    assert not has_variable((1.0, 2.0, "add")) and has_variable((1.0, "$y", "add"))


def test_parts_and_an_intercept_span_what_the_term_is() -> None:
    rng = np.random.default_rng(3)
    at = Samples.from_columns({"x": rng.uniform(1, 3, 60), "y": rng.uniform(1, 3, 60)})
    split = 0
    for term in some_terms(150):
        aim = values(formula_of(term), at)
        columns = [values(formula_of(part), at) for part in parts_of(term)]
        if not all(np.isfinite(c).all() and np.abs(c).max() < 1e6 for c in [aim, *columns]):
            continue
        whole = np.column_stack([np.ones(60), *columns])
        rest = aim - whole @ np.linalg.lstsq(whole, aim, rcond=None)[0]
        assert np.abs(rest).max() <= 1e-7 * max(1.0, np.abs(aim).max()), term
        split += len(columns) > 1
    assert split > 10


def test_a_mistake_in_the_grammar_is_told() -> None:
    with pytest.raises(DataError, match="no operator `sine`"):
        Vocabulary(("x",), ("sine",))
    with pytest.raises(DataError, match="at least one input"):
        Vocabulary(())
    with pytest.raises(DataError, match="at least one operator"):
        Vocabulary(("x",), ())
