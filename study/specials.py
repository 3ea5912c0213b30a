"""Ballots that are no part of the comparison: the practice ballot and the attention checks.

They must not teach a preference: the practice pair is one straight line written in two ways whose
EIC is the same, and its feedback explains the screen.  Each check shows a formula that follows the
data (`higher`) and one that misses them (`lower` in an instructed check, which asks for that one);
an obvious check expects the one that fits.
"""

from __future__ import annotations

from study.design import AttentionKind, StudyDesign
from study.material import Column, Member, NewPair, PairKind, Problem

INSTRUCTION = (
    "This ballot checks that the page is being read. Whatever you think of the formulas, "
    "please choose formula {letter} here."
)

_SAME = (
    "Saved. There is no right answer: both formulas draw the same line. R² says how well a formula "
    "fits the data (1 is perfect), complexity how many numbers, variables and operations it is "
    "written with. From now on your answers count."
)
PRACTICE_FEEDBACK: dict[str, str] = {
    "left": f"You chose formula A. {_SAME}",
    "right": f"You chose formula B. {_SAME}",
    "tie": f"You could not decide, and that is an answer, too. {_SAME}",
}
"""What to say after the practice ballot, by choice."""


def _table(target: str, inputs: str, rule: list[tuple[float, float]]) -> str:
    return "\n".join([f"{inputs},{target}", *(f"{x:g},{y:g}" for x, y in rule)]) + "\n"


_WOBBLE = (0.4, -0.3, 0.1, -0.5, 0.3, 0.5, -0.2, -0.4, 0.2, 0.0, -0.1, 0.3)

PRACTICE_PROBLEM = Problem(
    name="practice",
    title="For practice: filling a tank",
    description=(
        "Water runs into a tank that was not empty at the start. The level was read every minute."
    ),
    csv=_table("level", "t", [(t, 3 + 2 * t + w) for t, w in enumerate(_WOBBLE)]),
    columns=(Column("t", "min", "time"), Column("level", "cm", "level of the water")),
)
PRACTICE_PAIR = NewPair(
    problem="practice",
    lower=Member("3 + 2*t", eic=0.0, r2=1.0, complexity=5),
    higher=Member("t + t + 3", eic=0.0, r2=1.0, complexity=5),
    kind=PairKind.PRACTICE,
)

_CHECKS = (
    (
        Problem(
            name="check 1",
            title="A spring",
            description="A weight hangs from a spring. How far does the spring stretch?",
            csv=_table("s", "m", [(m, 4 * m + w) for m, w in enumerate(_WOBBLE, start=1)]),
            columns=(Column("m", "kg", "mass"), Column("s", "mm", "stretch")),
        ),
        ("4*m", "60 - 5*m"),
    ),
    (
        Problem(
            name="check 2",
            title="A car that brakes",
            description="How far does a car roll after the driver steps on the brake?",
            csv=_table("d", "v", [(5 * v, 1.5 * v * v + w) for v, w in enumerate(_WOBBLE, 1)]),
            columns=(Column("v", "km/h", "speed"), Column("d", "dm", "way until it stands")),
        ),
        ("0.06*v**2", "200 - 2*v"),
    ),
    (
        Problem(
            name="check 3",
            title="A candle",
            description="A candle burns. How long is it after some time?",
            csv=_table("h", "t", [(t, 240 - 15 * t + w) for t, w in enumerate(_WOBBLE)]),
            columns=(Column("t", "h", "time"), Column("h", "mm", "length of the candle")),
        ),
        ("240 - 15*t", "40 + 10*t"),
    ),
)


def special_material(design: StudyDesign) -> tuple[tuple[Problem, NewPair], ...]:
    """The practice pair and the checks that a design asks for, each with its problem.

    Examples
    --------
    >>> [pair.kind.value for _, pair in special_material(StudyDesign(attention_checks=1))]
    ['practice', 'attention']
    """
    material = [(PRACTICE_PROBLEM, PRACTICE_PAIR)] if design.practice else []
    for problem, (fits, misses) in _CHECKS[: design.attention_checks]:
        good = Member(fits, eic=0.0, r2=1.0, complexity=3)
        bad = Member(misses, eic=0.0, r2=0.0, complexity=5)
        instructed = design.attention_kind == AttentionKind.INSTRUCTED
        lower, higher = (bad, good) if instructed else (good, bad)
        material.append(
            (problem, NewPair(problem.name, lower, higher, kind=PairKind.ATTENTION))
        )
    return tuple(material)
