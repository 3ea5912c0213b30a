"""The inspector as a visitor meets it, in a real browser."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browser import settle
from tests.effort import dear, twin

pytestmark = pytest.mark.e2e

Opener = Callable[..., Page]

CSV = "r,T,load\n" + "\n".join(f"{1 + i / 20},{300 + i},{i * 0.5}" for i in range(60)) + "\n"
OPERON = "((-2.5) * X1) + (log(abs((10000.5 * X2) - (10000.0 * X2))))"


def upload(page: Page, text: str, name: str = "rows.csv") -> None:
    settle(page)  # while a page is drawn anew, what is clicked may be taken away
    if not page.locator(".st-key-data_mode").is_visible():
        page.locator(".st-key-data-panel summary").click()
    page.locator(".st-key-data_mode").get_by_text("Table").click()
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.locator(".st-key-data input[type=file]").set_input_files(file)
    expect(page.locator(".eic-file")).to_contain_text(name)


def type_formula(page: Page, text: str) -> None:
    area = page.locator(".st-key-formula_text textarea")
    area.fill(text)
    area.press("Control+Enter")


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query, keep_blank_values=True)


def test_the_health_route_answers(server: str) -> None:
    with urllib.request.urlopen(f"{server}/healthz") as answer:
        assert json.load(answer) == {"status": "ok"}


@dear(2)
@pytest.mark.parametrize("path", ["/nowhere", "/inspector"])
def test_odd_addresses_never_crash(visit: Opener, path: str) -> None:
    page = visit(path)
    expect(page.locator(".stException")).to_have_count(0)
    expect(page.locator(".st-key-formula_text textarea")).to_be_visible()


def drop(page: Page, text: str, name: str, where: str) -> None:
    """Drop a file onto an element, as a hand does from a folder."""
    page.locator(where).first.evaluate(
        """(element, [text, name]) => {
          const files = new DataTransfer();
          files.items.add(new File([text], name, {type: "text/csv"}));
          for (const kind of ["dragenter", "dragover", "drop"])
            element.dispatchEvent(new DragEvent(
              kind, {dataTransfer: files, bubbles: true, cancelable: true}));
        }""",
        [text, name],
    )


def test_an_empty_page_takes_a_picture_by_keyboard_and_back_empties_it(visit: Opener) -> None:
    page = visit()
    expect(page.locator(".st-key-pictured img")).to_have_count(6)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    settle(page)  # while a page is drawn anew, a press may go to what is taken away
    page.get_by_role("button", name="√(x+1) − √x").first.press("Enter")
    expect(page.locator(".eic-sentence")).to_be_visible()
    expect(page.locator(".st-key-pictured")).to_have_count(0)
    page.go_back()
    expect(page.locator(".st-key-pictured img")).to_have_count(6)
    expect(page.locator(".eic-sentence")).to_have_count(0)


def test_the_data_panel_closes_by_escape_and_beside_it_and_what_is_written_covers_nothing(
    visit: Opener,
) -> None:
    page = visit("/?formula=" + quote("sqrt(x+1) - sqrt(x)"))
    panel, title = page.locator(".st-key-data-panel details"), ".st-key-data-panel summary"
    expect(page.locator(".eic-sentence")).to_be_visible()
    settle(page)
    for escapes in (True, False):
        page.locator(title).click()
        expect(panel).to_have_attribute("open", "")
        if escapes:
            page.keyboard.press("Escape")
        else:
            page.locator(".eic-sentence").click()
        expect(panel).not_to_have_attribute("open", "")
    area = page.locator(".st-key-formula_text textarea")
    area.fill("\n".join(f"+ sin({n}*x)" for n in range(1, 6)))
    area.focus()
    box, verdict = area.bounding_box(), page.locator(".st-key-verdict").bounding_box()
    assert box is not None and verdict is not None
    assert area.evaluate("field => field.scrollHeight <= field.clientHeight + 1")
    assert box["height"] > 100 and box["y"] + box["height"] <= verdict["y"]


def test_help_has_the_documentation_and_its_links_stay_in_the_tab(visit: Opener) -> None:
    page = visit()
    page.get_by_role("link", name="Help").click()
    page.locator(".st-key-help a", has_text="Glossary").first.click()
    expect(page.locator(".st-key-help h1")).to_contain_text("Glossary")
    assert page.url.endswith("/help?page=glossary")


def test_a_file_dropped_anywhere_is_the_table_and_back_brings_the_table_before(
    visit: Opener,
) -> None:
    page = visit()
    expect(page.locator(".st-key-pictured img")).to_have_count(6)
    settle(page)
    drop(page, "m [kg],v (m/s),KE [J]\n1,2,2\n2,3,9\n", "first.csv", ".st-key-pictured")
    expect(page.get_by_text("The table is here")).to_be_visible()
    type_formula(page, "m*v**2/2")
    expect(page.locator(".eic-sentence")).to_be_visible()
    settle(page)
    drop(page, "m,v\n1,2\n2,3\n5,6\n", "second.csv", "#root")
    expect(page.locator(".st-key-data-panel summary")).to_contain_text("second.csv")
    page.go_back()
    expect(page.locator(".st-key-data-panel summary")).to_contain_text("first.csv")
    expect(page.locator(".st-key-formula_text textarea")).to_have_value("m*v**2/2")
    expect(page.locator(".eic-sentence")).to_be_visible()


def test_a_first_visit_with_operon_text_and_a_csv_leads_to_the_guilty_part(visit: Opener) -> None:
    page = visit()
    upload(page, CSV)
    expect(page.get_by_text("The table is here")).to_be_visible()
    expect(page.locator(".eic-error")).to_have_count(0)
    type_formula(page, OPERON)
    page.locator(".st-key-notices button").first.click()
    expect(page.locator(".eic-tag", has_text="Operon").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".eic-sentence")).to_contain_text("10000")
    assert "data" in query(page)
    # the data panel has folded; opened, it lies over the page and moves nothing
    target = page.get_by_role("combobox", name="compare with")
    expect(target).to_be_hidden()
    settle(page)
    before = page.locator(".eic-pane-tree").bounding_box()
    page.locator(".st-key-data-panel summary").click()  # nor while it opens
    expect(target).to_have_value("load")
    expect(target).to_be_visible()
    assert page.locator(".eic-pane-tree").bounding_box() == before


@twin(
    "pages/test_app_inspector.py::test_ends_that_are_upside_down_stay_in_their_fields_until_they_are_mended"
)
def test_a_range_is_typed_number_by_number_and_nothing_that_was_typed_is_lost(
    visit: Opener,
) -> None:
    page = visit("/?formula=" + quote("x+1"))
    settle(page)
    page.locator(".st-key-data-panel summary").click()
    low, high = (page.locator(f".st-key-{side}-x input") for side in ("low", "high"))
    low.click()
    low.press("Control+a")
    low.press_sequentially("1e3")
    low.press("Tab")
    problem = page.get_by_role("alert")
    expect(problem).to_contain_text("from is above to. Until that is mended, 1 … 5 counts.")
    expect(problem).to_be_in_viewport()
    expect(low).to_have_value("1000")
    expect(high).to_have_value("5")
    expect(high).to_be_focused()
    high.press("Control+a")
    high.press_sequentially("1e6")
    high.press("Enter")
    expect(page).to_have_url(re.compile(r"range=x%3D1000.0%3A1000000.0"))
    expect(problem).to_have_count(0)
    expect(page.locator(".st-key-data-panel summary")).to_contain_text("1,000 … 10⁶")


HOSTILE = (
    "<img src=x onerror=window.pwned=1> $\\href{javascript:alert(1)}{x}$ :red[a] [b](http://c)"
)


@twin("pages/test_app_inspector.py::test_hostile_text_is_escaped_wherever_it_is_shown")
def test_hostile_text_stays_inert(visit: Opener) -> None:
    page = visit("/?formula=" + quote(HOSTILE) + "&data=0123456789ab&file=" + quote(HOSTILE))
    expect(page.locator(".eic-error").first).to_be_visible()
    type_formula(page, "x+y")
    expect(page).to_have_url(re.compile("x%2By"))
    settle(page)  # while a page is drawn anew, what takes the file may be taken away
    name = "<img src=x onerror=window.pwned=2>"
    page.locator(".st-key-data input[type=file]").set_input_files(
        {
            "name": name + ".csv",
            "mimeType": "text/csv",
            "buffer": f"x,{name},:red[c]`$z$\n1,<script>pwned=3</script>,2\n3,4,5\n".encode(),
        }
    )
    page.get_by_role("button", name="Use it anyway").click()
    expect(page.locator(".eic-file")).to_be_visible()
    assert page.evaluate("window.pwned") is None
    assert page.locator("[data-testid='stHtml'] img, [data-testid='stMarkdown'] img").count() == 0
    assert page.locator("a[href*='javascript'], a[href='http://c']").count() == 0


@dear(2)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways_and_the_figures_are_painted_as_the_page(
    visit: Opener, scheme: str
) -> None:
    page = visit("/?formula=log(x)-3*sin(x)", width=390, height=844, scheme=scheme)
    expect(page.locator(".eic-sentence")).to_be_visible()
    wide = page.evaluate(
        "() => [document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".map(e => e.scrollWidth - e.clientWidth)"
    )
    assert max(wide) <= 0
    background = page.evaluate(
        "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )
    ink = page.evaluate(
        "() => getComputedStyle(document.querySelector('.eic-pane-canvas .tag')).fill"
    )
    paper, drawn = (sum(map(int, re.findall(r"\d+", c)[:3])) for c in (background, ink))
    if scheme == "dark":
        assert paper < 150 and drawn > 380
    else:
        assert paper > 600 and drawn < 380
    assert violations(page) == []


def test_the_keyboard_alone_suffices(visit: Opener) -> None:
    page = visit("/?formula=x")
    area = page.locator(".st-key-formula_text textarea")
    for _ in range(30):
        page.keyboard.press("Tab")
        if area.evaluate("e => e === document.activeElement"):
            break
    assert area.evaluate("e => e === document.activeElement")
    page.keyboard.press("Control+A")
    page.keyboard.type("exp(x)-1")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile("exp"))
    expect(page.locator(".eic-pane-strip code").first).to_have_text(re.compile("exp"))
    page.keyboard.press("Tab")
    before = page.locator(".eic-pane-strip code").first.inner_text()
    page.keyboard.press("k")
    expect(page.locator(".eic-pane-strip code").first).not_to_have_text(before)
    page.keyboard.press("b")
    expect(page.locator(".eic-pane-strip code").first).to_have_text(before)
