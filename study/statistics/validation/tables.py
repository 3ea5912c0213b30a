"""The rows as an aligned text table, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import groupby

from study.statistics.validation.methods import ALPHA, HEADLINE, LEVEL
from study.statistics.validation.running import Row, error_of
from study.statistics.validation.scenarios import HEADING
from study.statistics.validation.verdicts import TOLERANCE, Verdict

SHORT = {
    "Clopper-Pearson": "Clop.-P.", "pair bootstrap": "pair boot", "two-way bootstrap": "2way boot",
    "other problems": "others", "these pairs": "these p.", "Fleiss' kappa": "Fleiss k",
}  # fmt: skip
WIDTH = 11
NOTE = """\
Coverage of 95 % intervals and rejections of one-sided 5 % tests, in % ± Monte-Carlo standard error.
! marks more than 2 points and 2 errors from nominal; "flagged" are the studies that the headline,
two-way, itself calls too small.  "others" is its interval held against the rate of all problems,
not of these.
  share: of the pairs' variance that is their problem's.  kappa: correlation of votes on a pair.
  rater: correlation of one rater's votes.  uneven: spread of the numbers of votes on the pairs.
  lost: raters who drop out, or whose session does not count."""


def text_table(rows: Sequence[Row]) -> str:
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
        f"{HEADING}  {names}  {errors}{'flagged':>9}",
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
            lines.append(f"{scenario.label}  {covered}  {rejected}{flagged}")
    return "\n".join(lines)


def report(rows: Sequence[Row], found: Sequence[Verdict]) -> str:
    """The table and the verdicts."""
    return text_table(rows) + "\n\n" + "\n".join(verdict.sentence for verdict in found)


def csv_table(rows: Sequence[Row]) -> str:
    """One line a scenario and method, every column of `Row.to_json`."""
    out = io.StringIO()
    values = [row.to_json() for row in rows]
    writer = csv.DictWriter(out, list(values[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(values)
    return out.getvalue()


def _first(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.scenario == rows[0].scenario]


def _cell(share: float | None, count: int, nominal: float) -> str:
    error = error_of(share, count)
    if share is None or error is None:
        return "- ".rjust(WIDTH)
    mark = "!" if abs(share - nominal) > TOLERANCE + 2 * error else " "
    return f"{100 * share:.1f}±{100 * error:.1f}{mark}".rjust(WIDTH)
