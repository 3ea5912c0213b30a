"""`python -m eic_core gap`: how EIC is distributed over laws, benchmarks and found formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import EXPONENTS_OPTION, JSON, whole_number
from eic_core.cli.command_table import Command, OptionRow, Options, show
from eic_core.cli.exits import fault_of_file, refuse_unwritable
from eic_core.cli.progress import ProgressLine
from eic_core.corpora.claims import (
    LAWS,
    OWN_RUNS,
    claims,
    figure_rows,
    groups_by_method,
    groups_of_laws,
    groups_of_short_runs,
    interval_text,
    laws_behind,
)
from eic_core.corpora.found import LawRows, TableRows, measure_found
from eic_core.corpora.gap import (
    LEVEL,
    MEAN,
    MEASURES,
    Q90,
    GapDifference,
    Group,
    compare_groups,
    summarise,
)
from eic_core.corpora.laws import NAMES, RULES, load
from eic_core.corpora.measured import COUNTS, SEED
from eic_core.errors import DataError
from eic_core.exports import csv_writer
from eic_core.pool.importers import import_formulas


def run(options: Options) -> None:
    if options.samples < 1:
        raise DataError("--samples must be at least 1")
    if options.seed < 0:
        raise DataError("--seed must not be negative")
    refuse_unwritable(options.out)
    counts = tuple(sorted({*COUNTS, options.samples}))
    names = tuple(name for name in NAMES if name in (options.corpus or NAMES))
    chosen: dict[str, Any] = {
        "seed": options.seed,
        "exponents": options.exponents,
        "anew": options.anew,
    }
    laws = groups_of_laws(names, counts, rule=options.rule, progress=ProgressLine().count, **chosen)
    own: tuple[Group, ...] = ()
    if {"feynman", "strogatz"} <= set(names):
        own = groups_of_short_runs(counts, progress=ProgressLine().count, **chosen)
    pools = [group for path in options.pool for group in _pool(path, counts, options)]
    groups = (*laws, *own, *pools)
    if options.out is not None:
        _write(options.out, groups)
    show(
        options,
        lambda: _lines(groups, counts, options),
        lambda: _document(groups, counts, options),
    )


def _pool(path: Path, counts: Sequence[int], options: Options) -> tuple[Group, ...]:
    with fault_of_file("read", path):
        rows = import_formulas(path.read_bytes(), name=path.name).rows
    if not any(row.problem for row in rows):
        raise DataError(
            f"{path.name} does not say what its formulas were found for",
            hint="it needs a header, and in it the columns `problem` (feynman_I_6_2, ..., or a "
            "table of --problems) and `formula`",
        )
    rows = tuple(replace(row, exponents=options.exponents) for row in rows)
    where = (
        LawRows(counts, options.seed) if options.problems is None else (TableRows(options.problems))
    )
    pool = measure_found(rows, where, progress=ProgressLine().count)
    if not any(method.formulas for method in pool):
        reasons = Counter[str]()
        for method in pool:
            reasons.update(method.left_out)
        raise DataError(
            f"{path.name} holds no formula that can be compared: "
            + "; ".join(f"{number} {reason}" for reason, number in reasons.items()),
            hint="its problems must be laws of the corpora, or tables of --problems",
        )
    return groups_by_method(pool)


def _document(groups: Sequence[Group], counts: Sequence[int], options: Options) -> dict[str, Any]:
    return {
        "samples": options.samples,
        "seed": options.seed,
        "exponents": options.exponents,
        "level": LEVEL,
        "groups": [
            summarise(group, count, measure, seed=options.seed)
            for group in groups
            for measure in MEASURES
            for count in _counts_of(group, counts)
        ],
        "differences": _differences(groups, options),
        "claims": claims(groups, options.samples, seed=options.seed),
        "sampling": {name: load(name).sampling for name in options.corpus or NAMES},
        "sources": {name: load(name).source for name in options.corpus or NAMES},
    }


def _counts_of(group: Group, counts: Sequence[int]) -> tuple[int, ...]:
    """One for a group on tables."""
    return tuple(counts) if group.by_rows else (counts[0],)


def _lines(groups: Sequence[Group], counts: Sequence[int], options: Options) -> list[str]:
    level = wording.level_percent(LEVEL)
    first = [
        f"EIC of {wording.count(options.samples, 'row')} a formula, seed {options.seed}; "
        f"[{level} intervals] resample laws; named equations: {options.rule}"
        + ("" if options.exponents == "exact" else f"; exponents: {options.exponents}"),
        "",
        f"{'':32} {'n':>5} {'laws':>5} {'below 1':>8} {'q25':>8} {'median':>18} "
        f"{'q75':>6} {'mean':>18} {'q90: median':>18}",
        *(_row(group, options) for group in groups),
        *(
            f"{group.title}: {number} left out, {reason}"
            for group in groups
            for reason, number in group.left_out.items()
        ),
        *_without_value(groups, options),
    ]
    claimed = ["What Yu et al. say, and what is found"]
    for claim in claims(groups, options.samples, seed=options.seed):
        statement = f"* {claim.statement} ({claim.place})"
        claimed += [statement, f"  found: {claim.evidence}", f"  so: {claim.verdict}"]
    rules = _rules(counts, options) if any(group.key == "wikipedia" for group in groups) else []
    differences = _difference_lines(groups, options)
    parts = first, _dependence(groups, counts, options), rules, differences, claimed
    return [line for part in parts if part for line in ("", *part)][1:]


def _difference_lines(groups: Sequence[Group], options: Options) -> list[str]:
    lines = [
        f"{f'{more.first.title} less {more.second.title}':60} "
        f"{interval_text(more.median, signed=True):>22} "
        f"{interval_text(more.mean, signed=True):>22} {more.shared_laws:>6}"
        for more in _differences(groups, options)
    ]
    head = f"{'Difference':60} {'of medians':>22} {'of means':>22}  laws of both"
    return [head, *lines] if lines else []


def _row(group: Group, options: Options) -> str:
    mean = summarise(group, options.samples, seed=options.seed)
    q90 = summarise(group, options.samples, Q90, seed=options.seed)
    title = f"{group.title} ({group.note})" if group.note else group.title
    return (
        f"{title:32} {mean.count:>5} {mean.laws:>5} "
        f"{wording.percent(mean.share_below_1.value, 0, missing='—'):>8} "
        f"{wording.number(mean.quartile1):>8} {interval_text(mean.median):>18} "
        f"{wording.number(mean.quartile3):>6} {interval_text(mean.mean):>18} "
        f"{interval_text(q90.median):>18}"
    )


def _without_value(groups: Sequence[Group], options: Options) -> Iterator[str]:
    for group in groups:
        summary = summarise(group, options.samples, seed=options.seed, resamples=1)
        if summary.without:
            yield f"{group.title}: {summary.without} without a real value at any row"
        if summary.infinite:
            yield f"{group.title}: {summary.infinite} of infinite EIC, which the mean leaves out"


def _dependence(groups: Sequence[Group], counts: Sequence[int], options: Options) -> list[str]:
    words = ("median", "mean", "median of q90", "mean of q90")
    heads = " ".join(f"{n:>9,}" for n in counts)
    lines = [
        f"{'By the number of rows':32} "
        + " | ".join(f"{word:>{10 * len(counts) - 1}}" for word in words),
        f"{'':32} " + " | ".join([heads] * 4),
    ]
    for group in groups:
        own = _counts_of(group, counts)
        if len(own) > 1:
            cells = []
            for measure in (MEAN, Q90):
                each = [summarise(group, n, measure, seed=options.seed, resamples=1) for n in own]
                for values in ([s.median.value for s in each], [s.mean.value for s in each]):
                    cells.append(" ".join(f"{wording.number(value):>9}" for value in values))
            lines.append(f"{group.title:32} " + " | ".join(cells))
    return lines


def _rules(counts: Sequence[int], options: Options) -> list[str]:
    lines = [
        f"{'Named equations by another rule':32} {'n':>5} {'below 1':>8} {'median':>18} "
        f"{'mean':>18} {'q90: median':>18} {'no value':>9}"
    ]
    for rule in RULES:
        chosen: dict[str, Any] = {"exponents": options.exponents, "anew": options.anew}
        [group, _] = groups_of_laws(["wikipedia"], counts, seed=options.seed, rule=rule, **chosen)
        mean = summarise(group, options.samples, seed=options.seed)
        q90 = summarise(group, options.samples, Q90, seed=options.seed)
        lines.append(
            f"{rule:32} {mean.count:>5} {wording.percent(mean.share_below_1.value, 0):>8} "
            f"{interval_text(mean.median):>18} {interval_text(mean.mean):>18} "
            f"{interval_text(q90.median):>18} {mean.without:>9}"
        )
    return lines


def _differences(groups: Sequence[Group], options: Options) -> list[GapDifference]:
    """Groups less the laws (a method's own ones), and this search with a price less without."""
    laws = next((group for group in groups if group.key == LAWS), None)
    if laws is None:
        return []
    differences = []
    for group in groups:
        own = laws
        if group.key in (LAWS, "feynman", "strogatz") or not group.formulas:
            continue
        if group.by_method:
            own = laws_behind(group, laws)
            own = replace(own, title="their laws")
        if own.formulas:
            differences.append(compare_groups(group, own, options.samples, seed=options.seed))
    priced, free = (_own_run(groups, title) for title in ("EIC-GP", "GP"))
    if priced is not None and free is not None:
        differences.append(compare_groups(priced, free, options.samples, seed=options.seed))
    return differences


def _own_run(groups: Sequence[Group], title: str) -> Group | None:
    return next((g for g in groups if g.title == title and g.note == OWN_RUNS), None)


def _write(path: Path, groups: Sequence[Group]) -> None:
    with fault_of_file("write", path), path.open("w", encoding="utf-8", newline="") as file:
        csv_writer(file).writerows(figure_rows(groups))


COMMAND = Command(
    "gap",
    "how EIC is distributed over laws, benchmarks and found formulas",
    (
        OptionRow(
            "--corpus",
            "NAME",
            f"one or more of {', '.join(NAMES)}; default: all",
            choices=NAMES,
            settings={"action": "append"},
        ),
        OptionRow(
            "--pool",
            "FILE",
            "formulas that methods found, in any form that Compare reads; the problems are laws "
            "(feynman_I_6_2, ...), or tables of --problems",
            default=[],
            settings={"action": "append"},
        ),
        OptionRow(
            "--problems",
            "DIR",
            "holds PROBLEM.csv; default: tables are drawn from the ranges of the laws",
        ),
        OptionRow("--samples", "N", "rows a formula", default=1_000, kind=whole_number),
        OptionRow("--seed", "S", "of the rows and of the resampling", default=SEED),
        OptionRow(
            "--rule",
            help="how variables of equations without ranges are sampled",
            default=next(iter(RULES)),
            choices=RULES,
        ),
        EXPONENTS_OPTION,
        OptionRow("--anew", help="measure the corpora; else the shipped figures are read"),
        JSON,
        OptionRow("--out", "CSV", "write a row a formula and N"),
    ),
    run,
    "The stability gap: EIC of the laws of physics, of named equations, of LLM-SRBench, and of "
    "what methods found for the laws, with the claims of Yu et al. beside.",
)
