"""The questions of the panels about a result; each answer is computed once and kept for a while.

Without Streamlit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from eic_core.explain.budget import TOLERANCE, Budget, digit_budget
from eic_core.explain.created import diagnosed_node
from eic_core.explain.diagnosis import Diagnosis
from eic_core.explain.digit_rows import DigitRows, digit_rows
from eic_core.explain.elsewhere import guess_told
from eic_core.explain.ledger import Ledger, blame
from eic_core.explain.losses import Loss
from eic_core.explain.triangulation import Triangulation, triangulate
from eic_core.explain.what_if import WhatIf, what_if_mean
from eic_core.explain.where import Where, where
from eic_core.explain.writing import WritingLoss, writing_loss
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection, inspect
from eic_core.measure.measured import Quantiles
from eic_core.report import Answers, Findings, Provenance, collect_findings, render
from eic_core.rewriting import OwnForm, Repairs, compare_own_form, repair
from eic_core.rewriting.profile import Profile, profile
from pages.ui.kit.caches import BoundedCache, Progress
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.worker_process import parts_of
from pages.ui.kit.workers import LONGEST, InThread, Workers, current_visitor

CAPACITY = 64e6
"""Bytes of cached answers, about."""

SEARCH_SECONDS = 40.0
"""A search of normal effort takes up to four: only a machine ten times slower comes so far."""

T = TypeVar("T")


@dataclass(frozen=True)
class Summary:
    """A diagnosis in four sentences, user text in backticks."""

    why: str  # whose noise it is
    where: str  # rows that carry it
    fault: str  # function or writing
    instead: str  # the best repair, or why there is none; "" if nothing was measured
    better: str = ""  # a formula to paste
    form: Formula | None = None  # the same, read
    is_exact: bool = True  # whether that is the formula, written in another way
    stop: str = ""  # where the search for a repair was stopped
    losses: tuple[Loss, ...] = ()
    added: Quantiles | None = None  # digits that the writing adds, row by row
    guess: str = ""  # which ranges are guesses, and what the verdict is on others


class DiagnosisService:
    """Answers about results; every method raises `UserError` where an answer makes no sense.

    Answers are pure functions of a request, so all visits share them; but one that a clock has
    stopped is its visitor's alone (ADR 0013).

    Parameters
    ----------
    capacity
        Bytes of cached answers, about.
    seconds
        After how many a search for better forms is stopped, of normal effort.
    workers
        Compute answers about results that are not quick.
    """

    def __init__(
        self,
        capacity: float = CAPACITY,
        seconds: float = SEARCH_SECONDS,
        workers: Workers | None = None,
    ) -> None:
        self._answers = BoundedCache(capacity)
        self.seconds = seconds
        self._workers = workers or InThread()
        self._turns = tuple(Lock() for _ in range(64))

    def blame(self, result: InspectionResult, node: int) -> Ledger:
        """The shares of a node's noise by the node that introduces it.

        Parameters
        ----------
        result
            An inspection.
        node
            Number of a node, the root last.

        Returns
        -------
        Ledger
            Shares add up to 1.
        """
        return self._answer("blame", result, blame, node)

    def what_if(self, result: InspectionResult, node: int) -> WhatIf:
        """The output's change if a node is replaced by its mean.

        Parameters
        ----------
        result
            An inspection.
        node
            Number of a node, the root last.

        Returns
        -------
        WhatIf
            Both forms on the same samples.
        """
        return self._answer("what if", result, what_if_mean, node)

    def where(self, result: InspectionResult, node: int) -> Where:
        """The rows that carry a node's noise.

        Parameters
        ----------
        result
            An inspection.
        node
            Number of a node, the root last.

        Returns
        -------
        Where
            Shares by row, and where the largest lie.
        """
        return self._answer("where", result, where, node)

    def writing(self, result: InspectionResult) -> WritingLoss:
        """The function's own loss beside that of its writing.

        Parameters
        ----------
        result
            An inspection.

        Returns
        -------
        WritingLoss
            In digits.
        """
        return self._answer("writing", result, writing_loss)

    def digit_rows(
        self, result: InspectionResult, better: Formula | None = None, kind: str = "float64"
    ) -> DigitRows:
        """The exact value and what a program computes, digit under digit.

        Parameters
        ----------
        result
            An inspection.
        better
            Another form of the formula, in its variables.
        kind
            The type in which the program computes. {"float32", "float64"}.

        Returns
        -------
        DigitRows
            From the least to the greatest loss.
        """

        def make() -> DigitRows:
            if result.quick:
                return digit_rows(result.inspection, kind, better)
            return self._work(result, about, None, digit_rows, (kind, better))

        form = None if better is None else better.structure()
        return self._keep(("digit rows", kind, form), result, make)

    def repairs(
        self,
        result: InspectionResult,
        progress: Progress | None = None,
    ) -> Repairs:
        """Search for better forms of the formula.

        Parameters
        ----------
        result
            An inspection.
        progress
            Called with the fraction done, 0 to 1; an exception of it ends the work.

        Returns
        -------
        Repairs
            Says whether the search was stopped.
        """

        def search() -> Repairs:
            return self._work(result, repairs_of, progress, self.seconds * result.request.effort)

        return self._keep(("repairs",), result, search, complete=lambda r: r.stopped == math.inf)

    def known_better(self, result: InspectionResult) -> str:
        """The best form of the formula, if a search for it has come to its end.

        Parameters
        ----------
        result
            An inspection.

        Returns
        -------
        str
            A formula to paste; "" if none is known.
        """
        repairs: Repairs | None = self._answers.peek(("repairs", result.request))
        return "" if repairs is None or repairs.best is None else repairs.best.text

    def own_form(self, result: InspectionResult, form: Formula) -> OwnForm:
        """Compare a form that the user proposes; takes up to seconds.

        Parameters
        ----------
        result
            An inspection.
        form
            In the variables of the formula.

        Returns
        -------
        OwnForm
            Whether it is the same function, and what it loses.
        """
        return self._keep(
            ("own form", form.structure()),
            result,
            lambda: self._work(result, own_form_of, None, form),
        )

    def profile(self, result: InspectionResult, form: Formula) -> Profile:
        """What a program loses at each row with the formula as written and with another form.

        Parameters
        ----------
        result
            An inspection.
        form
            In the variables of the formula.

        Returns
        -------
        Profile
            With the branch that each row takes.
        """

        def make() -> Profile:
            if result.quick:
                return profile(result.inspection, form)
            return self._work(result, about, None, profile, (form,))

        return self._keep(("profile", form.structure()), result, make)

    def repaired(self, result: InspectionResult, form: Formula) -> Inspection:
        """Inspect another form of the formula on the same samples.

        Parameters
        ----------
        result
            An inspection.
        form
            In the variables of the formula.

        Returns
        -------
        Inspection
            Of the form.
        """
        return self._keep(
            ("repaired", form.source), result, lambda: self._work(result, repaired, None, form)
        )

    def triangulation(
        self, result: InspectionResult, progress: Progress | None = None
    ) -> Triangulation:
        """The recursion beside Algorithm 2 and observed errors; takes up to seconds.

        Parameters
        ----------
        result
            An inspection.
        progress
            Called with the fraction done, 0 to 1; an exception of it ends the work.

        Returns
        -------
        Triangulation
            In digits, for each node that is compared.
        """
        return self._keep(("truth",), result, lambda: self._work(result, triangulation, progress))

    def budget(
        self, result: InspectionResult, tolerance: float, progress: Progress | None = None
    ) -> Budget:
        """The digits that each constant and input needs; takes up to seconds.

        Parameters
        ----------
        result
            An inspection.
        tolerance
            Largest change of the output, relative to its spread; above 0, at most 1.
        progress
            Called with the fraction done, 0 to 1; an exception of it ends the work.

        Returns
        -------
        Budget
            In significant decimal digits.
        """
        return self._keep(
            ("budget", tolerance),
            result,
            lambda: self._work(result, budget, progress, tolerance),
        )

    def diagnosis(self, result: InspectionResult, node: int) -> Diagnosis:
        """The verdict, a node's noise by source and by row, and function or writing.

        Parameters
        ----------
        result
            An inspection.
        node
            Number of a node, the root last.

        Returns
        -------
        Diagnosis
            With its four sentences.
        """
        return Diagnosis(
            result.inspection,
            result.verdict,
            self.blame(result, node),
            self.where(result, node),
            self.writing(result),
        )

    def findings(
        self,
        result: InspectionResult,
        tolerance: float = TOLERANCE,
    ) -> Findings:
        """All that a report says; computes only answers that are not cached.

        Parameters
        ----------
        result
            An inspection.
        tolerance
            Of the digits that are needed, as in `budget`.

        Returns
        -------
        Findings
            Questions without an answer say why.
        """
        answers = Answers(
            lambda: self.diagnosis(result, diagnosed_node(result.inspection)),
            lambda: self.repairs(result),
            lambda: self.triangulation(result),
            lambda: self.budget(result, tolerance),
        )
        return collect_findings(result.inspection, answers)

    def report(
        self,
        result: InspectionResult,
        provenance: Provenance,
        tolerance: float = TOLERANCE,
    ) -> str:
        """The report as a page of its own.

        Parameters
        ----------
        result
            An inspection.
        provenance
            Where the samples come from.
        tolerance
            Of the digits that are needed, as in `budget`.

        Returns
        -------
        str
            HTML.
        """
        findings = self.findings(result, tolerance)
        return self._work(result, report_page, None, findings, provenance)

    def summary(
        self,
        result: InspectionResult,
        node: int,
        progress: Progress | None = None,
    ) -> Summary:
        """The diagnosis in four sentences.

        Parameters
        ----------
        result
            An inspection.
        node
            Whose noise is explained; the repair is of the whole formula.
        progress
            Called with the fraction done, 0 to 1; an exception of it ends the work.

        Returns
        -------
        Summary
            User text in backticks.
        """
        diagnosis = self.diagnosis(result, node)
        _, why, place, fault = diagnosis.sentences
        repairs = self.repairs(result, progress)
        leading = repairs.leading
        return Summary(
            why=why,
            where=place,
            fault=fault,
            instead=str(repairs.offer or ""),
            better="" if leading is None else leading.text,
            form=None if leading is None else leading.formula,
            is_exact=leading is None or leading.is_exact,
            stop=str(repairs.stop or ""),
            losses=diagnosis.losses,
            added=diagnosis.writing.added,
            guess=self._guess(result),
        )

    def _guess(self, result: InspectionResult) -> str:
        if not result.guessed:
            return ""
        return str(self._answer("guess", result, guess_told, result.domains, result.guessed))

    def _answer(
        self, kind: str, result: InspectionResult, ask: Callable[..., T], *more: object
    ) -> T:
        """An answer that needs no search: at once for a quick result, else by a worker."""

        def make() -> T:
            if result.quick:
                return ask(result.inspection, *more)
            return self._work(result, about, None, ask, more)

        return self._keep((kind, *more), result, make)

    def _work(
        self,
        result: InspectionResult,
        ask: Callable[..., T],
        progress: Progress | None,
        *more: object,
    ) -> T:
        return self._workers.run(
            ask,
            result,
            *more,
            progress=progress or _unheard,
            wait=None if progress is None else lambda: progress(0.0),
            seconds=LONGEST * max(1, result.request.effort),
            long=result.request.effort > 1,
        )

    def _keep(
        self,
        key: tuple[object, ...],
        result: InspectionResult,
        make: Callable[[], T],
        *,
        complete: Callable[[T], bool] = lambda _: True,
    ) -> T:
        kind, *more = key
        at = (kind, result.request, *more)
        # A second visitor waits for the first and gets its answer.
        with self._turns[hash(at) % len(self._turns)]:
            shared = parts_of(result)
            return self._answers.get(at, make, complete, shared, owner=current_visitor.get())


def _unheard(*_: float) -> None:
    """Ignore progress."""


def about(
    result: InspectionResult,
    ask: Callable[..., T],
    more: tuple[object, ...],
    progress: Progress | None = None,
) -> T:
    return ask(result.inspection, *more)


def repairs_of(
    result: InspectionResult, seconds: float, progress: Progress | None = None
) -> Repairs:
    inspection = result.inspection
    return repair(
        inspection.formula,
        inspection.samples,
        effort=result.request.effort,
        limit_seconds=seconds,
        progress=progress,
        inspection=inspection,
    )


def own_form_of(
    result: InspectionResult, form: Formula, progress: Progress | None = None
) -> OwnForm:
    return compare_own_form(result.inspection.formula, form, result.inspection.samples)


def repaired(
    result: InspectionResult, form: Formula, progress: Progress | None = None
) -> Inspection:
    return inspect(form, result.inspection.samples)


def triangulation(result: InspectionResult, progress: Progress | None = None) -> Triangulation:
    return triangulate(result.inspection, seed=result.request.seed, progress=progress)


def budget(result: InspectionResult, tolerance: float, progress: Progress | None = None) -> Budget:
    return digit_budget(result.inspection, tolerance=tolerance, progress=progress)


def report_page(
    result: InspectionResult,
    findings: Findings,
    provenance: Provenance,
    progress: Progress | None = None,
) -> str:
    return render(findings, provenance)
