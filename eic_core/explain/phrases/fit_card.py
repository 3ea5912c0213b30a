"""The English of the robustness card: the name of each line, and what was done."""

from __future__ import annotations

from eic_core import wording
from eic_core.explain.facts import (
    FEW_DIGITS,
    FITTED_ROWS,
    FOLDS,
    LEVEL,
    RESAMPLED_ROWS,
    RESAMPLES,
    SPLITS,
    CardTrial,
)
from eic_core.phrasing import Phrase, one_after_another, say, say_count


def no_value() -> Phrase:
    """What stands below a card in which an R^2 is missing."""
    return say("—: there is no value at some row, or nothing to measure it on.")


def line_name(trial: CardTrial) -> Phrase:
    match trial:
        case CardTrial.AS_GIVEN:
            return say("as given")
        case CardTrial.RESAMPLED_LOW:
            return say("resampled rows, low")
        case CardTrial.RESAMPLED_HIGH:
            return say("resampled rows, high")
        case CardTrial.FEW_DIGITS:
            return say("constants of {digits} digits", digits=FEW_DIGITS)
        case CardTrial.FLOAT32:
            return say("in float32")
        case CardTrial.LEFT_OUT:
            return say("rows left out")
        case CardTrial.OUTER:
            return say("outer tenth of rows")
        case CardTrial.HOLDOUT:
            return say("held-out table")
        case CardTrial.OUTSIDE:
            return say("held-out, outside")


def line_meaning(trial: CardTrial, rows: int) -> Phrase:
    match trial:
        case CardTrial.AS_GIVEN:
            return say_count(
                "On {count} row, in double precision.",
                "On {count} rows, in double precision.",
                rows,
            )
        case CardTrial.RESAMPLED_LOW | CardTrial.RESAMPLED_HIGH:
            low = trial is CardTrial.RESAMPLED_LOW
            meaning = say(
                "{end} end of the middle {level} of R² over {draws} draws of the rows with "
                "replacement.",
                end=say("Lower") if low else say("Upper"),
                level=wording.level_percent(LEVEL),
                draws=RESAMPLES,
            )
            return _with_part(meaning, rows, RESAMPLED_ROWS)
        case CardTrial.FEW_DIGITS:
            return say(
                "Every decimal constant rounded to {digits} significant digits.",
                digits=FEW_DIGITS,
            )
        case CardTrial.FLOAT32:
            return say("Inputs, constants and every step in single precision.")
        case CardTrial.LEFT_OUT:
            meaning = say(
                "Each of {parts} random parts predicted with the constants fitted to the others; "
                "the median of {splits} such splits.",
                parts=FOLDS,
                splits=SPLITS,
            )
            return _with_part(meaning, rows, FITTED_ROWS)
        case CardTrial.OUTER:
            if not rows:
                return say("There is no input, or too many rows lie equally far out.")
            return say_count(
                "The {count} row nearest to the ends of some input, predicted with the constants "
                "fitted to the others.",
                "The {count} rows nearest to the ends of some input, predicted with the constants "
                "fitted to the others.",
                rows,
            )
        case CardTrial.HOLDOUT:
            return say_count(
                "The formula as given, on {count} row of it.",
                "The formula as given, on {count} rows of it.",
                rows,
            )
        case CardTrial.OUTSIDE:
            return say_count(
                "On {count} row of the held-out table at which some input lies outside its range "
                "in the data.",
                "On {count} rows of the held-out table at which some input lies outside its range "
                "in the data.",
                rows,
            )


def _with_part(meaning: Phrase, rows: int, most: int) -> Phrase:
    """The meaning, and how many rows take part where these are not all."""
    if rows <= most:
        return meaning
    part = say("Of the {rows} rows, {most} take part, evenly spread.", rows=rows, most=most)
    return one_after_another([meaning, part])
