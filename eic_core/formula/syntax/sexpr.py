"""Reads FPCore and other s-expressions, such as `(+ x 1)`, and the ranges that an FPCore states.
Standard: FPCore 2.0, https://fpbench.org/spec/fpcore-2.0.html.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from eic_core import wording
from eic_core.formula.syntax.build import Function, fold, hex_label, number_label
from eic_core.formula.syntax.conditions import FALSE, SPECIAL, TRUE, condition_form
from eic_core.formula.syntax.definitions import inlined, size_of
from eic_core.formula.syntax.names import Names, safe_name, suggestion
from eic_core.formula.syntax.reading import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_NODES,
    Refusal,
    Report,
    replaced,
)
from eic_core.formula.syntax.tokens import DECIMAL
from eic_core.formula.tree import UNDEFINED, VARIABLE, Draft, constant

_TOKENS = re.compile(
    r"(?P<comment>;[^\n]*)|(?P<string>\"(?:[^\"\\]|\\.)*+\")|(?P<bracket>[()\[\]])|(?P<atom>[^\s()\[\]\";]+)"
)
_NUMBER = re.compile(rf"([+-]?)({DECIMAL})\Z")
_DOTTED = re.compile(r"[^\W\d]\w*+[.'?!][\w.'?!]*+\Z")
_FRACTION = re.compile(r"([+-]?)([0-9]++)/([0-9]{1,1000}+)\Z")
_INDEX = re.compile(r"[0-9]{1,4}\Z")
_FOLDED = {"+": "add", "*": "mul", "/": "div", "-": "sub"}
_NOT_READ = {
    **dict.fromkeys(
        "while while* for for* cast isfinite isinf isnan isnormal signbit digits".split(),
        "give a single expression",
    ),
    **dict.fromkeys(("tensor", "tensor*"), "write its elements out, as in `(array x y)`"),
}
_DOTTED_NAME = re.compile(r"[^\W\d]\w*+[.'?!]")
"""A name of which only another spelling can be typed elsewhere; no constant is called so."""
_CALLED = {"sqr": "square", "^": "pow", "**": "pow", "expt": "pow"}
"""Functions by names that only s-expressions have, as older versions of Herbie print them."""
_CONSTANTS = {
    "PI": "pi",
    "E": "e",
    "M_PI": "pi",
    "M_E": "e",
    "TRUE": TRUE,
    "FALSE": FALSE,
    "NAN": UNDEFINED,
}
_OF_CONSTANTS = {
    "LOG2E": "(/ 1 (log 2))",
    "LOG10E": "(/ 1 (log 10))",
    "LN2": "(log 2)",
    "LN10": "(log 10)",
    "PI_2": "(/ PI 2)",
    "PI_4": "(/ PI 4)",
    "M_1_PI": "(/ 1 PI)",
    "M_2_PI": "(/ 2 PI)",
    "M_2_SQRTPI": "(/ 2 (sqrt PI))",
    "SQRT2": "(sqrt 2)",
    "SQRT1_2": "(sqrt 1/2)",
}
"""The other constants of FPCore 2.0 (section 2.3), as expressions of those that are leaves."""
MAX_BINDINGS = 500
_MOST_CALLS = 50
_MOST_CHOICES = 6
"""Most formulas of one text that are offered."""
Span = tuple[int, int]


class SExpression:
    """An atom or a bracketed list of `items`, with its place."""

    __slots__ = ("end", "is_list", "items", "start", "text")

    def __init__(
        self, text: str, start: int, end: int, items: list[SExpression] | None = None
    ) -> None:
        self.text, self.start, self.end, self.items = text, start, end, items or []
        self.is_list = items is not None

    @property
    def span(self) -> Span:
        return (self.start, self.end)

    @property
    def head(self) -> str:
        return self.items[0].text if self.items and not self.items[0].is_list else ""


def _forms(report: Report, start: int, end: int) -> list[SExpression]:
    levels = [SExpression("", start, end, [])]
    for match in _TOKENS.finditer(report.text, start, end):
        kind, text = match.lastgroup, match[0]
        if kind == "comment":
            continue
        if kind == "atom" and "|" in text:
            report.fail("a name in bars is not read", *match.span(), "write it without `|`")
        if kind != "bracket":
            levels[-1].items.append(SExpression(text, *match.span()))
        elif text in "([":
            form = SExpression(text, *match.span(), [])
            levels[-1].items.append(form)
            levels.append(form)
            if len(levels) > MAX_DEPTH:
                report.fail(f"brackets are nested more than {MAX_DEPTH:,} deep", *match.span())
        else:
            closed = levels.pop()
            if not levels or (closed.text == "(") != (text == ")"):
                report.fail_unbalanced("parenthesis", *match.span(), "remove it or open it before")
            closed.end = match.end()
    if len(levels) > 1:
        last = levels[-1]
        closers = "".join(")" if level.text == "(" else "]" for level in reversed(levels[1:]))
        mended = report.text.rstrip() + closers if len(closers) <= 20 else None
        report.fail_unbalanced("parenthesis", last.start, last.start + 1, "close it", mended)
    return levels[0].items


class _Core(NamedTuple):
    """An expression with the name, the arguments and the properties that its form gives it."""

    form: SExpression
    body: SExpression
    name: str = ""
    arguments: tuple[_Argument, ...] = ()
    properties: tuple[tuple[str, SExpression], ...] = ()

    @property
    def is_fpcore(self) -> bool:
        return self.form.head == "FPCore"


class _Argument(NamedTuple):
    name: str
    sizes: tuple[str, ...]  # of an array, along each dimension


def _core(report: Report, form: SExpression) -> _Core:
    """An FPCore, a ``lambda`` or a ``define``; another form is an expression by itself."""
    items = form.items
    if form.head in ("lambda", "define") and len(items) == 3:
        declared = _arguments(items[1])
        if form.head == "lambda" or not declared:
            return _Core(form, items[2], "", declared)
        return _Core(form, items[2], declared[0].name, declared[1:])
    if form.head != "FPCore":
        return _Core(form, form)
    place, name = 1, ""
    arguments: tuple[_Argument, ...] = ()
    properties: list[tuple[str, SExpression]] = []
    if len(items) > 1 and not items[1].is_list and not items[1].text.startswith(":"):
        name, place = items[1].text, 2
    if place < len(items) and items[place].is_list:
        arguments = _arguments(items[place])
        place += 1
    while place + 2 <= len(items) and items[place].text.startswith(":"):
        properties.append((items[place].text, items[place + 1]))
        place += 2
    if place + 1 != len(items):
        report.fail("an FPCore ends in one expression", *form.span, "as in `(FPCore (x) (+ x 1))`")
    return _Core(form, items[place], name, arguments, tuple(properties))


def _arguments(form: SExpression) -> tuple[_Argument, ...]:
    """An FPCore's arguments: ``x``, ``(! :precision binary32 x)``, ``(A 3)``."""
    found: dict[str, _Argument] = {}
    for item in form.items:
        parts = item.items if item.is_list else [item]
        if item.head == "!":
            parts = parts[1:]
            while len(parts) > 2 and parts[0].text.startswith(":"):
                parts = parts[2:]
        if parts and not parts[0].is_list and not _NUMBER.match(parts[0].text):
            sizes = tuple([part.text for part in parts[1:]])
            found[parts[0].text] = _Argument(parts[0].text, sizes)
    return tuple(found.values())


def read_sexpr(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of an FPCore or a bare s-expression, with ``let`` and the functions beside it
    written out. Raises `FormulaError` if it is no formula, or holds a loop.
    """
    cores = [_core(report, form) for form in _forms(report, start, end)]
    if not cores:
        report.fail("there is no formula", start, end, "write one, such as `(+ x 1)`")
    main = _main(report, cores)
    declared = [name for one in main.arguments for name in (one.name, *one.sizes)]
    names.declare(
        [name for name in declared if not name[0].isdigit() and not _DOTTED_NAME.match(name)]
    )
    numbers = tuple([one.name for one in main.arguments if not one.sizes])
    for name, value in main.properties:
        if name == ":pre":
            _keep_ranges(report, names, value, numbers)
    return _Builder(report, names, main.is_fpcore, cores).build(main)


def _main(report: Report, cores: list[_Core]) -> _Core:
    """The one formula that no other calls. Raises `FormulaError` with the choice of several."""
    calls: list[set[str]] = []
    for core in cores:
        calls.append(set())
        todo = [core.body]
        while todo:
            form = todo.pop()
            todo += form.items
            calls[-1].add(form.head)
    callers = Counter(head for heads in calls for head in heads)
    main = [
        core
        for core, heads in zip(cores, calls, strict=True)
        if not core.name or callers[core.name] == (core.name in heads)
    ]
    if len(main) > 1:
        places = [core.form.span for core in main]
        choices = []
        for place, core in enumerate(main[:_MOST_CHOICES]):
            others = [(low, high, "") for low, high in places if (low, high) != places[place]]
            label = f"`{core.name[:40]}`" if core.name else f"formula {place + 1}"
            choices.append((label, replaced(report.text, others).strip()))
        report.fail(
            "there are several formulas: which is meant?",
            *places[1],
            "give a single one",
            choices=tuple(choices),
        )
    return main[0] if main else cores[-1]


def _keep_ranges(
    report: Report, names: Names, condition: SExpression, arguments: tuple[str, ...]
) -> None:
    """Keep the ranges of a precondition, and say so."""
    ranges = stated_ranges(condition, arguments)
    bounded = ranges.bounded(arguments)
    spelled = [name if names.is_column(name) else safe_name(name) for name, _, _ in bounded]
    report.domain = tuple(
        (names.leaf(name, condition.span).label, low, high)
        for name, (_, low, high) in zip(spelled, bounded, strict=True)
    )
    if report.domain:
        shown = wording.join(
            [f"`{name}` from {low:g} to {high:g}" for name, low, high in report.domain], limit=12
        )
        report.note(f"`:pre` gives the range of {shown}", condition.span)
    if not ranges.complete or len(bounded) < len({*ranges.low, *ranges.high}):
        what = "what else" if report.domain else "what"
        told = f"{what} `:pre` demands is no range with two ends and is not kept"
        report.note(told, condition.span)


_BOUND = re.compile(rf"[+-]?(?:{DECIMAL}|[0-9]{{1,400}}+/[0-9]{{1,400}}+)\Z")
_RISING, _FALLING = ("<", "<="), (">", ">=")
_BOUNDS_BY_NAME = {"PI": math.pi, "E": math.e}
_LONGEST_BOUND = 400


@dataclass
class StatedRanges:
    """What a precondition says of each variable alone."""

    # low, high: the largest lower and the smallest upper bound that is stated
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    complete: bool = True  # Whether it says nothing else

    def bounded(self, names: Collection[str]) -> list[tuple[str, float, float]]:
        """Those of `names` that lie between two numbers, with these."""
        both = [(n, self.low[n], self.high[n]) for n in names if n in self.low and n in self.high]
        return [each for each in both if each[1] <= each[2]]


def stated_ranges(condition: SExpression, arguments: Collection[str]) -> StatedRanges:
    """The ranges that an FPCore's ``:pre`` states: ``(<= 1 x 10)``, ``(< 0 x)``, ``and`` of them.
    Numbers bound the variables between them, in a chain of any length. Other preconditions, such as
    ``(< x y)`` or ``(or …)``, give no range.
    """
    found = StatedRanges()
    todo = [condition]
    while todo:
        form = todo.pop()
        items = form.items
        if not form.is_list:
            found.complete &= form.text == "TRUE"
        elif form.head == "and":
            todo += items[1:]
        elif form.head in _RISING:
            _take_bounds(found, items[1:], arguments)
        elif form.head in _FALLING:
            _take_bounds(found, items[:0:-1], arguments)
        else:
            found.complete = False
    return found


def _take_bounds(
    found: StatedRanges, rising: Sequence[SExpression], arguments: Collection[str]
) -> None:
    """Take in a chain whose members grow from left to right."""
    values = [None if form.text in arguments else _bound_of(form) for form in rising]
    names = [_bounded_variable(form, arguments) for form in rising]
    for bounds, choose, step in ((found.low, max, 1), (found.high, min, -1)):
        last = None
        for value, (name, absolute) in zip(values[::step], names[::step], strict=True):
            last = value if value is not None else last
            if not name or last is None:
                continue
            bounds[name] = choose(bounds.get(name, last), last)
            if absolute and step < 0:
                found.low[name] = max(found.low.get(name, -last), -last)
    alone = sum(bool(name) for name, _ in names) == 1
    found.complete &= alone and values.count(None) == 1


def _bounded_variable(form: SExpression, arguments: Collection[str]) -> tuple[str, bool]:
    """The variable that a form is, or that it is the absolute value of; ("", False) for others."""
    absolute = form.head in ("fabs", "abs") and len(form.items) == 2
    name = form.items[1].text if absolute else form.text
    return (name, absolute) if name in arguments else ("", False)


def _bound_of(form: SExpression) -> float | None:
    """The number that a form is, if it is one in double range."""
    sign = 1.0
    if form.head == "-" and len(form.items) == 2:
        form, sign = form.items[1], -1.0
    text = form.text
    if text in _BOUNDS_BY_NAME:
        return sign * _BOUNDS_BY_NAME[text]
    if len(text) > _LONGEST_BOUND or not _BOUND.match(text):
        return None
    try:
        value = float(Fraction(text))
    except (OverflowError, ZeroDivisionError, ValueError):
        return None
    return sign * value if math.isfinite(value) else None


def _fraction_label(text: str) -> str:
    """The label of a fraction of whole numbers, "" if the text is none.

    >>> _fraction_label("-01/3"), _fraction_label("1/0"), _fraction_label("0/2")
    ('-1/3', '', '0/2')
    """
    match = _FRACTION.match(text)
    if match is None or not int(match[3]):
        return ""
    over = match[2].lstrip("0") or "0"
    return f"{match[1].replace('+', '')}{over}/{match[3]}" if len(over) <= MAX_DIGITS else ""


def read_form(report: Report, names: Names, form: SExpression) -> Draft:
    """The tree of one form. Raises `FormulaError` if it is no formula, or holds a loop."""
    return _Builder(report, names).build(_Core(form, form))


class _Array(NamedTuple):
    """An array that an FPCore takes, or a row of it: each element is a variable."""

    name: str
    sizes: tuple[str, ...]


Sized = tuple[Draft, int]
Value = Sized | _Array | list[Any]
"""A draft with its number of nodes, or an array of values."""
Scope = dict[str, Value]
Task = Generator[Any, Any, Value]


def run(task: Generator[Any, Any, Any]) -> Any:
    """What a task returns that yields the tasks it waits for: deep forms would exceed the limit of
    recursion.
    """
    stack, value = [task], None
    while stack:
        try:
            stack.append(stack[-1].send(value))
            value = None
        except StopIteration as done:
            stack.pop()
            value = done.value
    return value


class _Builder:
    """Evaluates forms to drafts; `cores` are the functions that stand beside the formula."""

    def __init__(
        self, report: Report, names: Names, of_core: bool = False, cores: Sequence[_Core] = ()
    ) -> None:
        self.report = report
        self.names = names
        self.of_core = of_core  # whether an FPCore declared its arguments
        self.cores = {core.name: core for core in cores if core.name}
        self.opened: list[str] = []  # the functions whose bodies are being read
        self.plain_names: dict[str, str] = {}

    def build(self, core: _Core) -> Draft:
        arrays = {one.name: _Array(*one) for one in core.arguments if one.sizes}
        return self.number(core.body, run(self.value(core.body, dict(arrays))))[0]

    def function(self, name: str, span: Span) -> Function:
        """The function that a form beside the formula defines."""
        core = self.cores[name]
        if name in self.opened:
            hint = "write out what it is, without calling it"
            self.report.fail(f"`{name[:40]}` is defined by itself", *span, hint)
        if len(self.opened) >= _MOST_CALLS:
            told = f"functions call each other more than {_MOST_CALLS} deep"
            self.report.fail(told, *span, "write some of them out")
        arguments = [one.name for one in core.arguments]
        slots = [Draft(VARIABLE, [], one, None, core.form.span) for one in arguments]
        self.opened.append(name)
        scope: Scope = {one: (slot, 1) for one, slot in zip(arguments, slots, strict=True)}
        body, _ = self.number(core.body, run(self.value(core.body, scope)))
        self.opened.pop()
        self.report.note(f"`{name[:40]}` is replaced by what it stands for", core.form.span)
        places = {id(slot): place for place, slot in enumerate(slots)}
        return inlined(name, len(slots), body, places)

    def number(self, form: SExpression, value: Value) -> Sized:
        if isinstance(value, tuple) and not isinstance(value, _Array):
            return value
        hint = "take one of its elements, as in `(ref A 0)`"
        self.report.fail("an array stands where a number is wanted", *form.span, hint)

    def value(self, form: SExpression, scope: Scope) -> Task:
        if not form.is_list:
            return scope[form.text] if form.text in scope else (self.atom(form), 1)
        items, head = form.items, form.head
        if not items:
            self.report.fail("nothing between these parentheses", *form.span, "write an operand")
        if head in ("let", "let*"):
            return (yield self.let(form, scope))
        if head == "!" or (len(items) == 1 and items[0].is_list):
            return (yield self.value(items[-1], scope))
        if head in _NOT_READ and head not in self.cores:
            self.report.fail(f"`{head}` is not supported", *items[0].span, _NOT_READ[head])
        values: list[Value] = []
        for item in items[1:]:
            values.append((yield self.value(item, scope)))
        if head == "array":
            return values
        if head in ("ref", "size", "dim") and values and head not in self.cores:
            return self.element(form, values[0])
        sized = [self.number(item, value) for item, value in zip(items[1:], values, strict=True)]
        size = 1 + sum([count for _, count in sized])
        if size > MAX_NODES:
            told = f"the formula has more than {MAX_NODES:,} nodes"
            self.report.fail(told, *form.span, "expand fewer `let`s")
        draft = self.call(form, [draft for draft, _ in sized])
        return draft, size_of(draft) if head in self.cores else size

    def let(self, form: SExpression, scope: Scope) -> Task:
        """``let``, whose values are those of the scope around it, or ``let*``, one by one."""
        pairs = form.items[1].items if len(form.items) == 3 and form.items[1].is_list else None
        if pairs is None or not all(len(p.items) == 2 and not p.items[0].is_list for p in pairs):
            hint = "as in `(let ([a (+ x 1)]) (* a a))`"
            self.report.fail("this `let` is not well formed", *form.span, hint)
        wider = dict(scope)
        if len(wider) + len(pairs) > MAX_BINDINGS:
            self.report.fail(f"more than {MAX_BINDINGS} names are bound", *form.span, "use fewer")
        for pair in pairs:
            around = wider if form.head == "let*" else scope
            wider[pair.items[0].text] = yield self.value(pair.items[1], around)
        return (yield self.value(form.items[2], wider))

    def element(self, form: SExpression, array: Value) -> Value:
        """``(ref A 0 1)``, and the lengths that ``(size A 0)`` and ``(dim A)`` tell."""
        written = form.items[2:]
        for item in written:
            if item.is_list or not _INDEX.match(item.text):
                hint = "write a whole number, as in `(ref A 0)`"
                self.report.fail("this index of an array is no number", *item.span, hint)
        places, sizes = [int(item.text) for item in written], _sizes(array)
        if form.head == "dim" and sizes:
            return constant(str(len(sizes)), form.span), 1
        if form.head == "size" and len(places) == 1 and places[0] < len(sizes):
            return self.atom(SExpression(sizes[places[0]], *form.span)), 1
        for place in places if form.head == "ref" else ():
            sizes = _sizes(array)
            if not sizes or sizes[0].isdigit() and place >= int(sizes[0]):
                break
            if isinstance(array, _Array):
                array = _Array(f"{array.name}_{place}", array.sizes[1:])
            elif isinstance(array, list):
                array = array[place]
        else:
            if isinstance(array, _Array) and not array.sizes:
                return self.names.leaf(array.name, form.span), 1
            if places:
                return array
        self.report.fail("the array has no such element", *form.span, "as in `(ref A 0)`")

    def call(self, form: SExpression, args: list[Draft]) -> Draft:
        head, span, place = form.head, form.span, form.items[0].span
        try:
            if head in self.cores:
                function: Function | None = self.function(head, place)
            elif head in _FOLDED and args:
                if len(args) == 1 and head == "-":
                    return Draft("neg", args, span=span)
                if len(args) == 1 and head == "/":
                    self.report.fail("`/` needs two operands", *place, "as in `(/ 1 x)`")
                return fold(_FOLDED[head], args, span)
            elif (condition := condition_form(head, args, span)) is not None:
                return condition
            else:
                function = self.names.function(_CALLED.get(head, head))
            if function is None:
                shown = head[:40] or "(…)"
                self.report.fail(f"unknown function `{shown}`", *place, suggestion(head))
            if not function.low <= len(args) <= function.high:
                self.report.fail(f"`{head}` has {len(args)} operands", *span, "check their number")
            if function.note:
                self.report.note(function.note, span)
            return function.build(args, span)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)

    def atom(self, form: SExpression) -> Draft:
        text, span = form.text, form.span
        names, is_column = self.names, self.names.is_column(form.text)
        try:
            if match := _NUMBER.match(text):
                return constant(match[1].replace("+", "") + number_label(match[2]), span)
            is_hex = text.lstrip("+-")[:2] in ("0x", "0X", "#x")
            if label := _fraction_label(text) or (hex_label(text) if is_hex else ""):
                return constant(label, span)
            if is_column:
                return names.leaf(text, span)
            if text in _CONSTANTS:
                names.special |= _CONSTANTS[text] in SPECIAL
                return constant(_CONSTANTS[text], span)
            if text in _OF_CONSTANTS:
                self.report.note(f"`{text}` is read as `{_OF_CONSTANTS[text]}`", span)
                return self.of_constants(_OF_CONSTANTS[text], span)
            if not re.match(r"[^\W\d]", text):
                told = f"`{text[:40]}` is neither a number nor a name"
                self.report.fail(told, *span, "correct it")
            if _DOTTED.match(text):
                return self.dotted(text, span)
            if self.of_core and not names.is_known(text):
                self.report.note(
                    f"`{text[:40]}` is none of this FPCore's arguments: it is read as a variable",
                    span,
                )
            return names.leaf(text, span)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)

    def of_constants(self, written: str, span: Span) -> Draft:
        """The draft of a constant's expression, which stands where the constant does."""
        form = _forms(Report(written), 0, len(written))[0]
        todo = [form]
        while todo:
            part = todo.pop()
            part.start, part.end = span
            todo += part.items
        return read_form(self.report, self.names, form)

    def dotted(self, text: str, span: Span) -> Draft:
        """A name such as ``x.re``, which is ``x_re`` here."""
        plain_name = safe_name(text)
        if self.plain_names.setdefault(plain_name, text) != text:
            self.report.fail(
                f"`{text[:40]}` and `{self.plain_names[plain_name][:40]}` would have one name here",
                *span,
                "rename one of them",
            )
        self.report.note(f"`{text[:40]}` is called `{plain_name[:40]}` here", span)
        return self.names.leaf(plain_name, span)


def _sizes(array: Value) -> tuple[str, ...]:
    """The sizes of an array along each dimension, () of a number."""
    sizes: tuple[str, ...] = ()
    while isinstance(array, list) and array:
        sizes = (*sizes, str(len(array)))
        array = array[0]
    return (*sizes, *array.sizes) if isinstance(array, _Array) else sizes
