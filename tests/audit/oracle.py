"""What is true of a formula on a table, found by shaking it: nothing comes from the engine.

Values are mpmath numbers of 170 digits and more (`tests.oracle`), and no derivative is written
down: what arrives where is found by moving each node at each row (`shaking`).  What a program makes
of the formula is plain NumPy (`plain`).
"""

from __future__ import annotations

import copy
import math
import random
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node
from eic_core.samples import Samples
from tests.audit.plain import PLAIN, run_plain
from tests.audit.shaking import (
    DIGITS,
    MOST_DIGITS,
    SINGULAR_S2,
    STEPS,
    RowTruth,
    shake_row,
    values_of,
)
from tests.oracle import COMPARED, REMAINDERS, BeyondReach, NoRealValue, apply, mp, number

JUMPING = STEPS | REMAINDERS | set(COMPARED) | {"atan2"}
"""Operators whose value jumps."""


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
        unknown = {n.operator for n in formula.nodes if n.children} - set(PLAIN)
        if unknown:
            raise BeyondReach(f"no oracle for {unknown}")
        self.formula, self.samples = formula, samples
        self.count, self.nodes = len(samples), len(formula)
        self.root = self.nodes - 1
        known: dict[tuple[str, ...], RowTruth] = {}
        self.rows: list[RowTruth] = []
        digits = self.digits
        with mp.workdps(digits):
            for i in range(self.count):
                cells = {name: samples.decimal(name, i) for name in formula.variables}
                key = tuple(cells.values())
                if key not in known:
                    known[key] = shake_row(formula, cells)
                self.rows.append(known[key])
        self.distinct = len(known)

    @cached_property
    def digits(self) -> int:
        """Enough for the sizes that occur, a few rows being looked at in double precision."""
        values = run_plain(self.formula, self.samples.columns, self.count, "float64")
        size = 0.0
        with np.errstate(all="ignore"):
            for node, y in zip(self.formula, values, strict=True):
                if node.operator == "exp" and np.any(y == 0):
                    size = 330.0  # an underflow
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

    def value(self, k: int) -> np.ndarray:
        """Values as doubles (inf and 0 where they are beyond); nan where a row has none."""
        return np.array(
            [
                _double(r.y[k]) if r.bad is None and r.y[k] is not None else math.nan
                for r in self.rows
            ]
        )

    def size(self, k: int) -> np.ndarray:
        """log10 |y|; -inf at 0, nan where there is none."""
        with mp.workdps(20):
            return np.array(
                [
                    math.nan
                    if r.bad is not None or r.y[k] is None
                    else float(mp.log10(abs(r.y[k])))
                    if r.y[k]
                    else -math.inf
                    for r in self.rows
                ]
            )

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
        return half_log10(_mean(self.s2[k][~np.isnan(self.s2[k])]))

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
        return float(np.nanmax(self.locals)) if self.valid.any() else math.nan

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
        """q^2 of the result: members of a class share their noise; inf where singular, and where
        infinities of a class meet, be it that they take each other away.
        """
        return np.array([self._shared(r, self.classes, own=False) for r in self.rows])

    @property
    def resolved(self) -> Truth:
        """The same with what is left of infinities that meet: 0 of floor(x - x)."""
        resolved = copy.copy(self)
        q2 = [self._shared(r, self.classes, own=False, resolved=True) for r in self.rows]
        resolved.__dict__["q2"] = np.array(q2)
        return resolved

    @cached_property
    def own2(self) -> np.ndarray:
        """1 + the squared sensitivities of the result to its variables."""
        leaves: dict[str, list[int]] = {}
        for node in self.formula.nodes:
            if node.operator == VARIABLE:
                leaves.setdefault(node.label, []).append(node.id)
        groups = list(leaves.values())
        found = np.array([self._shared(r, groups, own=True) for r in self.rows])
        for i in np.flatnonzero(np.isinf(self.q2) & np.isfinite(found)):
            if self._moved_together(self.rows[i], groups):  # of second order
                found[i] = math.inf
        return found

    def _shared(
        self, row: RowTruth, groups: list[list[int]], *, own: bool, resolved: bool = False
    ) -> float:
        if row.bad is not None:
            return math.nan
        gains, loose = row.gains[self.root], row.loose[self.root]
        total = 1.0 if own else 0.0
        tied = own and self.is_tied(row) and row.y[self.root]
        folded = self.is_folded(row) and row.y[self.root]
        for group in groups:
            if tied or (folded and sum(gains.get(j, 0.0) != 0 for j in group) > 1):
                total += self._slope_beside(row, group) ** 2
                continue
            moves = [loose[j] for j in group if j in loose]
            if moves:
                with mp.workdps(MOST_DIGITS):
                    together, apart = mp.fsum(moves), mp.fsum(map(abs, moves))
                    if (own or resolved) and mp.isinf(apart) and not self._moves(row, group):
                        total += self._slope_beside(row, group) ** 2
                        continue
                    if mp.isinf(apart) or abs(together) > apart * mp.mpf(10) ** -20:
                        return math.inf
            g = math.fsum(gains.get(j, 0.0) for j in group if abs(gains.get(j, 0.0)) < 1e200)
            if g * g > SINGULAR_S2 or any(abs(gains.get(j, 0.0)) >= 1e200 for j in group):
                with mp.workdps(MOST_DIGITS):
                    if (own or resolved) and not self._moves(row, group):
                        total += self._slope_beside(row, group) ** 2
                        continue
                return math.inf
            apart = math.fsum(abs(gains.get(j, 0.0)) for j in group)
            if own and abs(g) < 1e-9 * apart:  # doubles do not hold what is left
                with mp.workdps(MOST_DIGITS):
                    beside = [y for side in (0, 1) for y in self._beside(row, group, side * BESIDE)]
                    if len(beside) == 2 and beside[0]:
                        g = float((beside[1] / beside[0] - 1) / BESIDE)
            total += g * g
        return total if total <= SINGULAR_S2 else math.inf

    def is_tied(self, row: RowTruth) -> bool:
        """Whether a min or max of a row attains its value twice: there no derivative exists."""
        selecting = [node for node in self.formula.nodes if node.operator in ("min", "max")]
        return row.bad is None and any(
            [row.y[c] for c in node.children].count(row.y[node.id]) > 1 for node in selecting
        )

    def is_folded(self, row: RowTruth) -> bool:
        """Whether abs stands at 0: what cancels below it, adds up above."""
        folding = [node.id for node in self.formula.nodes if node.operator == "abs"]
        return row.bad is None and not all(row.y[k] for k in folding)

    def _slope_beside(self, row: RowTruth, group: list[int]) -> float:
        """What an error of a variable grows to on the steeper side of a row."""
        step = mp.mpf(10) ** -100
        with mp.workdps(MOST_DIGITS):
            there = [y for by in (0, step, -step) for y in self._beside(row, group, by)]
            if not there[0]:
                return 0.0
            return float(max((abs(y / there[0] - 1) for y in there[1:]), default=0) / step)

    def _moved_together(self, row: RowTruth, groups: list[list[int]]) -> bool:
        """Whether a result of 0 is another one beside it, if several variables move at once."""
        if row.y[self.root] or len(groups) < 2:
            return False
        rng = random.Random(0)
        with mp.workdps(DIGITS):
            for _ in range(SHAKES):
                factors: dict[int, Any] = {}
                for group in groups:
                    by = 1 + mp.mpf(rng.uniform(-1, 1)) * mp.mpf(10) ** -20
                    factors |= dict.fromkeys(group, by)
                least = mp.mpf(10) ** (10 - DIGITS)
                if any(abs(y) > least for y in self._with_factors(row, factors)):
                    return True
        return False

    @cached_property
    def stays_zero(self) -> np.ndarray:
        """Rows at which the result is 0, and stays 0 where inputs have errors, or are 0 no more."""
        leaves = [n.id for n in self.formula.nodes if n.operator == VARIABLE]
        names = sorted(self.formula.variables)
        rng = random.Random(1)
        found = np.isneginf(self.size(self.root))
        known: dict[int, bool] = {}
        with mp.workdps(MOST_DIGITS):
            for i in np.flatnonzero(found):
                row = self.rows[i]
                if id(row) not in known:
                    moves = False
                    for turn in range(SHAKES):
                        step = mp.mpf(10) ** -20 if turn < SHAKES // 2 else BESIDE
                        by = {name: 1 + rng.uniform(-1, 1) * step for name in names}
                        factors = {k: by[self.formula.nodes[k].label] for k in leaves}
                        off_zero = (-1) ** turn * mp.mpf(10) ** -9
                        moves = moves or any(self._with_factors(row, factors, off_zero))
                    known[id(row)] = not moves
                found[i] = known[id(row)]
        return found

    def _with_factors(
        self, row: RowTruth, factors: dict[int, Any], off_zero: Any = mp.zero
    ) -> Iterator[Any]:
        """The result where some leaves are multiplied; nothing if it has none."""

        def moved(node: Node) -> Any:
            leaf = _leaf_anew(row, node)
            if not leaf and node.operator == VARIABLE:
                leaf = off_zero
            return leaf * factors.get(node.id, mp.one)

        try:
            yield values_of(self.formula, moved)[-1]
        except (NoRealValue, BeyondReach):
            return

    def _moves(self, row: RowTruth, group: list[int]) -> bool:
        """Whether the result is another one right beside the value of some nodes."""
        results = [y for side in (0, 1, -1) for y in self._beside(row, group, side * BESIDE)]
        least = abs(results[0]) * BESIDE * mp.mpf(10) ** 30
        return any(abs(other - results[0]) > least for other in results[1:])

    def _beside(self, row: RowTruth, group: list[int], by: Any) -> Iterator[Any]:
        """The result where some nodes are moved by so much of them; nothing if it has none."""

        def move(k: int, y: Any) -> Any:
            return y * (1 + by) if k in group else y

        try:
            yield values_of(self.formula, partial(_leaf_anew, row), move)[-1]
        except (NoRealValue, BeyondReach):
            return

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

    # what first order does not show

    @property
    def shaken(self) -> np.ndarray:
        """How far the result moves, in units of the exact one, where some step keeps no digit.

        These steps and all below are moved by some roundings at random, a few times.  0 at other
        samples.
        """
        return self._shakes[0]

    @property
    def shaken_away(self) -> np.ndarray:
        """Where it has no value after some of these moves."""
        return self._shakes[1]

    @cached_property
    def _shakes(self) -> tuple[np.ndarray, np.ndarray]:
        rng = random.Random(0)
        found, gone = np.zeros(self.count), np.zeros(self.count, dtype=bool)
        with mp.workdps(self.digits):
            for i in np.flatnonzero(self.valid & self.any_singular):
                y = self.rows[i].y[self.root]
                for signs in ((1,), (-1,), *[(-1, 1)] * (3 * SHAKES)):
                    moved = self._shaken_result(self.rows[i], rng, signs)
                    if moved is None:
                        gone[i] = True
                    elif moved != y:
                        far = abs(moved - y) / abs(y) if y else 2
                        found[i] = max(found[i], min(float(far), 2.0))
        return found, gone

    def _shaken_result(
        self, row: RowTruth, rng: random.Random, signs: tuple[int, ...]
    ) -> Any | None:
        lost = [k for k in range(self.nodes) if row.s2[k] == math.inf and k != self.root]
        moved = {j for k in lost or [self.root] for j in self.subtree(k)}

        def move(k: int, y: Any) -> Any:
            by = rng.choice(signs) * rng.uniform(1, 4) if k in moved else 0
            return y * (1 + by * mp.mpf(2) ** -53)

        try:
            return values_of(self.formula, lambda node: self._leaf(row, node), move)[-1]
        except NoRealValue:
            return None

    @staticmethod
    def _leaf(row: RowTruth, node: Node) -> Any:
        y = row.y[node.id]
        if y is not None:
            return y
        return number(row.cells[node.label] if node.operator == VARIABLE else node.label)

    @cached_property
    def follows(self) -> np.ndarray:
        """Samples at which the result moves far with a step that keeps no digit, though its own s
        is finite."""
        s = self.s(self.root)
        with np.errstate(invalid="ignore"):
            beyond = self.shaken > np.minimum(0.1, 1e3 * 2.0**-53 * s)
        jumps = any(n.operator in JUMPING for n in self.formula.nodes)
        return np.isfinite(s) & beyond & ((self.shaken >= 0.1) | jumps)

    # what a rounding decides

    @cached_property
    def missed(self) -> np.ndarray:
        """How far the result in plain double precision is from the truth, in units of the truth;
        inf where it has no value, nan at invalid rows."""
        exact, plain = self.value(self.root), self.doubles[self.root]
        with np.errstate(all="ignore"):
            found = np.abs(plain - exact) / np.abs(exact)
        found = np.where(plain == exact, 0.0, np.where(np.isnan(found), math.inf, found))
        for i in np.flatnonzero((np.abs(plain) < sys.float_info.min) & np.isfinite(found)):
            y = self.rows[i].y[self.root]  # as a double it would be rounded itself
            if self.rows[i].bad is None and y:
                found[i] = float(abs(mp.mpf(float(plain[i])) / y - 1))
        return np.where(self.valid, found, math.nan)

    def may_move(self, k: int) -> np.ndarray:
        """How far a step's jump moves the result, if roundings of its operand reach it at all.

        In units of the result's exact value; 0 where even 64 times the operand's noise
        of s u |y| does not reach the jump; inf where its noise or the other value is not known.
        """
        with mp.workdps(self.digits):
            return np.array([self._may_move(row, k) for row in self.rows])

    def _may_move(self, row: RowTruth, k: int) -> float:
        node = self.formula.nodes[k]
        below = node.children
        divides = node.operator in REMAINDERS
        noisy = below if divides or node.operator in COMPARED else below[:1]
        if row.bad is not None or row.y[k] is None:
            return 0.0
        if not any(self.formula.nodes[c].children for c in noisy):
            return 0.0
        if not all(math.isfinite(row.raw[c]) for c in noisy):
            return math.inf
        operands = [row.y[c] for c in below]
        sizes = [abs(row.y[below[0] if divides else c]) for c in noisy]
        noise = mp.fsum(mp.sqrt(row.raw[c]) * y for c, y in zip(noisy, sizes, strict=True))
        results = []
        for part in (-64, 0, 64):
            side = part * noise * mp.mpf(2) ** -53
            try:
                value = apply(node.operator, [operands[0] + side, *operands[1:]])
                results.append(self._result_with(row, k, value - side if divides else value))
            except (NoRealValue, BeyondReach):
                return math.inf
        exact = results[1]
        far = max(abs(each - exact) for each in results)
        return float(far / abs(exact)) if exact else math.inf if far else 0.0

    def _result_with(self, row: RowTruth, k: int, value: Any) -> Any:
        """The result where a step, with all its copies, has a value of our choice."""
        copies = next(group for group in self.classes if k in group)
        return values_of(
            self.formula,
            lambda node: self._leaf(row, node),
            lambda j, y: value if j in copies else y,
        )[-1]

    # where a loss is made

    def row_weights(self, t: int) -> tuple[np.ndarray, np.ndarray]:
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

    def created(
        self,
        t: int,
        rows: np.ndarray | None = None,
        silent: frozenset[int] = frozenset(),
    ) -> np.ndarray:
        """Digits of t's local EIC that each node makes, copies of one sub-expression together.

        At a row a node makes the growth of log10 s from its operands, weighted by the part of the
        noise that comes through each, to itself; that counts as much as of t's noise takes this
        way.  A zero on the way has no relative noise: it passes on what it is given (ADR 0010).
        Over the rows the weights are those of `row_weights`; with `rows` these count alike, and
        `silent` nodes bring no noise of their own.
        """
        made = np.zeros(self.nodes)
        if rows is None:
            rows, weights = self.row_weights(t)
        else:
            rows = rows[np.isfinite(self.s2[t][rows])]
            weights = np.full(len(rows), 1.0)
        whole = 0.0
        for i, w in zip(rows.tolist(), weights.tolist(), strict=True):
            if w < 1e-9:
                continue
            r = self.rows[i]
            through = np.zeros(self.nodes)
            for k in self.subtree(t):
                own = 0.0 if k in silent else r.gains[t].get(k, 0.0) ** 2
                through[k] = own + sum(through[c] for c in self.formula.nodes[k].children)
            total = through[t]
            if not total:
                continue
            whole += w
            lost = np.zeros(self.nodes)
            for k in self.subtree(t):
                gain = abs(r.gains[t].get(k, 0.0))
                children = list(self.formula.nodes[k].children)
                if not through[k]:
                    continue
                if gain and k not in silent:
                    lost[k] = half_log10(through[k]) - math.log10(gain)
                elif children:
                    lost[k] = float(through[children] @ lost[children]) / through[k]
                made[k] += w * through[k] / total * lost[k]
                above = self.formula.parents[k]
                if k != t and above is not None:
                    made[above] -= w * through[k] / total * lost[k]
        made /= whole or 1.0
        for group in self.classes:
            inside = [k for k in group if k in self.subtree(t)]
            made[inside] = made[inside].sum() if inside else 0.0
        return made

    # signs

    def along(
        self, k: int, most: int = 12, *, every: bool = False
    ) -> Iterator[tuple[str, dict[str, float], dict[str, float]]]:
        """What lies between rows of opposite sign: "zero", "pole", "jump", "gap" or "unknown".

        The segment between the two rows is halved in double precision down to its last digits;
        what comes back are the place, and the row that it was approached from.  With `every`, of
        one variable, between all rows.
        """
        y = self.value(k)
        names = self.formula.subtree(k).variables
        rows = np.flatnonzero(np.isfinite(y) & (y != 0))
        if len(names) == 1:
            rows = rows[np.argsort(self.samples.columns[names[0]][rows], kind="stable")]
            pairs = [
                (a, b)
                for a, b in zip(rows, rows[1:], strict=False)
                if every or (y[a] < 0) != (y[b] < 0)
            ]
        else:
            up, down = rows[y[rows] > 0], rows[y[rows] < 0]
            pairs = list(zip(up.tolist(), down.tolist(), strict=False))
        most = len(pairs) if every else most
        step = max(1, len(pairs) // max(1, most)) | 1  # odd: up and down alternate
        for a, b in pairs[::step][:most]:
            yield from self._halve(k, int(a), int(b))

    def _halve(self, k: int, a: int, b: int) -> Iterator[Any]:
        columns = self.samples.columns
        names = self.formula.subtree(k).variables
        low, high = ({v: float(columns[v][i]) for v in names} for i in (a, b))
        subtree = self.formula.subtree(k)
        jumps = any(n.operator in JUMPING for n in subtree.nodes)

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
        few = None if jumps else 2  # zeros may lie between jumps
        for i in (*up[:few], *down[:few]):
            yield self._narrow(at, points[i], points[i + 1], y[i : i + 2], jumps)

    def _narrow(
        self, at: Any, low: dict[str, float], high: dict[str, float], y: Any, jumps: bool
    ) -> tuple[str, dict[str, float], dict[str, float]]:
        """What lies between two points of opposite sign, where, and one of the two."""
        ends = low, high
        first, last = map(float, y)
        usual = max(abs(first), abs(last))
        for _ in range(1100):  # from any double to the next
            middle = {v: 0.5 * (low[v] + high[v]) for v in low}
            if middle in (low, high):
                break
            here = float(at([middle])[0])
            if not math.isfinite(here):  # of gamma at -1 there is not even that
                pole = math.isinf(here) or max(abs(first), abs(last)) > 1e3 * usual
                return ("pole" if pole else "gap"), low, _farther(low, ends)
            if here == 0 or (here > 0) != (first > 0):
                high, last = middle, here
            else:
                low, first = middle, here
        size = max(abs(first), abs(last))
        kind = "zero" if size < 1e-3 * usual else "pole" if size > 1e3 * usual else "jump"
        if kind == "jump" and not jumps:
            kind = "unknown"  # doubles are too far apart there
        return kind, low, _farther(low, ends)


def _leaf_anew(row: RowTruth, node: Node) -> Any:
    """A leaf's value at the digits that are asked for."""
    return number(row.cells[node.label] if node.operator == VARIABLE else node.label)


def _farther(place: dict[str, float], ends: tuple[dict[str, float], dict[str, float]]) -> Any:
    """Of two points the one that is farther from a place."""
    return max(ends, key=lambda end: sum(abs(end[v] - place[v]) for v in place))


BESIDE = mp.mpf(10) ** -600
"""How far beside a value, in units of it, a variable is moved to see whether it jumps there: one of
1e300 that jumps by 1 must still move by more than it does without a jump."""

SHAKES = 8
"""How often the nodes of a row are moved."""

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
