"""The database's command line: migrate, list, export, backup, restore."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from db.ask_command import add_ask_parser, run_ask
from db.backup import DEFAULT_FOLDER, backup, restore
from db.engine import DEFAULT_URL, DEMO_URL, SqlStore, open_database, sqlite_path
from db.faults import faults_in_words
from eic_core import wording
from eic_core.cli.exits import Parser, guarded_streams, write_out
from eic_core.errors import UserError
from study.clock import SystemChance, SystemClock
from study.design import StudyStatus
from study.errors import StorageError, StudyError
from study.material import Study
from study.organising import OrganiserService


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0, 2 for a mistake, 3 for a fault, 130 after Ctrl-C."""
    options = build_parser().parse_args(arguments)
    with guarded_streams():
        return _status(options)


def _status(options: argparse.Namespace) -> int:
    if options.database is None:
        options.database = os.environ.get("DATABASE_URL") or DEFAULT_URL
        if options.database != DEMO_URL:
            _tell_of_demo()
    try:
        with faults_in_words():
            status: int | None = options.run(options)
    except UserError as error:
        print(f"db: {error}", file=sys.stderr)
        return 3 if isinstance(error, StorageError) else 2
    return status or 0


def _tell_of_demo() -> None:
    """Say where a demo's studies are: a command that names no database passes them over."""
    if sqlite_path(DEMO_URL).is_file():
        print(
            "note: the demo's studies are in a database of their own, which this leaves out; "
            f"for them: python -m db --database {DEMO_URL} …",
            file=sys.stderr,
        )


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m db", description="Studies at rest.")
    parser.add_argument(
        "--database",
        metavar="URL",
        help=f"default: DATABASE_URL of the environment, else {DEFAULT_URL}",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("migrate", help="make or update the database")
    command.set_defaults(run=lambda options: _open(options, must_exist=False).dispose())

    command = commands.add_parser("list", help="list the studies")
    command.set_defaults(run=_list)

    command = commands.add_parser("export", help="write a study's configuration and votes")
    command.add_argument("study", metavar="STUDY", help="its name or number")
    command.add_argument("--out", metavar="DIR", type=Path, required=True)
    command.add_argument(
        "--even-if-open",
        action="store_true",
        help="look before the study is closed; logged, and printed on every later report",
    )
    command.set_defaults(run=_export)

    add_ask_parser(commands).set_defaults(run=_ask)

    command = commands.add_parser(
        "preregistration", help="print what a frozen study declared, to deposit elsewhere"
    )
    command.add_argument("study", metavar="STUDY", help="its name or number")
    command.set_defaults(run=_preregistration)

    folder: dict[str, Any] = {
        "metavar": "DIR",
        "type": Path,
        "default": DEFAULT_FOLDER,
        "help": "holds the backups; default: %(default)s",
    }
    command = commands.add_parser("backup", help="copy the live database to a checked file")
    command.add_argument("--folder", **folder)
    command.set_defaults(run=_backup)

    command = commands.add_parser(
        "restore",
        help="put a backup back; keeps what was there",
        description="Put a backup back; what was there is kept as another backup. Answers of "
        "raters who withdrew after the backup was made come back with it.",
    )
    command.add_argument("file", metavar="FILE", type=Path, help="one of them")
    command.add_argument("--folder", **folder)
    command.set_defaults(run=_restore)
    return parser


def _open(options: argparse.Namespace, *, must_exist: bool = True) -> SqlStore:
    url: str = options.database
    if must_exist and url.startswith("sqlite") and not sqlite_path(url).is_file():
        raise StudyError(
            f"there is no database {sqlite_path(url)}",
            hint="name it: `python -m db --database URL …`, or set DATABASE_URL",
        )
    return open_database(url)


def _service(store: SqlStore) -> OrganiserService:
    return OrganiserService(store, SystemClock(), SystemChance(), actor="command line")


def _list(options: argparse.Namespace) -> None:
    store = _open(options)
    for study in _service(store).studies():
        print(study.id, study.status, study.name, study.hash[:12], sep="\t")
    store.dispose()


def _find(service: OrganiserService, text: str) -> Study:
    # The name first: a study may be called `7`.
    matches = [study for study in service.studies() if study.name == text]
    if matches:
        return matches[0]
    return service.study(int(text) if text.isdigit() else text)


def _export(options: argparse.Namespace) -> None:
    from study.report.exported import write_export

    store = _open(options)
    service = _service(store)
    study = _find(service, options.study)
    if options.even_if_open and study.status == StudyStatus.OPEN:
        service.early.look(study.id, confirmed=study.name, after=len(service.early.of(study.id)))
    export = service.monitor.export(study.id)
    write_export(options.out, export)
    store.dispose()
    votes = sum(vote.on_a_pair for vote in export.votes)
    print(
        f"{wording.count(votes, 'vote')} on {wording.count(len(export.pairs), 'pair')} "
        f"-> {options.out}",
        file=sys.stderr,
    )


def _ask(options: argparse.Namespace) -> int:
    store = _open(options)
    try:
        return run_ask(store, _find(_service(store), options.study).id, options)
    finally:
        store.dispose()


def _preregistration(options: argparse.Namespace) -> None:
    store = _open(options)
    service = _service(store)
    write_out(service.preregistration(_find(service, options.study).id), None)
    store.dispose()


def _backup(options: argparse.Namespace) -> None:
    print(backup(options.database, options.folder))


def _restore(options: argparse.Namespace) -> None:
    previous = restore(options.database, options.file, options.folder)
    open_database(options.database).dispose()
    note = f"; what was there is in {previous}" if previous else ""
    if previous is not None and ".damaged-" in previous.name:
        note += " (damaged: if the app is running, start it again)"
    print(f"restored {options.file}{note}", file=sys.stderr)
