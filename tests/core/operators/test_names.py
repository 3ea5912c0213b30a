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
import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from flint import fmpq

from eic_core.engine.proofs import COMBINATIONS, Combination, Unprovable
from eic_core.formula.syntax import build
from eic_core.formula.syntax.refusals import REFUSED_FUNCTIONS
from eic_core.operators import OPERATORS, Operator
from eic_core.operators.dialects import DIALECTS
from tests.sources import ROOT, nodes, trees

OWNERS = ("eic_core/operators/", "eic_core/formula/syntax/", "eic_core/rewriting/")
FRIENDS = {
    "eic_core/checking/checks.py": "words of a mark: the limit `max`",
    "eic_core/checking/printing.py": "words of a mark: the limit `max`",
    "eic_core/checking/settings.py": "words of a mark: the limit `max`",
    "eic_core/cli/check_command.py": "options of a mark: the limit `max`",
    "eic_core/drawing/inline.py": "ends of SVG's lines: round",
    "eic_core/drawing/paper.py": "a scale of Matplotlib's axes: log",
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


def named(tree: ast.Module) -> list[tuple[int, str]]:
    """Lines and names of operators that stand as strings, or as words of a string that is split."""
    docstrings = {
        id(node.body[0].value)
        for node in nodes(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    split = {
        id(node.func.value)
        for node in nodes(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
    }
    found = []
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in docstrings:
                continue
            words = node.value.split() if id(node) in split else [node.value]
            found += [(node.lineno, word) for word in words if word in OPERATORS]
    return found


@pytest.mark.parametrize("name", [n for n in modules() if n not in FRIENDS])
def test_no_operator_is_named_outside_its_row(name: str) -> None:
    assert named(trees()[name]) == []


def test_every_module_that_is_let_off_needs_to_be() -> None:
    for name in FRIENDS:
        assert named(trees()[name])


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
    assert [word for _, word in sorted(named(ast.parse(source)))] == [
        "add",
        "exp",
        "sec",
        "tan",
        "ceil",
        "floor",
    ]


def test_rows_are_reached_by_the_table_alone() -> None:
    for module, tree in trees().items():
        if module.startswith("eic_core/operators/"):
            continue
        for node in nodes(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                package, _, last = node.module.rpartition(".")
                assert not (package == "eic_core.operators" and last in FAMILIES), module
                if node.module == "eic_core.operators":
                    assert not {alias.name for alias in node.names} & FAMILIES, module


# --- each operator is in every place, or has a reason not to be ---

_CHOSEN = (
    "less_than less_equal greater_than greater_equal equal_to not_equal logical_and logical_or "
    "logical_not conditional"
)
_PROTECTED = "gp_div gp_log gp_inv deap_div"
_STEPS = f"floor ceil round mod fmod remainder {_PROTECTED}"
_NO_SERIES = {"it jumps or chooses: no series runs across that": f"{_STEPS} {_CHOSEN}"}
_HELD = "tests/core/measure and test_special.py hold it to the truth"
MISSING_FROM: dict[str, dict[str, str]] = {
    "eic_core/operators/forms.py": {
        "it jumps or has no value somewhere: nothing follows from its form": "root log1p tan cot"
        " sec csc asin acos atan2 acosh atanh gamma lgamma betaln "
        "sign "
        f"{_STEPS} {_CHOSEN}",
        "it is written by repairs alone, at their end": "fma",
    },
    "eic_core/engine/proofs.py": {
        "at a simple fraction its value is a root or none": "cot csc",
        "a logarithm of a sum of exponentials of fractions is no fraction": "logaddexp",
    },
    "eic_core/rewriting/series/taylor_models.py": _NO_SERIES,
    "eic_core/rewriting/costs.py": {},
    "docs/notations.md": {
        "a sign, or a function that has this name everywhere": "add sub neg tan cot sec csc asin "
        "acos atan atan2 cosh tanh asinh acosh erf min max floor ceil round less_than less_equal "
        "greater_than greater_equal equal_to not_equal logical_and logical_or logical_not"
    },
    "tests/audit/plain.py": {_HELD: _PROTECTED},
    "tests/audit/draws.py": {
        "conditions are drawn by tests/audit/examples.py": _CHOSEN,
        _HELD: _PROTECTED,
    },
    "tests/core/formula/test_target_meanings.py": {},
    "tests/oracle.py": {},
    **{f"eic_core/operators/dialects.py, {language}": {} for language in DIALECTS},
}
"""A place, and the operators that it need not have, by the reason."""

for _language, _names in {
    "matlab": "fma", "mathematica": "fma", "fpcore": "round", "sympy": "fma round remainder",
    "excel": "fma round remainder",
}.items():  # fmt: skip
    MISSING_FROM[f"eic_core/operators/dialects.py, {_language}"] = {"test_copying.REFUSED": _names}


def provable(row: Operator) -> bool:
    """Whether the row has a proven value at some simple fractions."""
    numbers = [Combination.of(fmpq(*parts)) for parts in ((0, 1), (1, 2), (1, 1), (2, 1))]
    for a in product(numbers, repeat=row.arity or 2):
        with suppress(Unprovable, TypeError, AttributeError, ZeroDivisionError, ValueError):
            row.exact(COMBINATIONS, a, Fraction(2) if row.needs_parameter else None)
            return True
    return False


def operators_in(place: str) -> set[str]:
    path, _, language = place.partition(", ")
    if language:
        defined = {name for name, row in OPERATORS.items() if row.writing.definition}
        return defined | {key.partition(":")[0] for key in DIALECTS[language].spellings}
    if path == "eic_core/engine/proofs.py":
        return {name for name, row in OPERATORS.items() if provable(row)}
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return {name for name in OPERATORS if re.search(rf"\b{name}\b", text)}
    return {name for _, name in named(ast.parse(text))}


@pytest.mark.parametrize("place", MISSING_FROM)
def test_each_operator_is_in_every_place_or_has_a_reason_not_to_be(place: str) -> None:
    reasons = {name: why for why, names in MISSING_FROM[place].items() for name in names.split()}
    missing = OPERATORS.keys() - operators_in(place)
    lacks = [f"{place} lacks `{name}`: add it, or a reason" for name in missing - reasons.keys()]
    has = [f"{place} has `{name}`: strike off {reasons[name]}" for name in reasons.keys() - missing]
    assert not [*lacks, *has], "\n".join(sorted([*lacks, *has]))


def test_no_function_of_the_name_of_an_operator_is_expanded_or_refused() -> None:
    names = {name for row in OPERATORS.values() for name in row.names}
    places = {"build.py": build._expansions(), "refusals.py": REFUSED_FUNCTIONS}
    for place, table in places.items():
        assert not table.keys() & names, f"strike it off eic_core/formula/syntax/{place}"
