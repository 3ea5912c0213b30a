"""The loss numbers that a page shows, each with its name and one sentence (ADR 0009)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core import wording
from eic_core.explain import phrases
from eic_core.explain.correlated import MeanOfFinite, class_sweep, class_tape
from eic_core.exports import Plain
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection, local_eic

WORST_STEP, RESULT, RESULT_SHARED = "worst_step", "result", "result_shared"

NAMES: Mapping[str, str] = {
    WORST_STEP: "Worst step (EIC)",
    RESULT: "Result, independent noise",
    RESULT_SHARED: "Result, shared noise",
}
"""The three losses by the names that every page gives them."""

MEANINGS: Mapping[str, str] = {
    WORST_STEP: "the most that any one step loses, itself or one inside, whether or not it reaches "
    "the result; every node has a noise of its own",
    RESULT: "what reaches the result; every node has a noise of its own, also two copies of one "
    "input",
    RESULT_SHARED: "what reaches the result in a program, where all copies of an input or of a "
    "sub-expression are wrong by the same",
}
"""What each of them is, without its number."""

STABLE, MODERATE, SEVERE, INFINITE, UNDEFINED = (
    "stable",
    "moderate",
    "severe",
    "infinite",
    "undefined",
)


@dataclass(frozen=True)
class Loss(Plain):
    key: str  # "worst_step", "result" or "result_shared"
    name: str
    digits: float  # inf where no digit is left at some sample; nan where there is no value
    digits_finite: float  # Without these samples; nan if none remain
    sentence: str  # What it is, and how large

    _JSON = ("key", "name", "digits", "digits_finite", "sentence")


def level_of(digits: float) -> str:
    """The level of a number of digits lost.

    >>> level_of(0.4), level_of(1.0), level_of(2.5), level_of(float("inf"))
    ('stable', 'moderate', 'severe', 'infinite')
    """
    if math.isnan(digits):
        return UNDEFINED
    if math.isinf(digits):
        return INFINITE
    return STABLE if digits < 1 else MODERATE if digits <= 2 else SEVERE


def paper_clause(eic: float) -> str:
    """Yu et al.'s words for an EIC: their thresholds 1 and 2 are about the worst step.

    >>> paper_clause(0.4)
    'EIC below 1, like a typical physical law'
    """
    return {
        STABLE: "EIC below 1, like a typical physical law",
        MODERATE: "EIC between 1 and 2, more than a typical physical law",
        SEVERE: "EIC above 2, where the paper's filter drops a formula",
        INFINITE: "EIC infinite: at some step and sample no digit is right, or it jumps",
        UNDEFINED: "EIC undefined: the formula has no usable value on these samples",
    }[level_of(eic)]


def has_copies(formula: Formula) -> bool:
    """Whether copies exist; only then do shared and independent noise differ."""
    return bool((np.bincount(class_tape(formula).slots) > 1).any())


LOOKED_AT = 100
"""Samples at which the two noises of a result are compared: half of them those of largest s."""

APART = 0.1
"""Digits by which they must differ to be told apart."""


def shared_noise_differs(inspection: Inspection) -> bool:
    """Whether shared noise changes the result's loss, judged by some rows.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [100.0, 200.0]})
    >>> [shared_noise_differs(inspect(read(text).formula, samples))
    ...  for text in ("exp(x)/exp(x)", "x*x", "10000*x - 9999*x", "exp(x)")]
    [True, True, False, False]
    """
    if not has_copies(inspection.formula):
        return False
    _, s = inspection.amplification.trace(inspection.formula.root.id)
    finite = np.flatnonzero(np.isfinite(s))
    if not len(finite):
        return False
    ranked = finite[np.argsort(-s[finite], kind="stable")]
    half = LOOKED_AT // 2
    rest = ranked[half:]
    rows = np.concatenate([ranked[:half], rest[:: max(1, -(-len(rest) // half))]])
    sums = MeanOfFinite()
    some, amplification = inspection.samples.take(rows), inspection.amplification
    for block in class_sweep(inspection.formula, some, amplification=amplification):
        sums.add(block.sum_of_squares(), block.ok)
    shared = sums.mean()
    apart = abs(local_eic(shared) - local_eic(float(np.mean(np.square(s[rows])))))
    return not apart < APART


def account_of_losses(
    inspection: Inspection, shared: float | None = None, shared_finite: float | None = None
) -> tuple[Loss, ...]:
    """The loss numbers of a formula: name, meaning and size.
    `shared` and `shared_finite` are the result's loss with shared noise, with and without the
    samples that keep no digit; without copies the loss with independent noise stands for them.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [2.99, 3.5, 4.0]})
    >>> for loss in account_of_losses(inspect(read("100 + (x - 3)").formula, samples)):
    ...     print(loss.name, round(loss.digits, 1))
    Worst step (EIC) 2.4
    Result, independent noise 0.1
    """
    worst, root = inspection.nodes[inspection.bottleneck], inspection.nodes[-1]
    at = phrases.code_text(inspection.formula, worst.node.id)
    if worst.node.id == root.node.id:
        at = "the result itself"
    at = "" if math.isnan(inspection.eic) else f", at {at}"
    others = ""
    if math.isinf(inspection.eic) and inspection.finite_bottleneck != inspection.bottleneck:
        others = f", at {phrases.code_text(inspection.formula, inspection.finite_bottleneck)}"
    found = [
        _loss(WORST_STEP, inspection.eic, inspection.eic_finite, at, others),
        _loss(RESULT, root.local_eic, root.local_eic_finite),
    ]
    if shared is not None:
        rest = shared if shared_finite is None else shared_finite
        found.append(_loss(RESULT_SHARED, shared, rest))
    return tuple(found)


def _loss(key: str, digits: float, rest: float, at: str = "", others: str = "") -> Loss:
    known = "not defined here" if math.isnan(digits) else amount(digits, rest)
    if others and math.isfinite(rest):  # another step loses most there
        known, at = f"infinite at some samples{at}, {loss_phrase(rest)} at the others", others
    sentence = f"{NAMES[key]}: {known}{at}. It is {MEANINGS[key]}."
    return Loss(key, NAMES[key], digits, rest, sentence)


def account_line(losses: Sequence[Loss]) -> str:
    """All loss numbers by their names, in one sentence.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> inspection = inspect(read("x*y").formula, Samples.from_columns({"x": [1.0], "y": [2.0]}))
    >>> account_line(account_of_losses(inspection))
    'Digits lost: worst step (EIC) 0.2 digits; result, independent noise 0.2 digits.'
    """
    said = [
        f"{loss.name[:1].lower()}{loss.name[1:]} {amount(loss.digits, loss.digits_finite)}"
        for loss in losses
    ]
    return f"Digits lost: {'; '.join(said)}."


def amount(digits: float, rest: float) -> str:
    """A number of digits; where infinite at some samples, with the loss of the others.

    >>> amount(2.3, 2.3), amount(math.inf, 0.4), amount(math.inf, math.nan)
    ('2.3 digits', 'infinite at some samples, 0.4 digits at the others', 'infinite')
    """
    if math.isinf(digits):
        others = f"{loss_phrase(rest)} at the others"
        return f"infinite at some samples, {others}" if math.isfinite(rest) else "infinite"
    return loss_phrase(digits)


def kept_phrase(digits: float) -> str:
    """The digits kept by a result that loses little.

    >>> kept_phrase(0.17), kept_phrase(0.02), kept_phrase(0.0)
    ('keeps all but 0.2 digits', 'keeps all but 0.02 digits', 'keeps every digit')
    >>> kept_phrase(0.991)
    'keeps all but 0.99 digits'
    """
    lost = loss_phrase(digits)
    return "keeps every digit" if lost == "no digit" else f"keeps all but {lost}"


def loss_phrase(digits: float) -> str:
    """A number of digits that no rounding moves across 1 or 2, where levels change.

    >>> print(*[loss_phrase(d) for d in (0.94, 0.991, 0.99996, 1.0, 1.02, 2.004)], sep=", ")
    0.9 digits, 0.99 digits, 0.99996 digits, 1.0 digits, 1.02 digits, 2.004 digits
    """
    for decimals in (0, 2, 3, 4, 5, 6):
        said = (
            f"{wording.number(digits, decimals)} digits"
            if decimals
            else (wording.digits_phrase(digits))
        )
        if not any(digits != mark == float(f"{digits:.{decimals or 1}f}") for mark in (1.0, 2.0)):
            return said
    return said
