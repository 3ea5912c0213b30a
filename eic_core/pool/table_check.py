"""Whether a table holds the data that the formulas of a list were fitted to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from eic_core import wording
from eic_core.measure.table import Table
from eic_core.operators.wide import Array
from eic_core.pool.candidate import NO_FIT
from eic_core.pool.counting import index_of
from eic_core.pool.listing import ListedScore

R2_LEEWAY = 0.05
"""How far a measured R^2 may lie outside the stored ones, which may be of training or test rows."""

_STORED = ("r2", "r2_train", "r2_test")

LOSS_ORDERS = 1.0
"""Powers of ten between a measured and a stored loss from which on they are different losses."""

FALL_SHARE = 0.1
"""Least fall of the measured losses, as a share of that of the stored ones, in powers of ten."""

_CLEAR_RATIO = 1.1
"""Stored losses whose ratio is below this may stand in either order."""

_FALLING = 2.0
"""Stored losses fall if the ratio of the largest to the smallest is above this."""

_ROUNDING = 1e-12
"""Losses below this part of the target's variance are rounding."""


@dataclass(frozen=True)
class TableCheck:
    """Reasons against a table; empty if there are none.

    >>> TableCheck(("The table is named after another problem, `bode`.",)).passed
    False
    """

    reasons: tuple[str, ...] = ()  # One sentence each; names in backticks
    unusable: bool = False  # True if no formula can be measured on it, for want of columns

    @property
    def passed(self) -> bool:
        return not self.reasons


def check_table(
    scores: Sequence[ListedScore],
    table: Table,
    problem: str,  # The problem of these formulas; "" if the list does not say
    problems: Sequence[str],  # All problems that the list names
    target: str = "",
) -> TableCheck:
    """Reasons against a table: name, columns, R^2 or losses differ from the list's statements."""
    # a loss is of an unknown kind, so that an R^2, where the list has one, is the better witness
    reasons = (
        _other_name(table, problem, problems),
        _columns(scores, table),
        _accuracy(scores) or _losses(scores, table, target),
    )
    lacking = [bool(s.missing) for s in scores if s.missing or not s.score.error]
    return TableCheck(tuple(r for r in reasons if r), bool(lacking) and all(lacking))


def _other_name(table: Table, problem: str, problems: Sequence[str]) -> str:
    name = PurePath(table.source).stem
    if not problem or name == problem or name not in problems:
        return ""
    return f"The table is named after another problem, `{name}`; these formulas are of `{problem}`."


def _columns(scores: Sequence[ListedScore], table: Table) -> str:
    readable = [s for s in scores if s.missing or not s.score.error]
    lacking = [s for s in readable if s.missing]
    past = any(index_of(name) is not None for s in lacking for name in s.missing)
    if not past and (not lacking or 2 * len(lacking) < len(readable)):
        return ""
    missing = dict.fromkeys(name for s in lacking for name in s.missing)
    return (
        f"{_of(len(lacking), len(readable))} variables for which the table has no column: "
        f"{_listed(sorted(missing))}. Its columns are {_listed(table.names)}."
    )


def _accuracy(scores: Sequence[ListedScore]) -> str:
    compared = [
        (s, stored)
        for s in scores
        if (stored := stored_r2(s.listed.stored)) and math.isfinite(s.score.r2)
    ]
    far = [(s, stored) for s, stored in compared if not _agrees(s.score.r2, stored)]
    if 2 * len(far) <= len(compared):
        return ""
    worst, stored = max(far, key=lambda pair: max(pair[1]))
    stated = wording.join([wording.r_squared(r2) for r2 in dict.fromkeys(stored)])
    return (
        f"{_of(len(far), len(compared))} another R² than the list says: row "
        f"{worst.listed.row} came with {stated}, and here it has "
        f"{wording.r_squared(worst.score.r2)}."
    )


def _losses(scores: Sequence[ListedScore], table: Table, target: str) -> str:
    compared = [
        s
        for s in scores
        if 0 <= s.listed.stored.get("loss", math.nan) < math.inf
        and not stored_r2(s.listed.stored)
        and math.isfinite(s.score.r2)
    ]
    if len(compared) < 2 or target not in table.values:
        return ""
    stored = np.array([s.listed.stored["loss"] for s in compared])
    r2 = np.array([s.score.r2 for s in compared])
    falling = stored.max() > _FALLING * max(stored.min(), 0.0)
    # a value alone proves nothing, since a loss may be of any kind: it takes a fall without any
    # fit here, or most losses far off and in another order
    if falling and (r2 <= NO_FIT).all():
        best = int(r2.argmax())
        return (
            f"The losses of the list fall from {stored.max():.3g} to {stored.min():.3g}, but here "
            "no formula explains anything of "
            f"`{target}`: the best R² is {wording.r_squared(float(r2[best]))}, of row "
            f"{compared[best].listed.row}."
        )
    values = np.asarray(table.values[target], dtype=float)
    variance = float(np.nanvar(values[np.isfinite(values)]))
    if not 0 < variance < math.inf:
        return ""
    floor = _ROUNDING * variance
    measured, stored_losses = np.maximum((1 - r2) * variance, floor), np.maximum(stored, floor)
    orders = np.abs(_orders_off(measured, stored_losses, variance))
    far = orders >= LOSS_ORDERS
    if 2 * np.count_nonzero(far) <= len(compared) or _same_order(measured, stored_losses):
        return ""
    worst = int(orders.argmax())
    return (
        f"{_of(int(np.count_nonzero(far)), len(compared))} another loss than the list says, and "
        f"they stand in another order: row {compared[worst].listed.row} came with a loss of "
        f"{stored[worst]:.3g}, and here its mean squared error is {measured[worst]:.3g}."
    )


def _orders_off(measured: Array, stored: Array, variance: float) -> Array:
    """Powers of ten between each stored loss and the nearest quantity that it may be."""
    # a stored loss may be a mean squared error, its root or its share of the variance
    may_be = np.array([measured, np.sqrt(measured), measured / variance])
    return np.asarray(np.abs(np.log10(may_be / stored)).min(axis=0))


def _same_order(measured: Array, stored: Array) -> bool:
    """Whether half of the pairs that the list orders clearly are ordered likewise here."""
    if len(stored) > _MOST_COMPARED:
        places = np.linspace(0, len(stored) - 1, _MOST_COMPARED).astype(int)
        measured, stored = measured[places], stored[places]
    stored_orders = np.log10(stored)[:, None] - np.log10(stored)
    measured_orders = np.log10(measured)[:, None] - np.log10(measured)
    clear = stored_orders > math.log10(_CLEAR_RATIO)
    alike = clear & (measured_orders >= FALL_SHARE * stored_orders)
    return bool(2 * np.count_nonzero(alike) >= np.count_nonzero(clear))


_MOST_COMPARED = 500
"""Formulas whose order is compared, pair by pair."""


def stored_r2(stored: Mapping[str, float]) -> tuple[float, ...]:
    """The R^2 that came with a formula.

    >>> stored_r2({"r2_train": 0.9, "r2_test": 0.8, "loss": 3.0})
    (0.9, 0.8)
    """
    return tuple(stored[name] for name in _STORED if math.isfinite(stored.get(name, math.nan)))


def _agrees(measured: float, stored: tuple[float, ...]) -> bool:
    """Whether a measured R^2 lies between the stored ones, or near; far below 0 by its order."""
    # one may be of training rows, another of test rows: that of all rows should lie between them
    low, high = min(stored), max(stored)
    leeway = R2_LEEWAY * max(1.0, 1 - low)
    return low - leeway <= measured <= high + leeway


def _of(part: int, whole: int) -> str:
    if part == whole:
        few = {1: "The formula has", 2: "Both formulas have"}
        return few.get(whole, f"All {whole:,} formulas have")
    return f"{part:,} of {whole:,} formulas {'has' if part == 1 else 'have'}"


def _listed(names: Sequence[str]) -> str:
    return wording.join([f"`{name}`" for name in names], limit=8)
