"""The result of a study in words that need no course in statistics."""

from __future__ import annotations

from dataclasses import dataclass

from eic_core import wording
from eic_core.phrasing import Field, Phrase, listed, one_after_another, say, say_count
from study.report.analysis import StudyReport
from study.report.phrases.limits import limit
from study.report.phrases.numbers import in_hundred, span_in_hundred
from study.report.phrases.rates import paragraph
from study.report.phrases.threats import threat_sentence
from study.statistics.inference import ClusteredRate, Finding
from study.statistics.threats.common import LOOK
from study.statistics.threats.gaps import REMAINS

CLEARLY = 1.5
"""One variance is said to be the larger from this ratio on."""


@dataclass(frozen=True)
class StudyVerdict:
    # "lower", "higher", "undecided" or "none": which formula people preferred, as far as the votes
    # tell; "none": there is no test
    finding: Finding
    lines: tuple[Phrase, ...]  # Sentences, the most important first
    caution: Phrase | None = None  # Why not to rely on it

    @property
    def text(self) -> str:
        return str(one_after_another([*self.lines, *([self.caution] if self.caution else [])]))


def verdict(report: StudyReport) -> StudyVerdict:
    """The headline in words.

    >>> from study.report.analysis import analyse
    >>> from study.report.exported import StudyExport
    >>> verdict(analyse(StudyExport("s", "Demo", "", (), ()))).text
    'There are no valid votes.'
    """
    found = report.inference
    interval, p = found.interval(report.level), found.p_two_sided
    if found.rate is None:
        return StudyVerdict("none", (limit(found.reason),) if found.reason else ())
    start = _preferred(found.lower, found.votes)
    if interval is None or p is None:
        return StudyVerdict("none", (start,), limit(found.reason))
    expected = say(
        "For {others}, these votes put that share at {span} of 100 ({level} interval).",
        others=_others(report),
        span=span_in_hundred(interval.low, interval.high),
        level=wording.level_percent(report.level),
    )
    finding = found.finding(report.level, one_sided=report.one_sided)
    chance = _chance(report, finding)
    further = _wider(report) if finding == "undecided" else _explained(report)
    one_sided = report.threats.sides.one_sided
    doubts = (threat_sentence(one_sided),) if one_sided.judgement == LOOK else ()
    lines = (start, expected, chance, *further, *doubts, *_closer(report, finding))
    return StudyVerdict(finding, lines, limit(found.too_small))


def _preferred(lower: int, votes: int) -> Phrase:
    """How often the lower EIC won, as a natural frequency."""
    if votes < 100:
        return say_count(
            "In {lower} of {count} vote people preferred the formula with the lower EIC.",
            "In {lower} of {count} votes people preferred the formula with the lower EIC.",
            votes,
            lower=lower,
        )
    return say(
        "In {share} of 100 votes people preferred the formula with the lower EIC.",
        share=in_hundred(lower / votes),
    )


def _others(report: StudyReport) -> Phrase:
    """Whom and what the interval speaks of."""
    if report.estimand == "these pairs":
        return say("other people and these same pairs")
    if report.inference.conditional_on_problems:
        return say("other people and other pairs like these, on the same problems")
    return say("other people, and other problems and pairs like these")


def _chance(report: StudyReport, finding: Finding) -> Phrase:
    """The test as a natural frequency of studies; p itself stands among the numbers."""
    rate, one_sided = report.inference, report.one_sided
    p = (rate.p_value if one_sided else rate.p_two_sided) or 0.0
    test: dict[str, Field] = {
        "studies": _how_often(p),
        "clearly": say("this clearly for the lower EIC, the one side that was declared")
        if one_sided
        else say("this clearly"),
    }
    if finding == "undecided":
        return say(
            "{start} do not show a preference: if people had not cared either way, {studies} would "
            "come out at least {clearly}.",
            start=say("These votes")
            if one_sided
            else say("That range includes 50 in 100, so these votes"),
            **test,
        )
    if rate.too_small:
        return say(
            "Taken at face value, {studies} would come out {clearly} if people had not cared "
            "either way.",
            **test,
        )
    return say(
        "Chance is a poor explanation for this preference for the {side} EIC: if people had not "
        "cared either way, {studies} would come out {clearly}.",
        side=say("lower") if finding == "lower" else say("higher"),
        **test,
    )


def _how_often(p: float) -> Phrase:
    """A p value as a natural frequency of studies.

    >>> print(_how_often(3e-9), _how_often(0.0004), _how_often(0.997), sep="; ")
    fewer than one study in a million; about 4 studies in 10,000; nearly every study
    """
    if p < 1e-6:
        return say("fewer than one study in a million")
    if p >= 0.995:
        return say("every study") if p == 1 else say("nearly every study")
    of = 100
    while p * of < 0.95:
        of *= 10
    return say_count(
        "about {count} study in {of}", "about {count} studies in {of}", round(p * of), of=of
    )


def _wider(report: StudyReport) -> tuple[Phrase, ...]:
    """Why the range is as wide as it is, and what would narrow it."""
    found = report.inference
    effective = found.effective_votes
    if effective is None:
        return ()
    if effective >= found.votes:
        return (say("More votes would narrow that range."),)
    worth = say_count(
        "The {count} vote carry as much information as about {worth}, because {alike} resemble "
        "each other.",
        "The {count} votes carry as much information as about {worth}, because {alike} resemble "
        "each other.",
        found.votes,
        worth=worth_text(effective),
        alike=_alike(report),
    )
    return (paragraph(worth, _narrower(found)),)


def _narrower(found: ClusteredRate) -> Phrase:
    """What a larger study needs: more of that which adds most to the variance."""
    if found.estimand == "these pairs":
        return say("More people would narrow that range.")
    items, raters, _ = (part.variance for part in found.components)
    if raters > CLEARLY * items:
        return say("More people would narrow that range most.")
    if found.conditional_on_problems:
        return (
            say("More pairs would narrow that range most.")
            if items > CLEARLY * raters
            else say("More people and more pairs would narrow that range.")
        )
    return (
        say("More problems would narrow that range most.")
        if items > CLEARLY * raters
        else say("More people and more problems would narrow that range.")
    )


def _explained(report: StudyReport) -> tuple[Phrase, ...]:
    """What else could make the preference: what the eye sees, and votes that are lost."""
    structure, lost = report.threats.structure, report.lost_votes
    looks = threat_sentence(structure) if structure.doubtful else None
    if structure.preferred and structure.answer == REMAINS and structure.adjusted_rate:
        rate, interval = structure.adjusted_rate
        looks = say(
            "It remains between formulas that look alike: {share} of 100 ({span}).",
            share=in_hundred(rate),
            span=span_in_hundred(interval.low, interval.high),
        )
    bound = None
    if lost.needed is not None and not lost.stands:
        bound = say(
            "{needed} of the {lost} votes that were left out, undone or never cast could undo it, "
            "had they been for the {other} EIC.",
            needed=lost.needed,
            lost=lost.lost,
            other=say("higher") if lost.finding == "lower" else say("lower"),
        )
    return tuple(each for each in (looks, bound) if each is not None)


_THREATS: dict[str, Phrase] = {
    "sensitivity": say("the exclusion rule"),
    "attention": say("attention"),
    "sides": say("sides"),
    "raters": say("single raters"),
    "ballots": say("learning and tiring"),
    "screens": say("screens"),
    "ties": say("ties"),
}


def _closer(report: StudyReport, finding: Finding) -> tuple[Phrase, ...]:
    """What to look at next; what the eye sees stands above."""
    flagged = [
        _THREATS[name]
        for name, threat in report.threats.each().items()
        if name in _THREATS and threat.judgement == LOOK
    ]
    if flagged:
        return (say("Before you rely on this, look closer at {threats}.", threats=listed(flagged)),)
    if report.inference.too_small:
        return ()
    if finding == "undecided":
        return (say("No threat is flagged."),)
    if report.threats.structure.doubtful:
        return (say("No other threat is flagged."),)
    return (say("No other threat is flagged: report the share with its range."),)


def worth_text(effective: float) -> Phrase:
    """So many independent votes, in words: at least one, and to two digits from a hundred up.

    >>> print(worth_text(305.4), worth_text(11.2), worth_text(0.4), sep=", ")
    310 independent ones, 11 independent ones, 1 independent one
    """
    near = max(1, round(effective)) if effective < 100 else 10 * round(effective / 10)
    return say_count("{count} independent one", "{count} independent ones", near)


def _alike(report: StudyReport) -> Phrase:
    """Which votes go together."""
    if report.estimand == "these pairs":
        return say("votes of one person")
    if report.inference.conditional_on_problems:
        return say("votes on one pair, and votes of one person,")
    return say("votes on one problem, and votes of one person,")
