"""`python -m eic_core inspect`, run as its users run it."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eic_core.cli import main
from eic_core.cli.command_table import protect_formula
from eic_core.cli.inspect_command import COMMAND


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "eic_core", *arguments], capture_output=True, text=True, check=False
    )


def inspect_json(eic: Callable, *arguments: str) -> dict:
    return json.loads(eic("inspect", *arguments, "--json").out)


def test_json_has_exactly_the_promised_keys(eic):
    document = inspect_json(eic, "log(exp(x))", "--range", "x=normal:1000:1")
    promised = {
        "formula",
        "latex",
        "complexity",
        "eic",
        "eic_finite",
        "noise_figure_db",
        "bottleneck",
        "worst_step",
        "samples",
        "tail",
        "nodes",
    }
    assert promised <= set(document)
    assert set(document["samples"]) == {
        "total",
        "valid",
        "invalid",
        "singular",
        "rechecked",
        "unresolved",
    }
    assert {"q50", "q90", "q99", "top1_share", "divergent"} <= set(document["tail"])
    assert [set(node) for node in document["nodes"]] == [
        {
            "id",
            "text",
            "operator",
            "children",
            "span",
            "s_bar",
            "local_eic",
            "local_eic_finite",
            "invalid",
            "singular",
        }
    ] * 3


def test_json_holds_the_verdict_and_its_findings(eic):
    document = inspect_json(eic, "log(exp(x))", "--range", "x=normal:1000:1", "--samples", "50")
    verdict, findings = document["verdict"], document["findings"]
    assert set(verdict) == {
        "level",
        "borderline",
        "lead",
        "sentence",
        "leading",
        "sensitivity",
        "range_cost",
        "without_value",
        "measured",
        "given",
    }
    assert (verdict["level"], verdict["lead"]) == ("out-of-range", "no_value")
    assert verdict["sensitivity"]["worst"] < 0.2 < 15 < verdict["range_cost"]["typical"]
    assert verdict["leading"] == findings["items"][0] and findings["version"] == 1
    first, inner = findings["items"]
    assert (first["outcome"], first["cause"], first["node"]) == ("no_double", "out_of_range", 1)
    assert (first["rows"], first["of"], first["detail"]["way"]) == (50, 50, "overflow")
    assert (inner["cause"], inner["place"]) == ("growth_of_large_number", "worst_step")


def test_a_formula_that_is_sensitive_and_computed_right_is_told_so(capsys):
    main(["inspect", "sqrt(1-x)", "--range", "x=0.9999:1", "--samples", "500"])
    headline, level, *_ = lines = capsys.readouterr().out.splitlines()
    assert headline.startswith("Computed right, but sensitive")
    assert level == "level        very sensitive, computed right"
    measured = next(line for line in lines if line.startswith("measured "))
    assert "0.0 at the worst, in float64 at 200 of 500 rows" in measured
    assert not any("lost" in line or "loses" in line for line in lines)


def test_logarithm_of_exponential_on_normal_1000_loses_three_digits(eic):
    document = inspect_json(eic, "log(exp(x))", "--range", "x=normal:1000:1", "--samples", "500")
    assert document["eic"] == pytest.approx(3.0, abs=2e-4)
    assert document["noise_figure_db"] == pytest.approx(20 * document["eic"])
    assert document["samples"]["rechecked"] == 500


def test_a_difference_of_near_multiples_loses_4_38905_digits(eic):
    document = inspect_json(eic, "10000*x-9999*x", "--range", "x=0.1:10")
    exact = 0.5 * math.log10(1 + 3 * (10_000**2 + 9_999**2))
    assert document["eic"] == pytest.approx(exact, abs=1e-9)
    assert round(document["eic"], 5) == 4.38905


def test_non_finite_numbers_are_strings(eic):
    document = inspect_json(eic, "x-x", "--range", "x=1:2")
    assert document["eic"] == "inf" and document["eic_finite"] == "nan"


def test_no_valid_sample_is_no_error_and_has_a_reason(eic):
    document = inspect_json(eic, "log(-exp(x))", "--range", "x=1:2")
    assert document["eic"] == "nan" and "log" in document["reason"]
    assert document["tail"]["divergent"] is None


@pytest.mark.parametrize("formula", ["-x**2", "-2*x", "--2+x", "-(x)"])
def test_a_formula_may_begin_with_a_minus(formula, eic):
    for arguments in (
        [formula, "--range", "x=1:2"],
        ["--range", "x=1:2", formula],
        ["--range", "x=1:2", "--samples", "7", formula],
    ):
        assert inspect_json(eic, *arguments)["formula"] == formula


def test_ranges_may_be_listed_or_repeated(eic):
    one = inspect_json(eic, "x*y", "--range", "x=1:2", "y=3:4")
    two = inspect_json(eic, "x*y", "--range", "y=3:4", "--range", "x=1:2")
    assert one["eic"] == two["eic"] and one["variables"] == {"x": "1.0:2.0", "y": "3.0:4.0"}


@pytest.mark.parametrize("command", [["inspect"], ["repair"], ["write", "--as", "c"]])
def test_a_formula_may_come_from_the_input(command, eic, monkeypatch):
    given = [] if command[0] == "write" else ["--range", "x=1:2", "--samples", "50"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("-x**2\n"))
    piped = eic(*command, "-", *given).out
    assert piped == eic(*command, "-x**2", *given).out


def test_input_that_is_no_text_is_the_users_mistake(eic, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff"), encoding="utf-8"))
    assert "no text" in eic("inspect", "-", status=2).err


def test_a_range_of_no_variable_is_told(eic):
    told = eic("inspect", "x", "--range", "x=1:2", "y=1:2", "--samples", "1e1").err
    assert told == "note: no variable of the formula takes the range of `y`\n"


def test_a_letter_that_is_written_as_a_number_is_told(eic):
    assert "add `--variables e`" in eic("write", "e*x", "--as", "c").err
    assert "Euler" not in eic("write", "e*x", "--as", "c", "--variables", "e").err


def test_a_misspelt_option_is_not_taken_for_the_formula():
    assert protect_formula(COMMAND, ["--jsn", "x"]) == ["--jsn", "--", "x"]
    assert run("inspect", "--jsn", "x").returncode == 2


def test_samples_of_a_variable_do_not_depend_on_the_other_variables(eic):
    alone = inspect_json(eic, "sin(x)", "--range", "x=1:9", "--seed", "3")
    beside = inspect_json(eic, "sin(x)+y", "--range", "x=1:9", "y=1:2", "--seed", "3")
    assert alone["nodes"][1]["s_bar"] == beside["nodes"][1]["s_bar"]


def test_indexed_names_and_ranges_meet_in_one_canonical_form(eic):
    document = inspect_json(eic, "X_0 + x[:,1]", "--range", "x_{0}=1:2", "x₁=1:2")
    assert set(document["variables"]) == {"x0", "x1"}


def test_a_table_is_matched_by_name_then_by_index(tmp_path, eic):
    file = tmp_path / "flow.csv"
    file.write_text("r_k,log_Re,target\n1,2,3\n4,5,6\n")
    by_name = inspect_json(eic, "r_k/log_Re", "--data", str(file))
    assert by_name["variables"] == {"r_k": "r_k", "log_Re": "log_Re"}
    by_index = inspect_json(eic, "x0/x1", "--data", str(file))
    assert by_index["variables"] == {"x0": "r_k", "x1": "log_Re"}
    operon = inspect_json(eic, "X1/X2", "--data", str(file), "--syntax", "operon")
    assert operon["variables"] == {"x1": "r_k", "x2": "log_Re"}


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["lg(x)", "--range", "x=1:2"], "log10"),
        (["x+", "--range", "x=1:2"], "^"),
        (["x+y", "--range", "x=1:2"], "`y`"),
        (["E=m c^2"], "`--range m=1:5 c=1:5`"),
        (["Temprature*2", "--range", "Temperature=1:2"], "did you mean `Temperature`?"),
        (["x", "--range", "x=2:1"], "upside down"),
        (["x", "--range", "x=banana"], "x=0.1:10"),
        (["x", "--range", "x=1:2", "--samples", "0"], "samples"),
        (["x", "--data", "nowhere.csv"], "nowhere.csv"),
        (["__import__('os').system('x')", "--range", "x=1:2"], "error"),
    ],
)
def test_a_users_mistake_exits_2_with_one_message(arguments, said, eic):
    printed = eic("inspect", *arguments, status=2)
    assert said in printed.err and printed.out == ""


def test_a_process_exits_with_a_users_mistake_and_without_a_traceback():
    process = run("inspect", "x+", "--range", "x=1:2")
    assert process.returncode == 2
    assert "^" in process.stderr and "Traceback" not in process.stderr
    assert process.stdout == ""


def test_an_empty_table_is_the_users_mistake(tmp_path: Path):
    file = tmp_path / "empty.csv"
    file.write_text("x,y\n")
    assert run("inspect", "x", "--data", str(file)).returncode == 2


def test_the_plain_report_names_the_worst_step(eic):
    out = eic("inspect", "10000*x-9999*x", "--range", "x=1:2").out
    assert "EIC 4.39, worst step `10000·x − 9999·x`, the result" in out and "*  6" in out


def test_other_readings_are_told_with_what_to_write_for_them(eic):
    document = inspect_json(eic, "E=mc^2", "--range", "m=1:2", "c=1:3")
    assert any("m*c^2" in note for note in document["reading"]["notes"])
    (other,) = document["reading"]["alternatives"]
    assert set(other) == {"label", "text"}
    whole = inspect_json(eic, other["text"], "--range", "mc=1:2")
    assert [node["text"] for node in whole["nodes"]] == ["mc", "mc²"]
    for command in ("inspect", "repair"):
        out = eic(command, "1/2x", "--range", "x=1:2").out
        assert "read as `1/2*x`" in out and "write 1/(2*x)" in out


def test_a_range_keeps_its_name_whole(eic):
    document = inspect_json(eic, "E=mc^2", "--range", "mc=1:2")
    assert [node["text"] for node in document["nodes"]] == ["mc", "mc²"]


CORE = "(FPCore (e x) :pre (and (<= 1 e 10) (< 1e-4 x 1e4)) (* e x))"


def test_an_fpcore_is_sampled_where_it_says_unless_a_range_is_given(eic):
    document = inspect_json(eic, CORE)
    assert document["variables"] == {"e": "1.0:10.0", "x": "loguniform:0.0001:10000.0"}
    assert any("`:pre`" in note for note in document["reading"]["notes"])
    document = inspect_json(eic, CORE, "--range", "x=2:3")
    assert document["variables"] == {"e": "1.0:10.0", "x": "2.0:3.0"}


def test_an_equation_is_answered_with_its_sides(eic):
    assert "give `sin(x)` or `y`" in eic("inspect", "sin(x) = y", "--range", "x=1:2", status=2).err


def test_units_of_a_table_are_no_part_of_its_names(tmp_path):
    path = tmp_path / "energy.csv"
    path.write_text("m [kg],v (m/s),KE [J]\n2,3,9\n1,2,2\n", encoding="utf-8")
    for target in ("KE", "KE [J]"):
        done = run("inspect", "m*v**2/2", "--data", str(path), "--target", target)
        assert done.returncode == 0, done.stderr
        assert "`m` in kg, `v` in m/s and `KE` in J" in done.stderr


def test_json_holds_the_digits_of_the_worst_row(eic):
    document = inspect_json(eic, "sqrt(x+1) - sqrt(x)", "--range", "x=1e8")
    assert document["digits"] == {
        "kind": "float64",
        "worst": {
            "exact": "0.000049999999875000001",
            "computed": "0.000050000000555883162",
            "right": 14,
            "lost": pytest.approx(8.09, abs=0.01),
            "inputs": {"x": "100000000"},
        },
    }


def test_json_without_a_row_to_compare_has_no_worst_row(eic):
    document = inspect_json(eic, "log(x)", "--range", "x=-2:-1", "--samples", "5")
    assert document["digits"] == {"kind": "float64", "worst": None}


def test_the_worst_row_stands_digit_under_digit(eic):
    lines = eic("inspect", "sqrt(x+1) - sqrt(x)", "--range", "x=1e8").out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("exact "))
    exact, double, marks, sentence = lines[at : at + 4]
    assert exact.endswith("at x = 100000000")
    wrong = slice(marks.index("^"), marks.rindex("^") + 1)
    assert double.startswith("double ") and double[wrong] == "555883162"
    assert exact[: wrong.start].count("0.00004999") == 1
    assert sentence.strip() == "At this row the last 9 of 17 digits are wrong."


def test_where_no_digit_is_lost_no_mark_stands_under_the_digits(eic):
    printed = eic("inspect", "x + 1", "--range", "x=1:2", "--samples", "50").out
    assert "No digit turns red" in printed and "^" not in printed
