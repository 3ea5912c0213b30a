"""What reading does with a very great many texts: grown from a grammar, and mutated from real ones.

``python -m benchmarks.fuzz_reading [--count N] [--seed 0] [--seconds S] [DIR]``; DIR (default:
``shared/data`` beside the checkout, if it is there) holds ``syntax_samples.csv`` and
``pools/*.csv.gz``, whose formulas are mutated beside those of this module.  Every text must end in
a reading or a `FormulaError`, within a second; what is read must be read again, as the same tree,
from every rendering that has a notation of its own.  The exit status is 1 if one does not.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from eic_core.errors import FormulaError
from eic_core.formula.rendering import to_latex, to_mathml, to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, Formula

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


def exact_structure(formula: Formula) -> object:
    """`Formula.structure`."""
    return formula.structure()


def values_structure(formula: Formula) -> object:
    """The tree with its constants as numbers: a notation has one spelling for each."""
    return tuple(
        (name, arity, _number(label) if name == CONSTANT else label, parameter)
        for name, arity, label, parameter in formula.structure()
    )


def _number(label: str) -> object:
    try:
        return Fraction(label)
    except ValueError:
        return label


Structure = Callable[[Formula], object]
RENDERINGS: dict[str, tuple[Callable[[Formula], str], str, Structure]] = {
    "Python": (to_python, "auto", exact_structure),
    "LaTeX": (to_latex, "latex", values_structure),
    "MathML": (to_mathml, "auto", values_structure),
}
"""How each is written, as what it is read, and what is the same in it."""


@dataclass
class Findings:
    """What came of the texts."""

    count: int = 0
    read: int = 0
    slowest: float = 0.0
    slowest_text: str = ""
    faults: list[tuple[str, str]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def fault(self, kind: str, text: str) -> None:
        """Note what went wrong with a text."""
        self.kinds[kind] += 1
        if self.kinds[kind] <= 20:
            self.faults.append((kind, text))


def check(text: str, found: Findings) -> None:
    """Read a text, and what it is written as."""
    found.count += 1
    started = time.process_time()
    try:
        formula: Formula | None = read(text).formula
    except FormulaError as error:
        formula = None
        if not 0 <= error.span[0] <= error.span[1] <= len(text):
            found.fault("span", text)
    except Exception as error:
        found.fault(type(error).__name__, text)
        return
    seconds = time.process_time() - started
    if seconds > found.slowest:
        found.slowest, found.slowest_text = seconds, text
    if seconds > SLOW:
        found.fault("slow", text)
    if formula is None:
        return
    found.read += 1
    exact = any(node.operator == CONSTANT and "/" in node.label for node in formula)
    for name, (write, syntax, structure) in RENDERINGS.items():
        if exact and name != "Python":  # ½ is typeset as the quotient 1/2
            continue
        try:
            written = write(formula)
            if "<mtable" in written:  # cases are shown in MathML, and not read
                continue
            again = read(written, syntax=syntax, columns=formula.variables).formula
        except FormulaError as error:
            found.fault(f"{name} not read: {error.message[:40]}", text)
        except Exception as error:
            found.fault(f"{name} {type(error).__name__}", text)
        else:
            if structure(again) != structure(formula):
                found.fault(f"{name} differs", text)


def fuzz(count: int, seed: int, texts: list[str], seconds: float = float("inf")) -> Findings:
    """Check so many texts, or as many as there is time for.

    Parameters
    ----------
    count, seed : int
    texts : list of str
        To mutate.
    seconds : float
    """
    found, ends = Findings(), time.monotonic() + seconds
    for text in inputs(seed, texts):
        if found.count >= count or (not found.count % 100 and time.monotonic() > ends):
            return found
        check(text, found)
    return found


def main() -> int:
    """Fuzz, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz_reading", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    texts = texts_of(given.folder)
    started = time.process_time()
    found = fuzz(given.count, given.seed, texts, given.seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    print(
        f"{found.count:,} texts from {len(texts):,} formulas and a grammar, seed {given.seed}: "
        f"{found.read:,} read, the others refused with a reason; "
        f"{time.process_time() - started:.0f} s of CPU"
    )
    print(f"slowest {found.slowest:.3f} s (limit {SLOW:.0f}): {found.slowest_text[:100]!r}")
    print(f"peak memory {peak >> 20} MB (limit {LARGE >> 20})")
    for kind, count in found.kinds.most_common():
        print(f"FAULT {count:>6,} x {kind}")
        for _, text in [f for f in found.faults if f[0] == kind][:4]:
            print(f"    {text[:160]!r}")
    return 1 if found.faults or peak > LARGE else 0


if __name__ == "__main__":
    sys.exit(main())
