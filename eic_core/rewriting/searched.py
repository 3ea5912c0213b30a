"""What a search leaves to those who combine its forms and expand them."""

from __future__ import annotations

from dataclasses import dataclass

from eic_core.formula.tree import Formula
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.observing import FormMeter, Truth
from eic_core.rewriting.precision import Target
from eic_core.rewriting.search import SearchOutcome
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import WorkBudget
from eic_core.samples import Samples


@dataclass(frozen=True)
class Searched:
    """A formula with its exact values, and the forms that the search found."""

    formula: Formula
    samples: Samples
    truth: Truth
    meter: FormMeter
    outcome: SearchOutcome
    measurer: Measurer
    budget: WorkBudget

    @property
    def target(self) -> Target:
        return self.truth.target

    @property
    def terms(self) -> Terms:
        return self.truth.terms

    @property
    def root(self) -> int:
        return self.truth.root
