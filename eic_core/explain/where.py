"""Where in the data a node's amplification comes from.

E[s^2] is a mean that a few rows may dominate.  Which ones they are, what happens at them,
how the mean grows with more data, and whether an interval for it can be had.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from eic_core.explain import words
from eic_core.explain.origin import node_told_of
from eic_core.explain.settling import Growth, Interval, growth_of, interval_of
from eic_core.explain.zero import Place, place_of
from eic_core.measure.inspection import Inspection, json_number
from eic_core.operators.wide import Array

LEVELS = (0.5, 0.9, 0.99)

FEW = 0.3
"""What larger part of the rows carries it is not said to be special."""

ALONE = 0.9
"""What one row must carry to be called alone, however few there are."""

ALIKE = 1e-6
"""Shares that differ by this part of an even one are the same."""

MARKED = 0.05
"""Where as many rows or more carry 99 per cent, none of them is worth a mark of its own."""

LISTED = 5
"""Row numbers named in a sentence, at most."""

NOISE = "the amplified noise"
"""What E[s^2] is called in sentences."""


@dataclass(frozen=True)
class Carriers:
    """The smallest set of rows that carries a part of E[s^2].

    Attributes
    ----------
    level : float
        The part asked for, 0 to 1.
    share : float
        What they carry, at least `level`.
    positions : tuple of int
        Indices into the samples, the largest share first.
    """

    level: float
    share: float
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Where:
    """Which rows carry E[s^2] at a node, and why these.

    Attributes
    ----------
    inspection : Inspection
    node_id : int
    s : ndarray, shape (N,)
        Amplification at every sample; nan where invalid, inf where singular.
    shares : ndarray, shape (N,)
        Each row's part of the sum of s^2 over the finite rows; 0 elsewhere.
    carriers : tuple of Carriers
        For 50, 90 and 99 per cent; empty if no row is finite.
    singular : tuple of int
        Positions of the rows where no digit is left.
    finite : int
        Rows that `shares` is made of.
    place : Place or None
        What is special about the rows that carry 90 per cent; None if they are no
        smaller part of the data than what they carry.
    growth : Growth or None
        How local EIC changes with N; None with fewer than 32 finite rows.
    interval : Interval
        For local EIC, or why there is none.
    """

    inspection: Inspection = field(repr=False)
    node_id: int
    s: Array = field(repr=False)
    shares: Array = field(repr=False)
    carriers: tuple[Carriers, ...]
    singular: tuple[int, ...] = field(repr=False)
    finite: int
    place: Place | None
    growth: Growth | None
    interval: Interval

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What the page says of it, the most telling first."""
        return _sentences(self)

    def row_number(self, position: int) -> int:
        """The number of a row in the table it came from (1 is the first)."""
        rows = self.inspection.samples.rows
        return position + 1 if rows is None else int(rows[position])

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and sentences; row numbers count from 1."""
        return {
            "node": self.node_id,
            "finite": self.finite,
            "singular_rows": [self.row_number(k) for k in self.singular],
            "carriers": [
                {
                    "level": c.level,
                    "share": c.share,
                    "rows": [self.row_number(k) for k in c.positions],
                }
                for c in self.carriers
            ],
            "place": None if self.place is None else self.place.to_json(),
            "growth": None if self.growth is None else self.growth.to_json(),
            "interval": {
                "low": json_number(self.interval.low),
                "high": json_number(self.interval.high),
                "level": self.interval.level,
                "reason": self.interval.reason,
            },
            "sentences": list(self.sentences),
        }


def where(inspection: Inspection, node_id: int | None = None) -> Where:
    """Find the rows that carry E[s^2] at a node.

    Parameters
    ----------
    inspection : Inspection
    node_id : int, optional
        Default: `node_told_of`, the node of largest finite local EIC.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5, 1.9999, 2.5, 3.0]})
    >>> found = where(inspect(read("1/(x-2)").formula, samples))
    >>> found.carriers[-1].positions, found.sentences[0]
    ((2,), 'One row of 5, row 3, gives over 99.9 % of the amplified noise at `1/(x − 2)`.')
    """
    node_id = node_told_of(inspection) if node_id is None else node_id
    _, s = inspection.amplification.trace(node_id)
    finite = np.isfinite(s)
    shares = np.zeros(len(s))
    if finite.any():
        s2 = np.square(s[finite])
        shares[finite] = s2 / np.sum(s2)
    carriers = tuple(_carriers(shares, level) for level in LEVELS) if finite.any() else ()
    singular = tuple(np.flatnonzero(np.isinf(s)).tolist())
    count = int(np.count_nonzero(finite))
    concentrated = bool(carriers) and len(carriers[1].positions) <= FEW * count
    place = None
    if concentrated:
        worst = np.array(carriers[1].positions, dtype=np.int64)
        place = place_of(inspection, node_id, worst, shares[worst])
    s2 = np.square(s[finite])
    return Where(
        inspection=inspection,
        node_id=node_id,
        s=s,
        shares=shares,
        carriers=carriers,
        singular=singular,
        finite=count,
        place=place,
        growth=growth_of(s2),
        interval=interval_of(s2, place is not None and place.crosses),
    )


def few_carriers(s: Array) -> tuple[int, ...]:
    """The rows that carry 99 per cent of E[s^2], if less than `MARKED` of the finite ones do.

    Parameters
    ----------
    s : ndarray, shape (N,)
        Amplification; rows that are not finite are left out.

    Returns
    -------
    tuple of int
        Positions, the largest share first; () if many rows carry it.

    Examples
    --------
    >>> few_carriers(np.append(np.ones(99), 1e6)), few_carriers(np.ones(100))
    ((99,), ())
    """
    finite = np.flatnonzero(np.isfinite(s))
    most = int(np.ceil(MARKED * len(finite))) - 1
    if most < 1:
        return ()
    s2 = np.square(s[finite])
    top = np.argpartition(-s2, most)[:most]
    needed = LEVELS[-1] * float(np.sum(s2)) * (1 - 1e-12)
    order = top[np.argsort(-s2[top], kind="stable")]
    sums = np.cumsum(s2[order])
    if sums[-1] < needed:
        return ()
    return tuple(finite[order[: int(np.searchsorted(sums, needed)) + 1]].tolist())


def _carriers(shares: Array, level: float) -> Carriers:
    order = np.argsort(-shares, kind="stable")
    sums = np.cumsum(shares[order])
    count = min(len(order), int(np.searchsorted(sums, level * sums[-1] * (1 - 1e-12))) + 1)
    return Carriers(level, min(1.0, float(sums[count - 1])), tuple(order[:count].tolist()))


def _sentences(found: Where) -> tuple[str, ...]:
    formula = found.inspection.formula
    name = words.quoted(formula, found.node_id)
    if not found.carriers:
        if found.singular:
            return (f"At every valid sample no digit of {name} is left.",)
        return ("No sample has a real value at every node.",)
    lines = [_concentration(found, name)]
    if found.place is not None:
        lines.append(found.place.sentence)
    if found.singular:
        listed = _rows(found, found.singular)
        lines.append(
            f"No digit of {name} is left at {words.samples(len(found.singular))} ({listed}); "
            "the shares are those of the others."
        )
    if found.growth is not None and found.interval.heavy:
        lines.append(found.growth.sentence)
    lines.append(found.interval.sentence)
    return tuple(lines)


def _concentration(found: Where, name: str) -> str:
    total = found.finite
    if total == 1:
        return f"Only one row has a finite amplification at {name}."
    few = [
        c
        for c in reversed(found.carriers)
        if len(c.positions) <= max(FEW * c.level * total, 1 if c.share >= ALONE else 0)
    ]
    if not few:
        if np.ptp(found.shares[np.isfinite(found.s)]) * total <= ALIKE:
            return f"All over the data: every row gives the same share of {NOISE} at {name}."
        return f"All over the data: no small part of the rows carries {NOISE} at {name}."
    count = len(few[0].positions)
    if count == 1:
        row, share = found.row_number(few[0].positions[0]), words.percent(few[0].share)
        return f"One row of {total:,}, row {row:,}, gives {share} of {NOISE} at {name}."
    listed = f" ({_rows(found, few[0].positions)})" if count <= LISTED else ""
    share = f"{100 * few[0].level:.0f} %"
    return f"{count:,} of {total:,} rows give {share} of {NOISE} at {name}{listed}."


def _rows(found: Where, positions: tuple[int, ...]) -> str:
    numbers = [f"{found.row_number(k):,}" for k in positions[:LISTED]]
    if len(positions) > LISTED:
        numbers.append(f"{len(positions) - LISTED:,} more")
    return ("row " if len(positions) == 1 else "rows ") + words.listed(numbers)
