"""Backup and restore of a live study, and the command line."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections import Counter
from pathlib import Path

import pytest

from db.backup import backup, check, restore
from db.commands import main
from db.engine import DEMO_URL
from study.errors import StudyError
from study.report.exported import read_export
from tests.rehearsal import Rehearsal


def test_a_backup_of_a_live_study_is_one_sound_private_file(
    rehearsal: Rehearsal, tmp_path: Path
) -> None:
    study = rehearsal.opened(problems=6, pairs=6)
    tokens = [rehearsal.rater(study) for _ in range(3)]
    stop = threading.Event()
    saved = []

    def rate() -> None:
        for token in tokens:
            while not stop.is_set() and (ballot := rehearsal.rating.next_ballot(token).ballot):
                rehearsal.rating.vote(token, ballot.token, "left")
                saved.append(token)

    at_work = threading.Thread(target=rate)
    at_work.start()
    files = [backup(rehearsal.url, tmp_path / "backups") for _ in range(3)]
    stop.set()
    at_work.join()
    assert len(set(files)) == 3
    for file in files:
        check(file)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(p.name for p in (tmp_path / "backups").iterdir()) == sorted(f.name for f in files)


def test_restoring_brings_a_live_study_back_and_keeps_what_was_there(
    rehearsal: Rehearsal, tmp_path: Path
) -> None:
    study = rehearsal.opened()
    token = rehearsal.rater(study)
    rehearsal.rate(token, 4)
    file = backup(rehearsal.url, tmp_path / "backups")
    rehearsal.rate(token, 3)
    kept = restore(rehearsal.url, file, tmp_path / "backups")
    assert str(rehearsal.rating.open(token).progress) == "saved 4 of 10"  # no restart needed
    assert rehearsal.organiser.verify(study.id)
    assert kept is not None
    restore(rehearsal.url, kept, tmp_path / "backups")
    assert str(rehearsal.rating.open(token).progress) == "saved 7 of 10"
    rehearsal.rate(token, 3)
    assert rehearsal.rating.open(token).stage == "finished"


def test_a_damaged_or_foreign_file_is_not_restored(rehearsal: Rehearsal, tmp_path: Path) -> None:
    study = rehearsal.opened()
    file = backup(rehearsal.url, tmp_path / "backups")
    broken = tmp_path / "broken.sqlite3"
    data = bytearray(file.read_bytes())
    data[4096:20000] = b"\xff" * (20000 - 4096)
    broken.write_bytes(data)
    foreign = tmp_path / "foreign.sqlite3"
    sqlite3.connect(foreign).close()
    text = tmp_path / "text.sqlite3"
    text.write_text("not a database at all" * 100)
    for bad in (broken, foreign, text, tmp_path / "missing"):
        with pytest.raises(StudyError):
            restore(rehearsal.url, bad, tmp_path / "backups")
    assert rehearsal.organiser.verify(study.id)


def test_a_missing_database_is_not_backed_up(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no database"):
        backup(f"sqlite:///{tmp_path / 'none.sqlite3'}", tmp_path)


def test_the_command_line_backs_up_restores_and_exports(
    rehearsal: Rehearsal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = rehearsal.opened(ballots_per_rater=3, practice=True, attention_checks=1)
    rehearsal.rate(rehearsal.rater(study), 5)
    base = ["--database", rehearsal.url]
    assert main([*base, "backup", "--folder", str(tmp_path / "b")]) == 0
    file = capsys.readouterr().out.strip()
    out = tmp_path / "out"
    assert main([*base, "export", "rehearsal", "--out", str(out)]) == 2
    refused = capsys.readouterr().err
    assert "still open: close it first" in refused and "--even-if-open" in refused
    assert main([*base, "export", "1", "--out", str(out), "--even-if-open"]) == 0
    rehearsal.organiser.close(study.id)
    assert main([*base, "export", "rehearsal", "--out", str(out)]) == 0
    export = read_export(out)
    kinds = Counter((v.is_practice, v.is_attention) for v in export.votes)
    votes = kinds[False, False]
    assert 3 <= votes < kinds.total(), "ballots of practice and attention are no votes"
    assert f"{votes} votes on {len(export.pairs)} pairs" in capsys.readouterr().err
    rehearsal.organiser.create("7")
    assert main([*base, "export", "7", "--out", str(out)]) == 2
    assert "a draft has nothing to export" in capsys.readouterr().err  # a name before an id
    assert main([*base, "restore", file, "--folder", str(tmp_path / "b")]) == 0
    assert main([*base, "list"]) == 0
    assert "1\topen\trehearsal\t" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["export", "nobody", "--out", "x"],
        ["export", "77", "--out", "x"],
        ["restore", "missing"],
    ],
)
def test_a_mistake_on_the_command_line_is_one_message_and_status_2(
    rehearsal: Rehearsal, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    assert main(["--database", rehearsal.url, *command]) == 2
    error = capsys.readouterr().err
    assert error.startswith("db: there is no ") and error.count("\n") == 1


def test_a_missing_database_is_not_made_by_looking(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--database", f"sqlite:///{tmp_path / 'none.sqlite3'}", "list"]) == 2
    assert not (tmp_path / "none.sqlite3").exists()
    assert "there is no database" in capsys.readouterr().err


def test_a_command_that_names_no_database_says_that_it_leaves_out_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert main(["migrate"]) == 0 and main(["backup"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["--database", DEMO_URL, "migrate"]) == 0
    assert main(["--database", DEMO_URL, "backup"]) == 0
    assert capsys.readouterr().err == ""
    for command in (["backup"], ["list"], ["export", "nobody", "--out", "x"]):
        main(command)
        assert (
            f"the demo's studies are in a database of their own, which this leaves out; for "
            f"them: python -m db --database {DEMO_URL}" in capsys.readouterr().err
        )


def test_the_commands_take_the_database_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "named.sqlite3"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{file}")
    assert main(["migrate"]) == 0
    assert file.is_file() and not (tmp_path / "var").exists()
