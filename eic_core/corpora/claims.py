"""The groups that the stability gap compares, and the claims of Yu et al. about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from eic_core import wording
from eic_core.corpora.found import FoundByMethod, LawRows, measure_found
from eic_core.corpora.gap import (
    MEAN,
    BootstrapInterval,
    GapDifference,
    Group,
    GroupSummary,
    compare_groups,
    summarise,
)
from eic_core.corpora.laws import NAMES, load
from eic_core.corpora.laws import TITLES as CORPUS_TITLES
from eic_core.corpora.measured import (
    COUNTS,
    SEED,
    MeasuredFormula,
    Progress,
    measure_corpus,
    shipped,
)
from eic_core.corpora.searched import shipped_pool, shipped_pool_figures
from eic_core.exports import Plain, safe_cell
from eic_core.formula.tree import Exponents

LAWS = "laws"
OCCURRENCES = "wikipedia_occurrences"

TITLES: Mapping[str, str] = MappingProxyType(
    {
        LAWS: "Laws (Feynman and Strogatz)",
        **CORPUS_TITLES,
        OCCURRENCES: "… each as often as it occurs",
    }
)
"""Of the groups that people wrote."""

PAPERS_METHODS = (
    "AFP",
    "AFP-FE",
    "AIFeynman2",
    "BSR",
    "DSR",
    "E2ESR",
    "EPLEX",
    "FEAT",
    "GP-GOMEA",
    "GPlearn",
    "NeurSR",
    "Operon",
    "PySR",
    "RSRM",
    "SBP-GP",
    "SNIP",
    "SR4MDL",
)
"""The 17 methods of the paper's comparison (Fig. ``fig:EIC_compare``)."""


def groups_of_laws(
    names: Sequence[str] = NAMES,
    counts: Sequence[int] = COUNTS,
    *,
    seed: int = SEED,
    rule: str = "",
    exponents: Exponents = "exact",
    anew: bool = False,
    progress: Progress | None = None,
) -> tuple[Group, ...]:
    """The groups of what people wrote: each corpus, both collections of laws as one, and the named
    equations as often as they occur.

    Parameters
    ----------
    names
        Corpora, of `eic_core.corpora.NAMES`.
    counts
        Numbers of rows.
    seed
        Non-negative.
    rule
        A key of `RULES`, for the equations without ranges; "" for the first.
    exponents
        How literal exponents are read; the shipped figures are of exact ones.
    anew
        Measure the laws even where shipped figures would do.
    progress
        Called while laws are measured, with how many are done and of how many.

    Returns
    -------
    tuple[Group, ...]
        `LAWS` first, if both collections of laws are among the names; then the corpora in their
        order, and `OCCURRENCES` behind Wikipedia's.

    Examples
    --------
    >>> [group.title for group in groups_of_laws(["feynman", "strogatz"])]
    ['Laws (Feynman and Strogatz)', 'Feynman laws', 'Strogatz laws']
    """
    corpora = [load(name) for name in names]
    # the shipped figures hold for these rows alone
    read = not anew and exponents == "exact" and seed == SEED and set(counts) <= set(COUNTS)
    measured: dict[str, tuple[MeasuredFormula, ...]] = {}
    total, done = sum(map(len, corpora)), 0
    for corpus in corpora:
        if read:
            measured[corpus.name] = shipped(corpus.name, rule)
            continue
        shifted = _shift_progress(progress, done, total)
        measured[corpus.name] = measure_corpus(
            corpus, counts, seed=seed, rule=rule, exponents=exponents, progress=shifted
        )
        done += len(corpus)
    groups = []
    if {"feynman", "strogatz"} <= measured.keys():
        both = measured["feynman"] + measured["strogatz"]
        groups.append(Group(LAWS, TITLES[LAWS], both))
    for corpus in corpora:
        without = len(corpus.not_measured)
        left_out = {"no source law, and so no rows": without} if without else {}
        own = measured[corpus.name]
        groups.append(Group(corpus.name, corpus.title, own, left_out))
        if corpus.name == "wikipedia":
            often = tuple(
                replace(formula, weight=law.frequency)
                for law, formula in zip(corpus, own, strict=True)
            )
            groups.append(Group(OCCURRENCES, TITLES[OCCURRENCES], often))
    return tuple(groups)


def _shift_progress(progress: Progress | None, before: int, total: int) -> Progress | None:
    if progress is None:
        return None
    report: Callable[[int, int], None] = progress
    return lambda done, _: report(before + done, total)


def groups_by_method(pools: Sequence[FoundByMethod], note: str = "") -> tuple[Group, ...]:
    """One group a method, in the pool's order, each with this note."""
    return tuple(
        Group(
            f"found:{pool.method}{':' if note else ''}{note}",
            pool.method or "Formulas found",
            pool.formulas,
            pool.left_out,
            by_method=True,
            note=note,
        )
        for pool in pools
    )


OWN_RUNS = "short run here"
"""The note of the methods whose formulas this project ships."""


def groups_of_short_runs(
    counts: Sequence[int] = COUNTS,
    *,
    seed: int = SEED,
    exponents: Exponents = "exact",
    anew: bool = False,
    progress: Progress | None = None,
) -> tuple[Group, ...]:
    """The groups of this project's search, Operon and gplearn, measured only if `anew` or asked for
    other rows than the shipped ones.

    >>> [group.title for group in groups_of_short_runs()]
    ['EIC-GP', 'GP', 'Operon', 'gplearn']
    """
    if not anew and exponents == "exact" and seed == SEED and set(counts) <= set(COUNTS):
        return groups_by_method(shipped_pool_figures(), OWN_RUNS)
    rows = [replace(row, exponents=exponents) for row in shipped_pool()]
    pools = measure_found(rows, LawRows(counts, seed), progress=progress)
    return groups_by_method(pools, OWN_RUNS)


def laws_behind(group: Group, laws: Group) -> Group:
    """Only the laws that a method found formulas for, to compare these with."""
    names = {formula.law for formula in group.formulas}
    own = tuple(formula for formula in laws.formulas if formula.law in names)
    return replace(laws, key=f"{laws.key} of {group.key}", formulas=own)


@dataclass(frozen=True)
class Claim(Plain):
    """A statement of the paper, with what the groups at hand say of it."""

    statement: str  # In our words, with the paper's numbers
    place: str  # Where the paper says it
    evidence: str
    verdict: str  # "holds", "does not hold", "not decided" or what it holds for

    _JSON = ("statement", "place", "found=evidence", "verdict")


NOT_DECIDED = "not decided"


def claims(
    groups: Sequence[Group], count: int, measure: str = MEAN, *, seed: int = 0
) -> tuple[Claim, ...]:
    """What the paper says of these groups, each with the numbers measured on `count` rows.

    >>> first = claims(groups_of_laws(["feynman", "strogatz"]), 1000)[0]
    >>> first.verdict
    'for the median only'
    """
    by_key = {group.key: group for group in groups}
    on_the_order = (LAWS, "llm_srbench_transform", "llm_srbench_synth")
    summaries = {
        key: summarise(group, count, measure, seed=seed)
        for key, group in by_key.items()
        if key in on_the_order or group.by_method
    }
    results = []
    if LAWS in by_key:
        results.append(_laws_below_one(summaries[LAWS]))
        parts = [by_key.get(f"llm_srbench_{part}") for part in ("transform", "synth")]
        if all(parts):
            solved, synthetic = (summaries[part.key] for part in parts if part)
            step = compare_groups(solved.group, by_key[LAWS], count, measure, seed=seed)
            results.append(_benchmark_order(summaries[LAWS], solved, synthetic, step))
        by_methods = [group for group in groups if group.by_method and group.formulas]
        results.append(_searches_above_laws(by_methods, by_key[LAWS], count, measure, seed))
        results.append(_up_to_eight_digits(by_methods, by_key[LAWS], count, measure))
    results.append(_methods_at_hand(groups, summaries))
    return tuple(results)


def _laws_below_one(laws: GroupSummary) -> Claim:
    # the median may be below 1 and the mean above: a few laws lose many digits
    below = [part.value < 1 for part in (laws.median, laws.mean)]
    verdict = {
        (True, True): "holds",
        (True, False): "for the median only",
        (False, True): "for the mean only",
        (False, False): "does not hold",
    }[below[0], below[1]]
    return Claim(
        "Laws lose less than one digit: their EIC is below 1.",
        "text and figures of the comparison",
        f"median {interval_text(laws.median)}, mean {interval_text(laws.mean)}; "
        f"{wording.percent(laws.share_below_1.value, 0)} of {laws.count} are below 1",
        verdict,
    )


def _benchmark_order(
    laws: GroupSummary, solved: GroupSummary, synthetic: GroupSummary, step: GapDifference
) -> Claim:
    means = [part.mean.value for part in (laws, solved, synthetic)]
    ordered = means == sorted(means)
    # an order of means is no more than that while the interval of its first step holds 0
    apart = step.mean.low > 0 or step.mean.high < 0
    doubt = "" if apart else "; the first step is within its interval"
    return Claim(
        "Mean EIC rises from the laws of SRBench to LSR-Transform to LSR-Synth "
        "(two figures, no numbers).",
        "app:llm_sr",
        f"means {wording.number(means[0])}, {wording.number(means[1])}, "
        f"{wording.number(means[2])}; Transform less laws {interval_text(step.mean, signed=True)}"
        f"; medians {wording.number(laws.median.value)}, {wording.number(solved.median.value)}, "
        f"{wording.number(synthetic.median.value)}; Synth is {synthetic.count} formulas here, "
        "too few for an interval",
        ("as an order of these means" + doubt) if ordered else "does not hold",
    )


def _searches_above_laws(
    groups: Sequence[Group], laws: Group, count: int, measure: str, seed: int
) -> Claim:
    statement = (
        "Searches find formulas that lose more digits than the laws they look for: laws below 1, "
        "PySR and SR4MDL about 2."
    )
    place = "fig:EIC_compare"
    compared = []
    for group in groups:
        own = laws_behind(group, laws)
        if own.formulas:
            compared.append((group, compare_groups(group, own, count, measure, seed=seed)))
    if not compared:
        return Claim(statement, place, "no pool of found formulas is given here", NOT_DECIDED)
    parts = [
        f"{group.title} {interval_text(more.median, signed=True)} and "
        f"{interval_text(more.mean, signed=True)}"
        for group, more in compared
    ]
    at_median, at_mean = (
        sum(getattr(more, part).low > 0 for _, more in compared) for part in ("median", "mean")
    )
    every = at_median == at_mean == len(compared)
    return Claim(
        statement,
        place,
        "median and mean less those of the same laws: " + "; ".join(parts),
        "holds"
        if every
        else f"at the median for {at_median} of {len(compared)} methods, "
        f"at the mean for {at_mean}: those whose interval lies above 0",
    )


UP_TO = 6.0
"""Digits that the worst formulas of searches lose at least, by the paper."""


def _up_to_eight_digits(groups: Sequence[Group], laws: Group, count: int, measure: str) -> Claim:
    statement = "Formulas that searches find lose up to 6 to 8 digits."
    place = "fig:EIC_compare and the text on significant digits"
    if not groups:
        return Claim(statement, place, "no pool of found formulas is given here", NOT_DECIDED)
    largest = {group.key: _largest(group, count, measure) for group in groups}
    reach = sum(value >= UP_TO for value in largest.values())
    parts = [f"{group.title} {wording.number(largest[group.key])}" for group in groups]
    return Claim(
        statement,
        place,
        f"the largest of each: {'; '.join(parts)}; of the laws "
        f"{wording.number(_largest(laws, count, measure))}",
        "does not hold"
        if not reach
        else "holds"
        if reach == len(groups)
        else f"for {reach} of {len(groups)} methods",
    )


def _largest(group: Group, count: int, measure: str) -> float:
    """nan without an EIC."""
    values, _ = group.with_eic(count, measure)
    return float(max(values, default=math.nan))


def _methods_at_hand(groups: Sequence[Group], summaries: Mapping[str, GroupSummary]) -> Claim:
    spelled = {_bare_name(name): name for name in PAPERS_METHODS}
    of_the_paper = [
        g for g in groups if g.by_method and g.formulas and _bare_name(g.title) in spelled
    ]
    measured = {spelled[_bare_name(group.title)] for group in of_the_paper}
    missing = [name for name in PAPERS_METHODS if name not in measured]
    others = [g.title for g in groups if g.by_method and g.formulas and g not in of_the_paper]
    parts = [
        f"{group.title}{f' ({group.note})' if group.note else ''}: mean "
        f"{interval_text(summaries[group.key].mean)}"
        for group in of_the_paper
    ] or ["none of them is in a pool given here"]
    if others:
        parts.append(f"not among the 17: {', '.join(others)}")
    parts.append(f"missing: {', '.join(missing)}" if missing else "none is missing")
    return Claim(
        "Mean EIC of 17 methods on the laws; of those whose tables print it: AIFeynman2 1.2–3.7, "
        "DSR 1.3, PySR 2.11, Operon 3.16–5.29, SBP-GP 7.9–9.2.",
        "fig:EIC_compare and tables of app:search_results",
        "; ".join(parts),
        f"{len(of_the_paper)} of 17 measured" if of_the_paper else NOT_DECIDED,
    )


def _bare_name(name: str) -> str:
    """A method's name without case and punctuation.

    >>> _bare_name("GP-GOMEA") == _bare_name("gpgomea")
    True
    """
    return "".join(c for c in name.lower() if c.isalnum())


def interval_text(number: BootstrapInterval, *, signed: bool = False) -> str:
    """A number with its interval, if it has one.

    >>> interval_text(BootstrapInterval(0.64, 0.57, 0.81))
    '0.64 [0.57, 0.81]'
    >>> interval_text(BootstrapInterval(0.3), signed=True)
    '+0.30'
    """
    value = wording.signed(number.value) if signed else wording.number(number.value)
    if not number.has_bounds:
        return value
    return f"{value} [{wording.number(number.low)}, {wording.number(number.high)}]"


FIGURES = (
    "group",
    "name",
    "law",
    "rule",
    "weight",
    "samples",
    "eic",
    "eic_q90",
    "valid",
    "r2",
    "complexity",
    "formula",
)
"""Columns of the table of all figures."""


def figure_rows(groups: Sequence[Group]) -> Iterator[Sequence[object]]:
    yield FIGURES
    for group in groups:
        for formula in group.formulas:
            for count, loss in formula.digits.items():
                yield (
                    safe_cell(group.key),
                    safe_cell(formula.name),
                    safe_cell(formula.law),
                    formula.rule,
                    formula.weight,
                    count or "",
                    repr(loss.eic),
                    repr(loss.q90),
                    repr(loss.valid),
                    repr(loss.r2),
                    formula.complexity,
                    safe_cell(formula.formula),
                )
