"""Digits that the laws lose; `python -m eic_core.corpora.measured` makes `data/measured.json`."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import eic_core
from eic_core.corpora.laws import NAMES, RULES, Corpus, Law, load
from eic_core.engine.amplify import Amplification
from eic_core.formula.syntax import read
from eic_core.formula.syntax.names import canonical_name
from eic_core.formula.tree import Exponents, Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.inspection import inspect
from eic_core.samples import Domain, Samples

COUNTS = (100, 1_000, 10_000)
"""Numbers of rows at which the shipped figures were measured."""

SEED = 0
"""Seed of the rows of the shipped figures."""

QUANTILE = 0.9

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Digits:
    eic: float  # By the mean of s^2; inf if a row is singular, nan if none is valid
    q90: float  # The same with the 90 % quantile of s in the place of its root mean square
    valid: float = 1.0  # Share of the rows at which the formula has a real value
    r2: float = math.nan  # On these rows; nan where there is no target


@dataclass(frozen=True)
class MeasuredFormula:
    """A formula of a group, with the digits that it loses on ever more rows."""

    name: str  # The law's, or the row of its pool
    law: str  # The law that it writes: formulas of one law are no independent observations
    formula: str
    complexity: int
    digits: Mapping[int, Digits]  # By the number of rows
    rule: str = ""  # A key of `RULES`, if the law has no ranges of its own
    weight: int = 1  # How many formulas it counts for
    # The sampling of its variables, by canonical name; empty if on a table
    ranges: Mapping[str, Domain] = field(default_factory=dict)
    syntax: str = ""  # Its notation, if not plain infix

    def at(self, count: int) -> Digits:
        """The digits on this number of rows, or on the only number of rows that there is."""
        if len(self.digits) == 1:
            return next(iter(self.digits.values()))
        return self.digits[count]


def digits_of(formula: Formula, samples: Samples, *, recheck: bool = True) -> Digits:
    """Measure a formula; `recheck` settles doubtful rows exactly.

    >>> from eic_core.formula.syntax import read
    >>> lost = digits_of(read("10000*x-9999*x").formula, Samples.from_columns({"x": [1.0, 2.0]}))
    >>> round(lost.eic, 2), round(lost.q90, 2)
    (4.39, 4.39)
    """
    inspection = inspect(formula, samples, recheck=recheck, edges=False)
    r2 = math.nan
    if samples.target is not None:
        values = inspection.amplification.trace(len(formula) - 1)[0]
        r2 = r_squared(values, samples.target, spread=samples.target_spread)
    return Digits(
        eic=inspection.eic,
        q90=eic_by_quantile(inspection.amplification),
        valid=inspection.counts.valid / inspection.counts.total,
        r2=r2,
    )


def eic_by_quantile(amplification: Amplification, quantile: float = QUANTILE) -> float:
    """max_k of the quantile of log10 s_k over the valid samples: EIC without its tail, in digits;
    singular samples are infinite, and without a valid one it is nan.

    >>> from eic_core.engine.amplify import amplify
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [3.0] * 95 + [1 + 1e-9] * 5})
    >>> result = amplify(read("x-1").formula, samples)
    >>> round(result.eic, 1), round(eic_by_quantile(result), 1)
    (8.5, 0.3)
    """
    if not amplification.valid_count:
        return math.nan
    factor = 1 / (1 - quantile)
    nodes = range(len(amplification.formula))
    # a share 1 - q of the samples is at or above the quantile, so s^2 there is at most mean/(1-q):
    # nodes in the order of this bound, and those below the largest quantile so far cost none
    bounds = {
        k: amplification.mean_s2(k) * factor for k in nodes if amplification.evaluated_count(k)
    }
    largest = 1.0
    for node in sorted(bounds, key=bounds.__getitem__, reverse=True):
        if bounds[node] <= largest:
            break
        s2 = amplification.valid_s2(node)
        s2_at_quantile = float(np.quantile(s2, quantile, method="inverted_cdf"))
        largest = max(largest, s2_at_quantile)
    return 0.5 * math.log10(largest) if largest < math.inf else math.inf


def measure_law(
    law: Law,
    counts: Iterable[int] = COUNTS,
    *,
    seed: int = SEED,
    rule: str = "",
    exponents: Exponents = "exact",
) -> MeasuredFormula:
    """Measure a law on rows from its ranges, or by a `rule` of `RULES`.

    >>> gaussian = measure_law(load("feynman")["feynman_I_6_2b"], [100, 1000])
    >>> [round(lost.eic, 1) for lost in gaussian.digits.values()]
    [2.6, 2.5]
    """
    domain: Domain | None = RULES[rule] if rule else None
    # the rows of a smaller number are the first of a larger one
    tree = law.tree
    if exponents != "exact":
        tree = read(law.formula, columns=law.variables, exponents=exponents).formula
    digits = {n: digits_of(tree, law.samples(n, seed, rule=domain)) for n in counts}
    return MeasuredFormula(
        law.name,
        law.origin.name if law.origin else law.name,
        law.formula,
        tree.complexity,
        digits,
        rule,
        ranges=_ranges(law, rule),
    )


def _ranges(law: Law, rule: str) -> dict[str, Domain]:
    stated = law.domains or ({} if not rule else dict.fromkeys(law.variables, RULES[rule]))
    return {canonical_name(name): domain for name, domain in stated.items()}


def rule_of(corpus: Corpus, rule: str = "") -> str:
    """ "" if the corpus states ranges; by default the first of `RULES`."""
    if corpus.has_ranges:
        return ""
    return rule or next(iter(RULES))


def measure_corpus(
    corpus: Corpus,
    counts: Sequence[int] = COUNTS,
    *,
    seed: int = SEED,
    rule: str = "",
    exponents: Exponents = "exact",
    progress: Progress | None = None,
) -> tuple[MeasuredFormula, ...]:
    rule = rule_of(corpus, rule)
    measured = []
    for law in corpus:
        measured.append(measure_law(law, counts, seed=seed, rule=rule, exponents=exponents))
        if progress is not None:
            progress(len(measured), len(corpus))
    return tuple(measured)


def shipped(name: str, rule: str = "") -> tuple[MeasuredFormula, ...]:
    """The shipped figures of a corpus, at `COUNTS` rows with `SEED`, by `rule_of` it.

    >>> law = shipped("feynman")[0]
    >>> law.formula, sorted(law.digits)
    ('exp(-(theta/sigma)**2/2)/(sqrt(2*pi)*sigma)', [100, 1000, 10000])
    """
    corpus = load(name)
    rule = rule_of(corpus, rule)
    rows = _shipped()["figures"][f"{name} {rule}".strip()]
    return tuple(_from_row(law, row, rule) for law, row in zip(corpus, rows, strict=True))


@cache
def _shipped() -> dict[str, Any]:
    text = (files("eic_core.corpora") / "data" / "measured.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def _from_row(law: Law, row: list[Any], rule: str) -> MeasuredFormula:
    name, complexity, *numbers = row
    assert name == law.name
    values = [math.nan if value is None else float(value) for value in numbers]
    digits = {
        count: Digits(*values[3 * place : 3 * place + 3]) for place, count in enumerate(COUNTS)
    }
    source = law.origin.name if law.origin else law.name
    return MeasuredFormula(
        name, source, law.formula, complexity, digits, rule, ranges=_ranges(law, rule)
    )


def _row(measured: MeasuredFormula) -> list[Any]:
    numbers: list[float | None] = []
    for digits in measured.digits.values():
        for value in (digits.eic, digits.q90, digits.valid):
            numbers.append(None if math.isnan(value) else round(value, 6))
    return [measured.name, measured.complexity, *numbers]


def _document() -> str:
    head = {
        "version": eic_core.__version__,
        "seed": SEED,
        "rows": COUNTS,
        "columns": [
            "name",
            "complexity",
            *(f"{word}_{n}" for n in COUNTS for word in ("eic", "q90", "valid")),
        ],
    }
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    groups = []
    for name in NAMES:
        corpus = load(name)
        for rule in ("",) if corpus.has_ranges else RULES:
            rows = measure_corpus(corpus, rule=rule)
            lines = ",\n".join(json.dumps(_row(measured), allow_nan=False) for measured in rows)
            groups.append(f"{json.dumps(f'{name} {rule}'.strip())}: [\n{lines}\n]")
            sys.stderr.write(f"{name} {rule}: {len(rows)} laws\n")
    figures = ",\n".join(groups)
    return "{\n" + ",\n".join(parts) + ',\n"figures": {\n' + figures + "\n}\n}\n"


if __name__ == "__main__":
    argparse.ArgumentParser(description="Write the shipped figures of all laws anew.").parse_args()
    path = Path(__file__).parent / "data" / "measured.json"
    path.write_text(_document(), encoding="utf-8")
