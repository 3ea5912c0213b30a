"""The planner's fields: one for each number of a design, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from study.planning import Target
from study.statistics.simulation import StudyModel


@dataclass(frozen=True)
class Field:
    """A number of a `StudyModel` as a field."""

    name: str
    label: str
    help: str
    # low, high, step: in the unit of the field
    low: float
    high: float
    step: float
    percent: bool = False  # Whether a share is shown in percent


SIZE = (
    Field("pairs", "Pairs", "Matched pairs of formulas that are shown to raters.", 1, 5000, 1),
    Field(
        "problems",
        "Problems",
        "How many data sets the pairs come from. With ten or more the study speaks about "
        "problems like these, with fewer only about these.",
        1,
        5000,
        1,
    ),
    Field("raters", "Raters", "People who begin to rate.", 1, 5000, 1),
    Field("ballots", "Ballots each", "How many pairs each rater gets.", 1, 100, 1),
)
PEOPLE = (
    Field(
        "preference",
        "Expected preference, %",
        "The share of votes for the formula of lower EIC that you believe to be true. 50 is no "
        "preference; the paper found 69.8.",
        1.0,
        99.0,
        1.0,
        True,
    ),
    Field(
        "kappa",
        "Agreement on a pair (κ)",
        "Fleiss’ kappa: how far two raters agree on a pair beyond chance. 0 is not at all, 1 "
        "always; the paper found 0.37. The more they agree, the less a second vote on a pair "
        "tells.",
        0.0,
        0.95,
        0.05,
    ),
    Field(
        "drop_out",
        "Stop early, %",
        "Raters who leave before their last ballot, at any point. Others get their pairs.",
        0.0,
        100.0,
        5.0,
        True,
    ),
    Field(
        "excluded",
        "Sessions that do not count, %",
        "Sessions left out afterwards, for instance as too fast. In the paper 22 %.",
        0.0,
        100.0,
        5.0,
        True,
    ),
)
MORE = (
    Field(
        "rater_correlation",
        "Likeness of one rater’s votes",
        "Correlation of two votes of one rater, on pairs of different problems: how far people "
        "differ in their taste. 0 is not at all; small values such as 0.03 are usual.",
        0.0,
        0.95,
        0.01,
    ),
    Field(
        "problem_share",
        "Share of the agreement due to problems",
        "0: pairs of one problem are no more alike than others. 1: whatever raters agree on "
        "belongs to the problem, and its pairs are all alike.",
        0.0,
        1.0,
        0.1,
    ),
    Field(
        "tie_share",
        "“Cannot decide”, %",
        "Votes that decide for neither formula.",
        0.0,
        100.0,
        5.0,
        True,
    ),
    Field(
        "unequal",
        "Unevenness of votes a pair",
        "0: every pair gets as many votes as the others, as this app sees to. 0.5: some get "
        "twice as many as others.",
        0.0,
        2.0,
        0.1,
    ),
)
FIELDS = (*SIZE, *PEOPLE, *MORE)
AIMS = {"none": "nothing in particular", "width": "an interval of ± points", "power": "a power"}


@dataclass(frozen=True)
class PlanRequest:
    """A simulation; `level` is a share."""

    model: StudyModel
    target: Target | None
    studies: int
    seed: int
    level: float = 0.95
    one_sided: bool = False


def field_values(model: StudyModel) -> dict[str, Any]:
    """The numbers of a model as the fields show them.

    >>> field_values(StudyModel(excluded=24 / 108))["excluded"]
    22.22
    """
    return {
        f.name: round(100 * getattr(model, f.name), 2) if f.percent else getattr(model, f.name)
        for f in FIELDS
    }


def model_of(values: dict[str, Any]) -> StudyModel:
    """The inverse of `field_values`; `UserError` if there can be no such study."""
    return StudyModel(
        **{f.name: values[f.name] / 100 if f.percent else values[f.name] for f in FIELDS}
    )


def request_for(model: StudyModel) -> PlanRequest:
    """A model as its fields would return it, with the usual settings."""
    return PlanRequest(model_of(field_values(model)), None, 1000, 0)


def plan_inputs(place: str, start: PlanRequest) -> PlanRequest:
    """Draw the fields and return their request; `UserError` if there can be no such study."""
    values = field_values(start.model)
    st.html('<h3 class="eic-h">The study</h3>')
    answers = _row(place, SIZE, values)
    st.html('<h3 class="eic-h">What you expect of its raters</h3>')
    answers |= _row(place, PEOPLE, values)
    with st.expander("More about the votes", key=f"plan-more-{place}"):
        answers |= _row(place, MORE, values)
    target, studies, seed = _aim(place, start)
    level, one_sided = _judged(place, start)
    return PlanRequest(model_of(answers), target, studies, seed, level, one_sided)


def _row(place: str, fields: Sequence[Field], values: dict[str, Any]) -> dict[str, Any]:
    answers = {}
    with st.container(key=f"plan-{fields[0].name}-{place}"):
        for column, field in zip(st.columns(len(fields)), fields, strict=True):
            key = _key(place, field.name)
            st.session_state.setdefault(key, values[field.name])
            form = "%d" if isinstance(field.low, int) else "%.4g"
            answers[field.name] = column.number_input(
                field.label,
                field.low,
                field.high,
                st.session_state[key],
                step=field.step,
                format=form,
                key=key,
                help=field.help,
            )
    return answers


def _aim(place: str, start: PlanRequest) -> tuple[Target | None, int, int]:
    """The target of the study, the number of simulated studies, and the seed."""
    target = start.target
    aim = "none" if target is None else "width" if target.half_width is not None else "power"
    st.html('<h3 class="eic-h">What it should reach</h3>')
    with st.container(key=f"plan-aim-{place}"):
        first, second, third, fourth = st.columns(4)
        key = _key(place, "aim")
        st.session_state.setdefault(key, aim)
        aim = first.selectbox(
            "Look for designs with",
            list(AIMS),
            list(AIMS).index(st.session_state[key]),
            key=key,
            format_func=AIMS.__getitem__,
            help="The smallest designs that reach this are then looked for.",
        )
        target = _target(second, place, aim, target)
        studies = _number(
            third,
            place,
            "studies",
            "Simulated studies",
            100,
            5000,
            start.studies,
            100,
            "More take longer and tell more exactly.",
        )
        seed = _number(
            fourth,
            place,
            "seed",
            "Seed",
            0,
            2**31,
            start.seed,
            1,
            "The same seed gives the same numbers again.",
        )
    return target, int(studies), int(seed)


def _target(column: Any, place: str, aim: str, start: Target | None) -> Target | None:
    if aim == "width":
        width = _number(
            column,
            place,
            "width",
            "Half-width, ± points",
            0.5,
            45.0,
            100 * start.half_width if start and start.half_width else 5.0,
            0.5,
            "Half the width of the confidence interval of the preference rate.",
        )
        return Target(half_width=width / 100)
    if aim == "power":
        power = _number(
            column,
            place,
            "power",
            "Power, %",
            5.0,
            99.0,
            100 * start.power if start and start.power else 90.0,
            5.0,
            "How often the test should find the preference if it is as expected.",
        )
        return Target(power=power / 100)
    return None


def _judged(place: str, start: PlanRequest) -> tuple[float, bool]:
    """The level of the interval; whether the test has one side."""
    with st.expander("Confidence level and test", key=f"plan-judged-{place}"):
        first, second, *_ = st.columns(4)
        level = _number(
            first,
            place,
            "level",
            "Confidence level, %",
            50.0,
            99.9,
            round(100 * start.level, 4),
            1.0,
            "Of the interval. The report’s default is 95 %.",
        )
        key = _key(place, "one-sided")
        st.session_state.setdefault(key, start.one_sided)
        one_sided = second.checkbox(
            "The study declares a one-sided test",
            key=key,
            help="Two-sided, the verdict is a preference where the interval leaves one half out. "
            "One-sided, it never is one for higher EIC, and finds one for lower EIC sooner.",
        )
    return round(level / 100, 6), one_sided


def _number(
    column: Any,
    place: str,
    name: str,
    label: str,
    low: float,
    high: float,
    value: float,
    step: float,
    words: str,
) -> float:
    key = _key(place, name)
    st.session_state.setdefault(key, value)
    form = "%d" if isinstance(low, int) else "%.4g"
    value = column.number_input(
        label, low, high, st.session_state[key], step=step, key=key, format=form, help=words
    )
    return float(value)


def _key(place: str, name: str) -> str:
    return f"plan:{place}:{name}"
