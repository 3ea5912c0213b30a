"""Reads FPCore and other s-expressions, such as `(+ x 1)`, and the ranges that an FPCore states.
Standard: FPCore 2.0, https://fpbench.org/spec/fpcore-2.0.html.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from eic_core import wording
from eic_core.formula.syntax.build import FUNCTIONS, fold, hex_label, number_label
from eic_core.formula.syntax.conditions import FALSE, SPECIAL, TRUE, condition_form
from eic_core.formula.syntax.names import Names, safe_name, suggestion
from eic_core.formula.syntax.reading import MAX_DEPTH, MAX_DIGITS, MAX_NODES, Refusal, Report
from eic_core.formula.syntax.tokens import DECIMAL
from eic_core.formula.tree import UNDEFINED, Draft, constant

_TOKENS = re.compile(
    r"(?P<comment>;[^\n]*)|(?P<string>\"(?:[^\"\\]|\\.)*+\")|(?P<bracket>[()\[\]])|(?P<atom>[^\s()\[\]\";]+)"
)
_NUMBER = re.compile(rf"([+-]?)({DECIMAL})\Z")
_DOTTED = re.compile(r"[^\W\d]\w*+[.'?!][\w.'?!]*+\Z")
_FRACTION = re.compile(r"([+-]?)([0-9]++)/([0-9]{1,1000}+)\Z")
_FOLDED = {"+": "add", "*": "mul", "/": "div", "-": "sub"}
_CONTROL = frozenset(
    (
        "while while* for for* tensor tensor* cast array dim size ref isfinite isinf isnan isnormal"
        " signbit digits"
    ).split()
)
_DOTTED_NAME = re.compile(r"[^\W\d]\w*+[.'?!]")
"""A name of which only another spelling can be typed elsewhere; no constant is called so."""
_HERBIE = {"sqr": "square"}
"""Functions that older versions of Herbie print."""
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
Span = tuple[int, int]
Sized = tuple[Draft, int]


class _Form:
    """An atom (`items` is None) or a bracketed list, with its place."""

    __slots__ = ("end", "items", "start", "text")

    def __init__(self, text: str, start: int, end: int, items: list[_Form] | None = None) -> None:
        self.text, self.start, self.end, self.items = text, start, end, items

    @property
    def span(self) -> Span:
        return (self.start, self.end)

    @property
    def head(self) -> str:
        return self.items[0].text if self.items and self.items[0].items is None else ""


def _forms(report: Report, start: int, end: int) -> list[_Form]:
    levels: list[_Form] = [_Form("", start, end, [])]
    for match in _TOKENS.finditer(report.text, start, end):
        kind, text = match.lastgroup, match[0]
        if kind == "comment":
            continue
        items = levels[-1].items
        assert items is not None
        if kind != "bracket":
            items.append(_Form(text, *match.span()))
        elif text in "([":
            form = _Form(text, match.start(), match.end(), [])
            items.append(form)
            levels.append(form)
            if len(levels) > MAX_DEPTH:
                report.fail(f"brackets are nested more than {MAX_DEPTH:,} deep", *match.span())
        else:
            closed = levels.pop()
            if not levels or (closed.text == "(") != (text == ")"):
                report.fail_unbalanced(
                    "parenthesis",
                    *match.span(),
                    "remove it or open it before",
                )
            closed.end = match.end()
    if len(levels) > 1:
        last = levels[-1]
        closers = "".join(")" if level.text == "(" else "]" for level in reversed(levels[1:]))
        report.fail_unbalanced(
            "parenthesis",
            last.start,
            last.start + 1,
            "close it",
            report.text.rstrip() + closers if len(closers) <= 20 else None,
        )
    return levels[0].items or []


def read_sexpr(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of an FPCore or a bare s-expression, ``let`` expanded. Raises `FormulaError` if it
    is no formula, or holds a loop.
    """
    forms = _forms(report, start, end)
    if not forms:
        report.fail("there is no formula", start, end, "write one, such as `(+ x 1)`")
    if len(forms) > 1:
        report.fail("more than one expression", *forms[1].span, "give a single one")
    body = forms[0]
    builder = _Builder(report, names)
    if body.head == "FPCore":
        body = _core_body(report, names, body)
        builder.of_core = True
    elif body.head in ("lambda", "define") and body.items is not None and len(body.items) == 3:
        declared = _arguments(body.items[1])[body.head == "define" :]
        names.declare([name for name in declared if not _DOTTED_NAME.match(name)])
        body = body.items[2]
    return builder.build(body)


def _core_body(report: Report, names: Names, core: _Form) -> _Form:
    """The expression of an FPCore; its arguments are declared, the ranges of its ``:pre`` kept."""
    items = core.items or []
    place, count = 1, len(items)
    if place < count and items[place].items is None and not items[place].text.startswith(":"):
        place += 1  # its name
    arguments: tuple[str, ...] = ()
    if place < count and items[place].items is not None:
        arguments = _arguments(items[place])
        names.declare([name for name in arguments if not _DOTTED_NAME.match(name)])
        place += 1
    while place + 2 <= count and items[place].text.startswith(":"):
        if items[place].text == ":pre":
            _keep_ranges(report, names, items[place + 1], arguments)
        place += 2
    if place + 1 != count:
        report.fail("an FPCore ends in one expression", *core.span, "as in `(FPCore (x) (+ x 1))`")
    return items[place]


def _arguments(form: _Form) -> tuple[str, ...]:
    """The names of an FPCore's arguments: ``x``, ``(! :precision binary32 x)``, ``(A 3)``."""
    found: dict[str, None] = {}
    for item in form.items or []:
        name = item
        if item.items:
            name = item.items[-1 if item.head == "!" else 0]
        if name.items is None and not _NUMBER.match(name.text):
            found[name.text] = None
    return tuple(found)


def _keep_ranges(
    report: Report, names: Names, condition: _Form, arguments: tuple[str, ...]
) -> None:
    """Keep the ranges of a precondition, and say so."""
    ranges = stated_ranges(condition, arguments)
    bounded = ranges.bounded(arguments)
    report.domain = tuple(
        (
            names.leaf(name if names.is_column(name) else safe_name(name), condition.span).label,
            low,
            high,
        )
        for name, low, high in bounded
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


def stated_ranges(condition: _Form, arguments: Collection[str]) -> StatedRanges:
    """The ranges that an FPCore's ``:pre`` states: ``(<= 1 x 10)``, ``(< 0 x)``, ``and`` of them.
    Numbers bound the variables between them, in a chain of any length. Other preconditions, such as
    ``(< x y)`` or ``(or …)``, give no range.
    """
    found = StatedRanges()
    todo = [condition]
    while todo:
        form = todo.pop()
        items = form.items
        if items is None:
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


def _take_bounds(found: StatedRanges, rising: Sequence[_Form], arguments: Collection[str]) -> None:
    """Take in a chain whose members grow from left to right."""
    values = [None if form.text in arguments else _bound_of(form) for form in rising]
    names = [_bounded_variable(form, arguments) for form in rising]
    last = None
    for value, (name, _) in zip(values, names, strict=True):
        last = value if value is not None else last
        if name and last is not None:
            found.low[name] = max(found.low.get(name, last), last)
    last = None
    for value, (name, absolute) in zip(reversed(values), reversed(names), strict=True):
        last = value if value is not None else last
        if name and last is not None:
            found.high[name] = min(found.high.get(name, last), last)
            if absolute:
                found.low[name] = max(found.low.get(name, -last), -last)
    alone = sum(bool(name) for name, _ in names) == 1
    known = sum(value is not None for value in values)
    found.complete &= alone and known == len(values) - 1


def _bounded_variable(form: _Form, arguments: Collection[str]) -> tuple[str, bool]:
    """The variable that a form is, or that it is the absolute value of; ("", False) for others."""
    if form.items is None:
        return (form.text, False) if form.text in arguments else ("", False)
    if form.head in ("fabs", "abs") and len(form.items) == 2 and form.items[1].text in arguments:
        return form.items[1].text, True
    return "", False


def _bound_of(form: _Form) -> float | None:
    """The number that a form is, if it is one in double range."""
    sign, items = 1.0, form.items
    if items is not None:
        if form.head != "-" or len(items) != 2:
            return None
        form, sign = items[1], -1.0
    text = form.text
    if form.items is None and text in _BOUNDS_BY_NAME:
        return sign * _BOUNDS_BY_NAME[text]
    if form.items is not None or len(text) > _LONGEST_BOUND or not _BOUND.match(text):
        return None
    try:
        value = float(Fraction(text)) if "/" in text else float(text)
    except (OverflowError, ZeroDivisionError):
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


def _is_pair(form: _Form) -> bool:
    """Whether a form is ``(name value)``."""
    return form.items is not None and len(form.items) == 2 and form.items[0].items is None


Form = _Form
"""What another notation builds whose meaning is that of s-expressions."""


def read_form(report: Report, names: Names, form: Form) -> Draft:
    """The tree of one form. Raises `FormulaError` if it is no formula, or holds a loop."""
    return _Builder(report, names).build(form)


class _Builder:
    """Evaluates forms to drafts over explicit stacks: no recursion."""

    def __init__(self, report: Report, names: Names) -> None:
        self.report = report
        self.names = names
        self.done: list[Sized] = []
        self.todo: list[tuple[Any, ...]] = []
        self.plain_names: dict[str, str] = {}
        self.of_core = False  # whether an FPCore declared its arguments

    def build(self, body: _Form) -> Draft:
        self.todo.append(("form", body, {}))
        while self.todo:
            task = self.todo.pop()
            if task[0] == "form":
                self.form(task[1], task[2])
            elif task[0] == "apply":
                self.apply(task[1], task[2])
            else:
                self.bind(task[1], task[2], task[3], task[4])
        return self.done[0][0]

    def form(self, form: _Form, scope: dict[str, Sized]) -> None:
        if form.items is None:
            self.done.append(scope[form.text] if form.text in scope else (self.atom(form), 1))
            return
        head = form.head
        if not form.items:
            self.report.fail("nothing between these parentheses", *form.span, "write an operand")
        if head in ("let", "let*"):
            self.let(form, scope, head == "let*")
        elif head == "!":
            self.todo.append(("form", form.items[-1], scope))
        elif head in _CONTROL:
            self.report.fail(
                f"`{head}` is not supported", *form.items[0].span, "give a single expression"
            )
        elif len(form.items) == 1 and form.items[0].items is not None:
            self.todo.append(("form", form.items[0], scope))
        else:
            self.todo.append(("apply", form, len(self.done)))
            self.todo.extend(("form", item, scope) for item in reversed(form.items[1:]))

    def let(self, form: _Form, scope: dict[str, Sized], one_by_one: bool) -> None:
        """Plan a ``let``: its values in `scope`, its body in the wider one."""
        items = form.items or []
        pairs = items[1].items if len(items) == 3 else None
        if pairs is None or not all(_is_pair(pair) for pair in pairs):
            self.report.fail(
                "this `let` is not well formed", *form.span, "as in `(let ([a (+ x 1)]) (* a a))`"
            )
        self.todo.append(("bind", form, pairs, scope, (one_by_one, 0, len(self.done))))
        first = pairs[:1] if one_by_one else pairs
        self.todo.extend(("form", (pair.items or [])[1], scope) for pair in reversed(first))

    def bind(
        self, form: _Form, pairs: list[_Form], scope: dict[str, Sized], state: tuple[bool, int, int]
    ) -> None:
        """Put evaluated values into scope; go on to the next pair or the body."""
        one_by_one, place, base = state
        wider = dict(scope)
        if len(wider) > MAX_BINDINGS:
            self.report.fail(f"more than {MAX_BINDINGS} names are bound", *form.span, "use fewer")
        values = self.done[base:]
        del self.done[base:]
        for offset, value in enumerate(values):
            wider[(pairs[place + offset].items or [])[0].text] = value
        place += len(values)
        if one_by_one and place < len(pairs):
            self.todo.append(("bind", form, pairs, wider, (True, place, base)))
            self.todo.append(("form", (pairs[place].items or [])[1], wider))
        else:
            self.todo.append(("form", (form.items or [])[2], wider))

    def apply(self, form: _Form, base: int) -> None:
        """Apply an operator to the values on the stack."""
        values = self.done[base:]
        del self.done[base:]
        size = 6 + sum(count for _, count in values)
        if size > MAX_NODES + 6:
            self.report.fail(
                f"the formula has more than {MAX_NODES:,} nodes", *form.span, "expand fewer `let`s"
            )
        self.done.append((self.call(form, [draft for draft, _ in values]), size - 5))

    def call(self, form: _Form, args: list[Draft]) -> Draft:
        head, span = form.head, form.span
        place = (form.items or [form])[0].span
        if head in _FOLDED and args:
            if len(args) == 1:
                if head == "-":
                    return Draft("neg", args, span=span)
                if head == "/":
                    self.report.fail("`/` needs two operands", *place, "as in `(/ 1 x)`")
                return args[0]
            return fold(_FOLDED[head], args, span)
        condition = condition_form(head, args, span)
        if condition is not None:
            return condition
        try:
            named = _HERBIE.get(head, head)
            is_power = head in ("^", "**", "expt")
            function = FUNCTIONS["pow"] if is_power else self.names.function(named)
            if function is None:
                shown = head[:40] or "(…)"
                self.report.fail(f"unknown function `{shown}`", *place, suggestion(head))
            if not function.low <= len(args) <= function.high:
                self.report.fail(f"`{head}` has {len(args)} operands", *span, "check their number")
            return function.build(args, span)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)

    def atom(self, form: _Form) -> Draft:
        text, span = form.text, form.span
        try:
            match = _NUMBER.match(text)
            if match:
                return constant(match[1].replace("+", "") + number_label(match[2]), span)
            fraction = _fraction_label(text)
            if fraction:
                return constant(fraction, span)
            hexadecimal = hex_label(text) if text.lstrip("+-")[:2] in ("0x", "0X", "#x") else ""
            if hexadecimal:
                return constant(hexadecimal, span)
            if text in _CONSTANTS and not self.names.is_column(text):
                self.names.special |= _CONSTANTS[text] in SPECIAL
                return constant(_CONSTANTS[text], span)
            if text in _OF_CONSTANTS and not self.names.is_column(text):
                self.report.note(f"`{text}` is read as `{_OF_CONSTANTS[text]}`", span)
                return self.of_constants(_OF_CONSTANTS[text], span)
            if not re.match(r"[^\W\d]", text) and not self.names.is_column(text):
                self.report.fail(
                    f"`{text[:40]}` is neither a number nor a name", *span, "correct it"
                )
            if not self.names.is_column(text) and _DOTTED.match(text):
                return self.dotted(text, span)
            if self.of_core and not self.names.is_known(text):
                self.report.note(
                    f"`{text[:40]}` is none of this FPCore's arguments: it is read as a variable",
                    span,
                )
            return self.names.leaf(text, span)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)

    def of_constants(self, written: str, span: Span) -> Draft:
        """The draft of a constant's expression, which stands where the constant does."""
        form = _forms(Report(written), 0, len(written))[0]
        todo = [form]
        while todo:
            part = todo.pop()
            part.start, part.end = span
            todo += part.items or []
        return _Builder(self.report, self.names).build(form)

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
