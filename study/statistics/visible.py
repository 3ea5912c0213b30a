"""How well what the eye sees tells which formula of a pair has the lower EIC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.exports import Plain
from study.statistics.votes import Floats, Integers

VISIBLE = ("calls of functions", "nested functions", "depth", "length", "digits of numbers")
"""What differs visibly between two formulas, in the order of `study.structure`."""

MUCH = 0.7
"""Of the pairs in which a telling predictor tells the lower EIC."""


@dataclass(frozen=True)
class VisiblePredictor(Plain):
    """The one visible count that best tells the lower EIC."""

    name: str  # A name in `VISIBLE`; "" without pairs
    fewer: bool  # Whether the formula of lower EIC mostly has fewer
    # Share of pairs that it tells right, ties as a half, each problem judged by the count and the
    # direction that are best on the others
    auc: float | None
    # The same share for each of `VISIBLE`, by its better direction over all pairs
    by_name: tuple[float, ...]

    _JSON = (
        "name",
        "fewer",
        "auc",
        ("by_name", lambda found: dict(zip(VISIBLE, found.by_name, strict=False))),
    )

    @property
    def telling(self) -> bool:
        """Whether it tells the lower EIC in `MUCH` of the pairs."""
        return self.auc is not None and self.auc >= MUCH


def noticed(differences: Floats) -> Floats:
    """How much of a difference d in a count strikes the eye, 2d/(1 + |d|): one more is 1, three
    more are 1½, and no number is more than 2. Beside d itself, so that raters who go by which
    formula has fewer are adjusted for, like those who count.

    >>> noticed(np.array([-3.0, 0.0, 1.0, 7.0])).tolist()
    [-1.5, 0.0, 1.0, 1.75]
    """
    strength: Floats = 2 * differences / (1 + np.abs(differences))
    return strength


def share_fewer(differences: Floats) -> Floats:
    """Share of pairs in which the lower EIC has fewer of each count, ties as a half.

    >>> share_fewer(np.array([[-1.0, 2.0], [0.0, 3.0]])).tolist()
    [0.75, 0.0]
    """
    found: Floats = ((differences < 0) + 0.5 * (differences == 0)).mean(axis=0)
    return found


def best_visible(differences: Floats, problems: Sequence[str]) -> VisiblePredictor:
    """The best visible predictor of the lower EIC, cross-validated over problems (over pairs with a
    single problem). `differences`, shape (pairs, 5), are counts of lower EIC less higher EIC.

    >>> gaps = np.array([[-1, 0, 0, 1, 0], [-2, 0, 1, 0, 0], [0, 0, 0, 0, 0.0], [-1, 0, 0, 2, 1]])
    >>> found = best_visible(gaps, ["a", "a", "b", "b"])
    >>> found.name, found.fewer, found.auc
    ('calls of functions', True, 0.875)
    """
    known = np.isfinite(differences).all(axis=1)
    rows = differences[known]
    if not len(rows):
        return VisiblePredictor("", False, None, ())
    groups: Integers = np.unique(np.array(problems)[known], return_inverse=True)[1]
    if groups.max() == 0:
        groups = np.arange(len(rows))
    right = np.full(len(rows), 0.5)
    for group in range(int(groups.max()) + 1):
        here = groups == group
        if here.all():
            continue
        shares = share_fewer(rows[~here])
        best = int(np.argmax(np.abs(shares - 0.5)))
        signed = rows[here, best] * (1.0 if shares[best] >= 0.5 else -1.0)
        right[here] = (signed < 0) + 0.5 * (signed == 0)
    shares = share_fewer(rows)
    best = int(np.argmax(np.abs(shares - 0.5)))
    return VisiblePredictor(
        VISIBLE[best],
        bool(shares[best] >= 0.5),
        float(right.mean()),
        tuple(np.maximum(shares, 1 - shares).tolist()),
    )
