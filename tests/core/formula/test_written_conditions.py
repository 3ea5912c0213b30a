"""What is written of a formula with conditions is read back as the same tree."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.formula.rendering import to_latex, to_mathml, to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from tests.effort import examples

RELATIONS = ("less_than", "less_equal", "greater_than", "greater_equal", "equal_to", "not_equal")
WRITERS = {"Python": to_python, "LaTeX": to_latex, "MathML": to_mathml}


def _nodes(operators, *operands):
    return st.builds(lambda name, *parts: Draft(name, list(parts)), operators, *operands)


def _grown(numbers, truths):
    """Numbers and truth values that are made of smaller ones."""
    values = st.one_of(numbers, numbers, truths)
    return (
        st.one_of(
            _nodes(
                st.sampled_from(("add", "sub", "mul", "div", "mod", "min", "max")), values, values
            ),
            _nodes(st.sampled_from(("neg", "sin", "sign", "abs", "floor", "sqrt")), values),
            _nodes(st.just("conditional"), truths, values, values),
        ),
        st.one_of(
            _nodes(st.sampled_from(RELATIONS), values, values),
            _nodes(st.sampled_from(("logical_and", "logical_or")), truths, truths),
            _nodes(st.just("logical_not"), truths),
        ),
    )


def _trees():
    leaves = st.one_of(
        st.sampled_from(("x", "y", "x0", "theta", "speed", "T_max")).map(variable),
        st.sampled_from(("0", "1", "2.5", "1e-7")).map(constant),
    )
    numbers, truths = leaves, _nodes(st.sampled_from(RELATIONS), leaves, leaves)
    for _ in range(3):
        larger, conditions = _grown(numbers, truths)
        numbers, truths = st.one_of(numbers, larger), st.one_of(truths, conditions)
    chosen = _nodes(st.just("conditional"), truths, numbers, numbers)
    return st.one_of(chosen, numbers).map(Formula.from_draft)


@pytest.mark.parametrize("writer", WRITERS)
@settings(max_examples=examples(300), deadline=None)
@given(_trees())
def test_a_tree_with_conditions_is_read_back_from_what_is_written_of_it(writer, formula):
    written = WRITERS[writer](formula)
    again = read(written, columns=formula.variables).formula
    assert again.structure() == formula.structure(), written
