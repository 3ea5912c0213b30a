"""The sections of a report: from findings to values, which the template writes out."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Sequence

import numpy as np
from markupsafe import Markup

from eic_core import wording
from eic_core.drawing.gauges import Gauge, gauges_html
from eic_core.drawing.svg import tree_svg
from eic_core.effort import EFFORTS
from eic_core.explain.budget import TOLERANCE, Budget
from eic_core.explain.causes import singular_causes
from eic_core.explain.conditioning import OwnConditioning
from eic_core.explain.diagnosis import Diagnosis
from eic_core.explain.digit_rows import DigitRow, DigitRows, digit_rows
from eic_core.explain.facts import EXPLAINED, OK, UNCLEAR, Shaken
from eic_core.explain.findings import ErrorKind, Finding
from eic_core.explain.ledger import Ledger
from eic_core.explain.losses import MEANINGS
from eic_core.explain.phrases import causes as cause_phrases
from eic_core.explain.phrases.digits import gauge_words
from eic_core.explain.phrases.fit_card import no_value
from eic_core.explain.phrases.headline import badge, headline, marks, meaning, short_cause
from eic_core.explain.robustness import RobustnessCard
from eic_core.explain.settling import spread_of
from eic_core.explain.triangulation import Triangulation
from eic_core.explain.verdict import Verdict
from eic_core.explain.where import Where
from eic_core.formula.rendering import node_texts, short_text, to_mathml
from eic_core.formula.tree import Formula
from eic_core.markup import Badge, Cell, Piece
from eic_core.measure.double_range import double_range
from eic_core.measure.inspection import Inspection
from eic_core.measure.measured import Quantiles
from eic_core.phrasing import Phrase
from eic_core.report.findings import LEFT_OUT, PARTS, REPAIR, Findings
from eic_core.report.provenance import Provenance, command_line, versions
from eic_core.report.report_table import NONE, ReportTable
from eic_core.report.report_table import code as _code
from eic_core.report.report_table import count as _count
from eic_core.report.report_table import digits as _digits
from eic_core.report.report_table import fit as _fit
from eic_core.report.report_table import lost as _lost
from eic_core.report.report_table import plain as _plain
from eic_core.report.report_table import share as _share

MOST_TYPESET = 250
"""Nodes up to which a formula is typeset."""

DEEPEST_TYPESET = 60
"""Levels up to which a formula is typeset: browsers stop at about 500 nested elements."""

TREE_WIDTH = 780
"""Pixels of the column that the tree should fit into."""

TEXT_LIMIT = 60
"""Characters of a sub-expression in a table."""

LEDGER_ROWS = 12
"""Rows of the ledger's table."""

TOP_ROWS = 10
"""Rows of the table of worst rows."""

MOST_INPUTS = 8
"""Columns of inputs in that table."""

# The formula


def typeset(formula: Formula) -> Markup | None:
    """The formula as MathML; None if it is too large."""
    if len(formula) > MOST_TYPESET or max(formula.depths) > DEEPEST_TYPESET:
        return None
    return Markup(to_mathml(formula))


def trees(inspection: Inspection) -> dict[str, Markup]:
    return {
        name: Markup(tree_svg(inspection, dark=dark, width=TREE_WIDTH))
        for name, dark in (("light", False), ("dark", True))
    }


QUESTIONS = (
    "Whose noise is it?",
    "Where in the data?",
    "Function or writing?",
    "What to write instead?",
)
"""What the sentences of a diagnosis answer after the first, and a repair."""


def answers(findings: Findings) -> tuple[tuple[str, str], ...]:
    """Why, where, whose fault, and what to write instead, each with its question."""
    _, why, where, fault = findings.diagnosis.sentences
    repairs = findings.repairs
    better = findings.missing[REPAIR] if repairs is None else str(repairs.offer or repairs.sentence)
    return tuple(zip(QUESTIONS, (why, where, fault, better), strict=True))


# The verdict


def sentence(findings: Findings) -> Phrase:
    return headline(findings.diagnosis.verdict, stopped=not findings.finished)


def level(verdict: Verdict) -> list[Cell]:
    """The badge, what stands beside it, and the cause in a few words."""
    return [
        Badge(verdict.level.value, str(badge(verdict))),
        *[Badge("mark", str(mark)) for mark in marks(verdict)],
        short_cause(verdict),
    ]


def of_level(verdict: Verdict) -> Phrase:
    return meaning(verdict)


def causes_found(verdict: Verdict) -> ReportTable | None:
    """The findings, the leading one first; None if there are none."""
    formula = verdict.inspection.formula
    texts = node_texts(formula, TEXT_LIMIT)
    rows = [_finding(finding, formula, texts) for finding in verdict.findings]
    return (
        ReportTable(
            ("cause", "step", "what becomes of these rows", "rows", "half", "90 %", "worst", "of"),
            rows,
            "What becomes of the rows, and why; the headline is about the first. Digits at half of "
            "these rows, at nine in ten, and at the worst. Sensitivity: errors of inputs and steps "
            "grow by so much. Measured: a program loses so much.",
            numbers=(3, 4, 5, 6),
            words=True,
        )
        if rows
        else None
    )


def _finding(finding: Finding, formula: Formula, texts: Sequence[str]) -> tuple[Cell, ...]:
    cause, digits = finding.cause, finding.digits
    return (
        cause_phrases.label(cause, formula),
        _code(texts[cause.node]),
        finding.outcome.name.lower().replace("_", " "),
        NONE if finding.rows is None else _count(finding.rows),
        *map(_lost, (digits.typical, digits.nine_in_ten, digits.worst)),
        "measured" if finding.noise is ErrorKind.ROUNDING else "sensitivity",
    )


# The worst row, digit under digit


def digits(findings: Findings) -> DigitRows:
    """With what to write instead, if there is something."""
    leading = None if findings.repairs is None else findings.repairs.leading
    return digit_rows(findings.inspection, better=None if leading is None else leading.formula)


def numbers_under_each_other(findings: Findings, row: DigitRow) -> list[tuple[str, str, str, str]]:
    """Name, right characters, wrong ones, and what follows: of the exact value and each result."""
    lines = [("exact", row.exact, "", "")]
    results = [("double precision", row.computed, row.right, row.end)]
    if row.better and findings.repairs is not None and findings.repairs.leading is not None:
        name = "written instead" if findings.repairs.leading.is_exact else "by an approximation"
        results.append((name, row.better, row.better_right, row.better_end))
    return lines + [(name, t[:right], t[right:end], t[end:]) for name, t, right, end in results]


def gauges_picture(diagnosis: Diagnosis) -> Markup:
    """The three quantities as the page draws them."""
    verdict, writing = diagnosis.verdict, diagnosis.writing
    losses = (
        ("Sensitivity", verdict.sensitivity),
        ("Writing", writing.added),
        ("Measured", verdict.measured.quantiles),
    )
    return Markup(
        gauges_html([Gauge(name, str(gauge_words(name, size)), size) for name, size in losses])
    )


def gauges(findings: Findings) -> ReportTable:
    """The three quantities at half of the rows, at nine in ten, and at the worst."""
    verdict, writing = findings.diagnosis.verdict, findings.diagnosis.writing
    quantities = (
        ("sensitivity", verdict.sensitivity),
        ("added by the writing", writing.added),
        (f"measured in {verdict.measured.kind}", verdict.measured.quantiles),
    )
    return ReportTable(
        ("digits", "half", "90 %", "worst"),
        [
            (name, *map(_lost, (size.typical, size.nine_in_ten, size.worst)))
            for name, size in quantities
        ],
        "Digits at half of the rows, at nine in ten, and at the worst. Sensitivity: errors of "
        "inputs and steps grow by so much. Added by the writing: what this writing adds to what "
        "any other suffers. Measured: a program loses so much.",
        numbers=(1, 2, 3),
    )


# In numbers


def metrics(findings: Findings) -> ReportTable:
    return ReportTable(
        ("quantity", "value", "what it means"), [*_metrics(findings)], numbers=(1,), words=True
    )


def _metrics(findings: Findings) -> Iterator[tuple[Cell, Cell, Cell]]:
    inspection, verdict = findings.inspection, findings.diagnosis.verdict
    yield from _quantities(
        "sensitivity", verdict.sensitivity, "errors of inputs and steps grow by so many digits."
    )
    yield from _quantities(
        f"measured in {verdict.measured.kind}",
        verdict.measured.quantiles,
        "a program loses so many digits, held to the exact value at the nearest number of each "
        "cell.",
    )
    for loss in findings.diagnosis.losses:
        yield loss.name, _digits(loss.digits), wording.capital(MEANINGS[loss.key]) + "."
        if math.isinf(loss.digits):
            yield (
                f"{loss.name}, finite samples",
                _digits(loss.digits_finite),
                ("The same without the samples at which it is infinite."),
            )
    yield (
        "noise figure, dB",
        _digits(inspection.noise_figure_db),
        ("20 times EIC, as in electronics."),
    )
    yield (
        "complexity",
        _count(inspection.formula.complexity),
        ("Number of nodes of the tree: operators, variables and constants."),
    )
    in_doubles = double_range(inspection)
    yield (
        "no double-precision value",
        _count(in_doubles.count),
        (
            "Samples at which the formula, evaluated as it is written, gives no finite "
            "number, or a 0 "
            "that is none."
        ),
    )
    tail, spread = inspection.tail, spread_of(inspection)
    if tail is None or spread is None:
        return
    if spread.place:
        for name, value in (("median", tail.q50), ("90 %", tail.q90), ("99 %", tail.q99)):
            part = "Half" if name == "median" else name
            yield (
                f"log10 s at {spread.place}, {name}",
                _lost(value),
                (
                    f"At {part.lower()} of the samples errors grow by at most so many digits "
                    "there; local EIC is of the mean."
                ),
            )
        yield "worst 1 % of samples", _share(tail.top1_share), "Their part of the amplified noise."
    yield (
        "mean settled",
        str(spread.settled),
        (
            "If it is not, EIC would grow with more samples: a step crosses zero or comes near a "
            "pole, or the tail is heavy."
        ),
    )


def _quantities(name: str, digits: Quantiles, meaning: str) -> Iterator[tuple[Cell, Cell, Cell]]:
    yield f"{name}, half", _lost(digits.typical), f"At half of the rows {meaning}"
    yield f"{name}, 90 %", _lost(digits.nine_in_ten), "The same at nine in ten rows."
    yield f"{name}, worst", _lost(digits.worst), "The same at the worst row."


# The operators whose noise it is


def target(findings: Findings) -> str:
    return short_text(findings.inspection.formula, findings.diagnosis.ledger.target, TEXT_LIMIT)


def entries(ledger: Ledger) -> ReportTable:
    return ReportTable(
        (
            "noise",
            "introduced here",
            "mean over samples",
            "inherited through it",
            "amplified, times",
            "masked",
        ),
        [
            (
                str(ledger.source(row)),
                _share(row.share),
                _share(row.mean_share),
                _share(row.inherited),
                _plain(row.gain),
                "yes" if row.masked else "no",
            )
            for row in [row for row in ledger.ranked if row.share > 0][:LEDGER_ROWS]
        ],
        "Introduced: its part of the amplified noise, summed over the samples. Mean: "
        "the same part sample by sample, so that no sample dominates. Inherited: what comes "
        "through it from below. Masked: its local EIC is larger than the target's by a digit or "
        "more, and yet hardly any of the noise arises there.",
        numbers=(1, 2, 3, 4),
    )


# Where in the data


def carriers(where: Where) -> ReportTable:
    different = {len(c.positions): c for c in where.carriers}
    return ReportTable(
        ("part of the noise", "rows that carry it", "of the rows"),
        [
            (_share(c.share), _count(rows), _share(rows / where.finite))
            for rows, c in different.items()
        ],
        numbers=(1, 2),
    )


def worst_rows(inspection: Inspection, where: Where) -> ReportTable:
    """The rows that keep no digit, then those of the largest share."""
    order = np.argsort(-where.shares, kind="stable")[:TOP_ROWS].tolist()
    chosen = [*where.singular[:TOP_ROWS], *(k for k in order if where.shares[k] > 0)][:TOP_ROWS]
    names = inspection.formula.subtree(where.node_id).variables[:MOST_INPUTS]
    columns = inspection.samples.columns
    texts = node_texts(inspection.formula, TEXT_LIMIT)
    return ReportTable(
        ("row", *names, "digits there, log10 s", "part of the noise"),
        [
            (
                _count(where.row_number(k)),
                *(_plain(float(columns[name][k])) for name in names),
                _digits(float(np.log10(where.s[k]))),
                _share(float(where.shares[k])),
            )
            for k in chosen
        ],
        f"The worst rows, at `{texts[where.node_id]}`.",
        numbers=range(len(names) + 3),
    )


# Function or writing


def inputs(conditioning: OwnConditioning) -> ReportTable:
    return ReportTable(
        ("input", "condition number (rms)", "largest", "part of the function’s own"),
        [
            (f"`{v.name}`", _plain(v.rms), _plain(v.largest), _share(v.share))
            for v in conditioning.variables
        ],
        "How many times the function multiplies a relative error of an input.",
        numbers=(1, 2, 3),
    )


# Checked in other ways


BADGES = {OK: "✓ agree", EXPLAINED: "≈ explained", UNCLEAR: "▲ unclear"}
"""Texts of badges; the keys are their CSS classes."""


def truth(formula: Formula, triangulation: Triangulation) -> ReportTable:
    """The recursion beside perturbation and the observed errors."""
    texts = node_texts(formula, TEXT_LIMIT)
    sigma = f"{triangulation.nodes[-1].shaken[-1].sigma:g}" if triangulation.nodes else "—"
    return ReportTable(
        (
            "node",
            "predicted",
            "shared noise",
            "tried, 95 %",
            "measured in float64",
            "measured in float32",
            "agreement",
        ),
        [
            (
                _code(texts[n.node_id]),
                _digits(n.recursion),
                _digits(n.shared),
                _shaken(n.shaken[-1]),
                _digits(n.float64.digits),
                _digits(n.float32.digits),
                Badge(n.agreement.badge, BADGES[n.agreement.badge]),
            )
            for n in triangulation.nodes
        ],
        f"Digits up to each step, on {len(triangulation.samples):,} rows. Predicted: its local "
        "EIC, independent noise. "
        "Shared noise: copies of an input or sub-expression err alike. Tried: the formula run "
        f"with random errors of {sigma}. Measured in float64, float32: the error observed "
        "against exact values, in units of roundoff (one rounding is about −0.4).",
        numbers=(1, 2, 3, 4, 5),
    )


def _shaken(shaken: Shaken) -> Cell:
    return (_digits(shaken.local_eic), " (", _digits(shaken.low), " to ", _digits(shaken.high), ")")


def differences(formula: Formula, triangulation: Triangulation) -> list[Cell]:
    texts = node_texts(formula, TEXT_LIMIT)
    places: dict[str, list[int]] = {}
    for n in triangulation.nodes:
        for reason in map(str, n.agreement.sentences):
            places.setdefault(reason, []).append(n.node_id)
    return [(*_places(where, texts), f": {reason}") for reason, where in places.items()]


def _places(nodes: list[int], texts: Sequence[str]) -> Iterator[Piece]:
    for number, node in enumerate(nodes[:3]):
        yield from (", ",) if number else ()
        yield _code(texts[node])
    if len(nodes) > 3:
        yield from (" and ", _count(len(nodes) - 3), " more")


# How many digits it needs


def effect(budget: Budget) -> ReportTable | None:
    """The shortened formula beside the one given; None if nothing is shortened."""
    if not any(need.shortened not in ("", need.name) for need in budget.needs):
        return None
    rows: list[tuple[Cell, ...]] = [
        ("EIC, finite samples", _digits(budget.eic_before), _digits(budget.eic_after)),
    ]
    if budget.scale.of == "target":
        rows.append(("R² against the target", _plain(budget.r2_before), _plain(budget.r2_after)))
    return ReportTable(("", "as given", "shortened"), rows, numbers=(1, 2))


def needs(budget: Budget) -> ReportTable:
    return ReportTable(
        ("number", "kind", "digits given", "needed alone", "needed together", "shortened"),
        [
            (
                _code(need.name),
                need.kind,
                _count(need.given),
                _count(need.alone),
                _count(need.together),
                _code(need.shortened) if need.shortened else NONE,
            )
            for need in budget.needs
        ],
        "Significant digits. Alone: nothing else is rounded. Together: everything is.",
        numbers=(2, 3, 4),
    )


# What remains of its fit


def robustness(card: RobustnessCard) -> ReportTable:
    return ReportTable(
        ("R²", "value", "what was done"),
        [(str(line.name), _fit(line.r2), str(line.meaning)) for line in card.lines],
        str(no_value()) if any(math.isnan(line.r2) for line in card.lines) else "",
        numbers=(1,),
        words=True,
    )


# The samples, and every node


def samples(inspection: Inspection) -> ReportTable:
    counts = inspection.counts
    return ReportTable(
        ("samples", "number", "what they are"),
        (
            ("all", _count(counts.total), "Rows on which the formula was measured."),
            ("valid", _count(counts.valid), "Every node has a real value; means are over these."),
            (
                "invalid",
                _count(counts.invalid - counts.left_out),
                "Some node has no real value; left out.",
            ),
            ("singular", _count(counts.singular), "Valid, but some node keeps no digit."),
            ("rechecked", _count(counts.rechecked), "Beyond double precision; settled in balls."),
            (
                "unresolved",
                _count(counts.unresolved),
                "After the limit of the check, and left out; or a 0 that no proof decides.",
            ),
        ),
        numbers=(1,),
        words=True,
    )


def reasons(inspection: Inspection) -> ReportTable | None:
    """Why samples have no value or no digit at a node; None if all have both everywhere."""
    texts = node_texts(inspection.formula, TEXT_LIMIT)
    rows: list[tuple[Cell, ...]] = []
    for n in inspection.nodes:
        unsettled = inspection.amplification.unsettled_at.get(n.node.id, 0)
        if n.invalid > unsettled:
            why = cause_phrases.domain(inspection.formula, n.node.id)
            count = _count(n.invalid - unsettled)
            rows.append((_code(texts[n.node.id]), "no real value", count, why))
        if unsettled:
            reason = "after the limit of the exact check"
            rows.append((_code(texts[n.node.id]), "not checked", _count(unsettled), reason))
        if n.singular:
            for cause, part in singular_causes(inspection, n.node.id):
                why = cause_phrases.clause(cause, inspection.formula)
                rows.append((_code(texts[n.node.id]), "no digit left", _count(len(part)), why))
    return ReportTable(("node", "what", "samples", "why"), rows, numbers=(2,)) if rows else None


def nodes(findings: Findings) -> ReportTable:
    inspection = findings.inspection
    texts = node_texts(inspection.formula, TEXT_LIMIT)
    shares = {row.node_id: row.share for row in findings.diagnosis.ledger.rows}
    defined = not math.isnan(inspection.eic)
    chooses = inspection.amplification.chooses
    return ReportTable(
        (
            "id",
            "sub-expression",
            "operator",
            "local EIC",
            "finite samples",
            "amplification",
            "share of the noise",
            "invalid",
            "singular",
            *(["evaluated at"] if chooses else []),
        ),
        [
            (
                str(n.node.id),
                _code(texts[n.node.id]),
                n.node.operator,
                _digits(n.local_eic),
                _digits(n.local_eic_finite),
                _plain(n.s_bar),
                _share(shares[n.node.id]) if n.node.id in shares else NONE,
                _count(n.invalid),
                _count(n.singular),
                *([_count(n.evaluated)] if chooses else []),
            )
            for n in inspection.nodes
        ],
        "In post-order; the worst step stands out. Local EIC: the digits by which errors grow up "
        "to the node, independent noise. Share: of the noise at the node of largest finite loss."
        + (
            " A node in a branch is evaluated where the branch is taken; its means are over these "
            "samples."
            if chooses
            else ""
        ),
        numbers=(0, 3, 4, 5, 6, 7, 8, *([9] if chooses else [])),
        marked=frozenset([inspection.worst_step] if defined else []),
    )


# Reproduce


def command(findings: Findings, provenance: Provenance) -> str | None:
    inspection = findings.inspection
    return command_line(
        inspection.formula, inspection.samples, provenance, options=_options(findings)
    )


def carried(findings: Findings) -> str:
    # lone surrogates, which a formula may hold, have no UTF-8
    text = json.dumps(findings.to_json(), allow_nan=False, ensure_ascii=False)
    return base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")


def _options(findings: Findings) -> list[str]:
    options = [f"--no-{part}" for part in PARTS if findings.missing.get(part) == LEFT_OUT]
    budget, repairs = findings.budget, findings.repairs
    effort = findings.inspection.effort if repairs is None else repairs.effort
    if effort != EFFORTS["normal"]:
        options += ["--effort", f"{effort:g}"]
    if budget is not None and budget.tolerance != TOLERANCE:
        options += ["--tolerance", repr(budget.tolerance)]
    return options


def facts(inspection: Inspection, provenance: Provenance) -> ReportTable:
    return ReportTable(("", "value"), [*_facts(inspection, provenance)], words=True)


def _facts(inspection: Inspection, provenance: Provenance) -> Iterator[tuple[Cell, Cell]]:
    samples = inspection.samples
    yield "samples", _count(len(samples))
    yield "hash of the data", _code(samples.digest())
    if provenance.file_name:
        yield "file", _code(provenance.file_name)
        yield "hash of the file", _code(provenance.file_hash)
        for name, column in provenance.mapping.items():
            yield f"column of `{name}`", _code(column)
        if provenance.target:
            yield "target", _code(provenance.target)
    elif provenance.domains:
        for name, domain in provenance.domains:
            yield f"range of `{name}`", _code(str(domain))
    else:
        yield "source", samples.origin or "columns given in Python"
    yield "seed", str(provenance.seed)
    yield from versions().items()
