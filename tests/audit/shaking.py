"""One row: each node's value is moved, and the move is carried up the tree.

What arrives at a node, in units of its own value, is that noise's gain there.  The rules where a
value is 0, on a jump or at the end of a domain are those of the definition
(`docs/adr/0001-definition-at-its-edges.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node
from tests.oracle import (
    COMPARED,
    JOINED,
    REMAINDERS,
    BeyondReach,
    NoRealValue,
    TooLarge,
    apply,
    bits_of,
    check_fair,
    gridded,
    mp,
    number,
    snapped,
)

DIGITS, MOST_DIGITS = 170, 900
STEP = mp.mpf(2) ** -233
"""About 10^-70."""

SINGULAR_S2 = 1e60
"""Above s = 10^30 no digit is left, says the definition."""

STEPS = frozenset("sign floor ceil round".split())

ROUGH = frozenset(
    "abs min max sign floor ceil round atan2 sqrt root asin acos acosh pow power hypot cbrt".split()
)
"""Where a move to one side may show what a move to the other does not."""

ONES = dict.fromkeys("neg abs sin tan asin atan sinh tanh asinh atanh expm1 log1p erf".split(), 1)


def on_jump(name: str, x: Any) -> bool:
    if name == "sign":
        return not x
    if x and mp.mag(x) > mp.prec - 300:
        raise BeyondReach
    x = gridded(x)
    return bool(mp.frac(x) == (0.5 if name == "round" else 0))


def _jumps_there(name: str, a: Sequence[Any], y: Any) -> bool:
    """Whether a remainder's quotient is one at which it takes another multiple."""
    if name == "remainder":
        return not snapped(2 * abs(y) - abs(a[1]), bits_of(a[1]))
    return not y and (name == "mod" or bool(a[0]))


def limit_at_zero(name: str, a: Sequence[Any], p: Any, i: int) -> float | None:
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
    if name in ("fmod", "remainder") and i == 0 and a[0] == 0:
        return 1.0
    return None


def _ratio(change: Any, y: Any) -> float:
    ratio = change / (STEP * y)
    return float(ratio) if not ratio or mp.mag(ratio) < 1000 else math.copysign(math.inf, ratio)


@dataclass
class RowTruth:
    """One row: values, moves and gains of every node; up to the first without a value.

    Attributes
    ----------
    y : list of mpf
        None in a branch that is not taken.
    bad : int or None
        The first node without a real value.
    formula : Formula
    cells : mapping of variable to decimal text
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
    formula: Formula
    cells: Mapping[str, str]
    too_large: bool = False


Guards = tuple[tuple[tuple[int, bool], ...], ...]
"""By node: the conditions that it stands under, and what each must be for it to be evaluated."""


def guards_of(formula: Formula) -> Guards:
    found: list[tuple[tuple[int, bool], ...]] = [()] * len(formula.nodes)
    for node in reversed(formula.nodes):
        for place, child in enumerate(node.children):
            own = ((node.children[0], place == 1),) if node.operator == "conditional" else ()
            found[child] = found[node.id] + (own if place else ())
    return tuple(found)


def _taken(y: Sequence[Any], guards: Sequence[tuple[int, bool]]) -> bool:
    return all(y[c] is not None and bool(y[c]) is held for c, held in guards)


def values_of(
    formula: Formula, leaf: Callable[[Node], Any], change: Callable[[int, Any], Any] | None = None
) -> list[Any]:
    """Every node's value, None in a branch that is not taken; `change` may put another in place."""
    y: list[Any] = []
    for node, guards in zip(formula.nodes, guards_of(formula), strict=True):
        if not _taken(y, guards):
            y.append(None)
            continue
        value = (
            apply(node.operator, [y[c] for c in node.children], node.parameter)
            if node.children
            else leaf(node)
        )
        y.append(value if change is None else change(node.id, value))
    return y


def _open(node: Node, a: list[Any], y: Any, i: int) -> bool:
    """Whether an operand moves the value at first order, however little: half as far moves it half.

    The size of the move tells nothing: where a square root of 10^250 moves, it is by far less than
    its operand does.
    """
    step = a[i] * STEP if a[i] else STEP
    whole, half = (_moved(node, a, y, i, a[i] + part) for part in (step, step / 2))
    if whole is None or half is None:
        return True
    return whole != y and abs(whole - y) < FIRST_ORDER * abs(half - y)


FIRST_ORDER = 2.4
"""A move twice as long moves the value 2 times as far at first order, 2.8 times at order 1.5."""


STRAIGHT = frozenset("add sub mul div neg abs min max".split())
OF_ONE = frozenset("sin cos tan cot sec csc exp expm1 sinh cosh tanh erf pow".split())
"""What bends within a distance of about 1, however large the operand; of a power, the exponent."""

COARSE = mp.mpf(10) ** -20
"""A longer move, beside the operand or beside 1, is followed along the tangent."""


def _steep_end(node: Node, a: Sequence[Any]) -> bool:
    """Whether the slope is infinite there: at an end of the domain, or under a root of 0."""
    if node.operator in ("asin", "acos", "acosh"):
        return bool(abs(gridded(a[0])) == 1)
    root = node.operator in ("sqrt", "cbrt", "root")
    exponent = {"power": node.parameter, "pow": a[-1]}.get(node.operator, 0)
    return bool((root or 0 < exponent < 1) and not a[0])


def _moved(node: Node, a: list[Any], y: Any, i: int, to: Any) -> Any | None:
    """The value with one operand moved: to the other side if that shows more; None if no side
    has a value."""
    if node.operator in STEPS:
        return None if on_jump(node.operator, a[i]) else y
    if _steep_end(node, a) and not (node.operator == "pow" and i):
        return None
    if node.operator in REMAINDERS:
        if (a[0] or not i) and _jumps_there(node.operator, a, y):
            return None
        return y + (to - a[i]) * (mp.nint((y - a[0]) / a[1]) if i else 1)
    if node.operator in ("min", "max"):
        return y + (to - a[i])
    if node.operator == "abs" and a[i]:
        return y + (to - a[i]) * mp.sign(a[i])
    scale = abs(a[i]) or mp.one
    if node.operator in OF_ONE and not (node.operator == "pow" and i == 0):
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
            value = apply(node.operator, b, node.parameter)
        except NoRealValue:
            continue
        if found is None or abs(value - y) > 2 * abs(found - y):
            found = value
        if node.operator not in ROUGH:
            break
    return found


def shake_row(formula: Formula, cells: Mapping[str, str], *, fair: bool = True) -> RowTruth:
    """Everything about one row.

    Parameters
    ----------
    formula : Formula
    cells : mapping of variable to decimal text
    fair : bool
        False for a row that was put beside a jump, with digits to tell.
    """
    row = RowTruth([], None, [], [], [], [], formula, cells)
    moves: list[dict[int, Any]] = []
    edges: dict[int, frozenset[int]] = {}  # the nodes whose noise turns a condition
    for node, guards in zip(formula.nodes, guards_of(formula), strict=True):
        k = node.id
        if not _taken(row.y, guards):
            _put(row, None, math.nan, {}, {})
            moves.append({})
            continue
        if node.operator in (VARIABLE, CONSTANT):
            y = number(cells[node.label] if node.operator == VARIABLE else node.label)
            _put(row, y, 1.0, {k: 1.0}, {})
            moves.append({k: y + y * STEP})
            continue
        a = [row.y[c] for c in node.children]
        if fair:
            check_fair(node.operator, a)
        try:
            y = apply(node.operator, a, node.parameter)
        except NoRealValue as reason:
            row.bad, row.too_large = k, isinstance(reason, TooLarge)
            return row
        if node.operator in COMPARED or node.operator in JOINED:
            edges[k] = _on_edge(node, a, moves, edges)
            if edges[k] and _counts_as_number(formula, k):
                raise BeyondReach
            _put(row, y, 1.0, {k: 1.0}, {})
            moves.append({k: y + y * STEP})
            continue
        if node.operator == "conditional":
            branch = node.children[1 if a[0] else 2]
            s2, loose = 1.0 + row.raw[branch], dict(row.loose[branch])
            if edges[node.children[0]]:
                s2 = _at_threshold(row, node, branch)
                if s2 == math.inf:
                    loose |= dict.fromkeys(edges[node.children[0]], mp.inf)
            _put(row, y, s2, row.gains[branch] | {k: 1.0}, loose)
            moves.append(moves[branch] | {k: y + y * STEP})
            continue
        moved: dict[int, Any] = {}
        for i in _open_operands(row, node, a, y):
            for j, to in moves[node.children[i]].items():
                if to is None:
                    if _open(node, a, y, i):
                        moved[j] = None
                elif to != a[i]:
                    moved[j] = _moved(node, a, y, i, to)
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
        _put(row, y, s2, gains, loose)
        moved[k] = y + y * STEP
        moves.append(moved)
    return row


def _put(row: RowTruth, y: Any, s2: float, gains: dict[int, float], loose: dict[int, Any]) -> None:
    row.y.append(y)
    row.raw.append(s2)
    row.s2.append(math.inf if s2 > SINGULAR_S2 else s2)
    row.gains.append(gains)
    row.loose.append(loose)


def _counts_as_number(formula: Formula, k: int) -> bool:
    above = formula.parents[k]
    if above is None:
        return True
    parent = formula.nodes[above]
    chosen_by = parent.operator == "conditional" and parent.children[0] == k
    return not chosen_by and parent.operator not in JOINED


def _on_edge(
    node: Node,
    a: Sequence[Any],
    moves: Sequence[Mapping[int, Any]],
    edges: Mapping[int, frozenset[int]],
) -> frozenset[int]:
    """The nodes whose noise, however small, turns a condition (ADR 0004)."""
    if node.operator in COMPARED:
        moving = {
            j
            for c, y in zip(node.children, a, strict=True)
            for j, to in moves[c].items()
            if to is None or to != y
        }
        return frozenset() if snapped(a[0] - a[1], bits_of(*a)) else frozenset(moving)
    on = [edges.get(c, frozenset()) for c in node.children]
    decides = {"logical_and": 0, "logical_or": 1}.get(node.operator)  # one of this decides alone
    if any(x == decides and not edge for x, edge in zip(a, on, strict=True)):
        return frozenset()
    return frozenset().union(*on)


def _at_threshold(row: RowTruth, node: Node, branch: int) -> float:
    """s^2 of a conditional where its condition turns: finite if its branches agree."""
    other = node.children[2 if branch == node.children[1] else 1]
    beside = shake_row(row.formula.subtree(other), row.cells)
    if beside.bad is not None:
        return math.inf
    mine, theirs = row.y[branch], beside.y[-1]
    if snapped(mine - theirs, bits_of(mine, theirs)):
        return math.inf
    if mine and math.isinf(max(row.s2[branch], beside.s2[-1])):
        return math.inf
    larger = max(beside.raw[-1], row.raw[branch])
    if row.raw[branch] * (1 + 1e-6) < larger < math.inf:
        raise BeyondReach  # whose noise it is, is a matter of words
    return 1.0 + larger


def _open_operands(row: RowTruth, node: Node, a: list[Any], y: Any) -> Sequence[int]:
    """The operands whose noise comes through: of min and max the one attained, with most noise."""
    if node.operator not in ("min", "max"):
        return range(len(a))
    attained = [i for i, v in enumerate(a) if not snapped(v - y, bits_of(v, y))]
    return [max(attained, key=lambda i: row.s2[node.children[i]])]


def _infinite_passes(row: RowTruth, node: Node, a: list[Any], y: Any, s2: float) -> float:
    """s^2 where an operand that is not 0 has lost every digit: all is lost, unless it is closed."""
    for i, c in enumerate(node.children):
        if row.raw[c] == math.inf and a[i] and _open(node, a, y, i):
            return math.inf
    return s2


def _flat(row: RowTruth, node: Node, k: int) -> bool:
    """Whether a zero among the operands of a sum moves by the square of what moves it, or less.

    To first order, which the definition is of, it does not move.
    """
    below = row.formula.nodes[k]
    if below.operator == "neg":
        return _flat(row, below, below.children[0])
    if row.y[k]:
        return False
    zeros = [not row.y[c] for c in below.children]
    if below.operator == "mul":
        return all(zeros)
    if below.operator == "power":
        return float(below.parameter or 0) > 1
    return below.operator == "pow" and zeros[0] and row.y[below.children[1]] > 1


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
            1.0
            if node.operator in ("min", "max")
            else limit_at_zero(node.operator, a, node.parameter, i)
        )
        below = set(row.gains[c]) | set(row.loose[c])
        if node.operator in ("add", "sub") and _flat(row, node, c):
            continue
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
