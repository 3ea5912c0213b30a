"""Hundreds of random trees against an oracle that shares no code with the engine."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, variable
from eic_core.measure import Domain, sample_domains
from eic_core.operators import OPERATORS
from tests.core.measure import oracle
from tests.core.measure.agreement import disagreements
from tests.core.measure.trees import NUMERIC, random_case
from tests.effort import cases
from tests.oracle import VALUES

CHUNK = 100


def test_random_trees_agree_at_every_node_and_meet_every_operator_and_kind_of_trouble() -> None:
    met: Counter[str] = Counter()
    count = cases(CHUNK, 800)
    for seed in range(300):
        met.update(node.operator for node in random_case(seed)[0].nodes)
    assert not NUMERIC.keys() - met.keys()
    for seed in range(count):
        try:
            wrong, expected, found = disagreements(*random_case(seed))
        except oracle.BeyondReach:
            met["unfair"] += 1
            continue
        assert not wrong, (seed, wrong)
        met["invalid sample"] += expected.total - expected.valid
        met["singular node"] += sum(expected.singular)
        met["rechecked sample"] += found.rechecked
        met["clean formula"] += expected.valid == expected.total and not any(expected.singular)
    assert all(met[kind] for kind in ("invalid sample", "singular node", "rechecked sample"))
    assert met["clean formula"] > count // 3 and met["unfair"] <= count // 20


def test_the_oracle_knows_every_operator() -> None:
    assert OPERATORS.keys() == VALUES.keys()


# Trees on which the engine was once wrong: what was wrong with it.
ONCE_WRONG = {
    "cbrt(root(x, 2))": "an even root of a negative gave a nan without a flag",
    "1/(0.1 + 0.2 - 0.3)": "a zero that is proved is a pole",
    "tan(pi/2)": "a pole was a large number",
    "csc(-acos(-1))": "a pole behind an infinite condition number",
    "sec(acos(atanh(x - x)))": "sec of exactly pi/2",
    "exp(log(cos(y*x), 1/2))": "the cosine of 1e400",
    "sqrt(sin(x**(-1)))": "the sign of sin(1e200)",
    "round(z)": "1e200 + 0.5 is no half-integer",
    "log(abs(y) - log2(1))": "1e-200 beside a zero of infinite s is not rounding",
    "sin(asin(min(sign(x*x), 1)))": "a crest: kappa = 0 times s = inf",
    "(y + 1)*log1p(sqrt(sec(y*(0.5*pi))))": "the slope of sec at 1e200 pi",
    "max(0.1 + 0.2, 0.3)": "a tie that is proved",
    "min(0.1 + 0.2, 0.3)": "the same, where double precision takes the quiet one",
    "min(x/x*(0.1 + 0.2), 0.3)": "the same on data",
    "max(0.1*3, z)": "a tie that double precision misses",
    "ceil(acos(cos(-1)))": "a jump that double precision misses",
    "floor(x*30)": "the same on data",
    "acosh(atan(tan(pow_noisy(1e8, 0))))": "the end of a domain, missed by one rounding",
    "asin(x/z*0.9999)": "the steep end of asin",
    "cos(y**(-0.5) + (y - 1e8))": "the phase of a large argument",
    "sqrt(atan2(ceil(x), z))": "ceil gives -0, a real number has no such sign",
    "log(y*1e-120) + 736.8": "subnormal values hold few digits",
    "x*1e400/1e400": "a literal beyond double range",
    "x*1e-400*1e400": "a literal that underflows",
    "log(abs(x)*1e400)": "an infinity raises no flag",
    "(x*1e-310 + 2e-310)*1e310": "subnormal values hold few digits",
    "erf(sqrt(exp(x*x)))": "a minute for one error function",
    "atan2(x - x, -1)": "the cut, reached by a noisy zero",
    "atan2(0, -1)*x": "the cut, reached by a literal zero",
}


@pytest.mark.parametrize("text", ONCE_WRONG)
def test_a_formula_that_was_once_wrong_agrees(text: str) -> None:
    table = {
        "x": ["-2", "0.1", "1e200", "0.3", "1.09", "-0.24"],
        "y": ["1e-200", "1", "1e200", "2.7", "1e8", "-0.2"],
        "z": ["0.3", "1e200", "2.5", "-1.5", "1", "-0.24"],
    }
    formula = read(text).formula
    names = formula.variables or ("x",)
    together = cases(0, 1)
    for rows in [*([row] for row in range(6)), *[range(6)] * together]:
        cells = {name: [table[name][row] for row in rows] for name in names}
        wrong, _, _ = disagreements(formula, cells)
        assert not wrong, (ONCE_WRONG[text], wrong)


POINTS = (
    "0 1 -1 2 -2 0.5 -0.5 1.5 2.5 -1.5 0.1 0.3 -0.7 3.14159 1e-8 -1e-8 0.99999999 1.00000001 "
    "-0.99999999 37.25 1000 -1000 1e8 1e-200 -1e-200 1e200 -1e200"
).split()
PARAMETERS: dict[str, tuple[Fraction | None, ...]] = {
    "power": tuple(map(Fraction, ("2", "3", "-1", "-2", "0.5", "-0.5", "1.5", "0", "1", "-2.5"))),
    "root": tuple(map(Fraction, (2, 3, 4, 5))),
    "log": (None, Fraction(2), Fraction(10), Fraction(1, 2)),
}


def operand(name: str, noisy: bool) -> Draft:
    """A variable, or 3 x - 2 x: the same value with s^2 = 43 (and 3x - 2x = 0 at 0)."""
    if not noisy:
        return variable(name)
    three, two = (
        Draft("mul", [Draft("constant", label=label), variable(name)]) for label in ("3", "2")
    )
    return Draft("sub", [three, two])


@pytest.mark.parametrize("name", sorted(NUMERIC))
@pytest.mark.parametrize("noisy", (False, True), ids=("leaves", "noisy operands"))
def test_operator_agrees_at_every_point_of_the_table(name: str, noisy: bool) -> None:
    arity = NUMERIC[name].arity or 3
    points = list(product(POINTS, repeat=arity))
    if len(points) > 400:
        most = cases(10, 120) if noisy else cases(20, 250)
        points = random.Random(name).sample(points, most)
    elif noisy:
        points = points[:: cases(2, 1)]
    variables = "xyz"[:arity]
    for parameter in PARAMETERS.get(name, (None,)):
        children = [operand(v, noisy) for v in variables]
        formula = Formula.from_draft(Draft(name, children, parameter=parameter))
        for point in points:
            try:
                wrong, _, _ = disagreements(
                    formula, {v: [cell] for v, cell in zip(variables, point, strict=True)}
                )
            except oracle.BeyondReach:
                continue
            assert not wrong, (parameter, wrong)


@pytest.mark.outside
def test_published_laws_agree(shared: Path) -> None:
    """The physical laws of the benchmark collections, on a few samples of their own ranges."""
    with (shared / "data" / "whitebox_formulas.csv").open(newline="") as file:
        laws = list(csv.DictReader(file))
    assert len(laws) > 100
    for law in laws:
        formula = read(law["formula"]).formula
        ranges = json.loads(law["ranges_json"] or "{}")
        domains = {
            name: Domain("uniform", *map(float, ranges.get(name, (1, 5))))
            for name in formula.variables
        }
        drawn = sample_domains(domains, count=3).columns
        table = {name: list(map(repr, column.tolist())) for name, column in drawn.items()}
        wrong, _, _ = disagreements(formula, table)
        assert not wrong, wrong
