"""A formula copied to another language is the same formula: read back, and evaluated.

A text reads back to the same tree; where the language lacks an operator, a helper or a longer form
stands for it, and that is said; else it is refused. What the texts are worth in their languages is
in `test_target_meanings`.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings

from eic_core.engine.values import values
from eic_core.errors import FormulaError
from eic_core.formula.copying import COPIED, NOTATIONS, copied
from eic_core.formula.syntax import read
from eic_core.formula.tree import VARIABLE, Draft, Formula, variable
from eic_core.operators import OPERATORS, Operator
from eic_core.operators.dialects import DIALECTS
from eic_core.samples import Samples
from tests.core.formula.test_rendering import formulas
from tests.core.measure.trees import random_case
from tests.effort import cases, examples

DATA = Path(__file__).resolve().parents[3] / "eic_core/corpora/data"

PLACES = dict.fromkeys(OPERATORS, (0.3, 0.7, 1.2)) | {
    "acosh": (1.3, 1.7, 2.2),
    **dict.fromkeys(("mod", "fmod", "remainder"), (-2.7, 0.7, 1.2)),
}

REFUSED = {
    "numpy": set(),
    "c": set(),
    "julia": set(),
    "matlab": {"fma"},
    "fortran": set(),
    "mathematica": {"fma"},
    "fpcore": {"round"},
    "sympy": {"fma", "round", "remainder"},
    "excel": {"fma", "round", "remainder"},
    "python": set(),
    "latex": set(),
    "mathml": set(),
}
"""What each language has no way to say, or says with another meaning, as ROUND of a half does."""


def of_row(row: Operator) -> Iterator[Formula]:
    """Trees of one operator, with each kind of parameter that it takes."""
    names = [variable(name) for name in "xyz"[: row.arity or 3]]
    less = Draft("less_than", [variable("x"), variable("y")])
    more = Draft("greater_than", [variable("y"), variable("z")])
    if row.chooses:
        names[0] = less
    elif row.truth and not row.compares:
        names = [less, more][: row.arity]
    given: list[Fraction | None] = [None]
    if row.base:
        given = [None, Fraction(2), Fraction(10), Fraction(7, 2)]
    elif row.needs_parameter:
        given = [Fraction(2), Fraction(3), *([Fraction(-3, 2)] if row.power else [])]
    for parameter in given:
        draft = Draft(row.name, names, parameter=parameter)
        if row.truth:  # alone it might be an equation
            draft = Draft("conditional", [draft, variable("x"), variable("y")])
        yield Formula.from_draft(draft)


def at_points(formula: Formula, row: Operator) -> list[float]:
    columns = dict(zip("xyz", np.array(PLACES[row.name])[:, None].repeat(2, 1), strict=True))
    columns["x"] = columns["x"] * [1.0, 1.25]
    used = {name: columns[name] for name in formula.variables}
    return np.asarray(values(formula, Samples.from_columns(used))).tolist()


@pytest.mark.parametrize("language", COPIED)
def test_every_operator_is_copied_or_refused_in_a_sentence(language: str) -> None:
    for row in OPERATORS.values():
        for formula in of_row(row):
            if row.name in REFUSED[language]:
                with pytest.raises(FormulaError, match=f"cannot be written in {COPIED[language]}"):
                    copied(formula, language)
                continue
            found = copied(formula, language)
            back = read_back(found.text, language, formula)
            assert np.allclose(
                at_points(renamed(back, formula), row), at_points(formula, row), rtol=1e-12
            ), found.text
            assert found.same or found.notes, found.text


def read_back(text: str, language: str, formula: Formula) -> Formula:
    """What our reader makes of a text when it is told the language and nothing else."""
    return read(text, syntax={**DIALECTS, **NOTATIONS}[language].syntax).formula


def renamed(back: Formula, formula: Formula) -> Formula:
    """A tree with the names of another: a spreadsheet has cells."""
    names = dict(zip(sorted(back.variables), sorted(formula.variables), strict=True))
    return Formula(tuple(n._replace(label=names.get(n.label, n.label)) for n in back.nodes))


@settings(max_examples=examples(200), deadline=None)
@given(formulas)
def test_whatever_is_copied_reads_back_to_the_same_tree_unless_it_says_so(formula: Formula) -> None:
    for language in COPIED:
        try:
            found = copied(formula, language)
        except FormulaError as error:
            assert f"cannot be written in {COPIED[language]}" in error.message
            continue
        assert found.same or found.notes, found.text


def of_pools() -> list[Formula]:
    """Formulas that searches found, laws, and what stands in an encyclopaedia."""
    taken = []
    for name, many in (("searched", 140), ("feynman", 100), ("wikipedia", 60)):
        with (DATA / f"{name}.csv").open(encoding="utf-8") as handle:
            rows = list(csv.DictReader(handle))
        step = max(1, len(rows) // many)
        taken += [read(row["formula"]).formula for row in rows[::step][:many]]
    return taken


def test_formulas_of_pools_are_copied_to_every_language() -> None:
    pool = of_pools()
    assert len(pool) == 300
    for place, language in enumerate(COPIED):
        for formula in pool[place % cases(4, 1) :: cases(4, 1)]:
            found = copied(formula, language)
            assert found.same or found.defined, (language, found.text)


def test_numpy_computes_from_the_text_what_the_tree_is_worth() -> None:
    compared = 0
    for seed in range(cases(60, 600)):
        formula, _ = random_case(seed)
        copy = copied(formula, "numpy")
        rng = random.Random(seed)
        columns = {n: np.array([rng.uniform(0.2, 3) for _ in range(5)]) for n in formula.variables}
        if not columns:
            continue
        known: dict[str, object] = {"np": np, "scipy": scipy}
        exec("\n".join(copy.helpers), known)  # noqa: S102
        with np.errstate(all="ignore"):
            found = eval(copy.text, known | columns)  # noqa: S307
        expected = np.asarray(values(formula, Samples.from_columns(columns)))
        usable = np.isfinite(expected) & (abs(expected) > 1e-3) & (abs(expected) < 1e3)
        assert np.allclose(np.broadcast_to(found, 5)[usable], expected[usable], rtol=1e-6), (
            copy.text
        )
        compared += int(usable.sum())
    assert compared > 100


@pytest.mark.parametrize(
    ("formula", "language", "text"),
    [
        ("-x**2", "excel", "=-(A2^2)"),
        ("(-x)**2", "excel", "=(-A2)^2"),
        ("(-2)**2*x", "excel", "=(-2)^2*A2"),
        ("x**(-2)", "excel", "=A2^(-2)"),
        ("(x**2)**y", "excel", "=(A2^2)^B2"),
        ("1e-7*x + 2", "fortran", "1.0d-7*x + 2.0d0"),
        ("x/2*X", "fortran", "x/2.0d0*X_2"),
        ("1/3*x", "c", "1./3.*x"),
        ("x**2*y/2", "matlab", "x .^ 2.*y./2"),
        ("where((x > y) & (x < 2), x, y)", "julia", "@. ifelse((x > y) & (x < 2.0), x, y)"),
        ("1.5e-7*E_n + log(E_n)", "mathematica", "1.5*^-7*En + Log[En]"),
        ("x - y + 2", "fpcore", "(FPCore (x y) (+ (- x y) 2))"),
        ("lambda*x", "numpy", "lambda_2*x"),
        ("(x > 1)*y", "c", "(double)(x > 1.)*y"),
        ("atan2(y, x)", "mathematica", "ArcTan[x, y]"),
    ],
)
def test_the_traps_of_a_language_are_stepped_around(formula: str, language: str, text: str) -> None:
    assert (
        copied(read(formula, columns=("x", "X", "y", "E_n", "lambda")).formula, language).text
        == text
    )


@pytest.mark.parametrize(
    ("formula", "language", "text"),
    [
        ("e*x", "python", "lambda e, x: e*x"),
        ("x*or", "python", "x*or"),
        ("t1 + 1", "latex", r"\mathrm{t1} + 1"),
        ("gamma*x", "mathml", "<mi>γ</mi>"),
        ("1168*pi", "c", "1168.*M_PI"),
        ("x**3000000000", "c", "pow(x, 3000000000.)"),
        ("pi5*_0", "c", "pi5*v0"),
        ("x/2 + Rational(1, 2)", "latex", r"\frac{x}{2} + 0.5"),
    ],
)
def test_a_text_is_the_same_tree_where_it_is_read_alone(
    formula: str, language: str, text: str
) -> None:
    names = ("e", "x", "or", "t1", "t_1", "gamma", "pi5", "_0")
    tree = read(formula, columns=names).formula
    copy = copied(tree, language)
    assert copy.same and text in copy.text
    names_back = {new: old for old, new in copy.renamed}
    again = read(copy.text, syntax="auto" if language == "python" else language).formula
    assert [names_back.get(n.label, n.label) for n in again if n.operator == VARIABLE] == [
        n.label for n in tree if n.operator == VARIABLE
    ]


@pytest.mark.parametrize(
    ("formula", "language"), [("e*x", "latex"), ("if*x", "mathml"), ("pow + x", "mathml")]
)
def test_a_name_that_means_something_else_is_refused_with_what_to_do(
    formula: str, language: str
) -> None:
    tree = read(formula, columns=("e", "if", "pow", "x")).formula
    with pytest.raises(FormulaError, match="the name `.*` means something else there") as refusal:
        copied(tree, language)
    assert refusal.value.hint == "rename it"


def test_constants_keep_their_digits_and_a_sheet_that_drops_some_says_so() -> None:
    formula = read("0.1234567890123456789*x + 2.50").formula
    for language in COPIED:
        assert "1234567890123456789" in copied(formula, language).text
        assert "2.50" in copied(formula, language).text
    assert any("keeps 15 digits" in note for note in copied(formula, "excel").notes)
    assert not any("digits" in note for note in copied(formula, "matlab").notes)


@pytest.mark.parametrize(
    ("formula", "language", "text"),
    [
        ("log1p(x)*log1p", "fortran", "log1p(x)*log1p_2"),
        ("hypot(x, scaled)", "mathematica", "hypot[x, scaled2]"),
        ("root(refined, 3)", "julia", "@. root(refined_2, 3)"),
        ("lgamma(re)", "sympy", "lgamma(re_2)"),
        ("mod(y, floormod)", "matlab", "floormod(y, floormod_2)"),
    ],
)
def test_no_variable_has_the_name_of_a_helper(formula: str, language: str, text: str) -> None:
    tree = read(formula, columns=("x", "y", "log1p", "scaled", "refined", "re", "floormod")).formula
    copy = copied(tree, language)
    assert copy.text == text and copy.helpers
    assert copy.program == "\n\n".join((*copy.helpers, text))


def test_a_helper_stands_once_and_each_needed_one_does() -> None:
    copy = copied(read("mod(x, y) + fmod(y, x) + log1p(x)*log1p(y)").formula, "matlab")
    assert [helper.split("(")[0] for helper in copy.helpers] == [
        "function r = fmod",
        "function r = floormod",
    ]
    assert len(copied(read("log1p(x)*log1p(y)").formula, "fortran").helpers) == 1


@pytest.mark.parametrize(
    ("formula", "language", "note"),
    [
        ("log1p(x)", "excel", "Excel has no `log1p`: `IF(ABS(x)<1E-8, x*(1-x/2), "),
        ("asinh(x)", "excel", "Excel has no accurate `asinh`: a longer form that keeps its digits"),
        ("erfc(x)", "julia", "`erfc` needs what is imported before the formula."),
        ("mod(x, y)", "matlab", "MATLAB has no accurate `mod`: the definition before the formula"),
        ("log(x, 7)", "c", "C has no `log(x, n)`: `log(x)/log(n)` stands for it."),
    ],
)
def test_a_note_says_what_stands_for_an_operator(formula: str, language: str, note: str) -> None:
    assert copied(read(formula).formula, language).notes[0].startswith(note)


def test_a_text_that_is_too_long_for_a_cell_is_refused_with_what_to_write() -> None:
    with pytest.raises(FormulaError, match="8,192 characters") as refusal:
        copied(read("log1p(log1p(log1p(log1p(log1p(x)))))").formula, "excel")
    assert "write parts of it by themselves" in (refusal.value.hint or "")


def test_a_truth_value_is_no_number_where_the_language_has_none() -> None:
    with pytest.raises(FormulaError, match="cannot be written in Mathematica"):
        copied(read("(x > 1)*y").formula, "mathematica")


def test_the_command_writes_the_text_alone_and_says_the_rest_aside(
    eic: Callable,
) -> None:
    printed = eic("write", "-expm1(x)", "--as", "sympy")
    assert printed.out.startswith("class expm1(Function):\n")
    assert printed.out.endswith("\n\n-expm1(x)\n")
    assert "SymPy has no `expm1`: the definition before the formula stands for it." in printed.err
    document = json.loads(eic("write", "sqrt(x)", "--as", "c", "--json").out)
    assert document["text"] == "sqrt(x)" and document["helpers"] == []
    assert "cannot be written in Excel" in eic("write", "round(x)", "--as", "excel", status=2).err
