"""`repair`: equivalent forms of a formula that lose fewer digits, verified on the data."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from eic_core.formula.tree import Formula
from eic_core.measure.inspection import inspect
from eic_core.operators import OPERATORS
from eic_core.rewriting.builder import Builder
from eic_core.rewriting.families import FAMILIES
from eic_core.rewriting.gains import (
    Advice,
    Helps,
    NotSearched,
    Remedy,
    Unsearched,
    advise_nowhere,
)
from eic_core.rewriting.measuring import (
    Measurer,
    Truth,
    lost_rows,
    measured_samples,
    rows_within,
)
from eic_core.rewriting.precision import Target
from eic_core.rewriting.results import Repairs
from eic_core.rewriting.rows import choose_rows
from eic_core.rewriting.rules import Rewriter, RuleBook
from eic_core.rewriting.search import Limits, Search
from eic_core.rewriting.tables import ALL_RULES
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import ValueTable
from eic_core.rewriting.verify import decimal_rows
from eic_core.samples import Samples

MAX_NODES = 120
"""Larger formulas are not searched."""

RULES = RuleBook(ALL_RULES)
"""Every rule, by the operator at the root of its left side."""


def repair(
    formula: Formula,
    samples: Samples,
    *,
    target: Target = "float64",
    limit_seconds: float = 2.0,
    limit_steps: int = 700,
    limit_repairs: int = 3,
    progress: Callable[[float], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Repairs:
    """Equivalent forms of a formula that lose fewer digits on a data set.

    Parameters
    ----------
    formula
        The formula as written.
    samples
        With a column for each variable.
    target
        The precision of the program, which decides what is offered: its inputs are the nearest
        numbers of it. What a form does in the other precision is told.
    limit_seconds
        About how long it may take. It bounds the search for forms alone, at 60 % of it
        (`Repairs.missing` tells if it ended that); may be ``math.inf``.
    limit_steps
        The most forms that are costed; with this bound alone every machine gives one answer.
    limit_repairs
        The most repairs that are returned.
    progress
        Called with the share of `limit_steps` that is done, from 0 to 1.
    clock
        Gives the time in seconds.

    Returns
    -------
    Repairs
        The best first, with the reason if there is none.

    Raises
    ------
    DataError
        If a variable has no column.

    Notes
    -----
    A formula with conditions is not searched.

    A form is offered if it loses at least 0.3 digits fewer in the target or in sensitivity, has a
    value at more rows, or is shorter and a little better; if its values agree to 1e-30 at high
    precision on up to 200 rows, and no row loses its value. See ADR 0011.

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
        reason = NotSearched(Unsearched.TOO_LARGE, MAX_NODES)
        return _none(formula, samples, target, reason, Helps((Remedy.SEARCH_PART,)))
    if any(not OPERATORS[node.operator].numeric for node in formula if node.children):
        reason = NotSearched(Unsearched.CONDITIONALS)
        return _none(formula, samples, target, reason, Helps((Remedy.INSPECT_BRANCHES,)))
    rows = rows_within(choose_rows(formula, samples), formula, samples, target)
    terms = Terms(formula.exponents)
    root = terms.add(formula)
    table = ValueTable(terms, decimal_rows(samples, formula.variables, rows.searched))
    truth = Truth(terms, root, samples, rows, target)
    limits = Limits(limit_steps, seconds=0.6 * limit_seconds)
    rewriter = Rewriter(Builder(terms), RULES, FAMILIES)
    search = Search(table, rewriter, limits, progress, clock, truth.on(rows.searched))
    outcome = search.run(root)
    if outcome is None:
        lost = lost_rows(inspect(formula, measured_samples(formula, samples, rows)))
        reason = NotSearched(Unsearched.NO_VALUE)
        return _none(formula, samples, target, reason, advise_nowhere(lost))
    return Measurer(formula, samples, rows, outcome, truth).repairs(limit_repairs)


def _none(
    formula: Formula, samples: Samples, target: Target, reason: NotSearched, helps: Advice
) -> Repairs:
    return Repairs(formula, samples, (), None, math.nan, 0, 0, True, reason, helps, target)
