"""Both formulas of a pair stand in one typesetting, and no rule changes a value."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.formula.rendering import to_latex
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Draft, Formula, constant, variable
from study import pairing
from study.ballots import evaluate, problem_samples, read_member, round_pair
from study.demo import demo_pool_path
from study.demo.seeding import problems_of_demo
from study.matching import MatchingRules
from study.material import NewPair, Problem
from study.stimulus.form import RULES, FairForm, fair_form, short_constant
from tests.effort import examples
from tests.kept import making_once

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ("0", "1", "-1", "2", "-0.5", "0.5", "1.50", "-0.0", "3e-2", "1/2", "-1/3", "e", "pi")
UNARY = ("neg", "exp", "sin", "sqrt", "log", "abs", "tanh")
BINARY = ("add", "sub", "mul", "div", "pow")


def _leaves() -> st.SearchStrategy[Draft]:
    return st.one_of(
        st.sampled_from(NUMBERS).map(constant), st.sampled_from(["x", "y"]).map(variable)
    )


def _grown(inner: st.SearchStrategy[Draft]) -> st.SearchStrategy[Draft]:
    return st.one_of(
        st.builds(lambda name, u: Draft(name, [u]), st.sampled_from(UNARY), inner),
        st.builds(lambda name, u, v: Draft(name, [u, v]), st.sampled_from(BINARY), inner, inner),
        st.builds(
            lambda p, u: Draft("power", [u], parameter=Fraction(p)),
            st.sampled_from(["1", "2", "1/2", "-1"]),
            inner,
        ),
        st.builds(lambda u: Draft("root", [u], parameter=Fraction(2)), inner),
    )


TREES = st.recursive(_leaves(), _grown, max_leaves=12).map(Formula.from_draft)
POINTS = {
    "x": np.array([-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 1.7, 3.0, 0.9, -0.8]),
    "y": np.array([0.7, -1.3, 0.0, 1.0, -0.2, 2.2, 3.1, -2.0, 1.1, 0.0]),
}


def _read(text: str) -> Formula:
    return read(text).formula


def _form(text: str) -> FairForm:
    return fair_form(_read(text), _read("x"))


def _latex(text: str) -> str:
    return _form(text).latex[0]


# --- each rule ---


@pytest.mark.parametrize(
    ("found", "shown", "rules"),
    [
        ("0 + x", "x", {"neutral"}),
        ("x + 0", "x", {"neutral"}),
        ("x - 0", "x", {"neutral"}),
        ("0 - x", "-x", {"neutral"}),
        ("1*x", "x", {"neutral"}),
        ("x*1", "x", {"neutral"}),
        ("x/1", "x", {"neutral"}),
        ("x**1", "x", {"neutral"}),
        ("2 + 0*sin(x)", "2", {"neutral"}),
        ("2 + x**2*0", "2", {"neutral"}),
        ("2 + 0*log(x)", r"2 + 0 \cdot \ln\left(x\right)", set()),
        ("2 + 0*(1/x)", r"2 + 0 \cdot \frac{1}{x}", set()),
        ("2 + 0*x**-2", r"2 + 0 \cdot {x}^{-2}", set()),
        ("2 + 0*sin(sqrt(x))", r"2 + 0 \cdot \sin\left(\sqrt{x}\right)", set()),
        ("2 + 0*tan(x)", r"2 + 0 \cdot \tan\left(x\right)", set()),
        ("0/x", r"\frac{0}{x}", set()),
        ("(-1)*x", "-x", {"neutral"}),
        ("x*(-1)", "-x", {"neutral"}),
        ("x/(-1)", "-x", {"neutral"}),
        ("0.0003 + (0 + 1*(2 - 0))*x", r"0.0003 + 2 \cdot x", {"neutral"}),
        ("-(-0.1285*x)", r"0.1285 \cdot x", {"signs"}),
        ("y - (-0.1285*x)", r"y + 0.1285 \cdot x", {"signs"}),
        ("y + (-2*x)", r"y - 2 \cdot x", {"signs"}),
        ("y + (-x)", "y - x", {"signs"}),
        ("y - (-x)", "y + x", {"signs"}),
        ("y - (-3)", "y + 3", {"signs"}),
        ("-(-3)", "3", {"signs"}),
        ("-(3)", "-3", {"signs"}),
        ("(-2)*(-x)", r"2 \cdot x", {"signs"}),
        ("2*x*(-3*y)", r"-2 \cdot x \cdot \left(3 \cdot y\right)", {"signs"}),
        ("x*(-3)", r"-x \cdot 3", {"signs"}),
        ("2/(-3*x)", r"-\frac{2}{3 \cdot x}", {"signs"}),
        ("(-2)/(-3*x)", r"\frac{2}{3 \cdot x}", {"signs"}),
        ("y + (-2)/x*3", r"y - \frac{2}{x} \cdot 3", {"signs"}),
        ("-(pi*x)", r"-\pi \cdot x", {"signs"}),
        ("x - (-y + 2)", r"x - \left(-y + 2\right)", set()),
        ("-2*x + y", r"-2 \cdot x + y", set()),
        ("cos(-2*x)", r"\cos\left(-2 \cdot x\right)", set()),
        ("pow(e, x)", "e^{x}", set()),
        ("x**0.5", r"\sqrt{x}", {"roots"}),
        ("root(x, 2)", r"\sqrt{x}", {"roots"}),
        ("x*x", r"x \cdot x", set()),
        ("x + (y + 2)", r"x + \left(y + 2\right)", set()),
    ],
)
def test_a_rule_changes_the_writing(found: str, shown: str, rules: set[str]) -> None:
    form = _form(found)
    assert form.latex[0] == shown
    assert set(form.applied) == rules


def test_a_noisy_power_of_one_half_is_a_root_and_one_of_one_is_not_dropped() -> None:
    half = Formula.from_draft(Draft("pow", [variable("x"), constant("0.5")]))
    assert fair_form(half, half).latex[0] == r"\sqrt{x}"
    # x^1 with an inexact exponent has no value at negative x
    one = Formula.from_draft(Draft("pow", [variable("x"), constant("1")]))
    assert fair_form(one, one).latex[0] == "{x}^{1}"


def test_numbers_that_kept_all_their_digits_are_printed_in_one_style() -> None:
    form = _form("2.000*x + 1.50E-7")
    assert form.latex[0] == r"2 \cdot x + 1.5\times 10^{-7}" and form.applied == ("numbers",)
    long = "0.12345678901234567891"
    assert _latex(f"{long}*x") == rf"{long} \cdot x"
    assert short_constant("nan", 4) == "nan"


LONG = "exp(x*x + 2.5*x*x)"


@pytest.mark.parametrize("swap", [False, True])
def test_exponentials_are_written_in_one_way_in_both(swap: bool) -> None:
    pair = [_read("3*exp(x)"), _read(LONG)]
    form = fair_form(*(reversed(pair) if swap else pair))
    assert all(r"\exp" in latex and "e^" not in latex for latex in form.latex)
    assert form.applied == ("exponentials",) and not form.compact
    small = fair_form(_read("exp(x)"), _read("exp(-x)"))
    assert small.latex == ("e^{x}", "e^{-x}") and small.applied == ()
    large = fair_form(_read(LONG), _read("x"))
    assert large.applied == () and large.latex[0].startswith(r"\exp")
    assert fair_form(_read(f"exp(x) + {LONG}"), _read("x")).applied == ("exponentials",)


def test_what_a_rule_makes_is_looked_at_by_the_others() -> None:
    form = _form("y - (0 + 1*(-2.50*x))")
    assert form.latex[0] == r"y + 2.5 \cdot x"
    assert form.applied == ("numbers", "neutral", "signs")
    # a formula whose exponent shrinks is a power of e, as the other one is
    shrunk = fair_form(_read("exp(0 + 1*(0 + 1*x))"), _read("exp(x)"))
    assert shrunk.compact and shrunk.latex == ("e^{x}", "e^{x}")


def test_a_deep_formula_needs_no_recursion() -> None:
    draft = variable("x")
    for place in range(5000):
        draft = Draft(("neg", "mul", "add")[place % 3], [draft, constant("-1")][: 1 + place % 3])
    formula = Formula.from_draft(draft)
    assert "neutral" in fair_form(formula, formula).applied


def test_rules_have_ids_of_their_own_and_a_sentence() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.sentence and not rule.sentence.endswith(".") for rule in RULES)


# --- no value changes ---


def _value(formula: Formula, place: int) -> mpmath.mpf | None:
    """Worked out by mpmath, at 60 digits; None where there is no real value."""
    values: list[mpmath.mpf | None] = []
    for node in formula.nodes:
        operands = [values[child] for child in node.children]
        values.append(None if None in operands else _operation(node, operands, place))
    return values[-1]


def _operation(node, a, place):  # type: ignore[no-untyped-def]
    mp = mpmath.mp
    name, p = node.operator, node.parameter
    if name == VARIABLE:
        return mp.mpf(float(POINTS[node.label][place]))
    if name == CONSTANT:
        if node.label in ("e", "pi"):
            return getattr(mp, node.label) + 0
        return mp.mpf(Fraction(node.label).numerator) / Fraction(node.label).denominator
    if (
        (name == "div" and a[1] == 0)
        or (name == "log" and a[0] <= 0)
        or (name in ("sqrt", "root") and a[0] < 0)
        or (name == "pow" and (a[0] < 0 or (a[0] == 0 and a[1] <= 0)))
        or (name == "power" and a[0] == 0 and p < 0)
        or (name == "power" and a[0] < 0 and p.denominator > 1)
    ):
        return None
    if name in ("exp", "pow", "power"):
        size = a[0] if name == "exp" else (a[1] if name == "pow" else p) * mp.log(abs(a[0]) + 1)
        if abs(size) > 10**4:
            return None  # beyond any use; the test looks at moderate values only
    return {
        "add": lambda: a[0] + a[1],
        "sub": lambda: a[0] - a[1],
        "mul": lambda: a[0] * a[1],
        "div": lambda: a[0] / a[1],
        "neg": lambda: -a[0],
        "abs": lambda: abs(a[0]),
        "exp": lambda: mp.exp(a[0]),
        "sin": lambda: mp.sin(a[0]),
        "tanh": lambda: mp.tanh(a[0]),
        "sqrt": lambda: mp.sqrt(a[0]),
        "root": lambda: mp.sqrt(a[0]),
        "log": lambda: mp.log(a[0]),
        "pow": lambda: a[0] ** a[1],
        "power": lambda: a[0] ** (mp.mpf(p.numerator) / p.denominator),
    }[name]()


@settings(max_examples=examples(300), deadline=None)
@given(TREES)
def test_every_rule_keeps_the_value_by_mpmath(formula: Formula) -> None:
    with mpmath.workdps(60):
        for rule in RULES:
            rewritten = rule.rewrite(formula) if rule.rewrite else formula
            for place in range(len(POINTS["x"])):
                one, other = _value(formula, place), _value(rewritten, place)
                assert (one is None) == (other is None), rule.id
                if one is not None:
                    assert abs(one - other) <= mpmath.mpf(10) ** -40 * (1 + abs(one)), rule.id


@settings(max_examples=examples(200), deadline=None)
@given(TREES, TREES)
def test_the_form_keeps_the_engines_values_and_is_its_own_form(
    lower: Formula, higher: Formula
) -> None:
    form = fair_form(lower, higher)
    again = fair_form(form.lower, form.higher)
    assert again.latex == form.latex and set(again.applied) <= {"exponentials"}
    for formula, shown in ((lower, form.lower), (higher, form.higher)):
        assert not set(shown.variables) - set(formula.variables)
        one, other = evaluate(formula, POINTS), evaluate(shown, POINTS)
        both = np.isfinite(one) & np.isfinite(other)
        # values beyond doubles are no values of the engine, of one writing or the other
        assert np.allclose(one[both], other[both], rtol=1e-9, atol=1e-9)


@settings(max_examples=examples(200), deadline=None)
@given(TREES)
def test_no_neutral_number_and_no_double_sign_is_left(formula: Formula) -> None:
    shown = fair_form(formula, formula).lower
    for node in shown.nodes:
        operands = [shown.nodes[child] for child in node.children]
        numbers = [o.label if o.operator == CONSTANT else "" for o in operands]
        if node.operator in ("add", "sub"):
            assert "0" not in numbers
            assert operands[1].operator != "neg" and not numbers[1].startswith("-")
        if node.operator in ("mul", "div"):
            assert numbers[1] != "1" and (node.operator == "div" or numbers[0] != "1")
            assert operands[1].operator != "neg" and not numbers[1].startswith("-")
        if node.operator == "neg":
            assert operands[0].operator not in ("neg", "mul") and not re.match("[-0-9]", numbers[0])


# --- the demo's pairs ---


@cache
def _demo_pairs() -> tuple[tuple[Problem, NewPair], ...]:
    problems = problems_of_demo()
    path = demo_pool_path()
    with making_once():
        pool = pairing.read_upload(path.name, path.read_bytes(), problems, jobs=1).pool
        pairs = pairing.match_candidates(pool, problems, MatchingRules())
    by_name = {problem.name: problem for problem in problems}
    return tuple((by_name[pair.problem], pair) for pair in pairs[1])


def test_the_demos_pairs_lose_the_habits_of_their_tools() -> None:
    counts: Counter[str] = Counter()
    changed = 0
    for problem, pair in _demo_pairs():
        samples = problem_samples(problem)
        inputs = tuple(samples.columns)
        _, rounded, _, _ = round_pair(
            *(read_member(member, inputs) for member in (pair.lower, pair.higher)), samples
        )
        form = fair_form(*rounded)
        counts.update(form.applied)
        changed += form.latex != tuple(map(to_latex, rounded))
        for latex in form.latex:
            assert not re.search(r"(?<![\d.])0 [-+]|[-+] 0(?![\d.])|(?<![\d.])0 \\cdot", latex)
            assert not re.search(r"(?<![\d.{])1 \\cdot|\\cdot 1(?![\d.])", latex)
            assert not re.search(r"[-+] -|\\cdot \\left\(-[\d.]+\\right\)", latex)
        assert (
            len({r"\exp" in latex for latex in form.latex if "exp" in latex or "e^" in latex}) < 2
        )
        for formula, shown in zip(rounded, (form.lower, form.higher), strict=True):
            one, other = (evaluate(f, samples.columns) for f in (formula, shown))
            assert np.array_equal(np.isnan(one), np.isnan(other))
            assert np.allclose(one, other, rtol=1e-12, atol=0, equal_nan=True)
    readme = " ".join((ROOT / "study" / "demo" / "README.md").read_text(encoding="utf-8").split())
    assert (
        f"On ballots {changed} of the {len(_demo_pairs())} pairs are written otherwise than the "
        f"tools printed them: signs are joined in {counts['signs']}, zeros and ones of the "
        f"printing left out in {counts['neutral']}, exponentials written in one way in "
        f"{counts['exponentials']}."
    ) in readme
    assert set(counts) == {"neutral", "signs", "exponentials"}
