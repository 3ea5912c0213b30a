"""The archive of a study: complete, reproducible, readable again, safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest

from eic_core.drawing.paper import figure_of
from eic_core.exports import raw_cell
from study.cli import main
from study.report import ExportedVote, StudyExport, Unblinding, read_export
from study.report.analysis import StudyReport, analyse
from study.report.bundle import CONTENTS, PREREGISTERED_FILE, bundle_size, write_bundle
from study.report.document import document, document_text
from study.report.exported import write_export
from study.report.figures import FIGURES
from study.report.methods import methods_markdown, methods_text
from study.report.page import render_html
from study.report.printing import to_svg
from study.report.sections import sections_of
from study.report.tables import (
    CODEBOOK,
    codebook_text,
    long_csv,
    pairs_csv,
    raters_csv,
)
from study.report.text import render_text
from tests.effort import dear
from tests.study.exports import START, export_of, pair, rows, vote
from tests.study.simulated_models import with_models


def wrote(rater: int, number: int, choice: str = "lower", **changes: object) -> ExportedVote:
    """The vote of somebody whose words a spreadsheet might run."""
    words = {"degree": "@PhD", "field": "=1+1", "reason": "-odd"}
    return vote(rater, number, choice, **{**words, **changes})


def export() -> StudyExport:
    """Twelve raters on eight pairs, with a tie, a hasty session and attention checks."""
    votes = [
        wrote(
            r,
            n,
            "tie" if r == n == 3 else "higher" if (r * 7 + n * 5) % 4 == 0 else "lower",
            session_seconds=5.0 if r == 11 else 200.0,
        )
        for r in range(12)
        for n in range(8)
    ]
    check = {"pair": "", "problem": "", "position": 20}
    votes += [wrote(r, 20, **check, is_attention=True, attention_ok=r != 2) for r in range(12)]
    votes.append(wrote(0, 30, **check | {"position": 0}, is_practice=True))
    pairs = (
        pair(n, lower_formula="-x0+1", higher_formula="=x0-1e9+1e9", higher_eic=8.5, loss=-60.0)
        for n in range(9)
    )
    made = export_of(
        votes,
        title="Größe *und* <Form>",
        rules={"max_r2_gap": 0.02, "min_eic_gap": 2},
        unblindings=(Unblinding(START + timedelta(days=3), 50),),
        tie_allowed=True,
    )
    return with_models(replace(made, pairs=tuple(pairs)), declared=())


@pytest.fixture(scope="module")
def report() -> StudyReport:
    return analyse(export(), seed=5)


@pytest.fixture(scope="module")
def archive(report: StudyReport) -> bytes:
    out = io.BytesIO()
    write_bundle(out, report)
    return out.getvalue()


@pytest.fixture(scope="module")
def files(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_the_archive_holds_what_its_list_says(archive: bytes, report: StudyReport) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        names = packed.namelist()
        listed = packed.read("README.txt").decode()
    assert len(names) == len(set(names)) == bundle_size(report)
    for name in CONTENTS:
        assert name in listed
        assert name in names or name in ("figures/", PREREGISTERED_FILE)
    more = {"methods.txt", "codebook.txt"}
    figures = {f"figures/{n}.{form}" for n in FIGURES for form in ("svg", "pdf", "png")}
    assert set(names) == set(CONTENTS) - {"figures/", PREREGISTERED_FILE} | more | figures


def test_every_output_carries_hash_software_and_seed(
    report: StudyReport, files: dict[str, bytes]
) -> None:
    software = report.software
    for name, content in files.items():
        if name in ("votes.csv", "model_answers.csv") or name.endswith((".pdf", ".png")):
            continue  # the first two lie beside study.json; the others are looked at below
        text = content.decode()
        assert "ab" * 32 in text, name
        if name == "study.json":
            continue  # the frozen study itself: older than any software that reads it
        assert software.numpy in text and software.scipy in text and software.python in text, name
        assert "seed 5" in text or '"seed": 5' in text, name


@pytest.mark.parametrize("name", FIGURES)
def test_figures_say_what_they_are_of_and_carry_no_date(files: dict[str, bytes], name: str) -> None:
    for form, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        content = files[f"figures/{name}.{form}"]
        assert content.startswith(start)
        assert b"frozen study abab" in content or form == "pdf"
        assert b"CreationDate" not in content and b"<dc:date>" not in content


def test_the_unpacked_archive_is_read_again(
    archive: bytes, report: StudyReport, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        packed.extractall(tmp_path)
    assert read_export(tmp_path) == report.export
    assert main(["report", str(tmp_path), "--json", "--seed", "5"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "report.json").read_text())


def test_the_command_writes_the_archive_and_it_is_the_same_bytes_each_time(
    report: StudyReport, archive: bytes, tmp_path: Path
) -> None:
    """All of it anew, from the folder of an export: numbers, tables and every figure's files."""
    write_export(tmp_path / "in", report.export)
    command = ["report", str(tmp_path / "in"), "--seed", "5", "--bundle"]
    assert main([*command, str(tmp_path / "out.zip")]) == 0
    assert (tmp_path / "out.zip").read_bytes() == archive


def test_a_path_without_zip_becomes_a_folder(
    report: StudyReport, files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("study.report.bundle.bundle_files", lambda _: iter(files.items()))
    write_bundle(tmp_path / "out", report)
    written = (path for path in (tmp_path / "out").rglob("*") if path.is_file())
    found = {path.relative_to(tmp_path / "out").as_posix(): path.read_bytes() for path in written}
    assert found == files
    assert read_export(tmp_path / "out") == report.export


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--bundle", "{in}"], "cannot be the folder that is read"),
        (["--bundle", "{in}/no/such.zip"], "cannot write"),
        (["--bundle", "x.zip", "--out", "y"], "leave --out away"),
        (["--seed", "-1"], "a seed is a whole number"),
    ],
)
def test_mistakes_get_one_message_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    write_export(tmp_path, export())
    given = [option.replace("{in}", str(tmp_path)) for option in options]
    assert main(["report", str(tmp_path), *given]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and told in error


def test_progress_is_told_and_may_stop_the_work(report: StudyReport) -> None:
    seen: list[tuple[int, int]] = []

    class Stop(Exception):
        pass

    def told(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 3:
            raise Stop

    with pytest.raises(Stop):
        write_bundle(io.BytesIO(), report, progress=told)
    assert seen == [(n, bundle_size(report)) for n in (1, 2, 3)]


def test_every_column_is_in_the_codebook(files: dict[str, bytes]) -> None:
    made = {name: text.decode() for name, text in files.items() if name.endswith(".csv")}
    assert made.keys() == CODEBOOK.keys()
    for name, text in made.items():
        header = next(csv.reader(io.StringIO(text)))
        assert sorted(header) == sorted(column.name for column in CODEBOOK[name]), name
        for column in CODEBOOK[name]:
            assert column.meaning and column.values and f"  {column.name}\n" in codebook_text()


def test_no_cell_of_any_table_starts_a_formula(files: dict[str, bytes]) -> None:
    for name, content in files.items():
        if not name.endswith(".csv"):
            continue
        for row in csv.reader(io.StringIO(content.decode())):
            for cell in row:
                if cell[:1] in tuple("=+-@\t"):
                    float(cell)  # a negative number is no formula


def test_the_long_table_says_which_votes_count_and_the_gaps_of_their_pair(
    report: StudyReport,
) -> None:
    found = rows(long_csv(report))
    assert len(found) == len(report.export.votes)
    counted = [r for r in found if r["excluded"] == "false" and r["pair"]]
    assert len(counted) == len(report.valid_votes)
    for row, given in zip(found, report.export.votes, strict=True):
        assert raw_cell(row["reason"]) == given.reason
        assert row["eic_gap"] == ("8.0" if given.on_a_pair else "")
        assert row["complexity_gap"] == ("-2" if given.on_a_pair else "")
        if given.choice == "tie":
            assert row["chose_left"] == row["chose_lower"] == ""
        else:
            assert (row["chose_lower"] == "true") == (given.choice == "lower")
            side = "left" if row["chose_left"] == "true" else "right"
            assert (side == given.lower_side) == (given.choice == "lower")


def test_the_wide_tables_add_up_to_the_report(report: StudyReport) -> None:
    pairs, raters = rows(pairs_csv(report)), rows(raters_csv(report))
    assert [row["pair"] for row in pairs] == [p.pair for p in report.export.pairs]
    assert len(raters) == 12
    for table in (pairs, raters):
        for column, total in (
            ("votes_cast", len(report.votes_cast)),
            ("votes_valid", len(report.valid_votes)),
            ("n_lower", report.preference.lower),
            ("n_higher", report.preference.higher),
            ("ties", report.preference.ties),
        ):
            assert sum(int(row[column]) for row in table) == total, column
    assert pairs[8]["rate"] == "" and pairs[8]["votes_cast"] == "0"
    assert float(pairs[0]["rate"]) == int(pairs[0]["n_lower"]) / int(pairs[0]["votes_valid"])
    hasty = raters[11]
    assert hasty["exclusion_reason"] == "session under the threshold"
    assert (hasty["votes_valid"], hasty["rate"], hasty["median_seconds"]) == ("0", "", "")
    assert (raters[2]["attention_passed"], raters[2]["attention_failed"]) == ("0", "1")
    left = sum(int(row["chose_left"]) for row in raters)
    assert left == report.threats.sides.left


def test_the_methods_paragraph_has_the_numbers_of_the_study(report: StudyReport) -> None:
    text, found = methods_text(report), document(report)
    flat = " ".join(text.split())
    head = found["headline"]
    for said in (
        "9 pairs from 3 problems (|ΔR²| ≤ 0.02, |ΔEIC| ≥ 2)",
        f"{head['lower']} of {head['votes']} deciding votes",
        f"t with {head['degrees_of_freedom']} degrees of freedom",
        f"{100 * head['interval']['low']:.1f} % to {100 * head['interval']['high']:.1f} %",
        "looked at on 4 March 2025, after 50 votes",
        "; 1 tie left out",
        "Times are the server's, from serving a ballot to its vote",
        "ab" * 32,
    ):
        assert said in flat, said
    assert "Größe \\*und\\* \\<Form\\>" in methods_markdown(report)


FEW = {
    "no votes": (),
    "only ties": (vote(1, 0, "tie"), vote(2, 0, "tie")),
    "one vote": (vote(1, 0),),
    "one rater": tuple(vote(1, n) for n in range(8)),
    "one pair": tuple(vote(r, 0) for r in range(8)),
    "unanimous": tuple(vote(r, n) for r in range(12) for n in range(8)),
    "all left out": (vote(11, 0, session_seconds=1.0),),
}
DEGENERATE = {
    "nothing": StudyExport("s", "Demo", "", (), ()),
    "still open": replace(export(), votes=(), frozen_at=None, closed_at=None, unblindings=()),
    **{name: replace(export(), votes=votes) for name, votes in FEW.items()},
}


@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.filterwarnings("error")
def test_degenerate_studies_give_every_text_without_a_warning(case: str) -> None:
    report = analyse(DEGENERATE[case])
    if not report.valid_votes:  # no rows of numbers that there are not
        assert "  not defined" not in render_text(report).partition("THE STUDY")[0]
    for make in (
        document_text,
        methods_markdown,
        methods_text,
        long_csv,
        pairs_csv,
        raters_csv,
        render_text,
    ):
        text = make(report)
        assert text.strip()
        assert not re.search(r"(?<![\w'])(nan|-?inf|None)(?![\w']| of )", text)
    assert "Fleiss' kappa is not defined" in render_text(report)
    without = analyse(replace(report.export, model_runs=(), model_answers=()))
    assert not [s for s in sections_of(without) if s.group == "models"]


@dear(3)
@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.filterwarnings("error")
def test_the_page_of_a_degenerate_study_has_a_picture_a_section_and_no_nan(case: str) -> None:
    report = analyse(DEGENERATE[case])
    page = render_html(report)
    drawn = [section.figure for section in sections_of(report) if section.figure]
    assert page.count("<svg") == 1 + len(drawn)
    assert "nan" not in re.sub(r"[A-Za-z0-9+/]{80,}=*", "", page).lower().split()
    assert "Fleiss' kappa is not defined" in unescape(page)
    for name in FIGURES.keys() - drawn:
        assert to_svg(figure_of(FIGURES[name].describe(report))).startswith("<svg")
