"""Does the preference follow the gap in EIC, or what else differs between the two formulas?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.clusters import Clustering
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import Interval
from study.statistics.regression import INTERCEPT, LogisticFit, RegressionTerm, logistic
from study.statistics.threats.common import (
    FINE,
    LOOK,
    UNKNOWN,
    Judgement,
    side_of_half,
)
from study.statistics.votes import Floats, VoteArrays

EIC, R2, NODES, SIDE = "the gap in EIC", "the gap in R²", "the gap in complexity", "the side"
UNITS = {
    EIC: "each further digit by which the EICs differ",
    R2: "each 0.01 by which the formula of lower EIC has the higher R²",
    NODES: "each node that the formula of lower EIC has more",
    SIDE: "the formula of lower EIC on the left instead of the right",
}
KEYS = {EIC: "eic", R2: "r2", NODES: "complexity", SIDE: "side"}
R2_STEP = 0.01
NO_GAP = 1e-9


@dataclass(frozen=True)
class Gap:
    eic: float  # Digits, higher EIC less lower EIC: 0 or more
    # R² of the formula of lower EIC less that of higher EIC: positive speaks for the lower
    r2: float
    # Nodes of the formula of lower EIC less those of higher EIC: positive speaks against it
    complexity: float


@dataclass(frozen=True)
class Gaps(PlainAtLevel):
    """Clustered logistic regression of the votes on the gaps of their pairs and on the side."""

    # Its columns are per unit of `UNITS`. The gap in EIC is taken from its mean and the side is
    # ±1/2, so the intercept is the log odds between formulas of equal R² and complexity at the mean
    # gap in EIC, sides balanced.
    fit: LogisticFit
    mean_eic_gap: float | None  # Over the deciding votes that enter
    constant: tuple[str, ...]  # Columns that are the same for all votes, and so are not in the fit
    # Those of the gaps in R² and complexity among them that are not 0: the pairs are not equal
    # there, and the fit cannot say what they would give if they were
    shared: tuple[str, ...]
    left_out: int  # Deciding votes on pairs of which a gap is not a finite number
    unadjusted: ClusteredRate  # The rate of the votes that enter, without the fit
    level: float

    _JSON = (
        "fit",
        ("odds_ratios", lambda found: {KEYS[t.name]: _odds(t, found.level) for t in found.terms}),
        ("adjusted_rate", lambda found: (found.adjusted_rate or (None, None))[0]),
        ("adjusted_interval", lambda found: (found.adjusted_rate or (None, None))[1]),
        "mean_eic_gap",
        "constant",
        "shared",
        "left_out",
        "level",
        "judgement",
    )

    @property
    def terms(self) -> tuple[RegressionTerm, ...]:
        return tuple(term for term in self.fit.terms if term.name != INTERCEPT)

    def odds_ratio(self, name: str) -> tuple[float, Interval] | None:
        """For one unit of a column, with its interval; None if it is not in the fit."""
        term = self.fit.term(name)
        return term.ratio(1.0, self.level) if term else None

    @property
    def adjusted_rate(self) -> tuple[float, Interval] | None:
        """The rate between formulas of equal R² and complexity (but for `shared`), at the mean
        gap in EIC."""
        term = self.fit.term(INTERCEPT)
        return None if term is None else term.rate(self.level)

    @property
    def judgement(self) -> Judgement:
        if self.adjusted_rate is None or self.fit.too_small:
            return UNKNOWN
        plain = side_of_half(self.unadjusted.interval(self.level))
        return FINE if side_of_half(self.adjusted_rate[1]) == plain else LOOK


def _odds(term: RegressionTerm, level: float) -> dict[str, Any]:
    ratio, interval = term.ratio(1.0, level)
    return {
        "unit": UNITS[term.name],
        "odds_ratio": ratio,
        "interval": interval,
        "p_value": term.p_value,
    }


def gaps(table: VoteArrays, pair_gaps: Mapping[str, Gap], *, level: float = 0.95) -> Gaps:
    """Preference against |ΔEIC|, ΔR², ΔC and side; ties are left out. Raises `UserError` if a pair
    with votes has no gap.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p:02}", problem="q", position=1,
    ...               choice="higher" if (p * p + r) % 15 > p else "lower",
    ...               lower_side="left" if (p * r) % 3 else "right")
    ...          for p in range(12) for r in range(12)]
    >>> differing = {f"p{p:02}": Gap(2 + p / 4, 0.0, p % 3) for p in range(12)}
    >>> found = gaps(VoteArrays.of(votes), differing)
    >>> found.constant, found.odds_ratio(EIC)[0] > 1
    (('the gap in R²',), True)
    """
    decided = table.decided()
    missing = {decided.pairs[pair] for pair in set(decided.pair.tolist())} - pair_gaps.keys()
    if missing:
        raise UserError(f"the gaps of pair `{min(missing)}` are missing")
    by_pair = np.array(
        [_row(pair_gaps[name]) if name in pair_gaps else (np.nan,) * 3 for name in decided.pairs]
    ).reshape(-1, 3)
    finite = np.isfinite(by_pair[decided.pair]).all(axis=1)
    used = decided.select(finite)
    mean, columns = _columns(used, by_pair[used.pair])
    constant = tuple(name for name, column in columns.items() if len(column) and not np.ptp(column))
    kept = {name: column for name, column in columns.items() if name not in constant}
    fit = logistic(
        used.lower,
        np.stack(list(kept.values()), axis=1) if kept else np.zeros((len(used), 0)),
        list(kept),
        Clustering.of(used),
    )
    shared = tuple(
        name for name in (R2, NODES) if name in constant and abs(columns[name][0]) > NO_GAP
    )
    return Gaps(fit, mean, constant, shared, int((~finite).sum()), clustered_rate(used), level)


def _row(gap: Gap) -> tuple[float, float, float]:
    return gap.eic, gap.r2 / R2_STEP, gap.complexity


def _columns(used: VoteArrays, values: Floats) -> tuple[float | None, dict[str, Floats]]:
    mean = float(values[:, 0].mean()) if len(used) else None
    return mean, {
        EIC: values[:, 0] - (mean or 0.0),
        R2: values[:, 1],
        NODES: values[:, 2],
        SIDE: np.where(used.on_left, 0.5, -0.5),
    }
