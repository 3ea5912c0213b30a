"""What is true of a formula on a table, found by shaking it: nothing comes from the engine.

Values are mpmath numbers of 170 digits and more, operators are evaluated by name, and no
derivative is written down.  At every row each node's value is moved by 10^-70 of itself, one
node at a time, and the move is carried up the tree: what arrives at a node, in units of its
own value, is that noise's gain there.  The rules where a value is 0, on a jump or at the end of
a domain are those of the definition (`docs/adr/0001-the-definition-at-its-edges.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import mpmath
import numpy as np
from scipy.special import erf

from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node
from eic_core.samples import Samples

mp = mpmath.MPContext()
DIGITS, MOST_DIGITS = 170, 900
STEP = mp.mpf(2) ** -233
"""About 10^-70."""

LARGEST_BITS = 3_321_928
"""A value beyond 10^(10^6) is none, says the definition."""

SINGULAR_S2 = 1e60
"""Above s = 10^30 no digit is left, says the definition."""


SIXTY = 150
"""Bits beyond which the definition, at 60 digits, may take a number for its neighbour."""


class NoRealValue(Exception):
    """The operator is undefined here."""


class TooLarge(NoRealValue):
    """There is a value, but beyond 10^(10^6)."""


class Unfair(Exception):
    """More digits than this oracle has would be needed to tell."""


# --- operators by name, exactly ---


def _snapped(value: Any, bits: int) -> Any:
    """0 where a value of this size can only be the rounding of numbers of 2^bits."""
    return mp.zero if value and mp.mag(value) < bits - mp.prec + 60 else value


def _bits(*values: Any) -> int:
    return max((mp.mag(v) for v in values if v), default=0)


def _gridded(x: Any) -> Any:
    """The half-integer that x differs from by rounding only, or x."""
    if not x or mp.mag(x) > mp.prec - 100:
        return x
    near = mp.nint(2 * x) / 2
    if not near or near == x:
        return x
    return x if _snapped(x - near, _bits(near)) else near


GRIDDED = frozenset("floor ceil round asin acos acosh atanh".split())


def _check_fair(node: Node, a: Sequence[Any]) -> None:
    """Refuse an operand that differs from a jump, or an end, by less than 60 digits can tell."""
    if node.operator in GRIDDED and a[0]:
        near = mp.nint(2 * a[0]) / 2
        gap = _snapped(a[0] - near, _bits(near))
        if near and gap and mp.mag(gap) < mp.mag(near) - SIXTY:
            raise Unfair


def _need(holds: bool) -> None:
    if not holds:
        raise NoRealValue


def _need_size(fits: bool) -> None:
    if not fits:
        raise TooLarge


def _angle_fits(x: Any) -> Any:
    if x and mp.mag(x) > 9966:  # 10^3000: too large to be reduced, says the definition
        raise TooLarge
    if x and mp.mag(x) > mp.prec - 300:
        raise Unfair
    return x


def _sin(x: Any) -> Any:
    return _snapped(mp.sin(_angle_fits(x)), _bits(x))


def _cos(x: Any) -> Any:
    return _snapped(mp.cos(_angle_fits(x)), max(0, _bits(x)))


def _over(a: Any, b: Any) -> Any:
    _need(b != 0)
    return a / b


def _exp(x: Any) -> Any:
    _need_size(abs(x) < LARGEST_BITS * 0.693)
    return mp.exp(x)


def _log(x: Any, base: Fraction | None) -> Any:
    _need(x > 0)
    value = _snapped(mp.log(x), 0)
    return value if base is None else value / mp.log(mp.mpf(base.numerator) / base.denominator)


def _any_power(base: Any, exponent: Any) -> Any:
    if base == 0 and exponent > 0:
        return mp.zero
    _need(base > 0)
    return _exp(exponent * mp.log(base))


def _exact_power(base: Any, p: Fraction) -> Any:
    if base == 0:
        _need(p >= 0)
        return mp.one if p == 0 else mp.zero
    if p.denominator == 1:
        _need_size(abs(p * mp.mag(base)) < 2 * LARGEST_BITS)
        return base**p.numerator
    if p.denominator == 2:
        _need(base > 0)
        return mp.sqrt(base) ** p.numerator
    return _any_power(base, mp.mpf(p.numerator) / p.denominator)


def _root(x: Any, index: int) -> Any:
    if x == 0:
        return mp.zero
    if x < 0:
        _need(index % 2 == 1)
        return -_root(-x, index)
    return mp.sqrt(x) if index == 2 else mp.root(x, index)


def _atan2(y: Any, x: Any) -> Any:
    _need(bool(y) or bool(x))
    return mp.atan2(y, x)


def _bounded(f: Callable[[Any], Any], least: float, most: float, ends: bool) -> Any:
    def value(a: Sequence[Any], p: Any) -> Any:
        x = _gridded(a[0])
        _need(least <= x <= most and (ends or x not in (least, most)))
        return f(x)

    return value


def _round(x: Any) -> Any:
    low = mp.floor(x)
    rest = x - low
    if rest == 0.5:
        return low if int(low) % 2 == 0 else low + 1
    return low if rest < 0.5 else low + 1


def _grown(f: Callable[[Any], Any]) -> Any:
    def value(a: Sequence[Any], p: Any) -> Any:
        _need_size(abs(a[0]) < LARGEST_BITS * 0.693)
        return f(a[0])

    return value


def _sum(a: Any, b: Any) -> Any:
    return _snapped(a + b, _bits(a, b))


EXACT: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    "add": lambda a, p: _sum(a[0], a[1]),
    "sub": lambda a, p: _sum(a[0], -a[1]),
    "mul": lambda a, p: a[0] * a[1],
    "div": lambda a, p: _over(a[0], a[1]),
    "neg": lambda a, p: -a[0],
    "abs": lambda a, p: abs(a[0]),
    "power": lambda a, p: _exact_power(a[0], p),
    "sqrt": lambda a, p: _root(a[0], 2),
    "cbrt": lambda a, p: _root(a[0], 3),
    "root": lambda a, p: _root(a[0], int(p)),
    "pow": lambda a, p: _any_power(a[0], a[1]),
    "hypot": lambda a, p: mp.sqrt(a[0] * a[0] + a[1] * a[1]),
    "exp": lambda a, p: _exp(a[0]),
    "expm1": lambda a, p: mp.expm1(a[0]) if a[0] < -1000 else _grown(mp.expm1)(a, p),
    "log": lambda a, p: _log(a[0], p),
    "log1p": lambda a, p: _over(mp.log1p(a[0]), 1) if a[0] > -1 else _over(1, 0),
    "sin": lambda a, p: _sin(a[0]),
    "cos": lambda a, p: _cos(a[0]),
    "tan": lambda a, p: _over(_sin(a[0]), _cos(a[0])),
    "cot": lambda a, p: _over(_cos(a[0]), _sin(a[0])),
    "sec": lambda a, p: _over(1, _cos(a[0])),
    "csc": lambda a, p: _over(1, _sin(a[0])),
    "asin": _bounded(mp.asin, -1, 1, True),
    "acos": _bounded(mp.acos, -1, 1, True),
    "atan": lambda a, p: mp.atan(a[0]),
    "atan2": lambda a, p: _atan2(a[0], a[1]),
    "sinh": _grown(mp.sinh),
    "cosh": _grown(mp.cosh),
    "tanh": lambda a, p: mp.tanh(a[0]) if abs(a[0]) < 10**4 else mp.sign(a[0]),
    "asinh": lambda a, p: mp.asinh(a[0]),
    "acosh": _bounded(mp.acosh, 1, math.inf, True),
    "atanh": _bounded(mp.atanh, -1, 1, False),
    "erf": lambda a, p: mp.erf(a[0]) if abs(a[0]) < 10**3 else mp.sign(a[0]),
    "min": lambda a, p: min(a),
    "max": lambda a, p: max(a),
    "sign": lambda a, p: mp.sign(a[0]),
    "floor": lambda a, p: mp.floor(_gridded(a[0])),
    "ceil": lambda a, p: mp.ceil(_gridded(a[0])),
    "round": lambda a, p: _round(_gridded(a[0])),
}

STEPS = frozenset("sign floor ceil round".split())


def _on_jump(name: str, x: Any) -> bool:
    if name == "sign":
        return not x
    if x and mp.mag(x) > mp.prec - 300:
        raise Unfair
    x = _gridded(x)
    return bool(mp.frac(x) == (0.5 if name == "round" else 0))


ROUGH = frozenset("abs min max sign floor ceil round atan2 sqrt root asin acos acosh pow power "
                  "hypot cbrt".split())  # fmt: skip
"""Where a move to one side may show what a move to the other does not."""

ONES = dict.fromkeys("neg abs sin tan asin atan sinh tanh asinh atanh expm1 log1p erf".split(), 1)


def _limit(name: str, a: Sequence[Any], p: Any, i: int) -> float | None:
    """The one finite limit other than 0 of the i-th condition number where the value is 0."""
    if name in ("mul", "div") and not (name == "mul" and not any(a)):
        return -1.0 if name == "div" and i else 1.0
    if name == "mul":
        return 1.0
    if name in ONES:
        return 1.0 if a[0] == 0 else None
    if name == "power":
        return float(p)
    if name == "pow":
        return float(a[1]) if i == 0 else None
    if name in ("sqrt", "cbrt", "root"):
        return 1 / {"sqrt": 2, "cbrt": 3}.get(name, int(p or 1))
    if name == "atan2" and a[1] > 0:
        return -1.0 if i else 1.0
    return None


def number(text: str) -> Any:
    """A literal's value."""
    if text in ("pi", "e"):
        return +getattr(mp, text)
    fraction = Fraction(text)
    return mp.mpf(fraction.numerator) / fraction.denominator


def _apply(node: Node, a: Sequence[Any]) -> Any:
    value = EXACT[node.operator](a, node.parameter)
    if value and abs(mp.mag(value)) > LARGEST_BITS:
        raise TooLarge
    return value


# --- one row ---


def _ratio(change: Any, y: Any) -> float:
    ratio = change / (STEP * y)
    return float(ratio) if not ratio or mp.mag(ratio) < 1000 else math.copysign(math.inf, ratio)


@dataclass
class RowTruth:
    """One row: values, moves and gains of every node; up to the first without a value.

    Attributes
    ----------
    y : list of mpf
    bad : int or None
        The first node without a real value.
    too_large : bool
        Whether it is only beyond 10^(10^6) there.
    s2 : list of float
        inf above 10^60.
    raw : list of float
        The same without that threshold.
    gains : list of dict of node id to float
        By node: what arrives from each node below, signed.
    loose : list of dict of node id to mpf
        At a node whose value is 0: the moves that have no gain, because nothing is there to
        compare them with.
    """

    y: list[Any]
    bad: int | None
    s2: list[float]
    raw: list[float]
    gains: list[dict[int, float]]
    loose: list[dict[int, Any]]
    too_large: bool = False


def _open(node: Node, a: list[Any], y: Any, i: int) -> bool:
    """Whether an operand moves the value at first order."""
    step = a[i] * STEP if a[i] else STEP
    to = _moved(node, a, y, i, a[i] + step)
    return to is None or abs(to - y) > abs(step) * mp.sqrt(STEP) * min(1, abs(y) or 1)


STRAIGHT = frozenset("add sub mul div neg abs min max".split())
OF_ONE = frozenset("sin cos tan cot sec csc exp expm1 sinh cosh tanh erf pow".split())
"""What bends within a distance of about 1, however large the operand."""

COARSE = mp.mpf(10) ** -20
"""A longer move, beside the operand or beside 1, is followed along the tangent."""


def _steep_end(node: Node, a: Sequence[Any]) -> bool:
    """Whether the slope is infinite there: at an end of the domain, or under a root of 0."""
    if node.operator in ("asin", "acos", "acosh"):
        return bool(abs(_gridded(a[0])) == 1)
    root = node.operator in ("sqrt", "cbrt", "root")
    power = node.operator == "power" and 0 < node.parameter < 1
    return bool((root or power) and not a[0])


def _moved(node: Node, a: list[Any], y: Any, i: int, to: Any) -> Any | None:
    """The value with one operand moved: to the other side if that shows more; None if no side
    has a value."""
    if node.operator in STEPS:
        return None if _on_jump(node.operator, a[i]) else y
    if _steep_end(node, a):
        return None
    scale = abs(a[i]) or mp.one
    if node.operator in OF_ONE:
        scale = min(scale, mp.one)
    if node.operator not in STRAIGHT and abs(to - a[i]) > COARSE * scale:
        step = COARSE * COARSE * scale
        over, under = (_moved(node, a, y, i, a[i] + d) for d in (step, -step))
        if over is None or under is None:
            return None
        slope = (over - under) / (2 * step)
        flat = abs(slope * (a[i] or 1)) < COARSE * (abs(y) or 1)
        return y if flat else y + slope * (to - a[i])
    found = None
    for place in (to, 2 * a[i] - to):
        b = list(a)
        b[i] = place
        try:
            value = _apply(node, b)
        except NoRealValue:
            continue
        if found is None or abs(value - y) > 2 * abs(found - y):
            found = value
        if node.operator not in ROUGH:
            break
    return found


def shake_row(formula: Formula, cells: Mapping[str, str]) -> RowTruth:
    """Everything about one row.

    Parameters
    ----------
    formula : Formula
    cells : mapping of variable to decimal text
    """
    row = RowTruth([], None, [], [], [], [])
    moves: list[dict[int, Any]] = []
    for node in formula.nodes:
        k = node.id
        if node.operator in (VARIABLE, CONSTANT):
            y = number(cells[node.label] if node.operator == VARIABLE else node.label)
            row.y.append(y)
            row.s2.append(1.0)
            row.raw.append(1.0)
            row.gains.append({k: 1.0})
            row.loose.append({})
            moves.append({k: y + y * STEP})
            continue
        a = [row.y[c] for c in node.children]
        _check_fair(node, a)
        try:
            y = _apply(node, a)
        except NoRealValue as reason:
            row.bad, row.too_large = k, isinstance(reason, TooLarge)
            return row
        moved: dict[int, Any] = {}
        for i in _open_operands(row, node, a, y):
            for j, to in moves[node.children[i]].items():
                if to is None:
                    if _open(node, a, y, i):
                        moved[j] = None
                elif to != a[i]:
                    moved[j] = _moved(node, a, y, i, to)
        row.y.append(y)
        if y:
            gains = {
                j: math.inf if to is None else _ratio(to - y, y)
                for j, to in moved.items()
                if to is None or to != y
            }
            loose: dict[int, Any] = {}
            s2 = 1.0 + sum(g * g for g in gains.values())
            if any(row.raw[node.children[i]] == math.inf for i in range(len(a))):
                s2 = _infinite_passes(row, node, a, y, s2)
        else:
            gains, loose, s2 = _at_zero(row, node, a, moved)
        gains[k] = 1.0
        row.raw.append(s2)
        row.s2.append(s2 if s2 <= SINGULAR_S2 else math.inf)
        row.gains.append(gains)
        row.loose.append(loose)
        moved[k] = y + y * STEP
        moves.append(moved)
    return row


def _open_operands(row: RowTruth, node: Node, a: list[Any], y: Any) -> Sequence[int]:
    """The operands whose noise comes through: of min and max the one attained, with most noise."""
    if node.operator not in ("min", "max"):
        return range(len(a))
    attained = [i for i, v in enumerate(a) if not _snapped(v - y, _bits(v, y))]
    return [max(attained, key=lambda i: row.s2[node.children[i]])]


def _infinite_passes(row: RowTruth, node: Node, a: list[Any], y: Any, s2: float) -> float:
    """s^2 where an operand that is not 0 has lost every digit: all is lost, unless it is closed."""
    for i, c in enumerate(node.children):
        if row.raw[c] == math.inf and a[i]:
            to = _moved(node, a, y, i, a[i] + a[i] * STEP)
            if to is None or abs(_ratio(to - y, y)) > 1e-40:
                return math.inf
    return s2


def _at_zero(
    row: RowTruth, node: Node, a: list[Any], moved: dict[int, Any]
) -> tuple[dict[int, float], dict[int, Any], float]:
    """Gains, loose moves and s^2 at a node whose value is 0."""
    gains: dict[int, float] = {}
    loose: dict[int, Any] = {}
    s2 = 1.0
    open_operands = _open_operands(row, node, a, mp.zero)
    for i, c in enumerate(node.children):
        if i not in open_operands:
            continue
        limit = (
            1.0 if node.operator in ("min", "max") else _limit(node.operator, a, node.parameter, i)
        )
        below = set(row.gains[c]) | set(row.loose[c])
        if limit is not None:
            s2 += limit * limit * row.raw[c]
            for j, g in row.gains[c].items():
                gains[j] = limit * g
            loose.update({j: m for j, m in row.loose[c].items() if j in moved})
            continue
        for j in below:
            to = moved.get(j)
            if j in moved and (to is None or to != 0):
                loose[j] = mp.inf if to is None else to / STEP
                s2 = math.inf
    return gains, loose, s2


# --- plain floating point ---


def _np_root(x: Any, p: Any) -> Any:
    index = int(p)
    one = x.dtype.type(1.0 / index)
    return np.sign(x) * np.power(np.abs(x), one) if index % 2 else np.power(x, one)


def _np_log(x: Any, p: Any) -> Any:
    if p is None:
        return np.log(x)
    return {2: np.log2, 10: np.log10}.get(p, lambda v: np.log(v) / v.dtype.type(math.log(p)))(x)


def _of_one(f: Any) -> Callable[[Sequence[Any], Any], Any]:
    return lambda a, p: f(a[0])


PLAIN: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    "add": lambda a, p: a[0] + a[1],
    "sub": lambda a, p: a[0] - a[1],
    "mul": lambda a, p: a[0] * a[1],
    "div": lambda a, p: a[0] / a[1],
    "neg": lambda a, p: -a[0],
    "abs": lambda a, p: np.abs(a[0]),
    "power": lambda a, p: np.power(a[0], a[0].dtype.type(float(p))),
    "root": lambda a, p: _np_root(a[0], p),
    "pow": lambda a, p: np.power(a[0], a[1]),
    "hypot": lambda a, p: np.hypot(a[0], a[1]),
    "log": lambda a, p: _np_log(a[0], p),
    "cot": lambda a, p: 1 / np.tan(a[0]),
    "sec": lambda a, p: 1 / np.cos(a[0]),
    "csc": lambda a, p: 1 / np.sin(a[0]),
    "atan2": lambda a, p: np.arctan2(a[0], a[1]),
    "erf": lambda a, p: erf(a[0]),
    "min": lambda a, p: np.minimum.reduce(list(a)),
    "max": lambda a, p: np.maximum.reduce(list(a)),
    **{
        ours: _of_one(getattr(np, theirs))
        for ours, theirs in [
            *((n, n) for n in "sqrt cbrt exp expm1 log1p sin cos tan sinh cosh tanh sign floor "
                              "ceil".split()),
            *((n, "arc" + n[1:]) for n in "asin acos atan asinh acosh atanh".split()),
            ("round", "round"),
        ]
    },
}  # fmt: skip


def run_plain(formula: Formula, columns: Mapping[str, Any], count: int, kind: str) -> list[Any]:
    """Every node as a program would compute it, in one floating-point type.

    Parameters
    ----------
    formula : Formula
    columns : mapping of variable to array of doubles
    count : int
    kind : {"float64", "float32"}
    """
    dtype = np.dtype(kind)
    found: list[Any] = []
    with np.errstate(all="ignore"):
        for node in formula.nodes:
            if node.operator == VARIABLE:
                y = np.asarray(columns[node.label]).astype(dtype)
            elif node.operator == CONSTANT:
                value = {"pi": math.pi, "e": math.e}.get(node.label)
                value = _as_double(node.label) if value is None else value
                y = np.full(count, value).astype(dtype)
            else:
                y = PLAIN[node.operator]([found[c] for c in node.children], node.parameter)
            found.append(np.asarray(y, dtype=dtype))
    return found


def _as_double(label: str) -> float:
    try:
        return float(Fraction(label))
    except OverflowError:
        return math.copysign(math.inf, -1 if label.startswith("-") else 1)


# --- the whole table ---


def half_log10(mean: float) -> float:
    """Digits of a mean square."""
    return mean if not 0 < mean < math.inf else 0.5 * math.log10(mean)


class Truth:
    """What is true of one formula on one table.

    Parameters
    ----------
    formula : Formula
    samples : Samples
    """

    def __init__(self, formula: Formula, samples: Samples) -> None:
        unknown = {n.operator for n in formula.nodes if n.children} - set(EXACT)
        if unknown:
            raise Unfair(f"no oracle for {unknown}")
        self.formula, self.samples = formula, samples
        self.count, self.nodes = len(samples), len(formula)
        self.root = self.nodes - 1
        known: dict[tuple[str, ...], RowTruth] = {}
        self.rows: list[RowTruth] = []
        digits = self._digits()
        with mp.workdps(digits):
            for i in range(self.count):
                cells = {name: samples.decimal(name, i) for name in formula.variables}
                key = tuple(cells.values())
                if key not in known:
                    known[key] = shake_row(formula, cells)
                self.rows.append(known[key])
        self.distinct = len(known)
        self.focus: int | None = None

    def _digits(self) -> int:
        """Enough for the sizes that occur, a few rows being looked at in double precision."""
        values = run_plain(self.formula, self.samples.columns, self.count, "float64")
        size = 0.0
        with np.errstate(all="ignore"):
            for y in values:
                logs = np.abs(np.log10(np.abs(y[y != 0])))
                logs = np.where(np.isfinite(logs), logs, 330)
                size = max(size, float(np.max(logs, initial=0.0)))
        return DIGITS if size < 40 else min(MOST_DIGITS, int(DIGITS + 2 * size))

    # values

    @cached_property
    def bad(self) -> np.ndarray:
        """The first node without a value at each row, -1 where all have one."""
        return np.array([-1 if r.bad is None else r.bad for r in self.rows])

    @cached_property
    def valid(self) -> np.ndarray:
        """Rows where every node has a value."""
        return self.bad < 0

    @cached_property
    def _columns(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        return {}

    def value(self, k: int) -> np.ndarray:
        """Values as doubles (inf and 0 where they are beyond); nan where a row has none."""
        return np.array([_double(r.y[k]) if r.bad is None else math.nan for r in self.rows])

    def size(self, k: int) -> np.ndarray:
        """log10 |y|; -inf at 0, nan where there is none."""
        with mp.workdps(20):
            return np.array([
                math.nan if r.bad is not None
                else float(mp.log10(abs(r.y[k]))) if r.y[k] else -math.inf
                for r in self.rows
            ])  # fmt: skip

    # noise

    @cached_property
    def s2(self) -> np.ndarray:
        """s^2 of each node at each row; inf where singular, nan where invalid."""
        empty = [math.nan] * self.nodes
        return np.array([r.s2 if r.bad is None else empty for r in self.rows]).T

    def s(self, k: int) -> np.ndarray:
        """s at one node."""
        return np.sqrt(self.s2[k])

    def singular(self, k: int) -> np.ndarray:
        """Valid rows where no digit is left at a node."""
        return np.isinf(self.s2[k])

    @cached_property
    def any_singular(self) -> np.ndarray:
        """Valid rows where no digit is left at some node."""
        return np.isinf(self.s2).any(axis=0)

    def local(self, k: int) -> float:
        """Digits lost at a node; inf if a row is singular there, nan without a valid row."""
        return half_log10(_mean(self.s2[k][self.valid]))

    def local_finite(self, k: int) -> float:
        """The same over the rows that are not singular there."""
        s2 = self.s2[k]
        return half_log10(_mean(s2[np.isfinite(s2)]))

    @cached_property
    def locals(self) -> np.ndarray:
        """`local` of all nodes."""
        return np.array([self.local(k) for k in range(self.nodes)])

    @cached_property
    def locals_finite(self) -> np.ndarray:
        """`local_finite` of all nodes."""
        return np.array([self.local_finite(k) for k in range(self.nodes)])

    @property
    def eic(self) -> float:
        """The largest `local`; nan without a valid row."""
        return float(np.max(self.locals)) if self.valid.any() else math.nan

    def subtree(self, k: int) -> range:
        """The nodes of a subtree."""
        return range(self.formula.first[k], k + 1)

    def gains(self, t: int) -> np.ndarray:
        """What arrives at t from each node, signed, shape (nodes, rows); nan at singular and
        invalid rows."""
        found = np.zeros((self.nodes, self.count))
        for i, r in enumerate(self.rows):
            if r.bad is not None or r.s2[t] == math.inf:
                found[:, i] = math.nan
                continue
            for j, g in r.gains[t].items():
                found[j, i] = g
        return found

    def squares(self, t: int) -> np.ndarray:
        """Per node, the sum over the finite rows of its gain at t squared."""
        return np.nansum(np.square(self.gains(t)), axis=1)

    def shares(self, t: int) -> np.ndarray:
        """Per node, its part of E[s_t^2] over the finite rows."""
        squares = self.squares(t)
        total = squares.sum()
        return squares / total if total else squares

    # shared noise

    @cached_property
    def classes(self) -> list[list[int]]:
        """Nodes that one program would round alike: equal up to the order in + and x."""
        keys: list[Any] = []
        groups: dict[Any, list[int]] = {}
        for node in self.formula.nodes:
            below = [keys[c] for c in node.children]
            if node.operator in ("add", "mul"):
                below.sort(key=repr)
            label: Any = node.label
            if node.operator == CONSTANT and label not in ("pi", "e"):
                label = Fraction(label)
            keys.append((node.operator, str(label), str(node.parameter), *below))
            groups.setdefault(keys[-1], []).append(node.id)
        return list(groups.values())

    @cached_property
    def q2(self) -> np.ndarray:
        """q^2 of the result: members of a class share their noise; inf where singular."""
        return np.array([self._shared(r, self.classes, own=False) for r in self.rows])

    @cached_property
    def own2(self) -> np.ndarray:
        """1 + the squared sensitivities of the result to its variables."""
        leaves: dict[str, list[int]] = {}
        for node in self.formula.nodes:
            if node.operator == VARIABLE:
                leaves.setdefault(node.label, []).append(node.id)
        return np.array([self._shared(r, list(leaves.values()), own=True) for r in self.rows])

    def _shared(self, row: RowTruth, groups: list[list[int]], *, own: bool) -> float:
        if row.bad is not None:
            return math.nan
        gains, loose = row.gains[self.root], row.loose[self.root]
        total = 1.0 if own else 0.0
        for group in groups:
            moves = [loose[j] for j in group if j in loose]
            if moves:
                with mp.workdps(MOST_DIGITS):
                    together, apart = mp.fsum(moves), mp.fsum(map(abs, moves))
                    if mp.isinf(apart) or abs(together) > apart * mp.mpf(10) ** -20:
                        return math.inf
            g = math.fsum(gains.get(j, 0.0) for j in group if abs(gains.get(j, 0.0)) < 1e200)
            if any(abs(gains.get(j, 0.0)) >= 1e200 for j in group):
                return math.inf
            total += g * g
        return total if total <= SINGULAR_S2 else math.inf

    # double precision

    @cached_property
    def doubles(self) -> list[Any]:
        """Every node in plain double precision."""
        return run_plain(self.formula, self.samples.columns, self.count, "float64")

    @cached_property
    def singles(self) -> list[Any]:
        """Every node in plain single precision."""
        return run_plain(self.formula, self.samples.columns, self.count, "float32")

    @cached_property
    def leaves_range(self) -> np.ndarray:
        """Valid rows where the true value of some node is no normal double, and not 0."""
        found = np.zeros(self.count, dtype=bool)
        for k in range(self.nodes):
            size = self.size(k)
            found |= (np.isfinite(size) & (size < -307.652)) | (size > 308.254)
        return found

    def without_double(self, k: int) -> np.ndarray:
        """Valid rows at which double precision has no value: nan, inf, or a 0 that is none.

        A 0 that rounding alone makes, where two terms cancel, is a value, if a wrong one.
        """
        y = self.doubles[k]
        wrong_zero = (y == 0) & ~np.isneginf(self.size(k)) & self.leaves_range
        wrong_zero &= ~self.singular(k)
        return self.valid & (~np.isfinite(y) | wrong_zero)

    # where a loss is made

    def _row_weights(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Finite rows, weighted so that the mean of log10 s_t is the local EIC of t."""
        s2 = self.s2[t]
        rows = np.flatnonzero(np.isfinite(s2))
        if not len(rows):
            return rows, np.empty(0)
        logs = np.log10(s2[rows])
        goal = 2 * self.local_finite(t)
        low, high = 0.0, 1.0
        for _ in range(60):
            power = 0.5 * (low + high)
            w = 10.0 ** (power * (logs - logs.max()))
            w /= w.sum()
            low, high = (power, high) if w @ logs < goal else (low, power)
        return rows, w

    def created(self, t: int) -> np.ndarray:
        """Digits of t's local EIC that each node makes, copies of one sub-expression together.

        At a row a node makes the growth of log10 s from its operands, weighted by the part of the
        noise that comes through each, to itself; that counts as much as of t's noise takes this
        way.  Over the rows the weights are those of `_row_weights`.
        """
        made = np.zeros(self.nodes)
        rows, weights = self._row_weights(t)
        for i, w in zip(rows.tolist(), weights.tolist(), strict=True):
            if w < 1e-9:
                continue
            r = self.rows[i]
            through = np.zeros(self.nodes)
            for k in self.subtree(t):
                children = self.formula.nodes[k].children
                through[k] = r.gains[t].get(k, 0.0) ** 2 + sum(through[c] for c in children)
            total = through[t]
            for k in self.subtree(t):
                if not through[k] or not math.isfinite(r.s2[k]):
                    continue
                made[k] += w * through[k] / total * half_log10(r.s2[k])
                above = self.formula.parents[k]
                if k != t and above is not None:
                    made[above] -= w * through[k] / total * half_log10(r.s2[k])
        for group in self.classes:
            inside = [k for k in group if k in self.subtree(t)]
            made[inside] = made[inside].sum() if inside else 0.0
        return made

    def created_on_path(self, t: int) -> np.ndarray:
        """The same along the operand of most noise alone, over the rows by s_t^2."""
        made = np.zeros(self.nodes)
        s2 = self.s2[t]
        rows = np.flatnonzero(np.isfinite(s2))
        if not len(rows):
            return made
        weights = s2[rows] / s2[rows].max()
        weights = weights / weights.sum()
        for i, w in zip(rows.tolist(), weights.tolist(), strict=True):
            if w < 1e-9:
                continue
            r, k = self.rows[i], t
            while True:
                here = half_log10(r.s2[k])
                children = self.formula.nodes[k].children
                through = [
                    math.fsum(min(r.gains[k].get(j, 0.0) ** 2, 1e300) for j in self.subtree(c))
                    for c in children
                ]
                if not through or max(through) <= 0:
                    made[k] += w * here
                    break
                c = children[int(np.argmax(through))]
                below = half_log10(r.s2[c])
                if math.isinf(below):
                    made[c] += w * here
                    break
                made[k] += w * (here - below)
                k = c
        for group in self.classes:
            inside = [k for k in group if k in self.subtree(t)]
            made[inside] = made[inside].sum() if inside else 0.0
        return made

    # signs

    def along(
        self, k: int, most: int = 12
    ) -> Iterator[tuple[str, dict[str, float], dict[str, float]]]:
        """What lies between rows of opposite sign: "zero", "pole", "jump", "gap" or "unknown".

        The segment between the two rows is halved in double precision down to its last digits;
        what comes back are the place, and the row that it was approached from.
        """
        y = self.value(k)
        names = self.formula.variables
        rows = np.flatnonzero(np.isfinite(y) & (y != 0))
        if len(names) == 1:
            x = self.samples.columns[names[0]]
            rows = rows[np.argsort(x[rows], kind="stable")]
            pairs = [
                (a, b) for a, b in zip(rows, rows[1:], strict=False) if (y[a] < 0) != (y[b] < 0)
            ]
        else:
            up, down = rows[y[rows] > 0], rows[y[rows] < 0]
            pairs = list(zip(up.tolist(), down.tolist(), strict=False))
        step = max(1, len(pairs) // most) | 1  # odd: up and down alternate
        for a, b in pairs[::step][:most]:
            yield from self._halve(k, int(a), int(b))

    def _halve(self, k: int, a: int, b: int) -> Iterator[Any]:
        columns = self.samples.columns
        names = self.formula.variables
        low, high = ({v: float(columns[v][i]) for v in names} for i in (a, b))
        subtree = self.formula.subtree(k)
        jumps = any(n.operator in STEPS or n.operator == "atan2" for n in subtree.nodes)

        def at(points: list[dict[str, float]]) -> np.ndarray:
            cells = {v: np.array([point[v] for point in points]) for v in names}
            return run_plain(subtree, cells, len(points), "float64")[-1]

        parts = np.linspace(0.0, 1.0, PARTS + 1).tolist()
        points = [{v: low[v] * (1 - t) + high[v] * t for v in names} for t in parts]
        points[0], points[-1] = low, high
        y = at(points)
        changes = [
            i
            for i in range(PARTS)
            if np.isfinite(y[i : i + 2]).all() and (y[i] < 0) != (y[i + 1] < 0)
        ]
        if not changes:
            yield "gap", low, low
        up = [i for i in changes if y[i] < 0]
        down = [i for i in changes if y[i] > 0]
        for i in (*up[:2], *down[:2]):
            yield self._narrow(at, points[i], points[i + 1], y[i : i + 2], jumps)

    def _narrow(
        self, at: Any, low: dict[str, float], high: dict[str, float], y: Any, jumps: bool
    ) -> tuple[str, dict[str, float], dict[str, float]]:
        """What lies between two points of opposite sign, where, and one of the two."""
        ends = low, high
        first, last = map(float, y)
        usual = max(abs(first), abs(last))
        for _ in range(70):
            middle = {v: 0.5 * (low[v] + high[v]) for v in low}
            if middle in (low, high):
                break
            here = float(at([middle])[0])
            if not math.isfinite(here):
                return ("pole" if math.isinf(here) else "gap"), low, _farther(low, ends)
            if here == 0 or (here > 0) != (first > 0):
                high, last = middle, here
            else:
                low, first = middle, here
        size = max(abs(first), abs(last))
        kind = "zero" if size < 1e-3 * usual else "pole" if size > 1e3 * usual else "jump"
        if kind == "jump" and not jumps:
            kind = "unknown"  # doubles are too far apart there
        return kind, low, _farther(low, ends)


def _farther(place: dict[str, float], ends: tuple[dict[str, float], dict[str, float]]) -> Any:
    """Of two points the one that is farther from a place."""
    return max(ends, key=lambda end: sum(abs(end[v] - place[v]) for v in place))


PARTS = 32
"""Into so many parts a segment is cut before its changes of sign are followed."""


def _double(value: Any) -> float:
    if not value:
        return 0.0
    bits = mp.mag(value)
    if bits > 1024:
        return math.inf if value > 0 else -math.inf
    return float(value) if bits > -1100 else 0.0


def _mean(values: np.ndarray) -> float:
    if not len(values):
        return math.nan
    return math.inf if np.isinf(values).any() else float(np.mean(values))
