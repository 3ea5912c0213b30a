"""What is said of the formula to take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from eic_core import wording
from eic_core.phrasing import Field, Phrase, listed, say, say_count
from eic_core.pool.candidate import NO_FIT, Score
from eic_core.pool.listing import ListedScore
from eic_core.pool.traits import structure_of


def headline(picked: ListedScore, plain: ListedScore) -> Phrase:
    """Which formula to take; `plain` is the one without regard to EIC, as in `Pick`."""
    row, other = str(picked.listed.row), str(plain.listed.row)
    if picked is plain:
        if picked.score.explains_nothing:
            return say("No formula of the list fits these data: row {row}", row=row)
        return say("Take row {row}", row=row)
    if plain.score.explains_nothing:
        return say(
            "No formula of the list fits these data. Least bad is row {row}, and not row {other}",
            row=row,
            other=other,
        )
    if picked.score.explains_nothing:
        return say(
            "At this price of a digit the choice explains nothing, for its R² is not above 0: row "
            "{row} weighs more than row {other}",
            row=row,
            other=other,
        )
    return say("Take row {row} instead of row {other}", row=row, other=other)


def reasons(
    picked: ListedScore,
    plain: ListedScore,
    better_fit: ListedScore | None,
    alpha: float,
    twins: Mapping[int, tuple[int, ...]],
) -> Phrase:
    """Why, and what it costs; follows `headline`. The arguments are those of `Pick`."""
    if picked is plain:
        formulas, lead = [picked], _only_choice(picked, alpha)
    else:
        formulas, lead = [picked, plain], _choice_instead(picked, plain)
    remarks = [*_remarks(formulas)]
    other = better_fit
    if other is not None and all(other is not each for each in formulas):
        remarks.append(
            say(
                "Row {row} has a better R², {r2}, and {no_eic}: it is ranked below.",
                row=str(other.listed.row),
                r2=wording.r_squared(other.score.r2),
                no_eic=_no_finite_eic(other.score),
            )
        )
    remarks += [*_structures(formulas), *_twins(formulas, twins)]
    for remark in remarks:
        lead = say("{lead} {remark}", lead=lead, remark=remark)
    return lead


def _structures(formulas: list[ListedScore]) -> Iterator[Phrase]:
    """What of their writing a reader should know before taking one of them."""
    for each in formulas:
        structure, row = structure_of(each), str(each.listed.row)
        if structure.nested:
            yield say(
                "Row {row} nests transcendental functions: `{step}`.",
                row=row,
                step=structure.nested,
            )
        if structure.exponent:
            yield say(
                "Row {row} has a variable exponent: `{step}`.", row=row, step=structure.exponent
            )


def _twins(formulas: list[ListedScore], twins: Mapping[int, tuple[int, ...]]) -> Iterator[Phrase]:
    for each in formulas:
        if rows := twins.get(each.listed.row):
            yield say("Row {row} is {also}.", row=str(each.listed.row), also=also_rows(rows))


def also_rows(twins: Sequence[int]) -> Phrase:
    """The other rows of a formula that counts once.

    >>> print(also_rows([12]), also_rows([12, 40]), sep="; ")
    also row 12; also rows 12 and 40
    """
    rows = wording.join([str(twin) for twin in twins], limit=6)
    return say_count("also row {rows}", "also rows {rows}", len(twins), rows=rows)


def _only_choice(picked: ListedScore, alpha: float) -> Phrase:
    score = picked.score
    fields: dict[str, Field] = {
        "r2": wording.r_squared(score.r2),
        "nodes": wording.count(score.complexity or 0, "node"),
        "eic": _eic(score),
        "which": say("the best with and without regard to EIC")
        if alpha
        else say("the best without regard to EIC"),
    }
    if not score.explains_nothing:
        return say(": it is {which} (R² {r2}, {nodes}, worst step (EIC) {eic} digits).", **fields)
    than = say("no better than") if score.r2 >= -NO_FIT else say("worse than")
    return say(
        ", {which}, has an R² of {r2}, {than} the mean of the target ({nodes}, worst step (EIC) "
        "{eic} digits).",
        than=than,
        **fields,
    )


def _choice_instead(picked: ListedScore, plain: ListedScore) -> Phrase:
    new, old = picked.score, plain.score
    fits = wording.r_squared(new.r2), wording.r_squared(old.r2)
    nodes = wording.count(new.complexity or 0, "node")
    same = new.complexity == old.complexity
    of_r2 = say("R² is {new} instead of {old}", new=fits[0], old=fits[1])
    if fits[0] == fits[1]:
        of_r2 = say("R² is about the same, {r2}", r2=fits[0])
    if residual := residual_change(new.r2, old.r2):
        of_r2 = say("{of_r2} ({residual})", of_r2=of_r2, residual=residual)
    return say(
        ", which would be taken without regard to EIC: its worst step (EIC) has {digits}; {of_r2}, "
        "{nodes}.",
        digits=digits_instead(new, old),
        of_r2=of_r2,
        nodes=say("{nodes} as well", nodes=nodes)
        if same
        else say("{nodes} instead of {old}", nodes=nodes, old=str(old.complexity)),
    )


_SAME_RESIDUAL = 0.005
"""Changes of the residual variance, as a share, that are not worth a word."""

_LEAST_RESIDUAL = 1e-12
"""1 - R^2 that is rounding: nothing is a share of it."""


def residual_change(new: float, old: float) -> Phrase | None:
    """The change of the residual variance 1 - R^2, in words; None if there is none to speak of.

    >>> for new, old in ((0.95, 0.97), (0.9, 0.98), (0.98, 0.97), (0.9, 1.0), (0.97, 0.97)):
    ...     print(residual_change(new, old))
    67 % more residual variance
    5 times the residual variance
    33 % less residual variance
    None
    None
    """
    if 1 - old < _LEAST_RESIDUAL:
        return None
    change = (1 - new) / (1 - old) - 1
    if abs(change) < _SAME_RESIDUAL:
        return None
    if change >= 1:
        return say("{times} times the residual variance", times=wording.significant(1 + change, 2))
    share = wording.percent(abs(change))
    if change > 0:
        return say("{share} more residual variance", share=share)
    return say("{share} less residual variance", share=share)


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


def _remarks(formulas: list[ListedScore]) -> Iterator[Phrase]:
    """What EIC and R² of formulas leave out, or stand on."""
    excluded = [
        say_count(
            "{count} sample at which a step of row {row} keeps no digit",
            "{count} samples at which a step of row {row} keeps no digit",
            each.score.singular,
            row=str(each.listed.row),
        )
        for each in formulas
        if each.score.singular and not math.isnan(each.score.eic_finite)
    ]
    if excluded:
        yield say("EIC leaves out {samples}.", samples=listed(excluded))
    for each in formulas:
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
        "Row {row}: {sentence}",
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
