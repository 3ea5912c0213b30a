"""Playwright looks again where a name stands for two elements, as long as for one that is missing.

While a script runs, Streamlit keeps what the run before had drawn: an element that moves on the
page is there twice for some milliseconds, the old one and the new.  Playwright waits for an element
that is not there yet, and fails at once at two.  Two that stay still fail, after `PATIENCE`.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Error, Locator, LocatorAssertions

AMBIGUOUS = "strict mode violation"


def waits_for_one(method: Callable[..., Any], milliseconds: float) -> Callable[..., Any]:
    """The method, tried again while what it is called on is two elements."""

    @functools.wraps(method)
    def patient(self: Any, *arguments: Any, **named: Any) -> Any:
        end = time.monotonic() + milliseconds / 1000
        while True:
            try:
                return method(self, *arguments, **named)
            except (Error, AssertionError) as error:
                if AMBIGUOUS not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.1)

    return patient


def install(milliseconds: float) -> None:
    """Let every action on an element, and everything expected of one, wait so long for one."""
    for kind in (Locator, LocatorAssertions):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and not hasattr(method, "__wrapped__"):
                setattr(kind, name, waits_for_one(method, milliseconds))
