"""An island of genetic programming: age-fitness selection over candidates of a few terms each
(Schmidt and Lipson, "Age-fitness Pareto optimization", 2010).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from eic_core.search.checkpoint import candidate_document, candidate_in, count_in, rng_state_in
from eic_core.search.fitting import Individual, weigh
from eic_core.search.keeping import best_and_polished, best_of, unbeaten
from eic_core.search.measuring import MeasuredTerms
from eic_core.search.problem import MOST_TERMS, SearchProblem
from eic_core.search.vocabulary import Genome, cross, one_of, parts_of

POPULATION = 300
BATCH = 500
NEWCOMERS = 15
TOURNAMENT = 5
IDLE = 10
"""Generations without a new candidate after which an epoch ends."""

MIGRANTS = 5


@dataclass
class IslandState:
    number: int  # From 0
    rng: Any  # As `random.Random.getstate` gives it
    population: list[Individual]  # The fittest first
    best: list[Individual]  # Those that no other candidate beat so far
    evaluations: int = 0

    @classmethod
    def first(cls, seed: int, number: int) -> IslandState:
        return cls(number, random.Random(f"{seed}.{number}").getstate(), [], [])

    def after(self, problem: SearchProblem, evaluations: int) -> IslandState:
        rng = random.Random()
        rng.setstate(self.rng)
        island = Island(problem, rng, list(self.population), MOST_TERMS[self.number])
        island.evolve(evaluations)
        best, polished = best_and_polished([*self.best, *island.best], island.terms, problem)
        population = survivors([*island.population, *polished])
        evaluated = self.evaluations + island.evaluations
        return IslandState(self.number, rng.getstate(), population, best, evaluated)

    @staticmethod
    def migrated(islands: Sequence[IslandState]) -> list[IslandState]:
        """Islands in a row, each with copies of the fittest of the one before it."""
        islands_after = [islands[0]]
        for before, island in pairwise(islands):
            guests = [replace(candidate) for candidate in before.population[:MIGRANTS]]
            islands_after.append(
                replace(island, population=survivors([*island.population, *guests]))
            )
        return islands_after

    def document(self) -> dict[str, Any]:
        return {
            "rng": self.rng,
            "evaluations": self.evaluations,
            "population": [candidate_document(c) for c in self.population],
            "kept": [candidate_document(c) for c in self.best],
        }

    @classmethod
    def read(cls, number: int, document: Mapping[str, Any], problem: SearchProblem) -> IslandState:
        """Island `number` of a checkpoint; ValueError if its `document` is damaged."""
        population, best = (
            [candidate_in(c, problem.vocabulary) for c in document[part]]
            for part in ("population", "kept")
        )
        evaluations = count_in(document["evaluations"])
        return cls(number, rng_state_in(document["rng"]), population, best, evaluations)


class Island:
    """One population and the stream of its random numbers, for some generations."""

    def __init__(
        self,
        problem: SearchProblem,
        rng: random.Random,
        population: list[Individual],
        most_terms: int,
    ) -> None:
        self.problem = problem
        self.rng = rng
        self.population = population
        self.most_terms = most_terms
        self.evaluations = 0
        self.best: list[
            Individual
        ] = []  # unbeaten in error, nodes and digits, of these generations
        self.terms: MeasuredTerms = problem.terms()
        self.measured_marks = {hash(frozenset(candidate.genome)) for candidate in population}

    def evolve(self, evaluations: int) -> None:
        """Measure so many more distinct candidates, or fewer if nothing new turns up."""
        goal, idle = self.evaluations + evaluations, 0
        while self.evaluations < goal and idle < IDLE:
            before = self.evaluations
            if self.population:
                self._select(*self._children(), goal)
            else:
                first = self._newcomers(2 * POPULATION)
                self._select(first, [0] * len(first), goal)
            for candidate in self.population:
                candidate.age += 1
            idle = idle + 1 if self.evaluations == before else 0

    def _newcomers(self, count: int) -> list[Genome]:
        start = self.problem.vocabulary.start
        return [start(self.rng, self.most_terms) for _ in range(count)]

    def _children(self) -> tuple[list[Genome], list[int]]:
        genomes = self._newcomers(NEWCOMERS)
        ages = [0] * NEWCOMERS
        # the fittest of a few that are drawn, all at once; the population is sorted by fitness
        draw, size = self.rng.random, len(self.population)
        for _ in range(BATCH):
            one = self.population[int(size * draw() ** TOURNAMENT)]
            other = self.population[int(size * draw() ** TOURNAMENT)]
            genomes.append(self._child(one.genome, other.genome))
            ages.append(max(one.age, other.age))
        return genomes, ages

    def _child(self, one: Genome, other: Genome) -> Genome:
        """A genome with one change: a term varied, crossed, taken over, added or left out."""
        rng, vocabulary = self.rng, self.problem.vocabulary
        terms = list(one)
        place = int(rng.random() * len(terms))
        kind = rng.random()
        if kind < 0.4:
            terms[place : place + 1] = parts_of(vocabulary.vary(terms[place], rng))
        elif kind < 0.75:
            terms[place : place + 1] = parts_of(cross(terms[place], one_of(other, rng), rng))
        elif kind < 0.87:
            terms.append(one_of(other, rng))
        elif kind < 0.95:
            terms += parts_of(vocabulary.grow(rng, 2))
        elif len(terms) > 1:
            terms.pop(place)
        return vocabulary.within(terms, rng, self.most_terms)

    def _select(self, genomes: Sequence[Genome], ages: Sequence[int], goal: int) -> None:
        fresh: list[Genome] = []
        fresh_ages: list[int] = []
        room = goal - self.evaluations
        for genome, age in zip(genomes, ages, strict=True):
            mark = hash(frozenset(genome))
            if genome and mark not in self.measured_marks and len(fresh) < room:
                self.measured_marks.add(mark)
                fresh.append(genome)
                fresh_ages.append(age)
        self.evaluations += len(fresh)
        least = -1e300
        if len(self.population) >= POPULATION:
            least = self.population[-1].fitness
        weighed = weigh(
            fresh, fresh_ages, self.terms, self.problem.target, self.problem.weights, least
        )
        for candidate in weighed:
            # a fit may have dropped terms: the shorter genome is no new candidate either
            self.measured_marks.add(hash(frozenset(candidate.genome)))
        better = unbeaten(weighed, self.best)
        if better:
            self.best = best_of([*self.best, *better])
        self.population = survivors([*self.population, *weighed])


def survivors(candidates: Sequence[Individual]) -> list[Individual]:
    """The `POPULATION` that the fewest beat in both fitness and age, the fittest first."""
    fitness = np.array([candidate.fitness for candidate in candidates])
    ages = np.array([candidate.age for candidate in candidates])
    nodes = np.array([candidate.nodes for candidate in candidates], dtype=np.int64)
    error = np.maximum([candidate.fitted.nmse for candidate in candidates], 1e-13)
    # of near copies, of as many nodes and the same error to six digits (19 of 52 bits), the fittest
    # stays
    near = (error.view(np.int64) >> 33) * 1024 + nodes
    order = np.lexsort((ages, -fitness))
    _, first = np.unique(near[order], return_index=True)
    rest = order[np.sort(first)]
    worth, age = fitness[rest], ages[rest]
    beaten = np.count_nonzero((worth > worth[:, None]) & (age <= age[:, None]), axis=1)
    fewest_beaten = rest[np.sort(np.argsort(beaten, kind="stable")[:POPULATION])]
    return [candidates[i] for i in fewest_beaten.tolist()]
