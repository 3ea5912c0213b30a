"""Products, quotients and roots of which parts leave the range of doubles, and they do not."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import islice

from eic_core.formula.tree import CONSTANT
from eic_core.operators.forms import ALWAYS_POSITIVE
from eic_core.rewriting.builder import HALF, ONE, Builder, Weighted
from eic_core.rewriting.families.numbers import rational_power
from eic_core.rewriting.matching import SUMS, exponent_of
from eic_core.rewriting.polynomials import polynomial_of, ways_to_write
from eic_core.rewriting.rules import Assumption, Named
from eic_core.rewriting.terms import Term

MAX_DIVISORS = 4

MAX_LEADING = 4
"""A quotient is divided through by at most so many terms."""

_GROWING = ("exp", "pow", "cosh", "sinh")


def dividing_through(build: Builder, number: int) -> Named:
    """A quotient of sums, each of them over the term that is the largest somewhere.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> for text in ("v*x**n/(x**n + c)", "(a + exp(x))/(b + exp(x))", "x*y/(x**3 + y**3)"):
    ...     found = dividing_through(Builder(terms), terms.add(read(text).formula))
    ...     print(*[to_python(terms.formula(row[1])) for row in found])
    v/(1 + c/x**n)
    (a*exp(-x) + 1)/(b*exp(-x) + 1)
    y/x/x/(1 + (y/x)**3) x/y/y/((x/y)**3 + 1)
    """
    factors = build.powers(build.factors_of(number))
    sums = [
        (f, leading_terms(build, f.term)) for f in factors if build.terms[f.term].operator in SUMS
    ]
    others = [f for f in factors if build.terms[f.term].operator not in SUMS]
    if len(sums) == 1 and not any(build.terms.has_variables(f.term) for f in others):
        return
    choices = {kind: term for _, leading in sums for kind, term in leading.items()}
    for kind, chosen in islice(choices.items(), MAX_LEADING):
        outer, inner, divisors = list(others), list[Weighted](), list[Weighted]()
        for (exponent, total), leading in sums:
            near = [term for term in leading.values() if _share_a_letter(build, term, chosen)]
            by = build.powers(build.factors_of(leading.get(kind, near[0]))) if near else []
            over = divided(build, total, by)
            if over is not None:
                inner.append(Weighted(exponent, over))
            outer += [Weighted(exponent * weight, factor) for weight, factor in by]
            divisors += by
        pulled = balanced(build, outer)
        if pulled is not None and len(inner) == len(sums):
            whole = build.product_of([Weighted(ONE, pulled), *inner])
            if whole is not None:
                yield "dividing through", whole, signed(build, divisors, "!=")


def roots_of_sums(build: Builder, number: int) -> Named:
    """A root of a sum as that of its largest term and of the rest.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> for text in ("cbrt(x**3 + y)", "sqrt(x**6 + 1)", "(x**n + y**n)**(1/n)"):
    ...     found = roots_of_sums(Builder(terms), terms.add(read(text).formula))
    ...     print(*[to_python(terms.formula(row[1])) for row in found])
    x*cbrt(1 + y/x/x**2)
    abs(x)**3*sqrt(1 + 1/x**6)
    x*(1 + (y/x)**n)**(1/n) y*((x/y)**n + 1)**(1/n)
    """
    term = build.terms[number]
    inside, *others = term.children
    exponent = exponent_of(term.operator, term.parameter)
    if build.terms[inside].operator not in SUMS or exponent and exponent.denominator == 1:
        return
    for leading in islice(leading_terms(build, inside).values(), MAX_LEADING):
        by = build.powers(build.factors_of(leading))
        over = divided(build, inside, by)
        is_square = [f.weight for f in by] == [2] and not _grows(build, by[0].term)
        if over is None or is_square and exponent == HALF:  # a hypotenuse
            continue
        rest = build.terms.intern(term.operator, (over, *others), parameter=term.parameter)
        relation = "!=" if _has_any_sign(build, term, by) else ">"
        pulled = [p for factor in by for p in _root(build, term, factor, relation == ">")]
        whole = build.product_of([*pulled, Weighted(ONE, rest)])
        if whole is not None:
            yield "dividing through", whole, signed(build, by, relation)


def roots_of_products(build: Builder, number: int) -> Named:
    """A root of a product by those of its factors, the root of a square and a product by these.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> for text in ("sqrt(4*(a*c))", "sqrt(b**2 + c*d)"):
    ...     for row in roots_of_products(Builder(terms), terms.add(read(text).formula)):
    ...         print(to_python(terms.formula(row[1])))
    2*sqrt(a)*sqrt(c)
    2*sqrt(abs(a))*sqrt(abs(c))
    hypot(b, sqrt(abs(c))*sqrt(abs(d)))
    sqrt(abs(b) - sqrt(abs(c))*sqrt(abs(d)))*sqrt(abs(b) + sqrt(abs(c))*sqrt(abs(d)))
    """
    term, put = build.terms[number], build.terms.intern
    (inside,) = term.children
    chain, factors = build.terms_of(inside), build.powers(build.factors_of(inside))
    if len(chain) == 1:
        plain = _root_of_product(build, term, inside, is_plain=True)
        root = _root_of_product(build, term, inside)
        if plain is not None and root is not None:
            yield "root of a product", plain, signed(build, factors, ">=")
            yield "root of a product", root
    if len(chain) != 2 or term.operator != "sqrt":
        return
    for square, (sign, other) in (chain, chain[::-1]):
        powers = build.powers(build.factors_of(square.term))
        side = _root_of_product(build, term, other)
        if side is None or square.weight < 0 or [f.weight for f in powers] != [2]:
            continue
        leg, minus = powers[0].term, build.neg(other)
        added, taken = (other, minus) if sign > 0 else (minus, other)
        yield "discriminant", put("hypot", (leg, side)), (Assumption(added, ">="),)
        size = put("abs", (leg,))
        roots = [put("sqrt", (put(operator, (size, side)),)) for operator in ("sub", "add")]
        needed = (Assumption(taken, ">="), Assumption(inside, ">"))
        yield "discriminant", put("mul", (roots[0], roots[1])), needed


def leading_terms(build: Builder, total: int) -> dict[int, int]:
    """What grows in each term of a sum, exponentials and powers, by kind."""
    grown: dict[int, int] = {}
    for _, term in build.terms_of(total):
        factors = build.powers(build.factors_of(term))
        whole = build.product_of(
            [f for f in factors if f.weight > 1 or f.weight == 1 and _grows(build, f.term)]
        )
        if whole is not None and build.terms.has_variables(whole):
            grown.setdefault(build.terms.kind(whole), whole)
    return grown


def _grows(build: Builder, number: int) -> bool:
    return build.terms[number].operator in _GROWING and build.terms.has_variables(number)


def _share_a_letter(build: Builder, one: int, other: int) -> bool:
    return not set(build.terms.variables(one)).isdisjoint(build.terms.variables(other))


def signed(build: Builder, factors: list[Weighted], relation: str) -> tuple[Assumption, ...]:
    """The relation to 0 of each factor, or of what is raised there, that is not positive anyway."""
    terms = [(build.terms[factor], factor) for _, factor in factors]
    bases = [t.children[0] if t.operator == "pow" else n for t, n in terms]
    return tuple(
        Assumption(base, relation)
        for base in dict.fromkeys(bases)
        if build.terms.has_variables(base) and build.terms[base].operator not in ALWAYS_POSITIVE
    )


def divided(build: Builder, total: int, by: list[Weighted]) -> int | None:
    """A sum over a product, term by term."""
    inverse = [Weighted(-weight, factor) for weight, factor in by]
    chain = build.terms_of(total)
    ratios = [balanced(build, [*build.factors_of(term), *inverse]) for _, term in chain]
    parts = [Weighted(w, r) for (w, _), r in zip(chain, ratios, strict=True) if r is not None]
    return build.sum_of(build.merge_like_terms(parts)) if len(parts) == len(chain) else None


def exponent_in(build: Builder, factors: list[Weighted]) -> int | None:
    """The exponent of all exponentials in a product; 0 without any."""
    inside = [
        Weighted(weight * w, t)
        for weight, factor in factors
        if build.terms[factor].operator == "exp"
        for w, t in build.terms_of(build.terms[factor].children[0])
    ]
    return build.sum_of(build.merge_like_terms(inside))


def balanced(build: Builder, factors: list[Weighted]) -> int | None:
    """A product, each factor over the line over one of the same degree: ``(y/x)**4``."""
    put, parts = build.terms.intern, build.powers(factors)
    exponent = exponent_in(build, parts)
    sides: dict[int, tuple[list[int], list[int]]] = {}
    whole: list[Weighted] = []
    for weight, factor in sorted(parts, key=lambda part: -abs(part.weight)):
        operator = build.terms[factor].operator
        if operator == CONSTANT:
            whole.append(Weighted(weight, factor))
        elif operator != "exp":
            is_power = operator == "pow"
            base, degree = build.terms[factor].children if is_power else (factor, build.one())
            side = sides.setdefault(degree, ([], []))[weight < 0]
            side += [base] * int(abs(weight))
    for degree, (above, below) in sides.items():
        pairs = [put("div", pair) for pair in zip(above, below, strict=False)]
        bases = [Weighted(ONE, n) for n in (*pairs, *above[len(pairs) :])]
        bases += [Weighted(-ONE, n) for n in below[len(pairs) :]]
        for weight, base in build.powers(bases):
            whole.append(Weighted(weight, build.apply("pow", (base, degree))))
    if exponent is not None and build.terms.number(exponent) != 0:
        whole.append(Weighted(ONE, put("exp", (exponent,))))
    return None if exponent is None else build.product_of(whole)


def _has_any_sign(build: Builder, root: Term, factors: list[Weighted]) -> bool:
    """Whether the root of a sum may be divided by that of a product whatever its letters' signs."""
    p = exponent_of(root.operator, root.parameter)
    if p is None or any(build.terms[f.term].operator == "pow" for f in factors):
        return False
    if p.denominator % 2:
        return root.operator != "power"
    return all((f.weight * p).denominator == 1 for f in factors)


def _root(build: Builder, root: Term, factor: Weighted, is_plain: bool) -> list[Weighted]:
    """The same root of a factor; an even one is that of its modulus if it is not `is_plain`."""
    put, (weight, number) = build.terms.intern, factor
    term, p = build.terms[number], exponent_of(root.operator, root.parameter)
    is_even = p is not None and p.denominator % 2 == 0
    is_power, is_exp = term.operator == "pow", term.operator == "exp"
    base = term.children[0] if is_power else number
    if is_even and not is_plain and not build.terms.is_never_negative(base):
        base = put("abs", (base,))
    if is_exp or p is None or is_power and (is_even or is_plain):
        exponent = term.children[-1] if is_power or is_exp else build.one()
        exponent = exponent if p is not None else build.mul(exponent, root.children[1])
        scaled = build.times_number(weight * (ONE if p is None else p), exponent)
        if scaled is not None:
            whole = put("exp", (scaled,)) if is_exp else build.apply("pow", (base, scaled))
            return [Weighted(ONE, whole)]
    if p is None or is_power:
        under = (build.power(weight, number), *root.children[1:])
        return [Weighted(ONE, put(root.operator, under, parameter=root.parameter))]
    sign = 1 if weight > 0 else -1
    degree, left = divmod(abs(weight) * p, 1)
    rest = build.power(left, base)
    if root.operator != "power":
        rest = put(root.operator, (build.power(left / p, base),), parameter=root.parameter)
    return [Weighted(Fraction(sign * degree), base), Weighted(Fraction(sign * (left > 0)), rest)]


def _root_of_product(build: Builder, root: Term, inside: int, is_plain: bool = False) -> int | None:
    """The same root of each factor, if two or more are no numbers."""
    factors = build.powers(build.factors_of(inside))
    letters = [f for f in factors if build.terms.number(f.term) is None]
    number = build.product_of([f for f in factors if f not in letters])
    value = None if number is None else build.terms.number(number)
    p = exponent_of(root.operator, root.parameter)
    if len(letters) < 2 or value is None or p is None:
        return None
    size = abs(value) if p.denominator % 2 == 0 else value
    folded = rational_power(size, p)
    scale = build.number(size if folded is None else folded)
    if scale is None:
        return None
    if folded is None:
        scale = build.terms.intern(root.operator, (scale,), parameter=root.parameter)
    parts = [part for factor in letters for part in _root(build, root, factor, is_plain)]
    return build.product_of([Weighted(ONE, scale), *parts])


def quotients_in_turn(build: Builder, number: int) -> Named:
    """``a/(b*c)`` as ``a/b/c``, ``a**2/b`` as ``a*(a/b)``, ``a*b/(c*d)`` as ``(a/c)*(b/d)``: no
    product leaves the range of doubles where the value does not.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> for text in ("a*b**2/(c*d)", "1/(a**2 + a)"):
    ...     found = quotients_in_turn(Builder(terms), terms.add(read(text).formula))
    ...     print(*[to_python(terms.formula(t)) for _, t in found])
    a*b**2/c/d b/c*(b/d)*a
    1/a/(a + 1)
    """
    put = build.terms.intern
    factors = build.powers(
        [
            part
            for exponent, factor in build.factors_of(number)
            for part in build.factors_of(_without_brackets(build, factor), exponent)
        ]
    )
    letters = [f for f in factors if build.terms.number(f.term) is None]
    above = [f for f in factors if f.weight > 0 or f not in letters]
    below = [
        divisor
        for weight, factor in letters
        if weight < 0
        for divisor in ([factor] * 2 if weight == -2 else [build.power(-weight, factor)])
    ]
    over = build.product_of(above)
    if over is not None and 1 < len(below) <= MAX_DIVISORS:
        yield "dividing in turn", reduce(lambda whole, by: put("div", (whole, by)), below, over)
    if not below or sum(f.weight for f in letters if f.weight > 0) < 2:
        return
    paired = balanced(build, factors) if all(abs(f.weight) <= 2 for f in letters) else None
    if paired is not None:
        yield "dividing in turn", paired


def _without_brackets(build: Builder, number: int) -> int:
    """A sum with what its terms have in common before it."""
    p = polynomial_of(build, number) if build.terms[number].operator in SUMS else None
    ways = ways_to_write(build, p) if p is not None else ()
    return ways[0] if ways and build.terms[ways[0]].operator == "mul" else number
