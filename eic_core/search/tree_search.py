"""Monte-Carlo tree search: a node is a formula, and its children are mutations of it.

Every round goes down from the root some times, at each node to the child of the highest upper
confidence bound (UCB1: Auer, Cesa-Bianchi and Fischer, 2002), makes children of the node where it
ends, fits and weighs all of them at once, and adds the fitness of each to the reward of every node
above it (Yu et al.: mean reward and visits are backpropagated).  Which node gets children follows
progressive widening (Coulom, 2007): one that is visited often may have more of them.  A descent of
a round counts as visits for those after it (Liu et al., "Watch the unobserved", 2020).

The root stands for the constant; its children are random formulas, and after each epoch the best
with the numbers inside them fitted.  A formula that turns up again brings its reward to the nodes
above it, but is no second node.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core.engine.population import Counts
from eic_core.operators.wide import Array
from eic_core.search.checkpoint import candidate_document, candidate_in, count_in, rng_state_in
from eic_core.search.fitting import Individual, weigh
from eic_core.search.keeping import best_of, kept_and_polished, unbeaten
from eic_core.search.measuring import MeasuredTerms
from eic_core.search.problem import MOST_TERMS, SearchProblem
from eic_core.search.vocabulary import Genome, crossed, one_of, parts_of

EXPLORATION = 0.03
"""What the root of ln N / n is multiplied by: rewards of formulas that fit differ by hundredths."""

WIDENING = 4.0
"""A node of n visits may have made this many children times the root of n."""

DESCENTS, CHILDREN = 25, 20
"""Of a round, and of the node where a descent ends."""

MOST_NODES = 1_000
"""Of a tree; then the leaves of the least mean reward are dropped."""

IDLE = 30
"""Rounds without a new candidate after which an epoch ends."""


@dataclass
class TreeState:
    """A tree between two epochs; what is listed of its nodes begins with the root."""

    number: int  # From 0
    rng: Any  # As `random.Random.getstate` gives it
    formulas: list[Individual | None]  # None is the root's
    # parents, visits, made: the place of the node above, -1 for the root's; rewards that the node
    # was told; children that were made of it
    parents: list[int]
    visits: list[int]
    made: list[int]
    rewards: list[float]  # Their sum
    kept: list[Individual]  # What no other candidate beat so far
    evaluations: int = 0

    @classmethod
    def first(cls, seed: int, number: int) -> TreeState:
        """Tree `number` of a search before its first epoch."""
        rng = random.Random(f"mcts.{seed}.{number}").getstate()
        return cls(number, rng, [None], [-1], [0], [0], [0.0], [])

    def after(self, problem: SearchProblem, evaluations: int) -> TreeState:
        """The tree after so many more candidates."""
        rng = random.Random()
        rng.setstate(self.rng)
        tree = SearchTree(problem, rng, self)
        tree.grow(evaluations)
        kept, polished = kept_and_polished([*self.kept, *tree.best], tree.terms, problem)
        tree.plant(polished)
        return TreeState(
            self.number,
            rng.getstate(),
            tree.formulas,
            tree.parents.tolist(),
            tree.visits.tolist(),
            tree.made.tolist(),
            tree.rewards.tolist(),
            kept,
            self.evaluations + tree.evaluations,
        )

    @staticmethod
    def migrated(trees: Sequence[TreeState]) -> list[TreeState]:
        """Trees side by side know nothing of each other."""
        return list(trees)

    def document(self) -> dict[str, Any]:
        """As a checkpoint holds it."""
        return {
            "rng": self.rng,
            "evaluations": self.evaluations,
            "formulas": [candidate_document(c) for c in self.formulas if c is not None],
            "parents": self.parents,
            "visits": self.visits,
            "made": self.made,
            "rewards": self.rewards,
            "kept": [candidate_document(c) for c in self.kept],
        }

    @classmethod
    def read(cls, number: int, document: Mapping[str, Any], problem: SearchProblem) -> TreeState:
        """Tree `number` as its `document` has it; a ValueError if that is none."""
        formulas, kept = (
            [candidate_in(c, problem.vocabulary) for c in document[part]]
            for part in ("formulas", "kept")
        )
        visits, made = ([count_in(n) for n in document[part]] for part in ("visits", "made"))
        parents, rewards = list(document["parents"]), [float(r) for r in document["rewards"]]
        above = all(0 <= count_in(parent) < i for i, parent in enumerate(parents[1:], 1))
        whole = len(formulas) + 1 == len(parents) == len(visits) == len(made) == len(rewards)
        if not (whole and above and parents[0] == -1 and all(visits[1:])):
            raise ValueError("the nodes of a tree hang together")
        if not all(map(math.isfinite, rewards)):
            raise ValueError("a reward is not finite")
        return cls(
            number,
            rng_state_in(document["rng"]),
            [None, *formulas],
            parents,
            visits,
            made,
            rewards,
            kept,
            count_in(document["evaluations"]),
        )


def upper_bounds(rewards: Array, visits: Counts, above: float, waiting: Counts) -> Array:
    """UCB1 of the children of a node: mean + `EXPLORATION` sqrt(ln N / n).

    - `rewards`, `visits`, shape (C,): of each child the sum of its rewards and their number, 1 or
      more.
    - `above`: N, the visits of the node, with those that wait for a reward.
    - `waiting`, shape (C,): visits that do: n are those of the child with these.

    >>> upper_bounds(np.array([0.9, 1.6]), np.array([1, 2]), math.e**4, np.array([0, 2]))
    array([0.96, 0.83])
    """
    mean = rewards / visits
    return np.asarray(mean + EXPLORATION * np.sqrt(math.log(above) / (visits + waiting)))


class SearchTree:
    """One tree and the stream of its random numbers, for some rounds.

    - `state`: what it goes on from; left as it is.
    - `formulas`, `parents`, `visits`, `made`, `rewards`: as `TreeState` has them.
    - `children`: of each node.
    - `known`: rewards by the hash of a formula's terms.
    - `evaluations`: distinct candidates that were measured.
    - `best`: what no other beats in error, nodes and digits, of these rounds.
    """

    def __init__(self, problem: SearchProblem, rng: random.Random, state: TreeState) -> None:
        self.problem = problem
        self.rng = rng
        self.most_terms = MOST_TERMS[state.number]
        self.formulas = list(state.formulas)
        self.parents: Counts = np.array(state.parents)
        self.visits: Counts = np.array(state.visits)
        self.made: Counts = np.array(state.made)
        self.rewards = np.array(state.rewards)
        self.children: list[list[int]] = []
        self.known: dict[int, float] = {}
        self._index()
        for candidate in self.formulas[1:]:
            assert candidate is not None
            self.known[hash(frozenset(candidate.genome))] = candidate.fitness
        self.nothing = problem.eta / 2
        """The fitness of the constant: the reward of a child without a value, or too long."""
        self.evaluations = 0
        self.best: list[Individual] = []
        self.terms: MeasuredTerms = problem.terms()

    def grow(self, evaluations: int) -> None:
        """Go on until so many more distinct candidates, 1 or more, have been measured.

        It ends earlier where nothing new turns up any more.
        """
        goal, idle = evaluations, 0
        while self.evaluations < goal and idle < IDLE:
            before = self.evaluations
            self._round(goal)
            if len(self.formulas) > MOST_NODES:
                self._forget()
            idle = idle + 1 if self.evaluations == before else 0

    def plant(self, candidates: Sequence[Individual]) -> None:
        """Make candidates children of the root, if they are no nodes yet."""
        for candidate in candidates:
            mark = hash(frozenset(candidate.genome))
            if mark not in self.known:
                self.known[mark] = candidate.fitness
                self._told(0, 1, candidate.fitness)
                self._join([candidate], [0])
                self.made[0] += 1

    def _round(self, goal: int) -> None:
        """Some descents, the children that they make, and what is learned of these."""
        ends = self._descents()
        parents = [end for end in ends for _ in range(CHILDREN)]
        genomes = [self._child(self.formulas[parent]) for parent in parents]
        marks = [hash(frozenset(genome)) for genome in genomes]
        fresh: dict[int, int] = {}
        room = goal - self.evaluations
        for place, mark in enumerate(marks):
            if mark not in self.known and len(fresh) < room:
                fresh.setdefault(mark, place)
        self.evaluations += len(fresh)
        self.known.update(dict.fromkeys(fresh, self.nothing))
        places = list(fresh.values())
        born = weigh(
            [genomes[place] for place in places],
            places,
            self.terms,
            self.problem.target,
            self.problem.weights,
        )
        for candidate in born:  # its age says from which place it comes
            self.known[marks[candidate.age]] = candidate.fitness
        gained: dict[int, list[float]] = {}
        for parent, mark in zip(parents, marks, strict=True):
            if mark in self.known:
                gained.setdefault(parent, []).append(self.known[mark])
        for parent, rewards in gained.items():
            self.made[parent] += len(rewards)
            self._told(parent, len(rewards), math.fsum(rewards))
        better = unbeaten(born, self.best)
        if better:
            self.best = best_of([*self.best, *better])
        new = {}
        for candidate in born:
            mark = hash(frozenset(candidate.genome))
            if mark == marks[candidate.age] or mark not in self.known:
                self.known[mark] = candidate.fitness
                new[mark] = candidate
        self._join(list(new.values()), [parents[candidate.age] for candidate in new.values()])

    def _descents(self) -> list[int]:
        """The nodes that are to have children."""
        ends: list[int] = []
        waiting, waiting_made = np.zeros((2, len(self.formulas)), dtype=np.int64)
        for _ in range(DESCENTS):
            path, at = [0], 0
            while self.children[at]:
                above = float(self.visits[at] + waiting[at])
                if self.made[at] + waiting_made[at] < WIDENING * math.sqrt(above):
                    break
                below = self.children[at]
                bounds = upper_bounds(
                    self.rewards[below], self.visits[below], above, waiting[below]
                )
                at = below[int(np.argmax(bounds))]
                path.append(at)
            waiting[path] += CHILDREN
            waiting_made[at] += CHILDREN
            ends.append(at)
        return ends

    def _child(self, parent: Individual | None) -> Genome:
        """A mutation: a term varied, given a part of another, added or left out."""
        rng, vocabulary = self.rng, self.problem.vocabulary
        if parent is None:
            return vocabulary.start(rng, self.most_terms)
        terms = list(parent.genome)
        place, kind = int(rng.random() * len(terms)), rng.random()
        if kind < 0.55:
            terms[place : place + 1] = parts_of(vocabulary.varied(terms[place], rng))
        elif kind < 0.7:
            terms[place : place + 1] = parts_of(crossed(terms[place], one_of(terms, rng), rng))
        elif kind < 0.9:
            terms += parts_of(vocabulary.grown(rng, 2))
        elif len(terms) > 1:
            terms.pop(place)
        return vocabulary.within(terms, rng, self.most_terms)

    def _told(self, node: int, count: int, reward: float) -> None:
        """Add so many visits and their reward to a node and to all above it."""
        while node >= 0:
            self.visits[node] += count
            self.rewards[node] += reward
            node = int(self.parents[node])

    def _join(self, candidates: Sequence[Individual], parents: Sequence[int]) -> None:
        """Make candidates nodes, each told its own reward."""
        first, count = len(self.formulas), len(candidates)
        for candidate in candidates:
            candidate.age = 0
        self.formulas += candidates
        self.parents = np.concatenate([self.parents, np.array(parents, dtype=np.int64)])
        self.visits = np.concatenate([self.visits, np.ones(count, dtype=np.int64)])
        self.made = np.concatenate([self.made, np.zeros(count, dtype=np.int64)])
        self.rewards = np.concatenate([self.rewards, [c.fitness for c in candidates]])
        self.children += [[] for _ in candidates]
        for node, parent in enumerate(parents, first):
            self.children[parent].append(node)

    def _forget(self) -> None:
        """Drop leaves of the least mean reward, a quarter of the nodes; what they told stays."""
        leaves = np.array([i for i, below in enumerate(self.children) if i and not below])
        worst = np.argsort(self.rewards[leaves] / self.visits[leaves], kind="stable")
        left = np.ones(len(self.formulas), dtype=bool)
        left[leaves[worst[: len(left) - 3 * MOST_NODES // 4]]] = False
        place = np.cumsum(left) - 1
        self.formulas = [self.formulas[i] for i in np.flatnonzero(left).tolist()]
        parents = self.parents[left]
        parents[1:] = place[parents[1:]]
        self.parents = parents
        self.visits, self.made = self.visits[left], self.made[left]
        self.rewards = self.rewards[left]
        self._index()

    def _index(self) -> None:
        """Find the children of each node."""
        self.children = [[] for _ in self.formulas]
        for node, parent in enumerate(self.parents.tolist()):
            if node:
                self.children[parent].append(node)
