"""A report says what its objects say, for every kind of formula, and stays inert."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eic_core.drawing.scale import LEVEL_COLOURS, THEMES, contrast
from eic_core.errors import UserError
from eic_core.explain.digit_rows import digit_rows
from eic_core.explain.findings import VERSION, ErrorKind
from eic_core.explain.phrases.causes import label
from eic_core.explain.phrases.digits import gauge_words
from eic_core.explain.phrases.headline import badge, marks
from eic_core.explain.robustness import robustness_card
from eic_core.exports import json_number
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.report import Provenance, html_report, investigate, render
from eic_core.wording import digits_lost
from pages.ui.inspector.formula_input import EXAMPLES
from tests.core.formula.test_rendering import formulas
from tests.core.report.reading import Page, value, words
from tests.effort import dear, examples
from tests.inspections import inspect_columns

SECTIONS = (
    "formula",
    "tree",
    "digits",
    "findings",
    "metrics",
    "blame",
    "where",
    "writing",
    "repair",
    "truth",
    "budget",
    "samples",
    "nodes",
    "reproduce",
)


DOMAIN = Domain("loguniform", 1, 1e6)  # beyond, the sum ties with its part in the last bit
READING = read("sqrt(x+1) - sqrt(x) + 0*1.2345678")


@pytest.fixture(scope="module")
def findings():
    samples = sample_domains({"x": DOMAIN}, count=600, seed=3)
    return investigate(inspect(READING.formula, samples))


@pytest.fixture(scope="module")
def page(findings):
    return Page(render(findings, Provenance(READING, (("x", DOMAIN),), 3)))


def test_every_section_is_there_in_order(page):
    assert tuple(s.get("id") for s in page.root.iter("section")) == SECTIONS


def test_the_heading_and_the_answers_are_the_diagnosis(findings, page):
    said = [s.replace("`", "") for s in findings.diagnosis.sentences]
    assert words(next(page.root.iter("h1"))) == said[0]
    answers = [words(e) for e in page.root.iter("dd")]
    assert answers == [*said[1:], str(findings.repairs.sentence).replace("`", "")]


def test_the_findings_stand_in_a_table_and_in_the_json(findings, page):
    verdict = findings.diagnosis.verdict
    assert verdict.findings
    for row, finding in zip(page.rows("findings"), verdict.findings, strict=True):
        assert words(row[0]) == str(label(finding.cause, findings.inspection.formula))
        assert words(row[2]).replace(" ", "_").upper() == finding.outcome.name
        assert words(row[3]) == "—" if finding.rows is None else value(row[3]) == finding.rows
        digits = finding.digits
        meant = [digits.typical, digits.nine_in_ten, digits.worst]
        assert [value(cell) for cell in row[4:7]] == meant
        assert words(row[7]) == (
            "measured" if finding.noise is ErrorKind.ROUNDING else "sensitivity"
        )
    document = page.json()
    assert document["findings"]["version"] == VERSION
    assert document["findings"]["items"] == [each.to_json() for each in verdict.findings]
    assert document["verdict"] == verdict.to_json()
    badges = [words(e) for e in page.root.iter("span") if e.get("class", "").startswith("badge")]
    assert badges[: 1 + len(marks(verdict))] == [str(badge(verdict)), *map(str, marks(verdict))]


def test_the_metrics_are_those_of_the_inspection(findings, page):
    i = findings.inspection
    verdict = findings.diagnosis.verdict
    quantities = verdict.sensitivity, verdict.measured.quantiles
    shown = [value(row[1]) for row in page.rows("metrics")[:16]]
    assert shown == [
        *[x for each in quantities for x in (each.typical, each.nine_in_ten, each.worst)],
        i.eic,
        i.nodes[-1].local_eic,
        findings.diagnosis.writing.q,
        i.noise_figure_db,
        i.formula.complexity,
        0,
        i.tail.q50,
        i.tail.q90,
        i.tail.q99,
        i.tail.top1_share,
    ]
    names = [words(row[0]) for row in page.rows("metrics")[6:9]]
    assert names == ["Worst step (EIC)", "Result, independent noise", "Result, shared noise"]


def test_every_node_stands_in_the_table_with_its_numbers(findings, page):
    rows = page.rows("nodes")
    assert len(rows) == len(findings.inspection.nodes)
    shares = {r.node_id: r.share for r in findings.diagnosis.ledger.rows}
    for row, n in zip(rows, findings.inspection.nodes, strict=True):
        assert words(row[0]) == str(n.node.id) and words(row[2]) == n.node.operator
        shown = [value(cell) for cell in row[3:6]]
        assert shown == [n.local_eic, n.local_eic_finite, n.s_bar]
        if n.node.id in shares:  # at or below the worst step
            assert value(row[6]) == shares[n.node.id]
        else:
            assert words(row[6]) == "—"
        assert [value(cell) for cell in row[7:]] == [n.invalid, n.singular]


def test_the_ledgers_table_ranks_the_shares(findings, page):
    ranked = [r for r in findings.diagnosis.ledger.ranked if r.share > 0]
    rows = page.rows("blame")
    for row, one in zip(rows, ranked[: len(rows)], strict=True):
        assert [value(c) for c in row[1:5]] == [one.share, one.mean_share, one.inherited, one.gain]


def test_the_worst_rows_are_those_of_largest_amplification(findings, page):
    where = findings.diagnosis.where
    rows = page.rows("where", 1)
    worst = sorted(range(len(where.s)), key=lambda k: (-where.s[k], k))[: len(rows)]
    assert [value(row[0]) for row in rows] == [where.row_number(k) for k in worst]
    for row, k in zip(rows, worst, strict=True):
        assert value(row[1]) == where.inspection.samples.columns["x"][k]
        assert value(row[2]) == pytest.approx(math.log10(where.s[k]), rel=1e-15)
        assert value(row[3]) == where.shares[k]


def test_wrong_digits_of_the_worst_row_are_struck_out(findings, page):
    section = page.section("digits")
    row = digit_rows(findings.inspection, better=findings.repairs.best.formula).worst_row
    lines = {line[0].text: line[1] for line in next(section.iter("table"))}
    assert list(lines) == ["exact", "double precision", "written instead"]
    assert "".join(lines["exact"].itertext()) == row.exact
    assert "".join(lines["double precision"].itertext()) == row.computed
    (struck,) = lines["double precision"].iter("s")
    assert struck.text == row.computed[row.right : row.end]
    assert str(row.wrong) in words(section)


def test_the_gauges_of_the_report_are_the_three_quantities(findings, page):
    diagnosis = findings.diagnosis
    meant = [
        diagnosis.verdict.sensitivity,
        diagnosis.writing.added,
        diagnosis.verdict.measured.quantiles,
    ]
    rows = [list(row) for row in next(list(page.section("digits").iter("table"))[1].iter("tbody"))]
    for row, digits in zip(rows, meant, strict=True):
        shown = [value(cell) for cell in row[1:]]
        assert shown == [digits.typical, digits.nine_in_ten, digits.worst]
    pictures = [
        part.get("aria-label")
        for part in page.section("digits").iter("span")
        if part.get("role") == "img"
    ]
    names = ("Sensitivity", "Writing", "Measured")
    assert pictures == [str(gauge_words(*one)) for one in zip(names, meant, strict=True)]


def test_a_report_without_a_row_to_compare_says_so():
    page = Page(html_report(inspect_columns("log(x)", x=[-1.0, -2.0])))
    assert "No row has an exact value" in page.words("digits")


def test_function_and_writing_are_the_splits_numbers(findings, page):
    split = findings.diagnosis.writing
    chart = next(e for e in page.section("writing").iter() if e.tag.endswith("svg"))
    texts = [e.text for e in chart.iter() if e.tag.endswith("text")]
    digits = (split.own, split.q, findings.inspection.eic_finite)
    assert [text for text in texts if text in map(digits_lost, digits)] == [
        *map(digits_lost, digits)
    ]
    row = page.rows("writing")[0]
    v = split.conditioning.variables[0]
    assert [value(c) for c in row[1:]] == [v.rms, v.largest, v.share]


def test_repairs_are_shown_with_both_measurements_and_what_they_need(findings, page):
    best = findings.repairs.best
    assert best is not None
    before, after = page.rows("repair")[:2]
    forms = (before, best.before, best.written), (after, best.after, best.instead)
    for row, measured, numbers in forms:
        lost, sensitivity = numbers.measured, numbers.sensitivity.nine_in_ten
        assert [value(c) for c in row[1:4]] == [lost.typical, lost.nine_in_ten, lost.worst]
        assert [value(c) for c in row[4:6]] == [numbers.without_value, sensitivity]
        assert [value(c) for c in row[6:8]] == [numbers.eic, measured.complexity]
        assert value(row[8]) == measured.float32.mean_digits_lost
    said = page.words("repair")
    assert best.text in said and all(a in said for a in best.assumptions)


def test_each_form_is_shown_with_its_steps_and_what_it_loses_and_costs(findings, page):
    repairs = findings.repairs
    said = page.words("repair")
    for form in repairs.front:
        assert form.is_original or form.text in said
        assert all(step.rule in said for step in form.steps)
    assert "What the forms lose and cost" in said and "Nanoseconds of a call" in said


def test_the_triangulation_is_shown_node_by_node(findings, page):
    for row, n in zip(page.rows("truth"), findings.triangulation.nodes, strict=True):
        finest = n.shaken[-1]
        values = [float(d.get("value")) for cell in row for d in cell.iter("data")]
        meant = [
            n.recursion,
            n.shared,
            finest.local_eic,
            finest.low,
            finest.high,
            n.float64.digits,
            n.float32.digits,
        ]
        np.testing.assert_array_equal(values, meant)  # not a number is itself
        assert next(e for e in row[-1].iter("span")).get("class") == f"badge {n.agreement.badge}"


def test_the_digit_budget_gives_a_formula_to_paste(findings, page):
    budget = findings.budget
    assert budget.text in page.words("budget")
    needs = page.rows("budget", 1)
    for row, need in zip(needs, budget.needs, strict=True):
        assert [value(c) for c in row[2:5]] == [need.given, need.alone, need.together]


def test_the_json_carried_is_that_of_the_objects(findings, page):
    document = page.json()
    assert document == findings.to_json()
    assert document["eic"] == json_number(findings.inspection.eic)


def test_every_rounded_number_is_a_rounding_of_what_it_carries(page):
    plain = re.compile(r"−?[\d,]+(\.\d+)?( %)?")
    numbers = [d for d in page.root.iter("data") if plain.fullmatch(words(d))]
    assert len(numbers) > 100
    for number in numbers:
        shown = words(number).replace("−", "-").replace(",", "")
        factor = 100 if shown.endswith("%") else 1
        shown = shown.removesuffix(" %")
        step = 10.0 ** -len(shown.partition(".")[2])
        exact = factor * float(number.get("value"))
        step = max(step, 10.0 ** (math.floor(math.log10(abs(exact) or 1)) - 4))
        assert abs(float(shown) - exact) <= 0.5000001 * step, (shown, exact)


def test_the_page_asks_for_nothing_and_runs_nothing(page):
    assert "default-src 'none'" in page.text
    tags = {e.tag.rpartition("}")[2] for e in page.root.iter()}
    assert not tags & {"script", "link", "img", "iframe", "object", "form", "button"}
    for element in page.root.iter():
        assert not any(name.startswith("on") for name in element.attrib)
        assert not element.get("src")
        href = element.get("href", "data:")
        assert href.startswith("data:application/json;base64,") or href == "data:"
    outside = re.sub(r'xmlns="[^"]*"', "", page.text)
    assert "http://" not in outside and "https://" not in outside


@pytest.mark.parametrize("dark", [False, True])
def test_texts_can_be_read_on_their_ground(page, dark):
    theme = THEMES[dark]
    for name in ("bar", "alert", "fine"):
        colours = re.findall(rf"--{name}: (#[0-9a-f]{{6}})", page.text)
        assert contrast(colours[1 if dark else 0], theme.paper) >= (3 if name == "bar" else 4.5)
    assert contrast(theme.muted, theme.paper) >= 4.5
    card = re.findall(r"--card: (#[0-9a-f]{6})", page.text)[1 if dark else 0]
    assert contrast(theme.ink, card) >= 4.5


def test_the_badge_has_its_levels_colour_from_the_scale(page):
    level = re.search(r'class="badge (stable|sensitive|very-sensitive|undefined)', page.text)
    assert level
    rule = f".level .badge.{level[1]} {{ background: var(--level-{level[1]});"
    assert rule in page.text
    for theme in ("light", "dark"):
        drawn = LEVEL_COLOURS[theme][level[1]]
        assert (
            f"--level-{level[1]}: {drawn.fill}; --level-{level[1]}-ink: {drawn.ink};" in page.text
        )


HOSTILE = "<img src=x onerror=alert(1)>"


def test_hostile_names_of_columns_files_and_targets_are_text():
    name = f"{HOSTILE}`'\"&"
    formula = Formula.from_draft(
        Draft("sub", [variable(name), constant("1")]), f"</code></pre><script>{HOSTILE}"
    )
    samples = Samples.from_columns({name: [1.0, 1.001, 3.0]}, target=[0.0, 0.1, 2.0])
    known = Provenance(
        file_name=f"{HOSTILE}.csv",
        file_hash="h",
        file_columns=(name, HOSTILE),
        mapping={name: name},
        target=HOSTILE,
        notices=(f"seen: {HOSTILE}",),
    )
    page = Page(html_report(inspect(formula, samples), provenance=known))
    assert not {e.tag.rpartition("}")[2] for e in page.root.iter()} & {"script", "img"}
    assert HOSTILE in page.words("reproduce") and HOSTILE in page.words("formula")


@settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas, st.text(max_size=30))
def test_any_formula_makes_a_well_formed_page(formula, source):
    formula = Formula(formula.nodes, source)
    columns = {name: [0.5, 1.0, 2.0, 3.5, -1.0] for name in formula.variables}
    samples = Samples.from_columns(columns, count=5)
    page = Page(html_report(inspect(formula, samples), with_repair=False))
    assert len(page.rows("nodes")) == len(formula)


DEGENERATE = {
    "no real value": ("log(x)", {"x": [-1.0, -2.0]}),
    "no digit anywhere": ("x - x", {"x": [1.0, 2.0, 3.0]}),
    "a digit at some": ("x - 1", {"x": [1.0, 2.0, 3.0]}),
    "one node": ("x", {"x": [1.0, 2.0]}),
    "one constant": ("2.5", {"x": [1.0]}),
    "one row": ("x + 1", {"x": [1.0]}),
    "always zero": ("0*x", {"x": [1.0, 2.0]}),
    "beyond double": ("exp(exp(x))", {"x": [1.0, 10.0]}),
}


@pytest.mark.parametrize("text, columns", DEGENERATE.values(), ids=DEGENERATE)
def test_degenerate_cases_are_told_in_sentences(text, columns):
    page = Page(html_report(inspect_columns(text, **columns)))
    for key in SECTIONS[:-1]:  # the last one quotes a script
        said = page.words(key)
        assert len(said) > 20, key
        assert not re.search(r"\b(nan|inf|None|NaN)\b", said), (key, said)


def test_invalid_and_singular_samples_are_counted_with_their_reasons():
    page = Page(html_report(inspect_columns("log(x)", x=[-1.0, 0.0, 1.0, 2.0, 3.0])))
    counts = [value(row[1]) for row in page.rows("samples")]
    assert counts[:4] == [5, 3, 2, 1]
    reasons = {words(row[1]): (value(row[2]), words(row[3])) for row in page.rows("samples", 1)}
    assert reasons["no real value"] == (2, "the argument of a logarithm must be positive")
    assert reasons["no digit left"] == (1, "its argument is exactly 1")


def test_with_a_target_the_page_says_what_remains_of_the_fit():
    x = [float(k) for k in range(1, 31)]
    samples = Samples.from_columns({"x": x}, target=[1.2345678 * a + 0.01 * (a % 3) for a in x])
    inspection = inspect(read("1.2345678*x + 12345.67*x - 12345.67*x").formula, samples)
    findings = investigate(inspection, with_repair=False, with_triangulation=False)
    page = Page(render(findings, Provenance()))
    assert tuple(s.get("id") for s in page.root.iter("section")) == (
        *SECTIONS[:11],
        "robustness",
        *SECTIONS[11:],
    )
    card = robustness_card(inspection.formula, samples)
    rows = page.rows("robustness")
    assert [words(row[0]) for row in rows] == [str(line.name) for line in card.lines]
    assert [value(row[1]) for row in rows] == [line.r2 for line in card.lines]
    assert page.json()["robustness"] == card.to_json()
    assert value(rows[4][1]) < value(rows[0][1]) - 1e-7  # in float32


def test_what_is_left_out_on_request_is_said():
    inspection = inspect_columns("sqrt(x+1)-sqrt(x)", x=[1e4, 1e6])
    page = Page(
        html_report(inspection, with_repair=False, with_triangulation=False, with_budget=False)
    )
    for key in ("repair", "truth", "budget"):
        assert "left out on request" in page.words(key)


def test_a_large_formula_says_what_is_left_out():
    text = "+".join(f"x/{k}" for k in range(1, 400))
    page = Page(html_report(inspect_columns(text, x=[1.0, 2.0])))
    assert "too large to be typeset" in page.words("formula")
    assert "this is left out" in page.words("truth") and "this is left out" in page.words("repair")
    assert len(page.rows("nodes")) == 1595


def test_a_tolerance_out_of_range_is_the_users_mistake():
    with pytest.raises(UserError, match="tolerance"):
        investigate(inspect_columns("x+1", x=[1.0]), tolerance=0.0)


@dear(4)
@pytest.mark.parametrize("example", EXAMPLES, ids=[e.key for e in EXAMPLES])
def test_every_lesson_of_the_gallery_has_its_report(example):
    reading = read(example.formula, syntax=example.syntax)
    samples = sample_domains(dict(example.domains), count=400)
    findings = investigate(inspect(reading.formula, samples), with_repair=False)
    page = Page(render(findings, Provenance(reading, example.domains)))
    sentence = str(findings.diagnosis.verdict.sentence)
    assert words(next(page.root.iter("h1"))) == sentence.replace("`", "")
    assert to_python(reading.formula) in page.words("formula")
    assert [value(row[3]) for row in page.rows("nodes")] == [
        n.local_eic for n in findings.inspection.nodes
    ]
