"""Problems weighed alike: another estimand, with a variance that covers it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from study.report.phrases.rates import equal_sentence
from study.statistics.clusters import Estimand
from study.statistics.inference import clustered_rate, equal_problems
from study.statistics.simulation import StudyModel, simulate, simulate_many
from study.statistics.validation.scenarios import DEMO_SIZES
from study.statistics.votes import VoteArrays
from tests.effort import cases

DEMO = StudyModel(
    preference=0.5,
    kappa=0.37,
    problem_share=0.5,
    pairs=sum(DEMO_SIZES),
    problems=len(DEMO_SIZES),
    sizes=DEMO_SIZES,
    raters=84,
)
EVEN = replace(DEMO, sizes=(), pairs=84, problems=14)


def even_votes(seed: int) -> VoteArrays:
    """As many votes on each problem: each rater votes on two pairs of each."""
    rng = np.random.default_rng(seed)
    rater, pair = (each.ravel() for each in np.indices((20, 24)))
    liking = rng.normal(size=24)[pair] + 0.5 * rng.normal(size=20)[rater]
    names = tuple(f"{i:02}" for i in range(24))
    return VoteArrays(
        (liking + rng.normal(size=len(rater)) > 0).astype(float),
        pair.astype(np.intp),
        rater.astype(np.intp),
        (pair // 2).astype(np.intp),
        names,
        names[:20],
        names[:12],
        np.ones(len(rater), dtype=np.bool_),
        np.ones(len(rater), dtype=np.intp),
    )


@pytest.mark.parametrize("estimand", ["problems like these", "pairs like these", "these pairs"])
def test_problems_of_one_size_give_the_headline(estimand: Estimand) -> None:
    table = even_votes(3)
    rate, mean = clustered_rate(table, estimand=estimand), equal_problems(table, estimand=estimand)
    assert mean is not None and rate.standard_error and rate.p_two_sided
    one, other = rate.interval(), mean.interval()
    assert one and other
    assert mean.value == pytest.approx(rate.rate, abs=1e-12)
    assert mean.standard_error == pytest.approx(rate.standard_error, abs=1e-12)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12)
    assert mean.p_two_sided == pytest.approx(rate.p_two_sided, abs=1e-12)


def test_a_problem_counts_once_however_many_votes_it_has() -> None:
    """Votes of the largest problem given twice move the headline and not the mean."""
    table = simulate(replace(DEMO, preference=0.7), np.random.default_rng(2))
    twice = table.select(
        np.concatenate([np.arange(len(table)), np.flatnonzero(table.problem == 0)])
    )
    one, other = equal_problems(table), equal_problems(twice)
    assert one is not None and other is not None
    assert other.value == pytest.approx(one.value, abs=1e-12)
    assert clustered_rate(twice).rate != clustered_rate(table).rate
    rates = [table.lower[table.problem == q].mean() for q in range(14)]
    assert one.value == pytest.approx(np.mean(rates), abs=1e-12)


def test_the_interval_covers_and_is_shorter_at_the_sizes_of_the_demo() -> None:
    studies = cases(60, 1000)
    covered, rejected, widths = 0, 0, []
    for study in simulate_many(DEMO, studies, np.random.default_rng(5)):
        table = replace(study.table, sampled="problems")
        rate, mean = clustered_rate(table), equal_problems(table)
        assert mean is not None and mean.p_two_sided is not None
        one, other = rate.interval(), mean.interval()
        assert one and other
        covered += other.low <= DEMO.preference <= other.high
        rejected += mean.p_two_sided < 0.05
        widths.append((other.high - other.low, one.high - one.low))
    error = (0.05 * 0.95 / studies) ** 0.5
    assert covered / studies >= 0.93 - 2.5 * error and rejected / studies <= 0.06 + 2.5 * error
    mean_width, rate_width = np.mean(widths, axis=0)
    assert mean_width < 0.85 * rate_width


def test_one_problem_or_one_rater_has_no_mean_of_problems() -> None:
    table = even_votes(1)
    assert equal_problems(table.select(table.problem == 0)) is None
    assert equal_problems(table.select(table.rater == 0)) is None
    assert equal_problems(table.select(np.zeros(0, dtype=np.intp))) is None


def test_few_problems_are_too_few_and_are_said_to_be() -> None:
    table = even_votes(1)
    mean = equal_problems(table.select(table.problem < 5), estimand="problems like these")
    assert mean is not None and mean.too_small
    assert "another question than that of the headline" in str(equal_sentence(mean, 0.95))
