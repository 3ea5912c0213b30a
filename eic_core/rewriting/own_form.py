"""A form that the user proposes: whether it equals the formula on the data, and its loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.errors import UserError
from eic_core.formula.tree import Formula
from eic_core.operators import OPERATORS
from eic_core.operators.balls import Ball
from eic_core.phrasing import Phrase
from eic_core.rewriting.chosen_rows import choose_rows
from eic_core.rewriting.gains import Measured
from eic_core.rewriting.observing import FormMeter, Truth, rows_within
from eic_core.rewriting.phrases import own_form_sentence
from eic_core.rewriting.precision import Target
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import BITS, first_difference
from eic_core.rewriting.verify import SUSPECT_ROWS, RowDifference, Verification, Verifier
from eic_core.samples import Samples

MOST_NODES = 400
"""Of a form and of the formula; larger ones would take minutes at high precision."""

DIGITS = int(BITS * math.log10(2))
"""With so many, at least, both forms are computed."""

_SHOWN = 17


@dataclass(frozen=True)
class OwnForm:
    formula: Formula  # The user's
    # before, after: the numbers of both; None if they are not equal
    before: Measured | None
    after: Measured | None
    verification: Verification | None  # What was compared; None if they are not equal
    difference: RowDifference | None  # Where they are not
    measured_rows: int = 0

    @property
    def sentence(self) -> Phrase:
        checked = self.verification
        digits = DIGITS if checked is None else max(DIGITS, checked.digits)
        return own_form_sentence(checked, self.difference, digits)


def compare_own_form(
    formula: Formula, other: Formula, samples: Samples, target: Target = "float64"
) -> OwnForm:
    """Verify and measure a form that somebody proposes for a formula, for a program in `target`.
    Raises `UserError` if
    `other` has a variable that the formula has not, or one of them cannot be compared.

    >>> from eic_core.formula.syntax import read
    >>> formula = read("sqrt(x+1) - sqrt(x)").formula
    >>> samples = Samples.from_columns({"x": [1e3, 1e5, 1e7]})
    >>> found = compare_own_form(formula, read("1/(sqrt(x+1) + sqrt(x))").formula, samples)
    >>> found.verification.rows, found.before.eic > 6, found.after.eic < 1
    (3, True, True)
    >>> compare_own_form(formula, read("0.5/sqrt(x)").formula, samples).difference.inputs
    (('x', '1000.0'),)
    """
    samples.require(formula.variables)
    _refuse(formula, other)
    rows = rows_within(choose_rows(formula, samples), formula, samples, target)
    terms = Terms(formula.exponents)
    root, form = terms.add(formula), terms.add(other)
    truth = Truth(terms, root, samples, rows, target)
    verification = truth.verifier.verify(form, ())
    if verification is None:
        difference = _difference(truth.verifier, form, samples, formula.variables)
        return OwnForm(other, None, None, None, difference)
    meter = FormMeter(formula, samples, rows, truth)
    before, after = meter.measure(root, formula), meter.measure(form, other)
    return OwnForm(other, before, after, verification, None, len(meter.measured))


def _refuse(formula: Formula, other: Formula) -> None:
    known = ", ".join(f"`{name}`" for name in formula.variables) or "none"
    for name in other.variables:
        if name not in formula.variables:
            raise UserError(
                f"your form has the variable `{name}`, the formula has not",
                hint=f"the formula's variables: {known}",
            )
    for tree, whose in ((formula, "the formula"), (other, "your form")):
        if any(not OPERATORS[node.operator].numeric for node in tree if node.children):
            raise UserError(
                f"{whose} has conditions, and forms with conditions are not compared",
                hint="inspect each branch as a formula of its own",
            )
        if tree.complexity > MOST_NODES:
            raise UserError(
                f"{whose} has more than {MOST_NODES} nodes, too many to compare",
                hint="compare the most sensitive part on its own",
            )


def _difference(
    verifier: Verifier, form: int, samples: Samples, names: Sequence[str]
) -> RowDifference | None:
    expected, found = map(verifier.table.values, (verifier.original, form))
    place = first_difference(expected, found)
    if place is not None:
        return _at(verifier.rows[place], expected[place], found[place], samples, names)
    lost = np.isfinite(verifier.doubles(verifier.original)) & np.isnan(verifier.doubles(form))
    for row in verifier.scanned[np.flatnonzero(lost)][:SUSPECT_ROWS].tolist():
        table = verifier.table_of([row])
        (before,), (after,) = table.values(verifier.original), table.values(form)
        if before is not None and after is None:
            return _at(row, before, after, samples, names)
    return None


def _at(
    row: int, before: Ball | None, after: Ball | None, samples: Samples, names: Sequence[str]
) -> RowDifference:
    inputs = tuple((name, samples.decimal(name, row)) for name in names)
    return RowDifference(row, inputs, _text(before), _text(after))


def _text(value: Ball | None) -> str:
    if value is None:
        return ""
    mantissa, mark, exponent = value.str(_SHOWN, radius=False).partition("e")
    whole, point, rest = mantissa.partition(".")
    return f"{whole}.{rest.rstrip('0') or '0'}{mark}{exponent}"
