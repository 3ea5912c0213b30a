"""The tables: a line a case, a line a suite, and Herbie's figures beside."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchmarks.repairs.running import Outcome, Remains, mean_of

CASE_HEADER = (
    f"{'case':<32} {'before':>6} {'exact':>6} {'branch':>6} {'series':>6} {'best':>6} "
    f"{'Herbie':>6} {'s':>6}  what remains"
)
LENGTHS = "nodes; ns in C, as written and what leads"
"""What a reader and a machine have to do."""

SUITE_HEADER = (
    "suite",
    "cases",
    "before",
    "exact",
    "with branches",
    "with series",
    "best known",
    "Herbie, published",
    "reached: exact; with branches; with series",
    "branch",
    "series",
    "out of range",
    "exact form not reached",
    "repaired",
    "by branches; by series",
    "wrong; beyond the bound",
    LENGTHS,
    "s, median; 95 %; most",
    "cut short",
)

FIX_HEADER = (
    "case",
    "ranges",
    "before the fix",
    "after the fix",
    "repair",
    "source",
    "bits before",
    "exact",
    "with branches",
    "with series",
    "best known",
)

KINDS = ("exact", "branches", "series")
"""Exact forms alone, with those that choose by branches, with approximations."""

HERBIE = (
    "Herbie 2.2, published beside ours before branches and series (mean bits of error):",
    "  16 cases from libraries' issue trackers: 29.4 before; Herbie 6.3, ours then 13.7; best 1.7",
    "  22 of Hamming's cases: 37 before; Herbie 2.4, ours then 17.8; best known .2",
)


def case_line(outcome: Outcome) -> str:
    """One case: bits before, after, of the best known form, of Herbie as published."""
    name = outcome.case.name[:32]
    if outcome.refused:
        return f"{name:<32} not run: {outcome.refused}"
    published = outcome.case.published
    figures = [
        outcome.before,
        outcome.exact.bits,
        outcome.branches.bits,
        outcome.series.bits,
        outcome.best,
        math.nan if published is None else published.herbie,
    ]
    bits = " ".join(f"{_figure(figure):>6}" for figure in figures)
    remains = "" if outcome.remains is None else outcome.remains.value
    wrong = f"WRONG at {outcome.differing} points" if outcome.differing else ""
    beyond = f"BEYOND THE BOUND at {outcome.beyond} points" if outcome.beyond else ""
    notes = [remains, "" if outcome.finished else "cut short", wrong, beyond]
    line = f"{name:<32} {bits} {outcome.seconds:6.2f}  {', '.join(filter(None, notes))}"
    return line.rstrip()


def form_lines(outcome: Outcome) -> Iterator[str]:
    """The formula, its repair and the known forms."""
    yield f"    {outcome.case.formula}"
    yield f"      -> {outcome.form or outcome.sentence or '(nothing)'}"
    for form in outcome.case.known_forms:
        yield f"   known {form}"


def suite_cells(name: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The means of a suite and what remains, as the cells of a row."""
    run = [o for o in outcomes if not o.refused]
    judged = [o for o in run if o.reached is not None]
    kinds = Counter(o.remains for o in judged)
    remains = [str(kinds[kind]) for kind in (Remains.BRANCH, Remains.SERIES)]
    remains += [str(kinds[kind]) for kind in (Remains.RANGE, Remains.EXACT)]
    p50, p95 = np.quantile([o.seconds for o in run], [0.5, 0.95]) if run else (math.nan, math.nan)
    most = max((o.seconds for o in run), default=math.nan)
    reached = "; ".join(
        str(sum(bool(o.reached_by(getattr(o, kind))) for o in judged)) for kind in KINDS
    )
    return (
        name,
        str(len(run)),
        _figure(mean_of(run, lambda o: o.before)),
        *(_figure(mean_of(run, lambda o, kind=kind: getattr(o, kind).bits)) for kind in KINDS),
        _figure(mean_of(run, lambda o: o.best)),
        _published(run),
        f"{reached} of {len(judged)}" if judged else "",
        *(remains if judged else [""] * len(remains)),
        str(sum(bool(o.form) for o in run)),
        f"{sum(o.branches.chooses for o in run)}; {sum(not o.series.is_exact for o in run)}",
        f"{sum(bool(o.differing) for o in run)}; {sum(bool(o.beyond) for o in run)}",
        "; ".join(
            " and ".join(
                f"{mean_of(run, lambda o, i=i, j=j: o.lengths[i][j]):.1f}" for i in (0, -1)
            )
            for j in (0, 1)
        ),
        f"{p50:.2f}; {p95:.2f}; {most:.2f}",
        str(sum(not o.finished for o in run)),
    )


def suite_lines(name: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The summary of one suite, for a terminal."""
    cells = dict(zip(SUITE_HEADER, suite_cells(name, outcomes), strict=True))
    yield (
        f"{name}: {cells['cases']} cases, mean bits {cells['before']} before; {cells['exact']} by "
        f"exact forms, {cells['with branches']} with branches, {cells['with series']} with series; "
        f"best known {cells['best known'] or '-'}"
    )
    yield (
        f"  {cells['repaired']} repaired ({cells['by branches; by series']} by branches; by "
        f"series); {cells['wrong; beyond the bound']} wrong; beyond the bound, at held-out points"
    )
    reached = "reached: exact; with branches; with series"
    if cells[reached]:
        yield (
            f"  {cells[reached]} reach the best known form by exact forms; with branches; with "
            f"series; of the others {cells['branch']} need a branch, {cells['series']} a series, "
            f"{cells['out of range']} leave the range, "
            f"{cells['exact form not reached']} have an exact form that was not reached"
        )
    if cells["Herbie, published"]:
        yield f"  Herbie's published means of these, before and after: {cells['Herbie, published']}"
    yield f"  {cells[LENGTHS]} {LENGTHS}"
    yield f"  seconds of one core {cells['s, median; 95 %; most']}; {cells['cut short']} cut short"


def markdown_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table."""
    yield f"| {' | '.join(header)} |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _published(outcomes: Sequence[Outcome]) -> str:
    """Herbie's means before and after, where each case has them."""
    figures = [o.case.published for o in outcomes if o.case.published is not None]
    if not figures or len(figures) < len(outcomes):
        return ""
    start, herbie = (np.mean([getattr(f, name) for f in figures]) for name in ("start", "herbie"))
    return f"{start:.1f}; {herbie:.1f}"


def remains_rows(outcomes: Mapping[str, Sequence[Outcome]]) -> list[tuple[str, str, str]]:
    """What remains, by kind and suite: the names of the cases."""
    return [
        (kind.value, suite, "; ".join(o.case.name for o in of_suite if o.remains is kind))
        for kind in Remains
        for suite, of_suite in outcomes.items()
        if any(o.remains is kind for o in of_suite)
    ]


def fix_rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """The cells of `FIX_HEADER`, a row a case."""
    return [
        (
            o.case.name,
            f"`{o.case.points}`",
            f"`{o.case.formula}`",
            f"`{o.case.known_forms[0]}`",
            f"`{o.form}`" if o.form else "",
            _link(o.case.source),
            _figure(o.before),
            *(_figure(getattr(o, kind).bits) for kind in KINDS),
            _figure(o.best),
        )
        for o in outcomes
    ]


def _link(source: str) -> str:
    repository, _, number = source.partition(" #")
    return f"[{source}](https://github.com/{repository}/issues/{number})" if number else source


def _figure(bits: float) -> str:
    return "" if math.isnan(bits) else f"{bits:.1f}"
