"""A report as JSON: plain values, null for what is not defined."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import asdict
from typing import Any

from eic_core.exports import json_form, json_text
from eic_core.phrasing import Phrase
from study.report.analysis import StudyReport
from study.report.exported import utc_text
from study.report.flow import StudyFlow, attrition
from study.report.phrases.agreement import agreement_sentence, prevalence_sentence
from study.report.phrases.limits import in_words
from study.report.phrases.notes import notes
from study.report.phrases.rates import (
    effect_sentence,
    equal_sentence,
    exclusion_sentence,
    lost_sentence,
    mixed_sentence,
    rate_sentence,
    sign_test_sentence,
    subgroups_sentence,
)
from study.report.phrases.threats import threat_sentence
from study.report.phrases.verdict import verdict
from study.statistics.agreement import CODING
from study.statistics.agreement_coefficients import Coefficient
from study.statistics.threats import Threats

_KAPPA = ("value", "reason", "observed", "expected", "subjects=pairs", "left_out", "votes")


def document_text(report: StudyReport) -> str:
    return json_text(document(report))


def document(report: StudyReport) -> dict[str, Any]:
    """The stable JSON form of a report.

    >>> from study.report.analysis import analyse
    >>> from study.report.exported import StudyExport
    >>> found = document(analyse(StudyExport("s", "Demo", "", (), ())))
    >>> found["headline"]["rate"], found["headline"]["reason"]
    (None, 'There are no valid votes.')
    """
    numbers: dict[str, Any] = in_words(_counts(report) | _results(report))
    return _source(report) | numbers | {"notes": [str(note) for note in notes(report)]}


def _source(report: StudyReport) -> dict[str, Any]:
    export = report.export
    return {
        "study": export.study,
        "title": export.title,
        "hash": export.hash,
        "frozen_at": utc_text(export.frozen_at),
        "closed_at": utc_text(export.closed_at),
        "exported_at": utc_text(export.exported_at),
        "software": report.software.to_json(),
        "seed": report.seed,
        "level": report.level,
        "estimand": report.estimand,
        "declared": report.declared.to_json() if report.declared else None,
        "seals": {
            "votes": sum(bool(seal.vote) and not seal.undo for seal in export.seals),
            "withdrawn": sum(not seal.vote and not seal.undo for seal in export.seals),
            "undone": sum(seal.undo for seal in export.seals),
            "unsealed": report.unsealed,
            "last_link": export.chain,
        },
        "unblindings": [look.to_json() for look in export.unblindings],
        "rules": dict(export.rules),
        "exclusion": export.exclusion.to_json() | _sentence(exclusion_sentence(export.exclusion)),
    }


def _counts(report: StudyReport) -> dict[str, Any]:
    votes = list(report.votes_per_pair.values())
    checks, sides = report.threats.attention, report.threats.sides
    return {
        "flow": StudyFlow.of(report).to_json()
        | {"attrition": [each.to_json(report.level) for each in attrition(report)]},
        "raters": asdict(report.export.raters)
        | {
            "with_votes": len({v.rater for v in report.votes_cast}),
            "excluded": report.excluded_raters,
            "excluded_unfinished": report.unfinished_excluded_raters,
        },
        "votes": {
            "cast": len(report.votes_cast),
            "excluded": report.votes_excluded,
            "valid": len(report.valid_votes),
            "attention": {"answered": checks.answered, "passed": checks.passed},
        },
        "pairs": {
            "total": len(votes),
            "held_gaps": report.held_gaps.to_json(),
            "without_votes": votes.count(0),
            "fewest_votes": min(votes, default=0),
            "most_votes": max(votes, default=0),
            "mean_votes": statistics.fmean(votes) if votes else None,
        },
        "left_chosen": {"left": sides.left, "right": sides.right},
        "seconds": {
            "by_rater_clock": report.votes_by_rater_clock,
            "median_vote": report.median_seconds,
            "median_session": report.median_session_seconds,
        },
    }


def _kappa(kappa: Coefficient, coding: str) -> dict[str, Any]:
    return json_form(kappa, _KAPPA) | {"coding": coding}


def _results(report: StudyReport) -> dict[str, Any]:
    """The headline, the paper's numbers beside it, agreement, threats."""
    level, said = report.level, verdict(report)
    bootstrap, two_way = report.bootstrap, report.two_way_bootstrap
    pairs = Counter(pair.problem for pair in report.export.pairs)
    preference = report.preference.to_json(level)
    kappa = _kappa(report.agreement.fleiss_kappa, CODING)
    return {
        "headline": report.inference.to_json(level)
        | _sentence(rate_sentence(report.inference))
        | {
            "finding": said.finding,
            "verdict": said.text,
            "bootstrap": bootstrap.to_json() if bootstrap else None,
            "two_way_bootstrap": two_way.to_json() if two_way else None,
            "sign_test": report.sign_test.to_json()
            | _sentence(sign_test_sentence(report.sign_test)),
        },
        "effect": report.effect.to_json() | _sentence(effect_sentence(report.effect)),
        "equal_problems": report.equal_problems.to_json(level)
        | _sentence(equal_sentence(report.equal_problems, level))
        if report.equal_problems
        else None,
        "lost_votes": report.lost_votes.to_json() | _sentence(lost_sentence(report.lost_votes)),
        "mixed": report.mixed.to_json(level)
        | {"apart": report.mixed_apart}
        | _sentence(mixed_sentence(report.mixed, report.mixed_apart)),
        "paper_comparable": {"preference": preference, "fleiss_kappa": kappa},
        "fleiss_kappa_by_side": _kappa(report.fleiss_kappa_by_side, "left, right"),
        "preference": preference,
        "preference_before_exclusions": report.preference_of_all.to_json(level),
        "by_problem": [
            {"problem": problem, "pairs": pairs[problem]} | chosen.to_json(level)
            for problem, chosen in report.by_problem.items()
        ],
        "fleiss_kappa": kappa,
        "agreement": report.agreement.to_json()
        | _sentence(agreement_sentence(report.agreement))
        | {"prevalence_sentence": str(prevalence_sentence(report.agreement))},
        "models": report.models.to_json(level),
        "threats": threats_json(report.threats),
        "subgroups": [
            each.to_json(level) | _sentence(subgroups_sentence(each)) for each in report.subgroups
        ],
        "reasons": report.written_reasons.to_json(),
    }


def threats_json(threats: Threats) -> dict[str, Any]:
    """Each with its sentence; that of raters who always click one side is within the sides."""
    found: dict[str, Any] = threats.to_json()
    for name, form in found.items():
        form |= _sentence(threat_sentence(getattr(threats, name)))
    found["sides"]["one_sided"] |= _sentence(threat_sentence(threats.sides.one_sided))
    return found


def _sentence(phrase: Phrase) -> dict[str, str]:
    return {"sentence": str(phrase)}
