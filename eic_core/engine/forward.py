"""The values of a tape, one step after the other, in any arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eic_core.engine.tape import Step, Tape


def forward(
    tape: Tape,
    leaf: Callable[[Step], Any],
    apply: Callable[[Step, list[Any]], Any],
    slots: int | None = None,
) -> list[Any]:
    found: list[Any] = []
    for step in tape.steps[:slots]:
        a = [found[i] for i in step.operands]
        found.append(leaf(step) if step.row is None else apply(step, a))
    return found
