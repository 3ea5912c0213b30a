"""What a user of the study side can do wrong."""

from __future__ import annotations

from eic_core.errors import UserError


class StudyError(UserError):
    """A study cannot do what was asked of it."""


class DesignError(StudyError):
    """A setting is out of range; `field` is the attribute of `StudyDesign` (or of the form)."""

    def __init__(self, message: str, *, field: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


class FrozenStudyError(StudyError):
    """The study is frozen: nothing that affects inference changes any more."""


class StaleEditError(StudyError):
    """Somebody else changed the same thing meanwhile; `fields`: settings that both have changed."""

    def __init__(self, message: str, *, hint: str = "", fields: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.fields = fields


class NotFoundError(StudyError):
    """There is no such study, pair or invitation."""


class AccessError(StudyError):
    """A passphrase, set-up link or login was refused; `retry_after`: seconds to wait, or 0."""

    def __init__(self, message: str, *, hint: str = "", retry_after: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class PassphraseLengthError(AccessError):
    """The passphrase that somebody chooses is too short or too long."""


class StorageError(StudyError):
    """A fault of the machine under the database; nothing was done."""


class BusyError(StorageError):
    def __init__(self) -> None:
        super().__init__("the database is busy", hint="try again in a moment")
