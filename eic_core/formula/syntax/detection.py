"""A guess in which notation a text is written. The patterns stand here and not in the readers,
which are loaded when their notation turns up.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.names import LETTERS
from eic_core.formula.syntax.tokens import DECIMAL
from eic_core.operators import OPERATORS

BEGINS_MATHML = re.compile(
    r"\s*+(?:<\?xml[^<>]{0,300}\?>\s*+)?+(?:<!--|<!DOCTYPE|<(?:\w{1,20}:)?"
    r"(?:math|apply|piecewise|mrow|semantics|mfrac|msup|msub|msqrt|mstyle|mi|mn|lambda)\b)"
)
_HEADS = (
    "Sin|Cos|Tan|Cot|Sec|Csc|ArcSin|ArcCos|ArcTan|Sinh|Cosh|Tanh|Coth|Sech|Csch|ArcSinh|ArcCosh"
    "|ArcTanh|Exp|Log|Log2|Log10|Sqrt|Power|Plus|Times|Divide|Subtract|Minus|Rational|Abs|RealAbs"
    "|Sign|Floor|Ceiling|Round|Max|Min|Surd|CubeRoot|Erf|Erfc|HoldForm|Hold|InputForm|FullForm"
    "|SetPrecision|Function|LogisticSigmoid|Ramp|Mod|Gamma|Piecewise|If|Which|Clip|UnitStep|Boole"
    "|Simplify|FullSimplify|Expand|Factor|Together|Apart|Plot"
    "|Sum|Integrate|List|Subscript|Module|Block|With|Table|Derivative|Total|Mean"
)
_MATHEMATICA = re.compile(
    rf"\b(?:{_HEADS})\s*+\[|\b[ND]\[(?![0-9]++\])|\*\^|[0-9]`|\\\[[A-Z][A-Za-z]++\]|\b(?:In|Out)\[[0-9]++\]|\w\[\w*_"
    r"|\bPower\(|\bSqrt\(.{0,200}\bPower\(|#[^#\n]{0,500}&\s*+\Z"
)
_SPREADSHEET = re.compile(
    r"(?<![\w.])\$?[A-Z]{1,3}\$?[1-9][0-9]{0,6}(?![\w(.])|(?<![\w.])[A-Z][A-Z0-9.]*+\(|\[@"
)
"""What makes a text that begins with ``=`` a spreadsheet's."""
_NO_SPREADSHEET = re.compile(r"==|.*(?:\*\*|\\|\b(?:np|math|numpy)\.)", re.DOTALL)
_LATEX = re.compile(r"\\[A-Za-z(\[{|,;!]|[_^]\s*+\{|[0-9]\{,\}[0-9]")
_FPCORE = re.compile(r"(?:\s|;[^\n]*+(?:\n|\Z))*+(?=\()")
_FUNCTION = (
    r"(?:sin|cos|tan|exp|log|sqrt|fabs|abs|neg|pow|cbrt|add|mul|sub|div|fma|hypot|(?=\w*sin)\w++)"
)
_SEXPR = re.compile(
    r"\s*+\(\s*+(?:FPCore\b|(?:lambda|define)\s*+\(|expt\s|if\s++[\w(]|[<>]=?\s|(?:while\*?|for\*?)\s++\(\s*+[<>=!]|let\*?\s*+[(\[]|!\s|[+*/]\s"
    r"|-\s++[^\s()+*/-]++\s++[^\s()+*/-]|-\s++[^\s()]++\s++\(\s*+[-+*/a-z]|-\s*+\(\s*+[-+*/]\s"
    rf"|{_FUNCTION}\s++(?:[\w.-]|\(\s*+(?:[-+*/]\s|{_FUNCTION}\s)))"
)
_BARE_CALL = re.compile(
    rf"\s*+\(\s*+{_FUNCTION}\s++[\w.]++(?:\s++[-+*/^]\s|\s*+\)\s*+[-+*/^]\s*+[\w(.])"
)
"""A function without parentheses before an operator: ``(sin x + 1)``, ``(sin x) + 1``."""
_CALL = re.compile(r"\s*+\(\s*+([a-z]\w*+)\s++-?(?:[\w.]|\(\s*+(?:[+*/]\s|[a-z]\w*+\s++[\w.(]))")
"""A word and an operand in brackets: an s-expression, if the word is an operator."""
_APPLIED = re.compile(
    r"\(\s*+(?P<head>[-+*/^]|\*\*|[A-Za-z]\w*+)(?=\s)|(?P<close>\))|(?P<operand>[-+]?[\w.]++)|\s++"
)
"""A bracket with what it applies, its end, or an operand of an s-expression."""
_SRTREE = ("Sqrt(", "Sin(", "Log(", "Exp(", "Abs(", "Cos(", "Tanh(")
_SRTREE_CALL = re.compile(r"(?<![\w.])(?:Sqrt|Sin|Log|Exp|Abs|Cos|Tanh)\(")
_GPLEARN = re.compile(r"\b(?:add|sub|mul|div|inv|neg)\(")
_DEAP = re.compile(r"\b(?:protectedDiv|v(?:add|sub|mul|neg))\(")
_GPLEARN_VARIABLE = re.compile(r"\bX[0-9]")
_SIGN = re.compile(r"[*/^=]|[+-](?![0-9.])|(?<![(,eE])(?<!, )[+-]")
_OPERON = re.compile(r"[0-9]\.[0-9]+\)? \* X[1-9]")


def _is_gplearn(body: str) -> bool:
    """Whether a text holds calls alone, of arithmetic too, on ``X0``, ``X1``, ...

    >>> _is_gplearn("div(X0, -0.5)"), _is_gplearn("log(X0)"), _is_gplearn("div(X0, 2) + 1")
    (True, False, False)
    """
    if not _GPLEARN_VARIABLE.search(body):
        return False
    return _GPLEARN.search(body) is not None and not _SIGN.search(body)


def _is_sexpr(body: str) -> bool:
    """Whether a text applies what it begins with, in the manner of Lisp."""
    comments = _FPCORE.match(body)
    if comments is None:
        return False
    body = body[comments.end() :]
    if body.startswith("(FPCore"):
        return True
    called = _CALL.match(body)
    if called is not None and called[1] in OPERATORS and called[1] not in LETTERS:
        return not _BARE_CALL.match(body)
    if _SEXPR.match(body):
        return not _BARE_CALL.match(body)
    return _is_applied_throughout(body)


def _is_applied_throughout(text: str) -> bool:
    """Whether each bracket of a text begins with what it applies to the operands behind it.

    >>> texts = ("(- (sqrt x) (sqrt y))", "(- (log (* 2 x)) 1)", "(- (x) (y))", "(- (sin x) + 1)")
    >>> [_is_applied_throughout(text) for text in texts]
    [True, True, False, False]
    """
    operands: list[int] = []
    place = 0
    while match := _APPLIED.match(text, place):
        place = match.end()
        if match["head"]:
            if match["head"].isalnum() and match["head"] not in FUNCTIONS:
                return False
            operands.append(0)
        elif not operands:
            return False
        elif match["close"]:
            if not operands.pop() or not operands:
                return place == len(text)
            operands[-1] += 1
        elif match["operand"]:
            operands[-1] += 1
    return False


_Test = Callable[[str], object]
_TELLS: tuple[tuple[str, tuple[str, ...], _Test], ...] = (
    ("mathml", ("<",), BEGINS_MATHML.match),
    ("mathematica", ("(*",), lambda body: body.startswith("(*") and "*)" in body),
    ("fpcore", ("(FPCore",), lambda body: body[0] in "(;" and _is_sexpr(body)),
    (
        "spreadsheet",
        ("=",),
        lambda body: (
            body[0] == "=" and not _NO_SPREADSHEET.match(body) and _SPREADSHEET.search(body)
        ),
    ),
    ("mathematica", ("[", "`", "*^", "&", "Power("), _MATHEMATICA.search),
    ("latex", ("$",), lambda body: body[0] == "$" or body[-1] == "$"),
    ("latex", ("\\", "{", "$"), _LATEX.search),
    ("fpcore", ("(",), _is_sexpr),
    ("tir", ("[:",), bool),
    ("pysr", ("sqrtabs(", "powabs("), bool),
    ("operon", (" * X",), lambda body: "X0" not in body and _OPERON.search(body)),
    ("gplearn", ("X",), _is_gplearn),
    ("deap", ("protectedDiv(", "vadd(", "vsub(", "vmul(", "vneg("), _DEAP.search),
    ("srtree", _SRTREE, _SRTREE_CALL.search),
)
"""A notation, marks of which one must be there, and what tells it; the first that fits is it."""


def detect(text: str, start: int, end: int) -> str:
    """The notation, a key of `LANGUAGES`, that a text looks written in; ``"infix"`` where nothing
    tells.

    >>> [detect(t, 0, len(t)) for t in (r"\\frac{x}{2}", "(+ x 1)", "x[:,0] + 1", "x + 1")]
    ['latex', 'fpcore', 'tir', 'infix']
    """
    body = text[start:end].strip()
    for name, marks, tells in _TELLS if body else ():
        if any(mark in body for mark in marks) and tells(body):
            return name
    return "infix"


_SYMBOLS = frozenset(("+", "-", "*", "/", "^", "**"))
POLISH = _SYMBOLS | frozenset([name for name, row in FUNCTIONS.items() if row.low > 1])
"""Operators and functions of two operands, which no sign stands before."""
_NO_POLISH = re.compile(r"[()\[\]{}|=]| of ")
_POLISH_NUMBER = re.compile(r"(?<!\S)[+-][\s,]++N[0-9]++[\s,]++E[+-]?[0-9]++(?!\S)")
_POLISH_WORD = re.compile(rf"[+-]?{DECIMAL}|[^\W\d][\w.]*+")
_SIGNED_PAIR = re.compile(r"(?P<sign>[+-])\s++(?P<one>[\w.]++)[ \t]++(?P<two>[^\W\d]\w*+)")


def polish_words(text: str, start: int, end: int) -> list[str]:
    """The words of a text that begins with an operator, as Polish notation does; else none.

    >>> polish_words("add,mul,x_0,2.0,x_1", 0, 19), polish_words("x + 1", 0, 5)
    (['add', 'mul', 'x_0', '2.0', 'x_1'], [])
    """
    if _NO_POLISH.search(text, start, end):
        return []
    words = [word.strip("'\"") for word in text[start:end].replace(",", " ").split()]
    if len(words) < 2 or words[0] in LETTERS:
        return []
    return words if words[0] in _SYMBOLS or words[0].lower() in FUNCTIONS else []


def is_polish(words: list[str], is_name: Callable[[str], bool]) -> bool:
    """Whether each operator among the words has its operands behind it, and none is left over.

    >>> texts = ("* + x 1 y", "- x y z", "- x + 2")
    >>> [is_polish(text.split(), lambda name: False) for text in texts]
    [True, False, False]
    """
    missing = 1
    for word in _POLISH_NUMBER.sub("0", " ".join(words)).split():
        function = FUNCTIONS.get(word.lower()) if not is_name(word) else None
        if not missing or not (word in _SYMBOLS or _POLISH_WORD.fullmatch(word)):
            return False
        missing += (2 if word in _SYMBOLS else function.low if function else 0) - 1
    return not missing


def signed_pair(text: str) -> str:
    """The text of ``- k x``, which people write before a product, in Polish notation; else "".

    >>> signed_pair("- k x"), signed_pair("- x 2"), signed_pair("+ N12 E3")
    ('k - x', '', '')
    """
    match = _SIGNED_PAIR.fullmatch(text.strip())
    if match is None or re.match("N[0-9]", match["one"]):
        return ""
    if match["one"].lower() in FUNCTIONS or match["two"].lower() in FUNCTIONS:
        return ""
    return f"{match['one']} {match['sign']} {match['two']}"
