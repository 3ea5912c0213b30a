"""From people to votes that decide, and which rates are not shown."""

from __future__ import annotations

from eic_core.drawing.chart import Points, Stroke
from study.report import ExportedVote, RaterCounts, StudyExport
from study.report.analysis import analyse
from study.report.document import document
from study.report.figures import FEW, FIGURES
from study.report.flow import Lost, StudyFlow, attrition
from study.report.methods import methods_text
from study.report.phrases.verdict import verdict
from study.report.sections import sections_of
from tests.rehearsal import Rehearsal, token_of
from tests.study.exports import export_of, vote

NOBODY_COUNTED = RaterCounts()


def study(*votes: ExportedVote, raters: RaterCounts = NOBODY_COUNTED) -> StudyExport:
    return export_of(votes, 8, raters=raters)


VOTES = (
    *(
        vote(r, p, "tie" if r == p == 0 else "higher" if p < 3 else "lower")
        for r in range(3)
        for p in range(8)
    ),
    *(vote(3, p, session_seconds=9.0) for p in range(3)),
)


def test_votes_left_out_are_told_with_whose_they_are() -> None:
    report = analyse(study(*VOTES, raters=RaterCounts(9, 6, 3, 1, 4)))
    flow = StudyFlow.of(report)
    assert flow.lost == (Lost("session under the threshold", 3, 1),)
    assert (flow.voted, flow.counted, flow.cast, flow.valid, flow.deciding) == (4, 3, 27, 24, 23)
    assert flow.stopped_after == {3: 1}
    people, votes = flow.lines
    assert people == (
        "5 invited by personal links (and 4 by an open link; how many saw it nobody knows) → 6 "
        "consented (1 withdrew, with all their votes) → 4 voted (1 left before a vote; 1 "
        "stopped early) → 3 count (1 left out)"
    )
    assert "left out 3 votes of 1 rater: session under the threshold" in votes
    told = " ".join(methods_text(report).split())
    assert "3 votes of 1 rater (session under the threshold) were left out" in told
    assert "Of 5 invited by personal links and 4 people who came through an open link" in told
    assert "of them" not in told.partition("(session under")[0]  # Not the invited: who came


def test_an_open_link_invites_nobody_countable(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    organiser = rehearsal.organiser
    shared = organiser.invitations.open_link(study.id, 9)
    organiser.invitations.invite(study.id, ["ann", "ben"])
    rehearsal.rating.consent(token_of(shared), degree="Master", field="Art")
    organiser.close(study.id)
    counts = organiser.monitor.export(study.id).raters
    assert (counts.invited, counts.through_open_links, counts.consented) == (3, 1, 1)


def test_exports_of_before_do_not_pretend_to_know_who_was_invited() -> None:
    flow = StudyFlow.of(analyse(study(*VOTES, raters=RaterCounts(9, 6, 3, 1))))
    assert flow.invited is None and flow.lines[0].startswith("6 consented")


def test_no_table_and_no_curve_has_a_rate_of_three_votes() -> None:
    some = [
        vote(r, p, viewport="narrow" if r == 0 and p < 3 else "wide")
        for r in range(3)
        for p in range(8)
    ]
    report = analyse(study(*some))
    for section in sections_of(report):
        for table in section.tables:
            if "rate" in table.columns:
                place = next(i for i, name in enumerate(table.columns) if i and "votes" in name)
                assert all(int(row[place]) >= FEW for row in table.rows), section.key
    screens = next(s for s in sections_of(report) if s.key == "screens")
    assert "1 row of fewer than 10 deciding votes is not shown." in screens.tables[0].caption
    upper, lower = FIGURES["sensitivity"].describe(report).panels
    votes = [
        dict(zip(mark.x, mark.y, strict=True)) for mark in lower.marks if isinstance(mark, Stroke)
    ]
    rates = [mark for mark in upper.marks if isinstance(mark, Points) and mark.symbol != "diamond"]
    for counted, points in zip(votes, rates, strict=True):
        assert all(counted[at] >= FEW for at in points.x)


def test_an_interval_reads_as_two_numbers() -> None:
    many = analyse(study(*VOTES), level=0.001)
    interval = many.inference.interval(0.001)
    assert interval is not None and round(100 * interval.low) == round(100 * interval.high)
    said = verdict(many).text.partition("that share at ")[2].partition(" of 100")[0]
    low, _, high = said.partition(" to ")
    assert float(low) < float(high)


def test_those_who_are_lost_are_compared_with_those_who_stayed() -> None:
    """Raters 0 to 2 finish, rater 3 stops after six votes, rater 4 is hasty."""
    leaving = [vote(3, p, "higher") for p in range(6)]
    hasty = [vote(4, p, "higher", session_seconds=9.0) for p in range(8)]
    report = analyse(study(*VOTES[:24], *leaving, *hasty))
    stages = attrition(report)
    assert [(each.name, each.raters, each.rate.lower, each.rate.votes) for each in stages] == [
        ("finished", 3, 15, 23),
        ("stopped early", 1, 0, 6),
        ("were left out", 1, 0, 8),
    ]
    assert sum(each.rate.votes for each in stages[:2]) == report.inference.votes
    told = document(report)["flow"]["attrition"]
    assert [each["rate"]["lower"] for each in told] == [15, 0, 0]
    alone = analyse(study(*VOTES[:24]))
    votes = next(s for s in sections_of(alone) if s.key == "votes")
    assert len(attrition(alone)) == 1 and not votes.tables


def test_left_is_said_to_be_on_top_where_formulas_were_stacked() -> None:
    narrow = [vote(r, p, viewport="narrow") for r in range(2) for p in range(8)]
    report = analyse(study(*narrow))
    sides = next(s for s in sections_of(report) if s.key == "sides")
    assert "“left” here is the one on top: all 16 votes from a phone's width." in sides.lines[1]
