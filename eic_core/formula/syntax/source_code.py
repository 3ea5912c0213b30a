"""Reads programs that hold one formula: Python, C and its kin, MATLAB, Julia, R.

A program is read through a view of its text: a copy of the same length in which whatever says
nothing of the formula (comments, types, ``std::``, the dot of ``.^``) is blank.  So every place in
the view is the place in the user's own text.  What remains are statements: names given to formulas,
and at the end the formula that is returned.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.elements import find_elements, with_elements
from eic_core.formula.syntax.infix import parse_text, tokenize
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.paste import without_closing_marks
from eic_core.formula.syntax.reading import MAX_NODES, Report
from eic_core.formula.syntax.source_view import DIALECTS, TYPE, View, find_dialect
from eic_core.formula.syntax.tokens import (
    CALL,
    COMMA,
    LEAF,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    TokenRow,
)
from eic_core.formula.tree import Draft


class Statement(NamedTuple):
    """A line of a program.

    Attributes
    ----------
    name : str
        What it is called from here on; "" for the result.
    start, end : int
        The place of its formula.
    """

    name: str
    start: int
    end: int


class Program(NamedTuple):
    """A program that computes one formula.

    Attributes
    ----------
    dialect : str
        One of `source_view.DIALECTS`.
    arguments : tuple of str
        The names of the function's arguments.
    statements : tuple of Statement
        In order; the last one is the result.
    powers_from_left : bool or None
        Whether ``a^b^c`` is (a^b)^c; None where that cannot be told.
    """

    dialect: str
    arguments: tuple[str, ...]
    statements: tuple[Statement, ...]
    powers_from_left: bool | None

    @property
    def is_plain(self) -> bool:
        """Whether nothing but its place tells it from a formula by itself."""
        return self.dialect == "infix" and len(self.statements) == 1


_NAME = r"[^\W\d]\w*+"
_NAME_ALONE = re.compile(rf"{_NAME}\Z")
_ARGUMENTS = r"\((?P<arguments>[^()]*+)\)"
_PREAMBLE = re.compile(
    r"(?:\s|(?:import|from|using|library|require|#include)\b[^\n;]*+(?:[\n;]|\Z)"
    r"|@[A-Za-z_][\w.]*+(?:\([^()\n]*+\))?+[ \t]*+\n|template\s*+<[^<>]*+>)*+"
)
_GIVEN = rf"(?:(?:{TYPE}\s++)*+{_NAME}\s*+(?::[^=\n(]{{0,80}})?+(?:=(?![=>])|<-(?=\s)|:=)\s*+)?+"
_HEADERS = tuple(
    re.compile(_GIVEN + pattern if given else pattern)
    for given, pattern in (
        (False, rf"(?:async\s++)?+def\s++(?P<name>{_NAME})\s*+{_ARGUMENTS}\s*+(?:->[^:\n]*+)?+:"),
        (False, rf"function\s++\[?+\s*+{_NAME}\s*+\]?+\s*+=\s*+(?P<name>{_NAME})\s*+{_ARGUMENTS}"),
        (True, rf"function\b\s*+(?P<name>{_NAME})?+\s*+{_ARGUMENTS}\s*+\{{?+"),
        (
            True,
            r"\[[^\[\]\n]{0,80}\]\s*+"
            + _ARGUMENTS
            + r"\s*+(?:mutable\s*+)?+(?:->[^{\n]{0,80})?+\{",
        ),
        (True, rf"(?:async\s++)?+(?:{_ARGUMENTS}|(?P<argument>{_NAME}))\s*+=>\s*+\{{?+"),
        (True, rf"(?:{_ARGUMENTS}|(?P<argument>{_NAME}))\s*+->\s*+\{{"),
        (
            False,
            rf"(?:(?:{TYPE}|T|Real|Scalar)\s++)+(?P<name>{_NAME})\s*+{_ARGUMENTS}\s*+(?:const\s*+|noexcept\s*+)*+\{{",
        ),
    )
)
_ANONYMOUS = re.compile(
    rf"lambda\b(?P<lambda>[^:()\[\]\n]*+):|@\s*+{_ARGUMENTS}"
    rf"|(?:\((?P<pair>[^()]*+)\)|(?P<one>{_NAME}))\s*+(?:->|↦)"
)
_ASSIGNMENT = re.compile(
    rf"(?:{TYPE}\s++)*+(?P<name>{_NAME})\s*+(?:\((?P<arguments>[^()=]*+)\)\s*+)?+"
    r"(?::(?!=)[^=\n(]{0,80})?+(?:=(?!=)|:=|<-(?=\s))\s*+"
)
_SKIPPED_STATEMENT = re.compile(
    r"(?:end|endfunction|pass|import\b.*+|from\b.*+|using\b.*+)\Z", re.DOTALL
)
_CONTROL = re.compile(
    r"(?:if|for|while|else|elif|elseif|switch|try|with|do|print|printf|assert|raise)"
    r"(?=[\s(:{])"
)
_CHANGED = re.compile(
    rf"\(?+{_NAME}(?:\s*+,\s*+{_NAME})++\s*+\)?+\s*+=(?!=)|{_NAME}\s*+(?:\*\*|[-+*/^])=(?!=)"
)
_BREAKS = re.compile(r"[()\[\]{};]|\n\s*+")
_CONTINUED = "+-*/^,=(&|\\·×"
_CONTINUES = "+-*/^(){.,=·×|&"


def _argument_names(text: str) -> list[str]:
    """The names in an argument list of any language.

    Examples
    --------
    >>> _argument_names("double x, const float y"), _argument_names("x: float = 1, *, a_=2, p::T")
    (['x', 'y'], ['x', 'a_', 'p'])
    """
    names = []
    for part in text.split(","):
        bare = re.split(r"[:=]", part, maxsplit=1)[0].split()
        word = bare[-1].lstrip("*&") if bare else ""
        if _NAME_ALONE.match(word):
            names.append(word)
    return names


def read_program(
    report: Report, columns: Collection[str], start: int, end: int, hint: str | None
) -> Program:
    """The statements of a program, a plain formula being one of a single statement.

    Sets ``report.view``.

    Parameters
    ----------
    report : Report
        Holds the text; notes and errors go there.
    columns : collection of str
        Names of the data's columns.
    start, end : int
        The part of the text to read, as character offsets.
    hint : str or None
        The notation, where it is known.

    Raises
    ------
    FormulaError
        If it holds a loop, a condition as a statement, or nothing that is returned.
    """
    if hint in DIALECTS and hint != "infix":
        dialect, sure = str(hint), True
    else:
        dialect, sure = find_dialect(report.text, start, end)
    report.view = View(report, columns, dialect).make(start, end)
    statements, arguments, called = _Statements(report, dialect, start, end).split()
    if called:
        report.note(f"what `{called}` returns is read", (statements[-1].start, statements[-1].end))
    powers_from_left = False if dialect != "matlab" else True if sure else None
    return Program(dialect, tuple(dict.fromkeys(arguments)), tuple(statements), powers_from_left)


class _Statements:
    """Divides the view of a program into its statements."""

    def __init__(self, report: Report, dialect: str, start: int, end: int) -> None:
        self.report = report
        self.view = report.view
        self.dialect = dialect
        self.start, self.end = start, end
        self.arguments: list[str] = []
        self.called = ""
        self.block = False
        self.heads: list[tuple[str, tuple[int, int]]] = []  # the names given, and where

    def split(self) -> tuple[list[Statement], list[str], str]:
        """The statements up to the first that is returned, the arguments, the function's name."""
        self.header()
        found: list[Statement] = []
        returned = False
        for start, end in self.lines():
            statement, returned = self.statement(start, end)
            if statement is None:
                continue
            if found and not found[-1].name:
                self.report.fail(
                    "more than one formula", statement.start, statement.end, "give a single one"
                )
            found.append(statement)
            if returned:
                break
        if not found:
            found.append(Statement("", self.start, self.end))
        last = found[-1]
        if len(found) > 1 and not self.called:
            told = f"what `{last.name}` stands for" if last.name else "the last line"
            told = "what is returned" if returned else told
            self.report.note(f"{told} is read", (last.start, last.end))
        elif last.name:
            name, span = self.heads[-1]
            self.report.note(f"only the right-hand side of `{name} = …` is read", span)
        found[-1] = Statement("", last.start, last.end)
        return found, self.arguments, self.called

    def header(self) -> None:
        """Go past what is imported and the first line of a function."""
        preamble = _PREAMBLE.match(self.view, self.start, self.end)
        place = preamble.end() if preamble else self.start
        for pattern in _HEADERS:
            match = pattern.match(self.view, place, self.end)
            if match is None:
                continue
            groups = match.groupdict()
            self.arguments = _argument_names(
                groups.get("arguments") or groups.get("argument") or ""
            )
            self.called = groups.get("name") or ""
            self.start = match.end()
            self.block = True
            return
        self.start = place

    def lines(self) -> list[tuple[int, int]]:
        """The places of the statements, divided where the language ends one."""
        view = self.view
        found: list[tuple[int, int]] = []
        depth = 0
        begin = self.start
        for match in _BREAKS.finditer(view, self.start, self.end):
            mark, place = match[0], match.start()
            if mark in "([{":
                depth += 1
            elif mark in ")]" or (mark == "}" and depth):
                depth -= 1
            elif depth <= 0:
                if mark[0] == "\n" and not self.line_ends(begin, place, match.end()):
                    continue
                if mark == "}" and not self.block:
                    continue
                found.append((begin, place))
                begin = match.end()
        found.append((begin, self.end))
        return found

    def line_ends(self, begin: int, place: int, following: int) -> bool:
        """Whether a statement ends with its line.

        Parameters
        ----------
        begin : int
            Where the statement begins.
        place, following : int
            The line's end, and where the next line that is not blank begins.
        """
        if self.dialect == "c" or following >= self.end:
            return False
        before, behind = _last_mark(self.view, begin, place), self.view[following]
        if not before or before in _CONTINUED:
            return False
        if self.view.startswith(("return", "end", "lambda", "@("), following):
            return True
        if _ASSIGNMENT.match(self.view, following, self.end):
            return True
        return behind not in _CONTINUES

    def statement(self, start: int, end: int) -> tuple[Statement | None, bool]:
        """One line without its keywords, None if it says nothing; whether it is returned."""
        view, report = self.view, self.report
        while start < end and view[start].isspace():
            start += 1
        end = without_closing_marks(view, start, end)
        body = view[start:end]
        if not body or body in ("}", "{") or _SKIPPED_STATEMENT.match(body):
            return None, False
        control = _CONTROL.match(body)
        if control and not (
            body[control.end() :].lstrip().startswith("=") or _has_branches(body, control.end())
        ):
            report.fail(
                f"the statement `{control[0]}` is not read", start, start + control.end(),
                _instead_of(control[0], self.dialect),
            )  # fmt: skip
        if (changed := _CHANGED.match(body)) is not None:
            report.fail(
                "this assignment is not read", start, start + changed.end(),
                "give each name a line of its own, as in `a = x + 1`",
            )  # fmt: skip
        if (returned := re.match(r"return\b\s*+(?=\S)", body)) is not None:
            return self.anonymous("", start + returned.end(), end), True
        given = _ASSIGNMENT.match(view, start, end)
        if given is None:
            return self.anonymous("", start, end), False
        if given["arguments"] is not None:
            self.arguments += _argument_names(given["arguments"])
        self.heads.append((given["name"], (start, given.end())))
        return self.anonymous(given["name"], given.end(), end), False

    def anonymous(self, name: str, start: int, end: int) -> Statement:
        """The body of a function without a name, or the formula itself."""
        match = _ANONYMOUS.match(self.view, start, end)
        if match is None:
            return Statement(name, start, end)
        inside = next((text for text in match.groups() if text is not None), "")
        if match["one"] and not re.search(rf"\b{inside}\b", self.view[match.end() : end]):
            self.report.note(f"`{inside} -> …` is read as a function of `{inside}`", match.span())
        self.arguments += _argument_names(inside)
        return Statement(name, match.end(), end)


def _instead_of(statement: str, dialect: str) -> str:
    """What to write in place of a statement that is not read.

    Parameters
    ----------
    statement : str
        Its first word.
    dialect : str
        One of `source_view.DIALECTS`.
    """
    if statement in ("if", "else", "elif", "elseif", "switch"):
        choice = "c ? a : b" if dialect in ("c", "julia") else "a if c else b"
        return f"give a single expression: for a choice write `{choice}`"
    return "give a single expression"


def _has_branches(body: str, place: int) -> bool:
    """Whether the first parentheses behind `place` hold a comma of their own.

    Examples
    --------
    >>> _has_branches("if(x > 0, max(x, y), 0)", 2), _has_branches("if (f(x, y)) return 1", 2)
    (True, False)
    """
    depth = 0
    for mark in re.finditer(r"[(),;]", body[place:]):
        if mark[0] in ",;":
            if depth == 1:
                return True
        else:
            depth += 1 if mark[0] == "(" else -1
        if depth <= 0:
            break
    return False


def _last_mark(view: str, start: int, end: int) -> str:
    while end > start and view[end - 1].isspace():
        end -= 1
    return view[end - 1] if end > start else ""


_MOST_COPIES = 20 * MAX_NODES


def read_source(report: Report, names: Names, program: Program) -> Draft:
    """The formula of a program, each name that it gives replaced by what it stands for.

    Parameters
    ----------
    report : Report
        Holds the text and its view.
    names : Names
        The meaning of names.
    program : Program
        As `read_program` gives it.

    Raises
    ------
    FormulaError
        If it is no formula.
    """
    given: dict[str, tuple[Draft, int]] = {}
    draft: Draft | None = None
    for statement in program.statements:
        tokens = tokenize(report, statement.start, statement.end)
        size = 6 * len(tokens)
        for place, (kind, text, start, end, _) in enumerate(tokens):
            if kind == NAME and text in given:
                known, count = given[text]
                size += count
                tokens[place] = (LEAF, text, start, end, known)
        if size > _MOST_COPIES:
            report.fail(
                f"the formula has more than {MAX_NODES:,} nodes",
                statement.start, statement.end, "put fewer names into each other",
            )  # fmt: skip
        if program.dialect == "matlab" and (found := find_elements(names, tokens)):
            tokens = with_elements(report, tokens, found)
        if program.dialect != "infix":
            _settle_calls(report, names, tokens, program.dialect)
        if program.dialect == "c":
            _note_divisions(report, tokens)
        draft = parse_text(report, names, tokens, bool(program.powers_from_left))
        if program.powers_from_left is None:
            _refuse_chained_powers(report, draft)
        if statement.name:
            given[statement.name] = (draft, size)
    if given:
        report.note(
            "names that are given on a line of their own are replaced by what they stand for",
            (program.statements[0].start, program.statements[0].end),
        )
    assert draft is not None
    return draft


def _settle_calls(report: Report, names: Names, tokens: list[TokenRow], dialect: str) -> None:
    """Give each call its meaning in a language in which ``p(1)`` is no product.

    Raises
    ------
    FormulaError
        If one is of no known function.
    """
    for kind, text, start, end, _ in tokens:
        if kind != CALL:
            continue
        if names.is_factor(text) and text.lower() not in FUNCTIONS:
            report.fail(
                f"`{text}(…)` is a call or an element here, not a product", start, end,
                f"for a product write `{text}*(…)`, for an element a name",
            )  # fmt: skip


def _note_divisions(report: Report, tokens: list[TokenRow]) -> None:
    """Note each ``1/2`` of whole numbers, which C and Java would cut to 0."""
    for place in range(len(tokens) - 2):
        (kind, over, start, _, _), sign, (last, under, _, end, _) = tokens[place : place + 3]
        if kind != NUMBER or last != NUMBER or sign[:2] != (OPERATOR, "/"):
            continue
        before = tokens[place - 1] if place else (OPEN, "(", 0, 0, None)
        begins = before[0] in (OPEN, CALL, COMMA) or (before[0] == OPERATOR and before[1] in "+-")
        whole = over.isdigit() and under.isdigit() and len(over + under) < 30 and int(under)
        if begins and whole and int(over) % int(under):
            report.note(
                f"`{over}/{under}` is read as the fraction; C and Java divide whole numbers"
                f" to {int(over) // int(under)}", (start, end),
            )  # fmt: skip


def _refuse_chained_powers(report: Report, draft: Draft) -> None:
    """Raise for ``a^b^c`` where MATLAB and Julia read different things."""
    pending = [draft]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        pending += node.children
        if node.operator in ("pow", "exp") and node.children:
            last = node.children[-1]
            if (
                last.operator in ("pow", "power", "exp")
                and last.span[1] == node.span[1]
                and _raised(report, last, node)
            ):
                report.fail(
                    "MATLAB reads this as (a^b)^c, Julia as a^(b^c)",
                    *node.span,
                    "write parentheses",
                )


def _raised(report: Report, last: Draft, node: Draft) -> bool:
    """Whether the exponent itself is written as a power, without parentheses."""
    return "^" in report.text[node.span[0] : last.span[0]]
