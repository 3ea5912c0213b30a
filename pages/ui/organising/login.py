"""The door as visitors see it: log in, or choose the first passphrase."""

from __future__ import annotations

import streamlit as st

from pages.ui.organising.tokens import form_token, timed_token
from pages.ui.text import escape
from pages.ui.wiring import form_key, lab
from study.access import MIN_PASSPHRASE

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
    """Everything that a visitor without a login gets to see of the organiser's pages."""
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
    """What the door's routes had to say, if anything."""
    said = st.query_params.get("door", "")
    if said in _PROBLEMS:
        title, hint = _PROBLEMS[said]
        wait = st.query_params.get("wait", "")
        hint = hint.format(wait=wait if wait.isdecimal() and len(wait) < 5 else "a few")
        st.html(
            f'<div class="eic-error" role="alert"><p class="eic-error-title">{title}</p>'
            + (f"<p>{hint}</p>" if hint else "")
            + "</div>"
        )
    elif said in _DONE:
        st.html(f'<p class="eic-done" role="status">{_DONE[said]}</p>')


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
    """Log out, or change the passphrase; nothing in a demo.

    Parameters
    ----------
    key : str
        This login's secret.
    """
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
