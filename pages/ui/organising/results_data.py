"""The report of a study, computed once for each set of votes, and its files."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from pages.ui.jobs import Job
from pages.ui.wiring import figure_cache, jobs, lab
from study.design import StudyStatus
from study.errors import NotFoundError
from study.material import Study
from study.report.analysis import StudyReport, analyse
from study.report.bundle import write_bundle
from study.report.codebook import CODEBOOK_FILE, codebook_csv
from study.report.document import document_text
from study.report.exported import STUDY_FILE, VOTES_FILE
from study.report.figures import FIGURES, FORMATS, figure_file
from study.report.folder import study_text, votes_csv
from study.report.methods import methods_markdown
from study.report.page import render_html
from study.report.software import provenance
from study.report.tables import (
    LONG_FILE,
    PAIRS_FILE,
    RATERS_FILE,
    long_csv,
    pairs_csv,
    raters_csv,
)
from study.statistics.clusters import Estimand

ABOUT: Mapping[str, Estimand] = {"like": "pairs like these", "these": "these pairs"}
"""What the interval may be about, by its word in addresses; the first is the default."""
DEFAULT_ABOUT = "like"
CSV, JSON, HTML = "text/csv", "application/json", "text/html"
PATIENCE = 300.0
MIMES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


@dataclass(frozen=True)
class OneFile:
    """A single file of a report: what it is, and how it is made."""

    title: str
    kind: str
    make: Callable[[StudyReport], str]


FILES: Mapping[str, OneFile] = {
    "report.html": OneFile("Report, HTML", HTML, render_html),
    "report.json": OneFile("All numbers, JSON", JSON, document_text),
    "methods.md": OneFile("Methods paragraph", "text/markdown", methods_markdown),
    LONG_FILE: OneFile("Votes, a row each, CSV", CSV, long_csv),
    PAIRS_FILE: OneFile("Pairs, a row each, CSV", CSV, pairs_csv),
    RATERS_FILE: OneFile("Raters, a row each, CSV", CSV, raters_csv),
    CODEBOOK_FILE: OneFile(
        "Codebook of all columns, CSV",
        CSV,
        lambda r: codebook_csv(r.export.hash, provenance(r.export.hash, r.seed, r.software)),
    ),
    VOTES_FILE: OneFile("Votes as cast, CSV", CSV, lambda r: votes_csv(r.export.votes)),
    STUDY_FILE: OneFile("Frozen study, JSON", JSON, lambda r: study_text(r.export)),
}
"""By file name, as in the archive."""


def about_of(word: str | None) -> str:
    """A word of `ABOUT`, whatever an address says.

    Examples
    --------
    >>> about_of("these"), about_of("<b>"), about_of(None)
    ('these', 'like', 'like')
    """
    return word if word is not None and word in ABOUT else DEFAULT_ABOUT


def _key(study: Study, about: str) -> tuple[Hashable, ...]:
    """Equal while the votes that the report is made of are the same.

    Two studies may have one hash: it is of what was frozen, not of the votes.  A closed study
    changes no more, but for raters who withdraw; of an open one the report holds the votes that
    the last look opened.
    """
    service = lab().organising
    withdrawn = service.monitor.withdrawn(study.id)
    looks = len(service.early.of(study.id)) if study.status == StudyStatus.OPEN else "closed"
    which = (lab().settings.database_url, study.id, study.frozen_at, study.hash)
    return ("report", *which, withdrawn, looks, about)


@dataclass(frozen=True, eq=False)
class Shown:
    """A report on the screen.

    Attributes
    ----------
    study : Study
    about : str
        A word of `ABOUT`.
    report : StudyReport
    key : tuple
        Equal for equal reports, as long as this process runs.
    """

    study: Study
    about: str
    report: StudyReport
    key: tuple[Hashable, ...]

    @property
    def purpose(self) -> str:
        """What the forms of its files are for."""
        return f"export {self.study.id}"

    def address(self, name: str) -> str:
        """Where a file of it is fetched."""
        query = "" if self.about == DEFAULT_ABOUT else f"?about={self.about}"
        return f"/exports/{self.study.id}/{name}{query}"


def shown(study: Study, about: str) -> Shown:
    """The report of a study, for its page."""
    return Shown(study, about, report_of(study.id, about), _key(study, about))


def report_of(study_id: int, about: str) -> StudyReport:
    """The report with all its numbers computed.

    Raises
    ------
    UserError
        If there is no such study, or its votes may not be read yet.
    """
    service = lab().organising
    study = service.study(study_id)

    def make() -> StudyReport:
        report = analyse(service.monitor.export(study_id), estimand=ABOUT[about])
        document_text(report)  # computes what is lazy, once, before it is shared
        return report

    if study.status == StudyStatus.OPEN and not service.early.of(study_id):
        service.monitor.export(study_id)  # says why not
    return figure_cache().get(_key(study, about), make, lambda _: 5.0)


def bundle_of(study_id: int, about: str) -> bytes:
    """The archive; waits for a job that is making it."""
    study = lab().organising.study(study_id)
    report = report_of(study_id, about)
    running = jobs().get(_job_key(study, about))
    if running is not None and running.running:
        running.wait(PATIENCE)
    return figure_cache().get(("bundle", *_key(study, about)), lambda: _packed(report), _weight)


def bundle_job(study: Study, about: str) -> Job:
    """Begin to make the archive beside the page; a job that is under way goes on."""

    def work(step: Callable[[int, int], None]) -> int:
        report = report_of(study.id, about)
        made = figure_cache().get(
            ("bundle", *_key(study, about)), lambda: _packed(report, step), _weight
        )
        return len(made)

    return jobs().start(_job_key(study, about), "Making the ZIP", work)


def bundle_job_running(study: Study, about: str) -> Job | None:
    """The job of `bundle_job`, under way or ended."""
    return jobs().get(_job_key(study, about))


def forget_bundle_job(study: Study, about: str) -> None:
    """Forget an ended job."""
    jobs().forget(_job_key(study, about))


def figure_of(study_id: int, about: str, name: str, form: str) -> bytes:
    """One printed figure.

    Raises
    ------
    NotFoundError
        If there is no such figure or format.
    """
    if name not in FIGURES or form not in FORMATS:
        raise NotFoundError("there is no such figure")
    wanted = next(known for known in FORMATS if known == form)
    return figure_file(report_of(study_id, about), name, wanted)


def _job_key(study: Study, about: str) -> str:
    return f"bundle {_key(study, about)}"


def _packed(report: StudyReport, step: Callable[[int, int], None] | None = None) -> bytes:
    out = io.BytesIO()
    write_bundle(out, report, progress=step)
    return out.getvalue()


def _weight(content: bytes) -> float:
    return 1.0 + len(content) / 100_000
