"""The blame ledger in sentences."""

from __future__ import annotations

import math
from collections import Counter

from eic_core.explain import words
from eic_core.explain.ledger_row import LedgerRow
from eic_core.measure.inspection import Inspection

NAMED_SHARE = 0.1
"""What makes up less is not worth a sentence."""

NAMED_GROUPS, NAMED_SOURCES = 3, 3

HARDLY = 3.0
"""Noise multiplied by less counts as hardly amplified."""


def sentences(
    inspection: Inspection, target: int, rows: tuple[LedgerRow, ...], singular: int
) -> tuple[str, ...]:
    """The largest groups of equal noise, what is masked, and what is left out."""
    groups = _alike(rows)
    named = [g for g in groups if math.fsum(row.share for row in g) >= NAMED_SHARE] or groups[:1]
    found = [_sentence(inspection, target, group) for group in named[:NAMED_GROUPS]]
    found += [_masked(inspection, target, row) for row in _outermost_masked(inspection, rows)]
    if singular:
        found.append(
            f"{words.samples(singular)} at which no digit of {_name(inspection, target)} is left "
            f"{'is' if singular == 1 else 'are'} not in the ledger."
        )
    return tuple(found)


def _alike(rows: tuple[LedgerRow, ...]) -> list[list[LedgerRow]]:
    """Rows amplified alike at one place together, the group of largest share first."""
    groups: list[list[LedgerRow]] = []
    for row in sorted(rows, key=lambda row: (-row.share, row.node_id)):
        for group in groups:
            head = group[0]
            calm = row.gain < HARDLY and head.gain < HARDLY
            if calm or (row.amplifier == head.amplifier and row.gain >= 0.9 * head.gain):
                group.append(row)
                break
        else:
            groups.append([row])
    return sorted(groups, key=lambda g: -math.fsum(row.share for row in g))


def _sentence(inspection: Inspection, target: int, group: list[LedgerRow]) -> str:
    share = words.percent(math.fsum(row.share for row in group))
    head = group[0]
    kinds = Counter(
        f"rounding of {_name(inspection, target)} itself" if row.node_id == target else row.text
        for row in group
    )
    named = [
        text if count == 1 else f"{text} (in {count} places)"
        for text, count in list(kinds.items())[:NAMED_SOURCES]
    ]
    rest = len(group) - sum(list(kinds.values())[:NAMED_SOURCES])
    sources = words.listed([*named, f"{rest} more"] if rest else named)
    if head.gain < HARDLY:
        return f"{share}: {sources}, hardly amplified."
    place = words.quoted(inspection.formula, head.amplifier)
    name = _NAMES.get(inspection.formula.nodes[head.amplifier].operator, "step")
    each = "each " if len(group) > 1 else ""
    return f"{share}: {sources}, {each}amplified {words.factor(head.gain)} at the {name} {place}."


def _name(inspection: Inspection, target: int) -> str:
    whole = target == len(inspection.formula) - 1
    return "the result" if whole else words.quoted(inspection.formula, target)


def _outermost_masked(
    inspection: Inspection, rows: tuple[LedgerRow, ...]
) -> list[LedgerRow]:
    """The masked rows that stand in no masked one."""
    masked = {row.node_id for row in rows if row.masked}
    parents = inspection.formula.parents
    return [row for row in rows if row.masked and parents[row.node_id] not in masked]


def _masked(inspection: Inspection, target: int, row: LedgerRow) -> str:
    local = inspection.nodes[row.node_id].local_eic_finite
    return (
        f"Masked: {words.quoted(inspection.formula, row.node_id)} loses {words.digits(local)}, "
        f"but {words.percent(row.share)} of the noise of {_name(inspection, target)} arises there."
    )


_NAMES = {
    "add": "sum", "sub": "difference", "mul": "product", "div": "quotient",
    "power": "power", "pow": "power", "exp": "exponential", "expm1": "exponential",
    "log": "logarithm", "log1p": "logarithm", "sin": "sine", "cos": "cosine", "tan": "tangent",
    "cot": "cotangent", "sqrt": "root", "cbrt": "root", "root": "root",
}  # fmt: skip
