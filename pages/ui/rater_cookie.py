"""A cookie that no script can read, by which an open link knows its raters again."""

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
    """Put the rater's token first in this browser's cookie; 403 unless the token is a rater's."""
    async with request.form(max_files=0, max_fields=5) as form:
        token = str(form.get("t", ""))[:100]
    if not from_this_site(request):
        return Response("", 403, NO_STORE)
    visit = await run_in_threadpool(rating_service().open, token)
    if visit.progress is None:
        return Response("", 403, NO_STORE)
    earlier = [each for each in request.cookies.get(RATER_COOKIE, "").split(".") if each != token]
    answer = Response("", 204, NO_STORE)
    answer.set_cookie(
        RATER_COOKIE,
        ".".join([token, *filter(None, earlier)][:MAX_KEPT]),
        max_age=int(KEPT_FOR.total_seconds()),
        path="/",
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )
    return answer


RATER_ROUTES = [Route("/door/rater", keep_rater, methods=["POST"])]
