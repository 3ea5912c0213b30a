"""A matching that its time limit cut short, and pairs by further rules, on the page."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.kit import wiring
from pages.ui.kit.caches import BoundedCache
from pages.ui.kit.wiring import Lab, Settings, jobs
from pages.ui.organising import desk, step_pairs
from study.design import StudyDesign
from study.matching import MatchingRules
from study.matching.robustness import DRAWS
from study.pairing import match_study, problems_from_folder, read_upload
from tests.clocks import PacedClock
from tests.pages.conftest import UNHURRIED
from tests.pages.test_app_inspector import html_of

SLOW, QUICK = 100.0, 0.0
SAID = "The matching of `line` was cut short by its time limit: another run may choose other pairs."


def page() -> None:
    from pages.ui.organising import desk, step_pairs
    from pages.ui.organising.desk import draft_of

    service = desk.organiser()
    desk.remember_version(service, 1)
    step_pairs.pairs_view(service, draft_of(service, service.study(1)))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> PacedClock:
    paced = PacedClock(QUICK)
    monkeypatch.setitem(wiring._built, "stopwatch", paced)
    monkeypatch.setitem(wiring._built, "figures", BoundedCache(32e6))
    monkeypatch.setitem(wiring._built, "drafts", BoundedCache(96e6))
    return paced


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A draft with a scored pool; its organiser is logged in."""
    made = Lab(Settings(f"sqlite:///{tmp_path}/lab.sqlite3"))
    monkeypatch.setitem(wiring._built, "lab", made)
    monkeypatch.setattr(desk, "organiser", lambda: made.organising)
    monkeypatch.setattr(step_pairs, "is_organiser", lambda: True)
    rows = "\n".join(f"{x},{3 * x + 1}" for x in range(1, 30))
    (tmp_path / "line.csv").write_text(f"t,y\n{rows}\n")
    problems = problems_from_folder(tmp_path)
    texts = ("3*x1+1", "1+3*x1", "x1*3+1.01", "99999*x1-99996*x1+1", "88888*x1-88885*x1+1")
    pool = "problem,formula,method\n" + "\n".join(f"line,{text},m" for text in texts)
    study = made.organising.create("s", StudyDesign(contact="a@example.org", ballots_per_rater=1))
    made.organising.set_problems(study.id, problems)
    upload = read_upload("pool.csv", pool.encode(), problems, jobs=1)
    made.organising.set_pool(study.id, upload.pool)
    yield made


RULES = MatchingRules(max_complexity_gap=4)


def test_pairs_of_a_matching_cut_short_are_stored_as_such(lab: Lab) -> None:
    service = lab.organising
    result, _ = match_study(service, 1, RULES, clock=PacedClock(SLOW))
    assert not result.complete and result.unfinished == ("line",) and result.missing == SAID
    assert result.summary().startswith(f"NOT FINISHED: {SAID}")
    assert service.study(1).rules["unfinished"] == ["line"]
    warnings = service.readiness(1).warnings
    assert any("cut short by its time limit" in line and "step 3" in line for line in warnings)
    whole, _ = match_study(service, 1, RULES, clock=PacedClock(QUICK))
    assert whole.complete and whole.missing == ""
    assert "unfinished" not in service.study(1).rules
    assert not any("cut short" in line for line in service.readiness(1).warnings)


def test_a_matching_cut_short_is_marked_and_finished_on_a_click(
    lab: Lab, clock: PacedClock
) -> None:
    match_study(lab.organising, 1, RULES, clock=PacedClock(SLOW))
    app = AppTest.from_function(page).run()
    said = unescape(html_of(app)).replace("<code>", "`").replace("</code>", "`")
    assert f"{SAID} The pairs below are no answer yet." in said
    assert "What became of the formulas" not in said
    app.button(key="finish-matching").click().run()
    job = next(job for key, job in jobs()._jobs.items() if key.startswith("pairs 1 "))
    assert job.wait(UNHURRIED) and job.error is None
    said = html_of(app.run())
    assert "What became of the formulas" in said and "cut short" not in said
    assert "unfinished" not in lab.organising.study(1).rules


def test_fates_that_were_counted_in_a_hurry_are_not_shown_nor_kept_for_others(
    lab: Lab, clock: PacedClock
) -> None:
    match_study(lab.organising, 1, RULES)
    clock.pace = SLOW
    app = AppTest.from_function(page).run()
    assert "could not be counted in time" in html_of(app)
    assert "What became of the formulas" not in html_of(app)
    clock.pace = QUICK
    assert "What became of the formulas" in html_of(AppTest.from_function(page).run())
    app.button(key="count-again").click().run()
    assert "What became of the formulas" in html_of(app)


# --- Beside the paper’s rules ---


def preview() -> None:
    from pages.ui.organising import desk, step_preview
    from pages.ui.organising.desk import draft_of

    service = desk.organiser()
    assert service is not None
    step_preview.preview_view(service, draft_of(service, service.study(1)))


def test_the_preview_says_how_far_a_gap_hangs_on_rows_as_the_matching_knew_it(
    lab: Lab, clock: PacedClock
) -> None:
    match_study(lab.organising, 1, RULES)
    app = AppTest.from_function(preview).run()
    assert f"ΔEIC ≥ 2 in 100 % of {DRAWS} draws of the data’s rows; " in html_of(app)


def test_further_rules_are_kept_with_the_study_where_they_are_used_and_stand_in_the_form_again(
    lab: Lab, clock: PacedClock
) -> None:
    app = AppTest.from_function(page).run()
    next(each for each in app.number_input if each.label.startswith("|ΔC|")).set_value(4)
    app.button[0].click().run()
    assert set(lab.organising.study(1).rules) == {*MatchingRules().to_json(), "mode", "k"}
    assert f"of {DRAWS} draws of the data’s rows" in html_of(app)
    by_label = {each.label: each for each in app.number_input}
    by_label["|Δ depth| at most"].set_value(0)
    by_label["Gap in share of draws"].set_value(0.8)
    app.button[0].click().run()
    rules = lab.organising.study(1).rules
    assert rules["max_depth_gap"] == 0 and rules["min_gap_share"] == 0.8
    assert "max_calls_gap" not in rules and "distinct" not in rules
    again = {each.label: each.value for each in app.number_input}
    assert again["|Δ depth| at most"] == 0 and again["|Δ calls| at most"] is None
