"""Random formulas: their trees are uniform, and they are grown as their recipe says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2

from eic_core.corpora.growing import Grower, number_labels, random_words, share_of_binaries
from eic_core.corpora.recipes import E2ESR, UNARY_BINARY
from eic_core.corpora.texts import infix_texts, prefix_texts
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from tests.effort import cases

MISTAKE = 1e-6
"""How often a true claim may fail, of each test of a frequency."""


def trees(binaries: int, unaries: int) -> Iterator[tuple[int, ...]]:
    """All of so many nodes, as words in prefix order, by what stands at the root."""
    if not binaries and not unaries:
        yield (0,)
    if unaries:
        for below in trees(binaries, unaries - 1):
            yield (1, *below)
    for left_two in range(binaries):
        for left_one in range(unaries + 1):
            for left in trees(left_two, left_one):
                for right in trees(binaries - 1 - left_two, unaries - left_one):
                    yield (2, *left, *right)


def assert_shares(found: Counter, wanted: dict, count: int, least: float = 20) -> None:
    """Pearson's statistic stays below what chance exceeds once in a million."""
    assert found.keys() <= wanted.keys()
    expected = {key: count * float(share) for key, share in wanted.items()}
    statistic = sum((found[key] - each) ** 2 / each for key, each in expected.items())
    assert min(expected.values()) > least
    assert statistic < chi2.isf(MISTAKE, len(wanted) - 1)


@pytest.mark.parametrize(("binaries", "unaries"), [(2, 0), (3, 0), (5, 0), (1, 2), (2, 2), (3, 1)])
def test_every_tree_is_equally_likely(binaries, unaries):
    every = list(trees(binaries, unaries))
    assert len(every) == len(set(every))
    count = cases(100, 1000) * len(every)
    words = random_words(
        np.full(count, binaries),
        np.full(count, unaries),
        np.random.default_rng(binaries + 10 * unaries),
    )
    found = Counter(map(tuple, words.reshape(count, -1).tolist()))
    assert_shares(found, dict.fromkeys(every, 1 / len(every)), count)


def test_trees_of_different_sizes_stand_one_after_the_other():
    binaries, unaries = np.array([2, 0, 1, 0]), np.array([1, 0, 0, 3])
    words = random_words(binaries, unaries, np.random.default_rng(0)).tolist()
    for two, one in zip(binaries, unaries, strict=True):
        size = 2 * int(two) + 1 + int(one)
        assert tuple(words[:size]) in set(trees(int(two), int(one)))
        words = words[size:]
    assert not words


@cache
def completions(empty: int, operators: int, leaves: int, p1: int, p2: int) -> int:
    """D(e, n) of Lample and Charton (2020, appendix C), by their recursion."""
    if not empty:
        return 0
    if not operators:
        return leaves**empty
    return (
        leaves * completions(empty - 1, operators, leaves, p1, p2)
        + p1 * completions(empty, operators - 1, leaves, p1, p2)
        + p2 * completions(empty + 1, operators - 1, leaves, p1, p2)
    )


@pytest.mark.parametrize("kinds", [(1, 1, 1), (3, 2, 4)])
def test_the_share_of_binary_operators_is_that_of_all_trees(kinds):
    leaves, p1, p2 = kinds
    for operators in range(5):
        ways = [
            sum(
                leaves ** word.count(0) * p1 ** word.count(1) * p2 ** word.count(2)
                for word in trees(two, operators - two)
            )
            for two in range(operators + 1)
        ]
        # Lample and Charton count the same; without operators they count one leaf
        assert sum(ways) == completions(1, operators, *kinds)
        assert share_of_binaries(operators, kinds) == [Fraction(w, sum(ways)) for w in ways]


@pytest.fixture(scope="module")
def grown():
    grower = Grower(E2ESR)
    variables = np.random.default_rng(2).integers(1, 11, cases(1500, 20_000))
    return grower, variables, grower.grow(variables, np.random.default_rng(3))


def test_every_formula_holds_all_of_its_variables_and_no_other(grown):
    _, variables, forest = grown
    for number in range(0, len(forest), cases(10, 20)):
        assert set(forest.formula(number).variables) == {f"x{i}" for i in range(variables[number])}


def test_operators_are_drawn_with_the_odds_of_the_recipe(grown):
    grower, _, forest = grown
    words = [grower.words[symbol] for symbol in forest.symbols.tolist()]
    weights = {choice.word: choice.weight for choice in E2ESR.unaries}
    found = Counter(word for word in words if word in weights)
    total = sum(weights.values())
    assert_shares(found, {k: w / total for k, w in weights.items()}, found.total())


def kind(node) -> str:
    return {0: "leaf", 1: "function"}.get(len(node.children)) or (
        "sum" if node.operator in ("add", "sub") else "product"
    )


def test_numbers_stand_where_the_recipe_puts_them(grown):
    """A shift before the whole, a factor before what is added, both inside a function."""
    _, _, forest = grown
    for number in range(0, len(forest), cases(10, 20)):
        formula = forest.formula(number)
        nodes = formula.nodes
        assert formula.root.operator == "add"
        assert nodes[formula.root.children[0]].operator == "constant"
        for node in nodes:
            below = [nodes[child] for child in node.children]
            if kind(node) == "sum":
                for part in below:
                    factor = kind(part) == "product" and nodes[part.children[0]]
                    if node is formula.root:  # behind its shift stands anything
                        continue
                    assert (
                        kind(part) == "sum"
                        or part.operator == "constant"
                        or (factor and factor.operator == "constant")
                    )
            if kind(node) == "function":
                assert kind(below[0]) == "sum"
        assert any(
            kind(node) == "product" and nodes[node.children[0]].operator == "constant"
            for node in nodes
        )


def stripped(formula) -> str:
    """A formula without its numbers: what stood there before they were put in."""

    def walk(place: int) -> str:
        node = formula.nodes[place]
        if len(node.children) == 2 and formula.nodes[node.children[0]].operator == "constant":
            return walk(node.children[1])
        return f"{node.operator}{node.label}({','.join(map(walk, node.children))})"

    return walk(len(formula) - 1)


def test_binary_operators_are_uniform_in_number_and_in_kind(grown):
    _, variables, forest = grown
    beyond, kinds = Counter(), Counter()
    for number in range(len(forest)):
        text = stripped(forest.formula(number))
        counts = {word: text.count(f"{word}(") for word in ("add", "sub", "mul")}
        beyond[sum(counts.values()) - int(variables[number])] += 1
        kinds.update(counts)
    assert_shares(beyond, dict.fromkeys(range(-1, 4), 1 / 5), len(forest))
    assert_shares(kinds, dict.fromkeys(("add", "sub", "mul"), 1 / 3), kinds.total())


def test_functions_are_taken_of_little_and_never_of_the_whole(grown):
    grower, _, forest = grown
    unary = {choice.operator for choice in E2ESR.unaries}
    most = 0
    for number in range(0, len(forest), cases(5, 20)):
        bare = read_back(stripped(forest.formula(number)))
        assert len(bare[1]) != 1
        inside = [part for part in parts(bare) if len(part[1]) == 1]
        for _, (operand,) in inside:
            assert sum(len(part[1]) != 1 for part in parts(operand)) <= E2ESR.largest_operand
        most = max(most, len(inside))
    assert most == E2ESR.most_unaries and unary


def read_back(text: str):
    """``name(part,part)`` as nested pairs."""
    name, _, rest = text.partition("(")
    found, depth, start = [], 0, 0
    inner = rest[:-1]
    for at, character in enumerate(inner + ","):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            if inner[start:at]:
                found.append(read_back(inner[start:at]))
            start = at + 1
    return name, found


def parts(tree):
    yield tree
    for below in tree[1]:
        yield from parts(below)


def test_shapes_are_uniform_over_all_trees_of_as_many_operators():
    """One variable, so that no tree is too small; operators are n = b + u as drawn."""
    grower = Grower(UNARY_BINARY)
    count = cases(2500, 30_000)
    forest = grower.grow(np.ones(count, dtype=int), np.random.default_rng(8))
    found: dict[int, Counter] = {}
    for number in range(count):
        word = shape(read_back(stripped(forest.formula(number))))
        found.setdefault(sum(map(bool, word)), Counter())[word] += 1
    assert set(found) == set(range(9))
    for operators in (2, 3):
        every = [word for two in range(operators + 1) for word in trees(two, operators - two)]
        total = found[operators].total()
        assert_shares(found[operators], dict.fromkeys(every, 1 / len(every)), total, least=5)


def shape(tree) -> tuple[int, ...]:
    """A tree as a word in prefix order."""
    below = [number for part in tree[1] for number in shape(part)]
    return (len(tree[1]), *below)


def test_numbers_have_three_digits_and_lie_below_a_hundred():
    values = Counter(Fraction(label) for label in number_labels(E2ESR))
    wanted = Counter(
        sign * Fraction(digits, 10**power)
        for sign in (1, -1)
        for power in (1, 2, 3)
        for digits in range(1, 1000)
    )
    assert values == wanted and max(values) == Fraction(999, 10)


def test_infix_is_what_any_tree_is_written_as_and_reads_back(grown):
    grower, _, forest = grown
    few = forest.take(np.arange(cases(150, 3000)))
    for number, text in enumerate(infix_texts(few)):
        formula = few.formula(number)
        assert text == to_python(formula)
        if number % 5 == 0:
            assert read(text).formula.structure() == formula.structure()


def test_tokens_are_the_words_of_the_recipe_in_prefix_order(grown):
    grower, _, forest = grown
    for number, text in enumerate(prefix_texts(forest.take(np.arange(50)), grower.words)):
        values = []
        for token in reversed(text.split(",")):  # Polish notation, worked off from its end
            one = next((c for c in E2ESR.unaries if c.word == token), None)
            two = next((c for c in E2ESR.binaries if c.word == token), None)
            arity = 1 if one else 2 if two else 0
            below = [values.pop() for _ in range(arity)]
            values.append((one or two).operator + f"({','.join(below)})" if arity else token)
        assert len(values) == 1
        formula = forest.formula(number)

        def walk(place, formula=formula):
            node = formula.nodes[place]
            if not node.children:
                return node.label
            return f"{node.operator}({','.join(map(walk, node.children))})"

        assert values[0] == walk(len(formula) - 1)
