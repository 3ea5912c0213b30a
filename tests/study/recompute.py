"""Recompute every number of a report from the exported folder, without the project's code.

Uses Python's own library, NumPy, SciPy, statsmodels and krippendorff, and imports nothing else:
what agrees with it agrees with libraries that others wrote, and with the definitions as the report
states them.

    python tests/study/recompute.py FOLDER --level 0.95 --seed 0 --estimand "pairs like these"

prints one JSON object of the report's shape, numbers only.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import math
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations

import krippendorff
import numpy as np
from scipy import optimize, stats
from scipy.special import expit
from statsmodels.discrete.discrete_model import Logit
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.sandwich_covariance import cov_cluster

DRAWS = 2000
CROSSED = "pairs and raters"
"""Sides are dealt to both, whatever the design samples; nothing is held fixed."""
DESIGN = {"sampled": "pairs like these"}
"""What rates are about that are not for these pairs alone; set once the study is read."""


# --- reading ---


def read(folder):
    """The study and its votes; text cells without the apostrophe that guards them."""
    with open(f"{folder}/study.json", encoding="utf-8") as file:
        study = json.load(file)
    with open(f"{folder}/votes.csv", encoding="utf-8", newline="") as file:
        votes = [
            {k: v[1:] if v[:1] == "'" else v for k, v in row.items()}
            for row in csv.DictReader(file)
        ]
    study["undone"] = [vote for vote in votes if vote.get("undone_at")]
    votes = [vote for vote in votes if not vote.get("undone_at")]
    for vote in votes:
        own = vote["rater_seconds"]
        away = float(vote["seconds"]) - float(vote["idle_seconds"])
        vote["active"] = float(own) if own else max(0.0, away)
        vote["position"] = int(vote["position"])
        vote["practice"] = vote["is_practice"] == "true"
        vote["attention"] = vote["is_attention"] == "true"
        vote["left"] = (vote["choice"] == "lower") == (vote["lower_side"] == "left")
    return study, votes


def valid_votes(votes, rule):
    """Votes on pairs that the rule keeps, those that each of its parts loses, and the seconds of
    each rater's session.
    """
    session, failed = defaultdict(float), Counter()
    for vote in votes:
        if not vote["practice"]:
            session[vote["rater"]] += vote["active"]
        failed[vote["rater"]] += vote["attention"] and vote["attention_ok"] == "false"
    kept, lost = [], defaultdict(list)
    limit = rule["max_failed_attention"]
    for vote in votes:
        if vote["practice"] or vote["attention"]:
            continue
        seconds = session[vote["rater"]] if rule["unit"] == "session" else vote["active"]
        if seconds < rule["threshold_seconds"]:
            lost[f"{rule['unit']} under the threshold"].append(vote)
        elif limit is not None and failed[vote["rater"]] > limit:
            lost["too many failed attention checks"].append(vote)
        else:
            kept.append(vote)
    return kept, lost, session


def deciding(votes):
    return [vote for vote in votes if vote["choice"] != "tie"]


# --- one rate, votes taken as independent ---


def counts_of(votes):
    counted = Counter(vote["choice"] for vote in votes)
    return counted["lower"], counted["higher"], counted["tie"]


def independent(votes, level):
    """Rate, exact one-sided test, Wilson and Clopper-Pearson intervals."""
    lower, higher, ties = counts_of(votes)
    n = lower + higher
    found = {"lower": lower, "higher": higher, "ties": ties, "votes": n}
    if not n:
        return found | dict.fromkeys(("rate", "p_value", "wilson", "clopper_pearson"))
    return found | {
        "rate": lower / n,
        "p_value": stats.binom.sf(lower - 1, n, 0.5),
        "wilson": interval(proportion_confint(lower, n, 1 - level, method="wilson"), level),
        "clopper_pearson": interval(proportion_confint(lower, n, 1 - level, method="beta"), level),
    }


def interval(ends, level):
    low, high = (float(end) for end in ends)
    return {
        "low": 0.0 if math.isnan(low) else low,
        "high": 1.0 if math.isnan(high) else high,
        "level": level,
    }


def t_interval(mean, error, dof, level):
    half = stats.t.ppf((1 + level) / 2, dof) * error
    return interval((mean - half, mean + half), level)


def two_sided(mean, error, dof):
    return float(2 * stats.t.sf(abs(mean / error), dof))


def through(function, span):
    return span | {end: function(span[end]) for end in ("low", "high")}


# --- the headline ---


class Clusters:
    """Deciding votes with their clusters: problems, or pairs within problems."""

    def __init__(self, votes, estimand, copies=1, ties=False):
        self.copies = copies  # rows for one vote
        self.votes = [v for v in votes if ties or v["choice"] != "tie"]
        self.y = np.array([float(v["choice"] == "lower") for v in self.votes])
        self.rater = codes(self.votes, "rater")
        self.pair, self.problem = codes(self.votes, "pair"), codes(self.votes, "problem")
        self.problems = len(set(self.problem.tolist()))
        self.estimand = estimand
        self.item = "problem" if estimand == "problems like these" else "pair"
        if estimand == "these pairs":
            self.item, self.fixed = "pair", self.pair
        else:
            held = self.item == "pair" and estimand != CROSSED
            self.fixed = self.problem if held else np.zeros(len(self.y), dtype=int)
        self.items = self.problem if self.item == "problem" else self.pair

    @property
    def both(self):
        """The rater's votes on an item, of each vote."""
        return self.items * (int(self.rater.max()) + 1) + self.rater

    def variances(self):
        """One-way sandwich variances of the rate, by statsmodels.

        The rate is the mean of the fitted values of a regression on dummies of what is held fixed.
        """
        dummies = (self.fixed[:, None] == np.unique(self.fixed)).astype(float)
        fit = OLS(self.y, dummies).fit()
        weight = dummies.mean(axis=0)
        if self.estimand == "these pairs":
            return {"rater": self.about_pairs()}
        lost = dummies.shape[1]
        found = {}
        for name, group, h in (
            (self.item, self.items, lost),
            ("rater", self.rater, 1),
            (f"{self.item} x rater", self.both, lost),
        ):
            group = np.unique(group, return_inverse=True)[1]
            size = int(group.max()) + 1
            if name == "problem":  # how the rate moves when each is left out
                rest = [self.y[group != g].mean() for g in range(size)]
                found[name] = float(sum((self.y.mean() - r) ** 2 for r in rest))
                continue
            cov = cov_cluster(fit, group, use_correction=False)
            found[name] = float(weight @ cov @ weight) * size / (size - h)
        return found

    def from_pairs(self):
        """Residuals about each pair's own rate, put right for its m - 1 of m votes."""
        u = np.zeros(len(self.y))
        for pair in set(self.pair.tolist()):
            here = self.pair == pair
            m = here.sum() / self.copies
            about = self.y[here].mean() if m > 1 else self.y.mean()
            u[here] = (self.y[here] - about) * (math.sqrt(m / (m - 1)) if m > 1 else 1)
        return u

    def about_pairs(self):
        """Raters as clusters."""
        u = self.from_pairs()
        sums = [u[self.rater == r].sum() for r in set(self.rater.tolist())]
        g = len(sums)
        return float(sum(s * s for s in sums)) / len(u) ** 2 * g / (g - 1)

    @property
    def degrees_of_freedom(self):
        raters = len(set(self.rater.tolist())) - 1
        if self.estimand == "these pairs":
            return raters
        if self.item == "problem":
            return min(raters, self.effective() - 1)
        items, fixed = len(set(self.items.tolist())), len(set(self.fixed.tolist()))
        return min(raters, items - fixed)

    def effective(self):
        """Kish's effective number of problems."""
        votes = np.bincount(self.problem)
        return float(votes.sum()) ** 2 / float((votes**2).sum()) if len(self.y) else 0.0

    def too_few(self):
        """Whether there is no interval: one rater, one pair, or a pair alone in each problem."""
        pairs = len(set(self.pair.tolist())) if self.item == "pair" else 2
        lone = pairs == 1 and self.estimand != "these pairs"
        return len(set(self.rater.tolist())) == 1 or lone or self.degrees_of_freedom < 1


def codes(votes, name):
    known = {value: i for i, value in enumerate(sorted({v[name] for v in votes}))}
    return np.array([known[v[name]] for v in votes], dtype=int)


def clustered(votes, level, estimand, copies=1):
    """Two-way clustered rate: t interval and test on the log odds.

    Where no two clusters differ, the exact interval of one trial a cluster.
    """
    groups = Clusters(votes, estimand, copies)
    n, lower = len(groups.y), int(groups.y.sum())
    if not n or groups.too_few():
        return (
            {"lower": lower, "votes": n, "rate": lower / n if n else None}
            | dict.fromkeys(
                (
                    "standard_error",
                    "interval",
                    "p_value",
                    "p_two_sided",
                    "design_effect",
                    "effective_votes",
                )
            )
            | {"degrees_of_freedom": groups.degrees_of_freedom if n else 0}
            | {"effective_problems": groups.effective()}
        )
    rate = lower / n
    parts = groups.variances()
    variance = two_ways([*parts.values()])
    sampled = {groups.item: len(set(groups.items.tolist()))} if estimand != "these pairs" else {}
    sampled |= {"rater": len(set(groups.rater.tolist()))}
    spread = variance > 1e-15 and 0 < lower < n  # less is rounding
    trials = min(sampled.values())
    return by_t(rate, variance, groups.degrees_of_freedom, level, trials) | {
        "lower": lower,
        "votes": n,
        "rate": rate,
        "clusters": sampled,
        "problems": groups.problems,
        "effective_problems": groups.effective(),
        "variances": parts,
        "standard_error": math.sqrt(variance),
        "degrees_of_freedom": groups.degrees_of_freedom,
        "design_effect": variance / (rate * (1 - rate) / n) if 0 < lower < n else None,
        "effective_votes": rate * (1 - rate) / variance if spread else None,
    }


def two_ways(variances):
    """Items + raters - both; one that stands alone as it is."""
    if len(variances) == 1:
        return variances[0]
    item, rater, both = variances
    return np.maximum(item + rater - both, np.minimum(item, rater))


def equal_problems(votes, level, estimand):
    """The mean of the problems' rates; each cluster is left out of it in turn."""
    groups = Clusters(votes, estimand)
    if not len(groups.y) or groups.too_few() or groups.problems < 2:
        return None
    y = groups.y
    rates = {q: y[groups.problem == q].mean() for q in set(groups.problem.tolist())}
    rate = float(np.mean(list(rates.values())))
    weights = 1 / np.bincount(groups.problem)[groups.problem] / groups.problems
    sampled = groups.item == "problem"
    own = y - (rate if sampled else np.array([rates[q] for q in groups.problem.tolist()]))
    own = weights * (groups.from_pairs() if estimand == "these pairs" else own)
    lost = 0 if sampled else groups.problems
    ways = [(groups.items, lost), (groups.rater, 1), (groups.both, max(1, lost))]
    parts, freedom = [], []
    for codes, h in ways[1:2] if estimand == "these pairs" else ways:
        clusters = [codes == c for c in set(codes.tolist())]
        g = len(clusters)
        change = np.array([own[c].sum() / (1 - weights[c].sum()) for c in clusters])
        # a cluster counts by what it weighs where items are problems, else alike
        held = np.array([weights[c].sum() for c in clusters])
        if h:
            change *= 1 - held
            held = np.ones(g)
        parts.append(float(change @ change) * g / (g - h))
        freedom.append((held.sum() ** 2 / (held**2).sum() - 1) * (g - max(h, 1)) / (g - 1))
    variance, dof = two_ways(parts), round(min(freedom[:2]), 9)
    span = by_t(rate, variance, dof, level, groups.problems)
    return {
        "value": rate,
        "standard_error": math.sqrt(variance),
        "degrees_of_freedom": dof,
        "problems": groups.problems,
        "interval": span["interval"],
        "p_two_sided": span["p_two_sided"],
    }


def lost_votes(study, cast, valid, undone, head, level, one_sided):
    """How many votes more for the other side bring the interval to one half."""
    counted = {v["vote"] for v in valid}
    left_out = [v["choice"] for v in cast if v["vote"] not in counted]
    answered = {(v["rater"], v["pair"]) for v in cast}
    taken_back = {
        (v["rater"], v["pair"]): v["choice"]
        for v in undone
        if v["pair"] and (v["rater"], v["pair"]) not in answered
    }
    per_rater = Counter(v["rater"] for v in cast)
    per_rater.update({rater: 0 for rater, _ in taken_back})
    whole = min(study["ballots_per_rater"], len(study["pairs"]))
    unfinished = sum(whole - n for n in per_rater.values()) - len(taken_back)
    withdrawn = whole * study["raters"]["withdrawn"]
    needed, error = None, head["standard_error"]
    if head["interval"] and error:
        low, high = head["interval"]["low"], head["interval"]["high"]
        lower, n = head["lower"], head["votes"]
        error *= n * n / lower / (n - lower)
        t = stats.t.ppf(level if one_sided else (1 + level) / 2, head["degrees_of_freedom"])
        up = math.log(lower / (n - lower)) > t * error if one_sided else low > 0.5
        if up or (high < 0.5 and not one_sided):
            side, other = (lower, n - lower) if up else (n - lower, lower)
            needed = next(k for k in range(100 * n) if math.log(side / (other + k)) <= t * error)
    choices = Counter(left_out) + Counter(taken_back.values())
    lost = len(left_out) + len(taken_back) + unfinished + withdrawn
    return {
        "needed": needed,
        "lost": lost,
        "left_out": len(left_out),
        "undone": len(taken_back),
        "unfinished": unfinished,
        "withdrawn": withdrawn,
        "lower": choices["lower"],
        "higher": choices["higher"],
    } | ({"stands": None} if needed is None else {})


def effect(head, declared, level):
    """Two one-sided t tests on the log odds against one half plus and minus the margin."""
    margin = declared["smallest_effect"] if declared else 0.05
    found = {"margin": margin, "alpha": 1 - level}
    rate, error = head["rate"], head["standard_error"]
    if not error:
        return found | dict.fromkeys(("p_above", "p_below", "p_within"))
    distances = [
        (stats.logistic.ppf(rate) - stats.logistic.ppf(0.5 + sign * margin))
        * rate
        * (1 - rate)
        / error
        for sign in (1, -1)
    ]
    above, below = (stats.t(head["degrees_of_freedom"]) for _ in range(2))
    return found | {
        "p_above": above.sf(distances[0]),
        "p_below": below.cdf(distances[1]),
        "p_within": max(above.sf(distances[1]), below.cdf(distances[0])),
    }


def mixed(votes, level):
    """Laplace fit of a logistic model with random intercepts, spreads e^(k/100) for whole k."""
    groups = Clusters(votes, DESIGN["sampled"])
    y = groups.y
    kinds = [groups.problem] if groups.item == "problem" else []
    kinds = [np.unique(k, return_inverse=True)[1] for k in (*kinds, groups.pair, groups.rater)]
    sizes = [int(k.max()) + 1 for k in kinds]
    Z = np.hstack([np.eye(k.max() + 1)[k] for k in kinds])
    effects = np.zeros(sum(sizes))

    def at(b, P):
        """The approximate log likelihood at an intercept, the variance, and the slope; the search
        for effects begins at those of the last call.
        """
        u = effects
        for _ in range(200):
            p = 1 / (1 + np.exp(-b - Z @ u))
            H = (Z * (p * (1 - p))[:, None]).T @ Z + np.diag(P)
            move = np.linalg.solve(H, Z.T @ (y - p) - P * u)
            u = u + move * min(1, 1 / max(np.abs(move).max(), 1e-12))
            if np.abs(move).max() < 1e-12:
                break
        effects[:] = u
        eta = b + Z @ u
        value = (y * eta - np.logaddexp(0, eta)).sum() - (P * u * u).sum() / 2
        value += np.log(P).sum() / 2 - np.linalg.slogdet(H)[1] / 2
        w = p * (1 - p)
        across = Z.T @ w
        turn = 1 - Z @ np.linalg.solve(H, across)  # of each vote's log odds, by the intercept
        spread = (Z * np.linalg.solve(H, Z.T).T).sum(axis=1)
        slope = (y - p).sum() - (w * (1 - 2 * p) * turn * spread).sum() / 2
        return value, 1 / (w.sum() - across @ np.linalg.solve(H, across)), slope

    @cache
    def fit(place):
        P = np.repeat(np.exp(-np.array(place) / 50), sizes)
        b = optimize.newton(lambda b: at(b, P)[2], 0, x1=0.1, tol=1e-13)
        value, variance, _ = at(b, P)
        return value + math.log(variance) / 2, b, variance

    def lattice(place):
        return fit(place)[0]

    best, stride = (-60,) * len(sizes), 60
    while stride:
        near = [
            tuple(b + stride * s * (i == j) for j, b in enumerate(best))
            for i in range(len(best))
            for s in (-1, 0, 1)
        ]
        up = max((p for p in near if all(-300 <= k <= 160 for k in p)), key=lattice)
        if lattice(up) <= lattice(best):
            stride = {60: 15, 15: 4, 4: 1, 1: 0}[stride]
        else:
            best = up

    def moved(*steps):
        return tuple(b + 10 * sum(s for i, s in steps if i == j) for j, b in enumerate(best))

    free = [i for i, k in enumerate(best) if -290 <= k <= 150]
    C = np.zeros((len(free), len(free)))
    g = np.zeros(len(free))
    for i, one in enumerate(free):
        up, down = moved((one, 1)), moved((one, -1))
        C[i, i] = (2 * lattice(best) - lattice(up) - lattice(down)) / 0.01
        g[i] = (fit(up)[1] - fit(down)[1]) / 0.2
        for j, other in enumerate(free[:i]):
            corners = [
                s * t * lattice(moved((one, s), (other, t))) for s in (1, -1) for t in (1, -1)
            ]
            C[i, j] = C[j, i] = -sum(corners) / 0.04
    sure = [i for i in range(len(free)) if C[i, i] > 1]
    C, g = C[np.ix_(sure, sure)], g[sure]
    _, centre, variance = fit(best)
    error = math.sqrt(variance + max(0, g @ np.linalg.solve(C, g) if sure else 0))
    dof = min(sizes[0], sizes[-1]) - 1
    return {
        "spreads": [math.exp(k / 100) for k in best],
        "log_odds": centre,
        "standard_error": error,
        "degrees_of_freedom": dof,
        "rate": expit(centre),
        "interval": through(expit, t_interval(centre, error, dof, level)),
        "p_value": two_sided(centre, error, dof),
        "level": level,
        "lopsided": False,
    }


def by_t(rate, variance, dof, level, trials):
    """On the log odds; of so many trials where nothing differs, for less is rounding."""
    if not (variance > 1e-15 and 0 < rate < 1):
        return exact(rate, trials, level)
    centre = math.log(rate / (1 - rate))
    error = math.sqrt(variance) / (rate * (1 - rate))
    return {
        "interval": through(expit, t_interval(centre, error, dof, level)),
        "p_value": stats.t.sf(centre / error, dof),
        "p_two_sided": two_sided(centre, error, dof),
    }


def exact(rate, trials, level):
    """Clopper and Pearson's interval and test for so many trials, not always a whole success."""
    low, tail = trials * rate, (1 - level) / 2
    high = trials - low
    above = stats.beta.cdf(0.5, low, high + 1) if low else 1.0
    below = stats.beta.cdf(0.5, high, low + 1) if high else 1.0
    ends = (
        stats.beta.ppf(tail, low, high + 1) if low else 0.0,
        stats.beta.ppf(1 - tail, low + 1, high) if high else 1.0,
    )
    return {
        "interval": interval(ends, level),
        "p_value": above,
        "p_two_sided": min(1.0, 2 * min(above, below)),
    }


def rate_of(votes, level, estimand=None, copies=1):
    """What is told of a rate that is one of many."""
    found = clustered(votes, level, estimand or DESIGN["sampled"], copies)
    if found["interval"] is None:
        found["degrees_of_freedom"] = None
    names = ("votes", "rate", "standard_error", "degrees_of_freedom", "interval", "p_two_sided")
    return {name: found[name] for name in names}


def drawn_again(votes, level, seed):
    """Items (and raters) drawn again within what is held fixed, 2,000 times; percentiles.

    The one-way draws number items by their counts, so that names do not matter; the two-way ones
    by their names, stratum by stratum.
    """
    groups = Clusters(votes, DESIGN["sampled"])
    sums = defaultdict(lambda: [0.0, 0.0])
    names = defaultdict(list)
    for y, item, fixed in zip(groups.y, groups.items, groups.fixed, strict=True):
        sums[int(fixed), int(item)][0] += y
        sums[int(fixed), int(item)][1] += 1
    for fixed, item in sorted(sums):
        names[fixed].append(item)
    counted = sorted(sorted(sums[fixed, item] for item in items) for fixed, items in names.items())
    drawn = times_drawn([len(part) for part in counted], seed)
    lower, total = (drawn @ np.array([item for part in counted for item in part])).T
    order = {item: i for i, item in enumerate(i for items in names.values() for i in items)}
    by_item = times_drawn([len(items) for items in names.values()], seed)
    by_rater = times_drawn([int(groups.rater.max()) + 1], seed + 1)
    both = by_item[:, [order[int(i)] for i in groups.items]] * by_rater[:, groups.rater]
    ends = [(1 - level) / 2, (1 + level) / 2]
    return [
        interval(np.quantile(rates, ends), level)
        for rates in (lower / total, (both @ groups.y) / both.sum(axis=1))
    ]


def times_drawn(sizes, seed):
    """How often each item comes, drawn with replacement from its stratum of so many."""
    rng = np.random.default_rng(seed)
    found = []
    for size in sizes:
        drawn = rng.integers(0, size, (DRAWS, size))
        found += [(drawn == i).sum(axis=1) for i in range(size)]
    return np.array(found, dtype=float).T


def signs(votes):
    """Pairs by majority, with an exact one-sided test."""
    margins = [lower - higher for lower, higher in per_pair(deciding(votes)).values()]
    lower, higher = sum(m > 0 for m in margins), sum(m < 0 for m in margins)
    n = lower + higher
    return {
        "lower": lower,
        "higher": higher,
        "split": margins.count(0),
        "pairs": n,
        "rate": lower / n,
        "p_value": stats.binom.sf(lower - 1, n, 0.5),
    }


# --- agreement ---


def per_pair(votes):
    """Votes for lower and higher on each pair with a valid vote."""
    counted = defaultdict(lambda: [0, 0])
    for vote in votes:
        counted[vote["pair"]][0] += vote["choice"] == "lower"
        counted[vote["pair"]][1] += vote["choice"] == "higher"
    return counted


def fleiss(votes):
    """Fleiss' kappa by its definition, over pairs with two or more deciding votes."""
    rows = list(per_pair(votes).values())
    used = np.array([row for row in rows if sum(row) >= 2], dtype=float)
    n = used.sum(axis=1, keepdims=True)
    observed = float(((used * (used - 1)).sum(axis=1) / (n * (n - 1))[:, 0]).mean())
    expected = float(((used / n).mean(axis=0) ** 2).sum())
    return {
        "value": (observed - expected) / (1 - expected),
        "observed": observed,
        "expected": expected,
        "subjects": len(used),
        "left_out": len(rows) - len(used),
        "votes": int(used.sum()),
    }


def agreement(votes, level, estimand):
    """Raw agreement, Fleiss' kappa, Krippendorff's alpha, Gwet's AC1, each with a jackknife."""
    rows = sorted(per_pair(votes).values())
    used = np.array([row for row in rows if sum(row) >= 2], dtype=float)
    groups = twice_voted(votes, estimand)
    short = float((1 / (used.sum(axis=1) - 1)).mean())
    found = {}
    for name, measure, least, spent in (
        ("raw_agreement", raw, (1 - short) / 2, 1),
        ("fleiss_kappa", kappa_of, -short, 2),
        ("krippendorff_alpha", alpha_of, -short, 2),
        ("gwet_ac1", ac1_of, -short, 2),
    ):
        value, observed, expected = measure(parts(used).sum(axis=0))

        def of_rest(out, measure=measure):
            left = without(groups, out)
            if estimand == "these pairs":  # a pair's own rate is taken from its m votes
                all_of, m = parts(counts_of_pairs(groups)), counts_of_pairs(groups).sum(axis=1)
                share = np.sqrt((m - 1) / m)[:, None]
                return measure((all_of + share * (parts(left) - all_of)).sum(axis=0))[0]
            return measure(parts(left).sum(axis=0))[0]

        found[name] = {
            "value": value,
            "observed": observed,
            "pairs": len(used),
            "expected": None if name == "raw_agreement" else expected,
            "left_out": len(rows) - len(used),
            "votes": int(used.sum()),
            "interval": fisher_interval(
                groups, value, of_rest, least, spent, level, jointly(used, measure, estimand)
            ),
        }
    checked = krippendorff.alpha(value_counts=used, level_of_measurement="nominal")
    assert math.isclose(checked, found["krippendorff_alpha"]["value"], rel_tol=1e-12)
    share = float((used[:, 0] / used.sum(axis=1)).mean())
    return found | {"lower_share": share, "seed": None, "level": level}


def jointly(used, measure, estimand):
    """Efron and Stein's Q of each two votes on a pair of four or more, squared: what a jackknife of
    single votes counts too often. None where the pairs are a sample.
    """
    if estimand != "these pairs":
        return None
    whole = parts(used).sum(axis=0)
    excess = 0.0
    for row in used[used.sum(axis=1) > 3]:
        m, cast = row.sum(), [0] * int(row[0]) + [1] * int(row[1])
        for one, other in ((a, b) for i, a in enumerate(cast) for b in cast[:i]):
            left = np.array([row] * 4)
            left[[1, 3], one] -= 1
            left[[2, 3], other] -= 1
            all_of, first, second, neither = parts(left)
            q = m * all_of - (m - 1) * (first + second) + (m - 2) * neither
            q *= math.sqrt((m - 3) / (m * (m - 1) * (m - 2)))
            excess += (measure(whole - q)[0] - measure(whole)[0]) ** 2
    return excess


def twice_voted(votes, estimand):
    """The deciding votes on pairs that have two or more, with their clusters."""
    cast = Counter(v["pair"] for v in votes if v["choice"] != "tie")
    return Clusters([v for v in votes if cast[v["pair"]] > 1], estimand)


def counts_of_pairs(groups):
    return without(groups, np.zeros(len(groups.y), dtype=bool))


def without(groups, out):
    """Votes for lower and higher on each pair, without some votes."""
    pairs = int(groups.pair.max()) + 1
    left = [np.bincount(groups.pair[~out & (groups.y == c)], minlength=pairs) for c in (1, 0)]
    return np.stack(left, axis=1).astype(float)


def left_out(groups, of_rest, value):
    """How a measure changes without each item, rater, and rater's votes on an item."""
    return [
        np.array([of_rest(by == name) - value for name in np.unique(by)])
        for by in (groups.items, groups.rater, groups.both)
    ]


def put_together(groups, changes):
    """Items + raters - both; the bias that unequal items show (Busing et al., 1999)."""
    items, raters, both = changes
    r, g = len(raters), len(items)
    by_rater = float(raters @ raters) * (r - 1) / r
    if groups.estimand == "these pairs":
        return by_rater, 0.0
    held = len(set(groups.fixed.tolist()))
    bias = 0.0
    if held == 1:
        pairs = np.array(
            [len(set(groups.pair[groups.items == name])) for name in np.unique(groups.items)]
        )
        bias = float((1 - pairs / pairs.sum()) @ items)
    by_item = float(items @ items)
    if groups.item == "pair":
        about = about_fixed(groups, items)
        by_item = float(about @ about) * (g - 1) ** 2 / (g * (g - held))
    return two_ways([by_item, by_rater, float(both @ both)]), bias


def about_fixed(groups, items):
    """Changes by pair, less the mean of those that share what is fixed."""
    home = np.array([groups.fixed[groups.items == name][0] for name in np.unique(groups.items)])
    return items - np.array([items[home == h].mean() for h in home])


def freedom_of(groups, changes, spent):
    """Of pairs, no more than the fourth powers of the changes tell (Johnson and Rust, 1992)."""
    if groups.item == "problem":
        return groups.degrees_of_freedom + 1 - spent
    items = about_fixed(groups, changes[0])
    least = (3.16 - 2.77 / math.sqrt(len(items))) * (items @ items) ** 2 / (items**4).sum()
    return max(1.0, min(groups.degrees_of_freedom + 1, least) - spent)


def fisher_interval(groups, value, of_rest, least, spent, level, excess=None):
    """Symmetric on the scale of log((x - least)/(1 - x)) about the value less its bias."""
    changes = left_out(groups, of_rest, value)
    variance, bias = put_together(groups, changes)
    if excess is None:
        freedom = freedom_of(groups, changes, spent)
    else:
        ratio = max((variance - excess) / variance, 1 / 3)
        variance *= ratio
        freedom = max(1.0, (groups.degrees_of_freedom + 1 - spent) * ratio**2)
    if groups.degrees_of_freedom < 1 or not variance > 1e-24:
        return None
    at = value - bias if least < value - bias < 1 else value
    error = math.sqrt(variance) * (1 - least) / ((at - least) * (1 - at))
    span = t_interval(math.log((at - least) / (1 - at)), error, freedom, level)
    return through(lambda end: least + (1 - least) * expit(end), span)


def parts(rows):
    """Of each pair: 1, agreement, shares, votes, votes times agreement, counts; 0 with one vote."""
    n = rows.sum(axis=1)
    m = np.maximum(n, 2)
    agree = (rows * (rows - 1)).sum(axis=1) / (m * (m - 1))
    columns = [np.ones(len(n)), agree, *(rows / m[:, None]).T, n, n * agree, *rows.T]
    return np.array(columns).T * (n > 1)[:, None]


def raw(sums):
    observed = sums[1] / sums[0]
    return observed, observed, 0.0


def kappa_of(sums):
    return beyond(sums[1] / sums[0], (sums[2] ** 2 + sums[3] ** 2) / sums[0] ** 2)


def ac1_of(sums):
    return beyond(sums[1] / sums[0], 2 * sums[2] * sums[3] / sums[0] ** 2)


def alpha_of(sums):
    """From the coincidence matrix, as Krippendorff computes it."""
    total, low, high = sums[4], sums[6], sums[7]
    by_chance = (low * (low - 1) + high * (high - 1)) / (total * (total - 1))
    return beyond(sums[5] / total, by_chance)


def beyond(observed, expected):
    return (observed - expected) / (1 - expected), observed, expected


# --- regressions ---


def regression(columns, votes, level, line=None):
    """Estimates by statsmodels, of deciding votes' choice or of a line. Each cluster is left out in
    turn: one step of Newton's method from the estimates of all to those of the rest; items +
    raters - both of the squared steps.
    """
    groups = Clusters(votes, DESIGN["sampled"], ties=line is not None)
    X = np.column_stack([np.ones(len(votes)), *columns])
    newton = {"method": "newton", "disp": 0, "maxiter": 100}
    outcome = groups.y if line is None else line
    fit = Logit(outcome, X).fit(**newton) if line is None else OLS(outcome, X).fit()
    fitted = np.asarray(fit.predict(X))
    weight = fitted * (1 - fitted) if line is None else np.ones(len(X))
    about = X * (outcome - fitted)[:, None]
    for fixed in set(groups.fixed.tolist()):
        about[groups.fixed == fixed] -= about[groups.fixed == fixed].mean(axis=0)
    whole = X.T @ (X * weight[:, None])
    # what each row tells of each coefficient
    tells = (np.sqrt(weight)[:, None] * (X @ np.linalg.inv(whole))) ** 2
    held = len(set(groups.fixed.tolist()))
    squares, freedom = [], []
    for codes_of, lost in (
        (groups.items, 0 if groups.item == "problem" else held),
        (groups.rater, 1),
        (groups.both, held),
    ):
        steps, told = [], []
        names = np.unique(codes_of)
        for name in names:
            out = codes_of == name
            rest = X[~out].T @ (X[~out] * weight[~out, None])
            steps.append(-np.linalg.solve(rest, about[out].sum(axis=0)))
            told.append(tells[out].sum(axis=0))
            if lost:
                steps[-1] *= 1 - out.mean()
                told[-1] /= out.sum()
        g, told = len(names), np.array(told)
        squares.append((np.array(steps) ** 2).sum(axis=0) * (g / (g - lost) if lost else 1))
        effective = told.sum(axis=0) ** 2 / (told**2).sum(axis=0)
        freedom.append((effective - 1) * (g - max(lost, 1)) / (g - 1))
    errors = np.sqrt(two_ways(squares))
    terms = [
        {
            "estimate": float(b),
            "standard_error": float(e),
            "degrees_of_freedom": float(dof),
            "p_value": two_sided(b, e, dof),
            "interval": t_interval(b, e, dof, level),
        }
        for b, e, dof in zip(fit.params, errors, np.minimum(*freedom[:2]), strict=True)
    ]
    counts = [len(set(each.tolist())) for each in (groups.items, groups.rater)]
    return {"votes": len(votes), "clusters": counts, "terms": terms}


# --- threats ---


def sensitivity(votes, rule, level, estimand):
    points = []
    for unit in ("session", "vote"):
        own = [rule["threshold_seconds"]] if unit == rule["unit"] else []
        for threshold in sorted({*range(0, 181, 10), *own}):
            applied = rule | {"unit": unit, "threshold_seconds": threshold}
            kept = valid_votes(votes, applied)[0]
            points.append(
                {
                    "threshold_seconds": threshold,
                    "valid": len(kept),
                    "raters": len({v["rater"] for v in kept}),
                }
                | rate_of(kept, level, estimand)
            )
    return {"rule": rule, "level": level, "points": points}


def attention(votes, valid, level):
    checks = defaultdict(list)
    for vote in votes:
        if vote["attention"] and not vote["practice"]:
            checks[vote["rater"]].append(vote["attention_ok"] == "true")
    failed = {rater for rater, oks in checks.items() if not all(oks)}
    decided = deciding(valid)
    with_failure = [v for v in valid if v["rater"] in failed]
    return {
        "answered": sum(map(len, checks.values())),
        "passed": sum(map(sum, checks.values())),
        "failed_raters": len(failed),
        "raters": [{"answered": len(checks[r]), "passed": sum(checks[r])} for r in sorted(checks)],
        "with_failure": rate_of(with_failure, level),
        "without_failure": rate_of([v for v in valid if v["rater"] not in failed], level),
        "difference": regression([[v["rater"] in failed for v in decided]], decided, level),
    }


def sides(valid, level):
    decided = deciding(valid)
    left = sum(v["left"] for v in decided)
    as_left = [v | {"choice": "lower" if v["left"] else "higher"} for v in decided]
    by_rater = defaultdict(list)
    for vote in decided:
        by_rater[vote["rater"]].append(vote)
    chances, one_sided = [], set()
    for rater, theirs in by_rater.items():
        if len(theirs) < 5:
            continue
        shown = sum(v["lower_side"] == "left" for v in theirs)
        lower = sum(v["choice"] == "lower" for v in theirs)
        ways = math.comb(len(theirs), shown)
        chances.append(((lower == shown) + (len(theirs) - lower == shown)) / ways)
        if len({v["left"] for v in theirs}) == 1:
            one_sided.add(rater)
    return {
        "left": left,
        "right": len(decided) - left,
        "ties": len(valid) - len(decided),
        "lower_on_left": float(np.mean([v["lower_side"] == "left" for v in decided])),
        **rate_of(as_left, level, CROSSED),
        "one_sided": {
            "candidates": len(chances),
            "minimum": 5,
            "expected": math.fsum(chances),
            "p_value": at_least(len(one_sided), chances),
            "without_them": rate_of([v for v in valid if v["rater"] not in one_sided], level),
        },
    }


def screened(valid, one_sided_p):
    """Raters in haste, like a coin, on one place, and two as one."""
    decided = deciding(valid)
    by_rater, cast = defaultdict(list), per_pair(decided)
    for vote in decided:
        by_rater[vote["rater"]].append(vote)
    names = sorted({v["rater"] for v in decided if len(by_rater[v["rater"]]) >= 5})
    lower, total = (sum(c) for c in zip(*[(a, a + b) for a, b in cast.values()], strict=True))
    mean = (lower + 0.5) / (total + 1)
    chance = mean**2 + (1 - mean) ** 2
    alike = sum(a * (a - 1) + b * (b - 1) for a, b in cast.values())
    agreeing = alike / (sum((a + b) * (a + b - 1) for a, b in cast.values()) or 1)
    kappa = min(0.95, max(0.01, (agreeing - chance) / (1 - chance)))
    worth = (1 - kappa) / kappa

    def others(vote):
        """How likely a vote for the lower EIC is on this pair, by all votes but this one."""
        a, b = cast[vote["pair"]]
        up = vote["choice"] == "lower"
        return (worth * mean + a - up) / (worth + a + b - 1)

    def coin_gain(votes):
        """Log odds of a coin's answers to answers like the others'."""
        chances = [p if v["choice"] == "lower" else 1 - p for v in votes for p in (others(v),)]
        return -sum(math.log(2 * chance) for chance in chances)

    def same(votes):
        told, seen = 0, 0
        for vote in votes:
            a, b = cast[vote["pair"]]
            told += (a if vote["choice"] == "lower" else b) - 1
            seen += a + b - 1
        return told / seen if seen else None

    seconds = np.array([np.median([v["active"] for v in by_rater[r]]) for r in names])
    gains = np.array([coin_gain(by_rater[r]) for r in names])
    haste, coin = low_ones(np.log(seconds)), np.exp(-np.maximum(0, gains))
    quick = seconds < 0.5 * np.median(seconds)
    together = math.exp(-max(0.0, gains[quick].sum())) if quick.any() else None
    couples = likeness(by_rater, cast, worth, mean)
    likely = sorted(couples, key=lambda c: -c["odds"])[:10]
    return {
        "raters": [
            {
                "votes": len(by_rater[r]),
                "seconds": float(seconds[i]),
                "agreement": same(by_rater[r]),
                "left": float(np.mean([v["left"] for v in by_rater[r]])),
                "haste_p": float(haste[i]),
                "coin_p": float(coin[i]),
            }
            for i, r in enumerate(names)
        ],
        "couples": likely,
        "compared": len(couples),
        "most_shared": max((c["pairs"] for c in couples), default=0),
        "haste_p": least(haste),
        "coin_p": least([least(coin), together]),
        "place_p": least([one_sided_p, sides_dealt(by_rater)]),
        "likeness_p": min(1.0, len(couples) / likely[0]["odds"]) if likely else None,
    }


def least(ps):
    ps = [p for p in ps if p is not None]
    return float(min(1.0, len(ps) * min(ps))) if ps else None


def low_ones(values):
    """t by the median and the median absolute deviation, of 37 % of its degrees of freedom."""
    spread = stats.median_abs_deviation(values) * 1.4826
    return stats.t.cdf((values - np.median(values)) / spread, 0.37 * (len(values) - 1))


def likeness(by_rater, cast, worth, mean):
    """For each couple with a pair in common, the odds of one person, who slips one time in ten."""
    found = []
    told = {r: {v["pair"]: v["choice"] == "lower" for v in votes} for r, votes in by_rater.items()}
    for first, second in combinations(sorted(told), 2):
        shared = told[first].keys() & told[second].keys()
        if not shared:
            continue
        log_odds, alike = 0.0, 0
        for pair in shared:
            one, two = told[first][pair], told[second][pair]
            a, b = cast[pair]
            p = (worth * mean + a - two) / (worth + a + b - 1)
            log_odds += math.log((0.9 if one == two else 0.1) / (p if two else 1 - p))
            alike += one == two
        found.append({"pairs": len(shared), "alike": alike, "odds": math.exp(log_odds)})
    return found


def sides_dealt(by_rater):
    """Whether left choices differ more from rater to rater than sides dealt by chance would make
    them: the moments of hypergeometric numbers by SciPy, their sum a gamma.
    """
    total, moments = 0.0, []
    for votes in by_rater.values():
        n = len(votes)
        shown = sum(v["lower_side"] == "left" for v in votes)
        lower = sum(v["choice"] == "lower" for v in votes)
        if n <= 3 or not (0 < shown < n and 0 < lower < n):
            continue
        both = sum(v["choice"] == "lower" and v["lower_side"] == "left" for v in votes)
        middle, variance, excess = (float(m) for m in stats.hypergeom(n, shown, lower).stats("mvk"))
        total += (both - middle) ** 2 / variance
        moments.append(2 + excess)
    if not moments:
        return None
    mean, variance = len(moments), sum(moments)
    return float(stats.gamma.sf(total, mean**2 / variance, scale=variance / mean))


def ballots(valid, level):
    most = max(v["position"] for v in valid)

    def stretch(first, last, votes):
        return {
            "first": first,
            "last": last,
            "valid": len(votes),
            "median_seconds": float(np.median([v["active"] for v in votes])),
            **rate_of(votes, level),
        }

    thirds = []
    for i in range(3):
        here = [v for v in valid if most * i < 3 * v["position"] <= most * (i + 1)]
        if here:
            thirds.append(stretch(most * i // 3 + 1, most * (i + 1) // 3, here))
    decided = deciding(valid)
    timed = [v for v in valid if v["active"] > 0]
    trend = regression([[v["position"] for v in decided]], decided, level)
    logs = np.log([v["active"] for v in timed])
    pace = regression([[v["position"] for v in timed]], timed, level, logs)
    return {
        "thirds": thirds,
        "numbers": [
            stretch(at, at, [v for v in valid if v["position"] == at])
            for at in sorted({v["position"] for v in valid})
        ],
        "trend": trend,
        "seconds_trend": pace,
        "seconds_change": math.exp(pace["terms"][1]["estimate"]),
        "level": level,
    }


def screens(valid, level):
    known = [v for v in valid if v["viewport"]]
    there = [
        name for name in ("narrow", "medium", "wide") if any(v["viewport"] == name for v in known)
    ]
    decided = [v for v in known if v["choice"] != "tie"]
    counts = Counter(v["viewport"] for v in decided)
    most = max(counts.values())
    first = next(v["viewport"] for v in decided if counts[v["viewport"]] == most)
    others = [name for name in there if name != first]
    fit = regression(dummies("viewport", others, decided), decided, level)
    return {
        "classes": [
            {
                "valid": len(votes),
                "raters": len({v["rater"] for v in votes}),
                **rate_of(votes, level),
            }
            for name in there
            for votes in ([v for v in known if v["viewport"] == name],)
        ],
        "unknown": len(valid) - len(known),
        "fit": fit,
        "p_value": least([term["p_value"] for term in fit["terms"][1:]]),
        "level": level,
    }


def dummies(name, values, votes):
    return [[vote[name] == value for vote in votes] for value in values]


def subgroups(study, valid, level):
    declared = study["configuration"]["design"].get("subgroups", "").split()
    found = []
    for what in ("degree", "field"):
        if what not in declared:
            continue
        told = {v["rater"]: " ".join(v[what].casefold().split()) for v in valid}
        sizes = Counter(told.values())
        names = sorted((n for n in sizes if n and sizes[n] >= 5), key=lambda n: (-sizes[n], n))
        group = {r: a if a in names else "all others" for r, a in told.items()}
        if "all others" in group.values():
            names.append("all others")
        grouped = [v | {"group": group[v["rater"]]} for v in valid]
        some = {name: [v for v in grouped if v["group"] == name] for name in names}
        decided = deciding(grouped)
        fit = regression(dummies("group", names[1:], decided), decided, level)
        found.append(
            {
                "groups": [
                    {
                        "raters": len({v["rater"] for v in votes}),
                        "valid": len(votes),
                        **rate_of(votes, level),
                    }
                    for votes in some.values()
                ],
                "p_value": least([term["p_value"] for term in fit["terms"][1:]]),
                "level": level,
            }
        )
    return found


def reasons(valid):
    """By the beginnings of words, as the report explains them."""
    starts = {
        "length and simplicity": "short long simpl compl compact few less terms",
        "functions": "sin cos tan exp log ln root sqrt func power",
        "nesting and brackets": "nest bracket parenthes inside fraction depth",
        "numbers in it": "number digit decimal constant coeffic large huge",
        "subtraction and rounding": "subtract minus differenc cancel round precis",
        "known laws": "know known law physic school famil textbook recogni",
        "the fit": "fit curve plot data accura extrapol",
    }
    small = set(
        "a an and are as at be because but by for from has have i in is it its just me more of on "
        "one or so than that the them there this to too two was which with you".split()
    )
    given = [v for v in valid if v["reason"].strip()]
    about, often = defaultdict(list), Counter()
    for vote in given:
        text = "".join(c if c.isalpha() else " " for c in vote["reason"].casefold())
        words = set(text.split())
        often.update(words - small)
        here = [
            s
            for s, some in starts.items()
            if any(w[: len(b)] == b for b in some.split() for w in words)
        ]
        for subject in here or ["none of these"]:
            about[subject].append(vote)
    order = sorted(about, key=lambda s: (s == "none of these", -len(about[s]), s))
    return {
        "votes": len(valid),
        "given": len(given),
        "raters": len({v["rater"] for v in given}),
        "subjects": [
            {
                "reasons": len(about[s]),
                "raters": len({v["rater"] for v in about[s]}),
                "lower": counts_of(about[s])[0],
                "higher": counts_of(about[s])[1],
            }
            for s in order
        ],
        "words": dict(sorted(often.items(), key=lambda f: (-f[1], f[0]))[:10]),
    }


def gaps(valid, pairs, level):
    """Votes on the gaps of their pairs (per digit, per 0.01 of R², per node) and on the side."""
    known = {pair["pair"]: pair for pair in pairs}
    used, rows = [], []
    decided = deciding(valid)
    for vote in decided:
        pair = known[vote["pair"]]
        row = (pair["higher_eic"], pair["lower_eic"], pair["lower_r2"], pair["higher_r2"])
        if None not in row:
            used.append(vote)
            rows.append(
                (
                    row[0] - row[1],
                    0.5 if vote["lower_side"] == "left" else -0.5,
                    100 * (row[2] - row[3]),
                    pair["lower_complexity"] - pair["higher_complexity"],
                )
            )
    columns = dict(zip(("eic", "side", "r2", "complexity"), np.array(rows).T, strict=True))
    mean = float(columns["eic"].mean())
    columns["eic"] = columns["eic"] - mean
    fit = regression(columns.values(), used, level)
    intercept, *terms = fit["terms"]
    return {
        "fit": fit,
        "odds_ratios": {
            name: {
                "odds_ratio": math.exp(term["estimate"]),
                "p_value": term["p_value"],
                "interval": through(math.exp, term["interval"]),
            }
            for name, term in zip(columns, terms, strict=True)
        },
        "adjusted_rate": expit(intercept["estimate"]),
        "adjusted_interval": through(expit, intercept["interval"]),
        "mean_eic_gap": mean,
        "left_out": len(decided) - len(used),
        "level": level,
    }


ARITHMETIC = {"add", "sub", "mul", "div", "neg"}


def looks(text):
    """Calls, nested calls, depth, length and digits of a formula, by Python's own parser."""

    def count(node):
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
        if negative or isinstance(node, ast.Constant):
            number = ast.unparse(node.operand if negative else node)
            source = ast.get_source_segment(plain, node.operand if negative else node) or number
            digits = "".join(c for c in source.lower().split("e")[0] if c.isdigit()).lstrip("0")
            return 0, 0, 0, max(1, len(digits)), max(1, len(digits))
        if isinstance(node, ast.Name):
            return 0, 0, 0, 1, 0
        called = isinstance(node, ast.Call) and node.func.id not in ARITHMETIC
        inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
        if isinstance(node, ast.Call):
            inner = node.args
        elif isinstance(node.op, ast.Pow) and isinstance(getattr(node.right, "value", 0.5), int):
            inner = [node.left]  # a whole exponent belongs to the operator
        found = [count(each) for each in inner]
        return (
            sum(f[0] for f in found) + called,
            max(f[1] for f in found) + called,
            1 + max(f[2] for f in found),
            1 + sum(f[3] for f in found),
            sum(f[4] for f in found),
        )

    plain = text.replace("^", "**").strip()
    return np.array(count(ast.parse(plain, mode="eval").body), dtype=float)


def structure(valid, pairs, level):
    """Votes on the gap in EIC, the side and what the eye sees, with the best visible predictor."""
    known = {
        p["pair"]: (
            p["higher_eic"] - p["lower_eic"],
            *(looks(p["lower_formula"]) - looks(p["higher_formula"])),
            100 * (p["lower_r2"] - p["higher_r2"]),
            p["lower_complexity"] - p["higher_complexity"],
        )
        for p in pairs
        if None not in (p["higher_eic"], p["lower_eic"], p["lower_r2"], p["higher_r2"])
    }
    used = [v for v in valid if v["choice"] != "tie" and v["pair"] in known]
    rows = np.array([known[v["pair"]] for v in used])
    side = [0.5 if v["lower_side"] == "left" else -0.5 for v in used]
    counts = 2 * rows / (1 + abs(rows))
    differing = [*counts[:, 1:6].T, rows[:, 6], counts[:, 7], *rows[:, 1:6].T]
    tried = [rows[:, 0] - rows[:, 0].mean(), np.array(side), *differing]
    columns, basis = {}, []
    for i, column in enumerate(tried):
        scaled = column / (abs(column).max() or 1.0)
        if np.linalg.matrix_rank(np.column_stack([*basis, scaled])) > len(basis):
            columns[str(i)] = column
            basis.append(scaled)
    fit = regression(columns.values(), used, level)
    intercept, dose = fit["terms"][0], fit["terms"][1]
    below = clustered(used, level, DESIGN["sampled"])["interval"]["high"] < 0.5
    p = dose["p_value"] / 2
    problem_of = {v["pair"]: v["problem"] for v in used}
    rated = sorted(problem_of)
    gaps_seen = np.array([known[name][1:6] for name in rated])
    right = []
    for problem in sorted(set(problem_of.values())):
        rest = fewer(gaps_seen[[problem_of[name] != problem for name in rated]])
        best = int(np.argmax(abs(rest - 0.5)))
        sign = 1 if rest[best] >= 0.5 else -1
        here = sign * gaps_seen[[problem_of[name] == problem for name in rated], best]
        right += [1.0 if gap < 0 else 0.5 if gap == 0 else 0.0 for gap in here]
    every = fewer(gaps_seen)
    return {
        "fit": fit,
        "predictor": {
            "auc": float(np.mean(right)),
            "by_name": dict(zip(VISIBLE, np.maximum(every, 1 - every).tolist(), strict=True)),
        },
        "adjusted_rate": expit(intercept["estimate"]),
        "adjusted_interval": through(expit, intercept["interval"]),
        "dose_ratio": math.exp(dose["estimate"]),
        "further_rate": expit(intercept["estimate"] + dose["estimate"]),
        "dose_p": p if (dose["estimate"] > 0) != below else 1 - p,
        "level": level,
    }


VISIBLE = ("calls of functions", "nested functions", "depth", "length", "digits of numbers")


def fewer(gaps_seen):
    """Share of pairs whose formula of lower EIC has fewer, ties as a half."""
    return np.array([(column < 0).mean() + (column == 0).mean() / 2 for column in gaps_seen.T])


def problem_rates(valid, level, seed):
    """Rates by problem, and a permutation test: problems are dealt to the pairs anew."""
    decided = deciding(valid)
    effect = effect_within(decided)
    rates = []
    for name in sorted({v["problem"] for v in valid}):
        here = [v for v in decided if v["problem"] == name]
        lower, n = sum(v["choice"] == "lower" for v in here), len(here)
        pairs, raters = len({v["pair"] for v in here}), len({v["rater"] for v in here})
        told = {"pairs": pairs, "raters": raters, "lower": lower, "votes": n}
        if not n:
            rates.append(told | {"rate": None, "interval": None})
            continue
        span = (
            clustered(here, level, "pairs like these")["interval"]
            if enough(here)
            else interval(
                proportion_confint(lower / effect, n / effect, 1 - level, method="wilson"), level
            )
        )
        rates.append(told | {"rate": lower / n, "interval": span})
    names = sorted({v["pair"] for v in decided})
    home = {v["pair"]: v["problem"] for v in decided}
    places = codes([{"problem": home[name]} for name in names], "problem")
    dealt = np.random.default_rng(seed).permuted(np.tile(places, (DRAWS, 1)), axis=1)
    counted = per_pair(decided)
    lower, total = np.array([(counted[n][0], sum(counted[n])) for n in names], dtype=float).T
    observed = spread(places, lower, total)
    more = sum(spread(row, lower, total) >= observed * (1 - 1e-9) for row in dealt)
    return {
        "problems": rates,
        "design_effect": effect,
        "spread": observed,
        "p_value": (1 + int(more)) / (1 + DRAWS),
        "draws": DRAWS,
        "seed": seed,
        "level": level,
    }


def spread(places, lower, total):
    votes, chosen = np.bincount(places, total), np.bincount(places, lower)
    rates = chosen / np.maximum(votes, 1)
    return float((votes * (rates - lower.sum() / total.sum()) ** 2).sum() / total.sum())


def effect_within(decided):
    """Variance within problems, pair x rater clustered, over that of independent votes; >= 1."""
    groups = Clusters(decided, "pairs like these")
    fitted = OLS(groups.y, (groups.problem[:, None] == np.unique(groups.problem)).astype(float))
    rate = fitted.fit().fittedvalues
    return max(
        1.0,
        two_ways([*groups.variances().values()])
        / (float((rate * (1 - rate)).sum()) / len(groups.y) ** 2),
    )


def enough(votes):
    """Ten pairs and ten raters, and five of each with the rarer choice: as the headline asks."""
    groups = Clusters(votes, "pairs like these")
    if groups.too_few():
        return False
    kinds = (groups.items, groups.rater)
    if min(len(set(kind.tolist())) for kind in kinds) < 10 or groups.degrees_of_freedom < 9:
        return False
    rarer = groups.y != (groups.y.mean() >= 0.5)
    return min(len(set(kind[rarer].tolist())) for kind in kinds) >= 5


def ties(valid, level, estimand):
    tied = sum(v["choice"] == "tie" for v in valid)

    def with_ties_as(*choices):
        return [
            v | {"choice": choice if v["choice"] == "tie" else v["choice"]}
            for v in valid
            for choice in choices
        ]

    conventions = (
        valid,
        with_ties_as("lower", "higher"),
        with_ties_as("higher"),
        with_ties_as("lower"),
    )
    found = [
        rate_of(votes, level, estimand, copies)
        for votes, copies in zip(conventions, (1, 2, 1, 1), strict=True)
    ]
    found[1]["votes"] = len(valid)
    return {"ties": tied, "votes": len(valid), "level": level, "conventions": found}


def at_least(found, chances):
    """P(X >= found) for a sum of independent events, by inverting its characteristic function."""
    size = len(chances) + 1
    waves = np.exp(2j * np.pi * np.arange(size) / size)
    transform = np.prod([1 - p + p * waves for p in (min(c, 1.0) for c in chances)], axis=0)
    return float(np.fft.fft(transform).real[found:].sum() / size) if chances else None


# --- models ---


def answers_of(folder, study):
    """The answers of each run, in the order of the runs; none where no model was asked."""
    if not study.get("model_runs"):
        return []
    with open(f"{folder}/model_answers.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [(run, [r for r in rows if r["run"] == run["label"]]) for run in study["model_runs"]]


def models(folder, study, valid, level):
    """Every number about models, beside people's valid votes."""
    home = {pair["pair"]: pair["problem"] for pair in study["pairs"]}
    plan = (study["configuration"].get("design") or {}).get("model_raters") or {}
    asked = answers_of(folder, study)
    told, scores = [], {}
    for run, rows in asked:
        cells = defaultdict(lambda: defaultdict(list))
        for row in rows:
            if row["outcome"] in ("lower", "higher"):
                cells[row["pair"]][row["first"]].append(float(row["outcome"] == "lower"))
        both = {p: c for p, c in cells.items() if c["lower"] and c["higher"]}
        ends = {p: (np.mean(c["lower"]), np.mean(c["higher"])) for p, c in both.items()}
        here = scores[run["label"]] = {p: (a + b) / 2 for p, (a, b) in ends.items()}
        used = [v for v in valid if v["choice"] != "tie" and v["pair"] in here]
        same, first, second, undecided = turned(ends.values())
        repeats = [
            (sum(c) * (sum(c) - 1) + (len(c) - sum(c)) * (len(c) - sum(c) - 1))
            / (len(c) * (len(c) - 1))
            for pair in cells.values()
            for c in pair.values()
            if len(c) > 1
        ]
        outcomes = Counter(row["outcome"] for row in rows)
        told.append(
            {
                "temperature": run["temperature"],
                "repeats": run["repeats"],
                "wanted": run["repeats"] * len(home),
                "answers": len(rows),
                "outcomes": {
                    name: outcomes[name]
                    for name in ("lower", "higher", "tie", "refused", "unparsable")
                },
                "prompt_tokens": sum(int(row["prompt_tokens"] or 0) for row in rows),
                "completion_tokens": sum(int(row["completion_tokens"] or 0) for row in rows),
                "median_latency_seconds": float(
                    np.median([float(r["latency_seconds"]) for r in rows])
                ),
                "rate": over_pairs(here, home, level, True),
                "people": {
                    "rate": float(np.mean([v["choice"] == "lower" for v in used])),
                    "votes": len(used),
                },
                "less_people": less_people(here, used, level),
                "position": over_pairs(
                    {p: (a + 1 - b) / 2 for p, (a, b) in ends.items()}, home, level, True
                ),
                "orders": {
                    "same": same,
                    "first": first,
                    "second": second,
                    "undecided": undecided,
                    "share": same / (same + first + second),
                },
                "within": {"agreement": float(np.mean(repeats)), "cells": len(repeats)},
                "agreement": with_people(here, used, level),
            }
        )
    by_place = [run["position"]["p_two_sided"] for run in told]
    for run, p in zip(told, multipletests(by_place, method="holm")[1], strict=True):
        run["position_p_holm"] = float(p)
    return {
        "runs": told,
        "between": [two_models(a, b, home, level) for a, b in combinations(scores.values(), 2)],
        "primary": primary(plan, asked, told, scores, home, level),
    }


def primary(plan, asked, told, scores, home, level):
    """The declared contrast, for declared runs, with Holm's correction by statsmodels."""
    runs = {run["label"]: i for i, (run, _) in enumerate(asked) if not run["undeclared"]}
    declared = [runs[name] for name in plan.get("models", ()) if name in runs]
    contrast = plan.get("contrast")
    if contrast == "first model less second":
        a, b = (scores[asked[i][0]["label"]] for i in declared[:2])
        tests = [two_models(a, b, home, level)["difference"]]
    else:
        name = {"model less people": "less_people", "model against one half": "rate"}.get(contrast)
        tests = [told[i][name] for i in declared if name]
    if not tests:
        return []
    corrected = multipletests([test["p_two_sided"] for test in tests], method="holm")[1]
    return [test | {"p_holm": float(p)} for test, p in zip(tests, corrected, strict=True)]


def turned(ends):
    signs = [(np.sign(a - 0.5), np.sign(b - 0.5)) for a, b in ends]
    return (
        sum(a * b > 0 for a, b in signs),
        sum(a > 0 > b for a, b in signs),
        sum(a < 0 < b for a, b in signs),
        sum(a * b == 0 for a, b in signs),
    )


def over_pairs(values, home, level, share):
    """The mean of one value a pair, clustered by what is sampled beside raters."""
    rows = [
        {"rater": f"{i}", "pair": p, "problem": home[p], "choice": "lower"}
        for i, p in enumerate(sorted(values))
    ]
    groups = Clusters(rows, DESIGN["sampled"])
    groups.y = np.array([values[p] for p in sorted(values)])
    mean, n = float(groups.y.mean()), len(set(groups.items.tolist()))
    variance, dof = groups.variances()[groups.item], groups.degrees_of_freedom
    error = math.sqrt(max(variance, 0.0))
    span = by_t(mean, variance, dof, level, n) if share else plainly(mean, error, dof, level)
    return {
        "value": mean,
        "standard_error": error,
        "degrees_of_freedom": dof,
        "pairs": len(values),
        "clusters": {groups.item: n},
        "interval": span["interval"],
        "p_two_sided": span["p_two_sided"],
    }


def plainly(mean, error, dof, level):
    return {
        "interval": t_interval(mean, error, dof, level),
        "p_two_sided": two_sided(mean, error, dof),
    }


def less_people(scores, used, level):
    groups = Clusters(used, DESIGN["sampled"])
    groups.y = np.array([scores[v["pair"]] for v in used]) - groups.y
    mean = float(groups.y.mean())
    error = math.sqrt(two_ways([*groups.variances().values()]))
    return {
        "value": mean,
        "standard_error": error,
        "degrees_of_freedom": groups.degrees_of_freedom,
        "pairs": len({v["pair"] for v in used}),
        "clusters": {
            groups.item: len(set(groups.items.tolist())),
            "rater": len({v["rater"] for v in used}),
        },
    } | plainly(mean, error, groups.degrees_of_freedom, level)


def two_models(a, b, home, level):
    common = sorted(a.keys() & b.keys())
    x, y = np.array([a[p] for p in common]), np.array([b[p] for p in common])
    vary = np.ptp(x) > 0 and np.ptp(y) > 0
    return {
        "pairs": len(common),
        "agreement": float((x * y + (1 - x) * (1 - y)).mean()),
        "correlation": float(stats.pearsonr(x, y).statistic) if vary else None,
        "difference": over_pairs({p: a[p] - b[p] for p in common}, home, level, False),
    }


def with_people(scores, used, level):
    """Correlation, corrected for binomial noise, and agreement beside that of two people.

    Each set of votes that is left out is taken out, and each measure taken from what is left.
    """
    groups = twice_voted([v for v in used if v["pair"] in scores], DESIGN["sampled"])
    names = [""] * (int(groups.pair.max()) + 1)
    for vote, place in zip(groups.votes, groups.pair, strict=True):
        names[place] = vote["pair"]
    score = np.array([scores[name] for name in names])
    now = of_rows(score, counts_of_pairs(groups))
    short = float((1 / (counts_of_pairs(groups).sum(axis=1) - 1)).mean())
    found = {
        "pairs": len(names),
        "votes": len(groups.y),
        "reliability": now["reliability"],
        "corrected": {"value": now["corrected"], "interval": None},
    }
    for name, least in (
        ("correlation", -1.0),
        ("model", 0.0),
        ("people", (1 - short) / 2),
        ("difference", -1.0),
    ):

        def of_rest(out, name=name):
            value = of_rows(score, without(groups, out))[name]
            return math.nan if value is None else value

        defined = now[name] is not None
        ends = fisher_interval(groups, now[name], of_rest, least, 1, level) if defined else None
        found[name] = {"value": now[name], "interval": ends}
    if now["corrected"] is not None:
        found["corrected"]["interval"] = corrected_interval(groups, score, now, level)
    return found


def corrected_interval(groups, score, now, level):
    """The numbers whose lowered correlation is not told from the one that is seen."""
    rest = {}

    def seen(out):
        if out.tobytes() not in rest:
            left = of_rows(score, without(groups, out))
            rest[out.tobytes()] = left["correlation"], max(left["reliability"], 0.0)
        return rest[out.tobytes()]

    def on_scale(correlation):
        return math.atanh(min(max(correlation, -0.999999), 0.999999))

    def apart(number, pair):
        return on_scale(pair[0]) - on_scale(number * math.sqrt(pair[1]))

    def beyond_reach(number):
        whole = apart(number, (now["correlation"], max(now["reliability"], 0.0)))
        changes = left_out(groups, lambda out: apart(number, seen(out)), whole)
        variance, bias = put_together(groups, changes)
        reach = stats.t.ppf((1 + level) / 2, freedom_of(groups, changes, 2))
        return abs(whole - bias) - reach * math.sqrt(variance)

    ends = []
    for side in (-1, 1):
        steps = now["corrected"] + side * np.geomspace(1e-3, 8, 30)
        far = next((step for step in steps if beyond_reach(step) > 0), None)
        if far is None or beyond_reach(now["corrected"]) >= 0:
            return None
        ends.append(optimize.brentq(beyond_reach, now["corrected"], far, xtol=1e-11))
    return interval(ends, level)


def of_rows(score, rows):
    some = rows.sum(axis=1) > 1
    score, (lower, higher) = score[some], rows[some].T
    n = lower + higher
    share = lower / n
    noise = float(np.mean(share * (1 - share) / (n - 1)))
    (of_model, both), (_, of_people) = np.cov(score, share)
    true, alike, apart = of_people - noise, of_model > 1e-12, of_people > 1e-12
    people = float(np.mean((lower * (lower - 1) + higher * (higher - 1)) / (n * (n - 1))))
    model = float(np.mean((score * lower + (1 - score) * higher) / n))
    return {
        "correlation": float(both / math.sqrt(of_model * of_people)) if alike and apart else None,
        "reliability": float(true / of_people) if apart else None,
        "corrected": float(both / math.sqrt(of_model * true)) if alike and true > 1e-12 else None,
        "model": model,
        "people": people,
        "difference": model - people,
    }


def attrition(study, cast, valid, level, estimand):
    """Votes of those who finished, who stopped early, and that were left out."""
    kept, of = {v["vote"] for v in valid}, Counter(v["rater"] for v in cast)
    whole = min(study["ballots_per_rater"], len(study["pairs"]))
    stages = defaultdict(list)
    for vote in cast:
        early = of[vote["rater"]] < whole
        stages[2 if vote["vote"] not in kept else int(early)].append(vote)
    return [
        {
            "raters": len({v["rater"] for v in stages[i]}),
            "rate": refused(stages[i], estimand) | clustered(stages[i], level, estimand),
        }
        for i in sorted(stages)
    ]


def refused(votes, estimand):
    """What is told of a rate without an interval, too."""
    groups = Clusters(votes, estimand)
    items = {} if estimand == "these pairs" else {groups.item: len(set(groups.items.tolist()))}
    return {
        "clusters": items | {"rater": len(set(groups.rater.tolist()))},
        "problems": groups.problems,
    }


def flow(study, cast, valid, lost):
    """How many people and votes were left at each stage."""
    people, of = study["raters"], Counter(v["rater"] for v in cast)
    by_link = people["through_open_links"]
    whole = min(study["ballots_per_rater"], len(study["pairs"]))
    return {
        "invited": None if by_link is None else people["invited"] - by_link,
        "through_open_links": by_link,
        "consented": people["consented"],
        "withdrawn": people["withdrawn"],
        "voted": len(of),
        "finished": people["finished"],
        "counted": len({v["rater"] for v in valid}),
        "cast": len(cast),
        "undone": sum(bool(vote["pair"]) for vote in study["undone"]),
        "lost": {
            why: {"votes": len(gone), "raters": len({v["rater"] for v in gone})}
            for why, gone in lost.items()
        },
        "valid": len(valid),
        "deciding": sum(v["choice"] != "tie" for v in valid),
        "stopped_after": {str(n): times for n, times in Counter(of.values()).items() if n < whole},
    }


# --- everything ---


def recompute(folder, level, seed, estimand):
    """All numbers of the report, in the shape of its JSON."""
    study, votes = read(folder)
    if study["configuration"]["format"] >= 2:
        estimand = estimand or study["configuration"]["design"]["estimand"]
    like = "problems" if len({p["problem"] for p in study["pairs"]}) >= 10 else "pairs"
    estimand = estimand or f"{like} like these"
    DESIGN["sampled"] = f"{like} like these" if estimand == "these pairs" else estimand
    cast = [v for v in votes if not v["practice"] and not v["attention"]]
    valid, lost, session = valid_votes(votes, study["exclusion"])
    on_pair = Counter(v["pair"] for v in valid)
    numbers = [on_pair[p["pair"]] for p in study["pairs"]]
    checks = [v["attention_ok"] for v in votes if v["attention"] and not v["practice"]]
    raters = {v["rater"] for v in valid}
    gone = Counter(v["rater"] for v in cast if v["rater"] not in raters)
    left = Counter(v["left"] for v in valid if v["choice"] != "tie")
    preference, kappa = independent(valid, level), fleiss(valid)
    held = [p for p in study["pairs"] if p["gap_share"] is not None]
    sealed = {seal["vote"] for seal in study["seals"]}
    frozen = study["configuration"]
    declared = frozen["format"] >= 2 and {
        name: frozen["design"][name] for name in ("confidence_level", "smallest_effect")
    }
    fixed = estimand == "these pairs"
    by_pair, both = (None, None) if fixed else drawn_again(valid, level, seed)
    return {
        "seed": seed,
        "level": level,
        "declared": declared,
        "seals": {
            "votes": sum(seal["vote"] != "" and not seal["undo"] for seal in study["seals"]),
            "withdrawn": sum(seal["vote"] == "" and not seal["undo"] for seal in study["seals"]),
            "undone": sum(seal["undo"] for seal in study["seals"]),
            "unsealed": sum(v["vote"] not in sealed for v in votes),
        },
        "unblindings": [{"votes_then": look["votes_then"]} for look in study["unblindings"]],
        "rules": study["rules"],
        "exclusion": study["exclusion"],
        "flow": flow(study, cast, valid, lost)
        | {"attrition": attrition(study, cast, valid, level, estimand)},
        "fleiss_kappa_by_side": fleiss(
            [
                v | {"choice": "lower" if v["left"] else "higher"}
                for v in valid
                if v["choice"] != "tie"
            ]
        ),
        "raters": study["raters"]
        | {
            "with_votes": len({v["rater"] for v in cast}),
            "excluded": len(gone),
            "excluded_unfinished": sum(n < study["ballots_per_rater"] for n in gone.values()),
        },
        "votes": {
            "cast": len(cast),
            "excluded": {why: len(gone) for why, gone in lost.items()},
            "valid": len(valid),
            "attention": {"answered": len(checks), "passed": checks.count("true")},
        },
        "pairs": {
            "total": len(numbers),
            "held_gaps": {
                "least": study["rules"].get("min_eic_gap", 0.0),
                "known": len(held),
                "in_most_draws": sum(p["gap_share"] >= 0.9 for p in held),
                "without_worst_row": sum(
                    p["gap_without_worst_row"] is not None
                    and p["gap_without_worst_row"] >= study["rules"]["min_eic_gap"]
                    for p in held
                ),
            },
            "without_votes": numbers.count(0),
            "fewest_votes": min(numbers),
            "most_votes": max(numbers),
            "mean_votes": float(np.mean(numbers)),
        },
        "left_chosen": {"left": left[True], "right": left[False]},
        "seconds": {
            "by_rater_clock": sum(v["rater_seconds"] != "" for v in valid),
            "median_vote": float(np.median([v["active"] for v in valid])),
            "median_session": float(np.median([session[rater] for rater in raters])),
        },
        "headline": clustered(valid, level, estimand)
        | {
            "bootstrap": by_pair,
            "two_way_bootstrap": both,
            "sign_test": signs(valid),
        },
        "mixed": mixed(valid, level),
        "equal_problems": equal_problems(valid, level, estimand),
        "lost_votes": lost_votes(
            study,
            cast,
            valid,
            study["undone"],
            clustered(valid, level, estimand),
            level,
            bool(declared) and frozen["design"]["sidedness"] == "one-sided",
        ),
        "effect": effect(clustered(valid, level, estimand), declared, level),
        "paper_comparable": {"preference": preference, "fleiss_kappa": kappa},
        "preference": preference,
        "preference_before_exclusions": independent(cast, level),
        "by_problem": [
            {"pairs": sum(p["problem"] == name for p in study["pairs"])}
            | independent([v for v in valid if v["problem"] == name], level)
            for name in sorted({p["problem"] for p in study["pairs"]})
        ],
        "fleiss_kappa": kappa,
        "agreement": agreement(valid, level, estimand),
        "models": models(folder, study, valid, level),
        "subgroups": subgroups(study, valid, level),
        "reasons": reasons(valid),
        "threats": {
            "sensitivity": sensitivity(votes, study["exclusion"], level, estimand),
            "attention": attention(votes, valid, level),
            "sides": sides(valid, level),
            "raters": screened(valid, sides(valid, level)["one_sided"]["p_value"]),
            "ballots": ballots(valid, level),
            "screens": screens(valid, level),
            "gaps": gaps(valid, study["pairs"], level),
            "structure": structure(valid, study["pairs"], level),
            "problems": problem_rates(valid, level, seed),
            "ties": ties(valid, level, estimand),
        },
    }


def main():
    parser = argparse.ArgumentParser(description="numbers of a report, computed again")
    parser.add_argument("folder")
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--estimand", default="")
    options = parser.parse_args()
    found = recompute(options.folder, options.level, options.seed, options.estimand)
    print(json.dumps(found, indent=1, allow_nan=False, default=float))


if __name__ == "__main__":
    main()
