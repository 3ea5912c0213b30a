"""Two formulas in one sentence, and in a small table of differences."""

from __future__ import annotations

import math
from dataclasses import dataclass

from eic_core.drawing.scale import digits_text
from eic_core.measure import Inspection
from eic_core.measure.fit import fit_of
from pages.ui.text import number

SAME_DIGITS = 0.05
"""EICs closer than this are called the same."""

SAME_FIT = 0.05
"""Errors 1 - R^2 that differ by less than this share are called the same."""

_FLOOR = 1e-9
"""Errors 1 - R^2 below this are rounding."""


@dataclass(frozen=True)
class Difference:
    """One line of the table: a quantity of A, of B, and B minus A; HTML-free text."""

    name: str
    a: str
    b: str
    change: str


def r2_of(inspection: Inspection) -> float:
    """R^2 on the samples' target; nan without one."""
    return math.nan if inspection.samples.target is None else fit_of(inspection).r2


def pair_sentence(a: Inspection, b: Inspection) -> str:
    """Which of two formulas keeps more digits, and what that costs in fit and nodes.

    Parameters
    ----------
    a, b : Inspection
        On the same data.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> a, b = (inspect(read(t).formula, samples) for t in ("10000*x-9999*x", "x"))
    >>> pair_sentence(a, b)
    'B loses 4.4 digits less than A, with 6 nodes fewer.'
    """
    if math.isnan(a.eic) or math.isnan(b.eic):
        who = "Neither formula has" if math.isnan(a.eic) and math.isnan(b.eic) else (
            "A has" if math.isnan(a.eic) else "B has"
        )  # fmt: skip
        end = "a real value" if who.startswith("Neither") else "no real value"
        return f"{who} {end} on these data, so they cannot be compared."
    return f"{_digits(a.eic, b.eic)}{_fit(r2_of(a), r2_of(b))}{_size(a, b)}."


def _digits(a: float, b: float) -> str:
    if math.isinf(a) and math.isinf(b):
        return "Both lose every digit at some sample"
    if math.isinf(a) or math.isinf(b):
        safe, lost = ("B", "A") if math.isinf(a) else ("A", "B")
        return f"{lost} loses every digit at some sample, {safe} {digits_text(min(a, b))}"
    if abs(a - b) < SAME_DIGITS:
        return f"Both lose {number(b, 1)} digits"
    if b < a:
        return f"B loses {number(a - b, 1)} digits less than A"
    return f"B loses {number(b - a, 1)} digits more than A"


def _fit(a: float, b: float) -> str:
    if math.isnan(a) and math.isnan(b):
        return ""
    if math.isnan(a) or math.isnan(b):
        which = "A" if math.isnan(a) else "B"
        return f"; {which} has no R², as it has no value at some row"
    worse, better = max(1 - a, _FLOOR), max(1 - b, _FLOOR)
    shown = f"(R² {_r2(b)} against {_r2(a)})"
    if abs(better - worse) <= SAME_FIT * max(worse, better):
        return f", at the same accuracy {shown}"
    return f", and fits {'better' if b > a else 'worse'} {shown}"


def _r2(value: float) -> str:
    missing = 1 - value
    if missing < _FLOOR:
        return "1"
    return number(value, 3 if missing > 0.01 else 1 - math.floor(math.log10(missing)))


def _size(a: Inspection, b: Inspection) -> str:
    more = b.formula.complexity - a.formula.complexity
    if not more:
        return f", with {b.formula.complexity} nodes each"
    plural = "s" if abs(more) > 1 else ""
    return f", with {abs(more)} node{plural} {'more' if more > 0 else 'fewer'}"


def differences(a: Inspection, b: Inspection) -> tuple[Difference, ...]:
    """The lines of the table, those that say nothing left out."""
    rows = [_row("EIC, digits lost", a.eic, b.eic)]
    if math.isinf(a.eic) or math.isinf(b.eic):
        rows.append(_row("EIC, finite", a.eic_finite, b.eic_finite))
    rows.append(_row("Noise figure, dB", a.noise_figure_db, b.noise_figure_db, 0))
    rows.append(_row("Nodes", a.formula.complexity, b.formula.complexity, 0))
    if a.samples.target is not None or b.samples.target is not None:
        first, second = r2_of(a), r2_of(b)
        rows.append(
            Difference("R²", _shown_r2(first), _shown_r2(second), _change(first, second, 5))
        )
    if a.counts.invalid or b.counts.invalid:
        rows.append(_row("Samples without a value", a.counts.invalid, b.counts.invalid, 0))
    rows.append(
        Difference("Bottleneck", a.nodes[a.bottleneck].text, b.nodes[b.bottleneck].text, "")
    )
    return tuple(rows)


def _shown_r2(value: float) -> str:
    return "—" if math.isnan(value) else _r2(value)


def _row(name: str, a: float, b: float, digits: int = 2) -> Difference:
    return Difference(name, number(a, digits), number(b, digits), _change(a, b, digits))


def _change(a: float, b: float, digits: int) -> str:
    if not (math.isfinite(a) and math.isfinite(b)):
        return "—"
    if round(abs(b - a), digits) == 0:
        return "0"
    change = number(b - a, digits)
    return change if b <= a else f"+{change}"
