"""What matching a pool gives: the pairs, what became of every formula, and PAIRS.csv."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import numpy as np

from eic_core import wording
from eic_core.errors import DataError
from eic_core.exports import csv_writer
from study.matching.rules import MatchingRules
from study.material import unfinished_sentence

Mode = Literal["matching", "all", "best"]

LOW_R2 = "low_r2"
NO_LIKE = "no_like"
NO_GAP = "no_gap"
NOT_CHOSEN = "not_chosen"
CHOSEN = "chosen"

OUTCOMES: Mapping[str, str] = MappingProxyType(
    {
        "refused": "refused by scoring",
        "no_numbers": "without complexity or sample counts",
        "invalid": "with invalid samples",
        "singular": "with singular samples",
        "no_eic": "without a finite EIC",
        "no_r2": "without a finite R²",
        LOW_R2: "with an R² too low for any pair",
        NO_LIKE: "without another of like complexity and R²",
        NO_GAP: "without the EIC gap to any of those",
        NOT_CHOSEN: "with partners, but not chosen",
        CHOSEN: "in a pair",
    }
)
"""Where a formula ends up, the first that applies, and how to say it."""


@dataclass(frozen=True, slots=True)
class MatchedMember:
    row: int  # In the scored pool, from 0
    formula: str
    method: str
    syntax: str
    complexity: int
    # r2, eic: `eic` is ``eic_finite``
    r2: float
    eic: float


@dataclass(frozen=True, slots=True)
class MatchedPair:
    pair: str  # Id, "p1" first; the order is by problem, then by loss
    problem: str
    loss: float  # L = (ΔC)² + (ΔR²)² - (ΔEIC)²
    lower: MatchedMember
    higher: MatchedMember
    # One function up to rounding on the problem's data; None if not known
    same_function: bool | None
    # Share of draws of the problem's rows in which the EIC gap of the rules is still there
    gap_share: float | None = None
    # ΔEIC without the row that carries most of the higher formula's loss
    gap_without_worst_row: float | None = None


@dataclass(frozen=True)
class ProblemMatching:
    problem: str
    # How many formulas fell to which rule; sums to the formulas of the problem
    outcomes: Mapping[str, int]
    allowed: int  # How many pairs the rules allow
    chosen: int  # How many pairs were chosen
    # identical, one_function: pairs passed over because they were one tree, or one function
    identical: int
    one_function: int
    twins: int  # Pairs passed over because they were one tree but for their constants
    # total, bound: the chosen pairs' total -L, and what no disjoint choice exceeds; nan outside the
    # mode "matching"
    total: float
    bound: float
    exact: bool  # Whether the choice is the optimum
    # False if time ran out: the choice then depends on the speed of the machine
    in_time: bool = True

    @property
    def gap(self) -> float:
        """How far `total` may be from the optimum, as a share of it; nan without a bound."""
        return 0.0 if self.exact or self.bound == 0 else (self.bound - self.total) / self.bound


@dataclass(frozen=True)
class MatchingResult:
    rules: MatchingRules
    mode: Mode
    k: int | None  # Pairs wanted per problem in the mode "best"
    source: str  # Name of the scored pool
    problems: tuple[ProblemMatching, ...]  # By name
    pairs: tuple[MatchedPair, ...]  # By problem, then by loss
    notes: tuple[str, ...] = ()  # What a user should know, in sentences

    @property
    def unfinished(self) -> tuple[str, ...]:
        return tuple(p.problem for p in self.problems if not p.in_time)

    @property
    def complete(self) -> bool:
        # Only a settled choice is the rules' answer: another run gives it again.
        return not self.unfinished

    @property
    def missing(self) -> str:
        """What was not done for want of time, in a sentence; "" if all was."""
        return unfinished_sentence(self.unfinished)

    @cached_property
    def outcomes(self) -> dict[str, int]:
        return {key: sum(p.outcomes.get(key, 0) for p in self.problems) for key in OUTCOMES}

    @property
    def twins(self) -> int:
        """Pairs passed over because they were one tree but for their constants."""
        return sum(p.twins for p in self.problems)

    @property
    def formulas(self) -> int:
        return sum(self.outcomes.values())

    def values(
        self, side: Literal["lower", "higher"], quantity: Literal["complexity", "r2", "eic"]
    ) -> np.ndarray:
        return np.array([getattr(getattr(pair, side), quantity) for pair in self.pairs], float)

    def summary(self) -> str:
        width = len(f"{self.formulas:,}")
        lines = [f"NOT FINISHED: {self.missing}", ""] if self.missing else []
        problems = wording.count(len(self.problems), "problem")
        lines.append(f"{wording.count(self.formulas, 'formula')} of {problems}")
        for key, phrase in OUTCOMES.items():
            if self.outcomes[key]:
                lines.append(f"{self.outcomes[key]:>{width},} {phrase}")
        lines.append("")
        name = max([len(p.problem) for p in self.problems] + [7])
        for p in self.problems:
            line = f"{p.problem:<{name}}  {p.chosen:,} of {p.allowed:,} allowed pairs"
            if self.mode == "matching" and p.allowed:
                line += f", total -L {p.total:.3f}, "
                below = f"at most {wording.percent(max(p.gap, 1e-4))} below the optimum"
                line += "optimal" if p.exact else below
            lines.append(line)
        total = sum(p.allowed for p in self.problems)
        same = sum(pair.same_function is True for pair in self.pairs)
        lines.append(
            f"{'':<{name}}  {len(self.pairs):,} of {total:,} pairs"
            + (f", {same:,} of them one function on the data" if same else "")
        )
        if self.twins:
            lines.append(f"{wording.count(self.twins, 'pair')} of one skeleton passed over")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


PAIR_COLUMNS = (
    "pair",
    "problem",
    "loss",
    "lower_row",
    "higher_row",
    "lower_formula",
    "higher_formula",
    "lower_eic",
    "higher_eic",
    "lower_r2",
    "higher_r2",
    "lower_complexity",
    "higher_complexity",
    "same_function",
)
GAP_COLUMNS = ("gap_share", "gap_without_worst_row")
"""What is known of a pair with the problems' data only; absent without them."""
_FLAGS = {None: "", True: "true", False: "false"}


def pair_cells(pair: MatchedPair) -> list[str]:
    low, high = pair.lower, pair.higher
    return [
        pair.pair,
        pair.problem,
        repr(pair.loss),
        str(low.row),
        str(high.row),
        low.formula,
        high.formula,
        repr(low.eic),
        repr(high.eic),
        repr(low.r2),
        repr(high.r2),
        str(low.complexity),
        str(high.complexity),
        _FLAGS[pair.same_function],
    ]


def write_pairs(path: Path, pairs: Iterable[MatchedPair], *, gaps: bool = False) -> None:
    """Write PAIRS.csv, with `GAP_COLUMNS` if `gaps`; raises `DataError` if it cannot be written."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv_writer(file)
            writer.writerow(PAIR_COLUMNS + (GAP_COLUMNS if gaps else ()))
            for pair in pairs:
                cells = [pair.gap_share, pair.gap_without_worst_row] if gaps else []
                writer.writerow(
                    [*pair_cells(pair), *("" if each is None else repr(each) for each in cells)]
                )
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error
