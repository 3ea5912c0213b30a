"""How large the code is, in figures that moving text or joining lines does not change.

`make size` prints a row a folder; `make lint` prints what changed since the last release, whose
figures are in `tools/size.json`.  Nothing fails: what grows says why in its commit.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).resolve().parents[1]
RELEASE = Path(__file__).with_name("size.json")

PRODUCT = ("app.py", "eic_core", "study", "db", "pages")
FOLDERS = (*PRODUCT, "benchmarks", "tools", "tests")
LOGIC_OR_WORDS = {".py", ".json", ".toml", ".j2", ".js", ".css", ".csv", ".c", ".h", ".mako"}

LONG_FUNCTION = 60
MANY_BRANCHES = 12
LONG_FILE = 800

COLUMNS = ("statements", "docstrings", "comments", "tokens", "functions", "files")
"""Statements, lines of docstrings, lines with a comment, tokens, long functions and long files."""

_WORD = re.compile(r"\w+|[^\w\s]")
_STRINGS = {
    tokenize.STRING,
    *(getattr(tokenize, name) for name in ("FSTRING_MIDDLE",) if hasattr(tokenize, name)),
}
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
_BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
    ast.comprehension,
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def python_figures(text: str) -> Counter[str]:
    """The figures of one module."""
    tree = ast.parse(text)
    docstrings = [node for node in ast.walk(tree) if is_docstring(node)]
    starts = {(node.lineno, node.col_offset) for node in docstrings}
    figures = Counter(
        statements=sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - len(docstrings),
        docstrings=sum(last_line(node) - node.lineno + 1 for node in docstrings),
        functions=sum(is_long(node) for node in ast.walk(tree)),
        files=len(text.splitlines()) > LONG_FILE,
    )
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            figures["comments"] += 1
        elif token.type in _STRINGS and token.start not in starts:
            figures["tokens"] += len(_WORD.findall(token.string))
        elif token.type not in _LAYOUT and token.start not in starts:
            figures["tokens"] += 1
    return figures


def last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def is_docstring(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Whether a statement is a bare string: of a module, class or function, or below a name."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_long(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Whether a function has too many lines, its docstring apart, or too many branches."""
    if not isinstance(node, _FUNCTIONS):
        return False
    body = node.body[1:] if is_docstring(node.body[0]) else node.body
    lines = last_line(node) - body[0].lineno + 1 if body else 0
    branches = sum(isinstance(inner, _BRANCHES) for inner in ast.walk(node))
    return lines > LONG_FUNCTION or branches > MANY_BRANCHES


def figures_of(path: Path) -> Counter[str]:
    """The figures of one file; of all but Python, its tokens."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return python_figures(text)
    return Counter(tokens=len(_WORD.findall(text)))


def tracked(root: Path) -> Iterator[Path]:
    """Files of the repository that hold logic or words, without those of earlier versions."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", *FOLDERS],
        cwd=root, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for name in sorted(set(filter(None, listed.split("\0")))):
        path = root / name
        if path.suffix in LOGIC_OR_WORDS and path.is_file() and "golden" not in path.parts:
            yield path


def measured(root: Path = ROOT) -> dict[str, dict[str, int]]:
    """The figures of every folder, and of the product: all but tests, tools and benchmarks."""
    folders = {folder: Counter[str]() for folder in FOLDERS}
    for path in tracked(root):
        folders[path.relative_to(root).parts[0]].update(figures_of(path))
    product = sum((folders[folder] for folder in PRODUCT), Counter[str]())
    return {
        folder: {column: figures[column] for column in COLUMNS}
        for folder, figures in {"product": product, **folders}.items()
    }


def table(now: dict[str, dict[str, int]], then: dict[str, dict[str, int]]) -> str:
    """A row a folder, each figure with its change where it changed."""
    rows = [["", *COLUMNS]]
    for folder, figures in now.items():
        before = then.get(folder, {})
        changes = {column: figures[column] - before.get(column, 0) for column in COLUMNS}
        rows.append([folder, *(cell(figures[c], changes[c] if then else 0) for c in COLUMNS)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            part.ljust(w) if at == 0 else part.rjust(w)
            for at, (part, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def cell(figure: int, change: int) -> str:
    """A figure and its change: `49,810 (-1,204)`."""
    return f"{figure:,} ({change:+,})" if change else f"{figure:,}"


def places(root: Path = ROOT) -> Iterator[str]:
    """Functions and files above the limits, one a line."""
    for path in tracked(root):
        if path.suffix != ".py":
            continue
        text, name = path.read_text(encoding="utf-8"), path.relative_to(root)
        if (lines := len(text.splitlines())) > LONG_FILE:
            yield f"{name}: {lines} lines"
        yield from (
            f"{name}:{node.lineno}: {node.name}"
            for node in ast.walk(ast.parse(text))
            if is_long(node)
        )


def main(arguments: list[str]) -> None:
    """Print the table; `--long` lists what is long, `--release` keeps the figures."""
    if arguments == ["--long"]:
        print("\n".join(places()))
        return
    now = measured()
    then = json.loads(RELEASE.read_text(encoding="utf-8")) if RELEASE.exists() else {}
    print(table(now, then))
    if arguments == ["--release"]:
        RELEASE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
