"""What was pasted or uploaded: bytes to text."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from dataclasses import dataclass
from functools import cached_property

from eic_core.errors import DataError
from eic_core.pool.importers.listed import MAX_BYTES

_GZIP = b"\x1f\x8b"
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_PICKLED = (".pkl", ".pickle")
_PROMPTS = re.compile(r"^(?:In ?\[[\d ]*\]:.*\n?|Out ?\[\d*\]:[ \t]*\n?)", re.MULTILINE)


@dataclass(frozen=True)
class PastedList:
    """A list's text and the name of its file ("" if pasted)."""

    name: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(line.rstrip() for line in self.text.splitlines() if line.strip())


def source_of(data: bytes | str, name: str = "") -> PastedList:
    """Decode a paste or an upload, gzipped or not: UTF-8, UTF-16 with a mark, or Latin-1. Raises
    `DataError` if it is too large, empty, a pickle or no text.

    >>> source_of(b"Out[3]: x+1\\n\\nsin(x)\\n").lines
    ('x+1', 'sin(x)')
    """
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if raw[:2] == _GZIP:
        raw = _unpacked(raw)
    if len(raw) > MAX_BYTES:
        raise too_large()
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = raw.decode("utf-16", "replace")
    elif _PICKLE.match(raw) or name.lower().removesuffix(".gz").endswith(_PICKLED):
        raise DataError(
            "this is a pickle, which is never loaded, since loading one runs code",
            hint='save its table, in PySR with model.equations_.to_csv("equations.csv")',
        )
    elif b"\0" in raw[:4096]:
        raise DataError(
            "this is not a text file", hint="save the list as CSV, or paste one formula a line"
        )
    else:
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
    if (place := text.find("\0")) >= 0:
        line = text.count("\n", 0, place) + 1
        raise DataError(
            f"line {line:,} holds a character that is no text (NUL)",
            hint="the file may be damaged: save the list once more",
        )
    text = _PROMPTS.sub("", text)
    if not text.strip():
        raise DataError("the list is empty", hint="give at least one formula, one a line")
    return PastedList(name, text)


def _unpacked(raw: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            text = file.read(MAX_BYTES + 1)
    except EOFError as error:
        raise DataError("cannot unpack the file: it is cut short", hint="gzip it again") from error
    except (OSError, zlib.error) as error:
        raise DataError(f"cannot unpack the file: {error}", hint="gzip it again") from error
    if len(text) > MAX_BYTES:
        raise too_large()
    return text


def too_large() -> DataError:
    return DataError(
        f"the list is larger than {MAX_BYTES // 1_000_000} MB",
        hint="split it, or score it with python -m eic_core score",
    )
