"""When a clustered interval is not to be relied on, or cannot be had: in words."""

from __future__ import annotations

from study.statistics.clusters import Clustering

FEW_CLUSTERS = 10
FEW_DISSENTING = 5


def reason_of(grouped: Clustering, cast: int) -> str:
    """Why there is neither interval nor test; "" if there are."""
    if not len(grouped.table):
        return "Nobody decided for either formula." if cast else "There are no valid votes."
    counts = dict(grouped.sampled)
    if counts["rater"] == 1:
        return (
            "All votes are of one rater, so nothing can be said about other raters: "
            "there is no interval and no test."
        )
    if counts.get("pair") == 1:
        return (
            "All votes are on one pair, so nothing can be said about other pairs: "
            "there is no interval and no test."
        )
    if grouped.degrees_of_freedom < 1:
        return (
            f"Each of the {grouped.problems} problems has a single pair, so pairs of one problem "
            "cannot be compared: there is no interval and no test."
        )
    return ""


def too_small_of(grouped: Clustering, variance: float) -> str:
    """Why the interval is not to be relied on; "" if it is."""
    for kind, number in grouped.sampled:
        if number < FEW_CLUSTERS:
            return (
                f"Only {number} {kind}s: with fewer than {FEW_CLUSTERS} the spread between them "
                "cannot be measured well, so do not rely on the interval or the test."
            )
    if grouped.degrees_of_freedom < FEW_CLUSTERS - 1:
        return (
            f"Only {dict(grouped.sampled)['pair']} pairs on {grouped.problems} problems: too few "
            "pairs share a problem to measure how they differ, so do not rely on the interval or "
            "the test."
        )
    fewest = grouped.fewest_dissenting()
    if fewest == 0:
        return (
            "All deciding votes agree, so the spread between raters and pairs cannot be measured: "
            "the interval takes all votes of one rater, or on one pair, as a single vote."
        )
    if fewest < FEW_DISSENTING:
        clusters = "one rater or pair" if fewest == 1 else f"{fewest} raters or pairs"
        return (
            f"The rarer choice comes from {clusters} only: with fewer than {FEW_DISSENTING} the "
            "spread cannot be measured well, so do not rely on the interval or the test."
        )
    if not variance:
        return (
            "The votes balance so evenly that no spread shows between raters or pairs: "
            "the interval takes all votes of one rater, or on one pair, as a single vote."
        )
    return ""
