"""The inspector offers its report as a file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from eic_core.errors import UserError
from eic_core.explain.budget import TOLERANCE
from eic_core.measure.table import read_table
from eic_core.report import command_line, investigate
from pages.ui.inspector import share
from pages.ui.kit import diagnosis_service as answers
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult, InspectorService
from tests.pages.panels import open_with_table
from tests.pages.test_app_inspector import open_page


def test_the_report_is_among_the_downloads() -> None:
    page = open_page(formula="10000*x-9999*x")
    assert "Report, HTML" in [button.proto.label for button in page.get("download_button")]


@pytest.fixture
def tab(monkeypatch):
    """A stand-in for the visit: only its table matters."""
    here = SimpleNamespace(table=None)
    monkeypatch.setattr(share, "current_visit", lambda: here)
    return here


def test_a_report_of_ranges_says_how_to_have_them_again(tab) -> None:
    result = shown(InspectionRequest("x*y - 1", samples=50, seed=4))
    known = share.provenance_of(result)
    command = command_line(result.inspection.formula, result.inspection.samples, known)
    assert "--samples 50 --seed 4" in command and "x=1.0:5.0 y=1.0:5.0" in command
    assert known.notices == result.notices != ()


def test_a_report_of_a_table_says_which_column_is_which(tab) -> None:
    tab.table = read_table(b"a,b,t\n1,2,3\n4,5,6\n", source="data.csv")
    request = InspectionRequest("x0 - x1", upload=tab.table.digest)
    result = InspectorService().inspect(request, tab.table)
    known = share.provenance_of(result)
    assert (known.file_name, known.file_hash) == ("data.csv", tab.table.digest)
    assert known.mapping == {"x0": "a", "x1": "b"} and known.target == "t"
    inspection = result.inspection
    told = command_line(inspection.formula, inspection.samples, known)
    assert "--data data.csv --target t" in told
    swapped = replace(known, mapping={"x0": "b", "x1": "a"})
    assert command_line(inspection.formula, inspection.samples, swapped) is None


def made_elsewhere(make: Callable[[], str]) -> str:
    """What a download holds: it is made in a thread that no visit belongs to."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(make).result()


@pytest.fixture
def offered(monkeypatch) -> dict[str, Callable[[], str]]:
    """What makes each download of the page that is opened next."""
    makers: dict[str, Callable[[], str]] = {}

    def note(label: str, *, data: Callable[[], str], **_: Any) -> None:
        makers[label] = data

    monkeypatch.setattr(share.st, "download_button", note)
    return makers


def test_every_download_can_be_made_and_parses(offered) -> None:
    open_page(formula="log(x)-3*sin(x)")
    texts = {label.rpartition(", ")[2]: made_elsewhere(make) for label, make in offered.items()}
    assert json.loads(texts["JSON"])["complexity"] == 7
    assert len(texts["CSV"].strip().splitlines()) == 8
    assert texts["SVG"].lstrip().startswith(("<svg", "<?xml"))
    assert "\\log" in texts["LaTeX"] or "\\ln" in texts["LaTeX"]
    compile(texts["Python"], "eic_reproduce.py", "exec")
    assert texts["HTML"].startswith("<!DOCTYPE html>") and "What to write instead" in texts["HTML"]


def test_files_made_after_the_run_still_know_the_table_and_the_tolerance(offered) -> None:
    open_with_table("a,b,t\n1,2,3\n4,5,6\n", formula="x0 - x1", tolerance="0.02")
    document = json.loads(made_elsewhere(offered["Results, JSON"]))
    assert document["data"]["file"] == "rows.csv"
    assert document["data"]["columns"] == {"x0": "a", "x1": "b"}
    script = made_elsewhere(offered["Reproduce it, Python"])
    assert "read_table(Path('rows.csv').read_bytes())" in script
    report = made_elsewhere(offered["Report, HTML"])
    assert "--data rows.csv" in report and "--tolerance 0.02" in report


ROOTS = InspectionRequest("sqrt(x+1) - sqrt(x) + log(y)", samples=200, seed=2)


def shown(request: InspectionRequest = ROOTS) -> InspectionResult:
    return InspectorService().inspect(request)


def test_the_page_finds_what_the_command_line_finds() -> None:
    result = shown()
    here = DiagnosisService(seconds=math.inf).findings(result)
    there = investigate(result.inspection, seed=result.request.seed)
    assert here.to_json() == there.to_json()


def test_a_report_computes_nothing_that_the_page_has_answered(monkeypatch) -> None:
    result, service = shown(), DiagnosisService(seconds=math.inf)
    service.summary(result, result.inspection.worst_step)
    service.triangulation(result)
    service.budget(result, TOLERANCE)
    for name in ("blame", "where", "writing_loss", "repair", "triangulate", "digit_budget"):
        monkeypatch.setattr(answers, name, None)
    found = service.findings(result)
    assert found.missing == {} and found.repairs is not None
    assert found.repairs is service.repairs(result)


def test_what_the_page_cannot_answer_is_said_in_its_report(monkeypatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise UserError("the numbers are too odd")

    monkeypatch.setattr(answers, "digit_budget", refused)
    found = DiagnosisService(seconds=math.inf).findings(shown())
    assert found.budget is None and found.triangulation is not None
    assert "the numbers are too odd" in found.missing["budget"]
