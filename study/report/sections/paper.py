"""The numbers of Yu et al., so that two studies can be laid side by side."""

from __future__ import annotations

from study.report import terms
from study.report.analysis import StudyReport
from study.report.sections.section import Fact, Section
from study.report.words import interval_text, level_text, number, p_text, percent

TITLE = "Preference as the paper computes it"
WHY_NARROWER = (
    "These numbers take every vote as independent, as the paper does. Votes on one pair and votes "
    "of one person are not, so the intervals are narrower, and the test is surer, than the votes "
    "allow: use them to compare with the paper, not to judge."
)


def paper_section(report: StudyReport) -> Section:
    """Rate, exact test, Wilson and Clopper–Pearson intervals, Fleiss' kappa."""
    preference, level = report.preference, level_text(report.level)
    kappa = report.fleiss_kappa
    counts = Fact("lower / higher / tie",
                  f"{preference.lower:,} / {preference.higher:,} / {preference.ties:,}",
                  terms.PREFERENCE)  # fmt: skip
    undefined = f"Fleiss' kappa is not defined: {kappa.reason}" if kappa.reason else ""
    if preference.reason:
        return Section("paper", "paper", TITLE, (preference.reason, undefined), (counts,))
    return Section(
        key="paper",
        group="paper",
        title=TITLE,
        lines=tuple(filter(None, (WHY_NARROWER, undefined))),
        facts=(
            counts,
            Fact("rate", percent(preference.rate), terms.RATE),
            Fact("p, exact, one-sided", p_text(preference.p_value), terms.BINOMIAL),
            Fact(f"{level} interval, Wilson",
                 interval_text(preference.wilson(report.level)), terms.WILSON),
            Fact(f"{level} interval, Clopper–Pearson",
                 interval_text(preference.clopper_pearson(report.level)), terms.CLOPPER_PEARSON),
            Fact("Fleiss' kappa (low / high coding)", number(kappa.value), terms.FLEISS),
            Fact("rate before exclusions", percent(report.preference_of_all.rate)),
        ),
        explanation=(
            "Yu et al., appendix “Expert rating”, test the number of votes for the lower EIC with "
            "an exact one-sided binomial test against one half."
        ),
    )  # fmt: skip
