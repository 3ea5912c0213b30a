"""Recompute every number of a report from the exported folder, without the project's code.

Uses csv, json, math, NumPy, SciPy, statsmodels and krippendorff, and imports nothing else: what
agrees with it agrees with libraries that others wrote, and with the definitions as the report
states them.

    python tests/study/recompute.py FOLDER --level 0.95 --seed 0 --estimand "pairs like these"

prints one JSON object of the report's shape, numbers only.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
from collections import Counter, defaultdict

import krippendorff
import numpy as np
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.sandwich_covariance import cov_cluster

DRAWS = 2000


# --- reading ---


def read(folder):
    """The study and its votes; text cells without the apostrophe that guards them."""
    with open(f"{folder}/study.json", encoding="utf-8") as file:
        study = json.load(file)
    with open(f"{folder}/votes.csv", encoding="utf-8", newline="") as file:
        votes = [{k: v[1:] if v[:1] == "'" else v for k, v in row.items()}
                 for row in csv.DictReader(file)]  # fmt: skip
    for vote in votes:
        vote["active"] = max(0.0, float(vote["seconds"]) - float(vote["idle_seconds"]))
        vote["position"] = int(vote["position"])
        vote["practice"] = vote["is_practice"] == "true"
        vote["attention"] = vote["is_attention"] == "true"
        vote["left"] = (vote["choice"] == "lower") == (vote["lower_side"] == "left")
    return study, votes


def valid_votes(votes, rule):
    """Votes on pairs that the rule keeps, and how many fall to which of its parts."""
    session, failed = defaultdict(float), Counter()
    for vote in votes:
        if not vote["practice"]:
            session[vote["rater"]] += vote["active"]
        failed[vote["rater"]] += vote["attention"] and vote["attention_ok"] == "false"
    kept, lost = [], Counter()
    for vote in votes:
        if vote["practice"] or vote["attention"]:
            continue
        by_session = rule["unit"] == "session"
        seconds = session[vote["rater"]] if by_session else vote["active"]
        limit = rule["max_failed_attention"]
        if seconds < rule["threshold_seconds"]:
            what = "session" if by_session else "vote"
            lost[f"{what} under the threshold"] += 1
        elif limit is not None and failed[vote["rater"]] > limit:
            lost["too many failed attention checks"] += 1
        else:
            kept.append(vote)
    return kept, dict(lost), session


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


# --- the headline ---


class Clusters:
    """Deciding votes with their clusters: problems (ten or more) or pairs within problems."""

    def __init__(self, votes, estimand):
        self.votes = [v for v in votes if v["choice"] != "tie"]
        self.y = np.array([float(v["choice"] == "lower") for v in self.votes])
        self.rater = codes(self.votes, "rater")
        self.pair, self.problem = codes(self.votes, "pair"), codes(self.votes, "problem")
        self.problems = len(set(self.problem.tolist()))
        self.estimand = estimand
        self.item = "problem" if self.problems >= 10 else "pair"
        if estimand == "these pairs":
            self.item, self.fixed = "pair", self.pair
        else:
            self.fixed = self.problem if self.item == "pair" else np.zeros(len(self.y), dtype=int)
        self.items = self.problem if self.item == "problem" else self.pair

    def variances(self):
        """One-way sandwich variances of the rate, by statsmodels.

        The rate is the mean of the fitted values of a regression on dummies of what is held fixed.
        """
        dummies = (self.fixed[:, None] == np.unique(self.fixed)).astype(float)
        fit = OLS(self.y, dummies).fit()
        weight = dummies.mean(axis=0)
        if self.estimand == "these pairs":
            return {"rater": self.about_pairs()}
        raters = len(set(self.rater.tolist()))
        both = self.items * raters + self.rater
        lost = dummies.shape[1]
        found = {}
        for name, group, h in (
            (self.item, self.items, lost), ("rater", self.rater, 1),
            (f"{self.item} x rater", both, lost),
        ):  # fmt: skip
            group = np.unique(group, return_inverse=True)[1]
            size = int(group.max()) + 1
            cov = cov_cluster(fit, group, use_correction=False)
            found[name] = float(weight @ cov @ weight) * size / (size - h)
        return found

    def about_pairs(self):
        """Raters as clusters, about each pair's own rate, put right for its m - 1 of m votes."""
        u = np.zeros(len(self.y))
        for pair in set(self.pair.tolist()):
            here = self.pair == pair
            m = here.sum()
            about = self.y[here].mean() if m > 1 else self.y.mean()
            u[here] = (self.y[here] - about) * (math.sqrt(m / (m - 1)) if m > 1 else 1)
        sums = [u[self.rater == r].sum() for r in set(self.rater.tolist())]
        g = len(sums)
        return float(sum(s * s for s in sums)) / len(u) ** 2 * g / (g - 1)

    @property
    def degrees_of_freedom(self):
        raters = len(set(self.rater.tolist())) - 1
        if self.estimand == "these pairs":
            return raters
        items, fixed = len(set(self.items.tolist())), len(set(self.fixed.tolist()))
        return min(raters, items - fixed)


def codes(votes, name):
    known = {value: i for i, value in enumerate(sorted({v[name] for v in votes}))}
    return np.array([known[v[name]] for v in votes], dtype=int)


def clustered(votes, level, estimand):
    """Two-way clustered rate: t interval and test on the log odds."""
    groups = Clusters(votes, estimand)
    n, lower = len(groups.y), int(groups.y.sum())
    rate = lower / n
    parts = groups.variances()
    one_way = list(parts.values())
    variance = (
        one_way[0] if len(one_way) == 1
        else max(one_way[0] + one_way[1] - one_way[2], min(one_way[:2]))
    )
    error, dof = math.sqrt(variance), groups.degrees_of_freedom
    t = math.log(rate / (1 - rate)) / (error / (rate * (1 - rate)))
    half = stats.t.ppf((1 + level) / 2, dof) * error / (rate * (1 - rate))
    odds = [math.log(rate / (1 - rate)) + sign * half for sign in (-1, 1)]
    sampled = {groups.item: len(set(groups.items.tolist()))} if estimand != "these pairs" else {}
    return {
        "lower": lower,
        "votes": n,
        "rate": rate,
        "clusters": sampled | {"rater": len(set(groups.rater.tolist()))},
        "problems": groups.problems,
        "variances": parts,
        "standard_error": error,
        "degrees_of_freedom": dof,
        "interval": interval([1 / (1 + math.exp(-x)) for x in odds], level),
        "p_value": stats.t.sf(t, dof),
        "p_two_sided": 2 * stats.t.sf(abs(t), dof),
        "design_effect": variance / (rate * (1 - rate) / n),
        "effective_votes": rate * (1 - rate) / variance,
    }


def drawn_again(votes, level, seed):
    """Items (and raters) drawn again within what is held fixed, 2,000 times; percentiles.

    The one-way draws number items by their counts, so that names do not matter; the two-way ones
    by their names, stratum by stratum.
    """
    groups = Clusters(votes, "pairs like these")
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
    balance = Counter()
    for vote in votes:
        balance[vote["pair"]] += {"lower": 1, "higher": -1, "tie": 0}[vote["choice"]]
    decided = {v["pair"] for v in votes if v["choice"] != "tie"}
    lower = sum(balance[pair] > 0 for pair in decided)
    higher = sum(balance[pair] < 0 for pair in decided)
    n = lower + higher
    return {
        "lower": lower, "higher": higher, "split": len(decided) - n, "pairs": n,
        "rate": lower / n, "p_value": stats.binom.sf(lower - 1, n, 0.5),
    }  # fmt: skip


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
        "value": (observed - expected) / (1 - expected), "observed": observed,
        "expected": expected, "subjects": len(used), "left_out": len(rows) - len(used),
        "votes": int(used.sum()),
    }  # fmt: skip


def agreement(votes, level, seed):
    """Raw agreement, Fleiss' kappa, Krippendorff's alpha, Gwet's AC1; bias-corrected bootstrap.

    The pairs are drawn in the ascending order of their counts.
    """
    rows = sorted(per_pair(votes).values())
    used = np.array([row for row in rows if sum(row) >= 2], dtype=float)
    m = len(used)
    weights = np.random.default_rng(seed).multinomial(m, np.full(m, 1 / m), size=DRAWS)
    found = {}
    for name, measure in (
        ("raw_agreement", raw), ("fleiss_kappa", kappa_of), ("krippendorff_alpha", alpha_of),
        ("gwet_ac1", ac1_of),
    ):  # fmt: skip
        value, observed, expected = (float(x[0]) for x in measure(used, np.ones((1, m))))
        found[name] = {
            "value": value, "observed": observed, "expected": expected, "pairs": m,
            "left_out": len(rows) - m, "votes": int(used.sum()),
            "interval": bias_corrected(value, measure(used, weights)[0], m, level),
        }  # fmt: skip
    checked = krippendorff.alpha(value_counts=used, level_of_measurement="nominal")
    assert math.isclose(checked, found["krippendorff_alpha"]["value"], rel_tol=1e-12)
    share = float((used[:, 0] / used.sum(axis=1)).mean())
    return found | {"lower_share": share, "seed": seed, "level": level}


def mean(values, weights):
    return weights @ values / weights.sum(axis=1).reshape(-1, *[1] * (values.ndim - 1))


def raw(rows, weights):
    n = rows.sum(axis=1)
    observed = mean((rows * (rows - 1)).sum(axis=1) / (n * (n - 1)), weights)
    return observed, observed, 0 * observed


def kappa_of(rows, weights):
    shares = mean(rows / rows.sum(axis=1, keepdims=True), weights)
    return beyond(raw(rows, weights)[0], (shares**2).sum(axis=1))


def ac1_of(rows, weights):
    shares = mean(rows / rows.sum(axis=1, keepdims=True), weights)
    return beyond(raw(rows, weights)[0], (shares * (1 - shares)).sum(axis=1))


def alpha_of(rows, weights):
    """From the coincidence matrix, as Krippendorff computes it."""
    n = rows.sum(axis=1)
    total, of_each = weights @ n, weights @ rows
    observed = weights @ ((rows * (rows - 1)).sum(axis=1) / (n - 1)) / total
    return beyond(observed, (of_each * (of_each - 1)).sum(axis=1) / (total * (total - 1)))


def beyond(observed, expected):
    return (observed - expected) / (1 - expected), observed, expected


def bias_corrected(value, drawn, m, level):
    """Efron's bias-corrected percentiles, moved outward for few pairs as Hesterberg does."""
    same = np.abs(drawn - value) < 1e-12
    below = ((drawn < value) & ~same).mean() + same.mean() / 2
    shift = 2 * stats.norm.ppf(below)
    reach = math.sqrt(m / (m - 1)) * stats.t.ppf((1 + level) / 2, m - 1)
    ends = stats.norm.cdf([shift - reach, shift + reach])
    return interval(np.quantile(drawn, ends), level)


# --- everything ---


def recompute(folder, level, seed, estimand):
    """All numbers of the report, in the shape of its JSON."""
    study, votes = read(folder)
    cast = [v for v in votes if not v["practice"] and not v["attention"]]
    valid, lost, session = valid_votes(votes, study["exclusion"])
    on_pair = Counter(v["pair"] for v in valid)
    numbers = [on_pair[p["pair"]] for p in study["pairs"]]
    checks = [v["attention_ok"] for v in votes if v["attention"] and not v["practice"]]
    raters = {v["rater"] for v in valid}
    gone = Counter(v["rater"] for v in cast if v["rater"] not in raters)
    left = Counter(v["left"] for v in valid if v["choice"] != "tie")
    preference, kappa = independent(valid, level), fleiss(valid)
    by_pair, both = drawn_again(valid, level, seed)
    return {
        "seed": seed,
        "level": level,
        "unblindings": [{"votes_then": look["votes_then"]} for look in study["unblindings"]],
        "rules": study["rules"],
        "exclusion": study["exclusion"],
        "raters": study["raters"] | {
            "with_votes": len({v["rater"] for v in cast}),
            "excluded": len(gone),
            "excluded_unfinished": sum(n < study["ballots_per_rater"] for n in gone.values()),
        },
        "votes": {
            "cast": len(cast),
            "excluded": lost,
            "valid": len(valid),
            "attention": {"answered": len(checks), "passed": checks.count("true")},
        },
        "pairs": {
            "total": len(numbers), "without_votes": numbers.count(0),
            "fewest_votes": min(numbers), "most_votes": max(numbers),
            "mean_votes": float(np.mean(numbers)),
        },
        "left_chosen": {"left": left[True], "right": left[False]},
        "seconds": {
            "median_vote": float(np.median([v["active"] for v in valid])),
            "median_session": float(np.median([session[rater] for rater in raters])),
        },
        "headline": clustered(valid, level, estimand) | {
            "bootstrap": by_pair, "two_way_bootstrap": both, "sign_test": signs(valid),
        },
        "paper_comparable": {"preference": preference, "fleiss_kappa": kappa},
        "preference": preference,
        "preference_before_exclusions": independent(cast, level),
        "by_problem": [
            {"pairs": sum(p["problem"] == name for p in study["pairs"])}
            | independent([v for v in valid if v["problem"] == name], level)
            for name in sorted({p["problem"] for p in study["pairs"]})
        ],
        "fleiss_kappa": kappa,
        "agreement": agreement(valid, level, seed),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description="numbers of a report, computed again")
    parser.add_argument("folder")
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--estimand", default="pairs like these")
    options = parser.parse_args()
    found = recompute(options.folder, options.level, options.seed, options.estimand)
    print(json.dumps(found, indent=1, allow_nan=False, default=float))


if __name__ == "__main__":
    main()
