"""The search in scikit-learn's manner."""

from __future__ import annotations

import builtins
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from eic_core.formula.syntax import read
from eic_core.measure.fit import r_squared
from eic_core.pool.picking import fitness
from eic_core.search import run
from eic_core.search.estimator import EICSymbolicRegressor
from eic_core.search.run import RULES

RNG = np.random.default_rng(3)
X = RNG.uniform(1, 4, (70, 2))
Y = X[:, 0] * np.sin(X[:, 1]) + 0.02 * RNG.normal(size=70)


@pytest.fixture(scope="module")
def fitted():
    return EICSymbolicRegressor(max_evals=3000, random_state=1).fit(X, Y)


def test_scikit_learns_own_checks_pass() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = check_estimator(EICSymbolicRegressor(max_evals=100, random_state=0))
    assert {check["status"] for check in done} <= {"passed", "skipped"}
    assert sum(check["status"] == "passed" for check in done) > 40


def test_it_predicts_what_its_formula_says(fitted) -> None:
    best = fitted.best_
    assert fitted.score(X, Y) == pytest.approx(best.score.r2) and best.score.r2 > 0.9
    assert r_squared(fitted.predict(X), Y) == pytest.approx(best.score.r2)
    assert (pickle.loads(pickle.dumps(fitted)).predict(X) == fitted.predict(X)).all()


def test_the_table_has_a_row_for_each_formula_of_the_front(fitted) -> None:
    table = fitted.equations_
    assert list(table["equation"]) == [found.text for found in fitted.pareto_front_]
    assert table["picked"].sum() == 1 and table["complexity"].is_monotonic_increasing
    mean_squares = [
        np.mean((Y - EICSymbolicRegressor.predict(_with(fitted, found), X)) ** 2)
        for found in fitted.pareto_front_
    ]
    np.testing.assert_allclose(table["loss"], mean_squares, rtol=1e-9)


def _with(fitted, found):
    other = pickle.loads(pickle.dumps(fitted))
    other.best_ = found
    return other


def test_without_pandas_the_table_is_a_list(fitted, monkeypatch) -> None:
    whole = builtins.__import__

    def without(name, *args, **named):
        if name == "pandas":
            raise ImportError(name)
        return whole(name, *args, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    rows = fitted.equations_
    assert isinstance(rows, list) and len(rows) == len(fitted.pareto_front_)


def test_another_formula_can_be_chosen(fitted) -> None:
    other = pickle.loads(pickle.dumps(fitted))
    chosen = {rule: other.select(rule).best_ for rule in RULES}
    assert chosen["accurate"].score.r2 == max(f.score.r2 for f in fitted.pareto_front_)
    assert r_squared(other.predict(X), Y) == pytest.approx(chosen["accurate"].score.r2)
    for row, found in enumerate(fitted.pareto_front_):
        predicted = fitted.predict(X, row)
        assert r_squared(predicted, Y) == pytest.approx(found.score.r2)
        assert other.select(row).best_.text == found.text
        assert (other.predict(X) == predicted).all() and other.latex() == fitted.latex(row)
    assert (fitted.predict(X, -1) == predicted).all()
    for wrong in (len(fitted.pareto_front_), 1.0, True):
        with pytest.raises(ValueError, match="row"):
            fitted.predict(X, wrong)


def test_all_processors_are_asked_for_as_elsewhere(monkeypatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    counts = {jobs: EICSymbolicRegressor(n_jobs=jobs)._jobs() for jobs in (None, 2, -1, -2, -9)}
    assert counts == {None: 1, 2: 2, -1: 3, -2: 2, -9: 1}


def test_sympy_and_latex_say_the_same_formula(fitted) -> None:
    expression = fitted.sympy()
    at = {str(symbol): symbol for symbol in expression.free_symbols}
    for row, value in zip(X[:5], fitted.predict(X[:5]), strict=True):
        point = {at[f"x{i}"]: row[i] for i in range(2) if f"x{i}" in at}
        assert float(expression.subs(point)) == pytest.approx(value, rel=1e-12)
    tex = read(fitted.latex(), syntax="latex").formula
    assert tex.complexity == fitted.best_.formula.complexity


def test_seeds_and_callbacks(fitted) -> None:
    told = []
    again = EICSymbolicRegressor(max_evals=3000, random_state=1, callbacks=[told.append])
    assert again.fit(X, Y).best_.text == fitted.best_.text
    assert told[-1].evaluations == again.n_evaluations_ == 3000


def worth(found) -> float:
    return fitness(found.score, 0.002)


def test_a_warm_start_goes_on_from_the_last_fit_to_the_same_data(fitted) -> None:
    model = EICSymbolicRegressor(max_evals=1500, random_state=1, warm_start=True)
    first = model.fit(X, Y).best_
    again = pickle.loads(pickle.dumps(model)).fit(X, Y)
    model.fit(X, Y)
    assert model.n_evaluations_ == 3000 and model.best_.text == again.best_.text
    assert worth(model.best_) >= worth(first)
    with pytest.raises(ValueError, match="differs in data"):
        model.fit(X, Y + 1)
    with pytest.raises(ValueError, match="differs in method, alpha"):
        model.set_params(method="mcts").fit(X, Y)
    anew = model.set_params(method="gp", warm_start=False, max_evals=3000).fit(X, Y)
    assert anew.n_evaluations_ == 3000 and anew.best_.text == fitted.best_.text


def test_a_fit_ends_early_where_it_is_good_enough_or_a_callback_says_so(monkeypatch) -> None:
    monkeypatch.setattr(run, "EPOCH", 200)
    settings = {"max_evals": 20_000, "random_state": 1}
    enough = EICSymbolicRegressor(**settings, enough_r2=0.5).fit(X, Y)
    assert enough.stopped_ == "enough" and enough.best_.score.r2 >= 0.5
    told = []
    by_callback = EICSymbolicRegressor(
        **settings, callbacks=[told.append, lambda now: np.int64(now.evaluations) >= 1600]
    ).fit(X, Y)
    assert by_callback.stopped_ == "cancelled" and by_callback.n_evaluations_ == 1600
    assert len(told) == 2


def test_an_interrupt_keeps_what_was_found(monkeypatch) -> None:
    monkeypatch.setattr(run, "EPOCH", 200)

    def interrupt(now: run.SearchProgress) -> None:
        if now.evaluations >= at:
            raise KeyboardInterrupt

    at = 1600
    model = EICSymbolicRegressor(max_evals=20_000, random_state=1, callbacks=[interrupt])
    assert model.fit(X, Y).stopped_ == "interrupted" and model.n_evaluations_ == 1600
    assert model.score(X, Y) > 0.5


def test_columns_with_names_keep_them() -> None:
    import pandas

    frame = pandas.DataFrame({"mass": X[:, 0], "angle": X[:, 1]})
    model = EICSymbolicRegressor(max_evals=800, random_state=1).fit(frame, Y)
    assert set(model.best_.formula.variables) <= {"mass", "angle"}


def test_scikit_learn_can_validate_it() -> None:
    scores = cross_val_score(EICSymbolicRegressor(max_evals=1500, random_state=0), X, Y, cv=2)
    assert scores.min() > 0.3


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "ga"},
        {"alpha": -1},
        {"penalty": "q50"},
        {"max_evals": None},
        {"operators": ("sine",)},
        {"alpha": "x"},
        {"n_jobs": 0},
        {"n_jobs": 1.5},
    ],
)
def test_a_wrong_parameter_is_a_value_error(wrong) -> None:
    with pytest.raises(ValueError):
        EICSymbolicRegressor(**{"max_evals": 400, **wrong}).fit(X, Y)


def test_the_search_itself_needs_no_scikit_learn() -> None:
    program = (
        "import sys\n"
        "for name in ('sklearn', 'pandas', 'sympy'):\n    sys.modules[name] = None\n"
        "import eic_core.search, eic_core.search.estimator, eic_core.cli.search_command\n"
        "try:\n    eic_core.search.estimator.EICSymbolicRegressor\n"
        "except ImportError:\n    print('needs it')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "needs it\n", done.stderr
