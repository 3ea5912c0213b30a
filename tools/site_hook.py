"""What the site holds beside docs/: files of the root, commands, the API, notebooks that ran.

MkDocs calls the functions `on_…` (mkdocs.yml names this file); ADR 0029 says why they are here.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from db.commands import build_parser as parser_of_db
from eic_core.cli.main import build_parser as parser_of_eic
from study.cli import build_parser as parser_of_study
from tools.public_names import OVERVIEW, exported, name_of, named_in

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

FROM_THE_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "licence.md",
    "SECURITY.md": "security.md",
}
"""Pages of the site that lie beside docs/; for the README the site has a first page of its own."""

COMMANDS = {"eic": parser_of_eic, "study": parser_of_study, "db": parser_of_db}

EXPORTED = {thing: f"eic_core.{name_of(thing).rpartition('.')[2]}" for thing in exported()}
"""What a script imports from the package itself."""

_BACK = re.compile(r"\s*Back to the\s+\[README\]\([./]*README\.md\)\.")
_LINK = re.compile(r"(\]\()([^()\s#]+)(#[^()\s]*)?\)")
_CODE = re.compile(r"`(eic_core(?:\.\w+)+)((?:\([^`]*)?)`")
_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)


@cache
def made_pages() -> dict[str, str]:
    """What has no file in docs/, by the name that it would have there."""
    pages = {
        name: (ROOT / source).read_text(encoding="utf-8")
        for source, name in FROM_THE_ROOT.items()
        if source != "README.md"
    }
    pages["licence.md"] = f"# Licence\n\n{pages['licence.md']}"
    pages |= {f"reference/{name}.md": commands_page(build()) for name, build in COMMANDS.items()}
    return pages | dict(api_pages())


def page_names() -> list[str]:
    """Every page of the site: those in docs/, its notebooks, those that are made."""
    written = [path for path in sorted(DOCS.rglob("*.*")) if path.suffix in (".md", ".ipynb")]
    return [
        *(path.relative_to(DOCS).with_suffix(".md").as_posix() for path in written),
        *made_pages(),
    ]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """In nav a folder stands for its pages."""
    config.nav = unfolded(config.nav)
    return config


def unfolded(nav: Any) -> Any:
    match nav:
        case list():
            return [entry for part in nav for entry in listed(unfolded(part))]
        case dict():
            return {title: unfolded(part) for title, part in nav.items()}
        case str() if nav.endswith("/"):
            pages = [name for name in page_names() if name.startswith(nav)]
            return sorted(pages, key=lambda name: not name.endswith("README.md"))
    return nav


def listed(part: Any) -> list[Any]:
    return part if isinstance(part, list) else [part]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    for name, text in made_pages().items():
        files.append(File.generated(config, name, content=text))
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        for name, content in notebook_page(Path(str(file.abs_src_path))):
            files.append(File.generated(config, name, content=content))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Write the search's index as a script, too: a page that is a file may read nothing else."""
    folder = Path(config.site_dir) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index}", encoding="utf-8")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links out of docs/ lead to pages of the site, and names of the API to their reference."""
    own = PurePosixPath(page.file.src_uri)
    at_root = page.file.src_uri in FROM_THE_ROOT.values() and page.file.src_uri != "index.md"

    def link(match: re.Match[str]) -> str:
        target = str(match[2])
        if at_root:
            target = FROM_THE_ROOT.get(target, target.removeprefix("docs/"))
        elif target.startswith("../"):
            outside = target.removeprefix("../" * len(own.parts))
            if outside in FROM_THE_ROOT:
                target = "../" * (len(own.parts) - 1) + FROM_THE_ROOT[outside]
        if target.endswith(".ipynb"):
            target = str(PurePosixPath(target).with_suffix(".md"))
        return f"{match[1]}{target}{match[3] or ''})"

    def name(match: re.Match[str]) -> str:
        definition = definitions().get(match[1])
        return f"[{match[0]}][{definition}]" if definition else match[0]

    markdown = _LINK.sub(link, _BACK.sub("", markdown))  # the way back is the site's own
    return markdown if own.parts[0] == "reference" else _CODE.sub(name, markdown)


@cache
def definitions() -> dict[str, str]:
    """Where each dotted name in docs/python.md is defined."""
    names = _CODE.findall(OVERVIEW.read_text(encoding="utf-8"))
    things = {name: next(named_in(f"`{name}`"), None) for name, _ in names}
    return {name: name_of(thing) for name, thing in things.items() if thing}


def commands_page(parser: argparse.ArgumentParser) -> str:
    """A page of all commands of a program: arguments, options, defaults, examples of the docs."""
    parts = [f"# {parser.prog}", parser.description or "", *options_of(parser)]
    for action in subcommands(parser):
        summaries = {choice.dest: choice.help for choice in action._choices_actions}
        for name, command in action.choices.items():
            parts += [f"## {command.prog}", command.description or sentence(summaries[name])]
            parts += options_of(command)
            examples = "\n".join(examples_of(parser.prog, name))
            parts += [f"```\n{examples}\n```"] if examples else []
    return "\n\n".join(part for part in parts if part) + "\n"


def subcommands(parser: argparse.ArgumentParser) -> Iterator[Any]:
    return (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """A table of what the parser takes, group by group."""
    rows = [
        f"| <code>{cell(invocation(action))}</code> | {cell(explanation(action, parser.prog))} |"
        for group in parser._action_groups
        for action in group._group_actions
        if not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))
    ]
    return ["\n".join(["| | |", "|---|---|", *rows])] if rows else []


def invocation(action: argparse.Action) -> str:
    """How it is written: `--out FILE`."""
    value = action.metavar or (action.choices and "{" + ",".join(map(str, action.choices)) + "}")
    value = " ".join(value) if isinstance(value, tuple) else value or action.dest.upper()
    takes = not action.option_strings or action.nargs != 0
    words = [", ".join(action.option_strings), str(value) if takes else ""]
    return " ".join(word for word in words if word)


def explanation(action: argparse.Action, program: str) -> str:
    text = (action.help or "") % {**vars(action), "prog": program}
    return ("required; " if action.required and action.option_strings else "") + text


def cell(text: str) -> str:
    """The text in a cell of a table."""
    return escape(text, quote=False).replace("|", "&#124;").replace("*", "&#42;")


def examples_of(program: str, command: str) -> Iterator[str]:
    """Lines of blocks in docs/ that call it, each once."""
    lines = {
        re.sub(r"  +#", "  #", line.removeprefix("$ ")): None
        for page in sorted(DOCS.glob("*.md"))
        for block in _BLOCK.findall(page.read_text(encoding="utf-8"))
        for line in block.splitlines()
    }
    return (line for line in lines if line.startswith(f"{program} {command} "))


def api_pages() -> Iterator[tuple[str, str]]:
    """A page for each section of docs/python.md, with every name in it once."""
    earlier: set[str] = set()
    for heading, text in _SECTION.findall(OVERVIEW.read_text(encoding="utf-8")):
        names = {(EXPORTED.get(thing) or name_of(thing)): None for thing in named_in(text)}
        blocks = [f"::: {name}" for name in names if name not in earlier]
        earlier |= names.keys()
        if blocks:
            slug = re.sub(r"\W+", "-", heading.lower()).strip("-")
            yield f"reference/python/{slug}.md", "\n\n".join([f"# {heading}", *blocks]) + "\n"


def notebook_page(path: Path) -> Iterator[tuple[str, str | bytes]]:
    """The notebook as a page, run anew, and the pictures of its cells."""
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import MarkdownExporter

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    resources = {"metadata": {"path": str(path.parent)}, "unique_key": path.stem}
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    quiet = ["--log-level=ERROR"]  # it warns that its sockets, of this machine alone, are plain
    client = NotebookClient(notebook, timeout=300, resources=resources, extra_arguments=quiet)
    client.execute(env=environment)
    for output in (out for cell in notebook.cells for out in cell.get("outputs", ())):
        output.get("data", {}).pop("text/latex", None)  # nothing here would typeset it
    resources["output_files_dir"] = f"{path.stem}-files"
    text, extras = MarkdownExporter().from_notebook_node(notebook, resources)
    page = PurePosixPath(path.relative_to(DOCS).with_suffix(".md").as_posix())
    download = f'<p><a href="{path.name}" download>Download this notebook</a></p>'
    yield str(page), f"{text}\n{download}\n"
    for picture, content in extras["outputs"].items():
        yield str(page.parent / picture), content
