"""Computations of the organiser's pages for the worker pool; knows nothing of Streamlit."""

from __future__ import annotations

import io
from collections.abc import Callable

from study.planning import (
    Advice,
    Grid,
    Plan,
    Target,
    VerdictRule,
    advise,
    most_studies,
    plan,
    width_grid,
)
from study.report.analysis import StudyReport, analyse
from study.report.bundle import write_bundle
from study.report.exported import StudyExport
from study.statistics.clusters import Estimand
from study.statistics.simulation import StudyModel

# Most studies that each try of the advice simulates.
ADVICE_STUDIES = 400


def simulate(
    model: StudyModel,
    target: Target | None,
    rule: VerdictRule,
    studies: int,
    seed: int,
    progress: Callable[[int, int], None],
) -> tuple[Plan, Grid, Advice | None]:
    """Simulate studies; with a target, also the designs that would reach it."""
    if target is None:
        simulated = plan(model, rule, studies=studies, seed=seed, progress=progress)
        return simulated, width_grid(model, rule), None
    # The advice tries many designs: each gets fewer studies, and the progress counts all of them.
    tries = min(studies, ADVICE_STUDIES)
    total = studies + most_studies(model, rule, tries)
    simulated = plan(
        model, rule, studies=studies, seed=seed, progress=lambda n, _: progress(n, total)
    )
    advice = advise(
        model,
        target,
        rule,
        start=simulated,
        studies=tries,
        seed=seed,
        progress=lambda n, _: progress(studies + n, total),
    )
    return simulated, advice.grid, advice


def complete_report(export: StudyExport, estimand: Estimand) -> StudyReport:
    """A report with all its numbers computed."""
    return analyse(export, estimand=estimand).complete()


def pack_bundle(report: StudyReport, progress: Callable[[int, int], None] | None = None) -> bytes:
    out = io.BytesIO()
    write_bundle(out, report, progress=progress)
    return out.getvalue()
