"""Every number of a report is found again by a script that shares no code with it."""

from __future__ import annotations

import ast
import io
import json
import math
import runpy
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from eic_core import wording
from study.model_plan import CONTRASTS, Contrast
from study.report import StudyExport, write_export
from study.report.analysis import StudyReport, analyse
from study.report.document import document
from study.report.methods import methods_text
from study.report.tables import LOOKS, long_csv, numbers_csv, pairs_csv
from study.statistics.clusters import Estimand
from study.statistics.exclusions import ExclusionRule, session_seconds
from tests.effort import FULL, cases
from tests.study.exports import rows
from tests.study.simulated_models import MODELS, with_models
from tests.study.simulated_study import simulated_export

SCRIPT = Path(__file__).with_name("recompute.py")
ALLOWED = {
    "__future__",
    "argparse",
    "ast",
    "collections",
    "csv",
    "functools",
    "itertools",
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


class Twice(NamedTuple):
    """A report and its numbers, the same found again by the script, and what the script defines."""

    report: StudyReport
    reported: dict[tuple[Any, ...], Any]
    again: dict[tuple[Any, ...], Any]
    script: dict[str, Any]


@pytest.fixture(scope="module", params=CASES)
def twice(
    request: pytest.FixtureRequest, export: StudyExport, tmp_path_factory: pytest.TempPathFactory
) -> Twice:
    case, folder = request.param, tmp_path_factory.mktemp("export")
    estimand, level, seed = CASES[case]
    export = few_problems(export) if case == "few problems" else export
    names = MODELS if case == "as it is" else MODELS[:2]
    export = with_models(export, contrast=CONTRAST_OF[case], names=names)
    write_export(folder, export)
    report = analyse(export, level=level, seed=seed, estimand=estimand)
    options = ["--level", str(level), "--seed", str(seed), "--estimand", estimand or ""]
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(io.StringIO()) as printed:
        patched.setattr(sys, "argv", [str(SCRIPT), str(folder), *options])
        script = runpy.run_path(str(SCRIPT), run_name="__main__")
    reported = json.dumps(document(report), allow_nan=False)
    found = [dict(numbers(json.loads(text))) for text in (reported, printed.getvalue())]
    return Twice(report, *found, script)


def test_an_independent_script_recomputes_every_number_of_the_report(twice: Twice) -> None:
    _, reported, again, _ = twice
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


def test_a_number_that_is_off_in_the_eighth_place_would_be_noticed(twice: Twice) -> None:
    wrong = [value for value in twice.reported.values() if isinstance(value, float)]
    assert len(wrong) > 50
    for value in wrong:
        assert not alike(value, value * (1 + 1e-8) + math.copysign(1e-8, value))


def test_the_tables_of_the_archive_are_enough_for_who_reads_the_methods(twice: Twice) -> None:
    """From votes_long.csv and pairs.csv alone, by the columns that methods.md names."""
    report, by_hand = twice.report, twice.script
    level, estimand = report.level, report.estimand
    pairs = {row["pair"]: row for row in rows(pairs_csv(report))}
    used = [
        row
        for row in rows(long_csv(report))
        if row["excluded"] == "false" and row["pair"] and row["choice"] != "tie"
    ]
    assert [row["chose_lower"] for row in used] == [
        "true" if row["choice"] == "lower" else "false" for row in used
    ]

    def column(name: str) -> Any:
        return np.array([float(pairs[row["pair"]][name]) for row in used])

    counted = [column(name) for name in LOOKS]
    noticed = [2 * d / (1 + abs(d)) for d in (*counted, column("complexity_gap"))]
    gap, side = column("eic_gap"), [row["lower_side"] == "left" for row in used]
    columns = (
        gap - gap.mean(),
        np.array(side) - 0.5,
        *noticed[:-1],
        100 * column("r2_gap"),
        noticed[-1],
        *counted,
    )
    structure = by_hand["regression"](columns, used, level)["terms"]
    last = max(float(row["position"]) for row in used)
    third = [row for row in used if 3 * float(row["position"]) <= last]
    head = by_hand["clustered"](used, level, estimand)
    agreement = by_hand["agreement"](used, level, estimand)
    found = {
        "headline": head,
        "equal_problems": by_hand["equal_problems"](used, level, estimand),
        "threats.sides": by_hand["sides"](
            [r | {"left": r["chose_left"] == "true"} for r in used], level
        ),
        "threats.ballots.thirds.first third": by_hand["rate_of"](third, level),
        "threats.structure.fit.terms.intercept": structure[0],
        "threats.structure.fit.terms.the gap in EIC": structure[1],
        **{f"agreement.{name}": agreement[name] for name in ("raw_agreement", "fleiss_kappa")},
    }
    if FULL or estimand == "pairs like these":  # the dearest, and the fewest votes
        found["mixed"] = by_hand["mixed"](used, level)
    numbers = {row["number"]: row for row in rows(numbers_csv(report))}
    text, ends = " ".join(methods_text(report).split()), head["interval"]
    assert wording.percent_range(ends["low"], ends["high"], 1) in text
    assert f"V = {report.inference.variance:.4g}." in text
    assert "(H/(H − 1))²" in text or report.estimand != "problems like these"
    for method in {row["method"] for row in numbers.values()}:
        assert method.split(" by ")[0] in text, method
    for name, of in found.items():
        if of["interval"] is None:
            assert f"{name}.interval" not in numbers
            continue
        row = numbers[f"{name}.interval"]
        for end in ("low", "high"):
            assert alike(of["interval"][end], float(row[end])), name
        for p in {"p_value", "p_two_sided"} & of.keys():
            assert f"{name}.{p}" not in numbers or alike(
                of[p], float(numbers[f"{name}.{p}"]["value"])
            ), name
