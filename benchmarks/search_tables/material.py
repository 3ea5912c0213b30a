"""What is searched: laws with rows drawn from their ranges, real problems, and their splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eic_core.corpora import Law, load
from eic_core.engine.values import values
from eic_core.errors import DataError
from eic_core.formula.syntax import canonical_name
from eic_core.measure.table import read_table
from eic_core.samples import Samples, sample_domains
from eic_core.search.problem import samples_to_search, variable_names

CORPORA = ("feynman", "strogatz")
PROBLEMS = "problems"
HELD_OUT = 0.25
SPARE = 4
"""Rows drawn of a law for each that is wanted: where it has no value, there is no row."""

ENOUGH_ROWS = 40
"""A real problem of fewer rows holds out one or two: it counts for "all", not for the others."""


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


def all_laws() -> list[Law]:
    """The 133 laws, those of each corpus by their number of nodes."""
    return [
        law
        for name in CORPORA
        for law in sorted(load(name), key=lambda law: (law.tree.complexity, law.name))
    ]


def stratified(laws: Sequence[Law], count: int) -> list[Law]:
    """So many of them, evenly spaced: of each corpus and each length its share.

    Examples
    --------
    >>> [law.name for law in stratified(all_laws(), 3)]
    ['feynman_I_34_8', 'feynman_I_37_4', 'feynman_test_17']
    """
    count = min(count, len(laws))
    return [laws[int((i + 0.5) * len(laws) / count)] for i in range(count)]


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
    domains = {canonical_name(name): domain for name, domain in law.domains.items()}
    drawn = sample_domains(domains, count=SPARE * rows, seed=seed)
    target = values(law.tree, drawn)
    assert target is not None
    good = np.flatnonzero(np.isfinite(target))[:rows]
    if len(good) < rows:
        raise DataError(f"{law.name} has a value at {len(good)} of {SPARE * rows} rows only")
    names = variable_names(list(domains))
    columns = {name: drawn.columns[own][good] for name, own in zip(names, domains, strict=True)}
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
