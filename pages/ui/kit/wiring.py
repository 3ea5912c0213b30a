"""The composition root: the one place where services are built and the environment is read.

A process serves one database.  `DATABASE_URL` says which (SQLAlchemy's form; default: a file in
``var/``).  `EIC_LAB_DEMO=1` makes it a demo: no passphrase, no real invitations, and a database of
its own (`EIC_LAB_DEMO_DATABASE_URL`), never the one of `DATABASE_URL`.  `EIC_LAB_WORKERS` is the
number of processes for heavy work.
"""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import BoundedSemaphore, RLock
from typing import TypeVar

from db import DEFAULT_URL, DEMO_URL, SqlStore, open_database
from pages.ui.kit.caches import BoundedCache, Parcels
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectorService
from pages.ui.kit.jobs import Jobs
from pages.ui.kit.workers import InThread, WorkerPool, Workers
from study.access import AccessService
from study.clock import SystemChance, SystemClock
from study.errors import DesignError
from study.model_raters.endpoint import ChatEndpoint, check_address, is_on_this_machine
from study.model_raters.service import ModelRaters
from study.organising import OrganiserService
from study.rating import RatingService

T = TypeVar("T")
log = logging.getLogger(__name__)

WORKERS = min(4, (os.cpu_count() or 1) + 1)
"""Processes for heavy work: they stand behind the pages in line, so one more than there are cores
does no harm, and one is free where the others are at something long."""

_lock = RLock()
_built: dict[str, object] = {}


@dataclass(frozen=True)
class Settings:
    """What the environment says.

    >>> Settings.of({"DATABASE_URL": "sqlite:///x.sqlite3", "EIC_LAB_WORKERS": "4"})
    Settings(database_url='sqlite:///x.sqlite3', demo=False, workers=4)
    >>> Settings.of({"EIC_LAB_DEMO": "1", "DATABASE_URL": "sqlite:///x.sqlite3"}).database_url
    'sqlite:///var/eic_lab_demo.sqlite3'
    """

    database_url: str = DEFAULT_URL
    demo: bool = False
    workers: int = WORKERS  # Processes for heavy work; 0 for none
    # ``EIC_LAB_MODEL_URL``: the endpoint beside this machine's own that the page may ask; ""
    model_url: str = field(default="", repr=False)
    # ``EIC_LAB_MODEL_KEY``, sent to that address alone
    model_key: str = field(default="", repr=False)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Settings:
        """Read an environment; a demo never opens the database of real studies."""
        asked = environment.get("EIC_LAB_WORKERS", "")
        more = (
            int(asked) if asked.isdecimal() else WORKERS,
            environment.get("EIC_LAB_MODEL_URL", ""),
            environment.get("EIC_LAB_MODEL_KEY", ""),
        )
        if environment.get("EIC_LAB_DEMO", "") not in ("", "0"):
            return cls(environment.get("EIC_LAB_DEMO_DATABASE_URL", "") or DEMO_URL, True, *more)
        return cls(environment.get("DATABASE_URL", "") or DEFAULT_URL, False, *more)


class Lab:
    """The services over one database."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock = SystemClock()
        self.chance = SystemChance()
        self.store: SqlStore = open_database(settings.database_url)

    @property
    def demo(self) -> bool:
        """Whether this is a demo."""
        return self.settings.demo

    def has_passphrase(self) -> bool:
        """Whether a passphrase guards this database: then it is no demo's."""
        with self.store.reading() as tx:
            return tx.access.passphrase_hash() is not None

    @cached_property
    def rating(self) -> RatingService:
        """What the rating page calls."""
        return RatingService(self.store, self.clock, self.chance)

    @cached_property
    def organising(self) -> OrganiserService:
        """What the organiser's pages call."""
        return OrganiserService(self.store, self.clock, self.chance, demo=self.demo)

    @cached_property
    def models(self) -> ModelRaters:
        """Models that are asked what raters are asked."""
        return ModelRaters(self.store, self.clock)

    def endpoint(self, base_url: str) -> ChatEndpoint:
        """An endpoint that the page may ask: of this machine, or the one of the environment.

        Raises `DesignError` if it is another: a page does not make the server talk to whatever
        address it is given.
        """
        wanted, own = check_address(base_url), self.settings.model_url.rstrip("/")
        if wanted == own:
            return ChatEndpoint(wanted, self.settings.model_key)
        if is_on_this_machine(wanted):
            return ChatEndpoint(wanted)
        raise DesignError(
            "this page asks endpoints on this machine, and the one that EIC_LAB_MODEL_URL names",
            field="base_url",
            hint="start the app with that address, or use `python -m db ask`",
        )

    @cached_property
    def access(self) -> AccessService:
        """Who may organise."""
        return AccessService(self.store, self.clock, self.chance, demo=self.demo)


def _build_once(name: str, make: Callable[[], T]) -> T:
    """Built once for the process, whoever asks first."""
    with _lock:
        if name not in _built:
            _built[name] = make()
        value: T = _built[name]  # type: ignore[assignment]
        return value


def lab() -> Lab:
    """The services of this process; opens (and migrates) the database when first asked."""
    return _build_once("lab", lambda: Lab(Settings.of(os.environ)))


def rating_service() -> RatingService:
    """The service behind the rating page, one for the process."""
    return lab().rating


def stopwatch() -> Callable[[], float]:
    """The seconds by which work is cut short."""
    return _build_once("stopwatch", lambda: time.monotonic)


def start_workers(count: int) -> None:
    """Start the processes for heavy work; without them (or with 0) threads of this one do it."""
    made: Workers = InThread()
    if count:
        try:
            made = WorkerPool(count)
        except OSError:
            log.exception("heavy work goes on in the process of the pages")
    with _lock:
        _built["workers"] = made


def stop_workers() -> None:
    """End the processes for heavy work."""
    with _lock:
        found = _built.pop("workers", None)
    if isinstance(found, WorkerPool):
        found.close()


def workers() -> Workers:
    """Where heavy work is done: in this process, unless `start_workers` was called."""
    return _build_once("workers", InThread)


def inspector_service() -> InspectorService:
    """The service behind the inspector, one for the process."""
    return _build_once("inspector", lambda: InspectorService(clock=stopwatch(), workers=workers()))


def diagnosis_service() -> DiagnosisService:
    """The service behind the inspector's questions, one for the process."""
    return _build_once("diagnosis", lambda: DiagnosisService(clock=stopwatch(), workers=workers()))


def diagnosis_slots() -> BoundedSemaphore:
    """As many diagnoses as may be computed at once; the others wait for a slot."""
    return _build_once("diagnosis slots", lambda: BoundedSemaphore(2))


def finishing_slots() -> BoundedSemaphore:
    """As many answers as may be finished without a limit at once; the others wait for a slot."""
    return _build_once("finishing slots", lambda: BoundedSemaphore(2))


def figure_cache() -> BoundedCache:
    """Finished figures by value, one for the process; holds a few hundred."""
    return _build_once("figures", lambda: BoundedCache(capacity=300))


def ballot_plots() -> BoundedCache:
    """The pictures of ballots as browsers get them, some 30 KB each; one for the process."""
    return _build_once("ballot plots", lambda: BoundedCache(capacity=1500))


def draft_cache() -> BoundedCache:
    """What drafts are made of, by their version; the latest few."""
    return _build_once("drafts", lambda: BoundedCache(capacity=12))


def jobs() -> Jobs:
    """Work that goes on beside the pages, one list for the process."""
    return _build_once("jobs", Jobs)


def scoring_slots() -> BoundedSemaphore:
    """As many lists as may be scored at once; the others wait for a slot."""
    return _build_once("scoring slots", lambda: BoundedSemaphore(2))


def parcels() -> Parcels:
    """Files that wait to be fetched, one shelf for the process."""
    return _build_once("parcels", Parcels)


def form_key() -> str:
    """What the forms of visitors without a login are signed with; new at each start."""
    return _build_once("form key", lambda: secrets.token_hex(32))
