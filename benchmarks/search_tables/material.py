"""What is searched: laws with rows drawn from their ranges, real problems, and their splits."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eic_core.engine.values import values
from eic_core.errors import DataError
from eic_core.formula.syntax import canonical_name, read
from eic_core.formula.tree import Formula
from eic_core.measure.table import read_table
from eic_core.samples import Domain, Samples, sample_domains
from eic_core.search.problem import samples_to_search, variable_names

LAWS = "whitebox_formulas.csv"
PROBLEMS = "problems"
HELD_OUT = 0.25
SPARE = 4
"""Rows drawn of a law for each that is wanted: where it has no value, there is no row."""

ENOUGH_ROWS = 40
"""A real problem of fewer rows holds out one or two: it counts for "all", not for the others."""


@dataclass(frozen=True)
class Law:
    """A law and the ranges in which its source draws.

    Attributes
    ----------
    name, group : str
    formula : Formula
    ranges : mapping of canonical name to (low, high)
    """

    name: str
    group: str
    formula: Formula
    ranges: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Split:
    """Rows to search on, rows held out, and both.

    Attributes
    ----------
    training, held_out, whole : Samples
        A target is noisy in the first alone.
    """

    training: Samples
    held_out: Samples
    whole: Samples


def read_laws(shared: Path) -> list[Law]:
    """The 133 laws.

    Raises
    ------
    DataError
        If they are not in that folder.
    """
    path = shared / LAWS
    if not path.is_file():
        raise DataError(
            f"there are no laws: no {path}", hint="say where the data are, with --shared DIR"
        )
    laws = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            ranges = {
                canonical_name(name): (float(low), float(high))
                for name, (low, high) in json.loads(row["ranges_json"]).items()
            }
            formula = read(row["formula"], columns=tuple(ranges)).formula
            laws.append(Law(row["dataset"], row["group"], formula, ranges))
    return laws


def stratified(laws: Sequence[Law], count: int) -> list[Law]:
    """So many laws, evenly spaced among all when these stand by group and number of nodes.

    Examples
    --------
    >>> tree = read("x + y").formula
    >>> laws = [Law(name, "ab"[name > "3"], tree, {}) for name in "125634"]
    >>> [law.name for law in stratified(laws, 3)]
    ['2', '4', '6']
    """
    order = sorted(laws, key=lambda law: (law.group, law.formula.complexity, law.name))
    count = min(count, len(order))
    return [order[int((i + 0.5) * len(order) / count)] for i in range(count)]


def law_split(law: Law, rows: int, noise: float, seed: int) -> Split:
    """Rows of a law, three quarters of them to search on.

    Parameters
    ----------
    law : Law
    rows : int
        Of both parts.
    noise : float
        Gaussian, by the standard deviation of the target; in the training rows only.
    seed : int

    Raises
    ------
    DataError
        If the law has too few values in its ranges.
    """
    domains = {name: Domain("uniform", *ends) for name, ends in law.ranges.items()}
    drawn = sample_domains(domains, count=SPARE * rows, seed=seed)
    target = values(law.formula, drawn)
    assert target is not None
    good = np.flatnonzero(np.isfinite(target))[:rows]
    if len(good) < rows:
        raise DataError(f"{law.name} has a value at {len(good)} of {SPARE * rows} rows only")
    names = variable_names(list(law.ranges))
    columns = {name: drawn.columns[own][good]
               for name, own in zip(names, law.ranges, strict=True)}  # fmt: skip
    clean = target[good]
    cut = rows - round(HELD_OUT * rows)  # rows are drawn independently: any cut is a random one
    rng = np.random.default_rng([seed, 1])
    noisy = clean + noise * float(np.std(clean[:cut])) * rng.normal(size=rows)
    whole = Samples.from_columns(columns, target=clean)
    searched = Samples.from_columns(columns, target=noisy).take(np.arange(cut))
    return Split(searched, whole.take(np.arange(cut, rows)), whole)


def real_problems(shared: Path) -> list[Path]:
    """The tables of the real problems, by name.

    Raises
    ------
    DataError
        If there are none in that folder.
    """
    found = sorted((shared / PROBLEMS).glob("*.csv"))
    if not found:
        raise DataError(
            f"there are no problems in {shared / PROBLEMS}",
            hint="say where the data are, with --shared DIR",
        )
    return found


def real_split(path: Path, seed: int) -> Split:
    """A real table, a random quarter of its rows held out."""
    table = read_table(path)
    whole = samples_to_search(table, table.names[-1])
    order = np.random.default_rng([seed, 2]).permutation(len(whole))
    cut = max(1, round(HELD_OUT * len(whole)))
    return Split(whole.take(np.sort(order[cut:])), whole.take(np.sort(order[:cut])), whole)
