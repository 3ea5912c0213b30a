"""What a browser sends to our forms, read in one way."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from pages.ui.doors.origin import NO_STORE

MAX_BODY = 20_000
"""Bytes of a form; none of ours comes near."""
_MAX_FIELDS = 12


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, of several with one name the last.

    Raises `HTTPException`, which is our answer, and starlette's `ClientDisconnect` if the browser
    leaves before it has sent all that it announced.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(413, "Too much.\n", NO_STORE)
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise HTTPException(400, "No form.\n", NO_STORE) from None
    # No database stores a NUL in a text.
    return {name: value.replace("\0", " ") for name, value in fields}


def number_in(text: str) -> int:
    """A whole number of an address; 0, which nothing has, for any other text.

    >>> number_in("12"), number_in("-1"), number_in("9" * 5000)
    (12, 0, 0)
    """
    return int(text) if text.isdecimal() and len(text) < 16 else 0
