""" "Which rows?" as a visitor uses it, in a real browser."""

from __future__ import annotations

import csv
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Opener
from tests.effort import twin

pytestmark = pytest.mark.e2e

POLE = f"/?formula={quote('1/(x-2)')}&range=x=1:3&samples=2000&ask=rows"
MOVES = f"/?formula={quote('log(x) + sin(x)')}&range=x=0.9:2.9&samples=2000&ask=rows"


def ranges(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get("range", [])


def thumbs(page: Page) -> Locator:
    return page.locator(".st-key-domain-sliders input[type='range']")


def limits(page: Page) -> list[str]:
    return page.locator(
        ".st-key-domain-sliders [data-testid='stSliderTickBar'] p"
    ).all_inner_texts()


def drag(page: Page, thumb: Locator, share: float) -> None:
    """Move a thumb to a place on its track with the mouse, in steps as a hand does."""
    page.locator(".st-key-domain-sliders").scroll_into_view_if_needed()
    track = page.locator(".st-key-domain-sliders [data-testid='stSlider']").bounding_box()
    handle = thumb.locator("xpath=../..").bounding_box()
    assert track is not None and handle is not None
    middle = handle["y"] + handle["height"] / 2
    page.mouse.move(handle["x"] + handle["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(track["x"] + share * track["width"], middle, steps=12)
    page.mouse.up()


@twin(
    "pages/test_diagnosis_rows.py::test_a_dragged_end_moves_the_domain_everywhere_and_back_goes_to_where_it_was"
)
def test_dragging_an_end_moves_rows_verdict_data_and_address(visit: Opener) -> None:
    page = visit(POLE)
    answer = page.locator(".st-key-answer-rows .eic-answer")
    expect(answer).to_contain_text("rows give 90 % of the amplified noise")
    expect(thumbs(page).nth(0)).to_have_value("1")
    before = limits(page)
    verdict = page.locator(".eic-sentence").inner_text()
    drag(page, thumbs(page).nth(0), 0.62)
    expect(page.locator(".eic-domain-said")).to_contain_text("The bottleneck stays at 1/(x − 2)")
    expect(page.locator(".eic-sentence")).not_to_have_text(verdict)
    (moved,) = ranges(page)
    low = float(moved.removeprefix("x=").split(":")[0])
    assert 2.2 < low < 3
    expect(page.locator(".st-key-low-x input")).to_have_value(f"{low:.10g}")
    expect(page.locator(".st-key-formula_text textarea")).to_have_value("1/(x-2)")
    assert limits(page) == before == ["-1", "5"]
    page.locator(".st-key-domain-back button").click()
    expect(page.locator(".eic-sentence")).to_have_text(verdict)
    expect(page.locator(".st-key-domain-back")).to_have_count(0)
    assert ranges(page) == ["x=1.0:3.0"]
    expect(thumbs(page).nth(0)).to_have_value("1")


@twin(
    "pages/test_diagnosis_rows.py::test_the_bottleneck_is_said_to_have_moved_since_the_first_drag"
)
def test_the_keyboard_moves_an_end_and_the_bottleneck_is_said_to_move(visit: Opener) -> None:
    page = visit(MOVES)
    expect(thumbs(page).nth(1)).to_have_value("2.9")
    drag(page, thumbs(page).nth(0), 0.6)
    said = page.locator(".eic-domain-said")
    expect(said).to_contain_text("Bottleneck moved from log(x)")
    expect(said).to_contain_text("to sin(x)")
    field = page.locator(".st-key-low-x input")
    before, shown = ranges(page), field.input_value()
    thumbs(page).nth(0).focus()
    page.keyboard.press("ArrowLeft")
    expect(field).not_to_have_value(shown)
    assert ranges(page) != before


@twin(
    "pages/test_diagnosis_rows.py::test_the_file_has_the_rows_as_they_were_written_and_no_formula_for_a_spreadsheet"
)
def test_the_rows_can_be_taken_away(visit: Opener, tmp_path: Path) -> None:
    page = visit(POLE)
    page.locator(".st-key-rows-list summary").click()
    expect(page.locator(".st-key-rows-list canvas").first).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="These rows, CSV").click()
    path = tmp_path / "rows.csv"
    waiting.value.save_as(path)
    head, *rows = csv.reader(path.open())
    assert head == ["row", "x", "1/(x - 2)", "s", "share"]
    assert 0.99 <= sum(float(row[4]) for row in rows) < 1
    assert all(abs(float(row[1]) - 2) < 0.2 for row in rows)
