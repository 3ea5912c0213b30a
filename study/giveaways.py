"""What of the shown formulas gives a side away: visible features, and how well each tells it.

Computed on what raters see (the fair form, rounded), before a vote is cast; the report judges the
votes by `study.statistics.visible`, on the formulas as found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from eic_core.formula.tree import CONSTANT, Exponents, Formula
from eic_core.measure import Samples
from study.ballots import (
    BallotContent,
    formulas_of_ballot,
    problem_samples,
    read_member,
    round_pair,
)
from study.errors import StudyError
from study.material import NewPair, Problem, StudyPair
from study.statistics.visible import VISIBLE, share_fewer
from study.stimulus.form import fair_form
from study.structure import structure_of

MOST_PAIRS = 300
"""Of more pairs so many are looked at, evenly through them."""


@dataclass(frozen=True)
class DrawnFormula:
    formula: Formula  # As drawn: rounded, and in its fair form where the ballot has one
    latex: str
    r2: float  # As printed
    complexity: int  # As printed


DrawnPair = tuple[DrawnFormula, DrawnFormula]
"""Of lower and of higher EIC."""


def drawn_on_ballot(pair: NewPair, content: BallotContent) -> DrawnPair:
    lower, higher = (
        DrawnFormula(formula, card.latex, card.r2, card.complexity)
        for formula, card in zip(
            formulas_of_ballot(pair, content), (content.lower, content.higher), strict=True
        )
    )
    return lower, higher


def drawn_in_draft(samples: Samples, pair: NewPair, exponents: Exponents = "exact") -> DrawnPair:
    """What a ballot would draw; raises `StudyError` if it cannot be made."""
    inputs = tuple(samples.columns)
    lower, higher = (read_member(member, inputs, exponents) for member in (pair.lower, pair.higher))
    _, rounded, r2, _ = round_pair(lower, higher, samples)
    form = fair_form(*rounded)
    one, other = (
        DrawnFormula(formula, latex, round(fit, 3), as_found.complexity)
        for formula, latex, fit, as_found in zip(
            (form.lower, form.higher), form.latex, r2, rounded, strict=True
        )
    )
    return one, other


def thinned(pairs: Sequence[StudyPair], most: int = MOST_PAIRS) -> tuple[StudyPair, ...]:
    if len(pairs) <= most:
        return tuple(pairs)
    return tuple(pairs[i * (len(pairs) - 1) // (most - 1)] for i in range(most))


def drawn_pairs(
    problems: Sequence[Problem],
    pairs: Sequence[tuple[NewPair, BallotContent | None]],
    exponents: Exponents = "exact",
) -> tuple[DrawnPair, ...]:
    """What is shown of each pair with its frozen ballot, or would be; none where that cannot be."""
    samples: dict[str, Samples] = {}
    by_name = {problem.name: problem for problem in problems}
    ballots: list[DrawnPair] = []
    for pair, content in pairs:
        try:
            if content is not None:
                ballots.append(drawn_on_ballot(pair, content))
                continue
            if pair.problem not in samples:
                samples[pair.problem] = problem_samples(by_name[pair.problem])
            ballots.append(drawn_in_draft(samples[pair.problem], pair, exponents))
        except StudyError:
            continue  # the preview names what is wrong with it
    return tuple(ballots)


# --- features ---


def begins_like_a_linear_fit(formula: Formula) -> bool:
    """Whether it begins with a number, then a number times something, as Operon prints.

    >>> from eic_core.formula.syntax import read
    >>> [begins_like_a_linear_fit(read(t).formula) for t in ("2 + 3*sin(x)", "x + 3*x", "2 + x")]
    [True, False, False]
    """
    root = formula.root
    while root.operator in ("add", "sub"):
        first, second = (formula.nodes[child] for child in root.children)
        if first.operator == CONSTANT:
            factor = second
            while factor.operator == "mul":
                factor = formula.nodes[factor.children[0]]
            return second.operator == "mul" and factor.operator == CONSTANT
        root = first
    return False


@dataclass(frozen=True)
class Feature:
    """Something that a rater sees, as a number."""

    less: str  # What the formula of lower EIC shows where it has less of it
    more: str
    of: Callable[[DrawnFormula], float]


def _structure(place: int) -> Callable[[DrawnFormula], float]:
    return lambda drawn: float(astuple(structure_of(drawn.formula))[place])


_FEWER = {"depth": "less", "length": "less"}
FEATURES: tuple[Feature, ...] = (
    *(
        Feature(f"{_FEWER.get(name, 'fewer')} {name}", f"more {name}", _structure(place))
        for place, name in enumerate(VISIBLE)
    ),
    Feature(
        "fewer powers of ten (×10ⁿ)",
        "more powers of ten (×10ⁿ)",
        lambda drawn: float(drawn.latex.count(r"\times 10^")),
    ),
    Feature("smaller R²", "larger R²", lambda drawn: drawn.r2),
    Feature("smaller complexity", "larger complexity", lambda drawn: float(drawn.complexity)),
    Feature(
        "no beginning like a + b · (…)",
        "a beginning like a + b · (…)",
        lambda drawn: float(begins_like_a_linear_fit(drawn.formula)),
    ),
    Feature(
        "no number at the beginning",
        "a number at the beginning",
        lambda drawn: float(re.match(r"-?[\d.]", drawn.latex) is not None),
    ),
)
"""What the eye may go by, in the order shown where two tell a side equally well."""


MOST_TOLD, LEAST_PAIRS = 0.8, 8
"""Of so many pairs a feature may tell the lower EIC in this share; in fewer it does by chance."""


@dataclass(frozen=True)
class Giveaway:
    words: str  # What the formula of lower EIC shows, in the better direction
    auc: float  # Share of pairs in which that tells it, ties as a half; from 0.5 to 1


def told_by(ranked: Sequence[Giveaway], pairs: int) -> tuple[Giveaway, ...]:
    """What gives sides away in more pairs than may be.

    >>> told_by((Giveaway("less length", 0.95), Giveaway("larger R²", 0.6)), 22)
    (Giveaway(words='less length', auc=0.95),)
    """
    return tuple(each for each in ranked if each.auc > MOST_TOLD and pairs >= LEAST_PAIRS)


def giveaways(pairs: Sequence[DrawnPair]) -> tuple[Giveaway, ...]:
    """How well each feature tells the lower EIC, the most telling first; () without pairs.

    >>> giveaways([])
    ()
    """
    if not pairs:
        return ()
    gaps = np.array(
        [[each.of(lower) - each.of(higher) for each in FEATURES] for lower, higher in pairs]
    )
    shares = share_fewer(gaps)
    ranked = [
        Giveaway(feature.less if share >= 0.5 else feature.more, max(share, 1 - share))
        for feature, share in zip(FEATURES, shares.tolist(), strict=True)
    ]
    return tuple(sorted(ranked, key=lambda each: -each.auc))
