"""Blocks of code in README and docs/ run and print what they show, or are named here with why not.

Blocks of a page run in order, in one namespace and one folder, which holds the files that pages
speak of (`DATA.csv`, `FRONT.csv`, …).  In what a page shows, `…` stands for anything.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import runpy
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from eic_core.cli import main as eic
from study.cli import main as study

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PROGRAM = re.compile(r"(?:\$ )?(eic|python -m study|python -m db) ")

BEFORE = {
    "python.md": """
import numpy as np
from eic_core.search.estimator import EICSymbolicRegressor
from sklearn.model_selection import GridSearchCV
X = np.random.default_rng(0).uniform(1, 3, (40, 2))
y = X[:, 0] ** 2
model, grid = EICSymbolicRegressor(max_evals=2000, random_state=0).fit(X, y), {"alpha": [0.002]}
""",
    "search.md": """
import numpy as np
random = np.random.default_rng(0)
X = random.uniform(1, 3, (40, 2))
y = X[:, 0] ** 2 * np.sin(X[:, 1]) + random.normal(0, 0.1, 40)
""",
    "check.md": "import numpy as np; x = np.array([1e-5])",
}
"""What a reader has before the first block of Python of a page."""

ELSEWHERE = {"recipes.md": "tests/core/test_recipes.py"}
"""Pages whose blocks another test runs, with the files of the tools that they are about."""

LESS = {"search.md": ("max_evals=100_000", "max_evals=5_000")}
"""What runs here for less time than a reader's."""

MEANT = {"FORMULA": "x**2 + 1", "OTHER": "x**2 + 1.01"}
"""Words that stand for what a reader writes."""

LEFT = {
    "eic search": "takes minutes; tests/core/search runs it shorter",
    "eic generate": "writes a million formulas; tests/core/corpora runs it shorter",
    "eic distances": "draws 100,000 formulas; tests/core/corpora runs it shorter",
    "eic gap": "takes a minute; tests/core/corpora runs it",
    "python -m study": "wants a closed study or thousands of simulations; tests/study runs it",
    "python -m db": "wants a database with a study; tests/db runs it",
    "from torch": "PyTorch is 200 MB or more",
}
"""Beginnings of what is parsed but does not run here, and why."""


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    shown: str  # The block below it, if no word stands between

    @property
    def commands(self) -> list[str]:
        """Its lines, if each is a command of ours; or those behind a prompt."""
        lines = self.code.splitlines()
        prompted = [line for line in lines if line.startswith("$ ")]
        return prompted or (lines if all(map(PROGRAM.match, lines)) else [])


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    matches = [*BLOCK.finditer(text)]
    shown = {
        block.end(): below[2]
        for block, below in pairwise(matches)
        if not below[1] + text[block.end() : below.start()].strip() and below[2][0] != "$"
    }
    return [Block(match[1], match[2], shown.get(match.end(), "")) for match in matches]


def left_here(code: str) -> bool:
    return code.removeprefix("$ ").startswith(tuple(LEFT))


def assert_shown(shown: str, printed: str) -> None:
    ellipsis = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown.replace("…", "..."), printed, ellipsis), (
        printed
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder."""
    rows = "\n".join(f"{a!r},{a * a + 1!r}" for a in np.linspace(1, 3, 40).tolist())
    for name in ("DATA.csv", "FILE.csv", "DIR/PROBLEM.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"x,y\n{rows}\n", encoding="utf-8")
    formulas = ("x**2 + 1", "10000*x**2 - 9999*x**2 + 1", "exp(log(x)*2) + 1")
    for name, column in (("FRONT.csv", "equation"), ("POOL.csv", "formula")):
        lines = [f"problem,{column}", *(f"PROBLEM,{formula}" for formula in formulas)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "law.py").write_text("# eic: x=1:2\ny = x + 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(line: str) -> str:
    """What the command prints."""
    [program] = PROGRAM.match(line).groups()
    words = [MEANT.get(word, word) for word in arguments(line)]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = {"eic": eic, "python -m study": study}[program](words)
    assert status == 0 or (words[0], status) == ("check", 1), line
    return printed.getvalue()


def arguments(line: str) -> list[str]:
    return shlex.split(PROGRAM.sub("", line, count=1), comments=True)


def run_python(code: str, names: dict[str, object]) -> str:
    """What it prints; its names join those before it."""
    script = Path("page.py")
    script.write_text(code, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        names |= runpy.run_path(str(script), names)
    return printed.getvalue()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in ELSEWHERE], ids=lambda page: page.name
)
def test_the_blocks_of_a_page_run_and_print_what_they_show(page: Path, folder: Path) -> None:
    names: dict[str, object] = {}
    run_python(BEFORE.get(page.name, ""), names)
    for block in blocks(page):
        if block.language == "python" and not left_here(block.code):
            code = block.code.replace(*LESS.get(page.name, ("", "")))
            if page.name == "check.md":
                (folder / "law.py").write_text(code, encoding="utf-8")
            printed = run_python(code, names)
            if block.shown:
                assert_shown(block.shown, printed)
        for line in block.commands:
            if left_here(line):
                continue
            printed = run_command(line)
            rest = block.code.partition(f"{line}\n")[2] if line[0] == "$" else block.shown
            if rest:
                assert_shown(rest, printed)


def lines_of_commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for block in blocks(page):
            yield from ((page.name, line) for line in block.commands)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_block_is_of_a_kind_that_is_tried(page: Path) -> None:
    every = blocks(page)
    shown = {block.shown for block in every}
    for block in every:
        match block.language:
            case "python":
                compile(block.code, page.name, "exec")
            case "toml":
                assert tomllib.loads(block.code)
            case "yaml":
                assert block.code
            case "":
                others = ("make ", "pip install ", "python3 -m venv ", "ollama ", "/?formula=")
                assert block.commands or block.code in shown or block.code.startswith(others)
            case language:
                pytest.fail(f"{language}: no test runs it")


def test_what_is_left_out_is_on_a_page() -> None:
    texts = [block.code for page in PAGES for block in blocks(page)]
    assert [start for start in LEFT if not any(start in text for text in texts)] == []
    assert all((ROOT / test).is_file() for test in ELSEWHERE.values())
    assert BEFORE.keys() | ELSEWHERE.keys() | LESS.keys() <= {page.name for page in PAGES}
