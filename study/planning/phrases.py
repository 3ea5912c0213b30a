"""A plan, and the ways to a better one, in sentences."""

from __future__ import annotations

from math import isinf

from eic_core import wording
from eic_core.phrasing import Phrase, listed, one_after_another, say, say_count
from study.planning.advising import TRIES, Advice, Route, Target, Way, doubled_widths
from study.planning.approximation import Approximation, VerdictRule, across_shares, approximate
from study.planning.simulating import Plan
from study.report.phrases.limits import clusters_text, limit
from study.statistics.simulation import StudyModel


def paper_assumes() -> Phrase:
    """What the paper's model takes for granted."""
    return say(
        "The paper does not say how much the votes of one rater, or the pairs of one problem, go "
        "together. Assumed here: votes of one rater correlate by 0.03, and problems make no "
        "difference, which is the kindest case."
    )


def design_sentence(model: StudyModel) -> Phrase:
    """The design in a sentence.

    >>> print(design_sentence(StudyModel(raters=40, drop_out=0.1)))
    100 pairs of 10 problems, 40 raters with 10 ballots each; 10 % of the raters stop early.
    """
    drop_out, excluded, ties = (
        wording.percent(share, 0) for share in (model.drop_out, model.excluded, model.tie_share)
    )
    lost = [
        *([say("{share} of the raters stop early", share=drop_out)] if model.drop_out else []),
        *([say("{share} of the sessions do not count", share=excluded)] if model.excluded else []),
        *([say("{share} of the votes decide for neither", share=ties)] if model.tie_share else []),
    ]
    design = say(
        "{pairs} of {problems}, {raters} with {ballots} each",
        pairs=clusters_text("pair", model.pairs),
        problems=_problems(model),
        raters=clusters_text("rater", model.raters),
        ballots=say_count("{count} ballot", "{count} ballots", model.ballots),
    )
    if not lost:
        return say("{design}.", design=design)
    return say("{design}; {lost}.", design=design, lost=listed(lost))


def _problems(model: StudyModel) -> Phrase:
    problems = clusters_text("problem", model.problems)
    if len(set(model.sizes)) < 2:
        return problems
    return say(
        "{problems} ({least} to {most} pairs each, worth {worth} problems of one size)",
        problems=problems,
        least=min(model.sizes),
        most=max(model.sizes),
        worth=wording.number(model.effective_problems, 1),
    )


def assumed_sentences(plan: Plan) -> tuple[Phrase, ...]:
    """What nobody knows before the votes, and how much hangs on the least known of it."""
    model = plan.model
    assumed = [
        say("two raters agree on a pair by κ = {kappa}", kappa=wording.number(model.kappa)),
        say(
            "{share} of what makes them agree belongs to the problem and is the same for all its "
            "pairs",
            share=wording.percent(model.problem_share, 0),
        ),
        say(
            "two votes of one rater correlate by {rater}",
            rater=wording.number(model.rater_correlation),
        ),
        *([] if model.drop_out else [say("nobody stops early")]),
        *([] if model.excluded else [say("every session counts")]),
    ]
    sentence = say("Assumed: {assumed}.", assumed=listed(assumed))
    if plan.given_problems or model.problems < 2 or not model.kappa:
        return (sentence,)
    return sentence, say(
        "Nobody knows the share of the problems before the votes, and much hangs on it. By "
        "arithmetic, {outcomes}.",
        outcomes=listed([_of_share(each) for each in across_shares(model, plan.rule)]),
    )


def _of_share(estimate: Approximation) -> Phrase:
    share = wording.percent(estimate.model.problem_share, 0)
    width = wording.points(estimate.half_width, 0)
    if isinf(estimate.half_width):
        return say("with {share} no interval", share=share)
    if estimate.model.preference <= 0.5:
        return say("with {share} ± {points} points", share=share, points=width)
    return say(
        "with {share} ± {points} points and a power of {power}",
        share=share,
        points=width,
        power=wording.percent(estimate.power, 0),
    )


# --- a plan ---


def plan_sentences(plan: Plan, *, warning: bool = True) -> tuple[Phrase, ...]:
    """The headline and what goes with it; without `warning` not that the study is too small."""
    sentences = (
        _headline(plan),
        _power(plan),
        _worth(plan),
        _naive(plan),
        small_sentence(plan) if warning else None,
        _about(plan),
        *assumed_sentences(plan),
    )
    return tuple(each for each in sentences if each is not None)


def _headline(plan: Plan) -> Phrase:
    if plan.half_width is None or plan.low is None or plan.high is None:
        return _with_warning(say("This study cannot give an interval."), plan)
    return say(
        "Expect an interval of about ± {points} points: from {span} in a typical study, at "
        "{level} confidence.",
        points=wording.points(plan.half_width.value),
        span=wording.percent_range(plan.low.value, plan.high.value, 1),
        level=wording.level_percent(plan.level),
    )


def _with_warning(sentence: Phrase, plan: Plan) -> Phrase:
    return one_after_another([sentence, *([limit(plan.warning)] if plan.warning else [])])


def _power(plan: Plan) -> Phrase:
    """How often the report's verdict is a preference that it relies on."""
    power, rule = wording.percent(plan.power.value, 1), plan.rule
    if plan.model.preference <= 0.5:
        return say(
            "Supposing that there is no preference for lower EIC, the verdict of the report is one "
            "in {power} of such studies, and that of a test that takes votes as independent in "
            "{naive}; {tail} is what was agreed to.",
            power=power,
            naive=wording.percent(plan.naive_power.value, 1),
            tail=wording.level_percent(rule.tail),
        )
    verdict = say(
        "If {preference} is true, the verdict of the report ({test} at {alpha}) is that preference "
        "in {often}.",
        preference=wording.percent(plan.model.preference, 1),
        test=say("a one-sided test") if rule.one_sided else say("a two-sided test"),
        alpha=wording.level_percent(rule.alpha),
        often=say("every simulated study")
        if plan.power.value == 1
        else say("{power} of such studies", power=power),
    )
    refused = plan.power_at_face_value.value - plan.power.value
    if refused < 0.005:
        return verdict
    more = say(
        "In another {refused} the votes would show it at face value, and the report would say that "
        "the study is too small to rely on it.",
        refused=wording.percent(refused, 1),
    )
    return one_after_another([verdict, more])


def _worth(plan: Plan) -> Phrase:
    if plan.effective_votes is None or plan.design_effect is None:
        return say("All votes agree in these studies, so their worth cannot be told.")
    return say(
        "The {votes} votes that count are worth about {worth} independent ones (design effect "
        "{effect}), because votes on one pair, and votes of one rater, go together.",
        votes=round(plan.votes),
        worth=round(plan.effective_votes.value),
        effect=wording.number(plan.design_effect.value, 1),
    )


def _naive(plan: Plan) -> Phrase | None:
    if plan.naive_half_width is None or plan.naive_coverage is None or plan.coverage is None:
        return None
    return say(
        "Taken as independent they would seem to give ± {points} points. That interval is said to "
        "hold the truth in {level} of studies, and does in {naive}; the clustered one does in "
        "{clustered}.",
        points=wording.points(plan.naive_half_width.value),
        level=wording.level_percent(plan.level),
        naive=wording.percent(plan.naive_coverage.value, 0),
        clustered=wording.percent(plan.coverage.value, 0),
    )


def small_sentence(plan: Plan) -> Phrase | None:
    """How often the study is called too small; None for hardly ever."""
    if plan.too_small.value < 0.05:
        return None
    often = say(
        "In {share} of these studies the report would say that the study is too small.",
        share=wording.percent(plan.too_small.value, 0),
    )
    return _with_warning(often, plan)


def _about(plan: Plan) -> Phrase | None:
    """What is held fixed, and so no part of what the study can speak of."""
    if plan.estimand == "problems like these":
        return None
    if plan.estimand == "these pairs":
        return say("The pairs are held fixed: all this holds for these very pairs alone.")
    return say_count(
        "There is one problem: all this holds for it alone.",
        "The problems are held fixed: all this holds for these {count} alone.",
        plan.model.problems,
    )


# --- ways to a target ---


def target_text(target: Target) -> Phrase:
    """What a study should reach.

    >>> print(target_text(Target(half_width=0.05)))
    an interval of ± 5.0 points
    """
    if target.half_width is not None:
        return say("an interval of ± {points} points", points=wording.points(target.half_width))
    return say("a power of {power}", power=wording.level_percent(target.goal))


def advice_sentences(advice: Advice) -> tuple[Phrase, ...]:
    """The headline, and a sentence a route."""
    return (
        advice_headline(advice),
        *(route_sentence(advice.model, route, advice.target) for route in advice.routes),
    )


def advice_headline(advice: Advice) -> Phrase:
    target = target_text(advice.target)
    if advice.reached:
        return say("This design already reaches {target}.", target=target)
    if all(route.model is None for route in advice.routes):
        return say("Nothing that was tried reaches {target}:", target=target)
    return say("What it takes to reach {target}:", target=target)


def route_sentence(model: StudyModel, route: Route, target: Target) -> Phrase:
    """What one way takes, or that it does not get there."""
    if route.model is None:
        return _no_way(route, target)
    return say(
        "{more}: {result}.",
        more=_more(route.way, model, route.model),
        result=_confirmed(route, target),
    )


def _more(way: Way, model: StudyModel, grown: StudyModel) -> Phrase:
    pairs, raters = grown.pairs - model.pairs, grown.raters - model.raters
    more_raters = say_count("{count} more rater", "{count} more raters", raters)
    return {
        "pairs": say_count(
            "{count} more pair for the same raters", "{count} more pairs for the same raters", pairs
        ),
        "raters": say("{raters} for the same pairs", raters=more_raters),
        "pairs and raters": say_count(
            "{count} more pair and {raters}, as many votes on each pair as now",
            "{count} more pairs and {raters}, as many votes on each pair as now",
            pairs,
            raters=more_raters,
        ),
        "problems": say_count(
            "{count} more problem with as many pairs each, for the same raters",
            "{count} more problems with as many pairs each, for the same raters",
            grown.problems - model.problems,
        ),
    }[way]


def compare_sentence(model: StudyModel, rule: VerdictRule) -> Phrase | None:
    """What twice as many of anything buys; None where an interval is missing."""
    now, widths = approximate(model, rule).half_width, doubled_widths(model, rule)
    if len(widths) < 2 or isinf(max(now, *widths.values())):
        return None
    names = {
        "pairs": say("twice the pairs of the same problems"),
        "raters": say("twice the raters on the same pairs"),
        "problems": say("twice the problems with as many pairs each"),
    }
    outcomes = [
        say("± {points} with {more}", points=wording.points(width), more=names[way])
        for way, width in widths.items()
    ]
    if widths.get("problems", now) < 0.9 * min(widths["pairs"], widths["raters"]):
        lesson = say("problems buy most, for votes on one problem are much alike")
    elif widths["pairs"] < widths["raters"]:
        lesson = say("pairs buy more than raters, and ask nobody for another vote")
    else:
        lesson = say("raters buy more, for the votes on a pair are few or hardly agree")
    return say(
        "By arithmetic, ± {now} points become {outcomes}: {lesson}.",
        now=wording.points(now),
        outcomes=listed(outcomes),
        lesson=lesson,
    )


def _no_way(route: Route, target: Target) -> Phrase:
    more = {
        "pairs": say("More pairs for the same raters"),
        "raters": say("More raters for the same pairs"),
        "pairs and raters": say("More pairs and raters"),
        "problems": say("More problems for the same raters"),
    }
    return say(
        "{more} are not enough, however many: they lead to {best} at best (approximation).",
        more=more[route.way],
        best=_reached(route.approximate, target),
    )


def _reached(value: float, target: Target) -> Phrase:
    if isinf(value):
        return say("no interval at all")
    if target.power is None:
        return say("± {points} points", points=wording.points(value))
    if not value:
        return say("a study that the report calls too small")
    return say("a power of {power}", power=wording.percent(value, 0))


def _confirmed(route: Route, target: Target) -> Phrase:
    plan = route.simulated
    if plan is None:
        return say(
            "{result} by the approximation, too large to simulate here",
            result=_reached(route.approximate, target),
        )
    if target.power is not None:
        result = say("a power of {power}", power=wording.percent(plan.power.value, 1))
    elif plan.half_width is None:
        result = say("no interval")
    else:
        result = _reached(plan.half_width.value, target)
    if route.reached:
        return say("{result} in simulation", result=result)
    return say(
        "{result} in simulation, still short of it: the search ended after {tries} designs",
        result=result,
        tries=TRIES,
    )
