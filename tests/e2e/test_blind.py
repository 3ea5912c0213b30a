"""Nothing that a volunteer's browser receives tells which formula has the lower EIC."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace

import pytest
from playwright.sync_api import Browser, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.ui.rating.ballot_figure import LETTERS, curve_figure, surface_figure
from pages.ui.rating.ballot_view import caption
from pages.ui.rating.pieces import breakable
from tests.e2e.blindness import Secrets, Wiretap, leaks, texts_of_frame
from tests.e2e.rating_world import (
    CONTACT,
    FIRST_EIC,
    FIRST_ROW,
    MARKED_METHOD,
    World,
    agree,
    answer,
    fits,
    idle,
    token_of,
    visit,
    volunteer,
)

pytestmark = pytest.mark.e2e

BALLOTS = 10


def secrets_of(world: World) -> Secrets:
    """What the study hides, from its own database."""
    pairs = [pair.pair for pair in world.organiser.pairs(world.study.id)]
    members = [member for pair in pairs for member in (pair.lower, pair.higher)]
    return Secrets(
        words=(MARKED_METHOD, "gplearn", "operon"),
        integers=frozenset(member.row for member in members if member.row is not None),
        values=frozenset(member.eic for member in members),
        exact=frozenset(eic for eic in world.true_eics if eic),
    )


def test_a_whole_session_on_a_phone_leads_to_the_thanks_and_tells_nothing(
    browser: Browser, world: World
) -> None:
    link = world.link()
    secrets = secrets_of(world)
    assert len(secrets.values) > 40 and min(secrets.values) == FIRST_EIC
    assert len(secrets.exact) > 40 and min(secrets.integers) == FIRST_ROW
    formulas: list[list[str]] = []
    with volunteer(browser, motion=True) as page:
        tap = Wiretap(page)
        visit(page, link)
        expect(page.get_by_text(CONTACT)).to_be_visible()
        expect(page.get_by_text("about 15 minutes")).to_be_visible()
        fits(page)
        tap.look("consent")
        agree(page)
        expect(page.get_by_text(link)).to_be_visible()
        fits(page)
        tap.look("welcome")
        page.locator(".st-key-welcome-start button").click()
        expect(page.get_by_text("Practice ballot", exact=True)).to_be_visible()
        tap.look("practice")
        answer(page, "B")
        expect(page.get_by_text("You chose formula B")).to_be_visible()
        tap.look("feedback")
        page.locator(".st-key-feedback-start button").click()
        for number in range(1, BALLOTS + 1):
            expect(page.get_by_text(f"Ballot {number} of {BALLOTS}")).to_be_visible()
            expect(page.get_by_text(f"saved {number - 1} of {BALLOTS}")).to_be_visible()
            fits(page)
            page.locator(".js-plotly-plot .main-svg").first.wait_for()
            idle(page)
            plot = page.locator(".js-plotly-plot .drag").first.bounding_box()
            assert plot is not None
            page.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] + plot["height"] / 2)
            tap.look(f"ballot {number}")
            written = page.locator("[class*='st-key-rate-formula-'] annotation")
            expect(written).to_have_count(2)
            formulas.append(written.all_text_contents())
            if number == 3:
                page.get_by_label("Why?").fill("I can read it aloud")
            answer(page, "AB"[number % 2])
        expect(page.get_by_text("Thank you!")).to_be_visible()
        expect(page.get_by_text("What the study is about")).to_be_visible()
        tap.look("debrief")
        texts = tap.texts()
    received = [text for place, text in texts if place.startswith("frame")]
    assert len(received) > 100 and sum("Formula A" in text for text in received) > BALLOTS
    assert max(map(len, received)) < 100_000
    assert any("body of" in place for place, _ in texts)
    drawn = (token_of(link), *(ballot["token"] for ballot in world.ballots(link)))
    assert leaks(texts, replace(secrets, drawn=drawn)) == []

    votes = world.votes(link)
    assert [vote["choice"] for vote in votes] == ["right", "left"] * (BALLOTS // 2)
    assert [vote["reason"] for vote in votes] == ["", "", "I can read it aloud", *[""] * 7]
    practice = world.ballots(link)[0]
    assert (practice["kind"], practice["choice"]) == ("practice", "right")
    assert sum(vote["lower_left"] for vote in votes) == BALLOTS // 2
    for vote, shown in zip(votes, formulas, strict=True):
        content = json.loads(
            world.rows("SELECT content FROM ballot WHERE pair_id = :p", p=vote["pair_id"])[0][
                "content"
            ]
        )
        sides = ("lower", "higher") if vote["lower_left"] else ("higher", "lower")
        assert shown == [breakable(content[side]["latex"]) for side in sides]
        for latex in shown:
            assert (
                max(map(significant, re.findall(r"\d+(?:\.\d+)?", latex)), default=0)
                <= (content["digits"])
            )


def test_no_ballot_of_any_pair_tells_and_no_rater_finds_a_side_favoured(world: World) -> None:
    """The session above draws ten pairs; this is what a rater may see of all of them."""
    secrets, seen = secrets_of(world), set()
    for label in range(40):
        made = world.organiser.invitations.invite(world.study.id, [f"all {label}"])[0]
        token = token_of(made.link)
        world.rating.consent(token, degree="Other or none", field="Testing")
        while (ballot := world.rating.next_ballot(token).ballot) is not None:
            shown = [json.dumps(asdict(replace(ballot, token=""))), caption(ballot)]
            if ballot.figure.kind == "curve":
                shown.append(curve_figure(ballot).to_json())
            else:
                shown += [surface_figure(ballot, side).to_json() for side in LETTERS]
            assert leaks([(ballot.title, text) for text in shown], secrets) == []
            world.rating.vote(token, ballot.token, "left")
        votes = world.votes(made.link)
        assert sum(vote["lower_left"] for vote in votes) == BALLOTS // 2
        seen |= {vote["pair_id"] for vote in votes}
        if label >= 5 and len(seen) == len(world.organiser.pairs(world.study.id)):
            return
    raise AssertionError(f"only {len(seen)} pairs were shown")


def significant(number: str) -> int:
    """Significant digits of a number as written."""
    digits = number.replace(".", "").lstrip("0")
    return len(digits if "." in number else digits.rstrip("0"))


SECRETS = Secrets(
    words=("zebrafinch",),
    integers=frozenset({918_000_001}),
    values=frozenset({61_011_234_567.5}),
    exact=frozenset({4.207134, 0.3010299957}),
)


@pytest.mark.parametrize(
    "text",
    [
        '{"customdata": [4.2071339]}',
        "EIC 4.2",
        '{"lower_left": true}',
        '{"isLower": 1}',
        "the higher one",
        "st-key-eic-left",
        "meanEic",
        "found by Zebrafinch",
        '{"row": 918000001}',
        "x=0.3010300",
        "61010000000",
        "6.101e10",
        "pair_id",
    ],
)
def test_a_planted_leak_is_found(text: str) -> None:
    message = ForwardMsg()
    message.delta.new_element.plotly_chart.spec = text
    received = texts_of_frame(message.SerializeToString(), sent=False)
    assert leaks([("frame", part) for part in received], SECRETS)


def test_a_leak_in_a_widget_key_or_a_number_field_is_found() -> None:
    message = ForwardMsg()
    message.delta.new_element.button.id = "$$ID-1-choose-lower"
    assert leaks(
        [("f", t) for t in texts_of_frame(message.SerializeToString(), sent=False)], SECRETS
    )
    message = ForwardMsg()
    message.delta.new_element.slider.default.append(61_011_234_567.5)
    assert leaks(
        [("f", t) for t in texts_of_frame(message.SerializeToString(), sent=False)], SECRETS
    )


@pytest.mark.parametrize(
    "text",
    [
        "61012345-9184-4957-ab6c-61012345678f",
        "6101e007-61e9-4957-ab6c-6101234567e1",
        "2|61012e06|219fa66b3dc791c9652be66bfebbe521|1795259078",
        "a flower",
        "text-transform: lowercase",
        "4.20713",
        "6.1e10",
        "4.2",
        "deicing",
        "1918000001",
        "A",
    ],
)
def test_what_tells_nothing_is_no_leak(text: str) -> None:
    assert leaks([("frame", text)], SECRETS) == []
