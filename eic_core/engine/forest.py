"""Many formulas as one array of symbols in prefix order, without trees, each on its own rows."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.engine.native import library as native
from eic_core.engine.native.library import INVALID, Library, Packed
from eic_core.engine.values import plain_values
from eic_core.engine.walked import RANGE
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node
from eic_core.samples import Samples

Floats = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]


def previous_of_same_height(height: Numbers) -> Numbers:
    """For each place the last one before it of the same height, or -1.

    On a stack of operands this is the earlier entry of the same position.

    >>> previous_of_same_height(np.array([1, 2, 1, 1])).tolist()
    [-1, -1, 0, 2]
    """
    order = np.argsort(height.astype(np.int16), kind="stable")
    same = height[order]
    first = np.empty(len(order), dtype=bool)
    first[:1] = True
    np.not_equal(same[1:], same[:-1], out=first[1:])
    before = np.full(len(order), -1)
    before[order[1:]] = np.where(first[1:], -1, order[:-1])
    return before


@dataclass(frozen=True)
class Alphabet:
    # What each symbol stands for; ids and children mean nothing but the number of operands, at most
    # two. Variables read the columns of a formula's rows in the order in which they stand.
    nodes: tuple[Node, ...]

    @cached_property
    def arity(self) -> Numbers:
        return np.array([len(node.children) for node in self.nodes])

    @cached_property
    def is_variable(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        return np.array([node.operator == VARIABLE for node in self.nodes])

    @cached_property
    def is_constant(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        return np.array([node.operator == CONSTANT for node in self.nodes])

    @cached_property
    def column(self) -> Numbers:
        return np.cumsum(self.is_variable) - 1

    def packed(self, engine: Library) -> tuple[Any, ...] | None:
        """Kind, parameter and program constants of each symbol; None if one is not native."""
        by_engine = self.__dict__.setdefault("_packed", {})
        if engine not in by_engine:
            by_engine[engine] = self._pack(engine)
        symbols: tuple[Any, ...] | None = by_engine[engine]
        return symbols

    def _pack(self, engine: Library) -> tuple[Any, ...] | None:
        symbols = [engine.symbol(node) for node in self.nodes]
        native_symbols = [symbol for symbol in symbols if symbol is not None]
        if len(native_symbols) < len(symbols):
            return None
        width = max(len(constants) for _, _, constants in native_symbols)
        held = np.zeros((len(native_symbols), width))
        counts = np.array([len(constants) for _, _, constants in native_symbols])
        for i, (_, _, constants) in enumerate(native_symbols):
            held[i, : len(constants)] = constants
        return (
            np.array([kind for kind, _, _ in native_symbols], dtype=np.int32),
            np.array([parameter for _, parameter, _ in native_symbols]),
            held,
            counts,
        )


@dataclass(frozen=True)
class Forest:
    """Formulas one after the other, in prefix order.

    Attributes
    ----------
    alphabet
        The symbols that the formulas are written in.
    symbols
        Places in the alphabet. Shape (T,).
    starts
        Where each formula begins, and T. Shape (M + 1,).

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> x, one, minus = read("x - 1").formula.nodes
    >>> forest = Forest(Alphabet((minus, x, one)), np.array([0, 1, 2, 1]), np.array([0, 3, 4]))
    >>> rows = np.array([[[2.0, 4.0]], [[5.0, 6.0]]])  # formula, variable, row
    >>> forest.values(rows).tolist()
    [[1.0, 3.0], [5.0, 6.0]]
    >>> forest.measure(rows)[1].round(2).tolist()
    [0.32, 0.0]
    """

    alphabet: Alphabet
    symbols: Numbers
    starts: Numbers

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Numbers:
        """The number of nodes of each formula."""
        return np.diff(self.starts)

    @cached_property
    def owner(self) -> Numbers:
        """The number of the formula that each symbol belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def operands(self) -> tuple[Numbers, Numbers]:
        """For each symbol the places of its left (or only) and its right operand; -1 for none."""
        backwards = self._backwards
        last = len(self.symbols) - 1
        arity = self.alphabet.arity[self.symbols]
        left = np.where(arity > 0, np.arange(1, len(arity) + 1), -1)
        right = np.where(arity > 1, last - backwards[::-1], -1)
        return left, right

    @cached_property
    def parent(self) -> Numbers:
        """For each symbol the place of the operator above it; -1 at a root."""
        parent = np.full(len(self.symbols), -1)
        for operand in self.operands:
            there = np.flatnonzero(operand >= 0)
            parent[operand[there]] = there
        return parent

    @cached_property
    def _backwards(self) -> Numbers:
        """For each symbol the place of its right operand, if it has two.

        Works a prefix order off from its end, with a stack whose top is the left operand.
        """
        arity = self.alphabet.arity[self.symbols[::-1]]
        height = np.cumsum(1 - arity) - (len(self) - 1 - self.owner[::-1])
        return previous_of_same_height(height)

    def take(self, which: Numbers) -> Forest:
        """A forest of some of the formulas.

        Parameters
        ----------
        which
            Numbers of formulas, from 0, in the new order.

        Returns
        -------
        Forest
            With the same alphabet.
        """
        sizes = self.sizes[which]
        starts = np.concatenate(([0], np.cumsum(sizes)))
        places = np.repeat(self.starts[which] - starts[:-1], sizes) + np.arange(starts[-1])
        return Forest(self.alphabet, self.symbols[places], starts)

    def formula(self, number: int) -> Formula:
        """One formula as a tree.

        Parameters
        ----------
        number
            Of the formula, from 0.

        Returns
        -------
        Formula
            Its variables have the names of the alphabet.
        """
        done: list[int] = []
        nodes: list[Node] = []
        symbols = self.symbols[self.starts[number] : self.starts[number + 1]]
        for symbol in post_order(symbols.tolist(), self.alphabet.arity.tolist()):
            node = self.alphabet.nodes[symbol]
            arity = len(node.children)
            children = tuple(done[len(done) - arity :])
            del done[len(done) - arity :]
            done.append(len(nodes))
            nodes.append(node._replace(id=len(nodes), children=children, span=(0, 0)))
        return Formula(tuple(nodes))

    def samples(self, number: int, rows: Floats) -> Samples:
        """The rows of one formula.

        Parameters
        ----------
        number
            Of the formula, from 0.
        rows
            For each formula the values of its variables. Shape (M, D, N).

        Returns
        -------
        Samples
            A column for each variable of the alphabet.
        """
        names = [node.label for node in self.alphabet.nodes if node.operator == VARIABLE]
        return Samples.from_columns(dict(zip(names, rows[number], strict=False)))

    def values(self, rows: Floats) -> Floats:
        """The value of each formula at its rows.

        Parameters
        ----------
        rows
            For each formula the values of its variables. Shape (M, D, N).

        Returns
        -------
        Floats
            All nan for a formula with a node that is not finite at some row. Shape (M, N).
        """
        packed = self._packed
        if packed is None:
            plain = np.array(
                [plain_values(self.formula(i), self.samples(i, rows)) for i in range(len(self))]
            )
            plain[~np.isfinite(plain).all(axis=1)] = np.nan
            return plain
        root_values = np.empty((len(self), rows.shape[-1]))
        keep = self._roots, root_values
        run = self._run(packed, rows, keep_y=keep, mode=native.VALUES_ONLY, out=INVALID)
        root_values[np.flatnonzero(run.signs)] = np.nan
        return root_values

    def measure(self, rows: Floats, share: float | None = None) -> tuple[Floats, Floats]:
        """The value of each formula at its rows, and its EIC on them.

        Parameters
        ----------
        rows
            For each formula the values of its variables. Shape (M, D, N).
        share
            Replaces the mean of s^2 at each node by its quantile at this share, above 0, at most 1.

        Returns
        -------
        tuple[Floats, Floats]
            The values as `values` gives them. Shape (M, N).
            The EIC; nan without values, and where a lost value would be needed. Shape (M,).
        """
        count = rows.shape[-1]
        packed = self._packed
        if packed is None:
            values, eic = self.values(rows), np.empty(len(self))
            unusual = np.arange(len(self))
        else:
            values = np.empty((len(self), count))
            keep = {"keep_y": (self._roots, values)}
            s2 = np.empty((0 if share is None else len(self.symbols), count))
            if share is not None:
                keep["keep_s2"] = np.arange(len(self.symbols)), s2
            run = self._run(packed, rows, mode=0, out=INVALID | RANGE, **keep)
            with np.errstate(divide="ignore", invalid="ignore"):
                if share is None:
                    eic = 0.5 * np.log10(np.array(run.sums) / count)
                else:
                    place = math.ceil(share * count) - 1
                    # backwards, so that each formula's nodes stand together from its root on
                    each = np.partition(s2, place, axis=1)[::-1, place]
                    eic = 0.5 * np.log10(np.maximum.reduceat(each, self.starts[:-1]))
            unusual = np.flatnonzero(run.signs)
            if len(unusual):
                values[unusual] = self.take(unusual).values(np.ascontiguousarray(rows[unusual]))
        for i in unusual.tolist():
            has_values = bool(np.isfinite(values[i, 0]))
            eic[i] = self._alone(i, rows, share) if has_values else math.nan
        return values, eic

    @cached_property
    def _roots(self) -> Numbers:
        return len(self.symbols) - 1 - self.starts[:-1]

    @cached_property
    def _packed(self) -> Packed | None:
        engine = native.library()
        symbols = None if engine is None else self.alphabet.packed(engine)
        if engine is None or symbols is None:
            return None
        kinds, parameters, held, counts = symbols
        backwards = self._backwards
        read = self.symbols[::-1]
        arity = self.alphabet.arity[read]
        first = np.cumsum(arity) - arity
        reads = np.empty(int(arity.sum()), dtype=np.int32)
        some, two = np.flatnonzero(arity), np.flatnonzero(arity == 2)
        reads[first[some]] = some - 1
        reads[first[two] + 1] = backwards[two]
        own = np.arange(held.shape[1]) < counts[read][:, None]
        numbers = array("i", np.concatenate((kinds[read], reads)).tobytes())
        doubles = array("d", np.concatenate((parameters[read], held[read][own])).tobytes())
        return engine.packed(numbers, doubles, len(read), shared=True)

    def _run(self, packed: Packed, rows: Floats, *, mode: int, out: int, **buffers: Any) -> Any:
        assert rows.flags.c_contiguous and rows.dtype == np.float64
        _, variables, count = rows.shape
        read = self.symbols[::-1]
        there = self.alphabet.is_variable[read]
        columns = self.alphabet.column[read[there]] + variables * self.owner[::-1][there]
        addresses = array("q", (int(rows.ctypes.data) + 8 * count * columns).tobytes())
        return packed.run(
            addresses, count, mode=mode, skip=out, out=out, sum_slots=self._roots, **buffers
        )

    def _alone(self, number: int, rows: Floats, share: float | None) -> float:
        """The EIC of one formula that cannot be measured with the others, by ADR 0001."""
        samples = self.samples(number, rows)
        amplification = amplify(self.formula(number), samples, recheck=False)
        eic = amplification.eic
        if share is None or amplification.valid_count < len(samples) or math.isnan(eic):
            return eic
        s2 = np.array([amplification.valid_s2(node) for node in amplification.tape.nodes])
        place = math.ceil(share * len(samples)) - 1
        return float(0.5 * np.log10(np.partition(s2, place, axis=1)[:, place].max()))


def post_order(symbols: Sequence[int], arity: Sequence[int]) -> list[int]:
    """A formula's symbols (in prefix order) with every operator behind its operands.

    >>> post_order([0, 1, 0, 2, 3], [2, 0, 0, 0])  # a binary symbol and three leaves
    [1, 2, 3, 0, 0]
    """
    order: list[int] = []
    waiting: list[list[int]] = []  # operators with how many operands are missing
    for symbol in symbols:
        if arity[symbol]:
            waiting.append([symbol, arity[symbol]])
            continue
        order.append(symbol)
        while waiting:
            waiting[-1][1] -= 1
            if waiting[-1][1]:
                break
            order.append(waiting.pop()[0])
    return order
