"""What reading does with a very great many texts: grown from a grammar, and mutated from real ones.

``python -m benchmarks.fuzz_reading [--count N] [--seed 0] [--seconds S] [--jobs J] [DIR]``, or
``make fuzz``; DIR (default: ``shared/data`` beside the checkout, if it is there) holds
``syntax_samples.csv`` and ``pools/*.csv.gz``, whose formulas are mutated beside those of this
module.  Every text must end in a reading or a `FormulaError`, within a second.  What is read is
written in each of `WRITTEN`, or refused when written; what is written is read again, alone, and
must be the same tree: its labels, exact exponents and order, but for names that the copy says it
changed.  The table counts that; the exit status is 1 if a text differs, cannot be read, or ends
otherwise.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from eic_core.errors import FormulaError
from eic_core.formula.c_file import to_c
from eic_core.formula.copying import copied, meant
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SLOW, LARGE = 1.0, 500 << 20
MOST_POOL = 3_000

SAMPLES = (
    "1.0*xC * sin(x_1[:,1])",
    r"\sqrt x₁⋅x₂",
    r"\frac{1-\cos x}{x^2}",
    "Sin[x]^2/(1+Exp[-x])",
    "double f(double x) { return x*x; }",
    "@(x) x.^2./(1+x)",
    "=A1^2*EXP(-B2)",
    "exp.(-x)",
    "(FPCore (x) :pre (< 0 x 1) (- (sqrt (+ x 1)) (sqrt x)))",
    "mul(X0, sub(X1, 0.5))",
    "np.where(x > 0, np.log(x), 0)",
    "x if x > 0 else -x",
    "def f(x): return np.sin(x)**2",
    "#1 * #2 + sqrtabs(x0)",
    "x[:,0]**2 - 2.5e-3*x[:,1]",
    "E = mc^2",
    "2x(x+1)|theta=1;2",
    "Piecewise((x, x < 1), (1, True))",
    "Plus[1, Power[x, 2]]",
    "½x² + π·θ₀ − 3×10^-4",
    "<math><msup><mi>x</mi><mn>2</mn></msup></math>",
    r"\log_{10}\left|x_1\right|^{-1.5}",
    "((x0 + -0.25) / pow(x1, 2.0)) - abs(cos(x0))",
    "sin^-1(x) + log2(y) + 3",
    "x ? y : -1/z",
)
"""One of each notation at least, and what has failed once."""

_TOKENS = (
    "x y x0 x_1 X2 x₁ pi e 2 -1 0.5 1e-3 1e999 .5 3. + - * / ** ^ ( ) [ ] { } | , ; = < >= ! ? : "
    "₀ ² ⁻¹ √ π θ × − ⋅ ½ \\frac \\sqrt \\left( \\right) \\cdot \\pi _ ^{ _{ }{ [:,1] sin( log( "
    "max( Sin[ exp.( .^ .* np. && or not if else x[0] 1/3 |theta=1 # // $ & \\\\ 0x1p-3 1_000"
).split(" ")

_UNARY = (
    "sin",
    "cos",
    "exp",
    "log",
    "sqrt",
    "abs",
    "tanh",
    "-",
    "atan",
    "floor",
    "square",
    "log1p",
)
_BINARY = ("+", "-", "*", "/", "**")


def grown(rng: random.Random, depth: int) -> str:
    """A formula from a grammar, its brackets, spaces and numbers as chance has them."""
    if depth <= 0 or rng.random() < 0.15:
        if rng.random() < 0.6:
            return rng.choice(("x", "y", "x0", "x_1", "X2", "T", "theta", "x_{12}", "x[:,3]", "α"))
        return rng.choice(
            (
                str(rng.randint(0, 99)),
                repr(rng.uniform(-9, 9)),
                f"{rng.uniform(0, 9):.3g}e{rng.randint(-20, 20)}",
                "pi",
                "1/3",
                ".5",
                "2.",
            )
        )
    space = rng.choice(("", "", " "))
    kind = rng.random()
    if kind < 0.35:
        name, inner = rng.choice(_UNARY), grown(rng, depth - 1)
        return f"{name}({inner})"
    if kind < 0.42:
        name = rng.choice(("max", "min", "pow", "atan2", "hypot"))
        return f"{name}({grown(rng, depth - 1)},{space}{grown(rng, depth - 1)})"
    left, right = grown(rng, depth - 1), grown(rng, depth - 1)
    joined = f"{left}{space}{rng.choice(_BINARY)}{space}{right}"
    return f"({joined})" if rng.random() < 0.6 else joined


def mutated(rng: random.Random, texts: list[str]) -> str:
    """A real formula with a few things lost, doubled, moved, or taken from another."""
    text = rng.choice(texts)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        size = len(text)
        a, b = sorted((rng.randint(0, size), rng.randint(0, size)))
        b = min(b, a + rng.choice((1, 2, 5, 20)))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:a] + text[b:]
        elif kind == 1:
            text = text[:b] + text[a:b] + text[b:]
        elif kind == 2:
            text = text[:a] + rng.choice(_TOKENS) + text[a:]
        elif kind == 3:
            text = text[:a] + rng.choice(_TOKENS) + text[b:]
        elif kind == 4:
            other = rng.choice(texts)
            c = rng.randint(0, len(other))
            text = text[:a] + other[c : c + rng.choice((5, 30, 200))] + text[b:]
        else:
            c = rng.randint(0, len(text))
            piece, rest = text[a:b], text[:a] + text[b:]
            text = rest[:c] + piece + rest[c:]
    return text[:5_000]


def texts_of(folder: Path | None) -> list[str]:
    """The formulas to mutate."""
    found = list(SAMPLES)
    if folder is None or not folder.is_dir():
        return found
    for path in sorted([*folder.glob("syntax_samples.csv"), *folder.glob("pools/*.csv.gz")]):
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as file:
            rows = [row["formula"] for row in csv.DictReader(file)]
        found += rows[:: max(1, len(rows) // MOST_POOL)]
    return found


def inputs(seed: int, texts: list[str]) -> Iterator[str]:
    """Texts without end, a third grown."""
    rng = random.Random(seed)
    while True:
        if rng.random() < 1 / 3:
            made = grown(rng, rng.randint(1, 5))
            yield mutated(rng, [made]) if rng.random() < 0.3 else made
        else:
            yield mutated(rng, texts)


WRITTEN = {"Python": "python", "LaTeX": "latex", "MathML": "mathml", "C": "c", "C file": "c"}
"""What a formula is written in, and as what that is read."""

OUTCOMES = ("written", "refused", "same tree", "said to be another", "differed", "not readable")
"""What may come of a text that is written."""


@dataclass
class Written:
    text: str
    names: dict[str, str]  # What variables are called there, where that is not their name
    same: bool = True  # Whether it is to be read as the same tree


def written(formula: Formula, name: str) -> Written:
    """A formula as text of a row of `WRITTEN`; FormulaError if it is refused."""
    copy = copied(formula, WRITTEN[name])
    text = to_c(formula) if name == "C file" else copy.text
    return Written(text, dict(copy.renamed), copy.same)


def structure(formula: Formula, names: dict[str, str], syntax: str) -> object:
    """`Formula.structure` with names changed; fractions as numbers, where there are none."""
    spelled = meant(names.get(label, label) for label in formula.variables)

    def value(operator: str, label: str) -> object:
        if operator == VARIABLE:
            return spelled[names.get(label, label)]
        is_number = operator == CONSTANT and label[:1] in "-0123456789"
        return Fraction(label) if is_number and syntax != "python" else label

    return tuple(
        (operator, arity, value(operator, label), parameter)
        for operator, arity, label, parameter in formula.structure()
    )


@dataclass
class Findings:
    """What came of the texts."""

    count: int = 0
    read: int = 0
    slowest: float = 0.0
    slowest_text: str = ""
    table: Counter[tuple[str, str]] = field(default_factory=Counter)  # By row and outcome
    faults: list[tuple[str, str]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def fault(self, kind: str, text: str) -> None:
        """Note what went wrong with a text."""
        self.kinds[kind] += 1
        if self.kinds[kind] <= 20:
            self.faults.append((kind, text))

    def add(self, other: Findings) -> None:
        """Put in what came of other texts."""
        self.count, self.read = self.count + other.count, self.read + other.read
        if other.slowest > self.slowest:
            self.slowest, self.slowest_text = other.slowest, other.slowest_text
        self.table += other.table
        self.faults += other.faults
        self.kinds += other.kinds


def check(text: str, findings: Findings) -> None:
    """Read a text, and what it is written as."""
    findings.count += 1
    started = time.process_time()
    try:
        formula: Formula | None = read(text).formula
    except FormulaError as error:
        formula = None
        if not 0 <= error.span[0] <= error.span[1] <= len(text):
            findings.fault("span", text)
    except Exception as error:
        findings.fault(type(error).__name__, text)
        return
    seconds = time.process_time() - started
    if seconds > findings.slowest:
        findings.slowest, findings.slowest_text = seconds, text
    if seconds > SLOW:
        findings.fault("slow", text)
    if formula is None:
        return
    findings.read += 1
    for name, syntax in WRITTEN.items():
        try:
            outcome = _outcome(formula, name, syntax)
        except Exception as error:
            findings.fault(f"{name} {type(error).__name__}", text)
            continue
        findings.table[name, "written"] += outcome != "refused"
        findings.table[name, outcome] += 1
        if outcome in ("differed", "not readable"):
            findings.fault(f"{name} {outcome}", text)


def _outcome(formula: Formula, name: str, syntax: str) -> str:
    try:
        copy = written(formula, name)
    except FormulaError:
        return "refused"
    try:
        again = read(copy.text, syntax="auto" if syntax == "python" else syntax).formula
    except FormulaError:
        return "not readable"
    if structure(again, {}, syntax) == structure(formula, copy.names, syntax):
        return "same tree"
    return "differed" if copy.same else "said to be another"


def fuzz(count: int, seed: int, texts: list[str], seconds: float = float("inf")) -> Findings:
    """Check so many texts, or as many as there is time for.

    Parameters
    ----------
    count, seed : int
    texts : list of str
        To mutate.
    seconds : float
    """
    findings, ends = Findings(), time.monotonic() + seconds
    for text in inputs(seed, texts):
        if findings.count >= count or (not findings.count % 100 and time.monotonic() > ends):
            return findings
        check(text, findings)
    return findings


def table_of(findings: Findings) -> str:
    """The table: a row for each of `WRITTEN`."""
    width = max(map(len, WRITTEN)) + 2
    lines = ["".ljust(width) + "".join(name.rjust(len(name) + 3) for name in OUTCOMES)]
    for name in WRITTEN:
        cells = (f"{findings.table[name, each]:,}".rjust(len(each) + 3) for each in OUTCOMES)
        lines.append(name.ljust(width) + "".join(cells))
    return "\n".join(lines)


BATCH = 1_000
"""Texts of a seed: what a batch holds does not depend on how many there are, or run at once."""


def main() -> int:
    """Fuzz, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz_reading", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    texts = texts_of(given.folder)
    findings, started = Findings(), time.monotonic()
    with ProcessPoolExecutor(given.jobs) as pool:
        batches = {
            pool.submit(fuzz, min(BATCH, given.count - first), given.seed + first // BATCH, texts)
            for first in range(0, given.count, BATCH)
        }
        for batch in as_completed(batches):
            findings.add(batch.result())
            seconds = time.monotonic() - started
            if sys.stderr.isatty():
                print(f"\r{findings.count:,} texts, {seconds:.0f} s", end="", file=sys.stderr)
            if seconds > given.seconds:
                pool.shutdown(cancel_futures=True)
                break
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    print(
        f"\n{findings.count:,} texts from {len(texts):,} formulas and a grammar, seed {given.seed}:"
        f" {findings.read:,} read, {findings.count - findings.read:,} refused with a reason; "
        f"{time.monotonic() - started:.0f} s"
    )
    print(table_of(findings))
    print(f"slowest {findings.slowest:.3f} s (limit {SLOW:.0f}): {findings.slowest_text[:100]!r}")
    print(f"peak memory {peak >> 20} MB (limit {LARGE >> 20})")
    for kind, count in findings.kinds.most_common():
        print(f"FAULT {count:>6,} x {kind}")
        for _, text in [f for f in findings.faults if f[0] == kind][:4]:
            print(f"    {text[:160]!r}")
    return 1 if findings.kinds or peak > LARGE else 0


if __name__ == "__main__":
    sys.exit(main())
