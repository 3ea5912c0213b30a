"""The service's digits under digits, and what the writing adds, without a browser."""

from __future__ import annotations

import dataclasses

import pytest

from eic_core.errors import UserError
from eic_core.explain.digit_rows import digit_rows
from eic_core.formula.syntax import read
from eic_core.measure import Domain
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectorService
from pages.ui.kit.workers import InThread

ROOTS = InspectionRequest(
    "sqrt(x+1) - sqrt(x)", domains=(("x", Domain("loguniform", 1.0, 1e8)),), samples=300
)
BETTER = "1/(sqrt(x + 1) + sqrt(x))"


class Counted(InThread):
    def __init__(self) -> None:
        self.asked = 0

    def run(self, *args: object, **kwargs: object) -> object:
        self.asked += 1
        return super().run(*args, **kwargs)  # type: ignore[arg-type]


def test_digits_are_computed_once_for_each_better_form() -> None:
    result = InspectorService().inspect(ROOTS)
    service = DiagnosisService()
    shown = service.digit_rows(result)
    assert service.digit_rows(result) is shown
    assert shown.to_json() == digit_rows(result.inspection).to_json()
    with_better = service.digit_rows(result, read(BETTER).formula)
    assert service.digit_rows(result, read(BETTER).formula) is with_better
    assert shown.worst_row is not None and not shown.worst_row.better
    assert with_better.worst_row is not None and with_better.worst_row.better_wrong <= 1
    assert service.digit_rows(result, kind="float32").digits == 9


def test_a_result_that_is_not_quick_is_looked_at_by_a_worker() -> None:
    workers = Counted()
    service = DiagnosisService(workers=workers)
    quick = InspectorService().inspect(InspectionRequest("x + 1", samples=100))
    service.digit_rows(quick)
    assert workers.asked == 0
    service.digit_rows(InspectorService().inspect(ROOTS))
    assert workers.asked == 1


def test_there_are_no_digits_before_the_exact_check_is_finished() -> None:
    result = InspectorService().inspect(ROOTS)
    cut_short = dataclasses.replace(result, missing="the check was stopped")
    with pytest.raises(UserError, match="before the exact check is finished"):
        DiagnosisService().digit_rows(cut_short)


def test_the_summary_holds_what_the_writing_adds_row_by_row() -> None:
    result = InspectorService().inspect(ROOTS)
    service = DiagnosisService()
    summary = service.summary(result, len(result.inspection.formula) - 1)
    added = summary.added
    assert added is not None and added == service.writing(result).added
    assert 3 < added.typical < added.nine_in_ten < added.worst < 9
