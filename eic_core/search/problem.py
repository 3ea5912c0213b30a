"""The data, vocabulary and costs of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eic_core.errors import DataError, FormulaError, require
from eic_core.formula.syntax import read
from eic_core.formula.tree import VARIABLE
from eic_core.measure.table import Table
from eic_core.samples import Samples, evenly_spread
from eic_core.search.fitting import CentredTarget, Weights
from eic_core.search.measuring import PENALTIES, MeasuredTerms
from eic_core.search.vocabulary import DEFAULT_STEPS, Vocabulary

ALPHAS = {"gp": 0.002, "mcts": 0.01}
"""The default cost of a digit: that of Yu et al. for each method."""

MOST_TERMS = (1, 6, 6, 6)
"""Most terms of a candidate on each island.

One island has single terms alone: among sums of many, one product or function of everything is
hardly ever found.
"""

ISLANDS = len(MOST_TERMS)

ETA = 0.999

TRAINING_ROWS = 2_000
"""Most rows that a search sees; its front is measured on all rows."""

DIGIT_ROWS = 96
"""Rows on which digits are measured while searching; more gain nothing."""


@dataclass(frozen=True)
class SearchProblem:
    samples: Samples  # All rows, with a target
    vocabulary: Vocabulary
    alpha: float | None = None  # Cost of a digit; None for that of the method in `ALPHAS`
    eta: float = ETA  # Factor for each node
    penalty: str = "q90"  # Or "mean": s^2 of a node over the rows while searching
    method: str = "gp"  # Or "mcts"

    def __post_init__(self) -> None:
        if self.method not in ALPHAS:
            raise DataError(
                f"there is no method `{self.method}`", hint="there are " + ", ".join(ALPHAS)
            )
        if self.samples.target is None:
            raise DataError("a search needs a target column")
        self.samples.require(self.vocabulary.variables)
        if self.penalty not in PENALTIES:
            raise DataError(
                f"there is no penalty `{self.penalty}`", hint="there are " + ", ".join(PENALTIES)
            )
        for what, cost in (("digit", self.weights.alpha), ("node", self.eta)):
            if not np.isscalar(cost) or isinstance(cost, (str, bytes, bool)):
                raise DataError(
                    f"what a {what} costs is a number, not {cost!r}", hint="give 0.01, say"
                )
        if not 0 <= self.weights.alpha < np.inf:
            raise DataError(f"a digit cannot cost {self.alpha:g}", hint="give 0 or more")
        if not 0 < self.eta <= 1:
            raise DataError(
                f"a node cannot cost a factor {self.eta:g}", hint="give at most 1: 0.999, say"
            )
        if not 0 < self.target.square < np.inf:
            raise DataError(
                "the target is the same in every row: there is nothing to explain"
                if self.target.square == 0
                else "the target spreads wider than double range"
            )

    @cached_property
    def training(self) -> Samples:
        """The rows that the search sees, whatever the order of the table."""
        columns = [self.samples.columns[name] for name in reversed(self.vocabulary.variables)]
        assert self.samples.target is not None
        order = np.lexsort([*columns, self.samples.target])
        return self.samples.take(evenly_spread(order, TRAINING_ROWS))

    @cached_property
    def target(self) -> CentredTarget:
        assert self.training.target is not None
        return CentredTarget(self.training.target)

    @property
    def weights(self) -> Weights:
        alpha = ALPHAS[self.method] if self.alpha is None else self.alpha
        return Weights(alpha, self.eta, self.vocabulary.most_nodes)

    def terms(self) -> MeasuredTerms:
        rows = evenly_spread(np.arange(len(self.training)), DIGIT_ROWS)
        return MeasuredTerms(self.training, rows, self.penalty)


def samples_to_search(table: Table, target: str) -> Samples:
    """A table's complete rows with names that a formula can use.

    Parameters
    ----------
    table
        Rows with an empty cell are left out.
    target
        The column to explain; all others explain it.

    Returns
    -------
    Samples
        Inputs by their own names, or x0, x1, ... if one of these cannot be read; with the target.

    Raises
    ------
    DataError
        If there is no such column, no other one, or no complete row.

    Examples
    --------
    >>> from eic_core.measure.table import read_table
    >>> sorted(samples_to_search(read_table(b"a b,2nd,y\\n1,2,3\\n4,5,6\\n"), "y").columns)
    ['x0', 'x1']
    """
    require(table, Table)
    column = table.column(target)
    if column is None:
        listed = ", ".join(f"`{name}`" for name in table.names)
        raise DataError(f"the table has no column `{target}`", hint=f"it has {listed}")
    inputs = [name for name in table.names if name != column]
    if not inputs:
        raise DataError("a search needs at least one input column")
    return table.samples(dict(zip(variable_names(inputs), inputs, strict=True)), column)


def variable_names(columns: Sequence[str]) -> list[str]:
    """The columns' names if each is read as a variable; else x0, x1, ... in their order.

    >>> variable_names(["mass", "v"]), variable_names(["mass", "2nd try"])
    (['mass', 'v'], ['x0', 'x1'])
    """
    if all(_is_variable(name, columns) for name in columns):
        return list(columns)
    return [f"x{i}" for i in range(len(columns))]


def _is_variable(name: str, columns: Sequence[str]) -> bool:
    try:
        # inside a product: some names are read as a variable only where they stand alone
        nodes = read(f"2*{name}", syntax="infix", columns=columns).formula.nodes
    except FormulaError:
        return False
    return len(nodes) == 3 and nodes[1].operator == VARIABLE and nodes[1].label == name


def problem_of(
    samples: Samples,
    *,
    alpha: float | None = None,
    eta: float = ETA,
    penalty: str = "q90",
    method: str = "gp",
    operators: Sequence[str] = DEFAULT_STEPS,
    max_complexity: int = 40,
) -> SearchProblem:
    """The problem of finding formulas for the target of these samples.

    Parameters
    ----------
    samples
        With a target; the columns are the variables.
    alpha
        The cost of a digit; by default that of Yu et al. for the method, 0.002 or 0.01.
    eta
        The factor for each node in the fitness.
    penalty
        s^2 of a node over the rows while searching: its 90 % quantile, or its mean. {"q90",
        "mean"}.
    method
        Genetic programming, or Monte-Carlo tree search. {"gp", "mcts"}.
    operators
        Keys of `eic_core.search.vocabulary.STEPS`.
    max_complexity
        Most nodes of a formula.

    Returns
    -------
    SearchProblem
        Checked: DataError if a setting is out of range or the target is constant.
    """
    require(samples, Samples)
    vocabulary = Vocabulary(tuple(samples.columns), tuple(operators), max_complexity)
    return SearchProblem(samples, vocabulary, alpha, eta, penalty, method)
