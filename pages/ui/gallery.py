"""Ten formulas, each with one lesson; the tests hold every lesson to its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from eic_core.measure import Domain


@dataclass(frozen=True)
class Example:
    """A formula worth looking at.

    Attributes
    ----------
    key : str
        Short and stable: it stands in widget keys and links.
    title : str
    lesson : str
        One sentence, true of the numbers that the example gives.
    formula : str
    domains : tuple of (variable, Domain)
        How it is sampled.
    samples : int
    syntax : str
        A notation, or "auto".
    source : str
        Where a formula comes from that is not a textbook's; "" elsewhere.

    Examples
    --------
    >>> example("cancellation").formula
    '10000*x - 9999*x'
    """

    key: str
    title: str
    lesson: str
    formula: str
    domains: tuple[tuple[str, Domain], ...]
    samples: int = 10_000
    syntax: str = "auto"
    source: str = ""


def _uniform(**ranges: tuple[float, float]) -> tuple[tuple[str, Domain], ...]:
    return tuple((name, Domain("uniform", *ends)) for name, ends in ranges.items())


EXAMPLES: tuple[Example, ...] = (
    Example(
        "cancellation",
        "10000x − 9999x",
        "Two terms that nearly cancel lose 4.4 digits, though the formula equals x.",
        "10000*x - 9999*x",
        _uniform(x=(1.0, 5.0)),
    ),
    Example(
        "masked",
        "ln(exp(x))",
        "The exponential of a number near 1000 loses three digits (and leaves double range); "
        "the logarithm brings them back, so the result hides it.",
        "ln(exp(x))",
        (("x", Domain("normal", 1000.0, 1.0)),),
        samples=1_000,
    ),
    Example(
        "roots",
        "√(x+1) − √x",
        "For large x two nearly equal roots cancel and more than seven digits go; "
        "1/(√(x+1) + √x) is the same number and keeps them.",
        "sqrt(x+1) - sqrt(x)",
        (("x", Domain("loguniform", 1.0, 1e8)),),
    ),
    Example(
        "half-angle",
        "(1 − cos x)/x²",
        "Near 0 the cosine is so close to 1 that the difference loses over seven digits; "
        "2·sin(x/2)² is the same numerator without the loss.",
        "(1 - cos(x))/x**2",
        (("x", Domain("loguniform", 1e-4, 1.0)),),
    ),
    Example(
        "nested",
        "sin(sin(cot(x)))",
        "Short is not stable: only four nodes, yet where the cotangent is large the inner sine "
        "crosses zero again and again and loses more than two digits.",
        "sin(sin(cot(x)))",
        _uniform(x=(0.1, 3.0)),
    ),
    Example(
        "branch",
        "A masked branch",
        "sin(1000x) loses more than four digits, but its small weight hides that from every "
        "test of the result.",
        "x + 0.000001*sin(1000*x)",
        _uniform(x=(1.0, 5.0)),
    ),
    Example(
        "pole",
        "A pole in the domain",
        "At x = 2 the denominator crosses zero: more samples come closer to the pole, and EIC "
        "grows with their number.",
        "1/(x - 2)",
        _uniform(x=(1.0, 3.0)),
    ),
    Example(
        "tail",
        "A heavy tail",
        "In the normal density of Feynman I.6.2b the difference θ − θ₁ crosses zero, so a "
        "handful of samples carries nearly all of EIC.",
        "exp(-((theta - theta1)/sigma)**2/2)/(sqrt(2*pi)*sigma)",
        _uniform(theta=(1.0, 3.0), theta1=(1.0, 3.0), sigma=(1.0, 3.0)),
    ),
    Example(
        "law",
        "A stable law",
        "Coulomb’s law (Feynman I.12.2) only multiplies and divides: it loses 0.6 digits, "
        "whatever the charges and the distance.",
        "q1*q2/(4*pi*epsilon*r**2)",
        _uniform(q1=(1.0, 5.0), q2=(1.0, 5.0), epsilon=(1.0, 5.0), r=(1.0, 5.0)),
    ),
    Example(
        "found",
        "Found by a search",
        "A good fit (R² = 0.97 on pipe friction data) in which the exponents −165.3 and 0.0248 "
        "undo each other: between them more than two digits are lost, and the result hides it.",
        "sqrt(abs(((((0.199700 * X1) ^ (-20.601677)) + ((0.354601 * X2) ^ (-165.300293))) "
        "^ 0.024817)))",
        _uniform(x1=(15.0, 507.0), x2=(3.63, 6.008)),
        syntax="operon",
        source="Operon on nikuradse_1, from the repository of the eggp paper (MIT)",
    ),
)
"""In the order shown."""


def example(key: str) -> Example:
    """The example of that key.

    Raises
    ------
    KeyError
        If there is none.
    """
    return {e.key: e for e in EXAMPLES}[key]
