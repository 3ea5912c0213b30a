"""What the panels ask of a result, each answer computed once and kept for a while.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from eic_core.errors import UserError
from eic_core.explain.bottleneck import diagnosed_node
from eic_core.explain.budget import TOLERANCE, Budget, digit_budget
from eic_core.explain.diagnosis import Diagnosis
from eic_core.explain.ledger import Ledger, blame
from eic_core.explain.losses import Loss
from eic_core.explain.triangulation import Triangulation, triangulate
from eic_core.explain.what_if import WhatIf, what_if_mean
from eic_core.explain.where import Where, where
from eic_core.explain.writing import WritingLoss, writing_loss
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection, inspect
from eic_core.report import Answers, Findings, Provenance, collect_findings, render
from eic_core.rewriting import OwnForm, Repairs, compare_own_form, repair
from pages.ui.kit.caches import BoundedCache, Progress, UnfinishedAnswers
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.workers import LONGEST, UNHURRIED, InThread, Workers

KEPT = 192e6
"""Bytes of results that are remembered, about."""

SEARCH_SECONDS = 2.0
"""How long a search for better forms may take, unless it is told to go on to its end."""

T = TypeVar("T")


@dataclass(frozen=True)
class Summary:
    """A diagnosis in four sentences, user text in backticks."""

    why: str  # Whose noise it is
    where: str  # Which rows carry it
    fault: str  # Function or writing
    instead: str  # The best repair, or why there is none; and whether the search was cut short
    better: str = ""  # What to paste instead, or ""
    complete: bool = True  # Whether the search for something better came to its end
    losses: tuple[Loss, ...] = ()  # The loss numbers that the page shows, each with its name


class DiagnosisService:
    """Answers about results; every method raises `UserError` where an answer makes no sense.

    Answers are pure functions of a request, so they are shared by all visits.  An answer that
    was cut short is not, and about a result that was cut short there is none (ADR 0011).

    Parameters
    ----------
    capacity
        Bytes.
    clock
        Seconds.
    workers
        What is not quick is done there.
    """

    def __init__(
        self,
        capacity: float = KEPT,
        clock: Callable[[], float] = time.monotonic,
        workers: Workers | None = None,
    ) -> None:
        self._answers = BoundedCache(capacity)
        self._clock = clock
        self._workers = workers or InThread()
        self._turns = tuple(Lock() for _ in range(64))

    def blame(self, result: InspectionResult, node: int) -> Ledger:
        """Whose noise a node's amplification is.

        Parameters
        ----------
        result
        node

        Returns
        -------
        Ledger
        """
        return self._answer("blame", result, blame, node)

    def what_if(self, result: InspectionResult, node: int) -> WhatIf:
        """What becomes of the output if a node is replaced by its mean.

        Parameters
        ----------
        result
        node

        Returns
        -------
        WhatIf
        """
        return self._answer("what if", result, what_if_mean, node)

    def where(self, result: InspectionResult, node: int) -> Where:
        """Which rows carry a node's amplification.

        Parameters
        ----------
        result
        node

        Returns
        -------
        Where
        """
        return self._answer("where", result, where, node)

    def writing(self, result: InspectionResult) -> WritingLoss:
        """Whether the function or its writing is to blame.

        Parameters
        ----------
        result

        Returns
        -------
        WritingLoss
        """
        return self._answer("writing", result, writing_loss)

    def repairs(
        self,
        result: InspectionResult,
        seconds: float = SEARCH_SECONDS,
        progress: Progress | None = None,
        *,
        aside: UnfinishedAnswers | None = None,
    ) -> Repairs:
        """What to write instead.

        Parameters
        ----------
        result
        seconds
            The search takes up to about as long; what comes back says if it was cut short.
        progress
        aside
            The visit's, for what is cut short; not for a search that is to go on to its end.

        Returns
        -------
        Repairs
        """

        def search() -> Repairs:
            return self._work(
                result,
                repairs_of,
                progress,
                seconds,
                clock=self._clock,
                patient=seconds < math.inf,
            )

        def make() -> Repairs:
            return search() if aside is None else aside.get(("repairs", result.request), search)

        return self._keep(
            ("repairs",), result, make, complete=lambda r: r.finished, patient=seconds < math.inf
        )

    def own_form(self, result: InspectionResult, form: Formula) -> OwnForm:
        """A form that the user proposes, beside the formula; takes up to seconds.

        Parameters
        ----------
        result
        form

        Returns
        -------
        OwnForm
        """
        return self._keep(
            ("own form", form.structure()),
            result,
            lambda: self._work(result, own_form_of, None, form),
        )

    def repaired(self, result: InspectionResult, form: Formula) -> Inspection:
        """Another form of the formula, inspected on the same samples.

        Parameters
        ----------
        result
        form

        Returns
        -------
        Inspection
        """
        return self._keep(
            ("repaired", form.source), result, lambda: self._work(result, repaired, None, form)
        )

    def triangulation(
        self, result: InspectionResult, progress: Progress | None = None
    ) -> Triangulation:
        """The recursion beside Algorithm 2 and the observed errors; takes up to seconds.

        Parameters
        ----------
        result
        progress

        Returns
        -------
        Triangulation
        """
        return self._keep(("truth",), result, lambda: self._work(result, triangulation, progress))

    def budget(
        self, result: InspectionResult, tolerance: float, progress: Progress | None = None
    ) -> Budget:
        """How many digits each constant and input needs; takes up to seconds.

        Parameters
        ----------
        result
        tolerance
        progress

        Returns
        -------
        Budget
        """
        return self._keep(
            ("budget", tolerance),
            result,
            lambda: self._work(result, budget, progress, tolerance),
        )

    def diagnosis(self, result: InspectionResult, node: int) -> Diagnosis:
        """What is wrong, whose noise a node's amplification is, where, and whose fault.

        Parameters
        ----------
        result
        node

        Returns
        -------
        Diagnosis
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
        *,
        aside: UnfinishedAnswers | None = None,
    ) -> Findings:
        """Everything that a report says; computes only what nobody has asked yet.

        Parameters
        ----------
        result
        tolerance
        aside

        Returns
        -------
        Findings
        """
        answers = Answers(
            lambda: self.diagnosis(result, diagnosed_node(result.inspection)),
            lambda: self.repairs(result, aside=aside),
            lambda: self.triangulation(result),
            lambda: self.budget(result, tolerance),
        )
        return collect_findings(result.inspection, answers)

    def report(
        self,
        result: InspectionResult,
        known: Provenance,
        tolerance: float = TOLERANCE,
        *,
        aside: UnfinishedAnswers | None = None,
    ) -> str:
        """The report as a page of its own.

        Parameters
        ----------
        result
        known
            Where its samples come from.
        tolerance
            Of the digits that are needed.
        aside
            The visit's, for a search that is cut short.

        Returns
        -------
        str
        """
        findings = self.findings(result, tolerance, aside=aside)
        return self._work(result, report_page, None, findings, known)

    def summary(
        self,
        result: InspectionResult,
        node: int,
        progress: Progress | None = None,
        *,
        aside: UnfinishedAnswers | None = None,
    ) -> Summary:
        """The four sentences, about the noise of `node` and the form of the whole.

        Parameters
        ----------
        result
        node
        progress
        aside

        Returns
        -------
        Summary
        """
        diagnosis = self.diagnosis(result, node)
        _, why, place, fault = diagnosis.sentences
        repairs = self.repairs(result, progress=progress, aside=aside)
        return Summary(
            why=why,
            where=place,
            fault=fault,
            instead=repairs.sentence,
            better=repairs.best.text if repairs.best is not None else "",
            complete=repairs.finished,
            losses=diagnosis.losses,
        )

    def _answer(
        self, kind: str, result: InspectionResult, ask: Callable[..., T], *more: object
    ) -> T:
        """What is told at once about a quick result."""

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
        patient: bool = True,
        **named: Any,
    ) -> T:
        """Have a worker answer."""
        return self._workers.run(
            ask,
            result,
            *more,
            progress=progress or _unheard,
            wait=None if progress is None else lambda: progress(0.0),
            seconds=LONGEST if patient else UNHURRIED,
            long=not patient,
            **named,
        )

    def _keep(
        self,
        key: tuple[object, ...],
        result: InspectionResult,
        make: Callable[[], T],
        *,
        complete: Callable[[T], bool] = lambda _: True,
        patient: bool = True,
    ) -> T:
        if not result.complete:
            raise UserError(
                "this cannot be told before the check at 60 digits is finished",
                hint="finish the check first",
            )
        inspection = result.inspection
        arrays = len(inspection.samples.columns) + 4
        weight = 8.0 * len(inspection.samples) * arrays + 500 * inspection.formula.complexity
        kind, *more = key
        at = (kind, result.request, *more)
        # Who asks second waits for the first, unless that may take for ever.
        turn: AbstractContextManager[object] = self._turns[hash(at) % len(self._turns)]
        with turn if patient else nullcontext():
            return self._answers.get(at, make, lambda _: weight, complete)


def _unheard(*_: float) -> None:
    """Nobody is told of progress."""


def about(
    result: InspectionResult,
    ask: Callable[..., T],
    more: tuple[object, ...],
    progress: Progress | None = None,
) -> T:
    """Any question about an inspection."""
    return ask(result.inspection, *more)


def repairs_of(
    result: InspectionResult,
    seconds: float,
    *,
    clock: Callable[[], float],
    progress: Progress | None = None,
) -> Repairs:
    """What to write instead."""
    found = result.inspection
    return repair(
        found.formula, found.samples, limit_seconds=seconds, progress=progress, clock=clock
    )


def own_form_of(
    result: InspectionResult, form: Formula, progress: Progress | None = None
) -> OwnForm:
    """A form that the user proposes."""
    return compare_own_form(result.inspection.formula, form, result.inspection.samples)


def repaired(
    result: InspectionResult, form: Formula, progress: Progress | None = None
) -> Inspection:
    """Another form on the same samples."""
    return inspect(form, result.inspection.samples)


def triangulation(result: InspectionResult, progress: Progress | None = None) -> Triangulation:
    """The recursion beside Algorithm 2."""
    return triangulate(result.inspection, seed=result.request.seed, progress=progress)


def budget(result: InspectionResult, tolerance: float, progress: Progress | None = None) -> Budget:
    """The digits that are needed."""
    return digit_budget(result.inspection, tolerance=tolerance, progress=progress)


def report_page(
    result: InspectionResult,
    findings: Findings,
    known: Provenance,
    progress: Progress | None = None,
) -> str:
    """The report of what was found."""
    return render(findings, known)
