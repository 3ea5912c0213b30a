"""One sample in balls, against an oracle in many digits that shares no code with the engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import mpmath
import pytest
from flint import arb, fmpq

from eic_core.engine.exact import FIRST_BITS, GREAT_DEPTH, MOST_BITS, ExactEvaluator, ExactSample
from eic_core.engine.proofs import Combination, Unprovable
from eic_core.engine.tape import tape_of
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.operators.balls import BALLS, working


def sample(text: str, **cells: str) -> ExactSample:
    return ExactEvaluator(tape_of(read(text).formula)).sample(cells)


def deep(bits: int) -> str:
    """The sum of a series that keeps all bits busy, as Arb prints it at so many."""
    with working(bits):
        total = arb(0)
        for k in range(1, 60):
            total += (arb(k).sqrt().sin() / (arb(k) + arb.pi())).exp()
        return str(total.str(more=True))


def test_eight_threads_at_different_precisions_get_the_balls_that_each_gets_alone() -> None:
    bits = [64, 100, 160, 256, 400, 700, 1200, 3000] * 6
    expected = {b: deep(b) for b in set(bits)}
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(deep, bits))
    assert found == [expected[b] for b in bits]


def test_threads_that_inspect_do_not_disturb_each_other() -> None:
    texts = ["log(exp(x))", "1 - cos(x/1e9)", "sin(x*1e200)", "exp(x) - exp(x)", "x - sqrt(x)**2"]
    samples = Samples.from_columns({"x": [800.0 + k / 7 for k in range(40)]})

    def measured(text: str) -> list[float]:
        return [n.local_eic for n in inspect(read(text).formula, samples).nodes]

    alone = {text: measured(text) for text in texts}
    with ThreadPoolExecutor(8) as threads:
        for text, found in zip(texts * 4, threads.map(measured, texts * 4), strict=True):
            assert found == alone[text], text


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("x - x", {"x": "0.1"}),
        ("0.1 + 0.2 - 0.3", {}),
        ("(sqrt(x) + y) - y - sqrt(x)", {"x": "2", "y": "0.3"}),
        ("3*exp(x) - exp(x) - 2*exp(x)", {"x": "0.7"}),
        ("sin(x*pi)", {"x": "4"}),
        ("cos(pi/2)", {}),
        ("tan(pi/4) - 1", {}),
        ("asin(1) - pi/2", {}),
        ("atan(1)*4 - pi", {}),
        ("log(x/3)", {"x": "3"}),
        ("floor(30*x) - 3", {"x": "0.1"}),
        ("max(0.1 + 0.2, 0.3) - 0.3", {}),
        ("hypot(3, 4) - 5", {}),
        ("cbrt(27) - 3", {}),
        ("1e-320 - x", {"x": "1e-320"}),
    ],
)
def test_a_zero_is_proved(text: str, cells: dict[str, str]) -> None:
    found = sample(text, **cells)
    assert found.y[-1] == 0 and found.proven and found.bits == 64


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("sqrt(x)**2 - x", {"x": "2"}),
        ("sin(x)**2 + cos(x)**2 - 1", {"x": "1"}),
        ("log(exp(x)) - x", {"x": "0.3"}),
        ("1 - tanh(x)", {"x": "1000000"}),
        ("floor(sqrt(x)**2)", {"x": "7"}),
        ("acos(sin(x)**2 + cos(x)**2)", {"x": "1"}),
    ],
)
def test_what_no_proof_decides_is_assumed_and_said(text: str, cells: dict[str, str]) -> None:
    found = sample(text, **cells)
    assert not found.proven and math.isinf(max(found.s2))


def test_a_small_value_is_no_zero_as_far_as_the_depth() -> None:
    assert sample("1 - cos(x)", x="1e-100").proven
    assert not sample("1 - cos(x)", x="1e-200").proven
    tape = tape_of(read("1 - cos(x)").formula)
    found = ExactEvaluator(tape, depth=GREAT_DEPTH).sample({"x": "1e-900"})
    assert found.proven and float(found.y[-1] * arb("1e1800")) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("log(exp(x))", "1000"),
        ("sin(x)", "1e200"),
        ("1 - cos(x)", "1e-100"),
        ("exp(x) - exp(x*(1 + 1e-40))", "3"),
        ("(x - sin(x))/x**3", "1e-30"),
        ("tan(x)", "1.5707963267948966"),
        ("exp(-exp(x))", "6"),
    ],
)
def test_values_agree_with_another_arithmetic(text: str, x: str) -> None:
    m = mpmath
    functions: dict[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
        "log(exp(x))": lambda x: m.log(m.exp(x)),
        "sin(x)": m.sin,
        "1 - cos(x)": lambda x: 1 - m.cos(x),
        "exp(x) - exp(x*(1 + 1e-40))": lambda x: m.exp(x) - m.exp(x * (1 + m.mpf("1e-40"))),
        "(x - sin(x))/x**3": lambda x: (x - m.sin(x)) / x**3,
        "tan(x)": m.tan,
        "exp(-exp(x))": lambda x: m.exp(-m.exp(x)),
    }
    with mpmath.workdps(700):
        expected = functions[text](mpmath.mpf(x))
        mantissa, exponent = sample(text, x=x).y[-1].mid().man_exp()
        value = mpmath.mpf(int(mantissa)) * mpmath.mpf(2) ** int(exponent)
        assert abs(value / expected - 1) < mpmath.mpf("1e-13")


@pytest.mark.parametrize(
    ("text", "x", "node"),
    [
        ("log(x)", "-1", 1),
        ("1/(x - x)", "3", 4),
        ("asin(x)", "1.0000000000000000000000000001", 1),
        ("tan(pi/2)", "0", 3),
        ("x**y", "-2", 2),
        ("exp(exp(x))", "20", 2),
        ("sin(x)", "1e4000", 1),
        ("mod(1, exp(-x))", "10000", 4),
        ("fmod(1, erfc(x))", "166.785", 3),
        ("remainder(1, exp(-x))", "10000", 4),
        ("mod(exp(x), 3)", "10000", 3),
        ("mod(1, x**20)", "1e-310", 3),
        ("erfc(exp(x))", "27.27", 2),  # 10^(-2.1·10^23)
    ],
)
def test_no_real_value_is_told_from_not_known_yet(text: str, x: str, node: int) -> None:
    assert sample(text, x=x, y="3").first_invalid == node


def test_tiny_values_stay_values() -> None:
    found = sample("1/(1 + exp(-x))", x="1e7")
    assert found.first_invalid is None and float(found.y[-1]) == 1.0
    assert found.s2[-1] == pytest.approx(4.0)


def test_a_value_that_is_flat_far_out_keeps_its_digits() -> None:
    """2 - erfc(exp(5000)) is 10^-(10^4342)."""
    found = sample("erfc(-exp(x))", x="5000")
    assert found.first_invalid is None and found.s2[-1] == 1.0 and float(found.y[-1]) == 2.0


def test_backend_rounds_ties_to_even_and_knows_gamma_below_zero() -> None:
    assert [float(BALLS.nint(arb(x))) for x in (0.5, 1.5, 2.5, -0.5, -1.5, 2.4)] == [
        0.0,
        2.0,
        2.0,
        0.0,
        -2.0,
        2.0,
    ]
    assert float(BALLS.lgamma(arb("-2.5"))) == pytest.approx(float(mpmath.loggamma(-2.5).real))


def test_combinations_prove_only_what_is_linear() -> None:
    root = Combination({7: fmpq(1)})
    assert (root + root - 2 * root).parts == {}
    assert (3 * root / (2 * root)).rational == fmpq(3, 2)
    with pytest.raises(Unprovable):
        _ = root * root


def test_a_long_sum_is_proved_without_recursion() -> None:
    found = sample("+".join(["x"] * 1500) + "-1500*x", x="0.1")
    assert found.y[-1] == 0 and found.proven


@pytest.mark.parametrize("x", ["1e-320", "1e-900"])
def test_a_base_that_rounds_to_1_has_a_power(x: str) -> None:
    found = sample("(1 + x)**(1/x)", x=x)
    assert found.proven and float(found.y[-1]) == pytest.approx(math.e, rel=1e-15)
    assert sample("sign(x)**(1/x)", x=x).y[-1] == 1


@pytest.mark.parametrize("x", ["-999999999999999999.7", "-1000000000000000000.3"])
def test_between_poles_there_is_a_value(x: str) -> None:
    found = sample("lgamma(x)", x=x)
    with mpmath.workdps(60):
        expected = mpmath.loggamma(mpmath.mpf(x)).real
    assert found.first_invalid is None
    assert float(found.y[-1]) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(
    ("x", "logarithm"),
    [  # by mpmath with 60 digits
        ("100000.1", -10000020012.095291408),
        ("1070597.6061155528", -1146179234234.8084306),
        ("7300000.3", -53290004380016.46575),
    ],
)
def test_what_never_is_0_is_not_assumed_to_be(x: str, logarithm: float) -> None:
    found = sample("log(erfc(x))", x=x)
    assert found.first_invalid is None and found.proven
    assert float(found.y[-1]) == pytest.approx(logarithm, rel=1e-13)
    assert sample("erfc(x)", x=x).s2[-1] == pytest.approx(4 * float(x) ** 4, rel=1e-9)


def test_gamma_leaves_every_range_where_exp_does() -> None:
    assert sample("gamma(x)", x="205022").first_invalid is None  # 10^(999,997)
    assert sample("gamma(x)", x="250000").first_invalid == 1


@pytest.mark.parametrize(
    ("x", "y", "rest"), [("1e6000", "7", 1.0), ("1e5000", "0.1", 0.0), ("1e300", "0.7", 0.3)]
)
def test_remainders_of_long_numbers(x: str, y: str, rest: float) -> None:
    found = sample("mod(x, y)", x=x, y=y)
    assert found.proven and float(found.y[-1]) == pytest.approx(rest)


@pytest.mark.parametrize(
    ("text", "x", "rest"),
    [  # by mpmath with 6,000 digits
        ("mod(1, exp(-x))", "5000", 9.7618071046658345877e-2173),
        ("mod(1, exp(-x))/exp(-x)", "5000", 0.2896941584317022292),
        ("fmod(1, exp(-x))*exp(x)", "5000", 0.2896941584317022292),
        ("remainder(exp(x), 1)", "3000", -0.40932848747585482876),
    ],
)
def test_what_many_divisors_leave_is_no_jump_while_bits_tell_it(
    text: str, x: str, rest: float
) -> None:
    found = sample(text, x=x)
    assert found.proven and float(found.y[-1]) == pytest.approx(rest, rel=1e-13)


def test_a_branch_that_is_not_taken_proves_nothing() -> None:
    found = sample("where(x > 0, (x + 0.1) - 0.1 - x, 1/(x - x))", x="2")
    assert found.first_invalid is None and found.y[-1] == 0 and found.proven


@pytest.mark.parametrize("text", ["min(sqrt(-x), 1)", "max(x, 1/(x - x))", "min(exp(exp(x)), 1)"])
def test_min_and_max_of_a_branch_that_is_not_taken_need_no_value(text: str) -> None:
    found = sample(f"where(x > 0, x, {text})", x="99")
    assert found.first_invalid is None and found.y[-1] == 99 and found.s2[-1] == 2.0


SMALL = "sqrt(y*y + z*z) - y"
"""z^2/(2 y) of 10^300 and 10^-300: 5e-901, known to 10^-2100, which is no 10^-2000 of it."""


@pytest.mark.parametrize(
    "text",
    [
        f"where(x <= 1, {SMALL}, z*z/(sqrt(y*y + z*z) + y))",
        f"max({SMALL}, z*z/(sqrt(y*y + z*z) + y))",
        f"min(z*z/(sqrt(y*y + z*z) + y), {SMALL})",
    ],
)
def test_a_tie_that_the_most_bits_do_not_settle_is_assumed(text: str) -> None:
    tape = tape_of(read(text).formula)
    cells = {"x": "1", "y": "1e300", "z": "1e-300"}
    found = ExactEvaluator(tape, depth=GREAT_DEPTH).sample(cells)
    assert found.bits == MOST_BITS and found.first_invalid is None and not found.proven
    assert float(found.y[-1] * arb("1e900")) == pytest.approx(0.5)
    assert math.isinf(found.s2[-1])  # that of the difference, 10^1200


def test_branches_that_are_the_same_beyond_the_most_bits_are_assumed_to_agree() -> None:
    found = sample("where(x >= 6890, sin(exp(x)), cos(exp(x) - pi/2))", x="6890")
    assert found.first_invalid is None and found.assumed == {13}


def test_beside_a_threshold_no_bits_are_spent_on_whether_the_branches_agree() -> None:
    tape = tape_of(read(f"where(x < 1, {SMALL}, z*z/(sqrt(y*y + z*z) + y))").formula)
    cells = {"x": "0.5", "y": "1e300", "z": "1e-300"}
    found = ExactEvaluator(tape, depth=GREAT_DEPTH).sample(cells)
    assert found.bits == GREAT_DEPTH + FIRST_BITS and found.proven
