"""`python -m study report DIR`: what a closed study found."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from eic_core.errors import DataError, UserError
from study.report import read_export
from study.report.analysis import StudyReport, analyse
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
    parser.add_argument("--out", metavar="FILE", type=Path, help="write there instead")
    parser.add_argument("--level", metavar="X", type=float, default=0.95,
                        help="confidence level; default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Read, analyse, print."""
    if not 0 < options.level < 1:
        raise UserError("a confidence level lies between 0 and 1")
    text = _rendered(analyse(read_export(options.folder), level=options.level), options)
    if options.out is None:
        sys.stdout.write(text)
        return
    try:
        options.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot write {options.out}: {error.strerror}") from error


def _rendered(report: StudyReport, options: argparse.Namespace) -> str:
    if options.json:
        return json.dumps(report.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if options.html:
        from study.report.page import render_html  # Matplotlib takes a second to import

        return render_html(report)
    return render_text(report) + "\n"
