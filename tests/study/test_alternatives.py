"""The methods that the headline is compared with, against their definitions written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from study.statistics.inference import clustered_rate
from study.statistics.simulation import StudyModel, simulate_many
from study.statistics.validation.alternatives import WildBootstrap, satterthwaite
from study.statistics.votes import VoteArrays

SIZES = (9, 5, 3, 2, 2, 1, 1)


@pytest.fixture(scope="module")
def table() -> VoteArrays:
    model = StudyModel(
        0.6,
        0.37,
        problem_share=0.5,
        pairs=sum(SIZES),
        problems=len(SIZES),
        sizes=SIZES,
        raters=20,
        ballots=6,
        drop_out=0.3,
    )
    study = simulate_many(model, 1, np.random.default_rng(4)).study(0)
    return replace(study.table, sampled="problems")


def test_the_wild_bootstrap_is_its_definition_on_single_votes(table: VoteArrays) -> None:
    votes = table.decided()
    wild = WildBootstrap.of(table, draws=20)

    def statistic(weights: np.ndarray) -> float:
        drawn = (votes.lower - 0.6) * weights[votes.problem]
        residuals = drawn - drawn.mean()
        one, two, both = (
            sum(residuals[codes == code].sum() ** 2 for code in set(codes))
            * len(set(codes))
            / (len(set(codes)) - 1)
            for codes in (votes.problem, votes.rater, votes.problem * 1000 + votes.rater)
        )
        return float(drawn.sum() / np.sqrt(max(one + two - both, min(one, two))))

    itself = statistic(np.ones(len(SIZES)))
    beyond = sum(abs(statistic(weights)) >= abs(itself) for weights in wild.weights)
    p_value = (1 + beyond) / 21
    assert wild.accepts(0.6, 1 - p_value + 1e-9) and not wild.accepts(0.6, 1 - p_value - 1e-9)


def test_cr2_is_its_matrices(table: VoteArrays) -> None:
    """(I - H) of each problem to the power -1/2, and degrees of freedom of independent votes."""
    votes = table.decided()
    n = len(votes)
    rest = np.eye(n) - np.full((n, n), 1 / n)
    residuals = votes.lower - votes.lower.mean()
    sums, directions = [], []
    for problem in np.unique(votes.problem):
        own = np.flatnonzero(votes.problem == problem)
        values, vectors = np.linalg.eigh(rest[np.ix_(own, own)])
        weights = (vectors @ np.diag(values**-0.5) @ vectors.T).sum(0) / n
        sums.append(residuals[own] @ weights)
        directions.append(rest[:, own] @ weights)
    gram = np.array(directions) @ np.array(directions).T
    found = satterthwaite(clustered_rate(table), table)
    assert found.components[0].variance == pytest.approx(np.square(sums).sum(), rel=1e-9)
    assert found.degrees_of_freedom == pytest.approx(np.trace(gram) ** 2 / (gram**2).sum())
