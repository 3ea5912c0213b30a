"""What becomes of each marked formula: it is read, measured, and compared with its limits."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

import numpy as np

from eic_core.checking.files import MOST_TABLE, content_within
from eic_core.checking.marks import MarkedFormula, fault_of
from eic_core.checking.settings import SETTING_NAMES, LossLimits
from eic_core.effort import Effort
from eic_core.errors import DataError, FormulaError
from eic_core.explain.judgement import VerdictNumbers
from eic_core.explain.verdict import verdict
from eic_core.formula.copying import COPIED, copied
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import Reading, canonical_name, read
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import inspect
from eic_core.measure.row_source import NoRange, RowSource
from eic_core.measure.table import NoColumn, Table, read_table
from eic_core.phrasing import Phrase
from eic_core.rewriting.repair import repair
from eic_core.samples import Samples


class CheckStatus(enum.Enum):
    WITHIN = "within"
    EXCEEDED = "exceeded"
    NOT_CHECKED = "not-checked"  # It could not be read or measured


@dataclass(frozen=True)
class CheckedFormula:
    """One marked formula, and what it loses.

    Attributes
    ----------
    marked
        Where it stands, and what its mark says.
    status
        Whether it keeps its limits.
    formula
        As it was read, in Python's notation; empty where it was not.
    losses
        By the names of the limits: digits.
    exceeded
        The names of limits that are exceeded.
    headline
        The sentence of the verdict.
    better
        A form that loses fewer digits, in the file's language; empty without one.
    better_in
        The language that is, as a key of `COPIED`.
    needs
        The conditions under which it is the formula; they hold on the data.
    advice
        The sentence of the search for it.
    gain
        The numbers of the formula and of that form; empty without one.
    fault
        Why it was not checked.
    fault_at
        Where in the formula's text the fault is, from 0.
    rows
    without_value
        How many rows were drawn or read, and how many have no value, a logarithm of -1, say.
    """

    marked: MarkedFormula
    status: CheckStatus
    formula: str = ""
    losses: dict[str, float] = field(default_factory=dict)
    exceeded: tuple[str, ...] = ()
    headline: Phrase | None = None
    better: str = ""
    better_in: str = "python"
    needs: tuple[str, ...] = ()
    advice: Phrase | None = None
    gain: tuple[VerdictNumbers, ...] = ()
    fault: str = ""
    fault_at: int = 0
    rows: int = 0
    without_value: int = 0

    @property
    def line(self) -> int:
        """Of the fault or the formula in the file, from 1."""
        return self.marked.line + self.marked.text.count("\n", 0, self.fault_at)

    @property
    def column(self) -> int:
        """The same, from 1."""
        line_start = self.marked.text.rfind("\n", 0, self.fault_at) + 1
        return self.fault_at - line_start + (1 if line_start else self.marked.column)

    @property
    def limits(self) -> dict[str, float]:
        return self.marked.settings.limits.stated

    def to_json(self) -> dict[str, object]:
        """Finite numbers, or null for a loss that is not a number."""
        marked = self.marked
        return {
            "path": marked.path,
            "line": self.line,
            "column": self.column,
            "name": marked.name,
            "status": self.status.value,
            "formula": self.formula,
            "losses": {k: v if np.isfinite(v) else None for k, v in self.losses.items()},
            "limits": self.limits,
            "exceeded": list(self.exceeded),
            "headline": str(self.headline or ""),
            "better": self.better,
            "needs": list(self.needs),
            "advice": str(self.advice or ""),
            "gain": [numbers.to_json() for numbers in self.gain],
            "fault": self.fault,
            "rows": self.rows,
            "without_value": self.without_value,
        }


def check_formulas(
    marked: Sequence[MarkedFormula],
    *,
    default: LossLimits,
    effort: Effort = "normal",
    seconds: float = math.inf,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[CheckedFormula]:
    """Check marked formulas, one after the other.

    Parameters
    ----------
    marked
        The formulas of one or several files.
    default
        Limits of a mark that states none.
    effort
        Of the search for a better form of each that exceeds, as `repair` takes it.
    seconds
        After how many that search is stopped; 0 for no search.
    progress
        Called with how many are done, and of how many.

    Yields
    ------
    CheckedFormula
        One for each, in order.
    """
    for number, each in enumerate(marked):
        limits = each.settings.limits.or_else(default)
        yield check_formula(
            replace(each, settings=replace(each.settings, limits=limits)),
            effort=effort,
            seconds=seconds,
        )
        if progress is not None:
            progress(number + 1, len(marked))


def check_formula(
    marked: MarkedFormula, *, effort: Effort = "normal", seconds: float = math.inf
) -> CheckedFormula:
    """Read, measure and judge one marked formula.

    Parameters
    ----------
    marked
        The formula, with its limits.
    effort
        Of the search for a better form where a limit is exceeded, as `repair` takes it.
    seconds
        After how many that search is stopped; 0 for no search.

    Returns
    -------
    CheckedFormula
        Also of one that cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from eic_core.checking.marks import marked_formulas
    >>> [marked] = marked_formulas(Path("a.py"), "# eic: x=1e6:1e8, max=3\\ny = sqrt(x+1)-sqrt(x)")
    >>> checked = check_formula(marked, seconds=0)
    >>> checked.status.value, checked.exceeded
    ('exceeded', ('max',))
    """
    if marked.fault:
        return CheckedFormula(marked, CheckStatus.NOT_CHECKED, fault=marked.fault)
    try:
        return _measured(marked, effort, seconds)
    except FormulaError as error:
        return CheckedFormula(
            marked, CheckStatus.NOT_CHECKED, fault=str(error), fault_at=error.span[0]
        )
    except Exception as error:
        return CheckedFormula(marked, CheckStatus.NOT_CHECKED, fault=fault_of(error))


def _measured(marked: MarkedFormula, effort: Effort, seconds: float) -> CheckedFormula:
    reading, samples = _data_of(marked)
    _refuse_other_names(marked, reading)
    result = inspect(reading.formula, samples, effort=effort)
    judged = verdict(result)
    measured = judged.measured.quantiles
    losses = {"max": measured.nine_in_ten, "worst": measured.worst, "eic": result.eic}
    text = to_python(reading.formula)
    limits = marked.settings.limits.stated
    if any(np.isnan(losses[name]) for name in limits):
        return CheckedFormula(
            marked,
            CheckStatus.NOT_CHECKED,
            formula=text,
            losses=losses,
            fault=str(judged.sentence),
        )
    exceeded = tuple(name for name, limit in limits.items() if losses[name] > limit)
    repairs = (
        repair(reading.formula, samples, effort=effort, limit_seconds=seconds, inspection=result)
        if exceeded and seconds
        else None
    )
    form = None if repairs is None else repairs.leading
    better, better_in = ("", "python") if form is None else _as_in_file(form.formula, marked)
    return CheckedFormula(
        marked,
        CheckStatus.EXCEEDED if exceeded else CheckStatus.WITHIN,
        formula=text,
        losses=losses,
        exceeded=exceeded,
        headline=judged.sentence,
        better=better,
        better_in=better_in,
        needs=() if form is None else form.assumptions,
        advice=None if repairs is None else repairs.sentence,
        gain=() if form is None else (form.written, form.instead),
        rows=result.counts.total,
        without_value=result.counts.invalid,
    )


def _data_of(marked: MarkedFormula) -> tuple[Reading, Samples]:
    """The formula, and the rows of the table or the ranges that its mark names."""
    settings = marked.settings
    if settings.data:
        return _data_of_table(marked)
    source = RowSource(settings.ranges, count=settings.samples, seed=settings.seed)
    reading = read(marked.text, syntax=marked.syntax, columns=source.columns)
    try:
        return reading, source.rows(reading)[0]
    except NoRange as error:
        hint = f"write `eic: {error.missing[0]}=1:5` above it"
        raise NoRange(error.missing, error.names, hint) from error


def _data_of_table(marked: MarkedFormula) -> tuple[Reading, Samples]:
    """The same of a table, of which no error has a word: it may be any file of the folder."""
    settings = marked.settings
    name = f"`data={settings.data}`"
    if settings.own:
        raise DataError(f"`{settings.own[0]}` has a range beside a table", hint="give one of them")
    place = Path(marked.path).parent
    try:
        table = _table(marked.folder or place, place / settings.data)
    except DataError as error:
        raise DataError(f"{name}: {error}") from None
    source = RowSource(table=table, target=settings.target)
    try:
        reading = read(marked.text, syntax=marked.syntax, columns=source.columns)
    except FormulaError:
        read(marked.text, syntax=marked.syntax)
        raise DataError(f"{name}: with its columns as names the formula is not read") from None
    try:
        return reading, source.rows(reading)[0]
    except NoColumn as error:
        missing = f"no column for `{error.missing[0]}`"
    except DataError:
        missing = "no row has a number in each column that the formula needs"
        if settings.target and table.column(settings.target) is None:
            missing = f"there is no column `{settings.target}`"
    raise DataError(f"{name}: {missing}", hint="`eic inspect --data` says what it holds")


def _refuse_other_names(marked: MarkedFormula, reading: Reading) -> None:
    """A range of what is not in the formula is mistyped."""
    names = set(reading.formula.variables)
    names |= {canonical_name(word) for word in re.findall(r"\w+", marked.text)}
    for name in marked.settings.own:
        if name not in names:
            close = get_close_matches(name, [*SETTING_NAMES, *sorted(names)], n=1)
            raise DataError(
                f"`{name}` is not in the formula",
                hint=f"did you mean `{close[0]}`?" if close else f"leave `{name}=` out",
            )


@lru_cache(maxsize=4)
def _table(folder: Path, path: Path) -> Table:
    content = content_within(folder, path, MOST_TABLE)
    try:
        return read_table(content, source=path.name)
    except DataError:
        raise DataError("it is read as no table: `eic inspect --data` says why") from None


def _as_in_file(form: Formula, marked: MarkedFormula) -> tuple[str, str]:
    """The form as the file would have it, and the language that is."""
    language = marked.syntax
    if re.search(r"\b(?:np|numpy)\.", marked.text):
        language = "numpy"
    try:
        if language in COPIED:
            copy = copied(form, language)
            if not copy.renamed:  # The file has the variables by their own names
                return copy.program, language
    except FormulaError:  # The language lacks something that has no substitute
        pass
    return to_python(form), "python"
