"""The results of `repair`: the better forms, their steps and verification, and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from eic_core import wording
from eic_core.explain.correlated import CorrelatedAmplification
from eic_core.exports import Plain
from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.observed import ObservedError
from eic_core.operators.wide import Array
from eic_core.rewriting.verify import Verification
from eic_core.samples import Samples

SMALL = 1.0
"""Digits that any formula of a few operations loses: nothing to mend."""

NEAR = 0.3
"""Digits within which a formula counts as being as good as the function allows."""

NEGLIGIBLE = 1e-6
"""What is so small beside the largest result can be taken for 0."""


MORE = 0.5
"""Digits by which one row must lose more, or fewer, to be counted: two roundings differ by less."""


SCATTER, RMS_SCATTER = 0.05, 0.1
"""Digits by which two forms differ in the mean over the rows, and in the root mean square of their
errors, for nothing but the luck of roundings."""

DOUBLE_GAIN = 0.5
"""Digits that a form must keep more at a row, in the mean, to be worth some rows that get worse."""


@dataclass(frozen=True)
class RowComparison(Plain):
    rows: int  # Rows compared: the worst of the formula among them
    # mean_before, mean_after: mean over them of the digits lost; all 16 where there is no value
    mean_before: float
    mean_after: float
    # fewer, more: rows at which the new form loses half a digit less, or more
    fewer: int
    more: int
    # Digits that it loses more at the row where that is worst; 0 if there is none
    largest_rise: float
    rms_rise: float  # By how many digits the root mean square error of the new form is larger

    _JSON = ("rows", "mean_before", "mean_after", "fewer", "more", "largest_rise", "rms_rise")

    @property
    def is_worse(self) -> bool:
        """Whether a program loses more with the new form: in the mean, or more often more than
        less, or if the root mean square error is larger and the mean loss hardly smaller.
        """
        fewer = self.mean_before - self.mean_after
        return (
            fewer < -SCATTER
            or self.more > self.fewer
            or (fewer < DOUBLE_GAIN and self.rms_rise > RMS_SCATTER)
        )

    @classmethod
    def of(cls, before: Array, after: Array) -> RowComparison:
        """The comparison of the digits lost at each row; nan where nothing can be compared.

        >>> found = RowComparison.of(np.array([3.0, 0, 1, np.nan]), np.array([0, 0.2, 2, 0]))
        >>> found.rows, found.fewer, found.more, found.largest_rise
        (3, 1, 1, 1.0)
        """
        known = ~np.isnan(before) & ~np.isnan(after)
        before, after = before[known], after[known]
        if not len(before):
            return cls(0, 0.0, 0.0, 0, 0, 0.0, 0.0)
        rise = after - before
        return cls(
            len(rise),
            float(np.mean(before)),
            float(np.mean(after)),
            int(np.count_nonzero(rise <= -MORE)),
            int(np.count_nonzero(rise >= MORE)),
            max(0.0, float(np.max(rise))),
            _rms_digits(after) - _rms_digits(before),
        )


def _rms_digits(lost: Array) -> float:
    return 0.5 * float(np.log10(np.mean(np.power(10.0, 2 * lost))))


@dataclass(frozen=True)
class RowParts:
    """The rows that the numbers are about, to follow a name: " at 150 of 320 rows", or ""."""

    noise: str = ""  # EIC and q
    double: str = ""  # What is measured in double precision

    @classmethod
    def of(cls, noise: int, double: int, total: int) -> RowParts:
        """The parts of all rows on which noise and double precision are measured.

        >>> RowParts.of(320, 150, 320)
        RowParts(noise='', double=' at 150 of 320 rows')
        """
        of_all = f"of {wording.count(total, 'row')}"
        said = ["" if part == total else f" at {part:,} {of_all}" for part in (noise, double)]
        return cls(*said)


ALL_ROWS = RowParts()


def repair_sentence(
    text: str,
    rules: Sequence[str],
    before: Measured,
    after: Measured,
    compared: RowComparison,
    parts: RowParts = ALL_ROWS,
) -> str:
    """The new form in Python, its rules without repetition, its gain, and any greater loss."""
    reasons = ", then ".join(dict.fromkeys(rules))
    effects = [_double_change(before.float64, after.float64, parts.double)]
    at_root, inside = before.q - after.q, before.eic - after.eic
    regained = _fewer(before.float64.digits_lost, after.float64.digits_lost)
    valued = before.float64.failed - after.float64.failed
    no_gain = max(regained, at_root) < SHOWN and not valued
    fewer = wording.lost_phrase(after.q)
    if at_root >= SHOWN and fewer != wording.lost_phrase(before.q):
        effects.append(
            f"with shared noise{parts.noise} the result loses {fewer} "
            f"instead of {before.q:.1f}{_of_the_others_before(before, after)}"
        )
    gone = math.isnan(before.eic) and not math.isnan(after.eic)
    if gone or (no_gain and inside >= SHOWN) or inside >= max(SHOWN, at_root + MORE):
        was = "every digit" if gone else f"{before.eic:.1f}"
        effects.append(
            f"the worst step (EIC) loses {wording.lost_phrase(after.eic)} instead of {was}"
            f"{_of_other_rows(after) if gone else _of_other_rows(before, after)}"
        )
    if len(effects) == 1 and no_gain and compared.fewer:
        effects.append(
            f"at {compared.fewer:,} of {wording.count(compared.rows, 'row')} compared it loses less"
        )
    if compared.more:
        effects.append(
            f"at {compared.more:,} of {wording.count(compared.rows, 'row')} compared it loses "
            f"more, by up to {compared.largest_rise:.1f} digits"
        )
    return f"Write `{text}` ({reasons}): {'; '.join(effects)}."


def is_worth_offering(before: Measured, after: Measured, compared: RowComparison) -> bool:
    was, now = before.float64, after.float64
    if now.failed < was.failed:
        return True
    if round(now.digits_lost, 1) > round(was.digits_lost, 1):
        return False
    gone = math.isnan(before.eic) and not math.isnan(after.eic)
    kept = before.amplification.singular > after.amplification.singular
    return (
        gone
        or kept
        or bool(compared.fewer)
        or max(
            _fewer(was.digits_lost, now.digits_lost),
            _fewer(before.q, after.q),
            _fewer(before.eic, after.eic),
        )
        >= SHOWN
    )


def _fewer(before: float, after: float) -> float:
    return 0.0 if math.isnan(before) or math.isnan(after) else before - after


_AS_BEFORE = ", as before"


def _of_the_others(form: Measured) -> str:
    """The clause that a number of the result's digits leaves rows out; "" if it does not."""
    rows = form.amplification.singular
    return f" (not counting {wording.count(rows, 'row')} at which it keeps none)" if rows else ""


def _of_the_others_before(before: Measured, after: Measured) -> str:
    old, new = before.amplification.singular, after.amplification.singular
    if old == new:
        return _of_the_others(before)
    still = f", and {new:,} at which it does now" if new else ""
    return f" (which left out {wording.count(old, 'row')} at which it kept none{still})"


def _of_other_rows(*forms: Measured) -> str:
    if any(math.isinf(form.amplification.eic) for form in forms):
        return " (not counting rows at which a step keeps none)"
    return ""


SHOWN = 0.05
"""A change in digits that is worth a word."""


def _double_change(before: ObservedError, after: ObservedError, part: str = "") -> str:
    """The measured change in double precision, at a part of the rows.

    >>> from functools import partial
    >>> error = partial(ObservedError, "float64", worst=1.0, rows=100)
    >>> _double_change(error(rms=1.0, failed=0), error(rms=0.0, failed=0))
    'measured in float64 it loses no digit instead of 16.0'
    >>> _double_change(error(rms=0.0, failed=0), error(rms=0.0, failed=0))
    'measured in float64 it loses no digit, as before'
    >>> _double_change(error(rms=1.2e-16, failed=0), error(rms=0.0, failed=0))
    'measured in float64 it loses no digit instead of hardly any'
    >>> _double_change(error(rms=1.0, failed=3), error(rms=0.0, failed=0))
    'measured in float64 it has a value at 100 of 100 rows instead of 97'
    """
    lead = f"measured in float64{part} it"
    if not after.rows or not before.rows:
        return f"{lead} {_beyond(after)}"
    if after.failed or before.failed:
        was = "" if after.failed == before.failed else f"{before.rows - before.failed:,}"
        said = f"has a value at {_values_at(after)}"
    else:
        now, was = (wording.lost_phrase(e.digits_lost) for e in (after, before))
        shown = wording.number(before.digits_lost, 1)
        was = "" if now == was else "hardly any" if was.startswith("hardly") else shown
        said = f"loses {now}"
    change = f" instead of {was}" if was else _AS_BEFORE
    return f"{lead} {said}{change}{_and_beyond(after)}"


def _values_at(error: ObservedError) -> str:
    return f"{error.rows - error.failed:,} of {wording.count(error.rows, 'row')}"


def double_clause(error: ObservedError, part: str = "") -> str:
    """The measured loss in double precision at a part of the rows, as a clause about "it".

    >>> double_clause(ObservedError("float64", 1e-16, 1e-16, 2, 100))
    'measured in float64 it has a value at 98 of 100 rows'
    >>> double_clause(ObservedError("float64", 1.0, 1.0, 0, 100))
    'measured in float64 it loses 16.0 digits'
    >>> double_clause(ObservedError("float64", 1.0, 1.0, 0, 100), " at 100 of 400 rows")
    'measured in float64 at 100 of 400 rows it loses 16.0 digits'
    """
    if not error.rows:
        return f"measured in float64{part} it {_beyond(error)}"
    said = (
        f"has a value at {_values_at(error)}"
        if error.failed
        else (f"loses {wording.lost_phrase(error.digits_lost)}")
    )
    return f"measured in float64{part} it {said}{_and_beyond(error)}"


def _beyond(error: ObservedError) -> str:
    """Rows whose exact result is beyond the normal doubles, as a clause.

    >>> _beyond(ObservedError("float64", 0.0, 0.0, 0, 10, out_of_range=3, fewer=1))
    'can hold the exact result only with fewer digits at 1 row, and cannot hold it at 3 rows'
    """
    if not error.out_of_range and not error.fewer:
        return "has no row to compare"
    rows = [wording.count(count, "row") for count in (error.fewer, error.out_of_range)]
    if not error.fewer:
        return f"cannot hold the exact result at {rows[1]}"
    fewer = f"can hold the exact result only with fewer digits at {rows[0]}"
    return f"{fewer}, and cannot hold it at {rows[1]}" if error.out_of_range else fewer


def _and_beyond(error: ObservedError) -> str:
    if not error.out_of_range and not error.fewer:
        return ""
    both = error.out_of_range and error.fewer
    return f", {_beyond(error)}" if both else f", and {_beyond(error)}"


def no_repair_sentence(
    before: Measured, own: float, finished: bool, others: int, parts: RowParts = ALL_ROWS
) -> str:
    """The reason why there is no repair. `own` is the loss of the function itself; `finished` is
    False if the time limit ended the search; `others` counts the other forms tried.
    """
    q = before.q
    if not finished:
        return "Nothing better found before the time limit."
    lead = "Nothing better found " + (
        f"among {wording.count(others, 'other form')}" if others else "(no other form came up)"
    )
    if math.isnan(q):
        return f"{lead}: with shared noise the result keeps no digit at any sample."
    noise = f"with shared noise{parts.noise}{_of_the_others(before)}"
    if q <= SMALL:
        lost = f"with shared noise{parts.noise} the result loses {wording.lost_phrase(q)}"
        lost += _of_the_others(before)
    elif q <= own + NEAR:
        lost = (
            f"{min(own, q):.1f} of the {q:.1f} digits that the result loses {noise} are the "
            "function's own sensitivity to errors of its inputs"
        )
    else:
        lost = (
            f"{q - own:.1f} of the {q:.1f} digits that the result loses {noise} are lost to the "
            "writing"
        )
    said = [lost, double_clause(before.float64, parts.double)]
    if before.eic > q + 1:
        said.append(
            f"the worst step (EIC) loses {wording.lost_phrase(before.eic)}{_of_other_rows(before)}"
        )
    return f"{lead}: {'; '.join(said)}."


def unfinished_search_sentence(evaluated: int, found_better: bool) -> str:
    """The clause about a search that met its time limit after `evaluated` forms.

    >>> unfinished_search_sentence(1, False)
    'The search was cut short by its time limit after 1 form: there may be a better one.'
    >>> unfinished_search_sentence(9, True)
    'The search was cut short by its time limit after 9 forms: there may be a still better one.'
    """
    forms = wording.count(evaluated, "form")
    better = "a still better one" if found_better else "a better one"
    return f"The search was cut short by its time limit after {forms}: there may be {better}."


@dataclass(frozen=True)
class LostRows:
    """The measured rows at which the result keeps no digit, by who is to blame for it."""

    # The function is 0, jumps or is infinitely steep, or it follows a step that keeps no digit
    function: int = 0
    nothing: int = 0  # The function is 0 and no input moves it
    writing: int = 0  # It is another's fault, as far as that was looked at
    unsettled: int = 0  # It was not looked at

    def helps(self, where: str) -> str:
        """The advice where the function itself loses digits at samples away from `where`; "" if
        none.
        """
        found = []
        if self.function:
            found += ["inputs known more exactly", f"samples away from {where}"]
        if self.writing or (self.unsettled and not self.function and not self.nothing):
            found += ["a higher precision", "another way to compute the same quantity"]
        return f"{', '.join(found[:-1])}, or {found[-1]}" if found else ""


def advice_sentence(
    before: Measured, own: float, jump: str = "", lost: LostRows = LostRows()
) -> str:
    """The advice where no other form is better.
    `own` is the loss of the function itself; `jump`, in backticks, the step whose rounding decides
    the result, or ""; `lost` the rows without numbers.
    """
    q, eic, double = before.q, before.eic, before.float64
    if math.isnan(q):
        return nowhere_advice(lost)
    if jump and (q <= SMALL or q <= own + NEAR):
        return (
            f"What helps: a higher precision for what {jump} is given, or samples at which that "
            "is farther from a jump."
        )
    if q <= SMALL:
        wrong = double.digits_lost > q + SMALL
        ranged = bool(double.failed or double.out_of_range or double.fewer)
        if wrong and double.zeros and not ranged and double.largest_at_zero < NEGLIGIBLE:
            return (
                "Where the exact result is 0, rounding leaves a small number in its place: what "
                "helps is to take so small a result for 0."
            )
        if ranged:
            return (
                "What helps: inputs in units in which no value on the way overflows or "
                "underflows, or arithmetic of a wider range."
            )
        if helps := lost.helps("such points"):
            others = "" if wrong else "; at the others nothing needs to be done"
            return (
                "What helps at the samples at which the result loses every digit or jumps: "
                f"{helps}{others}."
            )
        if wrong:
            return "What helps: arithmetic of more digits or of a wider range."
        if lost.nothing:
            return (
                "Nothing needs to be done: where the result loses every digit it is 0, and so it "
                "is right beside these samples."
            )
        unshared = math.isinf(before.amplification.root_eic)
        if eic <= q + 1 and not unshared:
            return "Nothing needs to be done."
        # the worst step is the result, or only shared noise leaves it a digit everywhere
        if unshared or before.amplification.root_eic_finite >= eic:
            return (
                "Nothing needs to be done where copies of a number share their error, as in a "
                "program they do."
            )
        return (
            "The result does not feel that step: it needs a higher precision only where its value "
            "is used on its own."
        )
    if q <= own + NEAR:
        return (
            "What helps instead: inputs known more exactly, samples away from where the result "
            "crosses 0 or turns steep, or asking for a quantity that is less sensitive; a higher "
            "precision helps only as far as the inputs are known."
        )
    if q - own <= q / 2:
        return (
            f"What helps instead: inputs known more exactly, for {own:.1f} of the {q:.1f} digits "
            "are the function's own sensitivity; a higher precision, a series or a library "
            f"function saves {q - own:.1f} at most."
        )
    return (
        f"What helps instead: a higher precision for this part (of its digits {q:.1f} are spent "
        "here), or another way to compute the same quantity, such as a series or a library "
        "function."
    )


NO_VALUE_ADVICE = "What helps: samples at which the formula has a finite value other than 0."


def nowhere_advice(lost: LostRows) -> str:
    """The advice where the result keeps a digit at no row; `lost` are all rows with a value.

    >>> print(nowhere_advice(LostRows(nothing=3)))
    What helps: to write 0, for that is the function's value at these samples and beside them.
    """
    if helps := lost.helps("where the result is 0, jumps or turns steep"):
        return f"What helps: {helps}."
    if not lost.nothing:
        return NO_VALUE_ADVICE
    some = f"the {lost.nothing:,} of the" if lost.unsettled else "these"
    looked_at = " that were looked at" if lost.unsettled else ""
    return (
        f"What helps: to write 0, for that is the function's value at {some} samples{looked_at} "
        "and beside them."
    )


@dataclass(frozen=True)
class Measured:
    amplification: CorrelatedAmplification = field(repr=False)  # q at the root and EIC
    complexity: int  # Number of nodes
    # float32, float64: what plain evaluation makes of it
    float32: ObservedError
    float64: ObservedError

    _JSON = ("q", "eic", "complexity", "float32", "float64")

    @property
    def q(self) -> float:
        """Digits lost at the root when copies share their noise, singular samples left out."""
        return self.amplification.q_eic_finite

    @property
    def eic(self) -> float:
        return self.amplification.eic_finite


@dataclass(frozen=True)
class RepairStep:
    rule: str
    # before, after: the sub-expressions exchanged, as short labels
    before: str
    after: str
    assumptions: tuple[str, ...]  # Such as ``"x > 0"``

    _JSON = ("rule", "before", "after", "assumptions")


@dataclass(frozen=True)
class Repair(Plain):
    formula: Formula  # The new form; its source is its Python text
    steps: tuple[RepairStep, ...]
    before: Measured
    after: Measured
    verification: Verification
    compared: RowComparison  # Both forms in double precision, row by row
    sentence: str

    _JSON = (
        "formula=text",
        ("latex", lambda repair: to_latex(repair.formula)),
        "sentence",
        "steps",
        "assumptions",
        "after",
        "delta_q",
        "delta_eic",
        "delta_complexity",
        "verification",
        "compared",
    )

    @property
    def text(self) -> str:
        """Python infix, which reads back to the same tree."""
        return self.formula.source

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The conditions under which the two are equal; they hold on the data."""
        return tuple(dict.fromkeys(a for step in self.steps for a in step.assumptions))

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(step.rule for step in self.steps))

    @property
    def delta_q(self) -> float:
        """Change of q at the root, in digits; negative is better."""
        return self.after.q - self.before.q

    @property
    def delta_eic(self) -> float:
        """Change of EIC, in digits; negative is better."""
        return self.after.eic - self.before.eic

    @property
    def delta_complexity(self) -> int:
        return self.after.complexity - self.before.complexity


@dataclass(frozen=True)
class Repairs(Plain):
    """What the search for better forms found.

    Attributes
    ----------
    formula
        The formula as written.
    samples
        Its data.
    repairs
        The best first; may be empty.
    before
        None if no row could be measured.
    own
        The function's own conditioning on the measured rows, in digits: a bound for every form.
    measured_rows
        How many rows EIC and q are measured on.
    evaluated
        Forms whose cost was computed.
    finished
        False if the deadline ended the search; better forms may exist then.
    sentence
        The best repair, or why there is none; and what is missing, if something is.
    advice
        What helps instead; "" if there is a repair, or may be one.
    """

    formula: Formula
    samples: Samples = field(repr=False)
    repairs: tuple[Repair, ...]
    before: Measured | None
    own: float
    measured_rows: int
    evaluated: int
    finished: bool
    sentence: str
    advice: str

    _JSON = (
        ("formula", lambda repairs: to_python(repairs.formula)),
        "sentence",
        "advice",
        "own",
        "before",
        "measured_rows",
        "evaluated",
        "finished",
        "missing",
        "repairs",
    )

    @property
    def missing(self) -> str:
        """What the search did not do for want of time, in a sentence; "" if it came to its end."""
        return (
            "" if self.finished else unfinished_search_sentence(self.evaluated, bool(self.repairs))
        )

    @property
    def best(self) -> Repair | None:
        """The first repair, if there is one."""
        return self.repairs[0] if self.repairs else None
