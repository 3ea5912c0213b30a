"""Templates of the writing (whose fault) and of the repairs (what to write instead)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from tests.audit.oracle import half_log10
from tests.audit.page import Page
from tests.audit.printed import decimal, digits, holds, whole
from tests.audit.said_of_verdict import SHARED
from tests.audit.sentences import Claim, Match, says, somewhere


def compared(p: Page) -> np.ndarray:
    return np.isfinite(p.truth.q2)


def lost_by_result(p: Page) -> float:
    """Digits of the result with shared noise, over the rows where it is finite."""
    q2 = p.truth.q2[compared(p)]
    return half_log10(float(np.mean(q2))) if len(q2) else math.nan


def lost_by_function(p: Page) -> float:
    """Digits that no writing keeps, over the same rows."""
    own2 = p.truth.own2[compared(p)]
    return half_log10(float(np.mean(own2))) if len(own2) else math.nan


def q(p: Page, interval: tuple[float, float]) -> Iterator[str]:
    if not holds(interval, lost_by_result(p)):
        yield f"with shared noise the result loses {lost_by_result(p):.4f}"


@says(
    "fault.none_left",
    "fault",
    "With shared noise no digit of the result is left at any valid sample, so there is nothing "
    "to split.",
    claims=lambda p, m: [(SHARED, math.inf, math.inf)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not np.isinf(p.truth.q2[p.truth.valid]).all() or not p.truth.valid.any():
        yield "at some samples digits of it are left"


@says(
    "fault.no_value",
    "fault",
    "The formula has no real value on these samples, so there is nothing to split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if p.truth.valid.any():
        yield "it has"


@says(
    "fault.nothing",
    "fault",
    "With shared noise the result loses <d:lost>: [[too few to split|there is nothing to split]] "
    "between the function and its writing.",
    claims=lambda p, m: [(f"{SHARED}, where one is left", *digits(m["d"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from q(p, digits(m["d"]))
    yield from unsaid_rows(p)


def unsaid_rows(p: Page) -> Iterator[str]:
    """Rows that a good word on the result leaves out without a word on the page."""
    q2, own2 = p.truth.q2[p.truth.valid], p.truth.own2[p.truth.valid]
    by_writing = int((np.isinf(q2) & ~np.isinf(own2)).sum())
    by_function = int(np.isinf(own2).sum())
    if by_writing and not any("the writing loses every digit" in text for _, text in p.said):
        yield f"at {by_writing} samples the writing leaves no digit of it"
    if by_function and not any("the function itself is 0" in text for _, text in p.said):
        yield f"at {by_function} samples no digit of it is left, and the page does not say so"


_OF = "of the <q:one> digits that the result loses with shared noise are"
_SENSITIVITY = "the function's own sensitivity to errors of <inputs:any>"


def _split_claims(p: Page, m: Match) -> list[Claim]:
    found = [(f"{SHARED}, where one is left", *decimal(m["q"]))]
    if "loss" in m.groupdict():
        found.append(("loss to the writing", *decimal(m["loss"])))
    return found


@says("fault.function", "fault", f"<own:one> {_OF} {_SENSITIVITY}.", claims=_split_claims)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from q(p, decimal(m["q"]))
    low, high = decimal(m["own"])
    if not low - 2e-3 <= min(lost_by_function(p), lost_by_result(p)) <= high + 2e-3:
        yield f"the function itself loses {lost_by_function(p):.4f}"
    if lost_by_result(p) - lost_by_function(p) > 0.3 + 2e-3:
        yield f"{lost_by_result(p) - lost_by_function(p):.3f} digits are lost to the writing"
    yield from _sensitive(p, m["inputs"])


def _own(p: Page, interval: tuple[float, float]) -> Iterator[str]:
    if not holds(interval, lost_by_function(p)):
        yield f"the function itself loses {lost_by_function(p):.4f}"


def _sensitive(p: Page, text: str) -> Iterator[str]:
    """Whether the named inputs carry most of the sensitivity, and no other as much as one."""
    if text == "its inputs":
        return
    parts = _sensitivities(p)
    total = sum(parts.values())
    named = {
        p.formula.nodes[k].label for code in re.findall(r"`[^`]+`", text) for k in p.nodes(code)
    }
    known = {v: part for v, part in parts.items() if v in named}
    if not known or sum(known.values()) < 0.5 * total:
        yield f"sensitivities squared: {parts}"
    others = [part for v, part in parts.items() if v not in named]
    if others and known and max(others) > 1.01 * min(known.values()):
        yield f"another input matters more: {parts}"


def _sensitivities(p: Page) -> dict[str, float]:
    finite = np.isfinite(p.truth.own2)
    gains = p.truth.gains(p.truth.root)
    found = {}
    for name in p.formula.variables:
        leaves = [n.id for n in p.formula.nodes if n.operator == "variable" and n.label == name]
        together = np.nansum(gains[leaves][:, finite], axis=0)
        found[name] = float(np.mean(np.square(together)))
    return found


@says("fault.writing", "fault", f"<loss:one> {_OF} lost to the writing.", claims=_split_claims)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from q(p, decimal(m["q"]))
    yield from loss(p, decimal(m["loss"]))


def loss(p: Page, interval: tuple[float, float]) -> Iterator[str]:
    loss = lost_by_result(p) - lost_by_function(p)
    if not holds(interval, loss):
        yield f"{loss:.4f} digits are lost to the writing"


@says(
    "fault.both",
    "fault",
    f"<loss:one> {_OF} lost to the writing; the other <own:one> are {_SENSITIVITY}.",
    claims=_split_claims,
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from q(p, decimal(m["q"]))
    yield from loss(p, decimal(m["loss"]))
    yield from _own(p, decimal(m["own"]))
    yield from _sensitive(p, m["inputs"])


@says(
    "fault.apart",
    "fault",
    "Here copies of a number share their noise; with independent noise, as EIC has it, the "
    "result loses <d:lost>.",
    claims=lambda p, m: [("loss of the result with independent noise", *digits(m["d"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not holds(digits(m["d"]), p.truth.local_finite(p.truth.root)):
        yield f"it loses {p.truth.local_finite(p.truth.root):.4f}"
    if all(len(c) == 1 for c in p.truth.classes):
        yield "there are no copies"


@says(
    "fault.inner",
    "fault",
    "The worst inner step (EIC⟦ without the singular samples⟧) loses <d:digits>, at <at:code>: "
    "with shared noise the result loses fewer.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    def inner(k: int) -> Iterator[str]:
        if not holds(digits(m["d"]), p.truth.local_finite(k)):
            yield f"{p.truth.local_finite(k):.4f} are lost there"
        if p.truth.local_finite(k) <= lost_by_result(p):
            yield f"the result loses {lost_by_result(p):.3f}"
        if k == p.truth.root:
            yield "that is the result"

    yield from somewhere(p, m["at"], inner)
    if ("without" in m[0]) != math.isinf(p.truth.eic):
        yield f"EIC is {p.truth.eic}"


@says(
    "fault.independent",
    "fault",
    "At <n:int> [[sample|samples]] the result loses every digit with independent noise, as EIC "
    "has it, and keeps some with shared noise.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    lost = int((p.truth.singular(p.truth.root) & np.isfinite(p.truth.q2)).sum())
    if lost != whole(m["n"]):
        yield f"it is {lost}"


@says(
    "fault.inside",
    "fault",
    "At <n:int> [[sample|samples]] an inner step loses every digit and the result does not: see "
    "<at:code>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    inside = p.truth.any_singular & np.isfinite(p.truth.q2) & ~p.truth.singular(p.truth.root)
    if int(inside.sum()) != whole(m["n"]):
        yield f"it is {inside.sum()}"
    yield from somewhere(
        p, m["at"], lambda k: [] if p.truth.singular(k).any() else ["not at this step"]
    )


@says(
    "fault.function_zero",
    "fault",
    "At <n:int> [[sample|samples]] the function itself is 0 or infinitely steep (beyond 10³⁰): "
    "there any error of its inputs takes every digit; they are left out of the split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    lost = int(np.isinf(p.truth.own2[p.truth.valid]).sum())
    if lost != whole(m["n"]):
        yield f"it is {lost}"


@says(
    "fault.writing_zero",
    "fault",
    "At <n:int> [[sample|samples]] the writing loses every digit (beyond 10³⁰) and the function "
    "itself does not; they are left out of the split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    valid = p.truth.valid
    lost = int((np.isinf(p.truth.q2) & ~np.isinf(p.truth.own2))[valid].sum())
    if lost != whole(m["n"]):
        yield f"it is {lost}"
