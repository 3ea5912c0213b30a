"""Rules of special functions: error functions, gamma."""

from __future__ import annotations

from eic_core.rewriting.rules import Rule
from eic_core.rewriting.tables.sources import ABRAMOWITZ, CODY

# fmt: off
SPECIAL_RULES: tuple[Rule, ...] = (
    Rule("complementary error function", "1 - erf(a)", "erfc(a)", (), CODY, "a=1:9"),
    Rule("complementary error function", "1 + erf(a)", "erfc(-a)", (), CODY, "a=-9:-1"),
    Rule("complementary error function", "2 - erfc(a)", "erfc(-a)", (), CODY, "a=-9:-1"),
    Rule("complementary error function", "1 - erfc(a)/2", "erfc(-a)/2", (), CODY, "a=-9:-1"),
    Rule("complementary error function", "erf(a) - erf(b)", "erfc(b) - erfc(a)",
         (), CODY, "a=3:4 b=1:2"),
    Rule("complementary error function", "erf(a) - erf(b)", "erfc(-a) - erfc(-b)",
         (), CODY, "a=-2:-1 b=-4:-3"),
    Rule("error function", "1 - erfc(a)", "erf(a)", (), CODY, "a=loguniform:1e-9:1"),
    Rule("error function", "erfc(a) - erfc(b)", "erf(b) - erf(a)", (), CODY, "a=0:0.1 b=0.2:0.3"),
    Rule("error function", "erfc(a) + erfc(-a)", "2", (), CODY, "a=-9:9"),
    Rule("gamma function", "gamma(1 + a)/gamma(a)", "a", (), ABRAMOWITZ, "a=1:300"),
    Rule("gamma function", "gamma(a)/gamma(1 + a)", "1/a", (), ABRAMOWITZ, "a=1:300"),
    Rule("gamma function", "lgamma(1 + a) - lgamma(a)", "log(abs(a))", (), ABRAMOWITZ, "a=2:300"),
    Rule("logarithm of gamma", "log(gamma(a))", "lgamma(a)", (), ABRAMOWITZ, "a=3:300"),
    Rule("logarithm of gamma", "gamma(a)/gamma(b)", "exp(lgamma(a) - lgamma(b))",
         ("a > 0", "b > 0"), ABRAMOWITZ, "a=1:300 b=1:300"),
    Rule("logarithm of gamma", "exp(a)*gamma(b)", "exp(a + lgamma(b))",
         ("b > 0",), ABRAMOWITZ, "a=-900:900 b=1:300"),
    Rule("logarithm of gamma", "exp(a)/gamma(b)", "exp(a - lgamma(b))",
         ("b > 0",), ABRAMOWITZ, "a=-900:900 b=1:300"),
    Rule("logarithm of gamma", "a**p/gamma(b)", "exp(p*log(a) - lgamma(b))",
         ("a > 0", "b > 0"), ABRAMOWITZ, "a=1:9 b=1:300 p=1:300"),
)
# fmt: on
"""In the order in which they are tried."""
