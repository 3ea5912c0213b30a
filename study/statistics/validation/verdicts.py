"""Says how a validation came out: tables in Markdown and CSV, and each aim met or missed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from eic_core.exports import Plain, csv_text
from study.statistics.validation.alarms import ANSWERS, GROWS, Alarms
from study.statistics.validation.claims import COMPARED, HEADLINE
from study.statistics.validation.outcomes import Tally, monte_carlo_error
from study.statistics.validation.running import ValidationRow

COVERS = (0.93, 0.98)
"""What a 95 % interval may cover."""
REJECTS = 0.06
"""The most that a 5 % test may reject."""
LOOKS = 0.10
"""Of the studies that nothing is wrong with, those that may have a threat to look closer at."""
FIRES = 0.80
"""The least part of the studies that should be told what is expected of them."""
BREACHES = 0.06
"""The most that may be told what is barred, as that EIC remains where raters follow looks."""
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
        counted = f"{_percent(self.range)}, {self.rows - len(self.outside)} of {self.rows} rows"
        refused = f" ({self.flagged} refused)" if self.flagged else ""
        rows = "".join(f"\n          {row}" for row in self.outside[: None if self.binding else 1])
        return f"{mark} {self.aim}: {counted}{refused}{rows}"


def verdicts(rows: Sequence[ValidationRow], alarms: Sequence[Alarms] = ()) -> list[AimVerdict]:
    """Coverage and size of every interval and test, in the order of the rows, each design alone and
    those of whole studies together; then what studies with and without a fault were told.
    """
    by_method = [
        verdict
        for name in dict.fromkeys(row.method for row in rows)
        for verdict in _of_method(name, [row for row in rows if row.method == name])
    ]
    return by_method + [_verdict(found, each) for found in alarms for each in _aims(found)]


def coverage_excess(tally: Tally) -> float | None:
    """How far the coverage is outside of `COVERS`, beside two Monte-Carlo errors: above 0 misses
    the aim, None if there is no interval. Too low are misses in studies not called too small.
    """
    if tally.coverage is None or tally.missed is None:
        return None
    low, high = COVERS
    short = tally.missed - (1 - low) - 2 * _error(tally.missed, tally.intervals)
    over = tally.coverage - high - 2 * _error(tally.coverage, tally.intervals)
    return short if tally.flagged_part > MOSTLY else max(short, over)


def type_one_excess(tally: Tally) -> float | None:
    """How far the size of the test is above `REJECTS`, in the same way; caution is no fault."""
    if tally.claimed is None:
        return None
    return tally.claimed - REJECTS - 2 * _error(tally.claimed, tally.tests)


def _error(share: float, count: int) -> float:
    return monte_carlo_error(share, count) or 0.0


def _of_method(name: str, rows: Sequence[ValidationRow]) -> Iterator[AimVerdict]:
    designs = [(row.scenario.describe, row.tally) for row in rows]
    whole = [row.tally for row in rows if row.scenario.whole]
    if len(whole) > 1:
        designs.append(("all whole studies", sum(whole, Tally())))
    binding = name not in COMPARED
    for aim, excess, share in (
        (_covers(name), coverage_excess, lambda tally: tally.coverage),
        (_rejects(name), type_one_excess, lambda tally: tally.type_one),
    ):
        judged = _judge(designs, aim, excess, share, binding=binding)
        if judged.rows:
            yield judged


def _covers(name: str) -> str:
    return f"{name} covers"


def _rejects(name: str) -> str:
    return f"{name} rejects"


def _judge(
    designs: Iterable[tuple[str, Tally]],
    aim: str,
    excess: Callable[[Tally], float | None],
    share: Callable[[Tally], float | None],
    *,
    binding: bool,
) -> AimVerdict:
    judged = [
        (by, share(tally) or 0.0, tally.flagged_part > MOSTLY, name)
        for name, tally in designs
        if (by := excess(tally)) is not None
    ]
    accepted = [value for _, value, refused, _ in judged if not refused]
    shares = accepted or [value for _, value, _, _ in judged] or [0.0]
    return AimVerdict(
        aim,
        binding,
        len(judged),
        sum(refused for _, _, refused, _ in judged),
        (min(shares), max(shares)),
        tuple(
            f"{100 * value:5.1f} %: {name}"
            for by, value, _, name in sorted(judged, key=lambda each: -each[0])
            if by > 0
        ),
    )


@dataclass(frozen=True)
class _Aim:
    """What is asked of the studies of a situation, and how many of them were told so."""

    words: str
    count: int
    limit: float
    at_least: bool = False

    @property
    def limit_words(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {100 * self.limit:.0f} %"


def _aims(found: Alarms) -> Iterator[_Aim]:
    situation = found.situation
    if situation.expected:
        yield _Aim(" or ".join(situation.expected), found.hits, FIRES, at_least=True)
    if situation.barred:
        yield _Aim(" or ".join(situation.barred), found.breaches, BREACHES)
    if situation.faultless and situation.screened:
        yield _Aim("any threat", found.looks, LOOKS)


def _verdict(found: Alarms, aim: _Aim) -> AimVerdict:
    rate = aim.count / found.studies
    off = aim.limit - rate if aim.at_least else rate - aim.limit
    missed = off > 2 * _error(rate, found.studies)
    return AimVerdict(
        f"{found.situation.name}, {aim.words} {aim.limit_words}",
        True,
        1,
        0,
        (rate, rate),
        (f"of {found.studies}: {_parts(found, found.by_threat)}",) if missed else (),
    )


def _parts(found: Alarms, counts: Mapping[str, int]) -> str:
    parts = (f"{name} {100 * count / found.studies:.0f}" for name, count in counts.items())
    return ", ".join(parts) or "–"


def designs_table(rows: Sequence[ValidationRow]) -> str:
    """The headline in designs of votes alone: a line for each group, and for each of the problems'
    sizes where they are uneven. Coverage and width are the lowest and highest of the rows, size and
    width those without preference where there are some.
    """
    lines = _head(
        "design", "covers", "rejects", "width", "", *(f"{name} covers" for name in COMPARED)
    )
    some = [row for row in rows if not row.scenario.whole]
    for name, members in groupby(some, key=_design):
        by_method: dict[str, list[ValidationRow]] = {}
        for row in members:
            by_method.setdefault(row.method, []).append(row)
        mine = by_method[HEADLINE]
        nulls = [row for row in mine if row.tally.type_one is not None]
        refused = [row.tally.flagged_part > MOSTLY for row in mine]
        lines.append(
            _line(
                name,
                _percent(row.tally.coverage for row in mine),
                _percent(row.tally.type_one for row in nulls),
                _percent((row.tally.mean_width for row in nulls or mine), "points", digits=0),
                "refused" if all(refused) else "refused in part" if any(refused) else "accepted",
                *(_percent(row.tally.coverage for row in by_method[each]) for each in COMPARED),
            )
        )
    return "\n".join(lines) if some else ""


def _design(row: ValidationRow) -> str:
    """The pairs of the problems in words where they are declared a sample, else the group."""
    sizes = row.scenario.model.sizes
    if not sizes:
        return row.scenario.group
    runs = [(size, len(list(some))) for size, some in groupby(sizes)]
    return ", ".join(f"{n} of {size}" if n > 2 else ", ".join([str(size)] * n) for size, n in runs)


def printed_table(rows: Sequence[ValidationRow], found: Sequence[AimVerdict]) -> str:
    """All that a report prints, one line each: the lowest and highest coverage, size and mean width
    of the designs of whole studies.
    """
    whole = [row for row in rows if row.scenario.whole]
    missed = {verdict.aim for verdict in found if not verdict.holds}
    lines = _head("interval or test", "covers", "rejects", "width", "")
    for name in dict.fromkeys(row.method for row in whole):
        tallies = [row.tally for row in whole if row.method == name]
        refused = all(tally.flagged_part > MOSTLY for tally in tallies)
        met = missed.isdisjoint((_covers(name), _rejects(name)))
        lines.append(
            _line(
                name,
                _percent(tally.coverage for tally in tallies),
                _percent(tally.type_one for tally in tallies),
                _ends((tally.mean_width for tally in tallies), 2),
                ("refused, " if refused else "") + ("met" if met else "missed"),
            )
        )
    return "\n".join(lines) if whole else ""


def alarms_table(alarms: Sequence[Alarms]) -> str:
    """What studies with and without a fault were told, in %."""
    lines = _head("studies", "asked", "told so", "look closer", "what the eye sees", "lost votes")
    for found in alarms:
        aims = list(_aims(found))
        lines.append(
            _line(
                found.situation.name,
                "; ".join(f"{aim.words} {aim.limit_words}" for aim in aims),
                "; ".join(f"{100 * aim.count / found.studies:.0f} %" for aim in aims),
                _parts(found, found.by_threat),
                _parts(found, found.answers),
                _parts(found, found.others),
            )
        )
    return "\n".join(lines) if alarms else ""


def answers_table(alarms: Sequence[Alarms]) -> str:
    """How often each answer to "is it EIC, or what the eye sees?" was given."""
    lines = _head("preference", *ANSWERS, GROWS)
    for found in alarms:
        counts = found.answers | found.others
        shares = (100 * counts.get(name, 0) / found.studies for name in (*ANSWERS, GROWS))
        lines.append(_line(found.situation.name, *(f"{share:.1f} %" for share in shares)))
    return "\n".join(lines) if alarms else ""


def _head(*names: str) -> list[str]:
    return [_line(*names), "|---" * len(names) + "|"]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _percent(shares: Iterable[float | None], unit: str = "%", digits: int = 1) -> str:
    ends = _ends((None if share is None else 100 * share for share in shares), digits)
    return f"{ends} {unit}" if ends else "–"


def _ends(values: Iterable[float | None], digits: int) -> str:
    """The lowest and the highest; "" without any.

    >>> _ends([0.3, None, 0.25], 2), _ends([0.5], 1)
    ('0.25–0.30', '0.5')
    """
    some = [value for value in values if value is not None]
    return (
        "–".join(dict.fromkeys(f"{end:.{digits}f}" for end in (min(some), max(some))))
        if some
        else ""
    )


def report(
    rows: Sequence[ValidationRow], alarms: Sequence[Alarms], found: Sequence[AimVerdict]
) -> str:
    missed = sum(verdict.binding and not verdict.holds for verdict in found)
    parts = (
        designs_table(rows),
        printed_table(rows, found),
        alarms_table([each for each in alarms if each.situation.screened]),
        answers_table([each for each in alarms if not each.situation.screened]),
        "\n".join(verdict.sentence for verdict in found),
        f"{len(found)} aims, {missed} missed: an interval covers {100 * COVERS[0]:.0f} to "
        f"{100 * COVERS[1]:.0f} %, a test rejects {100 * REJECTS:.0f} % at most, beside two "
        "Monte-Carlo errors.",
    )
    return "\n\n".join(filter(None, parts))


def csv_table(rows: Sequence[ValidationRow]) -> str:
    """One line a scenario and method, every column of `ValidationRow.to_json`."""
    values = [row.to_json() for row in rows]
    return csv_text(values[0], (value.values() for value in values)) if values else ""
