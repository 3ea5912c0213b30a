"""Bounds of series: true at 200 digits, tight, and refused where nothing can be proved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.formula.syntax import read
from eic_core.operators.balls import working
from eic_core.rewriting.series.coefficients import Unproved, is_zero, key_of, to_ball
from eic_core.rewriting.series.expanding import expand
from eic_core.rewriting.series.expansion import ExpansionQuestion, Point
from eic_core.rewriting.series.horner import written
from eic_core.rewriting.series.proof import Proofs
from eic_core.rewriting.series.taylor_models import BITS, ModelField, Modeller
from eic_core.rewriting.terms import Terms
from tests.core.rewriting.rewriting_oracle import MP, TooFar, value
from tests.effort import dear, examples
from tests.repairs import repaired_on

ROWS = 300

ZERO = Fraction(0)
BOTH = (1, -1)


def worst_error(
    terms: Terms,
    term: int,
    approximation: int,
    point: Point,
    radius: Fraction,
    box: Mapping[str, tuple[float, float]],
    sides: tuple[int, ...] = (1, -1),
    rows: int = ROWS,
) -> float:
    """The largest |approximation/term - 1| at random points, some at the ends."""
    rng = np.random.default_rng(1)
    worst = 0.0
    exact, near = (terms.formula(each).to_draft() for each in (term, approximation))
    with MP.workdps(200):
        for row in range(rows):
            share = 1.0 if row < 20 else float(rng.uniform() ** rng.integers(1, 5))
            h = MP.mpf(share) * radius.numerator / radius.denominator
            if not share:
                continue
            side = sides[row % len(sides)]
            if isinstance(point, Fraction):
                x = MP.mpf(point.numerator) / point.denominator + side * h
            else:
                x = 1 / h if point == "inf" else -1 / h
            values = {"x": x}
            for name, (low, high) in box.items():
                ends = (low, high, float(rng.uniform(low, high)))
                values[name] = MP.mpf(ends[row % 3])
            worst = max(worst, float(abs(value(near, values) / value(exact, values) - 1)))
    return worst


def bound_of(
    term: str,
    approximation: str,
    point: Point = ZERO,
    radius: Fraction = Fraction(1, 10),
    box: Mapping[str, tuple[float, float]] | None = None,
    sides: tuple[int, ...] = (1, -1),
) -> tuple[float, float]:
    """The bound, and the largest error there is at random points."""
    terms = Terms()
    first, second, x = (terms.add(read(text).formula) for text in (term, approximation, "x"))
    box = box or {}
    bound = Proofs(terms, first, x, point, box).bound(second, radius, sides)
    return bound, worst_error(terms, first, second, point, radius, box, sides)


AT_ZERO = [
    ("x - sin(x)", "x**3/6 - x**5/120 + x**7/5040"),
    ("sin(x) - x", "-x**3/6"),
    ("1/x - 1/tan(x)", "x/3 + x**3/45"),
    ("1/x - cot(x)", "x/3 + x**3/45"),
    ("(x - sin(x))/(x - tan(x))", "9*x**2/40 - 0.5"),
    ("(1 - cos(x))/x**2", "0.5 - x**2/24"),
    ("(exp(x) - 1 - x)/x**2", "0.5 + x/6"),
    ("expm1(x) - x", "x**2/2 + x**3/6"),
    ("log(1 + x) - x", "x**3/3 - x**2/2"),
    ("log1p(x) - x", "-x**2/2"),
    ("cosh(x) - 1 - x**2/2", "x**4/24"),
    ("sinh(x) - x", "x**3/6 + x**5/120"),
    ("tanh(x) - x", "2*x**5/15 - x**3/3"),
    ("atan(x) - x", "-x**3/3 + x**5/5"),
    ("asin(x) - x", "x**3/6 + 3*x**5/40"),
    ("acos(x) - pi/2", "-x - x**3/6"),
    ("asinh(x) - x", "3*x**5/40 - x**3/6"),
    ("atanh(x) - x", "x**3/3"),
    ("sec(x) - 1", "x**2/2"),
    ("csc(x) - 1/x", "x/6 + 7*x**3/360"),
    ("sqrt(1 + x) - 1 - x/2", "-x**2/8"),
    ("cbrt(8 + x) - 2", "x/12 - x**2/288"),
    ("(1 + x)**2.5 - 1", "5*x/2 + 15*x**2/8"),
    ("exp(sin(x)) - exp(x)", "-x**3/6 - x**4/6"),
    ("erf(x) - 2*x/sqrt(pi)", "-2*x**3/(3*sqrt(pi))"),
    ("erfc(x)", "1 - 2*x/sqrt(pi)"),
    ("erfcx(x) - 1", "x**2 - 2*x/sqrt(pi)"),
    ("logaddexp(x, 0) - log(2)", "x/2 + x**2/8"),
    ("log(cos(x))", "-x**2/2 - x**4/12"),
    ("exp(2 + x) - exp(2)*(1 + x)", "exp(2)*x**2/2"),
    ("sin(1 + x) - sin(1)", "x*cos(1) - x**2*sin(1)/2"),
    ("gamma(2 + x)", "1 + 0.42278433509846713939*x"),
    ("log(x + 2) - log(2 - x)", "x"),
    ("atan(1 + x) - pi/4", "x/2 - x**2/4"),
    ("atan2(x, 2) - x/2", "-x**3/24"),
    ("atan2(1 + x, -1) - 3*pi/4", "-x/2"),
    ("x - x*(1 - x**2)**(1/2)", "x**3/2"),
]


@dear(7)
@pytest.mark.parametrize(("term", "approximation"), AT_ZERO)
@pytest.mark.parametrize("radius", [Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**5)])
def test_bound_near_zero_is_true_and_tight(term: str, approximation: str, radius: Fraction) -> None:
    bound, error = bound_of(term, approximation, ZERO, radius)
    assert error <= bound
    # Far from 0 nothing is proved of these: the ball of their rest is too wide
    if not (term.startswith(("gamma", "asinh")) and radius == Fraction(1, 2)):
        assert bound <= 10 * error


@pytest.mark.parametrize(
    ("term", "approximation"),
    [
        ("1/(x + 1) - 2/x + 1/(x - 1)", "2/x**3"),
        ("x - sqrt(x**2 - 1)", "1/(2*x) + 1/(8*x**3)"),
        ("atan(x) - pi/2", "1/(3*x**3) - 1/x"),
        ("sqrt(x + 1)/sqrt(x - 1) - 1", "1/x + 1/(2*x**2)"),
        ("log(x + 1) - log(x)", "1/x"),
        ("x*log(1 + 1/x) - 1", "-1/(2*x)"),
        ("exp(1/x) - 1", "1/x + 1/(2*x**2)"),
        ("1 - sqrt(pi)*x*erfcx(x)", "1/(2*x**2) - 3/(4*x**4)"),
        ("lgamma(x) - (x - 0.5)*log(x) + x - log(2*pi)/2", "1/(12*x) - 1/(360*x**3)"),
        ("lgamma(x + 0.5) - lgamma(x) - log(x)/2", "-1/(8*x)"),
        ("betaln(x, 0.5) - lgamma(0.5) + log(x)/2", "1/(8*x)"),
    ],
)
@pytest.mark.parametrize("radius", [Fraction(1, 4), Fraction(1, 1000)])
def test_bound_at_an_end_of_the_line_is_true(
    term: str, approximation: str, radius: Fraction
) -> None:
    bound, error = bound_of(term, approximation, "inf", radius)
    assert error <= bound <= 10 * error


def test_both_ends_of_the_line_have_their_own_sign() -> None:
    bound, error = bound_of("atan(x) + pi/2", "1/(3*x**3) - 1/x", "-inf")
    assert error <= bound <= 10 * error
    assert bound_of("atan(x) - pi/2", "1/(3*x**3) - 1/x", "-inf")[0] > 1


@pytest.mark.parametrize(
    ("term", "approximation", "box"),
    [
        ("log(1 + a*x) - a*x", "-a**2*x**2/2", {"a": (0.5, 2.0)}),
        ("sqrt(a + x) - sqrt(a)", "x/(2*sqrt(a))", {"a": (0.5, 20.0)}),
        ("exp(a*x) - exp(-a*x)", "2*a*x", {"a": (0.5, 4.0)}),
        ("1/(a + x) - 1/a", "-x/a**2", {"a": (1.0, 3.0)}),
        ("(exp(a*x) - 1)/(exp(b*x) - 1)", "a/b", {"a": (0.5, 2.0), "b": (1.0, 2.0)}),
        ("a*(x - sin(x))", "a*x**3/6", {"a": (-2.0, -1.0)}),
        ("atan(x + a) - atan(a)", "x/(1 + a**2)", {"a": (0.5, 3.0)}),
        ("erf(a + x) - erf(a)", "2*x*exp(-a**2)/sqrt(pi)", {"a": (0.1, 0.7)}),
        ("sqrt(a**2 + x) - a", "x/(2*a)", {"a": (0.5, 0.7)}),
    ],
)
def test_bound_holds_for_all_other_inputs_in_the_box(
    term: str, approximation: str, box: Mapping[str, tuple[float, float]]
) -> None:
    bound, error = bound_of(term, approximation, ZERO, Fraction(1, 100), box)
    assert error <= bound < 40 * error


IN_LETTERS = (
    "1 - (1 - x)**k*(1 + k*x)",
    "(1 + x)**k - 1 - k*x",
    "(1 + x)**k - exp(k*x)",
    "k*sin(x) - sin(k*x)",
    "expm1(k*x)/k - expm1(m*x)/m",
    "k*log1p(x/k) - m*log1p(x/m)",
    "tan(k*x) - k*tan(x)",
    "(1 + x)**m*(1 + k*x) - 1 - (m + k)*x",
)


@pytest.mark.parametrize("text", IN_LETTERS)
def test_bound_of_series_with_letters_is_true_in_random_boxes(text: str) -> None:
    rng = np.random.default_rng(len(text))
    proved = 0
    for _ in range(4):
        low, high = sorted(rng.uniform(1.01, 9.0, 2))
        box = {"k": (low, high), "m": (high + 0.5, high + rng.uniform(1.0, 40.0))}
        terms = Terms()
        term, x = (terms.add(read(each).formula) for each in (text, "x"))
        box = {name: box[name] for name in terms.variables(term) if name in box}
        row = (("x", 1e-3), *((name, span[0]) for name, span in box.items()))
        asked = ExpansionQuestion(term, x, ZERO, int(rng.integers(1, 7)), row=row)
        expansion = expand(terms, asked)
        assert expansion is not None
        near = written(terms, asked, expansion)
        radius = Fraction(1, int(10 ** rng.uniform(1.5, 5)))
        bound = Proofs(terms, term, x, ZERO, box).bound(near, radius, BOTH)
        proved += bound < 1
        assert worst_error(terms, term, near, ZERO, radius, box, rows=60) <= bound
    assert proved >= 2


def test_sides_of_a_point_are_proved_on_demand() -> None:
    assert bound_of("abs(x)*x - x**2/2", "x**2/2", ZERO, Fraction(1, 10), sides=(1,)) == (0.0, 0.0)
    assert bound_of("abs(x)*x - x**2/2", "x**2/2", ZERO, Fraction(1, 10), sides=(1, -1))[0] > 1


@pytest.mark.parametrize(
    "asked",
    [
        ("sqrt(sin(x))", "sqrt(x)", ZERO, Fraction(1, 10), {}, (1,)),  # by the square root
        ("cbrt(sin(x)) - cbrt(x)", "-cbrt(x)*x**2/18", ZERO, Fraction(1, 10), {}, (1,)),
        ("x**0.2*(1 - cos(x))", "x**0.2*x**2/2", ZERO, Fraction(1, 10), {}, (1,)),
        ("log(x) - x + 1", "-(x - 1)**2/2", Fraction(1), Fraction(1, 100)),
        ("(x + 1)**a - x**a", "a*pow(x, a)/x", "inf", Fraction(1, 1000), {"a": (0.1, 0.5)}),
    ],
    ids=[
        "half a power",
        "a third",
        "a fifth",
        "a point that is not zero",
        "a power that is an input",
    ],
)
def test_bound_elsewhere_is_true_and_tight(asked) -> None:
    bound, error = bound_of(*asked)
    assert error <= bound <= 10 * error


@pytest.mark.parametrize(
    ("term", "approximation", "box"),
    [
        ("exp(1/x) - 1", "x", {}),  # an essential singularity
        ("sin(1/x)", "x", {}),
        ("exp(-1/x**2)", "x", {}),
        ("log(x) - x", "x", {}),
        ("log(sqrt(x)) - x", "x", {}),
        ("x - x", "x", {}),  # 0 everywhere
        ("sin(x)**2 + cos(x)**2 - 1", "x", {}),
        ("1/(x - 0.05)", "-20", {}),  # a singular point inside
        ("x - 0.05", "-0.05", {}),  # a zero inside
        ("tan(30*x)", "30*x", {}),
        ("sin(a*x)", "a*x", {"a": (-1.0, 1.0)}),  # a coefficient that may be 0
        ("x/(a - 1)", "x", {"a": (0.5, 2.0)}),
        ("abs(x - 0.05) + 1", "1 + x", {}),  # a kink inside
        ("floor(x) + x", "x", {}),
        ("gamma(x)", "1/x", {}),
        ("acosh(1 + x)", "x", {}),
        ("x + missing", "x", {}),
    ],
)
def test_nothing_is_proved_where_there_is_no_series(
    term: str, approximation: str, box: Mapping[str, tuple[float, float]]
) -> None:
    terms = Terms()
    first, second, x = (terms.add(read(text).formula) for text in (term, approximation, "x"))
    assert Proofs(terms, first, x, ZERO, box).bound(second, Fraction(1, 10), BOTH) > 1


# --- random terms ---

_UNARY = (
    "sin",
    "cos",
    "exp",
    "log1p",
    "sinh",
    "cosh",
    "atan",
    "expm1",
    "tanh",
    "asinh",
    "sqrt",
    "log",
    "tan",
    "erf",
)
_LEAVES = st.sampled_from(["x", "x", "x", "1", "2", "0.5", "-3", "a", "pi"])
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda f, u: f"{f}({u})", st.sampled_from(_UNARY), inner),
        st.builds(lambda u, o, v: f"(({u}){o}({v}))", inner, st.sampled_from("+-*/"), inner),
        st.builds(lambda u, n: f"({u})**{n}", inner, st.sampled_from(["2", "3", "(-1)", "1.5"])),
    ),
    max_leaves=7,
)


@settings(max_examples=examples(400), deadline=None)
@given(_TREES, st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 1000)]))
def test_model_encloses_random_terms(text: str, radius: Fraction) -> None:
    terms = Terms()
    formula = read(text).formula
    root, x = terms.add(formula), terms.add(read("x").formula)
    draft = formula.to_draft()
    with working(BITS):
        balls = {"a": arb(1).union(arb(1.25))}
        for side in (1, -1):
            try:
                model = Modeller(terms, x, ZERO, side, ModelField(radius, balls, 10)).model(root)
                coefficients = [to_ball(c) for c in model.coefficients]
            except Unproved:  # also of a coefficient over too wide a box, which is then split
                continue
            for share in (1.0, 0.3, 0.01):
                for a in (1.0, 1.1, 1.25):
                    with MP.workdps(200):
                        t = MP.mpf(share) * radius.numerator / radius.denominator
                        try:
                            exact = value(draft, {"x": side * t, "a": MP.mpf(a)})
                        except TooFar:
                            continue
                        high = MP.nstr(exact / t**model.first, 60, strip_zeros=False)
                    h = arb(share) * arb(radius.numerator) / radius.denominator
                    near = model.rest
                    for c in reversed(coefficients):
                        near = near * h + c
                    assert near.overlaps(arb(high)), (text, side, share, a)


def test_coefficients_of_atoms_cancel_exactly() -> None:
    terms = Terms()
    root = terms.add(read("sin(a + x) - sin(a) - x*cos(a)").formula)
    x = terms.add(read("x").formula)
    with working(BITS):
        field = ModelField(Fraction(1, 10), {"a": arb(1).union(arb(2))}, 6)
        model = Modeller(terms, x, ZERO, 1, field).model(root)
        assert model.first == 2
        assert not is_zero(model.coefficients[0])
        assert key_of(model.coefficients[0]) is not None


X = np.exp(np.random.default_rng(2).uniform(math.log(1e-6), 0.0, 300))
SINE = "sin(x) - x"


def test_approximation_is_offered_with_its_region_and_bound() -> None:
    (approximation,) = repaired_on(SINE, {"x": X}, limit_steps=20).approximations
    branch = approximation.branches[0]
    series = branch.series
    assert (series.variable, series.point, series.replaced) == ("x", "0", SINE)
    assert f"/{math.factorial(series.order - 2)}" in series.written
    relation, threshold = branch.condition.rsplit(" ", 1)
    assert relation == "abs(x) <=" and series.box[0].high == min(float(threshold), float(X.max()))
    assert 0 < series.bound <= 2.0**-53
    terms = Terms()
    term, near = (terms.add(read(t).formula) for t in (series.replaced, series.written))
    assert worst_error(terms, term, near, ZERO, Fraction(threshold), {}) <= series.bound
    assert approximation.gain.judged.mean_after < 0.3


@pytest.mark.parametrize(
    ("text", "sign", "condition"),
    [
        ("abs(x) - sin(x)", 1, "(x >= 0) & (x <= 0.1)"),
        ("abs(x) + sin(x)", -1, "(x <= 0) & (x >= -0.1)"),
    ],
)
def test_series_for_one_side_of_its_point_is_computed_there_alone(text, sign, condition) -> None:
    (form, *_) = repaired_on(text, {"x": sign * X[X < 0.1]}, limit_steps=20).approximations
    assert form.branches[0].condition == condition


# --- Quantities that a term is a function of, but for a power of an input ---


def _bound_in(term: str, near: str, quantity: str, radius: Fraction) -> float:
    terms = Terms()
    root, other, scaled = (terms.add(read(text).formula) for text in (term, near, quantity))
    return Proofs(terms, root, scaled, ZERO, {}).bound(other, radius, BOTH)


def test_bound_of_scaled_quantity_holds_for_all_sizes_of_its_inputs() -> None:
    radius = Fraction(1, 1000)
    bound = _bound_in("y/expm1(x*y)", "1/x - y/2", "x*y", radius)
    assert bound < 1e-6
    rng = np.random.default_rng(4)
    with MP.workdps(300):
        for exponent in rng.uniform(-250, 250, 200):
            x = MP.mpf(float(rng.choice([-1, 1]) * 10**exponent))
            u = MP.mpf(float(rng.uniform(-1, 1))) * radius.numerator / radius.denominator
            y = u / x
            exact = y / MP.expm1(u)
            assert abs((1 / x - y / 2) / exact - 1) <= bound


@pytest.mark.parametrize(
    ("term", "near", "quantity"),
    [
        ("y/expm1(x*y) + 1", "1/x - y/2 + 1", "x*y"),  # No power of a scale
        ("y/expm1(x*y)", "1/x - 1/2", "x*y"),  # Nor the approximation
        ("y/expm1(x*y)", "y - x/2", "x*y"),
        ("sqrt(y)/expm1(x*y)", "1/x", "x*y"),
        ("abs(y)/expm1(x*y)", "1/x - y/2", "x*y"),  # Only of a scale above 0
    ],
)
def test_no_bound_where_scale_matters(term: str, near: str, quantity: str) -> None:
    assert _bound_in(term, near, quantity, Fraction(1, 1000)) == math.inf


def test_bound_of_scaled_quotient() -> None:
    radius = Fraction(1, 1000)
    assert _bound_in("y*(x/y - sin(x/y))", "x**3/y**2/6", "x/y", radius) < 1e-7
    assert _bound_in("x/expm1(x/y)", "y - x/2", "x/y", radius) < 1e-6


def test_products_too_small_for_a_double_take_series_of_both_terms() -> None:
    rng = np.random.default_rng(7)
    a, b = (rng.choice([-1, 1], ROWS) * 10 ** rng.uniform(-200, 2, ROWS) for _ in range(2))
    eps = np.minimum(abs(a), abs(b)) * 10 ** rng.uniform(-150, 0, ROWS)
    text = "eps/expm1(a*eps) + eps/expm1(b*eps) + eps"
    (form,) = repaired_on(text, {"a": a, "b": b, "eps": eps}, limit_steps=60).approximations
    assert not form.is_exact
    assert form.gain.judged.mean_after < 0.3 < form.gain.judged.mean_before


def test_quantity_may_hold_a_whole_power() -> None:
    rng = np.random.default_rng(8)
    s, t = rng.uniform(0.05, 0.4, ROWS), 10 ** rng.uniform(-4, -1, ROWS)
    found = repaired_on("expm1(s**2*t) - s**2*t", {"s": s, "t": t}, limit_steps=60)
    (form,) = found.approximations
    assert "abs(s**2*t) <= " in form.text or form.text.count("where") == 0
    assert form.gain.judged.mean_after < 0.3


# --- Letters ---

NEAR_ONE = 1 + np.random.default_rng(3).uniform(-1, 1, 300) * 1e-5
COUNTS = np.random.default_rng(4).uniform(1, 50, 300)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x - a*sin(x)", "x - sin(x)"),
        ("a*sinh(x) - x", "sinh(x) - x"),
        ("a*expm1(x) - x - y", "expm1(x) - x"),
        ("x/a - atan(x)", "x - atan(x)"),
    ],
)
def test_a_letter_near_the_number_that_would_cancel_stands_apart(text: str, part: str) -> None:
    columns = {"x": X, "a": NEAR_ONE, "y": -(X**2)}
    found = repaired_on(text, {n: c for n, c in columns.items() if n in text}, limit_steps=20)
    (form,) = found.approximations
    assert form.branches[0].series.replaced == part
    assert form.branches[0].rules[-1] == "letters apart"
    assert form.gain.judged.mean_after < 0.3 < 2 < form.gain.judged.mean_before


def test_a_letter_that_may_be_the_number_needs_no_bound_of_the_whole() -> None:
    """At a = 1 + x**2/6 the whole is 0 nearly, and no series is near it."""
    x = X[X > 1e-3]
    columns = {"x": x, "a": 1 + x**2 / 6 * (1 + 1e-3 * NEAR_ONE[: len(x)])}
    (form,) = repaired_on("x - a*sin(x)", columns, limit_steps=20).approximations
    assert 0 < form.branches[0].series.bound <= 2.0**-53


@pytest.mark.parametrize(
    "text",
    ["1 - (1 - a)**k*(1 + a*k)", "(1 - a)**k - 1 + a*k", "((1 + a)**k - 1)/a - k"],
)
def test_powers_with_a_letter_in_the_exponent_have_short_series(text: str) -> None:
    columns = {"a": 1e-3 * X[: len(COUNTS)], "k": COUNTS}
    (form,) = repaired_on(text, columns, effort=1.0, limit_steps=60).approximations
    assert form.gain.judged.mean_after < 0.2 < 6 < form.gain.judged.mean_before
    assert len(form.branches[0].formula) <= 100
    box = {name: (low, high) for name, low, high in form.branches[0].series.box}
    assert box["k"] == (COUNTS.min(), COUNTS.max()) and box["a"][1] == columns["a"].max()
