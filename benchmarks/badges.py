"""How often a badge hangs on the draw: `python -m benchmarks.badges [COUNT]`.

Real formulas, each on eight draws of 1,000 rows and eight of 10,000: laws drawn from their ranges,
formulas of a pool from the rows of their problem, with replacement.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks import material
from benchmarks.timing import verdict
from eic_core.corpora import laws
from eic_core.explain.verdict import Level, level_of
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import inspect
from eic_core.measure.measured import quantiles_of
from eic_core.measure.outcomes import outcomes
from eic_core.samples import Samples

SEEDS, COUNTS, LEAST = 8, (1_000, 10_000), 0.95
FORMULAS = 300

TABLE = 20_000
"""Rows of a problem's table, drawn with replacement, from which those of a pool come."""

Draw = Callable[[int, int], Samples]


def drawn_laws() -> Iterator[tuple[Formula, Draw]]:
    for law in laws.load("feynman"):
        yield law.tree, law.samples


def drawn_pool(most: int) -> Iterator[tuple[Formula, Draw]]:
    if not material.SHARED.is_dir():
        print(f"there is no {material.SHARED}: only the laws are drawn")
        return
    pool, problems = material.SHARED / material.POOL, material.SHARED / "problems"
    for case in material.pool_cases(pool, problems, most):
        yield case.formula, partial(_rows_of, case.draw(TABLE))


def _rows_of(table: Samples, count: int, seed: int) -> Samples:
    return table.take(np.random.default_rng(seed).integers(0, len(table), count))


class Drawn(NamedTuple):
    level: Level
    borderline: bool
    by_mean: Level  # What the mean, EIC's, would make of it


def levels(formula: Formula, draw: Draw) -> Iterator[Drawn]:
    """The badge on each draw."""
    for count in COUNTS:
        for seed in range(SEEDS):
            inspection = inspect(formula, draw(count, seed), edges=False)
            sensitivity = quantiles_of(outcomes(inspection).digits)
            mean, _ = level_of(inspection.nodes[-1].local_eic)
            yield Drawn(*level_of(sensitivity.nine_in_ten), mean)


def main(count: str = str(FORMULAS)) -> None:
    """Print the share of formulas whose badge is the same on all draws."""
    most = int(count)
    cases = [*drawn_laws()][: most // 2]
    cases += drawn_pool(most - len(cases))
    same = border = by_mean = 0
    for formula, draw in cases:
        draws = [*levels(formula, draw)]
        is_firm = len({each.level for each in draws}) == 1
        same += is_firm
        border += not is_firm and any(each.borderline for each in draws)
        by_mean += len({each.by_mean for each in draws}) == 1
    share = same / len(cases)
    print(
        f"the same badge on all {SEEDS * len(COUNTS)} draws: {share:.1%} of {len(cases)} formulas "
        f"({verdict(share, LEAST, least=True)}); of the others {border} of {len(cases) - same} say "
        f"borderline; by the mean it would be {by_mean / len(cases):.1%}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
