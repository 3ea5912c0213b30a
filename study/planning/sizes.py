"""How many pairs each problem has: from numbers, a table, or a study's own pairs."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable

from eic_core.errors import UserError
from study.statistics.simulation import LIMITS

_NUMBERS = re.compile(r"\d+(?:[\s,;]+\d+)*[\s,;]*")


def sizes_of(problems: Iterable[str]) -> tuple[int, ...]:
    """Pairs of each problem, the largest first, from the problem of each pair.

    >>> sizes_of(["braking", "gas", "gas"])
    (2, 1)
    """
    return tuple(sorted(Counter(problems).values(), reverse=True))


def read_sizes(text: str) -> tuple[int, ...]:
    """Pairs of each problem, the largest first. The text is numbers, or a table whose column
    `problem` names the problem of each pair, as `python -m study pairs` writes it. Raises
    `UserError` for anything else.

    >>> read_sizes("3, 10, 4")
    (10, 4, 3)
    >>> read_sizes("pair,problem\\np1,gas\\np2,braking\\np3,gas")
    (2, 1)
    """
    text = text.strip().removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    if _NUMBERS.fullmatch(text):
        sizes = sorted((int(each[:9]) for each in re.findall(r"\d+", text)), reverse=True)
        if sizes[-1] and sum(sizes) <= LIMITS["pairs"]:
            return tuple(sizes)
        raise UserError(
            f"problems hold at least one pair each, and {LIMITS['pairs']:,} in all at most"
        )
    rows = csv.DictReader(text.splitlines())
    if "problem" not in (rows.fieldnames or ()):
        raise UserError(
            "these are no sizes of problems",
            hint="write numbers such as 42, 22, 19, or take a table of pairs that has a column "
            "`problem`",
        )
    problems = [row["problem"] for row in rows if row["problem"]]
    if not 1 <= len(problems) <= LIMITS["pairs"]:
        raise UserError(f"the table holds {len(problems):,} pairs, not 1 to {LIMITS['pairs']:,}")
    return sizes_of(problems)
