"""The door as HTTP: log in, choose the passphrase, log out.  Every one is a POST with a token."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pages.ui.door import COOKIE, host_is_local
from pages.ui.organising.tokens import form_fits, safe_next, timed_fits
from pages.ui.wiring import form_key, lab
from study.access import Login
from study.errors import AccessError

NO_STORE = {"Cache-Control": "no-store"}


def from_this_site(request: Request) -> bool:
    """Whether a browser says that the form stood on a page of ours."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def is_https(request: Request) -> bool:
    """Whether the browser speaks HTTPS, to us or to a proxy before us."""
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    return "https" in (request.url.scheme, forwarded)


def refusal(request: Request, purpose: str, token: str) -> Response | None:
    """401 without a login, 403 without the token of this login's form; None lets it pass."""
    if lab().demo:
        allowed, key = host_is_local(request.headers.get("host")), form_key()
    else:
        key = request.cookies.get(COOKIE, "")
        allowed = lab().access.is_organiser(key)
    if not allowed:
        return Response("Log in first.\n", 401, NO_STORE, "text/plain")
    if not (from_this_site(request) and form_fits(token, key, purpose)):
        return Response("This form is out of date: go back, and reload.\n", 403, NO_STORE,
                        "text/plain")  # fmt: skip
    return None


async def log_in(request: Request) -> Response:
    """Passphrase for cookie."""
    form = await _form(request, "login")
    if isinstance(form, Response):
        return form
    onward = safe_next(form.get("next", ""))
    origin = request.client.host if request.client else ""
    try:
        login = await run_in_threadpool(
            lab().access.log_in, form.get("passphrase", ""), origin=origin
        )
    except AccessError as error:
        return _back(onward, "wait" if error.retry_after else "wrong", seconds=error.retry_after)
    return _welcome(request, login, onward)


async def set_up(request: Request) -> Response:
    """The first passphrase, with the token of the set-up link."""
    form = await _form(request, "setup")
    if isinstance(form, Response):
        return form
    link = form.get("setup", "")[:100]
    passphrase = form.get("passphrase", "")
    if passphrase != form.get("again", ""):
        return _back("/organise", "differ", setup=link)
    try:
        login = await run_in_threadpool(lab().access.set_up, link, passphrase)
    except AccessError as error:
        short = "characters" in error.message
        return _back("/organise", "short" if short else "stale", setup=link if short else "")
    return _welcome(request, login, "/organise")


async def log_out(request: Request) -> Response:
    """End this login on the server, and forget the cookie."""
    form = await _fields(request)
    refused = await run_in_threadpool(refusal, request, "logout", form.get("token", ""))
    if refused is not None:
        return refused
    await run_in_threadpool(lab().access.log_out, request.cookies.get(COOKIE, ""))
    answer = RedirectResponse("/organise?door=out", 303, NO_STORE)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


async def change_passphrase(request: Request) -> Response:
    """Another passphrase; every other login ends."""
    form = await _fields(request)
    refused = await run_in_threadpool(refusal, request, "passphrase", form.get("token", ""))
    if refused is not None:
        return refused
    if form.get("new", "") != form.get("again", ""):
        return _back("/organise", "differ")
    try:
        login = await run_in_threadpool(
            lab().access.change_passphrase,
            request.cookies.get(COOKIE, ""), form.get("old", ""), form.get("new", ""),
        )  # fmt: skip
    except AccessError as error:
        problem = "short" if "characters" in error.message else "wrong"
        return _back("/organise", "wait" if error.retry_after else problem,
                     seconds=error.retry_after)  # fmt: skip
    return _welcome(request, login, "/organise?door=changed")


async def _fields(request: Request) -> dict[str, str]:
    async with request.form(max_files=0, max_fields=20) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


async def _form(request: Request, purpose: str) -> dict[str, str] | Response:
    """The fields of a form that needs no login, if it is ours."""
    if lab().demo:
        return RedirectResponse("/organise", 303, NO_STORE)
    form = await _fields(request)
    if from_this_site(request) and timed_fits(form.get("token", ""), form_key(), purpose):
        return form
    return _back("/organise", "again", setup=form.get("setup", "")[:100])


def _welcome(request: Request, login: Login, onward: str) -> Response:
    answer = RedirectResponse(onward, 303, NO_STORE)
    answer.set_cookie(
        COOKIE, login.token, expires=login.expires_at, path="/", httponly=True,
        samesite="strict", secure=is_https(request),
    )  # fmt: skip
    return answer


def _back(onward: str, problem: str, *, seconds: float = 0.0, setup: str = "") -> Response:
    """To the form again, with what was wrong."""
    query = {"door": problem}
    if seconds:
        query["wait"] = str(max(1, round(seconds)))
    if setup:
        query["setup"] = setup
    joint = "&" if "?" in onward else "?"
    return RedirectResponse(onward + joint + urlencode(query), 303, NO_STORE)


DOOR_ROUTES = [
    Route("/door/login", log_in, methods=["POST"]),
    Route("/door/setup", set_up, methods=["POST"]),
    Route("/door/logout", log_out, methods=["POST"]),
    Route("/door/passphrase", change_passphrase, methods=["POST"]),
]
