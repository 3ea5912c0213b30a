"""The blame ledger: whose noise a node's amplification consists of.

Summed over the samples, sum_j G_j^2 = s_t^2 gives each node's exact share of E[s_t^2].
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from eic_core.errors import require
from eic_core.explain import phrases
from eic_core.explain.created import (
    diagnosed_node,
    digits_climbed,
    noise_sums,
    steps_above,
    sums_below,
    times_of,
)
from eic_core.explain.facts import NoiseGroup, NoiseSource, StepPart
from eic_core.explain.losses import class_tape
from eic_core.explain.phrases import ledger as words
from eic_core.exports import Plain, json_form
from eic_core.formula.rendering import node_texts
from eic_core.measure.inspection import Inspection
from eic_core.operators.wide import Array
from eic_core.phrasing import Phrase

HIDDEN_BY = 1.0
"""Digits by which a masked node's local EIC exceeds the target's, at least."""

HIDDEN_SHARE = 0.01
"""What a masked node's noise makes of the target's, at most."""


@dataclass(frozen=True)
class LedgerRow:
    node_id: int
    # sum_x G^2 / sum_x s_t^2 over the samples with finite s_t: the part of E[s_t^2] introduced
    # here, 0 to 1
    share: float
    mean_share: float  # Mean of G^2 / s_t^2 over the same samples; one sample cannot dominate it
    through: float  # What comes to the target through this node, from it and all below: 0 to 1
    largest: float  # Largest |G| there
    gain: float  # Root mean square of G: how many times this node's noise is amplified
    # The node on the way to the target that multiplies it most, at the rows that carry it
    amplifier: int
    # Its part of the digits gained there on the way (above 1 if other steps take some back); nan if
    # none are gained
    amplifier_part: float
    # Whether this node loses at least `HIDDEN_BY` digits more than the target and yet its share is
    # below `HIDDEN_SHARE`
    masked: bool
    # How many times the other steps together multiply it there, or divide it; nan as above
    elsewhere: float = math.nan

    _JSON = (
        "share",
        "mean_share",
        "through",
        "largest",
        "gain",
        "amplifier",
        (
            "amplifier_part",
            lambda row: None if math.isnan(row.amplifier_part) else row.amplifier_part,
        ),
        "masked",
    )

    @property
    def inherited(self) -> float:
        """The share of the noise from below that comes through this node: 0 to 1."""
        return max(0.0, self.through - self.share)


NAMED_SHARE = 0.1
"""What makes up less is not worth a sentence."""

NAMED_GROUPS, NAMED_SOURCES = 3, 3

NEGLIGIBLE = 0.01
"""What makes up a smaller part of its group, all of it together, is not spoken of."""

HARDLY = 3.0
"""Noise multiplied by less counts as hardly amplified."""

MOST_OF_IT = 0.5
"""The part of the digits gained on the way from which noise is amplified mostly at one step."""

ALIKE = 1e-9
"""Digits by which two steps that amplify alike may differ."""

NEXT_TO_NOTHING = 1.2
"""Where the other steps together amplify no more than this, it is amplified at the one."""


def noise_groups(
    inspection: Inspection, target: int, rows: tuple[LedgerRow, ...]
) -> tuple[NoiseGroup, ...]:
    """The largest groups of noise that is amplified alike; () at a leaf and without a row."""
    if len(rows) < 2:
        return ()
    groups = _groups_amplified_alike(rows, inspection.amplification.tape.slots)
    named = [g for g in groups if math.fsum(row.share for row in g) >= NAMED_SHARE] or groups[:1]
    return tuple(_group(inspection, target, rows, group) for group in named[:NAMED_GROUPS])


def _groups_amplified_alike(
    rows: tuple[LedgerRow, ...], slots: Sequence[int]
) -> list[list[LedgerRow]]:
    """Rows amplified alike at one step, or copies of it, together; the largest share first."""
    groups: list[list[LedgerRow]] = []
    for row in sorted(rows, key=lambda row: (-round(row.share, 6), row.node_id)):
        for group in groups:
            head = group[0]
            calm = row.gain < HARDLY and head.gain < HARDLY
            alike = slots[row.amplifier] == slots[head.amplifier]
            if calm or (alike and row.gain >= 0.9 * head.gain):
                group.append(row)
                break
        else:
            groups.append([row])
    return sorted(groups, key=lambda g: -round(math.fsum(row.share for row in g), 6))


def _group(
    inspection: Inspection, target: int, rows: tuple[LedgerRow, ...], group: list[LedgerRow]
) -> NoiseGroup:
    group = _without_negligible(group)
    slots = class_tape(inspection.formula).slots
    kinds: dict[int, list[LedgerRow]] = {}
    for row in group:
        kinds.setdefault(slots[row.node_id], []).append(row)
    largest = [*kinds.values()][:NAMED_SOURCES]
    return NoiseGroup(
        math.fsum(row.share for row in group),
        tuple(_source(inspection, rows, those) for those in largest),
        len(group) - sum(map(len, largest)),
        len(group),
        None if group[0].gain < HARDLY else group[0].amplifier,
        min(row.gain for row in group),
        max(row.gain for row in group),
        min(map(_part, group)),
    )


def _part(row: LedgerRow) -> StepPart:
    if not row.amplifier_part >= MOST_OF_IT:
        return StepPart.LARGEST
    return StepPart.ALL if row.elsewhere <= NEXT_TO_NOTHING else StepPart.MOST


def _source(
    inspection: Inspection, rows: tuple[LedgerRow, ...], those: list[LedgerRow]
) -> NoiseSource:
    parents, slots = inspection.formula.parents, class_tape(inspection.formula).slots
    node_id, places = those[0].node_id, len(those)
    everywhere = [row for row in rows if slots[row.node_id] == slots[node_id]]
    others = [row for row in everywhere if row not in those]
    share = math.fsum(row.share for row in those)
    if math.fsum(row.share for row in others) <= NEGLIGIBLE * share:
        return NoiseSource(node_id, places, places)

    def steps_above(row: LedgerRow) -> Iterator[int]:
        k = parents[row.node_id]
        while k is not None:
            yield k
            k = parents[k]

    outside = {slots[k] for row in others for k in steps_above(row)}
    within = [next((k for k in steps_above(row) if slots[k] not in outside), None) for row in those]
    alike = len({None if k is None else slots[k] for k in within}) == 1
    return NoiseSource(node_id, places, len(everywhere), within[0] if alike else None)


def _without_negligible(group: list[LedgerRow]) -> list[LedgerRow]:
    ranked = sorted(group, key=lambda row: (-round(row.share, 6), row.node_id))
    rest = np.cumsum([row.share for row in reversed(ranked)])[::-1]  # of each and all after it
    return ranked[: max(1, int(np.count_nonzero(rest > NEGLIGIBLE * rest[0])))]


WATERFALL_BARS = 8

WORTH_A_BAR = 0.001
"""A smaller share is grouped with the others."""


@dataclass(frozen=True)
class Bar:
    label: Phrase
    nodes: tuple[int, ...]  # One node, or all those grouped in the last bar
    start: float
    end: float


@dataclass(frozen=True)
class Ledger(Plain):
    inspection: Inspection = field(repr=False)
    target: int
    # For the target and every node below it, in post-order; empty if no sample is valid and finite
    # at the target
    rows: tuple[LedgerRow, ...]
    # finite, singular: valid samples with finite s_t, over which the ledger is made, and the others
    finite: int
    singular: int

    _JSON = (
        "target",
        "finite",
        "singular",
        "sentences",
        ("rows", lambda ledger: ledger._rows_json()),
    )

    def _rows_json(self) -> list[dict[str, Any]]:
        return [
            {"id": row.node_id, "text": self.source(row)} | json_form(row, row._JSON)
            for row in self.rows
        ]

    @cached_property
    def groups(self) -> tuple[NoiseGroup, ...]:
        """The noise that is worth a sentence, the largest group first."""
        return noise_groups(self.inspection, self.target, self.rows)

    @cached_property
    def sentences(self) -> tuple[Phrase, ...]:
        """The largest groups first, then what is masked, then what is left out."""
        masked = tuple(map(self.masked_sentence, self.outermost_masked))
        return (*self._about_sources, *masked, *self._left_out)

    @property
    def unmasked_sentences(self) -> tuple[Phrase, ...]:
        """The `sentences` without those of masked steps."""
        return (*self._about_sources, *self._left_out)

    @cached_property
    def _about_sources(self) -> tuple[Phrase, ...]:
        formula, target = self.inspection.formula, self.target
        if not self.rows:
            return (words.nothing_to_split(formula, target, self.singular > 0),)
        if not self.groups:
            return (words.own_error(formula, target),)
        first, *others = self.groups
        return (
            words.largest_group(formula, target, first),
            *[words.further_group(formula, target, group) for group in others],
        )

    @property
    def _left_out(self) -> tuple[Phrase, ...]:
        if not self.rows or not self.singular:
            return ()
        return (words.left_out(self.inspection.formula, self.target, self.singular),)

    @cached_property
    def _sources(self) -> tuple[Phrase, ...]:
        formula = self.inspection.formula
        texts = node_texts(formula, phrases.TEXT_LIMIT)
        named = zip(formula.nodes, texts, strict=True)
        return tuple([Phrase(phrases.noise_source(node, text)) for node, text in named])

    def source(self, row: LedgerRow) -> Phrase:
        """What the noise of a row is: the error of a number, or a rounding."""
        return self._sources[row.node_id]

    @property
    def ranked(self) -> tuple[LedgerRow, ...]:
        return tuple(sorted(self.rows, key=lambda row: (-round(row.share, 6), row.node_id)))

    @property
    def masked(self) -> tuple[int, ...]:
        return tuple(row.node_id for row in self.rows if row.masked)

    @property
    def outermost_masked(self) -> tuple[LedgerRow, ...]:
        masked, parents = self.masked, self.inspection.formula.parents
        return tuple(row for row in self.rows if row.masked and parents[row.node_id] not in masked)

    def masked_sentence(self, row: LedgerRow) -> Phrase:
        return words.masked(
            self.inspection.formula,
            self.target,
            row.node_id,
            self.inspection.nodes[row.node_id].local_eic_finite,
            row.share,
            row.inherited if row.inherited >= HIDDEN_SHARE else 0.0,
        )

    def waterfall(self, bars: int = WATERFALL_BARS, *, mean: bool = False) -> tuple[Bar, ...]:
        """The shares (or their `mean` by row) stacked from 0 to 1, the smallest in the last bar."""
        parts = {row.node_id: row.mean_share if mean else row.share for row in self.rows}
        ranked = sorted(
            (row for row in self.rows if parts[row.node_id] > 0),
            key=lambda row: (-round(parts[row.node_id], 6), row.node_id),
        )
        worth = sum(parts[row.node_id] >= WORTH_A_BAR for row in ranked)
        several = len(ranked) > bars or worth < len(ranked) - 1
        alone = ranked[: min(worth, bars - 1)] if several else ranked
        groups = [(self.source(row), [row]) for row in alone]
        rest = ranked[len(alone) :]
        if rest:
            groups.append((words.more_nodes(len(rest)), rest))
        sizes = [math.fsum(parts[row.node_id] for row in rows) for _, rows in groups]
        ends = pairwise(accumulate(sizes, initial=0.0))
        return tuple(
            Bar(label, tuple(row.node_id for row in rows), start, end)
            for (label, rows), (start, end) in zip(groups, ends, strict=True)
        )


def blame(inspection: Inspection, target: int | None = None) -> Ledger:
    """Split a node's amplification into the noise injected at each node below it.

    Parameters
    ----------
    inspection
        With the samples over which the noise is summed.
    target
        A node; by default `diagnosed_node`, the node of largest finite local EIC.

    Returns
    -------
    Ledger
        A row for each node at or below the target.

    Notes
    -----
    The samples are those of the inspection that are valid and finite at the target; the
    doubtful ones among them are followed exactly, as in
    `eic_core.engine.amplify.amplify`.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> ledger = blame(inspect(read("10000*x-9999*x").formula, samples))
    >>> [round(row.share, 3) for row in ledger.rows]
    [0.167, 0.167, 0.167, 0.167, 0.167, 0.167, 0.0]
    """
    require(inspection, Inspection)
    target = diagnosed_node(inspection) if target is None else target
    first = inspection.formula.first[target]
    sums = noise_sums(inspection, target)
    singular = inspection.amplification.evaluated_count(target) - sums.finite
    if not sums.finite:
        return Ledger(inspection, target, (), 0, singular)
    shares = sums.squares / math.fsum(sums.squares)
    through = np.minimum(sums_below(inspection.formula.subtree(target), shares), 1.0)
    amplifiers = _amplifiers(inspection, target, sums.squares)
    ceiling = inspection.nodes[target].local_eic_finite + HIDDEN_BY
    rows = tuple(
        LedgerRow(
            node_id=first + k,
            share=share,
            mean_share=float(sums.fractions[k]) / sums.finite,
            through=float(through[k]),
            largest=math.sqrt(sums.largest[k]),
            gain=math.sqrt(sums.squares[k] / sums.finite),
            amplifier=amplifiers[k][0],
            amplifier_part=amplifiers[k][1],
            masked=inspection.nodes[first + k].local_eic_finite >= ceiling and share < HIDDEN_SHARE,
            elsewhere=amplifiers[k][2],
        )
        for k, share in enumerate(shares.tolist())
    )
    return Ledger(inspection, target, rows, sums.finite, singular)


def _amplifiers(
    inspection: Inspection, target: int, squares: Array
) -> list[tuple[int, float, float]]:
    """For each node, the step on its way to the target that amplifies most (the nearest of equals),
    its part of the digits gained on the way, nan if none, and the amplification by the others.
    """
    above, climbed = steps_above(inspection, target), digits_climbed(inspection, target)
    start = target + 1 - len(above)
    ways: list[list[int]] = [[] for _ in above]
    found = [(target, math.nan, math.nan)] * len(above)
    for k in range(len(above) - 2, -1, -1):
        ways[k] = [k, *ways[above[k]]]
        way = climbed[k][ways[k]]
        arrives = squares[k] > 0 and np.isfinite(way).all()
        place = int(np.argmax(way >= way.max() - ALIKE)) if arrives else 0
        step, part, whole = start + above[ways[k][place]], float(way[place]), float(way.sum())
        gains = arrives and whole > 0
        rest = (part / whole, times_of(abs(whole - part))) if gains else (math.nan, math.nan)
        found[k] = (step, *rest)
    return found
