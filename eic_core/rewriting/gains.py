"""What a form gains, why no other is better, and what helps then: facts, decided on numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property

import numpy as np

from eic_core.explain.losses import CorrelatedAmplification
from eic_core.exports import Plain
from eic_core.measure.measured import MeasuredLoss
from eic_core.measure.observed import ObservedError
from eic_core.measure.reasons import DOUBLE_DIGITS
from eic_core.operators.wide import Array
from eic_core.rewriting.costs import Nanoseconds
from eic_core.rewriting.precision import Target

SMALL = 1.0
"""Digits that any formula of a few operations loses: nothing to mend."""

NEAR = 0.3
"""Digits within which a formula counts as being as good as the function allows."""

NEGLIGIBLE = 1e-6
"""What is so small beside the largest result can be taken for 0."""

GAIN = 0.3
"""Digits that are worth writing a formula anew: half the error. What two good forms lose differs by
less, as the samples fall."""

SMALL_GAIN = 0.1
"""Digits that are, if the new form is shorter and in nothing worse."""

TOLERANCE = 0.02
"""Digits by which the sensitivity may rise for nothing: less than one rounding more of a sum."""

SERIES = 3.0
"""Digits beyond the function's own, or the best form's, that are far more: a thousand roundings,
which no few operations make. Where the best form keeps losing them, a series would help."""

MORE = 0.5
"""Digits by which one row must lose more, or fewer, to be counted: two roundings differ by less."""

SCATTER, RMS_SCATTER = 0.05, 0.1
"""Digits by which two forms differ in the mean over the rows, and in the root mean square of their
errors, for nothing but the luck of roundings."""

UNKNOWN_COST = Nanoseconds(math.nan, math.nan)


@dataclass(frozen=True)
class Measured:
    amplification: CorrelatedAmplification = field(repr=False)  # q at the root and EIC
    complexity: int  # Number of nodes
    # float32, float64: what plain evaluation makes of it
    float32: ObservedError
    float64: ObservedError
    # What a program loses in the precision it is written for, the target, at the rows where the
    # formula as written is measured
    loss: MeasuredLoss = field(repr=False, compare=False)
    nanoseconds: Nanoseconds = UNKNOWN_COST  # Of one call

    _JSON = ("q", "complexity", "float32", "float64")

    @property
    def target(self) -> Target:
        return "float32" if self.loss.kind == "float32" else "float64"

    @property
    def in_target(self) -> ObservedError:
        return self.float64 if self.target == "float64" else self.float32

    @property
    def elsewhere(self) -> ObservedError:
        """In the other precision, which has no say in what is offered."""
        return self.float32 if self.target == "float64" else self.float64

    @property
    def q(self) -> float:
        """Sensitivity of the root in digits, copies sharing their noise, where it is finite."""
        return self.amplification.q_eic_finite

    @property
    def eic(self) -> float:
        return self.amplification.eic_finite

    @property
    def infinite(self) -> int:
        """Rows at which the sensitivity of the root is infinite, which `q` leaves out."""
        return self.amplification.singular

    @property
    def loses(self) -> bool:
        """Whether a program loses more than a few roundings do, at some row."""
        return self.loss.worst >= SMALL or self.in_target.failed > 0


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
    largest_fall: float = 0.0  # Digits that it loses less at the row where that is most

    _JSON = (
        "rows",
        "mean_before",
        "mean_after",
        "fewer",
        "more",
        "largest_rise",
        "rms_rise",
        "largest_fall",
    )

    @property
    def is_worse(self) -> bool:
        """Whether a program loses more with the new form: in the mean, or more often more than
        less, or if the root mean square error is larger and the mean loss hardly smaller.
        """
        return (
            self.digits < -SCATTER
            or self.more > self.fewer
            or (self.digits < GAIN and self.rms_rise > RMS_SCATTER)
        )

    @property
    def trades(self) -> bool:
        """Whether rows get worse and none gains so much that it makes up for that."""
        return self.more > 0 and self.largest_fall < SERIES

    @property
    def digits(self) -> float:
        """The digits that the new form keeps more, in the mean."""
        return self.mean_before - self.mean_after

    @classmethod
    def of(cls, before: Array, after: Array) -> RowComparison:
        """The comparison of the digits lost at each row; nan where nothing can be compared.

        >>> rows = RowComparison.of(np.array([3.0, 0, 1, np.nan]), np.array([0, 0.2, 2, 0]))
        >>> rows.rows, rows.fewer, rows.more, rows.largest_rise
        (3, 1, 1, 1.0)
        """
        compared = ~np.isnan(before) & ~np.isnan(after)
        before, after = before[compared], after[compared]
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
            max(0.0, float(np.max(-rise))),
        )


def _rms_digits(lost: Array) -> float:
    return 0.5 * float(np.log10(np.mean(np.power(10.0, 2 * lost))))


@dataclass(frozen=True)
class Gain:
    """Two forms side by side: whether the new one is offered, and which differences are worth a
    word. The precision that the program is written for decides.
    """

    before: Measured
    after: Measured
    judged: RowComparison  # At the rows where the formula as written has a value, up to 200
    compared: RowComparison  # At those, and at further ones where the two results differ most
    # Judged rows that had no value in the target and have one; below 0, rows that lose theirs
    values: int = 0
    # Digits that a program keeps losing with the best form, where only a series would lose fewer; 0
    # otherwise
    remaining: float = 0.0

    # --- whether it is offered ---

    @property
    def is_offered(self) -> bool:
        return not self.is_worse and (
            self.folds
            or self.values > 0
            or self.saved >= GAIN
            or self.sensitivity >= SMALL
            or self.is_short_and_better
        )

    @property
    def is_worse(self) -> bool:
        """Whether more digits or values are lost, or the result is more sensitive; digits that are
        really kept make up for some sensitivity. Where it was infinite and no longer is, the means
        are of other rows.
        """
        gains = self.values > 0 or self.judged.digits >= GAIN
        return (
            self.judged.is_worse
            or self.compared.is_worse
            or self.compared.trades
            or self.values < 0
            or self.before.infinite < self.after.infinite
            or (
                self.before.infinite == self.after.infinite
                and self.sensitivity < -(GAIN if gains else TOLERANCE)
            )
        )

    @property
    def saved(self) -> float:
        """The digits that are kept more in the mean, at nine in ten rows or at the worst: the most
        of these.
        """
        before, after = self.before.loss, self.after.loss
        pairs = (before.nine_in_ten, after.nine_in_ten), (before.worst, after.worst)
        return max(self.judged.digits, *(_fewer(*pair) for pair in pairs))

    @property
    def sensitivity(self) -> float:
        """Digits by which the result is less sensitive: the function's own part is the same, so
        these are digits that the writing added.
        """
        return _capped(self.before.q) - _capped(self.after.q)

    @property
    def inside(self) -> float:
        """Digits by which the most sensitive step is less so."""
        return _capped(self.before.eic) - _capped(self.after.eic)

    @property
    def folds(self) -> bool:
        """Whether nothing is left but a number or a variable."""
        return self.after.complexity == 1 < self.before.complexity

    @property
    def is_short_and_better(self) -> bool:
        """Whether it is shorter, takes no longer, gains a little somewhere and loses nowhere."""
        gains = self.judged.digits, self.sensitivity, self.inside
        return (
            self.after.complexity < self.before.complexity
            and not self.after.nanoseconds.c > self.before.nanoseconds.c
            and min(gains) >= -SCATTER
            and not self.compared.more
            and max(gains) >= SMALL_GAIN
        )

    # --- what is worth a word ---

    @property
    def digits_lost_elsewhere(self) -> float:
        """Digits that the other precision loses more in the mean, all of them at a row that has no
        value any more; 0 if that is not worth a word.
        """
        before, after = self.before.elsewhere, self.after.elsewhere
        more = -_fewer(before.mean_digits_lost, after.mean_digits_lost)
        least = SCATTER if self.values_lost_elsewhere else GAIN
        return more if more >= least else 0.0

    @property
    def values_lost_elsewhere(self) -> int:
        """Rows at which the other precision has a value as written and none with the new form."""
        return max(0, self.after.elsewhere.failed - self.before.elsewhere.failed)

    def of_best(self, own: float) -> Gain:
        """That of the best form: with the digits that it keeps losing at nine in ten rows, if they
        are far more than the function's own sensitivity.
        """
        lost = self.after.loss.nine_in_ten
        return replace(self, remaining=lost if lost - own >= SERIES else 0.0)


def _capped(digits: float) -> float:
    """Digits of sensitivity, of which there are no more than a double has."""
    return DOUBLE_DIGITS if math.isnan(digits) else min(digits, DOUBLE_DIGITS)


def _fewer(before: float, after: float) -> float:
    return 0.0 if math.isnan(before) or math.isnan(after) else before - after


@dataclass(frozen=True)
class NotSearched:
    """No form was searched for: no row has a value, or the effort ended before one was measured."""


class Rest(Enum):
    """What the formula as written still suffers from, where no other form is better."""

    EVERYTHING = auto()  # it is infinitely sensitive at every row
    LOSS = auto()  # a program loses digits, to the writing
    FUNCTION = auto()  # its sensitivity is the function's own; a program computes it right
    WRITING = auto()  # its sensitivity is the writing's; a program computes it right
    LITTLE = auto()  # nothing that is worth telling apart


@dataclass(frozen=True)
class NothingBetter:
    """Why there is no repair; nothing is concluded from a search that was cut short."""

    before: Measured
    own: float  # The function's own sensitivity in digits
    others: int  # Other forms that were tried

    @cached_property
    def rest(self) -> Rest:
        q = self.before.q
        if math.isnan(q):
            return Rest.EVERYTHING
        if self.before.loses:
            return Rest.LOSS
        if q <= SMALL or math.isnan(self.own):
            return Rest.LITTLE
        return Rest.FUNCTION if q <= self.own + NEAR else Rest.WRITING

    @property
    def of_function(self) -> float:
        """The digits of the result's sensitivity that any writing has; nan if not known."""
        return self.own if math.isnan(self.own) else min(self.own, self.before.q)

    @property
    def of_writing(self) -> float:
        return self.before.q - self.of_function

    @property
    def in_worst_step(self) -> bool:
        return self.before.eic > self.before.q + 1


class Remedy(Enum):
    HIGHER_PRECISION = auto()
    ANOTHER_WAY = auto()
    KNOW_INPUTS = auto()
    OTHER_SAMPLES = auto()
    LESS_SENSITIVE = auto()
    WIDER_RANGE = auto()
    TAKE_FOR_ZERO = auto()
    WRITE_ZERO = auto()
    SAMPLES_WITH_VALUE = auto()


@dataclass(frozen=True)
class Helps:
    """What helps; `at_lost_rows` where the result keeps no digit or jumps; if that is `alone`
    nothing needs to be done elsewhere.
    """

    remedies: tuple[Remedy, ...]
    at_lost_rows: bool = False
    alone: bool = False


@dataclass(frozen=True)
class HelpsBeforeJump:
    node: int  # The step whose rounding decides the result


class NothingToDo(Enum):
    """Why nothing needs to be done."""

    ALL_WELL = auto()
    ZERO_IS_RIGHT = auto()  # where the result loses every digit it is 0, and right
    COPIES_SHARE_ERRORS = auto()  # only independent noise is amplified
    STEP_IS_HIDDEN = auto()  # the result does not feel the worst step


Advice = Helps | HelpsBeforeJump | NothingToDo
"""What helps where no other form is better."""


@dataclass(frozen=True)
class LostRows:
    """The measured rows at which the result keeps no digit, by who is to blame for it."""

    # The function is 0, jumps or is infinitely steep, or it follows a step that keeps no digit
    function: int = 0
    nothing: int = 0  # The function is 0 there and beside it
    writing: int = 0  # It is another's fault, as far as that was looked at
    unsettled: int = 0  # It is not known

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        remedies: tuple[Remedy, ...] = ()
        if self.function:
            remedies += (Remedy.KNOW_INPUTS, Remedy.OTHER_SAMPLES)
        if self.writing or (self.unsettled and not self.function and not self.nothing):
            remedies += (Remedy.HIGHER_PRECISION, Remedy.ANOTHER_WAY)
        return remedies


def advise(
    before: Measured, own: float, jump: int | None = None, lost: LostRows = LostRows()
) -> Advice:
    """What helps where no other form is better.
    `own` is the function's own sensitivity; `jump` the step whose rounding decides the result;
    `lost` are the rows without numbers.
    """
    q, loses = before.q, before.loses
    if math.isnan(q):
        return advise_nowhere(lost)
    if jump is not None and (q <= SMALL or q <= own + NEAR):
        return HelpsBeforeJump(jump)
    if q <= SMALL:
        return _advise_insensitive(before, lost)
    if not loses and q <= own + NEAR:
        return Helps((Remedy.KNOW_INPUTS, Remedy.OTHER_SAMPLES, Remedy.LESS_SENSITIVE))
    of_inputs = own > SMALL and own >= q / 2
    return Helps((*(Remedy.KNOW_INPUTS,) * of_inputs, Remedy.HIGHER_PRECISION, Remedy.ANOTHER_WAY))


def _advise_insensitive(before: Measured, lost: LostRows) -> Advice:
    error, amplification = before.in_target, before.amplification
    wrong = before.loss.worst >= before.q + SMALL
    if error.failed or error.out_of_range or error.fewer:
        return Helps((Remedy.WIDER_RANGE,))
    if wrong and error.zeros and error.largest_at_zero < NEGLIGIBLE:
        return Helps((Remedy.TAKE_FOR_ZERO,))
    if lost.remedies:
        return Helps(lost.remedies, at_lost_rows=True, alone=not wrong)
    if wrong:
        return Helps((Remedy.HIGHER_PRECISION, Remedy.WIDER_RANGE))
    if lost.nothing:
        return NothingToDo.ZERO_IS_RIGHT
    unshared = math.isinf(amplification.root_eic)
    if before.eic <= before.q + 1 and not unshared:
        return NothingToDo.ALL_WELL
    # the worst step is the result, or only shared noise leaves it a digit everywhere
    if unshared or amplification.root_eic_finite >= before.eic:
        return NothingToDo.COPIES_SHARE_ERRORS
    return NothingToDo.STEP_IS_HIDDEN


def advise_nowhere(lost: LostRows) -> Advice:
    """What helps where the result keeps a digit at no row; `lost` are all rows with a value."""
    otherwise = Remedy.WRITE_ZERO if lost.nothing else Remedy.SAMPLES_WITH_VALUE
    return Helps(lost.remedies or (otherwise,))
