"""Formula, tree and table as one: a selection, a hover and a key move them together."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browser import eventually, middle, settle
from tests.effort import dear

pytestmark = pytest.mark.e2e

Opener = Callable[..., Page]

# 0 x, 1 log, 2 3, 3 x, 4 sin, 5 product, 6 difference
LOGARITHM = "/?formula=" + quote("log(x)-3*sin(x)") + "&range=x%3D1.0:2.0&seed=7"
LONG = "/?formula=" + quote("+".join(f"sin({i}*x)/(y+{i})" for i in range(1, 40)))
INKS = (
    "[...document.querySelectorAll('.eic-pane-formula svg > g:has(#eic-glyphs), "
    ".eic-pane-formula g[mask]')].map(g => getComputedStyle(g.querySelector("
    "'#eic-glyphs, use')).color)"
)
RINGED = "[...document.querySelectorAll('.eic-pane-canvas .node.%s')].map(g => +g.dataset.node)"


def open_pane(visit: Opener, path: str = LOGARITHM, **window: int) -> Page:
    page = visit(path, **window)
    expect(page.locator(".eic-pane-canvas [role=tree]")).to_be_visible()
    return page


def card(page: Page, node: int) -> Locator:
    return page.locator(f".eic-pane-canvas [data-node='{node}'] > .card")


def selected(page: Page) -> object:
    return page.evaluate(RINGED % "selected")


def framed(page: Page, kind: str) -> str:
    """The place of the frame around a part of the formula; "" without one."""
    frame = page.locator(f".eic-pane-formula rect.{kind}")
    return str(frame.first.bounding_box()) if frame.count() else ""


def test_pointer_and_click_move_tree_formula_table_strip_and_plots_together(
    visit: Opener,
) -> None:
    page = open_pane(visit)
    settle(page)
    page.mouse.move(*middle(card(page, 4)))
    part = page.locator(".eic-pane-formula rect.eic-hover")
    expect(part).to_be_attached()
    x, y = middle(part)
    page.mouse.move(5, 5)
    expect(part).to_have_count(0)
    box = page.locator(".eic-pane-formula svg").first.bounding_box()
    assert box is not None and box["x"] < x < box["x"] + box["width"]
    page.mouse.move(x - 12, y)  # on the name of the sine, not on its argument
    eventually(page, lambda: page.evaluate(RINGED % "hover"), [4].__eq__)

    assert selected(page) == [1]  # the worst step
    before = framed(page, "eic-selected")
    page.mouse.click(x - 12, y)
    assert selected(page) == [4]  # without an answer of the server
    assert framed(page, "eic-selected") not in ("", before)
    expect(page.locator(".eic-pane-strip code").first).to_have_text("sin(x)")
    expect(page).to_have_url(re.compile(r"node=4\b"))  # the server draws its plots
    expect(page.locator("[class*='st-key-plot-']").first).to_contain_text("sin(x)")
    card(page, 5).click()
    assert selected(page) == [5]
    page.get_by_role("button", name="Show every node in a table").click()
    now = page.locator(".eic-pane-table tr[aria-current=true]")
    expect(now).to_have_attribute("data-row", "5")
    expect(now).to_contain_text("sin(x)")

    # a row of the table selects as well
    page.locator(".eic-pane-table tr[data-row='1']").click()
    expect(page.locator(".eic-pane-strip code").first).to_have_text("log(x)")
    expect(page).to_have_url(re.compile(r"node=1\b"))
    sentence = page.locator(".eic-sentence").inner_text()
    page.reload()
    settle(page)
    expect(page.locator(".eic-pane-strip code").first).to_have_text("log(x)")
    expect(page.locator(".eic-sentence")).to_have_text(sentence)
    expect(page.locator(".st-key-formula_text textarea")).to_have_value("log(x)-3*sin(x)")
    assert "seed=7" in page.url and "range=x" in page.url


def test_the_tree_is_walked_by_keys_that_are_listed_and_says_where_one_is(visit: Opener) -> None:
    page = open_pane(visit)
    tree = page.get_by_role("tree")
    assert tree.get_by_role("treeitem").count() == 7
    page.locator(".eic-pane-canvas [tabindex='0']").focus()
    steps = [
        ("Home", 6),
        ("ArrowDown", 1),
        ("ArrowDown", 0),
        ("ArrowLeft", 1),
        ("End", 3),
        ("ArrowUp", 4),
        ("u", 5),
        ("d", 2),
        ("j", 3),
        ("k", 2),
        ("b", 1),
    ]
    for key, node in steps:
        page.keyboard.press(key)
        assert selected(page) == [node], key
        focused = page.evaluate("+document.activeElement.dataset.node")
        assert focused == node, key
    item = page.locator(".eic-pane-canvas [data-node='1']")
    expect(item).to_have_attribute("aria-selected", "true")
    expect(item).to_have_attribute("aria-level", "2")
    expect(page.locator(".eic-pane-live[aria-live]")).to_contain_text("Node 1: log(x)")
    page.keyboard.press("Enter")  # folds
    expect(item).to_have_attribute("aria-expanded", "false")
    expect(card(page, 0)).to_be_hidden()
    page.keyboard.press("ArrowRight")  # unfolds
    expect(card(page, 0)).to_be_visible()

    # letters work anywhere but in a text field
    page.evaluate("document.activeElement.blur()")
    page.locator("body").press("u")
    assert selected(page) == [6]
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    for key in ("U", "D", "K", "J", "W", "O", "Home", "End", "Enter"):
        expect(keys.locator("kbd", has_text=re.compile(f"^{key}$"))).to_have_count(1)
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.locator(".st-key-formula_text textarea").focus()
    page.keyboard.press("j")  # last of all: it is another formula once the field is left
    assert selected(page) == [6]


def test_a_part_that_was_not_laid_out_unfolds_and_folds_again(visit: Opener) -> None:
    page = open_pane(visit, LONG)
    settle(page)
    shown = page.locator(".eic-pane-canvas .node")
    before = shown.count()
    closed = page.locator(".eic-pane-canvas [aria-expanded=false]").last
    node = closed.get_attribute("data-node")
    closed.locator(".card").dblclick()  # its first click selects the node
    fold = page.get_by_role("button", name="Fold again")
    expect(fold).to_be_visible()
    assert shown.count() > before
    expect(page).to_have_url(re.compile(rf"node={node}\b"))
    fold.click()
    expect(fold).to_be_hidden()
    assert shown.count() == before
    # a node that is hidden comes into view with the keys that find it
    page.get_by_role("button", name="Show every node in a table").click()
    page.locator(".eic-pane-table tr[data-row='0']").click()
    page.get_by_role("button", name="Show the tree").click()
    eventually(page, lambda: selected(page), [0].__eq__)


def test_the_tree_zooms_and_is_coloured_anew_and_its_table_sorted_without_the_server(
    visit: Opener,
) -> None:
    page = open_pane(visit)
    settle(page)
    drawing = page.locator(".eic-pane-canvas svg")
    whole = drawing.get_attribute("viewBox")
    page.locator(".eic-pane").get_by_role("button", name="Zoom in").click()
    assert drawing.get_attribute("viewBox") != whole
    box = page.locator(".eic-pane-canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + 30, steps=4)
    page.mouse.up()
    assert selected(page) == [1]  # dragged, not clicked
    page.mouse.dblclick(box["x"] + 8, box["y"] + 8)
    assert drawing.get_attribute("viewBox") == whole

    # colours of a row, of all rows and by what is created
    fill = card(page, 1).get_attribute("fill")
    page.evaluate(
        "eicBench.set({rows: {of: eicBench.rows.of, count: 1, digits: () => "
        "[0, 0, 0, 0, 0, 0, 'inf']}, row: 0, by: 'row'})"
    )
    assert card(page, 1).get_attribute("fill") != fill
    hatch = page.locator(".eic-pane-canvas [data-node='6'] > .hatch")
    expect(hatch).to_have_css("visibility", "visible")
    page.get_by_label("What the colours mean").select_option("eic")
    assert card(page, 1).get_attribute("fill") == fill
    page.evaluate("eicBench.set({rows: {...eicBench.rows, of: 'another formula'}, by: 'row'})")
    assert card(page, 1).get_attribute("fill") == fill
    page.get_by_label("What the colours mean").select_option("created")
    expect(page.locator(".eic-pane-canvas [data-node='6'] .value")).to_have_text("—")

    # the table is sorted by its headers
    page.get_by_role("button", name="Show every node in a table").click()
    rows = page.locator(".eic-pane-table tbody tr")
    expect(rows.first).to_contain_text("log(x)")
    page.locator(".eic-pane-table th button", has_text="#").click()
    assert [row.get_attribute("data-row") for row in rows.all()] == list("0123456")
    header = page.locator(".eic-pane-table th[aria-sort]")
    expect(header).to_have_attribute("aria-sort", "ascending")
    rows.nth(2).focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".eic-pane-table tr[aria-current]")).to_have_attribute("data-row", "3")


def test_letters_of_the_formula_stand_out_from_their_boxes_by_day_and_by_night(
    visit: Opener,
) -> None:
    # Letters have the page's ink, and the other one where a box needs it, seen through a mask.
    for scheme, inks in (("light", [False, True]), ("dark", [True, False])):
        page = visit(LOGARITHM, scheme=scheme)
        expect(page.locator(".eic-pane-formula svg")).to_be_visible()
        seen = page.evaluate(INKS)
        assert [sum(map(int, re.findall(r"\d+", ink)[:3])) > 380 for ink in seen] == inks
        filled = "getComputedStyle(document.querySelector('#eic-glyphs')).fill"
        assert page.evaluate(filled) == seen[0]


@dear(2)
@pytest.mark.parametrize("width", [390, 1280])
def test_the_pane_stays_in_its_width_and_axe_finds_nothing_in_it(visit: Opener, width: int) -> None:
    page = open_pane(visit, LONG, width=width, height=720 if width > 640 else 844)
    settle(page)
    for table in (False, True):
        name = "Show every node in a table" if table else "Show the tree"
        page.get_by_role("button", name=name).click()
        assert [each for each in violations(page) if "eic-pane" in each] == []
        inside = page.evaluate(
            "(() => { const pane = document.querySelector('.eic-pane').getBoundingClientRect();"
            "return [...document.querySelectorAll('.eic-pane > *')].every(part => {"
            "const box = part.getBoundingClientRect();"
            "return box.right <= pane.right + 1 && box.bottom <= pane.bottom + 1 }) })()"
        )
        assert inside
    assert page.evaluate("document.documentElement.scrollWidth") <= width
