"""A search: the same for any number of processes and order of rows, goes on after a stop, and finds
laws.
"""

from __future__ import annotations

import json
import pickle
import random

import numpy as np
import pytest

from eic_core.errors import DataError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.pool.scoring import measure_formula
from eic_core.samples import Samples
from eic_core.search import run
from eic_core.search.problem import SearchProblem, problem_of
from eic_core.search.run import IslandState, SearchBudget, SearchResult, search

STEPS = ("add", "sub", "mul", "div", "square", "sqrt", "sin", "exp")


def law(text: str, rows: int = 60, *, noise: float = 0.0) -> Samples:
    rng = np.random.default_rng(4)
    formula = read(text).formula
    columns = {name: rng.uniform(1, 4, rows) for name in sorted(formula.variables)}
    target = eval_on(text, Samples.from_columns(columns)) + noise * rng.normal(size=rows)
    return Samples.from_columns(columns, target=target, target_name="t")


def eval_on(text: str, samples: Samples) -> np.ndarray:
    from eic_core.engine.values import values

    found = values(read(text).formula, samples)
    assert found is not None
    return found


def noisy() -> SearchProblem:
    return problem_of(law("x*y + sin(z)/x", noise=0.05), operators=STEPS, max_complexity=25)


@pytest.fixture
def short_epochs(monkeypatch):
    """Several epochs in a small budget, for searches in one process."""
    monkeypatch.setattr(run, "EPOCH", 400)


def texts(result: SearchResult) -> list[tuple[str, float, float]]:
    return [(found.text, found.score.r2, found.score.eic) for found in result.front]


def test_one_process_and_two_find_the_same() -> None:
    one, two = (search(noisy(), SearchBudget(max_evals=2000), seed=5, jobs=jobs) for jobs in (1, 2))
    assert texts(one) == texts(two) and one.front
    assert one.evaluations == two.evaluations == 2000
    other = search(noisy(), SearchBudget(max_evals=2000), seed=6)
    assert texts(other) != texts(one)


def test_a_worker_that_is_started_anew_works_on_the_same_problem() -> None:
    """Where processes are not forked, all they get is pickled."""
    problem = noisy()
    other = run.received(pickle.loads(pickle.dumps(run.sent(problem))))
    state = pickle.loads(pickle.dumps(IslandState.first(7, 2)))
    assert state.after(other, 300) == IslandState.first(7, 2).after(problem, 300)


def test_islands_read_from_a_checkpoint_go_on_as_those_in_memory(tmp_path) -> None:
    problem, file = noisy(), tmp_path / "run.json"
    islands = [IslandState.first(7, i).after(problem, 700) for i in range(run.ISLANDS)]
    for _ in range(2):
        islands = run.migrated(islands)
        run.write_checkpoint(file, problem, 7, islands)
        again = run.read_checkpoint(file, problem, 7)
        assert again == islands
        islands = [island.after(problem, 500) for island in islands]
        assert [island.after(problem, 500) for island in again] == islands


def test_the_order_of_rows_makes_no_difference() -> None:
    problem = noisy()
    order = np.random.default_rng(1).permutation(len(problem.samples))
    shuffled = problem_of(problem.samples.take(order), operators=STEPS, max_complexity=25)
    one, other = (search(on, SearchBudget(max_evals=2000), seed=2) for on in (problem, shuffled))
    assert [found.formula.structure() for found in one.front] == [
        found.formula.structure() for found in other.front
    ]


@pytest.mark.parametrize(
    ("text", "nodes"), [("3*x*y/z", 7), ("x*sin(y) + 2.5*z", 8), ("sqrt(x**2 + y**2)", 10)]
)
def test_laws_are_found_exactly(text: str, nodes: int, monkeypatch) -> None:
    monkeypatch.setattr(run, "EPOCH", 1500)
    problem = problem_of(law(text), operators=STEPS)
    found = search(problem, SearchBudget(max_evals=12_000, enough_r2=1 - 1e-12), seed=2)
    best = found.select("accurate")
    assert 1 - best.score.r2 < 1e-11 and best.formula.complexity <= nodes, best.text
    assert found.stopped == "enough"


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path, short_epochs) -> None:
    whole = search(noisy(), SearchBudget(max_evals=3600), seed=3)
    file = tmp_path / "run.json"
    calls: list[int] = []
    first = search(
        noisy(), SearchBudget(max_evals=3600), seed=3, checkpoint=file,
        progress=lambda now: calls.append(now.evaluations), cancelled=lambda: len(calls) == 2,
    )  # fmt: skip
    assert first.stopped == "cancelled" and first.evaluations == 3200
    second = search(noisy(), SearchBudget(max_evals=3600), seed=3, checkpoint=file)
    assert second.stopped == "evaluations" and second.evaluations == 3600
    assert texts(second) == texts(whole)


def test_a_checkpoint_of_another_search_or_a_damaged_one_is_refused(tmp_path, short_epochs) -> None:
    file = tmp_path / "run.json"
    search(noisy(), SearchBudget(max_evals=1600), seed=3, checkpoint=file)
    with pytest.raises(DataError, match="differs in seed"):
        search(noisy(), SearchBudget(max_evals=1600), seed=4, checkpoint=file)
    good = json.loads(file.read_text())
    damages = [
        lambda d: d["islands"].pop(),
        lambda d: d["islands"][0]["population"][0][0][0].append("mul"),
        lambda d: d["islands"][0]["population"][0].__setitem__(3, float("1e999")),
        lambda d: d["islands"][1].__setitem__("rng", [3, [1, 2], None]),
        lambda d: d["islands"][1]["kept"][0].pop(),
        lambda d: d.__setitem__("islands", 7),
        lambda d: d.pop("settings"),
    ]
    for damage in damages:
        document = json.loads(json.dumps(good))
        damage(document)
        file.write_text(json.dumps(document))
        with pytest.raises(DataError, match="damaged"):
            search(noisy(), SearchBudget(max_evals=1600), seed=3, checkpoint=file)
    file.write_text("no JSON")
    with pytest.raises(DataError, match="damaged"):
        search(noisy(), SearchBudget(max_evals=1600), seed=3, checkpoint=file)


def test_an_interrupt_keeps_what_was_found(short_epochs) -> None:
    calls: list[int] = []

    def interrupt(now: run.SearchProgress) -> None:
        calls.append(now.evaluations)
        if len(calls) == 2:
            raise KeyboardInterrupt

    stopped = search(noisy(), SearchBudget(max_evals=10_000), seed=3, progress=interrupt)
    assert stopped.stopped == "interrupted" and stopped.front and stopped.evaluations == 3200


def test_time_ends_a_search(short_epochs) -> None:
    now = iter(range(0, 1000, 10))
    result = search(noisy(), SearchBudget(max_seconds=25), clock=lambda: float(next(now)))
    assert result.stopped == "time" and result.evaluations == 3 * 4 * 400


def test_a_search_ends_where_there_is_nothing_else_to_build() -> None:
    samples = Samples.from_columns({"x": [1.0, 2.0, 3.0, 5.0]}, target=[1.0, 4.0, 9.0, 26.0])
    few = problem_of(samples, operators=("square",), max_complexity=6)
    result = search(few, SearchBudget(max_evals=10_000))
    assert result.stopped == "exhausted" and result.evaluations < 100
    assert all(found.formula.complexity <= 6 for found in result.front)
    assert "x**2" in result.select("accurate").text


def test_data_without_any_candidate_are_told() -> None:
    samples = Samples.from_columns({"x": [1.0, 1.0, 1.0]}, target=[1.0, 2.0, 3.0])
    result = search(problem_of(samples), SearchBudget(max_evals=800))
    assert result.front == ()
    with pytest.raises(DataError, match="no formula"):
        result.select()


def test_what_is_reported_is_of_the_printed_formula() -> None:
    problem = noisy()
    result = search(problem, SearchBudget(max_evals=1500), seed=5)
    for found in result.front:
        again = read(found.text).formula
        assert to_python(again) == found.text
        assert measure_formula(again, problem.samples) == found.score
        assert found.score.complexity <= 25
    by_r2 = max(result.front, key=lambda found: found.score.r2)
    assert result.select("accurate") is by_r2
    cost = {rule: result.select(rule).score.eic_finite for rule in ("readable", "fitness")}
    assert cost["readable"] <= cost["fitness"]
    with pytest.raises(DataError, match="no rule"):
        result.select("nicest")


def test_no_formula_of_the_front_is_beaten_by_another() -> None:
    front = search(noisy(), SearchBudget(max_evals=1500), seed=5).front
    assert len(front) > 5
    keys = [(-f.score.r2, f.formula.complexity, f.score.eic_finite) for f in front]
    for one in keys:
        assert not any(
            other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in keys
        )


def test_random_numbers_of_others_are_left_alone() -> None:
    random.seed(1)
    expected = random.Random(1).random()
    search(noisy(), SearchBudget(max_evals=400))
    assert random.random() == expected


@pytest.mark.parametrize(
    "budget",
    [{}, {"max_evals": 3}, {"max_seconds": 0.0}],
)
def test_a_budget_that_is_none_is_refused(budget) -> None:
    with pytest.raises(DataError):
        SearchBudget(**budget)


def test_a_target_without_spread_is_refused() -> None:
    with pytest.raises(DataError, match="nothing to explain"):
        problem_of(Samples.from_columns({"x": [1.0, 2.0]}, target=[3.0, 3.0]))
    with pytest.raises(DataError, match="needs a target"):
        problem_of(Samples.from_columns({"x": [1.0, 2.0]}))
