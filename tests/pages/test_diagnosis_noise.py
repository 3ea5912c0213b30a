"""Whose noise it is, on the inspector's page and in its figure."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go
import pytest

from eic_core.drawing.chart import Bars, Chart, Label, Stroke
from eic_core.drawing.inline import svg_of
from eic_core.explain.ledger import Ledger, blame
from eic_core.explain.what_if import what_if_mean
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.report.charts import NOBODY, waterfall
from pages.ui.figures.screen import draw
from tests.pages.panels import select_node
from tests.pages.test_app_inspector import buttons, html_of, open_page, state_of

ROOTS = {"formula": "sqrt(x+1) - sqrt(x)", "range": ["x=loguniform:1:1e8"], "ask": "noise"}
LONG = "+".join(f"sin({k}*x)*y" for k in range(1, 45))


@cache
def ledger_of(text: str, node: int | None = None, count: int = 300, **ranges: str) -> Ledger:
    domains = dict(Domain.parse(f"{name}={where}") for name, where in ranges.items())
    return blame(inspect(read(text).formula, sample_domains(domains, count=count)), node)


def of_kind(chart: Chart, kind: type) -> list[Any]:
    return [mark for panel in chart.panels for mark in panel.marks if isinstance(mark, kind)]


def bars_of(chart: Chart) -> tuple[list[Bars], list[Bars]]:
    """The tracks, and the bars on them."""
    bars = of_kind(chart, Bars)
    return bars[::2], bars[1::2]


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("text", ["sqrt(x+1)-sqrt(x)", "x*y/(x-y+7)", LONG])
def test_the_bars_follow_one_another_from_0_to_1(text: str, mean: bool) -> None:
    chart = waterfall(ledger_of(text, x="1e3:1e4", y="1:2"), mean=mean)
    _, bars = bars_of(chart)
    assert len(bars) <= 8 and chart.panels[0].x.limits == (0, 1)
    assert bars[0].low[0] == 0 and bars[-1].high[0] == pytest.approx(1, abs=1e-12)
    assert all(after.low == before.high for before, after in pairwise(bars))
    for dark in (False, True):  # validated, which the page does not do for speed
        go.Figure(draw(chart, dark=dark, narrow=dark).to_dict())
    assert svg_of(chart).count("<path") == len(of_kind(chart, Bars | Stroke))


def test_a_bar_names_its_node_and_the_rest_names_none() -> None:
    ledger = ledger_of(LONG, x="1:2", y="1:2")
    tracks, bars = bars_of(waterfall(ledger))
    ids = [bar.keys for bar in bars]  # a track is as wide as the picture: a thin bar is hit on it
    assert ids == [bar.keys for bar in tracks] and {bar.high[0] for bar in tracks} == {1}
    shares = {row.node_id: row.share for row in ledger.rows}
    for bar in bars[:-1]:
        assert bar.high[0] - bar.low[0] == pytest.approx(shares[bar.keys[0]], abs=1e-9)
    assert ids[-1] == [NOBODY]
    assert f"{len(ledger.rows) - 7} more nodes" in waterfall(ledger).words


def test_the_kinds_of_noise_differ_in_words_and_in_hatching() -> None:
    ledger = ledger_of("x*2.5 + 1", x="1:5")
    chart = waterfall(ledger)
    nodes = ledger.inspection.formula.nodes
    hatches = {nodes[bar.keys[0]].operator: bar.hatch for bar in bars_of(chart)[1]}
    assert len({hatches["variable"], hatches["constant"], hatches["mul"]}) == 3
    assert hatches["mul"] == hatches["add"]
    texts = " ".join(label.text for label in of_kind(chart, Label))
    assert "error of the input" in texts and "error of the constant" in texts
    assert texts.count("◆") == 1 and "its own rounding" in texts and "▲" in texts


def test_equal_inputs_are_told_apart_by_where_they_stand() -> None:
    words = waterfall(ledger_of("sqrt(x+1)-sqrt(x)", x="1e6:1e8")).words
    assert "x, error of the input, in x + 1" in words
    assert "x, error of the input, in √x" in words


@pytest.mark.parametrize("text", ["sqrt(x+1)-sqrt(x)", "1e16+1-1e16"])
def test_on_a_phone_too_no_two_bars_have_the_same_words(text: str) -> None:
    ledger = ledger_of(text, x="1e3:1e4") if "x" in text else ledger_of(text)
    figure = draw(waterfall(ledger), narrow=True)
    texts = [note.text for note in figure.layout.annotations if ":" in note.text]
    assert len(set(texts)) == len(texts) >= 4
    assert not any("…" in text for text in texts)


def test_one_sample_that_dominates_the_shares_does_not_dominate_their_means() -> None:
    samples = Samples.from_columns({"x": [1 + 1e-9] + [3.0] * 99})
    ledger = blame(inspect(read("(x-1)+1/x").formula, samples), 2)
    shares, means = waterfall(ledger).words, waterfall(ledger, mean=True).words
    assert "x, error of the input: over 50 %" in shares
    assert "x, error of the input: 64 %" in means  # 9/4 of 9/4 + 1 + 1/4 at 99 of 100 samples


def test_the_page_says_whose_noise_it_is_and_draws_it() -> None:
    page = open_page(**ROOTS)
    assert "3 % of the noise of the result comes from the rounding of <code>√(x" in html_of(page)
    before = page.get("plotly_chart")[-1].proto.spec
    assert page.expander[-1].label == "All 7 nodes in numbers"
    table = page.dataframe[0].value
    assert table["share"].sum() == pytest.approx(100, abs=1e-9)
    assert table["mean"].sum() == pytest.approx(100, abs=1e-9)
    shares = [round(share / 100, 6) for share in table["share"]]  # A last digit is no order
    assert shares == sorted(shares, reverse=True)
    assert set(table["how"]) == {"◆ here", "▲ below"}
    page.toggle(key="noise-mean").set_value(True).run()
    assert page.get("plotly_chart")[-1].proto.spec != before


def test_a_button_leads_back_to_the_node_whose_bar_was_clicked() -> None:
    page = open_page(**ROOTS)
    page.session_state["noise-back"] = (page.session_state["visit"].last_good.request, 6)
    select_node(page, 3)
    assert state_of(page).node == 3
    found = re.search(
        r"(\d+) % of the noise of the result comes through this step\. That is (\d+) % from its "
        r"own rounding \(.\) and (\d+) % from the steps below it",
        html_of(page),
    )
    assert found
    through, own, below = map(int, found.groups())
    assert own == 36 and abs(through - own - below) <= 1  # parts of one whole
    page.button(key="noise-back-button").click().run()
    assert state_of(page).node == 6 and not buttons(page, "noise-back-button")


def test_a_masked_loss_is_listed_and_the_answer_to_what_if_stays() -> None:
    page = open_page(
        formula="x + 0.000001*sin(1000*x)", range=["x=1.0:5.0"], samples="1000", ask="noise"
    )
    assert "What the result hides" in html_of(page)
    assert "at <code>0.000001·sin(1000·x)</code>, but" in html_of(page)
    page.button(key="what-if-6").click().run()
    inspection = page.session_state["visit"].last_good.inspection
    found = what_if_mean(inspection, 6)
    assert math.isclose(found.eic_after, 0.5 * math.log10(2), rel_tol=0.1)
    said = "Replaced by its mean"
    assert said in html_of(page)
    select_node(page, inspection.formula.parents[6])
    assert said in html_of(page) and not buttons(page, "what-if-6")
    page.button(key="take-mean-6").click().run()
    assert state_of(page).formula == found.text
    assert said not in html_of(page)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"formula": "log(-x)"}, "No sample has a usable value at every node"),
        ({"formula": "x"}, "The only noise of <code>x</code> is its own error"),
        ({"formula": "2"}, "The only noise of <code>2</code> is its own error"),
        ({"formula": "x - x"}, "the amplification of <code>x − x</code> is infinite"),
        ({"formula": "x + 1", "node": "0"}, "◆ This error makes"),
        ({"formula": "log(x)", "range": ["x=1.0:1.0"]}, "At every valid sample the amplification"),
        ({"formula": "a*b + c - d/a"}, "All of the noise of the result comes from"),
        ({"formula": LONG, "range": ["x=1.0:2.0"]}, "% of the noise of"),
    ],
)
def test_degenerate_and_large_formulas_are_answered_in_words(
    query: dict[str, str | list[str]], said: str
) -> None:
    assert said in html_of(open_page(**query, ask="noise", samples="200"))
