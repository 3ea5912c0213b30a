"""What is said of a list that is refused."""

from __future__ import annotations

import pytest

from eic_core.errors import DataError
from eic_core.pool.importers import import_formulas


def refusal(data: str | bytes, *, match: str = "", **options: str) -> DataError:
    """The error that importing a list ends in; its message holds a match."""
    with pytest.raises(DataError, match=match) as caught:
        import_formulas(data, **options)
    return caught.value
