"""Every rule is an identity, and fires; every constructor keeps the value."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import pytest
from flint import arb
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Draft, Formula
from eic_core.operators import OPERATORS
from eic_core.operators.balls import BALLS, working
from eic_core.rewriting.builder import Builder, Weighted
from eic_core.rewriting.families import FAMILIES
from eic_core.rewriting.families.angles import half_turns, vector_angles
from eic_core.rewriting.families.brackets import bracketed_sums
from eic_core.rewriting.families.quotients import quotients_in_turn
from eic_core.rewriting.matching import NUMBERS, Matcher, pattern
from eic_core.rewriting.polynomials import polynomial_of, ways_to_write
from eic_core.rewriting.repair import RULES
from eic_core.rewriting.rules import Assumption, Rewriter, Rule, RuleBook
from eic_core.rewriting.terms import Terms, number_text, number_value
from tests.core.measure.trees import random_tree
from tests.core.rewriting.rewriting_oracle import MP, NoValue, TooFar, number, same, value
from tests.effort import cases, examples

HOLDS = {">": lambda v: v > 0, ">=": lambda v: v >= 0, "!=": lambda v: v != 0}


def letters(draft: Draft) -> set[str]:
    """The placeholders of a pattern."""
    if draft.operator == VARIABLE:
        return {draft.label}
    return set().union(*map(letters, draft.children)) if draft.children else set()


def broken_at(rule: Rule, operands: dict[str, str]) -> str:
    """What is wrong with a rule at these operands; "" if nothing, "outside" if it is silent."""
    bindings = {name: number(text) for name, text in operands.items()}
    try:
        left = value(rule.pattern.draft, bindings)
        for condition, relation in rule.conditions:
            if not HOLDS[relation](value(condition, bindings)):
                return "outside"
    except NoValue:
        return "outside"
    try:
        right = value(rule.template, bindings)
    except TooFar:  # though the left side passes by such a number
        return "outside"
    except NoValue:
        return "the right side has no value"
    return "" if same(left, right) else f"{MP.nstr(left, 20)} is not {MP.nstr(right, 20)}"


DECIMALS = st.one_of(
    st.integers(-400, 400).map(lambda n: str(Fraction(n, 100))),
    st.integers(1, 999).map(lambda n: str(Fraction(n, 1000))),
    st.integers(1, 60).map(str),
    st.integers(-9, 9).map(lambda n: str(Fraction(n, 10**7))),
    st.sampled_from(("1/2", "1/3", "2", "3", "-1/2")),
)


def operands_of(rule: Rule) -> st.SearchStrategy[dict[str, str]]:
    """Decimal texts for a rule's letters."""
    return st.fixed_dictionaries(dict.fromkeys(sorted(letters(rule.pattern.draft)), DECIMALS))


def identify(rule: Rule) -> str:
    return f"{rule.left} -> {rule.right}"


@pytest.mark.parametrize("rule", RULES.rules, ids=identify)
def test_a_rule_holds_wherever_its_left_side_and_assumptions_do(rule: Rule) -> None:
    inside = 0

    @settings(
        max_examples=cases(8, 80),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(operands_of(rule))
    def check(operands: dict[str, str]) -> None:
        nonlocal inside
        wrong = broken_at(rule, operands)
        assume(wrong != "outside")
        inside += 1
        assert not wrong, f"{operands}: {wrong}"

    check()
    assert inside >= cases(6, 15), "the operands tried hardly ever reach this rule"


WITH_EXAMPLES = [rule for rule in RULES.rules if rule.example]


@pytest.mark.parametrize("rule", WITH_EXAMPLES, ids=identify)
def test_both_sides_of_a_rule_meet_in_every_box_of_its_example(rule: Rule) -> None:
    assert rule.domains.keys() == letters(rule.pattern.draft)
    count = cases(6, 100)
    columns = {name: domain.draw(name, count, 1) for name, domain in rule.domains.items()}
    inside = 0
    for row in range(count):
        for radius in BOXES:
            boxes = {name: box(float(values[row]), radius) for name, values in columns.items()}
            with working(BALL_BITS):
                left, right = (ball(side, boxes) for side in (rule.pattern.draft, rule.template))
                holds = all(HOLDS[r](ball(c, boxes)) for c, r in rule.conditions)
                if not holds or not left.is_finite():
                    continue
                assert left.overlaps(right) or not right.is_finite(), (boxes, left, right)
                if radius == BOXES[0]:
                    assert right.is_finite(), f"the right side has no value at {boxes}"
                    inside += left.rel_accuracy_bits() > 60 or left.contains(0)
    assert inside >= count / 2, "the example is hardly ever inside the rule's domain"


BOXES = (2.0**-400, 1e-6, 1e-2)
"""Half-widths, relative: the first tells whether the sides are equal, the others are boxes."""

BALL_BITS = 600


def box(middle: float, radius: float) -> Any:
    return arb(middle, abs(middle) * radius)


def ball(draft: Draft, boxes: Mapping[str, Any]) -> Any:
    """An enclosure of a pattern's values in a box; nan where it has none, or some operand is so
    wide that no answer holds."""
    if draft.operator == VARIABLE:
        return boxes[draft.label]
    if draft.operator == CONSTANT:
        return (
            BALLS.number(value)
            if (value := number_value(draft.label)) is not None
            else (BALLS.pi if draft.label == "pi" else BALLS.exp(1))
        )
    operands = [ball(child, boxes) for child in draft.children]
    if not all(operand.is_finite() for operand in operands):
        return arb(math.nan)
    if OPERATORS[draft.operator].selects:
        pick = arb.min if draft.operator == "min" else arb.max
        return reduce(pick, operands)
    try:
        return arb(OPERATORS[draft.operator].exact(BALLS, operands, draft.parameter))
    except (ZeroDivisionError, ValueError):
        return arb(math.nan)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("log(a**2)", "2*log(a)"),  # a < 0
        ("sqrt(a**2)", "a"),
        ("cos(a) - cos(b)", "2*sin((a + b)/2)*sin((a - b)/2)"),  # sign
        ("atan(a) - atan(b)", "atan((a - b)/(1 + a*b))"),  # off by pi where a*b < -1
        ("1/a - 1/b", "(a - b)/(a*b)"),
        ("log(a*b)", "log(a) + log(b)"),  # both negative
    ],
)
def test_a_wrong_rule_is_caught(left: str, right: str) -> None:
    rule = Rule("wrong", left, right)
    rng = random.Random(1)
    texts = [str(Fraction(n, 100)) for n in range(-400, 400)]
    tries = ({n: rng.choice(texts) for n in letters(rule.pattern.draft)} for _ in range(300))
    assert any(broken_at(rule, operands) not in ("", "outside") for operands in tries)


@pytest.mark.parametrize("rule", RULES.rules, ids=identify)
def test_a_rule_fires_on_its_own_left_side(rule: Rule) -> None:
    terms = Terms()
    names = {
        name: {"k": "3", "m": "5", "n": "7"}.get(name, f"y_{name}")
        for name in letters(rule.pattern.draft)
    }
    left = read(to_python(Formula.from_draft(rule.pattern.draft)), columns=sorted(names))
    draft = left.formula.to_draft()
    build = Builder(terms)
    bound = {name: terms.add(read(text, columns=[text]).formula) for name, text in names.items()}
    root = plainly(terms, draft, bound)
    assert {r.rule for r in Rewriter(build, RuleBook([rule])).at(root)} == {rule.name}


def plainly(terms: Terms, draft: Draft, bound: dict[str, int]) -> int:
    """A tree put into a collection exactly as written, letters replaced."""
    if not draft.children:
        return (
            bound[draft.label]
            if draft.label in bound
            else terms.intern(draft.operator, (), draft.label)
        )
    children = tuple(plainly(terms, child, bound) for child in draft.children)
    return terms.intern(draft.operator, children, "", draft.parameter)


def built(text: str, names: str = "") -> tuple[Builder, int]:
    """A builder of terms, and a text among them."""
    terms = Terms()
    return Builder(terms), terms.add(read(text, columns=tuple(names)).formula)


def agree(
    terms: Terms,
    before: int,
    after: int,
    names: tuple[str, ...],
    seed: int,
    assumptions: tuple[Assumption, ...] = (),
) -> str:
    """Where two terms differ on random operands at which the assumptions hold; "" if nowhere."""
    rng = random.Random(seed)
    drafts = [terms.formula(root).to_draft() for root in (before, after)]
    for _ in range(4):
        bindings = {n: number(str(Fraction(rng.randint(-300, 500), 100))) for n in names}
        try:
            expected = value(drafts[0], bindings)
            signs = [value(terms.formula(a.term).to_draft(), bindings) for a in assumptions]
        except NoValue:
            continue
        if not all(HOLDS[a.relation](v) for a, v in zip(assumptions, signs, strict=True)):
            continue
        try:
            found = value(drafts[1], bindings)
        except TooFar:  # though the other form passes by such a number
            continue
        except NoValue:
            return f"{to_python(terms.formula(after))} has no value at {bindings}"
        if not same(expected, found):
            return (
                f"{to_python(terms.formula(before))} is not {to_python(terms.formula(after))}"
                f" at {bindings}"
            )
    return ""


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
@example(1363)  # a divisor that folds to 1 took the sign with it
def test_tidying_constructors_keep_the_value(seed: int) -> None:
    rng = random.Random(seed)
    terms = Terms()
    build = Builder(terms)
    left, right = (
        terms.add(Formula.from_draft(random_tree(rng, ("x", "y"), 4, 1.0))) for _ in range(2)
    )
    for operator in ("add", "sub", "mul", "div"):
        plain = terms.intern(operator, (left, right))
        tidy = build.apply(operator, (left, right))
        assert not agree(terms, plain, tidy, ("x", "y"), seed)
        assert terms.size(tidy) <= terms.size(plain) + 4


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
@example(2916)  # the term numbered 0 is a term all the same
def test_families_of_rewrites_keep_the_value(seed: int) -> None:
    rng = random.Random(seed)
    terms = Terms()
    root = terms.add(Formula.from_draft(random_tree(rng, ("x", "y"), 5, 1.0)))
    for family in FAMILIES:
        for name, after, assumptions in family.at(Builder(terms), root):
            assert not agree(terms, root, after, ("x", "y"), seed, assumptions), name


@pytest.mark.parametrize("text", ["x + x + y", "x - y + x - y", "2 + x + 2 - y", "x/(y*y)*x"])
def test_other_brackets_keep_equal_terms(text: str) -> None:
    build, root = built(text)
    for family in (bracketed_sums, quotients_in_turn):
        for _, after, *_ in family(build, root):
            assert not agree(build.terms, root, after, ("x", "y"), 1)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("acos((x*u + y*v)/(hypot(x, y)*sqrt(u*u + v*v)))", "angle between vectors"),
        ("acos((v*y + x*u)/hypot(x, y)/hypot(u, v))", "angle between vectors"),
        (
            "acos((x*u + y*v + z*w)/sqrt((x**2 + y**2 + z**2)*(u**2 + v**2 + w**2)))",
            "angle between vectors",
        ),
        ("acos(min(1, max(-1, (x + y)/(hypot(1, y)*hypot(x, 1)))))", "angle between vectors"),
        ("acos(z/sqrt(x**2 + y**2 + z**2))", "angle of a right triangle"),
        ("asin(y/hypot(hypot(x, y), z))", "angle of a right triangle"),
        ("sin(pi*x)", "argument reduction"),
        ("cos(2*pi*x/y)", "argument reduction"),
        ("sin(x/180*pi)", "argument reduction"),
        ("cos(pi*(x - y))", "argument reduction"),
        ("tan(pi*x/4)", "argument reduction"),
        ("log(x*x*exp(y) + exp(-z) + 3)", "shifted log-sum-exp"),
        ("log(exp(x) + exp(y) + exp(z))", "log-sum-exp"),
        ("log(exp(x) + exp(y) + exp(z))", "shifted log-sum-exp"),
        ("x*exp(y)/(exp(z) - x*exp(y))", "dividing through"),
        ("(x**3 - y*z)/(x**4*y + z**5)", "dividing through"),
        ("(exp(x) + z*exp(-y))/(exp(x)*y + 2)**2", "dividing through"),
        ("x*cosh(y)/(z - sinh(y)*x**3)", "dividing through"),
        ("v*x**y/(x**y + z**y)", "dividing through"),
        ("(x**y + z**y)**(1/y)", "dividing through"),
        ("sqrt(x**4 + y**3)", "dividing through"),
        ("root(x**5*y - z**3, 3)", "dividing through"),
        ("(x**6 + exp(y))**0.75", "dividing through"),
        ("sqrt(x*y**3/z)", "root of a product"),
        ("sqrt(4*(x**2*exp(y)))", "root of a product"),
        ("cbrt(x*y**2/(-8*z))", "root of a product"),
        ("root(x**3*y, 4)", "root of a product"),
        ("sqrt(x*x - 4*(y*z))", "discriminant"),
        ("sqrt(x*y + z**2)", "discriminant"),
        ("cbrt(-x - 2*y)", "opposite argument"),
        ("cosh(-x/y)", "opposite argument"),
        ("log(1/(1 + exp(-x)) - 1/(1 + exp(-y)))", "log of a product"),
        ("log(2*(exp(x) - 1)/(exp(y) - exp(z))**2)", "log of a product"),
        ("log(-x*(1 + exp(y))*(3*exp(z) - 3))", "log of a product"),
        ("log(sinh(x)/(cosh(y)*expm1(-z)))", "log of a product"),
        ("log(-5*(1 - exp(x))*exp(y)/cosh(z))", "log of a product"),
        ("log(x*pi*(pi + exp(y))*(1 + exp(z)))", "log of a product"),
    ],
)
def test_a_family_finds_its_form_and_keeps_the_value(text: str, name: str) -> None:
    build, root = built(text, "uvwxyz")
    forms = [form for family in FAMILIES for form in family.at(build, root) if form.rule == name]
    assert forms
    for _, after, needed in forms:
        assert not any(
            agree(build.terms, root, after, tuple("uvwxyz"), k, needed) for k in range(4)
        )


@pytest.mark.parametrize(
    "text",
    [
        "acos((x*u - y*v)/(hypot(x, y)*hypot(u, v)))",
        "acos((x*u + y*y)/(hypot(x, y)*hypot(u, v)))",
        "acos((x*u + y*v)/(hypot(x, y)*sqrt(u*u - v*v)))",
        "acos((x*u + y*v)/hypot(x, y))",
        "sin(pi*x*pi)",
        "cos(-3*pi*x)",
        "sin(pi)",
    ],
)
def test_a_family_is_silent_where_its_form_is_another(text: str) -> None:
    build, root = built(text, "uvxy")
    families = [f for f in FAMILIES if f.rewrite in (vector_angles, half_turns)]
    assert not [form for family in families for form in family.at(build, root)]


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.integers(-6, 6), min_size=2, max_size=5),
    st.lists(st.integers(-3, 3), min_size=1, max_size=3),
)
def test_every_way_to_write_a_polynomial_is_that_polynomial(
    coefficients: list[int], roots: list[int]
) -> None:
    text = " + ".join(f"({c})*x**{i}*y**{i % 2}" for i, c in enumerate(coefficients))
    text = f"({text})" + "".join(f"*(x - ({r}))" for r in roots)
    build, root = built(text)
    for form in ways_to_write(build, polynomial_of(build, root)):
        draft, other = (build.terms.formula(each).to_draft() for each in (root, form))
        for x, y in (("3/7", "-2"), ("-5/3", "1/9")):
            bindings = {"x": number(x), "y": number(y)}
            assert same(value(draft, bindings), value(other, bindings)), text


@pytest.mark.parametrize("seed", range(cases(4, full=40)))
def test_the_rules_that_are_tried_leave_out_none_that_matches(seed: int) -> None:
    terms = Terms()
    for text in (rule.left for rule in RULES.rules[seed::4]):
        terms.add(read(text, columns=tuple("abcdefghklmnpqrstuvwxyz")).formula)
    for turn in range(20):
        terms.add(
            Formula.from_draft(random_tree(random.Random(100 * seed + turn), ("x", "y"), 6, 0.7))
        )
    matcher = Matcher(Builder(terms))
    for place in range(len(terms)):
        term = terms[place]
        if len(matcher.signed_terms(place)) > 2:
            continue  # longer sums are looked at pair by pair
        tried = RULES.at(term.operator, *[terms[c].operator for c in term.children])
        for rule in set(RULES.rules) - set(tried):
            if rule.pattern.operator == term.operator:
                assert not any(matcher.match(rule.pattern, place)), (rule.left, term)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("x**3 - 3*x**2 + 3*x - 1", "(x - 1)**3"),
        ("4*x**2 + 4*x*y + y**2", "(2*x + y)**2"),
        ("9*x**4 - y**2", "(3*x**2 - y)*(3*x**2 + y)"),
        ("x**2 + y**2 - 2*x*y", "(x - y)**2"),
        ("2*x**3 + 3*x**2 - 5*x + 7", "((2*x + 3)*x - 5)*x + 7"),
        ("a*b + a*c + d", "a*(b + c) + d"),
        ("(x+1) - x", "1"),
    ],
)
def test_polynomials_are_written_as_a_textbook_would(text: str, form: str) -> None:
    build, root = built(text)
    ways = ways_to_write(build, polynomial_of(build, root))
    assert form in {to_python(build.terms.formula(way)) for way in ways}


@given(st.fractions())
def test_a_number_reads_back_exactly(x: Fraction) -> None:
    text = number_text(x)
    assert text is None or Fraction(text) == x


@pytest.mark.parametrize("text", ["0", "1e-30", "123456789012345678", "1e25", "-2.5e-7"])
def test_numbers_within_17_digits_can_be_written(text: str) -> None:
    is_short = len(text.strip("-").replace(".", "").partition("e")[0]) <= 17
    assert (number_text(Fraction(text)) is not None) == is_short


def matches(form: str, text: str) -> list[dict[str, str]]:
    """What the letters of a pattern stand for in a text."""
    build, root = built(text)
    return [
        {name: to_python(build.terms.formula(t)) for name, t in match.items()}
        for match in Matcher(build).match(pattern(form), root)
    ]


@pytest.mark.parametrize(
    ("form", "text", "bound"),
    [
        ("1 + a", "x + 1 + y", {"a": "x + y"}),
        ("1 + a", "1 - x", {"a": "-x"}),
        ("a - 1", "-1 + x", {"a": "x"}),
        ("exp(a) - exp(-a)", "exp(2*x) - exp(-2*x)", {"a": "2*x"}),
        ("a**p", "sqrt(x)", {"a": "x", "p": "0.5"}),
        ("a**p", "x**3", {"a": "x", "p": "3"}),
        ("sqrt(1 + a**2)", "sqrt(x*x + 1)", {"a": "x"}),
        ("c*exp(a) - c", "exp(x)*5 - 5.0", {"c": "5", "a": "x"}),
    ],
)
def test_patterns_match_up_to_order_and_spelling(
    form: str, text: str, bound: dict[str, str]
) -> None:
    assert bound in matches(form, text)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("exp(a) - exp(-a)", "exp(x) - exp(-y)"),
        ("k*a", "x*y"),
        ("1 + a", "x + 2"),
        ("a**2", "x**3"),
    ],
)
def test_patterns_do_not_match_what_is_not_of_their_form(form: str, text: str) -> None:
    assert matches(form, text) == []


def test_number_letters_are_those_documented() -> None:
    assert {"k", "m", "n"} == NUMBERS


def test_a_sum_of_weighted_terms_starts_with_a_positive_one() -> None:
    terms = Terms()
    x, y = (terms.add(read(name).formula) for name in "xy")
    total = Builder(terms).sum_of([Weighted(Fraction(-1), x), Weighted(Fraction(3), y)])
    assert to_python(terms.formula(total)) == "3*y - x"
