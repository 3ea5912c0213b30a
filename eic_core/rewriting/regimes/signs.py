"""Exact forms that are the formula where an input, product or quotient has one sign."""

from __future__ import annotations

from eic_core.rewriting.regimes.option import Option
from eic_core.rewriting.searched import Searched


def sign_options(searched: Searched) -> list[Option]:
    return []
