"""Clustered regressions against statsmodels, closed forms and invariances."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from eic_core.errors import UserError
from study.report.phrases.limits import in_words
from study.statistics import regression as module
from study.statistics.limits import (
    Collinear,
    Constant,
    FewClustersCompared,
    FewVotes,
    Lack,
    OneClusterCompared,
    Separated,
    Unsettled,
)
from study.statistics.regression import least_squares, logistic
from tests.study.clusterings import clustering


def study(seed: int, pairs: int = 40, raters: int = 30, ballots: int = 10) -> dict[str, Any]:
    """Votes with pair and rater effects, a column that matters and one that does not."""
    rng = np.random.default_rng(seed)
    pair = np.concatenate([rng.choice(pairs, ballots, replace=False) for _ in range(raters)])
    rater = np.repeat(np.arange(raters), ballots)
    gap = rng.uniform(2, 8, pairs)[pair]
    side = rng.integers(0, 2, len(pair)).astype(float)
    eta = 0.3 * (gap - 4) + rng.normal(0, 0.7, pairs)[pair] + rng.normal(0, 0.5, raters)[rater]
    y = (rng.uniform(size=len(pair)) < 1 / (1 + np.exp(-eta))).astype(float)
    return {"y": y, "X": np.column_stack([gap, side]), "pair": pair, "rater": rater}


def oracle(kind: Any, made: dict[str, Any], groups: Any) -> Any:
    model = kind(made["y"], sm.add_constant(made["X"]))
    more = {} if kind is sm.OLS else {"disp": 0, "tol": 1e-12, "maxiter": 200}
    return model.fit(cov_type="cluster", cov_kwds={"groups": groups}, **more)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("ours", "theirs"), [(logistic, sm.Logit), (least_squares, sm.OLS)])
@pytest.mark.parametrize("ways", ["rater", "both"])
def test_estimates_and_errors_are_those_of_statsmodels(
    seed: int, ours: Any, theirs: Any, ways: str
) -> None:
    made = study(seed)
    keys = ["pair", "rater"] if ways == "both" else ["rater"]
    groups = np.column_stack([made[key] for key in keys])
    found = ours(
        made["y"], made["X"], ["gap", "side"], clustering(**{key: made[key] for key in keys})
    )
    expected = oracle(theirs, made, groups if ways == "both" else groups[:, 0])
    floor = np.zeros(3)
    if ways == "both":
        floor = np.minimum(*(oracle(theirs, made, made[key]).bse for key in keys))
    assert [term.estimate for term in found.terms] == pytest.approx(expected.params, abs=1e-8)
    errors = np.maximum(np.nan_to_num(expected.bse), floor)
    assert [term.standard_error for term in found.terms] == pytest.approx(errors, rel=1e-6)
    freedom = min(len(set(made[key].tolist())) for key in keys) - 1
    for term, error in zip(found.terms, errors, strict=True):
        tail = 2 * t.sf(abs(term.estimate / error), freedom)
        assert term.p_value == pytest.approx(tail, rel=1e-5)
        interval = term.interval(0.9)
        half = t.ppf(0.95, freedom) * error
        assert [interval.low, interval.high] == pytest.approx(
            [term.estimate - half, term.estimate + half], rel=1e-6
        )


def fitted(made: dict[str, Any], **more: Any) -> Any:
    made = made | more
    return logistic(made["y"], made["X"], ["gap", "side"], clustering(made["rater"], made["pair"]))


def test_an_estimate_that_has_not_settled_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.array([1] * 30 + [0] * 10 + [1] * 12 + [0] * 28, dtype=float)
    x = np.repeat([1.0, 0.0], 40)[:, None]
    monkeypatch.setattr(module, "MOST_STEPS", 2)
    found = logistic(y, x, ["x"], clustering(np.arange(80) % 20))
    assert found.terms == ()
    assert found.reason == Unsettled(2)


def test_a_two_by_two_table_gives_its_odds_ratio() -> None:
    y = np.array([1] * 30 + [0] * 10 + [1] * 12 + [0] * 28, dtype=float)
    x = np.repeat([1.0, 0.0], 40)[:, None]
    found = logistic(y, x, ["x"], clustering(np.arange(80) % 20)).term("x")
    assert found is not None
    assert found.ratio()[0] == pytest.approx((30 * 28) / (10 * 12))
    assert found.ratio(2)[0] == pytest.approx(found.ratio()[0] ** 2)
    ratio, interval = found.ratio(-1)
    assert interval.low < ratio < interval.high


@given(st.integers(0, 30), st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_units_change_estimates_and_errors_and_no_test(
    seed: int, scale: float, shift: float
) -> None:
    made = study(seed, raters=12)
    plain, moved = fitted(made), fitted(made, X=made["X"] * [scale, 1] + [shift, 0])
    for name, factor in (("gap", scale), ("side", 1.0)):
        one, other = plain.term(name), moved.term(name)
        assert other.estimate * factor == pytest.approx(one.estimate, rel=1e-5, abs=1e-9)
        assert other.p_value == pytest.approx(one.p_value, rel=1e-4, abs=1e-9)


@given(st.integers(0, 30))
def test_order_and_labels_change_nothing_and_a_flip_changes_signs(seed: int) -> None:
    made = study(seed, raters=12)
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(len(made["y"]))
    moved = {key: value[mixed] for key, value in made.items()}
    moved["pair"] = rng.permutation(40)[moved["pair"]]
    plain = fitted(made)
    for other, sign in ((fitted(moved), 1), (fitted(made, y=1 - made["y"]), -1)):
        for one, two in zip(plain.terms, other.terms, strict=True):
            assert two.estimate == pytest.approx(sign * one.estimate, abs=1e-8)
            assert two.standard_error == pytest.approx(one.standard_error, rel=1e-6)


def test_a_true_null_is_rejected_about_as_often_as_the_level_says() -> None:
    """Side has no effect in `study`; 400 studies of 40 pairs and 30 raters."""
    rejected = 0
    for seed in range(400):
        term = fitted(study(1000 + seed)).term("side")
        assert term is not None
        rejected += term.p_value < 0.05
    assert 0.02 < rejected / 400 < 0.08


def test_separated_votes_get_a_reason() -> None:
    made = study(0)
    side = made["X"][:, 1]
    separated = fitted(made, y=side).reason
    assert isinstance(separated, Separated) and "side" in separated.names
    nearly = np.where(side == 1, 1.0, made["y"])  # quasi-complete: one cell of the table is empty
    assert isinstance(fitted(made, y=nearly).reason, Separated)
    assert fitted(made, y=np.ones(len(side))).reason is Lack.SAME_CHOICE
    one_against = np.where(side == 1, 1.0, 0.0)
    one_against[:20] = 1 - one_against[:20]
    assert fitted(made, y=one_against).reason is None


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=8, max_size=14))
def test_separation_is_found_exactly_where_a_threshold_splits_the_votes(
    rows: list[tuple[int, bool]],
) -> None:
    x = np.array([float(a) for a, _ in rows])
    y = np.array([float(b) for _, b in rows])
    n = len(x)
    found = logistic(y, x[:, None], ["x"], clustering(np.arange(n) % 4))
    if len(set(x)) == 1:
        assert found.reason == Constant(("x",))
        return
    ones, zeros = x[y == 1], x[y == 0]
    separated = (
        not len(ones) or not len(zeros) or ones.min() >= zeros.max() or zeros.min() >= ones.max()
    )
    if found.reason is Lack.NO_CLUSTERS_DIFFER:  # every cluster speaks for the estimate alike
        assert not separated
        found = logistic(y, x[:, None], ["x"], clustering(np.arange(n)))
    assert bool(found.reason) == separated


def test_singular_designs_get_a_reason() -> None:
    made = study(0)
    gap = made["X"][:, 0]
    follows = fitted(made, X=np.column_stack([gap, 2 * gap + 1])).reason
    assert isinstance(follows, Collinear) and len(follows.names) == 2
    assert fitted(made, X=np.column_stack([gap, gap * 0 + 7])).reason == Constant(("side",))
    one = {key: value[:3] for key, value in made.items()} | {"rater": np.arange(3)}
    assert fitted(one).reason == FewVotes(3, 3)
    assert fitted(made, rater=made["rater"] * 0).reason == OneClusterCompared("rater")
    none = {key: value[:0] for key, value in made.items()}
    assert fitted(none).reason is Lack.NOTHING_TO_COMPARE
    assert json.dumps(in_words(fitted(none).to_json()), allow_nan=False)


def test_few_clusters_are_called_few() -> None:
    assert fitted(study(3, raters=6)).too_small == FewClustersCompared(6, 10)
    assert fitted(study(3)).too_small is None


def test_senseless_input_is_refused() -> None:
    made = study(0)
    for more in (
        {"y": made["y"] + 0.5},
        {"X": made["X"][:, :1]},
        {"X": made["X"] + np.inf},
        {"rater": made["rater"][:5]},
    ):
        with pytest.raises(UserError):
            fitted(made, **more)
    with pytest.raises(UserError):
        fitted(made).terms[0].interval(95)


def test_json_holds_every_term() -> None:
    found = fitted(study(5))
    data = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert [term["name"] for term in data["terms"]] == ["intercept", "gap", "side"]
    assert found.term("nothing") is None
