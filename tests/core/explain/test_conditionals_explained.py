"""What is said of a formula with conditions: ledger, causes, jumps, conditioning, and refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from eic_core.cli.main import main
from eic_core.explain.budget import digit_budget
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.findings import NearEdge, OnThreshold
from eic_core.explain.ledger import blame
from eic_core.explain.settling import spread_of
from eic_core.explain.triangulation import triangulate
from eic_core.explain.verdict import Level, verdict
from eic_core.explain.what_if import what_if_mean
from eic_core.explain.where import where
from eic_core.formula.rendering import short_text
from eic_core.measure.reasons import Outcome
from tests.core.explain.test_correlated import own_of, q_of
from tests.findings import counts, findings_of, rows_of, step_of, steps_of
from tests.inspections import inspect_columns
from tests.repairs import repaired_on


def spread(low: float, high: float, count: int = 400) -> list[float]:
    return np.linspace(low, high, count).tolist()


CANCELS = "where(x > 1, 10000*x - 9999*x, x)"


def test_the_branch_that_loses_is_named_and_its_samples_counted() -> None:
    result = inspect_columns(CANCELS, x=spread(-1.005, 3))
    taken = sum(x > 1 for x in spread(-1.005, 3))
    (finding,) = [f for f in findings_of(result, Outcome.FINITE) if f.rows is not None]
    assert step_of(result, finding) == "10000·x − 9999·x"
    assert (finding.rows, finding.of) == (taken, 400)
    (inner,) = findings_of(result, Outcome.FINITE, inner=True)
    assert inner.rows == taken and inner.digits.worst == pytest.approx(4.389, abs=1e-3)
    assert steps_of(result, Outcome.FINITE) == {short_text(result.formula)}


def test_a_loss_that_a_conditional_hands_on_is_said_to_be_created_in_its_branch() -> None:
    result = inspect_columns("where(x > -5, log(x), x)", x=spread(0.9, 1.5))
    leading = verdict(result).leading
    assert step_of(result, leading) == "log(x)"
    assert leading.at == result.formula.root.id and isinstance(leading.cause, NearEdge)
    x = np.array(spread(0.9, 1.5))
    assert leading.rows == np.count_nonzero(np.sqrt(2 + np.log(x) ** -2) >= 10)


def test_nothing_is_said_of_a_branch_that_no_sample_takes() -> None:
    found = diagnose(inspect_columns(CANCELS, x=spread(-3, 0.5)))
    assert found.verdict.level is Level.STABLE and found.verdict.findings == ()
    assert "9999" not in str(found.ledger.sentences[0])


def test_the_ledger_of_a_node_in_a_branch_is_over_the_rows_that_take_it() -> None:
    result = inspect_columns("where(x > 0, sqrt(x) - 1, sqrt(-x))", x=spread(-2.01, 2))
    target = next(n.node.id for n in result.nodes if n.text == "√x − 1")
    ledger = blame(result, target)
    assert ledger.finite == result.nodes[target].evaluated == sum(x > 0 for x in spread(-2.01, 2))
    assert math.fsum(row.share for row in ledger.rows) == pytest.approx(1)


def test_the_ledger_of_the_result_gives_conditions_nothing() -> None:
    result = inspect_columns(CANCELS, x=spread(-1.005, 3))
    ledger = blame(result, len(result.nodes) - 1)
    assert math.fsum(row.share for row in ledger.rows) == pytest.approx(1)
    assert [row.share for row in ledger.rows[:3]] == [0, 0, 0]  # x, 1, x > 1


@pytest.mark.parametrize(
    ("column", "rows", "first"),
    [([0.5, 1.0, 2.0], 1, 2), ([0.5, 1.0, 1.0], 2, 2), ([1.0, 1.0], 2, 1)],
)
def test_a_jump_is_named_with_its_row(column: list[float], rows: int, first: int) -> None:
    result = inspect_columns("where(x > 1, x + 1, 5)", x=column)
    leading = verdict(result).leading
    assert leading.outcome is Outcome.NO_DIGIT
    assert (leading.rows, leading.of) == (rows, len(column))
    assert leading.cause == OnThreshold(result.formula.root.id, first, True, False)
    assert rows_of(result, Outcome.NO_DIGIT) == [k for k, x in enumerate(column) if x == 1]
    assert where(inspect_columns("where(x > 1, x + 1, 5)", x=column)).singular


def test_a_truth_value_that_counts_jumps_by_itself() -> None:
    result = inspect_columns("(x > 1)*(x + 5)", x=[0.5, 1.0, 2.0])
    (finding,) = findings_of(result, Outcome.NO_DIGIT)
    assert (finding.rows, finding.of) == (1, 3) and step_of(result, finding) == "x > 1"
    assert finding.cause == OnThreshold(finding.cause.node, 2, True, False)


def test_rows_without_a_value_are_not_said_to_leave_double_range() -> None:
    result = inspect_columns("where(x > 1, log(x), nan)", x=[0.5, 1.5, 2.0])
    assert counts(result) == {Outcome.NO_REAL_VALUE: 1, Outcome.FINITE: 2}
    assert steps_of(result, Outcome.NO_REAL_VALUE) == {"nan"}


def test_a_branch_is_not_all_the_data() -> None:
    found = where(inspect_columns(CANCELS, x=spread(-1.005, 3)))
    assert str(found.sentences[0]).startswith(
        "All over the 200 rows that take its branch: each of them gives"
    )


def test_own_conditioning_is_that_of_the_branch_taken() -> None:
    x = [-2.0, -0.5, 0.5, 2.0]
    found = own_of("where(x > 0, x**3, exp(x))", x=x)
    expected = np.mean([1 + (3.0 if v > 0 else v) ** 2 for v in x])  # κ of x³ is 3, of exp(x) is x
    assert 10 ** (2 * found.own) == pytest.approx(expected)


def test_own_conditioning_is_infinite_on_a_jump() -> None:
    found = own_of("where(x > 1, x, 5)", x=[1.0, 2.0])
    assert found.singular == 1 and found.own == math.inf


def test_copies_in_a_branch_and_outside_share_their_noise() -> None:
    columns = {"x": [2.0, -3.0], "y": [5.0, 7.0]}
    apart = q_of("y - y + x - where(x > 0, x/2, y)", **columns)
    assert apart.q_eic < apart.root_eic or math.isinf(apart.root_eic)
    found = q_of("x - where(x > 0, x/2, y)", **columns)
    # x = 2: y = x - (x/2): x counts (2 - 1)/1, the others 1/1: x/2, its choice, 2, the root
    first = 1**2 + 1 + 1 + 1 + 1
    # x = -3: x - y = -10: x 3/10, y 7/10 and its choice 7/10, the root 1
    second = 0.3**2 + 0.7**2 + 0.7**2 + 1
    assert 10 ** (2 * found.q_eic) == pytest.approx((first + second) / 2)


@pytest.mark.parametrize(
    "text",
    [
        "where(x > 0, log(x), 2)",
        "where(x > 5, x**2, x - 1) + (x > y)*y",
        "(x > y)*x + y",
        "where(x > 0, sqrt(x + 1) - sqrt(x), nan)",
    ],
)
def test_every_question_has_an_answer(text: str) -> None:
    result = inspect_columns(text, x=spread(-1.01, 3, 60), y=spread(0.013, 1, 60))
    for sentence in map(str, diagnose(result).sentences):
        assert sentence.endswith(".")
        assert "nan" not in " ".join(sentence.split("`")[::2])  # outside of formulas
    assert len(triangulate(result).nodes) == len(result.formula)
    assert digit_budget(result, tolerance=1e-3) is not None
    inner = next(n.node.id for n in result.nodes if n.text == "x" and n.evaluated)
    assert math.isfinite(what_if_mean(result, inner).eic_after)


def test_repair_rewrites_a_branch() -> None:
    found = repaired_on("where(x > 0, exp(x) - 1, 0)", {"x": [1e-9, 1.0]})
    assert str(found.sentence) == (
        "Write `where(x > 0, expm1(x), 0)` (conditions as written; expm1)."
    )


def test_the_command_line_says_where_each_node_is_evaluated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["inspect", "where(x > 0, log(x), 0)", "--range", "x=-1:1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    by_text = {node["text"]: node for node in found["nodes"]}
    assert found["samples"]["invalid"] == 0
    assert 0 < by_text["log(x)"]["evaluated"] < 10_000 == by_text["x > 0"]["evaluated"]
    assert main(["inspect", "where(x > 0, log(x), 0)", "--range", "x=-1:1"]) == 0
    said = capsys.readouterr().out
    assert "evaluated  sub-expression" in said and "log(x) if x > 0 else 0" in said
    assert main(["inspect", "log(x)", "--range", "x=1:2"]) == 0
    assert "evaluated" not in capsys.readouterr().out


def test_a_report_is_written(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    text = r"\begin{cases} x^2 & x > 0 \\ -x & \text{otherwise} \end{cases}"
    assert main(["report", text, "--range", "x=-1:1", "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert "mtable" in page and "otherwise" in page and "evaluated at" in page


def test_a_pool_with_conditionals_is_scored(tmp_path: Path) -> None:
    x = np.random.default_rng(0).uniform(-2, 2, (50, 2))
    y = np.where(x[:, 0] > 0, x[:, 1], x[:, 0])
    rows = "\n".join(",".join(map(repr, map(float, row))) for row in np.c_[x, y])
    (tmp_path / "p.csv").write_text(f"x0,x1,y\n{rows}\n")
    pool = (
        "where(x0 > 0, x1, x0)",
        "cond(x0, x1) + (x0 <= 0)*x0",
        "Piecewise((x1, x0 > 0), (x0, True))",
        "x0 if x0 > 0",
    )
    (tmp_path / "pool.csv").write_text(
        "problem,formula\n" + "".join(f'p,"{formula}"\n' for formula in pool)
    )
    out = tmp_path / "scored.csv"
    arguments = ["score", str(tmp_path / "pool.csv"), "--problems", str(tmp_path)]
    assert main([*arguments, "--out", str(out)]) == 0
    lines = out.read_text().splitlines()[1:]
    is_scored = [",6,1.0,0.15" in line or ",12,1.0,0.26" in line for line in lines]
    assert is_scored == [True, True, True, False]
    assert "no other branch" in lines[3]


def test_a_branch_that_is_never_taken_hides_no_quantiles():
    inspection = inspect_columns("np.where(x > 0, log(x), 0)", x=np.linspace(2.0, 5.0, 500))
    spread = spread_of(inspection)
    assert spread.place and "no sample keeps" not in str(spread.settled)
    assert spread.quantiles == " / ".join(
        f"{q:.1f}" for q in (inspection.tail.q50, inspection.tail.q90, inspection.tail.q99)
    )
