"""Counts and shares in sentences read as what they count: one other sample, parts that add up."""

from __future__ import annotations

import re

import numpy as np
import pytest

from eic_core.explain.ledger import blame
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from eic_core.samples import Samples

SHARED = (
    ("(x-1)*(x-1)/((x-1)+1e-9)", "x=0.9:1.1"),
    ("sin(x)**2+cos(x)**2", "x=-1e6:1e6"),
    ("(x-1.0001)*y + (x-1.0001)*2", "x=1:1.01 y=1:2"),
    ("(x-1.0001)*y - y*x*(x-1.0001)*1000", "x=1:1.01 y=1:2"),
    ("(1-x)**2 + (1-x)*y", "x=0.99:1.01 y=1:2"),
)


@pytest.mark.parametrize(("text", "ranges"), SHARED)
def test_no_two_groups_of_noise_are_told_in_the_same_words(text, ranges):
    samples = sample_domains(dict(map(Domain.parse, ranges.split())), count=100, seed=0)
    inspection = inspect(read(text).formula, samples)
    for node in (None, inspection.formula.root.id):
        told = [t for t in map(str, blame(inspection, node).sentences) if "comes from" in t]
        bare = [re.sub(r"^.*? comes from", "", line) for line in told]
        assert len(set(bare)) == len(bare), told
        assert not [line for line in told if re.match("Another (under|over|less)", line)], told


def test_of_copies_the_one_is_named_by_what_it_stands_in():
    """x is in `x - y` twice and in `x - z` once: they are amplified by other steps."""
    columns = {"x": [1.0001, 2.0], "y": [1.0, 1.9999], "z": [1.0002, 2.0001]}
    arrays = {name: np.array(values) for name, values in columns.items()}
    inspection = inspect(read("(x-y)*(x-y)*(x-z)").formula, Samples.from_columns(arrays))
    told = " ".join(map(str, blame(inspection).sentences))
    assert "error of the input `x` in `x − z`" in told, told
    assert "error of the input `x` in `x − y` (in 2 places)" in told, told
