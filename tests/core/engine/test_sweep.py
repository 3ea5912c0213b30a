"""The reverse sweep: units, what is asked for, and operators added at run time."""

from __future__ import annotations

import numpy as np
import pytest

from eic_core.engine.sweep import gradients, node_units, step_units, sweep
from eic_core.engine.tape import lay_out, tape_of
from eic_core.formula.syntax import read
from eic_core.operators import registered
from eic_core.samples import Samples
from tests.core.operators.test_registered import ADDEXP

ROWS = Samples.from_columns({"x": [0.5, 2.0, 1e-20], "y": [1.0, -0.5, 1e-20]})


def test_a_row_that_is_added_to_the_operators_is_right_in_both_kinds_of_flow() -> None:
    with registered(ADDEXP):
        formula = read("2.5*addexp(x, 1.5*y)").formula
        (block,) = sweep(tape_of(formula), node_units(formula), ROWS)
        found = gradients(lay_out(formula, share=False), ROWS)
        x, y = ROWS.columns["x"], ROWS.columns["y"]
        value = np.log(np.exp(x) + np.exp(1.5 * y))
        part_x = np.exp(x - value)
        assert formula.nodes[1].label == "x" and formula.nodes[3].label == "y"
        assert block.arrived[1] == pytest.approx(x * part_x / value)
        assert block.arrived[3] == pytest.approx(1.5 * y * (1 - part_x) / value)
        assert block.sum_of_squares() == pytest.approx(block.s2)
        assert found.labels == ("2.5", "1.5")
        assert found.jacobian[:, 0] == pytest.approx(value)
        assert found.jacobian[:, 1] == pytest.approx(2.5 * y * (1 - part_x))


def test_a_row_that_is_added_is_right_where_only_exact_numbers_tell() -> None:
    with registered(ADDEXP):
        formula = read("addexp(x, x) - log(2)").formula  # it is x
        (block,) = sweep(tape_of(formula), node_units(formula), ROWS)
        assert block.ok.all()
        assert block.sum_of_squares() == pytest.approx(block.s2)
        # the noise of the sum, of the logarithm and of its 2, over x
        assert block.s2[2] == pytest.approx((2 * np.log(2) ** 2 + 1) * 1e40, rel=1e-9)


def test_a_slope_below_the_normal_doubles_costs_no_digit_of_what_arrives() -> None:
    rows = Samples.from_columns({"x": [3e161]})  # the slope, -1e-323, has two bits
    for text in ("1/x", "x**-1", "erfcx(x)"):
        formula = read(text).formula
        (block,) = sweep(tape_of(formula), node_units(formula), rows)
        at = [node.label for node in formula].index("x")
        assert block.arrived[at] == pytest.approx(-1, rel=1e-12)


def test_what_is_asked_for_arrives_whatever_else_is_not_followed() -> None:
    tape = tape_of(read("exp(2*x)*(y + 3) - min(x, 4)").formula)
    variables = [step.slot for step in tape.steps if step.column]
    (every,) = sweep(tape, step_units(tape), ROWS)
    (some,) = sweep(tape, step_units(tape, slots=variables), ROWS)
    assert (some.arrived[variables] == every.arrived[variables]).all()
    assert not some.arrived[[step.slot for step in tape.steps if step.label]].any()
