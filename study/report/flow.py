"""From people to votes that decide: how many were left at each stage, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from eic_core import wording
from eic_core.exports import Plain, PlainAtLevel
from study.report.analysis import StudyReport
from study.report.exported import ExportedVote
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.votes import VoteArrays


@dataclass(frozen=True)
class Lost(Plain):
    reason: str
    votes: int
    raters: int

    _JSON = ("votes", "raters")

    @property
    def words(self) -> str:
        """As a count.

        >>> Lost("session under the threshold", 3, 1).words
        '3 votes of 1 rater: session under the threshold'
        """
        votes, raters = wording.count(self.votes, "vote"), wording.count(self.raters, "rater")
        return f"{votes} of {raters}: {self.reason}"


@dataclass(frozen=True)
class FlowStage:
    number: int
    name: str
    # What became of the others, or what the number does not count; "" where nothing is to say
    note: str = ""


@dataclass(frozen=True)
class StudyFlow(Plain):
    # By a personal link; None if the export does not tell them from those of open links
    invited: int | None
    through_open_links: int | None  # Who came through an open link; how many saw it nobody knows
    # consented, withdrawn, voted, finished, counted: of people: who voted on a pair, who answered
    # every ballot, of whom a vote counts
    consented: int
    withdrawn: int
    voted: int
    finished: int
    counted: int
    cast: int  # Votes on pairs
    lost: tuple[Lost, ...]  # By reason
    valid: int
    deciding: int
    # Raters who did not vote on as many pairs as a rater gets: votes, and how many raters stopped
    # there
    stopped_after: Mapping[int, int]
    undone: int = 0  # Answers on pairs that were undone, not among those cast

    _JSON = (
        "invited",
        "through_open_links",
        "consented",
        "withdrawn",
        "voted",
        "finished",
        "counted",
        "cast",
        "undone",
        ("lost", lambda flow: {each.reason: each.to_json() for each in flow.lost}),
        "valid",
        "deciding",
        (
            "stopped_after",
            lambda flow: {str(n): flow.stopped_after[n] for n in sorted(flow.stopped_after)},
        ),
    )

    @classmethod
    def of(cls, report: StudyReport) -> StudyFlow:
        """Counted from the votes; the invited, consented and finished people come from the
        export.
        """
        people, votes = report.export.raters, report.export.votes
        through = people.through_open_links
        who: dict[str, set[str]] = {reason: set() for reason in report.votes_excluded}
        for vote, reason in zip(votes, report.reasons, strict=True):
            if reason:
                who[reason].add(vote.rater)
        cast = Counter(vote.rater for vote in report.votes_cast)
        whole = min(report.export.ballots_per_rater, len(report.export.pairs))
        return cls(
            None if through is None else people.invited - through,
            through,
            people.consented,
            people.withdrawn,
            len(cast),
            people.finished,
            len({vote.rater for vote in report.valid_votes}),
            len(report.votes_cast),
            tuple(Lost(why, n, len(who[why])) for why, n in report.votes_excluded.items()),
            len(report.valid_votes),
            report.preference.votes,
            Counter(number for number in cast.values() if number < whole),
            sum(vote.on_a_pair for vote in report.export.undone),
        )

    @property
    def people(self) -> tuple[FlowStage, ...]:
        silent = self.consented - self.withdrawn - self.voted
        early = sum(self.stopped_after.values())
        withdrew = _note(self.withdrawn, "withdrew, with all their votes")
        notes = _note(silent, "left before a vote"), _note(early, "stopped early")
        known = self.consented or not self.voted
        return (
            *self._invitations,
            *((FlowStage(self.consented, "consented", withdrew),) if known else ()),
            FlowStage(self.voted, "voted", "; ".join(filter(None, notes))),
            FlowStage(self.counted, "count", _note(self.voted - self.counted, "left out")),
        )

    @property
    def votes(self) -> tuple[FlowStage, ...]:
        ties = self.valid - self.deciding
        lost = "; ".join(each.words for each in self.lost)
        return (
            FlowStage(self.cast, "vote on a pair" if self.cast == 1 else "votes on pairs"),
            FlowStage(self.valid, "valid", f"left out {lost}" if lost else ""),
            FlowStage(
                self.deciding,
                "decide",
                f"{wording.count(ties, 'tie')}, “cannot decide”, in no rate, test or kappa"
                if ties
                else "",
            ),
        )

    @property
    def lines(self) -> tuple[str, str]:
        """People, and votes, in a line each.

        >>> lost = (Lost("session under the threshold", 3, 1),)
        >>> flow = StudyFlow(5, 0, 4, 0, 3, 2, 2, 24, lost, 21, 20, {3: 1})
        >>> print(*flow.lines, sep="\\n")
        5 invited by personal links → 4 consented → 3 voted (1 left before a vote; 1 stopped early)
        → 2 count (1 left out)
        24 votes on pairs → 21 valid (left out 3 votes of 1 rater: session under the threshold) → 20
        decide (1 tie, “cannot decide”, in no rate, test or kappa)
        """
        return _line(self.people), _line(self.votes)

    @property
    def _invitations(self) -> tuple[FlowStage, ...]:
        if self.invited is None or self.through_open_links is None:
            return ()
        open_note = "by an open link; how many saw it nobody knows"
        if not self.invited and self.through_open_links:
            return (FlowStage(self.through_open_links, "came", open_note),)
        more = f"and {self.through_open_links:,} {open_note}" if self.through_open_links else ""
        return (FlowStage(self.invited, "invited by personal links", more),)


def _note(people: int, what: str) -> str:
    return f"{people:,} {what}" if people > 0 else ""


@dataclass(frozen=True)
class AttritionStage(PlainAtLevel):
    name: str
    raters: int
    rate: ClusteredRate

    _JSON = ("name", "raters", "rate")


def attrition(report: StudyReport) -> tuple[AttritionStage, ...]:
    """The votes of those who stayed and of those who were lost, stage by stage; a stage without
    votes is left out.
    """
    votes, valid = Counter(v.rater for v in report.votes_cast), set(report.valid_votes)
    whole = min(report.export.ballots_per_rater, len(report.export.pairs))
    stages: dict[str, list[ExportedVote]] = {
        "finished": [],
        "stopped early": [],
        "were left out": [],
    }
    for vote in report.votes_cast:
        stayed = "finished" if votes[vote.rater] >= whole else "stopped early"
        stages[stayed if vote in valid else "were left out"].append(vote)
    return tuple(
        AttritionStage(
            name,
            len({vote.rater for vote in of_stage}),
            clustered_rate(VoteArrays.of(of_stage, report.sampled), estimand=report.estimand),
        )
        for name, of_stage in stages.items()
        if of_stage
    )


def _line(stages: tuple[FlowStage, ...]) -> str:
    return " → ".join(
        f"{each.number:,} {each.name}{f' ({each.note})' if each.note else ''}" for each in stages
    )
