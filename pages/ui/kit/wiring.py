"""The composition root: here alone services are built and the environment is read.

A process serves one database: `DATABASE_URL` (SQLAlchemy's form; default: a file in ``var/``).
`EIC_LAB_DEMO=1` makes it a demo with a database of its own (`EIC_LAB_DEMO_DATABASE_URL`), never the
one of `DATABASE_URL`; `EIC_LAB_WORKERS` is the number of processes for heavy work.
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
"""Processes for heavy work: one more than cores, for their priority is lower than the pages'."""

PRELOADED = (
    "numpy",
    "flint",
    "eic_core.pool.importers",
    "eic_core.pool.listing",
    "eic_core.pool.table_check",
    "eic_core.report",
    "pages.ui.kit.heavy:warm",
)
"""Modules that workers import before their first task; after a colon, a function to call once."""

_lock = RLock()
_built: dict[str, object] = {}


@dataclass(frozen=True)
class Settings:
    """The settings of a process, from its environment.

    >>> Settings.of({"DATABASE_URL": "sqlite:///x.sqlite3", "EIC_LAB_WORKERS": "4"})
    Settings(database_url='sqlite:///x.sqlite3', demo=False, workers=4)
    >>> Settings.of({"EIC_LAB_DEMO": "1", "DATABASE_URL": "sqlite:///x.sqlite3"}).database_url
    'sqlite:///var/eic_lab_demo.sqlite3'
    """

    database_url: str = DEFAULT_URL
    demo: bool = False  # no passphrase, no real invitations, a database of its own
    workers: int = WORKERS  # processes for heavy work; 0 for none
    # The one endpoint beyond this machine that pages may ask; its key goes to that address alone.
    model_url: str = field(default="", repr=False)
    model_key: str = field(default="", repr=False)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Settings:
        """Read an environment; a demo never opens the database of real studies."""
        count = environment.get("EIC_LAB_WORKERS", "")
        more = (
            int(count) if count.isdecimal() else WORKERS,
            environment.get("EIC_LAB_MODEL_URL", ""),
            environment.get("EIC_LAB_MODEL_KEY", ""),
        )
        if environment.get("EIC_LAB_DEMO", "") not in ("", "0"):
            return cls(environment.get("EIC_LAB_DEMO_DATABASE_URL", "") or DEMO_URL, True, *more)
        return cls(environment.get("DATABASE_URL", "") or DEFAULT_URL, False, *more)


class Lab:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock = SystemClock()
        self.chance = SystemChance()
        self.store: SqlStore = open_database(settings.database_url)

    @property
    def demo(self) -> bool:
        return self.settings.demo

    def has_passphrase(self) -> bool:
        """Whether a passphrase guards this database: it is then no demo's."""
        with self.store.reading() as tx:
            return tx.access.passphrase_hash() is not None

    @cached_property
    def rating(self) -> RatingService:
        return RatingService(self.store, self.clock, self.chance)

    @cached_property
    def organising(self) -> OrganiserService:
        return OrganiserService(self.store, self.clock, self.chance, demo=self.demo)

    @cached_property
    def models(self) -> ModelRaters:
        return ModelRaters(self.store, self.clock)

    def endpoint(self, base_url: str) -> ChatEndpoint:
        """An endpoint of this machine, or the one of the environment; `DesignError` for another."""
        address, own = check_address(base_url), self.settings.model_url.rstrip("/")
        if address == own:
            return ChatEndpoint(address, self.settings.model_key)
        if is_on_this_machine(address):
            return ChatEndpoint(address)
        # A page does not make the server talk to any address.
        raise DesignError(
            "this page asks endpoints on this machine, and the one that EIC_LAB_MODEL_URL names",
            field="base_url",
            hint="start the app with that address, or use `python -m db ask`",
        )

    @cached_property
    def access(self) -> AccessService:
        return AccessService(self.store, self.clock, self.chance, demo=self.demo)


def _build_once(name: str, make: Callable[[], T]) -> T:
    with _lock:
        if name not in _built:
            _built[name] = make()
        value: T = _built[name]  # type: ignore[assignment]
        return value


def lab() -> Lab:
    """The services of this process; the first call opens (and migrates) the database."""
    return _build_once("lab", lambda: Lab(Settings.of(os.environ)))


def close_lab() -> None:
    """A clean end: the database's log is emptied."""
    with _lock:
        opened = _built.get("lab")
    if isinstance(opened, Lab):
        opened.store.dispose()


def rating_service() -> RatingService:
    return lab().rating


def stopwatch() -> Callable[[], float]:
    """The clock, in seconds, by which work is cut short."""
    return _build_once("stopwatch", lambda: time.monotonic)


def start_workers(count: int) -> None:
    """Start the processes for heavy work; without them (or with 0) threads of this one do it."""
    pool: Workers = InThread()
    if count:
        try:
            pool = WorkerPool(count, modules=PRELOADED)
        except OSError:
            log.exception("heavy work goes on in the process of the pages")
    with _lock:
        _built["workers"] = pool


def stop_workers() -> None:
    with _lock:
        pool = _built.pop("workers", None)
    if isinstance(pool, WorkerPool):
        pool.close()


def workers() -> Workers:
    """The pool for heavy work; this process itself unless `start_workers` was called."""
    return _build_once("workers", InThread)


def inspector_service() -> InspectorService:
    return _build_once("inspector", lambda: InspectorService(workers=workers()))


def diagnosis_service() -> DiagnosisService:
    return _build_once("diagnosis", lambda: DiagnosisService(workers=workers()))


def diagnosis_slots() -> BoundedSemaphore:
    """Slots of the diagnoses that run at once; the others wait."""
    return _build_once("diagnosis slots", lambda: BoundedSemaphore(2))


def figure_cache() -> BoundedCache:
    """Finished figures and texts by value."""
    return _build_once("figures", lambda: BoundedCache(32e6))


def draft_cache() -> BoundedCache:
    """Parts of the latest drafts, by version."""
    return _build_once("drafts", lambda: BoundedCache(96e6))


def jobs() -> Jobs:
    return _build_once("jobs", Jobs)


def scoring_slots() -> BoundedSemaphore:
    """Slots of the lists that are scored at once; the others wait."""
    return _build_once("scoring slots", lambda: BoundedSemaphore(2))


def parcels() -> Parcels:
    """Files that wait to be fetched."""
    return _build_once("parcels", Parcels)


def form_key() -> str:
    """The key that signs the forms of visitors without a login; new at each start."""
    return _build_once("form key", lambda: secrets.token_hex(32))
