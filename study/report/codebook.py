"""What every column of every table means."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from study.report.exported import VOTES_FILE
from study.report.tables import LONG_FILE, PAIRS_FILE, RATERS_FILE

CODEBOOK_FILE = "codebook.csv"


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name, meaning : str
    values : str
        Unit, range or possible values.
    """

    name: str
    meaning: str
    values: str


def _columns(text: str) -> tuple[Column, ...]:
    lines = (line.split("|") for line in text.strip().splitlines())
    return tuple(Column(*(part.strip() for part in parts)) for parts in lines)


_VOTE = _columns("""
vote | the vote | unique id
rater | who voted, by pseudonym; a rater is one rating session | id
pair | the pair of the study; empty at practice ballots and attention checks | id
problem | the problem whose data both formulas describe; empty as above | id
choice | the formula called more interpretable, by its EIC; tie: cannot decide | lower, higher, tie
lower_side | where the formula of lower EIC was shown | left, right
position | place of the ballot in the session; 0 is the practice ballot | whole number
shown_at | when the ballot was first shown, by the server's clock | ISO 8601, UTC
voted_at | when the vote was saved, by the server's clock | ISO 8601, UTC
seconds | from shown to voted | seconds
idle_seconds | the part of it in which the rater was away | seconds
session_seconds | active seconds of the rater's whole session, practice left out | seconds
is_practice | whether this was the practice ballot: no vote on a pair | true, false
is_attention | whether this was an attention check: no vote on a pair | true, false
attention_ok | whether the attention check was passed; empty elsewhere | true, false
degree | the rater's degree, as written | text
field | the rater's field, as written | text
reason | why, as the rater wrote it | text
""")
_MORE = _columns("""
active_seconds | seconds less idle_seconds | seconds
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
_SELF = _columns("""
file | the table | file name
column | the column | name
meaning | what a cell says | text
values | unit, range or possible values | text
study_hash | SHA-256 of the frozen configuration: the same in every output of a study | hex digits
made_by | versions of the software that made the table, and the seed | text
""")

CODEBOOK: dict[str, tuple[Column, ...]] = {
    VOTES_FILE: _VOTE,
    LONG_FILE: (*_VOTE, *_MORE, *_GAPS, *_SOURCE),
    PAIRS_FILE: (*_PAIR, *_GAPS, *_COUNTS, *_SOURCE),
    RATERS_FILE: (*_RATER, *_COUNTS, *_SOURCE),
    CODEBOOK_FILE: _SELF,
}
"""The columns of each table; not in their order."""


def codebook_csv(study_hash: str, made_by: str) -> str:
    """The codebook as a table.

    Parameters
    ----------
    study_hash, made_by : str
        As in the last columns of the other tables.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([column.name for column in _SELF])
    for file, columns in CODEBOOK.items():
        for column in columns:
            writer.writerow(
                [file, column.name, column.meaning, column.values, study_hash, made_by]
            )
    return buffer.getvalue()


def codebook_text() -> str:
    """The codebook to read.

    Examples
    --------
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
