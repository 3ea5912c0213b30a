"""Reads programs that hold one formula: Python, C and its kin, MATLAB, Julia, R. A program is read
through a view of its text: a copy of the same length in which all that is no formula (comments,
types, ``std::``, the dot of ``.^``) is blank. So every place in the view is the place in the user's
own text. There remain statements, which give names to formulas, and the formula that is returned.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from eic_core import wording
from eic_core.formula.syntax.build import FUNCTIONS, Function
from eic_core.formula.syntax.elements import find_elements, with_elements
from eic_core.formula.syntax.infix import parse_text, tokenize
from eic_core.formula.syntax.names import CONSTANT_NAMES, Names
from eic_core.formula.syntax.paste import without_closing_marks
from eic_core.formula.syntax.reading import MAX_NODES, Refusal, Report, replaced
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
from eic_core.formula.tree import VARIABLE, Draft


class Statement(NamedTuple):
    name: str  # What it is called from here on; "" for the result
    # start, end: the place of its formula
    start: int
    end: int


class Helper(NamedTuple):
    name: str
    arguments: tuple[str, ...]
    statements: tuple[Statement, ...]  # The last one is what it returns
    span: tuple[int, int]  # Its place in the text


class Program(NamedTuple):
    dialect: str  # One of `source_view.DIALECTS`
    arguments: tuple[str, ...]  # The names of the function's arguments
    statements: tuple[Statement, ...]  # In order; the last one is the result
    powers_from_left: bool | None  # Whether ``a^b^c`` is (a^b)^c; None where that cannot be told
    # The functions that the program calls, each behind those that it calls itself
    helpers: tuple[Helper, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether nothing but its place tells it from a formula by itself."""
        return self.dialect == "infix" and len(self.statements) == 1 and not self.helpers


_NAME = r"[^\W\d]\w*+"
_NAME_ALONE = re.compile(rf"{_NAME}\Z")
_ARGUMENTS = r"\((?P<arguments>[^()]*+)\)"
_PREAMBLE = re.compile(
    r"(?:\s|(?:import|from|using|library|require|#include|use\s++(?:(?:std|core)(?=::)|pi(?=\s*+;)))\b[^\n;]*+(?:[\n;]|\Z)"
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
            rf"(?:pub\s++)?+(?:const\s++)?+fn\s++(?P<name>{_NAME})\s*+{_ARGUMENTS}"
            r"\s*+(?:->\s*+[\w:]++\s*+)?+\{",
        ),
        (
            False,
            rf"(?:(?:{TYPE}|T|Real|Scalar)\s++)+(?P<name>{_NAME})\s*+{_ARGUMENTS}\s*+(?:const\s*+|noexcept\s*+)*+\{{",
        ),
    )
)
_ANONYMOUS = re.compile(
    rf"lambda\b(?P<lambda>[^:()\[\]\n]*+):|@\s*+{_ARGUMENTS}|\\\((?P<short>[^()]*+)\)"
    r"|\|(?P<closure>[^|()\n:]++:[^|()\n]++)\|(?:\s*+->\s*+\w++)?+"
    rf"|(?:\((?P<pair>[^()]*+)\)|(?P<one>{_NAME}))\s*+(?:->|↦)"
)
_ASSIGNMENT = re.compile(
    rf"(?:{TYPE}\s++)*+(?P<name>{_NAME})\s*+(?:\((?P<arguments>[^()=]*+)\)\s*+)?+"
    r"(?::(?!=)[^=\n(]{0,80})?+(?:=(?!=)|:=|<-(?=\s))\s*+"
)
_SKIPPED_STATEMENT = re.compile(
    r"(?:end|endfunction|pass|[^=\n]*+=\s*+(?:(?:sympy|sp)\.)?(?:symbols|Symbol|var)\s*+\([^()]*+\)"
    r"|import\b.*+|from\b.*+|using\b.*+)\Z",
    re.DOTALL,
)
_CONTROL = re.compile(
    r"(?:if|for|while|else|elif|elseif|switch|try|with|do|print|printf|assert|raise)"
    r"(?=[\s(:{])"
)
_BEGIN = re.compile(r"begin\s++(?=\S)")
_LAST_END = re.compile(r"\s++end\s*+\Z")
_SHOWN = re.compile(
    r"(?:print|println|display|disp|show|cat|(?:plt|ax|fig|sns|pyplot|console)\.[\w.]++)"
    r"\s*+\(.*\)\Z",
    re.DOTALL,
)
"""A last line that shows what was computed."""
_STATEMENT = re.compile(r"(?:del|global|nonlocal|yield|delete|throw)(?=[ \t]++[^\W\d])")
"""What begins a statement before a name."""
_OF_BLOCKS = re.compile(r"[;\n]|\breturn\b|(?<![<>=!~])=(?!=)")
"""What R's choice of two values on one line does not hold."""
_CHANGED = re.compile(
    rf"\(?+{_NAME}(?:\s*+,\s*+{_NAME})++\s*+\)?+\s*+=(?!=)|{_NAME}\s*+(?:\*\*|[-+*/^])=(?!=)"
)
_UNPACKED = re.compile(rf"\s*+\(?+\s*+(?P<names>{_NAME}(?:\s*+,\s*+{_NAME})++)\s*+\)?+\s*+=(?!=)")
_WORD = re.compile(rf"(?<![^\W\d])(?<!\.){_NAME}(?!\s*+[(.])")
"""A name that is no function and no module."""
_BETWEEN_FUNCTIONS = re.compile(r"(?:[\s;}]|end(?:function)?\b)*+")
_MOST_FUNCTIONS = 200
_DEFAULT = re.compile(
    rf"\s*+(?:{_NAME}[\s*&]++(?=[^\W\d]))*+({_NAME})\s*+(?::[^=]*+)?+=(?!=)([^=]++)\Z"
)
_CONSTANT = re.compile(
    rf"(?:{TYPE}\s++)*+(?P<name>{_NAME})\s*+(?::[^=\n(;]{{0,80}})?+(?:=(?![=>])|<-(?=\s)|:=)[ \t]*+"
    r"(?P<value>[^\s{}=;<>](?:[^\n{}=;<>])*+)(?:;|(?=\n))\s*+"
)
"""A line before a function that gives a value."""
_CLASS = re.compile(rf"\s*+(?:class|struct)\s++{_NAME}")
_SESSION = re.compile(r"\s*+(?:>>>?|In ?\[[0-9]{0,6}\]:|julia>|sage:)\s")
_NEXT_LINE = re.compile(r"[ \t]*+\n[ \t]*+(?=\S)")
_BREAKS = re.compile(r"[()\[\]{};]|\n\s*+")
_CONTINUED = "+-*/^,=(&|\\·×"
_CONTINUES = "+-*/^(){.,=·×|&"


def _argument_names(text: str) -> list[str]:
    """The names in an argument list of any language.

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
    """The statements of a program; a plain formula is one of a single statement. Sets
    ``report.view``. Raises `FormulaError` if it holds a loop, a condition as a statement, or
    returns nothing.
    """
    if hint in DIALECTS and hint != "infix":
        dialect, sure = str(hint), True
    else:
        dialect, sure = find_dialect(report.text, start, end)
    report.view = View(report, columns, dialect).make(start, end)
    statements, arguments, called, helpers = _functions(report, dialect, start, end)
    if called:
        report.note(f"what `{called}` returns is read", (statements[-1].start, statements[-1].end))
    powers_from_left = False if dialect != "matlab" else True if sure else None
    given = tuple(dict.fromkeys(arguments))
    return Program(dialect, given, tuple(statements), powers_from_left, helpers)


_NAME_BEFORE_BRACKET = re.compile(rf"(?<!\.)\b({_NAME})\s*+\(")
_Found = tuple[list[Statement], list[str], str, tuple[Helper, ...]]


def _functions(report: Report, dialect: str, start: int, end: int) -> _Found:
    """The statements, arguments and name of the function that no other calls; and those it calls.
    Raises `FormulaError` if there are several, or if one calls itself.
    """
    found: list[Helper] = []
    above: list[Statement] = []
    while True:
        part = _Statements(report, dialect, start, end)
        statements, arguments, called = part.split()
        above += part.given_above
        statements = _with_constants(report, above, statements, arguments, start)
        if not found and not part.following:
            for label, text in part.defaults:
                report.keep(label, text)
            return statements, arguments, called, ()
        span = (start, part.following or end)
        found.append(Helper(called, tuple(arguments), tuple(statements), span))
        if not part.following:
            break
        start = part.following
    names = {each.name: each for each in found}
    view = report.view
    calls = {
        each.name: [
            match[1]
            for statement in each.statements
            for match in _NAME_BEFORE_BRACKET.finditer(view, statement.start, statement.end)
            if match[1] in names
        ]
        for each in found
    }
    called_by_others = {name for by, each in calls.items() for name in each if name != by}
    tops = [each for each in found if each.name not in called_by_others]
    if len(tops) != 1:
        text = report.text
        choices = [(f"`{each.name}`", text[slice(*each.span)].strip()) for each in tops]
        report.fail(
            "there are several functions: which is meant?"
            if tops
            else "these functions call each other",
            *found[-1].span,
            "give one formula",
            choices=tuple(choices),
        )
    order: dict[str, None] = {}
    todo = [(tops[0].name, False)]
    while todo:  # each behind those that it calls
        name, done = todo.pop()
        if done:
            order[name] = None
        elif name not in order:
            if len(todo) > _MOST_FUNCTIONS:
                report.fail(
                    "these functions call each other", *names[name].span, "give one formula"
                )
            todo += [(name, True), *[(other, False) for other in calls[name]]]
    top = names[tops[0].name]
    helpers = tuple([names[name] for name in order if name != top.name])
    return list(top.statements), list(top.arguments), top.name, helpers


def _with_constants(
    report: Report,
    above: list[Statement],
    statements: list[Statement],
    arguments: list[str],
    start: int,
) -> list[Statement]:
    """The statements of a function behind those constants above it that they use."""
    if not above:
        return statements
    used = {name for each in statements for name in _WORD.findall(report.view, *each[1:])}
    kept: list[Statement] = []
    for each in reversed(above):
        if each.name in used and each.name not in arguments:
            kept.append(each)
            used |= set(_WORD.findall(report.view, each.start, each.end))
    if not kept:
        return statements
    kept.reverse()
    listed = wording.join([f"`{each.name}`" for each in kept], limit=5)
    report.note(
        f"the values that are given for {listed} above the function are put in",
        (kept[0].start, kept[-1].end),
    )
    first = report.view[above[-1].end :]
    behind = above[-1].end + len(first) - len(first.lstrip("; \t\n"))
    report.keep("without these values", report.text[:start] + report.text[behind:])
    return [*kept, *statements]


class _Statements:
    def __init__(self, report: Report, dialect: str, start: int, end: int) -> None:
        self.report = report
        self.view = report.view
        self.dialect = dialect
        self.start, self.end = start, end
        self.arguments: list[str] = []
        self.called = ""
        self.block = False
        self.given_above: list[Statement] = []  # constants before the function
        self.following = 0  # where another function begins
        self.defaults: list[tuple[str, str]] = []  # the texts with a default put in, by label
        self.heads: list[tuple[str, tuple[int, int]]] = []  # the names given, and where

    def split(self) -> tuple[list[Statement], list[str], str]:
        """The statements up to the first that is returned, the arguments, the function's name."""
        self.header()
        found: list[Statement] = []
        returned = False
        for start, end in self.lines():
            if self.unpacks_argument(start, end):
                continue
            if several := self.unpacked(start, end):
                found += several
                continue
            if found and self.is_shown(start, end):
                continue
            statement, returned = self.statement(start, end)
            if statement is None:
                continue
            if (found and not found[-1].name) and (returned or not statement.name):
                self.refuse_session()
                self.report.fail(
                    "more than one formula",
                    statement.start,
                    statement.end,
                    "give a single one; a list or a table of them is for Compare",
                )
            found.append(statement)
            if returned:
                self.following = self.next_function(end)
                break
        if not found:
            found.append(Statement("", self.start, self.end))
        final = found[-1].end
        if len(found) > 1 and not returned:
            found = self.in_order(found)
        last = found[-1]
        if len(found) > 1 and not self.called:
            told = f"what `{last.name}` stands for" if last.name else "the last line"
            if not last.name and last.end < final:
                told = "the line that gives no name"
            told = "what is returned" if returned else told
            self.report.note(f"{told} is read", (last.start, last.end))
        elif last.name:
            name, span = next(
                (head for head in reversed(self.heads) if head[1][1] <= last.start), self.heads[-1]
            )
            self.report.note(f"only the right-hand side of `{name} = …` is read", span)
        found[-1] = Statement("", last.start, last.end)
        return found, self.arguments, self.called

    def is_shown(self, start: int, end: int) -> bool:
        """Whether a line only shows what was computed, as ``plt.plot(x, y)`` does."""
        line = self.view[start : without_closing_marks(self.view, start, end)].strip()
        if _SHOWN.match(line) is None:
            return False
        self.report.note(f"`{line[:40]}` is not read", (start, end))
        return True

    def without_block(self, start: int, end: int) -> tuple[int, int]:
        """The place without Julia's ``begin … end``, or the ``end`` of a function on one line."""
        begin = _BEGIN.match(self.view, start, end)
        last = _LAST_END.search(self.view, max(start, end - 100), end)
        if last is None or not (begin or self.block):
            return start, end
        return (begin.end() if begin else start), last.start()

    def refuse_session(self) -> None:
        """Raise for a class, and for a line of a session with its result."""
        if (head := _CLASS.match(self.view, self.start, self.end)) is not None:
            self.report.fail(
                "a class is no formula", *head.span(), "give the expression that its method returns"
            )
        if _SESSION.match(self.report.text) is not None:
            self.report.fail(
                "a session holds what was typed and its result",
                self.start,
                self.end,
                "give the formula alone",
            )

    def next_function(self, place: int) -> int:
        """Where the next function with a name begins behind the end of one, 0 if none does."""
        if not self.called:
            return 0
        match = _BETWEEN_FUNCTIONS.match(self.view, place, self.end)
        start = match.end() if match is not None else place
        for pattern in _HEADERS:
            head = pattern.match(self.view, start, self.end)
            if head is not None and head.groupdict().get("name"):
                return start
        return 0

    def in_order(self, found: list[Statement]) -> list[Statement]:
        """The statements with the formula last, and before it those that it needs. The formula is
        the one that no later statement uses; numbers are none where another statement holds
        variables. Numbers given behind it are put into it. Raises `FormulaError` if there are
        several.
        """
        if not found[-1].name:
            return found
        uses = [set(_WORD.findall(self.view, each.start, each.end)) for each in found]
        constants: set[str] = set(CONSTANT_NAMES)
        is_number = [False] * len(found)
        for place, (each, names) in enumerate(zip(found, uses, strict=True)):
            is_number[place] = names <= constants
            if is_number[place] and each.name:
                constants.add(each.name)
        later: set[str] = set()
        sinks: list[int] = []
        for place in range(len(found) - 1, -1, -1):
            name = found[place].name
            if name not in later:
                sinks.append(place)
            later.discard(name)
            later |= uses[place]
        formulas = [place for place in sorted(sinks) if not is_number[place]]
        if not formulas:
            return found
        if len(formulas) > 1:
            last = found[formulas[-1]]
            self.report.fail(
                "there are several formulas: which is meant?",
                last.start,
                last.end,
                "give a single one",
                choices=tuple(
                    (
                        f"`{found[i].name}`" if found[i].name else "the line without a name",
                        self.alone(found, uses, i),
                    )
                    for i in formulas
                ),
            )
        top = formulas[0]
        behind = [
            each
            for each, number in zip(found[top + 1 :], is_number[top + 1 :], strict=True)
            if number
        ]
        needed: set[str] = set().union(*uses[: top + 1])
        for each in reversed(behind):
            if each.name in needed:
                needed |= set(_WORD.findall(self.view, each.start, each.end))
        put_in = [each for each in behind if each.name in needed]
        if put_in:
            listed = wording.join([f"`{each.name}`" for each in put_in], limit=5)
            self.report.note(
                f"the values that are given for {listed} behind the formula are put in",
                (put_in[0].start, put_in[-1].end),
            )
            self.report.keep("without these values", self.alone(found[: top + 1], uses, top))
        elif top + 1 < len(found):
            listed = wording.join([f"`{each.name}`" for each in found[top + 1 :]], limit=5)
            self.report.note(
                f"{listed} beside the formula is not read", (found[-1].start, found[-1].end)
            )
        return [*put_in, *found[: top + 1]]

    def alone(self, found: list[Statement], uses: list[set[str]], top: int) -> str:
        """The text of one statement behind those that it needs, a line each."""
        heads = {span[1]: span[0] for _, span in self.heads}
        needed, kept = uses[top], [top]
        for place in range(top - 1, -1, -1):
            if found[place].name in needed:
                needed = needed | uses[place]
                kept.append(place)
        text, end = self.report.text, ";" if self.dialect == "c" else ""
        lines = [
            f"{s.name} = {text[s.start : s.end].strip()}{end}"
            if s.name and s.start not in heads
            else text[heads.get(s.start, s.start) : s.end] + end
            for s in (found[i] for i in kept)
        ]
        return "\n".join(reversed(lines))

    def header(self, is_again: bool = False) -> None:
        """Go past what is imported, constants (once) and the first line of a function."""
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
            if groups.get("arguments"):
                self.note_defaults(match, match.span("arguments"))
            if match[0].rstrip().endswith("=>"):
                self.ask_for_comparison(match)
            return
        if not is_again and (behind := self.constants_above(place)) is not None:
            self.start = behind
            self.header(True)
            self.given_above = self.given_above if self.block else []
        if not self.block:
            self.start = place

    def ask_for_comparison(self, head: re.Match[str]) -> None:
        """Raise for ``x => 1``, which may be ``x >= 1``: the value does not use the argument."""
        used = _WORD.findall(self.view, self.start, self.end)
        if not self.arguments or not set(used).isdisjoint(self.arguments):
            return
        text, place = self.report.text, self.view.rindex("=>", head.start(), head.end())
        value = text[self.start : self.end].strip()
        declared = ", ".join(self.arguments)
        self.report.fail(
            f"the function behind `=>` does not use `{self.arguments[0]}`",
            place,
            place + 2,
            "write `>=` for a comparison",
            choices=(
                ("a comparison", f"{text[:place]}>={text[place + 2 :]}"),
                ("a function", f"f({declared}) = {value}"),
            ),
        )

    def constants_above(self, place: int) -> int | None:
        """Where what follows ``G = 6.67e-11`` and its kin begins, which are kept; None if none."""
        known, begin = set(CONSTANT_NAMES), place
        while (match := _CONSTANT.match(self.view, place, self.end)) is not None:
            if not set(_WORD.findall(self.view, *match.span("value"))) <= known:
                break
            known.add(match["name"])
            low, high = match.span("value")
            self.given_above.append(Statement(match["name"], low, high))
            preamble = _PREAMBLE.match(self.view, match.end(), self.end)
            place = preamble.end() if preamble else match.end()
        return place if place > begin else None

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
        """Whether a statement ends with its line, at `place`; `following` is the next line that is
        not blank.
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
        if self.block:
            start, end = self.without_block(start, end)
        body = view[start:end]
        if not body or body in ("}", "{") or _SKIPPED_STATEMENT.match(body):
            return None, False
        control = _CONTROL.match(body)
        if control and not (
            body[control.end() :].lstrip().startswith("=")
            or _has_branches(body, control.end())
            or (control[0] == "if" and "else" in body and _OF_BLOCKS.search(body) is None)
        ):
            report.fail(
                f"the statement `{control[0]}` is not read",
                start,
                start + control.end(),
                _instead_of(control[0], self.dialect),
            )
        if (other := _STATEMENT.match(body)) is not None:
            report.fail(
                f"the statement `{other[0]}` is not read",
                start,
                start + other.end(),
                "give the formula alone",
            )
        if (changed := _CHANGED.match(body)) is not None:
            report.fail(
                "this assignment is not read",
                start,
                start + changed.end(),
                "give each name a line of its own, as in `a = x + 1`",
            )
        if (returned := re.match(r"return\b\s*+(?=\S)", body)) is not None:
            return self.anonymous("", start + returned.end(), end), True
        given = _ASSIGNMENT.match(view, start, end)
        if given is None:
            return self.anonymous("", start, end), False
        if given["arguments"] is not None:
            self.arguments += _argument_names(given["arguments"])
        self.heads.append((given["name"], (start, given.end())))
        return self.anonymous(given["name"], *self.without_block(given.end(), end)), False

    def unpacks_argument(self, start: int, end: int) -> bool:
        """Whether a line is ``m, v = params``, whose names are then the arguments."""
        match = _UNPACKED.match(self.view, start, end)
        if match is None:
            return False
        given = self.view[match.end() : without_closing_marks(self.view, match.end(), end)].strip()
        names = [part.strip() for part in match["names"].split(",")]
        if given not in self.arguments or given in names or len(set(names)) < len(names):
            return False
        if re.search(rf"(?<![\w.]){given}(?!\w)", self.view[end : self.end]) is not None:
            return False
        place = self.arguments.index(given)
        self.arguments[place : place + 1] = names
        shown = wording.join([f"`{name}`" for name in names], limit=5)
        self.report.note(f"{shown} are read as the parts of the argument `{given}`", (start, end))
        return True

    def unpacked(self, start: int, end: int) -> list[Statement]:
        """``a, b = x, y`` as a statement for each name, unless a value holds one of the names."""
        match = _UNPACKED.match(self.view, start, end)
        if match is None:
            return []
        names = [part.strip() for part in match["names"].split(",")]
        low, high = match.end(), without_closing_marks(self.view, match.end(), end)
        while low < high and self.view[low].isspace():
            low += 1
        if self.view[low : low + 1] == "(" and _last_mark(self.view, low, high) == ")":
            depths = [0]
            for mark in self.view[low:high].rstrip():
                depths.append(depths[-1] + (mark in "([{") - (mark in ")]}"))
            if min(depths[1:-1]) > 0:  # one pair of parentheses around them all
                low, high = low + 1, self.view.rindex(")", low, high)
        places, depth = [low], 0
        for place in range(low, high):
            mark = self.view[place]
            depth += (mark in "([{") - (mark in ")]}")
            if mark == "," and not depth:
                places.append(place + 1)
        ends = [*[place - 1 for place in places[1:]], high]
        used = set(_WORD.findall(self.view, low, high))
        if len(places) != len(names) or len(set(names)) < len(names) or used & set(names):
            return []
        self.heads += [(name, (match.start("names"), match.end())) for name in names]
        return [
            Statement(name, low, high) for name, low, high in zip(names, places, ends, strict=True)
        ]

    def anonymous(self, name: str, start: int, end: int) -> Statement:
        """The body of a function without a name, or the formula itself."""
        match = _ANONYMOUS.match(self.view, start, end)
        if match is None:
            return Statement(name, start, end)
        inside = next((text for text in match.groups() if text is not None), "")
        if match["one"] and not re.search(rf"\b{inside}\b", self.view[match.end() : end]):
            self.report.note(f"`{inside} -> …` is read as a function of `{inside}`", match.span())
        self.arguments += _argument_names(inside)
        span = next(
            (match.span(name) for name in match.groupdict() if match[name] is not None), (0, 0)
        )
        self.note_defaults(match, span)
        return Statement(name, match.end(), end)

    def note_defaults(self, head: re.Match[str], span: tuple[int, int]) -> None:
        """Say which arguments have a value by default, and offer the text with these put in."""
        inside = self.view[slice(*span)]
        if "=" not in inside:
            return
        parts = inside.split(",")
        given = [_DEFAULT.match(part) for part in parts]
        named = [match for match in given if match is not None]
        if not named:
            return
        shown = wording.join([f"`{match[1]} = {match[2].strip()}`" for match in named], limit=5)
        told = "default {} is not put in: it stays a variable"
        if len(named) > 1:
            told = "defaults {} are not put in: they stay variables"
        self.report.note("the " + told.format(shown), head.span())
        kept = [part for part, match in zip(parts, given, strict=True) if match is None]
        if not any(_argument_names(part) for part in kept):
            return  # nothing would be left to vary
        values = [f"{match[1]} = {match[2].strip()}" for match in named]
        text, place = self.report.text, head.end()
        pieces = [(*span, ",".join(kept))]
        if not (self.block and head.start() < self.start <= place):
            place = self.start
            while text[place].isspace():
                place += 1
            pieces.append((place, place, "".join(f"{each}\n" for each in values)))
        elif line := _NEXT_LINE.match(text, len(self.view[:place].rstrip()), self.end):
            pieces.append((line.start(), line.start(), "".join(line[0] + each for each in values)))
        else:
            written = "".join(f" {each};" for each in values)
            is_open = text[:place].endswith(("{", ":"))
            pieces.append((place, place, written if is_open else f"{{{written} "))
            pieces += [] if is_open else [(self.end, self.end, " }")]
        label = "these defaults" if len(named) > 1 else values[0]
        self.defaults.append((f"with {label} put in", replaced(text, pieces)))


def _instead_of(statement: str, dialect: str) -> str:
    """What to write in place of a statement that is not read."""
    if statement in ("if", "else", "elif", "elseif", "switch"):
        choice = "c ? a : b" if dialect in ("c", "julia") else "a if c else b"
        return f"give a single expression: for a choice write `{choice}`"
    return "give a single expression"


def _has_branches(body: str, place: int) -> bool:
    """Whether the first parentheses behind `place` hold a comma of their own.

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
    """The formula of a program, each name replaced by its value. Raises `FormulaError` if it is
    none.
    """
    functions: dict[str, Function] = {}
    for helper in program.helpers:
        functions[helper.name] = _own_helper(report, helper) or _helper(
            report, names, program, helper, functions
        )
    return _result(report, names, program, program.statements, {}, functions)


def _own_helper(report: Report, helper: Helper) -> Function | None:
    """The operator that a C function stands for, if it is one that `eic_core.formula` writes."""
    from eic_core.operators.dialects import C_DIALECT  # of no use to programs without functions

    spelling = C_DIALECT.spellings.get(helper.name)
    written = report.text[slice(*helper.span)].rstrip()
    is_own = spelling is not None and spelling.helpers and written.endswith(spelling.helpers[0])
    return FUNCTIONS[helper.name] if is_own else None


def _helper(
    report: Report, names: Names, program: Program, helper: Helper, known: dict[str, Function]
) -> Function:
    """A function of the program, which builds what it returns for its arguments."""
    slots = {name: Draft(VARIABLE, [], name, None, helper.span) for name in helper.arguments}
    given = {name: (slot, 1) for name, slot in slots.items()}
    body = _result(report, names, program, helper.statements, given, known)
    places = {id(slot): place for place, slot in enumerate(slots.values())}

    def build(args: list[Draft], span: tuple[int, int]) -> Draft:
        draft = _put_in(body, {key: args[place] for key, place in places.items()})
        if _size(draft) > MAX_NODES:
            raise Refusal(f"the formula has more than {MAX_NODES:,} nodes", "write it out")
        report.note("functions that are given are replaced by what they return", helper.span)
        return draft

    return Function(helper.name, len(slots), len(slots), build)


def _put_in(body: Draft, operands: dict[int, Draft]) -> Draft:
    """A copy of a tree with operands for its arguments, which are told by their identity."""
    copies = dict(operands)
    todo = [body]
    while todo:
        draft = todo[-1]
        missing = [child for child in draft.children if id(child) not in copies]
        if missing and id(draft) not in copies:
            todo += missing
            continue
        todo.pop()
        if id(draft) not in copies:
            children = [copies[id(child)] for child in draft.children]
            copies[id(draft)] = Draft(
                draft.operator, children, draft.label, draft.parameter, draft.span
            )
    return copies[id(body)]


def _size(draft: Draft) -> int:
    """How many nodes a tree has whose parts may be shared."""
    sizes: dict[int, int] = {}
    todo = [draft]
    while todo:
        node = todo[-1]
        missing = [child for child in node.children if id(child) not in sizes]
        if missing:
            todo += missing
            continue
        todo.pop()
        sizes[id(node)] = 1 + sum([sizes[id(child)] for child in node.children])
    return sizes[id(draft)]


def _result(
    report: Report,
    names: Names,
    program: Program,
    statements: tuple[Statement, ...],
    given: dict[str, tuple[Draft, int]],
    functions: dict[str, Function],
) -> Draft:
    """What the last of these statements stands for; `given` names stand for drafts of a size."""
    draft: Draft | None = None
    for statement in statements:
        tokens = tokenize(report, statement.start, statement.end)
        size = 6 * len(tokens)
        for place, (kind, text, start, end, _) in enumerate(tokens):
            if kind == NAME and text in given:
                known, count = given[text]
                size += count
                tokens[place] = (LEAF, text, start, end, known)
            elif kind == CALL and text in functions:
                tokens[place] = (CALL, text, start, end, functions[text])
        if size > _MOST_COPIES:
            report.fail(
                f"the formula has more than {MAX_NODES:,} nodes",
                statement.start,
                statement.end,
                "put fewer names into each other",
            )
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
    if len(statements) > 1:
        report.note(
            "names that are given on a line of their own are replaced by what they stand for",
            (statements[0].start, statements[0].end),
        )
    assert draft is not None
    return draft


def _settle_calls(report: Report, names: Names, tokens: list[TokenRow], dialect: str) -> None:
    """Give each call its meaning in a language in which ``p(1)`` is no product. Raises
    `FormulaError` for an unknown function.
    """
    for kind, text, start, end, extra in tokens:
        if kind != CALL or extra is not None:
            continue
        if names.is_factor(text) and text.lower() not in FUNCTIONS:
            report.fail(
                f"`{text}(…)` is a call or an element here, not a product",
                start,
                end,
                f"for a product write `{text}*(…)`, for an element a name",
            )


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
                f" to {int(over) // int(under)}",
                (start, end),
            )


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
