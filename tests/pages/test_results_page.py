"""The organiser's results: what is drawn, what a route gives, and what stays shut."""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from eic_core.drawing.chart import Guide, Label, Panel, Points, Stroke
from eic_core.drawing.paper import figure_of
from eic_core.formula.syntax import read
from pages.ui.figures.screen import draw
from pages.ui.kit import wiring
from pages.ui.kit.door import COOKIE, form_token
from pages.ui.kit.inspector_service import declared_names
from pages.ui.kit.visit import PageState
from pages.ui.kit.wiring import Lab, Settings
from pages.ui.organising import login as door_routes
from pages.ui.organising import report_files as export_routes
from pages.ui.organising.drill import (
    inspector_address,
    inspector_state,
    pair_rows,
    vote_rows,
    votes_html,
)
from pages.ui.organising.report import MARKS
from pages.ui.organising.report_files import FILES
from pages.ui.organising.running import pairs_line, watching_lines
from pages.ui.server import ROUTES
from study.access import AccessService, HashParameters
from study.design import StudyStatus
from study.material import Member, Problem, Study
from study.report import StudyExport, bundle, read_export
from study.report.analysis import StudyReport, analyse
from study.report.bundle import bundle_files
from study.report.figures import FIGURES, Curve, RateRow, curves, intervals
from study.report.printing import FORMATS
from tests.effort import FULL, cases, combined
from tests.rehearsal import Rehearsal

PASSPHRASE = "correct horse battery"
EVERY_FILE = [
    "study.zip",
    *FILES,
    *(f"figures/{name}.{form}" for name in FIGURES for form in FORMATS),
]
SOME_FILES = (
    EVERY_FILE
    if FULL
    else [
        "study.zip",
        *FILES,
        *(f"figures/{name}.{FORMATS[at % len(FORMATS)]}" for at, name in enumerate(FIGURES)),
    ]
)
"""In a quick run each figure in one of its formats: drawing them takes half of the time."""

DRAWN_PARTS = ("result", "paper", "agreement", "threats", "pairs", "study")


def test_every_single_file_is_the_one_of_the_archive() -> None:
    report = analyse(read_export(Path(__file__).resolve().parents[1] / "golden" / "export"))
    files = (entry for entry in bundle_files(report) if entry[0] in FILES)
    for name, content in islice(files, len(FILES) - 1):  # the page comes last, after all figures
        assert FILES[name].make(report).encode() == content, name


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    made = Lab(Settings(f"sqlite:///{tmp_path}/eic_lab.sqlite3"))
    cheap = HashParameters(n=2**10)
    made.__dict__["access"] = AccessService(made.store, made.clock, made.chance, parameters=cheap)
    for module in (wiring, door_routes, export_routes):
        monkeypatch.setattr(module, "lab", lambda: made)
    yield made
    made.store.dispose()


@pytest.fixture
def rehearsal(lab: Lab, tmp_path: Path) -> Iterator[Rehearsal]:
    """Services with a clock of their own on the same file."""
    made = Rehearsal.at(tmp_path)
    yield made
    made.store.dispose()


def rated(rehearsal: Rehearsal, **changes: object) -> Study:
    """Three raters with two votes each."""
    study = rehearsal.opened(ballots_per_rater=2, **changes)
    for _ in range(3):
        rehearsal.rate(rehearsal.rater(study), 2, seconds=40)
    return study


@pytest.fixture
def closed(rehearsal: Rehearsal) -> Study:
    study = rated(rehearsal)
    rehearsal.organiser.close(study.id)
    return study


@pytest.fixture
def report(rehearsal: Rehearsal, closed: Study) -> StudyReport:
    return analyse(rehearsal.organiser.monitor.export(closed.id))


class Organiser:
    """A browser that is logged in."""

    def __init__(self, lab: Lab) -> None:
        token = lab.access.setup_token()
        assert token
        self.login = lab.access.set_up(token, PASSPHRASE).token
        app = Starlette(routes=ROUTES)
        self.client = TestClient(app, base_url="http://lab.test", follow_redirects=False)
        self.client.cookies.set(COOKIE, self.login)

    def fetch(self, study: Study, what: str) -> tuple[int, bytes]:
        token = form_token(self.login, f"export {study.id}")
        answer = self.client.post(f"/exports/{study.id}/{what}", data={"token": token})
        return answer.status_code, answer.content


# --- routes ---


def test_while_a_study_is_open_no_route_gives_a_result_even_to_its_organiser(
    lab: Lab, rehearsal: Rehearsal
) -> None:
    study, organiser = rated(rehearsal), Organiser(lab)
    for what in EVERY_FILE:
        status, content = organiser.fetch(study, what)
        assert status == 409 and b"still open" in content, what
        assert organiser.client.get(f"/exports/{study.id}/{what}").status_code == 405, what


def test_a_look_opens_every_route_and_later_votes_stay_shut(
    lab: Lab, rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, organiser = rated(rehearsal), Organiser(lab)
    # each figure is fetched by itself; the archive with all of them is that of a closed study
    monkeypatch.setattr(bundle, "figure_files", lambda report, figures: iter(()))
    rehearsal.organiser.early.look(study.id, confirmed=study.name, after=0)
    for what in SOME_FILES:
        assert organiser.fetch(study, what)[0] == 200, what
    before = organiser.fetch(study, "votes.csv")[1]
    assert before.count(b"\n") == 1 + 6
    rehearsal.rate(rehearsal.rater(study), 2)
    assert organiser.fetch(study, "votes.csv")[1] == before
    document = json.loads(organiser.fetch(study, "report.json")[1])
    assert [look["votes_then"] for look in document["unblindings"]] == [6]
    rehearsal.organiser.early.look(study.id, confirmed=study.name, after=1)
    assert organiser.fetch(study, "votes.csv")[1].count(b"\n") == 1 + 8


def test_the_archive_of_a_closed_study_is_read_again_and_holds_what_the_routes_give(
    lab: Lab, closed: Study
) -> None:
    organiser = Organiser(lab)
    status, content = organiser.fetch(closed, "study.zip")
    packed = zipfile.ZipFile(io.BytesIO(content))
    assert status == 200 and set(packed.namelist()) >= {*FILES} | {
        f"figures/{name}.svg" for name in FIGURES
    }
    for what in ("votes.csv", "report.json", "pairs.csv", "figures/preference.svg"):
        assert organiser.fetch(closed, what)[1] == packed.read(what), what


def test_what_the_interval_is_about_goes_into_the_files(lab: Lab, closed: Study) -> None:
    organiser = Organiser(lab)
    for query, estimand in (
        ("", "pairs like these"),
        ("?about=these", "these pairs"),
        ("?about=<b>", "pairs like these"),
    ):
        document = json.loads(organiser.fetch(closed, f"report.json{query}")[1])
        assert document["estimand"] == estimand


def test_two_studies_of_one_hash_have_a_report_each(lab: Lab, rehearsal: Rehearsal) -> None:
    organiser = Organiser(lab)
    empty, full = rehearsal.opened(), rehearsal.organiser.create("twin")
    pairs = [pair.pair for pair in rehearsal.organiser.pairs(empty.id)]
    rehearsal.organiser.edit(full.id, design=empty.design)
    rehearsal.organiser.set_problems(full.id, rehearsal.organiser.problems(empty.id))
    pool = rehearsal.organiser.pool(empty.id)
    assert pool is not None
    rehearsal.organiser.set_pool(full.id, pool)
    rehearsal.organiser.set_pairs(full.id, pairs, empty.rules)
    full = rehearsal.organiser.freeze(full.id)
    assert full.hash == empty.hash
    rehearsal.rate(rehearsal.rater(full), 3)
    counts = []
    for study in (empty, full):
        rehearsal.organiser.close(study.id)
        counts.append(json.loads(organiser.fetch(study, "report.json")[1])["votes"]["cast"])
    assert counts == [0, 3]


def test_what_is_no_file_of_a_report_is_not_found(lab: Lab, closed: Study) -> None:
    organiser = Organiser(lab)
    for what in ("figures/preference.gif", "figures/secrets.svg", "no.csv"):
        assert organiser.fetch(closed, what)[0] == 404, what


def test_visitors_get_nothing(lab: Lab, closed: Study) -> None:
    organiser = Organiser(lab)
    urls = [f"/exports/{closed.id}/{what}" for what in EVERY_FILE]
    for url in urls:
        assert organiser.client.post(url).status_code == 403, url
    organiser.client.cookies.clear()
    token = form_token(organiser.login, f"export {closed.id}")
    for url in urls:
        assert organiser.client.post(url, data={"token": token}).status_code == 401, url


# --- pages ---


def drawn(lab: Lab, monkeypatch: pytest.MonkeyPatch, **query: str) -> tuple[AppTest, str]:
    """The organiser's page, as its organiser sees it, and its HTML."""
    from pages.ui.kit import door
    from pages.ui.organising import desk as drafts
    from pages.ui.organising import studies as frame

    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    for module in (door, drafts, frame):
        monkeypatch.setattr(module, "lab", lambda: lab)
    monkeypatch.setattr(door, "is_organiser", lambda: True)

    def page() -> None:
        from pages.organise import organise_page

        organise_page()

    app = AppTest.from_function(page, default_timeout=600)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    bodies = [e.proto.body for e in app.get("html") if not e.proto.body.startswith("<style")]
    return app, "\n".join(bodies)


def test_flipping_every_vote_of_an_open_study_changes_nothing_on_any_of_its_pages(
    lab: Lab, rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = rated(rehearsal, attention_checks=0)
    seen = []
    for flipped in (False, True):
        if flipped:
            _flip(monkeypatch)
        for step in ("live", "invitations", "preview", "report", "settings"):
            app, html = drawn(lab, monkeypatch, study=str(study.id), step=step)
            html = re.sub('/exports/parcel/[^"]+', "/exports/parcel", html.split("As of ")[0])
            html += rehearsal.organiser.preregistration(study.id)  # what the parcel holds
            seen.append((flipped, step, html, len(app.get("plotly_chart"))))
    first, second = seen[: len(seen) // 2], seen[len(seen) // 2 :]
    assert [each[1:] for each in first] == [each[1:] for each in second]
    rehearsal.organiser.close(study.id)  # the flip is one that a report would show
    _, html = drawn(lab, monkeypatch, study=str(study.id), step="report")
    assert "preferred" in html


def _flip(monkeypatch: pytest.MonkeyPatch) -> None:
    from study.store import VoteRow

    chosen = VoteRow.chosen.fget
    assert chosen is not None
    other = {"lower": "higher", "higher": "lower", "tie": "tie"}
    monkeypatch.setattr(VoteRow, "chosen", property(lambda vote: other[chosen(vote)]))


def test_the_page_of_an_open_study_asks_for_a_confirmation_and_shows_the_cost(
    lab: Lab, rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = rated(rehearsal)
    query = {"study": str(study.id), "step": "report"}
    (app, html), (other, _) = (drawn(lab, monkeypatch, **query) for _ in range(2))
    assert "No result is shown while the study is open" in html and "Armitage" in html
    assert "preferred" not in html and not app.get("plotly_chart")
    assert "not the study" in _look(app, "another name")
    assert rehearsal.organiser.early.of(study.id) == ()
    html = _look(app, study.name)
    assert "still open" in html and "looked at once" in html and "preferred" in html
    assert "looked at once" in _look(other, study.name)  # at the same time
    assert "looked at once" in drawn(lab, monkeypatch, **query)[1]  # a reload
    assert len(rehearsal.organiser.early.of(study.id)) == 1
    rehearsal.rate(rehearsal.rater(study), 1)
    app, html = drawn(lab, monkeypatch, **query)
    assert "One vote that came since is not in it." in html
    assert "looked at twice" in _look(app, study.name, "Look again")
    assert len(rehearsal.organiser.early.of(study.id)) == 2


def _look(app: AppTest, confirmed: str, verb: str = "Look now") -> str:
    app.text_input[0].input(confirmed)
    next(button for button in app.button if button.label == verb).click().run()
    return "".join(e.proto.body for e in app.get("html"))


@pytest.mark.parametrize(("part", "votes"), combined(DRAWN_PARTS, [0, 1, 6], 1))
def test_every_part_of_a_report_is_drawn_whatever_the_votes(
    lab: Lab, rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch, part: str, votes: int
) -> None:
    study = rehearsal.opened(ballots_per_rater=2)
    for vote in range(votes):
        rehearsal.rate(rehearsal.rater(study), 1 + vote % 2)
    rehearsal.organiser.close(study.id)
    for about in ("like", "these")[: cases(1 + (votes == 6), 2)]:
        query = {"study": str(study.id), "step": "report", "part": part, "about": about}
        _, html = drawn(lab, monkeypatch, **query)
        assert "nan" not in html.lower().replace("financ", "").split()
        assert "Traceback" not in html


def test_a_pair_shows_its_votes_and_a_pair_that_is_none_says_so(
    lab: Lab, closed: Study, report: StudyReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = next(r for r in pair_rows(report) if r.votes)
    query = {"study": str(closed.id), "step": "report", "part": "pairs"}
    app, html = drawn(lab, monkeypatch, **query, pair=row.pair.pair)
    assert html.count("✓ counts") + html.count("✗ left out") == len(
        vote_rows(report, row.pair.pair)
    )
    assert html.count('href="./?formula=') == 2
    assert len(app.latex) == 2  # both formulas; the ballot itself is a page in a frame
    for name in ("p999", "<script>"):
        _, html = drawn(lab, monkeypatch, **query, pair=name)
        assert "There is no such pair" in html and "<script" not in html


# --- pairs and votes ---


def test_the_pairs_add_up_to_the_report(rehearsal: Rehearsal) -> None:
    study = rated(rehearsal)
    rehearsal.rate(rehearsal.rater(study), 2, seconds=2)
    rehearsal.organiser.close(study.id)
    report = analyse(rehearsal.organiser.monitor.export(study.id))
    rows = pair_rows(report)
    assert len(rows) == len(report.export.pairs)
    assert sum(r.lower for r in rows) == report.preference.lower
    assert sum(r.higher for r in rows) == report.preference.higher
    assert sum(r.left_out for r in rows) == 2 == sum(report.votes_excluded.values())
    shown = [v for r in rows for v in vote_rows(report, r.pair.pair)]
    assert len(shown) == len(report.votes_cast)
    for row in shown:
        left = (row.vote.choice == "lower") == (row.vote.lower_side == "left")
        assert row.side == ("A" if left else "B")


def test_reasons_are_shown_as_text(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(ballots_per_rater=1)
    token = rehearsal.rater(study)
    ballot = rehearsal.rating.next_ballot(token).ballot
    assert ballot is not None
    rehearsal.clock.advance(90)
    rehearsal.rating.vote(token, ballot.token, "left", "<img src=x onerror=alert(1)>")
    rehearsal.organiser.close(study.id)
    report = analyse(rehearsal.organiser.monitor.export(study.id))
    rows = [v for r in pair_rows(report) for v in vote_rows(report, r.pair.pair)]
    html = votes_html(rows)
    assert "&lt;img src=x" in html and "<img" not in html


# --- the inspector ---

LINE = Problem("p", "t,e,y\n0.5,1,2.1\n2,1,3.9\n3,1,6.2\n")


@pytest.mark.parametrize(
    ("member", "ranges"),
    [
        (Member("2*X0+X1", 0, 1, 5, syntax="gplearn"), ("x0=0.5:3.0", "x1=1.0")),
        (Member("X1+1", 0, 1, 3, syntax="operon", index_base=1), ("x1=0.5:3.0",)),
        (Member("t+1", 0, 1, 3), ("t=0.5:3.0",)),
        (Member("t+e", 0, 1, 3), ("t=0.5:3.0", "e=1.0")),
        (Member("x0*t0", 0, 1, 3, syntax="tinygp", parameters={"t0": "2.5"}), ("x0=0.5:3.0",)),
    ],
)
def test_the_inspector_is_given_the_same_tree_over_the_ranges_of_its_columns(
    member: Member, ranges: tuple[str, ...]
) -> None:
    state = inspector_state(member, LINE)
    back = PageState.from_query(state.to_query())
    assert back == state
    assert tuple(state.to_query()["range"]) == ranges
    meant = read(
        member.formula,
        syntax=member.syntax or "auto",
        columns=("t", "e"),
        parameters=dict(member.parameters),
    )
    names = declared_names(back.formula, None, back.domains)  # as the page reads it
    found = read(back.formula, syntax=back.syntax, columns=names)
    assert found.formula.structure() == meant.formula.structure()


def test_a_formula_too_long_for_an_address_has_no_link() -> None:
    long = "+".join(["t"] * 4000)
    assert inspector_address(inspector_state(Member(long, 0, 1, 7999), LINE)) == ""


# --- figures ---

ROWS = (
    RateRow("all <b>", 0.7, 0.65, 0.75, "70 %"),
    RateRow("none", None, text="no votes"),
    RateRow("without an interval", 1.0, check=True),
)


def of_kind(panel: Panel, kind: type) -> list[Any]:
    return [mark for mark in panel.marks if isinstance(mark, kind)]


@pytest.mark.parametrize("rows", [(), ROWS[:1], ROWS])
def test_rates_are_drawn_on_a_fixed_scale_with_the_middle_marked(rows: tuple[RateRow, ...]) -> None:
    for beside in (False, True):
        chart = intervals(rows, beside=beside, empty="nobody")
        [panel] = chart.panels
        assert panel.x.limits == (-0.01, 1.01)
        assert [rule.at for rule in of_kind(panel, Guide)] == [0.5]
        assert [(p.x, p.y) for p in of_kind(panel, Points)] == [
            ([row.value], [y]) for y, row in enumerate(reversed(rows)) if row.value is not None
        ]
        assert [line.x for line in of_kind(panel, Stroke)] == [[0.65, 0.75]] * bool(rows)
        texts = [label.text for label in of_kind(panel, Label)]
        assert ("nobody" in texts) == (not rows) and ("no votes" in texts) == (len(rows) > 1)
        assert chart.words == "; ".join(f"{row.name}: {row.text}" for row in rows) or not rows


def test_curves_take_any_number_of_points() -> None:
    curve = Curve("whole sessions", (0.0, 60.0, 180.0), ROWS, (9.0, 7.0, 0.0), chosen=0)
    for joined in (False, True):
        chart = curves((curve, curve._replace(name="votes")), "s", chosen="the rule", joined=joined)
        upper, lower = chart.panels
        assert upper.y.limits == (-0.01, 1.01)
        first, diamond, second, _ = of_kind(upper, Points)
        assert first.x == [0.0, 180.0] and diamond.y == [0.7] and first.symbol != second.symbol
        assert "the rule" in {label.text for label in of_kind(upper, Label)}
        assert [mark.colour for mark in of_kind(lower, Stroke)] == ["blue", "orange"] * joined
        none = curves((), "seconds", joined=joined)
        assert [label.text for label in of_kind(none.panels[0], Label)] == [none.words]


def test_every_figure_of_a_report_is_drawn_for_the_screen(report: StudyReport) -> None:
    nothing = analyse(StudyExport("s", "Nothing", "", (), ()))
    for each, name in product((report, nothing), FIGURES):
        chart = FIGURES[name].describe(each)
        assert chart.words
        for look in (False, True):
            checked = go.Figure(draw(chart, dark=look, narrow=look).to_dict())
            text = checked.to_json()
            assert "NaN" not in text and "Infinity" not in text and "<b> " not in text
            if each is nothing:  # and says why
                notes = [note.text for note in checked.layout.annotations]
                assert any(text.lower().startswith(("no ", "there ")) for text in notes), name


@pytest.mark.parametrize("name", ["preference", "problems"])
def test_print_and_screen_show_the_same_intervals(report: StudyReport, name: str) -> None:
    chart = FIGURES[name].describe(report)
    whole = [line.x for line in of_kind(chart.panels[0], Stroke)]
    screen = [list(t.x) for t in draw(chart).data if t.mode == "lines"]
    (axes,) = figure_of(chart).axes
    lines = [list(line.get_xdata()) for line in axes.lines]
    assert whole and screen == whole == [line for line in lines if line in whole]


def test_the_first_figure_shows_people_and_the_papers_share(report: StudyReport) -> None:
    [panel] = FIGURES["preference"].describe(report).panels
    found = report.inference.interval(report.level)
    assert found is not None
    assert [line.x for line in of_kind(panel, Stroke)] == [[found.low, found.high]]
    texts = [label.text for label in of_kind(panel, Label)]
    assert "people" in texts and "people, Yu et al." in texts
    assert "69.8 %, as they report it" in texts


# --- words ---


def test_the_live_list_says_what_deserves_a_look(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(ballots_per_rater=2, attention_checks=1)
    rehearsal.rate(rehearsal.rater(study), 3, seconds=4)
    rehearsal.rate(rehearsal.rater(study), 1, seconds=40)
    rehearsal.clock.advance(25 * 3600)
    live = rehearsal.organiser.monitor.live(study.id)
    lines = watching_lines(live)
    assert lines[0] == "1 so far fall to the frozen rule on haste, and will be left out."
    assert lines[1] == "Who dropped out stopped: 1 after one ballot."
    closed = watching_lines(replace(live, status=StudyStatus.CLOSED))
    assert closed == ["Left out by the frozen rule on haste: 1.", *lines[1:]]
    assert pairs_line(live, 5).startswith("0 of 20 pairs have the 5 wanted; the fewest are 0")
    assert pairs_line(replace(live, pairs=()), 0) == "There are no pairs."


def test_a_judgement_is_told_by_a_mark_and_a_word_and_not_by_colour_alone() -> None:
    marks = [mark for mark, _ in MARKS.values()]
    assert len(set(marks)) == len(marks) == 3 and all(len(word) > 5 for word in MARKS)
