"""`python -m study pairs SCORED.csv`: matched pairs of a scored pool."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from eic_core.errors import UserError
from study.matching import MODES, SECONDS, MatchingRules, match_pool, read_scored
from study.matching.pairs_file import write_pairs

_DEFAULTS = MatchingRules()


def add_parser(commands: Any) -> None:
    """Register the command with an ``argparse`` sub-parser collection."""
    parser = commands.add_parser(
        "pairs",
        help="matched pairs of a scored pool",
        description="Choose pairs of formulas alike in complexity and R² and apart in EIC.",
    )
    parser.add_argument("scored", metavar="SCORED.csv", type=Path,
                        help="written by python -m eic_core score; gzipped or not")
    parser.add_argument("--out", metavar="PAIRS.csv", type=Path, required=True)
    parser.add_argument("--r2", metavar="COLUMN", default=_DEFAULTS.r2_column,
                        help="column that holds R²; default: %(default)s")
    parser.add_argument("--problems", metavar="DIR", type=Path,
                        help="holds PROBLEM.csv, to label pairs that are one function")
    parser.add_argument("--mode", choices=MODES, default="matching",
                        help="disjoint pairs of maximal total -L (default), all pairs, or the "
                        "best K of each problem")
    parser.add_argument("--k", metavar="K", type=int, help="pairs a problem, with --mode best")
    parser.add_argument("--seconds", metavar="S", type=float, default=SECONDS,
                        help="cut the choice of a problem's disjoint pairs short after about S "
                        "seconds, and say so; default: %(default)s")
    rules = parser.add_argument_group("rules")
    rules.add_argument("--max-complexity-gap", metavar="N", type=int,
                       default=_DEFAULTS.max_complexity_gap, help="default: %(default)s")
    rules.add_argument("--max-r2-gap", metavar="X", type=float, default=_DEFAULTS.max_r2_gap,
                       help="default: %(default)s")
    rules.add_argument("--min-eic-gap", metavar="X", type=float, default=_DEFAULTS.min_eic_gap,
                       help="default: %(default)s")
    rules.add_argument("--min-best-r2", metavar="X", type=float, default=_DEFAULTS.min_best_r2,
                       help="the larger R² must be above it; default: %(default)s")
    rules.add_argument("--include-invalid", action="store_true",
                       help="keep formulas with invalid samples")
    rules.add_argument("--include-singular", action="store_true",
                       help="keep formulas with singular samples")
    rules.add_argument("--exclude-same-function", action="store_true",
                       help="leave out pairs that are one function; needs --problems")
    rules.add_argument("--same-function-tolerance", metavar="X", type=float,
                       default=_DEFAULTS.same_function_tolerance,
                       help="relative; default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Read, match, write, and say what became of every formula."""
    rules = MatchingRules(
        max_complexity_gap=options.max_complexity_gap,
        max_r2_gap=options.max_r2_gap,
        min_eic_gap=options.min_eic_gap,
        min_best_r2=options.min_best_r2,
        r2_column=options.r2,
        include_invalid=options.include_invalid,
        include_singular=options.include_singular,
        exclude_same_function=options.exclude_same_function,
        same_function_tolerance=options.same_function_tolerance,
    )
    if options.k is not None and options.mode != "best":
        raise UserError("--k goes with --mode best")
    if not options.seconds > 0:
        raise UserError(f"the choice cannot take {options.seconds:g} seconds")
    started = time.perf_counter()
    pool = read_scored(options.scored, r2=rules.r2_column)
    result = match_pool(
        pool, rules, mode=options.mode, k=options.k, problems=options.problems,
        seconds=options.seconds,
    )  # fmt: skip
    write_pairs(options.out, result.pairs)
    seconds = time.perf_counter() - started
    print(result.summary(), file=sys.stderr)
    print(f"{len(result.pairs):,} pairs in {seconds:.1f} s -> {options.out}", file=sys.stderr)
