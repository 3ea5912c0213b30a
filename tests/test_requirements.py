"""What is installed: the wheel's dependencies, the app's requirements and the locked versions."""

from __future__ import annotations

import ast
import runpy
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.sources import ROOT, nodes, trees


def declared() -> tuple[dict[str, Requirement], dict[str, Requirement]]:
    """The wheel's dependencies and what its extras add, by canonical name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project.get("optional-dependencies", {}).values()
    return by_name(project["dependencies"]), by_name([text for extra in extras for text in extra])


def by_name(lines: list[str]) -> dict[str, Requirement]:
    found = [Requirement(line) for line in lines]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def listed(file: str) -> dict[str, Requirement]:
    """The requirements of a file, without those that it takes from another."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return by_name([line for line in lines if line and line[0] not in "#-"])


def imported() -> tuple[set[str], set[str]]:
    """Distributions that eic_core imports when its modules are loaded, and those that wait."""
    at_once: set[str] = set()
    later: set[str] = set()
    for module, tree in trees().items():
        if not module.startswith("eic_core/"):
            continue
        inside = {
            below
            for node in nodes(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            for below in ast.walk(node)
            if isinstance(below, ast.Import | ast.ImportFrom)
        }
        for node in nodes(tree):
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = {node.module}
            (later if node in inside else at_once).update(name.split(".")[0] for name in names)
    ours = {"eic_core", *sys.stdlib_module_names}
    return distributions(at_once - ours), distributions(later - ours)


known_distributions = cache(packages_distributions)


def distributions(modules: set[str]) -> set[str]:
    known = known_distributions()
    return {canonicalize_name(known.get(name, [name])[0]) for name in modules}


def test_the_wheel_declares_what_it_imports_and_nothing_more() -> None:
    dependencies, extras = declared()
    at_once, later = imported()
    assert at_once <= dependencies.keys()
    assert later <= dependencies.keys() | extras.keys()
    assert dependencies.keys() <= at_once | later


def test_the_wheel_and_the_app_ask_for_the_same_versions() -> None:
    dependencies, extras = declared()
    app = listed("requirements.txt")
    assert dependencies == {name: app.get(name) for name in dependencies}
    every = app | listed("requirements-dev.txt") | listed("requirements-test.txt")
    known = extras.keys() & every.keys()
    assert {name: extras[name] for name in known} == {name: every[name] for name in known}


def test_the_wheel_is_tested_with_what_it_is_built_with() -> None:
    system = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    tested = listed("requirements.txt") | listed("requirements-test.txt")
    # the engine is generated from rows that name functions of NumPy
    needed = "setuptools", "numpy"
    assert by_name(system["requires"]) == {name: tested[name] for name in needed}


def test_the_lock_holds_one_version_of_each_requirement_and_it_is_in_range() -> None:
    locked = listed("requirements.lock")
    for name, requirement in locked.items():
        assert [pin.operator for pin in requirement.specifier] == ["=="], name
    for name, requirement in listed("requirements.txt").items():
        assert name in locked, f"{name} is not in requirements.lock; run: make lock"
        [pin] = locked[name].specifier
        assert requirement.specifier.contains(pin.version), f"{name}; run: make lock"


@pytest.mark.parametrize(
    ("told", "arguments"),
    [
        ({}, []),
        (
            {"index-url": "https://our/simple", "timeout": "9"},
            ["--default-index", "https://our/simple"],
        ),
        ({"find-links": "/a /b"}, ["--find-links", "/a", "--find-links", "/b"]),
        (
            {"extra-index-url": "https://our/simple"},
            ["--index", "https://our/simple", "--index-strategy", "unsafe-best-match"],
        ),
    ],
)
def test_uv_takes_packages_from_where_pip_was_told_to(
    told: dict[str, str], arguments: list[str]
) -> None:
    for_uv = runpy.run_path(str(ROOT / ".ci" / "install.py"))["for_uv"]
    assert for_uv(told) == (arguments, {})
    assert for_uv(told | {"cert": "/c.pem"}) == (arguments, {"SSL_CERT_FILE": "/c.pem"})
    assert for_uv(told | {"no-index": "1"}) is None  # there is more to it: left to pip


def test_what_pip_is_told_by_the_environment_goes_before_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://file/simple\n"
        "[install]\nfind-links = /install\n[list]\nformat = json\n",
        encoding="utf-8",
    )
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_INDEX_URL", "https://environment/simple")
    told = runpy.run_path(str(ROOT / ".ci" / "install.py"))["settings"]()
    assert told["index-url"] == "https://environment/simple" and told["find-links"] == "/install"
    assert "format" not in told
