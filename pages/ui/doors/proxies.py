"""The proxies that may say who a visitor is: those in `EIC_LAB_TRUSTED_PROXIES`, no other."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable, Mapping
from typing import Any, cast

import uvicorn.config
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

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
    text = environment.get(VARIABLE, "")
    networks = tuple(part.strip() for part in text.split(",") if part.strip())
    for name in networks:
        try:
            ipaddress.ip_network(name, strict=True)
        except ValueError as error:
            raise StudyError(
                f"{VARIABLE} names `{name}`, which is no address and no network",
                hint="write addresses and networks with commas: 127.0.0.1, 10.0.0.0/8",
            ) from error
    return networks


def throttled_origin(address: str) -> str:
    """The address, or the network of one IPv6 home, by which attempts to log in are counted.

    >>> throttled_origin("192.0.2.7"), throttled_origin("2001:db8:1:2:3:4:5:6")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    try:
        host = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if host.version == 4:
        return str(host)
    if host.ipv4_mapped is not None:
        return str(host.ipv4_mapped)
    # One home has a whole /64: its addresses cost nothing.
    return str(ipaddress.ip_network((host, 64), strict=False))


class NamedProxies:
    """ASGI middleware: takes a visitor's address and scheme from these proxies and no other."""

    def __init__(self, app: ASGIApp, proxies: Callable[[], tuple[str, ...]]) -> None:
        self._plain = app
        self._proxies = proxies
        self._reading: ASGIApp | None = None
        self._configured = self._warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._plain(scope, receive, send)
            return
        if not self._configured:
            proxies = self._proxies()
            middleware = ProxyHeadersMiddleware(self._plain, list(proxies))  # type: ignore[arg-type]
            self._reading = cast(ASGIApp, middleware) if proxies else None
            self._configured = True
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
    return app


def ignore_forwarded_headers() -> None:
    """Keep uvicorn from believing 127.0.0.1; call it before the server wraps the app."""
    # It takes X-Forwarded-For from there: where a proxy does not replace that header, or somebody
    # else is on the machine, each attempt to log in would come from another address.
    setattr(uvicorn.config, "ProxyHeadersMiddleware", _as_it_came)  # noqa: B010


KEEP_ALIVE = 75
"""Seconds that a connection is kept for the next request: a rater looks longer than the default."""


def keep_connections() -> None:
    """Keep idle connections open; call it before the first one comes."""
    # Streamlit passes no such setting on, and the server's configuration is made before our app.
    plain = H11Protocol.__init__

    def patient(self: H11Protocol, config: Config, *others: Any, **named: Any) -> None:
        config.timeout_keep_alive = KEEP_ALIVE
        plain(self, config, *others, **named)

    setattr(H11Protocol, "__init__", patient)  # noqa: B010
