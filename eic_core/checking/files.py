"""The files that a check reads: regular ones of bounded size, in the folder that is checked."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from eic_core.errors import DataError

MOST_SOURCE = 10_000_000
MOST_TABLE = 50_000_000
"""Bytes that are read."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
# a pipe that nobody writes to would be waited for


def content_within(folder: Path, path: Path, most: int) -> bytes:
    """The bytes of a file of strangers, links resolved first.

    Parameters
    ----------
    folder
        Which is checked: the file is in it, or below.
    path
        From where this process runs.
    most
        Bytes.

    Returns
    -------
    bytes
        All of the file.

    Raises
    ------
    DataError
        For any other file; nothing that the file holds is in the message.
    """
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(folder.resolve(strict=True)):
            raise DataError(
                "it is outside of the folder that is checked",
                hint="name a folder that holds both, as in `eic check FOLDER`",
            )
        with os.fdopen(os.open(real, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DataError("it is no regular file")
            content = file.read(most + 1)
    except OSError as error:
        raise DataError(f"it cannot be read: {error.strerror}") from error
    except (RuntimeError, ValueError) as error:  # A link to itself, a NUL
        raise DataError("it cannot be read: it names no file") from error
    if len(content) > most:
        raise DataError(f"it has more than {most // 1_000_000} MB")
    return content
