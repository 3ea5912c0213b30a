"""What a rater sees of a ballot: sizes, what was in view, left and right, forced colours."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.ballot.words import LOST
from study.material import Study
from tests.e2e.accessibility import violations
from tests.e2e.ballot_boxes import SCHEMES, SIZES, faults
from tests.e2e.browser import eventually
from tests.e2e.every_ballot import every_ballot, long_named, show
from tests.e2e.profiles import Scheme, profile, window
from tests.e2e.rating_world import (
    World,
    agree,
    begun,
    fits,
    idle,
    scroll_through,
    start,
    visit,
    volunteer,
)
from tests.effort import cases, dear

pytestmark = pytest.mark.e2e

SOME = cases(12, 1)
"""One of so many pairs is measured."""


def test_every_ballot_is_whole_and_large_enough_at_any_size_and_zoom_light_and_dark(
    browser: Browser, world: World
) -> None:
    wrong: list[str] = []
    scrolled = 0
    with profile(browser) as context:
        page = window(context, *SIZES[0])
        for name, ballot in itertools.chain(long_named(), every_ballot(world, SOME)):
            show(page, ballot)
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                for width, height in SIZES:
                    page.set_viewport_size({"width": width, "height": height})
                    where = f"{width}x{height}, {scheme}, ballot {name}"
                    measured = faults(page)
                    wrong += [f"{where}: {fault}" for fault in measured.wrong]
                    if measured.hidden and scheme == SCHEMES[-1]:
                        scrolled += 1
                        show(page, ballot)
                        wrong += [f"{where}: {fault}" for fault in _half_seen(page)]
    assert not wrong, "\n".join(wrong)
    assert scrolled  # some formulas cannot be broken


def _half_seen(page: Page) -> Iterator[str]:
    """What is wrong with a press before and after formulas that scroll were gone through."""
    wider = "box => box.scrollWidth > box.clientWidth + 1 ? [box.dataset.name] : []"
    hidden = page.locator(".formula").evaluate_all(f"all => all.flatMap({wider})")
    scroll_through(page, sideways=False)
    said = _said(page)
    if f"all of {' and '.join(hidden)}. " not in said or "sideways" not in said:
        yield f"{hidden} are hidden, and a press is told {said!r}"
    scroll_through(page)
    if not (said := _said(page)).startswith(LOST[:20]):  # no server is there
        yield f"all is seen, and a press is told {said!r}"


def _said(page: Page) -> str:
    """The notice after a press on the first button."""
    page.locator("#notice").evaluate("notice => notice.textContent = ''")
    page.locator("#choose-A").evaluate(
        "button => button.dispatchEvent(new MouseEvent('click', {detail: 1, bubbles: true,"
        " cancelable: true}))"
    )
    expect(page.locator("#notice")).not_to_be_empty()
    return page.locator("#notice").inner_text()


def test_a_press_with_a_finger_counts_once_formulas_and_plot_were_in_view(
    browser: Browser, world: World, brief: Study
) -> None:
    with volunteer(browser) as page:
        page.set_viewport_size({"width": 390, "height": 660})
        link = begun(page, world, brief)
        page.wait_for_timeout(1200)
        expect(page.locator(".keys")).to_be_hidden()  # no keys on a touch screen
        box = page.locator(".drawings").bounding_box()
        bar = page.locator("#answer").bounding_box()
        assert box and bar and box["y"] + box["height"] > bar["y"]  # as it is on such a phone
        _tap(page, "A")
        expect(page.get_by_role("alert")).to_contain_text("You have not seen all of")
        eventually(page, lambda: page.evaluate("scrollY"), lambda down: down > 0)
        assert world.votes(link) == []
        scroll_through(page)
        _tap(page, "A")
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        (vote,) = _last(world, 1)
        assert (vote["choice"], vote["in_view"], vote["plot_in_view"]) == ("left", 1, 1)

        # with keys, or by assistive software, it counts as it is; the bar's focus moves nothing
        page.wait_for_timeout(1200)
        page.locator("#choose-B").focus()
        assert page.evaluate("scrollY") == 0
        page.keyboard.press("Enter")
        expect(page.get_by_text("saved 2 of 3")).to_be_visible()
        (vote,) = _last(world, 1)
        assert (vote["choice"], vote["plot_in_view"]) == ("right", 0)


_WIDE = """(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`.formula svg { width: 100px } #formula-%s svg { width: 1100px }`);
  document.adoptedStyleSheets = [sheet];
})()"""
"""A formula that is three times as wide as its box: of what both ends show, a third is missing."""


_JUMP = """(box, left) => new Promise(done => {
  box.scrollTo({left, behavior: 'instant'});
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""


@dear(2)
@pytest.mark.parametrize(("letter", "motion"), [("A", False), ("B", True)])
def test_a_formula_counts_as_seen_once_it_was_scrolled_to_both_ends(
    browser: Browser, world: World, brief: Study, letter: str, motion: bool
) -> None:
    with volunteer(browser, motion=motion) as page:
        page.add_init_script(_WIDE % letter)
        link = begun(page, world, brief)
        box = page.locator(f"#formula-{letter}")
        assert box.evaluate("box => [box.clientWidth < 351, box.scrollWidth]") == [True, 1100]
        scroll_through(page, sideways=False)
        page.wait_for_timeout(1200)
        # the end, jumped to: what lies between was not seen
        for left in (1100, 0):
            box.evaluate(_JUMP, left)
        _tap(page, letter)
        expect(page.get_by_role("alert")).to_contain_text(
            f"You have not seen all of formula {letter}. "
        )
        assert world.votes(link) == []
        # the page has moved to the part that is missing, and the rest is gone through by hand
        eventually(page, lambda: box.evaluate("box => box.scrollLeft"), lambda left: left > 100)
        scroll_through(page)
        _tap(page, letter)
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        (vote,) = _last(world, 1)
        assert (vote["in_view"], vote["plot_in_view"], vote["page"]) == (1, 1, 3)

        # with keys it counts as it is, and says so
        scroll_through(page, sideways=False)
        page.wait_for_timeout(1200)
        page.locator("#choose-B").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("saved 2 of 3")).to_be_visible()
        (vote,) = _last(world, 1)
        assert (vote["in_view"], vote["plot_in_view"]) == (0, 1)


def test_what_lies_outside_of_a_page_pinched_larger_is_not_seen(
    browser: Browser, world: World
) -> None:
    _, ballot = next(long_named())
    with volunteer(browser) as page:
        page.set_viewport_size({"width": 390, "height": 120})
        show(page, ballot)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 3})
        eventually(page, lambda: page.evaluate("visualViewport.scale"), lambda scale: scale > 2.9)
        scroll_through(page)
        assert "all of formula A, formula B and the plot. " in _said(page)
        devtools.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 1})
        eventually(page, lambda: page.evaluate("visualViewport.scale"), lambda scale: scale < 1.1)
        scroll_through(page)
        assert _said(page).startswith(LOST[:20])


@dear(3)
@pytest.mark.parametrize("size", SIZES)
def test_a_notice_covers_no_button(browser: Browser, world: World, size: tuple[int, int]) -> None:
    _, ballot = next(every_ballot(world))
    with profile(browser) as context:
        page = window(context, *size)
        show(page, ballot)
        longest = page.locator("#live").get_attribute("data-waiting") or ""
        page.locator("#notice").evaluate("(notice, text) => notice.textContent = text", longest)
        for letter in "BA":
            page.locator(f"#choose-{letter}").focus()
            page.locator(f"#choose-{letter}").click(trial=True)
        page.locator("#notice").evaluate("notice => notice.textContent = ''")
        for number in page.locator(".number").all():
            number.scroll_into_view_if_needed()
            number.hover()
            tip = number.locator(".tip")
            expect(tip).to_be_visible()
            assert tip.evaluate(_SHOWN_WHOLE)


def test_where_nothing_can_be_observed_a_press_counts(
    browser: Browser, world: World, brief: Study
) -> None:
    with volunteer(browser) as page:
        page.add_init_script("delete window.IntersectionObserver;")
        begun(page, world, brief)
        page.wait_for_timeout(1200)
        _tap(page, "B")
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        (vote,) = _last(world, 1)
        assert (vote["choice"], vote["in_view"], vote["plot_in_view"]) == ("right", None, None)


_SHOWN_WHOLE = """tip => {
  const {left, right, height} = tip.getBoundingClientRect();
  return left >= 0 && right <= innerWidth && tip.scrollHeight <= height + 1;
}"""


def _tap(page: Page, letter: str) -> None:
    """Tap where the button is: to bring it into view, as `Locator.tap` does, scrolls the page."""
    box = page.locator(f"#choose-{letter}").bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def _last(world: World, count: int) -> list[dict[str, Any]]:
    return world.rows("SELECT * FROM vote ORDER BY id DESC LIMIT :n", n=count)


def test_a_page_from_right_to_left_leaves_mathematics_as_it_is(
    browser: Browser, world: World, brief: Study
) -> None:
    with volunteer(browser) as page:
        begun(page, world, brief)
        before = _places(page)
        page.evaluate("document.documentElement.dir = 'rtl'")
        idle(page)
        fits(page)
        assert _places(page) == before
        directions = page.locator(".formula, .drawings").evaluate_all(
            "all => all.map(e => [getComputedStyle(e).direction, e.getAttribute('translate')])"
        )
        assert directions and all(each == ["ltr", "no"] for each in directions)
        assert violations(page) == []


def _places(page: Page) -> list[list[float]]:
    """Where the letters of both formulas and the labels of the plot lie in their drawings."""
    places: list[list[float]] = page.evaluate(
        """() => [...document.querySelectorAll('.formula, .drawings')].flatMap(box => {
          const wide = each => each.getBoundingClientRect().width;
          const drawing = [...box.querySelectorAll('svg')].find(wide);
          const left = drawing.getBoundingClientRect().left;
          return [...drawing.querySelectorAll('use, text')].map(each => {
            const {left: x, width} = each.getBoundingClientRect();
            return [Math.round(x - left), Math.round(width)];
          });
        })"""
    )
    assert places
    return places


@dear(2)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_with_forced_colours_both_curves_are_drawn_and_told_apart(
    browser: Browser, world: World, scheme: Scheme
) -> None:
    curves = next(ballot for _, ballot in every_ballot(world) if ballot.kind == "curve")
    with profile(browser) as context:
        page = window(context, 390, 844)
        page.emulate_media(forced_colors="active", color_scheme=scheme)
        show(page, curves)
        inks = {
            name: page.locator(name).last.evaluate(
                "e => [getComputedStyle(e).stroke, getComputedStyle(e).strokeDasharray,"
                " getComputedStyle(e).strokeWidth].join()"
            )
            for name in (".plot .curve-a", ".plot .curve-b", ".swatch .curve-a", ".swatch .curve-b")
        }
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        for place in (".plot", ".swatch"):
            a, b = inks[f"{place} .curve-a"], inks[f"{place} .curve-b"]
            assert a != b
            assert not a.startswith((ground, "none")) and not b.startswith((ground, "none"))
        assert violations(page) == []


@dear(2)
@pytest.mark.parametrize("percent", [100, 200, 400])
def test_axe_finds_nothing_at_any_zoom_light_dark_and_without_motion(
    browser: Browser, world: World, brief: Study, percent: int
) -> None:
    with volunteer(browser, phone=False) as page:
        width, height = 1280 * 100 // percent, 1024 * 100 // percent
        page.set_viewport_size({"width": width, "height": height})
        visit(page, world.link(brief))
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
        fits(page)
        agree(page)
        assert violations(page) == []
        fits(page)
        start(page)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
        fits(page)
        moving = "document.getAnimations().filter(a => a.effect.getTiming().duration > 0).length"
        assert page.evaluate(moving) == 0
