"""`eic check FILE …`: a gate for the formulas that comments mark in source files."""

from __future__ import annotations

import math
import os
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

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
from eic_core.cli.arguments import LIMITS, SAMPLES, SEED
from eic_core.cli.command_table import Command, OptionRow, Options
from eic_core.cli.exits import EXIT_FOUND, EXIT_OK, write_out
from eic_core.cli.progress import ProgressLine
from eic_core.errors import DataError


def run(options: Options) -> int:
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
    line = ProgressLine(elsewhere=math.inf)

    def progress(done: int, of: int) -> None:
        line.show(f"{done} of {of} formulas", last=done == of)

    checked = list(
        check_formulas(
            marked,
            default=limits,
            effort=options.effort,
            seconds=options.seconds,
            progress=progress,
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


def _limits(options: Options) -> LossLimits:
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


COMMAND = Command(
    "check",
    "a gate for the formulas in source files",
    (
        OptionRow(
            "paths",
            "FILE",
            "a source file, a .toml list, or a folder: its files " + " ".join(SUFFIXES),
            count="+",
        ),
        OptionRow(
            "--max",
            "DIGITS",
            "limit of marks that state none: digits measured at nine in ten rows; default: "
            f"{DEFAULT_MAX:g}",
            kind=float,
        ),
        OptionRow("--worst", "DIGITS", "the same at the worst row", kind=float),
        OptionRow("--eic", "DIGITS", "the same of EIC", kind=float),
        SAMPLES,
        SEED,
        *LIMITS,
        OptionRow("--format", default="text", choices=PRINTERS),
        OptionRow("--out", "FILE", "default: standard output"),
        OptionRow("--baseline", "FILE", "accept what this file lists"),
        OptionRow("--write-baseline", "FILE", "accept all that fails now"),
    ),
    run,
    "Measure the formulas that a comment marks, `# eic: x=0.1:10, max=3` on the line above (`//` "
    "in C, `!` in Fortran, `%` in LaTeX), or that a TOML list holds. The exit status is 1 where "
    "one loses more digits than its limit, or cannot be read.",
)
