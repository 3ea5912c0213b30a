"""What stands between a draft and freezing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from study.assignment import PairLoad, most_without_sharing
from study.design import StudyStatus
from study.material import PairKind, Study, unfinished_sentence
from study.store import Tx


@dataclass(frozen=True)
class Readiness:
    """What stands between a draft and freezing.

    Attributes
    ----------
    missing : tuple of str
        What must be mended first; freezing is refused unless this is empty.
    warnings : tuple of str
        What the organiser should know and may ignore.
    pairs : int
        Pairs that raters would get.
    votes : int
        Votes wanted in all.
    raters : int
        Raters needed for them.
    """

    missing: tuple[str, ...]
    warnings: tuple[str, ...]
    pairs: int
    votes: int
    raters: int

    @property
    def ready(self) -> bool:
        """Whether `freeze` would go through."""
        return not self.missing


def readiness_of(tx: Tx, study: Study, now: datetime) -> Readiness:
    """Look a study over before it is frozen."""
    design = study.design
    chosen = [p for p in tx.materials.pairs(study.id, PairKind.MAIN) if p.in_study]
    missing, warnings = [], []
    if study.status != StudyStatus.DRAFT:
        missing.append("the study is frozen already")
    if not chosen:
        missing.append("there are no pairs: choose problems and a pool, and match")
    if not design.contact.strip():
        missing.append("raters need a contact: fill it in")
    if design.deadline is not None and design.deadline <= now:
        missing.append("the deadline has passed")
    most = most_without_sharing(
        [
            PairLoad(p.id, p.pair.problem, frozenset((p.pair.lower.key, p.pair.higher.key)))
            for p in chosen
        ]
    )
    if chosen and most < design.ballots_per_rater:
        missing.append(
            f"one rater can get {most} of these pairs (none twice, none that share a formula), "
            f"not {design.ballots_per_rater}: ask for fewer ballots, or add pairs"
        )
    if design.is_local:
        warnings.append(
            f"links will start with {design.public_base_url}, "
            "which opens on this computer only"
        )
    if cut := unfinished_sentence(study.rules.get("unfinished", ())):
        warnings.append(f"{cut[:1].lower()}{cut[1:].rstrip('.')}; finish it in step 3")
    used = {p.pair.problem for p in chosen}
    bare = [
        f"`{problem.name}`"
        for problem in tx.materials.problems(study.id)
        if problem.name in used and not problem.description.strip()
    ]
    if bare:
        warnings.append(f"raters get no description of {', '.join(bare)}")
    votes = len(chosen) * design.votes_per_pair
    raters = -(-votes // design.ballots_per_rater)
    return Readiness(tuple(missing), tuple(warnings), len(chosen), votes, raters)
