"""The exact value of each measured row above what a program computes, digit under digit.

A digit is wrong from the first at which the two differ, unless a carry makes more of them differ
than the error is worth: 10.00001 for 9.99999 is wrong in its last digit. Where less than a digit is
lost by the measure (`RoundedTruth.digits_lost`), no digit is wrong, as no finding is made of it
(`A_DIGIT`), though the last three that are written may be others: the type hardly holds them.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from os.path import commonprefix
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.engine.tape import lay_out
from eic_core.explain.created import digits_created
from eic_core.explain.judgement import A_DIGIT
from eic_core.explain.phrases import digits as words
from eic_core.exports import Plain, json_form
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection
from eic_core.measure.measured import measured_loss, place_of_rank, program_rows
from eic_core.operators.balls import Ball
from eic_core.phrasing import Phrase
from eic_core.wording import RAISED

SHOWN_DIGITS = {"float32": 9, "float64": 17}
"""Significant digits that tell every number of a type from its neighbours."""

MOST_ROWS, LEAST_ROWS, MOST_BYTES = 100, 40, 36_000
"""Rows that are shown: as many as so many bytes of JSON hold, within these limits."""

FIRST_FIXED = -5
"""The smallest exponent of ten that is written as zeros behind the point."""

FARTHEST_BELOW = 8
"""Powers of ten by which a result may be smaller than the exact value and stand under it."""

PAD = "\N{FIGURE SPACE}"

STEPS_A_DIGIT, INFINITE, NOT_A_NUMBER = 25, 254, 255
"""How `DigitRows.steps` holds digits: in 25ths, at most 10.12; infinite; undefined."""

EXACT_DIGITS, MOST_EXACT = 60, 2_000
"""Of an exact value, more than are compared; of a double written out, more than any has."""

_GUARD = 20  # Further digits in which an error is measured


@dataclass(frozen=True)
class DigitRow(Plain):
    """One row: the exact value, and what is computed of it.

    `exact`, `computed` and `better` are aligned from the left. Of `computed` the first `right`
    characters are right, those from there to `end` wrong; what follows is the power of ten that it
    shares with `exact`.
    """

    position: int  # In the data, from 0
    rank_share: float  # Of all rows, those that lose no more by rank; above 0, at most 1
    inputs: Mapping[str, str]  # The numbers of the type, shortest text
    exact: str
    computed: str
    right: int
    end: int
    wrong: int  # Digits of `computed` that are wrong
    lost: float  # Digits by the measure, from 0 to 15.95 or 7.2
    # The same of the better form; without one "", 0, nan
    better: str = ""
    better_right: int = 0
    better_end: int = 0
    better_wrong: int = 0
    better_lost: float = math.nan

    _JSON = (
        "position",
        ("rank_share", lambda row: _short(row.rank_share)),
        "inputs",
        "exact",
        "computed",
        "right",
        "end",
        "wrong",
        ("lost", lambda row: _short(row.lost)),
    )
    _JSON_OF_BETTER = (
        "better",
        "better_right",
        "better_end",
        "better_wrong",
        ("better_lost", lambda row: _short(row.better_lost)),
    )

    def to_json(self) -> dict[str, object]:
        return json_form(self, (*self._JSON, *(self._JSON_OF_BETTER if self.better else ())))


@dataclass(frozen=True, eq=False)
class DigitRows(Plain):
    """The rows at which a program is measured, from the least to the greatest loss."""

    kind: str  # "float64" or "float32"
    of: int  # Rows with a real value
    compared: int  # Rows that were compared; at most `MOST_ROWS` of them are in `rows`
    rows: tuple[DigitRow, ...]
    # typical, nine_in_ten, worst: places in `rows` of half of the rows, nine in ten, and the row
    # of the greatest loss; -1 without rows
    typical: int
    nine_in_ten: int
    worst: int
    # shape (rows, nodes), uint8: log10 s of every node at each row, by `STEPS_A_DIGIT`
    steps: npt.NDArray[np.uint8] = field(repr=False)
    # Digits that each node creates of the result's local EIC (ADR 0010), over the samples at which
    # the result keeps a digit; nan each if there is none
    created: tuple[float, ...] = field(repr=False)

    _JSON = (
        "kind",
        "of",
        "compared",
        "digits",
        "rows",
        "typical",
        "nine_in_ten",
        "worst",
        ("steps", lambda result: base64.b64encode(result.steps.tobytes()).decode("ascii")),
        ("created", lambda result: [_short(digits) for digits in result.created]),
        "sentence",
        "sentences",
    )

    @property
    def digits(self) -> int:
        """Significant digits shown."""
        return SHOWN_DIGITS[self.kind]

    @property
    def worst_row(self) -> DigitRow | None:
        return self.rows[self.worst] if self.rows else None

    @property
    def sentence(self) -> Phrase:
        """How many digits turn red at the worst row."""
        wrong = None if self.worst_row is None else self.worst_row.wrong
        return words.worst_sentence(wrong, self.digits, self.kind, self.compared)

    @property
    def sentences(self) -> dict[str, Phrase]:
        """What is said of a row, by its number of wrong digits."""
        return {
            str(wrong): words.row_sentence(wrong, self.digits)
            for wrong in sorted({row.wrong for row in self.rows})
        }


def _short(digits: float) -> float:
    return round(digits, 4) if math.isfinite(digits) else digits


def digit_rows(
    inspection: Inspection, kind: str = "float64", better: Formula | None = None
) -> DigitRows:
    """The exact and the computed digits of the rows at which a program is measured.

    Parameters
    ----------
    inspection
        Of the formula.
    kind
        The type in which the program computes. {"float32", "float64"}.
    better
        Another form of the formula, in its variables.

    Returns
    -------
    DigitRows
        At most 100 rows of those that are measured, evenly by rank.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1e8]})
    >>> result = digit_rows(inspect(read("sqrt(x + 1) - sqrt(x)").formula, samples))
    >>> row = result.rows[result.worst]
    >>> print(row.exact, row.computed, row.computed[row.right : row.end], sep="\\n")
    0.000049999999875000001
    0.000050000000555883162
    555883162
    >>> print(result.sentence)
    At this row the last 9 of 17 digits are wrong.
    """
    program = program_rows(inspection, kind)
    lost, computed = measured_loss(inspection, kind).lost, program.computed()
    vanished = [_vanishes(*each, kind) for each in zip(program.exact, computed, strict=True)]
    compared = np.flatnonzero(~np.isnan(lost) & ~np.array(vanished, dtype=bool))
    s = inspection.amplification.trace(len(inspection.formula) - 1)[1][program.positions]
    order = compared[np.lexsort((s[compared], lost[compared]))]
    upto = np.cumsum(program.weights[order])
    marks = [place_of_rank(upto, part * upto[-1]) for part in (0.5, 0.9, 1.0)] if len(upto) else []
    most = _most_rows(inspection.formula, better=better is not None)
    places = _thinned(len(order), most, marks)
    forms = [(computed, lost)]
    if better is not None:
        tape = lay_out(better)
        forms.append((program.computed(tape), program.loss(tape).lost))
    texts = {
        name: [str(value).removesuffix(".0") for value in column]
        for name, column in program.inputs.items()
    }
    rows = []
    for place in places:
        i = int(order[place])
        exact = program.exact[i]
        assert exact is not None  # its loss is a number
        results = [(float(value[i]), float(digits[i])) for value, digits in forms]
        truth, (first, *second) = digits_under_digits(exact, results, kind)
        inputs = {name: column[i] for name, column in texts.items()}
        share = float(upto[place] / upto[-1])
        other = second[0] if second else ()
        rows.append(DigitRow(int(program.positions[i]), share, inputs, truth, *first, *other))
    typical, nine_in_ten, worst = [places.index(mark) for mark in marks] or [-1, -1, -1]
    root = len(inspection.formula) - 1
    created = digits_created(inspection, root) or [math.nan] * (root + 1)
    return DigitRows(
        kind,
        program.of,
        len(compared),
        tuple(rows),
        typical,
        nine_in_ten,
        worst,
        _steps(inspection, program.positions[order[places]]),
        tuple(created),
    )


def _vanishes(exact: Ball | None, computed: float, kind: str) -> bool:
    """Whether 0 is all that the type can say of a number: then no digits can be held to it."""
    if computed != 0 or exact is None or exact == 0:
        return False
    return bool(np.dtype(kind).type(float(exact.mid())) == 0)


def _most_rows(formula: Formula, *, better: bool) -> int:
    """How many rows of a formula are shown; about as many bytes as a row takes are reckoned.

    >>> from eic_core.formula.syntax import read
    >>> few, many = read("x + 1").formula, read("+".join("abcdefgh")).formula
    >>> _most_rows(few, better=False), _most_rows(many, better=True)
    (100, 66)
    """
    row = 165 + 35 * len(formula.variables) + 4 * len(formula) // 3 + 110 * better
    return max(LEAST_ROWS, min(MOST_ROWS, MOST_BYTES // row))


def _thinned(count: int, most: int, marks: Sequence[int]) -> list[int]:
    """At most so many places of `count`, even, with the marks among them.

    >>> places = _thinned(200, 100, [99, 179, 199])
    >>> len(places) <= 100, {99, 179, 199} <= set(places), places[:3]
    (True, True, [0, 2, 4])
    """
    if count <= most:
        return list(range(count))
    even = np.linspace(0, count - 1, most - len(marks)).round().astype(int).tolist()
    return sorted({*even, *marks})


def _steps(inspection: Inspection, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    s = inspection.amplification.s_at(rows)
    with np.errstate(all="ignore"):
        digits = np.log10(s)
        steps = np.clip(np.rint(digits * STEPS_A_DIGIT), 0, INFINITE - 1)
    steps = np.where(np.isnan(digits), NOT_A_NUMBER, np.where(np.isinf(digits), INFINITE, steps))
    return np.ascontiguousarray(steps.T.astype(np.uint8))


# Digits


class Compared(NamedTuple):
    """A result as `DigitRow` has it."""

    text: str
    right: int
    end: int
    wrong: int
    lost: float


_ROUNDING = {
    digits: Context(prec=digits, rounding=ROUND_HALF_UP, Emin=MIN_EMIN, Emax=MAX_EMAX)
    for digits in (*SHOWN_DIGITS.values(), MOST_EXACT)
}


def _units(number: Decimal, place: int) -> int:
    """The size of a number in units of 10^place, rounded."""
    size = number.copy_abs().scaleb(-place, _ROUNDING[MOST_EXACT])
    return int(size.to_integral_value(ROUND_HALF_UP))


def _exponent(number: Decimal, digits: int) -> int | None:
    """The power of ten of its first digit when rounded to so many; None without one."""
    if not number or not number.is_finite():
        return None
    return _ROUNDING[digits].plus(number).adjusted()


class _Scale(NamedTuple):
    """How numbers are written that stand under each other: the last place, and the point."""

    exponent: int  # Of the first digit of the exact value
    last: int
    decimals: int
    power: str

    @classmethod
    def of(cls, exponent: int, digits: int) -> _Scale:
        last = exponent - digits + 1
        if FIRST_FIXED <= exponent < digits:
            return cls(exponent, last, -last, "")
        return cls(exponent, last, digits - 1, f"·10{str(exponent).translate(RAISED)}")

    def write(self, number: Decimal) -> str:
        """Sign, digits and point, without the power of ten."""
        text = str(_units(number, self.last)).rjust(self.decimals + 1, "0")
        whole, rest = text[: len(text) - self.decimals], text[len(text) - self.decimals :]
        return f"{'−' if number < 0 else ''}{whole}{'.' if rest else ''}{rest}"


def digits_under_digits(
    truth: Ball, results: Sequence[tuple[float, float]], kind: str
) -> tuple[str, list[Compared]]:
    """The exact value, and each result with the digits that it has lost, under each other.

    >>> from flint import arb
    >>> exact, (result,) = digits_under_digits(arb("9.9999"), [(10.25, 14.3)], "float32")
    >>> print(exact.strip(), result.text, result.text[result.right :], sep="\\n")
    9.99990000
    10.25000000
    25000000
    """
    digits = SHOWN_DIGITS[kind]
    exact = Decimal(truth.mid().str(EXACT_DIGITS, radius=False))
    numbers = [exact, *(Decimal(value) for value, _ in results)]
    exponents = [_exponent(number, digits) for number in numbers]
    exponent = next((e for e in exponents if e is not None), None)
    # zeros, and what is no number, have no place
    scale = _Scale(0, 0, 0, "") if exponent is None else _Scale.of(exponent, digits)
    heads = [
        scale.write(number)
        if number.is_finite() and (e is None or -FARTHEST_BELOW <= e - scale.exponent <= 1)
        else ""
        for number, e in zip(numbers, exponents, strict=True)
    ]
    first, *others = [head.rjust(max(map(len, heads)), PAD) if head else "" for head in heads]
    lines = []
    for (_, lost), number, text in zip(results, numbers[1:], others, strict=True):
        wrong = digits if lost >= A_DIGIT else 0
        if not text:
            text = _alone(number, digits)
            right = 0 if wrong else len(text)
            lines.append(Compared(text, right, len(text), wrong, lost))
            continue
        if wrong:
            wrong = _wrong_digits(exact, number, scale, digits)
        same_sign = (exact < 0) == (number < 0) or not number
        right = _right_characters(text, wrong, digits, same_sign)
        lines.append(Compared(text + scale.power, right, len(text), wrong, lost))
    return first + scale.power, lines


def _alone(number: Decimal, digits: int) -> str:
    if not number.is_finite():
        return "NaN" if number.is_nan() else "∞" if number > 0 else "−∞"
    scale = _Scale.of(_exponent(number, digits) or 0, digits)
    return scale.write(number) + scale.power


def _wrong_digits(exact: Decimal, number: Decimal, scale: _Scale, digits: int) -> int:
    """How many digits at the end are wrong; at least one."""
    fine = scale.last - _GUARD
    true, other = _units(exact, fine), _units(number, fine)
    if not true or (exact < 0) != (number < 0):
        return digits
    error = abs(true - other)
    if not error:
        return 1
    texts = [str(_units(each, scale.last)) for each in (exact, number)]
    length = max(map(len, texts))
    alike = commonprefix([text.rjust(length, "0") for text in texts])
    right = len(alike) - (length - digits)
    by_size = scale.exponent - (fine + len(str(error)) - 1)
    if right < by_size - 1:  # a carry runs through nines: the size of the error tells
        right = by_size
    return digits - min(max(0, right), digits - 1)


def _right_characters(text: str, wrong: int, digits: int, same_sign: bool) -> int:
    """Characters before the last `wrong` digits."""
    first = len(text) - len(text.lstrip(PAD))
    if not wrong:
        return len(text)
    if not same_sign:
        return first
    places = [i for i, character in enumerate(text) if character.isdigit()]
    cut = places[max(0, len(places) - wrong)]
    if wrong == digits:  # and whatever stands before the first place of the exact value
        cut = min([cut, *[i for i in places if text[i] != "0"]])
    return cut
