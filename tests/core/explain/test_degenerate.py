"""Zeros, poles, overflow, empty domains: a sentence each, never NaN and never a traceback."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.errors import UserError
from eic_core.explain.budget import digit_budget
from eic_core.explain.causes import finite_cause, gather_evidence
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.findings import GrowthOfLargeNumber, LargeArgument
from eic_core.explain.losses import correlated_eic
from eic_core.explain.phrases.headline import badge, marks, meaning, short_cause
from eic_core.explain.triangulation import triangulate
from eic_core.explain.what_if import what_if_mean
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from tests.core.measure.agreement import samples_of
from tests.core.measure.trees import random_case
from tests.effort import examples
from tests.inspections import inspect_columns

NOT_A_NUMBER = re.compile(r"(?<![\w`])(nan|inf|None)(?!\w)")


def assert_said(inspection):
    """Everything is said in words, and every result is strict JSON."""
    diagnosis, triangulation = diagnose(inspection), triangulate(inspection)
    results = [diagnosis, triangulation, correlated_eic(inspection.formula, inspection.samples)]
    lines = [*diagnosis.sentences, *diagnosis.ledger.sentences, *diagnosis.where.sentences]
    lines += [*diagnosis.verdict.notes, *marks(diagnosis.verdict), badge(diagnosis.verdict)]
    lines += [meaning(diagnosis.verdict), short_cause(diagnosis.verdict)]
    for node in triangulation.nodes:
        lines += map(str, node.agreement.sentences)
    for make in (digit_budget, lambda i: what_if_mean(i, 0)):
        try:
            results.append(make(inspection))
        except UserError as error:
            lines.append(str(error))
        else:
            lines += map(str, getattr(results[-1], "sentences", ()) or [results[-1].sentence])
    for result in results:
        json.dumps(result.to_json(), allow_nan=False)
    for finding in diagnosis.verdict.findings:
        json.dumps(finding.to_json(), allow_nan=False)
    for line in map(str, lines):
        assert line and not NOT_A_NUMBER.search(line), line


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10**6))
def test_any_formula_on_any_data_gets_sentences(seed):
    formula, table = random_case(seed)
    assert_said(inspect(formula, samples_of(table)))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x", [1.0]),
        ("2", [1.0, 2.0]),
        ("x - x", [1.0, 2.0]),
        ("log(x)", [-1.0, -2.0]),
        ("1/(x-1)", [1.0, 1.0]),
        ("x-1", [1.0]),
        ("exp(exp(x))", [10.0, 20.0]),
        ("exp(-exp(x))", [10.0, 20.0]),
        ("x*0", [1.0, 3.0]),
        ("sin(x)", [0.0]),
        ("floor(x)", [2.0, 3.0]),
        ("1e400*x", [1.0]),
    ],
)
def test_the_edges_one_by_one(text, values):
    assert_said(inspect_columns(text, x=values))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("text", "operator", "cause"),
    [
        ("x*cos(log10(x*x*(x*x)))", "cos", LargeArgument),
        ("exp(log10(x*x*(x*x)))/x", "exp", GrowthOfLargeNumber),
    ],
)
def test_what_double_precision_cannot_compute_has_its_cause_all_the_same(text, operator, cause):
    """The logarithm of 1e-800 is -800, whatever doubles make of it."""
    inspection = inspect(read(text).formula, samples_of({"x": [1e-200]}))
    for node in inspection.nodes:
        evidence = gather_evidence(inspection, node.node.id, node.node.id)
        found = finite_cause(evidence) if node.node.children else None
        assert isinstance(found, cause) == (node.node.operator == operator)
        if isinstance(found, cause):
            assert found.largest == pytest.approx(800)
    assert_said(inspection)
