"""The database's command line: migrate, list, export, backup, restore."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from db.ask_command import ASK_DESCRIPTION, ASK_EPILOG, ASK_OPTIONS, run_ask
from db.backup import DEFAULT_FOLDER, backup, restore
from db.engine import DEFAULT_URL, DEMO_URL, SqlStore, open_database, sqlite_path
from db.faults import faults_in_words
from eic_core import wording
from eic_core.cli.command_table import Command, OptionRow, Options, parser_of
from eic_core.cli.exits import guarded_streams, write_out
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


def _status(options: Options) -> int:
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


def _open(options: Options, *, must_exist: bool = True) -> SqlStore:
    url: str = options.database
    if must_exist and url.startswith("sqlite") and not sqlite_path(url).is_file():
        raise StudyError(
            f"there is no database {sqlite_path(url)}",
            hint="name it: `python -m db --database URL …`, or set DATABASE_URL",
        )
    return open_database(url)


@contextmanager
def _opened(options: Options) -> Iterator[tuple[SqlStore, OrganiserService]]:
    """The database and the service over it; it is left afterwards."""
    store = _open(options)
    try:
        yield store, OrganiserService(store, SystemClock(), SystemChance(), actor="command line")
    finally:
        store.dispose()


def _migrate(options: Options) -> None:
    _open(options, must_exist=False).dispose()


def _list(options: Options) -> None:
    with _opened(options) as (_, service):
        for study in service.studies():
            print(study.id, study.status, study.name, study.hash[:12], sep="\t")


def _find(service: OrganiserService, text: str) -> Study:
    # The name first: a study may be called `7`.
    matches = [study for study in service.studies() if study.name == text]
    if matches:
        return matches[0]
    return service.study(int(text) if text.isdigit() else text)


def _export(options: Options) -> None:
    from study.report.exported import write_export

    with _opened(options) as (_, service):
        study = _find(service, options.study)
        if options.even_if_open and study.status == StudyStatus.OPEN:
            looks = len(service.early.of(study.id))
            service.early.look(study.id, confirmed=study.name, after=looks)
        export = service.monitor.export(study.id)
        write_export(options.out, export)
    votes = sum(vote.on_a_pair for vote in export.votes)
    print(
        f"{wording.count(votes, 'vote')} on {wording.count(len(export.pairs), 'pair')} "
        f"-> {options.out}",
        file=sys.stderr,
    )


def _ask(options: Options) -> int:
    with _opened(options) as (store, service):
        return run_ask(store, _find(service, options.study).id, options)


def _preregistration(options: Options) -> None:
    with _opened(options) as (_, service):
        write_out(service.preregistration(_find(service, options.study).id), None)


def _backup(options: Options) -> None:
    print(backup(options.database, options.folder))


def _restore(options: Options) -> None:
    previous = restore(options.database, options.file, options.folder)
    open_database(options.database).dispose()
    note = f"; what was there is in {previous}" if previous else ""
    if previous is not None and ".damaged-" in previous.name:
        note += " (damaged: if the app is running, start it again)"
    print(f"restored {options.file}{note}", file=sys.stderr)


STUDY = OptionRow("study", "STUDY", "its name or number")
FOLDER = OptionRow("--folder", "DIR", "holds the backups", default=DEFAULT_FOLDER)
DATABASE = OptionRow(
    "--database", "URL", f"default: DATABASE_URL of the environment, else {DEFAULT_URL}"
)

COMMANDS = (
    Command("migrate", "make or update the database", (), _migrate),
    Command("list", "list the studies", (), _list),
    Command(
        "export",
        "write a study's configuration and votes",
        (
            STUDY,
            OptionRow("--out", "DIR", required=True),
            OptionRow(
                "--even-if-open",
                help="look before the study is closed; logged, and printed on every later report",
            ),
        ),
        _export,
    ),
    Command(
        "ask",
        "ask a language model about every pair of a frozen study",
        (STUDY, *ASK_OPTIONS),
        _ask,
        ASK_DESCRIPTION,
        epilog=ASK_EPILOG,
    ),
    Command(
        "preregistration",
        "print what a frozen study declared, to deposit elsewhere",
        (STUDY,),
        _preregistration,
    ),
    Command("backup", "copy the live database to a checked file", (FOLDER,), _backup),
    Command(
        "restore",
        "put a backup back; keeps what was there",
        (OptionRow("file", "FILE", "one of them"), FOLDER),
        _restore,
        "Put a backup back; what was there is kept as another backup. Answers of raters who "
        "withdrew after the backup was made come back with it.",
    ),
)


def build_parser() -> argparse.ArgumentParser:
    return parser_of("python -m db", "Studies at rest.", COMMANDS, [DATABASE])
