"""What is said of one formula is true of the rows it is said of, and no two sentences disagree."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from eic_core.errors import DataError
from eic_core.explain.budget import digit_budget
from eic_core.explain.causes import explain_loss, singular_causes
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.facts import FollowsStep, GrowthPace, InnerStepLost, LeftOut, OutOfSplit
from eic_core.explain.findings import (
    Accumulated,
    BeyondEveryRange,
    BeyondReduction,
    Cancellation,
    LargeArgument,
    NearPole,
    NearZero,
    OutsideDomain,
)
from eic_core.explain.ledger import LedgerRow, blame, noise_groups
from eic_core.explain.phrases.causes import clause, domain
from eic_core.explain.phrases.where import place_sentence
from eic_core.explain.settling import growth_of, unsettled_at
from eic_core.explain.verdict import Level, verdict
from eic_core.explain.where import where
from eic_core.explain.writing import writing_loss
from eic_core.formula.rendering import short_text
from eic_core.measure import Samples
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import Outcome
from tests.findings import findings_of, rows_of, step_of, steps_of
from tests.inspections import inspect_columns, inspect_ranges

NO_ANGLE = "its argument is too large to have an angle"


def why_no_digit(inspection):
    """The cause at the result, in words."""
    ((cause, rows),) = singular_causes(inspection, inspection.formula.root.id)
    assert len(rows) == inspection.nodes[-1].singular
    return str(clause(cause, inspection.formula))


@pytest.mark.parametrize(
    ("text", "x", "why"),
    [
        ("sin(exp(x))", [100.0, 1.0], NO_ANGLE),
        ("tan(1e31*x)", [1.0, 2.0], NO_ANGLE),
        ("(1e40 + x) - 1e40", [1.0, 2.0], "the two terms cancel in more than 30 digits"),
        ("log(1 + x)", [1e-35, 1.0], "its argument agrees with 1 in more than 30 digits"),
        ("log(x)", [1.0, 2.0], "its argument is exactly 1"),
        ("acos(x)", [1.0, 0.5], "its argument is at the end of its domain"),
        ("x - x", [1.0, 2.0], "the two terms cancel exactly"),
    ],
)
def test_why_no_digit_is_left_is_what_happened_there(text, x, why):
    assert why_no_digit(inspect_columns(text, x=x)) == why


def test_a_base_of_zero_is_not_called_negative():
    inspection = inspect_columns("abs(x)**(y*1.1)", x=[0.0, 0.0, 1.0], y=[-1.0, 2.0, 3.0])
    (failing,) = [n for n in inspection.nodes if n.invalid]
    assert failing.invalid == 1  # 0 to the power of 2.2 is 0
    assert rows_of(inspection, Outcome.NO_REAL_VALUE) == [0]
    assert steps_of(inspection, Outcome.NO_REAL_VALUE) == {"|x|^(y·1.1)"}
    assert str(domain(inspection.formula, failing.node.id)) == (
        "with an inexact exponent the base must be positive, or 0 below a positive one"
    )


def two_zeros():
    """(x - 1)(y - 2): at the worst rows x is near 1, at some others y is near 2."""
    rng = np.random.default_rng(7)
    x, y = rng.uniform(3, 9, 1_000), rng.uniform(3, 9, 1_000)
    x[:20] = 1 + 2e-3 * np.tile([1, -1], 10)
    y[100:160] = 2 + 1.4e-2 * np.tile([1, -1], 30)
    return inspect_columns("(x - 1)*(y - 2)", x=x, y=y)


def test_the_zero_that_is_named_is_the_one_that_makes_the_noise():
    inspection = two_zeros()
    found = where(inspection, inspection.bottleneck)
    s2 = np.square(found.s)
    assert s2[:20].sum() > 0.6 * s2.sum() > s2[100:160].sum() > 0.1 * s2.sum()
    place = found.place
    share = s2[:20].sum() / s2.sum()
    assert (place.rows, place.share) == (20, pytest.approx(share))
    assert str(place_sentence(inspection.formula, place)) == (
        f"20 rows give {share:.0%} of the noise; there `x − 1` crosses zero (from −0.002 to "
        "0.002): `x` is near 1."
    ).replace("%", " %")
    causes = [why.cause for why in explain_loss(inspection, inspection.formula.root.id)]
    assert short_text(inspection.formula, causes[0].node) == "x − 1"


def test_an_inner_loss_at_other_rows_is_no_inheritance():
    """tanh(sin x / 4) + 0.3 crosses zero where the sine is not small."""
    zero = np.pi + np.arcsin(4 * np.arctanh(0.2371))
    x = np.concatenate([np.linspace(0.5, 2.5, 50), [np.pi - 4e-6, zero + 1e-5]])
    inspection = inspect_columns("0.2371 + tanh(sin(x)/4)", x=x)
    _, s_root = inspection.amplification.trace(len(inspection.formula) - 1)
    _, s_sine = inspection.amplification.trace(2)
    worst = int(np.argmax(s_root))
    assert s_sine[worst] < 10 < 1e5 < s_root[worst]  # the sine keeps its digits at the worst row
    ends = [inspection.nodes[k].local_eic for k in (2, -1)]
    assert ends[1] - 0.35 < ends[0] < ends[1]  # yet it loses as much, elsewhere
    first, *_ = explain_loss(inspection, inspection.formula.root.id)
    assert first.cause.node == inspection.formula.root.id


def test_a_zero_far_out_is_called_a_zero_by_the_verdict_as_by_the_rows():
    x = np.append(np.linspace(20.5, 21.5, 60), 7 * np.pi + 1e-4)
    inspection = inspect_columns("cos(x + 1.5707963)", x=x)
    (of_mean, *_) = explain_loss(inspection, inspection.formula.root.id)  # one row carries it
    assert isinstance(of_mean.cause, NearZero) and of_mean.cause.largest == pytest.approx(
        23.562, abs=1e-3
    )
    result = outcomes(inspection).digits
    rows = result[result >= 1]
    (of_digits,) = [f for f in findings_of(inspection, Outcome.FINITE) if f.rows is not None]
    assert isinstance(of_digits.cause, LargeArgument)  # the digits of the others are its size
    assert of_digits.rows == len(rows) > 40 and np.median(rows) < math.log10(2 * 23.6)
    plain = inspect_columns("sin(x)", x=np.linspace(1e6, 1.1e6, 60))
    assert verdict(plain).leading.cause == LargeArgument(1, 1.1e6, 2 * math.pi)


def test_a_result_that_shows_a_loss_is_not_said_to_hide_it():
    x, y = np.linspace(1, 2, 41), np.linspace(3, 3.02, 41)
    inspection = inspect_columns("(x - 1.5000001)*0.001 + (y - 2.9)", x=x, y=y)
    shown = inspection.nodes[-1].local_eic
    assert 1 < shown <= inspection.nodes[inspection.worst_step].local_eic - 1
    leading = verdict(inspection).leading
    assert step_of(inspection, leading) == "y − 2.9" and isinstance(leading.cause, Cancellation)
    inner = findings_of(inspection, Outcome.FINITE, inner=True)
    assert {step_of(inspection, f) for f in inner} == {"x − 1.5000001"}
    assert {f.at for f in inner} == {inspection.worst_step}
    said = " ".join(map(str, writing_loss(inspection).notes))
    assert "EIC is 6.52 digits, most of them at `x − 1.5000001`" in said
    assert "with shared noise errors grow by less up to the result" in said


def test_a_loss_that_grows_with_n_is_not_said_not_to_grow():
    s2 = np.full(1_600, 100.0)
    still = growth_of(s2)
    assert still.pace is GrowthPace.STILL and "does not grow" in str(still.sentence)
    s2 = 1 / ((np.arange(1_600) + 0.5) / 1_600) ** 1.1
    slow = growth_of(s2)
    assert slow.pace is GrowthPace.HARDLY and 0.02 < slow.local_eic[-1] - slow.local_eic[0] < 0.1
    assert str(slow.sentence).startswith("On these rows the local EIC has hardly grown yet: ")


def test_two_figures_for_the_loss_of_the_result_are_explained():
    x = np.linspace(1, 5, 50)
    found = writing_loss(inspect_columns("x*x*x*x*x", x=x))
    # 1 + 5^2 and three products inside, x^2 to x^4 being rounded once each; apart 5 + 4
    assert found.q == pytest.approx(0.5 * np.log10(1 + 25 + 3), abs=1e-9)
    assert [str(note) for note in found.notes] == [
        "Here copies of a number share their noise; with independent noise, as EIC has it, errors "
        "grow by 0.48 digits up to the result."
    ]
    assert writing_loss(inspect_columns("x*y", x=x, y=x)).notes == ()


def test_a_small_argument_is_not_called_large_nor_a_harmless_zero_a_loss():
    nested = verdict(inspect_columns("sin(" * 400 + "x" + ")" * 400, x=np.linspace(0.5, 2, 20)))
    assert nested.level is Level.SENSITIVE
    assert isinstance(nested.leading.cause, Accumulated) and nested.leading.cause.most < 0.35
    for text, x, cause in (
        ("sin(x)", [3.1, 3.11], NearZero),
        ("cot(x)", [3.1, 3.11], NearPole),
        ("cot(x)", [1.56, 1.57], NearZero),
        ("sec(x)", [1.5, 1.51], NearPole),
        ("tan(x)", [3.1, 3.11], NearZero),
    ):
        assert isinstance(verdict(inspect_columns(text, x=x)).leading.cause, cause)


def test_where_no_digit_is_left_anywhere_the_diagnosis_stays_with_that_node():
    said = diagnose(inspect_columns("x - y", x=[1.0, 2.0], y=[1.0, 2.0])).sentences
    assert said[1] == (
        "At every valid sample the amplification of `x − y` is infinite: "
        "there is nothing finite to split."
    )
    assert said[2] == "At every valid sample the amplification of `x − y` is infinite."


def test_a_budget_of_the_smallest_numbers_is_a_sentence():
    inspection = inspect_columns("x*y", x=[5e-324] * 30, y=np.linspace(1, 2, 30))
    assert str(digit_budget(inspection).sentences[-1]).startswith("All rounded together")


@pytest.mark.parametrize("values", [["a", "b"], [10**400, 1], [[1.0], [1.0, 2.0]], [1j, 2.0]])
def test_what_is_no_number_is_told_by_its_column(values):
    with pytest.raises(DataError, match="column `x`"):
        Samples.from_columns({"x": values})


LEDGERS = [
    # formula; how the largest group is said to be amplified, and (by hand) by how much at the step
    ("10000*x - 9999*x", "each amplified 10,000 times at the difference"),  # 10^4 of 10^4
    ("(1000*x - 999*x)**2", "each amplified 2,000 times, mostly at the difference"),  # 10^3 of 2000
    ("(10*x - 9*x)**20", "amplified 180 to 200 times, mostly at the power"),  # 20 of each
]


@pytest.mark.parametrize(("text", "said"), LEDGERS)
def test_a_step_is_said_to_amplify_as_large_a_part_as_it_does(text, said):
    """ "At" if the others make next to nothing of it, "mostly at" from half of the digits."""
    inspection = inspect_columns(text, x=np.linspace(1, 2, 9))
    assert said in str(blame(inspection, inspection.bottleneck).sentences[0])


def test_where_no_step_makes_half_of_a_gain_that_is_said():
    """20 at the power, 10 and 10 at the differences: 1.3 of 3.3 digits."""
    text = "(10*(10*x - 9*x) - 9*(10*y - 9*y))**20"
    ones = np.full(9, 1.0)
    first = str(diagnose(inspect_columns(text, x=ones, y=ones)).ledger.sentences[0])
    assert "amplified 1,800 to 2,000 times on the way, most at the power" in first


def test_no_source_of_weight_goes_unmentioned_because_each_is_small():
    """One source of 60 % beside 400 of a tenth of a per cent, which are 40 % together."""
    inspection = inspect_columns("+".join(map(str, range(1, 402))), x=[1.0])
    leaves = [node.id for node in inspection.formula.nodes if not node.children]
    shares = [0.6, *[0.001] * 400]
    rows = tuple(
        LedgerRow(k, share, share, share, 1.0, 1.0, k, math.nan, False)
        for k, share in zip(leaves, shares, strict=True)
    )
    (group,) = noise_groups(inspection, len(inspection.formula) - 1, rows)
    named = group.nodes
    assert (len(group.sources), group.more) == (3, named - 3)
    assert 0.6 + 0.001 * (named - 1) > 0.98


def test_rows_that_are_left_out_are_not_among_those_counted():
    found = where(inspect_columns("1/(x-2)", x=[2.0, 1.0, 2.0001, 3.0, 4.0, 5.0, 6.0]))
    assert str(found.sentences[0]).startswith(
        "One of 6 rows with a finite amplification, row 3, gives over 99.9 %"
    )
    same = where(inspect_columns("log(x) - log(x)*1 + 3*x", x=[-1.0, 2.0, 4.0]), 10)
    assert "each of 3 rows" not in str(same.sentences[0])


def test_growth_tells_what_was_seen():
    u = (np.arange(1_600) + 0.5) / 1_600
    grows = growth_of(1 + 1 / (u - 0.5001) ** 2)
    decades = np.log10(grows.counts[-1] / grows.counts[0])
    seen = (grows.local_eic[-1] - grows.local_eic[0]) / decades
    assert grows.pace is GrowthPace.GROWS
    assert str(grows.sentence).startswith("The local EIC grows with the data: ")
    assert f"{grows.local_eic[-1]:.2f} on all 1,600" in str(grows.sentence)
    assert str(grows.sentence).endswith(f": that is {seen:.1f} more for every ten times as many.")


def test_a_constant_that_needs_some_of_its_digits_does_not_hang_on_the_last():
    found = digit_budget(
        inspect_columns("3.14159265358979*x", x=np.linspace(1, 5, 50)), tolerance=1e-6
    )
    need = found.needs[0]
    assert 6 <= need.together < need.given == 15
    assert str(found.sentences[1]) == f"`3.14159265358979` needs {need.together} of its 15."


# --- what is told of a step, of rows and of inputs holds for all that it names


@pytest.mark.parametrize(
    ("text", "x"),
    [("x*sin(exp(x))", np.linspace(80, 200, 20)), ("cot(x/pi)", np.geomspace(1e200, 1e300, 40))],
)
def test_a_step_that_keeps_a_digit_nowhere_is_not_said_to_lose_more_with_more_samples(text, x):
    assert unsettled_at(inspect_columns(text, x=x)) is None


def test_what_is_called_nearly_zero_is_small_at_each_of_the_rows_told():
    """Two rows carry the noise: at one the logarithm is nearly 0, at the other its argument is."""
    x = np.append(np.full(20, 5.7), [1000.945, 3000.2122])
    y = np.append(np.full(20, 1.0), [1000.0, 3000.0])
    inspection = inspect_columns("log(x - y)", x=x, y=y)
    found = where(inspection, inspection.bottleneck)
    place = found.place
    assert sorted(found.carriers[1].positions) == [20, 21]
    told = str(place_sentence(found.inspection.formula, place))
    assert re.match(
        r"1 row gives \S+ % of the noise; there `log\(x − y\)` is nearly zero \(−0.057\)", told
    )
    assert place.share == pytest.approx(found.shares[20] if place.rows == 1 else 0, rel=1e-9)
    assert place.low == place.high == pytest.approx(math.log(0.945), rel=1e-9)


def test_a_value_that_60_digits_settled_is_told_as_they_have_it():
    y = np.append(np.linspace(2.0, 3.0, 19), 1.3e29)
    found = where(inspect_columns("sin(y) - cos(1e6)", y=y))
    with mpmath.workdps(60):
        truth = float(mpmath.sin(mpmath.mpf("1.3e29")) - mpmath.cos(10**6))
    in_double = float(np.sin(1.3e29) - np.cos(1e6))
    assert abs(truth / in_double - 1) > 0.1
    assert "in double precision" not in " ".join(map(str, found.sentences))
    if found.place is not None and found.place.node_id is not None:
        assert found.place.low == pytest.approx(truth, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "columns", "named"),
    [  # sensitivities by hand: x f'/f of each input
        ("n*exp(-m*g*x/(k*t))", dict.fromkeys("nmgxkt", 3.5), "of `m`, `g`, `x` and 2 more."),
        ("exp(20*x)*y**3", {"x": 1.0, "y": 2.0}, "of `x`."),  # 20 and 3
        ("x**20*y**10*z**9", {"x": 1.1, "y": 1.2, "z": 1.3}, "of `x`, `y` and `z`."),
        ("x**30*y**30", {"x": 1.1, "y": 1.2}, "of `x` and `y`."),
    ],
)
def test_every_input_that_matters_as_much_as_one_that_is_named_is_named_or_counted(
    text, columns, named
):
    inspection = inspect_columns(text, **{v: [value, value * 1.01] for v, value in columns.items()})
    assert str(writing_loss(inspection).sentence).endswith(named)


@pytest.mark.parametrize(
    ("text", "columns", "told"),
    [
        (
            "sqrt(log(x))",
            {"x": [-1.0, -2.0, 0.5, 0.1]},
            {("log(x)", OutsideDomain): 2, ("√log(x)", OutsideDomain): 2},
        ),
        (
            "sqrt(log(x))",
            {"x": [-1.0, -2.0, -3.0, 0.1]},
            {("log(x)", OutsideDomain): 3, ("√log(x)", OutsideDomain): 1},
        ),
        (
            "cos(exp(x))*y",
            {"x": [1e4, 2e4], "y": [1.0, 2.0]},
            {("cos(exp(x))", BeyondReduction): 2},
        ),
        ("tan(exp(x))", {"x": [9e3]}, {("tan(exp(x))", BeyondReduction): 1}),
        ("log(exp(exp(exp(x))))", {"x": [9e3]}, {("exp(exp(x))", BeyondEveryRange): 1}),
        ("1 + x**(1.1*y)", {"x": [1e-300], "y": [1e13]}, {("x^(1.1·y)", BeyondEveryRange): 1}),
        ("x**(1.1*y)", {"x": [-1.0], "y": [1.0]}, {("x^(1.1·y)", OutsideDomain): 1}),
        (
            "1 + x**(1.1*y)",
            {"x": [-1.0, 1e-300], "y": [1.0, 1e13]},
            {("x^(1.1·y)", OutsideDomain): 1, ("x^(1.1·y)", BeyondEveryRange): 1},
        ),
    ],
)
def test_why_no_sample_has_a_value_is_told_with_its_count(text, columns, told):
    inspection = inspect_columns(text, **columns)
    groups = findings_of(inspection, Outcome.NO_REAL_VALUE, Outcome.UNKNOWN)
    assert {(step_of(inspection, f), type(f.cause)): f.rows for f in groups} == told
    assert verdict(inspection).level is Level.UNDEFINED


@pytest.mark.parametrize(
    ("text", "x", "why", "function"),
    [  # zeros by hand: 1 - cos(x) = x²/2 is none at 1e-100, x - x is one everywhere
        ("1 - cos(x)", [1e-100, 1.0], "the two terms cancel in more than 30 digits", 0),
        ("exp(x) - 1", [1e-200, 1e-40], "the two terms cancel in more than 30 digits", 0),
        ("x - 1.5", [1.5, 1.0], "the two terms cancel exactly", 1),
        ("log(1 + x)", [1e-90, 1.0], "its argument agrees with 1 in more than 30 digits", 0),
        ("(y + x) - 2.5", [1.5, 1.0], "the two terms cancel exactly", 1),
    ],
)
def test_a_zero_that_60_digits_see_is_called_one_only_if_many_digits_see_it(text, x, why, function):
    inspection = inspect_columns(text, x=x, y=[1.0, 2.0])
    assert why_no_digit(inspection) == why
    assert writing_loss(inspection).singular_function == function


def test_a_quotient_that_60_digits_lose_is_lost_by_its_writing():
    """(1 - cos x)/sin x is tan(x/2): its condition number is 1 there, and it is never 0."""
    found = writing_loss(inspect_columns("(1-cos(x))/sin(x)", x=np.geomspace(1e-200, 1, 60)))
    assert found.singular_function == 0 and found.singular > 50
    left_out = [remark for remark in found.remarks if isinstance(remark, LeftOut)]
    assert left_out == [LeftOut(OutOfSplit.WRITING, found.singular)]
    assert found.conditioning.own_finite == pytest.approx(0.5 * math.log10(2), abs=0.01)


# formula, its inputs, the size of x f'/f as a closed form that cancels nowhere
KAPPAS = (
    ("exp(x)-1", "loguniform:1e-60:1", lambda x: x * mpmath.exp(x) / mpmath.expm1(x)),
    ("sqrt(x+1)-sqrt(x)", "loguniform:1:1e60", lambda x: mpmath.sqrt(x / (x + 1)) / 2),
    (
        "log(1+exp(x))",
        "-800:800",
        lambda x: x / (1 + mpmath.exp(-x)) / mpmath.log1p(mpmath.exp(x)),
    ),
)


@pytest.mark.parametrize(("text", "inputs", "kappa"), KAPPAS)
def test_of_no_sample_the_function_is_blamed_that_was_not_looked_at(text, inputs, kappa):
    inspection = inspect_ranges(text, 400, x=inputs)
    with mpmath.workdps(400):
        cells = (inspection.samples.decimal("x", row) for row in range(400))
        assert max(abs(kappa(mpmath.mpf(cell))) for cell in cells) < 1e3
    found = writing_loss(inspection)
    assert (found.singular_function, found.unsettled) == (0, 0) and found.singular > 100
    assert not any("the function itself is 0" in note for note in map(str, found.notes)), (
        found.notes
    )


def test_what_was_not_looked_at_is_counted_apart():
    """Between 0 and 1 `x**2 - x*x` is 0 and its function does not move: nothing else is true."""
    text = " + ".join(["(x**2 - x*x)*sin(x)*(y + 1)**2*exp(x*y)"] * 6)
    x = np.linspace(0.1, 0.9, 120)
    found = writing_loss(inspect_columns(text, x=x, y=x[::-1]))
    assert found.singular == 120 and found.singular_function == 0 and found.unsettled > 0
    left_out = [remark for remark in found.remarks if isinstance(remark, LeftOut)]
    assert left_out == [
        LeftOut(OutOfSplit.WRITING, 120 - found.unsettled),
        LeftOut(OutOfSplit.NOT_KNOWN, found.unsettled),
    ]


TABLE = {"x": [2, 2, 3, 1, 2.5, 2], "y": [2, 3, 2, 1, 2.5, 1]}

# formula, the same with exact numbers
DOUBLE_ZEROS = (
    ("(x-2)*(y-2)", lambda x, y: (x - 2) * (y - 2)),
    ("x*y-2*x-2*y+4", lambda x, y: x * y - 2 * x - 2 * y + 4),
    ("x*y-x-y+1", lambda x, y: x * y - x - y + 1),
    ("(x-2)**2*(y-2)-(y-2)*(x-2)**2", lambda x, y: x - x),
)


@pytest.mark.parametrize(("text", "value"), DOUBLE_ZEROS)
def test_where_only_several_inputs_together_move_a_zero_it_is_that_of_the_function(text, value):
    part = Fraction(1, 10**9)
    zeros = 0
    for x, y in zip(*TABLE.values(), strict=True):
        x, y = Fraction(x), Fraction(y)
        beside = [value(x * (1 + i * part), y * (1 + j * part)) for i in (-1, 1) for j in (-1, 1)]
        zeros += not value(x, y) and any(beside)
    found = writing_loss(inspect_columns(text, **TABLE))
    assert found.singular_function == zeros, found.notes
    assert found.singular >= zeros


@pytest.mark.parametrize(
    ("x", "end"),
    [
        ([1.0, 3, 4], "it is left out of the split."),
        ([1.0, 2, 3], "they are left out of the split."),
    ],
)
def test_one_sample_that_is_left_out_is_not_called_they(x, end):
    found = writing_loss(inspect_columns("(x-1)*(x-2)", x=x))
    assert str(found.notes[-1]).endswith(end), found.notes


THREE = {
    "x": [1.0, 2.0, 1.0, 1.5, 3.0],
    "y": [1.0, 2.0, 2.0, 1.5, 3.0000001],
    "z": [1.0, 2.0, 2.0, 1.5000001, 3.0],
}

# formula, the zeros of its steps by hand, as they are written
INNER = (
    ("(x-y)*(x-y)+(y-z)*(y-z)", {"`x − y`": ("x", "y"), "`y − z`": ("y", "z")}),
    ("(y-z)*(y-z)+(x-y)*(x-y)", {"`x − y`": ("x", "y"), "`y − z`": ("y", "z")}),
    ("exp(x-y)+exp(x-z)", {"`x − y`": ("x", "y"), "`x − z`": ("x", "z")}),
    (
        "exp(x-z)+exp(y-x)+exp(z-y)",
        {"`x − z`": ("x", "z"), "`y − x`": ("x", "y"), "`z − y`": ("y", "z")},
    ),
)


@pytest.mark.parametrize(("text", "steps"), INNER)
def test_the_step_to_be_seen_is_without_a_digit_at_as_many_of_these_samples_as_is_said(text, steps):
    zero = {step: np.equal(THREE[a], THREE[b]) for step, (a, b) in steps.items()}
    squares = text.startswith("(")  # a sum of squares is 0, and follows, where all are
    inside = np.any([*zero.values()], axis=0)
    follows = np.all([*zero.values()], axis=0) if squares else np.zeros(5, dtype=bool)
    inspection = inspect_columns(text, **THREE)
    remarks = writing_loss(inspection).remarks
    (inner,) = [remark for remark in remarks if isinstance(remark, InnerStepLost)]
    step = f"`{short_text(inspection.formula, inner.node_id)}`"
    there = inside & ~follows
    assert (inner.rows, inner.at) == (there.sum(), (there & zero[step]).sum())
    kept = [remark.rows for remark in remarks if isinstance(remark, FollowsStep)]
    assert kept == ([follows.sum()] if follows.any() else [])
