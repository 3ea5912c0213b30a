"""How far a pair's gap hangs on single rows is kept with the study, exported and reported."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from db import open_database
from eic_core.errors import DataError
from study.report.analysis import analyse
from study.report.document import document
from study.report.exported import edits_of, read_export, write_export
from study.report.sections import sections_of
from study.report.tables import pairs_csv
from tests.rehearsal import DESIGN, Rehearsal, pair

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "studies.sqlite3.gz"


def test_what_the_matching_knew_of_a_gap_is_frozen_exported_and_said(
    rehearsal: Rehearsal, tmp_path: Path
) -> None:
    organiser = rehearsal.organiser
    study = rehearsal.draft(replace(DESIGN, ballots_per_rater=2), problems=3, pairs=1)
    gaps = [(1.0, 2.5), (0.4, None), (None, None)]
    known = [
        replace(pair(n, 0), gap_share=share, gap_without_worst_row=left)
        for n, (share, left) in enumerate(gaps)
    ]
    organiser.set_pairs(study.id, known, {"min_eic_gap": 2.0})
    organiser.freeze(study.id)
    assert organiser.verify(study.id)
    organiser.close(study.id)
    export = organiser.monitor.export(study.id)
    frozen = [p for p in export.configuration["pairs"] if p["kind"] == "main"]
    assert [p.get("gap_share") for p in frozen] == [1.0, 0.4, None]
    assert "gap_share" not in frozen[2] and "gap_without_worst_row" not in frozen[1]
    write_export(tmp_path / "out", export)
    report = analyse(read_export(tmp_path / "out"))
    assert document(report)["pairs"]["held_gaps"] == {
        "least": 2.0,
        "known": 2,
        "in_most_draws": 1,
        "without_worst_row": 1,
    }
    facts = next(s for s in sections_of(report) if s.key == "pairs").facts
    assert [f.value for f in facts if "keep" in f.name] == ["1 of 2", "1 of 2"]
    rows = [*csv.DictReader(io.StringIO(pairs_csv(report)))]
    assert [(r["gap_share"], r["gap_without_worst_row"]) for r in rows] == [
        ("1.0", "2.5"),
        ("0.4", ""),
        ("", ""),
    ]
    file = tmp_path / "out" / "study.json"
    edited = json.loads(file.read_text(encoding="utf-8"))
    edited["pairs"][1]["gap_share"] = 0.95
    file.write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(DataError, match="gap share of pair `p002` differs from what was frozen"):
        read_export(tmp_path / "out")
    assert edits_of(export) == ()


def test_the_columns_are_added_to_a_database_of_before_and_say_nothing_there(
    tmp_path: Path,
) -> None:
    file = tmp_path / "golden.sqlite3"
    file.write_bytes(gzip.decompress(GOLDEN.read_bytes()))
    open_database(f"sqlite:///{file}").dispose()
    with closing(sqlite3.connect(file)) as upgraded:
        found = set(upgraded.execute("SELECT gap_share, gap_without_worst_row FROM pair"))
        assert found == {(None, None)}
        with pytest.raises(sqlite3.IntegrityError, match="frozen"):
            upgraded.execute("UPDATE pair SET gap_share = 1")
