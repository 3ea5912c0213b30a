"""Making ballots: what both formulas of a pair look like to a rater, fixed when a study is frozen.

Everything on a ballot belongs to the formulas as shown: the typeset text, the curve and R² all
have the same rounded constants.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation

import numpy as np

from eic_core.errors import UserError
from eic_core.formula.rendering import to_latex
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node
from eic_core.measure import Samples, amplify
from eic_core.measure.fit import r_squared
from eic_core.measure.table import Table, match_variables, read_table
from study.ballot_content import BallotContent
from study.ballot_types import Axis, BallotFigure, Curve, FormulaCard
from study.errors import StudyError
from study.material import MAX_INPUTS, Member, NewPair, Problem

MIN_DIGITS = 4
FULL_DIGITS = 17
R2_TOLERANCE = 0.001
CURVE_POINTS = 200
SURFACE_POINTS = 40
MAX_DATA_POINTS = 300


def problem_table(problem: Problem) -> Table:
    """The table of a problem, checked.

    Raises
    ------
    StudyError
        If it cannot be read, or has not one or two inputs and a target.
    """
    try:
        table = read_table(problem.csv, source=problem.name)
    except UserError as error:
        raise StudyError(f"problem `{problem.name}`: {error.message}", hint=error.hint) from error
    inputs = len(table.names) - 1
    if not 1 <= inputs <= MAX_INPUTS:
        raise StudyError(
            f"problem `{problem.name}` has {max(inputs, 0)} inputs",
            hint="ballots show one or two; the last column is the target",
        )
    return table


def problem_samples(problem: Problem) -> Samples:
    """All complete rows, columns and target by their names in the table."""
    table = problem_table(problem)
    *inputs, target = table.names
    try:
        return table.samples({name: name for name in inputs}, target)
    except UserError as error:
        raise StudyError(f"problem `{problem.name}`: {error.message}", hint=error.hint) from error


def read_member(member: Member, inputs: tuple[str, ...]) -> Formula:
    """A member's tree, with the data's column names as variables.

    Raises
    ------
    StudyError
        If the formula cannot be read or a variable has no column.
    """
    try:
        reading = read(
            member.formula,
            syntax=member.syntax or "auto",
            columns=inputs,
            parameters=dict(member.parameters),
        )
    except UserError as error:
        raise StudyError(f"cannot read `{member.formula[:80]}`: {error.message}") from error
    base = reading.index_base if member.index_base is None else member.index_base
    match = match_variables(reading.formula.variables, inputs, index_base=base)
    if match.missing:
        raise StudyError(
            f"`{match.missing[0]}` in `{member.formula[:80]}` is no column",
            hint="there are " + ", ".join(f"`{name}`" for name in inputs),
        )
    return _relabelled(reading.formula, match.mapping, None)


def _relabelled(formula: Formula, names: Mapping[str, str], digits: int | None) -> Formula:
    """The same tree with other names and shorter constants."""

    def label(node: Node) -> str:
        if node.operator == VARIABLE:
            return names.get(node.label, node.label)
        if node.operator == CONSTANT and digits is not None:
            return short_constant(node.label, digits)
        return node.label

    return Formula(tuple(node._replace(label=label(node)) for node in formula.nodes))


def short_constant(label: str, digits: int) -> str:
    """A constant with at most `digits` significant digits, without trailing zeros.

    Every formula is written in the one style, whatever its method prints.

    Examples
    --------
    >>> [short_constant(c, 4) for c in ("0.12345678", "-2.000000", "1.5E-7", "123456", "1/3")]
    ['0.1235', '-2', '1.5e-7', '123500', '1/3']
    """
    try:
        number = Decimal(label)
    except InvalidOperation:
        return label
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=-(10**9), Emax=10**9)
    rounded = context.plus(number)
    if not rounded:
        return "0"
    sign, figures, exponent = rounded.normalize(context).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, figures))
    minus = "-" if sign else ""
    power = len(text) - 1 + exponent
    if -4 <= power <= 6:
        return minus + f"{abs(rounded.normalize(context)):f}"
    mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
    return f"{minus}{mantissa}e{power}"


def evaluate(formula: Formula, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Values of the root, nan where there is none.  Shape as the columns."""
    samples = Samples.from_columns(columns)
    values = amplify(formula, samples, recheck=False, root_values=True).root_values
    assert values is not None
    flat = np.array(np.broadcast_to(np.asarray(values, dtype=float), (len(samples),)))
    flat[~np.isfinite(flat)] = np.nan
    return flat


def _r2(formula: Formula, samples: Samples, usable: np.ndarray) -> float:
    """R² over the rows in `usable`; nan if the formula has no value at one of them."""
    assert samples.target is not None
    predicted = evaluate(formula, samples.columns)
    return r_squared(predicted[usable], samples.target[usable])


def shown_pair(
    lower: Formula, higher: Formula, samples: Samples
) -> tuple[int, tuple[Formula, Formula], tuple[float, float], float]:
    """Round both formulas to the fewest digits that keep their R².

    Parameters
    ----------
    lower, higher : Formula
        Variables are columns of `samples`.
    samples : Samples
        With a target.

    Returns
    -------
    (digits, (lower, higher), (R², R²), change)
        `digits` is at least 4 and the same for both; the R² are those of the rounded formulas,
        over the rows at which the formula in full precision has a value; `change` is the larger
        absolute difference from full precision, at most 0.001.

    Raises
    ------
    StudyError
        If a formula has no value on the data.
    """
    full: list[float] = []
    usable: list[np.ndarray] = []
    for formula in (lower, higher):
        rows = np.isfinite(evaluate(formula, samples.columns))
        usable.append(rows)
        full.append(_r2(formula, samples, rows) if rows.any() else math.nan)
        if math.isnan(full[-1]):
            raise StudyError("a formula of this pair has no R² on the problem's data")
    for digits in range(MIN_DIGITS, FULL_DIGITS + 1):
        shown = tuple(_relabelled(formula, {}, digits) for formula in (lower, higher))
        r2 = [_r2(f, samples, rows) for f, rows in zip(shown, usable, strict=True)]
        change = max(abs(a - b) for a, b in zip(r2, full, strict=True))
        if change <= R2_TOLERANCE:  # never true of nan
            return digits, (shown[0], shown[1]), (r2[0], r2[1]), change
    return FULL_DIGITS, (lower, higher), (full[0], full[1]), 0.0


def make_content(problem: Problem, pair: NewPair) -> BallotContent:
    """The ballot of one pair, in canonical order.

    Parameters
    ----------
    problem : Problem
        The pair's.
    pair : NewPair

    Raises
    ------
    StudyError
        If a formula cannot be read or drawn on the data; the message says which.

    Examples
    --------
    >>> problem = Problem("p", "x,y\\n1,2.1\\n2,3.9\\n3,6.2\\n")
    >>> pair = NewPair("p", Member("2.0321*x0", 0, 1, 3), Member("x0+x0", 0, 1, 3))
    >>> content = make_content(problem, pair)
    >>> content.lower.latex, content.higher.latex, content.digits
    ('2.032 \\\\cdot x', 'x + x', 4)
    """
    samples = problem_samples(problem)
    inputs = tuple(samples.columns)
    lower, higher = (read_member(member, inputs) for member in (pair.lower, pair.higher))
    digits, shown, r2, change = shown_pair(lower, higher, samples)
    figure = _figure(problem, samples)
    cards = [_card(formula, value, figure) for formula, value in zip(shown, r2, strict=True)]
    return BallotContent(
        title=problem.shown_title,
        description=problem.description,
        figure=figure,
        lower=cards[0],
        higher=cards[1],
        digits=digits,
        r2_change=change,
    )


def _figure(problem: Problem, samples: Samples) -> BallotFigure:
    """Axes, grids and data; common to both formulas."""
    assert samples.target is not None
    columns = [*samples.columns.values(), samples.target]
    names = [*samples.columns, samples.target_name]
    axes = []
    for name, values in zip(names, columns, strict=True):
        low, high = float(values.min()), float(values.max())
        pad = 0.1 * (high - low) if values is samples.target else 0.0
        if high == low:
            pad = 0.5 * max(1.0, abs(low))
        said = problem.column(name)
        axes.append(Axis(name, said.unit, said.meaning, _short(low - pad), _short(high + pad)))
    count = CURVE_POINTS if len(axes) == 2 else SURFACE_POINTS
    grids = tuple(
        tuple(_short(v) for v in np.linspace(axis.low, axis.high, count)) for axis in axes[:-1]
    )
    rows = np.arange(len(samples))
    if len(rows) > MAX_DATA_POINTS:
        seed = int.from_bytes(hashlib.sha256(problem.csv.encode()).digest()[:8], "big")
        rows = np.sort(np.random.default_rng(seed).choice(rows, MAX_DATA_POINTS, replace=False))
    points = tuple(tuple(_short(float(c[row])) for c in columns) for row in rows)
    return BallotFigure(
        kind="curve" if len(grids) == 1 else "surface",
        inputs=tuple(axes[:-1]),
        target=axes[-1],
        grids=grids,
        points=points,
        rows=len(samples),
    )


def _card(formula: Formula, r2: float, figure: BallotFigure) -> FormulaCard:
    names = [axis.name for axis in figure.inputs]
    mesh = np.meshgrid(*map(np.array, figure.grids))  # rows follow the second input
    values = evaluate(formula, {n: grid.ravel() for n, grid in zip(names, mesh, strict=True)})
    span = figure.target.high - figure.target.low
    values = np.clip(values, figure.target.low - 5 * span, figure.target.high + 5 * span)
    lines = [_curve(row) for row in values.reshape(mesh[0].shape if len(mesh) > 1 else (1, -1))]
    return FormulaCard(
        latex=to_latex(formula),
        r2=round(r2, 3),
        complexity=formula.complexity,
        curve=lines[0] if len(mesh) == 1 else (),
        surface=tuple(lines) if len(mesh) > 1 else (),
    )


def _curve(values: np.ndarray) -> Curve:
    return tuple(None if math.isnan(v) else _short(float(v)) for v in values)


def _short(value: float) -> float:
    """Six significant digits: more than a screen shows."""
    return float(f"{value:.6g}")
