"""One question, one number: every place that shows one takes it from the same table of values."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from benchmarks.repairs.textbook import CASES
from eic_core import wording
from eic_core.cli.inspect_command import describe
from eic_core.corpora.laws import load
from eic_core.drawing.svg import tree_svg
from eic_core.explain.judgement import VerdictNumbers
from eic_core.explain.phrases import code_text
from eic_core.explain.phrases.headline import LONG, marks
from eic_core.explain.phrases.losses import account_line
from eic_core.measure.inspection import INHERITED
from eic_core.measure.measured import Quantiles
from eic_core.report import sections
from eic_core.samples import Domain
from pages.ui.bench.gauges import gauges_of
from pages.ui.bench.tree_pane import pane_of
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult, InspectorService
from tests.audit.examples import EXAMPLES
from tests.effort import cases, dear

SERVICE, DIAGNOSES = InspectorService(), DiagnosisService()

REWRITTEN = [
    InspectionRequest("cos(x + y) - cos(x)"),
    InspectionRequest("log(exp(x) + exp(y))", domains=(("x", Domain("uniform", 700, 800)),)),
    InspectionRequest("x + y - x"),
    *[
        InspectionRequest(case.formula, domains=tuple(map(Domain.parse, case.points.texts)))
        for case in CASES
    ],
]


def table(numbers: VerdictNumbers) -> dict[str, object]:
    return {**numbers.to_json(), "of": numbers.measured.positions.tolist()}


@dear(12)
@pytest.mark.parametrize("request_", REWRITTEN, ids=lambda request: request.formula)
def test_what_instead_promises_is_what_the_page_says_after_the_click(
    request_: InspectionRequest,
) -> None:
    result = SERVICE.inspect(request_)
    repairs = DIAGNOSES.repairs(result)
    assert table(repairs.written) == table(result.verdict.numbers)
    for form in (*repairs.repairs, *repairs.approximations):
        taken = replace(request_, formula=form.text, syntax="infix", base=result.reading.index_base)
        after = SERVICE.inspect(taken).verdict.numbers
        assert table(form.instead) == table(after)
        assert table(form.written) == table(result.verdict.numbers)
    for form in repairs.front[1:]:
        assert form.is_original or any(
            form.numbers is one.instead for one in (*repairs.repairs, *repairs.approximations)
        )


def requests() -> Iterator[InspectionRequest]:
    """300 formulas: the audit's on ranges, textbook cases, laws."""
    for text, ranges, *_ in EXAMPLES:
        if not re.search(r"\[|tail", ranges):
            yield InspectionRequest(text, domains=tuple(map(Domain.parse, ranges.split())))
    yield from REWRITTEN
    for law in load("feynman"):
        yield InspectionRequest(law.formula)
    for law in load("wikipedia"):
        yield InspectionRequest(law.formula)


SHOWN = list({each.formula + str(each.domains): each for each in requests()}.values())[:300]


@cache
def shown(at: int) -> InspectionResult:
    return SERVICE.inspect(replace(SHOWN[at], samples=300))


QUICK = range(0, 300, cases(15, 1))


def one_decimal(digits: Quantiles) -> list[str]:
    return [wording.number(v, 1) for v in (digits.typical, digits.nine_in_ten, digits.worst)]


@pytest.mark.parametrize("at", QUICK, ids=lambda at: SHOWN[at].formula[:60])
def test_all_places_show_the_numbers_of_one_table(at: int) -> None:
    result = shown(at)
    inspection, verdict = result.inspection, result.verdict
    numbers, printed = verdict.numbers, wording.digits_lost
    sensitivity, measured = numbers.sensitivity, numbers.measured.quantiles

    # gauges: nine in ten rows stands as a number, all three in words
    writing = DIAGNOSES.writing(result).added
    gauges = html.unescape(gauges_of(verdict, writing))
    assert re.findall(r"font-weight:650\">([^<]*)</b>", gauges) == [
        one_decimal(each)[1] for each in (sensitivity, writing, measured)
    ]
    for name, each in (("Sensitivity", sensitivity), ("Measured", measured)):
        said = re.search(rf'aria-label="{name}: ([^"]*)"', gauges)
        told = re.findall(r"\ball\b|\d+\.\d", said[1]) if said else []
        expected = [{"∞": "all"}.get(v, v) for v in one_decimal(each)]
        assert told == ([] if "—" in expected else expected)

    # inspect's text
    lines = describe(inspection, result.reading, {})
    for word, each in (("sensitivity", sensitivity), ("measured", measured)):
        (line,) = [line for line in lines if line.startswith(word)]
        values = one_decimal(each)
        assert re.findall(r"∞|\d+\.\d+", line) == ([] if "—" in values else values)

    # JSON
    document = verdict.to_json()
    assert document["sensitivity"] == sensitivity.to_json()
    assert document["measured"] == numbers.measured.to_json()
    assert document["range_cost"] == numbers.range_cost.to_json()
    assert document["without_value"] == numbers.without_value

    # the tree, its pane and the line with EIC: local EIC, the mean
    labels = re.findall(r"local EIC (?:≤ )?([^,\"]+),", html.unescape(tree_svg(inspection)))
    assert set(labels) <= {printed(node.local_eic) for node in inspection.nodes}
    pane = pane_of(result)
    assert [node.digits for node in pane.nodes] == pytest.approx(
        [node.local_eic for node in inspection.nodes], rel=0, abs=0, nan_ok=True
    )
    findings = DIAGNOSES.diagnosis(result, inspection.worst_step)
    if inspection.counts.valid:
        eic = printed(inspection.eic)
        assert lines[2].startswith(f"EIC {eic}, worst step ") or lines[2].startswith(f"EIC {eic} (")
        step = inspection.nodes[inspection.worst_step]
        assert f"worst step {code_text(inspection.formula, step.node.id, LONG)}" in lines[2]
        assert pane.worst_step == step.node.id == findings.ledger.target
        # it creates the loss, or has nearly all of it: no step below is as large and adds more
        assert not step.local_eic < INHERITED * inspection.eic
        (own,) = re.findall(r"worst step (?:`[^`]*`)(?: \((\S+)\))?", lines[2])
        assert (own or eic) == printed(step.local_eic)

    # a mean has two decimals wherever it is told, and says that it is one
    told = [*findings.sentences, str(account_line(findings.losses)), *map(str, verdict.notes)]
    of_eic = re.findall(r"\(EIC\) (\d\S*) digits|EIC is (\d\S*) digits", " ".join(told))
    means = {printed(inspection.eic), printed(inspection.eic_finite)}
    assert {"".join(each) for each in of_eic} <= means
    if said := re.search(r"shared noise errors grow by (\d\S*) digits.*?, in the mean", told[3]):
        assert said[1] == printed(findings.writing.q)

    # the report
    assert findings.verdict.numbers is numbers
    assert one_decimal(sensitivity)[1] in sections.gauges_picture(findings)

    # the sentence and the marks
    sentence = str(verdict.sentence)
    if said := re.search(r"in range at ([\d,]+) of ([\d,]+)\.", sentence):
        assert said[2] in sentence[: said.start()] and int(said[1]) < int(said[2])
    if said := re.search(r"(\d+\.\d)(?: digits)? at nine in ten rows", sentence):
        assert said[1] == one_decimal(measured)[1]
    if said := re.search(r"sensitive: (\S+)-fold", sentence):
        assert said[1] == wording.significant(10**sensitivity.nine_in_ten, 2)
    if said := re.search(r"a program loses (\d+\.\d)", " ".join(map(str, marks(verdict)))):
        assert said[1] == one_decimal(measured)[1]
    if said := re.search(r"grow by (\S+) digits \(EIC\)", sentence):
        assert said[1] == printed(inspection.eic)
    if sentence.startswith("All well"):  # then no node is red
        assert max(node.local_eic for node in inspection.nodes) < 1


def test_three_hundred_formulas_are_held_to_their_tables() -> None:
    assert (len(SHOWN), len(REWRITTEN)) == (300, 60)
