"""What could be wrong with a result, a section each."""

from __future__ import annotations

from dataclasses import replace

from eic_core import wording
from study.report import terms
from study.report.analysis import StudyReport
from study.report.look_sections import structure_section
from study.report.phrases.notes import (
    narrow_windows,
)
from study.report.phrases.numbers import interval_text
from study.report.phrases.threats import threat_sentence
from study.report.section import Fact, Section, SectionTable
from study.report.section_parts import (
    interval_head,
    number_cell,
    rate_cells,
    rates_table,
    table_of_enough,
    threat_section,
)
from study.statistics.exclusions import Unit
from study.statistics.threats.screens import WINDOWS
from study.statistics.threats.ties import CONVENTIONS

CURVES: tuple[tuple[Unit, str], ...] = (
    ("session", "Whole sessions left out"),
    ("vote", "Single votes left out"),
)


def threat_sections(report: StudyReport) -> tuple[Section, ...]:
    """All threats in a reviewer's order; without a valid vote a sentence each, and no empty
    tables.
    """
    sections = (
        _sensitivity(report),
        _attention(report),
        _sides(report),
        _one_sided(report),
        _ballots(report),
        *((_screens(report),) if report.threats.screens.classes else ()),
        structure_section(report),
        _problems(report),
        _ties(report),
    )
    if report.valid_votes:
        return sections
    return tuple(replace(each, facts=(), tables=(), figure="") for each in sections)


def _sensitivity(report: StudyReport) -> Section:
    found, level = report.threats.sensitivity, report.level
    tables = tuple(
        table_of_enough(
            ("under", "valid votes", "raters", "rate", interval_head(level)),
            (
                (
                    p.rate.votes,
                    f"{wording.plain(p.threshold_seconds)} s{' (frozen rule)' if p.frozen else ''}",
                    f"{p.valid:,}",
                    f"{p.raters:,}",
                    *rate_cells(p.rate, level),
                )
                for p in found.of_unit(unit)
            ),
            caption,
        )
        for unit, caption in CURVES
    )
    return threat_section(
        "sensitivity",
        "Does the result hang on the exclusion rule?",
        found,
        figure="sensitivity",
        tables=tables,
        explanation="The rate and its clustered interval, had the threshold on active seconds "
        "been another one, for whole sessions and for single votes.",
    )


def _attention(report: StudyReport) -> Section:
    found = report.threats.attention
    return threat_section(
        "attention",
        "Were raters attentive?",
        found,
        facts=(
            Fact(
                "attention checks passed",
                f"{found.passed:,} of {found.answered:,}",
                terms.ATTENTION,
            ),
            Fact("raters who failed one", f"{found.failed_raters:,} of {len(found.raters):,}"),
            Fact("p of a difference", wording.p_number(found.p_value, 3), terms.P_VALUE),
        ),
        tables=(
            rates_table(
                report,
                "raters",
                (
                    ("who failed a check", found.with_failure),
                    ("all others", found.without_failure),
                ),
            ),
        ),
        explanation="A clustered logistic regression of the valid votes on whether their rater "
        "failed a check.",
    )


def _sides(report: StudyReport) -> Section:
    found = report.threats.sides
    return threat_section(
        "sides",
        "Do raters favour a side?",
        found,
        lines=tuple(filter(None, (str(threat_sentence(found)), _stacked(report)))),
        facts=(
            Fact("left / right / tie", f"{found.left:,} / {found.right:,} / {found.ties:,}"),
            Fact("left chosen", wording.percent(found.share, 1)),
            Fact(
                interval_head(report.level),
                interval_text(found.clustered.interval(report.level)),
                terms.INTERVAL,
            ),
            Fact("p, two-sided", wording.p_number(found.p_value, 3), terms.P_VALUE),
            Fact("lower EIC on the left", wording.percent(found.lower_on_left, 1)),
        ),
        explanation="The same clustered test as in the headline, with “left” in place of “lower "
        "EIC”.",
    )


def _stacked(report: StudyReport) -> str:
    """What left and right were on screens where the formulas stood one above the other."""
    narrow, medium = (
        sum(vote.viewport == name for vote in report.valid_votes) for name in ("narrow", "medium")
    )
    parts = (
        f"all {wording.count(narrow, 'vote')} from a phone's width" if narrow else "",
        f"some of the {wording.count(medium, 'vote')} from a tablet's" if medium else "",
    )
    told = " and ".join(filter(None, parts))
    if not told:
        return ""
    return (
        f"In {narrow_windows(report.votes_cast)} the formulas stood one above the other, and "
        f"“left” here is the one on top: {told}."
    )


def _one_sided(report: StudyReport) -> Section:
    found = report.threats.sides.one_sided
    return threat_section(
        "one-sided",
        "Do some raters always click one side?",
        found,
        facts=(
            Fact("raters always left / always right", f"{len(found.left)} / {len(found.right)}"),
            Fact(
                "by chance",
                number_cell(found.expected, 2),
                "How many such raters chance would give, given what each of them preferred.",
            ),
            Fact("p of so many", wording.p_number(found.p_value, 3), terms.P_VALUE),
        ),
        tables=(
            rates_table(
                report,
                "votes",
                (
                    ("all valid", found.everybody),
                    ("without these raters", found.without_them),
                ),
            ),
        ),
    )


def _ballots(report: StudyReport) -> Section:
    found, level = report.threats.ballots, report.level
    thirds = table_of_enough(
        ("ballots", "valid votes", "rate", interval_head(level), "median seconds"),
        (
            (
                t.rate.votes,
                f"{t.name} ({t.first} to {t.last})",
                f"{t.votes:,}",
                *rate_cells(t.rate, level),
                wording.seconds(t.median_seconds),
            )
            for t in found.thirds
        ),
    )
    return threat_section(
        "ballots",
        "Do raters learn or tire?",
        found,
        figure="ballots",
        tables=(thirds,) if found.thirds else (),
        facts=(Fact("p of a trend", wording.p_number(found.p_value, 3), terms.P_VALUE),),
        explanation="A clustered logistic regression of the votes on the number of the ballot, "
        "and a regression of the logarithm of the active seconds, clustered by rater.",
    )


def _screens(report: StudyReport) -> Section:
    found, level = report.threats.screens, report.level
    rows = (
        (
            each.rate.votes,
            WINDOWS[each.viewport],
            f"{each.raters:,}",
            f"{each.votes:,}",
            *rate_cells(each.rate, level),
        )
        for each in found.classes
    )
    heads = ("window of", "raters", "valid votes", "rate", interval_head(level))
    table = table_of_enough(heads, rows)
    return threat_section(
        "screens",
        "Does it depend on the screen?",
        found,
        tables=(table,),
        facts=(Fact("p of a difference", wording.p_number(found.p_value, 3), terms.P_VALUE),),
        explanation="A clustered logistic regression of the votes on the class of the window, up "
        "to 599 px, to 1,023 px, or wider.",
    )


def _problems(report: StudyReport) -> Section:
    found = report.threats.problems
    table = table_of_enough(
        (
            "problem",
            "pairs",
            "raters",
            "for the lower",
            "votes",
            "rate",
            interval_head(report.level),
        ),
        (
            (
                p.votes,
                p.problem,
                f"{p.pairs:,}",
                f"{p.raters:,}",
                f"{p.lower:,}",
                f"{p.votes:,}",
                wording.percent(p.rate, 1),
                interval_text(p.interval),
            )
            for p in found.rates
        ),
    )
    return threat_section(
        "problems",
        "Does it hold in every problem?",
        found,
        figure="problems",
        tables=(table,) if found.rates else (),
        facts=(
            Fact(
                "p that problems differ only as pairs do",
                wording.p_number(found.p_value, 3),
                terms.P_VALUE,
            ),
        ),
        explanation="The pairs are dealt to the problems anew, 2,000 times, to see how far "
        "problems would differ if nothing but the pairs did. Intervals are clustered where a "
        "problem has pairs and raters enough, else Wilson's for as many votes as theirs are worth.",
    )


def _ties(report: StudyReport) -> Section:
    found, level = report.threats.ties, report.level
    rows = tuple(
        (CONVENTIONS[each.convention], f"{each.votes:,}", *rate_cells(each.clustered, level))
        for each in found.counted
    )
    table = SectionTable(("convention", "votes", "rate", interval_head(level)), rows)
    return threat_section(
        "ties",
        "Does it matter how ties are counted?",
        found,
        tables=(table,) if found.ties else (),
        explanation=terms.TIE,
    )
