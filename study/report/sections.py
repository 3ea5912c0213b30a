"""A report as a list of sections: the one source of the text, the page and the screen."""

from __future__ import annotations

from eic_core import wording
from study.report import terms
from study.report.analysis import HELD_SHARE, StudyReport
from study.report.flow import StudyFlow
from study.report.model_sections import model_sections
from study.report.phrases.agreement import agreement_sentence, prevalence_sentence
from study.report.phrases.limits import limit
from study.report.phrases.notes import (
    declared_sentence,
    page_sentence,
    undone_sentence,
)
from study.report.phrases.numbers import interval_text
from study.report.phrases.rates import (
    effect_sentence,
    exclusion_sentence,
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
from study.report.threat_sections import threat_sections

__all__ = ["GROUPS", "Fact", "Group", "Judgement", "Section", "SectionTable", "sections_of"]

MEANINGS = (terms.RAW_AGREEMENT, terms.FLEISS, terms.KRIPPENDORFF, terms.GWET)


def agreement_section(report: StudyReport) -> Section:
    """Raw agreement and three coefficients beyond chance, on one coding of the votes."""
    found = report.agreement
    why = [
        str(limit(reason))
        for each in found.coefficients
        if each.value is not None and (reason := each.too_small or each.interval_reason)
    ]
    sentence = str(agreement_sentence(found))
    if found.raw_agreement.value is None:
        return Section("agreement", "agreement", "Agreement between raters", (sentence,))
    return Section(
        key="agreement",
        group="agreement",
        title="Agreement between raters",
        lines=tuple(
            filter(
                None,
                (sentence, str(prevalence_sentence(found)), _codings(report), *dict.fromkeys(why)),
            )
        ),
        tables=(
            SectionTable(
                ("coefficient", "value", interval_head(report.level), "by chance"),
                tuple(
                    (
                        c.name,
                        number_cell(c.value),
                        interval_text(c.interval),
                        "—" if c.expected is None else number_cell(c.expected),
                    )
                    for c in found.coefficients
                ),
                f"On {wording.count(found.raw_agreement.pairs, 'pair')} with two or more deciding "
                "votes; "
                f"{found.coding}.",
            ),
        ),
        figure="agreement",
        explanation=" ".join(MEANINGS)
        + " The intervals draw the pairs again, with all their votes (bias-corrected bootstrap).",
    )


def _codings(report: StudyReport) -> str:
    """That kappa hangs on what the categories are."""
    by_formula, by_side = report.fleiss_kappa.value, report.fleiss_kappa_by_side.value
    if by_formula is None or by_side is None:
        return ""
    return (
        f"Kappa {wording.rounded(by_formula, 2, (0, 1))} counts which formula was chosen, lower or "
        "higher EIC; counting which side, left or right, the same votes give "
        f"{wording.rounded(by_side, 2, (0, 1))}, which says little, for sides are dealt at random."
    )


HEADLINE_TITLE = "Preference, with clusters allowed for"
HOW = (
    "Votes on one pair resemble each other, and so do votes of one person, so a vote tells less "
    "than an independent one. The variance is two-way clustered (Cameron, Gelbach & Miller, "
    "2011): the variance between pairs (or problems) plus that between raters, less what both "
    "share, and never below the smaller of the two. Interval and test use Student's t with the "
    "fewest clusters less one degrees of freedom, on the scale of the log odds. Every deciding "
    "vote weighs the same, so a pair or a problem with more votes counts for more. Problems that "
    "are a sample may be of unequal sizes: the sum of residuals of each is divided by 1 − its "
    "share of the votes, and they count by their effective number (Kish): as many problems of "
    "equal size would tell as much. Raters and "
    "pairs are taken for random samples of their kind; if they were picked, the interval does not "
    "know how."
)


def headline_section(report: StudyReport) -> Section:
    """The clustered rate, its interval and test, and two checks by other routes."""
    found, level = report.inference, wording.level_percent(report.level)
    if found.rate is None:
        return Section(
            "headline",
            "headline",
            HEADLINE_TITLE,
            (str(rate_sentence(found)),),
            figure="preference",
        )
    sampled = ", ".join(wording.count(n, kind) for kind, n in found.clusters) or "none"
    return Section(
        key="headline",
        group="headline",
        title=HEADLINE_TITLE,
        lines=(str(rate_sentence(found)),),
        figure="preference",
        facts=(
            Fact("rate", wording.percent(found.rate, 1), terms.RATE),
            Fact(f"{level} interval", interval_text(found.interval(report.level)), terms.INTERVAL),
            Fact("p, two-sided", wording.p_number(found.p_two_sided, 3), terms.P_VALUE),
            Fact("p, one-sided", wording.p_number(found.p_value, 3), terms.ONE_SIDED),
            Fact("estimand", report.estimand, terms.ESTIMAND),
            Fact("clusters", sampled, terms.CLUSTERS),
            Fact("standard error", number_cell(found.standard_error, 4)),
            Fact("design effect", number_cell(found.design_effect, 2), terms.DESIGN_EFFECT),
            Fact(
                "worth in independent votes",
                number_cell(found.effective_votes, 1),
                terms.EFFECTIVE_VOTES,
            ),
            Fact(
                "smallest effect of interest",
                str(effect_sentence(report.effect)) if report.effect.finding else wording.UNDEFINED,
            ),
            *_bootstraps(report),
            *(
                (Fact("by a mixed model", str(mixed_sentence(report.mixed)), terms.MIXED),)
                if report.mixed.rate is not None
                else ()
            ),
        ),
        explanation=HOW,
    )


def _bootstraps(report: StudyReport) -> tuple[Fact, ...]:
    """Checks of the interval; none for "these pairs", which are not drawn."""
    if report.estimand == "these pairs":
        return ()
    level = wording.level_percent(report.level)
    return (
        Fact(f"{level} interval, pair bootstrap", interval_text(report.bootstrap), terms.BOOTSTRAP),
        Fact(
            f"{level} interval, two-way bootstrap",
            interval_text(report.two_way_bootstrap),
            terms.TWO_WAY_BOOTSTRAP,
        ),
    )


PAPER_TITLE = "Preference as the paper computes it"
WHY_NARROWER = (
    "These numbers take every vote as independent, as the paper does. Votes on one pair and votes "
    "of one person are not, so the intervals are narrower, and the test is surer, than the votes "
    "allow: use them to compare with the paper, not to judge."
)


def paper_section(report: StudyReport) -> Section:
    """Rate, exact test, Wilson and Clopper–Pearson intervals, Fleiss' kappa."""
    preference, level = report.preference, wording.level_percent(report.level)
    kappa = report.fleiss_kappa
    counts = Fact(
        "lower / higher / tie",
        f"{preference.lower:,} / {preference.higher:,} / {preference.ties:,}",
        terms.PREFERENCE,
    )
    undefined = f"Fleiss' kappa is not defined: {limit(kappa.reason)}" if kappa.reason else ""
    if preference.reason:
        return Section(
            "paper", "paper", PAPER_TITLE, (str(limit(preference.reason)), undefined), (counts,)
        )
    return Section(
        key="paper",
        group="paper",
        title=PAPER_TITLE,
        lines=tuple(filter(None, (WHY_NARROWER, undefined))),
        facts=(
            counts,
            Fact("rate", wording.percent(preference.rate, 1), terms.RATE),
            Fact("p, exact, one-sided", wording.p_number(preference.p_value, 3), terms.BINOMIAL),
            Fact(
                f"{level} interval, Wilson",
                interval_text(preference.wilson(report.level)),
                terms.WILSON,
            ),
            Fact(
                f"{level} interval, Clopper–Pearson",
                interval_text(preference.clopper_pearson(report.level)),
                terms.CLOPPER_PEARSON,
            ),
            Fact("Fleiss' kappa (low / high coding)", number_cell(kappa.value), terms.FLEISS),
            Fact(
                "Fleiss' kappa (left / right coding)",
                number_cell(report.fleiss_kappa_by_side.value),
                "Of the side on which the chosen formula stood: sides are dealt at random.",
            ),
            Fact("rate before exclusions", wording.percent(report.preference_of_all.rate, 1)),
        ),
        explanation=(
            "Yu et al., appendix “Expert rating”, test the number of votes for the lower EIC with "
            "an exact one-sided binomial test against one half."
        ),
    )


def pairs_section(report: StudyReport) -> Section:
    """The pairs: alike in complexity and R², apart in EIC."""
    pairs = report.export.pairs
    return Section(
        key="pairs",
        group="study",
        title="The pairs",
        lines=(
            "The two formulas of a pair describe the same data; they are alike in complexity and "
            "R², and apart in EIC."
            if pairs
            else "The study has no pairs.",
        ),
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
            "The rows of the problem's data are drawn again 200 times: EIC is a maximum of means, "
            "and a mean may hang on one row.",
        ),
        Fact(
            "pairs that keep it without their worst row",
            f"{found.without_worst_row:,} of {found.known:,}",
            "Without the row that carries most of the loss of the formula of higher EIC.",
        ),
    )


def votes_section(report: StudyReport) -> Section:
    export, raters, per_pair = report.export, report.export.raters, report.votes_per_pair.values()
    attention = report.attention
    flow = StudyFlow.of(report)
    left_out = [
        Fact(
            f"left out: {each.reason}",
            f"{wording.count(each.votes, 'vote')} of {wording.count(each.raters, 'rater')}",
        )
        for each in flow.lost
    ]
    return Section(
        key="votes",
        group="study",
        title="Raters and votes",
        lines=tuple(
            filter(
                None,
                (
                    str(exclusion_sentence(export.exclusion)),
                    *flow.lines,
                    flow.attrition,
                    str(undone_sentence(flow.undone)) if flow.undone else "",
                    str(page_sentence(export) or ""),
                    f"{report.unfinished_excluded_raters} of the raters left out had not finished."
                    if report.unfinished_excluded_raters
                    else "",
                ),
            )
        ),
        facts=(
            Fact(
                "came or were invited",
                f"{raters.invited:,}",
                "A personal link invites one person. An open link invites nobody who can be "
                "counted: those who came through it are counted.",
            ),
            Fact("consented", f"{raters.consented:,}"),
            Fact("finished", f"{raters.finished:,}"),
            Fact("withdrawn", f"{raters.withdrawn:,}", "Their votes are deleted."),
            Fact("raters left out entirely", f"{report.excluded_raters:,}"),
            Fact("votes cast", f"{len(report.votes_cast):,}"),
            *left_out,
            Fact("votes valid", f"{len(report.valid_votes):,}"),
            Fact(
                "attention checks",
                f"{attention.passed} of {attention.answered} passed",
                terms.ATTENTION,
            ),
            Fact(
                "timed by the rater's own clock",
                f"{report.votes_by_rater_clock:,} of {len(report.valid_votes):,} valid votes",
                terms.ACTIVE,
            ),
            Fact("median time of a vote", wording.seconds(report.median_seconds), terms.ACTIVE),
            Fact(
                "median time of a session",
                wording.seconds(report.median_session_seconds),
                terms.ACTIVE,
            ),
            Fact(
                "votes on a pair",
                f"{min(per_pair, default=0)} to {max(per_pair, default=0)} "
                f"on {wording.count(len(per_pair), 'pair')}",
            ),
        ),
        figure="votes-per-pair",
    )


def subgroup_sections(report: StudyReport) -> tuple[Section, ...]:
    """Rates in declared subgroups; nothing where none was declared."""
    if not report.subgroups:
        return ()
    heads = ("group", "raters", "valid votes", "rate", interval_head(report.level))
    return (
        Section(
            key="subgroups",
            group="study",
            title="Subgroups declared before the first vote",
            lines=tuple(str(subgroups_sentence(each)) for each in report.subgroups),
            tables=tuple(
                table_of_enough(
                    heads,
                    (
                        (
                            each.rate.votes,
                            each.name,
                            f"{each.raters:,}",
                            f"{each.votes:,}",
                            *rate_cells(each.rate, report.level),
                        )
                        for each in found.groups
                    ),
                    f"By {found.what}",
                )
                for found in report.subgroups
                if found.groups
            ),
            explanation="Answers that fewer than 5 raters gave are taken together. A clustered "
            "logistic regression compares each group with the largest; p is the least, times the "
            "number of comparisons. No conclusion of the report rests on it.",
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
            explanation="A reason touches on a subject if one of its words begins like one of a "
            "short list of English words; it may touch on several. A count, and no test: who "
            "writes a reason is no sample, and one rater writes many.",
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
            Fact("title", export.title),
            Fact("id", export.study),
            Fact("frozen", wording.minute(export.frozen_at)),
            Fact("closed", wording.minute(export.closed_at)),
            Fact("exported", wording.minute(export.exported_at)),
            Fact("hash", export.hash, terms.HASH),
            Fact("seed", str(report.seed), terms.SEED),
            Fact("estimand", report.estimand, terms.ESTIMAND),
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
    headline, paper, agreement, sensitivity, attention, sides, one-sided, ballots, structure,
    problems, ties, votes, pairs, source
    """
    return (
        headline_section(report),
        paper_section(report),
        agreement_section(report),
        *model_sections(report),
        *threat_sections(report),
        votes_section(report),
        *subgroup_sections(report),
        *reason_sections(report),
        pairs_section(report),
        source_section(report),
    )
