"""Is it EIC, or what the eye sees?"""

from __future__ import annotations

from eic_core import wording
from study.report import terms
from study.report.analysis import StudyReport
from study.report.phrases.looks import gaps_summary, held_equal
from study.report.phrases.numbers import interval_text
from study.report.section import Fact, Section, SectionTable
from study.report.section_parts import (
    interval_head,
    threat_section,
)
from study.statistics.regression import INTERCEPT, RegressionTerm
from study.statistics.threats.gaps import UNITS


def gaps_section(report: StudyReport) -> Section:
    found = report.threats.gaps
    table = SectionTable(
        ("for", "odds ratio", interval_head(report.level), "p"),
        tuple(_odds(term, report.level) for term in found.terms),
        "By what factor the odds of a vote for the lower EIC change.",
    )
    adjusted = found.adjusted_rate
    return threat_section(
        "gaps",
        "Is it EIC that raters follow?",
        found,
        lines=(str(gaps_summary(found)),),
        facts=(
            Fact(
                f"rate at {held_equal(found)}",
                wording.percent(adjusted[0] if adjusted else None, 1),
                "What the regression expects between formulas that differ in EIC alone.",
            ),
            Fact(
                interval_head(report.level),
                interval_text(adjusted[1] if adjusted else None),
                terms.INTERVAL,
            ),
        ),
        tables=(table,) if found.terms else (),
        explanation=f"A clustered logistic regression of the votes on what differs between the "
        f"formulas of a pair. {terms.ODDS_RATIO}",
    )


def structure_section(report: StudyReport) -> Section:
    found = report.threats.structure
    rows = tuple(_odds(term, report.level) for term in found.fit.terms if term.name != INTERCEPT)
    table = SectionTable(
        ("for", "odds ratio", interval_head(report.level), "p"),
        rows,
        "By what factor the odds of a vote for the lower EIC change; counts are those of its "
        "formula less those of the other.",
    )
    adjusted = found.adjusted_rate
    return threat_section(
        "structure",
        "EIC, or what the eye sees?",
        found,
        facts=(
            Fact(
                "rate between formulas that look alike",
                wording.percent(adjusted[0] if adjusted else None, 1),
            ),
            Fact(
                interval_head(report.level),
                interval_text(adjusted[1] if adjusted else None),
                terms.INTERVAL,
            ),
            Fact(
                "p that the preference does not grow with the gap, one-sided",
                wording.p_number(found.dose_p, 3),
                terms.P_VALUE,
            ),
            Fact(
                f"pairs in which {found.predictor.name or 'a visible count'} tells the lower EIC",
                wording.percent(found.predictor.auc, 0),
                "By the best visible count, each problem judged by the others; 50 % is chance.",
            ),
        ),
        tables=(table,) if rows else (),
        explanation="A clustered logistic regression of the votes on the gap in EIC, on the side "
        "and on what the eye sees of the two formulas. That people follow EIC needs both: a "
        "preference between formulas that look alike, and one that grows with the gap.",
    )


def _odds(term: RegressionTerm, level: float) -> tuple[str, ...]:
    ratio, interval = term.ratio(1.0, level)
    ends = f"[{wording.ratio(interval.low)}, {wording.ratio(interval.high)}]"
    unit = UNITS.get(term.name, f"each one more of {term.name}")
    return unit, wording.ratio(ratio), ends, wording.p_number(term.p_value, 3)
