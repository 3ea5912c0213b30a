"""The end of every command: an exit status, and one message for the user."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from eic_core.errors import DataError, FormulaError, UserError

EXIT_OK, EXIT_FOUND, EXIT_USER = 0, 1, 2
"""EXIT_FOUND: what a gate looks for is there."""
EXIT_INTERRUPTED = 130
"""The status that a shell gives a program that SIGINT ended."""

_MOST_LINES = 20


def exit_status(run: Callable[[], object]) -> int:
    """Run a command: its status or 0, 2 after a mistake of the user's, 130 after Ctrl-C.

    >>> exit_status(lambda: None)
    0
    """
    try:
        status = run()
        sys.stdout.flush()
    except UserError as error:
        print(f"error: {error}{_details(error)}", file=sys.stderr)
        return EXIT_USER
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    return status if isinstance(status, int) else EXIT_OK


def write_out(text: str, path: Path | None) -> None:
    """To a file, or without a path to standard output; DataError if it cannot be written."""
    if path is None:
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error


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


def _details(error: UserError) -> str:
    if isinstance(error, FormulaError):
        return f"\n{error.caret()}"
    if not isinstance(error, DataError):
        return ""
    lines = "".join(f"\n  {line}" for line in error.problems[:_MOST_LINES])
    more = len(error.problems) - _MOST_LINES
    return lines + (f"\n  and {more} more" if more > 0 else "")
