"""`eic check FILE …`: a gate for the formulas that comments mark in source files."""

from __future__ import annotations

import argparse
import os
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eic_core.checking.baseline import Baseline
from eic_core.checking.checks import check_formulas
from eic_core.checking.files import MOST_SOURCE, content_within
from eic_core.checking.marks import (
    SUFFIXES,
    MarkedFormula,
    fault_of,
    is_read,
    marked_formulas,
    refuse_unread,
)
from eic_core.checking.printing import PRINTERS, CheckedFiles
from eic_core.checking.settings import DEFAULT_MAX, LossLimits, MarkSettings, with_setting
from eic_core.cli.exits import EXIT_FOUND, EXIT_OK, write_out
from eic_core.cli.repair_command import add_limit_arguments
from eic_core.errors import DataError
from eic_core.samples import DEFAULT_SAMPLES


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="a gate for the formulas in source files",
        description="Measure the formulas that a comment marks, `# eic: x=0.1:10, max=3` on the "
        "line above (`//` in C, `!` in Fortran, `%%` in LaTeX), or that a TOML list holds. The "
        "exit status is 1 where one loses more digits than its limit, or cannot be read.",
    )
    parser.add_argument(
        "paths",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="a source file, a .toml list, or a folder: its files " + " ".join(SUFFIXES),
    )
    parser.add_argument(
        "--max",
        metavar="DIGITS",
        type=float,
        help="limit of marks that state none: digits measured at nine in ten rows; default: "
        f"{DEFAULT_MAX:g}",
    )
    parser.add_argument("--worst", metavar="DIGITS", type=float, help="the same at the worst row")
    parser.add_argument("--eic", metavar="DIGITS", type=float, help="the same of EIC")
    parser.add_argument(
        "--samples", metavar="N", type=int, default=DEFAULT_SAMPLES, help="default: %(default)s"
    )
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="default: %(default)s")
    add_limit_arguments(parser)
    parser.add_argument(
        "--format", choices=[*PRINTERS], default="text", help="default: %(default)s"
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="default: standard output")
    parser.add_argument("--baseline", metavar="FILE", type=Path, help="accept what this file lists")
    parser.add_argument(
        "--write-baseline", metavar="FILE", type=Path, help="accept all that fails now"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if not options.seconds >= 0:
        raise DataError(f"the search cannot take {options.seconds:g} seconds")
    limits = _limits(options).or_else(LossLimits(DEFAULT_MAX))
    default = MarkSettings(samples=options.samples, seed=options.seed)
    baseline = Baseline() if options.baseline is None else Baseline.read(options.baseline)
    files: dict[Path, Path] = {}
    for folder, path in _files(options.paths):
        if path not in files or files[path].resolve().is_relative_to(folder.resolve()):
            files[path] = folder
    if not files:
        raise DataError("there is no file to check", hint="name files, or a folder that has some")
    marked = [each for path, folder in files.items() for each in _marked(folder, path, default)]
    checked = list(
        check_formulas(
            marked,
            default=limits,
            effort=options.effort,
            seconds=options.seconds,
            progress=_progress if sys.stderr.isatty() else None,
        )
    )
    accepted = [baseline.accepts(each) for each in checked]
    if options.write_baseline is not None:
        new = Baseline.of(checked)
        new.write(options.write_baseline)
        accepted = [new.accepts(each) for each in checked]
        print(f"wrote {options.write_baseline}: {sum(accepted)} accepted", file=sys.stderr)
    result = CheckedFiles(checked, accepted, len(files), baseline.without_use(checked))
    text = PRINTERS[options.format](result)
    write_out(text, options.out, commands=options.format == "github")
    if options.out is not None:
        print(result.summary, file=sys.stderr)
    return EXIT_FOUND if result.failing else EXIT_OK


def _limits(options: argparse.Namespace) -> LossLimits:
    settings = MarkSettings()
    for name in ("max", "worst", "eic"):
        if (value := getattr(options, name)) is not None:
            settings = with_setting(settings, name, f"{value:g}")
    return settings.limits


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Files that are named, and those of a folder that can hold marks, hidden folders left out;
    each behind the folder that it may not leave: of a named file the one from which the command
    runs, as pre-commit names files, or its own where it lies elsewhere.
    """
    working = Path.cwd()
    for path in paths:
        if not path.is_dir():
            if not os.path.lexists(path):
                raise DataError(f"there is no file {path}")
            refuse_unread(path)
            inside = path.parent.resolve().is_relative_to(working)
            yield working if inside else path.parent, path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            # of TOML files only a named one is a list of formulas
            yield from (
                (path, Path(folder, name))
                for name in sorted(names)
                if is_read(Path(name)) and not name.endswith(".toml")
            )


def _marked(folder: Path, path: Path, default: MarkSettings) -> Sequence[MarkedFormula]:
    """What a file marks; a file that breaks is a formula that is not checked."""
    try:
        return [replace(each, folder=folder) for each in _cut_out(folder, path, default)]
    except Exception as error:
        return [MarkedFormula(str(path), 1, 1, 1, "", "auto", default, fault=fault_of(error))]


def _cut_out(folder: Path, path: Path, default: MarkSettings) -> Sequence[MarkedFormula]:
    raw = content_within(folder, path, MOST_SOURCE)
    encoding = "utf-16" if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    text = raw.decode(encoding, errors="replace")
    return marked_formulas(path, text.replace("\r\n", "\n").replace("\r", "\n"), default)


def _progress(done: int, of: int) -> None:
    end = "\n" if done == of else "\r"
    print(f"{done} of {of} formulas", end=end, file=sys.stderr, flush=True)
