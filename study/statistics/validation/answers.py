"""How often each answer to "is it EIC, or what the eye sees?" is given in studies of known truth:
156 pairs of 14 problems in the demo's sizes, 84 raters of ten ballots, a kappa of .37.

    python -m study.statistics.validation.answers
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, ndtri

from study.statistics.simulation import StudyModel, simulate_many
from study.statistics.threats.gaps import IMPRECISE, REMAINS, VANISHES, Gap
from study.statistics.threats.structure import confounding
from study.statistics.validation.scenarios import DEMO_SIZES
from study.statistics.votes import Floats, VoteArrays

UNCLEAR = "no clear preference"
MODEL = StudyModel(
    preference=0.5,
    kappa=0.37,
    pairs=sum(DEMO_SIZES),
    problems=len(DEMO_SIZES),
    sizes=DEMO_SIZES,
    raters=84,
)


@dataclass(frozen=True)
class LookScenario:
    name: str
    # Calls of functions that the formula of lower EIC has less than the other, on average; other
    # counts go with them. 0: pairs matched on looks, within one function and three digits.
    fewer: float
    log_odds: Callable[[Floats, Floats], Floats]  # Of the looks (pairs, 5) and the gaps in EIC


def _of_all_kinds(looks: Floats, gaps: Floats) -> Floats:
    return -0.3 * looks[:, 0] - 0.25 * looks[:, 2] - 0.08 * looks[:, 3]


SCENARIOS: Mapping[str, LookScenario] = {
    each.name: each
    for each in (
        LookScenario("none", 0, lambda looks, gaps: 0 * gaps),
        LookScenario("constant, matched on looks", 0, lambda looks, gaps: np.log(2.5) + 0 * gaps),
        LookScenario("growing, matched on looks", 0, lambda looks, gaps: 0.4 * gaps - 0.2),
        LookScenario("constant, fewer functions", 1.7, lambda looks, gaps: np.log(2.5) + 0 * gaps),
        LookScenario("counts functions", 1.7, lambda looks, gaps: -0.5 * looks[:, 0]),
        LookScenario("fewer functions", 1.7, lambda looks, gaps: -1.1 * np.sign(looks[:, 0])),
        LookScenario("looks of all kinds", 1.7, _of_all_kinds),
    )
}


@dataclass(frozen=True)
class AnswerRates:
    studies: int
    counts: Mapping[str, int]  # By answer, and those with `UNCLEAR`
    grows: int  # Studies in which the preference is shown to grow with the gap

    @property
    def clear(self) -> int:
        return self.studies - self.counts[UNCLEAR]


def answers(
    scenario: LookScenario, studies: int, *, problem_share: float = 0.0, seed: int = 1
) -> AnswerRates:
    """Simulate studies and count what is answered. Votes go together by problem, pair and rater;
    the odds of a scenario are those of a pair over all of these.
    """
    model = replace(MODEL, problem_share=problem_share)
    rng = np.random.default_rng((seed, 41))
    counts: Counter[str] = Counter()
    grows = 0
    for _ in range(studies):
        looks, gaps = _looks(scenario.fewer, rng), 2 + rng.gamma(1.0, 0.8, MODEL.pairs)
        table = _votes(model, scenario.log_odds(looks, gaps), rng)
        found = confounding(
            table,
            {
                name: Gap(gap, r2, nodes)
                for name, gap, r2, nodes in zip(
                    table.pairs,
                    gaps.tolist(),
                    rng.uniform(-0.02, 0.02, MODEL.pairs).tolist(),
                    rng.integers(-2, 3, MODEL.pairs).tolist(),
                    strict=True,
                )
            },
            dict(zip(table.pairs, looks.tolist(), strict=True)),
        )
        counts[found.answer if found.preferred else UNCLEAR] += 1
        grows += found.preferred is not None and found.grows
    return AnswerRates(studies, counts, grows)


def _looks(fewer: float, rng: np.random.Generator) -> Floats:
    """Whole differences in the order of `VISIBLE`."""
    pairs = MODEL.pairs
    if not fewer:
        near = rng.integers(-1, 2, (pairs, 3)), rng.integers(-3, 4, (pairs, 2))
        return np.concatenate(near, axis=1).astype(np.float64)
    calls = np.rint(rng.normal(-fewer, 1.4, pairs))
    length = rng.normal(-0.5 * calls, 3.0)
    return np.rint(
        np.stack(
            (
                calls,
                rng.normal(0.6 * calls, 0.7),
                rng.normal(0.4 * calls, 0.9),
                length,
                rng.normal(0.8 * length, 1.5),
            ),
            axis=1,
        )
    )


def _votes(model: StudyModel, log_odds: Floats, rng: np.random.Generator) -> VoteArrays:
    """Who sees which pair as in any simulated study; choices by the odds of each pair."""
    table, shares = simulate_many(model, 1, rng).study(0).table, model.variances
    problems = math.sqrt(shares.problem) * rng.standard_normal(model.problems)
    pairs = math.sqrt(shares.pair) * rng.standard_normal(model.pairs)
    raters = math.sqrt(shares.rater) * rng.standard_normal(model.raters)
    latent = (ndtri(expit(log_odds)) + problems[model.problem_of_pair] + pairs)[table.pair]
    latent += raters[table.rater] + math.sqrt(shares.noise) * rng.standard_normal(len(table))
    return replace(table, lower=(latent > 0).astype(np.float64), sampled="problems")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m study.statistics.validation.answers")
    parser.add_argument("--studies", type=int, default=400, help="of each row")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    heads = ("preference", "share of problems", REMAINS, VANISHES, IMPRECISE, UNCLEAR, "grows")
    sys.stdout.write(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n")
    for name, scenario in SCENARIOS.items():
        for share in (0.0, 0.5):
            row = answers(scenario, options.studies, problem_share=share, seed=options.seed)
            cells = [row.counts[each] for each in (REMAINS, VANISHES, IMPRECISE, UNCLEAR)]
            shares = [f"{100 * cell / row.studies:.1f} %" for cell in (*cells, row.grows)]
            sys.stdout.write(f"| {name} | {share} | {' | '.join(shares)} |\n")


if __name__ == "__main__":
    main()
