"""The app on a database of its own, an empty app beside it, and what their processes use."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from db import SqlStore, open_database
from study.clock import SystemChance, SystemClock
from study.demo.seeding import OPEN_NAME
from study.design import StudyDesign
from study.material import Study
from study.organising import OrganiserService

ROOT = Path(__file__).resolve().parents[2]
_EMPTY = Path(__file__).resolve().parent / "empty.py"


@dataclass(frozen=True)
class Server:
    address: str
    process: int

    def processor_seconds(self) -> float:
        """What the process has used so far, on all processors, in all its threads."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """The memory of the process now."""
        for line in Path(f"/proc/{self.process}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return float("nan")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def _streamlit(script: str, health: str, log: Path, **settings: str) -> Iterator[Server]:
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STREAMLIT_")}
    options = ["--server.port", str(port), "--server.headless", "true"]
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, *options],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment | settings,
        )
        try:
            for _ in range(960):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{address}{health}", timeout=2).close()
                    break
                if process.poll() is not None:
                    raise RuntimeError(log.read_text()[-2000:])
                time.sleep(0.25)
            yield Server(address, process.pid)
        finally:
            process.terminate()
            process.wait(20)


@dataclass(frozen=True)
class Demo:
    """The demo, served, and its study of so many ballots a rater."""

    server: Server
    store: SqlStore
    organiser: OrganiserService
    study: Study
    _folder: Path

    def links(self, count: int) -> list[str]:
        """Personal links to the study."""
        made = self.organiser.invitations.invite(self.study.id, ["load"] * count)
        return [invitation.link for invitation in made]

    @contextlib.contextmanager
    def second(self) -> Iterator[Server]:
        """Another process on the same database."""
        with _app(self._folder, "second") as server:
            yield server


def _app(folder: Path, name: str) -> contextlib.AbstractContextManager[Server]:
    settings = {"EIC_LAB_DEMO_DATABASE_URL": _url(folder), "EIC_LAB_DEMO": "1"}
    return _streamlit("app.py", "/healthz", folder / f"{name}.log", **settings)


def inspector(folder: Path) -> contextlib.AbstractContextManager[Server]:
    """The app without a study, on a fresh database."""
    settings = {"DATABASE_URL": _url(folder), "EIC_LAB_DEMO": "0"}
    return _streamlit("app.py", "/healthz", folder / "inspector.log", **settings)


def _url(folder: Path) -> str:
    return f"sqlite:///{folder / 'raters.sqlite3'}"


@contextlib.contextmanager
def demo(ballots: int) -> Iterator[Demo]:
    """The app as a demo with a fresh database."""
    with tempfile.TemporaryDirectory() as name, _app(Path(name), "server") as server:
        store = open_database(_url(Path(name)))
        organiser = OrganiserService(store, SystemClock(), SystemChance(), demo=True)
        yield Demo(server, store, organiser, _study(organiser, ballots), Path(name))
        store.dispose()


def _study(organiser: OrganiserService, ballots: int) -> Study:
    """The demo's open study, or one like it with another number of ballots."""
    open_study = next(study for study in organiser.studies() if study.name == OPEN_NAME)
    if open_study.design.ballots_per_rater == ballots:
        return open_study
    design: StudyDesign = replace(open_study.design, ballots_per_rater=ballots)
    study = organiser.create("Load", design)
    organiser.set_problems(study.id, organiser.problems(open_study.id))
    pairs = [pair.pair for pair in organiser.pairs(open_study.id) if pair.in_study]
    organiser.set_pairs(study.id, pairs)
    return organiser.freeze(study.id)


@contextlib.contextmanager
def empty_app() -> Iterator[Server]:
    """An app with an empty page, with this app's settings."""
    with (
        tempfile.TemporaryDirectory() as name,
        _streamlit(str(_EMPTY), "/_stcore/health", Path(name) / "empty.log") as server,
    ):
        yield server
