"""Rules of special functions: error functions, gamma."""

from __future__ import annotations

from eic_core.rewriting.rules import Rule

SPECIAL_RULES: tuple[Rule, ...] = ()
"""In the order in which they are tried."""
