"""Each line that a page shows, and each that a hand may mistype, is answered as it was.

`command_lines.tsv` holds a command line and its answer a line: what was understood (a JSON object
of the options that differ from their defaults), or the message of status 2.  After a change that is
meant, `python -m tests.test_command_lines` writes the answers anew: read what has changed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from db.commands import build_parser as parser_of_db
from eic_core.cli.main import parse
from study.cli import build_parser as parser_of_study
from tests.test_docs_examples import PROGRAM, lines_of_commands

KEPT = Path(__file__).with_name("command_lines.tsv")
PARSE: dict[str, Callable[[Sequence[str]], argparse.Namespace]] = {
    "eic": parse,
    "python -m study": lambda words: parser_of_study().parse_args(words),
    "python -m db": lambda words: parser_of_db().parse_args(words),
}
HIDDEN = {"run", "command"}
"""What tells the program which function to call."""


def documented() -> set[str]:
    return {line.removeprefix("$ ").partition(" #")[0].rstrip() for _, line in lines_of_commands()}


def kept() -> dict[str, str]:
    lines = KEPT.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def answer(line: str) -> str:
    [program] = PROGRAM.match(line).groups()
    words = shlex.split(line.removeprefix(program))
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told):
            options = PARSE[program](words)
    except SystemExit as ended:
        assert ended.code == 2
        # Python's versions quote what can be chosen in different ways
        return told.getvalue().splitlines()[-1].partition(" (choose from")[0]
    values = {name: value for name, value in vars(options).items() if name not in HIDDEN}
    return json.dumps(values, default=str, sort_keys=True, ensure_ascii=False)


def kept_answers(program: str) -> dict[str, str]:
    return {line: text for line, text in kept().items() if PROGRAM.match(line)[1] == program}


@pytest.mark.parametrize("program", PARSE)
def test_a_command_line_is_answered_as_it_was(program: str) -> None:
    answers = kept_answers(program)
    assert {line: answer(line) for line in answers} == answers


def test_each_line_of_a_page_is_kept_and_understood() -> None:
    answers = kept()
    assert documented() <= answers.keys()
    assert [line for line in documented() if not answers[line].startswith("{")] == []


if __name__ == "__main__":
    written = {line: answer(line) for line in sorted(kept().keys() | documented())}
    rows = (f"{line}\t{text}\n" for line, text in written.items())
    KEPT.write_text("".join(rows), encoding="utf-8")
