"""The English of the robustness card: the name of each line, and what was done."""

from __future__ import annotations

from eic_core import wording
from eic_core.explain import robustness
from eic_core.phrasing import Phrase, one_after_another, say, say_count


def no_value() -> Phrase:
    """What stands below a card in which an R^2 is missing."""
    return say("—: there is no value at some row, or nothing to measure it on.")


def line_name(trial: robustness.Trial) -> Phrase:
    match trial:
        case robustness.Trial.AS_GIVEN:
            return say("as given")
        case robustness.Trial.RESAMPLED_LOW:
            return say("resampled rows, low")
        case robustness.Trial.RESAMPLED_HIGH:
            return say("resampled rows, high")
        case robustness.Trial.FEW_DIGITS:
            return say("constants of {digits} digits", digits=robustness.FEW_DIGITS)
        case robustness.Trial.FLOAT32:
            return say("in float32")
        case robustness.Trial.LEFT_OUT:
            return say("rows left out")
        case robustness.Trial.OUTER:
            return say("outer tenth of rows")
        case robustness.Trial.HOLDOUT:
            return say("held-out table")
        case robustness.Trial.OUTSIDE:
            return say("held-out, outside")


def line_meaning(card: robustness.RobustnessCard, trial: robustness.Trial) -> Phrase:
    level = wording.level_percent(robustness.LEVEL)
    match trial:
        case robustness.Trial.AS_GIVEN:
            return say_count(
                "On {count} row, in double precision.",
                "On {count} rows, in double precision.",
                card.rows,
            )
        case robustness.Trial.RESAMPLED_LOW:
            meaning = say(
                "Lower end of the middle {level} of R² over {draws} draws of the rows with "
                "replacement.",
                level=level,
                draws=robustness.RESAMPLES,
            )
            return _with_part(meaning, card.rows, robustness.RESAMPLED_ROWS)
        case robustness.Trial.RESAMPLED_HIGH:
            meaning = say(
                "Upper end of the middle {level} of R² over {draws} draws of the rows with "
                "replacement.",
                level=level,
                draws=robustness.RESAMPLES,
            )
            return _with_part(meaning, card.rows, robustness.RESAMPLED_ROWS)
        case robustness.Trial.FEW_DIGITS:
            return say(
                "Every decimal constant rounded to {digits} significant digits.",
                digits=robustness.FEW_DIGITS,
            )
        case robustness.Trial.FLOAT32:
            return say("Inputs, constants and every step in single precision.")
        case robustness.Trial.LEFT_OUT:
            meaning = say(
                "Each of {parts} random parts predicted with the constants fitted to the others; "
                "the median of {splits} such splits.",
                parts=robustness.FOLDS,
                splits=robustness.SPLITS,
            )
            return _with_part(meaning, card.rows, robustness.FITTED_ROWS)
        case robustness.Trial.OUTER:
            if not card.outer_count:
                return say("There is no input, or too many rows lie equally far out.")
            return say_count(
                "The {count} row nearest to the ends of some input, predicted with the constants "
                "fitted to the others.",
                "The {count} rows nearest to the ends of some input, predicted with the constants "
                "fitted to the others.",
                card.outer_count,
            )
        case robustness.Trial.HOLDOUT:
            return say_count(
                "The formula as given, on {count} row of it.",
                "The formula as given, on {count} rows of it.",
                card.holdout_rows,
            )
        case robustness.Trial.OUTSIDE:
            return say_count(
                "On {count} row of the held-out table at which some input lies outside its range "
                "in the data.",
                "On {count} rows of the held-out table at which some input lies outside its range "
                "in the data.",
                card.outside_rows,
            )


def _with_part(meaning: Phrase, rows: int, most: int) -> Phrase:
    """The meaning, and how many rows take part where these are not all."""
    if rows <= most:
        return meaning
    part = say("Of the {rows} rows, {most} take part, evenly spread.", rows=rows, most=most)
    return one_after_another([meaning, part])
