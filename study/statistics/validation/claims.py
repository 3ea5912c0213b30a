"""Every interval and test that a report prints, applied to a study of known truth. `headline` is
cheap and goes to all designs, `printed` is the rest and goes to whole studies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.special import ndtr

from study.statistics.agreement import agreement_of
from study.statistics.equivalence import effect_size
from study.statistics.inference import ClusteredRate, clustered_rate, equal_problems
from study.statistics.mixed import mixed_rate
from study.statistics.models import ModelEstimate, less_people, mean_over_pairs, with_people
from study.statistics.preference import Interval, Preference
from study.statistics.regression import LinearFit, LogisticFit
from study.statistics.simulation import SimulatedStudy, StudyModel
from study.statistics.subgroups import subgroups
from study.statistics.threats.fatigue import POSITION
from study.statistics.threats.gaps import KEYS
from study.statistics.validation.outcomes import LEVEL, Judged
from study.statistics.validation.rehearsal import (
    ModelTruth,
    Rehearsal,
    model_scores,
    model_truth,
)
from study.statistics.validation.scenarios import Scenario

HEADLINE = "headline"
COMPARED = ("Wilson", "other problems")
"""Beside the headline to show what it is for; they bind nobody."""
MARGIN = 0.05

Outcomes = dict[str, Judged]


def headline(study: SimulatedStudy, scenario: Scenario) -> Outcomes:
    """The rate of preference in each way that a report may declare it."""
    table = replace(study.table, sampled=scenario.sampled)
    of_all = scenario.model.preference
    rate = clustered_rate(table)
    decided = table.decided()
    here = float(study.problem_rates[decided.pair].mean()) if scenario.conditional else of_all
    whole = _rate(rate, here, one_sided=scenario.null)
    these = clustered_rate(table, estimand="these pairs")
    wilson = Preference(rate.lower, rate.votes - rate.lower).wilson(LEVEL)
    return {
        HEADLINE: whole,
        "these pairs": _rate(these, float(study.pair_rates[decided.pair].mean())),
        "Wilson": Judged(wilson, here),
        "other problems": replace(whole, truth=of_all, p_value=None),
    }


def printed(study: Rehearsal, rng: np.random.Generator) -> Outcomes:
    """All other intervals and tests; the votes are unrelated to everything but pair, problem and
    rater, so every null but that of the rate is true.
    """
    return {
        **_rates(study),
        **_threats(study),
        **(_problem_rates(study) if study.table.sampled == "problems" else {}),
        **_agreement(study),
        **_models(study, rng),
    }


def _rates(study: Rehearsal) -> Outcomes:
    truth, table = study.model.preference, study.table
    rate = clustered_rate(table)
    even = truth == 0.5
    alike = equal_problems(table)
    mixed = mixed_rate(table, rate, level=LEVEL)
    shares = study.model.variances
    at_middle = float(ndtr(study.model.threshold / sqrt(shares.noise)))
    edge = effect_size(rate, MARGIN)
    groups = subgroups(table, study.fields, "field")
    found = {
        HEADLINE: _rate(rate, truth, one_sided=even),
        "rate, two-sided p": Judged(p_value=rate.p_two_sided if even else None),
        "problems weighed alike": Judged(
            alike.interval(LEVEL) if alike else None,
            truth,
            alike.p_two_sided if alike and even else None,
            not alike or bool(alike.too_small),
        ),
        "mixed model": Judged(
            mixed.interval(LEVEL), at_middle, mixed.p_two_sided if even else None
        ),
        "a subgroup's rate": _rate(groups.groups[-1].rate, truth),
        "subgroups differ": Judged(p_value=groups.p_value),
    }
    if truth == 0.5 + MARGIN:
        found["smallest effect: too small"] = Judged(p_value=edge.p_within)
        found["smallest effect: lower"] = Judged(p_value=edge.p_above)
    return found


def _threats(study: Rehearsal) -> Outcomes:
    truth, threats = study.model.preference, study.threats
    tied = study.model.tie_share
    screens, ballots, checks = threats.screens, threats.ballots, threats.attention
    narrow = screens.classes[0].rate
    found = {
        "between look-alikes": _adjusted(
            threats.structure.adjusted_rate, truth, threats.structure.fit
        ),
        "dose–response": replace(
            _ratio(threats.structure.fit, "the gap in EIC"), p_value=threats.structure.dose_p
        ),
        "equal gaps": _adjusted(threats.gaps.adjusted_rate, truth, threats.gaps.fit),
        **{
            f"odds of {KEYS[term.name]}": _ratio(threats.gaps.fit, term.name)
            for term in threats.gaps.terms
        },
        "left chosen": _rate(threats.sides.clustered, 0.5, two_sided=True),
        "one-sided raters": Judged(p_value=threats.sides.one_sided.p_value),
        "haste": Judged(p_value=threats.raters.haste_p),
        "coin-like raters": Judged(p_value=threats.raters.coin_p),
        "one place pressed": Judged(p_value=threats.raters.place_p),
        "raters alike": Judged(p_value=threats.raters.likeness_p),
        "narrow windows": _rate(narrow, truth),
        "windows differ": Judged(p_value=screens.p_value, too_small=bool(screens.fit.too_small)),
        "odds of a window": _ratio(screens.fit, screens.fit.names[0]),
        "first ballots": _rate(ballots.thirds[0].rate, truth),
        "odds of a ballot": _ratio(ballots.fit, POSITION),
        "seconds of a ballot": _ratio(ballots.seconds_trend, POSITION),
        "careless raters": _rate(checks.with_failure, truth),
        "careless raters differ": Judged(p_value=checks.p_value),
        "ties split": _rate(threats.ties.counted[1].clustered, tied / 2 + (1 - tied) * truth),
        "ties against": _rate(threats.ties.counted[2].clustered, (1 - tied) * truth),
    }
    problems = threats.problems
    if not study.model.problem_share:
        found["problems differ"] = Judged(p_value=problems.p_value)
    return found


def _problem_rates(study: Rehearsal) -> Outcomes:
    """The interval of one problem, the truth being that of endless pairs from it."""
    rates = study.threats.problems.rates
    shares = study.model.variances
    effects = dict(zip(study.table.problems, _by_problem(study), strict=True))
    found = {}
    for name, place in (("largest problem", 0), ("smallest problem", -1)):
        ordered = sorted(rates, key=lambda each: -each.pairs)
        one = ordered[place]
        effect = effects[one.problem]
        truth = float(ndtr((study.model.threshold + effect) / sqrt(1 - shares.problem)))
        found[name] = Judged(one.interval, truth)
    return found


def _by_problem(study: Rehearsal) -> list[float]:
    first = np.unique(study.model.problem_of_pair, return_index=True)[1]
    return [float(study.problem_effects[i]) for i in first]


def _agreement(study: Rehearsal) -> Outcomes:
    p, kappa = study.model.preference, study.model.kappa
    apart = 2 * p * (1 - p)
    raw = 1 - apart * (1 - kappa)
    truths = {
        "raw_agreement": raw,
        "fleiss_kappa": kappa,
        "krippendorff_alpha": kappa,
        "gwet_ac1": (raw - apart) / (1 - apart),
    }
    found = agreement_of(study.table, level=LEVEL)
    return {
        name.replace("_", " "): Judged(
            each.interval, truth, too_small=bool(each.too_small or each.interval is None)
        )
        for name, truth in truths.items()
        for each in (getattr(found, name),)
    }


@lru_cache(maxsize=32)
def _truth(model: StudyModel) -> ModelTruth:
    return model_truth(model)


def _models(study: Rehearsal, rng: np.random.Generator) -> Outcomes:
    truth = _truth(study.model)
    scores, others = model_scores(study, rng), model_scores(study, rng)
    problems = {vote.pair: vote.problem for vote in study.votes if vote.pair}
    on_pairs = [vote for vote in study.votes if not vote.is_attention]
    rate = mean_over_pairs(
        _known(scores, problems), problems, share=True, sampled=study.table.sampled
    )
    apart = mean_over_pairs(
        {name: scores[name] - others[name] for name in problems},
        problems,
        share=False,
        sampled=study.table.sampled,
    )
    people = less_people(scores, on_pairs, sampled=study.table.sampled)
    beside = with_people(scores, on_pairs, sampled=study.table.sampled, level=LEVEL)
    votes = study.table.counts().sum(axis=1)
    per_vote = float((1 / votes[votes >= 2]).mean())
    reliability = truth.signal / (truth.signal + truth.noise * per_vote)
    truths = {
        "correlation": truth.corrected * sqrt(reliability),
        "corrected": truth.corrected,
        "model": truth.model,
        "people": truth.people,
        "difference": truth.model - truth.people,
    }
    names = {"model": "a model agrees", "people": "ceiling", "difference": "model less ceiling"}
    return {
        "a model's rate": _estimate(rate, truth.rate),
        "two models differ": _estimate(apart, 0.0, null=True),
        "a model less people": _estimate(people, truth.rate - study.model.preference),
        **{
            names.get(name, f"{name}, model and people"): Judged(
                beside.intervals.get(name), value, too_small=bool(beside.too_small)
            )
            for name, value in truths.items()
        },
    }


def _known(scores: Mapping[str, float], problems: Mapping[str, str]) -> dict[str, float]:
    return {name: scores[name] for name in problems}


def _estimate(found: ModelEstimate, truth: float, *, null: bool = False) -> Judged:
    p_value = found.p_two_sided if null else None
    return Judged(found.interval(LEVEL), truth, p_value, bool(found.too_small or found.reason))


def _rate(
    rate: ClusteredRate, truth: float, *, one_sided: bool = False, two_sided: bool = False
) -> Judged:
    p_value = rate.p_value if one_sided else rate.p_two_sided if two_sided else None
    return Judged(rate.interval(LEVEL), truth, p_value, bool(rate.too_small or rate.reason))


def _adjusted(found: tuple[float, Interval] | None, truth: float, fit: LogisticFit) -> Judged:
    return Judged(found and found[1], truth, too_small=bool(fit.too_small or fit.reason))


def _ratio(fit: LogisticFit | LinearFit, name: str) -> Judged:
    term = fit.term(name)
    if term is None:
        return Judged(too_small=True)
    return Judged(term.ratio(1.0, LEVEL)[1], 1.0, term.p_value, bool(fit.too_small))
