"""A report as a list of sections: the one source of the text, the page and the screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from eic_core import wording
from study.report import terms
from study.report.analysis import HELD_SHARE, StudyReport
from study.report.figures import FEW
from study.report.flow import StudyFlow
from study.report.model_sections import model_sections
from study.report.phrases.agreement import agreement_sentence, prevalence_sentence
from study.report.phrases.limits import limit
from study.report.phrases.notes import (
    declared_sentence,
    narrow_windows,
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
from study.report.phrases.threats import gaps_summary, held_equal, threat_sentence
from study.report.section import GROUPS, Fact, Group, Judgement, Section, SectionTable
from study.statistics.exclusions import Unit
from study.statistics.inference import ClusteredRate
from study.statistics.regression import INTERCEPT, RegressionTerm
from study.statistics.threats.gaps import UNITS
from study.statistics.threats.screens import WINDOWS
from study.statistics.threats.ties import CONVENTIONS

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
                ("coefficient", "value", _interval_head(report.level), "by chance"),
                tuple(
                    (
                        c.name,
                        _number(c.value),
                        interval_text(c.interval),
                        "—" if c.expected is None else _number(c.expected),
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
            Fact("standard error", _number(found.standard_error, 4)),
            Fact("design effect", _number(found.design_effect, 2), terms.DESIGN_EFFECT),
            Fact(
                "worth in independent votes",
                _number(found.effective_votes, 1),
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
            Fact("Fleiss' kappa (low / high coding)", _number(kappa.value), terms.FLEISS),
            Fact(
                "Fleiss' kappa (left / right coding)",
                _number(report.fleiss_kappa_by_side.value),
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
    heads = ("group", "raters", "valid votes", "rate", _interval_head(report.level))
    return (
        Section(
            key="subgroups",
            group="study",
            title="Subgroups declared before the first vote",
            lines=tuple(str(subgroups_sentence(each)) for each in report.subgroups),
            tables=tuple(
                _of_enough(
                    heads,
                    (
                        (
                            each.rate.votes,
                            each.name,
                            f"{each.raters:,}",
                            f"{each.votes:,}",
                            *_rate(each.rate, report.level),
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
        _gaps(report),
        _structure(report),
        _problems(report),
        _ties(report),
    )
    if report.valid_votes:
        return sections
    return tuple(replace(each, facts=(), tables=(), figure="") for each in sections)


def _threat(key: str, title: str, found: Any, **more: Any) -> Section:
    more.setdefault("lines", (str(threat_sentence(found)),))
    return Section(key=key, group="threats", title=title, judgement=found.judgement, **more)


def _sensitivity(report: StudyReport) -> Section:
    found, level = report.threats.sensitivity, report.level
    tables = tuple(
        _of_enough(
            ("under", "valid votes", "raters", "rate", _interval_head(level)),
            (
                (
                    p.rate.votes,
                    f"{wording.plain(p.threshold_seconds)} s{' (frozen rule)' if p.frozen else ''}",
                    f"{p.valid:,}",
                    f"{p.raters:,}",
                    *_rate(p.rate, level),
                )
                for p in found.of_unit(unit)
            ),
            caption,
        )
        for unit, caption in CURVES
    )
    return _threat(
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
    return _threat(
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
            _rates(
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
    return _threat(
        "sides",
        "Do raters favour a side?",
        found,
        lines=tuple(filter(None, (str(threat_sentence(found)), _stacked(report)))),
        facts=(
            Fact("left / right / tie", f"{found.left:,} / {found.right:,} / {found.ties:,}"),
            Fact("left chosen", wording.percent(found.share, 1)),
            Fact(
                _interval_head(report.level),
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
    return _threat(
        "one-sided",
        "Do some raters always click one side?",
        found,
        facts=(
            Fact("raters always left / always right", f"{len(found.left)} / {len(found.right)}"),
            Fact(
                "by chance",
                _number(found.expected, 2),
                "How many such raters chance would give, given what each of them preferred.",
            ),
            Fact("p of so many", wording.p_number(found.p_value, 3), terms.P_VALUE),
        ),
        tables=(
            _rates(
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
    thirds = _of_enough(
        ("ballots", "valid votes", "rate", _interval_head(level), "median seconds"),
        (
            (
                t.rate.votes,
                f"{t.name} ({t.first} to {t.last})",
                f"{t.votes:,}",
                *_rate(t.rate, level),
                wording.seconds(t.median_seconds),
            )
            for t in found.thirds
        ),
    )
    return _threat(
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
            *_rate(each.rate, level),
        )
        for each in found.classes
    )
    heads = ("window of", "raters", "valid votes", "rate", _interval_head(level))
    table = _of_enough(heads, rows)
    return _threat(
        "screens",
        "Does it depend on the screen?",
        found,
        tables=(table,),
        facts=(Fact("p of a difference", wording.p_number(found.p_value, 3), terms.P_VALUE),),
        explanation="A clustered logistic regression of the votes on the class of the window, up "
        "to 599 px, to 1,023 px, or wider.",
    )


def _gaps(report: StudyReport) -> Section:
    found = report.threats.gaps
    table = SectionTable(
        ("for", "odds ratio", _interval_head(report.level), "p"),
        tuple(_odds(term, report.level) for term in found.terms),
        "By what factor the odds of a vote for the lower EIC change.",
    )
    adjusted = found.adjusted_rate
    return _threat(
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
                _interval_head(report.level),
                interval_text(adjusted[1] if adjusted else None),
                terms.INTERVAL,
            ),
        ),
        tables=(table,) if found.terms else (),
        explanation=f"A clustered logistic regression of the votes on what differs between the "
        f"formulas of a pair. {terms.ODDS_RATIO}",
    )


def _structure(report: StudyReport) -> Section:
    found = report.threats.structure
    rows = tuple(_odds(term, report.level) for term in found.fit.terms if term.name != INTERCEPT)
    table = SectionTable(
        ("for", "odds ratio", _interval_head(report.level), "p"),
        rows,
        "By what factor the odds of a vote for the lower EIC change; counts are those of its "
        "formula less those of the other.",
    )
    adjusted = found.adjusted_rate
    return _threat(
        "structure",
        "EIC, or what the eye sees?",
        found,
        facts=(
            Fact(
                "rate between formulas that look alike",
                wording.percent(adjusted[0] if adjusted else None, 1),
            ),
            Fact(
                _interval_head(report.level),
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


def _problems(report: StudyReport) -> Section:
    found = report.threats.problems
    table = _of_enough(
        (
            "problem",
            "pairs",
            "raters",
            "for the lower",
            "votes",
            "rate",
            _interval_head(report.level),
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
    return _threat(
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
        (CONVENTIONS[each.convention], f"{each.votes:,}", *_rate(each.clustered, level))
        for each in found.counted
    )
    table = SectionTable(("convention", "votes", "rate", _interval_head(level)), rows)
    return _threat(
        "ties",
        "Does it matter how ties are counted?",
        found,
        tables=(table,) if found.ties else (),
        explanation=terms.TIE,
    )


def _rates(
    report: StudyReport, name: str, rows: Iterable[tuple[str, ClusteredRate]]
) -> SectionTable:
    return _of_enough(
        (name, "votes", "rate", _interval_head(report.level)),
        ((rate.votes, what, f"{rate.votes:,}", *_rate(rate, report.level)) for what, rate in rows),
    )


def _of_enough(
    columns: tuple[str, ...], rows: Iterable[tuple[int, *tuple[str, ...]]], caption: str = ""
) -> SectionTable:
    """The rows with `FEW` deciding votes or more (first entry); the caption counts the others."""
    given = list(rows)
    shown = tuple(row[1:] for row in given if row[0] >= FEW)
    left = len(given) - len(shown)
    said = (
        f"{wording.count(left, 'row')} of fewer than {FEW} deciding votes "
        f"{'is' if left == 1 else 'are'} not shown."
    )
    told = f"{caption}. {said}" if caption else said
    return SectionTable(columns, shown, told if left else caption)


def _rate(rate: ClusteredRate, level: float) -> tuple[str, str]:
    return wording.percent(rate.rate, 1), interval_text(rate.interval(level))


def sections_of(report: StudyReport) -> tuple[Section, ...]:
    """The sections in the order of reading, group by group.

    >>> from study.report.analysis import analyse
    >>> from study.report.exported import StudyExport
    >>> found = sections_of(analyse(StudyExport("s", "Demo", "", (), ())))
    >>> print(", ".join(section.key for section in found))
    headline, paper, agreement, sensitivity, attention, sides, one-sided, ballots, gaps, structure,
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


def _number(value: float | None, decimals: int = 3) -> str:
    return wording.number(value, decimals, missing=wording.UNDEFINED)


def _interval_head(level: float) -> str:
    return f"{wording.level_percent(level)} interval"
