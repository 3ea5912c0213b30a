"""The report of a study, computed once for each set of votes, and its files as HTTP routes.

Never `st.download_button`: its files are public to whoever has the address.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from eic_core.errors import UserError
from pages.ui.doors.forms import form_of, number_in
from pages.ui.doors.origin import NO_STORE
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.door import COOKIE
from pages.ui.kit.jobs import Job
from pages.ui.kit.messages import show_error
from pages.ui.kit.text import escape
from pages.ui.kit.wiring import figure_cache, form_key, jobs, lab, parcels, workers
from pages.ui.kit.workers import UNHURRIED, repeat_progress
from pages.ui.organising.desk import download_button, organiser_desk, run_action, show_error_at
from pages.ui.organising.login import refusal
from pages.ui.organising.tasks import complete_report, pack_bundle
from study.design import StudyStatus
from study.errors import NotFoundError
from study.material import Study
from study.organising import OrganiserService
from study.report.analysis import StudyReport
from study.report.document import document_text
from study.report.exported import STUDY_FILE, VOTES_FILE, study_text, votes_csv
from study.report.figures import FIGURES
from study.report.methods import methods_markdown
from study.report.page import render_html
from study.report.printing import FORMATS, figure_file
from study.report.tables import (
    CODEBOOK_FILE,
    LONG_FILE,
    NUMBERS_FILE,
    PAIRS_FILE,
    RATERS_FILE,
    codebook_csv,
    long_csv,
    made_by,
    numbers_csv,
    pairs_csv,
    raters_csv,
)
from study.statistics.clusters import Estimand

# The estimand by its word in addresses; None, the default, is the declared one, or the one that the
# number of problems implies.
ABOUT: Mapping[str, Estimand | None] = {"like": None, "these": "these pairs"}
DEFAULT_ABOUT = "like"
CSV, JSON, HTML = "text/csv", "application/json", "text/html"
PATIENCE = 300.0
MIMES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


@dataclass(frozen=True)
class OneFile:
    title: str
    kind: str
    make: Callable[[StudyReport], str]


# By file name, as in the archive.
FILES: Mapping[str, OneFile] = {
    "report.html": OneFile("Report, HTML", HTML, render_html),
    "report.json": OneFile("All numbers, JSON", JSON, document_text),
    "methods.md": OneFile("Methods paragraph", "text/markdown", methods_markdown),
    LONG_FILE: OneFile("Votes, a row each, CSV", CSV, long_csv),
    PAIRS_FILE: OneFile("Pairs, a row each, CSV", CSV, pairs_csv),
    RATERS_FILE: OneFile("Raters, a row each, CSV", CSV, raters_csv),
    NUMBERS_FILE: OneFile("All numbers, a row each, CSV", CSV, numbers_csv),
    CODEBOOK_FILE: OneFile(
        "Codebook of all columns, CSV",
        CSV,
        lambda r: codebook_csv(r.export.hash, made_by(r)),
    ),
    VOTES_FILE: OneFile("Votes as cast, CSV", CSV, lambda r: votes_csv(r.export.every_vote)),
    STUDY_FILE: OneFile("Frozen study, JSON", JSON, lambda r: study_text(r.export)),
}


def about_of(word: str | None) -> str:
    """A word of `ABOUT`; the default for any other text of an address.

    >>> about_of("these"), about_of("<b>"), about_of(None)
    ('these', 'like', 'like')
    """
    return word if word is not None and word in ABOUT else DEFAULT_ABOUT


def _key(study: Study, about: str) -> tuple[Hashable, ...]:
    """Equal while the report rests on the same votes."""
    service = lab().organising
    # A closed study still changes by raters who withdraw and models that are asked; an open one
    # shows the votes of its last look.
    withdrawn = service.monitor.withdrawn(study.id)
    looks = len(service.early.of(study.id)) if study.status == StudyStatus.OPEN else "closed"
    # The hash alone would not do: it covers what was frozen, not the votes, and two studies may
    # share it.
    which = (lab().settings.database_url, study.id, study.frozen_at, study.hash)
    answers = sum(state.answers for state in lab().models.runs(study.id))
    return ("report", *which, withdrawn, looks, answers, about)


@dataclass(frozen=True, eq=False)
class PageReport:
    """A report on its page."""

    study: Study
    about: str  # A word of `ABOUT`
    report: StudyReport
    key: tuple[Hashable, ...]  # Equal for equal reports, as long as this process runs

    @property
    def purpose(self) -> str:
        """The purpose of its forms' tokens."""
        return f"export {self.study.id}"

    def address(self, name: str) -> str:
        query = "" if self.about == DEFAULT_ABOUT else f"?about={self.about}"
        return f"/exports/{self.study.id}/{name}{query}"


def page_report(study: Study, about: str) -> PageReport:
    return PageReport(study, about, report_of(study.id, about), _key(study, about))


def report_of(study_id: int, about: str) -> StudyReport:
    """The report with all its numbers computed; `UserError` if the study is missing or its votes
    may not be read yet.
    """
    service = lab().organising
    study = service.study(study_id)

    def make() -> StudyReport:
        export = service.monitor.export(study_id)
        return workers().run(complete_report, export, ABOUT[about], seconds=UNHURRIED, long=True)

    if study.status == StudyStatus.OPEN and not service.early.of(study_id):
        service.monitor.export(study_id)  # raises the reason
    return figure_cache().get(_key(study, about), make)


def bundle_of(study_id: int, about: str) -> bytes:
    """The archive, from the job that is making it if there is one."""
    study = lab().organising.study(study_id)
    report = report_of(study_id, about)
    running = jobs().get(_job_key(study, about))
    if running is not None and running.running:
        running.wait(PATIENCE)
    return figure_cache().get(("bundle", *_key(study, about)), lambda: _pack(report))


def bundle_job(study: Study, about: str) -> Job:
    """Begin to make the archive beside the page; a job that is under way goes on."""

    def work(step: Callable[[int, int], None]) -> int:
        report = report_of(study.id, about)
        archive = figure_cache().get(("bundle", *_key(study, about)), lambda: _pack(report, step))
        return len(archive)

    return jobs().start(_job_key(study, about), "Making the ZIP", work)


def bundle_job_running(study: Study, about: str) -> Job | None:
    """The job of `bundle_job`, under way or ended."""
    return jobs().get(_job_key(study, about))


def forget_bundle_job(study: Study, about: str) -> None:
    jobs().forget(_job_key(study, about))


def figure_of(study_id: int, about: str, name: str, form: str) -> bytes:
    """One printed figure; `NotFoundError` for another name or format."""
    if name not in FIGURES or form not in FORMATS:
        raise NotFoundError("there is no such figure")
    format_name = next(choice for choice in FORMATS if choice == form)
    return workers().run(figure_file, report_of(study_id, about), name, format_name)


def _job_key(study: Study, about: str) -> str:
    return f"bundle {_key(study, about)}"


def _pack(report: StudyReport, step: Callable[[int, int], None] | None = None) -> bytes:
    if step is None:
        return workers().run(pack_bundle, report, seconds=UNHURRIED, long=True)
    progress, wait = repeat_progress(step, 0, 0)
    return workers().run(
        pack_bundle, report, progress=progress, wait=wait, seconds=UNHURRIED, long=True
    )


# Content, media type, and the end of the file's name.
FileContent = tuple[bytes, str, str]
# Makes a file from a study's number and a word of `ABOUT`.
MakeFile = Callable[[int, str], FileContent]
SAFE = {
    **NO_STORE,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox",
}


def file_stem(name: str) -> str:
    """A study's name as a part of a file name.

    >>> file_stem("../Pilot <1>")
    'Pilot-1'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:60] or "study"


def study_zip(study_id: int, about: str) -> FileContent:
    return bundle_of(study_id, about), "application/zip", ".zip"


def single_file(name: str) -> MakeFile:
    def make(study_id: int, about: str) -> FileContent:
        file = FILES[name]
        return file.make(report_of(study_id, about)).encode(), file.kind, f"-{name}"

    return make


def _export_route(what: str, make: MakeFile) -> Route:
    return Route(f"/exports/{{study}}/{what}", _answer(lambda _: make), methods=["POST"])


def _figure(request: Request) -> MakeFile:
    name, form = request.path_params["name"], request.path_params["form"]

    def make(study_id: int, about: str) -> FileContent:
        content = figure_of(study_id, about, name, form)
        return content, MIMES[form], f"-{name}.{form}"

    return make


def _answer(choose: Callable[[Request], MakeFile]) -> Callable[[Request], Awaitable[Response]]:
    def work(study_id: int, about: str, make: MakeFile) -> Response:
        try:
            study = lab().organising.study(study_id)
            content, kind, ending = make(study_id, about)
        except NotFoundError as error:
            return Response(f"{error}\n", 404, NO_STORE, "text/plain")
        except UserError as error:
            return Response(f"{error}\n", 409, NO_STORE, "text/plain")
        return _file(content, f"{file_stem(study.name)}{ending}", kind)

    async def answer(request: Request) -> Response:
        study_id = number_in(request.path_params["study"])
        token = (await form_of(request)).get("token", "")
        refused = await run_in_threadpool(refusal, request, f"export {study_id}", token)
        if refused is not None:
            return refused
        about = about_of(request.query_params.get("about"))
        return await run_in_threadpool(work, study_id, about, choose(request))

    return answer


async def parcel(request: Request) -> Response:
    """A file that was made on a page, such as a list of links."""
    token = (await form_of(request)).get("token", "")
    refused = await run_in_threadpool(refusal, request, "parcel", token)
    if refused is not None:
        return refused
    owner = form_key() if lab().demo else request.cookies.get(COOKIE, "")
    file = parcels().fetch(request.path_params["number"], owner)
    if file is None:
        return Response("This file is gone: make it again.\n", 404, NO_STORE, "text/plain")
    return _file(file.content, file.name, "text/csv")


def _file(content: bytes, name: str, kind: str) -> Response:
    disposition = f'attachment; filename="{name}"'
    return Response(content, 200, {**SAFE, "Content-Disposition": disposition}, kind)


EXPORT_ROUTES = [
    _export_route("study.zip", study_zip),
    *(_export_route(name, single_file(name)) for name in FILES),
    Route("/exports/{study}/figures/{name}.{form}", _answer(_figure), methods=["POST"]),
    Route("/exports/parcel/{number}", parcel, methods=["POST"]),
]


ARCHIVE = "study.zip"
EVERY = 0.5
SEND_SCRIPT = """<script>
document.querySelector(".st-key-archive form")?.submit();
</script>"""


def files_row(page: PageReport) -> None:
    with st.container(horizontal=True, key="report-files", vertical_alignment="center"):
        st.button(
            "Export as ZIP",
            key="make-archive",
            type="primary",
            icon=":material/download:",
            on_click=_begin,
            args=(page,),
            help="The frozen study, votes as tables, every figure, report, methods, codebook",
        )
        with st.popover("Single files", key="single-files", icon=":material/draft:"):
            for name, file in FILES.items():
                download_button(page.address(name), file.title, page.purpose)
    show_error_at("archive")
    job = bundle_job_running(page.study, page.about)
    if job is not None and job.running:
        _progress(page)
    elif job is not None:
        _send(page)


@uninterrupted()
def _begin(page: PageReport) -> None:
    def begin(service: OrganiserService) -> None:
        service.monitor.export(page.study.id)  # raises if the votes may not be read
        forget_bundle_job(page.study, page.about)
        organiser_desk().page_values["archive"] = page.key
        bundle_job(page.study, page.about)

    run_action("archive", begin)


@st.fragment(run_every=EVERY)
def _progress(page: PageReport) -> None:
    job = bundle_job_running(page.study, page.about)
    if job is None or not job.running:
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    st.progress(share, text=f"Making the ZIP: {job.done} of {job.total or '…'} files")


def _send(page: PageReport) -> None:
    """Send the finished archive to the tab that asked for it, once; it can be fetched again."""
    job = bundle_job_running(page.study, page.about)
    if job is None:
        return
    if job.error is not None:
        show_error(job.error)
        return
    if organiser_desk().page_values.get("archive") != page.key:
        return
    with st.container(horizontal=True, key="archive", vertical_alignment="center"):
        size = f"{(job.result or 0) / 1e6:.1f} MB"
        st.html(
            f'<p class="eic-done" role="status">The ZIP is ready ({escape(size)}).</p>',
            width="content",
        )
        download_button(page.address(ARCHIVE), "Save it again", page.purpose)
    if organiser_desk().page_values.get("archive-sent") is not job:
        organiser_desk().page_values["archive-sent"] = job
        again = f'<i hidden id="archive-{id(job)}"></i>'  # another archive is another element
        st.html(SEND_SCRIPT + again, unsafe_allow_javascript=True)
