"""A demo study: problems, and formulas that real searches found (`study.demo.make_pool`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eic_core.pool.candidate import Candidate

_FOLDER = Path(__file__).resolve().parent
PROBLEM_INDEX = _FOLDER / "problems.json"


@dataclass(frozen=True)
class DemoColumn:
    name: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class DemoProblem:
    name: str  # Also the name of its file, ``problems/NAME.csv``
    # title, description: for lay readers; the description has one to three plain sentences
    title: str
    description: str
    inputs: tuple[DemoColumn, ...]  # One or two
    target: DemoColumn  # The table's last column
    source: str
    licence: str
    simulated: bool  # True for a law sampled with noise, False for real data
    path: Path  # The table


def problem_folder() -> Path:
    """The folder of PROBLEM.csv files, for `score`.

    >>> problem_folder().name
    'problems'
    """
    return _FOLDER / "problems"


@cache
def demo_problems() -> tuple[DemoProblem, ...]:
    """The demo's problems, in the order of ``problems.json``.

    >>> kepler = next(p for p in demo_problems() if p.name == "kepler")
    >>> kepler.simulated, kepler.inputs[0].name, kepler.target.unit
    (True, 'a', 'years')
    """
    entries = json.loads(PROBLEM_INDEX.read_text(encoding="utf-8"))
    problems = []
    for entry in entries:
        *inputs, target = (DemoColumn(**column) for column in entry["columns"])
        problems.append(
            DemoProblem(
                name=entry["name"],
                title=entry["title"],
                description=entry["description"],
                inputs=tuple(inputs),
                target=target,
                source=entry["source"],
                licence=entry["licence"],
                simulated=entry["kind"] == "simulated",
                path=problem_folder() / f"{entry['name']}.csv",
            )
        )
    return tuple(problems)


def demo_pool_path() -> Path:
    """The unscored pool, for `eic_core.pool`.

    >>> demo_pool_path().name
    'pool.csv.gz'
    """
    return _FOLDER / "pool.csv.gz"


def demo_candidates() -> list[Candidate]:
    """The pool's candidates, in file order.

    >>> sorted({candidate.method for candidate in demo_candidates()})
    ['Operon', 'gplearn']
    """
    from eic_core.pool.scoring import read_pool

    return read_pool(demo_pool_path())[1]
