"""The errors that a user of EIC Lab can cause; any other exception is a bug of ours."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from eic_core.printable import printable


def _restored(kind: type[UserError], args: tuple[object, ...], state: dict[str, Any]) -> UserError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class UserError(Exception):
    """Something in the user's formula, data or options is wrong.

    Parameters
    ----------
    message
        What is wrong, one sentence.
    hint
        What to do about it.

    Examples
    --------
    >>> str(UserError("the table is empty", hint="add at least one row"))
    'the table is empty: add at least one row'
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        # subclasses take other arguments than `args` holds, so that the default cannot rebuild them
        return _restored, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        return f"{self.message}: {self.hint}" if self.hint else self.message


_NOUNS = {"str": "a text", "NoneType": "None", "ndarray": "an array"}
_WAYS = {
    "Formula": "give `read(text).formula`",
    "Samples": "give `Samples.from_columns(columns)`",
    "Inspection": "give `inspect(formula, samples)`",
    "Table": "give `read_table(path)`",
    "Mapping": 'give `{"x": Domain("uniform", 0, 1)}`',
    "SearchProblem": "give `problem_of(samples)`",
}


def require(value: object, kind: type) -> None:
    """Refuse what is of another kind, and say how one is made: a text that is not read yet, columns
    that are no samples.

    >>> require("x + y", int)
    Traceback (most recent call last):
        ...
    eic_core.errors.UserError: a text is no int yet
    """
    if not isinstance(value, kind):
        name = kind.__name__
        kind_given = type(value).__name__
        other = _NOUNS.get(kind_given, f"{'an' if kind_given[0] in 'aeiou' else 'a'} {kind_given}")
        noun = name.lower() if name in ("Formula", "Samples", "Inspection", "Table") else name
        raise UserError(f"{other} is no {noun} yet", hint=_WAYS.get(name, ""))


class RefusalKind(Enum):
    """Why a formula cannot be read."""

    OTHER = auto()
    MISSING_OPERAND = auto()
    NO_ARGUMENT = auto()  # The name of a function, and nothing that it is applied to
    ARGUMENTS = auto()  # A wrong number of them, or commas outside a call
    UNBALANCED = auto()  # A bracket without its other one; the message names its column
    MISMATCHED = auto()  # A bracket that is closed by one of another shape
    UNKNOWN_FUNCTION = auto()
    UNKNOWN_NAME = auto()
    NUMBER = auto()  # What is no number, or out of range
    BAD_CHARACTER = auto()  # A sign that has no meaning there
    EQUATION = auto()  # More than the value: an equation, or a label
    SEVERAL = auto()  # Formulas
    CONDITION = auto()  # A choice or a comparison that lacks something
    DERIVATIVE = auto()
    NOT_SUPPORTED = auto()  # What has a meaning, and no operator here
    LIMIT = auto()  # Too long, or too deep


class FormulaError(UserError):
    """A formula that cannot be read, with the place.

    Parameters
    ----------
    message
        As for `UserError`.
    source
        The text as the user gave it.
    span
        Character offsets ``start <= end`` into `source`.
    hint
        As for `UserError`.
    replacement
        A whole corrected formula, to be offered with one click.
    choices
        Possible formulas, each with its meaning, if the text is ambiguous.
    kind
        What the program may decide by, and lists are grouped by.
    fields
        What the message names, such as the function that is unknown.

    Examples
    --------
    >>> error = FormulaError("unknown function `lg`", hint="did you mean `log10`?",
    ...                      source="1+lg(x)", span=(2, 4))
    >>> print(error.caret())
    1+lg(x)
      ^^
    """

    def __init__(
        self,
        message: str,
        *,
        source: str,
        span: tuple[int, int],
        hint: str = "",
        replacement: str | None = None,
        choices: tuple[tuple[str, str], ...] = (),
        kind: RefusalKind = RefusalKind.OTHER,
        fields: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, hint=hint)
        self.source = source
        self.span = span
        self.replacement = replacement
        self.choices = choices
        self.kind = kind
        self.fields = fields

    def caret(self, width: int = 76) -> str:
        """The line of `source` with the span, carets under it.

        Parameters
        ----------
        width
            About the most characters; a longer line is cut around the span.

        Returns
        -------
        str
            Two lines; ellipses mark the cuts.
        """
        start, end = self.span
        line_start = self.source.rfind("\n", 0, start) + 1
        line_end = self.source.find("\n", start)
        line_end = len(self.source) if line_end < 0 else line_end
        left = max(line_start, min(start - width // 2, line_end - width))
        right = min(line_end, left + width)
        lead = "…" if left > line_start else ""
        tail = "…" if right < line_end else ""
        # tabs become blanks, one for one, or the carets would stand elsewhere
        stop = max(start, min(end, right))
        before, marked, behind = (
            printable(self.source[first:last].replace("\t", " "))
            for first, last in ((left, start), (start, stop), (stop, right))
        )
        indent = " " * len(lead + before)
        return f"{lead}{before}{marked}{behind}{tail}\n{indent}{'^' * max(1, len(marked))}"


class DataError(UserError):
    """A table, range or column mapping that cannot be used.

    Parameters
    ----------
    message
        As for `UserError`.
    hint
        As for `UserError`.
    problems
        One line for each bad cell or column, in reading order.
    """

    def __init__(self, message: str, *, hint: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems
