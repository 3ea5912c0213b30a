"""What is said of one formula is true of the rows it is said of, and no two sentences disagree."""

from __future__ import annotations

import numpy as np
import pytest

from eic_core.errors import DataError
from eic_core.explain.budget import digit_budget
from eic_core.explain.causes import invalid_clause, singular_clause
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.settling import growth_of
from eic_core.explain.verdict import verdict
from eic_core.explain.where import where
from eic_core.explain.writing import writing_loss
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect


def inspected(text, **columns):
    return inspect(read(text).formula, Samples.from_columns(columns))


NO_ANGLE = "its argument is so large that no digit of the angle is left"


@pytest.mark.parametrize(
    ("text", "x", "clause"),
    [
        ("sin(exp(x))", [100.0, 1.0], NO_ANGLE),
        ("tan(1e31*x)", [1.0, 2.0], NO_ANGLE),
        ("(1e40 + x) - 1e40", [1.0, 2.0], "the two terms cancel in more than 30 digits"),
        ("log(1 + x)", [1e-35, 1.0], "its argument agrees with 1 in more than 30 digits"),
        ("log(x)", [1.0, 2.0], "its argument is exactly 1"),
        ("3*(x - 2)", [2.0, 3.0], "what it is given has no digit left"),
        ("acos(x)", [1.0, 0.5], "its argument is at the end of its domain"),
        ("x - x", [1.0, 2.0], "the two terms cancel exactly"),
    ],
)
def test_why_no_digit_is_left_is_what_happened_there(text, x, clause):
    inspection = inspected(text, x=x)
    assert singular_clause(inspection, len(inspection.formula) - 1) == clause


def test_a_base_of_zero_is_not_called_negative():
    inspection = inspected("abs(x)**(y*1.1)", x=[0.0, 0.0, 1.0], y=[-1.0, 2.0, 3.0])
    (failing,) = [n for n in inspection.nodes if n.invalid]
    assert failing.invalid == 1  # 0 to the power of 2.2 is 0
    assert invalid_clause(failing.node) == (
        "with an inexact exponent a negative base has no real power, nor has 0 unless the "
        "exponent is positive"
    )


def two_zeros():
    """(x - 1)(y - 2): at the worst rows x is near 1, at some others y is near 2."""
    rng = np.random.default_rng(7)
    x, y = rng.uniform(3, 9, 1_000), rng.uniform(3, 9, 1_000)
    x[:20] = 1 + 2e-3 * np.tile([1, -1], 10)
    y[100:160] = 2 + 1.4e-2 * np.tile([1, -1], 30)
    return inspected("(x - 1)*(y - 2)", x=x, y=y)


def test_the_zero_that_is_named_is_the_one_that_makes_the_noise():
    inspection = two_zeros()
    found = where(inspection)
    s2 = np.square(found.s)
    assert s2[:20].sum() > 0.6 * s2.sum() > s2[100:160].sum() > 0.1 * s2.sum()
    place = found.place
    assert place.sentence == (
        "Most of it comes where `x − 1` crosses zero (from −0.002 to 0.002): `x` is near 1."
    )
    assert "inherited from `x − 1`" in verdict(inspection).sentence


def test_an_inner_loss_at_other_rows_is_no_inheritance():
    """tanh(sin x / 4) + 0.3 crosses zero where the sine is not small."""
    zero = np.pi + np.arcsin(4 * np.arctanh(0.2371))
    x = np.concatenate([np.linspace(0.5, 2.5, 50), [np.pi - 4e-6, zero + 1e-5]])
    inspection = inspected("0.2371 + tanh(sin(x)/4)", x=x)
    _, s_root = inspection.amplification.trace(len(inspection.formula) - 1)
    _, s_sine = inspection.amplification.trace(2)
    worst = int(np.argmax(s_root))
    assert s_sine[worst] < 10 < 1e5 < s_root[worst]  # the sine keeps its digits at the worst row
    ends = [inspection.nodes[k].local_eic for k in (2, -1)]
    assert ends[1] - 0.35 < ends[0] < ends[1]  # yet it loses as much, elsewhere
    assert "inherited" not in verdict(inspection).sentence


def test_a_zero_far_out_is_called_a_zero_by_the_verdict_as_by_the_rows():
    x = np.append(np.linspace(20.5, 21.5, 60), 7 * np.pi + 1e-4)
    inspection = inspected("cos(x + 1.5707963)", x=x)
    assert (
        "close to a zero of `cos`, at a large argument (up to 23.6)" in verdict(inspection).sentence
    )
    plain = inspected("sin(x)", x=np.linspace(1e6, 1.1e6, 60))
    assert "its argument is large (up to 1.1·10⁶)" in verdict(plain).sentence


def test_a_result_that_shows_a_loss_is_not_said_to_hide_it():
    x, y = np.linspace(1, 2, 41), np.linspace(3, 3.02, 41)
    inspection = inspected("(x - 1.5000001)*0.001 + (y - 2.9)", x=x, y=y)
    shown = inspection.nodes[-1].local_eic
    worst = inspection.nodes[inspection.bottleneck].local_eic
    assert 1 < shown <= worst - 1
    notes = verdict(inspection).notes
    told = f"Only a part reaches the result: the whole formula shows a loss of {shown:.1f} digits."
    assert told in notes
    assert not any("hides it" in note for note in notes)
    said = " ".join(writing_loss(inspection).notes)
    assert "The worst inner step (EIC) loses 6.5 digits" in said
    assert "with shared noise the result loses fewer" in said


def test_a_loss_that_grows_with_n_is_not_said_not_to_grow():
    s2 = np.full(1_600, 100.0)
    assert "does not grow" in growth_of(s2).sentence
    s2 = 1 / ((np.arange(1_600) + 0.5) / 1_600) ** 1.1
    slow = growth_of(s2)
    assert 0.02 < slow.local_eic[-1] - slow.local_eic[0] < 0.1
    assert slow.sentence.startswith("On these rows the loss has hardly grown yet: ")


def test_two_figures_for_the_loss_of_the_result_are_explained():
    x = np.linspace(1, 5, 50)
    found = writing_loss(inspected("x*x*x*x*x", x=x))
    # 1 + 5^2 and three products inside, x^2 to x^4 being rounded once each; apart 5 + 4
    assert found.q == pytest.approx(0.5 * np.log10(1 + 25 + 3), abs=1e-9)
    assert found.notes == (
        "Here copies of a number share their noise; with independent noise, as EIC has it, the "
        "result loses 0.5 digits.",
    )
    assert writing_loss(inspected("x*y", x=x, y=x)).notes == ()


def test_a_small_argument_is_not_called_large_nor_a_harmless_zero_a_loss():
    nested = verdict(inspected("sin(" * 400 + "x" + ")" * 400, x=np.linspace(0.5, 2, 20)))
    assert nested.level == "moderate"
    assert nested.sentence.endswith("over the steps below, and no single one stands out.")
    for text, x, cause in (
        ("sin(x)", [3.1, 3.11], "zero of `sin`"),
        ("cot(x)", [3.1, 3.11], "pole of `cot`"),
        ("cot(x)", [1.56, 1.57], "zero of `cot`"),
        ("sec(x)", [1.5, 1.51], "pole of `sec`"),
        ("tan(x)", [3.1, 3.11], "zero of `tan`"),
    ):
        assert cause in verdict(inspected(text, x=x)).sentence


def test_where_no_digit_is_left_anywhere_the_diagnosis_stays_with_that_node():
    said = diagnose(inspected("x - y", x=[1.0, 2.0], y=[1.0, 2.0])).sentences
    assert said[1] == (
        "At every sample no digit of `x − y` is left: there is no finite amplification to split."
    )
    assert said[2] == "At every valid sample no digit of `x − y` is left."


def test_a_budget_of_the_smallest_numbers_is_a_sentence():
    inspection = inspected("x*y", x=[5e-324] * 30, y=np.linspace(1, 2, 30))
    assert digit_budget(inspection).sentences[-1].startswith("All rounded together")


@pytest.mark.parametrize("values", [["a", "b"], [10**400, 1], [[1.0], [1.0, 2.0]], [1j, 2.0]])
def test_what_is_no_number_is_told_by_its_column(values):
    with pytest.raises(DataError, match="column `x`"):
        Samples.from_columns({"x": values})
