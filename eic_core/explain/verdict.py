"""The verdict on a formula: one plain sentence on where it loses digits, and what qualifies it.

Numbers are rounded here, in the sentences, and nowhere before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from eic_core import wording
from eic_core.explain.bottleneck import origin_of_loss
from eic_core.explain.causes import finite_cause, gather_evidence, invalid_clause, singular_clause
from eic_core.formula.rendering import short_text
from eic_core.measure.inspection import Inspection
from eic_core.operators import OPERATORS

STABLE, MODERATE, SEVERE, INFINITE, UNDEFINED = (
    "stable", "moderate", "severe", "infinite", "undefined",
)  # fmt: skip

LEVELS: Mapping[str, str] = {
    STABLE: "EIC below 1, like a typical physical law",
    MODERATE: "EIC between 1 and 2, more than a typical physical law",
    SEVERE: "EIC above 2, where the paper's filter drops a formula",
    INFINITE: "EIC infinite: somewhere no digit is right",
    UNDEFINED: "EIC undefined: the formula has no real value on these samples",
}
"""Levels of severity and what they mean (thresholds 1 and 2: Yu et al.)."""

TEXT_LIMIT = 56
"""Characters of a sub-expression quoted in a sentence."""

DOUBLE_DIGITS = 15.95
"""Decimal digits of a double."""

LISTED = 3
"""How many places are named where samples have no value."""


@dataclass(frozen=True)
class Verdict:
    """What to say about a formula.  Sub-expressions stand in backticks.

    Attributes
    ----------
    level : str
        A key of `LEVELS`.
    sentence : str
        The verdict, one sentence.
    cause : str
        The cause in a few words.
    origin : int
        Id of the node that the cause is about: the bottleneck, or the node
        below it from which it inherits its loss.
    notes : tuple of str
        Sentences that qualify it.
    """

    level: str
    sentence: str
    cause: str
    origin: int
    notes: tuple[str, ...]


def verdict(inspection: Inspection) -> Verdict:
    """Say in one sentence where a formula loses its digits, and why.

    It is said once, and kept for as long as the inspection lives.

    Parameters
    ----------
    inspection : Inspection

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> said = verdict(inspect(read("10000*x-9999*x").formula, samples))
    >>> said.sentence
    'Loses 4.4 of your digits at `10000·x − 9999·x`: the two terms cancel.'
    >>> said.level, said.cause
    ('severe', 'Cancellation in a difference')
    """
    known = _SAID.get(inspection)
    if known is None:
        known = _SAID[inspection] = _verdict(inspection)
    return known


_SAID: WeakKeyDictionary[Inspection, Verdict] = WeakKeyDictionary()


def _verdict(inspection: Inspection) -> Verdict:
    eic = inspection.eic
    if math.isnan(eic):
        return _undefined(inspection)
    if math.isinf(eic):
        return _infinite(inspection)
    return _finite(inspection)


def level_of(eic: float) -> str:
    """The level of an EIC.

    Examples
    --------
    >>> level_of(0.4), level_of(1.0), level_of(2.5), level_of(float("inf"))
    ('stable', 'moderate', 'severe', 'infinite')
    """
    if math.isnan(eic):
        return UNDEFINED
    if math.isinf(eic):
        return INFINITE
    return STABLE if eic < 1 else MODERATE if eic <= 2 else SEVERE


def _text(inspection: Inspection, node_id: int, limit: int = TEXT_LIMIT) -> str:
    return f"`{short_text(inspection.formula, node_id, limit)}`"


def _finite(inspection: Inspection) -> Verdict:
    eic, bottleneck = inspection.eic, inspection.bottleneck
    level = level_of(eic)
    origin = origin_of_loss(inspection, bottleneck)
    if not inspection.nodes[bottleneck].node.children:
        return Verdict(
            level, "Loses no digits: nothing is computed.", "Nothing is computed", bottleneck,
            _notes(inspection),
        )  # fmt: skip
    place = _text(inspection, bottleneck)
    if level == STABLE:
        # Below one digit no step deserves blame.
        sentence = f"Stable: loses {wording.digits_phrase(eic)} at most, at {place}."
        return Verdict(level, sentence, "Like a typical physical law", origin, _notes(inspection))
    cause = finite_cause(gather_evidence(inspection, origin))
    at = f"at {place}"
    if origin != bottleneck:
        limit = TEXT_LIMIT * 2 // 3
        at = f"at {_text(inspection, bottleneck, limit)}, "
        at += f"inherited from {_text(inspection, origin, limit)}"
    sentence = f"Loses {eic:.1f} of your digits {at}: {cause.clause}."
    return Verdict(level, sentence, wording.capital(cause.label), origin, _notes(inspection))


def _infinite(inspection: Inspection) -> Verdict:
    n = inspection.nodes[inspection.bottleneck]
    valid = inspection.counts.valid
    place = _text(inspection, n.node.id)
    clause = singular_clause(inspection, n.node.id)
    if n.singular == valid:
        sentence = f"Loses every digit at {place}: {clause}."
    else:
        sentence = (
            f"Loses every digit at {place} for {n.singular:,} of {valid:,} samples: {clause}."
        )
    words = OPERATORS[n.node.operator].words
    label = f"cancellation in a {words.noun}" if words.cancels else "a singular point"
    label = label if OPERATORS[n.node.operator].numeric else "a jump"
    return Verdict(INFINITE, sentence, wording.capital(label), n.node.id, _notes(inspection))


def _undefined(inspection: Inspection) -> Verdict:
    worst = max(inspection.nodes, key=lambda n: (n.invalid, n.node.id))
    total = inspection.counts.total
    place = _text(inspection, worst.node.id)
    clause = invalid_clause(worst.node)
    because = f": {clause}" if clause else ": it leaves every range of numbers"
    if total == 1:
        sentence = f"Undefined: the sample has no real value at {place}{because}."
    elif worst.invalid == total:
        sentence = f"Undefined: no sample has a real value at {place}{because}."
    else:
        sentence = f"Undefined: no sample has a real value, most of them fail at {place}{because}."
    cause = "Outside the real domain" if clause else "Out of range"
    return Verdict(UNDEFINED, sentence, cause, worst.node.id, _notes(inspection))


def _notes(inspection: Inspection) -> tuple[str, ...]:
    notes: list[str] = []
    if inspection.counts.valid:
        notes += _without_singular(inspection)
        notes += _masked(inspection)
        notes += _tail(inspection)
        notes += _invalid(inspection)
        notes += _branch(inspection)
    counts = inspection.counts
    if DOUBLE_DIGITS < inspection.eic < math.inf:
        notes.append("That is more than the 16 digits that double precision has.")
    if counts.unresolved:
        notes.append(
            f"{wording.count(counts.unresolved, 'sample')} needed a check at 60 digits that was "
            "not made: "
            "take the last digits with care."
        )
    if counts.rechecked:
        settled = "was" if counts.rechecked == 1 else "were"
        notes.append(
            f"{wording.count(counts.rechecked, 'sample')} {settled} settled at 60 digits, beyond "
            "what double "
            "precision can tell."
        )
    return tuple(notes)


def _branch(inspection: Inspection) -> list[str]:
    """At how few samples the bottleneck is evaluated, if it stands in a branch."""
    node_id = inspection.bottleneck
    evaluated, valid = inspection.nodes[node_id].evaluated, inspection.counts.valid
    if not 0 < evaluated < valid:
        return []
    return [
        f"{_text(inspection, node_id)} stands in a branch that is taken at {evaluated:,} of "
        f"{valid:,} samples; its loss is the mean over these."
    ]


def _without_singular(inspection: Inspection) -> list[str]:
    if not math.isinf(inspection.eic):
        return []
    rest = inspection.eic_finite
    if math.isnan(rest):
        return []
    where = _text(inspection, inspection.finite_bottleneck)
    return [f"Without the singular samples it loses {wording.digits_phrase(rest)}, at {where}."]


def _masked(inspection: Inspection) -> list[str]:
    bottleneck = inspection.nodes[inspection.bottleneck]
    root = inspection.nodes[-1]
    if math.isinf(root.local_eic) or not root.local_eic <= bottleneck.local_eic - 1:
        return []
    if level_of(root.local_eic) != STABLE:
        return [
            f"Only a part reaches the result: the whole formula shows a loss of "
            f"{wording.digits_phrase(root.local_eic)}."
        ]
    shown = wording.digits_phrase(root.local_eic)
    loss = f"a loss of only {shown}" if root.local_eic >= 0.005 else "no loss"
    return [
        f"The result hides it: the whole formula shows {loss}, "
        f"so a test of its output would not reveal {_text(inspection, bottleneck.node.id)}."
    ]


def _tail(inspection: Inspection) -> list[str]:
    tail = inspection.tail
    if tail is None or not tail.divergent:
        return []
    lead = f"The mean is not settled at N = {inspection.counts.total:,}: "
    if tail.crossings:
        k = max(
            tail.crossings,
            key=lambda j: (_known(inspection.nodes[j].local_eic_finite), -j),
        )
        return [lead + f"EIC grows with N because {_text(inspection, k)} crosses zero."]
    share = (
        ""
        if math.isnan(tail.top1_share)
        else f" ({wording.percent(tail.top1_share)} from the worst 1 %)"
    )
    return [lead + f"a few samples carry most of it{share}, and more of them would raise EIC."]


def _known(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _invalid(inspection: Inspection) -> list[str]:
    failing = [n for n in inspection.nodes if n.invalid]
    failing.sort(key=lambda n: -n.invalid)
    total = inspection.counts.total
    beyond = "its value leaves the range of double precision"
    notes = []
    for n in failing[:LISTED]:
        clause = invalid_clause(n.node)
        if inspection.counts.unresolved or not clause:
            clause = f"{clause}, or {beyond}" if clause else beyond
        have, are = ("has", "is") if n.invalid == 1 else ("have", "are")
        kind = "usable" if beyond in clause else "real"
        notes.append(
            f"{n.invalid:,} of {total:,} samples {have} no {kind} value at "
            f"{_text(inspection, n.node.id)} and {are} left out: {clause}."
        )
    if len(failing) > LISTED:
        rest = sum(n.invalid for n in failing[LISTED:])
        notes.append(f"{rest:,} more have no real value elsewhere.")
    return notes
