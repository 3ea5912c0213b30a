"""Scoring lists."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eic_core.errors import DataError
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from eic_core.measure.table import read_table
from eic_core.pool.importers import Listed
from eic_core.pool.list_variables import ListedVariables, counted_from_zero
from eic_core.pool.listing import (
    ListedScore,
    RangeData,
    TableData,
    accuracy_keys,
    front_of,
    score_listing,
    stored_scores,
)
from eic_core.pool.scoring import score_pool

TABLE = read_table("a,b,target\n1,2,3\n2,5,7\n4,1,5\n", source="line.csv")


def rows(*formulas: str, **rest: str) -> list[Listed]:
    return [Listed(i, text, **rest) for i, text in enumerate(formulas, start=1)]


def test_every_row_comes_back_in_order_with_its_reason():
    given = [*rows("a+b", "lg(a)", "nowhere*a"), Listed(4, "", error="this row holds no formula")]
    scores = score_listing(given, TableData(TABLE, "target"))
    assert [s.listed.row for s in scores] == [1, 2, 3, 4]
    assert scores[0].score.r2 == 1.0 and not scores[0].score.error
    assert "log10" in scores[1].score.error
    assert (
        "no column for `nowhere`" in scores[2].score.error
        and "`a` and `b`" in scores[2].score.error
    )
    assert scores[3].score.error == "this row holds no formula"


@pytest.mark.parametrize(
    ("formulas", "names", "spelled_alike"),
    [
        (("X1*X2 + 1", "x0*x1 + 1"), ("x0", "x1"), True),
        (("x0*x1 + 1", "X1*X2 + 1", "X2"), ("x0", "x1"), True),
        (("X1 + 1", "x0*x1"), ("x0", "x1"), False),
        (("X0*X2 + X1", "x0*x1"), ("x0", "x1", "x2"), False),
        (("X1 + x0", "X1*X2", "x0*x1 - 1"), ("x0", "x1", "x2"), False),
        (("x1*x2", "x0*x1"), ("x0", "x1", "x2"), False),
    ],
)
def test_capitals_that_run_past_small_letters_count_from_one(formulas, names, spelled_alike):
    found = ListedVariables.of(rows(*formulas))
    assert tuple(map(str.lower, found.names)) == names
    assert found.mixed == spelled_alike
    assert sum(count for _, count, _ in found.examples) == len(formulas)


def test_a_list_on_a_table_scores_as_its_pool_does(tmp_path):
    (tmp_path / "line.csv").write_text("a,b,target\n1,2,3\n2,5,7\n4,1,5\n")
    given = [
        *rows("X1 - X2", "X2*X1 - sqrt(X1)", method="Operon", syntax="operon", problem="line"),
        *rows("x0 - x1", "exp(x0)/(x1-1)", method="PySR", syntax="pysr", problem="line"),
    ]
    scores = score_listing(given, TableData(TABLE, "target"))
    expected = score_pool([r.candidate() for r in given], tmp_path, jobs=1)
    assert [s.score.cells() for s in scores] == [e.cells() for e in expected]
    assert [s.base for s in scores] == [1, 1, 0, 0]


def test_a_list_over_ranges_scores_as_inspect_does():
    data = RangeData({"x": Domain("uniform", 2.0, 3.0)}, Domain("uniform", 1.0, 5.0), 50, seed=3)
    (scored,) = score_listing(rows("10000*x - 9999*y"), data)
    domains = {"x": Domain("uniform", 2.0, 3.0), "y": Domain("uniform", 1.0, 5.0)}
    expected = inspect(
        read("10000*x - 9999*y").formula, sample_domains(domains, count=50, seed=3), recheck=False
    )
    assert scored.score.eic == expected.eic
    assert math.isnan(scored.score.r2)


def test_without_a_range_and_a_default_the_formula_is_refused():
    (scored,) = score_listing(rows("x*y"), RangeData({"x": Domain("uniform", 1, 2)}))
    assert scored.score.error.startswith("no range for `y`")


def test_the_base_that_is_given_wins():
    for base, expected in ((0, "b"), (1, "a")):
        (scored,) = score_listing(rows("x1"), TableData(TABLE, expected, base))
        assert scored.base == base
    (scored,) = score_listing(rows("x1"), TableData(TABLE, "", 1))
    assert not scored.score.error and math.isnan(scored.score.r2)


def test_a_pasted_formula_that_says_what_it_counts_from_is_believed():
    scores = score_listing(rows("x0 + x1", "((1.5) * X1) + (0.5 * X2)"), TableData(TABLE, "target"))
    assert [s.base for s in scores] == [0, 1]
    assert scores[1].syntax == "operon"


@pytest.mark.parametrize(
    ("formulas", "names", "bases"),
    [
        # notation says so: Operon counts from 1, PySR from 0
        ([("X1*X2", "operon", "O"), ("x0+x1", "pysr", "P")], "x0 x1", [1, 0]),
        # nothing counts from 0: as spelled
        ([("X1*X2", "operon", "O"), ("x2", "", "O")], "x1 x2", [1, None]),
        ([("x1*x2 + c", "", "m"), ("x1", "", "n")], "c x1 x2", [None, None]),
        # one formula of a group uses x0: the group counts from 0
        ([("x1", "", "m"), ("x0*x1", "", "m")], "x0 x1", [0]),
        # a group that runs past what the others of its problem count from 0
        ([("x1*x2", "", "m"), ("x0*x1", "", "n")], "x0 x1", [1, 0]),
        # a group of which nothing tells stays as it is
        ([("x1", "", "m"), ("x0*x1", "", "n")], "x0 x1", [None, 0]),
        # printed by Operon, pasted without a word of it: each formula tells by itself
        ([("((1.5) * X1) + (0.5 * X2)", "", ""), ("x0 - x1", "", "")], "x0 x1", [None]),
        # one that does not follows those that spell their variables as it does
        ([("(1.5 * X2) + (0.5 * X1)", "", ""), ("x0", "", ""), ("x1", "", "")], "x0 x1", [None]),
        ([("x2", "", ""), ("x0", "", ""), ("1.5 * X1", "", ""), ("X3", "", "")], "x0 x2", [None]),
        # the notation says 1, and so does a constant; a text with x0 says otherwise
        ([("4.43", "pysr", "P"), ("#1 * #2", "pysr", "P"), ("x0", "", "Q")], "x0 x1", [1, 0]),
        ([("X1 - X10", "operon", "O"), ("x0 + b", "pysr", "P")], "b x0 x9", [1, 0]),
    ],
)
def test_formulas_of_one_problem_share_the_names_of_their_variables(formulas, names, bases):
    given = [
        Listed(i, text, syntax=syntax, method=method, problem="p")
        for i, (text, syntax, method) in enumerate(formulas, start=1)
    ]
    found = ListedVariables.of(given)
    assert found.names == tuple(names.split())
    assert list(found.bases.values()) == bases


def test_over_ranges_the_first_variable_is_one_whatever_it_is_counted_from():
    ranges = {"x0": Domain("loguniform", 1, 1e6), "x1": Domain("uniform", 0.5, 0.6)}
    given = [
        *rows("X1 - X2", "exp(X1*1e-3)/X2", method="Operon", syntax="operon"),
        *rows("x0 - x1", "exp(x0*1e-3)/x1", method="PySR", syntax="pysr"),
    ]
    data = RangeData(ranges, count=300, seed=1, names=ListedVariables.of(given))
    scores = score_listing(given, data)
    samples = sample_domains(ranges, count=300, seed=1)
    for scored, text in zip(scores, ["x0 - x1", "exp(x0*1e-3)/x1"] * 2, strict=True):
        assert scored.score.eic == inspect(read(text).formula, samples, recheck=False).eic
    assert [s.renumbered for s in scores] == [True, True, False, False]
    for scored in scores[:2]:
        again = read(counted_from_zero(scored.listed).formula, syntax=scored.syntax)
        assert again.formula.variables == ("x0", "x1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*X1 + X12", "2*X0 + X11"),
        ("x_{1}^2", "x_{0}^2"),
        ("x₁⋅x₂", "x₀⋅x₁"),
        ("x[:,10] - 10", "x[:,9] - 10"),
        ("x[2]*x_1", "x[1]*x_0"),
        ("omega_1 + x1", "omega_1 + x0"),
    ],
)
def test_a_formula_counted_from_one_is_written_as_counted_from_zero(text, expected):
    assert counted_from_zero(Listed(1, text)).formula == expected


def test_a_list_that_counts_from_one_has_no_x0():
    names = ListedVariables.of([*rows("X1", "X2", syntax="operon"), *rows("x0", syntax="pysr")])
    assert names.mixed and names.names == ("x0", "x1")
    with pytest.raises(DataError, match="before the first"):
        names.name("x0", 1)


@pytest.mark.parametrize("formulas", [("X1", "X0"), ("X0", "X1"), ("x1*2", "x0 + x1", "x1")])
def test_one_x0_settles_what_a_group_counts_from_wherever_it_stands(formulas):
    given = rows(*formulas, syntax="operon", method="Operon")
    assert list(ListedVariables.of(given).bases.values()) == [0]
    for scored in score_listing(given, TableData(TABLE, "target")):
        assert scored.base == 0 and scored.columns.get("x1", "b") == "b"


TOOLS = {
    # columns, what stands in the list, and each formula's columns
    "Operon on columns that count from 0": (
        "x0 x1",
        "Operon operon",
        {"1.5 * X1 + 0.5 * X2": "x0 x1", "1.5 * X1": "x0", "X2": "x1"},
    ),
    "and on more of them than it uses": (
        "x0 x1 x2",
        "Operon operon",
        {"1.5 * X1 + 0.5 * X2": "x0 x1", "X1 + 0.0 * X3": "x0 x2", "X2": "x1"},
    ),
    "its look alone tells": (
        "x0 x1 x2",
        "",
        {"1.5 * X1 + 0.5 * X2": "x0 x1", "X2*2": "x1", "x0 + x1": "x0 x1"},
    ),
    "DSO counts from 1": ("x0 x1", "DSO dso", {"x1": "x0", "x1*x2": "x0 x1"}),
    "columns that count from 1 and a tool that does": ("X1 X2", "Operon operon", {"X1": "X1"}),
    "columns that count from 1 and a tool that counts from 0": (
        "x1 x2",
        "gplearn gplearn",
        {"X0": "x1", "X1": "x2", "mul(X0, X1)": "x1 x2"},
    ),
    "a tool that was given these names": (
        "x1 x2",
        "PySR pysr",
        {"x1": "x1", "x2": "x2", "x1*x2": "x1 x2"},
    ),
    "a tool that calls another column by its name": (
        "x0 x1 mass",
        "Operon operon",
        {"X1*mass": "x1 mass", "X1": "x1"},
    ),
    "a column behind those that count": ("x0 noise", "Operon operon", {"X1": "x0", "X2": "noise"}),
    "names decide where the columns do not count": (
        "x3 x7 t",
        "PySR pysr",
        {"x3": "x3", "x7 + t": "x7 t"},
    ),
    "and places, for all, where one has none": (
        "x3 x1 t",
        "Operon operon",
        {"X1": "x3", "X2": "x1", "X1 + X3": "x3 t"},
    ),
    "nothing tells": ("x0 x1 x2", "someone", {"x1": "x1", "x1*x2": "x1 x2"}),
    "one formula tells for all": ("x1 x2 x3", "someone", {"x1": "x2", "x0*x1": "x1 x2"}),
    "an index past the last column tells": ("x0 x1", "someone", {"x1": "x0", "x1*x2": "x0 x1"}),
}


@pytest.mark.parametrize("case", TOOLS)
def test_all_formulas_of_a_group_mean_the_same_columns(case, tmp_path):
    columns, by, formulas = TOOLS[case]
    method, _, syntax = by.partition(" ")
    names = [*columns.split(), "y"]
    (tmp_path / "p.csv").write_text(
        f"{','.join(names)}\n"
        + "".join(
            ",".join(str((i + 2) * (j + 3) % 7 + j) for j in range(len(names))) + "\n"
            for i in range(5)
        )
    )
    table = read_table(tmp_path / "p.csv")
    for order in (list(formulas), list(formulas)[::-1]):
        given = rows(*order, method=method, syntax=syntax, problem="p")
        scores = score_listing(given, TableData(table, "y"))
        found = {s.listed.formula: " ".join(sorted(s.columns.values())) for s in scores}
        assert found == {text: " ".join(sorted(of.split())) for text, of in formulas.items()}
        pool = score_pool([row.candidate() for row in given], tmp_path, jobs=1)
        assert [s.score.cells() for s in scores] == [p.cells() for p in pool]


def test_the_users_word_on_what_columns_are_counted_from_holds_for_all():
    table = read_table("x0,x1,x2,y\n1,2,3,4\n5,6,1,8\n")
    given = [*rows("x1", "x1*x2", method="DSO", syntax="dso"), *rows("x1", "x2", method="A")]
    for base, expected in ((0, ["x1", "x1 x2", "x1", "x2"]), (1, ["x0", "x0 x1", "x0", "x1"])):
        scores = score_listing(given, TableData(table, "y", base))
        assert [" ".join(s.columns.values()) for s in scores] == expected
    (refused,) = score_listing(rows("x0"), TableData(table, "y", 1))
    assert refused.missing == ("x0",)


def test_two_processes_find_what_one_finds():
    given = rows(*(f"a**{k % 5} - {k}*b" for k in range(100)))
    one, two = (score_listing(given, TableData(TABLE, "target"), jobs=j) for j in (1, 2))
    assert [s.score.cells() for s in one] == [s.score.cells() for s in two]


def test_progress_counts_every_row_and_can_end_the_scoring():
    seen: list[tuple[int, int]] = []
    score_listing(rows(*["a"] * 100), TableData(TABLE), progress=lambda d, t: seen.append((d, t)))
    assert seen[-1] == (100, 100) and len(seen) > 2

    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        score_listing(rows(*["a"] * 100), TableData(TABLE), progress=stop)


def test_the_front_weighs_accuracy_complexity_and_eic():
    exact, short, same_but_unstable, refused = score_listing(
        rows("a+b", "a", "a+b+10000*a-10000*a", "lg(a)"), TableData(TABLE, "target")
    )
    scores = (exact, short, same_but_unstable, refused)
    keys = accuracy_keys(scores)
    assert list(keys) == ["1 − R²"]
    assert front_of(scores, keys["1 − R²"]).tolist() == [True, True, False, False]
    assert front_of(scores, None).tolist() == [False, True, False, False]


def test_stored_losses_serve_as_accuracy_and_are_small_when_good():
    scores = tuple(
        ListedScore(Listed(i, "x", stored={"loss": 0.1 * i, "r2_test": 1 - 0.1 * i}), s.score)
        for i, s in enumerate(
            score_listing(rows("x", "x"), RangeData(default=Domain("fixed", 1, 1)))
        )
    )
    keys = accuracy_keys(scores)
    assert list(keys) == ["loss, as stored", "1 − r2_test, as stored"]
    np.testing.assert_allclose(keys["loss, as stored"], [0, 0.1])
    np.testing.assert_allclose(keys["1 − r2_test, as stored"], [0, 0.1], atol=1e-15)


def test_a_scored_pool_is_taken_at_its_word():
    stored = {"complexity": 3, "r2": 0.5, "eic": 1.5, "eic_finite": 1.5, "invalid": 2}
    good, bare = stored_scores([Listed(1, "x+1", stored=stored), Listed(2, "x")])
    assert (good.score.complexity, good.score.eic, good.score.invalid) == (3, 1.5, 2)
    assert "no score" in bare.score.error
