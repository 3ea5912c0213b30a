"""How the two formulas of each pair of a study differ."""

from __future__ import annotations

from study.report.exported import ExportedPair, StudyExport
from study.statistics.threats.gaps import Gap


def gap_of(pair: ExportedPair) -> Gap:
    """Between the formulas of lower and higher EIC, with the signs of `Gap`.

    Examples
    --------
    >>> pair = ExportedPair("p1", "q", "x", "x + 1e9 - 1e9", 0.5, 8.5, 0.95, 0.94, 1, 5)
    >>> gap_of(pair).eic, gap_of(pair).complexity
    (8.0, -4)
    """
    return Gap(
        pair.higher_eic - pair.lower_eic,
        pair.lower_r2 - pair.higher_r2,
        pair.lower_complexity - pair.higher_complexity,
    )


def pair_gaps(export: StudyExport) -> dict[str, Gap]:
    """The gap of every pair of the study, by its id."""
    return {pair.pair: gap_of(pair) for pair in export.pairs}
