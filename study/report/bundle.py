"""Everything about a closed study in one archive: the same bytes each time."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from eic_core import wording
from eic_core.errors import DataError
from study.report.analysis import StudyReport, provenance
from study.report.document import document_text
from study.report.exported import STUDY_FILE, VOTES_FILE, cell_text, study_text, votes_csv
from study.report.exported_models import ANSWERS_FILE, answers_csv
from study.report.figures import FIGURES
from study.report.methods import methods_markdown, methods_text
from study.report.page import render_html
from study.report.preregistration import preregistration
from study.report.printing import FORMATS, figure_files, figures_of
from study.report.tables import (
    CODEBOOK_FILE,
    LONG_FILE,
    NUMBERS_FILE,
    PAIRS_FILE,
    RATERS_FILE,
    codebook_csv,
    codebook_text,
    long_csv,
    made_by,
    numbers_csv,
    pairs_csv,
    raters_csv,
)

Progress = Callable[[int, int], None]
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP file can hold: its members carry no date."""

PREREGISTERED_FILE = "preregistration.md"

CONTENTS = {
    "README.txt": "this list",
    "report.html": "the report, to read in a browser or to print",
    "report.json": "all its numbers",
    "methods.md": "a methods paragraph with the numbers of this study (also methods.txt)",
    STUDY_FILE: "the frozen study: configuration, rules, pairs, looks before the end",
    PREREGISTERED_FILE: "what was declared before the first vote, where a study declares it",
    VOTES_FILE: "each vote as it was cast, those that were undone among them",
    ANSWERS_FILE: "each answer of a model, where models were asked",
    LONG_FILE: "a row per vote, those left out marked, with the gaps of its pair",
    PAIRS_FILE: "a row per pair, with both formulas and the votes for each",
    RATERS_FILE: "a row per rater",
    NUMBERS_FILE: "all numbers, a row each, also those that are not on the page",
    CODEBOOK_FILE: "every column of every table (also codebook.txt)",
    "figures/": "the figures as SVG, PDF and PNG (300 dots an inch)",
}


def bundle_files(report: StudyReport) -> Iterator[tuple[str, bytes]]:
    """The files of the archive one by one, as (name, content)."""
    export = report.export
    source = provenance(export.hash, report.seed, report.software)
    yield "README.txt", _readme(report).encode()
    yield STUDY_FILE, study_text(export).encode()
    if report.declared is not None:
        yield PREREGISTERED_FILE, preregistration(export.configuration).encode()
    yield VOTES_FILE, votes_csv(export.every_vote).encode()
    if export.model_runs:
        yield ANSWERS_FILE, answers_csv(export.model_answers, cell_text).encode()
    yield LONG_FILE, long_csv(report).encode()
    yield PAIRS_FILE, pairs_csv(report).encode()
    yield RATERS_FILE, raters_csv(report).encode()
    yield NUMBERS_FILE, numbers_csv(report).encode()
    yield CODEBOOK_FILE, codebook_csv(export.hash, made_by(report)).encode()
    yield "codebook.txt", f"{codebook_text()}\n{wording.wrap(source)}\n".encode()
    yield "report.json", document_text(report).encode()
    yield "methods.md", methods_markdown(report).encode()
    yield "methods.txt", methods_text(report).encode()
    figures = figures_of(report)
    yield from figure_files(report, figures)
    yield "report.html", render_html(report, figures).encode()


def bundle_size(report: StudyReport) -> int:
    models = 1 if report.export.model_runs else 0
    declared = 1 if report.declared is not None else 0
    return 13 + models + declared + len(FIGURES) * len(FORMATS)


def write_bundle(
    target: Path | BinaryIO, report: StudyReport, *, progress: Progress | None = None
) -> None:
    """Write the archive, or its files into a folder; ``python -m study report`` reads either again.
    A path that ends in ``.zip`` and a stream get the archive; another path is a folder, made if it
    is missing. `progress` may raise to stop. Raises `DataError` if the target cannot be written.
    """
    try:
        if not isinstance(target, Path):
            _archive(target, report, progress)
        elif target.suffix.lower() == ".zip":
            with target.open("wb") as file:
                _archive(file, report, progress)
        else:
            for name, content in _with_progress(report, progress):
                path = target / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror}") from error


def _archive(file: BinaryIO, report: StudyReport, progress: Progress | None) -> None:
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in _with_progress(report, progress):
            member = zipfile.ZipInfo(name, EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3  # the same bytes on every system
            member.external_attr = 0o644 << 16
            packed.writestr(member, content, compresslevel=9)


def _with_progress(report: StudyReport, progress: Progress | None) -> Iterator[tuple[str, bytes]]:
    for done, file in enumerate(bundle_files(report), start=1):
        yield file
        if progress is not None:
            progress(done, bundle_size(report))


def _readme(report: StudyReport) -> str:
    export = report.export
    width = max(map(len, CONTENTS))
    return "\n".join(
        [
            export.title or export.study,
            "",
            *(f"{name:<{width}}  {what}" for name, what in CONTENTS.items()),
            "",
            wording.wrap(
                "`python -m study report FOLDER` makes the report again from study.json and "
                f"votes.csv{f' and {ANSWERS_FILE}' if export.model_runs else ''}; with "
                f"--seed {report.seed} --level {report.level:g} --estimand "
                f"“{report.estimand}” its numbers are the same."
            ),
            "",
            wording.wrap(
                "Cells that a spreadsheet might take for a formula begin with an apostrophe; take "
                "it away to have the text as it was written."
            ),
            "",
            wording.wrap(provenance(export.hash, report.seed, report.software)),
            "",
        ]
    )
