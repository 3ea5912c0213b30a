"""The field "My own form" and "Copy as", without a browser."""

from __future__ import annotations

from eic_core.formula.copying import COPIED
from tests.pages.panels import failed
from tests.pages.test_app_inspector import html_of, open_page, state_of

ROOTS: dict[str, str | list[str]] = {
    "formula": "sqrt(x+1) - sqrt(x)",
    "range": ["x=loguniform:1:1e8"],
    "ask": "instead",
    "samples": "200",
}


def test_a_form_is_judged_refused_and_taken_and_copied_to_the_language_last_chosen() -> None:
    page = open_page(**ROOTS)
    assert not failed(page)
    field = page.text_input(key="own-form")

    field.input("1/(Sqrt[x+1] + Sqrt[x])").run()
    assert not failed(page)
    assert "Your form is equal to the formula: the same to 30 digits" in html_of(page)
    assert page.button(key="apply-own-form").label == "Inspect `1/(sqrt(x + 1) + sqrt(x))`"
    table = html_of(page).split('class="eic-repair"')[-1]
    assert "the worst step (EIC)" in table and "measured in float32" in table

    page.selectbox(key="copy-language-own-form").set_value("fortran").run()
    assert "1.0d0/(sqrt(x + 1.0d0) + sqrt(x))" in [element.value for element in page.code]
    assert {page.selectbox(key=f"copy-language-{k}").value for k in ("formula", "repair-0")} == {
        "fortran"
    }
    assert list(page.selectbox(key="copy-language-formula").options) == list(COPIED.values())

    page.text_input(key="own-form").input("0.5/sqrt(x)").run()
    assert not failed(page)
    assert "Your form is not equal to the formula: at row 1" in html_of(page)
    assert "apply-own-form" not in [button.key for button in page.button]

    page.text_input(key="own-form").input("1/(sqrt(x+1) + lg(x))").run()
    assert not failed(page)
    assert "Unknown function <code>lg</code>." in html_of(page)
    assert "              ^^" in html_of(page)

    page.text_input(key="own-form").input("1/(sqrt(x+1) + sqrt(z))").run()
    assert not failed(page)
    assert "Your form has the variable <code>z</code>" in html_of(page)

    page.text_input(key="own-form").input("1/(sqrt(x+1) + sqrt(x))").run()
    page.button(key="apply-own-form").click().run()
    assert not failed(page)
    assert state_of(page).formula == "1/(sqrt(x + 1) + sqrt(x))"
    assert page.text_input(key="own-form").value == ""


def test_a_copied_text_stands_with_the_functions_that_it_needs() -> None:
    page = open_page(formula="log1p(x)/x", range=["x=loguniform:1e-9:1"], samples="50")
    page.selectbox(key="copy-language-formula").set_value("fortran").run()
    assert not failed(page)
    [text] = [e.value for e in page.code if e.value.startswith("elemental double precision")]
    assert text.endswith("end function log1p\n\nlog1p(x)/x")
    assert "Fortran has no <code>log1p</code>: the definition before" in html_of(page)


def test_a_copied_text_is_that_of_the_variable_e_or_of_the_number() -> None:
    texts = []
    for ranges in (["x=1:2", "e=1:2"], ["x=1:2"]):
        page = open_page(formula="e*x", range=ranges, samples="50")
        page.selectbox(key="copy-language-formula").set_value("c").run()
        assert not failed(page)
        texts += [e.value for e in page.code if e.value in ("e_2*x", "M_E*x")]
    assert texts == ["e_2*x", "M_E*x"]
