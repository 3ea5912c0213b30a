"""EIC of all nodes of what users bring, divided by one plain NumPy evaluation of the same formula.

`python -m benchmarks.engine`.  Plain NumPy is what a user would write, compiled once, one number
for each row.  "first" is `amplify` of a formula never seen before: it lays the tape out, too;
"again" measures it once more; "inspect" is `inspect` of a formula never seen before, its tail
included, and "+ texts" asks it for the text of every node, but not for the tail.  Nothing is
settled exactly (``recheck=False``). Processor time, medians of runs that alternate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks import material
from benchmarks.material import Case, cut, plain_evaluation
from benchmarks.timing import Work, geometric_mean, medians, verdict
from eic_core.formula.tree import Formula
from eic_core.measure import amplify, inspect
from eic_core.samples import Samples
from study.demo import demo_pool_path, problem_folder

ROUNDS = {200: 15, 1_000: 11, 100_000: 5}
AIM, INSPECT_AIM = 3.0, 2.5
WORST = 5


class Measured(NamedTuple):
    """Seconds of one case by piece of work, and the share of its rows beyond double range."""

    group: str
    case: Case
    times: dict[str, float]
    beyond: float

    def ratio(self, piece: str, to: str = "plain") -> float:
        return self.times[piece] / self.times[to]


def groups() -> dict[str, list[Case]]:
    """What is measured, by where it comes from."""
    found = {}
    shared = material.SHARED
    if shared.is_dir():
        pool = shared / material.POOL
        found["real pool"] = material.pool_cases(pool, shared / "problems", 300)
        found["laws of physics"] = material.law_cases(shared / material.LAWS)
    else:
        print(f"there is no {shared}: the real pool and the laws of physics are left out")
    found["demo pool"] = material.pool_cases(demo_pool_path(), problem_folder(), 100)
    found["four clean formulas"] = material.clean_cases()
    return found


def pieces(case: Case, samples: Samples) -> dict[str, Work]:
    """What is compared."""
    nodes, plain = case.formula.nodes, plain_evaluation(case.formula)
    known = Formula(nodes)
    return {
        "plain": lambda: plain(samples),
        "first": lambda: amplify(Formula(nodes), samples, recheck=False),
        "again": lambda: amplify(known, samples, recheck=False),
        "inspect": lambda: inspect(Formula(nodes), samples, recheck=False).tail,
        "texts": lambda: [
            node.text for node in inspect(Formula(nodes), samples, recheck=False).nodes
        ],
    }


def measure(group: str, cases: Sequence[Case], rows: int) -> tuple[list[Measured], int]:
    """All cases on so many rows, and how many plain NumPy cannot evaluate."""
    found, refused = [], 0
    for case in cases:
        samples = case.draw(rows)
        with np.errstate(all="ignore"):
            try:
                plain_evaluation(case.formula)(samples)
            except (ArithmeticError, SyntaxError, RecursionError):  # 1/0 of Python's own numbers
                refused += 1
                continue
            beyond = amplify(case.formula, samples, recheck=False).out_of_range / rows
            times = medians(pieces(case, samples), ROUNDS[rows])
            found.append(Measured(group, case, times, beyond))
    return found, refused


def show(group: str, rows: int, found: Sequence[Measured]) -> None:
    """One row of the table: geometric means of ratios."""
    numpy_us = 1e6 * geometric_mean(m.times["plain"] for m in found)
    first, again, inspected, texts = (
        geometric_mean(m.ratio(piece) for m in found)
        for piece in ("first", "again", "inspect", "texts")
    )
    above = sum(m.ratio("first") > AIM for m in found) / len(found)
    print(
        f"{group:<19}{len(found):>4}{rows:>8,}{numpy_us:>9.1f}{first:>7.2f}{again:>7.2f}"
        f"{above:>7.0%}{inspected:>9.2f}{inspected / first:>8.2f}{texts / first:>9.2f}"
        f"  {verdict(first, AIM)}"
    )


def main() -> None:
    """Print the tables."""
    given = groups()
    print("\nEIC of all nodes / one plain NumPy evaluation (geometric means of ratios)\n")
    print(
        f"{'':<19}{'':>4}{'':>8}{'NumPy':>9}{'first':>7}{'again':>7}{'first':>7}{'inspect':>9}"
        f"{'inspect':>8}{'+ texts':>9}  aim for"
    )
    print(
        f"{'formulas':<19}{'':>4}{'rows':>8}{'µs':>9}{'/NumPy':>7}{'/NumPy':>7}{'> 3':>7}"
        f"{'/NumPy':>9}{'/first':>8}{'/first':>9}  first"
    )
    worst: dict[int, list[Measured]] = {}
    inspected: dict[int, float] = {}
    for rows in ROUNDS:
        every: list[Measured] = []
        refused = 0
        for group, cases in given.items():
            found, left = measure(group, cases, rows)
            show(group, rows, found)
            every += found
            refused += left
        show("all", rows, every)
        within = [m for m in every if not m.beyond]
        show("no row beyond range", rows, within)
        inspected[rows] = geometric_mean(m.ratio("inspect", "first") for m in every)
        worst[rows] = sorted(every, key=lambda m: -m.ratio("first"))[:WORST]
        if refused:
            print(f"({refused} formulas left out: Python's own numbers divide by 0 there)")
        print()
    for rows, ratio in inspected.items():
        print(
            f"inspect / first, all formulas, {rows:,} rows: {ratio:.2f}, aim "
            f"{verdict(ratio, INSPECT_AIM)}"
        )
    for rows, found in worst.items():
        print(
            f"\nThe {WORST} largest first/NumPy at {rows:,} rows "
            "(share of rows beyond double range; nodes):"
        )
        for m in found:
            print(
                f"  {m.ratio('first'):5.1f}  {m.beyond:>4.0%} {m.case.formula.complexity:>4}"
                f"  {m.group}: {cut(m.case.text, 60)}"
            )


if __name__ == "__main__":
    main()
