"""The formulas and rows that the benchmarks draw from: what users bring.

Pools and laws lie in ``../shared/data``, which a checkout may lack; the demo's pool is always
there.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eic_core.errors import UserError
from eic_core.formula.copying import copied
from eic_core.formula.syntax import canonical_name, read
from eic_core.formula.tree import VARIABLE, Formula
from eic_core.pool.candidate import Candidate, Refused, read_candidate
from eic_core.pool.counting import counting_of, group_of, groups_of
from eic_core.pool.scoring import ProblemData, read_pool
from eic_core.samples import Domain, Samples, sample_domains
from study.demo import demo_pool_path, problem_folder

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
POOL = Path("pools") / "sr_fronts_1d2d.csv.gz"
LAWS = "whitebox_formulas.csv"

CLEAN = {
    "a mixture": "(1.5*x+sin(0.7*y*x))/(2.0+x**2)*exp(-0.3*y)+log(1.0+x*y)-sqrt(x+y)*0.25",
    "sums and products": "(x*y+2.5*x-1.3*y+0.7)*(x-3.1*y)/(x*x+y*y+1.1)+(0.4*x+5.0)*(1.2-y)",
    "oscillations": "sin(2.0*x+y)*cos(0.5*x)+0.3*sin(x*y)*exp(-0.2*x)+tanh(1.5-y)*1.7+0.1*x/y",
    "powers": "(x/2.3)**1.7*(y+0.5)**-0.31+sqrt(x*y+1.9)/(0.2*x**3+1.0)-abs(y-x)**0.4*1.13+x",
}


@dataclass(frozen=True)
class Case:
    """A formula with the rows that it is for.

    Attributes
    ----------
    text : str
        As its tool printed it.
    formula : Formula
    draw : callable (count) -> Samples
        The same rows each time.
    """

    text: str
    formula: Formula
    draw: Callable[[int], Samples]


def pool_paths(shared: Path = SHARED) -> tuple[Path, Path]:
    """The pool to score and the folder of its problems; the demo's, and a line, without shared."""
    if (shared / POOL).is_file():
        return shared / POOL, shared / "problems"
    print(f"there is no {shared / POOL}: the demo's pool is taken instead")
    return demo_pool_path(), problem_folder()


def pool_cases(pool: Path, problems: Path, count: int, seed: int = 0) -> list[Case]:
    """Formulas of a pool drawn at random, on rows drawn with replacement from their own tables."""
    return cases_of(read_pool(pool)[1], ProblemData(problems), count, seed)


def cases_of(
    candidates: Sequence[Candidate], data: ProblemData, count: int, seed: int
) -> list[Case]:
    """So many of these candidates, in random order."""
    countings = {
        group: counting_of([candidates[i] for i in places], data.inputs(group[0]))[0]
        for group, places in groups_of(candidates).items()
    }
    cases = []
    for candidate in random.Random(seed).sample(candidates, len(candidates)):
        reading = read_candidate(candidate, data.inputs(candidate.problem))
        if isinstance(reading, Refused):
            continue
        rows = data.samples(candidate.problem, reading, countings[group_of(candidate)])
        cases.append(Case(candidate.formula, reading.formula, _drawn_from(rows, len(cases))))
        if len(cases) == count:
            break
    return cases


def _drawn_from(rows: Samples, seed: int) -> Callable[[int], Samples]:
    def draw(count: int) -> Samples:
        return rows.take(np.random.default_rng(seed).integers(0, len(rows), count))

    return draw


def law_cases(laws: Path) -> list[Case]:
    """Laws of physics on the ranges that their source states."""
    cases = []
    with laws.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            domains = {
                canonical_name(name): Domain("uniform", *map(float, ends))
                for name, ends in json.loads(row["ranges_json"]).items()
            }
            try:
                formula = read(row["formula"]).formula
                sample_domains(domains, count=1).require(formula.variables)
            except UserError as error:
                print(f"left out: {row['dataset']}: {error}")
                continue
            cases.append(Case(row["formula"], formula, _drawn_in(domains)))
    return cases


def clean_cases() -> list[Case]:
    """Four formulas of 34 to 39 nodes on data without zeros or invalid rows."""
    domains = {"x": Domain("uniform", 0.5, 5), "y": Domain("uniform", 0.6, 4)}
    return [Case(text, read(text).formula, _drawn_in(domains)) for text in CLEAN.values()]


def _drawn_in(domains: dict[str, Domain]) -> Callable[[int], Samples]:
    return lambda count: sample_domains(domains, count=count, seed=1)


def plain_evaluation(formula: Formula) -> Callable[[Samples], np.ndarray]:
    """One evaluation as a NumPy user would write it, compiled once; one number for each row.

    The text is written by us from the tree: nothing of the user's is evaluated.
    """
    names = {name: f"v{i}" for i, name in enumerate(formula.variables)}
    own = tuple(
        node._replace(label=names[node.label]) if node.operator == VARIABLE else node
        for node in formula.nodes
    )
    written = copied(Formula(own), "numpy")
    functions: dict[str, Any] = {"np": np}
    exec("\n".join(written.helpers), functions)  # noqa: S102
    code = compile(written.text, "<formula>", "eval")

    def evaluate(samples: Samples) -> np.ndarray:
        columns = {names[name]: samples.columns[name] for name in names}
        value: np.ndarray = eval(code, functions, columns)  # noqa: S307
        return value if np.ndim(value) else np.full(len(samples), value)

    return evaluate


def cut(text: str, width: int) -> str:
    """A text in one line of at most so many letters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def two_variable_formulas(count: int, paths: Sequence[Path]) -> tuple[list[Formula], Samples]:
    """Formulas of a pool that read two columns of its largest problem, and 200 of its rows."""
    pool, problems = paths
    data = ProblemData(problems)
    _, candidates = read_pool(pool)
    two = [c for c in candidates if len(data.table(c.problem).names) == 3]
    problem, _ = Counter(c.problem for c in two).most_common(1)[0]
    cases = cases_of([c for c in two if c.problem == problem], data, len(two), 0)
    found = [case for case in cases if len(case.formula.variables) == 2]
    samples = found[0].draw(200)
    return [case.formula for case in found if set(case.formula.variables) == set(samples.columns)][
        :count
    ], samples
