"""Rules of algebra: roots, powers, fractions."""

from __future__ import annotations

from eic_core.rewriting.rules import Rule
from eic_core.rewriting.tables.sources import ALGEBRA, GOLDBERG, HAMMING, HIGHAM

ALGEBRA_RULES: tuple[Rule, ...] = (
    Rule(
        "conjugate roots",
        "sqrt(a) - sqrt(b)",
        "(a - b)/(sqrt(a) + sqrt(b))",
        ("sqrt(a) + sqrt(b) > 0",),
        HAMMING,
    ),
    Rule(
        "conjugate root", "sqrt(a) - b", "(a - b**2)/(sqrt(a) + b)", ("sqrt(a) + b != 0",), HAMMING
    ),
    Rule(
        "conjugate root", "sqrt(a) + b", "(a - b**2)/(sqrt(a) - b)", ("sqrt(a) - b != 0",), HAMMING
    ),
    Rule(
        "conjugate cube roots",
        "cbrt(a) - cbrt(b)",
        "(a - b)/(cbrt(a)**2 + cbrt(a)*cbrt(b) + cbrt(b)**2)",
        ("abs(a) + abs(b) > 0",),
        HAMMING,
    ),
    Rule(
        "difference of powers",
        "a**p - b**p",
        "b**p*expm1(p*log1p((a - b)/b))",
        ("a > 0", "b > 0"),
        HAMMING,
    ),
    Rule("a power less one", "(1 + a)**p - 1", "expm1(p*log1p(a))", ("1 + a > 0",), GOLDBERG),
    Rule("a power less one", "a**p - 1", "expm1(p*log(a))", ("a > 0",), GOLDBERG),
    Rule("difference of squares", "a**2 - b**2", "(a - b)*(a + b)", (), GOLDBERG),
    Rule("difference of squares", "1 - b**2", "(1 - b)*(1 + b)", (), GOLDBERG),
    Rule("difference of fractions", "1/a - 1/b", "(b - a)/(a*b)", (), HAMMING),
    Rule("common factor", "c*a - c*b", "c*(a - b)", (), ALGEBRA),
    Rule("common factor", "c*a + c*b", "c*(a + b)", (), ALGEBRA),
    Rule("common factor", "c*a - c", "c*(a - 1)", (), ALGEBRA),
    Rule("common factor", "c*a + c", "c*(a + 1)", (), ALGEBRA),
    Rule("common divisor", "a/c - b/c", "(a - b)/c", (), ALGEBRA),
    Rule("common divisor", "a/c + b/c", "(a + b)/c", (), ALGEBRA),
    Rule("hypotenuse", "sqrt(a**2 + b**2)", "hypot(a, b)", (), HIGHAM),
    Rule("hypotenuse", "sqrt(1 + a**2)", "hypot(1, a)", (), HIGHAM),
    Rule("root of a square", "sqrt(a**2)", "abs(a)", (), ALGEBRA),
    Rule("root of a square", "pow_exact(a**2, 0.5)", "abs(a)", (), ALGEBRA),
    Rule("square of a root", "sqrt(a)**2", "a", (), ALGEBRA),
    Rule("cube of a root", "cbrt(a)**3", "a", (), ALGEBRA),
    Rule("root of a cube", "cbrt(a**3)", "a", (), ALGEBRA),
    Rule("square of a modulus", "abs(a)**2", "a**2", (), ALGEBRA),
    Rule("modulus of a positive number", "abs(a)", "a", ("a >= 0",), ALGEBRA),
    Rule("hypotenuse", "sqrt(a**2 + b**2 + c**2)", "hypot(hypot(a, b), c)", (), HIGHAM),
    Rule("dividing through", "a/(a**2 + b)", "1/(a + b/a)", ("a != 0",), HIGHAM),
    Rule("dividing through", "a/(a**2 - b)", "1/(a - b/a)", ("a != 0",), HIGHAM),
    Rule("dividing through", "a**2/(a**2 + b**2)", "1/(1 + (b/a)**2)", ("a != 0",), HIGHAM),
    Rule("root of a product", "sqrt(a*b)", "sqrt(a)*sqrt(b)", ("a >= 0", "b >= 0"), ALGEBRA),
    Rule("root of a quotient", "sqrt(a/b)", "sqrt(a)/sqrt(b)", ("a >= 0", "b > 0"), ALGEBRA),
    Rule("product of roots", "sqrt(a)*sqrt(b)", "sqrt(a*b)", (), ALGEBRA),
    Rule("quotient of roots", "sqrt(a)/sqrt(b)", "sqrt(a/b)", (), ALGEBRA),
    Rule("square of a root", "sqrt(a)*sqrt(a)", "a", (), ALGEBRA),
    Rule("quotient by a root", "a/sqrt(a)", "sqrt(a)", (), ALGEBRA),
    Rule("root of a root", "sqrt(sqrt(a))", "root(a, 4)", (), ALGEBRA),
    Rule("root of a root", "sqrt(root(a, 4))", "root(a, 8)", (), ALGEBRA),
    Rule("root of a root", "cbrt(sqrt(a))", "root(a, 6)", (), ALGEBRA),
    Rule("power of a power", "(a**p)**q", "a**(p*q)", ("a > 0",), ALGEBRA),
    Rule("product of powers", "a**p*a**q", "a**(p + q)", ("a > 0",), ALGEBRA),
    Rule("quotient of powers", "a**p/a**q", "a**(p - q)", ("a > 0",), ALGEBRA),
)
"""In the order in which they are tried."""
