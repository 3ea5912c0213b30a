"""Votes as tables to analyse elsewhere: a row per vote, per pair and per rater.

Text is made safe for spreadsheets (`study.report.spreadsheet`); numbers are numbers.  Every
row ends with the frozen hash and the software, so that a table that is passed on alone still
says what it comes from.  `study.report.codebook` explains the columns.
"""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from study.report.analysis import StudyReport
from study.report.exported import VOTE_COLUMNS, ExportedPair, ExportedVote
from study.report.folder import cell_text
from study.report.gaps import gap_of
from study.report.spreadsheet import safe_cell
from study.statistics.exclusions import active_seconds

Value = str | int | float | bool | None
Row = dict[str, Value]

LONG_FILE, PAIRS_FILE, RATERS_FILE = "votes_long.csv", "pairs.csv", "raters.csv"
GAPS = ("eic_gap", "r2_gap", "complexity_gap")
LONG_COLUMNS = (
    *VOTE_COLUMNS,
    "active_seconds", "excluded", "exclusion_reason", "chose_lower", "chose_left", *GAPS,
    "study_hash", "made_by",
)  # fmt: skip
PAIR_COLUMNS = (
    "pair", "problem", "lower_formula", "higher_formula", "lower_eic", "higher_eic", "lower_r2",
    "higher_r2", "lower_complexity", "higher_complexity", "same_function", "loss", *GAPS,
    "votes_cast", "votes_valid", "n_lower", "n_higher", "ties", "rate", "study_hash", "made_by",
)  # fmt: skip
RATER_COLUMNS = (
    "rater", "degree", "field", "ballots", "session_seconds", "votes_cast", "votes_valid",
    "exclusion_reason", "attention_passed", "attention_failed", "n_lower", "n_higher", "ties",
    "rate", "chose_left", "chose_right", "median_seconds", "study_hash", "made_by",
)  # fmt: skip


def long_csv(report: StudyReport) -> str:
    """All votes, practice and attention ballots included: what was cast, whether it counts, why.

    The columns of ``votes.csv`` come first, in its order.
    """
    pairs = {pair.pair: pair for pair in report.export.pairs}
    votes = zip(report.export.votes, report.reasons, strict=True)
    rows = (_long_row(vote, reason, pairs.get(vote.pair)) for vote, reason in votes)
    return _csv(LONG_COLUMNS, rows, report)


def _long_row(vote: ExportedVote, reason: str, pair: ExportedPair | None) -> Row:
    decided = vote.choice != "tie"
    row: Row = {name: cell_text(getattr(vote, name)) for name in VOTE_COLUMNS}
    row |= {
        "active_seconds": active_seconds(vote),
        "excluded": bool(reason),
        "exclusion_reason": reason,
        "chose_lower": (vote.choice == "lower") if decided else None,
        "chose_left": _left(vote) if decided else None,
    }
    return row | (_gaps(pair) if pair and vote.on_a_pair else dict.fromkeys(GAPS))


def pairs_csv(report: StudyReport) -> str:
    """A row per pair of the frozen study, with its formulas, its gaps and its valid votes."""
    cast, valid = _by(report.cast, "pair"), _by(report.valid, "pair")
    rows = (
        {name: getattr(pair, name) for name in PAIR_COLUMNS[:12]}
        | _gaps(pair)
        | {"votes_cast": len(cast[pair.pair])}
        | _counts(valid[pair.pair])
        for pair in report.export.pairs
    )
    return _csv(PAIR_COLUMNS, rows, report)


def raters_csv(report: StudyReport) -> str:
    """A row per rater who voted, by pseudonym, with what became of the session."""
    everything = _by(report.export.votes, "rater")
    valid = _by(report.valid, "rater")
    reasons: dict[str, str] = {}
    for vote, reason in zip(report.export.votes, report.reasons, strict=True):
        if reason:
            reasons[vote.rater] = reason
    rows = (
        _rater_row(rater, votes, valid[rater], reasons.get(rater, ""))
        for rater, votes in sorted(everything.items())
    )
    return _csv(RATER_COLUMNS, rows, report)


def _rater_row(
    rater: str, votes: Sequence[ExportedVote], valid: Sequence[ExportedVote], reason: str
) -> Row:
    checks = [v.attention_ok for v in votes if v.is_attention and not v.is_practice]
    decided = [v for v in valid if v.choice != "tie"]
    left = sum(_left(v) for v in decided)
    seconds = [active_seconds(v) for v in valid]
    first = votes[0]
    row: Row = {
        "rater": rater,
        "degree": first.degree,
        "field": first.field,
        "ballots": sum(not v.is_practice for v in votes),
        "session_seconds": first.session_seconds,
        "votes_cast": sum(v.on_a_pair for v in votes),
        "exclusion_reason": reason,
        "attention_passed": sum(ok is True for ok in checks),
        "attention_failed": sum(ok is False for ok in checks),
        "chose_left": left,
        "chose_right": len(decided) - left,
        "median_seconds": statistics.median(seconds) if seconds else None,
    }
    return row | _counts(valid)


def _counts(votes: Sequence[ExportedVote]) -> Row:
    lower = sum(v.choice == "lower" for v in votes)
    higher = sum(v.choice == "higher" for v in votes)
    return {
        "votes_valid": len(votes),
        "n_lower": lower,
        "n_higher": higher,
        "ties": len(votes) - lower - higher,
        "rate": lower / (lower + higher) if lower + higher else None,
    }


def _gaps(pair: ExportedPair) -> Row:
    gap = gap_of(pair)
    return {"eic_gap": gap.eic, "r2_gap": gap.r2, "complexity_gap": gap.complexity}


def _left(vote: ExportedVote) -> bool:
    return (vote.choice == "lower") == (vote.lower_side == "left")


def _by(votes: Iterable[ExportedVote], name: str) -> Mapping[str, list[ExportedVote]]:
    found: defaultdict[str, list[ExportedVote]] = defaultdict(list)
    for vote in votes:
        found[getattr(vote, name)].append(vote)
    return found


def made_by(report: StudyReport) -> str:
    """Software and seed, for the last column."""
    return f"{report.software.sentence}; seed {report.seed}"


def _csv(columns: Sequence[str], rows: Iterable[Row], report: StudyReport) -> str:
    constant: Row = {"study_hash": report.export.hash, "made_by": made_by(report)}
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in (row | constant).items()})
    return buffer.getvalue()


def _cell(value: Value) -> str:
    """A number as it is, also a negative one; what is not finite as nothing; text made safe."""
    if isinstance(value, str):
        return safe_cell(value)
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    return cell_text(value)
