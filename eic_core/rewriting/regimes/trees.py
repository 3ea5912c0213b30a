"""Small decision trees over options: by guards, and along quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eic_core.operators.wide import Array
from eic_core.rewriting.gains import SCATTER
from eic_core.rewriting.regimes.axes import SplitAxis
from eic_core.rewriting.regimes.conditionals import Mask, follows, negated, parts
from eic_core.rewriting.regimes.splitting import FEWEST, PRICE, best_splits
from eic_core.rewriting.terms import Terms

RowPlaces = npt.NDArray[np.intp]

NODE_PRICE = 0.003
"""Digits that a node more of a side must gain where it is computed."""

DEPTH = 2
"""Quantities along which one way through a tree is split."""

GUARDS = 3
"""Guards on one way through a tree."""

GUARDS_TRIED = 3
"""Of those by which a tree may begin: the ones that promise most."""

HOLDS = 0.5
"""Share of a split's price that it must gain on rows held out."""


@dataclass(frozen=True)
class Leaf:
    option: int


@dataclass(frozen=True)
class Cut:
    """Along an axis: `below` a number between `low` and `high`, and `above` from it on."""

    axis: SplitAxis
    low: float
    high: float
    below: Tree
    above: Tree
    # What the condition compares with, once it is chosen, as text
    threshold: str | None = None

    def is_below(self, rows: RowPlaces) -> Mask:
        at = self.high if self.threshold is None else float(self.threshold)
        below: Mask = self.axis.values[rows] < at
        return below


@dataclass(frozen=True)
class Guarded:
    guard: int  # A truth term
    held: Tree
    other: Tree


Tree = Leaf | Cut | Guarded


@dataclass(frozen=True)
class ChoiceProblem:
    """Options, and what each loses at each row."""

    terms: Terms
    lost: Array  # shape (options, rows)
    guards: tuple[int | None, ...]  # Of each option
    masks: dict[int, Mask]  # Where each guard holds
    axes: Sequence[SplitAxis]
    sizes: Array  # Nodes of each option

    def leaves(self, tree: Tree, rows: RowPlaces) -> RowPlaces:
        """The option that each of some rows takes."""
        if isinstance(tree, Leaf):
            return np.full(len(rows), tree.option, dtype=np.intp)
        if isinstance(tree, Cut):
            first, one, two = tree.is_below(rows), tree.below, tree.above
        else:
            first, one, two = self.masks[tree.guard][rows], tree.held, tree.other
        taken = np.empty(len(rows), dtype=np.intp)
        taken[first], taken[~first] = self.leaves(one, rows[first]), self.leaves(two, rows[~first])
        return taken

    def lost_by(self, tree: Tree, rows: RowPlaces) -> Array:
        by_row: Array = self.lost[self.leaves(tree, rows), rows]
        return by_row

    def allowed(self, known: frozenset[int]) -> list[int]:
        """The options that may be computed where some truth terms hold."""
        return [
            i
            for i, guard in enumerate(self.guards)
            if guard is None or follows(self.terms, guard, known)
        ]

    def where_held(self, guard: int, known: frozenset[int]) -> frozenset[int]:
        return known | frozenset(parts(self.terms, guard))

    def where_not(self, guard: int, known: frozenset[int]) -> frozenset[int]:
        """What is known where a guard fails: of several comparisons, only if the others hold."""
        unknown = [
            part for part in parts(self.terms, guard) if not follows(self.terms, part, known)
        ]
        opposite = negated(self.terms, unknown[0]) if len(unknown) == 1 else None
        return known if opposite is None else known | {opposite}


class Solver:
    """The cheapest tree for some rows: digits lost there, nodes and splits have their price."""

    def __init__(self, problem: ChoiceProblem, rows: RowPlaces) -> None:
        self.problem = problem
        self.rows = rows
        self.price = PRICE * len(rows)
        self.priced = problem.lost + NODE_PRICE * problem.sizes[:, None]

    def solve(self) -> Tree:
        return self._solve(self.rows, frozenset(), (), GUARDS)[1]

    def _solve(
        self, rows: RowPlaces, known: frozenset[int], used: tuple[SplitAxis, ...], guards: int
    ) -> tuple[float, Tree]:
        allowed = self.problem.allowed(known)
        best = self._leaf(rows, allowed)
        if len(rows) < 2 * FEWEST:
            return best
        least = float(np.sum(np.min(self.priced[:, rows], axis=0)))
        if best[0] - least < self.price:
            return best
        candidates = [best]
        if guards:
            candidates += self._by_guards(rows, known, used, guards, allowed)
        if len(used) < DEPTH:
            candidates += self._by_axis(rows, known, used, guards, allowed)
        return min(candidates, key=lambda each: each[0])

    def _leaf(self, rows: RowPlaces, allowed: Sequence[int]) -> tuple[float, Tree]:
        costs = np.sum(self.priced[list(allowed)][:, rows], axis=1)
        place = int(np.argmin(costs))
        return float(costs[place]), Leaf(allowed[place])

    def _by_guards(
        self,
        rows: RowPlaces,
        known: frozenset[int],
        used: tuple[SplitAxis, ...],
        guards: int,
        allowed: Sequence[int],
    ) -> list[tuple[float, Tree]]:
        problem = self.problem
        own = [problem.guards[i] for i in range(len(problem.guards)) if i not in allowed]
        promising: list[tuple[float, int]] = []
        for guard in dict.fromkeys(own):
            assert guard is not None
            held = problem.masks[guard][rows]
            if not held.any():
                continue
            inside = self._leaf(rows[held], problem.allowed(problem.where_held(guard, known)))[0]
            outside = self._leaf(rows[~held], problem.allowed(problem.where_not(guard, known)))[0]
            promising.append((inside + outside, guard))
        promising.sort()
        tried = [guard for _, guard in promising[: GUARDS_TRIED if guards == GUARDS else 1]]
        # two signs part the rows into four: one of them first, then the other on both sides
        single = [part for guard in tried for part in parts(problem.terms, guard)]
        unknown = [part for part in single if not follows(problem.terms, part, known)]
        found: list[tuple[float, Tree]] = []
        for guard in dict.fromkeys([*tried, *unknown]):
            held = problem.masks[guard][rows]
            inside, one = self._solve(
                rows[held], problem.where_held(guard, known), used, guards - 1
            )
            outside, two = self._solve(
                rows[~held], problem.where_not(guard, known), used, guards - 1
            )
            found.append((inside + outside + self.price, Guarded(guard, one, two)))
        return found

    def _by_axis(
        self,
        rows: RowPlaces,
        known: frozenset[int],
        used: tuple[SplitAxis, ...],
        guards: int,
        allowed: Sequence[int],
    ) -> list[tuple[float, Tree]]:
        priced = self.priced[list(allowed)][:, rows]
        tried = [
            (best_splits(priced, axis.values[rows], self.price), axis)
            for axis in self.problem.axes
            if axis not in used
        ]
        tried = [(splits, axis) for splits, axis in tried if len(splits.ends) > 1]
        if not tried:
            return []
        least = min(splits.cost for splits, _ in tried)
        near = least + SCATTER * len(self.rows)
        splits, axis = next(each for each in tried if each[0].cost <= near)
        order = np.argsort(axis.values[rows], kind="stable")
        segments = np.split(rows[order], splits.ends[:-1])
        cost = self.price * (len(segments) - 1)
        sides: list[Tree] = []
        for segment in segments:
            own, tree = self._solve(np.sort(segment), known, (*used, axis), guards=0)
            cost += own
            sides.append(tree)
        tree = sides[-1]
        for place in reversed(range(len(segments) - 1)):
            low = float(np.max(axis.values[segments[place]]))
            high = float(np.min(axis.values[segments[place + 1]]))
            tree = Cut(axis, low, high, sides[place], tree)
        return [(cost, tree)]


def pruned(
    problem: ChoiceProblem, tree: Tree, train: RowPlaces, held_out: RowPlaces, total: int
) -> Tree:
    """A tree without the splits whose gain does not hold on rows held out; `total` are all of
    these.
    """
    return _pruned(problem, tree, train, held_out, total, frozenset())


def _pruned(
    problem: ChoiceProblem,
    tree: Tree,
    train: RowPlaces,
    held_out: RowPlaces,
    total: int,
    known: frozenset[int],
) -> Tree:
    allowed = problem.allowed(known)
    priced = problem.lost + NODE_PRICE * problem.sizes[:, None]
    if isinstance(tree, Leaf):
        return tree
    if isinstance(tree, Cut):
        in_train, in_held = tree.is_below(train), tree.is_below(held_out)
        below = _pruned(problem, tree.below, train[in_train], held_out[in_held], total, known)
        above = _pruned(problem, tree.above, train[~in_train], held_out[~in_held], total, known)
        tree = replace(tree, below=below, above=above)
        same = below == above
    else:
        mask = problem.masks[tree.guard]
        in_train, in_held = mask[train], mask[held_out]
        inside = problem.where_held(tree.guard, known)
        outside = problem.where_not(tree.guard, known)
        held = _pruned(problem, tree.held, train[in_train], held_out[in_held], total, inside)
        other = _pruned(problem, tree.other, train[~in_train], held_out[~in_held], total, outside)
        tree = replace(tree, held=held, other=other)
        same = held == other
    costs = np.sum(priced[allowed][:, train], axis=1)
    alone = Leaf(allowed[int(np.argmin(costs))])
    gain = np.sum(problem.lost_by(alone, held_out)) - np.sum(problem.lost_by(tree, held_out))
    return tree if not same and gain >= HOLDS * PRICE * total else alone


def options_of(tree: Tree) -> list[int]:
    if isinstance(tree, Leaf):
        return [tree.option]
    sides = (tree.below, tree.above) if isinstance(tree, Cut) else (tree.held, tree.other)
    return list(dict.fromkeys([option for side in sides for option in options_of(side)]))
