"""A constant sub-expression is one sample, however many rows there are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eic_core.engine.amplify import FEW
from eic_core.explain.ledger import blame
from eic_core.explain.losses import correlated_eic
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect

DOUBTFUL = [
    "0.1+0.2-0.3",
    "x + (0.1+0.2-0.3)",
    "x*(0.1+0.2-0.3)",
    "x + (1e16+1-1e16)",
    "sin(pi)*x",
    "exp(x*(0.1+0.2-0.3))",
    "floor(0.1*3*10) + x",
    "max(x, 0.1+0.2-0.3)",
    "(0.1+0.2-0.3)/x",
    "cos(pi/2) + x",
    "x*sin(pi) + x*(0.1+0.2-0.3)",
    "(x - 1.5)*(0.1+0.2-0.3)",
    "2**(0.1+0.2-0.3)*x",
]


def inspected(text, count):
    """On the same hundred values, each as often as another."""
    formula = read(text).formula
    column = np.resize(np.linspace(1.01, 2.01, 100), count)
    return inspect(formula, Samples.from_columns({"x": column}, count=count))


def told(inspection):
    """What does not depend on how often each value occurs."""
    count = inspection.counts.total
    return [
        (n.local_eic, n.local_eic_finite, n.singular / count, n.invalid / count)
        for n in inspection.nodes
    ]


@pytest.mark.parametrize("text", DOUBTFUL)
def test_settling_the_constants_once_does_not_show(text):
    """Few samples are settled one by one in balls: that is the truth for more."""
    few, many = inspected(text, FEW), inspected(text, 2 * FEW)
    assert few.counts.rechecked == FEW
    assert many.counts.unresolved == 0
    for a, b in zip(told(few), told(many), strict=True):
        assert b == pytest.approx(a, rel=1e-9, nan_ok=True)
    for k in range(len(few.nodes)):
        (y, s), (y2, s2) = few.amplification.trace(k), many.amplification.trace(k)
        assert y2[:100] == pytest.approx(y[:100], rel=1e-12)
        assert s2[:100] == pytest.approx(s[:100], rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("text", DOUBTFUL)
def test_shared_noise_and_blame_follow(text):
    few, many = inspected(text, FEW), inspected(text, 2 * FEW)
    one, other = (correlated_eic(i.formula, i.samples) for i in (few, many))
    assert other.q_eic == pytest.approx(one.q_eic, rel=1e-9, nan_ok=True)
    assert other.singular == 2 * one.singular
    assert blame(few).sentences[0] == blame(many).sentences[0]


def test_samples_that_are_doubtful_of_themselves_still_are():
    """x + 0.1 - x - 0.1 is 0, which doubles cannot tell; the constant in it does not hide that."""
    x = np.linspace(1, 2, 2 * FEW)
    formula = read("((x + 0.1) - x - 0.1) + (0.1+0.2-0.3)").formula
    counts = inspect(formula, Samples.from_columns({"x": x})).counts
    assert (counts.rechecked, counts.singular) == (2 * FEW, 2 * FEW)


def test_a_constant_that_leaves_double_range_is_left_to_the_samples():
    inspection = inspected("x + exp(1000)/exp(999)", 2 * FEW)
    assert inspection.counts.rechecked == 2 * FEW
    assert math.isfinite(inspection.eic)
