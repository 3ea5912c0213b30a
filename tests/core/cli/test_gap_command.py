"""`python -m eic_core gap`."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from eic_core.corpora import load
from eic_core.corpora.claims import groups_of_laws, groups_of_short_runs
from eic_core.corpora.found import LEAST_R2
from eic_core.corpora.measured import COUNTS, digits_of
from eic_core.corpora.searched import METHODS, TRAINING_ROWS, TRAINING_SEED, shipped_pool
from eic_core.pool.candidate import Refused, read_candidate
from tests.effort import cases

LAWS = ["gap", "--corpus", "feynman", "--corpus", "strogatz"]
POOL = "dataset,method,formula\nfeynman_I_12_1,Mine,x0*x1\nfeynman_I_12_1,Mine,x0+9\n"


def test_json_and_the_file_hold_the_same_figures(tmp_path: Path, eic: Callable) -> None:
    pool, out = tmp_path / "pool.csv", tmp_path / "figures.csv"
    pool.write_text(POOL, encoding="utf-8")
    document = json.loads(eic(*LAWS, "--pool", pool, "--json", "--out", out).out)
    by_key = {(g["group"], g["measure"], g["samples"]): g for g in document["groups"]}
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for group, column, measure in (("feynman", "eic", "mean"), ("laws", "eic_q90", "q90")):
        for count in COUNTS:
            own = [
                float(r[column]) for r in rows if (r["group"], r["samples"]) == (group, str(count))
            ]
            said = by_key[group, measure, count]
            assert said["count"] == len(own)
            assert said["median"]["value"] == pytest.approx(np.median(own))
            assert said["share_below_1"]["value"] == pytest.approx(np.mean(np.array(own) < 1))
    mine = by_key["found:Mine", "mean", 1000]
    assert mine["count"] == 1 and mine["left_out"] == {"R² below 0.8": 1}
    assert mine["median"] == {"value": mine["mean"]["value"], "low": "nan", "high": "nan"}
    assert document["claims"][0]["verdict"] == "for the median only"


def test_the_text_says_every_group_and_every_claim(eic: Callable) -> None:
    said = eic("gap").out
    for group in (*groups_of_laws(), *groups_of_short_runs()):
        assert group.title in said
    assert said.count("\n  so: ") == 5 and "5 left out, no source law" in said
    assert "uniform -5 to 5" in said and "LLM-SRBench, Synth less Laws" in said


@pytest.mark.parametrize(
    "more, message",
    [
        (["--samples", "0"], "--samples must be at least 1"),
        (["--pool", "nowhere.csv"], "cannot read nowhere.csv"),
        (["--out", "no/where.csv"], "cannot write"),
    ],
)
def test_mistakes_end_with_one_message(more: list[str], message: str, eic: Callable) -> None:
    assert message in eic(*LAWS, *more, status=2).err


def test_a_pool_about_nothing_known_is_refused_with_its_reasons(
    tmp_path: Path, eic: Callable
) -> None:
    pool = tmp_path / "pool.csv"
    pool.write_text("dataset,formula\niris,x0+1\n", encoding="utf-8")
    assert "1 not found for a law of the corpora" in eic(*LAWS, "--pool", pool, status=2).err
    pool.write_text("a list of formulas\nx0+1\n", encoding="utf-8")
    assert (
        "does not say what its formulas were found for" in eic(*LAWS, "--pool", pool, status=2).err
    )


def test_an_interruption_is_no_traceback(monkeypatch: pytest.MonkeyPatch, eic: Callable) -> None:
    def interrupted(*given: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("eic_core.cli.gap_command.groups_of_laws", interrupted)
    assert eic(*LAWS, status=130).err.strip() == "interrupted"


def test_the_corpora_are_read_without_any_heavy_library() -> None:
    program = (
        "import sys; from eic_core.corpora import load; load('wikipedia'); "
        "print(*({'scipy', 'pandas', 'sklearn', 'torch', 'eic_core.search'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


# --- the shipped pool ---


def test_the_shipped_pool_has_a_formula_of_each_method_for_nearly_every_law() -> None:
    laws = {law.name for name in ("feynman", "strogatz") for law in load(name)}
    rows = shipped_pool()
    by_method = {m: {row.problem for row in rows if row.method == m} for m in METHODS}
    assert all(found <= laws for found in by_method.values())
    assert all(len(found) >= 130 for found in by_method.values())
    assert len(rows) == sum(map(len, by_method.values()))


def test_the_shipped_figures_of_found_formulas_are_what_the_code_computes() -> None:
    laws = {law.name: law for name in ("feynman", "strogatz") for law in load(name)}
    by_row = {row.row: row for row in shipped_pool()}
    checked = 0
    for group in groups_of_short_runs():
        for kept in group.formulas[:: cases(45, 4)]:
            row, law = by_row[int(kept.name.removeprefix("row "))], laws[kept.law]
            reading = read_candidate(row.candidate(), law.variables)
            assert (
                not isinstance(reading, Refused) and reading.formula.complexity == kept.complexity
            )
            for count in COUNTS[:2]:
                now = digits_of(reading.formula, law.samples(count), recheck=False)
                was = kept.digits[count]
                assert [was.eic, was.q90, was.r2] == pytest.approx(
                    [now.eic, now.q90, now.r2], abs=2e-6
                )
            assert kept.digits[COUNTS[-1]].r2 >= LEAST_R2 - 1e-6
            checked += 1
    assert checked >= 8


def test_the_search_that_made_the_pool_finds_again_what_is_shipped() -> None:
    law = load("feynman")["feynman_I_12_1"]
    kept = {row.method: row.formula for row in shipped_pool() if row.problem == law.name}
    for method in ("EIC-GP", "GP"):
        _, find = METHODS[method]
        assert find(law, law.samples(TRAINING_ROWS, TRAINING_SEED)) == kept[method]
