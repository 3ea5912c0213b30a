"""Expressions of SymPy, in and out.

In: the text that SymPy would compute by, with all digits, which is then read like any other. Out:
a tree of the same operations, which SymPy neither orders nor simplifies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from decimal import Context, Decimal
from typing import Any, NamedTuple

from eic_core.errors import FormulaError, UserError, require
from eic_core.formula.syntax.names import canonical_name
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula
from eic_core.operators import OPERATORS
from eic_core.operators.dialects import SYMPY_DIALECT

_SUM, _SIGN, _PRODUCT, _POWER, _ATOM = range(5)
_INFINITIES = frozenset("Infinity NegativeInfinity ComplexInfinity NaN ImaginaryUnit".split())


class _Part(NamedTuple):
    text: str
    binds: int  # How tightly

    def within(self, least: int) -> str:
        return self.text if self.binds >= least else f"({self.text})"


def sympy_text(expression: Any) -> str:
    """An expression of SymPy as a text that reads to the tree by which SymPy computes it.

    Where SymPy keeps an expression in the order in which it was built (`evaluate=False`), so does
    the text; else it has SymPy's printed order. Floats have all their digits, which `str` cuts.

    Raises `FormulaError` for what is no formula of real numbers.
    """
    try:
        return _part(expression).text
    except RecursionError:
        raise _refusal("the expression is nested too deeply", "", "split it") from None


def names_in(expression: Any) -> Collection[str]:
    """The names of its symbols, each of which must stay one variable."""
    if not hasattr(expression, "free_symbols"):
        raise UserError(
            f"a formula is a text or an expression of SymPy, not {type(expression).__name__}"
        )
    names = sorted(str(symbol) for symbol in expression.free_symbols)
    by_variable: dict[str, str] = {}
    for name in names:
        other = by_variable.setdefault(canonical_name(name), name)
        if not name.isidentifier():
            message = f"a formula cannot have the variable `{name}`"
            raise _refusal(message, name, "give the symbol another name")
        if other != name or names.count(name) > 1:
            message = f"the symbols `{other}` and `{name}` are one variable"
            raise _refusal(message, name, "give one of them another name")
    return names


def _part(e: Any) -> _Part:
    kind = type(e).__name__
    if getattr(e, "is_Symbol", False):
        return _Part(str(e), _ATOM)
    if getattr(e, "is_Number", False) and kind not in _INFINITIES:
        return _number(e)
    if kind in ("Pi", "Exp1"):
        return _Part("pi" if kind == "Pi" else "E", _ATOM)
    if kind == "UnevaluatedExpr":
        return _part(e.args[0])
    if kind in ("BooleanTrue", "BooleanFalse"):
        return _Part(kind.removeprefix("Boolean"), _ATOM)
    if getattr(e, "is_Add", False):
        return _sum(e)
    if getattr(e, "is_Mul", False):
        return _product(e) if _is_ordered(e) else _product_as_built(e.args)
    if getattr(e, "is_Pow", False):
        return _power(e)
    if kind == "ExprCondPair":
        return _Part("({}, {})".format(*(_part(each).text for each in e.args)), _ATOM)
    if getattr(e, "is_Relational", False) and kind not in ("Equality", "Unequality"):
        left, right = (_part(each).within(_SIGN) for each in e.args)
        return _Part(f"{left} {e.rel_op} {right}", _SUM)
    defined = type(type(e)).__name__ != "UndefinedFunction"
    if defined and any(getattr(e, f"is_{what}", False) for what in _CALLED):
        name = {"Equality": "Eq", "Unequality": "Ne", "Cbrt": "cbrt"}.get(kind, kind)
        return _Part(f"{name}({', '.join(_part(each).text for each in e.args)})", _ATOM)
    if not defined:
        raise _refusal(f"`{kind}` is a function without a definition", e, "write it out")
    raise _refusal(f"SymPy's {kind} is no formula of real numbers", e, "give its value")


def _refusal(message: str, e: Any, hint: str) -> FormulaError:
    source = str(e)
    return FormulaError(message, source=source, span=(0, len(source)), hint=hint)


_CALLED = ("Function", "Boolean", "Relational", "Piecewise")


def _number(e: Any) -> _Part:
    if e.is_Float:
        double = float(e)
        text = repr(double) if e._prec == 53 and double == e else _all_digits(e)
    elif e.is_Integer:
        text = str(e)
    else:
        return _Part(f"Rational({e.p}, {e.q})", _ATOM)
    return _Part(text.replace("E+", "e").replace("E", "e"), _SIGN if e < 0 else _ATOM)


def _all_digits(e: Any) -> str:
    """A number of another precision or range than a double's."""
    sign, mantissa, exponent, _ = e._mpf_
    digits = int(e._prec * 0.30103)
    context = Context(prec=digits + 6)
    value = context.multiply(Decimal(int(mantissa)), context.power(Decimal(2), exponent))
    shown = Context(prec=digits)
    return str(shown.plus(-value if sign else value).normalize(shown))


def _is_ordered(e: Any) -> bool:
    """Whether SymPy itself builds it so: then its order is SymPy's, and the printed one counts."""
    built = not e.args or e.func(*e.args).args == e.args
    return bool(built) and all(map(_is_ordered, e.args))


def _sum(e: Any) -> _Part:
    ordered = _is_ordered(e)
    text = ""
    for term in e.as_ordered_terms() if ordered else e.args:
        positive, minus = term, False
        if ordered and term.as_coeff_Mul()[0].is_extended_negative:
            positive, minus = -term, True
        elif term.is_Mul and len(term.args) == 2 and term.args[0] == -1 and text:
            positive, minus = term.args[1], not term.args[0].is_Float
            positive = positive if minus else term
        part = _part(positive)
        if not text:
            text = f"-{part.within(_PRODUCT)}" if minus else part.text
        else:
            text += f" {'-' if minus else '+'} {part.within(_PRODUCT)}"
    return _Part(text, _SUM)


def _product(e: Any) -> _Part:
    """As SymPy prints a product: a sign, then a quotient."""
    coefficient = e.as_coeff_Mul()[0]
    if coefficient.is_extended_negative:
        positive = _part(-e)
        return _Part(f"-{positive.within(_PRODUCT)}", _SIGN)
    above, below = [], []
    for factor in e.as_ordered_factors():
        exact = getattr(factor, "is_Rational", False)
        if exact and not factor.is_Integer:
            above += [] if factor.p == 1 else [str(factor.p)]
            below.append(str(factor.q))
        elif factor.is_Pow and _is_below(factor.exp):
            below.append(_part(factor.base**-factor.exp).within(_POWER))
        else:
            above.append(_part(factor).within(_POWER if above else _PRODUCT))
    product = "*".join(above) or "1"
    if not below:
        return _Part(product, _PRODUCT)
    divisor = "*".join(below)
    return _Part(f"{product}/{divisor if len(below) == 1 else f'({divisor})'}", _PRODUCT)


def _is_below(exponent: Any) -> bool:
    coefficient = exponent.as_coeff_Mul()[0]
    return bool(coefficient.is_Rational and coefficient.is_negative)


def _product_as_built(factors: tuple[Any, ...]) -> _Part:
    first, *rest = factors
    if first == -1 and first.is_Integer and rest:
        inner = _part(rest[0]) if len(rest) == 1 else _product_as_built(tuple(rest))
        number = len(rest) == 1 and rest[0].is_Number  # a sign before it would be its own
        return _Part(f"-({inner.text})" if number else f"-{inner.within(_POWER)}", _SIGN)
    text = _part(first).within(_PRODUCT)
    for factor in rest:
        if factor.is_Pow and factor.exp == -1 and factor.exp.is_Integer:
            text += f"/{_part(factor.base).within(_POWER)}"
        else:
            text += f"*{_part(factor).within(_POWER)}"
    return _Part(text, _PRODUCT)


def _power(e: Any) -> _Part:
    base, exponent = e.args
    if exponent.is_Rational:
        size = abs(exponent.p), exponent.q
        if exponent.p < 0 and size in ((1, 1), (1, 2)):
            return _Part(f"1/{_part(base**-exponent).within(_POWER)}", _PRODUCT)
        if size == (1, 2):
            return _Part(f"sqrt({_part(base).text})", _ATOM)
    of = _part(exponent)
    if exponent.is_Rational and not exponent.is_Integer:
        of = _Part(str(exponent), _PRODUCT)
    return _Part(f"{_part(base).within(_ATOM)}**{of.within(_ATOM)}", _POWER)


def to_sympy(formula: Formula, *, evaluate: bool = False) -> Any:
    """A formula as an expression of SymPy.

    Parameters
    ----------
    formula
        Its variables become symbols without assumptions.
    evaluate
        Whether SymPy may order and simplify it; otherwise it is the tree as written.

    Returns
    -------
    Any
        Exponents -1, 1/2 and below -1 are floats, because SymPy writes such powers as quotients
        and roots. Odd roots are of the absolute value, with the sign, so that they stay real.

    Raises
    ------
    FormulaError
        If SymPy has no such function.
    UserError
        If SymPy is not installed, or `formula` is no tree.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> to_sympy(read("x + 1 - x").formula), to_sympy(read("x + 1 - x").formula, evaluate=True)
    (-x + (x + 1), 1)
    """
    require(formula, Formula)
    try:
        import sympy
    except ImportError:
        raise UserError("SymPy is not installed", hint="`pip install sympy`") from None
    built = _Building(sympy)
    stack: list[Any] = []
    with sympy.evaluate(evaluate):
        for node in formula.nodes:
            operands = [stack[child] for child in node.children]
            if node.operator == VARIABLE:
                stack.append(sympy.Symbol(node.label))
            elif node.operator == CONSTANT:
                stack.append(built.number(node.label))
            else:
                if OPERATORS[node.operator].numeric:
                    operands = [built.counted(each) for each in operands]
                stack.append(built.node(node.operator, operands, node.parameter))
    return stack[-1]


_CALLS: Mapping[str, str] = {
    pair.partition("=")[0]: pair.rpartition("=")[2]
    for pair in (
        "abs=Abs min=Min max=Max ceil=ceiling mod=Mod lgamma=loggamma sqrt exp sin cos tan cot sec"
        " csc asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc gamma sign floor"
        " expm1 log1p hypot less_than=Lt less_equal=Le greater_than=Gt greater_equal=Ge"
        " equal_to=Eq not_equal=Ne logical_and=And logical_or=Or logical_not=Not"
    ).split()
}


class _Building:
    """Nodes of SymPy by our operators."""

    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy
        self.special: Mapping[str, Callable[..., Any]] = {
            "add": lambda p, a, b: a + b,
            "sub": lambda p, a, b: a + sympy.Mul(-1, b),
            "mul": lambda p, a, b: a * b,
            "div": lambda p, a, b: a / b,
            "neg": lambda p, a: sympy.Mul(-1, a),  # the sign of a product would join its factors
            "pow": lambda p, a, b: a**b,
            "power": lambda p, a: a ** self._exponent(p),
            "log": lambda p, a: sympy.log(a) if p is None else sympy.log(a, self._fraction(p)),
            "cbrt": lambda p, a: self._root(a, 3),
            "root": lambda p, a: self._root(a, p.numerator),
            "erfcx": lambda p, a: sympy.exp(a**2) * sympy.erfc(a),
            "betaln": lambda p, a, b: sympy.log(sympy.beta(a, b)),
            "logaddexp": lambda p, a, b: sympy.log(sympy.exp(a) + sympy.exp(b)),
            "fmod": lambda p, a, b: sympy.sign(a) * sympy.Mod(sympy.Abs(a), sympy.Abs(b)),
            "conditional": lambda p, c, a, b: sympy.Piecewise(
                (self.counted(a), self._condition(c)), (self.counted(b), True)
            ),
        }

    def number(self, label: str) -> Any:
        if label in ("pi", "e", "nan"):
            return getattr(self.sympy, {"e": "E"}.get(label, label))
        if "/" in label or label.lstrip("-").isdigit():
            return self.sympy.Rational(label)
        # a double where that is the number written, else all of its digits
        exact = Decimal(label) == Decimal(repr(float(label)))
        return self.sympy.Float(label, 15 if exact else max(17, len(label)) + 3)

    def node(self, operator: str, operands: list[Any], parameter: Any) -> Any:
        if operator in self.special:
            return self.special[operator](parameter, *operands)
        if operator not in _CALLS:
            hint = SYMPY_DIALECT.hints.get(operator, "write out what it is")
            raise _refusal(f"SymPy has no function `{operator}`", operator, hint)
        name = _CALLS[operator]
        from sympy.codegen import cfunctions

        home = self.sympy if hasattr(self.sympy, name) else cfunctions
        return getattr(home, name)(*operands)

    def counted(self, value: Any) -> Any:
        """A truth value as the number that it counts."""
        return self.sympy.Piecewise((1, value), (0, True)) if self._is_truth(value) else value

    def _is_truth(self, value: Any) -> bool:
        return isinstance(value, self.sympy.logic.boolalg.Boolean) and not value.is_Symbol

    def _condition(self, value: Any) -> Any:
        return value if self._is_truth(value) else self.sympy.Ne(value, 0)

    def _fraction(self, value: Any) -> Any:
        return self.sympy.Rational(value.numerator, value.denominator)

    def _exponent(self, value: Any) -> Any:
        if value < 0 or 2 * value == 1:
            return self.sympy.Float(float(value))
        return self._fraction(value)

    def _root(self, value: Any, index: int) -> Any:
        share = self.sympy.Rational(1, index)
        if index % 2 == 0:
            return value**share
        return self.sympy.sign(value) * self.sympy.Abs(value) ** share
