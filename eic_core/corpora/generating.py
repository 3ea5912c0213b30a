"""Random formulas with data, without those that lose too many digits.

Yu et al. (Section sec:EIC_for_generate) draw a formula anew while its EIC is above a threshold.
Here formulas and their tables are drawn hundreds at once, as a recipe says, and measured at once:
first their values, then, where all are finite, the digits lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eic_core.corpora.clusters import Singles, random_tables
from eic_core.corpora.growing import Grower
from eic_core.corpora.recipes import RECIPES
from eic_core.corpora.texts import infix_texts, prefix_texts
from eic_core.engine.forest import Floats, Forest, Numbers
from eic_core.errors import DataError

THRESHOLD = 2.0
"""EIC above which a formula is left out: theta of Yu et al."""

ROWS = 200
"""On which digits are measured, where none are stored."""

LEAST_ROWS, MOST_ROWS = 10, 5_000
"""Of a table; ten thousand tables are in memory at once."""

MEASURES = ("mean", "q90")
"""What stands for s^2 over the rows at a node."""

SHARE = 0.9

FIRST_ROWS = 16

AT_ONCE = 4_000
"""Proposals of one batch."""

HOPELESS = 50_000
"""Proposals after which a threshold that kept nothing is given up."""

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class GenerationPlan:
    """What is generated.

    Attributes
    ----------
    max_eic
        Formulas above it are left out, and those without an EIC; infinity keeps all.
    points
        Rows stored with each formula, 0 for none.
    measure
        What EIC is made of at each node: the mean of s^2, as in its definition, or the 90 %
        quantile of it over the rows. {"mean", "q90"}.
    weights
        True to keep every formula, with the weight that it should have.
    recipe
        A key of `eic_core.corpora.recipes.RECIPES`.
    """

    max_eic: float = THRESHOLD
    points: int = ROWS
    measure: str = "mean"
    weights: bool = False
    recipe: str = "e2esr"

    def __post_init__(self) -> None:
        if math.isnan(self.max_eic):
            raise DataError("the largest EIC must be a number", hint="inf leaves nothing out")
        if self.points and self.points < LEAST_ROWS:
            raise DataError(
                f"{self.points} points tell too little",
                hint=f"ask for {LEAST_ROWS} or more, or for 0: formulas alone",
            )
        if self.points > MOST_ROWS:
            raise DataError(
                f"{self.points:,} points a formula are too many", hint=f"{MOST_ROWS:,} at most"
            )
        if self.weights and math.isinf(self.max_eic):
            raise DataError("weights need a largest EIC", hint="formulas up to it weigh 1")

    @property
    def rows(self) -> int:
        """Rows on which formulas are measured."""
        return self.points or ROWS


@dataclass(frozen=True)
class Generated:
    """Formulas of as many variables each, with their data."""

    forest: Forest
    x: Singles  # shape (M, D, N): Exactly what the formulas were measured on
    y: Singles  # shape (M, N)
    eic: Floats  # shape (M,): By the plan's measure

    def __len__(self) -> int:
        return len(self.eic)


@dataclass(frozen=True)
class Batch:
    """What came of some proposals."""

    # proposed, valid: how many formulas were drawn; how many had a finite value at every row
    proposed: int
    valid: int
    groups: tuple[Generated, ...]  # What is kept, by number of variables
    # shape (K,): All of them in turn, in random order: places in the groups one after the other
    order: Numbers

    @cached_property
    def eic(self) -> Floats:
        """Of the groups one after the other."""
        return np.concatenate([group.eic for group in self.groups])


class Proposals:
    """Draws formulas and keeps those that a plan wants.

    >>> proposals = Proposals(GenerationPlan(max_eic=1.0, points=50))
    >>> batch = proposals.batch(np.random.default_rng(0), 200)
    >>> batch.proposed, bool(batch.eic.max() <= 1), len(batch.order) == len(batch.eic)
    (200, True, True)
    """

    def __init__(self, plan: GenerationPlan) -> None:
        if plan.recipe not in RECIPES:
            raise DataError(
                f"there is no recipe `{plan.recipe}`", hint="there are: " + ", ".join(RECIPES)
            )
        if plan.measure not in MEASURES:
            raise DataError(
                f"there is no measure `{plan.measure}`", hint="there are: " + ", ".join(MEASURES)
            )
        self.plan = plan
        self.recipe = RECIPES[plan.recipe]
        self.grower = Grower(self.recipe)

    def batch(self, rng: np.random.Generator, proposals: int = AT_ONCE) -> Batch:
        """Draw formulas and keep some, independent of what was kept before."""
        most = self.recipe.most_variables
        counts = rng.multinomial(proposals, [1 / most] * most)
        valid, groups = 0, []
        for variables, count in enumerate(counts.tolist(), start=1):
            if count:
                found, group = self._drawn(variables, count, rng)
                valid += found
                groups.append(group)
        order = rng.permutation(sum(map(len, groups)))
        return Batch(proposals, valid, tuple(groups), order)

    def _drawn(self, variables: int, count: int, rng: np.random.Generator) -> tuple[int, Generated]:
        """How many formulas have a value at every row, and those of them that are wanted."""
        forest = self.grower.grow(np.full(count, variables), rng)
        x = random_tables(count, variables, self.plan.rows, self.recipe.most_clusters, rng)
        share = None if self.plan.measure == "mean" else SHARE
        with np.errstate(all="ignore"):
            # most that have no value somewhere have none at some of the first rows
            first = forest.values(np.ascontiguousarray(x[:, :, :FIRST_ROWS]))
            left = np.flatnonzero(np.isfinite(first[:, 0]))
            forest, x = forest.take(left), x[left]
            y, eic = forest.measure(x, share)
            valid = (np.abs(y) <= _LARGEST).all(axis=1)
        kept = np.flatnonzero(valid & self._wanted(eic))
        group = Generated(
            forest.take(kept), x[kept].astype(np.float32), y[kept].astype(np.float32), eic[kept]
        )
        return int(np.count_nonzero(valid)), group

    def _wanted(self, eic: Floats) -> np.ndarray:
        if self.plan.weights or math.isinf(self.plan.max_eic):
            return np.ones(len(eic), dtype=bool)
        return eic <= self.plan.max_eic

    def weights(self, eic: Floats) -> Floats:
        """What formulas weigh that rejection would leave out: a tenth for each digit beyond.

        >>> Proposals(GenerationPlan()).weights(np.array([1.5, 3.0, np.inf, np.nan])).tolist()
        [1.0, 0.1, 0.0, 0.0]
        """
        beyond = np.maximum(np.nan_to_num(eic, nan=np.inf) - self.plan.max_eic, 0.0)
        return np.asarray(10.0**-beyond)

    def batches(self, rng: np.random.Generator) -> Iterator[Batch]:
        """One batch after the other, without end.

        Raises `DataError` if nothing is kept of the first ones.
        """
        proposed = kept = 0
        while True:
            batch = self.batch(rng)
            proposed, kept = proposed + batch.proposed, kept + len(batch.order)
            require_some(self.plan, proposed, kept)
            yield batch


def require_some(plan: GenerationPlan, proposed: int, kept: int) -> None:
    """Give up a threshold that lets nothing through.

    - `proposed`, `kept`: formulas so far.

    Raises `DataError` if many were drawn and none was kept.
    """
    if proposed >= HOPELESS and not kept:
        raise DataError(
            f"of {proposed:,} formulas none has an EIC of at most {plan.max_eic:g}",
            hint="raise --max-eic",
        )


@dataclass(frozen=True)
class Sample:
    """One formula with its data.

    Attributes
    ----------
    prefix
        Tokens; the recipe says what operators are called.
    infix
    eic
    weight
    x
        Shape (N, D).
    y
        Shape (N,).
    """

    prefix: tuple[str, ...]
    infix: str
    eic: float
    weight: float
    x: np.ndarray
    y: np.ndarray

    @property
    def complexity(self) -> int:
        """Number of nodes."""
        return len(self.prefix)


def samples(plan: GenerationPlan, seed: int = 0) -> Iterator[Sample]:
    """Formulas one after the other, without end, as they are generated.

    Parameters
    ----------
    plan
    seed

    Yields
    ------
    Sample

    Examples
    --------
    >>> first = next(samples(GenerationPlan(points=50)))
    >>> first.eic <= 2, first.x.shape[0], first.y.dtype.name
    (True, 50, 'float32')
    """
    proposals = Proposals(plan)
    for batch in proposals.batches(np.random.default_rng(seed)):
        for group, place in located(batch):
            forest = group.forest.take(np.array([place]))
            tokens = prefix_texts(forest, proposals.grower.words)[0].split(",")
            eic = float(group.eic[place])
            weight = float(proposals.weights(group.eic[[place]])[0]) if plan.weights else 1.0
            few = slice(plan.points)
            yield Sample(
                tuple(tokens),
                infix_texts(forest)[0],
                eic,
                weight,
                group.x[place].T[few],
                group.y[place][few],
            )


def located(batch: Batch) -> Iterator[tuple[Generated, int]]:
    """Each formula of a batch in its order: the group that it is in, and where."""
    ends = np.cumsum([len(group) for group in batch.groups])
    of = np.searchsorted(ends, batch.order, side="right")
    first = ends - [len(group) for group in batch.groups]
    for number, place in zip(of.tolist(), (batch.order - first[of]).tolist(), strict=True):
        yield batch.groups[number], place
