"""`--exponents`, and the scored pools that hold it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from eic_core import Samples, score
from eic_core.cli import main
from eic_core.pool.importers import import_formulas
from eic_core.pool.listing import stored_scores
from eic_core.pool.scoring import read_pool, score_pool

POOL = "problem,formula\np,x**4\np,x**2\np,lg(x)\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "p.csv").write_text("x,y\n1,1\n2,16\n3,81\n")
    (tmp_path / "pool.csv").write_text(POOL)
    return tmp_path


def scored(files: Path, *options: str) -> list[dict[str, str]]:
    out = files / "scored.csv"
    arguments = ["score", str(files / "pool.csv"), "--problems", str(files), "--out", str(out)]
    assert main([*arguments, *options]) == 0
    with out.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("options", "nodes"), [((), 2), (("--exponents", "noisy"), 3)])
def test_inspect_states_the_choice(eic, options, nodes):
    document = json.loads(eic("inspect", "x**4", "--range", "x=1:5", "--json", *options).out)
    assert document["complexity"] == nodes
    assert document["exponents"] == ("noisy" if options else "exact")
    assert document["eic"] == pytest.approx(0.78 if options else 0.6152, abs=5e-3)
    assert (
        "exponents    noisy" in eic("inspect", "x**4", "--range", "x=1:5", *options).out
    ) == bool(options)


def test_the_report_is_made_again_with_the_same_choice(tmp_path):
    page = tmp_path / "page.html"
    arguments = ["--range", "x=1:5", "--samples", "50", "--no-repair", "--no-triangulation"]
    assert main(["report", "-x**4", *arguments, "--exponents", "noisy", "--out", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "--exponents noisy -- " in text and "exponents=" in text


def test_other_commands_take_the_choice(files, eic):
    data = ["--data", str(files / "p.csv"), "--json", "--exponents", "noisy"]
    found = json.loads(eic("pick", files / "pool.csv", *data).out)
    assert found["exponents"] == "noisy" and found["picked"]["complexity"] == 3
    card = json.loads(eic("card", "x**4", *data).out)
    assert (card["exponents"], card["complexity"]) == ("noisy", 3)
    asked = ["--range", "x=1:5", "--exponents", "noisy"]
    assert main(["repair", "x**4", *asked]) == 0
    assert eic("write", "x**4", "--as", "c", "--exponents", "noisy").out.endswith("pow(x, 4.)\n")
    with pytest.raises(SystemExit):
        main(["inspect", "x**4", "--range", "x=1:5", "--exponents", "loud"])


def test_gap_measures_its_corpora_anew(eic):
    for exponents in ("exact", "noisy"):
        options = ["--corpus", "strogatz", "--samples", "100", "--exponents", exponents, "--json"]
        assert json.loads(eic("gap", *options).out)["exponents"] == exponents


def test_a_scored_pool_says_how_exponents_were_read(files):
    for exponents, nodes in (("exact", "2"), ("noisy", "3")):
        fourth, second, refused = scored(files, "--exponents", exponents)
        assert (fourth["exponents"], fourth["complexity"]) == (exponents, nodes)
        assert (second["exponents"], second["complexity"]) == (exponents, "2")
        assert refused["exponents"] == exponents and refused["error"]
    assert {row["exponents"] for row in scored(files)} == {"exact"}


def test_a_pool_may_ask_for_noisy_exponents_and_workers_hear_of_it(files):
    lines = [f"p,x**4 + {i},noisy" for i in range(70)]
    (files / "pool.csv").write_text("\n".join(["problem,formula,exponents", *lines]) + "\n")
    candidates = read_pool(files / "pool.csv")[1]
    alone, apart = (score_pool(candidates, files, jobs=jobs) for jobs in (1, 2))
    assert alone == apart
    assert {(each.exponents, each.complexity) for each in alone} == {("noisy", 5)}


def test_a_scored_file_of_before_is_exact_and_one_of_today_says_it(files):
    scored(files, "--exponents", "noisy")
    text = (files / "scored.csv").read_text(encoding="utf-8")
    rows = stored_scores(import_formulas(text, name="scored.csv").rows)
    assert [row.score.exponents for row in rows][:2] == ["noisy", "noisy"]
    old = text.replace(",exponents", "").replace(",noisy", "")
    rows = stored_scores(import_formulas(old, name="scored.csv").rows)
    assert [row.score.exponents for row in rows][:2] == ["exact", "exact"]


def test_texts_are_scored_with_the_choice():
    samples = Samples.from_columns({"x": [1.0, 2.0]})
    exact, noisy = (score(["x**4"], samples, exponents=each)[0] for each in ("exact", "noisy"))
    assert (exact.complexity, noisy.complexity) == (2, 3)
    assert (exact.exponents, noisy.exponents) == ("exact", "noisy")


def test_a_column_of_that_name_and_another_meaning_does_no_harm(files):
    (files / "pool.csv").write_text("problem,formula,exponents\np,x**4,4\n")
    assert [each.exponents for each in read_pool(files / "pool.csv")[1]] == ["exact"]
