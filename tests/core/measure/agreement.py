"""Engine against oracle, node by node."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from eic_core.formula.rendering import to_python
from eic_core.formula.tree import Formula
from eic_core.measure import Amplification, Samples, amplify
from eic_core.measure.inspection import local_eic
from tests.core.measure import oracle

Table = Mapping[str, Sequence[str]]


def rows_of(table: Table) -> list[dict[str, str]]:
    """A table of columns as a list of samples."""
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]


def samples_of(table: Table) -> Samples:
    """A table of decimal texts as the engine takes it."""
    return Samples.from_columns({name: [float(c) for c in cells] for name, cells in table.items()})


def same(left: float, right: float, tolerance: float) -> bool:
    """Equal, both nan, or within the tolerance."""
    return left == right or (left != left and right != right) or abs(left - right) <= tolerance


def tolerance(formula: Formula, node: int, expected: oracle.Result) -> float:
    """max(1e-9, 10^(EIC - 15.5)) of the subtree at a node."""
    below = range(formula.first[node], node + 1)
    known = [e for e in map(expected.local_eic_finite, below) if not math.isnan(e)]
    return max(1e-9, 10 ** (max(known, default=0.0) - 15.5))


def disagreements(
    formula: Formula, table: Table, *, recheck: bool = True
) -> tuple[list[str], oracle.Result, Amplification]:
    """What the engine and the oracle say differently about one formula; empty if nothing."""
    expected = oracle.measure(formula, rows_of(table))
    found = amplify(formula, samples_of(table), recheck=recheck)
    wrong = []
    if found.valid_count != expected.valid or found.first_invalid != expected.first_invalid:
        wrong.append(f"invalid {found.first_invalid}, not {expected.first_invalid}")
    for node in formula.nodes:
        k = node.id
        if found.singular[k] != expected.singular[k]:
            wrong.append(
                f"{k} {node.operator}: {found.singular[k]} singular, not {expected.singular[k]}"
            )
            continue
        allowed = tolerance(formula, k, expected)
        for name, ours, theirs in (
            ("local_eic", local_eic(found.mean_s2(k)), expected.local_eic(k)),
            ("finite", local_eic(found.finite_mean_s2(k)), expected.local_eic_finite(k)),
        ):
            if not same(ours, theirs, allowed):
                place = f"{k} {node.operator}: {name}"
                wrong.append(f"{place} {ours!r}, not {theirs!r} ± {allowed:.1e}")
    if wrong:
        wrong.insert(0, f"{to_python(formula)} on {dict(table)}")
    return wrong, expected, found
