"""How far raters agree."""

from __future__ import annotations

from eic_core import wording
from eic_core.phrasing import Phrase, say
from study.report.phrases.limits import limit
from study.report.phrases.rates import NOTHING, paragraph
from study.statistics.agreement import Agreement
from study.statistics.clusters import Estimand


def agreement_sentence(agreement: Agreement) -> Phrase:
    """How far two raters agree, and how much of that is more than chance, in plain words."""
    raw, kappa = agreement.raw_agreement, agreement.fleiss_kappa
    if raw.value is None:
        nothing = say("So nothing can be said about how far raters agree.")
        return paragraph(limit(raw.reason), nothing)
    alike = say(
        "Two raters of one pair chose the same formula in {share} of cases.",
        share=wording.percent(raw.value, 0),
    )
    if kappa.value is None or kappa.expected is None:
        return paragraph(alike, limit(kappa.reason))
    return paragraph(
        alike,
        say(
            "Chance alone would give {chance}. Fleiss' kappa, which is 1 if all agree and 0 if "
            "they agree as often as by chance, is {kappa}.",
            chance=wording.percent(kappa.expected, 0),
            kappa=wording.rounded(kappa.value, 2, (0, 1)),
        ),
    )


def units_sentence(estimand: Estimand) -> Phrase:
    """Whom and what the intervals of agreement are for, and what they leave out."""
    return {
        "problems like these": say(
            "The intervals are for raters like these on problems like these: each problem, with "
            "all its pairs, and each rater is left out in turn (jackknife)."
        ),
        "pairs like these": say(
            "The intervals are for raters like these on other pairs of these problems: each pair "
            "and each rater is left out in turn (jackknife)."
        ),
        "these pairs": say(
            "The intervals are for raters like these on these pairs: each rater is left out in "
            "turn (jackknife)."
        ),
    }[estimand]


def prevalence_sentence(agreement: Agreement) -> Phrase:
    """Why kappa is so much below the raw agreement; empty unless an uneven split lowers it."""
    share, ac1 = agreement.lower_share, agreement.gwet_ac1.value
    if not agreement.pulled_down or share is None or ac1 is None:
        return NOTHING
    return say(
        "That chance is high because {most} of the votes go to the formula of {side} EIC: raters "
        "who each chose it that often without looking at the pair would agree so. Gwet's AC1, "
        "which an uneven split does not pull down, is {ac1}.",
        most=wording.percent(max(share, 1 - share), 0),
        side=say("lower") if share >= 0.5 else say("higher"),
        ac1=wording.rounded(ac1, 2, (0, 1)),
    )
