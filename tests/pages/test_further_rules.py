"""What the organiser's page asks of a pair beside the paper's rules."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pages.ui.kit.wiring import Lab
from study.matching import MatchingRules
from study.matching.robustness import DRAWS
from study.pairing import match_study
from tests.clocks import PacedClock
from tests.pages import test_matching_cut_short as world
from tests.pages.test_app_inspector import html_of

lab, clock = world.lab, world.clock


def preview() -> None:
    from pages.ui.organising import desk, step_preview
    from pages.ui.organising.desk import draft_of

    service = desk.organiser()
    assert service is not None
    step_preview.preview_view(service, draft_of(service, service.study(1)))


def test_the_preview_says_how_far_a_gap_hangs_on_rows_as_the_matching_knew_it(
    lab: Lab, clock: PacedClock
) -> None:
    match_study(lab.organising, 1, world.RULES)
    said = f"of {DRAWS} draws of the data’s rows"
    app = AppTest.from_function(preview, default_timeout=60).run()
    assert not app.exception
    assert f"ΔEIC ≥ 2 in 100 % {said}; " in html_of(app)


def test_further_rules_are_kept_with_the_study_where_they_are_used_and_stand_in_the_form_again(
    lab: Lab, clock: PacedClock
) -> None:
    app = AppTest.from_function(world.page, default_timeout=60).run()
    next(each for each in app.number_input if each.label.startswith("|ΔC|")).set_value(4)
    app.button[0].click().run()
    assert not app.exception
    plain = lab.organising.study(1).rules
    assert set(plain) == {*MatchingRules().to_json(), "mode", "k"}
    assert f"of {DRAWS} draws of the data’s rows" in html_of(app)
    by_label = {each.label: each for each in app.number_input}
    by_label["|Δ depth| at most"].set_value(0)
    by_label["Gap in share of draws"].set_value(0.8)
    app.button[0].click().run()
    assert not app.exception
    rules = lab.organising.study(1).rules
    assert rules["max_depth_gap"] == 0 and rules["min_gap_share"] == 0.8
    assert "max_calls_gap" not in rules and "distinct" not in rules
    again = {each.label: each.value for each in app.number_input}
    assert again["|Δ depth| at most"] == 0 and again["|Δ calls| at most"] is None
