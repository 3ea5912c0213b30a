"""What a mark asks of its formula: data and limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType

from eic_core.errors import DataError
from eic_core.formula.syntax import canonical_name
from eic_core.samples import DEFAULT_SAMPLES, Domain

DEFAULT_MAX = 3.0
"""Digits that a formula may lose at nine in ten rows, where nothing else is said."""

MAX_RANGES = 200
"""Most variables with a range that one mark may have, those of its defaults included."""

SETTING_NAMES = ("max", "worst", "eic", "data", "target", "samples", "seed")
"""Words of a mark that are no variables."""

_SEPARATOR = re.compile(r"[\s,;]+")


@dataclass(frozen=True)
class LossLimits:
    """Decimal digits that a formula may lose; None where it is not asked.

    Attributes
    ----------
    max
        Of the loss measured in double precision, at nine in ten rows.
    worst
        The same at the worst row.
    eic
        Of the EIC.
    """

    max: float | None = None
    worst: float | None = None
    eic: float | None = None

    @property
    def stated(self) -> dict[str, float]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def or_else(self, default: LossLimits) -> LossLimits:
        """These, or the default where none is stated."""
        return self if self.stated else default


@dataclass(frozen=True)
class MarkSettings:
    """What one mark says, or what the marks of a file leave unsaid."""

    ranges: Mapping[str, Domain] = field(default_factory=lambda: MappingProxyType({}))
    data: str = ""  # A table's path, beside the file
    target: str = ""  # A column of it that is no input
    samples: int = DEFAULT_SAMPLES
    seed: int = 0
    limits: LossLimits = LossLimits()
    own: tuple[str, ...] = ()  # Variables whose ranges the mark itself states

    def stating(self, names: Iterable[str]) -> MarkSettings:
        """The same, of a mark that says these names itself."""
        own = (canonical_name(name) for name in names if name not in SETTING_NAMES)
        return replace(self, own=tuple(sorted(own)))


def settings_of(text: str, default: MarkSettings | None = None) -> MarkSettings:
    """Read the words of a mark.

    Parameters
    ----------
    text
        ``NAME=VALUE`` or ``NAME=LOW:HIGH``, between commas or blanks.
    default
        What holds where the text says nothing.

    Returns
    -------
    MarkSettings
        Of the ranges, the text's and the default's.

    Raises
    ------
    DataError
        For a word that is no setting.

    Examples
    --------
    >>> settings = settings_of("x=0.1:10, y=normal:0:1, max=2.5")
    >>> sorted(settings.ranges), settings.limits.max
    (['x', 'y'], 2.5)
    """
    settings = default or MarkSettings()
    names: set[str] = set()
    for word in filter(None, _SEPARATOR.split(text.strip())):
        name, sign, value = word.partition("=")
        if not (name and sign and value):
            raise DataError(f"`{word}` is no setting", hint="write `x=0.1:10, max=3`")
        if name in names:
            raise DataError(f"there are two values for `{name}`")
        names.add(name)
        settings = with_setting(settings, name, value)
    return settings.stating(names)


def with_setting(settings: MarkSettings, name: str, value: str) -> MarkSettings:
    """The settings with one more; DataError if the value does not suit the name."""
    if name in ("max", "worst", "eic"):
        limit = _number(name, value)
        return replace(settings, limits=replace(settings.limits, **{name: limit}))
    if name in ("data", "target"):
        return replace(settings, **{name: value})  # type: ignore[arg-type]
    if name in ("samples", "seed"):
        number = _number(name, value)
        if number != int(number) or (name == "samples" and not number):
            raise DataError(f"`{name}={value}` is no whole number that can be drawn")
        return replace(settings, **{name: int(number)})  # type: ignore[arg-type]
    return with_range(settings, name, value)


def with_range(settings: MarkSettings, name: str, value: str) -> MarkSettings:
    variable, domain = Domain.parse(f"{name}={value}")
    ranges = {**settings.ranges, canonical_name(variable): domain}
    if len(ranges) > MAX_RANGES:
        raise DataError(f"there are more than {MAX_RANGES} ranges", hint="name a table: `data=…`")
    return replace(settings, ranges=MappingProxyType(ranges))


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise DataError(f"`{name}={value}` is no number of 0 or more")
    return number
