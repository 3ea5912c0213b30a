"""The demo study's files: complete, readable, scorable, and enough for a study."""

from __future__ import annotations

import csv
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from eic_core.errors import FormulaError
from eic_core.formula.syntax import read
from eic_core.measure.table import read_table
from eic_core.pool.candidate import Candidate, Score
from eic_core.pool.scoring import read_pool, score_pool
from study.demo import demo_candidates, demo_pool_path, demo_problems, problem_folder

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = {problem.name: problem for problem in demo_problems()}


@pytest.fixture(scope="module")
def candidates() -> list[Candidate]:
    return demo_candidates()


@pytest.fixture(scope="module")
def scores(candidates: list[Candidate]) -> list[Score]:
    return score_pool(candidates, problem_folder(), jobs=1)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_has_its_table_with_the_columns_it_describes(name: str) -> None:
    problem = PROBLEMS[name]
    table = read_table(problem.path.read_bytes(), source=problem.path.name)
    assert table.names == (*(column.name for column in problem.inputs), problem.target.name)
    assert not table.problems and not table.notes
    assert 15 <= table.rows < 400
    assert len(problem.inputs) in (1, 2)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_tells_raters_and_lawyers_what_they_need(name: str) -> None:
    problem = PROBLEMS[name]
    assert problem.title and problem.source and problem.licence
    assert problem.description.count(".") + problem.description.count("?") <= 4
    for column in (*problem.inputs, problem.target):
        assert column.unit and column.meaning
        assert column.name.isidentifier() and len(column.name) <= 8
    assert problem.simulated == ("(simulated)" in problem.title)
    assert problem.simulated == problem.source.startswith("simulated:")


def test_there_are_at_least_five_real_problems_and_no_stray_table() -> None:
    assert sum(not problem.simulated for problem in PROBLEMS.values()) >= 5
    assert {path.stem for path in problem_folder().glob("*.csv")} == set(PROBLEMS)


def test_the_pool_is_small_and_holds_every_problem_and_both_methods(
    candidates: list[Candidate],
) -> None:
    assert demo_pool_path().stat().st_size < 500_000
    columns, _ = read_pool(demo_pool_path())
    assert columns == [
        *("problem", "method", "setting", "seed"),
        *("formula", "syntax", "r2_search", "tool_size"),
    ]
    assert {c.problem for c in candidates} == set(PROBLEMS)
    assert {c.method for c in candidates} == {"Operon", "gplearn"}


def test_every_formula_is_read_without_a_note_of_doubt(candidates: list[Candidate]) -> None:
    for candidate in candidates:
        names = tuple(column.name for column in PROBLEMS[candidate.problem].inputs)
        try:
            reading = read(candidate.formula, syntax=candidate.syntax, columns=names)
        except FormulaError as error:  # pragma: no cover - says which
            pytest.fail(f"{candidate.formula}: {error}")
        assert set(reading.formula.variables) <= set(names)
        # that gplearn protects some functions is said of the tool, whatever the formula
        protected = {"the plain functions, not gplearn's"}
        assert {a.label for a in reading.alternatives} <= protected


def test_no_formula_stands_twice_in_a_problem(candidates: list[Candidate]) -> None:
    counts = Counter((c.problem, c.formula) for c in candidates)
    assert max(counts.values()) == 1


def test_every_formula_scores_and_its_r2_is_that_of_the_search(
    candidates: list[Candidate], scores: list[Score]
) -> None:
    assert sum(score.eic > 15 for score in scores) < 0.05 * len(scores)
    for candidate, score in zip(candidates, scores, strict=True):
        assert score.error == ""
        if score.eic > 15:
            continue  # sin(exp(gnp)) has another value wherever exp rounds another way
        tolerance = 2e-6 if candidate.method == "Operon" else 1.001e-3
        assert score.r2 == pytest.approx(float(candidate.row["r2_search"]), abs=tolerance)


def test_formulas_are_short_enough_to_show(
    candidates: list[Candidate], scores: list[Score]
) -> None:
    # the pool was chosen when a root of gplearn's was one node
    assert all(3 <= (score.complexity or 0) <= 30 for score in scores)
    assert max(len(candidate.formula) for candidate in candidates) < 300


def test_nearly_every_formula_has_a_value_and_finite_eic_on_all_rows(scores: list[Score]) -> None:
    clean = [s for s in scores if not s.invalid and not s.singular and math.isfinite(s.eic_finite)]
    assert len(clean) > 0.95 * len(scores)


def naive_pairs(members: list[Score]) -> list[tuple[Score, Score]]:
    """Disjoint pairs under the default rules, largest gap in EIC first: a lower bound."""
    fit = [s for s in members if not s.invalid and not s.singular and math.isfinite(s.eic_finite)]
    allowed = [
        (abs(a.eic_finite - b.eic_finite), i, j)
        for i, a in enumerate(fit)
        for j, b in enumerate(fit[:i])
        if abs((a.complexity or 0) - (b.complexity or 0)) <= 2
        and abs(a.r2 - b.r2) <= 0.02
        and abs(a.eic_finite - b.eic_finite) >= 2
        and max(a.r2, b.r2) > 0.85
    ]
    used: set[int] = set()
    pairs = []
    for _, i, j in sorted(allowed, reverse=True):
        if i not in used and j not in used:
            used |= {i, j}
            pairs.append((fit[i], fit[j]))
    return pairs


def test_the_pool_gives_forty_matched_pairs_over_eight_problems_five_of_them_real(
    candidates: list[Candidate], scores: list[Score]
) -> None:
    """The issue asks for 20 pairs, 5 problems, 3 real; ballots need variety, so more are held."""
    groups: dict[str, list[Score]] = {}
    for candidate, score in zip(candidates, scores, strict=True):
        groups.setdefault(candidate.problem, []).append(score)
    counts = {name: len(naive_pairs(members)) for name, members in groups.items()}
    fruitful = [name for name, count in counts.items() if count]
    assert sum(min(count, 5) for count in counts.values()) >= 40, counts
    assert len(fruitful) >= 8
    assert sum(not PROBLEMS[name].simulated for name in fruitful) >= 5


def test_the_loaders_import_no_numerical_library() -> None:
    program = (
        "import sys\n"
        "for name in ('numpy', 'scipy', 'pandas', 'statsmodels', 'sklearn', 'eic_core'):\n"
        "    sys.modules[name] = None\n"
        "from study.demo import demo_pool_path, demo_problems\n"
        "assert demo_problems() and demo_pool_path().is_file()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_names_every_problem_with_its_licence() -> None:
    readme = (ROOT / "study" / "demo" / "README.md").read_text(encoding="utf-8")
    for problem in PROBLEMS.values():
        assert f"| `{problem.name}` |" in readme, problem.name


def test_the_command_scores_the_pool_in_place(tmp_path: Path) -> None:
    out = tmp_path / "scored.csv"
    command = [sys.executable, "-m", "eic_core", "score", str(demo_pool_path()), "--jobs", "1"]
    options = ["--problems", str(problem_folder()), "--out", str(out)]
    done = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(demo_candidates())
    assert not any(row["error"] for row in rows)
