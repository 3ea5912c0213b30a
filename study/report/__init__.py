"""Reports of closed studies, from an exported folder alone."""

from study.report.exported import (
    ExportedPair,
    ExportedVote,
    RaterCounts,
    StudyExport,
    Unblinding,
    read_export,
    votes_csv,
    write_export,
)

__all__ = [
    "ExportedPair",
    "ExportedVote",
    "RaterCounts",
    "StudyExport",
    "Unblinding",
    "read_export",
    "votes_csv",
    "write_export",
]
