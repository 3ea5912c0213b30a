"""How soon the page answers a hand, in a real browser at 1280x720: click to picture, first paint.

The server is warm: it has measured the formula, and the browser has the application's files.  A
click counts until the frame that shows the node lit, and until the frame that shows the plot of
the node, which the server draws.  What moves after the sentence stands is counted as the browser
counts it (layout shift).
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import BrowserContext, Page, sync_playwright

from benchmarks.load.server import inspector
from benchmarks.rerun import FORMULA
from benchmarks.timing import busy, verdict

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CLICK, PAINT, SHIFT = 100.0, 1_500.0, 0.001
"""Aims: milliseconds of a click to its picture and of a first paint, the shift of the layout."""

NODE = ".eic-pane-canvas [data-node]"
PLOT = ".st-key-plots .js-plotly-plot"

ARRIVING = """
window.arrived = {};
window.shifts = [];
new PerformanceObserver((list) => shifts.push(...list.getEntries()
  .filter((shift) => !shift.hadRecentInput).map(({startTime, value}) => [startTime, value])))
  .observe({type: "layout-shift", buffered: true});
const awaited = {sentence: ".eic-sentence", digits: ".eic-row .eic-digits-note",
  tree: ".eic-pane-canvas [data-node]", plot: ".st-key-plots .js-plotly-plot .main-svg"};
const look = () => {
  for (const [name, selector] of Object.entries(awaited)) {
    const place = document.querySelector(selector);
    if (!(name in arrived) && place?.textContent.trim() && place.getBoundingClientRect().height)
      arrived[name] = performance.now();
  }
  // What moves in the frame that draws the sentence is no move of it.
  if (arrived.sentence && !window.stands)
    requestAnimationFrame(() => { window.stands = performance.now(); });
  if (Object.keys(arrived).length < Object.keys(awaited).length) requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""Notes when each part is there, from the start of the navigation, and what moves."""

CLICKED = """([plot, node]) => {
  const caption = () => document.querySelector(`${plot} .infolayer`)?.textContent;
  const before = caption();
  window.answered = {};
  document.addEventListener("click", (event) => {
    const look = () => {
      const lit = document.querySelector(`.eic-pane-canvas [data-node="${node}"].selected`);
      if (lit) answered.lit ??= performance.now() - event.timeStamp;
      if (caption() && caption() !== before) answered.drawn ??= performance.now() - event.timeStamp;
      if (!("drawn" in answered)) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, {capture: true, once: true});
}"""
"""Notes how long after the next click the node is lit, and the plot another."""


def wait_until(page: Page, expression: str) -> None:
    """Ask now and then: the page's policy lets no text be run inside it, as waiting would."""
    for _ in range(600):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise RuntimeError(f"the page does not come to {expression}")


def first_paints(context: BrowserContext, address: str, visits: int = 7) -> list[dict[str, float]]:
    """Milliseconds to each part of the page by visit, and the shift after the sentence."""
    seen = []
    for _ in range(visits + 1):
        page = context.new_page()
        page.add_init_script(ARRIVING)
        page.goto(address)
        wait_until(page, "Object.keys(arrived).length === 4")
        page.wait_for_timeout(1_500)
        arrived: dict[str, float] = page.evaluate("arrived")
        arrived["shift"] = page.evaluate(
            "shifts.reduce((sum, [at, by]) => sum + (at > stands ? by : 0), 0)"
        )
        seen.append(arrived)
        page.close()
    return seen[1:]


def clicks(page: Page, rounds: int = 2) -> dict[str, list[float]]:
    """Milliseconds of clicks on every node in view, until it is lit and until its plot is there."""
    page.locator(f"{PLOT} .main-svg").first.wait_for()
    page.wait_for_timeout(2_000)
    nodes = page.evaluate(
        f"[...document.querySelectorAll('{NODE}')].filter((group) => group.checkVisibility())"
        ".map((group) => group.dataset.node)"
    )
    measured: dict[str, list[float]] = {"lit": [], "drawn": []}
    for node in nodes * rounds:
        card = page.locator(f".eic-pane-canvas [data-node='{node}'] > .card")
        if page.locator(f".eic-pane-canvas [data-node='{node}'].selected").count():
            continue
        page.evaluate(CLICKED, [PLOT, node])
        card.click()
        wait_until(page, "'drawn' in answered && 'lit' in answered")
        for name, times in measured.items():
            times.append(page.evaluate(f"answered.{name}"))
        page.wait_for_timeout(300)
    return measured


def show(name: str, times: list[float], aim: float | None) -> None:
    cuts = statistics.quantiles(times, n=20)
    met = "" if aim is None else f"   p50 {verdict(cuts[9], aim)}"
    print(f"  {name:30} p50 {cuts[9]:6.0f} ms   p95 {cuts[18]:6.0f} ms{met}", flush=True)


def main() -> int:
    """Print what was measured beside its aim; nothing without a browser."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        print("no Chromium on this machine: not measured")
        return 0
    query = urlencode({"formula": FORMULA.format(c=1), "samples": 10_000})
    print(f"the page under a hand, 34 nodes, 10,000 samples, 1280x720{busy()}")
    with (
        tempfile.TemporaryDirectory() as folder,
        inspector(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        context.set_default_timeout(60_000)
        address = f"{server.address}/?{query}"
        paints = first_paints(context, address)
        aims = {"sentence": PAINT, "digits": None, "tree": None, "plot": None}
        for name, aim in aims.items():
            show(f"navigation to {name}", [visit[name] for visit in paints], aim)
        shift = max(visit["shift"] for visit in paints)
        print(f"  {'layout shift after the sentence':30} {shift:.4f} {verdict(shift, SHIFT)}")
        page = context.new_page()
        page.goto(address)
        measured = clicks(page)
        show("click to the node lit", measured["lit"], CLICK)
        show("click to the plot of the node", measured["drawn"], CLICK)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
