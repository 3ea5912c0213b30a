"""`repair`: equivalent forms of a formula that lose fewer digits, verified on the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eic_core.explain.conditioning import own_conditioning
from eic_core.explain.correlated import CorrelatedAmplification, correlated_eic
from eic_core.explain.rewriting.algebra_rules import ALGEBRA_RULES
from eic_core.explain.rewriting.build import Builder
from eic_core.explain.rewriting.exponential_rules import EXPONENTIAL_RULES
from eic_core.explain.rewriting.families import FAMILIES
from eic_core.explain.rewriting.observed import ObservedError, Observer
from eic_core.explain.rewriting.rows import Rows, choose_rows
from eic_core.explain.rewriting.rules import Assumption, Rewriter, RuleBook
from eic_core.explain.rewriting.search import (
    RANGE_TOLERANCE,
    RANGE_WORST,
    SIZE_WEIGHT,
    TOLERANCE,
    WORST_WEIGHT,
    Cost,
    Found,
    Limits,
    Outcome,
    Search,
    needed_digits,
)
from eic_core.explain.rewriting.sentences import Saved, nothing_better, repair_sentence
from eic_core.explain.rewriting.terms import Terms
from eic_core.explain.rewriting.trigonometry_rules import TRIGONOMETRY_RULES
from eic_core.explain.rewriting.values import ValueTable
from eic_core.explain.rewriting.verify import Verification, Verifier, decimal_rows
from eic_core.formula.rendering import short_text, to_latex, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.data import Samples
from eic_core.measure.inspection import json_number

MAX_NODES = 120
"""Larger formulas are not searched."""

GAIN = 0.1
"""Digits that a form must save, at the root or at its worst node, to be proposed."""

OPERATIONS_GAIN = 0.5
"""Digits that it must save when the inputs are taken as exact, if it saves no others."""

RULES = RuleBook((*ALGEBRA_RULES, *EXPONENTIAL_RULES, *TRIGONOMETRY_RULES))
"""Every rule, by the operator at the root of its left side."""


@dataclass(frozen=True)
class Measured:
    """One form on the measured rows.

    Attributes
    ----------
    amplification : CorrelatedAmplification
        q at the root and EIC.
    complexity : int
        Number of nodes.
    float32, float64 : ObservedError
        What plain evaluation makes of it.
    """

    amplification: CorrelatedAmplification = field(repr=False)
    complexity: int
    float32: ObservedError
    float64: ObservedError

    @property
    def q(self) -> float:
        """Digits lost at the root when copies share their noise, singular samples left out."""
        return self.amplification.q_eic_finite

    @property
    def eic(self) -> float:
        """EIC, singular samples left out."""
        return self.amplification.eic_finite

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "q": json_number(self.q),
            "eic": json_number(self.eic),
            "complexity": self.complexity,
            "float32": self.float32.to_json(),
            "float64": self.float64.to_json(),
        }


@dataclass(frozen=True)
class RepairStep:
    """One rewrite: which rule, where, and what it needs.

    Attributes
    ----------
    rule : str
    before, after : str
        The sub-expressions exchanged, as short labels.
    assumptions : tuple of str
        Such as ``"x > 0"``.
    """

    rule: str
    before: str
    after: str
    assumptions: tuple[str, ...]


@dataclass(frozen=True)
class Repair:
    """An equivalent form that loses fewer digits.

    Attributes
    ----------
    formula : Formula
        The new form; its source is its Python text.
    steps : tuple of RepairStep
    before, after : Measured
    verification : Verification
    sentence : str
    """

    formula: Formula
    steps: tuple[RepairStep, ...]
    before: Measured
    after: Measured
    verification: Verification
    sentence: str

    @property
    def text(self) -> str:
        """Python infix, which reads back to the same tree."""
        return self.formula.source

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must hold for the two to be equal; it holds on the data."""
        return tuple(dict.fromkeys(a for step in self.steps for a in step.assumptions))

    @property
    def rules(self) -> tuple[str, ...]:
        """Names of the rules used, in order, without repetition."""
        return tuple(dict.fromkeys(step.rule for step in self.steps))

    @property
    def delta_q(self) -> float:
        """Change of q at the root, in digits; negative is better."""
        return self.after.q - self.before.q

    @property
    def delta_eic(self) -> float:
        """Change of EIC, in digits; negative is better."""
        return self.after.eic - self.before.eic

    @property
    def delta_complexity(self) -> int:
        """Change of the number of nodes."""
        return self.after.complexity - self.before.complexity

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        return {
            "formula": self.text,
            "latex": to_latex(self.formula),
            "sentence": self.sentence,
            "steps": [
                {
                    "rule": s.rule,
                    "before": s.before,
                    "after": s.after,
                    "assumptions": list(s.assumptions),
                }
                for s in self.steps
            ],
            "assumptions": list(self.assumptions),
            "after": self.after.to_json(),
            "delta_q": json_number(self.delta_q),
            "delta_eic": json_number(self.delta_eic),
            "delta_complexity": self.delta_complexity,
            "verification": self.verification.to_json(),
        }


@dataclass(frozen=True)
class Repairs:
    """What the search for better forms found.

    Attributes
    ----------
    formula : Formula
    samples : Samples
    repairs : tuple of Repair
        The best first; may be empty.
    before : Measured or None
        None if no row could be measured.
    own : float
        The function's own conditioning on the measured rows, in digits: what no form of it
        can go below.
    measured_rows : int
    evaluated : int
        Forms whose cost was computed.
    finished : bool
        False if the deadline ended the search.
    sentence : str
        The best repair, or why there is none.
    """

    formula: Formula
    samples: Samples = field(repr=False)
    repairs: tuple[Repair, ...]
    before: Measured | None
    own: float
    measured_rows: int
    evaluated: int
    finished: bool
    sentence: str

    @property
    def best(self) -> Repair | None:
        """The first repair, if there is one."""
        return self.repairs[0] if self.repairs else None

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        return {
            "formula": to_python(self.formula),
            "sentence": self.sentence,
            "own": json_number(self.own),
            "before": None if self.before is None else self.before.to_json(),
            "measured_rows": self.measured_rows,
            "evaluated": self.evaluated,
            "finished": self.finished,
            "repairs": [r.to_json() for r in self.repairs],
        }


def repair(
    formula: Formula,
    samples: Samples,
    *,
    limit_seconds: float = 2.0,
    limit_steps: int = 700,
    most: int = 3,
    progress: Callable[[float], None] | None = None,
) -> Repairs:
    """Equivalent forms of a formula that lose fewer digits on a data set.

    Parameters
    ----------
    formula : Formula
    samples : Samples
        With a column for each variable.
    limit_seconds : float
        A deadline for the search, about half of it for the measurements.
    limit_steps : int
        How many forms are looked at; with this bound alone the answer is the same on
        every machine.
    most : int
        How many repairs are returned at most.
    progress : callable (fraction) -> None, optional

    Raises
    ------
    DataError
        If a variable has no column.

    Notes
    -----
    A form is proposed if it saves 0.1 digits of q at the root or at its worst node (or
    keeps values in double range), q at the root does not rise (0.02 digits), its values agree to
    1e-30 at high precision on up to 200 rows, and no row loses its value.  See ADR 0009.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1e3, 1e5, 1e7]})
    >>> found = repair(read("sqrt(x+1) - sqrt(x)").formula, samples)
    >>> found.best.text
    '1/(sqrt(x + 1) + sqrt(x))'
    >>> found.best.rules
    ('conjugate roots',)
    """
    samples.require(formula.variables)
    if formula.complexity > MAX_NODES:
        return _none(formula, samples, f"it has more than {MAX_NODES} nodes, too many to search")
    rows = choose_rows(formula, samples)
    terms = Terms()
    root = terms.add(formula)
    table = _search_table(terms, root, samples, rows, formula)
    limits = Limits(limit_steps, seconds=0.6 * limit_seconds)
    search = Search(table, Rewriter(Builder(terms), RULES, FAMILIES), limits, progress)
    outcome = search.run(root)
    if outcome is None:
        return _none(formula, samples, "no sample has a value with a finite amplification")
    return _Measurer(formula, samples, rows, table, outcome).repairs(most)


def _search_table(
    terms: Terms, root: int, samples: Samples, rows: Rows, formula: Formula
) -> ValueTable:
    """Values on the search's rows, with the digits that the formula's worst node needs."""
    texts = decimal_rows(samples, formula.variables, rows.searched)
    table = ValueTable(terms, texts, 50)
    worst = 0.0
    for number in terms.below(root):
        s2 = table.noise(number).s2
        s2 = s2[~np.isnan(s2)]
        if len(s2):
            worst = max(worst, float(0.5 * np.log10(max(1.0, np.max(s2)))))
    digits = needed_digits(worst)
    return table if digits == table.digits else ValueTable(terms, texts, digits)


def _none(formula: Formula, samples: Samples, reason: str) -> Repairs:
    sentence = f"No better form was looked for: {reason}."
    return Repairs(formula, samples, (), None, math.nan, 0, 0, True, sentence)


class _Measurer:
    """Verifies and measures the forms that a search found."""

    def __init__(
        self, formula: Formula, samples: Samples, rows: Rows, table: ValueTable, outcome: Outcome
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
        taken = list(rows.measured)
        self.measured = Samples.from_columns(
            {name: samples.columns[name][taken] for name in names},
            count=len(taken),
            exact={
                name: {i: cells[row] for i, row in enumerate(taken) if row in cells}
                for name, cells in samples.exact.items()
            },
        )

    def repairs(self, most: int) -> Repairs:
        """The best forms that hold, measured."""
        before = self._measure(self.root, self.formula)
        found: list[Repair] = []
        for form in self._promising():
            if len(found) == most:
                break
            repaired = self._repair(form, before)
            if repaired is not None:
                found.append(repaired)
        found.sort(key=_rank)
        clearest = found[0].formula if found else self.formula
        own = own_conditioning(clearest, self.measured).own_finite
        if found:
            sentence = found[0].sentence
        else:
            sentence = nothing_better(before.q, own, self.outcome.finished)
        return Repairs(
            self.formula, self.samples, tuple(found), before, own, len(self.measured),
            self.outcome.evaluated, self.outcome.finished, sentence,
        )

    def _promising(self) -> list[Found]:
        """Forms that save digits, none of them worse than another in every way."""
        start = self.outcome.start.cost
        kept: list[Found] = []
        for form in self.outcome.forms:
            if not _saves(start, form.cost):
                continue
            if not any(_dominates(other.cost, form.cost) for other in kept):
                kept.append(form)
        return kept[:12]

    def _repair(self, form: Found, before: Measured) -> Repair | None:
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
        sentence = repair_sentence(formula.source, [s.rule for s in steps], _saved(before, after))
        return Repair(formula, steps, before, after, verification, sentence)

    def _assumption(self, assumption: Assumption) -> str:
        relation = {">": ">", ">=": "≥", "!=": "≠"}[assumption.relation]
        return f"{short_text(self.terms.formula(assumption.term))} {relation} 0"

    def _measure(self, root: int, formula: Formula) -> Measured:
        single, double = (observer.of(root) for observer in self.observers)
        amplification = correlated_eic(formula, self.measured)
        return Measured(amplification, formula.complexity, single, double)


def _saved(before: Measured, after: Measured) -> Saved:
    return Saved(
        (before.q, after.q),
        (before.eic, after.eic),
        (before.float64.digits_lost, after.float64.digits_lost),
    )


def _saves(before: Cost, after: Cost) -> bool:
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
    if (after.float64.failed, after.float32.failed) < (before.float64.failed, before.float32.failed):
        return (
            after.q <= before.q + RANGE_TOLERANCE and after.eic <= before.eic + RANGE_WORST
        )
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
