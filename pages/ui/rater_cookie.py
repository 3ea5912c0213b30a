"""Lets a browser know its raters again: a cookie that no script can read.

Whoever reopens an open link in the same browser is asked whether they are that rater.
"""

from __future__ import annotations

from datetime import timedelta

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.ui.kit.wiring import rating_service
from pages.ui.organising.login import NO_STORE, from_this_site, is_https
from pages.ui.rating.tab import RATER_COOKIE
from study.rating import MAX_KEPT

KEPT_FOR = timedelta(days=90)


async def keep_rater(request: Request) -> Response:
    """Put the rater's token before those that the browser has kept; 403 for anybody else."""
    async with request.form(max_files=0, max_fields=5) as form:
        token = str(form.get("t", ""))[:100]
    if not from_this_site(request):
        return Response("", 403, NO_STORE)
    visit = await run_in_threadpool(rating_service().open, token)
    if visit.progress is None:
        return Response("", 403, NO_STORE)
    kept = [each for each in request.cookies.get(RATER_COOKIE, "").split(".") if each != token]
    answer = Response("", 204, NO_STORE)
    answer.set_cookie(
        RATER_COOKIE,
        ".".join([token, *filter(None, kept)][:MAX_KEPT]),
        max_age=int(KEPT_FOR.total_seconds()),
        path="/",
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )
    return answer


RATER_ROUTES = [Route("/door/rater", keep_rater, methods=["POST"])]
