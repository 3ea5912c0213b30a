"""Templates of the writing (whose fault) and of the repairs (what to write instead)."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from tests.audit.exactly import apply, mp, number
from tests.audit.oracle import Truth, half_log10
from tests.audit.page import Page
from tests.audit.plain import run_plain
from tests.audit.printed import KINDS, decimal, digits, holds, whole
from tests.audit.said_of_verdict import SHARED, explained
from tests.audit.sentences import Claim, Match, duty, says, somewhere


def _compared(p: Page) -> np.ndarray:
    return np.isfinite(p.truth.q2)


def lost_by_result(p: Page) -> float:
    """Digits of the result with shared noise, over the rows where it is finite."""
    q2 = p.truth.q2[_compared(p)]
    return half_log10(float(np.mean(q2))) if len(q2) else math.nan


def lost_by_function(p: Page) -> float:
    """Digits that no writing keeps, over the same rows."""
    own2 = p.truth.own2[_compared(p)]
    return half_log10(float(np.mean(own2))) if len(own2) else math.nan


def _q(p: Page, interval: tuple[float, float]) -> Iterator[str]:
    if not holds(interval, lost_by_result(p)):
        yield f"with shared noise the result loses {lost_by_result(p):.4f}"


@says(
    "fault.none_left",
    "fault",
    "With shared noise the amplification of the result is infinite at every valid sample, so there "
    "is nothing to split.",
    claims=lambda p, m: [(SHARED, math.inf, math.inf)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not np.isinf(p.truth.q2[p.truth.valid]).all() or not p.truth.valid.any():
        yield "at some samples digits of it are left"


@says(
    "fault.no_value",
    "fault",
    "The formula has no usable value on these samples, so there is nothing to split.",
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
    yield from _q(p, digits(m["d"]))
    yield from _unsaid_rows(p)


def _unsaid_rows(p: Page) -> Iterator[str]:
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
    yield from _q(p, decimal(m["q"]))
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
    more = re.search(r"(\d+) more", text)
    counted = len(named) + (int(more[1]) if more else 0)
    carried = sum(sorted(parts.values(), reverse=True)[:counted])
    known = {v: part for v, part in parts.items() if v in named}
    if not known or carried < 0.89 * total:
        yield f"sensitivities squared: {parts}"
    others = [part for v, part in parts.items() if v not in named]
    if more and known:
        others = [part for part in others if part > 1.01 * max(known.values())]
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
    yield from _q(p, decimal(m["q"]))
    yield from _loss(p, decimal(m["loss"]))


def _loss(p: Page, interval: tuple[float, float]) -> Iterator[str]:
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
    yield from _q(p, decimal(m["q"]))
    yield from _loss(p, decimal(m["loss"]))
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
    "The worst step (EIC⟦ without the singular samples⟧) loses <d:digits>, at <at:code>: "
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
    "At <n:int> [[sample|samples]] an inner step loses every digit and the result does not: "
    "⟦at <there:int> of them ⟧see <at:code>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    inside = p.truth.any_singular & np.isfinite(p.truth.q2) & ~p.truth.singular(p.truth.root)
    inside &= ~p.truth.follows
    if int(inside.sum()) != whole(m["n"]):
        yield f"it is {inside.sum()}"
    count = whole(m["there"]) if m["there"] else int(inside.sum())

    def there(k: int) -> list[str]:
        found = int((p.truth.singular(k) & inside).sum())
        return [] if found == count else [f"at {found} here"]

    yield from somewhere(p, m["at"], there)


@says(
    "fault.follows",
    "fault",
    "In these numbers [[is|are]] <n:int> [[sample|samples]] at which the result follows <at:code>: "
    "by noise of first order it keeps its digits there.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if whole(m["n"]) != int((p.truth.follows & np.isfinite(p.truth.q2)).sum()):
        yield f"it is {p.truth.follows.sum()}"
    yield from somewhere(
        p, m["at"], lambda k: [] if (p.truth.singular(k) & p.truth.follows).any() else ["not there"]
    )


@duty("which samples, that the result loses by more than first order, are split", "fault.follows")
def _(p: Page) -> bool:
    split = any(
        name.startswith("With shared noise the result loses") or " of the " in name
        for kind, name in p.said
        if kind == "fault"
    )
    return split and bool((p.truth.follows & np.isfinite(p.truth.q2)).any())


@says(
    "fault.function_zero",
    "fault",
    "At <n:int> [[sample|samples]] the function itself is 0, jumps or is infinitely steep (beyond "
    "10³⁰): an error of its inputs there, however small, is not passed on in proportion; "
    "[[it is|they are]] left out of the split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _as_many(p, m, np.isinf(p.truth.own2))


@says(
    "fault.writing_zero",
    "fault",
    "At <n:int> [[sample|samples]] the writing loses every digit (beyond 10³⁰) and the function "
    "itself does not; [[it is|they are]] left out of the split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _as_many(p, m, np.isinf(p.truth.q2) & ~np.isinf(p.truth.own2))


@says(
    "fault.not_looked_at",
    "fault",
    "At <n:int> more [[sample|samples]] the result loses every digit, too, and whether the "
    "function itself does was not looked at, for there are so many; [[it is|they are]] left out of "
    "the split.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not _looked_at_fewer(p):
        yield f"there are {p.truth.distinct} different samples"
    told = sum(whole(re.findall(r"[\d,]+", text)[0]) for text in _told_lost(p))
    lost = int((np.isinf(p.truth.q2) | np.isinf(p.truth.own2))[p.truth.valid].sum())
    if told != lost:
        yield f"of {lost} samples {told} are told"


def _told_lost(p: Page) -> list[str]:
    return [text for kind, text in p.said if kind == "fault" and "left out of the split" in text]


def _looked_at_fewer(p: Page) -> bool:
    """Whether so many nodes, inputs and samples leave some that are not looked at."""
    evaluations = p.truth.nodes * (1 + 6 * (1 + 2 * len(p.formula.variables)))
    return p.truth.distinct > max(50, 40_000 // evaluations)


def _as_many(p: Page, m: Match, lost: np.ndarray) -> Iterator[str]:
    """Whether it is so many samples, or no more where not all were looked at."""
    found, told = int(lost[p.truth.valid].sum()), whole(m["n"])
    fewer = any("was not looked at" in text for text in _told_lost(p))
    if told > found or (told < found and not fewer):
        yield f"it is {found}"


# --- what to write instead ---


def _other(text: str, names: tuple[str, ...]) -> Formula:
    return read(text, columns=names).formula


def other_truth(p: Page, text: str) -> Truth:
    """The oracle's view of another form on the same data."""
    return Truth(_other(text, tuple(p.samples.columns)), p.samples)


class DoubleError:
    """What double precision makes of a form, its inputs being exact: against the formula's values
    at the very numbers that double precision holds.

    Attributes
    ----------
    lost : ndarray
        Digits lost at each row, 0 to 15.95; nan where the exact value is above all doubles.
    failed : int
        Rows without a value, of those whose exact value is a double: no number, or a 0 that is none
        and that leaving the range has made.
    rows, beyond : int
        How many can be compared, and at how many no double is the exact value, but for rounding.
    fewer : int
        How many of them have an exact value of which the nearest double has lost a digit.
    digits : float
        log10 of the rms relative error over the unit roundoff, from 0; no row counts as more than
        an error of all its digits.
    """

    def __init__(self, form: Formula, p: Page, rows: Iterable[int] | None = None) -> None:
        truth = p.binary
        columns = {v: p.samples.columns[v] for v in form.variables}
        computed = run_plain(form, columns, p.truth.count, "float64")[-1]
        self.lost = np.full(p.truth.count, math.nan)
        self.failed = self.beyond = self.rows = self.fewer = 0
        errors = []
        with mp.workdps(60):
            for i in range(p.truth.count) if rows is None else rows:
                row = truth.rows[i]
                if row.bad is not None:
                    continue
                y, got = row.y[-1], float(computed[i])
                nearest = _as_double(y)
                if math.isinf(nearest):
                    self.beyond += 1
                    continue
                none = bool(y) and not nearest
                few = not none and bool(y) and abs(mp.mpf(nearest) / y - 1) > 10 * 2.0**-53
                self.beyond += none
                self.fewer += few
                self.rows += not none
                value = math.isfinite(got) and (
                    bool(got) or not y or not _leaves_somewhere(form, row.cells)
                )
                self.failed += not none and not value
                if not math.isfinite(got) or (not y and got):
                    self.lost[i] = 15.95
                    if math.isfinite(got):
                        errors.append(2.0**53)
                    continue
                gap, tiny = abs(mp.mpf(got) - y), mp.mpf(2) ** -1022
                scale = max(tiny, abs(y))
                error = float(gap / scale) / 2.0**-53
                self.lost[i] = min(15.95, max(0.0, math.log10(error) if error else 0.0))
                if not none and value:
                    error = float(gap / (scale if few or not y else abs(y))) / 2.0**-53
                    errors.append(min(error, 2.0**53))
        rms = math.sqrt(float(np.mean(np.square(errors)))) if errors else 0.0
        self.digits = max(0.0, math.log10(rms)) if rms else 0.0


def _as_double(y: Any) -> float:
    try:
        return float(y)
    except OverflowError:
        return math.inf


def _leaves_somewhere(form: Formula, cells: dict[str, str]) -> bool:
    """Whether the exact value of some node is not 0, and no normal double."""
    y: list[Any] = []
    for node in form.nodes:
        if node.children:
            y.append(apply(node, [y[c] for c in node.children]))
        else:
            y.append(number(cells[node.label] if node.operator == "variable" else node.label))
        if y[-1] and not sys.float_info.min <= abs(y[-1]) <= sys.float_info.max:
            return True
    return False


def _same_function(p: Page, other: Truth) -> Iterator[str]:
    """Whether the other form has the same values, and one wherever the formula has."""
    wrong = 0
    with mp.workdps(60):
        for mine, theirs in zip(p.truth.rows, other.rows, strict=True):
            if mine.bad is not None:
                continue
            if theirs.bad is not None:
                wrong += 1
                continue
            gap, size = abs(mine.y[-1] - theirs.y[-1]), abs(mine.y[-1])
            if gap > size * mp.mpf(10) ** -25 and mine.s2[-1] < 1e60:
                wrong += 1
    if wrong:
        yield f"it has another value at {wrong} rows"


KINDS["double"] = (
    r"(?:has a value at [\d,]+ of [\d,]+ rows?|loses (?:no digit|hardly any digits|\d+\.\d+ digits)"
    r"|cannot hold the exact result at [\d,]+ rows?|has no row to compare)"
)
_ONLY = "can hold the exact result only with fewer digits at"
_MEASURED = "measured in float64⟦ at <part:int> of <whole:int> rows⟧ it <double:double>"
_BEYOND = (
    f"⟦,⟦ and⟧ {_ONLY} <fewer:int> [[row|rows]]⟧"
    "⟦, and cannot hold [[it|the exact result]] at <beyond:int> [[row|rows]]⟧"
)


def _out_of(m: Match, error: DoubleError) -> Iterator[str]:
    """Whether all rows that doubles cannot hold, or only with fewer digits, are told."""
    told = re.search(r"cannot hold (?:it|the exact result) at ([\d,]+)", m[0])
    if (whole(told[1]) if told else 0) != error.beyond:
        yield f"at {error.beyond} rows the exact result is beyond"
    if (whole(m["fewer"]) if m["fewer"] else 0) != error.fewer:
        yield f"at {error.fewer} rows it has fewer digits"


def _may_lose(told: tuple[float, float], found: float) -> bool:
    """Whether so many digits may be measured: powers and functions are rounded in several ways."""
    return holds(told, found, 0.2) or max(told[1], found) <= 1.05


def _rows(p: Page, m: Match) -> Iterable[int] | None:
    """The rows that are measured, evenly spaced; None for all."""
    if not m["part"]:
        return None
    if whole(m["whole"]) != p.truth.count:
        raise ValueError(f"there are {p.truth.count} rows")
    return [i * p.truth.count // whole(m["part"]) for i in range(whole(m["part"]))]


def _is_double(p: Page, text: str, error: DoubleError) -> Iterator[str]:
    if m := re.match(r"has a value at ([\d,]+) of ([\d,]+)", text):
        if (whole(m[1]), whole(m[2])) != (error.rows - error.failed, error.rows):
            yield f"it has one at {error.rows - error.failed} of {error.rows} rows"
    elif text.startswith("loses "):
        if error.failed:
            yield f"at {error.failed} rows it has no number"
        elif not _may_lose(digits(text.removeprefix("loses ")), error.digits):
            yield f"in double precision it loses {error.digits:.3f}"
    elif m := re.match(r"cannot hold the exact result at ([\d,]+)", text):
        if whole(m[1]) != error.beyond:
            yield f"at {error.beyond} rows"
    elif error.rows:
        yield f"there are {error.rows} rows to compare"


_LEFT = "⟦ (not counting <left:int> [[row|rows]] at which it keeps none)⟧"
_KEPT = (
    "⟦ (which left out <before:int> [[row|rows]] at which it kept none"
    "⟦, and <after:int> at which it does now⟧)⟧"
)
_STEPS_LEFT = "⟦ (not counting rows at which a step keeps none)⟧"


def _left_out(p: Page, m: Match, q2: Sequence[np.ndarray]) -> Iterator[str]:
    """Whether as many rows are left out of the result's digits as are said to be."""
    each_rows = [int(np.isinf(each[p.truth.valid]).sum()) for each in q2]
    if len(each_rows) == 2 and m["q"] and each_rows[0] != each_rows[1]:
        if [whole(m["before"] or "0"), whole(m["after"] or "0")] != each_rows:
            yield f"no digit is left at {each_rows[0]} rows before and {each_rows[1]} after"
        return
    rows = each_rows[0]
    if "q" in m.groupdict() and m["q"] and (whole(m["left"]) if m["left"] else 0) != rows:
        yield f"at {rows} rows no digit is left"


def _instead(p: Page, m: Match) -> Iterator[str]:
    other = other_truth(p, m["form"].strip("`"))
    yield from _same_function(p, other)
    rows = _rows(p, m)
    before, after = DoubleError(p.formula, p, rows), DoubleError(other.formula, p, rows)
    yield from _is_double(p, m["double"], after)
    if m["was"] and "has a value" in m["double"]:
        if whole(m["was"].split(".")[0]) != before.rows - before.failed:
            yield f"before it had one at {before.rows - before.failed} rows"
    elif m["was"]:
        if before.failed:
            yield f"before, {before.failed} rows had no number"
        elif not _may_lose(
            digits("hardly any digits") if m["was"] == "hardly any" else decimal(m["was"]),
            before.digits,
        ):
            yield f"before it lost {before.digits:.3f}"
    yield from _out_of(m, after)
    yield from _left_out(p, m, [p.truth.q2, other.q2])
    if m["q"]:
        finite = np.isfinite(other.q2)
        q = half_log10(float(np.mean(other.q2[finite]))) if finite.any() else math.nan
        if not holds(digits(m["q"]), q, 5e-3):
            yield f"with shared noise that form loses {q:.4f}"
        if not holds(decimal(m["from_q"]), lost_by_result(p), 5e-3):
            yield f"with shared noise the formula loses {lost_by_result(p):.4f}"
        if not q < lost_by_result(p):
            yield "it loses no fewer"
    if m["worst"]:
        worst, was = float(np.max(other.locals_finite)), float(np.max(p.truth.locals_finite))
        if not holds(digits(m["worst"]), worst, 5e-3):
            yield f"its worst step loses {worst:.4f}"
        if m["from_worst"] == "every digit":
            if not math.isnan(was):
                yield f"the formula's worst step loses {was:.4f}"
        elif not holds(decimal(m["from_worst"]), was, 5e-3):
            yield f"the formula's worst step loses {was:.4f}"
    if not m["part"]:
        yield from _no_worse(p, m, before, after)


def _no_worse(p: Page, m: Match, before: DoubleError, after: DoubleError) -> Iterator[str]:
    """Whether double precision keeps no fewer digits by it, or where fewer, that is said."""
    known = ~np.isnan(before.lost) & ~np.isnan(after.lost)
    rise = (after.lost - before.lost)[known]
    if not len(rise):
        return
    if rise.mean() > 0.1:
        yield f"in double precision it loses {rise.mean():.2f} digits more on average"
    if after.failed > before.failed:
        yield f"in double precision {after.failed} rows fail, {before.failed} before"
    if m["less"]:
        least, most = (rise <= -0.55).sum(), (rise <= -0.45).sum()
        if not least <= whole(m["less"]) <= most:
            yield f"at {least} to {most} rows it loses less"
    more, limits = int((rise >= 0.5).sum()), ((rise >= 0.45).sum(), (rise >= 0.55).sum())
    if m["more"]:
        if not limits[1] <= whole(m["more"]) <= limits[0]:
            yield f"at {more} rows it loses more"
        if not holds(decimal(m["rise"]), float(rise.max()), 0.05):
            yield f"by up to {rise.max():.2f}"
        if not m["part"] and whole(m["of"]) != len(rise):
            yield f"{len(rise)} rows can be compared"
    elif limits[1]:
        yield f"at {more} rows it loses more, by up to {rise.max():.2f}, and that is not said"


@says(
    "instead.write",
    "instead",
    f"Write <form:code> (<rules:any>): {_MEASURED}⟦ instead of <was:plain>⟧⟦, as before⟧{_BEYOND}"
    f"⟦; with shared noise the result loses <q:lost> instead of <from_q:one>{_LEFT}{_KEPT}⟧"
    "⟦; the worst step (EIC) loses <worst:lost> instead of <from_worst:every>"
    f"{_STEPS_LEFT}⟧"
    "⟦; at <less:int> of <of_less:int> [[row|rows]] compared it loses less⟧"
    "⟦; at <more:int> of <of:int> [[row|rows]] compared it loses more, by up to <rise:one> "
    "digits⟧.",
    claims=lambda p, m: [
        *([(f"{SHARED}, where one is left", *decimal(m["from_q"]))] if m["q"] else []),
        ("something to write instead", 1, 1),
    ],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _instead(p, m)


KINDS["plain"] = r"(?:∞|hardly any|\d[\d,]*(?:\.\d)?)"
KINDS["every"] = r"(?:every digit|\d+\.\d)"


@says(
    "instead.cut_short",
    "instead",
    "The search was cut short by its time limit after <n:int> [[form|forms]]: there may be "
    "[[a better one|a still better one]].",
)
def _(p: Page, m: Match) -> Iterator[str]:
    return iter(())


@says("instead.limit", "instead", "Nothing better found before the time limit.")
def _(p: Page, m: Match) -> Iterator[str]:
    return iter(())


_NOTHING = [("something to write instead", 0.0, 0.0)]
_NONE = "Nothing better found [[among |]]⟦<n:int> other [[form|forms]]⟧⟦(no other form came up)⟧: "
_END = f"{_MEASURED}{_BEYOND}⟦; the worst step (EIC) loses <e:lost>{_STEPS_LEFT}⟧."


@says(
    "instead.none_finite",
    "instead",
    f"{_NONE}with shared noise the result keeps no digit at any sample.",
    claims=lambda p, m: [*_NOTHING, (SHARED, math.inf, math.inf)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    if _compared(p).any():
        yield "it keeps some"


def _none_better(p: Page, m: Match) -> Iterator[str]:
    yield from _left_out(p, m, [p.truth.q2])
    yield from _q(p, digits(m["q"]) if "digit" in m["q"] else decimal(m["q"]))
    error = DoubleError(p.formula, p, _rows(p, m))
    yield from _is_double(p, m["double"], error)
    yield from _out_of(m, error)
    if m["e"] and not holds(digits(m["e"]), float(np.max(p.truth.locals_finite)), 5e-3):
        yield f"the worst step loses {np.max(p.truth.locals_finite):.4f}"


def _none_claims(p: Page, m: Match) -> list[Claim]:
    q = digits(m["q"]) if "digit" in m["q"] else decimal(m["q"])
    return [*_NOTHING, (f"{SHARED}, where one is left", *q)]


@says(
    "instead.small",
    "instead",
    f"{_NONE}with shared noise the result loses <q:lost>{_LEFT}; {_END}",
    claims=_none_claims,
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _none_better(p, m)


@says(
    "instead.sensitive",
    "instead",
    f"{_NONE}<own:one> of the <q:one> digits that the result loses with shared noise{_LEFT} "
    f"are the function's own sensitivity to errors of its inputs; {_END}",
    claims=_none_claims,
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _none_better(p, m)
    low, high = decimal(m["own"])
    if not low - 5e-3 <= min(lost_by_function(p), lost_by_result(p)) <= high + 5e-3:
        yield f"the function itself loses {lost_by_function(p):.4f}"


@says(
    "instead.unsaved",
    "instead",
    f"{_NONE}<loss:one> of the <q:one> digits that the result loses with shared noise{_LEFT} "
    f"are lost to the writing; {_END}",
    claims=lambda p, m: [*_none_claims(p, m), ("loss to the writing", *decimal(m["loss"]))],
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _none_better(p, m)
    yield from _loss(p, decimal(m["loss"]))


@says("instead.not_looked", "instead", "No better form was looked for: <why:any>.")
def _(p: Page, m: Match) -> Iterator[str]:
    if "more than 120 nodes" in m["why"]:
        if len(p.formula) <= 120:
            yield f"it has {len(p.formula)} nodes"
    elif m["why"] == "no sample has a value with a finite amplification at every step":
        if (p.truth.valid & ~p.truth.any_singular).any():
            yield "some have"
    else:
        yield "not understood"


# --- advice ---


@says(
    "advice.range",
    "instead",
    "What helps: inputs in units in which no value on the way overflows or underflows, or "
    "arithmetic of a wider range.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not any(_leaves_range(p, k).any() for k in range(p.truth.nodes)):
        yield "no value over- or underflows"


@says("advice.arithmetic", "instead", "What helps: arithmetic of more digits or of a wider range.")
def _(p: Page, m: Match) -> Iterator[str]:
    if not (p.truth.missed > 2.0**-52).any():
        yield "double precision has all of its digits"


def _leaves_range(p: Page, k: int) -> np.ndarray:
    """Rows at which doubles have no value of a node, or one of fewer digits."""
    with np.errstate(invalid="ignore"):
        worn = np.isfinite(p.truth.size(k)) & (p.truth.size(k) < math.log10(sys.float_info.min))
    return np.asarray(p.truth.valid & (p.truth.without_double(k) | worn))


@says(
    "advice.zero",
    "instead",
    "Where the exact result is 0, rounding leaves a small number in its place: what helps is to "
    "take so small a result for 0.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not np.isneginf(p.truth.size(p.truth.root)).any():
        yield "the result is 0 nowhere"
    if _leaves_range(p, p.truth.root).any():
        yield "somewhere the result has no value in double precision"


@says(
    "advice.jump",
    "instead",
    "What helps: a higher precision for what <at:code> is given, or samples at which that is "
    "farther from a jump.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from somewhere(p, m["at"], lambda k: _decides_some(p, k))


def _decides_some(p: Page, k: int) -> Iterator[str]:
    if not (p.truth.may_move(k) > explained(p)).any():
        yield "no rounding decides its value and the result"


@says(
    "advice.samples",
    "instead",
    "What helps: samples at which the formula has a finite value other than 0.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if (np.isfinite(p.truth.size(p.truth.root)) & ~p.truth.any_singular).any():
        yield "there are such samples"
    if _zero_anyway(p)[p.truth.valid].all() and p.truth.valid.any():
        yield "the function is 0 everywhere: none has another value"
    if p.truth.valid.any() and not np.isneginf(p.truth.size(p.truth.root)[p.truth.valid]).any():
        yield "there are such samples"


def _zero_anyway(p: Page) -> np.ndarray:
    """Rows at which the function is 0 and no input moves it."""
    return np.asarray(np.isneginf(p.truth.size(p.truth.root)) & (p.truth.own2 == 1))


def _lost_by(p: Page, whose: str) -> bool:
    """Whether there are rows without a digit that the function, or else the writing, is to blame
    for."""
    own = np.isinf(p.truth.own2)
    if whose == "function":
        return bool((own | p.truth.follows).any())
    return bool((np.isinf(p.truth.q2) & ~own & ~_zero_anyway(p)).any())


def _helps(p: Page, m: Match) -> Iterator[str]:
    if bool(m["function"]) != _lost_by(p, "function"):
        yield "of the function"
    if bool(m["writing"]) != _lost_by(p, "writing"):
        yield "of the writing"


def _cures(where: str) -> str:
    """Both cures in a pattern, either of which may be missing."""
    return (
        f"⟦<function:inputs_known>⟦, or⟧⟦,⟧ samples away from {where}⟧⟦, ⟧"
        "⟦<writing:precision>, or another way to compute the same quantity⟧"
    )


KINDS["inputs_known"], KINDS["precision"] = "inputs known more exactly", "a higher precision"


@says(
    "advice.there",
    "instead",
    "What helps at the samples at which the result loses every digit or jumps: "
    f"{_cures('such points')}⟦; at the others nothing needs to be done⟧.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _helps(p, m)
    if not lost_by_result(p) <= 1 + 1e-6:
        yield f"the result loses {lost_by_result(p):.3f}"


@says(
    "advice.nowhere",
    "instead",
    f"What helps: {_cures('where the result is 0, jumps or turns steep')}.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _helps(p, m)
    if _compared(p).any():
        yield "at some samples digits of it are left"


@says(
    "advice.write_zero",
    "instead",
    "What helps: to write 0, for that is the function's value at [[these|the]]⟦ <n:int> of the⟧ "
    "samples⟦ that were looked at⟧ and beside them.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    zero = int(_zero_anyway(p)[p.truth.valid].sum())
    if m["n"] and not whole(m["n"]) <= zero:
        yield f"at {zero}"
    if not _zero_anyway(p)[p.truth.valid].all():
        yield "it is not 0 everywhere"


@says(
    "advice.stays_zero",
    "instead",
    "Nothing needs to be done: where the result loses every digit it is 0, and so it is right "
    "beside these samples.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    lost = p.truth.valid & np.isinf(p.truth.q2)
    if not lost.any() or not _zero_anyway(p)[lost].all() or p.truth.follows.any():
        yield f"it is 0 anyway at {_zero_anyway(p)[lost].sum()} of {lost.sum()}"


@says("advice.part", "instead", "What helps: search the part that loses most on its own.")
def _(p: Page, m: Match) -> Iterator[str]:
    if len(p.formula) <= 120:
        yield f"it has {len(p.formula)} nodes"


@says(
    "advice.nothing",
    "instead",
    "Nothing needs to be done.",
    claims=lambda p, m: [("something to mend in the result", 0, 0)],
)
def _(p: Page, m: Match) -> Iterator[str]:
    count = p.truth.count
    some = None if count <= 200 else [i * count // 150 for i in range(150)]
    error = DoubleError(p.formula, p, some)
    if error.failed or error.beyond or error.fewer:
        yield "somewhere double precision has no value of the result, or one of fewer digits"
    if not lost_by_result(p) <= 1 + 1e-6:
        yield f"the result loses {lost_by_result(p):.3f}"
    yield from _needs_nothing(p)


def _needs_nothing(p: Page) -> Iterator[str]:
    if (p.truth.singular(p.truth.root) | np.isinf(p.truth.q2) | p.truth.follows).any():
        yield "at some samples no digit of it is left, or it jumps"


@says(
    "advice.step",
    "instead",
    "The result does not feel that step: it needs a higher precision only where its value is "
    "used on its own.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not lost_by_result(p) <= 1 + 1e-6:
        yield f"the result loses {lost_by_result(p):.3f}"
    yield from _needs_nothing(p)


@says(
    "advice.shared",
    "instead",
    "Nothing needs to be done where copies of a number share their error, as in a program they do.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not lost_by_result(p) <= 1 + 1e-6:
        yield f"the result loses {lost_by_result(p):.3f}"
    if np.isinf(p.truth.q2[p.truth.valid]).any() or p.truth.follows.any():
        yield "at some samples no digit of it is left, or it jumps"
    if p.truth.singular(p.truth.root).any():
        return
    if p.truth.local_finite(p.truth.root) < np.nanmax(p.truth.locals_finite) - 1e-6:
        yield "the worst step is another"


@says(
    "advice.both",
    "instead",
    "What helps instead: inputs known more exactly, for <own:one> of the <q:one> digits are the "
    "function's own sensitivity; a higher precision, a series or a library function saves "
    "<rest:one> at most.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _q(p, decimal(m["q"]))
    if not holds(decimal(m["own"]), lost_by_function(p), 5e-3):
        yield f"the function itself loses {lost_by_function(p):.3f}"
    if not holds(decimal(m["rest"]), lost_by_result(p) - lost_by_function(p), 5e-3):
        yield f"the writing loses {lost_by_result(p) - lost_by_function(p):.3f}"


@says(
    "advice.inputs",
    "instead",
    "What helps instead: inputs known more exactly, samples away from where the result crosses 0 "
    "or turns steep, or asking for a quantity that is less sensitive; a higher precision helps "
    "only as far as the inputs are known.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if lost_by_result(p) > lost_by_function(p) + 0.3 + 5e-3:
        yield f"it loses {lost_by_result(p):.3f}, the function itself {lost_by_function(p):.3f}"


@says(
    "advice.precision",
    "instead",
    "What helps instead: a higher precision for this part (of its digits <q:one> are spent "
    "here), or another way to compute the same quantity, such as a series or a library function.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _q(p, decimal(m["q"]))
