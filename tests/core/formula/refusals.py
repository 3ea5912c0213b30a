"""What the reader says of a text that it refuses."""

from __future__ import annotations

import pytest

from eic_core.errors import FormulaError
from eic_core.formula.syntax import read


def refusal(text: object, *, match: str = "", **options: object) -> FormulaError:
    """The error that reading a text ends in; its message holds a match."""
    with pytest.raises(FormulaError, match=match) as caught:
        read(text, **options)
    return caught.value
