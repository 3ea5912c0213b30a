"""Rules for trigonometric functions and their inverses."""

from __future__ import annotations

from eic_core.explain.rewriting.algebra_rules import ALGEBRA, HAMMING, KAHAN
from eic_core.explain.rewriting.rules import Rule

SINNOTT = "Sinnott, Virtues of the Haversine, Sky & Telescope 68 (1984)"

TRIGONOMETRY_RULES: tuple[Rule, ...] = (
    Rule("half angle", "1 - cos(a)", "2*sin(a/2)**2", (), HAMMING),
    Rule("half angle", "c - c*cos(a)", "2*c*sin(a/2)**2", (), HAMMING),
    Rule("half angle", "1 + cos(a)", "2*cos(a/2)**2", (), HAMMING),
    Rule("half angle", "(1 - cos(a))/sin(a)", "tan(a/2)", (), HAMMING),
    Rule("half angle", "sin(a)/(1 + cos(a))", "tan(a/2)", (), HAMMING),
    Rule("half angle", "1 - sin(a)", "2*sin(pi/4 - a/2)**2", (), HAMMING),
    Rule("half angle", "tan(a) - sin(a)", "2*tan(a)*sin(a/2)**2", (), HAMMING),
    Rule("half angle", "sec(a) - 1", "2*sec(a)*sin(a/2)**2", (), HAMMING),
    Rule("sum to product", "cos(a) - cos(b)", "2*sin((a + b)/2)*sin((b - a)/2)", (), HAMMING),
    Rule("sum to product", "cos(a) + cos(b)", "2*cos((a + b)/2)*cos((a - b)/2)", (), HAMMING),
    Rule("sum to product", "sin(a) - sin(b)", "2*cos((a + b)/2)*sin((a - b)/2)", (), HAMMING),
    Rule("sum to product", "sin(a) + sin(b)", "2*sin((a + b)/2)*cos((a - b)/2)", (), HAMMING),
    Rule("sum to product", "tan(a) - tan(b)", "sin(a - b)/(cos(a)*cos(b))", (), HAMMING),
    Rule("sum to product", "tan(a) + tan(b)", "sin(a + b)/(cos(a)*cos(b))", (), HAMMING),
    Rule("sum to product", "cot(a) - cot(b)", "sin(b - a)/(sin(a)*sin(b))", (), HAMMING),
    Rule("addition theorem", "sin(a)*cos(b) - cos(a)*sin(b)", "sin(a - b)", (), HAMMING),
    Rule("addition theorem", "sin(a)*cos(b) + cos(a)*sin(b)", "sin(a + b)", (), HAMMING),
    Rule("addition theorem", "cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)", (), HAMMING),
    Rule("addition theorem", "cos(a)*cos(b) + sin(a)*sin(b)", "cos(a - b)", (), HAMMING),
    Rule("Pythagoras", "1 - sin(a)**2", "cos(a)**2", (), ALGEBRA),
    Rule("Pythagoras", "1 - cos(a)**2", "sin(a)**2", (), ALGEBRA),
    Rule("Pythagoras", "sin(a)**2 + cos(a)**2", "1", (), ALGEBRA),
    Rule("Pythagoras", "sec(a)**2 - 1", "tan(a)**2", (), ALGEBRA),
    Rule("Pythagoras", "1/cos(a)**2 - 1", "tan(a)**2", (), ALGEBRA),
    Rule("double angle", "cos(a)**2 - sin(a)**2", "cos(2*a)", (), ALGEBRA),
    Rule("double angle", "2*cos(a)**2 - 1", "cos(2*a)", (), ALGEBRA),
    Rule("tangent", "sin(a)/cos(a)", "tan(a)", (), ALGEBRA),
    Rule("difference of arctangents", "atan(a) - atan(b)", "atan2(a - b, 1 + a*b)", (), HAMMING),
    Rule("complementary angle", "pi/2 - atan(a)", "atan2(1, a)", (), KAHAN),
    Rule("complementary angle", "pi/2 - asin(a)", "acos(a)", (), KAHAN),
    Rule("complementary angle", "pi/2 - acos(a)", "asin(a)", (), KAHAN),
    Rule("half angle", "acos((1 - a)/(1 + a))", "2*atan(sqrt(a))", (), KAHAN),
    Rule("half angle", "acos(a)", "2*asin(sqrt((1 - a)/2))", (), KAHAN),
    Rule("half angle", "acos(a)", "2*atan2(sqrt(1 - a), sqrt(1 + a))", (), KAHAN),
    Rule("haversine", "acos(sin(a)*sin(b) + cos(a)*cos(b)*cos(c))",
         "2*asin(sqrt(sin((a - b)/2)**2 + cos(a)*cos(b)*sin(c/2)**2))", (), SINNOTT),
    Rule("inverse functions", "sin(asin(a))", "a", (), ALGEBRA),
    Rule("inverse functions", "cos(acos(a))", "a", (), ALGEBRA),
    Rule("inverse functions", "tan(atan(a))", "a", (), ALGEBRA),
    Rule("inverse functions", "cos(asin(a))", "sqrt((1 - a)*(1 + a))", (), ALGEBRA),
    Rule("inverse functions", "sin(acos(a))", "sqrt((1 - a)*(1 + a))", (), ALGEBRA),
    Rule("inverse functions", "cos(atan(a))", "1/hypot(1, a)", (), ALGEBRA),
    Rule("inverse functions", "sin(atan(a))", "a/hypot(1, a)", (), ALGEBRA),
)
"""In the order in which they are tried."""
