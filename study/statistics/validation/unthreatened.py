"""Studies that nothing is wrong with: how many have a threat that asks for a closer look. Raters
prefer neither formula; votes go together by pair, problem and rater as in the scenarios; times,
attention checks, windows, gaps and looks are unrelated to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core import wording
from study.statistics.exclusions import ExclusionRule
from study.statistics.simulation import SimulatedStudy, StudyModel, simulate_many
from study.statistics.threats import Gap, Threats, threats_of
from study.statistics.threats.common import ALPHA, LOOK, TESTED
from study.statistics.visible import VISIBLE
from study.statistics.votes import Sampled

DESIGN = StudyModel(
    preference=0.5,
    kappa=0.37,
    pairs=160,
    raters=60,
    problems=16,
    rater_correlation=0.05,
    drop_out=0.2,
    unequal=0.5,
    tie_share=0.03,
)
STUDIES = 60
UNCORRECTED = 0.05
CHECKS = 2
"""Attention checks of each rater; one in twenty is failed."""


@dataclass(frozen=True)
class RehearsedVote:
    """A simulated vote with what a report knows of it, see `study.report.exported`."""

    rater: str
    pair: str
    problem: str
    choice: str
    lower_side: str
    position: int
    seconds: float
    session_seconds: float
    viewport: str
    idle_seconds: float = 0.0
    is_practice: bool = False
    is_attention: bool = False
    attention_ok: bool | None = None


@dataclass(frozen=True)
class NullThreats:
    # studies, looks, uncorrected: all; with at least one such threat; with a test below .05, as if
    # each were the only one
    studies: int
    looks: int
    uncorrected: int
    by_threat: Mapping[str, int]  # Studies by threat

    @property
    def sentence(self) -> str:
        """In a line.

        >>> print(NullThreats(60, 2, 17, {"ties": 2}).sentence)
        Of 60 studies that nothing is wrong with, 2 have a threat to look closer at (ties 2); a test
        below .05 for each threat, without the correction for their number (.05/9), has 17.
        """
        named = ", ".join(f"{name} {n}" for name, n in sorted(self.by_threat.items()) if n)
        return (
            f"Of {wording.count(self.studies, 'study', 'studies')} that nothing is wrong with, "
            f"{self.looks} have a threat to look closer at ({named or 'none'}); a test below .05 "
            f"for each threat, without the correction for their number (.05/{TESTED}), has "
            f"{self.uncorrected}."
        )


def null_threats(
    studies: int = STUDIES,
    *,
    seed: int = 1,
    model: StudyModel = DESIGN,
    spoil: Callable[[RehearsedVote], RehearsedVote] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NullThreats:
    """Simulate studies and count those with an alarming threat; `spoil` changes vote by vote."""
    rng = np.random.default_rng((seed, 83))
    looks: Counter[str] = Counter()
    found, below = 0, 0
    for done in range(1, studies + 1):
        threats = _threats(simulate_many(model, 1, rng).study(0), rng, spoil)
        named = [name for name, each in _judged(threats).items() if each.judgement == LOOK]
        looks.update(named)
        found += bool(named)
        tested = [getattr(each, "p_value", None) for each in _judged(threats).values()]
        below += any(p is not None and p < UNCORRECTED for p in tested) or any(
            name in named for name in ("sensitivity", "ties")
        )
        if progress:
            progress(done, studies)
    assert ALPHA * TESTED == UNCORRECTED
    return NullThreats(studies, found, below, looks)


def _judged(threats: Threats) -> dict[str, Any]:
    names = (
        "sensitivity",
        "attention",
        "sides",
        "ballots",
        "screens",
        "gaps",
        "structure",
        "problems",
        "ties",
    )
    return {name: getattr(threats, name) for name in names} | {"one-sided": threats.sides.one_sided}


def _threats(
    study: SimulatedStudy,
    rng: np.random.Generator,
    spoil: Callable[[RehearsedVote], RehearsedVote] | None,
) -> Threats:
    table = study.table
    sampled: Sampled = "problems" if study.model.problems >= 10 else "pairs"
    seconds = np.exp(rng.normal(3.0, 0.6, len(table)))
    whole = np.bincount(table.rater, seconds, minlength=len(table.raters))
    windows = rng.choice(("narrow", "medium", "wide"), len(table.raters), p=(0.25, 0.15, 0.6))
    choices = np.where(np.isnan(table.lower), "tie", np.where(table.lower == 1, "lower", "higher"))
    votes = [
        RehearsedVote(
            table.raters[rater],
            table.pairs[pair],
            table.problems[problem],
            str(choice),
            "left" if left else "right",
            int(position),
            float(took),
            float(whole[rater]),
            str(windows[rater]),
        )
        for rater, pair, problem, choice, left, position, took in zip(
            table.rater,
            table.pair,
            table.problem,
            choices,
            table.on_left,
            table.position,
            seconds,
            strict=True,
        )
    ]
    checks = [
        RehearsedVote(
            name,
            "",
            "",
            "lower" if passed else "higher",
            "left",
            0,
            20.0,
            float(whole[rater]),
            str(windows[rater]),
            is_attention=True,
            attention_ok=bool(passed),
        )
        for rater, name in enumerate(table.raters)
        if whole[rater]
        for passed in rng.random(CHECKS) > 0.05
    ]
    gaps = {
        name: Gap(2 + float(eic), float(r2), int(size))
        for name, eic, r2, size in zip(
            table.pairs,
            rng.exponential(1.0, len(table.pairs)),
            rng.uniform(-0.02, 0.02, len(table.pairs)),
            rng.integers(-2, 3, len(table.pairs)),
            strict=True,
        )
    }
    counts = rng.integers(-2, 3, (len(table.pairs), len(VISIBLE)))
    looks = {name: row.tolist() for name, row in zip(table.pairs, counts, strict=True)}
    cast = [*map(spoil, votes), *checks] if spoil else [*votes, *checks]
    return threats_of(cast, ExclusionRule(), gaps, looks, sampled=sampled)


__all__ = ["DESIGN", "NullThreats", "RehearsedVote", "null_threats"]
