"""The result of reading a formula: the tree, notes and other readings; and the limits of size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NoReturn

from eic_core.errors import FormulaError, RefusalKind
from eic_core.formula.syntax.policy import Policy
from eic_core.formula.tree import Formula

MAX_CHARACTERS = 100_000
"""Longest text that is read."""
MAX_NODES = 20_000
"""Largest tree that is built."""
MAX_DEPTH = 2_000
"""Deepest nesting of brackets that is read."""
MAX_ALTERNATIVES = 12
"""Most other readings that are offered."""
MAX_CHOICES = 20
"""Most choices of a refusal; each is read once to prove that it can be."""
MAX_DIGITS = 1_000
"""Longest mantissa of a number."""
MAX_EXPONENT = 10_000
"""Largest |log10| of a number, to within its digits."""


@dataclass(frozen=True, slots=True)
class Note:
    """A decision of the reader that the user should know."""

    message: str  # One sentence
    span: tuple[int, int] = field(compare=False)  # Character offsets into the text


@dataclass(frozen=True, slots=True)
class Alternative:
    label: str  # What this reading is
    text: str  # The whole formula, rewritten so that it can only be read this way


@dataclass(frozen=True)
class Reading:
    """A formula together with how it was read.

    Attributes
    ----------
    formula
        The tree, exactly as written.
    syntax
        The name of the notation, detected or given; a key of `SYNTAXES`.
    index_base
        What the first indexed variable counts from: 0, 1, or None if unknown.
    notes
        Decisions worth showing.
    alternatives
        Other readings of an ambiguous text.
    domain
        The range of a variable where the text itself says one, as an FPCore's ``:pre`` does.
    protected
        The names of the protected functions in it, which are read as its tool computes them.
    policy
        What its words, indices, logarithms, ... were taken to mean.
    """

    formula: Formula
    syntax: str
    index_base: int | None
    notes: tuple[Note, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    domain: tuple[tuple[str, float, float], ...] = ()
    protected: tuple[str, ...] = ()
    policy: Policy = Policy()


class Refusal(Exception):
    """A well-formed piece of text that has no meaning here; becomes a `FormulaError`."""

    def __init__(
        self,
        message: str,
        hint: str = "",
        kind: RefusalKind = RefusalKind.OTHER,
        meanings: tuple[tuple[str, str], ...] = (),
        operand: tuple[int, int] = (0, 0),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.kind = kind
        self.meanings = meanings  # What a call may mean, each with a template of its `operand`
        self.operand = operand


class Report:
    """The text that is read, with the notes and alternatives that are collected on the way."""

    def __init__(self, text: str, source: str = "") -> None:
        self.text: Final = text
        self.source: Final = source or text  # with mathematical letters as the user wrote them
        self.view = text  # what is read: the text, or a copy with what says nothing left blank
        self.index_base: int | None = None  # what the text itself counts its variables from
        self.notes: dict[Note, None] = {}  # in their order, equal ones once
        self.alternatives: dict[str, Alternative] = {}
        self.kept: dict[str, Alternative] = {}  # other readings that hold whatever is read
        self.products: list[tuple[int, int]] = []  # gaps where a `*` was understood
        self.domain: tuple[tuple[str, float, float], ...] = ()
        self.protected: tuple[str, ...] = ()  # functions that are read as the tool computes them

    def note(self, message: str, span: tuple[int, int]) -> None:
        """Keep a note; the first of several equal ones stands."""
        self.notes.setdefault(Note(message, span))

    def alternative(self, label: str, write: Callable[[], str]) -> None:
        """Keep another reading, the first of a label; `write` runs only if its text is kept."""
        if label not in self.alternatives and len(self.alternatives) < MAX_ALTERNATIVES:
            self.alternatives[label] = Alternative(label, write())

    def keep(self, label: str, text: str) -> None:
        """Keep another reading that stays one whatever is read; the first of a label stands."""
        if len(self.kept) < MAX_ALTERNATIVES:
            self.kept.setdefault(label, Alternative(label, text))

    def other_readings(self) -> tuple[Alternative, ...]:
        """All of them, at most `MAX_ALTERNATIVES`."""
        if not self.kept:
            return tuple(self.alternatives.values())
        return tuple({**self.kept, **self.alternatives}.values())[:MAX_ALTERNATIVES]

    def fail(
        self,
        message: str,
        start: int,
        end: int,
        hint: str = "",
        replacement: str | None = None,
        choices: tuple[tuple[str, str], ...] = (),
        kind: RefusalKind = RefusalKind.OTHER,
        fields: tuple[str, ...] = (),
    ) -> NoReturn:
        """Raise a `FormulaError` at [start, end). `replacement` and `choices` are whole texts that
        may have been meant, each choice with its meaning.
        """
        size = len(self.text)
        start = min(max(start, 0), size)
        raise FormulaError(
            message,
            source=self.text,
            span=(start, min(max(end, start), size)),
            hint=hint,
            replacement=replacement,
            choices=choices,
            kind=kind,
            fields=fields,
        )

    def refuse(self, refusal: Refusal, start: int, end: int) -> NoReturn:
        """Raise a refusal with its place."""
        text, operand = self.text, self.text[slice(*refusal.operand)]
        choices = tuple(
            (label, f"{text[:start]}{meaning.format(operand)}{text[end:]}")
            for label, meaning in refusal.meanings
        )
        self.fail(refusal.message, start, end, refusal.hint, None, choices, refusal.kind)

    def fail_unbalanced(
        self, what: str, start: int, end: int, hint: str, replacement: str | None = None
    ) -> NoReturn:
        """Raise for a bracket at `start` that is not closed, or not open."""
        message = f"unbalanced {what} at column {start + 1}"
        self.fail(message, start, end, hint, replacement, kind=RefusalKind.UNBALANCED)


def replaced(text: str, pieces: list[tuple[int, int, str]]) -> str:
    """`text` with each piece in place of [start, end); pieces at one place keep their order.

    >>> replaced("1/2 x", [(2, 2, "("), (3, 4, "*"), (5, 5, ")")])
    '1/(2*x)'
    """
    out: list[str] = []
    last = 0
    for start, end, piece in sorted(pieces, key=lambda each: each[0]):
        out += (text[last:start], piece)
        last = max(end, last)
    return "".join([*out, text[last:]])


def insert(text: str, pieces: list[tuple[int, str]]) -> str:
    """`text` with each piece put in at its offset.

    >>> insert("2x(y", [(1, "*"), (4, ")")])
    '2*x(y)'
    """
    out: list[str] = []
    last = 0
    for place, piece in sorted(pieces, key=lambda pair: pair[0]):
        out.append(text[last:place])
        out.append(piece)
        last = place
    out.append(text[last:])
    return "".join(out)
