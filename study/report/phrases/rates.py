"""The rate of preference, and what is said of it by other routes."""

from __future__ import annotations

from eic_core import wording
from eic_core.phrasing import Phrase, listed, one_after_another, say, say_count
from study.report.phrases.limits import clusters_text, limit
from study.report.phrases.numbers import between, rate_text
from study.statistics.equivalence import EffectSize
from study.statistics.exclusions import ExclusionRule
from study.statistics.inference import ClusteredMean, ClusteredRate
from study.statistics.limits import Kind
from study.statistics.lost import LostVotes
from study.statistics.mixed import Apart, MixedRate
from study.statistics.sign_test import SignTest
from study.statistics.subgroups import Subgroups

NOTHING = Phrase("")


def paragraph(*sentences: Phrase | None) -> Phrase:
    """Those sentences that there are, one after another."""
    return one_after_another(each for each in sentences if each is not None)


def rate_sentence(rate: ClusteredRate) -> Phrase:
    if rate.reason:
        return limit(rate.reason)
    start = say(
        "{lower} of {votes} deciding votes went to the formula of lower EIC.",
        lower=f"{rate.lower}",
        votes=f"{rate.votes}",
    )
    clusters = listed([clusters_text(kind, number) for kind, number in rate.clusters])
    freedom = f"{rate.degrees_of_freedom:.3g}"
    if rate.estimand == "these pairs":
        return paragraph(
            start,
            say(
                "The interval and the test are for these pairs, and for raters like these: "
                "{clusters}, clustered by rater about each pair's own rate (t with {freedom} "
                "degrees of freedom, on the log odds).",
                clusters=clusters,
                freedom=freedom,
            ),
        )
    how = (
        say(
            "Votes on one pair go together, and so do votes of one rater; the interval and the "
            "test allow for both: {clusters}, two-way clustered (t with {freedom} degrees of "
            "freedom, on the log odds).",
            clusters=clusters,
            freedom=freedom,
        )
        if rate.conditional_on_problems
        else say(
            "Votes on one problem go together, and so do votes of one rater; the interval and the "
            "test allow for both: {clusters}, two-way clustered (t with {freedom} degrees of "
            "freedom, on the log odds).",
            clusters=clusters,
            freedom=freedom,
        )
    )
    return paragraph(start, how, _problems(rate))


def _problems(rate: ClusteredRate) -> Phrase | None:
    """That the problems are held fixed, or of unequal sizes."""
    if rate.conditional_on_problems:
        return say_count(
            "All pairs are of one problem: this holds for it, not for others.",
            "The {count} problems are held fixed: this holds for them, not for others.",
            rate.problems,
        )
    if not rate.uneven:
        return None
    return say(
        "The problems hold unequal numbers of votes and count as {number} of equal size.",
        number=f"{rate.effective_problems:.1f}",
    )


def effect_sentence(effect: EffectSize) -> Phrase:
    """Empty without tests."""
    tests = {
        "lower": effect.p_above,
        "higher": effect.p_below,
        "open": effect.p_within,
        "too small to matter": effect.p_within,
    }
    if not effect.finding:
        return NOTHING
    p = wording.p_clause(tests[effect.finding], 3)
    return say(
        "The smallest effect of interest is {points} points from one half ({declared}): the "
        "preference is {size}.",
        points=f"{100 * effect.margin:.3g}",
        declared=say("as declared") if effect.declared else say("not declared beforehand"),
        size={
            "lower": say("larger, for the lower EIC (one-sided {p})", p=p),
            "higher": say("larger, for the higher EIC (one-sided {p})", p=p),
            "too small to matter": say(
                "smaller, so as good as none (two one-sided tests, {p})", p=p
            ),
            "open": say("perhaps larger, perhaps smaller (two one-sided tests, {p})", p=p),
        }[effect.finding],
    )


def equal_sentence(mean: ClusteredMean, level: float) -> Phrase:
    """The rate with problems weighed alike."""
    return say(
        "With the {problems} problems weighed alike, whatever their votes, the share is {share} "
        "({span}; {p}): another question than that of the headline, in which each vote weighs the "
        "same.",
        problems=mean.problems,
        share=wording.percent(mean.value, 0),
        span=between(mean.interval(level)),
        p=wording.p_clause(mean.p_two_sided),
    )


def lost_sentence(votes: LostVotes) -> Phrase:
    """What the lost votes could have changed; empty where none is lost or no verdict stands.

    >>> print(lost_sentence(LostVotes("lower", 61, 30, 0, 44, 0, 12, 18)))
    74 votes were lost: 30 left out and 44 never cast by raters who stopped early. The verdict could
    be undone if 61 of them had been for the higher EIC and the others stayed lost; or by fewer that
    are all on a few pairs, problems or raters. Of the 30 that were cast and decided, 18 were for
    the higher EIC.
    """
    if votes.needed is None or not votes.lost:
        return NOTHING
    ways = [
        (votes.left_out, say("{count} left out", count=votes.left_out)),
        (votes.undone, say("{count} undone", count=votes.undone)),
        (
            votes.unfinished,
            say("{count} never cast by raters who stopped early", count=votes.unfinished),
        ),
        (
            votes.withdrawn,
            say("up to {count} of people who withdrew", count=votes.withdrawn),
        ),
    ]
    lower = votes.finding == "lower"
    other = say("higher") if lower else say("lower")
    cast = votes.lower + votes.higher
    return paragraph(
        say_count(
            "{count} vote was lost: {ways}.",
            "{count} votes were lost: {ways}.",
            votes.lost,
            ways=listed([way for number, way in ways if number]),
        ),
        say(
            "Even if all of them had been for the {other} EIC, spread over pairs and raters like "
            "the votes that count, the verdict would stand: it takes {needed} to undo it, or fewer "
            "that are all on a few pairs, problems or raters.",
            other=other,
            needed=votes.needed,
        )
        if votes.stands
        else say(
            "The verdict could be undone if {needed} of them had been for the {other} EIC and the "
            "others stayed lost; or by fewer that are all on a few pairs, problems or raters.",
            other=other,
            needed=votes.needed,
        ),
        say(
            "Of the {cast} that were cast and decided, {number} were for the {other} EIC.",
            cast=cast,
            other=other,
            number=votes.higher if lower else votes.lower,
        )
        if cast and not votes.stands
        else None,
    )


def mixed_sentence(mixed: MixedRate, apart: Apart = "") -> Phrase:
    """What the model finds, and which rules where it leads elsewhere than the headline; empty
    without a fit.
    """
    if mixed.lopsided:
        return say("A mixed model has no rate where more than four in five votes agree.")
    interval = mixed.interval(mixed.level)
    if interval is None:
        return NOTHING
    share = say(
        "By another route, a logistic model with normal effects of {kinds}, a typical rater "
        "prefers the lower EIC in {share} of typical pairs ({span}; two-sided {p}).",
        share=wording.percent(mixed.rate, 0),
        span=between(interval),
        p=wording.p_clause(mixed.p_two_sided),
        kinds=listed([_EFFECTS[kind] for kind in mixed.kinds]),
    )
    return paragraph(share, _APART[apart])


_EFFECTS: dict[Kind, Phrase] = {
    "problem": say("problems"),
    "pair": say("pairs"),
    "rater": say("raters"),
}

_APART: dict[Apart, Phrase | None] = {
    "": None,
    "others": say(
        "It leads elsewhere than the headline, for it speaks of other pairs, too; the headline "
        "speaks of these alone, as the study asks, and rules."
    ),
    "weights": say(
        "It leads elsewhere than the headline, for it weighs problems nearly alike, and there each "
        "vote weighs the same, so that problems with many votes weigh more. The headline rules."
    ),
    "suppositions": say(
        "It leads elsewhere than the headline, for it supposes that these effects are normal and "
        "are all that votes have in common. The headline supposes neither, and rules."
    ),
}


def sign_test_sentence(test: SignTest) -> Phrase:
    """On how many pairs most votes went to the lower EIC.

    >>> print(sign_test_sentence(SignTest(9, 1, 2)))
    Most votes went to the formula of lower EIC on 9 of 10 pairs; 2 more pairs were split evenly.
    """
    if test.reason:
        return limit(test.reason)
    pairs = say("{lower} of {pairs} pairs", lower=test.lower, pairs=test.pairs)
    if test.pairs == 1:
        pairs = say("the only pair with a majority") if test.lower else say("no pair")
    if not test.split:
        return say("Most votes went to the formula of lower EIC on {pairs}.", pairs=pairs)
    return say_count(
        "Most votes went to the formula of lower EIC on {pairs}; 1 more pair was split evenly.",
        "Most votes went to the formula of lower EIC on {pairs}; {count} more pairs were split "
        "evenly.",
        test.split,
        pairs=pairs,
    )


def subgroups_sentence(groups: Subgroups) -> Phrase:
    """The rates of the groups, and whether they differ."""
    if not groups.groups:
        return say("No valid vote says of what {what} its rater is.", what=groups.what)
    rates = listed(
        [
            say("{name}: {rate}", name=each.name, rate=rate_text(each.rate, groups.level))
            for each in groups.groups
        ]
    )
    return paragraph(say("By {what}, {rates}.", what=groups.what, rates=rates), _compared(groups))


def _compared(groups: Subgroups) -> Phrase:
    p_value = groups.p_value
    if len(groups.groups) == 1:
        return say("All raters are in one group.")
    if p_value is None:
        return limit(groups.fit.reason) or say("A group of one rater cannot be compared.")
    p = wording.p_clause(p_value)
    if p_value >= 1 - groups.level:
        return say("These votes do not show a difference ({p}).", p=p)
    return say("They differ ({p}).", p=p)


def exclusion_sentence(rule: ExclusionRule) -> Phrase:
    """The rule in sentences.

    >>> print(exclusion_sentence(ExclusionRule()))
    Sessions of under 60 active seconds are left out.
    """
    seconds = wording.plain(rule.threshold_seconds)
    haste = say("No vote is left out for haste.")
    if rule.threshold_seconds:
        haste = {
            "session": say("Sessions of under {n} active seconds are left out.", n=seconds),
            "vote": say("Votes of under {n} active seconds are left out.", n=seconds),
        }[rule.unit]
    failed = rule.max_failed_attention
    if failed is None:
        return haste
    return paragraph(
        haste,
        say_count(
            "Sessions with more than {count} failed attention check are left out.",
            "Sessions with more than {count} failed attention checks are left out.",
            failed,
        ),
    )
