"""The demo study's files: complete, readable, scorable, and enough for a study."""

from __future__ import annotations

import csv
import filecmp
import gzip
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from eic_core.cli import main
from eic_core.formula.syntax import read
from eic_core.measure.table import read_table
from eic_core.pool.candidate import Candidate, Score
from eic_core.pool.scoring import read_pool, score_pool
from study.demo import PROBLEM_INDEX, demo_candidates, demo_pool_path, demo_problems, problem_folder
from study.demo.make_pool import OPERON, SETTINGS, outline, search
from study.demo.sources import SOURCES, ProblemSource, write_problems
from tests.effort import cases

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = {problem.name: problem for problem in demo_problems()}


@pytest.fixture(scope="module")
def candidates() -> list[Candidate]:
    return demo_candidates()


@pytest.fixture(scope="module")
def scores(candidates: list[Candidate]) -> list[Score]:
    return score_pool(candidates, problem_folder(), jobs=1)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_has_the_table_it_describes_and_tells_raters_and_lawyers_what_they_need(
    name: str,
) -> None:
    problem = PROBLEMS[name]
    table = read_table(problem.path.read_bytes(), source=problem.path.name)
    assert table.names == (*(column.name for column in problem.inputs), problem.target.name)
    assert not table.problems and not table.notes
    assert 15 <= table.rows < 400 and len(problem.inputs) in (1, 2)
    assert problem.title and problem.source and problem.licence
    assert problem.description.count(".") + problem.description.count("?") <= 4
    for column in (*problem.inputs, problem.target):
        assert column.unit and column.meaning
        assert column.name.isidentifier() and len(column.name) <= 8
    assert problem.simulated == ("(simulated)" in problem.title)
    assert problem.simulated == problem.source.startswith("simulated:")
    assert f"| `{name}` |" in (ROOT / "study" / "demo" / "README.md").read_text(encoding="utf-8")


def test_there_are_at_least_five_real_problems_and_no_stray_table() -> None:
    assert sum(not problem.simulated for problem in PROBLEMS.values()) >= 5
    assert {path.stem for path in problem_folder().glob("*.csv")} == set(PROBLEMS)


def test_the_pool_is_small_holds_every_problem_and_both_methods_and_no_formula_twice(
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
    assert len({(c.problem, c.formula) for c in candidates}) == len(candidates)
    assert max(len(candidate.formula) for candidate in candidates) < 300


def test_every_formula_is_read_without_a_note_of_doubt(candidates: list[Candidate]) -> None:
    for candidate in candidates:
        names = tuple(column.name for column in PROBLEMS[candidate.problem].inputs)
        reading = read(candidate.formula, syntax=candidate.syntax, columns=names)
        assert set(reading.formula.variables) <= set(names)
        # that gplearn protects some functions is said of the tool, whatever the formula
        protected = {"the plain functions, not gplearn's"}
        assert {a.label for a in reading.alternatives} <= protected


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


def test_formulas_are_short_enough_to_show_and_nearly_all_have_a_finite_eic_on_all_rows(
    scores: list[Score],
) -> None:
    # the pool was chosen when a root of gplearn's was one node
    assert all(3 <= (score.complexity or 0) <= 30 for score in scores)
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


def test_the_command_scores_the_pool_in_place(tmp_path: Path) -> None:
    pool, out = tmp_path / "pool.csv", tmp_path / "scored.csv"
    count = cases(20, len(demo_candidates()))
    lines = gzip.decompress(demo_pool_path().read_bytes()).splitlines(keepends=True)
    pool.write_bytes(b"".join(lines[: count + 1]))
    command = ["score", str(pool), "--problems", str(problem_folder()), "--out", str(out)]
    assert main([*command, "--jobs", "1"]) == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == count
    assert not any(row["error"] for row in rows)


# --- The script that made the files ---


SIMULATED = [source for source in SOURCES if source.simulated]


def committed(source: ProblemSource) -> np.ndarray:
    table = read_table((problem_folder() / f"{source.name}.csv").read_bytes())
    return np.column_stack([table.values[name] for name in table.names])


def test_the_index_and_the_real_problems_are_what_the_script_writes(tmp_path: Path) -> None:
    write_problems(tmp_path, tmp_path / "index")
    assert (tmp_path / "index").read_bytes() == PROBLEM_INDEX.read_bytes()
    real = [f"{source.name}.csv" for source in SOURCES if not source.simulated]
    assert filecmp.cmpfiles(tmp_path, problem_folder(), real, shallow=False)[0] == real


@pytest.mark.parametrize("source", SIMULATED, ids=lambda s: s.name)
def test_a_simulated_problem_is_made_again_from_its_name(source: ProblemSource) -> None:
    # The last digit of a rounded cell may differ where exp or cos does in its last bit.
    np.testing.assert_allclose(source.table(), committed(source), rtol=2e-3, atol=2e-3)


def test_a_search_with_one_seed_prints_the_same_twice() -> None:
    source = next(s for s in SOURCES if s.name == "kepler")
    setting = next(s for s in SETTINGS if s.method == OPERON)
    names = [name for name, _, _ in source.columns[:-1]]
    first, second = (list(search(setting, 1, names, source.table())) for _ in range(2))
    assert first and first == second


def test_an_outline_ignores_digits_past_the_third_and_nothing_else() -> None:
    same = outline("(1.2341 * x)", "operon", ["x"])
    assert same == outline("(1.2339 * x)", "operon", ["x"])
    assert same != outline("(1.24 * x)", "operon", ["x"])
    assert same != outline("(x * 1.2341)", "operon", ["x"])
