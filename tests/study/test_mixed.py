"""The mixed logistic model, beside statsmodels and on simulated studies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sparse
from statsmodels.genmod.bayes_mixed_glm import (  # type: ignore[import-untyped]
    BinomialBayesMixedGLM,
)

from study.report.phrases.rates import mixed_sentence
from study.statistics.inference import ClusteredMean, clustered_rate
from study.statistics.mixed import MixedRate, laplace, mixed_rate
from study.statistics.simulation import StudyModel, simulate
from study.statistics.validation.scenarios import DEMO_SIZES
from tests.effort import cases, dear

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
    assert np.abs(other.logposterior_grad(whole)[3:]).max() < 1e-8
    assert 0.05 < variance**0.5 < 1


def test_where_most_votes_agree_there_is_no_model() -> None:
    table = simulate(replace(MODEL, preference=0.92), np.random.default_rng(1))
    mixed = mixed_rate(table, clustered_rate(table))
    assert mixed.lopsided and mixed.rate is None and mixed.interval() is None
    assert "four in five" in str(mixed_sentence(mixed))


def test_it_finds_the_spreads_and_rejects_few_true_nulls() -> None:
    """Problems of the demo's sizes, pairs that differ within them: without effects of pairs 9 to
    12 % were rejected."""
    studies = cases(12, 400)
    model = replace(
        MODEL, pairs=sum(DEMO_SIZES), problems=len(DEMO_SIZES), sizes=DEMO_SIZES, raters=84
    )
    rng = np.random.default_rng(4)
    rejected, spreads = 0, []
    for _ in range(studies):
        table = replace(simulate(model, rng), sampled="problems")
        mixed = mixed_rate(table, clustered_rate(table))
        assert mixed.kinds == ("problem", "pair", "rater") and mixed.p_two_sided is not None
        rejected += mixed.p_two_sided < 0.05
        spreads.append(mixed.spreads)
    assert rejected <= 0.06 * studies + 2.5 * (0.05 * 0.95 * studies) ** 0.5
    # the logistic effects behind the latent shares; the approximation finds pairs somewhat alike
    shares = model.variances
    truth = 1.7 * np.sqrt(np.array([shares.problem, shares.pair, shares.rater]) / shares.noise)
    assert np.mean(spreads, axis=0) == pytest.approx(truth, rel=0.3)


@dear(3)
@pytest.mark.parametrize("seed", range(3))
def test_no_other_spreads_are_likelier_and_the_next_ones_move_the_error_by_a_hundredth(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    table = replace(simulate(MODEL, rng), sampled="problems")
    mixed = mixed_rate(table, clustered_rate(table))
    assert mixed.standard_error
    codes = table.problem, table.pair, table.rater
    start = np.zeros(1 + sum(int(each.max()) + 1 for each in codes))

    def fit(spreads: tuple[float, ...]) -> tuple[float, float]:
        value, _, variance = laplace(table.lower, codes, spreads, start)
        return value, variance**0.5

    best, error = fit(mixed.spreads)
    assert error < mixed.standard_error < 1.5 * error  # the spreads are not known
    for _ in range(40):
        value, _ = fit(tuple(np.exp(rng.uniform(-3, 1.6, 3))))
        assert value < best
    for axis in range(3):
        for step in (0.01, -0.01):
            near = [s * np.exp(step * (i == axis)) for i, s in enumerate(mixed.spreads)]
            value, moved = fit(tuple(near))
            assert value <= best + 1e-9 and moved == pytest.approx(error, rel=0.01)


def test_where_it_leads_elsewhere_it_is_said_why_and_that_the_headline_rules() -> None:
    mixed = MixedRate(("problem", "pair", "rater"), (1.0, 1.0, 1.0), 0.8, 0.2, 13, 0.95)
    table = simulate(replace(MODEL, preference=0.55), np.random.default_rng(3))
    headline = clustered_rate(table, estimand="problems like these")
    interval = headline.interval()
    assert interval and interval.low < 0.5
    clear = ClusteredMean(0.7, 0.04, 13, 14, None)
    for alike, apart in ((clear, "weights"), (None, "suppositions")):
        assert mixed.apart(headline, alike) == apart
        sentence = str(mixed_sentence(mixed, mixed.apart(headline, alike)))
        assert "leads elsewhere than the headline" in sentence and "rules" in sentence
    assert mixed.apart(replace(headline, estimand="these pairs"), clear) == "others"
    assert "elsewhere" not in str(mixed_sentence(mixed, ""))
    assert replace(mixed, log_odds=0.1).apart(headline, clear) == ""


def test_a_unanimous_study_has_no_fit() -> None:
    table = simulate(MODEL, np.random.default_rng(1))
    same = replace(table, lower=np.ones(len(table)))
    found = mixed_rate(same, clustered_rate(same))
    assert found.rate is None and found.apart(clustered_rate(same), None) == ""
    assert (
        found.interval() is None and str(mixed_sentence(found)) == "" and found.p_two_sided is None
    )


def test_one_pair_that_is_held_fixed_has_no_model() -> None:
    table = simulate(replace(MODEL, pairs=30, problems=1), np.random.default_rng(1))
    table = replace(table, pair=np.zeros_like(table.pair), sampled="pairs")
    headline = clustered_rate(table, estimand="these pairs")
    mixed = mixed_rate(table, headline)
    assert headline.interval() is not None and mixed.interval() is None
    assert mixed.p_two_sided is None
