"""The rules that make two formulas a matched pair, checked once and frozen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from eic_core.errors import UserError

DECIMALS = 12
"""Gaps and thresholds are compared after rounding R² and EIC to this many decimals."""

SCALE = 10**DECIMALS


@dataclass(frozen=True)
class MatchingRules:
    """When two formulas of one problem are alike but for their EIC.

    Yu et al., appendix ``app:expert_rating``: |ΔC| ≤ 2, |ΔR²| ≤ 0.02,
    |ΔEIC| ≥ 2 and max R² > 0.85.  The first three limits are inclusive, the
    last is strict.  EIC is ``eic_finite``.

    R² and EIC are rounded to 12 decimals and compared as integers, so that
    0.97 and 0.95 are exactly 0.02 apart and a boundary never hangs on binary
    rounding.

    Attributes
    ----------
    max_complexity_gap : int
        Largest |ΔC|, 0 or more.
    max_r2_gap : float
        Largest |ΔR²|, in [0, 10].
    min_eic_gap : float
        Smallest |ΔEIC|, in (0, 1000]: one member must be lower.
    min_best_r2 : float
        The larger R² of the two must be above it; in [-10, 1).
    r2_column : str
        Column of the scored pool that holds R².
    include_invalid, include_singular : bool
        Keep formulas with samples that are invalid, or singular at some node.
    exclude_same_function : bool
        Leave out pairs that are one function up to rounding on the problem's
        data; otherwise they are only labelled.
    same_function_tolerance : float
        Relative difference, in [0, 0.1], up to which two formulas are one
        function; see `study.matching.sameness`.

    Raises
    ------
    UserError
        If a value makes no sense.

    Examples
    --------
    >>> rules = MatchingRules()
    >>> rules.allows(complexity=(7, 9), r2=(0.97, 0.95), eic=(0.5, 2.5))
    True
    >>> rules.allows(complexity=(7, 9), r2=(0.85, 0.85), eic=(0.5, 2.5))
    False
    """

    max_complexity_gap: int = 2
    max_r2_gap: float = 0.02
    min_eic_gap: float = 2.0
    min_best_r2: float = 0.85
    r2_column: str = "r2"
    include_invalid: bool = False
    include_singular: bool = False
    exclude_same_function: bool = False
    same_function_tolerance: float = 1e-6

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
        if not self.r2_column.strip():
            raise UserError("the R² column needs a name")

    @property
    def r2_gap_units(self) -> int:
        """Largest |ΔR²| in units of 10^-12."""
        return round(self.max_r2_gap * SCALE)

    @property
    def eic_gap_units(self) -> int:
        """Smallest |ΔEIC| in units of 10^-12."""
        return round(self.min_eic_gap * SCALE)

    @property
    def best_r2_units(self) -> int:
        """What the larger R² must exceed, in units of 10^-12."""
        return round(self.min_best_r2 * SCALE)

    def allows(
        self, complexity: tuple[int, int], r2: tuple[float, float], eic: tuple[float, float]
    ) -> bool:
        """Whether two formulas are a matched pair: the definition, one pair at a time."""
        r2_units = [round(value * SCALE) for value in r2]
        eic_units = [round(value * SCALE) for value in eic]
        return (
            abs(complexity[0] - complexity[1]) <= self.max_complexity_gap
            and abs(r2_units[0] - r2_units[1]) <= self.r2_gap_units
            and abs(eic_units[0] - eic_units[1]) >= self.eic_gap_units
            and max(r2_units) > self.best_r2_units
        )

    def to_json(self) -> dict[str, Any]:
        """As plain values; `from_json` undoes it."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> MatchingRules:
        """From plain values.

        Raises
        ------
        UserError
            If a name is unknown or a value makes no sense.
        """
        known = {f.name for f in fields(cls)}
        for name in values:
            if name not in known:
                raise UserError(f"there is no matching rule `{name}`")
        return cls(**values)


def _within(
    what: str, value: float, low: float, high: float, *, open_above: bool = False
) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and math.isfinite(value) and low <= value <= high) or (
        open_above and value == high
    ):
        above = f"below {high:g}" if open_above else f"at most {high:g}"
        raise UserError(f"{what} must be a number of at least {low:g} and {above}")


def loss(complexity_gap: float, r2_gap: float, eic_gap: float) -> float:
    """L = (ΔC)² + (ΔR²)² - (ΔEIC)², smallest for the best pair.

    Yu et al., appendix ``app:expert_rating``.  Takes arrays as well.

    Examples
    --------
    >>> loss(2, 0.0, 3.0)
    -5.0
    """
    return complexity_gap * complexity_gap + r2_gap * r2_gap - eic_gap * eic_gap
