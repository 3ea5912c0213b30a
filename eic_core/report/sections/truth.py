"""One number four ways, node by node."""

from __future__ import annotations

from eic_core.explain.comparing import EXPLAINED, OK, UNCLEAR, Shaken
from eic_core.explain.triangulation import TriangulatedNode
from eic_core.formula.rendering import node_texts
from eic_core.report.findings import TRIANGULATION, Findings
from eic_core.report.markup import Cell, Markup, code, data, digits, folded, prose, table
from eic_core.report.sections.measures import OPEN_ROWS, TEXT_LIMIT
from eic_core.report.sections.remedies import missing

BADGES = {
    OK: "✓ agree",
    EXPLAINED: "≈ explained",
    UNCLEAR: "▲ unclear",
}
"""What a badge says; its class has its name."""


def truth(findings: Findings) -> str:
    """The recursion beside perturbation and the observed errors."""
    found = findings.triangulation
    if found is None:
        return missing(findings, TRIANGULATION)
    texts = node_texts(findings.inspection.formula, TEXT_LIMIT)
    rows: list[tuple[Cell, ...]] = [
        (
            code(texts[n.node_id]),
            digits(n.recursion),
            digits(n.shared),
            _shaken(n.shaken[-1]),
            digits(n.float64.digits),
            digits(n.float32.digits),
            Markup(f'<span class="badge {n.agreement.badge}">{BADGES[n.agreement.badge]}</span>'),
        )
        for n in found.nodes
    ]
    made = table(
        ("node", "recursion", "shared noise", "shaken, 95 %", "float64", "float32", "agreement"),
        rows,
        caption=f"Digits lost, on {len(found.samples):,} rows. Recursion: independent noise. "
        "Shared noise: copies of an input or sub-expression err alike. Shaken: the formula run "
        f"with random noise (σ = {_sigma(found.nodes)}). float64, float32: the error observed "
        "against 60 digits, in units of roundoff (one rounding is about −0.4).",
        numbers=(1, 2, 3, 4, 5),
    )
    shown = made if len(rows) <= OPEN_ROWS else folded(f"All {len(rows):,} nodes", made)
    return "\n".join((shown, _reasons(found.nodes, texts)))


def _sigma(nodes: tuple[TriangulatedNode, ...]) -> str:
    return f"{nodes[-1].shaken[-1].sigma:g}" if nodes else "—"


def _shaken(shaken: Shaken) -> Markup:
    low, middle, high = digits(shaken.low), digits(shaken.local_eic), digits(shaken.high)
    return Markup(f"{middle.html} ({low.html} to {high.html})")


def _reasons(nodes: tuple[TriangulatedNode, ...], texts: tuple[str, ...]) -> str:
    """Each reason once, with the nodes that it is given at."""
    places: dict[str, list[int]] = {}
    for n in nodes:
        for reason in n.agreement.reasons:
            places.setdefault(reason, []).append(n.node_id)
    if not places:
        return "<p>All ways agree at every node.</p>"
    listed = "".join(
        f"<li>{_places(where, texts)}: {prose(reason)}</li>" for reason, where in places.items()
    )
    return f"<h3>What the differences are</h3><ul>{listed}</ul>"


def _places(nodes: list[int], texts: tuple[str, ...]) -> str:
    shown = ", ".join(code(texts[k]).html for k in nodes[:3])
    more = len(nodes) - 3
    return f"{shown} and {data(more, str(more)).html} more" if more > 0 else shown
