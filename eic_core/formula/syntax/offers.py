"""The other readings of a plain text: of its products, of short words, of functions without
parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from eic_core import wording
from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.neighbours import Neighbours
from eic_core.formula.syntax.products import FUNCTION_AND_LETTER, ProductWriter, Written
from eic_core.formula.syntax.reading import Report, replaced
from eic_core.formula.syntax.tokens import CALL, NAME, TokenRow
from eic_core.formula.tree import VARIABLE


def variables_of(names: Names, tokens: list[TokenRow], whole: Collection[str]) -> list[str]:
    """The variables of a token list in which these words are whole.

    Parameters
    ----------
    names : Names
        The meaning of names.
    tokens : list of TokenRow
        Of the whole text.
    whole : collection of str
        Words that are one variable each.
    """
    found: dict[str, None] = {}
    for kind, name, low, high, _ in tokens:
        if kind == NAME:
            is_variable = name in whole or names.leaf(name, (low, high)).operator == VARIABLE
        else:
            is_variable = kind == CALL and names.function(name) is None
        if is_variable:
            found[name] = None
    return [*found]


def offer_other_products(report: Report, written: Written) -> None:
    """Offer the readings in which a product is the whole denominator or exponent, or no more is."""
    text = report.text
    if written.denominators:
        report.alternative(
            "the whole product is the denominator", lambda: written.text(text, written.denominators)
        )
    if written.exponents:
        report.alternative(
            "the whole product is the exponent", lambda: written.text(text, written.exponents)
        )
    if written.tight:
        report.alternative(
            "of the letters after a `/` or `^` only the first belongs to it",
            lambda: written.text(text, loose=True),
        )


_ARC_OR_AMPLITUDE = re.compile(r"A(sin|cos|tan|sinh|cosh|tanh)\Z")


def offer_calls(report: Report, names: Names, tokens: list[TokenRow]) -> None:
    """Offer ``sinx`` as a call, and ``Asin(x)`` as a product; each is read as one name.

    Parameters
    ----------
    report : Report
        Takes the notes and the other readings.
    names : Names
        The meaning of names.
    tokens : list of TokenRow
        Of the whole text.

    Raises
    ------
    FormulaError
        For ``sinθ``, which is no name.
    """
    text = report.text
    calls: list[tuple[int, int, str]] = []
    products: list[tuple[int, int, str]] = []
    for kind, name, start, end, _ in tokens:
        if len(name) < 3 or name[0] not in "Asctel":
            continue
        if kind == CALL and (function := _ARC_OR_AMPLITUDE.match(name)):
            report.note(f"`{name}(…)` is read as the inverse of {function[1]}", (start, end))
            products.append((start + 1, start + 1, " "))
        applied = FUNCTION_AND_LETTER.match(name) if kind == NAME else None
        if not applied or name.lower() in FUNCTIONS or names.is_known(name):
            continue
        call = f"{applied[1]}({applied[2]})"
        if not name.isascii():
            report.fail(
                f"the function `{applied[1]}` needs parentheses", start, end, f"write `{call}`",
                text[:start] + call + text[end:],
            )  # fmt: skip
        report.note(f"`{name}` is read as one variable", (start, end))
        calls.append((start, end, call))
    if calls:
        start, end, call = calls[0]
        report.alternative(f"{text[start:end]} as {call}", lambda: replaced(text, calls))
    if products:
        report.alternative("A as a factor", lambda: replaced(text, products))


def offer_letters(
    report: Report,
    names: Names,
    tokens: list[TokenRow],
    split: frozenset[str],
    others: frozenset[str],
) -> None:
    """Offer short words as products of their letters.

    Parameters
    ----------
    report : Report
        Takes the other reading.
    names : Names
        The meaning of names.
    tokens : list of TokenRow
        Of the whole text.
    split : frozenset of str
        The words that are such products then.
    others : frozenset of str
        Those of them that are read whole.
    """
    written = ProductWriter(report, names, tokens, split).write(Neighbours(report, names).refuse)
    listed = [*dict.fromkeys([token[1] for token in tokens if token[1] in others])]
    report.alternative(
        f"{wording.join(listed, limit=5)} as {'a product' if len(listed) == 1 else 'products'} of"
        " letters",
        lambda: written.text(report.text),
    )
