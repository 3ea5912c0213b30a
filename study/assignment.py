"""Which pair a rater gets next and on which side, so that votes stay even; pure functions.

Sharing out the votes to come is a flow on a bipartite graph: at most `RaterAtWork.remaining`
through a rater, at most one through a rater and a pair.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
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
        # A bound settles most questions, and handing out nearly all others; the flow is exact.
        if self._surely(room, remaining, most) or self._handed_out(room, remaining) == most:
            return most
        self._graph.data[:] = np.concatenate([self._may[self._open], room, remaining])
        source = sum(self._open.shape)
        return int(maximum_flow(self._graph, source, source + 1).flow_value)

    def _surely(
        self, room: npt.NDArray[np.int_], remaining: npt.NDArray[np.int_], most: int
    ) -> bool:
        """Whether no cut is less than `most`, by a bound for cuts that leave j pairs to the sink.

        The least of them is ``room.sum() - room[j pairs] + sum(min(remaining, open among them))``.
        Of a rater with k ballots to come, ``min(k, x) >= x * min(1, k / j)`` for ``x <= j``, where
        x is j less the closed ones among them; where j is k more than all closed ones, it is k.
        """
        closed = (~self._may).astype(float)
        enough = remaining + closed.sum(axis=1)
        sizes, few = np.arange(1, len(room) + 1), min(int(enough.max()), len(room))
        some = sizes[:few, None]
        shares = np.where(some < enough, np.minimum(1.0, remaining / some), 0.0)
        lost = np.zeros(len(room))
        lost[:few] = np.sort(shares @ closed)[:, ::-1].cumsum(axis=1).diagonal()
        offered = np.minimum(sizes[:, None], remaining).sum(axis=1)
        demand = np.sort(room)[::-1].cumsum()
        return bool(np.all(demand + lost <= room.sum() - most + offered))

    def _handed_out(self, room: npt.NDArray[np.int_], remaining: npt.NDArray[np.int_]) -> int:
        spare, may = room.copy(), self._may.astype(int)
        for rater in (self._may.sum(axis=1) - remaining).argsort().tolist():
            offered = spare * may[rater]
            first = max(0, len(spare) - int(remaining[rater]))
            most = offered.argpartition(min(first, len(spare) - 1))[first:]
            spare[most] -= offered[most] > 0
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
class PairToGive:
    pair_id: int
    problem: str
    formulas: frozenset[str]  # Keys of its two formulas


class PairIndex:
    """The pairs of a study that raters may get; a pair's place is its index in every array."""

    def __init__(self, pairs: Sequence[PairToGive]) -> None:
        self.pairs = tuple(pairs)
        self.place = {pair.pair_id: i for i, pair in enumerate(pairs)}
        problems = {problem: i for i, problem in enumerate(dict.fromkeys(p.problem for p in pairs))}
        self.problem = np.array([problems[pair.problem] for pair in pairs], int)
        self.problems = len(problems)
        by_formula: dict[str, set[int]] = {}
        for i, pair in enumerate(pairs):
            for key in pair.formulas:
                by_formula.setdefault(key, set()).add(i)
        shared = [places for places in by_formula.values() if len(places) > 1]
        self.sharing = np.zeros(len(pairs), bool)
        self._rivals: dict[int, set[int]] = {}
        for places in shared:
            self.sharing[list(places)] = True
            for place in places:
                self._rivals.setdefault(place, set()).update(places)

    def __len__(self) -> int:
        return len(self.pairs)

    def without(self, free: npt.NDArray[np.bool_], places: Iterable[int]) -> npt.NDArray[np.bool_]:
        """What of `free`, shape (P,), shares no formula with the pairs at `places`."""
        rest = free.copy()
        for place in places:
            rest[place] = False
            if place in self._rivals:
                rest[list(self._rivals[place])] = False
        return rest

    def most_disjoint(self, free: npt.NDArray[np.bool_]) -> int:
        """`max_disjoint_pairs` of the free ones."""
        shared = np.flatnonzero(free & self.sharing)
        alone = int(np.count_nonzero(free)) - len(shared)
        return alone + max_disjoint_pairs([self.pairs[place] for place in shared])


@dataclass(frozen=True)
class RaterAtWork:
    places: tuple[int, ...]  # Of the pairs that they have had
    remaining: int  # Ballots still to come


@dataclass(frozen=True)
class Standing:
    """How evenly a study's pairs are rated at a moment; arrays have shape (P,)."""

    pairs: PairIndex
    load: npt.NDArray[np.int_]  # Votes and live reservations: what is balanced
    lower_left: npt.NDArray[np.int_]  # How many of them have the formula of lower EIC on the left
    # Votes that each pair would get if the raters at work, but for the one who is to get the next,
    # went on at random: each adds ``remaining / pairs not had`` to a pair that they have not had
    coming: npt.NDArray[np.float64]
    ahead: int  # Ballots still to come to those raters
    others: Callable[[], Sequence[RaterAtWork]] = tuple


@dataclass(frozen=True)
class RaterHistory:
    places: tuple[int, ...] = ()
    lower_left: int = 0

    @property
    def side_surplus(self) -> int:
        return 2 * self.lower_left - len(self.places)


@dataclass(frozen=True)
class Choice:
    pair_id: int
    lower_left: bool


def choose_pair(
    standing: Standing, history: RaterHistory, remaining: int, rng: random.Random
) -> Choice | None:
    """The next pair for a rater; None if each was theirs, or shares a formula with one that was.

    `remaining`: ballots this rater still needs, this one included; at least 1.

    In this order: as many ballots as possible must remain for this rater (pairs may share
    formulas); the least outlook (load and votes to come), in steps of half a vote, or of a
    twentieth when few ballots are still to come; a problem that this rater has had least; a problem
    drawn by lot, with the number of its pairs of that step as weight (Efraimidis and Spirakis,
    2006); the least outlook in quarters of a vote; a side that mends both the pair's and the
    rater's balance; chance.

    A rater's balance comes before a pair's: whoever answers all ballots has seen the lower EIC on
    either side equally often, or once more on one of them if the ballots are odd in number.

    >>> two = PairToGive(1, "p", frozenset("ab")), PairToGive(2, "q", frozenset("cd"))
    >>> standing = Standing(PairIndex(two), np.array([2, 1]), np.array([2, 1]), np.zeros(2), 0)
    >>> choose_pair(standing, RaterHistory(), 1, random.Random(0))
    Choice(pair_id=2, lower_left=False)
    """
    pairs = standing.pairs
    free = pairs.without(np.ones(len(pairs), bool), history.places)
    places = np.flatnonzero(free)
    if not len(places):
        return None
    outlook = standing.load[places] + standing.coming[places]
    over = outlook - outlook.min() + 1e-9
    problem = pairs.problem[places]
    had_of_problem = np.bincount(pairs.problem[list(history.places)], minlength=pairs.problems)
    waiting = np.bincount(problem[over < 1], minlength=pairs.problems)
    # A weighted lot: the largest of n uniform draws, so that raters meet problems in another order.
    lot = np.array([rng.random() ** (1 / count) if count else 0.0 for count in waiting])

    ahead = remaining + standing.ahead
    closing = ahead < 2 * len(pairs)  # near the end evenness comes before spread
    steps = 20 if closing else 2
    reachable = min(remaining, pairs.most_disjoint(free))
    surplus = 2 * standing.lower_left[places] - standing.load[places]
    side = _sides(surplus, history.side_surplus, reachable - 1, rng)
    ranked = np.lexsort(
        (
            [rng.random() for _ in places],
            np.where(side, 1, -1) * (surplus + history.side_surplus),
            (4 * over).astype(int),
            -lot[problem],
            had_of_problem[problem],
            (steps * over).astype(int),
        )
    )

    def leaves_room(at: int) -> bool:
        place = int(places[at])
        if reachable > 1 and pairs.sharing[place]:
            return pairs.most_disjoint(pairs.without(free, [place])) >= reachable - 1
        return True

    fit = filter(leaves_room, ranked)
    # Without a pair that leaves room for all, the best-ranked one: fewer ballots than promised.
    at = next(fit, ranked[0])
    # Near the end: could the raters at work still bring all pairs to the same number of votes?
    if closing:
        rest = islice(fit, MAX_CANDIDATES - 1)
        at = _most_even_pair(places, chain([at], rest), standing, free, remaining)
    return Choice(pairs.pairs[places[at]].pair_id, bool(side[at]))


def _sides(
    surplus: npt.NDArray[np.int_], own_surplus: int, to_come: int, rng: random.Random
) -> npt.NDArray[np.bool_]:
    """Whether the lower EIC goes to the left: the side that lowers the sum of squared leans."""
    # A lean that the ballots to come cannot mend is mended now.
    if abs(own_surplus) >= max(1, to_come):
        return np.full(len(surplus), own_surplus < 0)
    lean = surplus + own_surplus
    tossed = np.array([rng.random() < 0.5 for _ in lean])
    return np.where(lean == 0, tossed, lean < 0)


def _most_even_pair(
    places: npt.NDArray[np.int_],
    candidates: Iterator[int],
    standing: Standing,
    free: npt.NDArray[np.bool_],
    own_remaining: int,
) -> int:
    """The first candidate that costs the raters at work nothing of the evenness they can reach."""
    counts = standing.load.copy()
    busy = standing.others()
    open_to = np.ones((1 + len(busy), len(counts)), bool)
    open_to[0] = free
    for row, other in enumerate(busy, 1):
        open_to[row, list(other.places)] = False
    remaining = np.array([own_remaining, *(other.remaining for other in busy)])
    level = even_level(counts, int(remaining.sum()))
    room = [np.maximum(height - counts, 0) for height in reversed(level)]
    # A limit of what can be reached settles most questions; what can is asked where it does not.
    goal, is_limit = ReachableEvenness(*(_most(each, remaining) for each in room)), True
    exact = partial(reachable_evenness, standing.load, open_to, remaining.copy(), level)
    votes = ReachGraph(open_to)
    remaining[0] -= 1
    first = None
    for candidate in candidates:
        first = candidate if first is None else first
        at = int(places[candidate])
        counts[at] += 1
        votes.let(0, at, False)
        after = votes.evenness(counts, remaining, level)
        below = after.below + int(counts[at] <= level[1])
        upto = after.upto + int(counts[at] <= level[0])
        if is_limit and (below < goal.below or upto < goal.upto):
            goal, is_limit = exact(), False
        if below >= goal.below and upto >= goal.upto:
            return candidate
        counts[at] -= 1
        votes.let(0, at, True)
    assert first is not None
    return first


def max_disjoint_pairs(pairs: Collection[PairToGive]) -> int:
    """How many pairs can be picked so that no two share a formula.

    Exact where no formula or only hubs are shared; otherwise a lower bound.

    >>> hub = [PairToGive(i, "p", frozenset({"h", str(i)})) for i in range(5)]
    >>> max_disjoint_pairs([*hub, PairToGive(9, "p", frozenset({"x", "y"}))])
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
