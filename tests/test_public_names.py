"""What a caller is told: every module says what it does, every public name has its blocks.

pydoclint holds the blocks to the signatures (`make lint`); here is what it does not ask: that they
are there, and that the exceptions are some.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import eic_core
from tests.sources import trees
from tools.public_names import public_names, public_objects

_BLOCK = re.compile(r"^(\w+)\n-{3,}$", re.MULTILINE)


def blocks(text: str) -> set[str]:
    """The headers of a docstring."""
    return set(_BLOCK.findall(text))


def docstring_of(thing: object) -> str:
    """Its own or, for a method that overrides another, that of the other; "" if there is none."""
    return inspect.getdoc(thing) or ""


def needed(thing: object) -> set[str]:
    """The blocks that apply to a class or function."""
    if isinstance(thing, property | cached_property):
        return set()
    if inspect.isclass(thing):
        return needed_by_class(thing)
    assert inspect.isfunction(thing), thing
    return needed_by_function(thing)


def needed_by_class(kind: type) -> set[str]:
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    else:
        names = list(getattr(kind, "_fields", ()))
    if names:
        return {"Attributes"} if any(not name.startswith("_") for name in names) else set()
    own = vars(kind).get("__init__")
    return {"Parameters"} if own is not None and arguments(own) else set()


def needed_by_function(function: Callable[..., Any]) -> set[str]:
    wanted = {"Parameters"} if arguments(function) else set()
    if inspect.isgeneratorfunction(inspect.unwrap(function)):
        return wanted | {"Yields"}
    gives = inspect.signature(function).return_annotation
    return wanted if gives in (None, "None", "NoReturn", "Never") else wanted | {"Returns"}


def arguments(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def raised(text: str) -> list[str]:
    """The names of a Raises block."""
    found = re.search(r"^Raises\n-+\n(.*?)(?=^\w+\n-{3,}$|\Z)", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\S+", found[1], re.MULTILINE) if found else []


def test_a_public_name_has_its_blocks() -> None:
    missing = []
    for name, thing in public_objects().items():
        text = docstring_of(thing)
        left_out = needed(thing) - blocks(text) if text else {"a docstring"}
        missing += [f"{name}: {', '.join(sorted(left_out))}"] if left_out else []
    assert missing == []


def test_the_names_are_those_that_people_are_told_of() -> None:
    """A list that lost its sources would ask for nothing."""
    names = set(public_names())
    assert {
        "eic_core.errors.UserError",
        "eic_core.measure.inspection.inspect",
        "eic_core.measure.inspection.Inspection.bottleneck",
        "eic_core.explain.robustness.r2_in_float32",
        "eic_core.corpora.gap.compare_groups",
        "eic_core.rewriting.repair.repair",
        "pages.ui.kit.inspector_service.InspectorService.inspect",
        "study.rating.RatingService.vote",
        "study.monitoring.Monitor.export",
    } <= names
    assert len(names) > 150
    exported = {getattr(eic_core, name) for name in eic_core.__all__ if name[0] != "_"}
    assert exported <= set(public_objects().values())


def test_a_block_that_is_left_out_is_found() -> None:
    @dataclasses.dataclass
    class Point:
        x: float
        _cached: float = 0.0

    class Line:
        def __init__(self, start: Point) -> None: ...

        @property
        def length(self) -> float:
            return 0.0

    def near(x: float, *rest: float) -> bool:
        return not rest

    def each() -> Any:
        yield 1

    def told(x: float) -> None: ...

    assert needed(Point) == {"Attributes"}
    assert needed(Line) == {"Parameters"} and needed(Line.length) == set()
    assert needed(near) == {"Parameters", "Returns"}
    assert needed(each) == {"Yields"} and needed(told) == {"Parameters"}
    text = "Near.\n\nParameters\n----------\nx\n    One.\n\nRaises\n------\nValueError\n    Never."
    assert blocks(text) == {"Parameters", "Raises"} and raised(text) == ["ValueError"]


def documented(tree: ast.Module) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    """Classes and functions, and the methods of those classes."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from (part for part in node.body if isinstance(part, ast.FunctionDef))


def test_every_exception_that_a_docstring_names_exists() -> None:
    """pydoclint would ask for those of `raise` in the same body; most come from further below."""
    every = [(module, node) for module, tree in trees().items() for node in documented(tree)]
    known = {node.name for _, node in every if isinstance(node, ast.ClassDef)} | set(dir(builtins))
    unknown = [
        f"{module}, {node.name}: {name}"
        for module, node in every
        for name in raised(ast.get_docstring(node) or "")
        if name not in known
    ]
    assert unknown == []


def test_every_module_says_first_what_it_does() -> None:
    """One sentence of at least four words, closed by a full stop or, as a question, its mark."""
    for module, tree in trees().items():
        text = ast.get_docstring(tree) or ""
        first = " ".join(text.partition("\n\n")[0].split())
        assert first[-1:] in (".", "?") and len(first.split()) >= 4, (module, first)
