"""The blame ledger: whose noise a node's amplification consists of, in numbers and sentences.

Summed over the samples, sum_j G_j^2 = s_t^2 gives each node's exact share of E[s_t^2].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from eic_core import wording
from eic_core.explain import phrases
from eic_core.explain.bottleneck import diagnosed_node
from eic_core.explain.created import digits_climbed, noise_sums
from eic_core.exports import Plain
from eic_core.formula.rendering import node_texts
from eic_core.formula.tree import VARIABLE
from eic_core.measure.inspection import Inspection
from eic_core.operators import OPERATORS

HIDDEN_BY = 1.0
"""Digits by which a masked node's local EIC exceeds the target's, at least."""

HIDDEN_SHARE = 0.01
"""What a masked node's noise makes of the target's, at most."""


@dataclass(frozen=True)
class LedgerRow:
    node_id: int
    text: str  # What the noise is, in words
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
        "id=node_id",
        "text",
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


def ledger_sentences(
    inspection: Inspection, target: int, rows: tuple[LedgerRow, ...], singular: int
) -> tuple[str, ...]:
    """Whole sentences: the largest groups of equal noise, masked losses, and samples left out."""
    if len(rows) == 1:
        return (_leaf(inspection, target), *_left_out(inspection, target, singular))
    groups = _groups_amplified_alike(rows, inspection.amplification.tape.slots)
    named = [g for g in groups if math.fsum(row.share for row in g) >= NAMED_SHARE] or groups[:1]
    found = [
        _sentence(inspection, target, rows, group, first=group is named[0])
        for group in named[:NAMED_GROUPS]
    ]
    found += [
        masked_sentence(inspection, target, row) for row in outermost_masked(inspection, rows)
    ]
    return (*found, *_left_out(inspection, target, singular))


def _leaf(inspection: Inspection, target: int) -> str:
    kind = "an input" if inspection.formula.nodes[target].operator == VARIABLE else "a constant"
    return (
        f"{phrases.code_text(inspection.formula, target)} is {kind}: its only noise is its own "
        "error, and nothing has amplified it yet."
    )


def _left_out(inspection: Inspection, target: int, singular: int) -> tuple[str, ...]:
    if not singular:
        return ()
    return (
        f"{wording.count(singular, 'sample')} at which the amplification of "
        f"{_name(inspection, target)} is infinite {'is' if singular == 1 else 'are'} not in the "
        "ledger.",
    )


def _groups_amplified_alike(
    rows: tuple[LedgerRow, ...], slots: Sequence[int]
) -> list[list[LedgerRow]]:
    """Rows amplified alike at one step, or copies of it, together; the largest share first."""
    groups: list[list[LedgerRow]] = []
    for row in sorted(rows, key=lambda row: (-row.share, row.node_id)):
        for group in groups:
            head = group[0]
            calm = row.gain < HARDLY and head.gain < HARDLY
            alike = slots[row.amplifier] == slots[head.amplifier]
            if calm or (alike and row.gain >= 0.9 * head.gain):
                group.append(row)
                break
        else:
            groups.append([row])
    return sorted(groups, key=lambda g: -math.fsum(row.share for row in g))


def _sentence(
    inspection: Inspection,
    target: int,
    rows: tuple[LedgerRow, ...],
    group: list[LedgerRow],
    *,
    first: bool,
) -> str:
    group = _without_negligible(group)
    share = math.fsum(row.share for row in group)
    head = group[0]
    of_what = f" of the noise of {_name(inspection, target)}" if first else ""
    part = _share(share) if first else _another(share)
    text = f"{part}{of_what} comes from {_sources(inspection, target, rows, group)}"
    if head.gain < HARDLY:
        return f"{text}, hardly amplified."
    step = phrases.code_text(inspection.formula, head.amplifier)
    noun = OPERATORS[inspection.formula.nodes[head.amplifier].operator].words.noun
    where = _ALONE_THERE[min(_part_there(row) for row in group)]
    return f"{text}, {_amplified(group)}{where} the {noun} {step}."


def _amplified(group: list[LedgerRow]) -> str:
    if len(group) == 1:
        return f"amplified {wording.times(group[0].gain)}"
    least, most = (end(row.gain for row in group) for end in (min, max))
    if wording.times(least) == wording.times(most):
        return f"each amplified {wording.times(most)}"
    return f"amplified {wording.significant(least)} to {wording.times(most)}"


_ALONE_THERE = (" on the way, most at", ", mostly at", " at")
"""How it is said where noise is amplified, from a part of it to all."""


def _part_there(row: LedgerRow) -> int:
    """The step's part of a row's amplification: an index of `_ALONE_THERE`."""
    if not row.amplifier_part >= MOST_OF_IT:
        return 0
    return 2 if row.elsewhere <= NEXT_TO_NOTHING else 1


def _another(share: float) -> str:
    """A further share, to begin a sentence.

    >>> _another(0.33), _another(0.49999)
    ('Another 33 %', 'Another share of under 50 %')
    """
    text = wording.percent(share)
    return f"Another {text}" if text[0].isdigit() else f"Another share of {text}"


def _share(share: float) -> str:
    """A share, to begin a sentence.

    >>> _share(0.73), _share(0.99999), _share(1.0)
    ('73 %', 'Over 99.9 %', 'All')
    """
    text = wording.percent(share)
    return "All" if text == "100 %" else wording.capital(text)


def _sources(
    inspection: Inspection, target: int, rows: tuple[LedgerRow, ...], group: list[LedgerRow]
) -> str:
    own = {row.node_id: row.text for row in rows}
    own[target] = f"rounding of {_name(inspection, target)} itself"
    kinds: dict[str, list[LedgerRow]] = {}
    for row in group:
        kinds.setdefault(own[row.node_id], []).append(row)
    largest = list(kinds.items())[:NAMED_SOURCES]
    named = [
        f"the {text}{_places(inspection, [row for row in rows if own[row.node_id] == text], here)}"
        for text, here in largest
    ]
    rest = len(group) - sum(len(here) for _, here in largest)
    return wording.join([*named, f"{rest} more"] if rest else named)


def _places(inspection: Inspection, everywhere: list[LedgerRow], here: list[LedgerRow]) -> str:
    ids = {row.node_id for row in here}
    others = [row for row in everywhere if row.node_id not in ids]
    share = math.fsum(row.share for row in here)
    if math.fsum(row.share for row in others) <= NEGLIGIBLE * share:
        return f" (in {len(here)} places)" if len(here) > 1 else ""
    texts = node_texts(inspection.formula, phrases.TEXT_LIMIT)

    def ways_up(row: LedgerRow) -> list[str]:
        found, k = [], inspection.formula.parents[row.node_id]
        while k is not None:
            found.append(f"`{texts[k]}`")
            k = inspection.formula.parents[k]
        return found

    elsewhere = {text for row in others for text in ways_up(row)}
    within = {next((text for text in ways_up(row) if text not in elsewhere), "") for row in here}
    if len(within) == 1 and "" not in within:
        several = f" (in {len(here)} places)" if len(here) > 1 else ""
        return f" in {within.pop()}{several}"
    return f" (in {len(here)} of {len(everywhere)} places)"


def _without_negligible(group: list[LedgerRow]) -> list[LedgerRow]:
    ranked = sorted(group, key=lambda row: (-row.share, row.node_id))
    rest = math.fsum(row.share for row in ranked)
    limit = NEGLIGIBLE * rest
    kept = 0
    while kept < len(ranked) and rest > limit:
        rest -= ranked[kept].share
        kept += 1
    return ranked[: max(1, kept)]


def _name(inspection: Inspection, target: int) -> str:
    is_root = target == len(inspection.formula) - 1
    return "the result" if is_root else phrases.code_text(inspection.formula, target)


def outermost_masked(inspection: Inspection, rows: tuple[LedgerRow, ...]) -> list[LedgerRow]:
    masked = {row.node_id for row in rows if row.masked}
    parents = inspection.formula.parents
    return [row for row in rows if row.masked and parents[row.node_id] not in masked]


def masked_sentence(inspection: Inspection, target: int, row: LedgerRow) -> str:
    """The loss of a masked node, and the small share of the target's noise that arises there."""
    local = inspection.nodes[row.node_id].local_eic_finite
    share = wording.percent(row.share)
    little = share if share.startswith("under") else f"only {share}" if row.share else "none"
    name = phrases.code_text(inspection.formula, row.node_id)
    passing = ""
    if row.inherited >= HIDDEN_SHARE:
        passing = f"; {wording.percent(row.inherited)} comes through it from below, damped above it"
    return (
        f"Masked: {name} loses {wording.digits_phrase(local)}, "
        f"but {little} of the noise of {_name(inspection, target)} arises there{passing}."
    )


WATERFALL_BARS = 8

WORTH_A_BAR = 0.001
"""A smaller share is grouped with the others."""


@dataclass(frozen=True)
class Bar:
    label: str
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
    sentences: tuple[str, ...]  # The largest entries first

    _JSON = ("target", "finite", "singular", "sentences", "rows")

    @property
    def ranked(self) -> tuple[LedgerRow, ...]:
        return tuple(sorted(self.rows, key=lambda row: (-row.share, row.node_id)))

    @property
    def masked(self) -> tuple[int, ...]:
        return tuple(row.node_id for row in self.rows if row.masked)

    @property
    def outermost_masked(self) -> tuple[LedgerRow, ...]:
        return tuple(outermost_masked(self.inspection, self.rows))

    def masked_sentence(self, row: LedgerRow) -> str:
        return masked_sentence(self.inspection, self.target, row)

    def waterfall(self, bars: int = WATERFALL_BARS, *, mean: bool = False) -> tuple[Bar, ...]:
        """The shares (or their `mean` by row) stacked from 0 to 1, the smallest in the last bar."""
        parts = {row.node_id: row.mean_share if mean else row.share for row in self.rows}
        ranked = sorted(
            (row for row in self.rows if parts[row.node_id] > 0),
            key=lambda row: (-parts[row.node_id], row.node_id),
        )
        worth = sum(parts[row.node_id] >= WORTH_A_BAR for row in ranked)
        several = len(ranked) > bars or worth < len(ranked) - 1
        alone = ranked[: min(worth, bars - 1)] if several else ranked
        groups = [(row.text, [row]) for row in alone]
        rest = ranked[len(alone) :]
        if rest:
            groups.append((f"{len(rest)} more nodes", rest))
        stacked: list[Bar] = []
        total = 0.0
        for label, rows in groups:
            end = total + math.fsum(parts[row.node_id] for row in rows)
            stacked.append(Bar(label, tuple(row.node_id for row in rows), total, end))
            total = end
        return tuple(stacked)


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
    target = diagnosed_node(inspection) if target is None else target
    formula = inspection.formula
    first = formula.first[target]
    sums = noise_sums(inspection, target)
    if not sums.finite:
        every = "At every valid sample" if inspection.counts.invalid else "At every sample"
        reason = (
            f"{every} the amplification of {phrases.code_text(formula, target)} is infinite: "
            "there is nothing finite to split."
            if sums.singular
            else "No sample has a usable value at every node, so there is nothing to split."
        )
        return Ledger(inspection, target, (), 0, sums.singular, (reason,))
    total = math.fsum(sums.squares)
    shares = [value / total for value in sums.squares]
    through = _through(inspection, target, shares)
    amplifiers = _amplifiers(inspection, target, sums.squares)
    texts = node_texts(formula, phrases.TEXT_LIMIT)
    ceiling = inspection.nodes[target].local_eic_finite + HIDDEN_BY
    rows = tuple(
        LedgerRow(
            node_id=first + k,
            text=phrases.noise_source(formula.nodes[first + k], texts[first + k]),
            share=shares[k],
            mean_share=sums.fractions[k] / sums.finite,
            through=through[k],
            largest=math.sqrt(sums.largest[k]),
            gain=math.sqrt(sums.squares[k] / sums.finite),
            amplifier=amplifiers[k][0],
            amplifier_part=amplifiers[k][1],
            masked=inspection.nodes[first + k].local_eic_finite >= ceiling
            and shares[k] < HIDDEN_SHARE,
            elsewhere=amplifiers[k][2],
        )
        for k in range(len(shares))
    )
    sentences = ledger_sentences(inspection, target, rows, sums.singular)
    return Ledger(inspection, target, rows, sums.finite, sums.singular, sentences)


def _through(inspection: Inspection, target: int, shares: Sequence[float]) -> list[float]:
    first = inspection.formula.first
    sums = [0.0, *np.cumsum(shares).tolist()]
    start = first[target]
    return [
        min(1.0, max(0.0, sums[k + 1] - sums[first[start + k] - start])) for k in range(len(shares))
    ]


def _amplifiers(
    inspection: Inspection, target: int, squares: Sequence[float]
) -> list[tuple[int, float, float]]:
    """For each node, the step on its way to the target that amplifies most (the nearest of equals),
    its part of the digits gained on the way, nan if none, and the amplification by the others.
    """
    parents, start = inspection.formula.parents, inspection.formula.first[target]
    climbed = digits_climbed(inspection, target)
    ways: list[list[int]] = [[] for _ in squares]
    found = [(target, math.nan, math.nan)] * len(squares)
    for k in range(len(squares) - 2, -1, -1):
        above = parents[start + k]
        assert above is not None
        ways[k] = [k, *ways[above - start]]
        way = climbed[k][ways[k]]
        if not squares[k] > 0 or not np.isfinite(way).all():
            found[k] = (above, math.nan, math.nan)
            continue
        place = int(np.flatnonzero(way >= way.max() - ALIKE)[0])
        step = parents[start + ways[k][place]]
        assert step is not None
        part, whole = float(way[place]), float(way.sum())
        if not whole > 0:
            found[k] = (step, math.nan, math.nan)
        else:
            found[k] = (step, part / whole, 10 ** abs(whole - part))
    return found
