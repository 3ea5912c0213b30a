"""Asking whose noise it is and whether it is true, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser import PATIENCE, eventually, middle, still
from tests.effort import twin

pytestmark = pytest.mark.e2e

ROOTS = "/?formula=sqrt(x%2B1)-sqrt(x)&range=x=loguniform:1:1e8&ask="
BRANCH = "/?formula=x%2B0.000001*sin(1000*x)&range=x=1:5&ask=noise&node=7"


def click_at(page: Page, place: Locator, across: float, down: float = 0.5) -> None:
    """Click within a place, brought into view first; a value from 1 on is in pixels."""
    place.scroll_into_view_if_needed()
    still(page)
    box = place.bounding_box()
    assert box is not None
    x = across if across >= 1 else across * box["width"]
    y = down if down >= 1 else down * box["height"]
    page.mouse.click(box["x"] + x, box["y"] + y)


def node_of(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get("node", [])


def test_the_pointer_frames_a_bar_of_the_ledger_and_a_click_on_it_selects_its_node(
    visit: Callable[..., Page],
) -> None:
    page = visit(ROOTS + "noise")
    answer = page.locator(".st-key-answer-noise")
    bars = answer.locator(".barlayer .trace").nth(1).locator(".point")
    bars.nth(1).wait_for(timeout=PATIENCE)
    page.evaluate("eicBench.set({hover: 5})")
    frame = answer.locator(".eic-mark-hover")
    eventually(page, lambda: framed(frame, bars), lambda places: len(places) == 1)
    page.evaluate("eicBench.set({hover: null})")
    expect(frame).to_have_count(0)

    click_at(page, bars.nth(1), 0.5)
    expect(answer.locator(".eic-answer")).to_contain_text("of the noise of √x comes from")
    assert node_of(page) == ["5"]
    answer.get_by_role("button", name="Back to the noise of").click()
    expect(answer.locator(".eic-answer")).to_contain_text("of the noise of the result")
    assert node_of(page) == ["6"]


def framed(frame: Locator, bars: Locator) -> list[int]:
    """The bars whose middle is inside the frame."""
    around = frame.bounding_box() if frame.count() else None
    if around is None:
        return []
    middles = [middle(bar) for bar in bars.all()]
    return [
        place
        for place, (x, y) in enumerate(middles)
        if around["x"] < x < around["x"] + around["width"]
        and around["y"] < y < around["y"] + around["height"]
    ]


@twin("pages/test_diagnosis_noise.py::test_a_bar_names_its_node_and_the_rest_names_none")
def test_a_thin_bar_is_hit_anywhere_on_its_track(visit: Callable[..., Page]) -> None:
    page = visit("/?formula=1%2Bx*1e-3&range=x=1:2&ask=noise&node=4")
    answer = page.locator(".st-key-answer-noise")
    tracks = answer.locator(".barlayer .trace").nth(0).locator(".point")
    tracks.nth(0).wait_for(timeout=PATIENCE)
    click_at(page, tracks.nth(1), 0.25)
    expect(answer.locator(".eic-answer")).to_contain_text("The only noise of 1 is")
    assert node_of(page) == ["0"]


@twin("pages/test_diagnosis_noise.py::test_a_masked_loss_is_listed_and_the_answer_to_what_if_stays")
def test_a_what_if_is_answered_in_place_and_the_answer_stays(visit: Callable[..., Page]) -> None:
    page = visit(BRANCH)
    answer = page.locator(".st-key-answer-noise")
    answer.get_by_role("button", name="What if it were its mean?").click()
    expect(answer).to_contain_text("Replaced by its mean")
    page.locator("body").press("d")
    expect(answer.locator(".eic-answer")).to_contain_text("The only noise of")
    expect(answer).to_contain_text("Replaced by its mean")


@twin("pages/test_diagnosis_truth.py::test_a_selected_row_selects_its_node")
def test_a_row_of_the_truth_table_selects_its_node(visit: Callable[..., Page]) -> None:
    page = visit(ROOTS + "truth")
    answer = page.locator(".st-key-answer-truth")
    expect(answer.locator(".eic-answer")).to_contain_text("At 6 of 7 nodes")
    expect(answer.locator("[role=row][aria-selected=true]")).to_have_attribute(
        "aria-rowindex",
        "2",  # 1 is the head
    )
    canvas = answer.locator("[data-testid=stDataFrame] canvas").first
    click_at(page, canvas, 20, 55 + 35 * 2)
    expect(answer.locator(".eic-node")).to_contain_text("√(x + 1)")
    expect(answer.locator(".eic-agreement")).to_have_text("✓ agrees")
    expect(answer.locator("[role=row][aria-selected=true]")).to_have_attribute("aria-rowindex", "4")
    assert node_of(page) == ["3"]
