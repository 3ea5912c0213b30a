"""No module but the rows knows an operator by name.

What a module has to know of an operator is a column of its row.  So nowhere in `eic_core`, and in
no page that handles trees, does a string stand that is an operator's name, alone or as a word of a
string that is split.  Left out are

* the rows, and what is about writing and rewriting by its nature: the tables of notations
  (`eic_core.formula.syntax`: signs, and functions that expand to several operators) and the rules
  of algebra (`eic_core.rewriting`);
* docstrings, whose examples show formulas;
* `FRIENDS`: words that happen to be spelled like an operator.

Pages that handle no trees may say "log" and "power" of an axis as they like.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from eic_core.operators import OPERATORS

ROOT = Path(__file__).resolve().parents[3]
OWNERS = ("eic_core/operators/", "eic_core/formula/syntax/", "eic_core/rewriting/")
FRIENDS = {
    "eic_core/checking/checks.py": "words of a mark: the limit `max`",
    "eic_core/checking/printing.py": "words of a mark: the limit `max`",
    "eic_core/checking/settings.py": "words of a mark: the limit `max`",
    "eic_core/cli/check_command.py": "options of a mark: the limit `max`",
    "eic_core/engine/native/generate.py": "functions of the C library that a backend offers",
    "eic_core/corpora/searched.py": "settings of other searches, in their words",
    "eic_core/corpora/recipes.py": "facts: the operators that published generators draw",
    "eic_core/notebook.py": "a scale of Matplotlib's axes: log",
    "eic_core/pool/importers/formats.py": "a table of notation: the words of PhySO's prefix column",
    "eic_core/search/vocabulary.py": "a table of notation: the names that users of a search give",
}
TREES = ("eic_core.formula.tree", "eic_core.operators", "eic_core.formula.rendering")
FAMILIES = {path.stem for path in (ROOT / "eic_core/operators").glob("*.py")} - {
    "__init__",
    "backend",
    "balls",
    "dialects",
    "forms",
    "row",
    "table",
    "wide",
    "words",
    "writing",
}


def modules() -> Iterator[str]:
    for folder in ("eic_core", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(OWNERS) and (folder == "eic_core" or handles_trees(path)):
                yield name


def handles_trees(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(f"from {module} import" in text for module in TREES)


def named(source: str) -> list[tuple[int, str]]:
    """Lines and names of operators that stand as strings, or as words of a string that is split."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    split = {
        id(node.func.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in docstrings:
                continue
            words = node.value.split() if id(node) in split else [node.value]
            found += [(node.lineno, word) for word in words if word in OPERATORS]
    return found


@pytest.mark.parametrize("name", [n for n in modules() if n not in FRIENDS])
def test_no_operator_is_named_outside_its_row(name: str) -> None:
    assert named((ROOT / name).read_text(encoding="utf-8")) == []


def test_every_module_that_is_let_off_needs_to_be() -> None:
    for name in FRIENDS:
        assert named((ROOT / name).read_text(encoding="utf-8"))


def test_the_search_finds_comparisons_keys_sets_and_words() -> None:
    source = '"""sin"""\n' + "\n".join(
        (
            "a = node.operator == 'add'",
            "b = {'exp': 1}",
            "c = frozenset(('tan', 'sec'))",
            "d = 'floor ceil other'.split()",
            "e = f'{x} log', 'log axis'",
        )
    )
    assert [word for _, word in sorted(named(source))] == [
        "add",
        "exp",
        "sec",
        "tan",
        "ceil",
        "floor",
    ]


def test_rows_are_reached_by_the_table_alone() -> None:
    for folder in ("eic_core", "pages", "study", "db"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.parent == ROOT / "eic_core/operators":
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    package, _, last = node.module.rpartition(".")
                    assert not (package == "eic_core.operators" and last in FAMILIES), path
                    if node.module == "eic_core.operators":
                        assert not {alias.name for alias in node.names} & FAMILIES, path
