"""The digits of one row in a real browser: what is red, and what follows the slider."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import PATIENCE, eventually

pytestmark = pytest.mark.e2e

CANCELS = "/?formula=10000*x-9999*x&range=x=1:5"
MAP = "/?formula=x*y-(x-1)*(y%2B1)&range=x=1:5&range=y=1:5"

BENCH = "[eicBench.row, eicBench.by]"


def opened(visit: Callable[..., Page], path: str) -> Page:
    page = visit(path)
    page.locator(".eic-row .eic-digits-note").first.wait_for(timeout=PATIENCE)
    return page


def written(page: Page) -> tuple[str, str, str]:
    """The title, the computed digits and those of them that are struck out."""
    block = page.locator(".eic-row .eic-written")
    value = block.locator(".eic-digits-value").nth(1)
    struck = value.locator("s")
    return (
        block.locator(".eic-digits-title").inner_text(),
        value.inner_text(),
        struck.inner_text() if struck.count() else "",
    )


def height_of_row(page: Page) -> float:
    box = page.locator(".eic-row").bounding_box()
    assert box is not None
    return box["height"]


def test_lost_digits_are_red_in_columns_the_form_instead_keeps_them_and_the_plot_moves_the_row(
    visit: Callable[..., Page],
) -> None:
    page = opened(visit, CANCELS)
    assert height_of_row(page) == 96  # while a better form is looked for, and after
    exact = page.locator(".eic-written .eic-digits-value").nth(0).inner_text()
    _, computed, wrong = written(page)
    assert len(wrong) == 5
    assert computed.endswith(wrong)
    assert exact.startswith(computed.removesuffix(wrong))
    assert not exact.endswith(wrong)
    style = "e => [getComputedStyle(e).color, getComputedStyle(e).textDecorationLine]"
    colour, line = page.locator(".eic-written s").evaluate(style)
    red, green, blue = (int(part) for part in colour[4:-1].split(","))
    assert red > 2 * max(green, blue)
    assert line == "line-through"
    expect(page.locator(".eic-written .eic-digits-note")).to_contain_text(
        "✕ last 5 of 17 digits wrong, "
    )
    expect(page.locator(".eic-instead .eic-digits-title")).to_have_text("instead: x")
    expect(page.locator(".eic-instead .eic-digits-note")).to_have_text("✓ less than a digit lost")
    assert page.locator(".eic-instead s").count() == 0
    assert height_of_row(page) == 96

    places = page.locator(".eic-written").evaluate(
        "block => [...block.querySelectorAll('.eic-digits-value')].map(value => {"
        " const walk = document.createTreeWalker(value, NodeFilter.SHOW_TEXT), places = [];"
        " for (let text = walk.nextNode(); text; text = walk.nextNode())"
        "  for (let k = 0; k < text.length; k++) { const range = document.createRange();"
        "   range.setStart(text, k); range.setEnd(text, k + 1);"
        "   places.push(Math.round(range.getBoundingClientRect().left)); }"
        " return places; })"
    )
    above, below = places
    assert len(above) == len(below) == 18
    assert all(abs(a - b) <= 1 for a, b in zip(above, below, strict=True))

    # the mark stands at the row's input, and a click in the plot moves it
    expect(page.locator(".st-key-plots .eic-mark-row").first).to_be_attached()
    across = (
        "x => { const plot = document.querySelector('.st-key-plots .js-plotly-plot');"
        " const axis = plot._fullLayout.xaxis;"
        " return plot.getBoundingClientRect().left + axis._offset + axis.d2p(x); }"
    )

    def apart(_: object = None) -> float:
        """Pixels between the mark and the input of the row."""
        box = page.locator(".st-key-plots .eic-mark-row").first.bounding_box()
        value = page.evaluate("eicBench.rows.inputs(eicBench.row).x")
        assert box is not None
        return abs(box["x"] + box["width"] / 2 - float(page.evaluate(across, value)))

    eventually(page, apart, lambda pixels: pixels < 1.5)
    page.locator(".st-key-plots .js-plotly-plot").scroll_into_view_if_needed()
    x, y = page.evaluate(
        "(() => { const plot = document.querySelector('.st-key-plots .js-plotly-plot');"
        " plot.on('plotly_click', ({points}) => { window.clickedAt = points[0].x });"
        " const {xaxis, yaxis} = plot._fullLayout, around = plot.getBoundingClientRect();"
        " return [around.left + xaxis._offset + xaxis.d2p(4),"
        " around.top + yaxis._offset + yaxis.d2p(4)]; })()"
    )  # on the curve, for the formula is x
    page.mouse.move(x, y)
    page.wait_for_timeout(500)
    page.mouse.click(x, y)
    eventually(page, lambda: page.evaluate("eicBench.by"), lambda by: by == "row")
    nearest = page.evaluate(
        "(() => { const all = [...Array(eicBench.rows.count).keys()],"
        " far = row => Math.abs(eicBench.rows.inputs(row).x - clickedAt);"
        " return Math.min(...all.map(far)) === far(eicBench.row); })()"
    )
    assert nearest
    eventually(page, apart, lambda pixels: pixels < 1.5)


def test_the_slider_moves_the_row_by_keys_and_digits_mark_and_tree_follow(
    visit: Callable[..., Page],
) -> None:
    page = opened(visit, MAP)
    slider = page.get_by_role("slider", name="Rows, from the least to the greatest loss")
    marks = page.locator(".st-key-plots .eic-mark-row")
    expect(marks).to_have_count(1)  # the map of s, with the value as lines in it
    title, computed, _ = written(page)
    box = marks.first.bounding_box()
    root = page.locator('.st-key-tree-pane [data-node="10"]').first
    colours = (
        "e => [e.querySelector('.card').getAttribute('fill'),"
        " e.querySelector('.value').textContent]"
    )
    drawn = root.evaluate(colours)
    worst = slider.get_attribute("aria-valuetext") or ""
    slider.focus()
    page.keyboard.press("Home")
    assert page.evaluate(BENCH) == [0, "row"]
    now, least, struck = written(page)
    assert now != title and least != computed
    assert struck == ""  # where nothing is lost nothing is red
    expect(page.locator(".eic-written .eic-digits-note")).to_have_text("✓ less than a digit lost")
    assert "no digit is wrong" in (slider.get_attribute("aria-valuetext") or "")
    assert "no digit is wrong" not in worst
    eventually(page, lambda: marks.first.bounding_box(), lambda now: now != box)
    eventually(page, lambda: root.evaluate(colours), lambda now: now != drawn)
    page.get_by_role("button", name="all rows").click()
    assert page.evaluate(BENCH) == [0, "eic"]
    eventually(page, lambda: root.evaluate(colours), lambda now: now == drawn)


def test_marks_of_the_slider_are_buttons_and_another_format_keeps_the_row(
    visit: Callable[..., Page],
) -> None:
    page = opened(visit, f"{CANCELS}&samples=40")  # so few that no format leaves one out
    slider = page.locator(".eic-row input")
    last = slider.get_attribute("max")
    marks = page.locator(".eic-row")
    worst, typical = (marks.get_by_role("button", name=name) for name in ("worst", "typical"))
    expect(worst).to_have_attribute("aria-pressed", "true")
    typical.click()
    expect(typical).to_have_attribute("aria-pressed", "true")
    assert 0.3 < int(slider.input_value()) / int(last or 0) < 0.7
    worst.click()
    assert slider.input_value() == last

    title, computed, _ = written(page)
    float32 = page.get_by_role("button", name="float32")
    float32.click()
    expect(page.locator(".eic-written .eic-digits-name").nth(1)).to_have_text("float32")
    expect(float32).to_have_attribute("aria-pressed", "true")
    again, shorter, _ = written(page)
    assert len(shorter) < len(computed)
    assert again.split(":")[0] == title.split(":")[0]
