"""EIC beside the tables of searches: each tool's own objects, from its installed package."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from eic_core import inspect, read, repair
from eic_core.errors import DataError, UserError
from eic_core.frames import COLUMNS, add_eic, eic_scorer, score_front, select
from eic_core.pool.picking import pick
from eic_core.samples import Samples

X = np.random.default_rng(0).uniform(1, 5, (60, 2))
Y = 2.5 * X[:, 0] / X[:, 1]
STABLE, CANCELS = "2.5*x0/x1", "1e9*x0/x1 - 999999997.5*x0/x1"


def pysr_table() -> pd.DataFrame:
    """The columns of PySR's `equations_`, labelled from 3."""
    rows = [(1, 3.1, "2.5"), (5, 0.0, STABLE), (13, 0.0, CANCELS), (2, 9.9, "mystery(x0)")]
    return pd.DataFrame(rows, columns=["complexity", "loss", "equation"], index=[3, 4, 5, 6])


class Model:
    """What `add_eic` reads of a fitted `PySRRegressor`."""

    def __init__(self, equations: Any) -> None:
        self.equations_ = equations

    def get_best(self) -> pd.Series:
        return self.equations_.loc[5]


def test_a_table_keeps_its_rows_and_gains_columns() -> None:
    before = pysr_table()
    after = add_eic(before, X, Y, effort="normal")
    assert list(after.columns) == [*before.columns, *COLUMNS]
    assert list(after.index) == list(before.index) and list(before.columns) == list(pysr_table())
    row = after.loc[5]
    assert row["cause"] == "cancellation" and row["measured_float64"] > 7
    assert row["digits_needed"] >= 9 and row["better_form"] in ("2.5*x0/x1", "2.5*(x0/x1)")
    assert after.loc[4, "better_form"] == "" and after.loc[4, "r2"] == 1.0
    assert "unknown function `mystery`" in after.loc[6, "left_out"]
    assert math.isnan(after.loc[6, "eic"])


def test_a_better_form_stands_beside_what_it_needs() -> None:
    # |u| is u where u >= 0
    x = np.linspace([1, 1], [1000, 2], 200)
    table = add_eic(["log(exp(abs(x0*x1)) + 1)", "2*x0"], x, x[:, 0], effort="normal")
    assert list(table["better_form"]) == ["logaddexp(x0*x1, 0)", ""]
    assert list(table["needs"]) == ["x₀·x₁ ≥ 0", ""]


def test_the_choice_has_the_label_that_predict_takes() -> None:
    assert select(Model(pysr_table()), X, Y).name == 4
    assert select(pysr_table(), X, Y)["equation"] == STABLE
    assert select([CANCELS, STABLE], X, Y).name == 1
    with pytest.raises(DataError, match="a digit cannot cost -1"):
        select([STABLE], X, Y, price=-1)


def test_rows_are_called_by_their_labels_or_count_from_0() -> None:
    assert pick(score_front(pysr_table(), X, Y)).picked.listed.row == 4
    assert pick(score_front([CANCELS, STABLE], X, Y)).picked.listed.row == 1
    named = pysr_table().set_index(pd.Index(["a", "b", "c", "c"]))
    assert pick(score_front(named, X, Y)).picked.listed.row == 1


def test_an_empty_cell_is_no_formula_and_a_choice_among_none_says_why() -> None:
    table = add_eic(pd.DataFrame({"equation": [None, math.nan, STABLE]}), X, Y)
    assert all("there is no formula" in reason for reason in table["left_out"][:2])
    with pytest.raises(DataError, match="one text: give a list"):
        add_eic(STABLE, X, Y)
    with pytest.raises(DataError, match="this Unfitted shows no formulas: fit it first"):
        add_eic(type("Unfitted", (), {"fit": None})(), X, Y)
    with pytest.raises(DataError, match="the first: unknown function `mystery`"):
        select(["mystery(x0)", "x0 +"], X, Y)


def test_a_data_frame_is_columns_and_a_reading_is_no_formula() -> None:
    samples = Samples.from_columns(pd.DataFrame({"values [m]": X[:, 0], 1: X[:, 1]}))
    assert list(samples.columns) == ["values", "1"] and len(samples) == len(X)
    for call in (lambda given: inspect(given, samples), lambda given: repair(given, samples)):
        with pytest.raises(UserError, match="a Reading is no formula yet: give"):
            call(read("values + 1"))
        with pytest.raises(UserError, match="a text is no formula yet: give"):
            call("values + 1")


def test_a_stored_hall_of_fame_is_read(tmp_path: Any) -> None:
    path = tmp_path / "hall_of_fame.csv"
    path.write_text(f'Complexity,Loss,Equation\n1,3.1,"2.5"\n5,0.0,"{STABLE}"\n')
    assert list(add_eic(pd.read_csv(path), X, Y)["r2"])[1] == 1.0


def test_columns_of_a_data_frame_are_names() -> None:
    assert list(add_eic(["2.5*mass/e"], pd.DataFrame(X, columns=["mass", "e"]), Y)["r2"]) == [1.0]


def test_expressions_of_sympy_are_formulas() -> None:
    import sympy

    a, b = sympy.symbols("x0 x1")
    c = sympy.Float(0.1 + 0.2)  # `str` prints fifteen of its digits
    expressions = [sympy.Float("2.5") * a / b, c * a, sympy.Integral(a, b)]
    table = add_eic(expressions, X, Y, seconds=0)
    assert table["r2"][0] == pytest.approx(1) and "0.30000000000000004" in table["equation"][1]
    assert "Integral" in table["left_out"][2]


def test_operon_models_are_read_with_all_digits() -> None:
    from pyoperon.sklearn import SymbolicRegressor

    model = SymbolicRegressor(max_evaluations=3000, random_state=1, n_threads=1).fit(X, Y)
    table = add_eic(model, X, Y, seconds=0)
    assert len(table) == len(model.pareto_front_) and not table["left_out"].any()
    assert table["r2"].max() > 0.999
    # the tool's own predictions are in single precision
    program = model.evaluate_model(model.model_, X)
    own = 1 - np.sum((Y - program) ** 2) / np.sum((Y - Y.mean()) ** 2)
    assert eic_scorer(0)(model, X, Y) == pytest.approx(0.999 ** len_of(model) / (2 - own), abs=1e-4)


def len_of(model: Any) -> int:
    from eic_core import read

    return read(model.get_model_string(model.model_, 17), syntax="operon").formula.complexity


def test_gplearn_programs_are_read_with_all_digits() -> None:
    from gplearn.genetic import SymbolicRegressor

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SymbolicRegressor(
            population_size=8, generations=2, tournament_size=3, init_depth=(2, 4), random_state=0
        ).fit(X, Y)
    table = add_eic(model, X, Y, seconds=0)
    assert len(table) == len([each for each in model._programs[-1] if each is not None])
    assert not table["left_out"].any()
    # what the programs compute, not what their print with three digits would
    for program, r2 in zip(filter(None, model._programs[-1]), table["r2"], strict=True):
        own = 1 - np.sum((Y - program.execute(X)) ** 2) / np.sum((Y - Y.mean()) ** 2)
        assert r2 == pytest.approx(own, rel=1e-9)
    assert not math.isnan(eic_scorer()(model, X, Y))


def test_the_scorer_ranks_estimators_in_a_grid() -> None:
    from eic_core.search.estimator import EICSymbolicRegressor

    model = EICSymbolicRegressor(max_evals=1500, random_state=0, max_complexity=12).fit(X, Y)
    assert eic_scorer()(model, X, Y) > 0.9
    assert len(add_eic(model, X, Y, seconds=0)) == len(model.pareto_front_)
    assert eic_scorer()(Model(pysr_table()), X, Y) < eic_scorer(0)(Model(pysr_table()), X, Y)
    with pytest.raises(DataError, match="shows no formula"):
        eic_scorer()(object(), X, Y)


@pytest.mark.parametrize(
    ("equations", "message"),
    [
        ([], "there are no formulas"),
        ("x0", "the formulas are one text"),
        (None, "there are no formulas"),
        (Model([pysr_table(), pysr_table()]), "2 outputs"),
        (pd.DataFrame({"loss": [1.0]}), "no column of the table holds formulas"),
    ],
)
def test_what_holds_no_formula_is_refused(equations: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        add_eic(equations, X, Y)


def test_data_of_another_shape_are_refused() -> None:
    with pytest.raises(DataError, match="X has 1 dimension:"):
        add_eic([STABLE], X[:, 0], Y)
    with pytest.raises(DataError, match="X has 60 rows, y has 59"):
        add_eic([STABLE], X, Y[1:])
    with pytest.raises(DataError, match="y has 2 columns: give one"):
        add_eic([STABLE], X, np.column_stack([Y, Y]))
    with pytest.raises(DataError, match="y holds no number"):
        add_eic([STABLE], X, ["a"] * 60)
    with pytest.raises(DataError, match="complex"):
        add_eic([STABLE], X + 1j, Y)
    with pytest.raises(DataError, match="two columns of X are called `b`"):
        add_eic([STABLE], pd.DataFrame(X, columns=["b", "b"]), Y)


NAMES = ["mass [kg]", "way 1 (m)"]


def test_headers_have_units_and_blanks() -> None:
    frame = pd.DataFrame(X, columns=NAMES)
    formula = "2.5*mass/way_1"
    assert list(add_eic([formula], frame, Y)["r2"]) == [1.0]
    assert select([formula], frame, Y)["r2"] == 1.0
    columns = dict(zip(NAMES, X.T, strict=True))
    assert list(Samples.from_columns(columns).columns) == ["mass", "way 1"]
    # where nothing else tells two of them apart, the unit is part of the name
    both = Samples.from_columns({"t [s]": [1.0], "t [h]": [2.0]}, exact={"t [s]": {0: "1.00"}})
    assert list(both.columns) == ["t [s]", "t [h]"] and both.decimal("t [s]", 0) == "1.00"
    single = Samples.from_columns({"t [s]": [1.0]}, exact={"t [s]": {0: "1.00"}})
    assert single.decimal("t", 0) == "1.00"


def test_other_columns_of_a_frame_do_no_harm() -> None:
    frame = pd.DataFrame(X, columns=["x0", "target"]).assign(
        word="a", kind=pd.Categorical(["u", "v"] * 30), day=pd.Timestamp("2020-01-01")
    )
    table = add_eic(["2.5*x0/target", "word + x0", "kind*x0", "day"], frame, Y, seconds=0)
    assert table["r2"][0] == 1.0
    assert [text.split(":")[0] for text in table["left_out"][1:]] == [
        f"column `{name}` holds no number" for name in ("word", "kind", "day")
    ]


def test_rows_belong_together_by_place_and_incomplete_ones_are_counted() -> None:
    frame = pd.DataFrame(X, index=range(60, 0, -1), columns=["x0", "x1"]).astype("Float64")
    frame.iloc[3, 0] = pd.NA
    y = pd.DataFrame({"y": Y}, index=range(60))
    y.iloc[5] = np.inf
    with pytest.warns(UserWarning, match="2 of 60 rows are left out"):
        assert list(add_eic([STABLE], frame, y)["r2"]) == [1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(add_eic([STABLE], X.tolist(), Y.tolist())["r2"]) == [1.0]
        assert add_eic([STABLE], X.astype(np.float32), Y)["r2"][0] == pytest.approx(1)


def test_many_rows_are_thinned_but_for_r2() -> None:
    x = np.linspace(2, 3, 40_000)
    others = np.arange(40_000) % 4 == 1  # rows that the evenly spread ones do not meet
    x[others] = 1 + 1e-9
    table = add_eic(["x0 - 1"], x[:, None], x - 1 + others, seconds=0)
    assert table["eic"][0] < 1 and table["r2"][0] < 1


def test_a_model_inside_a_pipeline_or_a_grid_is_taken() -> None:
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    from eic_core.search.estimator import EICSymbolicRegressor

    search = EICSymbolicRegressor(max_evals=600, random_state=0, max_complexity=8)
    model = make_pipeline(FunctionTransformer(lambda x: 2 * x), search)
    grid = GridSearchCV(model, {}, scoring=eic_scorer(), cv=2).fit(X, Y)
    row = select(grid, X, Y)
    own = 1 - np.sum((Y - model.fit(X, Y).predict(X)) ** 2) / np.sum((Y - Y.mean()) ** 2)
    assert row["r2"] <= own + 1e-12
    assert max(add_eic(grid, X, Y, seconds=0)["r2"]) == pytest.approx(own)


def test_names_of_the_fit_serve_an_array() -> None:
    model = Model(pd.DataFrame({"equation": ["2.5*mass/e"]}))
    model.feature_names_in_ = np.array(["mass", "e"])  # type: ignore[attr-defined]
    assert list(add_eic(model, X, Y)["r2"]) == [1.0]


def test_equal_formulas_are_looked_at_once_and_processes_agree() -> None:
    steps: list[tuple[int, int]] = []
    texts = [STABLE, CANCELS, STABLE]
    alone = add_eic(texts, X, Y, seconds=0, progress=lambda *step: steps.append(step))
    assert steps == [(1, 2), (2, 2)]
    pd.testing.assert_frame_equal(alone, add_eic(texts, X, Y, seconds=0, jobs=2))
    assert alone.loc[0].equals(alone.loc[2])


def test_series_arrays_and_formulas_are_lists() -> None:
    from eic_core import read

    for texts in (pd.Series([STABLE]), np.array([STABLE]), [read(STABLE).formula], (STABLE,)):
        assert list(add_eic(texts, X, Y, seconds=0)["r2"]) == [1.0]


def test_a_name_is_no_target() -> None:
    with pytest.raises(DataError, match="the target is the name `y`, not its values"):
        Samples.from_columns({"x": [1.0]}, target="y")
