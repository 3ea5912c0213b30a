"""What the digits of a row and the gauges get from the server."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from unittest.mock import Mock

import pytest

from eic_core.drawing.gauges import END, HEIGHT, Gauge, gauges_html
from eic_core.drawing.scale import colour
from eic_core.explain.digit_rows import digit_rows
from eic_core.explain.phrases.digits import gauge_words
from eic_core.formula.syntax import read
from eic_core.measure import Domain
from eic_core.measure.measured import Quantiles
from pages.ui.bench.digit_row import record_of
from pages.ui.bench.gauges import gauges_of
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult, InspectorService
from pages.ui.kit.workers import InThread

LARGE = "+".join(f"sin({k}*x)*y-cos({k}*y)" for k in range(1, 9))


@cache
def result_of(text: str) -> InspectionResult:
    names = read(text).formula.variables
    domains = tuple((name, Domain("uniform", 1.0, 5.0)) for name in names)
    service = InspectorService()
    return service.inspect(InspectionRequest(text, domains=domains))


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize(
    ("text", "better"), [("10000*x-9999*x", "x"), ("x+1", None), (LARGE, LARGE)]
)
def test_the_record_is_small_and_has_all_that_the_browser_reads(
    text: str, better: str | None, kind: str
) -> None:
    result = result_of(text)
    form = None if better is None else read(better).formula
    rows = digit_rows(result.inspection, kind, form)
    record = json.loads(json.dumps(record_of(result, rows, form, searching=False)))
    assert len(json.dumps(record)) < 40_000
    assert record["kind"] == kind
    assert record["digits"] == {"float64": 17, "float32": 9}[kind]
    assert record["titles"].keys() == set(result.inspection.formula.variables)
    assert 0 <= record["typical"] <= record["nine_in_ten"] <= record["worst"]
    for row in record["rows"]:
        assert row["right"] <= row["end"] <= len(row["computed"])
        assert str(row["wrong"]) in record["sentences"]
        assert ("better" in row) is (form is not None)


def test_the_same_request_is_the_same_rows_and_another_is_not() -> None:
    def of(text: str) -> str:
        result = result_of(text)
        return str(record_of(result, digit_rows(result.inspection), None, searching=True)["of"])

    assert of("x+1") == of("x+1") != of("x+2")


def test_a_form_to_write_instead_is_named_in_short() -> None:
    result = result_of("10000*x-9999*x")

    def name(text: str) -> str:
        form = read(text).formula
        rows = digit_rows(result.inspection, better=form)
        assert record_of(result, rows, None, searching=True)["better"] == ""
        return str(record_of(result, rows, form, searching=False)["better"])

    assert name("x") == "x"
    assert 100 < len(name("x" + "+0*x" * 50)) <= 160


def labels(html: str) -> list[str]:
    return re.findall(r'aria-label="([^"]*)"', html)


def test_gauges_say_all_that_they_show() -> None:
    html = gauges_of(result_of("10000*x-9999*x").verdict, Quantiles(4.1, 4.2, 4.3, 4.2, 4.2))
    sensitivity, writing, measured = labels(html)
    assert (
        sensitivity
        == "Sensitivity: 4.4 digits typically, 4.4 at nine in ten rows, 4.4 at the worst"
    )
    assert writing == "Writing: 4.1 digits typically, 4.2 at nine in ten rows, 4.3 at the worst"
    assert measured.startswith("Measured: 3.6 digits typically, 4.0 at nine in ten rows")
    assert re.findall(r"<b [^>]*>([^<]*)</b>", html) == ["4.4", "4.2", "4.0"]
    assert html.count('role="tooltip"') == 3


def test_gauges_have_one_size_before_and_after_the_writing_is_known() -> None:
    verdict = result_of("x+1").verdict
    before, after = gauges_of(verdict, None), gauges_of(verdict, Quantiles(0, 0, 0, 0, 0))
    heights = {re.findall(r"(?<!-)height:(\d+)px", html)[0] for html in (before, after)}
    assert len(heights) == 1 and int(*heights) <= HEIGHT
    assert labels(before)[1] == "Writing: not computed yet"
    assert ">…</b>" in before and ">…</b>" not in after


def bars(digits: Quantiles) -> list[tuple[float, float]]:
    """Where the bars of a gauge begin, and how wide they are, in percent."""
    html = gauges_html([Gauge("Any", "any", digits)])
    places = re.findall(r"left:([\d.]+)%;width:([\d.]+)%", html)
    return [(float(left), float(width)) for left, width in places]


def test_bars_follow_one_another_to_the_typical_loss_to_nine_in_ten_and_to_the_worst() -> None:
    ends = [left + width for left, width in bars(Quantiles(2.0, 4.0, 8.0, 4.0, 4.0))]
    assert ends == pytest.approx([100 * value / END for value in (2, 4, 8)], abs=0.02)


def test_a_bar_has_the_colour_of_its_own_value_by_day_and_by_night() -> None:
    html = gauges_html([Gauge("Any", "any", Quantiles(1.0, 2.0, 6.0, 2.0, 2.0))])
    for value in (1.0, 2.0, 6.0):
        assert f"light-dark({colour(value)},{colour(value, True)})" in html


def test_an_infinite_loss_fills_the_gauge_with_hatches_and_an_undefined_one_is_empty() -> None:
    infinite = Quantiles(1.0, math.inf, math.inf, 1.0, math.inf)
    assert sum(width for _, width in bars(infinite)) == pytest.approx(100, abs=0.02)
    html = gauges_html([Gauge("Any", "any", infinite)])
    assert "repeating-linear-gradient" in html
    assert ">∞</b>" in html
    assert "all at nine in ten rows" in str(gauge_words("Any", infinite))
    undefined = Quantiles(*[math.nan] * 5)
    assert bars(undefined) == []
    assert str(gauge_words("Any", undefined)) == "Any: no value to compare"


def test_a_gauge_s_words_and_name_are_no_markup() -> None:
    html = gauges_html([Gauge("<b>", '"<i>', None)])
    assert "&lt;b&gt;" in html and "&quot;&lt;i&gt;" in html


# --- The service ---


ROOTS = InspectionRequest(
    "sqrt(x+1) - sqrt(x)", domains=(("x", Domain("loguniform", 1.0, 1e8)),), samples=300
)


@pytest.fixture(scope="module")
def roots() -> InspectionResult:
    return InspectorService().inspect(ROOTS)


def test_digits_are_computed_once_for_each_better_form(roots: InspectionResult) -> None:
    service, better = DiagnosisService(), read("1/(sqrt(x + 1) + sqrt(x))").formula
    shown = service.digit_rows(roots)
    assert service.digit_rows(roots) is shown
    assert shown.to_json() == digit_rows(roots.inspection).to_json()
    with_better = service.digit_rows(roots, better)
    assert service.digit_rows(roots, better) is with_better
    assert shown.worst_row is not None and not shown.worst_row.better
    assert with_better.worst_row is not None and with_better.worst_row.better_wrong <= 1
    assert service.digit_rows(roots, kind="float32").digits == 9


def test_a_result_that_is_not_quick_is_looked_at_by_a_worker(roots: InspectionResult) -> None:
    workers = Mock(wraps=InThread(), beside=False)
    service = DiagnosisService(workers=workers)
    service.digit_rows(result_of("x + 1"))
    assert workers.run.call_count == 0
    service.digit_rows(roots)
    assert workers.run.call_count == 1


def test_the_summary_holds_what_the_writing_adds_row_by_row(roots: InspectionResult) -> None:
    service = DiagnosisService()
    added = service.summary(roots, len(roots.inspection.formula) - 1).added
    assert added is not None and added == service.writing(roots).added
    assert 3 < added.typical < added.nine_in_ten < added.worst < 9
