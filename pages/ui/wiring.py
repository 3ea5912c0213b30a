"""The composition root: the one place where services are built."""

from __future__ import annotations

from functools import cache

from pages.ui.service import BoundedCache, InspectorService


@cache
def inspector_service() -> InspectorService:
    """The service behind the inspector, one for the process."""
    return InspectorService()


@cache
def figure_cache() -> BoundedCache:
    """Finished figures by value, one for the process; holds a few hundred."""
    return BoundedCache(capacity=300)
