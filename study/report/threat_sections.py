"""What could be wrong with a result: a section for each threat, and one for the problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from eic_core import wording
from study.report import terms
from study.report.analysis import StudyReport
from study.report.phrases.looks import dose_sentence, structure_sentence
from study.report.phrases.notes import narrow_windows
from study.report.phrases.numbers import interval_text
from study.report.phrases.threats import threat_sentence
from study.report.section import Fact, Section, SectionTable
from study.report.section_parts import (
    interval_head,
    rate_cells,
    rates_table,
    table_of_enough,
    threat_section,
)
from study.statistics.threats.raters import RaterScreen
from study.statistics.threats.screens import WINDOWS
from study.statistics.threats.ties import CONVENTIONS


def _by_failure(report: StudyReport) -> SectionTable:
    found = report.threats.attention
    rows = (("who failed a check", found.with_failure), ("all others", found.without_failure))
    return rates_table(report, "raters", rows)


def _raters(report: StudyReport) -> SectionTable | None:
    """Raters whom something is said of: flagged, or always on one side."""
    found = report.threats.raters
    sided = {*found.one_sided.left, *found.one_sided.right}
    named = {*sided, *(each.rater for each in (*found.hasty, *found.coins))}
    named |= {name for each in found.alike for name in (each.first, each.second)}
    if not named:
        return None

    def row(each: RaterScreen) -> tuple[str, ...]:
        seconds, with_others = wording.seconds(each.seconds), wording.percent(each.agreement, 0)
        left = wording.percent(each.left, 0)
        return each.rater, f"{each.votes:,}", seconds, with_others, left

    return SectionTable(
        ("rater", "votes", "median seconds", "of others' votes alike", "left chosen"),
        tuple(row(each) for each in found.raters if each.rater in named),
    )


def _thirds(report: StudyReport) -> SectionTable:
    level = report.level
    return table_of_enough(
        ("ballots", "valid votes", "rate", interval_head(level), "median seconds"),
        (
            (
                each.rate.votes,
                f"{each.name} ({each.first} to {each.last})",
                f"{each.votes:,}",
                *rate_cells(each.rate, level),
                wording.seconds(each.median_seconds),
            )
            for each in report.threats.ballots.thirds
        ),
    )


def _windows(report: StudyReport) -> SectionTable:
    level = report.level
    return table_of_enough(
        ("window of", "raters", "valid votes", "rate", interval_head(level)),
        (
            (
                each.rate.votes,
                WINDOWS[each.viewport],
                f"{each.raters:,}",
                f"{each.votes:,}",
                *rate_cells(each.rate, level),
            )
            for each in report.threats.screens.classes
        ),
    )


def _ties(report: StudyReport) -> SectionTable | None:
    found, level = report.threats.ties, report.level
    rows = tuple(
        (CONVENTIONS[each.convention], f"{each.votes:,}", *rate_cells(each.clustered, level))
        for each in found.counted
    )
    heads = ("convention", "votes", "rate", interval_head(level))
    return SectionTable(heads, rows) if found.ties else None


def _stacked(report: StudyReport) -> Iterable[str]:
    """What left and right were on screens where the formulas stood one above the other."""
    narrow, medium = (
        sum(vote.viewport == name for vote in report.valid_votes) for name in ("narrow", "medium")
    )
    parts = (
        f"all {wording.count(narrow, 'vote')} from a phone's width" if narrow else "",
        f"some of the {wording.count(medium, 'vote')} from a tablet's" if medium else "",
    )
    stacked = " and ".join(filter(None, parts))
    if stacked:
        yield (
            f"In {narrow_windows(report.votes_cast)} the formulas stood one above the other, and "
            f"“left” here is the one on top: {stacked}."
        )


@dataclass(frozen=True)
class ThreatRow:
    """How a threat is shown beside its sentence."""

    title: str
    explanation: str
    table: Callable[[StudyReport], SectionTable | None] = lambda report: None
    figure: str = ""


ROWS = {
    "sensitivity": ThreatRow(
        "Does the result hang on the exclusion rule?",
        "Thresholds on active seconds, of whole sessions and of single votes.",
        figure="sensitivity",
    ),
    "attention": ThreatRow(
        "Were raters attentive?",
        f"{terms.ATTENTION} A clustered logistic regression of the valid votes on whether their "
        "rater failed a check.",
        _by_failure,
    ),
    "sides": ThreatRow(
        "Do raters favour a side?",
        "Sides are dealt at random, so the test is by pair and rater whatever the study samples, "
        "with “left” in place of “lower EIC”.",
    ),
    "raters": ThreatRow(
        "Does any rater answer in haste, like a coin, on one place, or twice?",
        "Each rater with five or more deciding votes, beside the others: speed, answers like a "
        "coin's, choices of the left; for two raters the odds that one person gave both answers. "
        "methods.md in the archive has each test.",
        _raters,
    ),
    "ballots": ThreatRow(
        "Do raters learn or tire?",
        "A clustered logistic regression of the votes on the number of the ballot, and a "
        "regression of the logarithm of the active seconds.",
        _thirds,
        "ballots",
    ),
    "screens": ThreatRow(
        "Does it depend on the screen?",
        "A clustered logistic regression of the votes on the class of the window, up to 599 px, "
        "to 1,023 px, or wider.",
        _windows,
    ),
    "ties": ThreatRow("Does it matter how ties are counted?", terms.TIE, _ties),
}
"""The threats whose sections are of one form, by their names in `Threats`."""


def threat_sections(report: StudyReport) -> tuple[Section, ...]:
    """All threats in a reviewer's order; without a valid vote a sentence each."""
    sections = (
        _structure(report) if name == "structure" else _section(name, report)
        for name in report.threats.each()
        if name != "screens" or report.threats.screens.classes
    )
    if report.valid_votes:
        return tuple(sections)
    return tuple(replace(each, facts=(), tables=(), figure="") for each in sections)


def _section(name: str, report: StudyReport) -> Section:
    row, found = ROWS[name], report.threats.each()[name]
    table = row.table(report)
    more = _stacked(report) if name == "sides" else ()
    return threat_section(
        name,
        row.title,
        found,
        lines=(str(threat_sentence(found)), *more),
        figure=row.figure,
        tables=(table,) if table else (),
        explanation=row.explanation,
    )


def _structure(report: StudyReport) -> Section:
    found = report.threats.structure
    rate, interval = found.adjusted_rate or (None, None)
    dose = dose_sentence(found)
    return threat_section(
        "structure",
        "Is it EIC, or what the eye sees?",
        found,
        lines=(str(structure_sentence(found)), *((str(dose),) if dose else ())),
        facts=(
            Fact("rate between formulas that look alike", wording.percent(rate, 1)),
            Fact(interval_head(report.level), interval_text(interval), terms.INTERVAL),
            Fact(
                "p of the growth with the gap, one-sided",
                wording.p_number(found.dose_p, 3),
                "How often so steep a growth or a steeper one would be found if the preference did "
                "not grow with the gap in EIC.",
            ),
            Fact(
                f"pairs in which {found.predictor.name or 'a visible count'} tells the lower EIC",
                wording.percent(found.predictor.auc, 0),
                "By the best visible count, each problem judged by the others; 50 % is chance.",
            ),
        ),
        explanation="A clustered logistic regression of the votes on the gap in EIC, the side, and "
        "what else a rater sees: R², complexity, functions, nesting, depth, length, digits. The "
        "preference remains if it is clear where these do not differ, and vanishes if the interval "
        "there includes one half; if also the rate of all votes, the votes are too few to tell.",
    )


def problems_section(report: StudyReport) -> Section:
    """A description: that problems differ is in the headline's interval."""
    found, heads = report.threats.problems, ("problem", "pairs", "votes")
    rows = (
        (
            each.votes,
            each.problem,
            f"{each.pairs:,}",
            f"{each.votes:,}",
            wording.percent(each.rate, 1),
            interval_text(each.interval),
        )
        for each in found.rates
    )
    some = bool(report.valid_votes)
    table = table_of_enough((*heads, "rate", interval_head(report.level)), rows)
    return Section(
        "problems",
        "study",
        "Problem by problem",
        (str(threat_sentence(found)),),
        tables=(table,) if some else (),
        figure="problems" if some else "",
        explanation="The pairs are dealt to the problems anew, 2,000 times, to see how far "
        "problems would differ if nothing but the pairs did.",
    )
