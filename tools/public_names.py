"""The public names, whose docstrings have blocks: who calls them does not read their modules.

`python -m tools.public_names` prints them: what `eic_core.__all__` and `docs/python.md` name, and
the services that the composition root of the pages builds, each with its public methods.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

import eic_core

ROOT = Path(__file__).resolve().parents[1]
OVERVIEW = ROOT / "docs" / "python.md"
WIRING = ROOT / "pages" / "ui" / "kit" / "wiring.py"
HOUSES = ("eic_core", "study", "db", "pages")

_CODE = re.compile(r"`([^`]+)`")
_DOTTED = re.compile(r"\beic_core(?:\.\w+)+")
_CLASS = re.compile(r"\b[A-Z]\w+")
_FUNCTION = re.compile(r"([a-z]\w+)(?:\(.*)?")


@cache
def public_objects() -> dict[str, object]:
    """Public functions, classes, methods and properties, by the dotted name of their definition."""
    objects: dict[str, object] = {}
    for thing in (*exported(), *in_the_overview(), *services()):
        objects[name_of(thing)] = thing
        if inspect.isclass(thing):
            objects |= dict(_members(thing))
    return dict(sorted(objects.items()))


def public_names() -> list[str]:
    """The names of `public_objects`, sorted."""
    return list(public_objects())


def exported() -> Iterator[object]:
    """What `from eic_core import *` gives, without the version."""
    for name in eic_core.__all__:
        if not name.startswith("_"):
            yield getattr(eic_core, name)


def in_the_overview() -> Iterator[object]:
    """What `docs/python.md` names."""
    return named_in(OVERVIEW.read_text(encoding="utf-8"))


def named_in(text: str) -> Iterator[object]:
    """Classes and functions that a page names: dotted, or short after a dotted one in its row."""
    for line in text.splitlines():
        code = _CODE.findall(line)
        things = [_object_of(name) for text in code for name in _DOTTED.findall(text)]
        short = [match[1] for text in code if (match := _FUNCTION.fullmatch(text))]
        for home in {inspect.getmodule(thing) for thing in things}:
            things += (getattr(home, name, None) for name in short)
        classes = [name for text in code for name in _CLASS.findall(text)]
        homes = {name: _modules()[name] for name in classes if name in _modules()}
        things += (getattr(importlib.import_module(home), name) for name, home in homes.items())
        yield from (t for t in things if inspect.isclass(t) or inspect.isfunction(t))


def services() -> Iterator[type]:
    """Classes of `study`, and services of the pages, that wiring builds; and services of those."""
    imported = _imports(WIRING)
    for name in _called(ast.parse(WIRING.read_text(encoding="utf-8"))):
        home = imported.get(name, "")
        if home.startswith("study.") or home.endswith("_service"):
            service = getattr(importlib.import_module(home), name)
            if inspect.isclass(service) and not issubclass(service, Exception):
                yield service
                yield from _parts(service)


def _parts(service: type) -> Iterator[type]:
    """What the constructor of a service keeps under a public name: `organising.monitor`."""
    home = inspect.getmodule(service)
    for node in ast.walk(ast.parse(inspect.getsource(service))):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)]) if not name.startswith("_"):
                parts = (getattr(home, called, None) for called in _called(node.value))
                yield from (part for part in parts if inspect.isclass(part))


def _called(tree: ast.AST) -> list[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [function.id for function in calls if isinstance(function, ast.Name)]


def _imports(path: Path) -> dict[str, str]:
    """The module of each name that a file imports from one."""
    return {
        alias.name: node.module or ""
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _object_of(dotted: str) -> object:
    """The object of a dotted name: a function before the module of the same name."""
    thing = pkgutil.resolve_name(dotted)
    package, _, name = dotted.rpartition(".")
    return getattr(pkgutil.resolve_name(package), name) if inspect.ismodule(thing) else thing


@cache
def _modules() -> dict[str, str]:
    """The module of each public class of `eic_core`; no name is there twice."""
    homes = {}
    for path in sorted((ROOT / "eic_core").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name] = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return homes


def name_of(thing: object) -> str:
    """The dotted name of its definition."""
    return f"{thing.__module__}.{thing.__qualname__}"  # type: ignore[attr-defined]


def _members(owner: type) -> Iterator[tuple[str, object]]:
    """Public methods and properties of a class and of its bases, where they are defined."""
    for base in owner.__mro__:
        if base.__module__.partition(".")[0] in HOUSES:
            for name, member in vars(base).items():
                if isinstance(member, classmethod | staticmethod):
                    member = member.__func__
                if not name.startswith("_") and (
                    inspect.isfunction(member) or isinstance(member, property | cached_property)
                ):
                    yield f"{name_of(base)}.{name}", member


if __name__ == "__main__":
    print(*public_names(), sep="\n")
