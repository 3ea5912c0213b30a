"""What the tests of the organiser's pages share: a server with a passphrase, and small files."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, expect

from db import open_database
from study.clock import SystemChance, SystemClock
from study.demo import demo_candidates, demo_problems
from study.demo.seeding import problems_of_demo
from study.design import StudyDesign
from study.organising import OrganiserService
from tests.e2e.browser import PATIENCE
from tests.e2e.rating_world import matched
from tests.kept import making_once

PASSPHRASE = "correct horse battery"
SLUGS = {"Pairs": "(pairs|preview)", "Turnout": "live"}
PROBLEMS = ("kepler", "spring", "coffee")


def ready(page: Page) -> None:
    """Wait until the page is connected and no script is running."""
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for(
        timeout=PATIENCE
    )
    expect(page.locator("[data-testid='stSkeleton']")).to_have_count(0)


def setup_link(log: Path) -> str:
    """The one-time link that the server printed."""
    for _ in range(6000):
        found = re.search(r"http\S+/organise\?setup=\S+", log.read_text(errors="replace"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError("no set-up link was printed")


def log_in(page: Page, passphrase: str = PASSPHRASE) -> None:
    """At the door: give the passphrase."""
    page.locator("input[name=passphrase]").fill(passphrase)
    page.get_by_role("button", name="Log in").click()
    ready(page)


def problem_files() -> list[FilePayload]:
    """Tables of three problems."""
    return [
        {"name": f"{p.name}.csv", "mimeType": "text/csv", "buffer": p.path.read_bytes()}
        for p in demo_problems()
        if p.name in PROBLEMS
    ]


def pool_file() -> FilePayload:
    """An unscored pool for them, one row of which no parser reads."""
    lines = ["problem,method,syntax,formula"]
    for name in PROBLEMS:
        of_problem = [c for c in demo_candidates() if c.problem == name]
        step = max(1, len(of_problem) // 60)
        lines += [f'{name},{c.method},{c.syntax},"{c.formula}"' for c in of_problem[::step]]
    lines.append('kepler,hand,,"<img src=x onerror=alert(1)>"')
    text = "\n".join(lines) + "\n"
    return {"name": "pool.csv", "mimeType": "text/csv", "buffer": text.encode()}


def begin(page: Page, name: str) -> None:
    """From the list of studies: a new draft."""
    page.get_by_label("Name, for organisers only").fill(name)
    page.get_by_label("Name, for organisers only").press("Tab")
    page.get_by_role("button", name="Begin a draft").click()
    expect(page.locator("h1.eic-title")).to_contain_text(name)


def step(page: Page, name: str) -> None:
    """Go to a step of the study."""
    ready(page)  # while a page is drawn anew, a control may stand there twice
    radio = page.locator(".st-key-steps").get_by_role("radio", name=re.compile(name))
    radio.click()
    ready(page)
    # The one from before may stand there for a while on a busy machine.
    expect(radio.first).to_be_checked()
    expect(page).to_have_url(re.compile(f"step={SLUGS.get(name, name.lower())}"))
    ready(page)


def to_pool(page: Page) -> None:
    """From the problems to the pool."""
    page.get_by_role("button", name="Next: the pool").click()
    expect(page.get_by_role("heading", name="Upload a pool")).to_be_visible()
    ready(page)


def sure(page: Page) -> None:
    """At the last step: freeze."""
    freeze = page.get_by_role("button", name="Freeze and open the study")
    page.get_by_text("I have looked at the pairs").click()
    expect(freeze).to_be_enabled()
    freeze.click()
    expect(page.get_by_text("The study is open. Its hash is")).to_be_visible()


def bring_material(page: Page) -> None:
    """Problems, pool and pairs of a new draft."""
    page.locator("input[type=file]").set_input_files(problem_files())
    expect(page.get_by_text("3 problems added.")).to_be_visible()
    to_pool(page)
    page.locator("input[type=file]").set_input_files(pool_file())
    expect(page.get_by_text("formulas scored here")).to_be_visible()
    page.get_by_role("button", name="Next: pairs").click()
    page.get_by_role("button", name="Match", exact=True).click()
    expect(page.get_by_text("What became of the formulas")).to_be_visible()


def fill(page: Page, label: str, text: str) -> Locator:
    """Type into a field and leave it, which saves it."""
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Tab")
    return field


def archive(page: Page) -> Path:
    """Export all of a report as a ZIP, which takes as long as all its figures take to draw."""
    with page.expect_download(timeout=6 * PATIENCE) as download:
        page.get_by_role("button", name="Export as ZIP").click()
        expect(
            page.get_by_text("Making the ZIP").or_(page.get_by_text("The ZIP is ready")).first
        ).to_be_visible()
    return download.value.path()


@contextlib.contextmanager
def _services(database: Path) -> Iterator[OrganiserService]:
    """The organiser's services in this process, on the server's database."""
    store = open_database(f"sqlite:///{database}")
    yield OrganiserService(store, SystemClock(), SystemChance())
    store.dispose()


def close_study(database: Path, study: int) -> None:
    """Close a study behind the back of its page."""
    with _services(database) as service:
        service.close(study)


def begin_study(database: Path, name: str) -> int:
    """An empty draft; its number."""
    with _services(database) as service:
        return service.create(name).id


def studies(database: Path) -> list[str]:
    """The names of all studies."""
    with _services(database) as service:
        return [study.name for study in service.studies()]


def open_study(database: Path, name: str, address: str) -> int:
    """A frozen study of the same material, made by the services in this process; its number."""
    with _services(database) as service:
        return _opened(service, name, address)


@making_once()
def _opened(service: OrganiserService, name: str, address: str) -> int:
    design = StudyDesign(contact="study@example.org", ballots_per_rater=3, public_base_url=address)
    problems = tuple(p for p in problems_of_demo() if p.name in PROBLEMS)
    file = pool_file()
    study = matched(service, name, design, problems, (file["name"], file["buffer"]))
    return service.freeze(study.id).id
