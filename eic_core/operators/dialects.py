"""The languages that a formula may be copied to: descriptions for `eic_core.formula.copying`.

Templates are those of `eic_core.operators.writing`. A key may carry the parameter: ``log:10``,
``root:even``, ``root:odd`` and ``log:*`` for any other. An operator without a key is refused.

What stands for an operator has its value, to a few units in the last place, over its whole domain,
so that no text undoes a repair. A helper has a name by which readers know the operator.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from eic_core.operators import helpers
from eic_core.operators.writing import ADD, AND, ATOM, MUL, NEG, OR, POW, RELATE

TIGHT = POW + 5
"""How tightly a sign binds in a spreadsheet: ``-2^2`` is 4 there."""


class Lacking(Enum):
    """What a language lacks of an operator, so that something else stands for it."""

    OPERATOR = auto()
    DIGITS = auto()  # Its own function has another value, or fewer digits


class Spelling(NamedTuple):
    template: str
    binds: int = ATOM  # How tightly
    lack: Lacking | None = None
    helpers: tuple[str, ...] = ()  # Functions and imports that stand before the formula


def as_it_is(label: str) -> str:
    return label


def with_point(label: str) -> str:
    """A number that C and Julia do not take for an integer.

    >>> [with_point(label) for label in ("2", "-2.50", "1e5")]
    ['2.0', '-2.50', '1e5']
    """
    return label if "." in label or "e" in label else f"{label}.0"


def with_bare_point(label: str) -> str:
    """A number that C takes for a double, and readers for the same digits: ``2.0`` has more.

    >>> [with_bare_point(label) for label in ("2", "-2.50", "1e5")]
    ['2.', '-2.50', '1e5']
    """
    return label if "." in label or "e" in label else f"{label}."


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
    whole_sum: str = ""  # The same where the formula is a sum or a difference
    words: frozenset[str] = frozenset()  # Names that no variable may have
    # "letters", "capitals", "cells" or "any": letters, digits and ``_``; the same, but capitals
    # make no difference; no ``_``; the cells of a row; whatever the tree calls them
    names: str = "letters"
    negative: int = NEG  # How tightly a negative number binds
    # Template of a truth value that is reckoned with; empty where there is no such thing
    counts: str = "<0>"
    # Significant digits of a number that the language keeps, 0 for all that doubles need
    digits: int = 0
    longest: int = 1_000_000  # Characters of the longest text
    # What to do about an operator that is refused, by its name
    hints: Mapping[str, str] = field(default_factory=dict)
    line: int = 0  # Columns of a line, or 0 for any number
    # Templates of a function that stands for an operator by the definition in its row: ``<f>`` is
    # its name, ``<x>`` its operands, each as `operand` has it, ``<l>`` the lines of its `local`
    # values ``<n>``, ``<v>`` its value. Empty: what would be there is put in
    function: str = ""
    operand: str = "<n>"
    local: str = ""
    coarse: frozenset[str] = frozenset()  # Operators whose own functions there lose digits
    placed: str = ""  # Where helpers belong, if not simply before the formula
    # Where the language orders terms and factors itself: what keeps the digits all the same
    exact: str = ""


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
    return {key: Spelling(*pair, Lacking.OPERATOR) for key, pair in templates.items()}


def _precise(**templates: tuple[str, int]) -> dict[str, Spelling]:
    """What stands for functions of the language that lose digits."""
    return {key: Spelling(*pair, Lacking.DIGITS) for key, pair in templates.items()}


def _helped(**texts: str) -> dict[str, Spelling]:
    """Calls of helpers, by the names of their operators."""
    return {
        key: Spelling(
            f"{key}(<*>{', <p>' if key == 'root' else ''})", ATOM, Lacking.OPERATOR, (text,)
        )
        for key, text in texts.items()
    }


def _imported(words: str, line: str) -> dict[str, Spelling]:
    """Functions that need a line before the formula; ``{}`` in it is their name there."""
    return {
        key: spelling._replace(helpers=(line.format(spelling.template.partition("(")[0]),))
        for key, spelling in _calls(words).items()
    }


_INVERTED = {"cot": "tan", "sec": "cos", "csc": "sin"}


def _reciprocals(template: str, binds: int = MUL) -> dict[str, Spelling]:
    """cot, sec and csc by tan, cos and sin, where a language lacks them; ``{}`` is these."""
    return {
        name: Spelling(template.format(of), binds, Lacking.OPERATOR)
        for name, of in _INVERTED.items()
    }


_TWICE = "write x*y + z, which is rounded twice"

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
        " round=rint log:2=log2 log:10=log10 logical_not conditional=where equal_to=equal mod fmod"
        " logaddexp",
        "np.",
    )
    | {
        "min": Spelling("np.minimum(<0>, <1>)"), "max": Spelling("np.maximum(<0>, <1>)"),
    }
    | {
        name: spelling._replace(helpers=("import scipy.special",))
        for name, spelling in _calls(
            "erf erfc erfcx gamma lgamma=gammaln betaln", "scipy.special."
        ).items()
    }
    | _reciprocals("1/np.{}(<0>)")
    | _defined(**{"log:*": ("np.log(<0>)/np.log(<p>)", MUL)})
    | _helped(
        root=helpers.NUMPY_ROOT, remainder=helpers.NUMPY_REMAINDER, fma=helpers.NUMPY_FMA,
    ),
    function="def <f>(<x>):\n    return <v>",
    constants={"pi": Spelling("np.pi"), "e": Spelling("np.e")},
    words=_PYTHON, counts="np.float64(<0>)",
)  # fmt: skip

C_DIALECT = Dialect(
    "C", "c",
    _arithmetic() | _compared() | _joined("&&", "||")
    | _calls(
        f"abs=fabs sqrt cbrt hypot exp expm1 log log1p {_CIRCULAR} {_ARCS} atan2 {_HYPERBOLIC}"
        f" {_AREAS} floor ceil round=rint log:2=log2 log:10=log10 erf pow gamma=tgamma lgamma erfc"
        " fmod remainder fma"
    )
    | {
        "power": Spelling("pow(<0>, <p>)"), "logical_not": Spelling(f"!<0:{NEG}>", NEG),
        "min": Spelling("fmin(<0>, <1>)"), "max": Spelling("fmax(<0>, <1>)"),
        "conditional": Spelling("(<0> ? <1> : <2>)"),
    }
    | _defined(**{"log:*": ("log(<0>)/log(<p>)", MUL)})
    | _helped(mod=helpers.C_MOD, root=helpers.C_ROOT, sign=helpers.C_SIGN)
    | _helped(**{
        name: f"double {name}(double x) {{ return 1/{of}(x); }}" for name, of in _INVERTED.items()
    }),
    number=with_bare_point,
    function="double <f>(<x>) {\n<l>    return <v>;\n}",
    operand="double <n>", local="    double <n> = <v>;\n",
    constants={"pi": Spelling("M_PI"), "e": Spelling("M_E"), "nan": Spelling("NAN")},
    words=frozenset(
        "auto bool break case char const continue default do double else enum extern float for"
        " goto if inline int long register restrict return short signed sizeof static struct"
        " switch typedef union unsigned void volatile while asm gamma j0 j1 jn y0 y1 yn signgam"
        " e pi NAN INFINITY HUGE_VAL MAXFLOAT M_E M_PI M_PI_2 M_PI_4 M_LN2 M_LN10 FP_NAN FP_ZERO"
        " FP_INFINITE FP_NORMAL FP_SUBNORMAL near far pascal cdecl huge".split()
    ),
    counts="(double)(<0>)",
)  # fmt: skip

JULIA_DIALECT = Dialect(
    "Julia", "julia",
    _arithmetic(raised="^") | _compared() | _joined("&", "|")
    | _calls(
        f"abs sqrt cbrt hypot exp expm1 log log1p {_CIRCULAR} cot sec csc {_ARCS} atan2=atan"
        f" {_HYPERBOLIC} {_AREAS} sign floor ceil round log:2=log2 log:10=log10 min max"
        " conditional=ifelse mod fmod=rem fma"
    )
    | _imported("erf erfc erfcx gamma betaln=logbeta", "using SpecialFunctions: {}")
    | {"log:*": Spelling("log(<p>, <0>)"), "logical_not": Spelling("!(<0>)")}
    | _helped(
        root=helpers.JULIA_ROOT, remainder=helpers.JULIA_REMAINDER, lgamma=helpers.JULIA_LGAMMA
    ),
    number=with_point, function="<f>(<x>) = <v>",
    constants={"pi": Spelling("pi"), "e": Spelling("exp(1.0)", ATOM, Lacking.OPERATOR)},
    whole="@. <0>",
    words=frozenset(
        "baremodule begin break catch const continue do else elseif end export false finally for"
        " function global if import in isa let local macro module quote return struct true try"
        " using while where im e pi first isodd copysign rem".split()
    ),
)  # fmt: skip

MATLAB_DIALECT = Dialect(
    "MATLAB", "matlab",
    _arithmetic(".*", "./", " .^ ") | _compared(unequal="~=") | _joined("&", "|")
    | _calls(
        f"abs sqrt hypot exp expm1 log log1p {_CIRCULAR} cot sec csc {_ARCS} atan2 {_HYPERBOLIC}"
        f" {_AREAS} sign floor ceil log:2=log2 log:10=log10 erf erfc erfcx gamma"
    )
    | {
        "min": Spelling("min(<0>, <1>)"), "max": Spelling("max(<0>, <1>)"),
        "root": Spelling("nthroot(<0>, <p>)"),
    }
    | _defined(**{"cbrt": ("nthroot(<0>, 3)", ATOM), "log:*": ("log(<0>)./log(<p>)", MUL)})
    | _helped(lgamma=helpers.MATLAB_LGAMMA)
    | {
        "logical_not": Spelling("~(<0>)"),
        "conditional": Spelling(
            "ifelse(<0>, <1>, <2>)", ATOM, Lacking.OPERATOR, (helpers.MATLAB_IFELSE,)
        ),
        # its mod and rem take a quotient that is nearly whole for that number
        "mod": Spelling("floormod(<0>, <1>)", ATOM, Lacking.DIGITS, helpers.MATLAB_FLOORMOD),
        "fmod": Spelling("fmod(<0>, <1>)", ATOM, Lacking.DIGITS, (helpers.MATLAB_FMOD,)),
        "remainder": Spelling(
            "remainder(<0>, <1>)", ATOM, Lacking.OPERATOR, helpers.MATLAB_REMAINDER
        ),
        # its round takes halves away from 0
        "round": Spelling("rint(<0>)", ATOM, Lacking.OPERATOR, (helpers.MATLAB_RINT,)),
    },
    function="function r = <f>(<x>)\n  r = <v>;\nend", coarse=frozenset(("betaln",)),
    constants={"pi": Spelling("pi"), "e": Spelling("exp(1)", ATOM, Lacking.OPERATOR)},
    words=frozenset(
        "break case catch classdef continue else elseif end for function global if otherwise"
        " parfor persistent return spmd switch try while e pi i j".split()
    ),
    hints={"fma": _TWICE},
)  # fmt: skip

FORTRAN_DIALECT = Dialect(
    "Fortran", "fortran",
    _arithmetic() | _compared(unequal=".ne.") | _joined(".and.", ".or.")
    | _calls(
        f"abs sqrt hypot exp log log:10=log10 {_CIRCULAR} {_ARCS} atan2 {_HYPERBOLIC} {_AREAS}"
        " erf min max erfc erfcx=erfc_scaled gamma lgamma=log_gamma mod=modulo fmod=mod"
    )
    | {
        # whole numbers of its floor() end at 2^31
        "floor": Spelling("<0:10> - modulo(<0>, 1.0d0)", ADD),
        "ceil": Spelling("<0:10> + modulo(-<0:31>, 1.0d0)", ADD),
        "logical_not": Spelling(".not. (<0>)"),
        "conditional": Spelling("merge(<1>, <2>, <0>)"),
        # its own `sign` takes the sign of 0 for a plus
        "sign": Spelling("signum(<0>)", ATOM, Lacking.OPERATOR, (helpers.FORTRAN_SIGNUM,)),
    }
    | _reciprocals("1.0d0/{}(<0>)")
    | _imported("round=rint", "use, intrinsic :: ieee_arithmetic, only: rint => ieee_rint")
    | _imported("remainder", "use, intrinsic :: ieee_arithmetic, only: remainder => ieee_rem")
    | _defined(**{
        "log:*": ("log(<0>)/log(<p>)", MUL),
    })
    | _helped(
        cbrt=helpers.FORTRAN_CBRT, root=helpers.FORTRAN_ROOT, fma=helpers.FORTRAN_FMA
    ),
    number=with_d,
    function=(
        "elemental double precision function <f>(<x>)\n  double precision, intent(in) :: <x>\n"
        "  <f> = <v>\nend function <f>"
    ),
    constants={
        "pi": Spelling("acos(-1.0d0)", ATOM, Lacking.OPERATOR),
        "e": Spelling("exp(1.0d0)", ATOM, Lacking.OPERATOR),
    },
    names="capitals", words=frozenset(("e", "pi")), counts="",
    line=132, placed="Functions belong after `contains`, lines with `use` at the top.",
)  # fmt: skip

MATHEMATICA_DIALECT = Dialect(
    "Mathematica", "mathematica",
    _arithmetic(raised="^") | _compared() | _joined("&&", "||")
    | _calls(
        "abs=Abs sqrt=Sqrt cbrt=CubeRoot exp=Exp log=Log log:2=Log2 log:10=Log10 sin=Sin cos=Cos"
        " tan=Tan cot=Cot sec=Sec csc=Csc asin=ArcSin acos=ArcCos atan=ArcTan sinh=Sinh cosh=Cosh"
        " tanh=Tanh asinh=ArcSinh acosh=ArcCosh atanh=ArcTanh erf=Erf sign=Sign floor=Floor"
        " ceil=Ceiling round=Round min=Min max=Max logical_not=Not conditional=If"
        " erfc=Erfc gamma=Gamma mod=Mod",
        brackets="[]",
    )
    | {
        "atan2": Spelling("ArcTan[<1>, <0>]"), "root": Spelling("Surd[<0>, <p>]"),
        "log:*": Spelling("Log[<p>, <0>]"),
    }
    | _defined(fmod=("Sign[<0>]*Mod[Abs[<0>], Abs[<1>]]", MUL))
    | {
        key: spelling._replace(template=f"{key}[<*>]")
        for key, spelling in _helped(
            hypot=helpers.MATHEMATICA_HYPOT, remainder=helpers.MATHEMATICA_REMAINDER,
            lgamma=helpers.MATHEMATICA_LGAMMA,
        ).items()
    }
,
    number=with_star, fraction="Rational[<0>, <1>]", function="<f>[<x>] := <v>", operand="<n>_",
    constants={"pi": Spelling("Pi"), "e": Spelling("E")},
    exact="`N[…, 17]` of exact numbers",
    names="alphanumeric", words=frozenset("C D E I K N O Pi Re LogGamma".split()), counts="",
    hints={"fma": _TWICE},
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
        " floor ceil erf erfc lgamma fmod remainder fma"
    ).split()
}


def _root(inner: str, size: str, signed: str) -> str:
    """A root with a step of Newton's method; `inner` is its argument's size, `size` and `signed`
    the same and the root by the names x and y."""
    step = f"(/ (* {signed} (+ (- <p> 1) (/ {size} (pow y <p>)))) <p>)"
    return f"(let ((x <0>) (y (pow {inner} (/ 1 <p>)))) (if (== x 0) x {step}))"


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
        "mod": (
            "(let ((y <1>) (r (fmod <0> <1>)))"
            " (if (< r 0) (if (> y 0) (+ r y) r) (if (< y 0) (if (> r 0) (+ r y) r) r)))", ATOM,
        ),
        "root:even": (_root("<0>", "x", "y"), ATOM),
        "root:odd": (_root("(fabs <0>)", "(fabs x)", "(if (< x 0) (- y) y)"), ATOM),
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
        f"abs=Abs sqrt exp log {_CIRCULAR} cot sec csc {_ARCS} atan2 {_HYPERBOLIC} {_AREAS}"
        " erf sign floor ceil=ceiling min=Min max=Max equal_to=Eq not_equal=Ne logical_not=Not"
        " erfc gamma mod=Mod"
    )
    | _imported("hypot", helpers.SYMPY_HYPOT)
    | {
        "root": Spelling("real_root(<0>, <p>)"),
        "conditional": Spelling("Piecewise((<1>, <0>), (<2>, True))"),
        "log:*": Spelling("log(<0>, <p>)"),
    }
    | _defined(
        cbrt=("real_root(<0>, 3)", ATOM), fmod=("sign(<0>)*Mod(Abs(<0>), Abs(<1>))", MUL)
    )
    | _helped(
        expm1=helpers.SYMPY_EXPM1, log1p=helpers.SYMPY_LOG1P, lgamma=helpers.SYMPY_LGAMMA
    ),
    function="def <f>(<x>):\n    return <v>",
    fraction="Rational(<0>, <1>)",
    exact="`evalf`",
    constants={"pi": Spelling("pi"), "e": Spelling("E")},
    words=_PYTHON | frozenset("E I N O Q S oo zoo beta gamma zeta re Function".split()), counts="",
    hints={
        "fma": _TWICE,
        "round": "write floor(x + 1/2), where halves may go up",
        "remainder": "write Mod(x + y/2, y) - y/2, where ties may go up",
    },
)  # fmt: skip

# Excel's SINH is the definition, which loses all digits near 0 (of 1e-12 it has 4 right), and
# nothing says that TANH and the inverses are better. It takes the last difference of a formula for
# 0 where 15 digits cancel: nothing divides by such a difference, and one that is the whole formula
# stands in parentheses, which keep it.
_X, _Y = f"<0:{TIGHT + 1}>", f"<1:{TIGHT + 1}>"
_SERIES = _X + "".join(f"*(1+{_X}^2/{k}" for k in (6, 20, 42, 72, 110)) + ")" * 5
_LARGEST = "MAX(ABS(<0>), ABS(<1>))"


def _log1p(x: str) -> str:
    # u = 1 + x is rounded, and log(u)/(u - 1) hardly changes by that
    size = "<0>" if x == _X else x[1:-1]  # a call has parentheses
    return f"IF(ABS({size})<1E-8, {x}*(1-{x}/2), LN(1+{x})*({x}/((1+{x})-1)))"


def _area(x: str) -> str:
    """An inverse of cosh or sinh as log1p of `x`, which overflows for large operands."""
    return f"IF(ABS(<0>)<1E8, {_log1p(x)}, LN(ABS(<0>))+LN(2))"


def _refined(y: str, x: str, n: str) -> str:
    """A step of Newton's method for the n-th root y of x."""
    return f"{y}*({n}-1+{x}/({y})^{n})/{n}"


EXCEL_DIALECT = Dialect(
    "Excel", "spreadsheet",
    _arithmetic(raised="^") | _compared("=", "<>")
    | _calls(
        "abs=ABS sqrt=SQRT exp=EXP log=LN log:10=LOG10 sin=SIN cos=COS tan=TAN cot=COT sec=SEC"
        " csc=CSC asin=ASIN acos=ACOS atan=ATAN cosh=COSH"
        " erf=ERF sign=SIGN floor=INT min=MIN max=MAX logical_and=AND"
        " logical_or=OR logical_not=NOT conditional=IF erfc=ERFC gamma=GAMMA mod=MOD"
    )
    | {
        "neg": Spelling(f"-{_X}", TIGHT),
        "power": Spelling(f"{_X}^<p>", POW), "pow": Spelling(f"{_X}^<1:{TIGHT + 1}>", POW),
        "atan2": Spelling("ATAN2(<1>, <0>)"), "log:*": Spelling("LOG(<0>, <p>)"),
    }
    | _defined(**{
        "expm1": (
            f"IF(ABS(<0>)<1E-8, {_X}*(1+{_X}/2),"
            f" IF(ABS(<0>)<1, (EXP(<0>)-1)*({_X}/LN(EXP(<0>))), EXP(<0>)-1))", ATOM,
        ),
        "log1p": (_log1p(_X), ATOM),
        "hypot": (
            f"IF(AND({_X}=0, {_Y}=0), 0,"
            f" {_LARGEST}*SQRT(1+(MIN(ABS(<0>), ABS(<1>))/{_LARGEST})^2))", ATOM,
        ),
        "ceil": (f"-INT(-{_X})", TIGHT),
        "cbrt": (f"IF({_X}=0, 0, SIGN(<0>)*{_refined('ABS(<0>)^(1/3)', 'ABS(<0>)', '3')})", ATOM),
        "root:even": (f"IF({_X}=0, 0, {_refined(f'{_X}^(1/<p>)', _X, '<p>')})", ATOM),
        "root:odd": (
            f"IF({_X}=0, 0, SIGN(<0>)*{_refined('ABS(<0>)^(1/<p>)', 'ABS(<0>)', '<p>')})", ATOM,
        ),
        "fmod": ("SIGN(<0>)*MOD(ABS(<0>), ABS(<1>))", MUL),
    })
    | _precise(
        sinh=(f"IF(ABS(<0>)<0.3, {_SERIES}, SINH(<0>))", ATOM),
        tanh=(f"IF(ABS(<0>)<0.3, {_SERIES}/COSH(<0>), TANH(<0>))", ATOM),
        asinh=(f"SIGN(<0>)*{_area(f'(ABS(<0>)+{_X}^2/(1+SQRT(1+{_X}^2)))')}", MUL),
        acosh=(_area(f"({_X}-1+SQRT({_X}-1)*SQRT({_X}+1))"), ATOM),
        atanh=(f"SIGN(<0>)*{_log1p('(2*ABS(<0>)/(1-ABS(<0>)))')}/2", MUL),
        lgamma=(  # GAMMALN takes positive numbers alone
            f"IF({_X}>0, GAMMALN(<0>),"
            f" LN(PI()/ABS(SIN(PI()*({_X}-INT({_X}+1/2)))))-GAMMALN(1-{_X}))", ATOM,
        ),
    ),
    number=str.upper,
    constants={"pi": Spelling("PI()"), "e": Spelling("EXP(1)", ATOM, Lacking.OPERATOR)},
    whole="=<0>", whole_sum="=(<0>)", names="cells", negative=TIGHT, digits=15, longest=8192,
    hints={
        "fma": _TWICE,
        "round": "its ROUND takes halves away from 0: write the formula without rounding",
        "remainder": "write MOD(x + y/2, y) - y/2, where ties may go up",
    },
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
