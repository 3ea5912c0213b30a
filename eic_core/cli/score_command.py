"""`python -m eic_core score POOL.csv`: complexity, R^2 and EIC of every candidate."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from eic_core import wording
from eic_core.cli.arguments import EXPONENTS_OPTION, STRICT
from eic_core.cli.command_table import Command, OptionRow, Options
from eic_core.cli.exits import fault_of_file
from eic_core.cli.progress import ProgressLine
from eic_core.errors import DataError
from eic_core.pool.candidate import Candidate, Score
from eic_core.pool.counting import counting_notes
from eic_core.pool.left_out import left_out, left_out_lines, refuse_left_out
from eic_core.pool.scoring import read_pool, score_pool, write_scored


def run(options: Options) -> None:
    if not options.problems.is_dir():
        raise DataError(f"there is no folder {options.problems}")
    if options.jobs is not None and options.jobs < 1:
        raise DataError("--jobs must be at least 1")
    findings = options.findings or options.cause is not None
    if options.cause is not None:
        from eic_core.explain.findings import CAUSES  # balls come with it

        if options.cause not in CAUSES:
            hint = "there are " + ", ".join(CAUSES)
            raise DataError(f"there is no cause `{options.cause}`", hint=hint)
    columns, candidates = read_pool(options.pool)
    candidates = [replace(each, exponents=options.exponents) for each in candidates]
    started = time.perf_counter()
    scores = score_pool(
        candidates,
        options.problems,
        jobs=options.jobs,
        findings=findings,
        progress=ProgressLine().count,
    )
    with fault_of_file("write", options.out):
        write_scored(options.out, columns, candidates, scores, findings=findings)
    refused = sum(bool(s.error) for s in scores)
    formulas = (candidate.formula for candidate in candidates)
    missing = left_out(zip(count(1), formulas, scores))  # zip ends with the scores
    seconds = time.perf_counter() - started
    print(
        f"scored {len(scores) - refused} of {len(scores)} formulas in {seconds:.1f} s "
        f"({refused} refused) -> {options.out}",
        file=sys.stderr,
    )
    for line in (*_column_lines(candidates, scores), *left_out_lines(missing, len(scores))):
        print(f"  {line}", file=sys.stderr)
    if options.cause is not None:
        for row, (candidate, score) in enumerate(zip(candidates, scores, strict=True), start=1):
            if score.cause == options.cause:
                step, text = score.step, wording.shorten(candidate.formula, 120)
                print(f"row {row}  EIC {wording.digits_lost(score.eic)}  at {step}  of {text}")
    if options.strict:
        refuse_left_out(missing, len(scores))


_MOST_PROBLEMS = 12


def _column_lines(candidates: Sequence[Candidate], scores: Sequence[Score]) -> list[str]:
    """The columns that each problem's formulas were measured on, unless their names say so."""
    matched: dict[str, list[tuple[str, int | None, tuple[tuple[str, str], ...]]]] = {}
    for candidate, score in zip(candidates, scores, strict=True):
        if score.counted[1]:
            matched.setdefault(candidate.problem, []).append((candidate.method, *score.counted))
    lines = [
        f"{problem}: {note}"
        for problem, matches in list(matched.items())[:_MOST_PROBLEMS]
        for note in counting_notes(matches)
    ]
    more = len(matched) - _MOST_PROBLEMS
    return [*lines, f"and so on for {more} more problems"] if more > 0 else lines


COMMAND = Command(
    "score",
    "complexity, R² and EIC of every formula in a pool",
    (
        OptionRow("pool", "POOL.csv", "gzipped or not"),
        OptionRow("--problems", "DIR", "holds PROBLEM.csv, last column the target", required=True),
        OptionRow("--out", "SCORED.csv", required=True),
        OptionRow("--jobs", "J", "worker processes; default: all cores", kind=int),
        OptionRow(
            "--findings",
            help="add the columns level, cause and step of each formula's verdict (much slower)",
        ),
        OptionRow(
            "--cause",
            "NAME",
            "list the formulas with this cause, such as cancellation; implies --findings",
        ),
        EXPONENTS_OPTION,
        STRICT,
    ),
    run,
    "Score a pool: complexity, R² in double precision, and EIC as inspect has it.",
)
