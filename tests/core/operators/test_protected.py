"""Protected functions of search tools, held to their definitions and to gplearn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from gplearn._program import _Program
from gplearn.functions import _function_map

from eic_core.cli import main
from eic_core.engine.amplify import amplify
from eic_core.engine.values import values
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.syntax.protected import functions
from eic_core.measure import Samples, inspect
from eic_core.operators import OPERATORS
from eic_core.rewriting import repair
from tests.effort import cases

NAMES = ("gp_div", "gp_log", "gp_inv", "deap_div")

ON_EDGE = {
    "gp_div(x, 0.001)": 1.0,
    "gp_div(x, 0.1*0.01)": 1.0,
    "gp_inv(x/1000)": 0.0,
    "gp_log(-x/1000)": 0.0,
    "gp_inv(exp(log(0.001)))": 0.0,
    "gp_div(2, sqrt(1e-6*x))": 1.0,
    "deap_div(2, 0.1*3*x - 0.3)": 1.0,
}


@pytest.mark.parametrize("text", ON_EDGE)
def test_on_the_edge_is_the_value_within_it_and_no_digit_holds(text: str) -> None:
    formula = read(text).formula
    samples = Samples.from_columns({"x": ["1"]} if "x" in formula.variables else {}, count=1)
    y, s = amplify(formula, samples).trace(formula.root.id)
    assert (float(y[0]), float(s[0])) == (ON_EDGE[text], math.inf)


BESIDE = {  # to more digits than doubles have
    "gp_inv(0.001 + 1e-40*x)": 1000.0,
    "gp_inv(0.001 - 1e-40*x)": 0.0,
    "gp_div(3, 1e-3 - x*1e-60)": 1.0,
    "deap_div(3, x - 1 + 1e-20)": 3e20,
}


@pytest.mark.parametrize("text", BESIDE)
def test_beside_the_edge_the_side_is_decided_exactly(text: str) -> None:
    formula = read(text).formula
    y, s = amplify(formula, Samples.from_columns({"x": ["1"]})).trace(formula.root.id)
    assert float(y[0]) == pytest.approx(BESIDE[text], rel=1e-12) and s[0] < 1e31


def test_within_the_edge_what_is_below_matters_no_more() -> None:
    formula = read("gp_div(x, y) + gp_log(y)*gp_inv(y)").formula
    samples = Samples.from_columns({"x": [3.0, 3.0], "y": [1e-4, 0.5]})
    _, s = amplify(formula, samples).trace(formula.root.id)
    assert s[0] == pytest.approx(math.sqrt(2))  # 1 + 0*0
    assert s[1] > 2


@pytest.mark.parametrize("name", NAMES)
def test_wide_numbers_and_a_missing_value(name: str) -> None:
    row = OPERATORS[name]
    for kind in (np.float64, np.float32, np.longdouble):
        a = [np.array([math.nan, 2, 0.5], kind)] * (row.arity or 1)
        y = row.evaluate(a, math.nan)
        assert np.isnan(y[0]) and np.isfinite(y[1:]).all() and y.dtype == kind


def test_operands_beyond_double_range_are_divided_where_they_are_large_enough() -> None:
    samples = Samples.from_columns({"x": [1e200, 1e-200], "y": [1e200, 1e-200]})
    for name, within in (("gp_div", 1.0), ("deap_div", 2.0)):
        formula = read(f"{name}(2*x*x, y*y)").formula
        y, s = amplify(formula, samples).trace(formula.root.id)
        assert y.tolist() == [2.0, within] and np.isfinite(s).all()


# --- programs of gplearn


def random_program(seed: int) -> Any:
    program = _Program(
        function_set=list(_function_map.values()),
        arities={2: [f for f in _function_map.values() if f.arity == 2]},
        init_depth=(1, 4),
        init_method="half and half",
        n_features=3,
        const_range=(-1.5, 1.5),
        metric="mse",
        p_point_replace=0.05,
        parsimony_coefficient=0,
        random_state=np.random.RandomState(seed),
    )
    program.program = [round(n, 3) if isinstance(n, float) else n for n in program.program]
    return program


def test_random_programs_of_gplearn_have_the_values_that_gplearn_computes() -> None:
    rng = np.random.default_rng(7)
    near = np.array([0.0, 1e-3, -1e-3, 9e-4, 1.1e-3, -1.1e-3, 1.0, -2.0])
    x = np.vstack([rng.uniform(-2, 2, (80, 3)), rng.choice(near, (40, 3))])
    columns = {f"x{i}": x[:, i] for i in range(3)}
    for seed in range(cases(300, 20_000)):
        program = random_program(seed)
        formula = read(str(program), syntax="gplearn").formula
        with np.errstate(all="ignore"):
            expected = np.broadcast_to(program.execute(x), len(x))
            given = {name: columns[name] for name in formula.variables} or {"x0": x[:, 0]}
            computed = np.broadcast_to(values(formula, Samples.from_columns(given)), len(x))
        close = np.isclose(computed, expected, rtol=1e-9, atol=1e-12, equal_nan=True)
        assert close.all(), (seed, str(program))
        roots = str(program).count("sqrt(") - str(program).count("sqrt(abs(")
        assert formula.complexity == len(program.program) + roots


def test_a_list_of_gplearn_is_picked_from_as_gplearn_computes(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.random.default_rng(1).uniform(-3, 3, (50, 2))
    table = np.column_stack([x, x[:, 0] * np.sqrt(np.abs(x[:, 1] - x[:, 0]))])
    data, front = tmp_path / "data.csv", tmp_path / "front.txt"
    np.savetxt(data, table, "%.17g", ",", header="X0,X1,y", comments="")
    front.write_text("add(X0,X0)\nmul(X0,sqrt(sub(X1,X0)))\n")
    for format_ in ("auto", "gplearn"):
        main(["pick", str(front), "--data", str(data), "--format", format_, "--json"])
        document = capsys.readouterr().out
        assert "mul(X0,sqrt(sub(X1,X0)))" in document and '"r2": 1.0' in document


# --- other tools


def value_of(text: str, syntax: str, **columns: float) -> float:
    formula = read(text, syntax=syntax).formula
    samples = Samples.from_columns({name: [columns[name]] for name in formula.variables})
    return float(np.broadcast_to(values(formula, samples), 1)[0])


def protected_div(left: float, right: float) -> float:  # DEAP, examples/gp/symbreg.py
    try:
        return left / right
    except ZeroDivisionError:
        return 1


@pytest.mark.parametrize("y", [0.0, 1e-5, -2.0])
def test_deap_divides_as_its_examples_do(y: float) -> None:
    for syntax in ("auto", "deap"):
        value = value_of("protectedDiv(vadd(x, 1), y)", syntax, x=2.0, y=y)
        assert value == pytest.approx(protected_div(3.0, y))
    reading = read("protectedDiv(x, y)")
    assert (reading.syntax, reading.protected) == ("deap", ("protectedDiv",))
    assert [other.text for other in reading.alternatives] == ["divide(x, y)"]
    assert read("protectedDiv(x, y)", syntax="deap_plain").formula.root.operator == "div"


EUREQA = {
    "if(x, 2, 3)": 3,
    "step(x) + 2*step(y)": 2,
    "and(y, 0.5)": 1,
    "and(x, y)": 0,
    "or(x, y)": 1,
    "xor(x, y) + xor(y, y)": 1,
    "not(x) + 4*not(y)": 1,
    "gauss(y)": math.exp(-4),
    "factorial(y)": 2,
    "less_or_equal(x, y) + greater_or_equal(x, y)": 1,
    "logistic(x)": 1 / (1 + math.e),
}


@pytest.mark.parametrize("text", EUREQA)
def test_eureqas_building_blocks_are_those_of_its_list(text: str) -> None:
    assert value_of(text, "eureqa", x=-1.0, y=2.0) == pytest.approx(EUREQA[text])


def test_comparisons_by_other_names() -> None:
    for syntax in ("auto", "turingbot"):
        assert value_of("smaller(x, y) + 2*different(x, y)", syntax, x=1.0, y=2.0) == 3
        assert value_of("smaller_or_equal(x, y)", syntax, x=2.0, y=2.0) == 1


def test_every_tool_names_functions_that_there_are() -> None:
    for tool in ("gplearn", "deap", "eureqa"):
        for name, function in functions(tool).items():
            assert name == name.lower() and function.low <= function.high


def test_a_protected_quotient_is_diagnosed() -> None:
    formula = read("gp_div(x, y)").formula
    samples = Samples.from_columns({"x": ["1", "2"], "y": ["0.001", "3"]})
    assert inspect(formula, samples).nodes[-1].singular == 1


def test_what_a_protected_function_is_applied_to_is_repaired() -> None:
    formula = read("gp_div(sqrt(x + 1) - sqrt(x), y)").formula
    columns = {"x": np.geomspace(1e3, 1e8, 40), "y": np.linspace(-0.01, 0.01, 40)}
    best = repair(formula, Samples.from_columns(columns)).best
    assert to_python(best.formula) == "gp_div(1/(sqrt(x + 1) + sqrt(x)), y)"
