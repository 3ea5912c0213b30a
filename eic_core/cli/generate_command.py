"""`python -m eic_core generate --out DIR`: random formulas that keep their digits, with data."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import whole_number
from eic_core.cli.exits import write_out
from eic_core.corpora.generating import MEASURES, ROWS, THRESHOLD, GenerationPlan
from eic_core.corpora.recipes import RECIPES
from eic_core.corpora.stored import GenerationProgress, GenerationResult, write_dataset
from eic_core.errors import DataError
from eic_core.exports import json_text, plain_value


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "generate",
        help="random formulas with data, for training: those that keep their digits",
        description="Generate random formulas with data as Parquet files of 10,000 each; the same "
        "command goes on with a run that was stopped.",
    )
    parser.add_argument(
        "--count",
        metavar="N",
        type=whole_number,
        default=10_000,
        help="formulas, as in 1e6; default: %(default)s",
    )
    parser.add_argument(
        "--max-eic",
        metavar="T",
        type=float,
        default=THRESHOLD,
        help="leave out formulas that lose more digits; inf: none; default: %(default)s",
    )
    parser.add_argument(
        "--measure",
        choices=MEASURES,
        default=MEASURES[0],
        help="what EIC is made of at a node: the mean of s² over the rows, or its 90 %% quantile; "
        "default: %(default)s",
    )
    parser.add_argument(
        "--weights",
        action="store_true",
        help="leave out nothing: a column says what each formula weighs, 1 up to T and a tenth "
        "for each digit beyond",
    )
    parser.add_argument(
        "--points",
        metavar="N",
        type=whole_number,
        default=ROWS,
        help="rows of X and y with each formula; 0: formulas alone; default: %(default)s",
    )
    parser.add_argument(
        "--recipe",
        choices=tuple(RECIPES),
        default="e2esr",
        help="whose operators, odds and data; default: %(default)s",
    )
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="default: %(default)s")
    parser.add_argument(
        "--jobs",
        metavar="J",
        type=int,
        default=1,
        help="processes; the files are the same for any number; default: %(default)s",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="a folder")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    if options.seed < 0:
        raise DataError("a seed is 0 or more")
    plan = GenerationPlan(
        options.max_eic, options.points, options.measure, options.weights, options.recipe
    )
    line = _Line(sys.stderr.isatty())
    written = write_dataset(
        options.out, plan, options.count, seed=options.seed, jobs=options.jobs, progress=line
    )
    line.end()
    print(_summary(written, options.out), file=sys.stderr)
    if options.json:
        done = written.progress
        document = {
            "wanted": done.goal,
            "kept": done.stored,
            "made": done.new,
            "proposed": done.proposed,
            "valid": done.valid,
            "seconds": done.seconds,
            "files": written.files,
            "interrupted": written.interrupted,
        }
        write_out(json_text(plain_value(document), indent=None), None)


def _summary(written: GenerationResult, folder: Path) -> str:
    done = written.progress
    files = wording.count(written.files, "file")
    text = f"{wording.count(done.stored, 'formula')} in {files} of {folder}"
    if done.new and not written.interrupted:
        text += (
            f"; of {done.proposed:,} drawn {done.valid / done.proposed:.0%} have a value at every "
            f"row; {done.rate:,.0f} a second"
        )
    if written.interrupted:
        text += "; interrupted: the same command goes on from there"
    return text


class _Line:
    """Progress on standard error: one line that moves on a terminal, now and then one elsewhere."""

    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal
        self.last_printed = -math.inf

    def __call__(self, now: GenerationProgress) -> None:
        if now.seconds - self.last_printed < (0.2 if self.terminal else 10):
            return
        self.last_printed = now.seconds
        text = (
            f"{now.stored:,} of {now.goal:,} formulas, {now.rate:,.0f} a second; "
            f"{now.new / max(now.proposed, 1):.0%} of {now.proposed:,} drawn were kept"
        )
        print(
            *(("\r", f"{text:<79}") if self.terminal else (text,)),
            sep="",
            end="" if self.terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> None:
        if self.terminal and self.last_printed > -math.inf:
            print(file=sys.stderr)
