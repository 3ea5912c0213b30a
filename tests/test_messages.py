"""A language is a file: every text for readers is a template that a translator can be given."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from eic_core import phrasing
from eic_core.phrasing import say, say_count
from tools.messages import MessageError, all_messages, catalogue_template, messages_of

HEAD = "from eic_core.phrasing import say, say_count as many\nfrom eic_core import phrasing as p\n"


def test_every_template_is_a_literal_whose_fields_are_its_arguments() -> None:
    messages = all_messages()
    assert ("{first} and {last}",) in {message.templates for message in messages}
    assert all((Path(m.place.partition(":")[0])).suffix == ".py" for m in messages)
    assert catalogue_template(messages).count("\nmsgid ") == len(
        {message.templates[0] for message in messages}
    )


@pytest.mark.parametrize(
    "call",
    [
        "say(text)",
        "say(f'{x} rows')",
        "say('a' if x else 'b')",
        "say('{} rows', x)",
        "say('{0} rows', x=1)",
        "say('{n} rows')",
        "say('rows', n=1)",
        "say('{n} rows', m=1, **fields)",
        "say('{n.real} rows', n=1)",
        "say('{n:.2f} rows', n=1)",
        "say('{n!r} rows', n=1)",
        "many('{count} row', rows, 2)",
        "many('{count} row of {x}', '{count} rows', 2)",
        "p.say(text)",
        "p.say_count('a row', '{n} rows', 2)",
    ],
)
def test_what_no_translator_could_be_given_is_refused(call: str) -> None:
    with pytest.raises(MessageError, match=r"a\.py:3"):
        list(messages_of(HEAD + call, "a.py"))


def test_both_forms_of_a_plural_are_collected_and_other_functions_are_not() -> None:
    text = HEAD + "many('{count} row', '{count} rows', n)\nsay('a {x}', x=1)\nshow('b')\nsay2(c)"
    assert [m.templates for m in messages_of(text, "a.py")] == [
        ("{count} row", "{count} rows"),
        ("a {x}",),
    ]
    assert list(messages_of("def say(x): ...\nsay(text)", "a.py")) == []


def test_two_plurals_of_one_template_are_refused() -> None:
    text = HEAD + "many('a row', '{count} rows', n)\nmany('a row', '{count} lines', n)"
    with pytest.raises(MessageError, match=r"a\.py:4"):
        catalogue_template(messages_of(text, "a.py"))


def compiled(texts: dict[str, str]) -> bytes:
    """The bytes of a .mo file (GNU gettext manual, "The Format of GNU MO Files")."""
    keys = sorted(texts)
    start = 28 + 16 * len(keys)
    data, tables = b"", [b"", b""]
    for table, column in enumerate((keys, [texts[key] for key in keys])):
        for text in column:
            encoded = text.encode()
            tables[table] += struct.pack("<2I", len(encoded), start + len(data))
            data += encoded + b"\0"
    head = (0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, 0)
    return struct.pack("<7I", *head) + b"".join(tables) + data


POLISH = {
    "": "Content-Type: text/plain; charset=UTF-8\n"
    "Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 "
    "&& (n%100<10 || n%100>=20) ? 1 : 2);\n",
    "{first} and {last}": "{first} i {last}",
    "{rows} at {place}": "przy {place}: {rows}",
    "{count} row\0{count} rows": "{count} wiersz\0{count} wiersze\0{count} wierszy",
}


@pytest.fixture
def polish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "pl" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "eic-lab.mo").write_bytes(compiled(POLISH))
    monkeypatch.setattr(phrasing, "LOCALE", tmp_path)
    monkeypatch.setenv(phrasing.LANGUAGE, "pl")
    phrasing.catalogue.cache_clear()
    yield
    phrasing.catalogue.cache_clear()


@pytest.mark.usefixtures("polish")
def test_a_language_is_a_file() -> None:
    rows = [say_count("{count} row", "{count} rows", n) for n in (1, 3, 5, 1000)]
    assert [str(each) for each in rows] == ["1 wiersz", "3 wiersze", "5 wierszy", "1,000 wierszy"]
    assert str(say("{rows} at {place}", rows=rows[1], place="`x`")) == "przy `x`: 3 wiersze"
    assert str(phrasing.listed(["a", "b", "c"])) == "a, b i c"
    assert str(say("not translated")) == "not translated"


@pytest.mark.usefixtures("polish")
def test_without_a_file_for_the_language_texts_are_english(monkeypatch: pytest.MonkeyPatch) -> None:
    for language in ("", "tlh"):
        monkeypatch.setenv(phrasing.LANGUAGE, language)
        assert str(phrasing.listed(["a", "b"])) == "a and b"
