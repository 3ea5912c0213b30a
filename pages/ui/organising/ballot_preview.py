"""A rater's very page in a frame of the organiser's, and the route that makes it."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from eic_core.errors import UserError
from pages.ballot.routes import FRAMED_HEADERS, screen_answer
from pages.ballot.views import preview_screen
from pages.ui.doors.forms import number_in
from pages.ui.doors.origin import NO_STORE
from pages.ui.kit.wiring import lab
from pages.ui.organising.login import login_refusal
from study.errors import NotFoundError
from study.organising import OrganiserService, Preview

PREVIEW = "/organise/preview/ballot"
FRAME_HEIGHT = 760
"""CSS pixels: about a screen, in which the page scrolls as it does for raters."""


def ballot_frame(study_id: int, **which: int) -> None:
    """The rater's very page, in a frame; its buttons do nothing."""
    query = urlencode({"study": study_id, **which})
    key = "-".join(("ballot-frame", *map(str, which.values())))
    with st.container(border=True, key=key):
        st.iframe(f"{PREVIEW}?{query}", height=FRAME_HEIGHT, alt="The ballot as raters see it")


async def ballot_preview(request: Request) -> Response:
    """The page of a ballot, for organisers; `pair` is a pair's id, `special` counts from 0."""

    def work() -> Response:
        refused = login_refusal(request)
        if refused is not None:
            return refused
        query = {name: number_in(value) for name, value in request.query_params.items()}
        study_id, swapped = query.get("study", 0), bool(query.get("swap"))
        try:
            if "special" in query:
                preview = _special(lab().organising, study_id, query["special"])
            else:
                pair_id = query.get("pair", 0)
                preview = lab().organising.preview(study_id, pair_id, lower_left=not swapped)
        except NotFoundError as error:
            return Response(f"{error}\n", 404, NO_STORE, "text/plain")
        except UserError as error:
            return Response(f"{error}\n", 409, NO_STORE, "text/plain")
        return screen_answer(request, preview_screen(preview.ballot), headers=FRAMED_HEADERS)

    return await run_in_threadpool(work)


def _special(service: OrganiserService, study_id: int, place: int) -> Preview:
    specials = service.preview_specials(study_id)
    if place >= len(specials):
        raise NotFoundError("this study has no such ballot")
    return specials[place]


PREVIEW_ROUTES = [Route(PREVIEW, ballot_preview, methods=["GET"])]
