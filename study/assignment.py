"""Which pair a rater gets next and on which side, so that votes stay even; pure functions.

Sharing out the votes to come is a flow on a bipartite graph: at most `RaterAtWork.remaining`
through a rater, at most one through a rater and a pair.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow


@dataclass(frozen=True)
class ReachableEvenness:
    """How far the votes to come can be spread: one way of giving them reaches both (Mendelsohn and
    Dulmage, Canad. J. Math. 10, 1958), and then all pairs end within one vote of each other.
    """

    # Votes to come that can be given without bringing any pair above the ceiling of the even number
    below: int
    upto: int  # Votes to come that can go to pairs which have not reached its floor


def reachable_evenness(
    loads: npt.NDArray[np.int_],
    open_to: npt.NDArray[np.bool_],
    remaining: npt.NDArray[np.int_],
    level: tuple[int, int],
) -> ReachableEvenness:
    """How evenly votes can still be spread; `level` comes from `even_level`.

    Shapes are (P,), (R, P) and (R,): loads of pairs, who may still get what, ballots to come. One
    of two raters, with a vote each, may still get only the pair that is full:

    >>> loads, open_to = np.array([1, 0, 0]), np.array([[True, False, False], [True, True, True]])
    >>> even_level(loads, 2)
    (1, 1)
    >>> reachable_evenness(loads, open_to, np.array([1, 1]), (1, 1))
    ReachableEvenness(below=1, upto=1)
    """
    return ReachGraph(open_to).evenness(loads, remaining, level)


class ReachGraph:
    """Who may still rate what: `open_to` has shape (R, P). Capacities change between questions."""

    def __init__(self, open_to: npt.NDArray[np.bool_]) -> None:
        self._open, self._may = open_to, open_to.copy()

    @cached_property
    def _graph(self) -> csr_array:
        """Sparse rows: raters to the pairs open to them, pairs to the sink, source to raters."""
        raters, pairs = self._open.shape
        source, sink = raters + pairs, raters + pairs + 1
        degrees = np.concatenate([self._open.sum(axis=1), np.ones(pairs, int), [raters, 0]])
        heads = np.concatenate(
            [raters + np.nonzero(self._open)[1], np.full(pairs, sink), np.arange(raters)]
        )
        starts = np.concatenate([[0], np.cumsum(degrees)])
        return csr_array(
            (np.ones(len(heads), np.int32), heads.astype(np.int32), starts.astype(np.int32)),
            shape=(source + 2, source + 2),
        )

    def let(self, rater: int, pair: int, may: bool) -> None:
        self._may[rater, pair] = may

    def evenness(
        self, loads: npt.NDArray[np.int_], remaining: npt.NDArray[np.int_], level: tuple[int, int]
    ) -> ReachableEvenness:
        floor, ceiling = level
        below = self._flow(np.maximum(ceiling - loads, 0), remaining)
        if floor == ceiling:
            return ReachableEvenness(below, below)
        return ReachableEvenness(below, self._flow(np.maximum(floor - loads, 0), remaining))

    def _flow(self, room: npt.NDArray[np.int_], remaining: npt.NDArray[np.int_]) -> int:
        most = _most(room, remaining)
        # Handing out is quick and nearly always reaches the limit; the exact flow decides the rest.
        if self._handed_out(room, remaining) == most:
            return most
        self._graph.data[:] = np.concatenate([self._may[self._open], room, remaining])
        source = sum(self._open.shape)
        return int(maximum_flow(self._graph, source, source + 1).flow_value)

    def _handed_out(self, room: npt.NDArray[np.int_], remaining: npt.NDArray[np.int_]) -> int:
        spare = room.copy()
        for rater in np.argsort(self._may.sum(axis=1) - remaining):
            offered = np.where(self._may[rater], spare, 0)
            count = min(int(remaining[rater]), int(np.count_nonzero(offered)))
            spare[np.argpartition(offered, -count)[-count:] if count else []] -= 1
        return int(room.sum() - spare.sum())


def _most(room: npt.NDArray[np.int_], remaining: npt.NDArray[np.int_]) -> int:
    return min(int(room.sum()), int(remaining.sum()))


def even_level(loads: Sequence[int] | npt.NDArray[np.int_], to_come: int) -> tuple[int, int]:
    """Floor and ceiling of the lowest pairs' votes, once the votes to come fill them up from below.

    >>> even_level([0, 0, 0, 9], 7)
    (2, 3)
    """
    heights = np.sort(np.asarray(loads))
    # Votes that it takes to bring the k lowest pairs to the height of the next.
    needed = heights * np.arange(len(heights)) - np.concatenate(([0], np.cumsum(heights)[:-1]))
    k = int(np.searchsorted(needed, to_come, side="right"))
    floor, over = divmod(to_come + int(heights[:k].sum()), k)
    return floor, floor + (over > 0)


# Pairs that are tried for what they leave to the others; the choice is made while writers wait.
MAX_CANDIDATES = 12


@dataclass(frozen=True)
class PairLoad:
    pair_id: int
    problem: str
    formulas: frozenset[str]  # Keys of its two formulas
    # completed, reserved: votes, and reservations that are still live
    completed: int = 0
    reserved: int = 0
    lower_left: int = 0  # How many of both have the formula of lower EIC on the left

    @property
    def load(self) -> int:
        """Votes and live reservations: what is balanced."""
        return self.completed + self.reserved

    @property
    def side_surplus(self) -> int:
        return 2 * self.lower_left - self.load


@dataclass(frozen=True)
class RaterHistory:
    pair_ids: frozenset[int] = frozenset()
    lower_left: int = 0

    @property
    def side_surplus(self) -> int:
        return 2 * self.lower_left - len(self.pair_ids)


@dataclass(frozen=True)
class RaterAtWork:
    rater_id: int
    pair_ids: frozenset[int]
    remaining: int


@dataclass(frozen=True)
class Choice:
    pair_id: int
    lower_left: bool


def choose_pair(
    loads: Sequence[PairLoad],
    history: RaterHistory,
    remaining: int,
    rng: random.Random,
    others: Collection[RaterAtWork] = (),
) -> Choice | None:
    """The next pair for a rater; None if each was theirs, or shares a formula with one that was.

    - `remaining`: ballots this rater still needs, this one included; at least 1.
    - `others`: raters at work: pairs that they have had will not get their votes.

    In this order: as many ballots as possible must remain for this rater (pairs may share
    formulas); the least outlook (see `expected_votes`), in steps of half a vote, or of a twentieth
    when few ballots are still to come; a problem that this rater has had least; a problem drawn by
    lot, with the number of its pairs of that step as weight (Efraimidis and Spirakis, 2006); the
    least outlook in quarters of a vote; a side that mends both the pair's and the rater's balance;
    chance.

    A rater's balance comes before a pair's: whoever answers all ballots has seen the lower EIC on
    either side equally often, or once more on one of them if the ballots are odd in number.

    >>> a = PairLoad(1, "p", frozenset("ab"), completed=2, lower_left=2)
    >>> b = PairLoad(2, "q", frozenset("cd"), completed=1, lower_left=1)
    >>> choose_pair([a, b], RaterHistory(), 1, random.Random(0))
    Choice(pair_id=2, lower_left=False)
    """
    by_id = {pair.pair_id: pair for pair in loads}
    had = [by_id[i] for i in history.pair_ids if i in by_id]
    used = frozenset().union(*(pair.formulas for pair in had))
    free = [p for p in loads if p.pair_id not in history.pair_ids and not p.formulas & used]
    if not free:
        return None
    outlook = expected_votes(loads, others)
    least = min(outlook[pair.pair_id] for pair in free)
    over = {pair.pair_id: outlook[pair.pair_id] - least + 1e-9 for pair in free}
    had_of_problem = Counter(pair.problem for pair in had)
    waiting = Counter(pair.problem for pair in free if over[pair.pair_id] < 1)
    # A weighted lot: the largest of n uniform draws, so that raters meet problems in another order.
    lot = {problem: rng.random() ** (1 / count) for problem, count in waiting.items()}

    ahead = remaining + sum(other.remaining for other in others)
    closing = ahead < 2 * len(loads)  # near the end evenness comes before spread
    steps = 20 if closing else 2
    reachable = min(remaining, max_disjoint_pairs(free))
    side = {
        pair.pair_id: _side(pair.side_surplus, history.side_surplus, reachable - 1, rng)
        for pair in free
    }

    def rank(pair: PairLoad) -> tuple[float, ...]:
        return (
            int(steps * over[pair.pair_id]),
            had_of_problem[pair.problem],
            -lot.get(pair.problem, 0.0),
            int(4 * over[pair.pair_id]),
            (1 if side[pair.pair_id] else -1) * (pair.side_surplus + history.side_surplus),
            rng.random(),
        )

    ranked = sorted(free, key=rank)
    fit = (pair for pair in ranked if _room_after(pair, free) >= reachable - 1)
    # Without a pair that leaves room for all, the best-ranked one: fewer ballots than promised.
    pair = next(fit, ranked[0])
    # Near the end: could the raters at work still bring all pairs to the same number of votes?
    if closing:
        pair = _most_even_pair(
            pair, islice(fit, MAX_CANDIDATES - 1), loads, free, remaining, others
        )
    return Choice(pair.pair_id, side[pair.pair_id])


def _room_after(pair: PairLoad, free: Collection[PairLoad]) -> int:
    return max_disjoint_pairs([p for p in free if p is not pair and not p.formulas & pair.formulas])


def _most_even_pair(
    first: PairLoad,
    rest: Iterable[PairLoad],
    loads: Sequence[PairLoad],
    free: Collection[PairLoad],
    own_remaining: int,
    others: Collection[RaterAtWork],
) -> PairLoad:
    """The first pair that costs the raters at work nothing of the evenness that they can reach."""
    counts = np.array([pair.load for pair in loads])
    place = {pair.pair_id: i for i, pair in enumerate(loads)}
    busy = [other for other in others if other.remaining > 0]
    open_to = np.ones((1 + len(busy), len(loads)), bool)
    open_to[0] = False
    open_to[0, [place[pair.pair_id] for pair in free]] = True
    for row, other in enumerate(busy, 1):
        open_to[row, [place[pair_id] for pair_id in other.pair_ids if pair_id in place]] = False
    remaining = np.array([own_remaining, *(other.remaining for other in busy)])
    level = even_level(counts, int(remaining.sum()))
    room = [np.maximum(height - counts, 0) for height in reversed(level)]
    # A limit of what can be reached settles most questions; what can is asked where it does not.
    goal, is_limit = ReachableEvenness(*(_most(each, remaining) for each in room)), True
    exact = partial(reachable_evenness, counts.copy(), open_to, remaining.copy(), level)
    votes = ReachGraph(open_to)
    remaining[0] -= 1
    for pair in chain([first], rest):
        at = place[pair.pair_id]
        counts[at] += 1
        votes.let(0, at, False)
        after = votes.evenness(counts, remaining, level)
        below = after.below + int(counts[at] <= level[1])
        upto = after.upto + int(counts[at] <= level[0])
        if is_limit and (below < goal.below or upto < goal.upto):
            goal, is_limit = exact(), False
        if below >= goal.below and upto >= goal.upto:
            return pair
        counts[at] -= 1
        votes.let(0, at, True)
    return first


def expected_votes(loads: Sequence[PairLoad], others: Collection[RaterAtWork]) -> dict[int, float]:
    """Votes that each pair would come to if the raters at work went on at random.

    Each other rater who has not had a pair adds ``remaining / pairs not had`` of a vote to its
    load; a pair that everyone at work has had gets no more.

    >>> pairs = [PairLoad(i, "p", frozenset({f"{i}a", f"{i}b"})) for i in (1, 2, 3)]
    >>> expected_votes(pairs, [RaterAtWork(7, frozenset({1}), remaining=1)])
    {1: 0.0, 2: 0.5, 3: 0.5}
    """
    everywhere = 0.0
    weights: dict[int, float] = {}
    for other in others:
        not_had = len(loads) - len(other.pair_ids)
        if not_had <= 0 or other.remaining <= 0:
            continue
        share = min(1.0, other.remaining / not_had)
        everywhere += share
        for pair_id in other.pair_ids:
            weights[pair_id] = weights.get(pair_id, 0.0) + share
    return {p.pair_id: p.load + everywhere - weights.get(p.pair_id, 0.0) for p in loads}


def _side(pair_surplus: int, rater_surplus: int, to_come: int, rng: random.Random) -> bool:
    """Whether the lower EIC goes to the left: the side that lowers the sum of squared leans."""
    # A lean that the ballots to come cannot mend is mended now.
    if abs(rater_surplus) >= max(1, to_come):
        return rater_surplus < 0
    side_surplus = pair_surplus + rater_surplus
    return side_surplus < 0 if side_surplus else rng.random() < 0.5


def max_disjoint_pairs(pairs: Collection[PairLoad]) -> int:
    """How many pairs can be picked so that no two share a formula.

    Exact where no formula or only hubs are shared; otherwise a lower bound.

    >>> hub = [PairLoad(i, "p", frozenset({"h", str(i)})) for i in range(5)]
    >>> max_disjoint_pairs([*hub, PairLoad(9, "p", frozenset({"x", "y"}))])
    2
    """
    uses = Counter(key for pair in pairs for key in pair.formulas)
    if all(count == 1 for count in uses.values()):
        return len(pairs)
    used: set[str] = set()
    count = 0
    # Pairs with the fewest conflicts first: a hub then blocks as few others as possible.
    for pair in sorted(pairs, key=lambda p: sum(uses[key] for key in p.formulas)):
        if not pair.formulas & used:
            used |= pair.formulas
            count += 1
    return count


def check_positions(total: int, checks: int, seed: int) -> frozenset[int]:
    """Positions (from 1) of attention checks among a rater's ballots.

    >>> sorted(check_positions(11, 1, seed=3)), sorted(check_positions(4, 3, seed=3))
    ([6], [2, 3, 4])
    """
    # Never the first, and not the second either unless only one ballot stands beside the checks.
    first = min(3, total - checks + 1)
    return frozenset(random.Random(seed).sample(range(first, total + 1), checks))
