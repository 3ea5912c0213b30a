"""Photograph every state of the inspector."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, urlencode

from playwright.sync_api import Page

from pages.ui.inspector.formula_input import example, example_state
from pages.ui.kit.visit import ASKS
from tests.e2e.browser import running_server, settle
from tools.screenshots.album import Album, State

ROWS = (
    f"{1 + i / 20:.2f},{300 + i},{(300 + i) / (1 + i / 20) + (i * 37 % 11) / 10:.3f}"
    for i in range(80)
)
CSV = "\n".join(["r,T,load", *ROWS, "3,,1", "4,n/a,oops", ""])


def _clear(page: Page) -> None:
    _type(page, "")
    page.locator(".st-key-pictured").wait_for()


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
    page.locator(".st-key-data-panel input[type=file]").set_input_files(
        {"name": "engine.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    page.locator(".eic-file").wait_for()


def _upload_other(page: Page) -> None:
    if not page.locator(".st-key-data_mode").is_visible():
        page.locator(".st-key-data-panel summary").click()
    page.locator(".st-key-data-panel input[type=file]").set_input_files(
        {"name": "other.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    )
    page.get_by_role("button", name="Use it anyway").wait_for()


def _share(page: Page) -> None:
    page.get_by_role("button", name="Copy link").click()
    page.locator("[data-testid='stPopoverBody']").wait_for()


def _tip(page: Page) -> None:
    page.get_by_role("button", name="Why?").click()
    page.locator(".eic-metric").last.hover()


LARGE = "+".join(f"sin({i}*x0*x1)/(x2+{i})" for i in range(1, 40))

STATES = {
    "first": State(),
    "empty": State("?formula=x", _clear),
    "error-cold": State("?formula=" + quote("2x + foo(y")),
    "error-after": State("?formula=" + quote("10000*x-9999*x"), _mistake),
    "two": State("?formula=" + quote("sqrt(x*x+y*y)-x*sin(y)") + "&range=x=1:1000"),
    "four": State("?formula=" + quote("a*b/(c-d)**2") + "&node=4"),
    "table": State("?formula=" + quote("T/r"), _upload),
    "ambiguous": State("?formula=" + quote("x(y+z)")),
    "infinite": State("?formula=" + quote("log(1+(x-x))*y")),
    "undefined": State("?formula=" + quote("log(-x)*sqrt(y)")),
    "overflow": State("?formula=" + quote("log(exp(x))") + "&range=x=normal:1000:1"),
    "large": State("?formula=" + quote(LARGE)),
    "constant": State("?formula=" + quote("1e16+1-1e16")),
    "absent": State("?formula=x/y&data=0123456789ab&file=engine.csv"),
    "refused": State("?formula=x/y&data=0123456789ab&file=engine.csv", _upload_other),
    "share": State("?formula=" + quote("log(x)-1"), _share),
    "tip": State("?formula=" + quote("sin(sin(cot(x)))"), _tip),
}


ASKED = ("roots", "tail", "masked", "pole")


def _asked(key: str, ask: str) -> State:
    """A lesson of the gallery, with one question."""
    shown = replace(example_state(example(key)), ask=ask)
    return State(f"?{urlencode(shown.to_query(), doseq=True)}")


STATES |= {f"{ask}-{key}": _asked(key, ask) for ask in ASKS for key in ASKED}
STATES |= {f"{ask}-undefined": State(f"?formula={quote('log(-x)')}&ask={ask}") for ask in ASKS[1:]}


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    with running_server() as address:
        pictures.take(f"{address}/", STATES, settle)
