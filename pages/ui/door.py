"""Who is looking: whether this browser belongs to an organiser, and what visitors may see.

The truth is the login row in the database; the browser only holds its HttpOnly cookie, which the
server reads with every run of the script.
"""

from __future__ import annotations

import streamlit as st

from pages.ui.wiring import form_key, lab
from study.design import LOCAL_HOSTS
from study.organising import OrganiserService

COOKIE = "eic_organiser"


def host_is_local(host: str | None) -> bool:
    """Whether a Host header names this machine; none is sent where there is no network.

    Examples
    --------
    >>> host_is_local("localhost:8501"), host_is_local("[::1]:80"), host_is_local("evil.example")
    (True, True, False)
    """
    if not host:
        return True
    name = host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
    return name in LOCAL_HOSTS


def cookie() -> str:
    """The login that this browser brought; "" without one."""
    return str(st.context.cookies.to_dict().get(COOKIE) or "")


def is_organiser() -> bool:
    """Whether this visitor may organise, now.  In a demo, whoever sits at this machine may."""
    if lab().demo:
        return host_is_local(st.context.headers.get("Host"))
    return lab().access.is_organiser(cookie())


def organiser() -> OrganiserService | None:
    """The organiser's service, for organisers only.  Ask for it in every callback and fragment."""
    return lab().organising if is_organiser() else None


def login_key() -> str:
    """The secret that this login's forms are made with."""
    return cookie() or form_key()


def may_inspect() -> bool:
    """Whether this visitor may use the inspector: not while an open study keeps it closed."""
    return lab().demo or lab().organising.inspector_is_open() or is_organiser()
