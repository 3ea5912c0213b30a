"""What is told of formulas, all of it, for tests that it is the same wherever it is asked for."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from benchmarks.repairs import library, textbook
from benchmarks.repairs.cases import Case, Ranges
from eic_core.cli.main import main
from eic_core.exports import plain_value
from eic_core.formula.rendering import to_python
from eic_core.samples import Domain, sample_domains
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectorService
from pages.ui.kit.workers import InThread, Workers


def chosen(count: int) -> list[Case]:
    cases = [case for case in (*textbook.CASES, *library.CASES) if _is_plain(case)]
    return [cases[i * len(cases) // count] for i in range(count)]


def _is_plain(case: Case) -> bool:
    return isinstance(case.points, Ranges) and not case.points.condition


def answers(
    cases: Sequence[Case], effort: float, samples: int, workers: Workers
) -> Iterator[tuple[str, str]]:
    """For each formula the output of `inspect` and of `repair`, and what the page says; that of
    `pick` from all of them. Names and texts, as they come.
    """
    inspector = InspectorService(workers=workers)
    diagnosis = DiagnosisService(seconds=float("inf"), workers=workers)
    for case in cases:
        formula = to_python(case.read())
        domains = tuple(Domain.parse(text) for text in case.points.texts)
        words = ["--range", *case.points.texts, "--samples", str(samples)]
        for command in ("inspect", "repair"):
            options = ["--syntax", "infix", "--effort", str(effort), "--json"]
            yield f"{command} {case.name}", _printed([command, *words, *options, "--", formula])
        request = InspectionRequest(formula, "infix", domains, samples, effort=effort)
        result = inspector.inspect(request)
        summary = diagnosis.summary(result, result.inspection.worst_step)
        parts = [result.inspection, result.verdict, result.spread, diagnosis.digit_rows(result)]
        page = plain_value([*parts, summary.losses, {**vars(summary), "form": None}])
        yield f"page {case.name}", json.dumps(page, default=str)
    yield "pick", _picked(cases)


def _picked(cases: Sequence[Case]) -> str:
    formulas = [case.read() for case in cases]
    names = sorted({name for formula in formulas for name in formula.variables})
    columns = sample_domains({name: Domain("uniform", 1, 5) for name in names}, count=50).columns
    target = np.prod([columns[name] for name in names[:2]], axis=0)
    with tempfile.TemporaryDirectory() as folder:
        table, front = Path(folder) / "table.csv", Path(folder) / "front.csv"
        rows = zip(*columns.values(), target, strict=True)
        lines = [",".join([*columns, "f"]), *[",".join(map(repr, map(float, r))) for r in rows]]
        table.write_text("\n".join(lines))
        texts = [json.dumps(to_python(formula)) for formula in formulas]
        front.write_text("\n".join(["formula", *texts]))
        return _printed(["pick", str(front), "--data", str(table), "--syntax", "infix", "--json"])


def _printed(arguments: list[str]) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(arguments) == 0
    return printed.getvalue()


if __name__ == "__main__":
    count, effort, samples = map(float, sys.argv[1:])
    print(json.dumps(dict(answers(chosen(int(count)), effort, int(samples), InThread()))))
