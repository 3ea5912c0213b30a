"""The blame ledger in sentences."""

from __future__ import annotations

import math
from collections import Counter

from eic_core.explain import words
from eic_core.explain.ledger_row import LedgerRow
from eic_core.formula.tree import VARIABLE
from eic_core.measure.inspection import Inspection
from eic_core.operators import OPERATORS

NAMED_SHARE = 0.1
"""What makes up less is not worth a sentence."""

NAMED_GROUPS, NAMED_SOURCES = 3, 3

NEGLIGIBLE = 0.01
"""What has a smaller part of the largest share of its group is not spoken of."""

HARDLY = 3.0
"""Noise multiplied by less counts as hardly amplified."""


def sentences(
    inspection: Inspection, target: int, rows: tuple[LedgerRow, ...], singular: int
) -> tuple[str, ...]:
    """The largest groups of equal noise, what is masked, and what is left out."""
    if len(rows) == 1:
        return (_leaf(inspection, target), *_left_out(inspection, target, singular))
    groups = _alike(rows)
    named = [g for g in groups if math.fsum(row.share for row in g) >= NAMED_SHARE] or groups[:1]
    found = [
        _sentence(inspection, target, group, first=group is named[0])
        for group in named[:NAMED_GROUPS]
    ]
    found += [
        masked_sentence(inspection, target, row) for row in outermost_masked(inspection, rows)
    ]
    return (*found, *_left_out(inspection, target, singular))


def _leaf(inspection: Inspection, target: int) -> str:
    """All that there is to say of an input or a constant."""
    kind = "an input" if inspection.formula.nodes[target].operator == VARIABLE else "a constant"
    return (
        f"{words.quoted(inspection.formula, target)} is {kind}: its only noise is its own error, "
        "and nothing has amplified it yet."
    )


def _left_out(inspection: Inspection, target: int, singular: int) -> tuple[str, ...]:
    if not singular:
        return ()
    return (
        f"{words.samples(singular)} at which no digit of {_name(inspection, target)} is left "
        f"{'is' if singular == 1 else 'are'} not in the ledger.",
    )


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


def _sentence(
    inspection: Inspection, target: int, group: list[LedgerRow], *, first: bool
) -> str:
    """Who makes so much of the noise, and where it is amplified."""
    share = math.fsum(row.share for row in group)
    head = group[0]
    whole = f" of the noise of {_name(inspection, target)}" if first else ""
    said = f"{_share(share)}{whole} comes from {_sources(inspection, target, group)}"
    if head.gain < HARDLY:
        return f"{said}, hardly amplified."
    step = words.quoted(inspection.formula, head.amplifier)
    noun = OPERATORS[inspection.formula.nodes[head.amplifier].operator].words.noun
    each = "each " if len(group) > 1 else ""
    return f"{said}, {each}amplified {words.factor(head.gain)} at the {noun} {step}."


def _share(share: float) -> str:
    """A share as it begins a sentence.

    Examples
    --------
    >>> _share(0.73), _share(0.99999), _share(1.0)
    ('73 %', 'Over 99.9 %', 'All')
    """
    text = words.percent(share)
    return "All" if text == "100 %" else text[0].upper() + text[1:]


def _sources(inspection: Inspection, target: int, group: list[LedgerRow]) -> str:
    """The few largest of a group by name, others of weight by number."""
    most = max(row.share for row in group)
    group = [row for row in group if row.share >= NEGLIGIBLE * most]
    kinds = Counter(
        f"the rounding of {_name(inspection, target)} itself"
        if row.node_id == target
        else f"the {row.text}"
        for row in group
    )
    named = [
        text if count == 1 else f"{text} (in {count} places)"
        for text, count in list(kinds.items())[:NAMED_SOURCES]
    ]
    rest = len(group) - sum(list(kinds.values())[:NAMED_SOURCES])
    return words.listed([*named, f"{rest} more"] if rest else named)


def _name(inspection: Inspection, target: int) -> str:
    whole = target == len(inspection.formula) - 1
    return "the result" if whole else words.quoted(inspection.formula, target)


def outermost_masked(
    inspection: Inspection, rows: tuple[LedgerRow, ...]
) -> list[LedgerRow]:
    """The masked rows that stand in no masked one."""
    masked = {row.node_id for row in rows if row.masked}
    parents = inspection.formula.parents
    return [row for row in rows if row.masked and parents[row.node_id] not in masked]


def masked_sentence(inspection: Inspection, target: int, row: LedgerRow) -> str:
    """What a masked node loses, and how little of it arrives."""
    local = inspection.nodes[row.node_id].local_eic_finite
    share = words.percent(row.share)
    little = share if share.startswith("less") else f"only {share}"
    return (
        f"Masked: {words.quoted(inspection.formula, row.node_id)} loses {words.digits(local)}, "
        f"but {little} of the noise of {_name(inspection, target)} arises there."
    )
