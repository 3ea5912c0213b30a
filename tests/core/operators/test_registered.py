"""A row is all that an operator needs: two that are added at run time are treated like the others.

`qerf`, which is erfc by another name, has one operand and magnifies errors without bound;
`addexp` has two, and says of itself nothing but its numbers.  The condition numbers are checked
against difference quotients at 300 digits, which know nothing of the rows.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import erfc

from eic_core.drawing.layout import node_sign
from eic_core.engine.amplify import amplify
from eic_core.engine.native.library import library
from eic_core.engine.tape import tape_of
from eic_core.errors import FormulaError
from eic_core.explain.diagnosis import Diagnosis, diagnose
from eic_core.explain.findings import GrowthOfLargeNumber
from eic_core.explain.ledger import blame
from eic_core.explain.phrases.causes import clause, domain, label
from eic_core.explain.phrases.headline import short_cause
from eic_core.formula.rendering import name_latex, short_text, to_latex, to_mathml, to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula
from eic_core.measure import Samples, inspect
from eic_core.operators import OPERATORS, Operator, Writing, register, registered, unregister
from eic_core.operators.row import by_name, call, nowhere, square
from eic_core.report import html_report
from eic_core.rewriting import repair
from tests.core.formula.test_rendering import forms
from tests.effort import cases

ERFC = Operator(
    "qerf",
    1,
    call(erfc),
    by_name("erfc"),
    partials=lambda B, a, y, p: (-2.0 / B.sqrt(B.pi) * B.exp(-square(a[0])),),
    vanishes=nowhere,
    exponential=True,
    low=2.0,
)

ADDEXP = Operator(
    "addexp",
    2,
    call(np.logaddexp),
    exact=lambda mp, a, p: max(a) + mp.log1p(mp.exp(-abs(a[0] - a[1]))),
    partials=lambda B, a, y, p: (B.exp(a[0] - y), B.exp(a[1] - y)),
    vanishes=nowhere,
    crossing="value",
)

FORMULAS = (
    "qerf(x)",
    "addexp(x, y)",
    "log(qerf(x)) + y",
    "addexp(x, y)*qerf(x - 1)",
    "qerf(addexp(x, y))/exp(y)",
    "1 - qerf(x/y)",
    "addexp(exp(x), qerf(x - 1))",
)

mp = mpmath.MPContext()
mp.dps = 300
STEP = mp.mpf(10) ** -100
VALUES = {
    "qerf": mp.erfc,
    "addexp": lambda a, b: mp.log(mp.exp(a) + mp.exp(b)),
    "log": mp.log,
    "exp": mp.exp,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}


@pytest.fixture(autouse=True)
def both() -> Iterator[None]:
    with registered(ERFC, ADDEXP):
        yield


def samples(count: int = 200) -> Samples:
    """x = 1 makes a zero operand of qerf, and from 27 on qerf(x) underflows."""
    rng = np.random.default_rng(5)
    x, y = rng.uniform(-3, 35, count), rng.uniform(-30, 3, count)
    x[:3], y[:3] = (1.0, 1.0, 0.25), (-2.0, 1.0, -900.0)
    return Samples.from_columns({"x": x, "y": y})


def mean_s2(formula: Formula, table: Samples) -> list[float]:
    """s-bar^2 of every node, from difference quotients in the absolute form."""
    sums = [mp.mpf(0)] * len(formula)
    for row in range(len(table)):
        y: list[mpmath.mpf] = []
        v: list[mpmath.mpf] = []
        for node in formula:
            if node.operator == VARIABLE:
                y.append(mp.mpf(table.decimal(node.label, row)))
                v.append(y[-1] ** 2)
            elif node.operator == CONSTANT:
                y.append(mp.mpf(node.label))
                v.append(y[-1] ** 2)
            else:
                function = VALUES[node.operator]
                a = [y[child] for child in node.children]
                value = function(*a)
                variance = value**2
                for i, child in enumerate(node.children):
                    step = STEP * (abs(a[i]) or 1)
                    ends = [function(*a[:i], a[i] + d, *a[i + 1 :]) for d in (step, -step)]
                    variance += ((ends[0] - ends[1]) / (2 * step)) ** 2 * v[child]
                y.append(value)
                v.append(variance)
            sums[node.id] += v[-1] / y[-1] ** 2 if y[-1] else mp.nan
    return [float(total / len(table)) for total in sums]


@pytest.mark.parametrize("text", FORMULAS)
def test_the_eic_of_every_node_is_that_of_difference_quotients(text: str) -> None:
    formula, table = read(text).formula, samples(cases(50, 200))
    found = amplify(formula, table)
    assert found.valid.all() and not len(found.assumed)
    for node, truth in zip(formula, mean_s2(formula, table), strict=True):
        if math.isnan(truth):  # x - 1 is 0 at two rows
            assert found.singular[node.id] == 2
            continue
        assert found.mean_s2(node.id) == pytest.approx(truth, rel=1e-9), node


def test_rows_that_leave_double_range_are_settled_at_60_digits() -> None:
    table = samples()
    beyond = int(np.count_nonzero(erfc(table.columns["x"]) < 2.3e-308))
    assert beyond > 20
    for text in ("qerf(x)", "addexp(0, 2*y - 2000)"):
        found = amplify(read(text).formula, table)
        assert found.rechecked == found.out_of_range == (beyond if text == "qerf(x)" else 200)
    hasty = amplify(read("qerf(x)").formula, table, recheck=False)
    assert math.isnan(hasty.mean_s2(1))  # what is not known passes for nothing


def test_it_runs_without_the_native_engine() -> None:
    native = library()
    if native is not None:
        assert native.pack(tape_of(read("sin(x)").formula)) is not None
        assert native.pack(tape_of(read("qerf(sin(x))").formula)) is None


@pytest.mark.parametrize(
    ("text", "syntax", "plain"),
    [
        ("qerf(x)*2", "infix", "qerf(x)*2"),
        ("np.addexp(x, y)", "infix", "addexp(x, y)"),
        (r"\operatorname{qerf}(x)", "latex", "qerf(x)"),
        (r"\operatorname{addexp}\left(x, y\right)^2", "latex", "addexp(x, y)**2"),
        (r"\mathrm{qerf}(x) + \qerf x", "latex", "qerf(x) + qerf(x)"),
        ("(addexp (qerf x) y)", "fpcore", "addexp(qerf(x), y)"),
        ("(FPCore (x) (- 1 (qerf x)))", "fpcore", "1 - qerf(x)"),
        ("add addexp x y qerf x", "prefix", "addexp(x, y) + qerf(x)"),
    ],
)
def test_it_is_read_in_every_notation(text: str, syntax: str, plain: str) -> None:
    reading = read(text)
    assert (reading.syntax, to_python(reading.formula)) == (syntax, plain)


@pytest.mark.parametrize("text", [*FORMULAS, "-qerf(-x)**2", "qerf(addexp(x, qerf(y)))/2"])
def test_what_is_written_reads_back_to_the_same_tree(text: str) -> None:
    formula = read(text).formula
    structure = formula.structure()
    assert read(to_python(formula)).formula.structure() == structure
    assert read(to_latex(formula), syntax="latex").formula.structure() == structure
    if "**" not in text and "/" not in text:
        label = short_text(formula, limit=400)
        assert read(label.replace("−", "-").replace("·", "*")).formula.structure() == structure
        shown = "".join(ET.fromstring(to_mathml(formula)).itertext())
        for mark, sign_ in (("\u2061", ""), ("·", "*"), ("−", "-"), ("ln", "log")):
            shown = shown.replace(mark, sign_)
        if "exp" not in text.replace("addexp", ""):  # set as a power of e
            assert read(shown).formula.structure() == structure


def test_its_card_shows_its_name() -> None:
    assert node_sign(read("addexp(x, y)").formula.root) == "addexp"


def diagnosis(text: str) -> Diagnosis:
    return diagnose(inspect(read(text).formula, samples()))


@pytest.mark.parametrize("text", FORMULAS)
def test_the_ledger_adds_up_at_every_node(text: str) -> None:
    inspection = inspect(read(text).formula, samples())
    for k in range(len(inspection.nodes)):
        ledger = blame(inspection, k)
        if ledger.rows:
            assert math.fsum(row.share for row in ledger.rows) == pytest.approx(1, abs=1e-12)
        assert all(str(sentence).endswith(".") for sentence in ledger.sentences)


def test_the_sentence_says_what_the_row_says() -> None:
    found = diagnosis("qerf(x)")
    growth = next(
        f.cause for f in found.verdict.findings if isinstance(f.cause, GrowthOfLargeNumber)
    )
    assert str(label(growth, found.inspection.formula)) == "`qerf` of a large number"
    assert str(clause(growth, found.inspection.formula)) == (
        "the `qerf` multiplies errors by its argument (up to 35)"
    )
    assert "at the step `qerf(x)`." in str(found.ledger.sentences[0])


def test_of_an_operator_without_words_the_sentence_says_what_its_numbers_say() -> None:
    table = Samples.from_columns({"x": [0.0, 0.0], "y": [-3.0, -3.1]})
    found = diagnose(inspect(read("addexp(100*x, 10*y)").formula, table))
    assert str(short_cause(found.verdict)) == "Steep function"
    # kappa of the second operand is near y_b itself: its softmax over log(1 + e^b)
    assert str(found.verdict.sentence).endswith("it multiplies errors of operand 2 by about 31.")


def test_why_a_value_is_missing_is_told_from_a_few_values() -> None:
    row = Operator(
        "halflog",
        1,
        call(np.log, np.sqrt),
        lambda mp, a, p: mp.sqrt(mp.log(a[0])),
        lambda B, a, y, p: (B.over(0.5, a[0] * y),),
    )
    assert not ERFC.has_gaps and not ADDEXP.has_gaps and row.has_gaps
    with registered(row):
        formula = read("halflog(x)").formula
        clause = str(domain(formula, formula.root.id))
        assert clause == "`halflog` has no real value for what it is given"
        table = Samples.from_columns({"x": [0.5, -1.0]})
        assert clause in str(diagnose(inspect(formula, table)).verdict.sentence)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_search_for_better_forms_leaves_it_alone(text: str) -> None:
    formula, table = read(text).formula, samples()
    found = repair(formula, table, limit_steps=60)
    for form in found.repairs:
        names = {n.operator for n in form.formula} & {"qerf", "addexp"}
        assert names == {n.operator for n in formula} & {"qerf", "addexp"}
        assert form.verification.rows > 0
    assert str(found.sentence).endswith(".")


def test_what_stands_around_it_is_mended() -> None:
    table = Samples.from_columns({"x": np.linspace(1e6, 2e6, 50), "y": np.linspace(1, 2, 50)})
    found = repair(read("qerf(y)*(sqrt(x + 1) - sqrt(x))").formula, table)
    assert found.best is not None and "qerf(y)" in found.best.text


@pytest.mark.parametrize("text", FORMULAS[:4])
def test_there_is_a_report(text: str) -> None:
    page = html_report(inspect(read(text).formula, samples()), with_repair=False)
    assert "qerf" in page or "addexp" in page
    assert "<h1" in page


def test_it_is_forgotten_when_it_is_withdrawn() -> None:
    assert name_latex("qerf_1") == r"\mathrm{qerf\_1}"
    unregister("qerf")
    with pytest.raises(FormulaError):
        read("qerf(x)")
    assert name_latex("qerf_1") == r"\mathrm{qerf}_{1}"
    register(ERFC)
    assert read("qerf(x)").formula.root.operator == "qerf"


def test_further_names_and_a_parameter_are_read_and_written() -> None:
    logit = Operator(
        "scaled",
        1,
        lambda p, count: ((np.multiply, 0, p),),
        lambda mp, a, p: a[0] * p.numerator,
        lambda B, a, y, p: (p,),
        fixed=lambda p: (1.0,),
        needs_parameter=True,
        writing=Writing("scaled stretched"),
    )
    with registered(logit):
        formula = read("stretched(x, 3) + 1").formula
        assert formula.nodes[1].parameter == Fraction(3)
        assert to_python(formula) == "scaled(x, 3) + 1"
        assert read(to_latex(formula)).formula.structure() == formula.structure()
        assert len(forms(logit)) == 1
        with pytest.raises(FormulaError, match="part of the function"):
            read("scaled(x, y)")


def test_a_name_is_taken_once_and_can_be_written() -> None:
    with pytest.raises(ValueError, match="already"):
        register(ERFC)
    with pytest.raises(ValueError, match="there is an operator `arcsin` already"):
        register(replace(ERFC, name="other", writing=Writing("other arcsin")))
    with pytest.raises(ValueError, match="lower-case"):
        register(Operator("no name", 1, ERFC.program, ERFC.exact, ERFC.partials))
    with pytest.raises(ValueError, match="no operator `sin` was added"):
        unregister("sin")
    assert OPERATORS["sin"].name == "sin"
