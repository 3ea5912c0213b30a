"""Comparing formulas as a visitor does it, in a real browser."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browser import PATIENCE, eventually, only_safe_downloads, still
from tests.e2e.profiles import profile, window
from tests.effort import twin

pytestmark = pytest.mark.e2e

TABLE = "a,b,y\n" + "\n".join(f"{1 + i / 10},{2 + i % 7},{3 * (1 + i / 10)}" for i in range(40))
LIST = """\
Complexity,Loss,Equation
1,5.0,"a"
3,0.1,"3.0 * a"
9,0.1,"3.0 * a + 10000.0 * b - 10000.0 * b"
3,1.0,"lg(a)"
"""
PAIR_SENTENCE = "EIC of B is"
PAIR = (
    f"/compare?formula={quote('sqrt(x+1) - sqrt(x)')}&b={quote('1/(sqrt(x+1) + sqrt(x))')}"
    "&range=x=loguniform:1:1e8"
)


@contextmanager
def opened(browser: Browser, address: str, width: int = 1400) -> Iterator[Page]:
    """A page in a profile of its own."""
    with profile(browser) as context:
        page = window(context, width)
        page.goto(address)
        page.locator("[class*=st-key-pair-fold]").wait_for(timeout=PATIENCE)
        still(page)
        yield page


def bring(page: Page, place: Locator, name: str, text: str) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    place.locator("input[type=file]").set_input_files(file)
    still(page)


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def on_the_first_screen(page: Page, *places: str) -> None:
    for place in places:
        shown = page.locator(place).locator("visible=true").last  # with help it is there twice
        shown.wait_for(timeout=PATIENCE)
        box = shown.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 720, place


def test_a_hall_of_fame_becomes_a_front_on_the_first_screen_whose_points_open_in_the_inspector(
    browser: Browser, server: str
) -> None:
    with opened(browser, f"{server}/compare", width=1280) as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        on_the_first_screen(page, "[class*=st-key-list-file]", ".st-key-list-examples button")
        page.locator(".st-key-data_mode").get_by_text("Table").click()
        still(page)
        bring(page, page.locator(".st-key-data-panel"), "rows.csv", TABLE)
        bring(page, page.locator("[class*=st-key-list-file]"), "hall_of_fame.csv", LIST)
        line = page.locator("[class*=st-key-inputs-] summary").first
        expect(line).to_contain_text("hall_of_fame.csv: 4 formulas")
        expect(page.get_by_text("PySR hall of fame, CSV")).to_be_hidden()
        expect(page.locator(".eic-lead")).to_contain_text("of 3 formulas")
        page.locator(".st-key-front-plot .main-svg").first.wait_for(timeout=PATIENCE)
        on_the_first_screen(
            page, ".eic-choice", "[class*=st-key-card-] .katex", ".st-key-front-plot"
        )
        line.click()
        expect(page.get_by_text("PySR hall of fame, CSV")).to_be_visible()
        line.click()
        expect(page.locator(".st-key-left-out")).to_contain_text("Unknown function lg")

        points = page.locator(".st-key-front-plot .scatterlayer .trace .point")
        points.nth(1).click(force=True)
        card = page.locator("[class*=st-key-card-]").first
        expect(card).to_contain_text("Row 2")
        still(page)

        with page.expect_download() as waiting:
            page.get_by_role("button", name="All scores, CSV").click()
        rows = list(csv.DictReader(waiting.value.path().read_text().splitlines()))
        assert [row["formula"] for row in rows][1] == "3.0 * a"
        assert float(rows[1]["r2"]) == pytest.approx(1.0)
        assert rows[3]["error"] and not rows[3]["eic"]

        page.get_by_role("button", name="Inspect row 2").click()
        formula = page.locator(".st-key-formula_text textarea")
        expect(formula).to_have_value("3.0 * a")
        expect(page.locator(".eic-file")).to_contain_text("rows.csv")
        expect(page.locator(".eic-sentence")).to_be_visible()

        page.locator(".st-key-nav").get_by_role("link", name="Compare").click()
        expect(page.locator(".eic-lead")).to_contain_text("of 3 formulas")

        # from the list to the laws, and from a law's point to the inspector in its ranges
        page.get_by_role("link", name="Stability gap: EIC of laws").click()
        expect(page.locator(".eic-lead")).to_contain_text("133 laws")
        page.locator(".st-key-gap-violins .scatterlayer .point").nth(3).click(force=True)
        shown = page.locator(".st-key-gap-picked code")
        expect(shown).to_be_visible()
        text = shown.inner_text()
        page.get_by_role("button", name="Open in the inspector").click()
        expect(formula).to_have_value(text)
        expect(page.locator(".eic-sentence")).to_be_visible()
        assert eventually(page, lambda: query(page).get("range"), bool)


@twin("pages/test_compare.py::test_typing_and_swapping_goes_into_the_address")
def test_two_rows_go_side_by_side_and_into_the_address(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/compare?range=x=1.0:9.0") as page:
        page.get_by_label("Formulas", exact=True).fill("x + 1\n10000*x - 9999*x\nx")
        page.get_by_role("button", name="Compare", exact=True).click()
        page.locator(".st-key-front-plot").wait_for(timeout=PATIENCE)
        still(page)
        table = page.locator(".st-key-front-box [data-testid=stDataFrame]")
        table.scroll_into_view_if_needed()
        table.hover()
        only_safe_downloads(page)
        for row in (0, 2):
            table.click(position={"x": 20, "y": 55 + 35 * row})
            still(page)
        expect(page.locator("[class*=st-key-preview-] .katex-display")).to_have_count(2)
        page.get_by_role("button", name="Side by side").click()
        expect(page.locator(".st-key-pair-box .eic-sentence")).to_contain_text(PAIR_SENTENCE)
        asked = eventually(page, lambda: query(page), lambda found: {"formula", "b"} <= set(found))
        assert asked["range"] == ["x=1.0:9.0"]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            eventually(page, lambda: violations(page), lambda found: found == [])
        refused: list[str] = []
        page.on("response", lambda r: refused.append(r.url) if r.status >= 400 else None)
        page.reload()
        expect(page.locator(".st-key-pair-box .eic-sentence")).to_contain_text(PAIR_SENTENCE)
        expect(page.locator("[class*=st-key-inputs-] summary").first).to_contain_text("3 formulas")
        assert refused == []


def test_a_long_list_shows_its_progress_and_can_be_cancelled(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/compare?range=x=1.0:9.0&samples=100000") as page:
        terms = "\n".join(f"sin({k}*x)*cos(x/{k}) + exp(-x*{k}/1000)" for k in range(1, 3000))
        file: FilePayload = {"name": "l.txt", "mimeType": "text/plain", "buffer": terms.encode()}
        page.locator("[class*=st-key-list-file] input").set_input_files(file)
        expect(page.get_by_text("of 2,999 formulas")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("Scoring was cancelled.")).to_be_visible()
        expect(page.get_by_role("button", name="Score again")).to_be_visible()


def test_on_a_phone_the_two_formulas_are_stacked_and_nothing_sticks_out(
    browser: Browser, server: str
) -> None:
    with opened(browser, server + PAIR, width=390) as page:
        sentence = page.locator(".st-key-pair-box .eic-sentence")
        expect(sentence).to_have_text(
            "EIC of B is 7.5 digits less than that of A, with 2 nodes more."
        )
        page.locator(".st-key-pair-plot").wait_for(timeout=PATIENCE)
        eventually(page, lambda: stacked(page), bool)
        width = "document.documentElement.scrollWidth"
        eventually(page, lambda: page.evaluate(width), lambda wide: wide <= 390)


def stacked(page: Page) -> bool:
    """Whether the tree of B begins below that of A."""
    a, b = (page.locator(f".st-key-tree-{side}").bounding_box() for side in "AB")
    return a is not None and b is not None and b["y"] >= a["y"] + a["height"]
