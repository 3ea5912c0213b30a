"""Series by SymPy in a process of its own, against contour integrals by mpmath."""

from __future__ import annotations

import json
import math
import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import mpmath
import pytest

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.rewriting.pieces import Omission
from eic_core.rewriting.series import proposals
from eic_core.rewriting.series.expansion import Expansion, ExpansionQuestion, Point, Side
from eic_core.rewriting.series.pade import horner, pade, quotient, without_denominators, written
from eic_core.rewriting.terms import Terms, number_value
from eic_core.rewriting.work import ENDLESS, Work, WorkBudget
from tests.repairs import repaired_on

ROOT = Path(__file__).resolve().parents[3]

_ROW: dict[str, Callable[..., Any]] = {
    "add": lambda p, a, b: a + b,
    "sub": lambda p, a, b: a - b,
    "mul": lambda p, a, b: a * b,
    "div": lambda p, a, b: a / b,
    "neg": lambda p, a: -a,
    "abs": lambda p, a: abs(a),
    "power": lambda p, a: a ** (mpmath.mpf(p.numerator) / p.denominator),
    "sqrt": lambda p, a: mpmath.sqrt(a),
    "cbrt": lambda p, a: mpmath.cbrt(a),
    "pow": lambda p, a, b: a**b,
    "hypot": lambda p, a, b: mpmath.sqrt(a * a + b * b),
    "expm1": lambda p, a: mpmath.exp(a) - 1,
    "log1p": lambda p, a: mpmath.log(1 + a),
    "log": lambda p, a: mpmath.log(a) / (1 if p is None else mpmath.log(p.numerator)),
    "atan2": lambda p, a, b: mpmath.atan(a / b),
    **{
        name: lambda p, a, name=name: getattr(mpmath, name)(a)
        for name in "exp sin cos tan cot sec csc asin acos atan sinh cosh tanh asinh acosh atanh"
        " erf erfc".split()
    },
}


def value(terms: Terms, root: int, values: dict[str, Any]) -> Any:
    """A term's value by mpmath, at complex numbers."""
    by_term: dict[int, Any] = {}
    for number in terms.subterms(root):
        term = terms[number]
        if term.operator == VARIABLE:
            by_term[number] = values[term.label]
        elif term.operator == CONSTANT:
            exact = number_value(term.label)
            by_term[number] = (
                {"pi": mpmath.pi, "e": mpmath.e}[term.label] + mpmath.mpf(0)
                if exact is None
                else mpmath.mpf(exact.numerator) / exact.denominator
            )
        else:
            operands = [by_term[c] for c in term.children]
            by_term[number] = _ROW[term.operator](term.parameter, *operands)
    return by_term[root]


def ask(
    text: str,
    quantity: str = "x",
    point: Point = Fraction(0),
    count: int = 6,
    side: Side = "both",
    positive: str = "",
    budget: WorkBudget = ENDLESS,
) -> tuple[Terms, Expansion | None, list[Omission]]:
    terms = Terms()
    root = terms.add(read(text).formula)
    names = frozenset(terms.add(read(name).formula) for name in positive.split())
    asked = ExpansionQuestion(root, terms.add(read(quantity).formula), point, count, side, names)
    answers, left_out = proposals.expansions(terms, [asked], budget)
    return terms, answers[0] if answers else None, left_out


def text_of(terms: Terms, root: int) -> str:
    return to_python(terms.formula(terms.with_quotients(root)))


def coefficients(text: str, quantity: str = "x", **more: Any) -> list[str]:
    terms, answer, left_out = ask(text, quantity, **more)
    assert answer is not None and not left_out
    return [text_of(terms, c) for c in answer.coefficients]


# --- Coefficients ----------------------------------------------------------

AT_ZERO = (
    "(x - sin(x))/(x - tan(x))",
    "1/x - cot(x)",
    "x - sin(x)",
    "sin(x) - x",
    "1/x - 1/tan(x)",
    "cos(x)/x - sin(x)/x**2",
    "(1 - cos(x))/x**2",
    "(exp(x) - 1 - x)/x**2",
    "log(1 + x) - x",
    "log1p(x) - x + x*x/2",
    "expm1(x) - x",
    "tanh(x) - x",
    "sinh(x) - x",
    "cosh(x) - 1",
    "asin(x) - x",
    "acos(x) - pi/2",
    "atan(x) - x",
    "asinh(x) - x",
    "atanh(x) - x",
    "erf(x) - 2*x/sqrt(pi)",
    "erfc(x) - 1",
    "sqrt(1 + x) - 1",
    "cbrt(1 + x) - 1",
    "(1 + x)**Rational(1, 7) - 1",
    "1/sqrt(4 + x) - 1/2",
    "x/(exp(x) - 1)",
    "1/sin(x) - 1/x",
    "1/sinh(x) - 1/x",
    "sec(x) - csc(x)",
    "log(cosh(x))",
    "log(cos(x))",
    "log(sin(x)/x)",
    "exp(sin(x)) - exp(x)",
    "exp(x + 1) - e",
    "log(x + 8) - 3*log(2)",
    "log(100 + x, 10) - 2",
    "sin(x + 1) - sin(1)",
    "tan(x + 1) - tan(1)",
    "(2 + x)**x - 1",
    "hypot(x, 3) - 3",
    "atan2(x, 2)",
    "(1 + x)**(1/x) - e",
    "x**3/(x - sin(x)) - 6",
)

WITH_PARAMETERS = (
    ("(1 - exp(-k*t))/k", "k"),
    ("(1 - exp(-k*t))/k", "t"),
    (
        "(b - s**2/(2*a**2))*((1 - exp(-a*t))/a - t) - s**2*((1 - exp(-a*t))/a)**2/(4*a)",
        "a",
    ),
    ("2*((exp(s*s*t) - 1)/(s*s) - t)/(s*s*t*t)", "t"),
    ("eps*(exp((a + b)*eps) - 1)/((exp(a*eps) - 1)*(exp(b*eps) - 1))", "eps"),
    ("sin(a + x) - sin(a)", "x"),
    ("tan(a + x) - tan(a)", "x"),
    ("exp(a + x) - exp(a)", "x"),
    ("log(a + x) - log(a)", "x"),
    ("sqrt(a + x) - sqrt(a)", "x"),
    ("sqrt(a*a + b*b + x) - sqrt(a*a + b*b)", "x"),
    ("atan(a + x) - atan(a)", "x"),
    ("cbrt(a + x) - cbrt(a)", "x"),
    ("(1 + x)**c - 1", "x"),
    ("log(1 - log(1 - q)/c)", "q"),
    ("exp(a*x) - exp(b*x)", "x"),
    ("hypot(a, x) - abs(a)", "x"),
)


def contour(function: Callable[[Any], Any], power: int) -> Any:
    """The coefficient of a power, by Cauchy's integral on a small circle."""
    count, radius = 64, mpmath.mpf(1) / 8
    total = mpmath.mpc(0)
    for k in range(count):
        z = radius * mpmath.expjpi(2 * mpmath.mpf(k) / count)
        total += function(z) / z**power
    return total / count


VALUES = {name: mpmath.mpf(3 + 2 * i) / 7 for i, name in enumerate("a b c k s t q eps x".split())}


@pytest.mark.parametrize(("text", "name"), [*((text, "x") for text in AT_ZERO), *WITH_PARAMETERS])
def test_coefficients_are_those_of_cauchys_integral(text: str, name: str) -> None:
    with mpmath.workdps(40):
        terms, answer, left_out = ask(text, name, count=5, positive="a b c s t k")
        assert answer is not None and not left_out and answer.factor is None
        root = answer.question.term
        for place, c in enumerate(answer.coefficients):
            exact = contour(lambda z: value(terms, root, VALUES | {name: z}), answer.first + place)
            ours = value(terms, c, VALUES)
            assert abs(exact - ours) < mpmath.mpf(10) ** -25 * (1 + abs(ours)), place


@pytest.mark.parametrize(
    "text",
    [
        "1/(x + 1) - 2/x + 1/(x - 1)",
        "log(x + 1) - log(x)",
        "atan(x + 1) - atan(x)",
        "sqrt(x*x + 1) - x",
        "asinh(x) - log(2*x)",
        "sqrt(x + 1) - sqrt(x)",
        "cbrt(x + 1) - cbrt(x)",
        "(x + 1)**(1/n) - x**(1/n)",
        "(1 + 1/x)**x",
    ],
)
def test_at_infinity_the_polynomial_is_near(text: str) -> None:
    terms, answer, _ = ask(text, point="inf", count=8, positive="n")
    assert answer is not None
    values = {"x": mpmath.mpf(10) ** 4, "n": mpmath.mpf(5)}
    with mpmath.workdps(60):
        exact = value(terms, answer.question.term, values)
        assert abs(value(terms, written(terms, answer), values) / exact - 1) < 1e-28


def test_coefficients_are_simple_and_exact() -> None:
    assert coefficients("x - sin(x)", count=3) == ["1/6", "0", "-1/120", "0", "1/5040"]
    hexagonal = "eps*(exp((a+b)*eps)-1)/((exp(a*eps)-1)*(exp(b*eps)-1))"
    assert coefficients(hexagonal, "eps", count=2) == ["(a + b)/(a*b)", "0", "(a + b)/12"]
    assert coefficients("(1 - exp(-k*t))/k", "k*t", count=3) == ["t", "-t/2", "t/6"]
    assert coefficients("cosh(x)", count=15)[-1] == "1/304888344611713860501504000000"


def test_a_quantity_replaces_a_variable_of_it_everywhere() -> None:
    asian = "2*((exp(s*s*t) - 1)/(s*s) - t)/(s*s*t*t)"
    assert coefficients(asian, "s*s*t", count=3) == ["1", "1/3", "1/12"]
    logs = "log(x) - log(y)"
    assert coefficients(logs, "x - y", count=2) == ["1/y", "-(1/(2*y**2))"]
    assert coefficients(logs, "x/y", point=Fraction(1), count=2) == ["1", "-0.5"]
    assert ask("sin(x*x) - x", "x*x")[1] is None  # no variable stands once in it


@pytest.mark.parametrize(
    "text", ["log(x)", "x*log(x)", "exp(1/x)", "sin(1/x)", "x - x", "floor(x)", "gamma(x)"]
)
def test_where_there_is_no_series_there_is_no_expansion(text: str) -> None:
    assert ask(text)[1:] == (None, [])


def test_sides_of_a_point() -> None:
    assert ask("abs(x)")[1] is None
    assert coefficients("abs(x)", side="above") == ["1"]
    assert coefficients("abs(x)", side="below") == ["-1"]
    assert ask("acos(1 - x)")[1] is None
    terms, answer, _ = ask("acos(1 - x)", side="above", count=2)
    assert answer is not None and answer.factor is not None
    assert text_of(terms, answer.factor) == "sqrt(x)"
    assert [text_of(terms, c) for c in answer.coefficients] == ["sqrt(2)", "sqrt(2)/12"]
    assert coefficients("sqrt(x*x + 1) - x", point="-inf", count=2) == ["-2", "0", "-0.5"]


def test_a_variable_may_be_known_to_be_positive() -> None:
    text = "(-b + sqrt(b*b - 4*a*c))/(2*a)"
    unknown = ask(text, "a", count=2)[1]
    assert unknown is not None and unknown.first == -1  # (|b| - b)/(2*a) remains
    assert coefficients(text, "a", positive="b", count=2) == ["-(c/b)", "-(c**2/b**3)"]


def test_names_are_not_evaluated() -> None:
    for name in ("lambda", "I", "E", "x0", "S", "__import__", "größe", "p0", "quantity", "None"):
        terms = Terms()
        name_term, h = terms.intern(VARIABLE, label=name), terms.intern(VARIABLE, label="h")
        product = terms.intern("mul", (name_term, h))
        root = terms.intern("sub", (terms.intern("sin", (product,)), product))
        answers, left_out = proposals.expansions(
            terms, [ExpansionQuestion(root, h, Fraction(0), 1)], ENDLESS
        )
        assert not left_out
        assert text_of(terms, answers[0].coefficients[0]) == f"-{name}**3/6"


# --- The process -----------------------------------------------------------

RECEIVE = proposals._Worker.receive
HARD = "(a + b + c + d + f + g + x)**60 - (a + b + c + d + f + g - x)**57*y**z"


@pytest.fixture(autouse=True, scope="module")
def _end_of_process() -> Iterator[None]:
    yield
    proposals.close()


def test_an_unfinished_question_ends_in_time_and_the_next_one_works() -> None:
    assert ask("x - sin(x)")[1] is not None
    with patch.object(proposals, "QUESTION_SECONDS", 0.2):
        assert ask(HARD)[1:] == (None, [Omission.SERIES_UNFINISHED])
    assert ask("x - sin(x)")[1] is not None


def test_no_question_lasts_longer_than_its_own_limit() -> None:
    terms = Terms()
    x = terms.add(read("x").formula)
    texts = ("x - sin(x)", HARD, "x - tan(x)")
    asked = [ExpansionQuestion(terms.add(read(t).formula), x, Fraction(0), 3) for t in texts]
    own, waits = proposals.QUESTION_SECONDS, []

    def receive(worker: proposals._Worker, seconds: float) -> str | None:
        waits.append(seconds)
        is_second = seconds == own and waits.count(own) == 2
        return RECEIVE(worker, 0.3 if is_second else seconds)

    with patch.object(proposals._Worker, "receive", receive):
        answers, left_out = proposals.expansions(terms, asked, ENDLESS)
    assert waits.count(own) == 3 and left_out == [Omission.SERIES_UNFINISHED]
    assert [answer.question for answer in answers] == [asked[0], asked[2]]


def test_no_time_is_left() -> None:
    assert ask("x - sin(x)", budget=WorkBudget(0.0))[1:] == (None, [Omission.SERIES_TIME])


def test_without_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals.importlib.util, "find_spec", lambda name: None)
    assert ask("x - sin(x)")[1:] == (None, [Omission.SERIES_NO_SYMPY])
    proposals.warm()


def test_without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    proposals.close()
    for change in (
        lambda to: to.setenv(proposals.PROCESSES, "0"),
        lambda to: to.setattr(sys, "platform", "emscripten"),
        lambda to: to.setattr(sys, "executable", "/nowhere/python"),
        lambda to: to.setattr(proposals, "_WORKER", "eic_core.no_such_module"),
    ):
        with monkeypatch.context() as changed:
            change(changed)
            proposals.warm()
            assert ask("x - sin(x)")[1:] == (None, [Omission.SERIES_NO_PROCESS])
        proposals.close()
    assert ask("x - sin(x)")[1] is not None


@pytest.mark.parametrize(
    "error", [OSError, MemoryError, PermissionError, BlockingIOError, ValueError]
)
def test_where_no_process_starts_series_are_left_out(error: type[Exception]) -> None:
    proposals.close()
    with patch.object(subprocess, "Popen", side_effect=error("no")):
        assert ask("sin(x) - x")[1:] == (None, [Omission.SERIES_NO_PROCESS])


def test_where_no_thread_starts_series_are_left_out() -> None:
    proposals.close()
    with patch.object(threading.Thread, "start", side_effect=RuntimeError("no thread")):
        assert ask("sin(x) - x")[1:] == (None, [Omission.SERIES_NO_PROCESS])


def test_half_an_answer_is_none() -> None:
    def half(worker: proposals._Worker, seconds: float) -> str | None:
        line = RECEIVE(worker, seconds)
        return line[: len(line) // 2] if line and len(line) > 20 else line

    with patch.object(proposals._Worker, "receive", half):
        assert ask("sin(x) - x")[1:] == (None, [Omission.SERIES_UNFINISHED])
    assert ask("sin(x) - x")[1] is not None


def test_a_process_that_is_killed_again_and_again_is_given_up() -> None:
    send = proposals._Worker.send

    def killed(worker: proposals._Worker, text: str) -> None:
        worker.process.kill()
        send(worker, text)

    with patch.object(proposals._Worker, "send", killed):
        assert ask("sin(x) - x")[1:] == (None, [Omission.SERIES_UNFINISHED])
    assert proposals._worker is None


@pytest.mark.parametrize("text", ["sin(x) - x", "where(x < 2, sin(x) - x, x)"])
def test_a_repair_without_processes_says_what_it_left_out(text: str) -> None:
    proposals.close()
    columns = {"x": [10.0**-k for k in range(12)]}
    with patch.object(subprocess, "Popen", side_effect=OSError("no")):
        found = repaired_on(text, columns)
    assert Omission.SERIES_NO_PROCESS in found.left_out
    assert "series_no_process" in json.dumps(found.to_json(), allow_nan=False)
    assert any("process" in str(sentence) for sentence in found.left_out_sentences)
    assert repaired_on(text, columns, series=False).left_out == ()


def test_warming_does_not_wait() -> None:
    proposals.close()
    proposals.warm()
    assert not proposals._worker.started
    assert ask("x - sin(x)")[1] is not None


def test_a_process_that_died_is_replaced() -> None:
    assert ask("x - sin(x)")[1] is not None
    assert proposals._worker is not None
    proposals._worker.process.kill()
    assert ask("x - sin(x)")[1] is not None


def test_threads_ask_in_turn() -> None:
    answers: dict[int, list[str]] = {}

    def work(number: int) -> None:
        for _ in range(5):
            answers[number] = coefficients(f"sin({number}*x)/x", count=1)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: [str(n)] for n in range(2, 8)}


def test_a_thread_waits_no_longer_than_it_has_time() -> None:
    assert ask("x - sin(x)")[1] is not None
    with proposals._lock:
        hurried = WorkBudget(math.inf, Work(0.2))
        assert ask("x - sin(x)", budget=hurried)[2] == [Omission.SERIES_TIME]


_SCRIPT = """
import os, sys
from fractions import Fraction
from eic_core.formula.syntax import read
from eic_core.rewriting.work import ENDLESS
from eic_core.rewriting.series import proposals
from eic_core.rewriting.series.expansion import ExpansionQuestion
from eic_core.rewriting.terms import Terms

def ask():
    terms = Terms()
    asked = ExpansionQuestion(terms.add(read("x - sin(x)").formula), terms.add(read("x").formula),
                     Fraction(0), 3)
    (answer,), left_out = proposals.expansions(terms, [asked], ENDLESS)
    assert answer.first == 3 and not left_out
    return proposals._worker.process.pid
"""


def script(more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _SCRIPT + more],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def has_ended(process: int, seconds: float) -> bool:
    """Whether a process, given by its file, ends in time."""
    return bool(select.select([process], [], [], seconds)[0])


needs_linux = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")


@needs_linux
def test_the_process_ends_with_the_one_that_is_killed() -> None:
    parent = script("print(ask(), flush=True); sys.stdin.readline()")
    process = os.pidfd_open(int(parent.stdout.readline()))
    assert not has_ended(process, 0)
    parent.kill()
    parent.communicate()
    assert has_ended(process, 60)
    os.close(process)


@needs_linux
def test_a_fork_starts_a_process_of_its_own_nobody_imports_sympy_and_all_end_at_the_end() -> None:
    parent = script(
        "ours = ask()\n"
        "print(ours, flush=True)\n"
        "sys.stdin.readline()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    theirs = ask()\n"
        "    proposals.close()\n"
        "    os._exit(0 if theirs != ours else 1)\n"
        "_, status = os.waitpid(child, 0)\n"
        "print(status, ask() == ours, 'sympy' in sys.modules, 'mpmath' in sys.modules)\n"
    )
    process = os.pidfd_open(int(parent.stdout.readline()))
    assert parent.communicate()[0].split() == ["0", "True", "False", "False"]
    assert has_ended(process, 60)
    os.close(process)


# --- Polynomials and Padé approximants -------------------------------------


def rationals(text: str) -> list[Fraction]:
    return [Fraction(word) for word in text.split()]


def test_pade_of_exp_and_tan() -> None:
    exp = rationals("1 1 1/2 1/6 1/24 1/120 1/720")
    assert pade(exp, 2, 2) == (rationals("1 1/2 1/12"), rationals("1 -1/2 1/12"))
    assert pade(exp, 3, 3) == (rationals("1 1/2 1/10 1/120"), rationals("1 -1/2 1/10 -1/120"))
    assert pade(exp, 2, 0) == (rationals("1 1 1/2"), rationals("1"))
    # tan(x)/x in x**2: (1 - x**2/15)/(1 - 2*x**2/5), of Lambert's continued fraction
    tan = rationals("1 1/3 2/15 17/315")
    assert pade(tan, 1, 1) == (rationals("1 -1/15"), rationals("1 -2/5"))
    assert without_denominators(*pade(tan, 1, 1)) == (rationals("15 -1"), rationals("15 -6"))


def test_pade_of_too_few_coefficients_or_none() -> None:
    assert pade(rationals("1 1"), 1, 1) is None
    assert pade(rationals("1 0 1"), 1, 1) is None  # 1 + x**2 has none of these degrees


def polynomial(text: str, first: int, reciprocal: bool = False) -> str:
    terms = Terms()
    x = terms.add(read("x").formula)
    numbers = [terms.add(read(word).formula) for word in text.split()]
    return text_of(terms, horner(terms, numbers, first, x, reciprocal=reciprocal))


@pytest.mark.parametrize(
    ("numbers", "first", "expected"),
    [
        ("1/6 0 -1/120 0 1/5040", 3, "x**3*(1/6 - x**2*(1/120 - x**2/5040))"),
        ("-1/6 0 1/120", 3, "-(x**3*(1/6 - x**2/120))"),
        ("1 1 0.5", 0, "1 + x*(1 + x/2)"),
        ("1 0 0 2 0 3", -1, "(1 + x**3*(2 + 3*x**2))/x"),
        ("5", 0, "5"),
        ("1", 4, "x**4"),
        ("a 0 a/2", 1, "x*(a*(1 + x**2/2))"),
        ("a+b a-b", 0, "a + b + x*(a - b)"),
        ("-1 -2", 0, "-(1 + 2*x)"),
    ],
)
def test_horners_rule(numbers: str, first: int, expected: str) -> None:
    written_text = polynomial(numbers, first)
    with mpmath.workdps(30):
        values = {"x": mpmath.mpf(3) / 7, "a": mpmath.mpf(2), "b": mpmath.mpf(5)}
        ours = evaluated(written_text, values)
        plain = sum(
            evaluated(word, values) * values["x"] ** (first + i)
            for i, word in enumerate(numbers.split())
        )
        assert abs(ours - plain) < 1e-25
    assert written_text == expected


def evaluated(text: str, values: dict[str, Any]) -> Any:
    terms = Terms()
    return value(terms, terms.add(read(text).formula), values)


def test_a_quotient_has_its_powers_where_they_belong() -> None:
    terms = Terms()
    x = terms.add(read("x").formula)
    parts = rationals("15 0 -1"), rationals("15 0 -6")
    assert text_of(terms, quotient(terms, *parts, 1, x)) == "x*(15 - x**2)/(15 - 6*x**2)"
    assert text_of(terms, quotient(terms, *parts, -1, x)) == "(15 - x**2)/(x*(15 - 6*x**2))"
