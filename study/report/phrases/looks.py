"""Whether it is EIC that raters follow, or what the eye sees."""

from __future__ import annotations

from eic_core import wording
from eic_core.phrasing import Phrase, say, say_count
from study.report.phrases.limits import limit
from study.report.phrases.numbers import between
from study.report.phrases.rates import paragraph
from study.statistics.regression import RegressionTerm
from study.statistics.threats.common import ALPHA, FINE, UNKNOWN
from study.statistics.threats.gaps import NODES, R2, UNITS, Gaps
from study.statistics.threats.structure import Confounding
from study.statistics.visible import VisiblePredictor


def gaps_sentence(found: Gaps) -> Phrase:
    return _gaps(found, found.terms)


def gaps_summary(found: Gaps) -> Phrase:
    """The same without the effects, for where a table shows them."""
    return _gaps(found, ())


def _gaps(found: Gaps, effects: tuple[RegressionTerm, ...]) -> Phrase:
    left_out = found.left_out or None
    constant = (not found.fit.reason and found.constant) or None
    return paragraph(
        *(
            (limit(found.fit.reason),)
            if found.fit.reason
            else (_adjusted(found), *(_effect(term, found.level) for term in effects))
        ),
        left_out
        and say_count(
            "{count} vote on pairs with an EIC or R² that is not a finite number are left out "
            "here.",
            "{count} votes on pairs with an EIC or R² that is not a finite number are left out "
            "here.",
            left_out,
        ),
        constant
        and say_count(
            "{names} is the same for all votes, and so not in this comparison.",
            "{names} are the same for all votes, and so not in this comparison.",
            len(constant),
            names=wording.capital(wording.join(constant)),
        ),
        limit(found.fit.too_small),
    )


def _adjusted(found: Gaps) -> Phrase | None:
    adjusted = found.adjusted_rate
    if adjusted is None or found.mean_eic_gap is None:
        return None
    return say(
        "Between formulas of {alike} whose EICs differ by {gap} digits, the lower EIC would be "
        "preferred in {share} of votes ({span}).",
        alike=held_equal(found),
        gap=wording.number(found.mean_eic_gap, 1),
        share=wording.percent(adjusted[0], 0),
        span=between(adjusted[1]),
    )


def held_equal(found: Gaps) -> Phrase:
    """What the adjusted rate takes to be equal: R² and complexity, unless all pairs share a gap."""
    names = {R2: "R²", NODES: "complexity"}
    equal = [names[name] for name in names if name not in found.shared]
    shared = wording.join([names[name] for name in found.shared])
    if not shared:
        return say("equal {names}", names=wording.join(equal))
    if not equal:
        return say("the gaps in {names} that all pairs share", names=shared)
    return say(
        "equal {equal} and the gap in {shared} that all pairs share",
        equal=wording.join(equal),
        shared=shared,
    )


def _effect(term: RegressionTerm, level: float) -> Phrase:
    ratio, interval = term.ratio(1.0, level)
    p = 1.0 if term.p_value is None else term.p_value  # a logistic term has one
    change = say(
        "The odds of a vote for the lower EIC change by a factor of {ratio} ({low} to {high}; {p}) "
        "with {unit}",
        ratio=wording.ratio(ratio),
        low=wording.ratio(interval.low),
        high=wording.ratio(interval.high),
        p=wording.p_clause(p),
        unit=UNITS[term.name],
    )
    if p < ALPHA:
        return say("{change}.", change=change)
    return say("{change}: no more than chance would give.", change=change)


def structure_sentence(found: Confounding) -> Phrase:
    visible = _predictable(found.predictor)
    if found.judgement == UNKNOWN:
        return paragraph(say("There is no clear preference to explain."), visible)
    adjusted, ratio, p = found.adjusted_rate, found.dose_ratio, found.dose_p
    if adjusted is None or ratio is None or p is None:
        why = limit(found.fit.reason) or say("The gap in EIC is the same for all votes.")
        return paragraph(not_told(), why, visible)
    rate = {"share": wording.percent(adjusted[0], 0), "span": between(adjusted[1])}
    dose = {"ratio": wording.ratio(ratio), "p": wording.p_clause(p)}
    if found.judgement == FINE:
        return say(
            "Raters follow more than looks: between formulas that look alike the lower EIC would "
            "be preferred in {share} of votes ({span}), and more often the further the EICs are "
            "apart (odds × {ratio} a digit, one-sided {p}).",
            **rate,
            **dose,
        )
    return paragraph(
        not_told(),
        say(
            "Between formulas that look alike the lower EIC would be preferred in {share} of votes "
            "({span}).",
            **rate,
        )
        if found.holds
        else say(
            "Between formulas that look alike the lower EIC would be preferred in {share} of votes "
            "({span}), which includes one half.",
            **rate,
        ),
        None
        if found.grows
        else say(
            "The preference does not clearly grow with the gap in EIC (odds × {ratio} a digit, "
            "one-sided {p}).",
            **dose,
        ),
        visible,
    )


def not_told() -> Phrase:
    return say(
        "Whether raters follow EIC or what the eye sees (functions, nesting, depth, length, "
        "digits) cannot be told apart in these votes."
    )


def _predictable(found: VisiblePredictor) -> Phrase | None:
    if not found.telling:
        return None
    share = wording.percent(found.auc, 0)
    if not found.fewer:
        return say(
            "More {name} alone tells the lower EIC in {share} of the pairs.",
            name=found.name,
            share=share,
        )
    if found.name in ("depth", "length"):
        return say(
            "Less {name} alone tells the lower EIC in {share} of the pairs.",
            name=found.name,
            share=share,
        )
    return say(
        "Fewer {name} alone tells the lower EIC in {share} of the pairs.",
        name=found.name,
        share=share,
    )
