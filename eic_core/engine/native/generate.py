"""What the build makes of the rows of operators: the text of `operators.h`.

A row's formula, or a rule, that is run on `C` expressions gives its own text.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

from eic_core.engine import doubt, edges
from eic_core.operators import NUMPY, ROWS, Operator
from eic_core.operators.backend import Traced


def _binary(sign: str, *, swapped: bool = False) -> Callable[[C, Any], C]:
    def method(one: C, other: Any) -> C:
        left, right = (C.of(other), one) if swapped else (one, C.of(other))
        return C(f"({left.text} {sign} {right.text})", truth=sign not in "+-*/")

    return method


class C:
    def __init__(self, text: str, truth: bool = False) -> None:
        self.text = text
        self.truth = truth

    @staticmethod
    def of(value: Any) -> C:
        if isinstance(value, C):
            return value
        if isinstance(value, bool):
            return C("1" if value else "0", truth=True)
        number = float(value)
        if math.isnan(number):
            return C("NAN")
        if math.isinf(number):
            return C("INFINITY" if number > 0 else "-INFINITY")
        return C(f"({number!r})" if number < 0 else repr(number))

    def __neg__(self) -> C:
        return C(f"(-{self.text})")

    __add__, __radd__ = _binary("+"), _binary("+", swapped=True)
    __sub__, __rsub__ = _binary("-"), _binary("-", swapped=True)
    __mul__, __rmul__ = _binary("*"), _binary("*", swapped=True)
    __truediv__, __rtruediv__ = _binary("/"), _binary("/", swapped=True)
    __lt__, __le__, __gt__, __ge__ = map(_binary, ("<", "<=", ">", ">="))
    __eq__, __ne__ = _binary("=="), _binary("!=")  # type: ignore[assignment]
    __and__, __or__ = _binary("&"), _binary("|")
    __hash__ = None  # type: ignore[assignment]


class CBackend:
    inf, nan, pi = math.inf, math.nan, math.pi

    def __getattr__(self, name: str) -> Any:
        c_names = {"abs": "fabs", "nint": "rint", "sign": "sign_of", "gamma": "tgamma"}
        plain = "sin cos tan sinh cosh exp log log1p sqrt hypot floor pow erf erfc lgamma".split()
        if name not in c_names and name not in plain and name not in _TRACED:
            raise AttributeError(name)
        function = c_names.get(name, name)
        return lambda *a: C(f"{function}({', '.join(C.of(x).text for x in a)})")

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> C:
        first, one, other = C.of(condition), C.of(a), C.of(b)
        if one.truth and other.truth:
            text = f"(({first.text} && {one.text}) | (!{first.text} && {other.text}))"
            return C(text, truth=True)
        return C(f"choose({first.text}, {one.text}, {other.text})")

    @staticmethod
    def over(a: Any, b: Any) -> C:
        return C.of(a) / b

    @staticmethod
    def number(value: Any) -> C:
        return C.of(float(value))

    @staticmethod
    def maximum(a: Any, b: Any) -> C:
        return C(f"fmax({C.of(a).text}, {C.of(b).text})")

    @staticmethod
    def isfinite(a: Any) -> C:
        return C(f"(fabs({C.of(a).text}) <= DBL_MAX)")


_TRACED = {name: own for name, own in vars(NUMPY).items() if isinstance(own, Traced)}

B = CBackend()

_RULES: dict[str, Callable[..., Any]] = {
    "deviation": lambda B, a, s2, below: edges.deviation(B, a == 0, a, s2, below),
    "moved_by": edges.moved_by,
    "plain_term": edges.plain_term,
    "takes_over": edges.takes_over,
    "edge_term": lambda B, y, a, s2, kappa2, limit, moved: edges.edge_term(
        B, y == 0, a == 0, y, s2, kappa2, limit, moved
    ),
    "lost_phase": doubt.lost_phase,
}


_CHOOSE = """\
/* A choice without a branch: compilers leave loops that hold one without vectors. */
static inline double choose(int first, double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x), memcpy(&y, &b, sizeof y);
    const uint64_t mask = -(uint64_t)(first != 0);
    x = (x & mask) | (y & ~mask);
    memcpy(&a, &x, sizeof a);
    return a;
}
"""


def _near_brink(row: Operator) -> C:
    names = range(row.arity or 0)
    a, s2 = ([C(f"{letter}{i}") for i in names] for letter in "as")
    return C.of(doubt.near_brink(B, row, a, s2, C("leaf0")))


def _suspicion(row: Operator) -> str:
    terms = ""
    if row.waves:
        terms += f" | (a0 * a0 * s0 > {doubt.WAVE_LIMIT**2!r})"
    if row.brink is not None:
        near = _near_brink(row)
        terms += f" | {near.text}"
    return terms


def _loops(row: Operator, arity: int) -> str:
    names = range(arity)
    a = [C(f"a{i}") for i in names]
    kappas = [C.of(k).text for k in row.plain_kappa_squared(B, a, C("y"), C("p"))]
    load = "".join(f"        const double a{i} = A{i}[r], s{i} = S{i}[r];\n" for i in names)
    if row.helper:
        load += "        const double h = H[r];\n"
        kappas = [kappa.replace(f"{row.helper}(a0)", "h") for kappa in kappas]
    # 0 times infinity is nan, which the rules look at again
    terms = "".join(f"        const double t{i} = {kappas[i]} * s{i};\n" for i in names)
    total = " + ".join(["1.0", *(f"t{i}" for i in names)])
    bad = f"!(s <= recheck_s2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX){_suspicion(row)}"
    text = ""
    for suffix, keep in (("", ""), ("_edges", "".join(f" T{i}[r] = t{i};" for i in names))):
        text += (
            f"CLONES static int64_t rows_{row.name}{suffix}(ROWS)\n{{\n    UNPACK;\n"
            "    int64_t bad = 0;\n    INDEPENDENT\n    for (int64_t r = 0; r < n; r++) {\n"
            f"        const double y = Y[r];\n{load}{terms}        const double s = {total};\n"
            f"        S[r] = s;{keep}\n        bad += {bad};\n    }}\n    return bad;\n}}\n"
        )
    return text + _mark(row, arity)


def _mark(row: Operator, arity: int) -> str:
    names = range(arity)
    special = "!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (s != s)" + _suspicion(row)
    zero = "0"
    if row.fixed is not None:  # where the value is 0 because an operand is, every limit is kappa
        zero = f"(y == 0) & ({' | '.join(f'(a{i} == 0)' for i in names)})"
    else:
        special += "".join(f" | (a{i} == w{i})" for i in names)
    load = "".join(
        f"        const double a{i} = A{i}[r], s{i} = S{i}[r];\n        (void)a{i}, (void)s{i};\n"
        for i in names
    )
    return (
        f"CLONES static int64_t mark_{row.name}(ROWS)\n{{\n    UNPACK_MARK;\n    INDEPENDENT\n"
        "    for (int64_t r = 0; r < n; r++) {\n"
        f"        const double y = Y[r], s = S[r];\n{load}"
        f"        MARK({special}, {zero});\n    }}\n    MARKED;\n}}\n"
    )


def _mend(row: Operator, arity: int) -> str:
    names = range(arity)
    a, y, p = [C(f"a{i}") for i in names], C("y"), C("p")
    pole = "0" if row.pole is None else C.of(row.pole(B, a, p)).text
    vanishes = "1" if row.vanishes is None else C.of(row.vanishes(B, a, p)).text
    near = "0"
    if row.brink is not None:
        near = _near_brink(row).text
    if row.waves:
        near = "(lost_phase(a0, s0, k0) != 0)"
    lines = ["const double y = Y[r];"]
    lines += [f"const double a{i} = A{i}[r], s{i} = S{i}[r], z{i} = Z{i}[r];" for i in names]
    if row.helper:
        lines.append("const double h = H[r];")
    parts = zip(
        [C.of(k).text for k in row.kappa_squared(B, a, y, p)],
        [C.of(d).text for d in row.partials(B, a, y, p)],
        [C.of(v).text for v in row.zero_limit(B, a, p)],
        strict=True,
    )
    for i, (kappa, partial, limit) in enumerate(parts):
        lines.append(f"const double k{i} = {kappa};")
        lines.append(f"const double m{i} = moved_by({partial}, deviation(a{i}, s{i}, z{i}));")
        lines.append(f"const double t{i} = edge_term(y, a{i}, s{i}, k{i}, {limit}, m{i});")
    total = " + ".join(["1.0", *(f"t{i}" for i in names)])
    moved = "m0"
    for i in names[1:]:
        moved = f"length_of({moved}, m{i})"
    ordinary = " & ".join(f"(fabs(a{i}) <= DBL_MAX)" for i in names)
    lines += [
        f"const double s = {total}, v = {moved};",
        *(f"if (T{i}) T{i}[r] = t{i};" for i in names),
        "S[r] = s;",
        "V[r] = v;",
        f"found[i] = found_at(y, {pole}, {vanishes}, {ordinary}, {near}, s, recheck_s2, sure);",
        "TELL;",
    ]
    text = "".join(f"            {line}\n" for line in lines)
    if row.helper:
        text = text.replace(f"{row.helper}(choose((a0 == 0.0), 1.0, a0))", "h")  # where a0 is not 0
        text = text.replace(f"{row.helper}(a0)", "h")
    some, every = (
        "        INDEPENDENT\n        for (int64_t i = 0; i < count; i++) {\n"
        f"            const int64_t r = {r};\n{text}        }}\n"
        for r in ("list[i]", "i")
    )
    return (
        f"CLONES static int64_t mend_{row.name}(MEND)\n{{\n    UNPACK_MEND;\n"
        f"    if (count < n) {{\n{some}    }} else {{\n{every}    }}\n    TOLD;\n}}\n"
    )


def _beyond_ufuncs(rows: Iterable[Operator]) -> dict[str, tuple[Traced, int]]:
    """What programs and `kappa2` call that is no ufunc, with how many operands, by its name.

    Raises `ValueError` if two have one name, of which compiled code would have one alone.
    """
    called: dict[str, tuple[Traced, int]] = {}
    for row in rows:
        calls = [] if row.selects else list(row.program(math.nan, row.arity or 2))
        if row.helper:
            calls.append((getattr(NUMPY, row.helper), 0))
        for function, *inputs in calls:
            if not isinstance(function, Traced):
                continue
            other, _ = called.setdefault(function.name, (function, len(inputs)))
            if other != function:
                raise ValueError(
                    f"two functions that C has by their name are called `{function.name}`, one of "
                    f"them in the row of `{row.name}`: give one another name, or let both rows "
                    "call the same `Traced`"
                )
    return called


def _function(name: str, formula: Callable[..., Any]) -> str:
    names = list(signature(formula).parameters)[1:]
    arguments = ", ".join(f"double {n}" for n in names)
    traced = C.of(formula(B, *map(C, names))).text
    return f"static inline double {name}({arguments})\n{{\n    return {traced};\n}}\n"


def _values(function: Traced, count: int) -> str:
    """A loop like those of NumPy's ufuncs."""
    places = range(count)
    load = "".join(
        f"        const double a{i} = *(double *)(args[{i}] + r * steps[{i}]);\n" for i in places
    )
    traced = C.of(function.formula(B, *[C(f"a{i}") for i in places])).text
    return (
        f"void values_{function.name}(char **args, const intptr_t *n, const intptr_t *steps, "
        "void *data)\n{\n    (void)data;\n    INDEPENDENT\n"
        f"    for (intptr_t r = 0; r < n[0]; r++) {{\n{load}"
        f"        *(double *)(args[{count}] + r * steps[{count}]) = {traced};\n    }}\n}}\n"
    )


def header(rows: Iterable[Operator] = ROWS) -> str:
    parts = [_CHOOSE]
    parts += itertools.starmap(_function, _RULES.items())
    parts.append('#include "rules.h"\n')
    parts += [_function(name, own.formula) for name, own in _TRACED.items()]
    numeric = [row for row in rows if row.numeric]  # the reference follows branches
    parts += [_values(*called) for called in _beyond_ufuncs(numeric).values()]
    table = []
    for row in numeric:
        flags = "|".join(
            flag
            for flag, on in (
                ("SELECTS", row.selects),
                ("CROSSES", row.crossing == "value"),
                ("CROSSES_ARGUMENT", row.crossing == "argument"),
                ("KAPPA_FIXED", row.fixed is not None),
                ("EXACT_SUM", row.exact_zeros),
            )
            if on
        )
        if row.selects:
            functions = "rows_of_two, rows_of_two, mark_of_two, mend_two, 0"
            table.append(f'    {{"{row.name}", {functions}, {flags}}},')
            continue
        assert row.arity is not None
        parts += [_loops(row, row.arity), _mend(row, row.arity)]
        outside = "0"
        if row.outside is not None:
            outside = f"outside_{row.name}"
            names = range(row.arity)
            text = C.of(row.outside(B, [C(f"a{i}") for i in names], C("p"))).text
            load = " ".join(f"const double a{i} = A[{i}][r];" for i in names)
            parts.append(
                f"CLONES static int64_t {outside}(int64_t n, const double *const *A, double p, "
                "int64_t *restrict found)\n{\n    int64_t count = 0;\n    (void)p;\n"
                f"    INDEPENDENT\n    for (int64_t r = 0; r < n; r++) {{\n        {load}\n"
                f"        found[r] = -(int64_t)({text});\n        count -= found[r];\n    }}\n"
                "    return count;\n}\n"
            )
        table.append(
            f'    {{"{row.name}", rows_{row.name}, rows_{row.name}_edges, mark_{row.name}, '
            f"mend_{row.name}, {outside}, {flags or '0'}}},"
        )
    parts.append("static const Row TABLE[] = {\n" + "\n".join(table) + "\n};\n")
    return "\n".join(parts)
