"""Formulas and tables to hold sentences to, each the same for the same seed.

`draws` takes laws of physics and a grammar that likes cancellations, powers and nested waves; the
data are ranges of every kind, whole numbers with exact zeros, a few rows, or a table's columns.
`outside_draws` takes what the sample beside the repository holds, where it is.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np

from eic_core.errors import UserError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Domain, sample_domains
from eic_core.samples import Samples

MOST_NODES = 45


@dataclass(frozen=True, eq=False)
class Draw:
    """A formula and its rows.

    Attributes
    ----------
    origin : str
        The seed and where it comes from.
    formula : Formula
    samples : Samples
    """

    origin: str
    formula: Formula
    samples: Samples

    def __str__(self) -> str:
        return f"{self.origin}: {self.formula.source or to_python(self.formula)} on " + (
            self.samples.origin or "a table"
        )


CONSTANTS = tuple(
    "1 2 3 0.5 -1 0.1 1e-6 1e6 pi 10 0.999 1.001 1/3 4773 -2.5 0.333 100 1e-3 7.389 0".split()
)
EXPONENTS = tuple(map(Fraction, ("2", "3", "-1", "1/2", "4", "-2", "3/2", "-3", "7", "-1/2")))
COMMON = tuple(
    "add sub mul div sub add mul power sin cos exp log sqrt tan neg abs pow power".split()
)
RARE = tuple(
    (
        "tanh sinh cosh asin acos atan expm1 log1p erf min max cbrt hypot atan2 floor round sign "
        "acosh atanh asinh sec cot csc root ceil "
    ).split()
)
NEWEST = tuple("mod fmod remainder gamma lgamma erfc fma erfcx betaln logaddexp".split())
"""Drawn in place of `RARE` where asked for: seeds without them keep their formulas."""

PAIRS = frozenset(
    "add sub mul div pow hypot atan2 min max mod fmod remainder betaln logaddexp".split()
)


def grown(
    rng: random.Random, names: tuple[str, ...], depth: int, rare: tuple[str, ...] = RARE
) -> Draft:
    """A random tree of at most so many levels."""
    if depth <= 1 or rng.random() < 0.1:
        return (
            variable(rng.choice(names)) if rng.random() < 0.7 else constant(rng.choice(CONSTANTS))
        )
    name = rng.choice(COMMON) if rng.random() < 0.85 else rng.choice(rare)
    first = grown(rng, names, depth - 1, rare)
    if name == "fma":
        return Draft(name, [first, *(grown(rng, names, 1) for _ in range(2))])
    if name in PAIRS:
        second = grown(rng, names, depth - 1 if rng.random() < 0.5 else 1, rare)
        if name == "sub" and rng.random() < 0.15:
            second = Draft("mul", [constant(rng.choice(("1.0001", "0.999", "1"))), first])
        elif rng.random() < 0.06:
            second = first
        return Draft(name, [first, second])
    parameter = None
    if name == "power":
        parameter = rng.choice(EXPONENTS)
    elif name == "root":
        parameter = Fraction(rng.choice((3, 4, 5)))
    elif name == "log":
        parameter = rng.choice((None, None, None, Fraction(10), Fraction(2)))
    return Draft(name, [first], parameter=parameter)


def domain(rng: random.Random) -> Domain:
    """Some range: where people sample, and where formulas break."""
    return rng.choice(
        (
            Domain("uniform", 1, 5),
            Domain("uniform", -3, 3),
            Domain("uniform", 0, 1),
            Domain("uniform", 0.9, 1.1),
            Domain("uniform", 0.5, 3),
            Domain("normal", 0, 1),
            Domain("normal", 1000, 1),
            Domain("normal", 5, 2),
            Domain("loguniform", 1e-3, 1e3),
            Domain("loguniform", 1e-8, 1),
            Domain("loguniform", 1e3, 1e8),
            Domain("loguniform", 1e-200, 1),
            Domain("loguniform", 1e-3, 1e300),
            Domain("loguniform", 1e200, 1e300),
            Domain("uniform", -800, 800),
            Domain("uniform", 1e4, 1.01e4),
            Domain("uniform", -5, 5),
            Domain("fixed", 2, 2),
        )
    )


def table(rng: random.Random, names: tuple[str, ...], count: int) -> Samples:
    """Rows for these variables: ranges, or whole numbers with zeros among them."""
    kind = rng.random()
    if kind < 0.12:
        columns = {
            name: [float(rng.randint(rng.choice((-4, 0, 1)), 6)) for _ in range(count)]
            for name in names
        }
        return Samples.from_columns(columns, count=count, origin="whole numbers")
    if kind < 0.2:
        columns = {
            name: [round(rng.gauss(2, 3), rng.choice((1, 2))) for _ in range(count)]
            for name in names
        }
        return Samples.from_columns(columns, count=count, origin="a table of short decimals")
    if kind < 0.6:
        domains = dict.fromkeys(names, domain(rng))
    else:
        domains = {name: domain(rng) for name in names}
    return sample_domains(domains, count=count, seed=rng.randrange(10**6))


ROWS = (60, 60, 40, 80, 120, 12, 3, 1)


def grammar_draw(seed: int, many: bool = False, rare: tuple[str, ...] = RARE) -> Draw:
    """A formula of the grammar; with `many`, on more than 300 rows; of `NEWEST` it has one."""
    rng = random.Random(seed)
    names = ("x", "y", "z")[: rng.choice((1, 1, 2, 2, 3))]
    while True:
        depth = rng.choice((2, 3, 3, 4, 4, 5, 6))
        formula = Formula.from_draft(grown(rng, names, depth, rare))
        if rare == RARE or any(node.operator in rare for node in formula):
            break
    count = rng.choice((320, 400)) if many and len(formula) <= 9 else rng.choice(ROWS)
    samples = table(rng, names, count)
    family = "grammar" if rare == RARE else "newest"
    return Draw(f"{family} {seed}", Formula(formula.nodes, to_python(formula)), samples)


LAWS: tuple[tuple[str, str], ...] = (
    ("G*m1*m2/((x2-x1)**2+(y2-y1)**2+(z2-z1)**2)", "1:5"),
    ("sqrt(x1**2+x2**2-2*x1*x2*cos(theta1-theta2))", "1:5"),
    ("m_0/sqrt(1-v**2/c**2)", "3:10 v=1:2"),
    ("exp(-theta**2/2)/sqrt(2*pi)", "1:3"),
    ("1/(1/d1+n/d2)", "1:5"),
    ("h/(2*pi)*omega**3/(pi**2*c**2*(exp((h/(2*pi))*omega/(kb*T))-1))", "1:5"),
    ("q*(Ef+B*v*sin(theta))", "1:5"),
    ("Ef*sin(n*theta/2)**2/sin(theta/2)**2", "1:5"),
    ("(v+u)/(1+u*v/c**2)", "0.1:0.9 c=1:2"),
    ("x1*(cos(omega*t)+alpha*cos(omega*t)**2)", "1:3"),
    ("kb*v/(gamma-1)", "1:5 gamma=1.01:2"),
    ("m*(w**2+w0**2)*x**2/4", "1:3"),
    ("asin(n*sin(theta2))", "0.1:1"),
    ("mom*sqrt(Bx**2+By**2+Bz**2)", "1:5"),
    ("tanh(mom*B/(kb*T))*n", "1:5"),
    ("E-m*c**2", "1:5"),
)
"""Laws of physics, and where to sample them."""


def law_draw(seed: int) -> Draw:
    """A law of `LAWS`."""
    rng = random.Random(seed)
    text, ranges = rng.choice(LAWS)
    formula = read(text, columns=("E", "B", "T", "G")).formula
    usual, *special = ranges.split()
    low, high = map(float, usual.split(":"))
    domains = {name: Domain("uniform", low, high) for name in formula.variables}
    domains |= dict(Domain.parse(part) for part in special)
    samples = sample_domains(domains, count=rng.choice((40, 60, 100)), seed=seed)
    return Draw(f"law {seed}", formula, samples)


# --- what people's tools found ---


@lru_cache(maxsize=4)
def _rows(path: Path) -> tuple[dict[str, str], ...]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return tuple(csv.DictReader(io.StringIO(text)))


def outside_draw(folder: Path, seed: int) -> Draw | None:
    """A law, or a formula that a tool found, on its problem's data; None where it is too large.

    Parameters
    ----------
    folder : Path
        The outside sample.
    seed : int
    """
    rng = random.Random(seed)
    kind = rng.choice(("law", "front", "front", "found"))
    try:
        if kind == "law":
            row = rng.choice(_rows(folder / "data/whitebox_formulas.csv"))
            return _on_ranges(seed, row["formula"], json.loads(row["ranges_json"]), rng, row)
        if kind == "found":
            row = rng.choice(_rows(folder / "data/pools/sr_on_laws.csv.gz"))
            laws = _rows(folder / "data/whitebox_formulas.csv")
            law = next(r for r in laws if r["dataset"] == (row.get("dataset") or row["problem"]))
            return _found(seed, row, law, rng)
        row = rng.choice(_rows(folder / "data/pools/sr_fronts_1d2d.csv.gz"))
        return _on_problem(seed, row, folder, rng)
    except (UserError, StopIteration, KeyError):
        return None


def _fits(formula: Formula) -> bool:
    return len(formula) <= MOST_NODES


def _on_ranges(
    seed: int, text: str, ranges: dict[str, list[float]], rng: random.Random, row: dict[str, str]
) -> Draw | None:
    formula = read(text, columns=tuple(ranges)).formula
    if not _fits(formula):
        return None
    domains = {name: Domain("uniform", *map(float, ends[:2])) for name, ends in ranges.items()}
    samples = sample_domains(domains, count=rng.choice((40, 60, 80)), seed=seed)
    return Draw(f"outside {seed}, {row['dataset']}", formula, samples)


def _found(seed: int, row: dict[str, str], law: dict[str, str], rng: random.Random) -> Draw | None:
    ranges = list(json.loads(law["ranges_json"]).items())
    reading = read(row["formula"], columns=tuple(name for name, _ in ranges))
    if not _fits(reading.formula):
        return None
    domains = {}
    for name in reading.formula.variables:
        known = dict(ranges).get(name)
        if known is None and name[1:].isdigit():
            known = ranges[int(name[1:])][1] if int(name[1:]) < len(ranges) else None
        if known is None:
            return None
        domains[name] = Domain("uniform", *map(float, known[:2]))
    samples = sample_domains(domains, count=rng.choice((40, 60)), seed=seed)
    return Draw(f"outside {seed}, found", reading.formula, samples)


def _on_problem(seed: int, row: dict[str, str], folder: Path, rng: random.Random) -> Draw | None:
    name = row.get("problem") or row["dataset"]
    path = next((folder / "data/problems").glob(f"*{name}*.csv"))
    with path.open() as lines:
        names, *cells = list(csv.reader(lines))
    inputs = names[:-1]
    formula = read(row["formula"]).formula
    if not _fits(formula):
        return None
    values = np.array(cells, dtype=float)
    chosen = np.sort(np.array(rng.sample(range(len(values)), min(60, len(values)))))
    columns = {}
    for place, found in enumerate(sorted(formula.variables)):
        if place >= len(inputs):
            return None
        columns[found] = values[chosen, place]
    samples = Samples.from_columns(columns, count=len(chosen), origin=f"rows of {path.stem}")
    return Draw(f"outside {seed}, {name}", formula, samples)


def draws(count: int, first: int = 0, rare: tuple[str, ...] = RARE) -> Iterator[Draw]:
    """So many draws, the same on every machine.

    Parameters
    ----------
    count : int
    first : int
        The first seed.
    rare : tuple of str
        `RARE`, or `NEWEST`: no laws, and fewer rows, for log gamma is slow in mpmath.
    """
    for seed in range(first, first + count):
        if rare != RARE:
            yield grammar_draw(seed, rare=rare)
        else:
            yield law_draw(seed) if seed % 12 == 1 else grammar_draw(seed, many=seed % 5 == 0)


def outside_draws(count: int, folder: Path, first: int = 0) -> Iterator[Draw]:
    """Laws of the outside sample and what tools found, from so many seeds; some have none.

    Parameters
    ----------
    count : int
    folder : Path
        The outside sample.
    first : int
        The first seed.
    """
    found = (outside_draw(folder, seed) for seed in range(first, first + count))
    yield from (draw for draw in found if draw is not None)
