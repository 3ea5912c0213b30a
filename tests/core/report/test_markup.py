"""Templates make every text inert, and say what was forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError

import eic_core
from eic_core.markup import Formatted, environment
from eic_core.report.sections import ReportTable
from tests.core.report.reading import Page

HOSTILE = "\x00\u202e</b>\ud800<script>'\"&"


def test_a_text_is_escaped_and_cleaned_in_an_attribute_and_between_tags():
    template = environment("eic_core").from_string('<b title="{{ text }}">{{ text }}</b>')
    made = Page(template.render(text=HOSTILE)).root
    assert made.text == made.get("title") == "  </b> <script>'\"&"


@pytest.mark.parametrize("shown", ["text | prose", "text | units", "text | code", "text | cell"])
def test_a_filter_lets_nothing_through(shown):
    template = environment("eic_core").from_string(f"<b>{{{{ {shown} }}}}</b>")
    root = Page(template.render(text=HOSTILE)).root
    assert {e.tag for e in root.iter()} <= {"b", "code"}
    assert "".join(root.itertext()) == "  </b> <script>'\"&"


def test_a_name_that_is_not_given_is_an_error():
    with pytest.raises(UndefinedError, match="nobody"):
        environment("eic_core").from_string("{{ nobody }}").render()


def test_a_row_has_a_cell_for_each_column():
    with pytest.raises(ValueError, match="row"):
        ReportTable(("name", "size"), [("x", Formatted("count", 1)), ("y",)])


def test_the_tables_macro_sets_numbers_to_the_right_and_marks_rows():
    template = environment("eic_core").from_string(
        '{% from "parts.html.j2" import table %}'
        '<b>{{ table(("n", "`of`"), ((one, "`<i>`"),), "5 %", (0,), (0,)) }}</b>'
    )
    root = Page(template.render(one=Formatted("count", 1200))).root
    _, row = root.iter("tr")
    assert row.get("class") == "marked"
    head, other = row
    assert (head.tag, head.get("scope"), head.get("class")) == ("th", "row", "n")
    assert head.find("data").text == "1,200" and other.find("code").text == "<i>"
    assert next(root.iter("figcaption")).text == "5\xa0%"


def test_no_template_runs_asks_or_trusts():
    folder = Path(eic_core.__file__).parents[1]
    templates = [*folder.glob("eic_core/templates/*"), *folder.glob("study/report/templates/*")]
    assert len(templates) >= 7 and all(path.suffix == ".j2" for path in templates)
    for path in templates:
        text = path.read_text(encoding="utf-8")
        for never in ("<script", "<img", "<link", "http:", "https:", "url(", "@import", "| safe"):
            assert never not in text, (path.name, never)
