"""What making the golden files and holding them to the present code have in common."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pages.ui.kit.visit import PageState
from study.rating_types import RatingVisit

Main = Callable[[Sequence[str]], int]


def run(main: Main, *arguments: str | Path) -> tuple[str, str]:
    """What a command prints on standard output and on standard error; it must succeed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(argument) for argument in arguments])
    assert status == 0, f"{shlex.join(map(str, arguments))}: {err.getvalue()}"
    return out.getvalue(), err.getvalue()


def query_of(address: str) -> Mapping[str, Sequence[str]]:
    """The parameters of an address, as a page gets them."""
    return parse_qs(urlsplit(address).query, keep_blank_values=True)


def state_values(state: PageState) -> dict[str, Any]:
    """A page's state as JSON values."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(state), allow_nan=False))
    return values


def visit_values(visit: RatingVisit) -> dict[str, Any]:
    """What a rater's link leads to, as JSON values."""
    return {
        "stage": str(visit.stage),
        "title": visit.title,
        "question": visit.question,
        "ballots": visit.ballots,
        "reusable": visit.reusable,
        "progress": str(visit.progress) if visit.progress else None,
    }
