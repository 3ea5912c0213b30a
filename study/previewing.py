"""A pair for the organiser, beside the ballot that raters get."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from study.ballot_content import BallotContent
from study.ballot_types import Ballot
from study.ballots import make_content
from study.design import AttentionKind, StudyDesign
from study.material import NewPair, PairKind, Problem, Study, StudyPair
from study.specials import INSTRUCTION


@dataclass(frozen=True)
class Preview:
    """A pair for the organiser, and the ballot exactly as raters would see it.

    Attributes
    ----------
    pair : StudyPair
        With EIC, method and all: for the organiser's eyes.
    ballot : Ballot
    digits : int
        Significant digits shown.
    r2_change : float
        The larger change of the two R² through rounding.
    lower_left : bool
        Which way round this preview is.
    """

    pair: StudyPair
    ballot: Ballot
    digits: int
    r2_change: float
    lower_left: bool


def special_content(design: StudyDesign, problem: Problem, pair: NewPair) -> BallotContent:
    """The content of a practice ballot or an attention check."""
    content = make_content(problem, pair)
    asks = (
        pair.kind == PairKind.ATTENTION and design.attention_kind == AttentionKind.INSTRUCTED
    )
    return dataclasses.replace(content, instruction=INSTRUCTION) if asks else content


def preview_of(study: Study, pair: StudyPair, content: BallotContent, lower_left: bool) -> Preview:
    """Show a pair's content as a rater's page would."""
    kind = pair.pair.kind
    ballot = content.ballot(
        study.design,
        lower_left=lower_left,
        token="preview",
        number=0 if kind == PairKind.PRACTICE else 1,
        of=study.design.ballots_per_rater + study.design.attention_checks,
        practice=kind == PairKind.PRACTICE,
    )
    return Preview(pair, ballot, content.digits, content.r2_change, lower_left)
