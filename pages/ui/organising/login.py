"""The organiser's login: its page, and the HTTP routes that check a token."""

from __future__ import annotations

import logging
import time
from urllib.parse import urlencode

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pages.ui.doors.forms import form_of
from pages.ui.doors.origin import NO_STORE, from_this_site, is_https
from pages.ui.doors.proxies import throttled_origin
from pages.ui.kit.door import (
    COOKIE,
    form_fits,
    form_token,
    host_is_local,
    safe_next,
    timed_fits,
    timed_token,
)
from pages.ui.kit.text import escape
from pages.ui.kit.wiring import form_key, lab
from study.access import MIN_PASSPHRASE, Login
from study.errors import AccessError, PassphraseLengthError

LOG = logging.getLogger("eic_lab.doors")
# Seconds between two log lines about attempts that came too fast.
QUIET = 10.0
_quiet_until = 0.0


def visitor_address(request: Request) -> str:
    """The address by which a visitor's attempts are counted."""
    return throttled_origin(request.client.host if request.client else "")


def log_failure(origin: str, error: AccessError) -> None:
    """Log a failed attempt; attempts that must wait only once in `QUIET` seconds."""
    global _quiet_until
    if error.retry_after:
        if time.monotonic() < _quiet_until:
            return
        _quiet_until = time.monotonic() + QUIET
    LOG.warning("a login from %s failed: %s", origin or "an unknown address", error.message)


def login_refusal(request: Request) -> Response | None:
    """401 without a login: enough of a door for what only shows; None lets it pass."""
    if lab().demo:
        allowed = host_is_local(request.headers.get("host"))
    else:
        allowed = lab().access.is_organiser(request.cookies.get(COOKIE, ""))
    return None if allowed else Response("Log in first.\n", 401, NO_STORE, "text/plain")


def refusal(request: Request, purpose: str, token: str) -> Response | None:
    """401 without a login, 403 without the token of this login's form; None lets it pass."""
    refused = login_refusal(request)
    if refused is not None:
        return refused
    key = form_key() if lab().demo else request.cookies.get(COOKIE, "")
    if not (from_this_site(request) and form_fits(token, key, purpose)):
        return Response(
            "This form is out of date: go back, and reload.\n", 403, NO_STORE, "text/plain"
        )
    return None


async def log_in(request: Request) -> Response:
    form = await _form(request, "login")
    if isinstance(form, Response):
        return form
    onward = safe_next(form.get("next", ""))
    origin = visitor_address(request)
    try:
        login = await run_in_threadpool(
            lab().access.log_in, form.get("passphrase", ""), origin=origin
        )
    except AccessError as error:
        log_failure(origin, error)
        return _back(onward, "wait" if error.retry_after else "wrong", seconds=error.retry_after)
    return _welcome(request, login, onward)


async def set_up(request: Request) -> Response:
    """Set the first passphrase, with the token of the set-up link."""
    form = await _form(request, "setup")
    if isinstance(form, Response):
        return form
    # Bounded, for it goes back into an address.
    link = form.get("setup", "")[:100]
    passphrase = form.get("passphrase", "")
    if passphrase != form.get("again", ""):
        return _back("/organise", "differ", setup=link)
    try:
        login = await run_in_threadpool(lab().access.set_up, link, passphrase)
    except AccessError as error:
        short = isinstance(error, PassphraseLengthError)
        return _back("/organise", "short" if short else "stale", setup=link if short else "")
    return _welcome(request, login, "/organise")


async def log_out(request: Request) -> Response:
    form = await form_of(request)
    refused = await run_in_threadpool(refusal, request, "logout", form.get("token", ""))
    if refused is not None:
        return refused
    await run_in_threadpool(lab().access.log_out, request.cookies.get(COOKIE, ""))
    answer = RedirectResponse("/organise?door=out", 303, NO_STORE)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


async def change_passphrase(request: Request) -> Response:
    """Change the passphrase; every other login ends."""
    form = await form_of(request)
    refused = await run_in_threadpool(refusal, request, "passphrase", form.get("token", ""))
    if refused is not None:
        return refused
    if form.get("new", "") != form.get("again", ""):
        return _back("/organise", "differ")
    try:
        login = await run_in_threadpool(
            lab().access.change_passphrase,
            request.cookies.get(COOKIE, ""),
            form.get("old", ""),
            form.get("new", ""),
        )
    except AccessError as error:
        log_failure(visitor_address(request), error)
        problem = "short" if isinstance(error, PassphraseLengthError) else "wrong"
        return _back(
            "/organise", "wait" if error.retry_after else problem, seconds=error.retry_after
        )
    return _welcome(request, login, "/organise?door=changed")


async def _form(request: Request, purpose: str) -> dict[str, str] | Response:
    """The fields of a form that needs no login, or the answer to a form that is not ours."""
    if lab().demo:
        return RedirectResponse("/organise", 303, NO_STORE)
    form = await form_of(request)
    if from_this_site(request) and timed_fits(form.get("token", ""), form_key(), purpose):
        return form
    return _back("/organise", "again", setup=form.get("setup", "")[:100])


def _welcome(request: Request, login: Login, onward: str) -> Response:
    answer = RedirectResponse(onward, 303, NO_STORE)
    answer.set_cookie(
        COOKIE,
        login.token,
        expires=login.expires_at,
        path="/",
        httponly=True,
        samesite="strict",
        secure=is_https(request),
    )
    return answer


def _back(onward: str, problem: str, *, seconds: float = 0.0, setup: str = "") -> Response:
    """Back to the form, which shows `problem`."""
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


_PROBLEMS = {
    "wrong": ("That is not the passphrase.", ""),
    "wait": ("Too many attempts.", "Try again in {wait} seconds."),
    "again": ("This page was out of date.", "Please send it again."),
    "differ": ("The two passphrases differ.", "Type the same one twice."),
    "short": (
        f"A passphrase has at least {MIN_PASSPHRASE} characters.",
        "Four or five unrelated words are easy to remember.",
    ),
    "stale": (
        "This set-up link is not good any more.",
        "It works once, for a day. Restart the app, and it prints a new one.",
    ),
}
_DONE = {"out": "You are logged out.", "changed": "The passphrase is changed."}


def door_view() -> None:
    """The organiser's pages for a visitor without a login."""
    with st.container(key="door", gap="small"):
        st.html('<h1 class="eic-title">Organise</h1>')
        problem_line()
        link = st.query_params.get("setup", "")
        if lab().demo:
            st.html(
                '<p class="eic-quiet">This demo can be organised from the computer it runs on '
                "only: open it there, as http://localhost.</p>"
            )
        elif not lab().access.needs_setup():
            _login()
        elif link:
            _setup(link)
        else:
            st.html(
                '<p class="eic-quiet">No passphrase has been chosen yet. The app printed a '
                "one-time link where it was started: open that link to choose one. Restarting "
                "the app prints a new link.</p>"
            )


def problem_line() -> None:
    word = st.query_params.get("door", "")
    if word in _PROBLEMS:
        title, hint = _PROBLEMS[word]
        wait = st.query_params.get("wait", "")
        hint = hint.format(wait=wait if wait.isdecimal() and len(wait) < 5 else "a few")
        st.html(
            f'<div class="eic-error" role="alert"><p class="eic-error-title">{title}</p>'
            + (f"<p>{hint}</p>" if hint else "")
            + "</div>"
        )
    elif word in _DONE:
        st.html(f'<p class="eic-done" role="status">{_DONE[word]}</p>')


def _login() -> None:
    token = timed_token(form_key(), "login")
    study, step = st.query_params.get("study", ""), st.query_params.get("step", "")
    onward = "/organise"
    if study.isdecimal():
        onward += f"?study={study}" + (f"&step={step}" if step.isalpha() else "")
    st.html(
        '<form class="eic-form" method="post" action="/door/login">'
        f'<input type="hidden" name="token" value="{token}">'
        f'<input type="hidden" name="next" value="{escape(onward)}">'
        '<label for="passphrase">Passphrase</label>'
        '<input id="passphrase" name="passphrase" type="password" required '
        'autocomplete="current-password" maxlength="1000">'
        '<button class="eic-button eic-primary" type="submit">Log in</button></form>'
        '<p class="eic-quiet">You were sent a link to rate formulas? Open that link instead; '
        "this page is for whoever runs the study.</p>"
    )


def _setup(link: str) -> None:
    token = timed_token(form_key(), "setup")
    st.html(
        '<p class="eic-quiet">Choose the passphrase that opens the organiser’s pages. It is '
        "stored as a salted hash and cannot be shown again.</p>"
        '<form class="eic-form" method="post" action="/door/setup">'
        f'<input type="hidden" name="token" value="{token}">'
        f'<input type="hidden" name="setup" value="{escape(link, 100)}">'
        f'<label for="new">Passphrase, at least {MIN_PASSPHRASE} characters</label>'
        '<input id="new" name="passphrase" type="password" required minlength='
        f'"{MIN_PASSPHRASE}" maxlength="1000" autocomplete="new-password">'
        '<label for="repeat">The same again</label>'
        '<input id="repeat" name="again" type="password" required maxlength="1000" '
        'autocomplete="new-password">'
        '<button class="eic-button eic-primary" type="submit">Choose this passphrase</button>'
        "</form>"
    )


def account(key: str) -> None:
    """Buttons for logging out and changing the passphrase; `key` is this login's secret."""
    if lab().demo:
        return
    with st.popover("Account", key="account", type="tertiary"):
        st.html(
            '<form class="eic-form" method="post" action="/door/logout">'
            f'<input type="hidden" name="token" value="{form_token(key, "logout")}">'
            '<button class="eic-button" type="submit">Log out</button></form>'
            '<details class="eic-details"><summary>Change the passphrase</summary>'
            '<form class="eic-form" method="post" action="/door/passphrase">'
            f'<input type="hidden" name="token" value="{form_token(key, "passphrase")}">'
            '<label for="old">The old one</label>'
            '<input id="old" name="old" type="password" required '
            'autocomplete="current-password">'
            f'<label for="new">The new one, at least {MIN_PASSPHRASE} characters</label>'
            f'<input id="new" name="new" type="password" required minlength="{MIN_PASSPHRASE}" '
            'autocomplete="new-password">'
            '<label for="repeat">The new one again</label>'
            '<input id="repeat" name="again" type="password" required '
            'autocomplete="new-password">'
            '<button class="eic-button" type="submit">Change it</button></form></details>'
        )
