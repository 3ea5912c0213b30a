"""Templates of the ledger (whose noise) and of the rows (where)."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tests.audit.clauses import NOUNS, crosses_zero
from tests.audit.oracle import half_log10
from tests.audit.page import Page, numbers
from tests.audit.printed import (
    KINDS,
    about,
    decimal,
    digits,
    holds,
    percent,
    significant,
    whole,
)
from tests.audit.sentences import Match, best_of, says, somewhere

# --- whose noise ---

SOURCE = re.compile(
    rf"the (?P<kind>error of the input|error of the constant|rounding of) "
    r"(?P<of>the result itself|`[^`]+` itself"
    rf"|{KINDS['code']})(?: in (?P<within>{KINDS['code']}))?"
    r"(?: \(in (?P<count>\d+)(?: of (?P<all>\d+))? places\))?"
)
KIND_OF = {"error of the input": "variable", "error of the constant": "constant"}


def _sources(p: Page, target: int, text: str) -> tuple[list[list[int]], int, list[str]]:
    """The nodes that each named source may be, how many more there are, and what is wrong."""
    named, wrong = [], []
    rest = text
    for m in SOURCE.finditer(text):
        rest = rest.replace(m[0], "", 1)
        own = m["of"].removesuffix(" itself")
        nodes = (
            [target]
            if own != m["of"]
            else [
                k
                for k in p.nodes(m["of"])
                if k in p.truth.subtree(target)
                and KIND_OF.get(m["kind"], p.formula.nodes[k].operator)
                == p.formula.nodes[k].operator
                and not (m["kind"] == "rounding of" and not p.formula.nodes[k].children)
                and k != target
            ]
        )
        count = int(m["count"] or 1)
        if m["all"] and len(nodes) != int(m["all"]):
            wrong.append(f"{m[0]}: {len(nodes)} such nodes in all")
        if m["within"]:
            above = p.nodes(m["within"])
            nodes = [k for k in nodes if any(k in p.truth.subtree(a) and a != k for a in above)]
        if len(nodes) < count:
            wrong.append(f"{m[0]}: {len(nodes)} such nodes")
        named.append(nodes)
    more = re.search(r"(\d+) more", rest)
    return named, int(more[1]) if more else 0, wrong


def _counts(text: str) -> list[int]:
    return [int(m["count"] or 1) for m in SOURCE.finditer(text)]


def _left_unsaid(named: list[list[int]], text: str, shares: np.ndarray) -> Iterator[str]:
    """Sources named as if these were all of their places, though others count as well."""
    for nodes, m in zip(named, SOURCE.finditer(text), strict=True):
        ranked = sorted((float(shares[k]) for k in nodes), reverse=True)
        here = math.fsum(ranked[: int(m["count"] or 1)])
        if not m["all"] and math.fsum(ranked) > (1 + UNSAID) * here:
            yield f"{m[0]} has {math.fsum(ranked):.4f} of the noise, {here:.4f} of it there"


UNSAID = 0.05
"""What part of a source's noise may arise in places that are not spoken of, at most."""


def _target(p: Page) -> int:
    return p.diagnosis.ledger.target if p.about is None else p.about


def _targets(p: Page, text: str | None) -> list[int]:
    """The node that the ledger is about: named in its first sentence, else the diagnosed one."""
    if text is None:
        return [_target(p)]
    return p.nodes(text)


def _noise_of(p: Page, target: int, m: Match) -> list[str]:
    """The complaints about a sentence of the ledger, at the step and its copies of fewest."""
    if "at" not in m.groupdict():
        return best_of(iter([list(_noise_at(p, target, m, None))]))
    steps = p.nodes(m["at"])
    copies = [[k for k in steps if k in alike] for alike in p.truth.classes]
    return best_of(list(_noise_at(p, target, m, some)) for some in copies if some)


def _noise_at(p: Page, target: int, m: Match, steps: list[int] | None) -> Iterator[str]:
    named, more, wrong = _sources(p, target, m["whose"])
    yield from wrong
    if wrong:
        return
    squares = p.truth.squares(target)
    if not squares.any():
        yield "no row is finite there"
        return
    shares = squares / squares.sum()
    yield from _left_unsaid(named, m["whose"], shares)
    finite = int(np.isfinite(p.truth.s2[target]).sum())
    gains = np.sqrt(squares / finite)
    times = (0.0, 3.2)
    if m.groupdict().get("amplified"):
        low, high = significant(m["amplified"])
        low = significant(m["from"])[0] if m["from"] else low
        times = 0.998 * low, 1.002 * high
    groups = []
    for nodes, count in zip(named, _counts(m["whose"]), strict=True):
        fitting = [
            k
            for k in nodes
            if times[0] <= gains[k] <= times[1]
            and (steps is None or any(k in p.truth.subtree(step) for step in steps))
        ]
        if len(fitting) < count:
            yield f"amplified {numbers(gains[nodes])} times"
            fitting = nodes
        ranked = sorted(fitting, key=lambda k: -shares[k])
        some = itertools.islice(itertools.combinations(ranked, count), MOST_READINGS)
        groups.append(list(some))
    readings = itertools.islice(itertools.product(*groups), MOST_READINGS)
    yield from best_of(
        list(_sources_are(p, target, m, steps, sum(chosen, ()), more, squares))
        for chosen in readings
    )


MOST_READINGS = 40
"""So many ways to tell which of several copies are meant are tried."""


def _sources_are(
    p: Page,
    target: int,
    m: Match,
    steps: list[int] | None,
    chosen: tuple[int, ...],
    more: int,
    squares: np.ndarray,
) -> Iterator[str]:
    """Whether these nodes have the share that is told, and are amplified in that step."""
    shares = squares / squares.sum()
    low, high = percent(m["share"])
    others = sorted((s for k, s in enumerate(shares) if k not in chosen), reverse=True)
    least = float(shares[list(chosen)].sum())
    most = least + sum(others[:more])
    if low > most + 1e-3 or high < least - 1e-3:
        yield f"their share is {least:.4f} to {most:.4f}"
    if steps is not None:
        for k in chosen:
            above = [step for step in steps if k in p.truth.subtree(step)]
            yield from _amplified_most(p, k, target, (above or steps)[0], m["how"])


KINDS["step"] = r"(?: at|, mostly at| on the way, most at)"
PART = {" at": 0.75, ", mostly at": 0.49, " on the way, most at": 0.0}
"""What part of the digits gained on the way must be gained in the step that is named, at least."""


def _amplified_most(p: Page, k: int, target: int, step: int, how: str) -> Iterator[str]:
    """Whether the noise of k is multiplied in that step, or most of it."""
    if k != target:
        yield from _on_the_way(k, step, how, _gains_there(p, k, target))


def _way(p: Page, k: int, target: int) -> Iterator[tuple[int, int]]:
    """The steps from a node up to the target: (operand, step)."""
    while k != target:
        above = p.formula.parents[k]
        assert above is not None
        yield k, above
        k = above


def _gains_there(p: Page, k: int, target: int) -> dict[int, float]:
    """Digits that each step adds to the noise of a node, at the rows that carry it.

    A value of 0 on the way has no relative noise, and counts as having what it was given.
    """
    gains = np.abs(p.truth.gains(target))
    carried = np.nan_to_num(np.square(gains[k]))
    carried = carried / (carried.sum() or 1.0)
    rows = carried > 0
    found, here = {}, np.log10(gains[k, rows])
    for _, step in _way(p, k, target):
        noisy = gains[step, rows] > 0
        there = np.where(noisy, np.log10(np.where(noisy, gains[step, rows], 1.0)), here)
        found[step] = float(carried[rows] @ (here - there))
        here = there
    return found


def _on_the_way(k: int, step: int, how: str, gains: dict[int, float]) -> Iterator[str]:
    if step not in gains:
        yield f"node {step} is not on the way of node {k}"
        return
    worst = max(gains, key=lambda n: gains[n])
    if gains[step] < gains[worst] - 0.06:
        yield (
            f"the noise of node {k} is multiplied 10^{gains[worst]:.2f} times at node {worst} and "
            f"10^{gains[step]:.2f} at node {step}"
        )
    elif gains[step] < min(20.0, PART[how] * sum(gains.values())):
        yield f"of 10^{sum(gains.values()):.2f} times only 10^{gains[step]:.2f} at node {step}"


def _noun(p: Page, code: str, noun: str) -> Iterator[str]:
    if not any(NOUNS.get(p.formula.nodes[k].operator, "step") == noun for k in p.nodes(code)):
        yield f"{code} is no {noun}"


@says(
    "why.amplified",
    "why",
    "<share:share> of the noise of <target:any> comes from <whose:any>, ⟦each ⟧amplified "
    "⟦<from:num> to ⟧<amplified:times><how:step> the <noun:word> <at:code>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _noun(p, m["at"], m["noun"])
    yield from best_of(list(_noise_of(p, t, m)) for t in _targets(p, m["target"]))


@says(
    "why.calm",
    "why",
    "<share:share> of the noise of <target:any> comes from <whose:any>, hardly amplified.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from best_of(list(_noise_of(p, t, m)) for t in _targets(p, m["target"]))


@says(
    "why.amplified_more",
    "why",
    "Another⟦ share of⟧ <share:pct> comes from <whose:any>, ⟦each ⟧amplified "
    "⟦<from:num> to ⟧<amplified:times><how:step> the <noun:word> <at:code>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _noun(p, m["at"], m["noun"])
    yield from _noise_of(p, _target(p), m)


@says(
    "why.calm_more",
    "why",
    "Another⟦ share of⟧ <share:pct> comes from <whose:any>, hardly amplified.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _noise_of(p, _target(p), m)


@says(
    "why.leaf",
    "why",
    "<at:code> is [[an input|a constant]]: its only noise is its own error, and nothing has "
    "amplified it yet.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    kind = "variable" if "an input" in m[0] else "constant"
    if not any(p.formula.nodes[k].operator == kind for k in p.nodes(m["at"])):
        yield f"it is no {kind}"


@says(
    "why.none_left",
    "why",
    "At every⟦ valid⟧ sample the amplification of <at:code> is infinite: there is nothing finite "
    "to split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(p, m["at"], lambda k: _all_lost(p, k))


def _all_lost(p: Page, k: int) -> Iterator[str]:
    if not p.truth.valid.any():
        yield "no sample is valid"
    if not p.truth.singular(k)[p.truth.valid].all():
        yield "at some samples digits are left"


@says(
    "why.no_value",
    "why",
    "No sample has a usable value at every node, so there is nothing to split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _no_value(p)


def _no_value(p: Page) -> Iterator[str]:
    if p.truth.valid.any():
        yield f"{int(p.truth.valid.sum())} samples have"


@says(
    "why.left_out",
    "why",
    "<n:int> [[sample|samples]] at which the amplification of <of:any> is infinite [[is|are]] not "
    "in the ledger.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(p, m["of"], lambda k: _lost_at(p, k, whole(m["n"])))


def _lost_at(p: Page, k: int, count: int) -> Iterator[str]:
    lost = int(p.truth.singular(k).sum())
    if lost != count:
        yield f"it is {lost}"


@says(
    "why.masked",
    "why",
    "Masked: <at:code> loses <d:digits>, but ⟦only ⟧⟦<share:pct>⟧⟦less than <less:pct>⟧"
    "⟦<none:word>⟧ of the noise of <of:any> arises there"
    "⟦; <more:pct> comes through it from below, damped above it⟧.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    def masked(k: int, t: int) -> Iterator[str]:
        if not holds(digits(m["d"]), p.truth.local_finite(k)):
            yield f"it loses {p.truth.local_finite(k):.4f}"
        if m["share"] and not about(percent(m["share"]), float(p.truth.shares(t)[k]), 5e-3):
            yield f"its share is {p.truth.shares(t)[k]:.5f}"
        if m["none"] and (m["none"] != "none" or p.truth.shares(t)[k] > 1e-12):
            yield f"its share is {p.truth.shares(t)[k]:.5g}"
        below = p.truth.shares(t)[p.formula.first[k] : k].sum()
        if m["more"] and not about(percent(m["more"]), float(below), 5e-3):
            yield f"{below:.5f} comes through it"
        if not m["more"] and below > 0.0101:
            yield f"{below:.5f} comes through it, unsaid"
        if p.truth.local_finite(k) < p.truth.local_finite(t) + 0.9:
            yield f"{p.truth.local_finite(t):.3f} are lost at the target: nothing is masked"

    yield from best_of(list(masked(k, t)) for k in p.nodes(m["at"]) for t in p.nodes(m["of"]))


# --- where ---

NUMBERS = re.compile(r"[\d,]+")


def _shares(p: Page, k: int) -> np.ndarray:
    """Each row's part of the finite sum of s^2; 0 elsewhere."""
    s2 = np.where(np.isfinite(p.truth.s2[k]), p.truth.s2[k], 0.0)
    top = s2.max()
    return (s2 / top) / (s2 / top).sum() if top else s2


def _listed(p: Page, text: str) -> list[int]:
    """Positions of rows that are named by their numbers."""
    return [_position(p, whole(n)) for n in NUMBERS.findall(re.sub(r"\d+ more", "", text))]


def _position(p: Page, number: int) -> int:
    """Where the row of that number stands, which is counted from 1 unless the table says it."""
    if p.samples.rows is None:
        return number - 1
    return int(np.flatnonzero(p.samples.rows == number)[0])


def _are_largest(shares: np.ndarray, positions: list[int]) -> Iterator[str]:
    least = np.sort(shares)[::-1][len(positions) - 1] * (1 - 1e-6)
    if any(shares[i] < least for i in positions):
        yield "other rows carry more"


@says(
    "where.one",
    "where",
    "One row of <of:int>⟦ rows with a finite amplification⟧, row <row:int>, gives <share:pct> of "
    "the amplified noise at <at:code>.",
    claims=lambda p, m: [(f"few rows carry the noise of {m['at']}", 1, 1)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    def one(k: int) -> Iterator[str]:
        shares = _shares(p, k)
        position = _position(p, whole(m["row"]))
        yield from _are_largest(shares, [position])
        if not about(percent(m["share"]), float(shares[position]), 2e-3):
            yield f"it gives {shares[position]:.5f}"
        if whole(m["of"]) != int(np.isfinite(p.truth.s2[k]).sum()):
            yield f"of {np.isfinite(p.truth.s2[k]).sum()} rows"

    yield from somewhere(p, m["at"], one)


@says(
    "where.some",
    "where",
    "<n:int> of <of:int> rows⟦ with a finite amplification⟧ give <share:pct> of the "
    "amplified noise at <at:code>"
    "⟦ (rows <rows:any>)⟧.",
    claims=lambda p, m: [(f"few rows carry the noise of {m['at']}", 1, 1)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    def some(k: int) -> Iterator[str]:
        shares = _shares(p, k)
        level = float(m["share"].removesuffix(" %")) / 100
        ranked = np.sort(shares)[::-1]
        count = whole(m["n"])
        if not ranked[:count].sum() >= level - 1e-6:
            yield f"so many rows give {ranked[:count].sum():.6f}"
        if not ranked[: count - 1].sum() < level + 1e-6:
            yield f"fewer rows give {ranked[: count - 1].sum():.6f} already"
        if m["rows"]:
            yield from _are_largest(shares, _listed(p, m["rows"]))
        if whole(m["of"]) != int(np.isfinite(p.truth.s2[k]).sum()):
            yield f"of {np.isfinite(p.truth.s2[k]).sum()} rows"

    yield from somewhere(p, m["at"], some)


@says(
    "where.even",
    "where",
    "All over the data: ⟦every row⟧⟦each of the <of:int> rows with a finite amplification⟧ gives "
    "the same share of the amplified noise at <at:code>.",
    claims=lambda p, m: [(f"few rows carry the noise of {m['at']}", 0, 0)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    def even(k: int) -> Iterator[str]:
        shares = _shares(p, k)[np.isfinite(p.truth.s2[k])]
        if not len(shares) or np.ptp(shares) * len(shares) > 1e-4:
            yield f"shares are {numbers(shares)}"

    yield from somewhere(p, m["at"], even)


@says(
    "where.all_over",
    "where",
    "All over the data: no small part of the rows carries the amplified noise at <at:code>.",
    claims=lambda p, m: [(f"few rows carry the noise of {m['at']}", 0, 0)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    def spread(k: int) -> Iterator[str]:
        shares = np.sort(_shares(p, k)[np.isfinite(p.truth.s2[k])])[::-1]
        top = int(np.searchsorted(np.cumsum(shares), 0.5)) + 1
        if top <= 0.15 * len(shares) - 1:
            yield f"{top} of {len(shares)} rows carry half of it"
        if len(shares) > 1 and shares[0] > 0.9:
            yield f"one row carries {shares[0]:.3f}"

    yield from somewhere(p, m["at"], spread)


@says("where.only", "where", "Only one row has a finite amplification at <at:code>.")
def _(p: Page, m: Match) -> Iterator[str]:
    def only(k: int) -> Iterator[str]:
        if np.isfinite(p.truth.s2[k]).sum() != 1:
            yield f"{np.isfinite(p.truth.s2[k]).sum()} rows have"

    yield from somewhere(p, m["at"], only)


@says(
    "where.none_left", "where", "At every valid sample the amplification of <at:code> is infinite."
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(p, m["at"], lambda k: _all_lost(p, k))


@says("where.no_value", "where", "No sample has a usable value at every node.")
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _no_value(p)


@says(
    "where.lost",
    "where",
    "The amplification of <at:code> is infinite at <n:int> [[sample|samples]] ([[row|rows]] "
    "<rows:any>); the shares are those of the others.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    def lost(k: int) -> Iterator[str]:
        yield from _lost_at(p, k, whole(m["n"]))
        if not p.truth.singular(k)[_listed(p, m["rows"])].all():
            yield "not at these"

    yield from somewhere(p, m["at"], lost)


def _carriers(p: Page, k: int) -> np.ndarray:
    """The fewest rows that carry 90 per cent."""
    shares = _shares(p, k)
    order = np.argsort(-shares, kind="stable")
    count = int(np.searchsorted(np.cumsum(shares[order]), 0.9 * (1 - 1e-9))) + 1
    return order[:count]


INPUT = re.compile(
    rf"(?P<name>`[^`]+`) (?:is between (?P<low>{KINDS['num']}) and (?P<high>{KINDS['num']})"
    rf"|is near (?P<near>{KINDS['num']})|is (?P<at>{KINDS['num']}))"
)


def _inputs(p: Page, rows: np.ndarray, text: str | None) -> Iterator[str]:
    """Whether the inputs lie there at these rows, and not at most others as well."""
    inside = np.ones(p.truth.count, dtype=bool)
    for m in INPUT.finditer(text or ""):
        column = p.column(m["name"])
        if column is None:
            yield f"there is no input {m['name']}"
            continue
        low, high = float(column[rows].min()), float(column[rows].max())
        if m["low"]:
            ends = significant(m["low"]), significant(m["high"])
            if not (about(ends[0], low, 1e-6) and about(ends[1], high, 1e-6)):
                yield f"{m['name']} is between {low:.5g} and {high:.5g}"
        elif not about(significant(m["near"] or m["at"]), 0.5 * (low + high), 1e-6):
            yield f"{m['name']} is between {low:.5g} and {high:.5g}"
        inside &= (column >= low) & (column <= high)
    if text and inside[p.truth.valid].mean() > 0.26:
        yield f"{inside[p.truth.valid].mean():.2f} of all rows lie there"


def _place_of(p: Page) -> int:
    return p.diagnosis.where.node_id


@says("where.there_inputs", "where", "There <inputs:inputs>.")
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _inputs(p, _carriers(p, _place_of(p)), m["inputs"])


@says("where.worst_inputs", "where", "At the worst row <inputs:inputs>.")
def _(p: Page, m: Match) -> Iterator[str]:
    """What is no input is a step whose value is told."""
    row = _carriers(p, _place_of(p))[:1]
    for part in INPUT.finditer(m["inputs"]):
        if p.column(part["name"]) is None and part["at"]:
            yield from somewhere(p, part["name"], lambda k, t=part: _worst(p, k, t["at"], row))
        else:
            yield from _inputs(p, row, part[0])


def _worst(p: Page, k: int, value: str, row: np.ndarray) -> Iterator[str]:
    """Whether that is the value at the worst row, and small beside its usual size."""
    y = p.truth.value(k)
    if not about(significant(value), float(y[row][0]), 1e-3):
        yield f"it is {y[row][0]:.5g}"
    usual = float(np.nanmedian(np.abs(y)))
    if not abs(y[row][0]) < 0.5 * usual:
        yield f"its usual size is {usual:.3g}"


@says(
    "where.worst_crosses",
    "where",
    "At the worst row <of:code>, which crosses zero on the data, is <value:num>"
    "⟦: <inputs:inputs>⟧.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    row = _carriers(p, _place_of(p))[:1]
    yield from somewhere(
        p, m["of"], lambda k: [*_worst(p, k, m["value"], row), *crosses_zero(p, k, grows=True)]
    )
    yield from _inputs(p, row, m["inputs"])


@says("where.worst_value", "where", "At the worst row <of:code> is <value:num>: <inputs:inputs>.")
def _(p: Page, m: Match) -> Iterator[str]:
    row = _carriers(p, _place_of(p))[:1]
    yield from somewhere(p, m["of"], lambda k: _worst(p, k, m["value"], row))
    yield from _inputs(p, row, m["inputs"])


def _range_of(p: Page, k: int, m: Match, rows: np.ndarray, crosses: bool) -> Iterator[str]:
    y = p.truth.value(k)
    low, high = float(np.min(y[rows])), float(np.max(y[rows]))
    ends = (significant(m["low"]), low), (significant(m["high"]), high)
    if not all(about(told_end, end, 1e-3) for told_end, end in ends):
        yield f"from {low:.5g} to {high:.5g}"
    usual = float(np.nanmedian(np.abs(y)))
    if not crosses and max(abs(low), abs(high)) > 0.5 * usual and len(rows) > 1:
        yield f"its usual size is {usual:.3g}"
    if crosses:
        if not low <= 0 <= high:
            yield f"at these rows it has one sign: from {low:.5g} to {high:.5g}"
        yield from crosses_zero(p, k, grows=True)


def _places(name: str, lead: str, most: bool) -> None:
    @says(
        f"{name}.crosses",
        "where",
        f"{lead} <of:code> crosses zero (from <low:num> to <high:num>)⟦: <inputs:inputs>⟧.",
    )
    def _(p: Page, m: Match) -> Iterable[str]:
        return _told_range(p, m, most, True)

    @says(
        f"{name}.nearly",
        "where",
        f"{lead} <of:code> is nearly zero (from <low:num> to <high:num>)⟦: <inputs:inputs>⟧.",
    )
    def _(p: Page, m: Match) -> Iterable[str]:
        return _told_range(p, m, most, False)

    @says(
        f"{name}.value",
        "where",
        f"{lead} <of:code> [[is nearly zero|crosses zero]] (<value:num>)⟦: <inputs:inputs>⟧.",
    )
    def _(p: Page, m: Match) -> Iterable[str]:
        return _told_value(p, m)


def _told_value(p: Page, m: Match) -> Iterator[str]:
    rows, shares = _carriers(p, _place_of(p)), _shares(p, _place_of(p))

    def value(k: int) -> Iterator[str]:
        y = p.truth.value(k)
        near = [i for i in rows if about(significant(m["value"]), float(y[i]), 1e-3)]
        least = 0.45 if m[0].startswith("Most") else 0.89
        if not shares[near].sum() > least:
            yield f"it is {numbers(y[rows])}"

    yield from somewhere(p, m["of"], value)


def _told_range(p: Page, m: Match, most: bool, crosses: bool) -> Iterator[str]:
    target = _place_of(p)
    carriers = _carriers(p, target)
    shares = _shares(p, target)

    def told(k: int) -> Iterator[str]:
        rows = carriers
        if not most:
            y = p.truth.value(k)
            low, high = significant(m["low"])[0], significant(m["high"])[1]
            rows = carriers[(y[carriers] >= low) & (y[carriers] <= high)]
            if not len(rows) or not shares[rows].sum() > 0.45:
                yield f"these rows carry {shares[rows].sum():.3f}"
                return
        yield from _range_of(p, k, m, rows, crosses)
        yield from _inputs(p, rows, m["inputs"])

    yield from somewhere(p, m["of"], told)


_places("where.there", "There", True)
_places("where.mostly", "Most of it comes where", False)


# --- growth, and an interval ---


def _s2(p: Page) -> np.ndarray:
    s2 = p.truth.s2[_place_of(p)]
    return s2[np.isfinite(s2)]


def _part_of_rows(s2: np.ndarray, count: int) -> tuple[float, float]:
    """Mean digits on so many random rows, and the spread of that mean over 64 orders."""
    rng = np.random.default_rng(12345)
    found = [half_log10(float(np.mean(rng.permutation(s2)[:count]))) for _ in range(400)]
    return float(np.mean(found)), float(np.std(found)) / 8


def _grown(p: Page, m: Match) -> Iterator[str]:
    s2 = _s2(p)
    start, spread = _part_of_rows(s2, whole(m["n"]))
    if not holds(decimal(m["start"]), start, 0.01 + 4 * spread):
        yield f"on so many rows {start:.3f}"
    end = half_log10(float(np.mean(s2)))
    if not holds(decimal(m["end"]), end):
        yield f"on all rows {end:.3f}"
    if whole(m["all"]) != len(s2):
        yield f"there are {len(s2)}"


def _settled(value: int) -> Any:
    return lambda p, m: [("the loss at the diagnosed node grows", value, value)]


@says(
    "growth.none",
    "where",
    "The loss does not grow with the data here: <start:one> digits on <n:int> of the rows on "
    "average, <end:one> on all <all:int>.",
    claims=_settled(0),
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _grown(p, m)
    start, spread = _part_of_rows(_s2(p), whole(m["n"]))
    if half_log10(float(np.mean(_s2(p)))) - start > 0.02 + 0.01 + 4 * spread:
        yield f"it grows from {start:.3f}"


@says(
    "growth.hardly",
    "where",
    "On these rows the loss has hardly grown yet: <start:one> digits on <n:int> of the rows on "
    "average, <end:one> on all <all:int>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _grown(p, m)


@says(
    "growth.some",
    "where",
    "The loss grows with the data: <start:one> digits on <n:int> of the rows on average, "
    "<end:one> on all <all:int>: that is <more:one> more for every ten times as many.",
    claims=_settled(1),
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _grown(p, m)
    s2 = _s2(p)
    start, spread = _part_of_rows(s2, whole(m["n"]))
    decades = math.log10(len(s2) / whole(m["n"]))
    slope = (half_log10(float(np.mean(s2))) - start) / decades
    if not holds(decimal(m["more"]), slope, 0.01 + 4 * spread / decades):
        yield f"{slope:.3f} a decade"


KINDS["crossing"] = r"(?:crosses zero and has a pole|crosses zero|has a pole|changes its sign)"


@says(
    "interval.crossing",
    "where",
    "No interval can be given: a part of the formula <does:crossing> inside the domain, so that "
    "the amplified noise has no finite mean.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    inside = p.truth.subtree(_place_of(p))
    if all(list(crosses_zero(p, k, grows=True, words=m["does"])) for k in inside):
        yield "no part does that in a way that makes the noise grow"


@says(
    "interval.few",
    "where",
    "No interval can be given: with fewer than 300 finite samples the tail cannot be judged.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if len(_s2(p)) >= 300:
        yield f"there are {len(_s2(p))}"


@says(
    "interval.heavy",
    "where",
    "No interval can be given: the tail of the amplified noise is too heavy (its index is about "
    "<index:one>; an interval needs more than 2).",
)
def _(p: Page, m: Match) -> Iterator[str]:
    s2 = np.sort(_s2(p))[::-1]
    k = math.ceil(math.sqrt(len(s2)))
    index = k / float(np.sum(np.log(s2[:k] / s2[k])))
    if not holds(decimal(m["index"]), index, 5e-3):
        yield f"Hill's estimate is {index:.3f}"


@says(
    "interval.given",
    "where",
    "On other samples of this kind expect <low:two>⟦ to <high:two>⟧ digits here (95 % "
    "bootstrap interval).",
    claims=lambda p, m: [("the mean at EIC's own step is settled", 1, 1)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    s2 = _s2(p)
    rng = np.random.default_rng(99)
    means = [half_log10(float(np.mean(rng.choice(s2, len(s2))))) for _ in range(1000)]
    low, high = np.quantile(means, (0.025, 0.975))
    room = 0.012 + 0.25 * (high - low)
    if abs(float(m["low"].replace("−", "-")) - low) > room:
        yield f"from {low:.3f}"
    if abs(float((m["high"] or m["low"]).replace("−", "-")) - high) > room:
        yield f"to {high:.3f}"
