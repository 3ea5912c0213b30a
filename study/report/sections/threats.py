"""What could be wrong: a section for each threat, its judgement and its sentence first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from study.report import terms
from study.report.analysis import StudyReport
from study.report.sections.section import Fact, Section, Table
from study.report.words import interval_text, level_text, number, p_text, percent, seconds_text
from study.statistics.clustered import ClusteredRate
from study.statistics.exclusions import Unit
from study.statistics.regression import Term
from study.statistics.threats.gaps import UNITS
from study.statistics.threats.ties import CONVENTIONS
from study.statistics.words import factor, plain

CURVES: tuple[tuple[Unit, str], ...] = (
    ("session", "Whole sessions left out"), ("vote", "Single votes left out"),
)  # fmt: skip


def threat_sections(report: StudyReport) -> tuple[Section, ...]:
    """All threats, in the order in which a reviewer might raise them.

    Without a valid vote each has its sentence and no empty tables.
    """
    sections = (
        _sensitivity(report),
        _attention(report),
        _sides(report),
        _one_sided(report),
        _ballots(report),
        _gaps(report),
        _problems(report),
        _ties(report),
    )
    if report.valid:
        return sections
    return tuple(replace(each, facts=(), tables=(), figure="") for each in sections)


def _threat(key: str, title: str, found: Any, **more: Any) -> Section:
    more.setdefault("lines", (found.sentence,))
    return Section(key=key, group="threats", title=title, judgement=found.judgement, **more)


def _sensitivity(report: StudyReport) -> Section:
    found, level = report.threats.sensitivity, report.level
    tables = tuple(
        Table(
            ("under", "valid votes", "raters", "rate", f"{level_text(level)} interval"),
            tuple(
                (f"{plain(p.threshold_seconds)} s{' (frozen rule)' if p.frozen else ''}",
                 f"{p.valid:,}", f"{p.raters:,}", *_rate(p.rate, level))
                for p in found.of_unit(unit)
            ),
            caption,
        )
        for unit, caption in CURVES
    )  # fmt: skip
    return _threat(
        "sensitivity", "Does the result hang on the exclusion rule?", found,
        figure="sensitivity", tables=tables,
        explanation="The rate and its clustered interval, had the threshold on active seconds "
        "been another one, for whole sessions and for single votes.",
    )  # fmt: skip


def _attention(report: StudyReport) -> Section:
    found = report.threats.attention
    return _threat(
        "attention", "Were raters attentive?", found,
        facts=(
            Fact("attention checks passed", f"{found.passed:,} of {found.answered:,}",
                 terms.ATTENTION),
            Fact("raters who failed one", f"{found.failed_raters:,} of {len(found.raters):,}"),
            Fact("p of a difference", p_text(found.p_value), terms.P_VALUE),
        ),
        tables=(_rates(report, "raters", (
            ("who failed a check", found.with_failure), ("all others", found.without_failure),
        )),),
        explanation="A clustered logistic regression of the valid votes on whether their rater "
        "failed a check.",
    )  # fmt: skip


def _sides(report: StudyReport) -> Section:
    found = report.threats.sides
    return _threat(
        "sides", "Do raters favour a side?", found,
        facts=(
            Fact("left / right / tie", f"{found.left:,} / {found.right:,} / {found.ties:,}"),
            Fact("left chosen", percent(found.share)),
            Fact(f"{level_text(report.level)} interval",
                 interval_text(found.clustered.interval(report.level)), terms.INTERVAL),
            Fact("p, two-sided", p_text(found.p_value), terms.P_VALUE),
            Fact("lower EIC on the left", percent(found.lower_on_left)),
        ),
        explanation="The same clustered test as in the headline, with “left” in place of “lower "
        "EIC”.",
    )  # fmt: skip


def _one_sided(report: StudyReport) -> Section:
    found = report.threats.sides.one_sided
    return _threat(
        "one-sided", "Do some raters always click one side?", found,
        facts=(
            Fact("raters always left / always right", f"{len(found.left)} / {len(found.right)}"),
            Fact("by chance", number(found.expected, 2),
                 "How many such raters chance would give, given what each of them preferred."),
            Fact("p of so many", p_text(found.p_value), terms.P_VALUE),
        ),
        tables=(_rates(report, "votes", (
            ("all valid", found.everybody), ("without these raters", found.without_them),
        )),),
    )  # fmt: skip


def _ballots(report: StudyReport) -> Section:
    found, level = report.threats.ballots, report.level
    thirds = Table(
        ("ballots", "valid votes", "rate", f"{level_text(level)} interval", "median seconds"),
        tuple(
            (f"{t.name} ({t.first} to {t.last})", f"{t.votes:,}", *_rate(t.rate, level),
             seconds_text(t.median_seconds))
            for t in found.thirds
        ),
    )  # fmt: skip
    return _threat(
        "ballots", "Do raters learn or tire?", found, figure="ballots",
        tables=(thirds,) if found.thirds else (),
        facts=(Fact("p of a trend", p_text(found.p_value), terms.P_VALUE),),
        explanation="A clustered logistic regression of the votes on the number of the ballot, "
        "and a regression of the logarithm of the active seconds, clustered by rater.",
    )  # fmt: skip


def _gaps(report: StudyReport) -> Section:
    found = report.threats.gaps
    table = Table(
        ("for", "odds ratio", f"{level_text(report.level)} interval", "p"),
        tuple(_odds(term, report.level) for term in found.terms),
        "By what factor the odds of a vote for the lower EIC change.",
    )
    adjusted = found.adjusted_rate
    return _threat(
        "gaps", "Is it EIC that raters follow?", found, lines=(found.summary,),
        facts=(
            Fact(f"rate at {found.compared}", percent(adjusted[0] if adjusted else None),
                 "What the regression expects between formulas that differ in EIC alone."),
            Fact(f"{level_text(report.level)} interval",
                 interval_text(adjusted[1] if adjusted else None), terms.INTERVAL),
        ),
        tables=(table,) if found.terms else (),
        explanation=f"A clustered logistic regression of the votes on what differs between the "
        f"formulas of a pair. {terms.ODDS_RATIO}",
    )  # fmt: skip


def _odds(term: Term, level: float) -> tuple[str, ...]:
    ratio, interval = term.ratio(1.0, level)
    ends = f"[{factor(interval.low)}, {factor(interval.high)}]"
    return UNITS[term.name], factor(ratio), ends, p_text(term.p_value)


def _problems(report: StudyReport) -> Section:
    found = report.threats.problems
    table = Table(
        ("problem", "pairs", "raters", "for the lower", "votes", "rate",
         f"{level_text(report.level)} interval"),
        tuple(
            (p.problem, f"{p.pairs:,}", f"{p.raters:,}", f"{p.lower:,}", f"{p.votes:,}",
             percent(p.rate), interval_text(p.interval))
            for p in found.rates
        ),
    )  # fmt: skip
    return _threat(
        "problems", "Does it hold in every problem?", found, figure="problems",
        tables=(table,) if found.rates else (),
        facts=(Fact("p that problems differ only as pairs do", p_text(found.p_value),
                    terms.P_VALUE),),
        explanation="The pairs are dealt to the problems anew, 2,000 times, to see how far "
        "problems would differ if nothing but the pairs did. Intervals are clustered where a "
        "problem has pairs and raters enough, else Wilson's for as many votes as theirs are worth.",
    )  # fmt: skip


def _ties(report: StudyReport) -> Section:
    found, level = report.threats.ties, report.level
    rows = tuple(
        (CONVENTIONS[each.convention], f"{each.votes:,}", *_rate(each.clustered, level))
        for each in found.counted
    )
    table = Table(("convention", "votes", "rate", f"{level_text(level)} interval"), rows)
    return _threat("ties", "Does it matter how ties are counted?", found,
                   tables=(table,) if found.ties else (), explanation=terms.TIE)  # fmt: skip


def _rates(
    report: StudyReport, name: str, rows: Iterable[tuple[str, ClusteredRate]]
) -> Table:
    return Table(
        (name, "votes", "rate", f"{level_text(report.level)} interval"),
        tuple((what, f"{rate.votes:,}", *_rate(rate, report.level)) for what, rate in rows),
    )


def _rate(rate: ClusteredRate, level: float) -> tuple[str, str]:
    return percent(rate.rate), interval_text(rate.interval(level))
