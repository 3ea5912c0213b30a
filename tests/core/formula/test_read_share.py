"""At least 99 % of what other tools print is read; the mended rows match their tables."""

import csv
import gzip
from pathlib import Path

import pytest

from benchmarks.read_share import DEFAULT, measure, theta
from eic_core.formula.syntax import read

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
SAMPLES = DATA / "syntax_samples.csv"
POOL = DATA / "pools" / "sr_fronts_1d2d.csv.gz"

pytestmark = pytest.mark.skipif(not SAMPLES.exists(), reason="the shared data is not here")


@pytest.mark.parametrize("hinted", [True, False], ids=["by hint", "detected"])
@pytest.mark.parametrize("table", [SAMPLES, POOL], ids=["samples", "pool"])
def test_nearly_all_formulas_of_other_tools_are_read(table, hinted):
    shares = measure(table, hinted=hinted)
    total = sum(share.total for share in shares.values())
    assert sum(share.read for share in shares.values()) >= 0.99 * total


def test_the_trees_of_eggp_and_pysr_have_the_size_that_the_tool_states():
    with gzip.open(POOL, "rt", encoding="utf-8") as handle:
        rows = [r for r in csv.DictReader(handle) if r["method"] in ("eggp_so", "eggp_mo", "PySR")]
    for row in rows:
        text = row["formula"]
        formula = read(text, syntax=row["syntax"], parameters=theta(row)).formula
        size = formula.complexity + sum(node.operator == "power" for node in formula)
        if row["method"] == "PySR":  # sqrtabs and powabs count once there
            size -= text.count("sqrtabs(") + text.count("powabs(")
        assert size == float(row["model_size"]), text


def test_the_whitebox_laws_use_exactly_their_variables():
    with (DATA / "whitebox_formulas.csv").open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            variables = row["variables"].split()
            formula = read(row["formula"], columns=variables).formula
            assert set(formula.variables) <= set(variables), row["formula"]


def test_the_default_folder_is_beside_the_checkout():
    assert DEFAULT == DATA
