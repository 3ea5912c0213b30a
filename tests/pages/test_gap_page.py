"""The page Stability gap, run without a browser."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from eic_core.corpora import load
from eic_core.corpora.claims import LAWS, figure_rows, groups_of_laws
from eic_core.corpora.gap import Q90, summarise
from eic_core.drawing.chart import Points, Stroke
from eic_core.formula.syntax import read
from eic_core.measure import inspect, sample_domains
from pages.ui.figures.screen import draw
from pages.ui.gap.gap_desk import GapView, corpora_groups, findings_of
from pages.ui.gap.gap_figure import GapPicture, by_complexity, by_rows, violins
from pages.ui.gap.gap_views import figures_csv, inspector_state, source_table
from pages.ui.kit.visit import PageState
from tests.pages.conftest import UNHURRIED
from tests.pages.test_app_inspector import html_of, visit

PROGRAM = """
from pages.gap import gap_page
gap_page()
"""

POOL = b"""dataset,method,formula
feynman_I_12_1,Plain,x0*x1
feynman_I_12_1,Padded,x0*x1 + 1000*x0 - 1000*x0
feynman_I_12_1,Padded,x0 - 7
"""


def open_page(**query: str) -> AppTest:
    return visit(AppTest.from_string(PROGRAM), **query)


def bring(page: AppTest, content: bytes, name: str = "pool.csv") -> AppTest:
    """Drop a pool; the page once nothing is being measured any more."""
    page = page.file_uploader[0].upload(name, content, "text/csv").run()
    job = page.session_state["gap-desk"].job
    assert job is None or job.wait(UNHURRIED)
    return page.run()


def test_the_page_opens_with_the_laws_and_says_what_is_not_here() -> None:
    page = open_page()
    shown = html_of(page)
    laws = summarise(groups_of_laws()[0], 1000)
    assert f"<b>{laws.median.value:.2f} digits</b>" in shown and "133 laws" in shown
    assert f"their mean is {laws.mean.value:.2f}" in shown
    assert "for the median only" in shown and "missing: AFP" in shown
    assert "Bring formulas" in shown and len(page.get("plotly_chart")) == 3


def test_the_view_is_part_of_the_address() -> None:
    page = open_page(by="q90", rows="10000", rule="uniform 0 to 1")
    laws = summarise(groups_of_laws()[0], 10_000, Q90)
    assert f"<b>{laws.median.value:.2f} digits</b>" in html_of(page)
    page = page.button_group(key="gap-rows").set_value(100).run()
    assert dict(page.query_params) == {"by": "q90", "rows": "100", "rule": "uniform 0 to 1"}
    assert "0.65 digits" in html_of(open_page(by="mode", rows="-1", rule="normal"))


def test_a_pool_is_measured_by_method_and_left_out_formulas_are_counted() -> None:
    page = bring(open_page(), POOL.replace(b"Plain", b"<img src=x>"))
    shown = html_of(page)
    assert "2 formulas</span>" in shown or "2 formulas by 2 methods" in shown
    assert "Padded, left out 1: R² below 0.8." in shown
    assert "measured on rows of their laws" in shown
    assert "<img" not in shown and "&lt;img" in shown
    page = page.button(key="gap-drop").click().run()
    assert "Padded" not in html_of(page)


def test_a_pool_about_something_else_is_refused_with_what_helps() -> None:
    page = bring(open_page(), b"dataset,formula\niris,x0+1\n")
    assert "None of its problems is a law: it names <code>iris</code>" in html_of(page)
    assert "feynman_I_6_2" in html_of(page)
    assert "eic-error" in html_of(bring(page, b"\x00\x01", "noise.csv"))


def test_a_scored_pool_is_drawn_with_the_scores_it_brought() -> None:
    scored = (
        b"problem,method,formula,complexity,r2,eic,eic_finite,invalid,singular,error\n"
        b"p,A,x+1,3,0.95,6.5,6.5,0,0,\np,B,x,1,0.5,0.0,0.0,0,0,\n"
    )
    shown = html_of(bring(open_page(), scored))
    assert "with the scores that it brought" in shown and "6.50" in shown


def test_the_page_is_closed_while_a_study_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.gap.may_inspect", lambda: False)
    page = open_page()
    assert "closed for now" in html_of(page)
    assert not page.get("plotly_chart") and not page.file_uploader


# --- what a click opens ---


def test_a_law_opens_in_the_inspector_in_its_ranges_with_the_eic_that_is_shown() -> None:
    view = GapView()
    groups = {group.key: group for group in corpora_groups(view.rule)}
    for key, place in ((LAWS, 2), ("wikipedia", 30), ("llm_srbench_synth", 0)):
        formula = groups[key].formulas[place]
        state = inspector_state(groups[key], formula, view)
        again = PageState.from_query(state.to_query())
        assert again == state and again.domains
        samples = sample_domains(dict(again.domains), count=again.samples, seed=again.seed)
        found = inspect(read(again.formula, columns=list(samples.columns)).formula, samples)
        assert found.eic == pytest.approx(formula.at(view.count).eic, abs=2e-6)


def test_a_solved_law_opens_on_the_table_that_it_was_measured_on() -> None:
    solved = load("llm_srbench_transform")["II.15.5_0_0"]
    table = source_table(solved.name, 100)
    assert table.names == ("E_n", "Ef", "theta", "p_d") and table.rows == 100
    samples = table.samples({name: name for name in solved.tree.variables}, "p_d")
    assert samples.digest() == solved.samples(100).digest()


# --- pictures and file ---


def test_the_pictures_are_valid_and_show_every_formula_with_an_eic() -> None:
    desk = SimpleNamespace(pool=None)
    found = findings_of(desk, GapView())  # type: ignore[arg-type]
    groups = [group for group in found.groups if group.key in (LAWS, "llm_srbench_synth")]
    picture = GapPicture(groups, found.summaries, 1000, "mean", (LAWS, 3))
    for chart in (violins(picture), by_complexity(picture)):
        go.Figure(draw(chart, dark=True, narrow=True).to_dict())  # Plotly's own validation
        marks = [mark for panel in chart.panels for mark in panel.marks]
        keys = [tuple(key) for mark in marks if isinstance(mark, Points) for key in mark.keys]
        assert sorted(keys) == sorted(
            [(LAWS, k) for k in range(133)] + [("llm_srbench_synth", k) for k in range(6)]
        )
        rings = [mark for mark in marks if isinstance(mark, Points) and mark.size == 19]
        assert [mark.colour for mark in rings] == ["accent"]
        lines = [mark for mark in marks if isinstance(mark, Stroke)]
        assert all(len({*zip(line.x, line.y, strict=True)}) > 1 for line in lines)
        assert "Laws" in chart.words


def test_means_are_drawn_at_every_number_of_rows_by_both_measures() -> None:
    found = findings_of(SimpleNamespace(pool=None), GapView())  # type: ignore[arg-type]
    chart = by_rows(found.groups, found.by_rows)
    go.Figure(draw(chart, narrow=True).to_dict())
    for panel, measure in zip(chart.panels, ("mean", Q90), strict=True):
        lines = [mark for mark in panel.marks if isinstance(mark, Stroke)]
        drawn = [group for group in found.groups if group.key in found.by_rows]
        for line, group in zip(lines, drawn, strict=True):
            assert list(line.x) == [100, 1_000, 10_000]
            assert line.y == [one.mean.value for one in found.by_rows[group.key][measure]]


def test_the_file_holds_every_formula_at_every_number_of_rows() -> None:
    groups = groups_of_laws(["feynman"])
    rows = list(csv.DictReader(io.StringIO(figures_csv(groups))))
    assert len(rows) == 3 * 119 == len(list(figure_rows(groups))) - 1
    assert float(rows[0]["eic"]) == groups[0].formulas[0].digits[100].eic
