"""The verdict on a formula: the digits kept, and where and why digits are lost (ADR 0009)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from eic_core import wording
from eic_core.explain.bottleneck import origin_of_loss
from eic_core.explain.causes import (
    ACCUMULATED,
    INDISTINCT,
    LEAVES,
    MEET_AT_0,
    UNREDUCED,
    ExplainedLoss,
    explain_loss,
    missing_clause,
    singular_clause,
)
from eic_core.explain.created import noise_sums
from eic_core.explain.infinity import (
    JUMPS,
    LOSES,
    STEEP,
    Rows,
    Source,
    sources_of_infinity,
)
from eic_core.explain.losses import (
    INFINITE,
    MODERATE,
    SEVERE,
    STABLE,
    UNDEFINED,
    has_copies,
    kept_phrase,
    level_of,
    loss_phrase,
    paper_clause,
    shared_noise_differs,
)
from eic_core.explain.settling import unsettled_clause
from eic_core.formula.rendering import short_text
from eic_core.measure.double_range import DoubleRange, RangePlace, double_range
from eic_core.measure.following import Following, following
from eic_core.measure.inspection import Inspection, cached_on_inspection, local_eic
from eic_core.measure.jumps import Undecided, undecided
from eic_core.operators import OPERATORS, Operator

PARTLY_UNDEFINED = "partly-undefined"
OUT_OF_RANGE = "out-of-range"
RANGE_LOSS = "range-loss"
UNDECIDED = "undecided"

LEVELS: Mapping[str, str] = {
    STABLE: "The result loses less than 1 digit",
    MODERATE: "The result loses 1 to 2 digits",
    SEVERE: "The result loses more than 2 digits",
    PARTLY_UNDEFINED: "At some samples the formula has no real value",
    OUT_OF_RANGE: "At some samples double precision has no value of the result",
    RANGE_LOSS: "At some samples over- or underflow costs digits of the result",
    UNDECIDED: "At some samples a rounding decides the value of the result",
    INFINITE: "At some samples no digit of the result is right, or it jumps or is infinitely steep",
    UNDEFINED: "The formula has no usable value on these samples",
}
"""Levels of severity and what they say of the result."""

CALM = "Stable: "
"""What a sentence begins with where no step loses a digit and double precision does."""

WIDER = "With a wider range of exponents"
"""What the numbers are about where doubles have none: EIC is that of the exact values."""

MOST = 0.5
"""Where double precision has no value at so large a part of the samples, that leads."""

TEXT_LIMIT = 56
"""Characters of a sub-expression quoted in a sentence."""

DOUBLE_DIGITS = 15.95
"""Decimal digits of a double."""

LISTED = 3
"""How many places are named where samples have no value."""

TOLD_PLACES = 2
"""How many places are named where samples leave double range, or the real numbers."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a formula. Sub-expressions stand in backticks."""

    level: str  # A key of `LEVELS`; it is about the result
    sentence: str  # The verdict: a sentence, and a second one where samples leave double range
    cause: str  # The cause in a few words
    # Id of the node that the cause is about: the bottleneck, or the node below it from which it
    # inherits its loss
    origin: int
    notes: tuple[str, ...]  # Sentences that qualify it
    meaning: str  # What the level says of the result, and what Yu et al. say of such an EIC.

    @property
    def badge(self) -> str:
        return self.level.replace("-", " ")


@cached_on_inspection
def verdict(inspection: Inspection) -> Verdict:
    """Say in one sentence what a formula keeps and where it loses digits, and why.

    Parameters
    ----------
    inspection
        Its result is judged.

    Returns
    -------
    Verdict
        Sentence, level and cause.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> said = verdict(inspect(read("10000*x-9999*x").formula, samples))
    >>> said.sentence
    'The result loses 4.4 digits (EIC) at `10000·x − 9999·x`: the two terms cancel.'
    >>> said.level, said.cause
    ('severe', 'Cancellation in a difference')
    >>> samples = Samples.from_columns({"x": [2.99, 3.5, 4.0]})
    >>> said = verdict(inspect(read("100 + (x - 3.001)").formula, samples))
    >>> print(said.level, said.sentence.split(":")[0])
    stable The result keeps all but 0.1 digits; an inner step, `x − 3.001`, loses 2.3 (EIC)
    """
    missing = _missing(inspection)
    if math.isnan(inspection.eic):
        said = _undefined(inspection, missing)
    elif inspection.nodes[-1].singular:
        said = _infinite(inspection)
    elif len(following(inspection).rows):
        said = _following(inspection)
    else:
        said = _finite(inspection)
    if said.level != UNDEFINED:
        said = _with_rows_without_double(inspection, said)
        said = _with_underflow(inspection, said)
        said = _with_jumps(inspection, said)
        said = _with_unusable(inspection, said, missing)
        said = _with_undefined(inspection, said, missing)
    said = _with_left_out(inspection, said)
    meaning = f"{LEVELS[said.level]}; {paper_clause(inspection.eic)}"
    return Verdict(
        said.level, said.sentence, said.cause, said.origin, _notes(inspection, missing), meaning
    )


@dataclass(frozen=True)
class _Said:
    level: str
    sentence: str
    cause: str
    origin: int
    inside: str = ""
    """What of it is about a step inside alone."""

    @property
    def calm(self) -> bool:
        return self.level in (STABLE, MODERATE)

    @property
    def loss(self) -> str:
        return self.sentence.removeprefix(CALM)


def _with_rows_without_double(inspection: Inspection, said: _Said) -> _Said:
    found = double_range(inspection)
    if not found.count:
        return said
    told = range_sentence(inspection, found)
    ranged = found.count - found.rounded
    if (ranged and said.calm) or ranged >= MOST * found.rows:
        sentence = f"{told} {_wider(inspection)} {_uncapital(said.loss)}"
        return replace(said, level=OUT_OF_RANGE, cause="Beyond double range", sentence=sentence)
    sentence = f"{wording.capital(said.loss)} {told}"
    if not said.calm:
        return replace(said, sentence=sentence)
    return replace(said, level=OUT_OF_RANGE, cause="Rounded to no value", sentence=sentence)


def _wider(inspection: Inspection) -> str:
    return f"{WIDER}, and apart from a jump," if undecided(inspection).count else WIDER


def _with_underflow(inspection: Inspection, said: _Said) -> _Said:
    found = double_range(inspection)
    if not len(found.worn):
        return said
    told = worn_sentence(found)
    if not said.calm:
        return replace(said, sentence=f"{said.sentence} {told}")
    sentence = f"{told} {_wider(inspection)} {_uncapital(said.loss)}"
    return replace(said, level=RANGE_LOSS, cause="A value beyond double range", sentence=sentence)


def _with_jumps(inspection: Inspection, said: _Said) -> _Said:
    found = undecided(inspection)
    if not found.count:
        return said
    told = jump_sentence(inspection, found)
    if not said.calm:
        return replace(said, sentence=f"{said.sentence} {told}")
    rest = said.inside
    if found.count < found.checked:
        rest = f"Apart from that, {_uncapital(said.loss)}"
    sentence = f"{told} {rest}".rstrip()
    return replace(said, level=UNDECIDED, cause="A jump within the noise", sentence=sentence)


def _with_unusable(inspection: Inspection, said: _Said, missing: Sequence[_Missing]) -> _Said:
    told = _told_of_missing(inspection, [m for m in missing if m.kind == "usable"])
    if not told:
        return said
    if not said.calm or not double_range(inspection).unknown:
        return replace(said, sentence=f"{said.sentence} {told}")
    others = _at_the_others(inspection)
    sentence = f"{told} {others} {_uncapital(said.loss)}"
    return replace(said, level=OUT_OF_RANGE, cause="Rounded to no value", sentence=sentence)


def _with_undefined(inspection: Inspection, said: _Said, missing: Sequence[_Missing]) -> _Said:
    told = _told_of_missing(inspection, [m for m in missing if m.kind == "real"])
    if not told:
        return said
    if not said.calm:
        return replace(said, sentence=f"{said.sentence} {told}")
    sentence = f"{told} {_at_the_others(inspection)} {_uncapital(said.loss)}"
    return replace(said, level=PARTLY_UNDEFINED, cause="Outside the real domain", sentence=sentence)


def _at_the_others(inspection: Inspection) -> str:
    return "At the other sample" if inspection.counts.valid == 1 else "At the others"


def _told_of_missing(inspection: Inspection, failing: Sequence[_Missing]) -> str:
    if not failing:
        return ""
    told = (
        f"No {failing[0].kind} value at {sum(m.samples for m in failing):,} of "
        f"{wording.count(inspection.counts.total, 'sample')}"
    )
    if len(failing) == 1:
        return f"{told}, at {_text(inspection, failing[0].node_id)}: {failing[0].clause}."
    places = [
        f"{m.samples:,} at {_text(inspection, m.node_id)} ({m.clause})"
        for m in failing[:TOLD_PLACES]
    ]
    rest = sum(m.samples for m in failing[TOLD_PLACES:])
    return f"{told}: {wording.join([*places, f'{rest:,} elsewhere'] if rest else places)}."


def _with_left_out(inspection: Inspection, said: _Said) -> _Said:
    counts = inspection.counts
    if not counts.left_out:
        return said
    told = (
        f"Left out {'is' if counts.left_out == 1 else 'are'} {counts.left_out:,} of "
        f"{wording.count(counts.total, 'sample')} that double precision cannot tell: the exact "
        f"check ends after {counts.rechecked:,}."
    )
    return replace(said, sentence=f"{said.sentence} {told}")


def range_sentence(inspection: Inspection, found: DoubleRange) -> str:
    """The samples at which a program gets no value, the reason, and the exact part.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1e200, 1e300, 1.0]})
    >>> inspection = inspect(read("sqrt(x**2)").formula, samples)
    >>> range_sentence(inspection, double_range(inspection))
    'No double-precision value at 2 of 3 samples: `x²` overflows; the exact value is in range.'
    >>> inspection = inspect(read("1/(1-cos(x))").formula, Samples.from_columns({"x": [1e-9]}))
    >>> range_sentence(inspection, double_range(inspection)).split("; ")[0]
    'No double-precision value at 1 of 1 sample: `1 − cos(x)` is rounded to 0'
    """
    shown = found.places[:TOLD_PLACES]
    where = wording.join([_leaves_range(inspection, place) for place in shown])
    rest = found.count - sum(place.count for place in shown)
    if rest:
        where += f", and {rest:,} more elsewhere"
    exact = _exact_value(found)
    samples = wording.count(found.rows, "sample")
    if found.unknown:
        samples = f"the {found.rows - found.unknown:,} samples {CHECKED}"
    return f"No double-precision value at {found.count:,} of {samples}: {where}; {exact}."


def _exact_value(found: DoubleRange) -> str:
    held = found.in_range + found.fewer
    if found.beyond == found.count:
        return "the exact value is out of range, too"
    if not held and found.beyond:
        return f"the exact value is out of range, too, at {found.beyond:,} or more of them"
    if not held:
        return "what the exact value is, is not known"
    exact = "the exact value is in range"
    if held < found.count:
        more = "" if held + found.beyond == found.count else " or more"
        exact += f" at {held:,}{more} of them"
    if found.fewer == held:
        exact += ", with fewer digits"
    elif found.fewer:
        exact += f", with fewer digits at {found.fewer:,} of these"
    return exact


def worn_sentence(found: DoubleRange) -> str:
    """The digits that over- or underflow costs where a result has a value all the same.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [2e-162, 1.0], "y": [3e-162, 1.0]})
    >>> found = double_range(inspect(read("sqrt(x*x + y*y)").formula, samples))
    >>> worn_sentence(found)
    'Underflow costs 14.8 digits of the result at 1 of 2 samples.'
    """
    way = "Over- or underflow" if 0 < found.worn_overflows < len(found.worn) else "Underflow"
    if found.worn_overflows == len(found.worn):
        way = "Overflow"
    lost = wording.digits_phrase(found.worn_digits)
    at_most = "up to " if wording.digits_phrase(found.worn_fewest_digits) != lost else ""
    return (
        f"{way} costs {at_most}{lost} of the result at {len(found.worn):,} of "
        f"{wording.count(found.rows, 'sample')}."
    )


def jump_sentence(inspection: Inspection, found: Undecided) -> str:
    """The samples at which a rounding decides the result's value, where, and its move.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [2.3, 7.0]})
    >>> inspection = inspect(read("100 + sign((x + 1e16) - 1e16 - 2)").formula, samples)
    >>> jump_sentence(inspection, undecided(inspection)).partition(" at ")[2]
    '1 of 2 samples, and with it 14.0 digits of the result.'
    """
    first = found.jumps[0]
    lost = wording.digits_phrase(first.digits)
    at_most = "up to " if wording.digits_phrase(first.fewest_digits) != lost else ""
    more = found.count - first.count
    elsewhere = f"; other steps at {more:,} more" if more else ""
    who = "Over- or underflow" if first.by_range else "Rounding"
    return (
        f"{who} decides {_text(inspection, first.node)} at {first.count:,} of "
        f"{wording.count(found.checked, 'sample')}, and with it {at_most}{lost} of the result"
        f"{elsewhere}."
    )


def _leaves_range(inspection: Inspection, place: RangePlace) -> str:
    ways = []
    if place.overflows and place.underflows:
        ways.append("over- or underflows")
    elif place.overflows or place.underflows:
        ways.append("overflows" if place.overflows else "underflows")
    if place.zeros:
        ways.append("is rounded to 0")
    if place.outside:
        ways.append("is rounded out of the domain")
    return f"{_text(inspection, place.node)} {' or '.join(ways)}"


def _uncapital(text: str) -> str:
    return text[:1].lower() + text[1:]


def _text(inspection: Inspection, node_id: int, limit: int = TEXT_LIMIT) -> str:
    return f"`{short_text(inspection.formula, node_id, limit)}`"


@dataclass(frozen=True)
class _Step:
    place: str
    inherited: str
    clause: str
    label: str
    origin: int
    lost: str


def _worst_step(inspection: Inspection) -> _Step:
    bottleneck = inspection.bottleneck
    if math.isinf(inspection.eic):
        n = inspection.nodes[bottleneck]
        lost = f"every digit{_at_samples(inspection, bottleneck)} (EIC infinite)"
        label = _singular_label(inspection, bottleneck)
        clause = singular_clause(inspection, bottleneck)
        return _Step(_text(inspection, bottleneck), "", clause, label, n.node.id, lost)
    lost = f"{loss_phrase(inspection.eic).removesuffix(' digits')} (EIC)"
    limit = TEXT_LIMIT * 2 // 3
    found = explain_loss(inspection, bottleneck, limit)
    place = _text(inspection, bottleneck, TEXT_LIMIT if found.origin == bottleneck else limit)
    label = wording.capital(found.label)
    clause = found.clause + found.further
    return _Step(place, found.place, clause, label, found.origin, lost)


def _finite(inspection: Inspection) -> _Said:
    eic, bottleneck, root = inspection.eic, inspection.bottleneck, inspection.nodes[-1]
    result = root.local_eic
    level = level_of(result)
    if not root.node.children:
        sentence = "The result loses no digit: nothing is computed."
        return _Said(level, sentence, "Nothing is computed", bottleneck)
    if eic < LEAST:
        return _Said(
            level,
            f"{CALM}the result keeps every digit, and so does every step.",
            "No digit lost",
            bottleneck,
        )
    if eic < 1:
        # Below one digit no step deserves blame.
        return _Said(
            level,
            _stable_sentence(inspection),
            "Like a typical physical law",
            origin_of_loss(inspection, bottleneck),
        )
    step = _worst_step(inspection)
    if bottleneck == root.node.id:
        noise = " with independent noise" if shared_noise_differs(inspection) else ""
        sentence = (
            f"The result loses {loss_phrase(eic)}{noise} (EIC) at {step.place}"
            f"{step.inherited}: {step.clause}."
        )
        return _Said(level, sentence, step.label, step.origin)
    inside = f"An inner step, {step.place}, loses {step.lost}{step.inherited}: {step.clause}."
    if level == STABLE:
        said = kept_phrase(result) + _noise_named(inspection)
        label = f"{step.label}, {_how_hidden(inspection)} by the result"
        return _Said(level, f"The result {said}; {_uncapital(inside)}", label, step.origin, inside)
    said = f"loses {loss_phrase(result)}{_noise_named(inspection)}"
    label, origin = step.label, step.origin
    found = _cause_of_result(inspection, step)
    if found is not None:
        place = found.place.replace("in this step", "in its last step") or ", in its last step"
        said += f"{place}: {found.clause}{found.further}"
        label, origin = wording.capital(found.label), found.origin
    elif loss_phrase(result) == loss_phrase(eic):
        as_much = f"as does its worst step, {step.place} (EIC){step.inherited}: {step.clause}."
        return _Said(level, f"The result {said}, {as_much}", label, origin, inside)
    return _Said(level, f"The result {said}; {_uncapital(inside)}", label, origin, inside)


def _cause_of_result(inspection: Inspection, worst: _Step) -> ExplainedLoss | None:
    root = len(inspection.formula) - 1
    found = explain_loss(inspection, root, TEXT_LIMIT * 2 // 3)
    if found.label == ACCUMULATED.label or found.further or math.isinf(inspection.eic):
        return found
    return None if found.origin in (worst.origin, inspection.bottleneck) else found


SHOWS = 0.1
"""The part of the result's noise from which on a test of it would reveal the step that makes it."""


def _share_of_result(inspection: Inspection) -> float:
    worst, root = inspection.bottleneck, len(inspection.formula) - 1
    arrived = noise_sums(inspection, root).squares
    through = math.fsum(arrived[inspection.formula.first[worst] : worst + 1])
    return through / math.fsum(arrived)


def _how_hidden(inspection: Inspection) -> str:
    return "hidden" if _share_of_result(inspection) < 0.5 else "damped"


def _noise_named(inspection: Inspection, jump: int | None = None) -> str:
    """The kind of noise that a loss of the result is about, where two may differ."""
    formula = inspection.formula
    if jump is not None:
        row = OPERATORS[formula.nodes[jump].operator]
        slots = inspection.amplification.tape.slots
        if not row.numeric and slots.count(slots[jump]) == 1:
            formula = formula.subtree(formula.nodes[jump].children[0] if row.chooses else jump)
    return " with independent noise" if has_copies(formula) else ""


CHECKED = "that were checked"
"""Said of the samples of which enough digits are known."""

LEAST = 0.005
"""Digits below which a number of digits is shown as none."""


def _stable_sentence(inspection: Inspection) -> str:
    lost, worst = map(loss_phrase, (inspection.nodes[-1].local_eic, inspection.eic))
    place = _text(inspection, inspection.bottleneck)
    said = f"{CALM}the result loses {lost}"
    if shared_noise_differs(inspection):
        said += " with independent noise"
    if lost == worst:
        if inspection.eic < inspection.nodes[-1].local_eic + LEAST:
            return f"{said}, and no step inside loses more."
        return f"{said}, the worst step inside, {place}, hardly more (EIC)."
    return f"{said}, the worst step inside, {place}, {worst} (EIC)."


def _infinite(inspection: Inspection) -> _Said:
    sources = sources_of_infinity(inspection)
    told, steep = sources.of(LOSES, JUMPS), sources.of(STEEP)
    if not told:
        return _steep(inspection, steep)
    does = [_what_it_does(inspection, source, rows) for source, rows in told]
    lead = _at_one_step([found for found, verb in zip(told, does, strict=True) if verb == does[0]])
    others = [found for found, verb in zip(told, does, strict=True) if verb != does[0]]
    origin, rows = lead[0]
    clause = singular_clause(inspection, origin.node, rows)
    if does[0] == IT_JUMPS:
        costs = _costs(following(inspection), rows, origin.node)
        clause = f"{clause}, and an error there, however small, costs {costs}"
    apart = sum(len(found) for _, found in (*others, *steep))
    where = _at_samples(inspection, inspection.formula.root.id, apart)
    rest = _elsewhere(inspection, where)
    at = _at_first(inspection, lead, where)
    if len(lead) > 1:
        rest = re.sub("at the other(s| one)", "elsewhere", rest)
    if more := _followed(inspection):
        rest = f"; at {len(following(inspection).rows):,} more{more}{rest}"
    for found, verb in ((steep, IS_STEEP), (others, next((d for d in does if d != does[0]), ""))):
        if found:
            count, first = sum(len(part) for _, part in found), found[0][0].node
            mostly = "mostly at" if len(found) > 1 else "at"
            rest = f"; at {count:,} more it {verb}, {mostly} {_text(inspection, first)}{rest}"
    noise = _noise_named(inspection, origin.node)
    sentence = f"The result {does[0]}{noise}{where} (EIC infinite){at}: {clause}{rest}."
    return _Said(INFINITE, sentence, _singular_label(inspection, origin.node, rows), origin.node)


def _at_one_step(found: Sequence[tuple[Source, Rows]]) -> list[tuple[Source, Rows]]:
    rows: dict[int, tuple[Source, Rows]] = {}
    for source, more in found:
        known = rows.get(source.node)
        rows[source.node] = (
            (source, more) if known is None else (known[0], np.union1d(known[1], more))
        )
    return sorted(rows.values(), key=lambda pair: -len(pair[1]))


IT_LOSES, IT_JUMPS, IS_STEEP = "loses every digit", "jumps", "is infinitely steep"
"""What a result does where no multiple of an error bounds its own."""


def _what_it_does(inspection: Inspection, source: Source, rows: Rows) -> str:
    keeps = source.kind == JUMPS and following(inspection).keeps_some(rows, source.node)
    return IT_JUMPS if keeps else IT_LOSES


def _costs(found: Following, rows: Rows, step: int | None = None) -> str:
    least, most = map(wording.digits_phrase, found.digits(rows, step))
    return most if least == most else f"up to {most}"


def _is_jump(row: Operator) -> bool:
    return row.jumps or not row.numeric


def _followed(inspection: Inspection) -> str:
    """The step that the result follows where its own amplification is finite; "" if none."""
    found = following(inspection)
    if not len(found.rows):
        return ""
    return f", where it follows {_text(inspection, found.node)}, {_costs(found, found.rows)}"


def _following(inspection: Inspection) -> _Said:
    found, valid = following(inspection), inspection.counts.valid
    count, step = len(found.rows), found.node
    where = "" if count == valid else f" at {count:,} of {wording.count(valid, 'sample')}"
    rest = _elsewhere(inspection, where)
    sentence = (
        f"The result loses {_costs(found, found.rows)}{_noise_named(inspection, step)}{where}, "
        f"where it follows {_text(inspection, step)} (EIC infinite): "
        f"{singular_clause(inspection, step)}{rest}."
    )
    return _Said(INFINITE, sentence, _singular_label(inspection, step), step)


def _elsewhere(inspection: Inspection, where: str) -> str:
    finite = inspection.nodes[-1].local_eic_finite
    followed = following(inspection).rows.tolist()
    _, s = inspection.amplification.trace(inspection.formula.root.id)
    others = np.delete(s, followed)
    others = others[np.isfinite(others)]
    if followed:
        finite = local_eic(float(np.mean(np.square(others)))) if len(others) else math.nan
    if not where or where.endswith(CHECKED) or math.isnan(finite):
        return ""
    there = "at the other one" if len(others) == 1 else "at the others"
    return f"; {there} it loses {wording.digits_phrase(finite)}"


def _at_first(inspection: Inspection, sources: Sequence[tuple[Source, Rows]], where: str) -> str:
    (source, rows), *others = sources
    place = _text(inspection, source.node)
    if not others:
        return f" at {place}"
    of = "of them" if where else f"of {wording.count(inspection.counts.valid, 'sample')}"
    return f", at {len(rows):,} {of} because of {place}"


def _steep(inspection: Inspection, steep: Sequence[tuple[Source, Rows]]) -> _Said:
    where = _at_samples(inspection, inspection.nodes[-1].node.id)
    source, _ = steep[0]
    noise, at = _noise_named(inspection, source.node), _at_first(inspection, steep, where)
    sentence = (
        f"The result {IS_STEEP}{noise}{where} (EIC infinite){at}: {NOT_IN_PROPORTION}"
        f"{_elsewhere(inspection, where)}."
    )
    return _Said(INFINITE, sentence, "Infinitely steep", source.node)


NOT_IN_PROPORTION = "an error there, however small, is not passed on in proportion"


def _singular_label(inspection: Inspection, node_id: int, rows: Rows | None = None) -> str:
    row = OPERATORS[inspection.nodes[node_id].node.operator]
    if _is_jump(row):
        clause = singular_clause(inspection, node_id, rows)
        return "A zero" if f"where {MEET_AT_0}" in clause else "A jump"
    words = row.words
    return wording.capital(
        f"cancellation in a {words.noun}" if words.cancels else "a singular point"
    )


def _at_samples(inspection: Inspection, node_id: int, steep: int = 0) -> str:
    """The samples at which a node keeps no digit (`steep` ones apart); "" if all."""
    valid, unresolved = inspection.counts.valid, inspection.counts.left_out
    lost = inspection.nodes[node_id].singular - steep
    if lost == valid:
        return f" at all {valid:,} samples {CHECKED}" if unresolved else ""
    if unresolved:
        return f" at {lost:,} of the {valid:,} samples {CHECKED}"
    return f" at {lost:,} of {valid:,} samples"


def _undefined(inspection: Inspection, missing: Sequence[_Missing]) -> _Said:
    worst = max(inspection.nodes, key=lambda n: (n.invalid, n.node.id))
    total = inspection.counts.total
    place = _text(inspection, worst.node.id)
    clause = missing_clause(inspection, worst.node.id)
    kinds = {m.kind for m in missing}
    value = f"{kinds.pop() if len(kinds) == 1 else 'usable'} value"
    if total == 1:
        sentence = f"Undefined: the sample has no {value} at {place}: {clause}."
    elif worst.invalid == total:
        sentence = f"Undefined: no sample has a {value} at {place}: {clause}."
    else:
        sentence = (
            f"Undefined: no sample has a {value}; {worst.invalid:,} of {total:,} fail at {place}: "
            f"{clause}."
        )
    cause = "Outside the real domain" if "real" in value else "Out of range"
    return _Said(UNDEFINED, sentence, cause, worst.node.id)


def _kind_of_value(clause: str) -> str:
    return "usable" if any(why in clause for why in (UNREDUCED, LEAVES, INDISTINCT)) else "real"


def _notes(inspection: Inspection, missing: Sequence[_Missing]) -> tuple[str, ...]:
    notes: list[str] = []
    counts = inspection.counts
    if counts.valid:
        notes += _without_singular(inspection)
        notes += _beyond_first_order(inspection)
        notes += _hidden(inspection)
        notes += _tail(inspection)
        notes += _invalid(inspection, missing)
        notes += _branch(inspection)
    if DOUBLE_DIGITS < inspection.eic < math.inf:
        notes.append("EIC is above the 16 digits that double precision has.")
    if counts.rechecked:
        settled = "was" if counts.rechecked == 1 else "were"
        notes.append(
            f"{wording.count(counts.rechecked, 'sample')} {settled} settled exactly, in case "
            "double precision cannot tell."
        )
    return tuple(notes)


def _branch(inspection: Inspection) -> list[str]:
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
    if math.isnan(rest) or inspection.finite_bottleneck == inspection.nodes[-1].node.id:
        return []
    where = _text(inspection, inspection.finite_bottleneck)
    return [
        f"Without the samples at which a step keeps no digit EIC is {wording.number(rest, 1)}, "
        f"at {where}."
    ]


def _beyond_first_order(inspection: Inspection) -> list[str]:
    found = following(inspection)
    if not len(found.rows):
        return []
    return [
        f"EIC is of first order, by which the result would keep its digits at "
        f"{wording.count(len(found.rows), 'sample')} where it follows "
        f"{_text(inspection, found.node)}: what it loses there was found by moving that step by a "
        "rounding."
    ]


def _hidden(inspection: Inspection) -> list[str]:
    bottleneck, root = inspection.nodes[inspection.bottleneck], inspection.nodes[-1]
    if math.isinf(root.local_eic) or not root.local_eic <= bottleneck.local_eic - 1:
        return []
    found = double_range(inspection)
    if found.count or len(found.worn) or undecided(inspection).count:
        return []
    if len(following(inspection).rows):
        return []
    if level_of(root.local_eic) != STABLE or not _share_of_result(inspection) < SHOWS:
        return []
    return [
        "The result hides it: a test of its output would not reveal "
        f"{_text(inspection, bottleneck.node.id)}."
    ]


def _tail(inspection: Inspection) -> list[str]:
    why = unsettled_clause(inspection)
    lead = f"The mean is not settled at N = {inspection.counts.total:,}: "
    return [f"{lead}{why}."] if why else []


def _invalid(inspection: Inspection, missing: Sequence[_Missing]) -> list[str]:
    total = inspection.counts.total
    notes = []
    for m in missing[:LISTED]:
        have, are = ("has", "is") if m.samples == 1 else ("have", "are")
        notes.append(
            f"{m.samples:,} of {total:,} samples {have} no {m.kind} value at "
            f"{_text(inspection, m.node_id)} and {are} left out: {m.clause}."
        )
    if len(missing) > LISTED:
        rest = sum(m.samples for m in missing[LISTED:])
        notes.append(f"{rest:,} more have no real value elsewhere.")
    return notes


class _Missing(NamedTuple):
    node_id: int
    samples: int
    clause: str

    @property
    def kind(self) -> str:
        return _kind_of_value(self.clause)


def _missing(inspection: Inspection) -> list[_Missing]:
    """The nodes at which samples first lack a value, the most samples first; not the unsettled."""
    unsettled = inspection.amplification.unsettled_at
    counts = {n.node.id: n.invalid - unsettled.get(n.node.id, 0) for n in inspection.nodes}
    failing = sorted((k for k, count in counts.items() if count), key=lambda k: -counts[k])
    return [_Missing(k, counts[k], missing_clause(inspection, k)) for k in failing]
