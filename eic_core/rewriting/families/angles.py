"""Half angles in sums, angles between vectors, arguments in half turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.matching import opposite_of
from eic_core.rewriting.polynomials import polynomial_of, ways_to_write
from eic_core.rewriting.rules import Named

MAX_TERMS = 6
"""Longer sums are left alone."""


MAX_HALF_ANGLE_FORMS = 8

TWO = Fraction(2)


_AROUND = {"cos": (("sin", 1, -1), ("cos", -1, 1)), "cosh": (("sinh", 1, 1),)}
"""cos u = 1 - 2 sin(u/2)^2, near 0, and 2 cos(u/2)^2 - 1, near pi; cosh u = 1 + 2 sinh(u/2)^2: the
function, the sign of 1 and that of the square."""

_ROOTS = ("sqrt", "cbrt", "root", "hypot")
"""Beside one of them the conjugate is the better way."""


def half_angles(build: Builder, number: int) -> Named:
    """``w cos u`` or ``w cosh u`` in a sum by the half angle, the rest collected.
    So the law of cosines becomes ``(a - b)**2 + 4*a*b*sin(u/2)**2`` (Sinnott, "Virtues of the
    Haversine", Sky & Telescope 68 (1984), for the sphere).

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("a**2 + b**2 - 2*a*b*cos(c)").formula)
    >>> found = [to_python(terms.formula(t)) for _, t in half_angles(Builder(terms), root)]
    >>> "(a - b)**2 + 4*a*b*sin(c/2)**2" in found
    True
    """
    chain = build.terms_of(number)
    if not 2 <= len(chain) <= MAX_TERMS:
        return
    two = build.terms.intern(CONSTANT, label="2")
    for i, part in enumerate(chain):
        others = [*chain[:i], *chain[i + 1 :]]
        if len(others) == 1 and build.terms[others[0].term].operator in _ROOTS:
            continue
        for weight, cosine in _cosines(build, part.term):
            half = build.div(build.terms[cosine].children[0], two)
            for function, sign, bent in _AROUND[build.terms[cosine].operator]:
                bend = build.power(TWO, build.terms.intern(function, (half,)))
                last = build.mul(two, build.mul(weight, bend))
                rest = build.sum_of([*others, Weighted(sign * part.weight, weight)])
                for written in _ways(build, rest):
                    whole = build.sum_of(
                        [Weighted(ONE, written), Weighted(bent * part.weight, last)]
                    )
                    if whole is not None:
                        yield "half angle", whole


def _cosines(build: Builder, number: int) -> Iterator[tuple[int, int]]:
    """Each cosine that is a factor of a term: the other factors, and the cosine."""
    factors = build.factors_of(number)
    for j, (exponent, factor) in enumerate(factors):
        if exponent == 1 and build.terms[factor].operator in _AROUND:
            weight = build.product_of(build.powers([*factors[:j], *factors[j + 1 :]]))
            if weight is not None:
                yield weight, factor


def _ways(build: Builder, number: int | None) -> Iterator[int]:
    if number is None:
        return
    p = polynomial_of(build, number)
    if p is not None:
        yield from ways_to_write(build, p)[:MAX_HALF_ANGLE_FORMS]
    yield number


def vector_angles(build: Builder, number: int) -> Named:
    """The arc cosine of a dot product over both lengths, by the cross product: plainly, and with
    the difference of the vectors, which keeps its digits where they are near each other (Kahan,
    "How Futile are Mindless Assessments of Roundoff", 2006).

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> text = "acos((a*c + b*d)/(hypot(a, b)*sqrt(c**2 + d**2)))"
    >>> found = vector_angles(Builder(terms), terms.add(read(text).formula))
    >>> [to_python(terms.formula(t)) for _, t in found]
    ['atan2(abs(a*d - b*c), a*c + b*d)', 'atan2(abs(a*(d - b) - b*(c - a)), a*c + b*d)']
    """
    term = build.terms[number]
    dot, lengths = _over_lengths(build, _unclamped(build, term.children[0]))
    put = build.terms.intern
    if dot is None:
        return
    if len(lengths) == 1:
        rest = [c for c in lengths[0] if build.terms.kind(c) != build.terms.kind(dot)]
        if len(rest) == len(lengths[0]) - 1:
            sides = (_length(build, rest), dot)
            yield (
                "angle of a right triangle",
                put("atan2", sides if term.operator == "acos" else sides[::-1]),
            )
    elif len(lengths) == 2 and term.operator == "acos":
        for cross in _crossed(build, dot, lengths):
            yield "angle between vectors", put("atan2", (cross, dot))


def vector_sines(build: Builder, number: int) -> Named:
    """1 less the cosine between two vectors, or less its square, and the square of a dot product
    less that of both lengths, by the cross product (Lagrange's identity).

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> text = "(a**2 + b**2)*(c**2 + d**2) - (a*c + b*d)**2"
    >>> found = vector_sines(Builder(terms), terms.add(read(text).formula))
    >>> [to_python(terms.formula(t)) for _, t in found]
    ['(a*d - b*c)**2', '(a*(d - b) - b*(c - a))**2']
    """
    chain = build.terms_of(number)
    if len(chain) != 2 or chain[0].weight == chain[1].weight:
        return
    for one, cosine in (chain, chain[::-1]):
        turned = build.neg if cosine.weight > 0 else int
        is_one = build.terms.number(one.term) == 1
        dot, lengths, is_square = _squared_over_lengths(build, cosine.term)
        if not is_one:
            lengths = [_roots(build, build.terms_of(f)) for _, f in build.factors_of(one.term)]
        are_two = len(lengths) == 2 and all(2 <= len(length) <= 3 for length in lengths)
        if dot is None or not are_two or not (is_one or is_square):
            continue
        whole = build.mul(_length(build, lengths[0]), _length(build, lengths[1]))
        for cross in _crossed(build, dot, lengths):
            if not is_one:
                square = build.power(TWO, cross)
            elif is_square:
                square = build.power(TWO, build.div(cross, whole))
            else:
                below = build.mul(whole, build.terms.intern("add", (whole, dot)))
                square = build.div(build.power(TWO, cross), below)
            yield "sine between vectors", turned(square)


def _over_lengths(build: Builder, number: int) -> tuple[int | None, list[list[int]]]:
    """What stands over lengths of vectors, with the components of each."""
    factors = build.factors_of(number)
    lengths: list[list[int]] = []
    for exponent, factor in factors:
        if exponent < 0:
            lengths += _lengths(build, factor)
    dot = build.product_of(build.powers([f for f in factors if f.weight > 0]))
    are_vectors = all(2 <= len(length) <= 3 for length in lengths)
    return (dot if are_vectors else None), lengths


def _squared_over_lengths(build: Builder, number: int) -> tuple[int | None, list[list[int]], bool]:
    """As above, also of a square; whether it is one."""
    term = build.terms[number]
    if term.operator == "power" and term.parameter == 2:
        return *_over_lengths(build, term.children[0]), True
    factors = build.powers(build.factors_of(number))
    squared = [f for f in factors if f.weight == 2]
    if len(squared) != 1 or any(f.weight not in (2, -1) for f in factors):
        return *_over_lengths(build, number), False
    below = [_roots(build, build.terms_of(f.term)) for f in factors if f.weight == -1]
    return squared[0].term, below, True


def _crossed(build: Builder, dot: int, lengths: list[list[int]]) -> Iterator[int]:
    """The cross products of two vectors, if `dot` is the dot product of these."""
    products = build.terms_of(dot)
    pairs = _pairs(build, [t for _, t in products], *lengths)
    if pairs and all(w > 0 for w, _ in products):
        yield from _cross_products(build, pairs)


def _unclamped(build: Builder, number: int) -> int:
    """Without ``min(1, u)`` and ``max(-1, u)``, which a cosine needs for its rounding errors."""
    term = build.terms[number]
    for operator, bound in (("min", 1), ("max", -1)):
        if term.operator == operator:
            for side in (0, 1):
                if build.terms.number(term.children[side]) == bound:
                    return _unclamped(build, term.children[1 - side])
    return number


def _lengths(build: Builder, number: int) -> list[list[int]]:
    """The components of each vector whose length is a factor, ``sqrt(x**2 + y**2)``; none where
    the factor is something else.
    """
    term = build.terms[number]
    if term.operator == "hypot":
        parts = [
            [c] if build.terms[c].operator != "hypot" else _lengths(build, c)[0]
            for c in term.children
        ]
        return [parts[0] + parts[1]]
    if term.operator == "mul":
        return [length for c in term.children for length in _lengths(build, c)]
    if term.operator != "sqrt":
        return [[]]
    return [
        _roots(build, build.terms_of(factor)) if exponent > 0 else []
        for exponent, factor in build.factors_of(term.children[0])
    ]


def _roots(build: Builder, squares: list[Weighted]) -> list[int]:
    """What is squared in each term of a sum; empty if something else stands there."""
    found: list[int] = []
    for weight, number in squares:
        term = build.terms[number]
        is_power = term.operator == "power" and term.parameter == 2
        is_product = term.operator == "mul" and len(set(term.children)) == 1
        if weight > 0 and (is_power or is_product):
            found.append(term.children[0])
        elif weight > 0 and build.terms.number(number) == 1:
            found.append(number)
        else:
            return []
    return found


def _length(build: Builder, components: Sequence[int]) -> int:
    """``hypot`` of the components; the modulus of one."""
    if len(components) == 1:
        return build.terms.intern("abs", (components[0],))
    return reduce(lambda a, b: build.terms.intern("hypot", (a, b)), components)


def _pairs(
    build: Builder, products: list[int], left: list[int], right: list[int]
) -> list[tuple[int, int]] | None:
    """The components of two vectors side by side, if the products are those of a dot product."""
    if not products:
        return [] if not left and not right else None
    wanted = _kind_of_product(build, products[0])
    for a, b in product(left, right):
        if _kind_of_product(build, a, b) == wanted:
            others = ([c for c in side if c != x] for side, x in ((left, a), (right, b)))
            rest = _pairs(build, products[1:], *others)
            if rest is not None:
                return [(a, b), *rest]
    return None


def _kind_of_product(build: Builder, *numbers: int) -> int | None:
    factors = [factor for number in numbers for factor in build.factors_of(number)]
    whole = build.product_of(build.powers(factors))
    return None if whole is None else build.terms.kind(whole)


def _cross_products(build: Builder, pairs: list[tuple[int, int]]) -> Iterator[int]:
    """The length of the cross product of two vectors, and of one with their difference."""
    differences = [(a, build.sub(b, a)) for a, b in pairs]
    for sides in (pairs, differences):
        turned = [*sides[1:], sides[0]] if len(sides) == 3 else sides[1:]
        parts = [
            build.sub(build.mul(a, e), build.mul(b, d))
            for (a, d), (b, e) in zip(sides, turned, strict=False)
        ]
        yield _length(build, parts)


def half_turns(build: Builder, number: int) -> Named:
    """``sin(pi*u)`` and the like with the remainder of u, which is exact, taken to the nearest
    zero, as the recommended operations sinPi and cosPi of IEEE 754 are.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> for text in ("cos(pi*x/180)", "tan(2*pi*x)"):
    ...     found = half_turns(Builder(terms), terms.add(read(text).formula))
    ...     print(*[to_python(terms.formula(t)) for _, t in found])
    sin(pi*(90 - abs(remainder(x, 360)))/180)
    tan(2*pi*remainder(x, 0.5))
    """
    put, operator = build.terms.intern, build.terms[number].operator
    factors = build.factors_of(build.terms[number].children[0])
    pi = Weighted(ONE, put(CONSTANT, label="pi"))
    numbers = [f for f in factors if build.terms.number(f.term) is not None]
    letters = [f for f in factors if f != pi and f not in numbers]
    if factors.count(pi) != 1 or not letters:
        return
    scale = build.product_of(numbers) if numbers else build.one()
    above = build.product_of([f for f in letters if f.weight > 0])
    below = [f for f in letters if f.weight < 0]
    half = _half_turn(build, scale, below)
    if above is None or half is None or _is_reduced(build, above):
        return
    two = put(CONSTANT, label="2")
    if operator == "tan":
        reduced = put("remainder", (above, half))
    else:
        reduced = put("remainder", (above, build.mul(two, half)))
    if operator == "sin":
        near = put("min", (reduced, put("sub", (half, reduced))))
        reduced = put("max", (build.sub(build.neg(half), reduced), near))
    elif operator == "cos":
        reduced = put("sub", (build.div(half, two), put("abs", (reduced,))))
    argument = build.product_of([pi, Weighted(ONE, reduced), *numbers, *below])
    if argument is not None:
        yield "argument reduction", put("sin" if operator == "cos" else operator, (argument,))


def _half_turn(build: Builder, scale: int | None, below: list[Weighted]) -> int | None:
    """What the letters over the line come to in half a turn, if doubles hold its number."""
    value = None if scale is None else build.terms.number(scale)
    if value is None or value <= 0 or value.numerator & (value.numerator - 1):
        return None
    number = build.number(1 / value)
    if number is None:
        return None
    return build.product_of([Weighted(ONE, number), *[Weighted(-f.weight, f.term) for f in below]])


def _is_reduced(build: Builder, number: int) -> bool:
    return any(build.terms[n].operator == "remainder" for n in build.terms.subterms(number))


ODD = "sin tan cot csc asin atan sinh tanh asinh atanh erf cbrt".split()
EVEN = "cos sec cosh abs".split()


def opposite_arguments(build: Builder, number: int) -> Named:
    """An odd or even function of ``-u - v`` by that of ``u + v``.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> for text in ("erf(-x - 2*y)", "cosh(-x/3)", "sin(-x + y)"):
    ...     found = opposite_arguments(Builder(terms), terms.add(read(text).formula))
    ...     print(*[to_python(terms.formula(t)) for _, t in found])
    -erf(x + 2*y)
    cosh(x/3)
    <BLANKLINE>
    """
    operator, (inside,) = build.terms[number].operator, build.terms[number].children
    chain = build.terms_of(inside)
    opposites = [term if sign < 0 else opposite_of(build, term) for sign, term in chain]
    parts = [Weighted(ONE, term) for term in opposites if term is not None]
    whole = build.sum_of(parts) if len(parts) == len(chain) else None
    if whole is not None:
        turned = build.terms.intern(operator, (whole,))
        yield "opposite argument", turned if operator in EVEN else build.neg(turned)
