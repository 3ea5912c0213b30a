"""Files for organisers, as HTTP: each is a POST that needs the cookie and its form's token.

Never `st.download_button`: whatever it offers is public to who has the address.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from eic_core.errors import UserError
from pages.ui.door import COOKIE
from pages.ui.organising.door_routes import NO_STORE, refusal
from pages.ui.organising.results_data import (
    FILES,
    MIMES,
    about_of,
    bundle_of,
    figure_of,
    report_of,
)
from pages.ui.wiring import form_key, lab, parcels
from study.errors import NotFoundError

Made = tuple[bytes, str, str]
"""Content, kind, and how the file's name ends."""
Make = Callable[[int, str], Made]
"""From a study's number and what its interval is about."""
_NO_STUDY = 2**63 - 1
"""Larger numbers do not fit a database; no study has this one."""
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


def study_zip(study_id: int, about: str) -> Made:
    """Everything about a study in one archive."""
    return bundle_of(study_id, about), "application/zip", ".zip"


def single_file(name: str) -> Make:
    """One of the files in it."""

    def make(study_id: int, about: str) -> Made:
        file = FILES[name]
        return file.make(report_of(study_id, about)).encode(), file.kind, f"-{name}"

    return make


def _export_route(what: str, make: Make) -> Route:
    return Route(f"/exports/{{study:int}}/{what}", _answer(lambda _: make), methods=["POST"])


def _figure(request: Request) -> Make:
    """The figure that an address names."""
    name, form = request.path_params["name"], request.path_params["form"]

    def make(study_id: int, about: str) -> Made:
        content = figure_of(study_id, about, name, form)
        return content, MIMES[form], f"-{name}.{form}"

    return make


def _answer(choose: Callable[[Request], Make]) -> Callable[[Request], Awaitable[Response]]:
    def work(study_id: int, about: str, make: Make) -> Response:
        try:
            study = lab().organising.study(study_id)
            content, kind, ending = make(study_id, about)
        except NotFoundError as error:
            return Response(f"{error}\n", 404, NO_STORE, "text/plain")
        except UserError as error:
            return Response(f"{error}\n", 409, NO_STORE, "text/plain")
        return _file(content, f"{file_stem(study.name)}{ending}", kind)

    async def answer(request: Request) -> Response:
        study_id = min(int(request.path_params["study"]), _NO_STUDY)
        token = await _token(request)
        refused = await run_in_threadpool(refusal, request, f"export {study_id}", token)
        if refused is not None:
            return refused
        about = about_of(request.query_params.get("about"))
        return await run_in_threadpool(work, study_id, about, choose(request))

    return answer


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
    _export_route("study.zip", study_zip),
    *(_export_route(name, single_file(name)) for name in FILES),
    Route("/exports/{study:int}/figures/{name}.{form}", _answer(_figure), methods=["POST"]),
    Route("/exports/parcel/{number}", parcel, methods=["POST"]),
]
