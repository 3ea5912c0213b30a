"""Gaps on rows drawn anew, beside inspections of those very rows; further rules; one text once."""

from __future__ import annotations

import csv
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from eic_core.errors import UserError
from eic_core.formula.syntax import read
from eic_core.measure.inspection import inspect
from eic_core.pool.scoring import read_pool, score_pool
from eic_core.samples import Samples
from study.cli import main
from study.matching import (
    MatchedMember,
    MatchedPair,
    MatchingResult,
    MatchingRules,
    ScoredPool,
    match_pool,
)
from study.matching.disjoint import best_disjoint
from study.matching.looks import looks_sentence, visible_predictor
from study.matching.sweep import PairSweep
from study.structure import structure_as_written
from tests.effort import examples

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
FORMULAS = (
    ("x*2 - 1.5", "x*2.001 - 0.001*x - 1.5"),
    ("x*3 - 4.6", "x*x - 2.25"),
    ("x + x", "(1e5+x) + (x-1e5)"),
    ("where(x > 2, x, 3)", "where(x > 2, 1e4*x - 9999*x, 3)"),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[ScoredPool, Path]:
    """Two problems; in one an input is missing in a row, in one formulas meet invalid samples."""
    folder = tmp_path_factory.mktemp("robust")
    x = np.random.default_rng(3).uniform(0.5, 4, 40)
    x[7] = 1.5001
    lines = "".join(f"{value!r},{2 * value!r}\n" for value in x.tolist())
    (folder / "line.csv").write_text("x,y\n" + lines + ",1\n")
    pool = folder / "pool.csv"
    with pool.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["problem", "formula"])
        writer.writerows(["line", text] for pair in FORMULAS for text in pair)
    candidates = read_pool(pool)[1]
    return ScoredPool.from_scores(candidates, score_pool(candidates, folder, jobs=1)), folder


LOOSE = MatchingRules(max_complexity_gap=50, max_r2_gap=10, min_eic_gap=0.05, min_best_r2=-10)


def everything(world: tuple[ScoredPool, Path]) -> MatchingResult:
    return match_pool(world[0], LOOSE, mode="all", problems=world[1])


def inspected(text: str, x: np.ndarray) -> float:
    return inspect(
        read(text).formula, Samples.from_columns({"x": x}), recheck=False, edges=False
    ).eic_finite


def test_gaps_on_drawn_rows_are_those_of_inspections_of_these_rows(
    world: tuple[ScoredPool, Path],
) -> None:
    cells = (world[1] / "line.csv").read_text().splitlines()[1:]
    x = np.array([float(line.split(",")[0] or "nan") for line in cells])
    pairs = everything(world).pairs
    texts = {member.formula for pair in pairs for member in (pair.lower, pair.higher)}
    random = np.random.default_rng(zlib.crc32(b"line"))
    draws = [x[random.integers(len(x), size=len(x))] for _ in range(200)]
    eics = {
        text: np.array([inspected(text, each[np.isfinite(each)]) for each in draws])
        for text in texts
    }
    assert len(pairs) > 5
    for pair in pairs:
        gap = eics[pair.higher.formula] - eics[pair.lower.formula]
        assert pair.gap_share == np.mean(gap >= 0.05 - 1e-12)
    assert len({pair.gap_share for pair in pairs}) > 2


def test_without_its_worst_row_the_higher_formula_loses_least(
    world: tuple[ScoredPool, Path],
) -> None:
    cells = (world[1] / "line.csv").read_text().splitlines()[1:-1]
    x = np.array([float(line.split(",")[0]) for line in cells])
    for pair in everything(world).pairs:
        left = [inspected(pair.higher.formula, np.delete(x, row)) for row in range(len(x))]
        row = int(np.argmin(left))
        expected = left[row] - inspected(pair.lower.formula, np.delete(x, row))
        assert pair.gap_without_worst_row == pytest.approx(expected, abs=1e-9)


def test_a_demanded_robust_gap_holds_in_every_pair_and_the_choice_is_the_best_of_those(
    world: tuple[ScoredPool, Path],
) -> None:
    rules = MatchingRules(
        **{**LOOSE.to_json(), "min_gap_share": 0.9, "gap_without_worst_row": True}
    )
    allowed = [
        pair
        for pair in everything(world).pairs
        if (pair.gap_share or 0) >= 0.9 and (pair.gap_without_worst_row or 0) >= 0.05
    ]
    found = match_pool(world[0], rules, problems=world[1])
    ends = [(p.lower.row, p.higher.row) for p in allowed]
    total = optimum(ends, [-p.loss for p in allowed], list(range(len(world[0]))))
    assert 0 < len(allowed) < len(everything(world).pairs)
    assert -sum(pair.loss for pair in found.pairs) == pytest.approx(total)
    assert {(p.lower.row, p.higher.row) for p in found.pairs} <= set(ends)
    with pytest.raises(UserError, match="only with the problems' data"):
        match_pool(world[0], rules)


def optimum(ends: list[tuple[int, int]], weight: list[float], classes: list[int]) -> float:
    """The largest total over sets of pairs that touch each class once at most, by an ILP."""
    use = np.zeros((max(classes) + 1, max(1, len(ends))))
    for edge, pair in enumerate(ends):
        for node in pair:
            use[classes[node], edge] += 1
    gain = np.array(weight or [0.0])
    solved = milp(
        -gain,
        integrality=np.ones(len(gain)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(use, ub=1),
    )
    return -float(solved.fun)


@settings(max_examples=examples(150), deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(0, 2), st.integers(0, 14), st.integers(0, 5)),
        min_size=1,
        max_size=12,
    )
)
def test_with_classes_the_choice_is_the_optimum_of_an_integer_programme(
    rows: list[tuple[int, int, int, int]],
) -> None:
    complexity, r2, eic, classes = (np.array(column) for column in zip(*rows, strict=True))
    classes = np.unique(classes, return_inverse=True)[1]
    sweep = PairSweep(complexity, 0.9 + r2 / 100, eic / 2.0, MatchingRules())
    higher, lower = sweep.pairs()
    weight = -sweep.losses(higher, lower)
    kept = weight > 0
    ends = list(zip(higher[kept].tolist(), lower[kept].tolist(), strict=True))
    found = best_disjoint(sweep, classes=classes)
    used = classes[np.concatenate([found.higher, found.lower])].tolist()
    assert len(set(used)) == len(used)
    assert found.exact
    assert found.total == pytest.approx(optimum(ends, weight[kept].tolist(), classes.tolist()))
    assert found.total == pytest.approx(-sweep.losses(found.higher, found.lower).sum())


def small_pool(rows: list[tuple[str, float]]) -> ScoredPool:
    columns = ("problem", "formula", "complexity", "r2", "eic_finite", "invalid", "singular")
    return ScoredPool.from_rows(
        [["a", text, "5", "0.9", str(eic), "0", "0"] for text, eic in rows], columns
    )


def test_a_text_serves_once_however_spelled_and_by_option_a_skeleton_or_each_row() -> None:
    pool = small_pool(
        [
            ("2*x0+1", 0.1),
            ("2 * x_0 + 1", 0.1),
            ("(2*x0)+1", 0.1),
            ("5*x0+1", 0.2),
            ("sin(x0)*x0", 9.0),
            ("cos(x0)*x0", 8.5),
            ("exp(x0)*x0", 8.0),
        ]
    )
    found = [
        len(match_pool(pool, MatchingRules.from_json({"distinct": kind})).pairs)
        for kind in ("row", "text", "skeleton")
    ]
    assert found == [3, 2, 1]
    assert len(match_pool(pool).pairs) == 2


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_structure_that_tells_the_lower_eic_is_found_on_the_problems_left_out() -> None:
    def pair(problem: str, lower: str, higher: str) -> MatchedPair:
        low, high = (MatchedMember(0, text, "", "", 7, 0.9, 0.5) for text in (lower, higher))
        return MatchedPair("", problem, -1.0, low, high, None)

    telling = [pair(name, "x0 + 1", "sin(x0) + 1") for name in "abc"]
    assert visible_predictor(telling).auc == 1
    assert "fewer calls of functions; AUC 1.00" in looks_sentence(telling)
    opposed = [pair("a", "x0 + 1", "sin(x0) + 1"), pair("b", "sin(x0) + 1", "x0 + 1")]
    assert visible_predictor(opposed).auc == 0  # learnt on one, it fails on the other


def test_structure_limits_hold_in_every_pair_are_priced_and_leave_no_trace_where_unused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "pairs.csv"
    scored = str(GOLDEN / "SCORED.csv")
    limits = ["--max-delta-calls", "0", "--max-delta-depth", "1", "--max-delta-length", "4"]
    assert main(["pairs", scored, "--out", str(out)]) == 0
    plain = [float(row["higher_eic"]) - float(row["lower_eic"]) for row in rows_of(out)]
    assert "further rules" not in capsys.readouterr().err
    assert main(["pairs", scored, "--out", str(out), *limits]) == 0
    limited = [float(row["higher_eic"]) - float(row["lower_eic"]) for row in rows_of(out)]
    said = capsys.readouterr().err
    assert f"leave {len(limited)} of {len(plain)} pairs, with a median ΔEIC of " in said
    assert f"{np.median(limited):.2f} instead of {np.median(plain):.2f}" in said
    rows = rows_of(out)
    assert rows and "gap_share" not in rows[0]
    for row in rows:
        one, other = (structure_as_written(row[f"{side}_formula"]) for side in ("lower", "higher"))
        assert one is not None and other is not None
        assert one.calls == other.calls and abs(one.depth - other.depth) <= 1
        assert abs(one.length - other.length) <= 4
    assert not {"distinct", "min_gap_share", "max_calls_gap"} & set(MatchingRules().to_json())
    rules = MatchingRules(max_depth_gap=2, distinct="skeleton", min_gap_share=0.9)
    assert MatchingRules.from_json(rules.to_json()) == rules
