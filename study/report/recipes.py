"""How each interval of a report is made, with this study's numbers: enough to make it again from
the files of the archive.
"""

from __future__ import annotations

from scipy.special import stdtrit

from eic_core import wording
from study.report.analysis import StudyReport

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


ITEMS = {"problems like these": "problem", "pairs like these": "pair"}


def recipes(report: StudyReport) -> tuple[str, ...]:
    """A paragraph for each family of intervals; empty without an interval of the headline."""
    if report.inference.interval(report.level) is None:
        return ()
    return (
        _headline(report),
        _others(report),
        *((_alike(report),) if report.equal_problems else ()),
        _regressions(report),
        _agreement(report),
        *((_models(report),) if report.models.runs else ()),
        "All numbers, rounded nowhere, are in numbers.csv and report.json, each interval with its "
        "level and method. Since 27 November 2026 regressions and agreement have these variances "
        "in every study, whenever it was run; before, their intervals were too narrow.",
    )


def _headline(report: StudyReport) -> str:
    found = report.inference
    if found.log_odds is None:
        return (
            "The interval of the rate is the exact one (Clopper & Pearson, 1934) of as many trials "
            f"as there are clusters of the scarcer kind, {min(n for _, n in found.clusters)}: no "
            "two clusters differ, so there is no spread to count."
        )
    how, item, degrees = RESIDUALS[report.estimand]
    parts = "".join(
        f"V({name}) = {part.variance:.4g}. "
        for name, part in zip((item, "raters", "both"), found.components, strict=False)
        if item
    )
    whole = (
        f". V = V({item}) + V(raters) − V(both), and no less than the smaller of the first two"
        if item
        else ""
    )
    quantile = stdtrit(found.degrees_of_freedom, (1 + report.level) / 2)
    return (
        f"The interval of the rate. In votes_long.csv, n = {found.votes:,} rows have excluded = "
        "false, a pair and a choice that is no tie; y is 1 where chose_lower is true, else 0, and "
        f"p = {found.rate:.4g} is its mean. {how}{whole}. {parts}V = {found.variance:.4g}. "
        f"Degrees of freedom are {degrees}: {found.degrees_of_freedom:.4g}, so t = "
        f"{quantile:.4g}. The interval is {SCALE}; p values are those of t = logit p·p(1 − p)/√V."
    )


def _others(report: StudyReport) -> str:
    return (
        "Rates of a part of the votes (another threshold, a third of the session, a window, a "
        "subgroup, ties counted otherwise) have the same interval from these votes. A problem "
        "with too few pairs or raters has Wilson's interval for as many votes as its own are "
        "worth. The share of the left side is taken over pairs and raters with nothing held "
        "fixed. The paper's intervals are Wilson's (1927) and Clopper and Pearson's (1934) of "
        f"{report.preference.lower:,} out of {report.preference.votes:,}."
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
        "With problems weighed alike, p is the mean of the problems' rates, "
        f"{found.value:.4g}, each vote has the weight w = n/(H·m), and {sums}; all else is as "
        f"above, with {found.degrees_of_freedom:.4g} degrees of freedom and a standard error of "
        f"{found.standard_error:.4g}."
    )


def _regressions(report: StudyReport) -> str:
    left = _left_out(report)
    return (
        "Regressions are logistic, by maximum likelihood (of seconds: least squares of their "
        f"logarithm). Their variances add up, over {left}, the squared changes of a coefficient "
        "when it is left out (to first order from the fit to all votes, CR3), as above; degrees of "
        "freedom are Kish's for the information that each holds about the coefficient. Intervals "
        "are b ± t·√V, and exp of that for odds ratios."
    )


def _left_out(report: StudyReport) -> str:
    item = ITEMS.get(report.estimand)
    return f"each {item}, each rater and each rater's votes on a {item}" if item else "each rater"


def _agreement(report: StudyReport) -> str:
    return (
        f"Agreement is measured anew without {_left_out(report)}; the squared changes are put "
        "together as above. The interval is symmetric in log((x − least)/(1 − x)), least being the "
        "lowest value that the measure can have, about the value less the jackknife's bias."
    )


def _models(report: StudyReport) -> str:
    item = "problems" if report.estimand == "problems like these" else "pairs"
    return (
        f"A model's rate is the mean of its scores, with V({item}) alone; model less people is the "
        "mean over people's votes of score less y, with V as for the rate and no change of scale. "
        "A correlation that is corrected for the noise of few votes of people has as its interval "
        "all c for which the correlation is not told from c·√(share of its variance that is no "
        f"noise) at level {wording.level_percent(report.level)}."
    )
