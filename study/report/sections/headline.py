"""What the votes support."""

from __future__ import annotations

from study.report import terms
from study.report.analysis import StudyReport
from study.report.sections.section import Fact, Section
from study.report.words import interval_text, level_text, number, p_text, percent
from study.statistics.words import counted

TITLE = "Preference, with clusters allowed for"
HOW = (
    "Votes on one pair resemble each other, and so do votes of one person, so a vote tells less "
    "than an independent one. The variance is two-way clustered (Cameron, Gelbach & Miller, "
    "2011): the variance between pairs (or problems) plus that between raters, less what both "
    "share, and never below the smaller of the two. Interval and test use Student's t with the "
    "fewest clusters less one degrees of freedom, on the scale of the log odds. Every deciding "
    "vote weighs the same, so a pair or a problem with more votes counts for more. Raters and "
    "pairs are taken for random samples of their kind; if they were picked, the interval does not "
    "know how."
)


def headline_section(report: StudyReport) -> Section:
    """The clustered rate, its interval and test, and two checks by other routes."""
    found, level = report.inference, level_text(report.level)
    if found.rate is None:
        return Section("headline", "headline", TITLE, (found.sentence,), figure="preference")
    sampled = ", ".join(counted(n, kind) for kind, n in found.clusters) or "none"
    return Section(
        key="headline",
        group="headline",
        title=TITLE,
        lines=(found.sentence,),
        figure="preference",
        facts=(
            Fact("rate", percent(found.rate), terms.RATE),
            Fact(f"{level} interval", interval_text(found.interval(report.level)), terms.INTERVAL),
            Fact("p, two-sided", p_text(found.p_two_sided), terms.P_VALUE),
            Fact("p, one-sided", p_text(found.p_value), terms.ONE_SIDED),
            Fact("estimand", report.estimand, terms.ESTIMAND),
            Fact("clusters", sampled, terms.CLUSTERS),
            Fact("standard error", number(found.standard_error, 4)),
            Fact("design effect", number(found.design_effect, 2), terms.DESIGN_EFFECT),
            Fact("worth in independent votes", number(found.effective_votes, 1),
                 terms.EFFECTIVE_VOTES),
            *_bootstraps(report),
            Fact("majorities of pairs", report.sign_test.sentence, terms.SIGN_TEST),
            Fact("p of the sign test, one-sided", p_text(report.sign_test.p_value),
                 terms.SIGN_TEST),
        ),
        explanation=HOW,
    )  # fmt: skip


def _bootstraps(report: StudyReport) -> tuple[Fact, ...]:
    """Checks of the interval; none for "these pairs", which are not drawn."""
    if report.estimand == "these pairs":
        return ()
    level = level_text(report.level)
    return (
        Fact(f"{level} interval, pair bootstrap", interval_text(report.bootstrap),
             terms.BOOTSTRAP),
        Fact(f"{level} interval, two-way bootstrap", interval_text(report.two_way_bootstrap),
             terms.TWO_WAY_BOOTSTRAP),
    )  # fmt: skip
