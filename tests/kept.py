"""What is made of the demo's pool, kept for all processes of a run of the tests.

To score the pool, to match it and to draw a hundred and fifty ballots takes half a minute of a
processor, and a dozen servers and tests begin with it.  Each answer is computed once a run, by the
product's own code, and read from a file after that, where the same is put in.  Tests of scoring,
matching and drawing themselves do without.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, is_dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import study.ballots
import study.pairing
from eic_core.formula.tree import Exponents
from study.ballots import BallotContent
from study.material import NewPair, Problem

FOLDER = "EIC_LAB_TESTS_KEPT"
"""The variable that holds the folder's path; without it nothing is kept."""


@contextlib.contextmanager
def making_once() -> Iterator[None]:
    """Whatever is scored, matched or frozen meanwhile is made once a run of the tests."""
    if not os.environ.get(FOLDER):
        yield
        return
    with (
        patch("study.organising.make_content", _content),
        patch("study.pairing.score_pool", _scores),
        patch("study.pairing.match_candidates", _pairs),
    ):
        yield


def once(kind: str, *key: Any, make: Callable[[], Any]) -> Any:
    """What `make` returns; if another process is at it, wait for that.

    A part of the key that is a dataclass counts with all its fields.
    """
    if not os.environ.get(FOLDER):
        return make()
    whole = [asdict(part) if is_dataclass(part) else part for part in key]
    file = Path(os.environ[FOLDER]) / hashlib.sha256(repr((kind, whole)).encode()).hexdigest()
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if file.exists():
            return pickle.loads(file.read_bytes())
        made = make()
        part = file.with_suffix(".part")
        part.write_bytes(pickle.dumps(made))
        part.replace(file)
        return made


_make_content, _score_pool = study.ballots.make_content, study.pairing.score_pool
_match_candidates = study.pairing.match_candidates


def _content(problem: Problem, pair: NewPair, exponents: Exponents = "exact") -> BallotContent:
    """Method, row and EIC of a formula are not on its ballot."""
    bare = [replace(each, method="", row=None, eic=0.0) for each in (pair.lower, pair.higher)]
    return once(
        "content",
        problem,
        *bare,
        exponents,
        make=lambda: _make_content(problem, pair, exponents),
    )


def _scores(candidates: Any, folder: Path, **settings: Any) -> Any:
    tables = [(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]
    return once(
        "scores",
        *candidates,
        tables,
        make=lambda: _score_pool(candidates, folder, **settings),
    )


def _pairs(pool: Any, problems: Any, rules: Any, **settings: Any) -> Any:
    """Only the usual clock, for with another a match may be cut short."""
    if settings.get("clock", time.monotonic) is not time.monotonic:
        return _match_candidates(pool, problems, rules, **settings)
    asked = [settings.get(name) for name in ("mode", "k", "allowed")]
    return once(
        "pairs",
        pool,
        *problems,
        rules,
        asked,
        make=lambda: _match_candidates(pool, problems, rules, **settings),
    )
