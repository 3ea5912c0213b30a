"""Other tools, run in their own interpreter, read and measured like our formulas."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.search_tables.material import Split
from benchmarks.search_tables.runs import Row, Task, maker, measured
from eic_core.errors import DataError, FormulaError
from eic_core.formula.syntax import read
from eic_core.formula.tree import VARIABLE, Formula
from eic_core.search.run import TOLERANCE

WORKER = Path(__file__).with_name("peer_worker.py")
OURS = "eic-gp-01"
"""The method whose processor time the others get."""

SYNTAX = {"gplearn": ("gplearn", 0), "operon": ("operon", 1)}
"""The notation of each tool, and what its variables count from."""


@dataclass(frozen=True)
class PeerTask:
    """A run of another tool: a task of ours, the tool, and its seconds."""

    ours: Task
    tool: str
    seconds: float

    @property
    def key(self) -> tuple[object, ...]:
        """As `Task.key`, under the tool's name."""
        part, problem, noise, seed, _, evaluations, rows = self.ours.key
        return part, problem, noise, seed, self.tool, evaluations, rows


def tools_of(python: Path) -> list[str]:
    """The tools that an interpreter has.

    Raises
    ------
    DataError
        If it does not run, or has none of them.
    """
    try:
        told = subprocess.run(
            [python, WORKER, "--list"], capture_output=True, text=True, check=True
        ).stdout.split()
    except (OSError, subprocess.CalledProcessError) as error:
        raise DataError(f"{python} cannot run {WORKER.name}: {error}") from error
    found = [tool for tool in SYNTAX if tool in told]
    if not found:
        raise DataError(f"{python} has none of {', '.join(SYNTAX)}")
    return found


def tasks(ours: Sequence[Task], rows: Sequence[Row], tools: Sequence[str]) -> list[PeerTask]:
    """A run of each tool for each of ours, for as long as ours took on that problem.

    Parameters
    ----------
    ours : sequence of Task
    rows : sequence of Row
        Of our runs.
    tools : sequence of str
    """
    found = []
    for task in ours:
        if task.method != OURS:
            continue
        took = [row.seconds for row in rows if row.method == OURS and row.problem == task.problem]
        found += [PeerTask(task, tool, statistics.fmean(took)) for tool in tools]
    return found


def make(task: PeerTask, python: Path, split: Callable[[Task], Split]) -> list[Row]:
    """Run a tool, read its formula, measure it.

    Parameters
    ----------
    task : PeerTask
    python : Path
        The interpreter that has it.
    split : callable (Task) -> Split

    Raises
    ------
    DataError
        If it fails.
    """
    data = split(task.ours)
    columns = data.training.columns
    assert data.training.target is not None
    asked = {
        "tool": task.tool,
        "seconds": task.seconds,
        "seed": task.ours.seed,
        "x": [column.tolist() for column in columns.values()],
        "y": data.training.target.tolist(),
    }
    done = subprocess.run(
        [python, WORKER], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise DataError(f"{task.tool} failed on {task.ours.problem}: {done.stderr[-300:]}")
    told = json.loads(done.stdout.splitlines()[-1])
    ours = task.ours
    row = Row(
        ours.part,
        ours.problem,
        ours.noise,
        ours.seed,
        task.tool,
        ours.evaluations,
        ours.rows,
        TOLERANCE,
        maker(),
        told["seconds"],
    )
    try:
        formula = formula_of(told["formula"], task.tool, tuple(columns))
    except FormulaError as error:
        raise DataError(f"{told['formula']} of {task.tool} is not read: {error}") from error
    return [measured(row, told["formula"], formula, data)]


def formula_of(text: str, tool: str, columns: Sequence[str]) -> Formula:
    """A tool's formula over these columns, as it computes it.

    Parameters
    ----------
    text : str
    tool : str
    columns : sequence of str
        In the order in which the tool was given them.

    Examples
    --------
    >>> from eic_core.formula.rendering import to_python
    >>> to_python(formula_of("log(sub(X0, X1))", "gplearn", ["a", "b"]))
    'gp_log(a - b)'
    >>> to_python(formula_of("((0.5 * X2) + X1)", "operon", ["a", "b"]))
    '0.5*b + a'
    """
    syntax, base = SYNTAX[tool]
    formula = read(text, syntax=syntax).formula
    return Formula(
        tuple(
            [
                node._replace(label=columns[int(node.label[1:]) - base])
                if node.operator == VARIABLE
                else node
                for node in formula.nodes
            ]
        ),
        formula.source,
    )
