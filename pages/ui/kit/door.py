"""Organisers and visitors: who is which, what each may see, and the tokens of forms."""

from __future__ import annotations

import re
import time
from hashlib import sha256
from typing import TypeVar

import streamlit as st
from itsdangerous import BadSignature, Signer, TimestampSigner

from pages.ui.kit.wiring import form_key, lab
from study.design import LOCAL_HOSTS
from study.organising import OrganiserService

COOKIE = "eic_organiser"


def host_is_local(host: str | None) -> bool:
    """Whether a Host header names this machine; none is sent where there is no network.

    >>> host_is_local("localhost:8501"), host_is_local("[::1]:80"), host_is_local("evil.example")
    (True, True, False)
    """
    if not host:
        return True
    name = host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
    return name in LOCAL_HOSTS


# The login row in the database decides; the browser only holds its HttpOnly cookie.
def cookie() -> str:
    """The login that this browser brought; "" without one."""
    return str(st.context.cookies.to_dict().get(COOKIE) or "")


def is_organiser() -> bool:
    """Whether this visitor may organise, now; in a demo, whoever sits at this machine."""
    if lab().demo:
        return host_is_local(st.context.headers.get("Host"))
    return lab().access.is_organiser(cookie())


def organiser() -> OrganiserService | None:
    """The organiser's service, or None for others. Ask for it in every callback and fragment."""
    return lab().organising if is_organiser() else None


def login_key() -> str:
    """The secret of this login's forms."""
    return cookie() or form_key()


def may_inspect() -> bool:
    """Whether this visitor may use the inspector: not while an open study keeps it closed."""
    return lab().demo or lab().organising.inspector_is_open() or is_organiser()


FORM_LASTS = 12 * 3600
_NEXT = re.compile(r"/organise(\?[A-Za-z0-9=&_-]{0,200})?")
_S = TypeVar("_S", bound=Signer)


class _Stamper(TimestampSigner):
    now: float | None = None

    def get_timestamp(self) -> int:
        return int(time.time() if self.now is None else self.now)


def _signer(kind: type[_S], key: str, purpose: str) -> _S:
    return kind(key, salt=purpose, key_derivation="hmac", digest_method=sha256)


def _stamper(key: str, purpose: str, now: float | None) -> _Stamper:
    signer = _signer(_Stamper, key, purpose)
    signer.now = now
    return signer


def form_token(key: str, purpose: str) -> str:
    """The token of one login's forms for one purpose; `key` is the login's own secret.

    >>> form_token("secret", "logout") == form_token("secret", "export")
    False
    """
    return _signer(Signer, key, purpose).get_signature(purpose).decode()


def form_fits(token: str, key: str, purpose: str) -> bool:
    """Whether a token is ours, compared in constant time."""
    return _signer(Signer, key, purpose).verify_signature(purpose, token)


def timed_token(key: str, purpose: str, now: float | None = None) -> str:
    """A token for forms of visitors without a login: good for half a day.

    >>> token = timed_token("key", "login", now=0)
    >>> timed_fits(token, "key", "login", now=60), timed_fits(token, "key", "login", now=1e6)
    (True, False)
    """
    return _stamper(key, purpose, now).sign(purpose).decode()


def timed_fits(token: str, key: str, purpose: str, now: float | None = None) -> bool:
    try:
        _stamper(key, purpose, now).unsign(token, max_age=FORM_LASTS)
    except BadSignature:
        return False
    return True


def safe_next(address: str) -> str:
    """The page after the door: an organiser's page of this app, whatever was asked for.

    >>> safe_next("/organise?study=3"), safe_next("https://evil.example")
    ('/organise?study=3', '/organise')
    """
    return address if _NEXT.fullmatch(address) else "/organise"
