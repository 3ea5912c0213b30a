"""Two organisers at once: what one of them looked at must still be so when it is changed."""

from __future__ import annotations

from collections.abc import Sequence

from study.design import StudyDesign
from study.errors import StaleEditError
from study.store import AuditLine, Tx

RATER = "rater"
_SAID = 3


def version_of(lines: Sequence[AuditLine]) -> int:
    """The version of a study: the number of the newest line that no rater caused."""
    return max((line.id for line in lines if line.actor != RATER), default=0)


def refuse_if_changed(tx: Tx, study_id: int, seen: int | None) -> None:
    """Raise `StaleEditError` if the study has changed since version `seen`; None: never."""
    if seen is None:
        return
    since = [line for line in tx.audit.every(study_id) if line.actor != RATER and line.id > seen]
    if since:
        since.sort(key=lambda line: line.id)
        said = "; ".join(
            f"{line.action} {f'({line.detail}) ' if line.detail else ''}at {line.at:%H:%M:%S} UTC"
            for line in since[-_SAID:]
        )
        raise StaleEditError(
            f"another organiser has changed this study meanwhile: {said}",
            hint="look at it as it is now, and do it again if it still fits",
        )


def merged_design(
    stored: StudyDesign, based_on: StudyDesign, wanted: StudyDesign
) -> StudyDesign:
    """What `wanted` changes of `based_on`, applied to what is stored by now.

    Raises
    ------
    StaleEditError
        If a setting that `wanted` changes has been changed to something else meanwhile.
    DesignError
        If the two changes do not go together.

    Examples
    --------
    >>> first = StudyDesign()
    >>> mine = StudyDesign(contact="a@example.org")
    >>> theirs = StudyDesign(votes_per_pair=7)
    >>> both = merged_design(theirs, first, mine)
    >>> both.contact, both.votes_per_pair
    ('a@example.org', 7)
    """
    now, before, then = stored.to_json(), based_on.to_json(), wanted.to_json()
    mine = {key: value for key, value in then.items() if value != before[key]}
    clash = tuple(key for key in mine if now[key] not in (before[key], mine[key]))
    if clash:
        words = ", ".join(key.replace("_", " ") for key in clash)
        raise StaleEditError(
            f"another organiser has changed the {words} meanwhile",
            hint="look at both, and choose",
            fields=clash,
        )
    return StudyDesign.from_json({**now, **mine})
