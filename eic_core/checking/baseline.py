"""What was accepted before: a gate that is new to a repository fails on what is new alone."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import numpy as np

from eic_core.checking.checks import CheckedFormula, CheckStatus
from eic_core.errors import DataError
from eic_core.exports import json_text
from eic_core.printable import printable

FORMAT = 1

_TOO_MUCH = (RecursionError, OverflowError)
"""Brackets in brackets, a number beyond doubles."""

SLACK = 0.1
"""Digits by which a loss may exceed the one that was accepted: libraries round differently."""


@dataclass(frozen=True)
class AcceptedFormula:
    """A formula that may exceed its limits, or cannot be checked.

    Attributes
    ----------
    path
        Of its file, with slashes.
    formula
        As it was read; of one that was not read, a digest of its text.
    losses
        By the names of the limits that it exceeds: digits that it may lose, None for all; none
        where it was not checked.
    """

    path: str
    formula: str
    losses: dict[str, float | None]

    @property
    def key(self) -> tuple[str, str, bool]:
        return self.path, self.formula, bool(self.losses)

    def __or__(self, other: AcceptedFormula) -> AcceptedFormula:
        """Of two marks of the same formula in a file: the larger loss of each limit."""
        losses = dict(self.losses)
        for name, digits in other.losses.items():
            mine = losses.get(name, 0.0)
            losses[name] = None if mine is None or digits is None else max(mine, digits)
        return replace(self, losses=losses)

    def accepts(self, checked: CheckedFormula) -> bool:
        if checked.status is CheckStatus.NOT_CHECKED:
            return not self.losses
        return all(self._may_lose(name) >= checked.losses[name] for name in checked.exceeded)

    def _may_lose(self, name: str) -> float:
        digits = self.losses.get(name, 0.0)
        return math.inf if digits is None else digits + SLACK


class Baseline:
    """The accepted formulas of a file, by where they stand.

    Parameters
    ----------
    accepted
        In any order.
    """

    def __init__(self, accepted: Iterable[AcceptedFormula] = ()) -> None:
        self._accepted: dict[tuple[str, str, bool], AcceptedFormula] = {}
        for each in accepted:
            same = self._accepted.get(each.key)
            self._accepted[each.key] = each if same is None else same | each

    @classmethod
    def of(cls, checked: Sequence[CheckedFormula]) -> Baseline:
        return cls(_accepted(each) for each in checked if each.status is not CheckStatus.WITHIN)

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """The baseline that a file holds.

        Parameters
        ----------
        path
            As `write` left it.

        Returns
        -------
        Baseline
            With every formula of the file.

        Raises
        ------
        DataError
            If there is no such file, or it holds something else.
        """
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["FORMAT"] != FORMAT:
                raise DataError(f"{path} has FORMAT {int(document['FORMAT'])}, not {FORMAT}")
            return cls(
                AcceptedFormula(
                    str(each["path"]),
                    str(each["formula"]),
                    {
                        str(name): None if loss is None else float(loss)
                        for name, loss in each["losses"].items()
                    },
                )
                for each in document["accepted"]
            )
        except OSError as error:
            raise DataError(
                f"cannot read {path}: {error.strerror}", hint="make it with --write-baseline"
            ) from error
        except (ValueError, LookupError, TypeError, AttributeError, *_TOO_MUCH) as error:
            raise DataError(
                f"{path} is no baseline", hint="make it anew with --write-baseline"
            ) from error

    def write(self, path: Path) -> None:
        """Put the accepted formulas into a file, sorted; DataError if it cannot be written."""
        accepted = [
            {"path": each.path, "formula": each.formula, "losses": each.losses}
            for _, each in sorted(self._accepted.items())
        ]
        document = {"FORMAT": FORMAT, "accepted": accepted}
        try:
            path.write_text(json_text(document, indent=1), "utf-8")
        except OSError as error:
            raise DataError(f"cannot write {path}: {error.strerror}") from error

    def accepts(self, checked: CheckedFormula) -> bool:
        if checked.status is CheckStatus.WITHIN:
            return False
        accepted = self._accepted.get(_accepted(checked).key)
        return accepted is not None and accepted.accepts(checked)

    def __len__(self) -> int:
        return len(self._accepted)

    def without_use(self, checked: Sequence[CheckedFormula]) -> int:
        """How many accepted formulas of the checked files are there no more, or keep limits now."""
        files = {_named(each.marked.path) for each in checked}
        used = {_accepted(each).key for each in checked if each.status is not CheckStatus.WITHIN}
        return sum(key[0] in files and key not in used for key in self._accepted)


def _accepted(checked: CheckedFormula) -> AcceptedFormula:
    text = " ".join(checked.marked.text.split()) or checked.fault
    digest = "sha256:" + hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]
    losses = {
        # rounded up, so that what is written accepts what was measured
        name: None if np.isinf(checked.losses[name]) else np.ceil(checked.losses[name] * 100) / 100
        for name in checked.exceeded
    }
    return AcceptedFormula(_named(checked.marked.path), checked.formula or digest, losses)


def _named(path: str) -> str:
    """A file's path with slashes, from the folder of this run where it is inside."""
    here = Path.cwd()
    plain = PurePath(path)
    named = (plain.relative_to(here) if plain.is_relative_to(here) else plain).as_posix()
    return printable(named)  # as JSON can hold it
