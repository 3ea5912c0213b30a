"""The three losses in words (ADR 0009)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from eic_core import wording
from eic_core.explain.facts import LossSize
from eic_core.explain.phrases import code_text
from eic_core.formula.tree import Formula
from eic_core.phrasing import Phrase, say

NAMES: Mapping[str, str] = {
    "worst_step": str(say("Worst step (EIC)")),
    "result": str(say("Result, independent noise")),
    "result_shared": str(say("Result, shared noise")),
}
"""The three losses by the names that every page gives them."""

MEANINGS: Mapping[str, str] = {
    "worst_step": str(
        say(
            "the most digits by which errors grow up to any one step, whether or not it reaches "
            "the result; every node has a noise of its own"
        )
    ),
    "result": str(
        say(
            "what reaches the result; every node has a noise of its own, also two copies of one "
            "input"
        )
    ),
    "result_shared": str(
        say(
            "what reaches the result in a program, where all copies of an input or of a "
            "sub-expression are wrong by the same"
        )
    ),
}
"""What each of them is, without its number."""


NOTHING = 0.005
"""Digits below which a number of them is shown as none."""


def loss_sentence(formula: Formula, loss: LossSize) -> Phrase:
    """What a loss is, and how large."""
    name, meaning = NAMES[loss.key], MEANINGS[loss.key]
    if math.isnan(loss.digits):
        return say("{name}: not defined here. It is {meaning}.", name=name, meaning=meaning)
    if loss.node_id is None or loss.digits < NOTHING:
        size = amount(loss)
    elif loss.node_id_finite in (None, loss.node_id):
        step = _step(formula, loss.node_id)
        at = say("at") if math.isinf(loss.digits) else say("most of them at")
        size = say("{digits}, {at} {step}", digits=amount(loss), at=at, step=step)
    else:
        size = say(
            "infinite at some samples, at {step}, {digits} at the others, at {other}",
            step=_step(formula, loss.node_id),
            digits=wording.mean_phrase(loss.digits_finite),
            other=code_text(formula, loss.node_id_finite),
        )
    return say("{name}: {size}. It is {meaning}.", name=name, size=size, meaning=meaning)


def _step(formula: Formula, node_id: int) -> Phrase | str:
    is_result = node_id == len(formula) - 1
    return say("the result itself") if is_result else code_text(formula, node_id)


def account_line(losses: Iterable[LossSize]) -> Phrase:
    """All losses by their names, in one sentence.

    >>> print(account_line([LossSize("worst_step", 0.2, 0.2), LossSize("result", 0.2, 0.2)]))
    In the mean: Worst step (EIC) 0.20 digits; Result, independent noise 0.20 digits.
    """
    sizes = (say("{name} {size}", name=NAMES[loss.key], size=amount(loss)) for loss in losses)
    return say("In the mean: {sizes}.", sizes="; ".join(map(str, sizes)))


def amount(loss: LossSize) -> Phrase:
    """A number of digits; where infinite at some samples, with that of the others.

    >>> sizes = (2.3, 2.3), (math.inf, 0.4), (math.inf, math.nan)
    >>> print(*[amount(LossSize("result", *size)) for size in sizes], sep="; ")
    2.30 digits; infinite at some samples, 0.40 digits at the others; infinite
    """
    if not math.isinf(loss.digits):
        return Phrase(wording.mean_phrase(loss.digits))
    if math.isnan(loss.digits_finite):
        return say("infinite")
    return say(
        "infinite at some samples, {digits} at the others",
        digits=wording.mean_phrase(loss.digits_finite),
    )
