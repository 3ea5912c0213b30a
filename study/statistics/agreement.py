"""Fleiss' kappa: how far raters agree beyond chance on which formula is better.

The value depends on what the categories are.  Here they are "lower EIC" and
"higher EIC", whatever the side on screen; coded as left and right, the same
votes give another value.  Ties are no vote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from eic_core.errors import UserError

CATEGORIES = ("lower", "higher")
CODING = "categories: the formula of lower EIC, the formula of higher EIC; ties are no vote"


@dataclass(frozen=True)
class FleissKappa:
    """Agreement of many raters on nominal categories.

    Attributes
    ----------
    counts : tuple of tuple of int
        Votes for each category, one row a subject (pair); rows as given.
    categories : tuple of str
    value : float or None
        Fleiss' kappa, at most 1; None if it is not defined.
    reason : str
        Why it is not, in a sentence; else "".
    observed, expected : float or None
        Mean agreement of two votes on a subject, and what chance gives.
    """

    counts: tuple[tuple[int, ...], ...]
    categories: tuple[str, ...]
    value: float | None
    reason: str
    observed: float | None
    expected: float | None

    @property
    def subjects(self) -> int:
        """Subjects with at least two votes: those that count."""
        return sum(sum(row) >= 2 for row in self.counts)

    @property
    def left_out(self) -> int:
        """Subjects with fewer than two votes."""
        return len(self.counts) - self.subjects

    @property
    def votes(self) -> int:
        """Votes on the subjects that count."""
        return sum(sum(row) for row in self.counts if sum(row) >= 2)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "value": self.value,
            "reason": self.reason,
            "observed": self.observed,
            "expected": self.expected,
            "subjects": self.subjects,
            "left_out": self.left_out,
            "votes": self.votes,
            "coding": CODING if self.categories == CATEGORIES else ", ".join(self.categories),
        }


def fleiss_kappa(
    counts: Iterable[Sequence[int]], categories: Sequence[str] = CATEGORIES
) -> FleissKappa:
    """Fleiss' kappa, generalised to unequal numbers of votes.

    Of the subjects i with n_i ≥ 2 votes, n_ij of them for category j,

        observed = mean_i Σ_j n_ij (n_ij - 1) / (n_i (n_i - 1)),
        expected = Σ_j (mean_i n_ij / n_i)²,
        kappa = (observed - expected) / (1 - expected).

    With equal n_i this is Fleiss (1971, Psychological Bulletin 76:378); the
    generalisation is that of Gwet (2014, Handbook of Inter-Rater Reliability,
    4th ed., ch. 2), except that subjects with one vote count nowhere.

    Parameters
    ----------
    counts : iterable of rows, shape (subjects, categories)
    categories : sequence of str

    Raises
    ------
    UserError
        If a row does not fit the categories or has a negative count.

    Examples
    --------
    >>> round(fleiss_kappa([[4, 1], [0, 3], [2, 2], [5, 0]]).value, 4)
    0.4544
    >>> fleiss_kappa([[3, 0], [2, 0]]).reason
    'All votes are for one category, so agreement beyond chance is not defined.'
    """
    rows = tuple(tuple(int(n) for n in row) for row in counts)
    names = tuple(categories)
    for row in rows:
        if len(row) != len(names) or min(row, default=0) < 0:
            raise UserError(f"a row of counts needs {len(names)} counts of 0 or more")
    used = [row for row in rows if sum(row) >= 2]
    if not used:
        reason = "No pair has two votes." if rows else "There are no votes."
        return FleissKappa(rows, names, None, reason, None, None)
    observed = sum(
        sum(n * (n - 1) for n in row) / (sum(row) * (sum(row) - 1)) for row in used
    ) / len(used)
    shares = [sum(row[j] / sum(row) for row in used) / len(used) for j in range(len(names))]
    expected = sum(share * share for share in shares)
    if sum(any(row[j] for row in used) for j in range(len(names))) < 2:
        reason = "All votes are for one category, so agreement beyond chance is not defined."
        return FleissKappa(rows, names, None, reason, observed, expected)
    value = (observed - expected) / (1 - expected)
    return FleissKappa(rows, names, value, "", observed, expected)


def count_choices(votes: Iterable[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Votes for lower and higher EIC on each pair, ties left out.

    Parameters
    ----------
    votes : iterable of (pair, choice)

    Examples
    --------
    >>> count_choices([("p1", "lower"), ("p1", "higher"), ("p2", "tie"), ("p1", "lower")])
    {'p1': (2, 1), 'p2': (0, 0)}
    """
    counts: dict[str, tuple[int, int]] = {}
    for pair, choice in votes:
        low, high = counts.get(pair, (0, 0))
        counts[pair] = (low + (choice == "lower"), high + (choice == "higher"))
    return counts
