"""`repair`: textbook cases reached, nothing wrong or worse proposed, bounds kept."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from functools import cache, partial

import mpmath
import numpy as np
import pytest

from benchmarks.repairs.cases import Needs
from benchmarks.repairs.running import samples_for_repair
from benchmarks.repairs.textbook import CASES
from eic_core.cli.main import main
from eic_core.engine.exact import GREAT_DEPTH
from eic_core.errors import DataError
from eic_core.explain.losses import correlated_eic
from eic_core.formula.syntax import read
from eic_core.measure import Samples
from eic_core.rewriting import Repairs, repair
from eic_core.rewriting.builder import Builder
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.families import FAMILIES
from eic_core.rewriting.gains import GAIN, NEAR, TOLERANCE, Rest
from eic_core.rewriting.repair import RULES
from eic_core.rewriting.rules import Rewriter, Rule, RuleBook
from eic_core.rewriting.search import Costs, Limits, Search
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import ValueTable, first_difference
from eic_core.rewriting.verify import Verifier, decimal_rows
from eic_core.rewriting.work import EXACT
from tests.effort import dear
from tests.repairs import repaired, repaired_on

TO_ITS_END = ["--effort", "inf"]
ROOTS = "sqrt(x+1) - sqrt(x)"

TEXTBOOK = {case.name: case for case in CASES}


WITHIN = 0.3
"""A textbook case is reached if q <= max(own, 0.5) + this."""


@cache
def textbook(name: str) -> Repairs:
    formula = TEXTBOOK[name].read()
    samples = samples_for_repair(TEXTBOOK[name], formula, 300)
    return repair(formula, samples, effort=math.inf)


def test_there_are_at_least_28_textbook_cases_and_each_has_a_source() -> None:
    assert len(TEXTBOOK) == len(CASES) >= 28
    assert all(case.source for case in CASES)


@dear(5)
@pytest.mark.parametrize("name", TEXTBOOK)
def test_a_textbook_case_is_reached_if_it_is_said_to_be_and_doubles_gain_as_promised(name) -> None:
    done = textbook(name)
    best, can_be_reached = done.best, TEXTBOOK[name].needs is Needs.EXACT
    q_after = done.before.q if best is None else best.after.q
    assert (q_after <= max(done.own, 0.5) + WITHIN) == can_be_reached
    for form in done.repairs:
        fewer = form.before.float64.mean_digits_lost - form.after.float64.mean_digits_lost
        regained = form.before.float64.failed or fewer >= GAIN
        assert form.after.q <= form.before.q + (GAIN if regained else TOLERANCE)
        assert form.verification.rows >= min(200, len(done.samples))
        again = read(form.text, columns=done.samples.columns).formula
        assert again.structure() == form.formula.structure()
    if best is not None and can_be_reached:
        assert best.after.float64.failed <= best.before.float64.failed
        gained = best.before.float64.digits_lost - best.after.float64.digits_lost
        assert gained > 2 or best.delta_q >= -2
    elif can_be_reached:  # nothing is promised: no form of the function is less sensitive
        assert q_after <= done.own + GAIN and done.before.q <= done.own + NEAR
        assert done.reason.rest in (Rest.FUNCTION, Rest.LOSS)


@dear(4)
@pytest.mark.parametrize(
    "name",
    [
        "√ difference",
        "fraction difference",
        "1 − cos over x²",
        "eˣ − 2 + e⁻ˣ",
        "quadratic, small root",
        "variance of three",
        "softplus",
        "log-sum-exp",
        "haversine",
    ],
)
def test_repairing_a_repair_finds_nothing_more_at_the_root(name: str) -> None:
    done = textbook(name)
    again = repair(done.best.formula, done.samples, effort=math.inf)
    assert all(found.delta_q > -0.15 for found in again.repairs)


@pytest.mark.parametrize(
    ("text", "ranges", "expected"),
    [
        ("10000*x - 9999*x", "x=1:5", "x"),
        ("log(exp(x))", "x=normal:1000:1", "x"),
        (ROOTS, "x=loguniform:1:1e8", "1/(sqrt(x + 1) + sqrt(x))"),
        ("(1 - cos(x))/x**2", "x=loguniform:1e-4:1", "2*(sin(x/2)/x)**2"),
        ("(x**2+y**2)/2 - ((x+y)/2)**2", "x=normal:1000:1 y=normal:1000:1", "(x - y)**2/4"),
        (
            "log(exp(x)+exp(y)+exp(z))",
            "x=800:900 y=800:900 z=800:900",
            "logaddexp(logaddexp(x, y), z)",
        ),
        ("0.1*x - (x/10 - y)", "x=1e6:2e6 y=1:2", "y"),
        ("(x**3 - 8)/(x - 2)", "x=normal:2:1e-5", "(x + 2)*x + 4"),
    ],
)
def test_known_forms_are_found(text: str, ranges: str, expected: str) -> None:
    assert expected in {form.text for form in repaired(text, ranges).repairs}


@pytest.mark.parametrize(
    ("text", "ranges", "form"),
    [
        ("100+(x-3)", "x=1:5", "97 + x"),  # a step that the result hides goes with its neighbour
        ("(1+1/n)**n", "n=1:1e9", "exp(n*log1p(1/n))"),  # Higham, ASNA, 1.14.1
        ("P*(1+r/12)**(12*t)", "P=1:9 r=1e-6:1e-2 t=1:30", "P*exp(12*t*log1p(r/12))"),
        # simple algebra comes before functions that gain no more
        ("x**2 - 1", "x=normal:1:1e-6", "(x + 1)*(x - 1)"),
        (
            "c*sqrt(1 - m**2/(E + m)**2)",
            "c=299792458 m=1:2 E=loguniform:1e-6:1",
            "c*sqrt(E*(2*m + E))/(E + m)",
        ),
        (
            "sqrt(p**2 + m**2) - m",
            "p=loguniform:1e-3:1 m=1:2",
            "p**2/(sqrt(p**2 + m**2) + m)",
        ),
    ],
)
def test_a_form_that_a_person_would_write_comes_first(text: str, ranges: str, form: str) -> None:
    assert repaired(text, ranges, 150).best.text == form


@pytest.mark.parametrize(
    ("text", "ranges", "reason", "advice"),
    [
        ("1/(x-2)", "x=1:3", "the function's own sensitivity", "inputs known more exactly"),
        (
            "x**2",
            "x=1:5",
            "in double precision it loses no digit; errors of inputs and steps grow by 0.3 digits",
            "Nothing needs to be done.",
        ),
        (
            "x",
            "x=1:5",
            "in double precision it loses no digit; errors of inputs and steps grow by no digit",
            "Nothing needs to be done.",
        ),
        (
            "a*b/(4*pi*c*r**2)",
            "a=1:5 b=1:5 c=1:5 r=1:5",
            "errors of inputs and steps grow by 0.6 digits at nine in ten rows",
            "Nothing needs to be done.",
        ),
        (
            "x + 1e-6*sin(1000*x)",
            "x=1:5",
            "EIC, of the worst step, is 4.",
            "does not feel that step",
        ),
        (
            "x - sin(x)",
            "x=loguniform:1e-4:1",
            "at the worst, by this writing",
            "a series, a library function or a fused multiply-add",
        ),
        ("log(-abs(x))", "x=1:2", "no sample has a value", "has a finite value"),
    ],
)
def test_where_there_is_nothing_better_the_reason_is_said_and_what_helps(
    text: str, ranges: str, reason: str, advice: str
) -> None:
    found = repaired(text, ranges, series=False)
    assert found.repairs == ()
    assert reason in str(found.sentence) and advice in str(found.advice)


@pytest.mark.parametrize(
    ("text", "values", "wrong"),
    [
        ("log(x**2) + 1e-9*x", [-3.0, -0.5, 2.0, 7.0], "log(x)"),
        ("sqrt(x**2) - x/2", [-3.0, -0.5, 2.0, 7.0], "abs"),
        ("abs(x) - x/3", [-3.0, -0.5, 2.0, 7.0], "abs"),
    ],
)
def test_a_form_that_needs_positive_numbers_is_not_proposed_for_others(
    text: str, values: list[float], wrong: str
) -> None:
    for found in repaired_on(text, {"x": values}).repairs:
        for x in values:
            ours, theirs = (
                eval(t, {"log": mpmath.log, "sqrt": mpmath.sqrt, "abs": abs}, {"x": mpmath.mpf(x)})  # noqa: S307
                for t in (text, found.text)
            )
            assert abs(ours - theirs) < 1e-12, wrong


def test_what_an_assumption_needs_is_said_and_holds() -> None:
    found = repaired("(x+1)**(1/n) - x**(1/n)", "x=loguniform:10:1e8 n=3:5")
    assert "x > 0" in found.best.assumptions


def test_a_wrong_rule_gets_past_neither_search_nor_verification() -> None:
    samples = Samples.from_columns({"x": np.linspace(1e-3, 2e-3, 40)})
    formula = read("x - sin(x)").formula
    terms = Terms()
    root = terms.add(formula)
    table = ValueTable(terms, decimal_rows(samples, ["x"], range(40)))
    wrong = RuleBook([Rule("wrong", "sin(a)", "a - a**3/6 + a**5/120")])
    outcome = Search(table, Rewriter(Builder(terms), wrong), Limits()).run(root)
    assert outcome is not None and outcome.forms == ()
    series = terms.add(read("x**3/6 - x**5/120").formula)
    assert Verifier(table, root, samples, range(40), range(40)).verify(series, []) is None


def test_verification_sees_a_domain_that_shrinks_at_one_row() -> None:
    samples = Samples.from_columns({"x": [1.0, 4.0, 0.0, 9.0]})
    terms = Terms()
    root, form = (terms.add(read(t).formula) for t in ("x", "x*x/x"))
    table = ValueTable(terms, decimal_rows(samples, ["x"], [0, 1, 3]))
    seen = Verifier(table, root, samples, [0, 1, 3], range(4))
    assert seen.verify(form, []) is None  # 0 is not among the rows compared, but is scanned
    assert Verifier(table, root, samples, [0, 1, 3], [0, 1, 3]).verify(form, []) is not None


def test_verification_raises_the_precision_until_a_cancelled_value_is_settled() -> None:
    samples = Samples.from_columns({"x": [1e-40, 3e-40]})
    terms = Terms()
    root, form = (terms.add(read(t).formula) for t in ("1 - cos(x)", "2*sin(x/2)**2"))
    table = ValueTable(terms, decimal_rows(samples, ["x"], [0, 1]))
    found = Verifier(table, root, samples, [0, 1], [0, 1]).verify(form, [])
    assert found is not None and found.digits >= 80 + 30  # 80 cancel
    other = terms.add(read("3*sin(x/2)**2").formula)
    assert Verifier(table, root, samples, [0, 1], [0, 1]).verify(other, []) is None


def test_values_in_the_table_are_those_of_mpmath_whatever_cancels() -> None:
    texts = ("1 - cos(x)", "(x + 1) - x", "exp(x) - 1 - x", "sqrt(x + 1) - sqrt(x)", "max(x, x*x)")
    cells = ["1e-90", "1e-20", "0.3", "7", "1e15"]
    terms = Terms()
    table = ValueTable(terms, [{"x": x} for x in cells])
    with mpmath.workdps(500):
        named = {name: getattr(mpmath, name) for name in ("cos", "exp", "sqrt")} | {"max": max}
        for text in texts:
            for x, found in zip(cells, table.values(terms.add(read(text).formula)), strict=True):
                if "exp" in text and x == "1e15":
                    assert found is None  # beyond every range
                    continue
                expected = eval(text, named | {"x": mpmath.mpf(x)})  # noqa: S307
                assert found is not None
                difference = mpmath.mpf(found.str(60, radius=False)) - expected
                assert abs(difference) <= abs(expected) * mpmath.mpf(10) ** -33, (text, x)


def test_a_zero_without_a_proof_is_none_that_turns_a_rewrite_down() -> None:
    terms = Terms()
    cells = [{"x": "1e-200"}, {"x": "2"}]
    zero, form, wrong = (
        terms.add(read(t).formula) for t in ("1 - cos(x)", "2*sin(x/2)**2", "3*sin(x/2)**2")
    )
    shallow, deep = ValueTable(terms, cells), ValueTable(terms, cells, GREAT_DEPTH)
    assert shallow.values(zero)[0] == 0 and deep.values(zero)[0] > 0
    assert shallow.agree(zero, form) and not shallow.agree(zero, wrong)
    assert first_difference(shallow.values(zero), shallow.values(form)) == 0
    assert first_difference(deep.values(zero), deep.values(form)) is None


def test_what_lies_over_a_zero_without_a_proof_has_no_value_and_takes_no_work() -> None:
    terms = Terms()
    zero, over = (terms.add(read(t).formula) for t in ("1 - cos(x)", "x/(1 - cos(x))"))
    table = ValueTable(terms, [{"x": "1e-200"}, {"x": "2"}])
    assert table.values(zero)[0] == 0
    done = terms.work.done
    assert table.values(over)[0] is None and table.values(over)[1] is not None
    assert terms.work.done - done < EXACT


def test_the_limit_of_steps_is_kept() -> None:
    text, ranges = "sqrt(x+1)*y - sqrt(x)*y", "x=loguniform:1:1e8 y=1:2"
    for steps in (1, 5, 40):
        assert repaired(text, ranges, limit_steps=steps).evaluated <= steps
    assert repaired(ROOTS, "x=1:9", limit_steps=1).repairs == ()


def test_a_search_cut_short_draws_no_conclusion_and_a_longer_one_does() -> None:
    search = partial(repaired, "(x - sin(x))*(x+1)", "x=loguniform:1e-4:3", 50, series=False)
    cut = search(effort=0.02)
    assert not cut.finished and str(cut.sentence).endswith(str(cut.stop))
    assert "other form" not in str(cut.sentence) and cut.advice is None
    assert str(cut.more_effort) == "More: `--effort thorough`." and cut.to_json()["effort"] == 0.02
    whole = search()
    assert whole.finished and whole.stop is None
    assert "other forms tried" in str(whole.sentence) and whole.advice is not None


def test_progress_rises_to_at_most_1() -> None:
    seen: list[float] = []
    repaired("log(x+1) - log(x)", "x=loguniform:1:1e8", 50, progress=seen.append)
    assert seen and seen == sorted(seen) and seen[-1] <= 1


def test_a_missing_column_is_the_users_mistake() -> None:
    with pytest.raises(DataError, match="no data for `y`"):
        repaired_on("x - y", {"x": [1.0]})


@pytest.mark.parametrize("text", ["3", "x", "2+3", "x-x", "pi*x/x"])
def test_trivial_formulas_are_answered_in_a_sentence(text: str) -> None:
    assert str(repaired_on(text, {"x": [0.0, 1.0, 2.5]}).sentence).endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        "x*x - y*x",
        "sqrt(x+1) - sqrt(x)",
        "log(1+exp(x)) + y",
        "sin(x+y) - sin(x)*max(x, y)",
        "(x**y + y**1.5)/(x + y*x)",
        "tanh(x)*atan2(y, x) - hypot(x, y)",
    ],
)
def test_the_search_sees_the_amplification_that_the_diagnosis_tells(text: str) -> None:
    """Two computations that share no code but the operator table."""
    rng = np.random.default_rng(3)
    samples = Samples.from_columns({"x": rng.uniform(1, 5, 40), "y": rng.uniform(1, 5, 40)})
    formula = read(text).formula
    terms = Terms()
    root = terms.add(formula)
    table = ValueTable(terms, decimal_rows(samples, formula.variables, range(40)))
    costs = Costs(table, root)
    expected = correlated_eic(formula, samples)
    found = costs.of(root)
    assert found is not None
    assert found.q == pytest.approx(expected.q_eic, abs=1e-9)
    noise = table.noise(root)
    assert float(np.mean(noise.s2)) == pytest.approx(10 ** (2 * expected.root_eic), rel=1e-9)


def table_of(terms: Terms, root: int, x: np.ndarray) -> DoubleTable:
    """Programs for forms of a formula of x."""
    exact = ValueTable(terms, [{"x": value} for value in x.tolist()], GREAT_DEPTH).values(root)
    return DoubleTable(terms, {"x": x}, exact)


def test_observed_errors_are_those_of_numpy_against_mpmath() -> None:
    x = np.array([1e3, 1e6, 1e10])
    terms = Terms()
    root = terms.add(read("sqrt(x+1) - sqrt(x)").formula)
    found = table_of(terms, root, x).error(root)
    computed = np.sqrt(x + 1) - np.sqrt(x)
    with mpmath.workdps(60):
        exact = [mpmath.sqrt(mpmath.mpf(v) + 1) - mpmath.sqrt(mpmath.mpf(v)) for v in x.tolist()]
        errors = [float(abs(c - e) / e) for c, e in zip(computed.tolist(), exact, strict=True)]
    assert found.worst == max(errors)
    assert found.rms == pytest.approx(math.sqrt(sum(e * e for e in errors) / 3))
    assert (found.rows, found.failed) == (3, 0)


NEAR_ONE = [1 + k / 1000 for k in (-9, -4, -1, 2, 5, 8)]

# formula, the same with exact numbers
NO_DIGIT_LEFT = (
    ("x**7-7*x**6+21*x**5-35*x**4+35*x**3-21*x**2+7*x-1", lambda x: (x - 1) ** 7),
    ("((((((x-7)*x+21)*x-35)*x+35)*x-21)*x+7)*x-1", lambda x: (x - 1) ** 7),
    ("x**2-2*x+1", lambda x: (x - 1) ** 2),
    ("(x-1)**7", lambda x: (x - 1) ** 7),
    ("x*x*x*x-4*x*x*x+6*x*x-4*x+1", lambda x: (x - 1) ** 4),
)


@pytest.mark.parametrize(("text", "exact"), NO_DIGIT_LEFT)
def test_no_more_digits_are_measured_as_lost_than_there_are(text: str, exact) -> None:
    """A value that is wrong by more than its size has lost the 16 digits of a double, not 30."""
    formula = read(text).formula
    terms = Terms()
    root = terms.add(formula)
    found = table_of(terms, root, np.array(NEAR_ONE)).error(root)
    errors = []
    for x in NEAR_ONE:
        true = exact(Fraction(x))
        computed = Fraction(float(eval(text, {"x": np.float64(x)})))  # noqa: S307
        errors.append(min(1.0, float(abs(computed - true) / abs(true))))
    digits = 0.5 * math.log10(np.mean(np.square(errors))) + 53 * math.log10(2)
    assert found.digits_lost == pytest.approx(max(0.0, digits), abs=0.2)  # powers are NumPy's
    assert 0 <= found.digits_lost <= 15.96
    sentences = map(str, (form.sentence for form in repaired_on(text, {"x": NEAR_ONE}).repairs))
    for number in re.findall(r"it loses ([\d.]+)", " ".join(sentences)):
        assert float(number) <= 16.0


def test_a_value_beyond_double_range_counts_as_failed() -> None:
    terms = Terms()
    root = terms.add(read("log(exp(x))").formula)
    programs = table_of(terms, root, np.array([1.0, 1000.0]))
    found = programs.error(root)
    assert (found.failed, found.rows, found.digits_lost) == (1, 2, math.inf)
    assert programs.error(terms.add(read("x").formula)).failed == 0


def test_the_rule_book_and_the_families_are_not_empty() -> None:
    assert len(RULES.rules) > 120 and len(FAMILIES) >= 12


def test_the_command_prints_the_repair(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", "sqrt(x+1)-sqrt(x)", "--range", "x=loguniform:1:1e8", *TO_ITS_END]) == 0
    printed = capsys.readouterr().out
    needs = "√(x + 1) + √x > 0"  # as its derivation says, too
    assert printed.startswith(
        f"Write `1/(sqrt(x + 1) + sqrt(x))` where `{needs}` (conjugate roots)"
    )
    assert printed.count(f"needs {needs}\n") == 1
    assert (
        main(["repair", "-exp(x)+1", "--range", "x=loguniform:1e-9:1", "--json", *TO_ITS_END]) == 0
    )
    assert json.loads(capsys.readouterr().out)["repairs"][0]["formula"] == "-expm1(x)"
    assert main(["repair", "log(x"]) == 2
    assert "unbalanced parenthesis" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "x", "assumption"),
    [("2**x - 1", "loguniform:1e-9:1e-2", "2 > 0"), ("log(1 + x)/log(2)", "1e-9:1e-7", "")],
)
def test_of_plain_numbers_nothing_is_assumed_and_nothing_rewritten(
    text: str, x: str, assumption: str
) -> None:
    found = repaired(text, f"x={x}", 100)
    assert found.best.after.q < 0.5 < found.best.before.q
    for form in found.repairs:
        assert assumption not in form.assumptions
        assert "log1p(1)" not in form.text


@pytest.mark.filterwarnings("error")
def test_values_whose_squares_leave_the_widest_type_are_searched_all_the_same() -> None:
    """x^9999 of 2 is 10^3010; extended doubles end at 10^4932, its square at 10^6020."""
    found = repaired_on("x**9999", {"x": [2.0, 1.9]})
    assert "the function's own sensitivity" in str(found.sentence)
    table = ValueTable(terms := Terms(), [{"x": "2"}])
    noise = table.noise(terms.add(read("x**9999").formula))
    assert float(noise.q2[0]) == pytest.approx(1 + 9999**2)
    assert float(noise.s2[0]) == pytest.approx(1 + 9999**2)


@pytest.mark.parametrize(
    ("text", "values"),
    [("floor(log10(x))", ["1e15", "1e3", "5"]), ("ceil(log2(x))", ["8", "1024", "3"])],
)
def test_a_whole_number_that_rounding_hides_is_one_where_forms_are_measured(text, values):
    """Log10(1e15) is 15 in no ball, but for its radius: NumPy's 15 and 0 are exact."""
    found = repaired_on(text, {"x": np.array(values, float)})
    assert "in double precision it loses no digit" in str(found.sentence)


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("floor(10*x)/10", [i / 10 for i in range(21)]),
        ("round(100*x)/100", [1.23, 4.56, 7.895]),
        ("floor(x/0.1)", [0.3, 0.6, 0.7, 1.1, 0.25]),  # NumPy: 2 of 0.3/0.1, 3 of 10*0.3
    ],
)
def test_a_formula_that_jumps_is_compared_with_its_value_at_the_double_too(text, x):
    """By Python's own fractions of the doubles, and by floats; no form loses more."""
    one = {"floor": math.floor, "round": round}
    written = text.replace("0.1", "tenth")
    lost = [
        float(eval(written, dict(one, x=Fraction(v), tenth=Fraction(1, 10))))  # noqa: S307
        != eval(text, dict(one, x=v))  # noqa: S307
        for v in x
    ]
    found = repaired_on(text, {"x": np.array(x)})
    assert (found.before.loss.lost > 1).tolist() == lost
    assert found.before.loses == any(lost)
    for form in found.repairs:
        assert form.after.loss.worst <= found.before.loss.worst + 0.5
