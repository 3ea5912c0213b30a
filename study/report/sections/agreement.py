"""How far raters agree with each other."""

from __future__ import annotations

from study.report import terms
from study.report.analysis import StudyReport
from study.report.sections.section import Section, Table
from study.report.words import interval_text, level_text, number
from study.statistics.words import counted

MEANINGS = (terms.RAW_AGREEMENT, terms.FLEISS, terms.KRIPPENDORFF, terms.GWET)


def agreement_section(report: StudyReport) -> Section:
    """Raw agreement and three coefficients beyond chance, on one coding of the votes."""
    found = report.agreement
    why = [c.too_small or c.interval_reason for c in found.coefficients if c.value is not None]
    if found.raw_agreement.value is None:
        return Section("agreement", "agreement", "Agreement between raters", (found.sentence,))
    return Section(
        key="agreement",
        group="agreement",
        title="Agreement between raters",
        lines=tuple(filter(None, (found.sentence, found.prevalence_sentence, *dict.fromkeys(why)))),
        tables=(
            Table(
                ("coefficient", "value", f"{level_text(report.level)} interval", "by chance"),
                tuple(
                    (c.name, number(c.value), interval_text(c.interval),
                     "—" if c.expected is None else number(c.expected))
                    for c in found.coefficients
                ),
                f"On {counted(found.raw_agreement.pairs, 'pair')} with two or more deciding votes; "
                f"{found.coding}.",
            ),
        ),
        figure="agreement",
        explanation=" ".join(MEANINGS)
        + " The intervals draw the pairs again, with all their votes (bias-corrected bootstrap).",
    )
