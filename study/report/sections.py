"""A report as a list of sections: the one source of the text, the page and the screen."""

from __future__ import annotations

from collections.abc import Iterable

from eic_core import wording
from study.report import terms
from study.report.analysis import HELD_SHARE, StudyReport
from study.report.figures import COEFFICIENTS
from study.report.flow import attrition
from study.report.model_sections import model_sections
from study.report.phrases.agreement import (
    agreement_sentence,
    prevalence_sentence,
    units_sentence,
)
from study.report.phrases.limits import limit
from study.report.phrases.notes import (
    declared_sentence,
    page_sentences,
    undone_sentence,
)
from study.report.phrases.numbers import interval_text
from study.report.phrases.rates import (
    effect_sentence,
    equal_sentence,
    exclusion_sentence,
    lost_sentence,
    mixed_sentence,
    rate_sentence,
    subgroups_sentence,
)
from study.report.section import GROUPS, Fact, Group, Judgement, Section, SectionTable
from study.report.section_parts import (
    interval_head,
    number_cell,
    rate_cells,
    table_of_enough,
)
from study.report.threat_sections import problems_section, threat_sections

__all__ = ["GROUPS", "Fact", "Group", "Judgement", "Section", "SectionTable", "sections_of"]


def agreement_section(report: StudyReport) -> Section:
    """Raw agreement and two coefficients beyond chance, on one coding of the votes."""
    found = report.agreement
    sentence, title = str(agreement_sentence(found)), "Agreement between raters"
    if found.raw_agreement.value is None:
        return Section("agreement", "agreement", title, (sentence,))
    shown = [each for each in found.coefficients if each.name in COEFFICIENTS]
    why = [
        str(limit(reason))
        for each in shown
        if each.value is not None and (reason := each.too_small or each.interval_reason)
    ]
    rows = tuple((c.name, number_cell(c.value), interval_text(c.interval)) for c in shown)
    return Section(
        key="agreement",
        group="agreement",
        title=title,
        lines=(*filter(None, (sentence, str(prevalence_sentence(found)))), *dict.fromkeys(why)),
        tables=(
            SectionTable(
                ("coefficient", "value", interval_head(report.level)),
                rows,
                f"On {wording.count(found.raw_agreement.pairs, 'pair')} with two or more deciding "
                "votes; ties are no vote.",
            ),
        ),
        figure="agreement",
        explanation=str(units_sentence(found.estimand)),
    )


def headline_section(report: StudyReport) -> Section:
    """The clustered rate, its interval and test, and what else bears on it."""
    found, level = report.inference, wording.level_percent(report.level)
    title, sentence = "The interval and the test", str(rate_sentence(found))
    if found.rate is None:
        return Section("headline", "headline", title, (sentence,))
    alike = report.equal_problems
    others = (
        effect_sentence(report.effect),
        equal_sentence(alike, report.level) if alike else "",
        lost_sentence(report.lost_votes),
        mixed_sentence(report.mixed, report.mixed_apart),
    )
    return Section(
        key="headline",
        group="headline",
        title=title,
        lines=(sentence, *filter(None, map(str, others))),
        facts=(
            Fact("rate", wording.percent(found.rate, 1), terms.RATE),
            Fact(f"{level} interval", interval_text(found.interval(report.level)), terms.INTERVAL),
            p_fact(report),
            Fact(
                "worth in independent votes",
                number_cell(found.effective_votes, 1),
                terms.EFFECTIVE_VOTES,
            ),
        ),
        explanation="Two-way clustered variance (Cameron, Gelbach & Miller, 2011), Student's t on "
        "the log odds: methods.md in the archive has the formula with this study's numbers.",
    )


def p_fact(report: StudyReport) -> Fact:
    """The p value of the declared test."""
    found = report.inference
    if report.one_sided:
        return Fact("p, one-sided", wording.p_number(found.p_value, 3), terms.ONE_SIDED)
    return Fact("p, two-sided", wording.p_number(found.p_two_sided, 3), terms.P_VALUE)


WHY_NARROWER = (
    "Every vote is taken as independent, as in the paper (Yu et al., appendix “Expert rating”). "
    "Votes on one pair and votes of one person are not: to compare with the paper, not to judge."
)


def paper_section(report: StudyReport) -> Section:
    """Rate, exact test, Wilson's interval and Fleiss' kappa."""
    preference, level = report.preference, wording.level_percent(report.level)
    kappa, title = report.agreement.fleiss_kappa, "Preference as the paper computes it"
    counts = Fact(
        "lower / higher / tie",
        f"{preference.lower:,} / {preference.higher:,} / {preference.ties:,}",
    )
    undefined = f"Fleiss' kappa is not defined: {limit(kappa.reason)}" if kappa.reason else ""
    if preference.reason:
        return Section(
            "paper", "paper", title, (str(limit(preference.reason)), undefined), (counts,)
        )
    wilson = interval_text(preference.wilson(report.level))
    return Section(
        key="paper",
        group="paper",
        title=title,
        lines=tuple(filter(None, (WHY_NARROWER, undefined))),
        facts=(
            counts,
            Fact("p, exact, one-sided", wording.p_number(preference.p_value, 3), terms.BINOMIAL),
            Fact(f"{level} interval, Wilson", wilson, terms.WILSON),
            Fact("Fleiss' kappa", number_cell(kappa.value)),
            Fact("rate before exclusions", wording.percent(report.preference_of_all.rate, 1)),
        ),
    )


def pairs_section(report: StudyReport) -> Section:
    """The pairs: alike in complexity and R², apart in EIC."""
    pairs = report.export.pairs
    return Section(
        key="pairs",
        group="study",
        title="The pairs",
        lines=() if pairs else ("The study has no pairs.",),
        figure="distributions",
        facts=(
            Fact("pairs", f"{len(pairs):,}"),
            Fact("problems", f"{len({pair.problem for pair in pairs}):,}"),
            Fact(
                "pairs whose formulas are one function",
                f"{sum(pair.same_function for pair in pairs):,}",
                "Equal up to rounding on the problem's data: only the writing differs.",
            ),
            *_held_gaps(report),
        ),
    )


def _held_gaps(report: StudyReport) -> tuple[Fact, ...]:
    """How many pairs keep their gap in EIC on other rows; nothing where it is not known."""
    found = report.held_gaps
    if not found.known:
        return ()
    return (
        Fact(
            f"pairs that keep a gap of {found.least:g} in "
            f"{wording.percent(HELD_SHARE, 0)} of draws",
            f"{found.in_most_draws:,} of {found.known:,}",
            "The rows of the problem's data are drawn again 200 times.",
        ),
        Fact(
            "pairs that keep it without their worst row",
            f"{found.without_worst_row:,} of {found.known:,}",
            "The row that carries most of the loss of the formula of higher EIC.",
        ),
    )


def votes_section(report: StudyReport) -> Section:
    """How people and votes were lost, and whether those that were lost chose otherwise."""
    export, per_pair = report.export, report.votes_per_pair.values()
    undone, checks = sum(vote.on_a_pair for vote in export.undone), report.threats.attention
    said = (
        exclusion_sentence(export.exclusion),
        undone_sentence(undone) if undone else "",
        *page_sentences(export),
    )
    return Section(
        key="votes",
        group="study",
        title="Raters and votes",
        lines=tuple(filter(None, map(str, said))),
        facts=(
            Fact(
                "attention checks", f"{checks.passed} of {checks.answered} passed", terms.ATTENTION
            ),
            Fact(
                "timed by the rater's own clock",
                f"{report.votes_by_rater_clock:,} of {len(report.valid_votes):,} valid votes",
                terms.ACTIVE,
            ),
            Fact("median time of a vote", wording.seconds(report.median_seconds)),
            Fact("median time of a session", wording.seconds(report.median_session_seconds)),
            Fact(
                "votes on a pair",
                f"{min(per_pair, default=0)} to {max(per_pair, default=0)} "
                f"on {wording.count(len(per_pair), 'pair')}",
            ),
        ),
        tables=tuple(_attrition(report)),
        figure="votes-per-pair",
    )


def _attrition(report: StudyReport) -> Iterable[SectionTable]:
    """Empty where nobody stopped early and nothing was left out."""
    stages = attrition(report)
    if len(stages) < 2:
        return
    rows = (
        (each.rate.votes, each.name, f"{each.raters:,}", f"{each.rate.votes:,}")
        + rate_cells(each.rate, report.level)
        for each in stages
    )
    yield table_of_enough(
        ("votes of raters who", "raters", "deciding votes", "rate", interval_head(report.level)),
        rows,
        "Whether those who are lost chose as the others did",
    )


def subgroup_sections(report: StudyReport) -> tuple[Section, ...]:
    """Rates in declared subgroups; nothing where none was declared."""
    if not report.subgroups:
        return ()
    return (
        Section(
            key="subgroups",
            group="study",
            title="Subgroups declared before the first vote",
            lines=tuple(str(subgroups_sentence(each)) for each in report.subgroups),
            explanation="Answers of fewer than 5 raters are taken together. A clustered logistic "
            "regression compares each group with the largest; p is the least, times their number.",
        ),
    )


def reason_sections(report: StudyReport) -> tuple[Section, ...]:
    """What raters wrote, by subject; nothing where nobody wrote anything."""
    found = report.written_reasons
    if not found.given:
        return ()
    words = ", ".join(f"{word} {n}" for word, n in found.words)
    rows = tuple(
        (each.name, f"{each.reasons:,}", f"{each.raters:,}", f"{each.lower:,}", f"{each.higher:,}")
        for each in found.subjects
    )
    return (
        Section(
            key="reasons",
            group="study",
            title="Reasons that raters wrote",
            lines=(
                f"{wording.count(found.given, 'reason')} of "
                f"{wording.count(found.raters, 'rater')} for {wording.count(found.votes, 'vote')}."
                f" Most frequent words: {words}."
                if words
                else "",
            ),
            tables=(
                SectionTable(
                    (
                        "reasons that touch on",
                        "reasons",
                        "raters",
                        "for the lower EIC",
                        "for the higher EIC",
                    ),
                    rows,
                ),
            ),
            explanation="By how the words of a reason begin; it may touch on several subjects. A "
            "count, and no test: who writes a reason is no sample.",
        ),
    )


def source_section(report: StudyReport) -> Section:
    export = report.export
    return Section(
        key="source",
        group="study",
        title="Where the numbers come from",
        lines=(str(declared_sentence(report.declared)),) if report.declared else (),
        facts=(
            Fact("id", export.study),
            Fact("frozen", wording.minute(export.frozen_at)),
            Fact("closed", wording.minute(export.closed_at)),
            Fact("hash", export.hash, terms.HASH),
            Fact("seed", str(report.seed)),
            Fact("estimand", report.estimand),
            Fact(
                "last link of the chain of votes",
                export.chain or "none: no vote is sealed",
                terms.CHAIN,
            ),
            Fact("software", report.software.sentence),
        ),
    )


def sections_of(report: StudyReport) -> tuple[Section, ...]:
    """The sections in the order of reading, group by group.

    >>> from study.report.analysis import analyse
    >>> from study.report.exported import StudyExport
    >>> found = sections_of(analyse(StudyExport("s", "Demo", "", (), ())))
    >>> print(", ".join(section.key for section in found))
    headline, paper, agreement, sensitivity, attention, sides, raters, ballots, structure, ties,
    problems, votes, pairs, source
    """
    return (
        headline_section(report),
        paper_section(report),
        agreement_section(report),
        *model_sections(report),
        *threat_sections(report),
        problems_section(report),
        votes_section(report),
        *subgroup_sections(report),
        *reason_sections(report),
        pairs_section(report),
        source_section(report),
    )
