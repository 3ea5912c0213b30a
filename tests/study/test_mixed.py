"""The mixed logistic model, beside statsmodels and on simulated studies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sparse
from statsmodels.genmod.bayes_mixed_glm import (  # type: ignore[import-untyped]
    BinomialBayesMixedGLM,
)

from study.report.phrases.rates import mixed_sentence
from study.statistics.inference import clustered_rate
from study.statistics.mixed import laplace, mixed_rate
from study.statistics.simulation import StudyModel, simulate
from tests.effort import cases

MODEL = StudyModel(
    preference=0.5,
    kappa=0.37,
    pairs=60,
    raters=40,
    problems=12,
    problem_share=0.5,
    rater_correlation=0.05,
    drop_out=0.2,
    unequal=0.5,
)


def test_the_effects_are_the_mode_that_statsmodels_has() -> None:
    """At given spreads its posterior with a flat prior of the intercept is flat there."""
    table = simulate(replace(MODEL, preference=0.7), np.random.default_rng(1)).decided()
    spreads = (0.75, 0.5)
    sizes = len(table.problems), len(table.raters)
    start = np.zeros(1 + sum(sizes))
    _, at, variance = laplace(table.lower, (table.problem, table.rater), spreads, start)
    columns = [
        sparse.csr_matrix((np.ones(len(table)), (np.arange(len(table)), codes)), (len(table), size))
        for codes, size in zip((table.problem, table.rater), sizes, strict=True)
    ]
    ident = np.repeat([0, 1], sizes)
    other = BinomialBayesMixedGLM(
        table.lower,
        np.ones((len(table), 1)),
        sparse.hstack(columns).tocsr(),
        ident,
        vcp_p=1.0,
        fe_p=1e6,
    )
    whole = np.concatenate([at[:1], np.log(spreads), at[1:]])
    slope = other.logposterior_grad(whole)
    assert np.abs(np.delete(slope, [1, 2])).max() < 1e-8
    assert 0.05 < variance**0.5 < 1


def test_it_finds_the_spreads_and_rejects_few_true_nulls() -> None:
    studies = cases(16, 300)
    rng = np.random.default_rng(4)
    rejected, spreads = 0, []
    for _ in range(studies):
        table = replace(simulate(MODEL, rng), sampled="problems")
        found = mixed_rate(table, clustered_rate(table))
        assert found.kinds == ("problem", "rater") and found.p_value is not None
        rejected += found.p_value < 0.05
        spreads.append(found.spreads)
    assert rejected <= 0.06 * studies + 2.5 * (0.05 * 0.95 * studies) ** 0.5
    problem, rater = np.mean(spreads, axis=0)  # √(share / rest) of the latent variance, × 1.7
    assert 0.8 < problem < 1.4 and 0.3 < rater < 0.9


def test_a_unanimous_study_has_no_fit() -> None:
    table = simulate(MODEL, np.random.default_rng(1))
    same = replace(table, lower=np.ones(len(table)))
    found = mixed_rate(same, clustered_rate(same))
    assert found.rate is None and str(mixed_sentence(found)) == "" and found.p_value is None
