"""Photograph every state of the volunteer's page.

Each at the size of a desk, of a phone and of a desk at 200 %, light and dark. A picture is of the
window alone, as somebody sees it; a name with `whole` is of a window as tall as its page.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect

from study.material import Study
from tests.e2e.profiles import PHONE_AGENT
from tests.e2e.rating_world import (
    World,
    agree,
    answer,
    current,
    idle,
    look,
    stage,
    token_of,
    visit,
)
from tools.screenshots.album import SCHEMES, Album

SIZES = {"desk": (1280, 800), "phone": (390, 844), "200": (640, 400)}
EVERY = 8
"""One of so many of the demo's pairs is in these studies."""


BELOW = """() => {
  const bar = document.querySelector('#answer');
  const sticks = getComputedStyle(bar).position === 'sticky';
  const plot = document.querySelector('.drawings').getBoundingClientRect();
  return plot.top + plot.height / 2 > innerHeight - (sticks ? bar.offsetHeight : 0);
}"""
"""Whether most of the plot is not on the first screen."""


@dataclass
class Roll:
    """One walk through the pages, at one size and in one scheme."""

    page: Page
    take: Callable[[str], None]

    def both(self, name: str) -> None:
        """As it is seen at first, and all of it."""
        self.take(name)
        size = self.page.viewport_size
        assert size is not None
        tall = self.page.evaluate("document.documentElement.scrollHeight")
        self.page.set_viewport_size({"width": size["width"], "height": max(tall, size["height"])})
        self.take(f"{name}-whole")
        self.page.set_viewport_size(size)


def walk(roll: Roll, world: World, study: Study) -> None:
    """From an open link to the thanks, and into every corner on the way."""
    page = roll.page
    visit(page, world.organiser.invitations.open_link(study.id, 1000).link)
    roll.both("consent")
    page.locator("#agree").click()
    expect(page.get_by_text("Please choose one.")).to_be_visible()
    roll.both("consent-incomplete")
    visit(page, world.link(study))
    agree(page)
    roll.both("welcome")
    page.locator("#start").click()
    expect(stage(page, "practice")).to_be_visible()
    roll.both("practice")
    answer(page, "A")
    roll.both("practised")
    page.locator("#check button[value=length]").click()
    idle(page)
    roll.both("practised-corrected")
    page.locator("#check button[value=yes]").click()
    expect(page.locator("#start")).to_be_visible()
    roll.both("practised-understood")
    page.locator("#start").click()
    expect(stage(page, "rating")).to_be_visible()
    kinds: set[str] = set()
    number = 0
    while stage(page, "rating").count():
        kind = "map" if page.locator(".plot.surface").count() else "curve"
        if kind not in kinds:
            kinds.add(kind)
            roll.both(f"ballot-{kind}")
            _corners(roll, kind)
        answer(page, "AB"[number % 2])
        number += 1
        if number == 1:
            page.locator("#choose-A").evaluate("button => button.click()")
            expect(page.get_by_text("came very quickly")).to_be_visible()
            roll.take("too-soon-and-undo")
    expect(stage(page, "finished")).to_be_visible()
    roll.both("thanks")
    page.wait_for_timeout(6000)
    roll.both("thanks-later")


def _corners(roll: Roll, kind: str) -> None:
    """What else a page with a ballot may show."""
    page = roll.page
    number = page.locator(".number").first
    number.scroll_into_view_if_needed()
    number.hover()
    roll.take(f"explained-{kind}")
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    page.reload()
    if page.evaluate(BELOW):
        page.locator("#choose-A").evaluate(
            "button => button.dispatchEvent(new MouseEvent('click', "
            "{bubbles: true, cancelable: true, detail: 1}))"
        )
        expect(page.get_by_text("Please look at both formulas")).to_be_visible()
        roll.take(f"not-seen-{kind}")
    look(page)
    page.context.set_offline(True)
    page.locator("#choose-A").click()
    expect(page.get_by_text("Your answer waits")).to_be_visible()
    roll.take(f"waiting-{kind}")
    before = current(page)
    page.context.set_offline(False)
    expect(page.locator(f"[data-ballot='{before}']")).to_have_count(0)
    idle(page)
    if page.locator("#undo").count():
        page.locator("#undo").click()
        expect(page.get_by_text("is taken back")).to_be_visible()
        roll.take(f"undone-{kind}")
    page.locator("#pause").click()
    expect(stage(page, "paused")).to_be_visible()
    roll.take("paused")
    page.locator("#resume").click()
    page.locator("#ask-withdrawal").click()
    expect(stage(page, "withdrawal")).to_be_visible()
    roll.take("withdrawal")
    page.locator("#withdraw-no").click()
    expect(page.locator("#question")).to_be_visible()


def doors(roll: Roll, world: World, study: Study, shut_link: str) -> None:
    """The pages of links that lead no further."""
    page, invitations = roll.page, world.organiser.invitations
    revoked = invitations.invite(study.id, [""])[0]
    invitations.revoke(study.id, revoked.id)
    full = invitations.open_link(study.id, 1).link
    world.rating.consent(token_of(full), degree="Doctorate", field="Physics", request_id="x")
    withdrawn = world.link(study)
    world.rating.consent(token_of(withdrawn), degree="Doctorate", field="Physics")
    world.rating.withdraw(token_of(withdrawn))
    shared = invitations.open_link(study.id, 10).link
    base = study.design.public_base_url
    for name, link in {
        "no-link": f"{base}/rate",
        "unknown": f"{base}/rate?t=nosuchtoken",
        "revoked": revoked.link,
        "full": full,
        "withdrawn": withdrawn,
        "closed": shut_link,
    }.items():
        visit(page, link)
        roll.take(f"link-{name}")
    visit(page, shared)
    agree(page)
    visit(page, shared)
    roll.take("welcome-back")


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    with tempfile.TemporaryDirectory(prefix="eic-lab-pictures-") as base:
        world = World.at(Path(base), every=EVERY, allow_tie=True, ballots_per_rater=4)
        shut = world.another(ballots_per_rater=1)
        shut_link = world.link(shut)
        world.organiser.close(shut.id)
        with world.serving():
            for size, pixels in SIZES.items():
                for scheme in SCHEMES:
                    _photograph(pictures, world, shut_link, size, pixels, scheme)
        world.store.dispose()


def _photograph(
    pictures: Album, world: World, shut_link: str, size: str, pixels: tuple[int, int], scheme: str
) -> None:
    context = pictures.browser.new_context(
        viewport=ViewportSize(width=pixels[0], height=pixels[1]),
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
        user_agent=PHONE_AGENT if size == "phone" else None,
    )
    page = context.new_page()

    def take(name: str) -> None:
        file = pictures.folder / f"rate-{name}-{size}-{scheme}.png"
        if not pictures.only or file.name.startswith(pictures.only):
            page.wait_for_timeout(150)
            page.screenshot(path=str(file))
            print(file, flush=True)

    roll = Roll(page, take)
    walk(roll, world, world.study)
    doors(roll, world, world.study, shut_link)
    context.close()
