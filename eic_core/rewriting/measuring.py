"""Measures the forms that a search found, on chosen rows, and keeps those worth proposing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.explain.conditioning import own_conditioning
from eic_core.explain.correlated import correlated_eic
from eic_core.formula.rendering import short_text, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.observed import ObservedError, run_in
from eic_core.rewriting.results import (
    Measured,
    Repair,
    Repairs,
    RepairStep,
    Saved,
    advice_sentence,
    no_repair_sentence,
    repair_sentence,
    unfinished_search_sentence,
)
from eic_core.rewriting.rules import Assumption
from eic_core.rewriting.search import SIZE_WEIGHT, WORST_WEIGHT, Cost, FoundForm, SearchOutcome
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import Values, ValueTable
from eic_core.rewriting.verify import Verifier, decimal_rows
from eic_core.samples import Samples

SCANNED, MEASURED, VERIFIED, OBSERVED = 20_000, 500, 200, 100
MEASURED_VALUES = 300_000
"""Rows times nodes that are measured, where this is more than `MEASURED` rows."""

SEARCHED_EVEN, SEARCHED_WORST = 24, 12


@dataclass(frozen=True)
class Rows:
    """Row numbers, from 0, each ascending and without repetition.

    Attributes
    ----------
    searched : tuple of int
        The worst at the root and at the bottleneck, and some evenly spaced.
    verified : tuple of int
        Compared at high precision: up to 200, the worst among them.
    measured : tuple of int
        On which EIC and q are told: evenly spaced; all 10,000 up to 30 nodes.
    observed : tuple of int
        On which single and double precision are run: evenly spaced.
    scanned : tuple of int
        Whose domain is scanned in double precision: evenly spaced.
    """

    searched: tuple[int, ...]
    verified: tuple[int, ...]
    measured: tuple[int, ...]
    observed: tuple[int, ...]
    scanned: tuple[int, ...]


def choose_rows(formula: Formula, samples: Samples) -> Rows:
    """The rows to look at, the same for the same data.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": np.linspace(1.0, 9.0, 1000)})
    >>> rows = choose_rows(read("x - 5").formula, samples)
    >>> len(rows.searched) <= 48, 500 in rows.searched, len(rows.verified)
    (True, True, 200)
    """
    total = len(samples)
    scanned = _even(total, SCANNED)
    columns = {name: samples.columns[name][scanned] for name in formula.variables}
    part = Samples.from_columns(columns, count=len(scanned))
    amplification = amplify(formula, part, recheck=False)
    finite = [amplification.finite_mean_s2(k) for k in range(len(formula))]
    bottleneck = int(np.argmax(np.nan_to_num(finite, nan=0.0, posinf=0.0)))
    worst: list[int] = []
    watched = dict.fromkeys((len(formula) - 1, bottleneck))
    ranked = [_worst_first(amplification.trace(k)[1]) for k in watched]
    share = (VERIFIED - 150) // len(ranked)
    searched = set(_even(total, SEARCHED_EVEN).tolist())
    for order in ranked:
        rows = scanned[order[:share]].tolist()
        worst += rows
        searched |= set(rows[: 2 * SEARCHED_WORST // len(ranked)])
    verified = set(worst)
    for row in _even(total, VERIFIED).tolist():
        if len(verified) >= VERIFIED:
            break
        verified.add(row)
    return Rows(
        tuple(sorted(searched)),
        tuple(sorted(verified)),
        tuple(_even(total, max(MEASURED, MEASURED_VALUES // len(formula))).tolist()),
        tuple(_even(total, OBSERVED).tolist()),
        tuple(scanned.tolist()),
    )


def _even(total: int, count: int) -> np.ndarray:
    """Up to `count` row numbers, evenly spaced."""
    if total <= count:
        return np.arange(total)
    return np.arange(count) * total // count


def _worst_first(s: np.ndarray) -> np.ndarray:
    """Rows of finite s from the largest down."""
    usable = np.flatnonzero(np.isfinite(s))
    return usable[np.argsort(-s[usable], kind="stable")]


GAIN = 0.1
"""Digits that a form must save, at the root or at its worst node, to be proposed."""

OPERATIONS_GAIN = 0.5
"""Digits that it must save when the inputs are taken as exact, if it saves no others."""

TOLERANCE = 0.02
"""Digits by which q at the root may rise: less than one rounding more of a sum."""

RANGE_TOLERANCE, RANGE_WORST = 0.2, 0.5
"""The same, and at the worst node, for a form that brings values back into double range."""


def binary_rows(
    columns: Mapping[str, Any], rows: Sequence[int], kind: str
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """The inputs of some rows as one precision holds them: arrays, and exact decimals.

    Parameters
    ----------
    columns : mapping of name to ndarray, shape (N,)
    rows : sequence of int
        m row numbers from 0.
    kind : {"float32", "float64"}
        The precision.

    Returns
    -------
    inputs : dict of name to ndarray, shape (m,)
        Of that type; inf where a cell is beyond it.
    decimals : list of dict of name to str, length m
        The same numbers, digit for digit.
    """
    with np.errstate(over="ignore"):
        rounded = {
            name: np.asarray(column)[list(rows)].astype(kind) for name, column in columns.items()
        }
    texts = [
        {name: str(Decimal(float(column[i]))) for name, column in rounded.items()}
        for i in range(len(rows))
    ]
    return rounded, texts


class Observer:
    """Compares forms of one formula with its exact values in one precision.

    Parameters
    ----------
    terms : Terms
    original : int
        The form that gives the exact values.
    columns : mapping of variable to ndarray
    rows : sequence of int
    digits : int
    dtype : numpy.float32 or numpy.float64
    """

    def __init__(
        self,
        terms: Terms,
        original: int,
        columns: Mapping[str, Any],
        rows: Sequence[int],
        digits: int,
        dtype: Any,
    ) -> None:
        self.terms = terms
        self.kind = np.dtype(dtype).name
        self.inputs, texts = binary_rows(columns, rows, self.kind)
        usable = np.ones(len(rows), dtype=bool)
        for column in self.inputs.values():
            usable &= np.isfinite(column)
        self.usable = usable
        known = [t for t, ok in zip(texts, usable.tolist(), strict=True) if ok]
        self.exact: Values = ValueTable(terms, known, digits).values(original)

    def of(self, root: int) -> ObservedError:
        """The error of one form."""
        inputs = {name: column[self.usable] for name, column in self.inputs.items()}
        count = len(self.exact)
        computed = run_in(self.terms.tape(root), inputs, count, self.kind)[-1]
        return ObservedError.of(self.exact, computed.tolist(), self.kind)


class Measurer:
    """Verifies and measures the forms that a search found.

    Parameters
    ----------
    formula : Formula
    samples : Samples
    rows : Rows
    table : ValueTable
        The search's; it lends its terms and digits.
    outcome : SearchOutcome
    """

    def __init__(
        self,
        formula: Formula,
        samples: Samples,
        rows: Rows,
        table: ValueTable,
        outcome: SearchOutcome,
    ) -> None:
        self.formula = formula
        self.samples = samples
        self.outcome = outcome
        self.terms = table.terms
        self.root = outcome.start.root
        names = formula.variables
        checked = ValueTable(
            self.terms, decimal_rows(samples, names, rows.verified), table.digits
        )
        self.verifier = Verifier(checked, self.root, samples, rows.verified, rows.scanned)
        columns = {name: samples.columns[name] for name in names}
        self.observers = [
            Observer(self.terms, self.root, columns, rows.observed, table.digits, dtype)
            for dtype in (np.float32, np.float64)
        ]
        measured = list(rows.measured)
        self.measured = Samples.from_columns(
            {name: samples.columns[name][measured] for name in names},
            count=len(measured),
            exact={
                name: {i: cells[row] for i, row in enumerate(measured) if row in cells}
                for name, cells in samples.exact.items()
            },
        )

    def repairs(self, limit: int) -> Repairs:
        """The best forms that hold, measured."""
        before = self._measure(self.root, self.formula)
        repairs: list[Repair] = []
        for form in self._promising():
            if len(repairs) == limit:
                break
            repaired = self._repair(form, before)
            if repaired is not None:
                repairs.append(repaired)
        repairs.sort(key=_rank)
        clearest = repairs[0].formula if repairs else self.formula
        own = own_conditioning(clearest, self.measured).own_finite
        if repairs:
            sentence, advice = repairs[0].sentence, ""
        else:
            sentence = no_repair_sentence(before.q, before.eic, own, self.outcome.finished)
            advice = advice_sentence(before.q, before.eic, own) if self.outcome.finished else ""
        if not self.outcome.finished:
            sentence = (
                f"{sentence} {unfinished_search_sentence(self.outcome.evaluated, bool(repairs))}"
            )
        return Repairs(
            self.formula, self.samples, tuple(repairs), before, own, len(self.measured),
            self.outcome.evaluated, self.outcome.finished, sentence, advice,
        )

    def _promising(self) -> list[FoundForm]:
        """Forms that save digits, none of them worse than another in every way."""
        start = self.outcome.start.cost
        kept: list[FoundForm] = []
        for form in self.outcome.forms:
            if not _saves_digits(start, form.cost):
                continue
            if not any(_dominates(other.cost, form.cost) for other in kept):
                kept.append(form)
        return kept[:12]

    def _repair(self, form: FoundForm, before: Measured) -> Repair | None:
        assumptions = [a for step in form.steps for a in step.assumptions]
        verification = self.verifier.verify(form.root, assumptions)
        if verification is None:
            return None
        bare = self.terms.formula(form.root)
        formula = Formula(bare.nodes, to_python(bare))
        after = self._measure(form.root, formula)
        if not _measurably_better(before, after):
            return None
        steps = tuple(
            RepairStep(
                s.rule,
                short_text(self.terms.formula(s.before)),
                short_text(self.terms.formula(s.after)),
                tuple(self._assumption(a) for a in s.assumptions),
            )
            for s in form.steps
        )
        sentence = repair_sentence(
            formula.source, [s.rule for s in steps], _digits_saved(before, after)
        )
        return Repair(formula, steps, before, after, verification, sentence)

    def _assumption(self, assumption: Assumption) -> str:
        relation = {">": ">", ">=": "≥", "!=": "≠"}[assumption.relation]
        return f"{short_text(self.terms.formula(assumption.term))} {relation} 0"

    def _measure(self, root: int, formula: Formula) -> Measured:
        single, double = (observer.of(root) for observer in self.observers)
        amplification = correlated_eic(formula, self.measured)
        return Measured(amplification, formula.complexity, single, double)


def _digits_saved(before: Measured, after: Measured) -> Saved:
    return Saved(
        (before.q, after.q),
        (before.eic, after.eic),
        (before.float64.digits_lost, after.float64.digits_lost),
    )


def _saves_digits(before: Cost, after: Cost) -> bool:
    if before.out_of_range > after.out_of_range:
        return (
            after.q <= before.q + RANGE_TOLERANCE and after.worst <= before.worst + RANGE_WORST
        )
    if after.q > before.q + TOLERANCE or after.worst > before.worst + TOLERANCE:
        return False
    return (
        before.q - after.q >= GAIN
        or before.worst - after.worst >= GAIN
        or before.operations - after.operations >= OPERATIONS_GAIN
    )


def _dominates(one: Cost, other: Cost) -> bool:
    return (
        one.q <= other.q + TOLERANCE
        and one.worst <= other.worst + TOLERANCE
        and one.operations <= other.operations + TOLERANCE
        and one.out_of_range <= other.out_of_range
        and one.size <= other.size
    )


def _measurably_better(before: Measured, after: Measured) -> bool:
    """Digits at the root or the bottleneck, or results where there were none."""
    if after.amplification.singular > before.amplification.singular:
        return False
    failed = [(m.float64.failed, m.float32.failed) for m in (before, after)]
    if failed[1] < failed[0]:
        return after.q <= before.q + RANGE_TOLERANCE and after.eic <= before.eic + RANGE_WORST
    if after.q > before.q + TOLERANCE:
        return False
    if after.eic > before.eic + TOLERANCE and after.q > before.q - GAIN:
        return False
    return (
        before.q - after.q >= GAIN / 2
        or before.eic - after.eic >= GAIN / 2
        or before.float64.digits_lost - after.float64.digits_lost >= OPERATIONS_GAIN
    )


def _rank(r: Repair) -> float:
    """As the search's cost, with what double precision really lost for the operations."""
    lost = min(r.after.float64.digits_lost, 16.0)
    return r.after.q + WORST_WEIGHT * (r.after.eic + lost) + SIZE_WEIGHT * r.after.complexity
