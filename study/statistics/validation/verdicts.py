"""Says how a validation came out: a table as text and CSV, and each aim met or missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from eic_core.exports import PlainAtLevel, csv_text
from study.statistics.validation.running import (
    ALPHA,
    HEADLINE,
    LEVEL,
    ValidationRow,
    monte_carlo_error,
)
from study.statistics.validation.scenarios import HEADING

TOLERANCE = 0.02
"""How far a share may be from nominal, beside two Monte-Carlo errors."""

MOSTLY = 0.5
"""A row with a larger share of studies called too small may be too cautious."""

SHOWN = 3
"""Rows outside that are named for the methods that are there for comparison: the worst."""


@dataclass(frozen=True)
class AimVerdict(PlainAtLevel):
    aim: str
    binding: bool  # Whether missing it fails the validation
    # rows, flagged: rows that were judged, and how many of them are mostly studies called too small
    rows: int
    flagged: int
    outside: tuple[str, ...]  # The rows that miss it, the worst first

    _JSON = ("aim", "binding", "holds", "rows", "flagged", "outside")

    @property
    def holds(self) -> bool:
        return not self.outside

    @property
    def sentence(self) -> str:
        mark = "ok  " if self.holds else "MISS" if self.binding else "note"
        said = f"{mark}  {self.aim}: {self.rows - len(self.outside)} of {self.rows} rows"
        if self.flagged:
            said += f" ({self.flagged} are mostly studies called too small)"
        shown = self.outside if self.binding else self.outside[:SHOWN]
        return said + "".join(f"\n        {row}" for row in shown)


def verdicts(rows: Sequence[ValidationRow]) -> list[AimVerdict]:
    """The aims: the headline binds, the others are there for comparison."""
    points = f"within {TOLERANCE * 100:g} points"
    others = [name for name in dict.fromkeys(row.method.name for row in rows) if name != HEADLINE]
    found = []
    for name in (HEADLINE, *others):
        mine = [row for row in rows if row.method.name == name]
        binding = name == HEADLINE
        found.append(_judge(mine, f"{name} covers 95 %, {points}", binding, coverage_excess))
        found.append(_judge(mine, f"{name} rejects 5 %, {points}", binding, type_one_excess))
    return [verdict for verdict in found if verdict.rows]


def coverage_excess(row: ValidationRow) -> float | None:
    """How far the coverage is outside: above 0 misses the aim, None if there is no interval. Too
    low are misses in studies not called too small; too high is no fault where most are called so.
    """
    if row.coverage is None or row.missed_unflagged is None:
        return None
    return _excess(row, 1 - LEVEL, row.missed_unflagged, 1 - row.coverage, row.tally.intervals)


def type_one_excess(row: ValidationRow) -> float | None:
    """How far the type-I error is outside, in the same way."""
    if row.type_one is None or row.rejected_unflagged is None:
        return None
    return _excess(row, ALPHA, row.rejected_unflagged, row.type_one, row.tally.tests)


def _excess(
    row: ValidationRow, nominal: float, unflagged: float, overall: float, count: int
) -> float:
    above = unflagged - nominal - TOLERANCE - 2 * (monte_carlo_error(unflagged, count) or 0.0)
    below = nominal - overall - TOLERANCE - 2 * (monte_carlo_error(overall, count) or 0.0)
    return above if row.flagged > MOSTLY else max(above, below)


def _judge(
    rows: Sequence[ValidationRow],
    aim: str,
    binding: bool,
    excess: Callable[[ValidationRow], float | None],
) -> AimVerdict:
    judged = [(by, row) for row in rows if (by := excess(row)) is not None]
    outside = sorted(((by, row) for by, row in judged if by > 0), key=lambda found: -found[0])
    flagged = sum(row.flagged > MOSTLY for _, row in judged)
    named = tuple(f"{_shown(row, excess):5.1f} %: {row.scenario.describe}" for _, row in outside)
    return AimVerdict(aim, binding, len(judged), flagged, named)


def _shown(row: ValidationRow, excess: Callable[[ValidationRow], float | None]) -> float:
    return 100 * ((row.coverage if excess is coverage_excess else row.type_one) or 0.0)


SHORT = {
    "CR2, Satterthwaite": "CR2 Satt.",
    "wild bootstrap": "wild boot",
    "Clopper-Pearson": "Clop.-P.",
    "pair bootstrap": "pair boot",
    "two-way bootstrap": "2way boot",
    "other problems": "others",
    "these pairs": "these p.",
    "Fleiss' kappa": "Fleiss k",
}
WIDTH = 11
NOTE = """\
Coverage of 95 % intervals and rejections of one-sided 5 % tests, in % ± Monte-Carlo standard error.
! marks more than 2 points and 2 errors from nominal; "flagged" are the studies that the headline,
two-way, itself calls too small, and "width" is that of its interval, on average.  "others" is its
interval held against the rate of all problems, not of these.
  share: of the pairs' variance that is their problem's.  kappa: correlation of votes on a pair.
  rater: correlation of one rater's votes.  uneven: spread of the numbers of votes on the pairs.
  lost: raters who drop out, or whose session does not count."""


def text_table(rows: Sequence[ValidationRow]) -> str:
    """One line a scenario; a column for each method's coverage, then for each type-I error."""
    cover = [row.method.name for row in _first(rows) if row.method.has_interval]
    tests = [row.method.name for row in _first(rows) if row.method.has_test]
    names = "".join(f"{SHORT.get(name, name):>{WIDTH}}" for name in cover)
    errors = "".join(f"{SHORT.get(name, name):>{WIDTH}}" for name in tests)
    gap = " " * len(HEADING)
    lines = [
        NOTE,
        "",
        f"{gap}  {'coverage':-^{WIDTH * len(cover)}}  {'type-I error':-^{WIDTH * len(tests)}}",
        f"{HEADING}  {names}  {errors}{'flagged':>9}{'width':>7}",
    ]
    for group, members in groupby(rows, key=lambda row: row.scenario.group):
        lines += ["", group]
        for scenario, some in groupby(members, key=lambda row: row.scenario):
            by_name = {row.method.name: row for row in some}
            covered = "".join(
                _cell(by_name[name].coverage, by_name[name].tally.intervals, LEVEL)
                for name in cover
            )
            rejected = "".join(
                _cell(by_name[name].type_one, by_name[name].tally.tests, ALPHA) for name in tests
            )
            flagged = f"{100 * by_name[HEADLINE].flagged:8.0f}%"
            width = by_name[HEADLINE].width
            wide = f"{100 * width:6.0f}%" if width is not None else f"{'-':>7}"
            lines.append(f"{scenario.label}  {covered}  {rejected}{flagged}{wide}")
    return "\n".join(lines)


COMPARED = (HEADLINE, "CR2, Satterthwaite", "wild bootstrap")


def problems_table(rows: Sequence[ValidationRow]) -> str:
    """The designs that declare problems a sample, one line each, in Markdown; "" without any.
    Coverage is the lowest and highest of the design's rows; width and type-I error are those
    without preference.
    """
    mine = [row for row in rows if row.scenario.sampled == "problems"]
    lines = [
        "| pairs of the problems | headline: covers, rejects, width | CR2, Satterthwaite degrees "
        "| wild cluster bootstrap | |",
        "|---|---|---|---|---|",
    ]
    for sizes, some in groupby(mine, key=lambda row: row.scenario.model.sizes):
        members = list(some)
        cells = [_compared([row for row in members if row.method.name == n]) for n in COMPARED]
        refused = [row.flagged > MOSTLY for row in members if row.method.name == HEADLINE]
        said = "refused" if all(refused) else "refused in part" if any(refused) else "accepted"
        lines.append(f"| {_sizes(sizes)} | {' | '.join(cells)} | {said} |")
    return "\n".join(lines) if mine else ""


def _compared(rows: Sequence[ValidationRow]) -> str:
    covered = [100 * row.coverage for row in rows if row.coverage is not None]
    rejected = [100 * row.type_one for row in rows if row.type_one is not None]
    wide = [row.width for row in rows if row.width is not None and row.scenario.null]
    said = (
        f"{min(covered):.1f}–{max(covered):.1f} %" if covered else "",
        f"{max(rejected):.1f} %" if rejected else "",
        f"{100 * max(wide):.0f} points" if wide else "",
    )
    return ", ".join(filter(None, said)) or "–"


def _sizes(sizes: Sequence[int]) -> str:
    """Sizes in words.

    >>> _sizes((50, 50, 7, 7, 7))
    '50, 50, 3 of 7'
    """
    runs = [(size, len(list(some))) for size, some in groupby(sizes)]
    return ", ".join(f"{n} of {size}" if n > 2 else ", ".join([str(size)] * n) for size, n in runs)


def report(rows: Sequence[ValidationRow], found: Sequence[AimVerdict]) -> str:
    return text_table(rows) + "\n\n" + "\n".join(verdict.sentence for verdict in found)


def csv_table(rows: Sequence[ValidationRow]) -> str:
    """One line a scenario and method, every column of `ValidationRow.to_json`."""
    values = [row.to_json() for row in rows]
    return csv_text(values[0], (value.values() for value in values))


def _first(rows: Sequence[ValidationRow]) -> list[ValidationRow]:
    return [row for row in rows if row.scenario == rows[0].scenario]


def _cell(share: float | None, count: int, nominal: float) -> str:
    error = monte_carlo_error(share, count)
    if share is None or error is None:
        return "- ".rjust(WIDTH)
    mark = "!" if abs(share - nominal) > TOLERANCE + 2 * error else " "
    return f"{100 * share:.1f}±{100 * error:.1f}{mark}".rjust(WIDTH)
