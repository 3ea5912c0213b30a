"""Says how a validation came out: tables as text, Markdown and CSV, and each aim met or missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from eic_core.exports import Plain, csv_text
from study.statistics.threats.gaps import REMAINS
from study.statistics.validation.alarms import Alarms
from study.statistics.validation.claims import COMPARED, HEADLINE
from study.statistics.validation.outcomes import monte_carlo_error
from study.statistics.validation.running import ValidationRow
from study.statistics.validation.scenarios import HEADING, Scenario

COVERS = (0.93, 0.98)
"""What a 95 % interval may cover."""
REJECTS = 0.06
"""The most that a 5 % test may reject."""
LOOKS = 0.10
"""Of the studies that nothing is wrong with, those that may have a threat to look closer at."""
FIRES = 0.80
"""Of the studies with a planted defect, the least in which an expected threat asks for a look."""
CREDIT = 0.06
"""Of the studies of raters who follow what the eye sees, those that may be told it is EIC."""

MOSTLY = 0.5
"""A design of which a method calls more studies too small is refused: only what it claims in the
others counts, and caution is no fault."""


@dataclass(frozen=True)
class AimVerdict(Plain):
    aim: str
    binding: bool  # Whether missing it fails the validation
    # rows, flagged: rows that were judged, and how many of them are mostly studies called too small
    rows: int
    flagged: int
    range: tuple[float, float]  # The lowest and the highest share of the rows that are not
    outside: tuple[str, ...]  # The rows that miss it, the worst first

    _JSON = ("aim", "binding", "holds", "rows", "flagged", "range", "outside")

    @property
    def holds(self) -> bool:
        return not self.outside

    @property
    def sentence(self) -> str:
        mark = "met   " if self.holds else "MISSED" if self.binding else "note  "
        low, high = (f"{100 * share:.1f}" for share in self.range)
        values = low if low == high else f"{low}–{high}"
        counted = f"{values} %, {self.rows - len(self.outside)} of {self.rows} rows"
        refused = f" ({self.flagged} refused)" if self.flagged else ""
        rows = "".join(f"\n          {row}" for row in self.outside[: None if self.binding else 1])
        return f"{mark} {self.aim}: {counted}{refused}{rows}"


def verdicts(rows: Sequence[ValidationRow], alarms: Sequence[Alarms] = ()) -> list[AimVerdict]:
    """Coverage and size of every interval and test, in the order of the rows; then the alarms."""
    found = []
    for name in dict.fromkeys(row.method for row in rows):
        mine = [row for row in rows if row.method == name]
        found += [
            _judge(mine, f"{name} covers", coverage_excess, lambda row: row.coverage),
            _judge(mine, f"{name} rejects", type_one_excess, lambda row: row.type_one),
        ]
    return [verdict for verdict in found if verdict.rows] + [_alarm(each) for each in alarms]


def coverage_excess(row: ValidationRow) -> float | None:
    """How far the coverage is outside of `COVERS`, beside two Monte-Carlo errors: above 0 misses
    the aim, None if there is no interval. Too low are misses in studies not called too small.
    """
    if row.coverage is None or row.missed_unflagged is None:
        return None
    low, high = COVERS
    count = row.tally.intervals
    short = row.missed_unflagged - (1 - low) - 2 * _error(row.missed_unflagged, count)
    over = row.coverage - high - 2 * _error(row.coverage, count)
    return short if row.flagged > MOSTLY else max(short, over)


def type_one_excess(row: ValidationRow) -> float | None:
    """How far the size of the test is above `REJECTS`, in the same way; caution is no fault."""
    claimed = row.rejected_unflagged
    if claimed is None:
        return None
    return claimed - REJECTS - 2 * _error(claimed, row.tally.tests)


def _error(share: float, count: int) -> float:
    return monte_carlo_error(share, count) or 0.0


def _judge(
    rows: Sequence[ValidationRow],
    aim: str,
    excess: Callable[[ValidationRow], float | None],
    share: Callable[[ValidationRow], float | None],
) -> AimVerdict:
    judged = [(by, row) for row in rows if (by := excess(row)) is not None]
    outside = sorted(((by, row) for by, row in judged if by > 0), key=lambda each: -each[0])
    accepted = [row for _, row in judged if row.flagged <= MOSTLY] or [row for _, row in judged]
    shares = [share(row) or 0.0 for row in accepted]
    named = tuple(
        f"{100 * (share(row) or 0):5.1f} %: {row.scenario.describe}" for _, row in outside
    )
    flagged = sum(row.flagged > MOSTLY for _, row in judged)
    binding = not any(row.method in COMPARED for row in rows)
    ends = (min(shares), max(shares)) if shares else (0.0, 0.0)
    return AimVerdict(aim, binding, len(judged), flagged, ends, named)


def _alarm(found: Alarms) -> AimVerdict:
    """False alarms where nothing is wrong, else whether the defect is seen."""
    if found.structure:
        aim, share, sign = "told that EIC remains", found.answers.get(REMAINS, 0), 1
        limit = CREDIT
    elif found.expected:
        aim, share, sign, limit = "seen by " + " or ".join(found.expected), found.hits, -1, FIRES
    else:
        aim, share, sign, limit = "look closer", found.looks, 1, LOOKS
    rate = share / found.studies
    missed = sign * (rate - limit) > 2 * _error(rate, found.studies)
    named = ", ".join(f"{name} {count}" for name, count in found.by_threat.items()) or "no threat"
    return AimVerdict(
        f"{found.situation}, {aim}",
        True,
        1,
        0,
        (rate, rate),
        (f"of {found.studies}: {named}",) if missed else (),
    )


NOTE = """\
Coverage of 95 % intervals of the rate and rejections of 5 % tests (one-sided), in % ± Monte-Carlo
standard error. "flagged" are the studies that the headline itself calls too small, "width" is that
of its interval, on average. "other problems" is its interval held against the rate of all problems.
  share: of the pairs' variance that is their problem's.  kappa: correlation of votes on a pair.
  rater: correlation of one rater's votes.  uneven: spread of the numbers of votes on the pairs.
  lost: raters who drop out, or whose session does not count."""
COLUMNS = (HEADLINE, "these pairs", *COMPARED)
WIDTH = 16


def text_table(rows: Sequence[ValidationRow]) -> str:
    """One line a scenario of votes alone; a column for each method's coverage."""
    lines = [
        NOTE,
        "",
        f"{HEADING}  {''.join(f'{name:>{WIDTH}}' for name in COLUMNS)}{'rejects':>12}"
        f"{'flagged':>9}{'width':>7}",
    ]
    some = [row for row in rows if not row.scenario.whole]
    for group, members in groupby(some, key=lambda row: row.scenario.group):
        lines += ["", group]
        for scenario, same in groupby(members, key=lambda row: row.scenario):
            by_name = {row.method: row for row in same}
            covered = "".join(
                f"{_cell(by_name[name].coverage, by_name[name].tally.intervals):>{WIDTH}}"
                for name in COLUMNS
            )
            first = by_name[HEADLINE]
            rejected = _cell(first.type_one, first.tally.tests)
            wide = "-" if first.width is None else f"{100 * first.width:.0f}%"
            lines.append(
                f"{scenario.label}  {covered}{rejected:>12}{100 * first.flagged:8.0f}%{wide:>7}"
            )
    return "\n".join(lines)


def _cell(share: float | None, count: int) -> str:
    error = monte_carlo_error(share, count)
    return "-" if share is None or error is None else f"{100 * share:.1f}±{100 * error:.1f}"


def problems_table(rows: Sequence[ValidationRow]) -> str:
    """The designs that declare problems a sample, one line each, in Markdown; "" without any.
    Coverage is the lowest and highest of the design's rows; width and size are those without
    preference.
    """
    mine = [
        row
        for row in rows
        if row.scenario.sampled == "problems" and row.method == HEADLINE and not row.scenario.whole
    ]
    lines = ["| pairs of the problems | covers | rejects | width | |", "|---|---|---|---|---|"]
    for sizes, some in groupby(mine, key=lambda row: row.scenario.model.sizes):
        members = list(some)
        covered = [100 * row.coverage for row in members if row.coverage is not None]
        refused = [row.flagged > MOSTLY for row in members]
        nulls = [row for row in members if row.type_one is not None]
        size = " ".join(f"{100 * (row.type_one or 0):.1f} %" for row in nulls)
        width = " ".join(f"{100 * (row.width or 0):.0f} points" for row in nulls)
        word = "refused" if all(refused) else "refused in part" if any(refused) else "accepted"
        ends = f"{min(covered):.1f}–{max(covered):.1f} %" if covered else "–"
        lines.append(f"| {_sizes(sizes)} | {ends} | {size} | {width} | {word} |")
    return "\n".join(lines) if mine else ""


def _sizes(sizes: Sequence[int]) -> str:
    """Sizes in words.

    >>> _sizes((50, 50, 7, 7, 7))
    '50, 50, 3 of 7'
    """
    runs = [(size, len(list(some))) for size, some in groupby(sizes)]
    return ", ".join(f"{n} of {size}" if n > 2 else ", ".join([str(size)] * n) for size, n in runs)


def printed_table(rows: Sequence[ValidationRow]) -> str:
    """All that a report prints, one line each in Markdown, a column for each design; cells are
    coverage, size and mean width. "" without a whole study.
    """
    mine = [row for row in rows if row.scenario.whole]
    designs = list(dict.fromkeys(row.scenario for row in mine))
    cells = {(row.method, row.scenario): row for row in mine}
    lines = [
        f"| covers; rejects; width | {' | '.join(map(_design, designs))} |",
        "|---" * (1 + len(designs)) + "|",
    ]
    for name in dict.fromkeys(row.method for row in mine):
        values = [_printed(cells.get((name, design))) for design in designs]
        lines.append(f"| {name} | {' | '.join(values)} |")
    return "\n".join(lines) if mine else ""


def _design(scenario: Scenario) -> str:
    model = scenario.model
    fixed = ", problems fixed" if scenario.sampled == "pairs" else ""
    return (
        f"{model.pairs} pairs, {model.problems} {'uneven ' * bool(model.sizes)}problems{fixed}, "
        f"share {model.problem_share:g}, rate {model.preference:g}"
    )


def _printed(row: ValidationRow | None) -> str:
    if row is None or row.coverage is None and row.type_one is None:
        return ""
    values = (
        None if row.coverage is None else f"{100 * row.coverage:.1f} %",
        None if row.type_one is None else f"{100 * row.type_one:.1f} %",
        None if row.width is None else f"{row.width:.2f}",
    )
    return "; ".join(value or "–" for value in values) + " (refused)" * (row.flagged > MOSTLY)


def alarms_table(alarms: Sequence[Alarms]) -> str:
    """One line a situation, in Markdown."""
    lines = [
        "| studies | look closer | by threat, in % | EIC, or what the eye sees? In % |",
        "|---|---|---|---|",
    ]
    for each in alarms:
        named, answers = (
            ", ".join(f"{name} {100 * count / each.studies:.0f}" for name, count in counts.items())
            for counts in (each.by_threat, each.answers)
        )
        looks = f"{100 * each.looks / each.studies:.0f} %"
        lines.append(f"| {each.situation} | {looks} | {named or '–'} | {answers} |")
    return "\n".join(lines) if alarms else ""


def report(
    rows: Sequence[ValidationRow], alarms: Sequence[Alarms], found: Sequence[AimVerdict]
) -> str:
    missed = sum(verdict.binding and not verdict.holds for verdict in found)
    parts = (
        text_table(rows) if any(not row.scenario.whole for row in rows) else "",
        problems_table(rows),
        printed_table(rows),
        alarms_table(alarms),
        "\n".join(verdict.sentence for verdict in found),
        f"{len(found)} aims, {missed} missed: an interval covers {100 * COVERS[0]:.0f} to "
        f"{100 * COVERS[1]:.0f} %, a test rejects {100 * REJECTS:.0f} % at most, beside two "
        "Monte-Carlo errors.",
    )
    return "\n\n".join(filter(None, parts))


def csv_table(rows: Sequence[ValidationRow]) -> str:
    """One line a scenario and method, every column of `ValidationRow.to_json`."""
    values = [row.to_json() for row in rows]
    return csv_text(values[0], (value.values() for value in values))
