"""Formulas as people paste them, and tables as people have them: what the grammar does not draw.

Laws of physics, chemistry and biology, test formulas of symbolic regression, what Operon, PySR and
gplearn print, on whole numbers, years, time stamps, temperatures, single precision, repeated rows.
"""

from __future__ import annotations

import random

import numpy as np

from eic_core.formula.syntax import read
from eic_core.samples import Samples
from tests.audit.draws import Draw

FORMULAS = """
(-b+sqrt(b**2-4*a*c))/(2*a) | a=uniform:1:2 b=log:1:1e8 c=uniform:1:2
(1+1/n)**n | n=log:1:1e16
(1/n1**2-1/n2**2)*1.0973731568e7 | n1=whole:1:4 n2=whole:1:6
(a-b)/(a-b) | a=whole:0:5 b=whole:0:5
(cos(ph)**2+0.1*sin(ph)**2)*sin(th) | ph=uniform:-3:3 th=uniform:-3:3
(exp(x)-exp(-x))/2 | x=log:1e-9:5
(p1-p2)/sqrt(p1*(1-p1)/n+p2*(1-p2)/n) | p1=short:1 p2=uniform:0:1 n=whole:5:100
(x**0.5+1)**2-x-2*x**0.5 | x=log:1:1e12
(x-u*t)/sqrt(1-u**2/c**2) | x=uniform:5:10 u=uniform:1:2 c=uniform:3:10 t=uniform:1:2
(x0+1e16)-1e16 | x0=whole:0:9
-1.2345678*x0**2+3.4567890*x0*x1-2.419753*x1**2 | x0=normal:0:1 x1=normal:0:1
-log10(H) | H=log:1e-14:1
-p*log2(p)-(1-p)*log2(1-p) | p=uniform:0:1
0.01*(year-1990)**2 - 0.3*(year-1990) + 12 | year=year
0.5*rho*v**2*Cd*Area | rho=uniform:1.1:1.3 v=uniform:0:60 Cd=uniform:0.2:1 Area=uniform:1:3
1-erf(x) | x=uniform:0:6
1-exp(-0.693147*t/th) | t=log:1e-6:100 th=uniform:1:10
1-exp(-x) | x=log:1e-17:10
1.2e-9*(t-1700000000)*3600 + 0.5 | t=stamp
1.57+24.3*x**4.3 | x=uniform:0:50
1/(1+exp(-k*(x-x0))) | k=uniform:1:10 x=year x0=uniform:2008:2008
1/(exp((E-mu)/(kb*T))+1) | E=uniform:0:10 mu=uniform:5:5 kb=uniform:8.617e-5:8.617e-5 T=temperature
1/(exp((E-mu)/(kb*T))-1) | E=uniform:0:2 mu=uniform:0:0 kb=uniform:8.617e-5:8.617e-5 T=temperature
10*(y-x) | x=normal:0:8 y=normal:0:8
100*(x-mean)/mean | x=uniform:99:101 mean=uniform:100:100
1e-160*x*1e-160*y*1e300 | x=uniform:1:5 y=uniform:1:5
2**n*0.5**n | n=whole:0:1200
2*sin(x)*cos(y) | x=whole:-3:3 y=uniform:-1:1
6.11*exp(17.27*(T-273.16)/(T-35.86)) | T=temperature
6.87+11*sqrt(7.23*x*y*z) | x=uniform:0:50 y=uniform:0:50 z=uniform:0:50
A*exp(-Ea/(8.314462618*T)) | A=log:1e8:1e14 Ea=uniform:3e4:2e5 T=temperature
De*(1-exp(-a*(r-re)))**2 | De=uniform:1:10 a=uniform:1:2 r=uniform:0.5:5 re=uniform:0.74:0.74
E0-(8.314*T/(n*96485.33212))*log(Q) | E0=uniform:-1:1 T=temperature n=whole:1:3 Q=log:1e-6:1e6
P*(1+r)**n-P | P=uniform:100:1000 r=log:1e-6:0.1 n=whole:1:30
P*V/(n*8.314462618) - 273.15 | P=uniform:9e4:1.1e5 V=uniform:0.02:0.03 n=uniform:0.9:1.1
Rational(1,3)*x**3 - Rational(2,3)*x | x=uniform:-2:2
T1**4-T2**4 | T1=uniform:290:300 T2=uniform:290:300
Vmax*S**n/(K**n+S**n) | Vmax=uniform:1:2 S=uniform:0:5 K=uniform:0.5:2 n=uniform:1:4
Vmax*S/(Km+S+S**2/Ki) | Vmax=uniform:1:10 S=log:1e-6:1 Km=log:1e-5:1e-2 Ki=uniform:0.1:1
a**0 | a=whole:0:3
a*b*c | a=log:1e-160:1e-100 b=log:1e-160:1e-100 c=log:1e50:1e150
a/b - c/d | a=whole:0:5 b=whole:1:5 c=whole:0:5 d=whole:1:5
abs(x)+x | x=uniform:-3:3
abs(x-a)+abs(y-b) | x=whole:0:3 a=whole:0:3 y=whole:0:3 b=whole:0:3
abs(x-y)/max(x,y) | x=whole:0:6 y=whole:0:6
acos((a**2+b**2-c**2)/(2*a*b)) | a=whole:3:9 b=whole:3:9 c=whole:1:9
acos(n*cos(theta)) | n=uniform:0.5:1.5 theta=uniform:0:3
acos(x*y+sqrt(1-x**2)*sqrt(1-y**2)) | x=uniform:0:1 y=uniform:0:1
atan(x/y) | x=whole:-3:3 y=whole:-3:3
atan2(sin(x-y),cos(x-y)) | x=uniform:-10:10 y=uniform:-10:10
atan2(y, x) | x=whole:-3:3 y=whole:-3:3
ceil(x)-x | x=short:1
cos(2*pi*t/86400) | t=stamp
cos(th)/tan(ph) | th=uniform:-3:3 ph=uniform:-3:3
cosh(x)**2-sinh(x)**2 | x=uniform:0:12
erf((x-mu)/(sqrt(2)*s)) | x=normal:5:2 mu=uniform:5:5 s=uniform:1:2
exp(-((x-a)**2+(y-b)**2)) | x=whole:0:3 a=whole:0:3 y=whole:0:3 b=whole:0:3
exp(-Ea/(8.314*T)) | Ea=uniform:1e4:2e5 T=temperature
exp(-a*x)*exp(a*x) | a=uniform:1:10 x=uniform:0:100
exp(-x**2/(2*s**2))/(s*2.5066282746310002) | x=uniform:-40:40 s=uniform:0.5:2
exp(a)*exp(-b) | a=uniform:600:800 b=uniform:600:800
exp(exp(x)) | x=uniform:0:7
floor(log10(x)) | x=log:1:1e6
floor(x*10)/10 | x=short:1
floor(x/7) | x=whole:0:40
log(1+exp(x)) | x=uniform:-800:800
log(1+x) | x=log:1e-17:10
log(log(x)) | x=uniform:1:20
log(p/(1-p)) | p=uniform:0:1
m0/sqrt(1-v**2/c**2) | m0=uniform:1:5 v=uniform:1e3:2.9e8 c=uniform:299792458:299792458
max(0, x-3) | x=whole:0:6
max(x, y, z) - min(x, y, z) | x=whole:0:3 y=whole:0:3 z=whole:0:3
min(x,y)/max(x,y) | x=whole:1:6 y=whole:1:6
mu*N*(1-N/K)-N | mu=uniform:2:2 N=whole:0:20 K=uniform:20:20
pKa+log10(A/HA) | pKa=uniform:3:10 A=log:1e-4:1 HA=log:1e-4:1
round(100*x)/100 | x=short:2
sign(t-1700043200)*sqrt(abs(t-1700043200)) | t=stamp
sin(omega*t)*A + A*cos(omega*t) | omega=uniform:1:5 t=series A=uniform:1:3
sin(x)+sin(x+x**2) | x=uniform:-1:1
sin(x)/x | x=log:1e-9:100
sin(x**2)*cos(x)-1 | x=uniform:-1:1
sqrt(2*9.81*h) - v0 | h=whole:0:20 v0=whole:0:20
sqrt(b**2-4*a*c) | a=whole:1:5 b=whole:0:12 c=whole:1:5
sqrt(x)**2 | x=whole:-2:4
sqrt(x)*sqrt(y)/(x*y) | x=log:1e-180:1e-150 y=log:1e-180:1e-150
sqrt(x**2) - x | x=whole:-3:3
sqrt(x**2+1)-x | x=log:1:1e9
tan(x) | x=uniform:0:3.2
tan(x)*cos(x) | x=uniform:1:2
tanh(x)-1 | x=uniform:0:30
x - 7*floor(x/7) | x=whole:0:40
x*(28-z)-y | x=normal:0:8 y=normal:0:8 z=normal:24:8
x**10/(1+x**20) | x=log:1e-20:1e20
x**2*y**2/(x**2+y**2) | x=log:1e-170:1e170 y=log:1e-170:1e170
x**3-y/(5+x)**6 | x=uniform:0:10 y=whole:0:10
x**4-x**3+x**2/2-x | x=uniform:-1:3
x**50/y**50 | x=log:1e-5:1e8 y=log:1e-5:1e8
x**6+x**5+x**4+x**3+x**2+x | x=uniform:-1:1
x**y | x=uniform:0:1 y=uniform:0:1
x*1e-308/y | x=uniform:0.001:1 y=uniform:1:100
x*log(x) - y*log(y) | x=whole:0:6 y=whole:0:6
x*y-8/3*z | x=normal:0:8 y=normal:0:8 z=normal:24:8
x/(1-x) | x=uniform:0.9:1
x0 - 2457000.5 | x0=log:2.4e6:2.5e6
""".strip().splitlines()
"""Each with the kinds of its columns, as `column` has them."""

KINDS = (
    "uniform:1:5",
    "uniform:-5:5",
    "uniform:0:1",
    "whole:0:9",
    "whole:-3:3",
    "normal:0:1",
    "normal:1000:1",
    "temperature",
    "year",
    "stamp",
    "log:1e-3:1e3",
    "log:1e-9:1",
    "log:1:1e9",
    "log:1e-200:1",
    "log:1e100:1e300",
    "short:1",
    "uniform:-800:800",
    "uniform:0.999:1.001",
)


def column(kind: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of one kind: "whole:0:9" from 0 to 9, "short:1" of one decimal, "log:1e-3:1"."""
    name, *ends = kind.split(":")
    if name == "temperature":
        return np.round(rng.uniform(250, 400, count), 2)
    if name == "year":
        return rng.integers(1990, 2026, count).astype(float)
    if name == "stamp":
        return 1.7e9 + rng.integers(0, 90_000, count)
    if name == "series":
        return np.arange(count) * 0.25
    if name == "short":
        return np.round(rng.uniform(0, 5, count), int(ends[0]))
    low, high = float(ends[0]), float(ends[-1])
    if name == "whole":
        return rng.integers(int(low), int(high) + 1, count).astype(float)
    if name == "normal":
        return rng.normal(low, high, count)
    if name == "log":
        return 10 ** rng.uniform(np.log10(low), np.log10(high), count)
    return rng.uniform(low, high, count)


def fitted(rng: random.Random, digits: int) -> str:
    """A constant as a tool prints it."""
    value = rng.choice((rng.uniform(-10, 10), rng.gauss(0, 1), 10 ** rng.uniform(-6, 4)))
    return f"({value:.{digits}g})"


def printed(rng: random.Random, names: tuple[str, ...]) -> str:
    """What Operon, PySR, gplearn or a polynomial fit may print."""
    kind = rng.choice(("operon", "pysr", "gplearn", "polynomial"))
    if kind == "polynomial":
        x, degree = rng.choice(names), rng.choice((2, 3, 4))
        return " + ".join(f"{fitted(rng, 16)}*{x}**{p}" for p in range(degree, -1, -1))
    if kind == "operon":
        ways = ("sin({})", "exp({})", "{}", "log({})", "sqrt(abs({}))", "tanh({})")
        a, b, c = (
            rng.choice(ways).format(f"({fitted(rng, 9)} * {rng.choice(names)})") for _ in range(3)
        )
        return f"({fitted(rng, 9)} + {fitted(rng, 9)} * ({a} {rng.choice('+-*/')} ({b} - {c})))"
    return _tree(rng, names, rng.choice((2, 3)), kind == "gplearn")


def _tree(rng: random.Random, names: tuple[str, ...], depth: int, prefix: bool) -> str:
    if not depth:
        return rng.choice(names) if rng.random() < 0.6 else fitted(rng, 3 if prefix else 8)
    first = _tree(rng, names, depth - 1, prefix)
    second = _tree(rng, names, rng.randrange(depth), prefix)
    if rng.random() < 0.4:
        return f"{rng.choice(('sin', 'cos', 'abs', 'exp', 'log'))}({first})"
    if prefix:
        return f"{rng.choice(('add', 'sub', 'mul', 'div', 'max', 'min'))}({first}, {second})"
    return f"({first} {rng.choice('+-*/')} {second})"


def pasted_draw(seed: int) -> Draw:
    """A formula and a table, the same for the same seed."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    count = rng.choice((40, 40, 30, 12, 5, 1))
    if seed % 5 < 3:
        text, _, columns = rng.choice(FORMULAS).partition(" | ")
        kinds = dict(part.split("=") for part in columns.split())
    else:
        names = rng.choice((("x0",), ("x0", "x1"), ("x0", "x1", "x2")))
        text, kinds = printed(rng, names), {name: rng.choice(KINDS) for name in names}
    table = {name: column(kind, count, numbers) for name, kind in kinds.items()}
    manner = rng.choice(("as it is", "single precision", "repeated rows", "rows left out"))
    rows = None
    if manner == "single precision" and max(np.abs(c).max() for c in table.values()) < 1e38:
        table = {name: c.astype(np.float32).astype(float) for name, c in table.items()}
    if manner == "repeated rows":
        chosen = numbers.integers(0, max(1, count // 4), count)
        table = {name: c[chosen] for name, c in table.items()}
    if manner == "rows left out":  # as where cells are empty
        rows = np.sort(numbers.choice(2 * count, count, replace=False)) + 1
    formula = read(text, columns=tuple(table)).formula
    samples = Samples.from_columns(table, count=count, rows=rows, origin=manner)
    return Draw(f"pasted {seed}", formula, samples)
