"""What the models that were asked found, beside people: numbers for every output of a report."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from study.report.exported import ExportedVote, StudyExport
from study.report.exported_models import ExportedRun
from study.statistics.models import (
    BetweenModels,
    ModelEstimate,
    ModelFindings,
    between_models,
    holm,
)
from study.statistics.votes import Sampled


@dataclass(frozen=True, eq=False)
class RunResult:
    run: ExportedRun
    found: ModelFindings
    wanted: int  # Pairs of the study times repeats

    @property
    def answers(self) -> int:
        return len(self.found.answers)

    @property
    def snapshots(self) -> tuple[str, ...]:
        """What the endpoint called the model that answered."""
        return tuple(sorted({answer.snapshot for answer in self.found.answers} - {""}))

    @property
    def tokens(self) -> tuple[int, int]:
        """Prompt and completion tokens, as far as they were counted."""
        answers = self.found.answers
        return (
            sum(answer.prompt_tokens or 0 for answer in answers),
            sum(answer.completion_tokens or 0 for answer in answers),
        )

    @property
    def median_latency(self) -> float | None:
        seconds = [answer.latency_seconds for answer in self.found.answers]
        return statistics.median(seconds) if seconds else None

    def to_json(self, level: float) -> dict[str, Any]:
        run, found = self.run, self.found
        within, cells = found.within
        rate, votes = found.people
        asked, said = self.tokens
        return {
            "label": run.label,
            "model": run.model,
            "base_url": run.base_url,
            "snapshots": list(self.snapshots),
            "prompt_sha256": run.prompt_sha256,
            "undeclared": run.undeclared,
            "temperature": run.temperature,
            "repeats": run.repeats,
            "wanted": self.wanted,
            "answers": self.answers,
            "outcomes": dict(found.outcomes),
            "prompt_tokens": asked,
            "completion_tokens": said,
            "median_latency_seconds": self.median_latency,
            "rate": found.rate.to_json(level),
            "people": {"rate": rate, "votes": votes},
            "less_people": found.difference.to_json(level),
            "position": found.position.to_json(level),
            "orders": {
                "same": found.orders.same,
                "first": found.orders.first,
                "second": found.orders.second,
                "undecided": found.orders.undecided,
                "share": found.orders.share,
            },
            "within": {"agreement": within, "cells": cells},
            "agreement": found.agreement.to_json(),
        }


@dataclass(frozen=True)
class PrimaryTest:
    label: str
    estimate: ModelEstimate
    p_holm: float | None  # Corrected for as many tests as there are


@dataclass(frozen=True, eq=False)
class ModelResults:
    runs: tuple[RunResult, ...]
    contrast: str  # The primary one, as frozen; "" if none was declared
    missing: tuple[str, ...]  # Declared models that were not asked
    problems: dict[str, str]
    sampled: Sampled | None = None
    # Models, in the order in which they were declared: not that in which they were asked
    declared: tuple[str, ...] = ()

    @cached_property
    def between(self) -> tuple[tuple[str, str, BetweenModels], ...]:
        return tuple(
            (a.run.label, b.run.label, self._between(a, b))
            for i, a in enumerate(self.runs)
            for b in self.runs[i + 1 :]
        )

    @cached_property
    def primary(self) -> tuple[PrimaryTest, ...]:
        """The declared contrast, for the declared models alone."""
        by_name = {each.run.label: each for each in self.runs if not each.run.undeclared}
        declared = [by_name[name] for name in self.declared if name in by_name]
        found: list[tuple[str, ModelEstimate]] = []
        if self.contrast == "model less people":
            found = [(each.run.label, each.found.difference) for each in declared]
        elif self.contrast == "model against one half":
            found = [(each.run.label, each.found.rate) for each in declared]
        elif self.contrast and all(name in by_name for name in self.declared[:2]):
            a, b = declared[:2]
            found = [(f"{a.run.label} less {b.run.label}", self._between(a, b).difference)]
        corrected = holm([estimate.p_two_sided for _, estimate in found])
        return tuple(
            PrimaryTest(label, estimate, p)
            for (label, estimate), p in zip(found, corrected, strict=True)
        )

    def _between(self, a: RunResult, b: RunResult) -> BetweenModels:
        return between_models(a.found.scores, b.found.scores, self.problems, sampled=self.sampled)

    @cached_property
    def places_p(self) -> tuple[float | None, ...]:
        """Of each run: two-sided, of "places do not matter", corrected for the number of runs."""
        return holm([each.found.position.p_two_sided for each in self.runs])

    def to_json(self, level: float) -> dict[str, Any]:
        return {
            "runs": [
                each.to_json(level) | {"position_p_holm": p}
                for each, p in zip(self.runs, self.places_p, strict=True)
            ],
            "between": [
                {
                    "first": first,
                    "second": second,
                    "pairs": found.pairs,
                    "agreement": found.agreement,
                    "correlation": found.correlation,
                    "difference": found.difference.to_json(level),
                }
                for first, second, found in self.between
            ],
            "contrast": self.contrast,
            "not_asked": list(self.missing),
            "primary": [
                {"label": test.label, "p_holm": test.p_holm} | test.estimate.to_json(level)
                for test in self.primary
            ],
        }


def model_results(
    export: StudyExport,
    votes: Sequence[ExportedVote],
    *,
    level: float,
    sampled: Sampled | None = None,
) -> ModelResults:
    problems = {pair.pair: pair.problem for pair in export.pairs}
    answers = {
        run.label: [a for a in export.model_answers if a.run == run.label]
        for run in export.model_runs
    }
    runs = tuple(
        RunResult(
            run,
            ModelFindings(tuple(answers[run.label]), tuple(votes), problems, sampled, level),
            len(export.pairs) * run.repeats,
        )
        for run in export.model_runs
    )
    plan = export.configuration.get("design", {}).get("model_raters") or {}
    asked = {run.label for run in export.model_runs if not run.undeclared}
    declared = tuple(plan.get("models", ()))
    missing = tuple(name for name in declared if name not in asked)
    return ModelResults(runs, plan.get("contrast", ""), missing, problems, sampled, declared)
