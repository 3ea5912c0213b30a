"""What the organiser's pages are made of, without a browser."""

from __future__ import annotations

import threading
from pathlib import Path

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from eic_core.errors import UserError
from pages.ui.figures.screen import draw
from pages.ui.kit.caches import LASTS, Parcels
from pages.ui.kit.jobs import Job, Jobs, Step
from pages.ui.kit.messages import table_html
from pages.ui.kit.wiring import Lab, Settings, lab
from pages.ui.organising import asking, desk
from pages.ui.organising.desk import read_files
from pages.ui.server import setup_lines
from study.demo.seeding import DRAFT_NAME, OPEN_NAME, seed_demo
from study.design import StudyDesign, StudyStatus
from study.errors import AccessError, StaleEditError
from study.organising import OrganiserService
from study.report.figures import pair_histograms
from tests.kept import making_once
from tests.pages.conftest import UNHURRIED
from tests.pages.test_app_inspector import html_of, open_page, visit


@pytest.fixture
def service(tmp_path: Path) -> OrganiserService:
    return Lab(Settings(f"sqlite:///{tmp_path}/lab.sqlite3")).organising


# --- access ---


def test_the_page_itself_shows_a_visitor_the_door_and_nothing_of_a_study() -> None:
    lab().organising.create("Hidden from visitors")

    def page() -> None:
        from pages.organise import organise_page

        organise_page()

    drawn = visit(AppTest.from_function(page), study="1")
    assert "Hidden from visitors" not in html_of(drawn)
    assert not drawn.button and not drawn.text_input
    assert "No passphrase has been chosen yet" in html_of(drawn)
    drawn.query_params["door"], drawn.query_params["wait"] = "wait", "7"
    assert "Too many attempts.</p><p>Try again in 7 seconds." in html_of(drawn.run())


def test_visitors_see_no_way_to_the_organisers_pages() -> None:
    links = [link.proto.label for link in open_page().get("page_link")]
    assert links == ["Inspector", "Compare", "About", "Help"]


def test_a_set_up_link_is_printed_until_a_passphrase_is_chosen(tmp_path: Path) -> None:
    opened = Lab(Settings(f"sqlite:///{tmp_path}/lab.sqlite3"))
    lines = setup_lines(opened, "http://localhost:8501")
    opened.access.set_up(lines[1].split("setup=")[1], "correct horse battery")
    assert setup_lines(opened, "http://localhost:8501") == ()
    assert opened.has_passphrase()


def test_a_demo_never_opens_the_database_of_real_studies() -> None:
    real = {"DATABASE_URL": "sqlite:///real.sqlite3"}
    assert Settings.of(real).database_url == "sqlite:///real.sqlite3"
    assert Settings.of({**real, "EIC_LAB_DEMO": "1"}).database_url != "sqlite:///real.sqlite3"


# --- two organisers ---


def test_settings_that_two_organisers_change_apart_are_both_kept(
    service: OrganiserService,
) -> None:
    study = service.create("Both")
    seen = study.design
    service.edit(study.id, design=_with(seen, votes_per_pair=7), based_on=seen)
    service.edit(study.id, design=_with(seen, contact="me@example.org"), based_on=seen)
    design = service.study(study.id).design
    assert (design.votes_per_pair, design.contact) == (7, "me@example.org")


def test_the_later_change_of_one_setting_is_refused_and_named(service: OrganiserService) -> None:
    study = service.create("Clash")
    seen = study.design
    service.edit(study.id, design=_with(seen, contact="first@example.org"), based_on=seen)
    with pytest.raises(StaleEditError, match="the contact") as refused:
        service.edit(study.id, design=_with(seen, contact="second@example.org"), based_on=seen)
    assert refused.value.fields == ("contact",)
    assert service.study(study.id).design.contact == "first@example.org"


def test_a_stale_replacement_says_what_was_done_meanwhile(service: OrganiserService) -> None:
    study = service.create("Stale")
    seen = service.version(study.id)
    service.set_problems(study.id, read_files([("fall.csv", b"t,s\n1,2\n2,3\n")]).problems)
    with pytest.raises(StaleEditError, match="set the problems"):
        service.set_problems(study.id, (), version_seen=seen)
    assert [p.name for p in service.problems(study.id)] == ["fall"]
    service.set_problems(study.id, (), version_seen=service.version(study.id))


def test_a_stale_freeze_or_delete_is_refused(service: OrganiserService) -> None:
    study = service.create("Stale end")
    seen = service.version(study.id)
    service.edit(study.id, name="Renamed")
    with pytest.raises(StaleEditError):
        service.freeze(study.id, version_seen=seen)
    with pytest.raises(StaleEditError):
        service.delete_draft(study.id, version_seen=seen)
    assert service.study(study.id).name == "Renamed"


def _with(design: StudyDesign, **changes: object) -> StudyDesign:
    return StudyDesign.from_json({**design.to_json(), **changes})


# --- the demo ---


@making_once()
def test_the_demo_is_made_once_and_mended_if_it_was_cut_short(
    service: OrganiserService,
) -> None:
    service.create(OPEN_NAME)  # as if the first start had been interrupted
    seed_demo(service, "http://127.0.0.1:8501")
    first = {study.name: study for study in service.studies()}
    assert first[OPEN_NAME].status == StudyStatus.OPEN
    assert first[DRAFT_NAME].status == StudyStatus.DRAFT
    assert len(service.pairs(first[OPEN_NAME].id)) >= 20
    seed_demo(service, "http://127.0.0.1:9000")
    again = {study.name: study for study in service.studies()}
    assert {s.id for s in again.values()} == {s.id for s in first.values()}
    assert again[OPEN_NAME].design.public_base_url == "http://127.0.0.1:9000"
    assert again[OPEN_NAME].hash == first[OPEN_NAME].hash


# --- jobs and parcels ---


def test_a_job_is_cancelled_at_its_next_step_and_a_second_one_waits_its_turn() -> None:
    jobs, started, cancelled = Jobs(), threading.Event(), threading.Event()

    def work(step: Step) -> str:
        started.set()
        cancelled.wait()
        step(1, 2)
        return "done"

    job = jobs.start("one", "slow", work)
    started.wait()
    assert jobs.start("one", "another", work) is job
    job.cancel()
    cancelled.set()
    assert job.wait(UNHURRIED) and job.result is None and job.error is None
    jobs.forget("one")
    assert jobs.get("one") is None


def test_a_job_keeps_the_users_mistake() -> None:
    def work(step: Step) -> None:
        del step
        raise UserError("no such column")

    job = Jobs().start("one", "failing", work)
    assert job.wait(UNHURRIED) and str(job.error) == "no such column"


def test_parcels_are_gone_after_an_hour() -> None:
    now = [0.0]
    parcels = Parcels(clock=lambda: now[0])
    number = parcels.leave("me", "a.csv", b"x")
    now[0] = LASTS + 1
    assert parcels.fetch(number, "me") is None


# --- files and figures ---


def test_problem_files_keep_what_fits_and_say_why_the_rest_does_not() -> None:
    about = b'[{"name": "fall", "title": "A fall", "description": "How far?", "columns": []}]'
    upload = read_files(
        [
            ("fall.csv", b"t,s\n1,2\n2,3\n"),
            ("problems.json", about),
            ("bad.json", b"{"),
            ("wide.csv", b"a,b,c,y\n1,2,3,4\n"),
            ("latin.csv", b"\xff\xfe,y\n1,2\n"),
            ("dir/nested.csv", b"x,y\n1,2\n2,4\n"),
            ("empty.csv", b""),
        ]
    )
    assert [(p.name, p.title) for p in upload.problems] == [
        ("fall", "A fall"),
        ("nested", "nested"),
    ]
    assert len(upload.refused) == 4
    assert any(
        each.startswith("`wide.csv` is left out") and "3 inputs" in each for each in upload.refused
    )


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("a,b\nx,y\nz,w\n", "it has no row with a number in every column"),
        ("x,y\n1,nan\n2,inf\n3,1\n", "it has one row with a number in every column"),
        ("x,y\n1,2\n", "it has one row with a number in every column"),
        ("x,y\n1,7\n2,7\n3,\n", "its last column `y`, the target, has one value only"),
    ],
)
def test_a_table_on_which_nothing_has_an_r2_is_left_out(table: str, why: str) -> None:
    upload = read_files([("t.csv", table.encode())])
    assert not upload.problems
    assert len(upload.refused) == 1 and why in upload.refused[0]


def test_tables_are_inert() -> None:
    assert "<script" not in table_html([("<script>", "<img src=x>")], ("<b>", "h"))


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1.0], [0.9, float("nan")], [3.0, 5.0, 90.0]])
def test_the_pairs_figure_takes_any_number_of_pairs(values: list[float]) -> None:
    members = [(value, value, value) for value in values]
    chart = pair_histograms(members, members)
    bars = [mark for panel in chart.panels for mark in panel.marks if mark.name == "lower EIC"]
    assert sum(sum(mark.high) for mark in bars) == 3 * sum(v == v for v in values)
    for dark in (False, True):
        go.Figure(draw(chart, dark=dark, narrow=dark).to_dict())


def test_who_is_logged_out_neither_asks_a_model_nor_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "organiser", lambda: None)
    job = Job("asking")
    asking._pause(job)
    asking._resume(None)  # type: ignore[arg-type]  # is not looked at
    asking._begin(lab().organising.create("To be asked"), 0)
    assert not job.cancelled and isinstance(desk.organiser_desk().errors["models"], AccessError)
