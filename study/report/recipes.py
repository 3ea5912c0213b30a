"""How each interval and p of a report is made, with this study's numbers: enough to make it again
from the files of the archive. `tests/study/recompute.py` does.
"""

from __future__ import annotations

from scipy.special import stdtrit

from eic_core import wording
from study.report.analysis import StudyReport
from study.statistics.threats.common import ALPHA

SCALE = "logit⁻¹(logit p ± t·√V/(p(1 − p)))"
RATERS = "V(raters) = G/(G − 1)·Σ(Σe)²/n² over the G raters"
RESIDUALS = {
    "problems like these": (
        "e = y − p. V(problems) = Σ(Σe/(1 − m/n))²/n² over the problems, m the deciding votes on "
        f"each; {RATERS}; V(both) likewise over the votes of one rater on one problem",
        "problems",
        "the lesser of raters − 1 and n²/Σm² − 1",
    ),
    "pairs like these": (
        "e = y − the rate of the vote's problem. V(pairs) = G/(G − H)·Σ(Σe)²/n² over the G pairs "
        f"of H problems; {RATERS}; V(both) as V(pairs), over single votes",
        "pairs",
        "the lesser of raters − 1 and pairs − problems",
    ),
    "these pairs": (
        "e = (y − the rate of the vote's pair)·√(m/(m − 1)) for m deciding votes on the pair, or "
        f"y − p for a pair's only vote. V = {RATERS}",
        "",
        "raters − 1",
    ),
}
"""Of an estimand: the residuals and variances, what is sampled beside raters, and the degrees."""
TWO_WAYS = "two-way clustered t on the log odds"
SCALED = ("rater-clustered t on the log odds, pairs held fixed", TWO_WAYS)
FLOOR = "{0} + V(raters) − V(both), and no less than the smaller of the first two"


def recipes(report: StudyReport) -> tuple[str, ...]:
    """A paragraph for each family of intervals; empty without an interval of the headline."""
    if report.inference.interval(report.level) is None:
        return ()
    return (
        _headline(report),
        *((_alike(report),) if report.equal_problems else ()),
        _beside(report),
        *((_mixed(report),) if report.mixed.spreads else ()),
        _others(report),
        _problems(report),
        SIDES,
        _regressions(report),
        COLUMNS,
        LOOKS,
        _raters(report),
        _agreement(report),
        *((_models(report), _with_people(report)) if report.models.runs else ()),
        _independent(report),
        "All numbers, rounded nowhere, are in numbers.csv and report.json, each interval with its "
        "level and method. Since 27 November 2026 regressions and agreement have these variances "
        "in every study, whenever it was run; before, their intervals were too narrow.",
    )


def _headline(report: StudyReport) -> str:
    found = report.inference
    how, item, degrees = RESIDUALS[report.estimand]
    parts = "".join(
        f"V({name}) = {part.variance:.4g}. "
        for name, part in zip((item, "raters", "both"), found.components, strict=False)
        if item
    )
    whole = f". V = {FLOOR.format(f'V({item})')}" if item else ""
    quantile = stdtrit(found.degrees_of_freedom, (1 + report.level) / 2)
    scarcer = min(number for _, number in found.clusters)
    return (
        f"The interval of the rate. In votes_long.csv, n = {found.votes:,} rows have excluded = "
        "false, a pair and a choice that is no tie; y is 1 where chose_lower is true, else 0, and "
        f"its mean p is {found.rate:.4g}. {how}{whole}. {parts}V = {found.variance:.4g}. "
        f"Degrees of freedom are {degrees}: {found.degrees_of_freedom:.4g}, so t = "
        f"{quantile:.4g}. The interval (“{SCALED[bool(item)]}”) is {SCALE}; p values are those of "
        "t = logit p·p(1 − p)/√V. "
        "The design effect is V·n/(p(1 − p)), and n divided by it the worth in independent votes. "
        "Of a rate with V = 0, for no two clusters differ, the interval and p are the exact ones "
        "(“Clopper-Pearson with one trial a cluster”; by the beta distribution) of as many trials "
        f"as there are clusters of the scarcer kind (of all votes, {scarcer}), with a share p of "
        "successes."
    )


def _alike(report: StudyReport) -> str:
    found = report.equal_problems
    assert found is not None
    sums = (
        "V(problems) = (H/(H − 1))²·Σ(Σwe)²/n² over the H problems"
        if report.estimand == "problems like these"
        else "the sums are those of w·e"
    )
    return (
        f"With problems weighed alike (“{TWO_WAYS}, problems weighed alike”), p is the mean of the "
        "problems' rates, "
        f"{found.value:.4g}, each vote has the weight w = n/(H·m), and {sums}; all else is as "
        f"above, with {found.degrees_of_freedom:.4g} degrees of freedom and a standard error of "
        f"{found.standard_error:.4g}."
    )


def _beside(report: StudyReport) -> str:
    """The tests that lean on the headline's standard error."""
    margin = f"{report.effect.margin:g}"
    return (
        "The smallest effect of interest. The rate is held against a bound b by t = (logit p − "
        "logit b)·p(1 − p)/√V with the degrees of the rate. The preference is larger where the "
        f"upper tail for b = ½ + {margin} (for the higher EIC, the lower tail for b = ½ − "
        f"{margin}) is at most {1 - report.level:.2g}; it is smaller where the upper tail for ½ − "
        f"{margin} and the lower for ½ + {margin} both are. Lost votes: of a votes for the "
        "preferred side and b for the other, the least k further votes for the other with "
        "ln(a/(b + k)) ≤ t·√V/(p(1 − p)), t that of the interval (one-sided if so declared). Never "
        "cast are ballots_per_rater of study.json, or the number of pairs if that is less, minus "
        "votes_cast of raters.csv where these are not 0, less the answers that were undone and not "
        "given again; of people who withdrew, all."
    )


def _mixed(report: StudyReport) -> str:
    kinds = wording.join([f"u({kind})" for kind in report.mixed.kinds])
    spreads = wording.join([f"{spread:.3g}" for spread in report.mixed.spreads])
    freedom = report.mixed.degrees_of_freedom
    return (
        f"The mixed model (“mixed logistic model, Laplace”): logit P(y = 1) is b plus {kinds}, "
        f"normal with standard deviations s = {spreads}. These are the numbers e^(k/100), k "
        "whole from −300 to 160, with the largest F + ½ ln v at the b of the largest F: F is "
        "ℓ − Σu²/(2s²) − Σ ln s − ½ ln det A at the u of the largest ℓ − Σu²/(2s²), ℓ the log "
        "likelihood of the votes, A minus its second derivatives by all u, and v the entry of "
        "b in the inverse of those by b and u. The variance of b is v + g′C⁻¹g: g are the "
        "slopes of that b by the ln s, C minus the second derivatives of F + ½ ln v by them, "
        "both from steps of ±0.1 (s within 0.1 of an end of the range, or with an entry of 1 "
        f"or less in C, left out). t has {freedom} degrees of freedom (the lesser number of "
        f"{report.mixed.kinds[0]}s and raters, less 1), and the rate is logit⁻¹ b. Where fewer "
        "than a fifth of the votes are for one side there is no model."
    )


def _others(report: StudyReport) -> str:
    likewise = ""
    if report.estimand == "these pairs":
        sampled = f"{report.sampled} like these"
        how, item, degrees = RESIDUALS[sampled]
        likewise = (
            " Rates by threshold, with ties counted otherwise, and of raters who finished or not "
            f"are for these pairs; all others (“{TWO_WAYS}”), and the regressions, for {sampled}: "
            f"{how}; V = {FLOOR.format(f'V({item})')}; degrees of freedom are {degrees}."
        )
    return (
        "Rates of a part of the votes (another threshold, a third of the session, a window, a "
        "subgroup, raters who finished or not, ties counted otherwise) have the same interval from "
        "these votes: n, m, p and the clusters are theirs. A tie that counts half has y = ½. "
        "Thresholds are on active_seconds, of a vote or summed over a rater's ballots without the "
        "practice one. Thirds end at a third and two thirds of the highest position. Raters "
        "stopped early whose votes_cast fall short of a session's; votes that were left out stand "
        f"apart.{likewise}"
    )


def _problems(report: StudyReport) -> str:
    found = report.threats.problems
    worth = "" if found.design_effect is None else f" = {found.design_effect:.4g}"
    pairs, _, _ = RESIDUALS["pairs like these"]
    return (
        "A problem's own rate has the interval for pairs like these from its votes alone if it has "
        "ten pairs and ten raters, and five of each with the rarer choice; else Wilson's of n/D "
        f"votes (“Wilson, votes divided by the design effect”), D{worth} being V/(Σr(1 − r)/n²), "
        f"no less than 1. There r is the rate of the vote's problem, and for all votes {pairs}; V "
        f"= {FLOOR.format('V(pairs)')}. Whether problems differ: S = Σm(r − p)²/n over the "
        "problems; the problems of the pairs with such votes, in the order of the pairs' names, "
        f"are permuted {found.draws:,} times (NumPy's default_rng(seed).permuted, a row a time), "
        "and p is 1 more than the number of times that S is as large, over 1 more than all times."
    )


SIDES = (
    "The share of the left side: y is 1 where chose_left is true, e = y − p, and each variance, "
    "over pairs, raters and single votes, is G/(G − 1)·Σ(Σe)²/n²; V = "
    f"{FLOOR.format('V(pairs)')}; degrees of freedom are the lesser of pairs − 1 and raters − 1."
)


STEPS = {
    "problems": (
        "V(problems) = Σδ²",
        "V(both) as V(raters), over the votes of one rater on one problem",
        "With Q the sum of q over a problem, or its mean over a rater, degrees of freedom are the "
        "lesser of the two (ΣQ)²/ΣQ² − 1",
    ),
    "pairs": (
        "V(pairs) = G/(G − H)·Σ((1 − share of the votes)·δ)², a being less its mean over the "
        "vote's problem",
        "V(both) as V(pairs), over single votes",
        "With Q the mean of q over a pair or a rater, degrees of freedom are the lesser of "
        "(ΣQ)²/ΣQ² − 1 of raters and of pairs, here times (G − H)/(G − 1)",
    ),
}
"""Of what is sampled: the variances of a coefficient, and its degrees of freedom."""


def _regressions(report: StudyReport) -> str:
    items, both, degrees = STEPS[report.sampled]
    return (
        "Regressions (“clustered t”) are logistic, by maximum likelihood (of seconds: least "
        "squares of their logarithm). X has a column of ones and those below; w = f(1 − f) of the "
        "fitted f (of seconds: 1), and a = x(y − f) of a row x. Without cluster c the coefficients "
        f"change by δ = −(Σwxxᵀ over the other votes)⁻¹·Σa over those of c (CR3). {items}; "
        "V(raters) = G/(G − 1)·Σ((1 − share of the votes)·δ)²; "
        f"{both}; V = {FLOOR.format(f'V({report.sampled})')}. A vote tells q = w·(x(XᵀWX)⁻¹)² of "
        f"the coefficients, each by its entry. {degrees}, at least 1. Intervals are b ± t·√V, and "
        "exp of that for odds ratios."
    )


COLUMNS = (
    "Columns of the regressions of y. Attention: 1 for raters with attention_failed above 0. "
    "Ballots: position; seconds: ln of active_seconds on position, valid ties among the rows. "
    "Windows: an indicator of each viewport but the one with most votes. Subgroups: one of each "
    "answer (of five raters or more, the others together; case and spaces ignored) but the one of "
    "most raters. With several columns p is the least times their number."
)
LOOKS = (
    "EIC or looks: eic_gap less its mean over the deciding votes; lower_side, ½ for left and −½ "
    "for right; calls_gap, nesting_gap, depth_gap, length_gap and digits_gap of pairs.csv, each d "
    "as 2d/(1 + |d|); r2_gap times 100; complexity_gap d as 2d/(1 + |d|). A column that is a "
    "combination of those before is left out. The rate between formulas that look alike is logit⁻¹ "
    "of the intercept, and with a further digit logit⁻¹ of intercept + coefficient of the gap, "
    "whose one-sided p is half the two-sided, or 1 minus that if it points away from the preferred "
    "side (the lower EIC, unless the rate of all votes is below one half). The regression “gaps” "
    "of report.json has no looks and complexity_gap as it is."
)


def _raters(report: StudyReport) -> str:
    return (
        "Raters of five deciding votes or more, N of them. Haste: with x the ln of a rater's "
        "median active_seconds, the lower tail of t = (x − median)/(1.4826·median |x − median|) on "
        "0.37·(N − 1) degrees. Coin: on a pair with a of c votes for the lower EIC, the others "
        "make a vote for it as likely as (ωμ + a − y)/(ω + c − 1), where μ = (lower + ½)/(n + 1), "
        "ω = (1 − κ)/κ, κ = (A − E)/(1 − E) from 0.01 to 0.95, E = μ² + (1 − μ)² and A is the "
        "share of all couples of votes on a pair that agree; a rater's odds of a coin are ½ over "
        "the likelihood of the vote, multiplied over the votes, and p is 1/odds, at most 1. Raters "
        "of less than half the median of the medians are taken together, too. One place: for a "
        "rater of n votes, k with the lower EIC on the left and l for it, all fall on one side "
        "with probability ([l = k] + [n − l = k])/(n over k); p is that of as many such raters or "
        "more. Also Σz² over raters of over three votes, z the standardised hypergeometric number "
        "of votes for the lower EIC on the left, as a gamma variable of mean G and variance "
        "Σ(2 + excess kurtosis). Two accounts: for each pair of both, 0.9 if they agree, else 0.1, "
        "over the likelihood of one's answer, other votes as for the coin, multiplied; p is the "
        "number of such couples over these odds. Of several p the least counts, times their "
        f"number: N, or two kinds. A threat is flagged below {ALPHA:g}."
    )


LEFT_OUT = {
    "problems like these": (
        "each problem, each rater and each rater's votes on a problem",
        "V(problems) = Σδ²; V(raters) = (G − 1)/G·Σδ²; V(both) = Σδ²; V = "
        f"{FLOOR.format('V(problems)')}; β = Σ(1 − share of the pairs)·δ over the problems",
        "the degrees of the rate of these votes",
    ),
    "pairs like these": (
        "each pair, each rater and each single vote",
        "V(pairs) = (G − 1)²/(G(G − H))·Σ(δ − mean δ of the problem)²; V(raters) = (G − 1)/G·Σδ²; "
        f"V(both) = Σδ²; V = {FLOOR.format('V(pairs)')}; β = 0, with one problem Σ(1 − 1/G)·δ over "
        "the pairs",
        "the degrees of the rate of these votes, or (3.16 − 2.77/√G)·(Σδ²)²/Σδ⁴ − 1 over the G "
        "pairs, δ less its mean in the problem, if that is fewer (Johnson and Rust, 1992)",
    ),
    "these pairs": (
        "each rater",
        "each pair's part of the sums changes by only √((m − 1)/m) of what it loses; U = (G − "
        "1)/G·Σδ²; V = U − Σζ², at least U/3; β = 0; ζ is the change that √((m − 3)/(m(m − 1)(m − "
        "2)))·(m·T − (m − 1)(T₁ + T₂) + (m − 2)·T₁₂) makes when taken off the sums, for each two "
        "votes on a pair of m ≥ 4, T being its part of the sums, T₁ and T₂ without either, T₁₂ "
        "without both (Efron and Stein, 1981)",
        "the degrees of the rate of these votes",
    ),
}
"""Of an estimand: what is left out of agreement, what comes of its changes, and the degrees."""


def _agreement(report: StudyReport) -> str:
    left, variance, degrees = LEFT_OUT[report.estimand]
    times = ", times (V/U)²" if report.estimand == "these pairs" else ""
    return (
        "Agreement (“jackknife”), over pairs of m ≥ 2 deciding votes, a for the lower EIC: raw "
        "agreement A is the mean of (a(a − 1) + (m − a)(m − a − 1))/(m(m − 1)); with l the mean of "
        "a/m, Fleiss' kappa is (A − E)/(1 − E) for E = l² + (1 − l)², Gwet's AC1 for E = 2l(1 − "
        "l). Krippendorff's alpha, on no page, is the nominal one. Each is measured anew without "
        f"{left}, and δ is its change: {variance}. With c = x − β and L the lowest value that the "
        "measure can have (−s, of raw agreement (1 − s)/2, s the mean of 1/(m − 1)), the ends are "
        "L + (1 − L)·logit⁻¹(ln((c − L)/(1 − c)) ± t·√V·(1 − L)/((c − L)(1 − c))). t has "
        f"{degrees}, these less one of kappa, AC1 and alpha{times}; at least 1."
    )


SCORES = {
    "problems": (
        "V = Σ(Σe/(1 − k/K))²/K² over the problems, k of the K pairs on each, e the score less the "
        "mean; degrees of freedom K²/Σk² − 1"
    ),
    "pairs": (
        "V = K/(K − H)·Σe²/K², e the score less the mean of its problem; degrees of freedom K − H"
    ),
}
"""Of what is sampled: the variance of a model's rate on K pairs of H problems."""


def _models(report: StudyReport) -> str:
    return (
        "A model's score of a pair is the mean of two shares of answers for the lower EIC, where "
        "that formula came first and where it came second (model_answers.csv, outcomes lower and "
        f"higher; both are needed). Its rate is the mean over K pairs: {SCORES[report.sampled]}; "
        "the interval is that of a rate. So is the share for the first formula, the mean of one "
        "share and of 1 minus the other, with p corrected for the models by Holm's method. Model "
        "less people is the mean over people's votes of score less y, with V as for the rate of "
        "people and a plain mean ± t·√V; likewise the difference of two models' scores over their "
        "common pairs, with V as for a model's rate. p of the declared contrast is corrected by "
        "Holm's method (1979)."
    )


def _with_people(report: StudyReport) -> str:
    left, variance, degrees = LEFT_OUT[f"{report.sampled} like these"]
    return (
        "Beside people, on scored pairs of m ≥ 2 deciding votes, a for the lower EIC: r is "
        "Pearson's correlation of score and a/m; R = 1 − (mean of (a/m)(1 − a/m)/(m − "
        "1))/(variance of a/m, of divisor K − 1); the corrected correlation is r/√R. A model "
        "agrees with a vote in the mean of score·a/m + (1 − score)(1 − a/m) of cases, people in "
        f"those of A. Each, and the difference of the last two, is measured anew without {left}: "
        f"{variance}; t has {degrees}. The ends are those of agreement, with L = −1 (of the model "
        "0, of people (1 − s)/2). The corrected correlation has as ends the numbers c for which |D "
        "− β| = t·√V, D being atanh r − atanh(c√R), r and c√R within ±0.999999 and R ≥ 0, and V "
        "and β its own when clusters are left out; degrees one less."
    )


DRAWN = {
    "problems like these": ", and the percentiles of 2,000 rates with problems, or problems and "
    "raters, drawn again (“problem bootstrap”, “two-way bootstrap”)",
    "pairs like these": ", and the percentiles of 2,000 rates with the pairs of each problem, or "
    "these and raters, drawn again (“pair bootstrap”, “two-way bootstrap”)",
    "these pairs": "",
}


def _independent(report: StudyReport) -> str:
    return (
        "With all votes independent, as in the paper: the exact binomial test, and the intervals "
        "of Wilson (1927) and of Clopper-Pearson (1934) for "
        f"{report.preference.lower:,} out of {report.preference.votes:,}. On no page are the sign "
        f"test, which is the same of pairs by majority{DRAWN[report.estimand]}."
    )
