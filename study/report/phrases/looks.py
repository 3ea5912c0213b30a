"""Whether it is EIC that raters follow, or what the eye sees."""

from __future__ import annotations

from eic_core import wording
from eic_core.phrasing import Field, Phrase, say, say_count
from study.report.phrases.limits import limit
from study.report.phrases.numbers import between
from study.report.phrases.rates import paragraph
from study.statistics.limits import Constant
from study.statistics.threats.gaps import IMPRECISE, NODES, R2, REMAINS, Gaps
from study.statistics.threats.structure import Confounding
from study.statistics.visible import VisiblePredictor


def gaps_sentence(found: Gaps) -> Phrase:
    left_out = found.left_out or None
    constant = (not found.fit.reason and found.constant) or None
    return paragraph(
        limit(found.fit.reason) or _adjusted(found),
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


def structure_sentence(found: Confounding) -> Phrase:
    """The answer, and what else tells the lower EIC unless it is that EIC remains."""
    if not found.preferred:
        return paragraph(
            say("There is no clear preference to explain."), _predictable(found.predictor)
        )
    if found.answer == REMAINS:
        return _answer(found)
    return paragraph(_answer(found), _predictable(found.predictor))


def _answer(found: Confounding) -> Phrase:
    adjusted = found.adjusted_rate
    if adjusted is None or found.fit.too_small:
        return paragraph(not_told(), _why(found))
    rates: dict[str, Field] = {
        "share": wording.percent(adjusted[0], 0),
        "span": between(adjusted[1]),
        "all": wording.percent(found.unadjusted.rate, 0),
    }
    if found.answer == REMAINS:
        return say(
            "Raters follow more than looks: between formulas that look alike the lower EIC would "
            "be preferred in {share} of votes ({span}).",
            **rates,
        )
    if found.answer == IMPRECISE:
        return paragraph(
            not_told(),
            say(
                "Between formulas that look alike the lower EIC would be preferred in {share} of "
                "votes ({span}), which includes both one half and the {all} of all votes.",
                **rates,
            ),
        )
    return say(
        "It may be looks that raters follow, not EIC: between formulas that look alike the "
        "preference vanishes. There the lower EIC would be preferred in {share} of votes ({span}), "
        "against {all} of all votes.",
        **rates,
    )


def _why(found: Confounding) -> Phrase | None:
    reason = found.fit.reason
    if isinstance(reason, Constant):
        return say(
            "No formulas look alike: in all pairs that of lower EIC differs in the same way "
            "({names}).",
            names=wording.join(reason.names),
        )
    return limit(reason) or limit(found.fit.too_small)


def dose_sentence(found: Confounding) -> Phrase | None:
    """Whether the preference grows with the gap; None if the fit does not say."""
    adjusted, further, p = found.adjusted_rate, found.further_rate, found.dose_p
    if adjusted is None or further is None or p is None or not found.preferred:
        return None
    dose: dict[str, Field] = {
        "share": wording.percent(adjusted[0], 0),
        "further": wording.percent(further, 0),
        "p": wording.p_clause(p),
    }
    if found.grows:
        return say(
            "With a further digit between the EICs, {share} would become {further}: the preference "
            "grows with the gap (one-sided {p}).",
            **dose,
        )
    return say(
        "With a further digit between the EICs, {share} would become {further}: whether the "
        "preference grows with the gap cannot be told (one-sided {p}).",
        **dose,
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
