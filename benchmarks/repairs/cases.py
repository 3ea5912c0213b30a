"""The record of a case, and the points at which it is measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.repairs import fpcore
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.samples import Domain, Samples, sample_domains

Columns = Mapping[str, NDArray[np.float64]]

_LEAST_SHARE = 1e-4
"""A precondition that holds at fewer of the drawn points is refused."""


class Needs(Enum):
    """What the best known form is made of."""

    EXACT = "exact form"
    BRANCH = "branch"
    SERIES = "series"


class Points(Protocol):
    """Where a case is measured."""

    @property
    def filtered(self) -> bool:
        """Whether repair too gets only points at which the value is a finite double."""

    def draw(self, count: int, seed: int) -> Columns:
        """So many points, or somewhat more; another seed draws others."""


@dataclass(frozen=True)
class Ranges:
    """Users' ranges, as `Domain.parse` reads them, and an FPCore condition between variables."""

    texts: tuple[str, ...]
    condition: str = ""
    filtered: bool = False

    def __str__(self) -> str:
        return " ".join([*self.texts, self.condition]).strip()

    def draw(self, count: int, seed: int) -> Columns:
        domains = dict(Domain.parse(text) for text in self.texts)
        if not self.condition:
            return sample_domains(domains, count=count, seed=seed).columns
        columns = sample_domains(domains, count=20 * count, seed=seed).columns
        holds = fpcore.evaluate(fpcore.parse(self.condition), columns) != 0
        return {name: column[holds][:count] for name, column in columns.items()}


@dataclass(frozen=True)
class BitUniform:
    """64-bit patterns drawn uniformly, those left out that break the precondition (an FPCore)."""

    variables: tuple[str, ...]
    precondition: str = ""
    filtered: bool = True

    def draw(self, count: int, seed: int) -> Columns:
        rng = np.random.default_rng(seed)
        pre = fpcore.parse(self.precondition or "TRUE")
        parts: list[Columns] = []
        drawn = accepted = 0
        while accepted < count:
            batch = max(4096, 8 * count)
            columns: Columns = {
                name: rng.integers(0, 2**64, batch, dtype=np.uint64).view(np.float64)
                for name in self.variables
            }
            holds = np.logical_and.reduce([np.isfinite(column) for column in columns.values()])
            holds &= np.broadcast_to(fpcore.evaluate(pre, columns) != 0, holds.shape)
            parts.append({name: column[holds] for name, column in columns.items()})
            drawn, accepted = drawn + batch, accepted + int(holds.sum())
            if accepted < _LEAST_SHARE * drawn:
                raise ValueError(f"the precondition {self.precondition} hardly ever holds")
        return {name: np.concatenate([part[name] for part in parts]) for name in self.variables}


@dataclass(frozen=True)
class DrawnRows:
    """Rows of a table, drawn by a function of their number."""

    rows: Callable[[int], Samples]
    filtered: bool = False

    def draw(self, count: int, seed: int) -> Columns:
        columns = self.rows(count * (seed + 1)).columns
        return {name: column[-count:] for name, column in columns.items()}


@dataclass(frozen=True)
class Published:
    """Herbie's published bits of a case, at its points."""

    start: float
    herbie: float


@dataclass(frozen=True)
class Case:
    """One formula, where it is used, and the best forms that are known.

    Attributes
    ----------
    name : str
    formula : str
    points : Points
    source : str
        Where the case stands, as precisely as it can be verified.
    known_forms : tuple of str
        The best known forms, in the syntax of `formula`; may be empty.
    syntax : str or None
        As `eic_core.formula.syntax.read` names it; None for Python infix.
    needs : Needs
        What the best known form is made of.
    tree : Formula or None
        The formula, where it has been read.
    """

    name: str
    formula: str
    points: Points
    source: str
    known_forms: tuple[str, ...] = ()
    syntax: str | None = None
    needs: Needs = Needs.EXACT
    published: Published | None = None
    tree: Formula | None = None

    def read(self) -> Formula:
        """The formula as a tree."""
        if self.tree is not None:
            return self.tree
        if self.syntax == "fpcore":
            return read(self.formula, syntax="fpcore").formula
        return read(self.formula, columns=tuple(self.points.draw(1, 0))).formula


def bits_of_error(computed: NDArray[np.float64], exact: NDArray[np.float64]) -> NDArray[np.float64]:
    """Herbie's measure: log2 of 1 + the number of doubles between; 64 where there is no number.

    >>> bits_of_error(np.array([1.0, np.nan, 1 + 3 * 2.0**-52]), np.ones(3)).tolist()
    [0.0, 64.0, 2.0]
    """
    places = [_places(np.asarray(values, dtype=np.float64)) for values in (computed, exact)]
    apart = np.maximum(*places).view(np.uint64) - np.minimum(*places).view(np.uint64)
    bits = np.log2(1.0 + apart.astype(np.float64))
    return np.where(np.isnan(computed), 64.0, bits)


def _places(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The place of each double among all, from 0 at zero."""
    patterns = np.ascontiguousarray(values).view(np.int64)
    return np.where(patterns < 0, np.iinfo(np.int64).min - patterns, patterns)


def mean(values: list[float]) -> float:
    """The mean; nan of nothing."""
    return math.fsum(values) / len(values) if values else math.nan
