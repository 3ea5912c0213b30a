"""Traits by which sets of formulas are compared: sizes, and operators that stand on each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
class Traits:
    """The traits of n formulas as they are written."""

    # shape (n,) each: distinct variables, constants that are leaves (an exact exponent belongs to
    # its operator), operators, nodes, and steps from the root to the farthest leaf
    numbers: Mapping[str, Numbers]
    pairs: Any  # sparse, shape (n, K): occurrences of each pair in each formula
    names: tuple[str, ...]  # The K pairs

    def __len__(self) -> int:
        return len(self.numbers["length"])

    def take(self, which: Numbers) -> Traits:
        numbers = {name: values[which] for name, values in self.numbers.items()}
        return Traits(numbers, self.pairs[which], self.names)

    @cached_property
    def place(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def pairs_by(self, names: Sequence[str]) -> Any:
        """The columns of `pairs` in the order of these names, which hold all of `self.names`."""
        from scipy import sparse

        order = [names.index(name) for name in self.names]
        ones = np.ones(len(order), dtype=np.int64)
        places = (np.arange(len(order)), np.array(order, dtype=np.int64))
        moved = sparse.csr_array((ones, places), shape=(len(order), len(names)))
        return self.pairs @ moved


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
        _count_matrix(rows, columns, (count, len(columns_by_name))),
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
        _count_matrix(forest.owner[below], code, (len(forest), operators**2)),
        tuple([f"{one} {other}" for one in words for other in words]),
    )


def joined(some: Sequence[Traits]) -> Traits:
    from scipy import sparse

    first = some[0]
    return Traits(
        {name: np.concatenate([each.numbers[name] for each in some]) for name in first.numbers},
        sparse.vstack([each.pairs for each in some], format="csr"),
        first.names,
    )


def _count_matrix(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    from scipy import sparse

    rows, columns = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    ones = np.ones(len(rows), dtype=np.int64)
    return sparse.csr_array((ones, (rows, columns)), shape=shape)
