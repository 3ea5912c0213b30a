"""Polynomials over any sub-expressions, and the ways to write one: expanded, factored, nested.

The indeterminates are the sub-expressions that are no sum, product or whole power: in ``sin(x)**2 +
3*y`` they are ``sin(x)`` and ``y``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx
from flint.utils.flint_exceptions import DomainError

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
    """A polynomial of FLINT, over a letter for each of `atoms`: terms, in the order of their kinds.

    >>> x = Polynomial.of({((3, 1),): ONE}, {3: 0})
    >>> x.plus(x.times(x)).coefficients
    {((3, 2),): Fraction(1, 1), ((3, 1),): Fraction(1, 1)}
    """

    def __init__(self, value: fmpq_mpoly, atoms: Mapping[int, int]) -> None:
        self.value, self.atoms = value, atoms

    @classmethod
    def of(cls, coefficients: Mapping[Monomial, Fraction], atoms: Mapping[int, int]) -> Polynomial:
        kinds = sorted(atoms)
        exponents = {
            tuple([dict(monomial).get(kind, 0) for kind in kinds]): fmpq(c.numerator, c.denominator)
            for monomial, c in coefficients.items()
        }
        return cls(_letters(kinds).from_dict(exponents), {kind: atoms[kind] for kind in kinds})

    @cached_property
    def coefficients(self) -> dict[Monomial, Fraction]:
        """By monomial; the zero polynomial has none."""
        return {
            tuple([(kind, int(e)) for kind, e in zip(self.atoms, exponents, strict=True) if e]): (
                _fraction(c)
            )
            for exponents, c in self.value.terms()
        }

    def __len__(self) -> int:
        return len(self.value)

    @property
    def degree(self) -> int:
        """The largest total degree; 0 for a constant."""
        return max(0, int(self.value.total_degree()))

    def like(self, value: fmpq_mpoly) -> Polynomial:
        """Another one over the same atoms."""
        return Polynomial(value, self.atoms)

    def plus(self, other: Polynomial, sign: int = 1) -> Polynomial:
        one, another = self._beside(other)
        return one.like(one.value + sign * another.value)

    def times(self, other: Polynomial) -> Polynomial:
        one, another = self._beside(other)
        return one.like(one.value * another.value)

    def _beside(self, other: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Both over the atoms of both."""
        if self.atoms == other.atoms:
            return self, other
        atoms = dict(sorted({**self.atoms, **other.atoms}.items()))
        pair = (each.value.project_to_context(_letters(atoms)) for each in (self, other))
        one, another = (Polynomial(value, atoms) for value in pair)
        return one, another

    @property
    def root(self) -> Polynomial | None:
        """What it is the square of, over rational numbers."""
        with suppress(DomainError):
            return self.like(self.value.sqrt())
        return None

    @property
    def key(self) -> frozenset[tuple[Monomial, Fraction]]:
        """Equal for equal polynomials."""
        return frozenset(self.coefficients.items())

    def indeterminates(self) -> list[int]:
        return [kind for kind, e in zip(self.atoms, self.value.degrees(), strict=True) if e > 0]

    def univariate(self) -> list[Fraction] | None:
        """Coefficients from the constant up if there is one indeterminate, else None."""
        if len(self.indeterminates()) != 1:
            return None
        by_exponent = {sum(e for _, e in m): c for m, c in self.coefficients.items()}
        return [by_exponent.get(e, Fraction(0)) for e in range(self.degree + 1)]


def _letters(kinds: Iterable[int]) -> fmpq_mpoly_ctx:
    return fmpq_mpoly_ctx.get([f"k{kind}" for kind in kinds], "lex")


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


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
            result = Polynomial.of({UNIT: value}, {})
        elif _is_arithmetic(build, number):
            known = [p for p in map(done.get, term.children) if p is not None]
            if len(known) < len(term.children):
                continue
            if term.operator == "neg":
                result = known[0].like(-known[0].value)
            elif term.operator in ("add", "sub"):
                result = known[0].plus(known[1], 1 if term.operator == "add" else -1)
            elif term.operator == "mul":
                result = known[0].times(known[1])
            elif term.operator == "div":
                result = known[0].like(known[0].value / known[1].value.leading_coefficient())
            else:
                assert term.parameter is not None
                result = known[0]
                for _ in range(term.parameter.numerator - 1):
                    if len(result) <= MAX_TERMS:
                        result = result.times(known[0])
            if term.operator in ("mul", "power"):
                result = _without_squared_roots(build, result)
        else:
            kind = terms.kind(number)
            result = Polynomial.of({((kind, 1),): ONE}, {kind: number})
        if len(result) <= MAX_TERMS and result.degree <= MAX_DEGREE:
            done[number] = result
    return done[root]


def _without_squared_roots(build: Builder, p: Polynomial) -> Polynomial:
    """With ``sqrt(u)**2`` as u, ``hypot(u, v)**2`` as ``u**2 + v**2``."""
    powers = zip(p.atoms.items(), p.value.degrees(), strict=True)
    squares = {kind: _square_of(build, number) for (kind, number), e in powers if e > 1}
    inner = {kind: square for kind, square in squares.items() if square is not None}
    if not inner:
        return p
    total = p.like(0 * p.value)
    for monomial, c in p.coefficients.items():
        left = tuple([(k, e % 2) if k in inner else (k, e) for k, e in monomial])
        product = Polynomial.of({left: c}, p.atoms)
        for kind in [k for k, e in monomial if k in inner for _ in range(e // 2)]:
            product = product.times(inner[kind])
        total = total.plus(product)
    return total


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
    if not len(p):
        zero = build.number(Fraction(0))
        if zero is not None:
            yield zero
        return
    content = p.like(p.value.term_content() if len(p) > 1 else 0 * p.value + 1)
    rest = p.like(p.value / content.value)
    number = _number_content(p)
    if number is not None:
        scaled = rest.like(rest.value / fmpq(number.numerator, number.denominator))
        for written in islice(_write(build, scaled), 2):
            whole = build.times_number(number, _times_monomial(build, content, written))
            if whole is not None:
                yield whole
    for written in _write(build, rest):
        yield _times_monomial(build, content, written)
    expanded = _write_expanded(build, p)
    if expanded is not None:
        yield expanded
    if content.degree:
        yield from _write(build, p)


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


def _times_monomial(build: Builder, content: Polynomial, written: int) -> int:
    (monomial,) = content.coefficients
    return build.mul(_monomial(build, content, monomial), written) if monomial else written


def _write_factored(build: Builder, p: Polynomial) -> int | None:
    """Over its factors with rational coefficients, of which 1 leads where the others stay short."""
    number, factors = p.value.factor()
    if sum(count for _, count in factors) < 2:
        return None
    parts: list[tuple[Polynomial, int]] = []
    for factor, count in factors:
        lead = factor.leading_coefficient()
        part = p.like(factor / lead)
        if any("/" in (number_text(c) or "/") for c in part.coefficients.values()):
            lead, part = fmpq(1), p.like(factor)
        number *= lead**count
        parts.append((part, count))
    parts.sort(key=lambda part: (-part[0].degree, [-c for c in part[0].coefficients.values()]))
    written = [(count, _nested(build, part)) for part, count in parts]
    powers = [Weighted(Fraction(count), term) for count, term in written if term is not None]
    product = build.product_of(powers) if len(powers) == len(parts) else None
    return None if product is None else build.times_number(_fraction(number), product)


def _nested(build: Builder, p: Polynomial) -> int | None:
    nested = _horner(build, p)
    return _write_expanded(build, p) if nested is None else nested


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
    while p.degree > 1 and len(p) > 2 and (kinds := shifted_by(p, p.like(0 * p.value))):
        base, *others = kinds
        new: dict[int, int] = {}
        atoms = dict(p.atoms)
        for kind in others:
            difference = build.sub(p.atoms[kind], p.atoms[base])
            new[kind] = build.terms.kind(difference)
            atoms[new[kind]] = difference
        total = p.like(0 * p.value)
        for monomial, c in p.coefficients.items():
            if base not in dict(monomial):
                key = tuple(sorted((new.get(kind, kind), e) for kind, e in monomial))
                total = total.plus(Polynomial.of({key: c}, atoms))
        p = total
    return None if p is original else _write_expanded(build, p)


def shifted_by(p: Polynomial, slope: Polynomial) -> tuple[int, ...] | None:
    """The fewest letters whose derivatives add up to `slope`."""
    kinds = p.indeterminates()
    if len(kinds) > MAX_LETTERS:
        return None
    slopes = {kind: p.value.derivative(f"k{kind}") for kind in kinds}
    for count in range(2, min(len(kinds), MAX_SHIFTED) + 1):
        for chosen in combinations(kinds, count):
            if p.like(sum((slopes[kind] for kind in chosen), 0 * p.value)).key == slope.key:
                return chosen
    return None


def _perfect_square(build: Builder, p: Polynomial) -> int | None:
    root = p.root if len(p) > 2 else None
    written = None if root is None else _write_expanded(build, root)
    return None if written is None else build.power(Fraction(2), written)


def _difference(build: Builder, p: Polynomial) -> int | None:
    if len(p) != 2:
        return None
    (m, c), (n, d) = sorted(p.coefficients.items(), key=lambda item: -item[1])
    left, right = Polynomial.of({m: c}, p.atoms).root, Polynomial.of({n: -d}, p.atoms).root
    if left is None or right is None:
        return None
    minus, plus = (_write_expanded(build, left.plus(right, sign)) for sign in (-1, 1))
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
        group = Polynomial.of(inside, p.atoms)
        content = group.like(group.value.term_content())
        inner = _write_expanded(build, group.like(group.value / content.value))
        outer = _write_expanded(build, p.plus(group, -1))
        if inner is not None and outer is not None:
            yield build.add(_times_monomial(build, content, inner), outer)
