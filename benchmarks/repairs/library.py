"""Formulas that maintainers of libraries rewrote for accuracy, and what users reported.

Facts in our notation: the formula before, users' ranges, the form after; the source names the
repository with the number of its issue or pull request, or the file. Where maintainers settled for
a form that loses digits, a better one that is known stands beside it.
"""

from __future__ import annotations

from benchmarks.repairs.cases import Case, Needs, Ranges

REPORTS = "users' reports"


def _case(
    name: str,
    before: str,
    ranges: str,
    *after: str,
    source: str = REPORTS,
    needs: Needs = Needs.EXACT,
    condition: str = "",
) -> Case:
    return Case(name, before, Ranges(tuple(ranges.split()), condition), source, after, needs=needs)


_SEPARATION = "acos(sin(p)*sin(q) + cos(p)*cos(q)*cos(l - m))"

GEOMETRY = (
    _case(
        "angle of vectors in space",
        "acos((a*d + b*e + c*f)/sqrt((a*a + b*b + c*c)*(d*d + e*e + f*f)))",
        "a=normal:1:1e-6 b=normal:2:1e-6 c=normal:0.5:1e-6"
        " d=normal:1:1e-6 e=normal:2:1e-6 f=normal:0.5:1e-6",
        "atan2(sqrt((b*f - c*e)**2 + (c*d - a*f)**2 + (a*e - b*d)**2), a*d + b*e + c*f)",
        source="godotengine/godot #8132",
    ),
    _case(
        "angle of a bond near 180 degrees",
        "acos((a*c + b*d)/(sqrt(a*a + b*b)*sqrt(c*c + d*d)))",
        "a=normal:1:1e-6 b=normal:2:1e-6 c=normal:-1:1e-6 d=normal:-2:1e-6",
        "atan2(abs(a*d - b*c), a*c + b*d)",
        source="proteneer/timemachine #1271",
    ),
    _case(
        "rotation angle of a quaternion",
        "2*acos(w/sqrt(w*w + x*x + y*y + z*z))",
        "w=0.5:1 x=loguniform:1e-9:1e-3 y=loguniform:1e-9:1e-3 z=loguniform:1e-9:1e-3",
        "2*atan2(sqrt(x*x + y*y + z*z), w)",
        source="JuliaGeometry/Quaternions.jl #14",
    ),
    _case(
        "distance of near places",
        "6371009*acos(sin(p)*sin(q) + cos(p)*cos(q)*cos(d))",
        "p=normal:0.8:1e-6 q=normal:0.8:1e-6 d=loguniform:1e-8:1e-5",
        "12742018*asin(sqrt(sin((p - q)/2)**2 + cos(p)*cos(q)*sin(d/2)**2))",
        source="gboeing/osmnx #131",
    ),
    _case(
        "separation of stars",
        _SEPARATION,
        "p=normal:0.6:1e-5 q=normal:0.6:1e-5 l=normal:2:1e-5 m=normal:2:1e-5",
        "atan2(hypot(cos(q)*sin(l - m), cos(p)*sin(q) - sin(p)*cos(q)*cos(l - m)),"
        " sin(p)*sin(q) + cos(p)*cos(q)*cos(l - m))",
        source="astropy/astropy #1397",
    ),
    _case(
        "inverse spherical Mercator",
        "pi/2 - 2*atan(exp(-y))",
        "y=loguniform:1e-12:3",
        "atan(sinh(y))",
        source="OSGeo/PROJ #1105",
    ),
    _case(
        "spherical Mercator",
        "log(tan(pi/4 + p/2))",
        "p=loguniform:1e-12:1.5",
        "asinh(tan(p))",
        source="OSGeo/PROJ #2397",
    ),
    _case(
        "ellipsoidal part of Mercator",
        "e/2*log((1 + e*sin(p))/(1 - e*sin(p)))",
        "e=0.08:0.0822 p=loguniform:1e-9:1.5",
        "e*atanh(e*sin(p))",
        source="OSGeo/PROJ #2397",
    ),
    _case(
        "area of a needle",
        "sqrt((a + b + c)/2*((a + b + c)/2 - a)*((a + b + c)/2 - b)*((a + b + c)/2 - c))",
        "a=normal:1.5:1e-6 b=normal:1.5:1e-6 c=loguniform:1e-6:1e-5",
        "sqrt((a + (b + c))*(c - (a - b))*(c + (a - b))*(a + (b - c)))/4",
        source="alecjacobson/gptoolbox mesh/doublearea_intrinsic.m",
        condition="(and (>= a b) (< (- a b) c))",
    ),
    _case(
        "ray and sphere",
        "(-b - sqrt(b*b - 4*a*c))/(2*a)",
        "a=0.5:2 b=normal:0:1e5 c=0.5:2",
        "(-b - sqrt(b*b - 4*a*c))/(2*a) if b > 0 else 2*c/(-b + sqrt(b*b - 4*a*c))",
        source="arborx/ArborX #461",
        needs=Needs.BRANCH,
        condition="(> (* b b) (* 4 a c))",
    ),
    _case(
        "distance on a line",
        "sqrt(x*x - 2*x*y + y*y)",
        "x=normal:50000:1e-3 y=normal:50000:1e-3",
        "abs(x - y)",
        source="scikit-learn/scikit-learn #343",
    ),
    _case(
        "distance in the plane",
        "sqrt(a*a + b*b + c*c + d*d - 2*(a*c + b*d))",
        "a=normal:0.7:1e-4 b=normal:0.3:1e-4 c=normal:0.7:1e-4 d=normal:0.3:1e-4",
        "sqrt((a - c)**2 + (b - d)**2)",
        source="spotify/annoy #314",
    ),
    _case(
        "area far from the origin",
        "(a*d - c*b + c*f - e*d + e*b - a*f)/2",
        "a=normal:5e5:10 b=normal:5e6:10 c=normal:5e5:10"
        " d=normal:5e6:10 e=normal:5e5:10 f=normal:5e6:10",
        "((c - a)*(f - b) - (e - a)*(d - b))/2",
        source="roboflow/supervision #2491",
    ),
    _case(
        "length out of range",
        "sqrt(r*r + i*i)",
        "r=loguniform:1e155:1e200 i=loguniform:1e155:1e200",
        "hypot(r, i)",
        source="OSGeo/gdal #1870",
    ),
    _case(
        "arcsine near 1",
        "2*atan(x/(1 + sqrt(1 - x*x)))",
        "x=0.9999999:1",
        "2*atan(x/(1 + sqrt((1 - x)*(1 + x))))",
        source="MikeMcl/decimal.js #260",
        condition="(< x 1)",
    ),
    _case(
        "distance on a hyperboloid",
        "acosh(sqrt(1 + x*x)*sqrt(1 + y*y) - x*y)",
        "x=normal:1:1e-5 y=normal:1:1e-5",
        "2*asinh(sqrt((x - y)**2 - (sqrt(1 + x*x) - sqrt(1 + y*y))**2)/2)",
        source="JuliaManifolds/Manifolds.jl #631",
    ),
    _case(
        "distance from a chord",
        "acosh(1 + x*x/2)",
        "x=loguniform:1e-9:10",
        "2*asinh(x/2)",
        source="NicolasBoumal/manopt #23",
    ),
    _case(
        "distance across a track",
        "acos(-x) - pi/2",
        "x=loguniform:1e-12:0.9",
        "asin(x)",
        source="pbrod/nvector #9",
    ),
)

STATISTICS = (
    _case(
        "distribution of Lomax",
        "1 - (1 + x)**(-c)",
        "x=loguniform:1e-12:1e3 c=0.5:5",
        "-expm1(-c*log1p(x))",
        source="scipy/scipy #4033",
    ),
    _case(
        "quantile of Lomax",
        "(1 - q)**(-1/c) - 1",
        "q=loguniform:1e-12:0.9 c=0.5:5",
        "expm1(-log1p(-q)/c)",
        source="scipy/scipy #4033",
    ),
    _case(
        "distribution of Gompertz",
        "1 - exp(-c*(exp(x) - 1))",
        "x=loguniform:1e-12:3 c=0.1:3",
        "-expm1(-c*expm1(x))",
        source="scipy/scipy #4031",
    ),
    _case(
        "quantile of Gompertz",
        "log(1 - log(1 - q)/c)",
        "q=loguniform:1e-12:0.9 c=0.1:3",
        "log1p(-log1p(-q)/c)",
        source="scipy/scipy #4031",
    ),
    _case(
        "quantile, truncated exponential",
        "-log(1 + q*(exp(-b) - 1))",
        "q=loguniform:1e-12:0.9 b=loguniform:1e-9:5",
        "-log1p(q*expm1(-b))",
        source="scipy/scipy #4425",
    ),
    _case(
        "distribution, truncated exponential",
        "(1 - exp(-x))/(1 - exp(-b))",
        "x=loguniform:1e-12:1 b=1:20",
        "expm1(-x)/expm1(-b)",
        source="scipy/scipy #4425",
    ),
    _case(
        "distribution of Bradford",
        "log(1 + c*x)/log(1 + c)",
        "x=loguniform:1e-12:1 c=loguniform:1e-3:10",
        "log1p(c*x)/log1p(c)",
        source="scipy/scipy #6216",
    ),
    _case(
        "quantile of Bradford",
        "((1 + c)**q - 1)/c",
        "q=loguniform:1e-9:1 c=loguniform:1e-3:10",
        "expm1(q*log1p(c))/c",
        source="scipy/scipy #6216",
    ),
    _case(
        "distribution of Gumbel",
        "1 - exp(-exp(x))",
        "x=-100:2",
        "-expm1(-exp(x))",
        source="scipy/scipy #6228",
    ),
    _case(
        "quantile of the logistic",
        "-log(1/q - 1)",
        "q=0.999999:1",
        "log(q) - log1p(-q)",
        source="scipy/scipy #6226",
        condition="(< q 1)",
    ),
    _case(
        "logit near 1/2",
        "log(p/(1 - p))",
        "p=normal:0.5:1e-6",
        "log1p(2*(p - 0.5)) - log1p(-2*(p - 0.5))",
        "2*atanh(2*p - 1)",
        source="scipy/scipy #21388",
    ),
    _case(
        "tail of the generalized logistic",
        "1 - (1 + exp(-x))**(-c)",
        "x=5:200 c=0.2:3",
        "-expm1(-c*log1p(exp(-x)))",
        source="scipy/scipy #18138",
    ),
    _case(
        "quantile, generalized logistic",
        "-log(q**(-1/c) - 1)",
        "q=0.99999:1 c=0.2:3",
        "-log(expm1(-log(q)/c))",
        source="scipy/scipy #18138",
        condition="(< q 1)",
    ),
    _case(
        "tail of Levy",
        "1 - erfc(sqrt(0.5/x))",
        "x=loguniform:1:1e20",
        "erf(sqrt(0.5/x))",
        source="scipy/scipy #12756",
    ),
    _case(
        "tail of the log-normal",
        "1 - (1 + erf(log(x)/(s*sqrt(2))))/2",
        "x=loguniform:2:50 s=0.15:0.5",
        "erfc(log(x)/(s*sqrt(2)))/2",
        source="scipy/scipy #5940",
    ),
    _case(
        "left tail of the normal",
        "0.5*(1 + erf((x - m)/(s*sqrt(2))))",
        "x=-30:-3 m=-0.5:0.5 s=0.8:1.2",
        "0.5*erfc((m - x)/(s*sqrt(2)))",
        source="synesenom/ran #836",
    ),
    _case(
        "right tail of the normal",
        "1 - 0.5*(1 + erf(z/sqrt(2)))",
        "z=2:30",
        "0.5*erfc(z/sqrt(2))",
        source="montanaflynn/stats #125",
    ),
    _case(
        "distribution, half-logistic",
        "(1 - exp(-x))/(1 + exp(-x))",
        "x=loguniform:1e-9:30",
        "tanh(x/2)",
        source="synesenom/ran #240",
    ),
    _case(
        "distribution, logistic exponential",
        "1 - 1/(1 + (exp(l*x) - 1)**k)",
        "x=loguniform:1e-9:1 l=0.5:2 k=0.5:3",
        "expm1(l*x)**k/(1 + expm1(l*x)**k)",
        source="synesenom/ran #240",
    ),
    _case(
        "distribution, generalized Pareto",
        "1 - (1 + x*z)**(-1/x)",
        "z=loguniform:1e-12:10 x=0.1:2",
        "-expm1(-log1p(x*z)/x)",
        source="synesenom/ran #240",
    ),
    _case(
        "variance of four",
        "(a*a + b*b + c*c + d*d)/4 - ((a + b + c + d)/4)**2",
        "a=normal:1e4:1e-2 b=normal:1e4:1e-2 c=normal:1e4:1e-2 d=normal:1e4:1e-2",
        "((a - (a + b + c + d)/4)**2 + (b - (a + b + c + d)/4)**2"
        " + (c - (a + b + c + d)/4)**2 + (d - (a + b + c + d)/4)**2)/4",
        source="dimforge/nalgebra #1236",
    ),
    _case(
        "draw from Pareto",
        "exp(e/a) - 1",
        "e=loguniform:1e-9:10 a=1:1e3",
        "expm1(e/a)",
        source="numpy/numpy #19933",
    ),
    _case(
        "draw by inversion",
        "-s*log(1 - u)",
        "u=loguniform:1e-15:0.9 s=0.1:10",
        "-s*log1p(-u)",
        source="bashtage/randomgen #112",
    ),
    _case(
        "complementary log-log",
        "log(-log(1 - p))",
        "p=loguniform:1e-15:0.5",
        "log(-log1p(-p))",
        source="statsmodels/statsmodels #826",
    ),
    _case(
        "Yeo-Johnson",
        "((x + 1)**l - 1)/l",
        "x=loguniform:1e-6:100 l=loguniform:1e-12:1e-2",
        "expm1(l*log1p(x))/l",
        source="grafana/augurs #534",
    ),
    _case(
        "inverse Yeo-Johnson",
        "(l*x + 1)**(1/l) - 1",
        "x=loguniform:1e-6:10 l=loguniform:1e-9:1e-2",
        "expm1(log1p(l*x)/l)",
        source="grafana/augurs #528",
    ),
    _case(
        "pseudo-Huber loss",
        "d*d*(sqrt(1 + (r/d)**2) - 1)",
        "d=0.5:5 r=loguniform:1e-12:1e-1",
        "d*d*expm1(0.5*log1p((r/d)**2))",
        "r*r/(1 + sqrt(1 + (r/d)**2))",
        source="scipy/scipy #15312",
    ),
    _case(
        "correction of Sidak",
        "1 - (1 - p)**n",
        "p=loguniform:1e-18:1e-3 n=2:1000",
        "-expm1(n*log1p(-p))",
        source="statsmodels/statsmodels #7668",
    ),
    _case(
        "tail of the double gamma",
        "1 - (0.5 + 0.5*(1 - exp(-x)))",
        "x=5:250",
        "exp(-x)/2",
        source="scipy/scipy #17805",
    ),
    _case(
        "distribution, power log-normal",
        "1 - (0.5*erfc(log(x)/(s*sqrt(2))))**c",
        "x=loguniform:1e-4:0.5 s=0.5:2 c=0.02:3",
        "-expm1(c*log1p(-erfc(-log(x)/(s*sqrt(2)))/2))",
        source="scipy/scipy #17908",
    ),
    _case(
        "relative entropy",
        "x*log(x/y)",
        "x=normal:0.3:1e-7 y=normal:0.3:1e-7",
        "x*log1p((x - y)/y)",
        source="scipy/scipy scipy/special/_convex_analysis.pxd",
    ),
)

LEARNING = (
    _case(
        "softplus",
        "log(1 + exp(x))",
        "x=-600:3000",
        "max(x, 0) + log1p(exp(-abs(x)))",
        source="PaddlePaddle/Paddle #4690",
    ),
    _case(
        "log-sigmoid",
        "log(1/(1 + exp(-x)))",
        "x=-1000:40",
        "min(x, 0) - log1p(exp(-abs(x)))",
        source="pytorch/pytorch #2211",
    ),
    _case(
        "inverse softplus",
        "log(exp(x) - 1)",
        "x=loguniform:1e-9:2000",
        "x + log(-expm1(-x))",
        source="cornellius-gp/gpytorch #775",
    ),
    _case(
        "log Jacobian of tanh",
        "log(1 - tanh(x)**2)",
        "x=1:200",
        "2*(log(2) - x - log1p(exp(-2*x)))",
        source="rail-berkeley/rlkit #37",
    ),
    _case(
        "log cosh",
        "log(cosh(x))",
        "x=10:5000",
        "abs(x) + log1p(exp(-2*abs(x))) - log(2)",
        source="JuliaStats/LogExpFunctions.jl #32",
    ),
    _case(
        "log of the complement",
        "log(1 - exp(-x))",
        "x=loguniform:1e-9:700",
        "log(-expm1(-x)) if x < 0.693 else log1p(-exp(-x))",
        "asinh(expm1(-x - log(2))/expm1(x))",
        source="scipy/scipy #22439",
    ),
    _case(
        "sigmoid",
        "exp(x)/(1 + exp(x))",
        "x=0:2000",
        "1/(1 + exp(-x))",
        source="FederatedAI/FATE #65",
    ),
    _case(
        "squared log error",
        "(log(y + 1) - log(t + 1))**2",
        "y=loguniform:1e-9:1e-3 t=loguniform:1e-9:1e-3",
        "(log1p(y) - log1p(t))**2",
        source="scikit-learn/scikit-learn #11424",
    ),
    _case(
        "log of a difference",
        "log(exp(x) - exp(y))",
        "x=800:801 y=799:800",
        "x + log(-expm1(y - x))",
        source="stan-dev/stan #75",
    ),
    _case(
        "subtraction of logarithmic numbers",
        "x + log1p(-exp(y - x))",
        "x=normal:1:1e-6 y=normal:1:1e-6",
        "x + log(-expm1(y - x))",
        source="cjdoris/LogarithmicNumbers.jl #9",
        condition="(> x y)",
    ),
)

PHYSICS = (
    _case(
        "relativistic correction",
        "sqrt(1 + x) - 1",
        "x=loguniform:1e-12:1e-2",
        "x/(sqrt(1 + x) + 1)",
        source="liberfa/erfa #41",
    ),
    _case(
        "factor of a boost",
        "(1/sqrt(1 - v*v/c**2) - 1)/v**2",
        "v=loguniform:1:1e6 c=299792458",
        "1/(c**2*(1 - v*v/c**2)*(1 + 1/sqrt(1 - v*v/c**2)))",
        source="BLAST-WarpX/warpx #3708",
    ),
    _case(
        "kinetic energy in SI units",
        "sqrt(p**2*c**2 + m**2*c**4) - m*c**2",
        "p=loguniform:1e-27:1e-23 m=9e-31:1e-27 c=299792458",
        "p**2*c**2/(sqrt(p**2*c**2 + m**2*c**4) + m*c**2)",
        source="BLAST-WarpX/warpx #2397",
    ),
    _case(
        "momentum at rest",
        "sqrt(e*e - m*m)",
        "e=normal:5:1e-6 m=normal:5:1e-6",
        "sqrt((e - m)*(e + m))",
        source="MoMEMta/MoMEMta #123",
        condition="(> e m)",
    ),
    _case(
        "invariant mass squared",
        "(sqrt(m*m + p*p) + sqrt(n*n + q*q))**2 - (p + q)**2",
        "p=loguniform:1e3:1e6 q=loguniform:1e3:1e6 m=0.1:1 n=0.1:1",
        "m*m + n*n + 2*p*q*((m/p)**2 + (n/q)**2 + (m/p)**2*(n/q)**2)"
        "/(1 + sqrt(1 + (m/p)**2 + (n/q)**2 + (m/p)**2*(n/q)**2))",
        source="root-project/root #9646",
    ),
    _case(
        "pseudorapidity",
        "atanh(z/sqrt(x*x + y*y + z*z))",
        "x=0.1:1 y=0.1:1 z=loguniform:1e3:1e6",
        "asinh(z/sqrt(x*x + y*y))",
        source="acts-project/acts #2249",
    ),
    _case(
        "rapidity",
        "0.5*log((sqrt(t*t + z*z + m*m) + z)/(sqrt(t*t + z*z + m*m) - z))",
        "t=1:10 z=loguniform:1e3:1e6 m=0.1:1",
        "0.5*log((sqrt(t*t + z*z + m*m) + z)**2/(t*t + m*m))",
        source="go-hep/hep #97",
    ),
    _case(
        "black body",
        "2*6.62607015e-34*n**3/299792458**2/(exp(6.62607015e-34*n/(1.380649e-23*t)) - 1)",
        "n=loguniform:1e5:1e12 t=3:6000",
        "2*6.62607015e-34*n**3/299792458**2/expm1(6.62607015e-34*n/(1.380649e-23*t))",
        source="lanl/singularity-opac #39",
    ),
    _case(
        "rate of a channel",
        "x/(exp(x/y) - 1)",
        "x=loguniform:1e-9:10 y=5:25",
        "x/expm1(x/y)",
        source="brian-team/brian2 #1133",
    ),
    _case(
        "black body, cold",
        "x**3/(exp(x) - 1)",
        "x=690:725",
        "exp(3*log(x) - x)/(-expm1(-x))",
        source="HajimeKawahara/exojax #753",
    ),
)

FINANCE = (
    _case(
        "factor of Vasicek",
        "(1 - exp(-a*t))/a",
        "a=loguniform:1e-10:0.5 t=0.1:30",
        "-expm1(-a*t)/a",
        source="domokane/FinancePy #269",
    ),
    _case(
        "bond of Vasicek, slow reversion",
        "(b - s**2/(2*a**2))*((1 - exp(-a*t))/a - t) - s**2*((1 - exp(-a*t))/a)**2/(4*a)",
        "a=loguniform:1e-9:1e-6 b=0.01:0.1 s=0.005:0.05 t=1:10",
        "b*a*t**2*(-1/2 + a*t/6 - (a*t)**2/24) + s**2*t**3*(1/6 - a*t/8 + 7*(a*t)**2/120)",
        source="lballabio/QuantLib #2599",
        needs=Needs.SERIES,
    ),
    _case(
        "moment of an Asian option",
        "2*((exp(s*s*t) - 1)/(s*s) - t)/(s*s*t*t)",
        "s=0.05:0.4 t=loguniform:1e-4:0.1",
        "2*(1/2 + s*s*t*(1/6 + s*s*t*(1/24 + s*s*t*(1/120 + s*s*t*(1/720"
        " + s*s*t*(1/5040 + s*s*t/40320))))))",
        source="joaquinbejar/OptionStratLib #461",
        needs=Needs.SERIES,
    ),
)

FUNCTIONS = (
    _case(
        "arsinh of any size",
        "log(x + sqrt(x*x + 1))",
        "x=loguniform:1e-12:1e200",
        "log1p(x + x/(hypot(1, 1/x) + 1/x))",
        source="rust-lang/rust #104553",
    ),
    _case(
        "arsinh of negative numbers",
        "log(x + sqrt(x*x + 1))",
        "x=-1e9:-10",
        "-log(-x + sqrt(x*x + 1))",
        source="rust-lang/rust #72486",
    ),
    _case(
        "arcosh of large numbers",
        "log(x + sqrt(x*x - 1))",
        "x=loguniform:1e100:1e300",
        "log(x + sqrt(x - 1)*sqrt(x + 1))",
        source="rust-lang/rust #104553",
    ),
    _case(
        "complex log of 1 + z",
        "log(sqrt((1 + x)**2 + y**2))",
        "x=loguniform:1e-12:1e-3 y=loguniform:1e-12:1e-3",
        "log1p(x*(2 + x) + y*y)/2",
        source="apple/swift-numerics #155",
    ),
    _case(
        "complex exp less 1",
        "exp(a)*cos(b) - 1",
        "a=loguniform:1e-12:1e-2 b=loguniform:1e-12:1e-2",
        "expm1(a)*cos(b) - 2*sin(b/2)**2",
        source="c3d/db48x #1634",
    ),
    _case(
        "sine of degrees",
        "sin(x*pi/180)",
        "x=loguniform:1e3:1e8",
        "sin(remainder(x, 360)*pi/180)",
        source="JuliaLang/julia #4079",
    ),
    _case(
        "exponential less 1",
        "exp(x) - 1",
        "x=loguniform:1e-12:1",
        "2*tanh(x/2)/(1 - tanh(x/2))",
        source="dzhang314/MultiFloats.jl #19",
    ),
    _case(
        "interpolation out of range",
        "a + t*(b - a)",
        "a=-1.7e308:-1e308 b=1e308:1.7e308 t=0:1",
        "a*(1 - t) + b*t",
        source="microsoft/STL #1918",
    ),
    _case(
        "modulus out of range",
        "sqrt(a*a + b*b)",
        "a=loguniform:1e-200:1e-170 b=loguniform:1e-200:1e-170",
        "abs(a)*sqrt(1 + (b/a)*(b/a))",
        "hypot(a, b)",
        source="mathnet/mathnet-numerics #366",
    ),
    _case(
        "complex division",
        "(a*c + b*d)/(c*c + d*d)",
        "a=loguniform:1e150:1e160 b=loguniform:1e150:1e160"
        " c=loguniform:1e180:1e200 d=loguniform:1e160:1e180",
        "(a + b*(d/c))/(c + d*(d/c))",
        source="JuliaGPU/Metal.jl #762",
    ),
    _case(
        "complex square root",
        "sqrt((hypot(x, y) + x)/2)",
        "x=-1e3:-1 y=loguniform:1e-8:1e-1",
        "y/(2*sqrt((hypot(x, y) - x)/2))",
        source="thomasokken/free42 #44",
    ),
)

REPORTED = (
    _case(
        "sum of three",
        "x + y - z",
        "x=normal:1e8:1 y=loguniform:1e-9:1e-2 z=normal:1e8:1",
        "(x - z) + y",
    ),
    _case(
        "leg and hypotenuse",
        "hypot(x, y) - x",
        "x=1:1e3 y=loguniform:1e-8:1e-1",
        "y*(y/(hypot(x, y) + x))",
    ),
    _case(
        "kinetic energy of light particles",
        "sqrt(p**2 + m**2) - m",
        "p=loguniform:1e-30:1e-27 m=1e-26:1e-25",
        "p*(p/(sqrt(p**2 + m**2) + m))",
    ),
    _case(
        "speed from kinetic energy",
        "c*sqrt(1 - (m/(e + m))**2)",
        "e=loguniform:1e-12:1e-3 m=0.1:10 c=299792458",
        "c*sqrt(e*(e + 2*m))/(e + m)",
    ),
    _case(
        "angle of vectors in the plane",
        "acos((a*c + b*d)/(sqrt(a*a + b*b)*sqrt(c*c + d*d)))",
        "a=normal:1:1e-6 b=normal:2:1e-6 c=normal:1:1e-6 d=normal:2:1e-6",
        "atan2(abs(a*d - b*c), a*c + b*d)",
    ),
    _case("chord", "sqrt(2 - 2*cos(t))", "t=loguniform:1e-9:1", "2*sin(t/2)"),
    _case("complement of erf", "1 - erf(x)", "x=1:25", "erfc(x)"),
    _case(
        "probability of an interval",
        "erf(a) - erf(b)",
        "a=4:12 b=3:4",
        "erfc(b) - erfc(a)",
    ),
    _case("log of a reciprocal", "log(1/u)", "u=normal:1:1e-6", "-log(u)"),
    _case("quotient by exp", "a/exp(b)", "a=1e-3:1e3 b=700:740", "a*exp(-b)"),
    _case(
        "log-sum-exp",
        "log(exp(x) + exp(y))",
        "x=-2000:-800 y=-2000:-800",
        "max(x, y) + log1p(exp(-abs(x - y)))",
    ),
    _case(
        "difference of sines",
        "sin(a) - sin(b)",
        "a=normal:1:1e-6 b=normal:1:1e-6",
        "2*sin((a - b)/2)*cos((a + b)/2)",
    ),
    _case(
        "difference of arctangents",
        "atan(a) - atan(b)",
        "a=normal:3:1e-6 b=normal:3:1e-6",
        "atan((a - b)/(1 + a*b))",
    ),
    _case(
        "difference of logarithms",
        "log(a) - log(b)",
        "a=normal:3:1e-6 b=normal:3:1e-6",
        "log1p((a - b)/b)",
    ),
    _case(
        "difference of exponentials",
        "exp(a) - exp(b)",
        "a=normal:3:1e-6 b=normal:3:1e-6",
        "exp(b)*expm1(a - b)",
    ),
    _case(
        "difference of powers",
        "a**2.5 - b**2.5",
        "a=normal:3:1e-6 b=normal:3:1e-6",
        "b**2.5*expm1(2.5*log1p((a - b)/b))",
    ),
    _case(
        "difference of fifth roots",
        "(x + 1)**(1/5) - x**(1/5)",
        "x=loguniform:1e2:1e9",
        "x**(1/5)*expm1(log1p(1/x)/5)",
    ),
    _case(
        "difference of reciprocals",
        "1/(x + 1) - 1/x",
        "x=loguniform:1e2:1e200",
        "-1/x/(x + 1)",
    ),
    _case(
        "sine of whole turns",
        "sin(pi*x)",
        "x=loguniform:1e3:1e8",
        "sin(pi*remainder(x, 2))",
    ),
    _case(
        "midpoint out of range",
        "(a + b)/2",
        "a=1e308:1.7e308 b=1e308:1.7e308",
        "a/2 + b/2",
    ),
    _case("sine of pi", "y + sin(pi)", "y=loguniform:1e-16:1e-12", "y"),
)

FIELDS = {
    "geometry": GEOMETRY,
    "statistics": STATISTICS,
    "machine learning": LEARNING,
    "physics": PHYSICS,
    "finance": FINANCE,
    "special functions": FUNCTIONS,
    REPORTS: REPORTED,
}

CASES = tuple(case for cases in FIELDS.values() for case in cases)
"""All of them, by field."""
