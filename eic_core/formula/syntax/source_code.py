"""Reads programs that hold one formula: Python, C and its kin, MATLAB, Julia, R. A program is read
through a view of its text: a copy of the same length in which all that is no formula (comments,
types, ``std::``, the dot of ``.^``) is blank. So every place in the view is the place in the user's
own text. There remain statements, which give names to formulas, and the formula that is returned.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from eic_core.formula.syntax.build import FUNCTIONS, NOTHING, Function, definition
from eic_core.formula.syntax.definitions import inlined, size_of
from eic_core.formula.syntax.elements import find_elements, with_elements
from eic_core.formula.syntax.infix import parse_text, tokenize
from eic_core.formula.syntax.names import CONSTANT_NAMES, Names
from eic_core.formula.syntax.paste import closing, without_closing_marks
from eic_core.formula.syntax.python_program import read_python
from eic_core.formula.syntax.reading import MAX_NODES, Refusal, Report
from eic_core.formula.syntax.source_view import DIALECTS, TYPE, View, find_dialect
from eic_core.formula.syntax.statements import IDENTIFIER as WORD
from eic_core.formula.syntax.statements import (
    Constant,
    FunctionBody,
    Helper,
    Program,
    Span,
    Statement,
    program_of,
    refuse_assignment,
    refuse_statement,
    with_constants,
    words_in,
)
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
from eic_core.formula.tree import VARIABLE, Draft, Formula
from eic_core.operators import OPERATORS

__all__ = ["Program", "read_program", "read_source"]

_NAME_ALONE = re.compile(rf"{WORD}\Z")
_ARGUMENTS = r"\((?P<arguments>[^()]*+)\)"
_PREAMBLE = re.compile(
    r"(?:\s|(?:import|from|using|library|require|#include|use\s++(?:(?:std|core)(?=::)|pi(?=\s*+;)))\b[^\n;]*+(?:[\n;]|\Z)"
    r"|@[A-Za-z_][\w.]*+(?:\([^()\n]*+\))?+[ \t]*+\n|template\s*+<[^<>]*+>)*+"
)
_GIVEN = rf"(?:(?:{TYPE}\s++)*+{WORD}\s*+(?::[^=\n(]{{0,80}})?+(?:=(?![=>])|<-(?=\s)|:=)\s*+)?+"
_HEADERS = tuple(
    re.compile(_GIVEN + pattern if given else pattern)
    for given, pattern in (
        (
            False,
            rf"(?:async\s++)?+def\s++(?P<name>{WORD})\s*+{_ARGUMENTS}\s*+(?:->[^:\n]*+)?+:",
        ),
        (
            False,
            rf"function\s++\[?+\s*+{WORD}\s*+\]?+\s*+=\s*+(?P<name>{WORD})\s*+{_ARGUMENTS}",
        ),
        (True, rf"function\b\s*+(?P<name>{WORD})?+\s*+{_ARGUMENTS}\s*+\{{?+"),
        (
            True,
            r"\[[^\[\]\n]{0,80}\]\s*+"
            + _ARGUMENTS
            + r"\s*+(?:mutable\s*+)?+(?:->[^{\n]{0,80})?+\{",
        ),
        (True, rf"(?:async\s++)?+(?:{_ARGUMENTS}|(?P<argument>{WORD}))\s*+=>\s*+\{{?+"),
        (True, rf"(?:{_ARGUMENTS}|(?P<argument>{WORD}))\s*+->\s*+\{{"),
        (
            False,
            rf"(?:pub\s++)?+(?:const\s++)?+fn\s++(?P<name>{WORD})\s*+{_ARGUMENTS}"
            r"\s*+(?:->\s*+[\w:]++\s*+)?+\{",
        ),
        (
            False,
            rf"(?:(?:{TYPE}|T|Real|Scalar)\s++)+(?P<name>{WORD})\s*+{_ARGUMENTS}\s*+(?:const\s*+|noexcept\s*+)*+\{{",
        ),
    )
)
_ANONYMOUS = re.compile(
    rf"lambda\b(?P<lambda>[^:()\[\]\n]*+):|@\s*+{_ARGUMENTS}|\\\((?P<short>[^()]*+)\)"
    r"|\|(?P<closure>[^|()\n:]++:[^|()\n]++)\|(?:\s*+->\s*+\w++)?+"
    rf"|(?:\((?P<pair>[^()]*+)\)|(?P<one>{WORD}))\s*+(?:->|↦)"
)
_ASSIGNMENT = re.compile(
    rf"(?:{TYPE}\s++)*+(?P<name>{WORD})\s*+(?:\((?P<arguments>[^()=]*+)\)\s*+)?+"
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
_STATEMENT = re.compile(r"(?:del|global|nonlocal|yield|delete|throw)(?=[ \t]++[^\W\d])")
"""What begins a statement before a name."""
_OF_BLOCKS = re.compile(r"[;\n]|\breturn\b|(?<![<>=!~])=(?!=)")
"""What R's choice of two values on one line does not hold."""
_CHANGED = re.compile(
    rf"\(?+{WORD}(?:\s*+,\s*+{WORD})++\s*+\)?+\s*+=(?!=)|{WORD}\s*+(?:\*\*|[-+*/^])=(?!=)"
)
_BETWEEN_FUNCTIONS = re.compile(r"(?:[\s;}]|end(?:function)?\b)*+")
_DEFAULT = re.compile(
    rf"\s*+(?:{WORD}[\s*&]++(?=[^\W\d]))*+({WORD})\s*+(?::[^=]*+)?+=(?!=)([^=]++)\Z"
)
_CONSTANT = re.compile(
    rf"(?:{TYPE}\s++)*+(?P<name>{WORD})\s*+(?::[^=\n(;]{{0,80}})?+(?:=(?![=>])|<-(?=\s)|:=)[ \t]*+"
    r"(?P<value>[^\s{}=;<>](?:[^\n{}=;<>])*+)(?:;|(?=\n))\s*+"
)
"""A line before a function that gives a value."""
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
    if dialect == "infix" and (program := read_python(report, start, end)) is not None:
        return program
    blocks: list[_Lines] = []
    above: list[Constant] = []
    while True:
        block = _Lines(report, dialect, start, end)
        block.split()
        above += block.given_above
        with_constants(report, above, block)
        blocks.append(block)
        if not block.following:
            break
        start = block.following
    powers_from_left = False if dialect != "matlab" else True if sure else None
    return program_of(report, blocks, dialect, powers_from_left)


class _Lines(FunctionBody):
    """The statements of a program that is told by its signs."""

    def __init__(self, report: Report, dialect: str, start: int, end: int) -> None:
        super().__init__(report, (start, end), ";" if dialect == "c" else "")
        self.view = report.view
        self.dialect = dialect
        self.start, self.end = start, end
        self.block = False
        self.given_above: list[Constant] = []  # before the function
        self.following = 0  # where another function begins

    def split(self) -> None:
        """Keep the statements up to the first that is returned."""
        self.header()
        returned = False
        for start, end in self.lines():
            if self.is_shown(start, without_closing_marks(self.view, start, end)):
                continue
            statement, returned = self.statement(start, end)
            if statement is not None:
                self.add(statement, returned)
                if returned:
                    self.following = self.next_function(end)
                    break
        self.name, self.span = self.called, (self.span[0], self.following or self.span[1])
        if not self.statements:
            self.statements.append(Statement("", self.start, self.end))
        self.finish(returned)

    def without_block(self, start: int, end: int) -> tuple[int, int]:
        """The place without Julia's ``begin … end``, or the ``end`` of a function on one line."""
        begin = _BEGIN.match(self.view, start, end)
        last = _LAST_END.search(self.view, max(start, end - 100), end)
        if last is None or not (begin or self.block):
            return start, end
        return (begin.end() if begin else start), last.start()

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
        used = words_in(self.report, Statement("", self.start, self.end))
        if not self.arguments or not used.isdisjoint(self.arguments):
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
            statement = Statement(match["name"], *match.span("value"))
            if not words_in(self.report, statement) <= known:
                break
            known.add(statement.name)
            self.given_above.append((statement, match.start()))
            preamble = _PREAMBLE.match(self.view, match.end(), self.end)
            place = preamble.end() if preamble else match.end()
        return place if place > begin else None

    def lines(self) -> Iterator[tuple[int, int]]:
        """The places of the statements, divided where the language ends one."""
        view = self.view
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
                yield begin, place
                begin = match.end()
        yield begin, self.end

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
        rest = body[control.end() :].lstrip() if control else ""
        if control and not (
            rest.startswith("=")
            or (rest.startswith("(") and closing(rest, 0, len(rest), ",;") < 0)  # `if(c, a, b)`
            or (control[0] == "if" and "else" in body and _OF_BLOCKS.search(body) is None)
        ):
            is_c = self.dialect in ("c", "julia")
            refuse_statement(report, control[0], start, "c ? a : b" if is_c else "a if c else b")
        if (other := _STATEMENT.match(body)) is not None:
            refuse_statement(report, other[0], start)
        if (changed := _CHANGED.match(body)) is not None:
            refuse_assignment(report, start, start + changed.end())
        if (returned := re.match(r"return\b\s*+(?=\S)", body)) is not None:
            return self.anonymous("", start + returned.end(), end), True
        given = _ASSIGNMENT.match(view, start, end)
        if given is None:
            return self.anonymous("", start, end), False
        if given["arguments"] is not None:
            self.arguments += _argument_names(given["arguments"])
        self.heads.append((given["name"], (start, given.end())))
        return self.anonymous(given["name"], *self.without_block(given.end(), end)), False

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

    def note_defaults(self, head: re.Match[str], inside: Span) -> None:
        """Say which arguments have a value by default."""
        parts = self.view[slice(*inside)].split(",")
        given = [(part, _DEFAULT.match(part)) for part in parts]
        start = self.heads[-1][1][0] if self.heads else head.start()
        arguments = [
            (part, match[1], match[2]) if match else (part, "", "") for part, match in given
        ]
        self.offer_defaults(head.span(), start, inside, arguments)


def _last_mark(view: str, start: int, end: int) -> str:
    while end > start and view[end - 1].isspace():
        end -= 1
    return view[end - 1] if end > start else ""


def read_source(report: Report, names: Names, program: Program) -> Draft:
    """The formula of a program, each name replaced by its value. Raises `FormulaError` if it is
    none.
    """
    functions: dict[str, Function] = {}

    def note(helper: Helper) -> None:
        told = "functions that are given are replaced by what they return"
        report.note(told, helper.span)

    for helper in program.helpers:
        if (own := _own_helper(report, helper)) is not None:
            functions[helper.name] = own
            continue
        slots = {name: Draft(VARIABLE, [], name, None, helper.span) for name in helper.arguments}
        places = {id(slot): place for place, slot in enumerate(slots.values())}
        body = _result(report, names, program, helper.statements, {**slots}, functions)
        if (own := _own_operator(helper, body)) is not None:
            functions[helper.name] = own
            continue
        on_use = partial(note, helper)
        parameters = tuple([name.lower() for name in helper.arguments])
        function = inlined(helper.name, len(slots), body, places, on_use)
        values = [_result(report, names, program, [v], {}, functions) for v in helper.values]
        function = _with_defaults(function, values) if values else function
        functions[helper.name] = function._replace(parameters=parameters)
    draft = _result(report, names, program, program.statements, {}, functions)
    if size_of(draft) > MAX_NODES:
        report.fail(
            f"the formula has more than {MAX_NODES:,} nodes",
            *program.statements[-1][1:],
            "put fewer names into each other",
        )
    return draft


def _own_helper(report: Report, helper: Helper) -> Function | None:
    """The operator that a C function stands for, if it is one that `eic_core.formula` writes."""
    from eic_core.operators.dialects import C_DIALECT  # of no use to programs without functions

    spelling = C_DIALECT.spellings.get(helper.name)
    written = report.text[slice(*helper.span)].rstrip()
    is_own = spelling is not None and spelling.helpers and written.endswith(spelling.helpers[0])
    return FUNCTIONS[helper.name] if is_own else None


def _own_operator(helper: Helper, body: Draft) -> Function | None:
    """The same of an operator that is written by the definition in its row."""
    row = OPERATORS.get(helper.name)
    if row is None or not row.writing.definition:
        return None
    own, written = (
        Formula.from_draft(each).structure() for each in (definition(row.writing.definition), body)
    )
    return FUNCTIONS[helper.name] if own == written else None


def _with_defaults(function: Function, values: Sequence[Draft]) -> Function:
    """A function that takes these values for the last of its arguments that a call leaves out."""
    defaults = [None] * (function.high - len(values)) + [*values]

    def build(args: list[Draft], span: Span) -> Draft:
        given = [
            default if arg.label == NOTHING else arg
            for arg, default in zip(args, defaults, strict=True)
        ]
        if not all(given):
            raise Refusal(f"`{function.name}` lacks an argument", "give it, too")
        return function.build([arg for arg in given if arg is not None], span)

    return function._replace(build=build, fills=True)


def _result(
    report: Report,
    names: Names,
    program: Program,
    statements: Sequence[Statement],
    given: dict[str, Draft],
    functions: Mapping[str, Function],
) -> Draft:
    """What the last of these statements stands for; `given` names stand for drafts."""
    for statement in statements:
        given[statement.name] = (
            program.python.read(report, names, statement[1:], given, functions)
            if program.python is not None
            else _formula(report, names, program, statement, given, functions)
        )
    if len(statements) > 1:
        report.note(
            "names that are given on a line of their own are replaced by what they stand for",
            (statements[0].start, statements[0].end),
        )
    return given[statements[-1].name]


def _formula(
    report: Report,
    names: Names,
    program: Program,
    statement: Statement,
    given: Mapping[str, Draft],
    functions: Mapping[str, Function],
) -> Draft:
    tokens = tokenize(report, statement.start, statement.end)
    for place, (kind, text, start, end, _) in enumerate(tokens):
        if kind == NAME and text in given:
            tokens[place] = (LEAF, text, start, end, given[text])
        elif kind == CALL and text in functions:
            tokens[place] = (CALL, text, start, end, functions[text])
    if program.dialect == "matlab" and (found := find_elements(names, tokens)):
        tokens = with_elements(report, tokens, found)
    if program.dialect != "infix":
        _settle_calls(report, names, tokens)
    if program.dialect == "c":
        _note_divisions(report, tokens)
    draft = parse_text(report, names, tokens)
    if program.powers_from_left is None:
        _refuse_chained_powers(report, draft)
    return draft


def _settle_calls(report: Report, names: Names, tokens: list[TokenRow]) -> None:
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
