"""Every number of a report is found again by a script that shares no code with it."""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from study.model_plan import CONTRASTS, Contrast
from study.report import StudyExport, write_export
from study.report.analysis import analyse
from study.report.document import document
from study.statistics.clusters import Estimand
from study.statistics.exclusions import ExclusionRule, session_seconds
from tests.effort import cases
from tests.study.simulated_models import MODELS, with_models
from tests.study.simulated_study import simulated_export

SCRIPT = Path(__file__).with_name("recompute.py")
ALLOWED = {
    "__future__",
    "argparse",
    "ast",
    "collections",
    "csv",
    "json",
    "math",
    "numpy",
    "scipy",
    "statsmodels",
    "krippendorff",
}
TOLERANCE = 1e-9


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> StudyExport:
    """The demo's pairs, rated by 20 or 40 simulated people."""
    return simulated_export(tmp_path_factory.mktemp("simulated"), raters=cases(20, 40), seed=1)


def numbers(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every leaf of a JSON document that is a number, or that stands for none."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers(inner, (*path, i))
    elif value is None or isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def few_problems(export: StudyExport) -> StudyExport:
    """The same study on six of its problems: pairs are the clusters then."""
    kept = set(sorted({pair.problem for pair in export.pairs})[:6])
    votes = [v for v in export.votes if not v.on_a_pair or v.problem in kept]
    seconds = session_seconds(votes)
    return replace(
        export,
        pairs=tuple(pair for pair in export.pairs if pair.problem in kept),
        votes=tuple(replace(v, session_seconds=seconds.get(v.rater, 0.0)) for v in votes),
        exclusion=ExclusionRule(4.0, "vote"),
    )


def alike(value: float | None, other: float | None) -> bool:
    if value is None or other is None:
        return value is other
    return math.isclose(value, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


CASES: dict[str, tuple[Estimand | None, float, int]] = {
    "as it is": (None, 0.95, 0),
    "few problems": ("pairs like these", 0.9, 3),
    "these pairs": ("these pairs", 0.99, 11),
}


CONTRAST_OF: dict[str, Contrast] = dict(zip(CASES, CONTRASTS, strict=True))


@pytest.mark.parametrize("case", CASES)
def test_an_independent_script_recomputes_every_number_of_the_report(
    export: StudyExport, tmp_path: Path, case: str
) -> None:
    estimand, level, seed = CASES[case]
    export = few_problems(export) if case == "few problems" else export
    names = MODELS if case == "as it is" else MODELS[:2]
    export = with_models(export, contrast=CONTRAST_OF[case], names=names)
    write_export(tmp_path, export)
    report = document(analyse(export, level=level, seed=seed, estimand=estimand))
    options = ["--level", str(level), "--seed", str(seed), "--estimand", estimand or ""]
    done = subprocess.run(
        [sys.executable, "-I", SCRIPT, tmp_path, *options],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    again = dict(numbers(json.loads(done.stdout)))
    reported = dict(numbers(json.loads(json.dumps(report, allow_nan=False))))
    assert sorted(reported.keys() - again.keys(), key=str) == [], "reported, but not recomputed"
    assert sorted(again.keys() - reported.keys(), key=str) == [], "not in the report"
    different = {
        path: (value, again[path])
        for path, value in reported.items()
        if not alike(value, again[path])
    }
    assert not different


def test_the_script_shares_no_code_with_the_project() -> None:
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(SCRIPT.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "."]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= ALLOWED


def test_a_number_that_is_off_in_the_eighth_place_would_be_noticed(export: StudyExport) -> None:
    found = dict(numbers(document(analyse(export))))
    wrong = {path: value for path, value in found.items() if isinstance(value, float)}
    assert len(wrong) > 50
    for value in wrong.values():
        assert not alike(value, value * (1 + 1e-8) + math.copysign(1e-8, value))
