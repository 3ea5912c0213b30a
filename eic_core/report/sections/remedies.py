"""What to write instead, and how many digits of each number are needed."""

from __future__ import annotations

from eic_core.explain.budget import Budget
from eic_core.formula.rendering import to_mathml
from eic_core.report.findings import BUDGET, REPAIR, Findings
from eic_core.report.markup import (
    NONE,
    Cell,
    code,
    count,
    digits,
    escape,
    paragraphs,
    plain,
    prose,
    table,
)
from eic_core.report.sections.opening import MOST_TYPESET
from eic_core.rewriting import Measured, ObservedError, Repair, Repairs


def missing(findings: Findings, part: str) -> str:
    """Why a part is not there."""
    return f'<p class="missing">{prose(findings.missing[part])}</p>'


def repair(findings: Findings) -> str:
    """Equivalent forms, before and after."""
    found = findings.repairs
    if found is None:
        return missing(findings, REPAIR)
    if not found.repairs or found.before is None:
        return paragraphs((found.sentence,))
    cards = [_card(form, found, first=form is found.best) for form in found.repairs]
    return "\n".join((paragraphs((found.sentence,)), *cards))


def _card(form: Repair, found: Repairs, *, first: bool) -> str:
    checked = form.verification
    shown = (
        f'<div class="formula">{to_mathml(form.formula)}</div>'
        if len(form.formula) <= MOST_TYPESET
        else ""
    )
    steps = ", then ".join(form.rules)
    needs = (
        "It needs " + ", ".join(f"`{a}`" for a in form.assumptions) + "; that holds on the data."
        if form.assumptions
        else "It needs no assumption."
    )
    equal = (
        f"By {steps}. The same value to 1e-{checked.agreement} at {checked.rows:,} rows, "
        f"computed with {checked.digits} digits; no row loses its value."
    )
    before = form.before
    rows: list[tuple[Cell, ...]] = [
        ("as written", *_measured(before)),
        ("instead", *_measured(form.after)),
        (
            "change",
            digits(form.delta_q),
            digits(form.delta_eic),
            plain(form.delta_complexity),
            NONE,
            NONE,
        ),
    ]
    made = table(
        ("", "result loses", "EIC", "nodes", "float64 loses", "float32 loses"),
        rows,
        caption=f"Digits lost at {found.measured_rows:,} rows; for float64 and float32 the error "
        "that was measured, against exact values.",
        numbers=(1, 2, 3, 4, 5),
    )
    kind = "card best" if first else "card"
    return (
        f'<article class="{kind}">{shown}<pre><code>{escape(form.text)}</code></pre>\n'
        f"{paragraphs((form.sentence, equal, needs))}\n{made}</article>"
    )


def _measured(form: Measured) -> tuple[Cell, ...]:
    return (
        digits(form.q),
        digits(form.eic),
        count(form.complexity),
        _observed(form.float64),
        _observed(form.float32),
    )


def _observed(error: ObservedError) -> Cell:
    if error.failed:
        return f"{error.failed:,} of {error.rows:,} rows fail"
    return digits(error.digits_lost)


def budget(findings: Findings) -> str:
    """The shortened formula, and what each number needs."""
    found = findings.budget
    if found is None:
        return missing(findings, BUDGET)
    parts = [paragraphs(found.sentences)]
    if any(need.shortened not in ("", need.name) for need in found.needs):
        parts.append(f"<h3>Shortened</h3><pre><code>{escape(found.text)}</code></pre>")
        parts.append(_effect(found))
    if found.needs:
        parts.append(_needs(found))
    return "\n".join(parts)


def _effect(found: Budget) -> str:
    rows: list[tuple[Cell, ...]] = [
        ("EIC, finite samples", digits(found.eic_before), digits(found.eic_after)),
    ]
    if found.scale_of == "target":
        rows.append(("R² against the target", plain(found.r2_before), plain(found.r2_after)))
    return table(("", "as given", "shortened"), rows, numbers=(1, 2))


def _needs(found: Budget) -> str:
    return table(
        ("number", "kind", "digits given", "needed alone", "needed together", "shortened"),
        [
            (
                code(need.name),
                need.kind,
                count(need.given),
                count(need.alone),
                count(need.together),
                code(need.shortened) if need.shortened else NONE,
            )
            for need in found.needs
        ],
        caption="Significant digits. Alone: nothing else is rounded. Together: everything is.",
        numbers=(2, 3, 4),
    )
