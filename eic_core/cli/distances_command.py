"""`python -m eic_core distances`: how far random formulas are from real laws, filtered or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import JSON, SEED, whole_number
from eic_core.cli.command_table import Command, OptionRow, Options, show
from eic_core.cli.progress import ProgressLine
from eic_core.corpora.distances import (
    CORPORA,
    PAPER,
    SETS,
    SMOOTHINGS,
    Comparison,
    Estimate,
    GeneratedSets,
    Smoothing,
    compare,
    generate_sets,
    nearest_smoothing,
)
from eic_core.corpora.generating import MEASURES, THRESHOLD, GenerationPlan
from eic_core.corpora.laws import NAMES, load
from eic_core.corpora.recipes import RECIPES
from eic_core.errors import DataError


def run(options: Options) -> None:
    if options.count < 100:
        raise DataError("so few formulas tell nothing", hint="ask for 100 or more: --count 1024")
    if options.seed < 0:
        raise DataError("a seed is 0 or more")
    plan = GenerationPlan(options.max_eic, 0, options.measure, False, options.recipe)
    generated = generate_sets(options.count, plan, options.seed, ProgressLine().count)
    comparisons = compare(generated, options.corpus or CORPORA, seed=options.seed)
    show(
        options,
        lambda: _lines(generated, comparisons, options),
        lambda: _document(generated, comparisons, options),
    )


def _document(
    generated: GeneratedSets, comparisons: Sequence[Comparison], options: Options
) -> dict[str, Any]:
    return {
        "count": generated.count,
        "seed": options.seed,
        "max_eic": options.max_eic,
        "measure": options.measure,
        "recipe": RECIPES[options.recipe].source,
        "accepted": generated.accepted,
        "longest": generated.longest,
        "comparisons": [
            {
                "corpus": comparison.corpus,
                "trait": comparison.trait,
                "chance": comparison.chance,
                "distance": {name: _numbers(each) for name, each in comparison.distance.items()},
                "gain": {name: _numbers(each) for name, each in comparison.gain.items()},
                "beyond_length": _numbers(comparison.beyond),
                "kl": [
                    {
                        "from_corpus": smoothing.from_corpus,
                        "share": smoothing.share,
                        "count": smoothing.count,
                        "width": smoothing.width,
                        "random": before,
                        "filtered": after,
                    }
                    for smoothing, (before, after) in comparison.kl.items()
                ],
                "paper": PAPER.get((comparison.corpus, comparison.trait)),
            }
            for comparison in comparisons
        ],
    }


def _numbers(estimate: Estimate) -> dict[str, float]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _lines(
    generated: GeneratedSets, comparisons: Sequence[Comparison], options: Options
) -> list[str]:
    mean = "the mean of s²" if options.measure == "mean" else "the 90 % quantile of s²"
    share = wording.percent(generated.accepted, 0)
    in_paper = [each for each in comparisons if (each.corpus, each.trait) in PAPER]
    return [
        f"{generated.count:,} formulas a set, seed {options.seed}; [95 % intervals] resample "
        "formulas and laws",
        f"filtered: EIC of at most {options.max_eic:g} ({mean}), {share} of the random formulas",
        f"shortest: the {share} of fewest nodes, {generated.longest} at most",
        "same lengths: random formulas, each as long as one of the filtered",
        "",
        f"{'Jensen-Shannon divergence, nats':32} "
        + " ".join(f"{name:>19}" for name in SETS)
        + f" {'EIC beyond length':>22} {'by chance':>9}",
        *(
            f"{each.corpus + ', ' + each.trait:32} "
            + " ".join(f"{_text(each.distance[name]):>19}" for name in SETS)
            + f" {_text(each.beyond, signed=True):>22} {each.chance:>9.3f}"
            for each in comparisons
        ),
        *(["", *_beside_the_paper(in_paper)] if in_paper else []),
    ]


def _text(estimate: Estimate, *, signed: bool = False) -> str:
    form = "+.3f" if signed else ".3f"
    parts = [f"{number:{form}}" for number in (estimate.value, estimate.low, estimate.high)]
    if not signed:
        parts[1:] = [part.removeprefix("0") for part in parts[1:]]
    return f"{parts[0]} [{parts[1]}, {parts[2]}]".replace("-", "−")


def _beside_the_paper(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Random to filtered formulas: the paper's numbers, and ours."""
    nearest = nearest_smoothing(comparisons)
    yield "Random -> filtered, by Yu et al. and here.  KL here: " + str(nearest) + ", the one of"
    yield (
        f"{len(SMOOTHINGS)} settings whose KL of random formulas is nearest to theirs; "
        "last column: the change over all"
    )
    yield (
        f"{'':22} {'JS, paper':>22} {'JS, here':>22} {'KL, paper':>22} {'KL, here':>22} "
        f"{'change, any setting':>20}"
    )
    for comparison in comparisons:
        before, after, kl_before, kl_after = PAPER[comparison.corpus, comparison.trait]
        changes = [kl[1] / kl[0] - 1 for kl in comparison.kl.values()]
        yield (
            f"{comparison.corpus + ', ' + comparison.trait:22} {_change(before, after):>22} "
            f"{_change(*[comparison.distance[name].value for name in SETS[:2]]):>22} "
            f"{_change(kl_before, kl_after):>22} {_change(*comparison.kl[nearest]):>22} "
            f"{_percent(min(changes)) + ' … ' + _percent(max(changes)):>20}"
        )
    yield from _over_all(comparisons, nearest)


def _over_all(comparisons: Sequence[Comparison], nearest: Smoothing) -> Iterator[str]:
    """The claims of the paper's text beside the numbers of its table, and ours."""
    papers = [PAPER[comparison.corpus, comparison.trait] for comparison in comparisons]
    ours = [
        (*[comparison.distance[name].value for name in SETS[:2]], *comparison.kl[nearest])
        for comparison in comparisons
    ]
    for place, name, claim in ((0, "JS", "−20 % … −50 %"), (2, "KL", "−30 % … −70 %")):
        changes = [
            [each[place + 1] / each[place] - 1 for each in numbers] for numbers in (papers, ours)
        ]
        theirs, ours_text = [f"{_percent(max(c))} … {_percent(min(c))}" for c in changes]
        yield f"{name}, all rows: {claim} in their text, {theirs} in their table, {ours_text} here"
    if any(comparison.corpus == "wikipedia" for comparison in comparisons):
        count = len(load("wikipedia"))
        yield f"named equations: 984 in their table, 940 in their text, {count} here"


def _change(before: float, after: float) -> str:
    digits = 3 if before < 1 else 2
    return f"{before:.{digits}f} -> {after:.{digits}f} {_percent(after / before - 1):>6}"


def _percent(share: float) -> str:
    return f"{100 * share:+.0f} %".replace("-", "−")


COMMAND = Command(
    "distances",
    "how far random formulas are from real laws, with and without a filter by EIC",
    (
        OptionRow(
            "--count", "N", "formulas of each set, as in 1e5", default=1_024, kind=whole_number
        ),
        OptionRow("--max-eic", "T", "what the filter lets through", default=THRESHOLD),
        OptionRow(
            "--measure",
            help="what EIC is made of at a node",
            default=MEASURES[0],
            choices=MEASURES,
        ),
        OptionRow(
            "--corpus",
            "NAME",
            f"one or more of {', '.join(NAMES)}; default: {', '.join(CORPORA)}",
            choices=NAMES,
            settings={"action": "append"},
        ),
        OptionRow("--recipe", help="whose random formulas", default="e2esr", choices=RECIPES),
        SEED,
        JSON,
    ),
    run,
    "Divergences of random formulas from corpora: unfiltered, filtered by EIC, and chosen by "
    "length alone; with what Yu et al. print.",
)
