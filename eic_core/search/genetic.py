"""An island of genetic programming: age-fitness selection over candidates of a few terms each.

Every generation makes children by crossover and mutation of terms, adds a few new random candidates
of age 0, and keeps those that no other beats in both fitness and age (Schmidt and Lipson,
"Age-fitness Pareto optimization", 2010), of near copies one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from eic_core.search.fitting import Candidate, Genome, weigh
from eic_core.search.keeping import best_of
from eic_core.search.matching import Matcher
from eic_core.search.measuring import Terms
from eic_core.search.problem import Problem
from eic_core.search.terms import Grammar, Term, crossed, one_of, parts_of

POPULATION = 300
BATCH = 500
NEWCOMERS = 15
MATCHED = 25
TOURNAMENT = 5


class Island:
    """One population and the stream of its random numbers, for some generations.

    Parameters
    ----------
    problem : Problem
    rng : random.Random
    population : list of Candidate
        Empty at first.

    Attributes
    ----------
    evaluations : int
        Distinct candidates that were measured.
    best : list of Candidate
        What no other beats in error, nodes and digits, of these generations.
    """

    def __init__(
        self, problem: Problem, rng: random.Random, population: list[Candidate]
    ) -> None:
        self.problem = problem
        self.rng = rng
        self.population = population
        self.evaluations = 0
        self.best: list[Candidate] = []
        self.terms: Terms = problem.terms()
        self.matcher = Matcher(problem.training, problem.grammar, self.terms, problem.target, rng)
        self.seen = {hash(frozenset(candidate.genome)) for candidate in population}

    def evolve(self, evaluations: int) -> None:
        """Go on until so many more distinct candidates have been measured, 1 or more."""
        goal = self.evaluations + evaluations
        if not self.population:
            first = [self._newcomer() for _ in range(2 * POPULATION)]
            self._take(first, [0] * len(first), goal)
        while self.evaluations < goal:
            before = self.evaluations
            self._take(*self._children(), goal)
            for candidate in self.population:
                candidate.age += 1
            if self.evaluations == before:  # everything within reach has been seen
                self.seen.clear()

    def _newcomer(self) -> Genome:
        rng, grammar = self.rng, self.problem.grammar
        terms: list[Term] = []
        for _ in range(1 + int(rng.random() * 3)):
            terms += parts_of(grammar.grown(rng, 1 + int(rng.random() * 4)))
        return self._fitting(grammar, terms)

    def _fitting(self, grammar: Grammar, terms: Sequence[Term]) -> Genome:
        """A genome of terms that are not too long, nor too many."""
        short = list(dict.fromkeys(terms))
        size = sum([len(term) for term in short]) + 3 * len(short) - 1
        while short and (len(short) > grammar.most_terms or size - 2 > grammar.most_nodes):
            gone = short.pop(int(self.rng.random() * len(short)))
            size -= len(gone) + 3
        return tuple(short)

    def _children(self) -> tuple[list[Genome], list[int]]:
        genomes = [self._newcomer() for _ in range(NEWCOMERS)]
        ages = [0] * NEWCOMERS
        # the fittest of a few that are drawn, all at once; the population is sorted by fitness
        draw, size = self.rng.random, len(self.population)
        for _ in range(BATCH):
            one = self.population[int(size * draw() ** TOURNAMENT)]
            other = self.population[int(size * draw() ** TOURNAMENT)]
            genomes.append(self._child(one.genome, other.genome))
            ages.append(max(one.age, other.age))
        parents = [self.population[int(size * draw() ** 2)] for _ in range(MATCHED)]
        for parent, terms in zip(parents, self.matcher.improved(parents), strict=True):
            genomes.append(self._fitting(self.problem.grammar, terms))
            ages.append(parent.age)
        return genomes, ages

    def _child(self, one: Genome, other: Genome) -> Genome:
        """A genome with one change: a term varied, crossed, taken over, added or left out."""
        rng, grammar = self.rng, self.problem.grammar
        terms = list(one)
        place = int(rng.random() * len(terms))
        kind = rng.random()
        if kind < 0.4:
            terms[place : place + 1] = parts_of(grammar.varied(terms[place], rng))
        elif kind < 0.75:
            terms[place : place + 1] = parts_of(crossed(terms[place], one_of(other, rng), rng))
        elif kind < 0.87:
            terms.append(one_of(other, rng))
        elif kind < 0.95:
            terms += parts_of(grammar.grown(rng, 2))
        elif len(terms) > 1:
            terms.pop(place)
        return self._fitting(grammar, terms)

    def _take(self, genomes: Sequence[Genome], ages: Sequence[int], goal: int) -> None:
        """Measure what is new, and keep what no other beats in both fitness and age."""
        fresh: list[Genome] = []
        fresh_ages: list[int] = []
        room = goal - self.evaluations
        for genome, age in zip(genomes, ages, strict=True):
            mark = hash(frozenset(genome))
            if genome and mark not in self.seen and len(fresh) < room:
                self.seen.add(mark)
                fresh.append(genome)
                fresh_ages.append(age)
        self.evaluations += len(fresh)
        least = -1e300
        if len(self.population) >= POPULATION:
            least = self.population[-1].fitness
        born = weigh(
            fresh, fresh_ages, self.terms, self.problem.target, self.problem.weights, least
        )
        for candidate in born:
            self.seen.add(hash(frozenset(candidate.genome)))
        self.best = best_of([*self.best, *born])
        self.population = survivors([*self.population, *born])


def survivors(candidates: Sequence[Candidate]) -> list[Candidate]:
    """At most `POPULATION`, those that the fewest beat in both fitness and age; the fittest first.

    Of near copies, which have as many nodes and an error that is the same to six digits, the
    fittest stays.
    """
    fitness = np.array([candidate.fitness for candidate in candidates])
    ages = np.array([candidate.age for candidate in candidates])
    nodes = np.array([candidate.nodes for candidate in candidates], dtype=np.int64)
    error = np.maximum([candidate.fitted.nmse for candidate in candidates], 1e-13)
    near = (error.view(np.int64) >> 33) * 1024 + nodes
    order = np.lexsort((ages, -fitness))
    _, first = np.unique(near[order], return_index=True)
    rest = order[np.sort(first)]
    worth, age = fitness[rest], ages[rest]
    beaten = np.count_nonzero((worth > worth[:, None]) & (age <= age[:, None]), axis=1)
    kept = rest[np.sort(np.argsort(beaten, kind="stable")[:POPULATION])]
    return [candidates[i] for i in kept.tolist()]
