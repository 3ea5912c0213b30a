"""What is stopped says so once, last, and nobody else is given what a clock stopped (ADR 0013)."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html import unescape

import pytest

from eic_core.measure import Domain
from eic_core.report import Provenance, render
from pages.ui.kit import wiring
from pages.ui.kit.caches import BoundedCache
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult, InspectorService
from pages.ui.kit.visit import MAX_EFFORT
from pages.ui.kit.workers import current_visitor
from tests.inspections import settle_at_most
from tests.pages.panels import answer
from tests.pages.test_app_inspector import buttons, html_of, open_page, type_formula

FORMULA = "sqrt(x+5) - sqrt(x)"
ROOTS = {"formula": FORMULA, "range": ["x=loguniform:1:1e8"]}
BETTER = "5/(sqrt(x + 5) + sqrt(x))"
SAME_ROOTS = InspectionRequest(FORMULA, domains=(("x", Domain("loguniform", 1.0, 1e8)),))
STOP = "Stopped after 0 s: no form was tried."


def test_a_cache_keeps_what_is_not_complete_for_its_owner_alone() -> None:
    cache, made = BoundedCache(1e6), iter("abc")

    def got(owner: str) -> str:
        return cache.get("key", lambda: next(made), lambda value: value == "c", owner=owner)

    assert [got(owner) for owner in "12123"] == ["a", "b", "a", "b", "c"]
    assert got("1") == "c"


def test_work_that_is_broken_off_is_not_kept() -> None:
    def stop(fraction: float) -> None:
        raise InterruptedError

    service = InspectorService()
    with pytest.raises(InterruptedError):
        service.inspect(SAME_ROOTS, progress=stop)
    assert service.inspect(SAME_ROOTS).inspection.finished


@pytest.fixture
def roots() -> InspectionResult:
    return InspectorService().inspect(SAME_ROOTS)


def test_a_search_that_a_clock_stopped_is_searched_again_for_the_next_visitor(
    roots: InspectionResult,
) -> None:
    service = DiagnosisService(seconds=0.0)
    token = current_visitor.set("slow")
    try:
        first = service.repairs(roots)
        assert str(first.sentence) == STOP and first.advice is None and not first.finished
        service.seconds = math.inf
        assert service.repairs(roots) is first
        current_visitor.set("quick")
        second = service.repairs(roots)
    finally:
        current_visitor.reset(token)
    assert second.finished and second.best is not None and second.best.text == BETTER
    assert service.repairs(roots) is second


def test_a_search_that_its_effort_stopped_serves_every_visitor() -> None:
    result = InspectorService().inspect(replace(SAME_ROOTS, effort=1e-3))
    service = DiagnosisService(seconds=math.inf)
    found = service.repairs(result)
    assert not found.finished and service.repairs(result) is found


def test_a_summary_and_a_report_of_a_stopped_search_say_so_last(roots: InspectionResult) -> None:
    service = DiagnosisService(seconds=0.0)
    summary = service.summary(roots, 5)
    assert (summary.instead, summary.stop) == ("", STOP)
    findings = service.findings(roots)
    assert findings.to_json()["finished"] is False
    page = render(findings, Provenance())
    assert page.rindex(STOP) > page.index('<section id="repair">')


# --- pages ---


@pytest.fixture
def diagnosis(monkeypatch: pytest.MonkeyPatch) -> DiagnosisService:
    """The services of the pages, which remember nothing yet."""
    made = DiagnosisService(seconds=math.inf)
    monkeypatch.setitem(wiring._built, "inspector", InspectorService())
    monkeypatch.setitem(wiring._built, "diagnosis", made)
    return made


def test_a_stopped_search_is_told_once_and_looking_further_finds_more(
    diagnosis: DiagnosisService,
) -> None:
    diagnosis.seconds = 0.0
    page = open_page(**ROOTS, ask="instead")
    said = unescape(html_of(page))
    assert said.count(STOP) == 2 and "All well" not in said  # once for eyes, once as a title
    assert "No form has been measured yet." in answer(page)
    diagnosis.seconds = math.inf
    page = page.button(key="look-further").click().run()
    assert page.query_params["effort"] == "4"
    assert "conjugate roots" in answer(page) and "Stopped" not in html_of(page)
    assert not buttons(page, "look-further")
    page = type_formula(page, "x + 1")
    assert "effort" not in page.query_params


def test_nothing_is_concluded_beside_a_stop(diagnosis: DiagnosisService) -> None:
    assert "All well" in html_of(open_page(formula="x + 1", range=["x=20:40"]))
    diagnosis.seconds = 0.0
    said = html_of(open_page(formula="x + 1", range=["x=20:41"]))
    assert STOP in said and "All well" not in said


def test_an_exact_check_that_was_stopped_is_told_once_and_can_go_on(
    diagnosis: DiagnosisService, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle_at_most(monkeypatch, 300, "log(exp(x))")
    page = open_page(formula="log(exp(x))", range=["x=normal:1000:1"], samples="1000")
    stop = "Stopped where the effort ended: 300 of 1,000 rows that double precision cannot tell"
    assert unescape(html_of(page)).count(stop) == 2
    page = page.button(key="look-further").click().run()
    assert "Stopped where" not in unescape(html_of(page))


def test_an_effort_of_a_link_has_an_end(diagnosis: DiagnosisService) -> None:
    page = open_page(formula="x", effort="100000")
    assert f"is taken as {MAX_EFFORT}." in re.sub(r"<.*?>", "", html_of(page))
