"""Photograph the page Compare."""

from __future__ import annotations

import math
from urllib.parse import quote

from playwright.sync_api import FilePayload, Page

from tests.e2e.browser import PATIENCE, running_server
from tools.screenshots.album import Act, Album, State

REFUSED = "x0*x1 - 3\nlg(x0)\nsqrt(x0+1) - sqrt(x0)\n<b>bold</b>\nx0 +* 2\nlog(x0 - 10)\n"
POOL = "problem,method,formula,syntax\np,Operon,X1*X2 - 3,operon\np,PySR,sqrt(x0+1) - x1,pysr\n"
DOUBTED = "problem,formula,r2\np,a,0.98\np,2*a,0.97\np,lg(a),0.9\n"
ROWS = "a,b,y\n" + "".join(
    f"{x},{x % 11},{1e3 * (math.sqrt(x + 1e6) - 1e3) + 3 * (x % 11) + 0.01 * (x % 3)}\n"
    for x in range(1, 60)
)
HALL = (
    "3*b\n1000*(sqrt(a + 1000000) - 1000) + 3*b\n1000*a/(sqrt(a + 1000000) + 1000) + 3*b\n"
    "0.4*a + 3*b\na\n"
)
LEFT_OUT = HALL + (
    "1000*a/(sqrt(a + 1000000) + 1000) + 3*b + (a - a)/(b + 1)\nlog(b) + a\nb/a*zz\n"
    "lg(a)\nlg(b)\nlg(a + b)\nlg(2*a)\nlg(3*a)\nlg(4*a) + 1\nsin(a\nfailed\n"
    "3*b + 0.45*a*tanh(1/b)\n"
)
NO_LIST = "    |   Population Average    |   Best Individual   |"
ROOTS = quote("sqrt(x+1) - sqrt(x)"), quote("1/(sqrt(x+1) + sqrt(x))")
TWO = quote("x*sin(y)/(y-2)"), quote("x*y + 0.1*x")


def _still(page: Page) -> None:
    """Wait until the page is there and no script is running."""
    page.locator(".st-key-formula_a textarea").wait_for(state="attached", timeout=PATIENCE)
    page.wait_for_timeout(400)
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for(
        timeout=PATIENCE
    )


def _example(name: str) -> Act:
    def act(page: Page) -> None:
        page.get_by_role("button", name=name).click()
        page.locator(".st-key-front-plot").wait_for(timeout=PATIENCE)

    return act


def _paste(text: str, ready: str) -> Act:
    def act(page: Page) -> None:
        field = page.get_by_label("Formulas", exact=True)
        field.fill(text)
        field.press("Control+Enter")
        page.locator(ready).first.wait_for(timeout=PATIENCE)

    return act


def _picked(page: Page) -> None:
    _example("What two searches found")(page)
    _still(page)
    page.locator(".st-key-front-plot .scatterlayer .trace .point").nth(3).click(force=True)
    page.locator(".st-key-picked").wait_for(timeout=PATIENCE)


def _asked(page: Page) -> None:
    _paste(POOL, ".eic-ask")(page)


def _shared(page: Page) -> None:
    _asked(page)
    page.get_by_role("button", name="Take 1 to 5 for each").click()
    page.locator(".st-key-front-plot").wait_for(timeout=PATIENCE)


def _table(page: Page, name: str, content: bytes) -> None:
    choice = page.locator(".st-key-data_mode").get_by_text("Table")
    if not choice.is_visible():  # on a phone the panel is folded
        page.locator(".st-key-data-panel summary").click()
    choice.click()
    table: FilePayload = {
        "name": name,
        "mimeType": "text/csv",
        "buffer": content,
    }
    page.locator(".st-key-data-panel input[type=file]").set_input_files(table)
    page.locator(".eic-file").wait_for(timeout=PATIENCE)
    _still(page)


def _doubted(page: Page) -> None:
    _table(page, "kepler.csv", b"a,y\n1,3\n2,5\n3,9\n4,1\n")
    _paste(DOUBTED, ".eic-ask")(page)


def _chosen(page: Page) -> None:
    """With digits in regard another formula is taken than without."""
    _table(page, "roots.csv", ROWS.encode())
    _paste(HALL, ".st-key-front-plot")(page)


def _left_out(page: Page) -> None:
    """Formulas of a table for every reason, one of which fits best with an infinite EIC."""
    _table(page, "roots.csv", ROWS.encode())
    _paste(LEFT_OUT, ".eic-left-out")(page)


def _none_left(page: Page) -> None:
    _table(page, "roots.csv", ROWS.encode())
    _paste("sin(a\nlg(b)\nlog(-a)\n", ".eic-left-out")(page)


def _maps(page: Page) -> None:
    page.locator(".st-key-pair-maps").get_by_text("Maps").click()
    page.locator(".st-key-pair-maps-AB").wait_for(timeout=PATIENCE)


STATES = {
    "empty": State(),
    "writings": State("", _example("Three functions")),
    "search": State("", _example("What two searches found")),
    "picked": State("", _picked),
    "asked": State("", _asked),
    "shared": State("", _shared),
    "doubted": State("", _doubted),
    "choice": State("", _chosen),
    "refused": State("?range=x0=1:5&range=x1=1:5", _paste(REFUSED, ".eic-left-out")),
    "left-out": State("", _left_out),
    "none-left": State("", _none_left),
    "no-list": State("", _paste(NO_LIST, ".eic-error")),
    "pair": State(f"?formula={ROOTS[0]}&b={ROOTS[1]}&range=x=loguniform:1:1e8"),
    "maps": State(f"?formula={TWO[0]}&b={TWO[1]}&range=y=1:3", _maps),
    "mistakes": State("?formula=" + quote("x +* 1") + "&b=lg(x)"),
    "absent": State("?formula=x&b=y&data=0123456789ab&file=engine.csv"),
}


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    with running_server() as address:
        pictures.take(f"{address}/compare", STATES, _still, "compare-")
