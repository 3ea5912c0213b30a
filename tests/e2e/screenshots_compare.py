"""Photograph the page Compare: part of `make screenshots`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, ViewportSize

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.e2e.browser import PATIENCE, find_chromium, running_browser, running_server
from tests.e2e.screenshots import PHONE_AGENT, SCHEMES, WIDTHS, whole_page

REFUSED = "x0*x1 - 3\nlg(x0)\nsqrt(x0+1) - sqrt(x0)\n<b>bold</b>\nx0 +* 2\nlog(x0 - 10)\n"
ROOTS = quote("sqrt(x+1) - sqrt(x)"), quote("1/(sqrt(x+1) + sqrt(x))")
TWO = quote("x*sin(y)/(y-2)"), quote("x*y + 0.1*x")


def still(page: Page) -> None:
    """Wait until no script is running."""
    page.wait_for_timeout(400)
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for(
        timeout=PATIENCE
    )


def _nothing(page: Page) -> None:
    del page


def _example(name: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.get_by_role("button", name=name).click()
        page.locator(".st-key-front-plot").wait_for(timeout=PATIENCE)

    return act


def _paste(text: str, ready: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        field = page.get_by_label("Formulas", exact=True)
        field.fill(text)
        field.press("Control+Enter")
        page.locator(ready).first.wait_for(timeout=PATIENCE)

    return act


def _picked(page: Page) -> None:
    _example("What two searches found")(page)
    still(page)
    page.locator(".st-key-front-plot .scatterlayer .trace .point").nth(3).click(force=True)
    page.locator(".st-key-picked").wait_for(timeout=PATIENCE)


def _maps(page: Page) -> None:
    page.locator(".st-key-pair-maps").get_by_text("Maps").click()
    page.locator(".st-key-pair-maps-plot").wait_for(timeout=PATIENCE)


STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "empty": ("", _nothing),
    "writings": ("", _example("Three functions")),
    "search": ("", _example("What two searches found")),
    "picked": ("", _picked),
    "refused": ("", _paste(REFUSED, ".eic-refused")),
    "no-list": ("", _paste("    |   Population Average    |   Best Individual   |", ".eic-error")),
    "pair": (f"?formula={ROOTS[0]}&b={ROOTS[1]}&range=x=loguniform:1:1e8", _nothing),
    "maps": (f"?formula={TWO[0]}&b={TWO[1]}&range=y=1:3", _maps),
    "mistakes": ("?formula=" + quote("x +* 1") + "&b=lg(x)", _nothing),
    "absent": ("?formula=x&b=y&data=0123456789ab&file=engine.csv", _nothing),
}


def main(folder: str, *only: str) -> None:
    """Take all pictures, or those of the states named."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    executable = find_chromium()
    if executable is None:
        raise SystemExit("Chromium was not found")
    with running_server() as address, running_browser(executable) as browser:
        for width_name, width in WIDTHS.items():
            for scheme in SCHEMES:
                for state, (path, act) in STATES.items():
                    name = f"compare-{state}-{width_name}-{scheme}"
                    if only and not any(name.startswith(f"compare-{o}") for o in only):
                        continue
                    context = browser.new_context(
                        viewport=ViewportSize(width=width, height=900),
                        color_scheme=scheme,  # type: ignore[arg-type]
                        user_agent=PHONE_AGENT if width < 500 else None,
                    )
                    page = context.new_page()
                    page.goto(f"{address}/compare{path}")
                    page.locator(".st-key-formula_a textarea").wait_for(timeout=PATIENCE)
                    still(page)
                    act(page)
                    still(page)
                    whole_page(page, width)
                    page.screenshot(path=str(out / f"{name}.png"))
                    print(out / f"{name}.png")
                    context.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
