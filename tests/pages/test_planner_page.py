"""The planner's page and its figure, without a browser."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from eic_core.drawing.chart import Guide, Label, Points, Stroke
from eic_core.drawing.scale import THEMES, contrast
from pages.ui.figures.planning import LOOKS, Point, planning_figure
from pages.ui.figures.screen import draw
from pages.ui.kit.jobs import Job
from pages.ui.kit.wiring import jobs, lab
from pages.ui.organising import desk, planner
from pages.ui.organising.planner_inputs import FIELDS, field_values, model_of, request_for
from study.design import Sidedness
from study.planning import PAPER, VerdictRule, approximate, width_grid
from study.statistics.simulation import StudyModel


def page() -> None:
    from pages.ui.kit.wiring import lab
    from pages.ui.organising.planner import planner_view

    planner_view(lab().organising)


@pytest.fixture(autouse=True)
def logged_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An organiser, and no plan of an earlier test."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setattr(planner, "is_organiser", lambda: True)
    monkeypatch.setattr(planner, "login_key", lambda: "a login")
    monkeypatch.setattr(desk, "organiser", lambda: lab().organising)
    yield
    for place in ("new", "paper", "1"):
        if (job := job_of(place)) is not None:
            job.cancel()
            job.wait(30)
        jobs().forget(planner._key(place))


def job_of(place: str) -> Job | None:
    return jobs().get(f"plan {place} a login")


def drawn(place: str) -> AppTest:
    app = AppTest.from_function(page, default_timeout=600)
    app.query_params["plan"] = place
    app.run()
    assert not app.exception
    return app


@pytest.fixture
def app(logged_in: None) -> AppTest:
    return drawn("new")


def finished(app: AppTest, place: str) -> AppTest:
    job = job_of(place)
    assert job is not None and job.wait(600)
    app.run()
    assert not app.exception
    return app


def simulated(app: AppTest, place: str = "new", **values: float) -> str:
    for name, value in {"studies": 100, **values}.items():
        put(app, place, name, value)
    app.button(key="plan-run").click().run()
    return words(finished(app, place))


def words(app: AppTest) -> str:
    bodies = [element.proto.body for element in app.get("html")]
    return "\n".join(body for body in bodies if not body.startswith("/*"))


def put(app: AppTest, place: str, name: str, value: float) -> None:
    app.number_input(key=f"plan:{place}:{name}").set_value(value).run()
    assert not app.exception


def test_before_anything_is_simulated_arithmetic_says_what_to_expect(app: AppTest) -> None:
    assert (
        "By arithmetic alone: about 418 votes that count, ± 14.0 points, and a power of"
        in words(app)
    )
    put(app, "new", "drop_out", 0)
    assert "about 500 votes" in words(app)
    put(app, "new", "raters", 100)
    assert "about 1,000 votes" in words(app)
    before = words(app)
    put(app, "new", "problem_share", 0)
    assert words(app) != before
    assert job_of("new") is None


def test_a_simulation_answers_in_sentences_with_its_seed(app: AppTest) -> None:
    said = simulated(app, seed=5)
    assert "Expect an interval of about ±" in said
    assert "100 simulated studies, seed 5." in said
    assert "nan" not in said.lower()
    assert len(app.get("plotly_chart")) == 1
    assert "have changed since" not in said
    put(app, "new", "pairs", 200)
    assert "have changed since this was simulated" in words(app)


def test_the_level_and_the_test_are_asked_for_and_answered(app: AppTest) -> None:
    before = words(app)
    put(app, "new", "level", 80.0)
    app.selectbox(key="plan:new:estimand").set_value("these pairs").run()
    app.checkbox(key="plan:new:one-sided").check().run()
    assert words(app) != before  # arithmetic follows
    said = simulated(app)
    job = job_of("new")
    assert job is not None and job.result.plan.rule == VerdictRule(0.8, True, "these pairs")
    assert "at 80&nbsp;% confidence" in said
    assert "have changed since" not in said
    again = drawn("new")
    assert again.number_input(key="plan:new:level").value == 80.0
    assert again.checkbox(key="plan:new:one-sided").value
    assert again.selectbox(key="plan:new:estimand").value == "these pairs"
    assert "these very pairs alone" in said


def test_the_sizes_of_problems_stand_for_the_numbers_of_pairs_and_problems(app: AppTest) -> None:
    app.text_area(key="plan:new:sizes").set_value("42, 22, 19, 7, 7, 7, 7, 7, 7, 7").run()
    pairs, problems = (app.number_input(key=f"plan:new:{name}") for name in ("pairs", "problems"))
    assert (pairs.value, problems.value) == (132, 10)
    assert pairs.disabled and problems.disabled
    said = simulated(app)
    assert "132 pairs of 10 problems (7 to 42 pairs each, worth 5.9 problems of one size)" in said
    assert "would say that the study is too small" in said
    again = drawn("new")
    assert again.text_area(key="plan:new:sizes").value == "42, 22, 19, 7, 7, 7, 7, 7, 7, 7"
    again.text_area(key="plan:new:sizes").set_value("some").run()
    assert "these are no sizes of problems" in words(again).lower()
    assert again.button(key="plan-run").disabled
    again.text_area(key="plan:new:sizes").set_value("").run()
    assert not again.number_input(key="plan:new:pairs").disabled


def test_a_study_is_planned_with_the_sizes_of_its_own_problems_and_what_it_declares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = lab().organising
    study = service.create("Sizes")
    design = replace(
        study.design, estimand="pairs like these", sidedness=Sidedness.ONE_SIDED, votes_per_pair=5
    )
    problems = ["gas"] * 12 + ["braking"] * 6 + ["wave"] * 2
    included = [SimpleNamespace(pair=SimpleNamespace(problem=each)) for each in problems]
    monkeypatch.setattr(planner, "draft_of", lambda *_: SimpleNamespace(included_pairs=included))
    place = planner._Place(str(study.id), replace(study, design=design))
    request = planner._start(service, place, None)
    assert request.model.sizes == (12, 6, 2)
    assert request.rule == VerdictRule(0.95, True, "pairs like these")
    assert approximate(request.model).votes == pytest.approx(20 * 5, abs=10)  # as it wants
    service.delete_draft(study.id)


def test_the_papers_study_is_one_click_away(app: AppTest) -> None:
    app.button(key="plan-example").click().run()
    said = words(finished(app, "paper"))
    assert "172 pairs of 19 problems, 108 raters" in said
    assert "Assumed here" in said
    assert app.number_input(key="plan:paper:kappa").value == 0.37


def test_a_target_is_answered_with_ways_to_reach_it() -> None:
    app = drawn("paper")
    app.selectbox(key="plan:paper:aim").set_value("width").run()
    said = simulated(app, "paper")
    assert "What it takes to reach an interval of ± 5.0 points" in said
    assert "more pairs for the same raters" in said


def test_an_impossible_study_is_refused_in_words_and_cannot_be_simulated(app: AppTest) -> None:
    put(app, "new", "pairs", 5)
    assert "5 pairs cannot come from 10 problems" in words(app)
    assert app.button(key="plan-run").disabled


def test_a_hopeless_study_is_called_too_small(app: AppTest) -> None:
    said = simulated(app, raters=1)
    assert "too small" in said or "cannot give an interval" in said
    assert "nan" not in said.lower()


def test_a_running_simulation_shows_how_far_it_is_and_can_be_cancelled(app: AppTest) -> None:
    put(app, "new", "pairs", 2000)
    put(app, "new", "raters", 40)
    put(app, "new", "studies", 5000)
    app.button(key="plan-run").click().run()
    assert app.button(key="plan-run").disabled
    app.button(key="cancel-plan").click().run()
    assert "The simulation was cancelled." in words(finished(app, "new"))


def test_a_reload_finds_the_last_plan_again(app: AppTest) -> None:
    app.selectbox(key="plan:new:aim").set_value("power").run()
    simulated(app, pairs=60, power=80)
    again = drawn("new")
    assert again.selectbox(key="plan:new:aim").value == "power"
    assert again.number_input(key="plan:new:power").value == 80
    assert "have changed since" not in words(again)
    assert again.number_input(key="plan:new:pairs").value == 60
    assert "60 pairs of 10 problems" in words(again)


def test_a_draft_is_planned_with_its_own_numbers() -> None:
    service = lab().organising
    study = service.create("<b>Planned</b>")
    app = drawn(str(study.id))
    assert "Plan: &lt;b&gt;Planned&lt;/b&gt;" in words(app)
    assert app.number_input(key=f"plan:{study.id}:ballots").value == 10
    service.delete_draft(study.id)


@pytest.mark.parametrize("place", ["999999", "-1", "²", "<script>"])
def test_a_study_that_does_not_exist_is_said_and_a_new_one_planned(place: str) -> None:
    app = drawn(place)
    assert re.search("There is no (such )?study", words(app))
    assert app.number_input(key="plan:new:pairs").value == 100


def test_nothing_is_simulated_for_a_visitor(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "organiser", lambda: None)
    app.button(key="plan-run").click().run()
    assert "You are logged out" in words(app)
    assert job_of("new") is None


# --- pieces ---


def test_fields_give_back_the_model_that_they_show() -> None:
    model = StudyModel(excluded=0.25, tie_share=0.1, drop_out=0.4, unequal=0.3, problem_share=0.2)
    assert model_of(field_values(model)) == model
    kept = request_for(PAPER).model
    assert kept.excluded == pytest.approx(PAPER.excluded, abs=1e-4)
    assert replace(kept, excluded=PAPER.excluded) == PAPER
    assert model_of(field_values(kept)) == kept


def test_every_field_explains_itself_and_holds_the_usual_value() -> None:
    for field in FIELDS:
        assert len(field.help) > 20
        assert field.low <= field_values(StudyModel())[field.name] <= field.high


def test_the_figure_draws_a_line_for_each_number_of_raters_and_what_is_wanted() -> None:
    grid = width_grid(PAPER)
    figure = planning_figure(grid, [Point(172, 108, 0.055, 0.0003, "this design")], 0.04)
    marks = figure.panels[0].marks
    lines = [mark for mark in marks if isinstance(mark, Stroke) and mark.quantity]
    assert [line.quantity.split(",")[0] for line in lines] == [f"{n} raters" for n in grid.raters]
    assert len({line.dash for line in lines}) == len({line.colour for line in lines}) == len(lines)
    assert [mark.at for mark in marks if isinstance(mark, Guide)] == [pytest.approx(4.0)]
    assert [mark.y for mark in marks if isinstance(mark, Points)] == [[pytest.approx(5.5)]]
    ends = sorted(m.y for m in marks if isinstance(m, Label) and "raters" in m.text)
    assert min(b - a for a, b in zip(ends, ends[1:], strict=False)) > 0.3
    assert "this design ± 5.5 points" in figure.words
    go.Figure(draw(figure, dark=True, narrow=True).to_dict())  # Plotly's own validation


def test_the_name_of_a_point_stands_above_all_lines_even_where_these_are_flat() -> None:
    grid = width_grid(StudyModel(pairs=160, problems=14, raters=84, problem_share=0.5))
    points = [Point(160, 84, 0.13, 0.001, "this design"), Point(200, 84, 0.13, 0.001, "more pairs")]
    (panel,) = planning_figure(grid, points, 0.05).panels
    labels = {mark.text: mark for mark in panel.marks if isinstance(mark, Label)}
    names = [labels[point.name] for point in points]
    for name in names:
        for row in grid.half_width:
            assert name.y > np.interp(name.x, grid.pairs, 100 * np.array(row)) + 0.3
        assert panel.y.limits is not None and name.y < panel.y.limits[1]
    assert len({name.y for name in names}) == len(names)
    assert labels["wanted"].x > max(grid.pairs)


def test_the_figure_of_a_design_without_intervals_has_gaps_and_no_infinity() -> None:
    figure = planning_figure(width_grid(StudyModel(raters=2, pairs=12, problems=12)), [])
    strokes = [mark for mark in figure.panels[0].marks if isinstance(mark, Stroke)]
    assert not any(np.isinf(mark.y).any() for mark in strokes)


@pytest.mark.parametrize("dark", [False, True])
def test_lines_can_be_read_on_the_page_and_their_names_are_ink(dark: bool) -> None:
    (panel,) = planning_figure(width_grid(PAPER), []).panels
    assert {mark.colour for mark in panel.marks if isinstance(mark, Label)} == {"ink"}
    assert len({*LOOKS}) == 4
    for colour, _ in LOOKS:
        assert contrast(getattr(THEMES[dark], colour), THEMES[dark].paper) >= 3.5
