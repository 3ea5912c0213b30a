"""The notations by name: what each is called, which reader reads it, and what its words mean."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from eic_core.errors import DataError
from eic_core.formula.syntax.policy import Policy, WordRule

INFIX, LATEX, SEXPR, PREFIX = "infix", "latex", "sexpr", "prefix"
MATHEMATICA, SPREADSHEET, MATHML = "mathematica", "spreadsheet", "mathml"


class Language(NamedTuple):
    label: str  # Its name for people
    reader: str  # How it is read
    policy: Policy = Policy()  # What its words, indices, logarithms, ... mean
    is_code: bool = False  # Whether programs are written in it


_UNNORMALIZED = "sinc=unnormalized_sinc"
_OF_SYMPY = Policy(WordRule.GIVEN, euler=True, log_base="last", calls=_UNNORMALIZED)
_FROM_0 = Policy(WordRule.GIVEN, 0)

LANGUAGES: dict[str, Language] = {
    "infix": Language("Python, NumPy or plain infix", INFIX, is_code=True),
    "hand": Language("written by hand", INFIX, Policy(WordRule.PRODUCT)),
    "latex": Language("LaTeX", LATEX, Policy(WordRule.PRODUCT)),
    "fpcore": Language("FPCore or s-expressions", SEXPR, Policy(WordRule.NAME)),
    "prefix": Language("prefix words", PREFIX, Policy(WordRule.NAME)),
    "mathematica": Language(
        "Mathematica",
        MATHEMATICA,
        Policy(
            WordRule.NAME, 1, euler=True, log_base="first", brackets_call=True, calls=_UNNORMALIZED
        ),
    ),
    "c": Language(
        "C, C++, Java or JavaScript", INFIX, Policy(WordRule.NAME, remainder="fmod"), is_code=True
    ),
    "fortran": Language("Fortran", INFIX, Policy(WordRule.NAME, calls="mod=fmod"), is_code=True),
    "matlab": Language(
        "MATLAB or Octave",
        INFIX,
        Policy(WordRule.NAME, 1, powers_from_left=True, calls="sinc=normalized_sinc"),
        is_code=True,
    ),
    "julia": Language(
        "Julia",
        INFIX,
        Policy(
            WordRule.NAME,
            1,
            log_base="first",
            close_products=True,
            remainder="fmod",
            calls="sinc=normalized_sinc log1mexp=log1m_exp",
        ),
        is_code=True,
    ),
    "spreadsheet": Language(
        "Excel or another spreadsheet",
        SPREADSHEET,
        Policy(WordRule.NAME, log_base="last", powers_from_left=True),
    ),
    "mathml": Language("MathML", MATHML, Policy(WordRule.NAME)),
    "sympy": Language("SymPy", INFIX, _OF_SYMPY),
    "sympy_x0": Language("SymPy, x0 first", INFIX, replace(_OF_SYMPY, index_base=0)),
    "sympy_x1": Language("SymPy, x1 first", INFIX, replace(_OF_SYMPY, index_base=1)),
    "sympy_x_0": Language("SymPy, x_0 first", INFIX, replace(_OF_SYMPY, index_base=0)),
    "sympy_named": Language("SymPy, named variables", INFIX, _OF_SYMPY),
    "operon": Language("Operon", INFIX, Policy(WordRule.NAME, 1)),
    "pysr": Language("PySR", INFIX, Policy(WordRule.NAME, 0, log_base="first")),
    "srtree": Language("srtree and eggp", INFIX, _FROM_0),
    "tinygp": Language("tinyGP with parameters", INFIX, _FROM_0),
    "tir": Language("TIR", INFIX, _FROM_0),
    "bingo": Language("Bingo", INFIX, _FROM_0),
    "gplearn": Language("gplearn", INFIX, replace(_FROM_0, protected="gplearn")),
    "gplearn_plain": Language("gplearn, with the plain functions", INFIX, _FROM_0),
    "deap": Language("DEAP", INFIX, Policy(WordRule.NAME, 0, protected="deap")),
    "deap_plain": Language(
        "DEAP, with the plain functions", INFIX, Policy(WordRule.NAME, 0, protected="deap_plain")
    ),
    "turingbot": Language("TuringBot", INFIX, Policy(WordRule.NAME)),
    "eureqa": Language("Eureqa", INFIX, Policy(WordRule.NAME, protected="eureqa")),
    "e2e": Language("E2E words", INFIX, _FROM_0),
    "e2e_infix": Language("E2E and TPSR infix", INFIX, _FROM_0),
    "e2e_prefix": Language("E2E prefix words", PREFIX, Policy(WordRule.NAME, 0)),
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


def language(hint: str) -> str | None:
    """The name of the notation that `hint` means, or None if it says nothing.

    >>> language("E2ET"), language("Operon"), language("auto")
    ('e2e_infix', 'operon', None)
    """
    key = hint.strip().lower()
    key = _ALIASES.get(key, key)
    return key if key in LANGUAGES else None


def notation_called(name: str) -> str:
    """The notation of this name, or `auto`; DataError for another name.

    >>> notation_called("E2ET"), notation_called("auto")
    ('e2e_infix', 'auto')
    """
    found = name if name == "auto" else language(name)
    if found is None:
        raise DataError(f"there is no notation `{name}`", hint=f"there are {', '.join(LANGUAGES)}")
    return found
