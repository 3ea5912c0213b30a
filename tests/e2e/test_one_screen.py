"""The first screen: sentence, tree and the whole plot at one glance, on the laptop people have."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.ui.inspector.formula_input import EXAMPLES, example_state
from tests.e2e.browser import eventually, settle
from tests.e2e.profiles import PHONE_AGENT, profile, window
from tests.effort import FULL, dear

pytestmark = pytest.mark.e2e

FORTY = "+".join(f"sin({n}.5*x*y)*exp(-x/{n})" for n in range(1, 4)) + "+x"

SCENES = {
    "forty nodes": f"/?{urlencode({'formula': FORTY, 'samples': 10_000})}",
    "two lines": f"/?{urlencode({'formula': 'sqrt(2)*sqrt(2) - 2'})}",
    "parts not used": f"/?{urlencode({'formula': 'x + y', 'x': 'many', 'z': '1:2', 'q': '7'})}",
    **{one.key: f"/?{urlencode(example_state(one).to_query(), doseq=True)}" for one in EXAMPLES},
}
LOOKED_AT = {
    name: path
    for name, path in SCENES.items()
    if FULL or name in ("forty nodes", "cancellation", "tail", "parts not used")
}

IN_VIEW = """(selectors) => Object.fromEntries(selectors.map((selector) => {
  const cut = [...document.querySelectorAll(selector)].map((whole) => {
    const box = whole.getBoundingClientRect();
    let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
    for (let around = whole.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflow === "visible") continue;
      const frame = around.getBoundingClientRect();
      [left, top] = [Math.max(left, frame.left), Math.max(top, frame.top)];
      [right, bottom] = [Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
    }
    return Math.max(left - box.left, top - box.top, box.right - right, box.bottom - bottom);
  });
  return [selector, cut.length ? Math.round(Math.max(...cut)) : "missing"];
}))"""
"""For each selector by how many pixels what it names is cut off, by the window or a box around."""

WHOLE = (
    ".eic-sentence",
    ".st-key-gauges",
    ".eic-pane-formula",
    ".eic-pane-tree",
    ".eic-pane-tree [data-node]",
    ".eic-pane-strip",
    ".st-key-questions",
    ".st-key-plots .js-plotly-plot",
    ".st-key-plots .js-plotly-plot .xtitle",
)

SCROLLS = """() => ["html", "[data-testid=stMain]"].map((selector) => {
  const box = document.querySelector(selector);
  return [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight];
})"""

SHIFTS = """
window.shifts = [];
window.stands = Infinity;
new PerformanceObserver((list) => {
  for (const shift of list.getEntries())
    shifts.push({at: shift.startTime, by: shift.value, input: shift.hadRecentInput,
      what: shift.sources.map(({node, previousRect, currentRect}) => [
        node?.className?.baseVal ?? node?.className ?? node?.nodeName ?? "gone",
        [previousRect.x, previousRect.y, previousRect.width, previousRect.height],
        [currentRect.x, currentRect.y, currentRect.width, currentRect.height]])});
}).observe({type: "layout-shift", buffered: true});
const look = () => {
  const sentence = document.querySelector(".eic-sentence");
  if (sentence?.innerText.trim() && sentence.getBoundingClientRect().height)
    // The frame that draws it has yet to be laid out: it stands at the next one.
    requestAnimationFrame(() => { window.stands = performance.now(); });
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""Notes what moves without being asked to, and when the sentence is there."""

OVERLAPS = """() => {
  const blocks = [...document.querySelectorAll(
    "[data-testid=stMain] :is(button, textarea, select, input, summary, p, h1, h2, h3, li," +
    " .eic-sentence, .eic-pane-formula, .eic-pane-tree, .eic-pane-strip, .js-plotly-plot)")]
    .filter((block) => block.checkVisibility({opacityProperty: true, visibilityProperty: true}))
    .map((block) => [block, shown(block)])
    .filter(([, box]) => box[2] - box[0] > 2 && box[3] - box[1] > 2);
  function shown(block) {
    const box = block.getBoundingClientRect();
    let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
    for (let around = block.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflow === "visible") continue;
      const frame = around.getBoundingClientRect();
      [left, top] = [Math.max(left, frame.left), Math.max(top, frame.top)];
      [right, bottom] = [Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
    }
    return [left, top, right, bottom];
  }
  const name = (block) => `${block.tagName} ${block.className} ${block.innerText?.slice(0, 30)}`;
  const found = [];
  blocks.forEach(([one, a], n) => blocks.slice(n + 1).forEach(([other, b]) => {
    if (one.contains(other) || other.contains(one)) return;
    const wide = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
    const high = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
    if (wide > 2 && high > 2) found.push([name(one), name(other), wide, high].map(String));
  }));
  return found;
}"""


def drawn(page: Page) -> None:
    """Wait until all that the page draws by itself is there."""
    settle(page)
    expect(page.locator(".eic-pane-tree [data-node]").first).to_be_visible()
    expect(page.locator(".st-key-plots .js-plotly-plot .xtitle").first).to_be_visible()
    expect(page.get_by_text("Looking for a better form…")).to_have_count(0)


@dear(3)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_laptop_shows_sentence_tree_and_plot_whole_and_nothing_moves(
    browser: Browser, server: str, name: str
) -> None:
    with profile(browser) as context:
        page = window(context, 1280, 720)
        page.add_init_script(SHIFTS)
        page.goto(server + SCENES[name])
        drawn(page)

        def cut_off() -> dict[str, int | str]:
            seen: dict[str, int | str] = page.evaluate(IN_VIEW, list(WHOLE))
            return {what: by for what, by in seen.items() if by == "missing" or int(by) > 1}

        eventually(page, cut_off, {}.__eq__)
        assert page.evaluate(SCROLLS) == [[0, 0], [0, 0]]
        moved = page.evaluate("() => shifts.filter(({at, input}) => at > stands && !input)")
        assert sum(shift["by"] for shift in moved) < 0.001, json.dumps(moved, indent=1)


@dear(3)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_on_a_phone_nothing_overlaps_and_nothing_sticks_out(
    browser: Browser, server: str, name: str
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, user_agent=PHONE_AGENT, reduced_motion="reduce"
    )
    try:
        page = context.new_page()
        page.goto(server + SCENES[name])
        drawn(page)
        eventually(page, lambda: page.evaluate(OVERLAPS), [].__eq__)
        assert [wide for wide, _ in page.evaluate(SCROLLS)] == [0, 0]
    finally:
        context.close()
