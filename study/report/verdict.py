"""The result of a study in words that need no course in statistics."""

from __future__ import annotations

from dataclasses import dataclass

from eic_core import wording
from study.report.analysis import StudyReport
from study.statistics.inference import Finding


@dataclass(frozen=True)
class StudyVerdict:
    # "lower", "higher", "undecided" or "none": which formula people preferred, as far as the votes
    # tell; "none": there is no test
    finding: Finding
    lines: tuple[str, ...]  # Sentences, the most important first
    caution: str = ""  # Why not to rely on it, in a sentence; "" if there is no such reason

    @property
    def text(self) -> str:
        return " ".join([*self.lines, *([self.caution] if self.caution else [])])


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
        return StudyVerdict("none", (found.reason,))
    start = _preferred(found.lower, found.votes)
    if interval is None or p is None:
        return StudyVerdict("none", (start,), found.reason)
    about = _others(report)
    expected = (
        f"For {about}, these votes put that share at {_span(interval.low, interval.high)} of 100 "
        f"({wording.level_percent(report.level)} interval)."
    )
    finding = found.finding(report.level, one_sided=report.one_sided)
    if report.one_sided and found.p_value is not None:
        p = found.p_value
    sided = "one-sided, as declared" if report.one_sided else "two-sided"
    chance = _chance(finding, p, sided, sure=not found.too_small)
    lines = (start, expected, chance, *_worth(report), *_doubts(report, finding))
    return StudyVerdict(finding, lines, found.too_small)


def _doubts(report: StudyReport, finding: Finding) -> tuple[str, ...]:
    """What else could make the preference that was found, if something shows."""
    structure, one_sided = report.threats.structure, report.threats.sides.one_sided
    found = [one_sided.sentence] if one_sided.judgement == "look closer" else []
    if finding != "undecided" and structure.judgement == "look closer":
        found.append(structure.sentence)
    return tuple(found)


def _preferred(lower: int, votes: int) -> str:
    """How often the lower EIC won, as a natural frequency."""
    if votes < 100:
        share = f"{lower} of {wording.count(votes, 'vote')}"
    else:
        share = f"{_in_hundred(lower / votes)} of 100 votes"
    return f"In {share} people preferred the formula with the lower EIC."


def _others(report: StudyReport) -> str:
    """Whom and what the interval speaks of."""
    if report.estimand == "these pairs":
        return "other people and these same pairs"
    if report.inference.conditional_on_problems:
        return "other people and other pairs like these, on the same problems"
    return "other people, and other problems and pairs like these"


def _in_hundred(rate: float) -> str:
    """A rate out of 100: whole, but never rounded to none, to half or to all.

    >>> _in_hundred(0.698), _in_hundred(0.997), _in_hundred(1.0), _in_hundred(0.503)
    ('70', '99.7', '100', '50.3')
    """
    return wording.rounded(100 * rate, 0, (0, 50, 100))


def _span(low: float, high: float) -> str:
    """Two ends out of 100, told apart where they are not one number.

    >>> _span(0.422, 0.748), _span(0.597, 0.604), _span(0.6, 0.6)
    ('42 to 75', '59.7 to 60.4', 'about 60')
    """
    for decimals in range(4):
        ends = [wording.rounded(100 * end, decimals, (0, 50, 100)) for end in (low, high)]
        if ends[0] != ends[1]:
            return " to ".join(ends)
    return f"about {_in_hundred(low)}"


def _chance(finding: Finding, p: float, sided: str, *, sure: bool) -> str:
    told = f"{wording.p_clause(p, 3)}, {sided}"
    if finding == "undecided":
        range_ = "" if sided.startswith("one") else "That range includes 50 in 100, so t"
        return (
            f"{range_ or 'T'}hese votes do not show a preference: if people "
            f"had not cared either way, {_how_often(p)} would come out at least this clearly "
            f"({told})."
        )
    if not sure:
        return (
            f"Taken at face value, {_how_often(p)} would come out this clearly if people had not "
            f"cared either way ({told})."
        )
    preferred = "lower" if finding == "lower" else "higher"
    return (
        f"Chance is a poor explanation for this preference for the {preferred} EIC: if people had "
        f"not cared either way, {_how_often(p)} would come out this clearly ({told})."
    )


def _how_often(p: float) -> str:
    """A p value as a natural frequency of studies.

    >>> _how_often(3e-9)
    'fewer than one study in a million'
    >>> _how_often(0.0004), _how_often(0.031), _how_often(0.4), _how_often(0.997)
    ('about 4 studies in 10,000', 'about 3 studies in 100', 'about 40 studies in 100',
     'nearly every study')
    """
    if p < 1e-6:
        return "fewer than one study in a million"
    if p >= 0.995:
        return "every study" if p == 1 else "nearly every study"
    of = 100
    while p * of < 0.95:
        of *= 10
    return f"about {wording.count(round(p * of), 'study', 'studies')} in {of:,}"


def _worth(report: StudyReport) -> tuple[str, ...]:
    """What the votes are worth, counted in independent ones."""
    found = report.inference
    effective = found.effective_votes
    if effective is None:
        return ()
    if effective >= found.votes:
        return (
            f"The {wording.count(found.votes, 'vote')} carry at least as much information as "
            "independent "
            "ones.",
        )
    return (
        f"The {wording.count(found.votes, 'vote')} carry as much information as about "
        f"{worth_text(effective)}, because {_alike(report)} resemble each other.",
    )


def worth_text(effective: float) -> str:
    """So many independent votes, in words: at least one, and to two digits from a hundred up.

    >>> worth_text(305.4), worth_text(11.2), worth_text(0.4)
    ('310 independent ones', '11 independent ones', '1 independent one')
    """
    near = max(1, round(effective)) if effective < 100 else 10 * round(effective / 10)
    return wording.count(near, "independent one")


def _alike(report: StudyReport) -> str:
    """Which votes go together."""
    names = {
        "rater": "votes of one person",
        "pair": "votes on one pair",
        "problem": "votes on one problem",
    }
    said = [names[kind] for kind, _ in report.inference.clusters]
    return said[0] if len(said) == 1 else ", and ".join(said) + ","
