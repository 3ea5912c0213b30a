"""Work of the worker pool for more than one page, without Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eic_core.corpora.found import FoundByMethod, LawRows, measure_found
from eic_core.measure import Domain
from eic_core.measure.table import Table, read_table
from eic_core.pool.importers import Listed
from eic_core.pool.listing import ListedScore, ListingData, TableData, score_listing
from eic_core.pool.table_check import TableCheck, check_table
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectorService

QUICK_LIST, QUICK_TABLE = 20_000, 100_000
"""Bytes up to which a list of formulas, and a table, is read in the process of the pages."""


def scores_and_check(
    rows: Sequence[Listed],
    data: ListingData,
    problem: str,
    problems: Sequence[str],
    findings: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[ListedScore, ...], TableCheck]:
    """Score a list, and look for what speaks against its table; the rows are of `problem`."""
    scores = score_listing(rows, data, findings=findings, progress=progress)
    check = TableCheck()
    if isinstance(data, TableData):
        check = check_table(scores, data.table, problem, problems, data.target)
    return scores, check


TABLE_SECONDS = 20.0
"""Seconds after which the reading of a table is given up."""


def upload_table(raw: bytes, name: str) -> Table:
    return read_table(raw, source=name, seconds=TABLE_SECONDS)


def measured_on_laws(
    rows: Sequence[Listed], progress: Callable[[int, int], None] | None = None
) -> tuple[FoundByMethod, ...]:
    """Measure formulas that methods found on the laws that they were looking for."""
    return measure_found(rows, LawRows(), progress=progress)


def warm() -> None:
    """Inspect a formula and ask the first questions, for all imports to be done."""
    request = InspectionRequest(
        "log(exp(x)) - sqrt(x)", domains=(("x", Domain("normal", 1000.0, 1.0)),), samples=20
    )
    result = InspectorService().inspect(request)
    DiagnosisService().summary(result, result.inspection.worst_step)
