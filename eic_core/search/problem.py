"""What a search works on: the data, what may be built, and what counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eic_core.errors import DataError
from eic_core.samples import Samples
from eic_core.search.fitting import Candidate, Genome, Target, candidates_of
from eic_core.search.measuring import PENALTIES, Terms
from eic_core.search.terms import Grammar

ALPHA = 0.002
"""What a digit costs: Yu et al. in their genetic programming."""

ETA = 0.999

DIGIT_ROWS = 96
"""Rows on which digits are measured while searching; more tell no more."""


@dataclass(frozen=True)
class Problem:
    """A search's data and settings; the same for every island.

    Attributes
    ----------
    samples : Samples
        Training rows, with a target.
    grammar : Grammar
    alpha, eta : float
        What a digit and a node cost.
    penalty : {"q90", "mean"}
        What stands for s at a node while searching.
    """

    samples: Samples
    grammar: Grammar
    alpha: float = ALPHA
    eta: float = ETA
    penalty: str = "q90"

    def __post_init__(self) -> None:
        if self.samples.target is None:
            raise DataError("a search needs a target column")
        if self.penalty not in PENALTIES:
            raise DataError(
                f"there is no penalty `{self.penalty}`", hint="there are " + ", ".join(PENALTIES)
            )
        if not self.alpha >= 0:
            raise DataError(f"a digit cannot cost {self.alpha:g}", hint="give 0 or more")
        if not 0 < self.eta <= 1:
            raise DataError(f"a node cannot cost a factor {self.eta:g}", hint="give at most 1")
        if not self.target.square > 0:
            raise DataError("the target is the same in every row: there is nothing to explain")

    @cached_property
    def target(self) -> Target:
        """The target, centred."""
        assert self.samples.target is not None
        return Target(self.samples.target)

    @cached_property
    def terms(self) -> Terms:
        """What is known of terms in this process."""
        count = len(self.samples)
        rows = np.linspace(0, count - 1, min(count, DIGIT_ROWS)).astype(np.int64)
        return Terms(self.samples, self.grammar.variables, rows, self.penalty)

    def candidates(self, genomes: Sequence[Genome], least: float = -1e300) -> list[Candidate]:
        """Measure, fit and weigh genomes; those that cannot be, or are worth less, are left out."""
        known = self.terms.measure(term for genome in genomes for term in genome)
        return candidates_of(
            genomes, known, self.target, alpha=self.alpha, eta=self.eta, penalty=self.penalty,
            least=least,
        )  # fmt: skip
