"""Load the native engine, hand it tapes, and hand back what it found.

Values come from the inner loops of NumPy's ufuncs.  Their addresses stand in the public part of
``PyUFuncObject`` (NumPy C-API, ``numpy/ufuncobject.h``); each is checked on a few numbers before it
is used, and an operator without a usable one runs through `eic_core.engine.reference`.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.native import build
from eic_core.engine.tape import SMALLEST_NORMAL, Leaf, Tape, leaf_in_range
from eic_core.operators import OPERATORS, Operator

EDGES, SIGNS, VALUES_ONLY, OVERFLOW_IS_INVALID, FIRST_BAD_ENDS = 1, 2, 4, 8, 16
"""What a run is asked for."""

INVALID, HIGH, LOW, PRECISION, DOUBT = 1, 2, 4, 8, 16
"""What is known of a sample: no real value; a value beyond double range, above or below; fewer than
three digits left in double precision; a rounding that decides which rule holds."""

VALID_ROWS, INVALID_ROWS, RANGE_ROWS, SINGULAR_ROWS, MARKED_ROWS = range(5)
COUNTS = 5

MOST_OPERANDS = 64
_COLUMN, _CONSTANT = -1, -2
_FIXED, _LEAF_HIGH, _LEAF_LOW = 1, 2, 4
_DOUBLE = 12  # NPY_DOUBLE
_CALL_SIZE = 28
_MOST_LOOPS = 1024
_COLUMN_HEAD = (_COLUMN, 0, 0, 0, 0, 0, 0)
_COUNTING = array("i", range(256))
_LEAST, _MOST = SMALLEST_NORMAL, sys.float_info.max


_Entry = tuple[int, tuple[int, ...], int, tuple[float, ...]]
"""A row's code, its program as words and their number by four, and the program's constants."""


class Packed(NamedTuple):
    """A tape as the native engine reads it.

    Attributes
    ----------
    slots, operands, members : int
        How many there are.
    columns : list of (slot, name)
    parts : tuple of arrays
        Heads, operands, program, parameters, constants, roots, starts and members.
    addresses : tuple of int
        Where they lie.
    """

    slots: int
    operands: int
    members: int
    columns: list[tuple[int, str]]
    parts: tuple[Any, ...]
    addresses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """What the native engine found.

    Attributes
    ----------
    sums, singular : list
        Per member of each root.
    edge_sums : list of float
        Per operand of the tape.
    signs : list of int
        Per slot.
    counts : list of int
        Per root, `COUNTS` numbers.
    status : ndarray of uint8, shape (N,), or None
        Of the first root; None if nothing is known of any sample.
    dead : ndarray of int32, shape (N,), or None
        Slot at which a sample first had no real value, or -1.
    """

    sums: list[float]
    singular: list[int]
    edge_sums: list[float]
    signs: list[int]
    counts: list[int]
    status: np.ndarray | None
    dead: np.ndarray | None


class Library:
    """The loaded library with the loops that it may call.

    Parameters
    ----------
    path : path of the library

    Raises
    ------
    OSError
        If it cannot be loaded, or was built from another table.
    """

    def __init__(self, path: os.PathLike[str] | str) -> None:
        self._library = ctypes.CDLL(os.fspath(path))
        library = self._library
        for name in ("eic_codes", "eic_call_size", "eic_run", "eic_scratch"):
            getattr(library, name).restype = ctypes.c_int64
        library.eic_name.restype = ctypes.c_char_p
        library.eic_name.argtypes = [ctypes.c_int64]
        library.eic_recheck_s2.restype = ctypes.c_double
        if library.eic_call_size() != 8 * _CALL_SIZE:
            raise OSError("the native engine was built for another interface")
        self._scratch = library.eic_scratch
        self._scratch.argtypes = [ctypes.c_int64] * 4
        self._run = library.eic_run
        self._run.argtypes = [ctypes.c_void_p, ctypes.c_int64]
        self.codes = {library.eic_name(i).decode(): i for i in range(library.eic_codes())}
        self._rows = {name: OPERATORS[name] for name in self.codes}
        self._loops = array("q", bytes(16 * _MOST_LOOPS))  # never moves: runs hold its address
        self._loop_ids: dict[Any, int] = {}
        self._lock = threading.Lock()
        self._simple: dict[Operator, _Entry] = {}
        self._entries: dict[tuple[Operator, Fraction | None, int], _Entry | None] = {}
        self._local = threading.local()

    @property
    def recheck_s2(self) -> float:
        """The kernel's own copy of `eic_core.engine.tape.RECHECK_S2`."""
        return float(self._library.eic_recheck_s2())

    def _loop(self, function: Any) -> int:
        """The number of a ufunc's loop over doubles, or -1."""
        known = self._loop_ids.get(function)
        if known is None:
            with self._lock:
                known = self._loop_ids.get(function)
                if known is None:
                    known = self._loop_ids[function] = self._add_loop(function)
        return known

    def _add_loop(self, function: Any) -> int:
        found = _double_loop(function)
        place = sum(number >= 0 for number in self._loop_ids.values())
        if found is None or place >= _MOST_LOOPS:
            return -1
        self._loops[2 * place], self._loops[2 * place + 1] = found
        return place

    def _entry(self, row: Operator, p: float, count: int) -> _Entry | None:
        """How the library runs a row; None if it cannot."""
        code = self.codes.get(row.name, -1)
        if code < 0 or self._rows[row.name] is not row or count > MOST_OPERANDS:
            return None
        words: list[int] = []
        constants: list[float] = []
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
        return code, tuple(words), len(words) // 4, tuple(constants)

    def _find_entry(self, row: Operator, exact: Fraction | None, count: int) -> _Entry | None:
        """The same, remembered; for rows with a parameter, or any number of operands."""
        key = (row, exact, count)
        try:
            return self._entries[key]
        except KeyError:
            p = row.parameter(exact) if row.has_parameter else 0.0
            if len(self._entries) > 4096:
                self._entries.clear()
            found = self._entries[key] = self._entry(row, p, count)
            return found

    def pack(self, tape: Tape) -> Packed | None:
        """The tape for this library, or None if an operator is not in it.

        Kept with the tape.
        """
        try:
            packed: Packed | None = tape._compiled["native"]
            return packed
        except KeyError:
            packed = tape._compiled["native"] = self._pack(tape)
            return packed

    def _pack(self, tape: Tape) -> Packed | None:
        head: list[int] = []
        operands: list[int] = []
        program: list[int] = []
        parameters: list[float] = []
        constants: list[float] = []
        columns: list[tuple[int, str]] = []
        fixed: list[int] = []
        simple = self._simple
        instructions = 0
        for row, given, exact in zip(
            tape.rows, tape.operands, tape.exact_parameters, strict=True
        ):
            if not given:
                assert isinstance(row, Leaf)
                column, label, value = row
                if column:
                    columns.append((len(fixed), column))
                    head += _COLUMN_HEAD
                    fixed.append(0)
                    parameters.append(0.0)
                    continue
                flag = 0
                if not _LEAST <= value <= _MOST and not leaf_in_range(label, value):
                    flag = _LEAF_HIGH if abs(value) > 1 else _LEAF_LOW
                head += (_CONSTANT, 0, 0, 0, 0, 0, flag)
                fixed.append(_FIXED)
                parameters.append(value)
                continue
            assert isinstance(row, Operator)
            count = len(given)
            entry = simple.get(row)
            p = 0.0
            if entry is None:
                entry = self._find_entry(row, exact, count)
                if entry is None:
                    return None
                if row.has_parameter:
                    p = row.parameter(exact)
                elif row.arity is not None:
                    simple[row] = entry
            code, words, length, numbers = entry
            flag = fixed[given[0]]
            if count == 2:
                flag &= fixed[given[1]]
            elif count > 2:
                flag = min([fixed[i] for i in given])
            fixed.append(flag)
            head += (code, count, len(operands), instructions, length, len(constants), flag)
            instructions += length
            operands += given
            program += words
            if numbers:
                constants += numbers
            parameters.append(p)
        size = len(fixed)
        if len(tape.roots) == 1:
            starts, member = [0, size], _COUNTING[:size] if size <= 256 else array("i", range(size))
        else:
            members = [tape.members(root) for root in tape.roots]
            starts = [0, *itertools.accumulate(map(len, members))]
            member = array("i", itertools.chain.from_iterable(members))
        parts = (
            array("i", head), array("i", operands), array("i", program),
            array("d", parameters), array("d", constants),
            array("i", tape.roots), array("i", starts), member,
        )  # fmt: skip
        addresses = tuple([part.buffer_info()[0] for part in parts])
        return Packed(size, len(operands), len(member), columns, parts, addresses)

    def _workspace(self, doubles: int) -> int:
        """The address of this thread's scratch of at least so many doubles."""
        space = getattr(self._local, "space", None)
        if space is None or len(space) < doubles:
            space = self._local.space = np.empty(max(doubles, 1 << 16))
            self._local.address = int(space.ctypes.data)
        return int(self._local.address)

    def run(
        self,
        tape: Tape,
        packed: Packed,
        addresses: dict[str, int],
        rows: int,
        *,
        mode: int,
        skip: int,
        out: int,
        keep_y: Sequence[tuple[int, int]] = (),
        keep_s2: Sequence[tuple[int, int]] = (),
        keep_terms: Sequence[tuple[int, int]] = (),
    ) -> Run:
        """Run a tape over samples, without Python's lock.

        Parameters
        ----------
        tape, packed : the tape, and `pack` of it
        addresses : mapping of column name to the address of its first sample
        rows : int
            How many samples.
        mode : int
            Which of `EDGES`, `SIGNS`, …
        skip, out : int
            Bits of a status: after which nothing is left to do at a sample, and with which it is no
            part of the sums.
        keep_y, keep_s2, keep_terms : sequences of (slot, or operand of the tape; address)
            Where values, s^2 and the terms of edges are written to.
        """
        slots, count = packed.slots, packed.operands
        chunk = max(16, min(512, (1 << 16) // slots)) & ~7
        chunk = min(chunk, (rows + 7) & ~7)
        members, roots = packed.members, len(tape.roots)
        doubles = array("d", bytes(8 * (members + count)))
        integers = array("q", bytes(8 * (members + slots + COUNTS * roots)))
        where = array("q", bytes(8 * slots))
        for slot, name in packed.columns:
            where[slot] = addresses[name]
        marks = bytearray(rows)
        dead = bytearray(4 * rows)
        kept = [_addresses(pairs, size) for pairs, size in (
            (keep_y, slots), (keep_s2, slots), (keep_terms, count))]  # fmt: skip
        sums, whole = doubles.buffer_info()[0], integers.buffer_info()[0]
        scratch = self._workspace(self._scratch(slots, count, chunk, mode))
        a = packed.addresses
        call = array("q", (
            slots, rows, chunk, mode, skip, out, a[0], a[1], a[2], a[3], a[4],
            self._loops.buffer_info()[0], where.buffer_info()[0], roots, a[5], a[6], a[7], scratch,
            sums, whole, sums + 8 * members, whole + 8 * members, whole + 8 * (members + slots),
            _address_of(marks), _address_of(dead),
            *[0 if k is None else k.buffer_info()[0] for k in kept],
        ))  # fmt: skip
        self._run(call.buffer_info()[0], count)
        counts = integers[members + slots :].tolist()
        marked = counts[MARKED_ROWS]
        return Run(
            doubles[:members].tolist(),
            integers[:members].tolist(),
            doubles[members:].tolist(),
            integers[members : members + slots].tolist(),
            counts,
            np.frombuffer(marks, dtype=np.uint8) if marked else None,
            np.frombuffer(dead, dtype=np.int32) if marked else None,
        )


def _address_of(buffer: bytearray) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer)) if buffer else 0


def _addresses(pairs: Sequence[tuple[int, int]], size: int) -> array[int] | None:
    if not pairs:
        return None
    found = array("q", bytes(8 * size))
    for index, address in pairs:
        found[index] = address
    return found


class _UfuncHead(ctypes.Structure):
    """The part of ``PyUFuncObject`` after the object's head, as ``numpy/ufuncobject.h`` has it."""

    _fields_ = (
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.POINTER(ctypes.c_char)),
    )


_LOOP = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)


def _double_loop(function: Any) -> tuple[int, int] | None:
    """The inner loop of a ufunc over doubles, and its data; None if it cannot be trusted."""
    if not isinstance(function, np.ufunc) or function.nout != 1 or function.nin > 2:
        return None
    head = _UfuncHead.from_address(id(function) + object.__basicsize__)
    if (head.nin, head.nout, head.nargs, head.ntypes) != (
        function.nin, function.nout, function.nargs, function.ntypes,
    ):  # fmt: skip
        return None
    if not head.functions or not head.types:
        return None
    wanted = bytes([_DOUBLE] * head.nargs)
    for i in range(head.ntypes):
        types = b"".join(head.types[i * head.nargs + j] for j in range(head.nargs))
        if types == wanted and head.functions[i]:
            address, data = head.functions[i], (head.data[i] if head.data else None) or 0
            return (address, data) if _agrees(function, address, data) else None
    return None


def _agrees(function: Any, address: int, data: int) -> bool:
    """Whether the loop gives what the ufunc gives, plain and with one operand held."""
    given = [np.array([0.25, 1.0, 2.5, 0.5, 0.75, 3.0, 1.5, 0.125, 7.0]) * (1 + i)
             for i in range(function.nin)]  # fmt: skip
    loop = _LOOP(address)
    for held in (False, True):
        out = np.zeros(9)
        arrays = [*given, out]
        strides = [8] * len(arrays)
        if held:
            strides[function.nin - 1] = 0
        args = array("q", [int(a.ctypes.data) for a in arrays])
        count, steps = array("q", [9]), array("q", strides)
        loop(args.buffer_info()[0], count.buffer_info()[0], steps.buffer_info()[0], data)
        operands = [*given[:-1], np.full(9, given[-1][0])] if held else given
        with np.errstate(all="ignore"):
            if not np.array_equal(function(*operands), out, equal_nan=True):
                return False
    return True


_LOADED: list[Library | None] = []
_LOADING = threading.Lock()


def library() -> Library | None:
    """The native engine, or None where there is none.

    ``EIC_LAB_NATIVE=0`` does without it.
    """
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
