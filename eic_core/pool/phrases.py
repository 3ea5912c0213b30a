"""What is said of a list: the rows left out, and what its variables are counted from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from eic_core import wording
from eic_core.phrasing import Phrase, listed, say, say_count
from eic_core.pool.candidate import LeftOutKind, NoValue


def no_finite_value() -> Phrase:
    return say("A program computes no finite value")


def no_finite_value_at(rows: int, of: int) -> Phrase:
    return say("A program computes no finite value at {rows} of {of} rows.", rows=rows, of=of)


def of_a_program(sentence: Phrase) -> Phrase:
    """What is said of rows without a real value where an R^2 stands beside it."""
    return say("{sentence} R² takes what a program computes there.", sentence=sentence)


def without_value(clause: Phrase, *, in_doubles: bool) -> Phrase:
    """Why a formula has no value, without the step and the rows."""
    if in_doubles:
        return say("No double-precision value: a step {clause}", clause=clause)
    return say("No real value: {clause}", clause=clause)


def rows_without_value(missing: NoValue) -> Phrase:
    """Where a formula has no value: its step and its rows, the first by number.

    >>> missing = NoValue(say(""), say(""), "log(x − 3)", (5, 17, 80), 3, 200)
    >>> print(rows_without_value(missing))
    `log(x − 3)` at 3 of 200 rows: 5, 17 and 80
    """
    where = say("at every row")
    if missing.count < missing.of:
        numbers = [str(row) for row in missing.rows]
        if missing.count > len(numbers):
            numbers.append(f"{missing.count - len(numbers):,} more")
        where = say(
            "at {count} of {of} rows: {numbers}",
            count=missing.count,
            of=missing.of,
            numbers=listed(numbers),
        )
    return say("`{step}` {where}", where=where, step=missing.step) if missing.step else where


def no_r2(kind: LeftOutKind) -> Phrase:
    """Why a formula that can be read has no R^2."""
    match kind:
        case LeftOutKind.SAME_TARGET:
            return say("the target is the same at every row, and R² is of how it varies")
        case LeftOutKind.NO_SCORE:
            return say("the file has no score for it")
        case LeftOutKind.NO_VALUE:
            return no_finite_value()
        case (
            LeftOutKind.NO_FORMULA
            | LeftOutKind.UNREAD
            | LeftOutKind.NO_COLUMN
            | LeftOutKind.NO_DATA
        ):
            return say("it cannot be measured")
    assert_never(kind)


def advice(kind: LeftOutKind) -> Phrase:
    """What helps against a reason."""
    match kind:
        case LeftOutKind.NO_FORMULA:
            return say("Choose another column or format if the list was misread.")
        case LeftOutKind.UNREAD:
            return say("The inspector shows the place and what to write instead.")
        case LeftOutKind.NO_COLUMN:
            return say(
                "Rename the column, choose what columns are counted from, or choose the table that "
                "the list was fitted to."
            )
        case LeftOutKind.NO_DATA:
            return say("Choose a table with complete rows, or give every variable a range.")
        case LeftOutKind.NO_VALUE:
            return say(
                "Are these the rows that the list was fitted to, and are its functions read as its "
                "tool computes them?"
            )
        case LeftOutKind.SAME_TARGET:
            return say("Compare with a column that varies, or bring more rows.")
        case LeftOutKind.NO_SCORE:
            return say("Measure the list here instead.")
    assert_never(kind)


def at_column(column: int) -> Phrase:
    return say("column {column}", column=column)


def left_out(rows: int, of: int) -> Phrase:
    return say_count(
        "left out: {count} of {of} formulas", "left out: {count} of {of} formulas", rows, of=of
    )


def empty_row() -> Phrase:
    return say("(empty)")


def more_rows(count: int) -> Phrase:
    return say("and {count} more", count=count)


def more_reasons(count: int) -> Phrase:
    return say_count("and {count} more reason", "and {count} more reasons", count)


def strict() -> Phrase:
    return say("--strict takes no result without them")


def no_formula_left() -> Phrase:
    return say("no formula of the list has an R² on these data")


def advice_for_all(kinds: Iterable[LeftOutKind]) -> Phrase:
    """What helps where nothing is left."""
    return Phrase(" ".join([str(advice(kind)) for kind in dict.fromkeys(kinds)]))


# Variables


def columns_of_variables(
    methods: Sequence[str], base: int | None, pairs: Sequence[tuple[str, str]]
) -> Phrase:
    """The columns that the indexed variables of some methods stand for; "" for no method.

    >>> print(columns_of_variables(["PySR", ""], 0, [("x0", "a"), ("x1", "b")]))
    `PySR` and others count their variables from 0: `x0` is the column `a` and `x1` is `b`.
    """
    columns = _columns(pairs)
    names = [f"`{method}`" if "`" not in method else method for method in methods if method]
    if not names:
        return say(
            "These formulas count their variables from {base}: {columns}.",
            base=str(base),
            columns=columns,
        )
    if len(names) < len(methods):
        names.append(str(say("others")))
    return say_count(
        "{methods} counts its variables from {base}: {columns}.",
        "{methods} count their variables from {base}: {columns}.",
        len(names),
        methods=wording.join(names, limit=6),
        base=str(base),
        columns=columns,
    )


def _columns(pairs: Sequence[tuple[str, str]]) -> str:
    texts = [
        say("`{variable}` is `{column}`", variable=variable, column=column)
        if place
        else say("`{variable}` is the column `{column}`", variable=variable, column=column)
        for place, (variable, column) in enumerate(pairs)
    ]
    return wording.join([str(text) for text in texts], limit=8)


def counted(bases: Iterable[tuple[int | None, int, str]]) -> str:
    """Bases in a sentence, each with an example; `bases` as `ListedVariables.examples`.

    >>> counted([(1, 1, "X1*X2"), (None, 2, "x1 + 2")])
    'from 1 in 1 formula (`X1*X2`) and by name in 2 formulas (`x1 + 2`)'
    """
    return wording.join(
        [
            f"{'by name' if base is None else f'from {base}'} in {wording.count(count, 'formula')} "
            f"(`{wording.shorten(' '.join(text.split()), 40)}`)"
            for base, count, text in bases
        ]
    )
