"""What infix text is refused, as a table: the tokens or the character at hand, the kind, what to
say and, where that is plain, the text that is meant. The parser finds a place; `refuse` raises.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple, NoReturn

from eic_core.errors import RefusalKind
from eic_core.formula.syntax.reading import MAX_DEPTH, MAX_NODES, Report
from eic_core.formula.syntax.tokens import (
    BAD,
    BAR,
    CALL,
    CLOSE,
    CLOSERS,
    END,
    OPEN,
    Pending,
    PendingRow,
    Token,
    TokenRow,
)

BAD_CHARACTER, NOT_SUPPORTED = RefusalKind.BAD_CHARACTER, RefusalKind.NOT_SUPPORTED
CONDITION, DERIVATIVE = RefusalKind.CONDITION, RefusalKind.DERIVATIVE


class Row(NamedTuple):
    """A refusal. Message and hint are templates of the facts that `refuse` is given."""

    kind: RefusalKind
    message: str
    hint: str = ""


def refuse(
    report: Report,
    row: Row,
    span: tuple[int, int],
    mended: str | None = None,
    choices: tuple[tuple[str, str], ...] = (),
    remedy: str = "",
    **facts: str,
) -> NoReturn:
    """Raise for a place. `mended` is the whole text as it is meant; `remedy` what to do, where that
    depends on more than the row.
    """
    report.fail(
        row.message.format(**facts),
        *span,
        row.hint.format(remedy=remedy, **facts),
        mended,
        choices,
        row.kind,
        tuple(facts.values()),
    )


# --- where an operand should have begun: the first row whose tokens these are

_OPENED = frozenset((OPEN, CALL))
_FENCED = _OPENED | {BAR}
_BEGINNING = frozenset[int]()
_LAST = frozenset((END,))
_AT, _BEFORE, _BOTH = (1, 1), (0, 0), (0, 1)
"""Which of the two tokens a refusal shows: the first and the last of them."""


class _Operand(NamedTuple):
    before: frozenset[int] | None  # Kinds of the token before; None: any
    at: frozenset[int] | None
    message: str
    hint: str
    shown: tuple[int, int] = _AT


_MISSING = (
    _Operand(_BEGINNING, _LAST, "there is no formula", "write one, such as `x*y + 1`"),
    _Operand(_BEGINNING, None, "missing operand before `{at}`", "write one or remove it"),
    _Operand(
        _OPENED,
        frozenset((CLOSE,)),
        "nothing between these parentheses",
        "write an operand",
        _BOTH,
    ),
    _Operand(_FENCED, _LAST, "missing operand before the end of the text", "write one", _BEFORE),
    _Operand(_FENCED, None, "missing operand before `{at}`", "write one"),
    _Operand(None, _LAST, "missing operand after `{before}`", "write one or remove it", _BEFORE),
    _Operand(None, None, "missing operand after `{before}`", "write one or remove it"),
)


def refuse_missing_operand(report: Report, tokens: list[TokenRow], index: int) -> NoReturn:
    """Raise for the token where an operand should have begun, or for a bad character anywhere."""
    at = Token._make(tokens[index])
    before = Token._make(tokens[index - 1]) if index else Token(END, "", at.start, at.start)
    if at.kind == BAD:
        refuse_character(report, at)
    kinds = {before.kind} if index else set()
    row = next(
        row
        for row in _MISSING
        if (row.before is None or (kinds <= row.before if index else not row.before))
        and (row.at is None or at.kind in row.at)
    )
    first, last = ((before, at)[place] for place in row.shown)
    written = report.text[before.start : before.end].strip() or before.text
    refuse(
        report,
        Row(RefusalKind.MISSING_OPERAND, row.message, row.hint),
        (first.start, last.end),
        at=at.text,
        before=written,
    )


# --- signs that no formula holds

_QUOTED = Row(BAD_CHARACTER, "text in quotes is not part of a formula", "remove it")
_OF_SHIFTS = "shifts of bits are not supported"
_PIPE = "a pipe is not read"
_DERIVED = Row(DERIVATIVE, "derivatives are not supported", "write the derivative out")
DERIVATIVE_OF_VALUES = Row(DERIVATIVE, "a derivative is not a formula of values", "write it out")
EQUATION = Row(
    RefusalKind.EQUATION, "this is an equation or an assignment", "give only one right-hand side"
)
_ATTRIBUTES = "attributes are not supported"
_TWO = "`{sign}` is two formulas"

_SIGNS = {
    # signs of several characters, of which the parser sees one
    "%/%": Row(
        NOT_SUPPORTED,
        "whole-number division is not supported",
        "write `floor(x/y)` for `x %/% y`",
    ),
    "??": Row(NOT_SUPPORTED, "`??` is not read", "write the value that is meant"),
    "|>": Row(NOT_SUPPORTED, _PIPE, "write `f(x)` for `x |> f`"),
    "%>%": Row(NOT_SUPPORTED, _PIPE, "write `f(x)` for `x %>% f`"),
    "->": Row(BAD_CHARACTER, "an arrow is not read here", "give the formula alone"),
    "/.": Row(NOT_SUPPORTED, "a replacement is not read", "put the value in, and leave `/. …` out"),
    "<<": Row(NOT_SUPPORTED, _OF_SHIFTS, "write `x*2**n`"),
    ">>": Row(NOT_SUPPORTED, _OF_SHIFTS, "write `x/2**n`"),
    "=": EQUATION,
    "'": _QUOTED,
    '"': _QUOTED,
    ".": Row(NOT_SUPPORTED, _ATTRIBUTES, "write a decimal as `0.5`, a product as `x*y`"),
    ":": Row(
        BAD_CHARACTER,
        "`:` has no meaning in a formula",
        "give the formula alone, without what names it",
    ),
    "%": Row(
        BAD_CHARACTER,
        "`%` stands between two operands here",
        "write `mod(x, y)` for a remainder, and `0.2` for `20%`",
    ),
    "@": Row(
        NOT_SUPPORTED,
        "products of matrices are not supported",
        "write `x*y` for a product of numbers",
    ),
    "°": Row(
        NOT_SUPPORTED,
        "degrees are not supported",
        "write an angle in radians, as `5*pi/180` for `5°`",
    ),
    "$": Row(
        BAD_CHARACTER,
        "`$` has no meaning in a formula",
        "write the operator or the name that is meant",
    ),
    "&": Row(
        CONDITION,
        "`&` has no meaning between numbers",
        "it joins conditions, as `x > 0 & y > 0`",
    ),
    "?": Row(CONDITION, "`?` has no meaning here", "a choice is written `x > 0 ? a : b`"),
    "!": Row(
        NOT_SUPPORTED,
        "factorials are not supported",
        "write `gamma(x + 1)` for `x!`, and `6` for `3!`",
    ),
    "∂": _DERIVED,
    "∇": _DERIVED,
    "∫": Row(NOT_SUPPORTED, "integrals are not supported", "write the integral out"),
    "∑": Row(NOT_SUPPORTED, "sums over an index are not supported", "write the terms out"),
    "∏": Row(NOT_SUPPORTED, "products over an index are not supported", "write the factors out"),
    "∞": Row(NOT_SUPPORTED, "`∞` is not a real number", "write a finite number"),
    "±": Row(RefusalKind.SEVERAL, _TWO, "write `+` or `-`"),
    "∓": Row(RefusalKind.SEVERAL, _TWO, "write `+` or `-`"),
    "\\": Row(BAD_CHARACTER, "a backslash has no meaning here", "paste LaTeX whole, or remove it"),
    "_": Row(BAD_CHARACTER, "`_` has no meaning here", "attach a subscript to a name, as in `x_0`"),
}
_UNKNOWN_SIGN = Row(BAD_CHARACTER, "`{sign}` has no meaning in a formula", "{remedy}")
_ACCENT = Row(BAD_CHARACTER, "a sign above a letter is not read", "write `{name}`")
_LIKE_A_SIGN = Row(BAD_CHARACTER, "`{sign}` is no sign of a formula", "write `{meant}`")
_PRIME = Row(
    DERIVATIVE,
    "a prime marks a derivative or a transpose, which are not read",
    "write the formula without it",
)
_ACCENTS = dict(
    zip(
        "\u0304\u0305\u0302\u0303\u0307\u0308\u20d7\u030c",
        "bar bar hat tilde dot ddot vec check".split(),
        strict=True,
    )
)
"""What the signs above a letter are called."""
_LIKE_SIGNS = dict(zip("‐‑‒―﹘－＋＊／⁎✕✖⨯∶", "------+*/****/", strict=True))
"""Signs that look like operators, by what they look like."""
_LONGEST_SIGN = 3
_ENDS_OPERAND = re.compile(r"[\w)\]]")


def refuse_character(report: Report, token: Token) -> NoReturn:
    """Raise for a character that no formula holds."""
    text, (_, sign, start, end, _) = report.text, token
    place = (start, end)
    if sign in _ACCENTS and start:
        name = f"{text[start - 1]}_{_ACCENTS[sign]}"
        refuse(report, _ACCENT, (start - 1, end), text[: start - 1] + name + text[end:], name=name)
    if sign in _LIKE_SIGNS:
        meant = _LIKE_SIGNS[sign]
        refuse(report, _LIKE_A_SIGN, place, text.replace(sign, meant), sign=sign, meant=meant)
    if sign == "'" and start and _ENDS_OPERAND.match(text, start - 1):
        refuse(report, _PRIME, place)
    for size in range(_LONGEST_SIGN, 1, -1):
        for first in range(max(start - size + 1, 0), start + 1):
            row = _SIGNS.get(text[first : first + size])
            if row is not None and first + size > start:
                refuse(report, row, (first, first + size))
    if sign == ".":
        _refuse_attribute(report, token)
    plain = str(int(sign)) if sign.isdecimal() else unicodedata.normalize("NFKC", sign)
    remedy = f"write `{plain}`" if plain != sign and plain.isascii() else "remove it"
    refuse(report, _SIGNS.get(sign[:1], _UNKNOWN_SIGN), place, sign=sign, remedy=remedy)


# --- attributes: a table stands before all its columns, a single letter is as likely a factor

_ATTRIBUTE = re.compile(r"(?<![\w.])([^\W\d]\w{0,39}+)\.(?=[^\W\d])")
_OF_ARRAYS = frozenset("real imag T values shape size iloc loc".split())
_NAME = re.compile(r"[^\W\d]\w*+")
_REFUSED_FUNCTION = Row(NOT_SUPPORTED, "the function `{name}` is not supported", "{remedy}")
_METHOD = Row(
    RefusalKind.UNKNOWN_FUNCTION,
    "the method `{name}` is not known",
    "write it out with operators and functions",
)
_PRIVATE = Row(NOT_SUPPORTED, _ATTRIBUTES, "give the formula alone")
_FACTOR_OR_NAME = Row(
    NOT_SUPPORTED,
    "`{thing}.{name}` is not clear",
    "write `{thing}*{name}` for a product or `{thing}_{name}` for one name",
)
_COLUMN = Row(NOT_SUPPORTED, _ATTRIBUTES, "write a name without a point, such as `{name}`")


def _refuse_attribute(report: Report, token: Token) -> None:
    """Raise for ``df.a``, ``m.a`` and ``x.mul_add(y, z)``, if this point is in one."""
    text, place = report.text, (token.start, token.end)
    things = {match[1] for match in _ATTRIBUTE.finditer(text)}
    match = _NAME.match(text, token.end)
    if match is None or not things or match[0] in _OF_ARRAYS:
        return
    name = match[0][:40]
    if text[match.end() :].lstrip()[:1] == "(":
        remedy = REFUSED_FUNCTIONS.get(match[0])
        if remedy is not None:
            refuse(report, _REFUSED_FUNCTION, place, name=name, remedy=remedy)
        refuse(report, _METHOD, place, name=name)
    if name.startswith("_"):
        refuse(report, _PRIVATE, place)
    thing, joined = next(iter(things)), _ATTRIBUTE.sub(r"\1_", text)
    if len(things) == 1 and len(thing) == 1:
        choices = (("a product", _ATTRIBUTE.sub(r"\1*", text)), ("one name", joined))
        refuse(report, _FACTOR_OR_NAME, place, None, choices, thing=thing, name=name)
    # of two tables the columns are told apart
    refuse(
        report, _COLUMN, place, _ATTRIBUTE.sub("", text) if len(things) == 1 else joined, name=name
    )


# --- brackets

_MOST_CLOSERS = 20
_BAR_BETWEEN = Row(
    CONDITION,
    "`{bars}` between two operands is not read",
    "an absolute value has two bars, as `|x|`; `or` stands between conditions",
)
CLOSED_BY_ANOTHER = Row(
    RefusalKind.MISMATCHED,
    "`{opened}` at column {column} is closed by `{closed}`",
    "write `{meant}`",
)
NESTED = Row(
    RefusalKind.LIMIT,
    f"brackets are nested more than {MAX_DEPTH:,} deep",
    "write the formula with fewer brackets",
)
TOO_MANY_NODES = Row(
    RefusalKind.LIMIT, f"the formula has more than {MAX_NODES:,} nodes", "split it"
)


def refuse_unclosed_bracket(report: Report, pending: list[PendingRow]) -> NoReturn:
    """Raise for the innermost bracket that stays open."""
    opened = Pending._make(pending[-1])
    if opened.name == "|":
        _refuse_bar(report, opened.start)
    closers = "".join(CLOSERS[name] for level, name, *_ in reversed(pending) if level == 0)
    report.fail_unbalanced(
        "parenthesis" if opened.name == "(" else "bracket",
        max(opened.end - 1, opened.start),
        opened.end,
        f"close this `{opened.name}`",
        report.text.rstrip() + closers if len(closers) <= _MOST_CLOSERS else None,
    )


def _refuse_bar(report: Report, place: int) -> None:
    """Raise for a bar between two operands, as in ``x | y`` and ``x || y``, which opens nothing."""
    text, first = report.text, len(report.text[:place].rstrip("| "))
    if first and _ENDS_OPERAND.match(text, first - 1):
        first += len(text[first:place]) - len(text[first:place].lstrip())
        refuse(report, _BAR_BETWEEN, (first, place + 1), bars=text[first : place + 1])


# --- commas, choices and calls

_A_CHOICE = "as in `a if x > 0 else b` or `x > 0 ? a : b`"
COMMA_IN_NUMBER, COMMA_IN_CALL, COMMA_OUTSIDE = (
    Row(kind, "unexpected `{comma}`", f"commas separate a function's arguments; {hint}")
    for kind, hint in (
        (RefusalKind.NUMBER, "the decimal mark is a point"),
        (RefusalKind.ARGUMENTS, "write `{name}(x, y)` without brackets around them"),
        (RefusalKind.SEVERAL, "several formulas are pasted into Compare, here one of them"),
    )
)
LABEL = Row(RefusalKind.EQUATION, "`{name}:` is no part of a formula", "give the formula alone")
RANGE = Row(BAD_CHARACTER, "a range of values is no formula", "give the formula alone")
NO_CONDITION = Row(CONDITION, "`{sign}` has no condition before it", _A_CHOICE)
NO_OTHER_BRANCH = Row(CONDITION, "this choice has no other branch", _A_CHOICE)

_WRONG_COUNT = Row(RefusalKind.ARGUMENTS, "`{name}` takes {wanted}, not {count}", "{remedy}")
_DECIMAL_COMMA = re.compile(r"[0-9],[0-9]")
_OTHER_BRANCH = "give what holds elsewhere, too, as in `{}(x > 0, x, 0)`"
_COMPARED = "write what it is compared with, as in `{}(x, 0)`"
_TOO_FEW = {
    name: hint.format(name)
    for names, hint in (("where if iif ite ifelse", _OTHER_BRANCH), ("max min", _COMPARED))
    for name in names.split()
}
_TOO_MANY = {"round": "rounding to some digits has no operator here: leave them out"}


def refuse_count(
    report: Report, name: str, limits: tuple[int, int], count: int, span: tuple[int, int]
) -> NoReturn:
    """Raise for a call with a wrong number of arguments, with the call that may be meant."""
    low, high = limits
    wanted = f"{low}" if low == high else "1 or 2" if high == 2 else f"{low} or more"
    wanted += " argument" if wanted == "1" else " arguments"
    remedy, mended = _TOO_FEW.get(name.lower(), "separate arguments by commas"), None
    if count > high:
        remedy, mended = _mend_of_excess(report.text, name, span)
    refuse(
        report,
        _WRONG_COUNT,
        span,
        mended,
        remedy=remedy,
        name=name,
        wanted=wanted,
        count=f"{count}",
    )


def _mend_of_excess(text: str, name: str, span: tuple[int, int]) -> tuple[str, str | None]:
    """A hint where a call has arguments too many, and the whole text with another function."""
    start, end = span
    written = text[start:end].partition("(")[0].strip()
    if name in ("atan", "arctan") and written.lower().endswith(name):
        after = start + len(written)
        return "the angle of a point is `atan2(y, x)`", (
            f"{text[: after - len(name)]}atan2{text[after:]}"
        )
    if _DECIMAL_COMMA.search(text, start, end) is not None:
        return "write decimals with a point, or `;` between the arguments", None
    return _TOO_MANY.get(name, "leave out what is too much"), None


# --- functions that are not read, by their names

REFUSED_FUNCTIONS = {
    "factorial": "factorials have no operator here: write gamma(x + 1)",
    "lfactorial": "write lgamma(x + 1)",
    "acot": "write atan(1/x)",
    "arccot": "write atan(1/x)",
    "asec": "write acos(1/x)",
    "arcsec": "write acos(1/x)",
    "acsc": "write asin(1/x)",
    "arccsc": "write asin(1/x)",
    "trunc": "write sign(x)*floor(abs(x))",
    **dict.fromkeys(
        ("binom", "choose", "nchoosek"), "write exp(-log(n + 1) - betaln(n - k + 1, k + 1))"
    ),
    **dict.fromkeys(("lchoose", "lbinom"), "write -log(n + 1) - betaln(n - k + 1, k + 1)"),
    "gauss": "write exp(-x**2)",
    **dict.fromkeys(
        ("diff", "derivative", "grad", "gradient", "deriv"),
        "a derivative is not a formula of values: write it out",
    ),
    **dict.fromkeys(
        ("integrate", "integral", "quad", "trapz", "nintegrate"),
        "an integral is not a formula of values: write it out",
    ),
    **dict.fromkeys(
        ("mean", "average", "std", "median", "variance", "cumsum"),
        "it takes a whole column, a formula the values of one row: write its value as a number",
    ),
    "sum": "write the terms out, as in a + b",
    "nansum": "write the terms out, as in a + b",
    "prod": "write the factors out, as in a*b",
    "product": "write the factors out, as in a*b",
    "norm": "write hypot(x, y)",
    "dot": "write the products out, as in a*c + b*d",
    "limit": "a limit is not a formula of values: write it out",
    "arcctg": "write atan(1/x)",
    **dict.fromkeys(("floor_divide", "floordiv"), "write floor(x/y)"),
    "logsumexp": "write logaddexp(x, y), and logaddexp(logaddexp(x, y), z) for three",
    **dict.fromkeys(("logsubexp", "log_diff_exp", "logdiffexp"), "write x + log(-expm1(y - x))"),
    **dict.fromkeys(("ndtr", "pnorm", "normcdf"), "write erfc(-x/sqrt(2))/2"),
    "swish": "write x/(1 + exp(-x))",
    "silu": "write x/(1 + exp(-x))",
    "gelu": "write x*erfc(-x/sqrt(2))/2",
    "rect": "write where(abs(x) < 0.5, 1, 0)",
    **dict.fromkeys(
        "erfinv erfcinv exp1 expi expn expint digamma airy".split(),
        "it has no operator here",
    ),
    **dict.fromkeys(("asind", "acosd", "atand"), "write asin(x)*180/pi, and so on"),
    "rgamma": "write 1/gamma(x)",
    "divmod": "write floor(x/y) or mod(x, y)",
    "isqrt": "write floor(sqrt(x))",
    "ldexp": "write x*2**n",
    "rdivide": "write x/y",
    "ldivide": "write y/x",
    "vdiv": "write x/y",
    "plogis": "write 1/(1 + exp(-x))",
    "qlogis": "write log(x/(1 - x))",
    **dict.fromkeys(
        ("safediv", "safe_div", "safe_divide"),
        "write where(b == 0, 0, a/b), or deap_div(a, b), which is 1 where b is 0",
    ),
    **dict.fromkeys(
        "delay delay_var lag sma wma mma smm moving_average".split(),
        "it takes other rows, a formula the values of one: make its value a column",
    ),
    "step": "write where(x > 0, 1, 0), or where(x >= 0, 1, 0): tools differ at 0",
    "if_then_else": "write where(c, a, b)",
    **{
        name: f"write x {sign} y"
        for name, sign in zip("lt le gt ge eq ne".split(), "< <= > >= == !=".split(), strict=True)
    },
    "logical": "write where(x > 0, 1, 0), or the comparison itself",
    "select": "write where(c, a, where(d, b, 0)) for np.select([c, d], [a, b])",
}
"""What to write for functions that have no operator, in lower case."""

MISSPELT = {
    "lg": "log10",
    "arcsine": "asin",
    "logarithm": "log",
    "squareroot": "sqrt",
    "lb": "log2",
    "sinus": "sin",
    "sine": "sin",
    "cosinus": "cos",
    "cosine": "cos",
    "tangent": "tan",
    "root": "sqrt",
    "power": "pow",
    "exponential": "exp",
    "wenn": "if",
    "wurzel": "sqrt",
    "racine": "sqrt",
}
"""What is meant by names that are no function's."""
