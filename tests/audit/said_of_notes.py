"""Templates of the notes that qualify a verdict, of the loss numbers, and of settled means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from tests.audit.clauses import INVALID, crosses_zero, told, weights
from tests.audit.page import Page
from tests.audit.printed import (
    KINDS,
    about,
    decimal,
    digits,
    holds,
    percent,
    whole,
)
from tests.audit.said_of_verdict import INDEPENDENT, SHARED, is_worst
from tests.audit.sentences import Claim, Match, best_of, says, somewhere


@says("note.sixteen", "note", "EIC is above the 16 digits that double precision has.")
def _(p: Page, m: Match) -> Iterator[str]:
    if not 15.94 < p.truth.eic < math.inf:
        yield f"EIC is {p.truth.eic:.2f}"


def doubtful(p: Page) -> int:
    """Samples that double precision surely cannot settle, by plain double precision."""
    found = np.zeros(p.truth.count, dtype=bool)
    for k in range(p.truth.nodes):
        found |= p.truth.without_double(k)
        with np.errstate(all="ignore"):
            found |= p.truth.valid & (p.truth.s(k) * 2.0**-53 > 2e-3)
    return int(found.sum())


@says(
    "note.unresolved",
    "note",
    "<n:int> [[sample|samples]] needed a check at 60 digits after the limit of <limit:int> was "
    "reached: of them double precision's own account is taken, so take the last digits with care.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if p.truth.distinct == 1:
        yield "all samples are the same: one check settles them"
    if whole(m["n"]) + whole(m["limit"]) > p.truth.count:
        yield "there are not so many samples"


@says(
    "note.rechecked",
    "note",
    "<n:int> [[sample|samples]] [[was|were]] settled at 60 digits, beyond what double precision "
    "can tell.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not min(1000, doubtful(p)) <= whole(m["n"]) <= p.truth.count:
        yield f"double precision cannot tell at {doubtful(p)} of {p.truth.count}"


@says(
    "note.rest",
    "note",
    "Without the samples at which a step keeps no digit EIC is <d:one>, at <at:code>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not math.isinf(p.truth.eic):
        yield "each step keeps one"
    best = float(np.nanmax(p.truth.locals_finite))
    if not holds(decimal(m["d"]), best):
        yield f"without them it is {best:.4f}"
    yield from somewhere(p, m["at"], lambda k: of(p.truth.local_finite(k), best))


def of(value: float, best: float) -> Iterator[str]:
    if not value >= best - 1e-3:
        yield f"{value:.4f} there, {best:.4f} at most"


@says(
    "note.hidden", "note", "The result hides it: a test of its output would not reveal <at:code>."
)
def _(p: Page, m: Match) -> Iterator[str]:
    root = p.truth.local(p.truth.root)
    if not root < 1 + 1e-6:
        yield f"the result loses {root:.3f}: that shows"
    yield from somewhere(p, m["at"], lambda k: is_worst(p, k))


_LEAD = "The mean is not settled at N = <n:int>: "


def _unsettled(p: Page, m: Match) -> list[Claim]:
    return [("the mean is settled", 0, 0)]


def _is_n(p: Page, m: Match) -> Iterator[str]:
    if whole(m["n"]) != p.truth.count:
        yield f"N is {p.truth.count}"


@says(
    "note.crossing",
    "note",
    f"{_LEAD}EIC grows with N because <at:code> <does:does>.",
    claims=_unsettled,
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _is_n(p, m)
    best = float(np.nanmax(p.truth.locals_finite))

    def grows(k: int) -> Iterator[str]:
        yield from crosses_zero(p, k, grows=True, words=m["does"])
        if not p.truth.local_finite(k) >= best - 1.5 and not _makes_much(p, k):
            yield f"{p.truth.local_finite(k):.2f} digits there, {best:.2f} elsewhere"

    yield from somewhere(p, m["at"], grows)


KINDS["does"] = r"(?:crosses zero and has a pole|crosses zero|has a pole|changes its sign)"


def _makes_much(p: Page, k: int) -> bool:
    return bool(p.truth.created(p.diagnosed)[k] > 0.2 * p.truth.local_finite(p.diagnosed))


@says(
    "note.crossing_elsewhere",
    "note",
    f"{_LEAD}<at:code> <does:does>, so that what it loses, now <now:digits>, grows with N.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _is_n(p, m)

    def grows(k: int) -> Iterator[str]:
        yield from crosses_zero(p, k, grows=True, words=m["does"])
        if not holds(digits(m["now"]), p.truth.local_finite(k)):
            yield f"it loses {p.truth.local_finite(k):.4f}"

    yield from somewhere(p, m["at"], grows)


@says(
    "note.few",
    "note",
    f"{_LEAD}a few samples carry [[most|much]] of it⟦ (<share:pct> from the worst 1 %)⟧, and more "
    "of them would raise EIC.",
    claims=_unsettled,
)
def _(p: Page, m: Match) -> Iterator[str]:
    s2 = p.truth.s2[p.diagnosed]
    s2 = np.sort(s2[np.isfinite(s2)])[::-1]
    share = float(s2[: math.ceil(len(s2) / 100)].sum() / s2.sum())
    if m["share"] and not about(percent(m["share"]), share, 5e-3):
        yield f"the worst 1 % carry {share:.4f}"
    if "most of it" in m[0] and share <= 0.5:
        yield f"{share:.3f} is not most"
    half = int(np.searchsorted(np.cumsum(s2), 0.5 * s2.sum())) + 1
    if half > 0.1 * len(s2):
        yield f"{half} of {len(s2)} samples carry half of it"


@says(
    "note.heavy",
    "note",
    f"{_LEAD}the tail of the amplified noise is heavy, and more samples would raise EIC.",
    claims=_unsettled,
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _is_n(p, m)


_BEYOND = "double precision has no value there, and the check at 60 digits ends after"


@says(
    "note.invalid",
    "note",
    "<n:int> of <of:int> samples [[has no|have no]] [[real|usable]] value at <at:code> and "
    "[[is|are]] left out: <why:any>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if whole(m["of"]) != p.truth.count:
        yield f"there are {p.truth.count} samples"
    if _BEYOND in m["why"]:
        if whole(m["n"]) > p.truth.count:
            yield "not so many"
        return

    def fails(k: int) -> Iterator[str]:
        failing = int((p.truth.bad == k).sum())
        if failing != whole(m["n"]):
            yield f"{failing} of {p.truth.count} samples fail there"
        yield from told(INVALID, p, k, m["why"])

    yield from somewhere(p, m["at"], fails)


@says("note.more_invalid", "note", "<n:int> more have no real value elsewhere.")
def _(p: Page, m: Match) -> Iterator[str]:
    counts = sorted(np.bincount(p.truth.bad[~p.truth.valid]).tolist(), reverse=True)
    if sum(counts[3:]) != whole(m["n"]):
        yield f"it is {sum(counts[3:])}"


# --- the loss numbers ---


def _amount(name: str, key: str, meaning: str) -> None:
    @says(
        f"loss.{key}",
        "losses",
        f"{name}: <amount:amount>⟦, at <at:any>⟧. It is {meaning}.",
        claims=lambda p, m: _loss_claims(key, m["amount"]),
    )
    def _(p: Page, m: Match) -> Iterable[str]:
        return _is_loss(p, key, m)


KINDS["amount"] = (
    r"(?:not defined here|every digit at some samples, (?:no digit|\d+\.\d+ digits) at the others"
    r"|every digit|no digit|\d+\.\d+ digits)"
)
_SUBJECT = {"worst": "EIC", "result": INDEPENDENT, "shared": SHARED}


def _loss_claims(key: str, amount: str) -> list[Claim]:
    if amount == "not defined here":
        return []
    return [(_SUBJECT[key], *digits(amount.split(" at some")[0]))]


def _is_loss(p: Page, key: str, m: Match) -> Iterator[str]:
    root = p.truth.root
    q2 = p.truth.q2[p.truth.valid]
    finite = q2[np.isfinite(q2)]
    rest_q = 0.5 * math.log10(float(np.mean(finite))) if len(finite) else math.nan
    finite_worst = p.truth.locals_finite
    whole_loss, rest = {
        "worst": (p.truth.eic, float(np.max(finite_worst))),
        "result": (p.truth.local(root), p.truth.local_finite(root)),
        "shared": (math.inf if np.isinf(q2).any() else rest_q, rest_q),
    }[key]
    text = m["amount"]
    if text == "not defined here":
        if not math.isnan(whole_loss):
            yield f"it is {whole_loss:.4f}"
        return
    parts = text.removesuffix(" at the others").split(" at some samples, ")
    if not holds(digits(parts[0]), whole_loss):
        yield f"it is {whole_loss:.4f}"
    if len(parts) > 1 and not holds(digits(parts[1]), rest):
        yield f"at the others {rest:.4f}"
    if key == "worst" and m["at"]:
        places = [root] if m["at"] == "the result itself" else p.nodes(m["at"])
        yield from best_of(list(is_worst(p, k)) for k in places)


_amount(
    "Worst step (EIC)",
    "worst",
    "the most that any one step loses, itself or one inside, whether or not it reaches the "
    "result; every node has a noise of its own",
)
_amount(
    "Result, independent noise",
    "result",
    "what reaches the result; every node has a noise of its own, also two copies of one input",
)
_amount(
    "Result, shared noise",
    "shared",
    "what reaches the result in a program, where all copies of an input or of a "
    "sub-expression are wrong by the same",
)


# --- whether the mean is settled ---


@says("settled.none", "settled", "no: no sample keeps a digit at <at:code>")
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(
        p, m["at"], lambda k: [] if p.truth.singular(k)[p.truth.valid].all() else ["some do"]
    )


@says("settled.infinite", "settled", "no: infinite⟦ at <at:code>⟧ for <n:int> [[sample|samples]]")
def _(p: Page, m: Match) -> Iterator[str]:
    count = int(p.truth.any_singular.sum())
    if count != whole(m["n"]):
        yield f"for {count}"


@says("settled.few", "settled", "too few samples to tell")
def _(p: Page, m: Match) -> Iterator[str]:
    if p.truth.valid.sum() - p.truth.singular(p.diagnosed).sum() >= 300:
        yield f"there are {p.truth.valid.sum()}"


@says("settled.yes", "settled", "yes", claims=lambda p, m: [("the mean is settled", 1, 1)])
def _(p: Page, m: Match) -> Iterator[str]:
    rows, w = weights(p.truth, p.diagnosed)
    half = int(np.searchsorted(np.cumsum(np.sort(w)[::-1]), 0.5)) + 1
    if half == 1 and len(rows) >= 300:
        yield f"{half} of {len(rows)} samples carry half of it"
    if any(not list(crosses_zero(p, k, grows=True)) for k in p.truth.subtree(p.diagnosed)
           if p.truth.created(p.diagnosed)[k] > 0.3):  # fmt: skip
        yield "a step that makes the loss crosses zero, and its noise grows there"


@says("settled.no", "settled", "no", claims=_unsettled)
def _(p: Page, m: Match) -> Iterator[str]:
    rows, w = weights(p.truth, p.diagnosed)
    half = int(np.searchsorted(np.cumsum(np.sort(w)[::-1]), 0.5)) + 1
    if half > 0.25 * len(rows) and all(
        list(crosses_zero(p, k, grows=True, words="changes its sign")) for k in range(p.truth.nodes)
    ):
        yield f"{half} of {len(rows)} samples carry half of it, and no step crosses zero"


@says("settled.not_at", "settled", "not at <at:code>")
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(
        p, m["at"], lambda k: crosses_zero(p, k, grows=True, words="changes its sign")
    )
