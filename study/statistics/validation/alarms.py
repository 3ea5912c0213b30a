"""Studies with a planted defect and studies that nothing is wrong with: which threats ask for a
closer look, whether it is EIC that raters are said to follow, and whether a verdict is said to
stand whatever votes were lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from eic_core.exports import Plain
from study.statistics.simulation import StudyModel
from study.statistics.threats import Threats
from study.statistics.threats.common import LOOK
from study.statistics.threats.gaps import IMPRECISE, REMAINS, VANISHES
from study.statistics.validation.rehearsal import Habits, Rehearsal
from study.statistics.validation.running import in_parallel
from study.statistics.validation.scenarios import DEMO_SIZES

STUDIES = 100
CHUNK = 10
UNCLEAR = "no clear preference"
DOUBTED = "EIC doubted"
GROWS = "grows with the gap"
STANDS = "verdict stands whatever was lost"
UNDONE = "lost votes could undo the verdict"
ANSWERS = (REMAINS, VANISHES, IMPRECISE, UNCLEAR)

ODDS = 2.5
"""Of a preference for the lower EIC, where there is one: 71 % of votes."""
PLAIN = StudyModel(
    preference=0.5,
    kappa=0.37,
    pairs=160,
    raters=84,
    problems=16,
    rater_correlation=0.05,
    drop_out=0.2,
    unequal=0.5,
    tie_share=0.03,
)
PREFERRED = replace(PLAIN, preference=ODDS / (1 + ODDS))
CLOSE = replace(PREFERRED, pairs=60, problems=12, raters=30, ballots=30)
"""Raters who have some fifteen pairs in common with each other one."""
MANY_SHARED = replace(CLOSE, preference=0.55, kappa=0.2, ballots=50, drop_out=0.0)
"""Some forty pairs in common: with fewer, one person cannot be told from two of one mind."""
DEMO = replace(PLAIN, pairs=sum(DEMO_SIZES), problems=len(DEMO_SIZES), sizes=DEMO_SIZES)

FEWER = 1.7
COUNTS = Habits(looks=(-0.5,), fewer=FEWER)


@dataclass(frozen=True)
class Situation:
    """Studies of one kind, and what should be said of them; nothing is wrong with those of which
    nothing is expected and all may be said.
    """

    name: str
    model: StudyModel
    habits: Habits = Habits()
    # expected, barred: threats that ask for a closer look, and what else a study may be told, of
    # which one should be said, and none
    expected: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    screened: bool = True  # False: asked for the answer to "EIC, or what the eye sees?" alone

    @property
    def times(self) -> int:
        """How often it is simulated; all threats take five times as long as one answer."""
        return 1 if self.screened else 2

    @property
    def faultless(self) -> bool:
        return not self.expected and not self.barred


def _answers() -> list[Situation]:
    """Preferences for EIC and for looks alone, with none and half of what pairs share being their
    problem's."""
    preferred = replace(DEMO, preference=PREFERRED.preference)
    none, looks = (), (REMAINS,)
    kinds = (
        ("none", DEMO, Habits(), none, looks),
        ("constant, matched on looks", preferred, Habits(), (REMAINS,), (VANISHES,)),
        ("growing, matched on looks", preferred, Habits(growth=0.4), (REMAINS,), (VANISHES,)),
        ("constant, fewer functions", preferred, Habits(fewer=FEWER), none, (VANISHES,)),
        ("counts functions", DEMO, COUNTS, none, looks),
        (
            "counts functions and nestings",
            DEMO,
            Habits(looks=(-0.45, -0.45), fewer=FEWER),
            none,
            looks,
        ),
        ("fewer functions", DEMO, Habits(simpler=1.1, fewer=FEWER), none, looks),
        (
            "looks of all kinds",
            DEMO,
            Habits(looks=(-0.3, 0.0, -0.25, -0.08), fewer=FEWER),
            none,
            looks,
        ),
    )
    return [
        Situation(
            f"{name}; share {share:g}",
            replace(model, problem_share=share),
            habits,
            () if share else expected,  # where problems differ, few preferences are clear
            barred,
            screened=False,
        )
        for name, model, habits, expected, barred in kinds
        for share in (0.0, 0.5)
    ]


SITUATIONS = (
    Situation("no preference", PLAIN),
    Situation("problems differ, no preference", replace(PLAIN, problem_share=0.5)),
    Situation("constant preference", PREFERRED),
    Situation("constant, lower EIC mostly simpler", PREFERRED, Habits(fewer=FEWER)),
    Situation("growing preference", PREFERRED, Habits(growth=0.5)),
    Situation(
        "growing, problems differ", replace(PREFERRED, problem_share=0.5), Habits(growth=0.5)
    ),
    Situation("what the eye sees alone", PLAIN, COUNTS, (DOUBTED,), (REMAINS,)),
    Situation(
        "15 % of the votes for one side never cast", PLAIN, Habits(lost=0.15), barred=(STANDS,)
    ),
    Situation(
        "40 % of the votes for one side never cast", PLAIN, Habits(lost=0.4), (UNDONE,), (STANDS,)
    ),
    Situation("everybody likes the left", PREFERRED, Habits(left=0.7), ("sides", "raters")),
    Situation("15 % press one place", PREFERRED, Habits(pressers=13), ("sides", "raters")),
    Situation("a tenth press fast, at random", PREFERRED, Habits(random=8), ("raters",)),
    Situation("one account presses at random", CLOSE, Habits(random=1), ("raters",)),
    Situation("two accounts of one person", MANY_SHARED, Habits(twins=1), ("raters",)),
    Situation("raters tire", PREFERRED, Habits(tiring=-0.25), ("ballots",)),
    Situation("narrow windows turn it round", PREFERRED, Habits(narrow=-1.5), ("screens",)),
    Situation(
        "careless raters turn it round",
        PREFERRED,
        Habits(careless=-3.0, failing=0.15),
        ("attention",),
    ),
    Situation(
        "hasty raters turn it round",
        PREFERRED,
        Habits(hasty=-4.0, hasty_share=0.45),
        ("sensitivity",),
    ),
    Situation("ties instead of the higher EIC", PLAIN, Habits(tied=0.5), ("ties",)),
    *_answers(),
)


@dataclass(frozen=True)
class Alarms(Plain):
    """What studies of one situation were told."""

    situation: Situation
    # studies, looks, hits, breaches: all; with a threat to look closer at; that were told something
    # expected; something barred
    studies: int
    looks: int
    hits: int
    breaches: int
    by_threat: dict[str, int]  # Studies in which a threat asks for a closer look
    answers: dict[str, int]  # Studies by the answer to "EIC, or what the eye sees?"
    others: dict[str, int]  # Studies by what else they were told

    _JSON = (
        "situation=situation.name",
        "expected=situation.expected",
        "barred=situation.barred",
        "studies",
        "looks",
        "hits",
        "breaches",
        "by_threat",
        "answers",
        "others",
    )

    @classmethod
    def of(cls, situation: Situation, studies: Sequence[frozenset[str]]) -> Alarms:
        """From the `marks` of each study."""
        counts = Counter(name for names in studies for name in sorted(names))
        by_threat = {name: count for name, count in counts.most_common() if name in _THREATS}
        answers = {name: counts[name] for name in ANSWERS if counts[name]}

        def studies_with(some: Collection[str]) -> int:
            return sum(not names.isdisjoint(some) for names in studies)

        return cls(
            situation,
            len(studies),
            studies_with(_THREATS),
            studies_with(situation.expected),
            studies_with(situation.barred),
            by_threat,
            answers,
            {name: count for name, count in counts.items() if name not in by_threat | answers},
        )


_THREATS = frozenset(field.name for field in fields(Threats))


def alarms(
    studies: int = STUDIES,
    *,
    seed: int = 1,
    processes: int = 1,
    situations: Sequence[Situation] = SITUATIONS,
    progress: Callable[[int, int], None] | None = None,
) -> list[Alarms]:
    """Simulate each situation `times` so many studies; equal seeds give equal counts, whatever the
    number of processes."""
    jobs = [
        (situation, min(CHUNK, situation.times * studies - start), (seed, 83, number, start))
        for number, situation in enumerate(situations)
        for start in range(0, situation.times * studies, CHUNK)
    ]
    by_name: dict[str, list[frozenset[str]]] = {each.name: [] for each in situations}
    for job, some in zip(jobs, in_parallel(_simulate, jobs, processes, progress), strict=True):
        by_name[job[0].name] += some
    return [Alarms.of(each, by_name[each.name]) for each in situations]


def _simulate(job: tuple[Situation, int, tuple[int, ...]]) -> list[frozenset[str]]:
    situation, count, seed = job
    rng = np.random.default_rng(seed)
    return [
        marks(Rehearsal.of(situation.model, rng, situation.habits), screened=situation.screened)
        for _ in range(count)
    ]


def marks(study: Rehearsal, *, screened: bool = True) -> frozenset[str]:
    """The threats that ask for a closer look, the answer to "EIC, or what the eye sees?", and what
    else a report of the study says.
    """
    structure, stands = study.structure, study.lost_votes.stands
    so = {
        structure.answer if structure.preferred else UNCLEAR: True,
        DOUBTED: structure.doubtful,
        GROWS: structure.preferred is not None and structure.grows,
        STANDS: stands is True and study.lost > 0,
        UNDONE: stands is False,
    }
    if screened:
        so |= {name: each.judgement == LOOK for name, each in study.threats.each().items()}
    return frozenset(name for name, holds in so.items() if holds)
