"""That a sum loses its digits where it crosses zero is said only where its terms cancel there.

Where all terms vanish together, as those of x^2 - x at 0, nothing is lost however near the zero.
What is left of the terms is worked out here with mpmath, on the way to each zero, by hand.
"""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

from eic_core.explain.diagnosis import diagnose
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains

CANCELS = "cancel where the"
TELLS = (CANCELS, "crosses zero")

# formula, its range, the two terms of the sum that loses most, its zeros in the range
SUMS = (
    ("x**4+x**3+x**2+x", (-1, 1), lambda x: (x**4, x**3), (0,)),
    ("x**6+x**5+x**4+x**3+x**2+x", (-1, 1), lambda x: (x**6, x**5), (0,)),
    ("sin(x)+sin(x+x**2)", (-1, 1), lambda x: (x, x**2), (0,)),
    ("x**4+x**3", (-0.985, 0.99), lambda x: (x**4, x**3), (0,)),
    ("x**2-x", (-0.5, 0.99), lambda x: (x**2, -x), (0,)),
    ("x*sin(x)-x", (-1.5, 1.5), lambda x: (x * mp.sin(x), -x), (0,)),
    ("x**3-x", (-0.995, 0.995), lambda x: (x**3, -x), (0,)),
    ("x*exp(x)-2.7*x", (-2, 0.98), lambda x: (x * mp.exp(x), -mpf("2.7") * x), (0,)),
    ("tan(x)-2*x", (-1.16, 1.16), lambda x: (mp.tan(x), -2 * x), (0,)),
    ("x**2-x", (-0.5, 1.5), lambda x: (x**2, -x), (0, 1)),
    ("x**4+x**3", (-1.5, 0.5), lambda x: (x**4, x**3), (-1, 0)),
    ("x**3-x", (-1.5, 1.5), lambda x: (x**3, -x), (-1, 0, 1)),
    ("x**2-2", (0.5, 3), lambda x: (x**2, -2), (mp.sqrt(2),)),
)


def loses(terms, zero) -> bool:
    """Whether less and less of the terms is left on the way to a zero of their sum."""
    with mp.workdps(60):
        left = []
        for step in ("1e-4", "1e-8", "1e-12"):
            a, b = terms(mpf(zero) + mpf(step))
            left.append(abs(a + b) / (abs(a) + abs(b)))
    return bool(left[2] < left[1] / 100 < left[0] / 10_000)


@pytest.mark.parametrize(("text", "ends", "terms", "zeros"), SUMS)
def test_a_zero_is_named_as_the_cause_only_where_the_terms_cancel_at_it(text, ends, terms, zeros):
    formula = read(text).formula
    samples = sample_domains({"x": Domain("uniform", *ends)}, count=300, seed=11)
    found = diagnose(inspect(formula, samples))
    x = np.sort(samples.columns["x"])
    assert x[0] < min(zeros) and x[-1] > max(zeros)
    said = [found.verdict.sentence, *found.verdict.notes, *found.where.sentences]
    told = any(words in sentence for words in TELLS for sentence in said)
    assert told == any(loses(terms, zero) for zero in zeros), said
