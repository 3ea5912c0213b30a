"""What a visit's state comes to: a reading, a result, or what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass

from eic_core.errors import DataError, FormulaError
from eic_core.formula.syntax import Reading
from pages.ui.service import InspectorService, Progress, Request, Result
from pages.ui.state import PageState
from pages.ui.visit import Visit


@dataclass(frozen=True)
class Outcome:
    """At most one of `formula_error`, `data_error`, `empty` and `waiting` says why
    there is no `result`.

    Attributes
    ----------
    reading : Reading or None
        None if the text is empty or cannot be read.
    result : Result or None
        May be incomplete: then there is nothing to draw but what is missing.
    formula_error : FormulaError or None
    data_error : DataError or None
    empty : bool
        No formula was given.
    waiting : bool
        The state names a table that is not here.
    variables : tuple of str
        Of the reading, or of the last good one.
    """

    reading: Reading | None = None
    result: Result | None = None
    formula_error: FormulaError | None = None
    data_error: DataError | None = None
    empty: bool = False
    waiting: bool = False
    variables: tuple[str, ...] = ()


def request_of(state: PageState) -> Request:
    """The part of the state on which numbers depend."""
    return Request(
        formula=state.formula,
        syntax=state.syntax,
        domains=() if state.upload else state.domains,
        samples=state.samples,
        seed=state.seed,
        base=state.base,
        upload=state.upload,
        mapping=state.mapping,
        target=state.target,
    )


def outcome_of(here: Visit, service: InspectorService, progress: Progress) -> Outcome:
    """Read and inspect what the visit's state says."""
    state, table = here.state, here.table
    last = here.last_good.reading.formula.variables if here.last_good else ()
    if not state.formula.strip():
        return Outcome(empty=True)
    try:
        reading = service.read(state.formula, state.syntax, table.names if table else ())
    except FormulaError as error:
        return Outcome(formula_error=error, variables=last)
    variables = reading.formula.variables
    if state.upload and table is None:
        return Outcome(reading=reading, waiting=True, variables=variables)
    request = request_of(state)
    try:
        result = service.inspect(request, table, progress, aside=here.asking(request))
    except DataError as error:
        return Outcome(reading=reading, data_error=error, variables=variables)
    return Outcome(reading=reading, result=result, variables=variables)
