"""Counts and shares in sentences read as what they count: one other sample, parts that add up."""

from __future__ import annotations

import re

import numpy as np
import pytest

from eic_core.explain.created import created_losses
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.ledger import blame
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from eic_core.samples import Samples

# formula, the values of its input, those of them at which the result is 0, or an end that is steep
ONE_OTHER = (
    ("x-2", [2.0, 2.0, 3.5], {2.0}),
    ("x-2", [2.0, 2.0, 3.5, 4.0], {2.0}),
    ("log(x)**2", [1.0, 2.0], {1.0}),
    ("acos(x)+1", [1.0, 0.5], {1.0}),
    ("acos(x)+1", [1.0, 0.5, 0.25], {1.0}),
    ("floor(x)", [1.0, 2.5], {1.0}),
)


@pytest.mark.parametrize(("text", "values", "lost"), ONE_OTHER)
def test_one_other_sample_is_not_called_the_others(text, values, lost):
    inspection = inspect(read(text).formula, Samples.from_columns({"x": np.array(values)}))
    said = diagnose(inspection).verdict.sentence
    others = sum(x not in lost for x in values)
    assert ("at the other one it loses" in said) == (others == 1), said
    assert ("at the others it loses" in said) == (others > 1), said


BELOW = (
    (
        "sin((y*y)**1.5 - cos(79561.1 + y/y))/sin(sin((log(y)+z)**3))",
        {"y": [4.0, 5.0, 4.0, 1.0, 6.0], "z": [-1.0, 2.0, 2.0, 3.0, -2.0]},
    ),
    ("log(x-3)+sqrt(x)", {"x": [3.1, 3.2, 4.0, 5.0]}),
    ("(x - 0.999)**4", {"x": [1.0, 1.005, 1.01]}),
    ("exp(x)*sqrt(y)", {"x": [500.0, 800.0], "y": [1.0, 2.0]}),
)


@pytest.mark.parametrize(("text", "columns"), BELOW)
def test_beside_all_of_a_loss_nothing_more_is_created(text, columns):
    columns = {name: np.array(values) for name, values in columns.items()}
    inspection = inspect(read(text).formula, Samples.from_columns(columns))
    said = diagnose(inspection).verdict.sentence.partition("; an inner step")[0]
    assert not ("all of them" in said and "more are created" in said), said
    root = inspection.formula.root.id
    most = created_losses(inspection, root)[0]
    if (told := re.search(r"\((\d+\.\d) digits\)", said)) is not None:
        assert float(told[1]) == pytest.approx(most.digits, abs=0.051)
        assert most.digits >= inspection.nodes[root].local_eic_finite


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
        told = [line for line in blame(inspection, node).sentences if "comes from" in line]
        bare = [re.sub(r"^.*? comes from", "", line) for line in told]
        assert len(set(bare)) == len(bare), told
        assert not [line for line in told if re.match("Another (under|over|less)", line)], told


def test_of_copies_the_one_is_named_by_what_it_stands_in():
    """x is in `x - y` twice and in `x - z` once: they are amplified by other steps."""
    columns = {"x": [1.0001, 2.0], "y": [1.0, 1.9999], "z": [1.0002, 2.0001]}
    arrays = {name: np.array(values) for name, values in columns.items()}
    inspection = inspect(read("(x-y)*(x-y)*(x-z)").formula, Samples.from_columns(arrays))
    told = " ".join(blame(inspection).sentences)
    assert "error of the input `x` in `x − z`" in told, told
    assert "error of the input `x` in `x − y` (in 2 places)" in told, told
