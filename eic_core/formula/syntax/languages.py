"""The notations by name, and a guess which of them a text is written in."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from eic_core.formula.syntax import mathematica, mathml, spreadsheet
from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.names import LETTERS
from eic_core.formula.syntax.policy import Policy, Words
from eic_core.operators import OPERATORS

INFIX, LATEX, SEXPR, PREFIX = "infix", "latex", "sexpr", "prefix"
MATHEMATICA, SPREADSHEET, MATHML = "mathematica", "spreadsheet", "mathml"


class Language(NamedTuple):
    label: str  # Its name for people
    reader: str  # How it is read
    policy: Policy = Policy()  # What its words, indices, logarithms, ... mean


_OF_SYMPY = Policy(Words.GIVEN, euler=True, log_base="last")
_FROM_0 = Policy(Words.GIVEN, 0)

LANGUAGES: dict[str, Language] = {
    "infix": Language("Python, NumPy or plain infix", INFIX),
    "hand": Language("written by hand", INFIX, Policy(Words.PRODUCT)),
    "fortran": Language("Fortran", INFIX, Policy(Words.NAME, mod="fmod")),
    "latex": Language("LaTeX", LATEX, Policy(Words.PRODUCT)),
    "fpcore": Language("FPCore or s-expressions", SEXPR, Policy(Words.NAME)),
    "prefix": Language("prefix words", PREFIX, Policy(Words.NAME)),
    "mathematica": Language(
        "Mathematica", MATHEMATICA, Policy(Words.NAME, 1, euler=True, log_base="first")
    ),
    "c": Language("C, C++, Java or JavaScript", INFIX, Policy(Words.NAME, remainder="fmod")),
    "matlab": Language("MATLAB or Octave", INFIX, Policy(Words.NAME, 1)),
    "julia": Language(
        "Julia",
        INFIX,
        Policy(Words.NAME, 1, log_base="first", close_products=True, remainder="fmod"),
    ),
    "spreadsheet": Language(
        "Excel or another spreadsheet", SPREADSHEET, Policy(Words.NAME, log_base="last")
    ),
    "mathml": Language("MathML", MATHML, Policy(Words.NAME)),
    "sympy": Language("SymPy", INFIX, _OF_SYMPY),
    "sympy_x0": Language("SymPy, x0 first", INFIX, replace(_OF_SYMPY, index_base=0)),
    "sympy_x1": Language("SymPy, x1 first", INFIX, replace(_OF_SYMPY, index_base=1)),
    "sympy_x_0": Language("SymPy, x_0 first", INFIX, replace(_OF_SYMPY, index_base=0)),
    "sympy_named": Language("SymPy, named variables", INFIX, _OF_SYMPY),
    "operon": Language("Operon", INFIX, Policy(Words.NAME, 1)),
    "pysr": Language("PySR", INFIX, Policy(Words.NAME, 0, log_base="first")),
    "srtree": Language("srtree and eggp", INFIX, _FROM_0),
    "tinygp": Language("tinyGP with parameters", INFIX, _FROM_0),
    "tir": Language("TIR", INFIX, _FROM_0),
    "bingo": Language("Bingo", INFIX, _FROM_0),
    "gplearn": Language("gplearn", INFIX, replace(_FROM_0, protected="gplearn")),
    "gplearn_plain": Language("gplearn, with the plain functions", INFIX, _FROM_0),
    "deap": Language("DEAP", INFIX, Policy(Words.NAME, protected="deap")),
    "deap_plain": Language(
        "DEAP, with the plain functions", INFIX, Policy(Words.NAME, protected="deap_plain")
    ),
    "turingbot": Language("TuringBot", INFIX, Policy(Words.NAME)),
    "eureqa": Language("Eureqa", INFIX, Policy(Words.NAME, protected="eureqa")),
    "e2e": Language("E2E words", INFIX, _FROM_0),
    "e2e_infix": Language("E2E and TPSR infix", INFIX, _FROM_0),
    "e2e_prefix": Language("E2E prefix words", PREFIX, Policy(Words.NAME, 0)),
    "dso": Language("DSO", INFIX, replace(_OF_SYMPY, index_base=1)),
    "qlattice": Language("QLattice", INFIX, _FROM_0),
    "ps-tree": Language("PS-Tree", INFIX, _FROM_0),
    "geneticengine": Language("GeneticEngine", INFIX, _FROM_0),
    "udsr": Language("uDSR", INFIX, _OF_SYMPY),
    "feyn": Language("Feyn", INFIX, _FROM_0),
}
BY_HAND = frozenset(("infix", "hand"))
"""The languages in which people leave out signs."""
NOTATIONS = (
    "Python, NumPy or SymPy, LaTeX, Mathematica, MATLAB, Julia, C and its kin, MathML, FPCore,"
    " a spreadsheet's formula, or what a symbolic-regression tool printed"
)
"""What is read, in words."""
_ALIASES = {
    "python": "infix",
    "numpy": "infix",
    "tex": "latex",
    "fptaylor": "infix",
    "herbie": "fpcore",
    "s-expression": "fpcore",
    "sexpr": "fpcore",
    "eggp": "srtree",
    "e2et": "e2e_infix",
    "py": "infix",
    "ipython": "infix",
    "r": "infix",
    "handwritten": "hand",
    "by hand": "hand",
    "c++": "c",
    "cpp": "c",
    "java": "c",
    "js": "c",
    "javascript": "c",
    "cuda": "c",
    "octave": "matlab",
    "jl": "julia",
    "wolfram": "mathematica",
    "wl": "mathematica",
    "excel": "spreadsheet",
    "scheme": "fpcore",
    "lisp": "fpcore",
    "tpsr": "e2e_infix",
    "e2esr": "e2e_infix",
    "polish": "prefix",
    "nesymres": "prefix",
    "pyoperon": "operon",
    "pstree": "ps-tree",
    "sympy_x1_": "sympy_x1",
}

_LATEX = re.compile(r"\\[A-Za-z(\[{|,;!]|[_^]\s*+\{|[0-9]\{,\}[0-9]")
_OF_MATHEMATICA = ("[", "`", "*^", "&", "Power(")
_COMMENTS_OF_LISP = re.compile(r"(?:\s|;[^\n]*+(?:\n|\Z))*+")
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
_SRTREE_CALLS = ("Sqrt(", "Sin(", "Log(", "Exp(", "Abs(", "Cos(", "Tanh(")
_SRTREE = re.compile(r"(?<![\w.])(?:Sqrt|Sin|Log|Exp|Abs|Cos|Tanh)\(")
_GPLEARN = re.compile(r"\b(?:add|sub|mul|div|inv|neg)\(")
_DEAP = re.compile(r"\b(?:protectedDiv|v(?:add|sub|mul|neg))\(")
_GPLEARN_VARIABLE = re.compile(r"\bX[0-9]")
_SIGN = re.compile(r"[*/^=]|[+-](?![0-9.])|(?<![(,eE])(?<!, )[+-]")
_OPERON = re.compile(r"[0-9]\.[0-9]+\)? \* X[1-9]")


def language(hint: str) -> str | None:
    """The name of the notation that `hint` means, or None if it says nothing.

    >>> language("E2ET"), language("Operon"), language("auto")
    ('e2e_infix', 'operon', None)
    """
    key = hint.strip().lower()
    key = _ALIASES.get(key, key)
    return key if key in LANGUAGES else None


def _is_gplearn(text: str) -> bool:
    """Whether a text holds calls alone, of arithmetic too, on ``X0``, ``X1``, ...

    >>> _is_gplearn("div(X0, -0.5)"), _is_gplearn("log(X0)"), _is_gplearn("div(X0, 2) + 1")
    (True, False, False)
    """
    if "X" not in text or not _GPLEARN_VARIABLE.search(text):
        return False
    return _GPLEARN.search(text) is not None and not _SIGN.search(text)


def _is_applied_throughout(text: str, start: int, end: int) -> bool:
    """Whether each bracket of a text begins with what it applies to the operands behind it.

    >>> texts = ("(- (sqrt x) (sqrt y))", "(- (log (* 2 x)) 1)", "(- (x) (y))", "(- (sin x) + 1)")
    >>> [_is_applied_throughout(text, 0, len(text)) for text in texts]
    [True, True, False, False]
    """
    operands: list[int] = []
    while start < end:
        match = _APPLIED.match(text, start, end)
        if match is None or not (operands or match["head"]):
            return False
        start = match.end()
        if match["head"]:
            if match["head"].isalnum() and match["head"] not in FUNCTIONS:
                return False
            operands.append(0)
        elif match["close"]:
            if not operands.pop():
                return False
            if not operands:
                return not text[start:end].strip()
            operands[-1] += 1
        elif match["operand"]:
            operands[-1] += 1
    return False


def detect(text: str, start: int, end: int) -> str:
    """The notation, a key of `LANGUAGES`, that a text looks written in; ``"infix"`` where nothing
    tells.

    >>> [detect(t, 0, len(t)) for t in (r"\\frac{x}{2}", "(+ x 1)", "x[:,0] + 1", "x + 1")]
    ['latex', 'fpcore', 'tir', 'infix']
    """
    special = _special(text, start, end)
    if special:
        return special
    if ("\\" in text or "{" in text or "$" in text) and _LATEX.search(text, start, end):
        return "latex"
    called = _CALL.match(text, start, end)
    is_head = called is not None and called[1] in OPERATORS and called[1] not in LETTERS
    if is_head or _SEXPR.match(text, start, end):
        return "infix" if _BARE_CALL.match(text, start, end) else "fpcore"
    if _is_applied_throughout(text, start, end):
        return "fpcore"
    body = text[start:end]
    if "[:" in body:
        return "tir"
    if "sqrtabs(" in body or "powabs(" in body:
        return "pysr"
    if "X" in body and "X0" not in body and _OPERON.search(body):
        return "operon"
    if _is_gplearn(body):
        return "gplearn"
    if _DEAP.search(body):
        return "deap"
    if any(call in body for call in _SRTREE_CALLS) and _SRTREE.search(body):
        return "srtree"
    return "infix"


def _special(text: str, start: int, end: int) -> str:
    """The notation of a text that its first characters or its brackets give away, else ""."""
    begin = start
    while begin < end and text[begin].isspace():
        begin += 1
    first = text[begin : begin + 1]
    if first == "<" and mathml.BEGINS.match(text, begin, end):
        return "mathml"
    if first in ("(", ";"):
        place = _COMMENTS_OF_LISP.match(text, begin, end)
        assert place is not None
        if text.startswith("(*", place.end()) and text.find("*)", place.end(), end) >= 0:
            return "mathematica"
        if text.startswith("(FPCore", place.end(), end) or (
            first == ";" and _SEXPR.match(text, place.end(), end)
        ):
            return "fpcore"
    if first == "=" and not text.startswith("==", begin):
        sheet = spreadsheet.SIGNS.search(text, begin, end)
        if sheet and not spreadsheet.NOT_SIGNS.search(text, begin, end):
            return "spreadsheet"
    if any(mark in text for mark in _OF_MATHEMATICA) and mathematica.SIGNS.search(text, begin, end):
        return "mathematica"
    if first == "$" or text.endswith("$", begin, end):
        return "latex"
    return ""
