"""An independent reading of the definition of amplification, at 340 digits.

Nothing here comes from `eic_core.measure` or from the operator table: operators
are evaluated by name with `mpmath`, every derivative is a difference quotient,
and the limit of a condition number is found by walking towards the point.  It
is slow on purpose and obeys design.md, section 2, line by line:

* ``s^2 = 1 + sum kappa^2 s_i^2``; where an operand is 0 and the value is not, the
  absolute form ``v = y^2 + sum (de/dy_i)^2 v_i``, ``s^2 = v / y^2``;
* where the value is 0, ``kappa^2 s_i^2`` if kappa has one finite non-zero limit,
  else 0 if the absolute term is 0, else infinity;
* min and max follow the attained operand, at ties the one of larger s;
* a value that is no real number, or above 10^(10^6) or below 10^(-3 10^14), ends the sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node
from tests.oracle import (
    GRIDDED,
    BeyondReach,
    NoRealValue,
    apply,
    check_fair,
    gridded,
    mp,
    number,
    trusted_bits,
)

DIGITS = mp.dps
STEP = 60
"""Difference quotients take steps of 10^-60 and 10^-120."""

TRUSTED = 45
"""A value below 10^-45 of its making, and not so small that it is 0, is not trusted."""

MOST_DIGITS = 3000

ZERO, ONE, INF = mp.zero, mp.one, mp.inf


class MoreDigits(Exception):
    """A sine or the like of a number that the working precision does not hold."""


def _rounding() -> Any:
    return mp.ldexp(mp.one, -trusted_bits())


@dataclass
class Result:
    """What the definition says about one formula on one table.

    Attributes
    ----------
    total, valid : int
    first_invalid : dict of node id to int
    singular : list of int
        Per node.
    mean, finite_mean : list of float
        Per node, the mean of s^2 over valid samples, and over those not singular there.
    s2 : list of list
        Per valid sample and node.
    """

    total: int
    valid: int
    first_invalid: dict[int, int]
    singular: list[int]
    mean: list[float]
    finite_mean: list[float]
    s2: list[list[Any]] = field(repr=False)

    def local_eic(self, node: int) -> float:
        """log10 of the root of the mean."""
        return half_log10(self.mean[node])

    def local_eic_finite(self, node: int) -> float:
        """The same without the samples singular at the node."""
        return half_log10(self.finite_mean[node])


def half_log10(value: float) -> float:
    """log10 sqrt, with nan and inf passing through."""
    return value if math.isnan(value) or math.isinf(value) else 0.5 * math.log10(value)


# --- derivatives and limits by differences ------------------------------------------------

WAVY = frozenset(
    "sin cos tan cot sec csc exp expm1 sinh cosh tanh erf erfc gamma lgamma floor ceil"
    " round".split()
)
"""Operators that vary over a distance of about 1, however large the operand."""

PERIODIC = frozenset("sin cos tan cot sec csc floor ceil round".split())

REMAINDERS = frozenset("mod fmod remainder".split())


def _moved(
    operator: str, a: Sequence[Any], parameter: Fraction | None, index: int, by: Any
) -> Any | None:
    moved = list(a)
    moved[index] = a[index] + by
    try:
        return apply(operator, moved, parameter)
    except NoRealValue:
        return None


def _slopes(
    operator: str, a: Sequence[Any], y: Any, parameter: Fraction | None, index: int, step: Any
) -> list[Any]:
    right = _moved(operator, a, parameter, index, step)
    left = _moved(operator, a, parameter, index, -step)
    slopes = []
    if right is not None:
        slopes.append((right - y) / step)
    if left is not None:
        slopes.append((y - left) / step)
    return slopes


def derivative(
    operator: str,
    a: Sequence[Any],
    y: Any,
    parameter: Fraction | None,
    index: int,
    scale: Any,
) -> Any:
    """|de/dy_i| up to sign, by differences of 10^-60 scale; inf on a jump or a vertical tangent.

    At a corner, the steeper side.
    """
    if operator in REMAINDERS:  # within one number of divisors
        size = abs(a[1])
        scale = min(scale, size * min(ONE, size / abs(a[0])) if a[0] else size)
    step = scale * mp.mpf(10) ** -STEP
    if y:
        needed = _bits_needed(operator, a, y, step)
        if needed > mp.prec:
            if needed > 2 * 10**5:
                raise BeyondReach
            with mp.workprec(needed):
                y = apply(operator, a, parameter)
                return +_slope_at(operator, a, y, parameter, index, step)
    return _slope_at(operator, a, y, parameter, index, step)


def _bits_needed(operator: str, a: Sequence[Any], y: Any, step: Any) -> int:
    """Working bits at which a step in a tiny operand still shows in the value."""
    largest = max((mp.mag(v) for v in a if v), default=0)
    if operator == "fma":  # a step in one factor shows beside the other operand
        return 2 * max(largest, 0) - mp.mag(step) + 400 - min(mp.mag(v) for v in (*a, ONE) if v)
    if operator in ("add", "sub", "hypot", "lgamma") or operator in REMAINDERS:
        return largest - mp.mag(step) + 400
    if operator in ("exp", "cos", "cosh", "sec", "pow", "erfc"):
        return 400 - mp.mag(step)
    if operator == "logaddexp":  # the slope of the smaller one
        return 400 - mp.mag(step) + int(1.5 * min(abs(a[0] - a[1]), 10_000))
    if operator == "atan2":
        return max(largest, 2) - mp.mag(step) + 400
    return 0


def _slope_at(
    operator: str, a: Sequence[Any], y: Any, parameter: Fraction | None, index: int, step: Any
) -> Any:
    slopes = _slopes(operator, a, y, parameter, index, step)
    if len(slopes) == 2 and a[index] != 0:
        right, left = slopes
        if abs(right - left) <= max(abs(right), abs(left)) * mp.mpf(10) ** (-STEP // 3):
            return (right + left) / 2
    if not slopes:
        raise BeyondReach  # an isolated point
    finer = _slopes(operator, a, y, parameter, index, step * mp.mpf(10) ** -STEP)
    coarse, fine = max(map(abs, slopes)), max(map(abs, finer), default=ZERO)
    if fine <= coarse * mp.mpf(10) ** -10:
        return ZERO
    if fine > coarse * (1 + mp.mpf(10) ** -6):
        return INF
    return fine


def _step_scale(operator: str, index: int, value: Any, spread: Any) -> Any:
    scale = abs(value) or (min(spread, ONE) if spread else ONE)
    wavy = operator in WAVY or (operator == "pow" and index == 1)
    return min(scale, ONE) if wavy else scale


_DIRECTIONS: dict[int, tuple[tuple[float, ...], ...]] = {
    1: ((1,), (-1,)),
    2: ((1, 0.7), (1, -0.3), (-1, 0.5), (-0.2, -1), (0.1, 1), (1, 0.01)),
    3: (
        *((1, 0.7, 0.2), (1, -0.3, -0.5), (-1, 0.5, 0.1), (-0.2, -1, 1), (0.1, 1, -0.7)),
        *((1, 0.01, 3), (1, 1, 1e-40)),
    ),
}


def limit_of_condition_number(
    operator: str, a: Sequence[Any], parameter: Fraction | None, index: int
) -> Any | None:
    """The one finite non-zero limit of |kappa_i| at a zero of the operator, or None."""
    seen = []
    for exponent in (30, 60):
        t = mp.mpf(10) ** -exponent
        for direction in _DIRECTIONS[len(a)]:
            scale = min([abs(v) for v in a if v] + [ONE])
            shift = [t * d * (abs(v) or scale) for v, d in zip(a, direction, strict=True)]
            near = [v + h for v, h in zip(a, shift, strict=True)]
            try:
                y = apply(operator, near, parameter)
            except NoRealValue:
                continue
            if y == 0:
                continue
            slope = derivative(operator, near, y, parameter, index, abs(shift[index]))
            if slope == INF:
                return None
            seen.append(abs(near[index] / y * slope))
    if not seen:
        return None
    last = seen[-1]
    if last < 1e-20 or any(abs(value - last) > 1e-6 * last for value in seen):
        return None
    return last


# --- one sample ---------------------------------------------------------------------------


def _fair(operator: str, a: Sequence[Any], y: Any) -> None:
    """Refuse a sample with a value of 10^-45 to 10^-280 of what it is made of."""
    low, high = _rounding(), mp.mpf(10) ** -TRUSTED
    if operator in ("add", "sub") or operator in REMAINDERS:
        scale = max(abs(v) for v in a)
    elif operator == "fma":
        scale = max(abs(a[0] * a[1]), abs(a[2]))
    elif operator in ("sin", "cos", "tan", "cot", "log", "lgamma"):
        scale = min(ONE, abs(a[0])) if operator in ("sin", "tan") else ONE
    else:
        scale = ZERO
    if scale and y and low * scale <= abs(y) <= high * scale:
        raise BeyondReach
    if operator in ("tan", "cot", "sec", "csc") and abs(y) > 1 / high and abs(a[0]) > high:
        raise BeyondReach
    if operator in REMAINDERS and a[0]:
        quotient = gridded(a[0] / a[1])
        gap = abs(quotient - mp.nint(2 * quotient) / 2)
        if 0 < gap < high * abs(quotient) and abs(quotient) > high:
            raise BeyondReach
    if operator in ("min", "max"):
        for other in a:
            gap, scale = abs(other - y), max(abs(other), abs(y))
            if low * scale < gap < high * scale:
                raise BeyondReach


def _term(partial: Any, variance: Any) -> Any:
    if variance == 0 or partial == 0:
        return ZERO
    return INF if INF in (variance, partial) else partial * partial * variance


def _product(kappa2: Any, s2: Any) -> Any:
    return ZERO if kappa2 == 0 else INF if INF in (kappa2, s2) else kappa2 * s2


def step(node: Node, a: list[Any], s2: list[Any], v: list[Any]) -> tuple[Any, Any, Any]:
    """One node: value, s^2 and absolute variance from those of its operands."""
    name, parameter = node.operator, node.parameter
    if name in GRIDDED and mp.mag(a[0]) <= 400:
        check_fair(name, a)
        a = [gridded(a[0])]
    if name in ("min", "max"):
        return _selected(name, a, s2, v)
    if name in PERIODIC and a[0] and mp.mag(a[0]) > mp.prec // 3:
        raise MoreDigits(mp.mag(a[0]))
    if name in REMAINDERS and a[0] and a[1] and mp.mag(a[0] / a[1]) > mp.prec // 3:
        raise MoreDigits(mp.mag(a[0] / a[1]))
    y = apply(name, a, parameter)
    if any(each != 1 for each in s2):  # of leaves every digit is known
        _fair(name, a, y)
    slopes = []
    for i, value in enumerate(a):
        if value == 0 and v[i] == 0 and y != 0:
            slopes.append(ZERO)
            continue
        spread = mp.sqrt(v[i]) if v[i] != INF else INF
        scale = _step_scale(name, i, value, spread)
        if value == 0 and name in ("hypot", "atan2"):  # turns within the other's size
            scale = min(scale, abs(a[1 - i]) or scale)
        slopes.append(derivative(name, a, y, parameter, i, scale))
    if s2[0] == INF and slopes[0] == 0:
        tiny = name in ("cos", "cosh", "sec") and 0 < abs(a[0]) < mp.mpf(10) ** -STEP
        if tiny or name in ("tanh", "erf", "erfc"):
            raise BeyondReach  # flat to 340 digits, yet not flat
    moved = [_term(slope, variance) for slope, variance in zip(slopes, v, strict=True)]
    absolute = y * y + (INF if INF in moved else sum(moved, ZERO))
    if y == 0:
        total = ONE
        for i, term in enumerate(moved):
            limit = limit_of_condition_number(name, a, parameter, i)
            if limit is not None:
                total += _product(limit * limit, s2[i])
            elif term != 0:
                total = INF
        return y, total, absolute
    total = ONE
    for i, value in enumerate(a):
        if value == 0:
            total += moved[i] if moved[i] == INF else moved[i] / (y * y)
        else:
            kappa = value / y * slopes[i] if slopes[i] != INF else INF
            total += _product(kappa * kappa, s2[i])
    return y, total, absolute


def _selected(name: str, a: list[Any], s2: list[Any], v: list[Any]) -> tuple[Any, Any, Any]:
    y = apply(name, a)
    _fair(name, a, y)
    tie = _rounding() * abs(y)
    attained = [i for i, value in enumerate(a) if abs(value - y) <= tie]
    best = max(attained, key=lambda i: (s2[i], v[i]))
    return y, ONE + s2[best], y * y + v[best]


def sample(formula: Formula, values: Mapping[str, str]) -> tuple[list[Any], list[Any], int | None]:
    """Values and s^2 of every node at one sample, and the first node without a real value."""
    y: list[Any] = []
    s2: list[Any] = []
    v: list[Any] = []
    for node in formula.nodes:
        if node.operator in (VARIABLE, CONSTANT):
            text = values[node.label] if node.operator == VARIABLE else node.label
            value = number(text)
            result = value, ONE, value * value
        else:
            operands = node.children
            try:
                result = step(
                    node,
                    [y[i] for i in operands],
                    [s2[i] for i in operands],
                    [v[i] for i in operands],
                )
            except NoRealValue:
                return y, s2, node.id
        y.append(result[0])
        s2.append(result[1])
        v.append(result[2])
    return y, s2, None


def sample_with_digits(
    formula: Formula, values: Mapping[str, str]
) -> tuple[list[Any], list[Any], int | None]:
    """The same with as many digits as it takes."""
    digits = DIGITS
    while digits <= MOST_DIGITS:
        try:
            with mp.workdps(digits):
                return sample(formula, values)
        except MoreDigits as need:
            digits = DIGITS + int(3 * 0.302 * need.args[0])
    raise BeyondReach


def measure(formula: Formula, rows: Iterable[Mapping[str, str]]) -> Result:
    """The definition applied to a whole table of decimal texts.

    Raises
    ------
    BeyondReach
        If a sample's answer hangs on digits beyond the sixtieth.
    """
    count = len(formula.nodes)
    first_invalid: dict[int, int] = {}
    kept: list[list[Any]] = []
    total = 0
    for values in rows:
        total += 1
        _, s2, invalid = sample_with_digits(formula, values)
        if invalid is None:
            kept.append(s2)
        else:
            first_invalid[invalid] = first_invalid.get(invalid, 0) + 1
    singular, mean, finite_mean = [], [], []
    limit = mp.mpf(10) ** 60
    for k in range(count):
        column = [row[k] for row in kept]
        finite = [value for value in column if value <= limit]
        singular.append(len(column) - len(finite))
        finite_mean.append(float(sum(finite, ZERO) / len(finite)) if finite else math.nan)
        if not column:
            mean.append(math.nan)
        else:
            mean.append(math.inf if singular[-1] else finite_mean[-1])
    return Result(total, len(kept), first_invalid, singular, mean, finite_mean, kept)
