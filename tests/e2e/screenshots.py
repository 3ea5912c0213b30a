"""Photograph every state of the inspector: `make screenshots DIR=…`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, ViewportSize

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.e2e.browser import find_chromium, running_browser, running_server, settle

WIDTHS = {"wide": 1400, "phone": 390}
SCHEMES = ("light", "dark")
ROWS = (
    f"{1 + i / 20:.2f},{300 + i},{(300 + i) / (1 + i / 20) + (i * 37 % 11) / 10:.3f}"
    for i in range(80)
)
CSV = "\n".join(["r,T,load", *ROWS, "3,,1", "4,n/a,oops", ""])

PHONE_AGENT = (
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/141.0.0.0 Mobile Safari/537.36"
)


def _nothing(page: Page) -> None:
    del page


def _clear(page: Page) -> None:
    _type(page, "")
    page.locator(".eic-empty").wait_for()


def _type(page: Page, text: str) -> None:
    area = page.locator(".st-key-formula_text textarea")
    area.fill(text)
    area.press("Control+Enter")


def _mistake(page: Page) -> None:
    _type(page, "10000*x - 9999*lg(x")
    page.locator(".eic-error").wait_for()


def _open_data(page: Page) -> None:
    if not page.locator(".st-key-data_mode").is_visible():
        page.locator(".st-key-data-panel summary").click()
    page.locator(".st-key-data_mode").get_by_text("Table").click()


def _upload(page: Page) -> None:
    _open_data(page)
    page.locator("input[type=file]").set_input_files(
        {"name": "engine.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    page.locator(".eic-file").wait_for()


def _upload_other(page: Page) -> None:
    if not page.locator(".st-key-data_mode").is_visible():
        page.locator(".st-key-data-panel summary").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "other.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    )
    page.get_by_role("button", name="Use it anyway").wait_for()


def _share(page: Page) -> None:
    page.get_by_role("button", name="Copy link").click()
    page.locator("[data-testid='stPopoverBody']").wait_for()


def _tip(page: Page) -> None:
    page.locator(".eic-metric").nth(6).hover()


LARGE = "+".join(f"sin({i}*x0*x1)/(x2+{i})" for i in range(1, 40))

STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "first": ("", _nothing),
    "empty": ("?formula=x", _clear),
    "error-cold": ("?formula=" + quote("2x + foo(y"), _nothing),
    "error-kept": ("?formula=" + quote("10000*x-9999*x"), _mistake),
    "two": ("?formula=" + quote("sqrt(x*x+y*y)-x*sin(y)") + "&range=x=1:1000", _nothing),
    "four": ("?formula=" + quote("a*b/(c-d)**2") + "&node=4", _nothing),
    "table": ("?formula=" + quote("T/r"), _upload),
    "ambiguous": ("?formula=" + quote("x(y+z)"), _nothing),
    "infinite": ("?formula=" + quote("log(1+(x-x))*y"), _nothing),
    "undefined": ("?formula=" + quote("log(-x)*sqrt(y)"), _nothing),
    "overflow": ("?formula=" + quote("log(exp(x))") + "&range=x=normal:1000:1", _nothing),
    "large": ("?formula=" + quote(LARGE), _nothing),
    "constant": ("?formula=" + quote("1e16+1-1e16"), _nothing),
    "absent": ("?formula=x/y&data=0123456789ab&file=engine.csv", _nothing),
    "refused": ("?formula=x/y&data=0123456789ab&file=engine.csv", _upload_other),
    "share": ("?formula=" + quote("log(x)-1"), _share),
    "tip": ("?formula=" + quote("sin(sin(cot(x)))"), _tip),
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
                    name = f"{state}-{width_name}-{scheme}"
                    if only and not any(name.startswith(o) for o in only):
                        continue
                    context = browser.new_context(
                        viewport=ViewportSize(width=width, height=900),
                        color_scheme=scheme,  # type: ignore[arg-type]
                        user_agent=PHONE_AGENT if width < 500 else None,
                    )
                    page = context.new_page()
                    page.goto(f"{address}/{path}")
                    settle(page)
                    act(page)
                    settle(page)
                    whole_page(page, width)
                    page.screenshot(path=str(out / f"{name}.png"))
                    print(out / f"{name}.png")
                    context.close()


def whole_page(page: Page, width: int) -> None:
    """Make the window as tall as the page and wait until nothing moves."""
    last = 0
    for _ in range(20):
        page.wait_for_timeout(300)
        height = page.evaluate(
            "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
        )
        if height == last:
            break
        last = height
        page.set_viewport_size(ViewportSize(width=width, height=min(6000, height + 40)))


if __name__ == "__main__":
    main(*sys.argv[1:])
