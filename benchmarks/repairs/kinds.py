"""Cases by the kind of rewriting that they need: at least five of each.

Names of kinds are those of the tuples; where no source stands, the case is a sibling of another.
"""

from __future__ import annotations

from benchmarks.repairs.cases import Case, Needs, Ranges

FAR = Ranges(("x=loguniform:1e77:1e90", "y=loguniform:1e77:1e90"))
FARTHER = Ranges(("x=loguniform:1e103:1e112", "y=loguniform:1e103:1e112"))
FIN = Ranges(("m=10:100", "L=1:20", "x=0.01:1"))
BESIDE = Ranges(("x=loguniform:1:1e6", "y=loguniform:1e-9:1e-3"))

QUOTIENTS: tuple[Case, ...] = (
    Case(
        "Hill function of degree 4",
        "x**4/(x**4 + y**4)",
        FAR,
        "Hill 1910",
        ("1/(1 + (y/x)**4)",),
    ),
    Case(
        "Hill function of degree 3",
        "x**3/(x**3 + y**3)",
        FARTHER,
        "Hill 1910",
        ("1/(1 + (y/x)**3)",),
    ),
    Case(
        "Hill function",
        "v*x**n/(x**n + y**n)",
        Ranges(("v=1:10", "x=loguniform:1e3:1e9", "y=loguniform:1e3:1e9", "n=30:60")),
        "Hill 1910",
        ("v/(1 + (y/x)**n)",),
    ),
    Case(
        "difference over sum of cubes",
        "(x**3 - y**3)/(x**3 + y**3)",
        FARTHER,
        "",
        ("(1 - (y/x)**3)/(1 + (y/x)**3)",),
    ),
    Case(
        "mean of degree 3",
        "(x**3 + y**3)/(x**2 + y**2)",
        FARTHER,
        "Lehmer's mean",
        ("x*(1 + (y/x)**3)/(1 + (y/x)**2)",),
    ),
    Case(
        "mixed share of degree 3",
        "x*y**2/(x**3 + y**3)",
        FARTHER,
        "",
        ("(y/x)**2/(1 + (y/x)**3)",),
    ),
    Case(
        "norm of degree 4",
        "(x**4 + y**4)**0.25",
        FAR,
        "Blue 1978, for degree 2",
        ("x*(1 + (y/x)**4)**0.25",),
    ),
    Case(
        "norm of degree n",
        "(x**n + y**n)**(1/n)",
        Ranges(("x=loguniform:1:1e9", "y=loguniform:1:1e9", "n=40:60")),
        "Blue 1978, for degree 2",
        ("max(x, y)*(1 + (min(x, y)/max(x, y))**n)**(1/n)",),
        needs=Needs.BRANCH,
    ),
    Case(
        "cube root of a sum of cubes",
        "cbrt(x**3 + y**3)",
        FARTHER,
        "",
        ("x*cbrt(1 + (y/x)**3)",),
    ),
    Case(
        "root over a sum",
        "sqrt(x**4 + y**4)/(x + y)",
        Ranges(("x=loguniform:1e155:1e162", "y=loguniform:1e155:1e162")),
        "",
        ("x*hypot(1, (y/x)**2)/(1 + y/x)",),
    ),
    Case(
        "quotient of exponentials",
        "(1 + exp(x))/(2 + exp(x))",
        Ranges(("x=300:1000",)),
        "",
        ("(1 + exp(-x))/(1 + 2*exp(-x))",),
    ),
    Case(
        "quotient of exponentials, both signs",
        "(exp(2*x) + 3*exp(-x))/(exp(2*x) + exp(-x))",
        Ranges(("x=-1000:1000",)),
        "",
        ("(1 + 3*exp(-3*x))/(1 + exp(-3*x)) if x > 0 else (exp(3*x) + 3)/(exp(3*x) + 1)",),
        needs=Needs.BRANCH,
    ),
    Case(
        "bilinear in an exponential",
        "(a*exp(x) - b)/(c*exp(x) + d)",
        Ranges(("a=1:9", "b=1:9", "c=1:9", "d=1:9", "x=300:1000")),
        "",
        ("(a - b*exp(-x))/(c + d*exp(-x))",),
    ),
    Case(
        "mean occupation of two sites",
        "(exp(x) + 2*exp(2*x))/(1 + exp(x) + exp(2*x))",
        Ranges(("x=100:1000",)),
        "grand canonical ensemble",
        ("(2 + exp(-x))/(1 + exp(-x) + exp(-2*x))",),
    ),
    Case(
        "mean of two levels",
        "(a*exp(x) + b*exp(y))/(exp(x) + exp(y))",
        Ranges(("a=1:9", "b=1:9", "x=500:1000", "y=500:1000")),
        "canonical ensemble",
        ("(a + b*exp(y - x))/(1 + exp(y - x))",),
    ),
    Case(
        "polarisation of three levels",
        "(exp(x) - exp(y))/(exp(x) + exp(y) + 1)",
        Ranges(("x=500:1000", "y=500:1000")),
        "canonical ensemble",
        ("expm1(x - y)/(exp(x - y) + 1 + exp(-y))",),
    ),
    Case(
        "half argument far out",
        "sinh(x)/(cosh(x) + 1)",
        Ranges(("x=1:1000",)),
        "Abramowitz & Stegun 4.5.42",
        ("tanh(x/2)",),
    ),
    Case(
        "hyperbolic cosine beside a number",
        "cosh(x)/(cosh(x) + k)",
        Ranges(("x=1:1000", "k=1:9")),
        "",
        ("1/(1 + k/cosh(x))",),
    ),
    Case(
        "parallel hyperbolic cotangents",
        "sinh(x)*sinh(y)/sinh(x + y)",
        Ranges(("x=1:1000", "y=1:1000")),
        "diffusion through two layers",
        ("1/(1/tanh(x) + 1/tanh(y))",),
    ),
    Case(
        "real part of tanh",
        "sinh(2*x)/(cosh(2*x) + cos(2*y))",
        Ranges(("x=1:1000", "y=0.1:3")),
        "Abramowitz & Stegun 4.5.51",
        ("tanh(2*x)/(1 + cos(2*y)/cosh(2*x))",),
    ),
    Case(
        "fin with an insulated end",
        "cosh(m*(L - x))/cosh(m*L)",
        FIN,
        "Incropera & DeWitt, table 3.4",
        ("exp(-m*x)*(1 + exp(-2*(m*(L - x))))/(1 + exp(-2*(m*L)))",),
    ),
    Case(
        "fin with a cold end",
        "sinh(m*(L - x))/sinh(m*L)",
        FIN,
        "Incropera & DeWitt, table 3.4",
        ("exp(-m*x)*expm1(-2*(m*(L - x)))/expm1(-2*(m*L))",),
    ),
    Case(
        "water wave at a depth",
        "cosh(k*(z + h))/sinh(k*h)",
        Ranges(("k=0.1:10", "h=10:500", "z=-9:-1")),
        "Dean & Dalrymple 1991, linear theory",
        ("exp(k*z)*(1 + exp(-2*(k*(z + h))))/(-expm1(-2*(k*h)))",),
    ),
    Case(
        "field of a charge",
        "x/(x**2 + y**2)**1.5",
        Ranges(("x=loguniform:1e100:1e112", "y=loguniform:1e100:1e112")),
        "Coulomb's law",
        ("x/hypot(x, y)/hypot(x, y)/hypot(x, y)",),
    ),
    Case(
        "Hill function of a ratio",
        "x**n/(1 + x**n)",
        Ranges(("x=loguniform:1e-9:1e9", "n=30:60")),
        "Hill 1910",
        ("x**n/(1 + x**n) if x < 1 else 1/(1 + 1/x**n)",),
        needs=Needs.BRANCH,
    ),
    Case(
        "mean of two states, both signs",
        "(a*exp(-x) + b*exp(x))/(exp(x) + exp(-x))",
        Ranges(("a=1:2", "b=1:2", "x=-900:900")),
        "canonical ensemble",
        ("(a*exp(-2*x) + b)/(1 + exp(-2*x)) if x > 0 else (a + b*exp(2*x))/(1 + exp(2*x))",),
        needs=Needs.BRANCH,
    ),
    Case(
        "log of a norm of degree n",
        "log2(x**n + y**n)",
        Ranges(("x=loguniform:1:1e9", "y=loguniform:1:1e9", "n=30:60")),
        "",
        ("n*log2(max(x, y)) + log1p((min(x, y)/max(x, y))**n)/log(2)",),
        needs=Needs.BRANCH,
    ),
    Case(
        "sine over a hypotenuse",
        "tan(a)*sinh(x)/sqrt(cosh(x)**2 + tan(a)**2)",
        Ranges(("a=0.1:1", "x=1:900")),
        "",
        ("tan(a)*tanh(x)/hypot(1, tan(a)/cosh(x))",),
    ),
)

ODD_FUNCTIONS: tuple[Case, ...] = (
    Case(
        "error function of a negative sum",
        "erf(x) + erf(-x - y)",
        Ranges(("x=3:6", "y=0.5:2")),
        "",
        ("erfc(x + y) - erfc(x)",),
    ),
    Case(
        "cube root of a negative sum",
        "cbrt(x) + cbrt(-x - y)",
        BESIDE,
        "",
        ("-y/(cbrt(x)**2 + cbrt(x)*cbrt(x + y) + cbrt(x + y)**2)",),
    ),
    Case(
        "asinh of a negative sum",
        "asinh(x) + asinh(-x - y)",
        BESIDE,
        "",
        ("-asinh(y*((2*x + y)/(x*hypot(1, x + y) + (x + y)*hypot(1, x))))",),
    ),
    Case(
        "arctangent of a negative sum",
        "atan(x) + atan(-x - y)",
        BESIDE,
        "",
        ("-atan2(y, 1 + x*(x + y))",),
    ),
    Case(
        "tanh of a negative sum",
        "tanh(x) + tanh(-x - y)",
        Ranges(("x=1:9", "y=loguniform:1e-9:1e-3")),
        "",
        ("-sinh(y)/(cosh(x)*cosh(x + y))",),
    ),
    Case(
        "sine of a negative sum",
        "sin(x) + sin(-x - y)",
        Ranges(("x=0.1:1.4", "y=loguniform:1e-9:1e-3")),
        "",
        ("-2*cos(x + y/2)*sin(y/2)",),
    ),
    Case(
        "cosh of a negative sum",
        "cosh(-x - y) - cosh(x)",
        Ranges(("x=1:9", "y=loguniform:1e-9:1e-3")),
        "",
        ("2*sinh(x + y/2)*sinh(y/2)",),
    ),
)

ROOTS: tuple[Case, ...] = (
    Case(
        "Cardano's formula",
        "cbrt(sqrt(q*q + p) - q) + cbrt(-q - sqrt(q*q + p))",
        Ranges(("p=0.5:2", "q=loguniform:1e-6:1e6")),
        "Cardano 1545",
        ("-2*q/(cbrt(p/(sqrt(q*q + p) + q))**2 + cbrt(p) + cbrt(sqrt(q*q + p) + q)**2)",),
    ),
    Case(
        "Cardano's formula, roots added",
        "cbrt(q + sqrt(q*q + p)) + cbrt(q - sqrt(q*q + p))",
        Ranges(("p=0.5:2", "q=loguniform:1e-6:1e6")),
        "Cardano 1545",
        ("2*q/(cbrt(p/(sqrt(q*q + p) + q))**2 + cbrt(p) + cbrt(sqrt(q*q + p) + q)**2)",),
    ),
    Case(
        "Cardano's formula of p and q",
        "cbrt(-q/2 + sqrt(q**2/4 + p**3/27)) + cbrt(-q/2 - sqrt(q**2/4 + p**3/27))",
        Ranges(("p=1:3", "q=loguniform:1e-6:1e3")),
        "Cardano 1545",
        (
            "-q/(cbrt(q/2 + sqrt(q**2/4 + p**3/27))**2 + p/3"
            " + (p/3/cbrt(q/2 + sqrt(q**2/4 + p**3/27)))**2)",
        ),
    ),
    Case(
        "cube roots inside a sum",
        "y + cbrt(x + 1) - cbrt(x)",
        Ranges(("x=loguniform:1e3:1e12", "y=loguniform:1e-12:1e-6")),
        "",
        ("y + 1/(cbrt(x + 1)**2 + cbrt(x + 1)*cbrt(x) + cbrt(x)**2)",),
    ),
    Case(
        "squares of cube roots",
        "cbrt(x + 1)**2 - cbrt(x)**2",
        Ranges(("x=loguniform:1e3:1e12",)),
        "",
        ("(cbrt(x + 1) + cbrt(x))/(cbrt(x + 1)**2 + cbrt(x + 1)*cbrt(x) + cbrt(x)**2)",),
    ),
    Case(
        "asymptote of a cube root",
        "x - cbrt(x**3 - 1)",
        Ranges(("x=loguniform:10:1e8",)),
        "",
        ("1/(x**2 + x*cbrt(x**3 - 1) + cbrt(x**3 - 1)**2)",),
    ),
    Case(
        "cube roots of opposite numbers",
        "cbrt(1 + x) + cbrt(1 - x)",
        Ranges(("x=loguniform:10:1e12",)),
        "",
        ("2/(cbrt(1 + x)**2 - cbrt(1 + x)*cbrt(1 - x) + cbrt(1 - x)**2)",),
    ),
    Case(
        "reciprocal cube roots",
        "1/cbrt(x) - 1/cbrt(x + 1)",
        Ranges(("x=loguniform:10:1e12",)),
        "",
        ("1/(cbrt(x)*cbrt(x + 1)*(cbrt(x + 1)**2 + cbrt(x + 1)*cbrt(x) + cbrt(x)**2))",),
    ),
    Case(
        "fourth roots inside a sum",
        "y + root(x + 1, 4) - root(x, 4)",
        Ranges(("x=loguniform:1e3:1e12", "y=loguniform:1e-12:1e-6")),
        "",
        ("y + 1/((root(x + 1, 4) + root(x, 4))*(sqrt(x + 1) + sqrt(x)))",),
    ),
    Case(
        "fifth roots added",
        "root(x + 1, 5) + root(1 - x, 5)",
        Ranges(("x=loguniform:10:1e12",)),
        "",
        ("2*root(x, 5)*sinh(atanh(1/x)/5)*(1 - 1/x**2)**0.1",),
    ),
)

PRODUCTS: tuple[Case, ...] = (
    Case(
        "discriminant with a product in brackets",
        "sqrt(b*b + 4*(a*c))",
        Ranges(
            ("a=loguniform:1e100:1e200", "b=loguniform:1e100:1e200", "c=loguniform:1e100:1e200")
        ),
        "after Goldberg 1991, eq. 4",
        ("hypot(b, 2*(sqrt(a)*sqrt(c)))",),
    ),
    Case(
        "geometric mean of negative numbers",
        "sqrt(2*(x*y))",
        Ranges(("x=-1e200:-1e150", "y=-1e200:-1e150")),
        "",
        ("sqrt(-2*x)*sqrt(-y)",),
    ),
    Case(
        "geometric mean of three",
        "cbrt(x*y*z)",
        Ranges(("x=loguniform:1e100:1e200", "y=loguniform:1e100:1e200", "z=loguniform:1e50:1e200")),
        "",
        ("cbrt(x)*cbrt(y)*cbrt(z)",),
    ),
    Case(
        "root of a square and a letter",
        "sqrt(x**2*y)",
        Ranges(("x=loguniform:1e100:1e200", "y=loguniform:1e-9:1e9")),
        "",
        ("x*sqrt(y)",),
    ),
    Case(
        "fraction difference far out",
        "1/(x + 1) - 1/x",
        Ranges(("x=loguniform:1:1e157",)),
        "NMSE 3.3.1",
        ("-1/x/(x + 1)",),
    ),
    Case(
        "fraction difference in one fraction",
        "-1/(x**2 + x)",
        Ranges(("x=loguniform:1e150:1e160",)),
        "NMSE 3.3.1",
        ("-1/x/(x + 1)",),
    ),
    Case(
        "second difference far out",
        "1/(x + 1) - 2/x + 1/(x - 1)",
        Ranges(("x=loguniform:10:1e105",)),
        "NMSE 3.3.3",
        ("2/x/(x + 1)/(x - 1)",),
    ),
    Case(
        "reciprocal of a cubic far out",
        "k/(x**3 + x)",
        Ranges(("x=loguniform:1:1e157", "k=loguniform:1:1e300")),
        "",
        ("k/x/(x*x + 1)",),
    ),
    Case(
        "square of a half angle",
        "sin(x/2)**2/sin(x)",
        Ranges(("x=loguniform:1e-200:1",)),
        "NMSE ex. 3.4",
        ("tan(x/2)/2",),
    ),
    Case(
        "square of a half argument",
        "sinh(x/2)**2/sinh(x)",
        Ranges(("x=1:1400",)),
        "",
        ("tanh(x/2)/2",),
    ),
    Case(
        "double angle over a half",
        "sinh(x)/cosh(x/2)",
        Ranges(("x=1:1400",)),
        "",
        ("2*sinh(x/2)",),
    ),
    Case(
        "weighted tangent of a half",
        "k*(1 - cos(x))/sin(x)",
        Ranges(("k=1:9", "x=loguniform:1e-200:1")),
        "NMSE ex. 3.4",
        ("k*tan(x/2)",),
    ),
)

CASES: tuple[Case, ...] = (*QUOTIENTS, *ODD_FUNCTIONS, *ROOTS, *PRODUCTS)
