"""What every command prints of others: it moves no cursor and commands no runner of CI."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from db.commands import main as database
from eic_core.cli.exits import exit_status, write_out
from eic_core.cli.main import main
from eic_core.errors import FormulaError, UserError
from eic_core.printable import printable
from study.cli import main as study

HOSTILE = "h\n::error::\x1b[2J\x9b2J\u202e##[debug]##vso[a]"
WRITTEN = r"h\n::error::\x1b[2J\x9b2J\u202e\x23#[debug]\x23#vso[a]"


def is_inert(text: str) -> bool:
    """Whether no terminal or runner obeys it: GitHub's takes `::` at a line's start alone."""
    return not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]|##\w*\[|(?m:^\s*::)", text)


@pytest.mark.parametrize("run", [main, study, database])
def test_a_mistake_of_the_command_line_is_inert(
    run: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(["--no-option", HOSTILE])
    with pytest.raises(SystemExit, match="2"):
        run([HOSTILE])
    told = "".join(capsys.readouterr())
    assert is_inert(told) and "usage: " in told


@pytest.mark.parametrize(
    ("run", "arguments"),
    [
        (main, ["inspect", "x", "--data", HOSTILE]),
        (main, ["inspect", "x", "--range", f"{HOSTILE}=1:2"]),
        (main, ["inspect", f"x + {HOSTILE}", "--range", "x=1:2"]),
        (main, ["inspect", "x", "--syntax", HOSTILE, "--range", "x=1:2"]),
        (main, ["write", f"x + y z{HOSTILE}", "--as", "c"]),
        (main, ["report", "x", "--range", "x=1:2", "--out", f"{HOSTILE}/a.html"]),
        (main, ["card", "x", "--data", HOSTILE]),
        (main, ["pick", HOSTILE, "--data", HOSTILE]),
        (main, ["score", HOSTILE, "--problems", HOSTILE, "--out", HOSTILE]),
        (main, ["search", HOSTILE, "--target", HOSTILE]),
        (main, ["gap", "--pool", HOSTILE]),
        (study, ["pairs", HOSTILE, "--out", HOSTILE]),
        (study, ["report", HOSTILE]),
        (database, ["--database", f"sqlite:///{HOSTILE}", "list"]),
    ],
)
def test_the_names_in_a_message_are_inert(
    run: Callable[[list[str]], int],
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        assert run(arguments) == 2
    except SystemExit as ended:
        assert ended.code == 2
    told = "".join(capsys.readouterr())
    assert told and is_inert(told), told


def test_a_header_of_a_table_is_inert_and_keeps_its_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eic: Callable
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path(f"{HOSTILE}.csv")
    file.write_text(f'"{HOSTILE}!",y\n1,2\n3,x\n')  # what ends in a bracket is a unit
    out, err = eic("inspect", "x0 + y", "--data", file)
    assert is_inert(out + err) and f"x0 = {WRITTEN}!\n" in out
    document = eic("inspect", "x0 + y", "--data", file, "--json").out
    assert is_inert(document)
    assert json.loads(document)["variables"]["x0"] == f"{HOSTILE}!"


def test_a_caret_stands_under_its_sign_behind_one_that_is_written_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails() -> None:
        raise FormulaError("no", source="a\x1b+\tbad", span=(4, 7))

    assert exit_status(fails) == 2
    assert capsys.readouterr().err == "error: no\na\\x1b+ bad\n       ^^^\n"


def test_lines_are_those_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    def prints() -> None:
        print("one", "two", sep="\n")
        print(f"three {HOSTILE}", file=sys.stderr)
        print("  ::error::four")
        write_out("::a\nb\x1b\n", None)
        write_out("::error::c\n", None, commands=True)
        raise UserError(f"of {HOSTILE}", hint=HOSTILE)

    exit_status(prints)
    out, err = capsys.readouterr()
    assert out == "one\ntwo\n  \\x3a:error::four\n\\x3a:a\nb\\x1b\n::error::c\n"
    assert err == f"three {WRITTEN}\nerror: of {WRITTEN}: {WRITTEN}\n"
    assert printable(WRITTEN) == WRITTEN == printable(HOSTILE)
