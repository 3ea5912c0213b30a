"""README, CONTRIBUTING, CHANGELOG and docs/: their lengths, links, commands and examples hold."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
CHANGELOG = ROOT / "CHANGELOG.md"
PAGES = sorted({*ROOT.glob("docs/*.md"), *ROOT.glob("docs/guides/*.md")} - {ROOT / "docs/index.md"})
LINKING = [
    README,
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
OUTSIDE = ("http://", "https://", "mailto:")

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
MAKE = re.compile(r"(?:^|`|\"|&& )make ([a-z][a-z-]*)", re.MULTILINE)
MODULE = re.compile(r"python3? -m ([\w.]+)")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose_of(path: Path) -> str:
    """The text without its code, whose brackets are no links and whose comments are no headings."""
    return CODE.sub("", FENCED.sub("", text_of(path)))


def anchors_of(path: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    headings = HEADING.findall(FENCED.sub("", text_of(path)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_is_one_page() -> None:
    assert len(text_of(README).splitlines()) <= 150


def test_the_first_page_and_the_readme_lead_to_every_guide() -> None:
    for page in (README, ROOT / "docs" / "index.md"):
        links = {page.parent / target.partition("#")[0] for target in LINK.findall(prose_of(page))}
        assert {*ROOT.glob("docs/guides/*.md"), ROOT / "docs" / "quick-start.md"} <= links


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_says_what_it_covers_and_links_back(page: Path) -> None:
    opening = text_of(page).split("\n\n")[1].replace("\n", " ")
    assert opening.startswith("This page ")
    up = "../" * len(page.relative_to(ROOT).parent.parts)
    assert f"[README]({up}README.md)" in opening


@pytest.mark.parametrize("page", LINKING, ids=named)
def test_a_relative_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(prose_of(page)):
        if target.startswith(OUTSIDE):
            continue
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        if not place.exists() or (anchor and anchor not in anchors_of(place)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", [README, *PAGES], ids=named)
def test_a_command_that_is_named_exists(page: Path) -> None:
    targets = set(TARGET.findall(text_of(ROOT / "Makefile")))
    assert set(MAKE.findall(text_of(page))) - targets == set()
    modules = {module.rstrip(".") for module in MODULE.findall(text_of(page))}
    assert [module for module in modules if not resolves(module)] == []


def resolves(module: str) -> bool:
    """Whether `python -m` finds it: a module of the repository, or one of Python itself."""
    if module in {"benchmarks.NAME", "venv"}:
        return True
    spec = importlib.util.find_spec(module)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{module}.__main__")
    return spec is not None and spec.origin is not None and Path(spec.origin).is_relative_to(ROOT)


def test_an_entry_of_the_changelog_is_one_short_line() -> None:
    lines = text_of(CHANGELOG).splitlines()
    assert [line for line in lines if len(line) > 120] == []
    allowed = re.compile(
        r"# Changelog|## Unreleased|## \d+\.\d+\.\d+ - \d{4}-\d\d-\d\d|### .+|- .+|"
    )
    entries = lines[lines.index("## Unreleased") :]
    assert [line for line in entries if not allowed.fullmatch(line)] == []


def test_the_changelog_names_the_version_of_the_package() -> None:
    from eic_core import __version__

    [date] = re.findall(rf"\n## {re.escape(__version__)} - (\S+)", text_of(CHANGELOG))
    assert f"\nversion: {__version__}\ndate-released: {date}\n" in text_of(ROOT / "CITATION.cff")
