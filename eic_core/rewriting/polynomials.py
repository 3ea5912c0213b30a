"""Polynomials over any sub-expressions, and the ways to write one: expanded, factored, nested.

The indeterminates are the sub-expressions that are no sum, product or whole power: in ``sin(x)**2 +
3*y`` they are ``sin(x)`` and ``y``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, islice

import numpy as np

from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.terms import number_text

MAX_TERMS, MAX_DEGREE = 24, 10

MAX_WAYS = 12

CONSTANT_DIGITS = 3
"""A number with fewer digits is no constant of its own."""

LONGEST_MULTIPLE = 100

MAX_LETTERS, MAX_SHIFTED = 8, 4
"""Letters of a polynomial that is written by differences, and of those that move together."""

Monomial = tuple[tuple[int, int], ...]
"""(kind of the indeterminate, exponent), sorted."""

UNIT: Monomial = ()


class Polynomial:
    """Coefficients by monomial; the zero polynomial has none."""

    def __init__(self, coefficients: dict[Monomial, Fraction], atoms: dict[int, int]) -> None:
        self.coefficients = {m: c for m, c in coefficients.items() if c}
        self.atoms = atoms

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def degree(self) -> int:
        """The largest total degree; 0 for a constant."""
        return max((sum(e for _, e in m) for m in self.coefficients), default=0)

    def plus(self, other: Polynomial, sign: int = 1) -> Polynomial:
        total = dict(self.coefficients)
        for monomial, c in other.coefficients.items():
            total[monomial] = total.get(monomial, Fraction(0)) + sign * c
        return Polynomial(total, self.atoms | other.atoms)

    def times(self, other: Polynomial) -> Polynomial:
        total: dict[Monomial, Fraction] = {}
        for m, c in self.coefficients.items():
            for n, d in other.coefficients.items():
                exponents = dict(m)
                for kind, e in n:
                    exponents[kind] = exponents.get(kind, 0) + e
                key = tuple(sorted(exponents.items()))
                total[key] = total.get(key, Fraction(0)) + c * d
        return Polynomial(total, self.atoms | other.atoms)

    def derivative(self, kind: int) -> Polynomial:
        slope: dict[Monomial, Fraction] = {}
        for monomial, c in self.coefficients.items():
            exponents = dict(monomial)
            if (e := exponents.pop(kind, 0)) > 1:
                exponents[kind] = e - 1
            if e:
                slope[tuple(sorted(exponents.items()))] = e * c
        return Polynomial(slope, self.atoms)

    @property
    def key(self) -> frozenset[tuple[Monomial, Fraction]]:
        """Equal for equal polynomials."""
        return frozenset(self.coefficients.items())

    def indeterminates(self) -> list[int]:
        return sorted({kind for m in self.coefficients for kind, _ in m})

    def univariate(self) -> list[Fraction] | None:
        """Coefficients from the constant up if there is one indeterminate, else None."""
        if len(self.indeterminates()) != 1:
            return None
        dense = [Fraction(0)] * (self.degree + 1)
        for monomial, c in self.coefficients.items():
            dense[monomial[0][1] if monomial else 0] = c
        return dense


def polynomial_of(build: Builder, root: int) -> Polynomial | None:
    """A term as a polynomial, or None if it grows beyond `MAX_TERMS` or `MAX_DEGREE`.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.rewriting.terms import Terms
    >>> terms = Terms()
    >>> p = polynomial_of(Builder(terms), terms.add(read("(x+1)**2 - x**2").formula))
    >>> p.univariate()
    [Fraction(1, 1), Fraction(2, 1)]
    """
    terms, done = build.terms, build.polynomials
    for number in terms.walk(root, lambda n: n not in done and _is_arithmetic(build, n)):
        if number in done:
            continue
        term = terms[number]
        value = terms.number(number)
        done[number] = None
        if value is not None:
            result = Polynomial({UNIT: value}, {})
        elif _is_arithmetic(build, number):
            known = [p for p in map(done.get, term.children) if p is not None]
            if len(known) < len(term.children):
                continue
            if term.operator == "neg":
                result = Polynomial({}, {}).plus(known[0], -1)
            elif term.operator in ("add", "sub"):
                result = known[0].plus(known[1], 1 if term.operator == "add" else -1)
            elif term.operator == "mul":
                result = known[0].times(known[1])
            elif term.operator == "div":
                divisor = terms.number(term.children[1])
                assert divisor
                result = known[0].times(Polynomial({UNIT: 1 / divisor}, {}))
            else:
                assert term.parameter is not None
                result = Polynomial({UNIT: ONE}, {})
                for _ in range(term.parameter.numerator):
                    result = result.times(known[0])
                    if len(result) > MAX_TERMS:
                        break
            if term.operator in ("mul", "power"):
                result = _without_squared_roots(build, result)
        else:
            kind = terms.kind(number)
            result = Polynomial({((kind, 1),): ONE}, {kind: number})
        if len(result) <= MAX_TERMS and result.degree <= MAX_DEGREE:
            done[number] = result
    return done[root]


def _without_squared_roots(build: Builder, p: Polynomial) -> Polynomial:
    """With ``sqrt(u)**2`` as u, ``hypot(u, v)**2`` as ``u**2 + v**2``."""
    total = Polynomial({}, p.atoms)
    changed = False
    for monomial, c in p.coefficients.items():
        product = Polynomial({UNIT: c}, p.atoms)
        for kind, exponent in monomial:
            inner = _square_of(build, p.atoms[kind]) if exponent > 1 else None
            changed |= inner is not None
            for _ in range(exponent // 2 if inner is not None else 0):
                product = product.times(inner) if inner is not None else product
            left = exponent % 2 if inner is not None else exponent
            if left:
                product = product.times(Polynomial({((kind, left),): ONE}, p.atoms))
        total = total.plus(product)
    return total if changed else p


def _square_of(build: Builder, number: int) -> Polynomial | None:
    term = build.terms[number]
    if term.operator == "sqrt":
        return polynomial_of(build, term.children[0])
    if term.operator != "hypot":
        return None
    sides = [polynomial_of(build, child) for child in term.children]
    if sides[0] is None or sides[1] is None:
        return None
    return sides[0].times(sides[0]).plus(sides[1].times(sides[1]))


def _is_arithmetic(build: Builder, number: int) -> bool:
    term = build.terms[number]
    if term.operator == "power":
        p = term.parameter
        return p is not None and p.denominator == 1 and 0 < p <= MAX_DEGREE
    if term.operator == "div":
        return bool(build.terms.number(term.children[1]))
    return term.operator in ("add", "sub", "mul", "neg")


def ways_to_write(build: Builder, p: Polynomial) -> tuple[int, ...]:
    """The first `MAX_WAYS` ways to write a polynomial: expanded, factored, nested, as squares."""
    key = (p.key, tuple(sorted(p.atoms.values())))
    if key not in build.written:
        build.written[key] = tuple(islice(_ways_to_write(build, p), MAX_WAYS))
    return build.written[key]


def _ways_to_write(build: Builder, p: Polynomial) -> Iterator[int]:
    if not p.coefficients:
        zero = build.number(Fraction(0))
        if zero is not None:
            yield zero
        return
    content = _content(p) if len(p) > 1 else UNIT
    rest = _divide_by_monomial(p, content)
    number = _number_content(p)
    if number is not None:
        scaled = rest.times(Polynomial({UNIT: 1 / number}, {}))
        for written in islice(_write(build, scaled), 2):
            inner = _times_monomial(build, p, content, written)
            whole = None if inner is None else build.times_number(number, inner)
            if whole is not None:
                yield whole
    for written in _write(build, rest):
        whole = _times_monomial(build, p, content, written)
        if whole is not None:
            yield whole
    expanded = _write_expanded(build, p)
    if expanded is not None:
        yield expanded
    if content and rest is not p:
        for written in _write(build, p):
            yield written


def _write(build: Builder, p: Polynomial) -> Iterator[int]:
    ways = (
        _write_expanded,
        _write_factored,
        _horner,
        _write_squared_differences,
        in_differences,
        _perfect_square,
        _difference,
    )
    for way in ways:
        written = way(build, p)
        if written is not None:
            yield written
    yield from _write_nested(build, p)


def _monomial(build: Builder, p: Polynomial, m: Monomial) -> int:
    parts = [Weighted(Fraction(e), p.atoms[kind]) for kind, e in m]
    parts.sort(key=lambda part: part.term)
    product = build.product_of(parts)
    assert product is not None  # there is no number in it
    return product


def _write_expanded(build: Builder, p: Polynomial) -> int | None:
    order = sorted(p.coefficients, key=lambda m: (-sum(e for _, e in m), m))
    return build.sum_of([Weighted(p.coefficients[m], _monomial(build, p, m)) for m in order])


def _number_content(p: Polynomial) -> Fraction | None:
    """A constant of several digits of which all coefficients are short multiples."""
    number = min((abs(c) for c in p.coefficients.values()), default=ONE)
    multiples = [c / number for c in p.coefficients.values()]
    if len(p) < 2 or any(c.denominator > 1 or abs(c) > LONGEST_MULTIPLE for c in multiples):
        return None
    digits = len((number_text(number) or "").partition("e")[0].replace(".", "").strip("0"))
    return number if digits >= CONSTANT_DIGITS else None


def _content(p: Polynomial) -> Monomial:
    common: dict[int, int] | None = None
    for m in p.coefficients:
        exponents = dict(m)
        common = (
            exponents
            if common is None
            else {k: min(e, exponents[k]) for k, e in common.items() if k in exponents}
        )
    return tuple(sorted((common or {}).items()))


def _divide_by_monomial(p: Polynomial, divisor: Monomial) -> Polynomial:
    if not divisor:
        return p
    lower = dict(divisor)
    quotient = {
        tuple((k, e - lower.get(k, 0)) for k, e in m if e > lower.get(k, 0)): c
        for m, c in p.coefficients.items()
    }
    return Polynomial(quotient, p.atoms)


def _times_monomial(build: Builder, p: Polynomial, m: Monomial, written: int) -> int | None:
    return build.mul(_monomial(build, p, m), written) if m else written


def _write_factored(build: Builder, p: Polynomial) -> int | None:
    """Over the rational roots: ``x**3 - 1``, and ``2*x**2 - 3*x*y + y**2`` by those of x/y."""
    kinds = p.indeterminates()
    if len(kinds) == 1:
        unit = build.one()
    elif len(kinds) == 2 and {sum(e for _, e in m) for m in p.coefficients} == {p.degree}:
        unit = p.atoms[kinds[1]]
    else:
        return None
    atom = p.atoms[kinds[0]]
    dense = [Fraction(0)] * (p.degree + 1)
    for monomial, c in p.coefficients.items():
        dense[dict(monomial).get(kinds[0], 0)] = c
    if len(dense) < 3 or not dense[-1]:
        return None
    roots: dict[Fraction, int] = {}
    while len(dense) > 1:
        root = _rational_root(dense)
        if root is None:
            break
        roots[root] = roots.get(root, 0) + 1
        dense = _divide_out_root(dense, root)
    if not roots:
        return None
    parts: list[Weighted] = []
    if len(dense) > 1:
        rest = (
            _nest(build, dense, atom) if len(kinds) == 1 else _homogeneous(build, dense, p, kinds)
        )
        if rest is None:
            return None
        parts.append(Weighted(ONE, rest))
    for root, count in roots.items():
        linear = build.sum_of([Weighted(ONE, atom), Weighted(-root, unit)])
        if linear is None:
            return None
        parts.append(Weighted(Fraction(count), linear))
    product = build.product_of(parts)
    if product is None or len(dense) > 1:
        return product
    return build.times_number(dense[0], product)


def _homogeneous(
    build: Builder, dense: list[Fraction], p: Polynomial, kinds: list[int]
) -> int | None:
    degree = len(dense) - 1
    coefficients = {
        tuple((kind, e) for kind, e in zip(kinds, (i, degree - i), strict=True) if e): c
        for i, c in enumerate(dense)
    }
    return _write_expanded(build, Polynomial(coefficients, p.atoms))


def _rational_root(dense: list[Fraction]) -> Fraction | None:
    scale = math.lcm(*(c.denominator for c in dense))
    whole = [int(c * scale) for c in dense]
    if max(abs(c) for c in whole) > 10**15:
        return None
    with np.errstate(all="ignore"):
        found = np.roots([float(c) for c in reversed(whole)])
    for guess in sorted(complex(z).real for z in found if abs(z.imag) < 1e-2 * (1 + abs(z))):
        for limit in (1, 12, 10**4):
            root = Fraction(guess).limit_denominator(limit)
            if sum(c * root**i for i, c in enumerate(dense)) == 0:
                return root
    return None


def _divide_out_root(dense: list[Fraction], root: Fraction) -> list[Fraction]:
    quotient: list[Fraction] = []
    carry = Fraction(0)
    for c in reversed(dense):
        carry = c + carry * root
        quotient.append(carry)
    return list(reversed(quotient[:-1]))


def _horner(build: Builder, p: Polynomial) -> int | None:
    dense = p.univariate()
    if dense is None or len(p) < 3:
        return None
    return _nest(build, dense, p.atoms[p.indeterminates()[0]])


def _nest(build: Builder, dense: list[Fraction], atom: int) -> int | None:
    total: int | None = build.number(dense[-1])
    gap = 0
    for c in reversed(dense[:-1]):
        gap += 1
        if c and total is not None:
            total = build.mul(total, build.power(Fraction(gap), atom))
            number = build.number(abs(c))
            if number is None:
                return None
            total = build.add(total, number) if c > 0 else build.sub(total, number)
            gap = 0
    return total


def _write_squared_differences(build: Builder, p: Polynomial) -> int | None:
    """``x**2 + y**2 - 2*x*y`` and larger: a weighted sum of squares of differences."""
    kinds = p.indeterminates()
    if len(kinds) < 2 or any(sum(e for _, e in m) != 2 for m in p.coefficients):
        return None
    pairs: dict[tuple[int, int], Fraction] = {}
    for i, j in combinations(kinds, 2):
        weight = -p.coefficients.get(tuple(sorted(((i, 1), (j, 1)))), Fraction(0)) / 2
        if weight:
            pairs[i, j] = weight
    for i in kinds:
        total = sum((w for pair, w in pairs.items() if i in pair), Fraction(0))
        if total != p.coefficients.get(((i, 2),), Fraction(0)):
            return None
    weights = set(pairs.values())
    common = weights.pop() if len(weights) == 1 else ONE
    parts = []
    for (i, j), weight in pairs.items():
        difference = build.sub(p.atoms[i], p.atoms[j])
        parts.append(Weighted(weight / common, build.power(Fraction(2), difference)))
    total_term = build.sum_of(parts)
    return None if total_term is None else build.times_number(common, total_term)


def in_differences(build: Builder, p: Polynomial) -> int | None:
    """A polynomial that no common shift of some letters changes, by their differences: twice an
    area ``a*d - c*b + c*f - e*d + e*b - a*f`` as ``(c - a)*(f - b) - (e - a)*(d - b)``.
    """
    original = p
    while p.degree > 1 and len(p) > 2 and (kinds := _shifted_together(p)) is not None:
        base, *others = kinds
        new: dict[int, int] = {}
        atoms = dict(p.atoms)
        for kind in others:
            difference = build.sub(p.atoms[kind], p.atoms[base])
            new[kind] = build.terms.kind(difference)
            atoms[new[kind]] = difference
        coefficients: dict[Monomial, Fraction] = {}
        for monomial, c in p.coefficients.items():
            if base not in dict(monomial):
                key = tuple(sorted((new.get(kind, kind), e) for kind, e in monomial))
                coefficients[key] = coefficients.get(key, Fraction(0)) + c
        p = Polynomial(coefficients, atoms)
    return None if p is original else _write_expanded(build, p)


def _shifted_together(p: Polynomial) -> tuple[int, ...] | None:
    """The fewest letters whose derivatives add up to 0."""
    return shifted_by(p, Polynomial({}, {}))


def shifted_by(p: Polynomial, slope: Polynomial) -> tuple[int, ...] | None:
    """The fewest letters whose derivatives add up to `slope`."""
    kinds = p.indeterminates()
    if len(kinds) > MAX_LETTERS:
        return None
    slopes = {kind: p.derivative(kind) for kind in kinds}
    for count in range(2, min(len(kinds), MAX_SHIFTED) + 1):
        for chosen in combinations(kinds, count):
            total = slopes[chosen[0]]
            for kind in chosen[1:]:
                total = total.plus(slopes[kind])
            if total.key == slope.key:
                return chosen
    return None


def square_root(value: Fraction) -> Fraction | None:
    """The exact rational root of a positive number, or None.

    >>> square_root(Fraction(9, 4)), square_root(Fraction(2))
    (Fraction(3, 2), None)
    """
    if value <= 0:
        return None
    over, under = math.isqrt(value.numerator), math.isqrt(value.denominator)
    exact = over * over == value.numerator and under * under == value.denominator
    return Fraction(over, under) if exact else None


def _half(m: Monomial) -> Monomial | None:
    return tuple((k, e // 2) for k, e in m) if all(e % 2 == 0 for _, e in m) else None


def _perfect_square(build: Builder, p: Polynomial) -> int | None:
    if len(p) not in (3, 6):
        return None
    squares = [(m, _half(m), square_root(c)) for m, c in p.coefficients.items()]
    roots = {half: root for _, half, root in squares if half is not None and root is not None}
    if len(roots) not in (2, 3):
        return None
    first, *others = sorted(roots, reverse=True)
    signed = {first: roots[first]}
    for half in others:
        cross = Polynomial({first: ONE}, {}).times(Polynomial({half: ONE}, {}))
        middle = p.coefficients.get(next(iter(cross.coefficients)), Fraction(0))
        signed[half] = roots[half] if middle > 0 else -roots[half]
    root = Polynomial(signed, p.atoms)
    if root.times(root).coefficients != p.coefficients:
        return None
    written = _write_expanded(build, root)
    return None if written is None else build.power(Fraction(2), written)


def _difference(build: Builder, p: Polynomial) -> int | None:
    if len(p) != 2:
        return None
    (m, c), (n, d) = sorted(p.coefficients.items(), key=lambda item: -item[1])
    left, right, a, b = _half(m), _half(n), square_root(c), square_root(-d)
    if left is None or right is None or a is None or b is None:
        return None
    minus = _write_expanded(build, Polynomial({left: a, right: -b}, p.atoms))
    plus = _write_expanded(build, Polynomial({left: a, right: b}, p.atoms))
    return None if minus is None or plus is None else build.mul(minus, plus)


def _write_nested(build: Builder, p: Polynomial) -> Iterator[int]:
    """``a*b + a*c + d`` as ``a*(b + c) + d``, for each indeterminate in several terms."""
    kinds = p.indeterminates()
    if len(kinds) < 2 or len(p) < 3:
        return
    for kind in kinds:
        inside = {m: c for m, c in p.coefficients.items() if kind in dict(m)}
        if not 2 <= len(inside) < len(p):
            continue
        group = Polynomial(inside, p.atoms)
        content = _content(group)
        inner = _write_expanded(build, _divide_by_monomial(group, content))
        others = {m: c for m, c in p.coefficients.items() if m not in inside}
        outer = _write_expanded(build, Polynomial(others, p.atoms))
        if inner is not None and outer is not None:
            yield build.add(build.mul(_monomial(build, p, content), inner), outer)
