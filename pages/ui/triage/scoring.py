"""Having a tab's list scored for the data that its state names."""

from __future__ import annotations

import time
from collections.abc import Hashable

from eic_core.errors import DataError
from eic_core.measure.table import Table
from eic_core.pool.listing import (
    ListingData,
    RangeData,
    TableData,
    score_listing,
    stored_scores,
)
from pages.ui.jobs import Cancelled, Job, Jobs, Step, holding
from pages.ui.service import DEFAULT_DOMAIN
from pages.ui.triage.desk import Desk, Scored
from pages.ui.triage.state import CompareState
from pages.ui.wiring import scoring_slots

MAX_SCORINGS = 100_000_000
"""Formulas times samples of one list; more samples than that are left out, and said so."""

DOUBTFUL = 13.0
"""EIC above which double precision itself fails; lists are scored without rechecks."""

UNSEEN = 300.0
"""Seconds after which scoring ends if nobody looks at its progress."""


def data_for(state: CompareState, table: Table | None, formulas: int) -> ListingData:
    """The data that a state names; fewer samples where the list is long.

    Raises
    ------
    DataError
        If the state names a table that is not here.
    """
    if table is not None:
        target = state.target if state.target in table.names else ""
        return TableData(table, target or "", state.list_base)
    if state.upload:
        raise DataError("the table is not here", hint="choose it under Data")
    count = min(state.samples, max(100, MAX_SCORINGS // max(1, formulas)))
    return RangeData(dict(state.domains), DEFAULT_DOMAIN, count, state.seed)


def scoring_notices(here: Desk, state: CompareState, table: Table | None) -> list[str]:
    """What was assumed for the scores that are shown; user text in backticks."""
    if here.as_stored:
        return ["These are the scores that the file brought; nothing was computed here."]
    notices = _doubtful(here.scored)
    if table is not None:
        return notices
    guessed = [n for n in here.variables if n not in dict(state.domains)]
    if guessed:
        listed = ", ".join(f"`{n}`" for n in guessed[:12])
        rest = f" and {len(guessed) - 12} more" if len(guessed) > 12 else ""
        notices.append(
            f"No range was given for {listed}{rest}: sampled uniformly from 1 to 5, a guess. "
            "Set it under Data."
        )
    data = data_for(state, None, len(here.rows()))
    if isinstance(data, RangeData) and data.count < state.samples:
        notices.append(f"Limited to {data.count:,} samples a formula: the list is long.")
    return notices


def _doubtful(scored: Scored | None) -> list[str]:
    """Formulas beyond what double precision can tell (design: s·u > 10⁻³)."""
    eics = [s.score.eic for s in scored.scores] if scored is not None else []
    count = sum(eic > DOUBTFUL for eic in eics)
    if not count:
        return []
    return [
        f"{count:,} formula{'s have' if count > 1 else ' has'} an EIC above {DOUBTFUL:.0f} in "
        "double precision, which cannot tell how much more: the inspector checks such samples "
        "with 60 digits."
    ]


def wanted_by(here: Desk, state: CompareState) -> Hashable:
    """Everything that the scores depend on."""
    if here.as_stored:
        return (here.number, here.problem)
    if state.upload:
        return (here.number, here.problem, state.upload, state.target, state.list_base)
    domains = tuple((n, d) for n, d in state.domains if n in here.variables)
    return (here.number, here.problem, domains, state.samples, state.seed)


def advance(here: Desk, state: CompareState, table: Table | None) -> None:
    """Have the list scored for this state: begin, or take what has come of it."""
    wanted = wanted_by(here, state)
    if here.scored_for == wanted:
        return
    if here.job is None or here.wanted != wanted:
        if here.job is not None:
            here.job.cancel()
        here.wanted = wanted
        here.job = _begin(here, data_for(state, table, len(here.rows())))
        here.job.wait(0.4)
    if not here.job.running and isinstance(here.job.result, Scored):
        here.scored, here.scored_for, here.job = here.job.result, wanted, None
        here.picked = tuple(p for p in here.picked if p < len(here.scored.scores))


def _begin(here: Desk, data: ListingData) -> Job:
    rows, as_stored = here.rows(), here.as_stored
    here.seen = time.monotonic()

    def work(step: Step) -> Scored:
        if as_stored:
            return Scored.of(stored_scores(rows))

        def watched(done: int, total: int) -> None:
            step(done, total)
            if time.monotonic() - here.seen > UNSEEN:
                raise Cancelled

        with holding(scoring_slots(), lambda: watched(0, len(rows))):
            started = time.monotonic()
            scores = score_listing(rows, data, progress=watched)
            return Scored.of(scores, time.monotonic() - started)

    return Jobs().start("scoring", "Scoring the list", work)
