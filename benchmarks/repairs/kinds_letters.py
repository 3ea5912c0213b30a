"""Cases whose loss hangs on a letter: near what cancels, in an exponent, or beside a series.

In the first kind a letter is near the number, or near the other letter, at which everything would
cancel; in the second one stands in the exponent of a number near 1; in the third a series has
letters in its coefficients, and holds as far as its data go.
"""

from __future__ import annotations

from benchmarks.repairs.cases import Case, Needs, Ranges

# u - sin(u), sinh(u) - u, expm1(u) - u, ... for |u| <= 1, by powers of u
_SINE = (
    "{0}**3*(1/6 - {0}**2*(1/120 - {0}**2*(1/5040 - {0}**2*(1/362880 - {0}**2*(1/39916800"
    " - {0}**2*(1/6227020800 - {0}**2/1307674368000))))))"
)
_HYPERBOLIC_SINE = _SINE.replace(" - ", " + ")
_EXPONENTIAL = (
    "{0}**2*(1/2 + {0}/3*(1/2 + {0}/4*(1/2 + {0}/5*(1/2 + {0}/6*(1/2 + {0}/7*(1/2 + {0}/8*(1/2"
    " + {0}/9*(1/2 + {0}/10*(1/2 + {0}/11*(1/2 + {0}/12*(1/2 + {0}/26)))))))))))"
)
# log1p(t) - t for |t| <= 0.1
_LOGARITHM = (
    "-{0}**2*(1/2 - {0}*(1/3 - {0}*(1/4 - {0}*(1/5 - {0}*(1/6 - {0}*(1/7 - {0}*(1/8 - {0}*(1/9"
    " - {0}*(1/10 - {0}*(1/11 - {0}*(1/12 - {0}*(1/13 - {0}*(1/14 - {0}/15)))))))))))))"
)
# tan(x) - x for |x| <= 0.2
_TANGENT = (
    "{0}**3*(1/3 + {0}**2*(2/15 + {0}**2*(17/315 + {0}**2*(62/2835 + {0}**2*(1382/155925"
    " + {0}**2*(21844/6081075 + {0}**2*929569/638512875))))))"
)
# (1 + x)**n - 1 - n*x over n*(n - 1)/2*x**2, for n*|x| <= 0.3
_BINOMIAL = (
    "(1 + (n - 2)*{0}/3*(1 + (n - 3)*{0}/4*(1 + (n - 4)*{0}/5*(1 + (n - 5)*{0}/6*(1"
    " + (n - 6)*{0}/7*(1 + (n - 7)*{0}/8*(1 + (n - 8)*{0}/9*(1 + (n - 9)*{0}/10*(1"
    " + (n - 10)*{0}/11*(1 + (n - 11)*{0}/12))))))))))"
)

_KEPLER = "J. M. A. Danby, Fundamentals of Celestial Mechanics, ch. 6"
_POISSON = "W. Feller, An Introduction to Probability Theory, vol. 1, VI"
_COMPOUND = "S. G. Kellison, The Theory of Interest, ch. 3"

NEAR_THE_NUMBER: tuple[Case, ...] = (
    Case(
        "Kepler near a parabola",
        "u - e*sin(u)",
        Ranges(("u=loguniform:1e-6:1", "e=0.99999:1")),
        _KEPLER,
        (f"(1 - e)*u + e*({_SINE})".format("u"),),
        needs=Needs.SERIES,
    ),
    Case(
        "Kepler, hyperbola",
        "e*sinh(h) - h",
        Ranges(("h=loguniform:1e-6:1", "e=1:1.00001")),
        _KEPLER,
        (f"(e - 1)*h + e*({_HYPERBOLIC_SINE})".format("h"),),
        needs=Needs.SERIES,
    ),
    Case(
        "Kepler on both sides of a parabola",
        "u - e*sin(u)",
        Ranges(("u=loguniform:1e-4:1", "e=0.999:1.001")),
        _KEPLER,
        (f"(1 - e)*u + e*({_SINE})".format("u"),),
        needs=Needs.SERIES,
    ),
    Case(
        "growth less its slope",
        "a*expm1(x) - b*x",
        Ranges(("x=loguniform:1e-8:1", "a=0.9999:1.0001", "b=0.9999:1.0001")),
        "interest at two rates",
        (f"(a - b)*x + a*({_EXPONENTIAL})".format("x"),),
        needs=Needs.SERIES,
    ),
    Case(
        "sine less its phase",
        "a*sin(w*t) - b*w*t",
        Ranges(("w=1:9", "t=loguniform:1e-6:0.1", "a=0.99999:1.00001", "b=0.99999:1.00001")),
        "a pendulum beside its linear law",
        (f"(a - b)*(w*t) - a*({_SINE})".format("(w*t)"),),
        needs=Needs.SERIES,
    ),
    Case(
        "tangent less its angle",
        "a*tan(x) - x",
        Ranges(("x=loguniform:1e-6:0.2", "a=0.99999:1.00001")),
        "the involute of a gear, its angle corrected",
        (f"(a - 1)*x + a*({_TANGENT})".format("x"),),
        needs=Needs.SERIES,
    ),
    Case(
        "logarithm with a weight",
        "x - a*log1p(x)",
        Ranges(("x=loguniform:1e-8:0.1", "a=0.99999:1")),
        "final size of an epidemic near its threshold",
        (f"(1 - a)*x - a*({_LOGARITHM})".format("x"),),
        needs=Needs.SERIES,
    ),
    Case(
        "cosine beside a letter",
        "a*cos(x) - b",
        Ranges(("x=loguniform:1e-8:0.1", "a=0.99999:1.00001", "b=0.99999:1.00001")),
        "half angles, as in NMSE 3.3",
        ("(a - b) - 2*a*sin(x/2)**2",),
    ),
    Case(
        "hyperbolic cosine beside a letter",
        "b - a*cosh(x)",
        Ranges(("x=loguniform:1e-8:0.1", "a=0.99999:1.00001", "b=0.99999:1.00001")),
        "half arguments, as in NMSE 3.3",
        ("(b - a) - 2*a*sinh(x/2)**2",),
    ),
    Case(
        "root beside a letter",
        "a*sqrt(1 + x) - b",
        Ranges(("x=loguniform:1e-10:1e-3", "a=0.99999:1.00001", "b=0.99999:1.00001")),
        "conjugate roots, as in NMSE 3.1",
        ("(a - b) + a*x/(sqrt(1 + x) + 1)",),
    ),
)

IN_THE_EXPONENT: tuple[Case, ...] = (
    Case(
        "two failures of k",
        "1-(1-a)**k*(1+a*k)",
        Ranges(("a=loguniform:1e-8:1e-3", "k=1:50")),
        _POISSON,
        (f"-expm1(k*({_LOGARITHM.format('(-a)')}) + ({_LOGARITHM.format('(a*k)')}))",),
        needs=Needs.SERIES,
    ),
    Case(
        "power less its tangent",
        "(1+x)**n-1-n*x",
        Ranges(("x=loguniform:1e-8:1e-2", "n=2:20")),
        "Bernoulli's inequality",
        (f"n*(n - 1)/2*x**2*{_BINOMIAL.format('x')}",),
        needs=Needs.SERIES,
    ),
    Case(
        "Bonferroni less Sidak",
        "a*k - (1 - (1-a)**k)",
        Ranges(("a=loguniform:1e-8:1e-3", "k=2:50")),
        "levels of k tests",
        (f"k*(k - 1)/2*a**2*{_BINOMIAL.format('(-a)').replace('n', 'k')}",),
        needs=Needs.SERIES,
    ),
    Case(
        "annuity less its payments",
        "((1+r)**n - 1)/r - n",
        Ranges(("r=loguniform:1e-9:1e-3", "n=2:60")),
        _COMPOUND,
        (f"n*(n - 1)/2*r*{_BINOMIAL.format('r')}",),
        needs=Needs.SERIES,
    ),
    Case(
        "power less an exponential",
        "(1+x)**p - exp(p*x)",
        Ranges(("x=loguniform:1e-8:1e-2", "p=1:40")),
        _COMPOUND,
        (f"exp(p*x)*expm1(p*({_LOGARITHM.format('x')}))",),
        needs=Needs.SERIES,
    ),
    Case(
        "compounding, n times less at every moment",
        "(1 + r/n)**n - exp(r)",
        Ranges(("r=loguniform:1e-4:0.1", "n=1:365")),
        _COMPOUND,
        (f"exp(r)*expm1(n*({_LOGARITHM.format('(r/n)')}))",),
        needs=Needs.SERIES,
    ),
    Case(
        "power against its slope",
        "(1 - n*x)*(1+x)**n - 1",
        Ranges(("x=loguniform:1e-8:1e-3", "n=1:50")),
        "Bernoulli's inequality",
        (f"expm1(n*({_LOGARITHM.format('x')}) + ({_LOGARITHM.format('(-n*x)')}))",),
        needs=Needs.SERIES,
    ),
    Case(
        "two powers less their tangent",
        "(1+x)**n*(1-x)**m-1-(n-m)*x",
        Ranges(("x=loguniform:1e-8:1e-3", "n=20:30", "m=1:5")),
        "Bernoulli's inequality",
        (
            f"({_EXPONENTIAL.format('(n*log1p(x) + m*log1p(-x))')})"
            f" + n*({_LOGARITHM.format('x')}) + m*({_LOGARITHM.format('(-x)')})",
        ),
        needs=Needs.SERIES,
    ),
    Case(
        "logarithm of two failures",
        "log1p(a*k) + k*log1p(-a)",
        Ranges(("a=loguniform:1e-8:1e-3", "k=1:50")),
        _POISSON,
        (f"k*({_LOGARITHM.format('(-a)')}) + ({_LOGARITHM.format('(a*k)')})",),
        needs=Needs.SERIES,
    ),
)

AS_FAR_AS_THE_DATA: tuple[Case, ...] = (
    Case(
        "Kepler, any ellipse",
        "u - e*sin(u)",
        Ranges(("u=loguniform:1e-6:1", "e=0:1")),
        _KEPLER,
        (f"(1 - e)*u + e*({_SINE})".format("u"),),
        needs=Needs.SERIES,
    ),
    Case(
        "sine of a multiple",
        "a*sin(x) - sin(a*x)",
        Ranges(("x=loguniform:1e-6:0.1", "a=1.5:5")),
        "a small angle and its multiple",
        (f"({_SINE.format('(a*x)')}) - a*({_SINE.format('x')})",),
        needs=Needs.SERIES,
    ),
    Case(
        "hyperbolic sine of a multiple",
        "sinh(a*x) - a*sinh(x)",
        Ranges(("x=loguniform:1e-6:0.1", "a=1.5:3")),
        "catenaries of two lengths",
        (f"({_HYPERBOLIC_SINE.format('(a*x)')}) - a*({_HYPERBOLIC_SINE.format('x')})",),
        needs=Needs.SERIES,
    ),
    Case(
        "tangent of a multiple",
        "tan(b*x) - b*tan(x)",
        Ranges(("x=loguniform:1e-6:0.05", "b=1.5:3")),
        "a small angle and its multiple",
        (f"({_TANGENT.format('(b*x)')}) - b*({_TANGENT.format('x')})",),
        needs=Needs.SERIES,
    ),
    Case(
        "logarithms of two scales",
        "a*log1p(x/a) - b*log1p(x/b)",
        Ranges(("x=loguniform:1e-6:0.1", "a=1:2", "b=3:9")),
        "saturation on two scales",
        (f"a*({_LOGARITHM.format('(x/a)')}) - b*({_LOGARITHM.format('(x/b)')})",),
        needs=Needs.SERIES,
    ),
    Case(
        "two decays to one",
        "expm1(a*x)/a - expm1(b*x)/b",
        Ranges(("x=loguniform:1e-8:0.1", "a=0.1:1", "b=1.5:4")),
        "growth at two rates, from one slope",
        (f"({_EXPONENTIAL.format('(a*x)')})/a - ({_EXPONENTIAL.format('(b*x)')})/b",),
        needs=Needs.SERIES,
    ),
)

CASES: tuple[Case, ...] = (*NEAR_THE_NUMBER, *IN_THE_EXPONENT, *AS_FAR_AS_THE_DATA)
