"""How well the eye could tell the lower EIC over chosen pairs, and what further rules cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from study.matching.result import MatchedPair, MatchingResult
from study.matching.robustness import DRAWS
from study.statistics.visible import VisiblePredictor, best_visible
from study.structure import differences, structure_as_written


def visible_predictor(pairs: Sequence[MatchedPair]) -> VisiblePredictor:
    """The visible count that best tells the lower EIC, cross-validated over problems.

    >>> visible_predictor([]).auc is None
    True
    """
    gaps = [
        differences(*(structure_as_written(m.formula, m.syntax) for m in (p.lower, p.higher)))
        for p in pairs
    ]
    return best_visible(np.array(gaps, float).reshape(-1, 5), [p.problem for p in pairs])


def looks_sentence(pairs: Sequence[MatchedPair]) -> str:
    best = visible_predictor(pairs)
    if best.auc is None:
        return ""
    fewer = "less" if best.name in ("depth", "length") else "fewer"
    more = fewer if best.fewer else "more"
    return (
        f"best visible predictor of the lower EIC: {more} {best.name}; "
        f"AUC {best.auc:.2f} (share of pairs told right, each problem by what is best on the "
        "others)"
    )


def gaps_sentence(result: MatchingResult) -> str:
    """How many pairs' gaps hang on single rows; "" without data.

    >>> from study.matching.rules import MatchingRules
    >>> gaps_sentence(MatchingResult(MatchingRules(), "matching", None, "", (), ()))
    ''
    """
    shares = [p.gap_share for p in result.pairs if p.gap_share is not None]
    if not shares:
        return ""
    least = result.rules.min_eic_gap
    seldom = sum(share < 0.9 for share in shares)
    lost = sum(
        p.gap_without_worst_row is not None and p.gap_without_worst_row < least
        for p in result.pairs
    )
    return (
        f"Of {len(shares):,} pairs {seldom:,} keep ΔEIC ≥ {least:g} in less than 90 % of {DRAWS} "
        f"draws of the data’s rows; {lost:,} lose it with one row."
    )


def cost_sentence(result: MatchingResult, plain: MatchingResult) -> str:
    """What the further rules cost, against the `plain` matching of the same pool without them.

    >>> from study.matching.rules import MatchingRules
    >>> none = MatchingResult(MatchingRules(), "matching", None, "", (), ())
    >>> cost_sentence(none, none)
    'the further rules leave 0 of 0 pairs'
    """
    sentence = f"the further rules leave {len(result.pairs):,} of {len(plain.pairs):,} pairs"
    if not (result.pairs and plain.pairs):
        return sentence
    gaps = [
        float(np.median(each.values("higher", "eic") - each.values("lower", "eic")))
        for each in (result, plain)
    ]
    sentence += f", with a median ΔEIC of {gaps[0]:.2f} instead of {gaps[1]:.2f}"
    before = visible_predictor(plain.pairs).auc
    return sentence + ("" if before is None else f"; without them the AUC is {before:.2f}")
