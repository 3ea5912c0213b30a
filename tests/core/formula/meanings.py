"""What the texts of small languages mean, in IEEE doubles: a table for each, by its documentation.

Julia, Excel and Mathematica are evaluated by these tables, since no test can run them. Excel's SINH
is known to lose its digits near 0, and nobody says that TANH, ASINH, ACOSH and ATANH keep theirs:
the first two have no value there, the others none at all. A difference in which 15 digits cancel is
0 in Excel where it is the last operation of a formula.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import special

Tree = tuple[Any, ...]


def _sec(x: Any) -> Any:
    return 1 / np.cos(x)


def _near_0_unknown(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: np.float64(np.nan) if abs(x) < 0.3 else function(x)


def _rem(x: Any, y: Any, rounding: Any = None) -> Any:
    return np.fmod(x, y) if rounding is None else np.float64(math.remainder(x, y))


def _surd(x: Any, n: Any) -> Any:
    size = abs(x) ** (1 / n)
    half = size ** ((n - 1) / 2)
    return np.copysign(size - (size - abs(x) / half / half) / n if x else size, x)


_PLAIN = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "exp": np.exp, "sqrt": np.sqrt, "abs": np.abs,
    "cosh": np.cosh, "sinh": np.sinh, "tanh": np.tanh, "sign": np.sign, "erf": special.erf,
    "erfc": special.erfc, "gamma": special.gamma, "cot": lambda x: 1 / np.tan(x),
    "csc": lambda x: 1 / np.sin(x), "sec": _sec, "floor": np.floor,
}  # fmt: skip

JULIA_FUNCTIONS = _PLAIN | {
    "asin": np.arcsin, "acos": np.arccos, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "log1p": np.log1p, "expm1": np.expm1, "hypot": np.hypot,
    "cbrt": np.cbrt, "log2": np.log2, "log10": np.log10, "ceil": np.ceil, "round": np.rint,
    "atan": lambda *a: np.arctan(*a) if len(a) == 1 else np.arctan2(*a),
    "log": lambda *a: np.log(a[-1]) / (np.log(a[0]) if len(a) == 2 else 1),
    "min": min, "max": max, "mod": np.mod, "rem": _rem,
    "logabsgamma": special.gammaln, "logbeta": special.betaln, "erfcx": special.erfcx,
    "first": lambda x: x, "isodd": lambda n: n % 2 == 1,
    "fma": lambda x, y, z: float(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))),
    "copysign": np.copysign, "ifelse": lambda c, a, b: a if c else b,
}  # fmt: skip

MATHEMATICA_FUNCTIONS = {name.capitalize(): function for name, function in _PLAIN.items()} | {
    "ArcSin": np.arcsin, "ArcCos": np.arccos, "ArcSinh": np.arcsinh, "ArcCosh": np.arccosh,
    "ArcTanh": np.arctanh, "ArcTan": lambda x, *y: np.arctan2(*y, x) if y else np.arctan(x),
    "Log": JULIA_FUNCTIONS["log"], "Log2": np.log2, "Log10": np.log10, "CubeRoot": np.cbrt,
    "Surd": _surd, "Ceiling": np.ceil, "Round": np.rint, "Min": min, "Max": max,
    "Mod": np.mod, "Re": np.real,
    "LogGamma": lambda x: complex(special.gammaln(x), 0 if x > 0 else math.pi),
    "Not": lambda x: not x, "Rational": lambda x, y: x / y,
}  # fmt: skip

EXCEL_FUNCTIONS = {
    name.upper(): function
    for name, function in _PLAIN.items()
    if name not in ("sinh", "tanh", "floor")
} | {
    "SINH": _near_0_unknown(np.sinh), "TANH": _near_0_unknown(np.tanh),
    "ASIN": np.arcsin, "ACOS": np.arccos, "ATAN": np.arctan, "LN": np.log, "LOG10": np.log10,
    "LOG": lambda x, base: np.log(x) / np.log(base), "INT": np.floor, "MIN": min,
    "MAX": max, "MOD": np.mod, "ATAN2": lambda x, y: np.arctan2(y, x),
    "GAMMALN": lambda x: special.gammaln(x) if x > 0 else np.float64(np.nan),
    "PI": lambda: np.float64(math.pi), "AND": lambda *a: all(a), "OR": lambda *a: any(a),
    "NOT": lambda x: not x,
}  # fmt: skip

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y,
    "/": lambda x, y: x / y, "^": lambda x, y: np.power(x, y),
    "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y, "==": lambda x, y: x == y, "=": lambda x, y: x == y,
    "!=": lambda x, y: x != y, "<>": lambda x, y: x != y, "&&": lambda x, y: x and y,
    "&": lambda x, y: x and y, "||": lambda x, y: x or y, "|": lambda x, y: x or y,
}  # fmt: skip


@dataclass(frozen=True)
class Meaning:
    functions: Mapping[str, Callable[..., Any]]
    binds: Mapping[str, int]  # How tightly signs bind, the larger the tighter
    negative: int = 6  # How tightly a sign before an operand binds
    brackets: str = "()"
    choice: str = ""  # The function that evaluates one of two branches
    constants: Mapping[str, float] = field(default_factory=lambda: {"pi": math.pi})
    definition: str = r"(\w+)\((.*?)\) = (.*)"  # A helper: its name, parameters and value
    snaps: bool = False  # Whether a last difference in which 15 digits cancel is 0


_SUMS = {"+": 4, "-": 4, "*": 5, "/": 5, "^": 7}
_RELATIONS = dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "=", "<>"), 3)

JULIA = Meaning(
    JULIA_FUNCTIONS,
    # `&` and `|` bind like products and sums
    _SUMS | _RELATIONS | {"&": 5, "|": 4, "&&": 2, "||": 1},
)
MATHEMATICA = Meaning(
    MATHEMATICA_FUNCTIONS,
    _SUMS | _RELATIONS | {"&&": 2, "||": 1},
    brackets="[]",
    choice="If",
    constants={"Pi": math.pi, "E": math.e},
    definition=r"(\w+)\[(.*?)\] := (.*)",
)
EXCEL = Meaning(EXCEL_FUNCTIONS, _SUMS | _RELATIONS, negative=8, choice="IF", snaps=True)

_TOKEN = re.compile(
    r"\s*([0-9]+\.?[0-9]*(?:(?:[eE]|\*\^)-?[0-9]+)?|\w+|&&|\|\||[<>=!]=|<>|[^\s\w])"
)


class _Parser:
    def __init__(self, text: str, meaning: Meaning) -> None:
        self.tokens = _TOKEN.findall(text)
        self.meaning = meaning
        self.place = 0

    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.next()
        assert token and (not expected or token == expected), (token, expected)
        self.place += 1
        return token

    def whole(self) -> Tree:
        tree = self.choice()
        assert not self.next(), self.tokens[self.place :]
        return tree

    def choice(self) -> Tree:
        condition = self.sides(0)
        if self.next() != "?":
            return condition
        self.take()
        first = self.choice()
        self.take(":")
        return ("?", condition, first, self.choice())

    def sides(self, least: int) -> Tree:
        left = self.operand()
        while (binds := self.meaning.binds.get(self.next(), -1)) >= least:
            sign = self.take()
            # powers associate to the right in Julia and Mathematica, to the left in Excel
            to_right = sign == "^" and self.meaning.negative < binds
            left = (sign, left, self.sides(binds if to_right else binds + 1))
        return left

    def operand(self) -> Tree:
        token = self.take()
        opened, closed = self.meaning.brackets
        if token in "-!":
            return (token + "1", self.sides(self.meaning.negative))
        if token == "(":
            inner = self.choice()
            self.take(")")
            return ("()", inner)
        if token[0].isdigit():
            return ("number", np.float64(token.replace("*^", "e")))
        if self.next() != opened:
            return ("name", token)
        self.take()
        arguments = []
        while self.next() != closed:
            arguments.append(self.choice())
            if self.next() == ",":
                self.take()
        self.take(closed)
        return ("call", token, *arguments)


class Interpreter:
    """Values of a text of a language, with the helpers that stand before it."""

    def __init__(self, meaning: Meaning, text: str, helpers: tuple[str, ...]) -> None:
        self.meaning = meaning
        self.tree = _Parser(text.removeprefix("=").removeprefix("@. "), meaning).whole()
        self.defined: dict[str, tuple[list[str], Tree]] = {}
        for line in "\n".join(helpers).splitlines():
            if match := re.fullmatch(meaning.definition, line):
                parameters = [name.strip().rstrip("_") for name in match[2].split(",")]
                self.defined[match[1]] = parameters, _Parser(match[3], meaning).whole()
            else:
                assert line.startswith("using "), line

    def value(self, **variables: float) -> float:
        names = {name: np.float64(value) for name, value in variables.items()}
        with np.errstate(all="ignore"):
            value = self.evaluate(self.tree, names)
            if self.meaning.snaps and self.tree[0] in "+-":
                sides = [self.evaluate(side, names) for side in self.tree[1:]]
                if abs(value) < 1e-15 * max(map(abs, sides)):
                    value = 0.0
        return float(value)

    def evaluate(self, tree: Tree, names: Mapping[str, Any]) -> Any:
        head, *rest = tree
        if head == "number":
            return rest[0]
        if head == "name":
            if rest[0] in names:
                return names[rest[0]]
            known = self.meaning.constants.get(rest[0])
            return rest[0] if known is None else np.float64(known)
        if head == "()":
            return self.evaluate(rest[0], names)
        if head == "call" and rest[0] == self.meaning.choice:
            head, rest = "?", rest[1:]
        if head == "?":
            return self.evaluate(rest[1 if self.evaluate(rest[0], names) else 2], names)
        if head == "call":
            arguments = [self.evaluate(argument, names) for argument in rest[1:]]
            if rest[0] in self.defined:
                parameters, body = self.defined[rest[0]]
                return self.evaluate(body, dict(zip(parameters, arguments, strict=True)))
            return self.meaning.functions[rest[0]](*arguments)
        values = [self.evaluate(side, names) for side in rest]
        if len(values) == 1:
            return -values[0] if head == "-1" else not values[0]
        return BINARY[head](*values)
