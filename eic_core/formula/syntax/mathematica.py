"""Reads Mathematica: ``Sin[x]^2/(1 + Exp[-x])``, ``Plus[1, Power[x, 2]]``, ``1.5*^-3 x``."""

from __future__ import annotations

import re

from eic_core.formula.syntax.build import (
    FUNCTIONS,
    MANY,
    Function,
    Span,
    literal,
    logarithm,
    plain,
    root,
)
from eic_core.formula.syntax.conditions import EVERY, NEGATION, SOME, cases, choice
from eic_core.formula.syntax.grammar import Grammar, parse
from eic_core.formula.syntax.names import Names, similar_function
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.tokens import (
    BAD,
    CALL,
    CLOSE,
    COMMA,
    END,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    TokenRow,
)
from eic_core.formula.tree import CONSTANT, Draft, constant

_TOKENS = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<comment>\(\*)"
    r"|(?P<number>(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?P<precision>``?+[0-9]*+\.?+[0-9]*+)?+"
    r"(?:\*\^(?P<power>[+-]?[0-9]++))?+)"
    r"|(?P<long>\\\[(?P<letter>[A-Za-z]++)\])"
    r"|(?P<name>[^\W\d_][^\W_]*+(?:\$[^\W_]++)*+)"
    r"|(?P<slot>\#[0-9]{0,4}+)"
    r"|(?P<other>\^\^|->|:=|[=!]==?|[<>]=?|&&|\|\||//|/@|@@?|&|\S)"
)
_HEAD = re.compile(
    r"\s*+(?:(?:In|Out)\[[0-9]++\](?://\w++)?+\s*+:?=\s*+)?+"
    r"(?:\{\s*+)?+(?:[^\W\d_][\w$]*+(?:\[[^\[\]=]*+\])?+\s*+(?::?=(?!=)|->)\s*+)?+"
)
_ELEMENT = re.compile(r"\[\[?+([0-9]{1,9})\]\]?+")
_OPENED = re.compile(r"\s*+\[")
_FUNCTION = re.compile(r"\s*+Function\[\s*+(?:\w++|\{[^{}]*+\})\s*+,")
_POSTFIX = re.compile(r"//\s*+([A-Za-z]++)\s*+\Z")
_LETTERS = {
    "ExponentialE": "e",
    "Pi": "pi",
    "CurlyEpsilon": "epsilon",
    "CurlyTheta": "theta",
    "CurlyPhi": "phi",
    "CurlyRho": "rho",
    "FinalSigma": "sigma",
    "CurlyKappa": "kappa",
}
_OPERATORS = {"Times": "*", "Cross": "*", "CenterDot": "*", "Divide": "/", "Minus": "-"}
_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron rho sigma tau"
    " upsilon phi chi psi omega".split()
)
_VALUES = {
    "I": "the imaginary unit",
    "GoldenRatio": "a constant without a name here",
    "EulerGamma": "a constant without a name here",
    "Catalan": "a constant without a name here",
    "Degree": "π/180",
    "Infinity": "no real number",
    "ComplexInfinity": "no real number",
    "Indeterminate": "no real number",
}
_NO_FUNCTIONS = frozenset(
    (
        "Integrate NIntegrate Sum Product D Limit Solve List Table Derivative Series Module Block"
        " With Total Mean Plot"
    ).split()
)
_DERIVATIVES = frozenset(("D", "Dt", "Derivative"))
_SCOPES = frozenset(("Module", "Block", "With"))
_SHOWN = frozenset(
    "FullForm InputForm OutputForm StandardForm TraditionalForm TeXForm CForm N".split()
)


def _arc_tangent(args: list[Draft], span: Span) -> Draft:
    """``ArcTan[x]``, and ``ArcTan[x, y]`` as atan2(y, x)."""
    return plain("atan", args, span) if len(args) == 1 else plain("atan2", args[::-1], span)


def _rational(args: list[Draft], span: Span) -> Draft:
    """``Rational[1, 3]`` as one constant."""
    over, under = literal(args[0]), literal(args[1])
    whole = over is not None and under is not None and over.denominator == under.denominator == 1
    if not whole or not under or args[0].operator != CONSTANT:
        raise Refusal("`Rational` holds two whole numbers", "as in `Rational[1, 3]`")
    return constant(f"{args[0].label}/{args[1].label}", span)


def _piecewise(args: list[Draft], span: Span) -> Draft:
    """Values and conditions in turn; 0 where none holds, if no last value says otherwise."""
    return cases(args if len(args) % 2 else [*args, constant("0", span)], span)


def _which(args: list[Draft], span: Span) -> Draft:
    """Conditions and values in turn."""
    if len(args) % 2:
        raise Refusal("`Which` holds pairs", "as in `Which[x > 0, a, True, b]`")
    pairs = [part for i in range(0, len(args), 2) for part in (args[i + 1], args[i])]
    return cases(pairs, span)


def _itself(args: list[Draft], span: Span) -> Draft:
    return args[0]


_NOT_CARRIED_OUT = ("simplify", "fullsimplify", "expand", "factor", "together", "apart")
_OWN = {
    "log": Function("Log", 1, 2, logarithm),
    "arctan": Function("ArcTan", 1, 2, _arc_tangent),
    "rational": Function("Rational", 2, 2, _rational),
    "surd": Function("Surd", 2, 2, root),
    "cuberoot": FUNCTIONS["cbrt"],
    "realabs": FUNCTIONS["abs"],
    "logisticsigmoid": FUNCTIONS["sigmoid"],
    "ramp": FUNCTIONS["relu"],
    "setprecision": Function("SetPrecision", 2, 2, _itself),
    "n": Function("N", 1, 2, _itself),
    "if": Function("If", 3, 3, choice),
    "piecewise": Function("Piecewise", 2, MANY, _piecewise),
    "which": Function("Which", 2, MANY, _which),
    "and": EVERY,
    "or": SOME,
    "not": NEGATION,
} | {
    name: Function(name, 1, 1, _itself)
    for name in ("holdform", "hold", "inputform", "fullform", *_NOT_CARRIED_OUT)
}
"""Functions whose arguments stand in another order, or that are known by other names."""


def _suggestion(near: str) -> str:
    return f"did you mean `{near[:1].upper()}{near[1:]}`?" if near else ""


class Wolfram(Grammar):
    """Operands side by side are factors, as tightly as with ``*``."""

    def side_by_side(self, tokens: list[TokenRow], index: int, pending: list) -> int:  # type: ignore[type-arg]
        return 20

    def factor(self, token: TokenRow) -> None:
        name, start = token[1], token[2]
        near = similar_function(name)
        self.report.fail(
            f"unknown function `{name}`",
            start,
            start + len(name),
            _suggestion(near) or f"for a product write `{name}*(…)`",
        )


def read_mathematica(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of ``report.text[start:end]``. Raises `FormulaError` if it is no formula."""
    start, end = _without_head(report, start, end)
    return parse(_Scanner(report, names, start, end).scan(), Wolfram(names, report))


def _without_head(report: Report, start: int, end: int) -> tuple[int, int]:
    """The place of the expression, without what it is called and how it is to be shown."""
    text = report.text
    while end > start and (text[end - 1].isspace() or text[end - 1] == ";"):
        end -= 1
    head = _HEAD.match(text, start, end)
    if head is not None and head.end() > start and text[start : head.end()].strip():
        begun = text[start : head.end()]
        if "{" in begun:
            if not begun.rstrip().endswith("->") or not text.endswith("}", start, end):
                report.fail("a list is not read", start, end, "give a single expression")
            end -= 1
        if "=" in begun or "->" in begun:
            report.note(
                f"only the right-hand side of `{' '.join(begun.split())[:40]}` is read",
                (start, head.end()),
            )
        start = head.end()
    wrapped = _FUNCTION.match(text, start, end)
    if wrapped is not None and text.endswith("]", start, end):
        start, end = wrapped.end(), end - 1
    place = text.rfind("//", start, end)
    postfix = _POSTFIX.match(text, place, end) if place >= 0 else None
    if postfix is not None and postfix[1].lower() not in FUNCTIONS:
        if postfix[1] not in _SHOWN:
            report.note(
                f"`// {postfix[1]}` is not carried out: the formula is read as written",
                (place, end),
            )
        end = place
    while end > start and (text[end - 1].isspace() or text[end - 1] in "&;"):
        end -= 1
    return start, end


class _Scanner:
    def __init__(self, report: Report, names: Names, start: int, end: int) -> None:
        self.report = report
        self.names = names
        self.end = end
        self.place = start
        self.tokens: list[TokenRow] = []
        self.open: list[tuple[str, int]] = []

    def scan(self) -> list[TokenRow]:
        text = self.report.text
        while self.place < self.end:
            match = _TOKENS.match(text, self.place, self.end)
            assert match is not None
            self.place = match.end()
            kind, span = match.lastgroup or "", match.span()
            if match["number"]:
                self.number(match, span)
            elif match["long"]:
                self.letter(match["letter"], span)
            elif kind == "name":
                self.name(match[0], span)
            elif kind == "slot":
                label = f"x{match[0][1:] or 1}"
                self.report.note(f"`{match[0]}` is read as the variable `{label}`", span)
                self.report.index_base = 1
                self.tokens.append((NAME, label, *span, None))
            elif kind == "comment":
                self.comment(span)
            elif kind == "other":
                self.mark(match[0], span)
        if self.open:
            bracket, place = self.open[-1]
            closers = "".join(_CLOSERS[mark] for mark, _ in reversed(self.open))
            few = len(closers) <= 20
            self.report.fail_unbalanced(
                "bracket",
                place,
                place + 1,
                f"close this `{bracket}`",
                text.rstrip() + closers if few and self.end == len(text.rstrip()) else None,
            )
        self.tokens.append((END, "", self.end, self.end, None))
        return self.tokens

    def number(self, match: re.Match[str], span: Span) -> None:
        digits = re.match(r"[0-9.]++", match[0])
        assert digits is not None
        text = digits[0] + (f"e{match['power']}" if match["power"] else "")
        if match["precision"]:
            self.report.note("the precision behind a back-tick is no part of a number", span)
        self.tokens.append((NUMBER, text, *span, None))

    def letter(self, name: str, span: Span) -> None:
        """``\\[Alpha]``: a Greek letter, a constant or a sign."""
        lower = name.removeprefix("Capital").removeprefix("Curly").lower()
        if name in _OPERATORS:
            self.tokens.append((OPERATOR, _OPERATORS[name], *span, None))
        elif name in _LETTERS:
            self.tokens.append((NAME, _LETTERS[name], *span, None))
        elif lower in _GREEK:
            capital = name.startswith("Capital")
            self.tokens.append((NAME, lower.capitalize() if capital else lower, *span, None))
        else:
            self.report.fail(f"the character `\\[{name[:40]}]` is not read", *span, "write a name")

    def name(self, name: str, span: Span) -> None:
        """A name, or a function with the bracket that follows it."""
        text, start = self.report.text, span[0]
        element = _ELEMENT.match(text, self.place, self.end)
        if element is not None and not self.known(name):
            self.place = element.end()
            self.tokens.append((NAME, f"{name}[{element[1]}]", start, self.place, None))
            return
        opened = _OPENED.match(text, self.place, self.end)
        if opened is not None:
            self.place = opened.end() - 1
        bracket = text[self.place] if self.place < self.end else ""
        if bracket == "[" or (
            bracket == "(" and self.known(name) and name[0].isupper() and len(name) > 1
        ):
            function = _OWN.get(name.lower()) or self.function(name, span)
            if function is None:
                near = "" if name in _NO_FUNCTIONS else similar_function(name)
                alone = "give its last expression alone, with the values of its names put in"
                self.report.fail(
                    f"unknown function `{name[:40]}`",
                    *span,
                    alone
                    if name in _SCOPES
                    else "a derivative is not a formula of values: write it out"
                    if name in _DERIVATIVES
                    else _suggestion(near) or "write it with elementary functions",
                )
            if name.lower() in _NOT_CARRIED_OUT:
                told = f"`{name}[…]` is not carried out: the formula is read as written"
                self.report.note(told, span)
            self.open.append((bracket, self.place))
            self.place += 1
            self.tokens.append((CALL, name, start, self.place, function))
            return
        if name in _VALUES and not self.names.is_column(name):
            self.report.fail(
                f"`{name}` is {_VALUES[name]} in Mathematica",
                *span,
                "write a number or another name",
            )
        if name == "e" and not self.names.is_column("e"):
            self.report.note("`e` is read as Euler's number; Mathematica itself writes `E`", span)
        self.tokens.append((NAME, name, *span, None))

    def known(self, name: str) -> bool:
        return name.lower() in FUNCTIONS or name.lower() in _OWN

    def function(self, name: str, span: Span) -> Function | None:
        try:
            return self.names.function(name)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)

    def comment(self, span: Span) -> None:
        closing = self.report.text.find("*)", span[1], self.end)
        if closing < 0:
            self.report.fail("this comment is not closed", *span, "close it with `*)`")
        self.place = closing + 2

    def in_piecewise(self) -> bool:
        """Whether the innermost bracket is that of ``Piecewise[`` or a brace in it."""
        if not self.open:
            return False
        bracket, place = self.open[-1]
        return bracket == "{" or self.report.text.endswith("Piecewise", 0, place)

    def brace(self, text: str, span: Span) -> None:
        """A brace around the cases of ``Piecewise[{{a, c}, …}, d]``, which says nothing else."""
        if text == "{":
            self.open.append((text, span[0]))
        elif self.open[-1][0] == "{":
            self.open.pop()
        else:
            self.report.fail("unbalanced brace", *span, "remove it or open it before")

    def mark(self, text: str, span: Span) -> None:
        """A bracket, an operator, or a mark that no formula holds."""
        if text in "{}" and self.in_piecewise():
            self.brace(text, span)
        elif text in "([":
            if text == "[":
                self.report.fail("a bracket without a function", *span, "write `(`")
            self.open.append((text, span[0]))
            self.tokens.append((OPEN, "(", *span, None))
        elif text in ")]":
            if not self.open:
                self.report.fail_unbalanced(
                    "bracket",
                    *span,
                    "remove it or open it before",
                )
            bracket, place = self.open.pop()
            if (bracket == "[") != (text == "]") or bracket == "{":
                self.report.fail(
                    f"`{bracket}` at column {place + 1} is closed by `{text}`",
                    *span,
                    f"write `{_CLOSERS[bracket]}`",
                )
            self.tokens.append((CLOSE, ")", *span, None))
        elif text in "+-*/^−×·":
            self.tokens.append(
                (OPERATOR, {"−": "-", "×": "*", "·": "*"}.get(text, text), *span, None)
            )
        elif text == ",":
            self.tokens.append((COMMA, ",", *span, None))
        elif text in _SIGNS_OF_CONDITIONS:
            self.tokens.append((BAD, text[:2], *span, None))
        elif text in _EXPLAINED:
            self.report.fail(*_EXPLAINED[text][:1], *span, _EXPLAINED[text][1])
        else:
            self.tokens.append((BAD, text, *span, None))


_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_SIGNS_OF_CONDITIONS = frozenset("< > <= >= == === != && || ! ≤ ≥ ≠ ∧ ∨ ¬".split())
_EXPLAINED = {
    "_": ("`_` marks a pattern in Mathematica", "write `x1` for `x_1`"),
    "{": ("a list is not read", "give a single expression"),
    "}": ("a list is not read", "give a single expression"),
    "@": ("`f@x` is not read", "write `Sin[x]`"),
    "@@": ("`f@@x` is not read", "write `Plus[a, b]`"),
    "/@": ("a list is not read", "give a single expression"),
    "//": ("`x // f` is not read", "write `Sin[x]`"),
    "->": ("a rule is not read", "give only its right-hand side"),
    ":=": ("this is a definition", "give only its right-hand side"),
    "=": ("this is an assignment", "give only its right-hand side"),
    "^^": ("a number to another base is not read", "write it as a decimal"),
    "&": ("a function within a formula is not read", "write its value"),
}
