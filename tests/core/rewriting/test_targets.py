"""The precision of the program decides what is offered; the other is measured and told."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eic_core.cli.main import main
from eic_core.formula.syntax import read
from eic_core.rewriting import compare_own_form
from eic_core.rewriting.precision import Target
from tests.repairs import drawn, repaired, repaired_on

ENERGY = "sqrt(p**2 + m**2) - m"
SI = "sqrt(p**2*c**2 + m**2*c**4) - m*c**2"
LIGHT = "m=loguniform:1e-25:1e-24 p=loguniform:1e-29:1e-27"
SI_UNITS = "m=loguniform:1e-27:1e-26 p=loguniform:1e-23:1e-21 c=299792458"


@pytest.mark.parametrize(("text", "ranges"), [(ENERGY, LIGHT), (SI, SI_UNITS)])
def test_doubles_are_repaired_where_squares_leave_single_precision(text, ranges) -> None:
    best = repaired(text, ranges).best
    assert best.after.float64.digits_lost < 0.5 < 8 < best.before.float64.digits_lost
    assert best.after.float32.failed > 0  # which is no veto


def test_single_precision_is_repaired_by_its_own_range_and_in_its_own_words() -> None:
    both = "sqrt(x**2 + y**2)", "x=loguniform:1e20:1e30 y=loguniform:1e20:1e30", 150
    found = repaired(*both, target="float32")
    assert found.target == found.to_json()["target"] == "float32"
    assert found.best.text == "hypot(x, y)"
    assert str(found.sentence).startswith("Write `hypot(x, y)` (hypotenuse).")
    assert (found.written.without_value, found.best.instead.without_value) == (150, 0)
    in_doubles = repaired(*both)
    assert in_doubles.repairs == () and "in double precision" in str(in_doubles.sentence)


def test_what_a_program_loses_is_measured_in_the_target() -> None:
    found = repaired("sqrt(x+1) - sqrt(x)", "x=loguniform:1:1e6", target="float32")
    assert found.before.loss.kind == found.best.after.loss.kind == "float32"
    assert found.before.in_target is found.before.float32
    x = found.samples.columns["x"].astype(np.float32)
    computed = np.sqrt(x + np.float32(1)) - np.sqrt(x)
    true = 1 / (np.sqrt(x.astype(float) + 1) + np.sqrt(x.astype(float)))
    lost = np.log10(np.maximum(np.abs(computed / true - 1) * 2**24, 1))
    assert found.before.loss.lost == pytest.approx(lost, abs=1e-3)
    assert found.best.gain.judged.mean_before == pytest.approx(float(np.mean(lost)), abs=1e-3)


def test_an_input_is_the_nearest_number_of_the_target() -> None:
    """1 + 1e-9 is 1 in single precision, and x - 1 is 0 there, exactly."""
    formula, columns = "x**2 - 1", {"x": 1 + np.arange(1, 40) * 1e-9}
    assert repaired_on(formula, columns).best is not None
    single = repaired_on(formula, columns, target="float32")
    assert single.repairs == () and single.before.float32.digits_lost == 0


def test_rows_that_the_target_cannot_hold_are_not_judged() -> None:
    found = repaired("x/(x**2 + 1)", "x=loguniform:1e-3:1e300", 150, target="float32")
    assert found.best.text == "1/(x + 1/x)"
    held = int(np.count_nonzero(found.samples.columns["x"] <= np.finfo(np.float32).max))
    assert found.best.verification.rows == found.best.gain.judged.rows == held < 150
    none = repaired("x + 1 - x", "x=loguniform:1e100:1e200", target="float32")
    assert none.repairs == () and str(none.sentence)


def test_what_the_other_precision_loses_is_told_in_a_clause() -> None:
    """As singles keep 7 of 16 digits, a square leaves their range where the form with it gains."""
    told = "In single precision it has a value at 0 of 50 rows compared, as written at 50."
    forms = repaired("1/(x+y) - 1/x", "x=1e25:2e25 y=loguniform:1e21:1e22").repairs
    assert forms
    for form in forms:
        said = [*map(str, form.conditions)]
        assert (told in said) == (form.after.float32.failed == 50), said


@pytest.mark.parametrize("target", ["float64", "float32"])
def test_a_users_own_form_is_measured_in_the_target(target: Target) -> None:
    formula, other = (read(text).formula for text in (ENERGY, "p**2/(sqrt(p**2 + m**2) + m)"))
    found = compare_own_form(formula, other, drawn(LIGHT), target)
    assert found.is_equal and found.after.target == found.after.loss.kind == target
    assert (found.after.loss.typical < 0.5) == (target == "float64")


def test_the_command_takes_a_precision_beside_a_column(tmp_path, capsys) -> None:
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "".join(f"{x},{x}\n" for x in (1e20, 1e25, 3e30)))
    order = ["repair", "sqrt(x**2 + 1)", "--data", str(table), "--json"]
    for arguments, target, offered in (
        ([], "float64", False),
        (["--target", "float32"], "float32", True),
        (["--target", "y", "--target", "float32"], "float32", True),
        (["--target", "y"], "float64", False),
    ):
        assert main([*order, *arguments]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["target"] == target and bool(document["repairs"]) == offered
    assert main([*order, "--target", "z"]) == 2
    assert "no column `z`" in capsys.readouterr().err
