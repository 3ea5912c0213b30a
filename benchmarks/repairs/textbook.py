"""Textbook cases of cancellation.

"NMSE" is Hamming's *Numerical Methods for Scientists and Engineers* (2nd ed., 1973), chapter 3,
numbered as in FPBench and the Herbie suite, which took these cases from it.
"""

from __future__ import annotations

from benchmarks.repairs.cases import Case, Needs, Ranges

CASES: tuple[Case, ...] = (
    Case(
        "√ difference",
        "sqrt(x+1) - sqrt(x)",
        Ranges(("x=loguniform:1:1e12",)),
        "NMSE ex. 3.1",
        ("1/(sqrt(x+1) + sqrt(x))",),
    ),
    Case(
        "1/√ difference",
        "1/sqrt(x) - 1/sqrt(x+1)",
        Ranges(("x=loguniform:1:1e12",)),
        "NMSE ex. 3.6",
        ("1/(sqrt(x)*sqrt(x+1)*(sqrt(x) + sqrt(x+1)))",),
    ),
    Case(
        "fraction difference",
        "1/(x+1) - 1/x",
        Ranges(("x=loguniform:1:1e8",)),
        "NMSE 3.3.1",
        ("-1/x/(x+1)",),
    ),
    Case(
        "second difference",
        "1/(x+1) - 2/x + 1/(x-1)",
        Ranges(("x=loguniform:10:1e6",)),
        "NMSE 3.3.3",
        ("2/x/(x+1)/(x-1)",),
    ),
    Case(
        "tan difference",
        "tan(x+h) - tan(x)",
        Ranges(
            (
                "x=0.1:1.4",
                "h=loguniform:1e-9:1e-3",
            )
        ),
        "NMSE 3.3.2",
        ("sin(h)/(cos(x)*cos(x+h))",),
    ),
    Case(
        "cos difference",
        "cos(x+h) - cos(x)",
        Ranges(
            (
                "x=0.5:2.5",
                "h=loguniform:1e-9:1e-3",
            )
        ),
        "NMSE 3.3.5",
        ("-2*sin(h/2)*sin(x+h/2)",),
    ),
    Case(
        "sin difference",
        "sin(x+h) - sin(x)",
        Ranges(
            (
                "x=0.1:1.4",
                "h=loguniform:1e-9:1e-3",
            )
        ),
        "NMSE ex. 3.3",
        ("2*sin(h/2)*cos(x+h/2)",),
    ),
    Case(
        "cube root difference",
        "cbrt(x+1) - cbrt(x)",
        Ranges(("x=loguniform:1:1e10",)),
        "NMSE 3.3.4",
        ("1/(cbrt(x+1)**2 + cbrt(x+1)*cbrt(x) + cbrt(x)**2)",),
    ),
    Case(
        "n-th root difference",
        "(x+1)**(1/n) - x**(1/n)",
        Ranges(
            (
                "x=loguniform:10:1e8",
                "n=2.5:9",
            )
        ),
        "NMSE 3.4.6",
        ("x**(1/n)*expm1(log1p(1/x)/n)",),
    ),
    Case(
        "ln difference",
        "log(x+1) - log(x)",
        Ranges(("x=loguniform:1:1e12",)),
        "NMSE 3.3.6",
        ("log1p(1/x)",),
    ),
    Case(
        "n ln n",
        "(x+1)*log(x+1) - x*log(x) - 1",
        Ranges(("x=loguniform:10:1e10",)),
        "NMSE ex. 3.8",
        ("(x+1)*log1p(1/x) + log(x) - 1",),
    ),
    Case(
        "arctan difference",
        "atan(x+1) - atan(x)",
        Ranges(("x=loguniform:1:1e8",)),
        "NMSE ex. 3.5",
        ("atan2(1, 1 + x*(x+1))",),
    ),
    Case(
        "1 − cos over x²",
        "(1 - cos(x))/x**2",
        Ranges(("x=loguniform:1e-7:1",)),
        "NMSE 3.4.1",
        ("2*(sin(x/2)/x)**2",),
    ),
    Case(
        "1 − cos over sin",
        "(1 - cos(x))/sin(x)",
        Ranges(("x=loguniform:1e-7:1",)),
        "NMSE ex. 3.4",
        ("tan(x/2)",),
    ),
    Case("eˣ − 1", "exp(x) - 1", Ranges(("x=loguniform:1e-9:1",)), "NMSE ex. 3.7", ("expm1(x)",)),
    Case(
        "eˣ − 2 + e⁻ˣ",
        "exp(x) - 2 + exp(-x)",
        Ranges(("x=loguniform:1e-6:1",)),
        "NMSE 3.3.7",
        ("4*sinh(x/2)**2",),
    ),
    Case(
        "ln of a ratio",
        "log((1-x)/(1+x))",
        Ranges(("x=loguniform:1e-9:0.5",)),
        "NMSE 3.4.3",
        ("log1p(-x) - log1p(x)",),
    ),
    Case(
        "ratio of ln",
        "log(1-x)/log(1+x)",
        Ranges(("x=loguniform:1e-9:0.5",)),
        "NMSE ex. 3.10",
        ("log1p(-x)/log1p(x)",),
    ),
    Case(
        "√ of a ratio",
        "sqrt((exp(2*x)-1)/(exp(x)-1))",
        Ranges(("x=loguniform:1e-9:1",)),
        "NMSE 3.4.4",
        ("sqrt(exp(x) + 1)",),
    ),
    Case(
        "three exponentials",
        "h*(exp((a+b)*h)-1)/((exp(a*h)-1)*(exp(b*h)-1))",
        Ranges(
            (
                "a=0.5:2",
                "b=0.5:2",
                "h=loguniform:1e-9:1e-2",
            )
        ),
        "NMSE 3.4.2",
        ("h*expm1((a+b)*h)/(expm1(a*h)*expm1(b*h))",),
    ),
    Case(
        "quadratic, small root",
        "(-b + sqrt(b**2 - 4*a*c))/(2*a)",
        Ranges(
            (
                "a=0.5:2",
                "b=loguniform:1e2:1e7",
                "c=0.5:2",
            )
        ),
        "NMSE p. 42; Goldberg 1991, eq. 4",
        ("-2*c/(b + sqrt(b**2 - 4*a*c))",),
    ),
    Case(
        "quadratic, halved b",
        "(-b + sqrt(b*b - a*c))/a",
        Ranges(
            (
                "a=0.5:2",
                "b=loguniform:1e2:1e7",
                "c=0.5:2",
            )
        ),
        "NMSE problem 3.2.1",
        ("-c/(b + sqrt(b*b - a*c))",),
    ),
    Case(
        "two poles",
        "pi/2*(1/(b**2-a**2))*(1/a - 1/b)",
        Ranges(
            (
                "a=1:2",
                "b=2.0001:3",
            )
        ),
        "NMSE section 6.1 B",
        ("pi/2/(a*b*(a+b))",),
    ),
    Case(
        "(eˣ − 1)/x",
        "(exp(x) - 1)/x",
        Ranges(("x=loguniform:1e-9:1",)),
        "Higham 2002, § 1.14.1",
        ("expm1(x)/x",),
    ),
    Case(
        "softplus",
        "log(1 + exp(x))",
        Ranges(("x=-100:1500",)),
        "Mächler 2012",
        ("max(x, 0) + log1p(exp(-abs(x)))",),
    ),
    Case(
        "ln(1 − e⁻ˣ)",
        "log(1 - exp(-x))",
        Ranges(("x=loguniform:1e-9:0.6",)),
        "Mächler 2012",
        ("log(-expm1(-x))",),
    ),
    Case(
        "log-sum-exp",
        "log(exp(x) + exp(y))",
        Ranges(
            (
                "x=500:1500",
                "y=500:1500",
            )
        ),
        "Blanchard, Higham & Higham 2021",
        ("max(x, y) + log1p(exp(-abs(x-y)))",),
    ),
    Case(
        "hyperbolic sine",
        "(exp(x) - exp(-x))/2",
        Ranges(("x=loguniform:1e-9:1",)),
        "Kahan 1987",
        ("sinh(x)",),
    ),
    Case(
        "hyperbolic tangent",
        "(exp(x) - exp(-x))/(exp(x) + exp(-x))",
        Ranges(("x=loguniform:1e-9:10",)),
        "Kahan 1987",
        ("tanh(x)",),
    ),
    Case(
        "inverse hyperbolic sine",
        "log(x + sqrt(x**2 + 1))",
        Ranges(("x=loguniform:1e-9:1",)),
        "Kahan 1987",
        ("asinh(x)",),
    ),
    Case(
        "arcosh, other branch",
        "log(x - sqrt(x**2 - 1))",
        Ranges(("x=loguniform:2:1e7",)),
        "Kahan 1987",
        ("-acosh(x)",),
    ),
    Case(
        "compound interest",
        "100*((1 + r/n)**n - 1)/(r/n)",
        Ranges(
            (
                "r=loguniform:1e-6:0.1",
                "n=12:365",
            )
        ),
        "Goldberg 1991, compound interest",
        ("100*n*expm1(n*log1p(r/n))/r",),
    ),
    Case(
        "growth over 12 months",
        "(1 + x)**12 - 1",
        Ranges(("x=loguniform:1e-9:1e-2",)),
        "Goldberg 1991, compound interest",
        ("expm1(12*log1p(x))",),
    ),
    Case(
        "difference of squares",
        "x**2 - y**2",
        Ranges(
            (
                "x=normal:1e6:1",
                "y=normal:1e6:1",
            )
        ),
        "Goldberg 1991, Cancellation",
        ("(x-y)*(x+y)",),
    ),
    Case(
        "variance of three",
        "(x**2+y**2+z**2)/3 - ((x+y+z)/3)**2",
        Ranges(
            (
                "x=normal:1e6:1",
                "y=normal:1e6:1",
                "z=normal:1e6:1",
            )
        ),
        "Higham 2002, § 1.9",
        ("((x-y)**2 + (y-z)**2 + (z-x)**2)/9",),
    ),
    Case(
        "expanded cube",
        "x**3 - 3*x**2 + 3*x - 1",
        Ranges(("x=normal:1:1e-3",)),
        "after Demmel 1997, fig. 1.2",
        ("(x-1)**3",),
    ),
    Case(
        "geometric series",
        "(x**5 - 1)/(x - 1)",
        Ranges(("x=normal:1:1e-6",)),
        "classical",
        ("1 + x*(1 + x*(1 + x*(1 + x)))",),
    ),
    Case(
        "Lorentz factor less 1",
        "1/sqrt(1 - v**2) - 1",
        Ranges(("v=loguniform:1e-6:0.5",)),
        "classical, as NMSE ex. 3.1",
        ("v**2/(sqrt((1-v)*(1+v))*(1 + sqrt((1-v)*(1+v))))",),
    ),
    Case(
        "haversine",
        "acos(sin(a)*sin(b) + cos(a)*cos(b)*cos(d))",
        Ranges(
            (
                "a=0.5:0.5001",
                "b=0.5:0.5001",
                "d=loguniform:1e-7:1e-4",
            )
        ),
        "Sinnott 1984",
        ("2*asin(sqrt(sin((a-b)/2)**2 + cos(a)*cos(b)*sin(d/2)**2))",),
    ),
    Case(
        "arccos of a ratio",
        "acos((1-x)/(1+x))",
        Ranges(("x=loguniform:1e-12:1",)),
        "after Kahan 1987",
        ("2*atan(sqrt(x))",),
    ),
    Case(
        "hypotenuse out of range",
        "sqrt(x**2 + y**2)",
        Ranges(
            (
                "x=loguniform:1e150:1e200",
                "y=loguniform:1e150:1e200",
            )
        ),
        "Higham 2002, ch. 27",
        ("hypot(x, y)",),
    ),
    Case(
        "tan − sin",
        "tan(x) - sin(x)",
        Ranges(("x=loguniform:1e-6:1",)),
        "classical, as NMSE 3.4.1",
        ("2*tan(x)*sin(x/2)**2",),
    ),
    Case("merged constants", "10000*x - 9999*x", Ranges(("x=1:5",)), "Yu et al.", ("x",)),
    Case("masked exponential", "log(exp(x))", Ranges(("x=normal:1000:1",)), "Yu et al.", ("x",)),
    Case(
        "law of cosines",
        "sqrt(a**2 + b**2 - 2*a*b*cos(c))",
        Ranges(
            (
                "a=normal:1:1e-7",
                "b=normal:1:1e-7",
                "c=loguniform:1e-7:1e-3",
            )
        ),
        "after Sinnott 1984",
        ("hypot(a-b, 2*sqrt(a*b)*sin(c/2))",),
    ),
    Case(
        "interference near π",
        "a**2 + b**2 + 2*a*b*cos(d)",
        Ranges(
            (
                "a=normal:1:1e-5",
                "b=normal:1:1e-5",
                "d=3.14:3.1415",
            )
        ),
        "classical",
        ("(a-b)**2 + 4*a*b*cos(d/2)**2",),
    ),
    Case(
        "softplus less x",
        "log(1 + exp(x)) - x",
        Ranges(("x=5:30",)),
        "after Mächler 2012",
        ("log1p(exp(-x))",),
    ),
    Case(
        "arcosh near 1",
        "acosh(1 + x)",
        Ranges(("x=loguniform:1e-9:1e-2",)),
        "after Kahan 1987",
        ("log1p(x + sqrt(x*(x+2)))",),
    ),
    Case(
        "cosh difference",
        "cosh(x+h) - cosh(x)",
        Ranges(
            (
                "x=1:2",
                "h=loguniform:1e-9:1e-4",
            )
        ),
        "after NMSE 3.3.5",
        ("2*sinh(x+h/2)*sinh(h/2)",),
    ),
    Case(
        "tanh difference",
        "tanh(x+h) - tanh(x)",
        Ranges(
            (
                "x=0.5:1",
                "h=loguniform:1e-9:1e-4",
            )
        ),
        "after NMSE 3.3.2",
        ("sinh(h)/(cosh(x)*cosh(x+h))",),
    ),
    Case(
        "kinetic energy",
        "m*c**2*(1/sqrt(1 - v**2/c**2) - 1)",
        Ranges(
            (
                "m=1:5",
                "c=2.9e8:3e8",
                "v=loguniform:1:1e6",
            )
        ),
        "classical, as NMSE ex. 3.1",
        ("m*v**2/(sqrt(1-(v/c)**2)*(1+sqrt(1-(v/c)**2)))",),
    ),
    Case(
        "Planck's law",
        "x**3/(exp(x) - 1)",
        Ranges(("x=loguniform:1e-8:1",)),
        "as NMSE ex. 3.7",
        ("x**3/expm1(x)",),
    ),
    Case(
        "field of a disk",
        "1 - z/sqrt(z**2 + R**2)",
        Ranges(
            (
                "z=loguniform:10:1e6",
                "R=1:2",
            )
        ),
        "classical, as NMSE ex. 3.1",
        ("R/(hypot(z,R)*(hypot(z,R)+z))*R",),
    ),
    Case(
        "x − sin x",
        "x - sin(x)",
        Ranges(("x=loguniform:1e-4:1",)),
        "Cheney & Kincaid, ch. 1",
        (
            "x - sin(x) if x > 0.2 else x**3*(1/6 - x**2*(1/120 - x**2*(1/5040"
            " - x**2*(1/362880 - x**2/39916800))))",
        ),
        needs=Needs.SERIES,
    ),
    Case(
        "x − sin over x − tan",
        "(x - sin(x))/(x - tan(x))",
        Ranges(("x=loguniform:1e-4:1",)),
        "NMSE 3.4.5",
        needs=Needs.SERIES,
    ),
    Case(
        "1/x − cot x",
        "1/x - cot(x)",
        Ranges(("x=loguniform:1e-4:1",)),
        "NMSE ex. 3.9",
        (
            "1/x - cot(x) if x > 0.3 else x*(1/3 + x**2*(1/45 + x**2*(2/945"
            " + x**2*(1/4725 + x**2*(2/93555 + x**2*1382/638512875)))))",
        ),
        needs=Needs.SERIES,
    ),
    Case(
        "polynomial of Rump",
        "9*x**4 - y**4 + 2*y**2",
        Ranges(
            (
                "x=10864",
                "y=18817",
            )
        ),
        "Rump",
        ("1",),
    ),
)
