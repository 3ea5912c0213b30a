"""Formulas that between them make every template speak, each on its data."""

from __future__ import annotations

import numpy as np

from eic_core.formula.syntax import read
from eic_core.measure import Domain
from eic_core.samples import Samples
from tests.audit.draws import Draw

EXAMPLES: tuple[tuple[str, str, int, str], ...] = (
    ("x", "x=1:2", 20, "sf"),
    ("2.5", "", 3, ""),
    ("x+1", "x=1:5", 40, "sf"),
    ("10000*x-9999*x", "x=1:5", 40, "sf"),
    ("sqrt(x+1)-sqrt(x)", "x=1e3:1e8", 40, "sf"),
    ("100+(x-3)", "x=1:5", 60, "sf"),
    ("cos(x)+10", "x=1:5", 60, "sf"),
    ("log(x)-log(y)", "x=1:5 y=1:5", 60, "sf"),
    ("x**4+x**3+x**2+x", "x=-1:1", 60, "sf"),
    ("sin(x)+sin(x+x**2)", "x=-1:1", 60, ""),
    ("x**2-x", "x=-0.5:0.99", 60, "sf"),
    ("x**3-x", "x=-0.995:0.995", 60, "sf"),
    ("x*sin(x)-x", "x=-1.5:1.5", 60, "sf"),
    ("0.1+0.2*x-0.3*x**2", "x=[-5,-4,-3,-2,-1,0,1,2,3,4,5]", 22, "sf"),
    ("cos(pi*x/2)", "x=[-5,-4,-3,-2,-1,0,1,2,3,4,5]", 22, "sf"),
    ("x*(x-1)/2", "x=[0,1,2,3,4,5,6,7,8,9]", 20, "sf"),
    ("1/x**4", "x=loguniform:1e-100:1e3", 60, "sf"),
    ("x*1e-200*y", "x=loguniform:1e-120:1e-80 y=1:2", 40, "s"),
    ("(x-1)*(x-2)*(x-3)", "x=[0,1,2,3,4]", 20, "sf"),
    ("tan(x)", "x=0:10", 500, ""),
    ("tan(x)", "x=[9.41278,7.84398,9.2,9.1,8,7.7,9.6]", 7, ""),
    ("x-x", "x=1:5", 40, "sf"),
    ("sin(x)**2+cos(x)**2", "x=1:5", 60, "sf"),
    ("(x-0.999)**4", "x=1:1.01", 60, "sf"),
    ("sqrt(x-1)+3", "x=1", 3, "sf"),
    ("log(x)**4", "x=0.99:1.02", 60, ""),
    ("-0.13785602*x0*x1**2/(x1 - 0.9*x2) + 0.98014763*x0*x1", "x0=1 x1=1:9 x2=1:9", 60, ""),
    ("tan(1.56 - 4773*sin(x**-3))", "x=-5:5", 60, ""),
    ("tan(x)", "x=0.5:3", 60, ""),
    ("floor(x)", "x=1:5", 60, "sf"),
    ("0.1+0.2-0.3", "", 2000, "sf"),
    ("sqrt(x**2+y**2)", "x=loguniform:1e200:1e300 y=loguniform:1e200:1e300", 40, "sf"),
    ("x**2", "x=loguniform:1e200:1e300", 40, "sf"),
    ("exp(x)/(1+exp(x))", "x=-800:800", 60, "sf"),
    ("x/(x**2+1)", "x=loguniform:1e-3:1e300", 60, "sf"),
    ("(1-cos(x))/sin(x)", "x=loguniform:1e-200:1", 60, "sf"),
    ("1/x-1/tan(x)", "x=loguniform:1e-8:1", 60, "sf"),
    ("x+x**3", "x=-1:1", 60, ""),
    ("x + x + x", "x=-3:3", 400, ""),
    ("log(x)", "x=0.5:2", 400, ""),
    ("log(x)", "x=-3:-1", 20, ""),
    ("log(x)", "x=-1", 1, ""),
    ("log(x)*0+sqrt(y)+0*asin(x)", "x=-1.5:-0.8 y=-1:1", 40, ""),
    ("log(x)+sqrt(y)*asin(z)+acosh(x)+atanh(y)+log1p(z)", "x=-1:5 y=-1:3 z=-2:2", 60, ""),
    ("1/x+1/y**0.5", "x=0 y=1:2", 5, ""),
    ("sqrt(x)+log(y)", "x=-1:0.01 y=-1:0.01", 40, ""),
    ("1/(x-1)", "x=1:2", 400, ""),
    ("1/(x-2)", "x=1:3", 400, ""),
    ("1/(x+1e-9)", "x=loguniform:1e-3:1e3", 400, ""),
    ("log(exp(x))", "x=normal:1000:1", 60, "sf"),
    ("1000+(x-3)*0.0001+y", "x=2.999:3.001 y=1:5", 60, ""),
    ("exp(x)", "x=1:50", 60, ""),
    ("cosh(x)", "x=1:50", 60, ""),
    ("sinh(x)*2", "x=5:9", 60, ""),
    ("x**7.5", "x=1:5", 40, ""),
    ("x**(y*1.1)", "x=20:50 y=2:9", 40, ""),
    ("2.5**x", "x=20:90", 40, ""),
    ("x**12", "x=1:5", 40, "sf"),
    ("acos(x)", "x=0.99:1", 60, "sf"),
    ("asin(x)", "x=0.999:1", 60, ""),
    ("acosh(x)", "x=1:1.001", 60, ""),
    ("atanh(x)", "x=0.99:1", 60, ""),
    ("log1p(x)", "x=-1:-0.999", 60, ""),
    ("log1p(x)*y", "x=-3:-1 y=1:2", 30, ""),
    ("sin(x)", "x=1e6:1.1e6", 60, "sf"),
    ("tan(x)", "x=1.5:1.65", 60, ""),
    ("sin(x)", "x=3:3.3", 60, "sf"),
    ("cos(x+1.5707963)", "x=21.5:22.5", 60, ""),
    ("erf(x)*gamma", "x=1:2 gamma=1:2", 20, ""),
    ("atan2(y,x)", "x=-2:-1 y=-1e-6:1e-6", 60, ""),
    ("atan2(0*y,x)", "x=-2:-1 y=1:2", 20, ""),
    ("min(x,y)-0.5*x", "x=1:5 y=1:5", 60, ""),
    ("x - y", "x=1:1 y=1:1", 20, "sf"),
    ("(1e40 + x) - 1e40", "x=1:2", 20, "sf"),
    ("x*sin(exp(x))", "x=80:200", 20, ""),
    ("sin(exp(x))", "x=60:100", 60, ""),
    ("3*(x-2)", "x=2", 3, ""),
    ("sin(pi*x)", "x=2", 3, ""),
    ("log(1+x)", "x=1e-35", 3, ""),
    ("log(x)", "x=1", 3, ""),
    ("floor(x*2)", "x=2", 3, ""),
    ("acos(x)", "x=1", 3, "sf"),
    ("(x-1.5000001)*0.001+(y-2.9)", "x=1:2 y=3:3.02", 60, ""),
    ("x*x*x*x*x", "x=1:5", 60, ""),
    ("(x-5)**3/(y+20)", "x=4.9:5.1 y=1:2", 400, ""),
    ("(x-1)*(y-2)", "x=0.9:9 y=1.9:9", 120, ""),
    ("x**2-2*x+1", "x=0.999:1.001", 40, ""),
    ("x**2-y**2", "x=1:1.001 y=1:1.001", 40, "sf"),
    ("exp(x)-1-x", "x=1e-4:1e-3", 40, ""),
    ("x-sin(x)", "x=1e-4:1e-3", 40, "sf"),
    ("tan(log(x))", "x=4.80:4.82", 40, ""),
    ("sqrt(-x)", "x=1:2", 4, ""),
    ("root(x,4)+x", "x=-2:5", 30, ""),
    ("(x-2)**0.5", "x=1:3", 30, ""),
    ("x**-0.5", "x=-1:3", 30, ""),
    ("cot(x)*sec(x)", "x=0.1:3", 30, ""),
    ("3.14159265*x + 2.71828", "x=1:5", 30, "sf"),
    ("1e9 + 1234567.891*0.0001*x", "x=1:5", 30, "sf"),
    ("exp(exp(exp(x)))", "x=3:4", 10, ""),
    ("exp(x)*exp(y)/exp(x)", "x=700:800 y=1:2", 30, "sf"),
    ("sqrt(x*x)", "x=1e-200:1e-170", 30, ""),
    ("x-1", "x=normal:0:1e-9", 40, ""),
    ("tan(pi/2)", "", 3, "sf"),
    ("sin(1e22*x)", "x=1:2", 30, ""),
    ("abs(x-1)**4.5", "x=0.9:1.2", 60, ""),
    ("(1e14 + x) - 1e14", "x=1:2", 1010, ""),
    ("2+(x-3)", "x=3", 5, "s"),
    ("2+(x-3)", "x=[3,3,4,5,3.5,7,8,2]", 8, ""),
    ("x-3", "x=[3,3,3,4]", 4, ""),
    ("log(x)+sqrt(y)", "x=-1:0.2 y=-2:-1", 40, "f"),
    ("x-2.999", "x=[3,3,3,5,6,7,8,9,5.5,6.5,7.5,8.5,9.5,4.5,4.6,4.7]", 16, ""),
    (
        "(x-1)*(y-2)",
        "x=[1.001,1.001,5,6,7,8,9,4,6,7,8,9,5,6,7,8,9] y=[5,6,2.002,5,6,7,8,9,4,5,6,7,8,9,4,5,6]",
        17,
        "",
    ),
    ("x-1", "x=tail:1.6", 400, ""),
    ("x-1", "x=tail:1.95", 400, ""),
    ("x-1", "x=tail:2.4", 400, ""),
    ("sqrt(x+1)-sqrt(x)", "x=1e3:1e8", 40, "st"),
    ("x**2*tan(log(y)*x)", "x=1:5 y=1:5", 40, "st"),
    ("tanh(exp(x)*y)/exp(x)*exp(x)", "x=705:720 y=1:2", 20, "s"),
    ("exp(x)*y/(exp(x)+z)", "x=700:720 y=1:2 z=1:2", 20, "s"),
    ("hypot(exp(x)*exp(x), y)**0.1", "x=300:400 y=1:2", 20, "s"),
    ("+".join(["x*y"] * 45), "x=1:5 y=1:5", 3, "s"),
    ("*".join(["x"] * 110), "x=1:1.5", 3, ""),
    ("pi", "", 3, "f"),
    ("123456.7891*x - 123456.7890*y", "x=1:1.0000001 y=1:1.0000001", 20, "f"),
    ("1.00000001*x - x", "x=1:5", 20, "f"),
    ("2.718281828*x + 0.1234567", "x=1:5", 20, "f"),
    ("log(exp(x)-exp(x-1e-10))", "x=800:900", 10, ""),
    ("tan(exp(x))", "x=800:900", 10, ""),
    ("sin(3.14159265358979323846264338327950288419716939937)", "", 3, ""),
    ("atan2(x-x, y)", "x=1:2 y=-2:-1", 5, ""),
    ("atan2(x-1, y-1)", "x=1 y=[1,2,3]", 3, ""),
    ("((1e29+x)-1e29)**100", "x=1:2", 5, ""),
    ("(x-x)**(y*1.1)", "x=1:2 y=1:2", 5, ""),
    ("(x-y)**(z*1.1)", "x=1:2 y=1:2 z=1:2", 20, ""),
    ("acosh(x)", "x=-1:3", 20, ""),
    ("(1e40 + x) - 1e40", "x=[0,1,2,0,3]", 5, ""),
    ("cos(exp(x))", "x=10000:10100", 5, ""),
    ("exp(exp(exp(x)))", "x=2:3", 20, ""),
    ("x-sin(x)+3*(y-2)**3", "x=1:2 y=[2,2,3,4]", 4, ""),
    ("1e5*(x-2)+y", "x=1.9:2.1 y=1:2", 60, "s"),
    ("(x**2-y**2)/(x-y)", "x=1:5 y=1:5", 60, ""),
    ("0*x+1", "x=1:5", 20, "f"),
    ("0", "", 3, "f"),
    ("sign(sin(1e18*x))", "x=1:5", 30, "sf"),
    ("y + sign(sin(1e15*x)) + 1e-9*floor(1e5*x*((y + 1e12) - 1e12))", "x=1:5 y=1:5", 60, ""),
    ("100 + floor(1e3*((x+1e12)-1e12))", "x=1:5", 60, ""),
    ("x + 1e-12*round(sin(1e17*x))", "x=1:5", 40, ""),
    ("atan2(((y + 1e8) - 1e8)*1e-9, -x)", "x=1:5 y=-1e-8:1e-8", 60, ""),
    ("2 + sign((1e40 + x) - 1e40)", "x=1:2", 20, ""),
    ("0*sign(sin(1e18*x)) + y", "x=1:2 y=1:2", 20, ""),
    ("sign(x-3)", "x=1:5", 60, ""),
    ("sqrt(x*x+y*y)", "x=[2e-162,1,2] y=[3e-162,1,3]", 3, "s"),
    ("sqrt((x-a)**2+(y-b)**2)", "x=[1,2,3,4] a=[1,2,2.5,3] y=[1,2,3,1] b=[1,2,2,3]", 4, ""),
    ("(x-2)**2+(y-1)**4", "x=2 y=1", 3, ""),
    ("sign(sin(1e22*x)) + 1e-9*(y-3)", "x=[1.3,5.1] y=3", 2, ""),
    ("1+sign(x-3)*1e-9", "x=[1,2,3,4,5]", 5, ""),
    ("1000000+floor(x-y)", "x=[1,2,3,4,5] y=[1,2,2.5,1,1]", 5, ""),
    ("1000000+floor(x)", "x=[1,2,3,3.5,2.5]", 5, ""),
    ("floor(1.5*floor(x))+y", "x=[1,2.5,3,3.5,4] y=[1,2,3,4,5]", 5, ""),
    ("x*y*z", "x=[1e-200,1,1e-300] y=[1e-200,1,1e-300] z=[1e90,1,1]", 3, ""),
    ("sqrt(x*x+y*y)+1/(1+exp(z))", "x=[2e-162,1,2] y=[3e-162,1,2] z=[800,1,1]", 3, ""),
    ("cos(x)+0.1*sin(x)", "x=0:20", 400, ""),
    ("sin(x)/x-cos(x)", "x=0.01:20", 400, ""),
    ("1-cos(x)", "x=0:6.2831853", 400, ""),
)
"""Formula, ranges, samples, and what else is asked: "s" a search, "t" one that is cut short, "f"
all findings.  A range may be a list of values, or ``tail:INDEX`` for `heavy`."""


def example(text: str, ranges: str, count: int) -> Draw:
    """One of `EXAMPLES`."""
    names = [part.partition("=")[0] for part in ranges.split()]
    formula = read(text, columns=tuple(names)).formula
    columns = {}
    for part in ranges.split():
        name, _, range_ = part.partition("=")
        if range_.startswith("["):
            columns[name] = np.array([float(x) for x in range_[1:-1].split(",")])
        elif range_.startswith("tail:"):
            columns[name] = heavy(count, float(range_[5:]))
        else:
            _, domain = Domain.parse(part)
            columns[name] = domain.draw(name, count, 1)
    count = max([count, *map(len, columns.values())]) if columns else count
    columns = {name: np.resize(column, count) for name, column in columns.items()}
    return Draw("example", formula, Samples.from_columns(columns, count=count, origin=ranges))


def heavy(count: int, index: float) -> np.ndarray:
    """Places beside 1 whose distance squared, inverted, has a tail of that index."""
    parts = (np.random.default_rng(3).permutation(count) + 0.5) / count
    return 1 + parts ** (0.5 / index)
