"""The folder of an exported study: written, read back, refused."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.errors import DataError, UserError
from eic_core.exports import raw_cell, safe_cell
from study.report import (
    ExportedVote,
    RaterCounts,
    StudyExport,
    Unblinding,
    read_export,
    write_export,
)
from study.statistics.exclusions import ExclusionRule
from tests.study.exports import START, export_of, pair, vote


def cast(number: int, **changes: object) -> ExportedVote:
    return vote(number % 3, number, **changes)


def export(votes: Iterable[ExportedVote] = ()) -> StudyExport:
    return export_of(
        votes,
        6,
        title="Größe & <b>Form</b>",
        exclusion=ExclusionRule(45, "vote", 1),
        rules={"max_r2_gap": 0.02},
        raters=RaterCounts(10, 9, 8, 1),
        unblindings=(Unblinding(START + timedelta(days=2), 312),),
    )


def written(folder: Path, **changes: object) -> Path:
    """The folder of an export, its study.json with these changes."""
    write_export(folder, export((cast(0),)))
    path = folder / "study.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return folder


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    votes = (
        cast(4, shown_at=START.replace(microsecond=123456)),
        cast(0, reason='=HYPERLINK("http://example.org")\nsecond, line', degree="'PhD'"),
        cast(1, choice="tie", idle_seconds=3.5, field="\tBiology"),
        cast(2, is_attention=True, attention_ok=False, pair="", problem=""),
        cast(3, is_practice=True, position=0),
    )
    original = export(votes)
    write_export(tmp_path / "new" / "folder", original)
    assert read_export(tmp_path / "new" / "folder") == original


def test_a_folder_of_a_study_that_nobody_looked_into_needs_no_line_about_it(
    tmp_path: Path,
) -> None:
    path = written(tmp_path) / "study.json"
    document = json.loads(path.read_text())
    assert document.pop("unblindings") == [{"at": "2025-03-03T12:00:00.000000Z", "votes_then": 312}]
    path.write_text(json.dumps(document))
    assert read_export(tmp_path) == replace(export((cast(0),)), unblindings=())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"unblindings": [{"at": "2025-03-01T12:00:00", "votes_then": 3}]}, "time zone"),
        ({"unblindings": [{"at": "2025-03-01T12:00:00Z", "votes_then": -3}]}, "cannot be negative"),
        ({"unblindings": [{"at": "2025-03-01T12:00:00Z", "votes_then": "many"}]}, "many"),
        ({"unblindings": [{"at": "yesterday", "votes_then": 3}]}, "yesterday"),
        (
            {"rules": {"min_eic_gap": math.inf}},
            r"cannot read study\.json: `Infinity` is no JSON",
        ),
    ],
)
def test_what_makes_no_sense_in_study_json_is_refused(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    with pytest.raises(DataError, match=told):
        read_export(written(tmp_path, **changes))


def test_an_undefined_loss_survives(tmp_path: Path) -> None:
    write_export(tmp_path, replace(export(), pairs=(pair(0, loss=math.nan),)))
    json.loads((tmp_path / "study.json").read_text(), parse_constant=pytest.fail)
    assert math.isnan(read_export(tmp_path).pairs[0].loss)


@given(st.text())
def test_spreadsheet_cells_are_safe_and_reversible(text: str) -> None:
    cell = safe_cell(text)
    assert raw_cell(cell) == text
    assert cell.lstrip()[:1] not in set("=+-@−＝＋－＠")


@pytest.mark.parametrize("sign", "=+-@−＝＋－＠")
def test_no_sign_that_a_spreadsheet_may_run_stands_first_in_a_cell(sign: str) -> None:
    assert safe_cell(f" {sign}1+1") == f"' {sign}1+1"


def test_no_cell_of_the_votes_starts_a_formula(tmp_path: Path) -> None:
    write_export(
        tmp_path, export((replace(cast(0, reason="=1+1", field="@x", degree="-1"), rater="+r"),))
    )
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
        ("problem", "hooke", "says problem `hooke`, but its pair `p000` is of `q00`"),
    ],
)
def test_a_bad_vote_is_named(tmp_path: Path, column: str, cell: str, told: str) -> None:
    path = written(tmp_path) / "votes.csv"
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
    with pytest.raises(DataError, match="vote `v0-0` appears twice"):
        export((cast(0), cast(0, pair="p003")))
    with pytest.raises(DataError, match="two votes on pair `p000`"):
        export((cast(0), cast(0, vote="another")))


def test_a_senseless_exclusion_rule_is_refused() -> None:
    for bad in ({"threshold_seconds": -1}, {"unit": "day"}, {"max_failed_attention": -1}):
        with pytest.raises(UserError):
            ExclusionRule(**bad)  # type: ignore[arg-type]
