"""A methods paragraph with this study's numbers, to paste into a paper."""

from __future__ import annotations

import re
from collections import Counter

from eic_core import wording
from study.material import unfinished_sentence
from study.report.analysis import StudyReport
from study.report.flow import StudyFlow
from study.report.phrases.agreement import agreement_sentence, units_sentence
from study.report.phrases.limits import limit
from study.report.phrases.looks import dose_sentence
from study.report.phrases.notes import (
    giveaway_sentence,
    meaning_sentence,
    narrow_windows,
    page_sentences,
    undone_sentence,
)
from study.report.phrases.numbers import interval_text
from study.report.phrases.rates import effect_sentence, exclusion_sentence
from study.report.phrases.threats import threat_sentence
from study.report.phrases.verdict import worth_text
from study.report.preregistration import rule_limits
from study.report.recipes import recipes
from study.statistics.preference import Interval
from study.statistics.visible import VISIBLE
from study.stimulus.form import RULES


def methods_markdown(report: StudyReport) -> str:
    """Title and paragraphs as Markdown; what people wrote is escaped."""
    title = _escape(report.export.title or report.export.study)
    body = "\n\n".join(_escape(text) for text in paragraphs(report))
    return f"# Methods: {title}\n\n{body}\n"


def methods_text(report: StudyReport) -> str:
    title = f"Methods: {report.export.title or report.export.study}"
    return "\n\n".join([title, *map(wording.wrap, paragraphs(report))]) + "\n"


def paragraphs(report: StudyReport) -> tuple[str, ...]:
    """What was done, found, and with what.

    >>> from study.report.analysis import analyse
    >>> from study.report.exported import StudyExport
    >>> print(paragraphs(analyse(StudyExport("s", "Demo", "", (), ())))[1])
    There are no valid votes.
    """
    return tuple(
        " ".join(part)
        for part in (
            _material(report),
            _result(report),
            _agreement(report),
            _threats(report),
            _software(report),
        )
        if part
    ) + recipes(report)


def _material(report: StudyReport) -> list[str]:
    export, raters = report.export, report.export.raters
    problems = len({pair.problem for pair in export.pairs})
    rated = len({vote.rater for vote in report.votes_cast})
    sentences = [
        f"Raters compared pairs of formulas that describe the same data, are alike in accuracy "
        f"(R²) and in complexity (number of nodes), and differ in the Effective Information "
        f"Criterion (EIC): {wording.count(len(export.pairs), 'pair')} from "
        f"{wording.count(problems, 'problem')}"
        f"{_rules(report)}.",
        f"They saw both formulas typeset, with R², complexity and the fitted data, side by side "
        f"(one above the other in {narrow_windows(report.votes_cast)}), in an order that is "
        f"random and balanced within raters and pairs, and chose the more interpretable one"
        f"{', or “cannot decide”' if export.tie_allowed else ''}; EIC was not shown.",
        *_given_away(report),
        *_meaning(report),
        f"{_invited(report)}, {raters.consented:,} consented, {raters.finished:,} finished and "
        f"{raters.withdrawn:,} withdrew; "
        f"{wording.count(rated, 'rater')} cast {wording.count(len(report.votes_cast), 'vote')}, at "
        f"most {export.ballots_per_rater} each.",
        _exclusions(report),
        _clocks(report),
    ]
    if form := _form(report):
        sentences.insert(2, form)
    if cut := unfinished_sentence(export.rules.get("unfinished", ())):
        sentences.insert(1, cut)
    if undone := StudyFlow.of(report).undone:
        sentences.append(str(undone_sentence(undone)))
    sentences += map(str, page_sentences(export))
    if export.frozen_at is not None:
        first = min((vote.voted_at for vote in export.every_vote), default=None)
        before = first is None or export.frozen_at <= first
        sentences.append(
            f"Pairs, rules and exclusions were frozen on {wording.day(export.frozen_at)}"
            f"{', before the first vote' if before else ''}."
        )
    for look in export.unblindings:
        sentences.append(
            f"The results were looked at on {wording.day(look.at)}, after "
            f"{wording.count(look.votes_then, 'vote')}, while the study was open."
        )
    return sentences


def _meaning(report: StudyReport) -> list[str]:
    """What raters were told that the question means."""
    meaning = str(report.export.configuration.get("design", {}).get("question_meaning", ""))
    return [str(meaning_sentence(meaning))] if meaning.strip() else []


def _given_away(report: StudyReport) -> list[str]:
    reason = str(report.export.configuration.get("design", {}).get("giveaway_reason", ""))
    return [str(giveaway_sentence(reason))] if reason else []


def _rules(report: StudyReport) -> str:
    rules = report.export.rules
    limits = [*rule_limits(rules)]
    if rules.get("near_twins") is False:
        limits.append("no two of one tree but for its constants")
    return f" ({', '.join(limits)})" if limits else ""


def _form(report: StudyReport) -> str:
    """How formulas were written for raters; "" for ballots that show them as found."""
    pairs = [pair for pair in report.export.configuration.get("pairs", ()) if pair.get("form")]
    counts = Counter(
        rule for pair in pairs if pair["kind"] == "main" for rule in dict.fromkeys(pair["form"])
    )
    if not counts:
        return ""
    done = [
        f"{rule.sentence} ({wording.count(counts[rule.id], 'pair')})"
        for rule in RULES
        if counts[rule.id]
    ]
    return (
        "Both formulas of a pair were shown in one form, by rules that change no value and keep "
        f"the order of terms: {wording.join(done)}. EIC and the complexity shown, by which pairs "
        "were matched, are those of the formulas as found."
    )


def _invited(report: StudyReport) -> str:
    """Of whom the others are a part; an open link invites nobody who can be counted."""
    raters = report.export.raters
    through = raters.through_open_links
    if not through:
        return f"Of {wording.count(raters.invited, 'invited person', 'invited people')}"
    came = f"{wording.count(through, 'person', 'people')} who came through an open link"
    if through == raters.invited:
        return f"Of {came}, seen by nobody knows how many"
    return f"Of {raters.invited - through:,} invited by personal links and {came}"


def _exclusions(report: StudyReport) -> str:
    lost = wording.join(
        [
            f"{wording.count(each.votes, 'vote')} of {wording.count(each.raters, 'rater')} "
            f"({each.reason})"
            for each in StudyFlow.of(report).lost
        ]
    )
    left_out = f"{lost} were left out" if lost else "no vote was left out"
    return (
        f"{exclusion_sentence(report.export.exclusion)} By this rule, which is frozen, {left_out}."
    )


def _clocks(report: StudyReport) -> str:
    timed, valid = report.votes_by_rater_clock, len(report.valid_votes)
    if not valid:
        return "There are no valid votes to time."
    if not timed:
        return "Times are the server's, from serving a ballot to its vote, without idle time."
    own = (
        "by the clock of the rater's own browser, from the first picture of a ballot to the press, "
        "while the page was visible"
    )
    if timed == valid:
        return f"Votes were timed {own}."
    rest = f"the other {valid - timed:,} by the server's"
    return f"Of the valid votes {timed:,} were timed {own}; {rest}."


def _result(report: StudyReport) -> list[str]:
    found, preference = report.inference, report.preference
    if found.rate is None:
        return [str(limit(found.reason))]
    level = wording.level_percent(report.level)
    ties = f"; {wording.count(preference.ties, 'tie')} left out" if preference.ties else ""
    sentences = [
        f"The formula of lower EIC was chosen in {found.lower:,} of "
        f"{wording.count(found.votes, 'deciding vote')} ({wording.percent(found.rate, 1)}{ties})."
    ]
    interval = found.interval(report.level)
    if interval is None:
        return [*sentences, str(limit(found.reason))]
    clusters = wording.join([wording.count(n, kind) for kind, n in found.clusters])
    how = (
        f"variance of Cameron, Gelbach & Miller, 2011; t with {found.degrees_of_freedom:.3g} "
        "degrees of freedom"
        if found.log_odds
        else "none of which differ: exact, with a trial for each of the scarcer kind"
    )
    sided, p = ("one", found.p_value) if report.one_sided else ("two", found.p_two_sided)
    sentences.append(
        f"Allowing for clusters of votes ({clusters}; {how}), the {level} confidence interval of "
        f"the rate on {_population(report)} is {_range(interval)}, {sided}-sided "
        f"{wording.p_clause(p, 3)}."
    )
    sentences.append(_sampling(report))
    if found.effective_votes is not None:
        sentences.append(
            f"The design effect is {wording.number(found.design_effect)}: the votes are worth "
            f"about {worth_text(found.effective_votes)}."
        )
    if found.too_small:
        sentences.append(str(limit(found.too_small)))
    if report.effect.finding:
        sentences.append(str(effect_sentence(report.effect)))
    sentences.append(
        f"Taking votes as independent, as Yu et al. do, the exact one-sided binomial test gives "
        f"{wording.p_clause(preference.p_value, 3)} and Wilson's {level} interval "
        f"{_range(preference.wilson(report.level))}."
    )
    return sentences


def _population(report: StudyReport) -> str:
    words = {"problems like these": "problems and pairs like these"}
    return words.get(report.estimand, report.estimand)


def _sampling(report: StudyReport) -> str:
    if report.estimand == "these pairs":
        return (
            "The interval is conditional on the pairs of this study and takes its raters for a "
            "random sample; every deciding vote weighs the same."
        )
    if report.inference.conditional_on_problems:
        return (
            "The interval is conditional on the problems of this study and takes its pairs and "
            "raters for random samples; every deciding vote weighs the same."
        )
    return (
        "The interval takes the problems, with their pairs, and the raters for random samples; "
        "every deciding vote weighs the same."
    )


def _agreement(report: StudyReport) -> list[str]:
    found = report.agreement
    if found.raw_agreement.value is None:
        return [str(agreement_sentence(found))]
    defined = [
        f"{each.name} {wording.number(each.value, 3, missing=wording.UNDEFINED)}"
        + (
            f" ({wording.level_percent(report.level)} interval {interval_text(each.interval)})"
            if each.interval
            else ""
        )
        for each in found.coefficients
        if each.value is not None
    ]
    undefined = [f"{each.name} is not defined." for each in found.coefficients if each.reason]
    return [
        f"Agreement over {wording.count(found.raw_agreement.pairs, 'pair')} with two or more "
        "deciding "
        f"votes, coded as lower and higher EIC: {'; '.join(defined)}. "
        f"{units_sentence(found.estimand)}",
        *undefined,
    ]


def _threats(report: StudyReport) -> list[str]:
    """What was looked at beside the headline, and what was found."""
    threats = report.threats
    if not report.valid_votes:
        return []
    judged = threats.each()
    if not threats.screens.classes:
        judged.pop("screens")
    said = [str(threat_sentence(each)) for each in (*judged.values(), threats.problems)]
    if not threats.structure.fit.reason:
        said.append(
            "The votes were regressed on the gaps of their pairs in EIC and R², on the side, and "
            f"on the gaps in complexity, {wording.join(VISIBLE)}, a gap d of these as 2d/(1 + "
            "|d|) and, but for complexity, as d as well (logistic, clustered as above); formulas "
            "look alike where all but the gap in EIC are 0."
        )
    if dose := dose_sentence(threats.structure):
        said.append(str(dose))
    return list(dict.fromkeys(said))


def _software(report: StudyReport) -> list[str]:
    return [
        f"Computed with {report.software.sentence}; seed {report.seed}; "
        f"SHA-256 of the frozen study {report.export.hash or 'unknown'}."
    ]


def _range(interval: Interval | None) -> str:
    if interval is None:
        return wording.UNDEFINED
    return wording.percent_range(interval.low, interval.high, 1)


def _escape(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", text.replace("\n", " "))
