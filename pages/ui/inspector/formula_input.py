"""The formula: its field, ten examples with a lesson each, its reading, and its errors."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from eic_core import wording
from eic_core.errors import FormulaError
from eic_core.formula.rendering import to_latex
from eic_core.formula.syntax import NOTATIONS, SYNTAXES, Reading
from eic_core.measure import Domain
from pages.ui.kit import glossary
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.inspector_service import Answer
from pages.ui.kit.messages import as_sentence, notation_name
from pages.ui.kit.text import clean, code_label, escape, prose, prose_label
from pages.ui.kit.visit import (
    PageState,
    Visit,
    change_state,
    current_visit,
    go_back,
    go_forward,
    sync_widget,
)


@dataclass(frozen=True)
class Example:
    """A formula worth looking at.

    >>> example("cancellation").formula
    '10000*x - 9999*x'
    """

    key: str  # Short and stable: it stands in widget keys and links
    title: str
    lesson: str  # One sentence, true of the numbers that the example gives
    formula: str
    domains: tuple[tuple[str, Domain], ...]  # How it is sampled
    samples: int = 10_000
    syntax: str = "auto"  # A notation, or "auto"
    source: str = ""  # Where a formula comes from that is not a textbook's; "" elsewhere


def _uniform(**ranges: tuple[float, float]) -> tuple[tuple[str, Domain], ...]:
    return tuple((name, Domain("uniform", *ends)) for name, ends in ranges.items())


# In the order shown; the first six with a picture.
EXAMPLES: tuple[Example, ...] = (
    Example(
        "cancellation",
        "10000x − 9999x",
        "Two terms that nearly cancel: EIC is 4.4 digits, though the formula equals x.",
        "10000*x - 9999*x",
        _uniform(x=(1.0, 5.0)),
    ),
    Example(
        "masked",
        "ln(exp(x))",
        "The exponential of a number near 1000 has an EIC of three digits and leaves "
        "double range. The logarithm undoes it, so the result hides both.",
        "ln(exp(x))",
        (("x", Domain("normal", 1000.0, 1.0)),),
        samples=1_000,
    ),
    Example(
        "roots",
        "√(x+1) − √x",
        "For large x two nearly equal roots cancel, and a program loses more than seven digits; "
        "1/(√(x+1) + √x) is the same number and keeps them.",
        "sqrt(x+1) - sqrt(x)",
        (("x", Domain("loguniform", 1.0, 1e8)),),
    ),
    Example(
        "half-angle",
        "(1 − cos x)/x²",
        "Near 0 the cosine is so close to 1 that the EIC of the difference is over seven digits; "
        "2·sin(x/2)² is the same numerator without that loss.",
        "(1 - cos(x))/x**2",
        (("x", Domain("loguniform", 1e-4, 1.0)),),
    ),
    Example(
        "nested",
        "sin(sin(cot(x)))",
        "Short is not stable: only four nodes, yet where the cotangent is large the inner sine "
        "crosses zero again and again, and EIC is more than two digits.",
        "sin(sin(cot(x)))",
        _uniform(x=(0.1, 3.0)),
    ),
    Example(
        "law",
        "A stable law",
        "Coulomb’s law (Feynman I.12.2) only multiplies and divides: its EIC is 0.6 digits, "
        "whatever the charges and the distance.",
        "q1*q2/(4*pi*epsilon*r**2)",
        _uniform(q1=(1.0, 5.0), q2=(1.0, 5.0), epsilon=(1.0, 5.0), r=(1.0, 5.0)),
    ),
    Example(
        "branch",
        "A masked branch",
        "sin(1000x) has an EIC of more than four digits, but its small weight hides that from "
        "every test of the result.",
        "x + 0.000001*sin(1000*x)",
        _uniform(x=(1.0, 5.0)),
    ),
    Example(
        "pole",
        "A pole in the domain",
        "At x = 2 the denominator crosses zero: more samples come closer to the pole, and EIC "
        "grows with their number.",
        "1/(x - 2)",
        _uniform(x=(1.0, 3.0)),
    ),
    Example(
        "tail",
        "A heavy tail",
        "In the normal density of Feynman I.6.2b the difference θ − θ₁ crosses zero, so a "
        "handful of samples carries nearly all of EIC.",
        "exp(-((theta - theta1)/sigma)**2/2)/(sqrt(2*pi)*sigma)",
        _uniform(theta=(1.0, 3.0), theta1=(1.0, 3.0), sigma=(1.0, 3.0)),
    ),
    Example(
        "found",
        "Found by a search",
        "A good fit (R² = 0.97 on pipe friction data) in which the exponents −165.3 and 0.0248 "
        "undo each other: between them EIC is more than two digits, and the result hides "
        "it.",
        "sqrt(abs(((((0.199700 * X1) ^ (-20.601677)) + ((0.354601 * X2) ^ (-165.300293))) "
        "^ 0.024817)))",
        _uniform(x1=(15.0, 507.0), x2=(3.63, 6.008)),
        syntax="operon",
        source="Operon on nikuradse_1, from the repository of the eggp paper (MIT)",
    ),
)


def example(key: str) -> Example:
    """The example of that key, else `KeyError`."""
    return {e.key: e for e in EXAMPLES}[key]


# Most nodes of a formula that is typeset beside the input.
_TYPESET_LIMIT = 150

_PLACEHOLDER = "Paste a formula"


def example_state(example: Example, samples: int = 0) -> PageState:
    """The state that shows an example, with fewer samples if given."""
    return PageState(
        formula=example.formula,
        syntax=example.syntax,
        domains=example.domains,
        samples=samples or example.samples,
    )


def formula_input(visit: Visit) -> None:
    st.text_area(
        "Formula",
        value=visit.state.formula,
        key=sync_widget("formula_text", visit.state.formula),
        height="content",
        placeholder=_PLACEHOLDER,
        on_change=_read_typed_formula,
        label_visibility="collapsed",
    )


def formula_buttons(visit: Visit) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", key="formula-buttons"
    ):
        st.button(
            "Inspect",
            type="primary",
            key="inspect",
            on_click=fold_data,
            help="Ctrl+Enter or ⌘+Enter in the formula does the same. It is measured exactly as "
            "written; nothing is simplified.",
        )
        st.button(
            "Previous formula",
            type="tertiary",
            icon=":material/undo:",
            key="previous_formula",
            on_click=go_back,
            disabled=not visit.history,
            help="Back to the formula before this one, with its data and selection",
        )
        if visit.undone:
            st.button(
                "Next formula",
                type="tertiary",
                icon=":material/redo:",
                key="next_formula",
                on_click=go_forward,
                help="The formula that “Previous formula” left",
            )


def notation_choice(visit: Visit) -> None:
    notations, chosen = ["auto", *SYNTAXES], _known_notation(visit.state.syntax)
    st.selectbox(
        "Notation",
        notations,
        index=notations.index(chosen),
        key=sync_widget("syntax", chosen),
        format_func=lambda key: "Notation: detect" if key == "auto" else SYNTAXES[key],
        on_change=lambda: change_state(syntax=st.session_state["syntax"], node=None),
        label_visibility="collapsed",
        help=f"{NOTATIONS}. A function that returns one formula will do, with its comments.",
        width=210,
    )


def exponents_choice(visit: Visit) -> None:
    """Whether literal exponents belong to their operators."""
    chosen = visit.state.exponents
    st.segmented_control(
        "Exponents",
        list(glossary.EXPONENT_CHOICES),
        default=chosen,
        key=sync_widget("exponents", chosen),
        format_func=glossary.EXPONENT_CHOICES.__getitem__,
        on_change=lambda: change_state(exponents=st.session_state["exponents"], node=None),
        required=True,
        help=glossary.EXPONENTS,
    )


def _known_notation(syntax: str) -> str:
    return syntax if syntax in SYNTAXES else "auto"


def fold_data() -> None:
    """Fold the data panel to a line, so that the result stands on the first screen."""
    visit = current_visit()
    visit.folded, visit.shows_data = visit.folded + 1, False


def unfold_data() -> None:
    """Open the data panel, where ranges are set."""
    visit = current_visit()
    visit.folded, visit.shows_data = visit.folded + 1, True


def _read_typed_formula() -> None:
    fold_data()
    state, text = current_visit().state, st.session_state["formula_text"]
    # Ranges stay, and the page says that they come from the formula before.
    if text != state.formula:
        carried = tuple(name for name, _ in state.domains)
        change_state(formula=text, node=None, carried=carried)


def example_button(example: Example, place: str) -> None:
    in_use = example.formula == current_visit().state.formula
    st.button(
        example.title,
        key=f"{place}-{example.key}",
        type="primary" if in_use else "secondary",
        help=example.lesson + (f" ({example.source})" if example.source else ""),
        on_click=show_input,
        args=(example_state(example),),
        width="stretch" if place == "first" else "content",
    )


@uninterrupted()
def show_input(state: PageState) -> None:
    """Show a formula with its data, as an example or an earlier state of this tab has them."""
    change_state(**{name: getattr(state, name) for name in PageState.__slots__})
    current_visit().wants_table = bool(state.upload)


def reading_menu(visit: Visit, answer: Answer) -> None:
    """The examples; the notation and the reading of the formula: each folded to a button."""
    with (
        st.popover("Examples", icon=":material/menu_book:", key="examples-panel"),
        st.container(horizontal=True, gap="xsmall", key="gallery"),
    ):
        for example in EXAMPLES:
            example_button(example, "example")
    with st.popover(
        "Settings",
        icon=":material/tune:",
        key="settings-panel",
        help="Settings: the notation, exponents, and the formula as it was read",
    ):
        notation_choice(visit)
        exponents_choice(visit)
        if answer.reading is not None:
            typeset_reading(answer.reading, visit.state.syntax)


def typeset_reading(reading: Reading, notation: str) -> None:
    """The notation of the text, detected if `notation` is "auto", and the formula typeset."""
    name = notation_name(reading.syntax, notation)
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


def reading_notes(reading: Reading) -> None:
    for note in reading.notes:
        st.html(f'<p class="eic-note">{prose(note.message)}</p>')
    if reading.alternatives:
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
            st.html('<span class="eic-quiet">Did you mean</span>', width="content")
            for i, other in enumerate(reading.alternatives):
                st.button(
                    prose_label(other.label),
                    key=f"alternative-{i}",
                    help=f"Reads {code_label(other.text, 200)}",
                    on_click=change_state,
                    kwargs={"formula": other.text, "node": None},
                )


def formula_error(error: FormulaError) -> None:
    """The error, its place in the text, and buttons that correct it."""
    title, hint = error.message, error.hint
    if " " not in title:  # a bare piece of the text says too little alone
        title, hint = str(error), ""
    below = f"<p>{prose(as_sentence(hint))}</p>" if hint else ""
    if error.replacement is None:
        below += f'<p class="eic-quiet">{prose(as_sentence(f"What is read: {NOTATIONS}"))}</p>'
    st.html(
        f'<div class="eic-error" role="alert"><p class="eic-error-title">'
        f"{prose(as_sentence(title))}</p><pre>{escape(error.caret())}</pre>{below}</div>"
    )
    if error.replacement is not None:
        st.button(
            f"Fix it: {code_label(error.replacement, 60)}",
            key="fix_it",
            icon=":material/build:",
            on_click=change_state,
            kwargs={"formula": clean(error.replacement, 100_000), "node": None},
        )

    if error.choices:
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
            for i, (what, text) in enumerate(error.choices):
                st.button(
                    f"{prose_label(wording.capital(what))}: {code_label(text, 60)}",
                    key=f"choice-{i}",
                    help=f"Reads {code_label(text, 200)}",
                    on_click=change_state,
                    kwargs={"formula": clean(text, 100_000), "node": None},
                )
