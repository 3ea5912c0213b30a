"""Variation that looks at the data: what should stand at a place, and what is known that is like it.

From the target back to a part of a candidate every step is undone, row by row: that is what the
part would have to be for the candidate to be right.  Of a library of small terms the one that goes
with it most closely, scaled and shifted, takes its place (semantic back-propagation: Pawlak,
Wieloch, Krawiec, "Semantic backpropagation for designing search operators", 2015).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.samples import Samples
from eic_core.search.fitting import Candidate, Target
from eic_core.search.measuring import Terms
from eic_core.search.terms import (
    ARITY, STEPS, VARIABLE_MARK, Grammar, Term, parts_of, rounded, start_of,
)  # fmt: skip

LIBRARY = 400
"""Small terms to choose from."""

CONSTANT_DIGITS = 6

UNDONE: Mapping[str, tuple[Callable[[Array, Array, Array], Array], ...]] = {
    "add": (lambda d, own, other: d - other,) * 2,
    "sub": (lambda d, own, other: d + other, lambda d, own, other: other - d),
    "mul": (lambda d, own, other: d / other,) * 2,
    "div": (lambda d, own, other: d * other, lambda d, own, other: other / d),
    "square": (lambda d, own, other: np.copysign(np.sqrt(d), own),),
    "cube": (lambda d, own, other: np.cbrt(d),),
    "cbrt": (lambda d, own, other: d**3,),
    "sqrt": (lambda d, own, other: np.where(d >= 0, d * d, np.nan),),
    "inv": (lambda d, own, other: 1 / d,),
    "neg": (lambda d, own, other: -d,),
    "abs": (lambda d, own, other: np.copysign(d, own),),
    "exp": (lambda d, own, other: np.log(d),),
    "log": (lambda d, own, other: np.exp(d),),
    "sin": (lambda d, own, other: np.arcsin(d),),
    "cos": (lambda d, own, other: np.arccos(d),),
    "tan": (lambda d, own, other: np.arctan(d),),
    "tanh": (lambda d, own, other: np.arctanh(d),),
    "asin": (lambda d, own, other: np.sin(d),),
    "acos": (lambda d, own, other: np.cos(d),),
    "atan": (lambda d, own, other: np.tan(d),),
    "log1p": (lambda d, own, other: np.expm1(d),),
    "expm1": (lambda d, own, other: np.log1p(d),),
}
"""For each operand of a step: what it would have to be for the step's value to be d, given what it
is itself and what the other operand is."""


class Matcher:
    """Finds parts that bring candidates nearer to the target.

    Parameters
    ----------
    samples : Samples
        The training rows.
    grammar : Grammar
    terms : Terms
        Where the library is measured.
    target : Target
    rng : random.Random
    """

    def __init__(
        self,
        samples: Samples,
        grammar: Grammar,
        terms: Terms,
        target: Target,
        rng: random.Random,
    ) -> None:
        self.samples, self.grammar, self.target, self.rng = samples, grammar, target, rng
        library = _small_terms(grammar, rng)
        number = terms.measure(library)
        self.library = [term for term in library if number[term] >= 0]
        places = [number[term] for term in self.library]
        self.units = terms.units[places]
        self.means, self.lengths = terms.means[places], terms.lengths[places]

    def improved(self, candidates: Sequence[Candidate]) -> list[list[Term]]:
        """For each candidate its terms with one part replaced; [] where nothing can be done."""
        wanted, found_at, children = [], [], [[] for _ in candidates]  # type: ignore[var-annotated]
        with np.errstate(all="ignore"):
            for i, candidate in enumerate(candidates):
                chosen = self._wanted(candidate)
                if chosen is not None:
                    place, start, end, d = chosen
                    wanted.append(d)
                    found_at.append((i, place, start, end))
        if not wanted or not self.library:
            return children
        d = np.array(wanted)
        means = d.mean(axis=1)
        d -= means[:, None]
        along = np.einsum("pn,tn->pt", d, self.units)  # a matrix product would start threads
        strength, size = np.abs(along), len(self.library)
        for row, (i, place, start, end) in enumerate(found_at):
            turn = int(self.rng.random() * size)  # a third is hidden: not always the same
            seen = np.roll(strength[row], -turn)[: max(1, 2 * size // 3)]
            best = (int(np.argmax(seen)) + turn) % size
            scale = along[row, best] / self.lengths[best]
            shift = means[row] - scale * self.means[best]
            spread = math.sqrt(float(d[row] @ d[row]))
            part = self._scaled(self.library[best], float(scale), float(shift), spread)
            terms = list(candidates[i].genome)
            term = terms[place]
            terms[place : place + 1] = parts_of((*term[:start], *part, *term[end + 1 :]))
            children[i] = terms
        return children

    def _scaled(self, term: Term, scale: float, shift: float, spread: float) -> Term:
        """A term times a number plus a number, each only where it matters."""
        if not math.isfinite(scale) or not math.isfinite(shift) or not scale:
            return term
        scale, shift = rounded(scale, CONSTANT_DIGITS), rounded(shift, CONSTANT_DIGITS)
        part = term if abs(scale - 1) < 1e-4 else (*term, scale, "mul")
        if abs(shift) * math.sqrt(len(self.samples)) > 1e-3 * spread:
            part = (*part, shift, "add")
        return part

    def _wanted(self, candidate: Candidate) -> tuple[int, int, int, Array] | None:
        """A term's place, a part of it from start to end, and what this would have to be."""
        genome, fitted = candidate.genome, candidate.fitted
        place = int(self.rng.random() * len(genome))
        rest = self.target.centred + (self.target.mean - fitted.intercept)
        for i, (term, coefficient) in enumerate(zip(genome, fitted.coefficients, strict=True)):
            if i == place:
                values = self._values(term)
                d = coefficient
            else:
                rest = rest - coefficient * self._values(term)[-1]
        d = rest / d
        term = genome[place]
        end = int(self.rng.random() * len(term))
        at = len(term) - 1
        while at != end:
            name, right = term[at], at - 1
            undone = UNDONE.get(str(name))
            if undone is None:
                return None
            if ARITY[str(name)] == 1:
                d, at = undone[0](d, values[right], d), right
            else:
                left = start_of(term, right) - 1
                if end > left:
                    d, at = undone[1](d, values[right], values[left]), right
                else:
                    d, at = undone[0](d, values[left], values[right]), left
        known = np.isfinite(d) & (np.abs(d) < 1e100)
        if np.count_nonzero(known) < 0.5 * len(d):
            return None
        return place, start_of(term, end), end, np.where(known, d, values[end])

    def _values(self, term: Term) -> list[Array]:
        """The values of every part of a term, by the place of its last token."""
        found: list[Array] = []
        done: list[Array] = []
        for token in term:
            if isinstance(token, float):
                y = np.full(len(self.samples), token)
            elif token in STEPS:
                operator, arity, exact = STEPS[token]
                row = OPERATORS[operator]
                y = np.asarray(row.evaluate(done[-arity:], row.parameter(exact) if exact else math.nan))
                del done[-arity:]
            else:
                y = self.samples.columns[token.removeprefix(VARIABLE_MARK)]
            done.append(y)
            found.append(y)
        return found


def _small_terms(grammar: Grammar, rng: random.Random) -> list[Term]:
    """At most `LIBRARY` terms: variables, one step and two, and some at random."""
    leaves: list[Term] = [(leaf,) for leaf in grammar.leaves]
    unary = [name for name in grammar.steps if ARITY[name] == 1]
    binary = [name for name in grammar.steps if ARITY[name] == 2]
    found = list(leaves)
    found += [(*leaf, name) for leaf, name in product(leaves, unary)]
    pairs = list(combinations(leaves, 2))
    twos = [(*a, *b, name) for name in binary for a, b in pairs]
    twos += [(*b, *a, "div") for a, b in pairs if "div" in binary]
    twos += [(*a, "square", *b, "square", name) for name in ("add", "sub") if "square" in unary
             and name in binary for a, b in pairs]  # fmt: skip
    rng.shuffle(twos)
    found = (found + twos)[: LIBRARY // 2]
    while len(found) < LIBRARY:
        found += parts_of(grammar.grown(rng, 2 + int(rng.random() * 2))) or leaves[:1]
    return list(dict.fromkeys(found))[:LIBRARY]
