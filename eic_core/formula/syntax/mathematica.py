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
from eic_core.formula.syntax.names import LETTERS, Names, similar_function
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
    r"|(?P<number>(?P<digits>[0-9]++\.?+[0-9]*+|\.[0-9]++)(?P<precision>``?+[0-9]*+\.?+[0-9]*+)?+"
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
_LETTERS = {"ExponentialE": "e", "Pi": "pi", "FinalSigma": "sigma"}
_OPERATORS = {"Times": "*", "Cross": "*", "CenterDot": "*", "Divide": "/", "Minus": "-"}
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
_ELEMENTARY = "write it with elementary functions"
_NO_FUNCTIONS = {
    **dict.fromkeys(
        "Integrate NIntegrate Sum Product Limit Solve List Table Series Total Mean Plot".split(),
        _ELEMENTARY,
    ),
    **dict.fromkeys(
        ("D", "Dt", "Derivative"), "a derivative is not a formula of values: write it out"
    ),
    **dict.fromkeys(
        ("Module", "Block", "With"),
        "give its last expression alone, with the values of its names put in",
    ),
}
"""What to write for functions that have no value here."""
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
    return parse(_tokens(report, names, start, end), Wolfram(names, report))


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


def _tokens(report: Report, names: Names, start: int, end: int) -> list[TokenRow]:
    text = report.text
    tokens: list[TokenRow] = []
    place, holds_cases = start, False
    while place < end:
        match = _TOKENS.match(text, place, end)
        assert match is not None
        word, kind, span = match[0], match.lastgroup, match.span()
        place = span[1]
        if match["number"]:
            power = f"e{match['power']}" if match["power"] else ""
            if match["precision"]:
                report.note("the precision behind a back-tick is no part of a number", span)
            tokens.append((NUMBER, match["digits"] + power, *span, None))
        elif match["long"]:
            tokens.append(_letter(report, match["letter"], span))
        elif kind == "name":
            token = _name(report, names, word, span, end)
            tokens.append(token)
            place = token[3]
            holds_cases |= word == "Piecewise"
        elif kind == "slot":
            label = f"x{word[1:] or 1}"
            report.note(f"`{word}` is read as the variable `{label}`", span)
            report.index_base = 1
            tokens.append((NAME, label, *span, None))
        elif kind == "comment":
            place = text.find("*)", place, end) + 2
            if place < 2:
                report.fail("this comment is not closed", *span, "close it with `*)`")
        elif word in "{}" and holds_cases:  # braces around the cases say nothing else
            if text.count("{", start, end) != text.count("}", start, end):
                report.fail("unbalanced brace", *span, "close it, or remove it")
        elif word in _EXPLAINED:
            report.fail(_EXPLAINED[word][0], *span, _EXPLAINED[word][1])
        elif kind == "other":
            sign = _SIGNS.get(word, word)
            tokens.append((_KINDS.get(sign, BAD), sign, *span, None))
    tokens.append((END, "", end, end, None))
    return tokens


def _letter(report: Report, name: str, span: Span) -> TokenRow:
    """``\\[Alpha]``: a Greek letter, a constant or a sign."""
    if name in _OPERATORS:
        return (OPERATOR, _OPERATORS[name], *span, None)
    letter = name.removeprefix("Capital").removeprefix("Curly").lower()
    if name not in _LETTERS and letter not in LETTERS:
        report.fail(f"the character `\\[{name[:40]}]` is not read", *span, "write a name")
    letter = letter.capitalize() if name.startswith("Capital") else letter
    return (NAME, _LETTERS.get(name, letter), *span, None)


def _name(report: Report, names: Names, name: str, span: Span, end: int) -> TokenRow:
    """A name, or a function with the bracket that follows it."""
    text, start = report.text, span[0]
    is_function = name.lower() in FUNCTIONS or name.lower() in _OWN
    element = _ELEMENT.match(text, span[1], end)
    if element is not None and not is_function:
        return (NAME, f"{name}[{element[1]}]", start, element.end(), None)
    opened = _OPENED.match(text, span[1], end)
    if opened is not None or (
        text.startswith("(", span[1], end) and is_function and name[0].isupper() and len(name) > 1
    ):
        try:
            function = _OWN.get(name.lower()) or names.function(name)
        except Refusal as refusal:
            report.refuse(refusal, *span)
        if function is None:
            hint = _NO_FUNCTIONS.get(name) or _suggestion(similar_function(name)) or _ELEMENTARY
            report.fail(f"unknown function `{name[:40]}`", *span, hint)
        if name.lower() in _NOT_CARRIED_OUT:
            message = f"`{name}[…]` is not carried out: the formula is read as written"
            report.note(message, span)
        return (CALL, name, start, opened.end() if opened else span[1] + 1, function)
    if name in _VALUES and not names.is_column(name):
        message = f"`{name}` is {_VALUES[name]} in Mathematica"
        report.fail(message, *span, "write a number or another name")
    if name == "e" and not names.is_column("e"):
        report.note("`e` is read as Euler's number; Mathematica itself writes `E`", span)
    return (NAME, name, *span, None)


_SIGNS = {"−": "-", "×": "*", "·": "*", "===": "==", "!==": "!="}
_KINDS = {"(": OPEN, ")": CLOSE, "]": CLOSE, ",": COMMA} | dict.fromkeys("+-*/^", OPERATOR)
_EXPLAINED = {
    "[": ("a bracket without a function", "write `(`"),
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
