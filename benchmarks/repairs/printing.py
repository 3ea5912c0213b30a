"""The tables: a line a case, a line a suite, and Herbie's figures beside."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.repairs.running import Outcome, Remains, mean_of

CASE_HEADER = (
    f"{'case':<32} {'before':>6} {'after':>6} {'best':>6} {'Herbie':>6} {'s':>6}  what remains"
)
SUITE_HEADER = (
    "suite",
    "cases",
    "before",
    "after",
    "best known",
    "reached",
    "branch",
    "series",
    "out of range",
    "exact form not reached",
    "repaired",
    "s, median; 95 %; most",
    "cut short",
)

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
        outcome.after,
        outcome.best,
        math.nan if published is None else published.herbie,
    ]
    bits = " ".join(f"{_figure(figure):>6}" for figure in figures)
    remains = "" if outcome.remains is None else outcome.remains.value
    notes = [remains, "" if outcome.finished else "cut short"]
    line = f"{name:<32} {bits} {outcome.seconds:6.2f}  {', '.join(filter(None, notes))}"
    return line.rstrip()


def form_lines(outcome: Outcome) -> Iterator[str]:
    """The formula, its repair and the known forms."""
    yield f"    {outcome.case.formula}"
    yield f"      -> {outcome.form or outcome.sentence or '(nothing)'}"
    for known in outcome.case.known:
        yield f"   known {known}"


def suite_cells(name: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The means of a suite and what remains, as the cells of a row."""
    run = [o for o in outcomes if not o.refused]
    judged = [o for o in run if o.reached is not None]
    kinds = Counter(o.remains for o in judged)
    remains = [str(kinds[kind]) for kind in (Remains.BRANCH, Remains.SERIES)]
    remains += [str(kinds[kind]) for kind in (Remains.RANGE, Remains.EXACT)]
    p50, p95 = np.quantile([o.seconds for o in run], [0.5, 0.95]) if run else (math.nan, math.nan)
    most = max((o.seconds for o in run), default=math.nan)
    reached = sum(bool(o.reached) for o in judged)
    return (
        name,
        str(len(run)),
        _figure(mean_of(run, lambda o: o.before)),
        _figure(mean_of(run, lambda o: o.after)),
        _figure(mean_of(run, lambda o: o.best)),
        f"{reached} of {len(judged)}" if judged else "",
        *(remains if judged else [""] * len(remains)),
        str(sum(bool(o.form) for o in run)),
        f"{p50:.2f}; {p95:.2f}; {most:.2f}",
        str(sum(not o.finished for o in run)),
    )


def suite_lines(name: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The summary of one suite, for a terminal."""
    cells = dict(zip(SUITE_HEADER, suite_cells(name, outcomes), strict=True))
    yield (
        f"{name}: {cells['cases']} cases, mean bits {cells['before']} before, {cells['after']} "
        f"after, best known {cells['best known'] or '-'}; {cells['repaired']} repaired"
    )
    if cells["reached"]:
        yield (
            f"  {cells['reached']} reach the best known form; of the others {cells['branch']} need "
            f"a branch, {cells['series']} a series, {cells['out of range']} leave the range, "
            f"{cells['exact form not reached']} have an exact form that was not reached"
        )
    published = [(o, o.case.published) for o in outcomes if o.case.published and not o.refused]
    if published:
        start = float(np.mean([p.start for _, p in published]))
        herbie = float(np.mean([p.herbie for _, p in published]))
        yield f"  Herbie's published figures of these: {start:.1f} before, {herbie:.1f} after"
    yield f"  seconds of one core {cells['s, median; 95 %; most']}; {cells['cut short']} cut short"


def markdown_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table."""
    yield f"| {' | '.join(header)} |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _figure(bits: float) -> str:
    return "" if math.isnan(bits) else f"{bits:.1f}"
