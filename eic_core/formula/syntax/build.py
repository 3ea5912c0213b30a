"""Builds nodes from calls and powers: exact exponents, literal bases, functions that expand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

from eic_core.errors import RefusalKind
from eic_core.formula.syntax.reading import MAX_DIGITS, MAX_EXPONENT, Refusal
from eic_core.formula.tree import ALWAYS_EXACT, CONSTANT, VARIABLE, Draft, constant
from eic_core.operators import OPERATORS, Operator, follow

Span = tuple[int, int]
MAX_POWER = 10**300
MANY = 100_000
NOTHING = "none"
"""Label of what stands for an argument that is left out."""
_ONE_OPERAND = ("x input",)
_NAMED = frozenset(("pi", "e", "nan", "true", "false"))
_OF_LITERALS = frozenset((CONSTANT, "neg", "div"))


class Function(NamedTuple):
    name: str  # In lower case
    # low, high: fewest and most arguments
    low: int
    high: int
    # Makes a node of its arguments; may raise `Refusal`
    build: Callable[[list[Draft], Span], Draft]
    parameters: tuple[str, ...] = ()  # As `Writing.parameters` has them
    fills: bool = False  # Whether arguments may be left out before others: `NOTHING` stands there
    stands: str = ""  # What it is read as, of ``x`` and ``y``, where that is noted

    @property
    def note(self) -> str:
        """What is said of a call.

        >>> FUNCTIONS["softplus"].note, FUNCTIONS["sin"].note
        ('`softplus(x)` is read as `logaddexp(x, 0)`', '')
        """
        operands = ", ".join("xy"[: self.low])
        return f"`{self.name}({operands})` is read as `{self.stands}`" if self.stands else ""

    def place_of(self, name: str) -> int:
        """The place of the argument of that name, -1 if there is none.

        >>> FUNCTIONS["log"].place_of("base"), FUNCTIONS["sin"].place_of("axis")
        (1, -1)
        """
        lower = name.lower()
        return next((i for i, each in enumerate(self.parameters) if lower in each.split()), -1)


def number_label(text: str) -> str:
    """A number as written, spelled as `Node.label` spells it. Raises `Refusal` if it is too long or
    too large.

    >>> [number_label(t) for t in (".5", "2.", "1E-03", "2.50", "1e+5")]
    ['0.5', '2', '1e-3', '2.50', '1e5']
    """
    if "e" not in text and "E" not in text and text[0] != "." and text[-1] != ".":
        if len(text) > MAX_DIGITS:
            raise Refusal("this number is too long", f"write at most {MAX_DIGITS} digits")
        return text
    mantissa, mark, exponent = text.replace("E", "e").partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise Refusal("this number is too long", f"write at most {MAX_DIGITS} digits")
    if mantissa[0] == ".":
        mantissa = "0" + mantissa
    elif mantissa[-1] == ".":
        mantissa = mantissa[:-1]
    if not mark:
        return mantissa
    sign = "-" if exponent[0] == "-" else ""
    digits = exponent.lstrip("+-").lstrip("0") or "0"
    if len(digits) > 5 or int(digits) > MAX_EXPONENT:
        raise Refusal("this number is out of range", f"its exponent is limited to ±{MAX_EXPONENT}")
    return f"{mantissa}e{sign}{digits}"


_HEX = re.compile(
    r"([+-]?)(?:0[xX]|#x)([0-9A-Fa-f]*+)\.?+([0-9A-Fa-f]*+)(?:[pP]([+-]?[0-9]{1,6}))?+\Z"
)


def hex_label(text: str) -> str:
    """The label of a hexadecimal number, as a decimal where that is short; "" if the text is none.

    >>> [hex_label(text) for text in ("0x1p-3", "-0x1.8p+1", "#x10", "0x")]
    ['0.125', '-3', '16', '']
    >>> len(hex_label("0x1p-1074"))
    326
    """
    match = _HEX.match(text)
    if match is None or not (match[2] or match[3]) or abs(int(match[4] or 0)) > 3_000:
        return ""
    if len(match[2] + match[3]) > 200:
        return ""
    power = int(match[4] or 0) - 4 * len(match[3])
    value = int(match[2] + match[3], 16) * Fraction(2) ** power
    sign = "-" if match[1] == "-" else ""
    places = value.denominator.bit_length() - 1
    if not places:
        return sign + str(value.numerator)
    if places > 60:
        return f"{sign}{value.numerator}/{value.denominator}"
    digits = str(value.numerator * 5**places).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:].rstrip('0')}"


def constant_label(value: float) -> str:
    """A number as a constant leaf spells it.

    >>> constant_label(-2.50), constant_label(3e-7), constant_label(4.0)
    ('-2.5', '3e-7', '4')
    """
    size = number_label(repr(abs(value)).removesuffix(".0"))
    return f"-{size}" if value < 0 else size


@lru_cache(maxsize=4096)
def _value(label: str) -> Fraction | None:
    return None if label in _NAMED else Fraction(label)


def _number(draft: Draft) -> Fraction | None:
    """The value of a number that may carry one minus."""
    if draft.operator == "neg":
        inner = draft.children[0]
        value = _value(inner.label) if inner.operator == CONSTANT else None
        return None if value is None else -value
    return _value(draft.label) if draft.operator == CONSTANT else None


def literal(draft: Draft) -> Fraction | None:
    """The value of a number or number/number, optionally negated; None for anything else."""
    sign = 1
    if draft.operator == "neg" and draft.children[0].operator == "div":
        draft, sign = draft.children[0], -1
    if draft.operator == "div":
        over, under = _number(draft.children[0]), _number(draft.children[1])
        return sign * over / under if over is not None and under else None
    return _number(draft)


def _is_no_half(label: str) -> bool:
    """Whether a decimal plainly is no half of a whole number, by its digits behind the point.

    >>> [_is_no_half(label) for label in ("0.25", "-1.7", "2.50", "3.0", "25e-2")]
    [True, True, False, False, False]
    """
    decimals = label.partition(".")[2]
    return decimals.rstrip("0") not in ("", "5") and "e" not in decimals


def plain(operator: str, args: list[Draft], span: Span) -> Draft:
    return Draft(operator, args, "", None, span)


def power(args: list[Draft], span: Span) -> Draft:
    """``base ** exponent``, exact for a literal exponent n or n/2; ``e ** u`` is ``exp(u)``."""
    base, exponent = args
    if base.operator == CONSTANT and base.label == "e":
        return Draft("exp", [exponent], span=span)
    operator = exponent.operator
    if operator not in _OF_LITERALS or (operator == CONSTANT and _is_no_half(exponent.label)):
        return Draft("pow", args, "", None, span)
    value = literal(exponent)
    if value is None or value.denominator > 2:
        return Draft("pow", args, span=span)
    if abs(value.numerator) > MAX_POWER * value.denominator:
        raise Refusal("this exponent is out of range", "exact exponents go up to 1e300")
    return Draft("power", [base], parameter=value, span=span, exponent=exponent)


def exponent_label(value: Fraction) -> str:
    """The decimal of an exponent n or n/2.

    >>> exponent_label(Fraction(-1)), exponent_label(Fraction(-7, 2))
    ('-1', '-3.5')
    """
    whole, half = divmod(abs(value.numerator), value.denominator)
    return f"{'-' if value < 0 else ''}{whole}{'.5' if half else ''}"


def with_noisy_exponents(root: Draft) -> Draft:
    """Make operands of the literal exponents below `root` and at it, but for 2 and 3, in place."""
    pending, seen = [root], {id(root)}
    while pending:
        draft = pending.pop()
        exponent, value = draft.exponent, draft.parameter
        if exponent is not None and value is not None and value not in ALWAYS_EXACT:
            decimal = exponent.operator == CONSTANT and "/" not in exponent.label
            label = exponent.label if decimal else exponent_label(value)
            draft.operator, draft.parameter, draft.exponent = "pow", None, None
            draft.children = [*draft.children, constant(label, exponent.span)]
        for child in draft.children:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)
    return root


def exact_power(args: list[Draft], span: Span) -> Draft:
    """``pow_exact(u, k)``: always the exact power, whatever `u` is."""
    value = literal(args[1])
    if value is None or value.denominator > 2 or abs(value) > MAX_POWER:
        raise Refusal("an exact exponent is a whole number or a half", "write pow(u, v)")
    return Draft("power", [args[0]], parameter=value, span=span)


def logarithm(args: list[Draft], span: Span) -> Draft:
    """``log(u)`` or ``log(u, base)``; a literal base is part of the operator."""
    if len(args) == 1:
        return Draft("log", args, span=span)
    argument, base = args
    if base.operator == CONSTANT and base.label == "e":
        return Draft("log", [argument], span=span)
    value = literal(base)
    if value is None:
        return plain(
            "div", [Draft("log", [argument], span=span), Draft("log", [base], span=span)], span
        )
    if value <= 0 or value == 1:
        raise Refusal("the base of a logarithm is positive and not 1", "write another base")
    return log_base(value, [argument], span)


def log_base(base: Fraction, args: list[Draft], span: Span) -> Draft:
    """A logarithm with an exact base, which is positive and not 1."""
    return Draft("log", args, parameter=base, span=span)


def root(args: list[Draft], span: Span) -> Draft:
    """``root(u, n)``: exact for a literal whole n, else ``u ** (1/n)``."""
    argument, index = args
    value = literal(index)
    if value is None:
        return Draft("pow", [argument, plain("div", [constant("1", span), index], span)], span=span)
    if value.denominator != 1 or value < 2 or value > MAX_POWER:
        raise Refusal("a root's index is a whole number from 2", "write u**(1/n)")
    return Draft("root", [argument], parameter=value, span=span)


def fold(operator: str, args: list[Draft], span: Span) -> Draft:
    """``f(a, b, c)`` as ``(a f b) f c``, for n-ary sums; a single operand comes back as it is."""
    left = args[0]
    for right in args[1:]:
        left = Draft(operator, [left, right], span=span)
    return left


def chain(operators: tuple[str, ...], args: list[Draft], span: Span) -> Draft:
    """Unary operators applied to one operand, the innermost first."""
    draft = args[0]
    for operator in operators:
        draft = Draft(operator, [draft], span=span)
    return draft


def parts_of(root: Draft) -> list[Draft]:
    """Every part of a tree once, operands before what they are operands of."""
    done: dict[int, Draft] = {}
    todo = [root]
    while todo:
        draft = todo[-1]
        missing = [child for child in draft.children if id(child) not in done]
        if missing and id(draft) not in done:
            todo += missing
        else:
            done[id(todo.pop())] = draft
    return [*done.values()]


def slots_in(body: Draft, places: Mapping[str, int]) -> dict[int, int]:
    """The leaves of a body that are its parameters, whose labels have these places."""
    return {
        id(draft): places[draft.label]
        for draft in parts_of(body)
        if draft.operator == VARIABLE and draft.label in places
    }


def put_in(body: Draft, operands: dict[int, Draft], span: Span) -> Draft:
    """A copy of a tree at `span`, with operands in place of some of its leaves. A power whose
    exponent becomes a number is exact, as if it were written there.
    """
    copies = dict(operands)
    for draft in parts_of(body):
        if id(draft) not in copies:
            children = [copies[id(child)] for child in draft.children]
            copies[id(draft)] = (
                power(children, span)
                if draft.operator == "pow"
                else Draft(
                    draft.operator, children, draft.label, draft.parameter, span, draft.exponent
                )
            )
    return copies[id(body)]


_READERS: list[Callable[[str], Draft]] = []
"""What reads definitions: it is made of what is built here."""


def read_definitions_by(reader: Callable[[str], Draft]) -> None:
    _READERS[:] = [reader]


@lru_cache(maxsize=256)
def definition(text: str) -> Draft:
    """What a definition in ``x`` and ``y`` says."""
    return _READERS[0](text)


def _by_definition(text: str, args: list[Draft], span: Span) -> Draft:
    body = definition(text)
    slots = slots_in(body, {"x": 0, "y": 1})
    return put_in(body, {leaf: args[place] for leaf, place in slots.items()}, span)


def _clip(args: list[Draft], span: Span) -> Draft:
    """``clip(u, low, high)``, as NumPy has it; one of the two may be left out."""
    if all(arg.label == NOTHING for arg in args[1:]):
        raise Refusal("neither a least nor a greatest value is given", "give one of them")
    draft = args[0]
    for operator, bound in zip(("max", "min"), args[1:], strict=True):
        if bound.label != NOTHING:
            draft = plain(operator, [draft, bound], span)
    return draft


def _with_parameter(operator: str, arity: int, args: list[Draft], span: Span) -> Draft:
    """``f(u, k)`` with a number k that belongs to the operator."""
    operands, given = args[:arity], args[arity:]
    value = literal(given[0]) if given else None
    if given and value is None:
        raise Refusal("this argument is part of the function", "write a number")
    return Draft(operator, operands, parameter=value, span=span)


_PARTLY_EXACT: dict[str, tuple[int, int, Callable[[list[Draft], Span], Draft]]] = {
    "pow": (2, 2, power),
    "power": (2, 2, exact_power),
    "root": (2, 2, root),
    "log": (1, 2, logarithm),
}
"""Operators of which a call may mean another: a literal exponent, index or base is exact."""


def _of_row(row: Operator) -> Function:
    """What a call of an operator by one of its names builds."""
    function = _called(row)
    given = row.writing.parameters or (_ONE_OPERAND if row.arity == 1 else ())
    return function._replace(parameters=given)


def _called(row: Operator) -> Function:
    if row.name in _PARTLY_EXACT:
        return Function(row.name, *_PARTLY_EXACT[row.name])
    if row.arity is None:
        return Function(row.name, 2, MANY, partial(plain, row.name))
    if row.has_parameter:
        low, high = row.arity + row.needs_parameter, row.arity + 1
        return Function(row.name, low, high, partial(_with_parameter, row.name, row.arity))
    if row.writing.folds:
        return Function(row.name, 2, MANY, partial(fold, row.name))
    return Function(row.name, row.arity, row.arity, partial(plain, row.name))


_DEFINED = {
    "ln": "log(x)",
    "log2 safe_log2": "log(x, 2)",
    "log10 safe_log10": "log(x, 10)",
    "inv reciprocal": "x**-1",
    "square sq sqr abs2 pow2 n2": "x**2",
    "cube pow3 n3": "x**3",
    "pow4 n4": "x**4",
    "coth": "tanh(x)**-1",
    "sech": "cosh(x)**-1",
    "csch": "sinh(x)**-1",
    "acoth arccoth arcoth": "atanh(1/x)",
    "asech arcsech arsech": "acosh(1/x)",
    "acsch arccsch arcsch": "asinh(1/x)",
    "sqrtabs sqrt_abs": "sqrt(abs(x))",
    "logabs log_abs": "log(abs(x))",
    "powabs pow_abs": "abs(x)**y",
    "aq": "x/sqrt(1 + y**2)",
    "sigmoid logistic sig expit": "1/(1 + exp(-x))",
    "logit": "log(x/(1 - x))",
    "rsqrt": "sqrt(x)**-1",
    **{f"{name}pi": f"{name}(x*pi)" for name in ("sin", "cos", "tan")},
    **{f"{name}d": f"{name}(x*pi/180)" for name in ("sin", "cos", "tan")},
    "deg2rad radians": "x*pi/180",
    "rad2deg degrees": "x*180/pi",
    "relu": "max(0, x)",
    "exp2": "2**x",
    "exp10": "10**x",
}
"""Functions that stand for others, by their names, of ``x`` and ``y``."""

_STABLE = {
    "softplus log1pexp log1p_exp": "logaddexp(x, 0)",
    "logsigmoid log_sigmoid log_expit log_inv_logit": "-logaddexp(0, -x)",
    "beta_function": "exp(betaln(x, y))",
    "xlogy": "where(x == 0, 0, x*log(y))",
    "xlog1py": "where(x == 0, 0, x*log1p(y))",
    "cosm1": "-2*sin(x/2)**2",
    "log1m_exp": "where(x > -0.7, log(-expm1(x)), log1p(-exp(x)))",
    "normalized_sinc": "where(x == 0, 1, sin(pi*x)/(pi*x))",
    "unnormalized_sinc": "where(x == 0, 1, sin(x)/x)",
}
"""The same of functions that somebody made against a loss: a form that has none, which is noted."""


_ASKED = {
    "sinc": ("sin(pi*x)/(pi*x)", "normalized_sinc({})", "sin(x)/x", "unnormalized_sinc({})"),
    "log1mexp": ("log(1 - exp(x))", "log1m_exp({})", "log(1 - exp(-x))", "log1m_exp(-({}))"),
}
"""Functions that libraries do not agree on: what each may be, and how that is written."""


def _ask(name: str, args: list[Draft], span: Span) -> Draft:
    one, first, other, second = _ASKED[name]
    raise Refusal(
        f"libraries do not agree on what `{name}(x)` is",
        f"write `{first.format('x')}` for {one}, `{second.format('x')}` for {other}",
        RefusalKind.NOT_SUPPORTED,
        ((one, first), (other, second)),
        args[0].span,
    )


def _expansions() -> dict[str, Function]:
    """Functions that stand for several operators, or for one with a fixed parameter."""
    table = {"pow_noisy": Function("pow_noisy", 2, 2, partial(plain, "pow"))}
    for names, text in (_DEFINED | _STABLE).items():
        count = 2 if _SECOND.search(text) else 1
        parameters = _ONE_OPERAND if count == 1 else ()
        for name in names.split():
            function = Function(name, count, count, partial(_by_definition, text), parameters)
            table[name] = function._replace(stands=_STABLE.get(names, ""))
    table |= {name: Function(name, 1, 1, partial(_ask, name), _ONE_OPERAND) for name in _ASKED}
    bounds = ("x a input", "a_min min lower low lo", "a_max max upper high hi")
    for name in ("clip", "clamp"):
        table[name] = Function(name, 3, 3, _clip, bounds, fills=True)
    return table


_SECOND = re.compile(r"\by\b")
_DOUBLE = "sqrt exp log log10 abs sin cos tan asin acos atan atan2 sinh cosh tanh"
_OLD_FORTRAN = {
    "alog": "log",
    "alog10": "log10",
    "amax1": "max",
    "amin1": "min",
    "dmax1": "max",
    "dmin1": "min",
    "pmax": "max",
    "pmin": "min",
}
"""Functions by the names of Fortran 77, and R's `pmax` and `pmin`."""

FUNCTIONS: dict[str, Function] = {}
"""Every function that a formula may call, by lower-case name."""


def _refresh() -> None:
    """Keep `FUNCTIONS` in step with the operator table."""
    table = _expansions()
    for row in OPERATORS.values():
        function = _of_row(row)
        table |= {name: function._replace(name=name) for name in row.names}
    for name in _DOUBLE.split():  # of old Fortran, which names functions by their types
        table[f"d{name}"] = table[name]._replace(name=f"d{name}")
    for name, meant in _OLD_FORTRAN.items():
        table[name] = table[meant]._replace(name=name)
    for name in FUNCTIONS.keys() - table.keys():
        del FUNCTIONS[name]
    FUNCTIONS.update(table)


follow(_refresh)
