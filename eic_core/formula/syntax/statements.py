"""What the statements of a program come to: names that stand for formulas, functions that call each
other, and the one formula that is meant. It is the same for every language; which statements there
are, `python_source` and `source_code` say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple, NoReturn

from eic_core import wording
from eic_core.formula.syntax.names import CONSTANT_NAMES
from eic_core.formula.syntax.python_source import Formulas
from eic_core.formula.syntax.reading import MAX_CHOICES, Report, replaced

Span = tuple[int, int]
IDENTIFIER = r"[^\W\d]\w*+"
_WORD = re.compile(rf"(?<![^\W\d])(?<!\.){IDENTIFIER}(?!\s*+[(.])")
"""A name that is no function and no module."""
_CALLED = re.compile(rf"(?<!\.)\b({IDENTIFIER})\s*+\(")
_CLASS = re.compile(rf"\s*+(?:class|struct)\s++{IDENTIFIER}")
_SESSION = re.compile(r"\s*+(?:>>>?|In ?\[[0-9]{0,6}\]:|julia>|sage:)\s")
_SHOWN = re.compile(
    r"(?:print|println|display|disp|show|cat|(?:plt|ax|fig|sns|pyplot|console)\.[\w.]++)"
    r"\s*+\(.*\)\Z",
    re.DOTALL,
)
"""A last line that shows what was computed."""
_LINE_END = re.compile(r"[ \t;]*+\n?")


class Statement(NamedTuple):
    name: str  # What it is called from here on; "" for the result
    # start, end: the place of its formula
    start: int
    end: int


class Helper(NamedTuple):
    name: str
    arguments: tuple[str, ...]
    statements: tuple[Statement, ...]  # The last one is what it returns
    span: Span  # Its place in the text
    values: tuple[Statement, ...] = ()  # What the last arguments are if a call leaves them out


Constant = tuple[Statement, int]
"""A statement above a function, and where its line begins."""


class Program(NamedTuple):
    dialect: str  # One of `source_view.DIALECTS`
    arguments: tuple[str, ...]  # The names of the function's arguments
    statements: tuple[Statement, ...]  # In order; the last one is the result
    powers_from_left: bool | None  # Whether ``a^b^c`` is (a^b)^c; None where that cannot be told
    # The functions that the program calls, each behind those that it calls itself
    helpers: tuple[Helper, ...] = ()
    python: Formulas | None = None  # What reads the formulas, if Python has parsed them

    @property
    def is_plain(self) -> bool:
        """Whether nothing but its place tells it from a formula by itself."""
        alone = len(self.statements) == 1 and not self.helpers
        return self.dialect == "infix" and alone and self.python is None


def words_in(report: Report, *parts: Statement) -> set[str]:
    """The names that stand in the formulas of statements."""
    return {word for each in parts for word in _WORD.findall(report.view, each.start, each.end)}


class FunctionBody:
    """The statements of one function, or of a text without functions, and what is said of them."""

    def __init__(self, report: Report, span: Span, line_end: str = "") -> None:
        self.report = report
        self.span = span
        self.line_end = line_end  # what closes a statement in this language
        self.arguments: list[str] = []
        self.name = ""  # what others call it by
        self.called = ""  # the same, where what it returns is to be noted
        self.statements: list[Statement] = []
        self.heads: list[tuple[str, Span]] = []  # the names given, and where
        self.values: list[Statement] = []  # what the last arguments are by default
        self.defaults: list[tuple[str, str]] = []  # the texts with defaults put in, by label

    def add(self, statement: Statement, returned: bool) -> None:
        """Keep a statement. Raises `FormulaError` if a formula without a name stands before it."""
        kept = self.statements
        if kept and not kept[-1].name and (returned or not statement.name):
            self.refuse_session()
            self.report.fail(
                "more than one formula",
                statement.start,
                statement.end,
                "give a single one; a list or a table of them is for Compare",
            )
        kept.append(statement)

    def refuse_session(self) -> None:
        """Raise for a class, and for a line of a session with its result."""
        if (head := _CLASS.match(self.report.view, *self.span)) is not None:
            self.report.fail(
                "a class is no formula", *head.span(), "give the expression that its method returns"
            )
        if _SESSION.match(self.report.text) is not None:
            self.report.fail(
                "a session holds what was typed and its result",
                *self.span,
                "give the formula alone",
            )

    def is_shown(self, start: int, end: int) -> bool:
        """Whether a line only shows what was computed, as ``plt.plot(x, y)`` does."""
        line = self.report.view[start:end].strip()
        if not self.statements or _SHOWN.match(line) is None:
            return False
        self.report.note(f"`{line[:40]}` is not read", (start, end))
        return True

    def finish(self, returned: bool) -> None:
        """Put the result last, without a name, and say which it is."""
        final = self.statements[-1].end
        if len(self.statements) > 1 and not returned:
            self.statements = self.in_order(self.statements)
        kept, last = self.statements, self.statements[-1]
        if len(kept) > 1 and not self.called:
            told = f"what `{last.name}` stands for" if last.name else "the last line"
            if not last.name and last.end < final:
                told = "the line that gives no name"
            told = "what is returned" if returned else told
            self.report.note(f"{told} is read", last[1:])
        elif last.name:
            name, span = next(
                (head for head in reversed(self.heads) if head[1][1] <= last.start), self.heads[-1]
            )
            self.report.note(f"only the right-hand side of `{name} = …` is read", span)
        kept[-1] = Statement("", last.start, last.end)

    def in_order(self, kept: list[Statement]) -> list[Statement]:
        """The statements with the formula last, and before it those that it needs. The formula is
        the one that no later statement uses; numbers are none where another statement holds
        variables. Numbers given behind it are put into it. Raises `FormulaError` if there are
        several.
        """
        if not kept[-1].name:
            return kept
        uses = [words_in(self.report, each) for each in kept]
        constants: set[str] = set(CONSTANT_NAMES)
        is_number = [False] * len(kept)
        for place, (each, names) in enumerate(zip(kept, uses, strict=True)):
            is_number[place] = names <= constants
            if is_number[place] and each.name:
                constants.add(each.name)
        later: set[str] = set()
        formulas: list[int] = []
        for place in range(len(kept) - 1, -1, -1):
            if kept[place].name not in later and not is_number[place]:
                formulas.append(place)
            later.discard(kept[place].name)
            later |= uses[place]
        formulas.reverse()
        if not formulas:
            return kept
        if len(formulas) > 1:
            first = formulas[:MAX_CHOICES]
            labels = [
                f"`{kept[i].name}`" if kept[i].name else "the line without a name" for i in first
            ]
            texts = [self.alone(kept, i) for i in first]
            self.report.fail(
                "there are several formulas: which is meant?",
                *kept[formulas[-1]][1:],
                "give a single one",
                choices=tuple(zip(labels, texts, strict=True)),
            )
        top = formulas[0]
        behind = [each for i, each in enumerate(kept[top + 1 :], top + 1) if is_number[i]]
        put_in = needed(self.report, behind, kept[: top + 1])
        if put_in:
            self.report.note(
                f"the values that are given for {_listed(put_in)} behind the formula are put in",
                (put_in[0].start, put_in[-1].end),
            )
            self.report.keep("without these values", self.alone(kept[: top + 1], top))
        elif top + 1 < len(kept):
            told = f"{_listed(kept[top + 1 :])} beside the formula is not read"
            self.report.note(told, kept[-1][1:])
        return [*put_in, *kept[: top + 1]]

    def alone(self, kept: list[Statement], top: int) -> str:
        """The text of one statement behind those that it needs, a line each."""
        heads = {span[1]: span[0] for _, span in self.heads}
        text, end = self.report.text, self.line_end
        lines = [
            f"{s.name} = {text[s.start : s.end].strip()}{end}"
            if s.name and s.start not in heads
            else text[heads.get(s.start, s.start) : s.end] + end
            for s in [*needed(self.report, kept[:top], [kept[top]]), kept[top]]
        ]
        return "\n".join(lines)

    def offer_defaults(
        self, head: Span, function: int, inside: Span, arguments: Sequence[tuple[str, str, str]]
    ) -> None:
        """Say which arguments have a value by default, and offer the text with these given above
        the function, which begins at `function`. Each argument is as it is written, its name and
        its value, both "" for one without; all of them stand at `inside`.
        """
        given = [f"{name} = {value.strip()}" for _, name, value in arguments if name]
        kept = [written for written, name, _ in arguments if not name]
        if not given:
            return
        shown = wording.join([f"`{each}`" for each in given], limit=5)
        told = "default {} is not put in: it stays a variable"
        if len(given) > 1:
            told = "defaults {} are not put in: they stay variables"
        self.report.note("the " + told.format(shown), head)
        if kept:  # else nothing would be left to vary
            lines = "".join(f"{each}{self.line_end}\n" for each in given)
            pieces = [(function, function, lines), (*inside, ",".join(kept).strip())]
            label = "these defaults" if len(given) > 1 else given[0]
            text = replaced(self.report.text, pieces)
            self.defaults.append((f"with {label} put in", text))


def _listed(parts: Sequence[Statement]) -> str:
    return wording.join([f"`{each.name}`" for each in parts], limit=5)


def needed(report: Report, given: Sequence[Statement], by: Sequence[Statement]) -> list[Statement]:
    """Those of the given statements that others need, or that one of them needs."""
    used, kept = words_in(report, *by), []
    for each in reversed(given):
        if each.name in used:
            kept.append(each)
            used |= words_in(report, each)
    return kept[::-1]


def with_constants(report: Report, above: Sequence[Constant], block: FunctionBody) -> None:
    """Put those constants above a function before its statements that these use."""
    starts = {each: start for each, start in above if each.name not in block.arguments}
    kept = needed(report, [*starts], block.statements)
    if kept:
        report.note(
            f"the values that are given for {_listed(kept)} above the function are put in",
            (kept[0].start, kept[-1].end),
        )
        lines = [(starts[each], _LINE_END.match(report.text, each.end)) for each in kept]
        cuts = [(start, match.end(), "") for start, match in lines if match is not None]
        report.keep("without these values", replaced(report.text, cuts))
        block.statements = [*kept, *block.statements]


def refuse_statement(
    report: Report, word: str, start: int, choice: str = "a if c else b"
) -> NoReturn:
    """Raise for a loop, a condition as a statement and their kin."""
    hint = "give a single expression"
    if word in ("if", "else", "elif", "elseif", "switch", "match"):
        hint += f": for a choice write `{choice}`"
    report.fail(f"the statement `{word}` is not read", start, start + len(word), hint)


def refuse_assignment(report: Report, start: int, end: int) -> NoReturn:
    hint = "give each name a line of its own, as in `a = x + 1`"
    report.fail("this assignment is not read", start, end, hint)


def program_of(
    report: Report,
    blocks: Sequence[FunctionBody],
    dialect: str,
    powers_from_left: bool | None = False,
    python: Formulas | None = None,
) -> Program:
    """The program of the one function that no other calls. Raises `FormulaError` if there are
    several, or if one calls itself.
    """
    helpers = {
        each.name: Helper(
            each.name,
            tuple(each.arguments),
            tuple(each.statements),
            each.span,
            tuple(each.values),
        )
        for each in blocks
    }
    calls = {
        each.name: [
            match[1]
            for statement in each.statements
            for match in _CALLED.finditer(report.view, statement.start, statement.end)
            if match[1] in helpers
        ]
        for each in blocks
    }
    called = {name for by, others in calls.items() for name in others if name != by}
    tops = [each for each in blocks if each.name not in called]
    if len(tops) != 1:
        several = "there are several functions: which is meant?"
        report.fail(
            several if tops else "these functions call each other",
            *blocks[-1].span,
            "give one formula",
            choices=tuple(
                [(f"`{each.name}`", report.text[slice(*each.span)].strip()) for each in tops]
            ),
        )
    try:  # each behind those that it calls
        order = [*TopologicalSorter(calls).static_order()]
    except CycleError as error:
        told = "these functions call each other"
        report.fail(told, *helpers[error.args[1][0]].span, "give one formula")
    top = tops[0]
    if top.called:
        report.note(f"what `{top.called}` returns is read", top.statements[-1][1:])
    for label, text in top.defaults if len(blocks) == 1 else ():
        report.keep(label, text)
    return Program(
        dialect,
        tuple(dict.fromkeys(top.arguments)),
        tuple(top.statements),
        powers_from_left,
        tuple([helpers[name] for name in order if name != top.name]),
        python,
    )
