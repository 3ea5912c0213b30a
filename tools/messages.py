"""Every template of a text for readers, with its place: what a language's file translates.

`make messages` writes them as a gettext template. A call of `say` or `say_count` whose template is
no literal, or whose fields are not its keyword arguments, is refused: nobody could translate it.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

ROOT = Path(__file__).resolve().parents[1]
HOUSES = ("eic_core", "study", "db", "pages")
POT = ROOT / "eic_core" / "locale" / "eic-lab.pot"

TEMPLATES = {"say": 1, "say_count": 2}
"""How many templates a function of `eic_core.phrasing` takes, before all else."""

_HEADER = r"""msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
"""


class MessageError(Exception):
    """A call that no translator can be given."""


@dataclass(frozen=True, order=True)
class Message:
    """The templates of one call: one, or one for one thing and one for many."""

    templates: tuple[str, ...]
    place: str


def messages_of(text: str, path: str) -> Iterator[Message]:
    """The messages of a module's source.

    >>> source = "from eic_core.phrasing import say\\nsay('{n} rows', n=2)"
    >>> next(messages_of(source, "a.py"))
    Message(templates=('{n} rows',), place='a.py:2')
    >>> next(messages_of(source.replace("n=2", "rows=2"), "a.py"))
    Traceback (most recent call last):
        ...
    tools.messages.MessageError: a.py:2: the fields are n, the arguments rows
    """
    if "phrasing" not in path + text:
        return
    tree = ast.parse(text)
    functions = dict(_functions_of_phrasing(tree, path))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda each: each.lineno):
        if name := functions.get(ast.unparse(call.func)):
            yield _message(call, TEMPLATES[name], f"{path}:{call.lineno}")


def _functions_of_phrasing(tree: ast.Module, path: str) -> Iterator[tuple[str, str]]:
    """How a module calls each of `TEMPLATES`."""
    if path.endswith("eic_core/phrasing.py"):
        yield from zip(TEMPLATES, TEMPLATES, strict=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "eic_core.phrasing":
            yield from ((a.asname or a.name, a.name) for a in node.names if a.name in TEMPLATES)
        elif isinstance(node, ast.ImportFrom) and node.module == "eic_core":
            modules = [a.asname or a.name for a in node.names if a.name == "phrasing"]
            yield from ((f"{module}.{name}", name) for module in modules for name in TEMPLATES)


def _message(call: ast.Call, count: int, place: str) -> Message:
    literals = [each.value for each in call.args[:count] if isinstance(each, ast.Constant)]
    texts = tuple(text for text in literals if isinstance(text, str))
    if len(texts) < count:
        raise MessageError(f"{place}: the template is no literal")
    fields = {field for text in texts for field in _fields(text, place)}
    fields -= {"count"} if count > 1 else set()
    arguments = {keyword.arg for keyword in call.keywords if keyword.arg}
    # several templates may share fields in one mapping
    shares = any(keyword.arg is None for keyword in call.keywords)
    if not (fields >= arguments if shares else fields == arguments):
        names = [", ".join(sorted(each)) or "none" for each in (fields, arguments)]
        raise MessageError(f"{place}: the fields are {names[0]}, the arguments {names[1]}")
    return Message(texts, place)


def _fields(template: str, place: str) -> Iterator[str]:
    for _, field, form, conversion in Formatter().parse(template):
        if field is not None:
            if not field.isidentifier() or form or conversion:
                raise MessageError(f"{place}: `{{{field}}}` is no plain named field")
            yield field


def all_messages(root: Path = ROOT) -> list[Message]:
    """The messages of the product, in the order of their places; raises `MessageError`."""
    return [
        message
        for house in HOUSES
        for path in sorted((root / house).rglob("*.py"))
        for message in messages_of(
            path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
        )
    ]


def catalogue_template(messages: Iterable[Message]) -> str:
    """The text of a .pot file: each template once, with its places.

    >>> message = Message(("one row", "{count} rows"), "a.py:3")
    >>> print(catalogue_template([message]).partition("\\n\\n")[2])
    #: a.py:3
    #, python-brace-format
    msgid "one row"
    msgid_plural "{count} rows"
    msgstr[0] ""
    msgstr[1] ""
    """
    places: dict[str, list[str]] = {}
    plurals: dict[str, str] = {}
    for message in messages:
        first, *rest = message.templates
        places.setdefault(first, []).append(message.place)
        for many in rest:
            if plurals.setdefault(first, many) != many:
                raise MessageError(f"{message.place}: another plural of the same template")
    entries = [_HEADER]
    for first in places:
        lines = [f"#: {place}" for place in places[first]]
        lines += ["#, python-brace-format"] * ("{" in first + plurals.get(first, ""))
        lines.append(f"msgid {_quoted(first)}")
        if first in plurals:
            lines += [f"msgid_plural {_quoted(plurals[first])}", 'msgstr[0] ""', 'msgstr[1] ""']
        else:
            lines.append('msgstr ""')
        entries.append("\n".join(lines) + "\n")
    return "\n".join(entries)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> None:
    try:
        messages = all_messages()
        text = catalogue_template(messages)
    except MessageError as error:
        sys.exit(f"messages: {error}")
    POT.parent.mkdir(exist_ok=True)
    POT.write_text(text, encoding="utf-8")
    print(f"wrote {POT.relative_to(ROOT)}: {text.count('msgid ') - 1} templates")


if __name__ == "__main__":
    main()
