"""Reading formulas in the notations that people and symbolic-regression tools write.

`read` is the one entry.  Nothing here evaluates text: a tokenizer per notation
feeds one precedence parser, which builds `Formula` nodes and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from eic_core.formula.syntax.infix import read_infix
from eic_core.formula.syntax.names import Names, canonical_name, safe_name
from eic_core.formula.syntax.reading import (
    MAX_CHARACTERS,
    MAX_NODES,
    Alternative,
    Note,
    Reading,
    Report,
)
from eic_core.formula.tree import Formula

__all__ = ["Alternative", "Note", "Reading", "SYNTAXES", "canonical_name", "read", "safe_name"]

SYNTAXES: Mapping[str, str] = {"infix": "Python / NumPy"}


def read(
    text: str,
    *,
    syntax: str = "auto",
    columns: Collection[str] = (),
    parameters: Mapping[str, str] | None = None,
) -> Reading:
    """Read a formula."""
    report = Report(text)
    if len(text) > MAX_CHARACTERS:
        report.fail("too long", 0, 0)
    names = Names(columns, parameters or {})
    draft = read_infix(report, names, 0, len(text))
    formula = Formula.from_draft(draft, text)
    if formula.complexity > MAX_NODES:
        report.fail("too many nodes", 0, len(text))
    return Reading(
        formula, "infix", None, tuple(report.notes.values()), tuple(report.alternatives.values())
    )
