"""What could be wrong with a result."""

from __future__ import annotations

from functools import singledispatch

from eic_core import wording
from eic_core.phrasing import Phrase, listed, say, say_count
from study.report.phrases.limits import limit
from study.report.phrases.looks import gaps_sentence, structure_sentence
from study.report.phrases.numbers import between, rate_text
from study.report.phrases.rates import paragraph
from study.statistics.exclusions import Unit
from study.statistics.inference import ClusteredRate
from study.statistics.threats.attention import AttentionChecks
from study.statistics.threats.common import ALPHA, Regressed
from study.statistics.threats.fatigue import Ballots, Pace, Stretch
from study.statistics.threats.gaps import Gaps
from study.statistics.threats.problems import ProblemRates
from study.statistics.threats.raters import RaterScreens
from study.statistics.threats.screens import WINDOWS, Screens
from study.statistics.threats.sensitivity import UNITS as EXCLUSION_UNITS
from study.statistics.threats.sensitivity import Sensitivity
from study.statistics.threats.sides import OneSided, SideBias
from study.statistics.threats.structure import Confounding
from study.statistics.threats.ties import Ties

DIFFER = 0.05
"""Problems are said to differ below this p value. A description: no correction."""


@singledispatch
def threat_sentence(threat: object) -> Phrase:
    """What a threat comes to."""
    raise TypeError(f"{type(threat).__name__} is no threat")


threat_sentence.register(Gaps)(gaps_sentence)
threat_sentence.register(Confounding)(structure_sentence)


# --- the exclusion rule ---


@threat_sentence.register
def _(found: Sensitivity) -> Phrase:
    frozen, level = found.frozen.rate, found.level
    if not any(point.rate.votes for point in found.points):
        nothing = say("So no threshold can be compared with another.")
        return paragraph(limit(found.points[0].rate.reason), nothing)
    start = (
        say("The frozen rule gives {rate}.", rate=rate_text(frozen, level))
        if frozen.votes
        else say("The frozen rule leaves no votes.")
    )
    if frozen.reason:
        return paragraph(start, limit(frozen.reason))
    curves = [_curve(found, unit) for unit in EXCLUSION_UNITS]
    return paragraph(start, *curves, _thresholds(found), limit(frozen.too_small))


def _thresholds(found: Sensitivity) -> Phrase:
    """Counted among the thresholds that keep at least half of the votes."""
    of, others, clearly = len(found.comparable), len(found.changing), len(found.contradicting)
    if clearly:
        return say(
            "{clearly} of the {of} thresholds that keep at least half of these votes lead to "
            "another conclusion than the frozen rule.",
            clearly=clearly,
            of=of,
        )
    if others:
        return say(
            "{others} of the {of} thresholds that keep at least half of these votes fall on the "
            "other side of what counts as shown, by a margin that is not flagged.",
            others=others,
            of=of,
        )
    return say(
        "All {of} thresholds that keep at least half of these votes lead to the same conclusion.",
        of=of,
    )


def _curve(found: Sensitivity, unit: Unit) -> Phrase:
    some = [point for point in found.comparable if point.unit == unit]
    what = say("whole sessions") if unit == "session" else say("single votes")
    rates = [point.rate.rate for point in some if point.rate.rate is not None]
    if not rates:
        return say("No threshold for {what} keeps half of these votes.", what=what)
    low, high = wording.percent(min(rates), 0), wording.percent(max(rates), 0)
    last = some[-1].threshold_seconds
    return say(
        "With thresholds {thresholds} for {what} the rate {span}.",
        thresholds=say("from 0 to {last} s", last=wording.plain(last))
        if last
        else say("of 0 s alone"),
        what=what,
        span=say("is {low}", low=low)
        if low == high
        else say("stays between {low} and {high}", low=low, high=high),
    )


# --- raters ---


@threat_sentence.register
def _(found: AttentionChecks) -> Phrase:
    if not found.answered:
        return say("No attention check was answered, so attention cannot be judged.")
    checks = say_count("{count} attention check", "{count} attention checks", found.answered)
    if not found.failed_raters:
        return say("Nobody failed: {checks} answered.", checks=checks)
    start = say_count(
        "{passed} of {checks} passed; {failed} of {count} rater failed at least one.",
        "{passed} of {checks} passed; {failed} of {count} raters failed at least one.",
        len(found.raters),
        passed=found.passed,
        checks=checks,
        failed=found.failed_raters,
    )
    many = found.many_failed or None
    return paragraph(
        start,
        many and say("So many failures ask whether the ballots were read."),
        *_by_failure(found),
    )


def _by_failure(found: AttentionChecks) -> tuple[Phrase | None, ...]:
    if not found.with_failure.votes:
        return (say("None of their votes enters a rate."),)
    rates = say(
        "Raters with a failure: {failed}; without: {others}.",
        failed=rate_text(found.with_failure, found.level),
        others=rate_text(found.without_failure, found.level),
    )
    if found.p_value is None or found.fit.too_small:
        return (rates, say("Too few failed to be compared with the others."))
    differ = _tested(
        found,
        say("A difference is not flagged"),
        say("They prefer otherwise than the others"),
    )
    return rates, *differ


def _tested(found: Regressed, fine: Phrase, flagged: Phrase) -> tuple[Phrase | None, ...]:
    """What the regression shows, or why there is none."""
    if found.p_value is None:
        return (limit(found.fit.reason),)
    finding = fine if found.p_value >= ALPHA else flagged
    said = say("{finding} ({p}).", finding=finding, p=wording.p_clause(found.p_value))
    return said, limit(found.fit.too_small)


@threat_sentence.register
def _(found: SideBias) -> Phrase:
    rate = found.clustered
    if rate.reason and rate.rate is None:
        return limit(rate.reason)
    chosen = say_count(
        "The formula on the left was chosen in {share} of {count} vote",
        "The formula on the left was chosen in {share} of {count} votes",
        rate.votes,
        share=wording.percent(rate.rate, 0),
    )
    interval = rate.interval(found.level)
    if found.p_value is None or interval is None:
        return paragraph(say("{chosen}.", chosen=chosen), limit(rate.reason))
    tested = say(
        "{chosen} ({span}; {p})",
        chosen=chosen,
        span=between(interval),
        p=wording.p_clause(found.p_value),
    )
    if found.favoured:
        favoured = {
            "left": say("{tested}: raters favour the left.", tested=tested),
            "right": say("{tested}: raters favour the right.", tested=tested),
        }[found.favoured]
        return paragraph(favoured, _balance(found), limit(rate.too_small))
    if rate.too_small:
        return paragraph(say("{tested}.", tested=tested), limit(rate.too_small))
    return say("{tested}: not flagged.", tested=tested)


def _balance(found: SideBias) -> Phrase:
    share = wording.percent(found.lower_on_left, 0)
    if found.balanced:
        return say(
            "The formula of lower EIC stood on the left in {share} of these votes, so sides "
            "balance, and this moves the rate of preference towards one half, not away from it.",
            share=share,
        )
    return say(
        "The formula of lower EIC stood on the left in {share} of these votes, so sides do not "
        "balance, and this moves the rate of preference.",
        share=share,
    )


@threat_sentence.register
def _(found: OneSided) -> Phrase:
    if found.p_value is None:
        return say(
            "No rater has {minimum} deciding votes, so nobody can be said to click always on one "
            "side.",
            minimum=found.minimum,
        )
    raters = say_count(
        "{count} rater with {minimum} or more votes",
        "{count} raters with {minimum} or more votes",
        found.candidates,
        minimum=found.minimum,
    )
    chance = (
        say("chance would give about {number}", number=wording.number(found.expected, 1))
        if found.expected >= 0.05
        else say("chance would give hardly any")
    )
    if not found.one_sided_count:
        return say(
            "None of {raters} always chose the same side ({chance}).", raters=raters, chance=chance
        )
    return paragraph(
        say(
            "{number} of {raters} always chose the same side ({left} left, {right} right); "
            "{chance} ({p}).",
            number=found.one_sided_count,
            raters=raters,
            left=len(found.left),
            right=len(found.right),
            chance=chance,
            p=wording.p_clause(found.p_value),
        ),
        say("Without them the rate is {rate}.", rate=rate_text(found.without_them, found.level))
        if found.without_them.votes
        else say("Without them no votes are left."),
    )


# --- ballots and screens ---


@threat_sentence.register
def _(found: Ballots) -> Phrase:
    if not found.thirds:
        return say("There are no valid votes.")
    early, late = found.thirds[0], found.thirds[-1]
    if early is late:
        return say("All votes are on ballots of one third, so no course of a session can be seen.")
    if not any(third.rate.votes for third in found.thirds):
        return paragraph(limit(early.rate.reason), _seconds(found, early, late))
    rates = say(
        "In the {early} of the ballots {rate}, in the {late} {later}.",
        early=early.name,
        rate=_rate_clause(early.rate, found.level),
        late=late.name,
        later=_rate_clause(late.rate, found.level),
    )
    trend = _tested(
        found,
        say("A trend over ballots is not flagged"),
        say("The rate changes in the course of a session"),
    )
    return paragraph(rates, *trend, _seconds(found, early, late))


def _rate_clause(rate: ClusteredRate, level: float) -> Phrase:
    if not rate.votes:
        return say("nobody decided for either formula")
    return say("the rate is {rate}", rate=rate_text(rate, level))


def _seconds(found: Ballots, early: Stretch, late: Stretch) -> Phrase | None:
    pace = found.pace
    if early.median_seconds is None or late.median_seconds is None or pace is None:
        return None
    return say(
        "The median vote took {seconds} in the {early} and {later} in the {late}; {pace}.",
        seconds=wording.seconds(early.median_seconds),
        early=early.name,
        later=wording.seconds(late.median_seconds),
        late=late.name,
        pace=_pace(pace),
    )


def _pace(pace: Pace) -> Phrase:
    change, p = wording.percent(pace.change, 0), wording.p_clause(pace.p_value)
    about = say("about {change}", change=change) if pace.change >= 0.01 else change
    if pace.raters_get == "steady":
        return say("raters keep their pace")
    quicker = {
        "faster": say("raters get faster by {change} a ballot", change=about),
        "slower": say("raters get slower by {change} a ballot", change=about),
    }[pace.raters_get]
    if pace.p_value is None:
        return say("{quicker}, each of them alike", quicker=quicker)
    if pace.p_value < ALPHA:
        return say("{quicker} ({p})", quicker=quicker, p=p)
    return say("{quicker} ({p}, not flagged)", quicker=quicker, p=p)


@threat_sentence.register
def _(found: Screens) -> Phrase:
    if not found.classes:
        return say("No valid vote says in how wide a window it was cast.")
    rates = [
        say(
            "In windows of {window} {rate}.",
            window=WINDOWS[each.viewport],
            rate=_rate_clause(each.rate, found.level),
        )
        for each in found.classes
    ]
    if len(found.classes) == 1:
        return paragraph(*rates, say("All votes come from windows of this class."))
    compared = _tested(
        found,
        say("A difference is not flagged"),
        say("The preference depends on the screen"),
    )
    return paragraph(*rates, *compared)


# --- single raters ---


@threat_sentence.register
def _(found: RaterScreens) -> Phrase:
    if not found.raters:
        return say("No rater has enough deciding votes to be looked at alone.")
    flagged = [
        each
        for each in (_hasty(found), _coins(found), _one_place(found), _alike(found))
        if each is not None
    ]
    fine = say_count(
        "Neither haste, answers like a coin's nor one place pressed is flagged for {count} rater.",
        "Neither haste, answers like a coin's nor one place pressed is flagged for any of {count} "
        "raters.",
        len(found.raters),
    )
    blind = say_count(
        "No two raters share more than {count} pair, too few to see two accounts of one person.",
        "No two raters share more than {count} pairs, too few to see two accounts of one person.",
        found.most_shared,
    )
    return paragraph(*(flagged or [fine]), None if found.couples_comparable else blind)


def _hasty(found: RaterScreens) -> Phrase | None:
    if not found.hasty:
        return None
    names = [
        say("{name} ({seconds})", name=each.rater, seconds=wording.seconds(each.seconds))
        for each in found.hasty
    ]
    return say(
        "Far quicker than the others, by the median vote: {names}; {p}.",
        names=listed(names),
        p=wording.p_clause(found.haste_p),
    )


def _coins(found: RaterScreens) -> Phrase | None:
    if found.coin_p is None or found.coin_p >= ALPHA:
        return None
    p = wording.p_clause(found.coin_p)
    if found.coins:
        names = listed([each.rater for each in found.coins])
        return say("Answers hardly go with those of the others: {names} ({p}).", names=names, p=p)
    return say_count(
        "The answers of the {count} rater of less than half the usual time hardly go with those of "
        "the others ({p}).",
        "The answers of the {count} raters of less than half the usual time hardly go with those "
        "of the others ({p}).",
        len(found.quick),
        p=p,
    )


def _one_place(found: RaterScreens) -> Phrase | None:
    if found.place_p is None or found.place_p >= ALPHA:
        return None
    sided = found.one_sided
    return say(
        "Some raters press one place more than sides dealt by chance explain ({p}): {left} always "
        "the left, {right} always the right.",
        left=len(sided.left),
        right=len(sided.right),
        p=wording.p_clause(found.place_p),
    )


def _alike(found: RaterScreens) -> Phrase | None:
    if not found.alike:
        return None
    couples = [
        say(
            "{first} and {second} ({alike} of {pairs} pairs)",
            first=each.first,
            second=each.second,
            alike=each.alike,
            pairs=each.pairs,
        )
        for each in found.alike
    ]
    return say(
        "Chose alike as one person would: {couples}; {p}.",
        couples=listed(couples),
        p=wording.p_clause(found.likeness_p),
    )


# --- problems and ties ---


@threat_sentence.register
def _(found: ProblemRates) -> Phrase:
    ordered = sorted(found.with_votes, key=lambda each: each.rate or 0.0)
    if len(ordered) < 2:
        return paragraph(limit(found.reason))
    low, high = ordered[0], ordered[-1]
    rates = say(
        "In {leading} of {of} problems most votes go to the formula of lower EIC; the rates run "
        "from {low} ({lowest}) to {high} ({highest}).",
        leading=sum(2 * each.lower > each.votes for each in ordered),
        of=len(ordered),
        low=wording.percent(low.rate, 0),
        lowest=low.problem,
        high=wording.percent(high.rate, 0),
        highest=high.problem,
    )
    if found.p_value is None:
        return paragraph(rates, limit(found.reason))
    p = wording.p_clause(found.p_value)
    names = [each.problem for each in found.contradicting]
    return paragraph(
        rates,
        say("That problems differ by more than their pairs is not shown ({p}).", p=p)
        if found.p_value >= DIFFER
        else say("Problems differ by more than the differences between pairs explain ({p}).", p=p),
        None
        if not names
        else say_count(
            "{names} speaks for the higher EIC.",
            "{names} speak for the higher EIC.",
            len(found.contradicting),
            names=listed(names),
        ),
    )


@threat_sentence.register
def _(found: Ties) -> Phrase:
    if not found.votes:
        return say("There are no valid votes.")
    if not found.ties:
        return say("There are no ties, so no convention on them changes anything.")
    share = say(
        "{ties} in {votes}.",
        ties=say_count("{count} tie", "{count} ties", found.ties),
        votes=say_count("{count} vote", "{count} votes", found.votes),
    )
    out, half, against, for_ = found.counted
    if out.rate is None:
        return paragraph(share, limit(out.clustered.reason))
    worst = against.interval(found.level)
    least = wording.percent(against.rate, 0)
    return paragraph(
        share,
        say(
            "Left out, the rate is {out}; with half of each tie for either formula {half}, with "
            "all ties against the formula of lower EIC {against}, with all for it {most}.",
            out=rate_text(out.clustered, found.level),
            half=wording.percent(half.rate, 0),
            against=say("{least} ({span})", least=least, span=between(worst)) if worst else least,
            most=wording.percent(for_.rate, 0),
        ),
    )
