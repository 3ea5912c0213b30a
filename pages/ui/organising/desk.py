"""An organiser's tab: what went wrong where, what was done, and how a callback acts.

Nothing here is the truth of a study; that is in the database, and read in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from eic_core.errors import UserError
from pages.ui.door import login_key, organiser
from pages.ui.organising.tokens import form_token
from pages.ui.text import escape, prose
from pages.ui.undisturbed import undisturbed
from study.errors import AccessError
from study.material import Study
from study.organising import OrganiserService

_KEY = "organiser-desk"


@dataclass
class Desk:
    """What the server remembers of one organiser's tab.

    Attributes
    ----------
    errors : dict of place to UserError
        Shown at that place until something is done there.
    said : dict of place to str
        What was done, as a quiet sentence.
    seen : dict of study id to int
        The version of each study as this tab has drawn it.
    kept : dict of str to Any
        Small things of single pages.
    """

    errors: dict[str, UserError] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)


def desk() -> Desk:
    """The desk of this tab."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Desk()
    found: Desk = st.session_state[_KEY]
    return found


Deed = Callable[[OrganiserService], str | None]


def act(place: str, do: Deed) -> None:
    """Do something for an organiser, as a callback; see `tried`."""
    tried(place, do)


@undisturbed()
def tried(place: str, do: Deed) -> bool:
    """Do something for an organiser; whether it went through.

    The login is checked anew.  What the user did wrong is kept for `complaint(place)`; a
    sentence that `do` returns, for `told(place)`.
    """
    here = desk()
    here.errors.pop(place, None)
    here.said.pop(place, None)
    service = organiser()
    if service is None:
        here.errors[place] = AccessError("you are logged out", hint="log in again")
        return False
    try:
        said = do(service)
    except UserError as error:
        here.errors[place] = error
        return False
    if said:
        here.said[place] = said
    return True


@undisturbed()
def forgive(place: str) -> None:
    """Forget what went wrong at this place."""
    desk().errors.pop(place, None)


@undisturbed()
def forget(name: str) -> None:
    """Forget a small thing."""
    desk().kept.pop(name, None)


def complaint(place: str) -> bool:
    """Show what went wrong at this place, if anything did; whether it did."""
    error = desk().errors.get(place)
    if error is None:
        return False
    show_error(error)
    return True


def show_error(error: UserError) -> None:
    """An error with its way out."""
    title = error.message[:1].upper() + error.message[1:]
    hint = f"<p>{prose(error.hint[:1].upper() + error.hint[1:])}.</p>" if error.hint else ""
    lines = "".join(f"<li>{prose(line)}</li>" for line in getattr(error, "problems", ())[:20])
    lines = f'<ul class="eic-list">{lines}</ul>' if lines else ""
    st.html(
        f'<div class="eic-error" role="alert"><p class="eic-error-title">{prose(title)}.</p>'
        f"{hint}{lines}</div>"
    )


def told(place: str) -> None:
    """Show what was done at this place, once."""
    said = desk().said.pop(place, "")
    if said:
        st.html(f'<p class="eic-done" role="status">{prose(said)}</p>')


@undisturbed()
def go(**query: str | int | None) -> None:
    """Go to a place of the organiser's pages; what is None is left out."""
    st.query_params.from_dict({k: str(v) for k, v in query.items() if v is not None})


def quiet(text: str) -> None:
    """A sentence in muted type; user text in backticks."""
    st.html(f'<p class="eic-quiet">{prose(text)}</p>')


def note(text: str) -> None:
    """A sentence that should be read, without alarm."""
    st.html(f'<p class="eic-note">{prose(text)}</p>')


def warn(text: str) -> None:
    """A sentence that should be heeded."""
    st.html(f'<p class="eic-note eic-bad">{prose(text)}</p>')


def heading(text: str, level: int = 3) -> None:
    """A heading of a section."""
    st.html(f'<h{level} class="eic-h">{escape(text)}</h{level}>')


def empty(title: str, text: str) -> None:
    """What to do where there is nothing yet."""
    st.html(
        f'<div class="eic-empty eic-small"><p class="eic-empty-title">{prose(title)}</p>'
        f"<p>{prose(text)}</p></div>"
    )


def download(address: str, label: str, purpose: str, *, primary: bool = False) -> None:
    """A button that fetches a file over a route, with this login's token."""
    token = form_token(login_key(), purpose)
    kind = "eic-button eic-primary" if primary else "eic-button"
    st.html(
        f'<form method="post" action="{escape(address)}">'
        f'<input type="hidden" name="token" value="{token}">'
        f'<button class="{kind}" type="submit">{escape(label)}</button></form>',
        width="content",
    )


@contextmanager
def confirming(label: str, question: str, key: str) -> Iterator[None]:
    """A button that opens a question before something that cannot be undone."""
    with st.popover(label, key=key):
        st.html(f'<p class="eic-ask-text">{prose(question)}</p>')
        yield


def see(service: OrganiserService, study_id: int) -> None:
    """Note the version of the study that this run draws."""
    desk().seen[study_id] = service.version(study_id)


def seen(study: Study) -> int | None:
    """The version that this tab has drawn last."""
    return desk().seen.get(study.id)
