"""The planner's fields: one for each number of a design, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from eic_core.errors import UserError
from pages.ui.organising.desk import action_callback
from study.organising import OrganiserService
from study.planning import Target, VerdictRule, read_sizes
from study.statistics.clusters import Estimand
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
        "problem_share",
        "Due to the problem, %",
        "How much of the raters' agreement is due to the problem. 0: pairs of one "
        "problem are no more alike than others. 100: they are all alike. Nobody knows"
        " it before the votes, and much depends on it: 50 is cautious.",
        0.0,
        100.0,
        10.0,
        True,
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
        "Sessions left out, %",
        "Sessions that do not count, for instance as too fast. In the paper 22 %.",
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
ABOUT: dict[Estimand | None, str] = {
    None: "decided by the number of problems",
    "problems like these": "problems like these",
    "pairs like these": "other pairs of these problems",
    "these pairs": "these pairs alone",
}
AIMS = {"none": "nothing in particular", "width": "an interval of ± points", "power": "a power"}


@dataclass(frozen=True)
class PlanRequest:
    model: StudyModel
    target: Target | None
    studies: int
    seed: int
    rule: VerdictRule = VerdictRule()


def field_values(model: StudyModel) -> dict[str, Any]:
    """The numbers of a model as the fields show them.

    >>> field_values(StudyModel(excluded=24 / 108))["excluded"]
    22.22
    """
    return {
        f.name: round(100 * getattr(model, f.name), 2) if f.percent else getattr(model, f.name)
        for f in FIELDS
    }


def model_of(values: dict[str, Any], sizes: tuple[int, ...] = ()) -> StudyModel:
    """The inverse of `field_values`; `UserError` if there can be no such study."""
    numbers = {f.name: values[f.name] / 100 if f.percent else values[f.name] for f in FIELDS}
    return StudyModel(**numbers, sizes=sizes)


def request_for(model: StudyModel, rule: VerdictRule | None = None) -> PlanRequest:
    """A model as its fields would return it, with the usual settings."""
    rounded = model_of(field_values(model), model.sizes)
    return PlanRequest(rounded, None, 1000, 0, rule or VerdictRule())


def plan_inputs(place: str, start: PlanRequest) -> PlanRequest:
    """Draw the fields and return their request; `UserError` if there can be no such study."""
    values = field_values(start.model)
    st.html('<h3 class="eic-h">The study</h3>')
    row = st.container()
    sizes, error = _sizes(place, start.model.sizes)
    with row:
        answers = _row(place, SIZE, values, fixed=bool(sizes))
    st.html('<h3 class="eic-h">What you expect of its raters</h3>')
    answers |= _row(place, PEOPLE, values)
    with st.expander("More about the votes", key=f"plan-more-{place}"):
        answers |= _row(place, MORE, values)
    target, studies, seed = _aim(place, start)
    rule = _judged(place, start.rule)
    if error is not None:
        raise error
    return PlanRequest(model_of(answers, sizes), target, studies, seed, rule)


def _sizes(place: str, start: tuple[int, ...]) -> tuple[tuple[int, ...], UserError | None]:
    """The pairs of each problem, if they differ, and what is wrong with them."""
    key = _key(place, "sizes")
    st.session_state.setdefault(key, ", ".join(map(str, start)))
    error: UserError | None = None
    sizes: tuple[int, ...] = ()
    with st.expander("Pairs of each problem", key=f"plan-sizes-{place}"):
        st.text_area(
            "Pairs of each problem: empty for equally many",
            key=key,
            height=68,
            help="Numbers such as 42, 22, 19, or a pasted table with a column “problem” and a row "
            "for each pair. Where a few problems hold most pairs, a study tells less.",
        )
        _table_field(key)
        try:
            sizes = read_sizes(st.session_state[key]) if st.session_state[key].strip() else ()
        except UserError as wrong:
            error = wrong
    if sizes:
        st.session_state[_key(place, "pairs")] = sum(sizes)
        st.session_state[_key(place, "problems")] = len(sizes)
    return sizes, error


def _table_field(key: str) -> None:
    file_key = f"{key}-file"

    def read(_: OrganiserService) -> None:
        file = st.session_state.get(file_key)
        if file is not None:
            text = file.getvalue().decode("utf-8", "replace")
            st.session_state[key] = ", ".join(map(str, read_sizes(text)))

    st.file_uploader(
        "Or a table of pairs",
        type=["csv"],
        key=file_key,
        on_change=lambda: action_callback("plan", read),
    )


def _row(
    place: str, fields: Sequence[Field], values: dict[str, Any], *, fixed: bool = False
) -> dict[str, Any]:
    """Draw the fields; if `fixed`, the numbers that the sizes of problems hold."""
    answers = {}
    with st.container(key=f"plan-{fields[0].name}-{place}"):
        columns = st.columns(len(fields), vertical_alignment="bottom")
        for column, field in zip(columns, fields, strict=True):
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
                disabled=fixed and field.name in ("pairs", "problems"),
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
            help="The planner looks for the smallest designs that reach this.",
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
            "More simulations take longer and give a more precise answer.",
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


def _judged(place: str, start: VerdictRule) -> VerdictRule:
    """What the study declares about its verdict."""
    with st.expander("What the study declares", key=f"plan-judged-{place}"):
        first, second, third, _ = st.columns(4)
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
        about = _key(place, "estimand")
        st.session_state.setdefault(about, start.estimand)
        estimand = second.selectbox(
            "The result is about",
            list(ABOUT),
            key=about,
            format_func=ABOUT.__getitem__,
            help="From ten problems on the claim is about problems like these, unless the "
            "study declares otherwise. The wider the claim, the more a study needs.",
        )
        key = _key(place, "one-sided")
        st.session_state.setdefault(key, start.one_sided)
        one_sided = third.checkbox(
            "The study declares a one-sided test",
            key=key,
            help="Two-sided, the verdict is a preference where the interval leaves one half out. "
            "One-sided, it never is one for higher EIC, and finds one for lower EIC sooner.",
        )
    return VerdictRule(round(level / 100, 6), one_sided, estimand)


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
