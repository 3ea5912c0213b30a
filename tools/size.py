"""How large the code is, in figures that moving text or joining lines does not change.

`make size` prints a row a folder, with `ASK=--rooms` a row a room.  The rooms' rows are kept in
`tools/size.json`: a commit that makes a room wider writes its row anew (`--keep`) and says why in
its message, or `make lint` fails.
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
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeGuard

import grimp

ROOT = Path(__file__).resolve().parents[1]
KEPT_ROWS = Path(__file__).with_name("size.json")

HOUSES = ("eic_core", "study", "db", "pages")
PRODUCT = ("app.py", *HOUSES)
FOLDERS = (*PRODUCT, "benchmarks", "tools", "tests", "docs")
LOGIC_OR_WORDS = {
    ".py", ".json", ".toml", ".j2", ".js", ".css", ".csv", ".c", ".h", ".mako", ".md",
}  # fmt: skip

LONG_FUNCTION = 60
MANY_BRANCHES = 12
LONG_FILE = 800

COLUMNS = (
    "statements", "docstrings", "comments", "tokens", "modules", "riddles", "functions", "files",
)  # fmt: skip
"""Statements, lines of docstrings, lines with a comment, tokens (words, in Markdown), modules,
names that are riddles, long functions and long files."""

WIDTH = ("statements", "docstrings", "tokens", "riddles")
"""What a room has more of when it is wider."""

RIDDLES = frozenset(
    ["found", "known", "said", "shown", "kept", "told", "here", "given", "wanted"]
    + ["taken", "made", "met", "seen", "named", "asked", "tried"]
)
"""Participles and adverbs that do not say what a value is or a function does."""

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
    nodes = [*ast.walk(tree)]
    docstrings = [node for node in nodes if is_docstring(node)]
    starts = {(node.lineno, node.col_offset) for node in docstrings}
    figures = Counter(
        modules=1,
        imports=sum(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes),
        riddles=sum(name.strip("_").lower() in RIDDLES for name in names_given(nodes)),
        statements=sum(isinstance(node, ast.stmt) for node in nodes) - len(docstrings),
        docstrings=sum(last_line(node) - node.lineno + 1 for node in docstrings),
        functions=sum(is_long(node) for node in nodes),
        files=int(len(text.splitlines()) > LONG_FILE),
    )
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            figures["comments"] += 1
        elif token.type in _STRINGS and token.start not in starts:
            figures["tokens"] += len(_WORD.findall(token.string))
        elif token.type not in _LAYOUT and token.start not in starts:
            figures["tokens"] += 1
    return figures


def names_given(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What classes, functions, arguments and values are called, at each place that names them."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name


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
        if (
            path.suffix in LOGIC_OR_WORDS
            and path.is_file()
            and "golden" not in path.parts
            and path != KEPT_ROWS
        ):
            yield path


def room_of(path: Path) -> str:
    """The room of a file: its folder, three deep at the most; of the tests, two."""
    depth = 2 if path.parts[0] == "tests" else 3
    return "/".join(path.parent.parts[:depth]) or path.name


def measured(root: Path = ROOT) -> dict[str, Counter[str]]:
    """The figures of every room."""
    rooms: dict[str, Counter[str]] = {}
    for path in tracked(root):
        rooms.setdefault(room_of(path.relative_to(root)), Counter()).update(figures_of(path))
    return rooms


def by_folder(rooms: Mapping[str, Mapping[str, int]]) -> dict[str, Counter[str]]:
    """The rooms' figures added up: a row a top folder, the product's first."""
    folders = {folder: Counter[str]() for folder in FOLDERS}
    for room, figures in rooms.items():
        folders[room.partition("/")[0]].update(figures)
    return {"product": sum((folders[folder] for folder in PRODUCT), Counter[str]()), **folders}


def wider(
    now: Mapping[str, Mapping[str, int]], rows: Mapping[str, Mapping[str, int]]
) -> Iterator[str]:
    """What a room has more of than its row says, a line a room."""
    for room, figures in now.items():
        row = rows.get(room, {})
        more = {column: figures[column] - row.get(column, 0) for column in WIDTH}
        grown = [f"{column} {cell(figures[column], by)}" for column, by in more.items() if by > 0]
        if grown:
            yield f"{room}: {', '.join(grown)}"


def longest_chain() -> list[str]:
    """The longest way from a module of the product through what each imports."""
    graph = grimp.build_graph(*HOUSES, cache_dir=None)

    @cache
    def chain(module: str) -> tuple[str, ...]:
        below = map(chain, sorted(graph.find_modules_directly_imported_by(module)))
        return (module, *max(below, key=len, default=()))

    return [*max(map(chain, sorted(graph.modules)), key=len)]


def table(now: Mapping[str, Mapping[str, int]], then: Mapping[str, Mapping[str, int]]) -> str:
    """A row a folder or room, each figure with its change where it changed."""
    rows = [["", *COLUMNS, "a module", "imports"]]
    for folder, figures in now.items():
        before = then.get(folder, {})
        cells = [cell(figures[c], figures[c] - before.get(c, figures[c])) for c in COLUMNS]
        modules, statements = figures["modules"], figures["statements"]
        mean = f"{statements / modules:.0f}" if modules else ""
        share = f"{figures['imports'] / statements:.0%}" if statements else ""
        rows.append([folder, *cells, mean, share])
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


def main(arguments: list[str]) -> int:
    """Print the table, and what is wider; `--rooms` and `--long` list more, `--release` and
    `--keep` write what is measured from."""
    if arguments == ["--long"]:
        print("\n".join(places()))
        return 0
    stored = json.loads(KEPT_ROWS.read_text(encoding="utf-8"))
    now = measured()
    if arguments == ["--rooms"]:
        print(table(dict(sorted(now.items())), stored["rooms"]))
        return 0
    folders = by_folder(now)
    print(table(folders, stored["release"]))
    chain = longest_chain()
    print(f"the longest chain of imports has {len(chain)} modules: {chain[0]} … {chain[-1]}")
    if arguments:
        stored["rooms"] = dict(sorted(now.items()))
        if arguments == ["--release"]:
            stored["release"] = folders
        lines = [
            f' "{part}": {{\n'
            + ",\n".join(f"  {json.dumps(room)}: {json.dumps(row)}" for room, row in rows.items())
            + "\n }"
            for part, rows in stored.items()
        ]
        KEPT_ROWS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return 0
    grown = [*wider(now, stored["rooms"])]
    if grown:
        print(
            "\n".join(["these rooms are wider than tools/size.json says:", *grown]),
            "if they have to be: make size ASK=--keep, and say why in the commit's message",
            sep="\n", file=sys.stderr,
        )  # fmt: skip
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
