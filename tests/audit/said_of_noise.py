"""Templates of the ledger (whose noise) and of the rows (where)."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

import numpy as np

from tests.audit.clauses import NOUNS
from tests.audit.page import Page, numbers
from tests.audit.printed import (
    KINDS,
    about,
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
    rf"|{KINDS['code']})(?: \(in (?P<count>\d+) places\))?"
)
KIND_OF = {"error of the input": "variable", "error of the constant": "constant"}


def _sources(p: Page, target: int, text: str) -> tuple[list[list[int]], int, list[str]]:
    """The nodes that each named source may be, how many more there are, and what is wrong."""
    named, wrong = [], []
    rest = text
    for m in SOURCE.finditer(text):
        rest = rest.replace(m[0], "", 1)
        own = m["of"].removesuffix(" itself")
        nodes = [target] if own != m["of"] else [
            k for k in p.nodes(m["of"])
            if k in p.truth.subtree(target)
            and KIND_OF.get(m["kind"], p.formula.nodes[k].operator) == p.formula.nodes[k].operator
            and not (m["kind"] == "rounding of" and not p.formula.nodes[k].children)
            and not (k == target and " itself" in text)
        ]  # fmt: skip
        count = int(m["count"] or 1)
        if len(nodes) < count:
            wrong.append(f"{m[0]}: {len(nodes)} such nodes")
        named.append(nodes)
    more = re.search(r"(\d+) more", rest)
    return named, int(more[1]) if more else 0, wrong


def _counts(text: str) -> list[int]:
    return [int(m["count"] or 1) for m in SOURCE.finditer(text)]


def _target(p: Page) -> int:
    return p.diagnosis.ledger.target if p.about is None else p.about


def _targets(p: Page, text: str | None) -> list[int]:
    """The node that the ledger is about: named in its first sentence, else the diagnosed one."""
    if text is None:
        return [_target(p)]
    return p.nodes(text)


def _noise_of(p: Page, target: int, m: Match) -> list[str]:
    """The complaints about a sentence of the ledger, at the copy of its step that has fewest."""
    steps = p.nodes(m["at"]) if "at" in m.groupdict() else [None]
    return best_of(list(_noise_at(p, target, m, step)) for step in steps)


def _noise_at(p: Page, target: int, m: Match, step: int | None) -> Iterator[str]:
    named, more, wrong = _sources(p, target, m["whose"])
    yield from wrong
    if wrong:
        return
    squares = p.truth.squares(target)
    if not squares.any():
        yield "no row is finite there"
        return
    shares = squares / squares.sum()
    finite = int(np.isfinite(p.truth.s2[target]).sum())
    gains = np.sqrt(squares / finite)
    times = (0.0, 3.2)
    if m.groupdict().get("amplified"):
        low, high = significant(m["amplified"])
        times = 0.85 * low, 1.15 * high
    groups = []
    for nodes, count in zip(named, _counts(m["whose"]), strict=True):
        fitting = [
            k
            for k in nodes
            if times[0] <= gains[k] <= times[1] and (step is None or k in p.truth.subtree(step))
        ]
        if len(fitting) < count:
            yield f"amplified {numbers(gains[nodes])} times"
            fitting = nodes
        ranked = sorted(fitting, key=lambda k: -shares[k])
        some = itertools.islice(itertools.combinations(ranked, count), MOST_READINGS)
        groups.append(list(some))
    readings = itertools.islice(itertools.product(*groups), MOST_READINGS)
    yield from best_of(
        list(_sources_are(p, target, m, step, sum(chosen, ()), more, squares))
        for chosen in readings
    )


MOST_READINGS = 40
"""So many ways to tell which of several copies are meant are tried."""


def _sources_are(
    p: Page,
    target: int,
    m: Match,
    step: int | None,
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
    if step is not None:
        for k in chosen:
            yield from _amplified_most(p, k, target, step, squares, m["how"])


KINDS["step"] = r"(?: at|, mostly at| on the way, most at)"
PART = {" at": 0.75, ", mostly at": 0.4, " on the way, most at": 0.0}
"""What part of the digits gained on the way must be gained in the step that is named, at least:
less than the sentences need, for there is more than one way to average over the rows."""


def _amplified_most(
    p: Page, k: int, target: int, step: int, squares: np.ndarray, how: str
) -> Iterator[str]:
    """Whether the noise of k is multiplied in that step, or most of it."""
    if k == target:
        return
    complaints = [
        list(_on_the_way(k, step, how, gains))
        for gains in (_gains_of_means(p, k, target, squares), _mean_gains(p, k, target))
    ]
    yield from min(complaints, key=len)


def _way(p: Page, k: int, target: int) -> Iterator[tuple[int, int]]:
    """The steps from a node up to the target: (operand, step)."""
    while k != target:
        above = p.formula.parents[k]
        assert above is not None
        yield k, above
        k = above


def _gains_of_means(p: Page, k: int, target: int, squares: np.ndarray) -> dict[int, float]:
    """Digits that each step adds to the root mean square of the noise."""
    return {
        step: 0.5 * math.log10(squares[c] / squares[step]) if squares[c] and squares[step] else (
            math.inf if squares[c] else 0.0
        )
        for c, step in _way(p, k, target)
    }  # fmt: skip


def _mean_gains(p: Page, k: int, target: int) -> dict[int, float]:
    """The mean of the digits that each step adds, over the rows by the noise that arrives."""
    g = np.abs(np.nan_to_num(p.truth.gains(target)))
    w = np.square(g[k] / g[k].max())
    found = {}
    for c, step in _way(p, k, target):
        rows = (g[c] > 0) & (g[step] > 0) & (w > 0)
        found[step] = (
            float(np.average(np.log10(g[c][rows] / g[step][rows]), weights=w[rows]))
            if rows.any() else math.inf
        )  # fmt: skip
    return found


def _on_the_way(k: int, step: int, how: str, gains: dict[int, float]) -> Iterator[str]:
    if step not in gains:
        yield f"node {step} is not on the way of node {k}"
        return
    worst = max(gains, key=lambda n: gains[n])
    if gains[step] < gains[worst] - 0.12:
        yield (
            f"the noise of node {k} is multiplied 10^{gains[worst]:.2f} times at node {worst} and "
            f"10^{gains[step]:.2f} at node {step}"
        )
    elif math.isfinite(gains[step]) and gains[step] < PART[how] * sum(gains.values()):
        yield f"of 10^{sum(gains.values()):.2f} times only 10^{gains[step]:.2f} at node {step}"


def _noun(p: Page, code: str, noun: str) -> Iterator[str]:
    if not any(NOUNS.get(p.formula.nodes[k].operator, "step") == noun for k in p.nodes(code)):
        yield f"{code} is no {noun}"


@says(
    "why.amplified",
    "why",
    "<share:share> of the noise of <target:any> comes from <whose:any>, ⟦each ⟧amplified "
    "<amplified:times><how:step> the <noun:word> <at:code>.",
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
    "<share:share> comes from <whose:any>, ⟦each ⟧amplified "
    "<amplified:times><how:step> the <noun:word> <at:code>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _noun(p, m["at"], m["noun"])
    yield from _noise_of(p, _target(p), m)


@says("why.calm_more", "why", "<share:share> comes from <whose:any>, hardly amplified.")
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
    "At every⟦ valid⟧ sample no digit of <at:code> is left: there is no finite amplification to "
    "split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(p, m["at"], lambda k: all_lost(p, k))


def all_lost(p: Page, k: int) -> Iterator[str]:
    if not p.truth.valid.any():
        yield "no sample is valid"
    if not p.truth.singular(k)[p.truth.valid].all():
        yield "at some samples digits are left"


@says(
    "why.no_value", "why", "No sample has a real value at every node, so there is nothing to split."
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from no_value(p)


def no_value(p: Page) -> Iterator[str]:
    if p.truth.valid.any():
        yield f"{int(p.truth.valid.sum())} samples have"


@says(
    "why.left_out",
    "why",
    "<n:int> [[sample|samples]] at which no digit of <of:any> is left [[is|are]] not in the "
    "ledger.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(p, m["of"], lambda k: lost_at(p, k, whole(m["n"])))


def lost_at(p: Page, k: int, count: int) -> Iterator[str]:
    lost = int(p.truth.singular(k).sum())
    if lost != count:
        yield f"it is {lost}"


@says(
    "why.masked",
    "why",
    "Masked: <at:code> loses <d:digits>, but ⟦only ⟧⟦<share:pct>⟧⟦less than <less:pct>⟧ of "
    "the noise of <of:any> arises there.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    def masked(k: int, t: int) -> Iterator[str]:
        if not holds(digits(m["d"]), p.truth.local_finite(k)):
            yield f"it loses {p.truth.local_finite(k):.4f}"
        if m["share"] and not about(percent(m["share"]), float(p.truth.shares(t)[k]), 5e-3):
            yield f"its share is {p.truth.shares(t)[k]:.5f}"
        if p.truth.local_finite(k) < p.truth.local_finite(t) + 0.9:
            yield f"{p.truth.local_finite(t):.3f} are lost at the target: nothing is masked"

    yield from best_of(list(masked(k, t)) for k in p.nodes(m["at"]) for t in p.nodes(m["of"]))
