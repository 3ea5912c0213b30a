"""Inspections of a formula's text, as tests want them: on ranges or on columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, variable
from eic_core.measure import Inspection, Samples, inspect
from eic_core.samples import Domain, sample_domains

Range = str | Domain | tuple[float, float]


def inspect_ranges(text: str, count: int = 500, seed: int = 0, **ranges: Range) -> Inspection:
    """Inspect a formula on samples of ranges (`x="1:5"`); a variable without one has 1 to 5."""
    formula = read(text).formula
    domains = {name: domain_of(ranges.get(name, "1:5")) for name in (*formula.variables, *ranges)}
    return inspect(formula, sample_domains(domains, count=count, seed=seed))


def deep(additions: int = 5_000) -> Inspection:
    """Of a sum that adds one variable again and again."""
    draft = variable("x")
    for _ in range(additions):
        draft = Draft("add", [draft, variable("x")])
    return inspect(Formula.from_draft(draft, "deep"), Samples.from_columns({"x": [1.0, 2.0]}))


def domain_of(given: Range) -> Domain:
    """The domain of a range as the command line writes it, of two limits, or itself."""
    if isinstance(given, Domain):
        return given
    return Domain.parse(f"x={given}")[1] if isinstance(given, str) else Domain("uniform", *given)


def inspect_columns(
    text: str, count: int | None = None, **columns: Sequence[float] | np.ndarray
) -> Inspection:
    """Inspect a formula on columns; their names say what the text means by a word."""
    arrays = {name: np.asarray(column, dtype=float) for name, column in columns.items()}
    formula = read(text, columns=tuple(arrays)).formula
    return inspect(formula, Samples.from_columns(arrays, count=count))


def settle_at_most(monkeypatch: pytest.MonkeyPatch, samples: int, text: str) -> None:
    """Stop the exact check of a formula after so many samples that need no more than 64 bits."""
    work = samples * len(read(text).formula)
    monkeypatch.setattr("eic_core.engine.amplify.MOST_WORK", work)
    monkeypatch.setattr("eic_core.engine.sweep.MOST_WORK", work)
