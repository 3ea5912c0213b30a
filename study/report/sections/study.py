"""What was studied, who took part, and which votes count."""

from __future__ import annotations

from study.report import terms
from study.report.analysis import StudyReport
from study.report.sections.section import Fact, Section
from study.report.words import minute_text, seconds_text
from study.statistics.words import counted


def pairs_section(report: StudyReport) -> Section:
    """The pairs: alike in complexity and R², apart in EIC."""
    pairs = report.export.pairs
    return Section(
        key="pairs",
        group="study",
        title="The pairs",
        lines=(
            "The two formulas of a pair describe the same data; they are alike in complexity and "
            "R², and apart in EIC."
            if pairs
            else "The study has no pairs.",
        ),
        figure="distributions",
        facts=(
            Fact("pairs", f"{len(pairs):,}"),
            Fact("problems", f"{len({pair.problem for pair in pairs}):,}"),
            Fact("pairs whose formulas are one function",
                 f"{sum(pair.same_function for pair in pairs):,}",
                 "Equal up to rounding on the problem's data: only the writing differs."),
        ),
    )  # fmt: skip


def votes_section(report: StudyReport) -> Section:
    """Raters, votes, and the exclusion rule."""
    export, raters, per_pair = report.export, report.export.raters, report.votes_per_pair.values()
    attention = report.attention
    left_out = [Fact(f"left out: {why}", f"{n:,}") for why, n in report.excluded.items()]
    return Section(
        key="votes",
        group="study",
        title="Raters and votes",
        lines=(export.exclusion.sentence,),
        facts=(
            Fact("invited", f"{raters.invited:,}"),
            Fact("consented", f"{raters.consented:,}"),
            Fact("finished", f"{raters.finished:,}"),
            Fact("withdrawn", f"{raters.withdrawn:,}", "Their votes are deleted."),
            Fact("raters left out entirely", f"{report.excluded_raters:,}"),
            Fact("votes cast", f"{len(report.cast):,}"),
            *left_out,
            Fact("votes valid", f"{len(report.valid):,}"),
            Fact("attention checks", f"{attention.passed} of {attention.answered} passed",
                 terms.ATTENTION),
            Fact("median time of a vote", seconds_text(report.median_seconds), terms.ACTIVE),
            Fact("median time of a session", seconds_text(report.median_session_seconds),
                 terms.ACTIVE),
            Fact("votes on a pair",
                 f"{min(per_pair, default=0)} to {max(per_pair, default=0)} "
                 f"on {counted(len(per_pair), 'pair')}"),
        ),
        figure="votes-per-pair",
    )  # fmt: skip


def source_section(report: StudyReport) -> Section:
    """Dates, hash, seed, software: what the numbers come from."""
    export = report.export
    return Section(
        key="source",
        group="study",
        title="Where the numbers come from",
        facts=(
            Fact("title", export.title),
            Fact("id", export.study),
            Fact("frozen", minute_text(export.frozen_at)),
            Fact("closed", minute_text(export.closed_at)),
            Fact("exported", minute_text(export.exported_at)),
            Fact("hash", export.hash, terms.HASH),
            Fact("seed", str(report.seed), terms.SEED),
            Fact("estimand", report.estimand, terms.ESTIMAND),
            Fact("software", report.software.sentence),
        ),
    )
