"""Repairs of a formula's text, as tests want them: on ranges or on columns, to their end.

What is asked twice is repaired once a process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any

import numpy as np

from eic_core.explain.judgement import NO_NUMBERS, VerdictNumbers
from eic_core.formula.syntax import read
from eic_core.measure.measured import MeasuredLoss
from eic_core.rewriting import Repairs, repair
from eic_core.samples import Domain, Samples, sample_domains


def drawn(ranges: str, count: int = 60) -> Samples:
    """Samples of ranges as the command line writes them: `x=1:5 y=loguniform:1:9`."""
    return sample_domains(dict(map(Domain.parse, ranges.split())), count=count)


@cache
def repaired(text: str, ranges: str, count: int = 200, **options: Any) -> Repairs:
    """What `repair` finds for a formula on samples of ranges; their names say what words mean."""
    return repaired_on(text, drawn(ranges, count), **options)


def repaired_on(
    text: str, data: Samples | Mapping[str, Sequence[float] | np.ndarray], **options: Any
) -> Repairs:
    """What `repair` finds for a formula on columns."""
    samples = data if isinstance(data, Samples) else Samples.from_columns(data)
    formula = read(text, columns=tuple(samples.columns)).formula
    return repair(formula, samples, **{"effort": inf, **options})


def numbers_losing(digits: float) -> VerdictNumbers:
    """Of a form that loses so many digits at its only row."""
    row = MeasuredLoss("float64", 1, np.zeros(1, dtype=int), np.ones(1), np.array([digits]))
    return replace(NO_NUMBERS, rows=1, measured=row)
