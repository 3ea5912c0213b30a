"""A real study on a real file, with a server on it and volunteers in browsers."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import text

from db import SqlStore, open_database
from study.clock import SystemChance, SystemClock
from study.demo import demo_pool_path, demo_problems
from study.design import StudyDesign
from study.links import token_hash
from study.matching import MatchingRules
from study.material import Column, Member, NewPair, Problem, Study
from study.organising import OrganiserService
from study.pairing import match_study, read_upload
from study.rating import RatingService
from tests.e2e.browser import eventually, free_port, running_server
from tests.e2e.profiles import profile, window
from tests.kept import making_once, once

CONTACT = "study@example.org"
MARKED_METHOD = "zebrafinch"
FIRST_ROW = 918_000_000
FIRST_EIC = 61_001_234_567.5
EIC_STEP = 10_000_000
"""Marked rows and EICs lie where no number of a ballot does, and have 9 and 11 digits: the groups
of a random UUID have 4, 8 or 12, and one in forty groups of 8 is all digits."""
SMALL = 8
"""Pairs of a study of few ballots: each is drawn when it is frozen."""

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def demo_material() -> tuple[Problem, ...]:
    """The demo's problems, as a study takes them."""
    return tuple(
        Problem(
            p.name,
            p.path.read_text(encoding="utf-8"),
            p.title,
            p.description,
            tuple(Column(c.name, c.unit, c.meaning) for c in (*p.inputs, p.target)),
        )
        for p in demo_problems()
    )


def _marked(pair: NewPair, number: int) -> NewPair:
    """The same pair, with methods, pool rows and EICs that could come from nowhere else."""

    def mark(member: Member, place: int) -> Member:
        return replace(
            member,
            method=f"{member.method} {MARKED_METHOD}",
            row=FIRST_ROW + place,
            eic=FIRST_EIC + EIC_STEP * place,
        )

    return replace(
        pair, lower=mark(pair.lower, 2 * number), higher=mark(pair.higher, 2 * number + 1)
    )


def matched(
    organiser: OrganiserService,
    name: str,
    design: StudyDesign,
    problems: tuple[Problem, ...] = (),
    pool: tuple[str, bytes] | None = None,
) -> Study:
    """A draft with pairs of these problems and this file of formulas, or of the demo's."""
    path, problems = demo_pool_path(), problems or demo_material()
    study = organiser.create(name, design)
    organiser.set_problems(study.id, problems)
    upload = read_upload(*(pool or (path.name, path.read_bytes())), problems, jobs=1)
    organiser.set_pool(study.id, upload.pool)
    match_study(organiser, study.id, MatchingRules())
    return study


@making_once()
def _made(every: int, frozen: bool, design: dict[str, Any]) -> tuple[bytes, frozenset[float]]:
    """A database with one study, and the EICs of its pairs."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.sqlite3"
        store = open_database(f"sqlite:///{file}")
        organiser = OrganiserService(store, SystemClock(), SystemChance())
        study = matched(organiser, "Demo", StudyDesign(contact=CONTACT, **design))
        pairs = organiser.pairs(study.id)[::every]
        organiser.set_pairs(
            study.id, [_marked(pair.pair, number) for number, pair in enumerate(pairs)]
        )
        if frozen:
            organiser.freeze(study.id)
        store.dispose()
        eics = frozenset(m.eic for p in pairs for m in (p.pair.lower, p.pair.higher))
        return file.read_bytes(), eics


@dataclass
class World:
    """A database with an open study, and the address of its server."""

    file: Path
    port: int
    store: SqlStore
    organiser: OrganiserService
    rating: RatingService
    study: Study
    true_eics: frozenset[float]

    @classmethod
    def at(cls, folder: Path, *, every: int = 1, frozen: bool = True, **design: Any) -> World:
        """Make the demo's problems, pool and pairs, or one pair of `every`, into an open study.

        One that is not `frozen` stays a draft.
        """
        file, port = folder / "study.sqlite3", free_port()
        content, eics = once(
            "world",
            every,
            frozen,
            sorted(design.items()),
            make=lambda: _made(every, frozen, design),
        )
        file.write_bytes(content)
        store = open_database(f"sqlite:///{file}")
        organiser = OrganiserService(store, SystemClock(), SystemChance())
        rating = RatingService(store, SystemClock(), SystemChance(), min_view_seconds=0)
        (study,) = organiser.studies()
        here = replace(study.design, public_base_url=f"http://127.0.0.1:{port}")
        study = organiser.edit(study.id, design=here, based_on=study.design)
        return cls(file, port, store, organiser, rating, study, eics)

    @making_once()
    def another(self, **design: Any) -> Study:
        """A second open study in the same database, small, with other settings."""
        made = replace(self.study.design, **design)
        study = self.organiser.create(f"Study {len(self.organiser.studies()) + 1}", made)
        self.organiser.set_problems(study.id, self.organiser.problems(self.study.id))
        pairs = [p.pair for p in self.organiser.pairs(self.study.id)]
        self.organiser.set_pairs(study.id, pairs[:: len(pairs) // SMALL])
        return self.organiser.freeze(study.id)

    @contextlib.contextmanager
    def serving(self, processes: list[int] | None = None) -> Iterator[str]:
        """A server on this database, at the address that links begin with."""
        with running_server(database=self.file, port=self.port, processes=processes) as address:
            yield address

    def link(self, study: Study | None = None) -> str:
        """A fresh personal link."""
        made = self.organiser.invitations.invite((study or self.study).id, [""])
        return made[0].link

    def rows(self, query: str, **values: Any) -> list[dict[str, Any]]:
        """Read the database."""
        with self.store.engine.connect() as connection:
            return [dict(row) for row in connection.execute(text(query), values).mappings()]

    def ballots(self, link: str) -> list[dict[str, Any]]:
        """The ballots of a link's rater, in order of being shown, votes beside them."""
        return self.rows(
            "SELECT a.*, v.choice, v.reason, pair.kind FROM assignment a"
            " JOIN rater ON rater.id = a.rater_id JOIN pair ON pair.id = a.pair_id"
            " LEFT JOIN vote v ON v.assignment_id = a.id AND v.undone_at IS NULL"
            " WHERE rater.token_hash = :hash ORDER BY a.id",
            hash=token_hash(token_of(link)),
        )

    def votes(self, link: str) -> list[dict[str, Any]]:
        """The votes of a link's rater, the practice left out."""
        return [b for b in self.ballots(link) if b["choice"] and b["kind"] != "practice"]


def token_of(link: str) -> str:
    """The token in a link."""
    return link.partition("t=")[2]


def moment(value: Any) -> datetime:
    """A time as the database has it."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))


@contextlib.contextmanager
def volunteer(browser: Browser, *, phone: bool = True, motion: bool = False) -> Iterator[Page]:
    """Somebody with a browser of their own."""
    width, height = (390, 844) if phone else (1400, 900)
    with profile(browser, phone=phone) as context:
        yield window(context, width, height, motion=motion)


def stage(page: Page, *names: str) -> Locator:
    """What a page of one of these stages shows."""
    return page.locator(", ".join(f"main[data-stage={name}]" for name in names))


def idle(page: Page) -> None:
    """Wait until no press is under way."""
    expect(page.locator("html:not([data-busy]) main")).to_be_visible()


def visit(page: Page, link: str) -> None:
    """Open a link."""
    page.goto(link)
    expect(page.locator("main h1")).to_be_visible()


def fits(page: Page) -> None:
    """Nothing is wider than the window."""
    eventually(page, lambda: page.evaluate(OVERFLOW), lambda wider: wider <= 0)


def agree(page: Page) -> None:
    """Fill in the consent form, and agree."""
    page.get_by_label("Your highest degree").select_option("Doctorate")
    page.get_by_label("Your field of study or work").fill("Physics")
    page.locator("#agree").click()
    expect(stage(page, "welcome")).to_be_visible()


def start(page: Page) -> None:
    """From the welcome page to the first ballot that counts."""
    page.locator("#start").click()
    expect(stage(page, "practice", "rating")).to_be_visible()
    if stage(page, "practice").count():
        answer(page, "A")
        understand(page)
    expect(page.get_by_text("Ballot 1 of")).to_be_visible()


def understand(page: Page) -> None:
    """After the practice: say what should decide, and go on."""
    expect(stage(page, "practised")).to_be_visible()
    page.locator("#check button[value=yes]").click()
    page.locator("#start").click()


def begun(page: Page, world: World, study: Study | None = None) -> str:
    """A volunteer on the first ballot; the link."""
    link = world.link(study)
    visit(page, link)
    agree(page)
    start(page)
    return link


def current(page: Page) -> str:
    """The token of the ballot on the screen."""
    return page.locator("#answer").get_attribute("data-ballot") or ""


def scroll_through(page: Page, *, sideways: bool = True) -> None:
    """Bring all of the plot and, if `sideways`, of the formulas into view, then the page's top."""
    page.evaluate(_THROUGH, sideways)


def look(page: Page, seconds: float = 1.1) -> None:
    """Look at all of a ballot, and for so long from the moment on that its clock runs."""
    idle(page)
    expect(page.locator("#answer[data-ballot]")).to_be_visible()
    scroll_through(page)
    page.wait_for_timeout(1000 * seconds)


def answer(page: Page, letter: str = "A") -> None:
    """Look for a second, choose, and wait until the page has moved on."""
    look(page)
    before = current(page)
    page.locator(f"#choose-{letter}").click()
    expect(page.locator(f"[data-ballot='{before}']")).to_have_count(0)
    idle(page)


_THROUGH = """async sideways => {
  const frames = left => new Promise(done => {
    const next = () => left-- ? requestAnimationFrame(next) : done();
    next();
  });
  await frames(3);
  for (const box of document.querySelectorAll('.formula, .drawings'))
    for (const block of ['start', 'center', 'end']) {
      box.scrollIntoView({block, behavior: 'instant'});
      await frames(2);
      const moves = sideways || box.className === 'drawings';
      for (let left = 0; moves && left < box.scrollWidth; left += box.clientWidth / 2) {
        box.scrollTo({left, behavior: 'instant'});
        await frames(2);
      }
      box.scrollTo({left: 0, behavior: 'instant'});
    }
  scrollTo({top: 0, behavior: 'instant'});
  await frames(2);
}"""
"""What was in view is known after a frame."""
