"""What a study declared before its first vote, as a document to deposit elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eic_core import wording
from eic_core.errors import UserError
from study.design import StudyDesign, frozen_hash
from study.report.declared import DeclaredAnalysis
from study.report.phrases.notes import declared_sentence, giveaway_sentence, meaning_sentence

LIMITS = {
    "max_complexity_gap": "|ΔC| ≤ {:g}",
    "max_r2_gap": "|ΔR²| ≤ {:g}",
    "min_eic_gap": "|ΔEIC| ≥ {:g}",
    "min_best_r2": "larger R² > {:g}",
    "max_calls_gap": "|Δ calls of functions| ≤ {:g}",
    "max_depth_gap": "|Δ depth| ≤ {:g}",
    "max_length_gap": "|Δ printed symbols| ≤ {:g}",
    "min_gap_share": "share of draws of the rows with the gap ≥ {:g}",
}


def rule_limits(rules: Mapping[str, Any]) -> tuple[str, ...]:
    """What the frozen matching rules ask of a pair.

    >>> rule_limits({"max_complexity_gap": 2, "min_eic_gap": 2.0, "exponents": "noisy"})
    ('|ΔC| ≤ 2', '|ΔEIC| ≥ 2', 'literal exponents but 2 and 3 as noisy operands')
    """
    limits = [text.format(rules[name]) for name, text in LIMITS.items() if name in rules]
    if rules.get("gap_without_worst_row"):
        limits.append("the gap without its worst row")
    if rules.get("exponents") == "noisy":
        limits.append("literal exponents but 2 and 3 as noisy operands")
    return tuple(limits)


def preregistration(configuration: Mapping[str, Any]) -> str:
    """A frozen configuration as Markdown; the same bytes from the database and from an export of
    it. Raises `UserError` for format 1, which declares no analysis.
    """
    declared = DeclaredAnalysis.of(configuration)
    if declared is None:
        raise UserError(
            "this study declared no analysis before its first vote",
            hint="studies that are frozen from now on do",
        )
    design = StudyDesign.from_json(configuration["design"])
    pairs = [p for p in configuration["pairs"] if p["kind"] == "main" and not p["dropped"]]
    problems = {pair["problem"] for pair in pairs}
    wanted = len(pairs) * design.votes_per_pair
    limits = ", ".join(rule_limits(configuration["rules"]))
    unit = "whole session" if str(design.exclusion_unit) == "session" else "single votes"
    excluded = [
        f"A rater's {unit} of less than {design.exclusion_seconds:g} active seconds is left out."
        if design.exclusion_seconds
        else "Nothing is left out for being fast.",
        f"Raters who fail more than {design.max_failed_attention} attention checks are left out."
        if design.attention_checks and design.max_failed_attention is not None
        else "",
    ]
    sides = (
        "People prefer the formula of lower EIC (one-sided)."
        if declared.one_sided
        else "People prefer one of the two formulas, by their EIC (two-sided)."
    )
    told = str(configuration["design"].get("question_meaning", ""))
    meaning = f" {meaning_sentence(told)}" if told.strip() else ""
    given = f" {giveaway_sentence(design.giveaway_reason)}" if design.giveaway_reason else ""
    points = f"{100 * declared.smallest_effect:.3g} points"
    parts = (
        ("Question", f"{design.title} Raters are asked: {design.question}{meaning}"),
        ("Hypothesis", sides),
        (
            "Material",
            f"{wording.count(len(pairs), 'pair')} of formulas from "
            f"{wording.count(len(problems), 'problem')}, alike in accuracy and complexity "
            f"and apart "
            f"in EIC{f' ({limits})' if limits else ''}.{given}",
        ),
        (
            "Raters",
            f"Each rates {design.ballots_per_rater} pairs and "
            f"{wording.count(design.attention_checks, 'attention check')}; {design.votes_per_pair} "
            f"votes are wanted on each pair, {wanted:,} in all, from at least "
            f"{-(-wanted // design.ballots_per_rater):,} raters.",
        ),
        ("Exclusions", " ".join(filter(None, excluded))),
        (
            "Ties",
            "“Cannot decide” is offered; such votes are in no rate or test."
            if design.allow_tie
            else "Raters must decide.",
        ),
        (
            "Analysis",
            f"{declared_sentence(declared)} The rate has a two-way clustered t interval on the log "
            f"odds (docs/adr/0018-inference.md); it is "
            f"held against "
            f"one half, and by two one-sided tests against {points} to either side of it.",
        ),
        *(
            (
                (
                    "Subgroups",
                    f"The rate is reported by {design.subgroups} of the raters beside that of "
                    "all, with a test of the differences; no conclusion rests on it.",
                ),
            )
            if design.subgroups
            else ()
        ),
    )
    body = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in parts)
    return (
        f"# Pre-registration: {design.title}\n\nSHA-256 of the frozen study: "
        f"`{frozen_hash(configuration)}`\n\n{body}\n"
    )
