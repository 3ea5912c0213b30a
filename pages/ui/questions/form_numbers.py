"""What is said of every form beside the formula: its numbers, its steps and its series."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eic_core import wording
from eic_core.drawing.scale import THEMES
from eic_core.explain.judgement import VerdictNumbers
from eic_core.measure.measured import MeasuredLoss
from eic_core.report.error_curves import TINTS
from eic_core.report.rulers import letters
from eic_core.rewriting import (
    Branch,
    Measured,
    ObservedError,
    RepairStep,
    Series,
)
from eic_core.rewriting.phrases import (
    NUMBER_NAMES,
    bound_text,
    number_cells,
    numbers_caption,
    precision_name,
)
from pages.ui.kit.browser import is_dark
from pages.ui.kit.text import escape


def numbers_table(written: VerdictNumbers, instead: VerdictNumbers) -> str:
    """What both forms lose, in the rows of the screen: what the page says of each on its own."""
    table = _two_rows(NUMBER_NAMES, number_cells(written), number_cells(instead))
    return f'{table}<p class="eic-quiet">{numbers_caption(written)}.</p>'


def further_numbers(before: Measured, after: Measured) -> str:
    """The nodes of both forms, and what they lose in the other precision."""
    rows = wording.count(before.elsewhere.rows, "row")
    names = "nodes", f"{precision_name(before.elsewhere.precision)}, mean of {rows}"
    cells = (
        (f"{measured.complexity:,}", _observed(measured.elsewhere)) for measured in (before, after)
    )
    return _two_rows(names, *cells)


def _two_rows(names: Sequence[str], written: Sequence[str], instead: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, cells in (("as written", written), ("instead", instead))
    )
    return f'<table class="eic-repair"><tr><th></th>{head}</tr>{rows}</table>'


def _observed(error: ObservedError) -> str:
    if error.failed:
        return f"no value at {error.failed:,}"
    return wording.number(error.mean_digits_lost, 1)


def steps_html(
    steps: Sequence[RepairStep], branches: Sequence[Branch], as_written: MeasuredLoss
) -> str:
    """Each step, and the digits that the whole formula loses after it; branch by branch of a form
    that chooses.
    """
    rows = wording.count(as_written.rows, "row")
    lost = (
        f"As written {wording.number(as_written.mean, 1)} digits are lost in the mean over {rows}."
    )
    if not branches:
        return f'<p class="eic-quiet">{lost} After each step:</p>{_steps(steps)}'
    first = f"{lost} After each step of a branch, over all rows:"
    parts = "".join(
        f'<p class="eic-branch">{letter_html(place, len(branches))} {condition_html(branch)}</p>'
        f"{_steps_of(branch)}"
        for place, branch in enumerate(branches)
    )
    return f'<p class="eic-quiet">{first}</p>{parts}'


def _steps_of(branch: Branch) -> str:
    steps = _steps(branch.steps) if branch.steps else ""
    if branch.series is not None:
        return f'{steps}<p class="eic-series">{series_html(branch.series)}</p>'
    return steps or '<p class="eic-series">The formula as written.</p>'


def _steps(steps: Sequence[RepairStep]) -> str:
    items = "".join(
        f"<li><b>{escape(step.rule)}</b>: <code>{escape(step.before)}</code> → "
        f"<code>{escape(step.after)}</code>{needing(step.assumptions)}{_after(step)}</li>"
        for step in steps
    )
    return f'<ol class="eic-steps">{items}</ol>'


def _after(step: RepairStep) -> str:
    if math.isnan(step.digits):
        return ""
    return f'<span class="eic-after">{wording.number(step.digits, 1)} digits lost</span>'


def needing(assumptions: tuple[str, ...]) -> str:
    return f", needs {escape(', '.join(assumptions))}" if assumptions else ""


# --- branches and series ---


def letter_html(place: int, count: int) -> str:
    """The name of a branch in the colour of its region."""
    tint = getattr(THEMES[is_dark()], TINTS[place % len(TINTS)])
    letter = letters(count)[place]
    return f'<span class="eic-letter" style="background:{tint}40">{letter}</span>'


def condition_html(branch: Branch) -> str:
    if not branch.condition:
        return "otherwise"
    return f"where <code>{escape(branch.condition, 1000)}</code>"


_KINDS = {"taylor": "Taylor polynomial", "laurent": "Laurent series"}
_POINTS = {"inf": "infinity", "-inf": "minus infinity"}


def series_brief(series: Series) -> str:
    """Of what, where, and within what: "series in x at 0, to within 1.1·10⁻¹⁶ (proved)"."""
    bound = bound_text(series.bound)
    return (
        f"series in <code>{escape(series.variable)}</code> at {_point(series)}, to within "
        f"{bound} (proved)"
    )


def _point(series: Series) -> str:
    return _POINTS.get(series.point, escape(series.point))


def series_html(series: Series) -> str:
    """The term, what stands for it, and how near it is where, in plain words."""
    variable = f"<code>{escape(series.variable)}</code>"
    if series.point in _POINTS:
        distance = f"1/{variable}"
    elif series.point == "0":
        distance = variable
    else:
        distance = f"{variable} less {_point(series)}"
    replaced, written = (escape(text, 1000) for text in (series.replaced, series.written))
    return (
        f"<code>{replaced}</code> → <code>{written}</code>, its {_KINDS[series.kind]} in "
        f"{variable} at {_point(series)}. The first power of {distance} that is left out is the "
        f"{_ordinal(series.order)}. Proved: it differs from the term by at most "
        f"{bound_text(series.bound)} relatively, {box_text(series)}."
    )


def box_text(series: Series) -> str:
    """Where the bound holds, as HTML."""
    inputs = [
        f"<code>{escape(side.name)}</code> from {wording.significant(side.low)} to "
        f"{wording.significant(side.high)}"
        for side in series.box
    ]
    return f"for {wording.join(inputs)}" if inputs else "at all inputs"


def _ordinal(number: int) -> str:
    """A number in its order.

    >>> [_ordinal(k) for k in (1, 2, 3, 4, 11, 21)]
    ['1st', '2nd', '3rd', '4th', '11th', '21st']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"
