"""What happens where a node changes its sign: a zero, a pole or a jump.

A node that takes both signs on the data need not be 0 anywhere: `tan(x)` changes its sign at a
pole, `1/y + y` too, `x + sign(x)` at a jump.  And not every zero is harmful: near 0 the terms of
`x + x**3` have one sign, and nothing cancels.  So the place is looked for: between samples of
opposite sign the formula is evaluated along the straight line from one to the other, closer and
closer to where the sign changes, and what its value and its amplification do there decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eic_core.engine.amplify import Amplification, amplify
from eic_core.formula.tree import Formula
from eic_core.operators import OPERATORS
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


@dataclass(frozen=True)
class SignChange:
    """What happens where a node takes both signs.

    Attributes
    ----------
    zero : bool
        Whether it passes through 0.
    pole : bool
        Whether it passes through a pole.
    unbounded : bool
        Whether its amplification grows without bound there, so that the mean does not exist.
    words : str
        What the node does, for a sentence: "crosses zero", "has a pole", both, or "changes its
        sign"; of several places those where the amplification has no bound, if there are any.
    place : mapping of variable to float
        Where: at a zero if there is one; empty if no change of sign was found.
    """

    zero: bool
    pole: bool
    unbounded: bool
    words: str
    place: Mapping[str, float]


def _words(zero: bool, pole: bool) -> str:
    if zero and pole:
        return "crosses zero and has a pole"
    return "crosses zero" if zero else "has a pole" if pole else "changes its sign"


NO_CHANGE = SignChange(False, False, False, "", {})


class SignChanges:
    """The changes of sign of a formula's nodes on its data, each looked for when asked for."""

    def __init__(self, amplification: Amplification) -> None:
        self._amplification = amplification
        self._known: dict[int, SignChange] = {}

    def at(self, node_id: int) -> SignChange:
        """What happens where a node changes its sign; `NO_CHANGE` where it does not."""
        found = self._amplification
        if found.signs[node_id] != 3:
            return NO_CHANGE
        slot = found.tape.slots[node_id]
        if slot not in self._known:
            with np.errstate(all="ignore"):
                self._known[slot] = find_sign_change(found, node_id)
        return self._known[slot]


def find_sign_change(amplification: Amplification, node_id: int) -> SignChange:
    """What happens where a node that takes both signs changes it.

    Parameters
    ----------
    amplification : Amplification
    node_id : int
        With a row that watches a sign (`Operator.crossing`).

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [-1.0, 0.5, 1.0, 2.0]})
    >>> for text in ("x - 0.7", "x + 1/x", "x + x**3"):
    ...     formula = read(text).formula
    ...     found = find_sign_change(amplify(formula, samples, edges=True), len(formula) - 1)
    ...     print(text, "|", found.words, found.unbounded)
    x - 0.7 | crosses zero True
    x + 1/x | has a pole False
    x + x**3 | crosses zero False
    """
    search = _Search(amplification, node_id)
    lines = search.lines()
    if lines is None:
        return NO_CHANGE  # what rounding alone makes of a zero
    found = search.follow(*lines)
    if not found and not len(search.zeros):
        return NO_CHANGE  # the formula has no value in between
    if len(search.zeros):
        found.append(search.at_a_sample())
    steep = [change for change in found if change.unbounded] or found
    zero, pole = (any(marks) for marks in zip(*[(c.zero, c.pole) for c in steep], strict=True))
    shown = [change for change in steep if change.zero] or steep
    return SignChange(
        zero=any(change.zero for change in found),
        pole=any(change.pole for change in found),
        unbounded=any(change.unbounded for change in found),
        words=_words(zero, pole),
        place=shown[0].place,
    )


class _Search:
    """The samples of a node by their sign, and the lines between them."""

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
        certain[[*amplification.exact]] = True
        rows = np.flatnonzero(certain & (watched != 0))
        self.usual = float(np.median(np.abs(y[rows]))) if len(rows) else math.nan
        self.s = s
        self.zeros = np.flatnonzero(np.isinf(s) & (y == 0))
        self.points = np.stack([columns[name] for name in self.names], axis=1)
        self.y = y
        self.rows = {sign: rows[watched[rows] == sign] for sign in (1, -1)}

    def at_a_sample(self) -> SignChange:
        """A zero at a sample itself."""
        return SignChange(True, False, True, _words(True, False),
                          self._place(self.points[self.zeros[0]]))  # fmt: skip

    def _place(self, point: Array) -> Mapping[str, float]:
        return dict(zip(self.names, point.tolist(), strict=True))

    def lines(self) -> tuple[Array, Array] | None:
        """Ends of the lines, of opposite sign and near each other; None without any."""
        if not len(self.rows[1]) or not len(self.rows[-1]):
            return None
        starts: list[int] = []
        ends: list[int] = []
        for sign in (1, -1):
            own, others = self.rows[sign], self._some(self.rows[-sign])
            order = np.argsort(np.abs(self.y[own]), kind="stable")
            chosen = own[np.union1d(order[:NEAREST], order[-FARTHEST:])]
            scale = np.ptp(self.points[np.concatenate([chosen, others])], axis=0)
            scale[~(scale > 0)] = 1.0
            gaps = np.abs(self.points[chosen][:, None, :] - self.points[others][None]) / scale
            starts += chosen.tolist()
            ends += others[np.argmin(np.max(gaps, axis=2), axis=1)].tolist()
        return self.points[starts], self.points[ends]

    def _some(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Not too many of them: the smallest values among them, and others evenly spaced."""
        if len(rows) <= COMPARED:
            return rows
        near = np.argpartition(np.abs(self.y[rows]), NEAREST)[:NEAREST]
        return rows[np.union1d(near, np.arange(0, len(rows), math.ceil(len(rows) / COMPARED)))]

    def follow(self, starts: Array, ends: Array) -> list[SignChange]:
        """The changes of sign on the lines, each followed to where it happens."""
        low, high, y, s, _ = self._cut_lines(starts, ends, PARTS)
        order = np.argsort(np.max(np.abs(y), axis=1), kind="stable")
        few = np.union1d(order[: FOLLOWED - FARTHEST], order[-FARTHEST:])
        low, high, y, s = low[few], high[few], np.abs(y[few]), np.max(s[few], axis=1)
        least, most, s_before = np.min(y, axis=1), np.max(y, axis=1), s
        found: list[SignChange] = []
        for left in range(ROUNDS - 1, -1, -1):
            if not len(low):
                break
            low, high, y, s, line = self._cut_lines(low, high, AGAIN)
            _, first = np.unique(line, return_index=True)  # of each line the first change
            low, high, y, s, line = low[first], high[first], np.abs(y[first]), s[first], line[first]
            least, most, s_before = least[line], most[line], s_before[line]
            smaller, larger = np.min(y, axis=1), np.max(y, axis=1)
            shrunk = larger <= DECIDED * least
            grown = ~shrunk & (smaller >= most / DECIDED)
            decided = shrunk | grown | np.all(low == high, axis=1) | (left == 0)
            zero = shrunk | (smaller == 0) | (larger <= SMALL * np.minimum(self.usual, least))
            pole = ~zero & (grown | (smaller >= np.maximum(self.usual, most) / SMALL))
            unbounded = np.min(s, axis=1) >= GROWN * s_before  # on both sides: not a jump alone
            found += [
                SignChange(bool(zero[k]), bool(pole[k]), bool(unbounded[k]),
                           _words(bool(zero[k]), bool(pole[k])), self._place(low[k]))
                for k in np.flatnonzero(decided).tolist()
            ]  # fmt: skip
            low, high = low[~decided], high[~decided]
            least, most, s_before = least[~decided], most[~decided], s_before[~decided]
        return found

    def _cut_lines(
        self, starts: Array, ends: Array, parts: int
    ) -> tuple[Array, Array, Array, Array, npt.NDArray[np.int64]]:
        """The parts of lines at whose ends the signs differ: ends, values, s, and which line."""
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
        """Value, s and watched sign at points; nan where there is none."""
        columns = {name: points[:, i].copy() for i, name in enumerate(self.names)}
        found = amplify(self.formula, Samples.from_columns(columns, count=len(points)),
                        recheck=False)  # fmt: skip
        root = self.formula.root
        y, s = found.trace(root.id)
        signs = np.sign(y)
        if self.by_argument:
            signs = signs * np.where(found.trace(root.children[0])[0] < 0, -1.0, 1.0)
        return y, s, signs
