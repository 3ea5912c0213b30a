"""The folder of an exported study: written, read back, refused."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.errors import DataError, UserError
from eic_core.exports import raw_cell, safe_cell
from study.report import (
    ExportedPair,
    ExportedVote,
    RaterCounts,
    StudyExport,
    Unblinding,
    read_export,
    write_export,
)
from study.statistics.exclusions import ExclusionRule

START = datetime(2025, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def pair(number: int) -> ExportedPair:
    return ExportedPair(
        f"p{number}", "bode", "x0+1", "-(x0)", 0.5, 3.25, 0.9, 0.91, 3, 2, loss=-6.5
    )


def vote(number: int, **changes: object) -> ExportedVote:
    base = ExportedVote(
        vote=f"v{number}",
        rater=f"r{number % 3}",
        pair=f"p{number}",
        problem="bode",
        choice="lower",
        lower_side="left",
        position=number + 1,
        shown_at=START,
        voted_at=START + timedelta(seconds=20.5),
        seconds=20.5,
        session_seconds=205.0,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def export(votes: tuple[ExportedVote, ...] = ()) -> StudyExport:
    return StudyExport(
        study="demo",
        title="Größe & <b>Form</b>",
        hash="ab" * 32,
        pairs=tuple(pair(i) for i in range(6)),
        votes=votes,
        frozen_at=START,
        exclusion=ExclusionRule(45, "vote", 1),
        rules={"max_r2_gap": 0.02},
        raters=RaterCounts(10, 9, 8, 1),
        unblindings=(Unblinding(START + timedelta(days=2), 312),),
    )


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    votes = (
        vote(0, reason='=HYPERLINK("http://example.org")\nsecond, line', degree="'PhD'"),
        vote(1, choice="tie", idle_seconds=3.5, field="\tBiology"),
        vote(2, is_attention=True, attention_ok=False, pair="", problem=""),
        vote(3, is_practice=True, position=0),
    )
    original = export(votes)
    write_export(tmp_path / "new" / "folder", original)
    assert read_export(tmp_path / "new" / "folder") == original


def test_a_folder_of_a_study_that_nobody_looked_into_needs_no_line_about_it(
    tmp_path: Path,
) -> None:
    write_export(tmp_path, export())
    path = tmp_path / "study.json"
    document = json.loads(path.read_text())
    assert document.pop("unblindings") == [{"at": "2025-03-03T12:00:00.123456Z", "votes_then": 312}]
    path.write_text(json.dumps(document))
    assert read_export(tmp_path) == replace(export(), unblindings=())


@pytest.mark.parametrize(
    "look",
    [
        {"at": "2025-03-01T12:00:00", "votes_then": 3},
        {"at": "2025-03-01T12:00:00Z", "votes_then": -3},
        {"at": "2025-03-01T12:00:00Z", "votes_then": "many"},
        {"at": "yesterday", "votes_then": 3},
    ],
)
def test_a_senseless_look_at_the_results_is_refused(
    tmp_path: Path, look: dict[str, object]
) -> None:
    write_export(tmp_path, export())
    path = tmp_path / "study.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"unblindings": [look]}))
    with pytest.raises(DataError):
        read_export(tmp_path)


def test_an_undefined_loss_survives(tmp_path: Path) -> None:
    original = replace(export(), pairs=(replace(pair(0), loss=math.nan),))
    write_export(tmp_path, original)
    json.loads((tmp_path / "study.json").read_text(), parse_constant=pytest.fail)
    assert math.isnan(read_export(tmp_path).pairs[0].loss)


def test_an_infinite_rule_is_no_json_and_is_refused(tmp_path: Path) -> None:
    write_export(tmp_path, export())
    path = tmp_path / "study.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"rules": {"min_eic_gap": math.inf}}))
    with pytest.raises(DataError, match=r"cannot read study\.json: `Infinity` is no JSON"):
        read_export(tmp_path)


@given(st.text())
def test_spreadsheet_cells_are_safe_and_reversible(text: str) -> None:
    cell = safe_cell(text)
    assert raw_cell(cell) == text
    assert cell.lstrip()[:1] not in set("=+-@−＝＋－＠")


@pytest.mark.parametrize("sign", "=+-@−＝＋－＠")
def test_no_sign_that_a_spreadsheet_may_run_stands_first_in_a_cell(sign: str) -> None:
    assert safe_cell(f" {sign}1+1") == f"' {sign}1+1"


def test_no_cell_of_the_votes_starts_a_formula(tmp_path: Path) -> None:
    write_export(tmp_path, export((vote(0, reason="=1+1", field="@x", degree="-1", rater="+r"),)))
    with (tmp_path / "votes.csv").open(newline="") as file:
        for row in csv.reader(file):
            assert not any(cell[:1] in "=+-@" for cell in row if cell)


@pytest.mark.parametrize(
    ("column", "cell", "told"),
    [
        ("choice", "left", "row 1: a choice is lower, higher or tie"),
        ("seconds", "fast", "row 1: `fast` is no seconds"),
        ("seconds", "-3", "row 1: `-3` is no seconds"),
        ("seconds", "nan", "row 1: `nan` is no seconds"),
        ("is_practice", "", "row 1: `` is no is_practice"),
        ("shown_at", "2025-03-01T12:00:00", "has no time zone"),
        ("pair", "p99", "is on `p99`, no pair of the study"),
        ("problem", "hooke", "says problem `hooke`, but its pair `p0` is of `bode`"),
    ],
)
def test_a_bad_vote_is_named(tmp_path: Path, column: str, cell: str, told: str) -> None:
    write_export(tmp_path, export((vote(0),)))
    path = tmp_path / "votes.csv"
    with path.open(newline="") as file:
        header, row = list(csv.reader(file))
    row[header.index(column)] = cell
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, row])
    with pytest.raises(DataError, match=told.replace("`", "."[:1])):
        read_export(tmp_path)


def test_missing_and_foreign_folders_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no study.json"):
        read_export(tmp_path)
    (tmp_path / "study.json").write_text("[]")
    with pytest.raises(DataError, match="not of format 1"):
        read_export(tmp_path)
    (tmp_path / "study.json").write_text('{"format": 1}')
    with pytest.raises(DataError, match="study.json has no 'study'"):
        read_export(tmp_path)
    write_export(tmp_path, export())
    (tmp_path / "votes.csv").write_text("vote,rater\n")
    with pytest.raises(DataError, match="votes.csv has no column `pair`"):
        read_export(tmp_path)


def test_double_ids_and_double_votes_are_refused() -> None:
    with pytest.raises(DataError, match="vote `v0` appears twice"):
        export((vote(0), vote(0, pair="p1")))
    with pytest.raises(DataError, match="two votes on pair `p0`"):
        export((vote(0), vote(1, rater="r0", pair="p0")))


def test_a_senseless_exclusion_rule_is_refused() -> None:
    for bad in ({"threshold_seconds": -1}, {"unit": "day"}, {"max_failed_attention": -1}):
        with pytest.raises(UserError):
            ExclusionRule(**bad)  # type: ignore[arg-type]
