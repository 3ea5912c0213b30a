"""Pools on disk: CSV files, gzipped or not."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from eic_core.errors import DataError


@contextmanager
def opened_pool(path: Path) -> Iterator[TextIO]:
    """A pool's CSV file as text, gzipped if its name ends in ``.gz``.

    Parameters
    ----------
    path : Path

    Raises
    ------
    DataError
        If the file is missing, or what is read in the block is no CSV text.

    Examples
    --------
    >>> with opened_pool(Path("nowhere.csv")) as file:
    ...     file.read()
    Traceback (most recent call last):
        ...
    eic_core.errors.DataError: there is no file nowhere.csv
    """
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield file
    except FileNotFoundError as error:
        raise DataError(f"there is no file {path}") from error
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot read {path}: {error}") from error
