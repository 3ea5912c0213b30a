"""Traits by which sets of formulas are compared: sizes, and operators that stand on each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eic_core.engine.forest import Forest, Numbers
from eic_core.formula.tree import CONSTANT, Formula, Node

NUMBERS: Mapping[str, str] = {
    "variables": "variables",
    "constants": "constants",
    "operators": "operators",
    "length": "length",
    "depth": "depth",
}
"""Traits that are one number a formula, with their labels."""

PAIRS = "operator pairs"
"""The trait with several values a formula: an operator over the operator of one of its operands."""

TRAITS = (*NUMBERS, PAIRS)


@dataclass(frozen=True)
class Occurrences:
    """K features of n formulas, each as often as it occurs: a sparse matrix of shape (n, K)."""

    shape: tuple[int, int]
    # rows, columns: the formula and the feature of each occurrence
    rows: Numbers
    columns: Numbers

    @property
    def of_rows(self) -> Numbers:
        return np.bincount(self.rows, minlength=self.shape[0])

    def of_columns(self, weights: Numbers | None = None) -> Numbers:
        """How often each feature occurs if each formula counts as often as its weight says."""
        each = None if weights is None else weights[self.rows]
        return np.bincount(self.columns, each, self.shape[1]).astype(np.int64)

    def take(self, which: Numbers) -> Occurrences:
        order = np.argsort(self.rows, kind="stable")
        counts = self.of_rows
        ends = np.cumsum(counts)
        lengths = counts[which]
        shift = np.repeat((ends - counts)[which] - (np.cumsum(lengths) - lengths), lengths)
        places = order[np.arange(len(shift)) + shift]
        rows = np.repeat(np.arange(len(which)), lengths)
        return Occurrences((len(which), self.shape[1]), rows, self.columns[places])

    def renumbered(self, columns: Numbers, count: int) -> Occurrences:
        return Occurrences((self.shape[0], count), self.rows, columns[self.columns])

    @classmethod
    def stacked(cls, some: Sequence[Occurrences]) -> Occurrences:
        starts = np.cumsum([0, *(one.shape[0] for one in some)])
        rows = [one.rows + start for one, start in zip(some, starts, strict=False)]
        columns = np.concatenate([one.columns for one in some])
        return cls((int(starts[-1]), some[0].shape[1]), np.concatenate(rows), columns)


@dataclass(frozen=True)
class Traits:
    """The traits of n formulas as they are written."""

    # shape (n,) each: distinct variables, constants that are leaves (an exact exponent belongs to
    # its operator), operators, nodes, and steps from the root to the farthest leaf
    numbers: Mapping[str, Numbers]
    pairs: Occurrences  # Of each pair in each formula
    names: tuple[str, ...]  # The K pairs

    def __len__(self) -> int:
        return len(self.numbers["length"])

    def take(self, which: Numbers) -> Traits:
        numbers = {name: values[which] for name, values in self.numbers.items()}
        return Traits(numbers, self.pairs.take(which), self.names)

    @cached_property
    def place(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def pairs_by(self, names: Sequence[str]) -> Occurrences:
        """The columns of `pairs` in the order of these names, which hold all of `self.names`."""
        order = np.array([names.index(name) for name in self.names], dtype=np.int64)
        return self.pairs.renumbered(order, len(names))


def traits_of(formulas: Iterable[Formula]) -> Traits:
    """The traits of formulas that are trees.

    >>> from eic_core.formula.syntax import read
    >>> traits = traits_of([read("2*x**2 + sin(x*y)").formula])
    >>> {name: values.tolist() for name, values in traits.numbers.items()}
    {'variables': [2], 'constants': [1], 'operators': [5], 'length': [9], 'depth': [3]}
    >>> traits.names
    ('mul power 2', 'add mul', 'sin mul', 'add sin')
    """
    numbers: dict[str, list[int]] = {name: [] for name in NUMBERS}
    columns_by_name: dict[str, int] = {}
    rows, columns, count = [], [], 0
    for formula in formulas:
        leaves = sum(node.is_leaf for node in formula)
        numbers["variables"].append(len(formula.variables))
        numbers["constants"].append(sum(node.operator == CONSTANT for node in formula))
        numbers["operators"].append(len(formula) - leaves)
        numbers["length"].append(len(formula))
        numbers["depth"].append(max(formula.depths))
        for node, parent in zip(formula, formula.parents, strict=True):
            if parent is not None and not node.is_leaf:
                name = f"{word(formula.nodes[parent])} {word(node)}"
                rows.append(count)
                columns.append(columns_by_name.setdefault(name, len(columns_by_name)))
        count += 1
    return Traits(
        {name: np.array(values) for name, values in numbers.items()},
        Occurrences(
            (count, len(columns_by_name)),
            np.array(rows, dtype=np.int64),
            np.array(columns, dtype=np.int64),
        ),
        tuple(columns_by_name),
    )


def word(node: Node) -> str:
    return node.operator if node.parameter is None else f"{node.operator} {node.parameter}"


def traits_of_forest(forest: Forest) -> Traits:
    alphabet, symbols, starts = forest.alphabet, forest.symbols, forest.starts[:-1]
    is_variable = alphabet.is_variable[symbols]
    used = np.zeros((len(forest), int(alphabet.is_variable.sum())), dtype=bool)
    used[forest.owner[is_variable], alphabet.column[symbols[is_variable]]] = True
    inner = alphabet.arity[symbols] > 0
    depth, above = np.zeros(len(symbols), dtype=np.int64), forest.parent
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, forest.parent[above], -1)
    words = [word(node) for node in alphabet.nodes if node.children]
    below = np.flatnonzero(inner & (forest.parent >= 0))
    operators = len(words)
    code = symbols[forest.parent[below]] * operators + symbols[below]
    return Traits(
        {
            "variables": used.sum(axis=1),
            "constants": np.add.reduceat(alphabet.is_constant[symbols].astype(int), starts),
            "operators": np.add.reduceat(inner.astype(int), starts),
            "length": forest.sizes,
            "depth": np.maximum.reduceat(depth, starts),
        },
        Occurrences((len(forest), operators**2), forest.owner[below], code),
        tuple([f"{one} {other}" for one in words for other in words]),
    )


def joined(some: Sequence[Traits]) -> Traits:
    first = some[0]
    return Traits(
        {name: np.concatenate([each.numbers[name] for each in some]) for name in first.numbers},
        Occurrences.stacked([each.pairs for each in some]),
        first.names,
    )
