"""Where a request comes from, by the browser's own headers; how long an answer may be stored."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

NO_STORE = {"Cache-Control": "no-store"}


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
    return "https" in (request.url.scheme, forwarded)
