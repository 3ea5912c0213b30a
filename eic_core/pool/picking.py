"""The formula of a list to take: accuracy, complexity and digits weighed as one number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eic_core.display import Displayed
from eic_core.errors import DataError
from eic_core.exports import Plain
from eic_core.phrasing import Phrase, say
from eic_core.pool import phrases, pick_phrases
from eic_core.pool.candidate import Score
from eic_core.pool.left_out import LeftOutRow, left_out, left_out_lines
from eic_core.pool.listing import ListedScore
from eic_core.pool.traits import twins

ETA = 0.999
"""Factor of the fitness for each node (Yu et al., both of their searches)."""

READABLE = 0.01
"""Cost of a digit in the tree search of Yu et al., and the default here; in their genetic
programming it is 0.002."""


def fitness(score: Score, alpha: float, eta: float = ETA) -> float:
    """eta^C/(1 + NMSE) - alpha EIC, NMSE = 1 - R^2 (Yu et al., Eq. `eq:fitness`); nan for no R^2.

    EIC is that of finite samples: one exact zero in the data would outweigh everything else. Where
    a step has no finite sample, or EIC is not known, the fitness is -inf, unless digits are free.

    >>> round(fitness(Score(complexity=10, r2=0.98, eic=2.0, eic_finite=2.0), alpha=0.01), 4)
    0.9506
    >>> fitness(Score(complexity=10, r2=0.98, eic=math.inf), alpha=0.01)
    -inf
    """
    if score.complexity is None or math.isnan(score.r2):
        return math.nan
    accuracy = float(eta**score.complexity / (2 - score.r2))
    if not alpha:
        return accuracy
    return -math.inf if math.isnan(score.eic_finite) else accuracy - alpha * score.eic_finite


@dataclass(frozen=True, repr=False)
class Pick(Displayed, Plain):
    picked: ListedScore
    plain: ListedScore  # The choice without EIC (alpha = 0)
    alpha: float  # The cost of a digit
    eta: float  # The factor of a node
    # Fitness and formula, the best first; those without a finite EIC last, by R^2
    ranked: tuple[tuple[float, ListedScore], ...]
    left_out: tuple[LeftOutRow, ...]  # Formulas without an R^2
    # Rows of the list that are twins of a ranked one, by its row
    twins: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    _JSON = (
        ("picked", lambda pick: row_document(pick.picked, pick.ranked)),
        ("plain", lambda pick: row_document(pick.plain, pick.ranked)),
        "alpha",
        "eta",
        ("weighed", lambda pick: len(pick.ranked)),
        "left_out",
        ("left_out_count", lambda pick: len(pick.left_out)),
        ("twins", lambda pick: {str(row): list(rows) for row, rows in pick.twins.items()}),
        "sentence",
    )

    @property
    def better_fit(self) -> ListedScore | None:
        """The formula that fits best, if its EIC is not finite and it fits better than the pick."""
        unweighed = [scored for weight, scored in self.ranked if weight == -math.inf]
        if not unweighed or unweighed[0].score.r2 <= self.picked.score.r2:
            return None
        return unweighed[0]

    @property
    def headline(self) -> Phrase:
        """Says which formula."""
        return pick_phrases.headline(self.picked, self.plain)

    @property
    def sentence(self) -> Phrase:
        """Says which formula, why, and what it costs."""
        return say("{headline}{reasons}", headline=self.headline, reasons=self.reasons)

    @property
    def reasons(self) -> Phrase:
        """What follows the headline."""
        return pick_phrases.reasons(
            self.picked, self.plain, self.better_fit, self.alpha, self.twins
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
        "no_digit_at": score.no_digit_at,
        "invalid": score.invalid,
        "fitness": weights[0] if weights else math.nan,
    }


def pick(
    scores: Sequence[ListedScore],
    alpha: float = READABLE,
    eta: float = ETA,
    groups: Sequence[tuple[int, ...]] = (),
) -> Pick:
    """The formula to take if a digit and a node have a price.

    Parameters
    ----------
    scores
        A list's formulas, as `score_listing` gives them.
    alpha
        What a digit costs, 0 or more.
    eta
        The factor of the fitness for each node, above 0 and at most 1.
    groups
        The `twins` of the scores, if they have been looked for.

    Returns
    -------
    Pick
        The choice, and all that it was weighed against.

    Raises
    ------
    DataError
        If no formula has an R^2, or a price is out of range.

    Examples
    --------
    >>> from eic_core.pool.importers import Listed
    >>> from eic_core.pool.listing import TableData, score_listing
    >>> from eic_core.measure.table import read_table
    >>> table = read_table(b"x0,y\\n1,1\\n2,4.1\\n3,9\\n4,15.9\\n")
    >>> rows = [Listed(1, "x0*x0 + 1e6*x0 - 1e6*x0"), Listed(2, "x0*x0"), Listed(3, "lg(x0)")]
    >>> choice = pick(score_listing(rows, TableData(table, "y")))
    >>> choice.picked.listed.row, choice.plain.listed.row, [each.row for each in choice.left_out]
    (2, 2, [3])
    """
    if not 0 <= alpha < math.inf:
        raise DataError(f"a digit cannot cost {alpha:g}", hint="give 0 or more, such as 0.01")
    if not 0 < eta <= 1:
        raise DataError(f"a node cannot cost a factor {eta:g}", hint="give at most 1: 0.999, say")
    missing = left_out((s.listed.row, s.listed.formula, s.score) for s in scores)
    groups = groups or twins(scores)
    firsts = [scored for i, scored in enumerate(scores) if groups[i][0] == i]
    ranked = _best_first(firsts, alpha, eta)
    if not ranked:
        hint = str(phrases.advice_for_all(each.kind for each in missing))
        lines = tuple(left_out_lines(missing, len(scores)))
        raise DataError(str(phrases.no_formula_left()), hint=hint, problems=lines)
    plain = _best_first(firsts, 0.0, eta)[0][1]
    return Pick(ranked[0][1], plain, alpha, eta, ranked, missing, _rows_of_twins(scores, groups))


def _rows_of_twins(
    scores: Sequence[ListedScore], groups: Sequence[tuple[int, ...]]
) -> dict[int, tuple[int, ...]]:
    return {
        scores[first].listed.row: tuple(scores[i].listed.row for i in others)
        for first, *others in dict.fromkeys(groups)
        if others and not math.isnan(scores[first].score.r2)
    }


def _best_first(
    scores: Sequence[ListedScore], alpha: float, eta: float
) -> tuple[tuple[float, ListedScore], ...]:
    """Formulas that have an R^2 by fitness; of equals the shorter, then the earlier."""

    def key(pair: tuple[float, ListedScore]) -> tuple[float, float, int]:
        weight, scored = pair
        r2 = scored.score.r2 if weight == -math.inf else 0.0
        return -round(weight, 6), -round(r2, 6), scored.score.complexity or 0

    pairs = [(fitness(scored.score, alpha, eta), scored) for scored in scores]
    return tuple(sorted([pair for pair in pairs if not math.isnan(pair[0])], key=key))
