"""The organiser's results in a real browser: looking early, the pairs, the files, a phone."""

from __future__ import annotations

import contextlib
import re
import zipfile
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.accessibility import violations
from tests.e2e.browser import (
    eventually,
    kept_port,
    only_safe_downloads,
    running_server,
)
from tests.e2e.organiser import archive, ready
from tests.e2e.profiles import Scheme, profile, window

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page, expect

from pages.ui.organising.report import PARTS
from study.material import Study
from tests.e2e.results_world import ResultsWorld
from tests.effort import cases, twin

pytestmark = pytest.mark.e2e
Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ResultsWorld, str, Study]]:
    """A closed study with votes, and a demo's server on its database."""
    file = tmp_path_factory.mktemp("results") / "results.sqlite3"
    world = ResultsWorld.at(file)
    with kept_port() as port:
        where, every = f"http://127.0.0.1:{port}", cases(4, 1)
        study = world.opened("Closed", where, every, attention_checks=1)
        world.rate(study, 24)
        world.organiser.close(study.id)
        with running_server(demo=True, database=file, port=port) as address:
            yield world, address, world.organiser.study(study.id)
    world.store.dispose()


@pytest.fixture
def go(browser: Browser, results: tuple[ResultsWorld, str, Study]) -> Iterator[Visit]:
    """Open a page of a study as its organiser, in a profile of its own."""
    with contextlib.ExitStack() as organisers:

        def open_page(
            study: Study, more: str = "", width: int = 1400, scheme: Scheme = "light"
        ) -> Page:
            context = organisers.enter_context(profile(browser, phone=width < 500))
            page = window(context, width, 900, scheme)
            page.goto(f"{results[1]}/organise?study={study.id}&step=report{more}")
            ready(page)
            return page

        yield open_page


def test_the_first_screen_has_a_sentence_a_figure_a_few_lines_and_the_flow(
    results: tuple[ResultsWorld, str, Study], go: Visit
) -> None:
    page = go(results[2])
    expect(page.locator(".eic-sentence")).to_contain_text("people preferred the formula")
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(page.get_by_text("people, Yu et al.")).to_be_visible()
    expect(page.get_by_text(re.compile("etween formulas that look alike"))).to_be_visible()
    expect(page.locator(".eic-flow")).to_contain_text("24 invited by personal links → 24 consented")
    expect(page.get_by_text("p, two-sided")).to_have_count(0)
    page.get_by_text("Numbers", exact=True).click()
    tip = page.locator(".eic-term", has_text="p, two-sided")
    expect(tip.locator(".eic-tip")).to_be_hidden()
    tip.focus()
    expect(tip.locator(".eic-tip")).to_be_visible()

    # a figure as a file
    part = page.locator(".st-key-report-parts").get_by_role("radio", name=re.compile("^Agreement$"))
    part.click()
    expect(page).to_have_url(re.compile("part=agreement"))
    with page.expect_download() as download:
        page.locator("[class*='st-key-files-']").get_by_role("button", name="SVG").first.click()
    assert b"<svg" in download.value.path().read_bytes()
    page.go_back()
    expect(page.get_by_text("people preferred")).to_be_visible()

    # a table offers no file of its own
    page.locator(".st-key-report-parts").get_by_role(
        "radio", name=PARTS["pairs"], exact=True
    ).click()
    page.locator("[data-testid='stDataFrame']").hover()
    only_safe_downloads(page)


@twin("pages/test_results_page.py::test_a_pair_shows_its_votes_and_a_pair_that_is_none_says_so")
def test_from_the_table_to_a_pair_to_the_inspector_and_back(
    results: tuple[ResultsWorld, str, Study], go: Visit
) -> None:
    world, _, study = results
    page = go(study, "&part=pairs")
    expect(page.get_by_text(re.compile(r"\d+ of \d+ pairs"))).to_be_visible()
    page.get_by_label("Formula or pair contains").fill("p002")
    page.get_by_label("Formula or pair contains").press("Enter")
    expect(page.get_by_text(re.compile(r"^1 of \d+ pairs"))).to_be_visible()
    ready(page)
    table = page.locator("[data-testid='stDataFrame']")
    table.click(position={"x": 30, "y": 52})
    expect(page).to_have_url(re.compile("pair=p002"))
    expect(page.get_by_role("heading", name="p002")).to_be_visible()
    pair = next(p for p in world.organiser.pairs(study.id) if p.name == "p002")
    expect(page.locator(".st-key-drill-lower .katex").first).to_be_visible()
    page.locator(".st-key-drill-higher").get_by_text("Open in the inspector").click()
    area = page.locator(".st-key-formula_text textarea")
    expect(area).to_have_value(pair.pair.higher.formula)
    ready(page)
    expect(page.get_by_text("a guess")).to_have_count(0)  # every range is given
    expect(page).to_have_url(re.compile("range="))
    page.go_back()
    expect(page.get_by_role("heading", name="p002")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="p003")).to_be_visible()
    page.get_by_role("button", name="All pairs").click()
    expect(page.get_by_text(re.compile(r"\d+ of \d+ pairs"))).to_be_visible()


@twin(
    "pages/test_results_page.py::test_the_archive_of_a_closed_study_is_read_again_and_holds_what_the_routes_give"
)
def test_one_click_makes_the_archive_and_saves_it(
    results: tuple[ResultsWorld, str, Study], go: Visit
) -> None:
    page = go(results[2])
    assert {"votes.csv", "report.html"} <= {*zipfile.ZipFile(archive(page)).namelist()}
    page.reload()
    ready(page)
    expect(page.get_by_text("The ZIP is ready")).to_have_count(0)  # nothing is sent unasked


def test_a_phone_shows_every_part_without_scrolling_sideways_or_a_label_on_an_interval(
    results: tuple[ResultsWorld, str, Study], go: Visit
) -> None:
    page = go(results[2], "&part=pairs&pair=p001", 390, "dark")
    nothing_sticks_out(page)
    assert violations(page) == []
    page.get_by_role("button", name="All pairs").click()
    choice = page.locator(".st-key-report-parts")
    parts = {part: name for part, name in PARTS.items() if part != "models"}  # none was asked
    expect(choice.get_by_role("radio")).to_have_count(len(parts))
    for part, name in sorted(parts.items()):  # from one that is not the first
        chosen = choice.get_by_role("radio", name=name, exact=True)
        chosen.click()
        expect(chosen).to_be_checked()
        address = re.compile(r"step=report$" if part == "result" else f"part={part}$")
        expect(page).to_have_url(address)
        nothing_sticks_out(page)
        if part == "result":
            eventually(page, lambda: page.evaluate(LABELS_APART), bool)


LABELS_APART = """() => {
  const boxes = what => [...document.querySelectorAll('.js-plotly-plot ' + what)]
    .map(each => each.getBoundingClientRect()).filter(box => box.width);
  const labels = boxes('.annotation-text'), drawn = boxes('.scatterlayer .trace');
  const apart = (a, b) => a.right <= b.left || b.right <= a.left
    || a.bottom <= b.top || b.bottom <= a.top;
  return labels.length > 3 && labels.every(a => drawn.every(b => apart(a, b))
    && labels.every(b => a === b || apart(a, b)));
}"""
"""No label lies on an interval or on another label."""


def nothing_sticks_out(page: Page) -> None:
    """No element of the page reaches beyond a phone's edge, where it does not scroll by itself."""
    ready(page)
    expect(page.locator(".st-key-steps")).to_be_visible()
    expect(page.locator("[data-testid=stPlotlyChart]:not(:has(.main-svg))")).to_have_count(0)
    sticking_out = (
        "[...document.querySelectorAll('[data-testid=stMain] *')]"
        ".filter(e => e.getBoundingClientRect().right > 391 && !e.closest("
        "'.eic-table-box, .katex-display, .js-plotly-plot, [data-testid=stDataFrame],"
        " [class*=formula], .st-key-report-parts, .st-key-steps, .eic-tip'))"
        ".map(e => e.className.toString().slice(0, 60))"
    )
    eventually(page, lambda: page.evaluate(sticking_out), lambda found: found == [])
    width = "document.documentElement.scrollWidth"
    eventually(page, lambda: page.evaluate(width), lambda wide: wide <= 391)
