"""Whose noise it is, which rows carry it, and whether the function or its writing is to blame."""

from __future__ import annotations

import numpy as np

from eic_core.explain.where import Where
from eic_core.formula.rendering import node_texts, short_text
from eic_core.measure.inspection import Inspection
from eic_core.report.charts import growth_curve, losses, waterfall
from eic_core.report.findings import Findings
from eic_core.report.markup import (
    Cell,
    count,
    digits,
    escape,
    folded,
    paragraphs,
    plain,
    share,
    table,
)
from eic_core.report.sections.measures import TEXT_LIMIT

LEDGER_ROWS = 12
"""Entries of the ledger shown in its table."""

TOP_ROWS = 10
"""Rows of the data shown in a table."""

MOST_INPUTS = 8
"""Columns of inputs shown in that table."""


def blame(findings: Findings) -> str:
    """The waterfall, its sentences, and the largest entries of the ledger."""
    ledger = findings.diagnosis.ledger
    said = paragraphs(ledger.sentences)
    if not ledger.rows:
        return said
    name = short_text(findings.inspection.formula, ledger.target, TEXT_LIMIT)
    ranked = [row for row in ledger.ranked if row.share > 0][:LEDGER_ROWS]
    rows: list[tuple[Cell, ...]] = [
        (
            row.text,
            share(row.share),
            share(row.mean_share),
            share(row.inherited),
            plain(row.gain),
            "yes" if row.masked else "no",
        )
        for row in ranked
    ]
    entries = table(
        ("noise", "introduced here", "mean over samples", "inherited through it",
         "amplified, times", "masked"),
        rows,
        caption="Introduced: its part of the amplified noise, summed over the samples. Mean: "
        "the same part sample by sample, so that no sample dominates. Inherited: what comes "
        "through it from below. Masked: it loses at least a digit more than the target, and "
        "yet hardly any of the noise arises there.",
        numbers=(1, 2, 3, 4),
    )  # fmt: skip
    return (
        f"<p>The noise at <code>{escape(name)}</code> is the sum of what every node below it "
        "injects, exactly.</p>\n"
        f"<figure>{waterfall(ledger.waterfall())}<figcaption>Each bar begins where the "
        "one before it ends; together they are 100&nbsp;% of the noise.</figcaption></figure>\n"
        f"{said}\n"
        + folded(f"The {len(ranked)} largest entries", entries)
    )


def where(findings: Findings) -> str:
    """Sentences, how many rows carry how much, the worst rows, and growth with N."""
    found = findings.diagnosis.where
    parts = [paragraphs(found.sentences)]
    if found.carriers:
        parts.append(
            table(
                ("part of the noise", "rows that carry it", "of the rows"),
                [
                    (share(c.share), count(rows), share(rows / found.finite))
                    for c in {len(c.positions): c for c in found.carriers}.values()
                    for rows in (len(c.positions),)
                ],
                numbers=(1, 2),
            )
        )
        parts.append(_top_rows(findings.inspection, found))
    if found.growth is not None and found.interval.heavy:
        parts.append(
            f"<figure>{growth_curve(found.growth)}<figcaption>Digits lost on parts of the rows, "
            "averaged over random orders; upright lines hold 80 % of the orders.</figcaption>"
            "</figure>"
        )
    return "\n".join(parts)


def _top_rows(inspection: Inspection, found: Where) -> str:
    singular = found.singular[:TOP_ROWS]
    order = np.argsort(-found.shares, kind="stable")[:TOP_ROWS].tolist()
    chosen = [*singular, *(k for k in order if found.shares[k] > 0)][:TOP_ROWS]
    names = inspection.formula.subtree(found.node_id).variables[:MOST_INPUTS]
    columns = inspection.samples.columns
    rows: list[tuple[Cell, ...]] = [
        (
            count(found.row_number(k)),
            *(plain(float(columns[name][k])) for name in names),
            digits(float(np.log10(found.s[k]))),
            share(float(found.shares[k])),
        )
        for k in chosen
    ]
    texts = node_texts(inspection.formula, TEXT_LIMIT)
    made = table(
        ("row", *names, "digits lost", "part of the noise"),
        rows,
        caption=f"The worst rows, at `{texts[found.node_id]}`.",
        numbers=range(len(names) + 3),
    )
    return made


def writing(findings: Findings) -> str:
    """Own, q and EIC as bars; how strongly the function depends on each input."""
    found = findings.diagnosis.writing
    said = paragraphs((found.sentence, *found.notes))
    if not found.compared:
        return said
    chart = losses(
        (
            ("the function itself, in any writing", found.own, "cool"),
            ("the result as written", found.q, "bar"),
            ("EIC: the worst node as written", findings.inspection.eic_finite, "bar"),
        )
    )
    variables = found.conditioning.variables
    sensitive = (
        table(
            ("input", "condition number (rms)", "largest", "part of the function’s own"),
            [
                (f"`{v.name}`", plain(v.rms), plain(v.largest), share(v.share))
                for v in variables
            ],
            caption="How many times the function multiplies a relative error of an input.",
            numbers=(1, 2, 3),
        )
        if variables
        else "<p>There is no input for the function to be sensitive to.</p>"
    )
    return (
        f"{said}\n<figure>{chart}<figcaption>Digits lost. The result as written shares the noise "
        "of repeated inputs and sub-expressions, as floating point does; samples without a "
        f"finite loss are left out.</figcaption></figure>\n{sensitive}"
    )
