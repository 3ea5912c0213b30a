"""`python -m study report DIR`: what a closed study found."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from eic_core.cli.exits import write_out
from eic_core.errors import UserError
from study.report import read_export
from study.report.analysis import ESTIMANDS, StudyReport, analyse
from study.report.document import document_text
from study.report.text import render_text


def add_parser(commands: Any) -> None:
    """Register the command with an ``argparse`` sub-parser collection."""
    parser = commands.add_parser(
        "report",
        help="what a closed study found",
        description="Statistics of a study, from the folder that python -m db export wrote.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="holds study.json and votes.csv")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--html", action="store_true", help="print a self-contained page")
    form.add_argument("--bundle", metavar="FILE", type=Path,
                      help="write everything into this archive (.zip), or into this folder: the "
                      "report, figures, tables, codebook, methods and the frozen configuration")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write there instead of printing")
    parser.add_argument("--level", metavar="X", type=float, default=0.95,
                        help="confidence level; default: %(default)s")
    parser.add_argument("--seed", metavar="N", type=int, default=0,
                        help="of the bootstraps; default: %(default)s")
    parser.add_argument("--estimand", choices=ESTIMANDS, default=ESTIMANDS[0],
                        help="what the headline is about; default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Read, analyse, print."""
    report = analyse(
        read_export(options.folder), level=options.level, seed=options.seed,
        estimand=options.estimand,
    )
    if options.bundle is not None:
        _bundle(report, options)
        return
    text = _rendered(report, options)
    write_out(text, options.out)


def _bundle(report: StudyReport, options: argparse.Namespace) -> None:
    if options.out is not None:
        raise UserError("--bundle names its own file; leave --out away")
    if options.bundle.resolve() == options.folder.resolve():
        raise UserError(
            "the archive cannot be the folder that is read", hint="name another one, or a .zip"
        )
    from study.report.bundle import write_bundle  # Matplotlib takes a second to import

    write_bundle(options.bundle, report)
    print(f"wrote {options.bundle}", file=sys.stderr)


def _rendered(report: StudyReport, options: argparse.Namespace) -> str:
    if options.json:
        return document_text(report)
    if options.html:
        from study.report.page import render_html  # Matplotlib takes a second to import

        return render_html(report)
    return render_text(report) + "\n"
