"""Nothing that a volunteer's browser receives tells which formula has the lower EIC."""

from __future__ import annotations

import html
import json
import re
import zlib
from base64 import b64encode
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from pages.ballot.parts import plain
from pages.ballot.views import ballot_screen
from study.rating_types import Ballot, RatingVisit, Stage
from tests.e2e.blindness import Secrets, Wiretap, leaks, pieces_of, without_pictures
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
    understand,
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
        page.locator("#start").click()
        expect(page.get_by_text("Practice ballot", exact=True)).to_be_visible()
        tap.look("practice")
        answer(page, "B")
        expect(page.get_by_text("You chose formula B")).to_be_visible()
        tap.look("feedback")
        understand(page)
        for number in range(1, BALLOTS + 1):
            expect(page.get_by_text(f"Ballot {number} of {BALLOTS}")).to_be_visible()
            expect(page.get_by_text(f"saved {number - 1} of {BALLOTS}")).to_be_visible()
            fits(page)
            expect(page.locator(".plot svg:visible").first).to_be_visible()
            idle(page)
            tap.look(f"ballot {number}")
            written = page.locator(".formula math")
            expect(written).to_have_count(2)
            formulas.append(written.evaluate_all("all => all.map(e => e.outerHTML)"))
            if number == 3:
                page.get_by_label("Why?").fill("I can read it aloud")
            answer(page, "AB"[number % 2])
            if number == 5:
                tap.look("undo")
                page.locator("#undo").click()
                expect(page.get_by_text("saved 4 of")).to_be_visible()
                answer(page, "B")
        expect(page.get_by_text("Thank you!")).to_be_visible()
        expect(page.get_by_text("What the study is about")).to_be_visible()
        tap.look("debrief")
        texts = tap.texts()
        assert tap.sockets == []
    bodies = [text for place, text in texts if place.startswith("body of")]
    assert sum("Formula A" in text for text in bodies) > BALLOTS
    assert max(map(len, bodies)) < 150_000
    assert sum("POST" in place for place, _ in texts) > BALLOTS
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
        frozen = [content["shapes"][side]["mathml"] for side in sides]
        assert list(map(_bare, shown)) == list(map(_bare, frozen))
        for text in shown:
            numbers = re.findall(r"<mn>(\d+(?:\.\d+)?)</mn>", text)
            assert max(map(significant, numbers), default=0) <= content["digits"]


def _bare(mathml: str) -> str:
    """As a browser or a writer spells it: without the name of the language, one way to close."""
    return html.unescape(re.sub(r' xmlns="[^"]*"|\s*/?(?=>)|</\w+>', "", mathml))


def test_no_ballot_of_any_pair_tells_and_no_rater_finds_a_side_favoured(world: World) -> None:
    """The session above draws ten pairs; this is what a rater may see of all of them."""
    secrets, seen = secrets_of(world), set()
    for label in range(40):
        made = world.organiser.invitations.invite(world.study.id, [f"all {label}"])[0]
        token = token_of(made.link)
        world.rating.consent(token, degree="Other or none", field="Testing")
        while (ballot := world.rating.next_ballot(token).ballot) is not None:
            assert leaks([(ballot.title, _page(ballot))], secrets) == []
            world.rating.vote(token, ballot.token, "left")
        votes = world.votes(made.link)
        assert sum(vote["lower_left"] for vote in votes) == BALLOTS // 2
        seen |= {vote["pair_id"] for vote in votes}
        if label >= 5 and len(seen) == len(world.organiser.pairs(world.study.id)):
            return
    raise AssertionError(f"only {len(seen)} pairs were shown")


def _page(ballot: Ballot) -> str:
    """All of the page of a ballot, with what its pictures hold beside pixels."""
    parts = ballot_screen(replace(ballot, token=""), RatingVisit(Stage.RATING), "").document()
    return without_pictures(plain(parts).decode())


_MARK = re.compile(r"<(?:path|text|g|use|image)\b[^>]*>")


def test_the_sides_of_a_pair_are_each_others_mirror_image(world: World) -> None:
    """Whatever a formula's page holds is there at either side: its order tells nothing."""
    for pair in world.organiser.pairs(world.study.id):
        one, other = (
            world.organiser.preview(world.study.id, pair.id, lower_left=lower_left).ballot
            for lower_left in (True, False)
        )
        assert (one.left, one.right) == (other.right, other.left)
        assert one.glyphs == other.glyphs
        ids = re.findall(r'id="(\w+)"', one.glyphs)
        assert ids == sorted(ids)
        for a, b in zip(
            (*one.plot.narrow, *one.plot.wide), (*other.plot.narrow, *other.plot.wide), strict=True
        ):
            if one.kind == "curve":  # both in one drawing
                assert len(_MARK.findall(a)) == len(_MARK.findall(b))
                shapes = (sorted(re.findall(r' d="([^"]*)"', each)) for each in (a, b))
                assert next(shapes) == next(shapes)


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
        "id=eic-left",
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
    assert leaks([("body", text)], SECRETS)


def test_a_leak_in_the_text_of_a_picture_is_found() -> None:
    def chunk(name: bytes, body: bytes) -> bytes:
        check = zlib.crc32(name + body).to_bytes(4, "big")
        return len(body).to_bytes(4, "big") + name + body + check

    png = b"\x89PNG\r\n\x1a\n" + chunk(b"tEXt", b"Title\0the higher one") + chunk(b"IEND", b"")
    picture = b64encode(png).decode()
    assert pieces_of(picture) == "tEXt Title\0the higher one IEND"
    assert leaks([("f", without_pictures(f"data:image/png;base64,{picture}"))], SECRETS)


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
    assert leaks([("body", text)], SECRETS) == []
