"""Numbers and indices of plain text that stand in several tokens: ``x^2_1``, ``3×10⁸``, ``S(2)``.
Each run of tokens becomes its meaning before the text is parsed.
"""

from __future__ import annotations

import re
import unicodedata

from eic_core.formula.syntax.build import FUNCTIONS, number_label
from eic_core.formula.syntax.elements import find_elements
from eic_core.formula.syntax.names import SUPERSCRIPTS, Names, is_raised
from eic_core.formula.syntax.reading import Refusal, Report, replaced
from eic_core.formula.syntax.tokens import (
    BAD,
    CALL,
    CLOSE,
    COMMA,
    DECIMAL,
    LEAF,
    MINUS,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PLAIN_DECIMAL,
    PREFIX,
    SUPERSCRIPT,
    TokenRow,
    with_runs,
)
from eic_core.formula.tree import constant

_INDEX_BEHIND = re.compile(r"(?:\^\s*+[0-9]++|[⁰¹²³⁴⁵⁶⁷⁸⁹])_\w")
_INDEX = re.compile(r"_\w++")


def with_joined_tokens(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with one for each number or name that is written in several."""
    view = report.view[tokens[0][2] : tokens[-1][3]]  # a program has many statements
    if "_" in view and _INDEX_BEHIND.search(view) is not None:
        tokens = _with_indices(report, names, tokens)
    if "10" in view and not view.isascii():
        tokens = _with_powers_of_ten(report, tokens)
    if not view.isascii():
        if "√" in view:
            tokens = _with_cube_roots(tokens)
        if any(row[0] == NAME and not row[1].isascii() for row in tokens):
            tokens = _with_raised_letters(report, names, tokens)
    if "S(" in view or "S." in view:
        tokens = _with_numbers_of_sympy(report, names, tokens)
    return tokens


# --- numbers -------------------------------------------------------------------------------------

_POWER_OF_TEN = re.compile(
    rf"(?<![\w.])({PLAIN_DECIMAL})\s*+[×·⋅∙•]\s*+(10)(?:\s*+(?:\^|\*\*)\s*+"
    r"(?:\(\s*+([-+−–—]?+\s*+[0-9]{1,4}+)\s*+\)|([-+−–—]?+\s*+[0-9]{1,4}+(?![.])))"
    r"|([⁺⁻]?+[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}+))(?!\s*+(?:\^|\*\*)|[⁰¹²³⁴⁵⁶⁷⁸⁹0-9])"
)
"""``3 × 10⁸`` and ``6.67·10^-11``, which no program writes."""
_APART = str.maketrans("", "", "+ \t\n")


def _with_powers_of_ten(report: Report, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with one number for a number times a power of ten."""
    runs: list[TokenRow] = []
    pieces: list[tuple[int, int, str]] = []
    start, end = tokens[0][2], tokens[-1][2]
    for match in _POWER_OF_TEN.finditer(report.view, start, end):
        if report.view[start : match.start()].rstrip().endswith(("^", "**", "√", "∛")):
            continue
        exponent = (match[3] or match[4] or match[5]).translate(MINUS).translate(SUPERSCRIPTS)
        runs.append((NUMBER, f"{match[1]}e{exponent.translate(_APART)}", *match.span(), None))
        pieces.append((*match.span(2), "(10)"))
    if runs:
        report.note("a number times a power of ten is read as one constant", runs[0][2:4])
        report.keep("a product with a power of 10", replaced(report.text, pieces))
    return with_runs(tokens, runs)


def _with_cube_roots(tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with ``∛`` for ``³√``, where nothing stands before it that is raised."""
    kept: list[TokenRow] = []
    for row in tokens:
        raised = kept[-1] if kept else row
        begins = len(kept) < 2 or kept[-2][0] in (OPEN, CALL, COMMA, OPERATOR)
        is_root = row[:2] == (PREFIX, "√") and raised[:2] == (SUPERSCRIPT, "3")
        if is_root and begins and raised[3] == row[2]:
            kept[-1] = (PREFIX, "∛", raised[2], row[3], FUNCTIONS["cbrt"])
        else:
            kept.append(row)
    return kept


# --- raised letters ------------------------------------------------------------------------------


_NO_EXPONENTS = frozenset("ᵀªº")
"""Raised letters that mark a transpose, an ordinal number or a degree."""


def _raised_from(word: str) -> int:
    """Where the raised letters at the end of a word begin; its length if it has none."""
    place = len(word)
    while place and is_raised(word[place - 1]) and word[place - 1] not in _NO_EXPONENTS:
        place -= 1
    return place


def _with_raised_letters(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with a power for ``eˣ``, ``2ⁿ`` and ``e⁻²ᵏᵗ``: the letters are its factors."""
    kept: list[TokenRow] = []
    for index, row in enumerate(tokens):
        kind, word, start, end, _ = row
        place = _raised_from(word) if kind == NAME and not names.spells_column(word) else len(word)
        following = tokens[index + 1] if index + 1 < len(tokens) else row
        if place == len(word) or (following[0] == SUPERSCRIPT and following[2] == end):
            kept.append(row)
            continue
        middle = start + place
        factors: list[TokenRow] = []
        if place:
            kept.append((NAME, word[:place], start, middle, None))
        elif kept and kept[-1][3] == start and kept[-1][:2] == (BAD, "⁻"):
            factors.append((OPERATOR, "-", *kept.pop()[2:4], None))
        elif kept and kept[-1][3] == start and kept[-1][0] == SUPERSCRIPT:
            _, digits, low, high, _ = kept.pop()
            if digits.startswith("-"):
                factors.append((OPERATOR, "-", low, low, None))
            factors.append((NUMBER, digits.lstrip("-"), low, high, None))
            factors.append((OPERATOR, "*", high, high, None))
        touching = factors[0][2] if factors else middle
        if not kept or kept[-1][0] not in (NAME, NUMBER, CLOSE) or kept[-1][3] != touching:
            return tokens
        shown = report.text[touching:end]
        report.note(f"`{shown[:40]}` is read as an exponent", (touching, end))
        for letter in range(place, len(word)):
            low = start + letter
            plain = unicodedata.normalize("NFKC", word[letter])
            factors.append((NAME, plain, low, low + 1, None))
            factors.append((OPERATOR, "*", low + 1, low + 1, None))
        begin = factors[0][2]
        kept.append((OPERATOR, "^", begin, begin, None))
        kept += [(OPEN, "(", begin, begin, None), *factors[:-1], (CLOSE, ")", end, end, None)]
    return kept


_SINGLETONS = {"Half": "1/2", "One": "1", "Zero": "0", "NegativeOne": "-1"}
_OF_SYMPY = frozenset(("S", "sympy.S", "sp.S"))
_NUMBER_OF_SYMPY = re.compile(
    rf"(?<![\w.])(?:sympy\.|sp\.)?+S(?:\.({'|'.join(_SINGLETONS)})(?!\w)"
    rf"|\s*+\(\s*+(-?+)\s*+({DECIMAL})\s*+\))"
)
_MOST_DIGITS = 4
"""Digits of what may be the index of an element."""


def _with_numbers_of_sympy(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with numbers for SymPy's ``S(1)`` and ``S.Half``. Where ``S`` or an element such
    as ``x(1)`` stands elsewhere, ``S(1)`` is an element, too.
    """
    if names.is_known("S") or any(
        row[0] == NAME and row[1] == "S" and tokens[i + 1][1] != "." for i, row in enumerate(tokens)
    ):
        return tokens
    if any(name not in _OF_SYMPY for name in find_elements(names, tokens)):
        return tokens
    runs: list[TokenRow] = []
    pieces: list[tuple[int, int, str]] = []
    for match in _NUMBER_OF_SYMPY.finditer(report.view, tokens[0][2], tokens[-1][2]):
        try:
            label = _SINGLETONS[match[1]] if match[1] else match[2] + number_label(match[3])
        except Refusal as refusal:
            report.refuse(refusal, *match.span())
        report.note(f"`{match[0][:60]}` is read as SymPy's number {label[:40]}", match.span())
        if match[0].startswith("S") and label.isdigit() and len(label) <= _MOST_DIGITS:
            pieces.append((*match.span(), f"S[{label}]"))
        runs.append((LEAF, label, *match.span(), constant(label, match.span())))
    if pieces:
        report.keep("an element of S", replaced(report.text, pieces))
    return with_runs(tokens, runs)


# --- indices behind a power ----------------------------------------------------------------------


def _with_indices(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """``x^2_1`` as the power of ``x_1``, as typeset. Raises `FormulaError` if the name has an
    index.
    """
    kept: list[TokenRow] = []
    for row in tokens:
        kind, text, start, end, _ = row
        kept.append(row)
        if kind not in (NAME, CALL) or not _INDEX.match(text) or len(kept) < 3:
            continue
        raised = kept[-2]
        is_power = raised[0] == NUMBER and kept[-3][:2] == (OPERATOR, "^") and len(kept) > 3
        place = len(kept) - (4 if is_power else 3)
        if not (is_power or raised[0] == SUPERSCRIPT) or raised[3] != start:
            continue
        base = kept[place]
        if base[0] != NAME:
            continue
        stop = start + len(text)
        shown = report.text[base[2] : stop][:60]
        if "_" in base[1] and not names.is_column(base[1] + text):
            report.fail(f"`{shown}` has two indices", base[2], stop, "write one index a name")
        name = base[1] + text
        report.note(f"`{shown}` is read as a power of `{name[:40]}`", (base[2], stop))
        if is_power and text[1:].isdigit():
            whole = raised[1] + text[1:]
            report.keep(
                f"the exponent {whole[:40]}",
                replaced(report.text, [(raised[2], stop, whole)]),
            )
        kept.pop()
        kept[place] = (NAME, name, base[2], base[3], None)
        kept[-1] = (raised[0], raised[1], raised[2], stop, raised[4])
        if kind == CALL:
            kept.append((OPEN, "(", end - 1, end, None))
    return kept
