"""Which proxies may say who a visitor is.

Uvicorn believes ``X-Forwarded-For`` of whoever connects from 127.0.0.1: where a proxy does not
replace that header, or somebody else is on the machine, each attempt to log in comes from another
address.  Here nobody is believed but whom `EIC_LAB_TRUSTED_PROXIES` names.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable, Mapping
from typing import cast

import uvicorn.config
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from study.errors import StudyError

VARIABLE = "EIC_LAB_TRUSTED_PROXIES"
LOG = logging.getLogger("eic_lab.doors")


def trusted_proxies(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Addresses and networks that the environment names.

    Raises `StudyError` if one of them is neither; a host's name is not.

    >>> trusted_proxies({"EIC_LAB_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8"})
    ('127.0.0.1', '10.0.0.0/8')
    >>> trusted_proxies({})
    ()
    """
    said = environment.get(VARIABLE, "")
    named = tuple(part.strip() for part in said.split(",") if part.strip())
    for name in named:
        try:
            ipaddress.ip_network(name, strict=True)
        except ValueError as error:
            raise StudyError(
                f"{VARIABLE} names `{name}`, which is no address and no network",
                hint="write addresses and networks with commas: 127.0.0.1, 10.0.0.0/8",
            ) from error
    return named


def throttled_origin(address: str) -> str:
    """What attempts to log in are counted by: an address, or the network that one IPv6 home has.

    >>> throttled_origin("192.0.2.7"), throttled_origin("2001:db8:1:2:3:4:5:6")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


class NamedProxies:
    """ASGI middleware: takes a visitor's address and scheme from the proxies named, and no other.

    - `proxies`: addresses and networks; asked once, at the first request.
    """

    def __init__(self, app: ASGIApp, proxies: Callable[[], tuple[str, ...]]) -> None:
        self._plain = app
        self._proxies = proxies
        self._reading: ASGIApp | None = None
        self._asked = self._warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] not in ("http", "websocket"):
            await self._plain(scope, receive, send)
            return
        if not self._asked:
            named = self._proxies()
            made = ProxyHeadersMiddleware(self._plain, list(named))  # type: ignore[arg-type]
            self._reading = cast(ASGIApp, made) if named else None
            self._asked = True
        if self._reading is not None:
            await self._reading(scope, receive, send)
            return
        if not self._warned and "x-forwarded-for" in Headers(scope=scope):
            self._warned = True
            peer = scope["client"][0] if scope.get("client") else "somebody"
            LOG.warning(
                "X-Forwarded-For from %s is ignored: if that is your proxy, name it in %s",
                peer,
                VARIABLE,
            )
        await self._plain(scope, receive, send)


def _as_it_came(app: ASGIApp, *_: object, **__: object) -> ASGIApp:
    """In the place of uvicorn's middleware: no middleware."""
    return app


def ignore_forwarded_headers() -> None:
    """Keep uvicorn from believing 127.0.0.1; call it before the server wraps the app."""
    setattr(uvicorn.config, "ProxyHeadersMiddleware", _as_it_came)  # noqa: B010
