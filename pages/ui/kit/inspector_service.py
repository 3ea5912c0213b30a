"""The inspector's service: from a request to everything that the page shows.

Reading, sampling and inspecting are pure, so all visits share one bounded cache of results.
Without Streamlit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from eic_core import wording
from eic_core.engine.amplify import FIRST_PASS
from eic_core.errors import DataError, FormulaError
from eic_core.explain.created import origin_of_loss
from eic_core.explain.settling import Spread, spread_of
from eic_core.explain.verdict import Verdict, verdict
from eic_core.formula.syntax import Reading, read
from eic_core.formula.tree import Exponents
from eic_core.measure import Domain, Inspection, Samples, inspect, sample_domains
from eic_core.measure.fit import Fit, column_of_best_fit, fit_of
from eic_core.measure.table import Table, VariableMatch, match_variables
from pages.ui.kit.caches import BoundedCache, Progress
from pages.ui.kit.workers import LONGEST, InThread, Workers

DEFAULT_DOMAIN = Domain("uniform", 1.0, 5.0)
"""For variables without a range: the usual one of textbook benchmarks."""

MAX_WORK = 100_000_000
"""Samples times nodes of one inspection; further samples are left out, with a notice."""

QUICK_TEXT = 1_000
"""Characters up to which a formula is read in the process of the pages."""

QUICK_NODES, QUICK_WORK = 100, 100_000
"""Nodes, and nodes times samples, up to which an inspection is begun there; the first sample that
needs exact arithmetic sends it to a worker (ADR 0012)."""


@dataclass(frozen=True)
class InspectionRequest:
    """Everything an inspection depends on, by value.

    `domains` and `mapping` hold the user's choices; the rest is filled in. `carried` names the
    variables whose range was chosen for an example or a formula before.
    """

    formula: str
    syntax: str = "auto"
    domains: tuple[tuple[str, Domain], ...] = ()
    samples: int = 1_000
    seed: int = 0
    base: int | None = None
    upload: str = ""
    mapping: tuple[tuple[str, str], ...] = ()
    target: str | None = None
    carried: tuple[str, ...] = ()
    exponents: Exponents = "exact"
    effort: float = 1  # of what is dear, as a multiple of the normal one
    best_target: bool = False  # without a target: the column that fits best, not always the last


@dataclass(frozen=True)
class InspectionResult:
    """The inspection of a request."""

    request: InspectionRequest
    reading: Reading
    inspection: Inspection
    # As sampled, one for each variable; empty with a table
    domains: tuple[tuple[str, Domain], ...] = ()
    match: VariableMatch | None = None  # None without a table
    target: str = ""  # column compared with, or ""
    # Assumptions and omissions, one sentence each; user text in backticks
    notices: tuple[str, ...] = ()
    # Variables sampled from a range that was chosen for an example or a formula before
    carried: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()  # Variables of which nobody gave a range

    shared_between_processes = True

    def shared_parts(self) -> tuple[object, ...]:
        """Objects that answers about it refer to."""
        inspection = self.inspection
        return (
            inspection,
            inspection.formula,
            inspection.samples,
            inspection.amplification,
            inspection.nodes,
        )

    @cached_property
    def verdict(self) -> Verdict:
        return verdict(self.inspection)

    @cached_property
    def spread(self) -> Spread | None:
        return spread_of(self.inspection)

    @cached_property
    def fit(self) -> Fit | None:
        """How well it predicts the target; None without one."""
        return None if self.inspection.samples.target is None else fit_of(self.inspection)

    @cached_property
    def origin(self) -> int:
        """The node that creates most of the worst node's digits."""
        return origin_of_loss(self.inspection, self.inspection.worst_step)

    @property
    def quick(self) -> bool:
        """Whether answers without a search need no worker."""
        counts, nodes = self.inspection.counts, self.reading.formula.complexity
        return not counts.rechecked and _is_quick(nodes, counts.total)


@dataclass(frozen=True)
class Answer:
    """The `result` of a request, or the one reason why there is none: `formula_error`,
    `data_error`, `empty` or `waiting`.
    """

    reading: Reading | None = None  # None if the text is empty or cannot be read
    result: InspectionResult | None = None
    formula_error: FormulaError | None = None
    data_error: DataError | None = None
    empty: bool = False  # no formula
    waiting: bool = False  # for a table that has not arrived
    variables: tuple[str, ...] = ()  # of the reading, or of the last good one


class _NotQuick(Exception):
    """A sample needs exact arithmetic."""


def _is_quick(nodes: int, samples: int) -> bool:
    return nodes <= QUICK_NODES and nodes * samples <= QUICK_WORK


class InspectorService:
    """Reads and inspects, with a cache of both.

    Parameters
    ----------
    megabytes
        About the total size of the cached results.
    workers
        Compute whatever is not quick.
    """

    def __init__(
        self,
        megabytes: float = 160,
        workers: Workers | None = None,
    ) -> None:
        self._readings = BoundedCache(16e6)
        self._results = BoundedCache(megabytes * 1e6)
        self._workers = workers or InThread()

    def read(
        self,
        text: str,
        syntax: str = "auto",
        columns: tuple[str, ...] = (),
        progress: Progress | None = None,
        exponents: Exponents = "exact",
    ) -> Reading:
        """Read a formula.

        Parameters
        ----------
        text
            As typed.
        syntax
            A key of `SYNTAXES`, or "auto".
        columns
            Names that are variables as they stand.
        progress
            Called while a long text is read; an exception of it ends the reading.
        exponents
            How literal exponents are read.

        Returns
        -------
        Reading
            From the cache if the same text was read before.

        Raises
        ------
        FormulaError
            The text cannot be read.
        WorkStopped
            Reading takes too long.
        """

        def make() -> Reading:
            if len(text) <= QUICK_TEXT:
                return read(text, syntax=syntax, columns=columns, exponents=exponents)
            wait = None if progress is None else lambda: progress(0.0)
            return self._workers.run(
                read, text, syntax=syntax, columns=columns, exponents=exponents, wait=wait
            )

        return self._readings.get(
            (text, syntax, columns, exponents),
            make,
        )

    def answer(
        self,
        request: InspectionRequest,
        table: Table | None,
        progress: Progress,
        *,
        last_good: InspectionResult | None,
    ) -> Answer:
        """Read and inspect a visit's formula, or say why it cannot be done.

        Parameters
        ----------
        request
            The visit's.
        table
            The one that the request names; None also before it has arrived.
        progress
            An exception of it ends the work.
        last_good
            The visit's, and its answer as long as the request is the same: other visits may have
            pushed it out of the cache.  Its variables stay where the new formula cannot be read.

        Returns
        -------
        Answer
            A result or the reason why there is none.
        """
        if not request.formula.strip():
            return Answer(empty=True)
        if last_good is not None and last_good.request == request:
            reading = last_good.reading
            return Answer(reading, last_good, variables=reading.formula.variables)
        try:
            names = declared_names(request.formula, table, request.domains, request.carried)
            reading = self.read(request.formula, request.syntax, names, progress, request.exponents)
        except (FormulaError, DataError) as error:
            last = last_good.reading.formula.variables if last_good else ()
            if isinstance(error, DataError):
                return Answer(data_error=error, variables=last)
            return Answer(formula_error=error, variables=last)
        variables = reading.formula.variables
        if request.upload and table is None:
            return Answer(reading=reading, waiting=True, variables=variables)
        try:
            result = self.inspect(request, table, progress)
        except DataError as error:
            return Answer(reading=reading, data_error=error, variables=variables)
        return Answer(reading=reading, result=result, variables=variables)

    def inspect(
        self,
        request: InspectionRequest,
        table: Table | None = None,
        progress: Progress | None = None,
    ) -> InspectionResult:
        """Inspect a formula on a table or on samples.

        Parameters
        ----------
        request
            Names the formula and its data.
        table
            The one that the request names.
        progress
            An exception of it ends the work.

        Returns
        -------
        InspectionResult
            From the cache if it was asked for before.

        Raises
        ------
        FormulaError
            The formula cannot be read.
        DataError
            The samples cannot be had, or it takes too long.
        """
        return self._results.get(request, lambda: self._inspect(request, table, progress))

    def _inspect(
        self,
        request: InspectionRequest,
        table: Table | None,
        progress: Progress | None,
    ) -> InspectionResult:
        columns = declared_names(request.formula, table, request.domains, request.carried)
        reading = self.read(request.formula, request.syntax, columns, progress, request.exponents)
        # Most inspections are quicker than the way to a worker and back.
        if self._workers.beside:
            count = request.samples if table is None else table.rows
            if _is_quick(reading.formula.complexity, count):
                try:
                    return inspect_request(request, reading, table, quick=True)
                except _NotQuick:
                    pass
        return self._workers.run(
            inspect_request,
            request,
            reading,
            table,
            progress=progress,
            wait=None if progress is None else lambda: progress(0.0),
            seconds=LONGEST * max(1, request.effort),
            long=request.effort > 1,
            keep=True,
        )


def inspect_request(
    request: InspectionRequest,
    reading: Reading,
    table: Table | None,
    *,
    progress: Progress | None = None,
    quick: bool = False,
) -> InspectionResult:
    """Inspect a formula that is read already.

    If `quick`, raises `_NotQuick` where a sample needs exact arithmetic. Raises `DataError` if the
    samples cannot be had.
    """
    notices: list[str] = []
    match: VariableMatch | None = None
    domains: tuple[tuple[str, Domain], ...] = ()
    guessed: tuple[str, ...] = ()
    target = ""
    most = max(1_000, MAX_WORK // reading.formula.complexity)
    if table is not None:
        match, target = match_table(reading, table, request, notices)
        samples = _table_samples(table, match, target, notices)
        if names := [f"`{name}`" for name in stated_domains(reading)]:
            notices.append(
                f"The table's rows count, not the range of {wording.join(names, limit=12)} that "
                "the formula's own text states."
            )
    else:
        domains, guessed = _complete(reading, request, notices)
        count = min(request.samples, most)
        if count < request.samples:
            notices.append(
                f"Limited to {count:,} samples: the formula has "
                f"{reading.formula.complexity:,} nodes."
            )
        samples = sample_domains(dict(domains), count=count, seed=request.seed)
    inspection = inspect(
        reading.formula,
        samples,
        effort=request.effort,
        progress=_nothing_to_check if quick else progress,
    )
    stated = stated_domains(reading)
    carried = tuple(name for name, _ in domains if name in request.carried and name not in stated)
    told = tuple(notices), carried, guessed
    result = InspectionResult(request, reading, inspection, domains, match, target, *told)
    _ = result.verdict, result.spread, result.origin  # made here, not where the pages are
    return result


def _nothing_to_check(fraction: float) -> None:
    if FIRST_PASS < fraction < 1:
        raise _NotQuick


def match_table(
    reading: Reading, table: Table, request: InspectionRequest, notices: list[str]
) -> tuple[VariableMatch, str]:
    """The column of each variable, and the target column ("" for none).

    The user's choices come first, then names, then positions. Unless the user chooses, the target
    is the column that the formula fits best, if the request wants that and one fits; else the last
    one, if the formula does not name it.
    """
    variables = reading.formula.variables
    by_user = request.base is not None
    base = request.base if by_user else reading.index_base
    columns = ((name, table.column(column)) for name, column in request.mapping)
    chosen = {name: column for name, column in columns if name in variables and column is not None}

    def match(target: str) -> VariableMatch:
        inputs = [name for name in table.names if name != target]
        matched = match_variables(variables, inputs, index_base=base, chosen=by_user)
        mapping = {**matched.mapping, **chosen}
        missing = tuple(name for name in variables if name not in mapping)
        return replace(matched, mapping=mapping, missing=missing)

    if request.target is not None:
        target = table.column(request.target) or ""
        return match(target), target
    if request.best_target:
        target, r2, candidates = column_of_best_fit(reading.formula, table, match)
        if target:
            if candidates > 1:
                fit = f"(R² {wording.r_squared(r2)})"
                notices.append(f"Compared with `{target}`, the column it fits best {fit}.")
            return match(target), target
    last = table.names[-1]
    says_something = last not in variables and not np.isnan(table.values[last]).all()
    target = last if len(table.names) > 1 and says_something else ""
    return match(target), target


def _table_samples(table: Table, match: VariableMatch, target: str, notices: list[str]) -> Samples:
    if match.missing:
        listed = wording.join([f"`{name}`" for name in match.missing])
        raise DataError(
            f"no column was found for {listed}",
            hint="choose one under Data, or rename the column",
        )
    samples = table.samples(match.mapping, target or None)
    left_out = table.rows - len(samples)
    if left_out:
        notices.append(
            f"{left_out:,} of {table.rows:,} rows are left out: a cell that is used holds no "
            "number."
        )
    if match.index_base is not None and match.renamed:
        first = f"x{match.index_base}"
        notices.append(
            f"Variables are matched to columns by position, counting from {match.index_base} "
            f"(`{first}` is the first column)"
            + (": a guess from this formula." if match.assumed else ".")
        )
    return samples


def declared_names(
    formula: str,
    table: Table | None,
    domains: tuple[tuple[str, Domain], ...],
    carried: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """The names that a formula's words are read by: columns, or variables with a range.

    A letter whose range was chosen for another formula says nothing about this one, but for e.

    >>> mc, m, c, x = ((name, DEFAULT_DOMAIN) for name in ("mc", "m", "c", "x"))
    >>> declared_names("E = mc^2", None, (mc, x)), declared_names("E = mc^2", None, (m, c))
    (('mc',), ('m', 'c'))
    >>> declared_names("E = mc^2", None, (m, c), carried=("m", "c"))
    ()
    """
    if table is not None:
        return table.names
    return tuple(
        name
        for name, _ in domains
        if name in formula and (len(name) > 1 or name in "eE" or name not in carried)
    )


def stated_domains(reading: Reading | None) -> dict[str, Domain]:
    """The ranges that the text of a formula states, by variable."""
    stated = reading.domain if reading is not None else ()
    return {name: Domain.between(low, high) for name, low, high in stated}


def domains_in_use(
    reading: Reading | None,
    domains: tuple[tuple[str, Domain], ...],
    carried: tuple[str, ...] = (),
) -> dict[str, Domain]:
    """The range of each variable that has one.

    A range that was chosen for this very formula counts first, then one that its text states, then
    a `carried` one: chosen for a formula before or an example.
    """
    before = {name: domain for name, domain in domains if name in carried}
    own = {name: domain for name, domain in domains if name not in carried}
    return before | stated_domains(reading) | own


def describe(domain: Domain) -> str:
    """A domain in a few characters.

    >>> describe(Domain("uniform", 1.0, 5.0)), describe(Domain("loguniform", 1e-8, 25e7))
    ('1 … 5', '10⁻⁸ … 2.5·10⁸ (log)')
    """
    low, high = (wording.significant(v, 6) for v in (domain.low, domain.high))
    if domain.kind == "fixed":
        return f"= {low}"
    if domain.kind == "normal":
        return f"{low} ± {high}"
    return f"{low} … {high}" + (" (log)" if domain.kind == "loguniform" else "")


def _complete(
    reading: Reading, request: InspectionRequest, notices: list[str]
) -> tuple[tuple[tuple[str, Domain], ...], tuple[str, ...]]:
    """The domain of each variable, and those of which nobody gave one."""
    variables = reading.formula.variables
    stated = stated_domains(reading)
    in_use = domains_in_use(reading, request.domains, request.carried)
    own = [name for name in variables if name in stated and in_use[name] == stated[name]]
    if own:
        listed = wording.join([f"`{name}`" for name in own], limit=12)
        notices.append(f"The range of {listed} is the one that the formula's own text states.")
    if other := [name for name in variables if name in stated and name not in own]:
        listed = wording.join(
            [
                f"`{name}` ({describe(in_use[name])}, not {describe(stated[name])})"
                for name in other
            ],
            limit=12,
        )
        notices.append(
            "The range that was chosen counts, not the one that the formula's own text states: "
            f"{listed}."
        )
    if guessed := tuple(name for name in variables if name not in in_use):
        listed = wording.join([f"`{name}`" for name in guessed], limit=12)
        notices.append(
            f"No range was given for {listed}: sampled uniformly from 1 to 5, a guess. "
            "Set it under Data."
        )
    return tuple((name, in_use.get(name, DEFAULT_DOMAIN)) for name in variables), guessed
