"""The event where a node changes its sign: a zero, a pole or a jump.

Not every zero is harmful: the terms of `x + x**3` have one sign near 0. So the formula is
evaluated along lines between samples of opposite sign, closer and closer to the change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.passes import at_points
from eic_core.engine.tape import SINGULAR_S2, constant_value
from eic_core.engine.walked import Array, Rows
from eic_core.formula.tree import VARIABLE, Formula, Node
from eic_core.operators import OPERATORS
from eic_core.operators.forms import ValueForm, form_of
from eic_core.samples import Samples

NEAREST, FARTHEST = 5, 2
"""How many samples of each sign are starting points: the smallest values, and the largest."""

COMPARED = 512
"""Samples among which the nearest of opposite sign is sought, at most."""

PARTS = 32
"""Into so many parts a line is cut at first; where the sign changes again and again."""

AGAIN, ROUNDS = 64, 9
"""64^9 parts are more than a double can tell."""

FOLLOWED = 7
"""Changes of sign that are followed at once."""

FEW, STARTS = 256, 8
"""Samples whose signs are compared on the short way, and those of them that a line may start at."""

TURNS = 4
"""How often a zero is estimated on the short way."""

EVENLY, EIGHTHS = np.linspace(0.0, 1.0, PARTS + 1), np.linspace(0.0, 1.0, 9)
"""Where the value is asked for first; and beside each estimate, in parts of what encloses it."""

CLOSE = np.array([0.0, *[sign * 10.0**-k for k in range(1, 8) for sign in (-1, 1)]])
"""And nearer to the estimate, in the same parts."""

DECIDED = 1e-4
"""A value that has shrunk, or grown, by this factor goes to 0, or to infinity."""

SMALL = 1e-3
"""Beside its usual size a value is small, or its inverse large, where the way ends without that."""

GROWN = 30.0
"""An amplification that has grown so many times on the way has no bound."""

SINGULAR = math.sqrt(SINGULAR_S2)

SURE = 1e12
"""From this amplification on, double precision does not know a sign."""


class Passage(Enum):
    """What a node does inside the domain: whether it passes through 0, and through a pole."""

    NONE = None
    SIGN = (False, False)  # It changes its sign, at a jump or where it has no value
    ZERO = (True, False)
    POLE = (False, True)
    BOTH = (True, True)


@dataclass(frozen=True)
class SignChange:
    zero: bool  # Whether it passes through 0
    pole: bool  # Whether it passes through a pole
    # Whether its amplification grows without bound there, so that the mean does not exist
    unbounded: bool
    # What the node does: of several places those where its amplification has no bound, if there are
    passage: Passage
    # Where: at a zero if there is one; empty if no change of sign was found
    place: Mapping[str, float]

    @property
    def loses_at_zero(self) -> bool:
        """Whether the terms cancel at its zero: its amplification grows without bound there."""
        return self.unbounded and self.passage in (Passage.ZERO, Passage.BOTH)


NO_CHANGE = SignChange(False, False, False, Passage.NONE, {})


def _losing_zero(place: Mapping[str, float]) -> SignChange:
    return SignChange(True, False, True, Passage.ZERO, place)


class SignChanges:
    def __init__(self, amplification: Amplification) -> None:
        self._amplification = amplification
        self._known: dict[int, SignChange] = {}
        self._found_shortly: dict[int, SignChange | None] = {}

    @np.errstate(all="ignore")
    def at(self, node_id: int) -> SignChange:
        amplification = self._amplification
        if amplification.signs[node_id] != 3:
            return NO_CHANGE
        slot = amplification.tape.slots[node_id]
        if slot not in self._known:
            change = find_sign_change(amplification, node_id)
            if not change.unbounded:  # what `unbounded` says holds
                from_form = self._from_form(node_id)
                change = self._short(node_id) or (_losing_zero({}) if from_form else change)
            self._known[slot] = change
        return self._known[slot]

    def unbounded(self, node_id: int) -> bool:
        """`at(node_id).unbounded`, but mostly from the formula's form or a short line."""
        if self._amplification.signs[node_id] != 3:
            return False
        shortly = self._from_form(node_id) or self._short(node_id)
        return bool(shortly) or self.at(node_id).unbounded

    def _from_form(self, node_id: int) -> bool:
        amplification = self._amplification
        watched = (node_id, *amplification.formula.nodes[node_id].children[:1])
        sums, singular = amplification.finite_sum, amplification.singular
        sure = all(not singular[k] and sums[k] < SURE**2 for k in watched)
        return sure and loses_all_at_zero(amplification.formula, node_id, amplification.samples)

    @np.errstate(all="ignore")
    def _short(self, node_id: int) -> SignChange | None:
        slot = self._amplification.tape.slots[node_id]
        if slot not in self._found_shortly:
            self._found_shortly[slot] = find_unbounded_zero(self._amplification, node_id)
        return self._found_shortly[slot]


def find_sign_change(amplification: Amplification, node_id: int) -> SignChange:
    """The event where a node that takes both signs (and watches one: `crossing`) changes it.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [-1.0, 0.5, 1.0, 2.0]})
    >>> for text in ("x - 0.7", "x + 1/x", "x + x**3"):
    ...     formula = read(text).formula
    ...     change = find_sign_change(amplify(formula, samples, edges=True), len(formula) - 1)
    ...     print(text, "|", change.passage.name, change.unbounded)
    x - 0.7 | ZERO True
    x + 1/x | POLE False
    x + x**3 | ZERO False
    """
    watch = _Watch(amplification, node_id)
    (y, s), argument = amplification.trace(node_id), amplification.trace(watch.nodes[0])[0]
    certain = s < SURE
    certain[amplification.exact.rows] = True
    signs = np.sign(y) * (np.sign(argument) if watch.by_argument else certain) * certain
    rows = {sign: np.flatnonzero(signs == sign) for sign in (1, -1)}
    if not len(rows[1]) or not len(rows[-1]):
        return NO_CHANGE  # what rounding alone makes of a zero
    starts: list[int] = []
    ends: list[int] = []
    for sign in (1, -1):
        own, others = rows[sign], _some_rows(y, rows[-sign])
        chosen = own[_extremes(np.abs(y[own]))]
        among = watch.points[:, np.concatenate([chosen, others])]
        gaps = _gaps(watch.points[:, chosen], watch.points[:, others], among)
        starts += chosen.tolist()
        ends += others[np.argmin(gaps, axis=1)].tolist()
    usual = float(np.median(np.abs(y[signs != 0])))
    changes = _followed(watch, watch.points[:, starts], watch.points[:, ends], usual)
    zeros = np.flatnonzero(np.isinf(s) & (y == 0))
    if len(zeros):
        changes.append(_losing_zero(watch.place(watch.points[:, zeros[0]])))
    if not changes:
        return NO_CHANGE  # the formula has no value in between
    zero, pole, unbounded = _some(changes)
    steep = [change for change in changes if change.unbounded] or changes
    examples = [change for change in steep if change.zero] or steep
    return SignChange(zero, pole, unbounded, Passage(_some(steep)[:2]), examples[0].place)


def _some(changes: list[SignChange]) -> tuple[bool, bool, bool]:
    """Whether some is a zero, a pole, without bound."""
    zero, pole, unbounded = zip(*[(c.zero, c.pole, c.unbounded) for c in changes], strict=True)
    return any(zero), any(pole), any(unbounded)


def loses_all_at_zero(formula: Formula, node_id: int, samples: Samples) -> bool:
    """Whether between two values of opposite sign lies a zero at which the noise has no bound.

    True only if the form shows it: a sine beside a multiple of pi other than 0, a cosine, a
    logarithm, or a sum with a term that is nowhere 0, without a jump on any line between samples.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 3.0], "y": [-1.0, 1.0]})
    >>> def loses(text: str) -> bool:
    ...     formula = read(text).formula
    ...     return loses_all_at_zero(formula, formula.root.id, samples)
    >>> [loses(text) for text in ("sin(x*y)", "log(x)", "x - 3", "sqrt(x) - y", "cos(1/x)")]
    [True, True, True, True, True]
    >>> [loses(text) for text in ("sin(1/y)", "tan(x)", "y + y*x", "sqrt(y) - 1", "log(1/y)")]
    [False, False, False, False, False]
    """
    root = formula.nodes[node_id]
    row = OPERATORS[root.operator]
    if not row.crossing or row.poles or row.jumps:
        return False
    first = formula.first[node_id]
    forms: list[ValueForm] = []  # forms of the subtree's nodes, from its first on
    for node in formula.nodes[first:node_id]:
        if not node.children:
            form = _leaf_form(node, samples)
        else:
            below = [forms[i - first] for i in node.children]
            form = form_of(node.operator, below, node.parameter)
            form = form._replace(smooth=form.smooth and all(each.smooth for each in below))
        forms.append(form)
    operands = [forms[i - first] for i in root.children]
    vanish = row.scales and not any(each.sign for each in operands)  # all terms, together
    return not vanish and all(each.smooth for each in operands)


def _leaf_form(node: Node, samples: Samples) -> ValueForm:
    is_variable = node.operator == VARIABLE
    x = samples.columns[node.label] if is_variable else np.array([constant_value(node.label)])
    sign = int(x.min() > 0) - int(x.max() < 0)
    return ValueForm(sign, sign != 1, True)


def find_unbounded_zero(amplification: Amplification, node_id: int) -> SignChange | None:
    """A zero towards which a node's amplification grows without bound, sought on one short line.

    The line joins two near samples of opposite sign; zero and bound are as in `find_sign_change`.
    None where that does not settle it: at a pole, a jump, several changes close by, or a bounded
    amplification.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [-1.0, 0.5, 1.0, 2.0]})
    >>> for text in ("x - 0.7", "x + 1/x", "x + x**3"):
    ...     formula = read(text).formula
    ...     zero = find_unbounded_zero(amplify(formula, samples, edges=True), len(formula) - 1)
    ...     print(text, "|", zero and round(zero.place["x"], 3))
    x - 0.7 | 0.7
    x + 1/x | None
    x + x**3 | None
    """
    watch = _Watch(amplification, node_id, math.ceil(len(amplification.samples) / FEW))
    points, walked = watch.points, watch.quickly(watch.points)
    if walked is None:
        return None
    value, s, in_range = walked
    sure = in_range & (s < SURE)
    above, below = np.flatnonzero(sure & (value > 0)), np.flatnonzero(sure & (value < 0))
    if not len(above) or not len(below):
        return None
    above = above[:: math.ceil(len(above) / STARTS)]
    gaps = _gaps(points[:, above], points[:, below], points)
    start, end = divmod(int(np.argmin(gaps)), len(below))
    first, last = points[:, above[start], None], points[:, below[end], None]
    along, smallest, most, before = EVENLY, 0.0, math.inf, math.inf
    for _ in range(TURNS + 1):
        walked = watch.quickly(first * (1 - along) + last * along)
        assert walked is not None
        there = np.flatnonzero(walked[2] & (walked[0] != 0))
        along, value, s = along[there], walked[0][there], walked[1][there]
        side = value > 0
        changes = np.flatnonzero(side[1:] != side[:-1])
        if not len(changes):
            return None
        sizes = np.abs(value)
        k = int(changes[np.argmin(np.maximum(sizes[changes], sizes[changes + 1]))])
        largest = float(max(sizes[k], sizes[k + 1]))
        if largest <= DECIDED * smallest:
            place = watch.place(first * (1 - along[k]) + last * along[k])
            return _losing_zero(place) if min(s[k], s[k + 1]) >= GROWN * before else None
        if not largest < most:
            return None  # a pole, or a jump
        if most == math.inf:
            smallest, before = float(min(sizes[k], sizes[k + 1])), float(max(s[k], s[k + 1]))
        most = largest
        along = _closer(along, value, k)
    return None


def _closer(along: Array, value: Array, k: int) -> Array:
    """Places between two that enclose a zero: evenly spaced ones, and others near the estimate.

    The estimate is Neville's scheme for the inverse of the curve through the places, at 0.
    """
    low, high = along[k], along[k + 1]
    at, of = along[max(0, k - 2) : k + 4], value[max(0, k - 2) : k + 4]
    for gap in range(1, len(at)):
        at = (at[1:] * of[:-gap] - at[:-1] * of[gap:]) / (of[:-gap] - of[gap:])
    guess = (
        at[0] if low < at[0] < high else low + (high - low) * value[k] / (value[k] - value[k + 1])
    )
    near = guess + (high - low) * CLOSE
    even = low + (high - low) * EIGHTHS
    return np.sort(np.concatenate([even, near[(near > low) & (near < high)]]))


class _Watch:
    """A node whose sign is watched; points have shape (variables, m), some samples are such."""

    def __init__(self, amplification: Amplification, node_id: int, apart: int = 1) -> None:
        formula, tape = amplification.formula, amplification.tape
        node, self.first = formula.nodes[node_id], formula.first[node_id]
        self.by_argument = OPERATORS[node.operator].crossing == "argument"
        self.nodes = [*node.children[:1]] * self.by_argument + [node_id]
        self.amplification, self.slots = amplification, [tape.slots[k] for k in self.nodes]
        leaves = [n.label for n in formula.nodes[self.first : node_id] if n.operator == VARIABLE]
        self.names, columns = tuple(dict.fromkeys(leaves)), amplification.samples.columns
        self.points = np.array([columns[name][::apart] for name in self.names])

    def place(self, point: Array) -> Mapping[str, float]:
        return dict(zip(self.names, point.ravel().tolist(), strict=True))

    def quickly(self, points: Array) -> tuple[Array, Array, np.ndarray] | None:
        """Watched value and s at points, and where doubles tell; None without native engine, or
        with a branch.
        """
        tape = self.amplification.tape
        places = [self.names.index(name) if name in self.names else 0 for name in tape.variables]
        quick = None if tape.chooses or not places else at_points(tape, points[places], self.slots)
        if quick is None:
            return None
        y, s2, in_range = quick
        return y[-1] * np.sign(y[0]) if self.by_argument else y[-1], np.sqrt(s2), in_range

    def everywhere(self, points: Array) -> tuple[Array, Array, Array]:
        """Value, s and watched sign at points."""
        quick = self.quickly(points)
        if quick is not None and quick[2].all():
            y, s, _ = quick
            return y, np.where(s > SINGULAR, math.inf, s), np.sign(y)
        samples = Samples.from_columns(
            dict(zip(self.names, points, strict=True)), count=points.shape[1]
        )
        amplification = amplify(self.subtree, samples, recheck=False)
        (argument, _), (y, s) = (
            amplification.trace(k - self.first) for k in (self.nodes[0], self.nodes[-1])
        )
        return y, s, np.sign(y) * (np.sign(argument) if self.by_argument else 1.0)

    @cached_property
    def subtree(self) -> Formula:
        return self.amplification.formula.subtree(self.nodes[-1])


def _followed(watch: _Watch, starts: Array, ends: Array, usual: float) -> list[SignChange]:
    """The changes of sign on lines, each followed until it is clear what it is."""
    low, high, y, s, _ = _cut(watch, starts, ends, PARTS)
    order = np.argsort(y.max(axis=0), kind="stable")
    of = np.union1d(order[: FOLLOWED - FARTHEST], order[-FARTHEST:])
    least, most, before = y.min(axis=0), y.max(axis=0), s.max(axis=0)
    low, high = low[:, of], high[:, of]
    changes: list[SignChange] = []
    for left in range(ROUNDS, 0, -1):
        if not len(of):
            break
        low, high, y, s, line = _cut(watch, low, high, AGAIN)
        _, first = np.unique(line, return_index=True)  # the first change of each line
        low, high, y, s, of = (
            low[:, first],
            high[:, first],
            y[:, first],
            s[:, first],
            of[line[first]],
        )
        smaller, larger = y.min(axis=0), y.max(axis=0)
        shrunk = larger <= DECIDED * least[of]
        grown = ~shrunk & (smaller >= most[of] / DECIDED)
        decided = shrunk | grown | np.all(low == high, axis=0) | (left == 1)
        zero = shrunk | (smaller == 0) | (larger <= SMALL * np.minimum(usual, least[of]))
        pole = ~zero & (grown | (smaller >= np.maximum(usual, most[of]) / SMALL))
        unbounded = s.min(axis=0) >= GROWN * before[of]  # on both sides: not a jump alone
        for k in np.flatnonzero(decided).tolist():
            way = bool(zero[k]), bool(pole[k])
            place = watch.place(low[:, k])
            changes.append(SignChange(*way, bool(unbounded[k]), Passage(way), place))
        low, high, of = low[:, ~decided], high[:, ~decided], of[~decided]
    return changes


def _cut(
    watch: _Watch, starts: Array, ends: Array, parts: int
) -> tuple[Array, Array, Array, Array, Rows]:
    """The parts of lines at whose ends the signs differ: ends, sizes, s, line number."""
    along = np.linspace(0.0, 1.0, parts + 1)
    points = starts[:, :, None] * (1 - along) + ends[:, :, None] * along
    points[:, :, 0], points[:, :, -1] = starts, ends
    walked = watch.everywhere(points.reshape(len(points), -1))
    y, s, signs = (each.reshape(points.shape[1:]) for each in walked)
    line, part = np.nonzero((signs[:, :-1] * signs[:, 1:] < 0) | (signs[:, 1:] == 0))
    sizes, s = (np.array([a[line, part], a[line, part + 1]]) for a in (np.abs(y), s))
    return points[:, line, part], points[:, line, part + 1], sizes, s, line


def _gaps(one: Array, other: Array, among: Array) -> Array:
    """The largest distance in a variable between points, in units of its range among some."""
    scale = np.ptp(among, axis=1)[:, None, None]
    scale[~(scale > 0)] = 1.0
    return np.asarray(np.max(np.abs(one[:, :, None] - other[:, None]) / scale, axis=0))


def _extremes(sizes: Array) -> Rows:
    """The places of the smallest and the largest sizes."""
    low, high = NEAREST - 1, len(sizes) - FARTHEST
    if low >= high:
        return np.arange(len(sizes))
    order = np.argpartition(sizes, [low, high])
    return np.union1d(order[:NEAREST], order[high:])


def _some_rows(y: Array, rows: Rows) -> Rows:
    if len(rows) <= COMPARED:
        return rows
    near = np.argpartition(np.abs(y[rows]), NEAREST)[:NEAREST]
    return rows[np.union1d(near, np.arange(0, len(rows), math.ceil(len(rows) / COMPARED)))]
