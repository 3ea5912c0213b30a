"""The bottleneck is told to have moved where it has, and nowhere else."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.explain.bottleneck import BottleneckOnData
from eic_core.explain.phrases.bottleneck import bottleneck_sentence
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from tests.effort import examples


def inspected(text, low, high):
    return inspect(
        read(text).formula, sample_domains({"x": Domain("uniform", low, high)}, count=99)
    )


def sentence(before, after):
    """What is told of a bottleneck on two inspections."""
    ends = BottleneckOnData.of(before), BottleneckOnData.of(after)
    return str(bottleneck_sentence(after.formula, *ends))


def test_a_bottleneck_that_moves_is_named_with_where_it_was():
    """s^2 of log x is 1 + 1 / log(x)^2, of sin x 1 + (x / tan x)^2; the sum keeps neither."""
    near, far = inspected("log(x) + sin(x)", 1.001, 1.001), inspected("log(x)+sin(x)", 3.14, 3.14)
    was = math.log10(math.hypot(1, 1 / math.log(1.001)))
    now = math.log10(math.hypot(1, 3.14 / math.tan(3.14)))
    assert sentence(near, far) == (
        f"Bottleneck moved from `log(x)` ({was:.1f} digits) to `sin(x)` ({now:.1f} digits)."
    )


@settings(max_examples=examples(50), deadline=None)
@given(st.floats(-5, 5), st.floats(0.01, 3))
def test_the_sentence_names_the_bottleneck_there_is(low, width):
    before = inspected("log(x) + sqrt(3 - x)", 1, 2)
    after = inspected("log(x) + sqrt(3 - x)", low, low + width)
    said = sentence(before, after)
    if math.isnan(after.eic):
        assert "no sample has a usable value" in said
    elif after.bottleneck == before.bottleneck:
        assert "stays" in said
    else:
        assert said.startswith("Bottleneck moved")
        assert f"`{after.nodes[after.bottleneck].text}`" in said


def test_data_without_and_with_a_value_are_told():
    nothing, something = inspected("log(-x)", 1, 2), inspected("log(-x)", -2, -1)
    assert "no sample has a usable value" in sentence(something, nothing)
    assert "Now there are samples with a value" in sentence(nothing, something)
