"""Which faults do the tests see?  Small faults are put into the product, one at a time.

`choose` draws places over all rooms, by a seed; `mark` writes into a checkout which tests come by
each of them (run the tests there afterwards), and `try` runs for each fault the tests that came by,
the quickest first, until one fails.  Work in a clone: `mark` and `try` write into the product.

    python -m tools.mutants choose --count 60 --seed 1 --out FOLDER
    python -m tools.mutants mark --out FOLDER        # then: make test
    python -m tools.mutants try --out FOLDER         # prints a row a fault; goes on where it ended
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.size import PRODUCT, ROOT, room_of, tracked

MARKER = "came_by.py"
AT_ONCE = 60
"""Tests that one process of pytest is given."""

SECONDS = 240
"""A fault with which tests go on for longer is seen: something never ends."""

_OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}


@dataclass(frozen=True)
class Fault:
    """A piece of a file, and what is written in its stead."""

    number: int
    path: str
    function_line: int
    line: int
    start: int
    end: int
    before: str
    after: str
    around: str
    """The lines that hold the piece: with them it is found in a later version of the file."""


def other(node: ast.AST) -> ast.AST | None:
    """A node with one small fault: a sign, a bound, an order, a swapped side, a missing check."""
    match node:
        case ast.BinOp(left, ast.Sub(), right) if isinstance(left, ast.Name):
            return ast.BinOp(right, ast.Sub(), left)
        case ast.BinOp(left, op, right) if type(op) in _OTHER:
            return ast.BinOp(left, _OTHER[type(op)](), right)  # type: ignore[arg-type]
        case ast.BoolOp(op, values):
            return ast.BoolOp(_OTHER[type(op)](), values)  # type: ignore[arg-type]
        case ast.Compare(left, [op], [right]) if type(op) in _OTHER:
            return ast.Compare(left, [_OTHER[type(op)]()], [right])  # type: ignore[list-item]
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            return operand
        case ast.Call(ast.Name(name), [_], []) if name in _CALLS:
            return ast.Call(ast.Name(_CALLS[name]), node.args, [])
        case ast.Call(_, [ast.Name() as one, ast.Name() as two, *rest]) if one.id != two.id:
            return ast.Call(node.func, [two, one, *rest], node.keywords)
    return None


def faults_in(path: Path) -> Iterator[Fault]:
    """What could go wrong in the functions of a module."""
    text = path.read_text(encoding="utf-8")
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        body = function.body[1:] if ast.get_docstring(function) else function.body
        checks = [
            inner.test
            for inner in ast.walk(function)
            if isinstance(inner, ast.If) and isinstance(inner.body[0], ast.Raise | ast.Return)
        ]
        inside = [each for statement in body for each in ast.walk(statement)]
        nested = {
            id(each)
            for outer in inside
            if isinstance(outer, ast.FunctionDef | ast.JoinedStr | ast.arguments | ast.AnnAssign)
            for each in ast.walk(outer)
        }
        for node in inside:
            changed = ast.Constant(False) if node in checks else other(node)
            if changed is None or id(node) in nested or not body:
                continue
            assert isinstance(node, ast.expr) and node.end_lineno and node.end_col_offset
            start = lines[node.lineno - 1] + node.col_offset
            end = lines[node.end_lineno - 1] + node.end_col_offset
            before = text.encode()[start:end].decode()
            around = text.encode()[lines[node.lineno - 1] : lines[node.end_lineno]].decode()
            after = f"({ast.unparse(changed)})"
            name = path.relative_to(ROOT).as_posix()
            yield Fault(0, name, body[0].lineno, node.lineno, start, end, before, after, around)


def choose(count: int, seed: int) -> list[Fault]:
    """One fault in each room, then more in the large ones."""
    rooms: dict[str, list[Fault]] = defaultdict(list)
    for path in tracked(ROOT):
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PRODUCT:
            rooms[room_of(path.relative_to(ROOT))].extend(faults_in(path))
    draw = random.Random(seed)
    chosen = [draw.choice(faults) for _, faults in sorted(rooms.items()) if faults]
    rest = [fault for _, faults in sorted(rooms.items()) for fault in faults]
    chosen = draw.sample(chosen, min(count, len(chosen)))
    chosen += draw.sample(rest, max(0, count - len(chosen)))
    return [
        Fault(**{**asdict(fault), "number": at})
        for at, fault in enumerate(sorted(chosen, key=lambda fault: (fault.path, fault.start)))
    ]


def mark(faults: list[Fault], folder: Path) -> None:
    """Write into the product which tests come by the functions with these faults."""
    (ROOT / MARKER).write_text(
        "import os\n"
        "seen = set()\n"
        "def by(number):\n"
        "    key = number, os.environ.get('PYTEST_CURRENT_TEST', '').rpartition(' ')[0]\n"
        "    if key not in seen:\n"
        "        seen.add(key)\n"
        f"        with open(f'{folder}/came-by-{{os.getpid()}}', 'a') as file:\n"
        "            print(*key, sep='\\t', file=file)\n"
    )
    for path in {fault.path for fault in faults}:
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines(keepends=True)
        there = sorted((f.function_line, f.number) for f in faults if f.path == path)
        for line, number in reversed(there):
            indent = re.match(r" *", lines[line - 1])
            assert indent
            lines.insert(line - 1, f"{indent[0]}__import__('came_by').by({number})\n")
        (ROOT / path).write_text("".join(lines), encoding="utf-8")


def came_by(folder: Path) -> dict[int, set[str]]:
    """The tests that came by each fault."""
    tests: dict[int, set[str]] = defaultdict(set)
    for file in folder.glob("came-by-*"):
        for line in file.read_text(encoding="utf-8").splitlines():
            number, _, test = line.partition("\t")
            tests[int(number)].add(test)
    return tests


def in_turn(tests: set[str]) -> list[list[str]]:
    """Tests in the order in which they are run: without a browser first, a file at a time."""
    files = defaultdict(list)
    for test in sorted(filter(None, tests)):
        files[test.partition("::")[0]].append(test)
    costly = ("tests/e2e", "tests/audit", "tests/pages")
    order = sorted(files, key=lambda file: (file.startswith(costly), len(files[file]), file))
    batches: list[list[str]] = [[]] if order else []
    for file in order:
        if len(batches[-1]) + len(files[file]) > AT_ONCE and batches[-1]:
            batches.append([])
        batches[-1] += files[file]
    return batches


def first_failure(tests: set[str]) -> str:
    """The test that sees the fault that is in the product now, or nothing."""
    for batch in in_turn(tests):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "--no-header",
            "-p",
            "no:cacheprovider",
        ]
        with subprocess.Popen(
            [*command, "--tb=no", *batch], cwd=ROOT, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, "CI": "true"},
        ) as process:  # fmt: skip
            try:
                printed, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return f"no end after {SECONDS} s: {batch[0]}"
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", printed, re.M)
        if failed or process.returncode not in (0, 5):
            return failed[1] if failed else printed.strip().splitlines()[-1]
    return ""


def with_fault(text: str, fault: Fault) -> str:
    """A module with the fault in it; raises `LookupError` where its lines are no longer there."""
    raw = text.encode()
    if raw[fault.start : fault.end] == fault.before.encode():
        return (raw[: fault.start] + fault.after.encode() + raw[fault.end :]).decode()
    if text.count(fault.around) != 1:
        raise LookupError(f"{fault.path}: {fault.around.strip()} is not there, or twice")
    return text.replace(fault.around, fault.around.replace(fault.before, fault.after, 1))


def try_all(faults: list[Fault], folder: Path) -> None:
    """A row a fault: the place, what was written, and the first test that saw it."""
    tests = came_by(folder)
    results = folder / "results.tsv"
    rows = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    done = {int(row.partition("\t")[0]) for row in rows}
    for fault in faults:
        if fault.number in done:
            continue
        path = ROOT / fault.path
        text = path.read_bytes()
        path.write_text(with_fault(path.read_text(encoding="utf-8"), fault), encoding="utf-8")
        try:
            test = first_failure(tests[fault.number])
        finally:
            path.write_bytes(text)
        row = (fault.number, f"{fault.path}:{fault.line}", fault.before, fault.after)
        line = "\t".join(" ".join(str(part).split()) for part in (*row, test or "NOT SEEN"))
        print(line, flush=True)
        with results.open("a", encoding="utf-8") as file:
            print(line, file=file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("choose", "mark", "try"))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="a folder outside the checkout")
    options = parser.parse_args()
    folder: Path = options.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / "faults.json"
    if options.step == "choose":
        chosen = choose(options.count, options.seed)
        stored.write_text(json.dumps([asdict(fault) for fault in chosen], indent=1))
        return
    faults = [Fault(**row) for row in json.loads(stored.read_text(encoding="utf-8"))]
    (mark if options.step == "mark" else try_all)(faults, folder)


if __name__ == "__main__":
    main()
