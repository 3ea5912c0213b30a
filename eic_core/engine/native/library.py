"""Load the native engine, hand it tapes, and read its results."""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import platform
import sys
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.native.generate import header
from eic_core.engine.native.loops import double_loop
from eic_core.engine.tape import (
    RECHECK_S2,
    SMALLEST_NORMAL,
    Tape,
    constant_value,
    is_shortest,
    leaf_in_range,
    tape_of,
)
from eic_core.formula.tree import CONSTANT, VARIABLE, Draft, Formula, Node, variable
from eic_core.operators import NUMPY, OPERATORS, ROWS, Operator, registered
from eic_core.operators.backend import Traced
from eic_core.samples import Samples

SOURCES = ("kernel.c", "rules.h")
SOURCE_FOLDER = Path(__file__).parent

FLAGS = (
    "-std=gnu11",
    "-O3",
    "-fPIC",
    "-shared",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
)
"""Never -ffast-math: (x + 1e12) - 1e12 is not x."""

EDGES, SIGNS, VALUES_ONLY, FIRST_BAD_ENDS, SHORTEST = 1, 2, 4, 8, 16
"""What a run is asked for."""

INVALID, HIGH, LOW, PRECISION, DOUBT, NOTHING_LEFT = 1, 2, 4, 8, 16, 64
"""What is known of a sample: no real value; a value beyond double range, above or below; fewer than
three digits left in double precision; a rounding that decides which rule holds; a certain 0 without
a relative digit."""

_CONSTANT_STEP = 1 << 29

MOST_OPERANDS = 64
_COLUMN, _CONSTANT, _CONSTANT_HIGH, _CONSTANT_LOW, _CONSTANT_ROUNDED = -1, -2, -3, -4, -5
_MOST_LABELS = 4096
_CALL_SIZE = 23
_COUNTS = 2
_MOST_LOOPS = 1024
_MOST_ENTRIES = 1024
_LEAST, _MOST = SMALLEST_NORMAL, sys.float_info.max


Keep = tuple[Sequence[int], np.ndarray] | None

_Key = tuple[str, int, tuple[int, int] | None]
"""An operator, how many operands it has, and its exact parameter."""

_Entry = tuple[int, float, tuple[float, ...]]
"""The number of an operator with its program in the library's table, its parameter, and the
program's constants."""


@dataclass(slots=True)
class WalkSummary:
    # Per slot, the sum of s^2 over the samples that are in and not singular there. Of a population,
    # the largest at or below the slot.
    sums: list[float]
    singular: list[int]  # Per slot, how many of them are singular
    # Per operand of the tape, the sum of kappa^2 s_i^2 over the same samples; empty if edges were
    # not asked for
    edge_sums: list[float]
    # Per slot, 1 if its watched sign was positive, plus 2 if negative. Of a population, not 0 if
    # a sample is out or singular at or below the slot.
    signs: list[int]
    singular_samples: int  # Samples singular at some slot; not of a population
    status: np.ndarray | None  # shape (N,): None if nothing is known of any sample
    dead: np.ndarray | None  # shape (N,): Slot at which a sample first had no real value, or -1
    gave_up: bool = False
    # Per slot, how many samples the sums are over, singular ones included; None where that is all
    # that are in, since nothing is chosen
    evaluated: list[int] | None = None


class Packed(NamedTuple):
    engine: Library
    # slots, operands: how many there are
    slots: int
    operands: int
    buffers: int  # How many buffers the slots of a population share; 0 if each has its own
    columns: tuple[str, ...]  # Variables in the order of their leaves
    address: int  # Of what the library is given of the tape
    parts: tuple[Any, ...]  # What lies there
    noted_at: int  # Where in its numbers stands what is noted of each slot

    def has_constant_step(self, slot: int) -> bool:
        """Whether at or below a slot something is computed of constants alone that may lose digits.

        >>> from eic_core.formula.syntax import read
        >>> packed = [pack(tape_of(read(t).formula)) for t in ("x + 1", "x*(2*3)", "x + sin(2*3)")]
        >>> [each is None or each.has_constant_step(each.slots - 1) for each in packed]
        [False, False, True]
        """
        return bool(self.parts[1][self.noted_at + slot] & _CONSTANT_STEP)

    def run(
        self,
        addresses: dict[str, int] | array[int],
        rows: int,
        *,
        mode: int = 0,
        skip: int = INVALID,
        out: int = INVALID,
        keep_y: Keep = None,
        keep_s2: Keep = None,
        keep_terms: Keep = None,
        slots: int = 0,
        sum_slots: np.ndarray | None = None,
        recheck_s2: float = RECHECK_S2,
    ) -> WalkSummary:
        """Run a tape over samples, without Python's lock.

        - `addresses`: by variable, or an array of the leaves' addresses in their order.
        - `mode`: bits such as `EDGES` and `SIGNS`.
        - `skip`, `out`: bits of a status after which nothing is left to do at a sample, and with
          which it does not belong to the sums.
        - `keep_y`, `keep_s2`, `keep_terms`: slots (of terms, operands) with an array of a row for
          each, which receives values, s^2 and the terms of edges; rows are contiguous.
        - `slots`: how many slots are run, the first ones; 0 for all.
        - `sum_slots`: slots whose sums and signs are returned, without edges; all by default.
        - `recheck_s2`: the s^2 above which a sample counts as `PRECISION`.
        """
        count = self.operands
        if not slots:
            slots = self.slots
        held = self.buffers or slots
        chunk = max(min(256, (1 << 21) // held), 16) & ~7
        if chunk > rows:
            chunk = (rows + 7) & ~7
        ints = slots + count  # results are doubles, then integers, then marks
        counts_at = ints + 2 * slots
        marks = counts_at + _COUNTS
        dead_at = marks + (rows + 7) // 8
        inner = dead_at + (rows + 1) // 2
        scratch = (3 * held + 13 + (count if mode & EDGES else 0)) * chunk + count
        scratch += (held * chunk) // 8 + chunk // 2 + 10 * slots + 16
        space, whole, address = self.engine.workspace(inner + scratch)
        if not isinstance(addresses, array):
            addresses = array("q", [addresses[name] for name in self.columns])
        keeps = ((keep_y, slots), (keep_s2, slots), (keep_terms, count))
        row_addresses = [None if keep is None else _by_place(*keep, size) for keep, size in keeps]
        request = array(
            "q",
            (
                self.address,
                slots,
                rows,
                chunk,
                mode,
                skip,
                out,
                addresses.buffer_info()[0],
                address,
                *[0 if places is None else places.ctypes.data for places in row_addresses],
            ),
        )
        marked = self.engine.run(request.buffer_info()[0], recheck_s2)
        status = dead = None
        if marked > 0:
            status = whole[marks:dead_at].view(np.uint8)[:rows].copy()
            dead = whole[dead_at:inner].view(np.int32)[:rows].copy()
        elif not mode & SIGNS and not self.buffers:  # the rest is zeros
            none = [0] * slots
            return WalkSummary(space[:slots].tolist(), none, [], none, 0, None, None, marked < 0)
        if sum_slots is None:
            sums, edge_sums = space[:slots], space[slots:ints].tolist() if mode & EDGES else []
            singular, signs = whole[ints : ints + slots], whole[ints + slots : counts_at]
        else:
            sums, edge_sums = space[sum_slots], []
            singular, signs = whole[ints + sum_slots], whole[ints + slots + sum_slots]
        return WalkSummary(
            sums.tolist(),
            singular.tolist(),
            edge_sums,
            signs.tolist(),
            int(whole[counts_at]),
            status,
            dead,
            marked < 0,
        )


class Library:
    """The loaded library with the loops that it may call.

    Raises `OSError` if it cannot be loaded, or was built for another interface.
    """

    def __init__(self, path: os.PathLike[str] | str) -> None:
        self._library = ctypes.CDLL(os.fspath(path))
        library = self._library
        for name in ("eic_codes", "eic_call_size", "eic_run"):
            getattr(library, name).restype = ctypes.c_int64
        library.eic_name.restype = ctypes.c_char_p
        library.eic_name.argtypes = [ctypes.c_int64]
        if library.eic_call_size() != 8 * _CALL_SIZE:
            raise OSError("the native engine was built for another interface")
        self.run = library.eic_run
        self.run.argtypes = [ctypes.c_void_p, ctypes.c_double]
        self._pack_up = library.eic_pack
        self._pack_up.restype = None
        self._pack_up.argtypes = [*[ctypes.c_void_p] * 3, ctypes.c_int64]
        self.codes = {library.eic_name(i).decode(): i for i in range(library.eic_codes())}
        self._rows = {name: OPERATORS[name] for name in self.codes}
        self._loops = array("q", bytes(16 * _MOST_LOOPS))  # never moves: runs hold its address
        self._loop_ids: dict[Any, int] = {}
        self._lock = threading.Lock()
        # kinds of the variable and of operators without parameter
        self._kinds: dict[str, int] = {VARIABLE: _COLUMN}
        self._numbers: dict[tuple[int, ...], int] = {}
        # table and program never move, either
        self._table = array("i", bytes(4 * 6 * _MOST_ENTRIES))
        self._program = array("i", bytes(4 * 4 * 8 * _MOST_ENTRIES))
        self._words = 0
        tables = (self._table, self._program, self._loops)
        self._tables = array("q", [held.buffer_info()[0] for held in tables])
        self._tables_at = self._tables.buffer_info()[0]
        self._entries: dict[_Key, _Entry | None] = {}
        self._local = threading.local()

    def _loop(self, function: Any) -> int:
        loop_id = self._loop_ids.get(function)
        if loop_id is None:
            with self._lock:
                loop_id = self._loop_ids.get(function)
                if loop_id is None:
                    loop_id = self._loop_ids[function] = self._add_loop(function)
        return loop_id

    def _add_loop(self, function: Any) -> int:
        if isinstance(function, Traced):
            own = getattr(self._library, f"values_{function.name}", None)
            pointers = own and (ctypes.cast(own, ctypes.c_void_p).value or 0, 0)
        else:
            pointers = double_loop(function)
        place = sum(number >= 0 for number in self._loop_ids.values())
        if pointers is None or place >= _MOST_LOOPS:
            return -1
        self._loops[2 * place], self._loops[2 * place + 1] = pointers
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
            for operand in (*inputs, *([0] if len(inputs) == 1 else [])):
                if operand.__class__ is float:
                    words.append(-2 - len(constants))
                    constants.append(operand)
                else:
                    words.append(operand)
        helper = -1
        if row.helper:
            helper = self._loop(getattr(NUMPY, row.helper))
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

    def _find_entry(self, key: _Key, node: Node) -> _Entry | None:
        try:
            return self._entries[key]
        except KeyError:
            pass
        operator, count, _ = key
        row, entry = OPERATORS[operator], None
        if self._rows.get(operator) is row and count <= MOST_OPERANDS:
            entry = self._entry(row, node.parameter, count)
            if len(self._entries) > 4096:
                self._entries.clear()
            self._entries[key] = entry  # only rows of the table are kept: others may be withdrawn
            plain = row.arity is not None and not row.has_parameter
            if plain and entry is not None and not entry[2]:
                self._kinds[operator] = entry[0]
        return entry

    def symbol(self, node: Node) -> _Entry | None:
        """Kind, parameter and program constants of a node; None if its operator is not native."""
        if node.operator == CONSTANT:
            return (*_constant(node.label), ())
        return (
            (_COLUMN, 0.0, ()) if node.operator == VARIABLE else self._find_entry(_key(node), node)
        )

    def pack(self, tape: Tape) -> Packed | None:
        """The tape for this library, kept with the tape; None if an operator is not native."""
        cache = tape._compiled.get("native")
        if cache is None or cache[0] is not self:
            cache = tape._compiled["native"] = self, self._pack(tape)
        packed: Packed | None = cache[1]
        return packed

    def _pack(self, tape: Tape) -> Packed | None:
        formulas = tape.not_laid_out
        nodes: Sequence[Node]
        if len(formulas) == 1:
            nodes = formulas[0].nodes
        else:
            nodes = [node for formula in formulas for node in formula.nodes] or tape.first_nodes
        kind_of = self._kinds.get
        kinds: list[Any] = [kind_of(node[1]) for node in nodes]
        symbols = kinds.copy()
        parameters = [0.0] * len(kinds)
        constants: list[float] = []
        columns: dict[str, int] = {}
        places: dict[Any, int] = {}
        for i, kind in enumerate(kinds):
            if kind is None:
                node = nodes[i]
                if node[1] == CONSTANT:
                    key: Any = node[3]
                    kinds[i], parameters[i] = _constant(key)
                else:
                    key = _key(node)
                    entry = self._find_entry(key, node)
                    if entry is None:
                        return None
                    kinds[i], parameters[i], own = entry
                    constants += own
                symbols[i] = -2 - 2 * places.setdefault(key, i)
            elif kind < 0:
                symbols[i] = -1 - 2 * columns.setdefault(nodes[i][3], i)
        count, doubles = len(kinds), array("d", parameters + constants)
        if not formulas:
            numbers = array("i", kinds + tape.reads)
            return self.packed(numbers, doubles, count, tuple(columns), shared=tape.population)
        numbers = array("i", kinds + [child for node in nodes for child in node[2]])
        ends = accumulate([len(formula.nodes) for formula in formulas])
        symbols_of = array("i", [*symbols, *ends])
        total = len(numbers)
        packed = self.packed(
            numbers, doubles, count, tuple(columns), shared=tape.population, symbols=symbols_of
        )
        tape.__dict__.update(size=packed.slots, variables=packed.columns, laid_out=(numbers, total))
        return packed

    def packed(
        self,
        numbers: array[int],
        doubles: array[float],
        count: int,
        columns: tuple[str, ...] = (),
        *,
        shared: bool,
        symbols: array[int] | None = None,
    ) -> Packed:
        """A tape of `count` slots.

        - `numbers`: their kinds, and the operands of all of them.
        - `doubles`: their parameters, and the constants of all of them.
        - `shared`: whether they are those of many formulas, which share buffers.
        - `symbols`: of each node, and the ends of formulas, if nodes are what is given; equal ones
          become one slot.
        """
        operands = len(numbers) - count
        symbols_at = room = table = 0
        if symbols is not None:
            symbols_at, table = symbols.buffer_info()[0], 2 << count.bit_length()
            room = self.workspace(count + table)[2]
        behind = len(numbers) + 2 * count
        numbers.frombytes(bytes(4 * 5 * count))
        at, doubles_at = numbers.buffer_info()[0], doubles.buffer_info()[0]
        tables = self._tables_at
        head = array("q", (count, operands, shared, at, doubles_at, tables, 0, 0, 0, 0, 0))
        address = head.buffer_info()[0]
        self._pack_up(address, symbols_at, room, table)
        slots, operands = head[:2]
        buffers = head[-1] if shared else 0
        parts = head, numbers, doubles
        return Packed(self, slots, operands, buffers, columns, address, parts, behind + slots)

    def workspace(self, doubles: int) -> tuple[np.ndarray, np.ndarray, int]:
        local = self._local
        space = getattr(local, "space", None)
        if space is None or len(space[0]) < doubles:
            numbers = np.empty(max(doubles, 1 << 16))
            space = local.space = numbers, numbers.view(np.int64), int(numbers.ctypes.data)
        workspace: tuple[np.ndarray, np.ndarray, int] = space
        return workspace


def file_name(rows: Sequence[Operator] = ROWS) -> str:
    sha = hashlib.sha256((" ".join(FLAGS) + header(rows)).encode())
    for name in SOURCES:
        sha.update((SOURCE_FOLDER / name).read_bytes())
    system = f"{sys.platform}-{platform.machine().lower()}-{platform.libc_ver()[0] or 'libc'}"
    return f"kernel-{sha.hexdigest()[:12]}-{system}.so"


def folders() -> list[Path]:
    """Where the library may lie: beside the sources, or in the user's cache."""
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return [SOURCE_FOLDER, Path(cache_home) / "eic-lab"]


def find() -> Path | None:
    name = file_name()
    return next((folder / name for folder in folders() if (folder / name).is_file()), None)


def check_rows(path: os.PathLike[str] | str, rows: Sequence[Operator]) -> None:
    """Load a library and run each of its rows once.

    Raises `OSError` with the symbol that it lacks, or the row whose numbers are not NumPy's.
    """
    columns = {
        "x": [-1.5, -0.25, 0.25, 0.75, 1.5, 2.5],
        "y": [2.25, 1.25, -0.5, 0.5, 2.25, 0.75],
        "z": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
    }
    samples = Samples.from_columns(columns)
    with registered(*(row for row in rows if row.name not in OPERATORS)):
        engine = Library(path)
        for row in map(OPERATORS.__getitem__, engine.codes):
            names = [*columns][: row.arity or 2]
            exact = Fraction(2) if row.needs_parameter else None
            draft = Draft(row.name, [variable(name) for name in names], parameter=exact)
            packed = engine.pack(tape_of(Formula.from_draft(draft)))
            if packed is None:  # this NumPy hides the loop of its function
                continue
            y, s2 = np.empty((2, 1, len(samples)))
            top = (packed.slots - 1,)
            packed.run(samples.addresses, len(samples), keep_y=(top, y), keep_s2=(top, s2))
            a, p = [samples.columns[name] for name in names], row.parameter(exact)
            with np.errstate(all="ignore"):
                value = np.asarray(row.evaluate(a, p))
                terms = row.kappa_squared(NUMPY, a, value, p)
            expected = 1 + np.sum(np.broadcast_arrays(value, *terms)[1:], axis=0)
            ordinary = np.isfinite(value) & (value != 0) & np.isfinite(expected)
            pairs = [(y, value)] if row.selects else [(y, value), (s2, expected)]
            if not all(np.allclose(b[..., ordinary], c[ordinary], 1e-9, 0) for b, c in pairs):
                raise OSError(f"the row of `{row.name}` gives other numbers than NumPy")


def _key(node: Node) -> _Key:
    exact = node[4]
    return node[1], len(node[2]), None if exact is None else exact.as_integer_ratio()


@lru_cache(_MOST_LABELS)
def _constant(label: str) -> tuple[int, float]:
    value = constant_value(label)
    if _LEAST <= value <= _MOST or leaf_in_range(label, value):
        return _CONSTANT if is_shortest(label, value) else _CONSTANT_ROUNDED, value
    return (_CONSTANT_HIGH if abs(value) > 1 else _CONSTANT_LOW), value


def _by_place(slots: Sequence[int], rows: np.ndarray, size: int) -> np.ndarray:
    """For each of `size` slots the address of its row, or 0."""
    addresses = np.zeros(size, dtype=np.int64)
    addresses[list(slots)] = rows.ctypes.data + rows.strides[0] * np.arange(len(slots))
    return addresses


_LOADED: list[Library | None] = []
_LOADING = threading.Lock()


def pack(tape: Tape) -> Packed | None:
    """The tape for the native engine; None without one, or if an operator is not native."""
    engine = library()
    return None if engine is None else engine.pack(tape)


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
    path = find()
    fault = "there is no compiled engine for this machine. Install a C compiler and run"
    try:
        if path is not None:
            return Library(path)
    except OSError as error:  # built for another machine, or damaged
        fault = f"its compiled engine does not load ({error}). Run"
    processes = sys.modules.get("multiprocessing.process")
    if processes is None or processes.parent_process() is None:  # workers need not repeat it
        logging.getLogger(__name__).warning(
            "EIC Lab runs on NumPy, several times slower: %s\n"
            "    %s -m eic_core.engine.native.build\n"
            "or set EIC_LAB_NATIVE=0, and nothing is said.",
            fault,
            sys.executable,
        )
    return None
