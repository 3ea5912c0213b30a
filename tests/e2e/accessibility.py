"""What axe-core finds wrong with a page, beside what only Streamlit could mend."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from playwright.sync_api import Page

from tests.e2e.browser import eventually
from tests.e2e.profiles import Scheme

_SCROLLS = "a box of a typeset formula, made by Streamlit; browsers let the keyboard scroll it"
CHROME = {
    ("scrollable-region-focusable", ".katex-display"): _SCROLLS,
    ("scrollable-region-focusable", ".st-key-drill-formula-lower"): _SCROLLS,
    ("scrollable-region-focusable", ".st-key-drill-formula-higher"): _SCROLLS,
}
"""What is left, by rule and the class of what it is said of, with the reason."""

LOOK = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
  .filter(found => ["serious", "critical"].includes(found.impact))
  .flatMap(found => found.nodes.map(node => [found.id, node.target.join(" "),
    [...document.querySelector(node.target[0])?.classList ?? []].map(name => "." + name)]))"""


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Each serious or critical finding on what is shown now: the rule and where."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_axe())
    return [
        f"{rule}: {where}"
        for rule, where, classes in page.evaluate(LOOK)
        if not any((rule, name) in CHROME for name in classes)
    ]


GROUND = """() => {
  const colour = getComputedStyle(
    document.querySelector('[data-testid=stApp]') || document.body).backgroundColor;
  return colour.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;
}"""
"""How light the page is, from 0 to 1."""


def passes(page: Page) -> None:
    """Nothing serious is found on what is shown, neither dark nor light."""
    schemes: tuple[Scheme, ...] = ("dark", "light")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        wanted: tuple[bool, list[str]] = (scheme == "dark", [])
        eventually(page, lambda: (page.evaluate(GROUND) < 0.5, violations(page)), wanted.__eq__)
