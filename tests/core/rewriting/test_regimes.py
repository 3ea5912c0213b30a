"""Forms that choose between others, and approximations, as `repair` offers them."""

import json
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.tape import lay_out
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.measure.observed import DIGITS, run_in
from eic_core.rewriting import Repairs
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.merit import Merit
from eic_core.rewriting.pieces import InputInterval, Omission, Series
from eic_core.rewriting.regimes import choosing
from eic_core.rewriting.regimes.cases import Option, negated
from eic_core.rewriting.regimes.signs import sign_of, sign_options
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import WorkBudget
from tests.core.rewriting.rewriting_oracle import NoValue, number, same, value
from tests.effort import dear
from tests.repairs import repaired, repaired_on

QUADRATIC = "(-b + sqrt(b**2 - 4*a*c))/(2*a)"
RNG = np.random.default_rng(3)
MODULE = sys.modules["eic_core.rewriting.repair"]


def offered(text: str, **columns: np.ndarray) -> Repairs:
    return repaired_on(text, columns, limit_steps=120, series=False)


def mixed(count: int, seed: int, decades: float) -> np.ndarray:
    """Numbers of both signs over so many decades on either side of 1."""
    rng = np.random.default_rng(seed)
    return rng.choice([-1.0, 1.0], count) * 10 ** rng.uniform(-decades, decades, count)


def quadratic_columns(count: int = 400) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {
        "a": rng.uniform(0.5, 2, count),
        "b": rng.uniform(-1e6, 1e6, count),
        "c": rng.uniform(0.5, 2, count),
    }


@pytest.fixture(scope="module")
def quadratic() -> Repairs:
    return offered(QUADRATIC, **quadratic_columns())


def test_the_quadratic_formula_chooses_by_the_sign_of_b(quadratic: Repairs) -> None:
    best = quadratic.best
    assert best.is_exact and best.bound == 0
    assert [branch.condition for branch in best.branches] == ["b >= 0", ""]
    assert best.gain.judged.mean_after < 0.5 < 4 < best.gain.judged.mean_before


def test_branches_are_found_beside_a_form_that_keeps_all_and_is_too_sensitive() -> None:
    text = "(exp(2*x) + 3*exp(-x))/(exp(2*x) + exp(-x))"
    found = repaired(text, "x=-1000:1000", 30, limit_steps=120, series=False)
    assert [branch.condition for branch in found.best.branches] == ["x >= 0", ""]
    assert found.best.gain.values > 0


def test_branches_are_found_that_regain_the_values_of_few_rows() -> None:
    text = "(a*exp(-x) + b*exp(x))/(exp(x) + exp(-x))"
    found = repaired(text, "a=1:2 b=1:2 x=-720:720", limit_steps=120, series=False)
    assert found.before.loss.mean < GAIN and found.before.in_target.failed
    assert found.best.branches and not found.best.after.in_target.failed


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
    form, formula = read(quadratic.best.text).formula, read(QUADRATIC).formula
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
    x = mixed(400, 3, 5)
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


def test_without_a_budget_the_exact_forms_stay_and_the_answer_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choosing, "CHOOSING", 0.0)
    repairs = repaired_on(QUADRATIC, quadratic_columns(), effort=5, limit_steps=120)
    assert Omission.BRANCHES_TIME in repairs.left_out
    assert repairs.best is None or not repairs.best.branches


# --- options under a guard, as others propose them


def guard(measurer: Measurer, text: str) -> int:
    return measurer.terms[measurer.terms.add(read(f"where({text}, 1, 0)").formula)].children[0]


def option(measurer: Measurer, text: str, where: str, series: Series | None = None) -> Option:
    root = measurer.terms.add(read(text).formula)
    lost = measurer.everywhere.lost(root)
    return Option(root, (), lost, guard(measurer, where), series)


SINE = "-x**3/6 + x**5/120 - x**7/5040"


def sine_series(bound: float) -> Series:
    box = (InputInterval("x", -0.01, 0.01),)
    return Series("x", "0", "taylor", 9, "sin(x) - x", SINE, bound, box)


def with_series(
    monkeypatch: pytest.MonkeyPatch, bound: float, where: str = "abs(x) <= 0.01"
) -> Repairs:
    def series_options(
        measurer: Measurer, best: Option
    ) -> tuple[Sequence[Option], Sequence[Omission]]:
        return [option(measurer, SINE, where, sine_series(bound))], [Omission.SERIES_UNPROVED]

    monkeypatch.setattr(MODULE, "series_options", series_options)
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
    assert repairs.left_out == (Omission.SERIES_UNPROVED,)
    assert any(len(form.branches) == 2 for form in repairs.front)


def test_a_series_beyond_its_bound_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not with_series(monkeypatch, 1e-24).approximations


def test_a_form_that_holds_for_one_sign_stands_under_its_guard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        choosing, "sign_options", lambda measurer: [option(measurer, "3*x", "x >= 0")]
    )
    text = "abs(x) + 2*x + 1 - 1"  # 3x for x >= 0, x below
    found = repaired_on(text, {"x": mixed(400, 3, 8)}, limit_steps=1, series=False)
    assert found.best.text == "where(x >= 0, 3*x, abs(x) + 2*x + 1 - 1)"


def test_a_wrong_side_is_left_out_and_the_rest_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        choosing,
        "sign_options",
        lambda measurer: [option(measurer, "-c/b*(1 + 1e-12)", "b >= 0")],
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
    best = offered("sqrt(x**2 + 1) - x", x=mixed(400, 3, 300)).best
    assert [branch.condition for branch in best.branches] == ["x >= 0", ""]


def test_a_side_is_held_to_its_domain_where_it_is_computed() -> None:
    # Below 0 a program has 0 for sqrt(x*x + y) + x at many of the rows; nothing computes it there
    rng = np.random.default_rng(2)
    x = rng.choice([-1, 1], 4000) * 10 ** rng.uniform(3, 9, 4000)
    columns = {"x": x, "y": 10 ** rng.uniform(-2, 2, 4000)}
    best = repaired_on("y/(sqrt(x*x + y) - x)", columns, series=False).best
    assert [branch.condition for branch in best.branches] == ["x >= 0", ""]


# --- forms that hold where an input or a product has one sign, and their guards


def search(text: str, columns: Mapping[str, Any]) -> Measurer:
    """The measurer that a search of all rows leaves to those who part them."""
    left: list[Measurer] = []

    def keep(measurer: Measurer, repairs: Any, **_: bool) -> Any:
        left.append(measurer)
        return repairs

    with patch.object(MODULE, "with_choices", keep), patch.object(Merit, "is_enough", False):
        repaired_on(text, columns, limit_steps=60)
    return left[0]


ABC = {name: mixed(160, seed, 160) for seed, name in enumerate("abc")}


@cache
def search_abc(text: str) -> Measurer:
    return search(text, ABC)


def text(measurer: Measurer, root: int | None) -> str:
    return "" if root is None else to_python(measurer.terms.formula(root))


def holding(measurer: Measurer, option: Option) -> Any:
    """The judged rows at which a program finds that the guard holds."""
    assert option.guard is not None
    columns = {
        name: np.asarray(column)[list(measurer.truth.rows.verified)]
        for name, column in measurer.truth.columns.items()
    }
    tape = measurer.terms.tape(option.guard)
    return run_in(tape, columns, len(option.lost), "float64")[-1] == 1


@dear(3)
@pytest.mark.parametrize(
    "formula",
    [
        "(-b + sqrt(b*b - a*c))/a",
        "(-b - sqrt(b*b - 4*(a*c)))/(2*a)",
        "(-b + sqrt(b*b - 4*a*c))/(2*a)",
    ],
)
def test_every_form_is_the_formula_where_its_guard_holds(formula: str) -> None:
    measurer = search_abc(formula)
    options = sign_options(measurer)
    assert options
    rows = list(measurer.truth.rows.verified)
    a, b, c = (np.log10(abs(ABC[name])) for name in "abc")
    sizes = 2 * b - a - c
    as_written = measurer.formula.to_draft()
    compared = 0
    for option in options:
        form = measurer.terms.formula(option.root).to_draft()
        holds = holding(measurer, option)
        assert holds.any() and not holds.all()
        assert (option.lost[~holds & ~np.isnan(option.lost)] == DIGITS["float64"]).all()
        for place in np.flatnonzero(holds & (abs(sizes[rows]) < 40))[:20]:
            at = {n: number(str(Fraction(float(c[rows[place]])))) for n, c in ABC.items()}
            try:
                expected = value(as_written, at)
            except NoValue:
                continue
            assert same(expected, value(form, at)), text(measurer, option.root)
            compared += 1
    assert compared > 5


def test_the_quadratic_keeps_its_digits_on_all_four_sides() -> None:
    measurer = search_abc("(-b + sqrt(b*b - a*c))/a")
    options = sign_options(measurer)
    before = measurer.lost_before
    least = np.fmin.reduce([before, *[option.lost for option in options]])
    assert np.nanmean(before) > 5 and np.nanmean(least) < 0.5
    guards = {text(measurer, option.guard) for option in options}
    assert any("sign(a)*sign(c) >= 0" in guard for guard in guards)
    assert any("sign(a)*sign(c) < 0" in guard for guard in guards)


def test_one_sign_is_enough_where_one_decides() -> None:
    measurer = search_abc("sqrt(b*b - a*c)")
    guards = {text(measurer, option.guard) for option in sign_options(measurer)}
    assert guards and guards <= {"sign(a)*sign(c) < 0", "sign(a)*sign(c) >= 0"}


@pytest.mark.parametrize(
    ("formula", "columns"),
    [
        ("sqrt(x + 1) - sqrt(x)", {"x": np.logspace(0, 12, 60)}),  # one sign, one form
        ("x*y + 1", {"x": mixed(60, 1, 1), "y": mixed(60, 2, 1)}),  # nothing to gain
    ],
)
def test_nothing_is_parted_without_need(formula: str, columns: dict[str, Any]) -> None:
    assert sign_options(search(formula, columns)) == []


def test_no_budget_leaves_none() -> None:
    measurer = search_abc("(-b + sqrt(b*b - a*c))/a")
    with patch.object(measurer, "budget", WorkBudget(0.0)):
        assert sign_options(measurer) == []


@pytest.mark.parametrize(
    ("names", "nonnegative", "guard"),
    [
        ("x", True, "x >= 0"),
        ("x", False, "x < 0"),
        ("x y", True, "sign(x)*sign(y) >= 0"),
        ("x y", False, "sign(x)*sign(y) < 0"),
        ("x-y", True, "x >= y"),
    ],
)
def test_a_guard_compares_signs_that_a_program_has_exactly(
    names: str, nonnegative: bool, guard: str
) -> None:
    terms = Terms()
    factors = tuple(terms.add(read(name, columns=["x", "y"]).formula) for name in names.split())
    sign = sign_of(terms, factors)
    assert to_python(terms.formula(sign if nonnegative else negated(terms, sign))) == guard


def test_a_product_that_underflows_keeps_its_sign() -> None:
    terms = Terms()
    x, y = (terms.add(read(name).formula) for name in "xy")
    columns = {"x": np.array([1e-200, 1e-200, 0.0]), "y": np.array([1e-200, -1e-200, -1.0])}
    tape = terms.tape(sign_of(terms, (x, y)))
    assert run_in(tape, columns, 3, "float64")[-1].tolist() == [1, 0, 1]
