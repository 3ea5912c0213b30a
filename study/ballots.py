"""Ballots: what both formulas of a pair look like to a rater; made at freezing."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from eic_core.errors import UserError
from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.syntax import EXPONENTS
from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.protected import DRAWN, PLAIN
from eic_core.formula.tree import CONSTANT, VARIABLE, Exponents, Formula, Node
from eic_core.measure import Samples, amplify
from eic_core.measure.fit import r_squared
from eic_core.measure.table import Table, match_variables, read_table
from study.design import AttentionKind, StudyDesign, canonical_json
from study.errors import StudyError
from study.material import MAX_INPUTS, Column, Member, NewPair, PairKind, Problem
from study.rating_types import (
    Axis,
    Ballot,
    BallotFigure,
    FormulaCard,
    FormulaView,
    PlotView,
)
from study.stimulus.form import fair_form, short_constant
from study.stimulus.plotting import Plots, draw_plots, draw_stored_plots
from study.stimulus.shapes import BallotShapes, shapes_of_values
from study.stimulus.typesetting import Typeset, name_mathml, typeset, typeset_of_before
from study.structure import read_with_functions


@dataclass(frozen=True)
class BallotContent:
    title: str
    description: str
    figure: BallotFigure
    # lower, higher: by EIC; for practice and attention, `lower` is the expected answer
    lower: FormulaCard
    higher: FormulaCard
    digits: int  # Significant digits shown, the same for both
    r2_change: float  # The larger change of the two R² through rounding; at most 0.001
    instruction: str = ""  # For an instructed attention check, with ``{letter}`` for A or B
    shapes: BallotShapes | None = None  # None in ballots of before: they are drawn when shown
    # Ids of the rows of `study.stimulus.form.RULES` that changed what is shown; none in ballots of
    # before
    rules: tuple[str, ...] = ()

    @cached_property
    def _shapes_of_before(self) -> BallotShapes:
        """Of the stored LaTeX and the stored points of the curves."""
        formulas = typeset_of_before(self.lower.latex, self.higher.latex)
        return _shapes(formulas, draw_stored_plots(self.figure, self.lower, self.higher))

    def ballot(
        self,
        design: StudyDesign,
        *,
        lower_left: bool,
        token: str,
        number: int,
        of: int,
        practice: bool = False,
    ) -> Ballot:
        wording = (design.question, design.question_meaning, design.allow_tie, design.ask_reason)
        key = (lower_left, practice, wording)
        if key not in self._ballots:
            self._ballots[key] = self._make_ballot(design, lower_left, practice)
        return dataclasses.replace(self._ballots[key], token=token, number=number, of=of)

    @cached_property
    def _ballots(self) -> dict[tuple[object, ...], Ballot]:
        """For nobody, by side and by what is asked: raters share all their long texts."""
        return {}

    def _make_ballot(self, design: StudyDesign, lower_left: bool, practice: bool) -> Ballot:
        letter = "A" if lower_left else "B"
        shapes = self.shapes or self._shapes_of_before
        views = (
            FormulaView(card.r2, card.complexity, shape.narrow, shape.wide, shape.mathml, behaviour)
            for card, shape, behaviour in (
                (self.lower, shapes.lower, shapes.lower_behaviour),
                (self.higher, shapes.higher, shapes.higher_behaviour),
            )
        )
        left, right = views if lower_left else reversed(tuple(views))
        return Ballot(
            token="",
            number=0,
            of=0,
            practice=practice,
            title=self.title,
            description=self.description,
            question=design.question,
            meaning=design.question_meaning,
            instruction=self.instruction.replace("{letter}", letter),
            inputs=self.figure.inputs,
            target=self.figure.target,
            points=len(self.figure.points),
            rows=self.figure.rows,
            left=left,
            right=right,
            plot=PlotView(
                shapes.narrow.drawn(lower_left=lower_left),
                shapes.wide.drawn(lower_left=lower_left),
                shapes.scale,
            ),
            glyphs=shapes.glyphs,
            allow_tie=design.allow_tie,
            ask_reason=design.ask_reason,
        )

    def to_json(self) -> str:
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        if self.shapes is None:
            del values["shapes"], values["rules"]  # ballots of before keep their digest
        return canonical_json(values)

    @classmethod
    def from_json(cls, text: str) -> BallotContent:
        values = json.loads(text)
        figure = values["figure"]
        values["figure"] = BallotFigure(
            kind=figure["kind"],
            inputs=tuple(Axis(**axis) for axis in figure["inputs"]),
            target=Axis(**figure["target"]),
            grids=tuple(map(tuple, figure["grids"])),
            points=tuple(map(tuple, figure["points"])),
            rows=figure["rows"],
        )
        values["lower"] = _card_of_values(values["lower"])
        values["higher"] = _card_of_values(values["higher"])
        if values.get("shapes"):
            values["shapes"] = shapes_of_values(values["shapes"])
        values["rules"] = tuple(values.get("rules", ()))
        return cls(**values)


def _shapes(formulas: Typeset, plots: Plots) -> BallotShapes:
    return BallotShapes(
        glyphs=formulas.glyphs,
        lower=formulas.lower,
        higher=formulas.higher,
        narrow=plots.narrow,
        wide=plots.wide,
        scale=plots.scale,
        lower_behaviour=plots.lower_behaviour,
        higher_behaviour=plots.higher_behaviour,
    )


def _card_of_values(values: Mapping[str, Any]) -> FormulaCard:
    return FormulaCard(
        latex=values["latex"],
        r2=values["r2"],
        complexity=values["complexity"],
        curve=tuple(values["curve"]),
        surface=tuple(map(tuple, values["surface"])),
    )


MIN_DIGITS = 4
FULL_DIGITS = 17
R2_TOLERANCE = 0.001
MAX_DATA_POINTS = 300


def problem_table(problem: Problem) -> Table:
    """A problem's table; raises `StudyError` unless it has one or two inputs and a target."""
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


_NAMED = re.compile(r"\w+")
_WORDS = re.compile(r"[^\W_]+")


def needs_symbol(name: str) -> bool:
    """Whether a formula with this name is read wrongly: several words, or a function of something.

    >>> [needs_symbol(name) for name in ("rotation speed", "log_Re", "b1990", "sepal_width")]
    [True, True, False, False]
    """
    head = name.partition("_")[0]
    return not _NAMED.fullmatch(name) or (head != name and head.lower() in FUNCTIONS)


def proposed_columns(problem: Problem) -> tuple[Column, ...]:
    """What the headers of a problem's table propose: a unit, words for raters, and a symbol.

    >>> problem = Problem("p", "rotation speed [km/s],y\\n1,2\\n2,3\\n")
    >>> proposed_columns(problem)[0]
    Column(name='rotation speed', unit='km/s', meaning='rotation speed', symbol='r')
    """
    table = problem_table(problem)
    found: list[Column] = []
    taken = {name for name in table.names if not needs_symbol(name)}
    for name in table.names:
        meaning = symbol = ""
        if needs_symbol(name):
            words = _WORDS.findall(name) or ["x"]
            meaning = " ".join(words)
            letters = [word[0] for word in words] + [f"{words[0][0]}_{k}" for k in range(1, 9)]
            symbol = next(each for each in letters if each not in taken)
            taken.add(symbol)
        found.append(Column(name, table.units.get(name, ""), meaning, symbol))
    return tuple(found)


def described_column(problem: Problem, name: str) -> Column:
    """A column as the organiser describes it, or else as its header does."""
    given = {column.name: column for column in problem.columns}
    if name not in given:
        given = {column.name: column for column in proposed_columns(problem)}
    return given[name]


def problem_samples(problem: Problem) -> Samples:
    table = problem_table(problem)
    *inputs, target = table.names
    try:
        return table.samples({name: name for name in inputs}, target)
    except UserError as error:
        raise StudyError(f"problem `{problem.name}`: {error.message}", hint=error.hint) from error


def read_member(
    member: Member,
    inputs: tuple[str, ...],
    exponents: Exponents = "exact",
    functions: Mapping[str, str] = DRAWN,
) -> Formula:
    """A member's tree over the data's columns, a tool's own functions as a page of mathematics has
    them: their names would tell the tool. Raises `StudyError` if there is none.
    """
    try:
        reading = read_with_functions(
            functions,
            member.formula,
            syntax=member.syntax or "auto",
            columns=inputs,
            parameters=dict(member.parameters),
            exponents=exponents,
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
    return _with_names_and_digits(reading.formula, match.mapping, None)


def _with_names_and_digits(
    formula: Formula, names: Mapping[str, str], digits: int | None
) -> Formula:
    def label(node: Node) -> str:
        if node.operator == VARIABLE:
            return names.get(node.label, node.label)
        if node.operator == CONSTANT and digits is not None:
            return short_constant(node.label, digits)
        return node.label

    nodes = tuple(node._replace(label=label(node)) for node in formula.nodes)
    return Formula(nodes, exponents=formula.exponents)


def ballot_formulas(
    pair: NewPair,
    inputs: tuple[str, ...],
    digits: int | None,
    exponents: Exponents = "exact",
    functions: Mapping[str, str] = DRAWN,
) -> tuple[Formula, Formula]:
    """The formulas of lower and of higher EIC with a ballot's names and digits; None: unrounded.

    >>> from eic_core.formula.rendering import to_latex, to_python
    >>> pair = NewPair("p", Member("2.03217*x0", 0, 1, 3), Member("x0+x0", 0, 1, 3))
    >>> [to_latex(formula) for formula in ballot_formulas(pair, ("t",), 3)]
    ['2.03 \\\\cdot t', 't + t']
    """
    lower, higher = (
        _with_names_and_digits(read_member(member, inputs, exponents, functions), {}, digits)
        for member in (pair.lower, pair.higher)
    )
    return lower, higher


def formulas_of_ballot(pair: NewPair, content: BallotContent) -> tuple[Formula, Formula]:
    """The trees that a frozen ballot draws; `StudyError` if today's versions write others."""
    names = tuple(axis.name for axis in content.figure.inputs)
    symbols = {axis.name: axis.written for axis in content.figure.inputs}
    on_ballot = (content.lower.latex, content.higher.latex)
    # A ballot whose formulas needed all digits has them unrounded; an older one draws gplearn's
    # functions as the plain ones.
    for functions, digits, exponents in product((DRAWN, PLAIN), (content.digits, None), EXPONENTS):
        lower, higher = (
            _with_names_and_digits(each, symbols, None)
            for each in ballot_formulas(pair, names, digits, exponents, functions)
        )
        if (to_latex(lower), to_latex(higher)) == on_ballot:
            return lower, higher
        form = fair_form(lower, higher)
        if form.latex == on_ballot:
            return form.lower, form.higher
    raise StudyError(
        "a formula is written in another way today than when the study was frozen",
        hint="ask with the version that froze it",
    )


def plain_texts(pair: NewPair, content: BallotContent) -> tuple[str, str]:
    """Both formulas as a ballot shows them, in plain text; in LaTeX where they cannot be reread."""
    try:
        lower, higher = formulas_of_ballot(pair, content)
    except StudyError:
        return content.lower.latex, content.higher.latex
    return to_python(lower), to_python(higher)


def evaluate(formula: Formula, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Values of the root, nan where it has none; shape as the columns."""
    samples = Samples.from_columns(columns)
    values = amplify(formula, samples, recheck=False, root_values=True).root_values
    assert values is not None
    flat = np.array(np.broadcast_to(np.asarray(values, dtype=float), (len(samples),)))
    flat[~np.isfinite(flat)] = np.nan
    return flat


def _r2(formula: Formula, samples: Samples, usable: np.ndarray) -> float:
    assert samples.target is not None
    predicted = evaluate(formula, samples.columns)
    return r_squared(predicted[usable], samples.target[usable])


def round_pair(
    lower: Formula, higher: Formula, samples: Samples
) -> tuple[int, tuple[Formula, Formula], tuple[float, float], float]:
    """Round both formulas to the fewest digits, at least 4, that keep both R² within 0.001.

    Returns the digits, the rounded formulas, their R², and its larger change. Raises `StudyError`
    if a formula has no value on the data.
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
        rounded = tuple(_with_names_and_digits(formula, {}, digits) for formula in (lower, higher))
        r2 = [_r2(f, samples, rows) for f, rows in zip(rounded, usable, strict=True)]
        change = max(abs(a - b) for a, b in zip(r2, full, strict=True))
        if change <= R2_TOLERANCE:  # never true of nan
            return digits, (rounded[0], rounded[1]), (r2[0], r2[1]), change
    return FULL_DIGITS, (lower, higher), (full[0], full[1]), 0.0


def make_content(problem: Problem, pair: NewPair, exponents: Exponents = "exact") -> BallotContent:
    """The ballot of one pair, in canonical order.

    Raises `StudyError` if a formula cannot be read or drawn on the data.

    >>> problem = Problem("p", "x,y\\n1,2.1\\n2,3.9\\n3,6.2\\n")
    >>> pair = NewPair("p", Member("2.0321*x0", 0, 1, 3), Member("x0+x0", 0, 1, 3))
    >>> content = make_content(problem, pair)
    >>> content.lower.latex, content.higher.latex, content.digits
    ('2.032 \\\\cdot x', 'x + x', 4)
    """
    samples = problem_samples(problem)
    inputs = tuple(samples.columns)
    lower, higher = (read_member(member, inputs, exponents) for member in (pair.lower, pair.higher))
    # Text, curve and R² all belong to the rounded constants: what raters see is one formula.
    digits, rounded, r2, change = round_pair(lower, higher, samples)
    figure = _figure(problem, samples)
    symbols = {axis.name: axis.written for axis in figure.inputs}
    form = fair_form(*(_with_names_and_digits(formula, symbols, None) for formula in rounded))
    cards = [
        # Complexity as found: pairs are matched by it. Counted on what is drawn it would differ by
        # up to 6 within a pair where one side lost zeros and ones, and give that side away.
        FormulaCard(latex=latex, r2=round(value, 3), complexity=formula.complexity)
        for latex, value, formula in zip(form.latex, r2, rounded, strict=True)
    ]
    names = tuple(axis.name for axis in figure.inputs)
    plots = draw_plots(figure, *(_values_of(formula, names) for formula in rounded))
    return BallotContent(
        title=problem.display_title,
        description=problem.description,
        figure=figure,
        lower=cards[0],
        higher=cards[1],
        digits=digits,
        r2_change=change,
        shapes=_shapes(typeset(cards[0].latex, cards[1].latex), plots),
        rules=form.applied,
    )


def _values_of(formula: Formula, names: Sequence[str]) -> Callable[..., np.ndarray]:
    return lambda inputs: evaluate(formula, dict(zip(names, inputs, strict=True)))


def _figure(problem: Problem, samples: Samples) -> BallotFigure:
    assert samples.target is not None
    columns = [*samples.columns.values(), samples.target]
    names = [*samples.columns, samples.target_name]
    axes = []
    for name, values in zip(names, columns, strict=True):
        low, high = float(values.min()), float(values.max())
        pad = 0.1 * (high - low) if values is samples.target else 0.0
        # A constant column still needs an axis with some width.
        if high == low:
            pad = 0.5 * max(1.0, abs(low))
        column = described_column(problem, name)
        axes.append(
            Axis(
                name,
                column.unit,
                column.meaning,
                _short(low - pad),
                _short(high + pad),
                name_mathml(column.symbol or name),
                column.symbol,
            )
        )
    rows = np.arange(len(samples))
    if len(rows) > MAX_DATA_POINTS:
        # Drawn by the table itself: freezing again gives the same ballot, and the same hash.
        seed = int.from_bytes(hashlib.sha256(problem.csv.encode()).digest()[:8], "big")
        rows = np.sort(np.random.default_rng(seed).choice(rows, MAX_DATA_POINTS, replace=False))
    points = tuple(tuple(_short(float(c[row])) for c in columns) for row in rows)
    return BallotFigure(
        kind="curve" if len(axes) == 2 else "surface",
        inputs=tuple(axes[:-1]),
        target=axes[-1],
        grids=(),
        points=points,
        rows=len(samples),
    )


def _short(value: float) -> float:
    # More digits than a screen shows.
    return float(f"{value:.6g}")


INSTRUCTION = (
    "This ballot checks that the page is being read. Whatever you think of the formulas, "
    "please choose formula {letter} here."
)


def _table(target: str, inputs: str, rule: list[tuple[float, float]]) -> str:
    return "\n".join([f"{inputs},{target}", *(f"{x:g},{y:g}" for x, y in rule)]) + "\n"


_WOBBLE = (0.4, -0.3, 0.1, -0.5, 0.3, 0.5, -0.2, -0.4, 0.2, 0.0, -0.1, 0.3)

PRACTICE_PROBLEM = Problem(
    name="practice",
    title="For practice: filling a tank",
    description=(
        "Water runs into a tank that was not empty at the start. The level was read every minute."
    ),
    csv=_table("level", "t", [(t, 3 + 2 * t + w) for t, w in enumerate(_WOBBLE)]),
    columns=(Column("t", "min", "time"), Column("level", "cm", "level of the water")),
)
# Practice must not teach a preference: one straight line, written in two ways of the same EIC.
PRACTICE_PAIR = NewPair(
    problem="practice",
    lower=Member("3 + 2*t", eic=0.0, r2=1.0, complexity=5),
    higher=Member("t + t + 3", eic=0.0, r2=1.0, complexity=5),
    kind=PairKind.PRACTICE,
)

# Each check has a formula that follows the data, and one that misses them. An instructed check asks
# for the second, so that reading the page is told from taste.
_CHECKS = (
    (
        Problem(
            name="check 1",
            title="A spring",
            description="A weight hangs from a spring. How far does the spring stretch?",
            csv=_table("s", "m", [(m, 4 * m + w) for m, w in enumerate(_WOBBLE, start=1)]),
            columns=(Column("m", "kg", "mass"), Column("s", "mm", "stretch")),
        ),
        ("4*m", "60 - 5*m"),
    ),
    (
        Problem(
            name="check 2",
            title="A car that brakes",
            description="How far does a car roll after the driver steps on the brake?",
            csv=_table("d", "v", [(5 * v, 1.5 * v * v + w) for v, w in enumerate(_WOBBLE, 1)]),
            columns=(Column("v", "km/h", "speed"), Column("d", "dm", "way until it stands")),
        ),
        ("0.06*v**2", "200 - 2*v"),
    ),
    (
        Problem(
            name="check 3",
            title="A candle",
            description="A candle burns. How long is it after some time?",
            csv=_table("h", "t", [(t, 240 - 15 * t + w) for t, w in enumerate(_WOBBLE)]),
            columns=(Column("t", "h", "time"), Column("h", "mm", "length of the candle")),
        ),
        ("240 - 15*t", "40 + 10*t"),
    ),
)


def special_material(design: StudyDesign) -> tuple[tuple[Problem, NewPair], ...]:
    """The practice pair and the checks that a design asks for, each with its problem.

    >>> [pair.kind.value for _, pair in special_material(StudyDesign(attention_checks=1))]
    ['practice', 'attention']
    """
    material = [(PRACTICE_PROBLEM, PRACTICE_PAIR)] if design.practice else []
    for problem, (fits, misses) in _CHECKS[: design.attention_checks]:
        good = Member(fits, eic=0.0, r2=1.0, complexity=3)
        bad = Member(misses, eic=0.0, r2=0.0, complexity=5)
        instructed = design.attention_kind == AttentionKind.INSTRUCTED
        lower, higher = (bad, good) if instructed else (good, bad)
        material.append((problem, NewPair(problem.name, lower, higher, kind=PairKind.ATTENTION)))
    return tuple(material)
