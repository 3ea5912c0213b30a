"""The state of one tab of the stability gap: view, the visitor's own pool, the picked formula."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from secrets import token_hex

import streamlit as st

from eic_core.corpora.claims import (
    LAWS,
    Claim,
    claims,
    groups_by_method,
    groups_of_laws,
    groups_of_short_runs,
    laws_behind,
)
from eic_core.corpora.found import (
    FoundByMethod,
    law_names,
    take_stored_scores,
)
from eic_core.corpora.gap import (
    MEAN,
    MEASURES,
    GapDifference,
    Group,
    GroupSummary,
    compare_groups,
    summarise,
)
from eic_core.corpora.laws import NAMES, RULES
from eic_core.corpora.measured import COUNTS, MeasuredFormula
from eic_core.errors import DataError, UserError
from eic_core.pool.importers import Imported, import_formulas
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.heavy import QUICK_LIST, measured_on_laws
from pages.ui.kit.jobs import Cancelled, Job, Jobs, Step, holding
from pages.ui.kit.wiring import scoring_slots, workers
from pages.ui.kit.workers import UNHURRIED, InThread, current_visitor, repeat_progress

ABANDONED_AFTER = 300.0
"""Seconds after which measuring ends if nobody looks at its progress."""

MOST_FORMULAS = 5_000
"""Most formulas of a pool that is measured here; the command line takes any number."""

MOST_METHODS = 12
"""Most methods of a pool that are drawn: more violins cannot be told apart."""

DEFAULT_COUNT = 1_000


@dataclass(frozen=True)
class GapView:
    """The settings of the page."""

    measure: str = MEAN  # a key of `MEASURES`
    count: int = DEFAULT_COUNT  # rows of a formula, one of `COUNTS`
    rule: str = next(iter(RULES))  # a key of `RULES`, for equations without ranges

    def to_query(self) -> dict[str, str]:
        """The query parameters that restore this view, defaults left out.

        >>> view = GapView("q90", 100)
        >>> view.to_query(), GapView.from_query(view.to_query()) == view
        ({'by': 'q90', 'rows': '100'}, True)
        """
        plain = GapView()
        query = {"by": self.measure, "rows": str(self.count), "rule": self.rule}
        default = {"by": plain.measure, "rows": str(plain.count), "rule": plain.rule}
        return {key: value for key, value in query.items() if value != default[key]}

    @classmethod
    def from_query(cls, query: dict[str, str]) -> GapView:
        """Read query parameters; wrong ones are ignored."""
        plain = cls()
        by, rows, rule = query.get("by", ""), query.get("rows", ""), query.get("rule", "")
        counts = {str(count): count for count in COUNTS}
        return cls(
            by if by in MEASURES else plain.measure,
            counts.get(rows, plain.count),
            rule if rule in RULES else plain.rule,
        )


@dataclass(frozen=True)
class OwnPool:
    """A visitor's pool, measured."""

    name: str
    methods: tuple[FoundByMethod, ...]
    stored: bool = False  # whether its EIC come from the file

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """A group for each method that has a formula to show."""
        return tuple(group for group in groups_by_method(self.methods) if group.formulas)


@dataclass
class GapDesk:
    """One tab's pool and choice."""

    number: int = 0
    uploader: int = 0
    job: Job | None = None
    pool: OwnPool | None = None
    error: UserError | None = None
    findings: dict[GapView, GapFindings] = field(default_factory=dict)
    picked: tuple[str, int] | None = None
    last_watched: float = field(default_factory=time.monotonic)
    visitor: str = field(default_factory=token_hex)


_KEY = "gap-desk"


def gap_desk() -> GapDesk:
    if _KEY not in st.session_state:
        st.session_state[_KEY] = GapDesk()
    desk: GapDesk = st.session_state[_KEY]
    current_visitor.set(desk.visitor)
    return desk


@lru_cache(maxsize=len(RULES))
def corpora_groups(rule: str) -> tuple[Group, ...]:
    """Groups of written laws, and of formulas that short searches returned for them."""
    return (*groups_of_laws(NAMES, rule=rule), *groups_of_short_runs())


@dataclass(frozen=True)
class GapFindings:
    """The statistics of the groups in one view."""

    groups: tuple[Group, ...]
    summaries: dict[str, GroupSummary]
    # Differences of methods: their formulas less the laws that these were searched for
    differences: dict[str, GapDifference]
    claims: tuple[Claim, ...]
    # At each of `COUNTS`, without intervals; of groups that were measured at all of them
    by_rows: dict[str, dict[str, tuple[GroupSummary, ...]]]

    def formula(self, picked: tuple[str, int]) -> tuple[Group, MeasuredFormula] | None:
        """The group and formula of a point; None if it is there no more."""
        for group in self.groups:
            if group.key == picked[0] and picked[1] < len(group.formulas):
                return group, group.formulas[picked[1]]
        return None


@lru_cache(maxsize=24)
def _plain_findings(view: GapView) -> GapFindings:
    """The findings of the corpora alone: the same for every visitor."""
    return _findings(corpora_groups(view.rule), view)


def findings_of(desk: GapDesk, view: GapView) -> GapFindings:
    """The findings in this view, with the visitor's pool if there is one."""
    if desk.pool is None:
        return _plain_findings(view)
    if view not in desk.findings:
        groups = (*corpora_groups(view.rule), *desk.pool.groups)
        desk.findings[view] = _findings(groups, view)
    return desk.findings[view]


def _findings(groups: Sequence[Group], view: GapView) -> GapFindings:
    laws = next(group for group in groups if group.key == LAWS)
    differences = {}
    for group in groups:
        own = laws_behind(group, laws) if group.by_method else None
        if own is not None and own.formulas:
            differences[group.key] = compare_groups(group, own, view.count, view.measure)
    return GapFindings(
        tuple(groups),
        {group.key: summarise(group, view.count, view.measure) for group in groups},
        differences,
        claims(groups, view.count, view.measure),
        {group.key: _by_rows(group) for group in groups if group.by_rows},
    )


def _by_rows(group: Group) -> dict[str, tuple[GroupSummary, ...]]:
    return {
        measure: tuple(summarise(group, count, measure, resamples=1) for count in COUNTS)
        for measure in MEASURES
    }


@lru_cache(maxsize=24)
def by_rule(count: int, measure: str) -> dict[str, GroupSummary]:
    """The named equations by each rule for the ranges of their variables."""
    groups = {rule: groups_of_laws(["wikipedia"], rule=rule)[0] for rule in RULES}
    return {rule: summarise(group, count, measure) for rule, group in groups.items()}


def read_pool(raw: bytes, name: str) -> None:
    """Take a pool with its scores if it brought them, else measure it beside the page."""
    drop_pool()
    desk = gap_desk()
    try:
        run = workers().run if len(raw) > QUICK_LIST else InThread().run
        imported = run(import_formulas, raw, name=name)
        if scores_are_there(imported):
            _show_pool(desk, OwnPool(name, take_stored_scores(imported.rows), stored=True))
            return
        check_problems(imported)
    except UserError as error:
        desk.error = error
        return
    desk.last_watched = time.monotonic()
    desk.job = Jobs().start("gap", "Measuring", lambda step: _measured(desk, imported, name, step))
    desk.job.wait(0.4)  # a small pool is done by then: no progress bar flashes up


def scores_are_there(imported: Imported) -> bool:
    """Whether most rows of the list have an EIC and a number of nodes."""
    scored = sum({"eic", "complexity"} <= row.stored.keys() for row in imported.rows)
    return 2 * scored > len(imported.rows)


def check_problems(imported: Imported) -> None:
    """Raise `DataError` for a list that is not about laws, or too long for a page.

    >>> check_problems(import_formulas("dataset,formula\\nfeynman_I_12_1,x0*x1\\n"))
    """
    laws = law_names()
    problems = imported.problems
    if len(imported.rows) > MOST_FORMULAS:
        raise DataError(
            f"the pool has {len(imported.rows):,} formulas; at most {MOST_FORMULAS:,} are measured "
            "here",
            hint="`python -m eic_core gap --pool FILE` takes any number, and `score` brings a "
            "pool's EIC along",
        )
    if not laws & set(problems):
        examples = ", ".join(f"`{name}`" for name in problems[:5] if name)
        raise DataError(
            f"none of its problems is a law: it names {examples}"
            if examples
            else "it does not say for which laws its formulas were found",
            hint="a column `dataset` says for which law a formula was found, as "
            "`feynman_I_6_2` or `strogatz_vdp1`; for other data bring what `eic score` wrote",
        )


def _measured(desk: GapDesk, imported: Imported, name: str, step: Step) -> OwnPool:
    def watched(done: int, total: int) -> None:
        step(done, total)
        if time.monotonic() - desk.last_watched > ABANDONED_AFTER:
            raise Cancelled

    rows = imported.rows
    with holding(scoring_slots(), lambda: watched(0, len(rows))):
        progress, wait = repeat_progress(watched, 0, len(rows))
        measured = workers().run(
            measured_on_laws, rows, progress=progress, wait=wait, seconds=UNHURRIED, long=True
        )
        return OwnPool(name, measured)


def advance_pool(desk: GapDesk) -> None:
    """Take the result of the measuring, if it has ended."""
    job = desk.job
    if job is None or job.running:
        return
    if job.error is not None:
        desk.error, desk.job = job.error, None
    elif isinstance(job.result, OwnPool):
        desk.job = None
        _show_pool(desk, job.result)


def _show_pool(desk: GapDesk, pool: OwnPool) -> None:
    if not pool.groups:
        reasons = Counter[str]()
        for one in pool.methods:
            reasons.update(one.left_out)
        causes = "; ".join(f"{count:,} {reason}" for reason, count in reasons.most_common(4))
        desk.error = DataError(
            f"no formula of {pool.name} can be shown: {causes}",
            hint="the formulas must fit the law that their row names",
        )
        return
    desk.pool, desk.error = pool, None
    desk.number += 1
    desk.findings, desk.picked = {}, None


@uninterrupted()
def drop_pool() -> None:
    desk = gap_desk()
    if desk.job is not None:
        desk.job.cancel()
    st.session_state[_KEY] = GapDesk(number=desk.number + 1, uploader=desk.uploader + 1)
