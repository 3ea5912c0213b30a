"""A plan, and the ways to a better one, in sentences."""

from __future__ import annotations

from study.planning.advising import TRIES, Advice, Route, Target
from study.planning.simulating import Plan
from study.statistics.simulation import StudyModel
from study.statistics.words import plain, rounded


def design_sentence(model: StudyModel) -> str:
    """What is planned.

    Examples
    --------
    >>> print(design_sentence(StudyModel(raters=40, drop_out=0.1)))
    100 pairs of 10 problems, 40 raters with 10 ballots each; 10 % of the raters stop early.
    """
    lost = []
    if model.drop_out:
        lost.append(f"{_percent(model.drop_out)} of the raters stop early")
    if model.excluded:
        lost.append(f"{_percent(model.excluded)} of the sessions do not count")
    if model.tie_share:
        lost.append(f"{_percent(model.tie_share)} of the votes decide for neither")
    tail = f"; {_listed(lost)}" if lost else ""
    return (
        f"{_count(model.pairs, 'pair')} of {_count(model.problems, 'problem')}, "
        f"{_count(model.raters, 'rater')} with {_count(model.ballots, 'ballot')} each{tail}."
    )


def plan_headline(found: Plan) -> str:
    """What to expect of it, first things first."""
    if found.half_width is None or found.low is None or found.high is None:
        return f"This study cannot give an interval. {found.warning}"
    return (
        f"Expect an interval of about ± {points(found.half_width.value)} points: from "
        f"{_percent(found.low.value, 1)} to {_percent(found.high.value, 1)} in a typical study, at "
        f"{share_text(found.level)} confidence."
    )


def power_sentence(found: Plan) -> str:
    """How often the test finds the preference, or, if there is none, is fooled."""
    power, alpha = _percent(found.power.value, 1), share_text(found.alpha)
    if found.model.preference > 0.5:
        often = "every simulated study" if found.power.value == 1 else f"{power} of such studies"
        return (
            f"If {_percent(found.model.preference, 1)} is true, the one-sided test at {alpha} "
            f"finds the preference in {often}."
        )
    return (
        "Supposing that there is no preference for lower EIC, the test that knows the clusters "
        f"finds one in {power} of such studies, and the one that takes votes as independent in "
        f"{_percent(found.naive_power.value, 1)}; {alpha} is what was agreed to."
    )


def worth_sentence(found: Plan) -> str:
    """What the votes are worth."""
    if found.effective_votes is None or found.design_effect is None:
        return "All votes agree in these studies, so their worth cannot be told."
    return (
        f"The {found.votes:,.0f} votes that count are worth about "
        f"{found.effective_votes.value:,.0f} independent ones (design effect "
        f"{found.design_effect.value:.1f}), because votes on one pair, and votes of one rater, go "
        "together."
    )


def naive_sentence(found: Plan) -> str:
    """What would be printed if votes were taken as independent."""
    if found.naive_half_width is None or found.naive_coverage is None or found.coverage is None:
        return ""
    return (
        f"Taken as independent they would seem to give ± {points(found.naive_half_width.value)} "
        f"points. That interval is said to hold the truth in {share_text(found.level)} of studies, "
        f"and does in {_percent(found.naive_coverage.value)}; the clustered one does in "
        f"{_percent(found.coverage.value)}."
    )


def small_sentence(found: Plan) -> str:
    """Whether the report would call the study too small; "" if hardly ever."""
    if found.too_small.value < 0.05:
        return ""
    return (
        f"In {_percent(found.too_small.value)} of these studies the report would say that the "
        f"study is too small. {found.warning}"
    )


def plan_sentences(found: Plan) -> tuple[str, ...]:
    """All of them that have something to say."""
    held = ""
    if found.given_problems:
        number = found.model.problems
        held = "There is one problem: all this holds for it alone."
        if number > 1:
            held = f"There are fewer than ten problems: all this holds for these {number} alone."
    said = (
        plan_headline(found), power_sentence(found), worth_sentence(found), naive_sentence(found),
        small_sentence(found), held,
    )  # fmt: skip
    return tuple(text for text in said if text)


# --- ways to a target ---


def route_sentence(model: StudyModel, route: Route, target: Target) -> str:
    """What one way costs, or how far it goes at most."""
    if route.model is None:
        return _no_way(route, target)
    grown = route.model
    more = {
        "pairs": f"{_more(grown.pairs - model.pairs, 'pair')} for the same raters",
        "raters": f"{_more(grown.raters - model.raters, 'rater')} for the same pairs",
        "pairs and raters": f"{_more(grown.pairs - model.pairs, 'pair')} and "
        f"{_more(grown.raters - model.raters, 'rater')}, as many votes on each pair as now",
        "problems": f"{_more(grown.problems - model.problems, 'problem')} with as many pairs each, "
        "for the same raters",
    }[route.way]
    return f"{more[:1].upper()}{more[1:]}: {_confirmed(route, target)}."


def advice_sentences(advice: Advice) -> tuple[str, ...]:
    """How to get there, and what buys more."""
    if advice.reached:
        return (f"This design already reaches {advice.target.sentence}.",)
    said = [f"What it takes to reach {advice.target.sentence}:"]
    if all(route.model is None for route in advice.routes):
        said = [f"Nothing that was tried reaches {advice.target.sentence}:"]
    said += [route_sentence(advice.model, route, advice.target) for route in advice.routes]
    compared = compare_sentence(advice)
    return (*said, compared) if compared else tuple(said)


def compare_sentence(advice: Advice) -> str:
    """Twice the pairs against twice the raters; "" if the grid does not hold both."""
    grid, model = advice.grid, advice.model
    wanted = ((model.pairs, model.raters), (2 * model.pairs, model.raters),
              (model.pairs, 2 * model.raters))  # fmt: skip
    found = []
    for pairs, raters in wanted:
        if pairs not in grid.pairs or raters not in grid.raters:
            return ""
        found.append(grid.half_width[grid.raters.index(raters)][grid.pairs.index(pairs)])
    now, twice_pairs, twice_raters = found
    if max(found) == float("inf"):
        return ""
    result = (
        f"By the approximation, twice the pairs with the same raters takes ± {points(now)} points "
        f"to ± {points(twice_pairs)}, and twice the raters on the same pairs to "
        f"± {points(twice_raters)}"
    )
    if twice_pairs < twice_raters:
        return f"{result}: pairs buy more than raters, and ask nobody for another vote."
    return f"{result}: here raters buy more, for the votes on a pair are few or hardly agree."


def points(share: float) -> str:
    """A share as percentage points, to a tenth.

    Examples
    --------
    >>> points(0.0537)
    '5.4'
    """
    return f"{100 * share:.1f}"


def share_text(share: float) -> str:
    """A level in percent, with all its digits.

    Examples
    --------
    >>> share_text(0.025), share_text(0.95), share_text(0.999)
    ('2.5 %', '95 %', '99.9 %')
    """
    return f"{plain(100 * share)} %"


def _no_way(route: Route, target: Target) -> str:
    what = {
        "pairs": "More pairs for the same raters are",
        "raters": "More raters for the same pairs are",
        "pairs and raters": "More pairs and raters are",
        "problems": "More problems for the same raters are",
    }[route.way]
    if target.power is not None:
        reach = f"a power of {_percent(route.approximate)}"
    elif route.approximate == float("inf"):
        reach = "no interval at all"
    else:
        reach = f"± {points(route.approximate)} points"
    return f"{what} not enough, however many: they lead to {reach} at best (approximation)."


def _confirmed(route: Route, target: Target) -> str:
    found = route.simulated
    if found is None:
        value = points(route.approximate) if target.power is None else _percent(route.approximate)
        said = f"± {value} points" if target.power is None else f"a power of {value}"
        return f"{said} by the approximation, too large to simulate here"
    short = "" if route.met else f", still short of it: the search ended after {TRIES} designs"
    if target.power is not None:
        return f"a power of {_percent(found.power.value, 1)} in simulation{short}"
    if found.half_width is None:
        return f"no interval in simulation{short}"
    return f"± {points(found.half_width.value)} points in simulation{short}"


def _percent(share: float, digits: int = 0) -> str:
    return f"{rounded(100 * share, digits, (0, 100))} %"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _more(number: int, word: str) -> str:
    return f"{number:,} more {word}{'' if number == 1 else 's'}"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
