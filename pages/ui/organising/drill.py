"""From the report down to single votes, and to a formula in the inspector.  No Streamlit."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from urllib.parse import urlencode

from eic_core.errors import UserError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import Reading, read
from eic_core.formula.tree import Formula
from eic_core.measure import Domain, Samples
from eic_core.measure.table import match_variables
from pages.ui.state import PageState
from study.ballots import problem_samples
from study.material import Member, Problem
from study.report.analysis import StudyReport
from study.report.exported import ExportedPair, ExportedVote
from study.statistics.exclusions import active_seconds

COUNTED = "counts"


@dataclass(frozen=True)
class PairRow:
    """One pair with its votes, as the table of pairs shows it.

    Attributes
    ----------
    pair : ExportedPair
    lower, higher, ties : int
        Valid votes.
    left_out : int
        Votes that do not count.
    reasons : int
        Votes with a written reason, whether they count or not.
    median_seconds : float or None
        Active time of the valid votes.
    """

    pair: ExportedPair
    lower: int
    higher: int
    ties: int
    left_out: int
    reasons: int
    median_seconds: float | None

    @property
    def votes(self) -> int:
        """Valid votes that decide."""
        return self.lower + self.higher

    @property
    def rate(self) -> float | None:
        """Share of them for the lower EIC; None without any."""
        return self.lower / self.votes if self.votes else None

    @property
    def gap(self) -> float:
        """Digits by which the members differ."""
        return self.pair.higher_eic - self.pair.lower_eic


@dataclass(frozen=True)
class VoteRow:
    """One vote on a pair, for reading.

    Attributes
    ----------
    vote : ExportedVote
    side : str
        Where the chosen formula stood: "A", "B", or "—" for a tie.
    status : str
        "counts", or why it does not.
    """

    vote: ExportedVote
    side: str
    status: str

    @property
    def seconds(self) -> float:
        """Active time."""
        return active_seconds(self.vote)


def pair_rows(report: StudyReport) -> tuple[PairRow, ...]:
    """A row for each pair of the study, in its order."""
    votes: dict[str, list[tuple[ExportedVote, str]]] = defaultdict(list)
    for vote, why in zip(report.export.votes, report.reasons, strict=True):
        if vote.on_a_pair:
            votes[vote.pair].append((vote, why))
    return tuple(_pair_row(pair, votes[pair.pair]) for pair in report.export.pairs)


def _pair_row(pair: ExportedPair, votes: list[tuple[ExportedVote, str]]) -> PairRow:
    valid = [vote for vote, why in votes if not why]
    choices = [vote.choice for vote in valid]
    return PairRow(
        pair,
        lower=choices.count("lower"),
        higher=choices.count("higher"),
        ties=choices.count("tie"),
        left_out=len(votes) - len(valid),
        reasons=sum(bool(vote.reason.strip()) for vote, _ in votes),
        median_seconds=statistics.median(map(active_seconds, valid)) if valid else None,
    )


def vote_rows(report: StudyReport, pair: str) -> tuple[VoteRow, ...]:
    """The votes on one pair, in the order cast."""
    return tuple(
        VoteRow(vote, _side(vote), why or COUNTED)
        for vote, why in zip(report.export.votes, report.reasons, strict=True)
        if vote.on_a_pair and vote.pair == pair
    )


def _side(vote: ExportedVote) -> str:
    if vote.choice == "tie":
        return "—"
    return "A" if (vote.choice == "lower") == (vote.lower_side == "left") else "B"


def inspector_state(member: Member, problem: Problem) -> PageState:
    """The inspector's state for a formula of the pool, over the ranges of the problem's data.

    Each variable runs uniformly from the smallest to the largest value of its column.  The text
    is the pool's, unless it means another tree without the table's names and parameters; then it
    is written out anew.

    Raises
    ------
    UserError
        If the formula cannot be read without the table.

    Examples
    --------
    >>> problem = Problem("p", "t,y\\n0.5,2.1\\n2,3.9\\n3,6.2\\n")
    >>> inspector_state(Member("2*X0+1", 0.3, 0.9, 5, syntax="gplearn"), problem).to_query()
    {'formula': ['2*X0+1'], 'syntax': ['gplearn'], 'range': ['x0=0.5:3.0']}
    """
    samples = problem_samples(problem)
    columns = tuple(samples.columns)
    syntax = member.syntax or "auto"
    meant = read(
        member.formula, syntax=syntax, columns=columns, parameters=dict(member.parameters)
    )
    text = member.formula
    if not _means(text, syntax, meant.formula):
        text, syntax = to_python(meant.formula), "infix"
        if not _means(text, syntax, meant.formula):
            raise UserError("the inspector would read this formula as another one")
    base = meant.index_base if member.index_base is None else member.index_base
    match = match_variables(meant.formula.variables, columns, index_base=base)
    domains = [
        (variable, domain)
        for variable, column in match.mapping.items()
        if (domain := _domain(samples, column)) is not None
    ]
    return PageState(formula=text, syntax=syntax, domains=tuple(domains))


def inspector_address(state: PageState) -> str:
    """Where the inspector stands, seen from another page of the app; "" if it does not fit.

    Examples
    --------
    >>> inspector_address(PageState("sin(x)", domains=(("x", Domain("uniform", 0.0, 1.0)),)))
    './?formula=sin%28x%29&range=x%3D0.0%3A1.0'
    """
    return f"./?{urlencode(state.to_query(), doseq=True)}" if state.fits_url else ""


def _means(text: str, syntax: str, wanted: Formula) -> bool:
    """Whether the inspector, which knows no table, reads this text as that tree."""
    found = _reading(text, syntax)
    return found is not None and found.formula.structure() == wanted.structure()


def _reading(text: str, syntax: str) -> Reading | None:
    try:
        return read(text, syntax=syntax)
    except UserError:
        return None


def _domain(samples: Samples, column: str) -> Domain | None:
    values = samples.columns[column]
    low, high = float(values.min()), float(values.max())
    try:
        return Domain("uniform" if low < high else "fixed", low, high)
    except UserError:  # wider than double precision
        return None
