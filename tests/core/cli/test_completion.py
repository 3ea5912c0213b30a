"""`eic completion`, sourced by a shell that is asked what it would offer."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from eic_core.cli.completion import SHELLS
from eic_core.cli.main import COMMANDS, command_of

ASKED = """{script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_eic 2> /dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def offered(eic: Callable, tmp_path: Path) -> Callable:
    script = eic("completion", "bash").out
    (tmp_path / "front.csv").write_text("")

    def ask(*words: str) -> list[str]:
        program = ASKED.format(script=script, words=shlex.join(["eic", *words]))
        asked = subprocess.run(
            ["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return asked.stdout.split("\n")[:-1]

    return ask


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        (["re"], ["repair", "report"]),
        (["inspect", "x", "--sa"], ["--samples"]),
        (["inspect", "--exponents", ""], ["exact", "noisy"]),
        (["inspect", "--exponents", "=", "n"], ["noisy"]),
        (["repair", "--effort", "q"], ["quick"]),
        (["repair", "--target", "float3"], ["float32"]),
        (["gap", "--rule", "log"], ["loguniform\\ 0.1\\ to\\ 10"]),
        (["inspect", "--samples", ""], [""]),
        (["write", "x", "--as", "=", ""], [*command_of("write").options[1].choices]),
        (["completion", ""], [*SHELLS]),
        (["nothing", ""], [""]),
    ],
)
def test_bash_offers_what_may_stand_there(
    words: list[str], offers: list[str], offered: Callable
) -> None:
    assert offered(*words) == offers


def test_bash_is_asked_for_files_where_a_file_is_named(offered: Callable) -> None:
    """`compopt` works within a completion alone; without it the script lists the files itself."""
    for words in (["pick", ""], ["pick", "front.csv", "--data", ""], ["check", "--out", "="]):
        assert "front.csv" in offered(*words)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_option_of_every_command(shell: str, eic: Callable) -> None:
    script = eic("completion", shell).out
    for command in map(command_of, COMMANDS):
        assert command.name in script
        for row in command.options:
            name = row.name[2:] if shell == "fish" else row.name
            assert row.is_argument or name in script
