"""Votes as arrays: what every statistic of this room takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from eic_core.errors import UserError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]
Sampled = Literal["problems", "pairs"]

VALUES = {"lower": 1.0, "higher": 0.0, "tie": float("nan")}


class PairVote(Protocol):
    """What is needed of a vote on a pair; see `study.report.exported.ExportedVote`."""

    @property
    def rater(self) -> str: ...
    @property
    def pair(self) -> str: ...
    @property
    def problem(self) -> str: ...
    @property
    def choice(self) -> str: ...
    @property
    def lower_side(self) -> str: ...
    @property
    def position(self) -> int: ...


@dataclass(frozen=True, eq=False)
class VoteArrays:
    """Votes on pairs, one row each.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater="a", pair="p1", problem="q", choice=choice, lower_side="left",
    ...               position=1) for choice in ("lower", "tie")]
    >>> table = VoteArrays.of(votes)
    >>> len(table), table.lower.tolist(), len(table.decided())
    (2, [1.0, nan], 1)
    """

    # shape (n,): 1: the formula of lower EIC was chosen; 0: that of higher EIC; nan: a tie
    lower: Floats
    # pair, rater, problem: shape (n,): Places in `pairs`, `raters` and `problems`
    pair: Integers
    rater: Integers
    problem: Integers
    # pairs, raters, problems: names; those without a vote may be among them
    pairs: tuple[str, ...]
    raters: tuple[str, ...]
    problems: tuple[str, ...]
    on_left: Flags  # shape (n,): Whether the formula of lower EIC stood on the left
    position: Integers  # shape (n,): 1 is the first ballot of a rater's session
    # "problems" or "pairs": what the study took a sample of beside its raters, as its
    # design declares; None: problems if there are ten or more in `problems`, else pairs of these
    # problems. The votes that are selected from a table do not change it.
    sampled: Sampled | None = None

    def __post_init__(self) -> None:
        columns = (self.lower, self.pair, self.rater, self.problem, self.on_left, self.position)
        if len({column.shape for column in columns}) != 1 or self.lower.ndim != 1:
            raise UserError("the columns of a table of votes must be of one length")

    @classmethod
    def of(cls, votes: Iterable[PairVote], sampled: Sampled | None = None) -> VoteArrays:
        """Put votes on pairs into columns, names in alphabetical order. Raises `UserError` for a
        bad choice.
        """
        rows = list(votes)
        for vote in rows:
            if vote.choice not in VALUES:
                raise UserError(f"a choice is lower, higher or tie, not `{vote.choice}`")
        pairs, pair = _codes([vote.pair for vote in rows])
        raters, rater = _codes([vote.rater for vote in rows])
        problems, problem = _codes([vote.problem for vote in rows])
        return cls(
            np.array([VALUES[vote.choice] for vote in rows], dtype=np.float64),
            pair,
            rater,
            problem,
            pairs,
            raters,
            problems,
            np.array([vote.lower_side == "left" for vote in rows], dtype=np.bool_),
            np.array([vote.position for vote in rows], dtype=np.intp),
            sampled,
        )

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def ties(self) -> int:
        return int(np.isnan(self.lower).sum())

    def select(self, rows: npt.NDArray[Any]) -> VoteArrays:
        """The table of some rows (a mask, or places; a place may come twice), names kept."""
        return VoteArrays(
            self.lower[rows],
            self.pair[rows],
            self.rater[rows],
            self.problem[rows],
            self.pairs,
            self.raters,
            self.problems,
            self.on_left[rows],
            self.position[rows],
            self.sampled,
        )

    def decided(self) -> VoteArrays:
        return self.select(~np.isnan(self.lower))

    def counts(self) -> Integers:
        """Deciding votes on each of `pairs`: lower and higher, shape (pairs, 2)."""
        table = self.decided()
        found = np.zeros((len(self.pairs), 2), dtype=np.intp)
        np.add.at(found, (table.pair, (table.lower == 0).astype(np.intp)), 1)
        return found


def numbered(codes: Integers) -> Integers:
    """The same codes without gaps.

    >>> numbered(np.array([7, 2, 7])).tolist()
    [1, 0, 1]
    """
    _, numbers = np.unique(codes, return_inverse=True)
    return numbers.ravel().astype(np.intp)


def _codes(names: Sequence[str]) -> tuple[tuple[str, ...], Integers]:
    known = tuple(sorted(set(names)))
    place = {name: i for i, name in enumerate(known)}
    return known, np.array([place[name] for name in names], dtype=np.intp)
