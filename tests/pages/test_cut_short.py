"""A result cut short is not a result: not kept for others, not drawn, not handed out (ADR 0013)."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from eic_core.errors import UserError
from eic_core.measure import Domain
from eic_core.report import Provenance, render
from pages.ui.inspector.share import _json
from pages.ui.kit import wiring
from pages.ui.kit.caches import BoundedCache, UnfinishedAnswers
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult, InspectorService
from pages.ui.kit.visit import Visit
from tests.clocks import PacedClock
from tests.pages.conftest import UNHURRIED
from tests.pages.panels import answer, chart, parts
from tests.pages.test_app_inspector import buttons, html_of, open_page, type_formula
from tests.pages.test_compare import open_page as open_compare

NEAR_1000 = (("x", Domain("normal", 1000.0, 1.0)),)
OVERFLOWING = InspectionRequest("log(exp(x))", domains=NEAR_1000)
"""Every sample overflows in double precision, and loses three digits."""

FORMULA = "sqrt(x+5) - sqrt(x)"
ROOTS = {"formula": FORMULA, "range": ["x=loguniform:1:1e8"]}
BETTER = "5/(sqrt(x + 5) + sqrt(x))"
SAME_ROOTS = InspectionRequest(FORMULA, domains=(("x", Domain("loguniform", 1.0, 1e8)),))
STOPPED = (
    r"The exact check was stopped after 10 seconds, \d+ % of the way, so it is not known "
    r"yet how sensitive the formula is\."
)
SLOW, QUICK = 0.25, 0.0


# --- caches ---


def test_a_cache_keeps_only_what_is_complete() -> None:
    cache, made = BoundedCache(1e6), iter("abc")
    values = [cache.get("key", lambda: next(made), lambda value: value != "a") for _ in range(3)]
    assert values == ["a", "b", "b"] and len(cache) == 1


def test_what_was_finished_takes_the_place_of_what_was_not() -> None:
    aside = UnfinishedAnswers()
    assert aside.get("key", lambda: "part") == aside.get("key", lambda: "other") == "part"
    aside.put("key", "whole")
    assert aside.get("key", lambda: "other") == "whole"


# --- inspection ---


def test_a_slow_first_visit_leaves_nothing_for_a_quick_second_one() -> None:
    clock = PacedClock(SLOW)
    service = InspectorService(clock=clock)
    first = service.inspect(OVERFLOWING, aside=UnfinishedAnswers())
    assert not first.complete
    assert re.fullmatch(STOPPED, first.missing)
    clock.pace = QUICK
    second = service.inspect(OVERFLOWING, aside=UnfinishedAnswers())
    assert second.complete and second.missing == ""
    assert second.inspection.eic == pytest.approx(3.0, abs=0.01)
    assert second.inspection.counts.rechecked == 1_000
    assert service.inspect(OVERFLOWING, aside=UnfinishedAnswers()) is second


def test_a_visit_that_looks_again_need_not_wait_for_the_limit_again() -> None:
    service, aside = InspectorService(clock=PacedClock(SLOW)), UnfinishedAnswers()
    first = service.inspect(OVERFLOWING, aside=aside)
    assert service.inspect(OVERFLOWING, aside=aside) is first
    assert service.inspect(OVERFLOWING, aside=UnfinishedAnswers()) is not first


def test_a_visit_that_comes_back_to_a_request_has_it_computed_again() -> None:
    here = Visit()
    aside = here.asking(OVERFLOWING)
    assert here.asking(OVERFLOWING) is aside
    here.asking(InspectionRequest("x"))
    assert here.asking(OVERFLOWING) is not aside


def test_without_a_limit_a_slow_machine_comes_to_the_end() -> None:
    service = InspectorService(clock=PacedClock(SLOW))
    found = service.inspect(OVERFLOWING, seconds=math.inf)
    assert found.complete and found.inspection.eic == pytest.approx(3.0, abs=0.01)
    assert service.inspect(OVERFLOWING) is found


def test_what_needs_no_check_is_complete_on_the_slowest_machine() -> None:
    assert InspectorService(clock=PacedClock(1e6)).inspect(InspectionRequest("x+1")).complete


def test_work_that_is_broken_off_is_not_kept() -> None:
    def stop(fraction: float) -> None:
        raise InterruptedError

    service = InspectorService(clock=PacedClock(0.0))
    with pytest.raises(InterruptedError):
        service.inspect(OVERFLOWING, progress=stop)
    assert service.inspect(OVERFLOWING).complete


def test_nothing_is_concluded_from_an_inspection_that_was_cut_short() -> None:
    inspector = InspectorService(clock=PacedClock(SLOW))
    result, service = inspector.inspect(OVERFLOWING), DiagnosisService()
    for ask in (
        lambda: service.blame(result, 0),
        lambda: service.where(result, 0),
        lambda: service.writing(result),
        lambda: service.what_if(result, 0),
        lambda: service.repairs(result),
        lambda: service.triangulation(result),
        lambda: service.budget(result, 1e-3),
        lambda: service.findings(result),
        lambda: service.summary(result, 0),
    ):
        with pytest.raises(UserError, match="before the exact check is finished"):
            ask()
    assert service.summary(inspector.inspect(OVERFLOWING, seconds=math.inf), 2).why


# --- what to write instead ---


@pytest.fixture
def roots() -> InspectionResult:
    return InspectorService(clock=PacedClock(0.0)).inspect(SAME_ROOTS)


def test_a_search_cut_short_is_searched_again_by_the_next_visit(roots: InspectionResult) -> None:
    service = DiagnosisService(seconds=0.0)
    first = service.repairs(roots, aside=UnfinishedAnswers())
    assert not first.finished and first.best is None
    assert str(first.missing) == (
        "No better form was looked for: measuring the formula was cut short by its time limit."
    )
    assert str(first.missing) in str(first.sentence) and first.advice is None
    assert first.to_json()["missing"] == str(first.missing)
    service.seconds = math.inf
    second = service.repairs(roots, aside=UnfinishedAnswers())
    assert second.finished and second.missing is None
    assert second.best is not None and second.best.text == BETTER
    assert service.repairs(roots) is second


def test_a_search_to_the_end_serves_every_later_visit_whatever_its_limit(
    roots: InspectionResult,
) -> None:
    service = DiagnosisService(seconds=0.0)
    found = service.repairs(roots, math.inf)
    assert found.finished and service.repairs(roots) is found


def test_a_summary_and_a_report_of_a_search_cut_short_say_so_first_and_are_not_kept(
    roots: InspectionResult,
) -> None:
    service = DiagnosisService(seconds=0.0)
    first = service.summary(roots, 5, aside=UnfinishedAnswers())
    assert not first.complete and "cut short by its time limit" in first.instead
    findings = service.findings(roots, aside=UnfinishedAnswers())
    assert not findings.complete and findings.to_json()["complete"] is False
    assert findings.to_json()["unfinished"] == {"repair": str(findings.repairs.missing)}
    page = render(findings, Provenance())
    warning = page.index("This report is not complete.")
    assert warning < page.index('<dl class="answers">')
    service.seconds = math.inf
    second = service.summary(roots, 5, aside=UnfinishedAnswers())
    assert second.complete and second.better == BETTER
    whole = service.findings(roots, aside=UnfinishedAnswers())
    assert whole.complete and whole.to_json()["unfinished"] == {}
    assert "This report is not complete." not in render(whole, Provenance())


def test_the_json_of_a_result_says_that_it_is_complete() -> None:
    result = InspectorService(clock=PacedClock(0.0)).inspect(InspectionRequest("x+1"))
    document = json.loads(_json(result, Provenance(result.reading, result.domains)))
    assert document["complete"] is True and document["missing"] == ""


# --- pages ---


@dataclass
class Clocks:
    """What makes a service quick or slow; quick at first."""

    inspector: PacedClock = field(default_factory=lambda: PacedClock(QUICK))
    diagnosis: DiagnosisService = field(default_factory=lambda: DiagnosisService(seconds=math.inf))


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    """The clocks of the services of the pages, which remember nothing yet."""
    made = Clocks()
    monkeypatch.setitem(wiring._built, "inspector", InspectorService(clock=made.inspector))
    monkeypatch.setitem(wiring._built, "diagnosis", made.diagnosis)
    return made


def finished(page: AppTest) -> AppTest:
    """The page once what was to be finished is."""
    job = page.session_state["visit"].finishing
    assert job is not None and job.wait(UNHURRIED)
    return page.run()


OPENED = {"formula": "log(exp(x))", "range": ["x=normal:1000:1"]}


def test_an_unfinished_check_is_marked_and_nothing_of_it_is_drawn_until_it_is_finished(
    clocks: Clocks,
) -> None:
    clocks.inspector.pace = SLOW
    page = open_page(**OPENED)
    said = unescape(html_of(page))
    assert "The check is not finished, so there is no result yet" in said
    assert re.search(STOPPED, said)
    assert not parts(page) and not page.get("plotly_chart") and not buttons(page, "download")
    for bare in ("eic-sentence", "eic-metric", "real value", "nan"):
        assert bare not in said
    page = finished(page.button(key="finish").click().run())
    assert "No double-precision value at" in unescape(html_of(page))
    assert not buttons(page, "finish") and "eic-tree-pane" in parts(page)


def test_an_unfinished_check_is_no_last_good_result_nor_one_for_a_later_visitor(
    clocks: Clocks,
) -> None:
    clocks.inspector.pace = SLOW
    page = type_formula(open_page(**OPENED), "log(exp(")
    assert "the last formula that could be measured" not in html_of(page)
    assert "eic-sentence" not in html_of(page)
    clocks.inspector.pace = QUICK
    assert "No double-precision value at" in unescape(html_of(open_page(**OPENED)))


def test_asking_for_something_else_ends_what_was_to_be_finished(clocks: Clocks) -> None:
    clocks.inspector.pace = SLOW
    page = open_page(**OPENED).button(key="finish").click().run()
    job = page.session_state["visit"].finishing
    type_formula(page, "x + 1")
    assert job.wait(UNHURRIED) and (job.cancelled or job.result)
    assert page.session_state["visit"].finishing is None


def test_a_search_cut_short_is_marked_and_can_go_on_to_its_end(clocks: Clocks) -> None:
    clocks.diagnosis.seconds = 0.0
    page = open_page(**ROOTS, ask="instead")
    assert "cut short by its time limit" in answer(page)
    page = finished(page.button(key="finish").click().run())
    assert "conjugate roots" in answer(page) and "cut short" not in answer(page)
    assert not buttons(page, "finish")
    job = page.session_state["visit"].summary_job
    assert job.wait(UNHURRIED)
    assert "cut short" not in html_of(page.run())
    assert f"Write `{BETTER}`" in job.result.instead


def test_two_formulas_are_compared_only_once_both_are_finished(clocks: Clocks) -> None:
    clocks.inspector.pace = SLOW
    page = open_compare(formula="x", b="log(exp(x))", range="x=normal:1000:1")
    said = unescape(html_of(page))
    assert "B: The exact check was stopped" in said
    assert "cannot be compared" not in said and chart(page, "pair-plot") is None
    page = finished(page.button(key="finish").click().run())
    assert "EIC of B is 3.0 digits more than that of A" in unescape(html_of(page))
