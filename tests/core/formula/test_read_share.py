"""At least 99 % of what other tools print is read; the mended rows match their tables."""

import csv
import gzip

import pytest

from benchmarks.read_share import DEFAULT, measure, theta
from eic_core.formula.syntax import read
from tests.outside import BESIDE

SAMPLES = "data/syntax_samples.csv"
POOL = "data/pools/sr_fronts_1d2d.csv.gz"


@pytest.mark.outside
@pytest.mark.parametrize("hinted", [True, False], ids=["by hint", "detected"])
@pytest.mark.parametrize("table", [SAMPLES, POOL], ids=["samples", "pool"])
def test_nearly_all_formulas_of_other_tools_are_read(table, hinted, shared):
    shares = measure(shared / table, hinted=hinted)
    total = sum(share.total for share in shares.values())
    assert sum(share.read for share in shares.values()) >= 0.99 * total


@pytest.mark.outside
def test_the_trees_of_eggp_and_pysr_have_the_size_that_the_tool_states(shared):
    with gzip.open(shared / POOL, "rt", encoding="utf-8") as handle:
        rows = [r for r in csv.DictReader(handle) if r["method"] in ("eggp_so", "eggp_mo", "PySR")]
    for row in rows:
        text = row["formula"]
        formula = read(text, syntax=row["syntax"], parameters=theta(row)).formula
        size = formula.complexity + sum(node.operator == "power" for node in formula)
        if row["method"] == "PySR":  # sqrtabs and powabs count once there
            size -= text.count("sqrtabs(") + text.count("powabs(")
        assert size == float(row["model_size"]), text


@pytest.mark.outside
def test_the_whitebox_laws_use_exactly_their_variables(shared):
    with (shared / "data" / "whitebox_formulas.csv").open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            variables = row["variables"].split()
            formula = read(row["formula"], columns=variables).formula
            assert set(formula.variables) <= set(variables), row["formula"]


def test_the_default_folder_is_beside_the_checkout():
    assert DEFAULT == BESIDE / "data"
