"""The step that leaves the result without a digit at each sample, and whether it jumps there.

A factor of 0 silences an infinite s. So the step is found by the absolute recursion, v_k = y_k^2 +
sum (de_k/dy_i)^2 v_i, in balls, from the result down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.engine.exact import ExactEvaluator, ExactSample
from eic_core.formula.tree import Formula
from eic_core.measure.following import following
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.operators.wide import Array

STEEP, LOSES, JUMPS = 1, 2, 3
"""What the result does at a sample: of two steps that leave no digit the later counts."""

MOST_WORK, FEWEST = 20_000, 100
"""Nodes times samples that are looked at, at most, but so many samples; others are as those that
are alike."""

DEEPEST = 50
"""So many times several ways down are compared; below, the first is taken."""

Rows = npt.NDArray[np.int64]


class Source(NamedTuple):
    kind: int  # `STEEP`, `LOSES` or `JUMPS`
    node: int  # Where that comes from: of what is infinitely steep the steep step


@dataclass(frozen=True)
class Sources:
    """The rows at which the amplification of the result is infinite; shape (m,) each."""

    rows: Rows = field(repr=False)
    kinds: Rows = field(repr=False)  # `STEEP`, `LOSES` or `JUMPS`
    nodes: Rows = field(repr=False)


@cached_on_inspection
def sources_of_infinity(inspection: Inspection) -> Sources:
    """The sources of infinity.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 3.0]})
    >>> sources = sources_of_infinity(inspect(read("where(x > 2, 1, x - x) + 5").formula, samples))
    >>> sources.rows.tolist(), sources.kinds.tolist(), sources.nodes.tolist()
    ([1], [3], [7])
    """
    formula, amplification = inspection.formula, inspection.amplification
    y, s = amplification.trace(formula.root.id)
    lost = np.flatnonzero(np.isinf(s))
    if not len(lost):
        return Sources(lost, lost, lost)
    evaluator = ExactEvaluator(amplification.tape)
    most = max(FEWEST, MOST_WORK // len(formula))
    by_cells: dict[tuple[str, ...], Source] = {}
    alike: dict[bytes, Counter[Source]] = {}
    flags = np.array([np.isinf(amplification.trace(k)[1]) for k in range(len(formula))])
    sources: list[Source] = []
    steps = following(inspection).by_step
    for row in lost.tolist():
        cells = tuple([inspection.samples.decimal(name, row) for name in formula.variables])
        pattern = np.packbits(np.append(flags[:, row], y[row] == 0)).tobytes()
        source = by_cells.get(cells)
        if source is None and len(by_cells) >= most and pattern in alike:
            source = alike[pattern].most_common(1)[0][0]
        if source is None:
            sample = evaluator.sample(dict(zip(formula.variables, cells, strict=True)))
            source = _source(formula, evaluator, sample, partial(_moved_by, steps, row))
            by_cells[cells] = source
            alike.setdefault(pattern, Counter())[source] += 1
        sources.append(source)
    kinds, nodes = np.array(sources, dtype=np.int64).T
    return Sources(lost, kinds, nodes)


def _moved_by(steps: Mapping[int, Array], row: int, source: Source) -> tuple[int, float]:
    return source.kind, float(steps[source.node][row]) if source.node in steps else 0.0


def _source(
    formula: Formula,
    evaluator: ExactEvaluator,
    sample: ExactSample,
    counts: Callable[[Source], tuple[int, float]],
) -> Source:
    root = formula.root.id
    slots = evaluator.tape.slots
    if len(sample.y) < len(evaluator.tape):
        return Source(LOSES, root)
    zero = sample.y[-1] == 0

    def below(k: int, jumps: bool, steep: int | None, depth: int) -> Source:
        while True:
            operands, jumps_here, steep_here = evaluator.makers(slots[k], sample)
            jumps |= jumps_here
            steep = k if steep_here and not jumps_here and steep is None else steep
            children = [formula.nodes[k].children[i] for i in operands]
            if len(children) > 1 and depth < DEEPEST:
                sources = [below(child, jumps, steep, depth + 1) for child in children]
                return max(sources, key=counts)
            if not children:
                kind = JUMPS if jumps else STEEP if steep is not None and not zero else LOSES
                return Source(kind, steep if kind == STEEP and steep is not None else k)
            k = children[0]

    return below(root, False, None, 0)
