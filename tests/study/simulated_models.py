"""Answers of simulated models to the pairs of an export."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from study.design import frozen_hash
from study.model_plan import UNDECLARED, Contrast, ModelPlan
from study.report import StudyExport
from study.report.exported_models import ExportedAnswer, ExportedRun

BEGUN = datetime(2025, 6, 1, 12, tzinfo=UTC)
MODELS = ("keen", "fickle", "stuck")


def with_models(
    export: StudyExport,
    *,
    contrast: Contrast = "model less people",
    repeats: int = 4,
    names: Sequence[str] = MODELS,
    declared: Sequence[str] = ("keen", "fickle"),
) -> StudyExport:
    """`keen` follows people's majorities, `fickle` less so, and stops early; `stuck` says A.

    What is declared is frozen: an export that has a configuration gets the hash of the new one.
    """
    plan = (
        ModelPlan(tuple(declared), repeats, prompt_sha256="cd" * 32, contrast=contrast)
        if declared
        else None
    )
    rng = random.Random(7)
    liked = {pair.pair: 0 for pair in export.pairs}
    for vote in export.votes:
        if vote.on_a_pair:
            liked[vote.pair] += {"lower": 1, "higher": -1, "tie": 0}[vote.choice]
    runs, answers = [], []
    for name in names:
        runs.append(
            ExportedRun(
                name,
                name,
                "http://localhost:1/v1",
                0.7,
                repeats,
                "{}",
                "cd" * 32,
                BEGUN.isoformat(),
                "" if name in declared else UNDECLARED,
            )
        )
        keen = {"keen": 0.5, "fickle": 0.2}.get(name, 0.0)
        for repeat in range(1, repeats // 2 + 1):
            for pair in export.pairs:
                for first in ("lower", "higher"):
                    if name == "fickle" and repeat > 1 and rng.random() < 0.3:
                        continue
                    draw = rng.gauss(keen * liked[pair.pair] + 0.3, 1)
                    outcome = first if name == "stuck" else "lower" if draw > 0 else "higher"
                    if name == "fickle" and rng.random() < 0.15:
                        outcome = rng.choice(("tie", "refused", "unparsable"))
                    answers.append(
                        ExportedAnswer(
                            f"a{len(answers)}",
                            name,
                            pair.pair,
                            pair.problem,
                            first,
                            repeat,
                            outcome,
                            f"{name}-2026",
                            "fp",
                            "stop",
                            True,
                            len(answers),
                            900 + len(answers),
                            20,
                            rng.uniform(0.5, 2),
                            BEGUN,
                            '=A1, "A"\n',
                        )
                    )
    export = replace(export, model_runs=tuple(runs), model_answers=tuple(answers))
    if plan is None:
        return export
    design = {**export.configuration.get("design", {}), "model_raters": plan.to_json()}
    configuration = {**export.configuration, "design": design}
    hash = frozen_hash(configuration) if export.configuration else export.hash
    return replace(export, configuration=configuration, hash=hash)
