"""What importing gives back: a row for each formula that somebody listed, none dropped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from eic_core import wording
from eic_core.errors import DataError
from eic_core.formula.tree import Exponents
from eic_core.pool.candidate import Candidate

MAX_BYTES = 20_000_000
"""Largest list that is read, unpacked."""

MAX_ROWS = 200_000
"""Most formulas that one list may hold."""

NO_FORMULA = "this row holds no formula"

_COMPLEXITY = frozenset({"complexity", "size", "length", "model_size", "best_length", "nodes"})
_LOSS = frozenset({"loss", "mse", "mean_squared_error", "mse_train", "loss_train", "rmse", "nmse"})
_OTHER = re.compile(
    r"(?:r2|mae|rmse|nmse|mse|loss|score|fitness|aic|bic|mdl|eic)(?:_\w+)?"
    r"|minimum_description_length|bayesian_information_criterion|akaike_information_criterion"
    r"|invalid|singular"
)
_NAME = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Listed:
    row: int  # Where it stands: its place among the list's rows, from 1; of a data frame, its label
    formula: str  # As the tool or person wrote it, without numbering and scores
    # syntax, method, problem: "" where the list does not say
    syntax: str = ""
    method: str = ""
    problem: str = ""
    # Values of parameters that the formula leaves open
    parameters: Mapping[str, str] = field(default_factory=dict)
    # Numbers that came with it: ``complexity``, ``loss``, ``r2``, ``eic``, ..
    stored: Mapping[str, float] = field(default_factory=dict)
    error: str = ""  # Why the row holds no formula; "" if it does
    exponents: Exponents = "exact"  # How its literal exponents are read

    def candidate(self) -> Candidate:
        return Candidate(
            self.problem,
            self.formula,
            self.method,
            self.syntax,
            self.parameters,
            exponents=self.exponents,
        )


class ColumnChoice(DataError):
    """A table with several columns of formulas, of which one has to be chosen."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        listed = wording.join([f"`{name}`" for name in columns])
        super().__init__(
            f"several columns hold formulas: {listed}", hint="say which: --column NAME"
        )
        self.columns = columns


Rows = tuple[list[Listed], tuple[str, ...]]
"""The rows of a list, and what was left out or assumed."""

_NO_FORMULAS = frozenset(
    "n/a|na|n.a.|#n/a|nan|none|null|nil|-|--|—|–|?|failed|fail|failure|error|timeout|timed out"
    "|time out|crashed|not implemented|not available|not found|no model|no formula|no solution"
    "|missing|undefined|unknown|empty".split("|")
)
_NAMES = re.compile(r"[^\W\d]\w*")


def is_no_formula(text: str) -> bool:
    """Whether a text is what people and programs write where a formula is missing."""
    return text.strip().lower() in _NO_FORMULAS


def without_words(rows: Iterable[Listed]) -> list[Listed]:
    """The rows, those marked that hold a word for a missing formula which no other formula uses.

    >>> [r.error for r in without_words([Listed(1, "x"), Listed(2, "failed"), Listed(3, "n/a")])]
    ['', 'this row holds no formula, only `failed`', 'this row holds no formula, only `n/a`']
    >>> [r.error for r in without_words([Listed(1, "2*n"), Listed(2, "n/a")])]
    ['', '']
    """
    kept = list(rows)
    words = [i for i, row in enumerate(kept) if is_no_formula(row.formula)]
    if not words:
        return kept
    marked = set(words)
    others = (row.formula for i, row in enumerate(kept) if i not in marked)
    used = {name for formula in others for name in _NAMES.findall(formula)}
    for i in words:
        text = kept[i].formula.strip()
        if not kept[i].error and used.isdisjoint(_NAMES.findall(text)):
            kept[i] = replace(kept[i], error=f"{NO_FORMULA}, only `{text}`")
    return kept


@dataclass(frozen=True)
class Imported:
    format: str  # A key of `eic_core.pool.importers.FORMATS`
    reason: str  # What the format was recognised by, one sentence without its full stop
    rows: tuple[Listed, ...]  # In order, bad ones included
    notes: tuple[str, ...] = ()  # What was assumed or left out
    # Columns that may hold the formulas, for choosing by hand; () where there is no table
    columns: tuple[str, ...] = ()
    column: str = ""  # The one that was taken, or ""
    label: str = ""  # What it was read as, in words

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.problem for row in self.rows if row.problem))


def score_name(name: str) -> str:
    """The one spelling of a score's name; "" if it names none.

    >>> [score_name(name) for name in ("Complexity", "MSE", "R² test", "note")]
    ['complexity', 'loss', 'r2_test', '']
    """
    key = _NAME.sub("_", name.lower().replace("²", "2").replace("r^2", "r2")).strip("_")
    if key in _COMPLEXITY:
        return "complexity"
    if key in _LOSS:
        return "loss"
    return key if _OTHER.fullmatch(key) else ""


def read_number(cell: str) -> float | None:
    """The number that a cell holds, or None; infinities count, "nan" does not.

    >>> tuple(read_number(cell) for cell in (" 1e-3 ", "inf", "nan", "x1", "1_0"))
    (0.001, inf, None, None, None)
    """
    text = cell.strip()
    if "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value
