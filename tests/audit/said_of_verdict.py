"""Templates of the verdict, of its level and of its notes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from tests.audit.clauses import CAUSES, INVALID, crosses_zero, told, told_of_lost, weights
from tests.audit.exactly import STEPS
from tests.audit.oracle import half_log10
from tests.audit.page import Page
from tests.audit.printed import (
    KINDS,
    SLACK,
    about,
    compiled,
    decimal,
    digits,
    holds,
    percent,
    whole,
)
from tests.audit.sentences import Claim, Match, best_of, duty, says, somewhere

TOLD = 0.15
"""Digits between two reasonable ways of averaging where a loss is made."""

INDEPENDENT, SHARED = "loss of the result, independent noise", "loss of the result, shared noise"
UNNAMED = "loss of the result"


def result_claims(p: Page, interval: tuple[float, float], text: str) -> list[Claim]:
    """What a number of digits of the result claims; without copies all numbers are one."""
    if all(len(c) == 1 for c in p.truth.classes):
        return [(UNNAMED, *interval)]
    if "independent noise" in text or "(EIC)" in text:
        return [(INDEPENDENT, *interval)]
    return [(SHARED, *interval)] if "shared noise" in text else [(UNNAMED, *interval)]


# --- the level ---


def lost_in_range(p: Page) -> int:
    """Rows at which a program gets no value of the result."""
    return int(p.truth.without_double(p.truth.root).sum())


def _level(name: str, text: str, low: float, high: float) -> None:
    @says(f"level.{name}", "level", text)
    def _(p: Page, m: Match) -> Iterator[str]:
        lost = p.truth.local(p.truth.root)
        if not low - 1e-6 <= lost <= high + 1e-6:
            yield f"the result loses {lost:.4f}"
        missing = lost_in_range(p)
        if missing and high <= 2:
            yield f"{missing} of {p.truth.count} rows have no value in double precision"


_level("stable", "The result loses less than 1 digit", 0, 1)
_level("moderate", "The result loses 1 to 2 digits", 1, 2)
_level("severe", "The result loses more than 2 digits", 2, 1e9)


@says(
    "level.infinite",
    "level",
    "At some samples no digit of the result is right, or it jumps or is infinitely steep",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not p.truth.singular(p.truth.root).any() and not p.truth.follows.any():
        yield f"the result loses {p.truth.local(p.truth.root):.4f}"


@says("level.partly", "level", "At some samples the formula has no real value")
def _(p: Page, m: Match) -> Iterator[str]:
    if not p.truth.valid.any() or not without_real_value(p).any():
        yield "it has one at all"


def without_real_value(p: Page) -> np.ndarray:
    """Rows outside the real domain; those that only leave every range of numbers are others."""
    return ~p.truth.valid & ~_too_large(p)


@says("level.range", "level", "At some samples double precision has no value of the result")
def _(p: Page, m: Match) -> Iterator[str]:
    if not lost_in_range(p) and not any(_too_large(p)):
        yield "it has one at all"


def _too_large(p: Page) -> np.ndarray:
    """Rows whose value is beyond 10^(10^6), which the definition leaves out."""
    return np.array([row.too_large for row in p.truth.rows])


@says("level.range_loss", "level", "At some samples over- or underflow costs digits of the result")
def _(p: Page, m: Match) -> Iterator[str]:
    if not (p.truth.leaves_range & (p.truth.missed > 0.9 * explained(p))).any():
        yield "it does not"


@says("level.undecided", "level", "At some samples a rounding decides the value of the result")
def _(p: Page, m: Match) -> Iterator[str]:
    if not decided_at_all(p, surely=False).any():
        yield "no rounding does"


def explained(p: Page) -> np.ndarray:
    """What a result may miss by its own amplification: a digit more than s u."""
    return 10 * 2.0**-53 * p.truth.s(p.truth.root)


def decided_at_all(p: Page, *, surely: bool) -> np.ndarray:
    """Rows at which roundings turn a jump that the result feels: surely, or perhaps."""
    steps = [n.id for n in p.formula.nodes if n.operator in JUMPING]
    if not steps:
        return np.zeros(p.truth.count, dtype=bool)
    finite = p.truth.valid & np.isfinite(p.truth.s(p.truth.root))
    missed = finite & (p.truth.missed > 10 * explained(p)) & np.isfinite(p.truth.missed)
    if surely:
        return missed & ~p.truth.leaves_range
    may = np.any([p.truth.may_move(k) > 0.5 * explained(p) for k in steps], axis=0)
    return finite & (may | missed | p.truth.leaves_range)


JUMPING = STEPS | {"atan2"}


@duty("that a rounding decides the result", "verdict.undecided")
def _(p: Page) -> bool:
    return bool(decided_at_all(p, surely=True).any())


@says(
    "verdict.undecided",
    "verdict",
    "[[Rounding|Over- or underflow]] decides <at:code> at <n:int> of <of:int> "
    "[[sample|samples]], and with it ⟦up to ⟧"
    "<d:digits> of the result⟦; other steps at <more:int> more⟧.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if whole(m["of"]) != int(p.truth.valid.sum()):
        yield f"{p.truth.valid.sum()} samples are valid"
    least, most = (int(decided_at_all(p, surely=b).sum()) for b in (True, False))
    count = whole(m["n"]) + whole(m["more"] or "0")
    if not 0.9 * least <= count <= most:
        yield f"a rounding decides the result at {least} to {most} samples"
    yield from somewhere(p, m["at"], lambda k: _decides(p, k, whole(m["n"]), m["d"]))


def _decides(p: Page, k: int, count: int, told_digits: str) -> Iterator[str]:
    if p.formula.nodes[k].operator not in JUMPING:
        yield "it has no jump"
        return
    may = p.truth.may_move(k)
    most = int((p.truth.valid & ((may > 0.5 * explained(p)) | p.truth.leaves_range)).sum())
    if count > most:
        yield f"roundings reach a jump there at {most} samples"
    high = digits(told_digits)[0]
    if may.max() < 0.9 and not high <= math.log10(may.max() * 2.0**53) + 0.5:
        yield f"the result moves by {may.max():.3g} of its size"
    surely = decided_at_all(p, surely=True)
    missed = float(np.max(p.truth.missed[surely], initial=0.0))
    if 0 < missed < 0.9 and digits(told_digits)[1] < math.log10(missed * 2.0**53) - 0.1:
        yield f"it misses by {missed:.3g} of its size"


@says(
    "verdict.worn",
    "verdict",
    "[[Underflow|Overflow|Over- or underflow]] costs ⟦up to ⟧<d:digits> of the "
    "result at <n:int> of <of:int> [[sample|samples]].",
)
def _(p: Page, m: Match) -> Iterator[str]:
    rows = p.truth.leaves_range & np.isfinite(p.truth.missed)
    rows &= ~p.truth.without_double(p.truth.root)
    if whole(m["of"]) != p.truth.count:
        yield f"there are {p.truth.count} samples"
    missed = np.where(rows, p.truth.missed, 0.0)
    least, most = (int((missed > by * explained(p)).sum()) for by in (1.1, 0.9))
    if not least <= whole(m["n"]) <= most:
        yield f"it does so at {least} to {most} samples"
    worst = float(missed.max())
    if not holds(digits(m["d"]), math.log10(worst * 2.0**53) if worst < 1 else math.inf, 0.05):
        yield f"the result misses by {worst:.3g} of its size"


@duty("that underflow costs digits of the result", "verdict.worn verdict.undecided")
def _(p: Page) -> bool:
    rows = p.truth.leaves_range & np.isfinite(p.truth.missed) & p.truth.valid
    rows &= np.isfinite(p.truth.s(p.truth.root)) & ~p.truth.without_double(p.truth.root)
    size = p.truth.size(p.truth.root)
    return bool((rows & (size > -323) & (p.truth.missed > 2 * explained(p))).any())


@says("level.undefined", "level", "The formula has no usable value on these samples")
def _(p: Page, m: Match) -> Iterator[str]:
    if p.truth.valid.any():
        yield "some sample has a value"


def _paper(name: str, text: str, low: float, high: float) -> None:
    @says(f"paper.{name}", "level", text, claims=lambda p, m: [("EIC", low, high)])
    def _(p: Page, m: Match) -> Iterator[str]:
        if not low - 1e-6 <= p.truth.eic <= high + 1e-6:
            yield f"EIC is {p.truth.eic:.4f}"


_paper("stable", "EIC below 1, like a typical physical law", 0, 1)
_paper("moderate", "EIC between 1 and 2, more than a typical physical law", 1, 2)
_paper("severe", "EIC above 2, where the paper's filter drops a formula", 2, 1e9)
_paper(
    "infinite",
    "EIC infinite: at some step and sample no digit is right, or it jumps",
    math.inf,
    math.inf,
)


@says("paper.undefined", "level", "EIC undefined: the formula has no usable value on these samples")
def _(p: Page, m: Match) -> Iterator[str]:
    if p.truth.valid.any():
        yield "some sample has a value"


# --- digits that are lost ---


@says("verdict.nothing", "verdict", "[[the|The]] result loses no digit: nothing is computed.")
def _(p: Page, m: Match) -> Iterator[str]:
    if any(n.children for n in p.formula.nodes):
        yield "something is computed"


@says(
    "verdict.partly",
    "verdict",
    "No real value at <n:int> of <of:int> [[sample|samples]], at <at:code>: <why:any>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    places = _without_value_by_place(p)
    yield from _counts_without_value(p, m)
    if np.count_nonzero(places) != 1:
        yield f"samples fail at {np.count_nonzero(places)} nodes"
    yield from somewhere(p, m["at"], lambda k: _fails_at(p, k, whole(m["n"]), m["why"]))


@says(
    "verdict.partly_each",
    "verdict",
    "No real value at <n:int> of <of:int> [[sample|samples]]: <first:int> at <at:code> "
    "(<why:any>)[[ and |, ]]<second:int> at <there:code> (<because:any>)"
    "⟦ and <rest:int> elsewhere⟧.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    places = np.sort(_without_value_by_place(p))[::-1]
    yield from _counts_without_value(p, m)
    told_counts = [whole(m["first"]), whole(m["second"]), whole(m["rest"] or "0")]
    if told_counts != [places[0], places[1], places[2:].sum()]:
        yield f"{places[:3]} samples fail at a node each"
    yield from somewhere(p, m["at"], lambda k: _fails_at(p, k, told_counts[0], m["why"]))
    yield from somewhere(p, m["there"], lambda k: _fails_at(p, k, told_counts[1], m["because"]))


@says(
    "verdict.unusable",
    "verdict",
    "No usable value at <n:int> of <of:int> [[sample|samples]], at <at:code>: <why:any>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if whole(m["of"]) != p.truth.count:
        yield f"there are {p.truth.count} samples"
    yield from somewhere(p, m["at"], lambda k: _unusable_at(p, k, whole(m["n"]), m["why"]))


@says(
    "verdict.unusable_each",
    "verdict",
    "No usable value at <n:int> of <of:int> [[sample|samples]]: <first:int> at <at:code> "
    "(<why:any>)[[ and |, ]]<second:int> at <there:code> (<because:any>)"
    "⟦ and <rest:int> elsewhere⟧.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    first, second, rest = (whole(m[name] or "0") for name in ("first", "second", "rest"))
    if whole(m["of"]) != p.truth.count or first + second + rest != whole(m["n"]):
        yield f"there are {p.truth.count} samples"
    yield from somewhere(p, m["at"], lambda k: _unusable_at(p, k, first, m["why"]))
    yield from somewhere(p, m["there"], lambda k: _unusable_at(p, k, second, m["because"]))


def _unusable_at(p: Page, k: int, count: int, why: str) -> Iterator[str]:
    """What is too large for any arithmetic is counted; what is not known, is more."""
    beyond = int((_too_large(p) & (p.truth.bad == k)).sum())
    if count < beyond or (why == "its value leaves every range of numbers" and count > beyond):
        yield f"{beyond} samples leave every range there"
    yield from told(INVALID, p, k, why)


def _counts_without_value(p: Page, m: Match) -> Iterator[str]:
    if whole(m["of"]) != p.truth.count:
        yield f"there are {p.truth.count} samples"
    missing = int(without_real_value(p).sum())
    if whole(m["n"]) != missing:
        yield f"it has none at {missing}"


def _without_value_by_place(p: Page) -> np.ndarray:
    return np.bincount(p.truth.bad[without_real_value(p)], minlength=p.truth.nodes)


def _fails_at(p: Page, k: int, count: int, why: str) -> Iterator[str]:
    if _without_value_by_place(p)[k] != count:
        yield f"{_without_value_by_place(p)[k]} samples fail there"
    yield from told(INVALID, p, k, why)


@duty("that the formula has no real value at some samples", "verdict.partly verdict.partly_each")
def _(p: Page) -> bool:
    return bool(p.truth.valid.any()) and bool(without_real_value(p).any())


@says(
    "verdict.left_out",
    "verdict",
    "Left out [[is|are]] <n:int> of <of:int> [[sample|samples]] that double precision cannot "
    "tell: the exact check ends after <limit:int>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if whole(m["of"]) != p.truth.count:
        yield f"there are {p.truth.count} samples"
    if whole(m["n"]) + whole(m["limit"]) > doubtful(p) or whole(m["limit"]) < 1_000:
        yield f"double precision cannot tell {doubtful(p)} of them"


_CALM = "⟦Stable: ⟧[[the|The]] result"


def _calm(p: Page, m: Match) -> Iterator[str]:
    missing = lost_in_range(p)
    if m[0].startswith("Stable") and decided_at_all(p, surely=True).any():
        yield "a rounding decides the result at some rows"
    if m[0].startswith("Stable") and missing:
        yield f"{missing} of {p.truth.count} rows have no value in double precision"
    if m[0].startswith("Stable") and without_real_value(p).any():
        yield f"{without_real_value(p).sum()} of {p.truth.count} rows have no real value"
    if not p.truth.eic < 1 + 1e-6:
        yield f"EIC is {p.truth.eic:.3f}"


@says(
    "verdict.every_kept",
    "verdict",
    f"{_CALM} keeps every digit, and so does every step.",
    claims=lambda p, m: [("EIC", 0, 0.005)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _calm(p, m)
    if not p.truth.eic < 0.005 + 1e-6:
        yield f"EIC is {p.truth.eic:.4f}"


@says(
    "verdict.stable",
    "verdict",
    f"{_CALM} loses <d:digits>⟦ with independent noise⟧, and no step inside loses more.",
    claims=lambda p, m: [("EIC", *digits(m["d"])), (INDEPENDENT, *digits(m["d"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _calm(p, m)
    yield from _root_loses(p, digits(m["d"]))
    if p.truth.eic > digits(m["d"])[1] + SLACK:
        yield f"a step inside loses {p.truth.eic:.4f}"


@says(
    "verdict.stable_alike",
    "verdict",
    f"{_CALM} loses <d:digits>⟦ with independent noise⟧, the worst step inside, <at:code>, "
    "hardly more (EIC).",
    claims=lambda p, m: [("EIC", *digits(m["d"])), (INDEPENDENT, *digits(m["d"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _calm(p, m)
    yield from _root_loses(p, digits(m["d"]))
    yield from _is_eic(p, digits(m["d"]), m["at"])


@says(
    "verdict.stable_inside",
    "verdict",
    f"{_CALM} loses <d:digits>⟦ with independent noise⟧, the worst step inside, <at:code>, "
    "<worst:digits> (EIC).",
    claims=lambda p, m: [("EIC", *digits(m["worst"])), (INDEPENDENT, *digits(m["d"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _calm(p, m)
    yield from _root_loses(p, digits(m["d"]))
    yield from _is_eic(p, digits(m["worst"]), m["at"])


def _root_loses(p: Page, interval: tuple[float, float]) -> Iterator[str]:
    if not holds(interval, p.truth.local(p.truth.root)):
        yield f"the result loses {p.truth.local(p.truth.root):.4f}"


def _is_eic(p: Page, interval: tuple[float, float], place: str) -> Iterator[str]:
    if not holds(interval, p.truth.eic):
        yield f"EIC is {p.truth.eic:.4f}"
    yield from somewhere(p, place, lambda k: _is_worst(p, k))


def _is_worst(p: Page, k: int) -> Iterator[str]:
    if not p.truth.local(k) >= p.truth.eic - 1e-3:
        yield f"{p.truth.local(k):.4f} digits there, {p.truth.eic:.4f} at most"


@says(
    "verdict.lost",
    "verdict",
    "[[the|The]] result loses <d:one> digits⟦ with independent noise⟧ (EIC) at <at:code><how:how>: "
    "<why:any>.",
    claims=lambda p, m: [("EIC", *decimal(m["d"])), (INDEPENDENT, *decimal(m["d"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _noise_is_named(p, "with independent noise" in m[0])
    yield from _is_eic(p, decimal(m["d"]), m["at"])
    yield from _root_loses(p, decimal(m["d"]))
    yield from somewhere(p, m["at"], lambda k: _cause(p, k, m["how"], m["why"]))


@says(
    "verdict.as_worst",
    "verdict",
    "[[the|The]] result loses <d:one> digits⟦ with independent noise⟧, as does its worst step, "
    "<at:code> (EIC)<how:how>: <why:any>.",
    claims=lambda p, m: [("EIC", *decimal(m["d"])), (INDEPENDENT, *decimal(m["d"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _is_eic(p, decimal(m["d"]), m["at"])
    yield from _root_loses(p, decimal(m["d"]))
    yield from somewhere(p, m["at"], lambda k: _cause(p, k, m["how"], m["why"]))


def _noise_is_named(p: Page, named: bool) -> Iterator[str]:
    """Whether a loss says of which noise it is where the other one is another number."""
    q2 = p.truth.q2[p.truth.valid]
    shared = half_log10(float(np.mean(q2)))
    apart = abs(shared - p.truth.local(p.truth.root)) if math.isfinite(shared) else math.inf
    if named and all(len(c) == 1 for c in p.truth.classes):
        yield "no number stands in it twice"
    elif not named and apart > 0.3:
        yield f"with shared noise the result loses {shared:.3f}"


KINDS["how"] = (
    r"(?:|, (?:inherited from `[^`]+`(?: \(\d+\.\d digits\))?"
    r"|(?:all|\d+\.\d) of them inherited from `[^`]+`"
    r"|\d+\.\d of them in this step|at most \d+\.\d of them in any one step))"
)
KINDS["own"] = (
    r"(?:, in its last step|, inherited from `[^`]+`(?: \(\d+\.\d digits\))?"
    r"|, (?:all|\d+\.\d) of them inherited from `[^`]+`|, \d+\.\d of them in its last step"
    r"|, at most \d+\.\d of them in any one step)"
)
KINDS["keeps"] = (
    r"(?:keeps every digit|keeps all but \d+\.\d+ digits|loses (?:\d+\.\d+|no) digits?)"
)


def _kept(text: str) -> tuple[float, float]:
    if text == "keeps every digit":
        return 0.0, 0.005
    return digits(text.removeprefix("keeps all but ").removeprefix("loses "))


def _own_cause(p: Page, m: Match) -> Iterator[str]:
    """Why the result itself loses digits, where that is said."""
    if m["own"]:
        how = m["own"].replace("in its last step", "in this step")
        yield from _cause(p, p.truth.root, "" if how == ", in this step" else how, m["cause"])


@says(
    "verdict.inside",
    "verdict",
    "[[an|An]] inner step, <at:code>, loses <d:one> (EIC)<how:how>: <why:any>.",
    claims=lambda p, m: [("EIC", *decimal(m["d"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _is_eic(p, decimal(m["d"]), m["at"])
    yield from somewhere(p, m["at"], lambda k: _cause(p, k, m["how"], m["why"]))


@says(
    "verdict.inside_every",
    "verdict",
    "[[an|An]] inner step, <at:code>, loses every digit<where:where> (EIC infinite): <why:any>.",
    claims=lambda p, m: [("EIC", math.inf, math.inf)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(p, m["at"], lambda k: _loses_all(p, k, m["where"], m["why"]))


@says(
    "verdict.inner",
    "verdict",
    "[[the|The]] result <keeps:keeps>⟦ with independent noise⟧⟦<own:own>: <cause:any>⟧; an inner "
    "step, <at:code>, loses <d:one> (EIC)<how:how>: <why:any>.",
    claims=lambda p, m: [
        ("EIC", *decimal(m["d"])),
        *result_claims(p, _kept(m["keeps"]), re.split("[;:]", m[0])[0]),
    ],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _root_loses(p, _kept(m["keeps"]))
    yield from _own_cause(p, m)
    yield from _is_eic(p, decimal(m["d"]), m["at"])
    if m["keeps"].startswith("keeps") and not p.truth.local(p.truth.root) < 1 + 1e-6:
        yield "a digit or more is lost: that is not all but"
    yield from somewhere(p, m["at"], lambda k: _cause(p, k, m["how"], m["why"]))


@says(
    "verdict.inner_every",
    "verdict",
    "[[the|The]] result <keeps:keeps>⟦ with independent noise⟧⟦<own:own>: <cause:any>⟧; an inner "
    "step, <at:code>, loses every digit<where:where> (EIC infinite): <why:any>.",
    claims=lambda p, m: [
        ("EIC", math.inf, math.inf),
        *result_claims(p, _kept(m["keeps"]), re.split("[;:]", m[0])[0]),
    ],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _root_loses(p, _kept(m["keeps"]))
    yield from _own_cause(p, m)
    yield from somewhere(p, m["at"], lambda k: _loses_all(p, k, m["where"], m["why"]))


KINDS["where"] = (
    r"(?:| at [\d,]+ of [\d,]+ samples| at [\d,]+ of the [\d,]+ samples that were checked"
    r"| at all [\d,]+ samples that were checked)"
)
_PLACE = re.compile(
    r", (?:inherited from (?P<of>`[^`]+`)(?: \((?P<made>\d+\.\d) digits\))?"
    r"|(?P<part>all|\d+\.\d) of them inherited from (?P<from>`[^`]+`)"
    r"|(?P<here>\d+\.\d) of them in this step"
    r"|at most (?P<most>\d+\.\d) of them in any one step)"
)
_SECOND = compiled(
    "<first:any>; <more:one> more are created ⟦at <at:code>⟧⟦in its last <last:word>⟧"
    "⟦, and other steps take <off:one> off⟧"
)
ROUND = 0.05 + 0.03
"""Digits that half of the last place and different averages leave open."""


def _cause(p: Page, t: int, how: str, why: str) -> list[str]:
    """Whether the loss at t is made where and in the way that is said."""
    place = _PLACE.match(how)
    origin = None if place is None else place["of"] or place["from"]
    places = [t] if origin is None else p.nodes(origin)
    return best_of(list(_made(p, t, k, place, how, why)) for k in places)


def _made(p: Page, t: int, k: int, place: Match | None, how: str, why: str) -> Iterator[str]:
    made, path = p.truth.created(t), p.truth.created_on_path(t)
    whole_loss = p.truth.local_finite(t)
    worst, on_path = int(np.argmax(made)), int(np.argmax(path))
    if k not in p.truth.subtree(t):
        yield "not a part of it"
    told_most = place["most"] if place else None
    if "no single one stands out" in why:
        if made[worst] > 0.5 * whole_loss + TOLD and p.formula.nodes[worst].children:
            yield f"{made[worst]:.2f} of {whole_loss:.2f} digits are made at node {worst}"
        if told_most and made[worst] > float(told_most) + ROUND:
            yield f"{made[worst]:.2f} of them are made at node {worst}"
    elif made[k] < made[worst] - TOLD and path[k] < path[on_path] - TOLD:
        name = p.formula.nodes[worst].operator
        yield (
            f"{made[worst]:.2f} of {whole_loss:.2f} digits are made at node {worst}, {name}, and "
            f"{made[k]:.2f} at node {k}"
        )
    if place is not None:
        part = place["here"] or place["part"] or place["made"]
        if part == "all" and made[k] < whole_loss - 0.15:
            yield f"{made[k]:.2f} of {whole_loss:.2f}, not all, are made there"
        elif part and part != "all" and not holds(decimal(part), made[k], ROUND):
            yield f"{made[k]:.3f} digits are made there"
    elif made[k] < 0.75 * whole_loss and "no single one" not in why:
        yield f"only {made[k]:.2f} of {whole_loss:.2f} digits are made in this step"
    second = _SECOND.match(why)
    if second is not None:
        why = second["first"]
        others = [t] if second["last"] else p.nodes(second["at"])
        if not any(holds(decimal(second["more"]), made[n], ROUND) for n in others):
            yield f"{made[others[0]]:.3f} more are made there" if others else "no such step"
        if "all of them" in how:
            yield "and yet there are more"
        more = made[k] + (made[others[0]] if others else 0.0) - whole_loss
        if not holds(decimal(second["off"]) if second["off"] else (-math.inf, 0.2), more, ROUND):
            yield f"together {more:.3f} more than all are made there"
    readings = []
    for focus in (None, t):  # the rows that carry the step's own loss, or the target's
        p.truth.focus = focus
        readings.append(list(told(CAUSES, p, k, why)))
    p.truth.focus = None
    yield from min(readings, key=len)


# --- no digit at all ---


@says(
    "verdict.every",
    "verdict",
    "[[the|The]] result [[loses every digit|jumps]]⟦ with independent noise⟧<where:where> "
    "(EIC infinite)"
    "⟦, at <some:int> of them because of <cause:code>⟧⟦ at <at:code>⟧: <why:any>"
    "⟦, and an error there, however small, costs ⟦up to ⟧<costs:digits>⟧"
    "⟦; at <steep:int> more it is infinitely steep, at <slope:code>⟧"
    "⟦; at <more:int> more, where it follows <step:code>, ⟦up to ⟧<far:digits>⟧"
    "⟦; [[at the others|at the other one|elsewhere]] it loses <rest:digits>⟧.",
    claims=lambda p, m: [
        ("EIC", math.inf, math.inf),
        *([("something to mend in the result", 1, 1)] if not m["where"] else []),
    ],
)
def _(p: Page, m: Match) -> Iterator[str]:
    every = p.truth.singular(p.truth.root)
    lost = every & ~_steep(p)
    if (whole(m["steep"]) if m["steep"] else 0) != int((every & ~lost).sum()):
        yield f"at {(every & ~lost).sum()} samples it is steep"
    yield from _count_of(p, lost, m["where"])
    yield from _at_the_others(p, m)
    moved = p.truth.shaken[lost]
    if ("result jumps" in m[0]) != bool(m["costs"]):
        yield "half of it is said"
    if m["costs"]:
        yield from _moved_so(moved, digits(m["costs"]))
    jumps = [n.id for n in p.formula.nodes if n.operator in JUMPING]
    if not m["costs"] and any(p.truth.singular(k).any() for k in jumps) and (moved < 0.05).any():
        yield f"it moves by {moved.min():.3g} of its size at one of them"
    if (whole(m["more"]) if m["more"] else 0) != int(p.truth.follows.sum()):
        yield f"at {p.truth.follows.sum()} it follows a step"
    if m["more"]:
        yield from _moved_so(p.truth.shaken[p.truth.follows], digits(m["far"]))
    count = whole(m["some"]) if m["some"] else int(lost.sum())
    yield from somewhere(p, m["at"] or m["cause"], lambda k: _source(p, k, lost, m["why"], count))


def _at_the_others(p: Page, m: Match) -> Iterator[str]:
    """What is lost where the result has a finite s and follows no step that has none."""
    told_digits = m["rest"]
    s2 = p.truth.s2[p.truth.root]
    s2 = s2[np.isfinite(s2) & ~p.truth.follows]
    rest = half_log10(float(np.mean(s2))) if len(s2) else math.nan
    if told_digits and not holds(digits(told_digits), rest):
        yield f"at the others {rest:.4f}"
    if told_digits and "elsewhere it loses" not in m[0]:
        yield from _of_so_many(len(s2), m[0])


def _of_so_many(others: int, text: str) -> Iterator[str]:
    if ("at the other one it loses" in text) != (others == 1):
        yield f"there are {others} others"


def _moved_so(moved: np.ndarray, interval: tuple[float, float]) -> Iterator[str]:
    """Whether results that move so far lose at most so many digits."""
    far = float(np.max(moved, initial=0.0))
    lost = max(0.0, math.log10(far * 2.0**53)) if 0 < far < 1 else math.inf if far else 0.0
    if math.isinf(interval[0]) and far > 0.5:
        return
    if not holds(interval, lost, 0.4):
        yield f"it moves by {far:.3g} of its size"


@says(
    "verdict.follows",
    "verdict",
    "[[the|The]] result loses ⟦up to ⟧<far:digits>⟦ with independent noise⟧"
    "⟦ at <n:int> of <of:int> [[sample|samples]]⟧, where it follows <at:code> (EIC infinite): "
    "<why:any>⟦; [[at the others|at the other one]] it loses <rest:digits>⟧.",
    claims=lambda p, m: [("EIC", math.inf, math.inf)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    count, valid = int(p.truth.follows.sum()), int(p.truth.valid.sum())
    if (whole(m["n"]), whole(m["of"])) != (count, valid) if m["n"] else count != valid:
        yield f"it does so at {count} of {valid} samples"
    yield from _moved_so(p.truth.shaken[p.truth.follows], digits(m["far"]))
    yield from _at_the_others(p, m)
    yield from somewhere(p, m["at"], lambda k: _is_followed(p, k, m["why"]))


def _is_followed(p: Page, k: int, why: str) -> Iterator[str]:
    if not (p.truth.singular(k) & p.truth.follows).any():
        yield "at those samples it keeps some digits"
    yield from told_of_lost(p, k, why)


@duty("that the result follows a step without a digit", "verdict.follows verdict.every")
def _(p: Page) -> bool:
    return bool(p.truth.follows.any())


STEEP_AT = {
    "sqrt": 0,
    "cbrt": 0,
    "root": 0,
    "power": 0,
    "pow": 0,
    "asin": 1,
    "acos": 1,
    "acosh": 1,
}
"""Functions with an infinite slope and a value, and the size of their argument there."""


def _steep(p: Page) -> np.ndarray:
    """Where a function of infinite slope stands at that point, and the result is not 0."""
    found = np.zeros(p.truth.count, dtype=bool)
    for node in p.formula.nodes:
        if node.operator in STEEP_AT:
            x = p.truth.value(node.children[0])
            here = np.abs(x) == STEEP_AT[node.operator]
            if node.operator == "power":
                here &= 0 < float(node.parameter or 0) < 1
            found |= here & ~np.isneginf(p.truth.size(p.truth.root))
    return found & p.truth.singular(p.truth.root)


@says(
    "verdict.steep",
    "verdict",
    "[[the|The]] result is infinitely steep⟦ with independent noise⟧<where:where> (EIC infinite) "
    "at <at:code>: an error there, however small, is not passed on in proportion"
    "⟦; [[at the others|at the other one]] it loses <rest:digits>⟧.",
    claims=lambda p, m: [("EIC", math.inf, math.inf)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    lost = p.truth.singular(p.truth.root)
    if (lost & ~_steep(p)).any():
        yield f"at {(lost & ~_steep(p)).sum()} samples every digit is lost"
    yield from _count_of(p, lost, m["where"])
    if m["rest"] and not holds(digits(m["rest"]), p.truth.local_finite(p.truth.root)):
        yield f"at the others {p.truth.local_finite(p.truth.root):.4f}"
    if m["rest"]:
        yield from _of_so_many(int(np.isfinite(p.truth.s2[p.truth.root]).sum()), m[0])
    names = [node.operator for node in p.formula.nodes]
    yield from somewhere(
        p, m["at"], lambda k: [] if names[k] in STEEP_AT else [f"it is a {names[k]}"]
    )


def _source(p: Page, k: int, lost: np.ndarray, why: str, count: int) -> Iterator[str]:
    """Whether so many of the samples lose it there, and why."""
    here = p.truth.singular(k) & lost
    if here.sum() != count:
        yield f"{here.sum()} of {lost.sum()} samples lose it there"
    yield from told_of_lost(p, k, why)


def _count_of(p: Page, lost: np.ndarray, where: str) -> Iterator[str]:
    numbers = [whole(n) for n in re.findall(r"\d[\d,]*", where)]
    count, valid = int(lost.sum()), int(p.truth.valid.sum())
    if not numbers:
        if count != valid:
            yield f"at {count} of {valid} samples"
    elif "checked" in where:
        if numbers[-1] > valid or numbers[0] > numbers[-1]:
            yield f"at {count} of {valid} samples"
    else:
        if numbers != [count, valid]:
            yield f"at {count} of {valid} samples"
        if p.truth.distinct == 1:
            yield "all samples are the same: it is no property of some of them"


def _loses_all(p: Page, k: int, where: str, why: str) -> Iterator[str]:
    yield from _count_of(p, p.truth.singular(k), where)
    yield from told_of_lost(p, k, why)


# --- no value in double precision ---


@says(
    "verdict.range",
    "verdict",
    "No double-precision value at <n:int> of ⟦the ⟧<of:int> [[sample|samples]]⟦ that were "
    "<checked:word>⟧: <where:any>; "
    "<exact:any>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    y = p.truth.doubles[p.truth.root]
    beyond = _too_large(p) & (~np.isfinite(y) | (y == 0))
    lost = p.truth.without_double(p.truth.root) | beyond
    if m["checked"]:
        if whole(m["n"]) > int(lost.sum()) or whole(m["of"]) >= p.truth.count:
            yield f"at {lost.sum()} of {p.truth.count}"
    elif whole(m["n"]) != int(lost.sum()) or whole(m["of"]) != p.truth.count:
        yield f"at {lost.sum()} of {p.truth.count}, {beyond.sum()} of them beyond 10^(10^6)"
    for code, what in re.findall(
        r"(`[^`]+`) (overflows|underflows|over- or underflows)", m["where"]
    ):
        yield from somewhere(p, code, lambda k, w=what: _leaves(p, k, w, lost))
    for code, what in re.findall(
        r"(`[^`]+`) (?:(?:overflows|underflows|over- or underflows) or )?"
        r"is (rounded to 0|rounded out of the domain)",
        m["where"],
    ):
        yield from somewhere(p, code, lambda k, w=what: _rounded(p, k, w, lost))
    yield from _exact_range(p, m["exact"], lost)


def _rounded(p: Page, k: int, what: str, lost: np.ndarray) -> Iterator[str]:
    """Whether a rounding alone leaves the step above without a number at some of these samples."""
    y, above = p.truth.doubles[k], p.formula.parents[k]
    if above is None:
        yield "nothing is computed of it"
        return
    found = lost & np.isfinite(y) & ~np.isfinite(p.truth.doubles[above])
    found &= (y == 0) & np.isfinite(p.truth.size(k)) if "to 0" in what else y != p.truth.value(k)
    if not found.any():
        yield f"at none of these samples it is {what}"


def _leaves(p: Page, k: int, what: str, lost: np.ndarray) -> Iterator[str]:
    """Whether double precision loses the value at this step, from operands that it has."""
    tiny = np.finfo(float).tiny
    y = p.truth.doubles[k]
    fresh = lost.copy()
    for c in p.formula.nodes[k].children:
        fresh &= np.isfinite(p.truth.doubles[c])
    over = fresh & ~np.isfinite(y)
    small = np.abs(y) < tiny
    under = fresh & small & ~np.isneginf(_sizes(p, k))
    found = {"overflows": over, "underflows": under, "over- or underflows": over | under}[what]
    if not found.any():
        yield f"it {what} at none of these samples"


def _sizes(p: Page, k: int) -> np.ndarray:
    return np.where(p.truth.valid, np.nan_to_num(p.truth.size(k), nan=0.0, neginf=-np.inf), 0.0)


def _exact_range(p: Page, text: str, lost: np.ndarray) -> Iterator[str]:
    size = p.truth.size(p.truth.root)
    inside = lost & p.truth.valid & (np.isneginf(size) | ((size > -323.6) & (size < 308.25)))
    fewer = int((inside & (size < -307.6526) & ~np.isneginf(size)).sum())
    count = int(inside.sum())
    unknown = int((lost & ~p.truth.valid).sum())  # a step is beyond 10^(10^6)
    if text == "the exact value is in range":
        if count + unknown < lost.sum():
            yield f"at {count}"
    elif text == "the exact value is out of range, too":
        if count:
            yield f"at {count} it is in range"
    elif m := re.fullmatch(
        r"the exact value is in range(?: at ([\d,]+)( or more)? of them)?"
        r"(, with fewer digits)?(?: at ([\d,]+) of these)?",
        text,
    ):
        told_count = whole(m[1] or str(int(lost.sum())))
        if told_count > count + unknown or (not m[2] and told_count < count):
            yield f"at {count}"
        if (whole(m[4]) if m[4] else told_count if m[3] else 0) != fewer:
            yield f"with fewer digits at {fewer}"
    elif m := re.fullmatch(
        r"the exact value is out of range, too, at ([\d,]+) or more of them", text
    ):
        if whole(m[1]) + count > lost.sum():
            yield f"at {count} it is in range"
    elif text != "what the exact value is, is not known":
        yield "not understood"


# --- no value at all ---


def _undefined(name: str, lead: str) -> None:
    @says(name, "verdict", f"Undefined: {lead} at <at:code>: <why:any>.")
    def _(p: Page, m: Match) -> Iterator[str]:
        if "the sample" in lead and p.truth.count != 1:
            yield f"there are {p.truth.count} samples"
        if p.truth.valid.any():
            yield "some samples have a value"
        counts = m.groupdict()
        failing = whole(counts["n"]) if "n" in counts else p.truth.count
        if "of" in counts and whole(counts["of"]) != p.truth.count:
            yield f"there are {p.truth.count} samples"
        yield from somewhere(p, m["at"], lambda k: _fails_there(p, k, failing, m["why"]))


def _fails_there(p: Page, k: int, count: int, why: str) -> Iterator[str]:
    failing = int((p.truth.bad == k).sum())
    if failing != count:
        yield f"{failing} of {p.truth.count} samples fail there"
    yield from told(INVALID, p, k, why)


_undefined("verdict.undefined_one", "the sample has no [[real|usable]] value")
_undefined("verdict.undefined", "no sample has a [[real|usable]] value")
_undefined(
    "verdict.undefined_some",
    "no sample has a [[real|usable]] value; <n:int> of <of:int> fail",
)


# --- notes ---


@says(
    "note.follows",
    "note",
    "EIC is of first order, by which the result would keep its digits at <n:int> "
    "[[sample|samples]] where it follows <at:code>: what it loses there was found by moving that "
    "step by a rounding.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if whole(m["n"]) != int(p.truth.follows.sum()):
        yield f"at {p.truth.follows.sum()}"
    yield from somewhere(
        p, m["at"], lambda k: [] if p.truth.singular(k).any() else ["it keeps some digits"]
    )


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
            s = p.truth.s(k)
            # An infinite s may stand at a zero of equal columns, which doubles do settle.
            found |= p.truth.valid & np.isfinite(s) & (s * 2.0**-53 > 2e-3)
    return int(found.sum())


@says(
    "note.rechecked",
    "note",
    "<n:int> [[sample|samples]] [[was|were]] settled exactly, in case double precision "
    "cannot tell.",
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
    yield from somewhere(p, m["at"], lambda k: _of(p.truth.local_finite(k), best))


def _of(value: float, best: float) -> Iterator[str]:
    if not value >= best - 1e-3:
        yield f"{value:.4f} there, {best:.4f} at most"


@says(
    "note.hidden", "note", "The result hides it: a test of its output would not reveal <at:code>."
)
def _(p: Page, m: Match) -> Iterator[str]:
    root = p.truth.local(p.truth.root)
    if not root < 1 + 1e-6:
        yield f"the result loses {root:.3f}: that shows"
    if decided_at_all(p, surely=True).any():
        yield "a rounding decides the result: that shows"
    if _part_from_the_worst(p) > 0.1 + 1e-6:
        yield f"{_part_from_the_worst(p):.2f} of its noise comes from there: that shows"
    yield from somewhere(p, m["at"], lambda k: _is_worst(p, k))


_LEAD = "The mean is not settled at N = <n:int>: "


def _unsettled(p: Page, m: Match) -> list[Claim]:
    return [("the mean is settled", 0, 0), ("the mean at EIC's own step is settled", 0, 0)]


def _unsettled_elsewhere(p: Page, m: Match) -> list[Claim]:
    return [("the mean is settled", 0, 0), ("the mean at EIC's own step is settled", 1, 1)]


def _is_n(p: Page, m: Match) -> Iterator[str]:
    if whole(m["n"]) != p.truth.count:
        yield f"N is {p.truth.count}"


@says(
    "note.crossing",
    "note",
    f"{_LEAD}⟦the <which:word> ⟧EIC grows with N because <at:code> <does:does>.",
    claims=_unsettled,
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _is_n(p, m)
    if (m["which"] == "finite") != math.isinf(p.truth.eic):
        yield f"EIC is {p.truth.eic:.2f}"
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
    f"{_LEAD}<at:code> <does:does>, so that what it loses⟦ at the other <others:word>⟧, "
    "now <now:digits>, grows with N.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _is_n(p, m)

    def grows(k: int) -> Iterator[str]:
        yield from crosses_zero(p, k, grows=True, words=m["does"])
        if not holds(digits(m["now"]), p.truth.local_finite(k)):
            yield f"it loses {p.truth.local_finite(k):.4f}"
        if bool(m["others"]) != p.truth.singular(k).any():
            yield f"it keeps no digit at {np.count_nonzero(p.truth.singular(k))} samples"

    yield from somewhere(p, m["at"], grows)


@says(
    "note.few",
    "note",
    f"{_LEAD}a few samples carry [[most|much]] of it⟦ (<share:pct> from the worst 1 %)⟧, and more "
    "of them may raise EIC.",
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
    f"{_LEAD}the tail of the amplified noise is heavy, and more samples may raise EIC.",
    claims=_unsettled,
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _is_n(p, m)


@says(
    "note.invalid",
    "note",
    "<n:int> of <of:int> samples [[has no|have no]] [[real|usable]] value at <at:code> and "
    "[[is|are]] left out: <why:any>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if whole(m["of"]) != p.truth.count:
        yield f"there are {p.truth.count} samples"

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
    r"(?:not defined here|infinite at some samples, (?:no digit|\d+\.\d+ digits) at the others"
    r"|infinite|no digit|\d+\.\d+ digits)"
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
        yield from best_of(list(_is_worst(p, k)) for k in places)


@says(
    "loss.worst_two",
    "losses",
    "Worst step (EIC): infinite at some samples, at <at:any>, <rest:digits> at the others, at "
    "<there:code>. It is the most that any one step loses, itself or one inside, whether or not it "
    "reaches the result; every node has a noise of its own.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    finite = p.truth.locals_finite
    if not math.isinf(p.truth.eic):
        yield f"it is {p.truth.eic:.4f}"
    if not holds(digits(m["rest"]), float(np.max(finite))):
        yield f"at the others {np.max(finite):.4f}"
    places = [p.truth.root] if m["at"] == "the result itself" else p.nodes(m["at"])
    yield from best_of(list(_is_worst(p, k)) for k in places)
    if not any(finite[k] > np.max(finite) - 1e-6 for k in p.nodes(m["there"])):
        yield "others lose more there"


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


def _tail_index(s2: np.ndarray) -> float:
    """Hill's estimate from the square root of as many samples."""
    logs = np.sort(np.log(s2))[::-1]
    k = math.ceil(math.sqrt(len(logs)))
    excess = float(np.mean(logs[:k] - logs[k]))
    return 1 / excess if excess > 0 else math.inf


@says("settled.few", "settled", "too few samples to tell")
def _(p: Page, m: Match) -> Iterator[str]:
    finite = p.truth.s2[p.diagnosed][np.isfinite(p.truth.s2[p.diagnosed])]
    if len(finite) >= 300 and not _tail_index(finite) < 1:
        yield f"there are {len(finite)}, and the index of the tail is {_tail_index(finite):.2f}"


def _has_few_values(p: Page) -> bool:
    """Whether the data repeat: more of them bring no value between those that there are."""
    columns = [p.samples.columns[name] for name in p.formula.variables]
    return all(2 * len(np.unique(column)) <= len(column) for column in columns)


@says("settled.yes", "settled", "yes", claims=lambda p, m: [("the mean is settled", 1, 1)])
def _(p: Page, m: Match) -> Iterator[str]:
    rows, w = weights(p.truth, p.diagnosed)
    half = int(np.searchsorted(np.cumsum(np.sort(w)[::-1]), 0.5)) + 1
    if half == 1 and len(rows) >= 300:
        yield f"{half} of {len(rows)} samples carry half of it"
    made = p.truth.created(p.diagnosed)
    if not _has_few_values(p) and any(
        not list(crosses_zero(p, k, grows=True))
        for k in p.truth.subtree(p.diagnosed)
        if made[k] > 0.3
    ):
        yield "a step that makes the loss crosses zero, and its noise grows there"


@says("settled.no", "settled", "no", claims=_unsettled)
def _(p: Page, m: Match) -> Iterator[str]:
    rows, w = weights(p.truth, p.diagnosed)
    half = int(np.searchsorted(np.cumsum(np.sort(w)[::-1]), 0.5)) + 1
    if half > 0.25 * len(rows) and all(
        list(crosses_zero(p, k, grows=True, words="changes its sign")) for k in range(p.truth.nodes)
    ):
        yield f"{half} of {len(rows)} samples carry half of it, and no step crosses zero"


@says("settled.not_at", "settled", "not at <at:code>", claims=_unsettled_elsewhere)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(
        p, m["at"], lambda k: crosses_zero(p, k, grows=True, words="changes its sign")
    )


# --- the cause in a few words ---


def _origin(p: Page) -> str:
    return p.formula.nodes[p.diagnosis.verdict.origin].operator


def _label(name: str, text: str, operators: str = "", applies: str = "") -> None:
    """A label, the operators that may stand at its origin, and what must hold."""

    @says(f"label.{name}", "cause", f"{text}⟦, [[hidden|damped]] by the result⟧")
    def _(p: Page, m: Match) -> Iterator[str]:
        if operators and _origin(p) not in operators.split():
            yield f"at {_origin(p)}"
        if m[0].endswith(" by the result") and not (
            p.truth.local(p.truth.root) < 1 + 1e-6 and p.truth.eic > 1 - 1e-6
        ):
            yield f"the result loses {p.truth.local(p.truth.root):.3f} of {p.truth.eic:.3f}"
            return
        if m[0].endswith(" by the result"):
            part = _part_from_the_worst(p)
            if not (part < 0.52 if "hidden" in m[0] else part > 0.48):
                yield f"{part:.2f} of the result's noise comes from there"
        if applies and not _LABELS[applies](p):
            yield "it is not so"


def _part_from_the_worst(p: Page) -> float:
    """The part of the noise of the result that comes through the worst step."""
    worst = p.inspection.bottleneck
    squares = p.truth.squares(p.truth.root)
    return float(squares[list(p.truth.subtree(worst))].sum() / squares.sum())


_LABELS: dict[str, Callable[[Page], bool]] = {
    "leaf": lambda p: not p.formula.nodes[p.truth.root].children,
    "none": lambda p: p.truth.eic < 0.005 + 1e-6,
    "calm": lambda p: p.truth.eic < 1 + 1e-6,
    "jump": lambda p: bool(decided_at_all(p, surely=False).any()),
    "worn": lambda p: bool(p.truth.leaves_range.any()),
    "range": lambda p: lost_in_range(p) > 0 or bool(_too_large(p).any()),
    "undefined": lambda p: not p.truth.valid.any() or bool(without_real_value(p).any()),
    "zero_term": lambda p: bool(
        p.truth.valid.any()
        and any(
            (p.truth.value(k) == 0).any()
            for k in p.formula.nodes[p.diagnosis.verdict.origin].children
        )
    ),
    "singular": lambda p: bool(p.truth.any_singular.any()),
}
_PERIODIC = "sin cos tan cot sec csc"
_label("nothing", "Nothing is computed", applies="leaf")
_label("none", "No digit lost", applies="none")
_label("calm", "Like a typical physical law", applies="calm")
_label("range", "Beyond double range", applies="range")
_label("jump", "A jump within the noise", applies="jump")
_label("worn", "A value beyond double range", applies="worn")
_label("unranged", "Rounded to no value", applies="range")
_label("undefined", "[[Outside the real domain|Out of range]]", applies="undefined")
_label("accumulated", "Accumulated rounding")
_label("beyond", "Values beyond double range")
_label("sum", "Cancellation in a sum", "add")
_label("difference", "Cancellation in a difference", "sub")
_label("pole", "Near a pole", "tan cot sec csc")
_label("zero", "Near a zero", _PERIODIC)
_label("zeros_poles", "Near zeros and poles", "tan cot")
_label("angle", "Large argument of <f:word>", _PERIODIC)
_label(
    "growth",
    "[[Exponential|Hyperbolic function|Step]] of a large number",
    "exp expm1 sinh cosh tanh",
)
_label("exponent", "Large exponent", "power pow")
_label("in_exponent", "Error in an exponent", "pow")
_label("zero_given", "Error of a value that is 0", applies="zero_term")
_label("zero_term", "Error of a term that is 0", "add sub", applies="zero_term")
_label("log", "Logarithm near 1", "log")
_label("log1p", "Logarithm near its end", "log1p")
_label("end", "End of the domain", "asin acos acosh atanh")
_label("steep", "Steep function")
_label("infinitely_steep", "Infinitely steep", " ".join(STEEP_AT), applies="singular")
_label("jumps", "A jump", " ".join(JUMPING), applies="singular")
_label("singular", "A singular point", applies="singular")


# --- what must be said ---


@duty("rows at which a program gets no value of the result", "verdict.range")
def _(p: Page) -> bool:
    return bool(p.truth.valid.any()) and lost_in_range(p) > 0


@duty("samples that have no real value and are left out", "note.invalid")
def _(p: Page) -> bool:
    return bool(p.truth.valid.any()) and not bool(p.truth.valid.all())


@duty("the result keeps no digit at some sample", "verdict.every verdict.steep verdict.range")
def _(p: Page) -> bool:
    return bool(p.truth.singular(p.truth.root).any())


@duty(
    "a step inside loses two digits and more",
    "verdict.lost verdict.as_worst verdict.inner "
    "verdict.inner_every verdict.every verdict.steep verdict.inside verdict.inside_every "
    "verdict.follows",
)
def _(p: Page) -> bool:
    return p.truth.eic > 2
