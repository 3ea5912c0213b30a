"""The formula of a list to take: accuracy, complexity and digits weighed as one number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eic_core import wording
from eic_core.errors import DataError
from eic_core.exports import Plain
from eic_core.operators.wide import Array
from eic_core.pool.candidate import Score
from eic_core.pool.listing import ListedScore

ETA = 0.999
"""Factor of the fitness for each node (Yu et al., both of their searches)."""

READABLE = 0.01
"""Cost of a digit in the tree search of Yu et al., and the default here; in their genetic
programming it is 0.002."""


def fitness(score: Score, alpha: float, eta: float = ETA) -> float:
    """eta^C/(1 + NMSE) - alpha EIC, NMSE = 1 - R^2 (Yu et al., Eq. `eq:fitness`); nan for no R^2.

    EIC is that of finite samples: one exact zero in the data would outweigh everything else.

    >>> round(fitness(Score(complexity=10, r2=0.98, eic=2.0, eic_finite=2.0), alpha=0.01), 4)
    0.9506
    """
    if score.complexity is None or math.isnan(score.r2):
        return math.nan
    return float(eta**score.complexity / (2 - score.r2) - alpha * score.eic_finite)


@dataclass(frozen=True)
class Pick(Plain):
    picked: ListedScore
    plain: ListedScore  # The choice without EIC (alpha = 0)
    alpha: float  # The cost of a digit
    eta: float  # The factor of a node
    ranked: tuple[tuple[float, ListedScore], ...]  # Fitness and formula, the best first
    left_out: int  # Formulas without a fitness
    sentence: str  # Says which formula, why, and what it costs

    _JSON = (
        ("picked", lambda pick: row_document(pick.picked, pick.ranked)),
        ("plain", lambda pick: row_document(pick.plain, pick.ranked)),
        "alpha",
        "eta",
        ("weighed", lambda pick: len(pick.ranked)),
        "left_out",
        "sentence",
    )


def row_document(
    scored: ListedScore, ranked: Sequence[tuple[float, ListedScore]]
) -> dict[str, object]:
    score = scored.score
    weights = [weight for weight, other in ranked if other is scored]
    return {
        "row": scored.listed.row,
        "formula": scored.listed.formula,
        "syntax": scored.syntax,
        "complexity": score.complexity,
        "r2": score.r2,
        "eic": score.eic,
        "eic_finite": score.eic_finite,
        "singular": score.singular,
        "fitness": weights[0] if weights else math.nan,
    }


def pick(scores: Sequence[ListedScore], alpha: float = READABLE, eta: float = ETA) -> Pick:
    """The formula to take if a digit costs `alpha` (0 or more), a node the factor `eta` (0 to 1).

    >>> from eic_core.pool.importers import Listed
    >>> from eic_core.pool.listing import TableData, score_listing
    >>> from eic_core.measure.table import read_table
    >>> table = read_table(b"x0,y\\n1,1\\n2,4.1\\n3,9\\n4,15.9\\n")
    >>> rows = [Listed(1, "x0*x0 + 1e6*x0 - 1e6*x0"), Listed(2, "x0*x0"), Listed(3, "x0")]
    >>> choice = pick(score_listing(rows, TableData(table, "y")))
    >>> choice.picked.listed.row, choice.plain.listed.row
    (2, 2)
    """
    if not 0 <= alpha < math.inf:
        raise DataError(f"a digit cannot cost {alpha:g}", hint="give 0 or more, such as 0.01")
    if not 0 < eta <= 1:
        raise DataError(f"a node cannot cost a factor {eta:g}", hint="give at most 1: 0.999, say")
    weights = np.array([fitness(scored.score, alpha, eta) for scored in scores], dtype=float)
    weighable = np.isfinite(weights)
    if not weighable.any():
        raise DataError("no formula of the list has both an R² and an EIC on these data")
    plainly = np.array([fitness(scored.score, 0.0, eta) for scored in scores], dtype=float)
    order = _best_first(weights, weighable, scores)
    picked, plain = scores[order[0]], scores[_best_first(plainly, weighable, scores)[0]]
    ranked = tuple((float(weights[i]), scores[i]) for i in order)
    left_out = len(scores) - len(order)
    return Pick(picked, plain, alpha, eta, ranked, left_out, _sentence(picked, plain, alpha))


def _best_first(weights: Array, weighable: Array, scores: Sequence[ListedScore]) -> list[int]:
    """Places of weighable formulas, the best first; of equals the shorter, then the earlier."""
    places = np.flatnonzero(weighable).tolist()
    return sorted(places, key=lambda i: (-weights[i], scores[i].score.complexity or 0, i))


def _sentence(picked: ListedScore, plain: ListedScore, alpha: float) -> str:
    new, old = picked.score, plain.score
    row, fits_none = f"row {picked.listed.row}", explains_nothing(old)
    if picked is plain:
        which = f"the best {'with and without' if alpha else 'without'} regard to EIC"
        r2 = wording.r_squared(new.r2)
        rest = (
            f"{wording.count(new.complexity or 0, 'node')}, worst step (EIC) "
            f"{wording.number(new.eic_finite)} digits"
        )
        if fits_none:
            than = "worse than" if new.r2 < -NO_FIT else "no better than"
            sentence = (
                f"No formula of the list fits these data: {row}, {which}, has an R² of {r2}, "
                f"{than} the mean of the target ({rest})."
            )
        else:
            sentence = f"Take {row}: it is {which} (R² {r2}, {rest})."
        return f"{sentence}{_no_digit(picked, plain)}"
    lead = f"Take {row} instead of"
    if fits_none:
        lead = f"No formula of the list fits these data. Least bad is {row}, and not"
    elif explains_nothing(new):
        lead = (
            "At this price of a digit the choice explains nothing, for its R² is not above 0: "
            f"{row} weighs more than"
        )
    fits = wording.r_squared(new.r2), wording.r_squared(old.r2)
    of_r2 = f"R² is {' instead of '.join(fits)}"
    if fits[0] == fits[1]:
        of_r2 = f"R² is about the same, {fits[0]}"
    nodes = wording.count(new.complexity or 0, "node")
    nodes += " as well" if new.complexity == old.complexity else f" instead of {old.complexity}"
    return (
        f"{lead} row {plain.listed.row}, which would be taken without regard to EIC: "
        f"its worst step (EIC) has {_digits_instead(new.eic_finite, old.eic_finite)}; "
        f"{of_r2}, {nodes}.{_no_digit(picked, plain)}"
    )


NO_FIT = 1e-9
"""Up to this R^2, which a constant may have by rounding, a formula explains nothing."""


def explains_nothing(score: Score) -> bool:
    """Whether a formula is no better than the mean of the target.

    >>> explains_nothing(Score(1, r2=-0.9)), explains_nothing(Score(1, r2=0.3))
    (True, False)
    """
    return score.r2 <= NO_FIT


def _digits_instead(new: float, old: float) -> str:
    """Two numbers of digits, with as many places as they need to differ.

    >>> _digits_instead(0.31, 4.4), _digits_instead(0.31, 0.33), _digits_instead(0.3, 0.3)
    ('0.3 instead of 4.4 digits', '0.31 instead of 0.33 digits', 'as many, 0.3 digits')
    """
    for places in range(1, 9):
        texts = f"{new:.{places}f}", f"{old:.{places}f}"
        if texts[0] != texts[1]:
            return f"{' instead of '.join(texts)} digits"
    return f"as many, {new:.1f} digits"


def _no_digit(picked: ListedScore, plain: ListedScore) -> str:
    excluded = [
        f"{wording.count(scored.score.singular, 'sample')} at which a step of row "
        f"{scored.listed.row} keeps no digit"
        for scored in ([picked] if picked is plain else [picked, plain])
        if scored.score.singular
    ]
    return f" EIC leaves out {wording.join(excluded)}." if excluded else ""
