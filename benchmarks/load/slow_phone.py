"""What a volunteer on slow 3G waits for, measured from outside: by a browser, tap by tap.

A phone that has never been here opens a link and answers five ballots at once, on a line of
`LATENCY` and `BITS` that Chromium emulates (Network.emulateNetworkConditions). Seconds are those
of the page's own clock, from the link to the first paint and from each tap to the frame that shows
both formulas, without what a person takes to look.
"""

from __future__ import annotations

import argparse
import os
import shutil
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.load.server import demo
from benchmarks.timing import busy, verdict

LATENCY, BITS = 400, 400_000
"""Milliseconds, and bits a second each way."""
FIRST_AIM, FIFTH_AIM = 4.0, 16.0
"""Seconds from the link to the first ballot that counts, and to the page after the fifth vote."""
VOTES = 5
LOOK = 3.0
"""Seconds that a person looks at each page; not counted."""

_SEEN = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  for (const box of document.querySelectorAll('.formula, .drawings')) {
    box.scrollIntoView({block: 'center', behavior: 'instant'});
    for (let left = 0; left <= box.scrollWidth; left += box.clientWidth / 2) {
      box.scrollTo({left, behavior: 'instant'});
      await frame(); await frame();
    }
  }
}"""


_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
_PRESSED = """([button, shown]) => new Promise(done => {
  const began = performance.now();
  const look = () => [...document.querySelectorAll(shown)].some(e => e.getClientRects().length)
    ? done(performance.now() - began) : requestAnimationFrame(look);
  document.querySelector(button).click();
  requestAnimationFrame(look);
})"""


@dataclass
class Line:
    """What goes over the emulated network."""

    devtools: CDPSession
    requests: int = 0
    bytes: int = 0
    addresses: list[str] = field(default_factory=list)

    def open(self) -> None:
        self.devtools.on("Network.requestWillBeSent", self._sent)
        self.devtools.on("Network.loadingFinished", self._finished)
        self.devtools.send("Network.enable")
        self.devtools.send(
            "Network.emulateNetworkConditions",
            {"offline": False, "latency": LATENCY}
            | dict.fromkeys(("downloadThroughput", "uploadThroughput"), BITS / 8),
        )

    def _sent(self, event: dict[str, Any]) -> None:
        if not event["request"]["url"].startswith("data:"):
            self.requests += 1
            self.addresses.append(event["request"]["url"])

    def _finished(self, event: dict[str, Any]) -> None:
        self.bytes += int(event["encodedDataLength"])


@dataclass
class Visit:
    """A visit's waiting, tap by tap."""

    page: Page
    line: Line
    waited: float = 0.0
    taps: int = 0

    def tap(self, what: str, selector: str, shown: str) -> None:
        """Press, and wait for what comes; print what it took."""
        if self.taps or not selector.startswith("http"):
            self.page.wait_for_timeout(1000 * LOOK)
        requests, size = self.line.requests, self.line.bytes
        if selector.startswith("http"):
            self.page.goto(selector)
            took = float(self.page.evaluate(_PAINTED)) / 1000
        else:
            took = float(self.page.evaluate(_PRESSED, [selector, shown])) / 1000
            self.taps += 1
        self.waited += took
        print(
            f"| {what} | {took:.2f} | {self.waited:.2f} | {(self.line.bytes - size) / 1000:.1f} "
            f"| {self.line.requests - requests} |",
            flush=True,
        )

    def ballot(self) -> str:
        """Look at all of a ballot, uncounted; its token."""
        self.page.evaluate(_SEEN)
        return self.page.locator("#answer").get_attribute("data-ballot") or ""


def visit(page: Page, link: str) -> tuple[float, float]:
    """From the link to the fifth vote: seconds waited until the first ballot, and in all."""
    line = Line(page.context.new_cdp_session(page))
    line.open()
    here = Visit(page, line)
    print("| | s | s in all | kB | requests |\n|---|---|---|---|---|")
    here.tap("consent", link, "main[data-stage=consent] #agree")
    page.locator("#degree").select_option("Doctorate")
    page.locator("#field").fill("Physics")
    here.tap("agree", "#agree", "main[data-stage=welcome] #start")
    ballot = "main[data-stage=%s] #formula-B svg use"
    if "practice" in page.locator("#start").inner_text():
        here.tap("practice", "#start", ballot % "practice")
        here.ballot()
        here.tap("practised", "#choose-A", "main[data-stage=practised] h1")
        if page.locator("#check").count():
            here.tap("meaning", "#check button[value=yes]", "main[data-stage=practised] #start")
    here.tap("first ballot", "#start", ballot % "rating")
    first = here.waited
    for vote in range(1, VOTES + 1):
        token = here.ballot()
        here.tap(f"vote {vote}", "#choose-A", f"#answer:not([data-ballot='{token}']) #choose-B")
    print(
        f"{here.taps} taps, {line.requests} requests, {line.bytes / 1000:.0f} kB, "
        f"{len(set(line.addresses))} addresses"
    )
    return first, here.waited


def main(arguments: list[str]) -> int:
    """Print each tap of the visits, and the seconds against what is wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load slow_phone")
    parser.add_argument("--visits", type=int, default=2)
    given = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with demo(10) as served, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for link in served.links(given.visits):
            context = chromium.new_context(
                viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
            )
            first, fifth = visit(context.new_page(), link)
            print(
                f"first ballot {first:.1f} s, {verdict(first, FIRST_AIM)}; fifth vote "
                f"{fifth:.1f} s, {verdict(fifth, FIFTH_AIM)}; load {load:.1f} before{busy()}\n"
            )
            context.close()
        chromium.close()
    return 0
