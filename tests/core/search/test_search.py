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
from eic_core.search.checkpoint import read_checkpoint, write_checkpoint
from eic_core.search.problem import SearchProblem, problem_of
from eic_core.search.run import SearchBudget, SearchResult, search
from tests.effort import dear

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


def noisy(method: str = "gp") -> SearchProblem:
    samples = law("x*y + sin(z)/x", noise=0.05)
    return problem_of(samples, method=method, operators=STEPS, max_complexity=25)


by_method = pytest.mark.parametrize("method", list(run.METHODS))


@pytest.fixture
def short_epochs(monkeypatch):
    """Several epochs in a small budget, for searches in one process."""
    monkeypatch.setattr(run, "EPOCH", 200)


def texts(result: SearchResult) -> list[tuple[str, float, float]]:
    return [(found.text, found.score.r2, found.score.eic) for found in result.front]


@by_method
def test_one_process_and_two_find_the_same(method: str) -> None:
    problem, budget = noisy(method), SearchBudget(max_evals=1200)
    one, two = (search(problem, budget, seed=5, jobs=jobs) for jobs in (1, 2))
    assert texts(one) == texts(two) and one.front
    assert one.evaluations == two.evaluations == 1200
    assert texts(search(problem, budget, seed=6)) != texts(one)


@by_method
def test_a_worker_that_is_started_anew_works_on_the_same_problem(method: str) -> None:
    """Where processes are not forked, all they get is pickled."""
    problem, first = noisy(method), run.METHODS[method].first(7, 2)
    other = run.problem_in(pickle.loads(pickle.dumps(run.problem_document(problem))))
    assert pickle.loads(pickle.dumps(first)).after(other, 300) == first.after(problem, 300)


@by_method
def test_islands_read_from_a_checkpoint_go_on_as_those_in_memory(method: str, tmp_path) -> None:
    problem, file, kind = noisy(method), tmp_path / "run.json", run.METHODS[method]
    settings = run.settings_of(problem, 7)
    islands = [kind.first(7, i).after(problem, 300) for i in range(run.ISLANDS)]
    for _ in range(2):
        islands = kind.migrated(islands)
        write_checkpoint(file, settings, [island.document() for island in islands])
        again = read_checkpoint(file, settings, lambda i, d: kind.read(i, d, problem))
        assert again == islands
        islands = [island.after(problem, 200) for island in islands]
        assert [island.after(problem, 200) for island in again] == islands


@by_method
def test_a_search_goes_on_from_the_islands_of_another(method: str, short_epochs) -> None:
    whole = search(noisy(method), SearchBudget(max_evals=1600), seed=3)
    half = search(noisy(method), SearchBudget(max_evals=800), seed=3)
    rest = search(noisy(method), SearchBudget(max_evals=1600), seed=3, islands=half.islands)
    assert half.evaluations == 800 and rest.islands == whole.islands
    assert texts(rest) == texts(whole)


def test_a_digit_costs_what_the_paper_takes_for_the_method_unless_it_is_given() -> None:
    samples = law("x*y")
    costs = [
        search(problem_of(samples), SearchBudget(max_evals=40), method=method).problem.weights.alpha
        for method in ("gp", "mcts")
    ]
    assert costs == [0.002, 0.01]
    assert problem_of(samples, alpha=0.0, method="mcts").weights.alpha == 0
    with pytest.raises(DataError, match="no method"):
        search(problem_of(samples), SearchBudget(max_evals=40), method="ga")


def test_the_order_of_rows_makes_no_difference() -> None:
    problem = noisy()
    order = np.random.default_rng(1).permutation(len(problem.samples))
    shuffled = problem_of(problem.samples.take(order), operators=STEPS, max_complexity=25)
    one, other = (search(on, SearchBudget(max_evals=1200), seed=2) for on in (problem, shuffled))
    assert [found.formula.structure() for found in one.front] == [
        found.formula.structure() for found in other.front
    ]


@dear(3)
@pytest.mark.parametrize(
    ("text", "nodes", "method", "seed"),
    [
        ("3*x*y/z", 7, "gp", 2),
        ("3*x*y/z", 7, "mcts", 2),
        ("x*sin(y) + 2.5*z", 8, "gp", 2),
        ("x*sin(y) + 2.5*z", 8, "mcts", 2),
        ("sqrt(x**2 + y**2)", 10, "gp", 2),
        ("sqrt(x**2 + y**2)", 10, "mcts", 1),
    ],
)
def test_laws_are_found_exactly(text: str, nodes: int, method: str, seed: int, monkeypatch) -> None:
    monkeypatch.setattr(run, "EPOCH", 1500)
    problem = problem_of(law(text), method=method, operators=STEPS)
    found = search(problem, SearchBudget(max_evals=12_000, enough_r2=1 - 1e-12), seed=seed)
    best = found.select("accurate")
    assert 1 - best.score.r2 < 1e-11 and best.formula.complexity <= nodes, best.text
    assert found.stopped == "enough"


@by_method
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(
    method: str, tmp_path, short_epochs
) -> None:
    whole = search(noisy(method), SearchBudget(max_evals=1800), seed=3)
    file = tmp_path / "run.json"
    calls: list[int] = []
    first = search(
        noisy(method),
        SearchBudget(max_evals=1800),
        seed=3,
        checkpoint=file,
        progress=lambda now: calls.append(now.evaluations),
        cancelled=lambda: len(calls) == 2,
    )
    assert first.stopped == "cancelled" and first.evaluations == 1600
    second = search(noisy(method), SearchBudget(max_evals=1800), seed=3, checkpoint=file)
    assert second.stopped == "evaluations" and second.evaluations == 1800
    assert texts(second) == texts(whole)


def test_a_checkpoint_of_another_search_or_a_damaged_one_is_refused(tmp_path, short_epochs) -> None:
    file = tmp_path / "run.json"
    search(noisy(), SearchBudget(max_evals=800), seed=3, checkpoint=file)
    with pytest.raises(DataError, match="differs in seed"):
        search(noisy(), SearchBudget(max_evals=800), seed=4, checkpoint=file)
    with pytest.raises(DataError, match="differs in method, alpha"):
        search(noisy(), SearchBudget(max_evals=800), seed=3, checkpoint=file, method="mcts")
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
            search(noisy(), SearchBudget(max_evals=800), seed=3, checkpoint=file)
    file.write_text("no JSON")
    with pytest.raises(DataError, match="damaged"):
        search(noisy(), SearchBudget(max_evals=800), seed=3, checkpoint=file)


def test_a_checkpoint_of_before_there_were_methods_still_opens(tmp_path, short_epochs) -> None:
    file = tmp_path / "run.json"
    whole = search(noisy(), SearchBudget(max_evals=1600), seed=3)
    search(noisy(), SearchBudget(max_evals=800), seed=3, checkpoint=file)
    document = json.loads(file.read_text())
    assert document["settings"].pop("method") == "gp"
    file.write_text(json.dumps({**document, "format": 1}))
    rest = search(noisy(), SearchBudget(max_evals=1600), seed=3, checkpoint=file)
    assert texts(rest) == texts(whole)


def test_a_tree_that_does_not_hang_together_is_refused(tmp_path, short_epochs) -> None:
    file = tmp_path / "run.json"
    search(noisy("mcts"), SearchBudget(max_evals=400), seed=3, checkpoint=file)
    good = json.loads(file.read_text())
    damages = [
        lambda tree: tree["formulas"].pop(),
        lambda tree: tree["parents"].__setitem__(3, 3),
        lambda tree: tree["parents"].__setitem__(0, 0),
        lambda tree: tree["visits"].__setitem__(2, 0),
        lambda tree: tree["made"].__setitem__(2, -1),
        lambda tree: tree["rewards"].__setitem__(2, float("1e999")),
        lambda tree: tree.pop("rewards"),
    ]
    for damage in damages:
        document = json.loads(json.dumps(good))
        damage(document["islands"][1])
        file.write_text(json.dumps(document))
        with pytest.raises(DataError, match="damaged"):
            search(noisy("mcts"), SearchBudget(max_evals=400), seed=3, checkpoint=file)


def test_an_interrupt_keeps_what_was_found(short_epochs) -> None:
    calls: list[int] = []

    def interrupt(now: run.SearchProgress) -> None:
        calls.append(now.evaluations)
        if len(calls) == 2:
            raise KeyboardInterrupt

    stopped = search(noisy(), SearchBudget(max_evals=10_000), seed=3, progress=interrupt)
    assert stopped.stopped == "interrupted" and stopped.front and stopped.evaluations == 1600


def test_time_ends_a_search(short_epochs) -> None:
    now = iter(range(0, 1000, 10))
    result = search(noisy(), SearchBudget(max_seconds=25), clock=lambda: float(next(now)))
    assert result.stopped == "time" and result.evaluations == 3 * 4 * 200


@by_method
def test_a_search_ends_where_there_is_nothing_else_to_build(method: str) -> None:
    samples = Samples.from_columns({"x": [1.0, 2.0, 3.0, 5.0]}, target=[1.0, 4.0, 9.0, 26.0])
    few = problem_of(samples, method=method, operators=("square",), max_complexity=6)
    result = search(few, SearchBudget(max_evals=10_000))
    assert result.stopped == "exhausted" and result.evaluations < 100
    assert all(found.formula.complexity <= 6 for found in result.front)
    assert "x**2" in result.select("accurate").text


@by_method
def test_data_without_any_candidate_are_told(method: str) -> None:
    samples = Samples.from_columns({"x": [1.0, 1.0, 1.0]}, target=[1.0, 2.0, 3.0])
    result = search(problem_of(samples), SearchBudget(max_evals=800), method=method)
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
