"""Monte-Carlo tree search: a node is a formula, and its children are mutations of it.

A round descends by upper bounds (UCB1: Auer, Cesa-Bianchi and Fischer, 2002), mutates the nodes
where it ends, and adds each child's fitness to all nodes above it (Yu et al.). The root stands for
the constant, and its children are random formulas.
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
from eic_core.search.keeping import best_and_polished, best_of, unbeaten
from eic_core.search.measuring import MeasuredTerms
from eic_core.search.problem import MOST_TERMS, SearchProblem
from eic_core.search.vocabulary import Genome, cross, one_of, parts_of

EXPLORATION = 0.03
"""The factor of the root of ln N / n: rewards of formulas that fit differ by hundredths."""

WIDENING = 4.0
"""A node of n visits may have this many times the root of n children."""

DESCENTS, CHILDREN = 25, 20
"""Descents of a round, and children of the node where one ends."""

MOST_NODES = 1_000
"""Most nodes of a tree; beyond it the leaves of the least mean reward are dropped."""

IDLE = 30
"""Rounds without a new candidate after which an epoch ends."""


@dataclass
class TreeState:
    """A tree between two epochs; lists of its nodes begin with the root."""

    number: int  # From 0
    rng: Any  # As `random.Random.getstate` gives it
    formulas: list[Individual | None]  # None for the root
    parents: list[int]  # -1 for the root
    visits: list[int]  # Rewards that were added to the node
    mutations: list[int]  # Children that were built of it, nodes or not
    rewards: list[float]  # Sums
    best: list[Individual]  # Candidates that no other beat so far
    evaluations: int = 0

    @classmethod
    def first(cls, seed: int, number: int) -> TreeState:
        rng = random.Random(f"mcts.{seed}.{number}").getstate()
        return cls(number, rng, [None], [-1], [0], [0], [0.0], [])

    def after(self, problem: SearchProblem, evaluations: int) -> TreeState:
        rng = random.Random()
        rng.setstate(self.rng)
        tree = SearchTree(problem, rng, self)
        tree.grow(evaluations)
        best, polished = best_and_polished([*self.best, *tree.best], tree.terms, problem)
        tree.plant(polished)
        return TreeState(
            self.number,
            rng.getstate(),
            tree.formulas,
            tree.parents.tolist(),
            tree.visits.tolist(),
            tree.mutations.tolist(),
            tree.rewards.tolist(),
            best,
            self.evaluations + tree.evaluations,
        )

    @staticmethod
    def migrated(trees: Sequence[TreeState]) -> list[TreeState]:
        """Trees side by side exchange nothing."""
        return list(trees)

    def document(self) -> dict[str, Any]:
        return {
            "rng": self.rng,
            "evaluations": self.evaluations,
            "formulas": [candidate_document(c) for c in self.formulas if c is not None],
            "parents": self.parents,
            "visits": self.visits,
            "made": self.mutations,
            "rewards": self.rewards,
            "kept": [candidate_document(c) for c in self.best],
        }

    @classmethod
    def read(cls, number: int, document: Mapping[str, Any], problem: SearchProblem) -> TreeState:
        """Tree `number` of a checkpoint; ValueError if its `document` is damaged."""
        formulas, best = (
            [candidate_in(c, problem.vocabulary) for c in document[part]]
            for part in ("formulas", "kept")
        )
        visits, mutations = ([count_in(n) for n in document[part]] for part in ("visits", "made"))
        parents, rewards = list(document["parents"]), [float(r) for r in document["rewards"]]
        above = all(0 <= count_in(parent) < i for i, parent in enumerate(parents[1:], 1))
        whole = len(formulas) + 1 == len(parents) == len(visits) == len(mutations) == len(rewards)
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
            mutations,
            rewards,
            best,
            count_in(document["evaluations"]),
        )


def upper_bounds(rewards: Array, visits: Counts, above: float, waiting: Counts) -> Array:
    """UCB1 of the children, shape (C,), whose parent has `above` visits: mean + `EXPLORATION`
    sqrt(ln N / n), N and n with the visits that wait for a reward.

    >>> upper_bounds(np.array([0.9, 1.6]), np.array([1, 2]), math.e**4, np.array([0, 2]))
    array([0.96, 0.83])
    """
    mean = rewards / visits
    return np.asarray(mean + EXPLORATION * np.sqrt(math.log(above) / (visits + waiting)))


class SearchTree:
    """One tree and the stream of its random numbers, for some rounds; `state` is left as it is."""

    def __init__(self, problem: SearchProblem, rng: random.Random, state: TreeState) -> None:
        self.problem = problem
        self.rng = rng
        self.most_terms = MOST_TERMS[state.number]
        self.formulas = list(state.formulas)
        self.parents: Counts = np.array(state.parents)
        self.visits: Counts = np.array(state.visits)
        self.mutations: Counts = np.array(state.mutations)
        self.rewards = np.array(state.rewards)
        self.children: list[list[int]] = []
        self.reward_of: dict[int, float] = {}  # by the hash of a formula's terms
        self._index()
        for candidate in self.formulas[1:]:
            assert candidate is not None
            self.reward_of[hash(frozenset(candidate.genome))] = candidate.fitness
        # the constant's fitness: the reward of a child without a value, or too long
        self.least_reward = problem.eta / 2
        self.evaluations = 0
        self.best: list[Individual] = []
        self.terms: MeasuredTerms = problem.terms()

    def grow(self, evaluations: int) -> None:
        """Measure so many more distinct candidates, or fewer if nothing new turns up."""
        goal, idle = evaluations, 0
        while self.evaluations < goal and idle < IDLE:
            before = self.evaluations
            self._round(goal)
            if len(self.formulas) > MOST_NODES:
                self._forget()
            idle = idle + 1 if self.evaluations == before else 0

    def plant(self, candidates: Sequence[Individual]) -> None:
        for candidate in candidates:
            mark = hash(frozenset(candidate.genome))
            if mark not in self.reward_of:
                self.reward_of[mark] = candidate.fitness
                self._add_reward(0, 1, candidate.fitness)
                self._join([candidate], [0])
                self.mutations[0] += 1

    def _round(self, goal: int) -> None:
        ends = self._descents()
        parents = [end for end in ends for _ in range(CHILDREN)]
        genomes = [self._child(self.formulas[parent]) for parent in parents]
        marks = [hash(frozenset(genome)) for genome in genomes]
        weighed = self._weigh_new(genomes, marks, goal - self.evaluations)
        gained: dict[int, list[float]] = {}
        for parent, mark in zip(parents, marks, strict=True):
            if mark in self.reward_of:
                gained.setdefault(parent, []).append(self.reward_of[mark])
        for parent, rewards in gained.items():
            self.mutations[parent] += len(rewards)
            self._add_reward(parent, len(rewards), math.fsum(rewards))
        better = unbeaten(weighed, self.best)
        if better:
            self.best = best_of([*self.best, *better])
        new = {}
        for candidate in weighed:
            mark = hash(frozenset(candidate.genome))
            # a fit may have dropped terms, and the shorter formula may be a node already
            if mark == marks[candidate.age] or mark not in self.reward_of:
                self.reward_of[mark] = candidate.fitness
                new[mark] = candidate
        self._join(list(new.values()), [parents[candidate.age] for candidate in new.values()])

    def _weigh_new(
        self, genomes: Sequence[Genome], marks: Sequence[int], most: int
    ) -> list[Individual]:
        """Measure genomes without a reward, at most so many; the ages are their places."""
        fresh: dict[int, int] = {}
        for place, mark in enumerate(marks):
            if mark not in self.reward_of and len(fresh) < most:
                fresh.setdefault(mark, place)
        self.evaluations += len(fresh)
        self.reward_of.update(dict.fromkeys(fresh, self.least_reward))
        places = list(fresh.values())
        new = [genomes[place] for place in places]
        weighed = weigh(new, places, self.terms, self.problem.target, self.problem.weights)
        for candidate in weighed:
            self.reward_of[marks[candidate.age]] = candidate.fitness
        return weighed

    def _descents(self) -> list[int]:
        ends: list[int] = []
        waiting, waiting_mutations = np.zeros((2, len(self.formulas)), dtype=np.int64)
        for _ in range(DESCENTS):
            path, node = [0], 0
            while self.children[node]:
                above = float(self.visits[node] + waiting[node])
                # progressive widening (Coulom, 2007): a node with many visits gets more children
                if self.mutations[node] + waiting_mutations[node] < WIDENING * math.sqrt(above):
                    break
                below = self.children[node]
                bounds = upper_bounds(
                    self.rewards[below], self.visits[below], above, waiting[below]
                )
                node = below[int(np.argmax(bounds))]
                path.append(node)
            # visits without a reward yet send the next descent of the round elsewhere: Liu et al.,
            # "Watch the unobserved" (2020)
            waiting[path] += CHILDREN
            waiting_mutations[node] += CHILDREN
            ends.append(node)
        return ends

    def _child(self, parent: Individual | None) -> Genome:
        """A mutation: a term varied, given a part of another, added or left out."""
        rng, vocabulary = self.rng, self.problem.vocabulary
        if parent is None:
            return vocabulary.start(rng, self.most_terms)
        terms = list(parent.genome)
        place, kind = int(rng.random() * len(terms)), rng.random()
        if kind < 0.55:
            terms[place : place + 1] = parts_of(vocabulary.vary(terms[place], rng))
        elif kind < 0.7:
            terms[place : place + 1] = parts_of(cross(terms[place], one_of(terms, rng), rng))
        elif kind < 0.9:
            terms += parts_of(vocabulary.grow(rng, 2))
        elif len(terms) > 1:
            terms.pop(place)
        return vocabulary.within(terms, rng, self.most_terms)

    def _add_reward(self, node: int, count: int, reward: float) -> None:
        """Add so many visits and their reward to a node and to all above it."""
        while node >= 0:
            self.visits[node] += count
            self.rewards[node] += reward
            node = int(self.parents[node])

    def _join(self, candidates: Sequence[Individual], parents: Sequence[int]) -> None:
        first, count = len(self.formulas), len(candidates)
        for candidate in candidates:
            candidate.age = 0
        self.formulas += candidates
        self.parents = np.concatenate([self.parents, np.array(parents, dtype=np.int64)])
        self.visits = np.concatenate([self.visits, np.ones(count, dtype=np.int64)])
        self.mutations = np.concatenate([self.mutations, np.zeros(count, dtype=np.int64)])
        self.rewards = np.concatenate([self.rewards, [c.fitness for c in candidates]])
        self.children += [[] for _ in candidates]
        for node, parent in enumerate(parents, first):
            self.children[parent].append(node)

    def _forget(self) -> None:
        """Drop leaves of the least mean reward; what they added above them stays."""
        leaves = np.array([i for i, below in enumerate(self.children) if i and not below])
        worst = np.argsort(self.rewards[leaves] / self.visits[leaves], kind="stable")
        staying = np.ones(len(self.formulas), dtype=bool)
        staying[leaves[worst[: len(staying) - 3 * MOST_NODES // 4]]] = False
        place = np.cumsum(staying) - 1
        self.formulas = [self.formulas[i] for i in np.flatnonzero(staying).tolist()]
        parents = self.parents[staying]
        parents[1:] = place[parents[1:]]
        self.parents = parents
        self.visits, self.mutations = self.visits[staying], self.mutations[staying]
        self.rewards = self.rewards[staying]
        self._index()

    def _index(self) -> None:
        self.children = [[] for _ in self.formulas]
        for node, parent in enumerate(self.parents.tolist()):
            if node:
                self.children[parent].append(node)
