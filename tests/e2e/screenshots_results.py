"""Photograph the results, and the doors that volunteers find closed: part of `make screenshots`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from study.inviting import NewInvitation
from study.material import Study
from tests.e2e.browser import find_chromium, free_port, running_browser, running_server
from tests.e2e.organiser import ready
from tests.e2e.results_world import ResultsWorld, agreed
from tests.e2e.screenshots import PHONE_AGENT, SCHEMES, WIDTHS

Act = Callable[[Page], None]


@dataclass(frozen=True)
class State:
    """An address, what to do there, and whether a visitor or the organiser is shown it."""

    path: str
    act: Act


def _nothing(page: Page) -> None:
    del page


def _open(name: str) -> Act:
    def act(page: Page) -> None:
        page.get_by_text(name, exact=False).first.click()
        ready(page)

    return act


def _details(page: Page) -> None:
    for summary in page.locator("[data-testid='stExpander'] > details > summary").all()[:3]:
        summary.click()
        ready(page)


def _look(page: Page) -> None:
    page.get_by_text("Look before the end…").click()
    page.get_by_label("To confirm").fill("not the name")
    page.get_by_role("button", name="Look now").click()
    ready(page)


def states_of(world: ResultsWorld, address: str) -> dict[str, State]:
    """Every state, on studies that are made for it."""
    w = world
    full = w.opened("Full", address, attention_checks=2)
    w.rate(full, 60)
    voted = w.organiser.monitor.live(full.id).pairs
    pair = max(voted, key=lambda p: p.votes).name
    revoked, closed = (_link(w, full) for _ in range(2))
    w.organiser.invitations.revoke(full.id, revoked.id)
    w.organiser.close(full.id)
    empty = w.opened("Empty", address)
    w.organiser.close(empty.id)
    unanimous = w.opened("Unanimous", address)
    w.rate(unanimous, 14, preference=agreed)
    w.organiser.close(unanimous.id)
    small = w.opened("Small", address)
    w.rate(small, 4)
    w.organiser.close(small.id)
    shut = w.opened("Open", address, attention_checks=2)
    w.rate(shut, 12)
    taken = w.organiser.invitations.open_link(shut.id, 1)
    w.rating.consent(taken.link.partition("t=")[2], degree="Doctorate", field="Physics")
    looked = w.opened("Looked at", address)
    w.rate(looked, 20)
    w.organiser.early.look(looked.id, confirmed=looked.name, after=0)
    w.rate(looked, 2, seed=9)

    def report(study: Study, more: str = "") -> str:
        return f"/organise?study={study.id}&step=report{more}"

    def rate(made: NewInvitation) -> str:
        return f"/rate?{made.link.partition('?')[2]}"

    return {
        "full": State(report(full), _nothing),
        "full-these": State(report(full, "&about=these"), _open("How the interval")),
        "paper": State(report(full, "&part=paper"), _nothing),
        "agreement": State(report(full, "&part=agreement"), _nothing),
        "threats": State(report(full, "&part=threats"), _nothing),
        "threats-open": State(report(full, "&part=threats"), _details),
        "pairs": State(report(full, "&part=pairs"), _nothing),
        "pair": State(report(full, f"&part=pairs&pair={pair}"), _open("The ballot, with")),
        "no-such-pair": State(report(full, "&part=pairs&pair=p999"), _nothing),
        "study": State(report(full, "&part=study"), _nothing),
        "empty": State(report(empty), _nothing),
        "empty-threats": State(report(empty, "&part=threats"), _details),
        "unanimous": State(report(unanimous), _nothing),
        "unanimous-threats": State(report(unanimous, "&part=threats"), _nothing),
        "small": State(report(small), _nothing),
        "open": State(report(shut), _look),
        "open-live": State(f"/organise?study={shut.id}&step=live", _nothing),
        "looked": State(report(looked), _nothing),
        "rate-revoked": State(rate(revoked), _nothing),
        "rate-closed": State(rate(closed), _nothing),
        "rate-full": State(rate(taken), _nothing),
    }


def _link(world: ResultsWorld, study: Study) -> NewInvitation:
    return world.organiser.invitations.invite(study.id, [""])[0]


def main(folder: str, *only: str) -> None:
    """Take all pictures, or those of the states named."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    executable = find_chromium()
    if executable is None:
        raise SystemExit("Chromium was not found")
    with tempfile.TemporaryDirectory(prefix="eic-lab-pictures-") as base:
        file, port = Path(base) / "results.sqlite3", free_port()
        world = ResultsWorld.at(file)
        states = states_of(world, f"http://127.0.0.1:{port}")
        world.store.dispose()
        with (
            running_browser(executable) as browser,
            running_server(demo=True, database=file, port=port) as address,
        ):
            for width in WIDTHS:
                for scheme in SCHEMES:
                    for name, state in states.items():
                        if not only or name in only:
                            path = out / f"results-{name}-{width}-{scheme}.png"
                            _take(browser, f"{address}{state.path}", state.act, path)


def _take(browser: Browser, url: str, act: Act, path: Path) -> None:
    _, width_name, scheme = path.stem.rsplit("-", 2)
    width = WIDTHS[width_name]
    context = browser.new_context(
        viewport=ViewportSize(width=width, height=900),
        color_scheme=scheme,  # type: ignore[arg-type]
        user_agent=PHONE_AGENT if width < 500 else None,
    )
    page = context.new_page()
    page.goto(url)
    ready(page)
    act(page)
    page.wait_for_timeout(1200)
    height = page.evaluate(
        "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
    )
    page.set_viewport_size(ViewportSize(width=width, height=min(6000, max(500, height + 40))))
    page.wait_for_timeout(500)
    page.screenshot(path=str(path))
    print(path)
    context.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
