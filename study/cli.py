"""The command line: `python -m study pairs`, `plan` and `report`."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import JSON
from eic_core.cli.command_table import Command, OptionGroup, OptionRow, Options, parser_of
from eic_core.cli.exits import exit_status, refuse_page_on_terminal, write_out
from eic_core.cli.progress import ProgressLine
from eic_core.errors import UserError
from eic_core.exports import json_text
from study.matching import MODES, SECONDS, MatchingRules, match_pool, read_scored
from study.matching.looks import cost_sentence, gaps_sentence, looks_sentence
from study.matching.result import write_pairs
from study.matching.rules import DISTINCT
from study.planning import (
    CAUTIOUS,
    PAPER,
    Advice,
    Plan,
    Target,
    VerdictRule,
    advise,
    plan,
    read_sizes,
    sizes_of,
)
from study.planning.phrases import (
    advice_sentences,
    compare_sentence,
    design_sentence,
    paper_assumes,
    plan_sentences,
)
from study.report import read_export
from study.report.analysis import StudyReport, analyse
from study.report.document import document_text
from study.report.phrases.limits import in_words
from study.report.published import PublishedCounts
from study.report.text import render_text
from study.statistics.inference import ESTIMANDS

_DEFAULT_RULES = MatchingRules()

_MODEL = {
    "pairs": ("N", "matched pairs"),
    "raters": ("N", "people who rate"),
    "ballots": ("N", "ballots of each rater"),
    "problems": ("N", "problems that the pairs come from"),
    "preference": ("X", "share of votes for lower EIC that is supposed to be true"),
    "kappa": ("X", "agreement of two raters on a pair: Fleiss' kappa of a long study"),
    "problem_share": ("X", "how much of that belongs to the problems, 0 to 1"),
    "rater_correlation": ("X", "correlation of one rater's votes"),
    "drop_out": ("X", "share of raters who stop early"),
    "excluded": ("X", "share of sessions that do not count"),
    "tie_share": ("X", "share of votes that decide for neither"),
    "unequal": ("X", "unevenness of the votes on pairs, 0 to 2"),
}
"""What a plan supposes of a study: the value of an option and its words."""


def run_pairs(options: Options) -> None:
    values = vars(options) | {
        "r2_column": options.r2,
        "max_calls_gap": options.max_delta_calls,
        "max_depth_gap": options.max_delta_depth,
        "max_length_gap": options.max_delta_length,
        "exponents": _DEFAULT_RULES.exponents,  # the pool's are taken
    }
    rules = MatchingRules(**{each.name: values[each.name] for each in fields(MatchingRules)})
    if options.k is not None and options.mode != "best":
        raise UserError("--k goes with --mode best")
    if not options.seconds > 0:
        raise UserError(f"the choice cannot take {options.seconds:g} seconds")
    started = time.perf_counter()
    pool = read_scored(options.scored, r2=rules.r2_column)
    result = match_pool(
        pool,
        rules,
        mode=options.mode,
        k=options.k,
        problems=options.problems,
        seconds=options.seconds,
    )
    write_pairs(options.out, result.pairs, gaps=options.problems is not None)
    seconds = time.perf_counter() - started
    print(result.summary(), file=sys.stderr)
    sentences = [gaps_sentence(result), looks_sentence(result.pairs)]
    if rules.further:
        plain = match_pool(
            pool,
            rules.without_further(),
            mode=options.mode,
            k=options.k,
            problems=options.problems if rules.exclude_same_function else None,
            seconds=options.seconds,
        )
        if result.complete and plain.complete:
            sentences.append(cost_sentence(result, plain))
    print(*filter(None, sentences), sep="\n", file=sys.stderr)
    print(f"{len(result.pairs):,} pairs in {seconds:.1f} s -> {options.out}", file=sys.stderr)


def run_plan(options: Options) -> None:
    target = None
    if options.half_width is not None or options.power is not None:
        target = Target(options.half_width, options.power)
    changes = {n: getattr(options, n) for n in _MODEL if getattr(options, n) is not None}
    if options.sizes is not None:
        if {"pairs", "problems"} & set(changes):
            raise UserError("--sizes goes without --pairs and --problems: it holds both")
        sizes = _sizes(options.sizes)
        changes |= {"pairs": sum(sizes), "problems": len(sizes), "sizes": sizes}
    model = replace(PAPER if options.paper else CAUTIOUS, **changes)
    rule = VerdictRule(options.level, options.one_sided, options.estimand)
    line = ProgressLine(elsewhere=math.inf)

    def progress(done: int, total: int) -> None:
        line.show(f"{done:,} of {total:,} studies", last=done >= total)

    settings: dict[str, Any] = {
        "studies": options.studies,
        "seed": options.seed,
        "progress": progress,
    }
    result = plan(model, rule, **settings)
    advice = advise(model, target, rule, start=result, **settings) if target else None
    if options.json:
        value = {"plan": result.to_json(), "advice": advice.to_json() if advice else None}
        write_out(json_text(in_words(value)), None)
        return
    print(*_lines(result, advice, [str(paper_assumes())] if options.paper else []), sep="\n")


def _sizes(source: str) -> tuple[int, ...]:
    path = Path(source)
    if source and path.is_dir():
        return sizes_of(pair.problem for pair in read_export(path).pairs)
    try:
        return read_sizes(path.read_text(encoding="utf-8") if path.is_file() else source)
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is no text", hint="take a table of pairs, as CSV") from error


def _lines(result: Plan, advice: Advice | None, assumed: list[str]) -> list[str]:
    parts = [str(design_sentence(result.model)), *assumed, ""]
    parts += map(str, plan_sentences(result))
    compared = compare_sentence(result.model, result.rule)
    parts += [str(compared)] if compared else []
    parts += ["", *_table(result)]
    if advice is not None:
        parts += ["", *map(str, advice_sentences(advice))]
    return [*parts, "", f"{result.studies:,} simulated studies, seed {result.seed}."]


def _table(result: Plan) -> list[str]:
    rows = (
        ("power, clustered test", result.power),
        ("power, at face value", result.power_at_face_value),
        ("power, binomial test", result.naive_power),
        ("half-width, clustered", result.half_width),
        ("half-width, Wilson", result.naive_half_width),
        ("coverage, clustered", result.coverage),
        ("coverage, Wilson", result.naive_coverage),
        ("design effect", result.design_effect),
        ("effective votes", result.effective_votes),
        ("called too small", result.too_small),
    )
    lines = [f"{'':24}{'value':>9}  {'MC error':>9}"]
    for name, value in rows:
        if value is None:
            lines.append(f"{name:24}{'none':>9}")
            continue
        digits = 1 if value.value >= 10 else 2 if value.value > 1 else 4
        lines.append(f"{name:24}{value.value:9.{digits}f}  {value.error:9.{digits}f}")
    return lines


def run_report(options: Options) -> None:
    extras = (options.pairs, options.raters, options.kappa)
    if options.counts is not None:
        _counts(options)
        return
    if options.folder is None:
        raise UserError("which study?", hint="name its folder, or give --counts LOWER/VOTES")
    if extras != (None, None, None):
        raise UserError("--pairs, --raters and --kappa go with --counts")
    if options.html:
        refuse_page_on_terminal(options.out)
    report = analyse(
        read_export(options.folder),
        level=options.level,
        seed=options.seed,
        estimand=options.estimand,
    )
    if options.bundle is not None:
        _bundle(report, options)
        return
    text = _rendered(report, options)
    write_out(text, options.out)


def _counts(options: Options) -> None:
    if options.folder is not None or options.html or options.bundle is not None:
        raise UserError("--counts goes without a folder, --html and --bundle")
    level = 0.95 if options.level is None else options.level
    counts = PublishedCounts.read(
        options.counts,
        pairs=options.pairs,
        raters=options.raters,
        kappa=options.kappa,
        level=level,
    )
    text = (
        json_text(counts.to_json())
        if options.json
        else ("\n".join(wording.wrap(line) for line in counts.sentences) + "\n")
    )
    write_out(text, options.out)


def _bundle(report: StudyReport, options: Options) -> None:
    if options.out is not None:
        raise UserError("--bundle names its own file; leave --out away")
    if options.bundle.resolve() == options.folder.resolve():
        raise UserError(
            "the archive cannot be the folder that is read", hint="name another one, or a .zip"
        )
    from study.report.bundle import write_bundle  # Matplotlib takes a second to import

    write_bundle(options.bundle, report)
    print(f"wrote {options.bundle}", file=sys.stderr)


def _rendered(report: StudyReport, options: Options) -> str:
    if options.json:
        return document_text(report)
    if options.html:
        from study.report.page import render_html  # Matplotlib takes a second to import

        return render_html(report)
    return render_text(report) + "\n"


def _limit(name: str, value: str = "X", help: str = "") -> OptionRow:
    """The option of a rule that is a number."""
    return OptionRow(name, value, help, default=getattr(_DEFAULT_RULES, name[2:].replace("-", "_")))


PAIRS = Command(
    "pairs",
    "matched pairs of a scored pool",
    (
        OptionRow("scored", "SCORED.csv", "written by python -m eic_core score; gzipped or not"),
        OptionRow("--out", "PAIRS.csv", required=True),
        OptionRow("--r2", "COLUMN", "column that holds R²", default=_DEFAULT_RULES.r2_column),
        OptionRow("--problems", "DIR", "holds PROBLEM.csv, to label pairs that are one function"),
        OptionRow(
            "--mode",
            help="disjoint pairs of maximal total -L (default), all pairs, or the best K of each "
            "problem",
            default="matching",
            choices=MODES,
        ),
        OptionRow("--k", "K", "pairs a problem, with --mode best", kind=int),
        OptionRow(
            "--seconds",
            "S",
            "cut the choice of a problem's disjoint pairs short after about S seconds, and say so",
            default=SECONDS,
        ),
        OptionGroup(
            (
                _limit("--max-complexity-gap", "N"),
                _limit("--max-r2-gap"),
                _limit("--min-eic-gap"),
                _limit("--min-best-r2", help="the larger R² must be above it"),
                OptionRow("--include-invalid", help="keep formulas with invalid samples"),
                OptionRow("--include-singular", help="keep formulas with singular samples"),
                OptionRow(
                    "--exclude-same-function",
                    help="leave out pairs that are one function; needs --problems",
                ),
                _limit("--same-function-tolerance", help="relative"),
            ),
            title="rules",
        ),
        OptionGroup(
            (
                *(
                    OptionRow(
                        f"--max-delta-{what}",
                        "N",
                        f"largest difference in {words}; default: any",
                        kind=int,
                    )
                    for what, words in (
                        ("calls", "calls of functions"),
                        ("depth", "depth of the trees"),
                        ("length", "printed symbols"),
                    )
                ),
                OptionRow(
                    "--min-gap-share",
                    "X",
                    "the EIC gap must hold in this share of 200 draws of the problem's rows; needs "
                    "--problems",
                    kind=float,
                ),
                OptionRow(
                    "--gap-without-worst-row",
                    help="the EIC gap must hold without the row that carries most of the higher "
                    "one's loss; needs --problems",
                ),
                OptionRow(
                    "--distinct",
                    help="what serves at most once: formulas of one text (default), of one tree "
                    "without its constants, or each row by itself",
                    default=_DEFAULT_RULES.distinct,
                    choices=DISTINCT,
                ),
                OptionRow(
                    "--near-twins",
                    help="allow pairs of one tree but for its constants, which are left out "
                    "otherwise",
                ),
            ),
            title="further rules",
        ),
    ),
    run_pairs,
    "Choose pairs of formulas alike in complexity and R² and apart in EIC.",
)

PLAN = Command(
    "plan",
    "what a study of some size will find",
    (
        OptionRow("--paper", help="start from the study of Yu et al.; other options change it"),
        *(
            OptionRow(
                f"--{name.replace('_', '-')}",
                value,
                f"{words}; default: {getattr(CAUTIOUS, name):g}",
                kind=type(getattr(CAUTIOUS, name)),
            )
            for name, (value, words) in _MODEL.items()
        ),
        OptionGroup(
            (
                OptionRow(
                    "--half-width",
                    "X",
                    "find designs whose interval is ± X, such as 0.04",
                    kind=float,
                ),
                OptionRow(
                    "--power",
                    "X",
                    "find designs whose test finds the preference so often, such as 0.9",
                    kind=float,
                ),
            ),
            one_of=True,
        ),
        OptionRow("--studies", "N", "simulated studies", default=1000),
        OptionRow("--seed", "N", default=0),
        OptionRow("--level", "X", "confidence level", default=0.95),
        OptionRow(
            "--one-sided",
            help="the study declares a one-sided test, at 1 - level; default: two-sided",
        ),
        OptionRow(
            "--estimand",
            help="what the study declares that it is about; default: problems like these from ten "
            "problems on",
            choices=ESTIMANDS,
        ),
        OptionRow(
            "--sizes",
            "SIZES",
            "pairs of each problem, instead of --pairs and --problems: numbers such as 42,22,19, "
            "or a table of pairs with a column `problem` (PAIRS.csv), or the folder of an exported "
            "study; default: all of one size",
        ),
        JSON,
    ),
    run_plan,
    "Simulate studies of a design, and say how sharp they are and what would make them sharper.",
)

REPORT = Command(
    "report",
    "what a closed study found",
    (
        OptionRow("folder", "DIR", "holds study.json and votes.csv", count="?"),
        OptionGroup(
            (
                OptionRow("--counts", "LOWER/VOTES", "say what these support, such as 586/840"),
                OptionRow("--pairs", "N", "pairs that they are on", kind=int),
                OptionRow("--raters", "N", "people who cast them", kind=int),
                OptionRow("--kappa", "X", "agreement of two on a pair", kind=float),
            ),
            title="published counts, instead of a folder",
        ),
        OptionGroup(
            (
                JSON,
                OptionRow(
                    "--html",
                    help="print a self-contained page; on a terminal, --out names its file",
                ),
                OptionRow(
                    "--bundle",
                    "FILE",
                    "write everything into this archive (.zip), or into this folder: the report, "
                    "figures, tables, codebook, methods and the frozen configuration",
                ),
            ),
            one_of=True,
        ),
        OptionRow("--out", "FILE", "write there instead of printing"),
        OptionRow(
            "--level",
            "X",
            "confidence level; default: as the study declares, else 0.95",
            kind=float,
        ),
        OptionRow("--seed", "N", "of the bootstraps", default=0),
        OptionRow(
            "--estimand",
            help="what the headline is about; default: as the study declares, else problems like "
            "these from ten problems on",
            choices=ESTIMANDS,
        ),
    ),
    run_report,
    "Statistics of a study, from the folder that python -m db export wrote.",
)


def build_parser() -> argparse.ArgumentParser:
    return parser_of(
        "python -m study",
        "Matched pairs of formulas, plans of studies, and reports of closed ones.",
        (PAIRS, PLAN, REPORT),
    )


def main(argv: Sequence[str] | None = None) -> int:
    options = build_parser().parse_args(argv)
    return exit_status(lambda: options.run(options))
