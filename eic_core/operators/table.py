"""The operator table: a row for each operator, which no code elsewhere names; see `Operator`.

Notation follows Yu et al., Proposition ``prop:s_k(x)``: the partial relative condition number is
kappa_{k,i} = (y_i / y_k) * de_k/dy_i.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from eic_core.errors import require
from eic_core.operators import (
    algebra,
    conditions,
    exponentials,
    hyperbolic,
    protected,
    remainders,
    selection,
    special,
    trigonometry,
)
from eic_core.operators.row import Operator

ROWS = (
    *algebra.ROWS,
    *exponentials.ROWS,
    *trigonometry.ROWS,
    *hyperbolic.ROWS,
    *special.ROWS,
    *selection.ROWS,
    *remainders.ROWS,
    *protected.ROWS,
    *conditions.ROWS,
)

TRANSCENDENTAL = frozenset(
    row.name
    for row in (*exponentials.ROWS, *trigonometry.ROWS, *hyperbolic.ROWS, *special.ROWS)
    if row.arity == 1
)
"""Functions of one argument that no finite sum, product or root of it writes."""

OPERATORS: dict[str, Operator] = {}

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FOLLOWERS: list[Callable[[], None]] = []


def follow(refresh: Callable[[], None]) -> None:
    """Call `refresh` now and after every change to the table, for names and caches made of it."""
    _FOLLOWERS.append(refresh)
    refresh()


def register(row: Operator) -> None:
    """Add an operator at run time: it is read, measured, written and explained like the others.

    It runs through its NumPy program, not through the native engine.

    Parameters
    ----------
    row
        With a name of its own: lower-case letters, digits and underscores.

    Raises
    ------
    ValueError
        If its name is taken or cannot be written in a formula.
    """
    require(row, Operator)
    _refuse_taken(row)
    if not all(_NAME.fullmatch(name) for name in (row.name, *row.names)):
        raise ValueError(f"the name `{row.name}` is not lower-case letters, digits and underscores")
    OPERATORS[row.name] = row
    _refresh_followers()


def unregister(name: str) -> None:
    """Withdraw an operator that `register` added (else ValueError), while no tree holds it."""
    if name not in OPERATORS or OPERATORS[name] in ROWS:
        raise ValueError(f"no operator `{name}` was added")
    del OPERATORS[name]
    _refresh_followers()


def _refuse_taken(row: Operator) -> None:
    """Raises `ValueError` if an operator has its name, or is read by one of its names."""
    for other in OPERATORS.values():
        shared = {row.name} & {other.name} or {*row.names} & {*other.names}
        if shared:
            raise ValueError(f"there is an operator `{min(shared)}` already")


for _row in ROWS:
    _refuse_taken(_row)
    OPERATORS[_row.name] = _row


@contextmanager
def registered(*rows: Operator) -> Iterator[None]:
    """Operators that exist for the duration of a ``with`` block.

    >>> import numpy as np
    >>> from eic_core.operators.row import Operator, always, call
    >>> row = Operator("double", 1, call(lambda x: x + x), lambda mp, a, p: 2 * a[0],
    ...                lambda B, a, y, p: (2.0,), fixed=always(1.0))
    >>> with registered(row):
    ...     "double" in OPERATORS
    True
    >>> "double" in OPERATORS
    False
    """
    added: list[str] = []
    try:
        for row in rows:
            register(row)
            added.append(row.name)
        yield
    finally:
        for name in added:
            unregister(name)


def _refresh_followers() -> None:
    for refresh in _FOLLOWERS:
        refresh()
