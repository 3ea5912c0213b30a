"""`python -m eic_core report`, run as its users run it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from eic_core.cli import main

QUICK = ["--no-repair", "--no-triangulation", "--no-budget"]


def test_the_page_goes_to_standard_output_and_progress_to_standard_error():
    done = subprocess.run(
        [sys.executable, "-m", "eic_core", "report", "-x**2", "--range", "x=1:2", *QUICK],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("<!DOCTYPE html>") and done.stdout.endswith("</html>\n")
    assert "diagnosing" in done.stderr and "100 %" in done.stderr


def test_the_page_goes_to_the_file_named(tmp_path, capsys):
    out = tmp_path / "page.html"
    assert main(["report", "x+1", "--range", "x=1:2", "--out", str(out), *QUICK]) == 0
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert capsys.readouterr().out == ""


def test_json_holds_every_part_or_why_it_is_missing(eic):
    document = json.loads(
        eic(
            "report",
            "sqrt(x+1)-sqrt(x)",
            "--range",
            "x=1e3:1e6",
            "--samples",
            "50",
            "--no-triangulation",
            "--json",
            "--seconds",
            "inf",
        ).out
    )
    assert document["triangulation"] is None and set(document["missing"]) == {"triangulation"}
    assert document["repair"]["repairs"][0]["formula"] == "1/(sqrt(x + 1) + sqrt(x))"
    assert document["budget"]["needs"] and document["diagnosis"]["sentences"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["x +"], "error"),
        (["x + y", "--range", "x=1:2"], "`y`"),
        (["x", "--range", "x=1:2", "--tolerance", "0"], "tolerance"),
        (["x", "--range", "x=1:2", "--out", "no/such/folder/page.html"], "cannot write"),
        (["x", "--data", "nowhere.csv"], "cannot read"),
    ],
)
def test_a_users_mistake_is_one_message_and_status_2(arguments, said, eic, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = eic("report", *arguments, status=2).err
    assert said in error and "Traceback" not in error


CUT = ["sqrt(x+1)-sqrt(x)", "--range", "x=1e3:1e6", "--samples", "50", "--effort", "1e-9"]


def test_a_report_that_was_stopped_says_so_below_what_it_tells(eic):
    page = eic("report", *CUT, "--no-triangulation", "--no-budget").out
    stop = "Stopped where the effort ended: no form was tried."
    assert page.rindex(stop) > page.index('<section id="repair">') and "--effort 1e-09" in page
    assert stop not in eic("report", *CUT[:-1], "inf", "--no-triangulation", "--no-budget").out


def test_repairs_cut_short_are_printed_as_such(eic):
    printed = " ".join(eic("repair", *CUT).out.split())
    assert printed.endswith(
        "Stopped where the effort ended: no form was tried. More: `--effort \
thorough`."
    )
    assert eic("repair", *CUT[:-1], "inf").out.startswith("Write `1/(sqrt(x + 1) + sqrt(x))`")


@pytest.mark.parametrize("command", ["repair", "report"])
@pytest.mark.parametrize("seconds", ["0", "-1", "nan"])
def test_a_search_takes_some_time(command, seconds, eic):
    assert (
        "the search cannot take"
        in eic(command, "x+1", "--range", "x=1:2", f"--seconds={seconds}", status=2).err
    )


def test_the_ranges_that_a_formula_states_are_in_the_command_that_makes_the_page_again(eic):
    core = "(FPCore (x) :pre (<= 1 x 10) (+ x 1))"
    assert "--range x=1.0:10.0 --samples 20" in eic("report", core, "--samples", "20", *QUICK).out
