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
from typing import TypeVar

from eic_core.errors import UserError
from eic_core.explain.bottleneck import diagnosed_node
from eic_core.explain.budget import TOLERANCE, Budget, digit_budget
from eic_core.explain.diagnosis import Diagnosis
from eic_core.explain.ledger import Ledger, blame
from eic_core.explain.losses import Loss
from eic_core.explain.triangulation import Triangulation, triangulate
from eic_core.explain.verdict import verdict
from eic_core.explain.what_if import WhatIf, what_if_mean
from eic_core.explain.where import Where, where
from eic_core.explain.writing import WritingLoss, writing_loss
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection, inspect
from eic_core.report import Answers, Findings, collect_findings
from eic_core.rewriting import Repairs, repair
from pages.ui.kit.caches import BoundedCache, Progress, UnfinishedAnswers
from pages.ui.kit.inspector_service import InspectionResult

KEPT = 192e6
"""Bytes of results that are remembered, about."""

SEARCH_SECONDS = 2.0
"""How long a search for better forms may take, unless it is told to go on to its end."""

T = TypeVar("T")


@dataclass(frozen=True)
class Summary:
    """A diagnosis in four sentences, user text in backticks.

    Attributes
    ----------
    why : str
        Whose noise it is.
    where : str
        Which rows carry it.
    fault : str
        Function or writing.
    instead : str
        The best repair, or why there is none; and whether the search was cut short.
    better : str
        What to paste instead, or "".
    complete : bool
        Whether the search for something better came to its end.
    losses : tuple of Loss
        The loss numbers that the page shows, each with its name.
    """

    why: str
    where: str
    fault: str
    instead: str
    better: str = ""
    complete: bool = True
    losses: tuple[Loss, ...] = ()


class DiagnosisService:
    """Answers about results; every method raises `UserError` where an answer makes no sense.

    Answers are pure functions of a request, so they are shared by all visits.  An answer that
    was cut short is not, and about a result that was cut short there is none (ADR 0011).

    Parameters
    ----------
    capacity : float
        Bytes.
    clock : callable () -> float
        Seconds.
    """

    def __init__(
        self, capacity: float = KEPT, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._answers = BoundedCache(capacity)
        self._clock = clock
        self._turns = tuple(Lock() for _ in range(64))

    def blame(self, result: InspectionResult, node: int) -> Ledger:
        """Whose noise a node's amplification is."""
        return self._answer("blame", result, lambda: blame(result.inspection, node), node)

    def what_if(self, result: InspectionResult, node: int) -> WhatIf:
        """What becomes of the output if a node is replaced by its mean."""
        return self._answer("what if", result, lambda: what_if_mean(result.inspection, node), node)

    def where(self, result: InspectionResult, node: int) -> Where:
        """Which rows carry a node's amplification."""
        return self._answer("where", result, lambda: where(result.inspection, node), node)

    def writing(self, result: InspectionResult) -> WritingLoss:
        """Whether the function or its writing is to blame."""
        return self._answer("writing", result, lambda: writing_loss(result.inspection))

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
        result : InspectionResult
        seconds : float
            The search takes up to about as long; what comes back says if it was cut short.
        progress : callable (fraction) -> None, optional
        aside : UnfinishedAnswers, optional
            The visit's, for what is cut short; not for a search that is to go on to its end.
        """
        inspection = result.inspection

        def search() -> Repairs:
            return repair(
                inspection.formula,
                inspection.samples,
                limit_seconds=seconds,
                progress=progress,
                clock=self._clock,
            )

        def make() -> Repairs:
            return search() if aside is None else aside.get(("repairs", result.request), search)

        return self._answer(
            "repairs", result, make, complete=lambda r: r.finished, patient=seconds < math.inf
        )

    def repaired(self, result: InspectionResult, form: Formula) -> Inspection:
        """Another form of the formula, inspected on the same samples."""
        return self._answer(
            "repaired",
            result,
            lambda: inspect(form, result.inspection.samples),
            form.source,
        )

    def triangulation(
        self, result: InspectionResult, progress: Progress | None = None
    ) -> Triangulation:
        """The recursion beside Algorithm 2 and the observed errors; takes up to seconds."""
        return self._answer(
            "truth",
            result,
            lambda: triangulate(result.inspection, seed=result.request.seed, progress=progress),
        )

    def budget(
        self, result: InspectionResult, tolerance: float, progress: Progress | None = None
    ) -> Budget:
        """How many digits each constant and input needs; takes up to seconds."""
        return self._answer(
            "budget",
            result,
            lambda: digit_budget(result.inspection, tolerance=tolerance, progress=progress),
            tolerance,
        )

    def diagnosis(self, result: InspectionResult, node: int) -> Diagnosis:
        """What is wrong, whose noise a node's amplification is, where, and whose fault."""
        return Diagnosis(
            result.inspection,
            verdict(result.inspection),
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
        """Everything that a report says; computes only what nobody has asked yet."""
        answers = Answers(
            lambda: self.diagnosis(result, diagnosed_node(result.inspection)),
            lambda: self.repairs(result, aside=aside),
            lambda: self.triangulation(result),
            lambda: self.budget(result, tolerance),
        )
        return collect_findings(result.inspection, answers)

    def summary(
        self,
        result: InspectionResult,
        node: int,
        progress: Progress | None = None,
        *,
        aside: UnfinishedAnswers | None = None,
    ) -> Summary:
        """The four sentences, about the noise of `node` and the form of the whole."""
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
        self,
        kind: str,
        result: InspectionResult,
        make: Callable[[], T],
        *more: object,
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
        key = (kind, result.request, *more)
        # Who asks second waits for the first, unless that may take for ever.
        turn: AbstractContextManager[object] = self._turns[hash(key) % len(self._turns)]
        with turn if patient else nullcontext():
            return self._answers.get(key, make, lambda _: weight, complete)
