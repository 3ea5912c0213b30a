"""Files for organisers, as HTTP: each is a POST that needs the cookie and its form's token.

Never `st.download_button`: whatever it offers is public to who has the address.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from eic_core.errors import UserError
from pages.ui.door import COOKIE
from pages.ui.organising.door_routes import NO_STORE, refusal
from pages.ui.wiring import form_key, lab, parcels
from study.material import Study
from study.report.analysis import analyse
from study.report.exported import StudyExport
from study.report.folder import write_export
from study.report.page import render_html
from study.report.tables import long_csv

Made = tuple[bytes, str]
SAFE = {
    **NO_STORE,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox",
}


def file_stem(name: str) -> str:
    """A study's name as a part of a file name.

    Examples
    --------
    >>> file_stem("../Pilot <1>")
    'Pilot-1'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:60] or "study"


def study_zip(study: Study, export: StudyExport) -> Made:
    """The folder that `python -m study report` reads, zipped."""
    stem = file_stem(study.name)
    out = io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="eic-lab-") as base:
        folder = Path(base) / stem
        write_export(folder, export)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(p for p in folder.rglob("*") if p.is_file()):
                packed.write(path, path.relative_to(base).as_posix())
    return out.getvalue(), f"{stem}.zip"


def study_votes(study: Study, export: StudyExport) -> Made:
    """All votes, with those left out marked."""
    return long_csv(analyse(export)).encode(), f"{file_stem(study.name)}-votes.csv"


def study_report(study: Study, export: StudyExport) -> Made:
    """The report as one self-contained page."""
    return render_html(analyse(export)).encode(), f"{file_stem(study.name)}-report.html"


def _export_route(what: str, kind: str, make: Callable[[Study, StudyExport], Made]) -> Route:
    def work(study_id: int) -> Response:
        try:
            study = lab().organising.study(study_id)
            content, name = make(study, lab().organising.monitor.export(study_id))
        except UserError as error:
            return Response(f"{error}\n", 409, NO_STORE, "text/plain")
        return _file(content, name, kind)

    async def answer(request: Request) -> Response:
        study_id = int(request.path_params["study"])
        token = await _token(request)
        refused = await run_in_threadpool(refusal, request, f"export {study_id}", token)
        return refused if refused is not None else await run_in_threadpool(work, study_id)

    return Route(f"/exports/{{study:int}}/{what}", answer, methods=["POST"])


async def parcel(request: Request) -> Response:
    """A file that was made on a page, such as a list of links."""
    token = await _token(request)
    refused = await run_in_threadpool(refusal, request, "parcel", token)
    if refused is not None:
        return refused
    owner = form_key() if lab().demo else request.cookies.get(COOKIE, "")
    found = parcels().fetch(request.path_params["number"], owner)
    if found is None:
        return Response("This file is gone: make it again.\n", 404, NO_STORE, "text/plain")
    return _file(found.content, found.name, "text/csv")


async def _token(request: Request) -> str:
    async with request.form(max_files=0, max_fields=5) as form:
        token = form.get("token", "")
        return token if isinstance(token, str) else ""


def _file(content: bytes, name: str, kind: str) -> Response:
    disposition = f'attachment; filename="{name}"'
    return Response(content, 200, {**SAFE, "Content-Disposition": disposition}, kind)


EXPORT_ROUTES = [
    _export_route("study.zip", "application/zip", study_zip),
    _export_route("votes.csv", "text/csv", study_votes),
    _export_route("report.html", "text/html", study_report),
    Route("/exports/parcel/{number}", parcel, methods=["POST"]),
]
