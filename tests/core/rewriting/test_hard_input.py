"""`repair` of bad, extreme or large input: an answer in time that tells what it lacks."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping

import numpy as np
import pytest

from eic_core.errors import DataError
from eic_core.formula.syntax import read
from eic_core.rewriting.chosen_rows import SIDE, VERIFIED, choose_rows
from eic_core.rewriting.gains import NotSearched
from eic_core.rewriting.precision import TARGETS
from eic_core.rewriting.results import Repairs
from eic_core.rewriting.series.regions import _points
from eic_core.samples import Samples
from tests.effort import dear
from tests.repairs import drawn, repaired_on

LARGEST, LEAST = 1.7976931348623157e308, 5e-324
ENDS = [LEAST, 2.2e-308, LARGEST, 1.0, 0.0, -LARGEST, -1.0, LARGEST / 2]
WIDE = "loguniform:1e-300:1e300"


def columns(**values: object) -> Samples:
    return Samples.from_columns(values, count=None if values else 5)


def patterns(names: str, count: int = 60) -> Samples:
    """Points uniform over the bit patterns of finite doubles, as Herbie draws them."""
    rng, values = np.random.default_rng(5), dict[str, np.ndarray]()
    for name in names:
        bits = rng.integers(0, 2**64, size=4 * count, dtype=np.uint64).view(np.float64)
        values[name] = bits[np.isfinite(bits)][:count]
    return columns(**values)


CASES: Mapping[str, tuple[str, Samples]] = {
    "one row": ("sqrt(x+1) - sqrt(x)", columns(x=[1e9])),
    "two rows": ("sqrt(x+1) - sqrt(x)", columns(x=[1e9, 1.0])),
    "equal rows": ("sqrt(x+1) - sqrt(x)", columns(x=[1e9] * 300)),
    "repeated rows": ("1 - cos(x)", columns(x=[1e-5, 1e-6, 1e-5] * 100)),
    "unused columns": ("1 - cos(x)", columns(x=[1e-5, 1e-6], y=[LARGEST, LEAST])),
    "600 decades": ("sqrt(x+1) - sqrt(x)", drawn(f"x={WIDE}", 300)),
    "600 decades, quadratic": (
        "(-b + sqrt(b*b - 4*a*c))/(2*a)",
        drawn(f"a={WIDE} b={WIDE} c={WIDE}", 300),
    ),
    "all bit patterns": ("(-b + sqrt(b*b - 4*a*c))/(2*a)", patterns("abc")),
    "ends of doubles": ("sqrt(x+1) - sqrt(x)", columns(x=ENDS * 10)),
    "ends of doubles, products": ("x*x - y*y", columns(x=ENDS * 8, y=sorted(ENDS * 8))),
    "ends of doubles, conditions": (
        "where(x*x < y, sqrt(x+1) - sqrt(x), y - x)",
        columns(x=ENDS * 8, y=sorted(ENDS * 8)),
    ),
    "a singular point inside": ("1/x - 1/tan(x)", columns(x=np.linspace(-1, 1, 301))),
    "a singular point alone": ("1/x - 1/tan(x)", columns(x=[0.0] * 5)),
    "no valid row": ("sqrt(x) - 1", drawn("x=-2:-1", 300)),
    "no valid row in a choice": ("where(x < 0, log(x), log(-x))", drawn("x=-2:-1", 300)),
    "no variable": ("sqrt(2) - 1.4142", columns()),
    "no variable that matters": ("exp(1e-10) - 1", drawn("x=1:2", 300)),
    "a number": ("3", columns()),
    "a variable": ("x", drawn("x=-1:1", 300)),
    "400 nodes": (
        " + ".join(f"sqrt(x*{i}+1) - sqrt(x*{i})" for i in range(1, 40)),
        drawn("x=loguniform:1:1e9", 300),
    ),
    "30 variables": (
        " + ".join(f"(v{i}*v{(i + 1) % 30} - v{(i + 2) % 30})" for i in range(30)),
        drawn(" ".join(f"v{i}=1:2" for i in range(30)), 300),
    ),
    "abs": ("abs(x + 1) - abs(x)", drawn("x=-1e9:1e9", 300)),
    "min and max": ("max(x, y) - min(x, y)", drawn("x=-1:1 y=-1:1", 300)),
    "floor and mod": ("x - floor(x) + mod(x, 3)", drawn("x=-1e9:1e9", 300)),
    "many conditions": (
        " + ".join(f"where(x < {i}, exp(x/{i + 1}) - 1, sqrt(x+{i}+1) - x)" for i in range(9)),
        drawn("x=-1:100", 300),
    ),
    "conditions in each other": (
        "where(x < 1, " * 20 + "exp(x) - 1" + ", cos(x) - 1)" * 20,
        drawn("x=-1:100", 300),
    ),
    "deep": ("sin(" * 100 + "x" + ")" * 100 + " - 1", drawn("x=-1:1", 300)),
    "powers beyond range": ("(1 + 1/n)**n - e", drawn("n=loguniform:1:1e300", 300)),
}


def answered(name: str, **options: object) -> Repairs:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = repaired_on(*CASES[name], **options)
    assert str(found.sentence).endswith(".")
    assert found.finished or found.stop is not None
    json.dumps(found.to_json(), allow_nan=False)
    return found


@dear(11)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("effort", [0.3, 0.03, 0.003])
@pytest.mark.parametrize("name", CASES)
def test_whatever_the_input_is_there_is_an_answer(name, effort, target) -> None:
    answered(name, target=target, effort=effort)


def test_a_place_that_rounds_beyond_the_doubles_is_no_point() -> None:
    values = np.array([LARGEST, LARGEST, LARGEST, 1.0, 2.0, LARGEST / 2, -LARGEST, LARGEST])
    saved = np.array([10.0, 10.0, 0.0, 10.0, 0.0, 3.0, 10.0, 10.0])
    points = [point for point, _ in _points(values, saved)]
    assert all(isinstance(point, str) or abs(point) <= LARGEST for point in points)


def test_branches_on_all_bit_patterns_are_measured_or_left_out() -> None:
    """A form of b*b and a*c 10^1200 apart has ties that no 10,000 bits settle."""
    assert answered("all bit patterns", effort="normal").before


@pytest.mark.parametrize("name", ["one row", "ends of doubles, conditions", "a number"])
def test_without_a_limit_the_search_comes_to_its_end(name: str) -> None:
    assert answered(name).finished


@pytest.mark.parametrize(
    "name", ["a singular point alone", "no valid row", "no valid row in a choice"]
)
def test_without_a_value_nothing_is_searched(name: str) -> None:
    assert answered(name).reason == NotSearched()


@pytest.mark.parametrize(
    "values", [{}, {"x": []}, {"x": [math.nan]}, {"x": [1.0, math.inf]}, {"x": ["a", "b"]}]
)
def test_data_without_numbers_are_refused(values: dict[str, list[object]]) -> None:
    with pytest.raises(DataError):
        Samples.from_columns(values)


def test_a_variable_without_a_column_is_refused_with_a_hint() -> None:
    with pytest.raises(DataError) as refused:
        repaired_on("x + y", columns(x=[1.0]))
    assert "`y`" in str(refused.value) and "`x`" in (refused.value.hint or "")


# --- the rows that are looked at


def test_rows_at_both_ends_and_of_both_signs_are_judged() -> None:
    rng = np.random.default_rng(3)
    size = np.exp(rng.uniform(np.log(1e-30), np.log(1e30), (4000, 2)))
    x, y = (size * rng.choice([-1.0, 1.0], (4000, 2), p=[0.003, 0.997])).T
    chosen = list(choose_rows(read("x*x - y*y").formula, columns(x=x, y=y)).verified)
    for column in (x, y):
        judged = column[chosen]
        assert np.count_nonzero(judged < 0) >= 3
        for edge in (1e-28, 1e28):
            near = np.abs(judged) < edge if edge < 1 else np.abs(judged) > edge
            assert near.any()


def test_decades_of_a_table_that_is_dense_elsewhere_are_judged() -> None:
    x = np.concatenate([np.linspace(1, 2, 5000), np.geomspace(1e-12, 1, 60)])
    chosen = list(choose_rows(read("x + 1").formula, columns(x=x)).verified)
    assert len(chosen) == VERIFIED
    assert set(range(-12, 0)) <= set(np.floor(np.log10(x[chosen])).tolist())


@pytest.mark.parametrize("count", [100, 150, 1000])
def test_rows_are_held_out_of_the_choice(count: int) -> None:
    x = np.geomspace(1e-9, 1e9, count)
    rows = choose_rows(read("sqrt(x+1) - sqrt(x)").formula, columns(x=x))
    assert len({*rows.verified} - {*rows.searched}) >= 50


def test_rows_that_take_a_rare_side_are_judged() -> None:
    x = np.concatenate([np.linspace(1, 2, 5000), np.linspace(0, 0.4, 30)])
    formula = read("where(x < 0.5, exp(x) - 1, x)").formula
    chosen = x[list(choose_rows(formula, columns(x=x)).verified)]
    assert np.count_nonzero(chosen < 0.5) >= SIDE
