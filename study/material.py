"""What a study is made of: problems with their data, the pool, and matched pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from eic_core import wording
from eic_core.formula.syntax import EXPONENTS, check_exponents
from eic_core.formula.tree import Exponents
from study.design import StudyDesign, StudyStatus
from study.errors import StudyError

MAX_INPUTS = 2


class PairKind(StrEnum):
    MAIN = "main"
    PRACTICE = "practice"
    ATTENTION = "attention"


@dataclass(frozen=True)
class Column:
    name: str  # As the table has it
    unit: str = ""
    meaning: str = ""  # What raters read it as
    symbol: str = ""  # What formulas write; "": the name

    def to_json(self) -> dict[str, str]:
        """Without a symbol as before there were any: a frozen study keeps its hash."""
        values = asdict(self)
        return values if self.symbol else {k: v for k, v in values.items() if k != "symbol"}


@dataclass(frozen=True)
class Problem:
    name: str  # Unique in a study; the pool names it. Raters see `title`, never this.
    csv: str = field(repr=False)  # The table as its file has it: one or two inputs, then the target
    # title, description: for raters; `title` defaults to `name`
    title: str = ""
    description: str = ""
    # Units and meanings for columns of the table, in any order; may be incomplete
    columns: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= len(self.name.strip()) <= 200 or set(self.name) & set("/\\\0"):
            raise StudyError(
                f"`{self.name[:80]}` cannot be the name of a problem",
                hint="1 to 200 characters, without slashes",
            )

    @property
    def display_title(self) -> str:
        return self.title or self.name

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.csv.encode()).hexdigest()

    def column(self, name: str) -> Column:
        return next((c for c in self.columns if c.name == name), Column(name))


@dataclass(frozen=True)
class Member:
    # formula, syntax: the text, and the notation it is written in ("" or "auto": detect)
    formula: str
    # eic, r2: what it was matched on: ``eic_finite``, and R² of the column chosen
    eic: float
    r2: float
    complexity: int  # Nodes
    syntax: str = ""
    method: str = ""  # Who found it; never shown to a rater
    row: int | None = None  # Row of the pool, from 0
    # {0, 1} or None: What ``x1`` means; None: match by name, else detect
    index_base: int | None = None
    # Values of parameters that the text leaves open
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Equal for the same text in the same notation: a rater sees a formula once."""
        parts = (self.formula, self.syntax, repr(sorted(self.parameters.items())))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class NewPair:
    problem: str  # Name of a problem of the study
    # lower, higher: by EIC. Where nothing was matched (practice, attention): `lower` is the
    # expected answer.
    lower: Member
    higher: Member
    loss: float = float("nan")  # L of the matching
    same_function: bool = False  # The two are one function up to rounding on the problem's data
    kind: PairKind = PairKind.MAIN
    # gap_share, gap_without_worst_row: how far the gap in EIC hangs on single rows, see
    # `study.matching.result.MatchedPair`; None if it is not known
    gap_share: float | None = None
    gap_without_worst_row: float | None = None


@dataclass(frozen=True)
class StudyPair:
    id: int
    number: int  # 1, 2, ... within its kind; what the organiser sees.
    pair: NewPair
    dropped: str = ""  # Why the organiser left it out; "" if it is in

    @property
    def name(self) -> str:
        return pair_name(self.pair.kind, self.number)

    @property
    def in_study(self) -> bool:
        return not self.dropped


def pair_name(kind: PairKind, number: int) -> str:
    """The name of a pair in exports.

    >>> pair_name(PairKind.MAIN, 7)
    'p007'
    """
    prefix = {PairKind.MAIN: "p", PairKind.PRACTICE: "practice", PairKind.ATTENTION: "check"}
    return f"{prefix[kind]}{number:03d}"


@dataclass(frozen=True)
class Pool:
    name: str  # File name, for display
    csv: str = field(repr=False)  # The scored pool as text
    rows: int = 0

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.csv.encode()).hexdigest()


@dataclass(frozen=True)
class Study:
    id: int
    name: str  # Unique; the organiser's
    status: StudyStatus
    design: StudyDesign
    # created_at, frozen_at, closed_at: UTC
    created_at: datetime
    # The `MatchingRules` as plain JSON values
    rules: Mapping[str, Any] = field(default_factory=dict)
    hash: str = ""  # Hash of the frozen configuration; "" in a draft
    frozen_at: datetime | None = None
    closed_at: datetime | None = None
    # From then on nobody new may consent; those at work go on
    admission_ended_at: datetime | None = None

    @property
    def exponents(self) -> Exponents:
        """How literal exponents of its formulas are read; studies of before do not say."""
        return check_exponents(self.rules.get("exponents", EXPONENTS[0]))

    def takes_votes(self, now: datetime) -> bool:
        deadline = self.design.deadline
        return self.status == StudyStatus.OPEN and (deadline is None or now < deadline)

    def takes_consents(self, now: datetime) -> bool:
        return self.takes_votes(now) and self.admission_ended_at is None


def unfinished_sentence(problems: Sequence[str]) -> str:
    """What a matching left open when time ran out; "" if on no problem.

    >>> unfinished_sentence(["bode"])
    'The matching of `bode` was cut short by its time limit: another run may choose other pairs.'
    """
    cut = unfinished_clause(problems)
    return f"{wording.capital(cut)}." if cut else ""


def unfinished_clause(problems: Sequence[str]) -> str:
    """The same within a sentence."""
    if not problems:
        return ""
    names = wording.join([f"`{name}`" for name in problems], limit=8)
    return (
        f"the matching of {names} was cut short by its time limit: another run may choose "
        "other pairs"
    )
