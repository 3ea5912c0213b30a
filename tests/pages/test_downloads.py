"""What is taken away says the same as the page."""

from __future__ import annotations

import csv
import io
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, variable
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure.table import read_table
from eic_core.report import Provenance, python_snippet
from pages.ui.inspector.share import json_text, nodes_csv
from pages.ui.kit.text import file_name
from tests.inspections import deep, inspect_columns, inspect_ranges

ROOT = Path(__file__).resolve().parents[2]
DOMAINS = (("x", Domain("loguniform", 1e-3, 1e3)), ("y", Domain("normal", 2.0, 0.1)))


def inspected(text, domains=DOMAINS, count=300, seed=7):
    return inspect(read(text).formula, sample_domains(dict(domains), count=count, seed=seed))


def run(snippet, folder):
    """EIC, as the script prints it where it has nothing but the package and its folder."""
    (folder / "reproduce.py").write_text(snippet, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "reproduce.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout.splitlines()[0].split()[1])


@pytest.mark.parametrize(
    ("inspection", "known"),
    [
        (inspected("log(x*y) - sqrt(x+1)"), Provenance(domains=DOMAINS, seed=7)),
        (inspected("x-x+y"), Provenance(domains=DOMAINS, seed=7)),
        (inspect_columns("x**2-1", x=[0.1, 2.0, 3.3]), None),
        (inspect_ranges("2+3", count=5), None),
    ],
    ids=["ranges", "infinite", "few samples", "constant"],
)
def test_the_script_reproduces_eic_from_domains_and_seed_or_samples(
    inspection, known, tmp_path, capsys
):
    script = tmp_path / "reproduce.py"
    script.write_text(python_snippet(inspection, known or Provenance()), encoding="utf-8")
    runpy.run_path(str(script))
    assert float(capsys.readouterr().out.splitlines()[0].split()[1]) == inspection.eic


def test_the_script_reproduces_eic_from_a_table(tmp_path):
    (tmp_path / "my 'data'.csv").write_text("a,b,t\n1,2,3\n2,2.001,5\n0.1,5,1\n", encoding="utf-8")
    table = read_table((tmp_path / "my 'data'.csv").read_bytes())
    mapping = {"x0": "a", "x1": "b"}
    inspection = inspect(read("x0-x1").formula, table.samples(mapping, "t"))
    known = Provenance(file_name="my 'data'.csv", mapping=mapping, target="t")
    assert run(python_snippet(inspection, known), tmp_path) == inspection.eic


def test_a_hostile_source_stays_data():
    source = 'x"""\nimport os\n#'
    formula = Formula.from_draft(Draft("sin", [variable("x")]), source)
    inspection = inspect(formula, Samples.from_columns({"x": [1.0]}))
    snippet = python_snippet(inspection, Provenance(file_name='"); import os; ("'))
    compile(snippet, "snippet", "exec")
    assert not any(line.startswith("import os") for line in snippet.splitlines())


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_has_every_node_at_full_precision():
    inspection = inspected("log(x*y) - sqrt(x+1)")
    rows = rows_of(nodes_csv(inspection))
    assert [int(row["id"]) for row in rows] == list(range(len(inspection.nodes)))
    assert [float(row["local_eic"]) for row in rows] == [n.local_eic for n in inspection.nodes]
    assert [row["id"] for row in rows if row["bottleneck"] == "True"] == [
        str(inspection.bottleneck)
    ]


def test_no_text_cell_is_a_spreadsheet_formula():
    formula = Formula.from_draft(Draft("neg", [variable("=cmd|' /C calc'!A0")]), "")
    inspection = inspect(formula, Samples.from_columns({"=cmd|' /C calc'!A0": [1.0]}))
    for row in rows_of(nodes_csv(inspection)):
        assert row["expression"][0] not in "=+-@\t\r"


def test_the_table_of_an_undefined_formula_names_no_bottleneck():
    rows = rows_of(nodes_csv(inspected("log(-y)")))
    assert {row["bottleneck"] for row in rows} == {"False"}
    assert rows[-1]["local_eic"] == "nan"


def test_the_table_of_ten_thousand_nodes_stays_small():
    assert len(nodes_csv(deep())) < 10_000_000


def test_json_is_the_stable_form_and_extra_keys_replace_nothing():
    content = json.loads(json_text(inspected("x-x+y"), {"seed": 7, "eic": "forged"}))
    assert content["seed"] == 7 and content["eic"] == "inf"
    assert len(content["nodes"]) == 5


@pytest.mark.parametrize("text", ["../../etc/passwd", "con:|?*", "ü" * 300, "", "a" * 300, "-x"])
def test_file_names_are_safe(text):
    name = file_name(text, "csv")
    assert name.startswith("eic-") and name.endswith(".csv") and len(name) < 60
    assert not set(name) & set('/\\:*?"<>| ')
    assert name.isascii()
