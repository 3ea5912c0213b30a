"""The measure of growth tells quadratic work from linear, however little of it there is."""

import re

import pytest

from tests.core.growth import FACTOR, WORST, growth

FROM_EACH_DOT = re.compile(r"\.[^\n]*+\n")
"""Looks for the end of the line behind each dot: quadratic where there is none."""
EACH_DOT = re.compile(r"\.")


@pytest.mark.parametrize("length", [50, 500, 2_000])
def test_counted_work_is_told_apart_at_any_length(length):
    done = 0

    def clock():
        return done

    def linear(text):
        nonlocal done
        done += len(text)

    def quadratic(text):
        nonlocal done
        done += len(text) ** 2

    assert growth(linear, "x".__mul__, length, clock) == FACTOR < WORST
    assert growth(quadratic, "x".__mul__, length, clock) == FACTOR**2 > WORST


def test_a_quadratic_regular_expression_is_found_where_it_takes_a_millisecond():
    assert growth(lambda text: FROM_EACH_DOT.sub("", text), ".".__mul__, 1_000) > WORST
    assert growth(lambda text: EACH_DOT.sub("", text), ".".__mul__, 1_000) <= WORST
