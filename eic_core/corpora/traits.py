"""What is counted of formulas when sets of them are compared: sizes, and which operator stands on
which.
"""

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
"""Traits that are a number of each formula, with what they are called."""

PAIRS = "operator pairs"
"""The trait that is a set of each formula: an operator and one that an operand of it ends with."""

TRAITS = (*NUMBERS, PAIRS)


@dataclass(frozen=True)
class Traits:
    """What was counted of some formulas, as they are written."""

    # shape (n,): Distinct variables, constants that are leaves (an exact exponent belongs to its
    # operator), operators, nodes, and steps from the root to the farthest leaf
    numbers: Mapping[str, Numbers]
    # shape (n, K): How often each pair of operators stands in each formula, one over the other
    pairs: Any
    names: tuple[str, ...]  # The pairs

    def __len__(self) -> int:
        return len(self.numbers["length"])

    def take(self, which: Numbers) -> Traits:
        """Of these formulas alone."""
        numbers = {name: values[which] for name, values in self.numbers.items()}
        return Traits(numbers, self.pairs[which], self.names)

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Where each pair stands."""
        return {name: i for i, name in enumerate(self.names)}

    def pairs_by(self, names: Sequence[str]) -> Any:
        """The pairs in another order, which holds all of these."""
        from scipy import sparse

        order = [names.index(name) for name in self.names]
        ones = np.ones(len(order), dtype=np.int64)
        places = (np.arange(len(order)), np.array(order, dtype=np.int64))
        moved = sparse.csr_array((ones, places), shape=(len(order), len(names)))
        return self.pairs @ moved


def traits_of(formulas: Iterable[Formula]) -> Traits:
    """What is counted of formulas that are trees.

    >>> from eic_core.formula.syntax import read
    >>> found = traits_of([read("2*x**2 + sin(x*y)").formula])
    >>> {name: values.tolist() for name, values in found.numbers.items()}
    {'variables': [2], 'constants': [1], 'operators': [5], 'length': [9], 'depth': [3]}
    >>> found.names
    ('mul power 2', 'add mul', 'sin mul', 'add sin')
    """
    numbers: dict[str, list[int]] = {name: [] for name in NUMBERS}
    known: dict[str, int] = {}
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
                columns.append(known.setdefault(name, len(known)))
        count += 1
    return Traits(
        {name: np.array(values) for name, values in numbers.items()},
        _counted(rows, columns, (count, len(known))),
        tuple(known),
    )


def word(node: Node) -> str:
    """An operator with its exact parameter."""
    return node.operator if node.parameter is None else f"{node.operator} {node.parameter}"


def traits_of_forest(forest: Forest) -> Traits:
    """The same of formulas that are arrays."""
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
        _counted(forest.owner[below], code, (len(forest), operators**2)),
        tuple([f"{one} {other}" for one in words for other in words]),
    )


def joined(some: Sequence[Traits]) -> Traits:
    """Traits of the same pairs, one after the other."""
    from scipy import sparse

    first = some[0]
    return Traits(
        {name: np.concatenate([each.numbers[name] for each in some]) for name in first.numbers},
        sparse.vstack([each.pairs for each in some], format="csr"),
        first.names,
    )


def _counted(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    from scipy import sparse

    rows, columns = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    ones = np.ones(len(rows), dtype=np.int64)
    return sparse.csr_array((ones, (rows, columns)), shape=shape)
