"""Is it EIC, or what the eye sees?"""

from __future__ import annotations

from eic_core import wording
from study.report import terms
from study.report.analysis import StudyReport
from study.report.phrases.looks import dose_sentence, structure_sentence
from study.report.phrases.numbers import interval_text
from study.report.section import Fact, Section
from study.report.section_parts import interval_head, threat_section


def structure_section(report: StudyReport) -> Section:
    found = report.threats.structure
    rate, interval = found.adjusted_rate or (None, None)
    dose = dose_sentence(found)
    return threat_section(
        "structure",
        "Is it EIC, or what the eye sees?",
        found,
        lines=(str(structure_sentence(found)), *((str(dose),) if dose else ())),
        facts=(
            Fact("rate between formulas that look alike", wording.percent(rate, 1)),
            Fact(interval_head(report.level), interval_text(interval), terms.INTERVAL),
            Fact(
                "p of the growth with the gap, one-sided",
                wording.p_number(found.dose_p, 3),
                "How often so steep a growth or a steeper one would be found if the preference did "
                "not grow with the gap in EIC.",
            ),
            Fact(
                f"pairs in which {found.predictor.name or 'a visible count'} tells the lower EIC",
                wording.percent(found.predictor.auc, 0),
                "By the best visible count, each problem judged by the others; 50 % is chance.",
            ),
        ),
        explanation="A clustered logistic regression of the votes on the gap in EIC, the side, and "
        "what else a rater sees: R², complexity, functions, nesting, depth, length, digits. The "
        "preference remains if it is clear where these do not differ, and vanishes if the interval "
        "there includes one half; if also the rate of all votes, the votes are too few to tell.",
    )
