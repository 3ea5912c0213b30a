"""Tokens that a form carries, so that no other site can send it in the organiser's name."""

from __future__ import annotations

import hashlib
import hmac
import re
import time

FORM_LASTS = 12 * 3600
_NEXT = re.compile(r"/organise(\?[A-Za-z0-9=&_-]{0,200})?")


def form_token(key: str, purpose: str) -> str:
    """What the forms of one login carry for one purpose.

    Parameters
    ----------
    key : str
        The login's own secret: what the HttpOnly cookie holds.
    purpose : str

    Examples
    --------
    >>> form_token("secret", "logout") == form_token("secret", "export")
    False
    """
    return hmac.new(key.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def form_fits(token: str, key: str, purpose: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(token.encode(), form_token(key, purpose).encode())


def timed_token(key: str, purpose: str, now: float | None = None) -> str:
    """For forms of visitors who have no login yet: good for half a day.

    Examples
    --------
    >>> token = timed_token("key", "login", now=0)
    >>> timed_fits(token, "key", "login", now=60), timed_fits(token, "key", "login", now=1e6)
    (True, False)
    """
    stamp = str(int(time.time() if now is None else now))
    return f"{stamp}.{form_token(key, f'{purpose} {stamp}')}"


def timed_fits(token: str, key: str, purpose: str, now: float | None = None) -> bool:
    """Whether a timed token is ours and not too old."""
    stamp, _, rest = token.partition(".")
    if not (stamp.isascii() and stamp.isdecimal() and len(stamp) < 15):
        return False
    age = (time.time() if now is None else now) - int(stamp)
    return -60 <= age <= FORM_LASTS and form_fits(rest, key, f"{purpose} {stamp}")


def safe_next(address: str) -> str:
    """Where to go after the door: an organiser's page of this app, whatever was asked for.

    Examples
    --------
    >>> safe_next("/organise?study=3"), safe_next("https://evil.example")
    ('/organise?study=3', '/organise')
    """
    return address if _NEXT.fullmatch(address) else "/organise"
