"""What goes into the golden files: tables, a pool, commands and page links."""

from __future__ import annotations

import math
import random
from typing import Any, NamedTuple

from eic_core.measure import Domain
from pages.ui.compare.desk import CompareState
from pages.ui.kit.visit import PageState

Table = list[list[object]]

PROBLEMS = ("pendulum", "braking", "tea")


def tables() -> dict[str, str]:
    """Three laws with a little noise, as CSV text by problem; the last column is the target.

    Exact zeros occur among the inputs, and braking has two of them.
    """
    rng = random.Random(20)
    pendulum: Table = [["length", "period"]]
    for i in range(36):
        length = round(0.08 * (i + 1) + rng.uniform(0, 0.04), 3)
        period = 2 * math.pi * math.sqrt(length / 9.81) * (1 + rng.gauss(0, 0.004))
        pendulum.append([length, round(period, 4)])
    braking: Table = [["speed", "slope", "distance"]]
    for slope in (-0.08, -0.03, 0.0, 0.05, 0.1):
        for speed in (0, 4, 8, 13, 18, 24, 31):
            distance = speed**2 / (2 * 9.81 * (0.7 + slope)) * (1 + rng.gauss(0, 0.01))
            braking.append([speed, slope, round(distance, 3)])
    tea: Table = [["minutes", "warmth"]]
    for minutes in range(0, 62, 2):
        warmth = 21 + 66 * math.exp(-minutes / 17.5) + rng.gauss(0, 0.15)
        tea.append([minutes, round(warmth, 2)])
    return {"pendulum": _csv(pendulum), "braking": _csv(braking), "tea": _csv(tea)}


def _csv(rows: Table) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


ODD = """\
x,y,n,big,target
0,0,0,1,0
0,1.5,1,-700,2
1,0,2,800,1
1,-1,3,1e200,0
-1,1,-2,1e-200,1
2.5,2.5,1,-1e-320,6.25
-2.5,2.5,0.5,3e154,6.25
0.1,0.3,3,2,0.03
0.1000000000000000055511151231257827,0.3,3,2,0.03
3,,2,1,9
4,-7,abc,1,16
0.7,0.7,0.5,0.5,0.49
-0.5,-0.5,2,12,0.25
"""
"""A table as users bring it: exact zeros, whole numbers, ties, a long decimal, numbers at the ends
of double range, an empty cell and a word."""

_POOL = r"""
pendulum|genetic||2.006*sqrt(length)
pendulum|genetic||sqrt(4.024*length)
pendulum|genetic||2.006*length/sqrt(length)
pendulum|genetic||0.0121 + 1.998*sqrt(length)
pendulum|genetic||302.005*sqrt(length) - 300*sqrt(length)
pendulum|genetic||900.512 + 2.0052*sqrt(length) - 900.51
pendulum|genetic||2.1*log(1 + length) + 0.5
pendulum|genetic||0.7 + 0.97*length
pendulum|genetic||sqrt(length - 0.5)*2.3
pendulum|genetic||asin(length)
pendulum|genetic||2.006*sqrt(length
pendulum|genetic||2.006*lg(length)
pendulum|genetic||2.006*sqrt(width)
pendulum|genetic||sqrt(length*(2904.024 - 2900))
pendulum|mill|operon|2.0031 * sqrt(X1)
pendulum|mill|operon|(0.008 + (2.001 * sqrt(X1)))
pendulum|mill|operon|((-4200.25) + (4200.262 + (1.9987 * sqrt(X1))))
pendulum|mill|operon|exp(((-6999.304) + (7000.0 + (0.499 * log(X1)))))
pendulum|mill|operon|exp((0.696 + (0.5004 * log(X1))))
pendulum|mill|operon|((2.41 * X1) / (0.402 + (0.87 * X1)))
pendulum|print|latex|2.0062\sqrt{length}
pendulum|print|latex|\frac{2.016\,length}{\sqrt{length}}
pendulum|print|fpcore|(FPCore (length) (* 2 (* PI (sqrt (/ length 9.81)))))
braking|genetic||speed**2/(13.734 + 19.62*slope)
braking|genetic||0.0728*speed**2
braking|genetic||speed*speed*(0.0729 - 0.1041*slope)
braking|genetic||speed**2*(40.0728 - 40)
braking|genetic||speed**2/(5013.734 - 5000 + 19.62*slope)
braking|genetic||speed*speed*(90.0729 - 0.1041*slope - 90)
braking|genetic||(speed**2 + 90000.5 - 90000.5)*0.0728
braking|genetic||exp(2*log(speed))*0.0728
braking|genetic||log(slope)*speed
braking|genetic||floor(speed)*speed*0.0728
braking|genetic||max(speed, 2)*speed*0.0728
braking|genetic||hypot(speed, slope)**2*0.0729
braking|genetic||atan2(speed, slope)*20
braking|genetic||abs(slope) + 0.0727*speed**2
braking|genetic||2.1*speed - 9
braking|mill|operon|(0.0727 * (X1 * X1))
braking|mill|operon|((X1 * X1) / (13.9 + (19.1 * X2)))
braking|mill|operon|((X1 * X1) / (700.2 - (686.3 - (19.1 * X2))))
braking|mill|operon|((X1 * X1) * (3300.0727 - 3300.0))
braking|mill|operon|((0.0731 * (X1 * X1)) + (0.0012 * X1))
braking|stack|pysr|square(x0) * 0.07275
braking|stack|pysr|square(x0 * (x1 - (x1 - 0.27)))
braking|stack|pysr|square(x0 * (0.2699 - (x1 * 0.19)))
tea|genetic||21 + 66*exp(-minutes/17.5)
tea|genetic||21.1 + 65.9*exp(-0.0573*minutes)
tea|genetic||10021 - (10000 - 66*exp(-minutes/17.5))
tea|genetic||21 + 66*exp(900 - minutes/17.5 - 900)
tea|genetic||log(exp(85.5 - minutes)) + 1.5
tea|genetic||87 - 2.9*minutes + 0.031*minutes**2
tea|genetic||87 - 502.9*minutes + 500*minutes + 0.031*minutes**2
tea|genetic||20.9 + 0.1 + 66*2.718**(-minutes/17.5) + 0
tea|genetic||66/(1 + minutes/9) + 14
tea|genetic||21 + 66*exp(-minutes**2/minutes/17.5)
tea|genetic||log(minutes)*-16 + 90
tea|genetic||21 + 66*exp(-minutes*minutes)
tea|genetic||exp(exp(minutes)) + 21
tea|stack|pysr|(exp(x0 * -0.0572) * 65.8) + 21.15
tea|stack|pysr|(exp(x0 * -0.0571) * 65.7) + (4021.15 - 4000.0)
tea|stack|pysr|(inv(exp(x0 * 0.0571)) * 65.9) + 21.05
tea|stack|pysr|(exp(x0 * (300.0 - 300.0569)) * 65.9) + 21.05
tea|stack|pysr|(exp(x0 * -0.0577) * 65.6) + 21.2
tea|stack|pysr|(exp(x0 * (800.0 - 800.0575)) * 65.7) + 21.2
tea|stack|pysr|cos(x0 * 0.02) * 80.0
tea|stack|pysr|sin(sin(x0 - x0) + 1.5) * 40.0
marble|genetic||x0 + 1
"""


def pool() -> str:
    """Four invented methods' formulas, with a column that scoring does not know."""
    rows: Table = [["problem", "method", "syntax", "formula", "run"]]
    for number, line in enumerate(_POOL.strip().splitlines()):
        problem, method, syntax, formula = line.split("|")
        rows.append([problem, method, syntax, f'"{formula}"', f"run {number % 5}"])
    return _csv(rows)


class Command(NamedTuple):
    """An inspection: its name in the folder, the formula, and the options."""

    name: str
    formula: str
    options: str

    @property
    def arguments(self) -> list[str]:
        """What follows ``python -m eic_core``."""
        return ["inspect", self.formula, *self.options.split(), "--json"]


COMMANDS = (
    Command(
        "polynomial",
        "2.5*x**3 + 3.1*x*y + 0.5*y**2 + 1.25",
        "--range x=0.5:4 y=1:2 --samples 400 --seed 3",
    ),
    Command("difference", "10000*x - 9999*x", "--range x=0.1:10 --samples 1000 --seed 0"),
    Command(
        "zeros",
        "x*y + sin(x)*n - sqrt(abs(y)) + 0/(x - 7) + n**2",
        "--data tests/golden/inspect/odd.csv --samples 1000 --seed 0",
    ),
    Command(
        "invalid-rows",
        "log(x)*sqrt(y - 1) + asin(z)/acosh(y)",
        "--range x=-1:3 y=0:4 z=-1.5:1.5 --samples 400 --seed 5",
    ),
    Command("no-valid-row", "log(-exp(x)) + acos(2)", "--range x=1:2 --samples 50 --seed 0"),
    Command(
        "singular",
        "(x - x)/y + log(z)",
        "--range x=1:2 y=normal:0:1 z=1 --samples 200 --seed 1",
    ),
    Command("overflow", "log(exp(x))", "--range x=normal:1000:1 --samples 1100 --seed 2"),
    Command(
        "underflow",
        "log(1e-200*exp(-x)/y**2)",
        "--range x=loguniform:1:1e3 y=loguniform:1e-160:1e160 --samples 80 --seed 4",
    ),
    Command(
        "ends-of-range",
        "sqrt(big**2 + n**2) - abs(big) + log(exp(big/1e3) + 1)",
        "--data tests/golden/inspect/odd.csv --samples 1000 --seed 0",
    ),
    Command(
        "lost-below-double",
        "(x + 1)**0.5 - sqrt(x)",
        "--range x=loguniform:1:1e15 --samples 300 --seed 6",
    ),
    Command(
        "steps",
        "max(x, y, 1) - min(x, 2) + floor(x)*sign(y) - ceil(y)/round(3*x) + abs(x - y)",
        "--range x=-3:3 y=-2:2 --samples 400 --seed 7",
    ),
    Command(
        "steps-on-integers",
        "floor(n) + round(n) - sign(y)*abs(x) + max(x, y)",
        "--data tests/golden/inspect/odd.csv --samples 1000 --seed 0",
    ),
    Command(
        "angles",
        "atan2(y, x) + atan(y/x) - hypot(x, y)*sec(x)/csc(y) + cot(x)*-y",
        "--range x=-2:2 y=-2:2 --samples 400 --seed 8",
    ),
    Command(
        "powers",
        "x**2.37 + y**(1/3) - 2**n + cbrt(x)*root(y, 5) - x**-1.5 + e**n",
        "--range x=0.2:5 y=loguniform:1e-3:1e3 n=uniform:-4:4 --samples 400 --seed 9",
    ),
    Command(
        "logarithms",
        "log10(x)*log2(y) - log(x, 3)/log(y, x) + log1p(x - 1) - expm1(-y)",
        "--range x=0.5:20 y=1.5:9 --samples 400 --seed 10",
    ),
    Command(
        "latex",
        r"\frac{m v^2}{2} + \log\left(1 + e^{-x}\right) - \sqrt[3]{x^2 + 1}\,\sin^2 v",
        "--syntax latex --range m=0.1:5 v=normal:3:0.5 x=-4:4 --samples 400 --seed 11",
    ),
    Command(
        "fpcore",
        "(FPCore (x eps) :pre (< 0 x) (let* ((a (+ x eps)) (b (* 2 PI)))"
        " (- (tan (/ a b)) (/ (sin x) (cos x)))))",
        "--range x=0.1:1.5 eps=loguniform:1e-9:1e-2 --samples 400 --seed 12",
    ),
    Command(
        "pysr",
        "square(x0) * inv(cos(x1 - 0.55)) + cube(tanh(x0)) - log_abs(x1 + -2.5)",
        "--syntax pysr --range x0=0:3 x1=-2:2 --samples 400 --seed 13",
    ),
    Command(
        "table",
        "((X1 * X1) / (700.2 - (686.3 - (19.1 * X2))))",
        "--syntax operon --data tests/golden/problems/braking.csv --target distance"
        " --samples 1000 --seed 0",
    ),
    Command(
        "ranges",
        "a*exp(-b/(8.314*T)) + erf(T/400) - sinh(u)/cosh(u)*atanh(w) + asinh(c)",
        "--range a=loguniform:1e3:1e13 b=5e4 T=normal:320:15 u=-2:2 w=-0.99:0.99"
        " c=uniform:-5:5 --samples 400 --seed 14",
    ),
    Command(
        "correlated",
        "(x + y)*(x + y) - (x**2 + y**2) - 2*x*y + (x + y)/(y + x)",
        "--range x=1:2 y=3:4 --samples 120 --seed 15",
    ),
)


def page_links(table_digest: str) -> dict[str, PageState]:
    """States of the inspector and of Compare, by name.

    Parameters
    ----------
    table_digest : str
        Of ``problems/braking.csv``, as a link names an upload.
    """
    uniform, normal = Domain("uniform", 0.1, 10.0), Domain("normal", 1000.0, 1.0)
    small = Domain("loguniform", 1e-9, 0.01)
    table: dict[str, Any] = {
        "upload": table_digest,
        "upload_name": "braking.csv",
        "target": "distance",
    }
    return {
        "inspector, a formula with its range": PageState(
            "10000*x - 9999*x", domains=(("x", uniform),), samples=5000, seed=7
        ),
        "inspector, LaTeX with a node, a question and a tolerance": PageState(
            r"\frac{\sin(x + \epsilon) - \sin x}{\epsilon}",
            syntax="latex",
            domains=(("x", uniform), ("epsilon", small)),
            node=4,
            ask="digits",
            tolerance=1e-5,
        ),
        "inspector, a table that was uploaded": PageState(
            "((X1 * X1) / (700.2 - (686.3 - (19.1 * X2))))",
            syntax="operon",
            base=1,
            mapping=(("x1", "speed"), ("x2", "slope")),
            node=8,
            ask="rows",
            **table,
        ),
        "inspector, three kinds of ranges": PageState(
            "log(exp(x)) + k*y",
            ask="truth",
            samples=200,
            domains=(("x", normal), ("k", Domain("fixed", 2.5, 2.5)), ("y", small)),
        ),
        "inspector, characters that an address has to escape": PageState(
            "x₁⋅x₂ + a&b=1 % 2 # 50+50", domains=(("x1", uniform),), target="", ask="instead"
        ),
        "compare, two formulas on ranges": CompareState(
            "sqrt(x + 1) - sqrt(x)",
            domains=(("x", Domain("loguniform", 1.0, 1e8)),),
            seed=3,
            other=r"\frac{1}{\sqrt{x + 1} + \sqrt{x}}",
            other_syntax="latex",
        ),
        "compare, two formulas and a list on a table": CompareState(
            "speed**2*(40.0728 - 40)",
            other="square(x0) * 0.07275",
            other_syntax="pysr",
            other_base=0,
            list_base=1,
            **table,
        ),
    }


MISTAKEN_LINK = (
    "/?formula=x%2F%28x-1%29&range=x%3D5%3A1&range=y%3Dbanana&range=z%3D1%3A2&samples=99999999"
    "&seed=-4&node=two&ask=why&tolerance=7&data=..%2F..%2Fpasswd&file=passwd&nobody=knows"
)
"""Written by hand; whatever is wrong in a link is left out."""
