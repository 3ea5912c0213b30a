"""The numbers of the inspection, each with what it means, and every node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eic_core.explain.causes import invalid_clause, singular_clause
from eic_core.formula.rendering import node_texts
from eic_core.report.findings import Findings
from eic_core.report.markup import (
    NONE,
    Cell,
    Markup,
    code,
    count,
    digits,
    folded,
    paragraphs,
    plain,
    share,
    table,
)

TEXT_LIMIT = 60
"""Characters of a sub-expression in a table."""

OPEN_ROWS = 40
"""Longer tables are folded."""


def metrics(findings: Findings) -> str:
    """EIC and what belongs to it."""
    return table(
        ("quantity", "value", "what it means"),
        _metrics(findings),
        numbers=(1,),
        words=True,
    )


def _metrics(findings: Findings) -> Iterator[tuple[Cell, Cell, Cell]]:
    inspection = findings.inspection
    yield "EIC", digits(inspection.eic), (
        "Digits lost at the worst node: log10 of the mean amplification of rounding noise there."
    )
    yield "EIC, finite samples", digits(inspection.eic_finite), (
        "The same without samples at which a node keeps no digit at all."
    )
    yield "noise figure, dB", digits(inspection.noise_figure_db), "20 times EIC, as in electronics."
    yield "complexity", count(inspection.formula.complexity), (
        "Number of nodes of the tree: operators, variables and constants."
    )
    yield "loss of the result", digits(inspection.nodes[-1].local_eic), (
        "Digits lost at the root; below EIC if the result hides an inner loss."
    )
    tail = inspection.tail
    if tail is None:
        return
    for name, value in (("median", tail.q50), ("90 %", tail.q90), ("99 %", tail.q99)):
        yield f"digits lost, {name}", digits(value), (
            "Half of the samples lose at most so many at the worst node."
            if name == "median"
            else f"{name} of the samples lose at most so many there."
        )
    yield "worst 1 % of samples", share(tail.top1_share), "Their part of the amplified noise."
    yield "the mean", *_SETTLED[tail.divergent]


_SETTLED: Mapping[bool | None, tuple[str, str]] = {
    None: ("open", "Too few samples to tell whether more of them would change EIC."),
    True: ("not settled", "With more samples EIC would grow: a part crosses zero, or the tail is "
           "heavy."),
    False: ("settled", "More samples of this kind would hardly change EIC."),
}  # fmt: skip


def samples(findings: Findings) -> str:
    """Where the samples went, and why."""
    inspection = findings.inspection
    counts = inspection.counts
    head = table(
        ("samples", "number", "what they are"),
        (
            ("all", count(counts.total), "Rows on which the formula was measured."),
            ("valid", count(counts.valid), "Every node has a real value; means are over these."),
            ("invalid", count(counts.invalid), "Some node has no real value; left out."),
            ("singular", count(counts.singular), "Valid, but some node keeps no digit."),
            ("rechecked", count(counts.rechecked), "Beyond double precision; taken at 60 digits."),
            ("unresolved", count(counts.unresolved), "Doubtful ones that were not rechecked."),
        ),
        numbers=(1,),
        words=True,
    )
    texts = node_texts(inspection.formula, TEXT_LIMIT)
    rows: list[tuple[Cell, ...]] = []
    for n in inspection.nodes:
        if n.invalid:
            reason = invalid_clause(n.node) or "its value leaves the range that can be resolved"
            rows.append((code(texts[n.node.id]), "no real value", count(n.invalid), reason))
        if n.singular:
            reason = singular_clause(inspection, n.node.id)
            rows.append((code(texts[n.node.id]), "no digit left", count(n.singular), reason))
    reasons = (
        table(("node", "what", "samples", "why"), rows, numbers=(2,))
        if rows
        else "<p>Every sample has a real value and keeps a digit at every node.</p>"
    )
    return "\n".join((head, reasons, paragraphs(findings.diagnosis.verdict.notes)))


def nodes(findings: Findings) -> str:
    """Every node, in post-order."""
    inspection = findings.inspection
    texts = node_texts(inspection.formula, TEXT_LIMIT)
    shares = {row.node_id: row.share for row in findings.diagnosis.ledger.rows}
    rows: list[tuple[Cell, ...]] = [
        (
            Markup(str(n.node.id)),
            code(texts[n.node.id]),
            n.node.operator,
            digits(n.local_eic),
            digits(n.local_eic_finite),
            plain(n.s_bar),
            share(shares[n.node.id]) if n.node.id in shares else NONE,
            count(n.invalid),
            count(n.singular),
        )
        for n in inspection.nodes
    ]
    defined = inspection.eic == inspection.eic
    made = table(
        ("id", "sub-expression", "operator", "digits lost", "finite samples", "amplification",
         "share of the noise", "invalid", "singular"),
        rows,
        caption="In post-order; the bottleneck stands out. Digits lost: local EIC, up to and "
        "including the node. Share: of the noise at the node of largest finite loss.",
        numbers=(0, 3, 4, 5, 6, 7, 8),
        marked=frozenset([inspection.bottleneck] if defined else []),
    )  # fmt: skip
    return made if len(rows) <= OPEN_ROWS else folded(f"All {len(rows):,} nodes", made)
