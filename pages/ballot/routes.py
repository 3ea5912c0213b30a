"""The addresses of the volunteer's pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pages.ballot import words
from pages.ballot.parts import gzipped, plain
from pages.ballot.views import (
    ANEW,
    BEGIN,
    PRACTISED,
    SCRIPT,
    STYLE,
    UNDERWAY,
    WELCOME,
    Asset,
    PageQuery,
    Screen,
    consent_screen,
    ending_screen,
    known_screen,
    message_screen,
    rate_address,
    stage_screen,
    welcome_screen,
)
from pages.ui.doors.forms import form_of
from pages.ui.doors.origin import NO_STORE, from_this_site, is_https
from pages.ui.kit.wiring import rating_service
from study.errors import DesignError, StorageError, StudyError
from study.rating_types import (
    DEGREES,
    MAX_FIELD,
    BrowserReport,
    NextBallot,
    RatingVisit,
    Stage,
    VoteStatus,
)

MAX_KEPT = 5
"""Raters that one browser remembers."""
RATER_COOKIE = "rater"
KEPT_FOR = timedelta(days=90)
FRAGMENT = "ballot"
"""The value of ``X-Requested-With`` by which the script asks for ``<main>`` alone."""

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
    )
)
_HEADERS = {
    **NO_STORE,
    "Content-Security-Policy": f"{_POLICY}; frame-ancestors 'none'",
    "Vary": "Accept-Encoding, X-Requested-With",
}
FRAMED_HEADERS = {
    **_HEADERS,
    "Content-Security-Policy": f"{_POLICY}; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}
HTML = "text/html; charset=utf-8"
Form = Mapping[str, str]


def screen_answer(
    request: Request, screen: Screen, status: int = 200, headers: Mapping[str, str] = _HEADERS
) -> Response:
    """The page, or its ``<main>`` for the script."""
    fragment = _by_script(request)
    parts = screen.main() if fragment else screen.document()
    sent = {**headers, "X-Ballot": "main"} if fragment else dict(headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        sent["Content-Encoding"] = "gzip"
        return Response(gzipped(parts), status, sent, HTML)
    return Response(plain(parts), status, sent, HTML)


def _by_script(request: Request) -> bool:
    return request.headers.get("x-requested-with") == FRAGMENT


# --- what is due ---


def _due(query: PageQuery, kept: tuple[str, ...]) -> Screen:
    """The page of a link, as its rater stands now."""
    if not query.token:
        return message_screen(*words.NO_LINK, "", retry=False)
    service = rating_service()
    step = service.next_ballot(query.token, give=False)
    if step.ballot is None and query.at != BEGIN and _is_asked_what_decides(step.visit):
        query = replace(query, at=query.at or PRACTISED)
    if step.ballot is None and query.gives:
        step = service.next_ballot(query.token)
    return _screen_of(query, step, kept)


def _is_asked_what_decides(visit: RatingVisit) -> bool:
    """Whether the practice is done and no ballot has an answer, as when a link is opened again."""
    begun = visit.progress is not None and visit.progress.saved > 0
    return visit.stage == Stage.RATING and visit.practice and bool(visit.meaning) and not begun


def _screen_of(query: PageQuery, step: NextBallot, kept: tuple[str, ...] = ()) -> Screen:
    service, visit = rating_service(), step.visit
    if query.at == WELCOME and visit.stage in UNDERWAY:
        return welcome_screen(visit, query.token, service.personal_link(query.token))
    if visit.reusable and query.at != ANEW and kept:
        remembered = service.known_here(query.token, kept)
        if remembered:
            return known_screen(visit, query.token, remembered)
    screen = stage_screen(query, step)
    return screen or consent_screen(visit, query, service.new_request_id())


async def show(request: Request) -> Response:
    """What is due: consent, a ballot, thanks, or why this link leads no further."""
    if request.method == "HEAD":  # gives no ballot out: that would start its clock
        return Response("", 200, _HEADERS, HTML)
    given = request.query_params
    query = PageQuery(
        *(given.get(name, "").strip()[:100] for name in ("t", "at", "note", "chosen", "meant"))
    )

    def work() -> Response:
        try:
            return screen_answer(request, _due(query, _kept_tokens(request)))
        except StudyError as error:
            return _wait(request, query.token, error)

    return await run_in_threadpool(work)


def _wait(request: Request, token: str, error: StudyError) -> Response:
    text = words.wait_text(error)
    if _by_script(request):
        return _note(text, 503)
    return screen_answer(request, message_screen("Please wait", (text,), token, retry=True), 503)


def _note(text: str, status: int) -> Response:
    """A sentence for the script, which keeps the page that it has."""
    return Response(text, status, {**_HEADERS, "X-Ballot": "note"}, "text/plain")


def _kept_tokens(request: Request) -> tuple[str, ...]:
    """The raters that this browser remembers, the newest first."""
    tokens = request.cookies.get(RATER_COOKIE, "").split(".")
    return tuple(filter(None, tokens))[:MAX_KEPT]


# --- forms ---


def _form_route(name: str, act: Callable[[Request, Form], Response]) -> Route:
    async def answer(request: Request) -> Response:
        if not from_this_site(request):
            return Response("Not from here.\n", 403, _HEADERS, "text/plain")
        form = await form_of(request)
        return await run_in_threadpool(act, request, {"t": "", **form})

    return Route(f"/rate/{name}", answer, methods=["POST"])


def _onward(request: Request, query: PageQuery, step: NextBallot | None = None) -> Response:
    """What comes next: the fragment for the script, else the address that shows it."""
    if not _by_script(request):
        named = {"at": query.at, "note": query.note, "chosen": query.chosen}
        return RedirectResponse(rate_address(query.token, **named), 303, _HEADERS)
    try:
        if step is not None:
            return screen_answer(request, _screen_of(query, step))
        return screen_answer(request, _due(query, _kept_tokens(request)))
    except StudyError as error:
        return _wait(request, query.token, error)


def _failed(request: Request, token: str, error: StudyError, *, vote: bool = False) -> Response:
    note = words.failure_note(error, vote=vote)
    if _by_script(request):
        return _note(words.NOTES[note], 503 if isinstance(error, StorageError) else 409)
    return _onward(request, PageQuery(token, note=note))


def _consent(request: Request, form: Form) -> Response:
    token, degree = form["t"][:100], form.get("degree", "")
    field = form.get("field", "").strip()
    errors = {}
    if degree not in DEGREES:
        errors["degree"] = words.ASK_DEGREE
    if not field:
        errors["field"] = words.ASK_FIELD
    elif len(field) > MAX_FIELD:
        errors["field"] = words.LONG_FIELD
    service, request_id = rating_service(), form.get("request", "")[:100]
    query = PageQuery(token)
    try:
        if not errors:
            try:
                consent = service.consent(token, degree=degree, field=field, request_id=request_id)
            except DesignError as error:
                errors[error.field] = error.message
        if errors:
            visit = service.open(token)
            if visit.stage != Stage.CONSENT:
                return _onward(request, query)
            screen = consent_screen(
                visit, query, request_id, degree=degree, field=field[: 2 * MAX_FIELD], errors=errors
            )
            return screen_answer(request, screen, 422)
    except StorageError as error:
        return _failed(request, token, error)
    except StudyError:  # the link takes no consent any more: its page says why
        return _onward(request, query)
    answer = _onward(request, PageQuery(consent.token, WELCOME), NextBallot(consent.visit))
    _remember(request, answer, consent.token)
    return answer


def _remember(request: Request, answer: Response, token: str) -> None:
    """Put the rater first in this browser's cookie, which no script can read."""
    earlier = [each for each in _kept_tokens(request) if each != token]
    answer.set_cookie(
        RATER_COOKIE,
        ".".join([token, *earlier][:MAX_KEPT]),
        max_age=int(KEPT_FOR.total_seconds()),
        path="/",
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )


_KEEP_THE_PAGE = {VoteStatus.TOO_SOON: "too-soon", VoteStatus.UNSEEN: "unseen"}
"""The ballot on the screen stays as it is."""


_LETTERS = {"left": "A", "right": "B", "tie": ""}


def _vote(request: Request, form: Form) -> Response:
    token, ballot, choice = form["t"], form.get("ballot", ""), form.get("choice", "")
    report = BrowserReport.read(form.get("report", ""))
    try:
        outcome = rating_service().vote(
            token,
            ballot,
            choice,  # type: ignore[arg-type] # it refuses any other
            form.get("reason", ""),
            report,
            and_next=True,
        )
    except StudyError as error:
        return _failed(request, token, error, vote=True)
    if outcome.status in _KEEP_THE_PAGE:
        note = _KEEP_THE_PAGE[outcome.status]
        if _by_script(request):
            return _note(words.NOTES[note], 409)
        return _onward(request, PageQuery(token, note=note))
    if outcome.status == VoteStatus.SAVED and outcome.practised:
        return _onward(
            request, PageQuery(token, PRACTISED, chosen=choice), NextBallot(outcome.visit)
        )
    if outcome.status == VoteStatus.SAVED:
        return _onward(request, PageQuery(token), outcome.following)
    note = ""
    if outcome.status == VoteStatus.STALE:
        note = "stale"
    elif outcome.status == VoteStatus.ALREADY_SAVED and not (
        form.get("again") or _is_last_answer(outcome.visit, ballot, choice)
    ):
        note = "already-saved"
    return _onward(request, PageQuery(token, note=note))


def _is_last_answer(visit: RatingVisit, ballot: str, choice: str) -> bool:
    """Whether the ballot has just got this answer: a browser may send a form twice by itself."""
    last = visit.undoable
    return last is not None and (last.ballot_token, last.letter) == (ballot, _LETTERS.get(choice))


def _undo(request: Request, form: Form) -> Response:
    token = form["t"]
    try:
        outcome = rating_service().undo(token, form.get("ballot", ""))
    except StudyError as error:
        return _failed(request, token, error)
    if outcome.status == VoteStatus.TOO_LATE:
        if _by_script(request):
            return _note(words.TOO_LATE, 409)
        return _onward(request, PageQuery(token, note="too-late"))
    note = "undone" if outcome.status == VoteStatus.UNDONE else "stale"
    return _onward(request, PageQuery(token, note=note), outcome.following)


def _pause(request: Request, form: Form) -> Response:
    return _change(request, form["t"], rating_service().pause)


def _resume(request: Request, form: Form) -> Response:
    return _change(request, form["t"], rating_service().resume)


def _change(request: Request, token: str, do: Callable[[str], RatingVisit]) -> Response:
    try:
        do(token)
    except StudyError as error:
        return _failed(request, token, error)
    return _onward(request, PageQuery(token))


def _withdraw(request: Request, form: Form) -> Response:
    token = form["t"]
    try:
        visit = rating_service().withdraw(token)
    except StudyError as error:
        return _failed(request, token, error)
    if _by_script(request):
        return screen_answer(request, ending_screen(visit, token))
    return RedirectResponse(rate_address(token, note="withdrawn"), 303, _HEADERS)


def _beat(request: Request, form: Form) -> Response:
    """A sign of life; one that fails is left out."""
    try:
        rating_service().heartbeat(form["t"], form.get("ballot", ""))
    except StudyError:
        return Response("", 503, {**_HEADERS, "X-Ballot": "note"})
    return Response("", 204, {**_HEADERS, "X-Ballot": "note"})


async def _to_the_page(request: Request) -> Response:
    """From the address of a form, which somebody may open, to the page: no other page is there."""
    return RedirectResponse(rate_address(request.query_params.get("t", "")), 303, _HEADERS)


# --- style sheet and script ---


def _asset_route(asset: Asset) -> Route:
    async def answer(request: Request) -> Response:
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        }
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(gzipped([asset.part]), 200, headers, asset.kind)
        return Response(asset.part.text, 200, headers, asset.kind)

    return Route(asset.address, answer, methods=["GET"])


RATE_ROUTES = [
    Route("/rate", show, methods=["GET"]),
    Route("/rate/", show, methods=["GET"]),
    _form_route("consent", _consent),
    _form_route("vote", _vote),
    _form_route("undo", _undo),
    _form_route("pause", _pause),
    _form_route("resume", _resume),
    _form_route("withdraw", _withdraw),
    _form_route("beat", _beat),
    _asset_route(STYLE),
    _asset_route(SCRIPT),
    Route("/rate/{form:path}", _to_the_page, methods=["GET"]),
]
