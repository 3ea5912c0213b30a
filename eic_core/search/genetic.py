"""An island of genetic programming: age-fitness selection over candidates of a few terms each.

Every generation makes children by crossover and mutation of terms, adds a few new random candidates
of age 0, and keeps those that no other beats in both fitness and age (Schmidt and Lipson,
"Age-fitness Pareto optimization", 2010).  A genome is measured once in an island's life.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from eic_core.search.fitting import Candidate, Genome, candidates_of, genome_of
from eic_core.search.problem import Problem
from eic_core.search.terms import Grammar, Term, parts_of

POPULATION = 200
BATCH = 200
NEWCOMERS = 4
TOURNAMENT = 5
MOST_SEEN = 400_000


@dataclass
class Island:
    """One population and the stream of its random numbers.

    Attributes
    ----------
    rng : random.Random
    population : list of Candidate
    seen : set of int
        Hashes of the genomes that were measured.
    evaluations : int
        Distinct candidates that were measured.
    best : dict of int to list of Candidate
        By number of nodes, the candidates worth keeping: those that no other of so many nodes or
        fewer beats in both error and digits.
    """

    rng: random.Random
    population: list[Candidate] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    evaluations: int = 0
    best: dict[int, list[Candidate]] = field(default_factory=dict)

    def evolve(self, problem: Problem, evaluations: int) -> None:
        """Go on until so many more distinct candidates have been measured.

        Parameters
        ----------
        problem : Problem
        evaluations : int
            1 or more.
        """
        goal = self.evaluations + evaluations
        if not self.population:
            first = [self._newcomer(problem.grammar) for _ in range(POPULATION)]
            self._take(problem, first, [0] * len(first), goal)
        while self.evaluations < goal:
            before = self.evaluations
            genomes, ages = self._children(problem)
            self._take(problem, genomes, ages, goal)
            for candidate in self.population:
                candidate.age += 1
            if self.evaluations == before:  # everything within reach has been seen
                self.seen.clear()

    def _newcomer(self, grammar: Grammar) -> Genome:
        terms: list[Term] = []
        for _ in range(self.rng.randint(1, 3)):
            terms += parts_of(grammar.grown(self.rng, self.rng.randint(1, 4)))
        return self._fitting(grammar, terms)

    def _fitting(self, grammar: Grammar, terms: Sequence[Term]) -> Genome:
        """A genome of terms that are not too long, nor too many."""
        short = [term for term in dict.fromkeys(terms) if len(term) <= grammar.most_nodes]
        while short and (
            len(short) > grammar.most_terms
            or sum(map(len, short)) + 3 * len(short) > grammar.most_nodes
        ):
            short.pop(self.rng.randrange(len(short)))
        return genome_of(short)

    def _children(self, problem: Problem) -> tuple[list[Genome], list[int]]:
        genomes: list[Genome] = [self._newcomer(problem.grammar) for _ in range(NEWCOMERS)]
        ages = [0] * NEWCOMERS
        for _ in range(BATCH):
            one, other = self._chosen(), self._chosen()
            genomes.append(self._child(problem.grammar, one.genome, other.genome))
            ages.append(max(one.age, other.age))
        return genomes, ages

    def _chosen(self) -> Candidate:
        """The fittest of a few that are drawn."""
        size = len(self.population)
        drawn = [self.population[int(self.rng.random() * size)] for _ in range(TOURNAMENT)]
        return max(drawn, key=lambda candidate: candidate.fitness)

    def _child(self, grammar: Grammar, one: Genome, other: Genome) -> Genome:
        """A genome with one change: a term varied, crossed, taken over, added or left out."""
        rng = self.rng
        terms = list(one)
        place = rng.randrange(len(terms))
        kind = rng.random()
        if kind < 0.35:
            terms[place : place + 1] = parts_of(grammar.varied(terms[place], rng))
        elif kind < 0.7:
            crossed = grammar.crossed(terms[place], rng.choice(other), rng)
            terms[place : place + 1] = parts_of(crossed)
        elif kind < 0.85:
            terms.append(rng.choice(other))
        elif kind < 0.93:
            terms += parts_of(grammar.grown(rng, 2))
        elif len(terms) > 1:
            terms.pop(place)
        return self._fitting(grammar, terms)

    def _take(
        self, problem: Problem, genomes: Sequence[Genome], ages: Sequence[int], goal: int
    ) -> None:
        """Measure what is new, and keep what no other beats in both fitness and age."""
        fresh: list[Genome] = []
        age_of: dict[Genome, int] = {}
        for genome, age in zip(genomes, ages, strict=True):
            mark = hash(genome)
            if genome and mark not in self.seen and self.evaluations + len(fresh) < goal:
                self.seen.add(mark)
                fresh.append(genome)
                age_of[genome] = age
        if len(self.seen) > MOST_SEEN:
            self.seen.clear()
        self.evaluations += len(fresh)
        least = min((c.fitness for c in self.population), default=-1e300)
        if len(self.population) < POPULATION:
            least = -1e300
        born = problem.candidates(fresh, least)
        for candidate in born:
            candidate.age = age_of[candidate.genome]
            self._keep_best(candidate)
        self.population = self._survivors([*self.population, *born])

    def _survivors(self, candidates: list[Candidate]) -> list[Candidate]:
        """At most `POPULATION`, front by front of fitness and age."""
        if len(candidates) <= POPULATION:
            return candidates
        rest = sorted(candidates, key=lambda c: (c.age, -c.fitness))
        kept: list[Candidate] = []
        while rest and len(kept) < POPULATION:
            beaten: list[Candidate] = []
            best = -1e301
            for candidate in rest:
                if candidate.fitness > best:
                    best = candidate.fitness
                    kept.append(candidate)
                else:
                    beaten.append(candidate)
            rest = beaten
        return kept[:POPULATION]

    def _keep_best(self, candidate: Candidate) -> None:
        """Enter a candidate that no other of so many nodes or fewer beats in error and digits."""
        error, digits = candidate.fitted.nmse, candidate.digits
        for nodes, others in self.best.items():
            if nodes <= candidate.nodes:
                for other in others:
                    if other.fitted.nmse <= error and other.digits <= digits:
                        return
        own = self.best.setdefault(candidate.nodes, [])
        own[:] = [c for c in own if c.fitted.nmse < error or c.digits < digits]
        own.append(candidate)
        own.sort(key=lambda c: c.fitted.nmse)
        del own[MOST_OF_A_SIZE:]


MOST_OF_A_SIZE = 6


__all__ = ["BATCH", "POPULATION", "Island", "candidates_of"]
