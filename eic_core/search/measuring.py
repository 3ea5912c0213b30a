"""Terms of a search, each measured once: its values, and its noise on some training rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.engine.native import library as native
from eic_core.engine.native.library import INVALID
from eic_core.engine.population import Counts
from eic_core.engine.tape import Tape
from eic_core.engine.values import plain_values
from eic_core.engine.walked import RANGE
from eic_core.formula.tree import Node
from eic_core.operators.wide import Array
from eic_core.samples import Samples
from eic_core.search.vocabulary import ARITY, Term, Token, formula_of, node_of

QUANTILE = 0.9

PENALTIES = ("q90", "mean")

NUMBERS_HELD = 2**24
"""Most numbers in the arrays of terms; beyond it they are emptied and measured anew."""

LEAST_TERMS, MOST_TERMS = 4_000, 30_000

LEAST_SPREAD = 1e-10
"""A term whose values spread by less of their size is no better than the intercept."""


class MeasuredTerms:
    """Measures terms, and remembers them under a number each.

    - `digit_rows`, shape (R,): the rows on which digits are measured.
    - `penalty`, {"q90", "mean"}: see `stands_for`.
    - `number`: of each measured term; -1 without a value at some row, beyond double range or
      constant.
    - `units`, shape (T, N): values on the training rows are mean + length * unit, units of length
      1.
    - `y`, `s2`, shape (T, R): value and squared amplification on the rows of the digits.
    - `at_root`, `worst`, shape (T,): `stands_for` s^2 at the root, and its largest value over the
      nodes; valid, as is `s2`, once the term is settled.
    """

    def __init__(self, samples: Samples, digit_rows: Counts, penalty: str) -> None:
        self.samples = samples
        self.digit_rows = digit_rows
        self.on_digit_rows = samples.take(digit_rows)
        self.penalty = penalty
        self.number: dict[Term, int] = {}
        rows, few = len(samples), len(digit_rows)
        size = min(max(NUMBERS_HELD // (rows + 2 * few), LEAST_TERMS), MOST_TERMS)
        self.units = np.empty((size, rows))
        self.y, self.s2 = np.empty((size, few)), np.empty((size, few))
        self.means, self.lengths = np.empty(size), np.empty(size)
        self.at_root, self.worst = np.empty(size), np.empty(size)
        self.nodes: Counts = np.empty(size, dtype=np.int64)
        self.used = 0
        self.unsettled: dict[int, Term] = {}

    def measure(self, terms: Iterable[Term]) -> dict[Term, int]:
        """Measure the new ones of these terms, and return `number`."""
        distinct = dict.fromkeys(terms)
        new = [term for term in distinct if term not in self.number]
        if self.used + len(new) > len(self.means):
            self.number, self.used, self.unsettled = {}, 0, {}
            new = list(distinct)
        for start in range(0, len(new), LEAST_TERMS):
            self._add(new[start : start + LEAST_TERMS])
        return self.number

    def _add(self, terms: Sequence[Term]) -> None:
        tape = lay_out_terms(terms)
        with np.errstate(all="ignore"):
            values = self._values(terms, tape)
            y = values[:, self.digit_rows]
            means = values.mean(axis=1)
            size = np.abs(values).max(axis=1) * math.sqrt(values.shape[1])
            values -= means[:, None]
            lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
            usable = np.isfinite(lengths) & (lengths > LEAST_SPREAD * size)
            s2, at_root, worst, unusual = self._noise(terms, tape)
            places = np.flatnonzero(usable)
            start, stop = self.used, self.used + len(places)
            np.divide(values[places], lengths[places, None], out=self.units[start:stop])
        self.y[start:stop], self.s2[start:stop] = y[places], s2[places]
        self.means[start:stop], self.lengths[start:stop] = means[places], lengths[places]
        self.at_root[start:stop], self.worst[start:stop] = at_root[places], worst[places]
        self.used = stop
        numbers = np.where(usable, start - 1 + np.cumsum(usable), -1).tolist()
        self.number.update(zip(terms, numbers, strict=True))
        self.nodes[start:stop] = [len(terms[i]) for i in places.tolist()]
        for i in np.flatnonzero(unusual & usable).tolist():
            self.unsettled[numbers[i]] = terms[i]

    def settle(self, numbers: Iterable[int]) -> None:
        """Measure the terms with a row under one of ADR 0001's rules, which is slow."""
        for number in self.unsettled.keys() & set(numbers):
            # a hundred times as slow as the kernel, which most candidates never come to need
            result = amplify(
                formula_of(self.unsettled.pop(number)), self.on_digit_rows, recheck=False
            )
            # without an amplification at every row it loses all digits
            self.at_root[number] = self.worst[number] = math.inf
            if result.valid_count == len(self.on_digit_rows) and not math.isnan(result.eic):
                s2 = np.array([result.valid_s2(node) for node in result.tape.nodes])
                each = stands_for(s2, self.penalty)
                self.s2[number], self.at_root[number] = s2[-1], each[-1]
                self.worst[number] = np.max(each)

    def _values(self, terms: Sequence[Term], tape: Tape) -> Array:
        """Values on the training rows, shape (M, N); not finite where there is none."""
        packed = native.pack(tape)
        if packed is None:
            return np.array([plain_values(formula_of(term), self.samples) for term in terms])
        rows = len(self.samples)
        rows_of_terms = np.empty((len(terms), rows))
        run = packed.run(
            self.samples.addresses,
            rows,
            mode=native.VALUES_ONLY,
            keep_y=(tape.roots, rows_of_terms),
        )
        rows_of_terms[np.array(run.signs)[list(tape.roots)] != 0] = (
            np.nan
        )  # a node without a finite value
        return rows_of_terms

    def _noise(self, terms: Sequence[Term], tape: Tape) -> tuple[Array, ...]:
        """`s2`, `at_root` and `worst` of each term, and whether it must be settled."""
        packed, rows = native.pack(tape), len(self.digit_rows)
        unusual = np.ones(len(terms), dtype=bool)
        at_root, worst = np.full(len(terms), np.nan), np.full(len(terms), np.nan)
        s2_at_root = np.full((len(terms), rows), np.nan)
        if packed is not None:
            s2 = np.empty((len(tape), rows))
            run = packed.run(
                self.on_digit_rows.addresses,
                rows,
                skip=INVALID | RANGE,
                out=INVALID | RANGE,
                keep_s2=(range(len(tape)), s2),
            )
            each = stands_for(s2, self.penalty)
            below: list[float] = each.tolist()
            for slot, read in enumerate(tape.operands):
                for operand in read:
                    if below[operand] > below[slot]:
                        below[slot] = below[operand]
            roots = np.array(tape.roots)
            s2_at_root, at_root, worst = s2[roots], each[roots], np.array(below)[roots]
            unusual = np.array(run.signs)[roots] != 0
        return s2_at_root, at_root, worst, unusual


def stands_for(s2: Array, penalty: str) -> Array:
    """The 90 % quantile or the mean of s^2 over the rows, its last axis.

    >>> stands_for(np.arange(1.0, 11.0), "q90").item(), stands_for(np.arange(3.0), "mean").item()
    (9.0, 1.0)
    """
    if penalty == "mean":
        return np.asarray(np.mean(s2, axis=-1))
    # the inverted distribution function, as in `eic_by_quantile`: infinite rows stay infinite
    place = math.ceil(QUANTILE * s2.shape[-1]) - 1
    return np.asarray(np.partition(s2, place, axis=-1)[..., place])


class _Nodes(dict[Token, Node]):
    """A node for each token; ids and operands mean nothing, as a tape has its own."""

    def __missing__(self, token: Token) -> Node:
        if len(self) > MOST_TERMS:
            self.clear()
        node = self[token] = node_of(token, 0, (0,) * ARITY.get(token, 0))  # type: ignore[arg-type]
        return node


_NODES = _Nodes()


def lay_out_terms(terms: Sequence[Term]) -> Tape:
    """Terms as one tape, equal parts once.

    `eic_core.engine.tape.lay_out_population` makes the same of their formulas.

    >>> tape = lay_out_terms([("$x", "sin", "$y", "mul"), ("$x", "sin")])
    >>> len(tape), tape.roots, tape.operands
    (4, (3, 1), [(), (0,), (), (1, 2)])
    """
    slots: dict[object, int] = {}
    slot_of = slots.setdefault
    arity_of = ARITY.get
    nodes: list[Node] = []
    operands: list[tuple[int, ...]] = []
    roots: list[int] = []
    new = 0  # the next slot
    for term in terms:
        stack: list[int] = []
        for token in term:
            arity = arity_of(token)  # type: ignore[arg-type]
            if arity is None:
                read: tuple[int, ...] = ()
                slot = slot_of(token, new)
                stack.append(slot)
            elif arity == 2:
                right = stack.pop()
                read = (stack[-1], right)
                slot = stack[-1] = slot_of((token, read), new)
            else:
                read = (stack[-1],)
                slot = stack[-1] = slot_of((token, read), new)
            if slot == new:
                new += 1
                operands.append(read)
                nodes.append(_NODES[token])
        roots.append(slot)
    reads = [slot for read in operands for slot in read]
    tape = Tape((), nodes, reads, tuple(roots), population=True)
    tape.__dict__["operands"] = operands  # the cached property would derive them again
    return tape
