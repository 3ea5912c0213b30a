"""A phone on slow 3G, that has never been here: what it waits for, from the link to the ballots.

Prints its figures (`pytest -s`). Bytes and requests are asserted always, seconds in a full run
only: the network is emulated, the processor is not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.e2e.rating_world import World, current, look, stage
from tests.effort import FULL

pytestmark = pytest.mark.e2e

LATENCY, BITS = 400, 400_000
"""Milliseconds, and bits a second each way: slow 3G."""
MOST_BYTES = 200_000
MOST_SECONDS, MOST_SECONDS_NEXT = 5.0, 1.5
ROOM = 2.0
"""A full run shares its machine: this many times the seconds."""
SAYS_AT_ONCE = 100
"""Milliseconds until something on the page shows that a press is under way."""


@dataclass
class Line:
    """The emulated network of a page: what has come through it."""

    devtools: CDPSession
    addresses: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, page: Page) -> Line:
        line = cls(page.context.new_cdp_session(page))
        line.devtools.on("Network.requestWillBeSent", line._sent)
        line.devtools.on("Network.loadingFinished", line._finished)
        line.devtools.send("Network.enable")
        line.devtools.send("Network.setCacheDisabled", {"cacheDisabled": False})
        line.devtools.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": LATENCY,
                "downloadThroughput": BITS / 8,
                "uploadThroughput": BITS / 8,
            },
        )
        return line

    def _sent(self, event: dict[str, Any]) -> None:
        if not event["request"]["url"].startswith("data:"):
            self.addresses[event["requestId"]] = event["request"]["url"]

    def _finished(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self.addresses:
            self.sizes[event["requestId"]] = int(event["encodedDataLength"])

    @property
    def bytes(self) -> int:
        return sum(self.sizes.values())

    @property
    def requests(self) -> int:
        return len(self.addresses)


@dataclass
class Step:
    """What one press came to."""

    name: str
    seconds: float
    bytes: int
    requests: int
    says_after: float | None  # Milliseconds; None for the first page

    def __str__(self) -> str:
        says = "" if self.says_after is None else f", says so after {self.says_after:.0f} ms"
        return (
            f"{self.name}: readable after {self.seconds:.1f} s, {self.bytes / 1000:.0f} kB in "
            f"{self.requests} requests{says}"
        )


def test_a_slow_phone_waits_little_and_is_told_at_once(browser: Browser, world: World) -> None:
    study = world.another(ballots_per_rater=3)
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    )
    page = context.new_page()
    page.emulate_media(reduced_motion="reduce")
    page.add_init_script(_WATCH)
    line, steps = Line.of(page), list[Step]()

    def step(name: str, what: str, press: Callable[[], object], before: str = "") -> None:
        """Press, and wait until the page can be read: its heading, and a ballot's formulas."""
        bytes_before, requests_before, begun = line.bytes, line.requests, time.monotonic()
        press()
        shown = stage(page, what)
        expect(shown.locator("h1")).to_be_visible()
        if what in ("practice", "rating"):
            expect(page.locator(f"#answer:not([data-ballot='{before}'])")).to_have_count(1)
            for letter in "AB":
                expect(page.locator(f"#formula-{letter} svg:visible use").last).to_be_visible()
        painted = page.evaluate(_PAINTED)
        seconds = time.monotonic() - begun if steps else painted / 1000
        page.wait_for_load_state("networkidle")  # what still comes counts, too
        loaded = line.bytes - bytes_before, line.requests - requests_before
        steps.append(Step(name, seconds, *loaded, page.evaluate("window.saysAfter ?? null")))
        page.evaluate("delete window.saysAfter")

    def press(name: str) -> Callable[[], object]:
        return page.locator(f"#{name}").click

    step("consent", "consent", lambda: page.goto(world.link(study), wait_until="commit"))
    page.get_by_label("Your highest degree").select_option("Doctorate")
    page.get_by_label("Your field of study or work").fill("Physics")
    step("welcome", "welcome", press("agree"))
    step("practice", "practice", press("start"))
    look(page)
    step("after the practice", "practised", press("choose-A"))
    page.locator("#check button[value=yes]").click()
    expect(page.locator("#start")).to_be_visible()
    page.evaluate("delete window.saysAfter")
    step("first ballot", "rating", press("start"))
    to_first = line.bytes
    for name in ("second ballot", "third ballot"):
        look(page)
        step(name, "rating", press("choose-A"), before=current(page))
    context.close()
    print(f"\n\nSlow 3G ({LATENCY} ms, {BITS // 1000} kbit/s), 390x844, nothing stored before:")
    print("\n".join(map(str, steps)))
    print(f"from the link to the first ballot: {to_first / 1000:.0f} kB")
    assert to_first <= MOST_BYTES
    assert steps[0].requests <= 4  # the page, its style sheet, its script, and an icon
    assert [s.name for s in steps[1:] if s.requests != 1] == []
    assert [s.name for s in steps[1:] if s.says_after is None] == []
    if FULL:
        assert [s for s in steps if s.seconds > ROOM * MOST_SECONDS] == []
        assert [s for s in steps[-2:] if s.seconds > ROOM * MOST_SECONDS_NEXT] == []
        assert [s for s in steps[1:] if (s.says_after or 0) > ROOM * SAYS_AT_ONCE] == []


_PAINTED = """() => new Promise(done => {
  const look = () => {
    const [first] = performance.getEntriesByName('first-contentful-paint');
    if (first) requestAnimationFrame(() => done(first.startTime));
    else requestAnimationFrame(look);
  };
  look();
})"""
"""When the first text was on the screen, in milliseconds from the beginning; waits for it."""
_WATCH = """addEventListener('click', event => {
  const button = event.target.closest?.('button');
  if (!button) return;
  const shown = button.textContent, begun = event.timeStamp;
  const look = () => {
    const root = document.documentElement;
    if (root.dataset.busy || button.textContent !== shown || !button.isConnected)
      requestAnimationFrame(now => { window.saysAfter ??= Math.max(0, now - begun); });
    else requestAnimationFrame(look);
  };
  look();
}, {capture: true});"""
"""How long after a press the page shows a frame that says that it is under way."""
