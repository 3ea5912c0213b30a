"""The languages that a formula may be copied to: descriptions for `eic_core.formula.copying`.

Templates are those of `eic_core.operators.writing`. A key may carry the parameter: ``log:10``,
``root:even``, ``root:odd`` and ``log:*`` for any other. An operator without a key is refused.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from eic_core.operators.writing import ADD, AND, ATOM, MUL, NEG, OR, POW, RELATE

TIGHT = POW + 5
"""How tightly a sign binds in a spreadsheet: ``-2^2`` is 4 there."""


class Spelling(NamedTuple):
    template: str
    binds: int = ATOM  # How tightly
    # Whether other operators define it, since the language lacks this one
    defined: bool = False


def as_it_is(label: str) -> str:
    return label


def with_point(label: str) -> str:
    """A number that C and Julia do not take for an integer.

    >>> [with_point(label) for label in ("2", "-2.50", "1e5")]
    ['2.0', '-2.50', '1e5']
    """
    return label if "." in label or "e" in label else f"{label}.0"


def with_d(label: str) -> str:
    """A number in Fortran's double precision.

    >>> [with_d(label) for label in ("2", "-2.5", "1e-3")]
    ['2.0d0', '-2.5d0', '1.0d-3']
    """
    mantissa, _, exponent = label.partition("e")
    return f"{with_point(mantissa)}d{exponent or 0}"


def with_star(label: str) -> str:
    """A number of Mathematica.

    >>> with_star("1.5e-7"), with_star("2")
    ('1.5*^-7', '2')
    """
    return label.replace("e", "*^")


@dataclass(frozen=True)
class Dialect:
    name: str  # Its name for people
    syntax: str  # The notation in which it is read
    spellings: Mapping[str, Spelling]
    number: Callable[[str], str] = as_it_is  # Writes a decimal
    fraction: str = ""  # Template of an exact fraction of ``<0>`` and ``<1>``; empty: a quotient
    constants: Mapping[str, Spelling] = field(default_factory=dict)  # ``pi`` and ``e``
    whole: str = "<0>"  # Template of the whole text: ``<0>`` is the formula, ``<v>`` its variables
    words: frozenset[str] = frozenset()  # Names that no variable may have
    # "letters", "capitals", "cells" or "any": letters, digits and ``_``; the same, but capitals
    # make no difference; no ``_``; the cells of a row; whatever the tree calls them
    names: str = "letters"
    negative: int = NEG  # How tightly a negative number binds
    # Template of a truth value that is reckoned with; empty where there is no such thing
    counts: str = "<0>"
    # Significant digits of a number that the language keeps, 0 for all that doubles need
    digits: int = 0


def _arithmetic(times: str = "*", over: str = "/", raised: str = "**") -> dict[str, Spelling]:
    # powers in powers stand in parentheses: languages associate them either way
    return {
        "add": Spelling("<0:10> + <1:11>", ADD),
        "sub": Spelling("<0:10> - <1:11>", ADD),
        "mul": Spelling(f"<0:20>{times}<1:21>", MUL),
        "div": Spelling(f"<0:20>{over}<1:21>", MUL),
        "neg": Spelling("-<0:31>", NEG),
        "power": Spelling(f"<0:41>{raised}<p>", POW),
        "pow": Spelling(f"<0:41>{raised}<1:41>", POW),
    }


def _compared(equal: str = "==", unequal: str = "!=") -> dict[str, Spelling]:
    signs = {
        "less_than": "<",
        "less_equal": "<=",
        "greater_than": ">",
        "greater_equal": ">=",
        "equal_to": equal,
        "not_equal": unequal,
    }
    return {
        name: Spelling(f"<0:{RELATE + 1}> {sign} <1:{RELATE + 1}>", RELATE)
        for name, sign in signs.items()
        if sign
    }


def _joined(both: str, either: str) -> dict[str, Spelling]:
    return {
        "logical_and": Spelling(f"<0:{MUL}> {both} <1:{MUL}>", AND),
        "logical_or": Spelling(f"<0:{MUL}> {either} <1:{MUL}>", OR),
    }


def _calls(words: str, before: str = "", brackets: str = "()") -> dict[str, Spelling]:
    """Functions of all their operands: ``operator=name``, or the operator's own name."""
    spellings = {}
    for word in words.split():
        operator, _, name = word.partition("=")
        spellings[operator] = Spelling(f"{before}{name or operator}{brackets[0]}<*>{brackets[1]}")
    return spellings


def _defined(**templates: tuple[str, int]) -> dict[str, Spelling]:
    return {name: Spelling(*pair, True) for name, pair in templates.items()}


_INVERTED = {"cot": "tan", "sec": "cos", "csc": "sin"}


def _reciprocals(template: str, binds: int = MUL) -> dict[str, Spelling]:
    """cot, sec and csc by tan, cos and sin, where a language lacks them; ``{}`` is these."""
    return {name: Spelling(template.format(of), binds, True) for name, of in _INVERTED.items()}


_LEFT = "<0:10> - <1:21>{}{}<0:20>{}<1:21>{}"
"""A dividend less whole divisors, by the signs of a product, of the call that makes the quotient
whole, and of a quotient."""

_CIRCULAR = "sin cos tan"
_ARCS = "asin acos atan"
_HYPERBOLIC = "sinh cosh tanh"
_AREAS = "asinh acosh atanh"
_PYTHON = frozenset(keyword.kwlist) | {"np", "scipy", "e", "pi"}

NUMPY_DIALECT = Dialect(
    "Python, NumPy", "infix",
    _arithmetic() | _compared() | _joined("&", "|")
    | _calls(
        f"abs sqrt cbrt hypot exp expm1 log log1p {_CIRCULAR} asin=arcsin acos=arccos atan=arctan"
        f" atan2=arctan2 {_HYPERBOLIC} asinh=arcsinh acosh=arccosh atanh=arctanh sign floor ceil"
        " round=rint log:2=log2 log:10=log10 logical_not conditional=where equal_to=equal mod fmod",
        "np.",
    )
    | {
        "min": Spelling("np.minimum(<0>, <1>)"), "max": Spelling("np.maximum(<0>, <1>)"),
    }
    | _calls("erf erfc gamma lgamma=gammaln", "scipy.special.")
    | _reciprocals("1/np.{}(<0>)")
    | _defined(**{
        "log:*": ("np.log(<0>)/np.log(<p>)", MUL),
        "root:even": ("<0:41>**(1/<p>)", POW),
        "root:odd": ("np.sign(<0>)*np.abs(<0>)**(1/<p>)", MUL),
        "remainder": (_LEFT.format("*", "np.rint(", "/", ")"), ADD),
    }),
    constants={"pi": Spelling("np.pi"), "e": Spelling("np.e")},
    words=_PYTHON, counts="np.float64(<0>)",
)  # fmt: skip

_SIGN_IN_C = "(double)((<0:8> > 0.0) - (<0:8> < 0.0))"

C_DIALECT = Dialect(
    "C", "c",
    _arithmetic() | _compared() | _joined("&&", "||")
    | _calls(
        f"abs=fabs sqrt cbrt hypot exp expm1 log log1p {_CIRCULAR} {_ARCS} atan2 {_HYPERBOLIC}"
        f" {_AREAS} floor ceil round=rint log:2=log2 log:10=log10 erf pow gamma=tgamma lgamma erfc"
        " fmod remainder"
    )
    | {
        "power": Spelling("pow(<0>, <p>)"), "logical_not": Spelling(f"!<0:{NEG}>", NEG),
        "min": Spelling("fmin(<0>, <1>)"), "max": Spelling("fmax(<0>, <1>)"),
        "conditional": Spelling("(<0> ? <1> : <2>)"),
    }
    | _reciprocals("1.0/{}(<0>)")
    | _defined(**{
        "sign": (_SIGN_IN_C, ATOM), "mod": (_LEFT.format("*", "floor(", "/", ")"), ADD),
        "log:*": ("log(<0>)/log(<p>)", MUL),
        "root:even": ("pow(<0>, 1.0/<p>)", ATOM),
        "root:odd": (f"{_SIGN_IN_C}*pow(fabs(<0>), 1.0/<p>)", MUL),
    }),
    number=with_point,
    constants={"pi": Spelling("M_PI"), "e": Spelling("M_E")},
    words=frozenset(
        "auto bool break case char const continue default do double else enum extern float for"
        " goto if inline int long register restrict return short signed sizeof static struct"
        " switch typedef union unsigned void volatile while asm gamma j0 j1 jn y0 y1 yn signgam"
        " e pi".split()
    ),
    counts="(double)(<0>)",
)  # fmt: skip

JULIA_DIALECT = Dialect(
    "Julia", "julia",
    _arithmetic(raised="^") | _compared() | _joined("&", "|")
    | _calls(
        f"abs sqrt cbrt hypot exp expm1 log log1p {_CIRCULAR} cot sec csc {_ARCS} atan2=atan"
        f" {_HYPERBOLIC} {_AREAS} sign floor ceil round log:2=log2 log:10=log10 erf min max"
        " conditional=ifelse gamma lgamma=loggamma erfc mod fmod=rem"
    )
    | {"log:*": Spelling("log(<p>, <0>)"), "logical_not": Spelling("!(<0>)")}
    | _defined(**{
        "root:even": ("<0:41>^(1/<p>)", POW),
        "root:odd": ("sign(<0>)*abs(<0>)^(1/<p>)", MUL),
        "remainder": (_LEFT.format("*", "round(", "/", ")"), ADD),
    }),
    number=with_point,
    constants={"pi": Spelling("pi"), "e": Spelling("exp(1.0)", ATOM, True)},
    whole="@. <0>",
    words=frozenset(
        "baremodule begin break catch const continue do else elseif end export false finally for"
        " function global if import in isa let local macro module quote return struct true try"
        " using while where im e pi".split()
    ),
)  # fmt: skip

MATLAB_DIALECT = Dialect(
    "MATLAB", "matlab",
    _arithmetic(".*", "./", " .^ ") | _compared(unequal="") | _joined("&", "|")
    | _calls(
        f"abs sqrt hypot exp expm1 log log1p {_CIRCULAR} cot sec csc {_ARCS} atan2 {_HYPERBOLIC}"
        f" {_AREAS} sign floor ceil log:2=log2 log:10=log10 erf erfc gamma lgamma=gammaln mod"
        " fmod=rem"
    )
    | {
        "min": Spelling("min(<0>, <1>)"), "max": Spelling("max(<0>, <1>)"),
        "root": Spelling("nthroot(<0>, <p>)"),
    }
    | _defined(**{"cbrt": ("nthroot(<0>, 3)", ATOM), "log:*": ("log(<0>)./log(<p>)", MUL)}),
    constants={"pi": Spelling("pi"), "e": Spelling("exp(1)", ATOM, True)},
    words=frozenset(
        "break case catch classdef continue else elseif end for function global if otherwise"
        " parfor persistent return spmd switch try while e pi i j".split()
    ),
)  # fmt: skip

FORTRAN_DIALECT = Dialect(
    "Fortran", "fortran",
    _arithmetic() | _compared(unequal="")
    | _calls(
        f"abs sqrt hypot exp log log:10=log10 {_CIRCULAR} {_ARCS} atan2 {_HYPERBOLIC} {_AREAS}"
        " erf min max erfc gamma lgamma=log_gamma mod=modulo fmod=mod"
    )
    | {
        "floor": Spelling("dble(floor(<0>))"), "ceil": Spelling("dble(ceiling(<0>))"),
        "conditional": Spelling("merge(<1>, <2>, <0>)"),
    }
    | _reciprocals("1.0d0/{}(<0>)")
    | _defined(**{
        "expm1": ("exp(<0>) - 1.0d0", ADD), "log1p": ("log(1.0d0 + <0:11>)", ATOM),
        "sign": ("merge(1.0d0, merge(-1.0d0, 0.0d0, <0:8> < 0.0d0), <0:8> > 0.0d0)", ATOM),
        "cbrt": ("merge(1.0d0, -1.0d0, <0:8> >= 0.0d0)*abs(<0>)**(1.0d0/3.0d0)", MUL),
        "root:even": ("<0:41>**(1.0d0/<p>)", POW),
        "root:odd": ("merge(1.0d0, -1.0d0, <0:8> >= 0.0d0)*abs(<0>)**(1.0d0/<p>)", MUL),
        "log:*": ("log(<0>)/log(<p>)", MUL),
    }),
    number=with_d,
    constants={
        "pi": Spelling("acos(-1.0d0)", ATOM, True), "e": Spelling("exp(1.0d0)", ATOM, True),
    },
    names="capitals", words=frozenset(("e", "pi")), counts="",
)  # fmt: skip

MATHEMATICA_DIALECT = Dialect(
    "Mathematica", "mathematica",
    _arithmetic(raised="^") | _compared() | _joined("&&", "||")
    | _calls(
        "abs=Abs sqrt=Sqrt cbrt=CubeRoot exp=Exp log=Log log:2=Log2 log:10=Log10 sin=Sin cos=Cos"
        " tan=Tan cot=Cot sec=Sec csc=Csc asin=ArcSin acos=ArcCos atan=ArcTan sinh=Sinh cosh=Cosh"
        " tanh=Tanh asinh=ArcSinh acosh=ArcCosh atanh=ArcTanh erf=Erf sign=Sign floor=Floor"
        " ceil=Ceiling round=Round min=Min max=Max logical_not=Not conditional=If"
        " erfc=Erfc gamma=Gamma lgamma=LogGamma mod=Mod",
        brackets="[]",
    )
    | {
        "atan2": Spelling("ArcTan[<1>, <0>]"), "root": Spelling("Surd[<0>, <p>]"),
        "log:*": Spelling("Log[<p>, <0>]"),
    }
    | _defined(**{
        "expm1": ("Exp[<0>] - 1", ADD), "log1p": ("Log[1 + <0:11>]", ATOM),
        "hypot": ("Sqrt[<0:41>^2 + <1:41>^2]", ATOM),
        "fmod": ("Sign[<0>]*Mod[Abs[<0>], Abs[<1>]]", MUL),
        "remainder": (_LEFT.format("*", "Round[", "/", "]"), ADD),
    }),
    number=with_star, fraction="Rational[<0>, <1>]",
    constants={"pi": Spelling("Pi"), "e": Spelling("E")},
    names="alphanumeric", words=frozenset("C D E I K N O Pi".split()), counts="",
)  # fmt: skip

_FPCORE_FORMS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "neg": "-",
    "abs": "fabs",
    "less_than": "<",
    "less_equal": "<=",
    "greater_than": ">",
    "greater_equal": ">=",
    "equal_to": "==",
    "not_equal": "!=",
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "conditional": "if",
    "log:2": "log2",
    "log:10": "log10",
    "gamma": "tgamma",
}
_FPCORE_FORMS |= {
    name: name
    for name in (
        f"pow sqrt cbrt hypot exp expm1 log log1p {_CIRCULAR} {_ARCS} atan2 {_HYPERBOLIC} {_AREAS}"
        " floor ceil erf erfc lgamma fmod remainder"
    ).split()
}

FPCORE_DIALECT = Dialect(
    "FPCore", "fpcore",
    {name: Spelling(f"({head} <*>)") for name, head in _FPCORE_FORMS.items()}
    | {
        "power": Spelling("(pow <0> <p>)"),
        "min": Spelling("(fmin <0> <1>)"), "max": Spelling("(fmax <0> <1>)"),
    }
    | _reciprocals("(/ 1 ({} <0>))", ATOM)
    | _defined(**{
        "sign": ("(if (> <0> 0) 1 (if (< <0> 0) -1 0))", ATOM),
        "mod": ("(- <0> (* <1> (floor (/ <0> <1>))))", ATOM),
        "root:even": ("(pow <0> (/ 1 <p>))", ATOM),
        "root:odd": ("(* (if (< <0> 0) -1 1) (pow (fabs <0>) (/ 1 <p>)))", ATOM),
        "log:*": ("(/ (log <0>) (log <p>))", ATOM),
    }),
    fraction="<0>/<1>",
    constants={"pi": Spelling("PI"), "e": Spelling("E")},
    whole="(FPCore (<v>) <0>)", negative=ATOM, counts="", words=frozenset(("PI", "E", "e", "pi")),
)  # fmt: skip

SYMPY_DIALECT = Dialect(
    "SymPy", "sympy",
    _arithmetic() | _compared() | _joined("&", "|")
    | _calls(
        f"abs=Abs sqrt cbrt exp log {_CIRCULAR} cot sec csc {_ARCS} atan2 {_HYPERBOLIC} {_AREAS}"
        " erf sign floor ceil=ceiling min=Min max=Max equal_to=Eq not_equal=Ne logical_not=Not"
        " erfc gamma lgamma=loggamma mod=Mod"
    )
    | {
        "root": Spelling("real_root(<0>, <p>)"),
        "conditional": Spelling("Piecewise((<1>, <0>), (<2>, True))"),
        "log:*": Spelling("log(<0>, <p>)"),
    }
    | _defined(**{
        "expm1": ("exp(<0>) - 1", ADD), "log1p": ("log(1 + <0:11>)", ATOM),
        "hypot": ("sqrt(<0:41>**2 + <1:41>**2)", ATOM),
        "fmod": ("sign(<0>)*Mod(Abs(<0>), Abs(<1>))", MUL),
    }),
    fraction="Rational(<0>, <1>)",
    constants={"pi": Spelling("pi"), "e": Spelling("E")},
    words=_PYTHON | frozenset("E I N O Q S oo zoo beta gamma zeta".split()), counts="",
)  # fmt: skip

EXCEL_DIALECT = Dialect(
    "Excel", "spreadsheet",
    _arithmetic(raised="^") | _compared("=", "<>")
    | _calls(
        "abs=ABS sqrt=SQRT exp=EXP log=LN log:10=LOG10 sin=SIN cos=COS tan=TAN cot=COT sec=SEC"
        " csc=CSC asin=ASIN acos=ACOS atan=ATAN sinh=SINH cosh=COSH tanh=TANH asinh=ASINH"
        " acosh=ACOSH atanh=ATANH erf=ERF sign=SIGN floor=INT min=MIN max=MAX logical_and=AND"
        " logical_or=OR logical_not=NOT conditional=IF erfc=ERFC gamma=GAMMA lgamma=GAMMALN mod=MOD"
    )
    | {
        "neg": Spelling(f"-<0:{TIGHT + 1}>", TIGHT),
        "power": Spelling(f"<0:{TIGHT + 1}>^<p>", POW),
        "pow": Spelling(f"<0:{TIGHT + 1}>^<1:{TIGHT + 1}>", POW),
        "atan2": Spelling("ATAN2(<1>, <0>)"), "log:*": Spelling("LOG(<0>, <p>)"),
    }
    | _defined(**{
        "expm1": ("EXP(<0>) - 1", ADD), "log1p": ("LN(1 + <0:11>)", ATOM),
        "hypot": (f"SQRT(<0:{TIGHT + 1}>^2 + <1:{TIGHT + 1}>^2)", ATOM),
        "ceil": (f"-INT(-<0:{TIGHT + 1}>)", TIGHT),
        "cbrt": ("SIGN(<0>)*ABS(<0>)^(1/3)", MUL),
        "fmod": ("SIGN(<0>)*MOD(ABS(<0>), ABS(<1>))", MUL),
        "root:even": (f"<0:{TIGHT + 1}>^(1/<p>)", POW),
        "root:odd": ("SIGN(<0>)*ABS(<0>)^(1/<p>)", MUL),
    }),
    number=str.upper,
    constants={"pi": Spelling("PI()"), "e": Spelling("EXP(1)", ATOM, True)},
    whole="=<0>", names="cells", negative=TIGHT, digits=15,
)  # fmt: skip

DIALECTS: dict[str, Dialect] = {
    "numpy": NUMPY_DIALECT,
    "c": C_DIALECT,
    "julia": JULIA_DIALECT,
    "matlab": MATLAB_DIALECT,
    "fortran": FORTRAN_DIALECT,
    "mathematica": MATHEMATICA_DIALECT,
    "fpcore": FPCORE_DIALECT,
    "sympy": SYMPY_DIALECT,
    "excel": EXCEL_DIALECT,
}
"""By the name that commands take."""
