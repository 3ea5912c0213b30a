"""Populations of formulas: laying out, values, values and EIC; µs a formula.

`python -m benchmarks.population`.  Up to 2,000 formulas that a pool has for one problem of two
inputs, and 2,000 children of 200 of them by subtree crossover, at 200 rows of the problem; then the
same without the formulas some of whose rows are invalid, singular or beyond double range, which
`Population` measures one by one.  Processor time, medians of runs that
alternate; "from tapes" means that the population is laid out already.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from benchmarks.material import pool_paths, two_variable_formulas
from benchmarks.timing import Work, medians, verdict
from eic_core.engine.native.library import pack
from eic_core.engine.population import Population
from eic_core.formula.tree import Formula
from eic_core.measure import amplify
from eic_core.samples import Samples

COUNT, PARENTS = 2_000, 200
MOST_NODES = 100
VALUES_AIM, EIC_AIM = 6.0, 12.0
ROUNDS = 11


def exchanged(formula: Formula, place: int, other: Formula, graft: int) -> Formula:
    """A formula whose subtree at `place` is replaced by another's subtree at `graft`."""
    first, source = formula.first[place], other.first[graft]
    moved = [
        node._replace(
            id=node.id + first - source,
            children=tuple(child + first - source for child in node.children),
        )
        for node in other.nodes[source : graft + 1]
    ]
    later = first + len(moved) - place - 1
    rest = [
        node._replace(
            id=node.id + later,
            children=tuple(c + later if c >= place else c for c in node.children),
        )
        for node in formula.nodes[place + 1 :]
    ]
    return Formula((*formula.nodes[:first], *moved, *rest))


def children(parents: Sequence[Formula], count: int, rng: random.Random) -> list[Formula]:
    """Children of random pairs, none of more than `MOST_NODES` nodes."""
    found: list[Formula] = []
    while len(found) < count:
        one, other = rng.sample(parents, 2)
        child = exchanged(one, rng.randrange(len(one)), other, rng.randrange(len(other)))
        if len(child) <= MOST_NODES:
            found.append(child)
    return found


def odd_rows(formulas: Sequence[Formula], samples: Samples) -> np.ndarray:
    """How many rows of each formula are invalid, singular or beyond double range."""
    with np.errstate(all="ignore"):
        scores = Population(formulas).amplify(samples)
    return scores.invalid + scores.singular + scores.out_of_range


def ordinary(formulas: Sequence[Formula], samples: Samples) -> list[Formula]:
    """The formulas without such rows."""
    odd = odd_rows(formulas, samples)
    return [formula for formula, count in zip(formulas, odd, strict=True) if not count]


def show(name: str, formulas: Sequence[Formula], samples: Samples) -> None:
    """Print what one population takes."""
    laid = Population(formulas)
    work: dict[str, Work] = {
        "lay out": lambda: pack(Population(formulas).tape),
        "values": lambda: laid.values(samples),
        "EIC": lambda: laid.amplify(samples),
        "both": lambda: laid.amplify(samples, keep_values=True),
        "alone": lambda: [amplify(Formula(f.nodes), samples, recheck=False) for f in formulas],
    }
    with np.errstate(all="ignore"):
        seconds = medians(work, ROUNDS)
    us = {key: 1e6 * value / len(formulas) for key, value in seconds.items()}
    nodes = sum(map(len, formulas))
    odd = int(np.count_nonzero(odd_rows(formulas, samples)))
    print(
        f"\n{name}: {len(formulas):,} formulas of {nodes / len(formulas):.1f} nodes, "
        f"{len(samples)} rows;"
    )
    print(
        f"  {len(laid.tape) / nodes:.0%} of their subtrees are distinct; {odd} formulas have "
        "invalid, singular or lost rows"
    )
    for label, key, aim in (
        ("lay out", "lay out", None),
        ("values only, from tapes", "values", VALUES_AIM),
        ("EIC, from tapes", "EIC", EIC_AIM),
        ("values and EIC, from tapes", "both", EIC_AIM),
        ("one by one with `amplify`, laid out each time", "alone", None),
    ):
        aimed = "" if aim is None else f"   aim {verdict(us[key], aim)}"
        print(f"  {label:<48}{us[key]:>8.1f} µs a formula{aimed}")


def main() -> None:
    """Print both populations."""
    formulas, samples = two_variable_formulas(COUNT, pool_paths())
    rng = random.Random(0)
    mixed = children(formulas[:PARENTS], COUNT, rng)
    show("formulas of the pool", formulas, samples)
    show(f"children of {PARENTS} of them", mixed, samples)
    show("those formulas without odd rows", ordinary(formulas, samples), samples)
    show("those children without odd rows", ordinary(mixed, samples), samples)


if __name__ == "__main__":
    main()
