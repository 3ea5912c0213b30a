"""Questions for SymPy, answered by a process beside this one that is killed when time is up.

The process is started once and kept. It imports what this process could, is asked by one thread at
a time, and ends with this process: its input ends then.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.rewriting.builder import Builder, Weighted
from eic_core.rewriting.pieces import Omission
from eic_core.rewriting.series.expansion import Expansion, ExpansionQuestion
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import WorkBudget

QUESTION_SECONDS = 3.0
"""Seconds that SymPy may work at one question, whatever the time limit of the search."""

START_SECONDS = 30.0
"""Seconds that the start of its process may take."""

PROCESSES = "EIC_LAB_PROCESSES"
"""The environment's word on processes: with "0", none is started."""

MOST_NODES = 500
"""Larger terms are not asked about."""

_WORKER = "eic_core.rewriting.series.worker"

_START = """
import importlib, sys, types
room = types.ModuleType("eic_core.rewriting")
room.__path__ = [sys.argv[1]]
sys.modules[room.__name__] = room
importlib.import_module(sys.argv[2]).main()
"""
"""`python -m` without the imports of the room: NumPy and Arb take longer to load than SymPy."""


def missing() -> Omission | None:
    """Why no series can be asked for here; None if one can."""
    if sys.platform in ("emscripten", "wasi") or os.environ.get(PROCESSES) == "0":
        return Omission.SERIES_NO_PROCESS
    if importlib.util.find_spec("sympy") is None:
        return Omission.SERIES_NO_SYMPY
    return None if sys.executable else Omission.SERIES_NO_PROCESS


def warm() -> None:
    """Start the process, if one can be started, without waiting for it."""
    if missing() is None and _lock.acquire(blocking=False):
        try:
            with contextlib.suppress(OSError, ValueError, RuntimeError, MemoryError):
                _running_worker()
        finally:
            _lock.release()


def close() -> None:
    """End the process; the next question starts another."""
    global _worker
    with _lock:
        if _worker is not None:
            _worker.kill()
            _worker = None


def expansions(
    terms: Terms, questions: Sequence[ExpansionQuestion], budget: WorkBudget
) -> tuple[list[Expansion], list[Omission]]:
    """The expansions there are, in the order of the questions, and what was left out.

    SymPy may work until the stop, and no longer than `QUESTION_SECONDS` at one question.
    """
    if not questions:
        return [], []
    why = missing()
    if why is not None:
        return [], [why]
    answered: list[Expansion] = []
    left_out: list[Omission] = []
    for question in questions:
        try:
            answer = _answer_to(terms, question, budget)
        except _NotAnswered as reason:
            left_out.append(reason.why)
            if reason.why is Omission.SERIES_NO_PROCESS:
                break
            continue
        if answer is not None:
            answered.append(answer)
    return answered, list(dict.fromkeys(left_out))


class _NotAnswered(Exception):
    def __init__(self, why: Omission) -> None:
        super().__init__(why)
        self.why = why


def _answer_to(terms: Terms, question: ExpansionQuestion, budget: WorkBudget) -> Expansion | None:
    asked = _Asked.of(terms, question)
    if asked is None:
        return None
    answer = _ask(asked.text, budget)
    if "error" in answer:
        return None
    return asked.expansion(answer)


# --- The process -----------------------------------------------------------


class _Worker:
    """A process that answers line by line."""

    def __init__(self) -> None:
        paths = [os.path.abspath(path) for path in sys.path]
        # One order of sets, so that every process writes a coefficient in one way
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, str(Path(__file__).parents[1]), _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            encoding="ascii",
            # Ctrl-C is for this process
            start_new_session=os.name == "posix",
        )
        self.started = False
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, name="series", daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self.process.stdout:
                self.lines.put(line)
        self.lines.put("")

    def send(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def receive(self, seconds: float) -> str | None:
        """The next line; "" if the process ended, None if there is none in time."""
        try:
            return self.lines.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            return None

    @property
    def runs(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError, ValueError):
                    pipe.close()

    def leave_to_parent(self) -> None:
        """In a fork: let go of what belongs to the process that started it."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    os.close(pipe.fileno())
        self.process.returncode = 0


_worker: _Worker | None = None
_lock = threading.Lock()


def _running_worker() -> _Worker:
    """The process, started if there is none; the caller holds the lock."""
    global _worker
    if _worker is not None and not _worker.runs:
        _worker.kill()
        _worker = None
    if _worker is None:
        _worker = _Worker()
    return _worker


def _after_fork() -> None:
    global _worker, _lock
    _lock = threading.Lock()
    if _worker is not None:
        _worker.leave_to_parent()
        _worker = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(close)


@contextlib.contextmanager
def _turn(budget: WorkBudget) -> Iterator[None]:
    """Hold the process; other threads wait, but not longer than they have time."""
    seconds = min(budget.work.seconds, threading.TIMEOUT_MAX)
    if budget.passed or not _lock.acquire(timeout=seconds):
        raise _NotAnswered(Omission.SERIES_TIME)
    try:
        yield
    finally:
        _lock.release()


def _ask(text: str, budget: WorkBudget) -> dict[str, Any]:
    with _turn(budget):
        why = Omission.SERIES_NO_PROCESS
        for _ in range(2):
            try:
                worker = _running_worker()
                _await_start(worker, budget)
                why = Omission.SERIES_UNFINISHED
                worker.send(text)
                line = worker.receive(min(QUESTION_SECONDS, budget.work.seconds))
            except (OSError, ValueError, RuntimeError, MemoryError):  # No process, pipe or thread
                line = ""
            if line and line.endswith("\n"):  # Else it ended in the midst of its answer
                return json.loads(line)
            _end_worker()
            if line is None:
                break
            # It ended by itself: while nobody asked, or for want of memory
        raise _NotAnswered(why)


def _await_start(worker: _Worker, budget: WorkBudget) -> None:
    if worker.started:
        return
    line = worker.receive(min(START_SECONDS, budget.work.seconds))
    if line is None:
        # It goes on starting, for the next one who asks
        late = not budget.passed
        if late:
            _end_worker()
        raise _NotAnswered(Omission.SERIES_NO_PROCESS if late else Omission.SERIES_TIME)
    if not line:
        raise OSError("the process ended at its start")
    worker.started = True


def _end_worker() -> None:
    global _worker
    if _worker is not None:
        _worker.kill()
        _worker = None


# --- Questions and answers -------------------------------------------------

_Row = tuple[str, tuple[int, ...], str, str | None]


class _Asked:
    """A question as it is sent: variables are numbers there."""

    def __init__(
        self, terms: Terms, question: ExpansionQuestion, rows: list[_Row], names: list[int]
    ):
        self.terms, self.question, self.names = terms, question, names
        positive = [name in question.positive for name in names]
        self.text = json.dumps(
            {
                "nodes": rows,
                "point": str(question.point),
                "terms": question.terms,
                "side": question.side,
                "positive": positive,
            }
        )

    @classmethod
    def of(cls, terms: Terms, question: ExpansionQuestion) -> _Asked | None:
        """None if the quantity cannot be told from its variables in the term."""
        quantity = question.quantity
        above = terms.walk(question.term, lambda number: number != quantity)
        outside = {n for n in above if terms[n].operator == VARIABLE and n != quantity}
        inside = {n for n in terms.subterms(quantity) if terms[n].operator == VARIABLE}
        rows: list[_Row] = [("quantity", (), "", None)]
        place = {quantity: 0}
        names: list[int] = []

        def write(numbers: Sequence[int]) -> None:
            for number in numbers:
                if number in place:
                    continue
                term = terms[number]
                label = term.label
                if term.operator == VARIABLE:
                    label = str(len(names))
                    names.append(number)
                parameter = None if term.parameter is None else str(term.parameter)
                children = tuple([place[c] for c in term.children])
                place[number] = len(rows)
                rows.append((term.operator, children, label, parameter))

        if outside & inside:
            path = _path_to_single(terms, quantity, outside & inside)
            if path is None:
                return None
            row = 0
            for number, operand in path:
                left, *others = terms[number].children
                for other in (left, *others):
                    if other != operand:
                        write(terms.subterms(other))
                operator, children = _inverse(terms[number].operator, operand == left)
                operands = {
                    "whole": row,
                    "other": place[left if operand != left else others[0]] if others else row,
                }
                rows.append((operator, tuple(operands[c] for c in children), "", None))
                row = len(rows) - 1
            place[path[-1][1]] = row
        write(above)
        if len(rows) > MOST_NODES:
            return None
        if place[question.term] != len(rows) - 1:
            # The term is known already, as the quantity or as the variable in its place
            rows.append(("neg", (place[question.term],), "", None))
            rows.append(("neg", (len(rows) - 1,), "", None))
        return cls(terms, question, rows, names)

    def expansion(self, answer: dict[str, Any]) -> Expansion:
        build = Builder(self.terms)
        coefficients = tuple([self._term(build, tree) for tree in answer["coefficients"]])
        factor = self._power_of_distance(build, self._term(build, answer["exponent"]))
        return Expansion(self.question, answer["first"], coefficients, factor)

    def _power_of_distance(self, build: Builder, exponent: int) -> int | None:
        """The size of h to a power that is not whole."""
        point, distance = self.question.point, self.question.quantity
        if self.terms.number(exponent) == 0:
            return None
        if isinstance(point, str):
            exponent = build.neg(exponent)
        elif point:
            distance = build.sub(distance, number_term(self.terms, point))
        if point == "-inf" or (point != "inf" and self.question.side == "below"):
            distance = build.neg(distance)
        value = self.terms.number(exponent)
        if value is None:
            return self.terms.intern("pow", (distance, exponent))
        return scaled_product(build, Fraction(1), [Weighted(value, distance)])

    def _term(self, build: Builder, tree: list[Any]) -> int:
        kind, *rest = tree
        if kind == "number":
            return number_term(self.terms, Fraction(rest[0]))
        if kind == "variable":
            return self.names[rest[0]]
        if kind == "constant":
            return self.terms.intern(CONSTANT, label=rest[0])
        if kind in ("power", "product"):
            return self._product(build, [tree] if kind == "power" else rest)
        parts = [self._term(build, part) for part in rest]
        if kind != "sum":
            return build.apply(kind, tuple(parts))
        total = build.sum_of([build.coefficient(part) for part in parts])
        return _chain(self.terms, "add", parts) if total is None else total

    def _product(self, build: Builder, factors: list[list[Any]]) -> int:
        number = Fraction(1)
        parts: list[Weighted] = []
        for kind, *rest in factors:
            if kind == "number":
                number *= Fraction(rest[0])
            elif kind == "power":
                parts.append(Weighted(Fraction(rest[1]), self._term(build, rest[0])))
            else:
                parts.append(Weighted(Fraction(1), self._term(build, [kind, *rest])))
        return scaled_product(build, number, parts)


def _chain(terms: Terms, operator: str, parts: Sequence[int]) -> int:
    total = parts[0]
    for part in parts[1:]:
        total = terms.intern(operator, (total, part))
    return total


def number_term(terms: Terms, value: Fraction) -> int:
    """A number as a leaf, or as the quotient of two where it has too many digits for one."""
    text = terms.text(value)
    if text is not None:
        return terms.intern(CONSTANT, label=text)
    over = terms.intern(CONSTANT, label=str(value.numerator))
    if value.denominator == 1:
        return over
    return terms.intern("div", (over, terms.intern(CONSTANT, label=str(value.denominator))))


def scaled_product(build: Builder, number: Fraction, parts: Sequence[Weighted]) -> int:
    """A number times powers of terms, as people write it: ``-t**2/8``, ``1/(3*y**3)``."""
    roots = [_root(build, part) if part.weight.denominator > 2 else part for part in parts]
    above = [part for part in roots if part.weight > 0]
    below = [Weighted(-weight, term) for weight, term in roots if weight < 0]
    if below:
        over = scaled_product(build, Fraction(abs(number.numerator)), above)
        under = scaled_product(build, Fraction(number.denominator), below)
        total = build.terms.intern("div", (over, under))
        return build.terms.intern("neg", (total,)) if number < 0 else total
    product = build.product_of(above)
    assert product is not None  # It holds no number of many digits
    whole = build.product_of([Weighted(Fraction(1), number_term(build.terms, number)), *above])
    if abs(number.numerator) == 1 or whole is None or build.terms.number(product) == 1:
        whole = build.times_number(number, product)
    if whole is None:
        return _chain(build.terms, "mul", [number_term(build.terms, number), product])
    return whole


def _root(build: Builder, part: Weighted) -> Weighted:
    """A power that no operator has for its own: ``u**(2/3)``."""
    size = abs(part.weight)
    if size == Fraction(1, 3):
        root = build.terms.intern("cbrt", (part.term,))
    else:
        root = build.terms.intern("pow", (part.term, number_term(build.terms, size)))
    return Weighted(Fraction(1 if part.weight > 0 else -1), root)


_INVERTIBLE = frozenset(("add", "sub", "mul", "div", "neg"))


def _path_to_single(
    terms: Terms, quantity: int, variables: set[int]
) -> list[tuple[int, int]] | None:
    """How to reach a variable that stands once in a sum or product: terms, each with the operand
    to go to.
    """
    for variable in sorted(variables):
        path: list[tuple[int, int]] = []
        number = quantity
        while number != variable:
            term = terms[number]
            holding = [c for c in term.children if variable in terms.subterms(c)]
            if term.operator not in _INVERTIBLE or len(holding) != 1:
                break
            path.append((number, holding[0]))
            number = holding[0]
        else:
            return path
    return None


def _inverse(operator: str, is_left: bool) -> tuple[str, tuple[str, ...]]:
    """The operand of a sum, difference, product or quotient, by the whole and the other one."""
    match operator:
        case "add":
            return "sub", ("whole", "other")
        case "sub":
            return ("add", ("whole", "other")) if is_left else ("sub", ("other", "whole"))
        case "mul":
            return "div", ("whole", "other")
        case "div":
            return ("mul", ("whole", "other")) if is_left else ("div", ("other", "whole"))
    return "neg", ("whole",)
