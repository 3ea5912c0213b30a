"""Random formulas, thousands at once, as published generators grow them one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np

from eic_core.corpora.recipes import OperatorOdds, Recipe
from eic_core.engine.forest import Alphabet, Forest, Numbers
from eic_core.formula.syntax.build import number_label
from eic_core.formula.tree import CONSTANT, VARIABLE, Node


# Uniform trees: Lample and Charton (2020), Deep learning for symbolic mathematics, draw node by
# node; the cycle lemma (Dvoretzky and Motzkin, 1947) draws all at once.
def random_words(binaries: Numbers, unaries: Numbers, rng: np.random.Generator) -> Numbers:
    """Runs of arities in prefix order, each uniform over all trees with its numbers of nodes.

    >>> few = np.array([1, 0])
    >>> random_words(few, np.array([0, 2]), np.random.default_rng(0)).tolist()
    [2, 0, 0, 1, 1, 0]
    """
    sizes = 2 * binaries + 1 + unaries
    starts = np.concatenate(([0], np.cumsum(sizes)))
    owner = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(starts[-1]) - starts[owner]
    arity = np.where(place < binaries[owner], 2, (place < (binaries + unaries)[owner]).astype(int))
    arity = arity[shuffled(owner, rng)]
    # exactly one rotation of a shuffled run is a tree, and every tree stands for as many runs: it
    # begins behind the first place where fewest operands are missing
    missing = np.cumsum(arity - 1) + owner  # every earlier tree ended at -1
    longest = int(sizes.max(initial=1))
    coded = (missing + longest) * longest + place
    lowest = np.minimum.reduceat(coded, starts[:-1]) % longest
    rotated = starts[owner] + (place + (lowest + 1)[owner]) % sizes[owner]
    return arity[rotated]


def shuffled(owner: Numbers, rng: np.random.Generator) -> Numbers:
    """A random order of the places of each owner; `owner` ascends.

    >>> shuffled(np.array([0, 0, 1, 1]), np.random.default_rng(1)).tolist()
    [0, 1, 2, 3]
    """
    return np.argsort(owner + rng.random(len(owner)), kind="stable")


def share_of_binaries(operators: int, kinds: tuple[int, int, int] = (1, 1, 1)) -> list[Fraction]:
    """Shares of trees of n operators, by their binary ones; `kinds` (of leaves, unary and binary
    operators) are L, p1 and p2 of Lample and Charton.

    >>> [str(share) for share in share_of_binaries(2)]  # 6 trees: 1, 3 and 2
    ['1/6', '1/2', '1/3']
    """
    leaves, p1, p2 = kinds
    ways = []
    for two in range(operators + 1):
        one = operators - two
        shapes = factorial(2 * two + one) // (factorial(two) * factorial(one) * factorial(two + 1))
        ways.append(shapes * leaves ** (two + 1) * p1**one * p2**two)
    return [Fraction(way, sum(ways)) for way in ways]


class Grower:
    """Grows formulas of a recipe.

    >>> from eic_core.corpora.recipes import E2ESR
    >>> from eic_core.formula.rendering import to_python
    >>> grower = Grower(E2ESR)
    >>> forest = grower.grow(np.array([1, 2]), np.random.default_rng(3))
    >>> to_python(forest.formula(1))
    '3.12 + sqrt(32.7 + (-3.33*x1))*x0'
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        chosen = (*recipe.unaries, *recipe.binaries)
        names = [choice.word for choice in chosen]
        operands = [(0,)] * len(recipe.unaries) + [(0, 0)] * len(recipe.binaries)
        nodes = [
            Node(0, choice.operator, below, "", choice.parameter, (0, 0))
            for choice, below in zip(chosen, operands, strict=True)
        ]
        self.first_variable = len(nodes)
        nodes += [
            Node(0, VARIABLE, (), f"x{i}", None, (0, 0)) for i in range(recipe.most_variables)
        ]
        self.first_number = len(nodes)
        nodes += [Node(0, CONSTANT, (), label, None, (0, 0)) for label in number_labels(recipe)]
        self.alphabet = Alphabet(tuple(nodes))
        self.words = (*names, *[node.label for node in nodes[self.first_variable :]])
        self._unary_odds = odds(recipe.unaries)
        self._binary_odds = odds(recipe.binaries)
        unaries = len(recipe.unaries)
        self._is_sum = np.zeros(len(nodes), dtype=bool)
        self._is_sum[[names.index(word, unaries) for word in recipe.sums]] = True
        self._is_unary = np.arange(len(nodes)) < unaries
        self._shift = names.index(recipe.shift, unaries)
        self._factor = names.index(recipe.factor, unaries)

    def grow(self, variables: Numbers, rng: np.random.Generator) -> Forest:
        """A random formula for each number of variables, shape (M,); it holds all of them."""
        recipe = self.recipe
        binaries = rng.integers(variables - 1, variables + recipe.spare_binaries + 1)
        unaries = rng.integers(0, recipe.most_unaries + 1, len(variables))
        inside = np.zeros_like(binaries)
        if recipe.uniform_shapes:
            operators = binaries + unaries
            binaries = self._binaries_of(operators, variables - 1, rng)
            inside, unaries = operators - binaries, inside
        arity = random_words(binaries, inside, rng)
        symbols = np.empty(len(arity), dtype=np.int64)
        two, one = np.flatnonzero(arity == 2), np.flatnonzero(arity == 1)
        symbols[two] = len(recipe.unaries) + draw(self._binary_odds, len(two), rng)
        symbols[one] = draw(self._unary_odds, len(one), rng)
        sizes = 2 * binaries + inside + 1
        starts = np.concatenate(([0], np.cumsum(sizes)))
        owner = np.repeat(np.arange(len(variables)), sizes)
        leaves = np.flatnonzero(arity == 0)
        symbols[leaves] = self.first_variable + self._leaves(owner[leaves], variables, rng)
        forest = Forest(self.alphabet, symbols, starts)
        return self._with_numbers(self._with_unaries(forest, unaries, rng), rng)

    def _binaries_of(self, operators: Numbers, least: Numbers, rng: np.random.Generator) -> Numbers:
        """Numbers of binary operators, as among all trees with at least `least` of them."""
        most = int(operators.max())
        shares = np.zeros((most + 1, most + 1))
        for n in range(most + 1):
            shares[n, : n + 1] = [float(share) for share in share_of_binaries(n)]
        odds_of = np.where(np.arange(most + 1) >= least[:, None], shares[operators], 0.0)
        reaches = np.cumsum(odds_of, axis=1)
        goal = rng.random(len(operators)) * reaches[:, -1]
        return np.asarray((reaches <= goal[:, None]).sum(axis=1))

    def _leaves(self, owner: Numbers, variables: Numbers, rng: np.random.Generator) -> Numbers:
        """The variable of each leaf: every one once, at random places, the rest at random."""
        variable = rng.integers(0, variables[owner])
        order = shuffled(owner, rng)
        ranks = rank_among(owner)
        first = ranks < variables[owner]
        variable[order[first]] = ranks[first]
        return variable

    def _with_unaries(self, forest: Forest, counts: Numbers, rng: np.random.Generator) -> Forest:
        """Unary operators before random nodes with few nodes below, never before a root."""
        arity = self.alphabet.arity[forest.symbols]
        small = np.zeros(len(arity), dtype=bool)
        missing = np.ones(len(arity), dtype=np.int64)
        for ahead in range(self.recipe.largest_operand):
            missing[: len(arity) - ahead] += arity[ahead:] - 1
            missing[len(arity) - ahead :] = 1  # no node lies behind the end
            small |= missing == 0
            missing[missing == 0] = 1 << 20  # a part that ended stays ended
        small[forest.starts[:-1]] = False
        places = np.flatnonzero(small)
        owner = forest.owner[places]
        chosen = places[shuffled(owner, rng)][rank_among(owner) < counts[owner]]
        ahead_of = np.zeros(len(arity), dtype=np.int64)
        ahead_of[chosen] = 1
        grown, own = make_room(forest, ahead_of)
        grown.symbols[own[chosen] - 1] = draw(self._unary_odds, len(chosen), rng)
        return grown

    def _with_numbers(self, forest: Forest, rng: np.random.Generator) -> Forest:
        """Factors for operands of sums; affine maps for operands of functions and for the whole."""
        parent, symbols = forest.parent, forest.symbols
        operand = ~self._is_sum[symbols] & (parent >= 0)
        above = symbols[parent]
        ahead = np.where(operand & self._is_sum[above], 2, 0)
        ahead[operand & self._is_unary[above]] = 4
        roots = forest.starts[:-1]
        # the whole has a factor only if nothing else in the formula has one
        ahead[roots] = np.where(np.add.reduceat(ahead, roots) > 0, 2, 4)
        grown, own = make_room(forest, ahead)
        cells = grown.symbols
        before = own - ahead
        is_root = parent < 0
        factors = np.concatenate((before[(ahead == 2) & ~is_root], before[ahead == 4] + 2))
        shifts = np.concatenate((before[(ahead == 2) & is_root], before[ahead == 4]))
        cells[factors], cells[shifts] = self._factor, self._shift
        numbers = np.concatenate((factors, shifts)) + 1
        count = len(self.alphabet.nodes) - self.first_number
        cells[numbers] = self.first_number + rng.integers(0, count, len(numbers))
        return grown


def number_labels(recipe: Recipe) -> list[str]:
    low, high = recipe.exponents
    sizes = [
        Fraction(digits) * Fraction(10) ** power
        for power in range(low, high + 1)
        for digits in range(1, recipe.mantissa + 1)
    ]
    labels = [number_label(repr(float(size)).removesuffix(".0")) for size in sizes]
    return labels + [f"-{label}" for label in labels]


def odds(choices: Sequence[OperatorOdds]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The ends of the choices' shares of the unit interval, shape (choices,)."""
    total = np.cumsum([choice.weight for choice in choices])
    return np.asarray(total / total[-1])


def draw(
    reaches: np.ndarray[Any, np.dtype[np.float64]], count: int, rng: np.random.Generator
) -> Numbers:
    return np.asarray(np.searchsorted(reaches, rng.random(count), side="right"))


def rank_among(owner: Numbers) -> Numbers:
    """The rank of each place among those of its owner, from 0; `owner` ascends.

    >>> rank_among(np.array([0, 0, 2, 2, 2])).tolist()
    [0, 1, 0, 1, 2]
    """
    places = np.arange(len(owner))
    first = np.ones(len(owner), dtype=bool)
    np.not_equal(owner[1:], owner[:-1], out=first[1:])
    return places - np.maximum.accumulate(np.where(first, places, 0))


def make_room(forest: Forest, ahead: Numbers) -> tuple[Forest, Numbers]:
    """The formulas with room for `ahead` symbols before each, and the new places."""
    ends = np.cumsum(ahead + 1)
    own = ends - 1
    symbols = np.zeros(int(ends[-1]), dtype=np.int64)
    symbols[own] = forest.symbols
    starts = np.concatenate(([0], ends))[forest.starts]
    return Forest(forest.alphabet, symbols, starts), own
