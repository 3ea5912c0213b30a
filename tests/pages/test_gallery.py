"""Each example teaches what it says."""

from __future__ import annotations

import csv
import gzip
import math

import numpy as np
import pytest

from eic_core.drawing.layout import TAG_GAP, compose, tag_side, text_width
from eic_core.drawing.svg import LEGEND_WIDTH, PADDING
from eic_core.explain.findings import Cancellation, NearZero, OutOfRange, Place, Way
from eic_core.explain.verdict import Lead, Level, verdict
from eic_core.formula.syntax import SYNTAXES, read
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure.fit import fit_of
from pages.ui.inspector.formula_input import EXAMPLES, example
from tests.effort import cases


def run(key, formula=None, count=None):
    e = example(key)
    reading = read(formula or e.formula, syntax="auto" if formula else e.syntax)
    return inspect(reading.formula, sample_domains(dict(e.domains), count=count or e.samples))


def worst_text(inspection):
    return inspection.nodes[inspection.worst_step].text


@pytest.mark.parametrize("key", [e.key for e in EXAMPLES])
def test_each_example_is_read_detected_and_gives_a_finite_eic(key):
    e = example(key)
    reading = read(e.formula, syntax=e.syntax)
    assert e.syntax == "auto" or e.syntax in SYNTAXES
    assert read(e.formula).formula.structure() == reading.formula.structure()
    assert dict(e.domains).keys() == set(reading.formula.variables)
    inspection = run(key)
    assert inspection.counts.valid == e.samples
    assert math.isfinite(inspection.eic)
    assert e.lesson.endswith(".") and len(e.lesson) < 220
    assert len(EXAMPLES) == len({e.key for e in EXAMPLES}) == 10


def test_cancellation_loses_4_4_digits_at_the_difference():
    inspection = run("cancellation")
    assert inspection.eic == pytest.approx(4.38905, abs=1e-5)
    assert inspection.worst_step == len(inspection.nodes) - 1
    said = verdict(inspection)
    assert said.lead is Lead.LOSS and isinstance(said.leading.cause, Cancellation)
    assert said.level is Level.VERY_SENSITIVE and said.measured.nine_in_ten > 3


def test_the_logarithm_hides_three_digits_beyond_double_range():
    inspection = run("masked")
    assert inspection.eic == pytest.approx(3.0, abs=1e-3)
    assert worst_text(inspection) == "exp(x)"
    assert inspection.nodes[-1].local_eic < 0.2
    assert inspection.counts.rechecked == 1_000 and inspection.counts.unresolved == 0
    said = verdict(inspection)
    assert said.lead is Lead.NO_VALUE and said.leading.rows == said.leading.of == 1_000
    assert isinstance(said.leading.cause, OutOfRange) and said.leading.cause.way is Way.OVERFLOW
    (inner,) = [each for each in said.findings if each.place is Place.WORST_STEP]
    assert inner.cause.node == said.leading.cause.node == 1
    assert inner.digits.typical == pytest.approx(3.0, abs=1e-3)


def test_the_roots_lose_more_than_seven_digits_and_their_rewriting_none():
    assert run("roots").eic > 7
    assert run("roots", "1/(sqrt(x+1)+sqrt(x))").eic < 1


def test_the_cosine_loses_over_seven_digits_and_the_half_angle_none():
    inspection = run("half-angle")
    assert inspection.eic > 7
    assert verdict(inspection).origin == next(
        n.node.id for n in inspection.nodes if n.node.operator == "sub"
    )
    assert run("half-angle", "2*sin(x/2)**2/x**2").eic < 1


def test_the_nested_sine_loses_more_than_two_digits_in_four_nodes():
    inspection = run("nested")
    assert inspection.formula.complexity == 4
    assert inspection.eic > 2 and worst_text(inspection) == "sin(cot(x))"
    assert any(
        isinstance(each.cause, NearZero) and each.at == inspection.worst_step
        for each in verdict(inspection).findings
    )


def test_the_weight_masks_more_than_four_digits():
    inspection = run("branch")
    assert inspection.eic > 4 and "sin" in worst_text(inspection)
    assert inspection.nodes[-1].local_eic < 0.3
    said = verdict(inspection)
    assert said.level is Level.STABLE and said.lead is Lead.NOTHING
    assert [each.at for each in said.findings if each.place is Place.WORST_STEP] == [
        inspection.worst_step
    ]


def test_eic_grows_with_n_at_the_pole():
    few, many = run("pole", count=100), run("pole", count=cases(100_000, 1_000_000))
    assert many.eic > few.eic + 1
    tail = run("pole").tail
    assert tail is not None and tail.divergent


def test_a_handful_of_samples_carries_the_heavy_tail():
    inspection = run("tail")
    tail = inspection.tail
    assert tail is not None and tail.divergent and tail.top1_share > 0.9
    at = inspection.formula.nodes
    causes = [each.cause for each in verdict(inspection).findings]
    assert any(isinstance(c, Cancellation) and at[c.node].operator == "sub" for c in causes)


def test_coulombs_law_loses_0_6_digits_whatever_the_samples():
    inspection = run("law")
    assert inspection.eic == pytest.approx(0.588, abs=0.001)
    elsewhere = dict.fromkeys(dict(example("law").domains), Domain("loguniform", 1e-6, 1e6))
    other = inspect(inspection.formula, sample_domains(elsewhere, count=500))
    assert other.eic == pytest.approx(inspection.eic, abs=1e-9)
    assert verdict(inspection).level is Level.STABLE


def test_the_two_exponents_of_the_found_formula_lose_two_digits_that_the_result_hides():
    inspection = run("found")
    assert inspection.eic > 2
    assert "^" in worst_text(inspection)
    assert inspection.nodes[-1].local_eic < inspection.eic - 1


@pytest.mark.outside
def test_the_found_formula_stands_in_the_pool_with_the_fit_that_is_claimed(shared):
    e = example("found")
    with gzip.open(shared / "data/pools/sr_fronts_1d2d.csv.gz", "rt", encoding="utf-8") as file:
        (row,) = [r for r in csv.DictReader(file) if r["formula"] == e.formula][:1]
    assert (row["dataset"], row["method"]) == ("nikuradse_1", "Operon")
    table = np.loadtxt(shared / "data/problems/nikuradse_1.csv", delimiter=",", skiprows=1)
    columns = {"x1": table[:, 0], "x2": table[:, 1]}
    formula = read(e.formula, syntax=e.syntax).formula
    inspection = inspect(formula, Samples.from_columns(columns, target=table[:, 2]))
    assert round(fit_of(inspection).r2, 2) == 0.97 and "R² = 0.97" in e.lesson
    assert inspection.eic > 2
    for name, domain in e.domains:
        assert domain.low == pytest.approx(columns[name].min())
        assert domain.high == pytest.approx(columns[name].max())


# --- The trees, as a pane of the workbench has them ---


WIDTH, HEIGHT = 540.0, 260.0


@pytest.mark.parametrize("key", [e.key for e in EXAMPLES])
def test_the_tree_of_an_example_fits_its_pane_and_the_label_covers_no_card(key):
    inspection = run(key, count=300)
    focus = inspection.worst_step
    scene = compose(inspection, selected=focus, width=WIDTH, height=HEIGHT)
    assert scene.width <= WIDTH + 1 and scene.height <= HEIGHT + 1
    (card,) = [card for card in scene.cards if card.tag]
    assert card.node_id == focus
    size = 12 * scene.scale
    wide = text_width(card.tag, size)
    side = tag_side(card, scene, spare=PADDING + max(0, LEGEND_WIDTH - scene.width) / 2)
    x, y = card.x, card.y
    if side == "above":
        y -= card.height / 2 + 9 + size / 3
    else:
        x += (card.width / 2 + TAG_GAP + wide / 2) * (1 if side == "right" else -1)
    for other in scene.cards:
        apart = (
            abs(x - other.x) > (wide + other.width) / 2
            or abs(y - other.y) > (other.height + size) / 2
        )
        assert apart or other is card, other.title
