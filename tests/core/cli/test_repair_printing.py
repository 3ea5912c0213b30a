"""What `python -m eic_core repair` prints: a front, a derivation, and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eic_core.cli import main
from eic_core.cli.repair_command import WIDTH, describe
from eic_core.exports import plain_value
from eic_core.formula.copying import copied
from eic_core.formula.syntax import read
from tests.core.rewriting.choices import BOUND, NEAR_0, QUADRATIC, SINE, quadratic, sine

HALF_ANGLE = ("(1 - cos(x))/x**2", "--range", "x=loguniform:1e-6:1", "--samples", "400")
VECTORS = ("sqrt(x*x + y*y + z*z) - x", "--range", "x=loguniform:1:1e5", "y=1:2", "z=1:2")


def printed(eic: Callable, *arguments: str) -> list[str]:
    return eic("repair", *arguments).out.splitlines()


def test_the_front_has_a_row_for_the_formula_and_one_for_the_best_form(eic) -> None:
    lines = printed(eic, *HALF_ANGLE)
    head = next(i for i, line in enumerate(lines) if line.split()[:1] == ["typical"])
    assert lines[head].split()[-2:] == ["NumPy", "C"]
    assert lines[head + 1 : head + 5 : 2] == ["as written", "2*(sin(x/2)/x)**2"]
    written, best = ([*map(float, line.split())] for line in lines[head + 2 : head + 5 : 2])
    assert written[0] > 3 > 1 > best[2] >= best[1] >= best[0]
    assert all(0 < number < 100 for number in (*written[5:7], *best[5:7]))


def test_each_step_names_its_rule_and_the_digits_after_it(eic) -> None:
    lines = printed(eic, *HALF_ANGLE)
    start = next(i for i, line in enumerate(lines) if line.startswith("How it follows"))
    assert lines[start + 1].split(maxsplit=1)[1] == "half angle: (1 − cos(x))/x² → 2·(sin(x/2)/x)²"
    assert lines[start + 2].strip() == "equal to 1e-30 at 200 rows"


def test_all_but_the_sentence_fits_a_terminal(eic) -> None:
    lines = printed(eic, *VECTORS, "--samples", "300")
    assert max(len(line) for line in lines[1:]) <= WIDTH


def test_a_formula_with_nothing_better_has_its_own_row_alone(eic) -> None:
    lines = printed(eic, "x - sin(x)", "--range", "x=loguniform:1e-4:3", "--no-series")
    assert sum("as written" in line for line in lines[1:]) == 1
    assert not any(line.startswith("How it follows") for line in lines)


def test_json_is_complete(eic) -> None:
    (line,) = printed(eic, *HALF_ANGLE, "--json")
    document = json.loads(line)
    texts = [form["formula"] for form in document["front"]]
    assert {HALF_ANGLE[0], document["repairs"][0]["formula"]} <= set(texts)
    (step,) = document["repairs"][0]["steps"]
    assert step["whole"] == "2·(sin(x/2)/x)²" and step["digits"] < 0.3


@pytest.mark.parametrize(
    "name",
    "e pi π E Pi I i j inf nan lambda sin log gamma max where true if x0 X0 T_0 _x M_PI".split(),
)
def test_what_is_printed_for_a_column_is_exported_as_the_same_formula(
    name: str, tmp_path: Path, eic: Callable
) -> None:
    data = tmp_path / "data.csv"
    data.write_text(f"{name},y\n1e-9,2\n1e-8,3\n1e-7,2.5\n3e-10,1.5\n")
    text = f"exp({name}) - 1 + y*{name}*{name}"
    (line,) = printed(eic, text, "--data", str(data), "--json")
    document = json.loads(line)
    names, form = [*document["variables"]], document["repairs"][0]["formula"]
    assert document["variables"][names[0]] == name and len(names) == 2
    expected = read(form, columns=names).formula
    assert [*expected.variables] == names and "expm1" in form
    for language in ("c", "julia", "excel", "sympy"):
        variables = ("--variables", ",".join(names))
        copy = json.loads(eic("write", form, *variables, "--as", language, "--json").out)
        assert copy["text"] == copied(expected, language).text


def test_a_variable_that_is_a_number_elsewhere_is_named_for_who_exports_the_form(
    eic: Callable,
) -> None:
    ranges = ("--range", "e=1e-9:1e-8", "pi=1:2")
    lines = printed(eic, "exp(e) - 1 + pi*e", *ranges)
    note = "note         `e` and `pi` are variables here, which `eic write` learns from"
    assert lines[-2:] == [note, "             `--variables e,pi`"]
    assert not any(line.startswith("note") for line in printed(eic, *HALF_ANGLE))
    assert (
        eic("write", "expm1(e) + pi*e", "--as", "c", "--variables", "pi, e").out
        == "expm1(e_2) + pi_2*e_2\n"
    )
    assert eic("write", "--variables=e", "--as", "c", "-e").out == "-e_2\n"


def described(repairs) -> list[str]:
    return describe(repairs)


@pytest.mark.parametrize(("repairs", "text"), [(quadratic, QUADRATIC), (sine, NEAR_0)])
def test_a_form_that_chooses_has_a_branch_a_line_and_is_copied_whole(repairs, text) -> None:
    lines = described(repairs())
    assert max(len(line) for line in lines[1:]) <= WIDTH
    column = next(line.index("where(") for line in lines[1:] if "where(" in line)
    start = next(i for i, line in enumerate(lines) if line[column:].startswith("where("))
    parts = [lines[start][column:]]
    while " ".join(parts).count("(") != " ".join(parts).count(")"):
        parts.append(lines[start + len(parts)][column:])
    assert " ".join(parts) == text and len(parts) > 1
    assert read(" ".join(parts)).formula.structure() == read(text).formula.structure()


def test_a_derivation_goes_branch_by_branch() -> None:
    lines = described(quadratic())
    start = next(i for i, line in enumerate(lines) if line.startswith("How it follows"))
    assert lines[start + 1].startswith(
        "where b >= 0 (103 of 200 rows): 0.0 digits lost, as written"
    )
    assert "conjugate roots" in lines[start + 2]
    assert lines[start + 3].startswith("elsewhere (97 of 200 rows): as written")


def test_an_approximation_is_named_with_its_bound_and_where_it_is_proved() -> None:
    lines = described(sine())
    assert "series (Taylor, in `x` at 0) stands for `sin(x) - x`" in lines[0]
    assert "relative error of at most 1.1·10⁻¹⁷ (proved within the" in lines[0]
    assert any("≈ relative error at most 1.1·10⁻¹⁷" in line for line in lines)
    assert any("proved for `x` from -0.5 to 0.5" in line for line in lines)
    assert "No better exact form was found" in lines[0]
    assert not any("equal to" in line for line in lines)


def test_what_was_left_out_is_said_with_what_to_do() -> None:
    text = " ".join(described(sine()))
    assert "Stopped where the effort ended:" in text and text.count("effort") == 2
    assert text.endswith("1 of 1 form, before branches. More: `--effort thorough`.")


def test_json_holds_branches_and_series_by_name() -> None:
    document = plain_value(sine())
    assert json.loads(json.dumps(document, allow_nan=False))["left_out"] == ["branches_time"]
    (near,) = document["approximations"]
    first, last = near["branches"]
    assert near["bound"] == first["series"]["bound"] == BOUND and last["series"] is None
    assert first["series"]["box"] == [{"name": "x", "low": -0.5, "high": 0.5}]
    assert [first["condition"], last["condition"], last["formula"]] == ["abs(x) <= 0.5", "", SINE]
    assert plain_value(quadratic())["repairs"][0]["bound"] == 0.0


def test_branches_and_series_are_turned_off(monkeypatch) -> None:
    asked = []
    module = "eic_core.cli.repair_command.repair"
    monkeypatch.setattr(module, lambda *_, **options: asked.append(options) or sine())
    assert main(["repair", "--no-branches", "-x", "--no-series", "--range", "x=1:2"]) == 0
    assert main(["repair", "-x", "--range", "x=1:2"]) == 0
    assert [(each["branches"], each["series"]) for each in asked] == [(False, False), (True, True)]
