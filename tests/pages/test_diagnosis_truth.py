"""Is it true?  The ways of measuring side by side, on the page and in the figure."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import pytest

from eic_core.drawing.chart import Chart, Label, Points, Stroke
from eic_core.explain.facts import Event, MeasuredEvent
from eic_core.explain.triangulation import Triangulation, triangulate
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from pages.ui.figures.noise import lanes, triangulated
from pages.ui.figures.screen import draw
from pages.ui.questions.truth import BADGES
from tests.pages.panels import open_with_table, select_node
from tests.pages.test_app_inspector import html_of, open_page, state_of

ROOTS = {"formula": "sqrt(x+1) - sqrt(x)", "range": ["x=loguniform:1:1e8"], "ask": "truth"}
LONG = "+".join(f"sin({k}*x)*y" for k in range(1, 45))


def found(text: str, count: int = 200, **ranges: str) -> Triangulation:
    domains = dict(Domain.parse(f"{name}={where}") for name, where in ranges.items())
    return triangulate(inspect(read(text).formula, sample_domains(domains, count=count)))


def values(chart: Chart) -> dict[float, float]:
    """Value by height of every mark."""
    points = [mark for mark in chart.panels[0].marks if isinstance(mark, Points)]
    return {mark.y[0]: mark.x[0] for mark in points}


def test_the_figure_has_every_number_of_the_node_on_one_axis() -> None:
    node = found("10000*x - 9999*x", x="1:5").nodes[-1]
    chart = triangulated(node)
    [panel] = chart.panels
    go.Figure(draw(chart).to_dict())
    labels = dict(panel.y.ticks or ())
    by_label = {labels[y]: x for y, x in values(chart).items()}
    assert by_label["predicted, independent noise"] == node.recursion
    assert by_label["predicted, shared noise"] == node.shared
    assert by_label["tried, errors of 10⁻¹²"] == node.shaken[-1].local_eic
    assert by_label["measured in float32"] == node.float32.digits
    assert by_label["measured in float64"] == node.float64.digits
    assert panel.x.limits == (-1.15, 16.25)
    intervals = [mark.x for mark in panel.marks if isinstance(mark, Stroke)]
    assert [node.shaken[-1].low, node.shaken[-1].high] in intervals


def test_another_number_than_an_exact_0_is_measured_as_the_loss_of_every_digit() -> None:
    """0.1 + 0.2 − 0.3 is 5.6e-17 in float64 (NumPy), 0 in float32."""
    node = found("0.1 + 0.2 - 0.3").nodes[-1]
    assert node.float64.digits == pytest.approx(math.log10(2**53))
    single, double = lanes(node)[-2:]
    assert (single.label, single.words) == ("measured in float32", "exact")
    assert (double.label, double.words) == ("measured in float64", "15.95")
    assert MeasuredEvent("float32", Event.EXACT) in node.agreement.reasons
    lines = [mark for mark in triangulated(node).panels[0].marks if isinstance(mark, Stroke)]
    assert [round(line.x[0], 2) for line in lines if line.width == 3] == [15.95]  # none at a word


def test_the_rows_of_the_other_number_are_named_and_are_those_that_have_one() -> None:
    link = {"formula": "where(x > 0, log(x), 0)", "range": ["x=normal:1:1"], "samples": "10000"}
    last = open_page(**link, ask="truth").session_state["visit"].last_good.inspection
    (log,) = [n for n in last.nodes if n.text == "log(x)"]
    said = html_of(open_page(**link, ask="truth", node=str(log.node.id)))
    assert f"on the {log.evaluated:,} of all 10,000 at which it is evaluated it is" in said
    sigmoid = {"formula": "exp(x)/(1+exp(x))", "range": ["x=-700:700"], "samples": "2000"}
    said = html_of(open_page(**sigmoid, ask="truth", node="5"))
    assert "of <code>1 + exp(x)</code> is 2.44 digits, on all 2,000 it is 2.46" in said


def test_what_cannot_be_drawn_is_said_in_its_lane() -> None:
    chart = triangulated(found("log(exp(x))", x="900:1000").nodes[1])
    texts = [mark.text for mark in chart.panels[0].marks if isinstance(mark, Label)]
    assert texts == ["no value"] * 2 + ["shows nothing"] * 5
    assert len(values(chart)) == 2
    none = found("x - x", x="1:2").nodes[-1]
    assert lanes(none)[0].words == "no digit is left" and lanes(none)[-1].words == "exact"
    assert "predicted, independent noise: no digit is left" in triangulated(none).words


def test_the_axis_grows_with_the_loss_and_stays_bounded() -> None:
    node = found("(x + 1e11) - 1e11", x="1:5").nodes[-1]
    limits = triangulated(node, narrow=True).panels[0].x.limits
    assert limits is not None and 10 < node.recursion < limits[1] < 21


def test_no_number_of_any_figure_is_undefined() -> None:
    for text in ("x - x", "log(exp(x))", "2", "sin(1000*x)", "x**300"):
        for node in found(text, x="500:900").nodes:
            assert all(map(math.isfinite, values(triangulated(node)).values()))


def test_the_page_says_where_the_ways_agree_and_a_row_of_its_list_selects_its_node() -> None:
    page = open_page(**ROOTS)
    said = html_of(page)
    ways = "the prediction, trials with small errors and the errors measured in float32 and float64"
    assert f"At 6 of 7 nodes {ways} agree" in said
    assert "Compared on 200 of the 1,000 valid samples" in said
    table = page.dataframe[0].value
    assert list(table["badge"])[0] == "◆ explained" and len(table) == 7
    assert set(table["badge"][1:]) == {"✓ agrees"}
    assert list(table["recursion"][1:]) == sorted(table["recursion"][1:], reverse=True)
    assert table["sigma 1e-12"][0].count(" to ") == 1
    page.session_state["truth-table"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    page.run()
    assert page.session_state["truth-table"]["selection"]["rows"] == [0]  # follows the node
    select_node(page, 3)
    assert state_of(page).node == 3
    assert page.session_state["truth-table"]["selection"]["rows"] == [2]
    assert "✓ agrees</span> <code>√(x + 1)</code>" in html_of(page)


def test_every_badge_has_a_shape_and_a_word() -> None:
    assert len({shape for shape, _ in BADGES.values()}) == len(BADGES) == 3


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"formula": "log(-x)"}, "so there is nothing to compare"),
        ({"formula": "x"}, "At the only node the prediction"),
        ({"formula": "2"}, "At the only node the prediction"),
        ({"formula": "x - x"}, "No digit is left at any sample"),
        ({"formula": "a*b + c - d/a"}, "At all 9 nodes"),
        (
            {"formula": "log(exp(x))", "range": ["x=900.0:1000.0"]},
            "; at 3 a known reason keeps them apart, for instance at",
        ),
        ({"formula": LONG, "range": ["x=1.0:2.0"]}, "of 301 nodes"),
    ],
)
def test_degenerate_and_large_formulas_are_answered_in_words(
    query: dict[str, str | list[str]], said: str
) -> None:
    assert said in html_of(open_page(**query, ask="truth", samples="100"))


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        ("noise", ["1 sample at which the amplification of <code>x − 2</code> is infinite is not"]),
        (
            "truth",
            [
                "At 1 sample no digit is left; the prediction is given without.",
                "Compared on all 4 valid samples",
            ],
        ),
    ],
)
def test_singular_rows_of_a_table_are_answered_in_words(ask: str, told: list[str]) -> None:
    """x - 2 is 0 in one row of four: EIC is infinite, the answers are about the others."""
    text = "x,y\n1,1\n2,1\n3,1\n4,1\n"
    page = open_with_table(text, formula="1/y + (x - 2)*y", ask=ask, node="5")
    assert [part for part in told if part not in html_of(page)] == []


def test_where_the_compared_samples_lose_less_than_all_the_page_says_both() -> None:
    said = html_of(open_page(formula="1/(x-2)", range=["x=1.0:3.0"], samples="5000", ask="truth"))
    assert "200 of the 5,000 valid samples, evenly spaced" in said
    assert "On these, the local EIC of <code>x − 2</code> is 2.05 digits" in said
    assert "on all 5,000 it is 2.55" in said
    calm = open_page(formula="10000*x-9999*x", range=["x=1.0:5.0"], samples="5000", ask="truth")
    assert "On these" not in html_of(calm)
