"""gplearn's protected functions: what they mean there, and the same formula with that written out.

gplearn (`gplearn/functions.py`): ``sqrt`` is the root of |x|; ``log`` is log |x|, and 0 where
|x| ≤ 0.001; ``div`` is 1 where |divisor| ≤ 0.001; ``inv`` is 0 where |x| ≤ 0.001.
"""

from __future__ import annotations

from eic_core.formula.syntax.reading import Report, replaced
from eic_core.formula.tree import Formula

_MEANING = {
    "sqrt": "`sqrt(x)` is sqrt(abs(x))",
    "log": "`log(x)` is log(abs(x)), and 0 where abs(x) ≤ 0.001",
    "div": "`div(a, b)` is 1 where abs(b) ≤ 0.001",
    "inv": "`inv(x)` is 0 where abs(x) ≤ 0.001",
}
_LONGEST = 10
"""Most characters of such a name and the blanks behind it."""
_OF_ABSOLUTE = ("sqrt", "log")


def note_protected(report: Report, formula: Formula) -> None:
    """Say where gplearn computes another function than the one read, and offer what can be written.

    Parameters
    ----------
    report : Report
        Takes the note and the other reading.
    formula : Formula
        As read: with the plain functions.
    """
    text = report.text
    met: dict[str, tuple[int, int]] = {}
    pieces: list[tuple[int, int, str]] = []
    for node in formula:
        start, end = node.span
        name = text[start : min(end, start + _LONGEST)].partition("(")[0].strip()
        if name not in _MEANING or not node.children or text[end - 1 : end] != ")":
            continue
        if name in _OF_ABSOLUTE:
            if formula.nodes[node.children[0]].operator == "abs":
                continue
            opened = text.index("(", start) + 1
            pieces += [(opened, opened, "abs("), (end - 1, end - 1, ")")]
        met.setdefault(name, node.span)
    if not met:
        return
    meant = "; ".join([_MEANING[name] for name in _MEANING if name in met])
    report.note(
        f"gplearn protects some functions: there {meant}; here the plain functions are read",
        next(iter(met.values())),
    )
    if pieces:
        report.alternative(
            "gplearn's protected roots and logarithms", lambda: replaced(text, pieces)
        )
