"""The groups that the stability gap compares, and the claims of Yu et al. about them."""

from __future__ import annotations

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
from eic_core.corpora.searched import searched, searched_figures
from eic_core.exports import Plain, safe_cell

LAWS = "laws"
OCCURRENCES = "wikipedia_occurrences"

TITLES: Mapping[str, str] = MappingProxyType(
    {
        LAWS: "Laws (Feynman and Strogatz)",
        **CORPUS_TITLES,
        OCCURRENCES: "… each as often as it occurs",
    }
)
"""Of the groups of formulas that people wrote."""

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
    anew: bool = False,
    progress: Progress | None = None,
) -> tuple[Group, ...]:
    """The groups of what people wrote: each corpus, both collections of laws as one, and the
    named equations as often as they occur.

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
    anew
        Measure even what was shipped.
    progress
        Called while something is measured.

    Returns
    -------
    tuple[Group, ...]

    Examples
    --------
    >>> [group.title for group in groups_of_laws(["feynman", "strogatz"])]
    ['Laws (Feynman and Strogatz)', 'Feynman laws', 'Strogatz laws']
    """
    corpora = [load(name) for name in names]
    read = not anew and seed == SEED and set(counts) <= set(COUNTS)
    measured: dict[str, tuple[MeasuredFormula, ...]] = {}
    total, done = sum(map(len, corpora)), 0
    for corpus in corpora:
        if read:
            measured[corpus.name] = shipped(corpus.name, rule)
            continue
        further = _further(progress, done, total)
        measured[corpus.name] = measure_corpus(
            corpus, counts, seed=seed, rule=rule, progress=further
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


def _further(progress: Progress | None, before: int, total: int) -> Progress | None:
    if progress is None:
        return None
    tell: Callable[[int, int], None] = progress
    return lambda done, _: tell(before + done, total)


def groups_of_found(found: Sequence[FoundByMethod], note: str = "") -> tuple[Group, ...]:
    """A group for each method of a pool, in its order; the note is said of each."""
    return tuple(
        Group(
            f"found:{one.method}{':' if note else ''}{note}",
            one.method or "Formulas found",
            one.formulas,
            one.left_out,
            found=True,
            note=note,
        )
        for one in found
    )


OWN_RUNS = "short run here"
"""What is said of the methods whose formulas this project ships."""


def groups_of_searched(
    counts: Sequence[int] = COUNTS,
    *,
    seed: int = SEED,
    anew: bool = False,
    progress: Progress | None = None,
) -> tuple[Group, ...]:
    """What this project's search, Operon and gplearn found in short runs on the laws.

    - `counts`: numbers of rows.
    - `seed`: non-negative.
    - `anew`: measure even what was shipped.
    - `progress`: called while something is measured.

    >>> [group.title for group in groups_of_searched()]
    ['EIC-GP', 'GP', 'Operon', 'gplearn']
    """
    if not anew and seed == SEED and set(counts) <= set(COUNTS):
        return groups_of_found(searched_figures(), OWN_RUNS)
    found = measure_found(searched(), LawRows(counts, seed), progress=progress)
    return groups_of_found(found, OWN_RUNS)


def laws_behind(group: Group, laws: Group) -> Group:
    """The laws that a method found formulas for: what they are to be compared with."""
    wanted = {formula.law for formula in group.formulas}
    own = tuple(formula for formula in laws.formulas if formula.law in wanted)
    return replace(laws, key=f"{laws.key} of {group.key}", formulas=own)


@dataclass(frozen=True)
class Claim(Plain):
    """A statement of the paper, with what is found here."""

    statement: str  # In our words, with the paper's numbers
    place: str  # Where the paper says it
    found: str
    verdict: str  # "holds", "does not hold", "not decided" or what it holds for

    _JSON = ("statement", "place", "found", "verdict")


NOT_DECIDED = "not decided"


def claims(
    groups: Sequence[Group], count: int, measure: str = MEAN, *, seed: int = 0
) -> tuple[Claim, ...]:
    """What the paper says of these groups, each with the numbers found.

    - `groups`: as `groups_of_laws` and `groups_of_found` make them.
    - `count`: rows on which EIC was measured.
    - `measure`: a key of `MEASURES`.
    - `seed`: of the resampling.

    >>> first = claims(groups_of_laws(["feynman", "strogatz"]), 1000)[0]
    >>> first.verdict
    'for the median only'
    """
    by_key = {group.key: group for group in groups}
    asked = (LAWS, "llm_srbench_transform", "llm_srbench_synth")
    summaries = {
        key: summarise(group, count, measure, seed=seed)
        for key, group in by_key.items()
        if key in asked or group.found
    }
    made = []
    if LAWS in by_key:
        made.append(_laws_below_one(summaries[LAWS]))
        parts = [by_key.get(f"llm_srbench_{part}") for part in ("transform", "synth")]
        if all(parts):
            solved, synthetic = (summaries[part.key] for part in parts if part)
            step = compare_groups(solved.group, by_key[LAWS], count, measure, seed=seed)
            made.append(_benchmark_order(summaries[LAWS], solved, synthetic, step))
        found = [group for group in groups if group.found and group.formulas]
        made.append(_found_above_laws(found, by_key[LAWS], count, measure, seed))
        made.append(_up_to_eight_digits(found, by_key[LAWS], count, measure))
    made.append(_methods_at_hand(groups, summaries))
    return tuple(made)


def _laws_below_one(laws: GroupSummary) -> Claim:
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


def _found_above_laws(
    found: Sequence[Group], laws: Group, count: int, measure: str, seed: int
) -> Claim:
    statement = (
        "Searches find formulas that lose more digits than the laws they look for: laws below 1, "
        "PySR and SR4MDL about 2."
    )
    place = "fig:EIC_compare"
    compared = []
    for group in found:
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
"""Digits that the worst formulas of searches lose, at least, as the paper says."""


def _up_to_eight_digits(found: Sequence[Group], laws: Group, count: int, measure: str) -> Claim:
    statement = "Formulas that searches find lose up to 6 to 8 digits."
    place = "fig:EIC_compare and the text on significant digits"
    if not found:
        return Claim(statement, place, "no pool of found formulas is given here", NOT_DECIDED)
    largest = {group.key: _largest(group, count, measure) for group in found}
    reach = sum(value >= UP_TO for value in largest.values())
    parts = [f"{group.title} {wording.number(largest[group.key])}" for group in found]
    return Claim(
        statement,
        place,
        f"the largest of each: {'; '.join(parts)}; of the laws "
        f"{wording.number(_largest(laws, count, measure))}",
        "does not hold"
        if not reach
        else "holds"
        if reach == len(found)
        else f"for {reach} of {len(found)} methods",
    )


def _largest(group: Group, count: int, measure: str) -> float:
    """The largest EIC of a group; nan without one."""
    known = [float(value) for value in group.eics(count, measure) if value == value]
    return max(known, default=float("nan"))


def _methods_at_hand(groups: Sequence[Group], summaries: Mapping[str, GroupSummary]) -> Claim:
    known = {_plain(name): name for name in PAPERS_METHODS}
    here = [g for g in groups if g.found and g.formulas and _plain(g.title) in known]
    measured = {known[_plain(group.title)] for group in here}
    missing = [name for name in PAPERS_METHODS if name not in measured]
    others = [g.title for g in groups if g.found and g.formulas and g not in here]
    said = [
        f"{group.title}{f' ({group.note})' if group.note else ''}: mean "
        f"{interval_text(summaries[group.key].mean)}"
        for group in here
    ] or ["none of them is in a pool given here"]
    if others:
        said.append(f"not among the 17: {', '.join(others)}")
    said.append(f"missing: {', '.join(missing)}" if missing else "none is missing")
    return Claim(
        "Mean EIC of 17 methods on the laws; of those whose tables print it: AIFeynman2 1.2–3.7, "
        "DSR 1.3, PySR 2.11, Operon 3.16–5.29, SBP-GP 7.9–9.2.",
        "fig:EIC_compare and tables of app:search_results",
        "; ".join(said),
        f"{len(here)} of 17 measured" if here else NOT_DECIDED,
    )


def _plain(name: str) -> str:
    """A method's name without case and marks.

    >>> _plain("GP-GOMEA") == _plain("gpgomea")
    True
    """
    return "".join(c for c in name.lower() if c.isalnum())


def interval_text(found: BootstrapInterval, *, signed: bool = False) -> str:
    """A number with its interval, where it has one.

    >>> interval_text(BootstrapInterval(0.64, 0.57, 0.81))
    '0.64 [0.57, 0.81]'
    >>> interval_text(BootstrapInterval(0.3), signed=True)
    '+0.30'
    """
    value = wording.signed(found.value) if signed else wording.number(found.value)
    if not found.known:
        return value
    return f"{value} [{wording.number(found.low)}, {wording.number(found.high)}]"


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
    """The table of all figures: its header, then a row for each formula and number of rows."""
    yield FIGURES
    for group in groups:
        for one in group.formulas:
            for count, lost in one.digits.items():
                yield (
                    safe_cell(group.key),
                    safe_cell(one.name),
                    safe_cell(one.law),
                    one.rule,
                    one.weight,
                    count or "",
                    repr(lost.eic),
                    repr(lost.q90),
                    repr(lost.valid),
                    repr(lost.r2),
                    one.complexity,
                    safe_cell(one.formula),
                )
