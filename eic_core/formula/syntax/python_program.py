"""Reads programs of Python with Python's own parser: functions, lambdas, and lines that give names.
Nothing is compiled or run. The parser's tree has places in bytes of a line; here they are offsets
in the user's text. A ``^`` is read as a power, as in every formula here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from eic_core import wording
from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.names import CONSTANT_NAMES
from eic_core.formula.syntax.python_source import Formulas, PythonText
from eic_core.formula.syntax.reading import Report
from eic_core.formula.syntax.statements import (
    IDENTIFIER,
    Constant,
    FunctionBody,
    Program,
    Statement,
    needed,
    program_of,
    refuse_assignment,
    refuse_statement,
    with_constants,
    words_in,
)

_WORD = re.compile(IDENTIFIER)
_IMPORTS = (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal)
_DECLARES = frozenset(("symbols", "Symbol", "var"))
Function_ = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def read_python(report: Report, start: int, end: int) -> Program | None:
    """The program, None if the text is no Python, or a single line that gives or is a formula.
    Raises `FormulaError` if it holds a loop, a condition as a statement, or returns nothing.
    """
    try:
        source = PythonText(report, start, end)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _Module(report, source).program()


class _Module:
    """The functions of a text, and its lines outside them."""

    def __init__(self, report: Report, source: PythonText) -> None:
        self.report = report
        self.source = source
        self.formulas = Formulas(source)
        self.blocks: list[FunctionBody] = []
        self.above: list[Constant] = []

    def program(self) -> Program | None:
        body = self.source.body
        functions = [_function(node) for node in body]
        if not any(functions):
            return self.of_lines(body)
        known = set(CONSTANT_NAMES)
        last = max(place for place, function in enumerate(functions) if function is not None)
        for place, (node, function) in enumerate(zip(body, functions, strict=True)):
            if function is not None:
                self.function(node, function, ())
            elif isinstance(node, ast.ClassDef):
                self.refuse_class(node)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and place < last:
                self.constant(node, known)
            elif isinstance(node, ast.AugAssign) and place < last:
                self.refuse_assignment(node.target)
        self.main([node for node, function in zip(body, functions, strict=True) if not function])
        for block in self.blocks:
            with_constants(self.report, self.above, block)
        return program_of(self.report, self.blocks, "infix", python=self.formulas)

    def of_lines(self, body: Sequence[ast.stmt]) -> Program | None:
        """Lines that give names, the last of which is, or gives, the formula; None for others."""
        lines = [node for node in body if not self.says_nothing(node)]
        given = [isinstance(node, (ast.Assign, ast.AnnAssign)) for node in lines]
        if len(lines) < 2 or not all(given[:-1]):
            if lines and isinstance(lines[0], ast.ClassDef):
                self.refuse_class(lines[0])
            return None
        text, last = self.report.text, self.source.span(lines[-1])
        names = {
            self.source.written(node.targets[0]) for node in lines if isinstance(node, ast.Assign)
        }
        goes_on = text[last[0]] in "+-([{" and names.isdisjoint(
            words_in(self.report, Statement("", *last))
        )
        if goes_on or "<-" in text[self.source.span(lines[0])[0] : last[1]]:
            return None  # in other languages, and where people write by hand
        block = FunctionBody(self.report, (self.source.span(lines[0])[0], last[1]))
        self.statements(block, lines)
        return program_of(self.report, [block], "infix", python=self.formulas)

    def says_nothing(self, node: ast.stmt) -> bool:
        """Whether a line imports, declares SymPy's symbols or holds a docstring."""
        if isinstance(node, _IMPORTS):
            return True
        value = getattr(node, "value", None)
        if isinstance(node, ast.Expr):
            return isinstance(value, ast.Constant) and isinstance(value.value, (str, type(...)))
        head = value.func if isinstance(value, ast.Call) else None
        called = getattr(head, "attr", getattr(head, "id", ""))
        return isinstance(node, ast.Assign) and called in _DECLARES

    def constant(self, node: ast.Assign | ast.AnnAssign, known: set[str]) -> None:
        """Keep a line above a function that gives a number."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if node.value is None or self.says_nothing(node) or not self.is_formula(node.value):
            return
        for target in targets:
            if isinstance(target, ast.Name):
                statement = self.statement(self.source.written(target), node.value)
                if words_in(self.report, statement) <= known:
                    known.add(statement.name)
                    self.above.append((statement, self.source.span(node)[0]))

    def is_formula(self, value: ast.expr) -> bool:
        """Whether each call in a value is one of a function of formulas, as none of data is."""
        calls = [each.func for each in ast.walk(value) if isinstance(each, ast.Call)]
        called = [getattr(head, "attr", getattr(head, "id", "")) for head in calls]
        names = {block.name for block in self.blocks}
        return all(name in names or name.lower() in FUNCTIONS for name in called)

    def main(self, lines: Sequence[ast.stmt]) -> None:
        """A formula behind the functions that holds a call of one, and is more than the call."""
        names = {block.name for block in self.blocks}
        given = FunctionBody(self.report, (0, 0))
        for node in lines:
            value = getattr(node, "value", None)
            if not isinstance(node, (ast.Assign, ast.Expr)) or not isinstance(value, ast.expr):
                continue
            if not self.is_formula(value):
                continue
            calls = [each.func for each in ast.walk(value) if isinstance(each, ast.Call)]
            named = [each.id for each in calls if isinstance(each, ast.Name)]
            if not names.isdisjoint(named) and not isinstance(value, ast.Call):
                block = FunctionBody(self.report, self.source.span(node))
                self.statements(block, [node])
                block.statements[:0] = needed(self.report, given.statements, block.statements)
                self.blocks.append(block)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.fill(given, [node])

    def function(self, node: ast.stmt, function: Function_, outer: Sequence[str]) -> None:
        """Keep a function, whose formula may not need the names `outer`."""
        span, source = self.source.span(node), self.source
        block = FunctionBody(self.report, span)
        arguments = function.args
        names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        block.arguments = [_name(source, each) for each in names]
        self.note_defaults(block, function, span[0])
        if isinstance(function, ast.Lambda):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                block.name = source.written(node.targets[0])
                block.heads.append((block.name, (span[0], source.span(function.body)[0])))
            block.add(self.statement(block.name, function.body), True)
            block.finish(True)
        else:
            block.name = block.called = function.name
            self.statements(block, function.body)
        free = words_in(self.report, *block.statements) - set(block.arguments)
        if not free.isdisjoint(outer):
            told = "a function that needs names of the function around it is not read"
            self.report.fail(told, *span, "write it beside the other, with all its arguments")
        self.blocks.append(block)

    def note_defaults(self, block: FunctionBody, function: Function_, start: int) -> None:
        given = function.args
        plain = [*given.posonlyargs, *given.args]
        values: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults))
        values += [*given.defaults, *given.kw_defaults]
        names = [*plain, *given.kwonlyargs]
        if not any(values):
            return
        places = [place for place, value in enumerate(values, 1) if value is None]
        last_values = values[max(places, default=0) :]
        block.values = [self.statement("", value) for value in last_values if value is not None]
        source = self.source
        arguments: list[tuple[str, str, str]] = []
        for arg, value in zip(names, values, strict=True):
            written = source.written(arg)
            pair = (_name(source, arg), source.written(value)) if value is not None else ("", "")
            arguments.append((f" {written}" if arguments else written, *pair))
        last = values[-1] if values[-1] is not None else names[-1]
        inside = (source.span(names[0])[0], source.span(last)[1])
        body = function.body if isinstance(function, ast.Lambda) else function.body[0]
        head = (source.span(function)[0], source.span(body)[0])
        block.offer_defaults(head, start, inside, arguments)

    def statement(self, name: str, value: ast.expr) -> Statement:
        span = self.source.span(value)
        self.formulas.trees[span] = value
        return Statement(name, *span)

    def statements(self, block: FunctionBody, body: Sequence[ast.stmt]) -> None:
        """The statements up to the first that is returned."""
        returned = self.fill(block, body)
        if not block.statements:
            span = self.source.span(body[-1])
            self.report.fail("nothing is returned here", *span, "give the formula alone")
        block.finish(returned)

    def fill(self, block: FunctionBody, body: Sequence[ast.stmt]) -> bool:
        """Add the statements to a block; whether the last one is returned."""
        for node in body:
            span = self.source.span(node)
            if (function := _function(node)) is not None:
                outer = [*block.arguments, *[each.name for each in block.statements]]
                self.function(node, function, outer)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                if node.value is not None and not self.says_nothing(node):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for target in targets:
                        for statement in self.given(block, target, node.value):
                            head = (span[0], statement.start)
                            block.heads.append((statement.name, head))
                            block.add(statement, False)
            elif isinstance(node, ast.Return) and node.value is not None:
                block.add(self.statement("", node.value), True)
                return True
            elif isinstance(node, ast.Expr):
                if not self.says_nothing(node) and not block.is_shown(*span):
                    block.add(self.statement("", node.value), False)
            elif isinstance(node, ast.AugAssign):
                self.refuse_assignment(node.target)
            elif isinstance(node, ast.ClassDef):
                self.refuse_class(node)
            elif not isinstance(node, _IMPORTS):
                word = _WORD.match(self.report.text, span[0])
                refuse_statement(self.report, word[0] if word else "", span[0])
        return False

    def given(self, block: FunctionBody, target: ast.expr, value: ast.expr) -> Iterator[Statement]:
        """A statement for each name that an assignment gives."""
        if isinstance(target, ast.Name):
            yield self.statement(self.source.written(target), value)
            return
        names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        written = [self.source.written(each) for each in names]
        if all(map(str.isidentifier, written)) and len(set(written)) == len(written):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(names):
                parts = [
                    self.statement(name, part)
                    for name, part in zip(written, value.elts, strict=True)
                ]
                if words_in(self.report, *parts).isdisjoint(written):
                    yield from parts
                    return
            elif isinstance(value, ast.Name) and self.parts_of_argument(block, written, value):
                return
        self.refuse_assignment(target)

    def parts_of_argument(self, block: FunctionBody, names: list[str], value: ast.Name) -> bool:
        """Whether a line is ``m, v = params``, whose names are then the arguments."""
        given = self.source.written(value)
        end = self.source.span(value)[1]
        behind = re.search(rf"(?<![\w.]){given}(?!\w)", self.report.view[end:])
        if given not in block.arguments or given in names or behind is not None:
            return False
        place = block.arguments.index(given)
        block.arguments[place : place + 1] = names
        shown = wording.join([f"`{name}`" for name in names], limit=5)
        told = f"{shown} are read as the parts of the argument `{given}`"
        self.report.note(told, self.source.span(value))
        return True

    def refuse_assignment(self, target: ast.expr) -> NoReturn:
        start, end = self.source.span(target)
        refuse_assignment(self.report, start, self.report.text.index("=", end) + 1)

    def refuse_class(self, node: ast.ClassDef) -> NoReturn:
        start, _ = self.source.span(node)
        hint = "give the expression that its method returns"
        self.report.fail("a class is no formula", start, start + len("class"), hint)


def _function(node: ast.stmt) -> Function_ | None:
    """The function that a statement defines, or is."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node
    value = getattr(node, "value", None)
    return value if isinstance(value, ast.Lambda) else None


def _name(source: PythonText, argument: ast.arg) -> str:
    """An argument's name as written: Python changes the letters of some."""
    match = _WORD.match(source.text, source.span(argument)[0])
    return match[0] if match is not None else argument.arg
