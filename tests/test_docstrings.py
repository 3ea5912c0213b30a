"""What a reader is told: a sentence a module, all arguments of functions, all parts of classes."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
HOUSES = ("eic_core", "study", "db", "pages")

MANY_ARGUMENTS = 3

EXEMPT = {
    "eic_core.engine.native.generate.CBackend.where": "the arguments of numpy.where, written as C",
}
"""Public functions that need not describe their arguments, each with the reason."""

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


class Function(NamedTuple):
    """A public function: its dotted name, its arguments without self, and its docstring."""

    name: str
    arguments: tuple[str, ...]
    docstring: str


@cache
def sources(house: str) -> dict[str, ast.Module]:
    """Syntax trees of a house's modules, by dotted name."""
    found = {}
    for path in sorted((ROOT / house).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def public_functions(trees: dict[str, ast.Module]) -> Iterator[Function]:
    """Functions, and methods of classes, that are called by no underscore.

    A method without a docstring has that of the method it overrides, as `inspect.getdoc` says.
    """
    classes = {
        node.name: node
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield Function(f"{module}.{node.name}", arguments(node), docstring(node))
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                for method in methods(node):
                    if not method.name.startswith("_"):
                        name = f"{module}.{node.name}.{method.name}"
                        told = docstring(method) or inherited(node, method.name, classes)
                        yield Function(name, arguments(method)[is_bound(method) :], told)


def methods(owner: ast.ClassDef) -> list[ast.FunctionDef]:
    return [node for node in owner.body if isinstance(node, ast.FunctionDef)]


def is_bound(method: ast.FunctionDef) -> bool:
    """Whether the first argument is self or cls."""
    return all(ast.unparse(mark) != "staticmethod" for mark in method.decorator_list)


def arguments(function: ast.FunctionDef) -> tuple[str, ...]:
    """Names of all arguments, starred ones included."""
    given = function.args
    rest = [arg for arg in (given.vararg, given.kwarg) if arg is not None]
    return tuple(arg.arg for arg in [*given.posonlyargs, *given.args, *given.kwonlyargs, *rest])


def docstring(node: ast.FunctionDef | ast.Module) -> str:
    return ast.get_docstring(node) or ""


def inherited(owner: ast.ClassDef, method: str, classes: dict[str, ast.ClassDef]) -> str:
    """The docstring of the nearest method of that name in a base class; "" if there is none."""
    for base in owner.bases:
        above = classes.get(ast.unparse(base).rpartition(".")[2])
        if above is not None:
            for found in methods(above):
                if found.name == method and docstring(found):
                    return docstring(found)
            if told := inherited(above, method, classes):
                return told
    return ""


def documented(text: str, *sections: str) -> set[str]:
    """The names that these sections of a docstring describe, which begin its unindented lines."""
    found: set[str] = set()
    heads = list(_SECTION.finditer(text))
    for head, following in itertools.zip_longest(heads, heads[1:]):
        end = len(text) if following is None else following.start()
        if head[1] in sections:
            lines = [line for line in text[head.end() : end].splitlines() if line[:1].strip()]
            named = ",".join(line.partition(" : ")[0] for line in lines)
            found |= {name.strip().lstrip("*") for name in named.split(",")}
    return found


def undocumented(functions: Iterator[Function]) -> list[str]:
    """Functions of many arguments that leave some out, with what they leave out."""
    found = []
    for function in functions:
        told = documented(function.docstring, "Parameters")
        missing = [name for name in function.arguments if name not in told]
        if missing and len(function.arguments) >= MANY_ARGUMENTS and function.name not in EXEMPT:
            found.append(f"{function.name}: {', '.join(missing)}")
    return found


def undocumented_classes(trees: dict[str, ast.Module]) -> list[str]:
    """Public classes of many fields or constructor arguments that leave some of them out."""
    found = []
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                parts = constructor_arguments(node)
                told = documented(docstring(node), "Parameters", "Attributes")
                missing = [name for name in parts if name not in told]
                if missing and len(parts) >= MANY_ARGUMENTS:
                    found.append(f"{module}.{node.name}: {', '.join(missing)}")
    return found


def constructor_arguments(owner: ast.ClassDef) -> tuple[str, ...]:
    """What a class is made of: arguments of its constructor, or else its public fields."""
    for method in methods(owner):
        if method.name == "__init__":
            return arguments(method)[1:]
    fields = [
        node.target.id
        for node in owner.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    return tuple(name for name in fields if not name.startswith("_"))


def test_public_functions_of_many_arguments_describe_every_one() -> None:
    assert undocumented(public_functions(sources("eic_core"))) == []


def test_public_classes_of_many_parts_describe_every_one() -> None:
    assert undocumented_classes(sources("eic_core")) == []


def test_a_part_of_a_class_that_is_left_out_is_found() -> None:
    text = '''
class Point:
    """A point.

    Attributes
    ----------
    x, y : float
    """

    x: float
    y: float
    z: float
    _cached: float

class Line:
    """A line.

    Parameters
    ----------
    start : Point
    """

    def __init__(self, start, end, width): ...
'''
    found = undocumented_classes({"here": ast.parse(text)})
    assert found == ["here.Point: z", "here.Line: end, width"]


def test_an_argument_that_is_left_out_is_found() -> None:
    text = '''
class Base:
    def scale(self, x, by, out=None):
        """Scale.

        Parameters
        ----------
        x, by : float
        out : list, optional
            Where to.

        Returns
        -------
        by : float
        """

class Child(Base):
    def scale(self, x, by, out=None):
        return x

def near(x, y, *, within, **rest):
    """Whether two numbers are near.

    Parameters
    ----------
    x : float
        That y is compared with.
    within : float

    Returns
    -------
    y : bool
    """

def _hidden(a, b, c): ...
def pair(a, b): ...
'''
    found = undocumented(public_functions({"here": ast.parse(text)}))
    assert found == ["here.near: y, rest"]


def test_every_exemption_names_a_function_of_many_arguments() -> None:
    many = {
        f.name for f in public_functions(sources("eic_core")) if len(f.arguments) >= MANY_ARGUMENTS
    }
    assert EXEMPT.keys() <= many and all(EXEMPT.values())


@pytest.mark.parametrize("house", HOUSES)
def test_every_module_says_first_what_it_does(house: str) -> None:
    """One sentence of at least four words, closed by a full stop or, as a question, its mark."""
    for name, tree in sources(house).items():
        first = " ".join(docstring(tree).partition("\n\n")[0].split())
        assert first[-1:] in (".", "?") and len(first.split()) >= 4, (name, first)
