"""The organiser's settings, links and table of pairs, as the page draws them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.kit import door, wiring
from pages.ui.kit.wiring import Lab, Settings
from pages.ui.organising import (
    desk as drafts,
)
from pages.ui.organising import (
    report_files as results_data,
)
from pages.ui.organising import (
    step_design,
)
from pages.ui.organising import (
    studies as frame,
)
from tests.pages.test_app_inspector import html_of
from tests.rehearsal import DESIGN, Rehearsal, problem

SEES: tuple[ModuleType, ...] = (wiring, door, drafts, frame, results_data, step_design)


@pytest.fixture
def rehearsal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rehearsal]:
    """Services on the file that the pages look at, as its organiser."""
    lab = Lab(Settings(f"sqlite:///{tmp_path}/eic_lab.sqlite3"))
    for module in SEES:
        monkeypatch.setattr(module, "lab", lambda: lab)
    monkeypatch.setattr(door, "is_organiser", lambda: True)
    made = Rehearsal.at(tmp_path)
    yield made
    made.store.dispose()
    lab.store.dispose()


def drawn(study: int, step: str, **more: str) -> AppTest:
    def page() -> None:
        from pages.organise import organise_page

        organise_page()

    app = AppTest.from_function(page)
    for name, value in {"study": str(study), "step": step, **more}.items():
        app.query_params[name] = value
    app.run()
    return app


def test_how_many_checks_may_fail_is_shown_chosen_and_given_back(rehearsal: Rehearsal) -> None:
    study = rehearsal.draft().id
    app = drawn(study, "design")
    app.number_input(key=f"design:{study}:attention_checks").set_value(2).run()
    allowed = app.selectbox(key=f"design:{study}:max_failed_attention")
    assert allowed.proto.options[allowed.index or 0] == "any number"
    for shown, stored in (("1", 1), ("0", 0), ("", None)):
        app.selectbox(key=f"design:{study}:max_failed_attention").select(shown).run()
        assert rehearsal.organiser.study(study).design.max_failed_attention == stored
        again = drawn(study, "design").selectbox(key=f"design:{study}:max_failed_attention")
        assert again.value == shown


def test_a_limit_of_checks_that_two_organisers_changed_can_be_insisted_on(
    rehearsal: Rehearsal,
) -> None:
    design = replace(DESIGN, attention_checks=1, max_failed_attention=2)
    study = rehearsal.draft(design).id
    app = drawn(study, "design")
    theirs = replace(design, max_failed_attention=None)
    rehearsal.organiser.edit(study, design=theirs, based_on=design)
    app.selectbox(key=f"design:{study}:max_failed_attention").select("1").run()
    assert rehearsal.organiser.study(study).design == theirs
    app.button(key=f"mine:design:{study}:max_failed_attention").click().run()
    assert rehearsal.organiser.study(study).design.max_failed_attention == 1


def test_the_later_of_two_organisers_is_told_and_nothing_is_lost(rehearsal: Rehearsal) -> None:
    study = rehearsal.draft().id
    first, second = drawn(study, "design"), drawn(study, "design")
    contact, place = f"design:{study}:contact", f"design:{study}:"
    first.text_input(key=contact).input("first@example.org").run()
    second.text_input(key=contact).input("second@example.org").run()
    said = html_of(second)
    assert "Another organiser has changed the contact" in said
    assert "Stored now: first@example.org" in said
    assert second.text_input(key=contact).value == "second@example.org"
    second.button(key=f"mine:{contact}").click().run()
    assert "Another organiser" not in html_of(second)
    first.text_input(key=f"{place}title").input("A better title").run()
    second.number_input(key=f"{place}expected_minutes").set_value(7).run()
    design = rehearsal.organiser.study(study).design
    assert (design.contact, design.title) == ("second@example.org", "A better title")
    assert design.expected_minutes == 7


def test_a_description_that_is_stale_is_refused_and_both_texts_are_there(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.draft().id
    first, second = drawn(study, "problems"), drawn(study, "problems")
    text = f"about:{study}:q0:text"
    for app, words in ((first, "From the first."), (second, "From the second.")):
        app.button(key=f"describe-{study}:q0").click().run()
        app.text_area(key=text).input(words)
    assert "Saved what raters are told" in html_of(_save(first))
    said = html_of(_save(second))
    assert "Another organiser has changed" in said and "From the first." in said
    assert second.text_area(key=text).value == "From the second."
    second.button(key="keep-mine").click().run()
    assert "Saved what raters are told" in html_of(_save(second))
    assert rehearsal.organiser.problems(study)[0].description == "From the second."


def _save(app: AppTest) -> AppTest:
    return next(button for button in app.button if button.label == "Save").click().run()


def test_a_pair_without_votes_has_an_empty_cell_for_its_time(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(ballots_per_rater=2)
    rehearsal.rate(rehearsal.rater(study), 2, seconds=40)
    rehearsal.organiser.close(study.id)
    (table,) = drawn(study.id, "report", part="pairs").dataframe
    assert table.value["median s"].isna().sum() == 18
    assert table.proto.HasField("placeholder") and table.proto.placeholder == ""


def test_rows_that_lack_a_number_are_counted_beside_their_problem(rehearsal: Rehearsal) -> None:
    study = rehearsal.draft().id
    gaps = replace(problem(0), csv="t,level\n1,2\n2,\n3,4\nfour,5\n")
    rehearsal.organiser.set_problems(study, [gaps, problem(1)])
    bodies = [element.proto.body for element in drawn(study, "problems").get("html")]
    assert [("2 incomplete" in b, "incomplete" in b) for b in bodies if " rows: " in b] == [
        (True, True),
        (False, False),
    ]


def test_what_gives_sides_away_is_frozen_with_a_reason_only(rehearsal: Rehearsal) -> None:
    study = rehearsal.draft().id  # each lower EIC is of complexity 5, each other of 7
    app = drawn(study, "freeze")

    def may_freeze() -> bool:
        return not app.button(key="freeze").disabled

    app.checkbox(key=f"sure-{study}").check().run()
    app.checkbox(key=f"given-away-{study}").check().run()
    assert not may_freeze()
    app.text_area(key=f"design:{study}:giveaway_reason").input("There are no others.").run()
    assert may_freeze()
    app.checkbox(key=f"given-away-{study}").uncheck().run()
    assert not may_freeze()


def test_expected_minutes_follow_the_ballots_until_they_are_set(rehearsal: Rehearsal) -> None:
    study = rehearsal.draft().id
    app = drawn(study, "design")
    for ballots, minutes in ((4, 6), (12, 18)):
        app.number_input(key=f"design:{study}:ballots_per_rater").set_value(ballots).run()
        assert rehearsal.organiser.study(study).design.expected_minutes == minutes
    app.number_input(key=f"design:{study}:expected_minutes").set_value(9).run()
    app.number_input(key=f"design:{study}:ballots_per_rater").set_value(4).run()
    assert rehearsal.organiser.study(study).design.expected_minutes == 9
