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

import mpmath

from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node

DIGITS = 340
STEP = 60
"""Difference quotients take steps of 10^-60 and 10^-120."""

SLACK = 60
"""A value smaller than 10^(60 - working digits) of what it was made from is 0."""

TRUSTED = 45
"""A value above that, yet below 10^-45 of its making, is no rounding here, and not trusted."""

MOST_DIGITS = 3000

LARGEST, SMALLEST = 10**6, -3 * 10**14
"""The decimal exponents between which values are followed."""

mp = mpmath.MPContext()
mp.dps = DIGITS
ZERO, ONE, INF = mp.mpf(0), mp.mpf(1), mp.inf


class NoRealValue(Exception):
    """The operator is undefined here."""


class BeyondReach(Exception):
    """The true answer may need more digits than these: not a fair question."""


class MoreDigits(Exception):
    """A sine or the like of a number that the working precision does not hold."""


def _rounding() -> Any:
    return mp.mpf(10) ** (SLACK - mp.dps)


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


# --- operators by name --------------------------------------------------------------------


def _zero_if_rounding(value: Any, scale: Any) -> Any:
    if value == 0:
        return ZERO
    return ZERO if abs(value) < scale * _rounding() else value


def _sine(x: Any) -> Any:
    return _zero_if_rounding(mp.sin(x), abs(x))


def _cosine(x: Any) -> Any:
    return _zero_if_rounding(mp.cos(x), abs(x))


def _positive_power(base: Any, exponent: Any) -> Any:
    if base <= 0:
        if base == 0 and exponent > 0:
            return ZERO
        raise NoRealValue
    return _exponential(exponent * mp.log(base))


def _exponential(x: Any) -> Any:
    if not SMALLEST < x / mp.log(10) < LARGEST:
        raise NoRealValue
    return mp.exp(x)


def _exact_power(base: Any, exponent: Fraction) -> Any:
    if base == 0:
        if exponent < 0:
            raise NoRealValue
        return ONE if exponent == 0 else ZERO
    if exponent.denominator == 1:
        if not SMALLEST < exponent * mp.log(abs(base), 10) < LARGEST:
            raise NoRealValue
        return base**exponent.numerator
    return _positive_power(base, mp.mpf(exponent.numerator) / exponent.denominator)


def _root(x: Any, index: int) -> Any:
    if x == 0:
        return ZERO
    if x < 0:
        if index % 2 == 0:
            raise NoRealValue
        return -_positive_power(-x, ONE / index)
    return _positive_power(x, ONE / index)


def _angle(y: Any, x: Any) -> Any:
    if y == 0 and x == 0:
        raise NoRealValue
    if x == 0:
        return mp.pi / 2 if y > 0 else -mp.pi / 2
    if x > 0:
        return mp.atan(y / x)
    return mp.atan(y / x) + (mp.pi if y >= 0 else -mp.pi)


def _round_half_even(x: Any) -> Any:
    low = mp.floor(x)
    rest = x - low
    if rest == mp.mpf("0.5"):
        return low if int(low) % 2 == 0 else low + 1
    return low if rest < 0.5 else low + 1


def _logarithm(x: Any, base: Fraction | None) -> Any:
    if x <= 0:
        raise NoRealValue
    value = _zero_if_rounding(mp.log(x), ONE)
    return value if base is None else value / mp.log(mp.mpf(base.numerator) / base.denominator)


def _divide(a: Any, b: Any) -> Any:
    if b == 0:
        raise NoRealValue
    return a / b


def _within(x: Any, low: int, high: float, open_ends: bool = False) -> Any:
    if x < low or x > high or (open_ends and x in (low, high)):
        raise NoRealValue
    return x


def _small(x: Any) -> Any:
    if abs(x) > LARGEST * 2.4:
        raise NoRealValue
    return x


def _number_of_divisors(x: Any, y: Any) -> Any:
    """x / y, or the half-integer from which only a rounding keeps it."""
    quotient = _divide(x, y)
    nearest = mp.nint(2 * quotient) / 2
    return nearest if abs(quotient - nearest) <= abs(quotient) * _rounding() else quotient


def _rest(x: Any, y: Any, whole: Any) -> Any:
    quotient = _number_of_divisors(x, y)
    return ZERO if quotient == whole(quotient) else x - y * whole(quotient)


def _gamma(x: Any) -> Any:
    if (x <= 0 and x == mp.floor(x)) or abs(x) > 3 * 10**5:
        raise NoRealValue
    return mp.gamma(x)


def _log_gamma(x: Any) -> Any:
    if abs(x) < 1000:
        return _zero_if_rounding(mp.log(abs(_gamma(x))), ONE)
    if x < 0 and x == mp.floor(x):
        raise NoRealValue
    return mp.loggamma(x).real


def _complementary_error(x: Any) -> Any:
    if x > 1600:  # below 10^-(10^6)
        raise NoRealValue
    return mp.erfc(x) if x > -1600 else mp.mpf(2)


def _is_beyond(x: Any, edge: Any) -> bool:
    """Whether |x| exceeds an edge, and not by what may be rounding."""
    gap = abs(x) - edge
    if edge and 0 < abs(gap) <= edge * mp.mpf(10) ** -TRUSTED:
        if abs(gap) > edge * _rounding():
            raise BeyondReach
        return False
    return bool(gap > 0)


def _guarded_quotient(x: Any, y: Any, edge: Any) -> Any:
    return x / y if _is_beyond(y, edge) else ONE


def apply(operator: str, a: Sequence[Any], parameter: Fraction | None = None) -> Any:
    """The operator's value at high precision.

    Raises
    ------
    NoRealValue
        Outside the domain, at a pole, or beyond 10^(10^6).
    """
    x = a[0]
    match operator:
        case "add":
            return _zero_if_rounding(x + a[1], max(abs(x), abs(a[1])))
        case "sub":
            return _zero_if_rounding(x - a[1], max(abs(x), abs(a[1])))
        case "mul":
            return x * a[1]
        case "div":
            return _divide(x, a[1])
        case "gp_div":
            return _guarded_quotient(x, a[1], mp.mpf("0.001"))
        case "deap_div":
            return _guarded_quotient(x, a[1], ZERO)
        case "gp_inv":
            return ONE / x if _is_beyond(x, mp.mpf("0.001")) else ZERO
        case "gp_log":
            return _logarithm(abs(x), None) if _is_beyond(x, mp.mpf("0.001")) else ZERO
        case "neg":
            return -x
        case "abs":
            return -x if x < 0 else x
        case "power":
            assert parameter is not None
            return _exact_power(x, parameter)
        case "sqrt":
            return _root(x, 2)
        case "cbrt":
            return _root(x, 3)
        case "root":
            assert parameter is not None
            return _root(x, int(parameter))
        case "pow":
            return _positive_power(x, a[1])
        case "fma":
            return _zero_if_rounding(x * a[1] + a[2], max(abs(x * a[1]), abs(a[2])))
        case "hypot":
            return mp.sqrt(x * x + a[1] * a[1])
        case "exp":
            return _exponential(x)
        case "expm1":
            return mp.expm1(x) if x < -1000 else mp.expm1(_small(x))
        case "log":
            return _logarithm(x, parameter)
        case "log1p":
            return mp.log1p(x) if x > -1 else _divide(ONE, ZERO)
        case "sin":
            return _sine(x)
        case "cos":
            return _cosine(x)
        case "tan":
            return _divide(_sine(x), _cosine(x))
        case "cot":
            return _divide(_cosine(x), _sine(x))
        case "sec":
            return _divide(ONE, _cosine(x))
        case "csc":
            return _divide(ONE, _sine(x))
        case "asin":
            return mp.asin(_within(x, -1, 1))
        case "acos":
            return mp.acos(_within(x, -1, 1))
        case "atan":
            return mp.atan(x)
        case "atan2":
            return _angle(x, a[1])
        case "sinh":
            return mp.sinh(_small(x))
        case "cosh":
            return mp.cosh(_small(x))
        case "tanh":
            return mp.tanh(x) if abs(x) < 10**4 else mp.sign(x)
        case "asinh":
            return mp.asinh(x)
        case "acosh":
            return mp.acosh(_within(x, 1, math.inf))
        case "atanh":
            return mp.atanh(_within(x, -1, 1, open_ends=True))
        case "erf":
            return mp.erf(x) if abs(x) < 10**3 else mp.sign(x)
        case "erfc":
            return _complementary_error(x)
        case "gamma":
            return _gamma(x)
        case "lgamma":
            return _log_gamma(x)
        case "mod":
            return _rest(x, a[1], mp.floor)
        case "fmod":
            return _rest(x, a[1], lambda q: mp.floor(q) if q > 0 else mp.ceil(q))
        case "remainder":
            return _rest(x, a[1], _round_half_even)
        case "min":
            return min(a)
        case "max":
            return max(a)
        case "sign":
            return mp.sign(x)
        case "floor":
            return mp.floor(x)
        case "ceil":
            return mp.ceil(x)
        case "round":
            return _round_half_even(x)
    raise KeyError(operator)


WAVY = frozenset(
    "sin cos tan cot sec csc exp expm1 sinh cosh tanh erf erfc gamma lgamma floor ceil"
    " round".split()
)
"""Operators that vary over a distance of about 1, however large the operand."""

PERIODIC = frozenset("sin cos tan cot sec csc floor ceil round".split())

GRIDDED = frozenset("floor ceil round asin acos acosh atanh gamma lgamma".split())
"""Operators that jump or end at half-integers."""

REMAINDERS = frozenset("mod fmod remainder".split())

NAMES = frozenset(
    "add sub mul div neg abs power sqrt cbrt root pow hypot exp expm1 log log1p sin cos tan cot "
    "sec csc asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf min max sign floor ceil "
    "round erfc gamma lgamma mod fmod remainder fma gp_div gp_log gp_inv deap_div".split()
)


def _on_grid(x: Any) -> Any:
    """x, or the half-integer it differs from by rounding at 340 digits."""
    if x == 0 or mp.mag(x) > 400:
        return x
    nearest = mp.nint(2 * x) / 2
    gap = abs(x - nearest)
    if not nearest or gap > abs(nearest) * mp.mpf(10) ** -TRUSTED:
        return x
    if gap > abs(nearest) * _rounding():
        raise BeyondReach
    return nearest


# --- derivatives and limits by differences ------------------------------------------------


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
    if operator in ("add", "sub", "hypot") or operator in REMAINDERS:
        return largest - mp.mag(step) + 400
    if operator in ("exp", "cos", "cosh", "sec", "pow", "erfc"):
        return 400 - mp.mag(step)
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


def number(text: str) -> Any:
    """A literal's exact value, rounded at 340 digits."""
    if text in ("pi", "e"):
        return +getattr(mp, text)
    fraction = Fraction(text)
    return mp.mpf(fraction.numerator) / fraction.denominator


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
        quotient = _number_of_divisors(*a)
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
    if name in GRIDDED:
        a = [_on_grid(value) for value in a]
    if name in ("min", "max"):
        return _selected(name, a, s2, v)
    if name in PERIODIC and a[0] and mp.mag(a[0]) > mp.prec // 3:
        raise MoreDigits(mp.mag(a[0]))
    if name in REMAINDERS and a[0] and a[1] and mp.mag(a[0] / a[1]) > mp.prec // 3:
        raise MoreDigits(mp.mag(a[0] / a[1]))
    y = apply(name, a, parameter)
    if y and not SMALLEST < mp.log(abs(y), 10) < LARGEST:
        raise NoRealValue
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


def _sample_with_digits(
    formula: Formula, values: Mapping[str, str]
) -> tuple[list[Any], list[Any], int | None]:
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
        _, s2, invalid = _sample_with_digits(formula, values)
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
