"""What is said of a list: the rows left out, the formula to take, how variables are counted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, assert_never

from eic_core import wording
from eic_core.phrasing import Field, Phrase, listed, say, say_count
from eic_core.pool.candidate import NO_FIT, Lack, NoValue, Score

if TYPE_CHECKING:
    from eic_core.pool.listing import ListedScore
    from eic_core.pool.picking import Pick

# Rows left out


def no_finite_value() -> Phrase:
    return say("A program computes no finite value")


def no_finite_value_at(rows: int, of: int) -> Phrase:
    return say("A program computes no finite value at {rows} of {of} rows.", rows=rows, of=of)


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


def no_r2(lack: Lack) -> Phrase:
    """Why a formula that can be read has no R^2."""
    match lack:
        case Lack.SAME_TARGET:
            return say("the target is the same at every row, and R² is of how it varies")
        case Lack.NO_SCORE:
            return say("the file has no score for it")
        case Lack.NO_VALUE:
            return no_finite_value()
        case Lack.NO_FORMULA | Lack.UNREAD | Lack.NO_COLUMN | Lack.NO_DATA:
            return say("it cannot be measured")
    assert_never(lack)


def advice(lack: Lack) -> Phrase:
    """What helps against a reason."""
    match lack:
        case Lack.NO_FORMULA:
            return say("Choose another column or format if the list was misread.")
        case Lack.UNREAD:
            return say("The inspector shows the place and what to write instead.")
        case Lack.NO_COLUMN:
            return say(
                "Rename the column, choose what columns are counted from, or the table that the "
                "list was fitted to."
            )
        case Lack.NO_DATA:
            return say("Choose a table with complete rows, or give every variable a range.")
        case Lack.NO_VALUE:
            return say(
                "Are these the rows that the list was fitted to, and are its functions read as its "
                "tool computes them?"
            )
        case Lack.SAME_TARGET:
            return say("Compare with a column that varies, or bring more rows.")
        case Lack.NO_SCORE:
            return say("Measure the list here instead.")
    assert_never(lack)


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


# The formula to take


def no_formula_left() -> Phrase:
    return say("no formula of the list has an R² on these data")


def advice_for_all(lacks: Iterable[Lack]) -> Phrase:
    """What helps where nothing is left."""
    return Phrase(" ".join([str(advice(lack)) for lack in dict.fromkeys(lacks)]))


def choice(pick: Pick) -> Phrase:
    """Which formula to take, why, and what it costs."""
    lead = _only_choice(pick) if pick.picked is pick.plain else _choice_instead(pick)
    named = dict.fromkeys([pick.picked.listed.row, pick.plain.listed.row])
    remarks = [*_rows_passed_over(pick)]
    other = pick.better_fit
    if other is not None and other.listed.row not in named:
        remarks.append(
            say(
                "Row {row} has a better R², {r2}, and {no_eic}: it is ranked below.",
                row=str(other.listed.row),
                r2=wording.r_squared(other.score.r2),
                no_eic=_no_finite_eic(other.score),
            )
        )
    for remark in remarks:
        lead = say("{lead} {remark}", lead=lead, remark=remark)
    return lead


def _only_choice(pick: Pick) -> Phrase:
    score, row = pick.picked.score, str(pick.picked.listed.row)
    fields: dict[str, Field] = {
        "row": row,
        "r2": wording.r_squared(score.r2),
        "nodes": wording.count(score.complexity or 0, "node"),
        "eic": _eic(score),
        "which": say("the best with and without regard to EIC")
        if pick.alpha
        else say("the best without regard to EIC"),
    }
    if not score.explains_nothing:
        return say(
            "Take row {row}: it is {which} (R² {r2}, {nodes}, worst step (EIC) {eic} digits).",
            **fields,
        )
    than = say("no better than") if score.r2 >= -NO_FIT else say("worse than")
    return say(
        "No formula of the list fits these data: row {row}, {which}, has an R² of {r2}, {than} the "
        "mean of the target ({nodes}, worst step (EIC) {eic} digits).",
        than=than,
        **fields,
    )


def _choice_instead(pick: Pick) -> Phrase:
    new, old = pick.picked.score, pick.plain.score
    row, plain = str(pick.picked.listed.row), str(pick.plain.listed.row)
    fits = wording.r_squared(new.r2), wording.r_squared(old.r2)
    nodes = wording.count(new.complexity or 0, "node")
    same = new.complexity == old.complexity
    of_r2 = say("R² is {new} instead of {old}", new=fits[0], old=fits[1])
    if fits[0] == fits[1]:
        of_r2 = say("R² is about the same, {r2}", r2=fits[0])
    lead = say("Take row {row} instead of", row=row)
    if old.explains_nothing:
        lead = say(
            "No formula of the list fits these data. Least bad is row {row}, and not", row=row
        )
    elif new.explains_nothing:
        lead = say(
            "At this price of a digit the choice explains nothing, for its R² is not above 0: row "
            "{row} weighs more than",
            row=row,
        )
    return say(
        "{lead} row {plain}, which would be taken without regard to EIC: its worst step (EIC) has "
        "{digits}; {of_r2}, {nodes}.",
        lead=lead,
        plain=plain,
        digits=digits_instead(new, old),
        of_r2=of_r2,
        nodes=say("{nodes} as well", nodes=nodes)
        if same
        else say("{nodes} instead of {old}", nodes=nodes, old=str(old.complexity)),
    )


def digits_instead(new: Score, old: Score) -> Phrase:
    """Two EIC, with as many places as they need to differ.

    >>> for one, other in ((0.31, 4.4), (0.31, 0.33), (0.3, 0.3), (0.3, math.nan)):
    ...     print(digits_instead(Score(eic=one, eic_finite=one), Score(eic_finite=other)))
    0.3 instead of 4.4 digits
    0.31 instead of 0.33 digits
    as many, 0.3 digits
    0.3 digits instead of an undefined number
    """
    one, other = new.eic_finite, old.eic_finite
    if math.isnan(other) or math.isnan(one):
        if math.isnan(one) and math.isnan(other):
            return say("no finite number of digits either")
        if math.isinf(old.eic):
            return say("{new} instead of ∞ digits", new=_eic(new, 1))
        return say("{new} digits instead of an undefined number", new=_eic(new, 1))
    for places in range(1, 9):
        texts = f"{one:.{places}f}", f"{other:.{places}f}"
        if texts[0] != texts[1]:
            return say("{new} instead of {old} digits", new=texts[0], old=texts[1])
    return say("as many, {digits} digits", digits=f"{one:.1f}")


def _eic(score: Score, places: int = 2) -> str:
    value = score.eic if math.isnan(score.eic_finite) else score.eic_finite
    return wording.number(value, places, missing="undefined")


def _rows_passed_over(pick: Pick) -> Iterator[Phrase]:
    """What EIC and R² of the named formulas leave out, or stand on."""
    named = [pick.picked] if pick.picked is pick.plain else [pick.picked, pick.plain]
    excluded = [
        say_count(
            "{count} sample at which a step of row {row} keeps no digit",
            "{count} samples at which a step of row {row} keeps no digit",
            each.score.singular,
            row=str(each.listed.row),
        )
        for each in named
        if each.score.singular and not math.isnan(each.score.eic_finite)
    ]
    if excluded:
        yield say("EIC leaves out {samples}.", samples=listed(excluded))
    for each in named:
        if math.isnan(each.score.eic_finite):
            yield say(
                "Row {row} has {no_eic}.",
                row=str(each.listed.row),
                no_eic=_no_finite_eic(each.score),
            )
        yield from program_alone(each)


def program_alone(scored: ListedScore) -> Iterator[Phrase]:
    """Of a formula whose R^2 counts rows without a real value, where and why."""
    missing = scored.score.no_value
    if missing is None or math.isnan(scored.score.r2):
        return
    yield say(
        "Row {row}: {sentence} R² takes what a program computes there.",
        row=str(scored.listed.row),
        sentence=missing.sentence,
    )


def _no_finite_eic(score: Score) -> Phrase:
    """Why a formula has no fitness."""
    if not math.isinf(score.eic):
        return say("an undefined EIC")
    return say_count(
        "an infinite EIC (`{step}` keeps no digit at {count} row)",
        "an infinite EIC (`{step}` keeps no digit at {count} rows)",
        score.singular,
        step=score.no_digit_at,
    )


# The ranking, as a command prints it


def eic_in_table(score: Score) -> str:
    return _eic(score)
