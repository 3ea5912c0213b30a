"""What was declared before the first vote, and what a reader of the numbers must know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eic_core import wording
from eic_core.phrasing import Phrase, say, say_count
from study.report.analysis import StudyReport
from study.report.declared import DeclaredAnalysis
from study.report.exported import ExportedVote, StudyExport


def declared_sentence(declared: DeclaredAnalysis) -> Phrase:
    """The declared analysis.

    >>> print(declared_sentence(DeclaredAnalysis("these pairs", 0.95, "two-sided", 0.05)))
    Declared before the first vote: an estimate for these pairs, 95 % intervals, a two-sided test,
    and a smallest effect of interest of 5 points from one half.
    """
    return say(
        "Declared before the first vote: an estimate for {estimand}, {level} intervals, a {sided} "
        "test, and a smallest effect of interest of {points} points from one half.",
        estimand=declared.estimand,
        level=wording.level_percent(declared.confidence_level),
        sided=declared.sidedness,
        points=f"{100 * declared.smallest_effect:.3g}",
    )


def narrow_windows(votes: Iterable[ExportedVote]) -> Phrase:
    """The windows in which both formulas stood one above the other, on the pages of the votes.

    >>> print(narrow_windows(()))
    windows under 700 px
    """
    before = {vote.page is None for vote in votes}
    if before == {True}:
        return say("windows under 900 px")
    if len(before) == 2:
        return say("windows under 700 px (under 900 px on the page of before)")
    return say("windows under 700 px")


def departures(
    declared: DeclaredAnalysis | None, estimand: str, level: float
) -> tuple[Phrase, ...]:
    """Where a report is not what was declared, a sentence each.

    >>> declared = DeclaredAnalysis("these pairs", 0.95, "two-sided", 0.05)
    >>> print(*departures(declared, "these pairs", 0.9))
    The intervals are 90 % ones; declared before the first vote were 95 % ones.
    """
    if declared is None:
        return ()
    found = []
    if estimand != declared.estimand:
        found.append(
            say(
                "This is for {estimand}; declared before the first vote was an estimate for "
                "{declared}.",
                estimand=estimand,
                declared=declared.estimand,
            )
        )
    if level != declared.confidence_level:
        found.append(
            say(
                "The intervals are {level} ones; declared before the first vote were {declared} "
                "ones.",
                level=wording.level_percent(level),
                declared=wording.level_percent(declared.confidence_level),
            )
        )
    return tuple(found)


def notes(report: StudyReport, *, looks: bool = True) -> tuple[Phrase, ...]:
    """What else a reader must know; without `looks` not that somebody looked before the end."""
    export = report.export
    found = []
    if looks and export.unblindings:
        found.append(looks_sentence(export))
    found += departures(report.declared, report.estimand, report.level)
    if not export.checkable:
        found.append(
            say(
                "The export holds no frozen configuration, so whether pairs, rules or votes were "
                "edited cannot be checked."
            )
        )
    elif report.declared is None:
        found.append(
            say(
                "This study declared neither what the result is about, nor level, sidedness and "
                "smallest effect of interest before its first vote: they are this report’s."
            )
        )
    if export.checkable and report.unsealed:
        found.append(unsealed_sentence(report.unsealed, len(export.votes)))
    if export.closed_at is None:
        found.append(say("The study was not closed when it was exported."))
    return tuple(found)


def unsealed_sentence(unsealed: int, votes: int) -> Phrase:
    """That votes have no seal: nobody can tell from the export whether they were changed.

    >>> print(unsealed_sentence(94, 110))
    94 of 110 votes, practice and checks among them, were cast before votes were sealed: from the
    export alone nobody can tell whether they are as they were cast.
    """
    return say_count(
        "{unsealed} of {count} vote, practice and checks among them, were cast before votes were "
        "sealed: from the export alone nobody can tell whether they are as they were cast.",
        "{unsealed} of {count} votes, practice and checks among them, were cast before votes were "
        "sealed: from the export alone nobody can tell whether they are as they were cast.",
        votes,
        unsealed=unsealed,
    )


def meaning_sentence(meaning: str) -> Phrase:
    """What raters were told before the first ballot, in the organiser's words."""
    return say("They were told what that means: “{meaning}”", meaning=" ".join(meaning.split()))


def giveaway_sentence(reason: str) -> Phrase:
    """Why pairs were taken of which a visible feature tells the lower EIC."""
    return say(
        "A feature that raters see tells the lower EIC in more than four of five pairs; that they "
        "were taken nevertheless has this reason: “{reason}”",
        reason=" ".join(reason.split()),
    )


def undone_sentence(undone: int) -> Phrase:
    """How many answers on pairs their raters undid.

    >>> print(undone_sentence(3))
    3 answers on pairs were undone within five seconds and are left out everywhere; where the rater
    answered again, that answer counts.
    """
    return say_count(
        "{count} answer on a pair was undone within five seconds and is left out everywhere; where "
        "the rater answered again, that answer counts.",
        "{count} answers on pairs were undone within five seconds and are left out everywhere; "
        "where the rater answered again, that answer counts.",
        undone,
    )


def page_sentences(export: StudyExport) -> Iterator[Phrase]:
    """From which vote on another page showed the ballots; none if one page showed them all."""
    pages = {vote.page or 1 for vote in export.every_vote}
    if 1 in pages and len(pages) > 1:
        yield say(
            "From vote {vote} of {day} on, ballots were shown by another page: the same formulas, "
            "data and curves in another layout, and an answer could be undone for five seconds.",
            **_first_from(export, 2),
        )
    if min(pages, default=3) < 3 <= max(pages, default=3):
        yield say(
            "From vote {vote} of {day} on, a formula wider than its card counts as seen once it "
            "was scrolled to both ends; where `page` is below 3, its height alone was looked at.",
            **_first_from(export, 3),
        )


def _first_from(export: StudyExport, page: int) -> dict[str, str]:
    first = next(vote for vote in export.every_vote if (vote.page or 1) >= page)
    return {"vote": first.vote, "day": wording.day(first.voted_at)}


def looks_sentence(export: StudyExport) -> Phrase:
    """Who looks before the end may stop when it suits: when that was, in a sentence.

    >>> from datetime import UTC, datetime
    >>> from study.report.exported import Unblinding
    >>> look = Unblinding(datetime(2025, 3, 1, tzinfo=UTC), 312)
    >>> print(looks_sentence(StudyExport("s", "Demo", "", (), (), unblindings=(look,))))
    The results were looked at while the study was open: on 1 March 2025 when 312 votes had been
    cast. Intervals and tests hold for a study that nobody looked into before the end.
    """
    looks = [
        say_count(
            "on {day} when {count} vote had been cast",
            "on {day} when {count} votes had been cast",
            look.votes_then,
            day=wording.day(look.at),
        )
        for look in export.unblindings
    ]
    return say(
        "The results were looked at while the study was open: {looks}. Intervals and tests hold "
        "for a study that nobody looked into before the end.",
        looks="; ".join(map(str, looks)),
    )
