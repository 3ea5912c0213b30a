"""From a scored pool to pairs: what is left out, what is counted, what is labelled."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from eic_core.errors import DataError, UserError
from eic_core.pool import SCORE_COLUMNS
from eic_core.pool.scoring import read_pool, score_pool
from study.matching import MatchingResult, MatchingRules, ScoredPool, match_pool, read_scored
from study.matching.sameness import Sameness, one_function

COLUMNS = ("problem", "formula", "method", "syntax", "note", *SCORE_COLUMNS)


def row(
    formula: str,
    complexity: object = 7,
    r2: object = 0.9,
    eic: object = 0.5,
    invalid: object = 0,
    singular: object = 0,
    error: str = "",
    problem: str = "a",
    method: str = "m",
) -> list[str]:
    cells = (
        problem,
        formula,
        method,
        "",
        "",
        complexity,
        r2,
        eic,
        eic,
        invalid,
        singular,
        0,
        error,
    )
    return [str(cell) for cell in cells]


def pool_of(rows: Sequence[Sequence[str]]) -> ScoredPool:
    return ScoredPool.from_rows(rows, COLUMNS, source="pool.csv")


TWINS = MatchingRules(near_twins=True)
ROWS = [
    row("x0+1", eic=0.5),
    row("x0+2", eic=3.0),
    row("x0+3", eic=3.5, complexity=9),
    row("x0+4", eic=9.0, r2=0.5),
    row("x0+5", eic=9.0, invalid=1),
    row("x0+6", eic=9.0, singular=2),
    row("x0+7", eic="nan"),
    row("x0+8", eic="inf"),
    row("x0+9", r2="nan", eic=9.0),
    row("x0+10", "", "", "", "", "", error="unknown function"),
    row("x0+11", complexity=50, eic=9.0),
    row("x0+12", "many", eic=9.0),
    row("x0+13", eic=1.0),
    row("x0+1", eic=0.1, problem="b"),
    row("x0+2", eic=7.0, problem="b"),
]


def test_every_formula_falls_to_exactly_one_rule() -> None:
    seen: list[tuple[int, int, str]] = []
    result = match_pool(pool_of(ROWS), TWINS, progress=lambda *args: seen.append(args))
    assert seen == [(0, 2, "a"), (1, 2, "b")]
    assert result.outcomes == {
        "refused": 1,
        "no_numbers": 1,
        "invalid": 1,
        "singular": 1,
        "no_eic": 2,
        "no_r2": 1,
        "low_r2": 1,
        "no_like": 1,
        "no_gap": 0,
        "not_chosen": 0,
        "chosen": 6,
    }
    assert result.formulas == len(ROWS)
    by_name = {p.problem: p for p in result.problems}
    assert by_name["a"].outcomes["chosen"] == 4 and by_name["b"].outcomes["chosen"] == 2
    assert sum(by_name["a"].outcomes.values()) == 13
    assert by_name["a"].allowed == 4 and by_name["a"].exact
    for said in ("1 with invalid samples", "2 without a finite EIC", "optimal", "3 of 5 pairs"):
        assert said in result.summary()
    plotted = [(side, of) for side in ("lower", "higher") for of in ("complexity", "r2", "eic")]
    assert {result.values(*each).shape for each in plotted} == {(3,)}  # type: ignore[arg-type]
    assert (result.values("higher", "eic") - result.values("lower", "eic") >= 2).all()
    rules = MatchingRules(include_invalid=True, include_singular=True, near_twins=True)
    outcomes = match_pool(pool_of(ROWS), rules).outcomes
    assert outcomes["invalid"] == outcomes["singular"] == 0


def test_the_members_are_the_rows_they_name_of_one_problem_numbered_by_loss() -> None:
    pairs = match_pool(pool_of(ROWS), TWINS, mode="all").pairs
    assert [p.pair for p in pairs] == ["p1", "p2", "p3", "p4", "p5"]
    assert [(p.problem, p.loss) for p in pairs] == sorted((p.problem, p.loss) for p in pairs)
    for pair in pairs:
        for member in (pair.lower, pair.higher):
            cells = ROWS[member.row]
            assert (cells[0], cells[1]) == (pair.problem, member.formula)
            assert (str(member.complexity), str(member.r2), str(member.eic)) == tuple(cells[5:8])
        dc = pair.lower.complexity - pair.higher.complexity
        dr, de = pair.lower.r2 - pair.higher.r2, pair.higher.eic - pair.lower.eic
        assert de >= 2 and pair.loss == pytest.approx(dc**2 + dr**2 - de**2)
    result = match_pool(pool_of(ROWS), TWINS, mode="best", k=2)
    assert [p.problem for p in result.pairs] == ["a", "a", "b"]
    assert [p.loss for p in result.pairs[:2]] == [p.loss for p in pairs[:2]]


def content(result: MatchingResult) -> list[tuple[object, ...]]:
    return [
        (p.pair, p.problem, p.loss, p.lower.formula, p.higher.formula, p.lower.eic, p.higher.eic)
        for p in result.pairs
    ]


@pytest.mark.parametrize("mode", ["matching", "all", "best"])
def test_the_result_does_not_depend_on_the_order_of_the_rows(mode: str) -> None:
    rng = random.Random(5)
    rows = [
        row(
            f"x0+{rng.randrange(40)}",
            rng.randrange(4, 8),
            rng.choice([0.86, 0.87, 0.9]),
            rng.choice([0.0, 0.5, 2.0, 2.5, 4.5]),
            problem=rng.choice("ab"),
            method=str(i),
        )
        for i in range(120)
    ]
    k = 9 if mode == "best" else None
    expected = content(match_pool(pool_of(rows), mode=mode, k=k))  # type: ignore[arg-type]
    assert expected
    for _ in range(4):
        rng.shuffle(rows)
        assert content(match_pool(pool_of(rows), mode=mode, k=k)) == expected  # type: ignore[arg-type]


def test_identical_trees_are_never_a_pair_however_they_are_spelt() -> None:
    rows = [row("x_0 + 1", eic=0.1), row("x0+1", eic=5.0), row("1+x0", eic=2.2)]
    for mode, k in (("all", None), ("best", 5), ("matching", None)):
        result = match_pool(pool_of(rows), mode=mode, k=k)  # type: ignore[arg-type]
        texts = {frozenset((p.lower.formula, p.higher.formula)) for p in result.pairs}
        assert frozenset(("x_0 + 1", "x0+1")) not in texts and texts
        assert result.problems[0].identical == 1


def test_operons_first_variable_and_pysrs_are_the_same_leaf() -> None:
    columns = ("problem", "formula", "syntax", *SCORE_COLUMNS)
    rest = ["3", "0.9", "1", "1", "0", "0", "0", ""]
    texts = [["a", "X1 + X2", "operon", *rest], ["a", "x0 + x1", "pysr", *rest]]
    sameness = Sameness(ScoredPool.from_rows(texts, columns))
    assert sameness.identical(0, 1)
    assert sameness.one_function(0, 1, 1e-6) is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = ["x0,target", *(f"{1 + i / 10},{2 + i / 10}" for i in range(30))]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    return tmp_path


SAME = [
    row("x0+1", eic=0.3, complexity=5),
    row("10000*x0-9999*x0+1", eic=4.4, complexity=7),
    row("x0*1.3+0.2", eic=3.3, complexity=5),
]


def test_one_function_in_two_writings_is_labelled(folder: Path) -> None:
    result = match_pool(pool_of(SAME), mode="all", problems=folder)
    labels = {(p.lower.row, p.higher.row): p.same_function for p in result.pairs}
    assert labels == {(0, 1): True, (0, 2): False}
    assert result.summary().startswith("3 formulas of 1 problem\n")
    assert "1 of them one function" in result.summary()


@pytest.mark.parametrize("mode", ["matching", "all", "best"])
def test_one_function_may_be_excluded(folder: Path, mode: str) -> None:
    rules = MatchingRules(exclude_same_function=True)
    k = 1 if mode == "best" else None
    result = match_pool(pool_of(SAME), rules, mode=mode, k=k, problems=folder)  # type: ignore[arg-type]
    assert [(p.lower.row, p.higher.row) for p in result.pairs] == [(0, 2)]
    assert result.problems[0].one_function == 1


def test_without_data_nothing_is_said_of_the_function(tmp_path: Path) -> None:
    assert all(p.same_function is None for p in match_pool(pool_of(SAME), mode="all").pairs)
    result = match_pool(pool_of(SAME), mode="all", problems=tmp_path)
    assert all(p.same_function is None for p in result.pairs)
    assert result.notes == ("2 pairs could not be compared on the data",)


def test_one_function_means_everywhere_and_relative() -> None:
    x = np.linspace(-1, 1, 101)
    assert one_function(x, x + 1e-12, 1e-6)  # also where x is 0
    assert not one_function(x, x + 1e-3, 1e-6)
    assert not one_function(1e-30 * x, 1.01e-30 * x, 1e-6)
    assert one_function(1e300 * x, 1e300 * x, 0.0)
    gap = np.where(x > 0.9, np.nan, x)
    assert one_function(gap, gap, 1e-6)
    assert not one_function(gap, x, 1e-6)
    assert not one_function(np.full(3, np.nan), np.full(3, np.nan), 1e-6)
    assert one_function(np.zeros(3), np.zeros(3), 0.0)


def test_options_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    pool = pool_of(ROWS)
    with pytest.raises(UserError, match="there is no mode `worst`"):
        match_pool(pool, mode="worst")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="needs a number of pairs"):
        match_pool(pool, mode="best")
    with pytest.raises(UserError, match="only with the problems' data"):
        match_pool(pool, MatchingRules(exclude_same_function=True))
    with pytest.raises(DataError, match="there is no folder"):
        match_pool(pool, problems=tmp_path / "none")


def test_too_many_pairs_to_list_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("study.matching.match.MAX_PAIRS", 4)
    with pytest.raises(UserError, match="more than 4 pairs"):
        match_pool(pool_of(ROWS), TWINS, mode="all")


def test_a_missing_column_and_an_empty_pool_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column `eic_finite`: score the pool first"):
        ScoredPool.from_rows([], ("problem", "formula", "complexity"))
    with pytest.raises(DataError, match="no column `r2_test`"):
        ScoredPool.from_rows(ROWS, COLUMNS, r2="r2_test")
    with pytest.raises(DataError, match="no column `dataset`"):
        ScoredPool.from_rows(ROWS, COLUMNS[1:])
    with pytest.raises(DataError, match="has no rows"):
        ScoredPool.from_rows([], COLUMNS)
    with pytest.raises(DataError, match="there is no file"):
        read_scored(tmp_path / "none.csv")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(DataError, match="is empty"):
        read_scored(tmp_path / "empty.csv")


def test_extreme_numbers_do_no_harm() -> None:
    rows = [
        *(row("x0", r2=r2) for r2 in ("-1e300", "-inf", "1e300")),
        row("x1", eic="1e300"),
        *(row("x2", complexity=c) for c in ("1e30", "-3")),
    ]
    result = match_pool(pool_of(rows))
    assert result.formulas == 6 and not result.pairs


@pytest.mark.outside
def test_a_real_pool_gives_pairs_that_obey_the_rules(shared: Path) -> None:
    data = shared / "data"
    _, candidates = read_pool(data / "pools" / "sr_fronts_1d2d.csv.gz")
    some = candidates[::5]
    pool = ScoredPool.from_scores(some, score_pool(some, data / "problems", jobs=1))
    result = match_pool(pool, problems=data / "problems")
    assert len(result.pairs) >= 10 and all(p.exact for p in result.problems)
    rules = result.rules
    for pair in result.pairs:
        low, high = pair.lower, pair.higher
        sizes = low.complexity, high.complexity
        assert rules.allows(sizes, (low.r2, high.r2), (low.eic, high.eic))
        assert pair.same_function is not None
    rows = [m.row for p in result.pairs for m in (p.lower, p.higher)]
    assert len(set(rows)) == len(rows)


# --- near twins ---

TWIN_ROWS = [
    row("x0+1", eic=0.5),
    row("2*x0", eic=3.0),
    row("x0+3", eic=9.0),
    row("x0+x0", eic=6.0),
]


@pytest.mark.parametrize(("mode", "k"), [("matching", None), ("all", None), ("best", 9)])
def test_near_twins_are_left_out_unless_asked_for(mode: str, k: int | None) -> None:
    def formulas(rules: MatchingRules) -> set[tuple[str, str]]:
        pairs = match_pool(pool_of(TWIN_ROWS), rules, mode=mode, k=k).pairs  # type: ignore[arg-type]
        return {(pair.lower.formula, pair.higher.formula) for pair in pairs}

    without, with_twins = formulas(MatchingRules()), formulas(TWINS)
    twins = ("x0+1", "x0+3")
    assert twins in with_twins and twins not in without
    assert without == {("x0+1", "x0+x0"), ("2*x0", "x0+3")} if mode == "matching" else True
    assert mode == "matching" or without == with_twins - {twins}


def test_the_result_counts_the_twins_that_were_passed_over() -> None:
    result, with_twins = (match_pool(pool_of(TWIN_ROWS), r, mode="all") for r in (None, TWINS))
    assert result.twins == result.problems[0].twins == 1 and with_twins.twins == 0
    assert "1 pair of one skeleton passed over" in result.summary()
    assert "skeleton" not in with_twins.summary()


def test_formulas_with_another_exponent_or_variable_are_no_twins() -> None:
    rows = [row("x0**2+1", eic=0.5), row("x0**3+2", eic=9.0), row("x1**2+1", eic=15.0)]
    assert len(match_pool(pool_of(rows), mode="all").pairs) == 3


def test_stored_rules_keep_what_they_meant_and_new_ones_say_what_they_mean() -> None:
    assert MatchingRules().to_json()["near_twins"] is False
    assert MatchingRules.from_json({}).near_twins and "near_twins" not in TWINS.to_json()
    for rules in (MatchingRules(), TWINS):
        assert MatchingRules.from_json(rules.to_json()) == rules
