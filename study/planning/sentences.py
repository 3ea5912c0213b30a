"""A plan, and the ways to a better one, in sentences."""

from __future__ import annotations

from eic_core import wording
from study.planning.advising import TRIES, Advice, Route, Target
from study.planning.simulating import Plan
from study.statistics.simulation import StudyModel


def design_sentence(model: StudyModel) -> str:
    """The design in a sentence.

    >>> print(design_sentence(StudyModel(raters=40, drop_out=0.1)))
    100 pairs of 10 problems, 40 raters with 10 ballots each; 10 % of the raters stop early.
    """
    lost = []
    if model.drop_out:
        lost.append(f"{wording.percent(model.drop_out, 0)} of the raters stop early")
    if model.excluded:
        lost.append(f"{wording.percent(model.excluded, 0)} of the sessions do not count")
    if model.tie_share:
        lost.append(f"{wording.percent(model.tie_share, 0)} of the votes decide for neither")
    tail = f"; {wording.join(lost)}" if lost else ""
    return (
        f"{wording.count(model.pairs, 'pair')} of {wording.count(model.problems, 'problem')}, "
        f"{wording.count(model.raters, 'rater')} with {wording.count(model.ballots, 'ballot')} "
        f"each{tail}."
    )


def plan_headline(plan: Plan) -> str:
    if plan.half_width is None or plan.low is None or plan.high is None:
        return f"This study cannot give an interval. {plan.warning}"
    return (
        f"Expect an interval of about ± {wording.points(plan.half_width.value)} points: from "
        f"{wording.percent_range(plan.low.value, plan.high.value, 1)} in a typical study, at "
        f"{wording.level_percent(plan.level)} confidence."
    )


def power_sentence(plan: Plan) -> str:
    power, alpha = wording.percent(plan.power.value, 1), wording.level_percent(plan.alpha)
    tail = plan.alpha / (1 if plan.one_sided else 2)  # of a preference for the lower EIC alone
    if plan.model.preference > 0.5:
        often = "every simulated study" if plan.power.value == 1 else f"{power} of such studies"
        return (
            f"If {wording.percent(plan.model.preference, 1)} is true, the verdict of the "
            f"report ({_test(plan)} at {alpha}) is that preference in {often}."
        )
    return (
        "Supposing that there is no preference for lower EIC, the verdict of the report "
        f"is one in {power} of such studies, and that of a test that takes votes as independent in "
        f"{wording.percent(plan.naive_power.value, 1)}; {wording.level_percent(tail)} is what was "
        "agreed to."
    )


def _test(plan: Plan) -> str:
    return "a one-sided test" if plan.one_sided else "a two-sided test"


def worth_sentence(plan: Plan) -> str:
    if plan.effective_votes is None or plan.design_effect is None:
        return "All votes agree in these studies, so their worth cannot be told."
    return (
        f"The {plan.votes:,.0f} votes that count are worth about "
        f"{plan.effective_votes.value:,.0f} independent ones (design effect "
        f"{plan.design_effect.value:.1f}), because votes on one pair, and votes of one rater, go "
        "together."
    )


def naive_sentence(plan: Plan) -> str:
    if plan.naive_half_width is None or plan.naive_coverage is None or plan.coverage is None:
        return ""
    return (
        "Taken as independent they would seem to give ± "
        f"{wording.points(plan.naive_half_width.value)} "
        f"points. That interval is said to hold the truth in {wording.level_percent(plan.level)} "
        "of studies, "
        f"and does in {wording.percent(plan.naive_coverage.value, 0)}; the clustered one does in "
        f"{wording.percent(plan.coverage.value, 0)}."
    )


def small_sentence(plan: Plan) -> str:
    # Hardly ever: not worth a sentence.
    if plan.too_small.value < 0.05:
        return ""
    return (
        f"In {wording.percent(plan.too_small.value, 0)} of these studies the report would say "
        "that the "
        f"study is too small. {plan.warning}"
    )


def plan_sentences(plan: Plan) -> tuple[str, ...]:
    held = ""
    if plan.given_problems:
        number = plan.model.problems
        held = "There is one problem: all this holds for it alone."
        if number > 1:
            held = f"There are fewer than ten problems: all this holds for these {number} alone."
    sentences = (
        plan_headline(plan),
        power_sentence(plan),
        worth_sentence(plan),
        naive_sentence(plan),
        small_sentence(plan),
        held,
    )
    return tuple(text for text in sentences if text)


# --- ways to a target ---


def route_sentence(model: StudyModel, route: Route, target: Target) -> str:
    if route.model is None:
        return _no_way(route, target)
    grown = route.model
    more = {
        "pairs": f"{wording.count(grown.pairs - model.pairs, 'more pair')} for the same raters",
        "raters": f"{wording.count(grown.raters - model.raters, 'more rater')} for the same pairs",
        "pairs and raters": f"{wording.count(grown.pairs - model.pairs, 'more pair')} and "
        f"{wording.count(grown.raters - model.raters, 'more rater')}, as many votes on each pair "
        "as now",
        "problems": f"{wording.count(grown.problems - model.problems, 'more problem')} with as "
        "many pairs each, for the same raters",
    }[route.way]
    return f"{wording.capital(more)}: {_confirmed(route, target)}."


def advice_sentences(advice: Advice) -> tuple[str, ...]:
    if advice.reached:
        return (f"This design already reaches {advice.target.sentence}.",)
    sentences = [f"What it takes to reach {advice.target.sentence}:"]
    if all(route.model is None for route in advice.routes):
        sentences = [f"Nothing that was tried reaches {advice.target.sentence}:"]
    sentences += [route_sentence(advice.model, route, advice.target) for route in advice.routes]
    compared = compare_sentence(advice)
    return (*sentences, compared) if compared else tuple(sentences)


def compare_sentence(advice: Advice) -> str:
    """Twice the pairs against twice the raters; "" if the grid does not hold both."""
    grid, model = advice.grid, advice.model
    sizes = (
        (model.pairs, model.raters),
        (2 * model.pairs, model.raters),
        (model.pairs, 2 * model.raters),
    )
    widths = []
    for pairs, raters in sizes:
        if pairs not in grid.pairs or raters not in grid.raters:
            return ""
        widths.append(grid.half_width[grid.raters.index(raters)][grid.pairs.index(pairs)])
    now, twice_pairs, twice_raters = widths
    if max(widths) == float("inf"):
        return ""
    result = (
        "By the approximation, twice the pairs with the same raters takes ± "
        f"{wording.points(now)} points "
        f"to ± {wording.points(twice_pairs)}, and twice the raters on the same pairs to "
        f"± {wording.points(twice_raters)}"
    )
    if twice_pairs < twice_raters:
        return f"{result}: pairs buy more than raters, and ask nobody for another vote."
    return f"{result}: here raters buy more, for the votes on a pair are few or hardly agree."


def _no_way(route: Route, target: Target) -> str:
    what = {
        "pairs": "More pairs for the same raters are",
        "raters": "More raters for the same pairs are",
        "pairs and raters": "More pairs and raters are",
        "problems": "More problems for the same raters are",
    }[route.way]
    if target.power is not None:
        reach = f"a power of {wording.percent(route.approximate, 0)}"
    elif route.approximate == float("inf"):
        reach = "no interval at all"
    else:
        reach = f"± {wording.points(route.approximate)} points"
    return f"{what} not enough, however many: they lead to {reach} at best (approximation)."


def _confirmed(route: Route, target: Target) -> str:
    plan = route.simulated
    if plan is None:
        result = f"± {wording.points(route.approximate)} points"
        if target.power is not None:
            result = f"a power of {wording.percent(route.approximate, 0)}"
        return f"{result} by the approximation, too large to simulate here"
    short = "" if route.reached else f", still short of it: the search ended after {TRIES} designs"
    if target.power is not None:
        return f"a power of {wording.percent(plan.power.value, 1)} in simulation{short}"
    if plan.half_width is None:
        return f"no interval in simulation{short}"
    return f"± {wording.points(plan.half_width.value)} points in simulation{short}"
