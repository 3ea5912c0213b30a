"""The rules that make two formulas a matched pair, checked once and frozen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from eic_core.errors import UserError
from eic_core.formula.syntax import check_exponents
from eic_core.formula.tree import Exponents

DECIMALS = 12
"""Gaps and thresholds are compared after rounding R² and EIC to this many decimals."""

# R² and EIC are compared as integers of 10^-12, so that 0.97 and 0.95 are exactly 0.02 apart and no
# boundary hangs on binary rounding.
SCALE = 10**DECIMALS


Distinct = Literal["text", "skeleton", "row"]
DISTINCT: tuple[Distinct, ...] = ("text", "skeleton", "row")
_ADDED = {
    "max_calls_gap": None,
    "max_depth_gap": None,
    "max_length_gap": None,
    "min_gap_share": None,
    "gap_without_worst_row": False,
    "distinct": "text",
    "exponents": "exact",
    "near_twins": True,
}
"""Rules that stored ones of before lack, and what they meant without them."""


@dataclass(frozen=True)
class MatchingRules:
    """When two formulas of one problem are alike but for their EIC (``eic_finite``).

    Yu et al., appendix ``app:expert_rating``: |ΔC| ≤ 2, |ΔR²| ≤ 0.02, |ΔEIC| ≥ 2 and max R² > 0.85;
    only the last limit is strict. Raises `UserError` if a value makes no sense.

    >>> rules = MatchingRules()
    >>> rules.allows(complexity=(7, 9), r2=(0.97, 0.95), eic=(0.5, 2.5))
    True
    >>> rules.allows(complexity=(7, 9), r2=(0.85, 0.85), eic=(0.5, 2.5))
    False
    """

    max_complexity_gap: int = 2  # Largest |ΔC|, 0 or more
    max_r2_gap: float = 0.02  # Largest |ΔR²|, in [0, 10]
    min_eic_gap: float = 2.0  # Smallest |ΔEIC|, in (0, 1000]: one member must be lower
    min_best_r2: float = 0.85  # The larger R² of the two must be above it; in [-10, 1)
    r2_column: str = "r2"  # Column of the scored pool that holds R²
    # include_invalid, include_singular: keep formulas with samples that are invalid, or singular at
    # some node
    include_invalid: bool = False
    include_singular: bool = False
    # Leave out pairs that are one function up to rounding on the problem's data; otherwise they are
    # only labelled
    exclude_same_function: bool = False
    # Relative difference, in [0, 0.1], up to which two formulas are one function; see
    # `study.matching.sameness`
    same_function_tolerance: float = 1e-6
    # max_calls_gap, max_depth_gap, max_length_gap: largest difference in calls of functions, depth,
    # and symbols (`study.structure.VisibleStructure`); None: not asked for
    max_calls_gap: int | None = None
    max_depth_gap: int | None = None
    max_length_gap: int | None = None
    # In what share of draws of the problem's rows the EIC gap must hold, in (0, 1]
    min_gap_share: float | None = None
    # The EIC gap must hold without the row that carries most of the higher one's loss
    gap_without_worst_row: bool = False
    # "text", "skeleton" or "row": what serves at most once among disjoint pairs: formulas of one
    # text, however spelled; of one tree without its constants; or each row by itself
    distinct: Distinct = "text"
    # Whether two formulas of one tree, but for their constants, may be a pair: raters would compare
    # numbers, not formulas
    near_twins: bool = False
    # How the scores of the pool read literal exponents: `match_pool` takes it from the pool
    exponents: Exponents = "exact"

    def __post_init__(self) -> None:
        gap = self.max_complexity_gap
        if not isinstance(gap, int) or not 0 <= gap <= 100_000:
            raise UserError("the largest complexity gap must be a whole number, 0 or more")
        _within("the largest R² gap", self.max_r2_gap, 0, 10)
        _within("the R² that one member must exceed", self.min_best_r2, -10, 1, open_above=True)
        _within("the tolerance for one function", self.same_function_tolerance, 0, 0.1)
        _within("the smallest EIC gap", self.min_eic_gap, 0, 1000)
        if round(self.min_eic_gap * SCALE) < 1:
            raise UserError(
                "the smallest EIC gap must be above 0", hint="one member must have the lower EIC"
            )
        for what in ("calls", "depth", "length"):
            most = getattr(self, f"max_{what}_gap")
            if most is not None and (not isinstance(most, int) or not 0 <= most <= 100_000):
                raise UserError(f"the largest gap in {what} must be a whole number, 0 or more")
        if self.min_gap_share is not None:
            _within("the share of draws with the gap", self.min_gap_share, 0, 1)
            if self.min_gap_share == 0:
                raise UserError("the share of draws with the gap must be above 0")
        if self.distinct not in DISTINCT:
            raise UserError(
                f"formulas cannot be told apart by `{self.distinct}`",
                hint="choose " + ", ".join(DISTINCT),
            )
        check_exponents(self.exponents)
        if not self.r2_column.strip():
            raise UserError("the R² column needs a name")

    @property
    def r2_gap_units(self) -> int:
        return round(self.max_r2_gap * SCALE)

    @property
    def eic_gap_units(self) -> int:
        return round(self.min_eic_gap * SCALE)

    @property
    def best_r2_units(self) -> int:
        return round(self.min_best_r2 * SCALE)

    def allows(
        self, complexity: tuple[int, int], r2: tuple[float, float], eic: tuple[float, float]
    ) -> bool:
        r2_units = [round(value * SCALE) for value in r2]
        eic_units = [round(value * SCALE) for value in eic]
        return (
            abs(complexity[0] - complexity[1]) <= self.max_complexity_gap
            and abs(r2_units[0] - r2_units[1]) <= self.r2_gap_units
            and abs(eic_units[0] - eic_units[1]) >= self.eic_gap_units
            and max(r2_units) > self.best_r2_units
        )

    @property
    def by_structure(self) -> tuple[int | None, int | None, int | None]:
        return self.max_calls_gap, self.max_depth_gap, self.max_length_gap

    @property
    def further(self) -> bool:
        robust = self.min_gap_share is not None or self.gap_without_worst_row
        return robust or self.by_structure != (None, None, None)

    def without_further(self) -> MatchingRules:
        return replace(
            self,
            max_calls_gap=None,
            max_depth_gap=None,
            max_length_gap=None,
            min_gap_share=None,
            gap_without_worst_row=False,
        )

    def to_json(self) -> dict[str, Any]:
        values = asdict(self)
        # Stored rules of before, and their hashes, stay as they were.
        for name, meaning in _ADDED.items():
            if values[name] == meaning:
                del values[name]
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> MatchingRules:
        """The rules that were stored; what lacks `near_twins` allowed them."""
        names = {f.name for f in fields(cls)}
        for name in values:
            if name not in names:
                raise UserError(f"there is no matching rule `{name}`")
        return cls(**{**_ADDED, **values})


def _within(what: str, value: float, low: float, high: float, *, open_above: bool = False) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and math.isfinite(value) and low <= value <= high) or (
        open_above and value == high
    ):
        above = f"below {high:g}" if open_above else f"at most {high:g}"
        raise UserError(f"{what} must be a number of at least {low:g} and {above}")


def loss(complexity_gap: float, r2_gap: float, eic_gap: float) -> float:
    """L = (ΔC)² + (ΔR²)² - (ΔEIC)², least for the best pair (Yu et al.); takes arrays, too.

    >>> loss(2, 0.0, 3.0)
    -5.0
    """
    return complexity_gap * complexity_gap + r2_gap * r2_gap - eic_gap * eic_gap
