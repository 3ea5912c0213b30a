"""Photograph the results of studies."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Page

from study.material import Study
from tests.e2e.browser import free_port, running_server
from tests.e2e.organiser import ready
from tests.e2e.results_world import ResultsWorld, agreed
from tools.screenshots.album import Act, Album, State


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
    looked = w.opened("Looked at", address)
    w.rate(looked, 20)
    w.organiser.early.look(looked.id, confirmed=looked.name, after=0)
    w.rate(looked, 2, seed=9)

    def report(study: Study, more: str = "") -> str:
        return f"/organise?study={study.id}&step=report{more}"

    return {
        "full": State(report(full)),
        "full-these": State(report(full, "&about=these"), _open("Numbers")),
        "paper": State(report(full, "&part=paper")),
        "agreement": State(report(full, "&part=agreement")),
        "threats": State(report(full, "&part=threats")),
        "threats-open": State(report(full, "&part=threats"), _details),
        "pairs": State(report(full, "&part=pairs")),
        "pair": State(report(full, f"&part=pairs&pair={pair}"), _open("The ballot, with")),
        "no-such-pair": State(report(full, "&part=pairs&pair=p999")),
        "study": State(report(full, "&part=study")),
        "empty": State(report(empty)),
        "empty-threats": State(report(empty, "&part=threats"), _details),
        "unanimous": State(report(unanimous)),
        "unanimous-threats": State(report(unanimous, "&part=threats")),
        "small": State(report(small)),
        "open": State(report(shut), _look),
        "open-live": State(f"/organise?study={shut.id}&step=live"),
        "looked": State(report(looked)),
    }


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    with tempfile.TemporaryDirectory(prefix="eic-lab-pictures-") as base:
        file, port = Path(base) / "results.sqlite3", free_port()
        world = ResultsWorld.at(file)
        states = states_of(world, f"http://127.0.0.1:{port}")
        world.store.dispose()
        with running_server(demo=True, database=file, port=port) as address:
            pictures.take(address, states, ready, "results-")
