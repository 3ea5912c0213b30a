"""Measure every ballot of the demo at three sizes of window, in one visit each.

    python -m tests.e2e.ballot_boxes [FOLDER] [EVERY]

takes every ballot, or one of EVERY; prints a line for each size, exits with 1 if a formula is
clipped, covered, too small, or not on the first screen, and puts a picture of every ballot into
FOLDER.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.browser import find_chromium, running_browser, running_server
from tests.e2e.profiles import profile, window

SIZES = ((390, 844), (768, 1024), (1440, 900))
READABLE = 9.0
"""Pixels that the smallest letter needs at least, exponents and subscripts left out."""
APP = "tests/e2e/every_ballot_app.py"

BOXES = """() => {
  const box = e => {
    const b = e.getBoundingClientRect();
    return [b.left, b.top, b.right, b.bottom];
  };
  const all = what => [...document.querySelectorAll(what)];
  return {
    scrolled: document.querySelector('[data-testid=stMain]').scrollTop,
    panes: all('[class*=st-key-rate-formula-]').map(pane => ({
      box: box(pane),
      wider: pane.scrollWidth - pane.clientWidth,
      higher: pane.scrollHeight - pane.clientHeight,
      ink: [...pane.querySelectorAll('.katex-html .base')].map(box),
      size: parseFloat(getComputedStyle(pane.querySelector('.katex')).fontSize),
      smallest: Math.min(...[...pane.querySelectorAll('.katex-html *')]
        .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && /[^\\s\\u200b]/.test(n.data)))
        .filter(e => !e.closest('.msupsub'))
        .map(e => parseFloat(getComputedStyle(e).fontSize))),
    })),
    cards: all('[class*=st-key-rate-card-]').map(box),
    bar: box(document.querySelector('.st-key-rate-choose')),
    token: all('[class*=st-key-rate-report-]').map(e => e.className).join(),
  };
}"""


def faults(page: Page) -> tuple[list[str], float]:
    """What is wrong with the ballot on the screen, and its formulas' smallest letter in pixels."""
    seen: dict[str, Any] = page.evaluate(BOXES)
    found, width = [], page.viewport_size["width"] if page.viewport_size else 0
    if len(seen["panes"]) != 2:
        return ["not two formulas"], 0.0
    for letter, pane in zip("AB", seen["panes"], strict=True):
        if not pane["ink"]:
            found.append(f"{letter} is empty")
        for left, top, right, bottom in pane["ink"]:
            within = pane["box"][0] - 1 <= left and right <= pane["box"][2] + 1
            if not within or left < 0 or right > width:
                found.append(f"{letter} is clipped sideways")
            if top < -1 or bottom > seen["bar"][1] + 1:
                found.append(f"{letter} is not whole on the first screen")
        if pane["wider"] > 1 or pane["higher"] > 1:
            found.append(f"{letter} scrolls by {pane['wider']:g}, {pane['higher']:g} px")
    (a, b) = seen["cards"]
    if abs((a[2] - a[0]) - (b[2] - b[0])) > 1 or abs((a[3] - a[1]) - (b[3] - b[1])) > 1:
        found.append("the panels differ in size")
    if width < 900 and a[2] - a[0] < 0.9 * width:
        found.append("the panels are narrower than the window")
    if seen["scrolled"]:
        found.append("the page has moved")
    sizes = [pane["size"] for pane in seen["panes"]]
    if sizes[0] != sizes[1]:
        found.append("the formulas differ in size")
    smallest = min(pane["smallest"] for pane in seen["panes"])
    if smallest < READABLE:
        found.append(f"letters of {smallest:.1f} px")
    return sorted(set(found)), smallest


def turn_over(page: Page) -> Iterator[int]:
    """Each ballot in turn, once it stands still."""
    button = page.locator(".st-key-another button")
    numbers = [int(each) for each in button.inner_text().split()]
    for number in numbers:
        for side in ("left", "right"):
            drawn = page.locator(f".st-key-rate-formula-{side}-n{number} .katex")
            expect(drawn).to_have_count(1)
        page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
        page.wait_for_timeout(150)
        yield number
        button.evaluate("button => button.click()")


def main() -> int:
    """Measure; 1 if something is wrong."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    executable = find_chromium()
    assert executable is not None, "there is no Chromium"
    every, wrong = int(sys.argv[2]) if len(sys.argv) > 2 else 1, 0
    with running_server(script=APP) as address, running_browser(executable) as browser:
        for width, height in SIZES:
            with profile(browser) as context:
                page = window(context, width, height)
                page.goto(f"{address}/?every={every}")
                page.locator(".st-key-another button").wait_for(timeout=60_000)
                sizes: dict[int, float] = {}
                for number in turn_over(page):
                    found, size = faults(page)
                    sizes[number] = size
                    wrong += len(found)
                    for fault in found:
                        print(f"{width}x{height}, ballot {number}: {fault}")
                    if folder is not None:
                        folder.mkdir(parents=True, exist_ok=True)
                        page.screenshot(path=folder / f"{width}-{number:02}.png")
                small = sorted(sizes, key=lambda number: sizes[number])[:5]
                print(
                    f"{width}x{height}: {len(sizes)} ballots, formulas of "
                    f"{sizes[small[0]]:.1f} to {max(sizes.values()):.1f} px, the smallest: {small}"
                )
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
