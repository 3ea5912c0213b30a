"""The results of `repair`: the better forms, their steps and verification, or why there is none.
And the front of cost and digits: which forms no other one beats in both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from eic_core.display import Displayed
from eic_core.effort import EFFORTS
from eic_core.explain.judgement import NO_NUMBERS, VerdictNumbers, numbers_of
from eic_core.exports import Plain
from eic_core.formula.rendering import short_text, to_latex, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection, inspect
from eic_core.phrasing import Phrase, one_after_another
from eic_core.rewriting import phrases
from eic_core.rewriting.costs import Nanoseconds
from eic_core.rewriting.gains import (
    GAIN,
    SCATTER,
    Advice,
    Gain,
    Measured,
    NothingBetter,
    NotSearched,
    RowComparison,
)
from eic_core.rewriting.pieces import (
    FOR_EFFORT,
    Branch,
    Derived,
    Omission,
    RepairStep,
)
from eic_core.rewriting.precision import Target
from eic_core.rewriting.profile import quantities_compared
from eic_core.rewriting.verify import Verification
from eic_core.samples import Samples


class _Written(Derived):
    """A form whose branches, if it chooses, are in the order of its conditions."""

    branches: tuple[Branch, ...]

    @property
    def bound(self) -> float:
        """The largest relative error that a series in it adds to its term; 0 of an exact form."""
        return max((b.series.bound for b in self.branches if b.series is not None), default=0.0)

    @property
    def is_exact(self) -> bool:
        return all(branch.is_exact for branch in self.branches)


@dataclass(frozen=True)
class FrontForm(_Written, Plain):
    formula: Formula
    numbers: VerdictNumbers
    nanoseconds: Nanoseconds  # A call
    steps: tuple[RepairStep, ...]
    branches: tuple[Branch, ...] = ()

    _JSON = (
        "formula=text",
        ("latex", lambda form: to_latex(form.formula)),
        "numbers",
        ("nanoseconds", lambda form: form.nanoseconds._asdict()),
        "rules",
        "assumptions",
        "steps",
        "branches",
    )

    @property
    def mean(self) -> float:
        """Digits that a program loses in the mean over the rows."""
        return self.numbers.measured.mean

    @property
    def is_original(self) -> bool:
        return not self.steps and not self.branches


def front_of(original: FrontForm, offered: Sequence[FrontForm]) -> tuple[FrontForm, ...]:
    """The forms that keep more digits than all cheaper ones, the cheapest first.
    The formula as written and the first of the offered forms are always among them.
    """
    fixed = original, *offered[:1]
    least, front = math.inf, []
    ranked = sorted([original, *offered], key=lambda f: (f.nanoseconds.c, round(f.mean, 6)))
    for form in ranked:
        if form.mean < least - SCATTER or form in fixed:
            front.append(form)
        least = min(least, form.mean)
    return tuple(front)


@dataclass(frozen=True, repr=False)
class Repair(_Written, Displayed, Plain):
    formula: Formula
    steps: tuple[RepairStep, ...]
    gain: Gain
    verification: Verification
    branches: tuple[Branch, ...] = ()
    # Quantities that the formula as written compares already, in its own conditions
    decided_before: tuple[str, ...] = ()
    # written, instead: the numbers of the formula and of this form on all of the samples, as their
    # verdicts have them
    written: VerdictNumbers = field(default=NO_NUMBERS, compare=False)
    instead: VerdictNumbers = field(default=NO_NUMBERS, compare=False)

    _JSON = (
        "formula=text",
        ("latex", lambda repair: to_latex(repair.formula)),
        "sentence",
        "conditions",
        "instead",
        "steps",
        "assumptions",
        "after",
        "delta_q",
        "delta_eic",
        "delta_complexity",
        "verification",
        "compared",
        "branches",
        "bound",
    )

    @property
    def phrase(self) -> Phrase:
        """The form as code, with the conditions that it needs."""
        return phrases.form_phrase(self.text, self.branches, self.assumptions)

    @property
    def before(self) -> Measured:
        return self.gain.before

    @property
    def after(self) -> Measured:
        return self.gain.after

    @property
    def compared(self) -> RowComparison:
        """Both forms in double precision, row by row."""
        return self.gain.compared

    @property
    def sentence(self) -> Phrase:
        """The new form, with its rules or its series."""
        return phrases.repair_sentence(
            self.text, self.rules, self.assumptions, self.branches, self.decided_by
        )

    @property
    def conditions(self) -> tuple[Phrase, ...]:
        """What its numbers do not tell: rows that lose more, the other precision, what remains."""
        return phrases.repair_conditions(self.gain)

    @property
    def decided_by(self) -> tuple[str, ...]:
        """The quantities that a form that chooses compares and the formula does not."""
        decided = quantities_compared(self.formula)
        return tuple(text for text in decided if text not in self.decided_before)

    @property
    def delta_q(self) -> float:
        """Change of q at the root, in digits; negative is better."""
        return self.after.q - self.before.q

    @property
    def delta_eic(self) -> float:
        """Change of EIC, in digits; negative is better."""
        return self.instead.eic_finite - self.written.eic_finite

    @property
    def delta_complexity(self) -> int:
        return self.after.complexity - self.before.complexity


@dataclass(frozen=True, repr=False)
class Repairs(Displayed, Plain):
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
        The function's own sensitivity on the measured rows, in digits: a bound for every form.
    measured_rows
        How many rows EIC and q are measured on.
    evaluated
        Forms whose cost was computed.
    reason
        Why there is no repair; None if there is one.
    helps
        What helps instead; None if there is a repair, or may be one.
    target
        The precision of the program that the forms are for.
    part
        The part that was searched, of a formula that is too large to be searched as a whole.
    approximations
        Forms with a series in some branch, the best first: no rewriting, but within a proved bound
        of the formula.
    left_out
        What was not tried, and why.
    candidates
        Forms whose cost it would have computed, as far as it had come.
    stopped
        The limit in seconds, if that ended it: another machine may have come further.
    effort
        How much work it might take, as a multiple of the normal budget.
    written
        The numbers of the formula on all of the samples, as its verdict has them.
    """

    formula: Formula
    samples: Samples = field(repr=False)
    repairs: tuple[Repair, ...]
    before: Measured | None
    own: float
    measured_rows: int
    evaluated: int
    reason: NothingBetter | NotSearched | None
    helps: Advice | None
    target: Target = "float64"
    part: Formula | None = None
    approximations: tuple[Repair, ...] = ()
    left_out: tuple[Omission, ...] = ()
    candidates: int = 0
    stopped: float = math.inf
    effort: float = 1.0
    written: VerdictNumbers = field(default=NO_NUMBERS, compare=False)

    _JSON = (
        ("formula", lambda repairs: to_python(repairs.formula)),
        "sentence",
        ("advice", lambda repairs: repairs.advice or ""),
        "own",
        "written",
        "before",
        "measured_rows",
        "evaluated",
        "effort",
        "finished",
        "repairs",
        "target",
        "front",
        ("part", lambda repairs: "" if repairs.part is None else to_python(repairs.part)),
        "approximations",
        ("left_out", lambda repairs: [why.name.lower() for why in repairs.left_out]),
    )

    @property
    def sentence(self) -> Phrase:
        """The offer, and last where it was stopped."""
        return one_after_another([each for each in (self.offer, self.stop) if each is not None])

    @property
    def offer(self) -> Phrase | None:
        """What is offered first, and the best of the other kind, exact or approximation; or why
        there is nothing better. None where nothing was measured.
        """
        parts = [*self._offers()]
        return one_after_another(parts) if parts else None

    def _offers(self) -> Iterator[Phrase]:
        yield from self._forms()
        if self.part is not None:
            yield phrases.searched_part(short_text(self.part))

    def _forms(self) -> Iterator[Phrase]:
        leading, best = self.leading, self.best
        if leading is None:
            if isinstance(self.reason, NothingBetter):
                yield phrases.nothing_better(self.reason, self.finished, self.written)
            elif self.reason is not None and self.finished:
                yield phrases.no_value()
            return
        yield leading.sentence
        if leading is best:
            for other in self.approximations[:1]:
                yield phrases.approximation_beside(other.phrase, other.branches)
        elif best is not None:
            yield phrases.exact_beside(best.phrase)
        elif isinstance(self.reason, NothingBetter):
            yield phrases.no_exact_form(self.reason, self.finished)

    @property
    def finished(self) -> bool:
        """False if its budget, or a limit in seconds, ended it; better forms may exist then."""
        return self.stopped == math.inf and FOR_EFFORT.isdisjoint(self.left_out)

    @property
    def left_out_sentences(self) -> tuple[Phrase, ...]:
        """What was left out for another reason than effort, and what to do about it."""
        return (phrases.series_unproved(),) * (Omission.SERIES_UNPROVED in self.left_out)

    @property
    def advice(self) -> Phrase | None:
        """What helps instead; None if there is a repair or an approximation, or may be one."""
        if self.helps is None or self.approximations or not self.finished:
            return None
        return phrases.advice_sentence(self.helps, self.formula)

    @property
    def stop(self) -> Phrase | None:
        """Where its effort, or a limit in seconds, ended it; None if it came to its end."""
        if self.finished:
            return None
        return phrases.stopped(self.stopped, self.evaluated, self.candidates, self.left_out)

    @property
    def more_effort(self) -> Phrase | None:
        """The option of the command line with which less is left out, if something is."""
        if self.finished:
            return None
        name = "thorough" if self.effort < EFFORTS["thorough"] else "inf"
        return phrases.more_effort(f"--effort {name}" if self.stopped == math.inf else "--seconds")

    @property
    def best(self) -> Repair | None:
        """The first repair, if there is one."""
        return self.repairs[0] if self.repairs else None

    @property
    def leading(self) -> Repair | None:
        """What is offered first: the best repair, or an approximation that keeps clearly more."""
        best, nearest = self.best, next(iter(self.approximations), None)
        if best is None or nearest is None:
            return nearest if best is None else best
        keeps = best.gain.judged.mean_after - nearest.gain.judged.mean_after
        return nearest if keeps >= GAIN else best

    @cached_property
    def front(self) -> tuple[FrontForm, ...]:
        """The forms that no cheaper one matches in digits, the cheapest first. The formula as
        written and the best repair are among them; none if nothing was searched.
        """
        if self.before is None:
            return ()
        bare = replace(self.formula, source=to_python(self.formula))
        original = FrontForm(bare, self.written, self.before.nanoseconds, ())
        forms = *self.repairs, *self.approximations
        offered = [
            FrontForm(f.formula, f.instead, f.after.nanoseconds, f.steps, f.branches) for f in forms
        ]
        return front_of(original, offered)

    def on_rows_of(self, inspection: Inspection) -> Repairs:
        """With the numbers of all forms on the same samples.

        Parameters
        ----------
        inspection
            Of the formula.

        Returns
        -------
        Repairs
            Each form with what its own verdict says.
        """
        written = numbers_of(inspection, self.target)

        def told(forms: tuple[Repair, ...]) -> tuple[Repair, ...]:
            samples, effort = inspection.samples, inspection.effort
            inspections = [inspect(f.formula, samples, edges=False, effort=effort) for f in forms]
            return tuple(
                replace(form, written=written, instead=numbers_of(each, self.target))
                for form, each in zip(forms, inspections, strict=True)
            )

        return replace(
            self,
            written=written,
            repairs=told(self.repairs),
            approximations=told(self.approximations),
        )

    @property
    def forms(self) -> tuple[FrontForm, ...]:
        """The front as it is read: the formula as written, what is offered first, the others."""
        first = None if self.leading is None else self.leading.text
        return tuple(
            sorted(self.front, key=lambda form: (not form.is_original, form.text != first))
        )
