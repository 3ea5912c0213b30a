"""A phone on slow 3G, that has never been here: what it waits for, from the link to the ballots.

Prints its figures (`pytest -s`). What is asserted hangs on bytes and requests: the network is
emulated, the processor is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.e2e.rating_world import World, current, look, stage

pytestmark = pytest.mark.e2e

LATENCY, BITS = 400, 400_000
"""Milliseconds, and bits a second each way: slow 3G."""
MOST_BYTES = 200_000
MOST_SECONDS, MOST_SECONDS_NEXT = 5.0, 1.5


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
        request = event["request"]
        if not request["url"].startswith("data:") and "again=1" not in request.get("postData", ""):
            self.addresses[event["requestId"]] = request["url"]

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
    bytes: int
    requests: int
    says_after: float | None  # Milliseconds; None for the first page

    @property
    def on_the_line(self) -> float:
        """Seconds for the page, and then at once for all that it names."""
        return LATENCY / 1000 * min(self.requests, 2) + 8 * self.bytes / BITS

    def __str__(self) -> str:
        says = "" if self.says_after is None else f", says so after {self.says_after:.0f} ms"
        return (
            f"{self.name}: {self.on_the_line:.1f} s on the line, {self.bytes / 1000:.0f} kB in "
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
        bytes_before, requests_before = line.bytes, line.requests
        press()
        shown = stage(page, what)
        expect(shown.locator("h1")).to_be_visible()
        if what in ("practice", "rating"):
            expect(page.locator(f"#answer:not([data-ballot='{before}'])")).to_have_count(1)
            for letter in "AB":
                expect(page.locator(f"#formula-{letter} svg:visible use").last).to_be_visible()
        page.wait_for_load_state("networkidle")  # what still comes counts, too
        loaded = line.bytes - bytes_before, line.requests - requests_before
        steps.append(Step(name, *loaded, page.evaluate("window.saysAfter ?? null")))
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
    assert [s for s in steps if s.on_the_line > MOST_SECONDS] == []
    assert [s for s in steps[-2:] if s.on_the_line > MOST_SECONDS_NEXT] == []


_WATCH = """addEventListener('click', event => {
  const button = event.target.closest?.('button');
  if (!button) return;
  const shown = button.textContent, begun = event.timeStamp;
  const look = () => {
    const root = document.documentElement;
    if (!button.isConnected) return;  // the answer is there
    if (root.dataset.busy || button.textContent !== shown)
      requestAnimationFrame(now => { window.saysAfter ??= Math.max(0, now - begun); });
    else requestAnimationFrame(look);
  };
  look();
}, {capture: true});"""
"""How long after a press the page shows a frame that says that it is under way, if one does."""
