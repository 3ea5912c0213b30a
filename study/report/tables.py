"""Votes as tables to analyse elsewhere: a row a vote, pair or rater; `codebook_csv` explains the
columns. Text is safe for spreadsheets (`eic_core.exports.safe_cell`). Every row ends with the
frozen hash and the software, so that a table that is passed on alone still names its source.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eic_core.exports import csv_text, safe_cell
from study.report.analysis import StudyReport, gap_of, looks_of
from study.report.document import document
from study.report.exported import VOTE_COLUMNS, VOTES_FILE, ExportedPair, ExportedVote, cell_text
from study.report.exported_models import ANSWERS_FILE
from study.statistics.exclusions import active_seconds
from study.statistics.preference import Preference

Value = str | int | float | bool | None
Row = dict[str, Value]

LONG_FILE, PAIRS_FILE, RATERS_FILE = "votes_long.csv", "pairs.csv", "raters.csv"
NUMBERS_FILE = "numbers.csv"
GAPS = ("eic_gap", "r2_gap", "complexity_gap")
HELD = ("gap_share", "gap_without_worst_row")
LOOKS = ("calls_gap", "nesting_gap", "depth_gap", "length_gap", "digits_gap")
"""In the order of `study.statistics.visible.VISIBLE`."""
LONG_COLUMNS = (
    *VOTE_COLUMNS,
    "active_seconds",
    "excluded",
    "exclusion_reason",
    "chose_lower",
    "chose_left",
    *GAPS,
    "study_hash",
    "made_by",
)
PAIR_COLUMNS = (
    "pair",
    "problem",
    "lower_formula",
    "higher_formula",
    "lower_eic",
    "higher_eic",
    "lower_r2",
    "higher_r2",
    "lower_complexity",
    "higher_complexity",
    "same_function",
    "loss",
    *GAPS,
    *HELD,
    "votes_cast",
    "votes_valid",
    "n_lower",
    "n_higher",
    "ties",
    "rate",
    *LOOKS,
    "study_hash",
    "made_by",
)
RATER_COLUMNS = (
    "rater",
    "degree",
    "field",
    "ballots",
    "session_seconds",
    "votes_cast",
    "votes_valid",
    "exclusion_reason",
    "attention_passed",
    "attention_failed",
    "n_lower",
    "n_higher",
    "ties",
    "rate",
    "chose_left",
    "chose_right",
    "median_seconds",
    "study_hash",
    "made_by",
)
NUMBER_COLUMNS = ("number", "value", "low", "high", "level", "method", "study_hash", "made_by")


def long_csv(report: StudyReport) -> str:
    """All votes that stand, practice and attention ballots included, with the reason of each that
    does not count. The columns of ``votes.csv`` come first, in its order.
    """
    pairs = {pair.pair: pair for pair in report.export.pairs}
    votes = zip(report.export.votes, report.reasons, strict=True)
    rows = (_long_row(vote, reason, pairs.get(vote.pair)) for vote, reason in votes)
    return _csv(LONG_COLUMNS, rows, report)


def _long_row(vote: ExportedVote, reason: str, pair: ExportedPair | None) -> Row:
    row: Row = {name: cell_text(getattr(vote, name)) for name in VOTE_COLUMNS}
    row |= {
        "active_seconds": active_seconds(vote),
        "excluded": bool(reason),
        "exclusion_reason": reason,
        "chose_lower": None if vote.choice == "tie" else vote.choice == "lower",
        "chose_left": vote.chose_left,
    }
    return row | (_gaps(pair) if pair and vote.on_a_pair else dict.fromkeys(GAPS))


def pairs_csv(report: StudyReport) -> str:
    """A row per pair of the frozen study, with its formulas, its gaps and its valid votes."""
    cast, valid = _by(report.votes_cast, "pair"), _by(report.valid_votes, "pair")
    looks = looks_of(report.export)
    rows = (
        {name: getattr(pair, name) for name in (*PAIR_COLUMNS[:12], *HELD)}
        | _gaps(pair)
        | {"votes_cast": len(cast[pair.pair])}
        | _counts(valid[pair.pair])
        | dict(zip(LOOKS, looks[pair.pair], strict=True))
        for pair in report.export.pairs
    )
    return _csv(PAIR_COLUMNS, rows, report)


def raters_csv(report: StudyReport) -> str:
    """A row per rater who voted, by pseudonym, with what became of the session."""
    everything = _by(report.export.votes, "rater")
    valid = _by(report.valid_votes, "rater")
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
        "chose_left": sum(v.chose_left is True for v in valid),
        "chose_right": sum(v.chose_left is False for v in valid),
        "median_seconds": statistics.median(seconds) if seconds else None,
    }
    return row | _counts(valid)


def _counts(votes: Sequence[ExportedVote]) -> Row:
    counts = Preference.of(vote.choice for vote in votes)
    return {
        "votes_valid": len(votes),
        "n_lower": counts.lower,
        "n_higher": counts.higher,
        "ties": counts.ties,
        "rate": counts.rate,
    }


def _gaps(pair: ExportedPair) -> Row:
    gap = gap_of(pair)
    return {"eic_gap": gap.eic, "r2_gap": gap.r2, "complexity_gap": gap.complexity}


def _by(votes: Iterable[ExportedVote], name: str) -> Mapping[str, list[ExportedVote]]:
    found: defaultdict[str, list[ExportedVote]] = defaultdict(list)
    for vote in votes:
        found[getattr(vote, name)].append(vote)
    return found


def made_by(report: StudyReport) -> str:
    return f"{report.software.sentence}; seed {report.seed}"


def numbers_csv(report: StudyReport) -> str:
    """Every number of report.json by its name, an interval in one row; those of the report's page
    and those that are not on it.
    """
    return _csv(NUMBER_COLUMNS, _numbers(document(report)), report)


def _numbers(value: Any, name: str = "") -> Iterator[Row]:
    """Items of a list go by their first text or number, or by their places if two share it.

    >>> items = [{"name": "x", "p": 0.5}, {"name": "y", "p": 1}]
    >>> [row["number"] for row in _numbers({"a": items, "b": [*items, *items]})]
    ['a.x.p', 'a.y.p', 'b.1.p', 'b.2.p', 'b.3.p', 'b.4.p']
    """
    row: Row = dict.fromkeys(NUMBER_COLUMNS) | {"number": name}
    if isinstance(value, Mapping):
        if {"low", "high", "level"} <= value.keys():
            yield row | {key: value.get(key) for key in ("low", "high", "level", "method")}
            return
        for key, part in value.items():
            yield from _numbers(part, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        labels = [_label_of(part, place) for place, part in enumerate(value, start=1)]
        if len(set(labels)) < len(labels):
            labels = [str(place) for place in range(1, len(value) + 1)]
        for label, part in zip(labels, value, strict=True):
            yield from _numbers(part, f"{name}.{label}")
    elif isinstance(value, bool | int | float):
        yield row | {"value": value}


def _label_of(part: object, place: int) -> str:
    first = next(iter(part.values()), None) if isinstance(part, Mapping) else None
    return f"{first:g}" if isinstance(first, float) else str(first or place)


def _csv(columns: Sequence[str], rows: Iterable[Row], report: StudyReport) -> str:
    constant: Row = {"study_hash": report.export.hash, "made_by": made_by(report)}
    whole = (row | constant for row in rows)
    return csv_text(columns, ([_cell(row[name]) for name in columns] for row in whole))


def _cell(value: Value) -> str:
    """A number as it is, also a negative one; what is not finite as nothing; text made safe."""
    if isinstance(value, str):
        return safe_cell(value)
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    return cell_text(value)


CODEBOOK_FILE = "codebook.csv"


@dataclass(frozen=True)
class CodebookColumn:
    name: str
    meaning: str
    values: str  # Unit, range or possible values


def _columns(text: str) -> tuple[CodebookColumn, ...]:
    lines = (line.split("|") for line in text.strip().splitlines())
    return tuple(CodebookColumn(*(part.strip() for part in parts)) for parts in lines)


_VOTE = _columns("""
vote | the vote | unique id
rater | who voted, by pseudonym; a rater is one rating session | id
pair | the pair of the study; empty at practice ballots and attention checks | id
problem | the problem whose data both formulas describe; empty as above | id
choice | the formula called more interpretable, by its EIC; tie: cannot decide | lower, higher, tie
lower_side | where the formula of lower EIC was shown; left is on top where stacked | left, right
position | place of the ballot in the session; 0 is the practice ballot | whole number
shown_at | when the ballot was first shown, by the server's clock | ISO 8601, UTC
voted_at | when the vote was saved, by the server's clock | ISO 8601, UTC
seconds | from shown to voted, by the server's clock | seconds
idle_seconds | the part of it in which the rater was away | seconds
session_seconds | active seconds of the rater's whole session, practice left out | seconds
is_practice | whether this was the practice ballot: no vote on a pair | true, false
is_attention | whether this was an attention check: no vote on a pair | true, false
attention_ok | whether the attention check was passed; empty elsewhere | true, false
degree | the rater's degree, as written | text
field | the rater's field, as written | text
reason | why, as the rater wrote it | text
rater_seconds | from paint to press by the rater's own clock; empty if not measured | seconds
viewport | width of the rater's window: under 600 px, to 1023, or more | narrow, medium, wide
in_view | whether both formulas had been in view before the press; empty if unknown | true, false
plot_in_view | whether the plot had been in view before the press; empty if unknown | true, false
page | which page showed the ballot, empty for the first; in_view is of height alone before 3 | 2, 3
undone_at | when the rater undid the vote, which counts nowhere; empty if it stands | ISO 8601, UTC
""")
_ANSWER = _columns("""
answer | the answer of a model | unique id
run | which model was asked: the label of the run in study.json | text
pair | the pair of the study | id
problem | the problem whose data both formulas describe | id
first | which formula was formula A, by its EIC | lower, higher
repeat | number of the question within its order | whole number from 1
outcome | the formula chosen, by its EIC, or what else | lower, higher, tie, refused, unparsable
snapshot | the model that answered, as the endpoint names it; empty if it does not | text
fingerprint | its configuration, as the endpoint names it; empty if it does not | text
finish_reason | why the answer ended, as the endpoint says | text
structured | whether the model was held to a JSON schema | true, false
seed | the seed that was sent; empty where the endpoint takes none | whole number
prompt_tokens | tokens of the question; empty where the endpoint does not count | whole number
completion_tokens | tokens of the answer; empty where the endpoint does not count | whole number
latency_seconds | from the question to the end of the answer | seconds
asked_at | when the answer was stored | ISO 8601, UTC
raw | the answer as it was written | text
""")
_MORE = _columns("""
active_seconds | rater_seconds; where it is empty, seconds less idle_seconds | seconds
excluded | whether the frozen exclusion rule leaves this vote out | true, false
exclusion_reason | why it does; empty if it does not | text
chose_lower | whether the formula of lower EIC was chosen; empty at a tie | true, false
chose_left | whether the formula on the left was chosen; empty at a tie | true, false
""")
_GAPS = _columns("""
eic_gap | how much lower the EIC of the lower member is | digits, 0 or more
r2_gap | R² of the member of lower EIC minus R² of the other | difference of R²
complexity_gap | nodes of the member of lower EIC minus nodes of the other | nodes
""")
_LOOKS = _columns("""
calls_gap | calls of functions, lower EIC minus higher; empty if unreadable | whole number
nesting_gap | the most functions one in the other, likewise | whole number
depth_gap | depth of the tree, likewise | whole number
length_gap | symbols as printed, each digit of a number one, likewise | whole number
digits_gap | digits of all numbers, likewise | whole number
""")
_SOURCE = _columns("""
study_hash | SHA-256 of the frozen configuration: the same in every output of a study | hex digits
made_by | versions of the software that made the table, and the seed | text
""")
_COUNTS = _columns("""
votes_cast | votes on pairs, before exclusions | whole number
votes_valid | votes that count, ties among them | whole number
n_lower | valid votes for the formula of lower EIC | whole number
n_higher | valid votes for the formula of higher EIC | whole number
ties | valid votes that decide for neither | whole number
rate | n_lower / (n_lower + n_higher); empty without a deciding vote | 0 to 1
""")
_PAIR = _columns("""
pair | the pair | unique id
problem | the problem whose data both formulas describe | id
lower_formula | the formula of lower EIC, as the pool has it | text
higher_formula | the formula of higher EIC, as the pool has it | text
lower_eic | EIC of the first: significant digits that its writing loses | digits
higher_eic | EIC of the second | digits
lower_r2 | R² of the first on the problem's data | at most 1
higher_r2 | R² of the second | at most 1
lower_complexity | nodes of the first formula's tree | whole number
higher_complexity | nodes of the second formula's tree | whole number
same_function | whether the two are one function up to rounding on the data | true, false
loss | L of the matching, ΔC² + ΔR²² − ΔEIC²; empty if unknown | number
gap_share | share of 200 draws of the data's rows that keep the EIC gap; empty if unknown | 0 to 1
gap_without_worst_row | EIC gap without the row of most loss; empty if unknown | digits
""")
_RATER = _columns("""
rater | the rater, by pseudonym | unique id
degree | the rater's degree, as written | text
field | the rater's field, as written | text
ballots | ballots answered, attention checks among them, practice left out | whole number
session_seconds | active seconds of the whole session, practice left out | seconds
exclusion_reason | why votes of this rater are left out; empty if none are | text
attention_passed | attention checks passed | whole number
attention_failed | attention checks failed | whole number
chose_left | valid deciding votes for the formula on the left | whole number
chose_right | valid deciding votes for the formula on the right | whole number
median_seconds | median active seconds of a valid vote; empty without one | seconds
""")
_NUMBER = _columns("""
number | its name in report.json, the parts from the outermost to the innermost | unique text
value | the number; empty for an interval | number, true, false
low | lower end of an interval | number
high | upper end of an interval | number
level | confidence level of an interval | 0 to 1
method | how an interval is made | text
""")
_SELF = _columns("""
file | the table | file name
column | the column | name
meaning | what a cell says | text
values | unit, range or possible values | text
study_hash | SHA-256 of the frozen configuration: the same in every output of a study | hex digits
made_by | versions of the software that made the table, and the seed | text
""")

CODEBOOK: dict[str, tuple[CodebookColumn, ...]] = {
    VOTES_FILE: _VOTE,
    ANSWERS_FILE: _ANSWER,
    LONG_FILE: (*_VOTE, *_MORE, *_GAPS, *_SOURCE),
    PAIRS_FILE: (*_PAIR, *_GAPS, *_COUNTS, *_LOOKS, *_SOURCE),
    RATERS_FILE: (*_RATER, *_COUNTS, *_SOURCE),
    NUMBERS_FILE: (*_NUMBER, *_SOURCE),
    CODEBOOK_FILE: _SELF,
}
"""The columns of each table; not in their order."""


def codebook_csv(study_hash: str, made_by: str) -> str:
    return csv_text(
        [column.name for column in _SELF],
        (
            [file, column.name, column.meaning, column.values, study_hash, made_by]
            for file, columns in CODEBOOK.items()
            for column in columns
        ),
    )


def codebook_text() -> str:
    """The codebook to read.

    >>> print(codebook_text()[:43])
    votes.csv
      vote
          the vote (unique id)
    """
    lines: list[str] = []
    for file, columns in CODEBOOK.items():
        lines.append(file)
        for column in columns:
            lines += [f"  {column.name}", f"      {column.meaning} ({column.values})"]
        lines.append("")
    return "\n".join(lines)
