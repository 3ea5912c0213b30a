"""Plain HTTP routes beside the pages."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from pages.ui.organising.door_routes import DOOR_ROUTES
from pages.ui.organising.export_routes import EXPORT_ROUTES


async def health(_: Request) -> JSONResponse:
    """Answer 200 while the process serves requests."""
    return JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


ROUTES = [Route("/healthz", health, methods=["GET"]), *DOOR_ROUTES, *EXPORT_ROUTES]
