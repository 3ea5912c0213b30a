"""Which formula of a list to take: accuracy, complexity and digits weighed as one number.

The weight is the fitness of Yu et al. (Eq. `eq:fitness`), eta^C/(1 + NMSE) - alpha EIC, with
NMSE = 1 - R^2.  No search is needed: what other tools have found is weighed again.
"""

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
"""What a node costs: the fitness is multiplied by it (Yu et al., both of their searches)."""

READABLE = 0.01
"""The weight of a digit that Yu et al. take in their tree search, and the default here."""


def fitness(score: Score, alpha: float, eta: float = ETA) -> float:
    """eta^C/(1 + NMSE) - alpha EIC: larger is better.

    - `score`: its EIC counts without the samples at which a step keeps no digit: one exact zero in
      the data would outweigh everything else.
    - `alpha`: what a digit costs, 0 or more.
    - `eta`: what a node costs, above 0 and at most 1.

    Returns nan if the formula was refused, or has no value or no EIC on the data.

    >>> round(fitness(Score(complexity=10, r2=0.98, eic=2.0, eic_finite=2.0), alpha=0.01), 4)
    0.9506
    """
    if score.complexity is None or math.isnan(score.r2):
        return math.nan
    return float(eta**score.complexity / (2 - score.r2) - alpha * score.eic_finite)


@dataclass(frozen=True)
class Pick(Plain):
    """The formula to take."""

    # picked, plain: with EIC, and without it (alpha = 0)
    picked: ListedScore
    plain: ListedScore
    # alpha, eta: what a digit and a node cost
    alpha: float
    eta: float
    # Every formula that could be weighed with its fitness, the best first
    ranked: tuple[tuple[float, ListedScore], ...]
    left_out: int  # Formulas that could not: refused, or without a value or an EIC on the data
    sentence: str  # Which formula, why, and what it costs

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
    """A formula with its numbers, for other programs."""
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
    """Choose among the formulas of a list, all of them scored on the same data.

    - `scores`: with R^2 (`eic_core.pool.listing.score_listing` on a table with a target).
    - `alpha`: what a digit costs, 0 or more; 0.002 in the paper's genetic programming, 0.01 in its
      tree search.
    - `eta`: what a node costs, above 0 and at most 1.

    Raises `DataError` if `alpha` or `eta` is out of range, or no formula can be weighed.

    >>> from eic_core.pool.importers import Listed
    >>> from eic_core.pool.listing import TableData, score_listing
    >>> from eic_core.measure.table import read_table
    >>> table = read_table(b"x0,y\\n1,1\\n2,4.1\\n3,9\\n4,15.9\\n")
    >>> rows = [Listed(1, "x0*x0 + 1e6*x0 - 1e6*x0"), Listed(2, "x0*x0"), Listed(3, "x0")]
    >>> found = pick(score_listing(rows, TableData(table, "y")))
    >>> found.picked.listed.row, found.plain.listed.row
    (2, 2)
    """
    if not 0 <= alpha < math.inf:
        raise DataError(f"a digit cannot cost {alpha:g}", hint="give 0 or more, such as 0.01")
    if not 0 < eta <= 1:
        raise DataError(f"a node cannot cost a factor {eta:g}", hint="give at most 1: 0.999, say")
    weights = np.array([fitness(scored.score, alpha, eta) for scored in scores], dtype=float)
    known = np.isfinite(weights)
    if not known.any():
        raise DataError("no formula of the list has both an R² and an EIC on these data")
    plainly = np.array([fitness(scored.score, 0.0, eta) for scored in scores], dtype=float)
    order = _best_first(weights, known, scores)
    picked, plain = scores[order[0]], scores[_best_first(plainly, known, scores)[0]]
    ranked = tuple((float(weights[i]), scores[i]) for i in order)
    left_out = len(scores) - len(order)
    return Pick(picked, plain, alpha, eta, ranked, left_out, _sentence(picked, plain, alpha))


def _best_first(weights: Array, known: Array, scores: Sequence[ListedScore]) -> list[int]:
    """Places of what can be weighed; of equals the shorter first, then the earlier."""
    places = np.flatnonzero(known).tolist()
    return sorted(places, key=lambda i: (-weights[i], scores[i].score.complexity or 0, i))


def _sentence(picked: ListedScore, plain: ListedScore, alpha: float) -> str:
    """Which formula to take, why, and what it costs beside the choice without EIC."""
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
            said = (
                f"No formula of the list fits these data: {row}, {which}, has an R² of {r2}, "
                f"{than} the mean of the target ({rest})."
            )
        else:
            said = f"Take {row}: it is {which} (R² {r2}, {rest})."
        return f"{said}{_no_digit(picked, plain)}"
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
        f"its worst step (EIC) loses {_told_apart(new.eic_finite, old.eic_finite)}; "
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


def _told_apart(new: float, old: float) -> str:
    """Two numbers of digits, with as many places as tell them apart.

    >>> _told_apart(0.31, 4.4), _told_apart(0.31, 0.33), _told_apart(0.3, 0.3)
    ('0.3 instead of 4.4 digits', '0.31 instead of 0.33 digits', 'as much, 0.3 digits')
    """
    for places in range(1, 9):
        texts = f"{new:.{places}f}", f"{old:.{places}f}"
        if texts[0] != texts[1]:
            return f"{' instead of '.join(texts)} digits"
    return f"as much, {new:.1f} digits"


def _no_digit(picked: ListedScore, plain: ListedScore) -> str:
    """What EIC leaves out, of each of the two formulas."""
    left_out = [
        f"{wording.count(scored.score.singular, 'sample')} at which a step of row "
        f"{scored.listed.row} keeps no digit"
        for scored in ([picked] if picked is plain else [picked, plain])
        if scored.score.singular
    ]
    return f" EIC leaves out {wording.join(left_out)}." if left_out else ""
