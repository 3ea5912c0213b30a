"""What the figures of an answer show, as data."""

from __future__ import annotations

import numpy as np
import pytest

from eic_core.drawing.chart import Label, Points, Stroke
from eic_core.drawing.inline import svg_of
from eic_core.errors import UserError
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Inspection, Samples, inspect, sample_domains
from eic_core.measure.measured import measured_loss
from eic_core.report.charts import forms, loss_along
from eic_core.rewriting import Repairs, repair


@pytest.fixture(scope="module")
def roots() -> Inspection:
    drawn_from = {"x": Domain("loguniform", 1.0, 1e8)}
    return inspect(read("sqrt(x+1) - sqrt(x)").formula, sample_domains(drawn_from, count=400))


@pytest.fixture(scope="module")
def repairs(roots: Inspection) -> Repairs:
    return repair(roots.formula, roots.samples)


def test_each_form_of_a_repair_stands_at_its_cost_and_its_digits(repairs: Repairs) -> None:
    chart = forms(repairs)
    costs = ([len(form.formula) for form in repairs.forms],) + (
        [form.nanoseconds.numpy for form in repairs.forms],
    )
    for panel, sizes in zip(chart.panels, costs, strict=True):
        points = [mark for mark in panel.marks if isinstance(mark, Points)]
        assert [mark.keys[0] for mark in points] == list(range(len(repairs.forms)))
        for mark, form, size in zip(points, repairs.forms, sizes, strict=True):
            assert (mark.x, mark.y) == ([size], [form.numbers.measured.nine_in_ten])
            assert (mark.symbol == "circle-open") == form.is_original
            assert form.is_original or form.text in mark.hints[0]
        assert repairs.leading is not None
        bold = [mark.text for mark in panel.marks if isinstance(mark, Label) and mark.bold]
        assert len(bold) == 1 and repairs.leading.text.startswith(bold[0].rstrip("…"))
        assert repairs.leading.text in chart.words and panel.y.limits == (-0.5, 16.5)


def test_quantiles_along_a_variable_are_those_of_neighbouring_rows(roots: Inspection) -> None:
    chart = loss_along(roots, "x")
    assert chart is not None
    loss, (panel,) = measured_loss(roots), chart.panels
    lines = {mark.name: mark for mark in panel.marks if isinstance(mark, Stroke) and mark.name}
    typical, high, worst = (
        np.asarray(lines[name].y) for name in ("typical", "nine in ten rows", "worst")
    )
    assert (typical <= high).all() and (high <= worst).all()
    assert worst.max() == np.nanmax(loss.lost)
    order = np.argsort(roots.samples.columns["x"][loss.positions], kind="stable")
    groups = np.array_split(order[~np.isnan(loss.lost[order])], len(worst))
    assert worst.tolist() == [loss.lost[rows].max() for rows in groups]
    assert np.all(np.diff(lines["worst"].x) > 0) and worst[-1] > worst[0] + 5


def test_too_few_rows_or_one_place_give_no_quantiles() -> None:
    few = inspect(read("x + 1").formula, Samples.from_columns({"x": np.arange(1.0, 9.0)}))
    same = inspect(read("x + 1").formula, Samples.from_columns({"x": np.full(100, 2.0)}))
    assert loss_along(few, "x") is None is loss_along(same, "x")


def test_both_are_shown_in_a_notebook_and_on_paper(roots: Inspection, repairs: Repairs) -> None:
    along = loss_along(roots, "x")
    assert along is not None and str(svg_of(along))[:200] in roots._repr_html_()
    assert "Digits lost by each form" in repairs._repr_html_()
    pytest.importorskip("matplotlib")
    axes = roots.plot(quantiles=True)
    assert axes.get_ylabel() == "digits lost" and len(axes.get_lines()) == 3
    assert repairs.plot(all_forms=True).get_xlabel() == "nodes"
    with pytest.raises(UserError, match="nothing to compare along `y`"):
        roots.plot(over="y", quantiles=True)
