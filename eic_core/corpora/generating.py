"""Random formulas with data that keep their digits (Yu et al., Section sec:EIC_for_generate)."""

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
from eic_core.errors import DataError, require

THRESHOLD = 2.0
"""EIC above which a formula is left out: theta of Yu et al."""

ROWS = 200
"""Rows on which digits are measured, if none are stored."""

LEAST_ROWS, MOST_ROWS = 10, 5_000
"""Rows of a stored table; ten thousand tables are in memory at once."""

MEASURES = ("mean", "q90")
"""s^2 of a node over the rows: its mean, or its `SHARE` quantile."""

SHARE = 0.9

FIRST_ROWS = 16

AT_ONCE = 4_000
"""Proposals of one batch."""

HOPELESS = 50_000
"""Proposals after which a threshold that nothing has passed is given up."""

_LARGEST = float(np.finfo(np.float32).max)  # data are stored in single precision


@dataclass(frozen=True)
class GenerationPlan:
    """The settings of a generation.

    Attributes
    ----------
    max_eic
        Formulas above it are left out, and those without an EIC; infinity leaves none out.
    points
        Rows stored with each formula: 0 for none, else 10 to 5,000.
    measure
        The amplification of a node over the rows: the mean of s^2, as in EIC's definition, or its
        90 % quantile. {"mean", "q90"}.
    weights
        True to keep every formula, with a weight in the place of a rejection.
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
        """How many rows each formula has."""
        return self.points or ROWS


@dataclass(frozen=True)
class Generated:
    forest: Forest
    x: Singles  # shape (M, D, N): exactly the numbers that the formulas were measured on
    y: Singles  # shape (M, N)
    eic: Floats  # shape (M,): by the plan's measure

    def __len__(self) -> int:
        return len(self.eic)


@dataclass(frozen=True)
class Batch:
    proposed: int  # Formulas drawn
    valid: int  # Those with a finite value at every row
    groups: tuple[Generated, ...]  # Those that passed the plan, by number of variables
    order: Numbers  # shape (K,): a random order of the places in all groups, one after the other

    @cached_property
    def eic(self) -> Floats:
        return np.concatenate([group.eic for group in self.groups])


class Proposals:
    """Draws formulas and keeps those that a plan lets through.

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
        most = self.recipe.most_variables
        counts = rng.multinomial(proposals, [1 / most] * most)
        valid, groups = 0, []
        for variables, count in enumerate(counts.tolist(), start=1):
            if count:
                finite, group = self._draw(variables, count, rng)
                valid += finite
                groups.append(group)
        order = rng.permutation(sum(map(len, groups)))
        return Batch(proposals, valid, tuple(groups), order)

    def _draw(self, variables: int, count: int, rng: np.random.Generator) -> tuple[int, Generated]:
        forest = self.grower.grow(np.full(count, variables), rng)
        x = random_tables(count, variables, self.plan.rows, self.recipe.most_clusters, rng)
        quantile = None if self.plan.measure == "mean" else SHARE
        with np.errstate(all="ignore"):
            # most formulas with an undefined row have one among the first: the others cost all rows
            first = forest.values(np.ascontiguousarray(x[:, :, :FIRST_ROWS]))
            defined = np.flatnonzero(np.isfinite(first[:, 0]))
            forest, x = forest.take(defined), x[defined]
            y, eic = forest.measure(x, quantile)
            valid = (np.abs(y) <= _LARGEST).all(axis=1)
        passing = np.flatnonzero(valid & self._passes(eic))
        group = Generated(
            forest.take(passing),
            x[passing].astype(np.float32),
            y[passing].astype(np.float32),
            eic[passing],
        )
        return int(np.count_nonzero(valid)), group

    def _passes(self, eic: Floats) -> np.ndarray:
        if self.plan.weights or math.isinf(self.plan.max_eic):
            return np.ones(len(eic), dtype=bool)
        return eic <= self.plan.max_eic

    def weights(self, eic: Floats) -> Floats:
        """1 up to the largest EIC, and a tenth for each digit beyond.

        >>> Proposals(GenerationPlan()).weights(np.array([1.5, 3.0, np.inf, np.nan])).tolist()
        [1.0, 0.1, 0.0, 0.0]
        """
        beyond = np.maximum(np.nan_to_num(eic, nan=np.inf) - self.plan.max_eic, 0.0)
        return np.asarray(10.0**-beyond)

    def batches(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Endless; `DataError` if no formula passes among the first `HOPELESS`."""
        proposed = passed = 0
        while True:
            batch = self.batch(rng)
            proposed, passed = proposed + batch.proposed, passed + len(batch.order)
            require_some(self.plan, proposed, passed)
            yield batch


def require_some(plan: GenerationPlan, proposed: int, passed: int) -> None:
    """Raise `DataError` if many formulas were proposed and none passed the plan."""
    if proposed >= HOPELESS and not passed:
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
        Tokens in prefix order; the recipe names the operators.
    infix
        In Python's notation.
    eic
        Digits lost at the worst step, by the plan's measure.
    weight
        1, or with `GenerationPlan.weights` 0 to 1.
    x
        Shape (N, D); N is 0 if no rows are stored.
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
    """Formulas one after the other, without end.

    Parameters
    ----------
    plan
        What is drawn and what is kept.
    seed
        Non-negative; the same seed gives the same formulas.

    Yields
    ------
    Sample
        In the order in which they are drawn.

    Examples
    --------
    >>> first = next(samples(GenerationPlan(points=50)))
    >>> first.eic <= 2, first.x.shape[0], first.y.dtype.name
    (True, 50, 'float32')
    """
    require(plan, GenerationPlan)
    proposals = Proposals(plan)
    for batch in proposals.batches(np.random.default_rng(seed)):
        for group, place in located(batch):
            forest = group.forest.take(np.array([place]))
            tokens = prefix_texts(forest, proposals.grower.words)[0].split(",")
            eic = float(group.eic[place])
            weight = float(proposals.weights(group.eic[[place]])[0]) if plan.weights else 1.0
            stored = slice(plan.points)
            yield Sample(
                tuple(tokens),
                infix_texts(forest)[0],
                eic,
                weight,
                group.x[place].T[stored],
                group.y[place][stored],
            )


def located(batch: Batch) -> Iterator[tuple[Generated, int]]:
    """Each formula of a batch in its random order: its group, and its place there."""
    ends = np.cumsum([len(group) for group in batch.groups])
    owner = np.searchsorted(ends, batch.order, side="right")
    first = ends - [len(group) for group in batch.groups]
    for number, place in zip(owner.tolist(), (batch.order - first[owner]).tolist(), strict=True):
        yield batch.groups[number], place
