"""What to write instead, on the inspector's page, without a browser."""

from __future__ import annotations

from tests.pages.test_app_inspector import html_of, open_page, state_of

ROOTS = {"formula": "sqrt(x+1) - sqrt(x)", "range": ["x=loguniform:1:1e8"]}


def test_nothing_is_searched_before_it_is_asked_for() -> None:
    page = open_page(**ROOTS)
    assert not page.exception
    assert "conjugate" not in html_of(page)
    assert page.button(key="ask-repair").label == "What to write instead?"


def test_a_better_form_is_said_shown_and_taken_with_one_click() -> None:
    page = open_page(**ROOTS)
    page.button(key="ask-repair").click().run()
    assert not page.exception
    said = html_of(page)
    assert "<code>1/(sqrt(x + 1) + sqrt(x))</code>" in said and "conjugate roots" in said
    assert "Needs √(x + 1) + √x &gt; 0" in said
    page.button(key="apply-repair-0").click().run()
    assert not page.exception
    assert state_of(page).formula == "1/(sqrt(x + 1) + sqrt(x))"
    assert state_of(page).domains[0][0] == "x"
    page.button(key="ask-repair").click().run()
    assert "Nothing better found" in html_of(page)


def test_the_form_before_comes_back() -> None:
    page = open_page(**ROOTS)
    page.button(key="ask-repair").click().run()
    page.button(key="apply-repair-0").click().run()
    back = next(b for b in page.button if b.label == "Previous formula")
    back.click().run()
    assert state_of(page).formula == ROOTS["formula"]


def test_a_function_that_is_sensitive_itself_gets_the_reason() -> None:
    page = open_page(formula="1/(x - 2)", range=["x=1:3"])
    page.button(key="ask-repair").click().run()
    assert not page.exception
    assert "the result itself is that sensitive" in html_of(page)


def test_a_changed_formula_is_asked_about_anew() -> None:
    page = open_page(**ROOTS)
    page.button(key="ask-repair").click().run()
    page.text_area(key="formula_text").set_value("x + 1").run()
    assert page.button(key="ask-repair") and "conjugate roots" not in html_of(page)


def test_a_formula_without_any_value_is_answered_in_words() -> None:
    page = open_page(formula="log(-x)", range=["x=1:3"])
    page.button(key="ask-repair").click().run()
    assert not page.exception
    assert "No better form was looked for: no sample has a value" in html_of(page)
