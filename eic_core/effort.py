"""How much work an answer may take: counted, so that every machine ends at the same place."""

from __future__ import annotations

import math
from typing import Literal

from eic_core.errors import UserError

Effort = float | Literal["quick", "normal", "thorough"]
"""How much work, as a multiple of the normal budget."""

EFFORTS: dict[str, float] = {"quick": 0.25, "normal": 1.0, "thorough": 4.0}


def factor_of(effort: Effort) -> float:
    """An effort as a multiple of the normal budget; raises `UserError` where it is none.

    >>> [factor_of(effort) for effort in ("quick", "normal", "thorough", 16, math.inf)]
    [0.25, 1.0, 4.0, 16, inf]
    """
    factor = EFFORTS.get(effort, math.nan) if isinstance(effort, str) else effort
    if not factor > 0:
        raise UserError(
            f"{effort!r} is no effort", hint=f"give {', '.join(EFFORTS)}, or a positive number"
        )
    return factor
