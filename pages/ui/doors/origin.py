"""Where a request comes from, by the browser's own headers; how long an answer may be stored."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request

NO_STORE = {"Cache-Control": "no-store"}
_PLACES = (("host", "//"), ("origin", ""))
_UTF8 = re.compile(r"charset *= *(utf-?8|\"utf-?8\")(?=[; ]|$)")


def unreadable_header(headers: Headers) -> str | None:
    """The name of a header that whoever reads it would fail at; None if all are fine.

    >>> unreadable_header(Headers({"Origin": "http://["}))
    'origin'
    """
    for name, start in _PLACES:
        for text in headers.getlist(name):
            try:
                _ = urlsplit(start + text).port
            except ValueError:
                return name
    # The name of any codec of Python's would do for a multipart form, such as `undefined`.
    kinds = [_UTF8.sub("", text.lower()) for text in headers.getlist("content-type")]
    return "content-type" if any("charset" in kind for kind in kinds) else None


def from_this_site(request: Request) -> bool:
    """Whether the form of this request stood on a page of ours, by the browser's headers."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    # Our pages send no referrer (`Referrer-Policy`), which makes a form's origin "null": the other
    # header alone tells then.
    if origin == "null":
        return site == "same-origin"
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def is_https(request: Request) -> bool:
    """Whether the browser speaks HTTPS, to us or to a proxy before us."""
    # A forged header gains nothing: the cookie then works over HTTPS only.
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    return "https" in (request.scope["scheme"], forwarded)
