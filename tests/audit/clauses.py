"""Templates of clauses: why a step loses digits, keeps none, or has no value.

A clause stands in a sentence of the verdict; each counts as a template of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import numpy as np

from eic_core.samples import Samples
from tests.audit.oracle import Truth, half_log10
from tests.audit.page import Page, numbers
from tests.audit.printed import about, compiled, significant
from tests.audit.sentences import Match

Clause = Callable[[Page, Match, int], Iterable[str]]
CAUSES: list[tuple[str, object, Clause]] = []
SINGULAR: list[tuple[str, object, Clause]] = []
INVALID: list[tuple[str, object, Clause]] = []


def clause(table: list[tuple[str, object, Clause]], name: str, template: str):
    """Enter a clause into one of the tables of clauses."""

    def enter(check: Clause) -> Clause:
        table.append((name, compiled(template), check))
        return check

    return enter


def weights(truth: Truth, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of finite s at a node, and what part of E[s^2] each carries."""
    s2 = truth.s2[k]
    if truth.focus is not None:
        s2 = np.where(np.isfinite(s2), truth.s2[truth.focus], math.nan)
    rows = np.flatnonzero(np.isfinite(s2))
    if not len(rows):
        return rows, np.empty(0)
    w = s2[rows] / s2[rows].max()
    return rows, w / w.sum()


def typical(values: np.ndarray, w: np.ndarray) -> float:
    """The weighted median of what is known; the middle of the two where it lies between."""
    known = ~np.isnan(values)
    if not known.any():
        return math.nan
    order = np.argsort(values[known], kind="stable")
    sums = np.cumsum(w[known][order])
    return float(values[known][order][int(np.searchsorted(sums, 0.5 * sums[-1]))])


FIRED: list[str] = []
"""Names of the clauses that were used, which are templates of their own."""


def told(table: list[tuple[str, object, Clause]], p: Page, k: int, text: str) -> Iterator[str]:
    found = [
        (name, match, check)
        for name, pattern, check in table
        if (match := pattern.match(text)) is not None  # type: ignore[attr-defined]
    ]
    if len(found) != 1:
        yield f"{len(found)} templates for the clause: {text}"
        return
    name, match, check = found[0]
    FIRED.append(name)
    try:
        yield from check(p, match, k)
    except (ValueError, LookupError) as error:  # the wrong kind of node
        yield f"the check failed: {error!r}"


# --- causes ---

NOUNS = {
    "add": "sum",
    "sub": "difference",
    "mul": "product",
    "div": "quotient",
    "power": "power",
    "pow": "power",
    "sqrt": "root",
    "cbrt": "root",
    "root": "root",
    "exp": "exponential",
    "expm1": "exponential",
    "log": "logarithm",
    "log1p": "logarithm",
    "sin": "sine",
    "cos": "cosine",
    "tan": "tangent",
    "cot": "cotangent",
}
"""What the result of an operator is called; others are steps."""


def _operands(p: Page, k: int) -> list[np.ndarray]:
    return [p.truth.value(c) for c in p.formula.nodes[k].children]


def _all_kept(p: Page, k: int) -> np.ndarray:
    """How much of the two terms is left at each row."""
    sizes = np.array([p.truth.size(c) for c in p.formula.nodes[k].children])
    with np.errstate(all="ignore"):
        top = sizes.max(axis=0)
        return np.asarray(10.0 ** (p.truth.size(k) - top) / (10.0 ** (sizes - top)).sum(axis=0))


def _kept(p: Page, k: int) -> tuple[float, float]:
    """How much of the two terms is left: where digits are lost, and at the median row."""
    if p.formula.nodes[k].operator not in ("add", "sub"):
        return math.nan, math.nan
    ratio = _all_kept(p, k)
    rows, w = weights(p.truth, k)
    return typical(ratio[rows], w), float(np.nanmedian(ratio[rows]))


def _cancels(p: Page, k: int, most: float) -> Iterator[str]:
    where, median = _kept(p, k)
    if not where < 0.5:
        yield f"{where:.3g} of the terms is left where digits are lost"
    if not median < most:
        yield f"{median:.3g} of the terms is left at the median row"


@clause(CAUSES, "cause.cancel", "the two terms cancel")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _cancels(p, k, 0.1 + 1e-6)


@clause(CAUSES, "cause.cancel_crossing", "the two terms cancel where the <noun:word> crosses zero")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _cancels(p, k, math.inf)
    if NOUNS.get(p.formula.nodes[k].operator) != m["noun"]:
        yield f"it is a {p.formula.nodes[k].operator}"
    yield from crosses_zero(p, k, grows=True)


@clause(CAUSES, "cause.cancel_nearly", "the two terms nearly cancel⟦ at <some:word> samples⟧")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _cancels(p, k, math.inf)
    kept = _all_kept(p, k)
    if bool(m["some"]) == (np.nanmax(kept) < 0.5 - 1e-6) and abs(np.nanmax(kept) - 0.5) > 1e-3:
        yield f"{np.nanmin(kept):.3g} to {np.nanmax(kept):.3g} of the terms is left"


@clause(CAUSES, "cause.zero_term", "one of the two terms is 0 and only brings its error")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    rows, w = weights(p.truth, k)
    none = np.any([values[rows] == 0 for values in _operands(p, k)], axis=0)
    if not w[none].sum() > 0.5 * w.sum():
        yield f"a term is 0 with {w[none].sum() / w.sum():.3g} of the weight"


@clause(
    CAUSES,
    "cause.zero_given",
    "[[what it is given|its base|its exponent|operand 1|operand 2]] is 0 there and only brings "
    "its error",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    rows, w = weights(p.truth, k)
    operands = _operands(p, k)
    which = 1 if "exponent" in m[0] or "operand 2" in m[0] else 0
    none = operands[which][rows] == 0
    if ("what" in m[0]) is not (len(operands) == 1) or not w[none].sum() > 0.5 * w.sum():
        yield f"its operand is 0 with {w[none].sum() / w.sum():.3g} of the weight"


@clause(CAUSES, "cause.nobody", "it adds up over the steps below, and no single one stands out")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    return iter(())  # what was made where is held to it already


@clause(CAUSES, "cause.beyond", "what it is given cannot be computed in double precision at all")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    children = p.formula.nodes[k].children
    if not any((p.truth.without_double(c) | ~p.truth.valid).all() for c in children):
        yield "double precision has a value for each operand at some row"


PERIODS = {
    "sin": 2 * math.pi,
    "cos": 2 * math.pi,
    "sec": 2 * math.pi,
    "csc": 2 * math.pi,
    "tan": math.pi,
    "cot": math.pi,
}


def _name(p: Page, k: int, name: str) -> Iterator[str]:
    if p.formula.nodes[k].operator != name:
        yield f"the node is a {p.formula.nodes[k].operator}"


def _pole_distance(name: str, x: np.ndarray) -> np.ndarray:
    trough = {"tan": np.cos, "sec": np.cos, "cot": np.sin, "csc": np.sin}.get(name)
    return np.full(len(x), np.inf) if trough is None else np.abs(trough(x))


def _zero_distance(name: str, x: np.ndarray) -> np.ndarray:
    crest = {"sin": np.sin, "tan": np.sin, "cos": np.cos, "cot": np.cos}.get(name)
    return np.full(len(x), np.inf) if crest is None else np.abs(crest(x))


@clause(CAUSES, "cause.pole", "it comes close to a pole of `<f:word>`")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _name(p, k, m["f"])
    rows, w = weights(p.truth, k)
    (x,) = _operands(p, k)
    near = typical(_pole_distance(m["f"], x[rows]), w)
    if not near < 0.75:
        yield f"typically {near:.3g} from a pole where digits are lost"


@clause(
    CAUSES,
    "cause.zero",
    "it comes close to a zero of `<f:word>`⟦, at a large argument (up to <big:num>)⟧",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _name(p, k, m["f"])
    rows, w = weights(p.truth, k)
    (x,) = _operands(p, k)
    near = typical(_zero_distance(m["f"], x[rows]), w)
    if not near < 0.75:
        yield f"typically {near:.3g} from a zero where digits are lost"
    if m["big"] and not about(significant(m["big"]), float(np.max(np.abs(x[rows])))):
        yield f"the largest argument is {np.max(np.abs(x[rows])):.4g}"


@clause(CAUSES, "cause.zero_pole", "it comes close to zeros and poles of `<f:word>`")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _name(p, k, m["f"])
    rows, w = weights(p.truth, k)
    (x,) = _operands(p, k)
    both = np.minimum(_zero_distance(m["f"], x[rows]), _pole_distance(m["f"], x[rows]))
    near = typical(both, w)
    if not near < 0.75:
        yield f"typically {near:.3g} from a zero or a pole where digits are lost"


@clause(
    CAUSES,
    "cause.large_angle",
    "its argument is large (up to <big:num>) for a function of period <period:any>",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    name = p.formula.nodes[k].operator
    period = {"2π": 2 * math.pi, "π": math.pi}.get(m["period"])
    if PERIODS.get(name) != period:
        yield f"the period of {name} is {PERIODS.get(name)}"
    rows, w = weights(p.truth, k)
    (x,) = _operands(p, k)
    largest = float(np.max(np.abs(x[rows][np.isfinite(x[rows])]), initial=0.0))
    if not about(significant(m["big"]), largest):
        yield f"the largest argument is {largest:.4g}"
    if not typical(np.abs(x[rows]), w) > math.pi / 2:
        yield f"typically the argument is {typical(np.abs(x[rows]), w):.3g}"
    steep = np.minimum(_zero_distance(name, x[rows]), _pole_distance(name, x[rows]))
    nearer = float(w[steep * np.abs(x[rows]) < 0.5].sum() / w.sum())
    if nearer > 0.6:
        yield f"at {nearer:.0%} of the loss a zero or a pole does more than the size"


@clause(
    CAUSES,
    "cause.growth",
    "the <what:any> of a large number (up to <big:num>) magnifies its relative error",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    name = p.formula.nodes[k].operator
    known = {"exponential": ("exp", "expm1"), "hyperbolic function": ("sinh", "cosh", "tanh")}
    if name not in known.get(m["what"], ()):
        yield f"the node is a {name}"
    rows, w = weights(p.truth, k)
    (x,) = _operands(p, k)
    if not typical(np.abs(x[rows]), w) >= 1 - 1e-9:
        yield f"typically the number is {typical(np.abs(x[rows]), w):.3g}"
    if not about(significant(m["big"]), float(np.max(np.abs(x[rows])))):
        yield f"the largest is {np.max(np.abs(x[rows])):.4g}"


@clause(CAUSES, "cause.power", "the power multiplies the relative error by <n:num>")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    node = p.formula.nodes[k]
    if node.operator != "power" or not about(significant(m["n"]), abs(float(node.parameter or 0))):
        yield f"the node is a {node.operator} {node.parameter}"


@clause(CAUSES, "cause.power_about", "the power multiplies the relative error by about <n:num>")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if p.formula.nodes[k].operator != "pow":
        yield f"the node is a {p.formula.nodes[k].operator}"
        return
    rows, w = weights(p.truth, k)
    exponents = np.abs(_operands(p, k)[1][rows])
    exponent = typical(exponents, w)
    order = np.argsort(exponents)
    parts = np.cumsum(w[order])
    low, high = (exponents[order][np.searchsorted(parts, q * parts[-1])] for q in (0.05, 0.95))
    told_low, told_high = significant(m["n"])
    if not (0.9 * low <= told_high and told_low <= 1.1 * high):
        yield f"typically the exponent is {exponent:.4g}"


@clause(CAUSES, "cause.exponent", "an error in the exponent counts exponent × ln(base) times")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if p.formula.nodes[k].operator != "pow":
        yield f"the node is a {p.formula.nodes[k].operator}"
        return
    rows, w = weights(p.truth, k)
    base, exponent = (v[rows] for v in _operands(p, k))
    with np.errstate(all="ignore"):
        counted = typical(np.abs(exponent * np.log(base)), w)
    if not counted >= 1 - 1e-6:
        yield f"it counts {counted:.3g} times"


@clause(CAUSES, "cause.log", "its argument comes close to 1, where the logarithm is 0")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _name(p, k, "log")
    rows, w = weights(p.truth, k)
    (x,) = _operands(p, k)
    with np.errstate(all="ignore"):
        near = typical(np.abs(np.log(x[rows])), w)
    if not near < 1:
        yield f"typically ln is {near:.3g}"


@clause(CAUSES, "cause.log1p", "its argument comes close to −1")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _name(p, k, "log1p")
    rows, w = weights(p.truth, k)
    (x,) = _operands(p, k)
    if not typical(np.abs(1 + x[rows]), w) < 0.5:
        yield "it does not"


@clause(CAUSES, "cause.end", "the argument of `<f:word>` comes close to <end:any>")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _name(p, k, m["f"])
    rows, w = weights(p.truth, k)
    (x,) = _operands(p, k)
    ends = {"±1": (1.0, -1.0), "1": (1.0,), "−1": (-1.0,)}[m["end"]]
    distance = np.min([np.abs(x[rows] - end) for end in ends], axis=0)
    if not typical(distance, w) < 0.5:
        yield f"typically {typical(distance, w):.3g} away"


@clause(
    CAUSES,
    "cause.steep",
    "it multiplies the relative error of [[its operand|operand 1|operand 2|operand 3]] by "
    "about <n:num>",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    rows, w = weights(p.truth, k)
    children = p.formula.nodes[k].children
    which = {"operand 2": 1, "operand 3": 2}.get(m[0].split(" of ")[1].split(" by ")[0], 0)
    gains = np.abs(p.truth.gains(k)[children[which]][rows])
    if not about(significant(m["n"]), typical(gains, w), 0.1):
        yield f"typically by {typical(gains, w):.4g}"


@clause(CAUSES, "cause.plain", "it amplifies what it is given about <n:times>")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    rows, w = weights(p.truth, k)
    below = [p.truth.s2[c][rows] for c in p.formula.nodes[k].children]
    gain = np.sqrt(p.truth.s2[k][rows] / np.max(below, axis=0))
    mean = 10 ** float(np.average(np.log10(gain), weights=w))
    if not about(significant(m["n"]), mean, 0.25):
        yield f"on average {mean:.3g} times"


# --- why no digit is left ---


def _given_rows(p: Page, k: int) -> np.ndarray:
    """At which samples an operand has no digit left."""
    given = [p.truth.singular(c) for c in p.formula.nodes[k].children]
    return np.any(given, axis=0) if given else np.zeros_like(p.truth.singular(k))


def _lost_rows(p: Page, k: int) -> np.ndarray:
    """The samples at which the node itself leaves no digit; all lost ones if it never does."""
    lost = p.truth.singular(k)
    made = lost & ~_given_rows(p, k)
    return np.flatnonzero(made if made.any() else lost)


OR_GIVEN = ", or what it is given has no digit left"


def told_of_lost(p: Page, k: int, text: str) -> Iterator[str]:
    """A clause of `SINGULAR`; where only some samples are the node's own, it says so."""
    given, lost = _given_rows(p, k), p.truth.singular(k)
    if text.endswith(OR_GIVEN):
        FIRED.append("singular.or_given")
        if not (lost & given).any() or not (lost & ~given).any():
            yield "not both happen"
        text = text.removesuffix(OR_GIVEN)
    elif (lost & given).any() and (lost & ~given).any():
        yield "at some samples an operand has no digit left, at others it has"
    yield from told(SINGULAR, p, k, text)


def _zero_there(p: Page, k: int) -> np.ndarray:
    return np.isneginf(p.truth.size(k)[_lost_rows(p, k)])


def _exactly(p: Page, k: int, operators: Iterable[str]) -> Iterator[str]:
    if p.formula.nodes[k].operator not in operators:
        yield f"the node is a {p.formula.nodes[k].operator}"
    if not _zero_there(p, k).all():
        yield "its value is not 0 at each of them"
    yield from _made_here(p, k)


def _made_here(p: Page, k: int) -> Iterator[str]:
    rows = _lost_rows(p, k)
    given = [p.truth.singular(c)[rows] for c in p.formula.nodes[k].children]
    if given and np.any(given, axis=0).all():
        yield "an operand has no digit left at each of them"


@clause(SINGULAR, "singular.cancel", "the two terms cancel exactly")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _exactly(p, k, ("add", "sub"))


@clause(SINGULAR, "singular.cancel_nearly", "the two terms cancel in more than 30 digits")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if p.formula.nodes[k].operator not in ("add", "sub") or _zero_there(p, k).any():
        yield "they cancel exactly at some, or it is no sum"


@clause(
    SINGULAR,
    "singular.cancel_both",
    "the two terms cancel exactly, or the two terms cancel in more than 30 digits",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    zero = _zero_there(p, k)
    if p.formula.nodes[k].operator not in ("add", "sub") or zero.all() or not zero.any():
        yield "not both happen"


@clause(SINGULAR, "singular.given", "what it is given has no digit left")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    rows = _lost_rows(p, k)
    given = [p.truth.singular(c)[rows] for c in p.formula.nodes[k].children]
    if not np.any(given, axis=0).all():
        yield "at some sample each operand has digits left"


@clause(SINGULAR, "singular.log", "its argument is exactly 1")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _exactly(p, k, ("log",))


@clause(SINGULAR, "singular.log_nearly", "its argument agrees with 1 in more than 30 digits")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if p.formula.nodes[k].operator != "log" or _zero_there(p, k).any():
        yield "it is exactly 1 at some"


@clause(SINGULAR, "singular.angle", "its argument lies exactly on a zero⟦ or a <pole:word>⟧")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _exactly(p, k, PERIODS)
    if bool(m["pole"]) == (p.formula.nodes[k].operator in ("sin", "cos")):
        yield "a sine and a cosine have no pole, other functions do"


@clause(
    SINGULAR,
    "singular.angle_nearly",
    "its argument agrees with a zero⟦ or a <pole:word>⟧ in more than 30 digits",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if p.formula.nodes[k].operator not in PERIODS or _zero_there(p, k).any():
        yield "it lies on one exactly, or the node is no periodic function"


@clause(
    SINGULAR, "singular.no_angle", "its argument is so large that no digit of the angle is left"
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    x = p.truth.size(p.formula.nodes[k].children[0])[_lost_rows(p, k)]
    if p.formula.nodes[k].operator not in PERIODS or not np.max(x) > 15:
        yield f"its argument is 10^{np.max(x):.1f} at most"


@clause(SINGULAR, "singular.jump", "its argument lies exactly on a jump")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if p.formula.nodes[k].operator not in ("sign", "floor", "ceil", "round"):
        yield f"the node is a {p.formula.nodes[k].operator}"


@clause(
    SINGULAR,
    "singular.jump_nearly",
    "⟦its argument lies exactly on a jump, or ⟧its argument agrees with a jump in more than 30 "
    "digits",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if p.formula.nodes[k].operator not in ("sign", "floor", "ceil", "round"):
        yield f"the node is a {p.formula.nodes[k].operator}"


@clause(
    SINGULAR,
    "singular.end_nearly",
    "⟦its argument is at the end of its domain, or ⟧its argument agrees with the end of its domain "
    "in more than 30 digits",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if p.formula.nodes[k].operator not in ("asin", "acos", "acosh", "atanh"):
        yield f"the node is a {p.formula.nodes[k].operator}"


@clause(SINGULAR, "singular.end", "its argument is at the end of its domain")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    x = np.abs(p.truth.value(p.formula.nodes[k].children[0])[_lost_rows(p, k)])
    if p.formula.nodes[k].operator not in ("asin", "acos", "acosh", "atanh") or np.any(x != 1):
        yield f"its argument is {numbers(x)}"


@clause(SINGULAR, "singular.cut", "its argument lies exactly on the cut")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _name(p, k, "atan2")


@clause(SINGULAR, "singular.zero", "its value is 0 there, so that no digit of it is right")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if not _zero_there(p, k).all():
        yield "its value is not 0 at each of them"


@clause(SINGULAR, "singular.much", "the losses up to it add up to more than 30 digits")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    if _zero_there(p, k).any():
        yield "its value is 0 at some"


@clause(SINGULAR, "singular.power", "its base or its exponent leaves no digit right")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _name(p, k, "pow")


# --- why there is no value ---


LARGE = "exp sinh cosh power pow mul expm1 div add sub"


def _outside(name: str, template: str, operators: str) -> None:
    def check(p: Page, m: Match, k: int) -> Iterator[str]:
        if p.formula.nodes[k].operator not in operators.split():
            yield f"the node is a {p.formula.nodes[k].operator}"

    clause(INVALID, name, template)(check)


for _n, _t, _o in (
    ("invalid.div", "division by zero", "div"),
    (
        "invalid.pow",
        "with an inexact exponent a negative base has no real power, nor has 0 unless "
        "the exponent is positive",
        "pow",
    ),
    ("invalid.sqrt", "the argument of a square root must not be negative", "sqrt"),
    ("invalid.root", "the argument of an even root must not be negative", "root"),
    ("invalid.log", "the argument of a logarithm must be positive", "log"),
    ("invalid.log1p", "its argument must be greater than −1", "log1p"),
    ("invalid.acosh", "its argument must be at least 1", "acosh"),
    ("invalid.atanh", "its argument must lie strictly between −1 and 1", "atanh"),
    ("invalid.asin", "its argument must lie between −1 and 1", "asin acos"),
    ("invalid.atan2", "at the origin there is no angle", "atan2"),
    ("invalid.pole", "a sample lies on a pole", "tan cot sec csc"),
    ("invalid.range", "⟦<other:any>, or ⟧its value leaves every range of numbers", LARGE),
):
    _outside(_n, _t, _o)


@clause(INVALID, "invalid.base.zero", "the base is 0, and the exponent is negative")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _base(p, k, whole=True, negative_exponent=True)


@clause(INVALID, "invalid.base.negative", "the base is negative, and the exponent is not whole")
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _base(p, k, whole=False, negative_exponent=False)


@clause(
    INVALID,
    "invalid.base.both",
    "the base must be positive, for the exponent is neither whole nor positive",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    yield from _base(p, k, whole=False, negative_exponent=True)


def _base(p: Page, k: int, *, whole: bool, negative_exponent: bool) -> Iterator[str]:
    node = p.formula.nodes[k]
    if node.operator != "power":
        yield f"the node is a {node.operator}"
        return
    exponent = Fraction(node.parameter or 0)
    if (exponent.denominator == 1) is not whole or (exponent < 0) is not negative_exponent:
        yield f"the exponent is {exponent}"
    base = p.truth.doubles[node.children[0]][p.truth.bad == k]
    allowed = base == 0 if whole else base < 0 if not negative_exponent else base <= 0
    if not allowed.all():
        yield f"the base is {numbers(base)}"


@clause(
    INVALID,
    "invalid.indistinct",
    "⟦<other:any>, or ⟧at 60 digits what it is given cannot be told from where it has no value",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    """The oracle has more digits, and a value at some row."""
    if (p.truth.bad == k).all():
        yield "it has no value at any row"


@clause(
    INVALID,
    "invalid.unreduced",
    "⟦a sample lies on a pole, or ⟧its argument is too large to be reduced",
)
def _(p: Page, m: Match, k: int) -> Iterator[str]:
    """Beyond 3,000 digits before the point."""
    node = p.formula.nodes[k]
    if node.operator not in PERIODS:
        yield f"the node is a {node.operator}"
    if not any(
        row.too_large for row, bad in zip(p.truth.rows, p.truth.bad, strict=True) if bad == k
    ):
        yield "it can be reduced at each"


# --- signs ---


def crosses_zero(
    p: Page, k: int, *, grows: bool = False, words: str = "crosses zero"
) -> Iterator[str]:
    """Whether a node is 0 (or has a pole) between its rows, and does not only jump there.

    Parameters
    ----------
    p : Page
    k : int
    grows : bool
        Whether its amplification must grow without limit on the way there.
    words : str
        What it is said to do.
    """
    y = p.truth.value(k)
    node = p.formula.nodes[k]
    if node.operator in PERIODS and np.nanmax(p.truth.size(node.children[0])) > 10:
        return  # doubles hardly tell one period from the next
    if node.operator in ("sin", "tan", "cot", "csc"):
        with np.errstate(invalid="ignore"):
            turned = y * np.sign(p.truth.value(node.children[0]))
        if np.nanmin(turned) < 0 < np.nanmax(turned) and not np.nanmin(y) < 0 < np.nanmax(y):
            return  # between the rows its argument changes sign, too
    if not (np.nanmin(y) < 0 < np.nanmax(y)):
        yield "its values have one sign"
        return
    found = [kind for kind, _, _ in p.truth.along(k)]
    if not set(found) - {"gap", "unknown"}:
        return
    wanted = {kind for kind in ("zero", "pole") if kind in words} or {"jump", "pole", "zero"}
    if "zero" in wanted and np.isneginf(p.truth.size(k)).any():
        return  # at a sample itself
    if words != "changes its sign" and not wanted <= set(found):
        found += [kind for kind, _, _ in p.truth.along(k, every=True)]
    if words != "changes its sign" and not wanted <= set(found):
        yield f"between its rows of opposite sign lies: {', '.join(sorted(set(found)))}"
    elif grows and not any(
        _grows(p, k, zero, away)
        for every in (False, True)
        for kind, zero, away in p.truth.along(k, every=every)
        if kind in wanted
    ):
        yield "its amplification stays finite on the way to its zero"


def _grows(p: Page, k: int, zero: dict[str, float], away: dict[str, float]) -> bool:
    """Whether s rises without limit on the way from a row to a zero."""
    found = []
    for step in (1.0, 1e-3, 1e-6, 1e-9):
        columns = {v: [x + (away[v] - x) * step] for v, x in zero.items()}
        there = Truth(p.formula.subtree(k), Samples.from_columns(columns))
        found.append(half_log10(float(there.s2[-1][0])))
    known = [v for v in found if not math.isnan(v)]
    return bool(known) and (math.isinf(known[-1]) or known[-1] > known[0] + 2)
