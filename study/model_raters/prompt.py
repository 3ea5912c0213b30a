"""The question as a model gets it: a template that is frozen and hashed, filled from a ballot.

No EIC, no method, no id, and no order but first and second. Whoever changes a word here changes
`PROMPT_SHA256`, and asks another question than older frozen studies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eic_core.formula.rendering import to_python
from study.ballots import BallotContent, formulas_of_ballot
from study.design import StudyDesign, frozen_hash
from study.material import NewPair
from study.rating_types import Axis, BallotFigure, FormulaCard

MAX_POINTS = 50
"""So many of a ballot's points are written out, evenly through them."""

SYSTEM = """\
You are an expert in science and engineering. You will be shown some data, and two formulas, A and \
B, that describe them about equally well. You will be asked one question about the two formulas. \
There is no right or wrong answer: say what you, as an expert, find.

R² says how well a formula fits the data (1 is perfect); complexity, how many numbers, variables \
and operations it is written with.

Answer with one JSON object and nothing else: {{"choice": {choices}, "reason": "one short \
sentence"}}."""

USER = """\
{title}

{description}

The data have {rows} rows. {shown} of them, with {columns}:

{points}

Formula A
LaTeX: {a_latex}
Plain text: {a_text}
R²: {a_r2}
Complexity: {a_complexity}

Formula B
LaTeX: {b_latex}
Plain text: {b_text}
R²: {b_r2}
Complexity: {b_complexity}

{question}"""

CHOICES = ("A", "B")
TIE = "tie"
TIE_SAID = '"tie" (if you cannot decide)'


def answer_schema(allow_tie: bool) -> dict[str, Any]:
    """The JSON schema of an answer, for endpoints that hold a model to one.

    >>> answer_schema(False)["properties"]["choice"]
    {'type': 'string', 'enum': ['A', 'B']}
    """
    allowed = [*CHOICES, TIE] if allow_tie else [*CHOICES]
    return {
        "type": "object",
        "properties": {
            "choice": {"type": "string", "enum": allowed},
            "reason": {"type": "string"},
        },
        "required": ["choice", "reason"],
        "additionalProperties": False,
    }


TEMPLATE = {
    "system": SYSTEM,
    "user": USER,
    "schema": answer_schema(True),
    "tie": TIE_SAID,
    "points": MAX_POINTS,
}
PROMPT_SHA256 = frozen_hash(TEMPLATE)
"""SHA-256 of the template: what a study freezes."""


@dataclass(frozen=True)
class Prompt:
    system: str
    user: str
    schema: dict[str, Any]  # The JSON schema of the answer


@dataclass(frozen=True)
class ShownPair:
    """A pair as a model may see it, either way round."""

    content: BallotContent  # The frozen ballot
    # lower_text, higher_text: the formulas as plain text, with the digits and names of the ballot
    lower_text: str
    higher_text: str

    @classmethod
    def of(cls, pair: NewPair, content: BallotContent) -> ShownPair:
        lower, higher = formulas_of_ballot(pair, content)
        return cls(content, to_python(lower), to_python(higher))

    def prompt(self, design: StudyDesign, *, lower_first: bool) -> Prompt:
        content = self.content
        low, high = (content.lower, self.lower_text), (content.higher, self.higher_text)
        first, second = (low, high) if lower_first else (high, low)
        points = thinned(content.figure.points)
        choices = ['"A"', '"B"', *([TIE_SAID] if design.allow_tie else [])]
        choice_text = f"{', '.join(choices[:-1])} or {choices[-1]}"
        return Prompt(
            system=SYSTEM.format(choices=choice_text),
            user=USER.format(
                title=_line(content.title),
                description=content.description,
                rows=content.figure.rows,
                shown=len(points),
                columns=_columns(content.figure),
                points=_table(content.figure, points),
                question=f"{design.question} {design.question_meaning}".strip(),
                **_formula("a", *first),
                **_formula("b", *second),
            ),
            schema=answer_schema(design.allow_tie),
        )


def _formula(letter: str, card: FormulaCard, text: str) -> dict[str, str]:
    return {
        f"{letter}_latex": card.latex,
        f"{letter}_text": text,
        f"{letter}_r2": f"{card.r2:.3f}",
        f"{letter}_complexity": str(card.complexity),
    }


def thinned(
    points: Sequence[tuple[float, ...]], most: int = MAX_POINTS
) -> tuple[tuple[float, ...], ...]:
    """Points evenly through all, the first and the last among them.

    >>> thinned([(float(i),) for i in range(9)], 3)
    ((0.0,), (4.0,), (8.0,))
    """
    if len(points) <= most:
        return tuple(points)
    return tuple(points[i * (len(points) - 1) // (most - 1)] for i in range(most))


def _columns(figure: BallotFigure) -> str:
    return _line(
        "; ".join(
            axis.label + (f", {axis.meaning}" if axis.meaning else "") for axis in _axes(figure)
        )
    )


def _line(text: str) -> str:
    """A name in one line: it cannot begin another part of the question."""
    return " ".join(text.split())


def _axes(figure: BallotFigure) -> tuple[Axis, ...]:
    return (*figure.inputs, figure.target)


def _table(figure: BallotFigure, points: Sequence[tuple[float, ...]]) -> str:
    names = ",".join(_line(axis.written) for axis in _axes(figure))
    return "\n".join([names, *(",".join(f"{value:g}" for value in point) for point in points)])
