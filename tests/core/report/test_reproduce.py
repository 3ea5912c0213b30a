"""What a report says under "Reproduce" gives its numbers again."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eic_core.cli import main
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure.table import match_variables, read_table
from eic_core.report import Provenance, command_line, html_report
from tests.core.report.reading import Page, words

ROOT = Path(__file__).resolve().parents[3]
QUICK = ["--no-repair", "--no-triangulation", "--no-budget"]


def blocks(page: Page) -> list[str]:
    """The command and the script, as one copies them from the page."""
    return ["".join(e.itertext()) for e in page.section("reproduce").iter("pre")]


def run_again(eic: Callable, command: str) -> dict:
    python, dash_m, package, *arguments = shlex.split(command)
    assert (python, dash_m, package) == ("python", "-m", "eic_core")
    return json.loads(eic(arguments[0], *QUICK, "--json", *arguments[1:]).out)


def run_script(script: str, folder: Path) -> list[str]:
    (folder / "again.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "again.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


RANGES = {
    "infix": ("-x**2 + log(y)", "infix", {"x": (1, 5), "y": (2, 3)}),
    "operon": ("(0.5 * X1) ^ (-3.5) + X2", "operon", {"x1": (1, 5), "x2": (-1, 1)}),
    "two": ("x - a", "infix", {"x": (1, 2), "a": (0, 1)}),
    "constant": ("pi - 3", "infix", {}),
}


@pytest.mark.parametrize("text, syntax, ranges", RANGES.values(), ids=RANGES)
def test_command_and_script_give_the_same_numbers_again(eic, tmp_path, text, syntax, ranges):
    reading = read(text, syntax=syntax, columns=tuple(ranges))
    domains = tuple(
        (name, Domain("uniform", *map(float, ranges[name]))) for name in reading.formula.variables
    )
    samples = sample_domains(dict(domains), count=70, seed=9)
    inspection = inspect(reading.formula, samples)
    known = Provenance(reading, domains, 9)
    page = Page(
        html_report(
            inspection,
            provenance=known,
            with_repair=False,
            with_triangulation=False,
            with_budget=False,
        )
    )
    *_, command, script = blocks(page)
    again = run_again(eic, command)
    assert again["nodes"] == inspection.to_json()["nodes"]
    assert again["data_hash"] == samples.digest() and samples.digest() in page.words("reproduce")
    printed = run_script(script, tmp_path)
    assert float(printed[0].split()[1]) == inspection.eic
    assert printed[-1] == f"data {samples.digest()}"


def test_a_table_is_found_again_with_its_columns(eic, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my data.csv").write_text("a,b,target\n1,2,3\n2,2.001,5\n0.1,5,1\n", "utf-8")
    assert main(["report", "x0-x1", "--data", "my data.csv", "--out", "page.html", *QUICK]) == 0
    page = Page((tmp_path / "page.html").read_text("utf-8"))
    *_, command, script = blocks(page)
    again = run_again(eic, command)
    del again["missing"]
    carried = page.json()
    assert again == {key: carried[key] for key in again}
    assert float(run_script(script, tmp_path)[0].split()[1]) == carried["eic"]


def test_no_command_is_given_that_would_take_other_columns():
    reading = read("x1 - x2")
    table = read_table(b"p,q,r\n1,2,3\n4,5,7\n")
    for mapping in ({"x1": "q", "x2": "r"}, {"x1": "p", "x2": "q"}, {"x1": "r", "x2": "p"}):
        samples = table.samples(mapping)
        known = Provenance(reading, file_name="t.csv", file_columns=table.names, mapping=mapping)
        command = command_line(reading.formula, samples, known)
        if command is None:
            assert mapping == {"x1": "r", "x2": "p"}
            continue
        options = shlex.split(command)
        given = "--index-base" in options
        base = int(options[options.index("--index-base") + 1]) if given else None
        assert match_variables(["x1", "x2"], table.names, index_base=base).mapping == mapping


def test_a_column_called_target_that_is_an_input_needs_the_script():
    reading = read("target + 1", columns=("target", "x"))
    table = read_table(b"target,x\n1,2\n")
    known = Provenance(
        reading, file_name="t.csv", file_columns=table.names, mapping={"target": "target"}
    )
    assert command_line(reading.formula, table.samples(known.mapping), known) is None


def test_the_command_leaves_out_what_the_report_left_out(eic):
    domain = Domain("uniform", 1.0, 5.0)
    reading = read("1.2345678*x")
    samples = sample_domains({"x": domain}, count=30)
    known = Provenance(reading, (("x", domain),))
    inspection = inspect(reading.formula, samples)
    page = Page(html_report(inspection, provenance=known, with_repair=False, tolerance=0.02))
    _, dash_m, package, *arguments = shlex.split(blocks(page)[-2])
    assert (dash_m, package) == ("-m", "eic_core")
    again = json.loads(eic(arguments[0], "--json", *arguments[1:]).out)
    assert again == page.json()
    assert again["budget"]["tolerance"] == 0.02 and set(again["missing"]) == {"repair"}


def test_columns_given_in_python_have_no_command_but_a_script(tmp_path):
    inspection = inspect(read("x-1").formula, Samples.from_columns({"x": [1.5, 2.0]}))
    page = Page(html_report(inspection, with_repair=False))
    assert "No command line makes these samples" in page.words("reproduce")
    assert float(run_script(blocks(page)[-1], tmp_path)[0].split()[1]) == inspection.eic


def test_seed_ranges_and_versions_are_named():
    domain = Domain("normal", 1000.0, 1.0)
    reading = read("ln(exp(x))")
    samples = sample_domains({"x": domain}, count=20, seed=5)
    page = Page(
        html_report(
            inspect(reading.formula, samples), provenance=Provenance(reading, (("x", domain),), 5)
        )
    )
    facts = {words(row[0]): words(row[1]) for row in page.rows("reproduce")}
    assert facts["range of x"] == "normal:1000.0:1.0" and facts["seed"] == "5"
    assert facts["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"numpy", "python-flint", "EIC Lab"} <= facts.keys()
