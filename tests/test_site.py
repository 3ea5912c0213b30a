"""The site holds every page, every option of every command and every public name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

import eic_core
from tests.e2e.browser import find_chromium, running_browser
from tests.effort import FULL
from tools.public_names import in_the_overview, name_of
from tools.site_hook import (
    COMMANDS,
    DOCS,
    EXPORTED,
    made_pages,
    options_of,
    page_names,
    subcommands,
    unfolded,
)

ROOT = DOCS.parent
NAV = re.findall(r"^ +- (?:[^:\n]+: )?(\S+)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)


def test_the_navigation_holds_every_page_once() -> None:
    folders = tuple(entry for entry in NAV if entry.endswith("/"))
    pages = [name for name in page_names() if not name.startswith(folders)]
    assert sorted(pages) == sorted(entry for entry in NAV if entry.endswith(".md"))
    assert sorted(page_names()) == sorted([*pages, *unfolded([*folders])])


@pytest.mark.parametrize("program", COMMANDS)
def test_the_reference_explains_every_option_of_every_command(program: str) -> None:
    page = made_pages()[f"reference/{program}.md"]
    [commands] = subcommands(COMMANDS[program]())
    for command in commands.choices.values():
        assert f"\n## {command.prog}\n" in page
        for option in re.findall(r"--[\w-]+", command.format_usage()):
            assert f"<code>{option}" in page.partition(f"\n## {command.prog}\n")[2]
        assert "|  |" not in "".join(options_of(command))


def test_the_reference_has_every_name_once() -> None:
    pages = [text for name, text in made_pages().items() if name.startswith("reference/python/")]
    names = re.findall(r"^::: (\S+)$", "\n".join(pages), re.MULTILINE)
    assert len(names) == len(set(names))
    assert set(names) == {EXPORTED.get(thing, name_of(thing)) for thing in in_the_overview()}
    assert {f"eic_core.{name}" for name in eic_core.__all__} - {"eic_core.__version__"} <= set(
        names
    )


if FULL:  # a quick run installs no MkDocs; `make docs` builds it, too

    def test_the_site_builds_without_a_warning_loads_nothing_from_elsewhere_and_finds_from_a_folder(
        tmp_path: Path,
    ) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
        subprocess.run([*command, "--site-dir", tmp_path], cwd=ROOT, check=True, timeout=600)
        pages = [page.read_text("utf-8") for page in tmp_path.rglob("*.html")]
        assert len(pages) > 60
        for page in pages:
            assert not re.search(r'<(?:script|img|iframe)[^>]* src="?(?:https?:)?//', page)
            assert not re.search(
                r'<link[^>]*rel="?(?:stylesheet|preconnect|icon)[^>]*https?:', page
            )
        with running_browser(find_chromium() or pytest.skip("Chromium was not found")) as browser:
            page = browser.new_page()
            page.goto((tmp_path / "index.html").as_uri())
            page.get_by_role("textbox", name="Search").fill("log-sum-exp")
            first = page.locator(".md-search-result__item").first
            expect(first).to_contain_text("Functions made against a loss: log-sum-exp")
