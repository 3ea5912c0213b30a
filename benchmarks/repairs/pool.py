"""Formulas of a real pool, on rows of their own tables; no better form of them is known."""

from __future__ import annotations

from pathlib import Path

from benchmarks.material import POOL, pool_cases
from benchmarks.repairs.cases import Case, DrawnRows

FORMULAS = 300


def cases_of_pool(shared: Path) -> list[Case]:
    """So many formulas, drawn at random, but for numbers."""
    return [
        Case(f"{i}", case.text, DrawnRows(case.draw), POOL.name, tree=case.formula)
        for i, case in enumerate(pool_cases(shared / POOL, shared / "problems", FORMULAS), 1)
        if case.formula.variables
    ]
