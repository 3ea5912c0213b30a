"""The verdict, the four answers, the formula and its tree."""

from __future__ import annotations

from eic_core.drawing.svg import tree_svg
from eic_core.explain.verdict import LEVELS
from eic_core.formula.rendering import to_mathml, to_python
from eic_core.report.findings import REPAIR, Findings
from eic_core.report.markup import escape, paragraphs, prose
from eic_core.report.provenance import Provenance

MOST_TYPESET = 250
"""Nodes of a formula that is still typeset."""

DEEPEST_TYPESET = 60
"""Levels of a formula that is still typeset: browsers stop at about 500 nested elements."""

TREE_WIDTH = 780
"""Pixels of the column that the tree should fit into."""


def verdict(findings: Findings) -> str:
    """What is wrong, in one sentence, and how bad that is."""
    said = findings.diagnosis.verdict
    return (
        '<header><p class="kicker">Where a formula loses its digits</p>\n'
        f"<h1>{prose(said.sentence)}</h1>\n"
        f'<p class="quiet">{prose(said.cause)}. {prose(LEVELS[said.level])}.</p></header>'
    )


def unfinished(findings: Findings) -> str:
    """What was cut short, before anything is answered; "" if nothing was."""
    if findings.complete:
        return ""
    said = " ".join(findings.unfinished.values())
    return (
        f'<p class="cut"><strong>This report is not complete.</strong> {prose(said)} On the '
        "command line, <code>--seconds inf</code> lets the search come to its end.</p>\n"
    )


def answers(findings: Findings) -> str:
    """Why, where, whose fault, and what to write instead."""
    _, why, where, fault = findings.diagnosis.sentences
    repairs = findings.repairs
    instead = findings.missing[REPAIR] if repairs is None else repairs.sentence
    asked = (
        ("Whose noise is it?", why),
        ("Where in the data?", where),
        ("Function or writing?", fault),
        ("What to write instead?", instead),
    )
    listed = "\n".join(f"<dt>{question}</dt><dd>{prose(said)}</dd>" for question, said in asked)
    return f'<dl class="answers">\n{listed}\n</dl>'


def formula(findings: Findings, provenance: Provenance) -> str:
    """Typeset, as given, and as read."""
    tree = findings.inspection.formula
    small = len(tree) <= MOST_TYPESET and max(tree.depths) <= DEEPEST_TYPESET
    shown = (
        f'<div class="formula">{to_mathml(tree)}</div>'
        if small
        else f'<p class="missing">With {len(tree):,} nodes it is too large to be typeset.</p>'
    )
    given = (
        f"<h3>As given</h3><pre><code>{escape(tree.source)}</code></pre>" if tree.source else ""
    )
    reading = provenance.reading
    notes = [] if reading is None else [note.message for note in reading.notes]
    syntax = "" if reading is None else f"<p>Read as {escape(reading.syntax)} notation.</p>"
    return "\n".join(
        (
            shown,
            given,
            syntax,
            paragraphs(notes, "quiet"),
            f"<h3>As read</h3><pre><code>{escape(to_python(tree))}</code></pre>",
            '<p class="quiet">The tree is exactly as written; nothing is simplified, because the '
            "loss of digits depends on the writing.</p>",
        )
    )


def tree(findings: Findings) -> str:
    """The tree, once for a light page and once for a dark one."""
    inspection = findings.inspection
    drawn = {dark: tree_svg(inspection, dark=dark, width=TREE_WIDTH) for dark in (False, True)}
    return (
        '<figure><div class="scroll tree">'
        f'<div class="light-only">{drawn[False]}</div><div class="dark-only">{drawn[True]}</div>'
        "</div><figcaption>Colour: digits lost up to and including a node, 0 to 8 and above; "
        "hatched: infinite; dotted: no real value. Lines are thicker where more of the noise "
        "comes through. Large calm parts are folded.</figcaption></figure>"
    )
