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
    return {
        CardTrial.AS_GIVEN: say("as given"),
        CardTrial.RESAMPLED_LOW: say("resampled rows, low"),
        CardTrial.RESAMPLED_HIGH: say("resampled rows, high"),
        CardTrial.FEW_DIGITS: say("constants of {digits} digits", digits=FEW_DIGITS),
        CardTrial.FLOAT32: say("in float32"),
        CardTrial.LEFT_OUT: say("rows left out"),
        CardTrial.OUTER: say("outer tenth of rows"),
        CardTrial.HOLDOUT: say("held-out table"),
        CardTrial.OUTSIDE: say("held-out, outside"),
    }[trial]


def line_meaning(trial: CardTrial, rows: int) -> Phrase:
    return {
        CardTrial.AS_GIVEN: say_count(
            "On {count} row, in double precision.", "On {count} rows, in double precision.", rows
        ),
        CardTrial.RESAMPLED_LOW: _resampled(say("Lower"), rows),
        CardTrial.RESAMPLED_HIGH: _resampled(say("Upper"), rows),
        CardTrial.FEW_DIGITS: say(
            "Every decimal constant rounded to {digits} significant digits.", digits=FEW_DIGITS
        ),
        CardTrial.FLOAT32: say("Inputs, constants and every step in single precision."),
        CardTrial.LEFT_OUT: _with_part(
            say(
                "Each of {parts} random parts predicted with the constants fitted to the others; "
                "the median of {splits} such splits.",
                parts=FOLDS,
                splits=SPLITS,
            ),
            rows,
            FITTED_ROWS,
        ),
        CardTrial.OUTER: _outer(rows),
        CardTrial.HOLDOUT: say_count(
            "The formula as given, on {count} row of it.",
            "The formula as given, on {count} rows of it.",
            rows,
        ),
        CardTrial.OUTSIDE: say_count(
            "On {count} row of the held-out table at which some input lies outside its range in "
            "the data.",
            "On {count} rows of the held-out table at which some input lies outside its range in "
            "the data.",
            rows,
        ),
    }[trial]


def _resampled(end: Phrase, rows: int) -> Phrase:
    meaning = say(
        "{end} end of the middle {level} of R² over {draws} draws of the rows with replacement.",
        end=end,
        level=wording.level_percent(LEVEL),
        draws=RESAMPLES,
    )
    return _with_part(meaning, rows, RESAMPLED_ROWS)


def _outer(rows: int) -> Phrase:
    if not rows:
        return say("There is no input, or too many rows lie equally far out.")
    return say_count(
        "The {count} row nearest to the ends of some input, predicted with the constants fitted "
        "to the others.",
        "The {count} rows nearest to the ends of some input, predicted with the constants fitted "
        "to the others.",
        rows,
    )


def _with_part(meaning: Phrase, rows: int, most: int) -> Phrase:
    """The meaning, and how many rows take part where these are not all."""
    if rows <= most:
        return meaning
    part = say("Of the {rows} rows, {most} take part, evenly spread.", rows=rows, most=most)
    return one_after_another([meaning, part])
