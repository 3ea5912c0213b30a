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
from eic_core.formula.syntax.infix import Infix
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Report
from eic_core.formula.syntax.tokens import CALL, CLOSE, COMMA, OPEN, Token, TokenRow
from eic_core.formula.tree import Draft, Formula

_MAX_PLACES = 20


def parse_repaired(report: Report, names: Names, tokens: list[TokenRow]) -> Draft | None:
    """The one reading with the surplus parentheses left out, or None.

    The text is mended only if it has exactly as many surplus ``(`` as
    semicolons, if they stand together right after the parenthesis of a call of
    two arguments, and if all places where that can be done give the same tree.
    """
    kinds = [token[0] for token in tokens]
    surplus = kinds.count(OPEN) + kinds.count(CALL) - kinds.count(CLOSE)
    if surplus <= 0 or surplus != sum([token[:2] == (COMMA, ";") for token in tokens]):
        return None
    found: list[tuple[Draft, Report, Token]] = []
    for index in _places(tokens, surplus)[:_MAX_PLACES]:
        trial = Report(report.text)
        kept = tokens[: index + 1] + tokens[index + 1 + surplus :]
        try:
            found.append((parse(kept, Infix(names, trial)), trial, Token._make(tokens[index])))
        except FormulaError:
            continue
    if not found:
        return None
    draft, trial, call = found[0]
    trees = [Formula.from_draft(other).structure() for other, _, _ in found if len(found) > 1]
    if any([tree != trees[0] for tree in trees]):
        return None
    report.notes.update(trial.notes)
    report.note(
        f"the text has {surplus} surplus `(` after `{call.text}(`, as one known export of PySR"
        " tables writes them; they are left out",
        (call.start, call.end + surplus),
    )
    return draft


def _places(tokens: list[TokenRow], surplus: int) -> list[int]:
    """Calls of two arguments that at least `surplus` plain parentheses follow directly."""
    places = []
    run = 0
    for index in range(len(tokens) - 1, -1, -1):
        kind, text, *_ = tokens[index]
        if kind == CALL and run >= surplus:
            function = FUNCTIONS.get(text.lower())
            if function is not None and function.high == 2:
                places.append(index)
        run = run + 1 if kind == OPEN and text == "(" else 0
    return places[::-1]
