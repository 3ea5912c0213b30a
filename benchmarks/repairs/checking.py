"""What checking one rewriting costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from benchmarks.timing import Work, medians, verdict
from eic_core.engine.exact import GREAT_DEPTH
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import ValueTable
from eic_core.rewriting.verify import Verifier
from eic_core.samples import Samples

ROWS, MILLISECONDS = 200, 5.0

PAIRS = (
    ("(1-cos(x))/x**2", "2*sin(x/2)**2/x**2"),
    ("sqrt(x+1) - sqrt(x)", "1/(sqrt(x+1) + sqrt(x))"),
    ("log(x+1) - log(x)", "log1p(1/x)"),
)


def checking_lines() -> Iterator[str]:
    """A line for each pair of forms."""
    rows = np.geomspace(1e-6, 1.0, ROWS)
    samples = Samples.from_columns({"x": rows})
    work: dict[str, Work] = {}
    for pair in PAIRS:
        formulas = [read(text).formula for text in pair]
        work[pair[0]] = partial(_check, formulas, samples)
    for text, seconds in medians(work, 11).items():
        aim = verdict(1e3 * seconds, MILLISECONDS)
        yield f"checking a rewriting of {text} at {ROWS} rows: {1e3 * seconds:.1f} ms ({aim})"


def _check(formulas: Sequence[Formula], samples: Samples) -> None:
    terms = Terms()
    original, other = map(terms.add, formulas)
    cells = [{"x": x} for x in samples.columns["x"].tolist()]
    table = ValueTable(terms, cells, GREAT_DEPTH)
    verifier = Verifier(table, original, samples, range(ROWS), range(ROWS))
    if verifier.verify(other, ()) is None:
        raise RuntimeError("a form is not the formula")
