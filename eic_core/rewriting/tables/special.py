"""Rules of special functions: error functions, gamma."""

from __future__ import annotations

from eic_core.rewriting.rules import Rule
from eic_core.rewriting.tables.sources import ABRAMOWITZ, CODY, DIDONATO

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
    Rule("scaled tail", "exp(a**2)*erfc(a)", "erfcx(a)", (), CODY, "a=1:100"),
    Rule("scaled tail", "exp(a)*erfc(b)", "exp(a - b**2)*erfcx(b)", (), CODY, "a=1:9 b=1:9"),
    Rule("scaled tail", "exp(a)/erfc(b)", "exp(a + b**2)/erfcx(b)", (), CODY, "a=-900:9 b=1:30"),
    Rule("scaled tail", "log(erfc(a))", "log(erfcx(a)) - a**2", (), CODY, "a=1:100"),
    Rule("scaled tail", "log(b*erfc(a))", "log(b*erfcx(a)) - a**2", (), CODY, "a=1:100 b=1:9"),
    Rule("scaled tail", "erfc(a)/erfc(b)", "exp((b - a)*(b + a))*erfcx(a)/erfcx(b)",
         (), CODY, "a=1:40 b=1:40"),
    Rule("scaled tail", "log(erfc(a)/erfc(b))", "log(erfcx(a)/erfcx(b)) - (a - b)*(a + b)",
         (), CODY, "a=1:40 b=1:40"),
    Rule("difference of scaled tails", "exp(c)*(erfc(a) - erfc(b))",
         "exp(c - a**2)*(erfcx(a) - exp((a - b)*(a + b))*erfcx(b))",
         (), CODY, "a=1:30 b=2:40 c=1:900"),
    Rule("difference of scaled tails", "exp(c)/(erfc(a) - erfc(b))",
         "exp(c + a**2)/(erfcx(a) - exp((a - b)*(a + b))*erfcx(b))",
         (), CODY, "a=1:30 b=31:40 c=-900:1"),
    Rule("difference of scaled tails", "log(erfc(a) - erfc(b))",
         "log(erfcx(a) - exp((a - b)*(a + b))*erfcx(b)) - a**2", (), CODY, "a=1:30 b=31:40"),
    Rule("scaled tail", "2*exp(a**2) - erfcx(a)", "erfcx(-a)", (), CODY, "a=-9:-1"),
    Rule("scaled tail", "log(erfcx(-a))", "log(erfc(-a)) + a**2", (), CODY, "a=1:100"),
    Rule("scaled tail", "exp(a)*erfcx(b)", "exp(a + b**2)*erfc(b)", (), CODY, "a=-9:9 b=-100:1"),
    Rule("gamma function", "gamma(1 + a)/gamma(a)", "a", (), ABRAMOWITZ, "a=1:300"),
    Rule("gamma function", "gamma(a)/gamma(1 + a)", "1/a", (), ABRAMOWITZ, "a=1:300"),
    Rule("gamma function", "lgamma(1 + a) - lgamma(a)", "log(abs(a))", (), ABRAMOWITZ, "a=2:300"),
    Rule("logarithm of beta", "lgamma(a) + lgamma(b) - lgamma(a + b)", "betaln(a, b)",
         ("a > 0", "b > 0"), DIDONATO, "a=1:9 b=loguniform:1:1e12"),
    Rule("logarithm of beta", "lgamma(a) - lgamma(b)", "lgamma(a - b) - betaln(b, a - b)",
         ("b > 0", "a - b > 0"), DIDONATO, "a=1e9:2e9 b=loguniform:1:1e9"),
    Rule("beta function", "gamma(a)*gamma(b)/gamma(a + b)", "exp(betaln(a, b))",
         ("a > 0", "b > 0"), DIDONATO, "a=1:9 b=1:300"),
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
