"""The studies that are simulated: how large, how clustered, how uneven."""

from __future__ import annotations

from dataclasses import dataclass, replace

from study.statistics.clusters import ENOUGH_PROBLEMS
from study.statistics.simulation import StudyModel
from study.statistics.votes import Sampled

PREFERENCES = (0.5, 0.7, 0.85)
AGREEMENTS = (0.0, 0.2, 0.37, 0.6)


@dataclass(frozen=True)
class Scenario:
    """A model of a study, and what is expected of the methods on it."""

    group: str  # Heading in the table
    model: StudyModel
    # "problems" or "pairs": what the design declares as its sample; None: by its number of
    # problems
    sampled: Sampled | None = None
    whole: bool = False  # Whether everything that a report prints is looked at, not the rate alone

    @property
    def part(self) -> float:
        """Of the studies: a whole one takes a hundred times as long."""
        return 0.4 if self.whole else 1.0

    @property
    def conditional(self) -> bool:
        """Whether the truth is that of the very problems drawn: they are fixed, and they differ."""
        fixed = self.sampled == "pairs" or (
            self.sampled is None and self.model.problems < ENOUGH_PROBLEMS
        )
        return fixed and self.model.problem_share > 0

    @property
    def null(self) -> bool:
        """Whether "no preference" is true of what the methods estimate."""
        return self.model.preference == 0.5 and not self.conditional

    @property
    def describe(self) -> str:
        model = self.model
        extra = [
            f"problem share {model.problem_share:g}" * bool(model.problem_share),
            f"uneven {model.unequal:g}" * bool(model.unequal),
            f"drop-out {model.drop_out:g}" * bool(model.drop_out),
            f"{'+'.join(map(str, model.sizes))} pairs" * bool(model.sizes),
            f"{self.sampled} declared a sample" * bool(self.sampled),
        ]
        return (
            f"{model.pairs} pairs, {model.raters} raters, {model.problems} problems, rate "
            f"{model.preference:g}, kappa {model.kappa:g}, rater {model.rater_correlation:g}"
            + "".join(f", {text}" for text in extra if text)
        )


_EVEN = StudyModel(pairs=40, raters=20, problems=4, rater_correlation=0.05)
_PAPER = StudyModel(
    preference=0.698,
    kappa=0.37,
    pairs=172,
    raters=108,
    problems=19,
    problem_share=0.2,
    rater_correlation=0.05,
    excluded=24 / 108,
)


_UNEVEN = replace(_EVEN, kappa=0.37, drop_out=0.3, unequal=0.5)
_COUNTS = ((40, 20), (172, 84))
"""Of pairs and of raters."""


def _no_problem_effects() -> list[Scenario]:
    by_agreement = [
        Scenario(group, replace(model, pairs=pairs, raters=raters, preference=rate, kappa=kappa))
        for pairs, raters in _COUNTS
        for kappa in AGREEMENTS
        for rate in PREFERENCES
        for group, model in (
            ("pairs and raters, equal counts", _EVEN),
            ("pairs and raters, unequal counts and drop-outs", _UNEVEN),
        )
    ]
    return by_agreement + [
        Scenario(group, replace(model, preference=rate))
        for rate in PREFERENCES
        for group, model in (
            ("independent votes", replace(_EVEN, kappa=0.0, rater_correlation=0.0)),
            ("strong rater effects", replace(_UNEVEN, rater_correlation=0.15)),
            ("100 pairs and 50 raters", replace(_UNEVEN, pairs=100, raters=50)),
            ("more raters than pairs", replace(_UNEVEN, raters=80)),
        )
    ]


def _problem_effects() -> list[Scenario]:
    return [
        Scenario(
            group,
            replace(
                _UNEVEN,
                preference=rate,
                pairs=pairs,
                raters=raters,
                problems=problems,
                problem_share=share,
            ),
        )
        for group, numbers, shares in (
            ("ten or more problems: problem x rater", (10, 20), (0.2, 0.5)),
            ("fewer than ten problems: truth of these problems", (4, 8), (0.5,)),
        )
        for pairs, raters in _COUNTS
        for problems in numbers
        for share in shares
        for rate in PREFERENCES
    ]


DEMO_SIZES = (42, 22, 19, 16, 10, 9, 8, 6, 5, 4, 4, 4, 4, 3)
"""Pairs of the demo's problems."""


def zipf(problems: int, pairs: int, power: float) -> tuple[int, ...]:
    """Sizes in proportion to 1/rank^power, at least one; the largest makes up for rounding.

    >>> zipf(5, 30, 1.0)
    (13, 7, 4, 3, 3)
    """
    weights = [rank**-power for rank in range(1, problems + 1)]
    sizes = [max(1, round(pairs * weight / sum(weights))) for weight in weights]
    return (pairs - sum(sizes[1:]), *sizes[1:])


SIZES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("demo", DEMO_SIZES),
    ("Zipf", zipf(14, 156, 1.0)),
    ("Zipf", zipf(19, 172, 1.0)),
    ("Zipf", zipf(14, 156, 1.5)),
    ("two large", (50, 50, *[7] * 8)),
    ("two large", (70, 70, *[4] * 8)),
    ("even", (20,) * 8),
    ("even", (16,) * 10),
    ("even", (11,) * 14),
    ("even", (*[9] * 18, 10)),
    ("even, small", (5,) * 8),
    ("uneven, small", (10, 6, 5, 4, 4, 3, 3, 2, 2, 1)),
)


def _uneven_problems() -> list[Scenario]:
    """Problems declared a sample, of the sizes that real studies have."""
    return [
        Scenario(
            f"problems of uneven sizes: {name}",
            replace(
                _UNEVEN,
                preference=rate,
                problem_share=share,
                sizes=sizes,
                pairs=sum(sizes),
                problems=len(sizes),
                raters=84 if sum(sizes) > 60 else 20,
            ),
            "problems",
        )
        for name, sizes in SIZES
        for rate, share in ((0.5, 0.5), (0.7, 0.5), (0.7, 0.1))
    ]


def _too_small() -> list[Scenario]:
    small = replace(_EVEN, kappa=0.37, problems=1)
    models = [
        replace(small, preference=rate, pairs=pairs, raters=raters, ballots=min(pairs, 10))
        for pairs, raters in ((12, 12), (8, 20), (40, 6), (20, 8))
        for rate in PREFERENCES
    ]
    models += [replace(small, preference=rate, pairs=12, ballots=12) for rate in PREFERENCES]
    models += [
        replace(small, preference=rate, kappa=kappa, rater_correlation=0.0)
        for rate in (0.95, 0.98)
        for kappa in (0.2, 0.6)
    ]
    return [Scenario("small or nearly unanimous", model) for model in models]


def _paper() -> list[Scenario]:
    return [
        Scenario("the counts of Yu et al.: 84 of 108 raters kept", replace(_PAPER, preference=rate))
        for rate in (0.5, 0.698)
    ]


def _whole() -> list[Scenario]:
    """Designs in which a report is looked at as a whole, the last with problems held fixed."""
    demo = replace(
        _UNEVEN,
        raters=84,
        sizes=DEMO_SIZES,
        pairs=sum(DEMO_SIZES),
        problems=len(DEMO_SIZES),
        tie_share=0.03,
    )
    even = replace(demo, sizes=(), pairs=172, problems=19, raters=108, excluded=24 / 108)
    models: list[tuple[StudyModel, Sampled]] = [
        (replace(demo, preference=0.5, problem_share=0.5), "problems"),
        (replace(demo, preference=0.7, problem_share=0.5), "problems"),
        (replace(demo, preference=0.55, problem_share=0.2), "problems"),
        (replace(even, preference=0.7, problem_share=0.2), "problems"),
        (replace(even, preference=0.5, problems=6), "pairs"),
    ]
    return [Scenario("all that a report prints", *each, whole=True) for each in models]


def _grouped(scenarios: list[Scenario]) -> tuple[Scenario, ...]:
    order = list(dict.fromkeys(scenario.group for scenario in scenarios))
    return tuple(sorted(scenarios, key=lambda scenario: order.index(scenario.group)))


SCENARIOS = _grouped(
    [
        *_paper(),
        *_uneven_problems(),
        *_no_problem_effects(),
        *_problem_effects(),
        *_too_small(),
        *_whole(),
    ]
)
