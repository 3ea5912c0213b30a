"""Numbers and indices of plain text that stand in several tokens: ``x^2_1``, ``3×10⁸``, ``S(2)``.

Each such run of tokens becomes what it means before the text is parsed.
"""

from __future__ import annotations

import re

from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Report, replaced
from eic_core.formula.syntax.tokens import CALL, NAME, NUMBER, OPEN, OPERATOR, SUPERSCRIPT, TokenRow

_INDEX_BEHIND = re.compile(r"(?:\^\s*+[0-9]++|[⁰¹²³⁴⁵⁶⁷⁸⁹])_\w")
_INDEX = re.compile(r"_\w++")


def with_joined_tokens(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with one for each number or name that is written in several.

    Parameters
    ----------
    report : Report
        Holds the text; gets the notes and the other readings.
    names : Names
        The meaning of names.
    tokens : list of TokenRow
        As `tokenize` gives them.
    """
    view = report.view
    if "_" in view and _INDEX_BEHIND.search(view) is not None:
        tokens = _with_indices(report, names, tokens)
    return tokens


# --- indices behind a power ----------------------------------------------------------------------


def _with_indices(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """``x^2_1`` as the power of ``x_1``, as it is typeset.

    Raises
    ------
    FormulaError
        If the name has an index already.
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
