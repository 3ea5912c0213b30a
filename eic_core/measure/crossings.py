"""The event where a node changes its sign: a zero, a pole or a jump.

Not every zero is harmful: the terms of `x + x**3` have one sign near 0. So the formula is
evaluated along lines between samples of opposite sign, closer and closer to the change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
import numpy.typing as npt

from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.passes import at_points
from eic_core.engine.tape import SINGULAR_S2, constant_value, tape_of
from eic_core.formula.tree import VARIABLE, Formula, Node
from eic_core.operators import OPERATORS
from eic_core.operators.forms import ValueForm, form_of
from eic_core.operators.wide import Array
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

DECIDED = 1e-4
"""A value that has shrunk, or grown, by this factor goes to 0, or to infinity."""

SMALL = 1e-3
"""Beside its usual size a value is small, or its inverse large, where the way ends without that."""

GROWN = 30.0
"""An amplification that has grown so many times on the way has no bound."""

SURE = 1e12
"""From this amplification on, double precision does not know a sign."""

FEW, STARTS = 256, 8
"""Samples whose signs are compared on the short way, and those of them that a line may start at."""

TURNS = 4
"""How often a zero is estimated on the short way."""

EVENLY, EIGHTHS = np.linspace(0.0, 1.0, PARTS + 1), np.linspace(0.0, 1.0, 9)
"""Where the value is asked for first; and beside each estimate, in parts of what encloses it."""

CLOSE = np.array([0.0, *[sign * 10.0**-k for k in range(1, 8) for sign in (-1, 1)]])
"""And nearer to the estimate, in the same parts."""


class Passage(Enum):
    """What a node does inside the domain."""

    NONE = auto()
    SIGN = auto()  # It changes its sign, at a jump or where it has no value
    ZERO = auto()
    POLE = auto()
    BOTH = auto()


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


def _passage(zero: bool, pole: bool) -> Passage:
    if zero:
        return Passage.BOTH if pole else Passage.ZERO
    return Passage.POLE if pole else Passage.SIGN


def _losing_zero(place: Mapping[str, float]) -> SignChange:
    return SignChange(True, False, True, Passage.ZERO, place)


NO_CHANGE = SignChange(False, False, False, Passage.NONE, {})


class SignChanges:
    def __init__(self, amplification: Amplification) -> None:
        self._amplification = amplification
        self._known: dict[int, SignChange] = {}
        self._found_shortly: dict[int, SignChange | None] = {}

    def at(self, node_id: int) -> SignChange:
        amplification = self._amplification
        if amplification.signs[node_id] != 3:
            return NO_CHANGE
        slot = amplification.tape.slots[node_id]
        if slot not in self._known:
            with np.errstate(all="ignore"):
                change = find_sign_change(amplification, node_id)
                if not change.unbounded:  # what `unbounded` says holds
                    change = self._short(node_id) or self._known_from_form(node_id) or change
            self._known[slot] = change
        return self._known[slot]

    def unbounded(self, node_id: int) -> bool:
        """`at(node_id).unbounded`, but mostly from the formula's form or a short line."""
        amplification = self._amplification
        if amplification.signs[node_id] != 3:
            return False
        if amplification.tape.slots[node_id] not in self._known and (
            self._known_from_form(node_id) or self._short(node_id)
        ):
            return True
        return self.at(node_id).unbounded

    def _known_from_form(self, node_id: int) -> SignChange | None:
        amplification = self._amplification
        watched = (node_id, *amplification.formula.nodes[node_id].children[:1])
        sums, singular = amplification.finite_sum, amplification.singular
        sure = all(not singular[k] and sums[k] < SURE**2 for k in watched)
        loses = sure and loses_all_at_zero(amplification.formula, node_id, amplification.samples)
        return _losing_zero({}) if loses else None

    def _short(self, node_id: int) -> SignChange | None:
        slot = self._amplification.tape.slots[node_id]
        if slot not in self._found_shortly:
            with np.errstate(all="ignore"):
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
    search = _Search(amplification, node_id)
    lines = search.lines()
    if lines is None:
        return NO_CHANGE  # what rounding alone makes of a zero
    changes = search.follow(*lines)
    if len(search.zeros):
        changes.append(_losing_zero(search.place(search.points[search.zeros[0]])))
    if not changes:
        return NO_CHANGE  # the formula has no value in between
    steep = [change for change in changes if change.unbounded] or changes
    zero, pole = (any(marks) for marks in zip(*[(c.zero, c.pole) for c in steep], strict=True))
    examples = [change for change in steep if change.zero] or steep
    return SignChange(
        zero=any(change.zero for change in changes),
        pole=any(change.pole for change in changes),
        unbounded=any(change.unbounded for change in changes),
        passage=_passage(zero, pole),
        place=examples[0].place,
    )


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
            if form.smooth and not all(each.smooth for each in below):
                form = form._replace(smooth=False)
        forms.append(form)
    operands = [forms[i - first] for i in root.children]
    vanish = row.scales and not any(each.sign for each in operands)  # all terms, together
    return not vanish and all(each.smooth for each in operands)


def _leaf_form(node: Node, samples: Samples) -> ValueForm:
    if node.operator == VARIABLE:
        column = samples.columns[node.label]
        sign = int(column.min() > 0) - int(column.max() < 0)
    else:
        value = constant_value(node.label)
        sign = int(value > 0) - int(value < 0)
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
    formula, tape = amplification.formula, amplification.tape
    node = formula.nodes[node_id]
    by_argument = OPERATORS[node.operator].crossing == "argument"
    slots = [tape.slots[node.children[0]]] * by_argument + [tape.slots[node_id]]
    samples = amplification.samples

    def measured(points: Array) -> tuple[Array, Array] | None:
        at_each = at_points(tape, points, slots)
        if at_each is None:
            return None
        y, s2, in_range = at_each
        return np.where(in_range, y[-1] * np.sign(y[0]) if by_argument else y[-1], 0.0), np.sqrt(s2)

    apart = math.ceil(len(samples) / FEW)
    points = np.array([samples.columns[name][::apart] for name in tape.variables])
    values_and_s = None if tape.chooses or not len(points) else measured(points)
    if values_and_s is None:
        return None
    value, s = values_and_s
    ends = _near_ends(points, np.where(s < SURE, value, 0.0))
    if ends is None:
        return None
    first, last = (points[:, end, None] for end in ends)
    along = EVENLY
    least = before = most = math.inf
    for turn in range(TURNS + 1):
        values_and_s = measured(first * (1 - along) + last * along)
        assert values_and_s is not None
        value, s = values_and_s
        there = value != 0
        if not there.all():
            along, value, s = along[there], value[there], s[there]
        above = value > 0
        changes = np.flatnonzero(above[1:] != above[:-1])
        if not len(changes):
            return None
        size = np.abs(value)
        k = int(changes[np.argmin(np.maximum(size[changes], size[changes + 1]))])
        largest = float(max(size[k], size[k + 1]))
        if not turn:
            least, before = float(min(size[k], size[k + 1])), float(max(s[k], s[k + 1]))
        elif largest <= DECIDED * least:
            if not min(s[k], s[k + 1]) >= GROWN * before:
                return None
            place = (first * (1 - along[k]) + last * along[k])[:, 0].tolist()
            by_name = dict(zip(tape.variables, place, strict=True))
            names = formula.subtree(node_id).variables
            return _losing_zero({name: by_name[name] for name in names})
        elif not largest < most:
            return None  # a pole, or a jump
        most = largest
        along = _closer(along, value, k)
    return None


def _near_ends(points: Array, value: Array) -> tuple[int, int] | None:
    above, below = np.flatnonzero(value > 0), np.flatnonzero(value < 0)
    if not len(above) or not len(below):
        return None
    above = above[:: math.ceil(len(above) / STARTS)]
    gaps = _gaps(points.T[above], points.T[below], points.T)
    start, end = divmod(int(np.argmin(gaps)), len(below))
    return int(above[start]), int(below[end])


def _gaps(one: Array, other: Array, among: Array) -> Array:
    """The largest distance in a variable between points, in units of its range among some."""
    scale = np.ptp(among, axis=0)
    scale[~(scale > 0)] = 1.0
    return np.asarray(np.max(np.abs(one[:, None] - other) / scale, axis=2))


def _closer(along: Array, value: Array, k: int) -> Array:
    """Places between two that enclose a zero: evenly spaced ones, and others near the estimate.

    The estimate is Neville's scheme for the inverse of the curve through the places, at 0.
    """
    low, high = float(along[k]), float(along[k + 1])
    around = slice(max(0, k - 2), k + 4)
    at, of = along[around].tolist(), value[around].tolist()
    guess = math.nan
    if len({*of}) == len(of):
        for gap in range(1, len(at)):
            at = [
                (at[i + 1] * of[i] - at[i] * of[i + gap]) / (of[i] - of[i + gap])
                for i in range(len(at) - 1)
            ]
        guess = at[0]
    if not low < guess < high:
        a, b = float(value[k]), float(value[k + 1])
        guess = low + (high - low) * (a / (a - b))
    near = guess + (high - low) * CLOSE
    even = low + (high - low) * EIGHTHS
    return np.sort(np.concatenate([even, near[(near > low) & (near < high)]]))


def _extremes(sizes: Array) -> npt.NDArray[np.int64]:
    low, high = NEAREST - 1, len(sizes) - FARTHEST
    if low >= high:
        return np.arange(len(sizes))
    parted = np.partition(sizes, [low, high])
    least, most = np.flatnonzero(sizes <= parted[low]), np.flatnonzero(sizes >= parted[high])
    return np.union1d(
        least[np.argsort(sizes[least], kind="stable")[:NEAREST]],
        most[np.argsort(sizes[most], kind="stable")[-FARTHEST:]],
    )


class _Search:
    def __init__(self, amplification: Amplification, node_id: int) -> None:
        self.formula: Formula = amplification.formula.subtree(node_id)
        self.names = self.formula.variables
        columns = amplification.samples.columns
        node = amplification.formula.nodes[node_id]
        self.by_argument = OPERATORS[node.operator].crossing == "argument"
        y, s = amplification.trace(node_id)
        watched = np.sign(y)
        if self.by_argument:
            watched = watched * np.sign(amplification.trace(node.children[0])[0])
        certain = s < SURE
        certain[amplification.exact.rows] = True
        rows = np.flatnonzero(certain & (watched != 0))
        self.usual = float(np.median(np.abs(y[rows]))) if len(rows) else math.nan
        self.s = s
        self.zeros = np.flatnonzero(np.isinf(s) & (y == 0))
        self.points = np.stack([columns[name] for name in self.names], axis=1)
        self.y = y
        self.rows = {sign: rows[watched[rows] == sign] for sign in (1, -1)}

    def place(self, point: Array) -> Mapping[str, float]:
        return dict(zip(self.names, point.tolist(), strict=True))

    def lines(self) -> tuple[Array, Array] | None:
        if not len(self.rows[1]) or not len(self.rows[-1]):
            return None
        starts: list[int] = []
        ends: list[int] = []
        for sign in (1, -1):
            own, others = self.rows[sign], self._some(self.rows[-sign])
            chosen = own[_extremes(np.abs(self.y[own]))]
            among = self.points[np.concatenate([chosen, others])]
            gaps = _gaps(self.points[chosen], self.points[others], among)
            starts += chosen.tolist()
            ends += others[np.argmin(gaps, axis=1)].tolist()
        return self.points[starts], self.points[ends]

    def _some(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        if len(rows) <= COMPARED:
            return rows
        near = np.argpartition(np.abs(self.y[rows]), NEAREST)[:NEAREST]
        return rows[np.union1d(near, np.arange(0, len(rows), math.ceil(len(rows) / COMPARED)))]

    def follow(self, starts: Array, ends: Array) -> list[SignChange]:
        low, high, y, s, _ = self._cut_lines(starts, ends, PARTS)
        order = np.argsort(np.max(np.abs(y), axis=1), kind="stable")
        few = np.union1d(order[: FOLLOWED - FARTHEST], order[-FARTHEST:])
        low, high, y, s = low[few], high[few], np.abs(y[few]), np.max(s[few], axis=1)
        least, most, s_before = np.min(y, axis=1), np.max(y, axis=1), s
        changes: list[SignChange] = []
        for left in range(ROUNDS - 1, -1, -1):
            if not len(low):
                break
            low, high, y, s, line = self._cut_lines(low, high, AGAIN)
            _, first = np.unique(line, return_index=True)  # the first change of each line
            low, high, y, s, line = low[first], high[first], np.abs(y[first]), s[first], line[first]
            least, most, s_before = least[line], most[line], s_before[line]
            smaller, larger = np.min(y, axis=1), np.max(y, axis=1)
            shrunk = larger <= DECIDED * least
            grown = ~shrunk & (smaller >= most / DECIDED)
            decided = shrunk | grown | np.all(low == high, axis=1) | (left == 0)
            zero = shrunk | (smaller == 0) | (larger <= SMALL * np.minimum(self.usual, least))
            pole = ~zero & (grown | (smaller >= np.maximum(self.usual, most) / SMALL))
            unbounded = np.min(s, axis=1) >= GROWN * s_before  # on both sides: not a jump alone
            marks = np.stack([zero, pole, unbounded], axis=1)[decided].tolist()
            changes += [
                SignChange(at_zero, at_pole, grows, _passage(at_zero, at_pole), self.place(point))
                for (at_zero, at_pole, grows), point in zip(marks, low[decided], strict=True)
            ]
            low, high = low[~decided], high[~decided]
            least, most, s_before = least[~decided], most[~decided], s_before[~decided]
        return changes

    def _cut_lines(
        self, starts: Array, ends: Array, parts: int
    ) -> tuple[Array, Array, Array, Array, npt.NDArray[np.int64]]:
        """The parts of lines at whose ends the signs differ: ends, values, s, line number."""
        along = np.linspace(0.0, 1.0, parts + 1)[None, :, None]
        points = starts[:, None, :] * (1 - along) + ends[:, None, :] * along
        points[:, 0], points[:, -1] = starts, ends
        shape = points.shape[:2]
        flat = points.reshape(-1, len(self.names))
        y, s, signs = (part.reshape(shape) for part in self._values(flat))
        line, part = np.nonzero((signs[:, :-1] * signs[:, 1:] < 0) | (signs[:, 1:] == 0))
        pairs = [np.stack([a[line, part], a[line, part + 1]], axis=1) for a in (y, s)]
        return points[line, part], points[line, part + 1], pairs[0], pairs[1], line

    def _values(self, points: Array) -> tuple[Array, Array, Array]:
        columns, tape, root = points.T.copy(), tape_of(self.formula), self.formula.root
        watched = [root.children[0]] * self.by_argument + [root.id]
        quick = None
        if self.names and not tape.chooses:
            quick = at_points(tape, columns, [tape.slots[k] for k in watched])
        if quick is not None and quick[2].all():
            watched_y, s2, _ = quick
            s = np.sqrt(np.where(s2 > SINGULAR_S2, math.inf, s2))
        else:
            by_name = dict(zip(self.names, columns, strict=True))
            samples = Samples.from_columns(by_name, count=len(points))
            amplification = amplify(self.formula, samples, recheck=False)
            watched_y = np.array([amplification.trace(k)[0] for k in watched])
            s = amplification.trace(root.id)[1]
        signs = np.sign(watched_y[-1])
        if self.by_argument:
            signs = signs * np.where(watched_y[0] < 0, -1.0, 1.0)
        return watched_y[-1], s, signs
