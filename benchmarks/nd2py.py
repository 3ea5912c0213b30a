"""EIC beside that of the authors' package nd2py: classes of agreement, and the ratio of speed.

Run it as ``python -m benchmarks.nd2py [FILE]``. FILE has a formula on each line, or is a CSV file
with a column ``formula``; variables are drawn from 1 to 5. Without it the formulas are the laws of
the corpora on their own rows. Where nd2py is missing or has no EIC, that is all that is said.
``--examples`` prints the table of ``docs/nd2py.md``, a formula or two for each difference;
``--judge`` asks the tests' oracle about formulas that differ by more than a choice.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from eic_core.corpora.laws import NAMES, RULES, load
from eic_core.engine.amplify import amplify
from eic_core.engine.forest import Floats
from eic_core.errors import UserError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import canonical_name, read
from eic_core.formula.syntax.build import constant_label, literal
from eic_core.formula.tree import CONSTANT, Draft, Formula, constant, variable
from eic_core.measure.inspection import inspect
from eic_core.samples import Domain, Samples, sample_domains

ROWS = 1_000
JUDGED = 60
"""Rows that the oracle looks at: it takes milliseconds for each."""

RUNS = 5
TOLERANCE = 1e-9
FIRST_WITH_EIC = (3, 4)
CLASSES = (
    "equal to 1e-9",
    "equal but for its folding of constants",
    "equal but for its noisy exponents",
    "rows without a double value",
    "other",
)
OPERATORS = {
    **{name: name.lower() for name in "Add Sub Mul Div Max Min Abs Neg Sqrt Exp Log".split()},
    **{name: name.lower() for name in "Sin Cos Tan Sinh Cosh Tanh".split()},
    **{f"Arc{name}": f"a{name}" for name in ("sin", "cos", "tan")},
    "Pow": "pow",
}
CALLABLES = {f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan")}
POWERS = {"Pow2": Fraction(2), "Pow3": Fraction(3), "Inv": Fraction(-1)}


NOISY = "the same, noisy"
ALONG = {"1 to 5": (1.0, 5.0), "−1 to 5": (-1.0, 5.0), "1 to 800": (1.0, 800.0)}
EXAMPLES = (
    ("equal", "10000*x - 9999*x", "1 to 5"),
    ("equal", "sqrt(x - 1)", "1 to 5"),
    ("exponents", "x**4", "1 to 5"),
    (NOISY, "x**4", "1 to 5"),
    ("folding", "1/2*x", "1 to 5"),
    ("folding", "x/2 + 1/4", "1 to 5"),
    ("range", "log(exp(x))", "800"),
    ("range", "2*exp(x)", "1 to 800"),
    ("no value", "log(x)", "−1 to 5"),
    ("no value", "sqrt(x) - 1/(x - 3)", "−1 to 5"),
    ("no value", "log(1 - x)", "1 to 5"),
    ("derivative", "asin(x)", "0.9999999"),
    ("derivative", "tan(x)", "1.5707963"),
    ("zero", "sin(x)", "0"),
    ("zero", "x*0 + 1", "1 to 5"),
    ("tie", "max(x, 2)", "2"),
)
"""What differs, a formula, and x: the middles of a thousand even steps, or one value."""


@dataclass(frozen=True)
class Case:
    formula: Formula
    samples: Samples


def missing() -> str:
    """Why there is nothing to compare with; "" if there is."""
    try:
        installed = version("nd2py")
    except PackageNotFoundError:
        what = "not installed"
    else:
        if tuple(map(int, installed.split(".")[:2])) >= FIRST_WITH_EIC:
            return ""
        what = f"too old: {installed} has no EIC"
    return (
        f"nd2py is {what}. It takes 3.4, which needs Python 3.12 or newer: on 3.11 pip installs "
        "3.0.0 without a word"
    )


def laws() -> Iterator[Case]:
    for name in NAMES:
        corpus = load(name)
        rule = None if corpus.has_ranges else next(iter(RULES.values()))
        for law in corpus:
            yield Case(law.tree, law.samples(ROWS, rule=rule))


def formulas_of(path: Path) -> Iterator[Case]:
    lines = path.read_text(encoding="utf-8").splitlines()
    texts: Iterable[str] = lines
    if path.suffix == ".csv":
        texts = [row.get("formula") or "" for row in csv.DictReader(lines)]
    for text in filter(str.strip, texts):
        try:
            formula = read(text).formula
        except UserError:
            continue
        domains = dict.fromkeys(formula.variables, Domain("uniform", 1.0, 5.0))
        yield Case(formula, sample_domains(domains, count=ROWS))


def parsed(formula: Formula, nd2py: Any) -> Any:
    """The formula as nd2py reads its Python; raises what nd2py raises where it does not."""
    numbers = {"pi": nd2py.Number(math.pi), "e": nd2py.Number(math.e)}
    names = {name: nd2py.Variable(canonical_name(name)) for name in formula.variables}
    callables = {ours: getattr(nd2py, name) for ours, name in CALLABLES.items()}
    with warnings.catch_warnings(action="ignore"):  # π twice is copied, and it says so
        return nd2py.parse(to_python(formula), variables=numbers | names, callables=callables)


def eic_by(nd2py: Any, symbol: Any, samples: Samples) -> float:
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        return float(nd2py.EICCalc()(symbol, vars=dict(samples.columns)))


def values_along(along: str) -> Floats:
    if along not in ALONG:
        return np.array([float(along)])
    low, high = ALONG[along]
    return low + (high - low) * (np.arange(ROWS) + 0.5) / ROWS


def example_rows(nd2py: Any | None) -> Iterator[str]:
    """The examples as a Markdown table; without nd2py its column is empty."""
    yield "| formula; x | here | nd2py |"
    yield "|---|---|---|"
    for name, text, along in EXAMPLES:
        samples = Samples.from_columns({"x": values_along(along)})
        formula = read(text, exponents="noisy" if name == NOISY else "exact").formula
        values = [inspect(formula, samples, edges=False).eic]
        if nd2py is not None:
            values.append(eic_by(nd2py, parsed(read(text).formula, nd2py), samples))
        cells = " | ".join(f"{value:.4f}" for value in values)
        yield f"| {name}: `{text}`; {along} | {cells} |"


def tree_of(symbol: Any, *, noisy: bool) -> Draft:
    """A tree of nd2py as ours; with `noisy` its literal exponents stay operands."""
    kind = type(symbol).__name__
    if kind == "Number":
        return constant(constant_label(float(symbol.value)))
    if kind == "Variable":
        return variable(symbol.name)
    children = [tree_of(operand, noisy=noisy) for operand in symbol.operands]
    if kind in POWERS:
        return Draft("power", children, parameter=POWERS[kind])
    if kind == "Pow" and not noisy and children[1].operator == CONSTANT:
        value = literal(children[1])
        if value is not None and value.denominator <= 2:
            return Draft("power", children[:1], parameter=value)
    return Draft(OPERATORS[kind], children)


def confirmed(case: Case, symbol: Any, nd2py: Any) -> tuple[bool, bool]:
    """Whether the oracle's EIC of the first rows is ours; whether it is that of nd2py."""
    oracle = importlib.import_module("tests.core.measure.oracle")
    samples = case.samples.take(np.arange(JUDGED))
    columns = samples.columns.items()
    rows = [{name: repr(float(x[i])) for name, x in columns} for i in range(JUDGED)]
    truth = oracle.measure(case.formula, rows)
    eic = max(truth.local_eic(k) for k in range(len(case.formula.nodes)))
    values = inspect(case.formula, samples, edges=False).eic, eic_by(nd2py, symbol, samples)
    ours, theirs = (_agree(value, eic) or bool(np.isnan([value, eic]).all()) for value in values)
    return ours, theirs


def class_of(case: Case, symbol: Any, theirs: float) -> str:
    result = inspect(case.formula, case.samples, edges=False)
    if _agree(result.eic, theirs):
        return CLASSES[0]
    for noisy, name in ((False, CLASSES[1]), (True, CLASSES[2])):
        tree = Formula.from_draft(tree_of(symbol, noisy=noisy))
        if _agree(inspect(tree, case.samples, edges=False).eic, theirs):
            return name
    plain = amplify(case.formula, case.samples, recheck=False)
    if result.counts.invalid or plain.out_of_range:
        return CLASSES[3]
    return CLASSES[4]


def _agree(ours: float, theirs: float) -> bool:
    return ours == theirs or abs(ours - theirs) <= TOLERANCE * max(1.0, abs(theirs))


def seconds(call: Any) -> float:
    """The least time of a call, of a few."""
    times = []
    for _ in range(RUNS):
        started = perf_counter()
        call()
        times.append(perf_counter() - started)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description="EIC beside that of the package nd2py.")
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path)
    parser.add_argument("--examples", action="store_true", help="a formula for each difference")
    parser.add_argument("--judge", action="store_true", help="ask the tests' oracle as well")
    options = parser.parse_args()
    if options.examples:
        print(*example_rows(None if missing() else importlib.import_module("nd2py")), sep="\n")
        return
    if reason := missing():
        print(f"skipped: {reason}")
        return
    nd2py = importlib.import_module("nd2py")
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    judged: list[tuple[bool, bool]] = []
    ratios, unread = [], 0
    for case in laws() if options.file is None else formulas_of(options.file):
        try:
            symbol = parsed(case.formula, nd2py)
            theirs = eic_by(nd2py, symbol, case.samples)
            name = class_of(case, symbol, theirs)
            theirs_takes = seconds(lambda: eic_by(nd2py, symbol, case.samples))  # noqa: B023
        except Exception:  # nd2py raises whatever comes up
            unread += 1
            continue
        counts[name] += 1
        if options.judge and name in CLASSES[3:]:
            judged.append(confirmed(case, symbol, nd2py))
        examples.setdefault(name, case.formula.source)
        ours = seconds(lambda: amplify(Formula(case.formula.nodes), case.samples, recheck=False))  # noqa: B023
        ratios.append(theirs_takes / ours)
    print(f"nd2py {version('nd2py')}: {sum(counts.values())} formulas, {ROWS:,} rows each")
    for name in CLASSES:
        example = f"   {examples[name][:50]}" if name in examples and name != CLASSES[0] else ""
        print(f"{counts[name]:6} {name}{example}")
    print(f"{unread:6} that one of the two does not read or cannot compute")
    if judged:
        ours_right, theirs_right = map(sum, zip(*judged, strict=True))
        print(f"of the last two kinds {len(judged)}, an oracle on {JUDGED} rows of each:")
        print(f"{ours_right:6} as here, {theirs_right} as nd2py says")
    if ratios:
        ratio = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"its time ÷ ours, geometric mean: {ratio:.1f}")


if __name__ == "__main__":
    main()
