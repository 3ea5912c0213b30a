"""Numbers that Yu et al. print, computed again: `python -m benchmarks.paper_claims [--all]`.

First what follows from other numbers of the paper: relative changes, tiers of Pareto fronts, counts
of votes. `published/searches.csv` holds the five tables of searches, as printed. Then what can be
measured here in a second. Tables are Markdown; `docs/paper.md` holds them.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path

import numpy as np

from eic_core import Domain, inspect, read, sample_domains
from eic_core.corpora.distances import PAPER as DIVERGENCES
from eic_core.corpora.laws import load
from study.report.published import PublishedCounts

SEARCHES = Path(__file__).parent / "published" / "searches.csv"
MEASURES = ("accuracy", "complexity", "seconds", "eic")
PAIRS = (("GP", "EIC-GP"), ("MCTS", "EIC-MCTS"))

CHANGES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "whitebox0": (("1", "-7", "-0.50", "-9.80"), ("2.70", "-0.20", "14", "-16")),
    "whitebox0001": (("3", "-11", "-6.08", "-14.82"), ("4.49", "6.03", "318", "-26")),
    "whitebox001": (("4", "-3", "-11.31", "-4.84"), ("14.51", "-1.77", "285", "-23")),
    "whitebox01": (("-2", "1", "-25.51", "-3.92"), ("-1", "0.5", "8.17", "-6.98")),
    "blackbox": (("-6.50", "-26.00", "", "-10"), ("3.13", "-5.62", "", "-20.80")),
}
"""Per table (`tab:whitebox0` …) the percentages of EIC-GP and EIC-MCTS in the order of MEASURES."""

LEVELS = dict(
    zip(CHANGES, ("noise 0", "noise .001", "noise .01", "noise .1", "black boxes"), strict=True)
)

FALLS = {
    "feynman": ("36", "76", "27", "67", "42", "92", "35", "75"),
    "strogatz": ("34", "31", "16", "11", "19", "16", "13", "10"),
    "wikipedia": ("49", "56", "16", "76", "36", "74", "26", "78"),
}
"""By corpus, JS and KL of each trait in turn."""

PRETRAINING = (
    # place, what, before, after, percentage, of: "change", or "ratio" of samples
    ("tab:sample_efficiency_improvement", "E2ESR: samples", "35", "9.79", "357.5", "ratio"),
    ("tab:sample_efficiency_improvement", "SNIP: samples", "40", "25.15", "198.8", "ratio"),
    ("sec:EIC_for_generate", "SNIP: samples", "40", "25.15", "233", "ratio"),
    ("tab:sample_efficiency_improvement", "SR4MDL: samples", "50", "17.4", "287.4", "ratio"),
    ("sec:EIC_for_generate", "E2ESR: R² at the end", "0.55", "0.68", "22.4", "change"),
    ("app:generative_results", "SNIP: R² at the end", "0.5299", "0.6016", "13.5", "change"),
    ("app:generative_results", "SR4MDL: RMSE", "8.6778", "8.2319", "-5.14", "change"),
    ("app:generative_results", "SR4MDL: MAE", "6.9254", "6.5763", "-5.04", "change"),
)


def rounding(text: str) -> tuple[float, float]:
    """What a printed number may have been before it was rounded."""
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    half = Decimal(5).scaleb(exponent - 1)
    return float(number - half), float(number + half)


@dataclass(frozen=True)
class Claim:
    """A percentage that is printed, and the two printed numbers that it follows from."""

    place: str
    what: str
    before: str
    after: str
    printed: str
    of: str = "change"

    def _percentage(self, before: float, after: float) -> float:
        return 100 * before / after if self.of == "ratio" else 100 * (after / before - 1)

    @property
    def value(self) -> float:
        return self._percentage(float(self.before), float(self.after))

    @property
    def range(self) -> tuple[float, float]:
        """The percentages that the numbers allow, which are rounded themselves."""
        corners = product(rounding(self.before), rounding(self.after))
        values = [self._percentage(*corner) for corner in corners]
        return min(values), max(values)

    @property
    def agrees(self) -> bool:
        """Zeros at the end of a printed percentage do not count as digits."""
        text = self.printed.rstrip("0").rstrip(".") if "." in self.printed else self.printed
        (low, high), (least, most) = rounding(text), self.range
        return low <= most and least <= high

    @property
    def row(self) -> str:
        decimals = max(1, len(self.printed.partition(".")[2].rstrip("0")))
        printed = f"{float(self.printed):+g}" if self.of == "change" else self.printed
        value = f"{self.value:{'+' if self.of == 'change' else ''}.{decimals}f}"
        signed = f"printed {printed} %, computed {value} %".replace("-", "−")
        return f"- {self.what} (`{self.place}`), {self.before} → {self.after}: {signed}"


@dataclass(frozen=True)
class Search:
    """A row of one of the five tables; texts as printed, `halves` of their 95 % intervals."""

    table: str
    method: str
    values: Mapping[str, str]
    halves: Mapping[str, str]

    @property
    def point(self) -> tuple[float, float]:
        """What the fronts of the paper compare: both are better when smaller."""
        return -float(self.values["accuracy"]), float(self.values["complexity"])

    def interval(self, measure: str) -> tuple[float, float]:
        value, half = float(self.values[measure]), float(self.halves[measure])
        return value - half, value + half


def searches() -> Mapping[str, Mapping[str, Search]]:
    """The five tables, each by method."""
    tables: dict[str, dict[str, Search]] = {}
    with SEARCHES.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            halves = {measure: row[f"{measure}_half"] for measure in MEASURES}
            search = Search(row["table"], row["method"], row, halves)
            tables.setdefault(search.table, {})[search.method] = search
    return tables


def changes() -> Iterator[Claim]:
    tables = searches()
    for table, printed in CHANGES.items():
        for (plain, priced), percentages in zip(PAIRS, printed, strict=True):
            before, after = tables[table][plain].values, tables[table][priced].values
            for measure, percentage in zip(MEASURES, percentages, strict=True):
                if percentage:
                    what = f"{priced}: {measure}"
                    place = f"tab:{table}"
                    yield Claim(place, what, before[measure], after[measure], percentage)
    for corpus, falls in FALLS.items():
        traits = [trait for name, trait in DIVERGENCES if name == corpus]
        for i, trait in enumerate(traits):
            numbers = [str(number) for number in DIVERGENCES[corpus, trait]]
            for j, kind in enumerate(("JS", "KL")):
                what = f"{corpus}, {trait}: {kind}"
                place = "tab:distribution_difference"
                first, second = numbers[2 * j : 2 * j + 2]
                yield Claim(place, what, first, second, f"-{falls[2 * i + j]}")
    for row in PRETRAINING:
        yield Claim(*row)


def tier_of(method: str, rows: Iterable[Search]) -> int:
    """The front that a method stands on: the first is dominated by nobody, and so on."""
    left, tier = list(rows), 0
    while True:
        tier += 1
        front = {row.method for row in left if not any(_dominates(one, row) for one in left)}
        if method in front:
            return tier
        left = [row for row in left if row.method not in front]


def _dominates(one: Search, other: Search) -> bool:
    pairs = list(zip(one.point, other.point, strict=True))
    return one.point != other.point and all(a <= b for a, b in pairs)


def tier_rows() -> Iterator[str]:
    yield ("| tiers | " + " | ".join(f"{a} → {b}" for a, b in PAIRS) + " | GP, MCTS alone |")
    yield "|---|---|---|---|"
    priced = {name for _, name in PAIRS}
    for table, rows in searches().items():
        cells = [f"{tier_of(a, rows.values())} → {tier_of(b, rows.values())}" for a, b in PAIRS]
        older = [row for row in rows.values() if row.method not in priced]
        alone = ", ".join(str(tier_of(plain, older)) for plain, _ in PAIRS)
        yield f"| {LEVELS[table]} | {' | '.join(cells)} | {alone} |"


def apart() -> Iterator[str]:
    """The pairs whose printed 95 % intervals do not overlap, durations left out."""
    for table, rows in searches().items():
        for (plain, priced), measure in product(PAIRS, ("accuracy", "complexity", "eic")):
            (a, b), (c, d) = rows[plain].interval(measure), rows[priced].interval(measure)
            if b < c or d < a:
                yield f"`tab:{table}`, {priced}: {measure}"


def eic_of(text: str, domain: Domain, count: int = 10_000) -> float:
    formula = read(text).formula
    return inspect(formula, sample_domains({"x": domain}, count=count, seed=0)).eic


def measured_rows() -> Iterator[str]:
    normal = Domain("normal", 1000.0, 1.0)
    laws = [law for name in ("feynman", "strogatz") for law in load(name)]
    values = np.array([inspect(law.tree, law.samples(1_000)).eic for law in laws])
    near, far = (eic_of("1/x", Domain("uniform", *ends)) for ends in ((1e-6, 1e-5), (1, 10)))
    cancelled = eic_of("10000*x - 9999*x", Domain("uniform", 0.1, 10.0))
    yield "| what | paper | here |"
    yield "|---|---|---|"
    yield f"| `x` | 0 | {eic_of('x', normal):g} |"
    yield f"| `log(exp(x))`, x normal about 1000 | 3 | {eic_of('log(exp(x))', normal):.4f} |"
    yield f"| `10000*x - 9999*x` | 4 orders | {cancelled:.2f} |"
    yield f"| `1/x`: x near 10⁻⁶; 1 to 10 | worse near 0 | {near:.2f}; {far:.2f} |"
    yield (
        f"| {len(laws)} laws, 1,000 rows | below 1 | {np.mean(values < 1):.0%} below 1, median "
        f"{np.median(values):.2f}, mean {np.mean(values):.2f} |"
    ).replace("%", " %")


def study_sentences() -> Iterator[str]:
    for votes in (840, 870):
        yield PublishedCounts(round(0.698 * votes), votes).sentences[0]
        yield f"On 172 pairs these are {votes / 172:.2f} votes a pair."
    yield PublishedCounts(586, 840, 172, 108, 0.37).sentences[1]
    answers = 172 * 2 * 5
    yield f"72.19 % of {answers:,} answers: {counts_of('72.19', answers) or 'no whole number'}."


def counts_of(percentage: str, answers: int) -> list[int]:
    """The numbers of answers that round to a printed percentage."""
    low, high = (end / 100 * answers for end in rounding(percentage))
    return [count for count in range(int(low), int(high) + 2) if low <= count <= high]


def main() -> None:
    parser = argparse.ArgumentParser(description="Numbers that Yu et al. print, computed again.")
    parser.add_argument("--all", action="store_true", help="every percentage, not the odd ones")
    options = parser.parse_args()
    claims = list(changes())
    odd = [claim for claim in claims if not claim.agrees]
    print(f"{len(claims)} percentages, {len(claims) - len(odd)} as the numbers beside them allow\n")
    for claim in claims if options.all else odd:
        print(claim.row)
    print("\nTiers by the share of R² > 0.99 (R² on black boxes) and complexity\n")
    print(*tier_rows(), sep="\n")
    print("\nPrinted 95 % intervals that do not overlap: " + "; ".join(apart()))
    print("\nThe study\n")
    print(*study_sentences(), sep="\n")
    print("\nMeasured here\n")
    print(*measured_rows(), sep="\n")


if __name__ == "__main__":
    main()
