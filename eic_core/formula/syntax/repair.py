"""Mending a known export: PySR tables with surplus parentheses.

Some published tables of PySR formulas (their ``powabs(a; b)`` calls have
semicolons for commas) put one surplus ``(`` per such call into the text, all
of them right after the first call's own.  Leaving those out restores the
sizes and scores that the tables state (docs/adr/0002-reading-formulas.md).
"""

from __future__ import annotations

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.core import parse
from eic_core.formula.syntax.infix import Infix, tokenize
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Report
from eic_core.formula.syntax.tokens import CALL, CLOSE, COMMA, OPEN, Token
from eic_core.formula.tree import Draft, Formula

_MAX_PLACES = 20


def read_repaired(report: Report, names: Names, start: int, end: int) -> Draft | None:
    """The one reading with the surplus parentheses left out, or None.

    The text is mended only if it has exactly as many surplus ``(`` as
    semicolons, if they stand together right after the parenthesis of a call of
    two arguments, and if all places where that can be done give the same tree.
    """
    tokens = tokenize(report, start, end)
    opened = sum(token.kind in (OPEN, CALL) for token in tokens)
    surplus = opened - sum(token.kind == CLOSE for token in tokens)
    if surplus <= 0 or surplus != sum(t.kind == COMMA and t.text == ";" for t in tokens):
        return None
    found: list[tuple[Draft, Report, Token]] = []
    for index in _places(tokens, surplus)[:_MAX_PLACES]:
        trial = Report(report.text)
        kept = tokens[: index + 1] + tokens[index + 1 + surplus :]
        try:
            found.append((parse(kept, Infix(names, trial)), trial, tokens[index]))
        except FormulaError:
            continue
    if len({Formula.from_draft(draft).structure() for draft, _, _ in found}) != 1:
        return None
    draft, trial, call = found[0]
    report.notes.update(trial.notes)
    report.note(
        f"the text has {surplus} surplus `(` after `{call.text}(`, as one known export of PySR"
        " tables writes them; they are left out",
        (call.start, call.end + surplus),
    )
    return draft


def _places(tokens: list[Token], surplus: int) -> list[int]:
    """Calls of two arguments that at least `surplus` plain parentheses follow directly."""
    places = []
    run = 0
    for index in range(len(tokens) - 1, -1, -1):
        token = tokens[index]
        if token.kind == CALL and run >= surplus:
            function = FUNCTIONS.get(token.text.lower())
            if function is not None and function.high == 2:
                places.append(index)
        run = run + 1 if token.kind == OPEN and token.text == "(" else 0
    return places[::-1]
