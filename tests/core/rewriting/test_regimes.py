"""Forms that choose between others, and approximations, as `repair` offers them."""

import json
import math
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.tape import lay_out
from eic_core.formula.syntax import read
from eic_core.rewriting import Repairs, repair
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.pieces import InputInterval, Omission, Series
from eic_core.rewriting.regimes import choosing
from eic_core.rewriting.regimes.option import Option
from eic_core.rewriting.searched import Searched
from tests.repairs import repaired, repaired_on

QUADRATIC = "(-b + sqrt(b**2 - 4*a*c))/(2*a)"
RNG = np.random.default_rng(3)


def offered(text: str, limit: float = math.inf, **columns: np.ndarray) -> Repairs:
    return repaired_on(text, columns, limit_seconds=limit, limit_steps=120, series=False)


def around_zero(decades: float, count: int = 400) -> np.ndarray:
    return RNG.choice([-1, 1], count) * 10 ** RNG.uniform(-decades, decades, count)


def quadratic_columns(count: int = 400) -> dict[str, np.ndarray]:
    return {
        "a": RNG.uniform(0.5, 2, count),
        "b": RNG.uniform(-1e6, 1e6, count),
        "c": RNG.uniform(0.5, 2, count),
    }


@pytest.fixture(scope="module")
def quadratic() -> Repairs:
    return offered(QUADRATIC, **quadratic_columns())


def test_the_quadratic_formula_chooses_by_the_sign_of_b(quadratic: Repairs) -> None:
    best = quadratic.best
    assert best.is_exact and best.bound == 0
    assert [branch.condition for branch in best.branches] == ["b >= 0", ""]
    assert best.gain.judged.mean_after < 0.5 < 4 < best.gain.judged.mean_before


def test_a_form_that_chooses_keeps_clearly_more_than_the_others(quadratic: Repairs) -> None:
    best, *others = quadratic.repairs
    for other in others:
        assert not other.branches
        assert best.gain.judged.mean_after <= other.gain.judged.mean_after - GAIN


def test_the_branches_tell_their_rows_and_what_they_lose_there(quadratic: Repairs) -> None:
    best = quadratic.best
    assert sum(branch.rows for branch in best.branches) == best.gain.judged.rows
    after = sum(b.rows * b.after for b in best.branches) / best.gain.judged.rows
    assert after == pytest.approx(best.gain.judged.mean_after)
    assert best.steps == tuple(step for branch in best.branches for step in branch.steps)
    assert any(branch.steps for branch in best.branches)
    assert best.assumptions and f"(a side needs `{best.assumptions[0]}`" in str(best.sentence)


def test_a_form_that_chooses_reads_back_and_has_the_exact_values(quadratic: Repairs) -> None:
    best = quadratic.best
    form, formula = read(best.text).formula, read(QUADRATIC).formula
    for row in range(20):
        cells = {name: float(c[row]) for name, c in quadratic_columns(20).items()}
        one, other = (ExactEvaluator(lay_out(f), 200).sample(cells).y[-1] for f in (form, formula))
        assert abs(one - other) <= abs(other) * 1e-30


def test_the_front_and_the_json_hold_a_form_that_chooses(quadratic: Repairs) -> None:
    document = json.loads(json.dumps(quadratic.to_json(), allow_nan=False))
    first = document["repairs"][0]
    assert [branch["condition"] for branch in first["branches"]] == ["b >= 0", ""]
    assert any(len(form["branches"]) == 2 for form in document["front"])
    costs = [form.nanoseconds.c for form in quadratic.front]
    assert costs == sorted(costs)


def test_one_answer_for_the_same_data() -> None:
    x = around_zero(5)
    one, other = (offered("sqrt(x**2 + 1) - x", x=x).best for _ in range(2))
    assert one.text == other.text and len(one.branches) == 2


def test_a_program_in_single_precision_chooses_too() -> None:
    found = repaired_on(QUADRATIC, quadratic_columns(), target="float32", limit_steps=120)
    assert len(found.best.branches) == 2


@pytest.mark.parametrize("text", ["sqrt(x + 1) - sqrt(x)", "1/(x + 1) - 1/x", "x*x + 1"])
def test_no_form_chooses_where_one_is_good_everywhere(text: str) -> None:
    found = repaired(text, "x=loguniform:1e-3:1e8", limit_steps=120)
    assert not found.left_out and not any(form.branches for form in found.repairs)


def test_branches_are_turned_off() -> None:
    options = {"branches": False, "series": False, "limit_steps": 60}
    found = repaired_on(QUADRATIC, quadratic_columns(), **options)
    assert not any(form.branches for form in found.repairs)


def test_without_time_the_exact_forms_stay_and_the_answer_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choosing, "CHOOSING", 0.0)
    repairs = offered(QUADRATIC, limit=20.0, **quadratic_columns())
    assert Omission.BRANCHES_TIME in repairs.left_out
    assert repairs.best is None or not repairs.best.branches


# --- options under a guard, as others propose them


def guard(searched: Searched, text: str) -> int:
    return searched.terms[searched.terms.add(read(f"where({text}, 1, 0)").formula)].children[0]


def option(searched: Searched, text: str, where: str, series: Series | None = None) -> Option:
    root = searched.terms.add(read(text).formula)
    lost = searched.measurer.everywhere.lost(root)
    return Option(root, (), lost, guard(searched, where), series)


SINE = "-x**3/6 + x**5/120 - x**7/5040"


def sine_series(bound: float) -> Series:
    box = (InputInterval("x", -0.01, 0.01),)
    return Series("x", "0", "taylor", 9, "sin(x) - x", SINE, bound, box)


def with_series(
    monkeypatch: pytest.MonkeyPatch, bound: float, where: str = "abs(x) <= 0.01"
) -> Repairs:
    def series_options(
        searched: Searched, best: Option
    ) -> tuple[Sequence[Option], Sequence[Omission]]:
        return [option(searched, SINE, where, sine_series(bound))], [Omission.SERIES_UNFINISHED]

    monkeypatch.setattr(sys.modules[repair.__module__], "series_options", series_options)
    return repaired_on("sin(x) - x", {"x": 10 ** RNG.uniform(-6, 0, 400)})


def test_a_series_is_an_approximation_and_no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    repairs = with_series(monkeypatch, 2e-17)
    (nearest,) = repairs.approximations
    assert not repairs.repairs and not nearest.is_exact and nearest.bound == 2e-17
    assert [branch.is_exact for branch in nearest.branches] == [False, True]
    assert nearest.branches[0].condition == "abs(x) <= 0.01"
    assert nearest.text == f"where(abs(x) <= 0.01, {SINE}, sin(x) - x)"
    assert nearest.verification.agreement == 16
    assert repairs.leading is nearest
    assert repairs.left_out == (Omission.SERIES_UNFINISHED,)
    assert any(len(form.branches) == 2 for form in repairs.front)


def test_a_series_beyond_its_bound_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    repairs = with_series(monkeypatch, 1e-24)
    assert not repairs.approximations


def test_a_form_that_holds_for_one_sign_stands_under_its_guard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        choosing, "sign_options", lambda searched: [option(searched, "3*x", "x >= 0")]
    )
    text = "abs(x) + 2*x + 1 - 1"  # 3x for x >= 0, x below
    found = repaired_on(text, {"x": around_zero(8)}, limit_steps=1, series=False)
    assert found.best.text == "where(x >= 0, 3*x, abs(x) + 2*x + 1 - 1)"


def test_a_wrong_side_is_left_out_and_the_rest_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        choosing,
        "sign_options",
        lambda searched: [option(searched, "-c/b*(1 + 1e-12)", "b >= 0")],
    )
    best = offered(QUADRATIC, **quadratic_columns()).best
    assert len(best.branches) == 2 and "1e-12" not in best.text


SUM, RECIPROCAL = "x + 1e8 - 1e8", "1/(1/x + 1 - 1)"


def planted(monkeypatch: pytest.MonkeyPatch, x: np.ndarray) -> Repairs:
    """Of x: a form that loses digits below 1e8, and one that does above 1; both lose 4 at 1e4."""

    def exact_options(chooser: choosing.Chooser) -> list[Option]:
        terms, doubles = chooser.terms, chooser.measurer.everywhere
        roots = [terms.add(read(text).formula) for text in (SUM, RECIPROCAL)]
        return [Option(root, (), doubles.lost(root)) for root in roots]

    monkeypatch.setattr(choosing.Chooser, "_exact_options", exact_options)
    return repaired_on(SUM, {"x": x}, limit_steps=1, series=False)


def test_a_threshold_is_found_where_both_forms_lose_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    best = planted(monkeypatch, 10 ** RNG.uniform(0, 8, 1000)).best
    assert best.text == f"where(x < 10000, {RECIPROCAL}, {SUM})"


def test_a_threshold_between_distant_rows_is_refined(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = 10 ** RNG.uniform(0, 2, 500), 10 ** RNG.uniform(7, 8, 500)
    best = planted(monkeypatch, np.concatenate([low, high])).best
    condition, *_ = (branch.condition for branch in best.branches)
    threshold = float(condition.removeprefix("x < "))
    assert 1e3 <= threshold <= 1e5


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_few_rows_have_an_answer(count: int) -> None:
    columns = {"a": [1.0] * count, "b": [1e6, -1e6, 1e7, -1e7, 1e5, -1e5][:count]}
    repairs = offered(QUADRATIC, c=np.ones(count), **{k: np.array(v) for k, v in columns.items()})
    assert repairs.reason is None or repairs.before is not None


def test_values_from_end_to_end_of_the_range_have_a_threshold() -> None:
    best = offered("sqrt(x**2 + 1) - x", x=around_zero(300)).best
    assert [branch.condition for branch in best.branches] == ["x >= 0", ""]


def test_a_side_is_held_to_its_domain_where_it_is_computed() -> None:
    # Below 0 a program has 0 for sqrt(x*x + y) + x at many of the rows; nothing computes it there
    rng = np.random.default_rng(2)
    x = rng.choice([-1, 1], 4000) * 10 ** rng.uniform(3, 9, 4000)
    columns = {"x": x, "y": 10 ** rng.uniform(-2, 2, 4000)}
    best = repaired_on("y/(sqrt(x*x + y) - x)", columns, series=False).best
    assert [branch.condition for branch in best.branches] == ["x >= 0", ""]
