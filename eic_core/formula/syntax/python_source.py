"""Reads Python's expressions from the tree of its own parser; nothing is compiled or run. What the
other infix notations do not have, methods, arguments by name and columns of a table, is read so,
too: from a text that their tokens make.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import NoReturn

from eic_core.formula.syntax.build import (
    FUNCTIONS,
    NOTHING,
    Function,
    Span,
    fold,
    logarithm,
    number_label,
    power,
)
from eic_core.formula.syntax.conditions import (
    AND,
    ASKING,
    NOT,
    OR,
    PAIR,
    PIECEWISE,
    RELATIONS,
    choice,
    is_truth,
)
from eic_core.formula.syntax.grammar import apply_call
from eic_core.formula.syntax.names import Names, similar_function, suggestion
from eic_core.formula.syntax.phrases import REMAINDERS
from eic_core.formula.syntax.reading import Refusal, Report, replaced
from eic_core.formula.syntax.refusals import refuse_character
from eic_core.formula.syntax.tokens import BAD, LEAF, Token, TokenRow
from eic_core.formula.tree import CONSTANT, Draft, constant

Step = tuple[Sequence[ast.expr], Callable[[list[Draft]], Draft]]
"""The operands of a part of a tree, and what builds its node of theirs."""
_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}
_JOINS = {ast.And: AND, ast.Or: OR, ast.BitAnd: AND, ast.BitOr: OR}
_COMPARED = {
    ast.Lt: RELATIONS["<"],
    ast.LtE: RELATIONS["<="],
    ast.Gt: RELATIONS[">"],
    ast.GtE: RELATIONS[">="],
    ast.Eq: RELATIONS["=="],
    ast.NotEq: RELATIONS["!="],
}
Part = ast.expr | ast.stmt | ast.arg | ast.keyword
_INDENTED = re.compile(r"(?:[ \t]*\n)*[ \t]+(?=\S)")
_ELEMENT = re.compile(r"[^\W\d]\w*\[\s*(?::\s*,\s*)?[0-9]+\s*\]")
_LIKE_NUMPY = frozenset("np numpy jnp jax torch tf onp".split())
_MODULES = _LIKE_NUMPY | frozenset("math sympy sp scipy special".split())
_OF_COLUMNS = frozenset(("values", "array", "to_numpy"))
"""What follows a column and says nothing."""
_OTHER_ORDER = frozenset(("where", "mask", "if", "ifelse", "select", "cond"))
"""Methods whose object is not the first argument of the function of that name."""
_OF_RUST = {"powi": "pow", "powf": "pow"}


_EDITS = (
    r"\^|&&|\|\||\$(?P<column>[^\W\d][\w.]*+)|[×·⋅−–]|\\(?!\s*\n)"
    r"|(?P<number>(?<![\w.])[0-9._]++(?=(?:if|else|and|or|in|is|not|for)\b))"
)
_PROGRAM = re.compile(_EDITS)
_ALONE = re.compile(
    _EDITS + r"|(?P<named>(?<![<>=!:])=(?!=))"
    r"|(?P<factor>(?<=\))(?=[^\W_])(?!(?:if|else|and|or|not)\b)"
    r"|(?<![\w.])(?:[0-9]++\.?+[0-9]*+)(?=[^\W\d_])(?![eE][0-9+-]))"
)
"""Where an expression by itself is written otherwise than in Python."""
_SIGNS = {"^": "**", "&&": " and ", "||": " or ", "−": "-", "–": "-", "\\": "?"}
"""In Python's signs. A backslash has none: in a text it would be warned of."""


class PythonText:
    """A text as Python parses it, with the places of its trees. Raises `SyntaxError`, `ValueError`,
    `RecursionError` or `MemoryError` where it is no Python.
    """

    def __init__(
        self,
        report: Report,
        start: int,
        end: int,
        at: Mapping[Span, Draft] | None = None,
        functions: Mapping[str, Function] | None = None,
    ) -> None:
        self.text, self.view = report.text, report.view
        self.at = at  # what stands for parts of an expression; None in a program
        self.given: Mapping[str, Draft] = {}  # what stands for names
        self.functions = functions or {}  # those that the text defines
        body = report.view[start:end]
        head = "if 1:\n" if at is None and _INDENTED.match(body) else ""
        if at is not None:
            body = body.replace("\n", " ")
        self.begins = [len(head)]  # behind each place that is written otherwise
        self.shifts = [start - len(head)]  # from there on, how far the user's text is shifted
        pieces, last = [head], 0
        for match in (_PROGRAM if at is None else _ALONE).finditer(body):
            piece = self.piece(match)
            pieces += [body[last : match.start()], piece]
            last = match.end()
            self.shifts.append(self.shifts[-1] + len(match[0]) - len(piece))
            self.begins.append(start + last - self.shifts[-1])
        source = "".join([*pieces, body[last:]])
        with warnings.catch_warnings(action="ignore"):  # of `2if`, which is read
            self.body = ast.parse(source).body
        if head:
            if len(self.body) > 1 or not isinstance(self.body[0], ast.If):
                raise SyntaxError
            self.body = self.body[0].body
        self.lines = source.split("\n")
        self.offsets = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.columns: dict[int, Sequence[int]] = {}

    @staticmethod
    def piece(match: re.Match[str]) -> str:
        """A part of the text as Python has it."""
        if match["column"]:
            return f"['{match['column']}']"
        if match["number"]:
            return match[0] + " "
        groups = match.groupdict()
        if groups.get("factor") is not None:
            return match[0] + "*"
        return ":=" if groups.get("named") else _SIGNS.get(match[0], "*")

    def place(self, line: int, column: int) -> int:
        if line not in self.columns:
            self.columns[line] = columns_of(self.lines[line - 1])
        place = self.offsets[line - 1] + self.columns[line][column]
        return place + self.shifts[max(bisect_right(self.begins, place) - 1, 0)]

    def span(self, node: Part) -> Span:
        assert node.end_lineno is not None and node.end_col_offset is not None
        last = self.place(node.end_lineno, node.end_col_offset)
        return self.place(node.lineno, node.col_offset), last

    def written(self, node: Part) -> str:
        text = self.view if isinstance(node, ast.Constant) else self.text
        return text[slice(*self.span(node))]

    def leaf(self, node: ast.expr) -> Draft | None:
        """What stands for a name or a part of an expression, None if it has its own meaning."""
        if self.at is not None:
            return self.at.get(self.span(node))
        return self.given.get(self.written(node)) if isinstance(node, ast.Name) else None


def columns_of(line: str) -> Sequence[int]:
    """For each byte of a line, and its end, the place of the letter.

    >>> list(columns_of("x")), columns_of("aé+")
    ([0, 1], [0, 1, 1, 2, 3])
    """
    if line.isascii():
        return range(len(line) + 1)
    return [*(i for i, letter in enumerate(line) for _ in letter.encode()), len(line)]


class Expression:
    """Reads one expression; the tree is walked without recursion, as it may be deep."""

    def __init__(self, report: Report, names: Names, source: PythonText) -> None:
        self.report = report
        self.names = names
        self.source = source
        self.tables: dict[str, Span] = {}  # the tables whose columns were met
        self.others: dict[str, list[tuple[int, int, str]]] = {}  # modules that may be arguments

    def read(self, root: ast.expr) -> Draft:
        heads = {id(node.value) for node in ast.walk(root) if isinstance(node, ast.Attribute)}
        self.operands = {
            self.source.written(node)
            for node in ast.walk(root)
            if isinstance(node, ast.Name) and id(node) not in heads
        }
        builds: list[tuple[Callable[[list[Draft]], Draft], int]] = []
        todo = [root]
        while todo:
            node = todo.pop()
            operands, build = self.step(node)
            builds.append((build, len(operands)))
            todo += reversed(operands)
        done: list[Draft] = []  # the last operand first
        for build, count in reversed(builds):
            first = len(done) - count
            done[first:] = [build(done[first:][::-1])]
        return done[0]

    def step(self, node: ast.expr) -> Step:
        draft = self.source.leaf(node)
        if draft is not None:
            return (), lambda _: draft
        return _STEPS.get(type(node), Expression.refuse)(self, node)

    def path(self, node: ast.expr) -> tuple[list[str], bool]:
        """The names of ``np.linalg.norm``, none if anything else stands between the points; and
        whether the first is no variable.
        """
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return [], False
        first = self.source.written(node)
        is_variable = first in self.operands or self.names.is_known(first)
        return [first, *names[::-1]], not is_variable and self.source.leaf(node) is None

    def fail(self, node: Part, message: str, hint: str) -> NoReturn:
        self.report.fail(message, *self.source.span(node), hint)

    def refuse(self, node: ast.expr) -> NoReturn:
        written = self.source.written(node)
        what = f"`{written[:40]}`" if written else "this"
        self.fail(node, f"{what} is not read", "write it out with operators and functions")

    def leaf_of(self, name: str, span: Span) -> Draft:
        try:
            return self.names.leaf(name, span)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)

    # --- leaves and operators ---

    def name(self, node: ast.Name) -> Step:
        return (), lambda _: self.leaf_of(self.source.written(node), self.source.span(node))

    def constant(self, node: ast.Constant) -> Step:
        return (), lambda _: self.number(node, self.source.span(node))

    def number(self, node: ast.Constant, span: Span, sign: str = "") -> Draft:
        written, value = self.source.written(node), node.value
        if isinstance(value, bool) or value is None:
            return self.leaf_of(written, span)
        if isinstance(value, complex):
            self.fail(node, "complex numbers are not supported", "write a product as `2*j`")
        if not isinstance(value, (int, float)):
            refuse_character(self.report, Token(BAD, "'", *span))
        label = written.replace("_", "")
        try:
            label = str(value) if label[:2].lower() in ("0x", "0o", "0b") else number_label(label)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)
        return constant(sign + label, span)

    def unary(self, node: ast.UnaryOp) -> Step:
        span, inner = self.source.span(node), node.operand
        if isinstance(node.op, ast.UAdd):
            return (inner,), lambda operands: operands[0]
        begins = self.source.span(inner)[0]
        is_minus = isinstance(node.op, ast.USub)
        touches = not self.report.text[span[0] + 1 : begins].strip()
        if is_minus and touches and isinstance(inner, ast.Constant):
            return (), lambda _: self.number(inner, span, "-")
        operator = "neg" if is_minus else NOT
        return (inner,), lambda operands: Draft(operator, operands, span=span)

    def binary(self, node: ast.BinOp) -> Step:
        span, kind = self.source.span(node), type(node.op)
        operands = (node.left, node.right)
        if kind in (ast.BitAnd, ast.BitOr):
            return operands, lambda both: self.joined(kind, both, span)
        if kind is ast.FloorDiv:
            hint = "write `floor(x/y)` for `x // y`; a comment begins with `#`"
            place = self.report.text.find("//", self.source.span(node.left)[1])
            told = "whole-number division is not supported"
            self.report.fail(told, place, place + 2, hint)
        if kind is ast.Pow:
            return operands, lambda both: self.power(both, span)
        name = self.names.policy.remainder if kind is ast.Mod else _BINARY.get(kind)
        if name is None:
            sign = {ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>"}.get(kind, "^")
            place = self.report.text.find(sign, self.source.span(node.left)[1])
            refuse_character(self.report, Token(BAD, sign[0], place, place + 1))
        if kind is ast.Mod:
            place = self.report.text.find("%", self.source.span(node.left)[1])
            self.report.note(REMAINDERS[name], (place, place + 1))
        return operands, lambda both: Draft(name, both, span=span)

    def joined(self, kind: type[ast.operator], both: list[Draft], span: Span) -> Draft:
        """Two conditions with ``&`` or ``|`` between them."""
        if not any(map(is_truth, both)):
            sign = "&" if kind is ast.BitAnd else "|"
            self.report.fail(
                f"`{sign}` has no meaning between numbers",
                *span,
                f"write parentheses around conditions, as in `(x > 0) {sign} (y > 0)`",
            )
        return Draft(_JOINS[kind], both, span=span)

    def power(self, both: list[Draft], span: Span) -> Draft:
        try:
            return power(both, span)
        except Refusal as refusal:
            self.report.refuse(refusal, *both[1].span)

    def compare(self, node: ast.Compare) -> Step:
        names = [_COMPARED.get(type(sign)) for sign in node.ops]

        def build(operands: list[Draft]) -> Draft:
            pairs = []
            for name, left, right in zip(names, operands, operands[1:], strict=False):
                if name is None:
                    self.refuse(node)
                pairs.append(Draft(name, [left, right], span=(left.span[0], right.span[1])))
            return fold(AND, pairs, self.source.span(node))

        return (node.left, *node.comparators), build

    def both(self, node: ast.BoolOp) -> Step:
        span = self.source.span(node)
        return node.values, lambda operands: fold(_JOINS[type(node.op)], operands, span)

    def choice(self, node: ast.IfExp) -> Step:
        span = self.source.span(node)
        return (node.test, node.body, node.orelse), lambda operands: choice(operands, span)

    def several(self, node: ast.Tuple | ast.List) -> Step:
        if isinstance(node, ast.List) and len(node.elts) == 1:
            return node.elts, lambda operands: operands[0]
        parts = [self.source.written(each) for each in node.elts]
        labels = [f"formula {i}" for i in range(1, len(parts) + 1)]
        self.report.fail(
            "unexpected `,`" if parts else "there is no formula",
            *self.source.span(node),
            "several formulas are pasted into Compare, here one of them",
            choices=tuple(zip(labels, parts, strict=True)) if len(parts) < 7 else (),
        )

    # --- columns and points ---

    def element(self, node: ast.Subscript) -> Step:
        span, written = self.source.span(node), self.source.written(node)
        column = node.slice
        if isinstance(column, ast.Constant) and isinstance(column.value, str):
            self.tables.setdefault(self.source.written(node.value), span)
            if len(self.tables) > 1 or not self.path(node.value)[0]:
                hint = "write a name for each, such as `x`"
                self.fail(node, "columns of two tables are not read", hint)
            name = column.value.strip()
            self.report.note(f"`{written}` is read as the variable `{name}`", span)
            return (), lambda _: self.leaf_of(name, span)
        if _ELEMENT.fullmatch(written) and self.source.leaf(node.value) is None:
            return (), lambda _: self.leaf_of(written, span)
        self.fail(node, f"`{written[:40]}` is not read", "write a name, such as `x0`")

    def attribute(self, node: ast.Attribute) -> Step:
        span, (path, is_free) = self.source.span(node), self.path(node)
        if path and self.names.is_column(".".join(path)):
            return (), lambda _: self.leaf_of(".".join(path), span)
        if node.attr in _OF_COLUMNS and isinstance(node.value, (ast.Subscript, ast.Attribute)):
            return (node.value,), lambda operands: operands[0]
        if is_free and path[0] in _MODULES:
            draft = self.leaf_of(f"np.{node.attr}", span)
            if draft.operator == CONSTANT:
                return (), lambda _: draft
        self.refuse_point(node)

    def refuse_point(self, node: ast.Attribute) -> NoReturn:
        place = self.report.text.find(".", self.source.span(node.value)[1])
        refuse_character(self.report, Token(BAD, ".", place, place + 1))

    # --- calls ---

    def call(self, node: ast.Call) -> Step:
        span, head = self.source.span(node), node.func
        every: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        arguments = [each for each in every if not _says_nothing(each)]
        if isinstance(head, ast.Attribute):
            if head.attr in _OF_COLUMNS and not arguments:
                return (head.value,), lambda operands: operands[0]
            name, thing = self.called(head, node)
            if thing is not None:
                arguments.insert(0, thing)
        elif isinstance(head, ast.Name):
            name = self.source.written(head)
        else:
            self.refuse(node)
        function = self.function(head, name)
        given = [self.argument(function, each) for each in arguments]
        if function is PIECEWISE:
            return self.piecewise(node, function, [value for _, value, _ in given])
        placed = in_places(
            self.report, function, name, (span[0], self.source.span(head)[1] + 1), given
        )
        if function.build is logarithm and any(each[0] for each in given):
            function = function._replace(build=partial(logarithm))  # its base is told by its name
        operands = [each for each in placed if each is not None]

        def build(drafts: list[Draft]) -> Draft:
            rest = iter(drafts)
            nothing = constant(NOTHING, span)
            every = [nothing if each is None else next(rest) for each in placed]
            return apply_call(self.report, self.names, function, every, span)

        return operands, build

    def argument(
        self, function: Function, node: ast.expr | ast.keyword
    ) -> tuple[str, ast.expr, Span]:
        """The name that an argument is given by, what is given, and the place."""
        span = self.source.span(node)
        if isinstance(node, ast.keyword) and node.arg:
            return node.arg, node.value, span
        if isinstance(node, ast.NamedExpr):
            name = self.source.written(node.target)
            if function.place_of(name) >= 0 or function.name not in ASKING:
                return name, node.value, span
            compared = ast.Compare(node.target, [ast.Eq()], [node.value])
            return "", ast.copy_location(compared, node), span
        if isinstance(node, (ast.keyword, ast.Starred)):
            self.fail(node, "arguments in a list are not read", "write them out")
        return "", node, span

    def called(self, head: ast.Attribute, node: ast.Call) -> tuple[str, ast.expr | None]:
        """The name of the function, and the object where it is a method."""
        (path, is_free), bare, thing = self.path(head), head.attr, head.value
        name = _OF_RUST.get(bare, bare)
        try:
            function = self.names.function(name)
        except Refusal:
            function = None
        if is_free and path[0] in _MODULES:
            of_numpy = path[0] in _LIKE_NUMPY
            module = "np" if of_numpy else path[0]
            return f"{module}.{bare}" if of_numpy or len(path) == 2 else bare, None
        count, lone = len(node.args) + len(node.keywords), path[0] if len(path) == 2 else ""
        if function is None:
            self.refuse_point(head)
        if is_free:
            fits = function.low <= count <= function.high
            may_be_method = bool(lone) and function.low <= count + 1 <= function.high
            is_number = all(isinstance(each, ast.Constant) for each in node.args)
            small = len(lone) == 1 and lone.islower()
            if fits and lone not in FUNCTIONS and not (may_be_method and (is_number or small)):
                start, end = self.source.span(thing)
                written = self.report.text[start:end]
                told = f"`{written}.` before `{bare}(…)` is read as a module"
                self.report.note(told, (start, end))
                if may_be_method and len(lone) == 1:
                    opened = self.source.span(node.args[0])[0]
                    self.others.setdefault(lone, []).append((start, opened, f"{bare}({lone}, "))
                return bare, None
        self.check_method(head, node, name, function)
        return name, thing

    def check_method(
        self, head: ast.Attribute, node: ast.Call, name: str, function: Function
    ) -> None:
        """Raise where a method is not the function of that name with its object before the rest."""
        start, end = self.source.span(head)
        first = node.args[0] if node.args else None
        if name in _OTHER_ORDER:
            self.refuse_point(head)
        if name in ("max", "min") and isinstance(first, ast.Constant):
            axis, place = self.source.written(first), self.source.span(head.value)[1]
            hint = f"write `{name}(x, {axis})` for the values"
            if axis.isdigit():
                told = f"`.{name}({axis})` may be along an axis"
                self.report.fail(told, place, self.source.span(first)[1], hint)
        if function.high == 1 and node.args:
            thing = self.source.written(head.value)
            hint = f"write `{name}(…)`, and `*` for a product"
            if thing.lower() in FUNCTIONS:
                hint = f"write `{thing[:40]}({name}(…))`"
            end -= len(head.attr)
            written = self.report.text[start:end][:40]
            self.report.fail(f"`{written}` before a function is not known", start, end, hint)
        told = f"`.{head.attr}(…)` is read as the function `{name}` of what stands before it"
        self.report.note(told, (self.source.span(head.value)[1], end))

    def function(self, head: ast.expr, name: str) -> Function:
        """The function of a call. Raises `FormulaError` if there is none."""
        start, end = self.source.span(head)
        try:
            found = self.source.functions.get(name) or self.names.function(name)
        except Refusal as refusal:
            self.report.refuse(refusal, start, end)
        if found is not None:
            return found
        if self.names.is_factor(name) or (isinstance(head, ast.Name) and self.source.leaf(head)):
            hint = f"for a product write `{name}*(…)`, for an element a name"
            self.fail(head, f"`{name}(…)` is a call or an element here, not a product", hint)
        meant = similar_function(name)
        text = self.report.text
        mended = text[:start] + meant + text[end:] if meant.isalnum() else None
        self.report.fail(f"unknown function `{name}`", start, end, suggestion(name), mended)

    def piecewise(self, node: ast.Call, function: Function, arguments: Sequence[ast.expr]) -> Step:
        """``Piecewise((a, x > 0), (b, True))``, whose pairs are no tuples."""
        pairs = [each.elts if isinstance(each, ast.Tuple) else [each] for each in arguments]
        span = self.source.span(node)

        def build(drafts: list[Draft]) -> Draft:
            rest = iter(drafts)
            operands = []
            for pair in pairs:
                parts = [next(rest) for _ in pair]
                operands.append(PAIR.build(parts, parts[0].span) if len(parts) == 2 else parts[0])
            return apply_call(self.report, self.names, function, operands, span)

        return [part for pair in pairs for part in pair], build


_STEPS: Mapping[type[ast.expr], Callable[..., Step]] = {
    ast.Name: Expression.name,
    ast.Constant: Expression.constant,
    ast.UnaryOp: Expression.unary,
    ast.BinOp: Expression.binary,
    ast.Compare: Expression.compare,
    ast.BoolOp: Expression.both,
    ast.IfExp: Expression.choice,
    ast.Tuple: Expression.several,
    ast.List: Expression.several,
    ast.Subscript: Expression.element,
    ast.Attribute: Expression.attribute,
    ast.Call: Expression.call,
}


class Formulas:
    """The formulas of a program, by their places."""

    def __init__(self, source: PythonText) -> None:
        self.source = source
        self.trees: dict[Span, ast.expr] = {}

    def read(
        self,
        report: Report,
        names: Names,
        place: Span,
        given: Mapping[str, Draft],
        functions: Mapping[str, Function],
    ) -> Draft:
        """One of them; names and functions that are given mean these."""
        self.source.given, self.source.functions = given, functions
        return Expression(report, names, self.source).read(self.trees[place])


def read_tokens(
    report: Report, names: Names, tokens: list[TokenRow]
) -> tuple[list[TokenRow], dict[str, str]] | None:
    """The tokens as one leaf that holds what they say in Python, and the other readings; None if
    they are no Python.
    """
    leaves = {row[2:4]: row[4] for row in tokens if isinstance(row[4], Draft)}
    functions = {row[1]: row[4] for row in tokens if isinstance(row[4], Function)}
    start, end = tokens[0][2], tokens[-1][2]
    try:
        source = PythonText(report, start, end, leaves, functions)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    root = source.body[0]
    if not isinstance(root, ast.Expr):
        return None
    expression = Expression(report, names, source)
    draft = expression.read(root.value)
    others = {label: each.text for label, each in report.alternatives.items()}
    others |= {
        f"{thing} as an argument of the functions behind it": replaced(report.text, pieces)
        for thing, pieces in expression.others.items()
    }
    return [(LEAF, "", start, end, draft), tokens[-1]], others


def _says_nothing(argument: ast.expr | ast.keyword) -> bool:
    """Whether an argument is SymPy's ``evaluate=False``."""
    if isinstance(argument, ast.keyword):
        return argument.arg == "evaluate"
    return isinstance(argument, ast.NamedExpr) and argument.target.id == "evaluate"


def in_places(
    report: Report,
    function: Function,
    name: str,
    head: Span,
    arguments: Sequence[tuple[str, ast.expr, Span]],
) -> list[ast.expr | None]:
    """The arguments of a call in the order of its function, None for one that is left out. Each is
    given with its name, or "". Raises `FormulaError` if one does not exist, stands twice or lacks
    one before it.
    """
    places: dict[int, ast.expr] = {}
    for word, value, span in arguments:
        if not word:
            continue
        place = function.place_of(word)
        if place < 0:
            hint = "leave it out, or give the arguments in order without names"
            report.fail(f"`{name}` has no argument `{word}` here", *span, hint)
        if place in places:
            report.fail(f"`{name}` is given its argument `{word}` twice", *span, "give it once")
        places[place] = value
    if not places and not function.fills:
        return [value for _, value, _ in arguments]
    free = (place for place in range(len(arguments)) if place not in places)
    others = [value for word, value, _ in arguments if not word]
    places |= dict(zip(free, others, strict=False))
    count = max(places, default=-1) + 1
    found: list[ast.expr | None] = []
    for place in range(max(count, function.high) if function.fills else count):
        value_ = places.get(place)
        if function.fills and isinstance(value_, ast.Constant) and value_.value is None:
            value_ = None
        if value_ is None and not (function.fills and place):
            lacking = function.parameters[place].split()[0]
            report.fail(f"`{name}` lacks its argument `{lacking}`", *head, "give it, too")
        found.append(value_)
    return found
