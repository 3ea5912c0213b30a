"""From a scored pool to matched pairs: `match_pool`."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from itertools import groupby
from math import isfinite
from pathlib import Path

import numpy as np

from eic_core.errors import DataError, UserError
from study.matching.disjoint import EXACT_UP_TO, Disjoint, best_disjoint
from study.matching.result import (
    CHOSEN,
    LOW_R2,
    NO_GAP,
    NO_LIKE,
    NOT_CHOSEN,
    MatchedMember,
    MatchedPair,
    MatchingResult,
    Mode,
    ProblemMatching,
)
from study.matching.robustness import RowRobustness
from study.matching.rules import SCALE, MatchingRules
from study.matching.sameness import Sameness
from study.matching.scored import ScoredPool, left_out
from study.matching.sweep import Pairs, PairSweep, best_pairs
from study.structure import structure_as_written

MAX_PAIRS = 1_000_000
_LOOKED_AT = 200_000
"""Allowed pairs up to which further rules are asked of all at once; beyond, of those chosen."""

SECONDS = 60.0
"""What a problem's disjoint pairs may take, about, before their choice is cut short."""

MODES: tuple[Mode, ...] = ("matching", "all", "best")

Progress = Callable[[int, int, str], None]
"""Problems done, problems in all, name of the next."""


def match_pool(
    pool: ScoredPool,
    rules: MatchingRules | None = None,
    *,
    mode: Mode = "matching",
    k: int | None = None,
    problems: Path | None = None,
    exact_up_to: int = EXACT_UP_TO,
    seconds: float = SECONDS,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> MatchingResult:
    """Choose matched pairs within each problem of a scored pool (Yu et al., ``app:expert_rating``).

    The result depends on the content of the rows, not on their order, unless time runs out. Modes:
    disjoint pairs of maximal total -L; all allowed pairs; or the `k` pairs of least L a problem.
    `exact_up_to` formulas with a partner, disjoint pairs are optimal for sure; beyond, `seconds`
    are for the bound. The result's rules state the pool's exponents. Raises `UserError` if the
    options do not fit together, or pairs are too many.

    >>> from eic_core.pool import Candidate, Score
    >>> texts = ["x0+1", "x0+2", "x0-1e9+1e9"]
    >>> scores = [Score(3, 0.9, 0.3, 0.3), Score(3, 0.91, 0.4, 0.4), Score(5, 0.9, 8.5, 8.5)]
    >>> pool = ScoredPool.from_scores([Candidate("bode", t) for t in texts], scores)
    >>> result = match_pool(pool)
    >>> [(p.pair, p.lower.formula, p.higher.row, round(p.loss, 2)) for p in result.pairs]
    [('p1', 'x0+1', 2, -63.24)]
    """
    rules = replace(rules or MatchingRules(), exponents=pool.exponents)
    _check_options(rules, mode, k, problems)
    sameness = Sameness(pool, problems)
    robustness = RowRobustness(sameness) if problems is not None else None
    groups = _by_problem(pool)
    lost = left_out(pool, invalid=rules.include_invalid, singular=rules.include_singular)
    chosen: list[_Chosen] = []
    listed = 0
    for done, (name, rows) in enumerate(groups):
        if progress is not None:
            progress(done, len(groups), name)
        one = _Problem(pool, rules, name, rows, lost, sameness, robustness, clock)
        if mode == "all":
            listed += one.sweep.total
            if listed > MAX_PAIRS:
                raise UserError(
                    f"there are more than {MAX_PAIRS:,} pairs",
                    hint="tighten the rules, or choose disjoint or best pairs",
                )
        chosen.append(one.choose(mode, k or 0, exact_up_to, seconds))
    pairs = [pair for each in chosen for pair in each.pairs]
    width = len(str(len(pairs)))
    numbered = tuple(replace(p, pair=f"p{i:0{width}}") for i, p in enumerate(pairs, start=1))
    unknown = sum(p.same_function is None for p in numbered) if problems is not None else 0
    notes = [f"{unknown} pairs could not be compared on the data"] if unknown else []
    return MatchingResult(
        rules,
        mode,
        k if mode == "best" else None,
        pool.source,
        tuple(each.outcome for each in chosen),
        numbered,
        tuple(notes),
    )


def _check_options(rules: MatchingRules, mode: Mode, k: int | None, problems: Path | None) -> None:
    if mode not in MODES:
        raise UserError(f"there is no mode `{mode}`", hint="choose " + ", ".join(MODES))
    if mode == "best" and (k is None or k < 1):
        raise UserError("the mode `best` needs a number of pairs of 1 or more")
    if rules.exclude_same_function and problems is None:
        raise UserError(
            "pairs that are one function can be left out only with the problems' data",
            hint="give the folder of PROBLEM.csv files",
        )
    if problems is not None and not problems.is_dir():
        raise DataError(f"there is no folder {problems}")
    if problems is None and (rules.min_gap_share is not None or rules.gap_without_worst_row):
        raise UserError(
            "whether a gap holds on other rows can be told only with the problems' data",
            hint="give the folder of PROBLEM.csv files",
        )


def _by_problem(pool: ScoredPool) -> list[tuple[str, np.ndarray]]:
    names: dict[str, list[int]] = {}
    for row, name in enumerate(pool.problem):
        names.setdefault(name, []).append(row)
    return [(name, np.array(names[name])) for name in sorted(names)]


@dataclass(frozen=True)
class _Chosen:
    pairs: list[MatchedPair]
    outcome: ProblemMatching


class _Problem:
    """One problem's formulas, in an order that depends on their content alone."""

    def __init__(
        self,
        pool: ScoredPool,
        rules: MatchingRules,
        name: str,
        rows: np.ndarray,
        lost: dict[str, np.ndarray],
        sameness: Sameness,
        robustness: RowRobustness | None,
        clock: Callable[[], float],
    ) -> None:
        self.robustness = robustness
        self.clock = clock
        self.pool, self.rules, self.name, self.sameness = pool, rules, name, sameness
        self.outcomes = {reason: int(is_lost[rows].sum()) for reason, is_lost in lost.items()}
        usable = rows[~np.any([is_lost[rows] for is_lost in lost.values()], axis=0)]
        low = PairSweep.r2_too_low(np.maximum(pool.r2[usable], -1000), rules)
        self.outcomes[LOW_R2] = int(low.sum())
        self.rows = self._sorted(usable[~low])
        self.sweep = PairSweep(
            pool.complexity[self.rows], pool.r2[self.rows], pool.eic[self.rows], rules
        )
        self.identical: set[tuple[int, int]] = set()
        self.twins: set[tuple[int, int]] = set()
        self.same: set[tuple[int, int]] = set()
        self.labels: dict[tuple[int, int], bool | None] = {}
        self.unlike: set[tuple[int, int]] = set()
        self.classes: np.ndarray | None = None

    def _sorted(self, rows: np.ndarray) -> np.ndarray:
        pool = self.pool
        rows = rows[np.lexsort((rows, pool.eic[rows], pool.r2[rows], pool.complexity[rows]))]
        out: list[int] = []
        numbers = zip(
            pool.complexity[rows].tolist(),
            pool.r2[rows].tolist(),
            pool.eic[rows].tolist(),
            rows.tolist(),
            strict=True,
        )
        for _, ties in groupby(numbers, key=lambda each: each[:3]):
            tied = [row for *_, row in ties]
            if len(tied) > 1:
                tied.sort(
                    key=lambda r: (
                        pool.formula[r],
                        pool.syntax[r],
                        pool.method[r],
                        pool.extra[r],
                        r,
                    )
                )
            out += tied
        return np.array(out, dtype=np.int64)

    def choose(self, mode: Mode, k: int, exact_up_to: int, seconds: float) -> _Chosen:
        total = bound = float("nan")
        exact = in_time = True
        if mode == "matching":
            disjoint = self._disjoint(exact_up_to, seconds)
            pairs: Pairs = disjoint.higher, disjoint.lower
            total, bound, exact, in_time = (
                disjoint.total,
                disjoint.bound,
                disjoint.exact,
                disjoint.in_time,
            )
        elif mode == "best":
            pairs = self._best(k)
        else:
            higher, lower = self.sweep.pairs()
            good = self._good(higher, lower)
            pairs = higher[good], lower[good]
        matched = self._pairs(pairs)
        self._count_outcomes(pairs)
        outcome = ProblemMatching(
            self.name,
            self.outcomes,
            self.sweep.total,
            len(matched),
            len(self.identical),
            len(self.same),
            len(self.twins),
            total,
            bound,
            exact,
            in_time,
        )
        return _Chosen(matched, outcome)

    def _good(self, higher: np.ndarray, lower: np.ndarray) -> np.ndarray:
        equal = self.sweep.complexity[higher] == self.sweep.complexity[lower]
        further = self.rules.further
        good = np.ones(len(higher), dtype=bool)
        excluded = self.rules.exclude_same_function
        for i in np.flatnonzero(equal | excluded | further).tolist():
            pair = int(higher[i]), int(lower[i])
            if equal[i] and self.sameness.identical(*self._rows_of(pair)):
                self.identical.add(pair)
                good[i] = False
            elif equal[i] and self._are_twins(pair):  # trees of one size
                self.twins.add(pair)
                good[i] = False
            elif excluded and self._label(pair):
                self.same.add(pair)
                good[i] = False
            elif further and not self._meets_further(pair):
                self.unlike.add(pair)
                good[i] = False
        return good

    def _are_twins(self, pair: tuple[int, int]) -> bool:
        if self.rules.near_twins:
            return False
        high, low = self._rows_of(pair)
        return self.sameness.skeleton_key(high) == self.sameness.skeleton_key(low)

    def _meets_further(self, pair: tuple[int, int]) -> bool:
        rules, (high, low) = self.rules, self._rows_of(pair)
        if rules.by_structure != (None, None, None):
            one, other = (
                structure_as_written(self.pool.formula[row], self.pool.syntax[row])
                for row in (high, low)
            )
            if one is None or other is None:
                return False
            gaps = one.calls - other.calls, one.depth - other.depth, one.length - other.length
            for gap, most in zip(gaps, rules.by_structure, strict=True):
                if most is not None and abs(gap) > most:
                    return False
        if rules.min_gap_share is not None:
            share = self._gap_share(low, high)
            if share is None or share < rules.min_gap_share:
                return False
        if rules.gap_without_worst_row:
            eic_gap = self._gap_without_worst_row(low, high)
            return eic_gap is not None and round(eic_gap * SCALE) >= rules.eic_gap_units
        return True

    def _gap_share(self, low: int, high: int) -> float | None:
        if self.robustness is None:
            return None
        return self.robustness.gap_share(low, high, self.rules.min_eic_gap)

    def _gap_without_worst_row(self, low: int, high: int) -> float | None:
        if self.robustness is None:
            return None
        gap = self.robustness.gap_without_worst_row(low, high)
        return gap if gap is not None and isfinite(gap) else None

    def _rows_of(self, pair: tuple[int, int]) -> tuple[int, int]:
        return int(self.rows[pair[0]]), int(self.rows[pair[1]])

    def _label(self, pair: tuple[int, int]) -> bool | None:
        if pair not in self.labels:
            self.labels[pair] = self.sameness.one_function(
                *self._rows_of(pair), self.rules.same_function_tolerance
            )
        return self.labels[pair]

    def _disjoint(self, exact_up_to: int, seconds: float) -> Disjoint:
        """Solve, forbid the pairs that the rules turn out to refuse, and solve again."""
        if self.rules.further and self.sweep.total <= _LOOKED_AT:
            self._good(*self.sweep.pairs())
        while True:
            # To look at the few chosen pairs is far cheaper than to ask the rules of all first.
            forbidden = frozenset(self.identical | self.twins | self.same | self.unlike)
            disjoint = best_disjoint(
                self.sweep,
                forbidden,
                classes=self.classes,
                exact_up_to=exact_up_to,
                seconds=seconds,
                clock=self.clock,
            )
            good = self._good(disjoint.higher, disjoint.lower).all()
            # Classes are made only if the choice takes two of one: until then it is the optimum.
            if good and (self.classes is not None or self._all_distinct(disjoint)):
                return disjoint

    def _all_distinct(self, disjoint: Disjoint) -> bool:
        """Whether no two chosen formulas are of one class; makes the classes if they are."""
        if self.rules.distinct == "row":
            return True
        key = (
            self.sameness.text_key if self.rules.distinct == "text" else self.sameness.skeleton_key
        )
        used = [int(self.rows[i]) for i in np.concatenate([disjoint.higher, disjoint.lower])]
        if len({key(row) for row in used}) == len(used):
            return True
        numbers: dict[Hashable, int] = {}
        partner = self.sweep.has_partner()
        self.classes = np.array(
            [
                numbers.setdefault(key(row) if can else ("alone", row), len(numbers))
                for row, can in zip(self.rows.tolist(), partner.tolist(), strict=True)
            ]
        )
        return False

    def _best(self, k: int) -> Pairs:
        count = k
        while True:
            higher, lower = best_pairs(self.sweep, count)
            good = self._good(higher, lower)
            if good.sum() >= k or len(higher) < count:
                return higher[good][:k], lower[good][:k]
            # Some of the best were refused: doubling reaches the k good ones in few rounds.
            count *= 2

    def _pairs(self, pairs: Pairs) -> list[MatchedPair]:
        higher, lower = pairs
        losses = self.sweep.losses(higher, lower)
        members: dict[int, MatchedMember] = {}
        matched = []
        for i in np.lexsort((lower, higher, losses)).tolist():
            pair = int(higher[i]), int(lower[i])
            for each in pair:
                if each not in members:
                    members[each] = self._member(int(self.rows[each]))
            matched.append(
                MatchedPair(
                    "",
                    self.name,
                    float(losses[i]),
                    members[pair[1]],
                    members[pair[0]],
                    self._label(pair),
                    self._gap_share(*self._rows_of(pair)[::-1]),
                    self._gap_without_worst_row(*self._rows_of(pair)[::-1]),
                )
            )
        return matched

    def _member(self, row: int) -> MatchedMember:
        pool = self.pool
        return MatchedMember(
            row,
            pool.formula[row],
            pool.method[row],
            pool.syntax[row],
            int(pool.complexity[row]),
            float(pool.r2[row]),
            float(pool.eic[row]),
        )

    def _count_outcomes(self, pairs: Pairs) -> None:
        used = np.zeros(len(self.sweep), dtype=bool)
        used[pairs[0]] = used[pairs[1]] = True
        partner = self.sweep.has_partner()
        like = self.sweep.has_like() | partner
        self.outcomes |= {
            NO_LIKE: int((~like).sum()),
            NO_GAP: int((like & ~partner).sum()),
            NOT_CHOSEN: int((partner & ~used).sum()),
            CHOSEN: int(used.sum()),
        }
