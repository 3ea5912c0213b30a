"""The formula: typing it, examples, how it was read, and what is wrong with it."""

from __future__ import annotations

import streamlit as st

from eic_core.errors import FormulaError
from eic_core.formula.rendering import to_latex
from eic_core.formula.syntax import SYNTAXES, Reading
from pages.ui.gallery import EXAMPLES, Example
from pages.ui.outcome import Outcome
from pages.ui.state import PageState
from pages.ui.text import clean, code_label, escape, label, prose
from pages.ui.undisturbed import undisturbed
from pages.ui.visit import Visit, change, follow, go_back, go_forward, visit

_TYPESET_LIMIT = 150
"""Largest tree that is typeset whole beside the input; larger ones are folded below."""

_PLACEHOLDER = (
    "Paste a formula: sqrt(x+1) - sqrt(x), \\frac{1-\\cos x}{x^2}, "
    "or what PySR, Operon, gplearn… printed"
)


def example_state(example: Example) -> PageState:
    """The state that shows an example."""
    return PageState(
        formula=example.formula,
        syntax=example.syntax,
        domains=example.domains,
        samples=example.samples,
    )


def formula_input(here: Visit) -> None:
    """The text area with its buttons."""
    with st.container(key="formula-box", gap="small"):
        st.text_area(
            "Formula",
            value=here.state.formula,
            key=follow("formula_text", here.state.formula),
            height=98,
            placeholder=_PLACEHOLDER,
            on_change=_typed,
            help="Any notation: Python or NumPy, LaTeX, FPCore, or the output of a symbolic-"
            "regression tool. It is measured exactly as written; nothing is simplified.",
        )
        with st.container(horizontal=True, vertical_alignment="center", key="formula-buttons"):
            st.button(
                "Inspect",
                type="primary",
                key="inspect",
                help="Ctrl+Enter or ⌘+Enter in the formula does the same",
            )
            st.button(
                "Previous formula",
                type="tertiary",
                icon=":material/undo:",
                key="previous_formula",
                on_click=go_back,
                disabled=not here.history,
                help="Back to the formula before this one, with its data and selection",
            )
            if here.undone:
                st.button(
                    "Next formula",
                    type="tertiary",
                    icon=":material/redo:",
                    key="next_formula",
                    on_click=go_forward,
                    help="The formula that “Previous formula” left",
                )
            notations, chosen = ["auto", *SYNTAXES], _known(here.state.syntax)
            st.selectbox(
                "Notation",
                notations,
                index=notations.index(chosen),
                key=follow("syntax", chosen),
                format_func=lambda key: "Notation: detect" if key == "auto" else SYNTAXES[key],
                on_change=lambda: change(syntax=st.session_state["syntax"], node=None),
                label_visibility="collapsed",
                width=210,
            )


def _known(syntax: str) -> str:
    return syntax if syntax in SYNTAXES else "auto"


def _typed() -> None:
    change(formula=st.session_state["formula_text"], node=None)


def gallery_row(here: Visit) -> None:
    """One button for each example, its lesson on hover; the lesson of the one shown below."""
    shown = [example for example in EXAMPLES if example.formula == here.state.formula]
    with st.container(key="gallery-box", gap="xsmall"):
        with st.container(
            horizontal=True, gap="xsmall", key="gallery", vertical_alignment="center"
        ):
            st.html('<span class="eic-overline">Examples</span>', width="content")
            for example in EXAMPLES:
                st.button(
                    example.title,
                    key=f"example-{example.key}",
                    type="primary" if example in shown else "secondary",
                    help=example.lesson,
                    on_click=choose_example,
                    args=(example,),
                )
        if shown:
            source = f" ({shown[0].source})" if shown[0].source else ""
            st.html(f'<p class="eic-quiet">{prose(shown[0].lesson + source)}</p>')


@undisturbed()
def choose_example(example: Example) -> None:
    """Show an example with its own domains."""
    state = example_state(example)
    change(**{name: getattr(state, name) for name in PageState.__slots__})
    visit().wants_table = False


def reading_panel(outcome: Outcome) -> None:
    """How the formula was read, or why it could not be."""
    if outcome.formula_error is not None:
        formula_error(outcome.formula_error)
    elif outcome.reading is not None:
        reading_view(outcome.reading)


def reading_view(reading: Reading) -> None:
    """The notation found, the formula typeset, notes, and other readings to click."""
    name = SYNTAXES.get(reading.syntax, reading.syntax)
    st.html(
        f'<div><span class="eic-overline">Read as</span> '
        f'<span class="eic-tag">{escape(name)}</span></div>'
    )
    if reading.formula.complexity <= _TYPESET_LIMIT:
        with st.container(key="read-as"):
            st.latex(to_latex(reading.formula), width="content")
    else:
        st.html(
            f'<p class="eic-quiet">{reading.formula.complexity:,} nodes: too long to typeset '
            "here; the parts are typeset below as you select them.</p>"
        )
    for note in reading.notes:
        st.html(f'<p class="eic-note">{prose(note.message)}</p>')
    if reading.alternatives:
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
            st.html('<span class="eic-quiet">Did you mean</span>', width="content")
            for i, other in enumerate(reading.alternatives):
                st.button(
                    label(other.label),
                    key=f"alternative-{i}",
                    help=f"Reads {code_label(other.text, 200)}",
                    on_click=change,
                    kwargs={"formula": other.text, "node": None},
                )


def formula_error(error: FormulaError) -> None:
    """What is wrong, where, and one click to mend it."""
    title, hint = error.message, error.hint
    if " " not in title:  # a bare piece of the text says too little alone
        title, hint = str(error), ""
    below = f"<p>{prose(_sentence(hint))}</p>" if hint else ""
    st.html(
        f'<div class="eic-error" role="alert"><p class="eic-error-title">'
        f"{prose(_sentence(title))}</p><pre>{escape(error.caret())}</pre>{below}</div>"
    )
    if error.replacement is not None:
        st.button(
            f"Fix it: {code_label(error.replacement, 60)}",
            key="fix_it",
            icon=":material/build:",
            on_click=change,
            kwargs={"formula": clean(error.replacement, 100_000), "node": None},
        )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
