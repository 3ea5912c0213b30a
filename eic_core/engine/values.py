"""Values of a formula alone, for callers that need no amplification."""

from __future__ import annotations

from typing import Any

import numpy as np

from eic_core.engine import branches
from eic_core.engine.forward import evaluate, forward, leaves
from eic_core.engine.native import library as native
from eic_core.engine.native.library import INVALID
from eic_core.engine.tape import Tape, tape_of
from eic_core.engine.walked import blocks, columns_between
from eic_core.errors import require
from eic_core.formula.tree import Formula
from eic_core.samples import Samples

Floats = np.ndarray[Any, np.dtype[np.float64]]


def values(formula: Formula, samples: Samples, *, stop_at_invalid: bool = False) -> Floats | None:
    """A formula's value at every sample, in double precision.

    Parameters
    ----------
    formula
        Its variables must be columns of `samples`.
    samples
        With a column for each variable.
    stop_at_invalid
        Give up at the first chunk with a sample at which some node has no finite double; a
        search that drops such formulas need not compute the rest.

    Returns
    -------
    Floats | None
        nan where some node has no finite double; None if it gave up. Shape (N,).

    Raises
    ------
    DataError
        If a variable has no column.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [4.0, 0.0, -1.0]})
    >>> values(read("1/(1/x)").formula, samples).tolist()
    [4.0, nan, -1.0]
    >>> values(read("sqrt(x)").formula, samples, stop_at_invalid=True) is None
    True
    """
    require(formula, Formula)
    require(samples, Samples)
    samples.require(formula.variables)
    tape = tape_of(formula)
    packed = native.pack(tape)
    if packed is None:
        plain = plain_values(formula, samples)
        return None if stop_at_invalid and np.isnan(plain).any() else plain
    out = np.empty(len(samples))
    mode = native.VALUES_ONLY | (native.FIRST_BAD_ENDS if stop_at_invalid else 0)
    run = packed.run(
        samples.addresses,
        len(samples),
        mode=mode,
        keep_y=((len(tape) - 1,), out[None]),
    )
    if run.gave_up:
        return None
    if run.status is not None and (run.status & INVALID).any():
        if stop_at_invalid:
            return None
        out[(run.status & INVALID) != 0] = np.nan
    return out


def plain_values(formula: Formula, samples: Samples) -> Floats:
    tape = tape_of(formula)
    if tape.chooses:
        return _chosen_values(tape, samples)
    y, ok = forward(tape, leaves(samples.columns), evaluate), np.ones(len(samples), dtype=bool)
    for value in y:
        ok &= np.isfinite(value)
    return np.where(ok, y[-1], np.nan)


def _chosen_values(tape: Tape, samples: Samples) -> Floats:
    out = np.empty(len(samples))
    for start, stop in blocks(len(samples), len(tape)):
        columns = columns_between(tape, samples, start, stop)
        slot_values = branches.plain_values(tape, columns, stop - start)
        ok = np.ones(stop - start, dtype=bool)
        active_at = branches.active_slots(tape, slot_values, len(ok))
        for y, active in zip(slot_values, active_at, strict=True):
            ok &= np.isfinite(y) | ~active
        out[start:stop] = np.where(ok, slot_values[-1], np.nan)
    return out
