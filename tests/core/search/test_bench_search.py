"""`make bench-search` on two laws and a small table: its arithmetic by hand and by SciPy, its file
of runs, and what it says where something is missing.
"""

from __future__ import annotations

import csv
import doctest
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchmarks import __main__ as all_of_them
from benchmarks import generating, searching
from benchmarks.search_tables import __main__ as command
from benchmarks.search_tables import breaking
from benchmarks.search_tables.comparing import change, half_width, mean
from benchmarks.search_tables.material import all_laws, real_split, stratified
from benchmarks.search_tables.peer_worker import prefix
from benchmarks.search_tables.peers import formula_of
from benchmarks.search_tables.printing import LAW_COLUMNS, mean_lines, runs_of
from benchmarks.search_tables.runs import Row
from eic_core.corpora import Law
from eic_core.explain import robustness
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.samples import Domain, Samples

ASKED = [
    "--laws",
    "2",
    "--seeds",
    "2",
    "--splits",
    "1",
    "--evals",
    "200",
    "--rows",
    "40",
    "--noise",
    "0",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "problems").mkdir()
    rng = np.random.default_rng(0)
    lines = [f"{x:.3f},{x * x + 0.1 * e:.3f}" for x, e in rng.normal(size=(24, 2))]
    table = "\n".join(["x,target", *lines]) + "\n"
    (tmp_path / "problems" / "square.csv").write_text(table, encoding="utf-8")
    return tmp_path


def run(folder: Path, *more: str) -> list[str]:
    return ["--shared", str(folder), "--out", str(folder / "runs.csv"), *ASKED, *more]


def row(problem: str, seed: int, method: str, **named: object) -> Row:
    given = {
        "part": "laws",
        "noise": 0.0,
        "evaluations": 9,
        "rows": 40,
        "tolerance": 0.0,
        "made_by": "",
        "seconds": 1.0,
        "formula": "x",
        **named,
    }
    return Row(problem=problem, seed=seed, method=method, **given)  # type: ignore[arg-type]


def test_a_table_says_what_the_file_of_runs_holds_and_a_second_start_runs_nothing(folder, capsys):
    asked = run(folder, "--parts", "laws,real", "--methods", "gp,eic-gp")
    assert command.main(asked) == 0
    first = capsys.readouterr()
    with (folder / "runs.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # two laws, two seeds: gp, what is picked from it again, eic-gp; one table with two tolerances
    assert len(rows) == 2 * 2 * 3 + 1 * 3 * 2
    for label, method in (("GP", "gp"), ("EIC-GP, .002", "eic-gp"), ("GP, picked", "gp-picked")):
        own = [r for r in rows if r["part"] == "laws" and r["method"] == method]
        share = 100 * np.mean([float(r["r2_held_out"]) > 0.99 for r in own])
        nodes = np.mean([int(r["nodes"]) for r in own])
        line = next(
            line
            for line in first.out.splitlines()[::-1]
            if line.startswith(label) and "−" not in line
        )
        assert f" {share:.1f} ± " in line and f" {nodes:.3g} ± " in line
    assert command.main(asked) == 0
    again = capsys.readouterr()
    assert again.out == first.out and "runs" not in again.err


def test_a_table_that_lacks_a_run_is_not_printed(folder, capsys):
    asked = run(folder, "--parts", "laws", "--methods", "gp")
    assert command.main(asked) == 0
    file = folder / "runs.csv"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:-1]), encoding="utf-8")
    capsys.readouterr()
    assert command.main([*asked, "--print"]) == 0
    told = capsys.readouterr().out
    assert "7 of 8 runs: no table" in told and "± " not in told.partition("± and")[0]


def test_runs_of_another_version_are_left_out_and_said_to_be(folder, capsys):
    asked = run(folder, "--parts", "laws", "--methods", "eic-gp", "--laws", "1", "--seeds", "1")
    assert command.main(asked) == 0
    file = folder / "runs.csv"
    file.write_text(
        file.read_text(encoding="utf-8").replace(command.maker(), "00000000"), encoding="utf-8"
    )
    capsys.readouterr()
    assert command.main([*asked, "--print"]) == 0
    told = capsys.readouterr().out
    assert "left out: 1 rows" in told and "0 of 1 runs: no table" in told
    assert command.main([*asked, "--print", "--any-maker"]) == 0
    assert "no table" not in capsys.readouterr().out


def test_missing_data_methods_and_interpreters_are_refused_with_the_way_out(tmp_path, capsys):
    assert command.main(["--shared", str(tmp_path), "--parts", "real"]) == 2
    assert "there are no problems" in (told := capsys.readouterr().err) and "--shared DIR" in told
    assert command.main(["--methods", "magic"]) == 2
    assert "there is no method `magic`" in capsys.readouterr().err
    assert command.main(["--parts", "peers", "--peers", str(tmp_path / "python")]) == 2
    assert "cannot run peer_worker.py" in capsys.readouterr().err


@pytest.mark.parametrize("relative", [True, False])
def test_the_interval_is_that_of_scipys_paired_bootstrap(relative):
    rng = np.random.default_rng(3)
    before = rng.uniform(1, 4, 25)
    after = 0.8 * before + rng.normal(0, 0.3, 25)
    names = [f"{i:02}" for i in range(25)]
    # two runs each, around the problem's mean
    old = {(n, s): v + (0.1, -0.1)[s] for n, v in zip(names, before, strict=True) for s in (0, 1)}
    new = {(n, s): v + (0.5, -0.5)[s] for n, v in zip(names, after, strict=True) for s in (0, 1)}

    def statistic(a, b, axis=-1):
        a, b = a.mean(axis=axis), b.mean(axis=axis)
        return a / b - 1 if relative else a - b

    found = change(new, old, relative=relative)
    expected = stats.bootstrap(
        (after, before),
        statistic,
        paired=True,
        method="percentile",
        n_resamples=20_000,
        random_state=5,
    )
    low, high = expected.confidence_interval
    assert found.value == pytest.approx(statistic(after, before))
    assert [found.low, found.high] == pytest.approx([low, high], abs=0.05 * (high - low))


def test_a_problem_counts_once_and_a_change_is_of_runs_that_both_sides_have():
    old = {("a", 0): 1.0, ("a", 1): 3.0, ("b", 0): 6.0, ("c", 0): 100.0}
    new = {("a", 0): 2.0, ("a", 1): 4.0, ("b", 0): 3.0, ("b", 1): 100.0}
    assert mean(old) == pytest.approx((2 + 6 + 100) / 3)
    assert change(new, old, relative=False).value == pytest.approx((3 + 3) / 2 - (2 + 6) / 2)
    assert half_width({("a", 0): 1.0, ("b", 0): 3.0}) == pytest.approx(1.96 * 1.0)


def test_eic_of_a_law_counts_where_the_formula_predicts():
    rows = [
        row("a", 0, "gp", r2_held_out=0.79, eic=9.0),
        row("a", 1, "gp", r2_held_out=0.8, eic=2.0),
        row("b", 0, "gp", r2_held_out=0.995, eic=1.0),
        row("b", 1, "gp", formula=""),
    ]
    share, _, eic, everywhere, _ = LAW_COLUMNS
    assert runs_of(rows, "gp", eic) == {("a", 1): 2.0, ("b", 0): 1.0}
    assert runs_of(rows, "gp", everywhere) == {("a", 0): 9.0, ("a", 1): 2.0, ("b", 0): 1.0}
    assert mean(runs_of(rows, "gp", share)) == 0.25  # one run of four; none without a formula
    assert "25.0 ± " in mean_lines(rows, LAW_COLUMNS)[1]


def test_laws_are_drawn_evenly_and_have_a_value_at_every_row(folder):
    few = stratified(all_laws(), 19)
    assert len(all_laws()) == 133 and sum(law.name.startswith("strogatz") for law in few) == 2
    sizes = [law.tree.complexity for law in few[:17]]
    assert sizes == sorted(sizes)
    law = Law("", "sqrt(u)+1", ("u",), {"u": Domain("uniform", -0.1, 5)})
    split = command.law_split(law, 40, 0.1, 7)  # no root below 0: such rows are not drawn
    column = split.whole.columns["u"]
    assert (len(split.training), len(split.held_out)) == (30, 10) and column.min() >= 0
    np.testing.assert_allclose(split.held_out.target, np.sqrt(column[30:]) + 1)
    noise = split.training.target - np.sqrt(column[:30]) - 1
    clean = np.std(np.sqrt(column[:30]))
    assert 0.05 * clean < np.std(noise) < 0.2 * clean
    whole = real_split(folder / "problems" / "square.csv", 3)
    both = np.concatenate([whole.training.target, whole.held_out.target])
    assert sorted(both) == sorted(whole.whole.target) and len(whole.held_out) == 6


def test_what_four_digits_and_single_precision_leave_is_what_numpy_computes():
    rng = np.random.default_rng(1)
    x = rng.uniform(1, 2, 50)
    target = x + 0.01 * rng.normal(size=50)
    samples = Samples.from_columns({"x": x}, target=target)
    formula = read("123456.7*x - 123455.7*x + 0.001234567").formula

    def r2(values):
        return 1 - np.sum((target - values) ** 2) / np.sum((target - target.mean()) ** 2)

    assert robustness.r2_with_digits(formula, samples) == pytest.approx(r2(0 * x + 0.001235))
    assert breaking.broken(breaking.r2_of(formula, samples), r2(0 * x + 0.001235))
    f = np.float32
    single = f(123456.7) * x.astype(f) - f(123455.7) * x.astype(f) + f(0.001234567)
    assert robustness.r2_in_float32(formula, samples) == pytest.approx(r2(single.astype(float)))
    missed = single - (123456.7 * x - 123455.7 * x + 0.001234567)
    error = np.log10(np.sqrt(np.mean(missed**2)) / np.std(target))
    assert breaking.single_error(formula, samples) == pytest.approx(error)
    assert breaking.digits_needed(formula, samples) == 6  # rounded alike: their difference stays


class _Function:
    """A function of gplearn, as far as its programs show it."""

    def __init__(self, name: str, arity: int) -> None:
        self.name, self.arity = name, arity


def test_a_program_of_gplearn_is_read_as_it_computes():
    sub, log = _Function("sub", 2), _Function("log", 1)
    text = prefix([sub, log, sub, 0, 1, np.float64(0.123456789)])
    assert text == "sub(log(sub(X0, X1)), 0.123456789)"
    assert to_python(formula_of(text, "gplearn", ["a", "b"])) == "gp_log(a - b) - 0.123456789"


@pytest.mark.parametrize("module", ["breaking", "comparing", "material", "peers"])
def test_the_examples_of_its_modules_run(module):
    found = doctest.testmod(importlib.import_module(f"benchmarks.search_tables.{module}"))
    assert found.failed == 0 and found.attempted > 0


@pytest.mark.parametrize("parts", [searching.PARTS, generating.PARTS])
def test_the_parts_that_are_timed_are_there(parts):
    assert all(hasattr(*place) for places in parts.values() for place in places)


def test_the_benchmarks_that_are_run_are_there():
    assert all(importlib.util.find_spec(f"benchmarks.{name}") for name in all_of_them.MODULES)
