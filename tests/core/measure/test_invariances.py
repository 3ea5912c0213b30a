"""What must not change: units, the order of samples, the company a subtree keeps."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Samples, amplify, inspect
from tests.core.measure.agreement import samples_of
from tests.core.measure.trees import random_case
from tests.effort import examples

Dimension = tuple[int, int]  # powers of length and time
NONE: Dimension = (0, 0)


def times(d: Dimension, n: int) -> Dimension:
    return d[0] * n, d[1] * n


def minus(a: Dimension, b: Dimension) -> Dimension:
    return a[0] - b[0], a[1] - b[1]


class Physicist:
    """Writes random formulas whose dimensions are right.

    A variable's name and a constant's tag carry its dimension, so that a change
    of units can be applied to it.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.constants: list[tuple[Draft, Dimension]] = []
        self.variables: dict[str, Dimension] = {}

    def leaf(self, d: Dimension) -> Draft:
        if self.rng.random() < 0.3:
            draft = constant(str(self.rng.choice(("3/2", "1/4", "5", "-7/8"))))
            self.constants.append((draft, d))
            return draft
        name = f"v{self.rng.randrange(2)}_{d[0]}_{d[1]}".replace("-", "m")
        self.variables[name] = d
        return variable(name)

    def tree(self, d: Dimension, depth: int) -> Draft:
        if depth <= 1 or self.rng.random() < 0.1:
            return self.leaf(d)
        kinds = ["add", "sub", "mul", "div", "neg", "abs", "min", "max", "hypot", "sqrt"]
        if d == NONE:
            kinds += ["exp", "sin", "cos", "tanh", "log", "atan2", "atan", "pow", "sign"]
        if d[0] % 2 == d[1] % 2 == 0:
            kinds.append("square")
        kind = self.rng.choice(kinds)
        other: Dimension = (self.rng.randint(-2, 2), self.rng.randint(-2, 2))
        match kind:
            case "mul":
                parts = [other, minus(d, other)]
            case "div":
                parts = [(d[0] + other[0], d[1] + other[1]), other]
            case "sqrt":
                parts = [times(d, 2)]
            case "square":
                half = (d[0] // 2, d[1] // 2)
                return Draft("power", [self.tree(half, depth - 1)], parameter=Fraction(2))
            case "atan2":
                parts = [other, other]
            case "pow":
                parts = [NONE, NONE]
            case "add" | "sub" | "min" | "max" | "hypot":
                parts = [d, d]
            case _:
                parts = [d]
        return Draft(kind, [self.tree(part, depth - 1) for part in parts])


def scale(d: Dimension, length: int, time: int) -> Fraction:
    return Fraction(2) ** (d[0] * length + d[1] * time)


SEEDS = st.integers(0, 2**40)


@settings(max_examples=examples(500))
@given(SEEDS, st.integers(-6, 6), st.integers(-6, 6))
def test_units_do_not_show_in_any_nodes_amplification(seed: int, length: int, time: int) -> None:
    rng = random.Random(seed)
    author = Physicist(rng)
    draft = author.tree((rng.randint(-1, 1), rng.randint(-1, 1)), rng.randint(2, 6))
    before = Formula.from_draft(draft)
    data = np.random.default_rng(rng.randrange(2**32))
    columns = {name: data.uniform(-1, 3, 12) for name in author.variables}
    a = amplify(before, Samples.from_columns(columns, count=12))

    for leaf, d in author.constants:
        leaf.label = str(Fraction(leaf.label) * scale(d, length, time))
    after = Formula.from_draft(draft)
    rescaled = {
        name: columns[name] * float(scale(d, length, time)) for name, d in author.variables.items()
    }
    b = amplify(after, Samples.from_columns(rescaled, count=12))

    assert a.first_invalid == b.first_invalid
    for k in range(len(before)):
        assert a.singular[k] == b.singular[k]
        assert a.finite_mean_s2(k) == pytest.approx(b.finite_mean_s2(k), rel=1e-12, nan_ok=True)


@settings(max_examples=examples(200))
@given(SEEDS, st.permutations(range(6)))
def test_order_of_the_samples_does_not_matter(seed: int, permutation: list[int]) -> None:
    formula, table = random_case(seed)
    order = [i for i in permutation if i < len(next(iter(table.values())))]
    a = amplify(formula, samples_of(table))
    b = amplify(formula, samples_of({n: [cells[i] for i in order] for n, cells in table.items()}))
    assert a.first_invalid == b.first_invalid and a.singular == b.singular
    assert a.valid[order].tolist() == b.valid.tolist()
    assert a.finite_sum == pytest.approx(b.finite_sum, rel=1e-12)


@settings(max_examples=examples(200))
@given(SEEDS)
def test_subtree_never_has_more_eic_than_the_tree(seed: int) -> None:
    formula, table = random_case(seed)
    samples = samples_of(table)
    whole = inspect(formula, samples)
    if whole.counts.invalid:
        return
    for node in formula.nodes:
        part = inspect(formula.subtree(node.id), samples)
        assert part.counts.invalid == 0
        assert part.eic <= whole.eic + max(1e-9, 10 ** (min(whole.eic, 300) - 15.5))


@settings(max_examples=examples(200))
@given(SEEDS)
def test_amplification_is_at_least_one_and_never_nan_while_a_sample_is_valid(seed: int) -> None:
    formula, table = random_case(seed)
    result = inspect(formula, samples_of(table))
    for node in result.nodes:
        assert (node.s_bar >= 1) == (result.counts.valid > 0)
    assert result.counts.total == result.counts.valid + result.counts.invalid
    assert sum(node.invalid for node in result.nodes) == result.counts.invalid
    assert (result.reason == "") == (result.counts.valid > 0)
