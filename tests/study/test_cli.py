"""`python -m study`: pairs and reports from the command line."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eic_core.cli import main as core_main
from study.cli import main
from study.report import ExportedPair, ExportedVote, StudyExport, write_export

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """A small pool, scored by the command line."""
    (tmp_path / "problems").mkdir()
    rows = [f"{1 + i / 10},{2 + i / 5}" for i in range(40)]
    (tmp_path / "problems" / "line.csv").write_text("\n".join(["x,target", *rows]))
    pool = tmp_path / "pool.csv"
    formulas = ["2*x*1*1", "x+x+0", "20001*x-19999*x", "sin(x)", "no such formula ("]
    pool.write_text("\n".join(["problem,formula,r2_test", *(f"line,{f},0.9" for f in formulas)]))
    out = tmp_path / "scored.csv"
    command = ["score", str(pool), "--problems", str(tmp_path / "problems"), "--out", str(out)]
    assert core_main([*command, "--jobs", "1"]) == 0
    return out


def pairs_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def test_pairs_writes_the_columns_of_the_design(
    scored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pairs.csv"
    assert main(["pairs", str(scored), "--out", str(out)]) == 0
    rows = pairs_of(out)
    assert list(rows[0]) == [
        "pair",
        "problem",
        "loss",
        "lower_row",
        "higher_row",
        "lower_formula",
        "higher_formula",
        "lower_eic",
        "higher_eic",
        "lower_r2",
        "higher_r2",
        "lower_complexity",
        "higher_complexity",
        "same_function",
    ]
    assert len(rows) == 1
    row, source = rows[0], pairs_of(scored)
    for side in ("lower", "higher"):
        member = source[int(row[f"{side}_row"])]
        assert row[f"{side}_formula"] == member["formula"]
        assert row[f"{side}_eic"] == member["eic_finite"]
        assert row[f"{side}_r2"] == member["r2"]
        assert row[f"{side}_complexity"] == member["complexity"]
    assert float(row["higher_eic"]) - float(row["lower_eic"]) >= 2
    error = capsys.readouterr().err
    assert "1 refused by scoring" in error and "1 of 2 allowed pairs" in error
    assert "optimal" in error


def test_modes_rules_and_labels_are_options(scored: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    command = ["pairs", str(scored), "--out", str(out)]
    problems = ["--problems", str(scored.parent / "problems")]
    assert main([*command, "--mode", "all", *problems]) == 0
    assert [row["same_function"] for row in pairs_of(out)] == ["true", "true"]
    assert main([*command, "--mode", "best", "--k", "1"]) == 0
    assert [row["same_function"] for row in pairs_of(out)] == [""]
    assert main([*command, *problems, "--exclude-same-function"]) == 0
    assert pairs_of(out) == []
    assert main([*command, "--min-eic-gap", "9"]) == 0
    assert pairs_of(out) == []
    assert main([*command, "--r2", "r2_test"]) == 0
    assert {row["lower_r2"] for row in pairs_of(out)} == {"0.9"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--r2", "nope"], "no column `nope`"),
        (["--mode", "best"], "needs a number of pairs"),
        (["--k", "3"], "--k goes with --mode best"),
        (["--max-r2-gap", "-1"], "largest R² gap"),
        (["--exclude-same-function"], "only with the problems' data"),
        (["--problems", "nowhere"], "there is no folder nowhere"),
        (["--out", "no/such/folder/pairs.csv"], "cannot write"),
    ],
)
def test_mistakes_get_one_message_and_status_2(
    scored: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    told: str,
) -> None:
    out = ["--out", str(tmp_path / "pairs.csv")]
    assert main(["pairs", str(scored), *out, *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and told in error and error.count("\n") == 1
    assert main(["pairs", str(scored.parent / "pool.csv"), *out]) == 2
    assert "score the pool first" in capsys.readouterr().err


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    now = datetime(2025, 3, 1, tzinfo=UTC)
    pair = ExportedPair("p1", "line", "2*x+1", "3*x-x+1", 0.3, 2.5, 0.9, 0.9, 5, 7)
    votes = tuple(
        ExportedVote(
            f"v{i}",
            f"r{i}",
            "p1",
            "line",
            "lower" if i else "higher",
            "left",
            1,
            now,
            now,
            80.0,
            session_seconds=80.0,
        )
        for i in range(5)
    )
    write_export(tmp_path / "out", StudyExport("s", "Größe", "00", (pair,), votes, closed_at=now))
    return tmp_path / "out"


def test_report_prints_text_json_or_a_page(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(exported)]) == 0
    assert "80.0 %" in capsys.readouterr().out
    assert main(["report", str(exported), "--json", "--level", "0.9"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["preference"]["wilson"]["level"] == 0.9
    assert document["title"] == "Größe"
    page = tmp_path / "report.html"
    assert main(["report", str(exported), "--html", "--out", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_page_is_not_printed_to_a_terminal(
    exported: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for run in (
        lambda: main(["report", str(exported), "--html"]),
        lambda: core_main(["report", "x+1", "--range", "x=1:2"]),
    ):
        assert run() == 2
        said = capsys.readouterr()
        assert "--out FILE.html" in said.err and said.out == ""
    assert main(["report", str(exported)]) == 0
    assert "80.0 %" in capsys.readouterr().out


def test_report_reads_only_its_folder(exported: Path, tmp_path: Path) -> None:
    """With no database, no page and no working directory to fall back on."""
    program = (
        "import sys\n"
        "for name in ('streamlit', 'plotly', 'sqlalchemy', 'db', 'pages'):\n"
        "    sys.modules[name] = None\n"
        "from study.cli import main\n"
        f"sys.exit(main(['report', {str(exported)!r}, '--html']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        env={"PYTHONPATH": str(ROOT), "MPLCONFIGDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"<!DOCTYPE html>")


def test_a_senseless_level_is_refused_and_a_missing_folder_told_what_makes_one(
    exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for level in ("0", "1", "95"):
        assert main(["report", str(exported), "--level", level]) == 2
        assert "between 0 and 1" in capsys.readouterr().err
    assert main(["report", str(exported / "none")]) == 2
    assert "python -m db export" in capsys.readouterr().err
