"""What every command does: it prints what is safe to print, and ends with a status."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NoReturn, TextIO, cast

from eic_core.errors import DataError, FormulaError, UserError
from eic_core.printable import printable

EXIT_OK, EXIT_FOUND, EXIT_USER = 0, 1, 2
"""EXIT_FOUND: what a gate looks for is there."""
EXIT_INTERRUPTED = 130
"""The status that a shell gives a program that SIGINT ended."""

_MOST_LINES = 20


class Parser(argparse.ArgumentParser):
    """The parser of every command, whose mistakes may name a file of others."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


class _Guard:
    """A stream of lines: each text that is written, an argument of `print`, is part of one line."""

    def __init__(self, stream: TextIO) -> None:
        self.unguarded = stream
        self._at_start = True

    def write(self, text: str) -> int:
        end = text[-1:] if text.endswith("\n") or text == "\r" else ""
        line = printable(text.removesuffix(end))
        if self._at_start:  # Where GitHub's runner takes `::error::` for a command
            line = re.sub(r"\A(\s*):(?=:)", r"\1\\x3a", line)
        self._at_start = bool(end) or (self._at_start and not line.strip())
        self.unguarded.write(line + end)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Within it nothing that is printed moves a cursor, or is a command to a CI runner."""
    out, err = (cast(TextIO, _Guard(stream)) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        yield


@guarded_streams()
def exit_status(run: Callable[[], object]) -> int:
    """Run a command: its status or 0, 2 after a mistake of the user's, 130 after Ctrl-C.

    >>> exit_status(lambda: None)
    0
    """
    try:
        status = run()
        sys.stdout.flush()
    except UserError as error:
        print(f"error: {error}", *_details(error), sep="\n", file=sys.stderr)
        return EXIT_USER
    except KeyboardInterrupt:
        print("", "interrupted", sep="\n", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    return status if isinstance(status, int) else EXIT_OK


def write_out(text: str, path: Path | None, *, commands: bool = False) -> None:
    """To a file, or without a path to standard output; DataError if it cannot be written.

    Its lines may be `commands` to a CI runner where the text was made as such.
    """
    if path is None:
        out = getattr(sys.stdout, "unguarded", sys.stdout) if commands else sys.stdout
        print(*text.split("\n"), sep="\n", end="", file=out)
        return
    with fault_of_file("write", path):
        # a file's name that is not UTF-8 may stand in it
        path.write_text(text, encoding="utf-8", errors="backslashreplace")


@contextmanager
def fault_of_file(verb: str, path: Path) -> Iterator[None]:
    """Within it a fault of the system is a DataError: cannot read, or write, this file."""
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot {verb} {path}: {error.strerror}") from error


def refuse_unwritable(path: Path | None) -> None:
    """Before long work: DataError if its result cannot be written to the path."""
    if path is None:
        return
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DataError(f"cannot write {path}: it is closed to you")


def refuse_page_on_terminal(path: Path | None) -> None:
    """Before the work for an HTML page: UserError if it would be printed on a terminal."""
    if path is None and sys.stdout.isatty():
        raise UserError(
            "a terminal cannot show an HTML page",
            hint="write it to a file with --out FILE.html, and open that in a browser",
        )


def _details(error: UserError) -> list[str]:
    if isinstance(error, FormulaError):
        return error.caret().split("\n")
    if not isinstance(error, DataError):
        return []
    more = len(error.problems) - _MOST_LINES
    lines = [*error.problems[:_MOST_LINES], *([f"and {more} more"] if more > 0 else [])]
    return [f"  {line}" for line in lines]
