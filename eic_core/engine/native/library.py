"""Load the native engine, hand it tapes, and read its results."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.native import build
from eic_core.engine.native.loops import double_loop
from eic_core.engine.tape import SMALLEST_NORMAL, Tape, constant_value, leaf_in_range
from eic_core.formula.tree import CONSTANT, VARIABLE, Node
from eic_core.operators import NUMPY, OPERATORS, Operator

EDGES, SIGNS, VALUES_ONLY, OVERFLOW_IS_INVALID, FIRST_BAD_ENDS = 1, 2, 4, 8, 16
"""What a run is asked for."""

INVALID, HIGH, LOW, PRECISION, DOUBT = 1, 2, 4, 8, 16
"""What is known of a sample: no real value; a value beyond double range, above or below; fewer than
three digits left in double precision; a rounding that decides which rule holds."""

VALID_ROWS, INVALID_ROWS, RANGE_ROWS, SINGULAR_ROWS, MARKED_ROWS = range(5)
COUNTS = 5

MOST_OPERANDS = 64
_COLUMN, _CONSTANT, _CONSTANT_HIGH, _CONSTANT_LOW = -1, -2, -3, -4
_CALL_SIZE = 27
_MOST_LOOPS = 1024
_MOST_ENTRIES = 1024
_LEAST, _MOST = SMALLEST_NORMAL, sys.float_info.max


_Entry = tuple[int, float, tuple[float, ...]]
"""The number of an operator with its program in the library's table, its parameter, and the
program's constants."""


class Packed(NamedTuple):
    # slots, operands: how many there are
    slots: int
    operands: int
    buffers: int  # How many buffers the slots of a population share; 0 if each has its own
    columns: list[str]  # Variables in the order of their leaves
    # Kinds, operands, parameters and constants; of a population, each slot's buffer
    parts: tuple[Any, ...]
    addresses: tuple[int, ...]  # Where they lie


@dataclass(slots=True)
class Pass:
    # Per slot, the sum of s^2 over the samples that are in and not singular there. Of a population,
    # the largest at or below the slot.
    sums: list[float]
    singular: list[int]  # Per slot, how many of them are singular
    # Per operand of the tape, the sum of kappa^2 s_i^2 over the same samples; empty if edges were
    # not asked for
    edge_sums: list[float]
    # Per slot, 1 if its watched sign was positive, plus 2 if negative. Of a population, not 0 if
    # anything is known of a sample at or below the slot.
    signs: list[int]
    singular_samples: int  # Samples singular at some slot; not of a population
    status: np.ndarray | None  # shape (N,): None if nothing is known of any sample
    dead: np.ndarray | None  # shape (N,): Slot at which a sample first had no real value, or -1
    taken: int = 0  # How many samples were taken before the run gave up; N if it did not
    # Per slot, how many samples the sums are over, singular ones included; None where that is all
    # that are in, since nothing is chosen
    evaluated: list[int] | None = None


class Library:
    """The loaded library with the loops that it may call.
    Raises `OSError` if it cannot be loaded, or was built from another table.
    """

    def __init__(self, path: os.PathLike[str] | str) -> None:
        self._library = ctypes.CDLL(os.fspath(path))
        library = self._library
        for name in ("eic_codes", "eic_call_size", "eic_run"):
            getattr(library, name).restype = ctypes.c_int64
        library.eic_name.restype = ctypes.c_char_p
        library.eic_name.argtypes = [ctypes.c_int64]
        library.eic_recheck_s2.restype = ctypes.c_double
        if library.eic_call_size() != 8 * _CALL_SIZE:
            raise OSError("the native engine was built for another interface")
        self._run = library.eic_run
        self._worst = library.eic_worst
        self._worst.restype = None
        self._run.argtypes = self._worst.argtypes = [ctypes.c_void_p, ctypes.c_int64]
        self.codes = {library.eic_name(i).decode(): i for i in range(library.eic_codes())}
        self._rows = {name: OPERATORS[name] for name in self.codes}
        self._loops = array("q", bytes(16 * _MOST_LOOPS))  # never moves: runs hold its address
        self._loops_at = self._loops.buffer_info()[0]
        self._loop_ids: dict[Any, int] = {}
        self._lock = threading.Lock()
        # kinds of the variable and of operators without parameter
        self._kinds: dict[str, int] = {VARIABLE: _COLUMN}
        self._numbers: dict[tuple[int, ...], int] = {}
        # table and program never move, either
        self._table = array("i", bytes(4 * 6 * _MOST_ENTRIES))
        self._program = array("i", bytes(4 * 4 * 8 * _MOST_ENTRIES))
        self._words = 0
        self._tables_at = self._table.buffer_info()[0], self._program.buffer_info()[0]
        self._entries: dict[tuple[str, int, tuple[int, int] | None], _Entry | None] = {}
        self._local = threading.local()

    @property
    def recheck_s2(self) -> float:
        return float(self._library.eic_recheck_s2())

    def _loop(self, function: Any) -> int:
        known = self._loop_ids.get(function)
        if known is None:
            with self._lock:
                known = self._loop_ids.get(function)
                if known is None:
                    known = self._loop_ids[function] = self._add_loop(function)
        return known

    def _add_loop(self, function: Any) -> int:
        found = double_loop(function)
        place = sum(number >= 0 for number in self._loop_ids.values())
        if found is None or place >= _MOST_LOOPS:
            return -1
        self._loops[2 * place], self._loops[2 * place + 1] = found
        return place

    def _entry(self, row: Operator, exact: Fraction | None, count: int) -> _Entry | None:
        words: list[int] = []
        constants: list[float] = []
        p = row.parameter(exact) if row.has_parameter else 0.0
        for function, *inputs in row.program(p, count):
            loop = self._loop(function)
            if loop < 0:
                return None
            words += (loop, len(inputs))
            for given in (*inputs, *([0] if len(inputs) == 1 else [])):
                if given.__class__ is float:
                    words.append(-2 - len(constants))
                    constants.append(given)
                else:
                    words.append(given)
        helper = -1
        if row.helper:
            function = getattr(NUMPY, row.helper)
            helper = self._loop(getattr(function, "ufunc", function))
        if row.helper and helper < 0:
            return None
        number = self._number_of((self.codes[row.name], count, len(constants), helper, *words))
        if number is None:
            return None
        return number, (p if row.has_parameter else 0.0), tuple(constants)

    def _number_of(self, entry: tuple[int, ...]) -> int | None:
        with self._lock:
            number = self._numbers.get(entry)
            if number is None:
                code, count, constants, helper, *words = entry
                number, first = len(self._numbers), self._words
                if number >= _MOST_ENTRIES or first + len(words) > len(self._program):
                    return None
                self._program[first : first + len(words)] = array("i", words)
                head = (code, count, first // 4, len(words) // 4, constants, helper)
                self._table[6 * number : 6 * number + 6] = array("i", head)
                self._words = first + len(words)
                self._numbers[entry] = number
        return number

    def _find_entry(self, node: Node) -> _Entry | None:
        _, operator, children, _, exact, _ = node
        ratio = None if exact is None else exact.as_integer_ratio()
        key = (operator, len(children), ratio)
        try:
            return self._entries[key]
        except KeyError:
            pass
        row, found = OPERATORS[operator], None
        if self._rows.get(operator) is row and len(children) <= MOST_OPERANDS:
            found = self._entry(row, exact, len(children))
            if len(self._entries) > 4096:
                self._entries.clear()
            self._entries[key] = found  # only rows of the table are kept: others may be withdrawn
            plain = row.arity is not None and not row.has_parameter
            if plain and found is not None and not found[2]:
                self._kinds[operator] = found[0]
        return found

    def symbol(self, node: Node) -> _Entry | None:
        """Kind, parameter and program constants of a node; None if its operator is not native."""
        if node.operator == CONSTANT:
            return (*_constant(node.label), ())
        return (_COLUMN, 0.0, ()) if node.operator == VARIABLE else self._find_entry(node)

    def pack(self, tape: Tape) -> Packed | None:
        """The tape for this library, kept with the tape; None if an operator is not native."""
        kept = tape._compiled.get("native")
        if kept is None or kept[0] is not self:
            kept = tape._compiled["native"] = self, self._pack(tape)
        packed: Packed | None = kept[1]
        return packed

    def _pack(self, tape: Tape) -> Packed | None:
        nodes = tape.first_nodes
        kind_of = self._kinds.get
        kinds: list[Any] = [kind_of(node[1]) for node in nodes]
        parameters = array("d", bytes(8 * len(nodes)))
        constants: list[float] = []
        for slot, kind in enumerate(kinds):
            if kind is not None:
                continue
            node = nodes[slot]
            if node[1] == CONSTANT:
                kinds[slot], parameters[slot] = _constant(node[3])
                continue
            found = self._find_entry(node)
            if found is None:
                return None
            kinds[slot], parameters[slot], own = found
            constants += own
        buffers, used = None, 0
        if tape.population:
            buffers, used = _shared_buffers(tape)
        parts: tuple[Any, ...] = (
            array("i", kinds),
            array("i", tape.reads),
            parameters,
            array("d", constants),
            *([array("i", buffers)] if buffers is not None else []),
        )
        addresses = tuple([part.buffer_info()[0] for part in parts])
        return Packed(len(kinds), len(tape.reads), used, list(tape.variables), parts, addresses)

    def _workspace(self, doubles: int) -> tuple[np.ndarray, np.ndarray, int]:
        local = self._local
        space = getattr(local, "space", None)
        if space is None or len(space[0]) < doubles:
            made = np.empty(max(doubles, 1 << 16))
            space = local.space = made, made.view(np.int64), int(made.ctypes.data)
        found: tuple[np.ndarray, np.ndarray, int] = space
        return found

    def run(
        self,
        tape: Tape | None,
        packed: Packed,
        addresses: dict[str, int] | array[int],
        rows: int,
        *,
        mode: int,
        skip: int,
        out: int,
        keep_y: Sequence[tuple[int, int]] = (),
        keep_s2: Sequence[tuple[int, int]] = (),
        keep_terms: Sequence[tuple[int, int]] = (),
        slots: int = 0,
        told: np.ndarray | None = None,
    ) -> Pass:
        """Run a tape over samples, without Python's lock.

        - `addresses`: by variable, or an array of the leaves' addresses in their order.
        - `mode`: bits such as `EDGES` and `SIGNS`.
        - `skip`, `out`: bits of a status after which nothing is left to do at a sample, and with
          which it does not belong to the sums.
        - `keep_y`, `keep_s2`, `keep_terms`: addresses for values, s^2 and the terms of edges.
        - `slots`: how many slots are run, the first ones; 0 for all.
        - `told`: slots whose sums and signs are returned, without edges; all by default.
        """
        count = packed.operands
        if not slots:
            slots = packed.slots
        held = packed.buffers or slots
        chunk = max(min(512, (1 << 16) // held), min(256, (1 << 21) // held), 16) & ~7
        if chunk > rows:
            chunk = (rows + 7) & ~7
        ints = slots + count  # results lie in scratch: doubles, then integers, then marks
        counts_at = ints + 2 * slots
        marks = counts_at + COUNTS
        dead_at = marks + (rows + 7) // 8
        inner = dead_at + (rows + 1) // 2
        scratch = (3 * held + 12 + (count if mode & EDGES else 0)) * chunk + count
        scratch += (held * chunk) // 8 + chunk // 2 + 6 * slots + 16
        space, whole, address = self._workspace(inner + scratch)
        if not isinstance(addresses, array):
            addresses = array("q", [addresses[name] for name in packed.columns])
        kept: tuple[Any, ...] = (None, None, None)
        if keep_y or keep_s2 or keep_terms:
            kept = (
                _addresses(keep_y, slots),
                _addresses(keep_s2, slots),
                _addresses(keep_terms, count),
            )
        a = packed.addresses
        call = array(
            "q",
            (
                slots,
                rows,
                chunk,
                mode,
                skip,
                out,
                a[0],
                a[1],
                a[2],
                a[3],
                *self._tables_at,
                self._loops_at,
                addresses.buffer_info()[0],
                a[4] if packed.buffers else 0,
                held,
                address + 8 * inner,
                address,
                address + 8 * ints,
                address + 8 * slots,
                address + 8 * (ints + slots),
                address + 8 * counts_at,
                address + 8 * marks,
                address + 8 * dead_at,
                *[0 if k is None else k.buffer_info()[0] for k in kept],
            ),
        )
        taken = self._run(call.buffer_info()[0], count)
        if packed.buffers:
            self._worst(call.buffer_info()[0], count)
        counts = whole[counts_at:marks].tolist()
        status = dead = None
        if counts[MARKED_ROWS]:
            status = whole[marks:dead_at].view(np.uint8)[:rows].copy()
            dead = whole[dead_at:inner].view(np.int32)[:rows].copy()
        elif not mode & SIGNS and not packed.buffers:  # the rest is zeros
            none = [0] * slots
            return Pass(space[:slots].tolist(), none, [], none, 0, None, None, taken)
        if told is not None:
            sums, singular, signs = space[told], whole[ints + told], whole[ints + slots + told]
            return Pass(
                sums.tolist(),
                singular.tolist(),
                [],
                signs.tolist(),
                counts[SINGULAR_ROWS],
                status,
                dead,
                taken,
            )
        numbers = space[:ints].tolist()
        integers = whole[ints:counts_at].tolist()
        return Pass(
            numbers[:slots],
            integers[:slots],
            numbers[slots:] if mode & EDGES else [],
            integers[slots:],
            counts[SINGULAR_ROWS],
            status,
            dead,
            taken,
        )


@lru_cache(maxsize=8192)
def _constant(label: str) -> tuple[int, float]:
    value = constant_value(label)
    if _LEAST <= value <= _MOST or leaf_in_range(label, value):
        return _CONSTANT, value
    return (_CONSTANT_HIGH if abs(value) > 1 else _CONSTANT_LOW), value


def _shared_buffers(tape: Tape) -> tuple[list[int], int]:
    """A buffer for each slot, reused once nothing reads the slot any more; and their number."""
    last = list(range(len(tape)))
    for slot, operands in enumerate(tape.operands):
        for i in operands:
            last[i] = slot
    ending: list[list[int]] = [[] for _ in last]
    for slot, end in enumerate(last):
        ending[end].append(slot)
    free: list[int] = []
    found: list[int] = []
    count = 0
    for slot in range(len(tape)):
        if free:
            found.append(free.pop())
        else:
            found.append(count)
            count += 1
        free += [found[i] for i in ending[slot]]
    return found, count


def _addresses(pairs: Sequence[tuple[int, int]], size: int) -> array[int] | None:
    if not pairs:
        return None
    found = array("q", bytes(8 * size))
    for index, address in pairs:
        found[index] = address
    return found


_LOADED: list[Library | None] = []
_LOADING = threading.Lock()


def library() -> Library | None:
    """The native engine; None without one, or with ``EIC_LAB_NATIVE=0``."""
    if not _LOADED:
        with _LOADING:
            if not _LOADED:
                _LOADED.append(_load())
    return _LOADED[0]


def _load() -> Library | None:
    if os.environ.get("EIC_LAB_NATIVE") == "0" or sys.maxsize < 2**32:
        return None
    path = build.find()
    if path is None:
        return None
    try:
        return Library(path)
    except OSError:
        return None  # built for another machine, or damaged: the reference does the work
